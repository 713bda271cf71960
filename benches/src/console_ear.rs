//! When the console plays what it listens to: `listenPlayer.ts` and `playout.ts` of the console, without the sound.
//!
//! A frame that begins a stretch of sound is held until the freshest frame that ever came would be 310 ms old; whatever
//! follows plays behind it, however soon it comes. So the delay is settled by the first message and stays until the sound runs
//! dry. What the browser takes besides (2 ms of play-out, its own output buffer) is not in here.

use std::time::Duration;

use tokio::time::Instant;

/// `GATHERED` and `SLACK` of `listenPlayer.ts`.
const HOLD_US: i64 = (250 + 60) * 1_000;
const FRAME_US: i64 = 20_000;

/// One listener's loudspeaker, the caller's side of it.
#[derive(Debug)]
pub struct ConsoleEar {
    opened: Instant,
    /// Least time, microseconds, that a frame of either side took from the call to here. The clocks need not agree.
    freshest: i64,
    state: State,
    played: Vec<(u16, Instant)>,
    under_runs: u32,
}

/// Times are microseconds since the ear was opened.
#[derive(Debug)]
enum State {
    /// Nothing waits and nothing plays.
    Idle,
    /// What came waits until `starts`.
    Held { starts: i64, last_came: i64, frames: Vec<Option<u16>> },
    /// What came plays until `ends`.
    Playing { ends: i64 },
}

impl ConsoleEar {
    #[must_use]
    pub const fn open(opened: Instant) -> Self {
        Self { opened, freshest: i64::MAX, state: State::Idle, played: Vec::new(), under_runs: 0 }
    }

    /// A frame of the caller's came; `at` is microseconds of the call. A marker's number is kept.
    pub fn caller(&mut self, at: u64, came: Instant, marker: Option<u16>) {
        let (now, age) = self.age(at, came);
        self.settle(now);
        let starts = now + (HOLD_US - age).max(0);
        match &mut self.state {
            State::Playing { ends } => {
                let plays = *ends;
                *ends += FRAME_US;
                self.keep(marker, plays);
            }
            State::Held { starts: first, last_came, frames } => {
                // It may show that the first was older than it seemed.
                *first = (*first).min(starts - frames.iter().map(|_| FRAME_US).sum::<i64>());
                *last_came = now;
                frames.push(marker);
            }
            State::Idle => self.state = State::Held { starts, last_came: now, frames: vec![marker] },
        }
    }

    /// A frame of the other side came: it plays apart, and tells how fresh sound can be.
    pub fn other(&mut self, at: u64, came: Instant) {
        self.age(at, came);
    }

    /// When each marker was, or will be, played; and how often the caller's sound ran dry.
    #[must_use]
    pub fn close(mut self) -> (Vec<(u16, Instant)>, u32) {
        if let State::Held { starts, last_came, frames } = std::mem::replace(&mut self.state, State::Idle) {
            self.start(starts.max(last_came), &frames);
        }
        (self.played, self.under_runs)
    }

    /// This moment, and how much older the frame is than the freshest that ever came.
    fn age(&mut self, at: u64, came: Instant) -> (i64, i64) {
        let micros = |us| i64::try_from(us).unwrap_or(i64::MAX);
        let now = micros(came.duration_since(self.opened).as_micros());
        let took = now.saturating_sub(i64::try_from(at).unwrap_or(i64::MAX));
        self.freshest = self.freshest.min(took);
        (now, took - self.freshest)
    }

    /// What the loudspeaker did until now.
    fn settle(&mut self, now: i64) {
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Held { starts, last_came, frames } if starts.max(last_came) < now => {
                let ends = self.start(starts.max(last_came), &frames);
                self.state = State::Playing { ends };
                self.settle(now);
            }
            State::Playing { ends } if ends <= now => self.under_runs += 1,
            state => self.state = state,
        }
    }

    /// Plays what was held; the end of it.
    fn start(&mut self, starts: i64, frames: &[Option<u16>]) -> i64 {
        frames.iter().fold(starts, |plays, marker| {
            self.keep(*marker, plays);
            plays + FRAME_US
        })
    }

    fn keep(&mut self, marker: Option<u16>, plays: i64) {
        let plays = self.opened + Duration::from_micros(plays.unsigned_abs());
        self.played.extend(marker.map(|number| (number, plays)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Delay of each frame from the call to the loudspeaker, ms, when messages come at these times and hold what was heard
    /// until then; the call's clock is 5 s behind.
    fn delays(messages: &[u64]) -> (Vec<u128>, u32) {
        let opened = Instant::now();
        let at = |ms: u64| opened + Duration::from_millis(ms);
        let (mut ear, mut n) = (ConsoleEar::open(opened), 0_u16);
        for came in messages {
            while u64::from(n) * 20 <= *came {
                let heard = u64::from(n) * 20_000 + 5_000_000;
                ear.caller(heard, at(*came), Some(n));
                n += 1;
            }
        }
        let (played, dry) = ear.close();
        (played.iter().map(|(n, plays)| (*plays - at(u64::from(*n) * 20)).as_millis()).collect(), dry)
    }

    #[test]
    fn all_frames_play_310_ms_behind_the_freshest() {
        // The freshest frame of the first message is 5 ms old when it comes, those of later ones up to 15.
        let (delays, dry) = delays(&[245, 495, 745, 995]);
        assert!(delays.iter().all(|delay| *delay == 315), "{delays:?}");
        assert_eq!(dry, 0);
    }

    #[test]
    fn only_a_message_beyond_the_slack_makes_a_gap() {
        let (within, dry) = delays(&[240, 490, 799, 990]);
        assert!(within.iter().all(|delay| *delay == 310), "{within:?}");
        assert_eq!(dry, 0);
        let (beyond, dry) = delays(&[240, 490, 850, 990, 1_240, 1_490]);
        assert_eq!(dry, 1);
        // What came late plays as soon as it came, and what is behind it follows.
        assert_eq!((beyond[24], beyond[25], *beyond.last().unwrap_or(&0)), (310, 350, 350));
    }

    #[test]
    fn the_other_side_tells_how_fresh_sound_is() {
        let opened = Instant::now();
        let at = |ms| opened + Duration::from_millis(ms);
        let mut ear = ConsoleEar::open(opened);
        ear.other(100_000, at(101));
        ear.caller(100_000, at(201), Some(1));
        let (played, _) = ear.close();
        assert_eq!(played, [(1, at(201 + 210))]);
    }
}
