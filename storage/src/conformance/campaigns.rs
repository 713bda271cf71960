//! Calls to a list of numbers.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Fixture, new_call};
use crate::campaigns::{CampaignState, Entry, EntryState, NewCampaign, NewEntry};
use crate::dials::NewDoNotCall;
use crate::outreach::{Comes, NewOutreach, OutreachResult, Purpose};
use crate::records::{Direction, NewCall};
use crate::retries::NewRetries;
use crate::{
    CallId, CampaignEntryId, CampaignId, Campaigns, Dials, Outreach, Retries, StorageError, TenantStore,
};

const HOUR: TimeDelta = TimeDelta::hours(1);
const NUMBERS: [&str; 3] = ["+12025550171", "+12025550172", "+12025550173"];

fn listed(numbers: &[&str]) -> Vec<NewEntry> {
    let entry = |(position, number): (u32, &&str)| NewEntry {
        position,
        number: (!number.is_empty()).then(|| (*number).to_owned()),
        item: None,
    };
    (1..).zip(numbers).map(entry).collect()
}

async fn begun(store: &TenantStore, numbers: &[&str]) -> CampaignId {
    let new = NewCampaign {
        id: CampaignId::new(),
        purpose: Purpose::Request,
        actor: "bo".into(),
        line: "+12025550100".into(),
        language: "es".into(),
        from: Utc::now() - HOUR,
        until: Utc::now() + HOUR * 72,
        at_once: 2,
        retries: NewRetries { most: 1, every: HOUR, machines: false },
        entries: listed(numbers),
    };
    let kept = store.begin_campaign(new).await.unwrap();
    assert_eq!((kept.state, kept.at_once, kept.retries.most), (CampaignState::Paused, 2, 1));
    kept.id
}

async fn running(store: &TenantStore, numbers: &[&str]) -> CampaignId {
    let id = begun(store, numbers).await;
    assert!(store.turn_campaign(id, CampaignState::Running).await.unwrap());
    id
}

async fn calls(
    store: &TenantStore,
    entry: CampaignEntryId,
    number: &str,
) -> Result<Option<CallId>, StorageError> {
    let call = NewCall { direction: Direction::Outbound, caller: Some(number.into()), ..new_call() };
    let new = NewOutreach {
        call,
        purpose: Purpose::Request,
        actor: "bo".into(),
        comes: Comes::Listed(entry),
        item: None,
    };
    Ok(store.begin_outreach(new).await?.map(|call| call.id))
}

async fn entry(store: &TenantStore, id: CampaignId, at: usize) -> Entry {
    store.campaign_entries(id).await.unwrap().remove(at)
}

async fn due(store: &TenantStore, id: CampaignId, at: DateTime<Utc>) -> Vec<u32> {
    store.due_entries(id, at, 9).await.unwrap().iter().map(|entry| entry.position).collect()
}

/// A row in each table.
pub(crate) async fn planted(store: &TenantStore) {
    begun(store, &NUMBERS).await;
}

pub(crate) async fn a_list_is_kept_once_a_number_and_without_what_has_none(f: &Fixture) {
    let store = &f.river;
    let id = begun(store, &[NUMBERS[0], "(202) 555-0171", "", NUMBERS[1]]).await;
    let entries = store.campaign_entries(id).await.unwrap();
    let stand: Vec<_> = entries.iter().map(|e| (e.position, e.state, e.reason.as_deref())).collect();
    let waits = EntryState::Waiting;
    assert_eq!(stand, [(1, waits, None), (3, EntryState::Ended, Some("no_number")), (4, waits, None)]);
    assert_eq!(store.entry_number(entries[0].id).await.unwrap().as_deref(), Some(NUMBERS[0]));
    let counts = store.campaign_counts(id).await.unwrap();
    assert_eq!(counts.iter().map(|one| one.count).sum::<u32>(), 3, "{counts:?}");
    let other = begun(store, &NUMBERS).await;
    let newest = store.campaigns(None, 9).await.unwrap();
    assert_eq!(newest.iter().map(|one| one.id).collect::<Vec<_>>(), [other, id]);
    assert_eq!(store.campaigns(Some(other), 9).await.unwrap().len(), 1);
    assert_eq!(f.lake.campaign(id).await.unwrap(), None);
    assert!(f.lake.campaign_entries(id).await.unwrap().is_empty());
    assert!(!f.lake.turn_campaign(id, CampaignState::Running).await.unwrap());
}

