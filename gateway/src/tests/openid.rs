//! Signing in with a provider outside: a small one in this process, which can be as wrong as a test wants it.

use std::sync::Arc;
use std::time::Duration;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Form, Json, Router};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::Utc;
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use parking_lot::Mutex;
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, Url};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use storage::{Auth, Role};

use crate::config::openid::{Mapped, OpenId};
use crate::simulated::TestGateway;

const SECRET: &str = "the-secret-of-the-client";

/// How the provider answers, as far as it is not well.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    None,
    /// Signed with a key that it does not publish, under the name of one that it does.
    ForeignKey,
    AlgNone,
    /// Signed with the client's secret, as if that were a key.
    SharedSecret,
    Slow,
    Endless,
    Redirects,
    NoJson,
    OtherIssuer,
    PlainDoor,
}

struct Idp {
    base: String,
    keys: Vec<(String, EncodingKey)>,
    claims: Value,
    userinfo: Option<Value>,
    fault: Fault,
    challenge: String,
}

type Shared = Arc<Mutex<Idp>>;

fn new_key() -> EncodingKey {
    let pair = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new()).unwrap();
    EncodingKey::from_ec_der(pair.as_ref())
}

async fn serve() -> Shared {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let idp: Shared = Arc::new(Mutex::new(Idp {
        base,
        keys: vec![("first".to_owned(), new_key())],
        claims: json!({}),
        userinfo: None,
        fault: Fault::None,
        challenge: String::new(),
    }));
    let router = Router::new()
        .route("/.well-known/openid-configuration", get(discovery))
        .route("/keys", get(keys))
        .route("/token", post(token))
        .route("/userinfo", get(userinfo))
        .with_state(idp.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    idp
}

async fn discovery(State(idp): State<Shared>) -> axum::response::Response {
    let (fault, base) = {
        let idp = idp.lock();
        (idp.fault, idp.base.clone())
    };
    let mut said = json!({
        "issuer": base, "authorization_endpoint": format!("{base}/authorize"),
        "token_endpoint": format!("{base}/token"), "jwks_uri": format!("{base}/keys"),
        "userinfo_endpoint": format!("{base}/userinfo"), "end_session_endpoint": format!("{base}/end"),
    });
    match fault {
        Fault::Slow => tokio::time::sleep(Duration::from_secs(2)).await,
        Fault::Endless => return "x".repeat(2 * 1024 * 1024).into_response(),
        Fault::Redirects => return axum::response::Redirect::to(&format!("{base}/keys")).into_response(),
        Fault::NoJson => return "<html>".into_response(),
        Fault::OtherIssuer => said["issuer"] = json!("https://evil.example"),
        Fault::PlainDoor => said["token_endpoint"] = json!("http://far.example/token"),
        _ => {}
    }
    Json(said).into_response()
}

async fn keys(State(idp): State<Shared>) -> Json<Value> {
    let keys = idp.lock().keys.clone();
    let keys = keys.into_iter().map(|(kid, key)| {
        let mut jwk = Jwk::from_encoding_key(&key, Algorithm::ES256).unwrap();
        jwk.common.key_id = Some(kid);
        serde_json::to_value(jwk).unwrap()
    });
    let unknown = json!({ "kty": "LATTICE", "kid": "future" });
    Json(json!({ "keys": std::iter::once(unknown).chain(keys).collect::<Vec<_>>() }))
}

async fn userinfo(State(idp): State<Shared>) -> Json<Value> {
    let idp = idp.lock();
    Json(idp.userinfo.clone().unwrap_or_else(|| json!({ "sub": idp.claims["sub"] })))
}

async fn token(
    State(idp): State<Shared>,
    headers: HeaderMap,
    Form(form): Form<std::collections::HashMap<String, String>>,
) -> axum::response::Response {
    let idp = idp.lock();
    let basic =
        format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(format!("quandura:{SECRET}")));
    assert_eq!(headers["authorization"], basic.as_str());
    assert_eq!((form["grant_type"].as_str(), form["code"].as_str()), ("authorization_code", "the-code"));
    assert!(form["redirect_uri"].ends_with("/sign-in/openid/callback"));
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&form["code_verifier"]));
    if challenge != idp.challenge {
        return (StatusCode::BAD_REQUEST, Json(json!({ "error": "invalid_grant" }))).into_response();
    }
    let (kid, key) = idp.keys.last().unwrap();
    let header = |alg| Header { kid: Some(kid.clone()), ..Header::new(alg) };
    let token = match idp.fault {
        Fault::ForeignKey => encode(&header(Algorithm::ES256), &idp.claims, &new_key()).unwrap(),
        Fault::SharedSecret => {
            encode(&header(Algorithm::HS256), &idp.claims, &EncodingKey::from_secret(SECRET.as_bytes()))
                .unwrap()
        }
        Fault::AlgNone => {
            let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
            format!("{}.{}.", part(&json!({ "alg": "none", "kid": kid })), part(&idp.claims))
        }
        _ => encode(&header(Algorithm::ES256), &idp.claims, key).unwrap(),
    };
    Json(json!({ "id_token": token, "access_token": "a", "token_type": "Bearer" })).into_response()
}

