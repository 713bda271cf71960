//! Reviews of passports as calls leave them.
#![allow(clippy::unwrap_used)]

use chrono::{TimeZone, Utc};
use serde_json::{Value, json};
use storage::records::{NewPassport, NewWorkItem, Priority, WorkItem, WorkKind, WorkStatus};
use storage::{NewTenant, PassportId, Passports, Platform, PlatformOptions, Reviews, TenantStore, WorkItems};
use uuid::Uuid;

use language::Screen;
use storage::organisation::{Author, NodeFilter, RelationType};

use storage::work_acts::{NewWorkAct, WorkActed, WorkMove};

use super::people::People;
use super::*;
use crate::organisation::Organisation;
use crate::organisation::episode::symbol;
use crate::organisation::precedent::Precedents;
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

fn held(right: u32, wrong: u32) -> People {
    People { items: [("done", right + wrong)].into(), right, wrong, ..People::default() }
}

#[test]
fn a_call_of_which_nobody_has_decided_counts_as_nothing() {
    let done = passport(Status::Completed, vec![entry("front_desk", "turn", "answered", 900, 0.9)]);
    let review = review(&done, &calm(), at());
    assert_eq!((review.success, review.verdict), (false, None));
    assert_eq!((review.analysis.total_duration_ms, review.analysis.total_tokens), (900, 10));
    assert_eq!((review.learnings.mistakes.len(), review.learnings.successful_patterns.len()), (0, 0));
    assert!(review.observations.is_empty() && review.calibration_updates.is_empty(), "{review:?}");
    assert!((review.analysis.confidence_accuracy - 0.75).abs() < 1e-9);
    assert_eq!(review.outcomes["front_desk"].decided(), None);
}

#[test]
fn what_people_held_right_is_a_success() {
    let done = passport(Status::InProgress, vec![entry("front_desk", "turn", "filed; INC-1000", 900, 0.9)]);
    let review = review(&done, &CallFacts { people: held(1, 0), ..calm() }, at());
    assert!(review.success && review.effectiveness > 0.95, "{review:?}");
    assert_eq!(review.learnings.successful_patterns.len(), 1);
    assert!((review.calibration_updates["front_desk"] - 0.1).abs() < 1e-9);
    assert_eq!(review.outcomes["front_desk"].correct, Some(true));
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
fn a_request_that_is_held_wrong_makes_the_whole_wrong() {
    let handed = passport(Status::InProgress, vec![entry("front_desk", "turn", "filed; INC-1000", 100, 0.9)]);
    let with = |right, wrong| CallFacts { people: held(right, wrong), ..calm() };
    assert!(review(&handed, &with(2, 0), at()).success);
    let one_wrong = review(&handed, &with(2, 1), at());
    assert!(!one_wrong.success && one_wrong.learnings.mistakes.len() == 1, "{one_wrong:?}");
    assert_eq!(one_wrong.outcomes["front_desk"].correct, Some(false));
    let broken = review(&handed, &CallFacts { broken_off: true, ..with(1, 0) }, at());
    assert!(!broken.success, "a call that broke off is no success");
    assert_eq!(broken.outcomes["front_desk"].correct, Some(true), "and no fault of who filed it");
}

#[test]
fn a_wrong_reply_is_laid_to_whoever_gave_it() {
    let call = Uuid::now_v7();
    let mut told = Passport::for_call(Uuid::now_v7(), Uuid::now_v7(), call, at());
    let mut spoke = entry("front_desk/knowledge", "turn", "answered; source potholes", 9, 0.9);
    spoke.id = entry_id(&format!("{call}/1"));
    told.add_ledger_entry(spoke);
    let look = "second look: turn 1 was wrong (contradicted_fact); corrected in turn 2 after 1 tries";
    told.add_ledger_entry(entry("front_desk/triage", "turn", look, 0, 0.8));
    let unsure = "second look: turn 1 may be wrong (unsupported); said so in turn 2 after 3 tries";
    told.add_ledger_entry(entry("front_desk/triage", "turn", unsure, 0, 0.8));
    let review = review(&told, &CallFacts { people: held(1, 0), ..calm() }, at());
    assert_eq!(review.analysis.agent_performance["front_desk/knowledge"].corrections, 1);
    assert_eq!(review.outcomes["front_desk/knowledge"].correct, Some(false));
    assert_eq!(review.outcomes["front_desk/triage"].correct, Some(true), "it only noted it");
    // A person who has read the whole call overrules the second look.
    let people = People { of_the_call: Some(Verdict::Right), ..held(1, 0) };
    let overruled = super::review(&told, &CallFacts { people, ..calm() }, at());
    assert_eq!(overruled.outcomes["front_desk/knowledge"].correct, Some(true));
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
        (2, &json!(0))
    );
    let records = store.calibrations().await.unwrap();
    assert_eq!(records.len(), 0, "nobody has decided, and the reviewer has no record");
    let review: Review = serde_json::from_value(store.review(id).await.unwrap().unwrap().document).unwrap();
    assert_eq!(review.verdict, None);
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
}

