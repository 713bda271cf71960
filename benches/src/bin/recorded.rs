//! What recordings cost the calls that are live: how late frames are while an hour of another call is encoded, and how much
//! more CPU a recorded call takes than one that is not.
//!
//! `cargo run --release -p benches --bin recorded [encoding|live] [rounds]`. The gateway is a child process on one core, which its
//! encoder shares; callers on the other one.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, ensure};
use benches::added::Values;
use benches::child::{AS_GATEWAY, CALLERS_CORE, Gateway, pin};
use benches::encoder_watch::{self, Seen};
use benches::front_desk::{self, callers, consent, drained, ring, unencoded, used};
use benches::office::Office;
use benches::sealed_calls::{self, HeldBack};
use benches::step::at_rest;
use caller::dial::Exchange;
use caller::replay::load::{self, Board};
use caller::replay::scrape::{Buckets, Observer};
use caller::replay::times::Spread;
use gateway::config::Config;
use reqwest::Client;
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

/// Calls at a time.
const CALLS: usize = 100;
/// After the last has begun: greetings are over then, and every call is recorded.
const SETTLED: Duration = Duration::from_secs(12);
const HOUR: u64 = 3_600;
/// Hours that are encoded in one round: one of them takes a shorter time than is looked at.
const HOURS: usize = 2;
/// Rounds of encoding, where nothing else is asked; the order turns from one to the next.
const TURNS: usize = 4;
/// How long frames are looked at while nothing is encoded, and at least while something is.
const LOOKED_AT: Duration = Duration::from_secs(20);
/// Rounds with recording, where nothing else is asked; one more without.
const RECORDED: usize = 3;
/// How long CPU time is counted in each.
const COUNTED: Duration = Duration::from_secs(40);
/// The encoder looks for work once a minute, and when a call is over.
const BEGINS_WITHIN: Duration = Duration::from_secs(90);
/// At most so many times the CPU of a call that is not recorded.
const AIM: f64 = 1.1;

fn main() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let asked = std::env::args().nth(1);
    if asked.as_deref() == Some(AS_GATEWAY) {
        return runtime.block_on(front_desk::serve(50, |_| ()));
    }
    pin(std::process::id(), CALLERS_CORE);
    println!(
        "{CALLS} calls beside recordings; gateway on one core, callers on the other; load {}",
        front_desk::load_average()
    );
    let wants = |part: &str| asked.as_deref().is_none_or(|asked| asked == part);
    let rounds = std::env::args().nth(2).and_then(|rounds| rounds.parse().ok());
    runtime.block_on(async {
        if wants("live") {
            live(rounds.unwrap_or(RECORDED)).await?;
        }
        if wants("encoding") {
            encoding(rounds.unwrap_or(TURNS)).await?;
        }
        anyhow::Ok(())
    })?;
    println!("load {}", front_desk::load_average());
    Ok(())
}

/// The gateway, and the ways to it.
struct Bench {
    /// Goes before its folder does.
    gateway: Gateway,
    folder: TempDir,
    office: Office,
    exchange: Arc<Exchange>,
}

impl Bench {
    async fn start(folder: TempDir) -> Result<Self> {
        let gateway = front_desk::start(folder.path(), &[])?;
        let office = Office::of(&gateway);
        let config = Config::for_test(Path::new("/nowhere"));
        let exchange = Arc::new(Exchange::new(config.carrier_account(), Client::new(), office.base.clone()));
        let bench = Self { gateway, folder, office, exchange };
        bench.rests().await?;
        Ok(bench)
    }

    async fn rests(&self) -> Result<()> {
        drained(&self.gateway, &self.exchange, self.folder.path()).await
    }

    /// A changed configuration is read anew beside the calls: that is over when this returns.
    async fn consents(&self, to: &str) -> Result<()> {
        consent(&self.office, to).await?;
        at_rest(&self.gateway).await
    }
}

/// Calls that go on.
struct Live {
    board: Arc<Board>,
    over: CancellationToken,
    running: JoinHandle<()>,
}

impl Live {
    /// Returns when all are up.
    async fn begin(exchange: &Arc<Exchange>) -> Result<Self> {
        let (plan, board, over) = (callers(CALLS)?, Arc::new(Board::default()), CancellationToken::new());
        let up = Duration::from_secs_f64(CALLS as f64 / plan.ramp) + SETTLED;
        let running = tokio::spawn(load::run(plan, exchange.clone(), board.clone(), over.clone()));
        sleep(up).await;
        Ok(Self { board, over, running })
    }

    /// Calls that are over by now. Their recordings are encoded: no such round counts.
    fn ended(&self) -> u64 {
        let totals = self.board.totals.lock();
        totals.completed + totals.failed()
    }

    async fn end(self) -> Result<()> {
        self.over.cancel();
        self.running.await?;
        for (reason, n) in &self.board.totals.lock().failures {
            println!("       {n} × {reason}");
        }
        Ok(())
    }
}

