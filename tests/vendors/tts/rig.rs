//! Voices against simulated vendors, and an ear that notes what comes of them.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use pipeline::ports::{
    Language, ProviderNote, ProviderState, Saying, TextToSpeech, TtsCommand, TtsEvent, TtsStream, Usage,
};
use pipeline::provider::{Deadlines, Endpoint, Failure, Member, Ranked};
use pipeline::turn::{ReplySegment, SegmentId, SegmentKind, TurnId, WordTime};
use speech::tts::deepgram::{self, Aura};
use speech::tts::elevenlabs::{self, ElevenLabs};
use speech::tts::failover::FailoverTts;
use tests::vendors::aura::AuraServer;
use tests::vendors::elevenlabs::ElevenLabsServer;
use tests::vendors::tone::VoiceOptions;
use tokio::time::{Instant, timeout};

/// Every simulated character lasts this long.
pub const LETTER_MS: usize = 60;
/// Nothing in these tests takes longer.
const PATIENCE: Duration = Duration::from_secs(20);

pub fn elevenlabs(server: &ElevenLabsServer) -> ElevenLabs {
    ElevenLabs::new(&elevenlabs::Settings {
        endpoint: Endpoint::parse(&server.base()).unwrap(),
        key: "test-key".into(),
        model: "eleven_flash_v2_5".to_owned(),
        voice: "voice-en".to_owned(),
        voice_es: Some("voice-es".to_owned()),
        deadlines: Deadlines::TTS,
    })
}

pub fn aura(server: &AuraServer) -> Aura {
    Aura::new(&deepgram::Settings {
        endpoint: Endpoint::parse(&server.base()).unwrap(),
        key: "test-key".into(),
        model: "aura-2-thalia-en".to_owned(),
        model_es: None,
        deadlines: Deadlines::TTS,
    })
}

/// Both vendors, the first preferred.
pub struct Vendors {
    pub eleven: ElevenLabsServer,
    pub aura: AuraServer,
}

impl Vendors {
    pub async fn start() -> Self {
        Self::with(VoiceOptions::default(), VoiceOptions::default()).await
    }

    pub async fn with(eleven: VoiceOptions, aura: VoiceOptions) -> Self {
        Self { eleven: ElevenLabsServer::start(eleven).await, aura: AuraServer::start(aura).await }
    }

    pub fn chain(&self) -> FailoverTts {
        FailoverTts::new(Ranked::new(vec![
            Member::remote("elevenlabs", Arc::new(elevenlabs(&self.eleven)) as Arc<dyn TextToSpeech>),
            Member::remote("deepgram", Arc::new(aura(&self.aura))),
        ]))
    }

    #[track_caller]
    pub fn assert_used_well(&self) {
        assert_eq!((self.eleven.violations(), self.aura.violations()), (vec![], vec![]));
    }
}

/// What came of one segment.
#[derive(Debug, Default)]
pub struct Segment {
    pub bytes: usize,
    /// Bytes that came before each change of voice.
    pub before_switch: Vec<usize>,
    /// From the call's last command to its first audio.
    pub began: Option<Duration>,
    pub words: Option<Vec<WordTime>>,
    pub failed: Option<Failure>,
}

impl Segment {
    pub fn is_over(&self) -> bool {
        self.words.is_some() || self.failed.is_some()
    }
}

/// A call's stream and all that it gave.
pub struct Call {
    stream: TtsStream,
    asked: Instant,
    pub segments: BTreeMap<SegmentId, Segment>,
    /// Segments in the order in which their audio or their end came.
    pub order: Vec<SegmentId>,
    pub notes: Vec<ProviderNote>,
    pub used: Vec<Usage>,
}

pub fn id(turn: u32, index: u16) -> SegmentId {
    SegmentId { turn: TurnId(turn), index }
}

impl Call {
    pub fn of(voice: &dyn TextToSpeech) -> Self {
        Self::saying(voice, &Saying::default())
    }

