//! What the words that begin a task tell of it, by their parts.

use language::reply::{Asked, Kind};

use super::account;
use super::addressee::MESSAGE;
use super::reply::Reply;
use super::script::{Slot, SlotKind, TaskScript};
use super::slots;
use super::state::Filled;
use super::turn::Turn;

/// Kinds of slot that an opening may give by its parts.
const GIVEN: [SlotKind; 4] = [SlotKind::Place, SlotKind::Address, SlotKind::When, SlotKind::Name];

impl<'a> Turn<'a> {
    /// Takes what an opening tells beside what is wrong, and tells what is wrong in the words that tell it. Gives whether it did.
    pub(super) fn opening_replied(&mut self, text: &str) -> bool {
        let Some((_, script)) = self.current() else { return false };
        let told = script.slots.iter().find(|slot| matches!(slot.kind, SlotKind::Story | SlotKind::Text));
        let asked = told.and_then(super::reply::asks).unwrap_or(Asked::What);
        let reply = self.parts_of(text, asked);
        self.take_refusals(script, &reply, None);
        self.take_addressee(&reply);
        self.take_aside(script, &reply);
        if script.slot("day").is_some() {
            self.rule_out_days(text);
        }
        for slot in script.slots.iter().filter(|slot| GIVEN.contains(&slot.kind)) {
            let value = reply.value(slot.kind).and_then(|words| self.value_of(slot, &words, &reply, text));
            // "Outside my place" leaves the question where that is.
            let value = match value {
                Some(vague) if slot.kind == SlotKind::Place && self.ear.is_vague_place(&vague.value) => {
                    slots::place_beyond(self.ear, text, &vague.value)
                        .map(|found| Filled::new(found.clone(), found))
                }
                value => value,
            };
            let held = self.state.task().is_some_and(|task| task.slots.contains_key(&slot.id));
            if !held {
                self.believe_beside(slot, value);
            }
        }
        // What only leads to the account, or is asked beside it, is no part of it.
        let matter = self.matter_told(text);
        let cut = matter.is_empty() || self.cuts_telling(&reply, &matter);
        let telling = if cut { reply } else { self.parts_of(&matter, asked) };
        match told {
            Some(slot) if slot.id == MESSAGE => self.opens_message(slot, text),
            Some(slot) if slot.kind == SlotKind::Story => self.opens_story(slot, &telling),
            _ => false,
        }
    }

    /// "I need somebody out here about a tree that's on the line": what is told begins within what is wanted, and the thing itself is
    /// in there.
    fn cuts_telling(&self, reply: &Reply, matter: &str) -> bool {
        let terms = |words: &str| self.ear.terms(&self.ear.plain(words));
        let held = terms(matter);
        reply.each(Kind::What).any(|told| {
            let own = terms(told);
            !matter.contains(told)
                && own.iter().any(|term| held.contains(term))
                && own.iter().any(|term| !held.contains(term))
        })
    }

    /// "Can you tell Mrs. Ortiz I'm running late": for whom it is, and what.
    fn opens_message(&mut self, message: &'a Slot, text: &str) -> bool {
        let to = self.state.task().map(|task| task.to.clone()).unwrap_or_default();
        let Some((titled, told)) = account::passed_on(self.ear, text, &to) else { return false };
        if let Some(titled) = titled.filter(|_| to.is_empty()) {
            self.task_mut(|task| task.to = titled.to_owned());
        }
        let Some(told) = account::free_text(self.ear, told) else { return false };
        let told = self.with_addressee(told);
        self.believe_beside(message, Some(told));
        true
    }

    fn opens_story(&mut self, story: &'a Slot, reply: &Reply) -> bool {
        // "Un incidente" tells nothing yet.
        let tells = |words: &String| account::is_told(words) && !account::is_thin(self.ear, words);
        let told = reply.value(SlotKind::Story).filter(tells);
        let Some(told) = told.and_then(|words| self.account_of(&words, since(&reply.rest, &words))) else {
            return false;
        };
        let open = self.state.task().is_some_and(|task| !task.slots.contains_key(&story.id));
        if open {
            self.believe_beside(story, Some(told));
        }
        open
    }

    /// What is told in a task that asks for no account, such as what is to be inspected, or that there is a dog: it goes on file
    /// beside the answers.
    pub(super) fn take_aside(&mut self, script: &TaskScript, reply: &Reply) {
        let tells = |slot: &Slot| matches!(slot.kind, SlotKind::Story | SlotKind::Text);
        if script.slots.iter().any(tells) {
            return;
        }
        for told in reply
            .each(Kind::What)
            .filter(|told| self.is_beside(script, told))
            .map(str::to_owned)
            .collect::<Vec<_>>()
        {
            self.task_mut(|task| task.note_beside(&told));
        }
    }

    /// What a call for a person is about, of words that were said before it was begun: the telling or asking part of them, and
    /// not what was said about the line.
    pub(super) fn reason_of(&self, text: &str) -> Option<String> {
        let reply = self.parts_of(text, Asked::Reason);
        let parts = [Kind::What, Kind::Ask].into_iter().find_map(|kind| reply.all(kind, ", "));
        // A question tells it, whatever its parts were taken for.
        let parts = parts.or_else(|| self.ear.is_question(text).then(|| text.to_owned()));
        parts.filter(|words| !self.ear.subjects(words).is_empty())
    }
}

/// The text from these words on.
fn since<'t>(text: &'t str, words: &str) -> &'t str {
    text.find(words).map_or(text, |at| &text[at..])
}
