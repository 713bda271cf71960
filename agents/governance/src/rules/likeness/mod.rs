//! What a sentence reads like, whatever its words: a small linear model beside the patterns.
//!
//! Patterns stop the wordings that somebody thought of. The model weighs words, the things that they stand for
//! ([`concepts`]) and the order in which those stand ([`marks`]), so that it knows a forbidden sentence in words of its own,
//! and an ordinary one that only shares its words. Trained by `examples/train_rules`; a rule asks it with `reads_like`.

pub mod concepts;
pub mod marks;

use std::fmt;
use std::sync::LazyLock;

use super::plain;
use crate::guard::Guard;
use crate::guard::lexicon::Lexicon;
use concepts::Concepts;

/// First bytes of a weights' file; the digit is the version of the marks.
const MAGIC: &[u8; 8] = b"QRULES01";
/// The first bytes, and a scale and a bias for each kind.
const HEADER: usize = MAGIC.len() + KINDS * 8;
const KINDS: usize = Kind::ALL.len();
/// Added to the number of words, so that a short sentence is not judged by one of them.
const SMOOTHING: f32 = 4.0;

/// A word alone, "Done." or a heading, reads like nothing.
const FEWEST: usize = 2;

/// A sentence of fewer words is advice only where it names what the advice is about: "That's fine." is none.
const SHORT: usize = 6;
/// By kind, the concepts that name it.
const SUBJECTS: [(Kind, &[&str]); 2] = [
    (
        Kind::LegalAdvice,
        &[
            "expert", "sue", "court", "plead", "case", "win", "liable", "rights", "law", "damages", "sign",
            "contract", "void", "landlord", "opponent", "punish", "summons", "fight", "ignore",
        ],
    ),
    (
        Kind::MedicalAdvice,
        &[
            "doctor",
            "medicine",
            "dose",
            "illness",
            "symptom",
            "body",
            "heal",
            "emergency_number",
            "emergency",
            "responder",
        ],
    ),
];

/// What a sentence may read like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    LegalAdvice,
    MedicalAdvice,
    Promise,
    Discourages911,
    PromisesDispatch,
    ClaimsHuman,
}

impl Kind {
    pub const ALL: [Self; 6] = [
        Self::LegalAdvice,
        Self::MedicalAdvice,
        Self::Promise,
        Self::Discourages911,
        Self::PromisesDispatch,
        Self::ClaimsHuman,
    ];

    /// As a rule names it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::LegalAdvice => "legal_advice",
            Self::MedicalAdvice => "medical_advice",
            Self::Promise => "promise",
            Self::Discourages911 => "discourages_911",
            Self::PromisesDispatch => "promises_dispatch",
            Self::ClaimsHuman => "claims_human",
        }
    }

    /// The kind of that name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A weights' file that is not one of ours, or a guard without its word lists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LikenessError(String);

impl fmt::Display for LikenessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: train the rules' weights again with `cargo run --release -p governance --example train_rules`",
            self.0
        )
    }
}

impl std::error::Error for LikenessError {}

/// How much a sentence reads like each kind, in thousandths.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reading([i64; KINDS]);

impl Reading {
    #[must_use]
    pub fn of(&self, kind: Kind) -> i64 {
        self.0.get(kind as usize).copied().unwrap_or_default()
    }
}

/// One weight a kind.
pub type Weights = [f32; KINDS];

/// The trained model.
#[derive(Debug)]
pub struct Likeness {
    lexicon: &'static Lexicon,
    concepts: Concepts,
    /// Those of one mark stand together.
    weights: Vec<[i8; KINDS]>,
    scale: Weights,
    bias: Weights,
}

static SHIPPED: LazyLock<Result<Likeness, LikenessError>> =
    LazyLock::new(|| Likeness::from_bytes(include_bytes!("../../../data/rules/weights.bin")));

