//! A gateway in this process, on a free port, with doubles for its engines.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use gateway::config::carrier::Name;
use gateway::config::{Config, Limits};
use gateway::providers::engines::Engines;
use gateway::providers::lineup::Lineup;
use gateway::providers::{Loaded, ProviderSource, Providers};
use gateway::startup::{Gateway, RunningGateway};
use knowledge::Retriever;
use pipeline::ports::{Responder, Screen, SpeechToText, TextToSpeech, VoiceActivity};
use serde_json::Value;
use tempfile::TempDir;
use tokio::time::{Instant, sleep};
use work::tools::remote::outside::Outside;

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
    pub vad: fn() -> Box<dyn VoiceActivity>,
    pub limits: Limits,
    /// What the engines say of their use, 0 to 1.
    pub load: f32,
    /// What is known of them beside that.
    pub lineup: Lineup,
    /// Servers of tools.
    pub outside: Outside,
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
            vad: || Box::new(EnergyVad::default()),
            limits: Limits {
                drain: Duration::from_secs(2),
                refuse_when_strained: false,
                ..Limits::default()
            },
            load: 0.0,
            lineup: Lineup::default(),
            outside: Outside::default(),
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

    /// Starts with this carrier, whose requests are not signed.
    pub async fn start_at_carrier(carrier: Name, doubles: Doubles) -> Result<Self> {
        let dir = Arc::new(tempfile::tempdir()?);
        let mut config = Config::for_test(dir.path());
        config.admin_token = Some(ADMIN.to_owned().into());
        config.carrier.name = carrier;
        Self::start_configured(dir, config, doubles).await
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
        let loaded = Loaded { lineup: doubles.lineup.clone(), providers: providers(doubles) };
        let engines =
            move |_: storage::Platform| -> futures_util::future::BoxFuture<'static, Result<Loaded>> {
                Box::pin(async move { Ok(loaded) })
            };
        Self::run(dir, config, engines).await
    }

    /// Starts as `quandura serve` does, with engines as the settings name them: `text` is the file, `vars` the
    /// environment. Data and models are below `dir`; the models folder is empty.
    pub async fn start_as_served(dir: Arc<TempDir>, text: &str, vars: &[(&str, String)]) -> Result<Self> {
        let below = |name: &str| dir.path().join(name).display().to_string();
        std::fs::create_dir_all(dir.path().join("models"))?;
        let vars: Vec<(&str, String)> = [
            ("BIND", "127.0.0.1:0".to_owned()),
            ("DATA_DIR", below("data")),
            ("MODELS_DIR", below("models")),
            ("ADMIN_TOKEN", ADMIN.to_owned()),
        ]
        .into_iter()
        .chain(vars.iter().cloned())
        .collect();
        let mut config = Config::from_text(text, "quandura.toml", &|name| {
            vars.iter().rev().find(|(var, _)| *var == name).map(|(_, value)| value.clone())
        })?;
        config.limits.drain = Duration::from_secs(2);
        config.limits.refuse_when_strained = false;
        let engines = Engines::new(&config);
        Self::run(dir, config, engines).await
    }

    pub(crate) async fn run(dir: Arc<TempDir>, config: Config, engines: impl ProviderSource) -> Result<Self> {
        let mut running = Gateway::start(config, engines, Arc::new(|_: &str| {})).await?;
        running.ready().await?;
        let base = format!("http://{}", running.addr);
        Ok(Self { running, base, dir })
    }

    /// `PUT` as the administrator.
    pub async fn put(&self, path: &str, body: &Value) -> Result<Value> {
        let url = format!("{}{path}", self.base);
        let answer = reqwest::Client::new().put(&url).bearer_auth(ADMIN).json(body).send().await?;
        let status = answer.status();
        let body = answer.text().await?;
        anyhow::ensure!(status.is_success(), "PUT {path}: {status} {body}");
        Ok(serde_json::from_str(&body)?)
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
        self.until_within(Duration::from_secs(30), path, done).await
    }

    /// The same for what takes longer.
    pub async fn until_within(
        &self,
        limit: Duration,
        path: &str,
        done: impl Fn(&Value) -> bool,
    ) -> Result<Value> {
        let end = Instant::now() + limit;
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

pub(crate) fn providers(doubles: Doubles) -> Providers {
    let load = doubles.load;
    Providers {
        stt: doubles.stt,
        tts: doubles.tts,
        responder: Arc::new(doubles.responder) as Arc<dyn Responder>,
        vad: Arc::new(doubles.vad),
        screen: Arc::new(|_| Box::new(Plain)),
        adopt: Arc::new(|_, _| ()),
        rules: Arc::new(|_, _| ()),
        retriever: Arc::new(Retriever::lexical()),
        outside: doubles.outside,
        load: Arc::new(move || load),
    }
}
