//! A review from storage and back into it, once a passport, with an episode of it in organisational memory.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use language::Screen;
use serde_json::json;
use storage::records::{self, WorkFilter};
use storage::review_records::{self, AutonomyChange, Calibration, NewReview, Verdict};
use storage::{Calls, PassportId, Passports, Reviews, StorageError, TenantStore, WorkItems};
use uuid::Uuid;

use super::people::People;
use super::{ACTION, AGENT, CallFacts, Review, SETTLED, episode, learn, review};
use crate::calibration::{self, Record, confidence};
use crate::organisation::episode::{Episode, symbol};
use crate::organisation::ruling::Ruling;
use crate::organisation::{Organisation, Refusal};
use crate::passport::entry_id;
use crate::passport::{LedgerEntry, Passport, Patch, kept};

/// Tries at a passport that others write too.
const TRIES: u32 = 5;
/// Work items of one call that are read.
const ITEMS: u32 = 200;

/// What came of a run.
#[derive(Clone, PartialEq, Debug)]
pub enum Reviewed {
    Now(Box<Review>),
    /// It had a review, and people have decided something since.
    Settled(Box<Review>),
    /// It has a review already.
    Before,
    /// There is no such passport.
    Unknown,
}

/// Reviews a finished passport and writes what follows: the review, a ledger entry, the agents' records, and their moves
/// between levels of autonomy, all or nothing. Before that `memory` gets the episode and what people decided, screened: a run
/// that is cut off between the two finds them there, and writes the review alone. One that has a review is reviewed again
/// where people have decided something since; its outcomes take the place of the earlier ones.
///
/// # Errors
/// Those of the store; at most the episode and the ruling are written then.
pub async fn run(
    store: &TenantStore,
    memory: &Organisation,
    screen: &mut dyn Screen,
    id: PassportId,
    now: DateTime<Utc>,
) -> Result<Reviewed, StorageError> {
    let mut tries = 0;
    loop {
        match attempt(store, memory, screen, id, now).await {
            Err(StorageError::Conflict { .. }) if tries < TRIES => tries += 1,
            done => return done,
        }
    }
}

async fn attempt(
    store: &TenantStore,
    memory: &Organisation,
    screen: &mut dyn Screen,
    id: PassportId,
    now: DateTime<Utc>,
) -> Result<Reviewed, StorageError> {
    let before = store.review(id).await?;
    let unsettled_at = before.as_ref().map(|review| review.unsettled_at);
    if unsettled_at == Some(None) {
        return Ok(Reviewed::Before);
    }
    let Some(kept) = store.passport(id).await? else { return Ok(Reviewed::Unknown) };
    let facts = facts(store, &kept).await?;
    let mut held = kept::read(kept)?;
    let review = review(&held.passport, &facts, now);
    // Of a review of an earlier version nothing is counted.
    let before: Option<Review> = before.and_then(|before| serde_json::from_value(before.document).ok());
    let changed = before.as_ref().is_none_or(|before| decided(before) != decided(&review));
    let (outcomes, autonomy, record) = records(store, &review, before.as_ref(), now).await?;

    let told = episode::episode(&review, &held.passport, screen);
    let mut patches = match unsettled_at {
        None => remember(store, memory, &told).await?.into_iter().collect(),
        Some(_) => Vec::new(),
    };
    // Where nobody has decided, before or now, there is no word to keep.
    let ruled = review.verdict.or_else(|| before.as_ref()?.verdict).is_some() && changed;
    if let Some(ruling) = episode::ruling(&review, &facts.people, &told, screen).filter(|_| ruled) {
        rule(store, memory, &ruling).await?;
    }
    let change = if changed {
        patches.extend(self::patches(
            &review,
            &held.passport,
            &autonomy,
            &record,
            unsettled_at.flatten(),
            now,
        ));
        let version = held.version;
        held.update(version, patches, now)
            .map_err(|_| StorageError::Invalid { what: "the passport refused the patch" })?;
        Some(kept::changed(&held.passport, version))
    } else {
        None
    };
    let document =
        serde_json::to_value(&review).map_err(|_| StorageError::Invalid { what: "a review is no JSON" })?;
    let new = NewReview {
        passport: id,
        success: review.success,
        verdict: review.verdict,
        effectiveness: review.effectiveness,
        reviewed_at: now,
        document,
        change,
        outcomes,
        autonomy,
    };
    match unsettled_at.flatten() {
        None => {
            Ok(if store.file_review(new).await? { Reviewed::Now(Box::new(review)) } else { Reviewed::Before })
        }
        // They decided again meanwhile, or another settled it: the next sweep looks.
        Some(at) if !store.settle_review(new, at).await? => Ok(Reviewed::Before),
        Some(_) if changed => Ok(Reviewed::Settled(Box::new(review))),
        Some(_) => Ok(Reviewed::Before),
    }
}

