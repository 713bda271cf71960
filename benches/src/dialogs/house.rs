//! The gateway under test, on threads of its own, and what it says of a call over HTTP.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use caller::dial::Exchange;
use gateway::config::Config;
use gateway::providers::engines::Engines;
use gateway::scenario::evidence::Turn;
use gateway::scenario::work::{Filed, text_of};
use gateway::startup::{Gateway, RunningGateway};
use parking_lot::Mutex;
use pipeline::ports::Responder;
use reqwest::Client;
use serde_json::{Value, json};
use storage::records::{WorkFilter, WorkStatus};
use storage::{CallId, Directory, WorkItems};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use uuid::Uuid;

/// The demo line of a first start.
pub const LINE: &str = "+12025550100";
const TENANT: &str = "riverbend";
const ADMIN: &str = "bench-admin-token-0123456789";
/// Longest wait for an answer over HTTP.
const ANSWER: Duration = Duration::from_secs(20);
/// Longest wait for its end.
const STOP: Duration = Duration::from_secs(15);

/// A running gateway with a data folder of its own.
#[derive(Debug)]
pub struct House {
    runtime: Option<Runtime>,
    running: Option<RunningGateway>,
    exchange: Exchange,
    http: Client,
    base: String,
    token: String,
    _folder: Option<TempDir>,
}

