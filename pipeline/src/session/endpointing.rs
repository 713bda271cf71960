//! Has the caller finished? Fuses silence, the end-of-turn signal, what was said and what was asked.

use std::time::Duration;

use super::config::SessionConfig;
use crate::turn::Expectation;

/// End-of-turn probability from which a number counts as whole though it is shorter than a telephone's.
const SURE: f32 = 0.95;

/// What is known of an utterance at its latest pause.
#[derive(Clone, Copy, Debug)]
pub struct PauseView<'a> {
    pub expects: Expectation,
    /// Text up to the pause, if the recogniser has given it.
    pub text: Option<&'a str>,
    /// Probability that the turn is complete, if the model has given it.
    pub complete: Option<f32>,
}

/// Silence, counted from the last speech, that ends the turn.
#[must_use]
pub fn required_silence(config: &SessionConfig, patience: &Patience, pause: PauseView<'_>) -> Duration {
    if let Some(text) = pause.text {
        if is_whole_answer(pause.expects, text) {
            return config.complete_silence;
        }
        if pause.expects == Expectation::YesNo && is_no(text) {
            // After "no" a correction is the rule.
            return config.incomplete_silence;
        }
        if trails_off(text) {
            return config.patient_silence;
        }
        if matches!(pause.expects, Expectation::Digits | Expectation::Secret) {
            // Enough of them for a number that is shorter than a telephone's.
            let sure = pause.complete.is_some_and(|p| p >= SURE) && digits(text) >= 4;
            return if sure { config.incomplete_silence } else { config.patient_silence };
        }
    }
    if is_patient(pause.expects) {
        let sure = judged_complete(config, pause);
        return if sure { config.incomplete_silence } else { config.patient_silence };
    }
    let least = match pause.complete {
        Some(p) if p >= config.complete_probability && has_its_mark(config, pause.text) => {
            config.complete_silence
        }
        None if config.text_judges && pause.text.is_some_and(reads_complete) => config.text_silence,
        _ => return config.incomplete_silence,
    };
    patience.floor(least).min(config.incomplete_silence)
}

/// Whether a reply is worth beginning before the turn is known to be over.
#[must_use]
pub fn is_worth_a_guess(config: &SessionConfig, pause: PauseView<'_>) -> bool {
    let Some(text) = pause.text else { return false };
    if is_whole_answer(pause.expects, text) || config.speculate_from <= 0.0 {
        return true;
    }
    match pause.complete {
        Some(p) => p >= config.speculate_from,
        None => !config.text_judges || (reads_complete(text) && !trails_off(text)),
    }
}

/// The text has an end's mark, where that is expected of it.
fn has_its_mark(config: &SessionConfig, text: Option<&str>) -> bool {
    !config.marks_ends || text.is_none_or(reads_complete)
}

/// The recogniser wrote an end: a sentence mark after a word that can end a sentence.
fn reads_complete(text: &str) -> bool {
    text.trim_end().ends_with(['.', '?', '!']) && !trails_off(text)
}

/// Whether the end-of-turn signal judged the caller complete.
#[must_use]
pub fn judged_complete(config: &SessionConfig, pause: PauseView<'_>) -> bool {
    pause.complete.is_some_and(|p| p >= config.complete_probability)
}

/// Questions whose answers have pauses inside.
fn is_patient(expects: Expectation) -> bool {
    matches!(expects, Expectation::Digits | Expectation::Secret | Expectation::Address | Expectation::Story)
}

/// The answer that was asked for is all there, so there is nothing to wait for.
fn is_whole_answer(expects: Expectation, text: &str) -> bool {
    match expects {
        Expectation::YesNo => is_yes_or_no(text) && !is_no(text),
        Expectation::Digits => digits(text) >= 10,
        _ => false,
    }
}

