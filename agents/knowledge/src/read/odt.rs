//! ODT (ISO/IEC 26300): the content part's paragraphs and tables, without deleted and hidden text.

use std::collections::HashSet;

use quick_xml::events::BytesStart;

use super::flow::{Flow, Style};
use super::package::{self, Visit, attribute};
use super::{ODT, ReadError, Reading, reading};

/// Elements whose content is not the page's text.
const SKIPPED: [&str; 7] =
    ["tracked-changes", "annotation", "hidden-text", "forms", "sequence-decls", "note-citation", "script"];

pub(super) fn read(bytes: &[u8]) -> Result<Reading, ReadError> {
    let mut package = package::open(bytes)?;
    // Passwords are told of in the manifest alone.
    let manifest = package::part(&mut package, "META-INF/manifest.xml")?.unwrap_or_default();
    if manifest.contains("encryption-data") {
        return Err(ReadError::Encrypted);
    }
    let missing = || ReadError::Broken("it has no text part".into());
    let xml = package::part(&mut package, "content.xml")?.ok_or_else(missing)?;
    let mut document = Document::default();
    package::walk(&xml, &mut document)?;
    let title = package::title(&mut package, "meta.xml");
    let reading = reading(&document.flow.finish(), ODT, document.hidden)?;
    Ok(Reading { title, ..reading })
}

#[derive(Default)]
struct Document {
    flow: Flow,
    /// Styles under which text is not seen.
    unseen: HashSet<String>,
    /// The style that is being defined.
    defined: String,
    /// Open elements within paragraphs, and whether they hide; outside nothing is text.
    open: Vec<bool>,
    skipped: usize,
    items: usize,
    hidden: usize,
}

impl Document {
    fn hides(&self) -> bool {
        self.open.last().copied().unwrap_or_default()
    }
}

impl Visit for Document {
    fn open(&mut self, name: &str, element: &BytesStart<'_>) {
        if SKIPPED.contains(&name) {
            self.skipped += 1;
        }
        match name {
            "style" => self.defined = attribute(element, "name").unwrap_or_default(),
            "text-properties" => {
                let is = |name: &str, value: &str| attribute(element, name).as_deref() == Some(value);
                if is("display", "none")
                    || (is("color", "#ffffff") && attribute(element, "background-color").is_none())
                {
                    self.unseen.insert(self.defined.clone());
                }
            }
            "p" | "h" | "span" | "section" => {
                let unseen = attribute(element, "style-name")
                    .is_some_and(|style| self.unseen.contains(&style))
                    || attribute(element, "display").as_deref() == Some("none");
                self.hidden += usize::from(unseen && !self.hides());
                self.open.push(unseen || self.hides());
            }
            "list-item" => self.items += 1,
            "table" => self.flow.begin_table(),
            "s" | "tab" | "line-break" if self.skipped == 0 => self.flow.text(" "),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        if SKIPPED.contains(&name) {
            self.skipped = self.skipped.saturating_sub(1);
        }
        match name {
            "p" | "h" => {
                self.open.pop();
                let style = match name {
                    "h" => Style::Heading,
                    _ if self.items > 0 => Style::Item,
                    _ => Style::Text,
                };
                self.flow.end_paragraph(style);
            }
            "span" | "section" => drop(self.open.pop()),
            "list-item" => self.items = self.items.saturating_sub(1),
            "table-cell" | "covered-table-cell" => self.flow.end_cell(),
            "table-row" => self.flow.end_row(),
            "table" => self.flow.end_table(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        // Between elements there are line ends only.
        if self.skipped == 0 && !self.hides() && !self.open.is_empty() {
            self.flow.text(text);
        }
    }

    fn written(&self) -> usize {
        self.flow.written()
    }
}
