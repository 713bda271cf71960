//! The symbolic rules: what an agent may not say or do, whatever a model makes of it.
//!
//! Rules are data (`agents/governance/data/rules/*.rules`, and a tenant's own text) in a small language: a condition and a requirement
//! over the proposed action, whose fields are in [`fields`]. [`RuleSet`] is loaded whole or not at all. Each sentence passes
//! [`RuleSet::check_words`] before it is spoken, each reply [`RuleSet::check_reply`] at its end, and each tool call
//! [`RuleSet::check_tool`] before its effect. Pure, and some microseconds a sentence.
//! What patterns miss in wordings of its own, a small model finds ([`likeness`]), and where there is a sentence encoder, a
//! head over its vector ([`crate::meaning`]).
//!
//! A violated rule whose action is [`RuleAction::Block`] cannot be overridden: not by a tenant's rule, not by confidence,
//! not by the order of files. A tenant adds rules; it cannot take one away or change one.

#![deny(clippy::disallowed_methods)]

mod amounts;
mod ast;
mod book;
mod compile;
mod contacts;
mod engine;
mod explain;
mod fault;
mod fields;
mod known;
mod lex;
pub mod likeness;
mod parse;
mod plain;
mod set;
mod tokens;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use language::Language;
use serde::Serialize;

use crate::meaning::{Forbidden, Meant};

pub use book::RuleBook;
pub use fault::RuleError;
pub use known::Known;
pub use set::RuleSet;

/// What becomes of an action that violates a rule. Ordered: the strongest decides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RuleAction {
    /// It goes on, and is noted.
    Warn,
    /// It does not happen without a person's approval; words give way to the replacement.
    RequireHuman,
    /// It does not happen. Words give way to the replacement.
    Block,
}

impl RuleAction {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Warn => "WARN",
            Self::RequireHuman => "REQUIRE_HUMAN",
            Self::Block => "BLOCK",
        }
    }

    /// Whether the action goes on.
    #[must_use]
    pub const fn permits(self) -> bool {
        matches!(self, Self::Warn)
    }
}

/// The source's categories.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    Compliance,
    Safety,
    Legal,
    DataHandling,
}

impl Category {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compliance => "compliance",
            Self::Safety => "safety",
            Self::Legal => "legal",
            Self::DataHandling => "data_handling",
        }
    }
}

/// What a rule looks at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AppliesTo {
    /// A sentence, before it is spoken.
    Words,
    /// A whole reply, at its end: what it lacks is added.
    Reply,
    /// A tool call, before its effect.
    Tool,
}

impl AppliesTo {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Reply => "reply",
            Self::Tool => "tool",
        }
    }
}

/// Who wrote a rule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Ships, and holds for every tenant.
    Platform,
    Tenant,
}

/// A text in both languages.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Phrasing {
    pub en: String,
    pub es: String,
}

impl Phrasing {
    #[must_use]
    pub fn of(&self, language: Language) -> &str {
        match language {
            Language::En => &self.en,
            Language::Es => &self.es,
        }
    }
}

/// A rule in force.
#[derive(Debug, Serialize)]
pub struct Rule {
    pub id: String,
    pub name: String,
    pub category: Category,
    pub description: String,
    /// The law or the policy behind it; may be empty.
    pub citation: String,
    pub applies_to: AppliesTo,
    pub tier: Tier,
    /// When this rule applies; absent: always.
    pub condition: Option<String>,
    /// What must be true then.
    pub requirement: String,
    pub action: RuleAction,
    /// The rule is not looked at where that one is violated.
    pub unless_rule: Option<String>,
    pub explanation: Phrasing,
    /// What is said instead of a sentence, or added to a reply.
    pub replacement: Option<Phrasing>,
    /// The same, where something published stands for what was blocked; `{published}` is put in.
    pub published: Option<Phrasing>,
    /// What follows a blocked sentence in the same answer is dropped.
    pub drops_rest: bool,
    #[serde(skip)]
    logic: set::Logic,
}

