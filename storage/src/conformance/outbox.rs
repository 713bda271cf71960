//! Effects outside: once a key, one sender at a time, a person's word where one is needed.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use uuid::Uuid;

use super::Fixture;
use super::work::new_item;
use crate::Outbox as _;
use crate::outbox_records::{Lease, NewOutgoing, OutboxDecision, OutboxFilter, OutboxState, Settlement};
use crate::records::{TurnCommit, WorkFilter, WorkKind};
use crate::{OutboxId, StorageError, Turns, WorkItems};

fn new(key: &str) -> NewOutgoing {
    NewOutgoing {
        idempotency_key: key.into(),
        destination: "mcp:permits".into(),
        tool: "permits.book".into(),
        held: false,
        call_id: None,
        passport_id: None,
        payload: json!({"name": "Ana Lopez"}),
    }
}

/// Rows are due as soon as they are put; the clock of the tests is ahead of the store's by a second.
fn soon() -> DateTime<Utc> {
    Utc::now() + TimeDelta::seconds(1)
}

fn lease(owner: u128, now: DateTime<Utc>) -> Lease {
    Lease { owner: Uuid::from_u128(owner), now, until: now + TimeDelta::seconds(60), limit: 4 }
}

pub(crate) async fn an_effect_is_kept_once_a_key(f: &Fixture) {
    let commit = TurnCommit { outbox: vec![new("k1"), new("k2")], ..TurnCommit::default() };
    let first = f.river.commit_turn(commit.clone()).await.unwrap().outbox;
    assert_eq!((first.len(), first[0].state, first[0].attempts), (2, OutboxState::Pending, 0));
    assert_eq!(f.river.commit_turn(commit).await.unwrap().outbox, first);
    let changed = NewOutgoing { payload: json!({"other": true}), ..new("k1") };
    assert_eq!(f.river.put_outgoing(changed).await.unwrap(), first[0]);
    assert_eq!(f.river.list_outbox(OutboxFilter::default()).await.unwrap().len(), 2);
}

pub(crate) async fn an_effect_has_one_sender_until_its_lease_ends(f: &Fixture) {
    let put = f.river.put_outgoing(new("k")).await.unwrap();
    let now = soon();
    let taken = f.river.lease_outbox(lease(1, now)).await.unwrap();
    assert_eq!((taken.len(), taken[0].id, taken[0].attempts), (1, put.id, 1));
    assert!(f.river.lease_outbox(lease(2, now)).await.unwrap().is_empty(), "somebody has it");
    let later = now + TimeDelta::seconds(61);
    let again = f.river.lease_outbox(lease(2, later)).await.unwrap();
    assert_eq!((again[0].attempts, &again[0].idempotency_key), (2, &put.idempotency_key));
    let sent = || Settlement::Sent { answer: Some(json!({"reference": "P-1"})) };
    assert!(
        !f.river.settle_outgoing(put.id, Uuid::from_u128(1), sent()).await.unwrap(),
        "not theirs any more"
    );
    assert!(f.river.settle_outgoing(put.id, Uuid::from_u128(2), sent()).await.unwrap());
    let kept = f.river.outgoing(put.id).await.unwrap().unwrap();
    assert_eq!((kept.state, kept.answer), (OutboxState::Sent, Some(json!({"reference": "P-1"}))));
    assert!(f.river.lease_outbox(lease(3, later + TimeDelta::days(1))).await.unwrap().is_empty());
}

pub(crate) async fn senders_at_once_take_different_effects(f: &Fixture) {
    for n in 0..8 {
        f.river.put_outgoing(new(&format!("k{n}"))).await.unwrap();
    }
    let now = soon();
    let takes = (1..=4).map(|owner| {
        let store = f.river.clone();
        tokio::spawn(async move { store.lease_outbox(lease(owner, now)).await.unwrap() })
    });
    let mut ids = Vec::new();
    for take in takes {
        ids.extend(take.await.unwrap().into_iter().map(|row| row.id));
    }
    let taken = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), taken, "one was taken twice");
    assert!(taken >= 4);
}

