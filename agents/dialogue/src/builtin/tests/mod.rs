//! The dialogue as callers meet it: scripted conversations, emergencies, questions, and what must never happen.
#![allow(clippy::unwrap_used)]

mod amended;
mod ask_staff;
mod beliefs;
mod consent;
mod danger;
mod emergencies;
mod given_back;
mod holidays;
mod line;
mod measured;
mod missing;
mod no_calls;
mod own_routes;
mod policy;
mod properties;
mod put_through;
mod questions;
mod reminder;
mod scripts;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use chrono::{NaiveDate, NaiveDateTime};
use language::intents::Understood;
use pipeline::ports::{Language, TurnInput};
use uuid::Uuid;

use super::*;
use crate::understanding::Understanding;
use knowledge::{Query, Retriever};

pub(super) const TENANT: Uuid = Uuid::from_u128(7);

/// Sunday, 22 November 2026, 9:12 in the morning.
pub(super) fn noon() -> NaiveDateTime {
    NaiveDate::from_ymd_opt(2026, 11, 22).unwrap().and_hms_opt(9, 12, 0).unwrap()
}

/// The models folder. A test that cannot run fails.
pub(super) fn models() -> PathBuf {
    let here = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let dir = std::env::var_os("MODELS_DIR").map_or_else(here, PathBuf::from);
    assert!(dir.join("minilm.onnx").exists(), "{} has no models: run scripts/models.sh", dir.display());
    dir
}

/// What all tests of one process share: one runtime, one index, one dialogue.
pub(super) struct World {
    pub(super) dialogue: Dialogue,
    pub(super) retriever: Arc<Retriever>,
    pub(super) facts: TenantFacts,
    understanding: Understanding,
    pub(super) openings: Vec<Opening>,
    pub(super) claims: Vec<crate::seed::SeedClaim>,
    runtime: tokio::runtime::Runtime,
    _environment: Option<ort::environment::Environment>,
}

/// With the model where it is installed.
pub(super) static WORLD: LazyLock<World> = LazyLock::new(|| World::new(true));
/// Keywords alone, as on a machine without models.
pub(super) static LEXICAL: LazyLock<World> = LazyLock::new(|| World::new(false));

impl World {
    fn new(with_model: bool) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let models = with_model.then(models);
        let environment = models.as_deref().map(|dir| knowledge::runtime(dir).unwrap());
        let retriever = match (&environment, &models) {
            (Some(environment), Some(dir)) => Retriever::load(environment, dir).unwrap(),
            _ => Retriever::lexical(),
        };
        let now = noon().and_utc() + chrono::Duration::hours(5);
        let seed = crate::seed::riverbend(now).unwrap();
        runtime.block_on(retriever.put_all(TENANT, seed.documents));
        let dialogue = Dialogue::front_desk().unwrap();
        let understanding = Understanding::new(retriever.embedder().cloned()).unwrap();
        let zone: chrono_tz::Tz = seed.facts.timezone.parse().unwrap();
        let openings = seed
            .openings
            .iter()
            .enumerate()
            .map(|(n, o)| Opening {
                id: Uuid::from_u128(n as u128 + 1),
                starts: o.starts_at.with_timezone(&zone).naive_local(),
            })
            .collect();
        Self {
            dialogue,
            retriever: Arc::new(retriever),
            facts: seed.facts,
            understanding,
            openings,
            claims: seed.claims,
            runtime,
            _environment: environment,
        }
    }

    pub(super) fn has_model(&self) -> bool {
        self.retriever.embedder().is_some()
    }

    fn understood(&self, text: &str, state: &State) -> Understood {
        let language = language::language_of(text).unwrap_or(state.language);
        let asked = state.task().is_some() || state.pending.is_some();
        // A test machine may be busy; a live call would go on without vectors, a test waits.
        self.runtime.block_on(self.understanding.patient(text, language, asked))
    }

    pub(super) fn search(&self, text: &str) -> Vec<Passage> {
        // As above: the search remembers the vector that was waited for.
        if let Some(embedder) = self.retriever.embedder() {
            self.runtime.block_on(embedder.patient(text));
        }
        let query = Query { limit: 3, ..Query::new(text) };
        let found = self.runtime.block_on(self.retriever.search(TENANT, &query));
        Self::passages(found)
    }

    fn within(&self, source: &str, text: &str) -> Vec<Passage> {
        Self::passages(self.runtime.block_on(self.retriever.within(TENANT, source, text)))
    }

    fn passages(found: Vec<knowledge::Found>) -> Vec<Passage> {
        found
            .into_iter()
            .map(|f| Passage {
                source: f.source,
                title: f.title,
                text: f.text,
                relevance: f.relevance_score,
                paraphrase: f.paraphrase,
                centre: f.centre,
                sentences: f.sentences,
                shared: f.shared,
                front: f.front,
            })
            .collect()
    }
}

