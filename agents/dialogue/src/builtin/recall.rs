//! "What name did you put down?", "did you get the part about the dog?": what was taken down is said, and what was not is added.

use super::account;
use super::script::{Slot, SlotKind, TaskScript};
use super::state::{Filled, Pending, Stage, Task};
use super::turn::Turn;

impl Turn<'_> {
    /// Answers what is asked about the words that were taken down, of the task at hand or else the one filed last. `false` when
    /// nothing of the kind is asked.
    pub(super) fn recalls(&mut self, text: &str) -> bool {
        let plain = self.ear.plain(text);
        if self.asks_for_later(text, &plain) {
            self.did("recall", "comes next");
            self.say("recalled_next");
            self.resume_or_more_quietly();
            return true;
        }
        if !self.script.acts.recalls(&plain) {
            return false;
        }
        let open = self.state.task().cloned();
        let Some(task) = open.clone().or_else(|| self.state.done.clone()) else { return false };
        let Some(script) = self.script.task(&task.id) else { return false };
        self.did("recall", "answered");
        // "What do you have for what happened and the date?": all of it is read again.
        let names =
            |slot: &&Slot| slot.words.iter().any(|word| format!(" {plain} ").contains(&format!(" {word} ")));
        if open.as_ref().is_some_and(|task| task.stage == Stage::Confirm)
            && script.slots.iter().filter(names).count() > 1
        {
            self.task_mut(|task| task.uncount("confirm"));
            self.read_back(script);
            return true;
        }
        let known = |filled: &&Filled| !filled.value.is_empty() && !filled.spoken.is_empty();
        let named = self.names_slot(script, &plain);
        let named = named.and_then(|slot| Some((slot, task.slots.get(&slot.id).filter(known)?)));
        if let Some((slot, held)) = named {
            self.say_with("recalled", &[("called", &slot.called), ("value", &held.spoken)]);
        } else if self.is_taken_down(script, &task, text) {
            self.say("recalled_yes");
        } else if open.is_some() {
            let told = text.trim_end_matches('?').to_owned();
            self.task_mut(|task| task.note_beside(&told));
            self.say("recalled_noted");
        } else if self.adds_to_filed(text) {
            return true;
        } else {
            self.ask_pending("recalled_no", Pending::Offer("message".to_owned()));
            text.clone_into(&mut self.state.offered_for);
            return true;
        }
        self.resume_or_more_quietly();
        true
    }

    /// "Now what about my street light?", where that waits for its turn.
    fn asks_for_later(&self, text: &str, plain: &str) -> bool {
        let asks = self.ear.is_question(text)
            || self.script.acts.recalls(plain)
            || self.script.acts.asks_after(plain);
        let named = self.subjects(text);
        let waits = |later: &String| {
            let later = self.subjects(later);
            named.iter().any(|stem| later.contains(stem))
        };
        asks && self.state.task().is_some()
            && self.ear.yes_no(text).is_none()
            && self.state.later.iter().any(waits)
    }

    /// Whether what the words are about is among those that were taken down.
    fn is_taken_down(&self, script: &TaskScript, task: &Task, text: &str) -> bool {
        let held = |slot: &super::script::Slot| {
            task.slots.get(&slot.id).map(|filled| format!("{} {}", filled.value, filled.spoken))
        };
        let mut all: Vec<String> = script.slots.iter().filter_map(held).collect();
        all.extend([task.aside.clone(), task.call_when.clone(), task.to.clone()]);
        let held_text = all.join(" ");
        let all = self.ear.terms(&self.ear.plain(&held_text));
        let asked = self.ear.terms(&self.ear.plain(text));
        // "Did you get that it's two dogs", where three are taken down: a number that is asked about has to be there.
        let numbers = |text: &str| -> Vec<String> {
            let plain = self.ear.plain(text);
            let counts = |word: &&str| self.ear.cardinal_at(&[*word]).is_some_and(|(value, _)| value > 1);
            plain.split(' ').filter(counts).map(str::to_owned).collect()
        };
        let held_numbers = numbers(&held_text);
        if numbers(text).iter().any(|number| !held_numbers.contains(number)) {
            return false;
        }
        // "Get" and "part" say nothing of what it is about.
        let known = asked.iter().filter(|term| all.contains(*term)).count();
        known > 0 && known * 2 >= self.subjects(text).len()
    }

    /// What is not in the account that was filed goes on file beside it, once the caller says yes.
    fn adds_to_filed(&mut self, text: &str) -> bool {
        let Some((script, mut task)) = self.amendable() else { return false };
        let Some(story) = script.slots.iter().find(|slot| slot.kind == SlotKind::Story) else { return false };
        let Some(held) = task.slots.get(&story.id).cloned() else { return false };
        task.before.clone_from(&task.slots);
        task.fill(&story.id, account::completed(self.ear, &held, text.trim_end_matches('?')));
        self.state.tasks.push(task);
        self.read_changed(&[story]);
        true
    }
}
