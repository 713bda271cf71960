//! Calls that the agent places by itself, and who agreed to be called for what.

use chrono::{TimeDelta, Utc};

use super::{Fixture, new_call};
use crate::outreach::{Comes, NewConsent, NewOutreach, OutreachNews, OutreachResult, OutreachStage, Purpose};
use crate::records::{CallState, Direction, NewCall};
use crate::{CallId, Calls, Dials, Outreach, TenantStore};

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