impl Likeness {
    /// The one model of this process.
    ///
    /// # Errors
    /// When the shipped weights do not fit the code; loading the shipped rules tells of it.
    pub fn shipped() -> Result<&'static Self, LikenessError> {
        SHIPPED.as_ref().map_err(Clone::clone)
    }

    /// Reads a weights' file.
    ///
    /// # Errors
    /// When it is cut short, of another version, or holds numbers that are none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LikenessError> {
        let wrong =
            || LikenessError(format!("the rules' weights ({} bytes) do not fit this version", bytes.len()));
        let guard = Guard::shipped().map_err(|e| LikenessError(e.to_string()))?;
        let (header, rest) = bytes.split_at_checked(HEADER).ok_or_else(wrong)?;
        let (rows, left) = rest.as_chunks::<KINDS>();
        let mut floats =
            header[MAGIC.len()..].as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four));
        let mut next = || -> Weights { std::array::from_fn(|_| floats.next().unwrap_or(f32::NAN)) };
        let (scale, bias) = (next(), next());
        let finite = scale.iter().chain(&bias).all(|f| f.is_finite());
        if !header.starts_with(MAGIC) || !left.is_empty() || rows.len() != 1 << marks::BITS || !finite {
            return Err(wrong());
        }
        Ok(Self {
            lexicon: guard.lexicon(),
            concepts: Concepts::shipped(),
            weights: rows.iter().map(|row| row.map(u8::cast_signed)).collect(),
            scale,
            bias,
        })
    }

    /// A weights' file of a trained model, each weight rounded to 255 steps.
    #[must_use]
    pub fn to_bytes(weights: &[Weights], bias: Weights) -> Vec<u8> {
        let scale: Weights = std::array::from_fn(|kind| {
            let mut sizes: Vec<f32> = weights.iter().map(|w| w[kind].abs()).filter(|w| *w > 0.0).collect();
            sizes.sort_by(f32::total_cmp);
            // A few giants would cost all others their precision.
            let largest = sizes.get(sizes.len().saturating_sub(1 + sizes.len() / 2000)).copied();
            largest.unwrap_or(1.0) / 127.0
        });
        let mut out = MAGIC.to_vec();
        out.extend(scale.iter().chain(&bias).flat_map(|f| f.to_le_bytes()));
        #[expect(clippy::cast_possible_truncation, reason = "clamped to the range")]
        let small = |weight: f32, scale: f32| (weight / scale).round().clamp(-127.0, 127.0) as i8;
        for row in weights {
            out.extend(row.iter().zip(&scale).map(|(w, s)| small(*w, *s).cast_unsigned()));
        }
        out
    }

    /// What a sentence reads like.
    #[must_use]
    pub fn read(&self, text: &str) -> Reading {
        self.read_words(&plain::words(text), is_question(text))
    }

    /// The same of plain words. Linear in them.
    pub(super) fn read_words(&self, words: &str, is_question: bool) -> Reading {
        let mut sums = [0i32; KINDS];
        let count = marks::each(words, is_question, self.lexicon, &self.concepts, |mark| {
            if let Some(row) = self.weights.get(mark as usize) {
                sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += i32::from(*weight));
            }
        });
        if count < FEWEST {
            return Reading::default();
        }
        let without_subject = |kind: Kind| {
            count < SHORT && SUBJECTS.iter().any(|(of, names)| *of == kind && !self.names(words, names))
        };
        let damping = damping(count);
        #[expect(clippy::cast_precision_loss, reason = "sums of some thousand bytes")]
        Reading(std::array::from_fn(|kind| {
            if without_subject(Kind::ALL[kind]) {
                return 0;
            }
            thousandths(self.bias[kind] + sums[kind] as f32 * self.scale[kind] * damping)
        }))
    }

    /// Whether a word stands for one of these concepts.
    fn names(&self, words: &str, concepts: &[&str]) -> bool {
        let names = words.split(' ').filter_map(|word| self.concepts.name(self.concepts.of(word)?));
        names.into_iter().any(|name| concepts.contains(&name))
    }
}

/// The words of a sentence as they are looked at. For training.
#[must_use]
pub fn plain_words(text: &str) -> String {
    plain::words(text)
}

/// Whether a sentence asks.
#[must_use]
pub fn is_question(text: &str) -> bool {
    text.trim_end().ends_with('?')
}

/// By what a sum over that many words is multiplied.
#[must_use]
pub fn damping(words: usize) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "counts of words")]
    let n = words as f32;
    1.0 / (n + SMOOTHING).sqrt()
}

/// Log odds as a probability in thousandths.
#[expect(clippy::cast_possible_truncation, reason = "between 0 and 1000")]
fn thousandths(log_odds: f32) -> i64 {
    (1000.0 / (1.0 + (-log_odds).exp())).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_another_version_are_refused() {
        for bytes in [&b""[..], b"QRULES01", &[0; HEADER], &vec![0; HEADER + (KINDS << marks::BITS)]] {
            let error = Likeness::from_bytes(bytes).err().map(|e| e.to_string()).unwrap_or_default();
            assert!(error.contains("train_rules"), "{error}");
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut weights = vec![[0.0; KINDS]; 1 << marks::BITS];
        weights[7] = [1.0; KINDS];
        let bytes = Likeness::to_bytes(&weights, [-2.0; KINDS]);
        let read = Likeness::from_bytes(&bytes).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((read.weights[7], read.weights[8]), ([127; KINDS], [0; KINDS]));
        assert_eq!(read.read("").of(Kind::Promise), 0);
        assert_eq!(read.read("A word or two.").of(Kind::Promise), thousandths(-2.0));
    }

    #[test]
    fn a_short_sentence_is_advice_only_about_its_subject() {
        let model = Likeness::shipped().unwrap_or_else(|e| panic!("{e}"));
        for text in ["That's fine.", "Don't worry.", "You can try once more.", "You have one more try."] {
            assert_eq!(model.read(text).of(Kind::MedicalAdvice), 0, "{text}");
            assert_eq!(model.read(text).of(Kind::LegalAdvice), 0, "{text}");
        }
        assert!(model.read("Take two pills tonight.").of(Kind::MedicalAdvice) > 450);
    }

    #[test]
    fn kinds_are_found_by_their_names() {
        for kind in Kind::ALL {
            assert_eq!(Kind::of(kind.name()), Some(kind));
        }
        assert_eq!(Kind::of("advice"), None);
    }
}
