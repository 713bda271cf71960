//! What the sound of a call tells: when replies came, who cut whom off, how long nobody spoke. Positions are frames.
//!
//! Pure.

#![deny(clippy::disallowed_methods)]

use super::caller::{Kind, Spoken};

/// Frames without sound that end a voice.
const SILENT: usize = 10;
/// A reply that is longer away is none: 12 s.
const FAR: usize = 600;
/// An interruption must be heeded within this time, or it was talked over: 3 s.
const GIVEN: usize = 150;

/// Milliseconds of frames.
#[must_use]
pub const fn ms(frames: usize) -> u64 {
    frames as u64 * 20
}

/// Both sides of a call, as sound and silence.
#[derive(Clone, Copy, Debug)]
pub struct Track<'a> {
    pub said: &'a [bool],
    pub heard: &'a [bool],
    pub clears: &'a [usize],
}

/// How one utterance was answered in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// A reply began before the utterance was over.
    pub cut_off: bool,
    /// Last sound of the caller to the first of the reply. `None`: none came, or it was there already.
    pub response_ms: Option<u64>,
}

/// What became of an interruption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Yield {
    /// The reply stopped so long after the caller began.
    After(u64),
    /// It was over by itself just then.
    Ended,
    /// It was talked through.
    Never,
}

