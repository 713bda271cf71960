//! Documents of any kind as text that can be cut into passages: plain text, Markdown, HTML, PDF.
//!
//! What comes out is what a reader of the page sees. Hidden text goes: it is how a page speaks to a machine behind its
//! reader's back. Every reader is bounded by what it is given and by limits of its own, and refuses by name.

mod html;
mod pdf;
mod visible;

use base64::Engine as _;

/// Largest document, in bytes after base64.
pub const MAX_BYTES: usize = 11 * 1024 * 1024;
/// Most text out of one document, in bytes.
pub const MAX_TEXT: usize = 4 * 1024 * 1024;
/// Most pages of a PDF.
pub const MAX_PAGES: usize = 2_000;

pub const TEXT: &str = "text/plain";
pub const MARKDOWN: &str = "text/markdown";
pub const HTML: &str = "text/html";
pub const PDF: &str = "application/pdf";

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

/// Why a document was not taken. Each says what to do about it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReadError {
    #[error("media type {0:?} is not read: send text/plain, text/markdown, text/html or application/pdf")]
    UnknownMediaType(String),
    #[error("it was declared as {declared} but is {found}: send it with the media type that it has")]
    Mismatch { declared: String, found: &'static str },
    #[error("it is larger than {} MiB: split it", MAX_BYTES / 1024 / 1024)]
    TooLarge,
    #[error("it holds more than {} MiB of text: split it", MAX_TEXT / 1024 / 1024)]
    TooMuchText,
    #[error("it is no text: a NUL character or control characters stand in it; is it a binary file?")]
    Binary,
    #[error("a PDF goes into JSON as base64, and this is not: encode the file's bytes")]
    NotBase64,
    #[error("the PDF is encrypted: save it without a password and send that")]
    Encrypted,
    #[error("the PDF is broken ({0}): open it and save it anew")]
    Broken(&'static str),
    #[error("the PDF has more than {MAX_PAGES} pages: split it")]
    TooManyPages,
    #[error(
        "the PDF unpacks to more than it may, or takes too much work ({0}): it may be a decompression bomb; print it to a new PDF"
    )]
    Bomb(&'static str),
    #[error("the PDF has pages but no text; it is a scan: run text recognition (OCR) over it first")]
    Scanned,
    #[error(
        "the PDF's fonts do not say which letters they draw: export it again with Unicode text, or send it as text"
    )]
    Unreadable,
}

/// Reads a document as it came in a request: text, or a PDF in base64.
///
/// # Errors
/// [`ReadError`], by name.
pub fn read(content: &str, declared: Option<&str>) -> Result<Reading, ReadError> {
    let declared = declared.map(|d| d.split(';').next().unwrap_or(d).trim().to_lowercase());
    if let Some(kind) = &declared
        && ![TEXT, MARKDOWN, HTML, PDF, "application/xhtml+xml", "text/x-markdown"].contains(&kind.as_str())
    {
        return Err(ReadError::UnknownMediaType(kind.clone()));
    }
    if content.len() > MAX_BYTES / 3 * 4 + 1024 {
        return Err(ReadError::TooLarge);
    }
    let is = |kind: &str| declared.as_deref() == Some(kind);
    let begins = content.trim_start_matches('\u{feff}').trim_start();
    // "%PDF-", and the same in base64.
    if is(PDF) || begins.starts_with("%PDF-") || begins.starts_with("JVBERi0") {
        if !is(PDF) && declared.is_some() {
            return Err(ReadError::Mismatch { declared: declared.unwrap_or_default(), found: PDF });
        }
        return read_bytes(&unpack(begins)?, Some(PDF));
    }
    read_bytes(content.as_bytes(), declared.as_deref())
}

/// Reads the bytes of a file.
///
/// # Errors
/// [`ReadError`], by name.
pub fn read_bytes(bytes: &[u8], declared: Option<&str>) -> Result<Reading, ReadError> {
    if bytes.len() > MAX_BYTES {
        return Err(ReadError::TooLarge);
    }
    let declared = match declared {
        Some("application/xhtml+xml") => Some(HTML),
        Some("text/x-markdown") => Some(MARKDOWN),
        other => other,
    };
    let found = sniff(bytes);
    let wrong = |found| ReadError::Mismatch { declared: declared.unwrap_or_default().to_owned(), found };
    match (declared, found) {
        (Some(PDF) | None, PDF) => pdf::read(bytes),
        (Some(_), PDF) => Err(wrong(PDF)),
        (Some(PDF), found) => Err(wrong(found)),
        // Many a page is sent as plain text by mistake; its tags would be read out to callers.
        (Some(TEXT), HTML) => Err(wrong(HTML)),
        (Some(HTML), _) | (None, HTML) => html::read(text(bytes)?),
        (kind, _) => {
            let (text, hidden) = visible::only(text(bytes)?);
            if text.len() > MAX_TEXT {
                return Err(ReadError::TooMuchText);
            }
            let media_type = if kind == Some(MARKDOWN) { MARKDOWN } else { TEXT };
            Ok(Reading { text, title: None, media_type, hidden })
        }
    }
}

/// What bytes are, by how they begin.
fn sniff(bytes: &[u8]) -> &'static str {
    let head = &bytes[..bytes.len().min(1024)];
    if head.windows(5).any(|w| w == b"%PDF-") {
        return PDF;
    }
    let begins = String::from_utf8_lossy(head).trim_start_matches('\u{feff}').trim_start().to_lowercase();
    let page = ["<!doctype html", "<html", "<head", "<body"].iter().any(|tag| begins.starts_with(tag));
    if page || (begins.starts_with("<?xml") && begins.contains("<html")) { HTML } else { TEXT }
}

fn text(bytes: &[u8]) -> Result<&str, ReadError> {
    let text = std::str::from_utf8(bytes).map_err(|_| ReadError::Binary)?;
    let odd = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}' | '\u{85}');
    if text.contains('\0') || text.chars().filter(|c| odd(*c)).count() > text.len() / 100 {
        return Err(ReadError::Binary);
    }
    Ok(text.trim_start_matches('\u{feff}'))
}

/// Bytes of a PDF in a text: base64, or the file itself where it is plain ASCII.
fn unpack(content: &str) -> Result<Vec<u8>, ReadError> {
    if content.starts_with("%PDF-") {
        return Ok(content.as_bytes().to_vec());
    }
    let content = content.strip_prefix("data:application/pdf;base64,").unwrap_or(content);
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
mod tests;
