//! Keeps organisational memory in order, one tenant at a time and only while calls do not need the machine; and makes the
//! appointments that have come within reach.

use std::sync::Arc;
use std::time::Duration;

use chrono::Utc;
use storage::StorageError;
use tokio::time::{Instant, interval_at};

use crate::app::App;
use crate::quarantined_tenants;
use crate::tenant_config::appointments;

/// From the start to the first run, and from one run to the next.
const FIRST: Duration = Duration::from_secs(10 * 60);
const EVERY: Duration = Duration::from_secs(6 * 60 * 60);
/// Busier than this, a run is left out.
const BUSY: f32 = 0.5;

/// Runs until the gateway closes.
pub async fn run(app: Arc<App>) {
    let mut ticks = interval_at(Instant::now() + FIRST, EVERY);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = app.stop.closing.cancelled() => return,
        }
        if let Err(error) = appointments::renew_all(&app.platform).await {
            tracing::warn!(%error, "appointments were not renewed");
        }
        if let Err(error) = once(&app).await {
            tracing::warn!(%error, "organisational memory was not put in order");
        }
    }
}

/// One run over all tenants. A tenant that fails does not keep the others from theirs.
pub async fn once(app: &App) -> Result<(), StorageError> {
    for (tenant, store) in quarantined_tenants::sound(&app.platform).await? {
        let Some(ready) = app.ready.get().filter(|ready| ready.load() < BUSY) else { return Ok(()) };
        match ready.organisation.upkeep(&store, Utc::now()).await {
            Ok(done) if done.merged + done.embedded > 0 => {
                tracing::info!(
                    tenant = %tenant.slug, merged = done.merged, embedded = done.embedded, "memory put in order"
                );
            }
            Ok(_) => {}
            Err(error) => tracing::warn!(tenant = %tenant.slug, %error, "its memory was not put in order"),
        }
    }
    Ok(())
}
