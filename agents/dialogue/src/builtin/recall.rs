//! "What name did you put down?", "did you get the part about the dog?": what was taken down is said, and what was not is added.

use super::account;
use super::beliefs::confirm::corrects;
use super::intent::by_cue;
use super::script::{Slot, SlotKind, TaskScript};
use super::state::{Pending, Stage, Task};
use super::turn::Turn;
use language::moves::Asked;
use language::recall::{Recall, recalled};
use language::reply::{self, Kind};
use language::steer::Steer;

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
        let Some(asked_for) = self.recalled(text) else { return false };
        if self.tells_a_value(text) {
            return false;
        }
        // "Did you file it or not" names nothing that was told; "do you have anything in the afternoon" asks what we offer.
        let of_nothing = self.subjects(text).is_empty() || by_cue(self.script, text).is_some();
        if (asked_for == Recall::Whether && of_nothing)
            || (matches!(asked_for, Recall::Whether | Recall::When) && self.offers_times())
        {
            return false;
        }
        let open = self.state.task().cloned();
        let Some(task) = open.clone().or_else(|| self.state.done.clone()) else { return false };
        let Some(script) = self.script.task(&task.id) else { return false };
        self.did("recall", "answered");
        let names =
            |slot: &&Slot| slot.words.iter().any(|word| format!(" {plain} ").contains(&format!(" {word} ")));
        // "What do you have for what happened and the date?": all of it is read again.
        let all = asked_for == Recall::All || script.slots.iter().filter(names).count() > 1;
        if all && open.as_ref().is_some_and(|task| task.stage == Stage::Confirm) {
            self.task_mut(|task| task.uncount("confirm"));
            self.read_back(script);
            return true;
        }
        if asked_for == Recall::All {
            self.read_held(script, &task);
            self.resume_or_more_quietly();
            return true;
        }
        let known = |slot: &&Slot| {
            task.slots
                .get(&slot.id)
                .is_some_and(|filled| !filled.value.is_empty() && !filled.spoken.is_empty())
        };
        let of_kind = |slot: &&Slot| kinds(asked_for).contains(&slot.kind);
        let named = self.names_slot(script, &plain).filter(known);
        let named = named.or_else(|| script.slots.iter().filter(of_kind).find(known));
        if let Some((slot, held)) = named.and_then(|slot| Some((slot, task.slots.get(&slot.id)?))) {
            self.say_back("recalled", &[("called", &slot.called), ("value", &held.spoken)]);
        } else if self.is_taken_down(script, &task, text) {
            self.say("recalled_yes");
        } else if let Some(slot) = self.asked_of(script, text).filter(known)
            && let Some(held) = task.slots.get(&slot.id)
        {
            self.say_back("recalled", &[("called", &slot.called), ("value", &held.spoken)]);
        } else if open.is_some() && asked_for != Recall::Whether {
            self.say("recalled_none");
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

    /// The slot that a value of the question is for: "you did put down that it's on Ferry Road, didn't you".
    fn asked_of<'s>(&self, script: &'s TaskScript, text: &str) -> Option<&'s Slot> {
        let reply = self.parts_of(text, reply::Asked::Confirm);
        let kinds = [
            (Kind::Place, kinds(Recall::Place)),
            (Kind::When, kinds(Recall::When)),
            (Kind::Name, kinds(Recall::Name)),
            (Kind::Phone, kinds(Recall::Phone)),
        ];
        let (_, kinds) = kinds.into_iter().find(|(kind, _)| reply.has(*kind))?;
        script.slots.iter().find(|slot| kinds.contains(&slot.kind))
    }

    /// "Make it Monday, then", "no, the number is wrong": these tell, and ask nothing.
    fn tells_a_value(&self, text: &str) -> bool {
        if self.ear.is_question(text) {
            return false;
        }
        let reply = self.parts_of(text, reply::Asked::Confirm);
        let values = [Kind::Place, Kind::When, Kind::Name, Kind::Phone, Kind::Call];
        let changes = corrects(self.ear, text) || self.does_to_it(text) == Steer::Change;
        changes || (!reply.has(Kind::Ask) && values.into_iter().any(|kind| reply.has(kind)))
    }

    /// Whether days or times are being chosen.
    fn offers_times(&self) -> bool {
        let chosen = |(stage, script): (Stage, &TaskScript)| match stage {
            Stage::Slot(id) => {
                script.slot(&id).is_some_and(|slot| matches!(slot.kind, SlotKind::Opening | SlotKind::Day))
            }
            _ => false,
        };
        self.current().is_some_and(chosen)
    }

    /// What is asked of what was taken down.
    fn recalled(&self, text: &str) -> Option<Recall> {
        let asked = match self.state.task() {
            Some(task) if task.stage == Stage::Confirm => Asked::Confirm,
            Some(_) => Asked::Slot,
            None => Asked::Else,
        };
        recalled(self.ear, asked, text)
    }

    /// "Now what about my street light?", where that waits for its turn.
    fn asks_for_later(&self, text: &str, plain: &str) -> bool {
        let asks =
            self.ear.is_question(text) || self.recalled(text).is_some() || self.script.acts.asks_after(plain);
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

/// Slots that hold what is asked for, the likeliest first.
const fn kinds(asked_for: Recall) -> &'static [SlotKind] {
    match asked_for {
        Recall::Name => &[SlotKind::Name],
        Recall::Phone => &[SlotKind::Phone],
        Recall::Place => &[SlotKind::Place, SlotKind::Address],
        Recall::When => &[SlotKind::Opening, SlotKind::When, SlotKind::Day],
        Recall::What => &[SlotKind::Story, SlotKind::Text],
        Recall::All | Recall::Whether | Recall::Says => &[],
    }
}