struct Door {
    test: TestGateway,
    http: Client,
    idp: Shared,
}

/// What a browser has while its person is at the provider.
struct Away {
    cookie: String,
    state: String,
    nonce: String,
}

impl Door {
    async fn open() -> Self {
        let idp = serve().await;
        let issuer = idp.lock().base.clone();
        let entry = |value: &str, role, tenant: &str| Mapped {
            value: value.to_owned(),
            role,
            tenant: Some(tenant.to_owned()),
        };
        let settings = OpenId {
            issuer,
            is_loopback: true,
            client_id: "quandura".to_owned(),
            client_secret: Some(SECRET.into()),
            name: "Riverbend".to_owned(),
            scopes: vec!["email".to_owned()],
            claim: "groups".to_owned(),
            map: vec![
                entry("heads", Role::TenantAdmin, "riverbend"),
                entry("clerks", Role::Clerk, "riverbend"),
                entry("lost", Role::Clerk, "no-such-tenant"),
            ],
            needs_verified_email: true,
        };
        let test = TestGateway::start(|config| {
            config.sign_in.openid = Some(settings);
            config.admin_token = Some("an-admin-token-of-the-test".into());
        })
        .await;
        let http = Client::builder().redirect(Policy::none()).build().unwrap();
        Self { test, http, idp }
    }

    async fn leave(&self) -> Away {
        let sent = self.http.get(self.test.url("/sign-in/openid")).send().await.unwrap();
        assert_eq!(sent.status(), StatusCode::SEE_OTHER);
        let to = Url::parse(sent.headers()["location"].to_str().unwrap()).unwrap();
        let asked: std::collections::HashMap<_, _> = to.query_pairs().into_owned().collect();
        assert_eq!((to.path(), asked["response_type"].as_str()), ("/authorize", "code"));
        assert_eq!(
            (asked["scope"].as_str(), asked["code_challenge_method"].as_str()),
            ("openid email", "S256")
        );
        let cookie = sent.headers()["set-cookie"].to_str().unwrap();
        for part in ["HttpOnly", "SameSite=Lax", "Path=/sign-in/openid"] {
            assert!(cookie.contains(part), "{cookie}");
        }
        let cookie = cookie.split(';').next().unwrap().to_owned();
        self.idp.lock().challenge.clone_from(&asked["code_challenge"]);
        Away { cookie, state: asked["state"].clone(), nonce: asked["nonce"].clone() }
    }

    /// What a good token says of Pat, for this sign-in.
    fn pat(&self, away: &Away) -> Value {
        let now = Utc::now().timestamp();
        json!({
            "iss": self.idp.lock().base, "aud": "quandura", "sub": "7", "nonce": away.nonce, "iat": now,
            "exp": now + 300, "email": "pat@river.example", "email_verified": true, "name": "Pat Lee",
            "groups": ["clerks"],
        })
    }

    async fn back(&self, away: &Away, query: &str) -> Response {
        let query = query.replace("STATE", &away.state);
        let url = self.test.url(&format!("/sign-in/openid/callback?{query}"));
        self.http.get(url).header("cookie", &away.cookie).send().await.unwrap()
    }

    /// A whole sign-in, whose token says what `change` made of a good one.
    async fn sign_in(&self, change: impl FnOnce(&mut Value)) -> Response {
        let away = self.leave().await;
        let mut claims = self.pat(&away);
        change(&mut claims);
        self.idp.lock().claims = claims;
        self.back(&away, "code=the-code&state=STATE").await
    }

    async fn get(&self, path: &str, cookie: &str) -> (StatusCode, Value) {
        let answer = self.http.get(self.test.url(path)).header("cookie", cookie).send().await.unwrap();
        (answer.status(), answer.json().await.unwrap_or_default())
    }

    async fn audit(&self, tenant: &str, action: &str) -> Vec<Value> {
        let path = self.test.url(&format!("/v1/audit?tenant={tenant}&action={action}"));
        let answer = self.http.get(path).bearer_auth("an-admin-token-of-the-test").send().await.unwrap();
        answer.json::<Value>().await.unwrap()["items"].as_array().unwrap().clone()
    }
}

