//! What goes into a step of the dialogue and what comes out of it.

use chrono::NaiveDateTime;
use language::intents::Understood;
use pipeline::ports::{AfterReply, Consented, Language};
use pipeline::turn::{Expectation, SegmentKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use storage::PinHash;
use uuid::Uuid;

use super::facts::TenantFacts;
use super::script::Files;
use super::state::State;
use crate::Priority;
use knowledge::FrontMatter;
use language::shown::Shape;

/// A passage that may answer the caller, best first.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Passage {
    pub source: String,
    pub title: String,
    pub text: String,
    pub relevance: f32,
    /// How like the question is in meaning to one that the passage is known to answer, 0–1, where there is a vector to tell by.
    pub paraphrase: Option<f32>,
    /// How like the middle of all that its section is known to answer, 0–1.
    pub centre: Option<f32>,
    /// How like each of its sentences, as they are spoken; empty where that is not known.
    pub sentences: Vec<f32>,
    /// How like the nearest known question by words, 0–1.
    pub shared: f32,
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

/// How the line of a target stands for a caller who is not in it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Standing {
    pub target: String,
    /// Somebody is there for them now.
    pub is_free: bool,
    /// No more callers can wait.
    pub is_full: bool,
    /// Their place, from one.
    pub place: u32,
    /// How long it may take. `None`: that is not known.
    pub minutes: Option<u32>,
}

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
    /// `None` until asked for with [`Lookup::Queues`]; then of each target that callers may wait for.
    pub queues: Option<Vec<Standing>>,
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
    Queues,
}

impl std::fmt::Debug for Lookup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Pages(search) => write!(f, "Pages({search:?})"),
            Self::Openings => f.write_str("Openings"),
            Self::Queues => f.write_str("Queues"),
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
    /// Of a sentence that reads back what the caller said: the same with "that" for their words. The rules look at this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ours: Option<String>,
    pub kind: SegmentKind,
    /// The same words on every call.
    pub fixed: bool,
    /// Says that an effect took place: only after it did. May hold `{reference}`.
    pub promises: bool,
    #[serde(default)]
    pub language: Language,
}

language::shown!(Say, "Say": kind, fixed, promises, language; text, ours);

/// Something that a step does to the world, once it is committed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    File(Filing),
    MarkUrgent {
        kind: String,
    },
    /// The call is to go to this target when the reply was heard. `about`: what the person there is told of it.
    PutThrough {
        target: String,
        about: String,
    },
    /// People of the office are asked this when the reply was heard.
    AskStaff {
        question: String,
    },
    /// The caller joins or leaves the line of a target.
    Line(LineAct),
    /// What whoever we called answered is noted on the request that we called about.
    NoteOn {
        item: String,
        text: String,
    },
    /// Whoever we called wants no more calls. `source`: by voice or by key.
    StopCalls {
        source: String,
    },
}

/// What becomes of a caller's place in a line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineAct {
    /// They wait. `about`: what the person there is told of it.
    Join { target: String, about: String, urgent: bool },
    /// They are called back, and keep the place that they have or would have had.
    CallBack { target: String },
    /// They want neither.
    Leave,
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
    /// How the caller stands to being recorded, where they said so.
    pub consented: Option<Consented>,
}

impl Step {
    /// Puts the references of what was filed into the words that promise them, and into memory. A correction has none
    /// that a caller is told: what it puts right keeps its own.
    pub fn settle(&mut self, references: &[String]) {
        let files = self.effects.iter().filter_map(|effect| match effect {
            Effect::File(filing) => Some(filing.fields.contains_key(super::CORRECTS)),
            Effect::MarkUrgent { .. }
            | Effect::PutThrough { .. }
            | Effect::AskStaff { .. }
            | Effect::Line(_)
            | Effect::NoteOn { .. }
            | Effect::StopCalls { .. } => None,
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
    /// Everybody at the target is on a call by now.
    AllBusy,
    /// The store did not take it.
    NotSaved,
}
