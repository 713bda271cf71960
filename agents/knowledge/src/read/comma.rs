//! Tables of comma-separated values: a line a row, with the headers of its columns.

use super::table::{self, Rows};
use super::{CSV, MAX_TEXT, ReadError, Reading, reading};

/// Columns of one table.
const MAX_COLUMNS: usize = 512;

pub(super) fn read(text: &str) -> Result<Reading, ReadError> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter(text))
        .from_reader(text.as_bytes());
    let (mut rows, mut count, mut out) = (Rows::default(), 0, String::new());
    for (n, record) in reader.records().enumerate() {
        let record = record.map_err(|_| ReadError::Broken("its quotation marks are not closed".into()))?;
        let row: Vec<String> = record.iter().take(MAX_COLUMNS).map(table::paragraph).collect();
        if let Some(line) = rows.line(&row, n == 0) {
            count += 1;
            out.push_str(&line);
            out.push('\n');
        }
        if out.len() > MAX_TEXT {
            return Err(ReadError::TooMuchText);
        }
    }
    out.extend(rows.rest(count));
    reading(&out, CSV, 0)
}

/// The mark that parts the first line most often: spreadsheets save semicolons where commas are decimal.
fn delimiter(text: &str) -> u8 {
    let first = text.lines().next().unwrap_or_default();
    let count = |mark: &u8| first.bytes().filter(|byte| byte == mark).count();
    [b',', b';', b'\t'].into_iter().rev().max_by_key(count).unwrap_or(b',')
}
