//! What only a database server can show: it goes away, it is shared, it may be the wrong one or the wrong role.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gateway::cli;
use reqwest::StatusCode;
use serde_json::{Value, json};
use storage::PostgresOptions;
use tests::caller::Caller;
use tests::gateway::{ADMIN, Doubles, LINE, TestGateway};
use tests::home::Home;
use tests::home::private_postgres::Cluster;

/// On a server of the test's own.
fn home_on(cluster: &Cluster) -> Home {
    Home { database: Some(cluster.database()), ..Home::sqlite().unwrap() }
}

async fn greeted(gateway: &TestGateway) -> Caller {
    let mut caller = Caller::dial(&gateway.base, LINE).await.unwrap();
    caller.silent_until(Duration::from_secs(3), |h| h.bytes() > 0).await.unwrap();
    caller.silent_until_quiet(Duration::from_millis(200), Duration::from_secs(8)).await.unwrap();
    caller
}

async fn asked(gateway: &TestGateway, path: &str) -> (StatusCode, Value) {
    let request = reqwest::Client::new().get(format!("{}{path}", gateway.base)).bearer_auth(ADMIN);
    let answer = request.send().await.unwrap();
    (answer.status(), answer.json().await.unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_the_server_is_away_health_says_so_and_calls_are_served_again_when_it_is_back() {
    let cluster = Cluster::own();
    let home = home_on(&cluster);
    let gateway = TestGateway::start_at(&home, Doubles::default()).await.unwrap();
    greeted(&gateway).await.hang_up().await.unwrap();
    cluster.crash();
    let (status, health) = asked(&gateway, "/health").await;
    assert_eq!((status, &health["status"]), (StatusCode::SERVICE_UNAVAILABLE, &json!("unhealthy")));
    for name in ["storage", "storage.postgresql"] {
        assert_eq!(health["dependencies"][name], "unhealthy", "{health}");
    }
    let (status, error) = asked(&gateway, "/v1/calls").await;
    assert_eq!(
        (status, &error["error_code"]),
        (StatusCode::SERVICE_UNAVAILABLE, &json!("SERVICE_UNAVAILABLE"))
    );
    assert!(!error.to_string().contains("quandura_app"), "{error}");
    cluster.start();
    gateway.until("/health", |h| h["dependencies"]["storage.postgresql"] == "healthy").await.unwrap();
    let caller = greeted(&gateway).await;
    let sid = caller.order.call_sid.clone();
    caller.hang_up().await.unwrap();
    gateway.until(&format!("/v1/calls/{sid}"), |c| c["state"] == "ended").await.unwrap();
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_goes_on_when_the_server_crashes_and_is_back_within_two_seconds() {
    let cluster = Arc::new(Cluster::own());
    let home = home_on(&cluster);
    let gateway = TestGateway::start_at(&home, Doubles::default()).await.unwrap();
    // Recovery syncs every file to disk, and a new cluster's are all unsynced: on a slow disk that alone takes seconds.
    cluster.sync();
    let mut caller = greeted(&gateway).await;
    let sid = caller.order.call_sid.clone();
    let before = caller.heard.lock().bytes();
    let away = Instant::now();
    cluster.crash();
    let starting = std::thread::spawn({
        let cluster = cluster.clone();
        move || {
            // What is left of two seconds after about half a second for the start.
            std::thread::sleep(Duration::from_millis(1_400).saturating_sub(away.elapsed()));
            cluster.start();
        }
    });
    caller.speak_ms(1_000).await.unwrap();
    caller.silent_until(Duration::from_secs(8), |h| h.bytes() > before).await.unwrap();
    caller.silent_until_quiet(Duration::from_millis(400), Duration::from_secs(12)).await.unwrap();
    caller.hang_up().await.unwrap();
    starting.join().unwrap();
    let call = gateway.until(&format!("/v1/calls/{sid}"), |c| c["state"] == "ended").await.unwrap();
    assert_eq!(call["end_reason"], "caller_hung_up");
    let transcript = gateway.get(&format!("/v1/calls/{sid}/transcript")).await.unwrap();
    let said: Vec<_> = transcript["turns"].as_array().unwrap().iter().map(|t| t["text"].as_str()).collect();
    assert!(said.contains(&Some("When is the office open?")), "{said:?}");
    let answer = "The office is open from eight to five. Can I help you with anything else?";
    assert_eq!(said.last(), Some(&Some(answer)), "{said:?}");
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_gateways_share_a_database_and_one_that_starts_leaves_the_others_call_alone() {
    let home = Home::postgres().unwrap();
    let one = TestGateway::start_at(&home, Doubles::default()).await.unwrap();
    let other = Home { database: home.database.clone(), ..Home::sqlite().unwrap() };
    let data = |home: &Home| home.dir.path().join("data");
    let told = TestGateway::start_at(&other, Doubles::default()).await.unwrap_err().to_string();
    assert!(told.contains("master.key") && told.contains("copy it from another node"), "{told}");
    std::fs::copy(data(&home).join("master.key"), data(&other).join("master.key")).unwrap();

    let mut caller = greeted(&one).await;
    let call = format!("/v1/calls/{}", caller.order.call_sid);
    let two = TestGateway::start_at(&other, Doubles::default()).await.unwrap();
    assert_eq!(two.get(&call).await.unwrap()["state"], "live", "the call of a node that runs");
    let before = caller.heard.lock().bytes();
    caller.speak_ms(1_000).await.unwrap();
    caller.silent_until(Duration::from_secs(3), |h| h.bytes() > before).await.unwrap();
    caller.hang_up().await.unwrap();
    let seen = two.until(&call, |c| c["state"] == "ended").await.unwrap();
    assert_eq!(seen["end_reason"], "caller_hung_up");
    let transcript = two.get(&format!("{call}/transcript")).await.unwrap();
    assert!(
        transcript.to_string().contains("When is the office open?"),
        "unsealed by the other: {transcript}"
    );
    two.running.shutdown().await;
    one.running.shutdown().await;
}

/// The file of an operator whose providers are all outside this machine, with more lines at its top.
fn file(dir: &Path, lines: &str) -> std::path::PathBuf {
    let folder = dir.display();
    let text = format!(
        "{lines}\nbind = \"127.0.0.1:0\"\ndata_dir = \"{folder}/data\"\nmodels_dir = \"{folder}/models\"\n\
         stt = [\"deepgram\"]\nllm = [\"anthropic\"]\ntts = [\"deepgram\"]\n\
         [deepgram]\napi_key = \"test-key\"\n[anthropic]\napi_key = \"test-key\"\n"
    );
    let path = dir.join("q.toml");
    std::fs::write(&path, text).unwrap();
    path
}

/// Runs the command line with that file; what it says when it fails, as `main` would print it.
async fn quandura(dir: &Path, lines: &str, words: &[&str]) -> Result<(), String> {
    let path = file(dir, lines);
    let line = ["quandura", "--config", path.to_str().unwrap()].into_iter().chain(words.iter().copied());
    cli::run(cli::read(line).unwrap()).await.map_err(|error| format!("{error:#}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn migrate_makes_the_schema_as_the_owner_and_then_the_serving_role_alone_is_enough() {
    let home = Home::postgres().unwrap();
    let (dir, database) = (home.dir.path(), home.database.as_ref().unwrap());
    let app = format!("database_url = \"{}\"", database.app());
    let both = format!("{app}\ndatabase_migration_url = \"{}\"", database.owner());
    for words in [&["serve", "--quiet"][..], &["migrate"]] {
        let told = quandura(dir, &app, words).await.unwrap_err();
        assert!(told.contains("quandura migrate") && told.contains("DATABASE_MIGRATION_URL"), "{told}");
    }
    assert!(quandura(dir, &app, &["doctor"]).await.unwrap_err().starts_with("1 of "));
    quandura(dir, &both, &["doctor"]).await.expect("a warning only: the next start makes the schema");
    quandura(dir, &both, &["migrate"]).await.unwrap();
    quandura(dir, &both, &["migrate"]).await.expect("a second time there is nothing to do");
    quandura(dir, &app, &["doctor"]).await.unwrap();
    quandura(dir, &app, &["migrate"]).await.unwrap();

    let mut config = home.config();
    config.postgres = Some(PostgresOptions::new(database.app()));
    let gateway = TestGateway::start_configured(home.dir.clone(), config, Doubles::default()).await.unwrap();
    greeted(&gateway).await.hang_up().await.unwrap();
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn migrate_makes_the_files_of_sqlite() {
    let home = Home::sqlite().unwrap();
    quandura(home.dir.path(), "", &["migrate"]).await.unwrap();
    quandura(home.dir.path(), "", &["doctor"]).await.unwrap();
    assert!(home.dir.path().join("data/platform.db").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn serve_and_doctor_refuse_a_server_that_is_away_and_roles_that_no_rule_binds() {
    let home = Home::postgres().unwrap();
    let (dir, database) = (home.dir.path(), home.database.as_ref().unwrap());
    let owner = database.owner();
    let both = format!("database_url = \"{}\"\ndatabase_migration_url = \"{owner}\"", database.app());
    quandura(dir, &both, &["migrate"]).await.unwrap();
    let away = "postgres://app:s3cret@127.0.0.1:1/quandura".to_owned();
    for (url, parts) in [
        (away, ["127.0.0.1:1", "does not answer", "DATABASE_URL"]),
        (owner, ["quandura_owner", "owns the table", "DATABASE_MIGRATION_URL"]),
        (database.url("postgres"), ["postgres", "superuser", "DATABASE_MIGRATION_URL"]),
    ] {
        let lines = format!("database_url = \"{url}\"");
        let told = quandura(dir, &lines, &["serve", "--quiet"]).await.unwrap_err();
        for part in parts {
            assert!(told.contains(part), "{part:?} is not in {told:?}");
        }
        assert!(!told.contains("s3cret"), "{told}");
        assert!(quandura(dir, &lines, &["doctor"]).await.unwrap_err().starts_with("1 of "), "{url}");
    }
}
