//! People on live calls: how late a listener hears, how soon a take-over silences the agent, how late the caller hears a
//! person, what listeners cost, how soon a transfer rings.
//!
//! `cargo run --release -p benches --bin people [cost|calls|transfers] [rounds]`. The gateway is a child process on one core: front desk, database and
//! recordings as they are, ears and voice of known timing. Callers, carrier and the people's sockets are here, on the
//! other core, so that all times are of one clock.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use benches::added::Values;
use benches::child::{AS_GATEWAY, CALLERS_CORE, Gateway, pin};
use benches::front_desk::{self, LINE, LOUD, callers, consent, drained, used};
use benches::office::{Listened, Office, Socket, listen};
use benches::phone_line::{PhoneLine, marker};
use benches::step::at_rest;
use caller::dial::Exchange;
use caller::replay::load::{self, Board};
use futures_util::SinkExt;
use futures_util::future::try_join_all;
use gateway::config::Config;
use reqwest::Client;
use secrecy::SecretString;
use serde_json::json;
use telephony::media::{AudioFrame, FRAME_BYTES, FRAME_MS};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio::time::{Instant, interval, sleep};
use tokio_tungstenite::tungstenite::Message;
use tokio_util::sync::CancellationToken;

#[path = "../../../tests/src/carrier.rs"]
#[allow(dead_code, reason = "shared with the integration tests, which use more of it")]
mod carrier;

use carrier::{ACCOUNT, Behaviour, CarrierServer, TOKEN};

const CLERK: &str = "+12025550180";
/// Names the carrier's address to the child whose callers are put through.
const CARRIER: &str = "BENCH_CARRIER";

/// Calls at a time, and those of them that are looked at; the others are callers of the load tool.
const CALLS: usize = 100;
const PROBES: usize = 11;
/// Listeners at a time: half of them on one call, the others on one call each.
const LISTENERS: usize = 20;
/// How long their delay is measured.
const LISTENED: Duration = Duration::from_secs(20);
/// What so many cost is too little to count: so many times as many are counted, and it is divided.
const TIMES: usize = 10;
/// Rounds in which that is counted where nothing else is asked, each with calls of its own: the front desk ends a call after some two minutes.
const ROUNDS: usize = 6;
/// How long CPU time is counted at a time, and what passes before, so that those who come and go are not in it.
const SPAN: Duration = Duration::from_secs(12);
const SETTLED: Duration = Duration::from_secs(2);
/// Take-overs of each probed call, and how long the person speaks in each.
const TAKE_OVERS: usize = 5;
const SPEAKS: Duration = Duration::from_secs(9);
const TRANSFERS: usize = 16;
/// Frames from one marker to the next.
const EACH: u64 = 25;
const EACH_OF_PERSON: u64 = 10;
/// Aims of listening, silence, mouth to ear and transfer, 95th percentiles in milliseconds.
const AIMS: [f64; 4] = [400.0, 300.0, 250.0, 500.0];

/// A person's voice.
const PERSON: AudioFrame = AudioFrame([0x31; FRAME_BYTES]);

fn main() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    if std::env::args().nth(1).is_some_and(|a| a == AS_GATEWAY) {
        return runtime.block_on(gateway());
    }
    pin(std::process::id(), CALLERS_CORE);
    println!(
        "people on live calls; gateway on one core, callers and people on the other; load {}",
        front_desk::load_average()
    );
    let (asked, rounds) = (std::env::args().nth(1), std::env::args().nth(2));
    let rounds = rounds.and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS);
    let wants = |part: &str| asked.as_deref().is_none_or(|asked| asked == part);
    runtime.block_on(async {
        if wants("cost") {
            cost(&Bench::start().await?, rounds).await?;
        }
        if wants("calls") {
            on_calls(&Bench::start().await?).await?;
        }
        if wants("transfers") {
            transfers().await?;
        }
        anyhow::Ok(())
    })?;
    println!("load {}", front_desk::load_average());
    Ok(())
}

// ---------------------------------------------------------------- the process under test

async fn gateway() -> Result<()> {
    match std::env::var(CARRIER) {
        // How long our words take is no part of what is measured there.
        Ok(address) => {
            front_desk::serve(10, |config| {
                with_account(config);
                config.carrier.twilio.address = address;
            })
            .await
        }
        Err(_) => front_desk::serve(50, |_| ()).await,
    }
}

