//! What lies on the disk: nothing personal in the clear, nothing that can be moved or taken out.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use chrono::Utc;
use serde_json::json;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection};
use storage::audit::{NewAudit, Party};
use storage::document_records::NewDocument;
use storage::organisation::{Author, Layer, NewMemoryNode, NewTask};
use storage::records::{
    CallEntry, Claim, ClaimHolder, Direction, LogRow, NewCall, NewPassport, NewWorkItem, PlayState, Priority,
    WorkKind,
};
use storage::{
    CallId, Calls, Claims, Knowledge, NewTenant, PassportId, Passports, Platform, PlatformOptions,
    StorageError, TenantStore, WorkItems,
};

/// What a caller said or is known by, in the spellings that a leak could take.
const PLANTED: [&str; 17] = [
    "zebra crossing on Elm",
    "my daughter Wilhelmina",
    "we will send Ottoline",
    "Ottoline at noon",
    "4821907",
    "+12025550147",
    "2025550147",
    "555-0147",
    "5550147",
    "Wilhelmina Farthingale",
    "1961-04-09",
    "17 Larkspur Lane",
    "the gate code is violet",
    "+12025550199",
    "Ottilie asked for mercy",
    "the fence of Barnaby",
    "Barnaby was promised a visit",
];
const PUBLIC: &str = "The permit office opens at nine.";

fn call_of(caller: &str) -> NewCall {
    NewCall {
        id: CallId::new(),
        carrier_sid: None,
        line: "+12025550100".into(),
        caller: Some(caller.into()),
        direction: Direction::Inbound,
        language: "en".into(),
        passport_id: None,
        started_at: Utc::now(),
    }
}

fn said(seq: u64, text: &str) -> LogRow {
    let entry =
        CallEntry::CallerTurn { turn: 1, text: text.into(), started_ms: 0, ended_ms: 9, confidence: 1.0 };
    LogRow { seq, at_ms: seq, entry }
}

fn log() -> Vec<LogRow> {
    let entries = [
        CallEntry::CallerTurn {
            turn: 1,
            text: "a zebra crossing on Elm and my daughter Wilhelmina".into(),
            started_ms: 0,
            ended_ms: 9,
            confidence: 1.0,
        },
        CallEntry::Planned {
            turn: 1,
            segment: 0,
            text: "we will send Ottoline at noon".into(),
            segment_kind: "reply".into(),
            fixed: false,
        },
        CallEntry::Played {
            turn: 1,
            segment: 0,
            state: PlayState::PartlyHeard,
            from_ms: 1,
            to_ms: 2,
            heard_text: "we will send Ottoline".into(),
            estimated: false,
        },
        CallEntry::Digits { turn: 2, digits: "4821907".into() },
    ];
    (1..).zip(entries).map(|(seq, entry)| LogRow { seq, at_ms: seq, entry }).collect()
}

async fn open(folder: &Path) -> (Platform, TenantStore) {
    let platform = Platform::open(PlatformOptions::new(folder)).await.unwrap();
    let new = NewTenant { slug: "river".into(), name: "River".into(), timezone: "UTC".into() };
    let tenant = platform.create_tenant(new).await.unwrap();
    let store = platform.tenant(tenant.id).await.unwrap();
    (platform, store)
}

async fn plant(store: &TenantStore) -> CallId {
    let call = store.begin_call(call_of("+1 (202) 555-0147")).await.unwrap().id;
    store.call_writer().append(call, log()).await.unwrap();
    let passport = NewPassport {
        id: PassportId::new(),
        team_id: "front_desk".into(),
        status: "pending".into(),
        call_id: Some(call),
        document: json!({"context": {"caller": "+12025550147", "note": "the gate code is violet"},
            "ledger": [{"outputs_summary": "my daughter Wilhelmina"}]}),
    };
    store.create_passport(passport).await.unwrap();
    let item = NewWorkItem {
        kind: WorkKind::Incident,
        idempotency_key: "k".into(),
        reference: None,
        call_id: Some(call),
        passport_id: None,
        priority: Priority::High,
        caller: Some("+12025550147".into()),
        fields: json!({"where": "17 Larkspur Lane", "call_back": "555-0147"}),
    };
    store.file_work_item(item).await.unwrap();
    let holder = ClaimHolder {
        name: "Wilhelmina Farthingale".into(),
        date_of_birth: "1961-04-09".into(),
        phone: "+12025550199".into(),
    };
    let claim = Claim {
        claim_number: "CLM-1".into(),
        status: "paid".into(),
        status_text: "Paid.".into(),
        holder,
        updated_at: Utc::now(),
    };
    store.insert_claim(claim).await.unwrap();
    plant_memory(store).await;
    let noted = NewAudit::new("call.guard", Party::new("caller", call), Party::new("call", call))
        .personal(json!({"said": "we will send Ottoline", "by": "+12025550147"}));
    store.audit().record(noted).await.unwrap();
    call
}

