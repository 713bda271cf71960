//! A PostgreSQL server that dies at any moment loses nothing that was acknowledged, and what lies on its disk is sealed.
#![allow(clippy::unwrap_used)]

mod private_postgres;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::Utc;
use private_postgres::{Cluster, TestDatabase};
use rand::RngExt;
use serde_json::{Value, json};
use storage::document_records::NewDocument;
use storage::records::{CallEntry, Direction, LogRow, NewCall, NewPassport, PassportChange};
use storage::{
    Backend, CallId, Calls, Knowledge, NewTenant, PassportId, Passports, Platform, PlatformOptions,
    PostgresOptions, StorageError, TenantStore,
};

const ROUNDS: u32 = 5;
const CALLS: usize = 6;

/// What was acknowledged.
#[derive(Default)]
struct Acknowledged {
    log: HashMap<CallId, u64>,
    passports: HashMap<PassportId, u32>,
}

async fn open(folder: &Path, database: &TestDatabase) -> (Platform, TenantStore) {
    let postgres = Some(PostgresOptions::new(database.app()).with_owner(database.owner()));
    let options = PlatformOptions { postgres, ..PlatformOptions::new(folder) };
    let platform = Platform::open(options).await.unwrap();
    assert_eq!(platform.backend(), Backend::Postgres);
    let new = NewTenant { slug: "river".into(), name: "River".into(), timezone: "UTC".into() };
    let tenant = platform.create_tenant(new).await.unwrap();
    let store = platform.tenant(tenant.id).await.unwrap();
    (platform, store)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_acknowledged_turn_survives_a_crash_of_the_server() {
    let (cluster, folder) = (Cluster::own(), tempfile::tempdir().unwrap());
    let (_platform, store) = open(folder.path(), &cluster.database()).await;
    let acknowledged = Arc::new(Mutex::new(Acknowledged::default()));
    for round in 0..ROUNDS {
        let before = acknowledged.lock().unwrap().log.len();
        let talks: Vec<_> =
            (0..CALLS).map(|_| tokio::spawn(talk(store.clone(), Arc::clone(&acknowledged)))).collect();
        while acknowledged.lock().unwrap().log.len() < before + CALLS {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tokio::time::sleep(Duration::from_millis(rand::rng().random_range(0..300))).await;
        cluster.crash();
        for talk in &talks {
            talk.abort();
        }
        for talk in talks {
            let _ = talk.await;
        }
        cluster.start();
        println!("round {round}: {} calls so far", acknowledged.lock().unwrap().log.len());
    }
    let acknowledged = std::mem::take(&mut *acknowledged.lock().unwrap());
    for (call, highest) in &acknowledged.log {
        let log = store.call_log(*call).await.unwrap();
        assert!(log.iter().map(|row| row.seq).eq(1..=log.len() as u64), "the log has no gap");
        assert!(log.len() as u64 >= *highest, "{call}: {} of {highest} rows are left", log.len());
        for row in log {
            assert_eq!(row, turn_row(row.seq));
        }
    }
    for (id, version) in &acknowledged.passports {
        let passport = store.passport(*id).await.unwrap().unwrap();
        assert!(passport.version >= *version);
        assert_eq!(passport.document, document(passport.version), "document and ledger are of one version");
    }
    let rows: u64 = acknowledged.log.values().sum();
    println!("{ROUNDS} crashes, {} calls, {rows} acknowledged rows, none lost", acknowledged.log.len());
}

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

/// Until the server goes away.
async fn talk(store: TenantStore, acknowledged: Arc<Mutex<Acknowledged>>) -> Result<(), StorageError> {
    let id = PassportId::new();
    let new = NewPassport {
        id,
        team_id: "front_desk".into(),
        status: "in_progress".into(),
        call_id: None,
        document: document(1),
    };
    store.create_passport(new).await?;
    let call = store.begin_call(call_of(None, Some(id))).await?.id;
    for seq in 1_u32.. {
        let durable = store.call_writer().append(call, vec![turn_row(seq.into())]).await?;
        acknowledged.lock().unwrap().log.insert(call, durable.seq);
        let change = PassportChange {
            id,
            expected_version: seq,
            team_id: "front_desk".into(),
            status: "in_progress".into(),
            document: document(seq + 1),
        };
        let version = store.update_passport(change).await?;
        acknowledged.lock().unwrap().passports.insert(id, version);
    }
    Ok(())
}

fn call_of(caller: Option<&str>, passport_id: Option<PassportId>) -> NewCall {
    NewCall {
        id: CallId::new(),
        carrier_sid: None,
        line: "+12025550100".into(),
        caller: caller.map(str::to_owned),
        direction: Direction::Inbound,
        language: "en".into(),
        passport_id,
        started_at: Utc::now(),
    }
}

// ---------------------------------------------------------------- what lies on the disk

const PLANTED: [&str; 4] = ["zebra crossing on Elm", "2025550147", "555-0147", "the gate code is violet"];
const PUBLIC: &str = "The permit office opens at nine.";

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .collect()
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[tokio::test]
async fn nothing_a_caller_said_is_in_the_clear_in_tables_or_write_ahead_log() {
    let (cluster, folder) = (Cluster::own(), tempfile::tempdir().unwrap());
    let database = cluster.database();
    let (_platform, store) = open(folder.path(), &database).await;
    let call = store.begin_call(call_of(Some("+1 (202) 555-0147"), None)).await.unwrap().id;
    let text = "a zebra crossing on Elm, call 2025550147".to_owned();
    let entry = CallEntry::CallerTurn { turn: 1, text, started_ms: 0, ended_ms: 9, confidence: 1.0 };
    store.call_writer().append(call, vec![LogRow { seq: 1, at_ms: 1, entry }]).await.unwrap();
    let passport = NewPassport {
        id: PassportId::new(),
        team_id: "front_desk".into(),
        status: "pending".into(),
        call_id: Some(call),
        document: json!({"context": {"note": "the gate code is violet"}, "ledger": [{"s": "555-0147"}]}),
    };
    store.create_passport(passport).await.unwrap();
    let document = NewDocument {
        source: "a".into(),
        title: "t".into(),
        media_type: "text/plain".into(),
        content: PUBLIC.into(),
        chunks: Vec::new(),
    };
    store.replace_document(document).await.unwrap();
    cluster.sql(&database.name, "checkpoint");
    let files: Vec<Vec<u8>> = files(&cluster.data()).iter().filter_map(|file| fs::read(file).ok()).collect();
    let in_the_clear = files.iter().filter(|bytes| holds(bytes, PUBLIC)).count();
    assert!(in_the_clear >= 2, "the scan must find what is kept in the clear, in the table and in the log");
    for text in PLANTED {
        assert!(!files.iter().any(|bytes| holds(bytes, text)), "{text:?} is in the clear");
    }
}
