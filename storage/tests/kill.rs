//! A process that is killed at any moment loses nothing that it acknowledged.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use chrono::Utc;
use rand::RngExt;
use serde_json::{Value, json};
use storage::audit::{NewAudit, Party, Verdict, verify};
use storage::records::{CallEntry, CallState, Direction, LogRow, NewCall, NewPassport, PassportChange};
use storage::{
    CallId, Calls, Directory, NewTenant, PassportId, Passports, Platform, PlatformOptions, TenantStore,
};

const FOLDER: &str = "STORAGE_TEST_KILL_FOLDER";
const ROUNDS: u32 = 8;
const CALLS: u32 = 4;

/// What the child acknowledged before it died.
#[derive(Default)]
struct Acknowledged {
    /// Highest durable number of each call's log.
    log: HashMap<CallId, u64>,
    /// Highest version of each passport.
    passports: HashMap<PassportId, u32>,
    /// Highest number of the audit.
    audit: u64,
}

async fn open(folder: &Path) -> (Platform, TenantStore) {
    let platform = Platform::open(PlatformOptions::new(folder)).await.unwrap();
    let id = match platform.store().tenant_by_slug("river").await.unwrap() {
        Some(tenant) => tenant.id,
        None => {
            let new = NewTenant { slug: "river".into(), name: "River".into(), timezone: "UTC".into() };
            platform.create_tenant(new).await.unwrap().id
        }
    };
    let store = platform.tenant(id).await.unwrap();
    (platform, store)
}

#[tokio::test]
async fn every_acknowledged_turn_survives_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged = Acknowledged::default();
    for round in 0..ROUNDS {
        let calls_before = acknowledged.log.len();
        let after = Duration::from_millis(rand::rng().random_range(0..250));
        run_and_kill(folder.path(), after, &mut acknowledged);
        assert!(acknowledged.log.len() > calls_before, "round {round}: the child acknowledged nothing");
        let (_platform, store) = open(folder.path()).await;
        let began = acknowledged.log.len() - calls_before;
        check_recovery(&store, &acknowledged, began).await;
        check_logs(&store, &acknowledged).await;
        check_passports(&store, &acknowledged).await;
        check_audit(&store, &acknowledged).await;
    }
    let rows: u64 = acknowledged.log.values().sum();
    println!("{ROUNDS} kills, {} calls, {rows} acknowledged rows, none lost", acknowledged.log.len());
}

fn run_and_kill(folder: &Path, after: Duration, acknowledged: &mut Acknowledged) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_talks_until_killed", "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // The child says this when its calls are under way; what it acknowledged before that counts, too.
    loop {
        let line = lines.next().expect("the child died early").unwrap();
        note(&line, acknowledged);
        if line.contains("ready") {
            break;
        }
    }
    std::thread::sleep(after);
    child.kill().unwrap();
    for line in lines.map_while(Result::ok) {
        note(&line, acknowledged);
    }
    child.wait().unwrap();
}

/// A line that the kill cut off is no acknowledgement: it has no full stop.
fn note(line: &str, acknowledged: &mut Acknowledged) {
    let words: Vec<&str> = line.split(' ').collect();
    match words[..] {
        ["log", call, seq, "."] => {
            let highest = acknowledged.log.entry(call.parse().unwrap()).or_default();
            *highest = seq.parse::<u64>().unwrap().max(*highest);
        }
        ["passport", id, version, "."] => {
            acknowledged.passports.insert(id.parse().unwrap(), version.parse().unwrap());
        }
        ["audit", seq, "."] => acknowledged.audit = seq.parse::<u64>().unwrap().max(acknowledged.audit),
        _ => {}
    }
}

/// Calls that were begun but had no line out yet may be live as well, so there may be a few more.
async fn check_recovery(store: &TenantStore, acknowledged: &Acknowledged, at_least: usize) {
    let recovered = store.recover_live_calls().await.unwrap();
    assert!(recovered.len() >= at_least, "{} of {at_least} calls were live", recovered.len());
    assert!(store.recover_live_calls().await.unwrap().is_empty());
    for id in acknowledged.log.keys() {
        let call = store.call(*id).await.unwrap().unwrap();
        assert_eq!((call.state, call.end_reason.as_deref()), (CallState::Ended, Some("interrupted")));
    }
}