/// Words that are about to be spoken.
#[derive(Clone, Copy, Debug)]
pub struct Spoken<'a> {
    /// The sentence so far, or for [`RuleSet::check_reply`] the whole reply.
    pub text: &'a str,
    pub language: Language,
    /// What the caller said in this turn.
    pub caller_words: &'a str,
    /// It is the first sentence of the reply.
    pub is_first: bool,
    /// Somebody may be in danger.
    pub is_emergency: bool,
    /// What documents and records showed on this call.
    pub shown: Option<&'a Known>,
    /// What the caller named on this call.
    pub caller: Option<&'a Known>,
    /// What the sentence means, where there was an encoder and time; without it the patterns hold alone.
    pub meant: Option<Meant>,
}

impl<'a> Spoken<'a> {
    /// A sentence of which nothing else is known.
    #[must_use]
    pub const fn new(text: &'a str, language: Language) -> Self {
        Self {
            text,
            language,
            caller_words: "",
            is_first: false,
            is_emergency: false,
            shown: None,
            caller: None,
            meant: None,
        }
    }
}

/// Where a tool takes data.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Destination {
    /// Memory of this process.
    #[default]
    SecureZone,
    /// The tenant's store.
    EncryptedStorage,
    /// Anything outside.
    External,
}

impl Destination {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SecureZone => "secure_zone",
            Self::EncryptedStorage => "encrypted_storage",
            Self::External => "external",
        }
    }
}

/// How much hangs on an action. `high`: it affects budget, personnel or legal matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stakes {
    Low,
    #[default]
    Normal,
    High,
}

impl Stakes {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }
}

/// A tool call before its effect.
#[derive(Clone, Copy, Debug)]
pub struct ProposedTool<'a> {
    pub name: &'a str,
    pub language: Language,
    /// A JSON object.
    pub arguments: Option<&'a serde_json::Value>,
    pub involves_pii: bool,
    pub destination: Destination,
    pub stakes_level: Stakes,
    pub has_human_approval: bool,
    /// It changes something.
    pub is_decision: bool,
    /// Its effect and its entry in the ledger are one transaction.
    pub audit_entry_created: bool,
    /// The caller is told of the recording before it begins.
    pub has_recording_notice: bool,
    pub is_emergency: bool,
}

impl<'a> ProposedTool<'a> {
    /// A tool that only reads.
    #[must_use]
    pub const fn reading(name: &'a str) -> Self {
        Self {
            name,
            language: Language::En,
            arguments: None,
            involves_pii: false,
            destination: Destination::SecureZone,
            stakes_level: Stakes::Normal,
            has_human_approval: false,
            is_decision: false,
            audit_entry_created: false,
            has_recording_notice: false,
            is_emergency: false,
        }
    }
}

/// A rule that an action breaks, and why.
#[derive(Clone, Debug)]
pub struct Violation {
    pub rule: Arc<Rule>,
    /// In words, in the action's language, with what was found. It may hold words of the action: for whoever proposed
    /// it, never for a log.
    pub reason: String,
    /// What the sentence was read as, and how surely, in thousandths, where the rule asks what it means.
    pub meant: Option<(Forbidden, u16)>,
}

impl Violation {
    /// Whether the action may go on in spite of it.
    #[must_use]
    pub fn permits(&self) -> bool {
        self.rule.action.permits()
    }

    /// What is said instead, with a published sentence in it where there is one.
    #[must_use]
    pub fn said(&self, language: Language, published: Option<&str>) -> String {
        let rule = &self.rule;
        match (&rule.published, published) {
            (Some(phrasing), Some(published)) => phrasing.of(language).replace("{published}", published),
            _ => rule.replacement.as_ref().map_or_else(String::new, |r| r.of(language).to_owned()),
        }
    }
}

/// Whether a sentence names an amount of money.
#[must_use]
pub fn names_amount(sentence: &str) -> bool {
    !amounts::money(&tokens::cut(sentence)).is_empty()
}

/// Whether an action may go on. Never overridden: the strongest violation decides.
#[must_use]
pub fn permitted(violations: &[Violation]) -> bool {
    violations.iter().all(Violation::permits)
}
