//! The objects that a PDF is made of, read from its bytes (ISO 32000-1, 7.3).

use std::collections::HashMap;

/// Objects within each other.
const MAX_DEPTH: usize = 48;
/// Entries of one array or dictionary.
const MAX_ENTRIES: usize = 100_000;

pub(super) type Dict = HashMap<String, Object>;

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Object {
    Null,
    Bool(bool),
    Number(f64),
    Name(String),
    Text(Vec<u8>),
    Array(Vec<Object>),
    Dict(Dict),
    /// Number of another object.
    Ref(u32),
    /// An operator of a content stream, or a word of the file's structure.
    Word(String),
}

impl Object {
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(n) if n.is_finite() => Some(*n),
            _ => None,
        }
    }

    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            _ => None,
        }
    }

    pub fn dict(&self) -> Option<&Dict> {
        match self {
            Self::Dict(dict) => Some(dict),
            _ => None,
        }
    }

    pub fn array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    pub fn is_word(&self, word: &str) -> bool {
        matches!(self, Self::Word(w) if w == word)
    }
}

/// Reads objects one after the other.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'b> {
    pub bytes: &'b [u8],
    pub at: usize,
}

impl<'b> Lexer<'b> {
    pub const fn new(bytes: &'b [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blank(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'%' {
                while self.peek().is_some_and(|b| b != b'\n' && b != b'\r') {
                    self.at += 1;
                }
            } else if is_blank(byte) {
                self.at += 1;
            } else {
                break;
            }
        }
    }

    /// The next object; `None` at the end. What is no object is passed over.
    pub fn next(&mut self) -> Option<Object> {
        self.object(0)
    }

    fn object(&mut self, depth: usize) -> Option<Object> {
        self.blank();
        let byte = self.peek()?;
        match byte {
            b'/' => Some(Object::Name(self.name())),
            b'(' => Some(Object::Text(self.literal())),
            b'<' if self.bytes.get(self.at + 1) == Some(&b'<') => {
                self.at += 2;
                Some(Object::Dict(self.dict(depth)))
            }
            b'<' => Some(Object::Text(self.hex())),
            b'[' => {
                self.at += 1;
                Some(Object::Array(self.array(depth)))
            }
            b'+' | b'-' | b'.' | b'0'..=b'9' => Some(self.number_or_ref()),
            b']' | b')' | b'{' | b'}' => {
                self.at += 1;
                Some(Object::Word(char::from(byte).to_string()))
            }
            b'>' => {
                self.at += if self.bytes.get(self.at + 1) == Some(&b'>') { 2 } else { 1 };
                Some(Object::Word(">>".to_owned()))
            }
            _ => Some(self.word()),
        }
    }

    fn word(&mut self) -> Object {
        let start = self.at;
        while self.peek().is_some_and(|b| !is_blank(b) && !is_delimiter(b)) {
            self.at += 1;
        }
        if self.at == start {
            self.at += 1;
        }
        match &self.bytes[start..self.at] {
            b"true" => Object::Bool(true),
            b"false" => Object::Bool(false),
            b"null" => Object::Null,
            word => Object::Word(String::from_utf8_lossy(word).into_owned()),
        }
    }

    fn name(&mut self) -> String {
        self.at += 1;
        let start = self.at;
        while self.peek().is_some_and(|b| !is_blank(b) && !is_delimiter(b)) {
            self.at += 1;
        }
        let raw = &self.bytes[start..self.at];
        let mut name = Vec::with_capacity(raw.len());
        let mut at = 0;
        while let Some(&byte) = raw.get(at) {
            let code = raw.get(at + 1..at + 3).and_then(|two| Some((nibble(two[0])? << 4) | nibble(two[1])?));
            match code.filter(|_| byte == b'#') {
                Some(code) => {
                    name.push(code);
                    at += 3;
                }
                None => {
                    name.push(byte);
                    at += 1;
                }
            }
        }
        String::from_utf8_lossy(&name).into_owned()
    }

    fn number_or_ref(&mut self) -> Object {
        let number = self.number();
        // "12 0 R".
        let whole = number >= 0.0 && number.fract() == 0.0 && number <= f64::from(u32::MAX);
        if whole && self.peek().is_some_and(is_blank) {
            let mut ahead = self.clone();
            ahead.blank();
            let generation = ahead.at;
            while ahead.peek().is_some_and(|b| b.is_ascii_digit()) && ahead.at - generation < 6 {
                ahead.at += 1;
            }
            if ahead.at > generation {
                ahead.blank();
                let ends = ahead.bytes.get(ahead.at + 1).is_none_or(|b| is_blank(*b) || is_delimiter(*b));
                if ahead.peek() == Some(b'R') && ends {
                    self.at = ahead.at + 1;
                    return Object::Ref(number as u32);
                }
            }
        }
        Object::Number(number)
    }

    fn number(&mut self) -> f64 {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.')) {
            self.at += 1;
        }
        let text = std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or_default();
        // "--5" and "5-3" occur in the wild.
        let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
        let plain = text.trim_start_matches(['+', '-']);
        let plain = plain.split(['+', '-']).next().unwrap_or_default();
        sign * plain.parse::<f64>().unwrap_or(0.0)
    }

    fn literal(&mut self) -> Vec<u8> {
        self.at += 1;
        let mut out = Vec::new();
        let mut depth = 1;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'(' => depth += 1,
                b')' => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                b'\\' => {
                    self.escape(&mut out);
                    continue;
                }
                _ => {}
            }
            out.push(byte);
        }
        out
    }

    fn escape(&mut self, out: &mut Vec<u8>) {
        let Some(byte) = self.peek() else { return };
        self.at += 1;
        match byte {
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'b' | b'f' => out.push(b' '),
            b'\r' => self.at += usize::from(self.peek() == Some(b'\n')),
            b'\n' => {}
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = self.peek() else { break };
                    code = code * 8 + u32::from(digit - b'0');
                    self.at += 1;
                }
                out.push((code & 0xff) as u8);
            }
            other => out.push(other),
        }
    }

    fn hex(&mut self) -> Vec<u8> {
        self.at += 1;
        let mut digits = Vec::new();
        while let Some(byte) = self.peek() {
            self.at += 1;
            if byte == b'>' {
                break;
            }
            digits.extend(nibble(byte));
        }
        digits.chunks(2).map(|two| (two[0] << 4) | two.get(1).copied().unwrap_or(0)).collect()
    }

    fn array(&mut self, depth: usize) -> Vec<Object> {
        let mut items = Vec::new();
        while let Some(object) = self.within(depth) {
            if object.is_word("]") {
                break;
            }
            if items.len() < MAX_ENTRIES {
                items.push(object);
            }
        }
        items
    }

    fn dict(&mut self, depth: usize) -> Dict {
        let mut dict = Dict::new();
        while let Some(key) = self.within(depth) {
            match key {
                Object::Name(name) => {
                    let before = self.at;
                    match self.within(depth) {
                        Some(word) if word.is_word(">>") => {
                            self.at = before;
                        }
                        Some(value) if dict.len() < MAX_ENTRIES => drop(dict.insert(name, value)),
                        Some(_) => {}
                        None => break,
                    }
                }
                word if word.is_word(">>") => break,
                // The structure went on without an end: a broken dictionary must not eat the file.
                word if word.is_word("endobj") || word.is_word("stream") => break,
                _ => {}
            }
        }
        dict
    }

    fn within(&mut self, depth: usize) -> Option<Object> {
        if depth < MAX_DEPTH { self.object(depth + 1) } else { None }
    }
}

fn nibble(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\0' | b'\t' | b'\n' | 0x0c | b'\r' | b' ')
}

pub(super) const fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}
