//! A PDF's objects by number. The file is searched for them instead of trusting its table of places: that reads broken
//! files as well as whole ones, of every version, and a hostile table leads nowhere.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;

use super::object::{Dict, Lexer, Object, is_blank};
use super::{Budget, filter};
use crate::read::ReadError;

/// Objects of one file.
const MAX_OBJECTS: usize = 500_000;
/// Bytes of objects that are read in all: each is read anew whenever it is asked for.
const MAX_READ: usize = 128 * 1024 * 1024;
/// References that lead to references.
const MAX_HOPS: usize = 16;

/// Where an object stands.
#[derive(Clone, Debug)]
enum Place {
    /// At this byte of the file.
    At(usize),
    /// At this byte of an unpacked object stream.
    Within(usize, usize),
}

#[derive(Debug)]
pub(super) struct File<'b> {
    bytes: &'b [u8],
    places: HashMap<u32, Place>,
    /// Unpacked object streams.
    packs: Vec<Vec<u8>>,
    trailer: Dict,
    /// Bytes of objects that may still be read.
    left: Cell<usize>,
}

impl<'b> File<'b> {
    /// Finds the objects.
    pub fn open(bytes: &'b [u8], budget: &mut Budget) -> Result<Self, ReadError> {
        let mut file = Self {
            bytes,
            places: HashMap::new(),
            packs: Vec::new(),
            trailer: Dict::new(),
            left: Cell::new(MAX_READ),
        };
        let found = file.scan();
        if found.is_empty() {
            return Err(ReadError::Broken("it has no objects"));
        }
        if found.len() > MAX_OBJECTS {
            return Err(ReadError::Bomb("objects"));
        }
        for (number, at) in &found {
            file.places.insert(*number, Place::At(*at));
        }
        file.trailers(&found);
        if file.trailer.contains_key("Encrypt") {
            return Err(ReadError::Encrypted);
        }
        for (_, at) in &found {
            file.object_stream(*at, budget)?;
        }
        file.is_bounded()?;
        Ok(file)
    }

    /// # Errors
    /// More was read of it, again and again, than may be.
    pub fn is_bounded(&self) -> Result<(), ReadError> {
        if self.left.get() == 0 { Err(ReadError::Bomb("objects read again")) } else { Ok(()) }
    }

    /// The object at a place, and where it ends.
    fn parse(&self, bytes: &[u8], at: usize) -> (Option<Object>, usize) {
        if self.left.get() == 0 {
            return (None, at);
        }
        let mut lexer = Lexer::new(bytes, at);
        let object = lexer.next();
        self.left.set(self.left.get().saturating_sub(1 + lexer.at.saturating_sub(at)));
        (object, lexer.at)
    }