fn with_account(config: &mut Config) {
    config.carrier.twilio.account_sid = Some(ACCOUNT.to_owned());
    config.carrier.twilio.auth_token = Some(SecretString::from(TOKEN));
}

// ---------------------------------------------------------------- listening and taking over

/// A call that is looked at.
struct Probe {
    line: PhoneLine,
    id: String,
    /// When each marker of the caller's was sent.
    sent: HashMap<u16, Instant>,
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
    async fn start() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let gateway = front_desk::start(folder.path(), &[])?;
        let office = Office::of(&gateway);
        consent(&office, "notice").await?;
        at_rest(&gateway).await?;
        let config = Config::for_test("/nowhere".as_ref());
        let exchange = Arc::new(Exchange::new(config.carrier_account(), Client::new(), office.base.clone()));
        Ok(Self { gateway, folder, office, exchange })
    }
}

async fn on_calls(bench: &Bench) -> Result<()> {
    let Bench { office, exchange, .. } = bench;
    let (board, over) = (Arc::new(Board::default()), CancellationToken::new());
    let others =
        tokio::spawn(load::run(callers(CALLS - PROBES)?, exchange.clone(), board.clone(), over.clone()));
    let enough = CancellationToken::new();
    let (talking, ids) = talkers(office, exchange, &enough).await?;
    let stop = CancellationToken::new();
    let listening = ears(office, &ids, 1, &stop).await?;
    sleep(LISTENED).await;
    let heard = leave(listening, &stop).await?;
    let live = board.meters.live() + PROBES;
    enough.cancel();
    let mut probes = Vec::new();
    for (talking, id) in talking.into_iter().zip(ids) {
        let (line, sent) = talking.await??;
        probes.push(Probe { line, id, sent });
    }
    print_listening(live, &probes, &heard);
    let live = || board.meters.live();
    let before = live();
    take_overs(office, probes).await?;
    let own = board.meters.send_lateness().spread();
    println!(
        "  {before} other calls before, {} after; callers themselves late, p99 {:.1} ms",
        live(),
        own.p99
    );
    over.cancel();
    others.await?;
    for (reason, n) in &board.totals.lock().failures {
        println!("       {n} × {reason}");
    }
    Ok(())
}

type Talking = JoinHandle<Result<(PhoneLine, HashMap<u16, Instant>)>>;

/// Callers who talk until it is enough, and the ids of their calls once they were told of listeners.
async fn talkers(
    office: &Office,
    exchange: &Exchange,
    enough: &CancellationToken,
) -> Result<(Vec<Talking>, Vec<String>)> {
    let mut lines = Vec::new();
    for n in 0..PROBES {
        lines.push(PhoneLine::dial(exchange, &format!("+1212555{n:04}"), LINE).await?);
    }
    let sids: Vec<String> = lines.iter().map(|line| line.sid.clone()).collect();
    let talking = lines.into_iter().map(|line| tokio::spawn(talk(line, enough.clone()))).collect();
    Ok((talking, try_join_all(sids.iter().map(|sid| office.told(sid))).await?))
}

/// What listeners cost beside a call. The calls are few: a hundred differ by more from span to span than listeners add.
async fn cost(bench: &Bench, rounds: usize) -> Result<()> {
    let Bench { gateway, folder, office, exchange } = bench;
    let (mut call, mut listeners, mut ratio) = (Values::default(), Values::default(), Values::default());
    println!(
        "\nCPU of the gateway, ms a second: {PROBES} recorded calls, and {} listeners on them or none, {rounds} rounds of none, \
         they, they, none, {SPAN:?} each",
        LISTENERS * TIMES
    );
    for round in 1..=rounds {
        // What the last round left to encode is no part of this one.
        drained(gateway, exchange, folder.path()).await?;
        let idle = used(gateway, SPAN).await?;
        let enough = CancellationToken::new();
        let (talking, ids) = talkers(office, exchange, &enough).await?;
        sleep(SETTLED).await;
        let first = alone(gateway).await?;
        let stop = CancellationToken::new();
        let listening = ears(office, &ids, TIMES, &stop).await?;
        let heard = f64::midpoint(alone(gateway).await?, alone(gateway).await?);
        leave(listening, &stop).await?;
        let last = alone(gateway).await?;
        enough.cancel();
        for talking in talking {
            talking.await??.0.hang_up().await;
        }
        let unheard = f64::midpoint(first, last);
        let (a_call, all) =
            ((unheard - idle) * 1_000.0 / PROBES as f64, (heard - unheard) * 1_000.0 / TIMES as f64);
        println!(
            "  {round}: idle {:.2}; calls {:.2} and {:.2}; heard {:.2}: a call {a_call:.2}, {LISTENERS} listeners {all:.2}",
            idle * 1_000.0,
            first * 1_000.0,
            last * 1_000.0,
            heard * 1_000.0
        );
        call.push(a_call);
        listeners.push(all);
        ratio.push(all / a_call);
    }
    let spread = |values: &Values| {
        let [least, most] = [0.0, 1.0].map(|share| values.quantile(share));
        format!("{:.2} ({least:.2} to {most:.2})", values.middle())
    };
    println!("  a call {} ms; {LISTENERS} listeners {} ms a second", spread(&call), spread(&listeners));
    let verdict = if ratio.quantile(1.0) < 1.0 { "met in every round" } else { "not met in every round" };
    println!(
        "  {LISTENERS} listeners cost as much as {} calls (target: less than 1): {verdict}",
        spread(&ratio)
    );
    Ok(())
}

