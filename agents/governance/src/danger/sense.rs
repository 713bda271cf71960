//! The detector's second look: what a sentence means, beside its words.
//!
//! Words that fit nothing the detector learned ("so I had it out by six, and the truck's been and gone") can add up to danger,
//! and danger can be told without a word that it knows. A sentence vector knows what such sentences are about. Where there
//! is one, this model weighs it together with the words' reading; where there is none, the words decide alone.

use std::sync::LazyLock;

use super::{DangerError, LIKELY, Level, Reading, thousandths};

/// Numbers in a sentence vector.
pub const WIDTH: usize = 384;
/// What is weighed apart: in danger now, in danger perhaps.
pub const ASKED: usize = 2;
/// For each of them a bias, then one weight for the words' log odds of each.
pub const WORDS: usize = 1 + ASKED;

/// One row a question: [`WORDS`] numbers, then one a number of the vector.
pub type Row = [f32; WORDS + WIDTH];

/// The trained model.
#[derive(Debug)]
pub struct Sense {
    rows: Box<[Row; ASKED]>,
}

static SHIPPED: LazyLock<Result<Sense, DangerError>> =
    LazyLock::new(|| Sense::from_bytes(include_bytes!("../../data/danger/sense.bin")));

impl Sense {
    /// The one of this process.
    ///
    /// # Errors
    /// When the shipped weights do not fit the code.
    pub fn shipped() -> Result<&'static Self, DangerError> {
        SHIPPED.as_ref().map_err(Clone::clone)
    }

    /// Reads a weights' file: little-endian floats, row by row.
    ///
    /// # Errors
    /// When it is of another length, or holds numbers that are none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DangerError> {
        let (floats, left) = bytes.as_chunks::<4>();
        let floats: Vec<f32> = floats.iter().map(|four| f32::from_le_bytes(*four)).collect();
        let (rows, more) = floats.as_chunks::<{ WORDS + WIDTH }>();
        let fits = left.is_empty() && more.is_empty() && floats.iter().all(|f| f.is_finite());
        let rows = <[Row; ASKED]>::try_from(rows).ok().filter(|_| fits);
        let rows =
            rows.ok_or_else(|| DangerError(format!("the weights of {} bytes do not fit", bytes.len())))?;
        Ok(Self { rows: Box::new(rows) })
    }

    /// A weights' file.
    #[must_use]
    pub fn to_bytes(rows: &[Row; ASKED]) -> Vec<u8> {
        rows.iter().flatten().flat_map(|f| f.to_le_bytes()).collect()
    }

    /// The words' reading, put right by what the sentence means: what the words are sure of is at least asked about. As it was
    /// where the vector is of another kind.
    #[must_use]
    pub fn read(&self, words: Reading, vector: &[f32]) -> Reading {
        let Ok(vector) = <&[f32; WIDTH]>::try_from(vector) else { return words };
        let odds = Self::odds(words);
        let of = |row: &Row| {
            let ([bias, by_words @ ..], weights) = row.split_at(WORDS) else { return 0 };
            let words: f32 = by_words.iter().zip(odds).map(|(w, odds)| w * odds).sum();
            let meaning: f32 = weights.iter().zip(vector).map(|(w, v)| w * v).sum();
            thousandths(bias + words + meaning)
        };
        let [now, danger] = &*self.rows;
        let read = Reading { now: of(now), danger: of(danger), ..words };
        let silenced = words.level() == Level::Sure && read.level() == Level::No;
        if silenced { Reading { danger: LIKELY, ..read } } else { read }
    }

    /// A reading of words as log odds, bounded by what thousandths can tell.
    #[must_use]
    pub fn odds(words: Reading) -> [f32; ASKED] {
        [words.now, words.danger].map(|thousandths| {
            let likely = (f32::from(thousandths) + 0.5) / 1001.0;
            (likely / (1.0 - likely)).ln()
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn rows(meaning: f32) -> Vec<u8> {
        let mut row: Row = [0.0; WORDS + WIDTH];
        (row[1], row[WORDS]) = (1.0, meaning);
        let mut other: Row = [0.0; WORDS + WIDTH];
        other[2] = 1.0;
        Sense::to_bytes(&[row, other])
    }

    fn towards(n: usize) -> Vec<f32> {
        (0..WIDTH).map(|at| f32::from(u8::from(at == n))).collect()
    }

    #[test]
    fn meaning_moves_what_the_words_say() {
        let words = Reading { now: 500, danger: 400, own_hand: 300 };
        let sense = Sense::from_bytes(&rows(-3.0)).unwrap();
        let away = sense.read(words, &towards(0));
        assert!(away.now < 60, "{away:?}");
        assert_eq!((away.danger, away.own_hand), (400, 300));
        assert_eq!(sense.read(words, &towards(1)).now, 500);
    }

    #[test]
    fn what_the_words_are_sure_of_is_still_asked_about() {
        let words = Reading { now: 990, danger: 100, own_hand: 0 };
        let read = Sense::from_bytes(&rows(-30.0)).unwrap().read(words, &towards(0));
        assert_eq!(read.level(), Level::Likely, "{read:?}");
    }

    #[test]
    fn without_a_vector_of_its_kind_the_words_decide() {
        let words = Reading { now: 700, danger: 800, own_hand: 0 };
        assert_eq!(Sense::shipped().unwrap().read(words, &[0.1; 3]), words);
    }

    #[test]
    fn weights_of_another_shape_are_refused() {
        let mut bytes = rows(1.0);
        assert!(Sense::from_bytes(&bytes[4..]).is_err());
        bytes.truncate(bytes.len() - 4);
        bytes.extend(f32::NAN.to_le_bytes());
        assert!(Sense::from_bytes(&bytes).is_err());
    }
}
