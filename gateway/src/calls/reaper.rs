//! Closes calls whose stream never came, so that no call stays open on our books.

use std::sync::Arc;
use std::time::Duration;

use chrono::Utc;
use storage::{Calls, StorageError};
use tokio::time::interval;

use super::notes;
use super::pending_streams::ExpectedCall;
use crate::app::App;
use crate::dialing::transfer::{self, Told};
use crate::telemetry::metrics;

const EVERY: Duration = Duration::from_secs(5);

/// Runs until the gateway closes.
pub async fn run(app: Arc<App>) {
    let mut ticks = interval(EVERY);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = app.stop.closing.cancelled() => return,
        }
        for call in app.expected.overdue(app.config.limits.stream_wait) {
            close(&app, &call, "stream_lost").await;
        }
        notes::give_up_overdue(&app).await;
        app.unended.write(&app).await;
    }
}

/// Puts a call that never became one on record, as ended.
pub async fn close(app: &App, call: &ExpectedCall, reason: &str) {
    metrics::refused("stream_never_came");
    tracing::warn!(call_id = %call.id, reason, "a call ended before its stream came");
    if let Err(e) = note(app, call, reason).await {
        tracing::error!(call_id = %call.id, error = %e, "its end could not be recorded");
        app.unended.note(call.id, call.line.tenant_id, reason, Utc::now());
    }
}

async fn note(app: &App, call: &ExpectedCall, reason: &str) -> Result<(), StorageError> {
    let store = app.platform.tenant(call.line.tenant_id).await?;
    let now = Utc::now();
    if !call.resumes {
        store.begin_call(call.record(now)).await?;
    }
    store.end_call(call.id, reason, now).await?;
    // They were on their way back from somebody who did not take the call, and were told nothing.
    if call.returned.is_some()
        && let Some(known) = store.call(call.id).await?
    {
        transfer::owe(&store, &known, Told::Nothing).await?;
    }
    Ok(())
}