/// What of a review changes anything: the verdict, and who was right.
fn decided(review: &Review) -> (Option<Verdict>, BTreeMap<&str, bool>) {
    let known =
        review.outcomes.iter().filter_map(|(agent, outcome)| Some((agent.as_str(), outcome.correct?)));
    (review.verdict, known.collect())
}

/// Memory gets what people decided. What its types refuse is a fault of ours and no reason to leave the records wrong.
async fn rule(store: &TenantStore, memory: &Organisation, ruling: &Ruling) -> Result<(), StorageError> {
    // On the heap: a review is deep enough without it.
    match Box::pin(memory.remember_ruling(store, ruling)).await {
        Ok(()) => Ok(()),
        Err(Refusal::Faults(faults)) => {
            tracing::error!(passport = %ruling.passport_id, ?faults, "a ruling does not fit its type");
            Ok(())
        }
        Err(Refusal::Storage(error)) => Err(error),
    }
}

/// The Passport's word for the episode, once memory has it: from now or from an earlier run. What its types refuse is a
/// fault of ours and no reason to leave the review undone.
async fn remember(
    store: &TenantStore,
    memory: &Organisation,
    episode: &Episode,
) -> Result<Option<Patch>, StorageError> {
    match Box::pin(memory.remember_episode(store, episode)).await {
        Ok(_) => Ok(Some(Patch::EmitSymbol(symbol(episode.passport_id)))),
        Err(Refusal::Faults(faults)) => {
            tracing::error!(passport = %episode.passport_id, ?faults, "an episode does not fit its type");
            Ok(None)
        }
        Err(Refusal::Storage(error)) => Err(error),
    }
}

async fn facts(store: &TenantStore, passport: &records::Passport) -> Result<CallFacts, StorageError> {
    let mut facts = CallFacts { people: people(store, passport).await?, ..CallFacts::default() };
    let Some(id) = passport.call_id else { return Ok(facts) };
    for turn in store.transcript(id).await? {
        match turn.speaker {
            records::Speaker::Caller => facts.caller_turns += 1,
            _ => {
                facts.agent_turns += 1;
                facts.interrupted += u32::from(turn.interrupted);
            }
        }
    }
    if let Some(call) = store.call(id).await? {
        facts.cost_micros = call.cost_micros;
        facts.broken_off = call
            .end_reason
            .is_some_and(|r| matches!(r.as_str(), "interrupted" | "failed" | "protocol_error"));
    }
    Ok(facts)
}

/// What people decided of the requests that it left.
async fn people(store: &TenantStore, passport: &records::Passport) -> Result<People, StorageError> {
    let filter = WorkFilter { passport_id: Some(passport.id), limit: ITEMS, ..WorkFilter::default() };
    let mut people = People::default();
    for item in store.list_work_items(filter).await? {
        let history = store.work_history(item.id).await?;
        people = people.with(&item, &history);
    }
    let Some(call) = passport.call_id else { return Ok(people) };
    Ok(people.judged(&store.judgements(call).await?))
}

