//! What a rule may look at: the fields of a proposed action, and what type each has. A name that is not here is a mistake
//! that is found when rules are loaded.

use std::borrow::Cow;
use std::cell::OnceCell;

use language::Language;

use super::amounts;
use super::contacts;
use super::known::Known;
use super::likeness::{Likeness, Reading, is_question};
use super::plain::words;
use super::tokens::cut;
use super::{AppliesTo, ProposedTool, Spoken};
use crate::meaning::Meant;

/// Words of a sentence that has not ended, below which it is not read.
const BEGINNING: usize = 6;

/// Whether a sentence has said something: "You should," may go on as anything.
pub(super) fn says_something(text: &str) -> bool {
    text.trim_end().ends_with(['.', '?', '!', '…', '"', '”', ')'])
        || text.split_whitespace().count() >= BEGINNING
}

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Type {
    Bool,
    Number,
    Money,
    Text,
    Numbers,
    Monies,
    Texts,
    /// `[]`
    Nothing,
}

impl Type {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Bool => "true or false",
            Self::Number => "a number",
            Self::Money => "an amount of money",
            Self::Text => "a text",
            Self::Numbers => "a list of numbers",
            Self::Monies => "a list of amounts",
            Self::Texts => "a list of texts",
            Self::Nothing => "an empty list",
        }
    }

    /// Of what a list is.
    pub(super) const fn one(self) -> Option<Self> {
        match self {
            Self::Numbers => Some(Self::Number),
            Self::Monies => Some(Self::Money),
            Self::Texts => Some(Self::Text),
            _ => None,
        }
    }

    pub(super) const fn list(self) -> Option<Self> {
        match self {
            Self::Number => Some(Self::Numbers),
            Self::Money => Some(Self::Monies),
            Self::Text => Some(Self::Texts),
            _ => None,
        }
    }
}

/// A value while a rule is looked at.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value<'a> {
    Bool(bool),
    Number(i64),
    Money(i64),
    Text(Cow<'a, str>),
    List(Vec<Value<'a>>),
}

macro_rules! fields {
    ($($(#[$doc:meta])* $field:ident = $name:literal: $kind:ident),+ $(,)?) => {
        /// One field of a proposed action.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Field {
            $($(#[$doc])* $field),+
        }

        impl Field {
            pub(super) const ALL: &'static [(Self, &'static str, Type)] =
                &[$((Self::$field, $name, Type::$kind)),+];
        }
    };
}

fields! {
    /// `words`, `reply` or `tool`.
    Kind = "action.kind": Text,
    /// The sentence as it would be spoken.
    Text = "action.text": Text,
    /// The same in plain words.
    Words = "action.words": Text,
    /// `en` or `es`.
    Language = "action.language": Text,
    Amounts = "action.amounts": Monies,
    Percents = "action.percents": Numbers,
    Phones = "action.phones": Texts,
    Links = "action.links": Texts,
    /// The sentence stands like this in a configured text, or in a document that was shown.
    IsPublished = "action.is_published": Bool,
    /// It is the first sentence of the reply.
    IsFirst = "action.is_first": Bool,
    Tool = "action.tool": Text,
    InvolvesPii = "action.involves_pii": Bool,
    /// `secure_zone`, `encrypted_storage`, `caller` or `external`.
    Destination = "action.destination": Text,
    /// `low`, `normal` or `high`.
    StakesLevel = "action.stakes_level": Text,
    HasHumanApproval = "action.has_human_approval": Bool,
    IsDecision = "action.is_decision": Bool,
    AuditEntryCreated = "action.audit_entry_created": Bool,
    /// The caller was told of the recording before it begins.
    HasRecordingNotice = "action.has_recording_notice": Bool,
    /// What the caller said in this turn, in plain words.
    CallerWords = "caller.words": Text,
    /// Amounts that the caller named on this call.
    CallerAmounts = "caller.amounts": Monies,
    CallerPercents = "caller.percents": Numbers,
    CallerPhones = "caller.phones": Texts,
    CallerLinks = "caller.links": Texts,
    /// Somebody may be in danger.
    IsEmergency = "call.is_emergency": Bool,
    /// Configured, or shown by a document or a record.
    KnownAmounts = "known.amounts": Monies,
    KnownPercents = "known.percents": Numbers,
    KnownPhones = "known.phones": Texts,
    KnownLinks = "known.links": Texts,
}

impl Field {
    pub(super) fn of(name: &str) -> Option<(Self, Type)> {
        Self::ALL.iter().find(|(_, known, _)| *known == name).map(|(field, _, kind)| (*field, *kind))
    }

    /// The known name that looks most like this one.
    pub(super) fn like(name: &str) -> &'static str {
        let shared = |known: &str| {
            let front = known.chars().zip(name.chars()).take_while(|(a, b)| a == b).count();
            let back = known.chars().rev().zip(name.chars().rev()).take_while(|(a, b)| a == b).count();
            front + back
        };
        Self::ALL.iter().map(|(_, known, _)| *known).max_by_key(|known| shared(known)).unwrap_or_default()
    }
}

/// An action with everything in it that rules look at.
pub(super) struct Proposed<'a> {
    pub(super) applies_to: AppliesTo,
    text: &'a str,
    pub(super) words: String,
    pub(super) language: Language,
    amounts: Vec<i64>,
    percents: Vec<i64>,
    phones: Vec<String>,
    links: Vec<String>,
    is_first: bool,
    caller_words: String,
    is_emergency: bool,
    constants: &'a Known,
    shown: Option<&'a Known>,
    caller: Option<&'a Known>,
    pub(super) tool: Option<&'a ProposedTool<'a>>,
    /// What the sentence means, once it has said something.
    pub(super) meant: Option<Meant>,
    /// What the sentence reads like, once a rule has asked.
    reading: OnceCell<Reading>,
}

