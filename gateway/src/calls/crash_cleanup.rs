//! What a process that was killed left open of a live call: people who listened, somebody who had the call, a question to the
//! office. Each gets its end on the record before the call is closed there, so that a start that is killed too does it again;
//! nothing is written twice.

use std::collections::BTreeMap;

use pipeline::ports::NotesState;
use serde_json::{Value, json};
use storage::audit::{AuditEntry, AuditFilter, NewAudit, Outcome, Party};
use storage::records::{CallEntry, LogRow, NewWorkItem, Priority, WorkFilter, WorkKind};
use storage::zones::CallerNumber;
use storage::{Audit, CallId, Calls, StorageError, TenantStore, WorkItems};

use crate::audit::acts;
use crate::dialing::notes;

/// As the call's own end is called.
const INTERRUPTED: &str = "interrupted";
/// Entries of the audit that are read at a time.
const PAGE: u32 = 500;
/// What begins and ends in a call, as the audit names it.
const ACTIONS: [&str; 8] = [
    "call.started",
    "call.ended",
    "call.listen_started",
    "call.listen_ended",
    "call.taken_over",
    "call.handed_over",
    "call.given_back",
    "call.control_lost",
];

/// Ends what is open of a call.
///
/// # Errors
/// When storage does not answer; what was written before stays, and is not written again.
pub async fn settle(store: &TenantStore, call: CallId) -> Result<(), StorageError> {
    let log = store.call_log(call).await?;
    let entries = entries_of(store, call).await?;
    let holder = holder(&log);
    for entry in ends(call, &entries, holder) {
        store.audit().record(entry.traced(call.0)).await?;
    }
    if let (Some(by), Some(row)) = (holder, given_back(&log)) {
        store.append(call, &[row]).await?;
        tracing::warn!(call_id = %call, by, "a call that a person had was cut off");
    }
    break_off_notes(store, call, &log).await?;
    call_back_about(store, call, &log).await
}

/// Notes that were being taken ended with the process: what was written down by then is all there is.
async fn break_off_notes(store: &TenantStore, call: CallId, log: &[LogRow]) -> Result<(), StorageError> {
    let Some(("began", with)) = notes::last_of(log) else { return Ok(()) };
    let Some(known) = store.call(call).await? else { return Ok(()) };
    store.audit().record(acts::call_notes(call, NotesState::Lost, with)).await?;
    store.append(call, &[notes::row(log, &known, with, NotesState::Lost)]).await
}

/// The call's entries that matter here, oldest first.
async fn entries_of(store: &TenantStore, call: CallId) -> Result<Vec<AuditEntry>, StorageError> {
    let (mut all, mut before) = (Vec::new(), None);
    loop {
        let filter =
            AuditFilter { subject: Some(call.to_string()), before, limit: PAGE, ..AuditFilter::default() };
        let page = store.list_audit(filter).await?;
        before = page.last().map(|entry| entry.seq);
        let is_last = page.len() < PAGE as usize;
        all.extend(page.into_iter().filter(|entry| ACTIONS.contains(&entry.action.as_str())));
        if is_last {
            all.reverse();
            return Ok(all);
        }
    }
}

/// The ends that are missing: of each listener, of whoever had the call, of the call.
fn ends(call: CallId, entries: &[AuditEntry], holder: Option<&str>) -> Vec<NewAudit> {
    let subject = || Party::new("call", call);
    let mut listeners: BTreeMap<(&str, &str, String), Vec<&str>> = BTreeMap::new();
    let (mut has, mut was_taken, mut lives) = (None, false, false);
    for entry in entries.iter().filter(|entry| entry.outcome != Outcome::Denied.as_str()) {
        let who = || (entry.actor_kind.as_str(), entry.actor_id.as_str(), channel(entry));
        match entry.action.as_str() {
            "call.listen_started" => listeners.entry(who()).or_default().push(&entry.at),
            "call.listen_ended" => drop(listeners.get_mut(&who()).and_then(Vec::pop)),
            "call.taken_over" => (has, was_taken) = (Some(entry.actor_id.as_str()), true),
            // To whom is on the call's own record.
            "call.handed_over" => (has, was_taken) = (None, false),
            "call.given_back" | "call.control_lost" => has = None,
            "call.started" => lives = true,
            "call.ended" => lives = false,
            _ => {}
        }
    }
    // The entry of who took it may have been on its way when the call's own record had it already.
    let has = has.or(holder.filter(|_| !was_taken));
    let mut ends = Vec::new();
    for ((kind, id, channel), open) in listeners {
        let end = |from: &&str| {
            NewAudit::new("call.listen_ended", Party::new(kind, id), subject())
                .with("channel", channel.clone())
                .with("from", *from)
                .with("reason", INTERRUPTED)
        };
        ends.extend(open.iter().map(end));
    }
    let system = || Party::new("system", "call");
    if let Some(by) = has {
        ends.push(
            NewAudit::new("call.control_lost", system(), subject())
                .with("by", by)
                .with("reason", INTERRUPTED),
        );
    }
    if lives {
        ends.push(NewAudit::new("call.ended", system(), subject()).with("reason", INTERRUPTED));
    }
    ends
}

