//! A linear-chain conditional random field: weights, the best row of labels, and how likely each label is.

use std::fmt;
use std::sync::LazyLock;

use super::features::{self, BITS, Context};
use super::lexicon::Lexicon;
use super::token::Token;

/// First bytes of a weights' file; the digit is the version of the features.
const MAGIC: &[u8; 8] = b"QTAGGER1";
/// Rows of the table.
pub const ROWS: usize = 1 << BITS;
/// Weights of a feature: one a label but [`OUT`], whose score is the zero that all others are measured from.
pub const WIDTH: usize = LABELS - 1;
/// Labels: none; first and further tokens of a name; of an address.
pub const LABELS: usize = 5;
/// The label of what is neither name nor address.
pub const OUT: usize = 0;
/// Log odds of what cannot be: a further token without a first one.
const NEVER: f32 = -1e9;

/// Scores by label, for one token.
pub type Row = [f32; LABELS];

/// A weights' file that is not one of ours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WeightsError(usize);

impl fmt::Display for WeightsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the weights of the tagger ({} bytes) do not fit this version: train them again with `cargo run --release -p language --example train_tagger`",
            self.0
        )
    }
}

impl std::error::Error for WeightsError {}

/// Whether a label may follow another, or begin a text.
#[must_use]
pub const fn follows(before: Option<usize>, label: usize) -> bool {
    match (before, label) {
        (Some(before), 2) => before == 1 || before == 2,
        (Some(before), 4) => before == 3 || before == 4,
        (None, 2 | 4) => false,
        _ => true,
    }
}

/// What a file of weights is made of, as the training has it.
#[derive(Clone, PartialEq, Debug)]
pub struct Parts {
    /// [`WIDTH`] for each of [`ROWS`].
    pub weights: Vec<f32>,
    /// From one label to the next.
    pub steps: [Row; LABELS],
}

/// Trained weights with the word lists that they were trained with.
#[derive(Debug)]
pub struct Model {
    weights: Vec<i8>,
    scale: f32,
    steps: [Row; LABELS],
    lexicon: Lexicon,
}

static SHIPPED: LazyLock<Result<Model, WeightsError>> =
    LazyLock::new(|| Model::from_bytes(include_bytes!("../../data/tagger/weights.bin")));

impl Model {
    /// The one model of this process.
    ///
    /// # Errors
    /// When the shipped weights do not fit the code.
    pub fn shipped() -> Result<&'static Self, WeightsError> {
        SHIPPED.as_ref().map_err(Clone::clone)
    }

    /// The word lists.
    #[must_use]
    pub const fn lexicon(&self) -> &Lexicon {
        &self.lexicon
    }

    /// Log odds of each label and token, from the token's features alone.
    #[must_use]
    pub fn scores(&self, tokens: &[Token], context: &Context) -> Vec<Row> {
        (0..tokens.len())
            .map(|at| {
                let mut sums = [0_i32; WIDTH];
                features::each(tokens, context, at, |feature| {
                    let from = feature * WIDTH;
                    if let Some(weights) = self.weights.get(from..from + WIDTH) {
                        sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += i32::from(*weight));
                    }
                });
                let mut row = [0.0; LABELS];
                row[1..].iter_mut().zip(sums).for_each(|(score, sum)| *score = sum as f32 * self.scale);
                row
            })
            .collect()
    }

    /// Scores of steps, for [`best`] and [`likely`].
    #[must_use]
    pub const fn steps(&self) -> &[Row; LABELS] {
        &self.steps
    }

    /// Reads a weights' file.
    ///
    /// # Errors
    /// When it is cut short, of another version, or holds numbers that are none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        read(bytes).ok_or(WeightsError(bytes.len()))
    }

    /// A weights' file, each weight rounded to 255 steps.
    #[must_use]
    pub fn to_bytes(parts: &Parts, lexicon: &Lexicon) -> Vec<u8> {
        let mut sizes: Vec<f32> = parts.weights.iter().map(|w| w.abs()).filter(|w| *w > 0.0).collect();
        sizes.sort_by(f32::total_cmp);
        // A few giants would cost all others their precision.
        let largest = sizes.get(sizes.len().saturating_sub(1 + sizes.len() / 5000)).copied().unwrap_or(1.0);
        let scale = largest / 127.0;
        let mut out = MAGIC.to_vec();
        out.extend(scale.to_le_bytes());
        out.extend(parts.steps.iter().flatten().flat_map(|step| step.to_le_bytes()));
        lexicon.write(&mut out);
        #[expect(clippy::cast_possible_truncation, reason = "clamped to the range")]
        let small = |weight: &f32| ((weight / scale).round().clamp(-127.0, 127.0) as i8).cast_unsigned();
        out.extend(parts.weights.iter().map(small));
        out
    }
}

