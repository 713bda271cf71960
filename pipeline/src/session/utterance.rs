//! What we know of the caller's voice: windows of speech score, and the utterance they make up.

use std::time::Duration;

use telephony::media::CallTime;

use super::config::SessionConfig;
use crate::turn::UtteranceId;

/// One window of the voice-activity detector, milliseconds.
const WINDOW: Duration = Duration::from_millis(32);

/// Follows the speech score.
#[derive(Debug, Default)]
pub(super) struct Ear {
    /// Windows of speech in a row.
    run: u32,
    /// End of the last window that held speech.
    last_speech: CallTime,
}

impl Ear {
    pub fn push(&mut self, config: &SessionConfig, now: CallTime, score: f32, believed: bool) {
        if score >= config.speech_on {
            self.run += 1;
            if believed || self.run >= config.onset_windows {
                self.last_speech = now;
            }
        } else if score < config.speech_off || self.run < config.onset_windows {
            // Between the thresholds only speech that is already believed goes on.
            self.run = 0;
        }
    }

    /// Words were recognised, so there was speech until now.
    pub fn believe(&mut self, now: CallTime) {
        self.last_speech = now;
    }

    /// A window of speech, but not enough to believe.
    pub const fn maybe(&self) -> bool {
        self.run > 0
    }

    pub fn speaks(&self, config: &SessionConfig) -> bool {
        self.run >= config.onset_windows
    }

    pub const fn last_speech(&self) -> CallTime {
        self.last_speech
    }

    /// When the current run of speech began.
    pub fn run_began(&self, now: CallTime) -> CallTime {
        now - WINDOW * self.run
    }

    pub fn silence(&self, now: CallTime) -> Duration {
        now.since(self.last_speech)
    }
}

/// A final text and the pause it belongs to.
#[derive(Clone, Debug)]
pub(super) struct FinalText {
    pub text: String,
    pub confidence: f32,
    /// What it may have been instead, likeliest first.
    pub alternatives: Vec<String>,
    pub at: CallTime,
    /// No better text follows.
    pub settled: bool,
}

/// One stretch of caller speech while it is being followed.
#[derive(Debug)]
pub(super) struct Utterance {
    pub id: UtteranceId,
    pub began: CallTime,
    /// Latest pause, from 1; 0 before the first.
    pub pause: u32,
    /// Latest interim text.
    pub interim: Option<String>,
    /// Latest interim text of two words or more: a later decode may have none of them.
    pub made_out: Option<String>,
    /// Final of the latest pause.
    pub done: Option<FinalText>,
    /// End-of-turn probability at the latest pause.
    pub complete: Option<f32>,
    /// What the recogniser said of itself, before it was asked, of the interim text as it stands.
    pub may_end: Option<f32>,
    /// It began while our reply was audible and has not been judged yet.
    pub over_reply: Option<OverReply>,
    /// It may go on with the turn that was decided last, of whose reply nothing was heard in substance.
    pub rejoins: bool,
    /// It cut our reply.
    pub interrupted: bool,
    /// The recogniser's words opened it; the detector had heard nothing.
    pub by_words: bool,
    /// When its end was decided, while the final text is still awaited.
    pub decided: Option<CallTime>,
    pub speculations: u32,
}

/// What was being said when the caller began to speak over it.
#[derive(Clone, Copy, Debug)]
pub(super) struct OverReply {
    pub reply_age: Duration,
    pub notice: bool,
}

impl Utterance {
    pub fn new(id: UtteranceId, began: CallTime) -> Self {
        Self {
            id,
            began,
            pause: 0,
            interim: None,
            made_out: None,
            done: None,
            complete: None,
            may_end: None,
            over_reply: None,
            rejoins: false,
            interrupted: false,
            by_words: false,
            decided: None,
            speculations: 0,
        }
    }

    /// Final text if there is one, else the interim.
    pub fn text(&self) -> Option<&str> {
        self.done.as_ref().map(|d| d.text.as_str()).or(self.interim.as_deref())
    }

    /// A new pause: what was known of the last one is worth nothing.
    pub fn begin_pause(&mut self) {
        self.pause += 1;
        self.done = None;
        self.complete = None;
        self.may_end = None;
        self.decided = None;
    }
}
