//! Which letters the codes of a font draw (ISO 32000-1, 9.6 to 9.10).

use std::collections::HashMap;

use super::file::File;
use super::object::{Dict, Lexer, Object};
use super::{Budget, glyphs};
use crate::read::{ReadError, windows_1252};

/// Codes of one font that are mapped.
const MAX_CODES: usize = 70_000;

#[derive(Debug, Default)]
pub(super) struct Font {
    /// Letters of each code, where the font says so.
    letters: HashMap<u32, String>,
    /// Bytes of one code.
    wide: bool,
    /// Codes that the font does not name are bytes of the usual encoding.
    western: bool,
    /// Widths of codes in thousandths of the size.
    widths: HashMap<u32, f64>,
    /// Of the others.
    other_width: f64,
}

/// What some codes draw.
#[derive(Debug, Default)]
pub(super) struct Drawn {
    pub letters: String,
    /// Codes of which the font does not tell the letters.
    pub unknown: usize,
    pub codes: usize,
    /// In thousandths of the size.
    pub width: f64,
}

impl Font {
    pub fn of(file: &File<'_>, dict: &Dict, budget: &mut Budget) -> Result<Self, ReadError> {
        let composite = dict.get("Subtype").and_then(Object::name) == Some("Type0");
        let mut font = Self { wide: composite, western: !composite, other_width: 500.0, ..Self::default() };
        font.encoding(&file.get(dict.get("Encoding")), file);
        if composite {
            font.composite_widths(file, dict, budget)?;
        } else {
            font.simple_widths(file, dict);
        }
        if let Some(map) = dict.get("ToUnicode")
            && let Some((_, data)) = file.stream(map, budget)?
        {
            budget.work(data.len() / 8)?;
            font.read_letters(&data, budget)?;
        }
        Ok(font)
    }

    fn encoding(&mut self, encoding: &Object, file: &File<'_>) {
        let Some(dict) = encoding.dict() else { return };
        let differences = file.get(dict.get("Differences"));
        let mut code = 0u32;
        for item in differences.array().unwrap_or_default() {
            match item {
                Object::Number(n) => code = n.clamp(0.0, 255.0) as u32,
                Object::Name(name) => {
                    if let Some(letters) = glyphs::letters(name) {
                        self.letters.insert(code, letters);
                    }
                    code = code.saturating_add(1);
                }
                _ => {}
            }
        }
    }

    fn simple_widths(&mut self, file: &File<'_>, dict: &Dict) {
        let first = file.get(dict.get("FirstChar")).number().map_or(0, |n| n.clamp(0.0, 255.0) as u32);
        let widths = file.get(dict.get("Widths"));
        for (code, width) in (first..256).zip(widths.array().unwrap_or_default()) {
            if let Some(width) = file.get(Some(width)).number() {
                self.widths.insert(code, width);
            }
        }
    }

