//! HTML as a reader sees it. Tolerant as browsers are: nothing is an error but too much of it.

mod hiding;
mod tree;

use std::borrow::Cow;

use super::{HTML, MAX_TEXT, ReadError, Reading};
use super::{table, visible};
use hiding::Hiding;
use tree::{Element, Step};

/// Elements whose content is not the page's text: code, menus, forms, frames, and what only old browsers show.
const SKIPPED: [&str; 22] = [
    "head", "title", "script", "style", "noscript", "noframes", "noembed", "template", "iframe", "object",
    "embed", "nav", "footer", "aside", "select", "button", "textarea", "canvas", "audio", "video", "dialog",
    "datalist",
];
/// Elements that stand on a line of their own.
const BLOCKS: [&str; 24] = [
    "p",
    "div",
    "section",
    "article",
    "main",
    "header",
    "ul",
    "ol",
    "dl",
    "table",
    "thead",
    "tbody",
    "tr",
    "blockquote",
    "pre",
    "address",
    "figure",
    "figcaption",
    "form",
    "fieldset",
    "details",
    "summary",
    "dt",
    "body",
];

/// Reads a page.
pub(super) fn read(source: &str) -> Result<Reading, ReadError> {
    let tree = tree::parse(source)?;
    let mut page = Page { hiding: Hiding::of(&tree), ..Page::default() };
    for step in tree.steps() {
        match step {
            Step::Open(element) => page.open(element),
            Step::Close(element) => page.close(element.name()),
            Step::Text(text) => page.text(text),
        }
        if page.out.len() + page.line.len() > MAX_TEXT {
            return Err(ReadError::TooMuchText);
        }
    }
    page.end_line();
    let title = page.title.split_whitespace().collect::<Vec<_>>().join(" ");
    let title = Some(title).filter(|title| !title.is_empty());
    Ok(Reading { text: page.out.trim().to_owned(), title, media_type: HTML, hidden: page.hidden })
}

#[derive(Default)]
struct Page<'t> {
    hiding: Hiding,
    out: String,
    /// The line that is being written.
    line: String,
    title: String,
    /// The first title is the page's.
    titles: usize,
    /// Open elements, and whether what is in them is left out.
    open: Vec<(&'t str, bool)>,
    hidden: usize,
    tables: Vec<Table>,
    /// Mark at the beginning of the next line: a heading's or an item's.
    mark: &'static str,
}

#[derive(Default)]
struct Table {
    /// The first row, when its cells are headers.
    headers: Vec<String>,
    row: Vec<String>,
    /// The row holds nothing but headers.
    only_headers: bool,
}

impl<'t> Page<'t> {
    fn skips(&self) -> bool {
        self.open.last().is_some_and(|(_, skipped)| *skipped)
    }

    fn open(&mut self, element: &'t Element) {
        let name = element.name();
        let hides = self.hiding.hides(element);
        let skips = self.skips() || hides || element.is_foreign() || SKIPPED.contains(&name);
        if hides && !self.skips() && !matches!(name, "script" | "style") {
            self.hidden += 1;
        }
        if !skips {
            self.begin(name);
        } else if !self.skips() && !hides && matches!(name, "nav" | "footer" | "aside") {
            self.block();
        }
        self.titles += usize::from(name == "title" && !element.is_foreign());
        self.open.push((name, skips));
    }

    fn begin(&mut self, name: &str) {
        match name {
            "br" if self.in_cell() => self.line.push(' '),
            "br" | "hr" => self.end_line(),
            "h1" => self.start_line("# "),
            "h2" | "h3" | "h4" | "h5" | "h6" => self.start_line("## "),
            "li" => self.start_line("- "),
            "dd" => self.line.push_str(": "),
            "table" => {
                self.end_line();
                self.tables.push(Table::default());
            }
            "tr" => {
                self.end_line();
                if let Some(table) = self.tables.last_mut() {
                    (table.row, table.only_headers) = (Vec::new(), true);
                }
            }
            "td" | "th" => {
                self.line.clear();
                if let Some(table) = self.tables.last_mut() {
                    table.only_headers &= name == "th";
                }
            }
            name if BLOCKS.contains(&name) => self.block(),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        if self.open.pop().is_none_or(|(_, skipped)| skipped) {
            return;
        }
        match name {
            "td" | "th" => {
                let cell = std::mem::take(&mut self.line);
                let cell = cell.split_whitespace().collect::<Vec<_>>().join(" ");
                match self.tables.last_mut() {
                    Some(table) => table.row.push(cell),
                    None => self.line = cell + " ",
                }
            }
            "tr" => self.end_row(),
            "table" => {
                self.end_row();
                drop(self.tables.pop());
                self.end_line();
            }
            name if is_heading(name) || name == "li" => self.end_line(),
            name if BLOCKS.contains(&name) || name == "dd" => self.block(),
            _ => {}
        }
    }

    /// A row as a line that can be understood by itself: "Permit: deck; Fee: $45."
    fn end_row(&mut self) {
        let Some(table) = self.tables.last_mut() else { return };
        let row = std::mem::take(&mut table.row);
        if row.iter().all(String::is_empty) {
            return;
        }
        if table.only_headers && table.headers.is_empty() && row.len() > 1 {
            table.headers = row;
            return;
        }
        // Within another table the row is a cell of that one.
        self.line.push_str(&table::sentence(&table.headers, &row));
        if self.tables.len() == 1 {
            self.end_line();
        } else {
            self.line.push(' ');
        }
    }

    fn text(&mut self, text: &str) {
        if self.titles == 1 && self.open.last().is_some_and(|(name, _)| *name == "title") {
            return self.title.extend(visible::only(text).0.chars().take(300));
        }
        if self.skips() {
            return;
        }
        let (text, hidden): (Cow<'_, str>, usize) = if text.chars().any(visible::is_invisible) {
            let (text, hidden) = visible::only(text);
            (text.into(), hidden)
        } else {
            (text.into(), 0)
        };
        // A soft hyphen is no hiding.
        self.hidden += usize::from(hidden > 0 && text.trim().is_empty());
        for c in text.chars() {
            match c {
                c if !c.is_whitespace() => self.line.push(c),
                _ if !self.line.is_empty() && !self.line.ends_with(' ') => self.line.push(' '),
                _ => {}
            }
        }
    }

    fn start_line(&mut self, mark: &'static str) {
        self.end_line();
        self.mark = mark;
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let line = line.trim();
        if line.is_empty() {
            return;
        }
        if self.mark.starts_with('#') && !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out.push_str(self.mark);
        // A line of text must not read as a heading.
        self.out.push_str(if self.mark.is_empty() {
            line.trim_start_matches(['#', '+']).trim_start()
        } else {
            line
        });
        self.out.push('\n');
        self.mark = "";
    }

    fn in_cell(&self) -> bool {
        let near = self.open.iter().rev().take(8);
        !self.tables.is_empty() && near.into_iter().any(|(name, _)| matches!(*name, "td" | "th"))
    }

    /// The end of a paragraph. Within a cell it is no more than a space.
    fn block(&mut self) {
        if self.in_cell() {
            self.line.push(' ');
            return;
        }
        self.end_line();
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }
}

fn is_heading(name: &str) -> bool {
    matches!(name, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}
