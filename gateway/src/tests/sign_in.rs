//! Signing in with a password, what a person does about their own sign-in, and sessions.

use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response, StatusCode};
use secrecy::SecretString;
use serde_json::{Value, json};
use storage::{Auth, Credentials, Directory, NewUser, Role, User};

use crate::auth::sign_in;
use crate::simulated::TestGateway;

const ADMIN: &str = "an-admin-token-of-the-test";
const PASSWORD: &str = "wombats eat grass";

struct Door {
    test: TestGateway,
    http: Client,
}

impl Door {
    async fn open() -> Self {
        let test = TestGateway::start(|config| config.admin_token = Some(SecretString::from(ADMIN))).await;
        Self { test, http: Client::builder().redirect(Policy::none()).build().unwrap() }
    }

    async fn user(&self, login: &str) -> User {
        let store = self.test.gateway.app.platform.store();
        let tenant_id = Some(store.tenant_by_slug("riverbend").await.unwrap().unwrap().id);
        self.made(NewUser {
            tenant_id,
            login: login.into(),
            display_name: "Pat Lee".into(),
            role: Role::Supervisor,
        })
        .await
    }

    async fn made(&self, new: NewUser) -> User {
        self.test.gateway.app.platform.store().create_user(new).await.unwrap()
    }

    async fn sign_in(&self, login: &str, password: &str) -> Response {
        let form = [("login", login), ("password", password)];
        self.http.post(self.test.url("/sign-in/password")).form(&form).send().await.unwrap()
    }

    /// The cookie of a session that a one-time link began.
    async fn by_link(&self, user: &User) -> String {
        let link = sign_in::link_for(&self.test.gateway.app, user).await.unwrap();
        let token = link.split_once("token=").unwrap().1;
        let entered =
            self.http.post(self.test.url("/sign-in")).form(&[("token", token)]).send().await.unwrap();
        // Who has no password yet is asked for one.
        let store = self.test.gateway.app.platform.store();
        let to = if store.password(user.id).await.unwrap().is_some() { "/" } else { "/#/account" };
        assert_eq!(entered.headers()["location"], to);
        cookie_of(&entered)
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        cookie: &str,
        body: Option<Value>,
    ) -> (StatusCode, Value) {
        let origin = self.test.url("");
        let request = self.http.request(method, self.test.url(path)).header("cookie", cookie);
        let request = request.header("origin", origin);
        let request = body.into_iter().fold(request, |request, body| request.json(&body));
        let answer = request.send().await.unwrap();
        (answer.status(), answer.json().await.unwrap_or_default())
    }

    async fn set(&self, cookie: &str, body: Value) -> (StatusCode, Value) {
        self.send(Method::PUT, "/v1/me/password", cookie, Some(body)).await
    }

    async fn audit(&self, tenant: &str, action: &str) -> Vec<Value> {
        let path = format!("/v1/audit?tenant={tenant}&action={action}");
        let answer: Value = self
            .http
            .get(self.test.url(&path))
            .bearer_auth(ADMIN)
            .send()
            .await
            .unwrap()
            .json()
            .await
            .unwrap();
        answer["items"].as_array().unwrap().clone()
    }
}

