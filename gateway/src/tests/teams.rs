//! Teams of a tenant over the real router: checked, applied, tried, gone back to, taken away.

use reqwest::header::{ACCEPT, CONTENT_TYPE, ETAG, IF_MATCH};
use reqwest::{Client, RequestBuilder, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use storage::{Auth, Directory, NewToken, Role};
use work::teams::Teams;

use crate::config::Config;
use crate::simulated::TestGateway;

const ADMIN: &str = "an-admin-token-of-the-test";
const GUIDE: &str = include_str!("../../../docs/guides/teams.md");

async fn gateway() -> TestGateway {
    TestGateway::start(|config: &mut Config| config.admin_token = Some(SecretString::from(ADMIN))).await
}

async fn sent(request: RequestBuilder) -> (StatusCode, Value) {
    let answer = request.bearer_auth(ADMIN).send().await.unwrap();
    (answer.status(), answer.json().await.unwrap_or_default())
}

fn get(test: &TestGateway, path: &str) -> RequestBuilder {
    Client::new().get(test.url(&format!("/v1/teams{path}")))
}

fn post(test: &TestGateway, path: &str, body: &Value) -> RequestBuilder {
    Client::new().post(test.url(&format!("/v1/teams{path}"))).json(body)
}

fn put(test: &TestGateway, team: &str, text: &str) -> RequestBuilder {
    let asked = Client::new().put(test.url(&format!("/v1/teams/{team}")));
    asked.header(CONTENT_TYPE, "application/toml").body(text.to_owned())
}

/// The team that the guide shows.
pub(super) fn roads() -> &'static str {
    GUIDE.split("```toml\n").nth(1).unwrap().split("```").next().unwrap()
}

fn pothole(draft: Option<&str>) -> Value {
    json!({ "words": "there is a deep pothole on Oak Street", "matter": "incident", "draft": draft })
}

#[tokio::test]
async fn a_team_of_the_tenants_own_is_tried_as_a_draft_applied_gone_back_to_and_taken_away() {
    let test = gateway().await;
    let (_, before) = sent(post(&test, "/try", &pothole(None))).await;
    assert_eq!(
        (&before["destination"], &before["team"]),
        (&json!("team"), &json!("incident_investigation")),
        "{before}"
    );
    let (_, draft) = sent(post(&test, "/try", &pothole(Some(roads())))).await;
    assert_eq!((&draft["team"], &draft["specialist"]), (&json!("roads"), &json!("road_triage")), "{draft}");
    assert_eq!(sent(get(&test, "/roads")).await.0, StatusCode::NOT_FOUND, "trying keeps nothing");

    let (_, checked) = sent(post(&test, "/check", &json!({ "text": roads() }))).await;
    assert_eq!(
        (&checked["valid"], &checked["changes"]),
        (&json!(true), &json!(["the team is new"])),
        "{checked}"
    );
    let (status, applied) = sent(put(&test, "roads", roads())).await;
    assert_eq!((status, &applied["version"]), (StatusCode::OK, &json!(1)), "{applied}");
    let (_, now) = sent(post(&test, "/try", &pothole(None))).await;
    assert_eq!(now["team"], "roads", "{now}");
    let renamed = roads().replace("name = \"Roads\"", "name = \"Road Crew\"");
    let (_, applied) = sent(put(&test, "roads", &renamed).header(IF_MATCH, "\"1\"")).await;
    assert_eq!(applied["changes"], json!(["name: \"Roads\" becomes \"Road Crew\""]));
    assert_eq!(
        sent(put(&test, "roads", roads()).header(IF_MATCH, "\"1\"")).await.0,
        StatusCode::PRECONDITION_FAILED
    );
    assert_eq!(sent(put(&test, "roads", &renamed)).await.1["version"], 2, "the same again is no new version");

    let (_, listed) = sent(get(&test, "")).await;
    let own = listed["items"].as_array().unwrap().iter().find(|team| team["id"] == "roads").unwrap();
    assert_eq!(
        (&own["source"], &own["name"], &own["version"]),
        (&json!("own"), &json!("Road Crew"), &json!(2))
    );
    let (_, kept) = sent(get(&test, "/roads/versions")).await;
    assert_eq!(kept["items"].as_array().unwrap().len(), 2, "{kept}");
    let (_, first) = sent(get(&test, "/roads/versions/1")).await;
    assert_eq!(first["differences"], json!(["name: \"Road Crew\" becomes \"Roads\""]), "{first}");
    let (status, back) = sent(post(&test, "/roads/versions/1/rollback", &json!({}))).await;
    assert_eq!((status, &back["version"]), (StatusCode::OK, &json!(3)), "{back}");
    let text =
        get(&test, "/roads").header(ACCEPT, "application/toml").bearer_auth(ADMIN).send().await.unwrap();
    assert_eq!(text.headers()[ETAG], "\"3\"");
    assert_eq!(text.text().await.unwrap(), roads());

    let gone = Client::new().delete(test.url("/v1/teams/roads"));
    assert_eq!(sent(gone).await.0, StatusCode::OK);
    assert_eq!(sent(post(&test, "/try", &pothole(None))).await.1, before);
    assert_eq!(sent(Client::new().delete(test.url("/v1/teams/roads"))).await.0, StatusCode::NOT_FOUND);
    assert_eq!(sent(post(&test, "/roads/versions/4/rollback", &json!({}))).await.0, StatusCode::CONFLICT);
    assert_eq!(sent(post(&test, "/roads/versions/2/rollback", &json!({}))).await.0, StatusCode::OK);
    let (_, entries) = sent(Client::new().get(test.url("/v1/audit?action=settings.changed"))).await;
    assert!(entries.to_string().contains("team.roads"), "{entries}");
}

