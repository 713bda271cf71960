//! Calls through faults: callers who keep calling while, one after another and drawn from a printed seed, everything
//! fails that can. At the end nothing promised is lost, nothing is filed twice, no call is left live, the process
//! holds no more than before, and the audit verifies.
//!
//! `make test` runs it in short on both back ends, `make soak` for half an hour. The same seed draws the same faults.
#![allow(clippy::unwrap_used)]

mod callers;
mod child;
mod edge;
mod trouble;
mod verdict;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use caller::replay::chance::Chance;
use tests::gateway::ADMIN;
use tests::home::Home;
use tests::home::private_postgres::Cluster;
use tokio::time::{Instant, sleep, timeout};

use callers::{Diary, keep_calling};
use child::{Footprint, Process};
use trouble::{Providers, Trouble, World};

/// How long, how often, how many.
#[derive(Clone, Copy, Debug)]
struct Plan {
    length: Duration,
    /// From one fault to the next.
    every: Duration,
    callers: u64,
    seed: u64,
}

const SETTINGS: &str = "stt = [\"deepgram\"]\nllm = [\"anthropic\"]\ntts = [\"elevenlabs\"]\n";
/// Environment of the long run.
const MINUTES: &str = "SOAK_MINUTES";
const SEED: &str = "SOAK_SEED";
/// The line is quiet by then: calls have ended, retries have come through.
const SETTLE: Duration = Duration::from_secs(30);

/// The seed that the environment names.
fn named_seed() -> Option<u64> {
    std::env::var(SEED).ok().and_then(|text| text.parse().ok())
}

