//! What went over one call's line, in frames of 20 ms, and the figures that follow from it.

use caller::playback::is_audible;
use chrono::{DateTime, Utc};
use telephony::media::AudioFrame;

/// Sound and silence of a whole call. Positions are frames since the stream opened.
#[derive(Debug)]
pub struct Record {
    pub began: DateTime<Utc>,
    pub said: Vec<AudioFrame>,
    pub heard: Vec<AudioFrame>,
    /// The gateway took back what waited to be played.
    pub clears: Vec<usize>,
    pub spoken: Vec<Spoken>,
    pub overlays: Vec<Overlay>,
    pub replies: Vec<Reply>,
    /// Frames that were sent more than two frames late.
    pub late: usize,
    pub ended: Ended,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The caller had said goodbye.
    Caller,
    /// The caller lost patience.
    GaveUp,
    /// The scenario hangs up.
    Abrupt,
    /// The gateway closed.
    Gateway,
    /// The call would not end.
    Hung,
}

/// An utterance of the caller.
#[derive(Clone, Debug)]
pub struct Spoken {
    pub kind: String,
    pub text: String,
    /// Said before and not understood.
    pub again: bool,
    pub interrupts: bool,
    pub from: usize,
    /// Last frame with speech, or key.
    pub last: usize,
    /// Frames with speech.
    pub voiced: Vec<usize>,
    pub pauses_ms: Vec<u64>,
}

impl Spoken {
    #[must_use]
    pub fn new(kind: &str, text: String, again: bool, from: usize) -> Self {
        let voiced = Vec::new();
        Self {
            kind: kind.to_owned(),
            text,
            again,
            interrupts: false,
            from,
            last: from,
            voiced,
            pauses_ms: Vec::new(),
        }
    }

    /// First frame with speech.
    #[must_use]
    pub fn onset(&self) -> usize {
        self.voiced.first().copied().unwrap_or(self.from)
    }

    /// Has a thinking pause of 0.6 to 1.2 s.
    #[must_use]
    pub fn has_thinking_pause(&self) -> bool {
        self.pauses_ms.iter().any(|ms| (600..=1_200).contains(ms))
    }
}

/// Something said into a reply that is to go on.
#[derive(Clone, Debug)]
pub struct Overlay {
    pub what: &'static str,
    pub from: usize,
    pub until: usize,
}

/// What was heard of the agent between two utterances.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Since the opening; 0 is the greeting.
    pub number: usize,
    /// First and last frame with sound.
    pub onset: usize,
    pub last: usize,
    pub text: String,
}

impl Reply {
    #[must_use]
    pub const fn new(number: usize, onset: usize) -> Self {
        Self { number, onset, last: onset, text: String::new() }
    }
}

/// How one utterance was answered in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// A reply's voice began before the utterance was over: where.
    pub cut_at: Option<usize>,
    /// The voice of that stopped again before the caller was to the end, or soon after.
    pub gave_way: bool,
    /// Last speech to the first sound of the reply, ms. `None`: none came.
    pub response_ms: Option<u64>,
}

/// Frames without sound that end a voice.
const SILENT: usize = 10;
/// A reply that is longer away is none: 12 s.
const FAR: usize = 600;

impl Record {
    #[must_use]
    pub fn new(began: DateTime<Utc>) -> Self {
        Self {
            began,
            said: Vec::new(),
            heard: Vec::new(),
            clears: Vec::new(),
            spoken: Vec::new(),
            overlays: Vec::new(),
            replies: Vec::new(),
            late: 0,
            ended: Ended::Hung,
        }
    }

    fn is_voiced(&self, frame: usize) -> bool {
        self.heard.get(frame).is_some_and(is_audible)
    }

    /// First frame from `from` on after which nothing is heard for a fifth of a second.
    #[must_use]
    pub fn silent_from(&self, from: usize) -> Option<usize> {
        let quiet = |at: &usize| (*at..at + SILENT).all(|frame| !self.is_voiced(frame));
        (from..self.heard.len()).find(quiet)
    }

