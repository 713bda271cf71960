//! Deletes what is older than its tenant keeps it. One task, every hour, a few calls at a time, and only while few calls
//! are live: a deletion may wait, a caller may not. Legal holds are looked at by the database itself.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use storage::audit::{NewAudit, Party};
use storage::retention::{SweepLimits, Swept};
use storage::{Attempts, Directory, Retention, Settings, StorageError, TenantId, TenantStore};
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep};

use crate::app::App;
use crate::recording::delete;

/// Name of the tenant's setting.
pub const SETTING: &str = "retention";
/// Days that a tenant may ask for.
pub const DAYS: std::ops::RangeInclusive<u32> = 1..=36_500;
const EVERY: Duration = Duration::from_secs(60 * 60);
/// From the start of the gateway to its first sweep.
const AFTER_START: Duration = Duration::from_secs(5 * 60);
/// Calls and Passports of one batch.
const BATCH: u32 = 20;
/// Between two batches.
const PAUSE: Duration = Duration::from_secs(1);
/// One place in so many may be taken while we sweep.
const QUIET: usize = 10;
/// After so many sweeps that found no quiet moment, one goes on regardless: rules on deletion bind as well.
const PATIENCE: u32 = 24;

/// How long a tenant keeps what.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Keeps {
    /// Logs of calls: what was said and done.
    pub event_days: u32,
    /// What is in closed Passports, their ledgers and reviews, the task history, effects that are over, callers' numbers.
    pub task_days: u32,
    /// Recordings of calls.
    pub recording_days: u32,
}

impl Default for Keeps {
    fn default() -> Self {
        Self { event_days: 90, task_days: 180, recording_days: 90 }
    }
}

impl Keeps {
    /// A tenant's own, or the default.
    pub async fn of(store: &TenantStore) -> Result<Self, StorageError> {
        let kept = store.setting(SETTING).await?;
        Ok(kept.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
    }

    fn limits(self, now: DateTime<Utc>) -> SweepLimits {
        let before = |days: u32| now - TimeDelta::days(i64::from(days));
        SweepLimits {
            events_before: before(self.event_days),
            tasks_before: before(self.task_days),
            most: BATCH,
        }
    }
}

/// Runs until the gateway closes.
pub async fn run(app: Arc<App>) {
    let mut ticks = interval_at(Instant::now() + AFTER_START, EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut postponed = 0;
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = app.stop.closing.cancelled() => return,
        }
        match sweep_all(&app, postponed >= PATIENCE).await {
            Ok(true) => postponed = 0,
            Ok(false) => postponed += 1,
            Err(error) => {
                tracing::error!(%error, "tenants could not be read for their deletions; the next hour tries again")
            }
        }
    }
}

/// Sweeps every tenant; the fault of one stops no other. `false`: too many calls were live or the gateway closes, and the
/// rest waits for the next hour or the next start.
async fn sweep_all(app: &Arc<App>, regardless: bool) -> Result<bool, StorageError> {
    // A few rows, and nobody's: it waits for no quiet moment.
    if let Err(error) = app.platform.store().forget_attempts(Utc::now()).await {
        tracing::warn!(%error, "old attempts to sign in could not be deleted; the next hour tries again");
    }
    for tenant in app.platform.store().tenants().await? {
        match sweep_tenant(app, tenant.id, regardless).await {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(error) => {
                tracing::error!(%error, tenant = %tenant.id, "what is too old could not be deleted; the next hour tries again");
            }
        }
    }
    Ok(true)
}

/// Batch by batch until nothing is too old. A batch that has begun is brought to its end, also on the audit.
async fn sweep_tenant(app: &Arc<App>, tenant: TenantId, regardless: bool) -> Result<bool, StorageError> {
    let (closing, store) = (&app.stop.closing, app.platform.tenant(tenant).await?);
    loop {
        let is_busy = !regardless && app.live.len() * QUIET > app.capacity.most();
        if is_busy || closing.is_cancelled() {
            return Ok(false);
        }
        let gone = delete::old(app, &store, Keeps::of(&store).await?.recording_days, Utc::now()).await?;
        if sweep(app, &store, Utc::now()).await?.is_nothing() && gone == 0 {
            return Ok(true);
        }
        tokio::select! {
            () = sleep(PAUSE) => {}
            () = closing.cancelled() => {}
        }
    }
}

/// One batch of one tenant, on its audit when something went.
pub async fn sweep(app: &App, store: &TenantStore, now: DateTime<Utc>) -> Result<Swept, StorageError> {
    let keeps = Keeps::of(store).await?;
    let swept = store.sweep(keeps.limits(now)).await?;
    if !swept.is_nothing() {
        app.audit.record(Some(store.id()), swept_entry(store.id(), keeps, swept)).await?;
        tracing::info!(tenant = %store.id(), calls = swept.calls, rows = swept.rows, passports = swept.passports, "deleted for its age");
    }
    Ok(swept)
}

fn swept_entry(tenant: TenantId, keeps: Keeps, swept: Swept) -> NewAudit {
    NewAudit::new("retention.swept", Party::new("system", "retention"), Party::new("tenant", tenant))
        .with("event_days", keeps.event_days)
        .with("task_days", keeps.task_days)
        .with("calls", swept.calls)
        .with("rows", swept.rows)
        .with("passports", swept.passports)
        .with("tasks", swept.tasks)
        .with("effects", swept.effects)
        .with("callers", swept.callers)
}
