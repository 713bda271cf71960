//! Documents of any kind as text that can be cut into passages: plain text, Markdown, HTML, tables, PDF, and what word
//! processors and spreadsheets save.
//!
//! What comes out is what a reader of the page sees. Hidden text goes: it is how a page speaks to a machine behind its
//! reader's back. Every reader is bounded by what it is given and by limits of its own, and refuses by name. What is no
//! plain text is read by libraries that were not made for hostile files, so [`apart`] reads it in a process of its own.

pub mod apart;
mod comma;
mod docx;
mod error;
mod flow;
mod html;
mod kind;
mod odt;
mod package;
mod pdf;
mod rtf;
mod sheet;
mod table;
mod visible;

use base64::Engine as _;

pub use error::{ReadError, Reason};
pub use kind::{CSV, DOCX, HTML, KINDS, MARKDOWN, ODS, ODT, PDF, RTF, TEXT, XLSX, extension_kind, is_packed};

/// Largest document, in bytes after base64.
pub const MAX_BYTES: usize = 11 * 1024 * 1024;
/// Most text out of one document, in bytes.
pub const MAX_TEXT: usize = 4 * 1024 * 1024;
/// Most pages of a PDF.
pub const MAX_PAGES: usize = 2_000;

/// A document as text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reading {
    /// Markdown: headings, paragraphs, a row of a table as a line.
    pub text: String,
    /// What the document calls itself.
    pub title: Option<String>,
    pub media_type: &'static str,
    /// Stretches of text that a reader would not see, left out.
    pub hidden: usize,
}

/// A document as it came in a request, unpacked, and what it says it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Received {
    pub bytes: Vec<u8>,
    pub declared: Option<&'static str>,
}

/// Takes a document out of a request: text, or the bytes of a file in base64.
///
/// # Errors
/// [`ReadError`], by name.
pub fn receive(content: &str, declared: Option<&str>) -> Result<Received, ReadError> {
    let declared = declared.map(kind::of).transpose()?;
    if content.len() > MAX_BYTES / 3 * 4 + 1024 {
        return Err(ReadError::TooLarge);
    }
    let begins = content.trim_start_matches('\u{feff}').trim_start();
    let packed = kind::packed_as(begins);
    if let (Some(declared), Some(found)) = (declared, packed)
        && !is_packed(declared)
    {
        return Err(ReadError::Mismatch { declared: declared.to_owned(), found: found.into() });
    }
    let plain = begins.starts_with("%PDF-") || begins.starts_with("{\\rtf");
    let is_text = plain || (packed.is_none() && !declared.is_some_and(is_packed));
    let bytes = if is_text { content.as_bytes().to_vec() } else { unpack(begins)? };
    Ok(Received { bytes, declared })
}

/// Reads a document as it came in a request, in this process.
///
/// # Errors
/// [`ReadError`], by name.
pub fn read(content: &str, declared: Option<&str>) -> Result<Reading, ReadError> {
    let received = receive(content, declared)?;
    read_bytes(&received.bytes, received.declared)
}

/// Reads the bytes of a file, in this process.
///
/// # Errors
/// [`ReadError`], by name.
pub fn read_bytes(bytes: &[u8], declared: Option<&str>) -> Result<Reading, ReadError> {
    if bytes.len() > MAX_BYTES {
        return Err(ReadError::TooLarge);
    }
    let declared = declared.map(kind::of).transpose()?;
    let found = kind::sniff(bytes);
    match (declared, found) {
        // Rows of commas begin like any text.
        (Some(CSV), TEXT) => comma::read(text(bytes)?),
        (Some(HTML), TEXT | HTML) | (None, HTML) => html::read(text(bytes)?),
        (Some(TEXT | MARKDOWN) | None, TEXT) | (Some(MARKDOWN), HTML) => {
            let (text, hidden) = visible::only(text(bytes)?);
            if text.len() > MAX_TEXT {
                return Err(ReadError::TooMuchText);
            }
            Ok(Reading { text, title: None, media_type: declared.unwrap_or(TEXT), hidden })
        }
        // Many a page is sent as plain text by mistake; its tags would be read out to callers.
        (Some(declared), found) if declared != found => {
            Err(ReadError::Mismatch { declared: declared.to_owned(), found: found.into() })
        }
        (_, PDF) => pdf::read(bytes),
        (_, RTF) => rtf::read(bytes),
        (_, DOCX) => docx::read(bytes),
        (_, ODT) => odt::read(bytes),
        (_, XLSX) => sheet::excel(bytes),
        (_, ODS) => sheet::open(bytes),
        (_, found) => Err(ReadError::UnknownMediaType(found.to_owned())),
    }
}

fn text(bytes: &[u8]) -> Result<&str, ReadError> {
    let text = std::str::from_utf8(bytes).map_err(|_| ReadError::Binary)?;
    let odd = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}' | '\u{85}');
    if text.contains('\0') || text.chars().filter(|c| odd(*c)).count() > text.len() / 100 {
        return Err(ReadError::Binary);
    }
    Ok(text.trim_start_matches('\u{feff}'))
}

/// Bytes of a file in a text.
fn unpack(content: &str) -> Result<Vec<u8>, ReadError> {
    let content = match content.split_once(";base64,") {
        Some((head, packed)) if head.starts_with("data:") => packed,
        _ => content,
    };
    let packed: Vec<u8> = content
        .bytes()
        .filter(|b| !b.is_ascii_whitespace() && *b != b'=')
        .map(|b| match b {
            b'-' => b'+',
            b'_' => b'/',
            b => b,
        })
        .collect();
    base64::engine::general_purpose::STANDARD_NO_PAD.decode(packed).map_err(|_| ReadError::NotBase64)
}

/// A text as a reading, or that there is none.
fn reading(text: &str, media_type: &'static str, hidden: usize) -> Result<Reading, ReadError> {
    let (text, _) = visible::only(text);
    let text = text.trim();
    if text.is_empty() {
        return Err(ReadError::Empty);
    }
    if text.len() > MAX_TEXT {
        return Err(ReadError::TooMuchText);
    }
    Ok(Reading { text: text.to_owned(), title: None, media_type, hidden })
}

/// A byte of the usual Western encoding.
fn windows_1252(byte: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
        '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => HIGH[usize::from(byte - 0x80)],
        byte => char::from(byte),
    }
}

#[cfg(test)]
mod office_tests;
#[cfg(test)]
mod tests;