    /// When and whether an utterance was answered.
    #[must_use]
    pub fn timing(&self, spoken: &Spoken) -> Timing {
        let onset = spoken.onset();
        // An old reply may still sound; a new one begins after silence.
        let calm = if self.is_voiced(onset) { self.silent_from(onset).unwrap_or(usize::MAX) } else { onset };
        let cut_at = (calm..spoken.last).find(|frame| self.is_voiced(*frame));
        let gave_way = cut_at.is_some_and(|at| {
            let silent = self.silent_from(at).unwrap_or(usize::MAX);
            silent < spoken.last + 15
        });
        let from = match cut_at {
            Some(at) if !gave_way => at,
            _ => spoken.last,
        };
        let begins =
            if cut_at.is_some() && gave_way { self.silent_from(from).unwrap_or(from) } else { from + 1 };
        let answer = (begins..(begins + FAR).min(self.heard.len())).find(|frame| self.is_voiced(*frame));
        let response_ms = answer.filter(|at| *at > spoken.last).map(|at| ((at - spoken.last) * 20) as u64);
        Timing { cut_at, gave_way, response_ms }
    }

    /// Onset of an interruption to silence at the caller, ms. `None`: the voice went on for three seconds. The inner
    /// `None`: it ended by itself, nothing was taken back.
    #[must_use]
    pub fn yielded_ms(&self, spoken: &Spoken) -> Option<Option<u64>> {
        const GIVEN: usize = 150;
        let onset = spoken.onset();
        let silent = self.silent_from(onset).filter(|at| *at <= onset + GIVEN)?;
        let cleared = self.clears.iter().any(|at| (onset..=silent + SILENT).contains(at));
        Some(cleared.then(|| ((silent - onset) * 20) as u64))
    }

    /// Whether something was taken back from here to here.
    #[must_use]
    pub fn was_cleared(&self, from: usize, to: usize) -> bool {
        self.clears.iter().any(|at| (from..=to).contains(at))
    }

    /// The greeting and every reply into which nobody spoke: how many there are, and how many were stopped all the same.
    #[must_use]
    pub fn undisturbed(&self) -> (usize, usize) {
        let speaks = |from: usize, to: usize| {
            let near = |start: usize, end: usize| start <= to && end + 75 >= from;
            self.spoken.iter().any(|s| near(s.onset(), s.last))
                || self.overlays.iter().any(|o| near(o.from, o.until))
        };
        let alone: Vec<&Reply> =
            self.replies.iter().filter(|reply| !speaks(reply.onset + 25, reply.last)).collect();
        let stopped = alone.iter().filter(|reply| self.was_cleared(reply.onset, reply.last + 10)).count();
        (alone.len(), stopped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOUD: AudioFrame = AudioFrame([0x10; 160]);

    /// `v` is 100 ms of voice, `-` of silence.
    fn heard(pattern: &str) -> Record {
        let mut record = Record::new(DateTime::UNIX_EPOCH);
        for mark in pattern.chars() {
            record.heard.extend([if mark == 'v' { LOUD } else { AudioFrame::SILENCE }; 5]);
        }
        record
    }

    /// Speech from one hundred milliseconds to the other.
    fn said(from: usize, to: usize) -> Spoken {
        let mut spoken = Spoken::new("opening", "x".into(), false, from * 5);
        spoken.voiced = (from * 5..to * 5).collect();
        spoken.last = to * 5 - 1;
        spoken
    }

    #[test]
    fn the_response_is_counted_from_the_last_speech() {
        let timing = heard("----------------vvvv").timing(&said(2, 10));
        assert_eq!(timing, Timing { cut_at: None, gave_way: false, response_ms: Some(620) });
    }

    #[test]
    fn a_reply_within_the_utterance_cuts_it_off() {
        let cut = heard("------vv--------vvvv").timing(&said(2, 12));
        assert_eq!(cut.cut_at, Some(30));
        assert!(cut.gave_way);
        assert_eq!(cut.response_ms, Some(420));
        let stays = heard("------vvvvvvvvvvvvvvvv").timing(&said(2, 12));
        assert!(!stays.gave_way);
        assert_eq!(stays.response_ms, None);
    }

    #[test]
    fn an_old_reply_that_still_sounds_cuts_nothing_off() {
        let timing = heard("vvvv--------vv").timing(&said(2, 10));
        assert_eq!(timing.cut_at, None);
        assert_eq!(timing.response_ms, Some(220));
    }

    #[test]
    fn a_voice_that_is_stopped_yields_and_one_that_ends_does_not() {
        let mut record = heard("vvvvvvv--------");
        assert_eq!(record.yielded_ms(&said(3, 8)), Some(None));
        record.clears.push(34);
        assert_eq!(record.yielded_ms(&said(3, 8)), Some(Some(400)));
        assert_eq!(heard(&"v".repeat(60)).yielded_ms(&said(3, 8)), None);
    }
}
