//! `POST /mcp`: the tenant's tools as a server of the Model Context Protocol, over its streamable HTTP transport.
//!
//! Answers are single JSON bodies; nothing here needs a stream, so there is no `GET`. What a token may use is decided
//! by its role, by the tenant's rules, and by the measured level of the agent whose tool it is.

use std::sync::Arc;
use std::time::Instant;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use chrono::Utc;
use serde_json::{Value, json};
use storage::audit::Outcome;
use work::authority;
use work::clerk::{Answer, Clerk, Visit, offered};
use work::tools::registry::{Refusal, Registered};

use crate::app::App;
use crate::audit::acts;
use crate::auth::permission::Permission;
use crate::auth::{Scoped, UseTools, WriteTools, origin};
use crate::demo;
use crate::error::ApiError;
use crate::mcp::sessions::{Holder, Version};

/// Largest body, bytes.
pub const MAX_BODY: usize = 64 * 1024;
/// Messages in one body, for the version that knows such bodies.
const MAX_BATCH: usize = 20;
/// Longest id of a request, as JSON.
const MAX_ID: usize = 200;

const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";

const PARSE_ERROR: i64 = -32_700;
const INVALID_REQUEST: i64 = -32_600;
const METHOD_NOT_FOUND: i64 = -32_601;
const INVALID_PARAMS: i64 = -32_602;
const INTERNAL_ERROR: i64 = -32_603;
/// Of the range that the protocol leaves to servers.
const TOO_MANY: i64 = -32_029;

const INSTRUCTIONS: &str = "Tools of a county's front desk: search its documents, list and book inspection times, file \
    reports and messages. Personal data in answers is shown as tokens such as ⟨phone:1⟩.";

/// What went wrong with one message.
struct RpcError {
    code: i64,
    message: String,
}

fn wrong(code: i64, message: impl Into<String>) -> RpcError {
    RpcError { code, message: message.into() }
}

fn error(id: &Value, error: &RpcError) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": error.code, "message": error.message } })
}

/// A message that wants no result.
fn refused(status: StatusCode, code: i64, message: &str) -> Response {
    (status, Json(error(&Value::Null, &wrong(code, message)))).into_response()
}

/// Who asks, and what they may do.
struct Visitor<'a> {
    app: &'a App,
    scope: &'a Scoped<UseTools>,
    holder: Holder,
    session: Option<String>,
    version: Version,
    may_write: bool,
}

