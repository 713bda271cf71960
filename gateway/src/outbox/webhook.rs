//! Alarms over HTTP: one POST an alarm, to an address of the operator's configuration.

use std::time::Duration;

use reqwest::{Client, StatusCode};
use secrecy::ExposeSecret;
use storage::outbox_records::Outgoing;

use super::deliver::Delivery;
use crate::config::alarms::Hook;

/// Longest wait for the receiver to answer.
const ANSWER: Duration = Duration::from_secs(10);
/// The header that tells a receiver that it has had this alarm.
const KEY: &str = "Idempotency-Key";

/// Posts an alarm.
pub async fn post(hook: &Hook, row: &Outgoing) -> Delivery {
    let Ok(client) = client(hook) else { return Delivery::Again("no_client") };
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