#[tokio::test]
async fn a_shipped_team_is_changed_for_one_tenant_and_comes_back() {
    let test = gateway().await;
    let new = json!({"slug": "oakdale", "name": "Oakdale"});
    sent(Client::new().post(test.url("/v1/tenants")).json(&new)).await;
    let own =
        Teams::shipped_text("claims").unwrap().replace("name = \"Claims Team\"", "name = \"Damage Desk\"");
    let asked = Client::new().put(test.url("/v1/teams/claims")).header("x-tenant", "oakdale");
    let (status, told) = sent(asked.json(&json!({ "text": own }))).await;
    assert_eq!(
        (status, &told["changes"]),
        (StatusCode::OK, &json!(["name: \"Claims Team\" becomes \"Damage Desk\""]))
    );
    let capabilities = async |tenant: &str| {
        sent(Client::new().get(test.url("/v1/capabilities")).header("x-tenant", tenant)).await.1.to_string()
    };
    assert!(capabilities("oakdale").await.contains("Damage Desk"));
    assert!(!capabilities("riverbend").await.contains("Damage Desk"), "another tenant's stays");
    let gone = Client::new().delete(test.url("/v1/teams/claims")).header("x-tenant", "oakdale");
    assert_eq!(sent(gone).await.0, StatusCode::OK);
    let (_, back) = sent(get(&test, "/claims").header("x-tenant", "oakdale")).await;
    assert_eq!((&back["source"], &back["version"]), (&json!("shipped"), &json!(2)));
    assert_eq!(back["text"], Teams::shipped_text("claims").unwrap());
}

#[tokio::test]
async fn every_fault_of_a_text_is_told_with_its_line_and_nothing_is_kept() {
    let test = gateway().await;
    let wrong = roads().replacen("purpose = ", "porpoise = ", 1);
    let (_, checked) = sent(post(&test, "/check", &json!({ "text": wrong }))).await;
    assert_eq!(
        (&checked["valid"], &checked["faults"][0]["key"]),
        (&json!(false), &json!("porpoise")),
        "{checked}"
    );
    assert!(checked["faults"][0]["line"].is_u64(), "{checked}");
    for (path, text) in [("roads", wrong.as_str()), ("lanes", roads()), ("roads", "no toml")] {
        let (status, refused) = sent(put(&test, path, text)).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{refused}");
        assert!(refused["error_details"]["faults"][0]["message"].is_string(), "{refused}");
    }
    assert_eq!(sent(get(&test, "/roads")).await.0, StatusCode::NOT_FOUND);
    for asked in [json!({ "words": " " }), json!({ "words": "a", "matter": "weather" })] {
        assert_eq!(sent(post(&test, "/try", &asked)).await.0, StatusCode::BAD_REQUEST);
    }
}

#[tokio::test]
async fn who_may_not_change_teams_reads_and_tries_them() {
    let test = gateway().await;
    let store = test.gateway.app.platform.store();
    let tenant = store.tenant_by_slug("riverbend").await.unwrap().unwrap();
    for (role, read, write) in [
        (Role::AgentAdmin, StatusCode::OK, StatusCode::OK),
        (Role::Supervisor, StatusCode::OK, StatusCode::FORBIDDEN),
        (Role::Auditor, StatusCode::OK, StatusCode::FORBIDDEN),
        (Role::Clerk, StatusCode::FORBIDDEN, StatusCode::FORBIDDEN),
    ] {
        let new = NewToken { tenant_id: Some(tenant.id), name: "t".to_owned(), role, expires_at: None };
        let token = store.create_token(new).await.unwrap().secret.expose_secret().to_owned();
        let status = async |asked: RequestBuilder| asked.bearer_auth(&token).send().await.unwrap().status();
        assert_eq!(status(post(&test, "/try", &pothole(None))).await, read, "{role}");
        assert_eq!(status(put(&test, "roads", roads())).await, write, "{role}");
    }
}

#[tokio::test]
async fn the_command_line_makes_shows_and_takes_away_a_team() {
    let dir = tempfile::tempdir().unwrap();
    let config = Config::for_test(dir.path());
    let path = dir.path().join("roads.toml");
    std::fs::write(&path, roads()).unwrap();
    let name = path.to_str().unwrap();
    let run = async |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        crate::cli::run_words(&config, &words).await
    };
    run(&["team", "apply", name, "--yes"]).await.unwrap();
    std::fs::write(&path, roads().replace("name = \"Roads\"", "name = \"Road Crew\"")).unwrap();
    run(&["team", "apply", name, "--yes", "--tenant", "riverbend"]).await.unwrap();
    run(&["team", "rollback", "roads", "1", "--yes"]).await.unwrap();
    for words in [&["team", "list"][..], &["team", "show", "roads"], &["team", "history", "roads"]] {
        run(words).await.unwrap();
    }
    run(&["team", "try", "a", "pothole", "--file", name]).await.unwrap();
    run(&["team", "delete", "roads", "--yes"]).await.unwrap();
    assert!(run(&["team", "show", "roads"]).await.is_err());
    std::fs::write(&path, roads().replace("autonomy = 2", "autonomy = 9")).unwrap();
    let wrong = run(&["team", "check", name]).await.unwrap_err().to_string();
    assert!(wrong.contains("roads.toml:") && wrong.contains("autonomy"), "{wrong}");
}
