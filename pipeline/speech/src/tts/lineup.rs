//! Segments leave in the order in which they were asked for, however their audio comes.
#![deny(clippy::disallowed_methods)]

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::alignment::BYTES_PER_MS;
use pipeline::ports::TtsEvent;
use pipeline::turn::{SegmentId, TurnId};

/// Events ready to leave at which no more are taken in.
const BACKLOG: usize = 64;

/// Segments in order, each with what came of it before its time.
#[derive(Debug, Default)]
pub(super) struct Lineup {
    line: VecDeque<Slot>,
    ready: VecDeque<TtsEvent>,
}

#[derive(Debug)]
struct Slot {
    id: SegmentId,
    early: VecDeque<TtsEvent>,
    over: bool,
}

impl Lineup {
    /// Gives a segment its place at the end.
    pub fn push(&mut self, id: SegmentId) {
        self.line.push_back(Slot { id, early: VecDeque::new(), over: false });
    }

    /// Takes an event. What belongs to no segment leaves at once; what belongs to none that is in line is dropped.
    pub fn give(&mut self, event: TtsEvent) {
        let Some(id) = segment_of(&event) else {
            self.ready.push_back(event);
            return;
        };
        let Some(slot) = self.line.iter_mut().find(|s| s.id == id && !s.over) else { return };
        slot.over = !matches!(event, TtsEvent::Audio { .. });
        slot.early.push_back(event);
        self.release();
    }

    fn release(&mut self) {
        while let Some(first) = self.line.front_mut() {
            self.ready.append(&mut first.early);
            if !first.over {
                break;
            }
            self.line.pop_front();
        }
    }

    /// Forgets a turn.
    pub fn cancel(&mut self, turn: TurnId) {
        self.line.retain(|slot| slot.id.turn != turn);
        self.ready.retain(|event| segment_of(event).is_none_or(|id| id.turn != turn));
        self.release();
    }

    /// The next event to leave.
    pub fn pop(&mut self) -> Option<TtsEvent> {
        self.ready.pop_front()
    }

    pub fn is_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Whoever listens is slow: nothing more should be taken in.
    pub fn is_full(&self) -> bool {
        self.ready.len() >= BACKLOG
    }
}

/// The segment that an event is of.
pub(super) fn segment_of(event: &TtsEvent) -> Option<SegmentId> {
    match event {
        TtsEvent::Audio { segment, .. }
        | TtsEvent::Done { segment, .. }
        | TtsEvent::Failed { segment, .. } => Some(*segment),
        TtsEvent::Provider(_) | TtsEvent::Used(_) => None,
    }
}

/// Until when the audio that was given lasts, if it is played without a pause. Real play-out is never earlier, so
/// this errs towards hurry.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlayHead(Option<Instant>);

impl PlayHead {
    /// Audio left for the caller.
    pub fn give(&mut self, now: Instant, bytes: usize) {
        let length = Duration::from_millis((bytes / BYTES_PER_MS) as u64);
        self.0 = Some(self.0.map_or(now, |until| until.max(now)) + length);
    }

    /// What was given is not played after all.
    pub const fn clear(&mut self) {
        self.0 = None;
    }

    /// The later of `at` and `lead` before the audio runs out.
    pub fn no_sooner(self, at: Instant, lead: Duration) -> Instant {
        self.0.and_then(|until| until.checked_sub(lead)).map_or(at, |until| until.max(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(turn: u32, index: u16) -> SegmentId {
        SegmentId { turn: TurnId(turn), index }
    }

    fn audio(segment: SegmentId) -> TtsEvent {
        TtsEvent::Audio { segment, mulaw: vec![segment.index as u8] }
    }

    fn done(segment: SegmentId) -> TtsEvent {
        TtsEvent::Done { segment, words: Vec::new() }
    }

    #[test]
    fn events_leave_in_the_order_of_their_segments() {
        let mut l = Lineup::default();
        (0..3).for_each(|i| l.push(id(1, i)));
        for event in [audio(id(1, 1)), done(id(1, 1)), audio(id(1, 2)), audio(id(1, 0)), done(id(1, 0))] {
            l.give(event);
        }
        l.give(audio(id(1, 1)));
        let left: Vec<_> = std::iter::from_fn(|| l.pop()).collect();
        assert_eq!(left, [audio(id(1, 0)), done(id(1, 0)), audio(id(1, 1)), done(id(1, 1)), audio(id(1, 2))]);
    }

    #[test]
    fn a_cancelled_turn_is_forgotten_and_the_next_is_not_held_up() {
        let mut l = Lineup::default();
        l.push(id(1, 0));
        l.push(id(2, 0));
        l.give(audio(id(1, 0)));
        l.give(audio(id(2, 0)));
        l.cancel(TurnId(1));
        l.give(audio(id(1, 0)));
        assert_eq!(std::iter::from_fn(|| l.pop()).collect::<Vec<_>>(), [audio(id(2, 0))]);
    }

    #[test]
    #[allow(clippy::disallowed_methods)]
    fn the_play_head_adds_up_and_starts_again_after_a_pause() {
        let t = Instant::now();
        let ms = Duration::from_millis;
        let mut p = PlayHead::default();
        assert_eq!(p.no_sooner(t, ms(400)), t);
        p.give(t, 8_000);
        p.give(t + ms(100), 4_000);
        assert_eq!(p.no_sooner(t, ms(400)), t + ms(1_100));
        p.give(t + ms(5_000), 8_000);
        assert_eq!(p.no_sooner(t, ms(0)), t + ms(6_000));
        p.clear();
        assert_eq!(p.no_sooner(t, ms(0)), t);
    }
}
