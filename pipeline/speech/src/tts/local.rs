//! The built-in synthesiser as a [`TextToSpeech`] port.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use tokio::sync::mpsc;

use super::hibari::{Margins, WordSpan};
use super::mastering::Mastering;
use super::pronounce::Pronouncer;
use crate::pool::{Epoch, JobKind, Pool, Running};
use crate::spoken::speakable::speakable_in;
use crate::{Models, next_call};
use pipeline::lexicon::Lexicon;
use pipeline::lexicon::Spoken;
use pipeline::ports::{Language, PortError, Saying, TextToSpeech, TtsCommand, TtsEvent, TtsStream};
use pipeline::provider::{Failure, Kind};
use pipeline::turn::{ReplySegment, SegmentId, TurnId, WordTime};

/// Silence before a reply's first segment: the caller waits for it.
const FIRST_LEAD_MS: f32 = 25.0;
/// Silence before later segments, so that sentences do not run into each other.
const LATER_LEAD_MS: f32 = 120.0;
const TAIL_MS: f32 = 130.0;
/// Pieces of one segment that may wait for its call: 50 s of audio, more than a segment has.
const PIECES: usize = 256;
/// Events kept back for a slow call before the next segment is begun.
const BACKLOG: usize = 32;

/// The built-in voice. Streams share the pool's models.
#[derive(Clone)]
pub struct LocalVoice {
    pool: Pool<Models>,
    pronouncer: Arc<Pronouncer>,
    lexicon: Arc<Lexicon>,
    background: bool,
}

impl fmt::Debug for LocalVoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalVoice").field("background", &self.background).finish_non_exhaustive()
    }
}

impl LocalVoice {
    pub(crate) fn new(pool: Pool<Models>, pronouncer: Arc<Pronouncer>) -> Self {
        Self { pool, pronouncer, lexicon: Arc::default(), background: false }
    }

    /// The same voice with a tenant's pronunciations.
    #[must_use]
    pub fn with_lexicon(&self, lexicon: Arc<Lexicon>) -> Self {
        Self { lexicon, ..self.clone() }
    }

    /// The same voice for work that has time: rendering phrases ahead. Calls go first.
    #[must_use]
    pub fn in_background(&self) -> Self {
        Self { background: true, ..self.clone() }
    }

    fn kind(&self, segment: &ReplySegment) -> JobKind {
        match (self.background, segment.id.index) {
            (true, _) => JobKind::Background,
            (false, 0) => JobKind::FirstClause,
            (false, _) => JobKind::Synthesis,
        }
    }
}

impl TextToSpeech for LocalVoice {
    fn name(&self) -> &'static str {
        "built-in voice"
    }

    fn open(&self, saying: &Saying) -> Result<TtsStream, PortError> {
        let runtime = tokio::runtime::Handle::try_current().map_err(|_| PortError::Unavailable {
            what: "the built-in voice was opened outside an async runtime".to_owned(),
            fix: "open it from the call's task".to_owned(),
        })?;
        let (commands, inbox) = mpsc::channel(64);
        let (outbox, events) = mpsc::channel(64);
        let own = self.with_lexicon(Arc::clone(&saying.lexicon));
        let voice = if saying.lexicon.version().is_empty() { self.clone() } else { own };
        runtime.spawn(Stream::new(voice, saying.language, outbox).run(inbox));
        Ok(TtsStream { commands, events })
    }
}

/// What a worker hands back.
enum Piece {
    Audio(Vec<u8>),
    Done(Vec<WordTime>),
    Failed(String),
}

/// The segment at work.
struct Current {
    id: SegmentId,
    pieces: mpsc::Receiver<Piece>,
}

/// One call's synthesis.
struct Stream {
    voice: LocalVoice,
    /// Of the segments to come.
    language: Language,
    call: u64,
    epoch: Epoch,
    waiting: VecDeque<(Language, ReplySegment)>,
    current: Option<Current>,
    ready: VecDeque<TtsEvent>,
    events: mpsc::Sender<TtsEvent>,
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.epoch.advance();
    }
}

impl Stream {
    fn new(voice: LocalVoice, language: Language, events: mpsc::Sender<TtsEvent>) -> Self {
        Self {
            voice,
            language,
            call: next_call(),
            epoch: Epoch::default(),
            waiting: VecDeque::new(),
            current: None,
            ready: VecDeque::new(),
            events,
        }
    }

    async fn run(mut self, mut inbox: mpsc::Receiver<TtsCommand>) {
        // The senders' side may close with segments still to be said; the work ends at once then.
        loop {
            let events = self.events.clone();
            tokio::select! {
                biased;
                command = inbox.recv() => match command {
                    Some(TtsCommand::Speak(segment)) => self.waiting.push_back((self.language, segment)),
                    Some(TtsCommand::Cancel { turn }) => self.cancel(turn),
                    Some(TtsCommand::Language(language)) => self.language = language,
                    None => return,
                },
                permit = events.reserve(), if !self.ready.is_empty() => match (permit, self.ready.pop_front()) {
                    (Ok(permit), Some(event)) => permit.send(event),
                    _ => return,
                },
                piece = next_piece(&mut self.current) => self.take(piece),
            }
            self.begin();
        }
    }

