//! Calls that the agent places by itself, and who agreed to be called for what.

use chrono::{TimeDelta, Utc};

use super::{Fixture, new_call};
use crate::outreach::{Comes, NewConsent, NewOutreach, OutreachNews, OutreachResult, OutreachStage, Purpose};
use crate::records::{CallState, Direction, NewCall, NewWorkItem, Priority, WorkItem, WorkKind, WorkStatus};
use crate::retries::{NewRetries, RetryState};
use crate::{CallId, Calls, Dials, Outreach, Retries, TenantStore, WorkItems};

const NUMBER: &str = "+12025550123";

fn wish() -> NewOutreach {
    let call = NewCall { direction: Direction::Outbound, ..new_call() };
    NewOutreach { call, purpose: Purpose::Callback, actor: "bo".into(), comes: Comes::Once, item: None }
}

async fn begun(store: &TenantStore) -> CallId {
    store.begin_outreach(wish()).await.unwrap().expect("a call").id
}

fn consent(given: bool) -> NewConsent {
    NewConsent {
        number: "(202) 555-0123".into(),
        purpose: Purpose::Callback,
        given,
        source: "written".into(),
        by: "bo".into(),
    }
}

/// A row in each table.
pub(crate) async fn planted(store: &TenantStore) {
    begun(store).await;
    store.set_consent(consent(true)).await.unwrap();
}

pub(crate) async fn a_call_of_ours_that_rings_outlives_its_process(f: &Fixture) {
    let store = &f.river;
    let id = begun(store).await;
    assert!(store.recover_live_calls().await.unwrap().is_empty(), "the carrier goes on with it");
    assert_eq!(store.call(id).await.unwrap().unwrap().state, CallState::Live);
    let news = OutreachNews { stage: Some(OutreachStage::Connected), ..OutreachNews::default() };
    store.note_outreach(id, news).await.unwrap();
    assert_eq!(store.left_calls().await.unwrap(), [id]);
    assert_eq!(store.recover_live_calls().await.unwrap().len(), 1, "it was a conversation");
}

pub(crate) async fn a_number_is_called_by_one_call_at_a_time(f: &Fixture) {
    let store = &f.river;
    let id = begun(store).await;
    assert_eq!(store.begin_outreach(wish()).await.unwrap(), None);
    let call = store.call(id).await.unwrap().unwrap();
    assert_eq!((call.state, call.direction, call.has_caller), (CallState::Live, Direction::Outbound, true));
    let news =
        OutreachNews { stage: Some(OutreachStage::Asked), carrier_sid: Some("CA1".into()), machine: false };
    store.note_outreach(id, news).await.unwrap();
    let late =
        OutreachNews { stage: Some(OutreachStage::Placing), carrier_sid: Some("CA2".into()), machine: true };
    let now = store.note_outreach(id, late).await.unwrap().unwrap();
    assert_eq!((now.stage, now.machine), (OutreachStage::Asked, true));
    assert_eq!(store.call(id).await.unwrap().unwrap().carrier_sid.as_deref(), Some("CA1"));
    assert!(store.end_outreach(id, OutreachResult::Machine).await.unwrap());
    assert!(!store.end_outreach(id, OutreachResult::Reached).await.unwrap());
    let call = store.call(id).await.unwrap().unwrap();
    assert_eq!((call.state, call.end_reason.as_deref()), (CallState::Ended, Some("machine")));
    begun(store).await;
    let hour = Utc::now() - TimeDelta::hours(1);
    let times = store.outreach_since(NUMBER, hour).await.unwrap();
    assert!(times.len() == 2 && times[0] >= times[1], "{times:?}");
    assert!(f.lake.outreach_since(NUMBER, hour).await.unwrap().is_empty());
    assert_eq!(f.lake.outreach(id).await.unwrap(), None);
}

pub(crate) async fn a_conversation_ends_its_own_record(f: &Fixture) {
    let store = &f.river;
    let id = begun(store).await;
    let soon = Utc::now() + TimeDelta::minutes(1);
    assert_eq!(store.silent_outreach(soon, 9).await.unwrap().len(), 1);
    let news = OutreachNews { stage: Some(OutreachStage::Connected), ..OutreachNews::default() };
    store.note_outreach(id, news).await.unwrap();
    assert!(store.end_outreach(id, OutreachResult::Reached).await.unwrap());
    assert_eq!(store.call(id).await.unwrap().unwrap().state, CallState::Live);
    assert!(store.silent_outreach(soon, 9).await.unwrap().is_empty());
}

