//! Calls that are over and whose end could not be written: it is tried until the store takes it, so that no call stays live
//! on our books after a full disk.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use parking_lot::Mutex;
use storage::{CallId, Calls, StorageError, TenantId};

use crate::app::App;

/// Ends that may wait; further ones are closed by the next start.
const MOST: usize = 20_000;

#[derive(Clone, Debug)]
struct End {
    tenant: TenantId,
    reason: String,
    at: DateTime<Utc>,
}

/// The ends that wait.
#[derive(Debug, Default)]
pub struct Unended(Mutex<HashMap<CallId, End>>);

impl Unended {
    /// Keeps an end until it is written.
    pub fn note(&self, call: CallId, tenant: TenantId, reason: &str, at: DateTime<Utc>) {
        let mut waiting = self.0.lock();
        if waiting.len() < MOST || waiting.contains_key(&call) {
            waiting.entry(call).or_insert_with(|| End { tenant, reason: reason.to_owned(), at });
        } else {
            tracing::error!(call_id = %call, "too many ends wait to be written: the next start closes this call");
        }
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.0.lock().len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes what can be written. A tenant whose store still takes nothing is asked once a round.
    pub async fn write(&self, app: &App) {
        let waiting: Vec<(CallId, End)> =
            self.0.lock().iter().map(|(call, end)| (*call, end.clone())).collect();
        let mut stuck = Vec::new();
        for (call, end) in waiting {
            if stuck.contains(&end.tenant) || app.live.find(call).is_some() {
                continue;
            }
            match write_one(app, call, &end).await {
                // A call that was never begun has no end.
                Ok(()) | Err(StorageError::NotFound { .. }) => {
                    self.0.lock().remove(&call);
                    tracing::warn!(call_id = %call, "a call's end was written late");
                }
                Err(error) => {
                    tracing::warn!(%error, tenant = %end.tenant, "ends of calls still cannot be written");
                    stuck.push(end.tenant);
                }
            }
        }
    }
}

async fn write_one(app: &App, call: CallId, end: &End) -> Result<(), StorageError> {
    let store = app.platform.tenant(end.tenant).await?;
    store.end_call(call, &end.reason, end.at).await.map(drop)
}
