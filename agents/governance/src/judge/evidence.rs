//! What claims are held against: passages and results as pieces that say one thing each, and how well a claim's words fit
//! each piece.
//!
//! A value is true where it stands: $25 is the fee "for others", not "for a spayed dog", though both are in one sentence.
//! So a claimed value is looked for in the piece whose words are most like the words around the claim.

use std::collections::{HashMap, HashSet};

use super::lexicon;
use super::reading::{self, Clause, Sentence};
use super::values::{Edge, Place, Value};

/// Pieces that are kept; more is not read.
const MAX_PIECES: usize = 4_000;
/// How much a shared word weighs: in the piece itself, inherited from the head of its sentence, elsewhere in the sentence.
const OWN: f32 = 2.0;
const INHERITED: f32 = 1.5;
const BESIDE: f32 = 0.5;
/// A word of the claim's sentence, or of the question, that is not in the claim's own piece.
const AROUND: f32 = 0.4;

/// One piece of a source.
#[derive(Debug)]
struct Piece {
    own: Vec<String>,
    inherited: Vec<String>,
    values: Vec<Place>,
    negative: bool,
    sentence: usize,
    /// From the caller: it can bear a value out, and contradict none.
    hearsay: bool,
}

/// Sources, read once for all claims of an output.
#[derive(Debug, Default)]
pub struct Evidence {
    pieces: Vec<Piece>,
    /// The sentences, and the terms of each.
    sentences: Vec<(String, HashSet<String>)>,
    /// In how many pieces a term is.
    frequency: HashMap<String, f32>,
    /// Every term of every source.
    known: HashSet<String>,
    has_sources: bool,
}

/// What the sources say to a claim.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    Borne,
    /// The sources say otherwise; the sentence that does.
    Denied(String),
    /// Nothing of the kind is said there.
    Silent,
}

/// The words around a claim.
#[derive(Clone, Debug, Default)]
pub struct Around<'a> {
    pub clause: &'a [String],
    pub beside: &'a [String],
}