    pub fn saying(voice: &dyn TextToSpeech, saying: &Saying) -> Self {
        Self {
            stream: voice.open(saying).unwrap(),
            asked: Instant::now(),
            segments: BTreeMap::new(),
            order: Vec::new(),
            notes: Vec::new(),
            used: Vec::new(),
        }
    }

    pub async fn say(&mut self, turn: u32, index: u16, text: &str) {
        self.say_as(turn, index, text, false).await;
    }

    pub async fn say_as(&mut self, turn: u32, index: u16, text: &str, fixed: bool) {
        let segment =
            ReplySegment { id: id(turn, index), text: text.to_owned(), kind: SegmentKind::Reply, fixed };
        self.command(TtsCommand::Speak(segment)).await;
    }

    pub async fn cancel(&mut self, turn: u32) {
        self.command(TtsCommand::Cancel { turn: TurnId(turn) }).await;
    }

    pub async fn change_to(&mut self, language: Language) {
        self.command(TtsCommand::Language(language)).await;
    }

    async fn command(&mut self, command: TtsCommand) {
        self.asked = Instant::now();
        self.stream.commands.send(command).await.unwrap();
    }

    /// Takes one event. False when none came within `most`.
    pub async fn listen(&mut self, most: Duration) -> bool {
        let Ok(event) = timeout(most, self.stream.events.recv()).await else { return false };
        match event.expect("the stream goes on") {
            TtsEvent::Audio { segment, mulaw } => {
                self.at(segment);
                let since = self.asked.elapsed();
                let heard = self.segments.entry(segment).or_default();
                heard.began.get_or_insert(since);
                heard.bytes += mulaw.len();
            }
            TtsEvent::Done { segment, words } => {
                self.at(segment);
                self.segments.entry(segment).or_default().words = Some(words);
            }
            TtsEvent::Failed { segment, failure } => {
                self.at(segment);
                self.segments.entry(segment).or_default().failed = Some(failure);
            }
            TtsEvent::Provider(note) => {
                if note.state == ProviderState::TookOver
                    && let Some(last) = self.order.last().copied()
                {
                    let heard = self.segments.entry(last).or_default();
                    heard.before_switch.push(heard.bytes);
                }
                self.notes.push(note);
            }
            TtsEvent::Used(usage) => self.used.push(usage),
        }
        true
    }

    fn at(&mut self, segment: SegmentId) {
        assert!(!self.segments.get(&segment).is_some_and(Segment::is_over), "nothing comes after the end");
        if self.order.last() != Some(&segment) {
            assert!(!self.order.contains(&segment), "segments are not mixed");
            self.order.push(segment);
        }
    }

    /// Listens until a segment is over.
    pub async fn hear(&mut self, turn: u32, index: u16) -> &Segment {
        let (segment, end) = (id(turn, index), Instant::now() + PATIENCE);
        while !self.segments.get(&segment).is_some_and(Segment::is_over) {
            assert!(self.listen(end - Instant::now()).await, "segment {turn}-{index} does not end: {self:?}");
        }
        &self.segments[&segment]
    }

    /// Says one text and hears it.
    pub async fn turn(&mut self, turn: u32, text: &str) -> &Segment {
        self.say(turn, 0, text).await;
        self.hear(turn, 0).await
    }

    /// Listens to whatever comes for so long.
    pub async fn wait(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while Instant::now() < end && self.listen(end.saturating_duration_since(Instant::now())).await {}
    }

    /// Notes as `provider state`.
    pub fn told(&self) -> Vec<String> {
        self.notes.iter().map(|note| format!("{} {}", note.provider, note.state.name())).collect()
    }

    pub fn close(self) {}
}

impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call").field("segments", &self.segments).field("notes", &self.notes).finish()
    }
}

/// Bytes that a simulated voice makes of a text that is spoken as it is written.
pub fn bytes_of(text: &str) -> usize {
    text.chars().count() * LETTER_MS * 8
}
