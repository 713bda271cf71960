//! Reviews of passports as calls leave them.
#![allow(clippy::unwrap_used)]

use chrono::{TimeZone, Utc};
use serde_json::{Value, json};
use storage::records::{NewPassport, NewWorkItem, Priority, WorkKind, WorkStatus};
use storage::{NewTenant, PassportId, Passports, Platform, PlatformOptions, Reviews, TenantStore, WorkItems};
use uuid::Uuid;

use pipeline::ports::Screen;
use storage::organisation::{Author, NodeFilter, RelationType};

use super::*;
use crate::organisation::Organisation;
use crate::organisation::episode::symbol;
use crate::passport::ConfidenceVector;
use dialogue::Priority as P;

/// Knows one number and one name.
struct Masked;

impl Screen for Masked {
    fn screen(&mut self, text: &str) -> String {
        text.replace("202-555-0143", "⟨phone:1⟩").replace("Ada Quist", "⟨name:1⟩")
    }
}

async fn run(
    store: &TenantStore,
    id: PassportId,
    now: DateTime<Utc>,
) -> Result<Reviewed, storage::StorageError> {
    super::run(store, &Organisation::new(None), &mut Masked, id, now).await
}

fn at() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 3, 2, 12, 0, 0).unwrap()
}

fn entry(agent: &str, action: &str, outputs: &str, ms: u64, confidence: f64) -> LedgerEntry {
    LedgerEntry {
        id: Uuid::now_v7(),
        timestamp: at(),
        agent_id: agent.into(),
        action: action.into(),
        inputs_summary: "speech".into(),
        outputs_summary: outputs.into(),
        duration_ms: ms,
        tokens_used: 10,
        cost_usd: 0.0,
        confidence: ConfidenceVector::of(confidence, 1),
        tool_calls: Vec::new(),
        notes: String::new(),
    }
}

fn passport(status: Status, entries: Vec<LedgerEntry>) -> Passport {
    let mut passport = Passport::for_call(Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7(), at());
    passport.status = status;
    entries.into_iter().for_each(|e| passport.add_ledger_entry(e));
    passport
}

fn calm() -> CallFacts {
    CallFacts { caller_turns: 3, agent_turns: 4, ..CallFacts::default() }
}

#[test]
fn a_call_that_was_answered_is_a_success() {
    let done = passport(Status::Completed, vec![entry("front_desk", "turn", "answered", 900, 0.9)]);
    let review = review(&done, &calm(), at());
    assert!(review.success && review.effectiveness > 0.95, "{review:?}");
    assert_eq!((review.analysis.total_duration_ms, review.analysis.total_tokens), (900, 10));
    assert_eq!((review.learnings.mistakes.len(), review.learnings.successful_patterns.len()), (0, 1));
    assert!(review.observations.is_empty());
    assert!((review.calibration_updates["front_desk"] - 0.1).abs() < 1e-9);
    let outcome = outcomes(&review, &done)["front_desk"];
    assert!(outcome.correct && !outcome.escalated);
}

#[test]
fn failures_and_corrections_are_told_and_cost() {
    let entries = vec![
        entry("front_desk", "turn", "the filing failed", 9_000, 0.9),
        entry("front_desk", "turn", "could not be saved", 100, 0.9),
        entry("front_desk", "turn", "second look: turn 1 was wrong (contradicted_fact)", 10, 0.9),
    ];
    let review = review(&passport(Status::Failed, entries), &CallFacts { interrupted: 3, ..calm() }, at());
    assert!(!review.success && review.effectiveness < 0.2, "{}", review.effectiveness);
    assert_eq!(review.analysis.failure_points.len(), 2);
    assert_eq!(review.analysis.bottlenecks.len(), 1);
    let kinds: Vec<ObservationType> = review.observations.iter().map(|o| o.observation_type).collect();
    assert!(
        kinds.contains(&ObservationType::RepeatedFailure)
            && kinds.contains(&ObservationType::ConfidenceDrift)
    );
    assert!(
        review
            .observations
            .iter()
            .filter(|o| o.observation_type == ObservationType::RepeatedFailure)
            .all(|o| !o.evidence.is_empty())
    );
    assert!(review.learnings.mistakes.len() >= 3, "{:?}", review.learnings);
}

