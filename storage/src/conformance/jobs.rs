//! The queue of work that outlives a call.

use chrono::TimeDelta;

use super::passports::{change, document, new_passport};
use super::{Fixture, noon};
use crate::ids::PassportId;
use crate::job_records::{JobFilter, JobState, NewJob};
use crate::records::{PassportChange, TurnCommit};
use crate::{Jobs, Passports, StorageError, Turns};

fn job(key: &str) -> NewJob {
    NewJob {
        idempotency_key: key.to_owned(),
        passport_id: PassportId::new(),
        team_id: String::new(),
        kind: "passport.work".to_owned(),
        run_after: noon(),
    }
}

fn minute(n: i64) -> chrono::DateTime<chrono::Utc> {
    noon() + TimeDelta::minutes(n)
}

pub(crate) async fn a_job_is_filed_once_for_its_key(f: &Fixture) {
    let first = f.river.enqueue_job(job("a")).await.unwrap();
    assert_eq!((first.state, first.attempts, first.lease_until), (JobState::Queued, 0, None));
    assert_eq!(f.river.enqueue_job(job("a")).await.unwrap(), first);
    assert_eq!(f.river.list_jobs(JobFilter::default()).await.unwrap(), std::slice::from_ref(&first));
    let of = |passport_id| JobFilter { passport_id: Some(passport_id), ..JobFilter::default() };
    assert_eq!(f.river.list_jobs(of(first.passport_id)).await.unwrap().len(), 1);
    assert_eq!(f.river.list_jobs(of(PassportId::new())).await.unwrap().len(), 0);
    let done = JobFilter { state: Some(JobState::Done), ..JobFilter::default() };
    assert_eq!(f.river.list_jobs(done).await.unwrap().len(), 0);
    // Another tenant's queue is another queue.
    assert_eq!(f.lake.claim_job(minute(1), minute(2)).await.unwrap(), None);
    assert_eq!(f.lake.list_jobs(JobFilter::default()).await.unwrap(), []);
}

pub(crate) async fn a_claim_is_one_workers_until_its_lease_ends(f: &Fixture) {
    f.river.enqueue_job(job("a")).await.unwrap();
    assert_eq!(f.river.claim_job(minute(-1), minute(1)).await.unwrap(), None, "not due yet");
    let claimed = f.river.claim_job(minute(0), minute(2)).await.unwrap().unwrap();
    assert_eq!((claimed.state, claimed.attempts), (JobState::Running, 1));
    assert_eq!(f.river.claim_job(minute(1), minute(3)).await.unwrap(), None, "leased");
    assert!(f.river.renew_job(claimed.id, 1, minute(5)).await.unwrap());
    assert_eq!(f.river.claim_job(minute(3), minute(6)).await.unwrap(), None, "renewed");
    let again = f.river.claim_job(minute(6), minute(9)).await.unwrap().unwrap();
    assert_eq!((again.id, again.attempts), (claimed.id, 2));
    assert!(f.river.finish_job(again.id, 2, None).await.unwrap());
    assert_eq!(f.river.claim_job(minute(99), minute(100)).await.unwrap(), None, "done");
}

pub(crate) async fn workers_that_claim_at_once_share_the_queue(f: &Fixture) {
    const JOBS: usize = 12;
    for n in 0..JOBS {
        f.river.enqueue_job(job(&n.to_string())).await.unwrap();
    }
    let workers = (0..JOBS).map(|_| {
        let store = f.river.clone();
        tokio::spawn(async move {
            let mut mine = Vec::new();
            while let Some(job) = store.claim_job(minute(0), minute(9)).await.unwrap() {
                mine.push(job.id);
            }
            mine
        })
    });
    let mut all = Vec::new();
    for worker in workers.collect::<Vec<_>>() {
        all.extend(worker.await.unwrap());
    }
    // A worker that found every candidate taken may have left: what it left is still there.
    while let Some(job) = f.river.claim_job(minute(0), minute(9)).await.unwrap() {
        all.push(job.id);
    }
    all.sort_unstable();
    assert_eq!(all.len(), JOBS);
    all.dedup();
    assert_eq!(all.len(), JOBS, "nobody has another's job");
}

