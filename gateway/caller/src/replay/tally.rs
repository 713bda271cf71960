//! What a caller notices of a call: how long answers take, whether the agent gives way, where sound breaks off.
//!
//! Pure: told what was sent and what arrived, and when.

#![deny(clippy::disallowed_methods)]

use std::time::Duration;

use serde::Serialize;
use telephony::media::CallTime;

use super::course::Edge;
use super::line::Arrival;

/// Silence after which speech counts as begun anew, ticks (200 ms).
const ONSET: u32 = 10;
/// How long after the caller's last word the agent may still give way, ticks (1 s).
const LATE_CLEAR: u32 = 50;

/// Counts of one call, or of many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Turns {
    /// Times that the caller spoke, or pressed keys, and then waited.
    pub spoken: u64,
    pub answered: u64,
    /// Nothing came before the caller spoke again or hung up.
    pub unanswered: u64,
    /// The agent began while the caller was in the middle of saying something.
    pub cut_in: u64,
}

/// How the agent took being spoken over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SpokenOver {
    /// Times that the caller began to speak while the agent was audible.
    pub onsets: u64,
    pub cleared: u64,
    /// What it said ended by itself.
    pub ended: u64,
    /// It was still audible when the caller had finished.
    pub talked_through: u64,
}

/// What one call gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Noticed {
    pub turns: Turns,
    pub over: SpokenOver,
    /// Stream opened to first sound.
    pub greeting: Option<Duration>,
    /// Last speech frame sent to first reply frame, for each answer.
    pub answers: Vec<Duration>,
    /// Onset over the agent to its `clear`, and to the end of its sound.
    pub clears: Vec<Duration>,
    pub stops: Vec<Duration>,
    /// Times that play-out ran dry before the mark that closes what was said, and for how long.
    pub under_runs: u64,
    pub dry: Duration,
    /// Mu-law bytes received.
    pub bytes: u64,
}

/// The caller was heard and waits.
#[derive(Debug)]
struct Awaiting {
    /// Last speech frame; `None` when only keys were pressed.
    since: Option<CallTime>,
    /// The agent was speaking when the caller ended: that may be all.
    spoken_to: bool,
    /// It began to speak since.
    answered: bool,
}

/// The caller speaks over the agent.
#[derive(Debug)]
struct Watch {
    onset: CallTime,
    cleared: bool,
    /// Until when what was taken so far is audible.
    sound_until: CallTime,
}

/// Counts for one call while it lasts.
#[derive(Debug)]
pub struct Tally {
    noticed: Noticed,
    last_voice: Option<CallTime>,
    /// Ticks since the last speech frame.
    unvoiced: u32,
    in_piece: bool,
    awaiting: Option<Awaiting>,
    watch: Option<Watch>,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            noticed: Noticed::default(),
            last_voice: None,
            unvoiced: ONSET,
            in_piece: false,
            awaiting: None,
            watch: None,
        }
    }
}

impl Tally {
    /// A frame was sent; `sounds_until` is when the agent's sound ends as things are.
    pub fn sent(&mut self, now: CallTime, voiced: bool, edge: Option<Edge>, sounds_until: CallTime) {
        if edge == Some(Edge::Began) {
            self.begin();
        }
        if voiced {
            if self.unvoiced >= ONSET && now < sounds_until {
                self.settle_watch(now);
                self.noticed.over.onsets += 1;
                self.watch = Some(Watch { onset: now, cleared: false, sound_until: sounds_until });
            }
            (self.last_voice, self.unvoiced) = (Some(now), 0);
        } else {
            self.unvoiced += 1;
            if self.unvoiced == LATE_CLEAR {
                self.settle_watch(now);
            }
        }
        if let Some(Edge::Ended { awaits }) = edge {
            self.end(awaits, now < sounds_until);
        }
    }

    fn begin(&mut self) {
        self.settle_turn();
        self.in_piece = true;
        self.last_voice = None;
    }

    fn end(&mut self, awaits: bool, audible: bool) {
        self.in_piece = false;
        if awaits {
            self.noticed.turns.spoken += 1;
            self.awaiting = Some(Awaiting { since: self.last_voice, spoken_to: audible, answered: false });
        }
    }

