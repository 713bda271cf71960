//! What people say, with its parts marked.

use std::error::Error;
use std::path::Path;

use language::Language;
use language::field::OUT;
use language::reply::Asked;
use language::stretch::Stretch;
use language::tagger::token::Token;

#[derive(Clone, Debug)]
pub struct Marked {
    pub text: String,
    pub asked: Option<Asked>,
    pub language: Language,
    pub parts: Vec<Stretch>,
}

/// `words with [KIND parts]`, one a line; before it, where `replies`, what was asked and a tab.
pub fn read(
    file: &Path,
    language: Language,
    kinds: &[String],
    replies: bool,
) -> Result<Vec<Marked>, Box<dyn Error>> {
    let text = std::fs::read_to_string(file)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(n, line)| {
            one(line, language, kinds, replies)
                .ok_or_else(|| format!("{}:{}: {line}", file.display(), n + 1).into())
        })
        .collect()
}

fn one(line: &str, language: Language, kinds: &[String], replies: bool) -> Option<Marked> {
    let (asked, marked) = if replies {
        let (asked, marked) = line.split_once('\t')?;
        (Some(Asked::NAMES.iter().find(|(name, _)| *name == asked)?.1), marked)
    } else {
        (None, line)
    };
    let mut out = Marked { text: String::new(), asked, language, parts: Vec::new() };
    let mut rest = marked.trim();
    while let Some((before, after)) = rest.split_once('[') {
        let (inside, after) = after.split_once(']')?;
        let (tag, words) = inside.split_once(' ')?;
        let kind = kinds.iter().position(|kind| kind.eq_ignore_ascii_case(tag))?;
        out.text.push_str(before);
        let from = out.text.len();
        out.text.push_str(words.trim());
        out.parts.push(Stretch { kind, from, to: out.text.len(), sure: 1.0 });
        rest = after;
    }
    out.text.push_str(rest);
    Some(out)
}

impl Marked {
    /// As recognizers write: no signs, no capitals.
    pub fn bare(&self) -> Self {
        let mut out = Self { text: String::new(), parts: self.parts.clone(), ..*self };
        let mut moved = vec![0; self.text.len() + 1];
        for (at, c) in self.text.char_indices() {
            moved[at] = out.text.len();
            if !matches!(c, '.' | ',' | '?' | '!' | '¿' | '¡' | ';' | ':' | '"') {
                out.text.extend(c.to_lowercase());
            }
        }
        moved[self.text.len()] = out.text.len();
        for part in &mut out.parts {
            (part.from, part.to) = (moved[part.from], moved[part.to]);
        }
        out
    }

    /// The label of each word.
    pub fn labels(&self, words: &[Token]) -> Vec<usize> {
        let mut out = vec![OUT; words.len()];
        for part in &self.parts {
            let inside =
                words.iter().zip(&mut out).filter(|(word, _)| word.start < part.to && word.end > part.from);
            for (n, (_, label)) in inside.enumerate() {
                *label = 1 + 2 * part.kind + usize::from(n > 0);
            }
        }
        out
    }
}

/// Between two things that are said in one breath.
const JOINTS: [(Language, &[&str]); 2] = [
    (Language::En, &["and", "and also", "oh and", "also", "and um", "plus", "and then", "", "but", "so"]),
    (
        Language::Es,
        &["y", "y también", "ah y", "oiga y", "y este", "además", "y luego", "", "pero", "y otra cosa"],
    ),
];

/// As many again, each of two that one caller might have said without a stop between, as recognizers write.
pub fn in_one_breath(all: &[Marked], count: usize, rng: &mut Rng) -> Vec<Marked> {
    let any = |rng: &mut Rng| &all[(rng.next() >> 16) as usize % all.len()];
    let mut out = Vec::with_capacity(count);
    while out.len() < count && !all.is_empty() {
        let (one, other) = (any(rng), any(rng));
        let joints = JOINTS.iter().find(|(language, _)| *language == one.language);
        let Some((_, joints)) = joints.filter(|_| one.language == other.language) else { continue };
        let joint = joints[(rng.next() >> 16) as usize % joints.len()];
        let mut both = one.bare();
        both.text = format!("{} {joint}{}", both.text.trim_end(), if joint.is_empty() { "" } else { " " });
        let by = both.text.len();
        let other = other.bare();
        both.text.push_str(&other.text);
        both.parts.extend(other.parts.iter().map(|part| Stretch {
            from: part.from + by,
            to: part.to + by,
            ..*part
        }));
        out.push(both);
    }
    out
}

/// Chance with a seed.
pub struct Rng(u64);

impl Rng {
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn percent(&mut self, of: u64) -> bool {
        (self.next() >> 20) % 100 < of
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for n in (1..items.len()).rev() {
            items.swap(n, (self.next() % (n as u64 + 1)) as usize);
        }
    }
}
