//! Who runs the platform: added, let in and taken away by one another alone, and never all of them.

use std::time::Duration;

use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tests::gateway::{ADMIN, Doubles, TestGateway};
use tests::home::Home;

async fn told(request: RequestBuilder) -> (StatusCode, Value) {
    let answer = request.send().await.unwrap();
    (answer.status(), answer.json().await.unwrap_or_default())
}

/// Wrong, unless it is the one that was set.
const PASSWORD: &str = "four words of one person";

/// One gateway, asked by people and programs.
struct Door {
    gateway: TestGateway,
    http: Client,
}

impl Door {
    async fn open(home: &Home) -> Self {
        let gateway = TestGateway::start_at(home, Doubles::default()).await.unwrap();
        let http = Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        Self { gateway, http }
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.gateway.base)
    }

    async fn add(&self, token: &str, user: Value) -> (StatusCode, Value) {
        told(self.http.post(self.url("/v1/users")).bearer_auth(token).json(&user)).await
    }

    /// Signs somebody in by a link, as their browser does, and gives the cookie.
    async fn enter(&self, login: &str) -> String {
        let asked = self.http.post(self.url("/v1/users/links")).bearer_auth(ADMIN);
        let (_, link) = told(asked.json(&json!({ "login": login }))).await;
        let token = link["url"].as_str().unwrap().split("token=").nth(1).unwrap().to_owned();
        let asked = self.http.post(self.url("/sign-in")).header("origin", &self.gateway.base);
        let came = asked.form(&[("token", token)]).send().await.unwrap();
        came.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned()
    }

    /// As somebody in a browser.
    async fn remove(&self, cookie: &str, id: &Value) -> (StatusCode, Value) {
        let asked = self.http.delete(self.url(&format!("/v1/users/{}", id.as_str().unwrap())));
        told(asked.header("cookie", cookie).header("origin", &self.gateway.base)).await
    }

    /// As the sign-in page does.
    async fn by_password(&self, login: &str, password: &str) -> reqwest::Response {
        let asked = self.http.post(self.url("/sign-in/password")).header("origin", &self.gateway.base);
        asked.form(&[("login", login), ("password", password)]).send().await.unwrap()
    }

    async fn audit(&self, action: &str) -> Vec<Value> {
        let path = format!("/v1/audit?tenant=_platform&action={action}");
        self.gateway.get(&path).await.unwrap()["items"].as_array().unwrap().clone()
    }
}

tests::on_both_back_ends!(those_who_run_the_platform_add_and_remove_each_other_and_the_last_stays);

async fn those_who_run_the_platform_add_and_remove_each_other_and_the_last_stays(home: Home) {
    let door = Door::open(&home).await;
    let platform = |login: &str| json!({ "login": login, "name": login, "role": "platform-admin" });
    let (status, sam) = door.add(ADMIN, platform("sam")).await;
    assert_eq!((status, &sam["role"]), (StatusCode::CREATED, &json!("platform-admin")));
    let by_sam = door.enter("sam").await;
    let asked = door.http.get(door.url("/v1/me")).header("cookie", &by_sam);
    assert_eq!(told(asked).await.1["roles"], json!(["platform-admin"]));

    let (status, refused) = door.remove(&by_sam, &sam["id"]).await;
    assert_eq!((status, &refused["error_code"]), (StatusCode::CONFLICT, &json!("CONFLICT")), "{refused}");
    assert!(refused["error_message"].as_str().unwrap().starts_with("sam is the last"), "{refused}");
    assert_eq!(refused["suggested_action"], "add another platform administrator first, then remove this one");
    let (_, kim) = door.add(ADMIN, platform("kim")).await;
    let by_kim = door.enter("kim").await;
    assert_eq!(door.remove(&by_kim, &sam["id"]).await.0, StatusCode::NO_CONTENT);
    let asked = door.http.get(door.url("/v1/me")).header("cookie", &by_sam);
    assert_eq!(told(asked).await.0, StatusCode::UNAUTHORIZED, "whoever was removed is out");
    assert_eq!(door.remove(&by_kim, &kim["id"]).await.0, StatusCode::CONFLICT);

    // The machine's own is there beside them, counts for nobody, and cannot be removed either.
    let local = told(door.http.post(door.url("/v1/users/links")).bearer_auth(ADMIN).json(&json!({}))).await;
    assert_eq!(local.0, StatusCode::CREATED);
    let (_, list) = told(door.http.get(door.url("/v1/users")).header("cookie", &by_kim)).await;
    let logins: Vec<_> =
        list["items"].as_array().unwrap().iter().map(|u| u["login"].as_str().unwrap()).collect();
    assert_eq!(logins, ["kim", "local-admin"]);
    let (status, refused) = door.remove(&by_kim, &list["items"][1]["id"]).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(refused["suggested_action"].as_str().unwrap().contains("the machine"), "{refused}");

    let created = door.audit("user.created").await;
    assert_eq!(created.len(), 2);
    assert!(created.iter().all(|entry| entry["details"]["user_role"] == "platform-admin"), "{created:?}");
    let outcomes: Vec<_> = door.audit("user.removed").await.iter().map(|e| e["outcome"].clone()).collect();
    assert_eq!(outcomes, [json!("denied"), json!("done"), json!("denied")]);
    door.gateway.running.shutdown().await;
}

