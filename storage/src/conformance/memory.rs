//! Memory of callers: who may write, what is decided, what is forgotten.

use std::sync::Arc;

use chrono::{TimeDelta, Utc};

use super::audit::whole;
use super::{Fixture, new_call, noon};
use crate::audit::AuditFilter;
use crate::memory::{
    Admission, ContactFilter, Forgetting, MemoryManager, MemoryReader, NewEvent, NewInteraction, NewNote,
    NewPlaybookUpdate, NewSuggestion, Outcome, Proposal, Refusal, Review, ReviewOutcome, Ruling,
    SpecialistMemory, Stage, SuggestionFilter, Verdict,
};
use crate::records::NewCall;
use crate::{Audit, CallId, Calls, ContactId, StorageError, TenantStore, backend::on_backend};

pub(crate) const CALLER: &str = "+12025550123";

/// Admits in lower case whatever does not name an illness.
#[derive(Debug)]
struct Plain;

impl Admission for Plain {
    fn rule(&self, proposal: Proposal<'_>) -> Ruling {
        match (proposal.key, proposal.value.contains("sugar")) {
            ("shoe_size", _) => Ruling::Refuse(Refusal::NotBusinessRelevant),
            (_, true) => Ruling::Refuse(Refusal::Health),
            _ => Ruling::Admit { value: proposal.value.to_lowercase() },
        }
    }
}

pub(crate) fn manager(store: &TenantStore) -> MemoryManager {
    store.appoint_memory_manager(Arc::new(Plain)).expect("the office is free")
}

async fn reader(store: &TenantStore) -> MemoryReader {
    store.memory_reader("orchestrator").await.unwrap()
}

async fn specialist(store: &TenantStore) -> SpecialistMemory {
    store.specialist_memory("memory_extractor").await.unwrap()
}

fn fact(key: &str, value: &str, confidence: f64) -> NewSuggestion {
    NewSuggestion {
        caller: CALLER.into(),
        call_id: Some(CallId::new()),
        idempotency_key: format!("{key}/{value}/{confidence}"),
        key: key.into(),
        value: value.into(),
        confidence,
    }
}

/// A row in every table of memory; gives the contact.
pub(crate) async fn planted(store: &TenantStore) -> ContactId {
    let specialist = specialist(store).await;
    specialist.suggest(fact("preferred_language", "ES", 0.9)).await.unwrap();
    let decisions = manager(store).review(None).await.unwrap();
    specialist.note(note("ask about the fence")).await.unwrap();
    specialist.update_playbook(improvement("k")).await.unwrap();
    let review = Review { call: CallId::new(), outcome: ReviewOutcome::Reviewed, suggested: 1 };
    specialist.reviewed(review).await.unwrap();
    let log = store.memory_log("front_desk").unwrap();
    log.log_interaction(interaction("k")).await.unwrap();
    log.log_event(event()).await.unwrap();
    decisions[0].contact_id.unwrap()
}

fn note(text: &str) -> NewNote {
    NewNote { caller: Some(CALLER.into()), call_id: None, note: text.into() }
}

fn improvement(key: &str) -> NewPlaybookUpdate {
    NewPlaybookUpdate {
        call_id: None,
        idempotency_key: key.into(),
        topic: "not_understood".into(),
        body: "ask for the street first".into(),
    }
}

fn interaction(key: &str) -> NewInteraction {
    NewInteraction {
        caller: Some(CALLER.into()),
        call_id: Some(CallId::new()),
        idempotency_key: key.into(),
        kind: "call".into(),
        body: "a fallen tree".into(),
    }
}

fn event() -> NewEvent {
    NewEvent { call_id: None, event: "get_memory".into(), outcome: Outcome::Done, detail: "1 fact".into() }
}

