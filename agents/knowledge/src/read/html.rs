//! HTML as a reader sees it. Tolerant as browsers are: nothing is an error but too much of it.

mod entities;
mod hiding;
mod tags;

use std::borrow::Cow;

use super::visible;
use super::{HTML, MAX_TEXT, ReadError, Reading};
use hiding::Hiding;
use tags::{Piece, Tag, pieces};

/// Elements within each other; what is deeper counts as one level.
const MAX_DEPTH: usize = 200;
/// Elements whose content is not the page's text: code, menus, forms, frames.
const SKIPPED: [&str; 20] = [
    "script", "style", "noscript", "template", "svg", "math", "iframe", "object", "embed", "nav", "footer",
    "aside", "select", "button", "textarea", "canvas", "audio", "video", "dialog", "datalist",
];
/// Elements without an end.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
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
    let mut page = Page { hiding: Hiding::of(source), ..Page::default() };
    for piece in pieces(source) {
        match piece {
            Piece::Open(tag) => page.open(&tag),
            Piece::Close(name) => page.close(&name.to_ascii_lowercase()),
            Piece::Text(text) => page.text(&entities::decode(text)),
        }
        if page.out.len() > MAX_TEXT {
            return Err(ReadError::TooMuchText);
        }
    }
    page.end_line();
    let title = page.title.split_whitespace().collect::<Vec<_>>().join(" ");
    let title = Some(title).filter(|title| !title.is_empty());
    Ok(Reading { text: page.out.trim().to_owned(), title, media_type: HTML, hidden: page.hidden })
}

#[derive(Default)]
struct Page {
    hiding: Hiding,
    out: String,
    /// The line that is being written.
    line: String,
    title: String,
    /// Open elements, and whether what is in them is left out.
    open: Vec<(String, bool)>,
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

impl Page {
    fn skips(&self) -> bool {
        self.open.last().is_some_and(|(_, skipped)| *skipped)
    }

    fn open(&mut self, tag: &Tag<'_>) {
        let name = tag.name.as_str();
        self.imply_ends(name);
        if !self.skips() {
            self.begin(name);
        }
        if VOID.contains(&name) || tag.closed {
            return;
        }
        let hides = self.hiding.hides(tag);
        let skips = self.skips() || hides || SKIPPED.contains(&name) || name == "head";
        if hides && !self.skips() && !matches!(name, "script" | "style") {
            self.hidden += 1;
        }
        if self.open.len() < MAX_DEPTH {
            self.open.push((tag.name.clone(), skips));
        } else if let Some(last) = self.open.last_mut().filter(|_| skips) {
            // Nothing is hidden so deep that it would be read.
            last.1 = true;
        }
    }

    /// Elements whose end tag may be left out end where the next of their kind begins.
    fn imply_ends(&mut self, name: &str) {
        let ended: &[&str] = match name {
            "li" => &["li"],
            "td" | "th" => &["td", "th"],
            "tr" => &["tr", "td", "th"],
            "dt" | "dd" => &["dt", "dd"],
            "option" => &["option"],
            "body" => &["head"],
            n if BLOCKS.contains(&n) || is_heading(n) => &["p"],
            _ => &[],
        };
        while let Some((last, _)) = self.open.last().filter(|(last, _)| ended.contains(&last.as_str())) {
            let last = last.clone();
            self.close(&last);
        }
    }

    fn begin(&mut self, name: &str) {
        match name {
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
        let Some(at) = self.open.iter().rposition(|(open, _)| open == name) else {
            if name == "p" {
                self.end_line();
            }
            return;
        };
        // A stray end tag of a row must not end the page's body.
        let skipped = self.open[at].1;
        self.open.truncate(at);
        if skipped {
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
        let cells = row.iter().enumerate().filter(|(_, cell)| !cell.is_empty());
        let cells: Vec<String> = cells
            .map(|(n, cell)| match table.headers.get(n).filter(|header| !header.is_empty()) {
                Some(header) => format!("{header}: {cell}"),
                None => cell.clone(),
            })
            .collect();
        // Within another table the row is a cell of that one.
        self.line.push_str(&cells.join("; "));
        if !self.line.ends_with(['.', '!', '?']) {
            self.line.push('.');
        }
        if self.tables.len() == 1 {
            self.end_line();
        } else {
            self.line.push(' ');
        }
    }

    fn text(&mut self, text: &str) {
        if self.open.last().is_some_and(|(name, _)| name == "title") && self.title.len() < 500 {
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

    /// The end of a paragraph. Within a cell it is no more than a space.
    fn block(&mut self) {
        let in_cell = self.open.iter().rev().take(8).any(|(name, _)| matches!(name.as_str(), "td" | "th"));
        if in_cell && !self.tables.is_empty() {
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
