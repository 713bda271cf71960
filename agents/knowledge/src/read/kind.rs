//! Kinds of document: their media types, and how to tell them by their first bytes.

use super::{ReadError, package};

pub const TEXT: &str = "text/plain";
pub const MARKDOWN: &str = "text/markdown";
pub const HTML: &str = "text/html";
pub const CSV: &str = "text/csv";
pub const PDF: &str = "application/pdf";
pub const RTF: &str = "application/rtf";
pub const DOCX: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
pub const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
pub const ODT: &str = "application/vnd.oasis.opendocument.text";
pub const ODS: &str = "application/vnd.oasis.opendocument.spreadsheet";

/// Ends of file names, and what they say the file is.
pub const KINDS: [(&str, &str); 13] = [
    ("md", MARKDOWN),
    ("markdown", MARKDOWN),
    ("txt", TEXT),
    ("html", HTML),
    ("htm", HTML),
    ("xhtml", HTML),
    ("csv", CSV),
    ("pdf", PDF),
    ("rtf", RTF),
    ("docx", DOCX),
    ("xlsx", XLSX),
    ("odt", ODT),
    ("ods", ODS),
];

/// What a file is by the end of its name.
#[must_use]
pub fn extension_kind(extension: &str) -> Option<&'static str> {
    let extension = extension.to_lowercase();
    KINDS.iter().find(|(known, _)| *known == extension).map(|(_, kind)| *kind)
}

/// Whether files of this kind are no text and go into JSON as base64.
#[must_use]
pub fn is_packed(kind: &str) -> bool {
    [PDF, RTF, DOCX, XLSX, ODT, ODS].contains(&kind)
}

/// The kind that a media type names.
pub(super) fn of(media_type: &str) -> Result<&'static str, ReadError> {
    let name = media_type.split(';').next().unwrap_or(media_type).trim().to_lowercase();
    let name = match name.as_str() {
        "application/xhtml+xml" => HTML,
        "text/x-markdown" => MARKDOWN,
        "text/rtf" => RTF,
        "application/csv" => CSV,
        name => name,
    };
    let known = KINDS.iter().map(|(_, kind)| *kind).find(|kind| *kind == name);
    known.ok_or_else(|| ReadError::UnknownMediaType(name.to_owned()))
}

/// The kind of file that base64 beginning like this holds, or that this is.
pub(super) fn packed_as(begins: &str) -> Option<&'static str> {
    // "%PDF-", "PK\3\4" and "{\rtf" in base64. What a package is, its entries say.
    match begins {
        b if b.starts_with("%PDF-") || b.starts_with("JVBERi0") => Some(PDF),
        b if b.starts_with("{\\rtf") || b.starts_with("e1xydG") => Some(RTF),
        b if b.starts_with("UEsDB") => Some("a ZIP file"),
        _ => None,
    }
}

/// What bytes are, by how they begin.
pub(super) fn sniff(bytes: &[u8]) -> &'static str {
    let head = &bytes[..bytes.len().min(1024)];
    if head.windows(5).any(|w| w == b"%PDF-") {
        return PDF;
    }
    if head.starts_with(b"PK\x03\x04") {
        return package::kind(bytes);
    }
    let begins = String::from_utf8_lossy(head).trim_start_matches('\u{feff}').trim_start().to_lowercase();
    if begins.starts_with("{\\rtf") {
        return RTF;
    }
    let page = ["<!doctype html", "<html", "<head", "<body"].iter().any(|tag| begins.starts_with(tag));
    if page || (begins.starts_with("<?xml") && begins.contains("<html")) { HTML } else { TEXT }
}
