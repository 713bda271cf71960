//! Passkeys over the wire, with a device of our own making.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::{Client, Method, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use storage::{Auth, BegunBy, Directory, NewUser, Role, User};

use crate::auth::passkey::Party;
use crate::auth::passkey::ceremony::tests::Device;
use crate::simulated::TestGateway;

const ADMIN: &str = "an-admin-token-of-the-test";
const HOUR: std::time::Duration = std::time::Duration::from_secs(3_600);

struct Door {
    test: TestGateway,
    http: Client,
    origin: String,
}

fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn challenge_of(options: &Value) -> String {
    String::from_utf8(URL_SAFE_NO_PAD.decode(options["challenge"].as_str().unwrap()).unwrap()).unwrap()
}

impl Door {
    async fn open() -> Self {
        let test = TestGateway::start(|config| config.admin_token = Some(SecretString::from(ADMIN))).await;
        let origin = test.url("");
        Self { test, http: Client::new(), origin }
    }

    fn party(&self) -> Party {
        Party::of(&self.test.gateway.app.public_url).unwrap()
    }

    async fn user(&self, login: &str) -> (User, String) {
        let store = self.test.gateway.app.platform.store();
        let tenant_id = Some(store.tenant_by_slug("riverbend").await.unwrap().unwrap().id);
        let new = NewUser {
            tenant_id,
            login: login.into(),
            display_name: "Pat Lee".into(),
            role: Role::Supervisor,
        };
        let user = store.create_user(new).await.unwrap();
        let secret = store.create_session(user.id, BegunBy::Link, HOUR).await.unwrap();
        (user, format!("quandura_session={}", secret.expose_secret()))
    }

    async fn send(&self, method: Method, path: &str, cookie: &str, body: Value) -> (StatusCode, Value) {
        let request = self.http.request(method, self.test.url(path)).header("origin", &self.origin);
        let answer = request.header("cookie", cookie).json(&body).send().await.unwrap();
        let cookie = answer.headers().get("set-cookie").map(|cookie| cookie.to_str().unwrap().to_owned());
        let (status, mut said) = (answer.status(), answer.json::<Value>().await.unwrap_or_default());
        if let Some(cookie) = cookie {
            said = json!({ "cookie": cookie.split(';').next().unwrap() });
        }
        (status, said)
    }

    async fn add(&self, device: &Device, cookie: &str, challenge: &str) -> (StatusCode, Value) {
        let body = json!({
            "name": "Laptop", "client_data": encoded(&device.client_data("webauthn.create", challenge)),
            "attestation": encoded(&device.attestation()),
        });
        self.send(Method::POST, "/v1/me/passkeys", cookie, body).await
    }

    async fn added(&self, device: &Device, cookie: &str) -> Value {
        let (status, options) = self.send(Method::POST, "/v1/me/passkeys/options", cookie, json!({})).await;
        assert_eq!((status, &options["rp_id"]), (StatusCode::OK, &json!("localhost")), "{options}");
        let (status, made) = self.add(device, cookie, &challenge_of(&options)).await;
        assert_eq!(status, StatusCode::CREATED, "{made}");
        made
    }

    async fn options(&self) -> String {
        let (status, options) = self.send(Method::POST, "/sign-in/passkey/options", "", json!({})).await;
        assert_eq!(status, StatusCode::OK, "{options}");
        challenge_of(&options)
    }

    async fn sign_in(&self, device: &Device, challenge: &str, handle: &User) -> (StatusCode, Value) {
        let client_data = device.client_data("webauthn.get", challenge);
        let (data, signature) = device.sign(&client_data);
        let body = json!({
            "id": encoded(&device.id), "client_data": encoded(&client_data), "authenticator_data": encoded(&data),
            "signature": encoded(&signature), "user_handle": encoded(handle.id.0.as_bytes()),
        });
        self.send(Method::POST, "/sign-in/passkey", "", body).await
    }

    async fn refusals(&self) -> Vec<Value> {
        let path = self.test.url("/v1/audit?tenant=_platform&action=session.refused");
        let answer: Value =
            self.http.get(path).bearer_auth(ADMIN).send().await.unwrap().json().await.unwrap();
        answer["items"].as_array().unwrap().iter().map(|entry| entry["details"]["why"].clone()).collect()
    }
}