/// A short run draws the same faults each time: what fails in it can be run again.
fn short(seed: u64) -> Plan {
    let seed = named_seed().unwrap_or(seed);
    Plan { length: Duration::from_secs(48), every: Duration::from_secs(6), callers: 4, seed }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_line_survives_faults_on_sqlite() {
    run(Home::sqlite().unwrap(), None, short(4_194_033_571)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_line_survives_faults_on_postgresql() {
    let cluster = Cluster::own();
    let home = Home { database: Some(cluster.database()), ..Home::sqlite().unwrap() };
    run(home, Some(cluster), short(1_154_077_595)).await;
}

/// Half of the time on each back end, one after the other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "half an hour; make soak runs it"]
async fn long() {
    let minutes = std::env::var(MINUTES).ok().and_then(|text| text.parse::<u64>().ok()).unwrap_or(30);
    let plan = Plan {
        length: Duration::from_secs(minutes * 30),
        every: Duration::from_secs(20),
        callers: 8,
        // A long run is another one each time; its seed is printed.
        seed: named_seed().unwrap_or_else(|| u64::from(rand::random::<u32>())),
    };
    run(Home::sqlite().unwrap(), None, plan).await;
    let cluster = Cluster::own();
    let home = Home { database: Some(cluster.database()), ..Home::sqlite().unwrap() };
    run(home, Some(cluster), plan).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "run and killed by the tests above"]
async fn gateway_process() {
    child::serve().await;
}

async fn run(home: Home, cluster: Option<Cluster>, plan: Plan) {
    let back_end = if cluster.is_some() { "postgresql" } else { "sqlite" };
    println!(
        "soak on {back_end}: {SEED}={} for {:?}, a fault every {:?}",
        plan.seed, plan.length, plan.every
    );
    let providers = Providers::start().await;
    let vars = [providers.vars(), home.vars(), vec![("ADMIN_TOKEN", ADMIN.to_owned())]].concat();
    let process = Arc::new(Process::new(home, vars, SETTINGS));
    process.start().await.unwrap();
    let world = World { providers, cluster, process: process.clone() };
    let diary = Arc::new(Diary::default());
    let calling: Vec<_> = (0..plan.callers)
        .map(|number| tokio::spawn(keep_calling(process.clone(), diary.clone(), plan.seed, number)))
        .collect();

    // Everything is warm and has been used once before its size is noted.
    sleep(plan.every.min(Duration::from_secs(10))).await;
    let mut chance = Chance::of(plan.seed, 1_000);
    let mut tally: BTreeMap<Trouble, usize> = BTreeMap::new();
    let mut deck = Vec::new();
    let end = Instant::now() + plan.length;
    let mut before: Option<Footprint> = process.footprint();
    while Instant::now() < end {
        let began = Instant::now();
        let trouble = draw(&mut deck, &mut chance, &world);
        let ended = diary.calls.lock().last().map(|call| call.call_sid.clone());
        let length = plan.every / 4 + chance.up_to(plan.every / 2);
        println!("{:>6.1} s left: {trouble:?} for {length:.1?}", (end - began).as_secs_f32());
        world.suffer(trouble, length, ended).await.unwrap_or_else(|error| {
            panic!("{trouble:?} (seed {}): {error:#}; the gateway said: {}", plan.seed, process.last_words())
        });
        *tally.entry(trouble).or_default() += 1;
        if trouble.is_restart() {
            // Another process: it is measured from its own beginning.
            sleep(plan.every / 4).await;
            before = process.footprint();
        }
        sleep(plan.every.saturating_sub(began.elapsed())).await;
    }

    diary.stop.store(true, Ordering::Relaxed);
    for task in calling {
        timeout(Duration::from_secs(90), task).await.expect("a caller comes to an end").unwrap();
    }
    let base = process.base().expect("the gateway is up");
    let ghosts = verdict::ghosts(&base, SETTLE).await.unwrap();
    let calls = std::mem::take(&mut *diary.calls.lock());
    let broken = verdict::broken_promises(&base, &calls).await.unwrap();
    let audit = verdict::get(&base, "/v1/audit/verify").await.unwrap();
    let health = verdict::get(&base, "/health").await.unwrap();
    let after = process.footprint();
    let leaks = before.zip(after).map(|(before, after)| verdict::leaks(before, after)).unwrap_or_default();

    let heard: usize = calls.iter().map(|call| call.replies_heard).sum();
    let silent: usize = calls.iter().map(|call| call.left_in_silence).sum();
    let cut = calls.iter().filter(|call| call.cut_off).count();
    println!("\n| soak on {back_end}, seed {} | |\n|---|---|", plan.seed);
    for (trouble, times) in &tally {
        println!("| {trouble:?} | {times} |");
    }
    println!("| calls; cut off; attempts refused | {}; {cut}; {} |", calls.len(), diary.refused.lock());
    println!("| replies heard whole; lost | {heard}; {} |", broken.len());
    println!("| turns left in silence while the line stood | {silent} |");
    println!("| calls left live | {} |", ghosts.len());
    println!("| before, after | {before:?}, {after:?} |");
    println!("| audit | {audit} |");
    let context = format!("seed {}; the gateway said: {}", plan.seed, process.last_words());
    assert!(broken.is_empty(), "{broken:#?}\n{context}");
    assert!(ghosts.is_empty(), "calls left live: {ghosts:#?}\n{context}");
    assert!(leaks.is_empty(), "{leaks:?}\n{context}");
    assert_eq!(audit["whole"], true, "{audit}\n{context}");
    assert_eq!(health["dependencies"]["storage"], "healthy", "{health}\n{context}");
    assert!(heard > 0, "nothing was tried: no reply was heard whole; {calls:?}\n{context}");
    assert_eq!(silent, 0, "turns left in silence; {calls:?}\n{context}");
}

/// The next fault: each comes once before any comes again.
fn draw(deck: &mut Vec<Trouble>, chance: &mut Chance, world: &World) -> Trouble {
    if deck.is_empty() {
        *deck = Trouble::all(world);
        for at in (1..deck.len()).rev() {
            deck.swap(at, chance.below(at as u64 + 1) as usize);
        }
    }
    deck.pop().expect("a fault")
}
