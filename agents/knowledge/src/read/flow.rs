//! Running text of a word processor as Markdown: paragraphs, headings, items, and rows of tables, as they come.

use super::table::{self, Rows};

#[derive(Debug, Default)]
pub(super) struct Flow {
    out: String,
    line: String,
    /// Lines of the cell that is open.
    cell: String,
    tables: Vec<Table>,
}

#[derive(Debug, Default)]
struct Table {
    rows: Rows,
    row: Vec<String>,
    count: usize,
    first: bool,
    /// The cell around a table within a table.
    outer: String,
}

/// What a paragraph is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Style {
    #[default]
    Text,
    Title,
    Heading,
    Item,
}

impl Flow {
    pub fn text(&mut self, text: &str) {
        self.line.push_str(text);
    }

    /// Bytes written so far.
    pub fn written(&self) -> usize {
        self.out.len() + self.cell.len() + self.line.len()
    }

    pub fn end_paragraph(&mut self, style: Style) {
        let line = table::paragraph(&std::mem::take(&mut self.line));
        if line.is_empty() {
            return;
        }
        if !self.tables.is_empty() {
            self.cell.push_str(&line);
            self.cell.push(' ');
            return;
        }
        let gap = if style == Style::Item && self.out.ends_with('\n') { "" } else { "\n" };
        self.out.push_str(gap);
        self.out.push_str(match style {
            Style::Text => "",
            Style::Title => "# ",
            Style::Heading => "## ",
            Style::Item => "- ",
        });
        self.out.push_str(&line);
        self.out.push('\n');
    }

    pub fn begin_table(&mut self) {
        let outer = std::mem::take(&mut self.cell);
        if self.tables.is_empty() {
            self.out.push('\n');
        }
        self.tables.push(Table { first: true, outer, ..Table::default() });
    }

    pub fn end_cell(&mut self) {
        self.end_paragraph(Style::Text);
        let cell = table::cell(&std::mem::take(&mut self.cell));
        if let Some(table) = self.tables.last_mut() {
            table.row.push(cell);
        }
    }

    pub fn end_row(&mut self) {
        let Some(table) = self.tables.last_mut() else { return };
        let row = std::mem::take(&mut table.row);
        let may_be_headers = std::mem::take(&mut table.first) && table::reads_like_headers(&row);
        if let Some(line) = table.rows.line(&row, may_be_headers) {
            table.count += 1;
            self.put(&line);
        }
    }

    pub fn end_table(&mut self) {
        let Some(Table { rows, count, outer, .. }) = self.tables.pop() else { return };
        if let Some(line) = rows.rest(count) {
            self.put(&line);
        }
        let inner = std::mem::replace(&mut self.cell, outer);
        self.cell.push_str(&inner);
    }

    /// A row's line: on its own, or into the cell around its table.
    fn put(&mut self, line: &str) {
        if let [.., _, inner] = self.tables.as_mut_slice() {
            inner.outer.push_str(line);
            inner.outer.push(' ');
        } else {
            self.out.push_str(line);
            self.out.push('\n');
        }
    }

    pub fn finish(mut self) -> String {
        self.end_paragraph(Style::Text);
        while !self.tables.is_empty() {
            self.end_table();
        }
        self.out
    }
}
