//! People on live calls: how late a listener hears, how soon a take-over silences the agent, how late the caller hears a
//! person, what listeners cost, how soon a transfer rings.
//!
//! `cargo run --release -p benches --bin people`. The gateway is a child process on one core: front desk, database and
//! recordings as they are, ears and voice of known timing. Callers, carrier and the people's sockets are here, on the
//! other core, so that all times are of one clock.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use benches::added::Values;
use benches::child::{AS_GATEWAY, CALLERS_CORE, Gateway as Child, pin};
use benches::office::{Listened, Office, Socket, listen};
use benches::phone_line::{PhoneLine, marker};
use benches::providers::ADMIN;
use benches::step::at_rest;
use futures_util::SinkExt;
use futures_util::future::{BoxFuture, try_join_all};
use gateway::caller::dial::Exchange;
use gateway::caller::replay::course::Manner;
use gateway::caller::replay::load::{self, Board, Plan};
use gateway::caller::replay::recording::Recording;
use gateway::caller::replay::scrape::cpu_seconds;
use gateway::caller::replay::trouble::Shares;
use gateway::config::Config;
use gateway::providers::{Providers, agent};
use gateway::startup::Gateway;
use knowledge::Retriever;
use pipeline::ports::Screen;
use reqwest::Client;
use secrecy::SecretString;
use serde_json::json;
use storage::Platform;
use telephony::media::{AudioFrame, FRAME_BYTES, FRAME_MS};
use tokio::task::JoinHandle;
use tokio::time::{Instant, interval, sleep};
use tokio_tungstenite::tungstenite::Message;
use tokio_util::sync::CancellationToken;
use work::tools::registry::Policy;

#[path = "../../../tests/src/carrier.rs"]
#[allow(dead_code, reason = "shared with the integration tests, which use more of it")]
mod carrier;
#[path = "../../../tests/src/doubles.rs"]
#[allow(dead_code, reason = "shared with the integration tests, which use more of it")]
mod doubles;

use carrier::{ACCOUNT, Behaviour, CarrierServer, TOKEN};
use doubles::{EnergyVad, HummingVoice, ScriptedRecogniser};

const LINE: &str = "+12025550100";
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
/// How often those come and go, and how long CPU time is counted with and without them.
const ROUNDS: usize = 3;
const SPAN: Duration = Duration::from_secs(10);
/// Take-overs of each probed call, and how long the person speaks in each.
const TAKE_OVERS: usize = 5;
const SPEAKS: Duration = Duration::from_secs(9);
const TRANSFERS: usize = 16;
/// Frames from one marker to the next.
const EACH: u64 = 25;
const EACH_OF_PERSON: u64 = 10;
/// What a browser waits for before it plays: `PRIME` of the console's play-out, 480 samples at 8 kHz.
const JITTER_BUFFER_MS: f64 = 60.0;
/// Aims of listening, silence, mouth to ear and transfer, 95th percentiles in milliseconds.
const AIMS: [f64; 4] = [400.0, 300.0, 250.0, 500.0];

/// Speech to the energy detector, and a person's voice.
const LOUD: AudioFrame = AudioFrame([0x10; FRAME_BYTES]);
const PERSON: AudioFrame = AudioFrame([0x31; FRAME_BYTES]);
/// What callers are understood to say, over and over.
const SAID: [&str; 4] = [
    "When is the permit office open?",
    "How do I get rid of an old couch?",
    "How can I pay my property tax?",
    "When is my trash picked up?",
];

fn main() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    if std::env::args().nth(1).is_some_and(|a| a == AS_GATEWAY) {
        return runtime.block_on(gateway());
    }
    pin(std::process::id(), CALLERS_CORE);
    println!(
        "people on live calls; gateway on one core, callers and people on the other; load {}",
        load_average()
    );
    runtime.block_on(async {
        on_calls().await?;
        transfers().await
    })?;
    println!("load {}", load_average());
    Ok(())
}

fn load_average() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(3).collect::<Vec<_>>().join(" ")
}

// ---------------------------------------------------------------- the process under test

async fn gateway() -> Result<()> {
    let dir = tempfile::tempdir()?;
    let mut config = Config::for_test(dir.path());
    config.admin_token = Some(ADMIN.to_owned().into());
    config.limits.max_calls = Some(4 * CALLS);
    let mut letter_ms = 50;
    if let Ok(address) = std::env::var(CARRIER) {
        with_account(&mut config);
        config.carrier.twilio.address = address;
        // How long our words take is no part of what is measured there.
        letter_ms = 10;
    }
    let engines = move |platform: Platform| -> BoxFuture<'static, Result<Providers>> {
        Box::pin(engines(platform, letter_ms))
    };
    let mut running = Gateway::start(config, engines, Arc::new(|_: &str| {})).await?;
    running.ready().await?;
    println!("listening http://{}", running.addr);
    std::future::pending::<()>().await;
    Ok(())
}