pub(crate) async fn a_number_is_called_as_often_as_is_wanted_and_then_forgotten(f: &Fixture) {
    let store = &f.river;
    let id = running(store, &NUMBERS[..1]).await;
    let now = Utc::now();
    let first = entry(store, id, 0).await;
    let call = calls(store, first.id, NUMBERS[0]).await.unwrap().expect("a call");
    let kept = entry(store, id, 0).await;
    assert_eq!((kept.state, kept.attempts, kept.last), (EntryState::Calling, 1, Some(call)));
    assert_eq!(store.outreach(call).await.unwrap().unwrap().campaign, Some(id));
    let twice = calls(store, first.id, NUMBERS[0]).await;
    assert!(!matches!(twice, Ok(Some(_))), "one attempt is one call: {twice:?}");
    assert!(!store.finish_campaign(id, now).await.unwrap(), "somebody is being called");
    assert!(store.end_outreach(call, OutreachResult::NoAnswer).await.unwrap());
    assert!(due(store, id, now).await.is_empty());
    assert_eq!(due(store, id, now + HOUR * 2).await, [1]);
    let second = calls(store, first.id, NUMBERS[0]).await.unwrap().expect("a call");
    assert_eq!(store.outreach(second).await.unwrap().unwrap().first, call);
    assert_eq!(store.retries(call).await.unwrap(), None, "the campaign alone tries again");
    assert!(store.end_outreach(second, OutreachResult::Busy).await.unwrap());
    let kept = entry(store, id, 0).await;
    assert_eq!(
        (kept.state, kept.attempts, kept.reason.as_deref()),
        (EntryState::Ended, 2, Some("busy")),
        "once more was wanted"
    );
    assert_eq!(store.entry_number(first.id).await.unwrap(), None);
    assert_eq!(store.entry_of_call(second).await.unwrap().unwrap().id, first.id);
    assert_eq!(
        store.campaign_results(id, 9).await.unwrap(),
        [OutreachResult::Busy, OutreachResult::NoAnswer]
    );
    assert!(store.finish_campaign(id, now).await.unwrap());
    assert!(!store.finish_campaign(id, now).await.unwrap(), "once");
    assert_eq!(store.campaign(id).await.unwrap().unwrap().state, CampaignState::Ended);
    assert!(!store.turn_campaign(id, CampaignState::Running).await.unwrap());
}

pub(crate) async fn who_was_reached_is_not_called_again(f: &Fixture) {
    let store = &f.river;
    for result in [OutreachResult::Reached, OutreachResult::Machine, OutreachResult::WrongNumber] {
        let id = running(store, &NUMBERS[..1]).await;
        let first = entry(store, id, 0).await;
        let call = calls(store, first.id, NUMBERS[0]).await.unwrap().expect("a call");
        store.end_outreach(call, result).await.unwrap();
        let kept = entry(store, id, 0).await;
        assert_eq!((kept.state, kept.reason.as_deref()), (EntryState::Ended, Some(result.as_str())));
    }
}

pub(crate) async fn a_campaign_that_does_not_run_begins_no_call(f: &Fixture) {
    let store = &f.river;
    let id = running(store, &NUMBERS[..2]).await;
    let (first, other) = (entry(store, id, 0).await, entry(store, id, 1).await);
    let call = calls(store, first.id, NUMBERS[0]).await.unwrap().expect("a call");
    assert!(store.turn_campaign(id, CampaignState::Paused).await.unwrap());
    assert!(!store.turn_campaign(id, CampaignState::Paused).await.unwrap());
    let refused = calls(store, other.id, NUMBERS[1]).await;
    assert!(matches!(refused, Err(StorageError::NotFound { .. })), "{refused:?}");
    assert!(store.turn_campaign(id, CampaignState::Canceled).await.unwrap());
    let kept = entry(store, id, 1).await;
    assert_eq!((kept.state, kept.reason.as_deref()), (EntryState::Ended, Some("canceled")));
    store.end_outreach(call, OutreachResult::NoAnswer).await.unwrap();
    let kept = entry(store, id, 0).await;
    assert_eq!((kept.state, kept.reason.as_deref()), (EntryState::Ended, Some("no_answer")), "goes on alone");
    assert!(!store.turn_campaign(id, CampaignState::Running).await.unwrap());
}