impl Track<'_> {
    fn is_voiced(&self, frame: usize) -> bool {
        self.heard.get(frame).copied().unwrap_or(false)
    }

    /// First frame from `from` on after which nothing is heard for a fifth of a second.
    fn silent_from(&self, from: usize) -> Option<usize> {
        (from..self.heard.len()).find(|at| (*at..at + SILENT).all(|frame| !self.is_voiced(frame)))
    }

    /// When an utterance was answered.
    #[must_use]
    pub fn timing(&self, spoken: &Spoken) -> Timing {
        let onset = spoken.onset;
        // An old reply may still sound; a new one begins after silence.
        let calm = if self.is_voiced(onset) { self.silent_from(onset).unwrap_or(usize::MAX) } else { onset };
        let cut_at = (calm..spoken.last).find(|frame| self.is_voiced(*frame));
        let begins = match cut_at {
            // What stopped again for the caller is no answer; what goes on is one that came too early.
            Some(at) => match self.silent_from(at).filter(|silent| *silent < spoken.last + 15) {
                Some(silent) => silent,
                None => return Timing { cut_off: true, response_ms: None },
            },
            None => calm.max(spoken.last + 1),
        };
        let end = begins.saturating_add(FAR).min(self.heard.len());
        let answer = (begins..end).find(|frame| self.is_voiced(*frame));
        let response_ms = answer.filter(|at| *at > spoken.last).map(|at| ms(at - spoken.last));
        Timing { cut_off: cut_at.is_some(), response_ms }
    }

    /// Whether a reply stopped for the caller.
    #[must_use]
    pub fn yielded(&self, spoken: &Spoken) -> Yield {
        let onset = spoken.onset;
        match self.silent_from(onset).filter(|at| *at <= onset + GIVEN) {
            Some(silent) if self.was_cleared(onset, silent + SILENT) => Yield::After(ms(silent - onset)),
            Some(_) => Yield::Ended,
            None => Yield::Never,
        }
    }

    /// A back-channel stopped what was being said.
    #[must_use]
    pub fn stopped(&self, spoken: &Spoken) -> bool {
        self.was_cleared(spoken.onset, spoken.last + 75)
    }

    fn was_cleared(&self, from: usize, to: usize) -> bool {
        self.clears.iter().any(|at| (from..=to).contains(at))
    }

    /// The longest silence that the agent owed the caller a word in: where, and how long. Silences that the caller ended
    /// are the caller's own.
    #[must_use]
    pub fn longest_silence(&self, spoken: &[Spoken]) -> Option<(usize, u64)> {
        let chosen = |at: usize| {
            let silences = spoken.iter().filter(|spoken| spoken.kind == Kind::Silence);
            silences.clone().any(|silence| (silence.from..=silence.last).contains(&at))
        };
        let (mut longest, mut began) = (None, 0);
        for at in 0..self.heard.len() {
            let speaks = self.said.get(at).copied().unwrap_or(false);
            let sounds = self.is_voiced(at);
            if !speaks && !sounds {
                continue;
            }
            let length = at - began;
            if sounds && !chosen(at) && longest.is_none_or(|(_, known)| length > known) {
                longest = Some((began, length));
            }
            began = at + 1;
        }
        longest.map(|(from, frames)| (from, ms(frames)))
    }

    /// Stretches of sound, short silences within them left out of account.
    #[must_use]
    pub fn stretches(voiced: &[bool]) -> Vec<(usize, usize)> {
        let mut all: Vec<(usize, usize)> = Vec::new();
        for (at, _) in voiced.iter().enumerate().filter(|(_, voiced)| **voiced) {
            match all.last_mut() {
                Some((_, end)) if at - *end <= SILENT => *end = at,
                _ => all.push((at, at)),
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `v` is 100 ms of voice, `-` of silence.
    fn voiced(pattern: &str) -> Vec<bool> {
        pattern.chars().flat_map(|mark| [mark == 'v'; 5]).collect()
    }

    fn said(kind: Kind, from: usize, to: usize) -> Spoken {
        Spoken { step: 0, text: String::new(), kind, from: from * 5, onset: from * 5, last: to * 5 - 1 }
    }

    fn track<'a>(heard: &'a [bool], clears: &'a [usize]) -> Track<'a> {
        Track { said: &[], heard, clears }
    }

    #[test]
    fn the_response_is_counted_from_the_last_sound() {
        let heard = voiced("----------------vvvv");
        let timing = track(&heard, &[]).timing(&said(Kind::Said, 2, 10));
        assert_eq!(timing, Timing { cut_off: false, response_ms: Some(620) });
        let old = voiced("vvvv--------vv");
        assert_eq!(track(&old, &[]).timing(&said(Kind::Said, 2, 10)).response_ms, Some(220));
        let never = voiced("vvvv--------------");
        assert_eq!(track(&never, &[]).timing(&said(Kind::Said, 6, 10)).response_ms, None);
    }

    #[test]
    fn a_reply_within_the_utterance_cuts_it_off() {
        let gives_way = voiced("------vv--------vvvv");
        let timing = track(&gives_way, &[]).timing(&said(Kind::Said, 2, 12));
        assert_eq!(timing, Timing { cut_off: true, response_ms: Some(420) });
        let stays = voiced("------vvvvvvvvvvvvvvvv");
        let timing = track(&stays, &[]).timing(&said(Kind::Said, 2, 12));
        assert_eq!(timing, Timing { cut_off: true, response_ms: None });
    }

    #[test]
    fn a_voice_that_is_stopped_yields_and_one_that_ends_does_not() {
        let heard = voiced("vvvvvvv--------");
        let spoken = said(Kind::Interruption, 3, 8);
        assert_eq!(track(&heard, &[]).yielded(&spoken), Yield::Ended);
        assert_eq!(track(&heard, &[34]).yielded(&spoken), Yield::After(400));
        assert_eq!(track(&voiced(&"v".repeat(60)), &[]).yielded(&spoken), Yield::Never);
        assert!(track(&heard, &[34]).stopped(&said(Kind::BackChannel, 3, 5)));
    }

    #[test]
    fn the_longest_silence_is_one_that_the_agent_ended() {
        // The caller ends one of 800 ms, the agent one of 500.
        let heard = voiced("vv-----------vv");
        let spoken = voiced("----------v----");
        let heard_by = Track { said: &voiced("--v-----------v"), heard: &heard, clears: &[] };
        assert_eq!(heard_by.longest_silence(&[]), Some((15, 1_000)));
        let both = Track { said: &spoken, heard: &heard, clears: &[] };
        assert_eq!(both.longest_silence(&[]), Some((55, 200)));
        let meant = [Spoken { last: 80, ..said(Kind::Silence, 2, 3) }];
        assert_eq!(both.longest_silence(&meant), Some((0, 0)));
        assert_eq!(Track::stretches(&heard), [(0, 9), (65, 74)]);
    }
}
