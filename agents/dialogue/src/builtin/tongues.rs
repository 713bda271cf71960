//! Which language the conversation is held in: chosen by the caller, or heard from them.

use pipeline::ports::Language;
use pipeline::turn::SegmentKind;

use super::intent::by_cue;
use super::script::{Does, SlotKind};
use super::slots::respoken;
use super::state::{CallBack, Stage, State};
use super::turn::Turn;
use language::{Ear, language_of};

/// Words of the longest wish for a language.
const WISH: usize = 8;
/// Small words of a language that an answer to a question of ours must hold before it changes the language.
const MARKS: usize = 2;

impl super::engine::Dialogue {
    /// Notes that the recogniser heard another language; the next turn takes it up, if the words bear it out.
    #[must_use]
    pub fn language_heard(&self, state: &State, language: Language) -> State {
        State { heard: Some(language).filter(|l| *l != state.language), ..state.clone() }
    }
}

impl Turn<'_> {
    /// Follows the caller into the language that they speak. `true` when the turn is answered with that.
    pub(super) fn follow_language(&mut self, text: &str) -> bool {
        // Names and streets of an answer may be of any language: amid a task it takes words of the other one.
        let named = matches!(self.current(), Some((Stage::Slot(id), script))
            if script.slot(&id).is_some_and(|slot| matches!(slot.kind, SlotKind::Name | SlotKind::Place | SlotKind::Address)));
        let clear = |language: &Language| {
            let marks = Ear(*language).marks(text);
            if named { marks > MARKS } else { self.state.task().is_none() || marks >= MARKS }
        };
        let words = language_of(text).filter(clear);
        let heard = self.state.heard.take();
        let other = |l: &Language| *l != self.state.language;
        // A recogniser may take "no" for Spanish. What it heard counts once there are words enough.
        let enough = words.is_some() || self.ear.plain(text).split(' ').count() >= 3;
        if !enough {
            self.state.heard = heard;
            return false;
        }
        let heard = heard.filter(|_| !named);
        let Some(language) = words.or(heard).filter(other) else { return false };
        if self.state.speaks(language) {
            self.change_over(language);
            self.notify();
            return false;
        }
        let asks = language == Language::Es && self.state.call_back == CallBack::NotAsked;
        if asks {
            self.offer_call_back();
        }
        asks
    }

    /// "En español, por favor", "English, please", key two.
    pub(super) fn asked_for(&mut self, language: Language, text: &str) {
        if language == self.state.language {
            // "Me llegó una carta y no hablo inglés" wants Spanish, has it, and is told of the letter.
            if self.state.task().is_none() && !self.asked_for_language && self.asks_more(text) {
                self.asked_for_language = true;
                return self.route(text);
            }
            // Heard from the words of this very turn, it is new all the same.
            self.say(if self.changed.is_some() { "language_changed" } else { "language_same" });
            return self.go_on();
        }
        if std::mem::replace(&mut self.asked_for_language, true) {
            // "She knows no English" may read like a wish for either language in turn; one change a turn is enough.
            return self.go_on();
        }
        if self.state.speaks(language) {
            self.change_over(language);
            self.notify();
            // "Hola, necesito reportar un accidente" asks for Spanish, and for more.
            if self.asks_more(text) {
                return self.route(text);
            }
            self.say("language_changed");
            return self.go_on();
        }
        match language {
            Language::Es => self.offer_call_back(),
            Language::En => self.start_task("other_language", ""),
        }
    }

    /// Whether the words hold more than a wish for a language or a greeting.
    fn asks_more(&mut self, text: &str) -> bool {
        let wishes =
            |id: &str| matches!(id, "spanish" | "english" | "other_language" | "presence" | "acknowledge");
        let known = by_cue(self.script, text).is_some_and(|c| match &c.intent.does {
            Does::Control(id) | Does::Task(id) => !wishes(id),
        });
        let question = self.ear.is_question(text) && self.passage(text).is_some();
        let wish = by_cue(self.script, text).is_some_and(|c| wishes(&c.intent.id));
        // "Fíjese que ayer me resbalé en la entrada" tells what the call is about.
        let plain = self.ear.plain(text);
        let tells = plain.split(' ').count() > WISH && self.ear.terms(&plain).len() >= 3;
        known || (question && !wish) || tells
    }

    /// Puts the open question once more, or asks what is wanted.
    fn go_on(&mut self) {
        if self.state.tasks.is_empty() {
            self.state.pending = None;
            self.say("how_help");
        } else {
            self.ask_again_quietly();
        }
    }

    /// The conversation goes on in another language: what was understood so far is read back in it.
    pub(super) fn change_over(&mut self, language: Language) {
        self.speak(language);
        let (dialogue, ear) = (self.dialogue, Ear(language));
        let script = dialogue.script_in(language);
        for task in self.state.tasks.iter_mut().chain(&mut self.state.parked) {
            let Some(task_script) = script.task(&task.id) else { continue };
            for slot in &task_script.slots {
                if let Some(filled) = task.slots.get_mut(&slot.id) {
                    *filled = respoken(slot.kind, filled, ear);
                }
            }
        }
        if let Some(phone) = self.state.known.get_mut("phone") {
            *phone = respoken(super::script::SlotKind::Phone, phone, ear);
        }
        // Who did not understand the question has not agreed.
        self.state.pending.take_if(|pending| *pending == super::state::Pending::Recording);
        // A page of the other language has nothing more to say here.
        self.state.topic = None;
    }

    /// Who speaks and what is recorded, once in each language. It never comes before an emergency's words.
    fn notify(&mut self) {
        let language = self.state.language;
        if !self.state.noticed.contains(&language) {
            self.state.noticed.push(language);
            self.say_kind("language_notice", SegmentKind::Notice);
            self.tell_of_recording();
        }
    }
}
