//! A question as the index sees it: groups of terms, each with what it weighs in this collection.

use super::heard::Heard;
use super::index::Index;
use super::sounds;
use language::english::terms::is_light;
use language::spanish::glossary::{self, Gloss};
use language::stems::{Term, Tongue, hash, is_stop, term, words};

/// What a word counts that the caller took back.
const RETRACTED: f32 = 0.3;
/// What a word of the same sound counts.
const ALIKE: f32 = 0.5;
/// What a word counts that only sounds like one nobody knows here.
const SOUNDING: f32 = 0.4;
/// What two words count that are one in the documents ("car port").
const JOINED: f32 = 0.6;
/// What a further sense of a Spanish word counts.
const OTHER_SENSE: f32 = 0.8;
/// Different terms of one question; what is longer is no question.
const MAX_GROUPS: usize = 64;
/// Words of a collection that one unknown word may stand for.
const MAX_SOUNDING: usize = 4;

/// One word of a question with what else it may be.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Group {
    /// The word itself, then what it may stand for, each with its share of the weight.
    pub terms: Vec<(Term, f32)>,
    /// What the word weighs in how much of the question is covered: rare is heavy; one that nobody here knows is
    /// heaviest.
    pub weight: f32,
    /// What the word counts (0–1) beside what it would weigh.
    pub share: f32,
    pub number: bool,
}

/// A question, taken apart.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Asked {
    pub groups: Vec<Group>,
    /// No word of it is known here.
    pub unknown: bool,
    /// The caller broke off and began again.
    pub repaired: bool,
    /// It was asked in Spanish.
    pub spanish: bool,
}

impl Asked {
    pub fn of(heard: &Heard, index: &Index) -> Self {
        let mut asked = Self { unknown: true, repaired: heard.unrepaired.is_some(), ..Self::default() };
        asked.spanish = glossary::is_spanish(&heard.kept);
        if asked.spanish {
            for gloss in glossary::glossed(&heard.kept) {
                asked.take_gloss(&gloss, index);
            }
            if !asked.groups.is_empty() {
                return asked;
            }
        }
        let kept = content(&heard.kept);
        for word in &kept {
            asked.take(word, 1.0, index);
        }
        for pair in kept.windows(2) {
            asked.join(&pair[0], &pair[1], index);
        }
        for word in content(&heard.retracted) {
            asked.take(&word, RETRACTED, index);
        }
        asked
    }

    fn take(&mut self, word: &str, share: f32, index: &Index) {
        let own = term(word, Tongue::En);
        let asked_already = self.groups.iter().any(|g| g.terms.first().is_some_and(|(t, _)| *t == own));
        if asked_already || self.groups.len() >= MAX_GROUPS {
            return;
        }
        let mut terms = vec![(own, 1.0)];
        let mut add = |other: Term, share: f32| {
            if index.knows(other) && terms.iter().all(|(t, _)| *t != other) {
                terms.push((other, share));
            }
        };
        add(term(word, Tongue::Es), 1.0);
        for other in sounds::alike(word) {
            add(term(other, Tongue::En), ALIKE);
        }
        if terms.len() == 1 && !index.knows(own) {
            let sound = sounds::key(word).map(|key| index.sounding(hash(&key))).unwrap_or_default();
            terms.extend(sound.into_iter().take(MAX_SOUNDING).map(|term| (term, SOUNDING)));
        }
        let known = terms.iter().find(|(term, share)| *share >= 1.0 && index.knows(*term));
        self.unknown &= known.is_none();
        // What the dialogue takes for no subject says nothing about what a passage is about.
        let light = is_light(word);
        let weight = if light { 0.0 } else { index.weight(known.map_or(own, |(term, _)| *term)) };
        let number = word.starts_with(|c: char| c.is_ascii_digit());
        self.groups.push(Group { terms, weight: weight * share, share, number });
    }

