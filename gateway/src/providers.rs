//! The engines that serve calls, and how they are brought up.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agents::TenantFacts;
use agents::retriever::Retriever;
use futures_util::future::BoxFuture;
use pipeline::ports::{
    Language, PortError, Responder, Screen, SpeechToText, TextToSpeech, TtsCommand, TtsEvent, VoiceActivity,
};
use pipeline::turn::{ReplySegment, SegmentId, SegmentKind, TurnId};
use storage::{Platform, TenantId, TenantStore};
use telephony::media::{AudioFrame, FRAME_BYTES, MULAW_SILENCE};
use tokio::time::timeout;

pub mod agent;
pub mod embedded;

/// Longest wait for one phrase to be rendered.
const RENDER: Duration = Duration::from_secs(30);
/// What a caller hears when the machine is full.
pub const BUSY_MESSAGE: &str = "All our lines are busy at the moment. Please call again in a few minutes. \
    If this is an emergency, please hang up and dial 911. Goodbye.";

/// Makes a voice-activity detector for one call.
pub type MakeVad = Arc<dyn Fn() -> Box<dyn VoiceActivity> + Send + Sync>;
/// Makes a screen for one call of a tenant.
pub type MakeScreen = Arc<dyn Fn(TenantId) -> Box<dyn Screen> + Send + Sync>;
/// Lets the responder answer for a tenant that was made while it runs.
pub type AdoptTenant = Arc<dyn Fn(TenantStore, TenantFacts) + Send + Sync>;

/// Everything that a call needs from outside the gateway.
#[derive(Clone)]
pub struct Providers {
    pub stt: Arc<dyn SpeechToText>,
    pub tts: Arc<dyn TextToSpeech>,
    pub responder: Arc<dyn Responder>,
    pub vad: MakeVad,
    pub screen: MakeScreen,
    pub adopt: AdoptTenant,
    pub retriever: Arc<Retriever>,
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

/// Brings the engines up on an open data folder. Runs beside the HTTP listener; `/ready` waits for it.
pub trait ProviderSource: Send + 'static {
    fn load(
        self: Box<Self>,
        platform: Platform,
        progress: Progress,
    ) -> BoxFuture<'static, anyhow::Result<Providers>>;
}

/// A closure is a source: tests hand over simulated engines this way.
impl<F> ProviderSource for F
where
    F: FnOnce(Platform) -> BoxFuture<'static, anyhow::Result<Providers>> + Send + 'static,
{
    fn load(
        self: Box<Self>,
        platform: Platform,
        _: Progress,
    ) -> BoxFuture<'static, anyhow::Result<Providers>> {
        self(platform)
    }
}

/// Engines that are up, with what was rendered in advance.
#[derive(Debug)]
pub struct Ready {
    pub providers: Providers,
    /// [`BUSY_MESSAGE`] as audio; empty when it could not be rendered.
    pub busy: Vec<AudioFrame>,
}

impl Ready {
    /// Takes engines that are up, and renders what must be said even when they are full.
    pub async fn warm(providers: Providers) -> Self {
        let busy = render(&*providers.tts, BUSY_MESSAGE).await.unwrap_or_else(|e| {
            tracing::warn!(error = %e, "the busy message could not be rendered: the stream is closed instead");
            Vec::new()
        });
        Self { providers, busy: frames(&busy) }
    }

    /// Use of the engines, 0 to 1.
    #[must_use]
    pub fn load(&self) -> f32 {
        (self.providers.load)()
    }
}

/// Synthesises one fixed phrase; the adapter keeps it in its cache.
async fn render(tts: &dyn TextToSpeech, text: &str) -> Result<Vec<u8>, PortError> {
    let mut stream = tts.open(&Language::En.into())?;
    let id = SegmentId { turn: TurnId(0), index: 0 };
    let segment = ReplySegment { id, text: text.to_owned(), kind: SegmentKind::Notice, fixed: true };
    let failed = |what: &str| PortError::Unavailable {
        what: what.to_owned(),
        fix: "see `quandura doctor` for the speech engine".to_owned(),
    };
    if stream.commands.send(TtsCommand::Speak(segment)).await.is_err() {
        return Err(failed("the voice does not listen"));
    }
    let mut mulaw = Vec::new();
    loop {
        match timeout(RENDER, stream.events.recv()).await {
            Ok(Some(TtsEvent::Audio { mulaw: part, .. })) => mulaw.extend(part),
            Ok(Some(TtsEvent::Done { .. })) => return Ok(mulaw),
            Ok(Some(TtsEvent::Provider(_) | TtsEvent::Used(_))) => {}
            Ok(Some(TtsEvent::Failed { failure, .. })) => return Err(failed(&failure.to_string())),
            Ok(None) => return Err(failed("the voice went away")),
            Err(_) => return Err(failed("the voice took too long")),
        }
    }
}

/// Cuts mu-law audio into frames; the last is filled with silence.
#[must_use]
pub fn frames(mulaw: &[u8]) -> Vec<AudioFrame> {
    let cut = mulaw.chunks(FRAME_BYTES).map(|part| {
        let mut frame = [MULAW_SILENCE; FRAME_BYTES];
        frame[..part.len()].copy_from_slice(part);
        AudioFrame(frame)
    });
    cut.collect()
}

/// Files that the embedded engines need in the models folder.
#[must_use]
pub fn missing_models(models: &Path) -> Vec<&'static str> {
    embedded::FILES.into_iter().filter(|file| !models.join(file).is_file()).collect()
}
