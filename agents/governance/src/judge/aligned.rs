//! A sentence beside the sentences of the sources that are nearest to it, as the encoder sees them and by their words: how likely
//! it says what they do not. A small trained head over what was compared: how near, which words and names nobody knows there, a
//! "not" more or less, "all" where they say "some", a condition that was left out, and what [`super::facts`] found of its values.
//!
//! Trained by `agents/knowledge/examples/train_judge`. Pure: whoever has the encoder hands in what it saw ([`Sights`]).

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock};

use super::evidence::Evidence;
use super::facts::{self, Facts};
use super::lexicon;
use super::reading::{self, Sentence};
use super::request::{Severity, ValidationIssue};
use super::values::Value;
use crate::meaning::{WIDTH, dot};

/// What is compared of a sentence.
pub const FEATURES: usize = 46;
/// Units of a head, and the heads whose mean counts.
pub const UNITS: usize = 12;
pub const HEADS: usize = 5;
/// Which of what is compared are errors of values and words.
const ERRORS: [usize; 4] = [31, 32, 34, 35];
/// Sentences of the sources that a sentence is compared with.
const NEAREST: usize = 6;
const MAGIC: &[u8; 8] = b"QALIGN01";
/// From here on a sentence counts as wrong; below, what was found of its values is only a warning. Chosen on
/// every other page of `data/judge/seen`, beginning with the first.
pub const WRONG: f32 = 0.6;

/// What the sentence encoder made of a sentence: its vector at unit length, and one after the other what its tokens stand for.
#[derive(Clone, Debug)]
pub struct Sight {
    pub vector: Arc<[f32]>,
    pub tokens: Arc<[f32]>,
}

/// What was seen of the sentences of outputs and sources, by their text as [`super::sentences`] cuts it.
pub type Sights = HashMap<String, Sight>;

pub type Features = [f32; FEATURES];

/// One head: into its units, and out of them.
#[derive(Clone, Debug)]
pub struct Head {
    pub into: [Features; UNITS],
    pub begin: [f32; UNITS],
    pub out: [f32; UNITS],
    pub bias: f32,
}

impl Head {
    /// Every number, in the order of the file.
    pub fn numbers(&mut self) -> impl Iterator<Item = &mut f32> {
        let Self { into, begin, out, bias } = self;
        into.iter_mut().flatten().chain(begin).chain(out).chain(std::iter::once(bias))
    }

    /// Nothing is told apart.
    #[must_use]
    pub const fn empty() -> Self {
        Self { into: [[0.0; FEATURES]; UNITS], begin: [0.0; UNITS], out: [0.0; UNITS], bias: 0.0 }
    }

    #[must_use]
    pub fn units(&self, features: &Features) -> [f32; UNITS] {
        std::array::from_fn(|n| {
            let sum: f32 = self.into[n].iter().zip(features).map(|(w, f)| w * f).sum();
            (sum + self.begin[n]).tanh()
        })
    }

    #[must_use]
    pub fn odds(&self, units: &[f32; UNITS]) -> f32 {
        self.bias + self.out.iter().zip(units).map(|(w, u)| w * u).sum::<f32>()
    }
}

static SHIPPED: LazyLock<Vec<Head>> =
    LazyLock::new(|| from_bytes(include_bytes!("../../data/judge/weights.bin")).unwrap_or_default());

/// Reads a weights' file; `None` where it is none of ours.
#[must_use]
pub fn from_bytes(bytes: &[u8]) -> Option<Vec<Head>> {
    let floats = bytes.strip_prefix(MAGIC)?.as_chunks::<4>().0;
    let mut next = floats.iter().map(|four| f32::from_le_bytes(*four));
    let mut heads = vec![Head::empty(); HEADS];
    for number in heads.iter_mut().flat_map(Head::numbers) {
        *number = next.next().filter(|n| n.is_finite())?;
    }
    next.next().is_none().then_some(heads)
}

/// A weights' file.
#[must_use]
pub fn to_bytes(heads: &[Head]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    let mut heads = heads.to_vec();
    out.extend(heads.iter_mut().flat_map(Head::numbers).flat_map(|n| n.to_le_bytes()));
    out
}

