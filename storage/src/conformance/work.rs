//! Work items, appointments, claims, and a turn's effects.

use chrono::TimeDelta;
use serde_json::json;

use super::organisation::new_task;
use super::passports::{change, document, new_passport};
use super::{Fixture, noon};
use crate::ids::{CallId, SlotId};
use crate::organisation::TaskFilter;
use crate::records::{
    Claim, ClaimHolder, NewBooking, NewWorkItem, Priority, Slot, TurnCommit, WorkFilter, WorkKind, WorkStatus,
};
use crate::{Claims, Passports, PinHash, Slots, StorageError, Turns, WorkItems};

pub(crate) fn new_item(kind: WorkKind, key: &str) -> NewWorkItem {
    NewWorkItem {
        kind,
        idempotency_key: key.into(),
        reference: None,
        call_id: Some(CallId::new()),
        passport_id: None,
        priority: Priority::Normal,
        caller: Some("+12025550123".into()),
        fields: json!({"location": "12 Oak Street", "what": "a fallen tree"}),
    }
}

pub(crate) fn slots(count: i64) -> Vec<Slot> {
    (0..count)
        .map(|n| {
            let starts_at = noon() + TimeDelta::hours(n);
            let ends_at = starts_at + TimeDelta::minutes(45);
            Slot { id: SlotId::new(), starts_at, ends_at, label: "building".into() }
        })
        .collect()
}

fn booking(slot: &Slot, key: &str) -> NewBooking {
    NewBooking { slot: slot.id, idempotency_key: key.into() }
}

pub(crate) async fn a_key_files_once(f: &Fixture) {
    let new = new_item(WorkKind::Incident, "call-1/turn-2");
    let first = f.river.file_work_item(new.clone()).await.unwrap();
    assert_eq!((first.status, &first.fields, first.call_id), (WorkStatus::Open, &new.fields, new.call_id));
    let changed = NewWorkItem { fields: json!({"other": true}), ..new };
    assert_eq!(f.river.file_work_item(changed).await.unwrap(), first);
    assert_eq!(f.river.list_work_items(WorkFilter::default()).await.unwrap(), [first]);
}

pub(crate) async fn references_are_short_and_found_in_any_spelling(f: &Fixture) {
    for (kind, prefix) in [(WorkKind::Incident, "INC-"), (WorkKind::Callback, "CBK-")] {
        let item = f.river.file_work_item(new_item(kind, prefix)).await.unwrap();
        assert!(item.reference.starts_with(prefix) && item.reference.len() == 8, "{}", item.reference);
        let spelled = item.reference.to_lowercase().replace('-', " ");
        assert_eq!(f.river.work_item(&spelled).await.unwrap(), Some(item));
    }
    assert_eq!(f.river.work_item("INC-000").await.unwrap(), None);
}

pub(crate) async fn a_drawn_reference_can_be_given(f: &Fixture) {
    let reference = f.river.draw_reference(WorkKind::Message).await.unwrap();
    assert_eq!(f.river.work_item(&reference).await.unwrap(), None);
    let new = NewWorkItem { reference: Some(reference.clone()), ..new_item(WorkKind::Message, "k") };
    assert_eq!(f.river.file_work_item(new).await.unwrap().reference, reference);
}

pub(crate) async fn a_reference_in_use_is_taken(f: &Fixture) {
    let first = f.river.file_work_item(new_item(WorkKind::Message, "k1")).await.unwrap();
    let new = NewWorkItem { reference: Some(first.reference), ..new_item(WorkKind::Message, "k2") };
    let refused = f.river.file_work_item(new).await;
    assert!(matches!(refused, Err(StorageError::Taken { what: "reference" })), "{refused:?}");
}

pub(crate) async fn references_drawn_at_once_differ(f: &Fixture) {
    const FILED: usize = 300;
    let tries = (0..FILED).map(|n| {
        let (store, new) = (f.river.clone(), new_item(WorkKind::Incident, &format!("at once {n}")));
        tokio::spawn(async move { store.file_work_item(new).await.unwrap().reference })
    });
    let mut references = std::collections::BTreeSet::new();
    for filed in tries.collect::<Vec<_>>() {
        references.insert(filed.await.unwrap());
    }
    assert_eq!(references.len(), FILED);
}

