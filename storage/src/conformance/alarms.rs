//! Alarms about requests that nobody has taken on.

use chrono::{DateTime, TimeDelta, Utc};

use super::Fixture;
use super::work::new_item;
use crate::alarms::{ALARM, ALARM_ACTOR, Alarm, AlarmsDue};
use crate::outbox_records::OutboxFilter;
use crate::records::{NewWorkItem, Priority, WorkKind};
use crate::work_acts::{NewWorkAct, WorkActKind, WorkMove};
use crate::{Alarms, Outbox, TenantStore, WorkItemId, WorkItems};

fn urgent(key: &str) -> NewWorkItem {
    NewWorkItem { priority: Priority::Urgent, ..new_item(WorkKind::Incident, key) }
}

/// As a gateway would ask so many minutes from now.
fn after(minutes: i64) -> AlarmsDue {
    let now = Utc::now() + TimeDelta::minutes(minutes);
    let before = |minutes| -> DateTime<Utc> { now - TimeDelta::minutes(minutes) };
    AlarmsDue {
        now,
        urgent_since: before(5),
        high_since: before(15),
        again_since: before(10),
        times: 3,
        tell: vec!["alarm:desk".to_owned()],
        limit: 50,
    }
}

/// Counts of the alarms that are raised then.
async fn raised(store: &TenantStore, minutes: i64) -> Vec<u32> {
    let alarms: Vec<Alarm> = store.raise_alarms(after(minutes)).await.unwrap();
    alarms.iter().map(|alarm| alarm.item.alarms).collect()
}

async fn act(store: &TenantStore, item: WorkItemId, made: WorkMove) {
    store.act_on_work_item(NewWorkAct { item, actor: "ana".into(), made }).await.unwrap();
}

pub(crate) async fn what_nobody_took_is_alarmed_about_again_and_no_more_than_so_often(f: &Fixture) {
    let store = &f.river;
    let id = store.file_work_item(urgent("u")).await.unwrap().id;
    let hurt = NewWorkItem { priority: Priority::High, ..urgent("h") };
    store.file_work_item(hurt).await.unwrap();
    store.file_work_item(new_item(WorkKind::Incident, "n")).await.unwrap();
    assert_eq!(raised(store, 4).await, [] as [u32; 0]);
    assert_eq!(raised(store, 6).await, [1]);
    assert_eq!(raised(store, 7).await, [] as [u32; 0], "once");
    assert_eq!(raised(store, 17).await, [2, 1], "again, and the one who was hurt");
    assert_eq!(raised(store, 60).await, [3, 2]);
    assert_eq!(raised(store, 120).await, [3], "three times and no more");
    assert_eq!(raised(store, 10_000).await, [] as [u32; 0]);
    let history = store.work_history(id).await.unwrap();
    assert_eq!(history.len(), 3);
    assert!(history.iter().all(|act| act.act == WorkActKind::Alarmed && act.actor == ALARM_ACTOR));
    assert_eq!(store.list_outbox(OutboxFilter::default()).await.unwrap().len(), 6);
}

pub(crate) async fn whoever_takes_it_ends_the_alarms_and_who_gives_it_back_begins_anew(f: &Fixture) {
    let store = &f.river;
    let id = store.file_work_item(urgent("u")).await.unwrap().id;
    assert_eq!(raised(store, 6).await, [1]);
    // A note takes nothing on.
    act(store, id, WorkMove::Note("seen".into())).await;
    assert_eq!(raised(store, 30).await, [2]);
    act(store, id, WorkMove::Claim).await;
    assert_eq!(raised(store, 60).await, [] as [u32; 0]);
    act(store, id, WorkMove::Assign(None)).await;
    assert_eq!(raised(store, 4).await, [] as [u32; 0], "it waits anew");
    assert_eq!(raised(store, 6).await, [1]);
    act(store, id, WorkMove::Done { outcome: "put out".into(), line_right: None }).await;
    assert_eq!(raised(store, 60).await, [] as [u32; 0]);
    let keys: Vec<String> = store
        .list_outbox(OutboxFilter::default())
        .await
        .unwrap()
        .into_iter()
        .map(|row| row.idempotency_key)
        .collect();
    assert_eq!(keys.len(), 3, "each alarm has a key of its own: {keys:?}");
}

pub(crate) async fn an_alarm_is_raised_by_one_of_those_who_ask_at_once(f: &Fixture) {
    f.river.file_work_item(urgent("u")).await.unwrap();
    let asked = (0..6).map(|_| {
        let store = f.river.clone();
        tokio::spawn(async move { store.raise_alarms(after(6)).await.unwrap().len() })
    });
    let mut all = 0;
    for asked in asked.collect::<Vec<_>>() {
        all += asked.await.unwrap();
    }
    assert_eq!(all, 1);
    assert_eq!(f.river.list_outbox(OutboxFilter::default()).await.unwrap().len(), 1);
}

pub(crate) async fn an_alarm_is_its_tenants_alone_and_tells_nothing_of_the_caller(f: &Fixture) {
    let item = f.river.file_work_item(urgent("u")).await.unwrap();
    assert_eq!(raised(&f.lake, 6).await, [] as [u32; 0]);
    assert_eq!(raised(&f.river, 6).await, [1]);
    let rows = f.river.list_outbox(OutboxFilter::default()).await.unwrap();
    let [row] = rows.as_slice() else { panic!("{rows:?}") };
    assert_eq!((row.tool.as_str(), row.destination.as_str()), (ALARM, "alarm:desk"));
    assert_eq!(row.payload["reference"], item.reference.as_str());
    let told = row.payload.to_string();
    assert!(!told.contains("Oak") && !told.contains("0123") && !told.contains("tree"), "{told}");
}
