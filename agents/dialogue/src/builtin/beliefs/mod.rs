//! What we hold of a slot beside its value: where it came from, how sure it is, what the caller took back.
//!
//! A value is believed until the caller says yes to it. What the caller takes back is never filed: a value that is heard
//! again after that is a miss, and after the second miss the slot goes on file as unconfirmed, without a value, so that a
//! person calls and asks.

pub(super) mod closed;
pub(super) mod confirm;

pub(super) mod correction;
pub(super) mod days;
mod dictated;
mod doubt;
pub(super) mod not_but;
pub(super) mod placed;
pub(super) mod reference;

use serde::{Deserialize, Serialize};

use super::script::{SlotKind, TaskScript};
use super::state::{Filled, Task};
use language::sound::letters;

/// Misses after which a value is left to a person.
pub const MISSES: u8 = 2;
/// Under this a value is asked about by itself. Above, the read-back will do.
pub const DOUBTFUL: u8 = 50;

/// Where a value came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    #[default]
    Asked,
    /// Said beside something else.
    Volunteered,
    /// The caller put it right.
    Corrected,
    /// The number that the call comes from.
    CallersNumber,
    /// What was heard, taken for the nearest member of a closed set.
    Alternative,
    /// From an earlier task of the call.
    Known,
}

/// What became of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    #[default]
    Believed,
    /// The caller said yes to it.
    Confirmed,
    /// The caller took it back, and gave no other yet.
    Rejected,
    /// Given up after too many misses: a person asks.
    Unconfirmed,
}

/// What is held of a slot beside its value.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Belief {
    pub from: Source,
    /// 0 to 100.
    pub sure: u8,
    pub standing: Standing,
    /// Values that the caller took back, letters and digits only.
    #[serde(default)]
    pub rejected: Vec<String>,
    /// What was heard, where the value is something else; other readings.
    #[serde(default)]
    pub alternatives: Vec<String>,
    #[serde(default)]
    pub misses: u8,
}

language::shown!(Belief, "Belief": from, sure, standing, misses; rejected, alternatives);

impl Belief {
    /// Whether the caller took this value back.
    #[must_use]
    pub fn refuses(&self, filled: &Filled) -> bool {
        !filled.value.is_empty() && self.rejected.iter().any(|taken| *taken == letters(&filled.value))
    }
}

/// How sure a value is by its form and where it came from.
#[must_use]
pub fn sureness(kind: SlotKind, filled: &Filled, from: Source) -> u8 {
    let form = match kind {
        // Numbers have a form that few mishearings fit.
        SlotKind::Phone | SlotKind::ClaimNumber | SlotKind::Injured | SlotKind::Opening => 90,
        SlotKind::When | SlotKind::Day => 80,
        SlotKind::Address => 70,
        SlotKind::Place if filled.value.chars().any(|c| c.is_ascii_digit()) => 70,
        SlotKind::Name if filled.value.contains(' ') => 60,
        _ => 55,
    };
    match from {
        Source::Corrected => form + 5,
        Source::Alternative => form - 10,
        Source::CallersNumber => 100,
        Source::Asked | Source::Known | Source::Volunteered => form,
    }
}

impl Task {
    /// What is held of a slot.
    #[must_use]
    pub fn belief(&self, slot: &str) -> Option<&Belief> {
        self.beliefs.get(slot)
    }

    /// Takes a value up. `false` where the caller took it back before: it is not taken, and counts as a miss.
    pub fn believe(&mut self, slot: &str, kind: SlotKind, filled: Filled, from: Source) -> bool {
        let sure = sureness(kind, &filled, from);
        let belief = self.beliefs.entry(slot.to_owned()).or_default();
        if belief.refuses(&filled) {
            belief.misses = belief.misses.saturating_add(1);
            return false;
        }
        (belief.from, belief.sure, belief.standing) = (from, sure, Standing::Believed);
        self.fill(slot, filled);
        true
    }

    /// The caller put another value in place of the one that was there. What they say again, against what they said since,
    /// counts: "Tuesday, no, Wednesday … Tuesday after all".
    pub fn replace(&mut self, slot: &str, kind: SlotKind, filled: Filled) -> bool {
        let old = self.slots.get(slot).cloned();
        let belief = self.beliefs.entry(slot.to_owned()).or_default();
        if let Some(old) = old.filter(|old| !old.value.is_empty() && old.value != filled.value) {
            belief.rejected.retain(|taken| *taken != letters(&filled.value));
            push_once(&mut belief.rejected, letters(&old.value));
        }
        self.believe(slot, kind, filled, Source::Corrected)
    }