async fn check_logs(store: &TenantStore, acknowledged: &Acknowledged) {
    for (call, highest) in &acknowledged.log {
        let log = store.call_log(*call).await.unwrap();
        assert!(log.iter().map(|row| row.seq).eq(1..=log.len() as u64), "the log has no gap");
        let (ended, turns) = log.split_last().unwrap();
        assert!(matches!(ended.entry, CallEntry::Ended { .. }));
        assert!(turns.len() as u64 >= *highest, "{call}: {} of {highest} rows are left", turns.len());
        for row in turns {
            assert_eq!(row, &turn_row(row.seq));
        }
    }
}

/// The document and its ledger are of one version: they were written together.
async fn check_passports(store: &TenantStore, acknowledged: &Acknowledged) {
    for (id, version) in &acknowledged.passports {
        let passport = store.passport(*id).await.unwrap().unwrap();
        assert!(passport.version >= *version);
        assert_eq!(passport.document, document(passport.version));
    }
}

/// The chain is whole, and holds what was acknowledged.
async fn check_audit(store: &TenantStore, acknowledged: &Acknowledged) {
    match verify(store, &[], |_| ()).await.unwrap() {
        Verdict::Whole { entries, .. } => assert!(entries >= acknowledged.audit && entries > 0),
        Verdict::Broken(broken) => panic!("{broken}"),
    }
}

// ---------------------------------------------------------------- the child

fn turn_row(seq: u64) -> LogRow {
    let turn = u32::try_from(seq).unwrap();
    let text = format!("what the caller said in turn {turn}");
    let entry = CallEntry::CallerTurn { turn, text, started_ms: seq, ended_ms: seq + 1, confidence: 0.5 };
    LogRow { seq, at_ms: seq, entry }
}

fn document(version: u32) -> Value {
    let ledger: Vec<Value> = (1..=version).map(|n| json!({"action": n})).collect();
    json!({"context": {"turn": version}, "ledger": ledger})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "run and killed by every_acknowledged_turn_survives_a_kill"]
async fn child_talks_until_killed() {
    let (_platform, store) = open(Path::new(&std::env::var(FOLDER).unwrap())).await;
    let calls: Vec<_> = (0..CALLS).map(|_| tokio::spawn(talk(store.clone()))).collect();
    for call in calls {
        call.await.unwrap();
    }
}

async fn talk(store: TenantStore) {
    let passport = PassportId::new();
    let call = begin(&store, passport).await;
    let writer = store.call_writer();
    for seq in 1.. {
        let durable = writer.append(call, vec![turn_row(seq)]).await.unwrap();
        say(&format!("log {call} {} .", durable.seq));
        let hung_up = NewAudit::new("call.hangup", Party::new("user", "pat"), Party::new("call", call));
        store.audit().note(hung_up.clone());
        say(&format!(
            "audit {} .",
            store.audit().record(NewAudit { id: CallId::new().0, ..hung_up }).await.unwrap()
        ));
        if seq == 1 {
            say("ready");
        }
        let expected_version = u32::try_from(seq).unwrap();
        let change = PassportChange {
            id: passport,
            expected_version,
            team_id: "front_desk".into(),
            status: "in_progress".into(),
            document: document(expected_version + 1),
        };
        let version = store.update_passport(change).await.unwrap();
        say(&format!("passport {passport} {version} ."));
    }
}

async fn begin(store: &TenantStore, passport: PassportId) -> CallId {
    let new = NewPassport {
        id: passport,
        team_id: "front_desk".into(),
        status: "in_progress".into(),
        call_id: None,
        document: document(1),
    };
    store.create_passport(new).await.unwrap();
    let new = NewCall {
        id: CallId::new(),
        carrier_sid: None,
        line: "+12025550100".into(),
        caller: None,
        direction: Direction::Inbound,
        language: "en".into(),
        passport_id: Some(passport),
        started_at: Utc::now(),
    };
    store.begin_call(new).await.unwrap().id
}

/// One write, past the test harness's capture.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{line}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}
