//! Making one effect, by where it goes.

use chrono::Utc;
use dialogue::builtin::TenantFacts;
use governance::rules::RuleSet;
use serde_json::{Value, json};
use storage::outbox_records::Outgoing;
use storage::{Directory, TenantStore};
use work::clerk::{Clerk, Visit};
use work::tools::registry::Policy;
use work::tools::remote::outside::{DESTINATION, is_blocked};

use super::alarm;
use crate::alarms;
use crate::app::App;
use crate::demo;

/// Our own front desk: tools that waited for a person's word.
pub const DESK: &str = work::clerk::DESK;

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
        return by_the_desk(app, store, row).await;
    }
    if row.destination.starts_with(alarms::DESTINATION) {
        return alarm::tell(app, store, row).await;
    }
    match row.destination.strip_prefix(DESTINATION) {
        Some(server) => by_a_server(app, store, server, row).await,
        None => Delivery::Never("no_destination"),
    }
}

/// A tool of a server outside. Its key goes with it: a server that keeps to it does it once.
async fn by_a_server(app: &App, store: &TenantStore, server: &str, row: &Outgoing) -> Delivery {
    let Some(engines) = app.ready.get() else { return Delivery::Again("starting") };
    let mut servers = engines.providers.outside.of_tenant(store.id().0);
    let Some(remote) = servers.find(|remote| remote.settings.name == server) else {
        return Delivery::Never("no_destination");
    };
    let tools = remote.tools();
    let Some(known) = tools.iter().find(|known| known.tool.name == row.tool) else {
        return Delivery::Again("not_offered");
    };
    if known.check_input(&row.payload).is_err() {
        return Delivery::Never("bad_input");
    }
    let Some((_, rules)) = in_force(app, store).await else { return Delivery::Again("storage") };
    if is_blocked(&rules, &row.tool, &row.payload) {
        return Delivery::Never("rule");
    }
    match remote.call(known, &row.payload, Some(&row.idempotency_key)).await {
        Ok(said) if said.is_error => Delivery::Never("refused"),
        Ok(said) => Delivery::Done(Some(json!({ "text": said.text, "structured": said.structured }))),
        Err(failure) if failure.is_passing() => Delivery::Again(failure.word()),
        Err(failure) => Delivery::Never(failure.word()),
    }
}

/// What a tenant has configured, and its rules as they stand now: a person's word does not lift what a rule blocks, and the
/// rule may be younger than the word.
async fn in_force(app: &App, store: &TenantStore) -> Option<(TenantFacts, RuleSet)> {
    let tenant = app.platform.store().tenant_by_id(store.id()).await.ok()??;
    let facts = demo::facts(&app.platform, &tenant).await.ok()?;
    let rules = demo::rules_in_force(store, &facts).await.ok()?;
    Some((facts, rules))
}

async fn by_the_desk(app: &App, store: &TenantStore, row: &Outgoing) -> Delivery {
    let Some(engines) = app.ready.get() else { return Delivery::Again("starting") };
    let Some((facts, rules)) = in_force(app, store).await else { return Delivery::Again("storage") };
    let retriever = engines.providers.retriever.clone();
    let clerk = Clerk { tenant: store.id().0, store: store.clone(), facts, retriever, rules };
    // A person has decided: no level of autonomy stands in the way any more.
    let policy = Policy::person();
    let visit = Visit {
        may_write: true,
        policy: &policy,
        key: Some(&row.idempotency_key),
        call: row.call_id,
        passport: row.passport_id,
        now: Utc::now(),
    };
    match clerk.call(&row.tool, &row.payload, visit).await {
        Ok(answer) if !answer.is_error() => Delivery::Done(answer.structured),
        Ok(answer) if answer.again => Delivery::Again("not_saved"),
        Ok(_) => Delivery::Never("not_possible"),
        Err(refusal) => Delivery::Never(refusal.reason()),
    }
}
