//! After-action reviews, calibration and autonomy.

use serde_json::json;
use uuid::Uuid;

use super::passports::{change, document, new_passport};
use super::work::new_item;
use super::{Fixture, new_call, noon};
use crate::ids::PassportId;
use crate::job_records::NewJob;
use crate::records::{NewPassport, NewWorkItem, WorkKind, WorkStatus};
use crate::review_records::{AutonomyChange, Calibration, NewReview};
use crate::{Calls, Jobs, Passports, Reviews, StorageError, WorkItems};

fn record(agent: &str, completed: u32, correct: u32) -> Calibration {
    Calibration {
        agent_id: agent.to_owned(),
        task_type: "phone_call".to_owned(),
        completed,
        correct,
        escalated: completed - correct,
        brier_sum: 0.25,
        updated_at: noon(),
    }
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
        effectiveness: 0.75,
        reviewed_at: noon(),
        document: json!({ "learnings": { "mistakes": ["said Elm Street"] } }),
        change: None,
        calibration: vec![record("front_desk", 1, 1)],
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
    assert_eq!(f.river.calibrations().await.unwrap(), [record("front_desk", 1, 1)]);
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
        let calibration = vec![record("front_desk", 2, n % 2), record("back_office", 1, 1)];
        f.river
            .file_review(NewReview { calibration, autonomy: Vec::new(), ..new_review(passport.id) })
            .await
            .unwrap();
    }
    let kept = f.river.calibrations().await.unwrap();
    let of = |n: usize| (kept[n].agent_id.as_str(), kept[n].completed, kept[n].correct, kept[n].brier_sum);
    assert_eq!((of(0), of(1)), (("back_office", 3, 3, 0.75), ("front_desk", 6, 1, 0.75)));
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