impl<'a> Proposed<'a> {
    pub(super) fn words(applies_to: AppliesTo, spoken: &Spoken<'a>, constants: &'a Known) -> Self {
        let tokens = cut(spoken.text);
        Self {
            applies_to,
            text: spoken.text,
            words: words(spoken.text),
            language: spoken.language,
            amounts: amounts::money(&tokens),
            percents: amounts::percents(&tokens),
            phones: contacts::phones(&tokens),
            links: contacts::links(spoken.text),
            is_first: spoken.is_first,
            caller_words: words(spoken.caller_words),
            is_emergency: spoken.is_emergency,
            constants,
            shown: spoken.shown,
            caller: spoken.caller,
            tool: None,
            meant: spoken.meant.filter(|_| says_something(spoken.text)),
            reading: OnceCell::new(),
        }
    }

    pub(super) fn tool(tool: &'a ProposedTool<'a>, constants: &'a Known) -> Self {
        Self {
            applies_to: AppliesTo::Tool,
            text: "",
            words: String::new(),
            language: tool.language,
            amounts: Vec::new(),
            percents: Vec::new(),
            phones: Vec::new(),
            links: Vec::new(),
            is_first: false,
            caller_words: String::new(),
            is_emergency: tool.is_emergency,
            constants,
            shown: None,
            caller: None,
            tool: Some(tool),
            meant: None,
            reading: OnceCell::new(),
        }
    }

    pub(super) fn reading(&self, likeness: &Likeness) -> Reading {
        *self.reading.get_or_init(|| {
            // Single words make a harmless sentence look like something: whoever reads it whole knows better.
            if !says_something(self.text) || self.meant.is_some_and(|meant| meant.is_harmless()) {
                return Reading::default();
            }
            likeness.read_words(&self.words, is_question(self.text))
        })
    }

    pub(super) fn get(&self, field: Field) -> Value<'_> {
        let tool = self.tool;
        let flag = |of: fn(&ProposedTool<'_>) -> bool| Value::Bool(tool.is_some_and(of));
        let known = |of: fn(&Known) -> &Vec<String>| {
            let constants = of(self.constants).iter();
            texts(constants.chain(self.shown.iter().flat_map(|k| of(k))))
        };
        let caller = |of: fn(&Known) -> &Vec<String>| texts(self.caller.iter().flat_map(|k| of(k)));
        let both = |of: fn(&Known) -> &Vec<i64>| {
            of(self.constants).iter().chain(self.shown.iter().flat_map(move |k| of(k)))
        };
        let callers = |of: fn(&Known) -> &Vec<i64>| self.caller.iter().flat_map(move |k| of(k));
        match field {
            Field::Kind => text(self.applies_to.name()),
            Field::Text => text(self.text),
            Field::Words => text(&self.words),
            Field::Language => text(self.language.code()),
            Field::Amounts => money(self.amounts.iter()),
            Field::Percents => numbers(self.percents.iter()),
            Field::Phones => texts(self.phones.iter()),
            Field::Links => texts(self.links.iter()),
            Field::IsPublished => Value::Bool(self.is_published()),
            Field::IsFirst => Value::Bool(self.is_first),
            Field::Tool => text(tool.map_or("", |t| t.name)),
            Field::InvolvesPii => flag(|t| t.involves_pii),
            Field::Destination => text(tool.map_or("caller", |t| t.destination.name())),
            Field::StakesLevel => text(tool.map_or("normal", |t| t.stakes_level.name())),
            Field::HasHumanApproval => flag(|t| t.has_human_approval),
            Field::IsDecision => flag(|t| t.is_decision),
            Field::AuditEntryCreated => flag(|t| t.audit_entry_created),
            Field::HasRecordingNotice => flag(|t| t.has_recording_notice),
            Field::CallerWords => text(&self.caller_words),
            Field::CallerAmounts => money(callers(|k| &k.amounts)),
            Field::CallerPercents => numbers(callers(|k| &k.percents)),
            Field::CallerPhones => caller(|k| &k.phones),
            Field::CallerLinks => caller(|k| &k.links),
            Field::IsEmergency => Value::Bool(self.is_emergency),
            Field::KnownAmounts => money(both(|k| &k.amounts)),
            Field::KnownPercents => numbers(both(|k| &k.percents)),
            Field::KnownPhones => known(|k| &k.phones),
            Field::KnownLinks => known(|k| &k.links),
        }
    }

    /// Whether the sentence stands in a text of the tenant's, with or without the name of the page in front.
    pub(super) fn is_published(&self) -> bool {
        let has = |plain: &str| {
            plain.split(' ').nth(1).is_some()
                && (self.constants.has(plain) || self.shown.is_some_and(|k| k.has(plain)))
        };
        if has(&self.words) {
            return true;
        }
        let after = |mark: char| {
            self.text
                .split_once(mark)
                .is_some_and(|(front, rest)| front.split_whitespace().count() <= 10 && has(&words(rest)))
        };
        after(',') || after(':')
    }
}

fn text(text: &str) -> Value<'_> {
    Value::Text(Cow::Borrowed(text))
}

fn texts<'a>(all: impl Iterator<Item = &'a String>) -> Value<'a> {
    Value::List(all.map(|one| text(one)).collect())
}

fn money<'a>(all: impl Iterator<Item = &'a i64>) -> Value<'static> {
    Value::List(all.map(|cents| Value::Money(*cents)).collect())
}

fn numbers<'a>(all: impl Iterator<Item = &'a i64>) -> Value<'static> {
    Value::List(all.map(|n| Value::Number(*n)).collect())
}