impl House {
    /// Starts a gateway on a free port of loopback, as `quandura serve` does, and waits until it is warm.
    ///
    /// # Errors
    /// It does not come up; models that are missing are named.
    pub fn start(models: &Path) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut config = Config::for_test(folder.path());
        config.admin_token = Some(ADMIN.to_owned().into());
        config.models_dir = models.to_path_buf();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let http = Client::builder().timeout(ANSWER).build()?;
        let (running, exchange, base) = runtime.block_on(async {
            let engines = Engines::new(&config);
            let settings = config.clone();
            // Steps repeat with numbers in them: each once.
            let told = Mutex::new(String::new());
            let progress = move |what: &str| {
                let step: String = what.chars().take_while(|c| !c.is_ascii_digit()).collect();
                let mut told = told.lock();
                if *told != step {
                    println!("  {what}");
                    *told = step;
                }
            };
            let mut running = Gateway::start(config, engines, Arc::new(progress)).await?;
            running.ready().await?;
            let base = format!("http://{}", running.addr);
            anyhow::Ok((running, Exchange::new(settings.carrier_account(), http.clone(), base.clone()), base))
        })?;
        let (runtime, running, token) = (Some(runtime), Some(running), ADMIN.to_owned());
        Ok(Self { runtime, running, exchange, http, base, token, _folder: Some(folder) })
    }

    /// A gateway that runs already, on the threads of whoever asks.
    ///
    /// # Errors
    /// There can be no client.
    pub fn around(running: RunningGateway, token: &str) -> Result<Self> {
        let http = Client::builder().timeout(ANSWER).build()?;
        let base = format!("http://{}", running.addr);
        let exchange = Exchange::new(running.app.config.carrier_account(), http.clone(), base.clone());
        let token = token.to_owned();
        Ok(Self { runtime: None, running: Some(running), exchange, http, base, token, _folder: None })
    }

    /// Stops it. Not within an asynchronous context: its threads end here.
    pub fn stop(mut self) {
        if let (Some(runtime), Some(running)) = (self.runtime.take(), self.running.take()) {
            let stopping = async { tokio::time::timeout(STOP, running.shutdown()).await };
            if runtime.block_on(stopping).is_err() {
                eprintln!("the gateway did not stop within {STOP:?}");
            }
            runtime.shutdown_timeout(Duration::from_secs(2));
        }
    }

    #[must_use]
    pub const fn exchange(&self) -> &Exchange {
        &self.exchange
    }

    /// Both sides of a call so far, personal data included.
    ///
    /// # Errors
    /// The gateway does not answer.
    pub async fn transcript(&self, sid: &str) -> Result<Vec<Turn>> {
        let answer = self.get(&format!("/v1/calls/{sid}/transcript?raw=true")).await?;
        Ok(serde_json::from_value(answer["turns"].clone())?)
    }

    /// What a call left, once it is over.
    ///
    /// # Errors
    /// The call did not end within ten seconds, or its work is not listed.
    pub async fn filed(&self, sid: &str) -> Result<Vec<Filed>> {
        let mut call = Value::Null;
        for _ in 0..100 {
            call = self.get(&format!("/v1/calls/{sid}")).await?;
            if call["state"] != "live" {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        anyhow::ensure!(call["state"] != "live", "the call did not end");
        let id = call["id"].as_str().context("a call without an id")?;
        let mut filed = self.values(id.parse().context("the id of a call")?).await?;
        let listed = self.get("/v1/work-items?limit=200").await?;
        let listed = listed["items"].as_array().cloned().unwrap_or_default();
        filed.retain(|item| listed.iter().any(|row| row["reference"] == item.reference.as_str()));
        // What was withdrawn, because the caller went on, was not filed.
        let of_call =
            listed.iter().filter(|row| row["call_id"] == id && row["status"] != "cancelled").count();
        anyhow::ensure!(
            of_call == filed.len(),
            "{of_call} pieces of work are listed, {} were filed",
            filed.len()
        );
        Ok(filed)
    }

    /// What answers callers, and the demo tenant's id: for a call without a line.
    ///
    /// # Errors
    /// There is no such tenant, or the gateway was stopped.
    pub async fn responder(&self) -> Result<(Arc<dyn Responder>, Uuid)> {
        let app = self.running.as_ref().context("the gateway was stopped")?.app.clone();
        let ready = app.ready.get().context("the gateway is not ready")?;
        let responder = ready.providers.responder.clone();
        let platform = app.clone();
        let reading = async move { platform.platform.store().tenants().await };
        let tenants = match &self.runtime {
            Some(runtime) => runtime.spawn(reading).await??,
            None => reading.await?,
        };
        let tenant = tenants.into_iter().find(|tenant| tenant.slug == TENANT).context("no demo tenant")?;
        Ok((responder, tenant.id.0))
    }

    /// What a call without a line left, once its desk is closed.
    ///
    /// # Errors
    /// It is not kept.
    pub async fn left_by(&self, call: CallId) -> Result<Vec<Filed>> {
        self.values(call).await
    }

    /// Values that HTTP shows as tokens are read where they are kept.
    async fn values(&self, call: CallId) -> Result<Vec<Filed>> {
        let app = self.running.as_ref().context("the gateway was stopped")?.app.clone();
        let reading = async move {
            let tenants = app.platform.store().tenants().await?;
            let tenant =
                tenants.into_iter().find(|tenant| tenant.slug == TENANT).context("no demo tenant")?;
            let store = app.platform.tenant(tenant.id).await?;
            let filter = WorkFilter { call_id: Some(call), ..WorkFilter::default() };
            anyhow::Ok(store.list_work_items(filter).await?)
        };
        // The database belongs to the gateway's own threads.
        let items = match &self.runtime {
            Some(runtime) => runtime.spawn(reading).await??,
            None => reading.await?,
        };
        let kept = items.into_iter().filter(|item| item.status != WorkStatus::Cancelled);
        let filed = kept.map(|item| {
            let fields = item.fields.as_object().cloned().unwrap_or_default();
            let fields = fields.iter().map(|(name, value)| (name.clone(), text_of(value))).collect();
            Filed { kind: item.kind.as_str().to_owned(), reference: item.reference, fields }
        });
        Ok(corrected(filed.collect()))
    }

    /// # Errors
    /// The gateway refuses, or does not answer.
    pub async fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let request = self.http.post(format!("{}{path}", self.base)).bearer_auth(&self.token);
        let answer = request.header("X-Tenant", TENANT).json(body).send().await?;
        Ok(answer.error_for_status()?.json().await?)
    }

    async fn get(&self, path: &str) -> Result<Value> {
        let request = self.http.get(format!("{}{path}", self.base)).bearer_auth(&self.token);
        Ok(request.header("X-Tenant", TENANT).send().await?.error_for_status()?.json().await?)
    }

    /// Passages that answer a question, best first: their sources.
    ///
    /// # Errors
    /// The gateway does not answer.
    pub async fn sources(&self, question: &str, limit: usize) -> Result<Vec<String>> {
        let body = json!({ "query": question, "method": "hybrid", "limit": limit });
        let answer = self.post("/v1/knowledge/search", &body).await?;
        let results = answer["results"].as_array().cloned().unwrap_or_default();
        Ok(results.iter().filter_map(|result| result["source"].as_str().map(str::to_owned)).collect())
    }
}

/// What a caller put right after filing belongs to the report that it names, as for whoever works on it.
fn corrected(all: Vec<Filed>) -> Vec<Filed> {
    let names =
        |item: &Filed| item.fields.iter().find(|(name, _)| name == dialogue::builtin::CORRECTS).cloned();
    let (corrections, mut items): (Vec<Filed>, Vec<Filed>) =
        all.into_iter().partition(|item| names(item).is_some());
    // Newest first: the last word is applied last.
    for correction in corrections.into_iter().rev() {
        let reference = names(&correction).map(|(_, reference)| reference).unwrap_or_default();
        let Some(item) = items.iter_mut().find(|item| item.reference == reference) else { continue };
        for (name, value) in correction.fields {
            if let Some(field) = item.fields.iter_mut().find(|(known, _)| *known == name) {
                field.1 = value;
            }
        }
    }
    items
}
