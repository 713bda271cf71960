//! Being recorded and listened to: what the greeting says of it, and the caller's yes or no.

use language::{Ear, YesNo};
use pipeline::ports::{Consent, Consented, Language};
use pipeline::turn::{Expectation, SegmentKind};

use super::engine::Dialogue;
use super::intent::by_cue;
use super::state::{Pending, State};
use super::turn::Turn;

/// The intent of who wants no recording.
pub(super) const INTENT: &str = "recording_off";
/// Words of an answer that holds nothing else.
const SHORT: usize = 5;

impl Turn<'_> {
    /// What a line that records tells its callers, in the language of the moment. One that asks does so later.
    pub(super) fn tell_of_recording(&mut self) {
        if self.state.consent == Consent::Notice {
            self.say_kind("recording_notice", SegmentKind::Consent);
        }
    }

    /// The greeting ends with the question whether the call may be recorded, or with the one what is wanted.
    pub(super) fn end_greeting(&mut self) {
        if self.state.consent == Consent::Ask {
            self.say("recording_question");
            self.state.pending = Some(Pending::Recording);
            self.expects = Expectation::YesNo;
        } else {
            self.say("greeting_question");
        }
    }

    /// The answer. Whoever says something else instead, or beside it, has not agreed, and is served.
    pub(super) fn answers_recording(&mut self, text: &str) -> bool {
        let cue = by_cue(self.script, text);
        let other = cue.is_some_and(|c| !matches!(c.intent.id.as_str(), "acknowledge" | "thanks"));
        let short = self.ear.plain(text).split(' ').count() <= SHORT;
        let only = self.ear.is_bare_yes_no(text) || (short && !other);
        match self.ear.yes_no(text) {
            Some(YesNo::Yes) if only => {
                self.consented = Some(Consented::Agreed);
                self.say("how_help");
            }
            Some(YesNo::No) if only => {
                self.consented = Some(Consented::Refused);
                self.say("recording_refused");
                self.say("how_help");
            }
            _ => {
                self.consented = Some(Consented::Refused);
                return false;
            }
        }
        self.did("answer", "took it");
        true
    }

    /// "Stop recording this."
    pub(super) fn withdraw_recording(&mut self) {
        match self.state.consent {
            Consent::Off => self.say("recording_none"),
            Consent::Notice | Consent::Ask => {
                self.consented = Some(Consented::Withdrawn);
                self.say("recording_stopped");
            }
        }
        self.resume_or_more_quietly();
    }
}

impl Dialogue {
    /// Whether these words ask that nothing is recorded.
    #[must_use]
    pub fn wants_no_recording(&self, state: &State, text: &str) -> bool {
        by_cue(self.script_in(state.language), text).is_some_and(|found| found.intent.id == INTENT)
    }

    /// Whether these words ask that no notes are taken of a talk, or nothing is recorded. In either language: they are not said to
    /// us, and whoever says them may have changed over.
    #[must_use]
    pub fn wants_no_notes(&self, text: &str) -> bool {
        [Language::En, Language::Es].into_iter().any(|language| {
            let script = self.script_in(language);
            script.acts.wants_no_notes(Ear(language), text)
                || by_cue(script, text).is_some_and(|found| found.intent.id == INTENT)
        })
    }

    /// Whether these words are about being recorded, so that no model answers them: the yes or no to our question, or the wish
    /// that it stops.
    #[must_use]
    pub fn minds_recording(&self, state: &State, text: &str) -> bool {
        state.pending == Some(Pending::Recording) || self.wants_no_recording(state, text)
    }
}
