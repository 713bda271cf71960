//! Attempts that follow a call of ours which reached nobody.

use chrono::{TimeDelta, Utc};

use super::{Fixture, new_call};
use crate::outreach::{Comes, NewOutreach, OutreachResult, Purpose};
use crate::records::{Direction, NewCall};
use crate::retries::{NewRetries, RetryState};
use crate::{CallId, Outreach, Retries, StorageError, TenantStore};

const HOUR: TimeDelta = TimeDelta::hours(1);

fn wish(comes: Comes) -> NewOutreach {
    let call = NewCall { direction: Direction::Outbound, caller: Some("+12025550199".into()), ..new_call() };
    NewOutreach { call, purpose: Purpose::Callback, actor: "bo".into(), comes, item: Some("INS-1".into()) }
}

fn twice() -> Comes {
    Comes::First(NewRetries { most: 2, every: HOUR, machines: false })
}

async fn begun(store: &TenantStore, comes: Comes) -> CallId {
    store.begin_outreach(wish(comes)).await.unwrap().expect("a call").id
}

/// A row that waits.
pub(crate) async fn planted(store: &TenantStore) {
    let id = begun(store, twice()).await;
    store.end_outreach(id, OutreachResult::NoAnswer).await.unwrap();
}

pub(crate) async fn who_was_not_reached_is_tried_again_as_often_as_was_wanted(f: &Fixture) {
    let store = &f.river;
    let first = begun(store, twice()).await;
    assert_eq!(store.retries(first).await.unwrap().unwrap().state, RetryState::Calling);
    assert!(store.end_outreach(first, OutreachResult::NoAnswer).await.unwrap());
    assert!(!store.end_outreach(first, OutreachResult::Busy).await.unwrap());
    let kept = store.retries(first).await.unwrap().unwrap();
    assert_eq!(
        (kept.state, kept.remaining, kept.reason.as_deref()),
        (RetryState::Waiting, 2, Some("no_answer"))
    );
    let due = kept.due_at.unwrap();
    assert!(due > Utc::now() + TimeDelta::minutes(59) && due <= Utc::now() + HOUR, "{due}");

    let second = begun(store, Comes::Again(first)).await;
    let kept = store.retries(first).await.unwrap().unwrap();
    assert_eq!((kept.state, kept.remaining, kept.last, kept.due_at), (RetryState::Calling, 1, second, None));
    let again = store.outreach(second).await.unwrap().unwrap();
    assert_eq!((again.first, again.item.as_deref()), (first, Some("INS-1")));
    assert!(store.end_outreach(second, OutreachResult::Busy).await.unwrap());
    let third = begun(store, Comes::Again(first)).await;
    assert!(store.end_outreach(third, OutreachResult::Failed).await.unwrap());
    let kept = store.retries(first).await.unwrap().unwrap();
    assert_eq!((kept.state, kept.remaining, kept.reason.as_deref()), (RetryState::Ended, 0, Some("failed")));
    let attempts: Vec<CallId> = store.attempts(first).await.unwrap().iter().map(|call| call.id).collect();
    assert_eq!(attempts, [first, second, third]);
    assert_eq!(f.lake.retries(first).await.unwrap(), None);
    assert_eq!(f.lake.attempts(first).await.unwrap(), []);
}

pub(crate) async fn an_attempt_that_does_not_wait_is_not_made(f: &Fixture) {
    let store = &f.river;
    let first = begun(store, twice()).await;
    store.end_outreach(first, OutreachResult::NoAnswer).await.unwrap();
    assert!(store.stop_retries(first, "canceled").await.unwrap());
    assert!(!store.stop_retries(first, "other").await.unwrap());
    let refused = store.begin_outreach(wish(Comes::Again(first))).await;
    assert!(matches!(refused, Err(StorageError::NotFound { .. })), "{refused:?}");
    // Nothing of it stays: the number is free.
    assert_eq!(store.attempts(first).await.unwrap().len(), 1);
    begun(store, Comes::Once).await;
    let kept = store.retries(first).await.unwrap().unwrap();
    assert_eq!((kept.state, kept.reason.as_deref()), (RetryState::Ended, Some("canceled")));
}

pub(crate) async fn only_who_was_not_reached_is_tried_again(f: &Fixture) {
    let store = &f.river;
    for (result, machines, follows) in [
        (OutreachResult::NoAnswer, false, true),
        (OutreachResult::Busy, false, true),
        (OutreachResult::Failed, false, true),
        (OutreachResult::Machine, false, false),
        (OutreachResult::Machine, true, true),
        (OutreachResult::Reached, true, false),
        (OutreachResult::MessageLeft, true, false),
        (OutreachResult::NoResponse, true, false),
        (OutreachResult::WrongNumber, true, false),
        (OutreachResult::OptedOut, true, false),
    ] {
        let id = begun(store, Comes::First(NewRetries { most: 1, every: HOUR, machines })).await;
        store.end_outreach(id, result).await.unwrap();
        let kept = store.retries(id).await.unwrap().unwrap();
        assert_eq!(kept.state == RetryState::Waiting, follows, "{result:?} {machines}");
        assert_eq!(kept.reason.as_deref(), Some(result.as_str()));
        store.stop_retries(id, "canceled").await.unwrap();
    }
    // Who cancels while it rings lets that call go on, and no other.
    let id = begun(store, twice()).await;
    assert!(store.stop_retries(id, "canceled").await.unwrap());
    store.end_outreach(id, OutreachResult::Busy).await.unwrap();
    assert_eq!(store.retries(id).await.unwrap().unwrap().reason.as_deref(), Some("canceled"));
}

pub(crate) async fn an_attempt_is_claimed_by_one_until_its_claim_runs_out(f: &Fixture) {
    let store = &f.river;
    let first = begun(store, twice()).await;
    let now = Utc::now();
    let (due, minute) = (now + HOUR + TimeDelta::minutes(1), TimeDelta::minutes(1));
    assert_eq!(store.claim_retry(due, due + minute).await.unwrap(), None, "one is being made");
    store.end_outreach(first, OutreachResult::NoAnswer).await.unwrap();
    assert_eq!(store.claim_retry(now, now + minute).await.unwrap(), None, "not due");
    assert_eq!(f.lake.claim_retry(due, due + minute).await.unwrap(), None);
    assert_eq!(store.claim_retry(due, due + minute).await.unwrap().map(|kept| kept.id), Some(first));
    assert_eq!(store.claim_retry(due, due + minute).await.unwrap(), None, "claimed");
    // Whoever claimed it is gone.
    let later = due + minute * 2;
    assert_eq!(store.claim_retry(later, later + minute).await.unwrap().map(|kept| kept.id), Some(first));
    let next = later + HOUR;
    assert!(store.put_off_retry(first, next, "quiet_hours").await.unwrap());
    assert_eq!(store.claim_retry(later + minute, next).await.unwrap(), None, "put off");
    let kept = store.claim_retry(next + minute, next + HOUR).await.unwrap().unwrap();
    assert_eq!((kept.reason.as_deref(), kept.remaining), (Some("quiet_hours"), 2));
    store.stop_retries(first, "canceled").await.unwrap();
    assert!(!store.put_off_retry(first, next, "quiet_hours").await.unwrap());
}