pub(crate) async fn an_effect_waits_for_its_time_and_a_failed_one_is_told_to_a_person(f: &Fixture) {
    let put = f.river.put_outgoing(new("k")).await.unwrap();
    let (owner, now) = (Uuid::from_u128(1), soon());
    f.river.lease_outbox(lease(1, now)).await.unwrap();
    let next_at = now + TimeDelta::seconds(30);
    let again = Settlement::Again { next_at, problem: "timeout".into() };
    assert!(f.river.settle_outgoing(put.id, owner, again).await.unwrap());
    assert!(f.river.lease_outbox(lease(1, now + TimeDelta::seconds(29))).await.unwrap().is_empty());
    assert_eq!(f.river.lease_outbox(lease(1, next_at)).await.unwrap().len(), 1);
    let tell = Box::new(new_item(WorkKind::Escalation, "outbox/failed"));
    let failed = Settlement::Failed { problem: "refused".into(), tell };
    assert!(f.river.settle_outgoing(put.id, owner, failed.clone()).await.unwrap());
    assert!(!f.river.settle_outgoing(put.id, owner, failed).await.unwrap());
    let kept = f.river.outgoing(put.id).await.unwrap().unwrap();
    assert_eq!((kept.state, kept.problem.as_deref()), (OutboxState::Failed, Some("refused")));
    assert_eq!(f.river.list_work_items(WorkFilter::default()).await.unwrap().len(), 1);
}

pub(crate) async fn what_is_held_waits_for_one_decision(f: &Fixture) {
    let held = |key| NewOutgoing { held: true, ..new(key) };
    let one = f.river.put_outgoing(held("k1")).await.unwrap();
    let two = f.river.put_outgoing(held("k2")).await.unwrap();
    let later = soon() + TimeDelta::days(1);
    assert!(f.river.lease_outbox(lease(1, later)).await.unwrap().is_empty());
    let decision = |id, approve| OutboxDecision { id, approve, by: "ann".into(), at: soon() };
    let approved = f.river.decide_outgoing(decision(one.id, true)).await.unwrap();
    assert_eq!((approved.state, approved.decided_by.as_deref()), (OutboxState::Pending, Some("ann")));
    let rejected = f.river.decide_outgoing(decision(two.id, false)).await.unwrap();
    assert_eq!(rejected.state, OutboxState::Rejected);
    let twice = f.river.decide_outgoing(decision(two.id, true)).await;
    assert!(matches!(twice, Err(StorageError::Taken { what: "decision" })), "{twice:?}");
    let unknown = f.river.decide_outgoing(decision(OutboxId::new(), true)).await;
    assert!(matches!(unknown, Err(StorageError::NotFound { .. })), "{unknown:?}");
    let taken = f.river.lease_outbox(lease(1, later)).await.unwrap();
    assert_eq!(taken.iter().map(|row| row.id).collect::<Vec<_>>(), [one.id]);
    let filter = OutboxFilter { state: Some(OutboxState::Rejected), ..OutboxFilter::default() };
    assert_eq!(f.river.list_outbox(filter).await.unwrap(), [rejected]);
}

pub(crate) async fn an_effect_is_its_tenants_alone(f: &Fixture) {
    let put = f.river.put_outgoing(new("k")).await.unwrap();
    let owner = Uuid::from_u128(1);
    assert_eq!(f.lake.outgoing(put.id).await.unwrap(), None);
    assert!(f.lake.list_outbox(OutboxFilter::default()).await.unwrap().is_empty());
    assert!(f.lake.lease_outbox(lease(1, soon())).await.unwrap().is_empty());
    assert!(!f.lake.settle_outgoing(put.id, owner, Settlement::Sent { answer: None }).await.unwrap());
    let decision = OutboxDecision { id: put.id, approve: true, by: "eve".into(), at: soon() };
    assert!(f.lake.decide_outgoing(decision).await.is_err());
    assert_eq!(f.lake.put_outgoing(new("k")).await.unwrap().payload, put.payload, "a key of its own");
    assert_ne!(f.lake.list_outbox(OutboxFilter::default()).await.unwrap()[0].id, put.id);
}
