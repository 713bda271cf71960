//! Calls that people have placed about requests, and who does not want to be called.

use chrono::{TimeDelta, Utc};

use super::Fixture;
use super::work::new_item;
use crate::dials::{Dial, DialBegun, DialNews, DialResult, DialStage, NewDial, NewDoNotCall};
use crate::records::{WorkKind, WorkStatus};
use crate::work_acts::{NewWorkAct, WorkActKind, WorkMove, WorkRefusal};
use crate::{DialId, Dials, StorageError, TenantStore, WorkItemId, WorkItems};

fn wish(item: WorkItemId, actor: &str) -> NewDial {
    NewDial { id: DialId::new(), item, actor: actor.into(), line: "+12025550100".into() }
}

async fn begun(store: &TenantStore, key: &str) -> Dial {
    let item = store.file_work_item(new_item(WorkKind::Callback, key)).await.unwrap().id;
    match store.begin_dial(wish(item, "ana")).await.unwrap() {
        DialBegun::Begun(dial) => dial,
        other => panic!("{other:?}"),
    }
}

async fn acts(store: &TenantStore, item: WorkItemId) -> Vec<WorkActKind> {
    store.work_history(item).await.unwrap().iter().map(|act| act.act).collect()
}

/// A row in each table.
pub(crate) async fn planted(store: &TenantStore) {
    begun(store, "dialled").await;
    let new = NewDoNotCall { number: "+12025550123".into(), source: "staff".into(), by: "ana".into() };
    store.forbid_calls(new).await.unwrap();
}

pub(crate) async fn a_call_about_a_request_is_placed_once_and_its_history_tells(f: &Fixture) {
    let store = &f.river;
    let dial = begun(store, "k").await;
    assert_eq!((dial.stage, dial.result, dial.machine), (DialStage::Placing, None, false));
    let item = store.work_item_by_id(dial.item).await.unwrap().unwrap();
    assert_eq!((item.status, item.assignee.as_deref()), (WorkStatus::InProgress, Some("ana")));
    let DialBegun::UnderWay(open) = store.begin_dial(wish(dial.item, "ana")).await.unwrap() else {
        panic!("a second call was begun")
    };
    assert_eq!(open.id, dial.id);
    let held = store.begin_dial(wish(dial.item, "bo")).await.unwrap();
    assert_eq!(held, DialBegun::Refused(WorkRefusal::HeldBy("ana".into())));
    assert!(store.end_dial(dial.id, DialResult::NoAnswer).await.unwrap());
    assert!(matches!(store.begin_dial(wish(dial.item, "ana")).await.unwrap(), DialBegun::Begun(_)));
    let told = [WorkActKind::Claimed, WorkActKind::Called, WorkActKind::NoAnswer, WorkActKind::Called];
    assert_eq!(acts(store, dial.item).await, told, "claimed once");

    let closed = store.file_work_item(new_item(WorkKind::Callback, "c")).await.unwrap().id;
    let made = WorkMove::Done { outcome: "called".into(), line_right: None };
    store.act_on_work_item(NewWorkAct { item: closed, actor: "ana".into(), made }).await.unwrap();
    let refused = store.begin_dial(wish(closed, "ana")).await.unwrap();
    assert_eq!(refused, DialBegun::Refused(WorkRefusal::Closed(WorkStatus::Done)));
    let theirs = f.lake.begin_dial(wish(dial.item, "eve")).await;
    assert!(matches!(theirs, Err(StorageError::NotFound { .. })), "{theirs:?}");
    assert_eq!(f.lake.dial(dial.id).await.unwrap(), None);
}

pub(crate) async fn news_in_any_order_never_leads_back(f: &Fixture) {
    let store = &f.river;
    let dial = begun(store, "k").await;
    let at = |stage| DialNews { stage: Some(stage), ..DialNews::default() };
    let news = DialNews {
        stage: Some(DialStage::Dialling),
        carrier_sid: Some("CA1".into()),
        dialled_sid: Some("CA2".into()),
        machine: true,
    };
    store.note_dial(dial.id, news).await.unwrap();
    let late = DialNews { carrier_sid: Some("CA9".into()), ..at(DialStage::Ringing) };
    let now = store.note_dial(dial.id, late).await.unwrap().unwrap();
    assert_eq!((now.stage, now.machine), (DialStage::Dialling, true));
    let sids = (now.carrier_sid.as_deref(), now.dialled_sid.as_deref());
    assert_eq!(sids, (Some("CA1"), Some("CA2")), "the first name is the call's");
    assert!(store.is_dial("CA1").await.unwrap() && !store.is_dial("CA2").await.unwrap());
    assert!(!f.lake.is_dial("CA1").await.unwrap());
    assert!(store.end_dial(dial.id, DialResult::Machine).await.unwrap());
    let over = store.note_dial(dial.id, at(DialStage::Ringing)).await.unwrap().unwrap();
    assert_eq!((over.stage, over.result), (DialStage::Ended, Some(DialResult::Machine)));
    assert_eq!(store.note_dial(DialId::new(), at(DialStage::Ringing)).await.unwrap(), None);
}

pub(crate) async fn a_call_is_ended_once(f: &Fixture) {
    let dial = begun(&f.river, "k").await;
    let ends = (0..6).map(|n| {
        let (store, id) = (f.river.clone(), dial.id);
        let result = if n % 2 == 0 { DialResult::Reached } else { DialResult::Busy };
        tokio::spawn(async move { store.end_dial(id, result).await.unwrap() })
    });
    let mut won = 0;
    for end in ends.collect::<Vec<_>>() {
        won += u32::from(end.await.unwrap());
    }
    assert_eq!(won, 1);
    assert_eq!(acts(&f.river, dial.item).await.len(), 3, "claimed, called, and one end");
    assert!(!f.lake.end_dial(dial.id, DialResult::Busy).await.unwrap());
}

pub(crate) async fn silent_calls_are_found(f: &Fixture) {
    let store = &f.river;
    let (first, second) = (begun(store, "a").await, begun(store, "b").await);
    let (past, soon) = (Utc::now() - TimeDelta::minutes(1), Utc::now() + TimeDelta::minutes(1));
    assert!(store.silent_dials(past, 9).await.unwrap().is_empty());
    store.end_dial(first.id, DialResult::Reached).await.unwrap();
    let silent = store.silent_dials(soon, 9).await.unwrap();
    assert_eq!(silent.iter().map(|dial| dial.id).collect::<Vec<_>>(), [second.id]);
    assert!(f.lake.silent_dials(soon, 9).await.unwrap().is_empty());
}

pub(crate) async fn who_does_not_want_to_be_called_is_kept_as_a_hash_of_one_tenant(f: &Fixture) {
    let store = &f.river;
    let new = |number: &str| NewDoNotCall { number: number.into(), source: "staff".into(), by: "ana".into() };
    store.forbid_calls(new("(202) 555-0143")).await.unwrap();
    store.forbid_calls(new("+12025550143")).await.unwrap();
    assert!(store.is_do_not_call("202-555-0143").await.unwrap());
    assert!(!store.is_do_not_call("+12025550144").await.unwrap() && !store.is_do_not_call("").await.unwrap());
    assert!(!f.lake.is_do_not_call("+12025550143").await.unwrap());
    assert!(matches!(store.forbid_calls(new("nobody")).await, Err(StorageError::Invalid { .. })));
    assert!(store.allow_calls("2025550143").await.unwrap());
    assert!(!store.allow_calls("2025550143").await.unwrap());
    assert!(!store.is_do_not_call("+12025550143").await.unwrap());
}
