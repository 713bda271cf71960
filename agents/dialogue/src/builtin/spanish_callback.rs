//! A caller who wants Spanish on a line that does not speak it: told so in Spanish, from phrases that were rendered
//! before, and offered a call-back, which is filed once.
//!
//! The line's recogniser hears English, so everything here can be answered with keys.

use std::collections::BTreeMap;

use pipeline::ports::{AfterReply, Language};
use pipeline::turn::{Expectation, SegmentKind};

use super::engine::Dialogue;
use super::finish::callback_time;
use super::intent::by_cue;
use super::script::Files;
use super::state::{CallBack, Pending, State};
use super::step::{Effect, Filing};
use super::turn::Turn;
use crate::Priority;
use language::Phone;
use language::YesNo;
use language::{Ear, language_of};

/// What is said in Spanish.
pub(super) const NOTICES: &[&str] = &[
    "spanish_key",
    "only_english",
    "call_back_press",
    "call_back_keys",
    "call_back_again",
    "call_back_number_again",
    "call_back_filed",
    "call_back_known",
    "call_back_later",
];
/// Name of the work that is filed.
pub(super) const TASK: &str = "spanish";
/// How often the offer is repeated.
const MOST: u8 = 3;

impl Turn<'_> {
    /// Says that the line speaks English only, and offers a call-back in Spanish.
    pub(super) fn offer_call_back(&mut self) {
        self.did("spanish", "offered a call-back");
        self.state.call_back_asked = 0;
        if self.state.call_back == CallBack::Filed {
            self.say_in(Language::Es, "call_back_known", &[], false);
            return self.in_english();
        }
        self.state.call_back = CallBack::Offered;
        self.say_in(Language::Es, "only_english", &[], false);
        if self.state.caller_number {
            self.say_in(Language::Es, "call_back_press", &[], false);
            self.await_call_back(Pending::CallBackInSpanish);
        } else {
            self.say_in(Language::Es, "call_back_keys", &[], false);
            self.await_call_back(Pending::NumberInSpanish);
        }
        self.say("call_back_or_english");
    }

    fn await_call_back(&mut self, pending: Pending) {
        self.expects = match pending {
            Pending::NumberInSpanish => Expectation::Digits,
            _ => Expectation::YesNo,
        };
        self.state.pending = Some(pending);
    }

    /// What was said after the offer. The recogniser may have made anything of Spanish words.
    pub(super) fn call_back_said(&mut self, pending: Pending, text: &str) {
        let spanish = Ear(Language::Es);
        if let Some(phone) = self.ear.whole_phone(text).or_else(|| spanish.whole_phone(text)) {
            return self.file_call_back(Some(phone.e164()));
        }
        let plain = spanish.plain(text);
        // A few words that begin with a yes, or the number of the key; more words are something else.
        let few = plain.split(' ').count() <= 3;
        let one = plain.split(' ').any(|w| matches!(w, "uno" | "one" | "1" | "si"));
        let says = self.ear.yes_no(text) == Some(YesNo::Yes) || spanish.yes_no(text) == Some(YesNo::Yes);
        let yes = few && (one || says);
        match pending {
            Pending::CallBackInSpanish if yes => self.file_call_back(None),
            _ if self.wants_spanish(text) => self.ask_call_back_again(pending),
            _ => {
                // English words: they stay on the line.
                self.decline_call_back();
                self.route(text);
            }
        }
    }

    fn wants_spanish(&self, text: &str) -> bool {
        let cue = by_cue(self.script, text).is_some_and(|c| c.intent.id == "spanish");
        cue || language_of(text) == Some(Language::Es)
    }

    /// Keys after the offer. `true` when they were meant for it.
    pub(super) fn call_back_keyed(&mut self, pending: &Pending, keys: &str) -> bool {
        let number = Phone::from_digits(keys, &self.view.facts.area_code).filter(|_| keys.len() >= 10);
        match (pending, keys) {
            (Pending::CallBackInSpanish, "1" | "0") => self.file_call_back(None),
            (Pending::CallBackInSpanish | Pending::NumberInSpanish, "2") => {
                self.ask_call_back_again(pending.clone());
            }
            (Pending::CallBackInSpanish | Pending::NumberInSpanish, _) if number.is_some() => {
                self.file_call_back(number.map(|n| n.e164()));
            }
            (Pending::NumberInSpanish, _) => self.ask_call_back_again(Pending::NumberInSpanish),
            _ => return false,
        }
        true
    }

    /// Silence after the offer: once more in Spanish, and in the end goodbye.
    pub(super) fn call_back_silence(&mut self, pending: Pending) {
        self.did("silence", "prompted");
        self.ask_call_back_again(pending);
        for say in &mut self.out {
            say.kind = SegmentKind::Prompt;
        }
    }

    fn ask_call_back_again(&mut self, pending: Pending) {
        self.state.call_back_asked = self.state.call_back_asked.saturating_add(1);
        if self.state.call_back_asked >= MOST {
            return self.give_up_call_back();
        }
        let key = match pending {
            Pending::NumberInSpanish => "call_back_number_again",
            _ => "call_back_again",
        };
        self.say_in(Language::Es, key, &[], false);
        self.await_call_back(pending);
    }

    /// Nothing came of it: what can be kept is kept, and the call ends with a word in Spanish.
    fn give_up_call_back(&mut self) {
        if self.state.caller_number {
            return self.file_call_back(None);
        }
        self.decline_call_back();
        self.say_in(Language::Es, "call_back_later", &[], false);
        self.then = AfterReply::HangUp;
        self.did("spanish", "gave up");
    }

    fn file_call_back(&mut self, phone: Option<String>) {
        let callback = callback_time(Ear(Language::Es), self.view.now, self.view.facts);
        self.state.call_back = CallBack::Filed;
        self.state.pending = None;
        self.effects.push(Effect::File(filing(phone, self.state.urgent, false)));
        self.say_in(Language::Es, "call_back_filed", &[("callback", &callback)], true);
        self.then = AfterReply::HangUp;
        self.did("spanish", "filed a call-back");
    }

    /// It could not be filed: said in Spanish, too. The end of the call tries once more.
    pub(super) fn call_back_not_saved(&mut self) {
        self.state.failures = self.state.failures.saturating_add(1);
        self.state.pending = None;
        self.say_in(Language::Es, "call_back_later", &[], false);
        self.then = AfterReply::HangUp;
        self.did("storage", "could not save");
    }

    fn decline_call_back(&mut self) {
        if self.state.call_back == CallBack::Offered {
            self.state.call_back = CallBack::Declined;
        }
        self.state.pending = None;
    }

    fn in_english(&mut self) {
        self.say("call_back_or_english");
    }
}

impl State {
    /// Whether the caller was last asked, in Spanish, about a call-back: the next keys are the dialogue's.
    #[must_use]
    pub const fn awaits_call_back(&self) -> bool {
        matches!(self.pending, Some(Pending::CallBackInSpanish | Pending::NumberInSpanish))
    }
}

impl Dialogue {
    /// A caller who asked for Spanish and left before they answered: somebody calls them back all the same.
    pub(super) fn owed_call_back(&self, state: &State) -> Option<Filing> {
        let owed = state.call_back == CallBack::Offered && state.caller_number;
        owed.then(|| filing(None, state.urgent, true))
    }
}

fn filing(phone: Option<String>, urgent: bool, incomplete: bool) -> Filing {
    let use_caller_number = phone.is_none();
    let mut fields = BTreeMap::from([("language".to_owned(), Language::Es.code().to_owned())]);
    fields.extend(phone.map(|number| ("phone".to_owned(), number)));
    Filing {
        task: TASK.to_owned(),
        files: Files::Callback,
        priority: if urgent { Priority::Urgent } else { Priority::Normal },
        incomplete,
        fields,
        use_caller_number,
        booking: None,
    }
}
