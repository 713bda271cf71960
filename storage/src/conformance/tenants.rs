//! One tenant never sees another's rows, whatever id it names.

use super::knowledge::new_document;
use super::passports::{change, document, new_passport};
use super::work::{new_claim, new_item, slots};
use super::{Fixture, new_call, noon};
use crate::conformance::calls::{row, said};
use crate::records::{CallFilter, NewBooking, NewCall, PassportFilter, WorkFilter, WorkKind, WorkStatus};
use crate::{
    Calls, Claims, Knowledge, Passports, Settings, Slots, StorageError, Turns, WorkItems, records::TurnCommit,
};

fn missing<T: std::fmt::Debug>(outcome: Result<T, StorageError>) {
    assert!(matches!(outcome, Err(StorageError::NotFound { .. })), "{outcome:?}");
}

pub(crate) async fn no_id_reaches_another_tenant(f: &Fixture) {
    let new = NewCall { carrier_sid: Some("CA9".into()), ..new_call() };
    let call = f.river.begin_call(new).await.unwrap().id;
    f.river.append(call, &[row(1, said(1, "secret"))]).await.unwrap();
    assert_eq!(f.lake.call(call).await.unwrap(), None);
    assert_eq!(f.lake.call_by_carrier_sid("CA9").await.unwrap(), None);
    assert_eq!(f.lake.caller_number(call).await.unwrap(), None);
    assert!(f.lake.call_log(call).await.unwrap().is_empty());
    missing(f.lake.transcript(call).await);
    missing(f.lake.append(call, &[row(2, said(1, "x"))]).await);
    missing(f.lake.call_writer().append(call, vec![row(2, said(1, "x"))]).await);
    missing(f.lake.end_call(call, "x", noon()).await);

    let passport = f.river.create_passport(new_passport()).await.unwrap();
    assert_eq!(f.lake.passport(passport.id).await.unwrap(), None);
    let change = change(&passport, document(1, &["greet"]));
    missing(f.lake.update_passport(change.clone()).await);
    missing(f.lake.commit_turn(TurnCommit { passport: Some(change), ..TurnCommit::default() }).await);

    let item = f.river.file_work_item(new_item(WorkKind::Incident, "k")).await.unwrap();
    assert_eq!(f.lake.work_item(&item.reference).await.unwrap(), None);
    missing(f.lake.set_work_status(&item.reference, WorkStatus::Done).await);
    let slots = slots(1);
    f.river.insert_slots(&slots).await.unwrap();
    missing(f.lake.book_slot(NewBooking { slot: slots[0].id, idempotency_key: "k".into() }).await);
    f.river.insert_claim(new_claim()).await.unwrap();
    assert_eq!(f.lake.claim("CLM-20417").await.unwrap(), None);
    let contact = super::memory::planted(&f.river).await;
    let theirs = f.lake.memory_reader("orchestrator").await.unwrap();
    assert_eq!(theirs.contact(contact).await.unwrap(), None);
    assert_eq!(theirs.get_memory(super::memory::CALLER).await.unwrap(), None);
    assert!(theirs.decisions(contact).await.unwrap().is_empty());
    let manager = super::memory::manager(&f.lake);
    missing(manager.forget(contact, crate::memory::Forgetting::AskedOfOffice, None).await);
    let id = f.river.replace_document(new_document("a.md", &["one"])).await.unwrap();
    assert_eq!(f.lake.document(id).await.unwrap(), None);
    assert!(!f.lake.delete_document(id).await.unwrap());
}

pub(crate) async fn no_list_shows_another_tenant(f: &Fixture) {
    f.river.begin_call(new_call()).await.unwrap();
    f.river.create_passport(new_passport()).await.unwrap();
    f.river.file_work_item(new_item(WorkKind::Incident, "k")).await.unwrap();
    f.river.insert_slots(&slots(2)).await.unwrap();
    f.river.replace_document(new_document("a.md", &["one"])).await.unwrap();
    super::memory::planted(&f.river).await;
    f.river.mark_seeded().await.unwrap();
    let theirs = f.lake.memory_reader("orchestrator").await.unwrap();
    assert!(theirs.contacts(crate::memory::ContactFilter::default()).await.unwrap().is_empty());
    assert!(theirs.suggestions(crate::memory::SuggestionFilter::default()).await.unwrap().is_empty());
    assert!(theirs.notes().await.unwrap().is_empty() && theirs.events().await.unwrap().is_empty());
    assert!(theirs.playbook_updates().await.unwrap().is_empty());
    assert!(super::memory::manager(&f.lake).review(None).await.unwrap().is_empty());
    let by_caller = CallFilter { caller: Some("+12025550123".into()), ..CallFilter::default() };
    assert!(f.lake.list_calls(CallFilter::default()).await.unwrap().is_empty());
    assert!(f.lake.list_calls(by_caller).await.unwrap().is_empty());
    assert!(f.lake.recover_live_calls().await.unwrap().is_empty());
    assert!(f.lake.list_passports(PassportFilter::default()).await.unwrap().is_empty());
    assert!(f.lake.list_work_items(WorkFilter::default()).await.unwrap().is_empty());
    assert!(f.lake.free_slots(noon(), 9).await.unwrap().is_empty());
    assert!(f.lake.list_documents().await.unwrap().is_empty());
    assert!(f.lake.all_chunks().await.unwrap().is_empty());
    assert!(!f.lake.seeded().await.unwrap());
}

pub(crate) async fn equal_numbers_hash_apart(f: &Fixture) {
    let hash = |store: &crate::TenantStore| store.sealer().lookup_hash("+12025550123").unwrap();
    assert_eq!(hash(&f.river), hash(&f.river));
    assert_ne!(hash(&f.river), hash(&f.lake));
}
