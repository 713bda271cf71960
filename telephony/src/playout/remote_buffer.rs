//! What we believe of the audio between us and the caller's ear: the model of the carrier's buffer, the marks
//! under way, and how far the caller has heard.

use std::collections::VecDeque;
use std::time::Duration;

use super::mark_delay::Echo;
use super::queue::{bytes_in, playing};
use crate::media::{CallTime, FRAME_BYTES, FRAME_MS, MarkId};

/// Marks kept while a carrier echoes none; older ones are forgotten.
const MARKS_KEPT: usize = 512;
/// A mark that is later than the leg's habit by this much makes a cut an estimate.
const SUSPICIOUS: Duration = Duration::from_millis(250);
/// Most that a cut credits for what is heard while mark and clear travel.
const MOST_TRAVEL: Duration = Duration::from_millis(120);
/// Most that a cut credits where no mark has come back yet: three quarters of the slowest ordinary leg's round trip.
const MOST_UNMARKED: Duration = Duration::from_millis(160);

#[derive(Debug)]
struct SentMark {
    id: MarkId,
    /// Outbound bytes before it.
    place: u64,
    /// Earliest time at which the carrier can have played them.
    expected: CallTime,
    flushed: bool,
}

/// A mark that came back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Echoed {
    /// Everything before `place` was played, `delay` after the earliest time possible.
    Played {
        place: u64,
        delay: Duration,
    },
    Flushed,
    /// Never sent, or came before.
    Unknown,
}

/// A place in the outbound audio up to which we believe that it was heard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Position {
    pub bytes: u64,
    pub estimated: bool,
}

#[derive(Debug)]
pub(super) struct Line {
    /// Outbound bytes so far, padding included.
    pub sent: u64,
    /// When the carrier has played all of it, if nothing takes time on the way.
    pub plays_until: CallTime,
    marks: VecDeque<SentMark>,
    last_id: u64,
    /// Outbound bytes before the last mark.
    marked: u64,
    /// Played for certain, or dropped by a clear.
    proven: u64,
    /// Place of the last genuine mark and when it came back.
    anchor: Option<(u64, CallTime)>,
    pub echo: Echo,
    /// Marks are missing.
    pub blind: bool,
}

impl Line {
    pub(super) fn new() -> Self {
        Self {
            sent: 0,
            plays_until: CallTime::ZERO,
            marks: VecDeque::new(),
            last_id: 0,
            marked: 0,
            proven: 0,
            anchor: None,
            echo: Echo::default(),
            blind: false,
        }
    }

    /// The carrier has, as far as we know, nothing left to play.
    pub(super) fn is_idle(&self, now: CallTime) -> bool {
        self.plays_until <= now
    }

    /// When one frame more is within `cushion` of play-out. In the past when the line is idle.
    pub(super) fn next_frame_due(&self, cushion: Duration) -> CallTime {
        self.plays_until + Duration::from_millis(FRAME_MS) - cushion
    }

    /// Time at which a frame sent now would be played.
    pub(super) fn plays_next(&self, now: CallTime) -> CallTime {
        self.plays_until.max(now)
    }

    pub(super) fn frame_sent(&mut self, now: CallTime) {
        self.plays_until = self.plays_next(now) + Duration::from_millis(FRAME_MS);
        self.sent += FRAME_BYTES as u64;
    }

    /// Time sent since the last mark.
    pub(super) const fn unmarked(&self) -> Duration {
        playing(self.sent - self.marked)
    }

    pub(super) fn mark_sent(&mut self) -> MarkId {
        self.last_id += 1;
        self.marked = self.sent;
        if self.marks.len() == MARKS_KEPT {
            self.marks.pop_front();
        }
        let id = MarkId(self.last_id);
        self.marks.push_back(SentMark { id, place: self.sent, expected: self.plays_until, flushed: false });
        id
    }

