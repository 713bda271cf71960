//! A question that no page answers, while somebody of the office is there: they are asked, the caller waits, and hears what they
//! say with the source named.

use pipeline::ports::AfterReply;
use pipeline::turn::{Expectation, SegmentKind};

use super::state::Pending;
use super::step::Effect;
use super::turn::Turn;
use language::{Language, YesNo};

/// Questions of one call that people are asked.
pub const MOST_QUESTIONS: u8 = 3;
/// Words with which somebody agrees to wait.
const ASSENT: [&[&str]; 2] =
    [&["ok", "okay", "alright", "all", "fine", "sure"], &["ok", "okay", "bueno", "vale", "claro", "esta"]];

impl Turn<'_> {
    /// Offers to ask somebody of the office. `false`: nothing was said.
    pub(super) fn offers_to_ask(&mut self, text: &str) -> bool {
        let may = self.view.facts.ask_staff_s > 0
            && self.state.staff_there
            && self.state.asked_staff < MOST_QUESTIONS;
        if !may || text.trim().is_empty() || self.state.waits() {
            return false;
        }
        self.ask_pending("ask_staff_offer", Pending::AskStaff);
        self.expects = Expectation::YesNo;
        self.state.offered_for = text.to_owned();
        true
    }

    /// The answer to that offer. `false`: there was none, or the words are about something else.
    pub(super) fn answers_ask_staff(&mut self, text: &str) -> bool {
        if !self.state.asking.is_empty() {
            return self.answers_wait(text);
        }
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

    /// What is said by who waits for an answer. `false`: it is about something else.
    fn answers_wait(&mut self, text: &str) -> bool {
        let plain = self.ear.plain(text);
        let bare = self.ear.yes_no(text).filter(|_| self.ear.is_bare_yes_no(text));
        // The words to them offer a callback: a yes takes it, an okay or a no goes on waiting.
        let takes = bare == Some(YesNo::Yes) && !self.is_assent(&plain);
        if takes || self.wants_no_wait(&plain) {
            self.is_called_back_about_it();
        } else if bare.is_some() || self.says_that_they_wait(&plain) && !self.ear.is_question(text) {
            self.say("acknowledge");
            self.did("question", "waits for the office");
        } else {
            return false;
        }
        true
    }

    fn is_assent(&self, plain: &str) -> bool {
        let first = plain.split(' ').next().unwrap_or_default();
        ASSENT[usize::from(self.ear.0 == Language::Es)].contains(&first)
    }

    /// Who waits for an answer is called back about it instead.
    pub(super) fn is_called_back_about_it(&mut self) {
        self.did("question", "is to be called back about it");
        self.is_asked_no_more();
        self.start_person();
    }

    /// The wait is over without an answer: a callback is about the question.
    fn is_asked_no_more(&mut self) {
        let question = std::mem::take(&mut self.state.asking);
        let heard = std::mem::take(&mut self.state.misheard);
        self.state.offered_for = if question.is_empty() { heard } else { question };
    }

    fn ask_staff(&mut self) {
        let question = std::mem::take(&mut self.state.offered_for);
        self.state.asked_staff = self.state.asked_staff.saturating_add(1);
        self.state.misheard.clone_from(&question);
        self.state.asking.clone_from(&question);
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
        self.state.asking.clear();
        self.state.misheard.clear();
        self.state.unanswered = 0;
        self.state.served = true;
        self.did("question", "answered by the office");
        self.resume_or_more();
    }

    /// Nobody did in time: a person calls back about it.
    pub(super) fn staff_was_late(&mut self) {
        self.say("staff_late");
        self.did("question", "the office did not answer");
        self.is_asked_no_more();
        self.start_person();
    }
}