fn session_of(answer: &Response) -> String {
    let cookies = answer.headers().get_all("set-cookie").iter().map(|cookie| cookie.to_str().unwrap());
    let mut ours = cookies.filter(|cookie| cookie.starts_with("quandura_session="));
    ours.next().expect("a session").split(';').next().unwrap().to_owned()
}

async fn refused(answer: Response, status: StatusCode, told: &str) {
    let (found, has_session) = (
        answer.status(),
        answer
            .headers()
            .get_all("set-cookie")
            .iter()
            .any(|cookie| cookie.to_str().unwrap().starts_with("quandura_session")),
    );
    let text = answer.text().await.unwrap();
    assert!(found == status && !has_session && text.contains(told), "{told}: {found} {text}");
}

#[tokio::test]
async fn a_provider_says_who_comes_and_the_settings_what_that_is_worth() {
    let door = Door::open().await;
    let entered = door.sign_in(|_| {}).await;
    assert_eq!(
        (entered.status(), &entered.headers()["location"]),
        (StatusCode::SEE_OTHER, &"/".parse().unwrap())
    );
    let first = session_of(&entered);
    let (_, me) = door.get("/v1/me", &first).await;
    assert_eq!((&me["subject"], &me["roles"][0]), (&json!("openid:pat@river.example"), &json!("clerk")));
    assert_eq!(me["tenant"]["slug"], "riverbend");
    let (_, sign_in) = door.get("/v1/me/sign-in", &first).await;
    assert_eq!(sign_in["may_set_password"], false, "it would outlive the account");

    // The same person under another address and in another group: their older sessions end.
    let second = session_of(
        &door
            .sign_in(|pat| {
                pat["groups"] = json!(["heads"]);
                pat["email"] = json!("lee@river.example");
            })
            .await,
    );
    let (_, me) = door.get("/v1/me", &second).await;
    assert_eq!(
        (&me["subject"], &me["roles"][0]),
        (&json!("openid:pat@river.example"), &json!("tenant-admin"))
    );
    assert_eq!(door.get("/v1/me", &first).await.0, StatusCode::UNAUTHORIZED);
    // Somebody else under the same address is somebody else.
    let other = session_of(&door.sign_in(|pat| pat["sub"] = json!("8")).await);
    let (_, me) = door.get("/v1/me", &other).await;
    assert!(me["subject"].as_str().unwrap().starts_with("openid:pat@river.example#"), "{me}");
    assert_eq!(door.audit("riverbend", "user.created").await.len(), 2);
    assert_eq!(door.audit("riverbend", "user.changed").await.len(), 1);
    assert_eq!(door.audit("riverbend", "session.started").await[0]["details"]["by"], "openid");
}

#[tokio::test]
async fn a_token_that_is_not_good_lets_nobody_in() {
    let door = Door::open().await;
    for (fault, told) in [
        (Fault::ForeignKey, "its signature is wrong"),
        (Fault::AlgNone, "names no signature"),
        (Fault::SharedSecret, "of a kind that is not taken"),
    ] {
        door.idp.lock().fault = fault;
        refused(door.sign_in(|_| {}).await, StatusCode::FORBIDDEN, told).await;
    }
    door.idp.lock().fault = Fault::None;
    let past = Utc::now().timestamp() - 3_600;
    for (name, value, told) in [
        ("nonce", json!("another"), "belongs to another sign-in (nonce)"),
        ("nonce", Value::Null, "belongs to another sign-in (nonce)"),
        ("aud", json!("another-client"), "for somebody else (aud)"),
        ("aud", json!(["quandura", "another"]), "does not say for whom (azp)"),
        ("azp", json!("another"), "issued to somebody else (azp)"),
    ] {
        refused(door.sign_in(|pat| pat[name] = value).await, StatusCode::FORBIDDEN, told).await;
    }
    // Whoever fails so often waits; these come to a gateway of their own.
    let door = Door::open().await;
    for (name, value, told) in [
        ("iss", json!("https://evil.example"), "of another issuer (iss)"),
        ("exp", json!(past), "has expired (exp)"),
        ("exp", Value::Null, "exp"),
        ("email_verified", json!(false), "has not verified your address"),
        ("groups", json!(["guests"]), "`groups` (guests) is in no entry of [[sign_in.openid.map]]"),
        ("groups", json!(["lost"]), "the tenant `no-such-tenant`, which there is not"),
    ] {
        refused(door.sign_in(|pat| pat[name] = value).await, StatusCode::FORBIDDEN, told).await;
    }
    let refusals = door.audit("_platform", "session.refused").await;
    assert!(refusals.iter().any(|entry| entry["details"]["why"] == "no_role"), "{refusals:?}");
}