tests::on_both_back_ends!(nobody_of_a_tenant_sees_or_makes_those_who_run_the_platform);

async fn nobody_of_a_tenant_sees_or_makes_those_who_run_the_platform(home: Home) {
    let door = Door::open(&home).await;
    let platform = json!({ "login": "sam", "name": "Sam", "role": "platform-admin" });
    let (_, sam) = door.add(ADMIN, platform).await;
    let path = format!("/v1/users/{}", sam["id"].as_str().unwrap());
    for role in ["clerk", "supervisor", "agent-admin", "tenant-admin", "auditor"] {
        let body = json!({ "name": role, "role": role, "tenant": "riverbend" });
        let asked = door.http.post(door.url("/v1/tokens")).bearer_auth(ADMIN).json(&body);
        let token = told(asked).await.1["secret"].as_str().unwrap().to_owned();
        let as_role = |request: RequestBuilder| told(request.bearer_auth(&token));
        let (listed, list) = as_role(door.http.get(door.url("/v1/users"))).await;
        assert!(!list.to_string().contains("sam"), "{role}: {list}");
        let another = json!({ "login": "mole", "name": "Mole", "role": "platform-admin" });
        let (made, _) = as_role(door.http.post(door.url("/v1/users")).json(&another)).await;
        let named =
            json!({ "login": "mole", "name": "Mole", "role": "platform-admin", "tenant": "_platform" });
        let (by_name, _) = as_role(door.http.post(door.url("/v1/users")).json(&named)).await;
        let (removed, _) = as_role(door.http.delete(door.url(&path))).await;
        let link = json!({ "login": "sam", "reset": true });
        let (linked, _) = as_role(door.http.post(door.url("/v1/users/links")).json(&link)).await;
        // A tenant's administrator manages the tenant's own people, and does not learn of others.
        let expected = if role == "tenant-admin" { [200, 400, 404, 404, 404] } else { [403; 5] };
        assert_eq!(
            [listed, made, by_name, removed, linked].map(|status| status.as_u16()),
            expected,
            "{role}"
        );
    }
    let (_, list) = told(door.http.get(door.url("/v1/users")).bearer_auth(ADMIN)).await;
    let named = list["items"].as_array().unwrap().iter().filter(|user| user["login"] != "local-admin");
    assert_eq!(named.count(), 1, "{list}");
    door.gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_gateways_count_failed_sign_ins_together_and_a_start_forgets_none() {
    let home = Home::postgres().unwrap();
    let one = Door::open(&home).await;
    let other = Home { database: home.database.clone(), ..Home::sqlite().unwrap() };
    std::fs::create_dir_all(other.dir.path().join("data")).unwrap();
    let key = |home: &Home| home.dir.path().join("data/master.key");
    std::fs::copy(key(&home), key(&other)).unwrap();
    let two = Door::open(&other).await;
    one.add(ADMIN, json!({ "login": "pat", "name": "P", "role": "clerk", "tenant": "riverbend" })).await;
    let cookie = one.enter("pat").await;
    let set = one.http.put(one.url("/v1/me/password")).header("origin", &one.gateway.base);
    let set = told(set.header("cookie", cookie).json(&json!({ "new": PASSWORD }))).await;
    assert_eq!(set.0, StatusCode::NO_CONTENT, "{}", set.1);

    // Five failures cost nothing and the sixth has a wait, whichever gateway was asked.
    for door in [&one, &two, &one, &two, &two, &one] {
        assert_eq!(door.by_password("pat", "a guess").await.status(), StatusCode::UNAUTHORIZED);
    }
    for door in [&one, &two] {
        let waits = door.by_password("pat", PASSWORD).await;
        assert_eq!(waits.status(), StatusCode::TOO_MANY_REQUESTS);
    }
    two.gateway.running.shutdown().await;
    let two = Door::open(&other).await;
    assert_eq!(after_the_wait(&two, "a guess").await, StatusCode::UNAUTHORIZED);
    for door in [&two, &one] {
        let waits = door.by_password("pat", PASSWORD).await;
        assert_eq!(waits.status(), StatusCode::TOO_MANY_REQUESTS, "the seventh failure, after a start");
    }
    assert_eq!(two.by_password("kim", "a guess").await.status(), StatusCode::UNAUTHORIZED, "another login");
    assert_eq!(after_the_wait(&one, PASSWORD).await, StatusCode::SEE_OTHER);
    // Forgiven for all.
    assert_eq!(two.by_password("pat", "a guess").await.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(two.by_password("pat", PASSWORD).await.status(), StatusCode::SEE_OTHER);
    for door in [one, two] {
        door.gateway.running.shutdown().await;
    }
}

/// What the gateway says once it lets pat try again.
async fn after_the_wait(door: &Door, password: &str) -> StatusCode {
    for _ in 0..60 {
        let status = door.by_password("pat", password).await.status();
        if status != StatusCode::TOO_MANY_REQUESTS {
            return status;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("pat waits without an end")
}
