//! The carrier's buffer by the clock: how long it plays, which mark comes back when, and when it ran dry.
//!
//! It knows lengths, not sound, so that one core holds many lines; `telephony::sim` is the model with sound, and a
//! test holds the two together.

#![deny(clippy::disallowed_methods)]

use std::collections::VecDeque;
use std::time::Duration;

use telephony::media::CallTime;

/// Playing time of one mu-law byte, microseconds.
const BYTE_US: u64 = 125;

/// What a piece of sound meant when it arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// Nothing was playing and nothing was owed: somebody begins to speak.
    pub begins: bool,
    /// Play-out had stopped for so long although no mark had closed the sound before: an under-run.
    pub dry: Option<Duration>,
    /// Later than the pace of this stretch of sound so far. Zero where it begins.
    pub late: Duration,
}

/// One leg's buffer. `M` names a mark. Times given to it never run backwards.
#[derive(Debug)]
pub struct Line<M> {
    /// When everything that was taken has been played.
    plays_until: CallTime,
    /// Marks under way and when each comes back, in order.
    marks: VecDeque<(CallTime, M)>,
    /// Sound came after the last mark or clear, so more is owed.
    unmarked: bool,
    /// Bytes of the present stretch of sound.
    stretch_bytes: u64,
    /// Start of the stretch if all of it had come in step with its earliest piece, microseconds.
    pace: i64,
}

impl<M> Default for Line<M> {
    fn default() -> Self {
        Self {
            plays_until: CallTime::ZERO,
            marks: VecDeque::new(),
            unmarked: false,
            stretch_bytes: 0,
            pace: 0,
        }
    }
}

impl<M> Line<M> {
    /// Takes so many mu-law bytes.
    pub fn audio(&mut self, at: CallTime, bytes: usize) -> Arrival {
        let idle = at > self.plays_until;
        let dry = (idle && self.unmarked).then(|| at.since(self.plays_until));
        let begins = idle && dry.is_none();
        let late = self.lateness(at, idle);
        let bytes = bytes as u64;
        self.stretch_bytes += bytes;
        self.plays_until = self.plays_until.max(at) + Duration::from_micros(bytes * BYTE_US);
        self.unmarked = true;
        Arrival { begins, dry, late }
    }

    fn lateness(&mut self, at: CallTime, idle: bool) -> Duration {
        if idle {
            self.stretch_bytes = 0;
        }
        let micros = |us: u64| i64::try_from(us).unwrap_or(i64::MAX);
        let start = micros(at.as_micros()) - micros(self.stretch_bytes * BYTE_US);
        self.pace = if self.stretch_bytes == 0 { start } else { self.pace.min(start) };
        Duration::from_micros(u64::try_from(start - self.pace).unwrap_or(0))
    }

    /// Takes a mark: it comes back when what was taken before it has been played, at once when nothing plays.
    pub fn mark(&mut self, at: CallTime, mark: M) {
        self.unmarked = false;
        self.marks.push_back((self.plays_until.max(at), mark));
    }

    /// Drops what was not played; every mark comes back now.
    pub fn clear(&mut self, at: CallTime) {
        self.plays_until = self.plays_until.min(at);
        self.unmarked = false;
        self.stretch_bytes = 0;
        for (due, _) in &mut self.marks {
            *due = (*due).min(at);
        }
    }

    /// When the next mark comes back.
    #[must_use]
    pub fn next_mark(&self) -> Option<CallTime> {
        self.marks.front().map(|(due, _)| *due)
    }

    /// The next mark that came back by `now`. Call until `None`.
    pub fn reached(&mut self, now: CallTime) -> Option<M> {
        self.marks.pop_front_if(|(due, _)| *due <= now).map(|(_, mark)| mark)
    }

    /// Sound is being played.
    #[must_use]
    pub fn is_audible(&self, now: CallTime) -> bool {
        now < self.plays_until
    }

    /// When the last sound that was taken has been, or will be, played.
    #[must_use]
    pub const fn plays_until(&self) -> CallTime {
        self.plays_until
    }
}

#[cfg(test)]
mod tests {
    use telephony::media::{AudioFrame, MarkId, MediaCommand, MediaEvent};
    use telephony::sim::{Impairments, SimCarrier};

    use super::*;
    use crate::replay::chance::Chance;

    const MS: fn(u64) -> CallTime = CallTime::from_ms;