fn channel(entry: &AuditEntry) -> String {
    let details: Value = serde_json::from_str(&entry.details).unwrap_or_default();
    details["channel"].as_str().unwrap_or_default().to_owned()
}

/// Who had the call last, by its own record.
fn holder(log: &[LogRow]) -> Option<&str> {
    let last = log.iter().rev().find_map(|row| match &row.entry {
        CallEntry::Control { holder, by, .. } => Some((holder.as_str(), by.as_str())),
        _ => None,
    });
    last.filter(|(holder, _)| *holder == "person").map(|(_, by)| by)
}

/// The row that says that they have it no more.
fn given_back(log: &[LogRow]) -> Option<LogRow> {
    let last = log.last()?;
    let (turn, by) = log.iter().rev().find_map(|row| match &row.entry {
        CallEntry::Control { turn, by, .. } => Some((*turn, by.clone())),
        _ => None,
    })?;
    let (holder, reason, note) = ("agent".to_owned(), "fault".to_owned(), String::new());
    Some(LogRow {
        seq: last.seq + 1,
        at_ms: last.at_ms,
        entry: CallEntry::Control { turn, holder, by, reason, note },
    })
}

/// What a caller waited to hear of the office, and the answer, if there was one that they did not hear any more.
fn unheard(log: &[LogRow]) -> Option<(&str, Option<&str>)> {
    let mut open: Option<(&str, Option<&str>)> = None;
    // The turn in which the answer is said.
    let mut says = None;
    for row in log {
        match &row.entry {
            CallEntry::Whispered { until, text, .. } if until == "asked" => {
                (open, says) = (Some((text.as_str(), None)), None);
            }
            CallEntry::Whispered { until, text, .. } if until == "answered" => {
                if let Some((_, answer)) = &mut open {
                    *answer = Some(text);
                }
            }
            CallEntry::Planned { turn, .. } if open.is_some_and(|(_, answer)| answer.is_some()) => {
                says = says.or(Some(*turn));
            }
            // The wait is over: nobody answered in time, or somebody took the call.
            CallEntry::Control { reason, .. } if reason == "held_no_more" || reason == "taken_over" => {
                open = open.filter(|(_, answer)| answer.is_some());
            }
            CallEntry::Played { turn, heard_text, .. } if says == Some(*turn) && !heard_text.is_empty() => {
                open = None;
            }
            _ => {}
        }
    }
    open
}

/// A question that a caller waited with becomes a call back, where they can be called.
async fn call_back_about(store: &TenantStore, call: CallId, log: &[LogRow]) -> Result<(), StorageError> {
    let Some((question, answer)) = unheard(log) else { return Ok(()) };
    let Some(known) = store.call(call).await? else { return Ok(()) };
    let number = store.caller_number(call).await?.as_deref().and_then(CallerNumber::of);
    let Some(number) = number else { return Ok(()) };
    let answered = answer.map(|text| format!(" The office's answer: {text}")).unwrap_or_default();
    let item = NewWorkItem {
        kind: WorkKind::Callback,
        idempotency_key: format!("{call}/question"),
        reference: None,
        call_id: Some(call),
        passport_id: known.passport_id,
        priority: Priority::High,
        caller: Some(number.as_str().to_owned()),
        fields: json!({
            "reason": format!(
                "The line was cut off by a fault while the caller waited for an answer of the office. \
                 They asked: {question}{answered}"
            ),
            "phone": number.as_str(),
            "line": known.line,
        }),
    };
    let filed = store.file_work_item(item).await?;
    tracing::warn!(call_id = %call, reference = %filed.reference, "a question that was cut off is a call back");
    Ok(())
}

