//! Why a document was not taken. Each reason says what to do about it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{MAX_BYTES, MAX_PAGES, MAX_TEXT};

/// A reason in a few words.
pub type Reason = Cow<'static, str>;

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error, Serialize, Deserialize)]
pub enum ReadError {
    #[error(
        "media type {0:?} is not read: send plain text, Markdown, HTML, CSV, RTF, PDF, DOCX, XLSX, ODT or ODS"
    )]
    UnknownMediaType(String),
    #[error("it was declared as {declared} but is {found}: send it with the media type that it has")]
    Mismatch { declared: String, found: Reason },
    #[error("it is larger than {} MiB: split it", MAX_BYTES / 1024 / 1024)]
    TooLarge,
    #[error("it holds more than {} MiB of text: split it", MAX_TEXT / 1024 / 1024)]
    TooMuchText,
    #[error("it is no text: a NUL character or control characters stand in it; is it a binary file?")]
    Binary,
    #[error("a file that is no text goes into JSON as base64, and this is not: encode the file's bytes")]
    NotBase64,
    #[error("the file is encrypted: save it without a password and send that")]
    Encrypted,
    #[error("the file is broken ({0}): open it and save it anew")]
    Broken(Reason),
    #[error("the PDF has more than {MAX_PAGES} pages: split it")]
    TooManyPages,
    #[error(
        "the file unpacks to more than it may, or takes too much work ({0}): it may be a decompression bomb; print it to a new PDF"
    )]
    Bomb(Reason),
    #[error("the page is marked up beyond reading ({0}): save it anew, or send its text")]
    Tangled(Reason),
    #[error("the PDF has pages but no text; it is a scan: run text recognition (OCR) over it first")]
    Scanned,
    #[error("no text stands in it")]
    Empty,
    #[error(
        "the PDF's fonts do not say which letters they draw: export it again with Unicode text, or send it as text"
    )]
    Unreadable,
    /// Not the document's fault.
    #[error("no process could be started to read it: {0}")]
    NoReader(String),
}
