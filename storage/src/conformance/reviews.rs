//! After-action reviews, calibration and autonomy.

use serde_json::json;
use uuid::Uuid;

use super::passports::{change, document, new_passport};
use super::work::new_item;
use super::{Fixture, new_call, noon};
use crate::ids::{CallId, PassportId, WorkItemId};
use crate::job_records::NewJob;
use crate::records::{NewCall, NewPassport, NewWorkItem, WorkKind, WorkStatus};
use crate::review_records::{AgentOutcome, AutonomyChange, Calibration, NewJudgement, NewReview, Verdict};
use crate::work_acts::{NewWorkAct, WorkMove};
use crate::{Calls, Jobs, Passports, Reviews, StorageError, WorkItems};

fn record(agent: &str, completed: u32, correct: u32, brier_sum: f64) -> Calibration {
    Calibration {
        agent_id: agent.to_owned(),
        task_type: "phone_call".to_owned(),
        completed,
        correct,
        escalated: 0,
        brier_sum,
        updated_at: noon(),
    }
}

fn outcome(agent: &str, correct: Option<bool>) -> AgentOutcome {
    let (agent_id, task_type) = (agent.to_owned(), "phone_call".to_owned());
    AgentOutcome { agent_id, task_type, predicted: 0.5, correct, escalated: false }
}

fn moved(agent: &str, from_level: u8, to_level: u8) -> AutonomyChange {
    let reason = "it was right often enough".to_owned();
    AutonomyChange {
        id: Uuid::now_v7(),
        agent_id: agent.to_owned(),
        from_level,
        to_level,
        reason,
        changed_at: noon(),
    }
}

fn new_review(passport: PassportId) -> NewReview {
    NewReview {
        passport,
        success: true,
        verdict: Some(Verdict::Right),
        effectiveness: 0.75,
        reviewed_at: noon(),
        document: json!({ "learnings": { "mistakes": ["said Elm Street"] } }),
        change: None,
        outcomes: vec![outcome("front_desk", Some(true))],
        autonomy: vec![moved("front_desk", 1, 2)],
    }
}

pub(crate) async fn a_passport_is_reviewed_once(f: &Fixture) {
    let passport = f.river.create_passport(new_passport()).await.unwrap();
    let grown = change(&passport, document(1, &["greet", "after_action_review"]));
    let new = NewReview { change: Some(grown), ..new_review(passport.id) };
    assert!(f.river.file_review(new.clone()).await.unwrap());
    assert!(!f.river.file_review(new.clone()).await.unwrap(), "the second changes nothing");
    let kept = f.river.review(passport.id).await.unwrap().unwrap();
    assert_eq!((kept.success, kept.effectiveness, kept.document), (true, 0.75, new.document));
    let passport = f.river.passport(passport.id).await.unwrap().unwrap();
    assert_eq!((passport.version, passport.document["ledger"].as_array().unwrap().len()), (2, 2));
    assert_eq!(f.river.calibrations().await.unwrap(), [record("front_desk", 1, 1, 0.25)]);
    assert_eq!(f.river.autonomy_changes().await.unwrap(), new.autonomy);
    assert_eq!(f.lake.review(passport.id).await.unwrap(), None);
    assert_eq!(
        (f.lake.calibrations().await.unwrap().len(), f.lake.autonomy_changes().await.unwrap().len()),
        (0, 0)
    );
}

pub(crate) async fn a_review_is_whole_or_nothing(f: &Fixture) {
    let passport = f.river.create_passport(new_passport()).await.unwrap();
    let stale =
        crate::records::PassportChange { expected_version: 7, ..change(&passport, document(1, &["greet"])) };
    let refused = f.river.file_review(NewReview { change: Some(stale), ..new_review(passport.id) }).await;
    assert!(matches!(refused, Err(StorageError::Conflict { .. })), "{refused:?}");
    assert_eq!(f.river.review(passport.id).await.unwrap(), None);
    assert_eq!(f.river.calibrations().await.unwrap(), []);
    let unknown = f.river.file_review(new_review(PassportId::new())).await;
    assert!(unknown.is_err(), "a review needs its passport");
}

pub(crate) async fn an_agent_is_on_the_level_of_its_last_move(f: &Fixture) {
    assert_eq!(f.river.autonomy_levels().await.unwrap(), []);
    for autonomy in [
        vec![moved("front_desk/intake", 1, 2), moved("front_desk", 1, 2)],
        vec![moved("front_desk/intake", 2, 3)],
        vec![moved("front_desk", 2, 1)],
    ] {
        let passport = f.river.create_passport(new_passport()).await.unwrap();
        f.river.file_review(NewReview { autonomy, ..new_review(passport.id) }).await.unwrap();
    }
    let levels = f.river.autonomy_levels().await.unwrap();
    let told: Vec<_> = levels.iter().map(|of| (of.agent_id.as_str(), of.level)).collect();
    assert_eq!(told, [("front_desk", 1), ("front_desk/intake", 3)]);
    assert_eq!(f.lake.autonomy_levels().await.unwrap(), []);
}

