//! What people do about work items.

use super::Fixture;
use super::work::new_item;
use crate::records::{WorkFilter, WorkItem, WorkKind, WorkStatus};
use crate::work_acts::{NewWorkAct, WorkActKind, WorkActed, WorkMove, WorkRefusal};
use crate::{StorageError, TenantStore, WorkItemId, WorkItems};

async fn act(store: &TenantStore, item: WorkItemId, actor: &str, made: WorkMove) -> WorkActed {
    store.act_on_work_item(NewWorkAct { item, actor: actor.into(), made }).await.unwrap()
}

async fn made(store: &TenantStore, item: WorkItemId, actor: &str, made: WorkMove) -> WorkItem {
    match act(store, item, actor, made).await {
        WorkActed::Made(item) => item,
        WorkActed::Refused(refusal) => panic!("{refusal:?}"),
    }
}

pub(crate) async fn a_request_goes_from_hand_to_hand_and_its_history_tells(f: &Fixture) {
    let id = f.river.file_work_item(new_item(WorkKind::Incident, "k")).await.unwrap().id;
    let claimed = made(&f.river, id, "ana", WorkMove::Claim).await;
    assert_eq!((claimed.status, claimed.assignee.as_deref()), (WorkStatus::InProgress, Some("ana")));
    assert_eq!(
        act(&f.river, id, "bo", WorkMove::Done { outcome: "x".into(), line_right: None }).await,
        WorkActed::Refused(WorkRefusal::HeldBy("ana".into()))
    );
    made(&f.river, id, "bo", WorkMove::Note("crew is out".into())).await;
    made(&f.river, id, "ana", WorkMove::Assign(Some("bo".into()))).await;
    let done =
        made(&f.river, id, "bo", WorkMove::Done { outcome: "patched".into(), line_right: Some(false) }).await;
    assert_eq!((done.status, done.assignee.as_deref()), (WorkStatus::Done, Some("bo")));
    let again = made(&f.river, id, "ana", WorkMove::Reopen { reason: "sank again".into() }).await;
    assert_eq!((again.status, again.assignee), (WorkStatus::Open, None));
    assert_eq!(f.river.work_item_by_id(id).await.unwrap().unwrap().status, WorkStatus::Open);

    let history = f.river.work_history(id).await.unwrap();
    let told: Vec<_> = history
        .iter()
        .map(|a| (a.actor.as_str(), a.act, a.assignee.as_deref(), a.note.as_deref(), a.reason.as_deref()))
        .collect();
    assert_eq!(
        told,
        [
            ("ana", WorkActKind::Claimed, Some("ana"), None, None),
            ("bo", WorkActKind::Noted, Some("ana"), Some("crew is out"), None),
            ("ana", WorkActKind::Assigned, Some("bo"), None, None),
            ("bo", WorkActKind::Done, Some("bo"), Some("patched"), None),
            ("ana", WorkActKind::Reopened, None, None, Some("sank again")),
        ]
    );
}

pub(crate) async fn two_who_claim_at_once_are_told_who_has_it(f: &Fixture) {
    let id = f.river.file_work_item(new_item(WorkKind::Incident, "k")).await.unwrap().id;
    let tries = (0..8).map(|n| {
        let store = f.river.clone();
        tokio::spawn(async move { act(&store, id, &format!("clerk {n}"), WorkMove::Claim).await })
    });
    let mut won = Vec::new();
    let mut held = Vec::new();
    for task in tries.collect::<Vec<_>>() {
        match task.await.unwrap() {
            WorkActed::Made(item) => won.push(item.assignee.unwrap()),
            WorkActed::Refused(WorkRefusal::HeldBy(by)) => held.push(by),
            WorkActed::Refused(other) => panic!("{other:?}"),
        }
    }
    assert_eq!((won.len(), held.len()), (1, 7));
    assert!(held.iter().all(|by| *by == won[0]));
    assert_eq!(f.river.work_history(id).await.unwrap().len(), 1);
}

pub(crate) async fn what_people_write_is_sealed_and_stays_in_its_tenant(f: &Fixture) {
    let id = f.river.file_work_item(new_item(WorkKind::Incident, "k")).await.unwrap().id;
    made(&f.river, id, "ana", WorkMove::Note("call 202-555-0123 after six".into())).await;
    assert_eq!(f.lake.work_history(id).await.unwrap(), []);
    assert_eq!(f.lake.work_item_by_id(id).await.unwrap(), None);
    let other = NewWorkAct { item: id, actor: "eve".into(), made: WorkMove::Claim };
    let refused = f.lake.act_on_work_item(other).await;
    assert!(matches!(refused, Err(StorageError::NotFound { .. })), "{refused:?}");
}

pub(crate) async fn requests_are_listed_by_who_works_on_them(f: &Fixture) {
    let mine = f.river.file_work_item(new_item(WorkKind::Incident, "k1")).await.unwrap().id;
    let theirs = f.river.file_work_item(new_item(WorkKind::Message, "k2")).await.unwrap().id;
    made(&f.river, mine, "ana", WorkMove::Claim).await;
    made(&f.river, theirs, "bo", WorkMove::Claim).await;
    let filter = WorkFilter { assignee: Some("ana".into()), ..WorkFilter::default() };
    let found: Vec<_> = f.river.list_work_items(filter).await.unwrap().into_iter().map(|i| i.id).collect();
    assert_eq!(found, [mine]);
}