/// Whether somebody is to call back whoever was on a call, at the number that they called from.
///
/// # Errors
/// When storage does not answer.
pub async fn is_called_back(store: &TenantStore, call: CallId) -> Result<bool, StorageError> {
    let filter = WorkFilter { kind: Some(WorkKind::Callback), call_id: Some(call), ..WorkFilter::default() };
    let number = store.caller_number(call).await?.as_deref().and_then(CallerNumber::of);
    let Some(number) = number else { return Ok(false) };
    let items = store.list_work_items(filter).await?;
    Ok(items.iter().any(|item| item.fields["phone"] == number.as_str()))
}

#[cfg(test)]
mod tests {
    use storage::{NewTenant, Platform, PlatformOptions};

    use super::*;
    use crate::dialing::transfer::{self, Told};

    fn entry(seq: u64, actor: &str, action: &str, details: &Value) -> AuditEntry {
        AuditEntry {
            seq,
            id: uuid::Uuid::nil(),
            at: format!("at {seq}"),
            trace_id: String::new(),
            actor_kind: "user".into(),
            actor_id: actor.into(),
            action: action.into(),
            subject_kind: "call".into(),
            subject_id: String::new(),
            outcome: "done".into(),
            details: details.to_string(),
            details_salt: Vec::new(),
            personal_sealed: None,
            personal_hash: None,
            prev_hash: Vec::new(),
            hash: Vec::new(),
            mac: Vec::new(),
        }
    }

    fn told(ends: &[NewAudit]) -> Vec<String> {
        let told = |end: &NewAudit| {
            let by = end.details.get("by").and_then(Value::as_str).unwrap_or(&end.actor.id);
            format!("{} {by} {}", end.action, end.details.get("from").and_then(Value::as_str).unwrap_or("-"))
        };
        ends.iter().map(told).collect()
    }

    #[test]
    fn each_that_began_and_has_no_end_gets_one() {
        let both = json!({ "channel": "both" });
        let denied =
            AuditEntry { outcome: "denied".into(), ..entry(2, "eve", "call.listen_started", &Value::Null) };
        let entries = [
            entry(1, "call", "call.started", &Value::Null),
            denied,
            entry(3, "pat", "call.listen_started", &both),
            entry(4, "bo", "call.listen_started", &both),
            entry(5, "pat", "call.listen_ended", &both),
            entry(6, "pat", "call.listen_started", &json!({ "channel": "caller" })),
            entry(7, "pat", "call.taken_over", &Value::Null),
            entry(8, "pat", "call.given_back", &Value::Null),
            entry(9, "bo", "call.taken_over", &Value::Null),
        ];
        let call = CallId::new();
        let ended = ends(call, &entries, Some("bo"));
        let expected = [
            "call.listen_ended bo at 4",
            "call.listen_ended pat at 6",
            "call.control_lost bo -",
            "call.ended call -",
        ];
        assert_eq!(told(&ended), expected);
        // On the audit, they are not missing any more.
        let mut after = entries.to_vec();
        after.extend(
            ended.iter().zip(10..).map(|(end, seq)| {
                entry(seq, &end.actor.id, &end.action, &Value::Object(end.details.clone()))
            }),
        );
        assert!(ends(call, &after, Some("bo")).is_empty());
        // The call's own record was quicker than the audit.
        assert_eq!(told(&ends(call, &[], Some("pat"))), ["call.control_lost pat -"]);
    }

    fn row(seq: u64, entry: CallEntry) -> LogRow {
        LogRow { seq, at_ms: seq * 100, entry }
    }

    fn whisper(until: &str, text: &str) -> CallEntry {
        CallEntry::Whispered { turn: 2, by: String::new(), text: text.into(), until: until.into() }
    }

    fn control(holder: &str, reason: &str) -> CallEntry {
        CallEntry::Control {
            turn: 2,
            holder: holder.into(),
            by: "pat".into(),
            reason: reason.into(),
            note: String::new(),
        }
    }

