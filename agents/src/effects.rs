//! Making a turn's effects durable, in one transaction, once.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};
use storage::figures::NewQuestion;
use storage::outbox_records::NewOutgoing;
use storage::records::{NewBooking, NewWorkItem, TurnCommit, WorkKind};
use storage::work_acts::QUEUED_AT;
use storage::zones::normalise_phone;
use storage::{CallId, NewJob, PassportId, Passports, SlotId, StorageError, Turns, Waits, WorkItems};

use super::desk::Desk;
use dialogue::Priority;
use dialogue::builtin::{Effect, Files, Filing, Note, Trouble, UNCONFIRMED};
use pipeline::ports::CallBrief;
use work::hub::component;
use work::passport::{ConfidenceVector, LedgerEntry, Passport, Patch, Status, Versioned, entry_id, kept};
use work::teams::{FRONT_DESK, Teams};
use work::tools::filing::{kept_priority, work_kind};

/// What the built-in dialogue says it did where no page answered.
const UNANSWERED: &str = "had no answer";

/// The desk as a whole, where no specialist of it is named.
const DESK: &str = FRONT_DESK;

/// What a committed turn gave.
#[derive(Debug, Default)]
pub(super) struct Committed {
    /// References of what was filed, in order.
    pub(super) references: Vec<String>,
}

/// Work to be done for one turn.
pub(super) struct TurnWork<'a> {
    /// Distinguishes these writes from any other: call and turn, and the tool call where a model asked for it.
    pub(super) key: String,
    pub(super) effects: &'a [Effect],
    pub(super) note: &'a Note,
    pub(super) duration_ms: u64,
    /// Of a language model, read and written.
    pub(super) tokens: u64,
    pub(super) patches: Vec<Patch>,
    /// The tool that the turn was about, where it made no effect.
    pub(super) about: Option<&'static str>,
    /// Work for after the call.
    pub(super) jobs: Vec<NewJob>,
    /// Effects outside, and those that wait for a person.
    pub(super) outbox: Vec<NewOutgoing>,
}

/// The passport of the call; made when the gateway did not make it.
pub(super) async fn passport(
    desk: &Desk,
    brief: &CallBrief,
    now: DateTime<Utc>,
) -> Result<Versioned, StorageError> {
    let id = PassportId(brief.passport);
    if let Some(kept) = desk.store.passport(id).await? {
        return kept::read(kept);
    }
    let mut fresh = Passport::for_call(brief.passport, desk.tenant, brief.call.0, now);
    fresh.memory_context = brief.recalled.iter().map(|fact| fact.id.to_string()).collect();
    let new = kept::fresh(&fresh, Some(CallId(brief.call.0)));
    match desk.store.create_passport(new).await {
        // Somebody made it in the meantime: theirs counts.
        Err(StorageError::Taken { .. }) => desk
            .store
            .passport(id)
            .await?
            .map_or_else(|| Ok(Versioned { version: 1, passport: fresh }), kept::read),
        Err(error) => Err(error),
        Ok(kept) => Ok(Versioned { version: kept.version.into(), passport: fresh }),
    }
}

/// The desk, and the teams that its call is on record under.
#[derive(Clone, Copy)]
pub(super) struct Recorder<'a> {
    pub(super) desk: &'a Desk,
    pub(super) teams: Option<&'a Teams>,
}

/// Writes everything of a turn. The passport in hand is replaced by the written one on success only.
pub(super) async fn commit(
    by: Recorder<'_>,
    brief: &CallBrief,
    held: &mut Versioned,
    work: TurnWork<'_>,
    now: DateTime<Utc>,
) -> Result<Committed, Trouble> {
    match attempt(by, brief, held, &work, now).await {
        Err(StorageError::Conflict { .. }) => {
            // Somebody else wrote the passport: take theirs and apply ours to it.
            *held = passport(by.desk, brief, now).await.map_err(|e| trouble(&e))?;
            attempt(by, brief, held, &work, now).await.map_err(|e| trouble(&e))
        }
        Err(error) if error.is_transient() => {
            attempt(by, brief, held, &work, now).await.map_err(|e| trouble(&e))
        }
        done => done.map_err(|e| trouble(&e)),
    }
}

fn trouble(error: &StorageError) -> Trouble {
    match error {
        StorageError::Taken { what: "slot" } | StorageError::NotFound { what: "slot" } => {
            Trouble::OpeningTaken
        }
        other => {
            tracing::error!(error = %other, "a turn could not be saved");
            Trouble::NotSaved
        }
    }
}