    /// `[code [w w w] first last w …]`.
    fn composite_widths(
        &mut self,
        file: &File<'_>,
        dict: &Dict,
        budget: &mut Budget,
    ) -> Result<(), ReadError> {
        let inner = file.get(dict.get("DescendantFonts"));
        let Object::Dict(inner) = file.get(inner.array().and_then(<[Object]>::first)) else {
            return Ok(());
        };
        self.other_width = file.get(inner.get("DW")).number().unwrap_or(1000.0);
        let widths = file.get(inner.get("W"));
        let mut items = widths.array().unwrap_or_default().iter();
        while let (Some(first), Some(second)) = (items.next().and_then(Object::number), items.next()) {
            let first = first.clamp(0.0, 65_535.0) as u32;
            match file.look(Some(second)).as_ref() {
                Object::Array(some) => {
                    for (code, width) in (first..=0xffff).zip(some) {
                        self.width(code, width.number());
                    }
                }
                Object::Number(last) => {
                    let width = items.next().and_then(Object::number);
                    let last = last.clamp(0.0, 65_535.0) as u32;
                    budget.work(1 + last.saturating_sub(first) as usize)?;
                    (first..=last).for_each(|code| self.width(code, width));
                }
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    fn width(&mut self, code: u32, width: Option<f64>) {
        if let Some(width) = width.filter(|_| self.widths.len() < MAX_CODES) {
            self.widths.insert(code, width);
        }
    }

    /// Reads a character map: single codes, and ranges of them.
    fn read_letters(&mut self, data: &[u8], budget: &mut Budget) -> Result<(), ReadError> {
        let mut lexer = Lexer::new(data, 0);
        let mut operands: Vec<Object> = Vec::new();
        while let Some(object) = lexer.next() {
            let Object::Word(word) = &object else {
                if operands.len() < MAX_CODES {
                    operands.push(object);
                }
                continue;
            };
            match word.as_str() {
                "endcodespacerange" => {
                    let length = operands.iter().find_map(bytes).map(<[u8]>::len);
                    self.wide = length.map_or(self.wide, |length| length >= 2);
                }
                "endbfchar" => {
                    for pair in operands.chunks_exact(2) {
                        if let (Some(code), Some(to)) = (bytes(&pair[0]), bytes(&pair[1])) {
                            self.set(number(code), utf_16(to));
                        }
                    }
                }
                "endbfrange" => {
                    for three in operands.chunks_exact(3) {
                        self.range(three, budget)?;
                    }
                }
                _ => {}
            }
            operands.clear();
        }
        Ok(())
    }

    fn range(&mut self, three: &[Object], budget: &mut Budget) -> Result<(), ReadError> {
        let (Some(from), Some(to)) = (bytes(&three[0]), bytes(&three[1])) else { return Ok(()) };
        let (from, to) = (number(from), number(to));
        budget.work(1 + (to.saturating_sub(from) as usize).min(MAX_CODES))?;
        match &three[2] {
            Object::Array(items) => {
                for (code, item) in (from..=to).zip(items) {
                    if let Some(letters) = bytes(item) {
                        self.set(code, utf_16(letters));
                    }
                }
            }
            one => {
                let Some(first) = bytes(one).map(utf_16) else { return Ok(()) };
                let mut letters: Vec<char> = first.chars().collect();
                let Some(last) = letters.pop().map(u32::from) else { return Ok(()) };
                for (n, code) in (0u32..).zip(from..=to).take(MAX_CODES) {
                    let Some(c) = last.checked_add(n).and_then(char::from_u32) else { continue };
                    self.set(code, letters.iter().copied().chain([c]).collect());
                }
            }
        }
        Ok(())
    }

    fn set(&mut self, code: u32, letters: String) {
        if self.letters.len() < MAX_CODES {
            self.letters.insert(code, letters);
        }
    }

    pub fn decode(&self, codes: &[u8]) -> Drawn {
        let mut out = Drawn::default();
        for code in codes.chunks(if self.wide { 2 } else { 1 }) {
            let number = number(code);
            out.codes += 1;
            out.width += self.widths.get(&number).copied().unwrap_or(self.other_width);
            match self.letters.get(&number) {
                Some(letters) => out.letters.push_str(letters),
                None if self.western && number <= 0xff => out.letters.push(windows_1252(number as u8)),
                None => out.unknown += 1,
            }
        }
        out
    }
}

fn bytes(object: &Object) -> Option<&[u8]> {
    match object {
        Object::Text(bytes) => Some(bytes),
        _ => None,
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).fold(0, |sum, byte| sum << 8 | u32::from(*byte))
}

fn utf_16(bytes: &[u8]) -> String {
    if let [byte] = bytes {
        return char::from(*byte).to_string();
    }
    let units: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|two| u16::from_be_bytes(*two)).collect();
    String::from_utf16_lossy(&units).chars().filter(|c| *c != '\0').collect()
}