pub(crate) async fn items_are_listed_by_filter(f: &Fixture) {
    let call_id = Some(CallId::new());
    let other = NewWorkItem { call_id, caller: None, ..new_item(WorkKind::Message, "c") };
    for new in [new_item(WorkKind::Incident, "a"), new_item(WorkKind::Incident, "b"), other] {
        f.river.file_work_item(new).await.unwrap();
    }
    let count = async |filter: WorkFilter| f.river.list_work_items(filter).await.unwrap().len();
    assert_eq!(count(WorkFilter::default()).await, 3);
    assert_eq!(count(WorkFilter { kind: Some(WorkKind::Incident), ..WorkFilter::default() }).await, 2);
    assert_eq!(count(WorkFilter { call_id, ..WorkFilter::default() }).await, 1);
    assert_eq!(count(WorkFilter { status: Some(WorkStatus::Done), ..WorkFilter::default() }).await, 0);
    assert_eq!(count(WorkFilter { caller: Some("2025550123".into()), ..WorkFilter::default() }).await, 2);
    let page = f.river.list_work_items(WorkFilter { limit: 1, ..WorkFilter::default() }).await.unwrap();
    assert_eq!(count(WorkFilter { after: Some(page[0].id), ..WorkFilter::default() }).await, 2);
}

pub(crate) async fn a_status_can_be_changed(f: &Fixture) {
    let item = f.river.file_work_item(new_item(WorkKind::Escalation, "a")).await.unwrap();
    let changed = f.river.set_work_status(&item.reference, WorkStatus::Done).await.unwrap();
    assert_eq!((changed.status, changed.fields), (WorkStatus::Done, item.fields));
    let unknown = f.river.set_work_status("ESC-1", WorkStatus::Done).await;
    assert!(matches!(unknown, Err(StorageError::NotFound { what: "work item" })));
}

pub(crate) async fn a_slot_is_booked_once(f: &Fixture) {
    let slots = slots(3);
    f.river.insert_slots(&slots).await.unwrap();
    f.river.insert_slots(&slots).await.unwrap();
    let racers = (0..8).map(|n| {
        let (store, booking) = (f.river.clone(), booking(&slots[1], &format!("k{n}")));
        tokio::spawn(async move { store.book_slot(booking).await })
    });
    let mut won = 0;
    for racer in racers.collect::<Vec<_>>() {
        match racer.await.unwrap() {
            Ok(booking) => {
                assert_eq!(booking.slot, slots[1]);
                won += 1;
            }
            Err(error) => assert!(matches!(error, StorageError::Taken { what: "slot" }), "{error}"),
        }
    }
    assert_eq!(won, 1);
    assert_eq!(f.river.free_slots(noon(), 9).await.unwrap(), [slots[0].clone(), slots[2].clone()]);
    let later = noon() + TimeDelta::minutes(1);
    assert_eq!(f.river.free_slots(later, 9).await.unwrap(), [slots[2].clone()]);
}

pub(crate) async fn slots_are_renewed_and_what_is_booked_stays(f: &Fixture) {
    let all = slots(4);
    f.river.insert_slots(&all[..3]).await.unwrap();
    f.river.book_slot(booking(&all[1], "k")).await.unwrap();
    let again = |slot: &Slot| Slot { id: SlotId::new(), ..slot.clone() };
    let plan = [again(&all[0]), again(&all[1]), all[3].clone()];
    for _ in 0..2 {
        f.river.renew_slots(&plan, noon()).await.unwrap();
        assert_eq!(f.river.free_slots(noon(), 9).await.unwrap(), [all[0].clone(), all[3].clone()]);
    }
    f.river.renew_slots(&[], noon()).await.unwrap();
    assert!(f.river.free_slots(noon(), 9).await.unwrap().is_empty());
    assert_eq!(f.river.book_slot(booking(&all[1], "k")).await.unwrap().slot, all[1], "still booked");
}

pub(crate) async fn a_time_for_several_people_is_there_as_often(f: &Fixture) {
    let one = slots(1).remove(0);
    let place = || Slot { id: SlotId::new(), ..one.clone() };
    let [three, two] = [[place(), place(), place()].to_vec(), [place(), place()].to_vec()];
    f.river.renew_slots(&three, noon()).await.unwrap();
    assert_eq!(f.river.free_slots(noon(), 9).await.unwrap().len(), 3);
    f.river.book_slot(booking(&three[2], "k")).await.unwrap();
    // Whoever has one keeps it, and it counts.
    f.river.renew_slots(&two, noon()).await.unwrap();
    assert_eq!(f.river.free_slots(noon(), 9).await.unwrap().len(), 1);
    f.river.renew_slots(&three, noon()).await.unwrap();
    assert_eq!(f.river.free_slots(noon(), 9).await.unwrap().len(), 2);
}

pub(crate) async fn a_booking_key_gets_the_same_slot(f: &Fixture) {
    let slots = slots(2);
    f.river.insert_slots(&slots).await.unwrap();
    let first = f.river.book_slot(booking(&slots[0], "k")).await.unwrap();
    assert_eq!(f.river.book_slot(booking(&slots[1], "k")).await.unwrap(), first);
    let unknown = f.river.book_slot(NewBooking { slot: SlotId::new(), idempotency_key: "z".into() }).await;
    assert!(matches!(unknown, Err(StorageError::NotFound { what: "slot" })), "{unknown:?}");
}

