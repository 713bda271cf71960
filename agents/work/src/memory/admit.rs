//! Whether a fact may be remembered: the rules of the memory manager, in one order, so that the gravest reason is told.

use storage::memory::{Admission, LEAST_CONFIDENCE, Proposal, Refusal, Ruling};

use super::Rules;
use super::keys::Form;
use super::phrase::words;
use governance::guard::{Channel, Context};
use governance::pii::{Guardian, Kind, KindSet, Settings};

/// Numbers that identify or open accounts, and secrets: refused whatever the key.
const IDENTIFIERS: KindSet = KindSet::EMPTY
    .with(Kind::Ssn)
    .with(Kind::CreditCard)
    .with(Kind::BankAccount)
    .with(Kind::Passport)
    .with(Kind::DriversLicense)
    .with(Kind::Secret);
/// A name of so few words may be any words: "Walker", "Jesus", "Christian".
const SHORT_NAME: usize = 2;
/// What stands in place of a text that may not even be suggested.
const WITHHELD: (&str, &str) = ("⟨withheld:", "⟩");

impl Admission for Rules {
    fn rule(&self, proposal: Proposal<'_>) -> Ruling {
        match self.admit(proposal) {
            Ok(value) => Ruling::Admit { value },
            Err(refusal) => Ruling::Refuse(refusal),
        }
    }
}

impl Rules {
    /// The value as it may be suggested: itself, or for what must not be written down at all the bare reason, on which
    /// the manager decides as it would have on the text.
    #[must_use]
    pub fn suggestible(&self, proposal: Proposal<'_>) -> String {
        match self.admit(proposal) {
            Err(refusal) if is_grave(refusal) => format!("{}{}{}", WITHHELD.0, refusal.as_str(), WITHHELD.1),
            _ => proposal.value.to_owned(),
        }
    }

    fn admit(&self, proposal: Proposal<'_>) -> Result<String, Refusal> {
        if let Some(refusal) = withheld(proposal.value) {
            return Err(refusal);
        }
        let key = self.keys.get(proposal.key).ok_or(Refusal::NotBusinessRelevant)?;
        let words = words(proposal.value);
        let verdict = self.guard.judge(proposal.value, Channel::Voice, Context::default());
        if !verdict.is_clean() {
            return Err(Refusal::Instruction);
        }
        let found = Guardian.check(proposal.value, &Settings::default());
        if found.iter().any(|finding| IDENTIFIERS.has(finding.kind)) {
            return Err(Refusal::Identifier);
        }
        // A street may be named for a saint, and a caller Walker: such values have a shape that holds nothing else.
        let named = key.form == Form::Place || (key.form == Form::Name && words.len() <= SHORT_NAME);
        if !named {
            if let Some(refusal) = self.topics.touched(&words) {
                return Err(refusal);
            }
            if found.iter().any(|finding| finding.kind == Kind::Medical) {
                return Err(Refusal::Health);
            }
        }
        let value = key.shaped(proposal.value, &words)?;
        // Names and addresses beside it fall away with everything that is not in the list.
        let falls_away = |kind: Kind| key.form == Form::Listed && matches!(kind, Kind::Name | Kind::Address);
        let foreign =
            |kind: Kind| KindSet::PERSONAL.has(kind) && !key.may_hold.has(kind) && !falls_away(kind);
        if !named && found.iter().any(|finding| foreign(finding.kind)) {
            return Err(Refusal::PersonalData);
        }
        if proposal.confidence < LEAST_CONFIDENCE {
            return Err(Refusal::LowConfidence);
        }
        Ok(value)
    }
}

const fn is_grave(refusal: Refusal) -> bool {
    matches!(
        refusal,
        Refusal::Identifier
            | Refusal::Health
            | Refusal::Religion
            | Refusal::Politics
            | Refusal::PersonalData
            | Refusal::Instruction
    )
}

fn withheld(value: &str) -> Option<Refusal> {
    let word = value.strip_prefix(WITHHELD.0)?.strip_suffix(WITHHELD.1)?;
    word.parse().ok()
}
