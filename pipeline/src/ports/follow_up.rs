//! What a call of ours is to ask for.

use chrono::NaiveDate;

/// What a team found missing in a request. Only whose request it is hears of it.
#[derive(Clone, PartialEq, Eq)]
pub struct FollowUp {
    /// Reference of the request that the answers are noted on.
    pub item: String,
    /// What it is about: `incident`, `inspection`, or `message`; else the call itself.
    pub kind: String,
    /// When that was left, by the office's calendar.
    pub on: NaiveDate,
    /// Where, as it was told; empty where it was not.
    pub place: String,
    /// As the team calls it: `where`, `when`.
    pub missing: Vec<String>,
    /// Whoever talks pressed a key for it: no machine does. Otherwise they are asked before they are told.
    pub sure: bool,
}

impl std::fmt::Debug for FollowUp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FollowUp").field("item", &self.item).field("sure", &self.sure).finish_non_exhaustive()
    }
}
