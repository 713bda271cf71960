//! What a sentence of the agent's means, whatever its words: whether it is one that must not be said, and whether it claims
//! or promises an act. English and Spanish.
//!
//! Two softmaxes over hashed words, over the vector of the sentence, and over what its tokens stand for, to which some queries
//! listen; trained by `agents/knowledge/examples/train_meaning` on sentences of several hands in `data/meaning`. Pure: whoever
//! has the encoder hands in what it made of the sentence ([`Seen`]). Where there is none, or it is late, the words decide alone,
//! and less is found. The rules ask with `means('KIND')`, the judge with [`Meant::claims`].
#![deny(clippy::disallowed_methods)]

mod kinds;

use std::fmt;
use std::sync::LazyLock;

pub use kinds::{Act, Forbidden};

use crate::guard::Guard;
use crate::guard::lexicon::Lexicon;
use crate::rules::likeness::concepts::Concepts;
use crate::rules::likeness::{damping, is_question, marks, plain_words};

/// Numbers in a sentence vector.
pub const WIDTH: usize = 384;
/// Outputs: an allowed sentence and what must not be said; a plain one and what is claimed.
pub const FORBIDDEN: usize = 1 + Forbidden::ALL.len();
pub const OUTPUTS: usize = FORBIDDEN + 1 + Act::ALL.len();
/// Units of the hidden layer over the vector.
pub const HIDDEN: usize = 192;
/// Queries that listen to tokens, and the units behind each.
pub const QUERIES: usize = 16;
pub const EACH: usize = 16;
/// Tokens that are listened to; a sentence has fewer.
pub const TOKENS: usize = 64;
/// Numbers of words' marks that are told apart.
pub const MARKS: usize = 1 << (marks::BITS - FOLDED);
/// Bits that a mark's number loses.
const FOLDED: u32 = 1;
/// First bytes of a weights' file; the digit is the version of the marks.
const MAGIC: &[u8; 8] = b"QMEANS02";
/// Floats before the weights of marks: scales, biases, the hidden layer on both sides, and the queries with theirs.
const FLOATS: usize =
    OUTPUTS * (2 + HIDDEN + HEARD) + HIDDEN * (1 + WIDTH) + QUERIES * WIDTH + HEARD * (1 + WIDTH);
/// Units behind all queries.
const HEARD: usize = QUERIES * EACH;
/// Shorter sentences, "Done.", "Sigo aquí.", mean nothing by themselves; words that nobody saw together need more.
const FEWEST: usize = 3;
const FEWEST_BY_WORDS: usize = 5;
/// Thousandths from which a sentence claims or promises an act, seen whole and by its words alone. Chosen on a hand and on public
/// agents that no training had seen.
const CLAIMS: u16 = 300;
const CLAIMS_BY_WORDS: u16 = 500;
/// Thousandths by which words alone are less sure of what must not be said.
const LESS_BY_WORDS: u16 = 330;
/// Thousandths below which a sentence is nothing that must not be said, whatever single words of it make it look like.
const HARMLESS: u16 = 150;

/// What was read of one sentence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Meant {
    forbidden: (Forbidden, u16),
    act: (Act, u16),
    whole: bool,
}

/// What the sentence encoder made of a sentence.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The vector of the sentence, at unit length.
    pub vector: &'a [f32],
    /// One after the other what its tokens stand for, [`WIDTH`] numbers each.
    pub tokens: &'a [f32],
}

impl Meant {
    /// A reading: the likeliest of what must not be said and the likeliest act, each with how sure it is, in thousandths,
    /// that the sentence is any of them.
    #[must_use]
    pub const fn new(forbidden: (Forbidden, u16), act: (Act, u16)) -> Self {
        Self { forbidden, act, whole: true }
    }