impl Evidence {
    /// Reads sources. `said` are words of the caller and other context that may be repeated, and prove nothing.
    #[must_use]
    pub fn of<'a>(
        sources: impl IntoIterator<Item = &'a str>,
        said: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut evidence = Self::default();
        for source in sources {
            evidence.has_sources |= !source.trim().is_empty();
            evidence.read(source, false);
        }
        for text in said {
            evidence.read(text, true);
        }
        evidence
    }

    /// Whether there is anything that can bear a claim out.
    #[must_use]
    pub const fn has_sources(&self) -> bool {
        self.has_sources
    }

    fn read(&mut self, text: &str, hearsay: bool) {
        for sentence in reading::read(text) {
            if self.pieces.len() >= MAX_PIECES {
                return;
            }
            self.take(sentence, hearsay);
        }
    }

    fn take(&mut self, sentence: Sentence, hearsay: bool) {
        let number = self.sentences.len();
        let mut all: HashSet<String> =
            sentence.clauses.iter().flat_map(|c| c.terms.iter().cloned()).collect();
        for word in sentence.words.iter().filter(|w| w.is_word()) {
            self.known.insert(lexicon::concept(&word.stem).to_owned());
        }
        let mut inherited: Vec<String> = Vec::new();
        for clause in sentence.clauses {
            let first = sentence.words.get(clause.from).map_or("", |w| w.text.as_str());
            if lexicon::always_cuts(first) {
                inherited.clear();
            }
            let head = head(&clause, &sentence.words);
            for term in &clause.terms {
                *self.frequency.entry(term.clone()).or_default() += 1.0;
                self.known.insert(term.clone());
            }
            // A piece with a subject of its own is of nothing before it.
            let bare = head.is_empty();
            let new = |t: &&String| bare && clause.terms.binary_search(t).is_err();
            let kept = inherited.iter().filter(new).cloned().collect();
            self.pieces.push(Piece {
                own: clause.terms,
                inherited: kept,
                values: clause.values,
                negative: clause.negative,
                sentence: number,
                hearsay,
            });
            if inherited.is_empty() {
                inherited = head;
            }
        }
        all.shrink_to_fit();
        self.sentences.push((sentence.text, all));
    }

    /// Weight of a term: what few pieces have tells them apart, and so does which of two or three is meant.
    fn weight(&self, term: &str) -> f32 {
        let tells_apart = lexicon::opposite(term).is_some() || matches!(term, "first" | "second" | "third");
        let factor = if tells_apart { 2.0 } else { 1.0 };
        factor * self.rarity(term)
    }

    fn rarity(&self, term: &str) -> f32 {
        1.0 / self.frequency.get(term).copied().unwrap_or(1.0).max(1.0)
    }

    fn fit(&self, piece: &Piece, around: &Around<'_>) -> f32 {
        let place = |term: &String| {
            if piece.own.binary_search(term).is_ok() {
                OWN
            } else if piece.inherited.contains(term) {
                INHERITED
            } else if self.sentences.get(piece.sentence).is_some_and(|(_, all)| all.contains(term)) {
                BESIDE
            } else {
                0.0
            }
        };
        let own: f32 = around.clause.iter().map(|t| place(t) * self.weight(t)).sum();
        let beside: f32 = around.beside.iter().map(|t| place(t) * self.weight(t) * AROUND).sum();
        own + beside
    }

    /// Whether a value stands where the claim puts it.
    #[must_use]
    pub fn asks(&self, claim: &Place, around: &Around<'_>) -> Answer {
        let (mut same, mut other): (Option<f32>, Option<(f32, usize)>) = (None, None);
        for piece in &self.pieces {
            let alike = piece.values.iter().any(|v| is_same(claim, v));
            let differs = || !piece.hearsay && piece.values.iter().any(|v| is_rival(claim, v));
            if !alike && !differs() {
                continue;
            }
            let fit = self.fit(piece, around);
            if alike {
                same = Some(same.map_or(fit, |best| best.max(fit)));
            } else if other.is_none_or(|(best, _)| fit > best) {
                other = Some((fit, piece.sentence));
            }
        }
        let sentence = |n: usize| self.sentences.get(n).map_or_else(String::new, |s| s.0.clone());
        match (same, other) {
            (Some(same), Some((fit, at))) if fit > same * 1.25 + 0.3 => Answer::Denied(sentence(at)),
            (Some(_), _) => Answer::Borne,
            (None, Some((fit, at))) if fit > 0.0 => Answer::Denied(sentence(at)),
            (None, _) => Answer::Silent,
        }
    }

    /// The sentence that denies what a piece of the output says, by a "not" more or less or by the opposite word.
    #[must_use]
    pub fn denies(&self, clause: &Clause) -> Option<String> {
        if clause.terms.iter().all(|t| lexicon::opposite(t).is_some()) {
            return None;
        }
        // How much of the clause a piece covers, whether it denies it, and its sentence.
        let mut best: Option<(f32, bool, usize)> = None;
        for piece in self.pieces.iter().filter(|p| !p.hearsay) {
            let has = |t: &String| match lexicon::opposite(t) {
                // "Allowed" and "forbidden" speak of the same.
                Some((group, _)) => {
                    piece.own.iter().any(|p| lexicon::opposite(p).is_some_and(|o| o.0 == group))
                }
                None => piece.own.binary_search(t).is_ok(),
            };
            let shared = clause.terms.iter().filter(|t| has(t)).count();
            let plain = clause.terms.iter().any(|t| lexicon::opposite(t).is_none() && has(t));
            if shared < 2 || !plain {
                continue;
            }
            let total: f32 = clause.terms.iter().map(|t| self.rarity(t)).sum();
            let covered: f32 = clause.terms.iter().filter(|t| has(t)).map(|t| self.rarity(t)).sum();
            let share = covered / total.max(f32::EPSILON);
            // How much of the piece is spoken of: a piece about one thing alone fits better.
            let back = shared as f32 / piece.own.len().max(1) as f32;
            let fit = share + 0.2 * back;
            let turned = opposite_in(&clause.terms, &piece.own);
            let denies = (clause.negative != piece.negative) != turned;
            if share >= 0.65
                && best.is_none_or(|(f, d, _)| fit > f + 0.05 || (fit > f - 0.05 && d && !denies))
            {
                best = Some((fit, denies, piece.sentence));
            }
        }
        let (_, denies, at) = best?;
        denies.then(|| self.sentences.get(at).map_or_else(String::new, |s| s.0.clone()))
    }

    /// The sentences of sources and of what was said, with the terms of each.
    pub(super) fn sentences(&self) -> impl Iterator<Item = (&str, &HashSet<String>)> {
        self.sentences.iter().map(|(text, terms)| (text.as_str(), terms))
    }

    /// Whether a term is anywhere in the sources or in what was said.
    #[must_use]
    pub fn knows(&self, term: &str) -> bool {
        self.known.contains(term)
    }

    /// Share (0–1) of these terms that the sources know.
    #[must_use]
    pub fn covers(&self, terms: &[String]) -> f32 {
        if terms.is_empty() {
            return 1.0;
        }
        terms.iter().filter(|t| self.knows(t)).count() as f32 / terms.len() as f32
    }

    /// The sentence that shares most with these terms.
    #[must_use]
    pub fn nearest(&self, terms: &[String]) -> Option<&str> {
        let shared = |all: &HashSet<String>| -> f32 {
            terms.iter().filter(|t| all.contains(*t)).map(|t| self.weight(t)).sum()
        };
        let best = self.sentences.iter().max_by(|a, b| shared(&a.1).total_cmp(&shared(&b.1)))?;
        (shared(&best.1) > 0.0).then_some(best.0.as_str())
    }
}