/// Digits, however they were written: "202 555", "two oh two", "cinco".
fn digits(text: &str) -> usize {
    const SPOKEN: [&str; 22] = [
        "zero", "oh", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "cero", "uno",
        "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "o",
    ];
    let lower = text.to_lowercase();
    let parts = lower.split(|c: char| !c.is_alphanumeric());
    let spoken = parts.filter(|word| SPOKEN.contains(word)).count();
    spoken + text.chars().filter(char::is_ascii_digit).count()
}

fn is_no(text: &str) -> bool {
    let mut words = words(text).peekable();
    words.peek().is_some() && words.all(|w| matches!(w.as_str(), "no" | "nope"))
}

fn is_yes_or_no(text: &str) -> bool {
    const WORDS: [&str; 22] = [
        "yes", "yeah", "yep", "no", "nope", "correct", "right", "sure", "okay", "ok", "please", "that's",
        "sí", "si", "claro", "correcto", "así", "es", "eso", "por", "favor", "exacto",
    ];
    let mut words = words(text).peekable();
    words.peek().is_some() && words.all(|w| WORDS.contains(&w.as_str()))
}

/// Ends on a word that no sentence ends on, or on one of hesitation.
fn trails_off(text: &str) -> bool {
    const OPEN: [&str; 52] = [
        "and", "or", "but", "so", "because", "the", "a", "an", "to", "of", "in", "at", "on", "with", "for",
        "from", "my", "our", "your", "um", "uh", "er", "like", "is", "was", "if", "that's", "between",
        "near", "number", "y", "o", "pero", "porque", "el", "la", "los", "las", "un", "una", "de", "del",
        "en", "con", "para", "por", "mi", "su", "que", "eh", "este", "número",
    ];
    // With a point behind them these do end sentences: "I think so."
    const CLOSING: [&str; 12] =
        ["so", "on", "in", "for", "with", "is", "was", "that's", "near", "number", "este", "número"];
    let trimmed = text.trim_end();
    if trimmed.ends_with("...") || trimmed.ends_with(',') || trimmed.ends_with('-') {
        return true;
    }
    // "What is that for?" is complete: a recogniser that heard a question or an end wrote it down.
    if trimmed.ends_with(['?', '!']) {
        return false;
    }
    let ended = trimmed.ends_with('.');
    words(text)
        .last()
        .is_some_and(|w| OPEN.contains(&w.as_str()) && !(ended && CLOSING.contains(&w.as_str())))
}

/// Words in lower case without the punctuation around them.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> + Clone + '_ {
    text.split_whitespace()
        .map(|w| w.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
        .filter(|w| !w.is_empty())
}

/// What this caller's pauses are like. A slow speaker is given more time, a quick one no less than the floor.
#[derive(Clone, Copy, Debug, Default)]
pub struct Patience {
    /// Moving average of pauses inside turns, milliseconds. Weight of history 0.8.
    average_ms: f32,
}

impl Patience {
    /// The caller went on after this pause: it was not an end.
    pub fn learn_pause(&mut self, pause: Duration) {
        let ms = pause.as_secs_f32() * 1_000.0;
        self.average_ms = if self.average_ms == 0.0 { ms } else { self.average_ms * 0.8 + ms * 0.2 };
    }

    /// We took a pause for the end and the caller went on: proof that the floor was too low.
    pub fn learn_cut_off(&mut self) {
        self.average_ms = (self.average_ms * 1.25).clamp(350.0, 800.0);
    }

