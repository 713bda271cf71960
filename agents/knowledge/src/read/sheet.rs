//! Spreadsheets: a heading a sheet, a line a row. `calamine` opens them.

use std::io::Cursor;

use calamine::{Data, Ods, Reader, SheetVisible, Xlsx};

use super::table::{self, Rows};
use super::{MAX_TEXT, ODS, ReadError, Reading, XLSX, package, reading};

/// Cells of one file, empty ones among them: a sheet may claim to be any size.
const MAX_CELLS: usize = 2_000_000;

pub(super) fn excel(bytes: &[u8]) -> Result<Reading, ReadError> {
    package::check(bytes)?;
    let book = Xlsx::new(Cursor::new(bytes)).map_err(|_| broken())?;
    sheets(book, XLSX)
}

pub(super) fn open(bytes: &[u8]) -> Result<Reading, ReadError> {
    package::check(bytes)?;
    let book = Ods::new(Cursor::new(bytes)).map_err(|_| broken())?;
    sheets(book, ODS)
}

fn broken() -> ReadError {
    ReadError::Broken("it is no readable spreadsheet".into())
}

fn sheets<'b, R: Reader<Cursor<&'b [u8]>>>(mut book: R, kind: &'static str) -> Result<Reading, ReadError> {
    let names: Vec<(String, bool)> = book
        .sheets_metadata()
        .iter()
        .map(|sheet| (sheet.name.clone(), sheet.visible == SheetVisible::Visible))
        .collect();
    let hidden = names.iter().filter(|(_, visible)| !visible).count();
    let (mut out, mut cells) = (String::new(), 0usize);
    for (name, _) in names.iter().filter(|(_, visible)| *visible) {
        let Ok(range) = book.worksheet_range(name) else { continue };
        let (height, width) = range.get_size();
        cells = cells.saturating_add(height.saturating_mul(width));
        if cells > MAX_CELLS {
            return Err(ReadError::Bomb("cells".into()));
        }
        let mut body = String::new();
        let (mut rows, mut count, mut first) = (Rows::default(), 0, true);
        for row in range.rows() {
            let row: Vec<String> = row.iter().map(said).collect();
            let filled = row.iter().any(|cell| !cell.is_empty());
            if let Some(line) = rows.line(&row, first && table::reads_like_headers(&row)) {
                count += 1;
                body.push_str(&line);
                body.push('\n');
            }
            // A title above the table stands alone in its row.
            first &= !filled || row.iter().filter(|cell| !cell.is_empty()).count() == 1;
            if out.len() + body.len() > MAX_TEXT {
                return Err(ReadError::TooMuchText);
            }
        }
        body.extend(rows.rest(count));
        if !body.trim().is_empty() {
            out.push_str(&format!("## {}\n\n{body}\n", table::paragraph(name)));
        }
    }
    reading(&out, kind, hidden)
}

/// A cell as it is read: whole numbers without a point, dates as dates.
fn said(cell: &Data) -> String {
    match cell {
        Data::Float(number) if number.fract() == 0.0 && number.abs() < 1e15 => format!("{number:.0}"),
        Data::DateTime(at) => {
            let at = at.as_datetime();
            at.map_or_else(String::new, |at| match (at.date(), at.time()) {
                (date, time) if time == chrono::NaiveTime::MIN => date.to_string(),
                (_, _) => at.format("%Y-%m-%d %H:%M").to_string(),
            })
        }
        Data::Error(_) | Data::Empty => String::new(),
        other => table::paragraph(&other.to_string()),
    }
}
