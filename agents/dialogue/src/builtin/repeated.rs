//! A report that was filed, told once more: by who was not sure of having been understood, or did not hear that it was filed.

use super::controls::CLAIM;
use super::script::{SlotKind, TaskScript};
use super::slots;
use super::state::{Pending, Task};
use super::turn::Turn;

/// Fewer content words do not tell which report is meant.
const TELLING: usize = 2;

impl Turn<'_> {
    /// Keeps what was filed, and where, to know it again.
    pub(super) fn remember_filed(&mut self, script: &TaskScript, task: &Task) {
        if !tells(script) {
            return;
        }
        let told = |kind: SlotKind| {
            let slot = script.slots.iter().find(|slot| slot.kind == kind)?;
            task.slots.get(&slot.id).map(|filled| filled.value.as_str())
        };
        let kinds = [SlotKind::Story, SlotKind::Place];
        self.state.filed.push(kinds.into_iter().filter_map(told).collect::<Vec<_>>().join(" "));
    }

    /// Whether the words tell what was filed on this call, and no more than that.
    pub(super) fn repeats_filed(&self, script: &TaskScript, text: &str) -> bool {
        let plain = self.ear.plain(text);
        let terms = self.ear.terms(&plain);
        let begun = self.state.tasks.iter().any(|task| task.id == script.id);
        let another = self.ear.cues().another.iter().any(|word| plain.split(' ').any(|said| said == *word));
        let place = self.ear.place_stated(text).map(|place| self.ear.terms(&self.ear.plain(&place)));
        let place = place.unwrap_or_default();
        let same = |filed: &String| {
            let held = self.ear.terms(&self.ear.plain(filed));
            let again = terms.iter().filter(|term| held.contains(term)).count();
            // The same thing at another place is another report.
            let here = place.iter().all(|term| held.contains(term));
            // Two of three: "I want to report" stands around it.
            here && again * 3 >= terms.len() * 2
        };
        tells(script) && !begun && !another && terms.len() >= TELLING && self.state.filed.iter().any(same)
    }

    /// Whether more is asked of a claim whose status was told on this call: there is no more to tell, and its number is known.
    pub(super) fn asks_more_of_claim(&mut self, id: &str, text: &str) -> bool {
        let plain = self.ear.plain(text);
        let another = self.ear.cues().another.iter().any(|word| plain.split(' ').any(|said| said == *word));
        let stated = slots::stated(SlotKind::ClaimNumber, text, self.context());
        let other = stated.is_some_and(|claim| !self.state.told_claims.contains(&claim.value));
        if id != CLAIM || self.state.told_claims.is_empty() || another || other {
            return false;
        }
        self.did(id, "was told already");
        self.ask_pending("claim_told", Pending::Offer("person".to_owned()));
        text.clone_into(&mut self.state.offered_for);
        true
    }

    /// Says that it is filed, once: who then says that it is something else begins anew, with these words.
    pub(super) fn already_filed(&mut self, id: &str, text: &str) {
        self.state.filed.clear();
        self.did(id, "was filed already");
        self.ask_pending("already_filed", Pending::Offer(id.to_owned()));
        text.clone_into(&mut self.state.offered_for);
    }
}

fn tells(script: &TaskScript) -> bool {
    script.slots.iter().any(|slot| slot.kind == SlotKind::Story)
}