    /// Marks come back in the order sent, so one that comes back settles those before it.
    pub(super) fn mark_echoed(&mut self, now: CallTime, id: MarkId) -> Echoed {
        let Ok(index) = self.marks.binary_search_by_key(&id, |m| m.id) else { return Echoed::Unknown };
        let Some(mark) = self.marks.drain(..=index).next_back() else { return Echoed::Unknown };
        if mark.flushed {
            return Echoed::Flushed;
        }
        let delay = now.since(mark.expected);
        self.proven = self.proven.max(mark.place);
        self.anchor = Some((mark.place, now));
        self.blind = false;
        self.echo.sample(delay);
        Echoed::Played { place: mark.place, delay }
    }

    /// Everything sent and not heard is void; marks under way prove nothing any more.
    pub(super) fn cleared(&mut self, now: CallTime) {
        self.plays_until = self.plays_until.min(now);
        self.proven = self.sent;
        self.marked = self.sent;
        self.anchor = None;
        for mark in &mut self.marks {
            mark.flushed = true;
        }
    }

    /// Bytes known to have been played, or dropped.
    pub(super) const fn proven(&self) -> u64 {
        self.proven
    }

    /// Time from the caller's ear to us, as far as echoes tell: half of the quickest.
    pub(super) fn way_back(&self) -> Duration {
        self.echo.least().unwrap_or_default() / 2
    }

    fn oldest_open(&self) -> Option<&SentMark> {
        self.marks.iter().find(|m| !m.flushed)
    }

    /// When the oldest mark under way will be overdue, unless that is known already.
    pub(super) fn overdue_at(&self, overdue: Duration) -> Option<CallTime> {
        if self.blind { None } else { self.oldest_open().map(|m| m.expected + overdue) }
    }

    /// How far the caller has heard at `now`, rather too little.
    pub(super) fn heard(&self, now: CallTime) -> Position {
        self.position(now, Duration::ZERO)
    }

    /// How far the caller will have heard when a clear sent at `now` takes effect. The mark was played before it
    /// came back, and sound goes on until the clear arrives: together the quickest echo's delay. Where none came
    /// back, a clear takes as long as the first frame did, so that all that could be played by now was. A quarter is
    /// left off, for the carrier may hold sound back before it plays it, and too little is better than too much.
    pub(super) fn heard_at_clear(&self, now: CallTime) -> Position {
        let late = self.oldest_open().is_some_and(|m| now > m.expected + self.echo.usual_most() + SUSPICIOUS);
        let travel = self.echo.least().map_or_else(
            || (playing(self.playable(now).saturating_sub(self.proven)) * 3 / 4).min(MOST_UNMARKED),
            |least| (least * 3 / 4).min(MOST_TRAVEL),
        );
        let at = self.position(now, travel);
        Position { bytes: at.bytes, estimated: at.estimated || late }
    }

    /// Counts on from the last genuine mark, but never past the next one (it would have come back), nor past
    /// what can have been played at all.
    fn position(&self, now: CallTime, travel: Duration) -> Position {
        if self.blind {
            let bytes = self.playable(now - self.echo.usual()).max(self.proven);
            return Position { bytes, estimated: bytes > self.proven };
        }
        let (place, since) = self.anchor.unwrap_or((self.proven, now));
        let next = self.oldest_open().map_or(self.sent, |m| m.place);
        let believed = (place + bytes_in(now.since(since))).min(next) + bytes_in(travel);
        Position { bytes: believed.min(self.playable(now)).max(self.proven), estimated: false }
    }

    /// Bytes that a carrier with no delay at all would have played.
    fn playable(&self, at: CallTime) -> u64 {
        let ahead = bytes_in(self.plays_until.since(at));
        self.sent.saturating_sub(ahead)
    }

    /// When we cease to believe that the caller hears us, mark or no mark; `None` when proven silent.
    pub(super) fn audible_until(&self) -> Option<CallTime> {
        (self.proven < self.sent).then(|| self.plays_until + self.echo.usual())
    }
}
