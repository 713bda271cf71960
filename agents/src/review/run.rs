//! A review from storage and back into it, once a passport, with an episode of it in organisational memory.

use chrono::{DateTime, Utc};
use pipeline::ports::Screen;
use serde_json::json;
use storage::records::{self, WorkFilter, WorkStatus};
use storage::review_records::{AutonomyChange, Calibration, NewReview};
use storage::{Calls, PassportId, Passports, Reviews, StorageError, TenantStore, WorkItems};
use uuid::Uuid;

use super::{ACTION, AGENT, CallFacts, Review, episode, learn, outcomes, review};
use crate::calibration::{self, Record, confidence};
use crate::organisation::episode::{Episode, symbol};
use crate::organisation::{Organisation, Refusal};
use crate::passport::{LedgerEntry, Passport, Patch, kept};
use crate::responder::entry_id;

/// Tries at a passport that others write too.
const TRIES: u32 = 5;
/// Work items of one call that are read.
const ITEMS: u32 = 200;

/// What came of a run.
#[derive(Clone, PartialEq, Debug)]
pub enum Reviewed {
    Now(Box<Review>),
    /// It has a review already.
    Before,
    /// There is no such passport.
    Unknown,
}

/// Reviews a finished passport and writes what follows: the review, a ledger entry, the agents' records, and their moves
/// between levels of autonomy, all or nothing. Before that `memory` gets the episode, screened: a run that is cut off
/// between the two finds it there, and writes the review alone.
///
/// # Errors
/// Those of the store; at most the episode is written then.
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
    if store.review(id).await?.is_some() {
        return Ok(Reviewed::Before);
    }
    let Some(kept) = store.passport(id).await? else { return Ok(Reviewed::Unknown) };
    let facts = facts(store, &kept).await?;
    let mut held = kept::read(kept)?;
    let review = review(&held.passport, &facts, now);
    let (calibration, autonomy, record) = records(store, &review, &held.passport, now).await?;
    let mut patches = patches(&review, &held.passport, &autonomy, &record, now);
    let episode = episode::episode(&review, &held.passport, screen);
    patches.extend(remember(store, memory, &episode).await?);
    let version = held.version;
    held.update(version, patches, now)
        .map_err(|_| StorageError::Invalid { what: "the passport refused the patch" })?;
    let change = kept::changed(&held.passport, version);
    let document =
        serde_json::to_value(&review).map_err(|_| StorageError::Invalid { what: "a review is no JSON" })?;
    let new = NewReview {
        passport: id,
        success: review.success,
        effectiveness: review.effectiveness,
        reviewed_at: now,
        document,
        change: Some(change),
        calibration,
        autonomy,
    };
    Ok(if store.file_review(new).await? { Reviewed::Now(Box::new(review)) } else { Reviewed::Before })
}

/// The Passport's word for the episode, once memory has it: from now or from an earlier run. What its types refuse is a
/// fault of ours and no reason to leave the review undone.
async fn remember(
    store: &TenantStore,
    memory: &Organisation,
    episode: &Episode,
) -> Result<Option<Patch>, StorageError> {
    match memory.remember_episode(store, episode).await {
        Ok(_) => Ok(Some(Patch::EmitSymbol(symbol(episode.passport_id)))),
        Err(Refusal::Faults(faults)) => {
            tracing::error!(passport = %episode.passport_id, ?faults, "an episode does not fit its type");
            Ok(None)
        }
        Err(Refusal::Storage(error)) => Err(error),
    }
}

async fn facts(store: &TenantStore, passport: &records::Passport) -> Result<CallFacts, StorageError> {
    let mut facts = CallFacts::default();
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
    let filter = WorkFilter { call_id: Some(id), limit: ITEMS, ..WorkFilter::default() };
    for item in store.list_work_items(filter).await? {
        facts.work_items += 1;
        facts.work_cancelled += u32::from(item.status == WorkStatus::Cancelled);
    }
    Ok(facts)
}

/// What the agents' records gain, who moves, and the record of the reviewed kind of task.
async fn records(
    store: &TenantStore,
    review: &Review,
    passport: &Passport,
    now: DateTime<Utc>,
) -> Result<(Vec<Calibration>, Vec<AutonomyChange>, Record), StorageError> {
    let (kept, levels) = (store.calibrations().await?, store.autonomy_levels().await?);
    let (mut gains, mut changes, mut of_task) = (Vec::new(), Vec::new(), Record::default());
    for (agent_id, outcome) in outcomes(review, passport) {
        let gain = Record::default().with(outcome);
        let before = kept.iter().filter(|k| k.agent_id == agent_id);
        let whole = before.clone().map(record).fold(gain, Record::and);
        of_task = before
            .filter(|k| k.task_type == review.task_type)
            .map(record)
            .fold(of_task.and(gain), Record::and);
        let current = levels.iter().find(|of| of.agent_id == agent_id).map_or(1, |of| of.level);
        if let Some(change) = calibration::change(current, &whole.metrics()) {
            changes.push(AutonomyChange {
                // One move an agent and review: a second try finds the same id.
                id: ordered(now, &format!("{}/{agent_id}/autonomy", passport.id)),
                agent_id: agent_id.clone(),
                from_level: change.from_level,
                to_level: change.to_level,
                reason: change.reason,
                changed_at: now,
            });
        }
        gains.push(Calibration {
            agent_id,
            task_type: review.task_type.clone(),
            completed: gain.completed,
            correct: gain.correct,
            escalated: gain.escalated,
            brier_sum: gain.brier_sum,
            updated_at: now,
        });
    }
    Ok((gains, changes, of_task))
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

fn patches(
    review: &Review,
    passport: &Passport,
    autonomy: &[AutonomyChange],
    record: &Record,
    now: DateTime<Utc>,
) -> Vec<Patch> {
    let evidence = u32::try_from(passport.ledger.len()).unwrap_or(u32::MAX);
    let mut outputs = format!(
        "{}; effectiveness {:.2}; {} learnings; {} observations",
        if review.success { "succeeded" } else { "did not succeed" },
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
    let entry = LedgerEntry {
        id: entry_id(&format!("{}/{ACTION}", passport.id)),
        timestamp: now,
        agent_id: AGENT.to_owned(),
        action: ACTION.to_owned(),
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
    if let Some(reason) = learn::needs_person(passport) {
        patches.push(Patch::Escalate { reason });
    }
    patches
}