pub(crate) async fn who_wants_no_calls_is_taken_out_of_every_campaign(f: &Fixture) {
    let store = &f.river;
    let (one, other) = (begun(store, &NUMBERS).await, running(store, &NUMBERS).await);
    let theirs = running(&f.lake, &NUMBERS).await;
    let by = NewDoNotCall { number: "202 555 0171".into(), source: "staff".into(), by: "bo".into() };
    store.forbid_calls(by).await.unwrap();
    for id in [one, other] {
        assert_eq!(due(store, id, Utc::now()).await, [2, 3]);
        let kept = entry(store, id, 0).await;
        assert_eq!(kept.reason.as_deref(), Some("do_not_call"));
        assert_eq!(store.entry_number(kept.id).await.unwrap(), None);
    }
    assert_eq!(due(&f.lake, theirs, Utc::now()).await, [1, 2, 3], "their own list");
    let second = entry(store, other, 1).await;
    let call = calls(store, second.id, NUMBERS[1]).await.unwrap().expect("a call");
    assert!(store.opt_out(call, "voice").await.unwrap());
    assert_eq!(due(store, one, Utc::now()).await, [3]);
    store.end_outreach(call, OutreachResult::OptedOut).await.unwrap();
    assert_eq!(entry(store, other, 1).await.reason.as_deref(), Some("opted_out"));
}

pub(crate) async fn a_campaign_is_claimed_by_one_until_its_claim_runs_out(f: &Fixture) {
    let store = &f.river;
    let id = begun(store, &NUMBERS).await;
    let (now, minute) = (Utc::now(), TimeDelta::minutes(1));
    let soon = now + minute;
    assert_eq!(store.claim_campaign(now, soon, soon).await.unwrap(), None, "paused");
    store.turn_campaign(id, CampaignState::Running).await.unwrap();
    assert_eq!(store.claim_campaign(now - HOUR * 2, soon, soon).await.unwrap(), None, "not yet");
    assert_eq!(f.lake.claim_campaign(now, soon, soon).await.unwrap(), None);
    assert_eq!(store.claim_campaign(now, soon, now + minute).await.unwrap().map(|kept| kept.id), Some(id));
    assert_eq!(store.claim_campaign(now, soon, now + minute).await.unwrap(), None, "claimed");
    // Whoever claimed it is gone.
    let later = now + minute * 2;
    assert!(store.claim_campaign(later, soon, later + minute).await.unwrap().is_some());
    store.release_campaign(id, Some("no_room")).await.unwrap();
    assert_eq!(store.campaign(id).await.unwrap().unwrap().waits.as_deref(), Some("no_room"));
    assert_eq!(store.claim_campaign(later, now, later + minute).await.unwrap(), None, "looked at");
    assert!(store.claim_campaign(later, later, later + minute).await.unwrap().is_some());
    store.release_campaign(id, None).await.unwrap();

    let first = entry(store, id, 0).await;
    assert!(store.put_off_entry(first.id, now + HOUR, "quiet_hours").await.unwrap());
    assert_eq!(due(store, id, now).await, [2, 3]);
    assert!(store.end_entry(entry(store, id, 1).await.id, "no_consent").await.unwrap());
    assert!(!store.end_entry(entry(store, id, 1).await.id, "no_consent").await.unwrap());
    assert!(!store.put_off_entry(entry(store, id, 1).await.id, now, "quiet_hours").await.unwrap());
    // Past its time those who wait are not called any more, though it is paused.
    store.turn_campaign(id, CampaignState::Paused).await.unwrap();
    let over = now + HOUR * 73;
    assert!(store.claim_campaign(over, over, over + minute).await.unwrap().is_some());
    assert!(store.finish_campaign(id, over).await.unwrap());
    let reasons: Vec<_> =
        store.campaign_entries(id).await.unwrap().into_iter().filter_map(|entry| entry.reason).collect();
    assert_eq!(reasons, ["too_late", "no_consent", "too_late"]);
    store.release_campaign(id, Some("no_room")).await.unwrap();
    assert_eq!(store.campaign(id).await.unwrap().unwrap().waits, None, "it is over");
}