/// Terms of a piece before its first value: what the values after it are of too. Days belong to their own times.
pub fn head(clause: &Clause, words: &[reading::Word]) -> Vec<String> {
    let Some(first) = clause.values.iter().filter(|v| v.is_measure()).map(|v| v.from).min() else {
        return clause.terms.iter().filter(|t| !t.starts_with("day")).cloned().collect();
    };
    let before: HashSet<&str> = words[clause.from..first].iter().map(|w| lexicon::concept(&w.stem)).collect();
    clause.terms.iter().filter(|t| before.contains(t.as_str()) && !t.starts_with("day")).cloned().collect()
}

/// Whether one side says a word and the other its opposite.
pub fn opposite_in(claim: &[String], piece: &[String]) -> bool {
    claim.iter().filter_map(|t| lexicon::opposite(t)).any(|(group, side)| {
        let sides = |terms: &[String], wanted: bool| {
            terms.iter().filter_map(|t| lexicon::opposite(t)).any(|(g, s)| g == group && s == wanted)
        };
        sides(piece, !side) && !sides(piece, side) && !sides(claim, !side)
    })
}

/// Whether a source's value bears out a claimed one.
pub fn is_same(claim: &Place, source: &Place) -> bool {
    let edges = claim.edge == source.edge || claim.edge == Edge::Unsaid || source.edge == Edge::Unsaid;
    match (&claim.value, &source.value) {
        (Value::Time { minutes: a, marked: x }, Value::Time { minutes: b, marked: y }) => {
            edges && if *x && *y { a == b } else { a % 720 == b % 720 }
        }
        (Value::Days(a), Value::Days(b)) => a & !b == 0,
        (Value::Date { month: m, day: d, year: y }, Value::Date { month, day, year }) => {
            let fits = |a: Option<u16>, b: Option<u16>| a.is_none() || b.is_none() || a == b;
            let wide = |v: &Option<u8>| v.map(u16::from);
            (m.is_none() || m == month)
                && (d.is_none() || d == day)
                && fits(*y, *year)
                && fits(wide(m), wide(month))
        }
        (Value::Phone(a), Value::Phone(b)) => {
            a == b || (a.len() >= 7 && b.ends_with(a)) || (b.len() >= 7 && a.ends_with(b))
        }
        (Value::Count { amount: a, unit: x }, Value::Count { amount: b, unit: y }) => {
            match duration(*a, x).zip(duration(*b, y)) {
                Some((a, b)) => a == b,
                None => a == b,
            }
        }
        (Value::Time { minutes, marked: false }, Value::Count { amount, unit: None }) => {
            i64::from(*minutes) == amount / 100 % 12 * 60
        }
        (Value::Money(0), Value::Percent(0)) => true,
        (a, b) => a == b,
    }
}

/// Whether a source's value is of the same kind and says something else.
fn is_rival(claim: &Place, source: &Place) -> bool {
    if is_same(claim, source) {
        return false;
    }
    match (&claim.value, &source.value) {
        (Value::Count { amount: a, unit: Some(x) }, Value::Count { amount: b, unit: Some(y) }) => {
            x == y || duration(*a, &Some(x.clone())).and(duration(*b, &Some(y.clone()))).is_some()
        }
        (Value::Count { .. }, _) | (_, Value::Count { .. }) | (Value::Name(_) | Value::Reference(_), _) => {
            false
        }
        (Value::Money(_) | Value::Percent(_), Value::Money(0)) | (Value::Money(0), Value::Percent(_)) => true,
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

/// Minutes, where a count is one of time; in hundredths.
fn duration(amount: i64, unit: &Option<String>) -> Option<i64> {
    amount.checked_mul(lexicon::minutes_of(unit.as_deref()?)?)
}