pub(crate) async fn a_turn_commits_everything(f: &Fixture) {
    let slots = slots(1);
    f.river.insert_slots(&slots).await.unwrap();
    let passport = f.river.create_passport(new_passport()).await.unwrap();
    let commit = TurnCommit {
        passport: Some(change(&passport, document(1, &["greet", "book"]))),
        work_items: vec![new_item(WorkKind::Message, "m"), new_item(WorkKind::Inspection, "i")],
        booking: Some(booking(&slots[0], "b")),
        tasks: vec![new_task("t")],
        ..TurnCommit::default()
    };
    let done = f.river.commit_turn(commit.clone()).await.unwrap();
    assert_eq!(done.passport_version, Some(2));
    let booked = done.booking.as_ref().unwrap();
    assert_eq!(booked.reference.as_ref(), Some(&done.work_items[1].reference));

    let now = f.river.passport(passport.id).await.unwrap().unwrap();
    let again = TurnCommit { passport: Some(change(&now, now.document.clone())), ..commit };
    let replayed = f.river.commit_turn(again).await.unwrap();
    assert_eq!((replayed.work_items, replayed.booking), (done.work_items, done.booking));
    let tasks = f.river.organisation().tasks(&TaskFilter::default()).await.unwrap();
    assert_eq!(tasks.iter().map(|task| task.task_id.as_str()).collect::<Vec<_>>(), ["t"]);
}

pub(crate) async fn a_failed_turn_leaves_nothing(f: &Fixture) {
    let slots = slots(1);
    f.river.insert_slots(&slots).await.unwrap();
    f.river.book_slot(booking(&slots[0], "somebody else")).await.unwrap();
    let passport = f.river.create_passport(new_passport()).await.unwrap();
    let commit = TurnCommit {
        passport: Some(change(&passport, document(1, &["greet", "book"]))),
        work_items: vec![new_item(WorkKind::Inspection, "i")],
        booking: Some(booking(&slots[0], "b")),
        tasks: vec![new_task("t")],
        ..TurnCommit::default()
    };
    let refused = f.river.commit_turn(commit).await;
    assert!(matches!(refused, Err(StorageError::Taken { what: "slot" })), "{refused:?}");
    assert_eq!(f.river.passport(passport.id).await.unwrap().unwrap(), passport);
    assert!(f.river.list_work_items(WorkFilter::default()).await.unwrap().is_empty());
    assert!(f.river.organisation().tasks(&TaskFilter::default()).await.unwrap().is_empty());
}

pub(crate) fn new_claim() -> Claim {
    Claim {
        claim_number: "CLM-20417".into(),
        status: "approved".into(),
        status_text: "Your claim was approved on Monday.".into(),
        holder: ClaimHolder {
            name: "Dana Whitfield".into(),
            date_of_birth: "1961-04-09".into(),
            phone: "+12025550177".into(),
        },
        updated_at: noon(),
    }
}

pub(crate) async fn claims_are_found_in_any_spelling(f: &Fixture) {
    f.river.insert_claim(new_claim()).await.unwrap();
    assert_eq!(f.river.claim("clm 204 17").await.unwrap(), Some(new_claim()));
    assert_eq!(f.river.claim("CLM-1").await.unwrap(), None);
    let paid = Claim { status: "paid".into(), ..new_claim() };
    f.river.insert_claim(paid.clone()).await.unwrap();
    assert_eq!(f.river.claim("CLM-20417").await.unwrap(), Some(paid));
}

pub(crate) async fn a_claim_keeps_its_pin_sealed(f: &Fixture) {
    let refused = f.river.set_claim_pin("CLM-20417", Some(PinHash::new("4711"))).await;
    assert!(matches!(refused, Err(StorageError::NotFound { what: "claim" })), "{refused:?}");
    f.river.insert_claim(new_claim()).await.unwrap();
    assert_eq!(f.river.claim_pin("CLM-20417").await.unwrap(), None);
    f.river.set_claim_pin("clm 20417", Some(PinHash::new("4711"))).await.unwrap();
    // Replacing the claim keeps the PIN.
    f.river.insert_claim(new_claim()).await.unwrap();
    let pin = f.river.claim_pin("CLM-204-17").await.unwrap().unwrap();
    assert!(pin.matches("4711") && !pin.matches("4712"));
    assert_eq!(f.lake.claim_pin("CLM-20417").await.unwrap(), None, "another tenant");
    f.river.set_claim_pin("CLM-20417", None).await.unwrap();
    assert_eq!(f.river.claim_pin("CLM-20417").await.unwrap(), None);
}
