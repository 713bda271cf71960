//! Calls, their log, and what is read from it.

use chrono::TimeDelta;
use serde_json::json;

use super::work::new_item;
use super::{Fixture, new_call, noon};
use crate::figures::{NewQuestion, Span};
use crate::ids::{CallId, PassportId};
use crate::records::{
    Attention, CallEntry, CallFilter, CallState, LogRow, NewCall, NewWorkItem, PlayState, Speaker,
    TurnCommit, TurnCost, WorkKind,
};
use crate::{Calls, Figures, StorageError, TenantStore, Turns, WorkItems};

pub(crate) fn row(seq: u64, entry: CallEntry) -> LogRow {
    LogRow { seq, at_ms: seq * 100, entry }
}

pub(crate) fn said(turn: u32, text: &str) -> CallEntry {
    CallEntry::CallerTurn { turn, text: text.into(), started_ms: 1000, ended_ms: 2500, confidence: 0.93 }
}

fn planned(turn: u32, segment: u16, text: &str) -> CallEntry {
    CallEntry::Planned { turn, segment, text: text.into(), segment_kind: "reply".into(), fixed: false }
}

fn played(turn: u32, segment: u16, state: PlayState, from_ms: u64, to_ms: u64, heard: &str) -> CallEntry {
    CallEntry::Played { turn, segment, state, from_ms, to_ms, heard_text: heard.into(), estimated: false }
}

async fn begun(store: &TenantStore) -> CallId {
    store.begin_call(new_call()).await.unwrap().id
}

/// A greeting that was heard, a question, and a reply that was cut in its second sentence.
fn conversation() -> Vec<LogRow> {
    let entries = [
        planned(0, 0, "Riverbend County."),
        planned(0, 1, "How can I help?"),
        played(0, 0, PlayState::Heard, 20, 900, "Riverbend County."),
        played(0, 1, PlayState::Heard, 900, 1700, "How can I help?"),
        said(1, "a tree fell on Oak Street"),
        planned(1, 0, "I am sorry."),
        planned(1, 1, "Is anybody hurt or in danger?"),
        planned(1, 2, "I can take a report."),
        CallEntry::Latency { turn: 1, latency: json!({"turn": 1, "total_ms": 612.5, "stages": []}) },
        played(1, 0, PlayState::Heard, 3100, 3900, "I am sorry."),
        played(1, 1, PlayState::PartlyHeard, 3900, 4600, "Is anybody"),
        played(1, 2, PlayState::Dropped, 4600, 4600, ""),
        CallEntry::Interrupted { turn: 1, at_ms: 4600 },
        CallEntry::Digits { turn: 2, digits: "0".into() },
    ];
    (1..).zip(entries).map(|(seq, entry)| row(seq, entry)).collect()
}

pub(crate) async fn a_call_comes_back_as_it_was_begun(f: &Fixture) {
    let new = NewCall {
        carrier_sid: Some("CA1".into()),
        passport_id: Some(PassportId::new()),
        language: "es".into(),
        ..new_call()
    };
    let call = f.river.begin_call(new.clone()).await.unwrap();
    assert_eq!((call.id, call.state, call.turns, call.has_caller), (new.id, CallState::Live, 0, true));
    assert_eq!((call.started_at, call.ended_at, call.passport_id), (noon(), None, new.passport_id));
    assert_eq!(f.river.call(new.id).await.unwrap().as_ref(), Some(&call));
    assert_eq!(f.river.call_by_carrier_sid("CA1").await.unwrap(), Some(call));
    assert_eq!(f.river.caller_number(new.id).await.unwrap(), new.caller);
}

pub(crate) async fn a_known_call_is_taken(f: &Fixture) {
    let first = NewCall { carrier_sid: Some("CA7".into()), ..new_call() };
    f.river.begin_call(first.clone()).await.unwrap();
    let same_sid = NewCall { carrier_sid: Some("CA7".into()), ..new_call() };
    for new in [first, same_sid] {
        let refused = f.river.begin_call(new).await;
        assert!(matches!(refused, Err(StorageError::Taken { what: "call" })), "{refused:?}");
    }
}