/// The handler.
///
/// # Errors
/// Whatever keeps the request from being read as one of a client that may use tools.
pub async fn handle(
    State(app): State<Arc<App>>,
    scope: Scoped<UseTools>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, ApiError> {
    if origin::is_cross_origin(&headers, &app.public_url) {
        return Err(ApiError::forbidden("the request was made by a page of another site"));
    }
    let Ok(message) = serde_json::from_slice::<Value>(&body) else {
        return Ok(refused(StatusCode::BAD_REQUEST, PARSE_ERROR, "the body is no JSON"));
    };
    let holder = Holder { tenant: scope.tenant.id, subject: scope.principal.subject.clone() };
    let session = text_header(&headers, SESSION);
    let version = match version(&app, &headers, session.as_deref(), &holder) {
        Ok(version) => version,
        Err((status, message)) => return Ok(refused(status, INVALID_REQUEST, &message)),
    };
    let may_write = WriteTools::allows(scope.principal.role);
    let visitor = Visitor { app: &app, scope: &scope, holder, session, version, may_write };
    match message {
        Value::Array(messages) => Ok(visitor.batch(messages).await),
        message => Ok(visitor.single(&message).await),
    }
}

/// `DELETE /mcp`: ends a session.
///
/// # Errors
/// When there is no such session of this client's.
pub async fn end(
    State(app): State<Arc<App>>,
    scope: Scoped<UseTools>,
    headers: HeaderMap,
) -> Result<StatusCode, ApiError> {
    let holder = Holder { tenant: scope.tenant.id, subject: scope.principal.subject.clone() };
    let ended = text_header(&headers, SESSION).is_some_and(|id| app.mcp_sessions.end(&id, &holder));
    if ended { Ok(StatusCode::NO_CONTENT) } else { Err(ApiError::not_found("session")) }
}

fn text_header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

/// The version that a request is in. A session's own counts; a header that names none of ours is refused.
fn version(
    app: &App,
    headers: &HeaderMap,
    session: Option<&str>,
    holder: &Holder,
) -> Result<Version, (StatusCode, String)> {
    let named = text_header(headers, VERSION).map(|name| Version::named(&name));
    if named == Some(None) {
        let ours: Vec<&str> = Version::ALL.into_iter().map(Version::name).collect();
        let message =
            format!("MCP-Protocol-Version names no version that is spoken here: {}", ours.join(", "));
        return Err((StatusCode::BAD_REQUEST, message));
    }
    match session {
        Some(id) => app.mcp_sessions.version(id, holder, Instant::now()).ok_or_else(|| {
            (StatusCode::NOT_FOUND, "there is no such session; begin another with initialize".to_owned())
        }),
        None => Ok(named.flatten().unwrap_or(Version::UNSAID)),
    }
}

impl Visitor<'_> {
    async fn single(&self, message: &Value) -> Response {
        if message["method"] == "initialize" {
            return self.initialize(message);
        }
        match self.answer(message).await {
            None => StatusCode::ACCEPTED.into_response(),
            Some(answer) => {
                // A body that is no message at all is a bad request; a request that fails is an answer.
                let bad = answer["error"]["code"] == INVALID_REQUEST;
                let status = if bad { StatusCode::BAD_REQUEST } else { StatusCode::OK };
                (status, Json(answer)).into_response()
            }
        }
    }

    async fn batch(&self, messages: Vec<Value>) -> Response {
        if !self.version.takes_batches() {
            let message = "this version of the protocol takes one message a body";
            return refused(StatusCode::BAD_REQUEST, INVALID_REQUEST, message);
        }
        if messages.is_empty() || messages.len() > MAX_BATCH {
            let message = format!("a batch has 1 to {MAX_BATCH} messages");
            return refused(StatusCode::BAD_REQUEST, INVALID_REQUEST, &message);
        }
        let mut answers = Vec::new();
        for message in messages {
            answers.extend(self.answer(&message).await);
        }
        if answers.is_empty() {
            return StatusCode::ACCEPTED.into_response();
        }
        Json(Value::Array(answers)).into_response()
    }

    /// `None` for what wants no answer: notifications, and answers to requests that nobody sent.
    async fn answer(&self, message: &Value) -> Option<Value> {
        let id = match checked(message) {
            Ok(Some(id)) => id,
            Ok(None) => return None,
            Err(problem) => return Some(error(&Value::Null, &problem)),
        };
        let params = &message["params"];
        let done = match message["method"].as_str().unwrap_or_default() {
            "ping" => Ok(json!({})),
            "tools/list" => self.list(params),
            "tools/call" => self.call(&id, params).await,
            "initialize" => Err(wrong(INVALID_REQUEST, "initialize comes alone")),
            _ => Err(wrong(METHOD_NOT_FOUND, "there is no such method here")),
        };
        Some(match done {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(problem) => error(&id, &problem),
        })
    }

    fn initialize(&self, message: &Value) -> Response {
        let id = match checked(message) {
            Ok(Some(id)) => id,
            Ok(None) => return refused(StatusCode::BAD_REQUEST, INVALID_REQUEST, "initialize is a request"),
            Err(problem) => {
                return (StatusCode::BAD_REQUEST, Json(error(&Value::Null, &problem))).into_response();
            }
        };
        let Some(wanted) = message["params"]["protocolVersion"].as_str() else {
            let problem = wrong(INVALID_PARAMS, "protocolVersion is missing");
            return Json(error(&id, &problem)).into_response();
        };
        let version = Version::named(wanted).unwrap_or(Version::LATEST);
        let session = self.app.mcp_sessions.begin(self.holder.clone(), version, Instant::now());
        let result = json!({
            "protocolVersion": version.name(),
            "capabilities": { "tools": { "listChanged": false } },
            "serverInfo": { "name": "quandura-voice", "title": "Quandura Voice", "version": env!("CARGO_PKG_VERSION") },
            "instructions": INSTRUCTIONS,
        });
        ([(SESSION, session)], Json(json!({ "jsonrpc": "2.0", "id": id, "result": result }))).into_response()
    }

    /// The whole list fits one page.
    fn list(&self, params: &Value) -> Result<Value, RpcError> {
        if params.get("cursor").is_some_and(|cursor| !cursor.is_null()) {
            return Err(wrong(INVALID_PARAMS, "there is no such page: the list has one"));
        }
        let tools: Vec<Value> = offered(self.may_write).map(|known| listed(known, self.version)).collect();
        Ok(json!({ "tools": tools }))
    }

    async fn call(&self, id: &Value, params: &Value) -> Result<Value, RpcError> {
        let Some(name) = params["name"].as_str() else {
            return Err(wrong(INVALID_PARAMS, "name is missing"));
        };
        if let Err(wait) = self.app.mcp_turnstile.admit(&self.holder, Instant::now()) {
            let seconds = wait.as_secs_f64();
            return Err(wrong(TOO_MANY, format!("too many calls; the next one is taken in {seconds:.1} s")));
        }
        let clerk = self.clerk().await.map_err(|problem| wrong(INTERNAL_ERROR, problem.to_string()))?;
        // The same request of the same session is done once, however often it arrives.
        let key = self.session.as_ref().map(|session| format!("mcp/{session}/{id}"));
        let policy = authority::measured(&self.scope.store, self.app.config.tools.policy()).await;
        let visit = Visit {
            may_write: self.may_write,
            policy: &policy,
            key: key.as_deref(),
            call: None,
            passport: None,
            now: Utc::now(),
        };
        let done = clerk.call(name, &params["arguments"], visit).await;
        // Before the answer, as every act. A client that is told of an error asks again, under the same key.
        self.note(name, &done).await.map_err(|problem| wrong(INTERNAL_ERROR, problem.to_string()))?;
        let done = match done {
            Ok(answer) => result(&answer),
            Err(Refusal::Unknown(names)) => {
                return Err(wrong(INVALID_PARAMS, format!("there is no such tool; there are: {names}")));
            }
            Err(refusal) => failed(&refusal.to_string()),
        };
        Ok(done)
    }

    async fn clerk(&self) -> Result<Clerk, ApiError> {
        let tenant = &self.scope.tenant;
        let facts =
            demo::facts(&self.app.platform, tenant).await.map_err(|error| ApiError::internal(&error))?;
        let store = self.scope.store.clone();
        let rules = demo::rules_in_force(&store, &facts).await.map_err(|error| ApiError::internal(&error))?;
        let retriever = self.app.engines()?.providers.retriever.clone();
        Ok(Clerk { tenant: tenant.id.0, store, facts, retriever, rules })
    }

    /// Puts on the audit what a program did with a tool that has an effect, and what a rule kept it from or warned of.
    async fn note(&self, name: &str, done: &Result<Answer, Refusal>) -> Result<(), ApiError> {
        let entry = acts::tool_used(&self.scope.principal, name);
        let warned = done.as_ref().map_or(&[][..], |answer| &answer.warned);
        let entry = if warned.is_empty() { entry } else { entry.with("warned", warned.to_vec()) };
        let writes = offered(self.may_write).any(|known| known.tool.name == name && !known.tool.reads_only());
        let entry = match done {
            Err(Refusal::Rule { rules, .. }) => entry.outcome(Outcome::Denied).with("rules", rules.clone()),
            // Nothing was tried.
            Err(Refusal::Unknown(_) | Refusal::Input(_)) => return Ok(()),
            _ if !writes && warned.is_empty() => return Ok(()),
            Ok(answer) if answer.held => entry.with("held", true),
            Ok(answer) if !answer.is_error() => entry,
            Ok(_) | Err(Refusal::Output(_)) => entry.outcome(Outcome::Failed),
            Err(Refusal::NoSandbox(_) | Refusal::Autonomy(_)) => entry.outcome(Outcome::Denied),
        };
        Ok(self.app.audit.record(Some(self.scope.tenant.id), entry).await?)
    }
}

