//! After-action reviews of finished passports: one task, woken at the end of each call and of each job of the back office,
//! with a sweep every minute that also finds what a stopped process left. A passport is reviewed once, whoever is first, and
//! again when people decide something about what it left.
//! What is learnt goes into organisational memory, which comes up with the engines: until then, passports wait.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use chrono::Utc;
use storage::{Directory, PassportId, Reviews, StorageError, TenantStore};
use work::review::{self, Reviewed};

use crate::app::App;
use crate::event_bus;
use crate::providers::Ready;

/// Between two sweeps where nothing wakes the task.
const SWEEP: Duration = Duration::from_secs(60);
/// From the end of a call until its books are closed, as a rule.
const SETTLE: Duration = Duration::from_secs(1);
/// Passports of a tenant in one sweep.
const AT_ONCE: u32 = 200;
/// Passports that could not be reviewed and are left alone until the next start.
const MAX_BROKEN: usize = 10_000;

/// Until the gateway closes.
pub async fn run(app: Arc<App>) {
    let mut broken = HashSet::new();
    loop {
        if let Some(ready) = app.ready.get() {
            sweep(&app, ready, &mut broken).await;
        }
        tokio::select! {
            () = app.stop.closing.cancelled() => return,
            () = app.reviewing.notified() => {}
            () = tokio::time::sleep(SWEEP) => {}
        }
        tokio::select! {
            () = app.stop.closing.cancelled() => return,
            () = tokio::time::sleep(SETTLE) => {}
        }
    }
}

async fn sweep(app: &App, ready: &Ready, broken: &mut HashSet<PassportId>) {
    let tenants = match app.platform.store().tenants().await {
        Ok(tenants) => tenants,
        Err(error) => return tracing::warn!(%error, "tenants could not be read for reviews"),
    };
    for tenant in tenants {
        let done = match app.platform.tenant(tenant.id).await {
            Ok(store) => of_tenant(app, ready, &store, broken).await,
            Err(error) => Err(error),
        };
        if let Err(error) = done {
            tracing::warn!(%error, tenant = %tenant.slug, "passports could not be reviewed");
        }
    }
}

async fn of_tenant(
    app: &App,
    ready: &Ready,
    store: &TenantStore,
    broken: &mut HashSet<PassportId>,
) -> Result<(), StorageError> {
    let mut waiting = store.unreviewed(AT_ONCE).await?;
    waiting.extend(store.unsettled(AT_ONCE).await?);
    for passport in waiting {
        if app.stop.closing.is_cancelled() {
            return Ok(());
        }
        if broken.contains(&passport) {
            continue;
        }
        let mut screen = (ready.providers.screen)(store.id());
        match review::run(store, &ready.organisation, screen.as_mut(), passport, Utc::now()).await {
            Ok(Reviewed::Now(review) | Reviewed::Settled(review)) => {
                let verdict = review.verdict.map_or("undecided", |verdict| verdict.as_str());
                metrics::counter!("quandura_reviews_total", "verdict" => verdict).increment(1);
                tracing::info!(%passport, verdict, effectiveness = review.effectiveness, "passport reviewed");
                event_bus::passport::tell(app, store, passport).await;
            }
            Ok(Reviewed::Before | Reviewed::Unknown) => {}
            // Others write it just now: the next sweep has it again.
            Err(StorageError::Conflict { .. }) => {
                tracing::debug!(%passport, "a passport changed under its review")
            }
            Err(StorageError::Invalid { what } | StorageError::Crypto { what }) => {
                tracing::error!(%passport, what, "a passport cannot be reviewed");
                if broken.len() < MAX_BROKEN {
                    broken.insert(passport);
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
