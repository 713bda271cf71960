//! What rules stopped or warned of in one turn: told as events once the turn counts, and noted in the ledger. Of a model's
//! words that were stopped the screened text is kept, and what it was read as; of those about somebody else no word.

use std::sync::Arc;

use pipeline::event::{Ruling, Stopped};
use pipeline::ports::Screen;
use pipeline::turn::TurnId;

use governance::meaning::Forbidden;
use governance::rules::{Rule, Violation};

/// Characters of stopped words that are kept.
const LONGEST: usize = 240;

/// A rule that a turn broke.
#[derive(Clone)]
struct Broken {
    rule: Arc<Rule>,
    stopped: Option<Stopped>,
}

language::shown!(Broken, "Broken": rule; );

/// Rules that one turn broke, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct Rulings {
    found: Vec<Broken>,
    /// How many of them were told.
    told: usize,
}

impl Rulings {
    pub(super) fn note(&mut self, violations: &[Violation]) {
        for violation in violations {
            if !self.knows(&violation.rule) {
                self.found.push(Broken { rule: violation.rule.clone(), stopped: None });
            }
        }
    }

    /// The same of a model's words that are not said.
    pub(super) fn stop(&mut self, violations: &[Violation], words: &str, screen: &mut dyn Screen) {
        for violation in violations {
            if !self.knows(&violation.rule) {
                let meant = violation.meant;
                let of_others = meant.is_some_and(|(kind, _)| kind == Forbidden::OthersData);
                let words = || screen.screen(words).chars().take(LONGEST).collect();
                let stopped = Stopped {
                    words: (!of_others).then(words),
                    kind: meant.map(|(kind, _)| kind.name().to_owned()),
                    sure: meant.and_then(|(_, sure)| u8::try_from(sure / 10).ok()),
                };
                self.found.push(Broken { rule: violation.rule.clone(), stopped: Some(stopped) });
            }
        }
    }

    fn knows(&self, rule: &Rule) -> bool {
        self.found.iter().any(|broken| broken.rule.id == rule.id)
    }

    /// Takes over what another part of the turn found.
    pub(super) fn absorb(&mut self, other: Self) {
        for broken in other.found.into_iter().skip(other.told) {
            if !self.knows(&broken.rule) {
                self.found.push(broken);
            }
        }
    }

    /// What was not told yet. It counts as told from now on.
    pub(super) fn untold(&mut self, turn: TurnId) -> Vec<Ruling> {
        let untold = self.found[self.told..].iter().map(|Broken { rule, stopped }| Ruling {
            turn,
            rule: rule.id.clone(),
            category: rule.category.name().to_owned(),
            action: rule.action.name().to_owned(),
            applies_to: rule.applies_to.name().to_owned(),
            stopped: stopped.clone(),
        });
        let untold = untold.collect();
        self.told = self.found.len();
        untold
    }

    /// What was done in a turn, with the rules that spoke in it, if any did, and what of a model's words they stopped.
    pub(super) fn beside(&self, did: &str) -> String {
        let mut did = did.to_owned();
        for (permits, what) in [(false, "a rule stopped"), (true, "a rule warned")] {
            let found = || self.found.iter().filter(|b| b.rule.action.permits() == permits);
            let ids: Vec<&str> = found().map(|b| b.rule.id.as_str()).collect();
            if !ids.is_empty() {
                let mut words: Vec<String> = found().filter_map(|b| told(b.stopped.as_ref()?)).collect();
                words.dedup();
                did.push_str(&format!("; {what} ({}){}", ids.join(", "), words.concat()));
            }
        }
        did
    }
}

/// What was stopped, what it was read as, and how surely.
fn told(stopped: &Stopped) -> Option<String> {
    let words = stopped.words.as_ref().map(|words| format!(" \"{words}\"")).unwrap_or_default();
    match (&stopped.kind, stopped.sure) {
        (Some(kind), Some(sure)) => Some(format!("{words} as {kind}, {sure} %")),
        _ => Some(words).filter(|words| !words.is_empty()),
    }
}