async fn attempt(
    Recorder { desk, teams }: Recorder<'_>,
    brief: &CallBrief,
    held: &mut Versioned,
    work: &TurnWork<'_>,
    now: DateTime<Utc>,
) -> Result<Committed, StorageError> {
    let filings: Vec<&Filing> = work.effects.iter().filter_map(filing).collect();
    let mut items = Vec::with_capacity(filings.len());
    let mut references = Vec::with_capacity(filings.len());
    for (n, filing) in filings.iter().enumerate() {
        let Some(kind) = work_kind(filing.files) else { continue };
        let reference = desk.store.draw_reference(kind).await?;
        let mut new = item(brief, filing, kind, &reference, format!("{}/{n}", work.key));
        if matches!(kind, WorkKind::Callback | WorkKind::Escalation)
            && let Some(wait) = desk.store.wait_of(CallId(brief.call.0)).await?
        {
            // Who waited in line, or was to, keeps the place.
            new.fields[QUEUED_AT] = json!(wait.joined_at);
        }
        items.push(new);
        references.push(reference);
    }
    let mut changed = held.clone();
    let patches = patches(teams, work, &references, now);
    changed
        .update(held.version, patches, now)
        .map_err(|_| StorageError::Invalid { what: "the passport refused the patch" })?;
    let booking = filings
        .iter()
        .find_map(|f| f.booking)
        .map(|slot| NewBooking { slot: SlotId(slot), idempotency_key: format!("{}/booking", work.key) });
    let passport = Some(kept::changed(&changed.passport, held.version));
    let done = desk
        .store
        .commit_turn(TurnCommit {
            passport,
            work_items: items,
            booking,
            jobs: work.jobs.clone(),
            outbox: work.outbox.clone(),
            question: question(brief, work, now),
            ..TurnCommit::default()
        })
        .await?;
    changed.version = done.passport_version.map_or(changed.version, u64::from);
    *held = changed;
    // A key that was known before gives the earlier row, and its reference is the one that counts.
    Ok(Committed { references: done.work_items.into_iter().map(|item| item.reference).collect() })
}

/// What the caller asked in this turn, as it counts: the page that answered it, or that none did.
fn question(brief: &CallBrief, work: &TurnWork<'_>, now: DateTime<Utc>) -> Option<NewQuestion> {
    let source = work.note.sources.first().cloned();
    let turn = work
        .key
        .rsplit_once('/')?
        .1
        .parse()
        .ok()
        .filter(|_| source.is_some() || work.note.did == UNANSWERED)?;
    Some(NewQuestion { call_id: CallId(brief.call.0), turn, asked_at: now, source })
}

const fn filing(effect: &Effect) -> Option<&Filing> {
    match effect {
        Effect::File(filing) => Some(filing),
        Effect::MarkUrgent { .. }
        | Effect::PutThrough { .. }
        | Effect::AskStaff { .. }
        | Effect::Line(_)
        | Effect::NoteOn { .. }
        | Effect::StopCalls { .. } => None,
    }
}

fn item(brief: &CallBrief, filing: &Filing, kind: WorkKind, reference: &str, key: String) -> NewWorkItem {
    let mut fields: Map<String, Value> = filing.fields.iter().map(|(k, v)| (k.clone(), json!(v))).collect();
    fields.insert("incomplete".to_owned(), json!(filing.incomplete));
    if let Some(open) = filing.fields.get(UNCONFIRMED) {
        fields.insert(UNCONFIRMED.to_owned(), json!(open.split(", ").collect::<Vec<_>>()));
    }
    let caller = brief.caller.as_deref().and_then(normalise_phone);
    if let (true, Some(number)) = (filing.use_caller_number, &caller) {
        fields.insert("phone".to_owned(), json!(number));
    }
    NewWorkItem {
        kind,
        idempotency_key: key,
        reference: Some(reference.to_owned()),
        call_id: Some(CallId(brief.call.0)),
        passport_id: Some(PassportId(brief.passport)),
        priority: kept_priority(filing.priority),
        caller,
        fields: Value::Object(fields),
    }
}