pub(crate) async fn every_entry_comes_back_as_it_was_logged(f: &Fixture) {
    let call = begun(&f.river).await;
    let mut log = conversation();
    log.push(row(15, CallEntry::Ended { reason: "caller_hung_up".into() }));
    f.river.append(call, &log).await.unwrap();
    assert_eq!(f.river.call_log(call).await.unwrap(), log);
}

pub(crate) async fn a_replayed_number_changes_nothing(f: &Fixture) {
    let call = begun(&f.river).await;
    f.river.append(call, &[row(1, said(1, "first"))]).await.unwrap();
    f.river.append(call, &[row(1, said(1, "changed")), row(2, said(2, "second"))]).await.unwrap();
    let expected = vec![row(1, said(1, "first")), row(2, said(2, "second"))];
    assert_eq!(f.river.call_log(call).await.unwrap(), expected);
}

pub(crate) async fn an_append_is_whole_or_nothing(f: &Fixture) {
    let call = begun(&f.river).await;
    let too_large = LogRow { seq: u64::MAX, at_ms: 0, entry: said(2, "x") };
    assert!(f.river.append(call, &[row(1, said(1, "first")), too_large]).await.is_err());
    assert!(f.river.call_log(call).await.unwrap().is_empty());
}

pub(crate) async fn a_log_needs_its_call(f: &Fixture) {
    let refused = f.river.append(CallId::new(), &[row(1, said(1, "x"))]).await;
    assert!(matches!(refused, Err(StorageError::NotFound { what: "call" })), "{refused:?}");
    assert!(matches!(f.river.transcript(CallId::new()).await, Err(StorageError::NotFound { .. })));
}

pub(crate) async fn a_transcript_says_what_was_heard(f: &Fixture) {
    let call = begun(&f.river).await;
    f.river.append(call, &conversation()).await.unwrap();
    let turns = f.river.transcript(call).await.unwrap();
    let order: Vec<_> = turns.iter().map(|t| (t.turn, t.speaker)).collect();
    use Speaker::{Agent, Caller};
    assert_eq!(order, [(0, Agent), (1, Caller), (1, Agent), (2, Caller)]);
    let at = |ms| noon() + TimeDelta::milliseconds(ms);

    let (greeting, question, reply, keys) = (&turns[0], &turns[1], &turns[2], &turns[3]);
    assert_eq!(greeting.text, "Riverbend County. How can I help?");
    assert_eq!((greeting.heard_text.as_deref(), greeting.interrupted), (None, false));
    assert_eq!((greeting.started_at, greeting.ended_at), (at(20), Some(at(1700))));
    assert_eq!(question.text, "a tree fell on Oak Street");
    assert_eq!((question.started_at, question.ended_at), (at(1000), Some(at(2500))));
    assert_eq!(question.confidence, Some(0.93));
    assert_eq!(reply.text, "I am sorry. Is anybody hurt or in danger? I can take a report.");
    assert_eq!((reply.heard_text.as_deref(), reply.interrupted), (Some("I am sorry. Is anybody"), true));
    assert_eq!((keys.text.as_str(), keys.started_at), ("[keys 0]", at(1400)));
}

pub(crate) async fn the_ledger_follows_each_segment(f: &Fixture) {
    let call = begun(&f.river).await;
    let mut log = conversation();
    log.push(row(15, planned(3, 0, "Never played.")));
    log.push(row(16, played(1, 1, PlayState::Heard, 5000, 6000, "Is anybody hurt or in danger?")));
    f.river.append(call, &log).await.unwrap();
    let ledger = f.river.playout_ledger(call).await.unwrap();
    let states: Vec<_> = ledger.iter().map(|r| (r.turn, r.segment, r.state)).collect();
    use PlayState::{Dropped, Heard, Planned};
    assert_eq!(
        states,
        [(0, 0, Heard), (0, 1, Heard), (1, 0, Heard), (1, 1, Heard), (1, 2, Dropped), (3, 0, Planned)]
    );
    let resumed = &ledger[3];
    assert_eq!((resumed.from_ms, resumed.to_ms), (Some(3900), Some(6000)));
    assert_eq!(resumed.heard_text, "Is anybody hurt or in danger?");
}

