//! Has the caller finished? How long a silence must be, by how sure that is and by what was asked.

use std::time::Duration;

use super::config::SessionConfig;
use super::pause_score;
use crate::ports::Language;
use crate::turn::Expectation;

/// End-of-turn probability from which a number counts as whole though it is shorter than a telephone's.
const SURE: f32 = 0.95;
/// What a caller's pauses inside turns are like before any is known, milliseconds.
const USUAL_PAUSE_MS: f32 = 400.0;

/// What is known of an utterance at its latest pause.
#[derive(Clone, Copy, Debug, Default)]
pub struct PauseView<'a> {
    pub expects: Expectation,
    /// The caller has not said yet what they call for.
    pub first: bool,
    pub language: Language,
    /// Text up to the pause, if the recogniser has given it.
    pub text: Option<&'a str>,
    /// Probability that the turn is complete, if the model has given it.
    pub complete: Option<f32>,
    /// Mean of this caller's pauses inside turns, milliseconds; 0 while none is known.
    pub own_ms: f32,
}

/// Silence, counted from the last speech, that ends the turn.
///
/// Who is likely finished is answered soon, who is likely not is waited for: the wait falls evenly with the log-odds of
/// [`pause_score`]. That is the moment at which, pauses being as long as they are, going on has become as unlikely as the
/// question allows.
#[must_use]
pub fn required_silence(config: &SessionConfig, pause: PauseView<'_>) -> Duration {
    if let Some(text) = pause.text {
        if is_whole_answer(pause.expects, text) {
            return config.complete_silence;
        }
        if pause.expects == Expectation::YesNo && is_no(text) {
            // After "no" a correction is the rule.
            return config.incomplete_silence;
        }
        if matches!(pause.expects, Expectation::Digits | Expectation::Secret) && digits(text) > 0 {
            // Enough of them for a number that is shorter than a telephone's.
            let sure = pause.complete.is_some_and(|p| p >= SURE) && digits(text) >= 4;
            return if sure { config.incomplete_silence } else { config.patient_silence };
        }
    }
    let (shortest, longest) = bounds(config, pause);
    let own = if pause.own_ms > 0.0 { (pause.own_ms / USUAL_PAUSE_MS).clamp(0.8, 1.5) } else { 1.0 };
    let middle = if pause.first { config.first_wait } else { config.later_wait };
    let wait = middle.as_secs_f32() - config.wait_for_odds.as_secs_f32() * pause_score::score(pause);
    Duration::from_millis((wait * own * 1_000.0).max(0.0) as u64).clamp(shortest, longest)
}

/// Least and most that is waited after this question.
fn bounds(config: &SessionConfig, pause: PauseView<'_>) -> (Duration, Duration) {
    let trails = pause.text.is_some_and(trails_off);
    match pause.expects {
        Expectation::Open if pause.first => (config.first_silence, config.opening_silence),
        Expectation::Digits | Expectation::Secret | Expectation::Address | Expectation::Story => {
            (config.incomplete_silence, config.patient_silence)
        }
        _ if trails => (config.incomplete_silence, config.patient_silence),
        _ => (config.complete_silence, config.later_silence),
    }
}

/// Whether a reply is worth beginning before the turn is known to be over.
#[must_use]
pub fn is_worth_a_guess(config: &SessionConfig, pause: PauseView<'_>) -> bool {
    let Some(text) = pause.text else { return false };
    if is_whole_answer(pause.expects, text) || config.speculate_from <= 0.0 {
        return true;
    }
    !trails_off(text) && pause_score::probability(pause) >= config.speculate_from
}

