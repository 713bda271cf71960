//! One claimed job, from its claim to its end.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use pipeline::ports::Usage;
use pipeline::provider::Backoff;
use storage::records::{WorkFilter, WorkItem};
use storage::{Job, Jobs, StorageError, TenantId, TenantStore, WorkItems};
use tokio::time::{Instant, sleep};
use work::department;
use work::office::{Office, OfficeError, Pace, Worked};

use super::chain::{self, Hands};
use super::{LEASE, Pressing, QUIET};
use crate::app::App;
use crate::event_bus;
use crate::event_bus::work::WorkEvent;
use crate::providers::Ready;

/// Claims of a job before a person gets it.
const MOST_ATTEMPTS: u32 = 4;
/// Wait before the second claim; each later one waits four times as long.
const WAIT: Backoff = Backoff::new(Duration::from_secs(5), Duration::from_secs(5 * 4_096)).times(4);
/// How often a busy machine is looked at again, and how long a step waits for it at most.
const LOOK_AGAIN: Duration = Duration::from_millis(250);
const MOST_PATIENCE: Duration = Duration::from_secs(30);
/// Requests of a Passport that consoles are told of.
const MOST_TOLD: u32 = 50;

/// A job that is ours for now.
#[derive(Debug)]
pub struct Claimed {
    pub app: Arc<App>,
    pub tenant: TenantId,
    pub store: TenantStore,
    pub job: Job,
    pub pressing: Pressing,
}

/// The claim while it is worked: renewed before each step, given up when the gateway closes or somebody else has it.
#[derive(Debug)]
pub struct Lease {
    app: Arc<App>,
    store: TenantStore,
    job: Job,
    patience: Duration,
}

impl Pace for Lease {
    async fn go_on(&mut self) -> bool {
        let since = Instant::now();
        while busy(&self.app) && since.elapsed() < self.patience && !self.app.stop.closing.is_cancelled() {
            sleep(LOOK_AGAIN).await;
        }
        if self.app.stop.closing.is_cancelled() {
            return false;
        }
        let renewed = self.store.renew_job(self.job.id, self.job.attempts, Utc::now() + LEASE).await;
        renewed.unwrap_or_else(|error| {
            tracing::warn!(%error, "the lease of a job was not renewed");
            false
        })
    }
}

fn busy(app: &App) -> bool {
    app.ready.get().is_none_or(|ready| ready.load() >= QUIET)
}

impl Claimed {
    /// Does it, and writes how it ended.
    pub async fn run(self) {
        let began = Utc::now();
        let outcome = match self.work().await {
            Ok(Some(worked)) => self.ended(worked).await,
            Ok(None) => {
                tracing::error!(kind = %self.job.kind, "no stage does jobs of this kind");
                self.store.fail_job(self.job.id, self.job.attempts).await.map(|_| "unknown")
            }
            Err(error) => self.failed(&error).await,
        };
        match outcome {
            Ok(outcome) => {
                metrics::counter!("quandura_office_jobs_total", "outcome" => outcome).increment(1);
            }
            Err(error) => tracing::error!(%error, job = %self.job.id, "the end of a job was not written"),
        }
        self.tell(began).await;
        self.app.office.ring(self.tenant, Pressing::MayWait);
        self.app.reviewing.notify_one();
    }

    async fn work(&self) -> Result<Option<Worked>, OfficeError> {
        if self.job.attempts > MOST_ATTEMPTS {
            // Whoever claimed it died with it.
            return Err(OfficeError::NeverEnds { attempts: self.job.attempts });
        }
        let Some(ready) = self.app.ready.get() else { return Ok(Some(Worked::Stopped)) };
        let office = self.office(ready).await?;
        let patience = match self.pressing {
            Pressing::Now => Duration::ZERO,
            Pressing::MayWait => MOST_PATIENCE,
        };
        let (app, store, job) = (self.app.clone(), self.store.clone(), self.job.clone());
        let mut lease = Lease { app, store, job, patience };
        let screen = (ready.providers.screen)(self.tenant);
        let hands = Hands { office: &office, job: &self.job, screen, lease: &mut lease };
        chain::run(hands).await.transpose()
    }

    async fn office(&self, ready: &Ready) -> Result<Office, OfficeError> {
        let department = department::of(&self.store).await;
        let department = department.map_err(|error| OfficeError::Teams(error.to_string()))?;
        let near = self.app.understanding.near(&self.app, self.tenant, &department);
        let prices = ready.lineup.session.prices.clone();
        Ok(Office {
            teams: Arc::clone(&department.teams),
            near,
            tenant: self.tenant.0,
            store: self.store.clone(),
            retriever: ready.providers.retriever.clone(),
            organisation: ready.organisation.clone(),
            model: ready.lineup.model.clone(),
            price: Arc::new(move |used: &[Usage]| {
                used.iter().filter_map(|usage| prices.cost(usage)).sum::<f64>() / 1e6
            }),
        })
    }

    /// Consoles learn of what was filed: the call is over, and nothing else may happen on the line.
    async fn tell(&self, since: DateTime<Utc>) {
        event_bus::passport::tell(&self.app, &self.store, self.job.passport_id).await;
        let filter =
            WorkFilter { passport_id: Some(self.job.passport_id), limit: MOST_TOLD, ..WorkFilter::default() };
        match self.store.list_work_items(filter).await {
            Ok(items) => {
                // Of a job that is tried again, also what was filed before it broke off.
                let fresh = |item: &&WorkItem| item.updated_at >= since || self.job.attempts > 1;
                for item in items.iter().filter(fresh) {
                    self.app.fanout.publish_work(self.tenant.0, &WorkEvent::updated(item));
                }
            }
            Err(error) => tracing::warn!(%error, job = %self.job.id, "what a job filed was not told"),
        }
    }

    async fn ended(&self, worked: Worked) -> Result<&'static str, StorageError> {
        let (id, attempt, at) = (self.job.id, self.job.attempts, Utc::now());
        match worked {
            Worked::Stopped => self.store.retry_job(id, attempt, at).await.map(|_| "stopped"),
            Worked::Concluded(_) | Worked::Nothing => {
                self.store.finish_job(id, attempt, chain::next(&self.job, at)).await.map(|_| "done")
            }
        }
    }

    async fn failed(&self, error: &OfficeError) -> Result<&'static str, StorageError> {
        let (id, attempt) = (self.job.id, self.job.attempts);
        tracing::warn!(%error, job = %id, attempt, "a job of the back office failed");
        if attempt < MOST_ATTEMPTS {
            let at = Utc::now() + WAIT.after(attempt);
            return self.store.retry_job(id, attempt, at).await.map(|_| "again");
        }
        // While a person has not got it, it stays ours; whoever claims it after the lease tries again.
        let Some(ready) = self.app.ready.get() else { return Ok("stuck") };
        let given_up = match self.office(ready).await {
            Ok(office) => office.give_up(self.job.passport_id, &self.job.team_id).await,
            Err(error) => Err(error),
        };
        if let Err(error) = given_up {
            tracing::error!(%error, job = %id, "a passport could not be handed to a person");
            return Ok("stuck");
        }
        self.store.fail_job(id, attempt).await.map(|_| "given_up")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wait_is_longer_than_the_one_before() {
        assert_eq!([1, 2, 3, 4].map(|attempt| WAIT.after(attempt).as_secs()), [5, 20, 80, 320]);
        assert_eq!(WAIT.after(u32::MAX).as_secs(), 5 * 4_096);
    }
}