/// A request that this Passport left.
async fn left(store: &TenantStore, passport: PassportId, kind: WorkKind) -> WorkItem {
    let item = NewWorkItem {
        kind,
        idempotency_key: format!("{passport}/{}", kind.as_str()),
        reference: None,
        call_id: None,
        passport_id: Some(passport),
        priority: Priority::Normal,
        caller: None,
        fields: Value::Object(serde_json::Map::new()),
    };
    store.file_work_item(item).await.unwrap()
}

async fn act(store: &TenantStore, item: &WorkItem, made: WorkMove) {
    let acted =
        store.act_on_work_item(NewWorkAct { item: item.id, actor: "ana".into(), made }).await.unwrap();
    assert!(matches!(acted, WorkActed::Made(_)), "{acted:?}");
}

fn done(line_right: Option<bool>) -> WorkMove {
    WorkMove::Done { outcome: "Ada Quist was called.".into(), line_right }
}

fn declined() -> WorkMove {
    WorkMove::Declined { outcome: "Not ours.".into(), reason: "A state road.".into(), line_right: None }
}

/// Levels of autonomy: tasks, right ones, and the share of right ones, of one agent.
async fn accuracy(store: &TenantStore, agent: &str) -> (u32, u32, f64) {
    let kept = store.calibrations().await.unwrap();
    let own = kept.iter().filter(|of| of.agent_id == agent);
    let record = own.fold(crate::calibration::Record::default(), |sum, of| {
        sum.and(crate::calibration::Record {
            completed: of.completed,
            correct: of.correct,
            escalated: of.escalated,
            brier_sum: of.brier_sum,
        })
    });
    let metrics = record.metrics();
    (metrics.completed_tasks, record.correct, metrics.accuracy_rate)
}

#[tokio::test]
async fn four_calls_with_five_wrong_replies_do_not_end_at_accuracy_1() {
    let (_dir, _platform, store) = store().await;
    // Wrong replies of each call. The agents hold every one of them completed, and sure of it.
    for (n, wrong) in [2, 1, 1, 1].into_iter().enumerate() {
        let call = Uuid::now_v7();
        let mut passport = Passport::for_call(Uuid::now_v7(), store.id().0, call, at());
        passport.status = Status::Completed;
        for turn in 1..=wrong {
            let mut spoke = entry("front_desk/knowledge", "turn", "answered; source potholes", 9, 0.95);
            spoke.id = entry_id(&format!("{call}/{turn}"));
            passport.add_ledger_entry(spoke);
            let look =
                format!("second look: turn {turn} was wrong (contradicted_fact); the caller was not told");
            passport.add_ledger_entry(entry("front_desk/triage", "turn", &look, 0, 0.8));
        }
        let id = kept(&store, &passport).await;
        let item = left(&store, id, WorkKind::Incident).await;
        run(&store, id, at()).await.unwrap();
        // One is done; the others are turned down, or taken down wrongly, or still open.
        match n {
            0 => act(&store, &item, done(None)).await,
            1 => act(&store, &item, declined()).await,
            2 => act(&store, &item, done(Some(false))).await,
            _ => {}
        }
        run(&store, id, at()).await.unwrap();
    }
    assert_eq!(accuracy(&store, "front_desk/knowledge").await, (4, 0, 0.0), "each call has a wrong reply");
    let (tasks, right, share) = accuracy(&store, "front_desk/triage").await;
    assert_eq!((tasks, right), (3, 1), "the open request counts as nothing");
    assert!(share < 0.34);
    assert!(store.autonomy_changes().await.unwrap().is_empty(), "and nobody rises");
}

#[tokio::test]
async fn calls_of_which_nobody_has_decided_are_no_record_however_sure_the_agent_was() {
    let (_dir, _platform, store) = store().await;
    for _ in 0..60 {
        let answered = passport(Status::Completed, vec![entry("front_desk", "turn", "answered", 9, 0.99)]);
        let id = kept(&store, &answered).await;
        run(&store, id, at()).await.unwrap();
    }
    assert_eq!(accuracy(&store, "front_desk").await, (0, 0, 0.0));
    assert!(store.autonomy_changes().await.unwrap().is_empty());
}