    /// The caller took a value back and gave none instead.
    pub fn reject(&mut self, slot: &str) {
        let old = self.slots.get(slot).map(|old| letters(&old.value)).filter(|old| !old.is_empty());
        let belief = self.beliefs.entry(slot.to_owned()).or_default();
        belief.standing = Standing::Rejected;
        if let Some(old) = old {
            push_once(&mut belief.rejected, old);
        }
        self.clear(slot);
    }

    /// This was heard and taken back before it was ever a value.
    pub fn refuse(&mut self, slot: &str, heard: &Filled) {
        let belief = self.beliefs.entry(slot.to_owned()).or_default();
        belief.misses = belief.misses.saturating_add(1);
        push_once(&mut belief.rejected, letters(&heard.value));
    }

    /// Whether the slot was missed too often to be asked for once more.
    #[must_use]
    pub fn given_up(&self, slot: &str) -> bool {
        self.belief(slot).is_some_and(|belief| belief.misses >= MISSES)
    }

    /// Leaves a slot to a person: no value, and said so in what is filed.
    pub fn leave_unconfirmed(&mut self, slot: &str) {
        self.beliefs.entry(slot.to_owned()).or_default().standing = Standing::Unconfirmed;
        self.fill(slot, Filled::not_given());
    }

    /// The caller said yes to all that was read back.
    pub fn confirm_all(&mut self) {
        for (slot, filled) in &self.slots {
            let belief = self.beliefs.entry(slot.clone()).or_default();
            if !filled.value.is_empty() && belief.standing == Standing::Believed {
                belief.standing = Standing::Confirmed;
                belief.sure = 100;
            }
        }
    }

    /// Slots that a person must ask about: taken back and never given again, in the script's order.
    #[must_use]
    pub fn unconfirmed<'s>(&self, script: &'s TaskScript) -> Vec<&'s str> {
        let open = |slot: &&str| {
            self.belief(slot)
                .is_some_and(|belief| matches!(belief.standing, Standing::Unconfirmed | Standing::Rejected))
        };
        script.slots.iter().map(|slot| slot.id.as_str()).filter(open).collect()
    }
}

fn push_once(list: &mut Vec<String>, value: String) {
    if !value.is_empty() && !list.contains(&value) {
        list.push(value);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filled(text: &str) -> Filled {
        Filled::new(text, text)
    }

    #[test]
    fn a_value_that_was_taken_back_is_a_miss_when_it_is_heard_again() {
        let mut task = Task::new("incident");
        assert!(task.believe("where", SlotKind::Place, filled("Mabel Street"), Source::Asked));
        task.reject("where");
        assert!(!task.believe("where", SlotKind::Place, filled("mabel street"), Source::Asked));
        assert!(!task.given_up("where"));
        assert!(!task.believe("where", SlotKind::Place, filled("Mabel Street."), Source::Asked));
        assert!(task.given_up("where") && !task.slots.contains_key("where"));
        task.leave_unconfirmed("where");
        assert_eq!(task.slots["where"].value, "");
    }

    #[test]
    fn a_caller_may_come_back_to_what_they_said_first() {
        let mut task = Task::new("booking");
        task.believe("day", SlotKind::Day, filled("Tuesday"), Source::Asked);
        assert!(task.replace("day", SlotKind::Day, filled("Wednesday")));
        assert!(task.replace("day", SlotKind::Day, filled("Tuesday")));
        assert_eq!(task.slots["day"].value, "Tuesday");
        assert!(!task.believe("day", SlotKind::Day, filled("Wednesday"), Source::Volunteered));
    }

    proptest! {
        /// Whatever happens to a slot, its value is never one that stands as taken back.
        #[test]
        fn no_value_is_one_that_was_taken_back(acts in prop::collection::vec((0u8..5, "[abc]"), 0..30)) {
            let mut task = Task::new("incident");
            for (act, value) in acts {
                let value = filled(&value);
                match act {
                    0 => { task.believe("where", SlotKind::Place, value, Source::Asked); }
                    1 => { task.replace("where", SlotKind::Place, value); }
                    2 => task.reject("where"),
                    3 => task.confirm_all(),
                    _ => task.leave_unconfirmed("where"),
                }
                let belief = task.belief("where").cloned().unwrap_or_default();
                prop_assert!(!task.slots.get("where").is_some_and(|held| belief.refuses(held)));
            }
        }
    }
}
