//! What goes into a step of the dialogue and what comes out of it.

use chrono::NaiveDateTime;
use language::intents::Understood;
use pipeline::ports::{AfterReply, Language};
use pipeline::turn::{Expectation, SegmentKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use storage::PinHash;
use uuid::Uuid;

use super::script::Files;
use super::state::State;
use crate::Priority;
use governance::safety::Public;
use knowledge::FrontMatter;
use language::shown::Shape;

/// County facts the dialogue speaks of.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TenantFacts {
    pub county: String,
    pub office_address: String,
    /// As spoken: "202-555-0110".
    pub office_phone: String,
    /// For numbers given with seven digits.
    pub area_code: String,
    /// IANA name.
    pub timezone: String,
    /// Office hours on weekdays, local.
    pub opens_hour: u32,
    pub closes_hour: u32,
    /// The hours are the office's own and may be told. `false`: nobody said so, and they only bound callbacks.
    #[serde(default = "yes")]
    pub hours_known: bool,
    /// Lines (E.164) whose greeting does not say what to do in an emergency.
    #[serde(default)]
    pub no_emergency_notice: Vec<String>,
    /// The streets there are, by which a misheard one is known. Empty: places are taken as they are heard.
    #[serde(default)]
    pub streets: Vec<String>,
    /// The tenant's own sentences in place of shipped ones: by language tag and key, as `docs/wording.md` lists them.
    #[serde(default)]
    pub wording: super::wording::Wording,
    /// Numbers the agent itself gives out: never personal data.
    #[serde(default)]
    pub public_numbers: Vec<String>,
}

const fn yes() -> bool {
    true
}

impl TenantFacts {
    /// Whether every fact of ours that a prompt names is known. What names one that is not is not said.
    #[must_use]
    pub fn knows(&self, template: &str) -> bool {
        let facts = [
            ("{county}", !self.county.trim().is_empty()),
            ("{address}", !self.office_address.trim().is_empty()),
            ("{office_phone}", !self.office_phone.trim().is_empty()),
            ("{hours}", self.hours_known && self.opens_hour < self.closes_hour),
        ];
        facts.iter().all(|(place, known)| *known || !template.contains(place))
    }

    /// Telephone numbers that the agent gives out as the tenant's own.
    #[must_use]
    pub fn numbers(&self) -> Vec<String> {
        self.public_numbers.iter().chain([&self.office_phone]).cloned().collect()
    }

    /// What this tenant says under a key; `shipped` unless it has words of its own.
    #[must_use]
    pub fn worded<'t>(&'t self, language: Language, key: &str, shipped: &'t [String]) -> &'t [String] {
        let own = self.wording.get(language.code()).and_then(|sentences| sentences.get(key));
        own.filter(|own| !own.is_empty()).map_or(shipped, Vec::as_slice)
    }

    /// "Monday through Friday, 8 a.m. to 5 p.m."
    #[must_use]
    pub fn hours(&self, language: Language) -> String {
        let (opens, closes) = (self.opens_hour, self.closes_hour);
        match language {
            Language::En => {
                let hour = |h: u32| match h {
                    0 | 24 => "midnight".to_owned(),
                    12 => "noon".to_owned(),
                    h if h < 12 => format!("{h} a.m."),
                    h => format!("{} p.m.", h - 12),
                };
                format!("Monday through Friday, {} to {}", hour(opens), hour(closes).trim_end_matches('.'))
            }
            Language::Es => {
                let hour = |h: u32| match h {
                    0 | 24 => "la medianoche".to_owned(),
                    12 => "mediodía".to_owned(),
                    h if h < 12 => format!("{h} de la mañana"),
                    h => format!("{} de la tarde", h - 12),
                };
                format!("de lunes a viernes, de {} a {}", hour(opens), hour(closes))
            }
        }
    }

    /// What the tenant prints on its own letters: nobody's personal data.
    #[must_use]
    pub fn public(&self) -> Public {
        let address = Some(&self.office_address).filter(|address| !address.is_empty());
        let phones = self.public_numbers.iter().chain([&self.office_phone]);
        Public::new(phones.cloned(), address.cloned())
    }

    /// Puts the county's own facts into a prompt of a language.
    #[must_use]
    pub fn fill(&self, language: Language, template: &str) -> String {
        template
            .replace("{county}", &self.county_in(language))
            .replace("{address}", &self.office_address)
            .replace("{office_phone}", &self.office_phone)
            .replace("{hours}", &self.hours(language))
    }

    /// "Riverbend County" is "Condado de Riverbend" in Spanish; other names stay as they are.
    fn county_in(&self, language: Language) -> String {
        match (language, self.county.strip_suffix(" County")) {
            (Language::Es, Some(name)) => format!("Condado de {name}"),
            _ => self.county.clone(),
        }
    }
}

/// A passage that may answer the caller, best first.
#[derive(Clone, PartialEq, Debug)]
pub struct Passage {
    pub source: String,
    pub title: String,
    pub text: String,
    pub relevance: f32,
    pub front: FrontMatter,
}

impl Passage {
    /// Language of the document.
    #[must_use]
    pub fn language(&self) -> Language {
        self.front.language.as_deref().and_then(Language::of).unwrap_or_default()
    }
}

/// A free inspection time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Opening {
    pub id: Uuid,
    /// Local time of the county.
    pub starts: NaiveDateTime,
}

