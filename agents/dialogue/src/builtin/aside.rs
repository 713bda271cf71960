//! What stands in an answer and is none of it: a question beside it, and talk around a place.

use super::script::{Slot, SlotKind};
use super::state::{MAX_LATER, Stage};
use super::turn::Turn;
use language::beside::call_wish;

/// More words than this are no place, where nothing in them is known for one.
const LONG_PLACE: usize = 11;

impl Turn<'_> {
    /// When the caller wants to be called is noted and said back, and is no part of the answer: "after six" is not when it
    /// happened. What else was said, if anything.
    pub(super) fn without_call_wish(&mut self, text: &str) -> Option<String> {
        let (stage, script) = self.current()?;
        let asked = match &stage {
            Stage::Slot(id) => script.slot(id).map(|slot| slot.kind),
            _ => None,
        };
        // In what is told or passed on it belongs to the words.
        let told = matches!(asked, Some(SlotKind::Story | SlotKind::Text));
        if told || script.slot("phone").is_none() {
            return None;
        }
        let (rest, wish) = call_wish(self.ear, text, asked == Some(SlotKind::Phone))?;
        self.task_mut(|task| task.call_when = wish);
        self.say("call_when");
        Some(rest)
    }

    /// A question within an answer: answered at once where a page does, before the report goes on; else, and where the
    /// report is just being finished, after it.
    pub(super) fn answer_beside(&mut self, question: &str, finishing: bool) {
        if self.subjects(question).is_empty() {
            return;
        }
        match self.passage(question).cloned().filter(|_| !finishing) {
            Some(passage) => self.tell_page(&passage, question),
            None if self.state.later.len() < MAX_LATER && !self.is_kept(question) => {
                self.state.later.push(question.to_owned());
            }
            None => {}
        }
    }

    /// Whether a question waits for its answer already, in these or other words of its.
    pub(super) fn is_kept(&self, question: &str) -> bool {
        let terms = |text: &str| self.ear.terms(&self.ear.plain(text));
        let own = terms(question);
        let same = |kept: &String| {
            let kept = terms(kept);
            own.iter().all(|term| kept.contains(term)) || kept.iter().all(|term| own.contains(term))
        };
        self.state.later.iter().any(same)
    }

    /// A long answer to "where?" in which no street, corner or landmark is known: asked once more, then taken as it is.
    pub(super) fn rambles(&self, slot: &Slot, text: &str) -> bool {
        let first =
            self.state.task().is_some_and(|task| task.asked.get(&slot.id).is_none_or(|count| *count <= 1));
        let long = self.ear.plain(text).split(' ').count() > LONG_PLACE;
        slot.kind == SlotKind::Place && first && long && self.ear.place_stated(text).is_none()
    }
}
