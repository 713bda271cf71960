//! Tools of MCP servers outside, beside our own: named by the configuration, vetted before a model reads of them, every
//! call bounded in time and size, every answer held to its schema and passed through the prompt guard.

pub mod outside;
pub mod vet;
pub mod wire;

use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;
use pipeline::provider::Backoff;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use rmcp::model::CallToolResult;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::registry::{Effect, Registered, count};
use vet::{MAX_TOOLS, vet};
use wire::{Failure, Session, Wire};

/// Longest wait for a server to begin a session or to list its tools; nobody waits on a call for either.
const LIST: Duration = Duration::from_secs(20);
/// How often the list is read again.
const AGAIN: Duration = Duration::from_secs(300);
/// Waits between tries to reach a server: doubled from the first to the longest.
const UNREACHED: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(60));
/// Pages of a server's list.
const MAX_PAGES: usize = 8;
/// Bytes of the name of a page.
const MAX_CURSOR: usize = 1_000;
/// Characters of an answer that a model is shown.
pub const MAX_TEXT: usize = 4_000;

/// One server, as the configuration names it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Goes before each tool's name.
    pub name: String,
    /// Of its endpoint.
    pub url: String,
    /// What it knows us by.
    pub headers: Vec<(String, SecretString)>,
    /// Names of tools that may be used.
    pub allow: Vec<String>,
    /// Slugs of tenants that may use them; `None`: all.
    pub tenants: Option<Vec<String>>,
    /// What its tools are taken for, whatever the server says.
    pub effect: Effect,
    /// Least level of autonomy that uses them without a person.
    pub autonomy: u8,
    pub time_limit_ms: u32,
    /// Personal data may be sent to it.
    pub personal_data: bool,
}

/// A server and what it offers now.
#[derive(Debug)]
pub struct Remote {
    pub settings: Settings,
    wire: Wire,
    offer: RwLock<Offer>,
}

#[derive(Clone, Debug, Default)]
struct Offer {
    tools: Arc<[Arc<Registered>]>,
    /// `None`: it is not reached now.
    session: Option<Session>,
}

/// What a tool outside said: nothing of it has passed the guard yet.
#[derive(Clone, PartialEq)]
pub struct Said {
    pub text: String,
    pub structured: Option<Value>,
    pub is_error: bool,
}

language::shown!(Said, "Said": is_error; text, structured);

impl Remote {
    /// A server that nothing was asked of yet.
    ///
    /// # Errors
    /// When a header cannot be sent, or no TLS client can be made.
    pub fn new(settings: Settings) -> Result<Self, String> {
        let mut headers = HeaderMap::new();
        for (name, value) in &settings.headers {
            let named =
                HeaderName::try_from(name.as_str()).map_err(|_| format!("{name} is no header's name"))?;
            let mut value = HeaderValue::try_from(value.expose_secret())
                .map_err(|_| format!("the value of {name} cannot be sent"))?;
            value.set_sensitive(true);
            headers.insert(named, value);
        }
        let wire = Wire::new(&settings.url, headers).map_err(|failure| failure.to_string())?;
        Ok(Self { settings, wire, offer: RwLock::default() })
    }

    /// What it offers now; nothing while it is not reached.
    #[must_use]
    pub fn tools(&self) -> Arc<[Arc<Registered>]> {
        self.offer.read().tools.clone()
    }

    /// Keeps the list fresh, for as long as it is polled. `seed` spreads the tries of many gateways.
    pub async fn keep(&self, seed: u64) {
        let mut failures = 0;
        loop {
            match self.refresh().await {
                Ok(()) => {
                    failures = 0;
                    tokio::time::sleep(AGAIN).await;
                }
                Err(failure) => {
                    tracing::warn!(
                        server = self.settings.name,
                        reason = failure.word(),
                        "an MCP server is not reached"
                    );
                    *self.offer.write() = Offer::default();
                    failures += 1;
                    tokio::time::sleep(UNREACHED.spread(failures, seed)).await;
                }
            }
        }
    }

    /// Begins a session and reads the list.
    ///
    /// # Errors
    /// [`Failure`]; what was offered before stays.
    pub async fn refresh(&self) -> Result<(), Failure> {
        let session = self.wire.begin(LIST).await?;
        let mut tools: Vec<Arc<Registered>> = Vec::new();
        let mut cursor = None;
        for _ in 0..MAX_PAGES {
            let (listed, next) = session.list(cursor, LIST).await?;
            for tool in listed.iter().take(MAX_TOOLS) {
                self.take(tool, &mut tools);
            }
            cursor = next.filter(|cursor| !cursor.is_empty() && cursor.len() <= MAX_CURSOR);
            if cursor.is_none() {
                break;
            }
        }
        *self.offer.write() = Offer { tools: tools.into(), session: Some(session) };
        Ok(())
    }

    fn take(&self, listed: &Value, tools: &mut Vec<Arc<Registered>>) {
        match vet(listed, &self.settings) {
            Ok(tool) if tools.len() < MAX_TOOLS && tools.iter().all(|t| t.tool.name != tool.tool.name) => {
                tools.push(Arc::new(tool));
            }
            Ok(_) | Err(vet::Unfit::NotAllowed) => {}
            Err(unfit) => {
                tracing::warn!(server = self.settings.name, reason = ?unfit, "a tool of an MCP server is left out");
                count("outside", "left_out");
            }
        }
    }

    /// Calls a tool, within its own time limit: connection, session, answer and all. Its input has passed its schema.
    /// `key` is what the other side may know a repeated call by.
    ///
    /// # Errors
    /// [`Failure`]. An answer that breaks the tool's own schema is [`Failure::Broken`].
    pub async fn call(&self, known: &Registered, input: &Value, key: Option<&str>) -> Result<Said, Failure> {
        let limit = known.tool.time_limit();
        let done = tokio::time::timeout(limit, self.call_in_session(known, input, key, limit)).await;
        let done = done.unwrap_or(Err(Failure::Timeout));
        count(
            "outside",
            match &done {
                Ok(said) if said.is_error => "error",
                Ok(_) => "ok",
                Err(failure) => failure.word(),
            },
        );
        done
    }

    /// In the session that stands, or in another where that one is over.
    async fn call_in_session(
        &self,
        known: &Registered,
        input: &Value,
        key: Option<&str>,
        limit: Duration,
    ) -> Result<Said, Failure> {
        let mut session = self.offer.read().session.clone().ok_or(Failure::Unreachable)?;
        if session.is_over() {
            session = self.wire.begin(limit).await?;
            self.offer.write().session = Some(session.clone());
        }
        let name = known.tool.name.strip_prefix(&self.settings.name).and_then(|n| n.strip_prefix('.'));
        let arguments = input.as_object().cloned().unwrap_or_default();
        let result = session.call(name.unwrap_or(&known.tool.name), arguments, key, limit).await?;
        said(known, result)
    }
}

/// Reads a result, and holds it to the schema of its tool.
fn said(known: &Registered, result: CallToolResult) -> Result<Said, Failure> {
    let is_error = result.is_error == Some(true);
    let texts = result.content.iter().filter_map(|part| part.as_text()).map(|part| part.text.as_str());
    let joined = texts.take(20).collect::<Vec<_>>().join("\n");
    let text: String = joined.chars().take(MAX_TEXT).collect();
    let structured = result.structured_content.filter(Value::is_object);
    if !is_error && known.tool.output_schema.is_some() {
        let Some(structured) = &structured else { return Err(Failure::Broken) };
        known.check_output(structured).map_err(|_| Failure::Broken)?;
    }
    Ok(Said { text, structured, is_error })
}
