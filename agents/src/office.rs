//! What a call can look up: passages, free times, claims. Reading only, so a run begun on a guess may do it.

use std::sync::Arc;

use chrono::{DateTime, NaiveDateTime, Utc};
use language::intents::{Understood, Vector};
use pipeline::ports::{CallBrief, Language, TurnInput};
use storage::waits::MOST_WAITING;
use storage::{CallId, Claims, PinHash, Slots, Waits};

use super::desk::{Desk, Shared, now};
use dialogue::builtin::{ClaimRecord, Opening, Passage, Search, Searched, Standing, View};
use knowledge::{Filters, Found, Query};
use work::teams::FRONT_DESK;

/// Free times read for a booking.
const OPENINGS: u32 = 80;
/// Passages read for a question.
const PASSAGES: usize = 3;

/// The desk of one call, for reading.
pub(crate) struct Office {
    pub(super) shared: Arc<Shared>,
    pub(super) desk: Arc<Desk>,
    pub(super) brief: CallBrief,
    /// Chooses among variants of what is said.
    pub(super) seed: u64,
}

language::shown!(Office, "Office": desk, seed; );

/// What is known before a step; kept so that trouble can be spoken of with the same knowledge.
#[derive(Default)]
pub(super) struct Knowledge {
    pub(super) understood: Understood,
    pub(super) passages: Vec<Passage>,
    pub(super) topic: Vec<Passage>,
    /// Searched for during the step.
    pub(super) searched: Vec<Searched>,
    pub(super) openings: Option<Vec<Opening>>,
    pub(super) claim: Option<Option<ClaimRecord>>,
    pub(super) queues: Option<Vec<Standing>>,
    pub(super) local: NaiveDateTime,
}

language::shown!(Knowledge, "Knowledge": understood, openings, claim, queues, local; passages, topic, searched);

impl Office {
    pub(super) const fn new(shared: Arc<Shared>, desk: Arc<Desk>, brief: CallBrief) -> Self {
        let seed = brief.call.0.as_u64_pair().1;
        Self { shared, desk, brief, seed }
    }

    /// Passages for a question, and those of the document that it may still be about.
    pub(crate) async fn passages(&self, search: &Search) -> (Vec<Passage>, Vec<Passage>) {
        let (retriever, tenant) = (&self.shared.retriever, self.desk.tenant);
        let filters = Filters { team: Some(FRONT_DESK.to_owned()), ..Filters::default() };
        let query = Query { limit: PASSAGES, filters, ..Query::new(&search.text) };
        let found = retriever.search(tenant, &query).await.into_iter().map(passage).collect();
        let topic = match &search.within {
            Some(source) => retriever.within(tenant, source, &search.text).await,
            None => Vec::new(),
        };
        (found, topic.into_iter().map(passage).collect())
    }

    pub(crate) async fn openings(&self) -> Vec<Opening> {
        let slots = self.desk.store.free_slots(now(), OPENINGS).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "free times could not be read");
            Vec::new()
        });
        slots.into_iter().map(|slot| Opening { id: slot.id.0, starts: self.local(slot.starts_at) }).collect()
    }

    pub(crate) async fn claim(&self, number: &str) -> Option<ClaimRecord> {
        let claim = self.desk.store.claim(number).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "a claim could not be read");
            None
        })?;
        Some(ClaimRecord {
            status: claim.status,
            status_text: claim.status_text,
            holder_name: claim.holder.name,
            date_of_birth: claim.holder.date_of_birth,
            phone: claim.holder.phone,
            pin: self.pin(number).await,
        })
    }

    /// How the lines that callers may wait in stand for this call.
    pub(crate) async fn queues(&self) -> Vec<Standing> {
        let call = CallId(self.brief.call.0);
        let mut known = Vec::new();
        for target in self.desk.facts.targets.iter().filter(|target| target.queue) {
            match self.desk.store.queue(&target.name, now()).await {
                Ok(queue) => {
                    let place = queue.place_of(call);
                    known.push(Standing {
                        target: target.name.clone(),
                        is_free: queue.is_turn(place, target.people()),
                        is_full: queue.waiting.len() >= MOST_WAITING as usize,
                        place,
                        minutes: queue.minutes(place, target.people()),
                    });
                }
                Err(error) => tracing::warn!(%error, "a line could not be read"),
            }
        }
        known
    }

    async fn pin(&self, number: &str) -> Option<PinHash> {
        self.desk.store.claim_pin(number).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the PIN of a claim could not be read");
            None
        })
    }

    /// The vector of words that may tell of danger: the rest keep no model waiting for it.
    pub(super) async fn vector_of_danger(&self, input: &TurnInput) -> Option<Vector> {
        let TurnInput::Said { text, .. } = input else { return None };
        if !self.shared.dialogue.may_be_danger(text) {
            return None;
        }
        self.shared.understanding.vector(text).await
    }

    pub(super) fn view<'a>(&'a self, knowledge: &Knowledge) -> View<'a> {
        View {
            facts: &self.desk.facts,
            now: knowledge.local,
            seed: self.seed,
            understood: knowledge.understood.clone(),
            passages: knowledge.passages.clone(),
            topic: knowledge.topic.clone(),
            searched: knowledge.searched.clone(),
            openings: knowledge.openings.clone(),
            claim: knowledge.claim.clone(),
            queues: knowledge.queues.clone(),
        }
    }

    /// What the keys of this stream's writes begin with. Turns of a call's later streams are counted from one again.
    pub(super) fn writes(&self) -> String {
        match self.brief.hand_over.part {
            0 => self.brief.call.to_string(),
            part => format!("{}/from-{part}", self.brief.call),
        }
    }

    /// Local time of the county now.
    pub(crate) fn today(&self) -> NaiveDateTime {
        self.local(now())
    }

    fn local(&self, at: DateTime<Utc>) -> NaiveDateTime {
        at.with_timezone(&self.desk.zone).naive_local()
    }

    /// Who speaks and what is recorded, as a caller is told it in a language that the call changes to.
    pub(super) fn language_notice(&self, language: Language) -> Option<String> {
        let (script, facts) = (self.shared.dialogue.script_in(language), &self.desk.facts);
        let of = |key: &str| script.prompt(key).iter().find(|notice| facts.knows(notice));
        Some(facts.fill(language, of("language_notice").or_else(|| of("language_notice_plain"))?))
    }

    /// Whether the carrier gave a number to call back.
    pub(super) fn knows_caller(&self) -> bool {
        self.brief.caller.as_deref().and_then(storage::zones::normalise_phone).is_some()
    }
}

fn passage(found: Found) -> Passage {
    Passage {
        source: found.source,
        title: found.title,
        text: found.text,
        relevance: found.relevance_score,
        paraphrase: found.paraphrase,
        centre: found.centre,
        sentences: found.sentences,
        shared: found.shared,
        front: found.front,
    }
}
