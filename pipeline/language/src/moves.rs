//! What a caller does with an offer or a question of ours: takes it, refuses it, wants a moment, wants it again, takes leave, or says
//! something of their own.
//!
//! A linear classifier over words, pairs of words and pieces of words ("ya ta gracia", "i'm good hon preciate ya"), with what was asked.
//! Trained by `examples/train_moves.rs` on `data/moves/*.tsv`; figures in `docs/guides/understanding.md`.

use std::sync::LazyLock;

use crate::Ear;
use crate::linear::Linear;

/// Features are hashed into so many weights a class. A power of two.
pub const BUCKETS: usize = 1 << 14;
const CLASSES: usize = Move::ALL.len();
/// Words that are read.
const LONGEST: usize = 40;
/// Words at either end that count by their place.
const ENDS: usize = 3;
/// Letters of a piece of a word.
const PIECES: [usize; 2] = [3, 4];

static WEIGHTS: &[u8] = include_bytes!("../data/moves/weights.bin");

static MODEL: LazyLock<Model> = LazyLock::new(|| Model::from_bytes(WEIGHTS));

/// The weights of the classifier.
pub type Model = Linear<BUCKETS, CLASSES>;

/// What was said to the caller last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// "Anything else I can help you with?"
    Else,
    /// "Would you like more on that?"
    More,
    /// "Do you have something to write with?"
    Pen,
    /// "Would you like to leave a message, or have a person call you back?"
    Offer,
    /// A question of a form: a name, a place, a time, a number.
    Slot,
    /// "Is all of that correct?"
    Confirm,
}

impl Asked {
    /// As data names it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Else => "else",
            Self::More => "more",
            Self::Pen => "pen",
            Self::Offer => "offer",
            Self::Slot => "slot",
            Self::Confirm => "confirm",
        }
    }

    /// Of that name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        [Self::Else, Self::More, Self::Pen, Self::Offer, Self::Slot, Self::Confirm]
            .into_iter()
            .find(|asked| asked.name() == name)
    }
}

/// What the caller does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    /// Wants nothing more, takes leave.
    Close,
    /// Takes what was offered, affirms what was asked, and says nothing else.
    Yes,
    /// Refuses or denies it, and says nothing else.
    No,
    /// Wants a moment.
    Wait,
    /// Did not hear or understand.
    Again,
    /// Cannot or will not: no pen, no idea, rather not.
    Skip,
    /// Anything with a content of its own.
    Says,
}

impl Move {
    /// All, in the order of the weights.
    pub const ALL: [Self; 7] =
        [Self::Close, Self::Yes, Self::No, Self::Wait, Self::Again, Self::Skip, Self::Says];

    /// As data names it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Close => "close",
            Self::Yes => "yes",
            Self::No => "no",
            Self::Wait => "wait",
            Self::Again => "again",
            Self::Skip => "skip",
            Self::Says => "says",
        }
    }
}

/// The likeliest move, and its probability.
#[must_use]
pub fn moved(ear: Ear, asked: Asked, text: &str) -> (Move, f32) {
    best(&MODEL.classes(&features(ear, asked.name(), text)))
}

/// The likeliest of probabilities in the order of [`Move::ALL`].
#[must_use]
pub fn best(classes: &[f32; CLASSES]) -> (Move, f32) {
    let found = Move::ALL.into_iter().zip(*classes).max_by(|(_, a), (_, b)| a.total_cmp(b));
    found.unwrap_or((Move::Says, 0.0))
}

/// Buckets of the features, each once. `asked`: what was said to the caller last, by its name.
#[must_use]
pub fn features(ear: Ear, asked: &str, text: &str) -> Vec<usize> {
    let plain = ear.plain(text);
    let words: Vec<&str> = plain.split(' ').filter(|word| !word.is_empty()).take(LONGEST).collect();
    let code = ear.0.code();
    let bucket = Model::bucket;
    let mut found = vec![bucket(&["bias"]), bucket(&["asked", asked])];
    found.push(bucket(&["long", &words.len().min(12).to_string()]));
    found.push(bucket(&["long", asked, &(words.len().min(18) / 3).to_string()]));
    let subjects = words.iter().filter(|word| !ear.subjects(word).is_empty()).count().min(4);
    found.push(bucket(&["subjects", &subjects.to_string()]));
    for (at, word) in words.iter().enumerate() {
        found.push(bucket(&[code, word]));
        found.push(bucket(&[code, asked, word]));
        if at < ENDS {
            found.push(bucket(&[code, "^", &at.to_string(), word]));
        }
        if words.len() - at <= ENDS {
            found.push(bucket(&[code, "$", &(words.len() - at).to_string(), word]));
        }
        pieces(word, |piece| found.push(bucket(&[code, "piece", piece])));
    }
    for pair in words.windows(2) {
        found.push(bucket(&[code, pair[0], pair[1]]));
    }
    for three in words.windows(3) {
        found.push(bucket(&[code, three[0], three[1], three[2]]));
    }
    if let [first, .., last] = words.as_slice() {
        found.push(bucket(&[code, "ends", first, last]));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Runs of letters, with the word's ends marked.
fn pieces(word: &str, mut take: impl FnMut(&str)) {
    let marked = format!("<{word}>");
    let ends: Vec<usize> = marked.char_indices().map(|(at, _)| at).chain([marked.len()]).collect();
    for length in PIECES {
        for window in ends.windows(length + 1) {
            if let (Some(from), Some(to)) = (window.first(), window.last()) {
                take(&marked[*from..*to]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    #[test]
    fn plain_moves_are_told() {
        for (language, asked, text, wanted) in [
            (Language::En, Asked::Else, "nah that's gonna do it for me appreciate ya", Move::Close),
            (Language::En, Asked::Pen, "hang on lemme find a pencil", Move::Wait),
            (Language::En, Asked::Slot, "what's that hon i don't hear too good", Move::Again),
            (Language::En, Asked::Else, "no but my neighbor's dog got out again", Move::Says),
            (Language::Es, Asked::Else, "no ya estuvo muchas gracias que dios la bendiga", Move::Close),
            (Language::Es, Asked::Pen, "espéreme que busco una pluma", Move::Wait),
            (Language::Es, Asked::Slot, "cómo dice", Move::Again),
            (Language::Es, Asked::Else, "y también quería reportar un bache", Move::Says),
        ] {
            let (found, sure) = moved(Ear(language), asked, text);
            assert_eq!(found, wanted, "{text} ({sure})");
        }
    }

    #[test]
    fn names_are_read_back() {
        for asked in [Asked::Else, Asked::More, Asked::Pen, Asked::Offer, Asked::Slot, Asked::Confirm] {
            assert_eq!(Asked::of(asked.name()), Some(asked));
        }
        assert_eq!(Asked::of("other"), None);
    }
}
