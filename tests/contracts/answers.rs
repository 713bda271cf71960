//! What a running gateway answers, against the document that it serves.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use storage::{Auth, NewToken, Role};
use tempfile::TempDir;
use tests::caller::Caller;
use tests::gateway::{ADMIN, LINE, TestGateway};
use tests::vendors::anthropic::{self, AnthropicServer};
use tests::vendors::deepgram::{DeepgramServer, ListenOptions};
use tests::vendors::elevenlabs::ElevenLabsServer;
use tests::vendors::model::{Pace, Script};
use tests::vendors::tone::VoiceOptions;

use super::document::operations;

/// Whether a value keeps a schema of the document.
pub fn conforms(schema: &Value, value: &Value, document: &Value) -> Result<(), String> {
    // The schema with everything it may point to.
    let whole = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "allOf": [schema],
        "components": document["components"],
    });
    let validator = jsonschema::validator_for(&whole).map_err(|e| format!("no schema: {e}"))?;
    let wrong: Vec<String> =
        validator.iter_errors(value).map(|e| format!("{} at {}", e, e.instance_path())).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
}

fn method(name: &str) -> Method {
    name.to_uppercase().parse().unwrap()
}

/// Upgrades, streams without an end, and what ends the tester's own session.
fn is_special(operation: &Value) -> bool {
    let success = operation["responses"].as_object().unwrap();
    success.contains_key("101")
        || operation["operationId"] == "events"
        || operation["operationId"] == "signOut"
        || operation["operationId"] == "signIn"
}

async fn check(answer: Response, operation: &Value, document: &Value) -> Result<StatusCode> {
    let status = answer.status();
    let mut expected = &operation["responses"][status.as_str()];
    if expected.is_null() {
        expected = &operation["responses"]["default"];
        ensure!(!status.is_success(), "{status} is not in the document");
    }
    if let Some(name) = expected["$ref"].as_str() {
        expected = document.pointer(name.trim_start_matches('#')).unwrap();
    }
    let kind = answer.headers().get("content-type").map(|kind| kind.to_str().unwrap_or("").to_owned());
    let Some(contents) = expected["content"].as_object() else {
        let body = answer.bytes().await?;
        ensure!(body.is_empty(), "a body of {} bytes is not in the document", body.len());
        return Ok(status);
    };
    let kind = kind.unwrap_or_default();
    let named = contents.iter().find(|(named, _)| kind.starts_with(named.as_str()));
    let (expected_kind, content) = named.or_else(|| contents.iter().next()).unwrap();
    ensure!(kind.starts_with(expected_kind.as_str()), "content type {kind}, not {expected_kind}");
    if expected_kind == "application/json" {
        let body: Value = answer.json().await?;
        conforms(&content["schema"], &body, document)
            .map_err(|wrong| anyhow::anyhow!("{status}: {wrong}"))?;
    }
    Ok(status)
}

/// Lists of providers, all simulated on loopback: no model is needed.
const LISTS: &str = "stt = [\"deepgram\"]\nllm = [\"anthropic\"]\ntts = [\"elevenlabs\"]\n";
/// One of the gateway's own recordings, mu-law, and where two and a half seconds without a pause begin in it.
const CLIP: &[u8] = include_bytes!("../../gateway/data/clips/en-call-back.ulaw");
const FLUENT: usize = 28 * 256;

struct Bench {
    gateway: TestGateway,
    /// They answer as long as they live.
    _vendors: (DeepgramServer, ElevenLabsServer, AnthropicServer),
    document: Value,
    call: String,
    http: Client,
}

impl Bench {
    /// A gateway on which somebody has called.
    async fn new() -> Result<Self> {
        let texts = vec!["What are your opening hours?".to_owned(), String::new()];
        let ears = DeepgramServer::start(ListenOptions { texts, ..ListenOptions::default() }).await;
        let quick = VoiceOptions {
            first_after: Duration::from_millis(5),
            spacing: Duration::ZERO,
            letter_ms: 20,
            ..VoiceOptions::default()
        };
        let voice = ElevenLabsServer::start(quick).await;
        let model =
            AnthropicServer::start(Pace::QUICK, |_| Script::say("We are open from eight to five.")).await;
        let vars = [
            ("DEEPGRAM_API_KEY", "test-key".to_owned()),
            ("DEEPGRAM_BASE_URL", ears.base()),
            ("ELEVENLABS_API_KEY", "test-key".to_owned()),
            ("ELEVENLABS_BASE_URL", voice.base()),
            ("ANTHROPIC_API_KEY", anthropic::KEY.to_owned()),
            ("ANTHROPIC_BASE_URL", model.base().to_owned()),
        ];
        let gateway = TestGateway::start_as_served(Arc::new(TempDir::new()?), LISTS, &vars).await?;
        let mut caller = Caller::dial(&gateway.base, LINE).await?;
        let call = caller.order.call_sid.clone();
        caller.silent_until(Duration::from_secs(4), |h| h.bytes() > 0).await?;
        caller.silent_until_quiet(Duration::from_millis(300), Duration::from_secs(40)).await?;
        let before = caller.heard.lock().bytes();
        caller.speak(&CLIP[FLUENT..FLUENT + 8_000]).await?;
        caller.silent_until(Duration::from_secs(10), |h| h.bytes() > before).await?;
        caller.hang_up().await?;
        gateway.until(&format!("/v1/calls/{call}"), |c| c["state"] == "ended").await?;
        let document = reqwest::get(format!("{}/openapi.json", gateway.base)).await?.json().await?;
        let http = Client::builder().redirect(reqwest::redirect::Policy::none()).build()?;
        Ok(Self { gateway, _vendors: (ears, voice, model), document, call, http })
    }

