//! One call as the carrier knows it: who is called, what the gateway orders, and what it tells of the call.

use std::time::Duration;

use anyhow::{Context, bail};
use reqwest::Client;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use telephony::call_status::VoiceRequest;
use telephony::media::StreamStart;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::show::Show;
use crate::cli::args::Dial;
use crate::cli::client::{base_url, http, token};
use crate::config::Config;
use caller::dial::Exchange;
use caller::follow::{Followed, follow, tenant_of};
use caller::order::Order;

/// How long the last events may take after the call.
const LAST_EVENTS: Duration = Duration::from_secs(4);

/// A call to be placed.
#[derive(Debug)]
pub struct Dialled {
    exchange: Exchange,
    request: VoiceRequest,
}

/// A stream that the gateway ordered.
#[derive(Debug)]
pub struct Stream {
    pub url: String,
    pub signature: Option<(&'static str, String)>,
    pub start: StreamStart,
}

impl Dialled {
    /// Finds the line, when a tenant is named in place of it.
    pub async fn new(config: &Config, dial: &Dial) -> anyhow::Result<Self> {
        let base = base_url(config, dial.target.url.as_deref())?;
        let exchange = Exchange::new(config.carrier_account(), http()?, base);
        let to = match &dial.tenant {
            Some(tenant) => first_line(config, &exchange, tenant).await?,
            None => dial.to.clone(),
        };
        let request = exchange.ring(&dial.from, &to);
        Ok(Self { exchange, request })
    }

    pub fn to(&self) -> &str {
        &self.request.to
    }

    pub fn base(&self) -> &str {
        self.exchange.base()
    }

    /// Follows the call's events, where we have a token to look at them.
    pub async fn follow(&self, config: &Config, show: &Show) -> Option<Follower> {
        let (http, base) = (self.exchange.http(), self.exchange.base());
        let Some(token) = token(config, base) else {
            show.note("no transcript: set ADMIN_TOKEN to see one");
            return None;
        };
        let tenant = tenant_of(http, base, &token, &self.request.to).await;
        match follow(http, base, &token, tenant, self.request.call_sid.clone()).await {
            Ok(events) => Some(Follower { task: tokio::spawn(print(events, show.clone())) }),
            Err(e) => {
                show.note(&format!("no transcript: {e:#}"));
                None
            }
        }
    }

    /// Rings, and gives the stream to be opened.
    pub async fn place(&self) -> anyhow::Result<Stream> {
        let (url, parameters) = match self.exchange.place(&self.request).await? {
            Order::Stream { url, parameters } => (url, parameters),
            Order::Say(text) => bail!("the gateway did not take the call; it says: {text}"),
            Order::HangUp => bail!("the gateway did not take the call: busy"),
        };
        let start = self.exchange.start(&self.request, parameters);
        Ok(Stream { signature: self.exchange.stream_signature(&url), url, start })
    }
}

/// The number of a tenant's first line.
async fn first_line(config: &Config, exchange: &Exchange, tenant: &str) -> anyhow::Result<String> {
    let base = exchange.base();
    let Some(token) = token(config, base) else {
        bail!(
            "--tenant: there is no token to look up its line at {base}: set ADMIN_TOKEN, or give --to NUMBER"
        );
    };
    let tenants = tenants(exchange.http(), base, &token).await?;
    let is_meant = |item: &&Value| item["slug"] == tenant || item["id"] == tenant;
    let found = tenants["items"].as_array().and_then(|items| items.iter().find(is_meant));
    let Some(found) = found else {
        bail!("--tenant: there is no tenant `{tenant}`: `quandura tenant list` shows them");
    };
    let number = found["lines"].get(0).and_then(|line| line["number"].as_str()).map(str::to_owned);
    number.with_context(|| {
        format!("--tenant: `{tenant}` has no line: give it one, in the console or over the API")
    })
}

async fn tenants(http: &Client, base: &str, token: &SecretString) -> anyhow::Result<Value> {
    let asked = http.get(format!("{base}/v1/tenants")).bearer_auth(token.expose_secret()).send().await;
    let Ok(answer) = asked else {
        bail!("{base} does not answer: start the gateway with `quandura serve`, or give --url");
    };
    let status = answer.status();
    if !status.is_success() {
        bail!(
            "--tenant: {base}/v1/tenants answers {status}: give a token that may see tenants in ADMIN_TOKEN"
        );
    }
    Ok(answer.json().await?)
}

/// Prints events beside the call.
#[derive(Debug)]
pub struct Follower {
    task: JoinHandle<()>,
}

impl Follower {
    /// Waits for the call's end to be told.
    pub async fn finish(self) {
        let stop = self.task.abort_handle();
        if tokio::time::timeout(LAST_EVENTS, self.task).await.is_err() {
            stop.abort();
        }
    }
}

/// Prints until the call's end was told.
async fn print(mut events: mpsc::Receiver<Followed>, mut show: Show) {
    while let Some(event) = events.recv().await {
        show.event(&event);
        if event.name == "call.ended" {
            return;
        }
    }
}
