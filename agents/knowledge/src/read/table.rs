//! Rows of tables as lines that can be understood by themselves: "Permit: Deck; Fee: $45."

/// Takes rows one after the other; the first may be headers.
#[derive(Debug, Default)]
pub(super) struct Rows {
    headers: Option<Vec<String>>,
}

impl Rows {
    /// A row as a line, or nothing: it is empty, or it is the row of headers.
    pub fn line(&mut self, row: &[String], may_be_headers: bool) -> Option<String> {
        let filled = row.iter().filter(|cell| !cell.is_empty()).count();
        if filled == 0 {
            return None;
        }
        if self.headers.is_none() && may_be_headers && filled > 1 {
            self.headers = Some(row.to_vec());
            return None;
        }
        let headers = self.headers.as_deref().unwrap_or_default();
        Some(sentence(headers, row))
    }

    /// Headers that no row followed are text.
    pub fn rest(self, rows: usize) -> Option<String> {
        self.headers.filter(|_| rows == 0).map(|headers| sentence(&[], &headers))
    }
}

/// Cells with their headers, as one sentence.
pub(super) fn sentence(headers: &[String], row: &[String]) -> String {
    let cells = row.iter().enumerate().filter(|(_, cell)| !cell.is_empty());
    let cells: Vec<String> = cells
        .map(|(n, cell)| match headers.get(n).filter(|header| !header.is_empty()) {
            Some(header) => format!("{}: {cell}", header.trim_end_matches(':')),
            None => cell.clone(),
        })
        .collect();
    let mut line = cells.join("; ");
    if !line.ends_with(['.', '!', '?']) {
        line.push('.');
    }
    line
}

/// Whether a first row reads like headers: words in every cell, no figures.
pub(super) fn reads_like_headers(row: &[String]) -> bool {
    let worded = |cell: &String| {
        cell.chars().any(char::is_alphabetic) && !cell.starts_with(|c: char| c.is_ascii_digit() || c == '$')
    };
    row.len() > 1 && row.iter().filter(|cell| !cell.is_empty()).all(worded) && !row[0].is_empty()
}

/// A cell on one line.
pub(super) fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A line of text that must not read as a heading, nor as what configures a page.
pub(super) fn paragraph(text: &str) -> String {
    cell(text).trim_start_matches(['#', '+']).trim_start().to_owned()
}