/// Cores that the gateway uses once whoever came or went is settled.
async fn alone(gateway: &Gateway) -> Result<f64> {
    sleep(SETTLED).await;
    used(gateway, SPAN).await
}

/// Asks, hears the answer, asks again; markers in between.
async fn talk(mut line: PhoneLine, enough: CancellationToken) -> Result<(PhoneLine, HashMap<u16, Instant>)> {
    let (mut sent, mut next) = (HashMap::new(), 0_u16);
    line.wait_quiet(0, Duration::from_millis(800), Duration::from_secs(40)).await?;
    while !enough.is_cancelled() {
        let before = line.heard.lock().frames.len();
        line.say(&LOUD, Duration::from_secs(1)).await?;
        let (mut n, asked) = (0, Instant::now());
        while asked.elapsed() < Duration::from_secs(20) && !enough.is_cancelled() {
            n += 1;
            if n % EACH == 0 {
                let at = line.frame(&marker(next)).await?;
                sent.insert(next, at);
                next = next.wrapping_add(1);
            } else {
                line.frame(&AudioFrame::SILENCE).await?;
            }
            let heard = line.heard.lock();
            let quiet = heard.plays_until().is_some_and(|until| until.elapsed() > Duration::from_millis(800));
            if heard.frames.len() > before && quiet {
                break;
            }
        }
    }
    Ok((line, sent))
}

/// Half of the listeners on the first call, the others on one each; each so many times.
async fn ears(
    office: &Office,
    ids: &[String],
    times: usize,
    stop: &CancellationToken,
) -> Result<Vec<(usize, JoinHandle<Listened>)>> {
    let mut ears = Vec::new();
    for n in (0..LISTENERS).cycle().take(LISTENERS * times) {
        let call = n.saturating_sub(LISTENERS - ids.len());
        let socket = office.open(&format!("/v1/calls/{}/listen?channel=both&packed=true", ids[call])).await?;
        ears.push((call, tokio::spawn(listen(socket, stop.clone()))));
    }
    Ok(ears)
}

/// They go; what each heard, and of which call.
async fn leave(
    ears: Vec<(usize, JoinHandle<Listened>)>,
    stop: &CancellationToken,
) -> Result<Vec<(usize, Listened)>> {
    stop.cancel();
    let mut heard = Vec::new();
    for (call, ear) in ears {
        heard.push((call, ear.await?));
    }
    Ok(heard)
}

fn print_listening(live: usize, probes: &[Probe], heard: &[(usize, Listened)]) {
    let (mut came, mut plays) = (Values::default(), Values::default());
    let (mut lost, mut frames, mut under_runs) = (0, 0, 0);
    for (call, listened) in heard {
        (lost, frames) = (lost + listened.lost, frames + listened.frames);
        under_runs += listened.under_runs;
        for (markers, late) in [(&listened.came, &mut came), (&listened.plays, &mut plays)] {
            for (number, at) in markers {
                if let Some(sent) = probes[*call].sent.get(number) {
                    late.push(ms(at.duration_since(*sent)));
                }
            }
        }
    }
    println!(
        "\n{live} calls, {LISTENERS} listeners, {frames} frames heard, {lost} lost; the console ran out of sound {under_runs} times"
    );
    head();
    row("caller's frame sent to listener's socket", &came, None);
    row("caller's frame sent until the console plays it", &plays, Some(AIMS[0]));
}