    /// Sound arrived; `sounds_until` is when it will have been played.
    pub fn heard(&mut self, at: CallTime, bytes: usize, arrival: Arrival, sounds_until: CallTime) {
        self.noticed.bytes += bytes as u64;
        self.noticed.greeting.get_or_insert(at.since(CallTime::ZERO));
        if let Some(dry) = arrival.dry {
            self.noticed.under_runs += 1;
            self.noticed.dry += dry;
        }
        if arrival.begins {
            self.settle_watch(at);
            self.answer(at);
        } else if let Some(watch) = &mut self.watch {
            watch.sound_until = sounds_until;
        }
    }

    fn answer(&mut self, at: CallTime) {
        if self.in_piece {
            self.noticed.turns.cut_in += u64::from(self.last_voice.is_some());
        } else if let Some(awaiting) = &mut self.awaiting
            && !awaiting.answered
        {
            awaiting.answered = true;
            self.noticed.answers.extend(awaiting.since.map(|since| at.since(since)));
        }
    }

    /// The agent's sound was cleared.
    pub fn cleared(&mut self, at: CallTime) {
        if let Some(watch) = &mut self.watch {
            watch.sound_until = watch.sound_until.min(at);
            if !watch.cleared {
                watch.cleared = true;
                self.noticed.over.cleared += 1;
                self.noticed.clears.push(at.since(watch.onset));
            }
        }
        if let Some(awaiting) = &mut self.awaiting {
            awaiting.spoken_to = false;
        }
    }

    /// The call is cut off: what waits for an answer now counts for nothing.
    pub fn abandon(&mut self) {
        if self.awaiting.take_if(|awaiting| !awaiting.answered).is_some() {
            self.noticed.turns.spoken -= 1;
        }
    }

    /// The call is over.
    #[must_use]
    pub fn finish(mut self, now: CallTime) -> Noticed {
        self.settle_watch(now);
        self.settle_turn();
        self.noticed
    }

    /// True while the caller speaks over the agent, when nobody keeps to a pace.
    #[must_use]
    pub const fn is_spoken_over(&self) -> bool {
        self.watch.is_some()
    }

    #[must_use]
    pub const fn noticed(&self) -> &Noticed {
        &self.noticed
    }

    fn settle_turn(&mut self) {
        if let Some(awaiting) = self.awaiting.take() {
            if awaiting.answered || awaiting.spoken_to {
                self.noticed.turns.answered += 1;
            } else {
                self.noticed.turns.unanswered += 1;
            }
        }
    }

