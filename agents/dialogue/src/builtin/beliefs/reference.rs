//! Giving a reference number: only to who can write it down, slowly, in groups.

use crate::builtin::policy::said::Said;
use crate::builtin::script::TaskScript;
use crate::builtin::state::{Pending, Task};
use crate::builtin::turn::Turn;
use language::YesNo;
use language::beside::question_beside;
use language::reply::{Asked, Kind};

/// Digits said in one breath.
const GROUP: usize = 2;
/// Fewer words ask nothing of their own: "did you say?".
const ASKS: usize = 3;
/// Who names so much wants something.
const NAMES: usize = 4;
/// An answer of more words is something else than "let me see, yes".
const ANSWER: usize = 4;

impl Turn<'_> {
    /// After something was filed: asks whether the caller can write, or goes back to what was left.
    pub(in crate::builtin) fn offer_reference(&mut self) {
        self.state.owes_reference = true;
        if self.state.tasks.is_empty() {
            self.ask_pending("write_down", Pending::Write);
        } else {
            self.resume();
        }
    }

    /// The answer to "Do you have something to write with?". `false` when it was something else.
    pub(in crate::builtin) fn writes(&mut self, text: &str) -> bool {
        let ear = self.ear;
        let plain = ear.plain(text);
        let short = plain.split(' ').count() <= ANSWER;
        let question = self.asked_beside(text).filter(|question| !self.asks_for_reference(question));
        let other = super::super::intent::by_cue(self.script, text)
            .is_some_and(|cue| !matches!(cue.intent.id.as_str(), "acknowledge" | "thanks" | "goodbye"));
        let other = other && question.is_none();
        match ear.yes_no(text) {
            Some(YesNo::Yes) => {}
            // "No, just say it."
            Some(YesNo::No) if ear.cues().say_it.iter().any(|said| plain.contains(said)) => {}
            Some(YesNo::No) if !other || ear.is_bare_yes_no(text) => {
                self.state.owes_reference = false;
                self.say("reference_later");
                self.did("reference", "kept it for later");
                if let Some(question) = question {
                    self.open(&question);
                } else if self.says_bye(text) || ear.cues().all_said.iter().any(|said| plain.contains(said)) {
                    self.goodbye();
                } else {
                    self.anything_else();
                }
                return true;
            }
            // "I don't know", "just a second, okay": it does no harm to say it.
            None if ear.cues().say_it.iter().any(|said| plain.contains(said)) => {}
            None if ear.unknowing(&plain) => {}
            // "Naw, I ain't got my glasses on": long as it is, it asks for nothing.
            None if !other && !ear.is_question(text) && (short || self.is_idle(text)) => {}
            _ => return false,
        }
        if let Some(reference) = self.state.references.last().cloned() {
            self.tell_reference(&reference);
        }
        self.did("reference", "told it");
        match question {
            Some(question) => self.open(&question),
            None if self.says_bye(text) => self.goodbye(),
            None => self.anything_else(),
        }
        true
    }

    /// "What's that number?", "I have a pencil now".
    pub(in crate::builtin) fn asks_for_reference(&self, text: &str) -> bool {
        super::super::intent::by_cue(self.script, text).is_some_and(|cue| cue.intent.id == "reference")
    }

    /// "Okay, I have a pencil now, what's that number", when something else was asked and answered meanwhile.
    pub(in crate::builtin) fn takes_reference(&mut self, text: &str) -> bool {
        let owed = self.state.owes_reference && self.state.pending != Some(Pending::Write);
        let Some(reference) = self.state.references.last().cloned() else { return false };
        if !owed || !self.asks_for_reference(text) {
            return false;
        }
        self.state.pending = None;
        self.tell_reference(&reference);
        self.did("reference", "told it");
        self.anything_else();
        true
    }

    /// Whether words tell, ask and want nothing.
    pub(in crate::builtin) fn is_idle(&self, text: &str) -> bool {
        Said::of(text, self.ear.0).wishes().is_empty()
    }

    /// "Nope, that'll do it, appreciate you": a no with nothing behind it. "No, you said nothing of fences, but tell me more" is none.
    pub(in crate::builtin) fn is_small_talk(&self, text: &str) -> bool {
        let plain = self.ear.plain(text);
        let but = plain.split(' ').any(|word| self.ear.cues().but.contains(&word));
        let more = self.script.acts.wants_more(&plain) || self.script.acts.wants_to_know(&plain);
        self.is_idle(text)
            && !self.ear.is_question(text)
            && !but
            && !more
            && self.subjects(text).len() < NAMES
    }

    /// "No, I don't need it. How long till they paint over it?": what is asked beside the answer.
    fn asked_beside(&self, text: &str) -> Option<String> {
        let reply = self.parts_of(text, Asked::Confirm);
        let asked = reply.each(Kind::Ask).filter(|words| words.split(' ').count() >= ASKS).last();
        let asked = asked.map(str::to_owned);
        asked.or_else(|| question_beside(self.ear, text).map(|(_, question)| question))
    }

    pub(in crate::builtin) fn tell_reference(&mut self, reference: &str) {
        self.state.owes_reference = false;
        self.say_with("reference", &[("reference", &slowly(reference))]);
    }

    /// Several were filed: each number, in the order in which they were.
    pub(in crate::builtin) fn tell_references(&mut self, references: &[String]) {
        self.state.owes_reference = false;
        for (at, reference) in references.iter().enumerate() {
            let number = (at + 1).to_string();
            self.say_with("reference_of", &[("number", &number), ("reference", &slowly(reference))]);
        }
    }

    /// Says what a person will ask about, where something was left open.
    pub(in crate::builtin) fn leave_to_person(&mut self, script: &TaskScript, task: &Task) {
        let open = task.unconfirmed(script);
        let called = script.slots.iter().filter(|slot| open.contains(&slot.id.as_str()));
        let called: Vec<&str> = called.map(|slot| slot.called.as_str()).collect();
        if !called.is_empty() {
            let parts = called.join(&format!(" {} ", self.ear.cues().says.and));
            self.say_with("unconfirmed_call", &[("parts", &parts)]);
        }
    }
}

/// "INC-4821" as it is written down: "I N C, 4 8, 2 1".
pub(in crate::builtin) fn slowly(reference: &str) -> String {
    let mut groups: Vec<String> = Vec::new();
    for part in reference.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()) {
        let letters: Vec<char> = part.chars().collect();
        let digits = letters.iter().all(char::is_ascii_digit);
        let size = if digits { GROUP } else { letters.len() };
        groups.extend(letters.chunks(size).map(spaced));
    }
    groups.join(", ")
}

fn spaced(letters: &[char]) -> String {
    letters.iter().map(char::to_string).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_said_in_groups() {
        assert_eq!(slowly("INC-4821"), "I N C, 4 8, 2 1");
        assert_eq!(slowly("REF-100"), "R E F, 1 0, 0");
    }
}