pub(crate) async fn who_lost_the_claim_changes_nothing(f: &Fixture) {
    f.river.enqueue_job(job("a")).await.unwrap();
    let slow = f.river.claim_job(minute(0), minute(1)).await.unwrap().unwrap();
    let quick = f.river.claim_job(minute(2), minute(9)).await.unwrap().unwrap();
    assert_eq!(slow.id, quick.id);
    assert!(!f.river.renew_job(slow.id, slow.attempts, minute(20)).await.unwrap());
    assert!(!f.river.finish_job(slow.id, slow.attempts, Some(job("next"))).await.unwrap());
    assert!(!f.river.retry_job(slow.id, slow.attempts, minute(0)).await.unwrap());
    assert!(!f.river.fail_job(slow.id, slow.attempts).await.unwrap());
    let kept = f.river.list_jobs(JobFilter::default()).await.unwrap();
    assert_eq!(kept, std::slice::from_ref(&quick), "and what it would have filed next is not there");
    assert!(f.river.fail_job(quick.id, quick.attempts).await.unwrap());
    assert_eq!(f.river.list_jobs(JobFilter::default()).await.unwrap()[0].state, JobState::Failed);
}

pub(crate) async fn what_comes_next_is_filed_with_the_end(f: &Fixture) {
    f.river.enqueue_job(job("a")).await.unwrap();
    let claimed = f.river.claim_job(minute(0), minute(1)).await.unwrap().unwrap();
    let next = NewJob { kind: "passport.review".to_owned(), ..job("b") };
    assert!(f.river.finish_job(claimed.id, 1, Some(next.clone())).await.unwrap());
    assert!(!f.river.finish_job(claimed.id, 1, Some(job("c"))).await.unwrap(), "it ends once");
    let after = f.river.claim_job(minute(0), minute(1)).await.unwrap().unwrap();
    assert_eq!((after.kind, after.passport_id), (next.kind, next.passport_id));
    assert_eq!(f.river.list_jobs(JobFilter::default()).await.unwrap().len(), 2);
}

pub(crate) async fn a_job_that_is_put_back_waits(f: &Fixture) {
    f.river.enqueue_job(job("a")).await.unwrap();
    let claimed = f.river.claim_job(minute(0), minute(1)).await.unwrap().unwrap();
    assert!(f.river.retry_job(claimed.id, 1, minute(10)).await.unwrap());
    assert_eq!(f.river.claim_job(minute(9), minute(11)).await.unwrap(), None);
    let again = f.river.claim_job(minute(10), minute(11)).await.unwrap().unwrap();
    assert_eq!((again.id, again.attempts), (claimed.id, 2));
}

pub(crate) async fn a_node_that_starts_puts_its_own_back(f: &Fixture) {
    f.river.enqueue_job(job("a")).await.unwrap();
    let claimed = f.river.claim_job(minute(0), minute(60)).await.unwrap().unwrap();
    assert_eq!(f.lake.release_jobs().await.unwrap(), 0);
    assert_eq!(f.river.release_jobs().await.unwrap(), 1);
    assert!(!f.river.finish_job(claimed.id, claimed.attempts, None).await.unwrap(), "it was put back");
    let again = f.river.claim_job(minute(1), minute(2)).await.unwrap().unwrap();
    assert_eq!((again.id, again.attempts), (claimed.id, 2));
}

pub(crate) async fn a_turn_files_its_jobs_or_nothing(f: &Fixture) {
    let kept = f.river.create_passport(new_passport()).await.unwrap();
    let commit = |version| TurnCommit {
        passport: Some(PassportChange {
            expected_version: version,
            ..change(&kept, document(1, &["greet"]))
        }),
        jobs: vec![NewJob { passport_id: kept.id, ..job("work") }],
        ..TurnCommit::default()
    };
    let refused = f.river.commit_turn(commit(7)).await;
    assert!(matches!(refused, Err(StorageError::Conflict { .. })), "{refused:?}");
    assert_eq!(f.river.list_jobs(JobFilter::default()).await.unwrap(), []);
    f.river.commit_turn(commit(1)).await.unwrap();
    f.river.commit_turn(commit(2)).await.unwrap();
    assert_eq!(f.river.list_jobs(JobFilter::default()).await.unwrap().len(), 1);
}