async fn plant_memory(store: &TenantStore) {
    let node = NewMemoryNode {
        symbol: "decision.fence.1".into(),
        layer: Layer::Event,
        node_type: "decision".into(),
        team_id: None,
        micro: "Ottilie asked for mercy".into(),
        summary: Some("the fence of Barnaby".into()),
        full: Some("Barnaby was promised a visit".into()),
        properties: json!({"reason": "Barnaby was promised a visit"}),
        valid_from: Utc::now(),
        valid_until: None,
        strength: 1.0,
        pinned: false,
        embedding: None,
    };
    let writer = store.organisation_writer(Author::Review);
    writer.remember(&[node], &[]).await.unwrap();
    let task = NewTask {
        task_id: "t".into(),
        passport_id: None,
        team_id: "claims".into(),
        goal: "the fence of Barnaby".into(),
        plan: json!(["Ottilie asked for mercy"]),
        results: json!({"said": "Barnaby was promised a visit"}),
        success: true,
        duration_ms: 1,
        cost_tokens: None,
        cost_micros: None,
        created_at: Utc::now(),
        completed_at: None,
    };
    writer.record_task(&task).await.unwrap();
}

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .collect()
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window.eq_ignore_ascii_case(text.as_bytes()))
}

fn nothing_planted_in(folder: &Path) {
    let files = files(folder);
    assert!(files.iter().any(|f| f.to_string_lossy().ends_with(".db")), "{files:?}");
    for file in files {
        let bytes = fs::read(&file).unwrap();
        for text in PLANTED {
            assert!(!holds(&bytes, text), "{text:?} is in the clear in {}", file.display());
        }
    }
}

#[tokio::test]
async fn nothing_a_caller_said_is_in_the_clear_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let (platform, store) = open(folder.path()).await;
    let call = plant(&store).await;
    let document = NewDocument {
        source: "a".into(),
        title: "t".into(),
        media_type: "text/plain".into(),
        content: PUBLIC.into(),
        chunks: Vec::new(),
    };
    store.replace_document(document).await.unwrap();
    let in_the_log = files(folder.path()).iter().any(|f| holds(&fs::read(f).unwrap(), PUBLIC));
    assert!(in_the_log, "the scan must be able to find what is kept in the clear");
    nothing_planted_in(folder.path());

    assert_eq!(store.caller_number(call).await.unwrap().as_deref(), Some("+1 (202) 555-0147"));
    assert!(store.transcript(call).await.unwrap()[0].text.contains("Wilhelmina"));
    platform.close().await;
    assert!(!files(folder.path()).iter().any(|f| f.to_string_lossy().ends_with("-wal")));
    nothing_planted_in(folder.path());
}

/// A connection past the stores, as somebody with the files would have.
async fn burgle(folder: &Path, store: &TenantStore) -> SqliteConnection {
    let file = folder.join("tenants").join(format!("{}.db", store.id()));
    SqliteConnectOptions::new().filename(file).pragma("recursive_triggers", "on").connect().await.unwrap()
}

#[tokio::test]
async fn equal_texts_and_numbers_are_sealed_differently() {
    let folder = tempfile::tempdir().unwrap();
    let (_platform, store) = open(folder.path()).await;
    for _ in 0..2 {
        let call = store.begin_call(call_of("+12025550147")).await.unwrap().id;
        store.append(call, &[said(1, "the same words"), said(2, "the same words")]).await.unwrap();
    }
    let mut raw = burgle(folder.path(), &store).await;
    let texts = "select count(distinct sealed) from call_log";
    assert_eq!(sqlx::query_scalar::<_, i64>(texts).fetch_one(&mut raw).await.unwrap(), 4);
    let numbers = "select count(distinct caller_sealed) from calls";
    assert_eq!(sqlx::query_scalar::<_, i64>(numbers).fetch_one(&mut raw).await.unwrap(), 2);
    let hashes = "select count(distinct caller_hash) from calls";
    assert_eq!(sqlx::query_scalar::<_, i64>(hashes).fetch_one(&mut raw).await.unwrap(), 1);
}

#[tokio::test]
async fn a_sealed_value_does_not_open_in_another_row() {
    let folder = tempfile::tempdir().unwrap();
    let (_platform, store) = open(folder.path()).await;
    let first = store.begin_call(call_of("+12025550147")).await.unwrap().id;
    let second = store.begin_call(call_of("+12025550148")).await.unwrap().id;
    let mut raw = burgle(folder.path(), &store).await;
    sqlx::query(
        "update calls set caller_sealed = (select caller_sealed from calls where id = $1) where id = $2",
    )
    .bind(first)
    .bind(second)
    .execute(&mut raw)
    .await
    .unwrap();
    let moved = store.caller_number(second).await;
    assert!(matches!(moved, Err(StorageError::Crypto { what: "calls" })), "{moved:?}");
    assert!(!moved.unwrap_err().to_string().contains("0147"));
    assert!(store.caller_number(first).await.is_ok());
}

#[tokio::test]
async fn logs_can_not_be_changed_even_past_the_stores() {
    let folder = tempfile::tempdir().unwrap();
    let (_platform, store) = open(folder.path()).await;
    plant(&store).await;
    let mut raw = burgle(folder.path(), &store).await;
    let attempts = [
        "update call_log set at_ms = 0",
        "delete from call_log",
        "insert or replace into call_log select * from call_log",
        "update passport_ledger set recorded_at = ''",
        "delete from passport_ledger",
        "insert or replace into passport_ledger select * from passport_ledger",
        "update audit_log set outcome = 'done'",
        "delete from audit_log",
        "insert or replace into call_log select * from call_log",
        "insert or replace into audit_log select * from audit_log",
    ];
    for sql in attempts {
        let refused = sqlx::query(sql).execute(&mut raw).await.unwrap_err();
        assert!(refused.to_string().contains("append-only"), "{sql}: {refused}");
    }
    raw.close().await.unwrap();
}
