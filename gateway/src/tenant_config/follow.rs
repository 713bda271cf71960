//! What another gateway on the same database, or the command line, changed of a tenant: taken up here for the next call.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use storage::versions::VersionKind;
use storage::{StorageError, Tenant, TenantId, TenantStore, Versions};
use tokio::time::sleep;

use crate::app::App;
use crate::demo;
use crate::quarantined_tenants;

/// From one look to the next.
const EVERY: Duration = Duration::from_secs(10);

/// The newest version of each tenant's document that this gateway answers by.
#[derive(Debug, Default)]
pub(crate) struct Seen(HashMap<TenantId, i64>);

impl Seen {
    /// What holds now, as the engines read it when they start after this.
    pub(crate) async fn now(app: &App) -> Result<Self, StorageError> {
        let mut seen = HashMap::new();
        for (tenant, store) in quarantined_tenants::sound(&app.platform).await? {
            seen.insert(tenant.id, store.version_stamp(VersionKind::Config).await?);
        }
        Ok(Self(seen))
    }
}

/// Looks until the gateway closes.
pub async fn run(app: Arc<App>) {
    let mut seen = Seen::now(&app).await.unwrap_or_default();
    loop {
        tokio::select! {
            () = sleep(EVERY) => {}
            () = app.stop.closing.cancelled() => return,
        }
        if let Err(error) = look(&app, &mut seen).await {
            tracing::warn!(%error, "whether another gateway changed a tenant could not be looked up");
        }
    }
}

/// Takes up each document that is newer than what was seen, and each tenant that was not there. What fails is tried again at
/// the next look.
pub(crate) async fn look(app: &App, seen: &mut Seen) -> Result<(), StorageError> {
    if app.ready.get().is_none() {
        return Ok(());
    }
    for (tenant, store) in quarantined_tenants::sound(&app.platform).await? {
        let newest = store.version_stamp(VersionKind::Config).await?;
        if seen.0.get(&tenant.id) == Some(&newest) {
            continue;
        }
        match take_up(app, &tenant, store).await {
            Ok(()) => {
                seen.0.insert(tenant.id, newest);
            }
            Err(error) => tracing::warn!(tenant = %tenant.slug, %error, "its new document was not taken up"),
        }
    }
    Ok(())
}

/// Running engines answer by what is kept of a tenant from the next call on: one that is new, or whose document changed here
/// or elsewhere.
pub(crate) async fn take_up(app: &App, tenant: &Tenant, store: TenantStore) -> anyhow::Result<()> {
    app.vocabularies.changed(tenant.id);
    let Some(ready) = app.ready.get() else { return Ok(()) };
    let facts = demo::facts(&app.platform, tenant).await?;
    let rules = demo::rules_in_force(&store, &facts).await?;
    let lexicon = app.vocabularies.of(&store).await.lexicon;
    (ready.providers.adopt)(store, facts);
    (ready.providers.rules)(tenant.id, rules);
    (ready.lineup.renew)(tenant.id, &Arc::clone(&lexicon));
    Ok(())
}
