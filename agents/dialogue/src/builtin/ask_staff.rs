//! A question that no page answers, while somebody of the office is there: they are asked, the caller waits, and hears what they
//! say with the source named.

use pipeline::ports::AfterReply;
use pipeline::turn::{Expectation, SegmentKind};

use super::state::Pending;
use super::step::Effect;
use super::turn::Turn;
use language::YesNo;

/// Questions of one call that people are asked.
pub const MOST_QUESTIONS: u8 = 3;

impl Turn<'_> {
    /// Offers to ask somebody of the office. `false`: nothing was said.
    pub(super) fn offers_to_ask(&mut self, text: &str) -> bool {
        let may = self.view.facts.ask_staff_s > 0
            && self.state.staff_there
            && self.state.asked_staff < MOST_QUESTIONS;
        if !may || text.trim().is_empty() || self.state.in_line.is_some() {
            return false;
        }
        self.ask_pending("ask_staff_offer", Pending::AskStaff);
        self.expects = Expectation::YesNo;
        self.state.offered_for = text.to_owned();
        true
    }

    /// The answer to that offer. `false`: there was none, or the words are about something else.
    pub(super) fn answers_ask_staff(&mut self, text: &str) -> bool {
        if self.state.pending.take_if(|pending| *pending == Pending::AskStaff).is_none() {
            return false;
        }
        match self.ear.yes_no(text) {
            Some(YesNo::Yes) => self.ask_staff(),
            Some(YesNo::No) if self.ear.is_bare_yes_no(text) => {
                self.ask_pending("message_or_person", Pending::MessageOrPerson);
            }
            _ => return false,
        }
        true
    }

    fn ask_staff(&mut self) {
        let question = std::mem::take(&mut self.state.offered_for);
        self.state.asked_staff = self.state.asked_staff.saturating_add(1);
        self.state.misheard.clone_from(&question);
        let variants = self.worded("ask_staff_waiting");
        self.say_one_of(variants, "ask_staff_waiting", &[], SegmentKind::Notice, true);
        self.effects.push(Effect::AskStaff { question });
        self.then = AfterReply::Ask;
        self.did("question", "asks the office");
    }

    /// Somebody answered: their words, and whose they are.
    pub(super) fn staff_answered(&mut self, text: &str) {
        let text = text.trim();
        let ends = text.ends_with(['.', '!', '?']);
        let answer = if ends { text.to_owned() } else { format!("{text}.") };
        self.say_with("staff_says", &[("answer", &answer)]);
        self.state.misheard.clear();
        self.state.unanswered = 0;
        self.state.served = true;
        self.did("question", "answered by the office");
        self.anything_else();
    }

    /// Nobody did in time: a person calls back about it.
    pub(super) fn staff_was_late(&mut self) {
        self.say("staff_late");
        self.did("question", "the office did not answer");
        self.state.offered_for = std::mem::take(&mut self.state.misheard);
        self.start_person();
    }
}
