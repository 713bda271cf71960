//! Files that are ZIP packages of XML parts, as word processors and spreadsheets save them; and their parts, bounded.

use std::io::{Cursor, Read as _};

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use zip::ZipArchive;

use super::{DOCX, ODS, ODT, ReadError, XLSX};

/// Bytes that one document may unpack to.
const MAX_UNPACKED: u64 = 96 * 1024 * 1024;
/// Parts of one package.
const MAX_PARTS: usize = 10_000;

type Package<'b> = ZipArchive<Cursor<&'b [u8]>>;

/// What kind of document a package is, by its parts.
pub(super) fn kind(bytes: &[u8]) -> &'static str {
    let Ok(mut package) = ZipArchive::new(Cursor::new(bytes)) else { return "a ZIP file" };
    let declared = part(&mut package, "mimetype").ok().flatten().unwrap_or_default();
    match declared.trim() {
        ODT => return ODT,
        ODS => return ODS,
        _ => {}
    }
    let has = |name: &str| package.index_for_name(name).is_some();
    if has("word/document.xml") {
        DOCX
    } else if has("xl/workbook.xml") {
        XLSX
    } else {
        "a ZIP file"
    }
}

/// Opens a package and holds it against the bounds, as far as it says of itself.
pub(super) fn open(bytes: &[u8]) -> Result<Package<'_>, ReadError> {
    let broken = || ReadError::Broken("it is no readable package".into());
    let mut package = ZipArchive::new(Cursor::new(bytes)).map_err(|_| broken())?;
    if package.len() > MAX_PARTS {
        return Err(ReadError::Bomb("parts".into()));
    }
    let mut unpacked = 0u64;
    for at in 0..package.len() {
        let part = package.by_index_raw(at).map_err(|_| broken())?;
        if part.encrypted() {
            return Err(ReadError::Encrypted);
        }
        unpacked = unpacked.saturating_add(part.size());
    }
    if unpacked > MAX_UNPACKED {
        return Err(ReadError::Bomb("unpacked bytes".into()));
    }
    Ok(package)
}

/// The same, for a reader that opens it by itself.
pub(super) fn check(bytes: &[u8]) -> Result<(), ReadError> {
    open(bytes).map(drop)
}

/// One part as text. What a package says of its size is not believed.
pub(super) fn part(package: &mut Package<'_>, name: &str) -> Result<Option<String>, ReadError> {
    let Ok(part) = package.by_name(name) else { return Ok(None) };
    let mut bytes = Vec::new();
    part.take(MAX_UNPACKED + 1)
        .read_to_end(&mut bytes)
        .map_err(|_| ReadError::Broken("a part of it cannot be unpacked".into()))?;
    if bytes.len() as u64 > MAX_UNPACKED {
        return Err(ReadError::Bomb("unpacked bytes".into()));
    }
    Ok(Some(String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())))
}

/// What is told of a part while it is walked through. Names are without their prefix.
pub(super) trait Visit {
    fn open(&mut self, name: &str, element: &BytesStart<'_>);
    fn close(&mut self, name: &str);
    fn text(&mut self, text: &str);
    /// Bytes written so far: too many end the walk.
    fn written(&self) -> usize;
}

/// Walks through the XML of a part. Entities that the part defines itself stay unresolved: none can swell.
pub(super) fn walk(xml: &str, visit: &mut impl Visit) -> Result<(), ReadError> {
    let mut reader = Reader::from_str(xml.trim_start_matches('\u{feff}'));
    reader.config_mut().check_end_names = false;
    loop {
        match reader.read_event().map_err(|_| ReadError::Broken("its XML does not hold".into()))? {
            Event::Start(element) => visit.open(element.local_name().as_ref(), &element),
            Event::Empty(element) => {
                visit.open(element.local_name().as_ref(), &element);
                visit.close(element.local_name().as_ref());
            }
            Event::End(element) => visit.close(element.local_name().as_ref()),
            Event::Text(text) => visit.text(&text),
            Event::CData(text) => visit.text(&text),
            Event::GeneralRef(name) => match name.resolve_char_ref() {
                Ok(Some(c)) => visit.text(c.encode_utf8(&mut [0; 4])),
                _ => visit.text(resolve_predefined_entity(&name).unwrap_or_default()),
            },
            Event::Eof => return Ok(()),
            _ => {}
        }
        if visit.written() > super::MAX_TEXT {
            return Err(ReadError::TooMuchText);
        }
    }
}

/// An attribute by its name without prefix.
pub(super) fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = element.attributes().flatten();
    let found = attributes.find(|attribute| attribute.key.local_name().into_inner() == name)?;
    found.normalized_value(XmlVersion::Implicit1_0).ok().map(std::borrow::Cow::into_owned)
}

/// The title that a document gives itself.
pub(super) fn title(package: &mut Package<'_>, name: &str) -> Option<String> {
    #[derive(Default)]
    struct Title {
        within: bool,
        text: String,
    }
    impl Visit for Title {
        fn open(&mut self, name: &str, _: &BytesStart<'_>) {
            self.within = name == "title" && self.text.is_empty();
        }
        fn close(&mut self, _: &str) {
            self.within = false;
        }
        fn text(&mut self, text: &str) {
            if self.within {
                self.text.push_str(text);
            }
        }
        fn written(&self) -> usize {
            self.text.len()
        }
    }
    let mut title = Title::default();
    walk(&part(package, name).ok()??, &mut title).ok()?;
    let (text, _) = super::visible::only(&super::table::cell(&title.text));
    (!text.is_empty() && text.chars().count() <= 300).then_some(text)
}