/// How likely (0–1) heads take what was compared for wrong.
#[must_use]
pub fn wrong(heads: &[Head], features: &Features) -> f32 {
    if heads.is_empty() {
        return 0.5;
    }
    let odds: f32 =
        heads.iter().map(|head| head.odds(&head.units(features))).sum::<f32>() / heads.len() as f32;
    1.0 / (1.0 + (-odds).exp())
}

/// Puts what was found of an output's values beside what comparing its sentences says: one that is likely wrong is found, whatever
/// its values; what a likely right one's values seemed to be is a warning.
pub(super) fn settle(
    found: &mut Facts,
    sentences: &[Sentence],
    evidence: &Evidence,
    question: &[String],
    sights: &Sights,
) {
    for (n, sentence) in sentences.iter().enumerate().filter(|(_, s)| !s.question) {
        let Some(features) = compare(sentence, evidence, question, sights).filter(|_| !SHIPPED.is_empty())
        else {
            continue;
        };
        let sure = wrong(&SHIPPED, &features);
        let place = format!("sentence:{}", n + 1);
        let mut own = found.issues.iter_mut().filter(|i| i.location.as_deref() == Some(&place)).peekable();
        let told = own.peek().is_some();
        if sure < WRONG {
            own.for_each(|issue| issue.severity = issue.severity.min(Severity::Warning));
        } else {
            let is_error = own.any(|issue| issue.severity == Severity::Error);
            if !is_error {
                let issue = ValidationIssue::new(
                    Severity::Error,
                    "unsupported_statement",
                    "The sources do not say this",
                );
                found
                    .issues
                    .push(issue.at(place).suggest("Say what the sources say, or that it is not certain"));
                found.claims += usize::from(!told);
            }
        }
    }
}

/// What is compared of the first sentence of a text, to train with.
#[must_use]
pub fn features_of(text: &str, evidence: &Evidence, sights: &Sights) -> Option<Features> {
    compare(reading::read(text).first()?, evidence, &[], sights)
}

/// Whether an error was found of its values and words alone.
#[must_use]
pub fn is_told(features: &Features) -> bool {
    ERRORS.iter().any(|at| features[*at] > 0.0)
}

/// A sentence of the sources and how near it is.
struct Near<'a> {
    text: &'a str,
    terms: &'a HashSet<String>,
    sight: &'a Sight,
    cosine: f32,
    covered: f32,
}

fn compare(
    sentence: &Sentence,
    evidence: &Evidence,
    question: &[String],
    sights: &Sights,
) -> Option<Features> {
    let own = sights.get(&sentence.text)?;
    // What was not seen may be what bears it out.
    evidence.sentences().all(|(text, _)| sights.contains_key(text)).then_some(())?;
    let mut terms: Vec<String> = sentence.clauses.iter().flat_map(|c| c.terms.iter().cloned()).collect();
    terms.sort_unstable();
    terms.dedup();
    let near = nearest(&terms, own, evidence, sights);
    let best = near.first()?;
    let read = reading::read(best.text);
    let theirs = read.first()?;
    let mut out = Marks::default();
    distance(&mut out, &terms, own, &near);
    unknown(&mut out, sentence, &terms, &near);
    turned(&mut out, sentence, theirs, best);
    scope(&mut out, sentence, theirs);
    values(&mut out, sentence, evidence, question);
    out.put((terms.len() as f32 / 8.0).min(1.5));
    let spanish = reading::is_spanish(&sentence.text);
    out.flag(spanish);
    let (strange, far) = (out.all[4], out.all[8]);
    out.put(if spanish { strange } else { 0.0 });
    out.put(if spanish { far } else { 0.0 });
    out.flag(has(sentence, &["i", "i'll", "i've", "i'm", "me", "my", "let", "yo", "mi", "le", "voy"]));
    out.flag(has(sentence, &["we", "we'll", "us", "our", "nosotros", "you'll", "they'll"]));
    out.flag(has(sentence, &["you", "your", "usted", "su", "sus", "you're"]));
    Some(out.all)
}

#[derive(Debug)]
struct Marks {
    all: Features,
    at: usize,
}

impl Default for Marks {
    fn default() -> Self {
        Self { all: [0.0; FEATURES], at: 0 }
    }
}

impl Marks {
    fn put(&mut self, value: f32) {
        if let Some(own) = self.all.get_mut(self.at) {
            *own = value;
        }
        self.at += 1;
    }