    /// Whether the encoder saw the sentence; otherwise its words decided alone.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.whole
    }

    /// What it is most like of what must not be said, and how sure it is, in thousandths, that it is anything of the sort.
    #[must_use]
    pub const fn forbidden(&self) -> (Forbidden, u16) {
        self.forbidden
    }

    /// How sure it is, in thousandths, where it is most like this. By its words alone it counts for less: "It opens at eight and
    /// closes at five." has words of those who talk somebody out of calling.
    #[must_use]
    pub fn of(&self, kind: Forbidden) -> u16 {
        let sure = if self.whole { self.forbidden.1 } else { self.forbidden.1.saturating_sub(LESS_BY_WORDS) };
        if self.forbidden.0 == kind { sure } else { 0 }
    }

    /// Whether it is surely none of what must not be said.
    #[must_use]
    pub const fn is_harmless(&self) -> bool {
        self.whole && self.forbidden.1 < HARMLESS
    }

    /// The act that it claims or promises, if any.
    #[must_use]
    pub const fn claims(&self) -> Option<Act> {
        let least = if self.whole { CLAIMS } else { CLAIMS_BY_WORDS };
        if self.act.1 >= least { Some(self.act.0) } else { None }
    }

    /// The act that it is most like, and how sure it is, in thousandths, that it claims or promises any.
    #[must_use]
    pub const fn act(&self) -> (Act, u16) {
        self.act
    }
}

/// A weights' file that is not one of ours, or a guard without its word lists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MeaningError(String);

impl fmt::Display for MeaningError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: train it again with `cargo run --release -p knowledge --example train_meaning`",
            self.0
        )
    }
}

impl std::error::Error for MeaningError {}

/// One weight an output.
pub type Weights = [f32; OUTPUTS];

/// The marks of a sentence's words.
#[derive(Debug)]
pub struct Marks {
    lexicon: &'static Lexicon,
    concepts: Concepts,
}

impl Marks {
    /// # Errors
    /// When the guard's word lists cannot be read.
    pub fn shipped() -> Result<Self, MeaningError> {
        let guard = Guard::shipped().map_err(|e| MeaningError(e.to_string()))?;
        // What the rules know stands first: a word belongs to the first concept that names it.
        let lists =
            [include_str!("../../data/rules/concepts.txt"), include_str!("../../data/meaning/concepts.txt")];
        Ok(Self { lexicon: guard.lexicon(), concepts: Concepts::read(&lists.join("\n")) })
    }

    /// Calls `found` with each mark, below [`MARKS`], and counts the words.
    pub fn each(&self, text: &str, mut found: impl FnMut(u32)) -> usize {
        let folded = |mark: u32| found(mark >> FOLDED);
        marks::each(&plain_words(text), is_question(text), self.lexicon, &self.concepts, folded)
    }
}

/// Weights as a training makes them.
#[derive(Clone, Debug)]
pub struct Parts {
    /// A row a mark.
    pub marks: Vec<Weights>,
    pub bias: Weights,
    pub layers: Layers,
}

/// One number a unit of the hidden layer.
pub type Units = [f32; HIDDEN];
/// One number a unit behind a query.
pub type Own = [f32; EACH];

/// What reads a sentence that was seen.
#[derive(Clone, Debug)]
pub struct Layers {
    /// From the vector into the hidden layer: a row a number of the vector, and what each unit begins with.
    pub into: Vec<Units>,
    pub begin: Units,
    /// Out of the hidden layer: a row a unit.
    pub out: Vec<Weights>,
    pub queries: Vec<Query>,
}

/// Listens to the tokens that it is about.
#[derive(Clone, Debug)]
pub struct Query {
    pub asks: Vec<f32>,
    /// A row a number of a token, and what each unit begins with.
    pub into: Vec<Own>,
    pub begin: Own,
    /// A row a unit.
    pub out: Vec<Weights>,
}

impl Layers {
    /// Nothing is read.
    #[must_use]
    pub fn empty() -> Self {
        let query = Query {
            asks: vec![0.0; WIDTH],
            into: vec![[0.0; EACH]; WIDTH],
            begin: [0.0; EACH],
            out: vec![[0.0; OUTPUTS]; EACH],
        };
        Self {
            into: vec![[0.0; HIDDEN]; WIDTH],
            begin: [0.0; HIDDEN],
            out: vec![[0.0; OUTPUTS]; HIDDEN],
            queries: vec![query; QUERIES],
        }
    }