pub(crate) async fn who_opts_out_in_a_conversation_is_on_the_list(f: &Fixture) {
    let store = &f.river;
    let id = begun(store).await;
    assert!(!store.outreach(id).await.unwrap().unwrap().opted_out);
    assert!(!f.lake.opt_out(id, "voice").await.unwrap(), "a call of another tenant");
    assert!(!store.is_do_not_call(NUMBER).await.unwrap());
    for _ in 0..2 {
        assert!(store.opt_out(id, "voice").await.unwrap());
    }
    assert!(store.outreach(id).await.unwrap().unwrap().opted_out);
    assert!(store.is_do_not_call(NUMBER).await.unwrap());
    assert!(!f.lake.is_do_not_call(NUMBER).await.unwrap());
    assert!(!store.opt_out(CallId::new(), "voice").await.unwrap());
}

pub(crate) async fn a_message_is_left_once_and_not_on_who_talks(f: &Fixture) {
    let store = &f.river;
    let id = begun(store).await;
    assert!(!f.lake.leave_message(id, false).await.unwrap());
    assert!(store.leave_message(id, false).await.unwrap());
    assert!(!store.leave_message(id, false).await.unwrap(), "the carrier tells twice");
    let now = store.outreach(id).await.unwrap().unwrap();
    assert!(now.message && now.machine);
    store.end_outreach(id, OutreachResult::MessageLeft).await.unwrap();
    let id = begun(store).await;
    let news = OutreachNews { stage: Some(OutreachStage::Connected), ..OutreachNews::default() };
    store.note_outreach(id, news).await.unwrap();
    assert!(!store.leave_message(id, false).await.unwrap(), "somebody talks with the agent");
    assert!(store.leave_message(id, true).await.unwrap(), "it was the machine");
    store.end_outreach(id, OutreachResult::MessageLeft).await.unwrap();
    let id = begun(store).await;
    store.end_outreach(id, OutreachResult::Failed).await.unwrap();
    assert!(!store.leave_message(id, true).await.unwrap(), "it is over");
}

pub(crate) async fn consent_is_for_one_purpose_of_one_tenant_until_it_is_taken_back(f: &Fixture) {
    let store = &f.river;
    assert!(!store.has_consent(NUMBER, Purpose::Callback).await.unwrap());
    store.set_consent(consent(true)).await.unwrap();
    assert!(store.has_consent("202-555-0123", Purpose::Callback).await.unwrap());
    assert!(!store.has_consent(NUMBER, Purpose::Request).await.unwrap());
    assert!(!f.lake.has_consent(NUMBER, Purpose::Callback).await.unwrap());
    store.set_consent(consent(false)).await.unwrap();
    assert!(!store.has_consent(NUMBER, Purpose::Callback).await.unwrap());
    assert!(!store.has_consent("nobody", Purpose::Callback).await.unwrap());
}

async fn filed(store: &TenantStore, key: &str, kind: WorkKind) -> WorkItem {
    let new = NewWorkItem {
        kind,
        idempotency_key: key.to_owned(),
        reference: None,
        call_id: None,
        passport_id: None,
        priority: Priority::Normal,
        caller: None,
        fields: serde_json::json!({ "opening": "2026-11-27T09:00" }),
    };
    store.file_work_item(new).await.unwrap()
}

/// A call about a request that nobody asked for.
fn unasked(purpose: Purpose, item: &str, number: &str) -> NewOutreach {
    let retries = NewRetries { most: 1, every: TimeDelta::days(1), machines: false };
    let call = NewCall { caller: Some(number.into()), ..wish().call };
    let comes = Comes::Unasked(retries);
    NewOutreach { call, purpose, comes, item: Some(item.into()), ..wish() }
}

async fn listed(store: &TenantStore, kind: WorkKind) -> Vec<String> {
    store.uncalled(kind, None, 9).await.unwrap().into_iter().map(|item| item.reference).collect()
}

