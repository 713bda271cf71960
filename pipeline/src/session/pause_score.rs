//! How sure it is that a caller who fell silent is finished: voice, words, question and this caller's habits in one score.
//!
//! Logistic regression over a few features, fitted on pauses and ends of spoken turns by the bench `turn_ends`, which wrote
//! `data/turn_words/pauses.txt`.

use std::sync::LazyLock;

use super::completeness;
use super::endpointing::{self, PauseView};
use crate::ports::Language;
use crate::turn::Expectation;

/// One weight each, in the order of [`NAMES`].
pub const FEATURES: usize = NAMES.len();
/// More words than these say no more.
const LONG: usize = 15;
/// What the score is made of.
pub const NAMES: [&str; 23] = [
    "bias",
    "voice",
    "voice unknown",
    "words",
    "words unknown",
    "words, to a question",
    "words, first",
    "mark",
    "comma",
    "trails off",
    "first",
    "yes or no",
    "number",
    "name",
    "address",
    "date",
    "story",
    "length",
    "length, first",
    "own pauses",
    "digits",
    "voice and words",
    "foreign words",
];

static WEIGHTS: LazyLock<[f32; FEATURES]> =
    LazyLock::new(|| read(include_str!("../../data/turn_words/pauses.txt")));

/// Log-odds (natural) that the turn is over.
#[must_use]
pub fn score(pause: PauseView<'_>) -> f32 {
    features(pause).iter().zip(WEIGHTS.iter()).map(|(value, weight)| value * weight).sum()
}

/// The same as a probability, 0 to 1.
#[must_use]
pub fn probability(pause: PauseView<'_>) -> f32 {
    1.0 / (1.0 + (-score(pause)).exp())
}

/// What is known of a pause, in numbers of about 1.
#[must_use]
pub fn features(pause: PauseView<'_>) -> [f32; FEATURES] {
    let is = |value: bool| f32::from(u8::from(value));
    let text = pause.text.unwrap_or("");
    let known = pause.text.is_some();
    let english = pause.language == Language::En;
    let first = pause.first && pause.expects == Expectation::Open;
    let asked = !matches!(pause.expects, Expectation::Open | Expectation::Wait);
    let number = matches!(pause.expects, Expectation::Digits | Expectation::Secret);
    let voice = pause.complete.map_or(0.0, |p| log_odds(p).clamp(-4.0, 4.0) / 2.0);
    let words =
        if known && english { completeness::finished(text, first).clamp(-6.0, 6.0) / 2.0 } else { 0.0 };
    let count = endpointing::words(text).count().min(LONG) as f32;
    let length = (1.0 + count).ln() - 1.5;
    [
        1.0,
        voice,
        is(pause.complete.is_none()),
        words,
        is(!known),
        if asked { words } else { 0.0 },
        if first { words } else { 0.0 },
        is(text.trim_end().ends_with(['.', '?', '!']) && !text.trim_end().ends_with("...")),
        is(text.trim_end().ends_with([',', '-', '…']) || text.trim_end().ends_with("...")),
        is(known && endpointing::trails_off(text)),
        is(first),
        is(pause.expects == Expectation::YesNo),
        is(number),
        is(pause.expects == Expectation::Name),
        is(pause.expects == Expectation::Address),
        is(pause.expects == Expectation::Date),
        is(pause.expects == Expectation::Story),
        if known { length } else { 0.0 },
        if known && first { length } else { 0.0 },
        pause.own_ms.min(1_000.0) / 500.0,
        if number { endpointing::digits(text).min(11) as f32 / 5.0 } else { 0.0 },
        voice * words / 2.0,
        is(known && !english),
    ]
}

/// Of a probability.
fn log_odds(p: f32) -> f32 {
    let p = p.clamp(0.001, 0.999);
    (p / (1.0 - p)).ln()
}

/// A line a feature: its name, a tab, its weight. What is missing or damaged weighs nothing.
fn read(file: &str) -> [f32; FEATURES] {
    let mut weights = [0.0; FEATURES];
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        let Some((name, weight)) = line.split_once('\t') else { continue };
        if let (Some(at), Ok(weight)) = (NAMES.iter().position(|n| *n == name), weight.trim().parse()) {
            weights[at] = weight;
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_has_a_shipped_weight() {
        let file = include_str!("../../data/turn_words/pauses.txt");
        for name in NAMES {
            let line = file.lines().find(|line| line.split('\t').next() == Some(name));
            assert!(
                line.is_some_and(|line| line.split('\t').nth(1).is_some_and(|w| w.parse::<f32>().is_ok())),
                "{name}"
            );
        }
    }

    #[test]
    fn a_whole_sentence_that_sounds_finished_is_likelier_over_than_half_of_one() {
        let view =
            |text, complete| PauseView { text: Some(text), complete: Some(complete), ..PauseView::default() };
        let whole = score(view("When does the office open?", 0.9));
        let half = score(view("When does the", 0.1));
        assert!(whole > half + 2.0, "{whole} {half}");
    }
}
