//! The built-in agent on this gateway's data.

use std::sync::Arc;

use agents::FrontDesk;
use agents::retriever::Retriever;
use agents::safety::Redactor;
use storage::{Directory, Platform};

use super::{AdoptTenant, MakeScreen};
use crate::demo;

/// A front desk that answers for every tenant there is.
pub async fn start(platform: &Platform, retriever: Arc<Retriever>) -> anyhow::Result<FrontDesk> {
    let desk = FrontDesk::new(retriever)?;
    for tenant in platform.store().tenants().await? {
        let facts = demo::facts(platform, &tenant).await?;
        desk.put_tenant(tenant.id.0, platform.tenant(tenant.id).await?, facts);
    }
    desk.warm().await;
    Ok(desk)
}

/// Words that callers of any tenant hear the same every time.
pub async fn fixed_phrases(platform: &Platform, desk: &FrontDesk) -> anyhow::Result<Vec<String>> {
    let tenants = platform.store().tenants().await?;
    Ok(tenants.iter().flat_map(|tenant| desk.fixed_phrases(tenant.id.0)).collect())
}

/// Screens that leave a tenant's own numbers in the clear.
#[must_use]
pub fn screens(desk: &FrontDesk) -> MakeScreen {
    let desk = desk.clone();
    Arc::new(move |tenant| Box::new(Redactor::new(desk.public_numbers(tenant.0))))
}

/// Lets the desk answer for a tenant that was made while it runs.
#[must_use]
pub fn adopter(desk: &FrontDesk) -> AdoptTenant {
    let desk = desk.clone();
    Arc::new(move |store, facts| desk.put_tenant(store.id().0, store, facts))
}