    fn planned(turn: u32) -> CallEntry {
        let (text, segment_kind) = ("They say: in summer.".into(), "reply".into());
        CallEntry::Planned { turn, segment: 0, text, segment_kind, fixed: false }
    }

    fn heard(turn: u32, text: &str) -> CallEntry {
        CallEntry::Played {
            turn,
            segment: 0,
            state: storage::records::PlayState::Heard,
            from_ms: 0,
            to_ms: 1,
            heard_text: text.into(),
            estimated: false,
        }
    }

    #[test]
    fn a_question_is_open_until_its_answer_was_heard_or_the_wait_was_over() {
        let log = |entries: &[CallEntry]| -> Vec<LogRow> {
            (1..).zip(entries).map(|(seq, entry)| row(seq, entry.clone())).collect()
        };
        let asked = [whisper("asked", "Is it heated?"), control("agent", "held"), heard(2, "Still asking.")];
        assert_eq!(unheard(&log(&asked)), Some(("Is it heated?", None)));
        let answered =
            [&asked[..], &[whisper("answered", "In summer."), control("agent", "held_no_more")]].concat();
        assert_eq!(unheard(&log(&answered)), Some(("Is it heated?", Some("In summer."))));
        let begun = [&answered[..], &[heard(2, "Still"), planned(3), heard(3, "")]].concat();
        assert_eq!(unheard(&log(&begun)), Some(("Is it heated?", Some("In summer."))));
        let said = [&begun[..], &[heard(3, "They say: in summer.")]].concat();
        assert_eq!(unheard(&log(&said)), None);
        let late = [&asked[..], &[control("agent", "held_no_more")]].concat();
        assert_eq!(unheard(&log(&late)), None);
        assert_eq!(unheard(&log(&[whisper("next", "Be kind.")])), None);
    }

    #[test]
    fn whoever_had_the_call_has_it_no_more() {
        let log = [row(1, control("person", "taken_over")), row(2, heard(2, "Hello."))];
        assert_eq!(holder(&log), Some("pat"));
        let after = given_back(&log).unwrap();
        assert_eq!((after.seq, after.at_ms, &after.entry), (3, 200, &control("agent", "fault")));
        assert_eq!(holder(&[log[0].clone(), after]), None);
    }

    #[tokio::test]
    async fn what_was_settled_is_not_settled_again() {
        let dir = tempfile::tempdir().unwrap();
        let platform = Platform::open(PlatformOptions::new(dir.path())).await.unwrap();
        let new = NewTenant { slug: "a".into(), name: "A".into(), timezone: "UTC".into() };
        let store = platform.tenant(platform.create_tenant(new).await.unwrap().id).await.unwrap();
        let new = |caller: Option<&str>| storage::records::NewCall {
            id: CallId::new(),
            carrier_sid: None,
            line: "+12025550100".into(),
            caller: caller.map(str::to_owned),
            direction: storage::records::Direction::Inbound,
            language: "en".into(),
            passport_id: None,
            started_at: chrono::Utc::now(),
        };
        for (caller, call_backs) in [(Some("+12125550143"), 1), (None, 0)] {
            let call = store.begin_call(new(caller)).await.unwrap().id;
            let rows = [
                row(1, control("person", "taken_over")),
                row(2, control("agent", "released")),
                row(3, whisper("asked", "Is it heated?")),
                row(4, control("agent", "held")),
            ];
            store.append(call, &rows).await.unwrap();
            for _ in 0..2 {
                settle(&store, call).await.unwrap();
                let filter = WorkFilter { call_id: Some(call), ..WorkFilter::default() };
                let filed = store.list_work_items(filter).await.unwrap();
                assert_eq!(filed.len(), call_backs);
                assert_eq!(is_called_back(&store, call).await.unwrap(), call_backs == 1);
            }
            // Who also waited in line, or was to be put through, is called once.
            let known = store.call(call).await.unwrap().unwrap();
            assert_eq!(transfer::owe(&store, &known, Told::Waited).await.unwrap(), call_backs == 1);
            let filter = WorkFilter { call_id: Some(call), ..WorkFilter::default() };
            assert_eq!(store.list_work_items(filter).await.unwrap().len(), call_backs);
        }
    }
}