#[test]
fn work_that_was_handed_over_succeeds_when_it_was_done() {
    let handed = passport(Status::InProgress, vec![entry("front_desk", "turn", "filed; INC-1000", 100, 0.9)]);
    let with = |work_items, work_cancelled| CallFacts { work_items, work_cancelled, ..calm() };
    assert!(review(&handed, &with(2, 1), at()).success);
    assert!(!review(&handed, &with(1, 1), at()).success);
    assert!(!review(&handed, &with(0, 0), at()).success);
    assert!(!review(&handed, &CallFacts { broken_off: true, ..with(1, 0) }, at()).success);
}

#[test]
fn weak_routing_needs_a_person() {
    let weak = passport(
        Status::InProgress,
        vec![entry("front_desk", "turn", "x", 1, 0.9), entry("claims", "turn", "x", 1, 0.79)],
    );
    assert!(learn::needs_person(&weak).is_some());
    let sure = passport(Status::InProgress, vec![entry("front_desk", "turn", "x", 1, 0.8)]);
    assert_eq!(learn::needs_person(&sure), None);
    let done = passport(Status::Completed, vec![entry("front_desk", "turn", "x", 1, 0.1)]);
    assert_eq!(learn::needs_person(&done), None);
}

// ---------------------------------------------------------------- on a real store

async fn store() -> (tempfile::TempDir, Platform, TenantStore) {
    let dir = tempfile::tempdir().unwrap();
    let platform = Platform::open(PlatformOptions::new(dir.path())).await.unwrap();
    let new = NewTenant { slug: "river".into(), name: "River".into(), timezone: "UTC".into() };
    let tenant = platform.create_tenant(new).await.unwrap();
    let store = platform.tenant(tenant.id).await.unwrap();
    (dir, platform, store)
}

async fn kept(store: &TenantStore, passport: &Passport) -> PassportId {
    let new = NewPassport {
        id: PassportId(passport.id),
        team_id: passport.team_id.clone(),
        status: passport.status.as_str().into(),
        call_id: None,
        document: serde_json::to_value(passport).unwrap(),
    };
    store.create_passport(new).await.unwrap().id
}

#[tokio::test]
async fn a_review_is_written_once_with_everything_that_follows() {
    let (_dir, _platform, store) = store().await;
    let id =
        kept(&store, &passport(Status::Completed, vec![entry("front_desk", "turn", "answered", 9, 0.9)]))
            .await;
    let first = run(&store, id, at()).await.unwrap();
    assert!(matches!(first, Reviewed::Now(_)));
    assert_eq!(run(&store, id, at()).await.unwrap(), Reviewed::Before);
    assert_eq!(run(&store, PassportId::new(), at()).await.unwrap(), Reviewed::Unknown);
    let passport = store.passport(id).await.unwrap().unwrap();
    let ledger = passport.document["ledger"].as_array().unwrap();
    assert_eq!(ledger.iter().filter(|e| e["action"] == ACTION).count(), 1);
    assert_eq!(
        (passport.version, &passport.document["overall_confidence"]["calibration_samples"]),
        (2, &json!(1))
    );
    let records = store.calibrations().await.unwrap();
    assert_eq!(
        (records.len(), records[0].completed, records[0].correct),
        (1, 1, 1),
        "the reviewer has no record"
    );
    let review: Review = serde_json::from_value(store.review(id).await.unwrap().unwrap().document).unwrap();
    assert!(review.success);
}

#[tokio::test]
async fn two_reviewers_at_once_leave_one_review() {
    let (_dir, _platform, store) = store().await;
    let id =
        kept(&store, &passport(Status::Completed, vec![entry("front_desk", "turn", "answered", 9, 0.9)]))
            .await;
    let both = tokio::join!(run(&store, id, at()), run(&store, id, at()));
    let now = [both.0.unwrap(), both.1.unwrap()].iter().filter(|r| matches!(r, Reviewed::Now(_))).count();
    assert_eq!(now, 1);
    assert_eq!(store.calibrations().await.unwrap()[0].completed, 1);
}

