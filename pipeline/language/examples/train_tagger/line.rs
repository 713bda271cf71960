//! A sentence with its names and addresses, and chance that is the same in every training.

use std::cell::Cell;
use std::ops::Range;

use language::Language;
use language::tagger::Kind;

/// Marks inside a text that is being made, taken out at the end: a value begins, by kind; it ends.
pub const NAME: char = '\u{e001}';
pub const ADDRESS: char = '\u{e002}';
pub const END: char = '\u{e000}';

#[derive(Clone, Debug)]
pub struct Line {
    pub text: String,
    pub marks: Vec<(Kind, Range<usize>)>,
    pub language: Language,
    /// What it is counted under: a style, or where it is from.
    pub group: String,
}

impl Line {
    /// Reads a text with marks.
    pub fn new(marked: &str, language: Language, group: &str) -> Self {
        let mut line = Self { text: String::new(), marks: Vec::new(), language, group: group.to_owned() };
        let mut open = None;
        for c in marked.chars() {
            match c {
                NAME => open = Some((Kind::Name, line.text.len())),
                ADDRESS => open = Some((Kind::Address, line.text.len())),
                END => {
                    if let Some((kind, from)) = open.take() {
                        let value = &line.text[from..];
                        let from = from + value.len() - value.trim_start().len();
                        let to = line.text.trim_end().len().max(from);
                        line.marks.push((kind, from..to));
                    }
                }
                // One space is enough.
                ' ' if line.text.is_empty() || line.text.ends_with(' ') => {}
                _ => line.text.push(c),
            }
        }
        line.marks.retain(|(_, range)| !range.is_empty());
        line
    }
}

/// Chance with a seed.
#[derive(Clone, Debug)]
pub struct Rng(Cell<u64>);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(Cell::new(seed))
    }

    pub fn next(&self) -> u64 {
        self.0.set(self.0.get().wrapping_add(0x9e37_79b9_7f4a_7c15));
        let mut z = self.0.get();
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&self, n: usize) -> usize {
        if n == 0 { 0 } else { ((self.next() >> 33) % n as u64) as usize }
    }

    /// Happens in so many of a hundred times.
    pub fn percent(&self, of: usize) -> bool {
        self.below(100) < of
    }

    pub fn of<'a, T: ?Sized>(&self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }

    pub fn one<'a, T>(&self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    pub fn shuffle<T>(&self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.below(at + 1));
        }
    }
}

/// How a sentence is put.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    Written,
    /// As a recogniser writes it: capitals and signs, numbers in words or digit by digit.
    Heard,
    /// The same without capitals and signs.
    Spoken,
    /// Written without care.
    Lower,
    /// Spoken, and misheard.
    Noise,
}

impl Style {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::Heard => "heard",
            Self::Spoken => "spoken",
            Self::Lower => "lower",
            Self::Noise => "noise",
        }
    }

    pub fn any(rng: &mut Rng) -> Self {
        match rng.below(100) {
            0..=24 => Self::Written,
            25..=41 => Self::Heard,
            42..=63 => Self::Spoken,
            64..=79 => Self::Lower,
            _ => Self::Noise,
        }
    }

    pub const fn said(self) -> bool {
        matches!(self, Self::Heard | Self::Spoken | Self::Noise)
    }
}
