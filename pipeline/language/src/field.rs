//! A linear-chain conditional random field: the best row of labels over the words of a text, and how likely each label is.
//!
//! Label [`OUT`] is of what is nothing; then two labels a kind: 1 and 2 are the first and the further words of the first kind,
//! 3 and 4 of the second, and so on. `L` is the number of labels. Who has features and weights' files of their own:
//! [`crate::tagger`], [`crate::reply`].

/// The label of what is of no kind.
pub const OUT: usize = 0;
/// Log odds of what cannot be: a further word without a first one.
const NEVER: f32 = -1e9;

/// Scores by label, for one word.
pub type Row<const L: usize> = [f32; L];
/// Scores of steps from one label to the next.
pub type Steps<const L: usize> = [Row<L>; L];

/// Whether a label may follow another, or begin a text.
#[must_use]
pub const fn follows(before: Option<usize>, label: usize) -> bool {
    if label == OUT || label % 2 == 1 {
        return true;
    }
    match before {
        Some(before) => before == label || before + 1 == label,
        None => false,
    }
}

/// Trained weights: of each feature one for each label but [`OUT`], whose score is the zero that all others are measured from.
#[derive(Clone, PartialEq, Debug)]
pub struct Field<const L: usize> {
    weights: Vec<i8>,
    scale: f32,
    steps: Steps<L>,
}

impl<const L: usize> Field<L> {
    /// Weights of a feature.
    pub const WIDTH: usize = L - 1;

    /// Of weights in steps of a scale. `None` where they do not make whole rows, or hold numbers that are none.
    #[must_use]
    pub fn new(weights: Vec<i8>, scale: f32, steps: Steps<L>) -> Option<Self> {
        let finite = scale.is_finite() && steps.iter().flatten().all(|step| step.is_finite());
        (finite && weights.len().is_multiple_of(Self::WIDTH)).then_some(Self { weights, scale, steps })
    }

    /// Of weights as they were learned, each rounded to 255 steps.
    #[must_use]
    pub fn rounded(weights: &[f32], steps: Steps<L>) -> Self {
        let mut sizes: Vec<f32> = weights.iter().map(|w| w.abs()).filter(|w| *w > 0.0).collect();
        sizes.sort_by(f32::total_cmp);
        // A few giants would cost all others their precision.
        let largest = sizes.get(sizes.len().saturating_sub(1 + sizes.len() / 5000)).copied().unwrap_or(1.0);
        let scale = largest / 127.0;
        #[expect(clippy::cast_possible_truncation, reason = "clamped to the range")]
        let small = |weight: &f32| (weight / scale).round().clamp(-127.0, 127.0) as i8;
        Self { weights: weights.iter().map(small).collect(), scale, steps }
    }

    /// Reads scale and steps from the front of a weights' file, and gives the rest.
    #[must_use]
    pub fn head(bytes: &[u8]) -> Option<(f32, Steps<L>, &[u8])> {
        let (floats, rest) = bytes.split_at_checked((1 + L * L) * 4)?;
        let floats: Vec<f32> =
            floats.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
        let (scale, rows) = floats.split_first()?;
        let mut steps = [[0.0; L]; L];
        steps.iter_mut().zip(rows.as_chunks::<L>().0).for_each(|(step, row)| *step = *row);
        Some((*scale, steps, rest))
    }

    /// Writes what [`Self::head`] reads.
    pub fn write_head(&self, out: &mut Vec<u8>) {
        out.extend(self.scale.to_le_bytes());
        out.extend(self.steps.iter().flatten().flat_map(|step| step.to_le_bytes()));
    }

    /// Writes the weights, a byte each.
    pub fn write_weights(&self, out: &mut Vec<u8>) {
        out.extend(self.weights.iter().map(|weight| weight.cast_unsigned()));
    }

    /// Features that there are weights for.
    #[must_use]
    pub const fn rows(&self) -> usize {
        self.weights.len() / Self::WIDTH
    }

    /// Scores of steps, for [`best`] and [`likely`].
    #[must_use]
    pub const fn steps(&self) -> &Steps<L> {
        &self.steps
    }