#[tokio::test]
async fn what_people_decide_later_is_counted_taken_back_and_counted_again() {
    let (_dir, _platform, store) = store().await;
    let filed = passport(Status::Escalated, vec![entry("front_desk", "turn", "filed", 9, 0.9)]);
    let id = kept(&store, &filed).await;
    let item = left(&store, id, WorkKind::Escalation).await;
    let settled = async || run(&store, id, at()).await.unwrap();
    assert!(matches!(settled().await, Reviewed::Now(review) if review.verdict.is_none()));
    assert_eq!(accuracy(&store, "front_desk").await, (0, 0, 0.0), "it is open");
    act(&store, &item, done(None)).await;
    assert!(matches!(settled().await, Reviewed::Settled(review) if review.success), "rightly escalated");
    assert_eq!(settled().await, Reviewed::Before);
    assert_eq!(accuracy(&store, "front_desk").await, (1, 1, 1.0));
    act(&store, &item, WorkMove::Reopen { reason: "Nobody came.".into() }).await;
    assert!(matches!(settled().await, Reviewed::Settled(review) if review.verdict.is_none()));
    assert_eq!(accuracy(&store, "front_desk").await, (0, 0, 0.0));
    act(&store, &item, declined()).await;
    settled().await;
    assert_eq!(accuracy(&store, "front_desk").await, (1, 0, 0.0), "it was not theirs to hand on");
    let passport = store.passport(id).await.unwrap().unwrap();
    let ledger = passport.document["ledger"].as_array().unwrap();
    let settled: Vec<&str> = ledger
        .iter()
        .filter(|e| e["action"] == SETTLED)
        .filter_map(|e| e["outputs_summary"].as_str())
        .collect();
    assert_eq!(settled.len(), 3);
    assert!(settled[1].starts_with("nobody has decided yet"), "{settled:?}");
    assert!(settled[2].starts_with("did not succeed"), "{settled:?}");
}

#[tokio::test]
async fn an_agent_rises_with_its_record_and_falls_with_it() {
    let (_dir, _platform, store) = store().await;
    let mut now = at();
    let mut work = async |made: WorkMove, n: u32| {
        for _ in 0..n {
            now += chrono::TimeDelta::seconds(1);
            let filed = passport(Status::InProgress, vec![entry("front_desk", "turn", "filed", 9, 0.95)]);
            let id = kept(&store, &filed).await;
            let item = left(&store, id, WorkKind::Incident).await;
            act(&store, &item, made.clone()).await;
            run(&store, id, now).await.unwrap();
        }
    };
    work(done(None), 49).await;
    assert!(store.autonomy_changes().await.unwrap().is_empty());
    work(done(None), 1).await;
    let moved = store.autonomy_changes().await.unwrap();
    assert_eq!((moved.len(), moved[0].from_level, moved[0].to_level), (1, 1, 2));
    work(declined(), 10).await;
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

#[tokio::test]
async fn what_people_decided_stands_in_the_place_of_what_agents_decided() {
    let (_dir, _platform, store) = store().await;
    let memory = Organisation::new(None);
    let id = kept(&store, &worked()).await;
    let item = left(&store, id, WorkKind::Incident).await;
    let settled = async || super::run(&store, &memory, &mut Masked, id, at()).await.unwrap();
    let case = crate::organisation::precedent::Case {
        text: "Claims a broken fence: the photo is missing.".into(),
        node_type: Some("decision".into()),
        factors: vec!["urgency high".into()],
        limit: 10,
        ..Default::default()
    };
    let found = async || memory.precedents(&store, &case, Utc::now()).await.unwrap();
    settled().await;
    let agents = found().await;
    assert!(!agents.precedents.is_empty());
    for precedent in &agents.precedents {
        let caution = precedent.caution.as_deref().unwrap_or_default();
        assert!(caution.contains("no person has said"), "{precedent:?}");
    }
    // Held right: what the agents decided stands, and needs no caution any more.
    act(&store, &item, done(None)).await;
    settled().await;
    let right = found().await;
    let rulings = |found: &Precedents| {
        found.precedents.iter().filter(|precedent| precedent.symbol.starts_with("ruling.")).count()
    };
    assert_eq!(rulings(&right), 1, "{right:?}");
    assert!(right.precedents.iter().all(|precedent| precedent.caution.is_none()), "{right:?}");
    // Taken back: only the agents' word is left.
    act(&store, &item, WorkMove::Reopen { reason: "It fell again.".into() }).await;
    settled().await;
    let back = found().await;
    assert!(rulings(&back) == 0 && !back.precedents.is_empty(), "{back:?}");
    assert!(back.precedents.iter().all(|precedent| precedent.caution.is_some()), "{back:?}");
    // Held wrong: the person's decision stands alone, with its reason.
    act(&store, &item, declined()).await;
    settled().await;
    let wrong = found().await;
    let [ruling] = &wrong.precedents[..] else { panic!("{wrong:?}") };
    assert_eq!(ruling.reason, "A state road.");
    assert!(ruling.outcome.contains("Not ours.") && ruling.caution.is_none(), "{ruling:?}");
    let nodes = store.organisation().list_nodes(&NodeFilter::default()).await.unwrap();
    let kept = nodes.iter().find(|node| node.symbol == symbol(id.0)).unwrap();
    assert!(kept.superseded_by.is_some(), "nor does the episode stand");
    let said: String = nodes.iter().map(|node| format!("{} {:?}", node.micro, node.summary)).collect();
    assert!(!said.contains("Quist"), "{said}");
}