pub(crate) async fn an_appointment_is_listed_until_it_is_reminded_of(f: &Fixture) {
    let store = &f.river;
    filed(store, "other", WorkKind::Callback).await;
    let (first, second) =
        (filed(store, "1", WorkKind::Inspection).await, filed(store, "2", WorkKind::Inspection).await);
    assert_eq!(listed(store, WorkKind::Inspection).await, [first.reference.as_str(), &second.reference]);
    let page = store.uncalled(WorkKind::Inspection, Some(first.id), 9).await.unwrap();
    assert_eq!(page.iter().map(|item| item.id).collect::<Vec<_>>(), [second.id]);
    assert_eq!(store.uncalled(WorkKind::Inspection, None, 1).await.unwrap().len(), 1);
    assert!(listed(&f.lake, WorkKind::Inspection).await.is_empty(), "another tenant");

    // Somebody asked for this one, and spelled it their way.
    let spelled = first.reference.replace('-', " ").to_lowercase();
    let asked = NewOutreach { purpose: Purpose::Appointment, item: Some(spelled), ..wish() };
    let id = store.begin_outreach(asked).await.unwrap().unwrap().id;
    assert_eq!(store.outreach(id).await.unwrap().unwrap().item.as_ref(), Some(&first.reference));
    assert_eq!(listed(store, WorkKind::Inspection).await, [second.reference.as_str()]);
    store.end_outreach(id, OutreachResult::NoAnswer).await.unwrap();
    assert_eq!(
        store.begin_outreach(unasked(Purpose::Appointment, &first.reference, NUMBER)).await.unwrap(),
        None
    );

    store.set_work_status(&second.reference, WorkStatus::InProgress).await.unwrap();
    assert_eq!(listed(store, WorkKind::Inspection).await, [second.reference.as_str()], "somebody sees to it");
    store.set_work_status(&second.reference, WorkStatus::Cancelled).await.unwrap();
    assert!(listed(store, WorkKind::Inspection).await.is_empty());
    assert_eq!(
        store.begin_outreach(unasked(Purpose::Appointment, &second.reference, NUMBER)).await.unwrap(),
        None,
        "closed meanwhile"
    );
    assert_eq!(store.begin_outreach(unasked(Purpose::Appointment, "INS-0000", NUMBER)).await.unwrap(), None);
}

pub(crate) async fn a_request_is_called_about_once_and_while_nobody_has_it(f: &Fixture) {
    let store = &f.river;
    let booked = filed(store, "booked", WorkKind::Inspection).await;
    let (one, taken) =
        (filed(store, "1", WorkKind::Callback).await, filed(store, "2", WorkKind::Callback).await);
    assert_eq!(listed(store, WorkKind::Callback).await, [one.reference.as_str(), &taken.reference]);
    assert_eq!(listed(store, WorkKind::Inspection).await, [booked.reference]);
    assert!(listed(&f.lake, WorkKind::Callback).await.is_empty(), "another tenant");

    // Whoever took it on calls.
    store.set_work_status(&taken.reference, WorkStatus::InProgress).await.unwrap();
    let begun = store.begin_outreach(unasked(Purpose::Request, &taken.reference, NUMBER)).await.unwrap();
    assert_eq!(begun, None);
    let begun = store.begin_outreach(unasked(Purpose::Request, &one.reference, NUMBER)).await.unwrap();
    let begun = begun.unwrap();
    assert_eq!((begun.purpose, begun.item.as_ref()), (Purpose::Request, Some(&one.reference)));
    assert_eq!(listed(store, WorkKind::Callback).await, [taken.reference.as_str()]);
    store.end_outreach(begun.id, OutreachResult::NoAnswer).await.unwrap();
    assert_eq!(store.retries(begun.id).await.unwrap().unwrap().state, RetryState::Waiting);
    let again = store.begin_outreach(unasked(Purpose::Request, &one.reference, NUMBER)).await.unwrap();
    assert_eq!(again, None, "however it went");
}

pub(crate) async fn two_who_remind_at_once_ring_once(f: &Fixture) {
    let store = &f.river;
    for n in 0..8 {
        let item = filed(store, &n.to_string(), WorkKind::Inspection).await;
        let before = store.work_item(&item.reference).await.unwrap().unwrap();
        // By two numbers: that a number is called by one call at a time does not keep them apart.
        let one = unasked(Purpose::Appointment, &item.reference, &format!("+1202555010{n}"));
        let other = unasked(Purpose::Appointment, &item.reference, &format!("+1202555011{n}"));
        let both = tokio::join!(store.begin_outreach(one), store.begin_outreach(other));
        let begun: Vec<_> = [both.0.unwrap(), both.1.unwrap()].into_iter().flatten().collect();
        assert_eq!(begun.len(), 1, "{begun:?}");
        let id = begun[0].id;
        store.end_outreach(id, OutreachResult::Busy).await.unwrap();
        let kept = store.retries(id).await.unwrap().unwrap();
        assert_eq!((kept.state, kept.remaining), (RetryState::Waiting, 1));
        let again = unasked(Purpose::Appointment, &item.reference, &format!("+1202555012{n}"));
        assert_eq!(store.begin_outreach(again).await.unwrap(), None, "however it went");
        assert_eq!(store.work_item(&item.reference).await.unwrap().unwrap(), before, "nothing of it changes");
    }
}
