//! DOCX (ISO/IEC 29500): the main part's paragraphs and tables. What was deleted, hidden or is drawn twice is left out.

use quick_xml::events::BytesStart;

use super::flow::{Flow, Style};
use super::package::{self, Visit, attribute};
use super::{DOCX, ReadError, Reading, reading};

/// Elements whose content is no text of the page: instructions, deleted words, copies for old programs.
const SKIPPED: [&str; 5] = ["instrText", "delText", "del", "Fallback", "moveFrom"];

pub(super) fn read(bytes: &[u8]) -> Result<Reading, ReadError> {
    let mut package = package::open(bytes)?;
    let missing = || ReadError::Broken("it has no text part".into());
    let xml = package::part(&mut package, "word/document.xml")?.ok_or_else(missing)?;
    let mut document = Document::default();
    package::walk(&xml, &mut document)?;
    let title = package::title(&mut package, "docProps/core.xml");
    let reading = reading(&document.flow.finish(), DOCX, document.hidden)?;
    Ok(Reading { title, ..reading })
}

#[derive(Default)]
struct Document {
    flow: Flow,
    style: Style,
    /// In text proper: spaces between elements are none.
    in_text: bool,
    /// Levels of skipped elements that are open.
    skipped: usize,
    run: Run,
    /// Within the properties of a run; those of a paragraph speak of its end mark.
    in_run: bool,
    hidden: usize,
}

/// How a run of letters is drawn.
#[derive(Default)]
struct Run {
    vanished: bool,
    pale: bool,
    shaded: bool,
    tiny: bool,
    counted: bool,
}

impl Visit for Document {
    fn open(&mut self, name: &str, element: &BytesStart<'_>) {
        if SKIPPED.contains(&name) {
            self.skipped += 1;
        }
        let value = || attribute(element, "val").unwrap_or_default();
        let on = || !matches!(value().as_str(), "0" | "false" | "off");
        match name {
            "p" => self.style = Style::Text,
            "pStyle" => {
                let id = value().to_lowercase();
                let is = |names: &[&str]| names.iter().any(|name| id.starts_with(name));
                self.style = if is(&["title", "titulo", "título", "ttulo0"]) {
                    Style::Title
                } else if is(&["heading", "ttulo", "encabezado"]) {
                    Style::Heading
                } else {
                    self.style
                };
            }
            "outlineLvl" if self.style == Style::Text && value().parse().is_ok_and(|level: u8| level < 9) => {
                self.style = Style::Heading;
            }
            "numPr" if self.style == Style::Text => self.style = Style::Item,
            "tbl" => self.flow.begin_table(),
            "r" => (self.run, self.in_run) = (Run::default(), true),
            "vanish" | "webHidden" if self.in_run => self.run.vanished |= on(),
            "color" if self.in_run => self.run.pale = value().eq_ignore_ascii_case("ffffff"),
            "shd" | "highlight" if self.in_run => self.run.shaded = true,
            // In halves of a point.
            "sz" if self.in_run => self.run.tiny = value().parse().is_ok_and(|size: f32| size < 4.0),
            "t" => self.in_text = true,
            "tab" | "br" | "cr" if self.in_run => self.flow.text(" "),
            "noBreakHyphen" => self.flow.text("-"),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        if SKIPPED.contains(&name) {
            self.skipped = self.skipped.saturating_sub(1);
        }
        match name {
            "t" => self.in_text = false,
            "r" => self.in_run = false,
            "p" => self.flow.end_paragraph(std::mem::take(&mut self.style)),
            "tc" => self.flow.end_cell(),
            "tr" => self.flow.end_row(),
            "tbl" => self.flow.end_table(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if !self.in_text || self.skipped > 0 {
            return;
        }
        if self.run.vanished || self.run.tiny || (self.run.pale && !self.run.shaded) {
            self.hidden += usize::from(!std::mem::replace(&mut self.run.counted, true));
            return;
        }
        self.flow.text(text);
    }

    fn written(&self) -> usize {
        self.flow.written()
    }
}