fn cookie_of(answer: &Response) -> String {
    answer.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_password_is_set_after_a_link_and_lets_in_from_then_on() {
    let door = Door::open().await;
    let pat = door.user("pat").await;
    let first = door.by_link(&pat).await;
    let (_, now) = door.send(Method::GET, "/v1/me/sign-in", &first, None).await;
    assert_eq!(
        (&now["password_set_at"], &now["may_set_password"], &now["needs_old_password"]),
        (&Value::Null, &json!(true), &json!(false))
    );
    let (status, why) = door.set(&first, json!({ "new": "PatLee123456" })).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert_eq!(why["error_message"], "new is little more than your own name");
    assert_eq!(door.set(&first, json!({ "new": PASSWORD })).await.0, StatusCode::NO_CONTENT);

    let entered = door.sign_in(" PAT ", PASSWORD).await;
    assert_eq!(
        (entered.status(), &entered.headers()["location"]),
        (StatusCode::SEE_OTHER, &"/".parse().unwrap())
    );
    let second = cookie_of(&entered);
    let (_, me) = door.send(Method::GET, "/v1/me", &second, None).await;
    assert_eq!((&me["subject"], &me["kind"]), (&json!("pat"), &json!("session")));
    let started = door.audit("riverbend", "session.started").await;
    assert_eq!(
        (&started[0]["details"]["by"], &started[1]["details"]["by"]),
        (&json!("password"), &json!("link"))
    );
    assert_eq!(door.audit("riverbend", "password.set").await.len(), 1);
}

#[tokio::test]
async fn a_platform_administrators_password_is_on_the_platforms_audit() {
    let door = Door::open().await;
    let robin = NewUser {
        tenant_id: None,
        login: "robin".into(),
        display_name: "Robin Roe".into(),
        role: Role::PlatformAdmin,
    };
    let robin = door.made(robin).await;
    let cookie = door.by_link(&robin).await;
    assert_eq!(door.set(&cookie, json!({ "new": PASSWORD })).await.0, StatusCode::NO_CONTENT);
    let kept = door.audit("_platform", "password.set").await;
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert!(json!(kept[0]).to_string().contains(&robin.id.to_string()), "{kept:?}");
    assert!(door.audit("riverbend", "password.set").await.is_empty(), "they are no office's");
}

#[tokio::test]
async fn an_old_password_is_asked_for_and_a_change_ends_the_other_sessions() {
    let door = Door::open().await;
    let pat = door.user("pat").await;
    door.set(&door.by_link(&pat).await, json!({ "new": PASSWORD })).await;
    let (here, there) =
        (cookie_of(&door.sign_in("pat", PASSWORD).await), cookie_of(&door.sign_in("pat", PASSWORD).await));
    let new = "yaks climb no trees";
    for (body, said) in [
        (json!({ "new": new }), "old is missing"),
        (json!({ "new": new, "old": "wrong" }), "old is not your password"),
        (json!({ "new": "short", "old": PASSWORD }), "new has 5 characters; it needs 12"),
    ] {
        let (status, why) = door.set(&here, body).await;
        assert_eq!((status, why["error_message"].as_str()), (StatusCode::BAD_REQUEST, Some(said)));
    }
    assert_eq!(door.set(&here, json!({ "new": new, "old": PASSWORD })).await.0, StatusCode::NO_CONTENT);
    let me = async |cookie: &str| door.send(Method::GET, "/v1/me", cookie, None).await.0;
    assert_eq!((me(&here).await, me(&there).await), (StatusCode::OK, StatusCode::UNAUTHORIZED));
    assert_eq!(door.sign_in("pat", PASSWORD).await.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(door.sign_in("pat", new).await.status(), StatusCode::SEE_OTHER);
    let token =
        door.http.put(door.test.url("/v1/me/password")).bearer_auth(ADMIN).json(&json!({ "new": new }));
    assert_eq!(token.send().await.unwrap().status(), StatusCode::FORBIDDEN, "a program has no password");
    let foreign = door.http.put(door.test.url("/v1/me/password")).header("cookie", &here);
    let foreign = foreign.header("origin", "https://evil.example").json(&json!({ "new": new }));
    assert_eq!(foreign.send().await.unwrap().status(), StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn whoever_is_not_let_in_learns_nothing_of_who_exists() {
    let door = Door::open().await;
    let pat = door.user("pat").await;
    door.user("kim").await;
    door.set(&door.by_link(&pat).await, json!({ "new": PASSWORD })).await;
    let mut pages = Vec::new();
    for (login, password) in [("pat", "not the password"), ("kim", PASSWORD), ("nobody", PASSWORD)] {
        let answer = door.sign_in(login, password).await;
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
        assert!(!answer.headers().contains_key("set-cookie"));
        pages.push(answer.text().await.unwrap().replace(&format!("value=\"{login}\""), ""));
    }
    assert!(pages[0].contains("do not belong together") && !pages[0].contains("not the password"));
    assert!(pages.iter().all(|page| *page == pages[0]));
    let hostile = door.sign_in("\"><script>alert(1)</script>", "x").await.text().await.unwrap();
    assert!(!hostile.contains("<script>"), "{hostile}");
    let foreign = door.http.post(door.test.url("/sign-in/password")).header("origin", "https://evil.example");
    let foreign = foreign.form(&[("login", "pat"), ("password", PASSWORD)]).send().await.unwrap();
    assert_eq!(foreign.status(), StatusCode::FORBIDDEN);
    let refused = door.audit("_platform", "session.refused").await;
    assert_eq!(refused.len(), 4);
    let text = json!(refused).to_string();
    assert!(
        text.contains(&pat.id.to_string()) && !text.contains("nobody") && !text.contains(PASSWORD),
        "{text}"
    );
}

#[tokio::test]
async fn who_guesses_waits_longer_and_longer_and_a_link_still_lets_in() {
    let door = Door::open().await;
    let pat = door.user("pat").await;
    door.set(&door.by_link(&pat).await, json!({ "new": PASSWORD })).await;
    for _ in 0..6 {
        assert_eq!(door.sign_in("pat", "wrong").await.status(), StatusCode::UNAUTHORIZED);
    }
    let waits = door.sign_in("pat", PASSWORD).await;
    assert_eq!(waits.status(), StatusCode::TOO_MANY_REQUESTS);
    let seconds: u64 = waits.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=3).contains(&seconds), "{seconds}");
    assert!(waits.text().await.unwrap().contains("Too many attempts failed. Try again in"));
    door.by_link(&pat).await;
}

#[tokio::test]
async fn an_administrators_reset_ends_everything_but_its_own_link() {
    let door = Door::open().await;
    let pat = door.user("pat").await;
    let first = door.by_link(&pat).await;
    door.set(&first, json!({ "new": PASSWORD })).await;
    let ask =
        |body: Value| door.http.post(door.test.url("/v1/users/links")).bearer_auth(ADMIN).json(&body).send();
    let link: Value = ask(json!({ "login": "pat", "reset": true })).await.unwrap().json().await.unwrap();
    assert_eq!(door.send(Method::GET, "/v1/me", &first, None).await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(door.sign_in("pat", PASSWORD).await.status(), StatusCode::UNAUTHORIZED);
    let token = link["url"].as_str().unwrap().split_once("token=").unwrap().1;
    let entered = door.http.post(door.test.url("/sign-in")).form(&[("token", token)]).send().await.unwrap();
    assert_eq!(
        door.set(&cookie_of(&entered), json!({ "new": "yaks climb no trees" })).await.0,
        StatusCode::NO_CONTENT
    );
    assert_eq!(door.audit("riverbend", "user.credentials_reset").await.len(), 1);
    assert_eq!(ask(json!({ "reset": true })).await.unwrap().status(), StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn people_see_and_end_their_own_sessions_and_no_others() {
    let door = Door::open().await;
    let (pat, kim) = (door.user("pat").await, door.user("kim").await);
    let (here, there, kims) = (door.by_link(&pat).await, door.by_link(&pat).await, door.by_link(&kim).await);
    let listed = async |cookie: &str| door.send(Method::GET, "/v1/me/sessions", cookie, None).await.1;
    let mine = listed(&here).await;
    let mine = mine["items"].as_array().unwrap();
    assert_eq!(mine.len(), 2);
    let other = mine.iter().find(|one| one["is_this"] == false).unwrap();
    let theirs = listed(&kims).await["items"][0]["id"].as_str().unwrap().to_owned();
    let end =
        async |id: &str| door.send(Method::DELETE, &format!("/v1/me/sessions/{id}"), &here, None).await.0;
    assert_eq!(end(&theirs).await, StatusCode::NOT_FOUND);
    assert_eq!(end("..").await, StatusCode::NOT_FOUND);
    assert_eq!(end(other["id"].as_str().unwrap()).await, StatusCode::NO_CONTENT);
    let me = async |cookie: &str| door.send(Method::GET, "/v1/me", cookie, None).await.0;
    assert_eq!((me(&there).await, me(&kims).await), (StatusCode::UNAUTHORIZED, StatusCode::OK));
    let again = door.by_link(&pat).await;
    assert_eq!(door.send(Method::DELETE, "/v1/me/sessions", &here, None).await.0, StatusCode::NO_CONTENT);
    assert_eq!((me(&again).await, me(&here).await), (StatusCode::UNAUTHORIZED, StatusCode::OK));
}

#[tokio::test]
async fn a_session_that_rests_too_long_is_over() {
    let rests = std::time::Duration::from_millis(300);
    let test = TestGateway::start(|config| config.sign_in.idle = rests).await;
    let door = Door { test, http: Client::builder().redirect(Policy::none()).build().unwrap() };
    let pat = door.user("pat").await;
    let cookie = door.by_link(&pat).await;
    assert_eq!(door.send(Method::GET, "/v1/me", &cookie, None).await.0, StatusCode::OK);
    tokio::time::sleep(rests + std::time::Duration::from_millis(50)).await;
    assert_eq!(door.send(Method::GET, "/v1/me", &cookie, None).await.0, StatusCode::UNAUTHORIZED);
    let secret = cookie.split_once('=').unwrap().1;
    let store = door.test.gateway.app.platform.store();
    assert!(store.session(secret).await.unwrap().is_none(), "and is gone");
}
