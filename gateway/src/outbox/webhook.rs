//! Alarms over HTTP: one POST an alarm, to an address of the operator's configuration.

use std::time::Duration;

use reqwest::{Client, StatusCode};
use secrecy::ExposeSecret;
use storage::outbox_records::Outgoing;
use storage::records::WorkStatus;
use storage::{Directory, TenantStore, WorkItemId, WorkItems};

use super::deliver::Delivery;
use crate::alarms::DESTINATION;
use crate::app::App;
use crate::config::alarms::Hook;

/// Longest wait for the receiver to answer.
const ANSWER: Duration = Duration::from_secs(10);
/// The header that tells a receiver that it has had this alarm.
const KEY: &str = "Idempotency-Key";

/// Posts an alarm, unless somebody has taken the request on since.
pub async fn post(app: &App, store: &TenantStore, row: &Outgoing) -> Delivery {
    let Some(hook) = hook(app, store, row).await else { return Delivery::Never("no_destination") };
    match is_waiting(store, row).await {
        Some(true) => {}
        Some(false) => return Delivery::Done(None),
        None => return Delivery::Again("storage"),
    }
    let Ok(client) = client(&hook) else { return Delivery::Again("no_client") };
    let mut request = client.post(&hook.url).header(KEY, &row.idempotency_key).json(&row.payload);
    for (name, value) in &hook.headers {
        request = request.header(name, value.expose_secret());
    }
    match request.send().await {
        Ok(answer) => settled(answer.status()),
        Err(error) if error.is_timeout() => Delivery::Again("timeout"),
        Err(_) => Delivery::Again("unreachable"),
    }
}

/// A receiver that is busy or broken may take it later; one that says no to it will go on saying no.
fn settled(status: StatusCode) -> Delivery {
    match status {
        _ if status.is_success() => Delivery::Done(None),
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => Delivery::Again("busy"),
        _ if status.is_server_error() => Delivery::Again("receiver_failed"),
        _ => Delivery::Never("refused"),
    }
}

async fn hook(app: &App, store: &TenantStore, row: &Outgoing) -> Option<Hook> {
    let name = row.destination.strip_prefix(DESTINATION)?;
    let tenant = app.platform.store().tenant_by_id(store.id()).await.ok()??;
    app.config.alarms.hooks.iter().find(|hook| hook.name == name && hook.serves(&tenant.slug)).cloned()
}

/// Whether still nobody has it. `None`: the store does not answer.
async fn is_waiting(store: &TenantStore, row: &Outgoing) -> Option<bool> {
    let id = row.payload["work_item_id"].as_str().and_then(|id| id.parse::<WorkItemId>().ok());
    let Some(id) = id else { return Some(false) };
    let item = store.work_item_by_id(id).await.ok()?;
    Some(item.is_some_and(|item| item.status == WorkStatus::Open && item.assignee.is_none()))
}

/// What a receiver knows us by goes to its address and no further: no redirect is followed.
fn client(hook: &Hook) -> reqwest::Result<Client> {
    let client = Client::builder().timeout(ANSWER).redirect(reqwest::redirect::Policy::none()).no_proxy();
    let is_plain = hook.url.starts_with("http://");
    if is_plain { client.tls_certs_only([]).build() } else { client.build() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_pass_is_tried_again_and_a_no_is_not() {
        assert_eq!(settled(StatusCode::ACCEPTED), Delivery::Done(None));
        assert_eq!(settled(StatusCode::BAD_GATEWAY), Delivery::Again("receiver_failed"));
        assert_eq!(settled(StatusCode::TOO_MANY_REQUESTS), Delivery::Again("busy"));
        assert_eq!(settled(StatusCode::NOT_FOUND), Delivery::Never("refused"));
        assert_eq!(settled(StatusCode::FOUND), Delivery::Never("refused"));
    }
}
