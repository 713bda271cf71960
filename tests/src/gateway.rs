//! A gateway in this process, on a free port, with doubles for its engines.

use std::sync::Arc;
use std::time::Duration;

use agents::retriever::Retriever;
use anyhow::{Context, Result};
use gateway::config::{Config, Limits};
use gateway::providers::Providers;
use gateway::start::{Gateway, RunningGateway};
use pipeline::ports::{Responder, Screen, SpeechToText, TextToSpeech};
use serde_json::Value;
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use crate::doubles::{Answer, EnergyVad, HummingVoice, ScriptedRecogniser, ScriptedResponder};

/// The demo line of a first start.
pub const LINE: &str = "+12025550100";
/// Bearer token of the platform administrator in tests.
pub const ADMIN: &str = "test-admin-token-0123456789";

struct Plain;

impl Screen for Plain {
    fn screen(&mut self, text: &str) -> String {
        text.to_owned()
    }
}

/// Engines of a gateway under test.
#[derive(Debug)]
pub struct Doubles {
    pub stt: Arc<dyn SpeechToText>,
    pub tts: Arc<dyn TextToSpeech>,
    pub responder: ScriptedResponder,
    pub limits: Limits,
    /// What the engines say of their use, 0 to 1.
    pub load: f32,
}

impl Default for Doubles {
    fn default() -> Self {
        Self {
            stt: Arc::new(ScriptedRecogniser::new(&["When is the office open?", "And on Sundays?"])),
            tts: Arc::new(HummingVoice::default()),
            responder: ScriptedResponder::new(|input| match input {
                pipeline::ports::TurnInput::Opened => Answer::say(&["Welcome to the county."]),
                _ => Answer::say(&[
                    "The office is open from eight to five.",
                    "Can I help you with anything else?",
                ]),
            }),
            limits: Limits { drain: Duration::from_secs(2), ..Limits::default() },
            load: 0.0,
        }
    }
}

/// A running gateway with its own data folder.
#[derive(Debug)]
pub struct TestGateway {
    pub running: RunningGateway,
    pub base: String,
    pub dir: Arc<TempDir>,
}

impl TestGateway {
    pub async fn start(doubles: Doubles) -> Result<Self> {
        Self::start_in(Arc::new(tempfile::tempdir()?), doubles).await
    }

    /// Starts on a data folder that may have been used before.
    pub async fn start_in(dir: Arc<TempDir>, doubles: Doubles) -> Result<Self> {
        let mut config = Config::for_test(dir.path());
        config.admin_token = Some(ADMIN.to_owned().into());
        Self::start_configured(dir, config, doubles).await
    }

    /// Starts with settings of the test's own.
    pub async fn start_configured(dir: Arc<TempDir>, mut config: Config, doubles: Doubles) -> Result<Self> {
        config.limits = doubles.limits.clone();
        let providers = providers(doubles);
        let engines =
            move |_: storage::Platform| -> futures_util::future::BoxFuture<'static, Result<Providers>> {
                Box::pin(async move { Ok(providers) })
            };
        let mut running = Gateway::start(config, engines, Arc::new(|_: &str| {})).await?;
        running.ready().await?;
        let base = format!("http://{}", running.addr);
        Ok(Self { running, base, dir })
    }

    /// `GET` as the administrator.
    pub async fn get(&self, path: &str) -> Result<Value> {
        let url = format!("{}{path}", self.base);
        let answer = reqwest::Client::new().get(&url).bearer_auth(ADMIN).send().await?;
        let status = answer.status();
        let body = answer.text().await?;
        anyhow::ensure!(status.is_success(), "GET {path}: {status} {body}");
        serde_json::from_str(&body).with_context(|| format!("GET {path}: not JSON: {body}"))
    }

    /// Asks until `done` holds of the answer to `GET path`; the last answer.
    pub async fn until(&self, path: &str, done: impl Fn(&Value) -> bool) -> Result<Value> {
        let end = Instant::now() + Duration::from_secs(10);
        loop {
            let answer = self.get(path).await;
            match answer {
                Ok(value) if done(&value) => return Ok(value),
                Ok(value) if Instant::now() > end => anyhow::bail!("GET {path} never became right: {value}"),
                Err(e) if Instant::now() > end => return Err(e),
                _ => sleep(Duration::from_millis(20)).await,
            }
        }
    }

    /// One number out of `/metrics`, summed over its labels; 0 while there is none.
    pub async fn metric(&self, name: &str) -> Result<f64> {
        let text = reqwest::get(format!("{}/metrics", self.base)).await?.text().await?;
        let of = |line: &str| {
            let rest = line.strip_prefix(name)?;
            rest.starts_with([' ', '{']).then(|| rest.rsplit(' ').next()?.parse::<f64>().ok())?
        };
        Ok(text.lines().filter_map(of).sum())
    }
}

fn providers(doubles: Doubles) -> Providers {
    let load = doubles.load;
    Providers {
        stt: doubles.stt,
        tts: doubles.tts,
        responder: Arc::new(doubles.responder) as Arc<dyn Responder>,
        vad: Arc::new(|| Box::new(EnergyVad::default())),
        screen: Arc::new(|_| Box::new(Plain)),
        adopt: Arc::new(|_, _| ()),
        retriever: Arc::new(Retriever::lexical()),
        load: Arc::new(move || load),
    }
}
