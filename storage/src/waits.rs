//! Callers who wait in line for a person of the office.

use chrono::{DateTime, TimeDelta, Utc};

use crate::ids::{CallId, WaitId};
use crate::records::word_enum;

word_enum! {
    /// What came of a wait.
    WaitResult {
        /// It was their turn: what came of the transfer is told by that.
        PutThrough = "put_through",
        /// They are called back, and keep the place.
        CalledBack = "called_back",
        /// They want neither.
        Left = "left",
        HungUp = "hung_up",
        /// A person of the office has the call.
        TakenOver = "taken_over",
        /// Nobody holds the caller any more, or nobody is there to be waited for.
        Lost = "lost",
    }
}

/// Who was not heard of for so long keeps the place, and holds up nobody behind it.
pub const ALIVE: TimeDelta = TimeDelta::seconds(30);
/// Callers in one line; the next is not offered to wait.
pub const MOST_WAITING: u32 = 50;
/// Transfers whose length is averaged.
pub const AVERAGED: i64 = 10;

/// A caller who joins a line.
#[derive(Clone, Debug)]
pub struct NewWait {
    pub call: CallId,
    /// The target's name, as callers hear it.
    pub target: String,
    pub language: String,
    /// What the person there is told of it: words of the tenant's own, or nothing.
    pub about: String,
    /// They told of an emergency: before all who did not.
    pub urgent: bool,
}

/// A wait as it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wait {
    pub id: WaitId,
    pub call: CallId,
    pub target: String,
    pub language: String,
    pub about: String,
    pub urgent: bool,
    pub joined_at: DateTime<Utc>,
    /// A process said that it holds the caller.
    pub heard_at: DateTime<Utc>,
    pub ended_at: Option<DateTime<Utc>>,
    pub result: Option<WaitResult>,
}

/// The line of a target.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Queue {
    /// Calls with people there, or on their way.
    pub busy: u32,
    /// Who waits, the next first.
    pub waiting: Vec<Wait>,
    /// Mean length of the last calls there that were answered. `None`: none is known.
    pub mean_s: Option<u32>,
}

impl Queue {
    /// From one. Who is not in the line would be behind all.
    #[must_use]
    pub fn place_of(&self, call: CallId) -> u32 {
        let before = self.waiting.iter().position(|wait| wait.call == call).unwrap_or(self.waiting.len());
        u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// Whether a person of so many is there for whoever has this place.
    #[must_use]
    pub const fn is_turn(&self, place: u32, people: u32) -> bool {
        place <= people.saturating_sub(self.busy)
    }

    /// How long it may take until it is the turn of this place, in whole minutes: each of the people there is done once in the mean
    /// length of a call. `None`: no call is known to tell by.
    #[must_use]
    pub fn minutes(&self, place: u32, people: u32) -> Option<u32> {
        let all = u64::from(self.mean_s?) * u64::from(place);
        let minutes = all.div_ceil(u64::from(people.max(1)) * 60).max(1);
        Some(u32::try_from(minutes).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_is_of_the_people_before_and_of_the_calls_that_were() {
        let line = |mean_s| Queue { mean_s, ..Queue::default() };
        for (mean_s, place, people, minutes) in [
            (None, 3, 1, None),
            (Some(0), 1, 1, Some(1)),
            (Some(20), 1, 1, Some(1)),
            (Some(120), 2, 1, Some(4)),
            (Some(120), 2, 2, Some(2)),
            (Some(90), 3, 2, Some(3)),
            // Nobody there is read as one: the document is held against that.
            (Some(60), 2, 0, Some(2)),
        ] {
            assert_eq!(line(mean_s).minutes(place, people), minutes, "{mean_s:?} {place} {people}");
        }
    }

    #[test]
    fn it_is_the_turn_of_as_many_as_there_are_people_free() {
        let line = |busy| Queue { busy, ..Queue::default() };
        assert!(line(0).is_turn(1, 1) && !line(0).is_turn(2, 1));
        assert!(!line(1).is_turn(1, 1) && line(1).is_turn(1, 2));
        // Supervisors put through past the line.
        assert!(!line(3).is_turn(1, 2));
        assert_eq!(line(0).place_of(CallId::new()), 1);
    }
}
