//! The trained head: log odds of each route and act, linear in the sentence vector and in the marks of the words.

use std::fmt;
use std::sync::LazyLock;

use super::marks::{self, BITS, damping};
use super::{Act, Projection, WIDTH};
use crate::Language;

/// First bytes of a weights' file; the digit is the version of the marks.
const MAGIC: &[u8; 8] = b"QINTENT1";
/// Marks that there are.
const MARKS: usize = 1 << BITS;
/// Largest number of routes in a file.
const MOST_ROUTES: usize = 64;

/// A weights' file that is not one of ours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WeightsError(usize);

impl fmt::Display for WeightsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the weights of intents ({} bytes) do not fit this version: train them again with `cargo run --release -p dialogue --example train_intents`",
            self.0
        )
    }
}

impl std::error::Error for WeightsError {}

/// What a file of weights is made of, as the training has it. Outputs are the routes and then the acts.
#[derive(Clone, PartialEq, Debug)]
pub struct Parts {
    pub routes: Vec<String>,
    /// For each mark, one weight an output.
    pub sparse: Vec<f32>,
    /// For each number of the vector, one weight an output.
    pub dense: Vec<f32>,
    /// One an output where there is a vector, then one an output where there is none.
    pub bias: Vec<f32>,
    /// By what log odds are multiplied: routes, acts.
    pub sharpness: [f32; 2],
    pub projection: Projection,
}

/// The trained head.
#[derive(Debug)]
pub struct Head {
    routes: Vec<String>,
    outputs: usize,
    sparse: Vec<i8>,
    sparse_scale: f32,
    dense: Vec<i8>,
    dense_scale: f32,
    bias: Vec<f32>,
    sharpness: [f32; 2],
    projection: Projection,
}

static SHIPPED: LazyLock<Result<Head, WeightsError>> =
    LazyLock::new(|| Head::from_bytes(include_bytes!("../../data/intents/weights.bin")));

impl Head {
    /// The one head of this process.
    ///
    /// # Errors
    /// When the shipped weights do not fit the code.
    pub fn shipped() -> Result<&'static Self, WeightsError> {
        SHIPPED.as_ref().map_err(Clone::clone)
    }

    /// The routes that it was trained on, in the order of [`Head::read`].
    #[must_use]
    pub fn routes(&self) -> &[String] {
        &self.routes
    }

    /// Whether it was trained on a route.
    #[must_use]
    pub fn knows(&self, route: &str) -> bool {
        self.routes.iter().any(|own| own == route)
    }

    /// What examples are compared through.
    #[must_use]
    pub const fn projection(&self) -> &Projection {
        &self.projection
    }

    /// Probabilities of the routes, and of the acts in the order of [`Act::ALL`].
    #[must_use]
    pub fn read(
        &self,
        text: &str,
        language: Language,
        asked: bool,
        vector: Option<&[f32]>,
    ) -> (Vec<f32>, Vec<f32>) {
        let vector = vector.filter(|vector| vector.len() == WIDTH);
        let mut sums = vec![0i32; self.outputs];
        let words = marks::each(text, language, asked, |mark| {
            let from = mark as usize * self.outputs;
            if let Some(row) = self.sparse.get(from..from + self.outputs) {
                sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += i32::from(*weight));
            }
        });
        let scale = self.sparse_scale * damping(words);
        let bias = if vector.is_some() { 0 } else { self.outputs };
        let mut odds: Vec<f32> = sums
            .iter()
            .zip(self.bias.iter().skip(bias))
            .map(|(sum, bias)| *sum as f32 * scale + bias)
            .collect();
        for (value, row) in vector.unwrap_or_default().iter().zip(self.dense.chunks(self.outputs)) {
            let value = value * self.dense_scale;
            odds.iter_mut().zip(row).for_each(|(odds, weight)| *odds += value * f32::from(*weight));
        }
        let acts = odds.split_off(self.routes.len());
        (softmax(&odds, self.sharpness[0]), softmax(&acts, self.sharpness[1]))
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
    pub fn to_bytes(parts: &Parts) -> Vec<u8> {
        let names = parts.routes.join("\n");
        let mut out = MAGIC.to_vec();
        out.extend(u32::try_from(names.len()).unwrap_or(0).to_le_bytes());
        out.extend(names.as_bytes());
        let (sparse, sparse_scale) = rounded(&parts.sparse);
        let (dense, dense_scale) = rounded(&parts.dense);
        let (rows, rows_scale) = rounded(&parts.projection.rows);
        let floats = [sparse_scale, dense_scale, rows_scale]
            .into_iter()
            .chain(parts.sharpness)
            .chain(parts.projection.odds)
            .chain(parts.bias.iter().copied())
            .chain(parts.projection.center.iter().copied());
        out.extend(floats.flat_map(f32::to_le_bytes));
        out.extend(sparse.iter().chain(&dense).chain(&rows).map(|weight| weight.cast_unsigned()));
        out
    }
}

fn read(bytes: &[u8]) -> Option<Head> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let (names, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let routes: Vec<String> = std::str::from_utf8(names).ok()?.split('\n').map(str::to_owned).collect();
    if routes.len() > MOST_ROUTES {
        return None;
    }
    let outputs = routes.len() + Act::ALL.len();
    let (floats, rest) = rest.split_at_checked((8 + 2 * outputs + WIDTH) * 4)?;
    let floats: Vec<f32> = floats.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
    if !floats.iter().all(|f| f.is_finite()) {
        return None;
    }
    let (sparse, rest) = rest.split_at_checked(MARKS * outputs)?;
    let (dense, rows) = rest.split_at_checked(WIDTH * outputs)?;
    if rows.is_empty() || rows.len() % WIDTH != 0 {
        return None;
    }
    let [sparse_scale, dense_scale, rows_scale, r, a, likeness, lead, odds_bias] = *floats.first_chunk()?;
    let small = |bytes: &[u8]| bytes.iter().map(|b| b.cast_signed()).collect::<Vec<i8>>();
    Some(Head {
        outputs,
        sparse: small(sparse),
        sparse_scale,
        dense: small(dense),
        dense_scale,
        bias: floats[8..8 + 2 * outputs].to_vec(),
        sharpness: [r, a],
        projection: Projection {
            rows: rows.iter().map(|b| f32::from(b.cast_signed()) * rows_scale).collect(),
            center: floats[8 + 2 * outputs..].to_vec(),
            odds: [likeness, lead, odds_bias],
        },
        routes,
    })
}

/// Weights as bytes, and what one step is worth.
fn rounded(weights: &[f32]) -> (Vec<i8>, f32) {
    let mut sizes: Vec<f32> = weights.iter().map(|w| w.abs()).filter(|w| *w > 0.0).collect();
    sizes.sort_by(f32::total_cmp);
    // A few giants would cost all others their precision.
    let largest = sizes.get(sizes.len().saturating_sub(1 + sizes.len() / 2000)).copied().unwrap_or(1.0);
    let scale = largest / 127.0;
    #[expect(clippy::cast_possible_truncation, reason = "clamped to the range")]
    let small = |weight: &f32| (weight / scale).round().clamp(-127.0, 127.0) as i8;
    (weights.iter().map(small).collect(), scale)
}

fn softmax(odds: &[f32], sharpness: f32) -> Vec<f32> {
    let most = odds.iter().copied().fold(f32::MIN, f32::max);
    let all: Vec<f32> = odds.iter().map(|o| ((o - most) * sharpness).exp()).collect();
    let sum: f32 = all.iter().sum();
    all.into_iter().map(|p| p / sum).collect()
}
