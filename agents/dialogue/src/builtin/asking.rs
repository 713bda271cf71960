//! The question for a slot: at first, again, and where its answer is known already.

use pipeline::turn::{Expectation, SegmentKind};

use super::addressee::MESSAGE;
use super::script::{Slot, SlotKind};
use super::state::Stage;
use super::turn::{Turn, expectation};

/// Of `ask_about`: what to pass on, where it is known to whom.
const ADDRESSED: &str = "addressed";

impl<'a> Turn<'a> {
    /// The first question for a slot, fitting what the task is about.
    fn question(&self, slot: &'a Slot) -> &'a [String] {
        let about = || {
            let (_, script) = self.current()?;
            if slot.id == MESSAGE {
                return self.state.task().filter(|task| !task.to.is_empty()).map(|_| ADDRESSED);
            }
            let account = script.slots.iter().find(|s| s.kind == SlotKind::Story)?;
            let told = self.state.task()?.slots.get(&account.id)?;
            self.script.about(&script.id, &told.value)
        };
        match about().and_then(|kind| Some((kind, slot.ask_about.get(kind)?))) {
            Some((kind, question)) => self.worded_or(&self.key_of(slot, &format!("ask.{kind}")), question),
            None => self.worded_or(&self.key_of(slot, "ask"), &slot.ask),
        }
    }

    pub(super) fn ask(&mut self, slot: &'a Slot) {
        self.task_mut(|task| task.stage = Stage::Slot(slot.id.clone()));
        if slot.kind == SlotKind::Opening {
            return self.offer_openings();
        }
        if self.may_ask_known(slot) {
            self.task_mut(|task| task.asked_known = true);
            let known = self.worded_or(&self.key_of(slot, "ask_known"), &slot.ask_known);
            self.say_one_of(known, &slot.id, &[], SegmentKind::Reply, false);
            self.expects = Expectation::YesNo;
            return;
        }
        let count = self.state.tasks.last_mut().and_then(|task| task.count(&slot.id));
        let without_pin = slot.kind == SlotKind::Proof && self.is_pin_locked();
        match count {
            Some(_) if without_pin => self.say("proof_without_pin"),
            Some(1) => {
                self.tells_pound(slot.optional);
                let question = self.question(slot);
                self.say_one_of(question, &slot.id, &[], SegmentKind::Reply, false);
            }
            Some(count) => {
                let ways = self.worded_or(&self.key_of(slot, "again"), &slot.again);
                let nth = usize::from(count - 2).min(ways.len().saturating_sub(1));
                let again = ways.get(nth).cloned().unwrap_or_default();
                self.say_text(&again, &[], SegmentKind::Reply, false);
            }
            None => return self.exhausted(slot),
        }
        self.expects = if without_pin { Expectation::Name } else { expectation(slot.kind) };
    }
}
