//! Keys, for whoever cannot speak, or would rather not.

use pipeline::ports::Language;

use super::state::{Pending, Stage};
use super::turn::Turn;

/// Passes over a question, where nothing was keyed before it.
const PASS: char = '#';

impl Turn<'_> {
    /// Keys. What they mean is what was said they mean: zero a person, one yes and two no where that was the
    /// question, two the other language where none was.
    pub(super) fn digits(&mut self, digits: &str) {
        let keys: String = digits.chars().filter(char::is_ascii_digit).collect();
        if let Some(pending) = self.call_back_pending()
            && self.call_back_keyed(&pending, &keys)
        {
            return;
        }
        if self.state.in_line.is_some() && self.state.task().is_none() && keys != "911" {
            return self.is_called_back_in_turn();
        }
        if !self.state.asking.is_empty() && !self.wants_number() && !matches!(keys.as_str(), "0" | "911") {
            return if keys == "1" {
                self.is_called_back_about_it()
            } else {
                self.did("nothing", "let it be")
            };
        }
        if digits.contains(PASS) && keys.is_empty() {
            return self.pass_over();
        }
        // Keys are searched for nowhere.
        self.whole.clone_from(&keys);
        let (yes_no, number) = (self.wants_yes_no(), self.wants_number());
        let asks_recording = self.state.pending == Some(Pending::Recording);
        let begun = self.state.task().is_some_and(|task| !task.digits.is_empty());
        match keys.as_str() {
            // As the first question had it.
            "9" if self.state.outbound && !number && !begun => self.no_more_calls(self.state.language, "key"),
            "" => self.unclear(),
            // Inside a number a zero is a digit.
            "0" if !begun => self.bring_person(),
            "911" => self.emergency_keyed(),
            "1" if yes_no => self.answer_key(true),
            // The greeting says that it changes the language.
            "2" if yes_no && !(asks_recording && self.state.spoken.len() > 1) => self.answer_key(false),
            "2" if !number => self.asked_for(self.other_language(), ""),
            keys => self.route(keys),
        }
    }

    fn answer_key(&mut self, yes: bool) {
        let word = match (self.ear.0, yes) {
            (Language::En, true) => "yes",
            (Language::Es, true) => "sí",
            (_, false) => "no",
        };
        word.clone_into(&mut self.whole);
        self.route(word);
    }

    /// Pound alone: nothing to say to what was asked.
    fn pass_over(&mut self) {
        let slot = match self.current() {
            Some((Stage::Slot(id), script)) => script.slot(&id),
            Some(_) => None,
            None => return self.passes_over_offer(),
        };
        match slot {
            Some(slot) => self.declined(slot),
            None => self.ask_again_quietly(),
        }
    }

    fn passes_over_offer(&mut self) {
        match self.state.pending.clone() {
            // "Anything else?", where no is not told apart from two for another language.
            Some(Pending::More) => self.goodbye(),
            Some(_) if self.wants_yes_no() => self.answer_key(false),
            _ => self.unclear(),
        }
    }

    /// How to pass over a question by keys, told once, to whoever answers by keys.
    pub(super) fn tells_pound(&mut self, optional: bool) {
        if optional && self.by_keys && !self.state.told_pound {
            self.state.told_pound = true;
            self.say("press_pound");
        }
    }
}
