//! Teams within a tenant's document: checked, put, shown, left alone where none are named, and gone back to.

use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, RequestBuilder, StatusCode};
use secrecy::SecretString;
use serde_json::{Value, json};
use storage::{Directory, PlatformOptions};

use super::teams::roads;
use crate::config::Config;
use crate::simulated::TestGateway;
use crate::tenant_config::{check, read, teams};

const ADMIN: &str = "an-admin-token-of-the-test";
const GUIDE: &str = include_str!("../../../docs/guides/county-from-a-file.md");
const CONFIG: &str = "/v1/tenants/riverbend/config";

/// The guide's team, as the document has it: each table of the file below `[[team]]`.
fn team(text: &str) -> String {
    let below = |line: &str| match line.strip_prefix("[[").or_else(|| line.strip_prefix('[')) {
        Some(rest) if line.starts_with("[[") => format!("[[team.{rest}\n"),
        Some(rest) => format!("[team.{rest}\n"),
        None => format!("{line}\n"),
    };
    let text: String = text.lines().map(below).collect();
    format!("\n[[team]]\n{text}")
}

async fn gateway() -> TestGateway {
    TestGateway::start(|config: &mut Config| config.admin_token = Some(SecretString::from(ADMIN))).await
}

async fn sent(request: RequestBuilder) -> (StatusCode, Value) {
    let answer = request.bearer_auth(ADMIN).send().await.unwrap();
    (answer.status(), answer.json().await.unwrap_or_default())
}

async fn put(test: &TestGateway, text: &str) -> Value {
    let asked = Client::new().put(test.url(CONFIG)).header(CONTENT_TYPE, "application/toml");
    let (status, applied) = sent(asked.body(text.to_owned())).await;
    assert_eq!(status, StatusCode::OK, "{applied}");
    applied
}

async fn get(test: &TestGateway, path: &str) -> (StatusCode, Value) {
    sent(Client::new().get(test.url(path))).await
}

async fn text(test: &TestGateway) -> String {
    let asked = Client::new().get(test.url(CONFIG)).header(ACCEPT, "application/toml").bearer_auth(ADMIN);
    asked.send().await.unwrap().text().await.unwrap()
}

#[tokio::test]
async fn a_team_in_the_document_is_applied_works_is_shown_stays_and_is_gone_back_to() {
    let test = gateway().await;
    let plain = text(&test).await;
    assert!(!plain.contains("[[team]]"), "those that ship are not the tenant's: {plain}");
    let with = format!("{plain}{}", team(roads()));
    let check =
        Client::new().post(test.url(&format!("{CONFIG}/check"))).header(CONTENT_TYPE, "application/toml");
    let (_, told) = sent(check.body(with.clone())).await;
    assert_eq!((&told["valid"], &told["changes"]), (&json!(true), &json!(["team roads is new"])), "{told}");
    assert_eq!(get(&test, "/v1/teams/roads").await.0, StatusCode::NOT_FOUND, "a check keeps nothing");

    assert_eq!(put(&test, &with).await["kept_as"], 2);
    let (_, kept) = get(&test, "/v1/teams/roads").await;
    assert_eq!((&kept["source"], &kept["version"]), (&json!("own"), &json!(1)), "{kept}");
    let words = json!({ "words": "there is a deep pothole on Oak Street" });
    let (_, tried) = sent(Client::new().post(test.url("/v1/teams/try")).json(&words)).await;
    assert_eq!((&tried["team"], &tried["specialist"]), (&json!("roads"), &json!("road_triage")), "{tried}");

    let shown = text(&test).await;
    assert!(
        shown.contains("[[team]]") && shown.contains("id = \"roads\"") && !shown.contains("\"claims\""),
        "{shown}"
    );
    assert_eq!(put(&test, &shown).await["kept_as"], Value::Null, "what is shown is what holds");
    assert_eq!(
        put(&test, &with).await["kept_as"],
        Value::Null,
        "nor is it another for being written otherwise"
    );

    let renamed = with.replace("name = \"Roads\"", "name = \"Roads and Signs\"");
    let changed = put(&test, &renamed).await;
    let said = json!(["team roads name: \"Roads\" becomes \"Roads and Signs\""]);
    assert_eq!((&changed["kept_as"], &changed["changes"]), (&json!(3), &said), "{changed}");
    let audit = get(&test, "/v1/audit?tenant=riverbend&action=settings.changed").await.1.to_string();
    assert!(audit.contains("team.roads"), "{audit}");

    assert_eq!(put(&test, &plain).await["kept_as"], Value::Null, "a document without it leaves it alone");
    assert_eq!(get(&test, "/v1/teams/roads").await.1["version"], 2);
    let back = Client::new().post(test.url(&format!("{CONFIG}/versions/2/rollback")));
    let (status, back) = sent(back).await;
    let said = json!(["team roads name: \"Roads and Signs\" becomes \"Roads\""]);
    assert_eq!((status, &back["changes"]), (StatusCode::OK, &said), "{back}");
    let (_, kept) = get(&test, "/v1/teams/roads").await;
    assert_eq!(kept["version"], 3);
    assert!(kept["text"].as_str().unwrap().contains("name = \"Roads\"\n"), "{kept}");
}

