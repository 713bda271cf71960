//! Looking through one finished call: listen, suggest, have it decided, note what went wrong. Safe to repeat: every
//! step has a key of its call, and the mark that it was done is written last.

use pipeline::ports::Language;
use serde_json::json;
use storage::memory::{
    Forgetting, NewEvent, NewInteraction, NewPlaybookUpdate, NewSuggestion, Outcome, Proposal, Review,
    ReviewOutcome,
};
use storage::records::{Call, CallEntry, Direction, LogRow, Speaker, TranscriptTurn, WorkFilter, WorkStatus};
use storage::zones::CallerNumber;
use storage::{CallId, Calls, StorageError, WorkItems};
use work::memory::Utterance;

use super::office::TenantMemory;

/// Replies that were cut short from which on a call counts as one where we talked past the caller.
const MANY_INTERRUPTIONS: usize = 3;
/// Suggestions decided on for one call: more than one call can make.
const ROUNDS: usize = 8;

/// Looks through a call, once.
pub async fn review(
    memory: &TenantMemory,
    id: CallId,
    usual: Language,
) -> Result<ReviewOutcome, StorageError> {
    let call = memory.store.call(id).await?.ok_or(StorageError::NotFound { what: "call" })?;
    let turns = memory.store.transcript(id).await?;
    note_failures(memory, &call, &turns).await?;
    // Earlier versions kept what carriers send in the place of a withheld number.
    let number = memory.store.caller_number(id).await?.as_deref().and_then(CallerNumber::of);
    let (outcome, suggested) = match number {
        Some(number) if call.direction == Direction::Inbound => {
            listen(memory, &call, (&turns, usual), number.as_str()).await?
        }
        _ => (ReviewOutcome::Nothing, 0),
    };
    let detail = format!("{outcome}, {suggested} suggested");
    let event = NewEvent { call_id: Some(id), event: "call_review".into(), outcome: Outcome::Done, detail };
    memory.log.log_event(event).await?;
    memory.extractor.reviewed(Review { call: id, outcome, suggested }).await?;
    Ok(outcome)
}

async fn listen(
    memory: &TenantMemory,
    call: &Call,
    (turns, usual): (&[TranscriptTurn], Language),
    number: &str,
) -> Result<(ReviewOutcome, u32), StorageError> {
    let known = memory.reader.get_memory(number).await?;
    if known.as_ref().is_some_and(|known| known.contact.opt_out) {
        return Ok((ReviewOutcome::OptedOut, 0));
    }
    let said: Vec<Utterance<'_>> = turns
        .iter()
        .filter(|turn| turn.speaker == Speaker::Caller)
        .map(|turn| Utterance { text: &turn.text, confidence: turn.confidence })
        .collect();
    let preferred = known.iter().flat_map(|known| &known.memories).find(|m| m.key == "preferred_language");
    let held_in = held_in(call, usual, preferred.map(|memory| memory.value.as_str()));
    let heard = memory.rules.listen(&said, held_in);
    if heard.opt_out {
        memory.manager.forget_caller(number, Forgetting::AskedByCaller, Some(call.id)).await?;
        return Ok((ReviewOutcome::Forgotten, 0));
    }
    if said.is_empty() {
        return Ok((ReviewOutcome::Nothing, 0));
    }
    let mut facts: Vec<(String, String, f64)> =
        heard.facts.into_iter().map(|fact| (fact.key, fact.value, fact.confidence)).collect();
    // What was filed is surer than what was said about it.
    if let Some(filed) = filed(memory, call.id).await? {
        facts.retain(|(key, ..)| key != OPEN_MATTER);
        facts.push((OPEN_MATTER.to_owned(), filed, 1.0));
    }
    let suggested = u32::try_from(facts.len()).unwrap_or(u32::MAX);
    for (key, value, confidence) in facts {
        let proposal = Proposal { key: &key, value: &value, confidence };
        let value = memory.rules.suggestible(proposal);
        let idempotency_key = format!("{}/{key}", call.id);
        let (caller, call_id) = (number.to_owned(), Some(call.id));
        memory
            .extractor
            .suggest(NewSuggestion { caller, call_id, idempotency_key, key, value, confidence })
            .await?;
    }
    for _ in 0..ROUNDS {
        if memory.manager.review(Some(call.id)).await?.is_empty() {
            break;
        }
    }
    log_call(memory, call, said.len(), number).await?;
    Ok((ReviewOutcome::Reviewed, suggested))
}

const OPEN_MATTER: &str = "open_matter";

/// The language that the call was held in, where it is not the one that it would have been held in anyway, or not the
/// one that is remembered.
fn held_in(call: &Call, usual: Language, preferred: Option<&str>) -> Option<Language> {
    let held = [Language::En, Language::Es].into_iter().find(|language| language.code() == call.language)?;
    let known = preferred.is_some_and(|preferred| preferred != held.code());
    (held != usual || known).then_some(held)
}

/// The last thing that this call left to be done: its kind and reference, no word of the caller.
async fn filed(memory: &TenantMemory, call: CallId) -> Result<Option<String>, StorageError> {
    let filter = WorkFilter { call_id: Some(call), limit: 20, ..WorkFilter::default() };
    let items = memory.store.list_work_items(filter).await?;
    let open =
        items.into_iter().find(|item| matches!(item.status, WorkStatus::Open | WorkStatus::InProgress));
    Ok(open.map(|item| format!("{} {}", item.kind, item.reference)))
}

async fn log_call(
    memory: &TenantMemory,
    call: &Call,
    turns: usize,
    number: &str,
) -> Result<(), StorageError> {
    let body = json!({ "language": call.language, "caller_turns": turns, "end_reason": call.end_reason });
    let interaction = NewInteraction {
        caller: Some(number.to_owned()),
        call_id: Some(call.id),
        idempotency_key: format!("{}/call", call.id),
        kind: "call".to_owned(),
        body: body.to_string(),
    };
    memory.log.log_interaction(interaction).await.map(drop)
}

/// For whoever reviews the day: which calls went wrong, and how. Words of ours only.
async fn note_failures(
    memory: &TenantMemory,
    call: &Call,
    turns: &[TranscriptTurn],
) -> Result<(), StorageError> {
    let log = memory.store.call_log(call.id).await?;
    for topic in failures(call, turns, &log) {
        let body = json!({ "language": call.language, "turns": turns.len(), "end_reason": call.end_reason });
        let update = NewPlaybookUpdate {
            call_id: Some(call.id),
            idempotency_key: format!("{}/{topic}", call.id),
            topic: topic.to_owned(),
            body: body.to_string(),
        };
        memory.optimizer.update_playbook(update).await?;
    }
    Ok(())
}

fn failures(call: &Call, turns: &[TranscriptTurn], log: &[LogRow]) -> Vec<&'static str> {
    let mut topics = Vec::new();
    match call.end_reason.as_deref() {
        Some("failed") => topics.push("call_failed"),
        Some("stream_lost" | "protocol_error") => topics.push("line_lost"),
        Some("interrupted") => topics.push("process_died"),
        Some("no_input") => topics.push("caller_silent"),
        _ => {}
    }
    if log.iter().any(|row| matches!(row.entry, CallEntry::CallBackOwed { .. })) {
        topics.push("call_back_owed");
    }
    if log.iter().any(|row| matches!(&row.entry, CallEntry::Provider { state, .. } if state == "exhausted")) {
        topics.push("provider_exhausted");
    }
    if turns.iter().filter(|turn| turn.interrupted).count() >= MANY_INTERRUPTIONS {
        topics.push("interrupted_often");
    }
    topics
}