/// The id of a request; `None` for a notification and for an answer.
fn checked(message: &Value) -> Result<Option<Value>, RpcError> {
    if !message.is_object() || message["jsonrpc"] != "2.0" {
        return Err(wrong(INVALID_REQUEST, "the message is no JSON-RPC 2.0 object"));
    }
    if message.get("method").is_none() {
        let is_answer = message.get("result").is_some() || message.get("error").is_some();
        return if is_answer { Ok(None) } else { Err(wrong(INVALID_REQUEST, "method is missing")) };
    }
    if !message["method"].is_string() {
        return Err(wrong(INVALID_REQUEST, "method is no text"));
    }
    match message.get("id") {
        None => Ok(None),
        Some(id) if (id.is_string() || id.is_number()) && id.to_string().len() <= MAX_ID => {
            Ok(Some(id.clone()))
        }
        Some(_) => Err(wrong(INVALID_REQUEST, "id is neither a short text nor a number")),
    }
}

/// A tool as the protocol lists it; what it has no field for is in `_meta`.
fn listed(known: &Registered, version: Version) -> Value {
    let tool = &known.tool;
    let mut listed = json!({
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "annotations": {
            "readOnlyHint": tool.reads_only(),
            "destructiveHint": false,
            "idempotentHint": tool.idempotent,
            "openWorldHint": false,
        },
        "_meta": {
            "requires_sandbox": tool.requires_sandbox,
            "max_execution_time_ms": tool.max_execution_time_ms,
            "allowed_autonomy_levels": tool.allowed_autonomy_levels,
            "audit_level": tool.audit_level,
        },
    });
    // Structured answers came with this version.
    if version >= Version::June2025 {
        listed["outputSchema"] = tool.output_schema.clone().unwrap_or_default();
    }
    listed
}

fn result(answer: &Answer) -> Value {
    let Some(structured) = &answer.structured else { return failed(&answer.text) };
    let content = [json!({ "type": "text", "text": answer.text })];
    json!({ "content": content, "structuredContent": structured, "isError": false })
}

fn failed(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }], "isError": true })
}