#[tokio::test]
async fn a_shipped_team_is_changed_by_the_document_and_told_by_what_is_not_as_it_ships() {
    let test = gateway().await;
    let plain = text(&test).await;
    let shipped = work::teams::Teams::shipped_text("safety").unwrap();
    let own = team(&shipped.replace("name = \"Safety Team\"", "name = \"Safety Desk\""));
    let changed = put(&test, &format!("{plain}{own}")).await;
    assert_eq!(
        changed["changes"],
        json!(["team safety name: \"Safety Team\" becomes \"Safety Desk\""]),
        "{changed}"
    );
    assert_eq!(get(&test, "/v1/teams/safety").await.1["source"], "changed");
}

#[test]
fn what_is_wrong_in_a_team_is_told_with_its_line_and_key_in_the_document() {
    let own = roads()
        .replace("autonomy = 2\n", "autonomy = 9\n")
        .replace("method = \"triage\"", "metod = \"triage\"");
    let text = format!("name = \"Oakdale\"\n{}{}", team(roads()), team(&own));
    let reading = read::toml(&text);
    let mut faults = check::check(&reading.config);
    reading.place(&mut faults);
    let line_of = |words: &str| text.lines().position(|line| line.starts_with(words)).unwrap() + 1;
    let told = |key: &str| faults.iter().find(|fault| fault.key == key).and_then(|fault| fault.line);
    assert_eq!(told("team[2].specialist[1].metod"), Some(line_of("metod")), "{faults:?}");
    let second =
        text.lines().collect::<Vec<_>>().iter().rposition(|line| line.starts_with("id = \"roads\"")).unwrap();
    assert_eq!(told("team[2].id"), Some(second + 1), "two of one id: {faults:?}");
    assert!(!faults.iter().any(|fault| fault.key.starts_with("team[1]")), "{faults:?}");
}

#[test]
fn the_team_that_the_guide_shows_is_sound_beside_the_whole_file() {
    let mut blocks = GUIDE.split("```toml\n").skip(1).map(|block| block.split("```").next().unwrap());
    let (whole, team) = (blocks.next().unwrap(), blocks.nth(1).unwrap());
    let reading = read::toml(&format!("{whole}\n{team}"));
    assert_eq!((reading.config.teams.len(), reading.faults.len()), (1, 0), "{:?}", reading.faults);
    let faults = check::check(&reading.config);
    assert!(faults.is_empty(), "{faults:?}");
}

#[tokio::test]
async fn the_command_line_applies_a_file_with_a_team_without_a_gateway() {
    let dir = tempfile::tempdir().unwrap();
    let config = Config::for_test(dir.path());
    let path = dir.path().join("oakdale.toml");
    let run = async |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        crate::cli::run_words(&config, &words).await
    };
    std::fs::write(&path, format!("slug = \"oakdale\"\nname = \"Oakdale\"\n{}", team(roads()))).unwrap();
    run(&["tenant", "apply", path.to_str().unwrap(), "--yes"]).await.unwrap();
    let platform = storage::Platform::open(PlatformOptions::new(&config.data_dir)).await.unwrap();
    for tenant in platform.store().tenants().await.unwrap() {
        let own = teams::own(&platform.tenant(tenant.id).await.unwrap()).await.unwrap();
        let ids: Vec<&Value> = own.iter().filter_map(|team| team.get("id")).collect();
        let wanted = if tenant.slug == "oakdale" { json!(["roads"]) } else { json!([]) };
        assert_eq!(json!(ids), wanted, "{}", tenant.slug);
    }
}