#[tokio::test]
async fn an_agent_rises_with_its_record_and_falls_with_it() {
    let (_dir, _platform, store) = store().await;
    let mut now = at();
    let mut work = async |status, n: u32| {
        for _ in 0..n {
            now += chrono::TimeDelta::seconds(1);
            let id =
                kept(&store, &passport(status, vec![entry("front_desk", "turn", "answered", 9, 0.95)])).await;
            run(&store, id, now).await.unwrap();
        }
    };
    work(Status::Completed, 49).await;
    assert!(store.autonomy_changes().await.unwrap().is_empty());
    work(Status::Completed, 1).await;
    let moved = store.autonomy_changes().await.unwrap();
    assert_eq!((moved.len(), moved[0].from_level, moved[0].to_level), (1, 1, 2));
    work(Status::Failed, 10).await;
    let moved = store.autonomy_changes().await.unwrap();
    assert_eq!((moved.len(), moved[0].from_level, moved[0].to_level), (2, 2, 1));
    assert!(moved[0].reason.contains("accuracy"), "{}", moved[0].reason);
}

#[tokio::test]
async fn work_that_is_not_done_is_not_reviewed_yet() {
    let (_dir, _platform, store) = store().await;
    let mut handed = passport(Status::InProgress, vec![entry("front_desk", "turn", "filed", 9, 0.9)]);
    handed.routing.priority = P::High;
    let id = kept(&store, &handed).await;
    let item = NewWorkItem {
        kind: WorkKind::Incident,
        idempotency_key: "k".into(),
        reference: None,
        call_id: None,
        passport_id: Some(id),
        priority: Priority::Normal,
        caller: None,
        fields: Value::Object(serde_json::Map::new()),
    };
    let item = store.file_work_item(item).await.unwrap();
    assert!(store.unreviewed(10).await.unwrap().is_empty());
    store.set_work_status(&item.reference, WorkStatus::Done).await.unwrap();
    assert_eq!(store.unreviewed(10).await.unwrap(), [id]);
}

// ---------------------------------------------------------------- what memory keeps

/// As the back office leaves it: routed, one specialist's call-back, its report, its conclusion.
fn worked() -> Passport {
    let mut call_back = entry("claims/intake_review", "work", "complete false; 1 missing; CB-1000", 5, 0.8);
    call_back.tool_calls = vec!["search_knowledge".into(), "request_callback".into()];
    let mut filed = entry("front_desk/intake", "turn", "filed; MSG-1000", 5, 0.8);
    filed.tool_calls = vec!["take_message".into()];
    let mut looked = entry("claims/policy", "work", "1 citations", 5, 0.8);
    looked.tool_calls = vec!["search_knowledge".into()];
    let entries = vec![
        filed,
        entry("department_head", "route", "claims at 0.95", 0, 0.95),
        call_back,
        looked,
        entry("claims/claims_lead", "conclude", "escalated", 0, 0.9),
    ];
    let mut passport = passport(Status::Completed, entries);
    passport.team_id = "claims".into();
    let outputs = [
        ("intake_review", json!({ "summary": "The photo of the fence is missing.", "urgency": "high" })),
        ("policy", json!({ "summary": "Fences are covered." })),
        ("claim_brief", json!({ "summary": "Ada Quist, 202-555-0143, claims a broken fence." })),
    ];
    for (agent, output) in outputs {
        passport.context.insert(format!("work.claims.{agent}"), output);
    }
    let place = format!("passport:{}/context/work.claims.claim_brief", passport.id);
    passport.artifacts.insert("claims_report".into(), place);
    passport.routing.escalation_reason = Some("Ada Quist wants to hear from a person.".into());
    passport
}

