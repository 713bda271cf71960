//! The one task that looks through finished calls: woken by each, and sweeping for what a kill or a crowd left over.

use std::sync::Arc;
use std::time::Duration;

use chrono::{TimeDelta, Utc};
use pipeline::ports::Language;
use storage::{CallId, Directory, StorageError, TenantId, TenantStore};
use tokio::time::{MissedTickBehavior, interval};

use super::office::TenantMemory;
use super::review::review;
use crate::app::App;
use crate::dialing::notes;

const SWEEP: Duration = Duration::from_secs(60);
/// Calls that began earlier than this are not looked through any more.
const BACK: TimeDelta = TimeDelta::days(2);
/// Calls of one tenant looked through in one sweep.
const CALLS: u32 = 32;

/// Runs until the gateway closes.
pub async fn run(app: Arc<App>) {
    let mut sweeps = interval(SWEEP);
    sweeps.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            () = app.stop.closing.cancelled() => return,
            ended = app.memory.next_ended() => match ended {
                Some((tenant, call)) => told(one(&app, tenant, call).await, "a call"),
                None => return,
            },
            _ = sweeps.tick() => sweep(&app).await,
        }
    }
}

async fn one(app: &App, tenant: TenantId, call: CallId) -> Result<(), StorageError> {
    let store = app.platform.tenant(tenant).await?;
    // What is still being said is looked through with the rest.
    if notes::go_on(app, &store, call).await? {
        return Ok(());
    }
    let memory = app.memory.of(&store).await?;
    look_through(app, &memory, call).await
}

async fn sweep(app: &App) {
    let tenants = match app.platform.store().tenants().await {
        Ok(tenants) => tenants,
        Err(error) => return tracing::warn!(%error, "memory could not be swept"),
    };
    for tenant in tenants {
        if app.stop.closing.is_cancelled() {
            return;
        }
        let swept = match app.platform.tenant(tenant.id).await {
            Ok(store) => sweep_tenant(app, &store).await,
            Err(error) => Err(error),
        };
        told(swept, "a tenant");
    }
}

async fn sweep_tenant(app: &App, store: &TenantStore) -> Result<(), StorageError> {
    let memory = app.memory.of(store).await?;
    let now = Utc::now();
    memory.extractor.drop_old_notes(now).await?;
    for call in memory.extractor.calls_to_review(now - BACK, CALLS).await? {
        // One that cannot be looked through does not hold up the others; it is tried again for two days.
        told(look_through(app, &memory, call).await, "a call");
    }
    // What other specialists suggested meanwhile.
    memory.manager.review(None).await.map(drop)
}

async fn look_through(app: &App, memory: &TenantMemory, call: CallId) -> Result<(), StorageError> {
    let outcome = review(memory, call, usual(app, memory, call).await?).await?;
    tracing::debug!(call_id = %call, %outcome, "a call was looked through for memory");
    Ok(())
}

/// The language in which the call's line answers a stranger.
async fn usual(app: &App, memory: &TenantMemory, call: CallId) -> Result<Language, StorageError> {
    use storage::Calls;
    let Some(ready) = app.ready.get() else { return Ok(Language::default()) };
    let Some(call) = memory.store.call(call).await? else { return Ok(Language::default()) };
    let line = app.platform.store().line(&call.line).await?;
    Ok(line.map_or(Language::default(), |line| ready.lineup.language_of(&line)))
}

fn told(outcome: Result<(), StorageError>, what: &str) {
    if let Err(error) = outcome {
        tracing::warn!(%error, what, "was not looked through for memory");
    }
}