pub(crate) async fn records_add_up(f: &Fixture) {
    for n in 0..3 {
        let passport = f.river.create_passport(new_passport()).await.unwrap();
        let undecided = outcome("claims", None);
        let outcomes =
            vec![outcome("front_desk", Some(n == 1)), outcome("back_office", Some(true)), undecided];
        f.river
            .file_review(NewReview { outcomes, autonomy: Vec::new(), ..new_review(passport.id) })
            .await
            .unwrap();
    }
    let kept = f.river.calibrations().await.unwrap();
    assert_eq!(kept, [record("back_office", 3, 3, 0.75), record("front_desk", 3, 1, 0.75)]);
}

async fn decide(f: &Fixture, item: WorkItemId, made: WorkMove) {
    f.river.act_on_work_item(NewWorkAct { item, actor: "ana".into(), made }).await.unwrap();
}

/// When people decided of this Passport what its review does not know.
async fn since(f: &Fixture, passport: PassportId) -> Option<chrono::DateTime<chrono::Utc>> {
    f.river.review(passport).await.unwrap().unwrap().unsettled_at
}

pub(crate) async fn what_people_decide_later_takes_the_place_of_what_was_counted(f: &Fixture) {
    let passport = f.river.create_passport(new_passport()).await.unwrap().id;
    let item = NewWorkItem { passport_id: Some(passport), ..new_item(WorkKind::Incident, "k") };
    let item = f.river.file_work_item(item).await.unwrap().id;
    let review = |verdict, correct| NewReview {
        verdict,
        outcomes: vec![outcome("front_desk", correct)],
        autonomy: Vec::new(),
        reviewed_at: chrono::Utc::now(),
        ..new_review(passport)
    };
    assert!(f.river.file_review(review(None, None)).await.unwrap());
    assert_eq!(f.river.calibrations().await.unwrap(), [], "an open request counts as nothing");
    assert_eq!(f.river.unsettled(10).await.unwrap(), []);

    decide(f, item, WorkMove::Note("crew is out".into())).await;
    assert_eq!(f.river.unsettled(10).await.unwrap(), [], "a note decides nothing");
    decide(f, item, WorkMove::Done { outcome: "patched".into(), line_right: None }).await;
    assert_eq!(f.river.unsettled(10).await.unwrap(), [passport]);
    assert_eq!(f.lake.unsettled(10).await.unwrap(), []);
    let read = since(f, passport).await.unwrap();
    assert!(f.river.settle_review(review(Some(Verdict::Right), Some(true)), read).await.unwrap());
    let again = f.river.settle_review(review(Some(Verdict::Right), Some(true)), read).await.unwrap();
    assert!(!again, "another was quicker");
    let counted = async || {
        let kept = f.river.calibrations().await.unwrap();
        (kept[0].completed, kept[0].correct, kept[0].brier_sum)
    };
    assert_eq!((counted().await, f.river.unsettled(10).await.unwrap()), ((1, 1, 0.25), vec![]));

    decide(f, item, WorkMove::Reopen { reason: "sank again".into() }).await;
    let read = since(f, passport).await.unwrap();
    assert!(f.river.settle_review(review(None, None), read).await.unwrap());
    assert_eq!(counted().await, (0, 0, 0.0), "what was taken back counts as nothing");

    let declined = WorkMove::Declined { outcome: "no".into(), reason: "ours".into(), line_right: None };
    decide(f, item, declined).await;
    let read = since(f, passport).await.unwrap();
    decide(f, item, WorkMove::Reopen { reason: "it is".into() }).await;
    let stale = f.river.settle_review(review(Some(Verdict::Wrong), Some(false)), read).await.unwrap();
    assert!(!stale, "they decided again meanwhile");
    assert_eq!((counted().await, f.river.unsettled(10).await.unwrap()), ((0, 0, 0.0), vec![passport]));
    let kept = f.river.review(passport).await.unwrap().unwrap();
    assert_eq!(kept.verdict, None);
}