pub(crate) async fn latency_comes_back_verbatim(f: &Fixture) {
    let call = begun(&f.river).await;
    f.river.append(call, &conversation()).await.unwrap();
    let latency = f.river.latency(call).await.unwrap();
    assert_eq!(latency, [json!({"turn": 1, "total_ms": 612.5, "stages": []})]);
}

fn cost(turn: u32, turn_micros: u64, call_micros: u64) -> CallEntry {
    CallEntry::Cost { turn, turn_micros, call_micros, wasted_micros: 0 }
}

pub(crate) async fn a_cost_entry_raises_the_calls_cost(f: &Fixture) {
    let call = begun(&f.river).await;
    let figure = async || f.river.call(call).await.unwrap().unwrap().cost_micros;
    assert_eq!(figure().await, 0);
    f.river.append(call, &[row(1, cost(0, 120, 120)), row(2, cost(1, 3_000, 3_120))]).await.unwrap();
    assert_eq!(figure().await, 3_120);
    // Written again, or late: the figure never falls.
    f.river.append(call, &[row(1, cost(0, 120, 120))]).await.unwrap();
    assert_eq!(figure().await, 3_120);
    let listed = f.river.list_calls(CallFilter::default()).await.unwrap();
    assert_eq!(listed[0].cost_micros, 3_120);
}

pub(crate) async fn a_failed_append_leaves_the_cost_alone(f: &Fixture) {
    let call = begun(&f.river).await;
    let too_large = LogRow { seq: u64::MAX, at_ms: 0, entry: said(2, "x") };
    assert!(f.river.append(call, &[row(1, cost(0, 120, 120)), too_large]).await.is_err());
    assert_eq!(f.river.call(call).await.unwrap().unwrap().cost_micros, 0);
}

pub(crate) async fn a_turns_cost_is_the_sum_of_its_entries(f: &Fixture) {
    let call = begun(&f.river).await;
    let log = [cost(0, 120, 120), cost(1, 3_000, 3_120), cost(1, 80, 3_200), cost(2, 0, 3_200)];
    let log: Vec<_> = (1..).zip(log).map(|(seq, entry)| row(seq, entry)).collect();
    f.river.append(call, &log).await.unwrap();
    let costs = f.river.turn_costs(call).await.unwrap();
    assert_eq!(costs, [TurnCost { turn: 0, micros: 120 }, TurnCost { turn: 1, micros: 3_080 }]);
    assert!(f.river.turn_costs(CallId::new()).await.unwrap().is_empty());
}

pub(crate) async fn a_days_spend_counts_the_calls_that_began_in_it(f: &Fixture) {
    for (hours, micros) in [(-13, 5_000), (-12, 700), (0, 20), (3, 1)] {
        let started_at = noon() + TimeDelta::hours(hours);
        let call = f.river.begin_call(NewCall { started_at, ..new_call() }).await.unwrap().id;
        f.river.append(call, &[row(1, cost(0, micros, micros))]).await.unwrap();
    }
    let midnight = noon() - TimeDelta::hours(12);
    assert_eq!(f.river.spent_since(midnight).await.unwrap(), 721);
    assert_eq!(f.river.spent_since(midnight + TimeDelta::milliseconds(1)).await.unwrap(), 21);
    assert_eq!(f.lake.spent_since(midnight).await.unwrap(), 0, "another tenant's");
}

pub(crate) async fn a_language_entry_is_the_calls_from_then_on(f: &Fixture) {
    let call = begun(&f.river).await;
    let entry = CallEntry::Language { turn: 1, language: "es".into() };
    f.river.append(call, &[row(1, entry)]).await.unwrap();
    assert_eq!(f.river.call(call).await.unwrap().unwrap().language, "es");
}

pub(crate) async fn an_ended_entry_ends_the_call(f: &Fixture) {
    let call = begun(&f.river).await;
    f.river.append(call, &[row(1, CallEntry::Ended { reason: "no_input".into() })]).await.unwrap();
    let call = f.river.call(call).await.unwrap().unwrap();
    assert_eq!((call.state, call.end_reason.as_deref()), (CallState::Ended, Some("no_input")));
    assert!(call.ended_at.is_some());
}

