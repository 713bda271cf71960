//! What a Passport goes through after its call.

use chrono::{DateTime, Utc};
use futures_util::future::BoxFuture;
use pipeline::ports::Screen;
use storage::{Job, NewJob};
use work::office::{Office, OfficeError, WORK, Worked};

use super::job::Lease;

/// What a stage has in hand.
pub struct Hands<'a> {
    pub office: &'a Office,
    pub job: &'a Job,
    /// What leaves the sensitive zone passes it. A fresh one a run.
    pub screen: Box<dyn Screen>,
    pub lease: &'a mut Lease,
}

impl std::fmt::Debug for Hands<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hands").field("job", self.job).finish_non_exhaustive()
    }
}

/// One stage: the kind of its jobs, and what does them.
struct Stage {
    kind: &'static str,
    run: for<'a> fn(Hands<'a>) -> BoxFuture<'a, Result<Worked, OfficeError>>,
}

/// The stages, in order. A job that is done files the job of the next one in the same transaction. Whatever is to run
/// after the work, such as a review of it, is added here.
const CHAIN: &[Stage] = &[Stage { kind: WORK, run: work }];

fn work(hands: Hands<'_>) -> BoxFuture<'_, Result<Worked, OfficeError>> {
    let Hands { office, job, screen, lease } = hands;
    Box::pin(async move { office.work(job.passport_id, &job.team_id, screen, lease).await })
}

/// Does a job. `None`: no stage is of its kind; a newer program filed it.
pub async fn run(hands: Hands<'_>) -> Option<Result<Worked, OfficeError>> {
    let stage = CHAIN.iter().find(|stage| stage.kind == hands.job.kind)?;
    Some((stage.run)(hands).await)
}

/// The job of the stage after this one's.
#[must_use]
pub fn next(done: &Job, now: DateTime<Utc>) -> Option<NewJob> {
    let at = CHAIN.iter().position(|stage| stage.kind == done.kind)?;
    let kind = CHAIN.get(at + 1)?.kind;
    Some(NewJob {
        idempotency_key: format!("{kind}/{}/{}", done.passport_id, done.team_id),
        passport_id: done.passport_id,
        team_id: done.team_id.clone(),
        kind: kind.to_owned(),
        run_after: now,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_have_kinds_of_their_own_and_the_last_has_none_after_it() {
        let kinds: std::collections::BTreeSet<&str> = CHAIN.iter().map(|stage| stage.kind).collect();
        assert_eq!(kinds.len(), CHAIN.len());
        let now = Utc::now();
        let job = |kind: &str| Job {
            id: storage::JobId::new(),
            idempotency_key: String::new(),
            passport_id: storage::PassportId::new(),
            team_id: "claims".to_owned(),
            kind: kind.to_owned(),
            state: storage::JobState::Running,
            attempts: 1,
            run_after: now,
            lease_until: None,
            created_at: now,
            updated_at: now,
        };
        for (stage, after) in CHAIN.iter().zip(CHAIN.iter().skip(1)) {
            let next = next(&job(stage.kind), now).unwrap();
            assert_eq!((next.kind.as_str(), next.team_id.as_str()), (after.kind, "claims"));
        }
        assert_eq!(next(&job(CHAIN[CHAIN.len() - 1].kind), now), None);
        assert_eq!(next(&job("of another program"), now), None);
    }
}
