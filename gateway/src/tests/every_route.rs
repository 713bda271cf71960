//! Every route of the API document: who may use it, and that nothing of another tenant can be reached through it.
//!
//! Both tests take the routes from the document, which a test of the contracts holds against the router, so a new route is
//! among them without anybody's doing. A route with an id that is not planted here fails, and says so.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::{TimeDelta, Utc};
use pipeline::ports::Language;
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder, StatusCode};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use storage::campaigns::{NewCampaign, NewEntry};
use storage::outbox_records::NewOutgoing;
use storage::outreach::Purpose;
use storage::records::{CallEntry, Direction, LogRow, NewCall, NewWorkItem, Priority, WorkKind};
use storage::retries::NewRetries;
use storage::{
    Auth, BegunBy, CallId, Calls, CampaignId, Campaigns, Credentials, Directory, NewPasskey, NewTenant,
    NewUser, Outbox, Passports, Role, Tenant, TenantStore, WorkItems,
};
use uuid::Uuid;
use work::passport::{Mission, Passport, kept};

use crate::api::openapi::document;
use crate::auth::permission;
use crate::memory::review::review;
use crate::simulated::TestGateway;

const HOUR: Duration = Duration::from_secs(3_600);
const ROLES: [Role; 6] =
    [Role::Clerk, Role::Supervisor, Role::AgentAdmin, Role::TenantAdmin, Role::Auditor, Role::PlatformAdmin];
/// Stands in all that is planted for the tenant that is attacked, and nowhere else.
const MARK: &str = "Zanzibarquist";

/// One route of the document.
struct Operation {
    method: Method,
    path: String,
    permission: Option<String>,
    is_socket: bool,
    example: Option<Value>,
}

fn operations() -> Vec<Operation> {
    let document = document();
    let mut found = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            found.push(Operation {
                method: method.to_uppercase().parse().unwrap(),
                path: path.clone(),
                permission: operation["x-permission"].as_str().map(str::to_owned),
                is_socket: operation["responses"].get("101").is_some(),
                example: operation["requestBody"]["content"]["application/json"].get("example").cloned(),
            });
        }
    }
    found
}

struct Bench {
    test: TestGateway,
    http: Client,
}

impl Bench {
    async fn new() -> Self {
        let test = TestGateway::start(|config| {
            config.tools.held = vec!["take_message".to_owned()];
            // Thousands of requests come here.
            config.limits.tenant_requests_per_second = 100_000.try_into().unwrap();
        })
        .await;
        Self { test, http: Client::builder().redirect(Policy::none()).build().unwrap() }
    }

    async fn tenant(&self, slug: &str) -> Tenant {
        let platform = &self.test.gateway.app.platform;
        if let Some(tenant) = platform.store().tenant_by_slug(slug).await.unwrap() {
            return tenant;
        }
        let new = NewTenant { slug: slug.into(), name: "Oakdale".into(), timezone: "UTC".into() };
        platform.create_tenant(new).await.unwrap()
    }

    /// The cookie of somebody who is signed in: a person may ask for all that a token may, and for more.
    async fn person(&self, tenant: &Tenant, role: Role) -> String {
        let store = self.test.gateway.app.platform.store();
        let tenant_id = (role != Role::PlatformAdmin).then_some(tenant.id);
        let login = format!("{role}@{}.{}", tenant.slug, Uuid::now_v7());
        let new = NewUser { tenant_id, login, display_name: "Somebody".into(), role };
        let user = store.create_user(new).await.unwrap();
        let secret = store.create_session(user.id, BegunBy::Password, HOUR).await.unwrap();
        format!("quandura_session={}", secret.expose_secret())
    }

    fn ask(&self, operation: &Operation, path: &str, cookie: &str) -> RequestBuilder {
        let request = self.http.request(operation.method.clone(), self.test.url(path));
        let request = request.header("cookie", cookie).header("origin", self.test.url(""));
        if !operation.is_socket {
            return request;
        }
        request
            .header("connection", "upgrade")
            .header("upgrade", "websocket")
            .header("sec-websocket-version", "13")
            .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==")
    }