/// Whether the caller seemed finished.
#[must_use]
pub fn judged_complete(pause: PauseView<'_>) -> bool {
    pause_score::score(pause) >= 0.0
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
pub(super) fn digits(text: &str) -> usize {
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
pub(super) fn trails_off(text: &str) -> bool {
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

    /// Mean of this caller's pauses inside turns, milliseconds; 0 while none is known.
    #[must_use]
    pub const fn average_ms(self) -> f32 {
        self.average_ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(expects: Expectation, text: &str, complete: Option<f32>) -> PauseView<'_> {
        PauseView { expects, text: Some(text), complete, ..PauseView::default() }
    }

    fn silence(expects: Expectation, text: &str, complete: Option<f32>) -> u128 {
        required_silence(&SessionConfig::default(), view(expects, text, complete)).as_millis()
    }

    fn opening(text: &str, complete: f32) -> u128 {
        let view = PauseView { first: true, ..view(Expectation::Open, text, Some(complete)) };
        required_silence(&SessionConfig::default(), view).as_millis()
    }

    #[test]
    fn words_that_leave_it_open_are_waited_for_and_whole_ones_are_answered_soon() {
        let whole = silence(Expectation::Open, "When are you open on Saturdays?", Some(0.95));
        let half = silence(Expectation::Open, "I would like to report a", Some(0.2));
        assert!(whole <= 600 && half >= 800, "{whole} {half}");
    }

    #[test]
    fn what_a_caller_says_first_is_waited_for_longest_and_never_over_the_cap() {
        for text in ["Hi, I'm calling about", "Good morning.", "My name is Denise Carter", "Yeah, I need to"]
        {
            let (first, later) = (opening(text, 0.5), silence(Expectation::Open, text, Some(0.5)));
            assert!(first >= 950 && first >= later, "{text}: {first} {later}");
        }
        assert!(opening("I would like to report a", 0.0) <= 1_200);
        assert!(opening("I'd like to report a broken street light on Main Street.", 0.99) <= 800);
    }

    #[test]
    fn digits_get_patience_until_the_number_is_whole() {
        assert_eq!(silence(Expectation::Digits, "202 555", Some(0.9)), 1_200);
        assert_eq!(silence(Expectation::Digits, "202-555-0143", Some(0.1)), 300);
        assert_eq!(
            silence(Expectation::Digits, "three-zero, one-five five five zero one seven seven", None),
            300
        );
        assert_eq!(silence(Expectation::Digits, "555-0121", Some(0.99)), 600);
        assert_eq!(silence(Expectation::Digits, "555", Some(0.99)), 1_200);
    }

    #[test]
    fn no_may_be_followed_by_what_is_right_instead() {
        assert_eq!(silence(Expectation::YesNo, "No.", Some(0.9)), 600);
        assert_eq!(silence(Expectation::YesNo, "No, that's right", None), 300);
    }

    #[test]
    fn yes_is_enough_for_a_yes_or_no_question() {
        assert_eq!(silence(Expectation::YesNo, "Yes.", None), 300);
        assert!(silence(Expectation::YesNo, "Yes, but the address", None) >= 500);
    }

    #[test]
    fn every_wait_lies_between_the_bounds_of_its_question_whatever_is_said() {
        let config = SessionConfig::default();
        for expects in
            [Expectation::Open, Expectation::Name, Expectation::Date, Expectation::Story, Expectation::Wait]
        {
            for text in
                ["", "um", "I want to", "The library is closed on Sunday.", "y de", "...", "a b c d e f g"]
            {
                for complete in [None, Some(0.0), Some(0.5), Some(1.0)] {
                    for own_ms in [0.0, 90.0, 2_000.0] {
                        let view = PauseView { own_ms, ..view(expects, text, complete) };
                        let wait = required_silence(&config, view);
                        assert!(
                            wait >= config.complete_silence && wait <= config.patient_silence,
                            "{view:?} {wait:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_caller_who_pauses_is_given_longer_but_never_past_the_cap() {
        let mut patience = Patience::default();
        let at = |patience: &Patience| {
            let view = view(Expectation::Open, "I need a permit for a new fence", Some(0.5));
            required_silence(&SessionConfig::default(), PauseView { own_ms: patience.average_ms(), ..view })
        };
        let before = at(&patience);
        patience.learn_pause(Duration::from_millis(500));
        assert!(at(&patience) > before);
        for _ in 0..10 {
            patience.learn_cut_off();
        }
        assert!(at(&patience) <= SessionConfig::default().later_silence);
    }

    #[test]
    fn over_the_network_a_guess_is_begun_on_words_that_may_be_all_alone() {
        let config = SessionConfig::cloud();
        let guess =
            |text: &'static str, complete| is_worth_a_guess(&config, view(Expectation::Open, text, complete));
        assert!(guess("When is the office open on Saturday?", None));
        assert!(!guess("I would like to report a.", None));
        assert!(!guess("Quiero reportar un.", None));
    }

    #[test]
    fn a_point_closes_a_sentence_that_may_end_so() {
        assert!(
            !trails_off("I think so.") && trails_off("I think so") && trails_off("I would like to report a.")
        );
        assert!(!trails_off("What is that for?"));
    }
}
