//! The process dies; what was promised does not.
#![allow(clippy::unwrap_used)]

mod callers;
mod campaigns;
mod database;
mod notes;
mod people;
mod stores;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use gateway::config::Config;
use storage::PostgresOptions;
use tests::caller::Caller;
use tests::desk;
use tests::gateway::{ADMIN, Doubles, LINE, TestGateway};
use tests::home::Home;

tests::on_both_back_ends!(killed_at_any_moment_of_a_reply_the_words_spoken_are_on_the_record);

/// Names the data folder of a gateway that is to run in a process of its own.
const CHILD_DIR: &str = "QUANDURA_TEST_CHILD_DIR";
/// The carrier of one whose callers talk with the front desk, and what they say, a sentence a line.
const CHILD_CARRIER: &str = "QUANDURA_TEST_CHILD_CARRIER";
const CHILD_SAYS: &str = "QUANDURA_TEST_CHILD_SAYS";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "run and killed by killed_at_any_moment_of_a_reply_the_words_spoken_are_on_the_record"]
async fn gateway_process() {
    let dir = std::env::var_os(CHILD_DIR).expect("the parent names the data folder");
    let mut config = Config::for_test(std::path::Path::new(&dir));
    config.admin_token = Some(ADMIN.to_owned().into());
    config.postgres = std::env::var("DATABASE_URL").ok().map(PostgresOptions::new);
    let dir = Arc::new(tempfile::tempdir().unwrap());
    let gateway = match std::env::var(CHILD_CARRIER) {
        Ok(carrier) => {
            let says = std::env::var(CHILD_SAYS).unwrap_or_default();
            desk::start(dir, config, &carrier, &says.lines().collect::<Vec<_>>()).await.unwrap()
        }
        Err(_) => TestGateway::start_configured(dir, config, Doubles::default()).await.unwrap(),
    };
    println!("listening {}", gateway.base);
    std::future::pending::<()>().await;
}

/// With the application's role alone: the parent has migrated.
fn spawn_gateway(home: &Home) -> (Child, String) {
    spawn_with(home, &[])
}

fn spawn_with(home: &Home, vars: &[(&str, &str)]) -> (Child, String) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["gateway_process", "--exact", "--ignored", "--nocapture"])
        .env(CHILD_DIR, home.dir.path())
        .envs(home.vars().into_iter().filter(|(name, _)| *name == "DATABASE_URL"))
        .envs(vars.iter().copied())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let base = lines
        .find_map(|line| line.ok()?.split_once("listening ").map(|(_, base)| base.trim().to_owned()))
        .expect("the child says where it listens");
    std::thread::spawn(move || lines.for_each(drop));
    (child, base)
}

/// Runs a call, kills the gateway `after_ms` into the reply, and gives what the caller had heard by then (bytes),
/// the transcript after a restart, and the call.
async fn killed_in_mid_reply(home: &Home, after_ms: u64) -> (usize, serde_json::Value, serde_json::Value) {
    TestGateway::start_at(home, Doubles::default()).await.unwrap().running.shutdown().await;
    let (mut child, base) = spawn_gateway(home);
    let mut caller = Caller::dial(&base, LINE).await.unwrap();
    let sid = caller.order.call_sid.clone();
    caller.silent_until(Duration::from_secs(5), |h| h.bytes() > 0).await.unwrap();
    caller.silent_until_quiet(Duration::from_millis(200), Duration::from_secs(8)).await.unwrap();
    let before = caller.heard.lock().bytes();
    caller.speak_ms(1_000).await.unwrap();
    caller.silent_until(Duration::from_secs(5), |h| h.bytes() > before).await.unwrap();
    caller.silent_ms(after_ms).await.unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let heard = caller.heard.lock().bytes() - before;
    let again = TestGateway::start_at(home, Doubles::default()).await.unwrap();
    let call = again.get(&format!("/v1/calls/{sid}")).await.unwrap();
    let transcript = again.get(&format!("/v1/calls/{sid}/transcript")).await.unwrap();
    let passport = again.get(&format!("/v1/calls/{sid}/passport")).await.unwrap();
    let ledger = passport["ledger"].as_array().unwrap();
    assert!(ledger.iter().any(|entry| entry["action"] == "interrupted"), "{passport}");
    again.running.shutdown().await;
    (heard, transcript, call)
}

async fn killed_at_any_moment_of_a_reply_the_words_spoken_are_on_the_record(home: Home) {
    for after_ms in [0, 40, 300, 1_100] {
        let (heard, transcript, call) = killed_in_mid_reply(&home, after_ms).await;
        assert!(heard > 0);
        let turns = transcript["turns"].as_array().unwrap();
        let text = |who: &str| {
            turns
                .iter()
                .filter(|t| t["speaker"] == who)
                .map(|t| t["text"].as_str().unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!(text("caller"), ["When is the office open?"], "killed after {after_ms} ms");
        let spoken = text("agent").last().copied().unwrap_or_default().to_owned();
        assert!(
            spoken.starts_with("The office is open from eight to five."),
            "killed after {after_ms} ms: {turns:?}"
        );
        assert_eq!((&call["state"], &call["end_reason"]), (&"ended".into(), &"interrupted".into()));
    }
}
