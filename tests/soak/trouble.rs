//! Everything that can be made to fail around a gateway, for a while, and put right again.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use tests::home::private_postgres::Cluster;
use tests::vendors::anthropic::{self, AnthropicServer};
use tests::vendors::deepgram::{DeepgramServer, ListenOptions};
use tests::vendors::elevenlabs::ElevenLabsServer;
use tests::vendors::fault::{Fault, Faults};
use tests::vendors::model::Pace;
use tests::vendors::tone::VoiceOptions;
use tokio::time::sleep;

use crate::callers::{LETTER_MS, SAID, model};
use crate::child::Process;
use crate::edge::{self, Stranger};

/// One fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trouble {
    Recogniser(Way),
    Model(Way),
    Voice(Way),
    Database(Outage),
    Stranger(Stranger),
    /// `kill -9`, and a start some time later.
    Killed,
    /// A rolling upgrade: SIGTERM, and a start.
    Upgraded,
}

/// How a provider fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    Stalls,
    Closes,
    TalksNonsense,
    Refuses,
    LimitsRate,
    IsSlow,
}

/// How a database server fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outage {
    Frozen,
    Crashed,
    Disconnected,
}

impl Trouble {
    /// What can happen here.
    #[must_use]
    pub fn all(world: &World) -> Vec<Self> {
        let ways = [Way::Stalls, Way::Closes, Way::TalksNonsense, Way::Refuses, Way::LimitsRate, Way::IsSlow];
        let providers =
            ways.into_iter().flat_map(|way| [Self::Recogniser(way), Self::Model(way), Self::Voice(way)]);
        let strangers = edge::ALL.into_iter().map(Self::Stranger);
        let mut all: Vec<Self> = providers.chain(strangers).chain([Self::Killed, Self::Upgraded]).collect();
        if world.cluster.is_some() {
            all.extend([Outage::Frozen, Outage::Crashed, Outage::Disconnected].map(Self::Database));
        }
        all
    }

    /// Another process runs after it.
    #[must_use]
    pub const fn is_restart(self) -> bool {
        matches!(self, Self::Killed | Self::Upgraded)
    }
}

/// Simulated providers, all that the gateway has.
#[derive(Debug)]
pub struct Providers {
    ears: DeepgramServer,
    voice: ElevenLabsServer,
    claude: AnthropicServer,
}

impl Providers {
    pub async fn start() -> Self {
        let listen = ListenOptions {
            texts: SAID.iter().cycle().take(200).map(|text| (*text).to_owned()).collect(),
            ..ListenOptions::default()
        };
        let voice = VoiceOptions {
            first_after: Duration::from_millis(5),
            spacing: Duration::ZERO,
            letter_ms: LETTER_MS,
            remember: false,
            ..VoiceOptions::default()
        };
        let pace = Pace { first: Duration::from_millis(120), ..Pace::QUICK };
        Self {
            ears: DeepgramServer::start(listen).await,
            voice: ElevenLabsServer::start(voice).await,
            claude: AnthropicServer::start(pace, model).await,
        }
    }

    /// The environment of a gateway that has their keys.
    #[must_use]
    pub fn vars(&self) -> Vec<(&'static str, String)> {
        vec![
            ("DEEPGRAM_API_KEY", "test-key".to_owned()),
            ("DEEPGRAM_BASE_URL", self.ears.base()),
            ("ELEVENLABS_API_KEY", "test-key".to_owned()),
            ("ELEVENLABS_BASE_URL", self.voice.base()),
            ("ANTHROPIC_API_KEY", anthropic::KEY.to_owned()),
            ("ANTHROPIC_BASE_URL", self.claude.base().to_owned()),
        ]
    }
}

/// What surrounds the gateway.
#[derive(Debug)]
pub struct World {
    pub providers: Providers,
    /// `None`: SQLite.
    pub cluster: Option<Cluster>,
    pub process: Arc<Process>,
}

impl World {
    /// Lets it happen for so long, then puts it right. `ended` is a call that is over.
    pub async fn suffer(&self, trouble: Trouble, length: Duration, ended: Option<String>) -> Result<()> {
        match trouble {
            Trouble::Recogniser(way) => during(&self.providers.ears.faults, way, length).await,
            Trouble::Model(way) => during(&self.providers.claude.faults, way, length).await,
            Trouble::Voice(way) => during(&self.providers.voice.faults, way, length).await,
            Trouble::Database(outage) => self.outage(outage, length).await?,
            Trouble::Stranger(kind) => {
                let base = self.process.base().context("the gateway is down")?;
                edge::intrude(kind, &base, ended, length).await;
            }
            Trouble::Killed => {
                self.process.kill();
                sleep(length / 4).await;
                self.process.start().await?;
            }
            Trouble::Upgraded => {
                self.process.terminate().await?;
                self.process.start().await?;
            }
        }
        Ok(())
    }

    async fn outage(&self, outage: Outage, length: Duration) -> Result<()> {
        let cluster = self.cluster.as_ref().context("no database server")?;
        match outage {
            Outage::Frozen => {
                cluster.freeze();
                sleep(length).await;
                cluster.thaw();
            }
            Outage::Crashed => {
                cluster.crash();
                sleep(length / 4).await;
                cluster.start();
            }
            Outage::Disconnected => {
                cluster.sql(
                    "postgres",
                    "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'quandura_app'",
                );
            }
        }
        Ok(())
    }
}

async fn during(faults: &Faults, way: Way, length: Duration) {
    faults.set(match way {
        Way::Stalls => Fault::Stall,
        Way::Closes => Fault::CloseAfter(0),
        Way::TalksNonsense => Fault::Garbage,
        Way::Refuses => Fault::Status { status: 529, retry_after: None },
        Way::LimitsRate => Fault::Status { status: 429, retry_after: Some(1.0) },
        Way::IsSlow => Fault::Drip(Duration::from_millis(400)),
    });
    sleep(length).await;
    faults.set(Fault::None);
}
