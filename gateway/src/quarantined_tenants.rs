//! Tenants whose data cannot be used, such as one whose file is damaged. The others are served; these are told in the log
//! and in `/health`, left untouched for whoever repairs them, and tried again.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::Utc;
use parking_lot::Mutex;
use std::sync::Arc;
use storage::{Calls, Directory, Jobs, Platform, StorageError, Tenant, TenantId, TenantStore};
use tokio::time::sleep;

use crate::app::App;
use crate::calls::crash_cleanup;
use crate::demo;

/// Between two looks whether a tenant was repaired.
const EVERY: Duration = Duration::from_secs(30);

/// Those that are set aside.
#[derive(Debug, Default)]
pub struct Damaged(Mutex<BTreeMap<TenantId, Tenant>>);

impl Damaged {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.lock().is_empty()
    }

    fn all(&self) -> Vec<Tenant> {
        self.0.lock().values().cloned().collect()
    }
}

/// The stores of all tenants, without those that cannot be opened.
pub async fn sound(platform: &Platform) -> Result<Vec<(Tenant, TenantStore)>, StorageError> {
    let mut sound = Vec::new();
    for tenant in platform.store().tenants().await? {
        match platform.tenant(tenant.id).await {
            Ok(store) => sound.push((tenant, store)),
            Err(error) if error.is_transient() => return Err(error),
            Err(error) => tracing::error!(tenant = %tenant.slug, %error, "a tenant's data cannot be opened"),
        }
    }
    Ok(sound)
}

/// Closes on our books what a killed process left open, and puts its jobs back into the queue. A tenant for whom that
/// cannot be done is set aside; only a database that all share stops the start.
pub async fn recover(platform: &Platform) -> anyhow::Result<Damaged> {
    let damaged = Damaged::default();
    for tenant in platform.store().tenants().await? {
        match recover_tenant(platform, &tenant).await {
            Ok(()) => {}
            Err(error @ StorageError::Unavailable { .. }) => return Err(error.into()),
            Err(error) => {
                tracing::error!(tenant = %tenant.slug, %error, "a tenant is not served: its data cannot be used");
                damaged.0.lock().insert(tenant.id, tenant);
            }
        }
    }
    Ok(damaged)
}

async fn recover_tenant(platform: &Platform, tenant: &Tenant) -> Result<(), StorageError> {
    let store = platform.tenant(tenant.id).await?;
    // Before the calls are closed: a start that is killed too begins here again.
    for call in store.left_calls().await? {
        if let Err(error) = crash_cleanup::settle(&store, call).await {
            tracing::error!(%error, call_id = %call, "what was open in an interrupted call has no end on record");
        }
    }
    let left = store.recover_live_calls().await?;
    for call in &left {
        if let Err(error) = agents::note_interrupted(&store, tenant.id.0, call, Utc::now()).await {
            tracing::error!(%error, call_id = %call.call, "the passport of an interrupted call was not updated");
        }
    }
    store.release_jobs().await?;
    work::office::adopt_left(&store, Utc::now()).await?;
    if !left.is_empty() {
        tracing::warn!(calls = left.len(), tenant = %tenant.slug, "calls that the last process left open were closed");
    }
    Ok(())
}

/// Looks until the gateway closes whether what was set aside has been repaired.
pub async fn run(app: Arc<App>) {
    loop {
        tokio::select! {
            () = sleep(EVERY) => {}
            () = app.stop.closing.cancelled() => return,
        }
        for tenant in app.damaged.all() {
            match take_back(&app, &tenant).await {
                Ok(()) => tracing::warn!(tenant = %tenant.slug, "a tenant is served again"),
                Err(error) => {
                    tracing::warn!(tenant = %tenant.slug, %error, "a tenant is still not served")
                }
            }
        }
    }
}

async fn take_back(app: &App, tenant: &Tenant) -> anyhow::Result<()> {
    // Its calls may have begun again already, but for the engines: those learn of it here.
    let Some(ready) = app.ready.get() else { return Ok(()) };
    let store = app.platform.tenant(tenant.id).await?;
    store.release_jobs().await?;
    work::office::adopt_left(&store, Utc::now()).await?;
    let facts = demo::facts(&app.platform, tenant).await?;
    (ready.providers.adopt)(store, facts);
    app.damaged.0.lock().remove(&tenant.id);
    Ok(())
}
