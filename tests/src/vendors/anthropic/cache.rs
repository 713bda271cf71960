//! The prompt cache: prefixes up to a mark are written, and read again where a later request shares them byte for byte.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

/// Nothing shorter is cached.
const SHORTEST: usize = 64;
/// Blocks before a mark at which an older prefix is looked for.
const LOOK_BACK: usize = 20;
/// Prefixes remembered.
const PREFIXES: usize = 10_000;

/// Prefixes that were written.
#[derive(Debug, Default)]
pub struct Cache(HashSet<u64>);

/// Tokens of a request, about four characters each.
#[derive(Debug, PartialEq, Eq)]
pub struct Input {
    pub plain: usize,
    pub read: usize,
    pub written: usize,
}

impl Cache {
    /// Reads what is known of a request's prefix and writes what it marks.
    pub fn read(&mut self, request: &Value) -> Input {
        let mut hash = DefaultHasher::new();
        let mut characters = 0;
        let mut ends: Vec<(u64, usize)> = Vec::new();
        let mut marks: Vec<usize> = Vec::new();
        for block in blocks(request) {
            let mut block = block;
            let marked = block.as_object_mut().is_some_and(|fields| fields.remove("cache_control").is_some());
            let text = block.to_string();
            text.hash(&mut hash);
            characters += text.len();
            if marked {
                marks.push(ends.len());
            }
            ends.push((hash.finish(), characters / 4));
        }
        let all = characters / 4;
        let near = |end: &usize| marks.iter().any(|mark| mark >= end && mark - end <= LOOK_BACK);
        let known = (0..ends.len()).rev().filter(near).find(|end| self.0.contains(&ends[*end].0));
        let read = known.map_or(0, |end| ends[end].1);
        let last = marks.last().map_or(0, |mark| ends[*mark].1);
        let written = if last >= SHORTEST { last.saturating_sub(read) } else { 0 };
        if self.0.len() > PREFIXES {
            self.0.clear();
        }
        self.0.extend(marks.iter().map(|mark| ends[*mark]).filter(|(_, n)| *n >= SHORTEST).map(|(h, _)| h));
        Input { plain: all - read - written, read, written }
    }
}

/// Tools, system and messages in the order of the prefix.
fn blocks(request: &Value) -> Vec<Value> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut blocks = list(&request["tools"]);
    blocks.extend(list(&request["system"]));
    for message in list(&request["messages"]) {
        blocks.push(message["role"].clone());
        blocks.extend(list(&message["content"]));
    }
    blocks
}