pub(crate) async fn a_suggested_fact_is_decided_on_and_recalled_by_number(f: &Fixture) {
    let (manager, reader, specialist) =
        (manager(&f.river), reader(&f.river).await, specialist(&f.river).await);
    assert_eq!(reader.get_memory(CALLER).await.unwrap(), None);
    let first = fact("preferred_language", "ES", 0.9);
    let id = specialist.suggest(first.clone()).await.unwrap().unwrap();
    assert_eq!(reader.get_memory(CALLER).await.unwrap(), None, "suggested is not remembered");
    let decisions = manager.review(first.call_id).await.unwrap();
    assert_eq!(decisions.len(), 1);
    assert_eq!((decisions[0].verdict, decisions[0].suggestion_id), (Verdict::Stored, Some(id)));
    let known = reader.get_memory("(202) 555-0123").await.unwrap().unwrap();
    assert_eq!((known.contact.stage, known.contact.opt_out), (Stage::New, false));
    assert_eq!(known.contact.summary.as_deref(), Some("preferred_language: es"));
    let memory = &known.memories[0];
    assert_eq!((memory.key.as_str(), memory.value.as_str()), ("preferred_language", "es"));
    assert_eq!((memory.call_id, memory.suggestion_id), (first.call_id, id));
    assert_eq!(reader.contact(known.contact.id).await.unwrap().as_ref(), Some(&known));
    assert!(manager.review(None).await.unwrap().is_empty(), "decided once");

    specialist.suggest(fact("callback_time", "after five", 0.8)).await.unwrap();
    manager.review(None).await.unwrap();
    let known = reader.get_memory(CALLER).await.unwrap().unwrap();
    assert_eq!(known.memories.len(), 2);
    assert_eq!(known.contact.stage, Stage::Returning, "a second call");
    assert_eq!(reader.contacts(ContactFilter::default()).await.unwrap(), [known.contact]);
    for nobody in ["+12025550124", "anonymous", ""] {
        assert_eq!(reader.get_memory(nobody).await.unwrap(), None, "{nobody}");
    }
}

pub(crate) async fn the_same_suggestion_twice_is_one(f: &Fixture) {
    let specialist = specialist(&f.river).await;
    let new = fact("name_to_use", "Pat", 0.9);
    let first = specialist.suggest(new.clone()).await.unwrap();
    assert!(first.is_some());
    assert_eq!(specialist.suggest(NewSuggestion { value: "Sam".into(), ..new }).await.unwrap(), first);
    let listed = specialist.suggestions(SuggestionFilter::default()).await.unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!((listed[0].value.as_str(), &listed[0].decision), ("Pat", &None));
    for wrong in
        [fact("Full Name", "x", 0.9), fact("name_to_use", "x", 1.2), fact("k", &"x".repeat(5_000), 0.9)]
    {
        let refused = specialist.suggest(wrong).await;
        assert!(matches!(refused, Err(StorageError::Invalid { .. })), "{refused:?}");
    }
}

pub(crate) async fn a_conflict_keeps_the_highest_confidence_and_names_the_loser(f: &Fixture) {
    let (manager, specialist) = (manager(&f.river), specialist(&f.river).await);
    let mut ids = Vec::new();
    let mut verdicts = Vec::new();
    for (value, confidence) in
        [("mornings", 0.8), ("evenings", 0.75), ("noon", 0.9), ("noon", 0.95), ("fridays", 0.95)]
    {
        let mut new = fact("callback_time", value, confidence);
        new.call_id = None;
        ids.push(specialist.suggest(new).await.unwrap());
        let decision = manager.review(None).await.unwrap().remove(0);
        verdicts.push((decision.verdict, decision.against_suggestion_id));
    }
    let expected = [
        (Verdict::Stored, None),
        (Verdict::KeptExisting, ids[0]),
        (Verdict::Replaced, ids[0]),
        (Verdict::Confirmed, None),
        (Verdict::Replaced, ids[3]),
    ];
    assert_eq!(verdicts, expected);
    let known = specialist.get_memory(CALLER).await.unwrap().unwrap();
    assert_eq!((known.memories.len(), known.memories[0].value.as_str()), (1, "fridays"));
    assert!((known.memories[0].confidence - 0.95).abs() < 1e-9);
    assert_eq!(known.contact.stage, Stage::New, "no second call");
    let decisions = specialist.decisions(known.contact.id).await.unwrap();
    assert_eq!(decisions.len(), 5);
    assert_eq!(decisions[3].reason, "lower_confidence");
}