    /// Number and place of every "12 0 obj", in the order of the file: what comes later replaces what came before.
    fn scan(&self) -> Vec<(u32, usize)> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(next) = find(&self.bytes[at..], b"obj") {
            let word = at + next;
            at = word + 3;
            if let Some(number) = numbered(&self.bytes[..word]) {
                found.push((number, at));
                if found.len() > MAX_OBJECTS {
                    break;
                }
            }
        }
        found
    }

    /// What trailers and cross-reference streams say of the file as a whole; the last word counts.
    fn trailers(&mut self, found: &[(u32, usize)]) {
        let mut at = 0;
        while let Some(next) = find(&self.bytes[at..], b"trailer") {
            at += next + 7;
            if let Some(Object::Dict(dict)) = self.parse(self.bytes, at).0 {
                self.trailer.extend(dict);
            }
        }
        for (_, at) in found {
            let dict = match self.parse(self.bytes, *at).0 {
                Some(Object::Dict(dict)) => dict,
                _ => continue,
            };
            if dict.get("Type").and_then(Object::name) == Some("XRef") {
                self.trailer.extend(dict);
            }
        }
    }

    fn object_stream(&mut self, at: usize, budget: &mut Budget) -> Result<(), ReadError> {
        let (Some(Object::Dict(dict)), end) = self.parse(self.bytes, at) else { return Ok(()) };
        if dict.get("Type").and_then(Object::name) != Some("ObjStm") {
            return Ok(());
        }
        let Some(data) = self.stream_at(&dict, end, budget)? else { return Ok(()) };
        let number = |name: &str| self.get(dict.get(name)).number().map_or(0, |n| n.clamp(0.0, 1e9) as usize);
        let (count, first) = (number("N"), number("First"));
        let mut heads = Lexer::new(&data, 0);
        let mut inside = Vec::new();
        for _ in 0..count.min(MAX_OBJECTS) {
            let (Some(Object::Number(n)), Some(Object::Number(offset))) = (heads.next(), heads.next()) else {
                break;
            };
            inside.push((
                n.clamp(0.0, f64::from(u32::MAX)) as u32,
                first.saturating_add(offset.clamp(0.0, 1e9) as usize),
            ));
        }
        let pack = self.packs.len();
        for (n, offset) in inside {
            // An object that stands in the file further on is newer.
            let newer = matches!(self.places.get(&n), Some(Place::At(place)) if *place > at);
            if !newer && self.places.len() < MAX_OBJECTS {
                self.places.insert(n, Place::Within(pack, offset));
            }
        }
        self.packs.push(data);
        Ok(())
    }

    pub fn trailer(&self, name: &str) -> Object {
        self.get(self.trailer.get(name))
    }

    /// Numbers of all objects, sorted.
    pub fn numbers(&self) -> Vec<u32> {
        let mut numbers: Vec<u32> = self.places.keys().copied().collect();
        numbers.sort_unstable();
        numbers
    }

    /// An object itself where it is a reference.
    pub fn get(&self, object: Option<&Object>) -> Object {
        let mut object = object.cloned().unwrap_or(Object::Null);
        for _ in 0..MAX_HOPS {
            match object {
                Object::Ref(number) => object = self.object(number),
                other => return other,
            }
        }
        Object::Null
    }

    /// The same without a copy of what is no reference.
    pub fn look<'o>(&self, object: Option<&'o Object>) -> Cow<'o, Object> {
        match object {
            Some(Object::Ref(_)) | None => Cow::Owned(self.get(object)),
            Some(own) => Cow::Borrowed(own),
        }
    }

    pub fn object(&self, number: u32) -> Object {
        let object = match self.places.get(&number) {
            Some(Place::At(at)) => self.parse(self.bytes, *at).0,
            Some(Place::Within(pack, offset)) => {
                self.packs.get(*pack).and_then(|data| self.parse(data, (*offset).min(data.len())).0)
            }
            None => None,
        };
        object.unwrap_or(Object::Null)
    }

    /// Dictionary and unpacked bytes of a stream; `None` for what is no stream or holds no text.
    pub fn stream(&self, object: &Object, budget: &mut Budget) -> Result<Option<(Dict, Vec<u8>)>, ReadError> {
        let Object::Ref(number) = object else { return Ok(None) };
        let Some(Place::At(at)) = self.places.get(number) else { return Ok(None) };
        let (found, end) = self.parse(self.bytes, *at);
        match found {
            Some(Object::Dict(dict)) => {
                let data = self.stream_at(&dict, end, budget)?;
                Ok(data.map(|data| (dict, data)))
            }
            Some(next @ Object::Ref(_)) if next != *object => self.stream_once(&next, budget),
            _ => Ok(None),
        }
    }

    fn stream_once(
        &self,
        object: &Object,
        budget: &mut Budget,
    ) -> Result<Option<(Dict, Vec<u8>)>, ReadError> {
        let Object::Ref(number) = object else { return Ok(None) };
        let Some(Place::At(at)) = self.places.get(number) else { return Ok(None) };
        let (Some(Object::Dict(dict)), end) = self.parse(self.bytes, *at) else { return Ok(None) };
        Ok(self.stream_at(&dict, end, budget)?.map(|data| (dict, data)))
    }

    fn stream_at(
        &self,
        dict: &Dict,
        after: usize,
        budget: &mut Budget,
    ) -> Result<Option<Vec<u8>>, ReadError> {
        budget.work(1)?;
        self.is_bounded()?;
        let mut at = after;
        while self.bytes.get(at).copied().is_some_and(is_blank) {
            at += 1;
        }
        if !self.bytes[at..].starts_with(b"stream") {
            return Ok(None);
        }
        at += 6;
        at += usize::from(self.bytes.get(at) == Some(&b'\r'));
        at += usize::from(self.bytes.get(at) == Some(&b'\n'));
        let rest = self.bytes.get(at..).unwrap_or_default();
        let length = self.get(dict.get("Length")).number().map(|n| n.clamp(0.0, 1e12) as usize);
        let ends = |length: &usize| {
            let tail = rest.get(*length..(*length + 32).min(rest.len())).unwrap_or_default();
            find(tail, b"endstream").is_some()
        };
        let length = match length.filter(ends) {
            Some(length) => length,
            None => {
                let length = find(rest, b"endstream").unwrap_or(rest.len());
                budget.work(length / 64)?;
                length
            }
        };
        let mut plain = dict.clone();
        for name in ["Filter", "DecodeParms"] {
            if let Some(value) = dict.get(name) {
                let value = match self.get(Some(value)) {
                    Object::Array(items) => {
                        Object::Array(items.iter().map(|item| self.get(Some(item))).collect())
                    }
                    other => other,
                };
                plain.insert(name.to_owned(), value);
            }
        }
        budget.work(length / 256)?;
        filter::unpack(&plain, &rest[..length], budget)
    }
}

/// The object number of "12 0 " before a word.
fn numbered(before: &[u8]) -> Option<u32> {
    fn back(bytes: &[u8], is: impl Fn(u8) -> bool, most: usize) -> (&[u8], &[u8]) {
        let taken = bytes.iter().rev().take(most).take_while(|b| is(**b)).count();
        bytes.split_at(bytes.len() - taken)
    }
    let (rest, gap) = back(before, is_blank, 8);
    let (rest, generation) = back(rest, |b| b.is_ascii_digit(), 5);
    let (rest, space) = back(rest, is_blank, 8);
    let (_, number) = back(rest, |b| b.is_ascii_digit(), 10);
    if gap.is_empty() || generation.is_empty() || space.is_empty() {
        return None;
    }
    std::str::from_utf8(number).ok()?.parse().ok()
}

/// Where some bytes begin.
pub(super) fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let first = *wanted.first()?;
    let mut at = 0;
    while let Some(next) = bytes.get(at..)?.iter().position(|b| *b == first) {
        at += next;
        if bytes[at..].starts_with(wanted) {
            return Some(at);
        }
        at += 1;
    }
    None
}
