//! The back office at work: one task that claims jobs, and some that do them, while live calls leave room for it.
//!
//! A job is durable and leased. A process that dies leaves it to the next start of the node, or, after the lease, to
//! another node. What a job does is in [`chain`]; each step of it is written once, whoever goes on with it.

pub mod chain;
pub mod job;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use parking_lot::Mutex;
use storage::{Directory, Job, Jobs, StorageError, TenantId, TenantStore};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::app::App;
use crate::calls::admission;
use crate::office::job::Claimed;
use crate::providers::Ready;

/// How often the tenants that may have work are looked at.
const TICK: Duration = Duration::from_millis(500);
/// How often all tenants are: jobs whose time has come, or that another node left.
const SWEEP: Duration = Duration::from_secs(15);
/// A call's books may close after its end: so long a tenant is looked at again and again.
const HOT: Duration = Duration::from_secs(10);
/// How long a claim is good without being renewed. Longer than the longest step.
pub(crate) const LEASE: TimeDelta = TimeDelta::minutes(3);
/// Use of engines and machine from which the office stands back, 0 to 1. New calls are refused far above that.
pub(crate) const QUIET: f32 = 0.6;
/// Jobs at a time, at most.
const MOST_JOBS: usize = 4;

/// Tenants of which a call has just ended, and how pressing it was. Rung from calls, emptied by the office; one entry a tenant.
#[derive(Debug, Default)]
pub struct Bell(Mutex<HashMap<TenantId, Pressing>>);

/// Whether work may wait for a quiet machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pressing {
    MayWait,
    /// Somebody spoke of danger: people must learn of it however busy the line is.
    Now,
}

impl Bell {
    /// There may be work of this tenant's.
    pub fn ring(&self, tenant: TenantId, pressing: Pressing) {
        let mut rung = self.0.lock();
        let known = rung.entry(tenant).or_insert(pressing);
        *known = pressing.max(*known);
    }

    fn rung(&self) -> HashMap<TenantId, Pressing> {
        std::mem::take(&mut self.0.lock())
    }
}

/// Half of the cores, at least one and at most four.
#[must_use]
pub fn places(cores: usize) -> usize {
    (cores / 2).clamp(1, MOST_JOBS)
}

/// Runs until the gateway closes. What is under way then stays leased until the next start puts it back.
pub async fn run(app: Arc<App>) {
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut desk = Desk { places: places(admission::cores()), ..Desk::default() };
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            Some(ended) = desk.running.join_next() => note_panic(&app, ended),
            () = app.stop.closing.cancelled() => break,
        }
        if app.stop.draining.is_cancelled() {
            continue;
        }
        if let Err(error) = desk.look(&app).await {
            tracing::warn!(%error, "the queue of the back office could not be read");
        }
    }
    desk.running.shutdown().await;
}

/// A job that panics keeps its lease; it is tried again when that has run out.
fn note_panic(app: &App, ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        app.loops.note("office_job", &error);
    }
}

async fn claim(
    app: &App,
    tenant: TenantId,
    at: DateTime<Utc>,
) -> Result<Option<(TenantStore, Job)>, StorageError> {
    let store = app.platform.tenant(tenant).await?;
    let job = store.claim_job(at, at + LEASE).await?;
    Ok(job.map(|job| (store, job)))
}

#[derive(Default)]
struct Desk {
    places: usize,
    running: JoinSet<()>,
    /// Until when a tenant is looked at on every tick.
    hot: HashMap<TenantId, Instant>,
    /// Until when its jobs do not wait for a quiet machine.
    pressing: HashMap<TenantId, Instant>,
    swept: Option<Instant>,
}

impl Desk {
    async fn look(&mut self, app: &Arc<App>) -> Result<(), StorageError> {
        // Engines that are still coming up are no sweep: what the last process left waits for the first that can work.
        if app.ready.get().is_none() {
            return Ok(());
        }
        let now = Instant::now();
        self.hot.retain(|_, until| *until > now);
        self.pressing.retain(|_, until| *until > now);
        for (tenant, pressing) in app.office.rung() {
            self.hot.insert(tenant, now + HOT);
            if pressing == Pressing::Now {
                self.pressing.insert(tenant, now + HOT);
            }
        }
        if self.swept.is_none_or(|at| now.duration_since(at) >= SWEEP) {
            self.swept = Some(now);
            for tenant in app.platform.store().tenants().await? {
                self.hot.entry(tenant.id).or_insert(now);
            }
        }
        let tenants: Vec<TenantId> = self.hot.keys().copied().collect();
        for tenant in tenants {
            let pressing = match self.pressing.contains_key(&tenant) {
                true => Pressing::Now,
                false => Pressing::MayWait,
            };
            while self.has_room(app, pressing) {
                let at = Utc::now();
                let (store, job) = match claim(app, tenant, at).await {
                    Ok(Some(claimed)) => claimed,
                    Ok(None) => break,
                    // The fault of one tenant stops no other.
                    Err(error) => {
                        tracing::warn!(%error, %tenant, "a tenant's jobs could not be read");
                        break;
                    }
                };
                let claimed = Claimed { app: app.clone(), tenant, store, job, pressing };
                self.running.spawn(claimed.run());
                self.hot.insert(tenant, now + HOT);
            }
        }
        Ok(())
    }

    fn has_room(&self, app: &App, pressing: Pressing) -> bool {
        let is_quiet = |ready: &Ready| pressing == Pressing::Now || ready.load() < QUIET;
        // One place more: what waits for a quiet machine does not stand before what must not.
        let places = self.places + usize::from(pressing == Pressing::Now);
        self.running.len() < places && app.ready.get().is_some_and(is_quiet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_cores_work_and_never_none_and_never_many() {
        assert_eq!([1, 2, 3, 4, 8, 64].map(places), [1, 1, 1, 2, 4, 4]);
    }

    #[test]
    fn a_bell_that_is_rung_often_is_heard_once() {
        let (bell, tenant) = (Bell::default(), TenantId::new());
        bell.ring(tenant, Pressing::MayWait);
        bell.ring(tenant, Pressing::MayWait);
        assert_eq!(bell.rung(), HashMap::from([(tenant, Pressing::MayWait)]));
        assert!(bell.rung().is_empty());
    }

    #[test]
    fn what_is_pressing_stays_so_whoever_rings_after_it() {
        let (bell, tenant) = (Bell::default(), TenantId::new());
        for pressing in [Pressing::MayWait, Pressing::Now, Pressing::MayWait] {
            bell.ring(tenant, pressing);
        }
        assert_eq!(bell.rung(), HashMap::from([(tenant, Pressing::Now)]));
    }
}
