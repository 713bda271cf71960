//! Two sides of a call on one clock of 20 ms slots, cut into segments of a second.
//!
//! The caller's frames follow one another; only where they stay late for half a second was there a gap. The agent's are sent ahead of being played: one plays in the slot after the
//! one before it, or at once where nothing waits; what a *clear* overtook was never heard and is taken out again.

use std::collections::BTreeMap;

use telephony::media::{AudioFrame, CallTime, FRAME_BYTES, FRAME_MS};

use crate::tap::Side;

/// Slots of a segment: one second.
pub const SEGMENT: u64 = 50;
/// Slots by which a frame may come late and still follow the one before it.
const JITTER: u64 = 10;
/// Slots for which frames come later than that, until it is a gap and not a burst that makes up for a stall.
const PATIENCE: u64 = 25;
/// Slots that may wait to be played; no carrier's cushion is so long.
const MOST_AHEAD: u64 = 100;
const VERSION: u8 = 1;
const HEADER: usize = 1 + 8 + 4;

/// What a call hands over, from the moment on at which it may be recorded. Times are the call's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// 20 ms; silence where it may hold a secret. The agent's are told when they are sent, ahead of being heard.
    Frame { side: Side, at: CallTime, frame: AudioFrame },
    /// What was sent to the caller and not played yet was dropped.
    Cleared { at: CallTime },
}

/// Some slots of both sides, without a gap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Its first slot: 20 ms each since the call's first stream was accepted.
    pub from: u64,
    /// Mu-law of equal length.
    pub caller: Vec<u8>,
    pub agent: Vec<u8>,
}

impl Segment {
    /// How many frames of both sides it holds.
    #[must_use]
    pub const fn frames(&self) -> u64 {
        ((self.caller.len() + self.agent.len()) / FRAME_BYTES) as u64
    }

    /// As it is kept.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let slots = u32::try_from(self.caller.len() / FRAME_BYTES).unwrap_or(u32::MAX);
        let mut bytes = Vec::with_capacity(HEADER + self.caller.len() + self.agent.len());
        bytes.push(VERSION);
        bytes.extend_from_slice(&self.from.to_be_bytes());
        bytes.extend_from_slice(&slots.to_be_bytes());
        bytes.extend_from_slice(&self.caller);
        bytes.extend_from_slice(&self.agent);
        bytes
    }

    /// `None`: these are no segment's bytes.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (header, sound) = bytes.split_at_checked(HEADER)?;
        let from = u64::from_be_bytes(header[1..9].try_into().ok()?);
        let slots = usize::try_from(u32::from_be_bytes(header[9..].try_into().ok()?)).ok()?;
        let (caller, agent) = sound.split_at_checked(slots.checked_mul(FRAME_BYTES)?)?;
        (header[0] == VERSION && caller.len() == agent.len()).then(|| Self {
            from,
            caller: caller.to_vec(),
            agent: agent.to_vec(),
        })
    }
}

/// Puts frames into their slots.
#[derive(Debug, Default)]
pub struct TwoSides {
    /// Slots before were given out. `None`: nothing came yet.
    done: Option<u64>,
    caller: Track,
    agent: Track,
}

#[derive(Debug, Default)]
struct Track {
    frames: BTreeMap<u64, AudioFrame>,
    /// Where the next frame goes if it follows the last.
    next: u64,
    /// Since when frames come late.
    late: Option<u64>,
}

const fn slot(at: CallTime) -> u64 {
    at.as_ms() / FRAME_MS
}

impl TwoSides {
    /// Takes what a call hands over.
    pub fn take(&mut self, taken: Taken) {
        match taken {
            Taken::Frame { side, at, frame } => {
                let now = slot(at);
                let done = *self.done.get_or_insert(now);
                match side {
                    Side::Caller => self.caller.heard(now, done, frame),
                    Side::Agent | Side::Person => self.agent.sent(now, done, frame),
                }
            }
            Taken::Cleared { at } => {
                let next = slot(at) + 1;
                self.agent.frames.retain(|slot, _| *slot < next);
                self.agent.next = self.agent.next.min(next);
            }
        }
    }

    /// A whole second that nothing can be added to any more, if there is one.
    pub fn ready(&mut self, now: CallTime) -> Option<Segment> {
        let from = self.done?;
        (slot(now) >= from + SEGMENT + JITTER).then(|| self.cut(from, from + SEGMENT))
    }

    /// The rest, when nothing more comes: what was sent by then and not played yet was not heard.
    pub fn rest(&mut self, now: CallTime) -> Option<Segment> {
        let from = self.done?;
        let heard = self.caller.frames.keys().next_back().map_or(from, |last| last + 1);
        let to = heard.max(slot(now).min(self.agent.next)).max(from);
        (to > from).then(|| self.cut(from, to))
    }

    fn cut(&mut self, from: u64, to: u64) -> Segment {
        self.done = Some(to);
        Segment { from, caller: self.caller.cut(from, to), agent: self.agent.cut(from, to) }
    }
}

impl Track {
    /// A frame that came: after the one before it, also in a burst after a stall of the network.
    fn heard(&mut self, now: u64, done: u64, frame: AudioFrame) {
        let is_first = self.next == 0;
        let late = (now > self.next + JITTER).then(|| self.late.unwrap_or(now));
        let is_gap = is_first || late.is_some_and(|since| now > since + PATIENCE);
        self.late = late.filter(|_| !is_gap);
        let at = if is_gap { now } else { self.next };
        if at <= now + MOST_AHEAD {
            self.put(at, done, frame);
        }
    }

