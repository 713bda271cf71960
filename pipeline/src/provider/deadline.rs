//! How long a provider may take on a live call. Deadlines, not errors, are how most providers fail.

use std::time::Duration;

/// Deadlines of one kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// From nothing to an open connection.
    pub connect: Duration,
    /// From the work being asked for to the first of the answer; then a standby is started beside it. A voice is asked once
    /// more itself instead: its standby has another sound.
    pub first: Duration,
    /// Between two pieces of an answer that is not complete.
    pub between: Duration,
    /// From the work being asked for to the first of the answer; then the provider has failed.
    pub give_up: Duration,
}

impl Deadlines {
    /// Speech to text: `first` and `between` count while the caller speaks, `give_up` from a pause to its final.
    pub const STT: Self = Self::ms(1_500, 1_500, 1_500, 900);
    /// Text to speech: from text to audio.
    pub const TTS: Self = Self::ms(1_500, 400, 600, 1_200);
    /// Language models: from request to first token.
    pub const LLM: Self = Self::ms(1_000, 1_200, 1_500, 3_000);

    const fn ms(connect: u64, first: u64, between: u64, give_up: u64) -> Self {
        Self {
            connect: Duration::from_millis(connect),
            first: Duration::from_millis(first),
            between: Duration::from_millis(between),
            give_up: Duration::from_millis(give_up),
        }
    }
}