pub(crate) async fn a_call_ends_once(f: &Fixture) {
    let call = begun(&f.river).await;
    let end = noon() + TimeDelta::seconds(30);
    assert!(f.river.end_call(call, "caller_hung_up", end).await.unwrap());
    assert!(!f.river.end_call(call, "stream_lost", noon()).await.unwrap());
    let call = f.river.call(call).await.unwrap().unwrap();
    assert_eq!((call.end_reason.as_deref(), call.ended_at), (Some("caller_hung_up"), Some(end)));
    let unknown = f.river.end_call(CallId::new(), "x", end).await;
    assert!(matches!(unknown, Err(StorageError::NotFound { what: "call" })));
}

pub(crate) async fn lists_filter_and_page(f: &Fixture) {
    let mut ids = Vec::new();
    for n in 0..5 {
        let call = begun(&f.river).await;
        f.river.append(call, &[row(1, said(1, "x")), row(2, said(2, "y"))]).await.unwrap();
        if n < 2 {
            f.river.end_call(call, "caller_hung_up", noon()).await.unwrap();
        }
        ids.insert(0, call);
    }
    ids.sort_unstable_by(|a, b| b.cmp(a));
    let list = async |filter| f.river.list_calls(filter).await.unwrap();
    let all = list(CallFilter::default()).await;
    assert_eq!(all.iter().map(|c| c.id).collect::<Vec<_>>(), ids);
    assert!(all.iter().all(|c| c.turns == 2));
    let live = list(CallFilter { state: Some(CallState::Live), ..CallFilter::default() }).await;
    assert_eq!(live.len(), 3);
    assert_eq!(list(CallFilter { state: Some(CallState::Ended), ..CallFilter::default() }).await.len(), 2);
    let first = list(CallFilter { limit: 2, ..CallFilter::default() }).await;
    let after = first.last().map(|c| c.id);
    let rest = list(CallFilter { after, limit: 9, ..CallFilter::default() }).await;
    assert_eq!(rest.iter().map(|c| c.id).collect::<Vec<_>>(), ids[2..]);
}

pub(crate) async fn calls_are_found_by_caller(f: &Fixture) {
    let call = begun(&f.river).await;
    let withheld = NewCall { caller: Some("anonymous".into()), ..new_call() };
    let withheld = f.river.begin_call(withheld).await.unwrap();
    let by = async |caller: &str| {
        let filter = CallFilter { caller: Some(caller.to_owned()), ..CallFilter::default() };
        f.river.list_calls(filter).await.unwrap().iter().map(|c| c.id).collect::<Vec<_>>()
    };
    assert_eq!(by("(202) 555-0123").await, [call]);
    assert_eq!(by("+12025550199").await, []);
    assert_eq!(by("anonymous").await, []);
    assert_eq!(f.river.caller_number(withheld.id).await.unwrap().as_deref(), Some("anonymous"));
}

