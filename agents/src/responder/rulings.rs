//! What rules stopped or warned of in one turn: told as events once the turn counts, and noted in the ledger. No word of
//! what was said is kept.

use std::sync::Arc;

use pipeline::event::Ruling;
use pipeline::turn::TurnId;

use governance::rules::{Rule, Violation};

/// Rules that one turn broke, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct Rulings {
    found: Vec<Arc<Rule>>,
    /// How many of them were told.
    told: usize,
}

impl Rulings {
    pub(super) fn note(&mut self, violations: &[Violation]) {
        for violation in violations {
            if !self.found.iter().any(|rule| rule.id == violation.rule.id) {
                self.found.push(violation.rule.clone());
            }
        }
    }

    /// Takes over what another part of the turn found.
    pub(super) fn absorb(&mut self, other: Self) {
        for rule in other.found.into_iter().skip(other.told) {
            if !self.found.iter().any(|known| known.id == rule.id) {
                self.found.push(rule);
            }
        }
    }

    /// What was not told yet. It counts as told from now on.
    pub(super) fn untold(&mut self, turn: TurnId) -> Vec<Ruling> {
        let untold = self.found[self.told..].iter().map(|rule| Ruling {
            turn,
            rule: rule.id.clone(),
            category: rule.category.name().to_owned(),
            action: rule.action.name().to_owned(),
            applies_to: rule.applies_to.name().to_owned(),
        });
        let untold = untold.collect();
        self.told = self.found.len();
        untold
    }

    /// What was done in a turn, with the rules that spoke in it, if any did.
    pub(super) fn beside(&self, did: &str) -> String {
        let named = |permits: bool| {
            let ids = self
                .found
                .iter()
                .filter(|rule| rule.action.permits() == permits)
                .map(|rule| rule.id.as_str());
            ids.collect::<Vec<_>>().join(", ")
        };
        let mut did = did.to_owned();
        for (permits, what) in [(false, "a rule stopped"), (true, "a rule warned")] {
            let ids = named(permits);
            if !ids.is_empty() {
                did.push_str(&format!("; {what} ({ids})"));
            }
        }
        did
    }
}