#[tokio::test]
async fn an_answer_counts_once_and_in_the_browser_that_asked() {
    let door = Door::open().await;
    let away = door.leave().await;
    door.idp.lock().claims = door.pat(&away);
    let stray = "was not begun in this browser";
    refused(
        door.back(&away, "code=the-code&state=0123456789abcdef0123456789abcdef").await,
        StatusCode::FORBIDDEN,
        stray,
    )
    .await;
    let other = door.leave().await;
    door.idp.lock().challenge = String::new();
    let mixed = Away { cookie: other.cookie.clone(), state: away.state.clone(), nonce: String::new() };
    refused(door.back(&mixed, "code=the-code&state=STATE").await, StatusCode::FORBIDDEN, stray).await;
    refused(
        door.back(&other, "code=the-code&state=STATE&iss=https://evil.example").await,
        StatusCode::FORBIDDEN,
        stray,
    )
    .await;
    let away = door.leave().await;
    refused(
        door.back(&away, "error=access_denied&state=STATE").await,
        StatusCode::FORBIDDEN,
        "(access_denied)",
    )
    .await;
    let away = door.leave().await;
    door.idp.lock().claims = door.pat(&away);
    assert_eq!(door.back(&away, "code=the-code&state=STATE").await.status(), StatusCode::SEE_OTHER);
    refused(door.back(&away, "code=the-code&state=STATE").await, StatusCode::FORBIDDEN, stray).await;
    let without = Away { cookie: "a=b".to_owned(), ..away };
    refused(door.back(&without, "code=the-code&state=STATE").await, StatusCode::FORBIDDEN, stray).await;
}

#[tokio::test]
async fn new_keys_are_found_and_claims_that_the_token_lacks_are_asked_for() {
    let door = Door::open().await;
    session_of(&door.sign_in(|_| {}).await);
    door.idp.lock().keys = vec![("second".to_owned(), new_key())];
    session_of(&door.sign_in(|_| {}).await);
    // Keys that nobody has published are looked for once, and then not for a while.
    door.idp.lock().keys = vec![("third".to_owned(), new_key())];
    refused(door.sign_in(|_| {}).await, StatusCode::FORBIDDEN, "a key that the provider does not name").await;
    let door = Door::open().await;
    door.idp.lock().userinfo = Some(json!({ "sub": "7", "groups": "heads", "iss": "https://evil.example" }));
    let answer = door.sign_in(|pat| drop(pat.as_object_mut().unwrap().remove("groups"))).await;
    assert_eq!(door.get("/v1/me", &session_of(&answer)).await.1["roles"][0], "tenant-admin");
    door.idp.lock().userinfo = Some(json!({ "sub": "8", "groups": "heads" }));
    let answer = door.sign_in(|pat| drop(pat.as_object_mut().unwrap().remove("groups"))).await;
    refused(answer, StatusCode::FORBIDDEN, "tells of somebody else (sub)").await;
}

#[tokio::test]
async fn a_provider_that_is_ill_is_named_and_other_ways_stay_open() {
    for (fault, told) in [
        (Fault::Slow, "its description: no answer"),
        (Fault::Endless, "its description: too long"),
        (Fault::Redirects, "its description: status 303"),
        (Fault::NoJson, "its description: not to be read"),
        (Fault::OtherIssuer, "by another name than the issuer"),
        (Fault::PlainDoor, "one of its addresses is not encrypted"),
    ] {
        let door = Door::open().await;
        door.idp.lock().fault = fault;
        let answer = door.http.get(door.test.url("/sign-in/openid")).send().await.unwrap();
        refused(answer, StatusCode::BAD_GATEWAY, told).await;
        door.idp.lock().fault = Fault::None;
        session_of(&door.sign_in(|_| {}).await);
    }
}

#[tokio::test]
async fn whoever_signs_out_is_led_to_the_providers_end_of_it() {
    let door = Door::open().await;
    let session = session_of(&door.sign_in(|_| {}).await);
    let out = door.http.post(door.test.url("/sign-out")).header("cookie", &session);
    let out = out.header("origin", door.test.url("")).send().await.unwrap();
    assert_eq!(out.status(), StatusCode::OK);
    let then: Value = out.json().await.unwrap();
    let then = Url::parse(then["then"].as_str().unwrap()).unwrap();
    assert_eq!(then.path(), "/end");
    assert!(then.query().unwrap().contains("client_id=quandura&post_logout_redirect_uri=http"), "{then}");
    assert_eq!(door.get("/v1/me", &session).await.0, StatusCode::UNAUTHORIZED);
    let (_, ways) = door.get("/sign-in/ways", "").await;
    assert_eq!(ways["openid"], "Riverbend");
    let user =
        door.test.gateway.app.platform.store().user_by_login("openid:pat@river.example").await.unwrap();
    assert_eq!(user.unwrap().display_name, "Pat Lee");
}