    async fn read(&self, path: &str, cookie: &str) -> Value {
        let answer = self.http.get(self.test.url(path)).header("cookie", cookie).send().await.unwrap();
        let (status, text) = (answer.status(), answer.text().await.unwrap());
        assert_eq!(status, StatusCode::OK, "{path}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    async fn post(&self, path: &str, cookie: &str, body: Value) -> Value {
        let request = self.http.post(self.test.url(path)).header("cookie", cookie);
        let answer = request.header("origin", self.test.url("")).json(&body).send().await.unwrap();
        let (status, text) = (answer.status(), answer.text().await.unwrap());
        assert!(status.is_success(), "{path}: {status} {text}");
        serde_json::from_str(&text).unwrap_or_default()
    }
}

/// What an answer says, as far as it comes: some never end.
async fn told(request: RequestBuilder) -> (StatusCode, String) {
    let mut answer = request.send().await.unwrap();
    let (status, mut text) = (answer.status(), Vec::new());
    while status != StatusCode::SWITCHING_PROTOCOLS
        && let Ok(Ok(Some(part))) = tokio::time::timeout(Duration::from_millis(300), answer.chunk()).await
    {
        text.extend_from_slice(&part);
    }
    (status, String::from_utf8_lossy(&text).into_owned())
}

#[tokio::test]
async fn every_route_asks_for_the_permission_that_the_document_names() {
    let bench = Bench::new().await;
    let tenant = bench.tenant("riverbend").await;
    let mut asked = 0;
    for role in ROLES {
        let cookie = bench.person(&tenant, role).await;
        for operation in operations() {
            let Some(named) = &operation.permission else { continue };
            // It would end the session that asks.
            if operation.path == "/sign-out" {
                continue;
            }
            let allows =
                permission::by_name(named).unwrap_or_else(|| panic!("no permission is called {named}"));
            let path = operation.path.replace("{id}", &Uuid::nil().to_string()).replace("{type}", "none");
            // Without a body nothing is done; whether somebody may is asked before it is read.
            let (status, text) = told(bench.ask(&operation, &path, &cookie)).await;
            let is_refused =
                status == StatusCode::FORBIDDEN && text.contains(&format!("role {role} may not"));
            let what = format!("{role}: {} {} ({named}): {status} {text}", operation.method, operation.path);
            assert_eq!(is_refused, !allows(role), "{what}");
            assert_ne!(status, StatusCode::UNAUTHORIZED, "{what}");
            asked += 1;
        }
    }
    assert!(asked > 500, "{asked} were asked");
}

/// Ids of things of one tenant, by the beginning of the paths that name them.
struct Planted(BTreeMap<&'static str, Vec<String>>);

impl Planted {
    /// The paths that a route has for what is planted.
    fn paths(&self, path: &str) -> Vec<String> {
        // Whatever is kept in versions has a first one.
        let path = path.replace("{number}", "1");
        let Some(at) = path.find('{') else { return vec![path] };
        let ids = self.0.get(&path[..at]);
        let ids =
            ids.unwrap_or_else(|| panic!("{path}: plant something in `plant` that this route could reach"));
        let end = at + path[at..].find('}').unwrap() + 1;
        ids.iter().map(|id| format!("{}{id}{}", &path[..at], &path[end..])).collect()
    }
}

/// One of everything, with the mark in it.
async fn plant(bench: &Bench, tenant: &Tenant, admin: &str) -> Planted {
    let platform = &bench.test.gateway.app.platform;
    let store = platform.tenant(tenant.id).await.unwrap();
    let call = CallId::new();
    let new = NewCall {
        id: call,
        carrier_sid: None,
        line: "+12025550100".into(),
        caller: Some("+12025550143".into()),
        direction: Direction::Inbound,
        language: "en".into(),
        passport_id: None,
        started_at: Utc::now(),
    };
    store.begin_call(new).await.unwrap();
    let entry = CallEntry::CallerTurn {
        turn: 1,
        text: format!("Call me {MARK}. I live at 12 Oak Street."),
        started_ms: 0,
        ended_ms: 9,
        confidence: 0.9,
    };
    store.append(call, &[LogRow { seq: 1, at_ms: 1, entry }]).await.unwrap();
    store.end_call(call, "failed", Utc::now()).await.unwrap();
    let memory = bench.test.gateway.app.memory.of(&store).await.unwrap();
    review(&memory, call, Language::En).await.unwrap();
    let mission = Mission {
        objective: format!("Call {MARK} back"),
        constraints: vec![],
        success_criteria: vec![],
        requester_id: "call:x".into(),
        requester_department: "public".into(),
        matter_type: "phone_call".into(),
        sub_tasks: vec![],
    };
    let passport = Passport::new(Uuid::now_v7(), "t", "claims", mission, Utc::now());
    store.create_passport(kept::fresh(&passport, None)).await.unwrap();
    let item = NewWorkItem {
        kind: WorkKind::Incident,
        idempotency_key: "planted".into(),
        reference: None,
        call_id: Some(call),
        passport_id: None,
        priority: Priority::Normal,
        caller: Some("+12025550143".into()),
        fields: json!({ "what": MARK, "phone": "+12025550143" }),
    };
    let item = store.file_work_item(item).await.unwrap();
    let effect = NewOutgoing {
        idempotency_key: "planted".into(),
        destination: crate::outbox::deliver::DESK.into(),
        tool: "take_message".into(),
        held: true,
        call_id: None,
        passport_id: None,
        payload: json!({ "message": MARK }),
    };
    let effect = store.put_outgoing(effect).await.unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let document =
        json!({ "source": "m.md", "title": MARK, "content": format!("{MARK} is open from eight to five.") });
    let document = text(&bench.post("/v1/knowledge/documents", admin, document).await["ids"][0]);
    let node = json!({ "symbol": "policy.planted", "layer": "operational", "type": "policy", "micro": MARK });
    let node = text(&bench.post("/v1/memory/organisation/nodes", admin, node).await["id"]);
    let kind = json!({ "type": "zanzibar", "layer": "event" });
    bench.post("/v1/memory/organisation/types", admin, kind).await;
    let hold =
        bench.post("/v1/holds", admin, json!({ "kind": "call", "subject": call, "reason": MARK })).await;
    let user = json!({ "login": MARK, "name": MARK, "role": "clerk" });
    let user = text(&bench.post("/v1/users", admin, user).await["id"]);
    let token = text(&bench.post("/v1/tokens", admin, json!({ "name": MARK, "role": "clerk" })).await["id"]);
    let contact = text(&bench.read("/v1/memory/contacts", admin).await["items"][0]["id"]);
    let session = text(&bench.read("/v1/me/sessions", admin).await["items"][0]["id"]);
    let victim = bench.test.gateway.app.platform.store();
    let new = NewPasskey {
        user_id: user.parse().unwrap(),
        credential_id: vec![7; 32],
        public_key: vec![1],
        uses: 0,
        name: MARK.into(),
    };
    let passkey = victim.add_passkey(new).await.unwrap();
    let team = super::teams::roads().replacen("purpose = \"", &format!("purpose = \"{MARK} "), 1);
    let put = bench.http.put(bench.test.url("/v1/teams/roads")).header("cookie", admin);
    let put = put.header("origin", bench.test.url("")).header("content-type", "application/toml").body(team);
    let (status, answer) = told(put).await;
    assert!(status.is_success(), "{status} {answer}");
    let campaign = campaign(&store).await;
    let one = |id: &dyn ToString| vec![id.to_string()];
    Planted(BTreeMap::from([
        ("/v1/calls/", one(&call)),
        ("/v1/campaigns/", one(&campaign)),
        ("/v1/passports/", one(&passport.id)),
        ("/v1/work-items/", vec![item.reference, item.id.to_string()]),
        ("/v1/outbox/", one(&effect.id)),
        ("/v1/knowledge/documents/", vec![document]),
        ("/v1/memory/organisation/nodes/", vec![node]),
        ("/v1/memory/organisation/types/", vec!["zanzibar".into()]),
        ("/v1/memory/contacts/", vec![contact]),
        ("/v1/holds/", vec![text(&hold["id"])]),
        ("/v1/tenants/", vec![tenant.slug.clone(), tenant.id.to_string()]),
        ("/v1/users/", vec![user]),
        ("/v1/tokens/", vec![token]),
        ("/v1/me/sessions/", vec![session]),
        ("/v1/me/passkeys/", one(&passkey.id)),
        ("/v1/teams/", vec!["roads".into()]),
    ]))
}

/// One that is paused: nobody is called.
async fn campaign(store: &TenantStore) -> CampaignId {
    let new = NewCampaign {
        id: CampaignId::new(),
        purpose: Purpose::Request,
        actor: MARK.into(),
        line: "+12025550100".into(),
        language: "en".into(),
        from: Utc::now(),
        until: Utc::now() + TimeDelta::days(1),
        at_once: 1,
        retries: NewRetries { most: 0, every: TimeDelta::days(1), machines: false },
        entries: vec![NewEntry { position: 1, number: Some("+12025550143".into()), item: None }],
    };
    store.begin_campaign(new).await.unwrap().id
}

/// What the tenant has, as its own administrator sees it.
async fn state(bench: &Bench, admin: &str, planted: &Planted) -> BTreeMap<String, Value> {
    let mut state = BTreeMap::new();
    let document = document();
    for operation in operations() {
        let whole = operation.method == Method::GET && operation.path.starts_with("/v1/");
        let responses = &document["paths"][&operation.path]["get"]["responses"];
        let is_json = responses["200"]["content"].get("application/json").is_some();
        // The audit grows by being attacked, figures and sessions by being looked at.
        let moves = ["/v1/audit", "/v1/overview", "/v1/me", "/v1/record", "/v1/events", "/v1/capabilities"];
        let stays = !moves.iter().any(|start| operation.path.starts_with(start));
        if !(whole && is_json && stays && !operation.is_socket) {
            continue;
        }
        for path in planted.paths(&operation.path) {
            let (status, text) = told(bench.ask(&operation, &path, admin)).await;
            let value: Value = serde_json::from_str(&text).unwrap_or_default();
            state.insert(path, json!([status.as_u16(), value]));
        }
    }
    state
}

#[tokio::test]
async fn nothing_of_another_tenant_is_reached_through_any_route() {
    let bench = Bench::new().await;
    let (theirs, ours) = (bench.tenant("riverbend").await, bench.tenant("oakdale").await);
    let (victim, attacker) =
        (bench.person(&theirs, Role::TenantAdmin).await, bench.person(&ours, Role::TenantAdmin).await);
    let planted = plant(&bench, &theirs, &victim).await;
    let before = state(&bench, &victim, &planted).await;
    let marked = before.values().filter(|value| value.to_string().contains(MARK)).count();
    assert!(marked >= 8, "what is planted is seen by its own: {marked} in {before:?}");
    let mut tried = 0;
    for operation in operations() {
        // The carrier's routes take its signature, and no person's session.
        let is_carriers = |path: &str| path.split('/').nth(1).is_some_and(crate::webhooks::is_carrier);
        if operation.path == "/sign-out" || is_carriers(&operation.path) {
            continue;
        }
        let with_id = operation.path.contains('{');
        for path in planted.paths(&operation.path) {
            // Their ids alone; their name in the header; in the query; in the body.
            for named in [None, Some("header"), Some("query"), Some("body")] {
                for name in [&theirs.slug, &theirs.id.to_string()] {
                    let request = match named {
                        Some("query") => bench.ask(&operation, &format!("{path}?tenant={name}"), &attacker),
                        Some("header") => bench.ask(&operation, &path, &attacker).header("x-tenant", name),
                        _ => bench.ask(&operation, &path, &attacker),
                    };
                    let request = match operation.example.clone() {
                        Some(mut body) => {
                            if let (Some("body"), Some(fields)) = (named, body.as_object_mut()) {
                                fields.insert("tenant".to_owned(), json!(name));
                                fields.insert("tenant_id".to_owned(), json!(name));
                            }
                            request.json(&body)
                        }
                        None => request,
                    };
                    let (status, text) = told(request).await;
                    let what = format!("{} {path} {named:?} {name}: {status} {text}", operation.method);
                    assert!(!text.contains(MARK) && !text.contains(&MARK.to_lowercase()), "{what}");
                    assert!(!status.is_server_error() || status == StatusCode::SERVICE_UNAVAILABLE, "{what}");
                    assert!(!with_id || status.is_client_error(), "{what}");
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 500, "{tried} were tried");
    let after = state(&bench, &victim, &planted).await;
    for (path, value) in &before {
        assert_eq!(after.get(path), Some(value), "{path} is as it was");
    }
    let own = bench.read("/v1/me", &victim).await;
    assert_eq!(own["tenant"]["slug"], "riverbend", "their session goes on");
}