#[tokio::test]
async fn a_passkey_is_added_lets_in_is_named_and_taken_away() {
    let door = Door::open().await;
    let (pat, cookie) = door.user("pat").await;
    let mut device = Device::new(door.party());
    let made = door.added(&device, &cookie).await;
    device.count = 1;
    let (status, entered) = door.sign_in(&device, &door.options().await, &pat).await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    let session = entered["cookie"].as_str().unwrap();
    let (_, me) = door.send(Method::GET, "/v1/me", session, Value::Null).await;
    assert_eq!(me["subject"], "pat");
    let path = format!("/v1/me/passkeys/{}", made["id"].as_str().unwrap());
    let (_, kims) = door.user("kim").await;
    for (method, body) in [(Method::PATCH, json!({ "name": "Mine" })), (Method::DELETE, Value::Null)] {
        assert_eq!(door.send(method, &path, &kims, body).await.0, StatusCode::NOT_FOUND, "it is another's");
    }
    assert_eq!(
        door.send(Method::PATCH, &path, session, json!({ "name": " " })).await.0,
        StatusCode::BAD_REQUEST
    );
    assert_eq!(
        door.send(Method::PATCH, &path, session, json!({ "name": "Desk" })).await.0,
        StatusCode::NO_CONTENT
    );
    let (_, mine) = door.send(Method::GET, "/v1/me/sign-in", session, Value::Null).await;
    assert_eq!(
        (&mine["passkeys"][0]["name"], mine["passkeys"][0]["used_at"].is_string()),
        (&json!("Desk"), true)
    );
    assert_eq!(door.send(Method::DELETE, &path, session, Value::Null).await.0, StatusCode::NO_CONTENT);
    device.count = 2;
    assert_eq!(door.sign_in(&device, &door.options().await, &pat).await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(door.refusals().await, [json!("unknown")]);
}

#[tokio::test]
async fn a_use_counts_once_by_its_owner_and_not_by_a_copy() {
    let door = Door::open().await;
    let (pat, cookie) = door.user("pat").await;
    let (kim, _) = door.user("kim").await;
    let mut device = Device::new(door.party());
    door.added(&device, &cookie).await;
    device.count = 5;
    let challenge = door.options().await;
    assert_eq!(door.sign_in(&device, &challenge, &pat).await.0, StatusCode::NO_CONTENT);
    device.count = 6;
    let refused = async |device: &Device, challenge: &str, user: &User| {
        let (status, said) = door.sign_in(device, challenge, user).await;
        assert_eq!((status, &said["cookie"]), (StatusCode::UNAUTHORIZED, &Value::Null));
    };
    refused(&device, &challenge, &pat).await; // A challenge that was used.
    refused(&device, "qc_of_nobody", &pat).await;
    refused(&device, &door.options().await, &kim).await; // Another's name with it.
    device.count = 5;
    refused(&device, &door.options().await, &pat).await; // A copy, left behind.
    device.count = 9;
    device.flags = 1;
    refused(&device, &door.options().await, &pat).await; // Somebody was there; who, is not known.
    device.flags = 5;
    let stranger = Device { id: device.id.clone(), count: 9, ..Device::new(door.party()) };
    refused(&stranger, &door.options().await, &pat).await;
    let framed =
        Device { party: Party { origin: "https://evil.example".into(), ..door.party() }, ..stranger };
    refused(&framed, &door.options().await, &pat).await;
    let why: Vec<_> = door.refusals().await;
    assert_eq!(
        why,
        json!([
            "other_origin",
            "signature",
            "not_verified",
            "copied",
            "other_user",
            "challenge",
            "challenge"
        ])
        .as_array()
        .unwrap()
        .clone()
    );
}

#[tokio::test]
async fn a_passkey_is_added_for_whom_it_was_asked_and_soon_after_signing_in() {
    let door = Door::open().await;
    let (_, cookie) = door.user("pat").await;
    let (_, kims) = door.user("kim").await;
    let device = Device::new(door.party());
    let (_, options) = door.send(Method::POST, "/v1/me/passkeys/options", &kims, json!({})).await;
    let challenge = challenge_of(&options);
    assert_eq!(door.add(&device, &cookie, &challenge).await.0, StatusCode::BAD_REQUEST, "asked for another");
    assert_eq!(
        door.add(&device, &cookie, &door.options().await).await.0,
        StatusCode::BAD_REQUEST,
        "for signing in"
    );
    door.added(&device, &cookie).await;
    let (_, options) = door.send(Method::POST, "/v1/me/passkeys/options", &kims, json!({})).await;
    assert_eq!(
        door.add(&device, &kims, &challenge_of(&options)).await.0,
        StatusCode::CONFLICT,
        "it is another's"
    );
    let token =
        door.http.post(door.test.url("/v1/me/passkeys/options")).bearer_auth(ADMIN).send().await.unwrap();
    assert_eq!(token.status(), StatusCode::FORBIDDEN);
    let foreign =
        door.http.post(door.test.url("/sign-in/passkey/options")).header("origin", "https://evil.example");
    assert_eq!(foreign.send().await.unwrap().status(), StatusCode::FORBIDDEN);
    let mut asked = 0;
    while door.send(Method::POST, "/sign-in/passkey/options", "", json!({})).await.0 == StatusCode::OK {
        asked += 1;
    }
    assert!((25..40).contains(&asked), "{asked}: one address does not fill the table");
}
