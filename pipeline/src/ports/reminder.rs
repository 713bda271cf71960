//! What a call of ours is to remind of.

use chrono::NaiveDateTime;

/// An appointment. Only who has it hears of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Reminder {
    /// Reference of the request that it was booked with.
    pub item: String,
    /// Local time of the office.
    pub starts: NaiveDateTime,
    /// Where, as it was told; empty where it was not.
    pub place: String,
    /// Whoever talks pressed a key for it: no machine does. Otherwise they are asked before they are told.
    pub sure: bool,
}

impl std::fmt::Debug for Reminder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reminder").field("item", &self.item).field("sure", &self.sure).finish_non_exhaustive()
    }
}
