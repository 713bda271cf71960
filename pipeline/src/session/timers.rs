//! Every deadline of a call, in one table.

use telephony::media::CallTime;

/// What a deadline decides when it passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timer {
    /// The caller has been silent long enough for the recogniser to be asked for a final.
    Pause,
    /// The caller has been silent long enough for the turn to be over.
    EndOfTurn,
    /// A ducked reply gets its level back: the sound over it was nothing.
    DuckLimit,
    /// The caller has waited long enough for a filler.
    Filler,
    /// The caller waits on after the filler: a soft sound says that we are still there.
    SoftSound,
    /// No reply came: apologise.
    ReplyDeadline,
    /// Nothing was said after our reply: ask whether the caller is there.
    NoInput,
    /// The recogniser owes a final for a turn that is over.
    RecogniserWatchdog,
    /// Keys stopped coming: the entry is complete.
    DigitEntry,
    /// The person who has the call does not come back: the agent goes on.
    ControlLease,
    /// No sound has come of the person who has the call: the caller is asked for a moment.
    PersonSilent,
    /// The person's sound stopped coming: this stretch of it is over.
    StretchEnd,
    /// The person fell silent, or their recognizer owes what they said.
    PersonWords,
    /// The caller is held, and has heard nothing for a while.
    HoldWords,
    /// The caller is held: a soft sound says that the line is not dead.
    HoldSound,
    /// The caller was held for as long as that may last.
    HoldLimit,
    /// The longest call is reached.
    LongestCall,
    /// The last words of a caller who hung up have had their time.
    Closing,
    /// The last record has had its time to become durable.
    LastRecord,
}

impl Timer {
    const ALL: [Self; 19] = [
        Self::Pause,
        Self::EndOfTurn,
        Self::DuckLimit,
        Self::Filler,
        Self::SoftSound,
        Self::ReplyDeadline,
        Self::NoInput,
        Self::RecogniserWatchdog,
        Self::DigitEntry,
        Self::ControlLease,
        Self::PersonSilent,
        Self::StretchEnd,
        Self::PersonWords,
        Self::HoldWords,
        Self::HoldSound,
        Self::HoldLimit,
        Self::LongestCall,
        Self::Closing,
        Self::LastRecord,
    ];
}

/// The table: at most one deadline of each kind.
#[derive(Debug, Default)]
pub struct Timers([Option<CallTime>; Timer::ALL.len()]);

impl Timers {
    pub fn set(&mut self, timer: Timer, at: CallTime) {
        self.0[timer as usize] = Some(at);
    }

    pub fn stop(&mut self, timer: Timer) {
        self.0[timer as usize] = None;
    }

    pub fn stop_all(&mut self) {
        self.0 = Default::default();
    }

    #[must_use]
    pub fn is_set(&self, timer: Timer) -> bool {
        self.0[timer as usize].is_some()
    }

    /// Earliest deadline of all.
    #[must_use]
    pub fn next(&self) -> Option<CallTime> {
        self.0.iter().flatten().min().copied()
    }

    /// Takes one deadline that has passed, the earliest first.
    pub fn take_expired(&mut self, now: CallTime) -> Option<Timer> {
        let due = Timer::ALL
            .into_iter()
            .filter_map(|t| self.0[t as usize].map(|at| (at, t)))
            .filter(|(at, _)| *at <= now)
            .min_by_key(|(at, _)| *at)?;
        self.stop(due.1);
        Some(due.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earliest_expired_timer_comes_first_and_only_once() {
        let mut t = Timers::default();
        t.set(Timer::NoInput, CallTime::from_ms(30));
        t.set(Timer::Filler, CallTime::from_ms(20));
        assert_eq!(t.next(), Some(CallTime::from_ms(20)));
        assert_eq!(t.take_expired(CallTime::from_ms(10)), None);
        assert_eq!(t.take_expired(CallTime::from_ms(40)), Some(Timer::Filler));
        assert_eq!(t.take_expired(CallTime::from_ms(40)), Some(Timer::NoInput));
        assert_eq!(t.take_expired(CallTime::from_ms(40)), None);
    }

    #[test]
    fn index_of_every_timer_is_its_place_in_the_list() {
        for (i, t) in Timer::ALL.into_iter().enumerate() {
            assert_eq!(t as usize, i);
        }
    }
}