// ---------------------------------------------------------------- while something is encoded

/// How late frames were within one span, milliseconds.
struct Look {
    live: usize,
    ended: u64,
    length: Duration,
    /// Behind their pace, at the callers.
    came: Spread,
    /// The callers themselves.
    own: Spread,
    /// The gateway, by its own histogram.
    woke: Buckets,
    encoder: Seen,
}

async fn encoding(turns: usize) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let began = Instant::now();
    let hours = sealed_calls::leave(&folder.path().join("data"), turns * HOURS, HOUR).await?;
    println!("\n{} sealed recordings of an hour, made in {:.0?}", hours.len(), began.elapsed());
    let bench = Bench::start(folder).await?;
    bench.consents("notice").await?;
    println!(
        "\nframes, ms late p50 / p95 / p99 / worst, while calls are recorded and, besides, {HOURS} h are encoded"
    );
    let (mut without, mut during) = (Vec::new(), Vec::new());
    for (turn, hours) in hours.chunks(HOURS).enumerate() {
        let live = Live::begin(&bench.exchange).await?;
        // What drifts while the calls go on is in both.
        for encodes in [turn % 2 == 1, turn % 2 == 0] {
            let (what, looks) = if encodes { ("encoding", &mut during) } else { ("without", &mut without) };
            let seen = look(&bench, &live, encodes.then_some(hours)).await?;
            print_look(turn, what, &seen);
            looks.push(seen);
        }
        live.end().await?;
        bench.rests().await?;
        for hour in hours {
            is_kept(&bench.office, hour).await?;
        }
    }
    print_moved(&without, &during);
    Ok(())
}

/// Looks at frames, for as long as these are encoded where there are some.
async fn look(bench: &Bench, live: &Live, hours: Option<&[HeldBack]>) -> Result<Look> {
    let (pid, meters) = (bench.gateway.pid(), &live.board.meters);
    let observer =
        Observer { http: Client::new(), base: bench.office.base.clone(), token: None, pid: Some(pid) };
    let histogram =
        |look: caller::replay::scrape::Look| look.metrics.buckets("quandura_frame_lateness_seconds", None);
    if let Some(hours) = hours {
        hours.iter().try_for_each(HeldBack::release)?;
        ring(&bench.exchange).await?;
        ensure!(encoder_watch::begins(pid, BEGINS_WITHIN).await, "nothing is encoded");
    }
    let (before, ended) = (histogram(observer.look().await), live.ended());
    meters.reset();
    let began = Instant::now();
    let encoder = match hours {
        None => encoder_watch::watch(pid, LOOKED_AT).await,
        Some(_) => encoder_watch::watch_through(pid, BEGINS_WITHIN).await,
    };
    let (came, own, length) =
        (meters.arrival_lateness().spread(), meters.send_lateness().spread(), began.elapsed());
    let woke = histogram(observer.look().await).since(&before);
    Ok(Look { live: meters.live(), ended: live.ended() - ended, length, came, own, woke, encoder })
}

/// What was encoded can be played, as a whole.
async fn is_kept(office: &Office, hour: &HeldBack) -> Result<()> {
    let known = office.get(&format!("/v1/calls/{}/recording?format=json", hour.call)).await?;
    let recording = &known["recording"];
    ensure!(
        recording["state"] == "kept" && recording["duration_ms"] == HOUR * 1_000,
        "an hour was not encoded: {recording}"
    );
    Ok(())
}

fn print_look(turn: usize, what: &str, look: &Look) {
    let woke = |share| look.woke.quantile(share).unwrap_or_default() * 1_000.0;
    let Look { came, own, encoder, .. } = look;
    println!(
        "  {} {what:<8} {:>5.1} s, {} calls: came {:.1} / {:.1} / {:.1} / {:.0} ({} frames); gateway woke {:.2} / {:.2} / {:.2}; \
         callers late p99 {:.1}",
        turn + 1,
        look.length.as_secs_f64(),
        look.live,
        came.p50,
        came.p95,
        came.p99,
        came.worst,
        came.n,
        woke(0.5),
        woke(0.95),
        woke(0.99),
        own.p99
    );
    let nice = encoder.nice.map_or_else(String::new, |nice| format!(", nice {nice}"));
    if encoder.threads > 0 {
        println!(
            "      encoder: {} recordings, {:.1} s of CPU within {:.1} s{nice}",
            encoder.threads,
            encoder.cpu.as_secs_f64(),
            encoder.wall.as_secs_f64()
        );
    }
    if what == "without" && encoder.threads > 0 {
        println!("      NOT WITHOUT: something was encoded");
    }
    if what != "without" && encoder.wall < LOOKED_AT {
        println!("      SHORT: less than {LOOKED_AT:?} of encoding");
    }
    if look.ended > 0 {
        println!("      {} calls ended meanwhile", look.ended);
    }
}

type Of<'a> = &'a dyn Fn(&Look) -> f64;