    fn floor(self, shortest: Duration) -> Duration {
        shortest.max(Duration::from_millis((self.average_ms * 1.1) as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn silence(expects: Expectation, text: &str, complete: Option<f32>) -> u128 {
        let view = PauseView { expects, text: Some(text), complete };
        required_silence(&SessionConfig::default(), &Patience::default(), view).as_millis()
    }

    #[test]
    fn complete_sentences_need_the_short_wait_and_unfinished_ones_the_long() {
        assert_eq!(silence(Expectation::Open, "When are you open?", Some(0.9)), 300);
        assert_eq!(silence(Expectation::Open, "When are you open", Some(0.1)), 600);
        assert_eq!(silence(Expectation::Open, "I am looking for the office", Some(0.99)), 600);
        assert_eq!(silence(Expectation::Open, "I would like to report a", Some(0.9)), 1000);
        assert_eq!(silence(Expectation::Open, "What is that for?", Some(0.9)), 300);
    }

    #[test]
    fn digits_get_patience_until_the_number_is_whole() {
        assert_eq!(silence(Expectation::Digits, "202 555", Some(0.9)), 1000);
        assert_eq!(silence(Expectation::Digits, "202-555-0143", Some(0.1)), 300);
        assert_eq!(
            silence(Expectation::Digits, "three-zero, one-five five five zero one seven seven", None),
            300
        );
        assert_eq!(silence(Expectation::Digits, "555-0121", Some(0.99)), 600);
        assert_eq!(silence(Expectation::Digits, "555", Some(0.99)), 1000);
    }

    #[test]
    fn a_point_closes_a_sentence_that_may_end_so() {
        assert_eq!(silence(Expectation::Open, "I think so.", Some(0.9)), 300);
        assert_eq!(silence(Expectation::Open, "I think so", Some(0.9)), 1000);
        assert_eq!(silence(Expectation::Open, "I would like to report a.", Some(0.9)), 1000);
    }

    #[test]
    fn no_may_be_followed_by_what_is_right_instead() {
        assert_eq!(silence(Expectation::YesNo, "No.", Some(0.9)), 600);
        assert_eq!(silence(Expectation::YesNo, "No, that's right", None), 300);
    }

    #[test]
    fn a_story_gets_patience_unless_it_sounds_finished() {
        assert_eq!(silence(Expectation::Story, "A tree fell on my car.", Some(0.9)), 600);
        assert_eq!(silence(Expectation::Story, "A tree fell on my car", Some(0.2)), 1000);
        assert_eq!(silence(Expectation::Address, "Near the old mill.", None), 1000);
    }

    fn cloud(text: &str, complete: Option<f32>) -> (u128, bool) {
        let config = SessionConfig::cloud();
        let view = PauseView { expects: Expectation::Open, text: Some(text), complete };
        let silence = required_silence(&config, &Patience::default(), view).as_millis();
        (silence, is_worth_a_guess(&config, view))
    }

    #[test]
    fn where_no_model_listens_the_written_end_decides() {
        assert_eq!(cloud("When are you open?", None), (450, true));
        assert_eq!(cloud("When are you", None), (600, false));
        assert_eq!(cloud("I would like to report a.", None), (1000, false));
        assert_eq!(cloud("Quiero reportar un.", None), (1000, false));
    }

    #[test]
    fn a_model_that_listens_goes_before_the_written_end() {
        assert_eq!(cloud("When are you open?", Some(0.2)), (600, false));
        assert_eq!(cloud("When are you open", Some(0.4)), (600, true));
        assert_eq!(cloud("When are you open", Some(0.9)), (250, true));
    }

    #[test]
    fn yes_is_enough_for_a_yes_or_no_question() {
        assert_eq!(silence(Expectation::YesNo, "Yes.", None), 300);
        assert_eq!(silence(Expectation::YesNo, "Yes, but the address", None), 600);
    }

    #[test]
    fn a_caller_who_pauses_is_given_longer_but_never_past_the_cap() {
        let config = SessionConfig::default();
        let mut patience = Patience::default();
        let view = PauseView { expects: Expectation::Open, text: Some("Hello."), complete: Some(0.9) };
        patience.learn_pause(Duration::from_millis(450));
        assert_eq!(required_silence(&config, &patience, view).as_millis(), 495);
        for _ in 0..10 {
            patience.learn_cut_off();
        }
        assert_eq!(required_silence(&config, &patience, view), config.incomplete_silence);
    }
}