pub(crate) async fn a_fact_under_the_least_confidence_is_refused(f: &Fixture) {
    let (manager, specialist) = (manager(&f.river), specialist(&f.river).await);
    specialist.suggest(fact("name_to_use", "Pat", 0.699)).await.unwrap();
    specialist.suggest(fact("callback_time", "noon", 0.7)).await.unwrap();
    let decisions = manager.review(None).await.unwrap();
    let told: Vec<_> = decisions.iter().map(|d| (d.verdict, d.reason.as_str())).collect();
    assert_eq!(told, [(Verdict::Refused, "low_confidence"), (Verdict::Stored, "admitted")]);
    assert_eq!(specialist.get_memory(CALLER).await.unwrap().unwrap().memories.len(), 1);
}

pub(crate) async fn what_admission_refuses_is_recorded_without_its_text(f: &Fixture) {
    let (manager, specialist) = (manager(&f.river), specialist(&f.river).await);
    specialist.suggest(fact("open_matter", "my sugar", 0.9)).await.unwrap();
    specialist.suggest(fact("shoe_size", "9", 0.9)).await.unwrap();
    let decisions = manager.review(None).await.unwrap();
    let told: Vec<_> = decisions.iter().map(|d| (d.key.as_str(), d.verdict, d.reason.as_str())).collect();
    let expected =
        [("open_matter", Verdict::Refused, "health"), ("unknown", Verdict::Refused, "not_business_relevant")];
    assert_eq!(told, expected);
    assert_eq!(specialist.get_memory(CALLER).await.unwrap(), None, "a refusal makes no contact");
    let listed = specialist.suggestions(SuggestionFilter::default()).await.unwrap();
    assert_eq!(listed[1].decision.as_ref(), Some(&decisions[0]));
    assert!(listed.iter().all(|s| s.value.is_empty()), "what is refused is not kept: {listed:?}");
}

pub(crate) async fn forgetting_deletes_and_stays_respected(f: &Fixture) {
    let (manager, specialist) = (manager(&f.river), specialist(&f.river).await);
    let log = f.river.memory_log("front_desk").unwrap();
    for (key, value) in [("preferred_language", "es"), ("name_to_use", "Pat")] {
        specialist.suggest(fact(key, value, 0.9)).await.unwrap();
    }
    manager.review(None).await.unwrap();
    specialist.suggest(fact("callback_time", "noon", 0.9)).await.unwrap();
    specialist.note(note("Pat is polite")).await.unwrap();
    log.log_interaction(interaction("before")).await.unwrap();
    let contact = specialist.get_memory(CALLER).await.unwrap().unwrap().contact.id;

    assert!(manager.forget(contact, Forgetting::AskedOfOffice, None).await.unwrap());
    assert!(!manager.forget(contact, Forgetting::AskedOfOffice, None).await.unwrap(), "it was so already");
    let left = specialist.get_memory(CALLER).await.unwrap().unwrap();
    assert!(left.memories.is_empty() && left.contact.opt_out && left.contact.summary.is_none());
    assert_eq!(left.contact.stage, Stage::OptedOut);
    assert!(specialist.suggestions(SuggestionFilter::default()).await.unwrap().is_empty());
    assert!(specialist.notes().await.unwrap().is_empty());

    assert_eq!(specialist.suggest(fact("callback_time", "later", 0.9)).await.unwrap(), None);
    assert!(!log.log_interaction(interaction("after")).await.unwrap());
    assert!(manager.review(None).await.unwrap().is_empty());
    let decisions = specialist.decisions(contact).await.unwrap();
    let told: Vec<_> = decisions.iter().map(|d| (d.verdict, d.reason.as_str())).collect();
    let expected = [
        (Verdict::Forgotten, "asked_of_office"),
        (Verdict::Stored, "admitted"),
        (Verdict::Stored, "admitted"),
    ];
    assert_eq!(told, expected, "the decisions outlive the text");
    let unknown = manager.forget(ContactId::new(), Forgetting::AskedOfOffice, None).await;
    assert!(matches!(unknown, Err(StorageError::NotFound { what: "contact" })), "{unknown:?}");
    assert!(!on_backend!(f.river, store => store.gate_is_open().await));
}

