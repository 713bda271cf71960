//! Where a live call's sound is put on one clock: by the call itself, so that a recorder is woken once a second and not by
//! each frame.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use telephony::media::{AudioFrame, CallTime};
use tokio::sync::mpsc;

use super::two_sides::{Segment, Taken, TwoSides};
use crate::tap::Side;

/// What a recorder is handed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Captured {
    /// The call may be recorded from here on: its first frame was taken.
    Began,
    /// A second of it; the last is as long as it is.
    Segment(Segment),
}

/// The call's end of its recording. Dropping it hands over what is left.
#[derive(Debug)]
pub struct RecordingLeg {
    sides: TwoSides,
    /// The call's time when this stream of it began.
    start: CallTime,
    /// Time of the last frame. `None`: there was none.
    now: Option<CallTime>,
    paused: Arc<AtomicBool>,
    /// Frames that found no room.
    lost: Arc<AtomicU64>,
    captured: mpsc::Sender<Captured>,
}

impl RecordingLeg {
    /// Ten seconds of both sides. A call never waits for its recording: what finds no room is dropped and counted.
    pub const BOUND: usize = 10;

    /// While `paused` both sides are silent.
    #[must_use]
    pub fn new(
        start: CallTime,
        paused: Arc<AtomicBool>,
        lost: Arc<AtomicU64>,
        captured: mpsc::Sender<Captured>,
    ) -> Self {
        Self { sides: TwoSides::default(), start, now: None, paused, lost, captured }
    }

    /// Takes 20 ms of a side. The agent's are told when they are sent, ahead of being heard. `at`: this stream's time.
    pub fn frame(&mut self, side: Side, at: CallTime, frame: AudioFrame) {
        let at = self.shifted(at);
        if self.now.replace(at).is_none() {
            let _ = self.captured.try_send(Captured::Began);
        }
        let frame = if self.paused.load(Ordering::Acquire) { AudioFrame::SILENCE } else { frame };
        self.sides.take(Taken::Frame { side, at, frame });
        while let Some(segment) = self.sides.ready(at) {
            self.hand_over(segment);
        }
    }

    /// What was sent to the caller and not played yet was dropped.
    pub fn cleared(&mut self, at: CallTime) {
        self.sides.take(Taken::Cleared { at: self.shifted(at) });
    }

    const fn shifted(&self, at: CallTime) -> CallTime {
        CallTime::from_micros(at.as_micros() + self.start.as_micros())
    }

    fn hand_over(&self, segment: Segment) {
        let frames = segment.frames();
        if matches!(
            self.captured.try_send(Captured::Segment(segment)),
            Err(mpsc::error::TrySendError::Full(_))
        ) {
            note_lost(&self.lost, frames);
        }
    }
}

impl Drop for RecordingLeg {
    fn drop(&mut self) {
        if let Some(rest) = self.now.and_then(|now| self.sides.rest(now)) {
            self.hand_over(rest);
        }
    }
}

/// Counts frames of a recording that could not be kept.
pub fn note_lost(lost: &AtomicU64, frames: u64) {
    lost.fetch_add(frames, Ordering::Relaxed);
    metrics::counter!("quandura_recording_frames_lost_total").increment(frames);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use telephony::media::FRAME_BYTES;

    use super::*;

    type Recorder = mpsc::Receiver<Captured>;

    fn leg(start_ms: u64) -> (RecordingLeg, Recorder, Arc<AtomicBool>, Arc<AtomicU64>) {
        let (captured, recorder) = mpsc::channel(RecordingLeg::BOUND);
        let (paused, lost) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let leg =
            RecordingLeg::new(CallTime::from_ms(start_ms), Arc::clone(&paused), Arc::clone(&lost), captured);
        (leg, recorder, paused, lost)
    }

    fn speak(leg: &mut RecordingLeg, slots: std::ops::Range<u64>) {
        for n in slots {
            leg.frame(Side::Caller, CallTime::from_ms(n * 20), AudioFrame([1; FRAME_BYTES]));
        }
    }

    fn segments(mut recorder: Recorder) -> Vec<Segment> {
        assert_eq!(recorder.try_recv(), Ok(Captured::Began));
        std::iter::from_fn(|| recorder.try_recv().ok())
            .map(|captured| match captured {
                Captured::Segment(segment) => segment,
                Captured::Began => panic!("began twice"),
            })
            .collect()
    }

    #[test]
    fn a_recorder_is_woken_once_a_second_and_gets_the_rest() {
        let (mut leg, recorder, _, lost) = leg(4_000);
        speak(&mut leg, 0..120);
        drop(leg);
        let segments = segments(recorder);
        let places: Vec<_> = segments.iter().map(|s| (s.from, s.caller.len() / FRAME_BYTES)).collect();
        assert_eq!(places, [(200, 50), (250, 50), (300, 20)], "in the call's time, not the stream's");
        assert_eq!(lost.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_pause_is_silent_from_the_next_frame_to_the_last() {
        let (mut leg, recorder, paused, _) = leg(0);
        speak(&mut leg, 0..10);
        paused.store(true, Ordering::Release);
        speak(&mut leg, 10..15);
        paused.store(false, Ordering::Release);
        speak(&mut leg, 15..20);
        drop(leg);
        let heard: Vec<bool> =
            segments(recorder)[0].caller.chunks(FRAME_BYTES).map(|frame| frame[0] == 1).collect();
        let expected: Vec<bool> = (0..20).map(|n| !(10..15).contains(&n)).collect();
        assert_eq!(heard, expected);
    }

    #[test]
    fn what_finds_no_room_is_counted_and_the_call_goes_on() {
        let (mut leg, recorder, _, lost) = leg(0);
        // Ten places: one word that it began, nine seconds; the tenth and the rest are lost.
        speak(&mut leg, 0..10 * 50 + 20);
        drop(leg);
        assert_eq!(segments(recorder).len(), 9);
        assert_eq!(lost.load(Ordering::Relaxed), (50 + 20) * 2);
    }

    #[test]
    fn a_call_that_may_not_be_recorded_hands_over_nothing() {
        let (mut leg, mut recorder, _, _) = leg(0);
        leg.cleared(CallTime::from_ms(20));
        drop(leg);
        assert!(recorder.try_recv().is_err());
    }
}