    /// Every number, in the order of the file.
    fn numbers(&mut self) -> Vec<&mut f32> {
        let mut all: Vec<&mut f32> = self.out.iter_mut().flatten().collect();
        all.extend(&mut self.begin);
        all.extend(self.into.iter_mut().flatten());
        for query in &mut self.queries {
            all.extend(&mut query.asks);
            all.extend(&mut query.begin);
            all.extend(query.into.iter_mut().flatten());
            all.extend(query.out.iter_mut().flatten());
        }
        all
    }

    /// Adds what a sentence that was seen says of each output.
    fn add(&self, seen: Seen<'_>, odds: &mut Weights) {
        let units = through(&self.into, self.begin, seen.vector);
        add(odds, &units, &self.out);
        let tokens: Vec<&[f32]> = seen.tokens.chunks_exact(WIDTH).take(TOKENS).collect();
        for query in self.queries.iter().filter(|_| !tokens.is_empty()) {
            let (heard, _) = listen(&query.asks, &tokens);
            add(odds, &through(&query.into, query.begin, &heard), &query.out);
        }
    }
}

/// What units make of some numbers: nothing below zero goes on.
#[must_use]
pub fn through<const N: usize>(into: &[[f32; N]], begin: [f32; N], numbers: &[f32]) -> [f32; N] {
    let mut units = begin;
    for (value, row) in numbers.iter().zip(into) {
        units.iter_mut().zip(row).for_each(|(unit, weight)| *unit += value * weight);
    }
    units.map(|unit| unit.max(0.0))
}

fn add(odds: &mut Weights, units: &[f32], out: &[Weights]) {
    for (unit, row) in units.iter().zip(out).filter(|(unit, _)| **unit > 0.0) {
        odds.iter_mut().zip(row).for_each(|(odds, weight)| *odds += unit * weight);
    }
}

/// The sum of products, eight lanes at a time.
#[must_use]
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a, left), (b, right)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut lanes = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        lanes.iter_mut().zip(a.iter().zip(b)).for_each(|(lane, (a, b))| *lane += a * b);
    }
    lanes.iter().sum::<f32>() + left.iter().zip(right).map(|(a, b)| a * b).sum::<f32>()
}

/// The mean of tokens by how much they are what is asked for, and each one's share in it.
#[must_use]
pub fn listen(asks: &[f32], tokens: &[&[f32]]) -> (Vec<f32>, Vec<f32>) {
    let mut shares: Vec<f32> = tokens.iter().map(|token| dot(token, asks)).collect();
    let most = shares.iter().copied().fold(f32::MIN, f32::max);
    shares.iter_mut().for_each(|share| *share = (*share - most).exp());
    let sum: f32 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= sum.max(f32::MIN_POSITIVE));
    let mut heard = vec![0.0; WIDTH];
    for (token, share) in tokens.iter().zip(&shares) {
        heard.iter_mut().zip(*token).for_each(|(sum, value)| *sum += value * share);
    }
    (heard, shares)
}

/// The trained heads.
#[derive(Debug)]
pub struct Meaning {
    marks: Marks,
    weights: Vec<[i8; OUTPUTS]>,
    layers: Layers,
    scale: Weights,
    bias: Weights,
}

static SHIPPED: LazyLock<Result<Meaning, MeaningError>> =
    LazyLock::new(|| Meaning::from_bytes(include_bytes!("../../data/meaning/weights.bin")));