pub(crate) async fn what_is_counted_is_of_the_span_and_the_tenant(f: &Fixture) {
    let mut ids = Vec::new();
    for hours in [0, 1, 2] {
        let started_at = noon() + TimeDelta::hours(hours);
        let call = f.river.begin_call(NewCall { started_at, ..new_call() }).await.unwrap().id;
        let latency =
            serde_json::json!({ "turn": 1, "total_ms": 500.25 + f64::from(i32::try_from(hours).unwrap()) });
        let log = [said(1, "x"), CallEntry::Latency { turn: 1, latency }, cost(1, 70, 70)];
        let log: Vec<_> = (1..).zip(log).map(|(seq, entry)| row(seq, entry)).collect();
        f.river.append(call, &log[usize::from(hours == 2)..]).await.unwrap();
        ids.push(call);
    }
    let span = Span { from: noon() + TimeDelta::hours(1), to: noon() + TimeDelta::hours(3) };
    let calls = f.river.call_figures(span, 10).await.unwrap();
    let seen: Vec<_> = calls.iter().map(|call| (call.id, call.spoke, call.cost_micros)).collect();
    assert_eq!(seen, [(ids[2], false, 70), (ids[1], true, 70)], "the newest first");
    assert_eq!(f.river.call_figures(span, 1).await.unwrap().len(), 1);
    let times = async |most| {
        let mut times = f.river.response_times(span, most).await.unwrap();
        times.sort_unstable_by_key(|time| time.started_at);
        times.iter().map(|time| (time.started_at - noon(), time.ms)).collect::<Vec<_>>()
    };
    let (one, two) = ((TimeDelta::hours(1), 501), (TimeDelta::hours(2), 502));
    assert_eq!(times(10).await, [one, two]);
    assert_eq!(times(1).await, [two]);
    assert!(f.lake.call_figures(span, 10).await.unwrap().is_empty(), "another tenant's");
    assert!(f.lake.response_times(span, 10).await.unwrap().is_empty());

    let item = NewWorkItem { call_id: Some(ids[1]), ..new_item(WorkKind::Message, "a") };
    f.river.file_work_item(item).await.unwrap();
    // What is open counts whenever it was left.
    let work = f.river.work_figures(span, 10).await.unwrap();
    assert_eq!((work.len(), work[0].call_id, work[0].kind.as_str()), (1, Some(ids[1]), "message"));
    assert!(f.lake.work_figures(span, 10).await.unwrap().is_empty());
}

pub(crate) async fn what_callers_ask_is_counted_by_the_page_that_answered(f: &Fixture) {
    let call_id = begun(&f.river).await;
    let ask = async |turn, source: Option<&str>| {
        let asked_at = noon() + TimeDelta::minutes(i64::from(turn));
        let question = Some(NewQuestion { call_id, turn, asked_at, source: source.map(str::to_owned) });
        f.river.commit_turn(TurnCommit { question, ..TurnCommit::default() }).await.unwrap();
    };
    for (turn, source) in [
        (1, Some("trash.md")),
        (2, None),
        (3, Some("potholes.md")),
        (4, Some("trash.md")),
        (5, None),
        (9, None),
    ] {
        ask(turn, source).await;
    }
    // Decided anew, and answered now.
    ask(5, Some("parks.md")).await;
    let span = Span { from: noon(), to: noon() + TimeDelta::minutes(9) };
    let count = f.river.question_count(span).await.unwrap();
    assert_eq!((count.answered, count.unanswered), (4, 1), "what is asked after the span is not counted");
    let topics = f.river.topics(span, 2).await.unwrap();
    let told: Vec<_> = topics.iter().map(|topic| (topic.source.as_str(), topic.times)).collect();
    assert_eq!(told, [("trash.md", 2), ("parks.md", 1)]);
    let by = async |topic: &str| {
        let filter = CallFilter { topic: Some(topic.to_owned()), ..CallFilter::default() };
        f.river.list_calls(filter).await.unwrap().iter().map(|call| call.id).collect::<Vec<_>>()
    };
    assert_eq!((by("trash.md").await, by("parks.md").await), (vec![call_id], vec![call_id]));
    assert!(by("taxes.md").await.is_empty());
    let unanswered = f.river.unanswered(span, 10).await.unwrap();
    let told: Vec<_> = unanswered.iter().map(|question| (question.call_id, question.turn)).collect();
    assert_eq!(told, [(call_id, 2)]);
    assert_eq!(f.lake.question_count(span).await.unwrap().answered, 0, "another tenant's");
    assert!(f.lake.topics(span, 2).await.unwrap().is_empty());
    assert!(f.lake.unanswered(span, 2).await.unwrap().is_empty());
}

