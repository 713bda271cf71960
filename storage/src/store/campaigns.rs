//! Campaigns, as a store offers them.

use chrono::{DateTime, Utc};

use super::{Either, Result};
use crate::backend::TenantStore;
use crate::campaigns::{Campaign, CampaignState, Entry, EntryCount, NewCampaign};
use crate::ids::{CallId, CampaignEntryId, CampaignId};
use crate::outreach::OutreachResult;

store! {
    /// Calls to a list of numbers.
    Campaigns of TenantStore {
        /// Keeps one, paused, with its list. A number that stands twice in it is kept once.
        fn begin_campaign(&self, new: NewCampaign) -> Campaign;
        fn campaign(&self, id: CampaignId) -> Option<Campaign>;
        /// Newest first, after this one.
        fn campaigns(&self, after: Option<CampaignId>, limit: u32) -> Vec<Campaign>;
        /// How many of its numbers stand how.
        fn campaign_counts(&self, id: CampaignId) -> Vec<EntryCount>;
        /// All of its numbers, in the order of the list.
        fn campaign_entries(&self, id: CampaignId) -> Vec<Entry>;
        /// Pauses, resumes, or cancels it; whoever is canceled and still waits is not called. `false`: it is over, or stands so.
        fn turn_campaign(&self, id: CampaignId, to: CampaignState) -> bool;
        /// One that has something to do at this time and was not looked at since `before`, for whoever asks alone until then.
        fn claim_campaign(&self, at: DateTime<Utc>, before: DateTime<Utc>, until: DateTime<Utc>) -> Option<Campaign>;
        /// It was looked at; `waits`: why none of its calls begins now.
        fn release_campaign(&self, id: CampaignId, waits: Option<&str>) -> ();
        /// Past its time nobody is called any more; and it ends with the last of its numbers. `false`: it goes on.
        fn finish_campaign(&self, id: CampaignId, at: DateTime<Utc>) -> bool;
        /// What its latest calls came to, newest first.
        fn campaign_results(&self, id: CampaignId, limit: u32) -> Vec<OutreachResult>;
        /// Those that may be called at this time, the longest due first.
        fn due_entries(&self, id: CampaignId, at: DateTime<Utc>, limit: u32) -> Vec<Entry>;
        /// Whom it is to reach, while they may be called. For zone code only.
        fn entry_number(&self, id: CampaignEntryId) -> Option<String>;
        /// The one whose latest attempt a call is.
        fn entry_of_call(&self, call: CallId) -> Option<Entry>;
        /// It is called then. `false`: it does not wait.
        fn put_off_entry(&self, id: CampaignEntryId, until: DateTime<Utc>, reason: &str) -> bool;
        /// It is done with; a call that is being made goes on. `false`: it was.
        fn end_entry(&self, id: CampaignEntryId, reason: &str) -> bool;
    }
}