    /// Begins to add up the weights of a word's features.
    #[must_use]
    pub const fn sum(&self) -> Sum<'_, L> {
        Sum { field: self, sums: [0; L] }
    }
}

/// Weights of the features of one word, added up.
#[derive(Debug)]
pub struct Sum<'f, const L: usize> {
    field: &'f Field<L>,
    sums: [i32; L],
}

impl<const L: usize> Sum<'_, L> {
    /// Adds those of a feature. One that the field does not have adds nothing.
    pub fn add(&mut self, feature: usize) {
        let from = feature * Field::<L>::WIDTH;
        if let Some(weights) = self.field.weights.get(from..from + Field::<L>::WIDTH) {
            self.sums[1..].iter_mut().zip(weights).for_each(|(sum, weight)| *sum += i32::from(*weight));
        }
    }

    /// Log odds of each label.
    #[must_use]
    pub fn row(&self) -> Row<L> {
        self.sums.map(|sum| sum as f32 * self.field.scale)
    }
}

/// The likeliest row of labels. `lean`: log odds that are taken from [`OUT`].
#[must_use]
pub fn best<const L: usize>(scores: &[Row<L>], steps: &Steps<L>, lean: f32) -> Vec<usize> {
    let mut back: Vec<[usize; L]> = Vec::with_capacity(scores.len());
    let mut sums = [NEVER; L];
    for (at, row) in scores.iter().enumerate() {
        let (mut next, mut from) = ([NEVER; L], [OUT; L]);
        for label in 0..L {
            let own = row[label] - if label == OUT { lean } else { 0.0 };
            if at == 0 {
                if follows(None, label) {
                    next[label] = own;
                }
                continue;
            }
            for before in 0..L {
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
    let mut label = (0..L).fold(OUT, |best, label| if sums[label] > sums[best] { label } else { best });
    let mut labels = vec![OUT; scores.len()];
    for (place, from) in labels.iter_mut().zip(&back).rev() {
        *place = label;
        label = from[label];
    }
    labels
}

/// How likely each label is at each word, over all rows of labels; and the logarithm of the sum over them.
#[must_use]
pub fn likely<const L: usize>(scores: &[Row<L>], steps: &Steps<L>) -> (Vec<Row<L>>, f32) {
    let (ahead, behind) = sums(scores, steps);
    let Some(last) = ahead.last() else { return (Vec::new(), 0.0) };
    let all = log_sum(last);
    let rows = ahead.iter().zip(&behind).map(|(a, b)| {
        let mut row = [0.0; L];
        (0..L).for_each(|label| row[label] = (a[label] + b[label] - all).exp());
        row
    });
    (rows.collect(), all)
}

/// Logarithms of sums over all rows of labels that end, and that go on, at each word with each label.
#[must_use]
pub fn sums<const L: usize>(scores: &[Row<L>], steps: &Steps<L>) -> (Vec<Row<L>>, Vec<Row<L>>) {
    let mut ahead: Vec<Row<L>> = Vec::with_capacity(scores.len());
    for row in scores {
        let mut next = [NEVER; L];
        for label in 0..L {
            let Some(last) = ahead.last() else {
                if follows(None, label) {
                    next[label] = row[label];
                }
                continue;
            };
            let mut ways = [NEVER; L];
            (0..L).filter(|before| follows(Some(*before), label)).for_each(|before| {
                ways[before] = last[before] + steps[before][label];
            });
            next[label] = log_sum(&ways) + row[label];
        }
        ahead.push(next);
    }
    let mut behind = vec![[0.0; L]; scores.len()];
    for at in (1..scores.len()).rev() {
        for before in 0..L {
            let mut ways = [NEVER; L];
            (0..L).filter(|label| follows(Some(before), *label)).for_each(|label| {
                ways[label] = steps[before][label] + scores[at][label] + behind[at][label];
            });
            behind[at - 1][before] = log_sum(&ways);
        }
    }
    (ahead, behind)
}

/// Logarithm of the sum of exponentials.
#[must_use]
pub fn log_sum<const L: usize>(values: &Row<L>) -> f32 {
    let most = values.iter().copied().fold(f32::MIN, f32::max);
    most + values.iter().map(|value| (value - most).exp()).sum::<f32>().ln()
}