    fn cancel(&mut self, turn: TurnId) {
        self.waiting.retain(|(_, s)| s.id.turn != turn);
        self.ready.retain(|e| segment_of(e).turn != turn);
        if self.current.as_ref().is_some_and(|c| c.id.turn == turn) {
            self.epoch.advance();
            self.current = None;
        }
    }

    /// Gives the next segment to the pool once nothing is at work and the call keeps up.
    fn begin(&mut self) {
        if self.current.is_some() || self.ready.len() >= BACKLOG {
            return;
        }
        let Some((language, segment)) = self.waiting.pop_front() else { return };
        let (to, pieces) = mpsc::channel(PIECES);
        let (id, kind) = (segment.id, self.voice.kind(&segment));
        let job = Job {
            pronouncer: Arc::clone(&self.voice.pronouncer),
            lexicon: Arc::clone(&self.voice.lexicon),
            language,
            segment,
            to,
        };
        let queued = self
            .voice
            .pool
            .submit(kind, self.call, self.epoch.ticket(), move |models, running| job.run(models, running));
        match queued {
            Ok(()) => self.current = Some(Current { id, pieces }),
            Err(e) => self.ready.push_back(failed(id, e.to_string())),
        }
    }

    fn take(&mut self, piece: Option<Piece>) {
        let Some(segment) = self.current.as_ref().map(|c| c.id) else { return };
        let event = match piece {
            Some(Piece::Audio(mulaw)) => {
                self.ready.push_back(TtsEvent::Audio { segment, mulaw });
                return;
            }
            Some(Piece::Done(words)) => TtsEvent::Done { segment, words },
            Some(Piece::Failed(reason)) => failed(segment, reason),
            None => failed(segment, "the speech pool dropped the segment".to_owned()),
        };
        self.ready.push_back(event);
        self.current = None;
    }
}

async fn next_piece(current: &mut Option<Current>) -> Option<Piece> {
    match current {
        Some(current) => current.pieces.recv().await,
        None => std::future::pending().await,
    }
}

fn failed(segment: SegmentId, reason: String) -> TtsEvent {
    TtsEvent::Failed { segment, failure: Failure::new(Kind::Server, reason) }
}

fn segment_of(event: &TtsEvent) -> SegmentId {
    match event {
        TtsEvent::Audio { segment, .. }
        | TtsEvent::Done { segment, .. }
        | TtsEvent::Failed { segment, .. } => *segment,
        // A local voice reports neither.
        TtsEvent::Provider(_) | TtsEvent::Used(_) => SegmentId { turn: TurnId(0), index: 0 },
    }
}

/// One segment's work, done on a worker.
struct Job {
    pronouncer: Arc<Pronouncer>,
    lexicon: Arc<Lexicon>,
    language: Language,
    segment: ReplySegment,
    to: mpsc::Sender<Piece>,
}

impl Job {
    fn run(self, models: &mut Models, running: &Running<'_>) {
        let spoken = self.lexicon.apply(speakable_in(self.language, &self.segment.text));
        let mut audio = Mastering::default();
        let mut words = Vec::new();
        let mut offset_ms = 0.0;
        for (i, phrase) in self.pronouncer.phrases_in(self.language, &spoken).iter().enumerate() {
            if running.ticket_is_stale() {
                return;
            }
            let margins = self.margins(i);
            let mut sink = |samples: &[f32]| match audio.push(samples) {
                Some(piece) => !running.ticket_is_stale() && self.give(Piece::Audio(piece)),
                None => true,
            };
            match models.voice.speak(&self.pronouncer, phrase, margins, &mut sink) {
                Ok((spans, length_ms)) => {
                    words.extend(word_times(&spoken, &spans, offset_ms));
                    offset_ms += length_ms;
                }
                Err(e) => {
                    tracing::error!(error = %e, "the voice model failed on a segment");
                    self.give(Piece::Failed("the voice model failed".to_owned()));
                    return;
                }
            }
        }
        if let Some(piece) = audio.finish() {
            self.give(Piece::Audio(piece));
        }
        self.give(Piece::Done(words));
    }

    fn margins(&self, phrase: usize) -> Margins {
        // A fixed phrase must sound the same wherever it stands, since it is kept.
        let first = phrase == 0 && (self.segment.id.index == 0 || self.segment.fixed);
        Margins { lead_ms: if first { FIRST_LEAD_MS } else { LATER_LEAD_MS }, tail_ms: TAIL_MS }
    }

    /// Never waits: the channel holds more than a segment, so a full one means a call that is gone.
    fn give(&self, piece: Piece) -> bool {
        let given = self.to.try_send(piece).is_ok();
        if !given {
            metrics::counter!("speech_results_dropped_total", "kind" => "synthesis").increment(1);
        }
        given
    }
}

/// Places of the words as they were written, in their order.
fn word_times(spoken: &[Spoken], spans: &[WordSpan], offset_ms: f32) -> Vec<WordTime> {
    spans
        .iter()
        .filter_map(|span| {
            let word = spoken.get(span.word)?;
            (!word.written.is_empty()).then(|| WordTime {
                text: word.written.clone(),
                start_ms: (span.start_ms + offset_ms) as u32,
                end_ms: (span.end_ms + offset_ms) as u32,
            })
        })
        .collect()
}