/// Whether encoding moves the p99, beside how far it moves by itself.
fn print_moved(without: &[Look], during: &[Look]) {
    println!("  middle of {} rounds, and from the least to the most:", during.len());
    let all = |looks: &[Look], of: Of<'_>| {
        let mut values = Values::default();
        for look in looks {
            values.push(of(look));
        }
        values
    };
    let woke = |share: f64| move |look: &Look| look.woke.quantile(share).unwrap_or_default() * 1_000.0;
    let figures: [(&str, Of<'_>); 6] = [
        ("came, p50", &|look| look.came.p50),
        ("came, p95", &|look| look.came.p95),
        ("came, p99", &|look| look.came.p99),
        ("woke, p50", &woke(0.5)),
        ("woke, p95", &woke(0.95)),
        ("woke, p99", &woke(0.99)),
    ];
    for (what, of) in figures {
        let (alone, beside) = (all(without, of), all(during, of));
        println!(
            "    {what}: without {}, encoding {}: moved by {:+.2} ms",
            spread(&alone, 2),
            spread(&beside, 2),
            beside.middle() - alone.middle()
        );
    }
    let sum =
        |of: fn(&Seen) -> Duration| during.iter().map(|look| of(&look.encoder).as_secs_f64()).sum::<f64>();
    let hours = (HOURS * during.len()) as f64;
    println!(
        "  an hour took {:.1} s beside the calls, {:.1} s of it on the core",
        sum(|seen| seen.wall) / hours,
        sum(|seen| seen.cpu) / hours
    );
}

/// The middle, the least and the most.
fn spread(values: &Values, digits: usize) -> String {
    let ([least, most], middle) = ([0.0, 1.0].map(|share| values.quantile(share)), values.middle());
    format!("{middle:.digits$} ({least:.digits$} to {most:.digits$})")
}

// ---------------------------------------------------------------- while they are recorded

async fn live(turns: usize) -> Result<()> {
    let bench = Bench::start(tempfile::tempdir()?).await?;
    println!(
        "\nCPU of the gateway, ms a second of a call, {COUNTED:?} each; ears, model and voice cost nothing here"
    );
    let idle = used(&bench.gateway, COUNTED).await?;
    println!("  idle {:.2} ms a second", idle * 1_000.0);
    let mut rounds = Vec::new();
    for round in 0..=2 * turns {
        let records = round % 2 == 1;
        bench.consents(if records { "notice" } else { "off" }).await?;
        rounds.push(a_call(&bench, records, idle).await?);
        bench.rests().await?;
    }
    print_ratio(&rounds);
    Ok(())
}

/// Milliseconds of CPU that a second of a call takes, beyond what an idle gateway does.
async fn a_call(bench: &Bench, records: bool, idle: f64) -> Result<f64> {
    let live = Live::begin(&bench.exchange).await?;
    let ended = live.ended();
    let (used, encoder) =
        tokio::join!(used(&bench.gateway, COUNTED), encoder_watch::watch(bench.gateway.pid(), COUNTED));
    let (calls, recorded) = (live.board.meters.live(), unencoded(bench.folder.path()));
    let (ended, own) = (live.ended() - ended, live.board.meters.send_lateness().spread());
    live.end().await?;
    let ms = (used? - idle) * 1_000.0 / calls.max(1) as f64;
    println!(
        "  {} {calls} calls, {recorded} recorded: {ms:.3} ms; {ended} ended; encoder {:.1} s; callers late p99 {:.1} ms",
        if records { "on: " } else { "off:" },
        encoder.cpu.as_secs_f64(),
        own.p99
    );
    let all = if records { calls } else { 0 };
    if recorded != all || ended > 0 {
        println!("      NOT ALL: {all} were to be recorded throughout");
    }
    Ok(ms)
}

/// `rounds`: off, on, off … Each with recording is held against the two beside it, so that a drift is in both.
fn print_ratio(rounds: &[f64]) {
    let (mut off, mut on, mut ratio, mut more) =
        (Values::default(), Values::default(), Values::default(), Values::default());
    rounds.iter().step_by(2).for_each(|ms| off.push(*ms));
    for beside in rounds.windows(3).step_by(2) {
        let alone = f64::midpoint(beside[0], beside[2]);
        on.push(beside[1]);
        ratio.push(beside[1] / alone);
        more.push((beside[1] - alone) * 1_000.0);
    }
    println!("  off {} ms, on {} ms a second of a call", spread(&off, 3), spread(&on, 3));
    let (middle, worst) = (ratio.middle(), ratio.quantile(1.0));
    let verdict = match () {
        () if worst <= AIM => "met in every round",
        () if middle <= AIM => "met in the middle, not in every round",
        () => "MISSED",
    };
    println!(
        "  a recorded call costs {} times as much, {} us a second more (target: {AIM}): {verdict}",
        spread(&ratio, 3),
        spread(&more, 0)
    );
}
