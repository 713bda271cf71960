//! Secrets that were asked for: they go to the tool that checks them and nowhere else.

use language::{Ear, Language};

use super::Session;
use super::utterance::{FinalText, Utterance};
use crate::event::EventBody;
use crate::ports::{CallRecord, SecretDigits, TurnInput};
use crate::turn::Expectation;

/// Stands for a secret wherever the conversation is written down. Says nothing of its length.
const HIDDEN: &str = "⟨secret⟩";

impl Session {
    /// Whether our last words asked for a secret, so that what comes next may be one.
    #[must_use]
    pub fn takes_secret(&self) -> bool {
        self.reply_expects() == Expectation::Secret
    }

    /// Whether the caller's sound may hold a secret now: one was asked for, by us or by a person who has the call, or keys are
    /// being pressed. Whoever asked must hear it; nobody else does.
    #[must_use]
    pub fn hides_caller(&self) -> bool {
        self.takes_secret() || self.digits.is_collecting()
    }

    /// A complete entry of keys that is a secret.
    pub(super) fn take_keyed_secret(&mut self, digits: String) {
        self.begin_turn(TurnInput::Secret(SecretDigits::new(digits)));
        self.record(CallRecord::Digits { turn: self.turn, digits: HIDDEN.into() });
        self.emit(EventBody::Dtmf { turn: self.turn, digits: HIDDEN.into() });
    }

    /// A spoken secret. The turn is on the record without its words.
    pub(super) fn take_spoken_secret(&mut self, utterance: &Utterance, done: &FinalText) {
        let hidden = FinalText { text: HIDDEN.into(), alternatives: Vec::new(), ..done.clone() };
        self.note_caller_turn(utterance.began, &hidden);
        if !self.confirm_over_talk() {
            return;
        }
        self.drop_speculation();
        self.carried.clear();
        self.reopened = None;
        self.commit_turn(TurnInput::Secret(SecretDigits::new(done.text.clone())), None);
        if self.person.is_some() {
            // A person asked for it, and has it.
            self.expects = Expectation::Open;
        }
    }
}

/// Whether words hold a spoken number: "I don't have it" is an answer like any other.
pub(super) fn holds_digits(text: &str) -> bool {
    // Whoever changes the language for it says it in the other one.
    [Language::En, Language::Es].into_iter().any(|language| Ear(language).longest_number(text) >= 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_secrets_and_other_answers_are_not() {
        for secret in ["4711", "four seven one one", "it's 47 11", "cuatro siete uno uno"] {
            assert!(holds_digits(secret), "{secret}");
        }
        for other in ["I don't have one", "what is that for?", "I'd have to go to the car for it", "help", ""]
        {
            assert!(!holds_digits(other), "{other}");
        }
    }
}
