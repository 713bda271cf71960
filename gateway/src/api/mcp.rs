//! `POST /mcp`: the tenant's tools as a server of the Model Context Protocol, over its streamable HTTP transport.
//!
//! `rmcp` has the protocol, every revision of it. Nothing of a client is kept between two requests, so any node answers any of them;
//! the session that `initialize` gives older clients is a name for the key of an effect and no more. Answers are single JSON bodies;
//! nothing here needs a stream, so there is no `GET`. What a token may use is decided by its role, by the tenant's rules, and by the
//! measured level of the agent whose tool it is.

use std::sync::Arc;
use std::time::Instant;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use chrono::Utc;
use rmcp::RoleServer;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest, CustomResult,
    ErrorCode, ErrorData, Implementation, ListToolsResult, MetaObject, PaginatedRequestParams, RequestId,
    ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use storage::audit::Outcome;
use work::authority;
use work::clerk::{Answer, Clerk, Visit, offered};
use work::tools::registry::{Refusal, Registered};

use crate::app::App;
use crate::audit::acts;
use crate::auth::permission::Permission;
use crate::auth::{Scoped, UseTools, WriteTools, origin, secrets};
use crate::demo;
use crate::error::ApiError;
use crate::mcp::turnstile::Holder;

/// Largest body, bytes.
pub const MAX_BODY: usize = 64 * 1024;
/// Longest id of a request, as JSON, longest name of a session, longest key of an effect.
const MAX_ID: usize = 200;
const SESSION: &str = "mcp-session-id";
/// Of the random name that a client is given as its session.
const SESSION_BYTES: usize = 16;
/// Where a client names the key of an effect: what is asked for twice under one key is done once.
const KEY: &str = "idempotencyKey";
/// Of the range that the protocol leaves to servers.
const TOO_MANY: ErrorCode = ErrorCode(-32_029);

const INSTRUCTIONS: &str = "Tools of a county's front desk: search its documents, list and book inspection times, file \
    reports and messages. Personal data in answers is shown as tokens such as ⟨phone:1⟩.";

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
    let begins = match checked(&body) {
        // An answer that nobody here waits for.
        Ok(message) if message["method"].is_null() => return Ok(StatusCode::ACCEPTED.into_response()),
        Ok(message) => message["method"] == "initialize",
        Err(problem) => return Ok(refused(problem)),
    };
    let holder = Holder { tenant: scope.tenant.id, subject: scope.principal.subject.clone() };
    let may_write = WriteTools::allows(scope.principal.role);
    let visitor = Visitor { app, scope: Arc::new(scope), holder, may_write };
    let server = StreamableHttpService::new(
        move || Ok(visitor.clone()),
        Arc::<NeverSessionManager>::default(),
        transport(),
    );
    let mut answer = server.handle(request(headers, body)).await.map(Body::new);
    if begins && answer.status().is_success() {
        let session = HeaderValue::try_from(secrets::random_hex(SESSION_BYTES))
            .map_err(|error| ApiError::internal(&error))?;
        answer.headers_mut().insert(SESSION, session);
    }
    Ok(answer)
}

/// Our own door has looked at where a request comes from, by the address that people know the gateway by.
fn transport() -> StreamableHttpServerConfig {
    StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_BODY)
        .disable_allowed_hosts()
        .disable_allowed_origins()
}

/// The request as the transport reads it. What it would say of how it answers is not asked: a body of JSON is all there is.
fn request(headers: HeaderMap, body: Bytes) -> Request<Body> {
    let mut request = Request::new(Body::from(body));
    *request.method_mut() = Method::POST;
    *request.headers_mut() = headers;
    let told = request.headers_mut();
    told.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    told.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    // An address of HTTP/2 has none, and the transport wants one.
    told.entry(header::HOST).or_insert(HeaderValue::from_static("localhost"));
    request
}

/// A body that is no message of the protocol.
fn refused(problem: ErrorData) -> Response {
    (StatusCode::BAD_REQUEST, Json(json!({ "jsonrpc": "2.0", "id": null, "error": problem }))).into_response()
}

/// Reads a body as far as to say what is wrong with one that is no message.
fn checked(body: &[u8]) -> Result<Value, ErrorData> {
    let wrong = |told: &'static str| Err(ErrorData::invalid_request(told, None));
    let Ok(message) = serde_json::from_slice::<Value>(body) else {
        return Err(ErrorData::parse_error("the body is no JSON", None));
    };
    if message.is_array() {
        return wrong("a body has one message");
    }
    if message["jsonrpc"] != "2.0" {
        return wrong("the message is no JSON-RPC 2.0 object");
    }
    let is_answer = message.get("result").is_some() || message.get("error").is_some();
    match (&message["method"], message.get("id")) {
        (Value::Null, _) if !is_answer => wrong("method is missing"),
        (method, _) if !is_answer && !method.is_string() => wrong("method is no text"),
        (_, Some(id)) if !(id.is_string() || id.is_i64()) || id.to_string().len() > MAX_ID => {
            wrong("id is neither a short text nor a whole number")
        }
        _ => Ok(message),
    }
}

