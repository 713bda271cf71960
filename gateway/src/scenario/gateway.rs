//! The gateway under test: one that runs, or one of our own on loopback with a folder that is gone afterwards.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, bail};
use reqwest::{Client, Method};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use tempfile::TempDir;

use crate::auth::scope::TENANT_HEADER;
use crate::auth::secrets;
use crate::config::{Carrier, Config};
use crate::providers::Progress;
use crate::providers::engines::Engines;
use crate::startup::{Gateway, RunningGateway};
use caller::dial::Exchange;

/// Longest wait for an answer of the API.
const ANSWER: Duration = Duration::from_secs(30);

/// A gateway, and the way to it.
#[derive(Debug)]
pub struct Tested {
    pub exchange: Exchange,
    pub http: Client,
    pub token: SecretString,
    base: String,
    /// Ours; its folder goes with it.
    running: Option<(RunningGateway, TempDir)>,
}

impl Tested {
    /// One that runs at `base`.
    ///
    /// # Errors
    /// It is not ready, or does not take the token.
    pub async fn at(
        config: &Config,
        http: Client,
        base: String,
        token: SecretString,
    ) -> anyhow::Result<Self> {
        let exchange = Exchange::new(config.carrier_account(), http.clone(), base.clone());
        let tested = Self { exchange, http, token, base, running: None };
        // One that still loads its engines would refuse every call.
        tested.get("/ready", None).await.context("--url")?;
        tested.get("/v1/tenants", None).await.context("--url")?;
        Ok(tested)
    }

    /// Starts one as the settings say, but for its place: a free port of loopback, an empty folder, no carrier.
    ///
    /// # Errors
    /// It does not come up.
    pub async fn start(
        config: &Config,
        http: Client,
        calls: usize,
        progress: Progress,
    ) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir().context("no folder for a gateway of our own")?;
        let token = SecretString::from(secrets::random_hex(32));
        let mut settings = config.clone();
        settings.bind = SocketAddr::from(([127, 0, 0, 1], 0));
        settings.data_dir = folder.path().join("data");
        settings.postgres = None;
        settings.public_url = None;
        settings.admin_token = Some(token.clone());
        settings.carrier = Carrier::default();
        settings.limits.calls_per_number_per_minute = None;
        // Callers and gateway share this machine: whether it is busy says nothing of the gateway.
        settings.limits.refuse_when_strained = false;
        settings.limits.max_calls = Some(settings.limits.max_calls.unwrap_or(0).max(calls + 1));
        let engines = Engines::new(&settings);
        let mut running = Gateway::start(settings.clone(), engines, progress).await?;
        running.ready().await?;
        let base = format!("http://{}", running.addr);
        let exchange = Exchange::new(settings.carrier_account(), http.clone(), base.clone());
        Ok(Self { exchange, http, token, base, running: Some((running, folder)) })
    }

    /// A gateway that a test has started.
    #[cfg(test)]
    pub(crate) fn around(config: &Config, base: String, token: &str) -> Self {
        let http = Client::new();
        let exchange = Exchange::new(config.carrier_account(), http.clone(), base.clone());
        Self { exchange, http, token: SecretString::from(token), base, running: None }
    }

    #[must_use]
    pub fn base(&self) -> &str {
        &self.base
    }

    #[must_use]
    pub const fn is_own(&self) -> bool {
        self.running.is_some()
    }

    /// Stops it, where it is ours.
    pub async fn stop(self) {
        if let Some((running, folder)) = self.running {
            running.shutdown().await;
            drop(folder);
        }
    }

    /// Asks the API.
    ///
    /// # Errors
    /// In the API's own words.
    pub async fn get(&self, path: &str, tenant: Option<&str>) -> anyhow::Result<Value> {
        self.ask(Method::GET, path, tenant, None).await
    }

    /// # Errors
    /// In the API's own words.
    pub async fn post(&self, path: &str, tenant: Option<&str>, body: Value) -> anyhow::Result<Value> {
        self.ask(Method::POST, path, tenant, Some(body)).await
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        tenant: Option<&str>,
        body: Option<Value>,
    ) -> anyhow::Result<Value> {
        let url = format!("{}{path}", self.base);
        let mut request =
            self.http.request(method, url).bearer_auth(self.token.expose_secret()).timeout(ANSWER);
        if let Some(tenant) = tenant {
            request = request.header(TENANT_HEADER, tenant);
        }
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await.with_context(|| {
            format!(
                "{} does not answer: start the gateway with `quandura serve`, or leave --url out",
                self.base
            )
        })?;
        let status = answer.status();
        let body: Value = answer.json().await.unwrap_or_default();
        if !status.is_success() {
            let what = body["error_message"].as_str().unwrap_or("no reason given");
            bail!("{path} answers {status}: {what}");
        }
        Ok(body)
    }
}
