//! The engines that serve calls, and how they are brought up.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use dialogue::TenantFacts;
use futures_util::future::BoxFuture;
use governance::rules::RuleSet;
use knowledge::Retriever;
use lineup::Lineup;
use notices::Notices;
use pipeline::ports::{Responder, Screen, SpeechToText, TextToSpeech, VoiceActivity};
use storage::{Platform, TenantId, TenantStore};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use work::organisation::Organisation;
use work::tools::remote::outside::Outside;

use crate::calls::load_sampler::Gauge;

pub mod ability;
pub mod agent;
pub mod cloud;
pub mod embedded;
pub mod engines;
pub mod lineup;
pub mod notices;
pub mod phrasebook;
pub mod phrases;
pub mod prewarm;
pub mod recorded;
pub mod renewal;

/// Longest wait for the notices before calls are taken; then they are rendered beside them.
const NOTICES: Duration = Duration::from_secs(2);

/// Makes a voice-activity detector for one call.
pub type MakeVad = Arc<dyn Fn() -> Box<dyn VoiceActivity> + Send + Sync>;
/// Makes a screen for one call of a tenant.
pub type MakeScreen = Arc<dyn Fn(TenantId) -> Box<dyn Screen> + Send + Sync>;
/// Lets the responder answer for a tenant that was made while it runs.
pub type AdoptTenant = Arc<dyn Fn(TenantStore, TenantFacts) + Send + Sync>;

/// Has a tenant's calls obey these rules from their next sentence on.
pub type PutRules = Arc<dyn Fn(TenantId, RuleSet) + Send + Sync>;

/// Everything that a call needs from outside the gateway.
#[derive(Clone)]
pub struct Providers {
    pub stt: Arc<dyn SpeechToText>,
    pub tts: Arc<dyn TextToSpeech>,
    pub responder: Arc<dyn Responder>,
    pub vad: MakeVad,
    pub screen: MakeScreen,
    pub adopt: AdoptTenant,
    pub rules: PutRules,
    pub retriever: Arc<Retriever>,
    /// Servers of tools.
    pub outside: Outside,
    /// Use of the engines, 0 to 1.
    pub load: Arc<dyn Fn() -> f32 + Send + Sync>,
}

impl fmt::Debug for Providers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Providers")
            .field("stt", &self.stt.name())
            .field("tts", &self.tts.name())
            .field("responder", &self.responder.name())
            .finish_non_exhaustive()
    }
}

/// Tells a person at a terminal how far the start is.
pub type Progress = Arc<dyn Fn(&str) + Send + Sync>;

/// Engines that are up, and what is known of them.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub providers: Providers,
    pub lineup: Lineup,
}

impl From<Providers> for Loaded {
    fn from(providers: Providers) -> Self {
        Self { providers, lineup: Lineup::default() }
    }
}

/// Brings the engines up on an open data folder. Runs beside the HTTP listener; `/ready` waits for it.
pub trait ProviderSource: Send + 'static {
    fn load(
        self: Box<Self>,
        platform: Platform,
        progress: Progress,
    ) -> BoxFuture<'static, anyhow::Result<Loaded>>;
}

/// A closure is a source: tests hand over simulated engines this way.
impl<F, T> ProviderSource for F
where
    F: FnOnce(Platform) -> BoxFuture<'static, anyhow::Result<T>> + Send + 'static,
    T: Into<Loaded> + 'static,
{
    fn load(self: Box<Self>, platform: Platform, _: Progress) -> BoxFuture<'static, anyhow::Result<Loaded>> {
        let loading = self(platform);
        Box::pin(async { Ok(loading.await?.into()) })
    }
}

/// Engines that serve calls.
#[derive(Debug)]
pub struct Ready {
    pub providers: Providers,
    pub lineup: Lineup,
    pub notices: Arc<Notices>,
    /// What the tenants know of their own decisions; embeds with the retriever's model.
    pub organisation: Arc<Organisation>,
    strain: Gauge,
}

impl Ready {
    /// Takes engines that are up, and renders what must be said even when they are full.
    pub async fn warm(loaded: Loaded, strain: Gauge, closing: CancellationToken) -> Self {
        let Loaded { providers, lineup } = loaded;
        let notices = Arc::<Notices>::default();
        let (tts, spoken) = (providers.tts.clone(), lineup.spoken.clone());
        let rendering = tokio::spawn(notices.clone().keep_rendering(tts, spoken, closing));
        let _ = timeout(NOTICES, rendering).await;
        let organisation = Arc::new(Organisation::new(providers.retriever.embedder().cloned()));
        Self { providers, lineup, notices, organisation, strain }
    }

    /// How busy engines and machine are, 0 to 1.
    #[must_use]
    pub fn load(&self) -> f32 {
        (self.providers.load)().max(self.strain.read())
    }
}
