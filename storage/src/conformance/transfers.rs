//! Calls that are put through to a person of the office, and come back.

use std::time::Duration;

use chrono::{TimeDelta, Utc};

use super::passports::new_passport;
use super::{Fixture, new_call};
use crate::job_records::NewJob;
use crate::records::{CallState, NewCall, NewPassport};
use crate::transfers::{NewTransfer, Transfer, TransferResult, TransferStage};
use crate::{CallId, Calls, Jobs, PassportId, Passports, TenantStore, Transfers};

fn wish(call: CallId) -> NewTransfer {
    NewTransfer {
        call,
        actor: "agent".into(),
        target: "the clerk's office".into(),
        number: "+12025550180".into(),
        language: "en".into(),
        about: String::new(),
        warm: false,
        notes: false,
    }
}

async fn begun(store: &TenantStore) -> Transfer {
    let call = store.begin_call(new_call()).await.unwrap().id;
    store.begin_transfer(wish(call)).await.unwrap()
}

/// A row in the table.
pub(crate) async fn planted(store: &TenantStore) {
    begun(store).await;
}

pub(crate) async fn a_transfer_goes_forward_and_ends_once(f: &Fixture) {
    let store = &f.river;
    let kept = begun(store).await;
    assert_eq!((kept.stage, kept.result, kept.warm), (TransferStage::Asked, None, false));
    let sid = Some("CA9".to_owned());
    let now = store.note_transfer(kept.id, TransferStage::Accepted, sid.clone()).await.unwrap().unwrap();
    assert_eq!((now.stage, &now.carrier_sid), (TransferStage::Accepted, &sid));
    let late =
        store.note_transfer(kept.id, TransferStage::Dialling, Some("CA8".into())).await.unwrap().unwrap();
    assert_eq!((late.stage, &late.carrier_sid), (TransferStage::Accepted, &sid));
    assert!(store.end_transfer(kept.id, TransferResult::Busy).await.unwrap());
    assert!(!store.end_transfer(kept.id, TransferResult::Answered).await.unwrap());
    let ended = store.transfer(kept.id).await.unwrap().unwrap();
    assert_eq!((ended.stage, ended.result), (TransferStage::Ended, Some(TransferResult::Busy)));
    assert_eq!(f.lake.transfer(kept.id).await.unwrap(), None);
    assert!(f.lake.transfers_of(kept.call).await.unwrap().is_empty());
}

pub(crate) async fn transfers_of_which_nothing_was_heard_are_told(f: &Fixture) {
    let store = &f.river;
    let (over, waits) = (begun(store).await, begun(store).await);
    store.end_transfer(over.id, TransferResult::Busy).await.unwrap();
    let silent = async |since| -> Vec<_> {
        store.silent_transfers(since, 10).await.unwrap().into_iter().map(|kept| kept.id).collect()
    };
    assert!(silent(waits.heard_at - TimeDelta::seconds(1)).await.is_empty());
    assert_eq!(silent(waits.heard_at).await, [waits.id]);
    // What is heard again leads no further, and counts.
    tokio::time::sleep(Duration::from_millis(5)).await;
    let again = store.note_transfer(waits.id, TransferStage::Asked, None).await.unwrap().unwrap();
    assert!(again.stage == TransferStage::Asked && again.heard_at > waits.heard_at);
    assert!(silent(waits.heard_at).await.is_empty());
    assert!(f.lake.silent_transfers(Utc::now(), 10).await.unwrap().is_empty());
}

pub(crate) async fn the_work_of_a_call_waits_while_notes_are_taken(f: &Fixture) {
    let store = &f.river;
    let new = NewCall { passport_id: Some(PassportId::new()), ..new_call() };
    let (call, passport) = (new.id, new.passport_id.unwrap());
    store.begin_call(new).await.unwrap();
    let held = NewPassport { id: passport, call_id: Some(call), ..new_passport() };
    store.create_passport(held).await.unwrap();
    let kept = store.begin_transfer(NewTransfer { warm: true, notes: true, ..wish(call) }).await.unwrap();
    assert!(kept.notes && !kept.is_noted());
    let cold = NewTransfer { notes: true, ..wish(store.begin_call(new_call()).await.unwrap().id) };
    assert!(!store.begin_transfer(cold).await.unwrap().notes, "only where the person is asked first");
    let taken = store.note_transfer(kept.id, TransferStage::Accepted, None).await.unwrap().unwrap();
    assert!(taken.is_noted());
    store.end_call(call, "transferred", Utc::now()).await.unwrap();
    let job = NewJob {
        idempotency_key: "work".into(),
        passport_id: passport,
        team_id: String::new(),
        kind: "work".into(),
        run_after: Utc::now() - TimeDelta::seconds(1),
    };
    store.enqueue_job(job).await.unwrap();
    let claim = async || store.claim_job(Utc::now(), Utc::now() + TimeDelta::minutes(1)).await.unwrap();
    assert!(claim().await.is_none(), "they talk");
    store.resume_call(call).await.unwrap();
    store.end_transfer(kept.id, TransferResult::Answered).await.unwrap();
    assert!(claim().await.is_none(), "the last words are being written down");
    store.end_call(call, "transferred", Utc::now()).await.unwrap();
    assert!(claim().await.is_some());
    assert!(store.drop_notes(kept.id).await.unwrap());
    assert!(!store.drop_notes(kept.id).await.unwrap());
    assert!(!f.lake.drop_notes(kept.id).await.unwrap());
}

pub(crate) async fn of_two_transfers_of_a_call_the_later_counts(f: &Fixture) {
    let store = &f.river;
    let first = begun(store).await;
    let second = store.begin_transfer(wish(first.call)).await.unwrap();
    let all = store.transfers_of(first.call).await.unwrap();
    let told: Vec<_> = all.iter().map(|kept| (kept.id, kept.result)).collect();
    assert_eq!(told, [(first.id, Some(TransferResult::Dropped)), (second.id, None)]);
    assert!(store.drop_transfer(first.call).await.unwrap());
    assert!(!store.drop_transfer(first.call).await.unwrap());
}

pub(crate) async fn a_call_that_was_put_through_can_come_back(f: &Fixture) {
    let store = &f.river;
    let call = store.begin_call(new_call()).await.unwrap().id;
    assert!(!store.resume_call(call).await.unwrap(), "it is live");
    store.end_call(call, "transferred", Utc::now()).await.unwrap();
    assert!(store.resume_call(call).await.unwrap());
    let back = store.call(call).await.unwrap().unwrap();
    assert_eq!((back.state, back.end_reason, back.ended_at), (CallState::Live, None, None));
    // A stream that broke off while the caller waited for somebody is no end either.
    store.end_call(call, "stream_lost", Utc::now()).await.unwrap();
    assert!(store.resume_call(call).await.unwrap());
    store.end_call(call, "caller_hung_up", Utc::now()).await.unwrap();
    assert!(!store.resume_call(call).await.unwrap(), "it ended for good");
    let other = store.begin_call(NewCall { id: CallId::new(), ..new_call() }).await.unwrap().id;
    store.end_call(other, "interrupted", Utc::now()).await.unwrap();
    assert!(!f.lake.resume_call(other).await.unwrap());
    assert!(store.resume_call(other).await.unwrap());
}
