//! Prints what durability costs a live turn:
//! `cargo run -p storage --example commit_latency [CALLS] [SECONDS] [DATABASE_URL DATABASE_MIGRATION_URL]`.
//!
//! Each call appends a turn's rows twice a second, as a lively conversation would, and waits until they are durable.

use std::error::Error;
use std::time::{Duration, Instant};

use chrono::Utc;
use storage::records::{CallEntry, Direction, LogRow, NewCall};
use storage::{
    CallId, CallWriter, Calls, Durability, NewTenant, Platform, PlatformOptions, PostgresOptions,
    StorageError, TenantStore,
};

const PAUSE: Duration = Duration::from_millis(500);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut number = || arguments.next().map(|text| text.parse::<u64>()).transpose();
    let calls = number()?.unwrap_or(50);
    let seconds = number()?.unwrap_or(5);
    let postgres = arguments.next().zip(arguments.next());
    let postgres = postgres.map(|(url, owner)| PostgresOptions::new(url).with_owner(owner));
    // One folder for both: a database knows the master key of the first.
    let folder =
        std::env::current_dir()?.join("target").join(format!("commit-latency-{}", std::process::id()));
    for durability in [Durability::Full, Durability::Normal] {
        let options =
            PlatformOptions { durability, postgres: postgres.clone(), ..PlatformOptions::new(&folder) };
        let mut waits = measure(options, calls, Duration::from_secs(seconds)).await?;
        waits.sort_unstable();
        let at = |share: f64| waits[((waits.len() - 1) as f64 * share) as usize];
        println!(
            "{durability:?}: {calls} calls, {} appends: p50 {:?}, p95 {:?}, p99 {:?}, max {:?}",
            waits.len(),
            at(0.5),
            at(0.95),
            at(0.99),
            at(1.0)
        );
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

async fn measure(
    options: PlatformOptions,
    calls: u64,
    span: Duration,
) -> Result<Vec<Duration>, Box<dyn Error>> {
    let slug = format!("{:?}-{}", options.durability, std::process::id()).to_lowercase();
    let platform = Platform::open(options).await?;
    let new = NewTenant { slug, name: "x".into(), timezone: "UTC".into() };
    let store = platform.tenant(platform.create_tenant(new).await?.id).await?;
    let mut tasks = Vec::new();
    for n in 0..calls {
        let call = begin(&store).await?;
        let offset = PAUSE.mul_f64(n as f64 / calls as f64);
        tasks.push(tokio::spawn(talk(store.call_writer(), call, offset, span)));
    }
    let mut waits = Vec::new();
    for task in tasks {
        waits.extend(task.await??);
    }
    platform.close().await;
    Ok(waits)
}

async fn begin(store: &TenantStore) -> Result<CallId, StorageError> {
    let new = NewCall {
        id: CallId::new(),
        carrier_sid: None,
        line: "+12025550100".into(),
        caller: None,
        direction: Direction::Inbound,
        language: "en".into(),
        passport_id: None,
        started_at: Utc::now(),
    };
    Ok(store.begin_call(new).await?.id)
}

async fn talk(
    writer: CallWriter,
    call: CallId,
    offset: Duration,
    span: Duration,
) -> Result<Vec<Duration>, StorageError> {
    tokio::time::sleep(offset).await;
    let (began, mut seq, mut waits) = (Instant::now(), 0, Vec::new());
    while began.elapsed() < span {
        let rows = (0..3).map(|n| row(seq + 1 + n)).collect();
        seq += 3;
        let asked = Instant::now();
        writer.append(call, rows).await?;
        waits.push(asked.elapsed());
        tokio::time::sleep(PAUSE).await;
    }
    Ok(waits)
}

fn row(seq: u64) -> LogRow {
    let text = "the street light in front of my house has been out since the storm on Tuesday".to_owned();
    let entry = CallEntry::CallerTurn { turn: 1, text, started_ms: 0, ended_ms: 1, confidence: 1.0 };
    LogRow { seq, at_ms: seq, entry }
}