    #[test]
    fn a_mark_comes_back_when_the_sound_before_it_was_played_and_not_before() {
        let mut line = Line::default();
        line.audio(MS(100), 800);
        line.mark(MS(110), "end");
        assert_eq!(line.next_mark(), Some(MS(200)));
        assert_eq!(line.reached(MS(199)), None);
        assert_eq!(line.reached(MS(200)), Some("end"));
        line.mark(MS(300), "silent");
        assert_eq!(line.reached(MS(300)), Some("silent"));
    }

    #[test]
    fn clear_stops_the_sound_and_gives_every_mark_in_order() {
        let mut line = Line::default();
        for name in ["a", "b"] {
            line.audio(MS(0), 1_600);
            line.mark(MS(0), name);
        }
        line.clear(MS(50));
        assert!(!line.is_audible(MS(50)));
        assert_eq!(
            (line.reached(MS(50)), line.reached(MS(50)), line.reached(MS(50))),
            (Some("a"), Some("b"), None)
        );
    }

    #[test]
    fn running_dry_before_the_mark_is_an_under_run_and_after_it_or_a_clear_is_not() {
        let mut line: Line<u8> = Line::default();
        assert_eq!(line.audio(MS(10), 160), Arrival { begins: true, ..Arrival::default() });
        let again = line.audio(MS(75), 160);
        assert_eq!((again.dry, again.begins), (Some(Duration::from_millis(45)), false));
        line.mark(MS(80), 1);
        let after_mark = line.audio(MS(200), 160);
        assert_eq!((after_mark.dry, after_mark.begins), (None, true));
        line.clear(MS(205));
        assert!(line.audio(MS(400), 160).begins);
    }

    #[test]
    fn lateness_is_measured_against_the_pace_of_the_stretch_so_a_burst_ahead_is_not_late() {
        let mut line: Line<u8> = Line::default();
        let late: Vec<u128> = [0, 0, 0, 0, 20, 40, 67, 80]
            .into_iter()
            .map(|at| line.audio(MS(at), 160).late.as_millis())
            .collect();
        assert_eq!(late, [0, 0, 0, 0, 0, 0, 7, 0]);
        assert_eq!(line.audio(MS(2_000), 160).late, Duration::ZERO, "a new stretch has its own pace");
    }

    /// Times and names of marks that the carrier with sound sends back for these commands.
    fn with_sound(commands: &[(u64, MediaCommand)]) -> Vec<(u64, u64)> {
        let mut sim = SimCarrier::new(1, Impairments::default());
        let mut marks = Vec::new();
        let mut drain = |sim: &mut SimCarrier, until: CallTime| {
            while let Some(at) = sim.deadline().filter(|&at| at <= until) {
                while let Some(event) = sim.poll(at) {
                    if let MediaEvent::MarkPlayed(mark) = event {
                        marks.push((at.as_ms(), mark.0));
                    }
                }
            }
        };
        for (at, command) in commands {
            drain(&mut sim, MS(*at));
            sim.handle_command(MS(*at), command.clone());
        }
        drain(&mut sim, MS(60_000));
        marks
    }

    fn by_length(commands: &[(u64, MediaCommand)]) -> Vec<(u64, u64)> {
        let mut line = Line::default();
        let mut marks = Vec::new();
        let mut drain = |line: &mut Line<u64>, until: CallTime| {
            while let Some(at) = line.next_mark().filter(|&at| at <= until) {
                marks.extend(line.reached(at).map(|mark| (at.as_ms(), mark)));
            }
        };
        for (at, command) in commands {
            drain(&mut line, MS(*at));
            match command {
                MediaCommand::Frame(frame) => drop(line.audio(MS(*at), frame.bytes().len())),
                MediaCommand::Mark(mark) => line.mark(MS(*at), mark.0),
                MediaCommand::Clear => line.clear(MS(*at)),
                MediaCommand::Close => {}
            }
        }
        drain(&mut line, MS(60_000));
        marks
    }

    /// A course of 200 commands; another seed, another course.
    fn commands(seed: u64) -> Vec<(u64, MediaCommand)> {
        let mut chance = Chance::new(seed);
        let mut at = 0;
        let step = |n| {
            let kind = chance.below(12);
            at += if kind < 6 { 0 } else { chance.below(90) };
            let command = match kind {
                0..8 => MediaCommand::Frame(AudioFrame::SILENCE),
                8..11 => MediaCommand::Mark(MarkId(n)),
                _ => MediaCommand::Clear,
            };
            (at, command)
        };
        (1..200).map(step).collect()
    }

    #[test]
    fn marks_come_back_when_the_carrier_with_sound_sends_them_back() {
        for seed in 0..300 {
            let commands = commands(seed);
            assert_eq!(by_length(&commands), with_sound(&commands), "seed {seed}");
        }
    }
}
