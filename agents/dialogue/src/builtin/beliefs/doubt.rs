//! Values that are near a member of a closed set, and values that the caller had taken back.

use super::Source;
use crate::builtin::script::{Slot, SlotKind};
use crate::builtin::state::Stage;
use crate::builtin::state::{Filled, Task};
use crate::builtin::turn::Turn;
use language::YesNo;
use language::reply::{Asked, Kind};
use language::sound::likeness;
use pipeline::turn::Expectation;

impl<'a> Turn<'a> {
    /// The value, or the member of a closed set that was certainly meant.
    pub(in crate::builtin) fn nearest_known(&self, slot: &Slot, value: Filled) -> Filled {
        let value = self.own_place(slot, value);
        match super::closed::rescored(self.ear, slot.kind, &value, &self.view.facts.streets) {
            super::closed::Rescored::Sure(meant) => meant,
            _ => value,
        }
    }

    fn own_place(&self, slot: &Slot, value: Filled) -> Filled {
        if !matches!(slot.kind, SlotKind::Place | SlotKind::Address) {
            return value;
        }
        let name = self.state.task().and_then(|task| task.slots.get("name"));
        let name = name.map(|name| name.value.clone()).unwrap_or_default();
        let own = super::placed::without_caller(self.ear, &value.value, &name);
        if own == value.value { value } else { Filled::new(own.clone(), own) }
    }

    /// Asks about a value that is near a member of a closed set: "Maple Street, is that right?". `true` when asked.
    pub(in crate::builtin) fn doubts(&mut self, slot: &'a Slot, value: &Filled) -> bool {
        let super::closed::Rescored::Maybe(meant) =
            super::closed::rescored(self.ear, slot.kind, value, &self.view.facts.streets)
        else {
            return false;
        };
        if self.state.task().is_none_or(|t| t.belief(&slot.id).is_some_and(|b| b.refuses(&meant))) {
            return false;
        }
        self.say_back("is_it", &[("value", &meant.spoken)]);
        self.expects = Expectation::YesNo;
        self.task_mut(|task| task.doubt = Some((meant, value.clone())));
        self.did(&slot.id, "asked about it");
        true
    }

    /// The answer to "Maple Street, is that right?". `true` when it was one.
    pub(in crate::builtin) fn answers_doubt_of(&mut self, slot: &'a Slot, text: &str) -> bool {
        let Some((meant, heard)) = self.state.tasks.last_mut().and_then(|task| task.doubt.take()) else {
            return false;
        };
        // "Ajá, sí, ahí mero" has a yes, and no other place.
        let reply = self.parts_of(text, Asked::Confirm);
        let bare = self.ear.is_bare_yes_no(text) || !reply.tells();
        let said = self.ear.yes_no(text).or_else(|| reply.has(Kind::Yes).then_some(YesNo::Yes));
        match said {
            Some(YesNo::Yes) if bare => {
                self.task_mut(|task| {
                    let heard = heard.value.clone();
                    task.believe(&slot.id, slot.kind, meant, Source::Alternative);
                    if let Some(belief) = task.beliefs.get_mut(&slot.id) {
                        belief.alternatives.push(heard);
                        (belief.sure, belief.standing) = (100, super::Standing::Confirmed);
                    }
                });
                self.did(&slot.id, "noted");
                self.advance();
                true
            }
            Some(YesNo::No) if bare => {
                self.task_mut(|task| task.refuse(&slot.id, &meant));
                self.missed(slot);
                true
            }
            Some(YesNo::No) => {
                self.task_mut(|task| task.refuse(&slot.id, &meant));
                false
            }
            _ => false,
        }
    }

    /// What was heard is what the caller had taken back: asked again, and after the second time left to a person.
    pub(in crate::builtin) fn missed(&mut self, slot: &'a Slot) {
        let given_up = self.state.task().is_some_and(|task| task.given_up(&slot.id));
        self.did(&slot.id, "missed");
        if given_up {
            self.task_mut(|task| task.leave_unconfirmed(&slot.id));
            self.say("unconfirmed");
            return self.advance();
        }
        let key = match slot.kind {
            SlotKind::Name | SlotKind::Place | SlotKind::Address => "spell_it",
            _ => "say_again",
        };
        self.task_mut(|task| task.stage = Stage::Slot(slot.id.clone()));
        self.say(key);
        self.expects = crate::builtin::turn::expectation(slot.kind);
    }
}

/// Whether letters spell, or nearly spell, the name of one of these streets.
pub(super) fn names_street(streets: &[String], letters: &str) -> bool {
    let name = |street: &String| street.split_whitespace().next().map(str::to_owned).unwrap_or_default();
    streets.iter().map(name).any(|name| likeness(&name, letters) >= SPELT_STREET)
}

/// How much letters are like the name that is held.
pub(super) fn like_name(filled: &[&Slot], task: &Task, letters: &str) -> f32 {
    let name =
        filled.iter().find(|slot| slot.kind == SlotKind::Name).and_then(|slot| task.slots.get(&slot.id));
    let words = name.map(|name| name.spoken.clone()).unwrap_or_default();
    words.split_whitespace().map(|word| likeness(word, letters)).fold(0.0, f32::max)
}

/// From here on letters are a street's.
const SPELT_STREET: f32 = 0.85;
