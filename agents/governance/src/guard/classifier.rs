//! A linear model over hashed features, trained by `examples/train_guard`. Its weights are one byte each.

use super::features;
use super::lexicon::Lexicon;
use super::normalise::Word;

/// First bytes of a weights' file; the digit is the version of the features.
const MAGIC: &[u8; 8] = b"QGUARD01";
const HEADER: usize = 16;
/// Added to the number of words, so that a single word does not decide.
const SMOOTHING: f32 = 4.0;

/// The weights' file is not one of ours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WeightsError {
    /// Bytes that the file has.
    pub length: usize,
}

impl std::fmt::Display for WeightsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the guard's weights ({} bytes) do not fit this version: train them again with `cargo run --release -p governance --example train_guard`",
            self.length
        )
    }
}

impl std::error::Error for WeightsError {}

/// The trained model.
#[derive(Clone, Debug)]
pub struct Classifier {
    weights: Vec<i8>,
    scale: f32,
    bias: f32,
}

impl Classifier {
    /// Reads a weights' file.
    ///
    /// # Errors
    /// When it is cut short, of another version, or holds numbers that are none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        let wrong = WeightsError { length: bytes.len() };
        let (header, rest) = bytes.split_at_checked(HEADER).ok_or(wrong)?;
        let float = |at: usize| header[at..at + 4].try_into().map(f32::from_le_bytes).map_err(|_| wrong);
        let (scale, bias) = (float(8)?, float(12)?);
        if &header[..8] != MAGIC
            || rest.len() != 1 << features::BITS
            || !scale.is_finite()
            || !bias.is_finite()
        {
            return Err(wrong);
        }
        Ok(Self { weights: rest.iter().map(|b| b.cast_signed()).collect(), scale, bias })
    }

    /// A weights' file of a trained model, rounded to 255 steps.
    #[must_use]
    pub fn to_bytes(weights: &[f32], bias: f32) -> Vec<u8> {
        let mut sizes: Vec<f32> = weights.iter().map(|w| w.abs()).filter(|w| *w > 0.0).collect();
        sizes.sort_by(f32::total_cmp);
        // A few giants would cost all others their precision.
        let largest = sizes.get(sizes.len().saturating_sub(1 + sizes.len() / 2000)).copied().unwrap_or(1.0);
        let scale = largest / 127.0;
        let mut out = MAGIC.to_vec();
        out.extend(scale.to_le_bytes());
        out.extend(bias.to_le_bytes());
        #[expect(clippy::cast_possible_truncation, reason = "clamped to the range")]
        out.extend(weights.iter().map(|w| ((w / scale).round().clamp(-127.0, 127.0) as i8).cast_unsigned()));
        out
    }

    /// What each word adds to the score.
    #[must_use]
    pub fn contributions(&self, words: &[Word], lexicon: &Lexicon) -> Vec<f32> {
        let mut sums = vec![0i32; words.len()];
        features::each(words, lexicon, |at, feature| {
            sums[at] += i32::from(self.weights[feature as usize]);
        });
        #[expect(clippy::cast_precision_loss, reason = "sums of a few hundred bytes")]
        sums.into_iter().map(|s| s as f32 * self.scale).collect()
    }

    /// Log odds of a stretch whose words add `sum`.
    #[must_use]
    pub fn log_odds(&self, sum: f32, words: usize) -> f32 {
        self.bias + sum * damping(words)
    }
}

/// By what a sum over that many words is multiplied.
#[must_use]
pub fn damping(words: usize) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "counts of words")]
    let n = words as f32;
    1.0 / (n + SMOOTHING).sqrt()
}