fn with_account(config: &mut Config) {
    config.carrier.twilio.account_sid = Some(ACCOUNT.to_owned());
    config.carrier.twilio.auth_token = Some(SecretString::from(TOKEN));
}

struct Plain;

impl Screen for Plain {
    fn screen(&mut self, text: &str) -> String {
        text.to_owned()
    }
}

async fn engines(platform: Platform, letter_ms: usize) -> Result<Providers> {
    let desk = agent::start(&platform, Arc::new(Retriever::lexical()), None, Policy::default()).await?;
    let adopt = agent::adopter(&desk);
    let said: Vec<&str> = SAID.iter().copied().cycle().take(400).collect();
    Ok(Providers {
        stt: Arc::new(ScriptedRecogniser::new(&said)),
        tts: Arc::new(HummingVoice { letter_ms, ..HummingVoice::default() }),
        responder: Arc::new(desk),
        vad: Arc::new(|| Box::new(EnergyVad::default())),
        screen: Arc::new(|_| Box::new(Plain)),
        adopt,
        rules: Arc::new(|_, _| ()),
        retriever: Arc::new(Retriever::lexical()),
        outside: Default::default(),
        load: Arc::new(|| 0.0),
    })
}

// ---------------------------------------------------------------- listening and taking over

/// A call that is looked at.
struct Probe {
    line: PhoneLine,
    id: String,
    /// When each marker of the caller's was sent.
    sent: HashMap<u16, Instant>,
}

