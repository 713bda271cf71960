//! Which words belong to which utterance. Pure: positions are milliseconds of audio sent.

use pipeline::ports::{Language, SttEvent};
use pipeline::turn::UtteranceId;

/// How long before the session said so speech had begun, at most: its onset delay and the recogniser's own slack.
const PRE_ROLL_MS: u64 = 600;

/// A declared end is about this pause when it lies at most so long before the question: speech ended about 150 ms
/// before it.
const DECLARED_MS: u64 = 100;

/// Words that were recognised, from one place of the audio on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Piece {
    pub start_ms: u64,
    pub text: String,
    pub confidence: f32,
}

/// The pause that the session asks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pending {
    pub pause: u32,
    /// Audio sent when it was asked.
    pub at_ms: u64,
}

/// The utterance that is open.
#[derive(Debug)]
pub(super) struct Open {
    pub id: UtteranceId,
    pub began_ms: u64,
    /// Words that will not change any more.
    pub settled: Vec<Piece>,
    /// Words that may.
    pub loose: Option<Piece>,
    pub pending: Option<Pending>,
    /// The pause that was answered last, while the caller has not gone on, and what was said then.
    pub answered: Option<(u32, String)>,
    shown: String,
}

/// Everything heard on one connection.
#[derive(Debug, Default)]
pub(super) struct Ear {
    /// Audio sent so far.
    pub sent_ms: u64,
    pub open: Option<Open>,
    /// The recogniser declared an end of speech here by itself.
    pub declared_ms: Option<u64>,
    /// How far the recogniser has got, by the windows of what it said.
    pub heard_ms: u64,
    /// Words before this belong to an utterance that is over.
    over_until_ms: u64,
    /// Words with no utterance to go to yet.
    early: Vec<Piece>,
    told: bool,
    language: Option<Language>,
}

impl Open {
    /// Settled and loose words in their order.
    pub fn text(&self) -> String {
        let pieces = self.settled.iter().chain(&self.loose).filter(|p| !p.text.is_empty());
        pieces.map(|p| p.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    fn confidence(&self) -> f32 {
        let scored = self.settled.iter().chain(&self.loose).filter(|p| !p.text.is_empty());
        scored.map(|p| p.confidence).reduce(f32::min).unwrap_or(0.0)
    }

    /// The interim to show, if it is new.
    pub fn news(&mut self) -> Option<SttEvent> {
        let text = self.text();
        if text.is_empty() || text == self.shown {
            return None;
        }
        self.shown.clone_from(&text);
        Some(SttEvent::Interim { utterance: self.id, text })
    }

    /// Answers the pause that was asked about.
    pub fn answer(&mut self) -> Option<SttEvent> {
        let pending = self.pending.take()?;
        let text = self.text();
        self.answered = Some((pending.pause, text.clone()));
        Some(self.final_of(pending.pause, text))
    }

    /// The answer once more, when more words of the same pause came after it.
    pub fn correct(&mut self) -> Option<SttEvent> {
        let (pause, before) = self.answered.as_ref()?;
        let (pause, text) = (*pause, self.text());
        if text == *before {
            return None;
        }
        self.answered = Some((pause, text.clone()));
        Some(self.final_of(pause, text))
    }

    fn final_of(&self, pause: u32, text: String) -> SttEvent {
        let (confidence, alternatives) = (self.confidence(), Vec::new());
        SttEvent::Final { utterance: self.id, pause, text, confidence, alternatives, settled: true }
    }
}

impl Ear {
    /// The caller speaks: words that waited are theirs.
    pub fn started(&mut self, id: UtteranceId) -> Option<SttEvent> {
        let began_ms = self.sent_ms.saturating_sub(PRE_ROLL_MS).max(self.over_until_ms);
        let settled: Vec<Piece> = self.early.drain(..).filter(|p| p.start_ms + 2_000 >= began_ms).collect();
        let mut open =
            Open { id, began_ms, settled, loose: None, pending: None, answered: None, shown: String::new() };
        self.told = false;
        let news = open.news();
        self.open = Some(open);
        news
    }

    /// The session asks about a pause. The answer, if the recogniser has declared the end of speech already.
    pub fn paused(&mut self, id: UtteranceId, pause: u32) -> Option<SttEvent> {
        let at_ms = self.sent_ms;
        let open = self.open.as_mut().filter(|o| o.id == id)?;
        open.pending = Some(Pending { pause, at_ms });
        let settled = open.loose.as_ref().is_none_or(|l| l.text.is_empty()) && !open.settled.is_empty();
        let declared = self.declared_ms.take().is_some_and(|end| end + DECLARED_MS >= at_ms);
        if declared && settled { open.answer() } else { None }
    }

    pub fn resumed(&mut self, id: UtteranceId) {
        self.declared_ms = None;
        if let Some(open) = self.open.as_mut().filter(|o| o.id == id) {
            open.pending = None;
            open.answered = None;
        }
    }

    pub fn ended(&mut self, id: UtteranceId) {
        if self.open.as_ref().is_some_and(|o| o.id == id) {
            self.open = None;
            self.over_until_ms = self.sent_ms;
            self.early.clear();
        }
    }

    /// Whether words from this place on are news, and not the rest of an utterance that is over.
    pub const fn is_new(&self, start_ms: u64) -> bool {
        start_ms + 40 >= self.over_until_ms
    }

    /// Keeps words for an utterance that the session has not opened yet, and says so once.
    pub fn keep_early(&mut self, piece: Piece, settled: bool) -> Option<SttEvent> {
        if piece.text.is_empty() || !self.is_new(piece.start_ms) {
            return None;
        }
        if settled {
            self.early.push(piece);
            self.early.truncate(16);
        }
        (!std::mem::replace(&mut self.told, true)).then_some(SttEvent::SpeechHeard)
    }

    /// A language that most of the words are in, when it is another than before.
    pub fn language(&mut self, tags: &[&str]) -> Option<SttEvent> {
        let known: Vec<Language> = tags.iter().filter_map(|t| Language::of(t)).collect();
        let spanish = known.iter().filter(|l| **l == Language::Es).count();
        let language = if spanish * 2 > known.len() { Language::Es } else { Language::En };
        if known.len() < 2 || self.language == Some(language) {
            return None;
        }
        // The first language is news only when it is not the one that every line begins with.
        let before = self.language.replace(language);
        (before.is_some() || language != Language::En).then_some(SttEvent::Language(language))
    }
}

pub(super) fn ms(seconds: f64) -> u64 {
    /// No call is longer than this; what claims to be is nonsense.
    const LONGEST_MS: f64 = 1e9;
    if seconds > 0.0 { (seconds * 1_000.0).min(LONGEST_MS) as u64 } else { 0 }
}