impl Meaning {
    /// The one of this process.
    ///
    /// # Errors
    /// When the shipped weights do not fit the code.
    pub fn shipped() -> Result<&'static Self, MeaningError> {
        SHIPPED.as_ref().map_err(Clone::clone)
    }

    /// Reads a weights' file.
    ///
    /// # Errors
    /// When it is cut short, of another version, or holds numbers that are none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MeaningError> {
        let wrong = || {
            MeaningError(format!("the weights of meaning ({} bytes) do not fit this version", bytes.len()))
        };
        let (header, rest) = bytes.split_at_checked(MAGIC.len() + FLOATS * 4).ok_or_else(wrong)?;
        let (rows, left) = rest.as_chunks::<OUTPUTS>();
        let mut floats =
            header[MAGIC.len()..].as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four));
        let mut next = || floats.next().unwrap_or(f32::NAN);
        let [scale, bias] = [(); 2].map(|()| -> Weights { std::array::from_fn(|_| next()) });
        let mut layers = Layers::empty();
        let mut finite = scale.iter().chain(&bias).all(|f| f.is_finite());
        for number in layers.numbers() {
            *number = next();
            finite &= number.is_finite();
        }
        if !header.starts_with(MAGIC) || !left.is_empty() || rows.len() != MARKS || !finite {
            return Err(wrong());
        }
        let weights = rows.iter().map(|row| row.map(u8::cast_signed)).collect();
        Ok(Self { marks: Marks::shipped()?, weights, layers, scale, bias })
    }

    /// A weights' file, each weight of a mark rounded to 255 steps.
    #[must_use]
    pub fn to_bytes(parts: &Parts) -> Vec<u8> {
        let scale: Weights = std::array::from_fn(|output| {
            let mut sizes: Vec<f32> =
                parts.marks.iter().map(|w| w[output].abs()).filter(|w| *w > 0.0).collect();
            sizes.sort_by(f32::total_cmp);
            // A few giants would cost all others their precision.
            let largest = sizes.get(sizes.len().saturating_sub(1 + sizes.len() / 2000)).copied();
            largest.unwrap_or(1.0) / 127.0
        });
        let mut out = MAGIC.to_vec();
        out.extend(scale.iter().chain(&parts.bias).flat_map(|f| f.to_le_bytes()));
        out.extend(parts.layers.clone().numbers().into_iter().flat_map(|f| f.to_le_bytes()));
        #[expect(clippy::cast_possible_truncation, reason = "clamped to the range")]
        let small = |weight: f32, scale: f32| (weight / scale).round().clamp(-127.0, 127.0) as i8;
        for row in &parts.marks {
            out.extend(row.iter().zip(&scale).map(|(w, s)| small(*w, *s).cast_unsigned()));
        }
        out
    }

    /// What a sentence means, by its words and by what the encoder saw in it; `None` of too few words. What another encoder
    /// saw does not count.
    #[must_use]
    pub fn read(&self, text: &str, seen: Option<Seen<'_>>) -> Option<Meant> {
        let mut sums = [0i32; OUTPUTS];
        let count = self.marks.each(text, |mark| {
            if let Some(row) = self.weights.get(mark as usize) {
                sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += i32::from(*weight));
            }
        });
        let seen = seen.filter(|seen| seen.vector.len() == WIDTH);
        if count < if seen.is_some() { FEWEST } else { FEWEST_BY_WORDS } {
            return None;
        }
        let damping = damping(count);
        #[expect(clippy::cast_precision_loss, reason = "sums of some thousand bytes")]
        let mut odds: Weights =
            std::array::from_fn(|n| self.bias[n] + sums[n] as f32 * self.scale[n] * damping);
        if let Some(seen) = seen {
            self.layers.add(seen, &mut odds);
        }
        let (forbidden, act) = odds.split_at(FORBIDDEN);
        let (kind, sure) = likeliest(forbidden);
        let (own, claims) = likeliest(act);
        let meant = Meant::new((*Forbidden::ALL.get(kind)?, sure), (*Act::ALL.get(own)?, claims));
        Some(Meant { whole: seen.is_some(), ..meant })
    }
}

/// Which of the outputs after the first is the likeliest, and how likely it is any of them, in thousandths.
fn likeliest(odds: &[f32]) -> (usize, u16) {
    let most = odds.iter().copied().fold(f32::MIN, f32::max);
    let sum: f32 = odds.iter().map(|o| (o - most).exp()).sum();
    let none = odds.first().map_or(1.0, |o| (o - most).exp() / sum);
    let best = odds.iter().skip(1).enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(n, _)| n);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 1000")]
    let sure = ((1.0 - none) * 1000.0).round() as u16;
    (best, sure)
}

#[cfg(test)]
mod tests;