async fn take_overs(office: &Office, probes: Vec<Probe>) -> Result<()> {
    let tasks = probes.into_iter().enumerate().map(|(n, probe)| {
        let office = office.clone();
        async move {
            sleep(Duration::from_millis(n as u64 * 300)).await;
            tokio::spawn(take_over_again(office, probe)).await?
        }
    });
    let (mut silent, mut came, mut played) = (Values::default(), Values::default(), Values::default());
    let (mut missing, mut unanswered) = (0, 0);
    for taken in try_join_all(tasks).await?.into_iter().flatten() {
        let Some(taken) = taken else {
            unanswered += 1;
            continue;
        };
        silent.push(taken.silent);
        taken.came.iter().for_each(|late| came.push(*late));
        taken.played.iter().for_each(|late| played.push(*late));
        missing += taken.missing;
    }
    println!("\ntake-overs while the agent speaks ({unanswered} more found it silent)");
    head();
    row("take-over sent to `clear` at the carrier", &silent, Some(AIMS[1]));
    println!("\nmouth to ear ({missing} marked frames did not come)");
    head();
    row("person's frame sent to carrier's socket", &came, None);
    row("the same until the carrier plays it", &played, Some(AIMS[2]));
    Ok(())
}

/// One take-over, times in milliseconds.
struct Taken {
    silent: f64,
    came: Vec<f64>,
    played: Vec<f64>,
    missing: usize,
}

/// `None`: the agent was silent already.
async fn take_over_again(office: Office, mut probe: Probe) -> Result<Vec<Option<Taken>>> {
    let mut all = Vec::new();
    for round in 0..TAKE_OVERS {
        let before = probe.line.heard.lock().frames.len();
        probe.line.say(&LOUD, Duration::from_secs(1)).await?;
        probe.line.wait(Duration::from_secs(20), |heard| heard.frames.len() > before).await?;
        // Anywhere in the answer's first seconds.
        let into = Duration::from_millis(300 + (round as u64 * 370) % 1_300);
        probe.line.say(&AudioFrame::SILENCE, into).await?;
        all.push(take_over(&office, &mut probe).await?);
        probe.line.wait_quiet(0, Duration::from_millis(800), Duration::from_secs(20)).await?;
    }
    probe.line.hang_up().await;
    Ok(all)
}

async fn take_over(office: &Office, probe: &mut Probe) -> Result<Option<Taken>> {
    let (line, id) = (&mut probe.line, &probe.id);
    let (clears, frames, audible) = {
        let heard = line.heard.lock();
        (heard.clears.len(), heard.frames.len(), heard.is_audible())
    };
    let asked = Instant::now();
    let (there, path) = (office.clone(), format!("/v1/calls/{id}/takeover"));
    let person = tokio::spawn(async move {
        let taken = there.post(&path).await?;
        let speak = taken["speak"].as_str().context("no way to speak")?;
        speak_for(there.open(speak).await?).await
    });
    if audible {
        line.wait(Duration::from_secs(5), |heard| heard.clears.len() > clears).await?;
    }
    while !person.is_finished() {
        line.frame(&AudioFrame::SILENCE).await?;
    }
    let spoken = person.await??;
    let taken = audible.then(|| {
        let heard = line.heard.lock();
        let came: HashMap<u16, _> =
            heard.frames[frames..].iter().filter_map(|frame| Some((frame.marker?, frame))).collect();
        // What was said before the caller was told who speaks is dropped, as it should be.
        let first = spoken.iter().position(|(number, _)| came.contains_key(number)).unwrap_or(spoken.len());
        let mut taken =
            Taken { silent: ms(heard.clears[clears] - asked), came: vec![], played: vec![], missing: 0 };
        for (number, sent) in &spoken[first..] {
            if let Some(frame) = came.get(number) {
                taken.came.push(ms(frame.at - *sent));
                taken.played.push(ms(frame.plays - *sent));
            } else {
                taken.missing += 1;
            }
        }
        taken
    });
    let before = line.heard.lock().frames.len();
    let (there, path) = (office.clone(), format!("/v1/calls/{id}/release"));
    let released = tokio::spawn(async move { there.post(&path).await });
    line.wait_quiet(before, Duration::from_millis(500), Duration::from_secs(20)).await?;
    released.await??;
    Ok(taken)
}

