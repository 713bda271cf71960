//! Sentences out of templates: `{a|b|}` is one of its parts, `$NAME` one line of a named list, the rest is itself.

use std::collections::HashMap;

/// Pseudo-chance out of a seed, so that the same files train the same weights.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n.max(1) as u64).unwrap_or(0)
    }

    /// True in `percent` of a hundred throws.
    #[allow(dead_code, reason = "the trainer of the rules shares this file")]
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }

    pub fn shuffle<T>(&mut self, all: &mut [T]) {
        for i in (1..all.len()).rev() {
            all.swap(i, self.below(i + 1));
        }
    }
}

/// Named lists and sections of templates.
#[derive(Debug, Default)]
pub struct Grammar {
    lists: HashMap<String, Vec<String>>,
    pub sections: Vec<(String, Vec<String>)>,
}

impl Grammar {
    /// Adds a file: `[section]` headings, templates, `$NAME = a | b` lists that hold for all files.
    pub fn read(&mut self, text: &str) {
        for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
            if let Some(name) = heading(line) {
                self.sections.push((name.to_owned(), Vec::new()));
            } else if let Some((name, list)) = line.strip_prefix('$').and_then(|l| l.split_once(" = ")) {
                let parts = top_parts(list).into_iter().map(|p| p.trim().to_owned());
                self.lists.entry(name.to_owned()).or_default().extend(parts);
            } else if let Some((_, lines)) = self.sections.last_mut() {
                lines.push(line.to_owned());
            }
        }
    }

    /// One sentence of a template.
    pub fn say(&self, template: &str, dice: &mut Dice) -> String {
        let mut out = String::new();
        self.expand(template, dice, &mut out, 0);
        out.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn expand(&self, template: &str, dice: &mut Dice, out: &mut String, depth: usize) {
        assert!(depth < 12, "a list of the grammar contains itself: {template}");
        let mut rest = template;
        while let Some(at) = rest.find(['{', '$']) {
            out.push_str(&rest[..at]);
            if rest[at..].starts_with('{') {
                let end = closing(&rest[at..]).unwrap_or_else(|| panic!("no closing brace in: {template}"));
                let parts = top_parts(&rest[at + 1..at + end]);
                let part = dice.pick(&parts).copied().unwrap_or_default();
                self.expand(part, dice, out, depth + 1);
                rest = &rest[at + end + 1..];
            } else {
                let name: String =
                    rest[at + 1..].chars().take_while(|c| c.is_ascii_uppercase() || *c == '_').collect();
                rest = &rest[at + 1 + name.len()..];
                if name.is_empty() {
                    out.push('$');
                    continue;
                }
                let list = self.lists.get(&name).unwrap_or_else(|| panic!("no list ${name} for: {template}"));
                let part = dice.pick(list).cloned().unwrap_or_default();
                self.expand(&part, dice, out, depth + 1);
            }
        }
        out.push_str(rest);
    }
}

/// The name of a section, where a line is one.
pub fn heading(line: &str) -> Option<&str> {
    let name = line.strip_prefix('[')?.strip_suffix(']')?;
    name.chars().all(|c| c.is_ascii_lowercase() || c == '_').then_some(name)
}

fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

fn top_parts(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut parts) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            '|' if depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}