pub(crate) async fn a_stranger_s_wish_to_be_forgotten_is_kept(f: &Fixture) {
    let (manager, specialist) = (manager(&f.river), specialist(&f.river).await);
    let call = Some(CallId::new());
    let contact = manager.forget_caller(CALLER, Forgetting::AskedByCaller, call).await.unwrap().unwrap();
    assert_eq!(
        manager.forget_caller("202 555 0123", Forgetting::AskedByCaller, call).await.unwrap(),
        Some(contact)
    );
    assert_eq!(manager.forget_caller("anonymous", Forgetting::AskedByCaller, call).await.unwrap(), None);
    assert_eq!(specialist.suggest(fact("name_to_use", "Pat", 0.9)).await.unwrap(), None);
    assert!(specialist.get_memory(CALLER).await.unwrap().unwrap().contact.opt_out);
    let decisions = specialist.decisions(contact).await.unwrap();
    assert_eq!(decisions.len(), 1);
    assert_eq!((decisions[0].verdict, decisions[0].call_id), (Verdict::Forgotten, call));
}

pub(crate) async fn what_was_kept_of_withheld_numbers_is_erased(f: &Fixture) {
    let contact = planted(&f.river).await;
    on_backend!(f.river, store => store.plant_withheld(0).await).unwrap();
    let reader = reader(&f.river).await;
    assert_eq!(reader.contact(contact).await.unwrap().unwrap().memories.len(), 1);
    for _ in 0..2 {
        on_backend!(f.river, store => store.forget_withheld().await).unwrap();
        let left = reader.contact(contact).await.unwrap().unwrap();
        assert!(left.memories.is_empty() && left.contact.opt_out && left.contact.summary.is_none());
        assert!(reader.suggestions(SuggestionFilter::default()).await.unwrap().is_empty());
        assert!(reader.notes().await.unwrap().is_empty());
        let told: Vec<_> = reader.decisions(contact).await.unwrap().into_iter().map(|d| d.reason).collect();
        assert_eq!(told, ["number_withheld", "admitted"], "once");
    }
    assert!(!on_backend!(f.river, store => store.gate_is_open().await));
    for from in ["+266696687", "+7378742833", "+86282452253"] {
        assert!(reader.get_memory(from).await.unwrap().is_none(), "{from}");
    }
}

pub(crate) async fn there_is_one_manager(f: &Fixture) {
    let _first = manager(&f.river);
    let second = f.river.clone().appoint_memory_manager(Arc::new(Plain));
    assert!(matches!(second, Err(StorageError::Taken { .. })), "{second:?}");
    let _of_another_tenant = manager(&f.lake);
}