/// The person's microphone: two seconds of voice, some silence, and so on. What was sent when.
async fn speak_for(mut socket: Socket) -> Result<Vec<(u16, Instant)>> {
    let mut clock = interval(Duration::from_millis(FRAME_MS));
    let mut sent = Vec::new();
    for n in 0..SPEAKS.as_millis() as u64 / FRAME_MS {
        let marked = (n % 120 < 100 && n % EACH_OF_PERSON == 5).then_some(n as u16);
        let frame = match marked {
            Some(number) => marker(number),
            None if n % 120 < 100 => PERSON,
            None => AudioFrame::SILENCE,
        };
        clock.tick().await;
        let now = Instant::now();
        socket.send(Message::Binary(frame.bytes().to_vec().into())).await?;
        sent.extend(marked.map(|number| (number, now)));
    }
    // What is on its way is still played.
    sleep(Duration::from_millis(400)).await;
    let _ = socket.close(None).await;
    Ok(sent)
}

// ---------------------------------------------------------------- transfers

async fn transfers() -> Result<()> {
    let carrier = CarrierServer::start().await;
    carrier.number(CLERK, Behaviour::NoAnswer);
    let folder = tempfile::tempdir()?;
    let gateway = front_desk::start(folder.path(), &[(CARRIER, carrier.address.clone())])?;
    let office = Office::of(&gateway);
    let all_day = json!({ "weekdays": "0:00-24:00", "saturday": "0:00-24:00", "sunday": "0:00-24:00" });
    let target = json!([{ "name": "the clerk's office", "number": CLERK, "hours": all_day, "warm": true }]);
    office.configure(|config| config["target"] = target).await?;
    at_rest(&gateway).await?;
    let mut config = Config::for_test("/nowhere".as_ref());
    with_account(&mut config);
    let exchange = Exchange::new(config.carrier_account(), Client::new(), office.base.clone());
    let (mut own, mut said) = (Values::default(), Values::default());
    for n in 0..TRANSFERS {
        let rung = transfer(&exchange, &carrier, n).await?;
        own.push(rung.own);
        said.push(rung.said);
    }
    println!("\ntransfers: the caller's yes to the carrier's REST interface, one call at a time");
    head();
    row("of our own", &own, Some(AIMS[3]));
    row("what the caller is told meanwhile", &said, None);
    Ok(())
}

/// One transfer, milliseconds.
struct Rung {
    own: f64,
    said: f64,
}

async fn transfer(exchange: &Exchange, carrier: &CarrierServer, n: usize) -> Result<Rung> {
    let (quiet, patience) = (Duration::from_millis(500), Duration::from_secs(30));
    let mut line = PhoneLine::dial(exchange, &format!("+1212556{n:04}"), LINE).await?;
    line.wait_quiet(0, quiet, patience).await?;
    let before = line.heard.lock().frames.len();
    line.key('0').await?;
    line.wait_quiet(before, quiet, patience).await?;
    let (before, asked) = (line.heard.lock().frames.len(), carrier.asked("Calls").len());
    let there = carrier.clone();
    let rings = tokio::spawn(async move {
        while there.asked("Calls").len() == asked {
            sleep(Duration::from_millis(1)).await;
        }
        Instant::now()
    });
    let decided = line.key('1').await?;
    let waits = Instant::now();
    while !rings.is_finished() {
        ensure!(waits.elapsed() < patience, "the carrier was not asked to call anybody");
        line.frame(&AudioFrame::SILENCE).await?;
    }
    let rung = rings.await?;
    let (from, until) = {
        let heard = line.heard.lock();
        let told: Vec<_> = heard.frames[before..].iter().filter(|frame| frame.at < rung).collect();
        let first = told.first().context("the caller was told nothing")?;
        let last = told.last().context("the caller was told nothing")?;
        (first.plays, last.plays + Duration::from_millis(FRAME_MS))
    };
    line.hang_up().await;
    let said = until.min(rung) - from;
    Ok(Rung { own: ms((rung - decided).saturating_sub(said)), said: ms(said) })
}

// ---------------------------------------------------------------- the table

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

fn head() {
    println!("  {:<48} {:>6} {:>8} {:>8} {:>8}   target p95", "ms", "n", "p50", "p95", "worst");
}

fn row(what: &str, values: &Values, target: Option<f64>) {
    let [p50, p95, worst] = [0.5, 0.95, 1.0].map(|share| values.quantile(share));
    let verdict = target.map_or_else(String::new, |target| {
        format!("   {target:.0}: {}", if !values.is_empty() && p95 < target { "met" } else { "MISSED" })
    });
    println!("  {what:<48} {:>6} {p50:>8.1} {p95:>8.1} {worst:>8.1}{verdict}", values.len());
}