/// Who asks, and what they may do.
#[derive(Clone)]
struct Visitor {
    app: Arc<App>,
    scope: Arc<Scoped<UseTools>>,
    holder: Holder,
    may_write: bool,
}

impl ServerHandler for Visitor {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(
                Implementation::new("quandura-voice", env!("CARGO_PKG_VERSION")).with_title("Quandura Voice"),
            )
            .with_instructions(INSTRUCTIONS)
    }

    /// The whole list fits one page.
    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if page.is_some_and(|page| page.cursor.is_some()) {
            return Err(ErrorData::invalid_params("there is no such page: the list has one", None));
        }
        Ok(ListToolsResult::with_all_items(offered(self.may_write).map(listed).collect()))
    }

    /// What the protocol's reader makes of no method with its parameters.
    async fn on_custom_request(
        &self,
        asked: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        const OURS: [&str; 5] = ["initialize", "server/discover", "ping", "tools/list", "tools/call"];
        Err(match OURS.into_iter().find(|ours| *ours == asked.method) {
            Some(ours) => ErrorData::invalid_params(format!("these are no parameters of {ours}"), None),
            None => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "there is no such method here", None),
        })
    }

    async fn call_tool(
        &self,
        asked: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if let Err(wait) = self.app.mcp_turnstile.admit(&self.holder, Instant::now()) {
            let told = format!("too many calls; the next one is taken in {:.1} s", wait.as_secs_f64());
            return Err(ErrorData::new(TOO_MANY, told, None));
        }
        let clerk = self.clerk().await.map_err(internal)?;
        let key = self.key(&context);
        let policy = authority::measured(&self.scope.store, self.app.config.tools.policy()).await;
        let visit = Visit {
            may_write: self.may_write,
            policy: &policy,
            key: key.as_deref(),
            call: None,
            passport: None,
            now: Utc::now(),
        };
        let arguments = Value::Object(asked.arguments.unwrap_or_default());
        let done = clerk.call(&asked.name, &arguments, visit).await;
        // Before the answer, as every act. A client that is told of an error asks again, under the same key.
        self.note(&asked.name, &done).await.map_err(internal)?;
        match done {
            Ok(answer) => Ok(result(answer).into()),
            Err(Refusal::Unknown(names)) => {
                Err(ErrorData::invalid_params(format!("there is no such tool; there are: {names}"), None))
            }
            Err(refusal) => Ok(failed(refusal.to_string()).into()),
        }
    }
}

fn internal(problem: ApiError) -> ErrorData {
    ErrorData::internal_error(problem.to_string(), None)
}

impl Visitor {
    /// What an effect is known by, for this holder alone: the client's own key, or the request of a session. Without either, a request
    /// of the revision that has no sessions is one of its own, and an older client is told to begin one.
    fn key(&self, context: &RequestContext<RoleServer>) -> Option<String> {
        let short = |text: &str| !text.is_empty() && text.len() <= MAX_ID;
        let whose = &self.holder.subject;
        if let Some(key) = context.meta.0.0.get(KEY).and_then(Value::as_str).filter(|key| short(key)) {
            return Some(format!("mcp/{whose}/{key}"));
        }
        let headers = context.extensions.get::<Parts>().map(|parts| &parts.headers);
        let session =
            headers.and_then(|headers| headers.get(SESSION)?.to_str().ok()).filter(|session| short(session));
        if let Some(session) = session {
            return Some(format!("mcp/{whose}/{session}/{}", shown(&context.id)));
        }
        let sessions = context.protocol_version().is_none_or(|version| version.has_initialize());
        (!sessions).then(|| format!("mcp/{}", secrets::random_hex(SESSION_BYTES)))
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

fn shown(id: &RequestId) -> String {
    match id {
        RequestId::Number(number) => number.to_string(),
        RequestId::String(text) => json!(text).to_string(),
    }
}

/// A tool as the protocol lists it; what it has no field for is in `_meta`.
fn listed(known: &Registered) -> Tool {
    let tool = &known.tool;
    let schema = |schema: &Value| Arc::new(schema.as_object().cloned().unwrap_or_default());
    let hints = ToolAnnotations::new()
        .read_only(tool.reads_only())
        .destructive(false)
        .idempotent(tool.idempotent)
        .open_world(false);
    let terms = json!({
        "requires_sandbox": tool.requires_sandbox,
        "max_execution_time_ms": tool.max_execution_time_ms,
        "allowed_autonomy_levels": tool.allowed_autonomy_levels,
        "audit_level": tool.audit_level,
    });
    let listed = Tool::new(tool.name.clone(), tool.description.clone(), schema(&tool.input_schema))
        .with_annotations(hints)
        .with_meta(MetaObject(terms.as_object().cloned().unwrap_or_default()));
    match &tool.output_schema {
        Some(output) => listed.with_raw_output_schema(schema(output)),
        None => listed,
    }
}

fn result(answer: Answer) -> CallToolResult {
    let Some(structured) = answer.structured else { return failed(answer.text) };
    let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
    result.structured_content = Some(structured);
    result
}

fn failed(text: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}