    /// A Spanish word or phrase: itself, for pages in Spanish, and what English pages call it.
    fn take_gloss(&mut self, gloss: &Gloss, index: &Index) {
        let asks_nothing =
            gloss.senses.is_some_and(<[_]>::is_empty) || gloss.words.iter().all(|w| is_stop(w));
        if asks_nothing || self.groups.len() >= MAX_GROUPS {
            return;
        }
        let own = gloss.words.iter().filter(|word| !is_stop(word));
        let own =
            own.flat_map(|word| [term(word, Tongue::Es), term(word, Tongue::En)]).map(|term| (term, 1.0));
        let senses = gloss.senses.unwrap_or_default().iter().enumerate();
        let senses = senses.flat_map(|(n, sense)| {
            let share = if n == 0 { 1.0 } else { OTHER_SENSE };
            sense.split(' ').map(move |word| (term(word, Tongue::En), share))
        });
        let mut terms: Vec<(Term, f32)> = Vec::new();
        for (term, share) in own.chain(senses) {
            let fits = terms.is_empty() || index.knows(term);
            if fits && terms.iter().all(|(known, _)| *known != term) {
                terms.push((term, share));
            }
        }
        let known = terms.iter().find(|(term, _)| index.knows(*term));
        self.unknown &= known.is_none();
        let Some(first) = known.or(terms.first()).copied() else { return };
        if self.groups.iter().any(|group| group.terms == terms) {
            return;
        }
        let number = gloss.words.iter().any(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        self.groups.push(Group { weight: index.weight(first.0), terms, share: 1.0, number });
    }

    /// Two words that the documents write as one.
    fn join(&mut self, first: &str, second: &str, index: &Index) {
        let joined = term(&format!("{first}{second}"), Tongue::En);
        let letters = |word: &str| word.bytes().all(|b| b.is_ascii_lowercase());
        if self.groups.len() < MAX_GROUPS && letters(first) && letters(second) && index.knows(joined) {
            // It says nothing new: a passage that has the two apart covers as much.
            let group = Group { terms: vec![(joined, 1.0)], weight: 0.0, share: JOINED, number: false };
            self.groups.push(group);
        }
    }

    /// Share (0–1) of the question's weight that is held. A word the collection never saw counts as rare, so a question
    /// about something foreign covers little.
    pub fn coverage(&self, holds: impl Fn(Term) -> bool) -> f32 {
        let total: f32 = self.groups.iter().map(|g| g.weight).sum();
        let held = |g: &Group| {
            // What merely sounds like a word is a reason to look, not to believe.
            let shares =
                g.terms.iter().filter(|(t, share)| *share > SOUNDING && holds(*t)).map(|(_, share)| *share);
            shares.fold(0.0, f32::max) * g.weight
        };
        if total > 0.0 { self.groups.iter().map(held).sum::<f32>() / total } else { 0.0 }
    }

    /// Whether one word alone is held, of a question that has more.
    pub fn lone(&self, holds: impl Fn(Term) -> bool) -> bool {
        let weighty = || self.groups.iter().filter(|g| g.weight > 0.0);
        let held = |g: &&Group| g.terms.iter().any(|(t, share)| *share > SOUNDING && holds(*t));
        weighty().count() > 1 && weighty().filter(held).count() == 1
    }

    /// Share (0–1) of the question's numbers that are held; 1 when it has none.
    pub fn numbers(&self, holds: impl Fn(Term) -> bool) -> f32 {
        let numbers = self.groups.iter().filter(|g| g.number);
        let (all, held) = numbers.fold((0u32, 0u32), |(all, held), g| {
            (all + 1, held + u32::from(g.terms.iter().any(|(t, _)| holds(*t))))
        });
        if all == 0 { 1.0 } else { held as f32 / all as f32 }
    }

    /// Share (0–1) of the pairs of neighbours in the question that stand close together in the passage.
    pub fn closeness(&self, terms: &[Term]) -> f32 {
        const REACH: usize = 3;
        let is = |group: &Group, term: Term| group.terms.iter().any(|(t, _)| *t == term);
        let (mut all, mut close) = (0.0, 0.0);
        for pair in self.groups.windows(2) {
            let [a, b] = pair else { continue };
            let weight = a.weight.min(b.weight);
            all += weight;
            let near = |at: usize| {
                let reach = terms.get(at.saturating_sub(REACH)..(at + REACH + 1).min(terms.len()));
                reach.unwrap_or_default().iter().any(|t| is(b, *t))
            };
            if terms.iter().enumerate().any(|(at, t)| is(a, *t) && near(at)) {
                close += weight;
            }
        }
        if all > 0.0 { close / all } else { 0.0 }
    }
}

/// Words that carry a subject; all words when none does.
fn content(text: &str) -> Vec<String> {
    let all = words(text);
    let some: Vec<String> = all.iter().filter(|word| !is_stop(word)).cloned().collect();
    if some.is_empty() { all } else { some }
}
