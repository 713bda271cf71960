//! A gateway under test with front desk, database and recordings as they are, ears and voice of known timing; and who calls it.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, ensure};
use caller::dial::Exchange;
use caller::replay::course::Manner;
use caller::replay::load::Plan;
use caller::replay::recording::Recording;
use caller::replay::scrape::cpu_seconds;
use caller::replay::trouble::Shares;
use futures_util::future::BoxFuture;
use gateway::config::Config;
use gateway::providers::{Providers, agent};
use gateway::startup::Gateway as Running;
use knowledge::Retriever;
use pipeline::ports::Screen;
use serde_json::json;
use storage::Platform;
use telephony::media::{AudioFrame, FRAME_BYTES};
use tokio::time::{Instant, sleep};
use work::tools::registry::Policy;

use crate::child::Gateway;
use crate::doubles::{EnergyVad, HummingVoice, ScriptedRecogniser};
use crate::office::Office;
use crate::phone_line::PhoneLine;
use crate::providers::ADMIN;
use crate::step::at_rest;

/// The demo line.
pub const LINE: &str = "+12025550100";
/// Speech to the energy detector.
pub const LOUD: AudioFrame = AudioFrame([0x10; FRAME_BYTES]);
/// Names the folder of the gateway's data to the child.
pub const FOLDER: &str = "BENCH_FOLDER";

/// Calls that it takes at a time.
const MOST_CALLS: usize = 400;
/// What callers are understood to say, over and over.
const SAID: [&str; 4] = [
    "When is the permit office open?",
    "How do I get rid of an old couch?",
    "How can I pay my property tax?",
    "When is my trash picked up?",
];
/// How long what waits may take to be encoded.
const ENCODED_WITHIN: Duration = Duration::from_secs(600);

// ---------------------------------------------------------------- the process under test

/// Is that gateway until the process ends. `letter_ms`: how long a letter takes to be said.
///
/// # Errors
/// When it does not come up.
pub async fn serve(letter_ms: usize, change: impl FnOnce(&mut Config)) -> Result<()> {
    let folder = std::env::var(FOLDER).context("no folder for the gateway's data")?;
    let mut config = Config::for_test(folder.as_ref());
    config.admin_token = Some(ADMIN.to_owned().into());
    config.limits.max_calls = Some(MOST_CALLS);
    change(&mut config);
    let engines = move |platform: Platform| -> BoxFuture<'static, Result<Providers>> {
        Box::pin(engines(platform, letter_ms))
    };
    let mut running = Running::start(config, engines, Arc::new(|_: &str| {})).await?;
    running.ready().await?;
    println!("listening http://{}", running.addr);
    std::future::pending::<()>().await;
    Ok(())
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

/// Starts it as a child that keeps its data there.
///
/// # Errors
/// When it does not come up.
pub fn start(folder: &Path, more: &[(&str, String)]) -> Result<Gateway> {
    let mut environment = vec![(FOLDER, folder.display().to_string())];
    environment.extend_from_slice(more);
    Gateway::start(&environment, None)
}

// ---------------------------------------------------------------- who calls it

/// So many callers at a time who ask, hear the answer and ask again, for longer than anyone measures.
///
/// # Errors
/// When the sound of it is no recording, which it is.
pub fn callers(callers: usize) -> Result<Plan> {
    let mut frames = vec![AudioFrame::SILENCE; 60];
    for _ in 0..100 {
        frames.extend([LOUD; 60]);
        frames.extend([AudioFrame::SILENCE; 60]);
    }
    Ok(Plan {
        recordings: vec![Arc::new(Recording::new("questions", &frames, None, Vec::new())?)],
        callers,
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

/// Sets whether callers of the county are told that they are recorded (`notice`), or not recorded (`off`).
///
/// # Errors
/// As [`Office::configure`].
pub async fn consent(office: &Office, consent: &str) -> Result<()> {
    let change = |config: &mut serde_json::Value| {
        for line in config["line"].as_array_mut().into_iter().flatten() {
            line["recording_consent"] = json!(consent);
        }
    };
    office.configure(change).await
}

/// How busy the machine is, by itself, over one, five and fifteen minutes.
#[must_use]
pub fn load_average() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(3).collect::<Vec<_>>().join(" ")
}

/// Cores that the gateway uses for so long: seconds of CPU a second.
///
/// # Errors
/// When there is no such process.
pub async fn used(gateway: &Gateway, span: Duration) -> Result<f64> {
    let now = || cpu_seconds(gateway.pid()).context("no CPU time of the gateway");
    let (before, began) = (now()?, Instant::now());
    sleep(span).await;
    Ok((now()? - before) / began.elapsed().as_secs_f64())
}

// ---------------------------------------------------------------- what waits to be encoded

/// Recordings whose segments lie in that folder still, but for those that are held back
/// ([`crate::sealed_calls`]), which are dated later.
#[must_use]
pub fn unencoded(folder: &Path) -> usize {
    let waits = |file: &fs::DirEntry| {
        let at = file.metadata().and_then(|known| known.modified());
        file.path().extension() == Some(OsStr::new("live")) && at.is_ok_and(|at| at <= SystemTime::now())
    };
    let within = |folder: &Path| -> Vec<fs::DirEntry> {
        fs::read_dir(folder).into_iter().flatten().flatten().collect()
    };
    let tenants = within(&folder.join("data/recordings"));
    let calls = tenants.iter().flat_map(|tenant| within(&tenant.path()));
    calls.filter(|call| within(&call.path()).iter().any(waits)).count()
}

/// Lets the encoder look for work: a recorded call that is over rings it. It takes twenty at a time, and looks again after a
/// minute by itself.
///
/// # Errors
/// When the gateway takes no call.
pub async fn ring(exchange: &Exchange) -> Result<()> {
    let mut line = PhoneLine::dial(exchange, "+12125559999", LINE).await?;
    line.say(&AudioFrame::SILENCE, Duration::from_millis(500)).await?;
    line.hang_up().await;
    Ok(())
}

/// Waits until nothing is left to encode, and the gateway has nothing else to do: the next round begins as the first did.
///
/// # Errors
/// When it does not come to that.
pub async fn drained(gateway: &Gateway, exchange: &Exchange, folder: &Path) -> Result<()> {
    let began = Instant::now();
    loop {
        at_rest(gateway).await?;
        let left = unencoded(folder);
        if left == 0 {
            return Ok(());
        }
        ensure!(began.elapsed() < ENCODED_WITHIN, "{left} recordings are not encoded");
        ring(exchange).await?;
    }
}