pub(crate) async fn attention_rises_and_keeps_what_raised_it(f: &Fixture) {
    let call = begun(&f.river).await;
    let raised = async |seq, level, reason: &str| {
        let entry = CallEntry::Attention { turn: 1, level, reason: reason.to_owned() };
        f.river.append(call, &[row(seq, entry)]).await.unwrap();
        let call = f.river.call(call).await.unwrap().unwrap();
        (call.attention, call.attention_reason.unwrap_or_default())
    };
    let none = f.river.call(call).await.unwrap().unwrap();
    assert_eq!((none.attention, none.attention_reason), (Attention::None, None));
    assert_eq!(raised(1, Attention::Watch, "silence").await, (Attention::Watch, "silence".into()));
    assert_eq!(raised(2, Attention::Watch, "rule").await, (Attention::Watch, "silence".into()));
    assert_eq!(raised(3, Attention::Urgent, "emergency").await, (Attention::Urgent, "emergency".into()));
    assert_eq!(raised(4, Attention::Urgent, "guard").await, (Attention::Urgent, "emergency".into()));
    f.river.end_call(call, "caller_hung_up", noon()).await.unwrap();
    assert_eq!(f.river.call(call).await.unwrap().unwrap().attention, Attention::Urgent, "after the end too");
}

pub(crate) async fn calls_are_found_by_what_they_were(f: &Fixture) {
    let mut ids = Vec::new();
    for (n, (line, language)) in
        [("+12025550100", "en"), ("+12025550100", "es"), ("+12025550177", "en")].into_iter().enumerate()
    {
        let started_at = noon() + TimeDelta::hours(i64::try_from(n).unwrap());
        let new = NewCall { line: line.into(), language: language.into(), started_at, ..new_call() };
        ids.push(f.river.begin_call(new).await.unwrap().id);
    }
    f.river.end_call(ids[0], "no_input", noon()).await.unwrap();
    let entry = CallEntry::Attention { turn: 1, level: Attention::Urgent, reason: "emergency".into() };
    f.river.append(ids[1], &[row(1, entry)]).await.unwrap();
    let found = async |filter| {
        let mut found: Vec<_> = f.river.list_calls(filter).await.unwrap().iter().map(|c| c.id).collect();
        found.reverse();
        found
    };
    let any = CallFilter::default;
    assert_eq!(found(CallFilter { line: Some("+12025550100".into()), ..any() }).await, ids[..2]);
    assert_eq!(found(CallFilter { outcome: Some("no_input".into()), ..any() }).await, ids[..1]);
    assert_eq!(found(CallFilter { attention: Some(Attention::Urgent), ..any() }).await, ids[1..2]);
    assert_eq!(found(CallFilter { attention: Some(Attention::None), ..any() }).await, [ids[0], ids[2]]);
    assert_eq!(found(CallFilter { language: Some("es".into()), ..any() }).await, ids[1..2]);
    let hour = |n| Some(noon() + TimeDelta::hours(n));
    assert_eq!(found(CallFilter { from: hour(1), to: hour(2), ..any() }).await, ids[1..2]);
    assert_eq!(found(CallFilter { from: hour(1), ..any() }).await, ids[1..]);
    let both = CallFilter { line: Some("+12025550100".into()), state: Some(CallState::Live), ..any() };
    assert_eq!(found(both).await, ids[1..2]);
    assert!(f.lake.list_calls(any()).await.unwrap().is_empty(), "another tenant's");
}

pub(crate) async fn live_calls_are_recovered_once(f: &Fixture) {
    let passport_id = Some(PassportId::new());
    let live = f.river.begin_call(NewCall { passport_id, ..new_call() }).await.unwrap().id;
    let ended = begun(&f.river).await;
    f.river.append(live, &conversation()).await.unwrap();
    f.river.end_call(ended, "caller_hung_up", noon()).await.unwrap();
    assert_eq!(f.river.left_calls().await.unwrap(), [live]);
    assert_eq!(f.river.left_calls().await.unwrap(), [live], "looking closes nothing");
    assert!(f.lake.left_calls().await.unwrap().is_empty());
    let recovered = f.river.recover_live_calls().await.unwrap();
    assert_eq!(recovered.len(), 1);
    assert_eq!((recovered[0].call, recovered[0].passport_id, recovered[0].last_turn), (live, passport_id, 2));
    let call = f.river.call(live).await.unwrap().unwrap();
    assert_eq!((call.state, call.end_reason.as_deref()), (CallState::Ended, Some("interrupted")));
    let log = f.river.call_log(live).await.unwrap();
    assert_eq!(log.last().map(|r| r.seq), Some(15));
    assert!(f.river.recover_live_calls().await.unwrap().is_empty());
}