/// A call on the pure dialogue, with every effect applied as the responder would.
pub(super) struct Phone<'w> {
    pub(super) world: &'w World,
    pub(super) state: State,
    pub(super) filed: Vec<Filing>,
    pub(super) urgent: bool,
    pub(super) taken: BTreeSet<Uuid>,
    pub(super) last: Option<Step>,
    /// How lines stand that callers may wait in.
    pub(super) queues: Vec<Standing>,
    next_reference: u32,
}

impl<'w> Phone<'w> {
    pub(super) fn new(world: &'w World, caller_number: bool) -> Self {
        Self::speaking(world, caller_number, Language::En, &[Language::En])
    }

    /// On a line that greets in `language` and speaks all of `spoken`.
    pub(super) fn speaking(
        world: &'w World,
        caller_number: bool,
        language: Language,
        spoken: &[Language],
    ) -> Self {
        let mut phone = Self {
            world,
            state: State::new(caller_number).speaking(language, spoken),
            filed: Vec::new(),
            urgent: false,
            taken: BTreeSet::new(),
            last: None,
            queues: Vec::new(),
            next_reference: 1001,
        };
        phone.input(&TurnInput::Opened);
        phone
    }

    /// The step for an input, without taking it.
    pub(super) fn think(&self, input: &TurnInput) -> Step {
        let text = if let TurnInput::Said { text, .. } = input { text.clone() } else { String::new() };
        let query = self.world.dialogue.query(&self.state, input);
        let mut view = View {
            facts: &self.world.facts,
            now: noon(),
            seed: 11,
            understood: if text.is_empty() {
                Understood::default()
            } else {
                self.world.understood(&text, &self.state)
            },
            passages: query.as_ref().map_or_else(Vec::new, |q| self.world.search(&q.text)),
            topic: query.and_then(|q| Some(self.world.within(&q.within?, &q.text))).unwrap_or_default(),
            searched: vec![],
            openings: None,
            claim: None,
            queues: None,
        };
        let mut step = self.world.dialogue.step(&self.state, input, &view);
        for _ in 0..6 {
            match step.wants.take() {
                Some(Lookup::Pages(search)) => {
                    let found = self.world.search(&search.text);
                    let within =
                        search.within.as_deref().map(|source| self.world.within(source, &search.text));
                    view.searched.push(Searched { search, found, within: within.unwrap_or_default() });
                }
                Some(Lookup::Openings) => view.openings = Some(self.free()),
                Some(Lookup::Claim { number }) => view.claim = Some(self.claim(&number)),
                Some(Lookup::Queues) => view.queues = Some(self.queues.clone()),
                None => break,
            }
            step = self.world.dialogue.step(&self.state, input, &view);
        }
        step
    }

    fn free(&self) -> Vec<Opening> {
        self.world.openings.iter().filter(|o| !self.taken.contains(&o.id)).cloned().collect()
    }

    fn claim(&self, number: &str) -> Option<ClaimRecord> {
        self.world.claims.iter().find(|c| c.claim_number == number).map(|c| ClaimRecord {
            status: c.status.clone(),
            status_text: c.status_text.clone(),
            holder_name: c.name.clone(),
            date_of_birth: c.date_of_birth.clone(),
            phone: c.phone.clone(),
            pin: c.pin.as_deref().map(storage::PinHash::new),
        })
    }

    pub(super) fn input(&mut self, input: &TurnInput) -> String {
        let mut step = self.think(input);
        let booked = step.effects.iter().find_map(|e| match e {
            Effect::File(filing) => filing.booking.map(|slot| (slot, filing.clone())),
            Effect::MarkUrgent { .. }
            | Effect::PutThrough { .. }
            | Effect::AskStaff { .. }
            | Effect::Line(_)
            | Effect::NoteOn { .. }
            | Effect::StopCalls { .. } => None,
        });
        if let Some((slot, filing)) = booked
            && !self.taken.insert(slot)
        {
            let view = View {
                facts: &self.world.facts,
                now: noon(),
                seed: 11,
                understood: Understood::default(),
                passages: vec![],
                topic: vec![],
                searched: vec![],
                openings: Some(self.free()),
                claim: None,
                queues: None,
            };
            step = self.world.dialogue.trouble(&self.state, Trouble::OpeningTaken, Some(&filing), &view);
        }
        let mut references = Vec::new();
        for effect in &step.effects {
            match effect {
                Effect::File(filing) => {
                    references.push(format!("REF-{}", self.next_reference));
                    self.next_reference += 1;
                    self.filed.push(filing.clone());
                }
                Effect::MarkUrgent { .. } => self.urgent = true,
                Effect::PutThrough { .. }
                | Effect::AskStaff { .. }
                | Effect::Line(_)
                | Effect::NoteOn { .. }
                | Effect::StopCalls { .. } => {}
            }
        }
        step.settle(&references);
        self.state = step.state.clone();
        let said = words(&step);
        self.last = Some(step);
        said
    }

    pub(super) fn say(&mut self, text: &str) -> String {
        self.input(&TurnInput::said(text))
    }
}

pub(super) fn words(step: &Step) -> String {
    step.say.iter().map(|s| s.text.as_str()).collect::<Vec<_>>().join(" ")
}