pub(crate) async fn agents_without_memory_get_no_handle_and_leave_a_record(f: &Fixture) {
    for agent in ["coder", "deployment", "file_system", "database_migration", "Ada Quist 202-555-0143"] {
        let refused = f.river.memory_reader(agent).await;
        assert!(matches!(refused, Err(StorageError::RefusedRead { table: "memories" })), "{agent}");
    }
    for agent in ["coder", "orchestrator", "memory_manager"] {
        let refused = f.river.specialist_memory(agent).await;
        assert!(
            matches!(refused, Err(StorageError::RefusedWrite { table: "memory_suggestions" })),
            "{agent}"
        );
    }
    let events = reader(&f.river).await.events().await.unwrap();
    assert_eq!(events.len(), 8);
    assert!(events.iter().all(|e| e.outcome == Outcome::Refused && e.event == "memory_access"));
    let agents: Vec<_> = events.iter().rev().map(|e| e.agent_id.as_str()).collect();
    assert_eq!(agents[..5], ["coder", "deployment", "file_system", "database_migration", "unknown"]);
}

pub(crate) async fn raw_writes_are_refused_and_recorded(f: &Fixture) {
    planted(&f.river).await;
    let attempts: [(&str, &[&'static str]); 8] = [
        (
            "contacts",
            &["insert into contacts (tenant_id, id, caller_hash, stage, opt_out, created_at, updated_at)
               select tenant_id, id, caller_hash, stage, opt_out, created_at, updated_at from contacts"],
        ),
        ("contacts", &["update contacts set stage = 'new'"]),
        ("contacts", &["delete from contacts"]),
        ("memories", &["update memories set confidence_milli = 1000"]),
        ("memories", &["delete from memories"]),
        (
            "memory_decisions",
            &["insert into memory_decisions (tenant_id, id, key, verdict, reason, created_at)
               select tenant_id, id, key, verdict, reason, created_at from memory_decisions"],
        ),
        ("memories", &["update memory_authority set pass = 'guess'", "delete from memories"]),
        ("memories", &["update memory_authority set pass = key_hash", "delete from memories"]),
    ];
    for (guarded, attempt) in attempts {
        let refused = on_backend!(f.river, store => store.try_raw(attempt).await);
        assert!(
            matches!(refused, Err(StorageError::RefusedWrite { table }) if table == guarded),
            "{refused:?}"
        );
    }
    for forged in ["update memory_authority set key_hash = 'mine'", "delete from memory_authority"] {
        let refused = on_backend!(f.river, store => store.try_raw(&[forged]).await);
        assert!(
            matches!(refused, Err(StorageError::RefusedWrite { table: "memory_authority" })),
            "{refused:?}"
        );
    }
    let known = reader(&f.river).await.get_memory(CALLER).await.unwrap().unwrap();
    assert_eq!((known.memories.len(), known.memories[0].confidence), (1, 0.9));
    let events = reader(&f.river).await.events().await.unwrap();
    let refused = events.iter().filter(|e| e.outcome == Outcome::Refused);
    assert_eq!(refused.count(), 10, "each attempt is on record");
    assert_eq!(events[2].detail, "memories: refused by database");
}

pub(crate) async fn a_refused_write_is_on_the_audit_and_its_chain_is_whole(f: &Fixture) {
    planted(&f.river).await;
    for agent in ["coder", "Ada Quist 202-555-0143"] {
        let refused = f.river.specialist_memory(agent).await;
        assert!(matches!(refused, Err(StorageError::RefusedWrite { .. })), "{agent}");
    }
    let raw = on_backend!(f.river, store => store.try_raw(&["update contacts set opt_out = 0"]).await);
    assert!(matches!(raw, Err(StorageError::RefusedWrite { table: "contacts" })), "{raw:?}");
    let read = f.river.memory_reader("deployment").await;
    assert!(matches!(read, Err(StorageError::RefusedRead { table: "memories" })), "{read:?}");

    let filter = AuditFilter { action: Some("memory.refused".into()), ..AuditFilter::default() };
    let entries = f.river.list_audit(filter).await.unwrap();
    let told: Vec<_> = entries
        .iter()
        .rev()
        .map(|e| (e.actor_id.as_str(), e.subject_id.as_str(), e.details.as_str()))
        .collect();
    let expected = [
        ("coder", "memory_suggestions", r#"{"act":"append","by":"roles"}"#),
        ("unknown", "memory_suggestions", r#"{"act":"append","by":"roles"}"#),
        ("unknown", "contacts", r#"{"act":"write","by":"database"}"#),
        ("deployment", "memories", r#"{"act":"read","by":"roles"}"#),
    ];
    assert_eq!(told, expected);
    for entry in &entries {
        let words = (entry.actor_kind.as_str(), entry.subject_kind.as_str(), entry.outcome.as_str());
        assert_eq!(words, ("agent", "memory_table", "denied"));
        assert_eq!(entry.personal_sealed, None);
    }
    assert_eq!(whole(&f.river, &[]).await, 4);
    assert!(f.lake.list_audit(AuditFilter::default()).await.unwrap().is_empty(), "another tenant's");
}

pub(crate) async fn the_gate_closes_with_its_transaction(f: &Fixture) {
    planted(&f.river).await;
    assert!(!on_backend!(f.river, store => store.gate_is_open().await));
    let refused = on_backend!(f.river, store => store.try_raw(&["update contacts set stage = 'new'"]).await);
    assert!(matches!(refused, Err(StorageError::RefusedWrite { .. })), "{refused:?}");
}

pub(crate) async fn notes_are_gone_after_a_day(f: &Fixture) {
    let specialist = specialist(&f.river).await;
    specialist.note(note("ask about the fence")).await.unwrap();
    let notes = specialist.notes().await.unwrap();
    assert_eq!((notes.len(), notes[0].note.as_str()), (1, "ask about the fence"));
    assert_eq!(notes[0].expires_at - notes[0].created_at, TimeDelta::hours(24));
    let before = notes[0].created_at + TimeDelta::hours(23);
    assert_eq!(specialist.drop_old_notes(before).await.unwrap(), 0);
    assert_eq!(specialist.drop_old_notes(before + TimeDelta::hours(1)).await.unwrap(), 1);
    assert!(specialist.notes().await.unwrap().is_empty());
}

pub(crate) async fn playbook_updates_and_interactions_are_logged_once(f: &Fixture) {
    let specialist = specialist(&f.river).await;
    let log = f.river.memory_log("front_desk").unwrap();
    assert!(specialist.update_playbook(improvement("k")).await.unwrap());
    assert!(!specialist.update_playbook(improvement("k")).await.unwrap());
    assert_eq!(specialist.playbook_updates().await.unwrap()[0].body, "ask for the street first");
    assert!(log.log_interaction(interaction("k")).await.unwrap());
    assert!(!log.log_interaction(interaction("k")).await.unwrap());
    log.log_event(event()).await.unwrap();
    let events = specialist.events().await.unwrap();
    assert_eq!((events[0].agent_id.as_str(), events[0].outcome), ("front_desk", Outcome::Done));
    assert!(f.river.memory_log("Not A Name").is_err());
}

pub(crate) async fn calls_are_reviewed_once(f: &Fixture) {
    let specialist = specialist(&f.river).await;
    let early = noon() - TimeDelta::days(3);
    let mut ended = Vec::new();
    for started_at in [early, noon(), noon() + TimeDelta::minutes(1)] {
        let call = f.river.begin_call(NewCall { started_at, ..new_call() }).await.unwrap().id;
        f.river.end_call(call, "hung_up", Utc::now()).await.unwrap();
        ended.push(call);
    }
    f.river.begin_call(new_call()).await.unwrap();
    let since = noon() - TimeDelta::days(2);
    assert_eq!(specialist.calls_to_review(since, 10).await.unwrap(), ended[1..]);
    let review = Review { call: ended[1], outcome: ReviewOutcome::Reviewed, suggested: 0 };
    specialist.reviewed(review).await.unwrap();
    specialist.reviewed(review).await.unwrap();
    assert_eq!(specialist.calls_to_review(since, 10).await.unwrap(), ended[2..]);
}
