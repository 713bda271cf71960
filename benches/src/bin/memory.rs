//! What a call waits for at its start: one caller's memory among many.
//!
//! `cargo run --release -p benches --bin memory [contacts] [DATABASE_URL [DATABASE_MIGRATION_URL]]`. Fills a fresh data
//! folder (or an empty PostgreSQL database) with contacts of two facts each, then asks for callers at random: alone, while
//! live calls' log is written beside it, and for strangers. The budget is 5 ms at the 95th percentile.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use hdrhistogram::Histogram;
use storage::memory::{MemoryReader, NewSuggestion};
use storage::records::{CallEntry, Direction, LogRow, NewCall};
use storage::{
    CallId, Calls, Durability, NewTenant, Platform, PlatformOptions, PostgresOptions, TenantStore,
};
use work::memory::Rules;

const CONTACTS: u32 = 100_000;
const ASKED: u32 = 20_000;
/// Suggestions between two decisions: what the manager takes in one transaction.
const BATCH: u32 = 32;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let contacts = arguments.next().map(|text| text.parse()).transpose().context("contacts: a number")?;
    let postgres = arguments.next().map(|app| match arguments.next() {
        Some(owner) => PostgresOptions::new(app).with_owner(owner),
        None => PostgresOptions::new(app),
    });
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(run(contacts.unwrap_or(CONTACTS), postgres))
}

async fn run(contacts: u32, postgres: Option<PostgresOptions>) -> Result<()> {
    let folder = tempfile::tempdir()?;
    // Filling is not what is measured: it need not survive a power cut.
    let options =
        PlatformOptions { durability: Durability::Normal, postgres, ..PlatformOptions::new(folder.path()) };
    let platform = Platform::open(options).await?;
    let new = NewTenant { slug: "bench".into(), name: "Bench".into(), timezone: "UTC".into() };
    let store = platform.tenant(platform.create_tenant(new).await?.id).await?;
    let began = Instant::now();
    fill(&store, contacts).await?;
    println!(
        "{}: {contacts} contacts, two facts each, filled in {:.0} s",
        platform.backend(),
        began.elapsed().as_secs_f64()
    );
    println!("{:<34} {:>9} {:>9} {:>9} {:>9}", "get_memory(phone)", "p50 ms", "p95 ms", "p99 ms", "max ms");
    let reader = store.memory_reader("orchestrator").await?;
    print("known caller", &ask(&reader, contacts, 0).await?);
    let writing = tokio::spawn(write_log(store.clone()));
    print("known caller, log written beside", &ask(&reader, contacts, 0).await?);
    writing.abort();
    print("stranger", &ask(&reader, contacts, contacts).await?);
    platform.close().await;
    Ok(())
}

async fn fill(store: &TenantStore, contacts: u32) -> Result<()> {
    let specialist = store.specialist_memory("memory_extractor").await?;
    let rules = Rules::shipped()?;
    let manager = store.appoint_memory_manager(Arc::new(rules))?;
    for first in (0..contacts).step_by(BATCH as usize) {
        for n in first..(first + BATCH).min(contacts) {
            for (key, value) in [("preferred_language", "es"), ("open_matter", "fence permit")] {
                let idempotency_key = format!("{n}/{key}");
                let (key, value) = (key.to_owned(), value.to_owned());
                let new = NewSuggestion {
                    caller: number(n),
                    call_id: None,
                    idempotency_key,
                    key,
                    value,
                    confidence: 0.9,
                };
                specialist.suggest(new).await?;
            }
        }
        manager.review(None).await?;
    }
    Ok(())
}

fn number(n: u32) -> String {
    format!("+1202{:07}", 2_000_000 + n)
}

/// Asks for callers in an order without locality. `beyond`: numbers from there on nobody has.
async fn ask(reader: &MemoryReader, contacts: u32, beyond: u32) -> Result<Histogram<u64>> {
    let mut waited = Histogram::new(3)?;
    for n in 0..ASKED {
        let caller = number(beyond + n.wrapping_mul(2_654_435_761) % contacts.max(1));
        let began = Instant::now();
        let known = reader.get_memory(&caller).await?;
        waited.record(u64::try_from(began.elapsed().as_micros())?)?;
        anyhow::ensure!(known.is_some_and(|known| known.memories.len() == 2) == (beyond == 0), "{n}");
    }
    Ok(waited)
}

/// Forty calls' worth of log lines, as long as it lives.
async fn write_log(store: TenantStore) -> Result<()> {
    let call = NewCall {
        id: CallId::new(),
        carrier_sid: None,
        line: "+12025550100".into(),
        caller: None,
        direction: Direction::Inbound,
        language: "en".into(),
        passport_id: None,
        started_at: Default::default(),
    };
    let call = store.begin_call(call).await?.id;
    let writer = store.call_writer();
    for seq in 1.. {
        let text = "there is a fallen tree on Route 9, just past the bridge".to_owned();
        let entry = CallEntry::CallerTurn { turn: 1, text, started_ms: 0, ended_ms: 9, confidence: 1.0 };
        writer.append(call, vec![LogRow { seq, at_ms: seq, entry }]).await?;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Ok(())
}

fn print(what: &str, waited: &Histogram<u64>) {
    let ms = |q: f64| waited.value_at_quantile(q) as f64 / 1_000.0;
    println!(
        "{what:<34} {:>9.2} {:>9.2} {:>9.2} {:>9.2}",
        ms(0.5),
        ms(0.95),
        ms(0.99),
        waited.max() as f64 / 1_000.0
    );
}
