//! Spanish sentences in the vector space of the English encoder.
//!
//! The encoder that ships knows no Spanish. This one knows words, pairs of words and pieces of words, adds up what each
//! stands for, and lands where the encoder puts the English of it: "licencia de perro" beside "dog license". It knows no
//! order of words. `examples/train_spanish.rs` makes the weights; `data/spanish/README.md` says from what.

use std::sync::LazyLock;

use language::stems::{hash, words};
use unicode_normalization::UnicodeNormalization;

use super::embed::Vector;

/// Numbers of a vector of the English encoder.
pub const OUTER: usize = 384;
/// Numbers that a feature stands for, before they are lifted to [`OUTER`].
pub const INNER: usize = 96;
/// Features are hashed into so many rows. A power of two.
pub const ROWS: usize = 1 << 15;
/// Pieces of a word have so many letters, its edges included.
const PIECES: std::ops::RangeInclusive<usize> = 3..=5;
/// Words that are read.
const LONGEST: usize = 96;

static BYTES: &[u8] = include_bytes!("../data/spanish/weights.bin");
static SHIPPED: LazyLock<Model> = LazyLock::new(|| Model::from_bytes(BYTES));

/// Weights of the encoder.
#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    /// [`INNER`] a row.
    rows: Vec<i8>,
    /// [`OUTER`] for each of [`INNER`].
    lift: Vec<f32>,
}

/// The vector of a Spanish sentence, at unit length. `None` where none of its words is known.
#[must_use]
pub fn vector(text: &str) -> Option<Vector> {
    SHIPPED.vector(text)
}

/// A number out of the weights: others, other vectors.
pub(super) fn fingerprint() -> u32 {
    let sampled = BYTES.iter().step_by(251).chain(BYTES.last());
    sampled.fold(0x811c_9dc5, |sum, byte| (sum ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

impl Model {
    /// Of floats: [`INNER`] a row, and [`OUTER`] for each of [`INNER`].
    #[must_use]
    pub fn of(rows: &[f32], lift: Vec<f32>) -> Self {
        let mut sizes: Vec<f32> = rows.iter().map(|weight| weight.abs()).filter(|size| *size > 0.0).collect();
        sizes.sort_by(f32::total_cmp);
        // A few giants would cost all others their precision. The scale itself is nothing: the vector has unit length.
        let largest = sizes.get(sizes.len().saturating_sub(1 + sizes.len() / 5000)).copied().unwrap_or(1.0);
        #[expect(clippy::cast_possible_truncation, reason = "clamped to the range")]
        let small = |weight: &f32| (weight / largest * 127.0).round().clamp(-127.0, 127.0) as i8;
        Self { rows: rows.iter().map(small).collect(), lift }
    }

    /// What [`Self::to_bytes`] wrote. Of short data most is zero; a test rules it out for what ships.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let (lift, rows) = bytes.split_at(bytes.len().min(INNER * OUTER * 4));
        let mut lift: Vec<f32> =
            lift.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
        lift.resize(INNER * OUTER, 0.0);
        let mut rows: Vec<i8> = rows.iter().map(|byte| byte.cast_signed()).collect();
        rows.resize(ROWS * INNER, 0);
        Self { rows, lift }
    }

    /// The lift as floats, then a byte a number of a row.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let lift = self.lift.iter().flat_map(|value| value.to_le_bytes());
        lift.chain(self.rows.iter().map(|weight| weight.cast_unsigned())).collect()
    }

    /// See [`vector`].
    #[must_use]
    pub fn vector(&self, text: &str) -> Option<Vector> {
        let mut inner = [0_i32; INNER];
        features(text, |row| {
            let from = row * INNER;
            if let Some(weights) = self.rows.get(from..from + INNER) {
                inner.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += i32::from(*weight));
            }
        });
        let mut outer = vec![0.0_f32; OUTER];
        for (value, lift) in inner.iter().zip(self.lift.chunks(OUTER)) {
            outer.iter_mut().zip(lift).for_each(|(sum, weight)| *sum += *value as f32 * weight);
        }
        let length = outer.iter().map(|value| value * value).sum::<f32>().sqrt();
        (length > 0.0).then(|| outer.iter().map(|value| value / length).collect())
    }
}

/// Rows of a text's features: its words, pairs of neighbors, and pieces of words, accents left out.
pub fn features(text: &str, mut each: impl FnMut(usize)) {
    let mut row = |kind: u8, feature: u64| {
        let mixed = (feature ^ u64::from(kind).wrapping_mul(0xd6e8_feb8_6659_fd93))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        each((mixed >> 40) as usize & (ROWS - 1));
    };
    let mut before = 0_u64;
    for word in words(text).iter().take(LONGEST) {
        let plain: Vec<char> = word.nfd().filter(char::is_ascii_alphanumeric).collect();
        let spelled: String = plain.iter().collect();
        let own = u64::from(hash(&spelled));
        row(1, own);
        row(2, before.rotate_left(29) ^ own);
        before = own;
        let edged: Vec<char> = std::iter::once('<').chain(plain).chain(std::iter::once('>')).collect();
        for length in PIECES {
            for piece in edged.windows(length) {
                row(3, u64::from(hash(&piece.iter().collect::<String>())));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;
    use crate::cosine;

    #[test]
    fn the_shipped_weights_fit() {
        let bytes = include_bytes!("../data/spanish/weights.bin");
        assert_eq!(bytes.len(), INNER * OUTER * 4 + ROWS * INNER);
        assert_eq!(Model::from_bytes(bytes).to_bytes(), bytes);
    }

    #[test]
    fn what_means_the_same_is_nearer_than_what_does_not() {
        let alike = |a, b| cosine(&vector(a).unwrap(), &vector(b).unwrap());
        for (one, same, other) in [
            (
                "¿cuánto cuesta la licencia del perro?",
                "necesito sacarle licencia a mi perrito",
                "hay un bache en la calle",
            ),
            ("no pasaron por la basura", "dejaron el bote lleno", "quiero votar en la elección"),
            ("se fundió la lámpara de la calle", "el poste no prende la luz", "¿dónde pago mis impuestos?"),
        ] {
            assert!(alike(one, same) > alike(one, other), "{one}");
        }
    }

    proptest! {
        #[test]
        fn any_text_has_a_vector_of_unit_length_or_none(text in any::<String>()) {
            if let Some(vector) = vector(&text) {
                prop_assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-3);
            }
        }
    }
}
