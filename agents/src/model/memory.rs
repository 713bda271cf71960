//! What a model-driven call remembers beside its words. A run works on a copy, which counts once the run is
//! committed: so a run begun on a guess leaves nothing behind.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use pipeline::ports::Language;
use regex::Regex;
use serde_json::Value;
use uuid::Uuid;

use super::super::guard_findings::Alarms;
use dialogue::builtin::Opening;
use governance::guard::Context;
use governance::pii::Redactor;
use governance::rules::Known;

/// Tries that a caller has on one call to show that a claim is theirs, and tries at a PIN.
pub(crate) const CLAIM_TRIES: u8 = 3;
pub(crate) const PIN_TRIES: u8 = 3;

/// A reference of ours, as a model would write it.
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:INC|INS|MSG|ESC|CBK)[-– ]?\d{3,6}\b").expect("clippy compiles every pattern")
});

#[derive(Clone)]
pub(crate) struct Memory {
    /// Makes tokens of personal data, and knows what they stand for.
    pub(crate) redactor: Redactor,
    pub(crate) language: Language,
    /// Free times that were offered, by the name that the model knows them under.
    pub(crate) offered: BTreeMap<String, Opening>,
    /// Failed tries to show that a claim is the caller's, and wrong PINs.
    pub(crate) claim_tries: u8,
    pub(crate) pin_tries: u8,
    /// After the greeting, the caller was told what to do in an emergency.
    pub(crate) told_911: bool,
    /// The caller was read something, or something was filed for them.
    pub(crate) served: bool,
    /// Replies in a row that did not understand the caller.
    pub(crate) misses: u8,
    /// Claims whose holder calls.
    pub(crate) proven: BTreeSet<String>,
    /// The claim whose PIN may be keyed.
    pub(crate) pin_for: Option<String>,
    /// References that may be spoken: given out on this call, or named by the caller.
    references: BTreeSet<String>,
    /// What was filed: the tool, its input, and the reference it gave.
    filed: Vec<(String, Value, String)>,
    /// What the guard found in this turn.
    pub(crate) alarms: Alarms,
    /// What the guard is told of this turn.
    pub(crate) context: Context,
    /// What documents and records showed: it may be said as it stands.
    pub(crate) shown: Known,
    /// Amounts and numbers that the caller named: they may be read back.
    pub(crate) named: Known,
}

language::shown!(Memory, "Memory": redactor, language, claim_tries, pin_tries, told_911, served, misses, alarms, context, shown, named; offered, proven, pin_for, references, filed);

impl Memory {
    pub(crate) fn new(redactor: Redactor, language: Language) -> Self {
        Self {
            redactor,
            language,
            offered: BTreeMap::new(),
            claim_tries: 0,
            pin_tries: 0,
            told_911: false,
            served: false,
            misses: 0,
            proven: BTreeSet::new(),
            pin_for: None,
            references: BTreeSet::new(),
            filed: Vec::new(),
            alarms: Alarms::default(),
            context: Context::default(),
            shown: Known::default(),
            named: Known::default(),
        }
    }

    /// A turn begins: nothing was found in it yet.
    pub(crate) fn begin(&mut self, context: Context) {
        self.alarms = Alarms::default();
        self.context = context;
    }

    /// The name of a free time; the same time keeps its name.
    pub(crate) fn offer(&mut self, opening: &Opening) -> String {
        let known = self.offered.iter().find(|(_, known)| known.id == opening.id);
        if let Some((name, _)) = known {
            return name.clone();
        }
        let name = format!("time_{}", self.offered.len() + 1);
        self.offered.insert(name.clone(), opening.clone());
        name
    }

    /// A time that is gone. Its name is not given to another.
    pub(crate) fn withdraw(&mut self, id: Uuid) {
        for opening in self.offered.values_mut().filter(|o| o.id == id) {
            opening.id = Uuid::nil();
        }
    }

    /// References in these words may be repeated.
    pub(crate) fn learn_references(&mut self, text: &str) {
        self.references.extend(references(text));
    }

    /// Whether every reference in these words was really given out.
    pub(crate) fn vouches_for(&self, text: &str) -> bool {
        references(text).all(|found| self.references.contains(&found))
    }

    pub(crate) fn note_filed(&mut self, tool: &str, input: &Value, reference: &str) {
        self.learn_references(reference);
        self.filed.push((tool.to_owned(), input.clone(), reference.to_owned()));
    }

    /// The reference of the very same request, had it been made before.
    pub(crate) fn filed_before(&self, tool: &str, input: &Value) -> Option<&str> {
        let same = |(t, i, _): &&(String, Value, String)| t == tool && i == input;
        self.filed.iter().find(same).map(|(_, _, reference)| reference.as_str())
    }

    pub(crate) const fn is_locked(&self) -> bool {
        self.claim_tries >= CLAIM_TRIES
    }

    pub(crate) const fn is_pin_locked(&self) -> bool {
        self.pin_tries >= PIN_TRIES
    }
}

fn references(text: &str) -> impl Iterator<Item = String> + '_ {
    REFERENCE.find_iter(text).map(|found| {
        found.as_str().chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory() -> Memory {
        Memory::new(Redactor::default(), Language::En)
    }

    #[test]
    fn only_references_that_were_given_out_may_be_spoken() {
        let mut memory = memory();
        assert!(memory.vouches_for("Claim CLM-20417 is fine, and so is Route 9."));
        assert!(!memory.vouches_for("Your reference is INC-4821."));
        memory.learn_references("inc 4821");
        assert!(memory.vouches_for("Your reference is INC-4821."));
        assert!(!memory.vouches_for("INC-4821 and INS-1000"));
    }

    #[test]
    fn a_time_keeps_its_name_and_a_gone_one_is_nobody_s() {
        let mut memory = memory();
        let opening = |n| Opening { id: Uuid::from_u128(n), starts: Default::default() };
        assert_eq!(memory.offer(&opening(1)), "time_1");
        assert_eq!(memory.offer(&opening(2)), "time_2");
        assert_eq!(memory.offer(&opening(1)), "time_1");
        memory.withdraw(Uuid::from_u128(1));
        assert_eq!(memory.offer(&opening(3)), "time_3");
        assert!(memory.offered["time_1"].id.is_nil());
    }
}