fn patches(
    teams: Option<&Teams>,
    work: &TurnWork<'_>,
    references: &[String],
    now: DateTime<Utc>,
) -> Vec<Patch> {
    let mut patches = vec![Patch::Status(Status::InProgress), Patch::CurrentAgent(Some(DESK.to_owned()))];
    for effect in work.effects {
        match effect {
            Effect::MarkUrgent { kind } => {
                patches.push(Patch::RaisePriority(Priority::Urgent));
                patches.push(Patch::Escalate { reason: format!("emergency: {kind}") });
            }
            Effect::File(filing) => patches.push(Patch::RaisePriority(filing.priority)),
            Effect::PutThrough { .. }
            | Effect::AskStaff { .. }
            | Effect::Line(_)
            | Effect::NoteOn { .. }
            | Effect::StopCalls { .. } => {}
        }
    }
    patches.extend(references.iter().map(|r| Patch::AddSubTask(r.clone())));
    patches.extend(work.patches.iter().cloned());
    patches.push(Patch::Append(Box::new(entry(teams, work, references, now))));
    patches
}

/// What was done in this turn, in words that are safe to show: kinds and references, never what was said.
fn entry(
    teams: Option<&Teams>,
    work: &TurnWork<'_>,
    references: &[String],
    now: DateTime<Utc>,
) -> LedgerEntry {
    let own = work.effects.iter().map(|e| tool_name(e).to_owned());
    let tools: Vec<String> = own.chain(work.outbox.iter().map(|new| new.tool.clone())).collect();
    let agent_id = specialist(teams, tools.first().map(String::as_str).or(work.about), &work.note.sources);
    let mut outputs = work.note.did.clone();
    for reference in references {
        outputs.push_str(&format!("; {reference}"));
    }
    for source in &work.note.sources {
        outputs.push_str(&format!("; source {source}"));
    }
    LedgerEntry {
        // Made from the turn's key, so that writing the same turn twice leaves one entry.
        id: entry_id(&work.key),
        timestamp: now,
        agent_id,
        action: "turn".to_owned(),
        inputs_summary: work.note.heard.clone(),
        outputs_summary: outputs,
        duration_ms: work.duration_ms,
        tokens_used: work.tokens,
        cost_usd: 0.0,
        confidence: ConfidenceVector::of(0.8, u32::try_from(work.note.sources.len()).unwrap_or(u32::MAX)),
        tool_calls: tools,
        notes: String::new(),
    }
}

/// The specialist of the front desk that a turn is on record under: whose tool was used or is being worked for, else who
/// cites, else whoever receives callers. Which tool is whose is said in the team's file.
fn specialist(teams: Option<&Teams>, tool: Option<&str>, sources: &[String]) -> String {
    let Some(desk) = teams.and_then(|teams| teams.team(FRONT_DESK)) else { return DESK.to_owned() };
    let tool = tool.unwrap_or(if sources.is_empty() { "end_call" } else { "search_knowledge" });
    desk.owner_of(tool).map_or_else(|| DESK.to_owned(), |owner| component(FRONT_DESK, &owner.id))
}

/// The tool that a task of the built-in dialogue is filling in.
pub(super) fn tool_of_task(task: &str) -> Option<&'static str> {
    Some(match task {
        "incident" => "file_report",
        "booking" => "book_inspection",
        "claim" => "look_up_claim",
        "message" => "take_message",
        "person" => "request_person",
        "other_language" => "request_callback",
        _ => return None,
    })
}

/// The name under which an effect shows up as a tool.
pub(super) const fn tool_name(effect: &Effect) -> &'static str {
    match effect {
        Effect::MarkUrgent { .. } => "mark_urgent",
        Effect::PutThrough { .. } | Effect::Line(_) => "put_through",
        Effect::AskStaff { .. } => "ask_staff",
        Effect::NoteOn { .. } => "note_on_request",
        Effect::StopCalls { .. } => "stop_calls",
        Effect::File(filing) => match filing.files {
            Files::Incident => "file_report",
            Files::Inspection => "book_inspection",
            Files::Message => "take_message",
            Files::Escalation => "request_person",
            Files::Callback => "request_callback",
            Files::None => "look_up_claim",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_on_record_under_the_specialist_whose_tools_it_uses() {
        let cites = ["potholes".to_owned()];
        for (tool, sources, agent) in [
            (Some("file_report"), &[][..], "front_desk/intake"),
            (Some("book_inspection"), &[], "front_desk/scheduling"),
            (Some("look_up_claim"), &[], "front_desk/status"),
            (Some("mark_urgent"), &[], "front_desk/triage"),
            (None, &cites[..], "front_desk/knowledge"),
            (None, &[], "front_desk/triage"),
            (Some("no tool of ours"), &[], "front_desk"),
        ] {
            assert_eq!(specialist(Teams::shipped().ok(), tool, sources), agent, "{tool:?}");
        }
        for task in ["incident", "booking", "claim", "message", "person", "other_language"] {
            assert!(tool_of_task(task).is_some_and(|tool| work::tools::tool(tool).is_some()), "{task}");
        }
    }
}