/// A claim and who may hear of it.
#[derive(Clone, PartialEq, Eq)]
pub struct ClaimRecord {
    /// `approved`, `under_review`, …
    pub status: String,
    /// The county's words for the caller, in English.
    pub status_text: String,
    pub holder_name: String,
    /// ISO date.
    pub date_of_birth: String,
    /// E.164.
    pub phone: String,
    pub pin: Option<PinHash>,
}

language::shown!(ClaimRecord, "ClaimRecord": status, pin; status_text, holder_name, date_of_birth, phone);

/// All that a step may know. Made before the step; the step itself looks nothing up.
#[derive(Debug)]
pub struct View<'a> {
    pub facts: &'a TenantFacts,
    pub now: NaiveDateTime,
    /// Chooses among variants; the same seed gives the same words.
    pub seed: u64,
    /// What the words were taken for.
    pub understood: Understood,
    pub passages: Vec<Passage>,
    /// Passages of the last answer's document, where the question leaves its subject out.
    pub topic: Vec<Passage>,
    /// Of what was asked for with [`Lookup::Pages`].
    pub searched: Vec<Searched>,
    /// `None` until asked for with [`Lookup::Openings`].
    pub openings: Option<Vec<Opening>>,
    /// `None` until asked for with [`Lookup::Claim`]; then the claim, if there is one of that number.
    pub claim: Option<Option<ClaimRecord>>,
}

/// Something to be read before the step can be taken. Reading has no effect, so a speculative run may do it.
#[derive(Clone, PartialEq, Eq)]
pub enum Lookup {
    /// Pages about other words than those of the whole turn.
    Pages(Search),
    Openings,
    Claim {
        number: String,
    },
}

impl std::fmt::Debug for Lookup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Pages(search) => write!(f, "Pages({search:?})"),
            Self::Openings => f.write_str("Openings"),
            Self::Claim { number } => write!(f, "Claim({:?})", number.shape()),
        }
    }
}

/// What to search the county's documents for before a step.
#[derive(Clone, PartialEq, Eq)]
pub struct Search {
    pub text: String,
    /// Source of the document that the question is still about.
    pub within: Option<String>,
}

language::shown!(Search, "Search": within; text);

/// What a search found: anywhere, and in the one document.
#[derive(Clone, PartialEq)]
pub struct Searched {
    pub search: Search,
    pub found: Vec<Passage>,
    pub within: Vec<Passage>,
}

language::shown!(Searched, "Searched": search, found, within; );

/// One thing to say.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Say {
    pub text: String,
    pub kind: SegmentKind,
    /// The same words on every call.
    pub fixed: bool,
    /// Says that an effect took place: only after it did. May hold `{reference}`.
    pub promises: bool,
    #[serde(default)]
    pub language: Language,
}

language::shown!(Say, "Say": kind, fixed, promises, language; text);

/// Something that a step does to the world, once it is committed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    File(Filing),
    MarkUrgent { kind: String },
}

/// A work item to be filed, perhaps with a booking.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filing {
    pub task: String,
    pub files: Files,
    pub priority: Priority,
    pub incomplete: bool,
    pub fields: BTreeMap<String, String>,
    /// The call-back number is the caller's own, which only zone code knows.
    pub use_caller_number: bool,
    pub booking: Option<Uuid>,
}

language::shown!(Filing, "Filing": task, files, priority, incomplete, use_caller_number, booking; fields);

/// What the turn was, for the ledger. Holds no caller text.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Note {
    /// Intent or slot that the caller's words were taken for.
    pub heard: String,
    /// What we did about it.
    pub did: String,
    /// Documents that were cited.
    pub sources: Vec<String>,
}

/// The outcome of a step. Nothing of it has happened yet.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    pub state: State,
    pub say: Vec<Say>,
    pub effects: Vec<Effect>,
    pub expects: Expectation,
    pub then: AfterReply,
    /// Read these and step again; the rest of this outcome is void.
    pub wants: Option<Lookup>,
    pub note: Note,
    /// The conversation goes on in this language, from this step's words on.
    pub language: Option<Language>,
}

impl Step {
    /// Puts the references of what was filed into the words that promise them, and into memory. A correction has none
    /// that a caller is told: what it puts right keeps its own.
    pub fn settle(&mut self, references: &[String]) {
        let files = self.effects.iter().filter_map(|effect| match effect {
            Effect::File(filing) => Some(filing.fields.contains_key(super::CORRECTS)),
            Effect::MarkUrgent { .. } => None,
        });
        let corrections: Vec<bool> = files.collect();
        let own = |n: &usize| !corrections.get(*n).copied().unwrap_or_default();
        let references: Vec<String> =
            references.iter().enumerate().filter(|(n, _)| own(n)).map(|(_, r)| r.clone()).collect();
        let mut left = references.iter();
        let mut current = String::new();
        for say in self.say.iter_mut().filter(|say| say.promises && say.text.contains("{reference}")) {
            if let Some(next) = left.next() {
                current.clone_from(next);
            }
            say.text = say.text.replace("{reference}", &current);
        }
        for say in &mut self.state.last {
            say.text = say.text.replace("{reference}", &current);
        }
        self.state.references.extend(references);
    }
}

/// Why effects could not be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// Somebody else took the appointment.
    OpeningTaken,
    /// The store did not take it.
    NotSaved,
}