    /// A frame that was sent: it is played when those before it were.
    fn sent(&mut self, now: u64, done: u64, frame: AudioFrame) {
        let at = self.next.max(now);
        if at <= now + MOST_AHEAD {
            self.put(at, done, frame);
        }
    }

    fn put(&mut self, at: u64, done: u64, frame: AudioFrame) {
        let at = at.max(done);
        self.next = at + 1;
        self.frames.insert(at, frame);
    }

    fn cut(&mut self, from: u64, to: u64) -> Vec<u8> {
        let later = self.frames.split_off(&to);
        let now = std::mem::replace(&mut self.frames, later);
        let mut sound = vec![AudioFrame::SILENCE.0[0]; (to - from) as usize * FRAME_BYTES];
        for (slot, frame) in now.range(from..) {
            let at = (slot - from) as usize * FRAME_BYTES;
            sound[at..at + FRAME_BYTES].copy_from_slice(&frame.0);
        }
        sound
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const QUIET: u8 = AudioFrame::SILENCE.0[0];

    fn frame(side: Side, ms: u64, code: u8) -> Taken {
        Taken::Frame { side, at: CallTime::from_ms(ms), frame: AudioFrame([code; FRAME_BYTES]) }
    }

    /// The code of each slot.
    fn codes(sound: &[u8]) -> Vec<u8> {
        sound.chunks(FRAME_BYTES).map(|frame| frame[0]).collect()
    }

    #[test]
    fn sides_stand_where_they_were_heard_and_seconds_come_out_whole() {
        let mut sides = TwoSides::default();
        assert_eq!(sides.ready(CallTime::from_ms(5_000)), None);
        let mut whole = Vec::new();
        for n in 0..200_u64 {
            // Up to 60 ms late, as on a network.
            sides.take(frame(Side::Caller, 1_000 + n * 20 + n % 4 * 15, 1));
            if n == 20 {
                // A cushion of seven frames at once, then one every 20 ms.
                (0..7).for_each(|_| sides.take(frame(Side::Agent, 1_400, 2)));
            }
            if (21..50).contains(&n) {
                sides.take(frame(Side::Agent, 1_000 + n * 20, 2));
            }
            whole.extend(sides.ready(CallTime::from_ms(1_000 + n * 20)));
        }
        assert_eq!(whole.iter().map(|s| s.from).collect::<Vec<_>>(), [50, 100, 150]);
        let rest = sides.rest(CallTime::from_ms(5_000)).unwrap();
        let caller: Vec<u8> = whole.iter().chain([&rest]).flat_map(|s| codes(&s.caller)).collect();
        assert_eq!(caller, [1; 200], "none lost, none doubled");
        let agent: Vec<u8> = whole.iter().chain([&rest]).flat_map(|s| codes(&s.agent)).collect();
        let expected: Vec<u8> = (0..200).map(|n| if (20..56).contains(&n) { 2 } else { QUIET }).collect();
        assert_eq!(agent, expected);
        assert_eq!(Segment::from_bytes(&rest.to_bytes()), Some(rest.clone()));
        assert_eq!(Segment::from_bytes(&rest.to_bytes()[..50]), None);
    }

    #[test]
    fn what_was_cleared_was_not_heard() {
        let mut sides = TwoSides::default();
        sides.take(frame(Side::Caller, 0, 1));
        (0..20).for_each(|_| sides.take(frame(Side::Agent, 0, 2)));
        sides.take(Taken::Cleared { at: CallTime::from_ms(100) });
        sides.take(frame(Side::Agent, 200, 3));
        (1..70).for_each(|n| sides.take(frame(Side::Caller, n * 20, 1)));
        let heard = codes(&sides.ready(CallTime::from_ms(1_400)).unwrap().agent);
        assert_eq!(heard[..12], [2, 2, 2, 2, 2, 2, QUIET, QUIET, QUIET, QUIET, 3, QUIET]);
    }

    #[test]
    fn a_burst_after_a_stall_loses_nothing_and_what_never_came_is_a_gap() {
        let mut sides = TwoSides::default();
        sides.take(frame(Side::Caller, 0, 1));
        // Forty frames at once, then in time again.
        (0..40).for_each(|_| sides.take(frame(Side::Caller, 800, 1)));
        (41..50).for_each(|n| sides.take(frame(Side::Caller, n * 20, 1)));
        assert_eq!(codes(&sides.rest(CallTime::from_ms(980)).unwrap().caller), [1; 50]);
        // Two seconds never come.
        (150..250).for_each(|n| sides.take(frame(Side::Caller, n * 20, 4)));
        let rest = codes(&sides.rest(CallTime::from_ms(5_000)).unwrap().caller);
        assert_eq!((rest.len(), rest.iter().filter(|code| **code == 4).count()), (200, 100));
        assert_eq!(rest[199], 4, "in step again");
    }

    #[test]
    fn what_was_sent_and_never_played_is_left_out() {
        let mut sides = TwoSides::default();
        sides.take(frame(Side::Caller, 0, 1));
        (0..9).for_each(|_| sides.take(frame(Side::Agent, 0, 2)));
        let rest = sides.rest(CallTime::from_ms(60)).unwrap();
        assert_eq!((codes(&rest.caller), codes(&rest.agent)), (vec![1, QUIET, QUIET], vec![2, 2, 2]));
        assert_eq!(sides.rest(CallTime::from_ms(60)), None);
    }
}