async fn on_calls() -> Result<()> {
    let gateway = Child::start(&[], None)?;
    let office = Office::of(&gateway);
    office
        .configure(|config| {
            for line in config["line"].as_array_mut().into_iter().flatten() {
                line["recording_consent"] = json!("notice");
            }
        })
        .await?;
    at_rest(&gateway).await?;
    let exchange =
        Arc::new(Exchange::new(&Config::for_test("/nowhere".as_ref()), Client::new(), office.base.clone()));
    cost(&gateway, &office, &exchange).await?;
    let (board, over) = (Arc::new(Board::default()), CancellationToken::new());
    let others = tokio::spawn(load::run(others()?, exchange.clone(), board.clone(), over.clone()));
    let mut lines = Vec::new();
    for n in 0..PROBES {
        lines.push(PhoneLine::dial(&exchange, &format!("+1212555{n:04}"), LINE).await?);
    }
    let sids: Vec<String> = lines.iter().map(|line| line.sid.clone()).collect();
    let enough = CancellationToken::new();
    let talking: Vec<_> = lines.into_iter().map(|line| tokio::spawn(talk(line, enough.clone()))).collect();
    let ids = try_join_all(sids.iter().map(|sid| office.told(sid))).await?;
    let stop = CancellationToken::new();
    let listening = ears(&office, &ids, 1, &stop).await?;
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
    take_overs(&office, probes).await?;
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

/// What listeners cost beside a call. The calls are few: a hundred differ by more from span to span than listeners add.
async fn cost(gateway: &Child, office: &Office, exchange: &Exchange) -> Result<()> {
    let idle = used(gateway, SPAN).await?;
    let mut lines = Vec::new();
    for n in 0..PROBES {
        lines.push(PhoneLine::dial(exchange, &format!("+1212556{n:04}"), LINE).await?);
    }
    let sids: Vec<String> = lines.iter().map(|line| line.sid.clone()).collect();
    let enough = CancellationToken::new();
    let talking: Vec<_> = lines.into_iter().map(|line| tokio::spawn(talk(line, enough.clone()))).collect();
    let ids = try_join_all(sids.iter().map(|sid| office.told(sid))).await?;
    sleep(SPAN).await;
    let (mut without, mut with) = (Values::default(), Values::default());
    for _ in 0..ROUNDS {
        sleep(Duration::from_secs(1)).await;
        without.push(used(gateway, SPAN).await?);
        let stop = CancellationToken::new();
        let listening = ears(office, &ids, TIMES, &stop).await?;
        sleep(Duration::from_secs(1)).await;
        with.push(used(gateway, SPAN).await?);
        leave(listening, &stop).await?;
    }
    enough.cancel();
    for talking in talking {
        talking.await??.0.hang_up().await;
    }
    print_cost(PROBES, idle, &without, &with);
    Ok(())
}

/// Cores that the gateway uses for so long: seconds of CPU a second.
async fn used(gateway: &Child, span: Duration) -> Result<f64> {
    let now = || cpu_seconds(gateway.pid()).context("no CPU time of the gateway");
    let (before, began) = (now()?, Instant::now());
    sleep(span).await;
    Ok((now()? - before) / began.elapsed().as_secs_f64())
}

/// Callers who ask, hear the answer and ask again, for longer than anyone measures.
fn others() -> Result<Plan> {
    let mut frames = vec![AudioFrame::SILENCE; 60];
    for _ in 0..100 {
        frames.extend([LOUD; 60]);
        frames.extend([AudioFrame::SILENCE; 60]);
    }
    Ok(Plan {
        recordings: vec![Arc::new(Recording::new("questions", &frames, None, Vec::new())?)],
        callers: CALLS - PROBES,
        ramp: 20.0,
        // The front desk ends such a call after some two minutes; then they call again.
        repeat: 20,
        manner: Manner::default(),
        shares: Shares::default(),
        to: LINE.to_owned(),
        seed: 1,
        keep_ids: false,
    })
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
    let mut late = Values::default();
    let (mut lost, mut frames) = (0, 0);
    for (call, listened) in heard {
        (lost, frames) = (lost + listened.lost, frames + listened.frames);
        for (number, at) in &listened.markers {
            if let Some(sent) = probes[*call].sent.get(number) {
                late.push(ms(at.duration_since(*sent)));
            }
        }
    }
    println!("\n{live} calls, {LISTENERS} listeners, {frames} frames heard, {lost} lost");
    head();
    row("caller's frame sent to listener's socket", &late, 0.0, None);
    row("the same and a browser's jitter buffer, 60 ms", &late, JITTER_BUFFER_MS, Some(AIMS[0]));
}

fn print_cost(live: usize, idle: f64, without: &Values, with: &Values) {
    let calls = live.max(1) as f64;
    let (alone, heard) = (without.quantile(0.5), with.quantile(0.5));
    let (call, listeners) = ((alone - idle) / calls, (heard - alone) / TIMES as f64);
    let spread = |values: &Values| format!("{:.3} to {:.3}", values.quantile(0.0), values.quantile(1.0));
    println!("\nCPU seconds a second of the gateway, middle of {ROUNDS} spans of {} s each", SPAN.as_secs());
    println!(
        "  idle {idle:.4}; {live} calls {alone:.3} ({}); with {} listeners {heard:.3} ({})",
        spread(without),
        LISTENERS * TIMES,
        spread(with)
    );
    println!(
        "  a call {:.2} ms; {LISTENERS} listeners {:.2} ms: as much as {:.1} calls (target: 1)",
        call * 1_000.0,
        listeners * 1_000.0,
        listeners / call
    );
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
    row("take-over sent to `clear` at the carrier", &silent, 0.0, Some(AIMS[1]));
    println!("\nmouth to ear ({missing} marked frames did not come)");
    head();
    row("person's frame sent to carrier's socket", &came, 0.0, None);
    row("the same until the carrier plays it", &played, 0.0, Some(AIMS[2]));
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
    let gateway = Child::start(&[(CARRIER, carrier.address.clone())], None)?;
    let office = Office::of(&gateway);
    let all_day = json!({ "weekdays": "0:00-24:00", "saturday": "0:00-24:00", "sunday": "0:00-24:00" });
    let target = json!([{ "name": "the clerk's office", "number": CLERK, "hours": all_day, "warm": true }]);
    office.configure(|config| config["target"] = target).await?;
    at_rest(&gateway).await?;
    let mut config = Config::for_test("/nowhere".as_ref());
    with_account(&mut config);
    let exchange = Exchange::new(&config, Client::new(), office.base.clone());
    let (mut own, mut said) = (Values::default(), Values::default());
    for n in 0..TRANSFERS {
        let rung = transfer(&exchange, &carrier, n).await?;
        own.push(rung.own);
        said.push(rung.said);
    }
    println!("\ntransfers: the caller's yes to the carrier's REST interface, one call at a time");
    head();
    row("of our own", &own, 0.0, Some(AIMS[3]));
    row("what the caller is told meanwhile", &said, 0.0, None);
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

/// `more` is a constant that comes on top.
fn row(what: &str, values: &Values, more: f64, target: Option<f64>) {
    let [p50, p95, worst] = [0.5, 0.95, 1.0].map(|share| values.quantile(share) + more);
    let verdict = target.map_or_else(String::new, |target| {
        format!("   {target:.0}: {}", if !values.is_empty() && p95 < target { "met" } else { "MISSED" })
    });
    println!("  {what:<48} {:>6} {p50:>8.1} {p95:>8.1} {worst:>8.1}{verdict}", values.len());
}
