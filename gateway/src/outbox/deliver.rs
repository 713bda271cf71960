//! Making one effect, by where it goes.

use agents::tools::clerk::{Clerk, Visit};
use agents::tools::registry::Policy;
use chrono::Utc;
use serde_json::Value;
use storage::outbox_records::Outgoing;
use storage::{Directory, TenantStore};

use crate::app::App;
use crate::demo;

/// Our own front desk: tools that waited for a person's word.
pub const DESK: &str = agents::tools::clerk::DESK;

/// What came of it.
#[derive(Clone, PartialEq, Debug)]
pub enum Delivery {
    Done(Option<Value>),
    /// It may work later.
    Again(&'static str),
    /// It will never work.
    Never(&'static str),
}

/// Makes an effect. The same key made twice is one effect: whoever makes it sees to that.
pub async fn deliver(app: &App, store: &TenantStore, row: &Outgoing) -> Delivery {
    if row.destination == DESK {
        by_the_desk(app, store, row).await
    } else {
        Delivery::Never("no_destination")
    }
}

async fn by_the_desk(app: &App, store: &TenantStore, row: &Outgoing) -> Delivery {
    let Some(engines) = app.ready.get() else { return Delivery::Again("starting") };
    let Ok(Some(tenant)) = app.platform.store().tenant_by_id(store.id()).await else {
        return Delivery::Again("storage");
    };
    let Ok(facts) = demo::facts(&app.platform, &tenant).await else { return Delivery::Again("storage") };
    let retriever = engines.providers.retriever.clone();
    let clerk = Clerk { tenant: tenant.id.0, store: store.clone(), facts, retriever };
    // A person has decided: no level of autonomy stands in the way any more.
    let policy = Policy::person();
    let visit = Visit { may_write: true, policy: &policy, key: Some(&row.idempotency_key), now: Utc::now() };
    match clerk.call(&row.tool, &row.payload, visit).await {
        Ok(answer) if !answer.is_error() => Delivery::Done(answer.structured),
        Ok(answer) if answer.again => Delivery::Again("not_saved"),
        Ok(_) => Delivery::Never("not_possible"),
        Err(refusal) => Delivery::Never(refusal.reason()),
    }
}