    /// A path with its parameters filled in.
    fn filled(&self, path: &str) -> String {
        let id = if path.starts_with("/v1/tenants") {
            "riverbend"
        } else if path.starts_with("/v1/calls") {
            &self.call
        } else {
            "0198c0de-0000-7000-8000-000000000000"
        };
        let path = path.split('/').map(|part| if part.starts_with('{') { id } else { part });
        format!("{}{}", self.gateway.base, path.collect::<Vec<_>>().join("/"))
    }

    fn request(&self, method_name: &str, path: &str, operation: &Value) -> RequestBuilder {
        let mut request = self.http.request(method(method_name), self.filled(path));
        if let Some(example) = operation["requestBody"]["content"]["application/json"].get("example") {
            request = request.json(example);
        }
        request
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_answered_is_what_the_document_says() {
    let bench = Bench::new().await.unwrap();
    let mut good = 0;
    for (method, path, operation) in operations(&bench.document).filter(|(_, _, o)| !is_special(o)) {
        let answer = bench.request(method, path, operation).bearer_auth(ADMIN).send().await.unwrap();
        match check(answer, operation, &bench.document).await {
            Ok(status) => {
                assert_ne!(status, StatusCode::UNAUTHORIZED, "{method} {path}");
                assert!(!status.is_server_error(), "{method} {path}: {status}");
                good += u32::from(status.is_success());
            }
            Err(wrong) => panic!("{method} {path}: {wrong:#}"),
        }
    }
    assert!(good > 25, "{good} routes answered with success");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_token_every_protected_route_refuses_in_the_standard_shape() {
    let bench = Bench::new().await.unwrap();
    for (method, path, operation) in operations(&bench.document) {
        if operation.get("security").is_some() || operation["responses"].get("101").is_some() {
            continue;
        }
        let answer = bench.request(method, path, operation).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{method} {path}");
        check(answer, operation, &bench.document)
            .await
            .unwrap_or_else(|wrong| panic!("{method} {path}: {wrong:#}"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_auditors_token_changes_nothing() {
    let bench = Bench::new().await.unwrap();
    let platform = &bench.gateway.running.app.platform;
    let tenant = storage::Directory::tenant_by_slug(platform.store(), "riverbend").await.unwrap().unwrap();
    let new =
        NewToken { tenant_id: Some(tenant.id), name: "a".into(), role: Role::Auditor, expires_at: None };
    let issued = platform.store().create_token(new).await.unwrap();
    let token = secrecy::ExposeSecret::expose_secret(&issued.secret).to_owned();
    // An auditor may use the tools that only read, over MCP, and try words.
    let reads = ["search", "check", "sanitize", "understand", "validate", "mcp", "try"];
    for (method, path, operation) in operations(&bench.document) {
        let reading = method == "get" || reads.iter().any(|end| path.ends_with(end));
        if operation.get("security").is_some() || is_special(operation) || reading {
            continue;
        }
        let answer = bench.request(method, path, operation).bearer_auth(&token).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{method} {path}");
        check(answer, operation, &bench.document)
            .await
            .unwrap_or_else(|wrong| panic!("{method} {path}: {wrong:#}"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_values_never_break_a_route() {
    let bench = Bench::new().await.unwrap();
    let hostile = [
        "",
        "'; drop table calls; --",
        "%00",
        "-1",
        "99999999999999999999",
        "\u{202e}ñ💥",
        "../../etc/passwd",
    ];
    for (method, path, operation) in operations(&bench.document).filter(|(_, _, o)| !is_special(o)) {
        for value in hostile {
            let names = operation["parameters"].as_array().into_iter().flatten();
            let query: Vec<(&str, &str)> = names
                .filter(|p| p["in"] == "query")
                .filter_map(|p| Some((p["name"].as_str()?, value)))
                .collect();
            let filled = path.split('/').map(|part| if part.starts_with('{') { "%2e%2e'%22" } else { part });
            let url = format!("{}{}", bench.gateway.base, filled.collect::<Vec<_>>().join("/"));
            let url = reqwest::Url::parse_with_params(&url, &query).unwrap();
            let mut request = bench.http.request(super::answers::method(method), url).bearer_auth(ADMIN);
            if operation.get("requestBody").is_some() {
                request =
                    request.header("content-type", "application/json").body(format!("{{\"{value}\": [[[["));
            }
            let answer = request.send().await.unwrap();
            let status = answer.status();
            let refused_by_design = status == StatusCode::SERVICE_UNAVAILABLE;
            assert!(
                !status.is_server_error() || refused_by_design,
                "{method} {path} with {value:?}: {status}"
            );
        }
    }
}