/// What counts for each agent, who moves, and the record of the reviewed kind of task.
async fn records(
    store: &TenantStore,
    review: &Review,
    before: Option<&Review>,
    now: DateTime<Utc>,
) -> Result<(Vec<review_records::AgentOutcome>, Vec<AutonomyChange>, Record), StorageError> {
    let (kept, levels) = (store.calibrations().await?, store.autonomy_levels().await?);
    let (mut outcomes, mut changes, mut of_task) = (Vec::new(), Vec::new(), Record::default());
    let one = |outcome: &super::AgentOutcome| {
        outcome.decided().map_or_else(Record::default, |decided| Record::default().with(decided))
    };
    for (agent_id, outcome) in &review.outcomes {
        let gain = one(outcome);
        let counted = before.and_then(|before| before.outcomes.get(agent_id)).map(one).unwrap_or_default();
        let own = kept.iter().filter(|k| &k.agent_id == agent_id);
        let whole = own.clone().map(record).fold(Record::default(), Record::and).less(counted).and(gain);
        let of_this = own.filter(|k| k.task_type == review.task_type).map(record);
        of_task = of_task.and(of_this.fold(Record::default(), Record::and).less(counted)).and(gain);
        let current = levels.iter().find(|of| &of.agent_id == agent_id).map_or(1, |of| of.level);
        if let Some(change) = calibration::change(current, &whole.metrics()) {
            let key = format!("{}/{agent_id}/autonomy", review.passport_id);
            // One move an agent and review: a second try finds the same id.
            changes.push(AutonomyChange {
                id: ordered(now, &key),
                agent_id: agent_id.clone(),
                from_level: change.from_level,
                to_level: change.to_level,
                reason: change.reason,
                changed_at: now,
            });
        }
        let super::AgentOutcome { predicted, correct, escalated } = *outcome;
        let (agent_id, task_type) = (agent_id.clone(), review.task_type.clone());
        outcomes.push(review_records::AgentOutcome { agent_id, task_type, predicted, correct, escalated });
    }
    Ok((outcomes, changes, of_task))
}

fn record(kept: &Calibration) -> Record {
    Record {
        completed: kept.completed,
        correct: kept.correct,
        escalated: kept.escalated,
        brier_sum: kept.brier_sum,
    }
}

/// An id that sorts by time and is the same for the same key.
fn ordered(at: DateTime<Utc>, key: &str) -> Uuid {
    let (_, low) = entry_id(key).as_u64_pair();
    let millis = u64::try_from(at.timestamp_millis()).unwrap_or(0);
    Uuid::from_u64_pair(
        (millis << 16) | 0x7000 | (low >> 52),
        (low & 0x3fff_ffff_ffff_ffff) | 0x8000_0000_0000_0000,
    )
}

/// `settled`: when people decided what this review is made anew for.
fn patches(
    review: &Review,
    passport: &Passport,
    autonomy: &[AutonomyChange],
    record: &Record,
    settled: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Vec<Patch> {
    let evidence = u32::try_from(passport.ledger.len()).unwrap_or(u32::MAX);
    let mut outputs = format!(
        "{}; effectiveness {:.2}; {} learnings; {} observations",
        match review.verdict {
            None => "nobody has decided yet",
            Some(_) if review.success => "succeeded",
            Some(_) => "did not succeed",
        },
        review.effectiveness,
        review.learnings.mistakes.len() + review.learnings.successful_patterns.len(),
        review.observations.len(),
    );
    for change in autonomy {
        outputs.push_str(&format!(
            "; {} moved from level {} to {}",
            change.agent_id, change.from_level, change.to_level
        ));
    }
    let sure = confidence(
        evidence,
        review.analysis.confidence_accuracy,
        record,
        review.analysis.failure_points.clone(),
    );
    let (action, key) = match settled {
        None => (ACTION, format!("{}/{ACTION}", passport.id)),
        Some(at) => (SETTLED, format!("{}/{SETTLED}/{}", passport.id, at.timestamp_micros())),
    };
    let entry = LedgerEntry {
        id: entry_id(&key),
        timestamp: now,
        agent_id: AGENT.to_owned(),
        action: action.to_owned(),
        inputs_summary: format!("{evidence} ledger entries"),
        outputs_summary: outputs,
        duration_ms: 0,
        tokens_used: 0,
        cost_usd: 0.0,
        confidence: sure.clone(),
        tool_calls: Vec::new(),
        notes: json!({ "why": review.why, "learnings": review.learnings }).to_string(),
    };
    let mut patches = vec![Patch::Append(Box::new(entry)), Patch::Confidence(sure)];
    if let Some(reason) = learn::needs_person(passport).filter(|_| settled.is_none()) {
        patches.push(Patch::Escalate { reason });
    }
    patches
}
