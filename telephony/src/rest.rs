//! Asks a carrier something by HTTP. Everything is bounded in time.
//!
//! What may be asked twice is asked again where the carrier is busy or fails; what must not be done twice is asked by one request,
//! and again only where it is certain that nobody took the first.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use reqwest::{Client, Method, RequestBuilder, Response, StatusCode, header};
use serde::de::DeserializeOwned;

use crate::error::ControlError;

/// To an open connection.
const CONNECT: Duration = Duration::from_secs(3);
/// For one request and its answer.
const REQUEST: Duration = Duration::from_secs(6);
/// From then on nothing is tried again.
const ENOUGH: Duration = Duration::from_secs(10);
/// The carrier's own wish is followed up to here; beyond, whoever asked is told.
const LONGEST_WAIT: Duration = Duration::from_secs(2);
/// Largest answer.
const MOST_BYTES: usize = 512 * 1024;

/// Wait before another try, by its number from 0 and a seed; `None`: it is enough.
pub type Waits = fn(usize, u64) -> Option<Duration>;

/// What a status other than success, and the body that came with it, mean.
pub(crate) type Refused = fn(StatusCode, &[u8]) -> ControlError;

/// Whether a request may be made again though the first may have been carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Twice {
    Harmless,
    Never,
}

/// An HTTP interface of a carrier.
#[derive(Debug)]
pub(crate) struct Rest {
    http: Client,
    refused: Refused,
    waits: Waits,
    /// Counts requests, so that tries that failed together come back apart.
    asked: AtomicU64,
}

impl Rest {
    /// # Errors
    /// When no HTTP client can be made on this machine.
    pub(crate) fn new(address: &str, refused: Refused, waits: Waits) -> reqwest::Result<Self> {
        // What the account is known by goes to its address and no further: no redirect is followed.
        let client = Client::builder()
            .connect_timeout(CONNECT)
            .timeout(REQUEST)
            .retry(reqwest::retry::never())
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy();
        // Without TLS it is this machine, as in tests, and needs no certificates.
        let is_plain = address.starts_with("http://");
        let client = if is_plain { client.tls_certs_only([]) } else { client };
        Ok(Self { http: client.build()?, refused, waits, asked: AtomicU64::new(0) })
    }

    pub(crate) fn request(&self, method: Method, url: &str) -> RequestBuilder {
        self.http.request(method, url).header(header::ACCEPT, "application/json")
    }

    /// Asks until there is an answer that counts.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &self,
        twice: Twice,
        build: impl Fn() -> RequestBuilder,
    ) -> Result<T, ControlError> {
        let seed = self.asked.fetch_add(1, Ordering::Relaxed);
        let (began, mut tries) = (Instant::now(), 0);
        loop {
            tries += 1;
            let (error, wanted) = match build().send().await {
                Ok(response) => match answer(response, self.refused).await {
                    Ok(answer) => return Ok(answer),
                    Err(failed) => failed,
                },
                // Nobody was there to take it.
                Err(error) if error.is_connect() => (ControlError::Unreachable, None),
                Err(_) => (ControlError::Unknown, None),
            };
            // What was refused for being too many, or never left, was not carried out.
            let may_repeat = match error {
                ControlError::Unreachable | ControlError::TooMany => true,
                ControlError::Unknown | ControlError::Failed(_) | ControlError::Garbage => {
                    twice == Twice::Harmless
                }
                _ => false,
            };
            let may_repeat = may_repeat && began.elapsed() < ENOUGH;
            let wait = (self.waits)(tries, seed).filter(|_| may_repeat);
            let Some(wait) = wait.filter(|_| wanted.is_none_or(|wanted| wanted <= LONGEST_WAIT)) else {
                tracing::warn!(reason = error.reason(), tries, "the carrier did not do what it was asked");
                let is_uncertain = matches!(error, ControlError::Failed(_) | ControlError::Garbage);
                let unsure = twice == Twice::Never && is_uncertain;
                return Err(if unsure { ControlError::Unknown } else { error });
            };
            tokio::time::sleep(wanted.unwrap_or_default().max(wait)).await;
        }
    }
}

/// What an answer says; an error with the wait that the carrier asked for.
async fn answer<T: DeserializeOwned>(
    response: Response,
    refused: Refused,
) -> Result<T, (ControlError, Option<Duration>)> {
    let status = response.status();
    let wanted = response.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
    let wanted = wanted.and_then(|text| text.trim().parse().ok()).map(Duration::from_secs);
    let body = read(response).await.map_err(|error| (error, None))?;
    if status.is_success() {
        return serde_json::from_slice(&body).map_err(|_| (ControlError::Garbage, None));
    }
    Err((refused(status, &body), wanted))
}

async fn read(mut response: Response) -> Result<Vec<u8>, ControlError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|_| ControlError::Unknown)? {
        body.extend_from_slice(&chunk);
        if body.len() > MOST_BYTES {
            return Err(ControlError::Garbage);
        }
    }
    Ok(body)
}
