//! The number to call back: the one that the call comes from, offered in place of asking for one, and one that is told in parts.

use language::YesNo;
use language::reply::Kind;
use pipeline::turn::Expectation;

use super::script::{Slot, SlotKind};
use super::state::Filled;
use super::turn::Turn;

impl<'a> Turn<'a> {
    pub(super) fn may_ask_known(&self, slot: &Slot) -> bool {
        let fresh =
            self.state.task().is_some_and(|t| !t.asked_known && !t.known_refused && t.digits.is_empty());
        slot.kind == SlotKind::Phone && self.state.caller_number && !slot.ask_known.is_empty() && fresh
    }

    /// Whether the open question is "is the number you call from the right one?".
    pub(super) fn asks_known(&self, slot: &Slot) -> bool {
        slot.kind == SlotKind::Phone && self.state.task().is_some_and(|t| t.asked_known && !t.known_refused)
    }

    pub(super) fn known_number(&mut self, slot: &'a Slot, text: &str) -> bool {
        let (ear, cues) = (self.ear, self.ear.cues());
        if ear.whole_phone(text).is_some() {
            self.task_mut(|task| task.known_refused = true);
            return false;
        }
        let plain = ear.plain(text);
        // "I don't want to leave a number" is a no to any; "yes, I don't have one of those cell ones" is none.
        if ear.yes_no(text) != Some(YesNo::Yes)
            && cues.declines.iter().any(|p| plain.contains(p))
            && !ear.unknowing(&plain)
        {
            self.task_mut(|task| task.known_refused = true);
            self.declined(slot);
            return true;
        }
        let this = cues.this_number.iter().any(|p| plain.contains(p));
        match ear.yes_no(text) {
            _ if this && ear.yes_no(text) != Some(YesNo::No) => self.take_caller_number(slot),
            Some(YesNo::Yes) => self.take_caller_number(slot),
            Some(YesNo::No) => {
                self.task_mut(|task| task.known_refused = true);
                // "No, it's 555-0143" holds the answer.
                if ear.count_digits(text) >= 7 {
                    return false;
                }
                self.ask(slot);
            }
            // "The number I'm what? Oh yes ma'am, this is the house phone."
            None if self.agrees_amid(text) => self.take_caller_number(slot),
            // "I suppose."
            None if self.agrees_by_parts(text) => self.take_caller_number(slot),
            None => return false,
        }
        true
    }

    /// Whether all that a reply has is a yes, in whatever words.
    fn agrees_by_parts(&self, text: &str) -> bool {
        let reply = self.reply(text);
        reply.has(Kind::Yes) && !reply.is_mixed()
    }

    /// Whether a yes stands among the words, no no, and no number.
    fn agrees_amid(&self, text: &str) -> bool {
        let plain = self.ear.plain(text);
        let says = |answer: YesNo| plain.split(' ').any(|word| self.ear.yes_no(word) == Some(answer));
        says(YesNo::Yes) && !says(YesNo::No) && self.ear.count_digits(text) < 3
    }

    /// "This one", "the one I'm calling from".
    pub(super) fn means_this_number(&self, text: &str) -> bool {
        let plain = self.ear.plain(text);
        let this = self.ear.cues().this_number.iter().any(|cue| plain.contains(cue));
        // The "one" of "this one" is no digit of a number.
        this && self.ear.count_digits(text) < 3 && self.ear.yes_no(text) != Some(YesNo::No)
    }

    pub(super) fn take_caller_number(&mut self, slot: &'a Slot) {
        let value = Filled::new("caller", self.ear.cues().says.caller_number);
        self.filled(slot, value, "");
    }

    pub(super) fn part_of_number(&mut self, slot: &'a Slot, digits: String) {
        let part = digits.clone();
        self.task_mut(|task| task.digits = digits);
        if self.over_asked("phone?part") {
            self.task_mut(|task| task.digits.clear());
            return self.ask(slot);
        }
        self.say_with("phone_rest", &[("part", &part)]);
        self.expects = Expectation::Digits;
    }

    pub(super) fn wrong_number(&mut self, slot: &'a Slot) {
        self.task_mut(|task| task.digits.clear());
        if self.over_asked(&slot.id) {
            return self.exhausted(slot);
        }
        self.say("phone_wrong");
        self.expects = Expectation::Digits;
    }
}