    fn flag(&mut self, is: bool) {
        self.put(if is { 1.0 } else { 0.0 });
    }
}

/// The sentences of the sources that are nearest, by meaning and by words.
fn nearest<'a>(terms: &[String], own: &Sight, evidence: &'a Evidence, sights: &'a Sights) -> Vec<Near<'a>> {
    let mut near: Vec<Near<'a>> = evidence
        .sentences()
        .filter_map(|(text, theirs)| {
            let sight = sights.get(text)?;
            let covered = share(terms.iter().filter(|t| theirs.contains(*t)).count(), terms.len());
            Some(Near { text, terms: theirs, sight, cosine: dot(&own.vector, &sight.vector), covered })
        })
        .collect();
    let fit = |n: &Near<'_>| n.cosine + n.covered;
    near.sort_by(|a, b| fit(b).total_cmp(&fit(a)));
    near.truncate(NEAREST);
    near
}

fn share(some: usize, of: usize) -> f32 {
    if of == 0 { 1.0 } else { some as f32 / of as f32 }
}

fn distance(out: &mut Marks, terms: &[String], own: &Sight, near: &[Near<'_>]) {
    let most = near.iter().map(|n| n.cosine).fold(0.0, f32::max);
    let known = |t: &String| near.iter().any(|n| n.terms.contains(t));
    let strange = terms.iter().filter(|t| !known(t)).count();
    let best = &near[0];
    out.put(best.cosine);
    out.put(most);
    out.put(best.covered);
    out.put(near.get(1).map_or(0.0, |n| n.covered));
    out.put(share(strange, terms.len()) * if terms.is_empty() { 0.0 } else { 1.0 });
    out.put((strange as f32 / 3.0).min(1.0));
    let alone = alike(own, &near[..1]);
    let (mean, least, second) = lowest(&alone);
    out.put(mean);
    out.put(least);
    let (all, far, farther) = lowest(&alike(own, near));
    out.put(far);
    out.put(farther);
    out.put(all);
    out.put(second);
    // How much of what they say is taken up.
    let back = best.terms.iter().filter(|t| terms.contains(t)).count();
    out.put(share(back, best.terms.len()));
}

/// How alike each token is to the most alike of theirs. The first and the last are marks of the encoder's.
fn alike(own: &Sight, near: &[Near<'_>]) -> Vec<f32> {
    let unit = |token: &[f32]| {
        let size = dot(token, token).sqrt().max(1e-6);
        token.iter().map(|v| v / size).collect::<Vec<f32>>()
    };
    let inner = |tokens: &[f32]| -> Vec<Vec<f32>> {
        let all = tokens.chunks_exact(WIDTH);
        let count = all.len();
        all.skip(1).take(count.saturating_sub(2)).take(64).map(unit).collect()
    };
    let theirs: Vec<Vec<f32>> = near.iter().flat_map(|n| inner(&n.sight.tokens)).collect();
    let most = |token: &Vec<f32>| theirs.iter().map(|t| dot(t, token)).fold(0.0, f32::max);
    inner(&own.tokens).iter().map(most).collect()
}

/// The mean, the least, and the one after it.
fn lowest(all: &[f32]) -> (f32, f32, f32) {
    let mut sorted = all.to_vec();
    sorted.sort_by(f32::total_cmp);
    let least = sorted.first().copied().unwrap_or(0.0);
    let mean = all.iter().sum::<f32>() / all.len().max(1) as f32;
    (mean, least, sorted.get(1).copied().unwrap_or(least))
}

/// Names and places that stand nowhere near.
fn unknown(out: &mut Marks, sentence: &Sentence, terms: &[String], near: &[Near<'_>]) {
    let known = |t: &str| near.iter().any(|n| n.terms.contains(t));
    let strange = |word: &&reading::Word| {
        let concept = lexicon::concept(&word.stem);
        terms.iter().any(|t| t == concept) && !known(concept)
    };
    let names = sentence.words.iter().skip(1).filter(|w| w.capital && w.is_word()).filter(strange).count();
    out.put((names as f32 / 2.0).min(1.0));
    out.flag(terms.iter().any(|t| lexicon::is_place(t) && !known(t)));
    out.flag(sentence.words.iter().skip(1).any(|w| w.capital && w.is_word() && lexicon::is_content(&w.text)));
}

/// A "not" more or less, or the opposite word.
fn turned(out: &mut Marks, own: &Sentence, theirs: &Sentence, best: &Near<'_>) {
    let denies = |s: &Sentence| s.clauses.iter().any(|c| c.negative);
    let terms: Vec<String> = own.clauses.iter().flat_map(|c| c.terms.iter().cloned()).collect();
    // The piece of theirs that says most of it.
    let piece = theirs.clauses.iter().max_by_key(|c| c.terms.iter().filter(|t| terms.contains(t)).count());
    let of_piece = piece.is_some_and(|c| c.negative);
    let differs = denies(own) != of_piece;
    out.put(if differs { best.covered } else { 0.0 });
    out.flag(denies(own) && !of_piece);
    out.flag(!denies(own) && of_piece);
    out.flag(denies(own) && of_piece);
    out.flag(denies(own) && !denies(theirs));
    let opposite = piece.is_some_and(|c| super::evidence::opposite_in(&terms, &c.terms));
    out.flag(opposite != differs);
    out.flag(opposite);
}

const ALL: [&str; 26] = [
    "all",
    "every",
    "everyone",
    "everybody",
    "any",
    "anyone",
    "anybody",
    "anything",
    "anywhere",
    "always",
    "never",
    "whenever",
    "whoever",
    "nobody",
    "todos",
    "todas",
    "todo",
    "cualquier",
    "cualquiera",
    "siempre",
    "nunca",
    "cada",
    "nadie",
    "automatically",
    "both",
    "ambos",
];
const IF: [&str; 33] = [
    "if", "unless", "except", "only", "who", "when", "without", "over", "under", "older", "younger", "must",
    "provided", "whose", "usually", "may", "with", "si", "salvo", "excepto", "solo", "quien", "quienes",
    "cuando", "sin", "mayores", "menores", "que", "until", "hasta", "than", "some", "first",
];

fn has(sentence: &Sentence, list: &[&str]) -> bool {
    sentence.words.iter().any(|w| list.contains(&w.text.as_str()))
}

/// How much of what there is a sentence speaks of, and on what condition.
fn scope(out: &mut Marks, own: &Sentence, theirs: &Sentence) {
    let (mine, other) = (has(own, &ALL), has(theirs, &ALL));
    out.flag(mine && !other);
    out.flag(mine && other);
    let count = |s: &Sentence| s.words.iter().filter(|w| IF.contains(&w.text.as_str())).count() as f32;
    out.put(((count(theirs) - count(own)) / 3.0).clamp(-1.0, 1.0));
    out.flag(mine && count(theirs) > count(own));
    let only = ["only", "solo", "solamente", "just"];
    out.flag(has(own, &only) && !has(theirs, &only));
    let must = [
        "must", "need", "needs", "required", "have", "has", "should", "debe", "deben", "tiene", "requiere",
        "hay", "bring",
    ];
    let may = ["may", "can", "could", "puede", "pueden", "allowed", "accepted", "welcome"];
    out.flag(has(own, &must) && !has(theirs, &must));
    out.flag(has(own, &may) && !has(theirs, &may));
    out.flag(has(own, &["also", "too", "even", "tambien", "ademas", "either", "incluso"]));
}

/// What was found of its values.
fn values(out: &mut Marks, sentence: &Sentence, evidence: &Evidence, question: &[String]) {
    let found = facts::check(std::slice::from_ref(sentence), evidence, question);
    let is = |kind: &str, severity: Severity| {
        found.issues.iter().any(|i| i.kind == kind && i.severity == severity)
    };
    out.flag(is("contradicted_fact", Severity::Error));
    out.flag(is("unsupported_fact", Severity::Error));
    out.flag(is("unsupported_name", Severity::Error) || is("unsupported_name", Severity::Warning));
    out.flag(is("unsupported_place", Severity::Error));
    out.flag(is("contradicted_statement", Severity::Error));
    out.flag(is("unsupported_fact", Severity::Warning));
    let count = sentence
        .clauses
        .iter()
        .flat_map(|c| &c.values)
        .filter(|v| !matches!(v.value, Value::Name(_)))
        .count();
    out.put((count as f32 / 2.0).min(1.5));
    out.flag(found.borne > 0);
}
