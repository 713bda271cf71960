//! Engines that need no models: they hear sound as "hello" and answer with a tone.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use knowledge::Retriever;
use pipeline::event::Attack;
use pipeline::ports::{
    AfterReply, CallBrief, Consent, Hearing, PortError, ReplyCommand, ReplyEvent, ReplyStream, Responder,
    Saying, Screen, SpeechToText, SttCommand, SttEvent, SttStream, TextToSpeech, TtsCommand, TtsEvent,
    TtsStream, TurnInput, VoiceActivity,
};
use pipeline::turn::{Expectation, ReplySegment, SegmentId, SegmentKind, TurnId};
use storage::Platform;
use telephony::media::AudioFrame;
use tempfile::TempDir;
use tokio::sync::mpsc;

use crate::config::Config;
use crate::providers::{ProviderSource, Providers};
use crate::startup::{Gateway, RunningGateway};
use caller::playback::is_audible;

/// A gateway on any free port with simulated engines, and the folder it lives in.
pub struct TestGateway {
    pub gateway: RunningGateway,
    /// Goes with the test.
    pub _dir: TempDir,
}

impl TestGateway {
    pub async fn start(change: impl FnOnce(&mut Config)) -> Self {
        Self::with(change, engines).await
    }

    /// The same with other engines.
    pub async fn with(change: impl FnOnce(&mut Config), engines: impl ProviderSource) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut config = Config::for_test(dir.path());
        config.limits.drain = Duration::from_secs(1);
        change(&mut config);
        let mut gateway = Gateway::start(config, engines, Arc::new(|_: &str| {})).await.unwrap();
        gateway.ready().await.unwrap();
        Self { gateway, _dir: dir }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.gateway.addr)
    }
}

pub fn engines(_: Platform) -> BoxFuture<'static, anyhow::Result<Providers>> {
    Box::pin(async {
        Ok(Providers {
            stt: Arc::new(Hears),
            tts: Arc::new(Tone),
            responder: Arc::new(Parrot),
            vad: Arc::new(|| Box::new(Loud)),
            screen: Arc::new(|_| Box::new(NoPhones)),
            adopt: Arc::new(|_, _| {}),
            rules: Arc::new(|_, _| ()),
            outside: Default::default(),
            retriever: Arc::new(Retriever::lexical()),
            load: Arc::new(|| 0.0),
        })
    })
}

/// A voice that says everything with half a second of one tone.
pub fn tone() -> Arc<dyn TextToSpeech> {
    Arc::new(Tone)
}

struct Loud;

impl VoiceActivity for Loud {
    fn push(&mut self, frame: &AudioFrame) -> Option<f32> {
        Some(if is_audible(frame) { 1.0 } else { 0.0 })
    }
}

struct NoPhones;

impl Screen for NoPhones {
    fn screen(&mut self, text: &str) -> String {
        text.replace("+12025550143", "⟨phone:1⟩")
    }
}

struct Hears;

impl SpeechToText for Hears {
    fn name(&self) -> &'static str {
        "simulated"
    }

    fn open(&self, _: &Hearing) -> Result<SttStream, PortError> {
        let (commands, mut asked) = mpsc::channel(256);
        let (told, events) = mpsc::channel(64);
        tokio::spawn(async move {
            while let Some(command) = asked.recv().await {
                if let SttCommand::Pause { utterance, pause, .. } = command {
                    let text = "call me at +12025550143".to_owned();
                    let _ = told
                        .send(SttEvent::Final {
                            utterance,
                            pause,
                            text,
                            confidence: 1.0,
                            alternatives: Vec::new(),
                            settled: true,
                        })
                        .await;
                    let _ = told.send(SttEvent::TurnEnd { utterance, pause, probability: 0.95 }).await;
                }
            }
        });
        Ok(SttStream { commands, events })
    }
}

struct Tone;

impl TextToSpeech for Tone {
    fn name(&self) -> &'static str {
        "simulated"
    }

    fn open(&self, _: &Saying) -> Result<TtsStream, PortError> {
        let (commands, mut asked) = mpsc::channel(64);
        let (told, events) = mpsc::channel(64);
        tokio::spawn(async move {
            while let Some(command) = asked.recv().await {
                if let TtsCommand::Speak(segment) = command {
                    let mulaw = vec![0x20; 8_000 / 2];
                    let _ = told.send(TtsEvent::Audio { segment: segment.id, mulaw }).await;
                    let _ = told.send(TtsEvent::Done { segment: segment.id, words: Vec::new() }).await;
                }
            }
        });
        Ok(TtsStream { commands, events })
    }
}

struct Parrot;

impl Responder for Parrot {
    fn name(&self) -> &'static str {
        "simulated"
    }

    fn open(&self, brief: CallBrief) -> Result<ReplyStream, PortError> {
        let tells = brief.consent == Consent::Notice;
        let (commands, mut asked) = mpsc::channel(32);
        let (told, events) = mpsc::channel(64);
        tokio::spawn(async move {
            while let Some(command) = asked.recv().await {
                if let ReplyCommand::Start { turn, input, .. } = command {
                    if matches!(input, TurnInput::Said { .. }) {
                        let _ = told.send(ReplyEvent::Guard(attack(turn))).await;
                    }
                    let _ = told.send(ReplyEvent::Segment(segment(turn, &input, tells))).await;
                    let (expects, then) = (Expectation::Open, AfterReply::Listen);
                    let _ = told.send(ReplyEvent::Done { turn, expects, then }).await;
                }
            }
        });
        Ok(ReplyStream { commands, events })
    }
}

/// Every caller of these engines is up to something.
fn attack(turn: TurnId) -> Attack {
    let word = str::to_owned;
    Attack { turn, channel: word("voice"), kind: word("instruction_override"), severity: word("high") }
}

/// The greeting of a line that records says so.
fn segment(turn: TurnId, input: &TurnInput, tells: bool) -> ReplySegment {
    let text = match input {
        TurnInput::Opened => "Hello, this is a test.".to_owned(),
        TurnInput::Said { text, .. } => format!("You said: {text}."),
        TurnInput::GivenBack => {
            "I'm back, the automated assistant. What else can I help you with?".to_owned()
        }
        other => format!("{other:?}"),
    };
    let kind = if tells && *input == TurnInput::Opened { SegmentKind::Consent } else { SegmentKind::Reply };
    ReplySegment { id: SegmentId { turn, index: 0 }, text, kind, fixed: false }
}
