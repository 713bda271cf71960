//! Alarms on their way out: who receives one, and whether it is still to be told.

use storage::outbox_records::Outgoing;
use storage::records::WorkStatus;
use storage::{Directory, TenantStore, WorkItemId, WorkItems};

use super::deliver::Delivery;
use super::{mail, webhook};
use crate::alarms::{DESTINATION, MAIL};
use crate::app::App;

/// Tells one receiver, unless somebody has taken the request on since.
pub async fn tell(app: &App, store: &TenantStore, row: &Outgoing) -> Delivery {
    let Ok(tenant) = app.platform.store().tenant_by_id(store.id()).await else {
        return Delivery::Again("storage");
    };
    let slug = tenant.map(|tenant| tenant.slug).unwrap_or_default();
    match is_waiting(store, row).await {
        Some(true) => {}
        Some(false) => return Delivery::Done(None),
        None => return Delivery::Again("storage"),
    }
    let settings = &app.config.alarms;
    let name = row.destination.strip_prefix(DESTINATION).unwrap_or_default();
    if let Some(name) = name.strip_prefix(MAIL) {
        return match settings.mail.iter().find(|mail| mail.name == name && mail.serves(&slug)) {
            Some(found) => mail::send(found, row, app.public_url.as_str()).await,
            None => Delivery::Never("no_destination"),
        };
    }
    match settings.hooks.iter().find(|hook| hook.name == name && hook.serves(&slug)) {
        Some(hook) => webhook::post(hook, row).await,
        None => Delivery::Never("no_destination"),
    }
}

/// Whether still nobody has it. `None`: the store does not answer.
async fn is_waiting(store: &TenantStore, row: &Outgoing) -> Option<bool> {
    let id = row.payload["work_item_id"].as_str().and_then(|id| id.parse::<WorkItemId>().ok());
    let Some(id) = id else { return Some(false) };
    let item = store.work_item_by_id(id).await.ok()?;
    Some(item.is_some_and(|item| item.status == WorkStatus::Open && item.assignee.is_none()))
}