    fn settle_watch(&mut self, now: CallTime) {
        let Some(watch) = self.watch.take() else { return };
        if watch.sound_until > now {
            self.noticed.over.talked_through += 1;
        } else if watch.cleared {
            self.noticed.stops.push(watch.sound_until.since(watch.onset));
        } else {
            self.noticed.over.ended += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::line::Line;

    const MS: fn(u64) -> CallTime = CallTime::from_ms;

    /// A call of 20 ms ticks with the line between caller and agent.
    #[derive(Default)]
    struct Call {
        now: u64,
        line: Line<u8>,
        tally: Tally,
    }

    impl Call {
        fn send(&mut self, ms: u64, voiced: bool) {
            for _ in 0..ms / 20 {
                self.now += 20;
                self.tally.sent(MS(self.now), voiced, None, self.line.plays_until());
            }
        }

        /// Says something of this length, as one piece.
        fn say(&mut self, ms: u64, awaits: bool) {
            self.edge(Edge::Began);
            self.send(ms - 40, true);
            self.edge(Edge::Ended { awaits });
        }

        fn edge(&mut self, edge: Edge) {
            self.now += 20;
            self.tally.sent(MS(self.now), true, Some(edge), self.line.plays_until());
        }

        fn agent(&mut self, ms: usize) {
            let arrival = self.line.audio(MS(self.now), ms * 8);
            self.tally.heard(MS(self.now), ms * 8, arrival, self.line.plays_until());
        }

        fn mark(&mut self) {
            self.line.mark(MS(self.now), 0);
        }

        fn clear(&mut self) {
            self.line.clear(MS(self.now));
            self.tally.cleared(MS(self.now));
        }

        fn over(self) -> Noticed {
            self.tally.finish(MS(self.now))
        }
    }

    fn ms(times: &[Duration]) -> Vec<u128> {
        times.iter().map(Duration::as_millis).collect()
    }

    /// Greeted for a second, until 1.2 s.
    fn greeted() -> Call {
        let mut call = Call::default();
        call.send(100, false);
        call.agent(1_000);
        call.mark();
        call.send(1_100, false);
        call
    }

    #[test]
    fn an_answer_is_timed_from_the_last_speech_frame_to_its_first_sound() {
        let mut call = greeted();
        call.say(600, true);
        call.send(460, false);
        call.agent(500);
        call.agent(500);
        call.send(2_000, false);
        let noticed = call.over();
        assert_eq!(noticed.greeting, Some(Duration::from_millis(100)));
        assert_eq!(ms(&noticed.answers), [460]);
        assert_eq!(noticed.turns, Turns { spoken: 1, answered: 1, ..Turns::default() });
        assert_eq!(noticed.over, SpokenOver::default());
    }

    #[test]
    fn nothing_before_the_caller_speaks_again_or_hangs_up_is_no_answer() {
        let mut call = greeted();
        call.say(600, true);
        call.send(3_000, false);
        call.say(600, true);
        let noticed = call.over();
        assert_eq!(noticed.turns, Turns { spoken: 2, unanswered: 2, ..Turns::default() });
        assert!(noticed.answers.is_empty());
    }

    #[test]
    fn a_call_that_is_cut_off_owes_no_answer() {
        let mut call = greeted();
        call.say(600, true);
        call.send(3_000, false);
        call.say(600, true);
        call.tally.abandon();
        assert_eq!(call.over().turns, Turns { spoken: 1, unanswered: 1, ..Turns::default() });
    }

    #[test]
    fn giving_way_is_timed_from_the_onset_to_clear_and_to_the_end_of_sound() {
        let mut call = greeted();
        call.agent(5_000);
        call.send(1_000, false);
        call.edge(Edge::Began);
        call.send(400, true);
        call.clear();
        call.send(40, true);
        call.agent(100);
        call.mark();
        call.send(300, true);
        call.edge(Edge::Ended { awaits: true });
        call.send(300, false);
        call.agent(1_000);
        call.send(100, false);
        let noticed = call.over();
        assert_eq!(noticed.over, SpokenOver { onsets: 1, cleared: 1, ..SpokenOver::default() });
        assert_eq!(ms(&noticed.clears), [400]);
        assert_eq!(ms(&noticed.stops), [400], "what begins after the clear is something new");
        assert_eq!(noticed.turns.cut_in, 1);
        assert_eq!(ms(&noticed.answers), [300]);
    }

    #[test]
    fn a_short_word_may_stop_the_agent_after_it_was_said() {
        let mut call = greeted();
        call.agent(5_000);
        call.send(1_000, false);
        call.say(300, true);
        call.send(140, false);
        call.clear();
        call.send(500, false);
        call.agent(400);
        call.send(100, false);
        let noticed = call.over();
        assert_eq!(ms(&noticed.clears), [420]);
        assert_eq!(noticed.turns, Turns { spoken: 1, answered: 1, ..Turns::default() });
        assert_eq!(ms(&noticed.answers), [640]);
    }

    #[test]
    fn an_agent_that_was_cut_and_says_nothing_more_has_not_answered() {
        let mut call = greeted();
        call.agent(5_000);
        call.send(1_000, false);
        call.say(300, true);
        call.send(140, false);
        call.clear();
        call.send(2_000, false);
        assert_eq!(call.over().turns, Turns { spoken: 1, unanswered: 1, ..Turns::default() });
    }

    #[test]
    fn an_agent_that_ends_by_itself_and_one_that_talks_on_are_told_apart() {
        let mut call = greeted();
        call.agent(300);
        call.mark();
        call.send(100, false);
        call.say(400, true);
        call.send(2_000, false);
        call.agent(9_000);
        call.send(400, false);
        call.say(400, true);
        call.send(2_000, false);
        let noticed = call.over();
        assert_eq!(noticed.over, SpokenOver { onsets: 2, ended: 1, talked_through: 1, cleared: 0 });
        assert_eq!(noticed.turns.answered, 2, "the second is being spoken to all the time");
        assert!(noticed.stops.is_empty());
    }

    #[test]
    fn sound_that_breaks_off_is_an_under_run() {
        let mut call = greeted();
        call.agent(100);
        call.send(160, false);
        call.agent(100);
        let noticed = call.over();
        assert_eq!((noticed.under_runs, noticed.dry), (1, Duration::from_millis(60)));
    }
}
