//! Words of the caller's that wait for an answer, and how well they were understood.

use crate::ports::{MOST_ALTERNATIVES, TurnInput};
use crate::turn::Expectation;

#[derive(Clone, PartialEq, Debug)]
pub(super) struct WaitingWords {
    pub text: String,
    /// Of the worst part, 0–1; 1 where there is none.
    pub confidence: f32,
    /// The whole of it as it may have been instead, likeliest first.
    pub alternatives: Vec<String>,
}

impl Default for WaitingWords {
    fn default() -> Self {
        Self { text: String::new(), confidence: 1.0, alternatives: Vec::new() }
    }
}

impl WaitingWords {
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// These, and then those. One part at a time may have been something else.
    pub fn followed_by(&self, text: &str, confidence: f32, alternatives: &[String]) -> Self {
        let joined = |before: &str, after: &str| match (before, after) {
            ("", one) | (one, "") => one.to_owned(),
            _ => format!("{before} {after}"),
        };
        let last = alternatives.iter().map(|other| joined(&self.text, other));
        let first = self.alternatives.iter().map(|other| joined(other, text));
        Self {
            text: joined(&self.text, text),
            confidence: self.confidence.min(confidence),
            alternatives: last.chain(first).take(MOST_ALTERNATIVES).collect(),
        }
    }

    /// As the responder is given them, who `asked` for this. Below `unsure_below` they are marked as unsure.
    pub fn into_input(self, unsure_below: f32, asked: Expectation) -> TurnInput {
        let unsure = self.confidence < unsure_below;
        let wanted = match asked {
            Expectation::Open | Expectation::Story => unsure,
            Expectation::Secret | Expectation::Wait => false,
            Expectation::YesNo
            | Expectation::Digits
            | Expectation::Name
            | Expectation::Address
            | Expectation::Date => true,
        };
        let alternatives = if wanted { self.alternatives } else { Vec::new() };
        TurnInput::Said { text: self.text, unsure, alternatives }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str, unsure: bool, alternatives: &[&str]) -> TurnInput {
        let alternatives = alternatives.iter().map(|&other| other.to_owned()).collect();
        TurnInput::Said { text: text.to_owned(), unsure, alternatives }
    }

    #[test]
    fn words_are_as_sure_as_the_worst_part_of_them() {
        let mut words =
            WaitingWords::default().followed_by("there is a", 0.9, &[]).followed_by("hole", 0.4, &[]);
        let input = words.clone().into_input(0.5, Expectation::Open);
        assert_eq!(input, said("there is a hole", true, &[]));
        words.clear();
        assert!(words.is_empty());
        assert_eq!(
            words.followed_by("no", 0.9, &[]).into_input(0.5, Expectation::Open),
            said("no", false, &[])
        );
    }

    #[test]
    fn other_hearings_are_of_the_whole_turn() {
        let words = WaitingWords::default()
            .followed_by("my name is", 0.9, &["by name is".to_owned()])
            .followed_by("tubs", 0.9, &["Tubbs".to_owned()]);
        assert_eq!(words.alternatives, ["my name is Tubbs", "by name is tubs"]);
    }

    #[test]
    fn other_hearings_go_where_they_tell_something_and_no_secret_is_in_them() {
        let words = || WaitingWords::default().followed_by("tubs", 0.9, &["Tubbs".to_owned()]);
        let given = |words: WaitingWords, asked| words.into_input(0.5, asked);
        assert_eq!(given(words(), Expectation::Name), said("tubs", false, &["Tubbs"]));
        assert_eq!(given(words(), Expectation::Open), said("tubs", false, &[]));
        assert_eq!(given(words(), Expectation::Secret), said("tubs", false, &[]));
        let doubted = WaitingWords { confidence: 0.3, ..words() };
        assert_eq!(given(doubted.clone(), Expectation::Open), said("tubs", true, &["Tubbs"]));
        assert_eq!(given(doubted, Expectation::Secret), said("tubs", true, &[]));
    }
}
