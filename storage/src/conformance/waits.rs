//! Callers who wait in line for a person of the office.

use chrono::{TimeDelta, Utc};

use super::{Fixture, new_call};
use crate::transfers::{BY_AGENT, NewTransfer, Transfer, TransferResult};
use crate::waits::{ALIVE, NewWait, Wait, WaitResult};
use crate::{CallId, Calls, TenantStore, Transfers, Waits};

const CLERK: &str = "the clerk's office";

fn transfer(call: CallId, target: &str) -> NewTransfer {
    NewTransfer {
        call,
        actor: BY_AGENT.into(),
        target: target.into(),
        number: "+12025550180".into(),
        language: "en".into(),
        about: String::new(),
        warm: false,
        notes: false,
    }
}

async fn called(store: &TenantStore) -> CallId {
    store.begin_call(new_call()).await.unwrap().id
}

async fn joined(store: &TenantStore, urgent: bool) -> Wait {
    let call = called(store).await;
    let new = NewWait { call, target: CLERK.into(), language: "en".into(), about: "report".into(), urgent };
    store.join_queue(new).await.unwrap()
}

/// A row in the table.
pub(crate) async fn planted(store: &TenantStore) {
    joined(store, false).await;
}

async fn takes(store: &TenantStore, call: CallId, people: u32) -> Option<Transfer> {
    store.take_place(transfer(call, CLERK), people, Utc::now()).await.unwrap()
}

pub(crate) async fn who_waits_longest_is_next_and_an_emergency_before_them(f: &Fixture) {
    let store = &f.river;
    let (first, second, third) =
        (joined(store, false).await, joined(store, false).await, joined(store, true).await);
    let places = async || {
        let queue = store.queue(CLERK, Utc::now()).await.unwrap();
        [&first, &second, &third].map(|wait| queue.place_of(wait.call))
    };
    assert_eq!(places().await, [2, 3, 1]);
    assert!(store.hurry_wait(second.call).await.unwrap());
    assert_eq!(places().await, [3, 1, 2]);
    // Who joins again keeps the place; who joins another line is at its end.
    let new = NewWait {
        call: second.call,
        target: CLERK.into(),
        language: "en".into(),
        about: String::new(),
        urgent: false,
    };
    let again = store.join_queue(new.clone()).await.unwrap();
    assert_eq!((again.id, again.joined_at), (second.id, second.joined_at));
    store.join_queue(NewWait { target: "the treasurer".into(), ..new }).await.unwrap();
    assert_eq!(places().await, [2, 3, 1]);
    let all: Vec<_> = store.waiting(Utc::now()).await.unwrap().into_iter().map(|wait| wait.call).collect();
    assert_eq!(all, [third.call, first.call, second.call]);
}

pub(crate) async fn a_place_is_taken_by_whose_turn_it_is(f: &Fixture) {
    let store = &f.river;
    let direct = takes(store, called(store).await, 1).await.expect("nobody waits, and somebody is there");
    let (first, second) = (joined(store, false).await, joined(store, false).await);
    assert_eq!(store.queue(CLERK, Utc::now()).await.unwrap().mean_s, None);
    assert!(takes(store, first.call, 1).await.is_none(), "the one person is on a call");
    assert!(takes(store, second.call, 2).await.is_none(), "the second person is for who waits longer");
    assert!(takes(store, called(store).await, 2).await.is_none(), "who comes now is behind both");
    store.end_transfer(direct.id, TransferResult::Answered).await.unwrap();
    assert_eq!(store.queue(CLERK, Utc::now()).await.unwrap().mean_s, Some(0));
    let through = takes(store, first.call, 1).await.expect("it is their turn");
    assert_eq!((through.call, through.target.as_str()), (first.call, CLERK));
    let over = store.wait_of(first.call).await.unwrap().unwrap();
    assert_eq!(over.result, Some(WaitResult::PutThrough));
    let queue = store.queue(CLERK, Utc::now()).await.unwrap();
    assert_eq!((queue.busy, queue.place_of(second.call)), (1, 1));
    assert!(takes(store, second.call, 2).await.is_some(), "two people, one of them on a call");
}

pub(crate) async fn of_two_at_once_one_gets_the_last_person(f: &Fixture) {
    for _ in 0..5 {
        let store = &f.river;
        let (one, other) = (called(store).await, called(store).await);
        let (first, second) = tokio::join!(takes(store, one, 1), takes(store, other, 1));
        assert!(first.is_some() != second.is_some(), "{first:?} {second:?}");
        for taken in [first, second].into_iter().flatten() {
            store.end_transfer(taken.id, TransferResult::Busy).await.unwrap();
        }
    }
}

pub(crate) async fn who_is_not_heard_of_keeps_the_place_and_holds_up_nobody(f: &Fixture) {
    let store = &f.river;
    let (lost, next) = (joined(store, false).await, joined(store, false).await);
    let later = Utc::now() + ALIVE + TimeDelta::seconds(1);
    assert_eq!(store.queue(CLERK, later).await.unwrap().waiting, []);
    assert!(store.take_place(transfer(next.call, CLERK), 1, later).await.unwrap().is_some());
    assert!(store.hear_wait(lost.id).await.unwrap());
    let queue = store.queue(CLERK, Utc::now()).await.unwrap();
    assert_eq!((queue.place_of(lost.call), queue.waiting[0].joined_at), (1, lost.joined_at));
    let silent: Vec<_> =
        store.silent_waits(later, 10).await.unwrap().into_iter().map(|wait| wait.id).collect();
    assert_eq!(silent, [lost.id]);
    assert_eq!(store.silent_waits(lost.joined_at - TimeDelta::seconds(1), 10).await.unwrap(), []);
}

pub(crate) async fn a_wait_ends_once_and_is_its_tenants_alone(f: &Fixture) {
    let store = &f.river;
    let wait = joined(store, false).await;
    assert_eq!(f.lake.wait_of(wait.call).await.unwrap(), None);
    assert_eq!(f.lake.waiting(Utc::now()).await.unwrap(), []);
    assert_eq!(f.lake.end_wait(wait.call, WaitResult::Left).await.unwrap(), None);
    let ended = store.end_wait(wait.call, WaitResult::CalledBack).await.unwrap().expect("it was open");
    assert_eq!((ended.id, ended.result), (wait.id, Some(WaitResult::CalledBack)));
    assert_eq!(store.end_wait(wait.call, WaitResult::HungUp).await.unwrap(), None);
    assert!(!store.hear_wait(wait.id).await.unwrap() && !store.hurry_wait(wait.call).await.unwrap());
    let kept = store.wait_of(wait.call).await.unwrap().unwrap();
    assert_eq!((kept.result, kept.joined_at), (Some(WaitResult::CalledBack), wait.joined_at));
}
