//! Who runs the platform: added, let in and taken away by one another alone, and never all of them.

use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tests::gateway::{ADMIN, Doubles, TestGateway};
use tests::home::Home;

async fn told(request: RequestBuilder) -> (StatusCode, Value) {
    let answer = request.send().await.unwrap();
    (answer.status(), answer.json().await.unwrap_or_default())
}

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