fn read(bytes: &[u8]) -> Option<Model> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (floats, rest) = rest.split_at_checked((1 + LABELS * LABELS) * 4)?;
    let floats: Vec<f32> = floats.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
    if !floats.iter().all(|f| f.is_finite()) {
        return None;
    }
    let (lexicon, weights) = Lexicon::read(rest)?;
    if weights.len() != ROWS * WIDTH {
        return None;
    }
    let (scale, rows) = floats.split_first()?;
    let mut steps = [[0.0; LABELS]; LABELS];
    steps.iter_mut().zip(rows.as_chunks::<LABELS>().0).for_each(|(step, row)| *step = *row);
    Some(Model { weights: weights.iter().map(|b| b.cast_signed()).collect(), scale: *scale, steps, lexicon })
}

/// The likeliest row of labels. `lean`: log odds that are taken from every label but the ones of names and addresses.
#[must_use]
pub fn best(scores: &[Row], steps: &[Row; LABELS], lean: f32) -> Vec<usize> {
    let mut back: Vec<[usize; LABELS]> = Vec::with_capacity(scores.len());
    let mut sums = [NEVER; LABELS];
    for (at, row) in scores.iter().enumerate() {
        let (mut next, mut from) = ([NEVER; LABELS], [OUT; LABELS]);
        for label in 0..LABELS {
            let own = row[label] - if label == OUT { lean } else { 0.0 };
            if at == 0 {
                if follows(None, label) {
                    next[label] = own;
                }
                continue;
            }
            for before in 0..LABELS {
                let sum = sums[before] + steps[before][label];
                if follows(Some(before), label) && sum > next[label] {
                    (next[label], from[label]) = (sum, before);
                }
            }
            next[label] += own;
        }
        sums = next;
        back.push(from);
    }
    let mut label = (0..LABELS).fold(OUT, |best, label| if sums[label] > sums[best] { label } else { best });
    let mut labels = vec![OUT; scores.len()];
    for (place, from) in labels.iter_mut().zip(&back).rev() {
        *place = label;
        label = from[label];
    }
    labels
}

/// How likely each label is at each token, over all rows of labels; and the logarithm of the sum over them.
#[must_use]
pub fn likely(scores: &[Row], steps: &[Row; LABELS]) -> (Vec<Row>, f32) {
    let (ahead, behind) = sums(scores, steps);
    let Some(last) = ahead.last() else { return (Vec::new(), 0.0) };
    let all = log_sum(last);
    let rows = ahead.iter().zip(&behind).map(|(a, b)| {
        let mut row = [0.0; LABELS];
        (0..LABELS).for_each(|label| row[label] = (a[label] + b[label] - all).exp());
        row
    });
    (rows.collect(), all)
}

/// Logarithms of sums over all rows of labels that end, and that go on, at each token with each label.
#[must_use]
pub fn sums(scores: &[Row], steps: &[Row; LABELS]) -> (Vec<Row>, Vec<Row>) {
    let mut ahead: Vec<Row> = Vec::with_capacity(scores.len());
    for row in scores {
        let mut next = [NEVER; LABELS];
        for label in 0..LABELS {
            let Some(last) = ahead.last() else {
                if follows(None, label) {
                    next[label] = row[label];
                }
                continue;
            };
            let mut ways = [NEVER; LABELS];
            (0..LABELS).filter(|before| follows(Some(*before), label)).for_each(|before| {
                ways[before] = last[before] + steps[before][label];
            });
            next[label] = log_sum(&ways) + row[label];
        }
        ahead.push(next);
    }
    let mut behind = vec![[0.0; LABELS]; scores.len()];
    for at in (1..scores.len()).rev() {
        for before in 0..LABELS {
            let mut ways = [NEVER; LABELS];
            (0..LABELS).filter(|label| follows(Some(before), *label)).for_each(|label| {
                ways[label] = steps[before][label] + scores[at][label] + behind[at][label];
            });
            behind[at - 1][before] = log_sum(&ways);
        }
    }
    (ahead, behind)
}

fn log_sum(values: &Row) -> f32 {
    let most = values.iter().copied().fold(f32::MIN, f32::max);
    most + values.iter().map(|value| (value - most).exp()).sum::<f32>().ln()
}