pub(crate) async fn what_people_hold_of_a_call_is_on_record_and_settles_its_review(f: &Fixture) {
    let passport = f.river.create_passport(new_passport()).await.unwrap().id;
    let call = f.river.begin_call(NewCall { passport_id: Some(passport), ..new_call() }).await.unwrap().id;
    let judge = async |line_right| {
        let new = NewJudgement { call, actor: "ana".into(), line_right };
        f.river.judge_call(new).await.unwrap()
    };
    let review = NewReview { reviewed_at: chrono::Utc::now(), autonomy: Vec::new(), ..new_review(passport) };
    assert!(f.river.file_review(review).await.unwrap());
    assert_eq!(f.river.unsettled(10).await.unwrap(), []);
    let first = judge(true).await;
    let last = judge(false).await;
    assert_eq!(f.river.judgements(call).await.unwrap(), [first, last], "the last word is the last");
    assert_eq!(f.river.unsettled(10).await.unwrap(), [passport]);
    let unknown = NewJudgement { call: CallId::new(), actor: "ana".into(), line_right: true };
    assert!(matches!(f.river.judge_call(unknown).await, Err(StorageError::NotFound { what: "call" })));
    let theirs = NewJudgement { call, actor: "eve".into(), line_right: true };
    assert!(matches!(f.lake.judge_call(theirs).await, Err(StorageError::NotFound { what: "call" })));
    assert_eq!(f.lake.judgements(call).await.unwrap(), []);
}

pub(crate) async fn what_is_decided_under_a_review_is_settled_after_it(f: &Fixture) {
    let passport = f.river.create_passport(new_passport()).await.unwrap().id;
    let item = NewWorkItem { passport_id: Some(passport), ..new_item(WorkKind::Message, "k") };
    let item = f.river.file_work_item(item).await.unwrap().id;
    let begun = chrono::Utc::now() - chrono::TimeDelta::seconds(1);
    decide(f, item, WorkMove::Done { outcome: "told".into(), line_right: Some(true) }).await;
    f.river.file_review(NewReview { reviewed_at: begun, ..new_review(passport) }).await.unwrap();
    assert_eq!(f.river.unsettled(10).await.unwrap(), [passport]);
}

pub(crate) async fn finished_passports_without_a_review_are_found(f: &Fixture) {
    let passport = async |status: &str, call| {
        let new = NewPassport { status: status.into(), call_id: call, ..new_passport() };
        f.river.create_passport(new).await.unwrap().id
    };
    let live = f.river.begin_call(new_call()).await.unwrap();
    let over = f.river.begin_call(new_call()).await.unwrap();
    f.river.end_call(over.id, "caller_hung_up", noon()).await.unwrap();
    let done = passport("completed", Some(over.id)).await;
    let _talking = passport("completed", Some(live.id)).await;
    let _waiting = passport("in_progress", Some(over.id)).await;
    let _fresh = passport("pending", None).await;
    let open = passport("in_progress", Some(over.id)).await;
    let asked = passport("blocked", Some(over.id)).await;
    let item = NewWorkItem { passport_id: Some(asked), ..new_item(WorkKind::Callback, "ask") };
    f.river.file_work_item(item).await.unwrap();
    assert_eq!(
        f.river.unreviewed(10).await.unwrap(),
        [done, asked],
        "its agents are done, whoever calls back"
    );
    f.river.file_review(NewReview { autonomy: Vec::new(), ..new_review(asked) }).await.unwrap();
    let item = NewWorkItem { passport_id: Some(open), ..new_item(WorkKind::Incident, "k") };
    let item = f.river.file_work_item(item).await.unwrap();
    assert_eq!(f.river.unreviewed(10).await.unwrap(), [done]);
    let later = NewJob {
        idempotency_key: "later".into(),
        passport_id: done,
        team_id: String::new(),
        kind: "passport.work".into(),
        run_after: noon(),
    };
    f.river.enqueue_job(later).await.unwrap();
    assert_eq!(f.river.unreviewed(10).await.unwrap(), [], "a job is to be done");
    let job = f.river.claim_job(noon(), noon() + chrono::TimeDelta::minutes(1)).await.unwrap().unwrap();
    assert!(f.river.finish_job(job.id, job.attempts, None).await.unwrap());
    f.river.set_work_status(&item.reference, WorkStatus::Done).await.unwrap();
    assert_eq!(f.river.unreviewed(10).await.unwrap(), [done, open]);
    assert_eq!(f.river.unreviewed(1).await.unwrap(), [done]);
    f.river.file_review(NewReview { autonomy: Vec::new(), ..new_review(done) }).await.unwrap();
    assert_eq!(f.river.unreviewed(10).await.unwrap(), [open]);
    assert_eq!(f.lake.unreviewed(10).await.unwrap(), []);
}