#[test]
fn an_episode_tells_what_was_decided_and_why_in_tokens() {
    let passport = worked();
    let review = review(&passport, &calm(), at());
    let told = episode::episode(&review, &passport, &mut Masked);
    assert_eq!((told.passport_id, told.team_id.as_str()), (passport.id, "claims"));
    assert_eq!(told.mission_summary, "⟨name:1⟩, ⟨phone:1⟩, claims a broken fence.");
    assert!(told.outcome.starts_with("completed: "), "{}", told.outcome);
    let outcomes: Vec<&str> = told.key_decisions.iter().map(|decision| decision.outcome.as_str()).collect();
    assert_eq!(
        outcomes,
        ["filed; MSG-1000", "complete false; 1 missing; CB-1000", "escalated"],
        "who only passes it on, or looks something up, decides nothing"
    );
    let [filed, asked, concluded] = &told.key_decisions[..] else { panic!() };
    assert_eq!((filed.reason.as_str(), filed.factors.join(" ")), ("", "take_message".to_owned()));
    assert_eq!(asked.reason, "The photo of the fence is missing.");
    assert_eq!(asked.factors, ["request_callback", "urgency high"]);
    assert_eq!(
        concluded.reason,
        "⟨name:1⟩ wants to hear from a person. The photo of the fence is missing. Fences are covered."
    );
    let whole = serde_json::to_string(&told).unwrap();
    assert!(!whole.contains("Quist") && !whole.contains("0143"), "{whole}");

    let plain = passport_without_office();
    let told = episode::episode(&super::review(&plain, &calm(), at()), &plain, &mut Masked);
    assert_eq!((&told.mission_summary, told.key_decisions.len()), (&plain.mission.objective, 0));
}

fn passport_without_office() -> Passport {
    passport(Status::Completed, vec![entry("front_desk", "turn", "answered", 9, 0.9)])
}

#[test]
fn of_many_decisions_the_last_are_kept() {
    let many =
        (0..40).map(|n| entry("claims/claims_lead", "conclude", &format!("end {n}"), 0, 0.9)).collect();
    let passport = passport(Status::Completed, many);
    let told = episode::episode(&review(&passport, &calm(), at()), &passport, &mut Masked);
    assert_eq!((told.key_decisions.len(), told.key_decisions[15].outcome.as_str()), (16, "end 39"));
}

#[tokio::test]
async fn the_episode_of_a_passport_is_remembered_once_whatever_is_cut_off() {
    let (_dir, _platform, store) = store().await;
    let memory = Organisation::new(None);
    let (passport, reader) = (worked(), store.organisation());
    let id = kept(&store, &passport).await;
    // Cut off between the episode and the review.
    let before = episode::episode(&review(&passport, &CallFacts::default(), at()), &passport, &mut Masked);
    memory.remember_episode(&store, &before).await.unwrap().unwrap();
    assert!(matches!(run(&store, id, at()).await.unwrap(), Reviewed::Now(_)));
    assert_eq!(run(&store, id, at()).await.unwrap(), Reviewed::Before);

    let nodes = reader.list_nodes(&NodeFilter::default()).await.unwrap();
    assert_eq!(nodes.len(), 4, "the episode and its three decisions");
    let episode = reader.node_by_symbol(&symbol(id.0)).await.unwrap().unwrap();
    assert_eq!((episode.author, episode.team_id.as_deref()), (Author::Review, Some("claims")));
    let led_to = reader.relations_of(episode.id).await.unwrap();
    assert_eq!(led_to.iter().filter(|edge| edge.relation == RelationType::Caused).count(), 3);
    let kept = store.passport(id).await.unwrap().unwrap();
    assert_eq!(kept.document["emitted_symbols"], json!([symbol(id.0)]));
    for node in &nodes {
        let full = reader.full_text(node.id).await.unwrap().unwrap_or_default();
        let said = format!("{}{:?}{}{full}", node.micro, node.summary, node.properties);
        assert!(!said.contains("Quist") && !said.contains("0143"), "{said}");
    }
}

#[tokio::test]
async fn reviewers_at_once_leave_one_episode() {
    let (_dir, _platform, store) = store().await;
    let id = kept(&store, &worked()).await;
    let (one, other) = tokio::join!(run(&store, id, at()), run(&store, id, at()));
    assert_eq!([one.unwrap(), other.unwrap()].iter().filter(|it| matches!(it, Reviewed::Now(_))).count(), 1);
    assert_eq!(store.organisation().list_nodes(&NodeFilter::default()).await.unwrap().len(), 4);
}
