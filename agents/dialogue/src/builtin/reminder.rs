//! We called to remind somebody of their appointment: told once they are there, and asked whether they will come.

use chrono::NaiveDateTime;
use language::YesNo;
use pipeline::ports::AfterReply;
use pipeline::turn::{Expectation, SegmentKind};
use serde::{Deserialize, Serialize};

use super::engine::Dialogue;
use super::state::{Pending, State};
use super::step::Effect;
use super::turn::Turn;

/// Politeness is a yes to some questions. "Please leave your name" is none to these.
const POLITE: [&str; 2] = ["please", "por"];
/// Words of the longest yes to whether it may be told; a machine's greeting is longer.
const SHORT: usize = 5;
/// Times that it is asked.
const ASKS: u8 = 2;
/// What the office reads on the request.
pub(super) const COMES: &str = "Called about the appointment: they said that they will come.";
pub(super) const DOES_NOT_COME: &str = "Called about the appointment: they said that they cannot come.";

/// An appointment that is not told of yet, or that was asked about.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reminded {
    /// Reference of the request that it was booked with.
    pub item: String,
    /// Local time of the office.
    pub starts: NaiveDateTime,
    pub place: String,
    /// They pressed a key for it: they are no machine.
    pub sure: bool,
    /// Times that they were asked whether they want to hear it.
    #[serde(default)]
    pub asks: u8,
}

language::shown!(Reminded, "Reminded": item, starts, sure, asks; place);

impl Dialogue {
    /// Whether an answer to a reminder is waited for, which no model takes.
    #[must_use]
    pub fn minds_reminder(&self, state: &State) -> bool {
        matches!(state.pending, Some(Pending::Remind | Pending::Coming))
    }
}

/// What words are to the question whether they want to hear now what we called about.
pub(super) enum Ready {
    Yes,
    No,
    /// They are asked once more.
    Again,
    /// Something else, after they were asked often enough: nothing is told.
    Other,
}

impl Turn<'_> {
    /// The first words of such a call. `false`: there is nothing to remind of.
    pub(super) fn begins_reminder(&mut self) -> bool {
        let Some(reminded) = &self.state.reminded else { return false };
        if reminded.starts <= self.view.now {
            self.state.reminded = None;
            return false;
        }
        if reminded.sure {
            self.remind();
        } else {
            self.ask_to_remind();
        }
        true
    }

    fn ask_to_remind(&mut self) {
        if let Some(reminded) = &mut self.state.reminded {
            reminded.asks = reminded.asks.saturating_add(1);
        }
        self.ask_pending("reminder_ready", Pending::Remind);
        self.expects = Expectation::YesNo;
    }

    /// The answer of who only said that they are the one, after they were asked so many times: it may be a machine.
    pub(super) fn ready(&self, text: &str, asked: u8) -> Ready {
        let short = self.ear.plain(text).split(' ').count() <= SHORT;
        if short && self.agrees(text) {
            Ready::Yes
        } else if self.ear.yes_no(text) == Some(YesNo::No) && self.ear.is_bare_yes_no(text) {
            Ready::No
        } else if asked < ASKS {
            Ready::Again
        } else {
            Ready::Other
        }
    }

    /// Whether these words begin with a yes.
    fn agrees(&self, text: &str) -> bool {
        let plain = self.ear.plain(text);
        let first = plain.split(' ').next().unwrap_or_default();
        let yes = |text: &str| self.ear.yes_no(text) == Some(YesNo::Yes);
        yes(text) && !POLITE.contains(&first) && (self.ear.is_bare_yes_no(text) || yes(first))
    }

    fn remind(&mut self) {
        let Some(reminded) = self.state.reminded.clone() else { return };
        let opening = self.ear.spoken_moment(reminded.starts);
        let key = if reminded.place.is_empty() { "reminder_no_place" } else { "reminder" };
        self.say_with(key, &[("opening", &opening), ("where", &reminded.place)]);
        self.ask_pending("reminder_question", Pending::Coming);
        self.expects = Expectation::YesNo;
        self.state.served = true;
        self.did("reminder", "told");
    }

    /// The answer to one of the two questions. `false`: there was none, or the words are about something else.
    pub(super) fn answers_reminder(&mut self, text: &str) -> bool {
        let waits = |pending: &mut Pending| matches!(pending, Pending::Remind | Pending::Coming);
        let Some(pending) = self.state.pending.take_if(waits) else { return false };
        if pending == Pending::Remind {
            let asked = self.state.reminded.as_ref().map_or(ASKS, |reminded| reminded.asks);
            match self.ready(text, asked) {
                Ready::Yes => self.remind(),
                Ready::No => {
                    self.say("reminder_later");
                    self.then = AfterReply::HangUp;
                    self.did("reminder", "not now");
                }
                Ready::Again => {
                    self.ask_to_remind();
                    self.did("reminder", "asked again");
                }
                Ready::Other => return false,
            }
            return true;
        }
        match self.ear.yes_no(text) {
            Some(YesNo::Yes) if self.agrees(text) && !self.ear.is_question(text) => {
                self.attends(true);
                self.anything_else();
            }
            Some(YesNo::No) => {
                self.attends(false);
                self.ask_pending("reminder_other_time", Pending::Offer("person".to_owned()));
            }
            _ => return false,
        }
        true
    }

    fn attends(&mut self, coming: bool) {
        let Some(reminded) = self.state.reminded.take() else { return };
        let text = if coming { COMES } else { DOES_NOT_COME };
        self.effects.push(Effect::NoteOn { item: reminded.item, text: text.to_owned() });
        let key = if coming { "reminder_coming" } else { "reminder_not_coming" };
        self.say_one_of(self.worded(key), key, &[], SegmentKind::Reply, true);
        self.did("reminder", if coming { "comes" } else { "does not come" });
    }
}
