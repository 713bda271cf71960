//! Legal holds and the deletion of what is old.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use uuid::Uuid;

use super::calls::{row, said};
use super::passports::{change, new_passport};
use super::{Fixture, new_call, noon};
use crate::ids::{CallId, HoldId, PassportId};
use crate::outbox_records::{NewOutgoing, OutboxDecision};
use crate::records::{NewCall, NewPassport, PassportChange};
use crate::retention::{Held, NewHold, SweepLimits, Swept};
use crate::review_records::NewReview;
use crate::{Calls, Outbox, Passports, Retention, Reviews, StorageError, TenantStore};

/// An ended call of a caller with a closed Passport.
pub(crate) async fn old_call(store: &TenantStore, caller: &str) -> (CallId, PassportId) {
    let new = new_passport();
    let new = NewPassport {
        document: json!({"context": {"who": "Ottoline"}, "ledger": [{"action": "greet"}]}),
        ..new
    };
    let call = NewCall { caller: Some(caller.into()), passport_id: Some(new.id), ..new_call() };
    let passport = store.create_passport(NewPassport { call_id: Some(call.id), ..new }).await.unwrap();
    let closed = change(&passport, passport.document.clone());
    store.update_passport(PassportChange { status: "completed".into(), ..closed }).await.unwrap();
    let call = store.begin_call(call).await.unwrap().id;
    store.append(call, &[row(1, said(1, "a secret")), row(2, said(2, "another"))]).await.unwrap();
    store.end_call(call, "caller_hung_up", noon() + TimeDelta::minutes(3)).await.unwrap();
    (call, passport.id)
}

/// Everything that happened until now is old.
pub(crate) fn all() -> SweepLimits {
    let before: DateTime<Utc> = Utc::now() + TimeDelta::hours(1);
    SweepLimits { events_before: before, tasks_before: before, most: 50 }
}

fn hold(on: Held) -> NewHold {
    NewHold { on, reason: "litigation".into(), by: "pat".into() }
}

async fn is_kept(store: &TenantStore, (call, passport): (CallId, PassportId)) -> (bool, bool, bool) {
    let log = store.call_log(call).await.unwrap();
    let document = store.passport(passport).await.unwrap().unwrap().document;
    (
        log.len() == 2,
        document["context"]["who"] == "Ottoline",
        store.caller_number(call).await.unwrap().is_some(),
    )
}

const KEPT: (bool, bool, bool) = (true, true, true);
const GONE: (bool, bool, bool) = (false, false, false);

pub(crate) async fn what_is_old_goes_and_its_heads_stay(f: &Fixture) {
    let old = old_call(&f.river, "+12025550123").await;
    let swept = f.river.sweep(all()).await.unwrap();
    assert_eq!(swept, Swept { calls: 1, rows: 3, passports: 1, tasks: 0, effects: 0, callers: 1 });
    assert_eq!(is_kept(&f.river, old).await, GONE);
    assert!(f.river.call_log(old.0).await.unwrap().is_empty());
    let call = f.river.call(old.0).await.unwrap().unwrap();
    assert_eq!(call.end_reason.as_deref(), Some("caller_hung_up"));
    let passport = f.river.passport(old.1).await.unwrap().unwrap();
    assert_eq!(
        (passport.status.as_str(), passport.document),
        ("completed", json!({"forgotten": true, "ledger": []}))
    );
    assert!(f.river.sweep(all()).await.unwrap().is_nothing());
}

pub(crate) async fn what_is_young_or_open_stays(f: &Fixture) {
    let young = old_call(&f.river, "+12025550123").await;
    let before = noon() - TimeDelta::days(1);
    let limits = SweepLimits { events_before: before, tasks_before: before, most: 50 };
    assert!(f.river.sweep(limits).await.unwrap().is_nothing());
    assert_eq!(is_kept(&f.river, young).await, KEPT);
    let live = f.river.begin_call(new_call()).await.unwrap().id;
    f.river.append(live, &[row(1, said(1, "x"))]).await.unwrap();
    let open = f.river.create_passport(new_passport()).await.unwrap();
    let swept = f.river.sweep(all()).await.unwrap();
    assert_eq!((swept.calls, swept.passports), (1, 1), "the young call, which is old by this limit");
    assert_eq!(f.river.call_log(live).await.unwrap().len(), 1);
    assert_eq!(f.river.passport(open.id).await.unwrap().unwrap().document, open.document);
    assert!(f.river.caller_number(live).await.unwrap().is_some());
}

pub(crate) async fn a_sweep_takes_so_many_at_most(f: &Fixture) {
    for _ in 0..5 {
        old_call(&f.river, "+12025550123").await;
    }
    let few = SweepLimits { most: 2, ..all() };
    let counts = async || f.river.sweep(few).await.unwrap().calls;
    assert_eq!([counts().await, counts().await, counts().await, counts().await], [2, 2, 1, 0]);
}

pub(crate) async fn a_hold_always_wins(f: &Fixture) {
    let call = old_call(&f.river, "+12025550101").await;
    let passport = old_call(&f.river, "+12025550102").await;
    let caller = old_call(&f.river, "(202) 555-0103").await;
    let free = old_call(&f.river, "+12025550104").await;
    f.river.set_hold(hold(Held::Call(call.0))).await.unwrap();
    f.river.set_hold(hold(Held::Passport(passport.1))).await.unwrap();
    let by_number = f.river.set_hold(hold(Held::Caller("+1 202 555 0103".into()))).await.unwrap();
    assert_eq!(f.river.sweep(all()).await.unwrap().calls, 1);
    for held in [call, passport, caller] {
        assert_eq!(is_kept(&f.river, held).await, KEPT);
    }
    assert_eq!(is_kept(&f.river, free).await, GONE);

    let whole = f.river.set_hold(hold(Held::Tenant)).await.unwrap();
    f.river.lift_hold(by_number.id, "sam").await.unwrap();
    assert!(f.river.sweep(all()).await.unwrap().is_nothing());
    f.river.lift_hold(whole.id, "sam").await.unwrap();
    assert_eq!(f.river.sweep(all()).await.unwrap().calls, 1);
    assert_eq!((is_kept(&f.river, caller).await, is_kept(&f.river, call).await), (GONE, KEPT));
}

pub(crate) async fn what_is_forgotten_is_not_reviewed_and_its_review_says_nothing(f: &Fixture) {
    let (reviewed, not) =
        (old_call(&f.river, "+12025550101").await.1, old_call(&f.river, "+12025550102").await.1);
    let review = NewReview {
        passport: reviewed,
        success: true,
        verdict: None,
        effectiveness: 0.75,
        reviewed_at: noon(),
        document: json!({ "learnings": { "mistakes": ["said Elm Street"] } }),
        change: None,
        outcomes: Vec::new(),
        autonomy: Vec::new(),
    };
    f.river.file_review(review).await.unwrap();
    assert_eq!(f.river.unreviewed(10).await.unwrap(), [not]);
    assert_eq!(f.river.sweep(all()).await.unwrap().passports, 2);
    assert_eq!(f.river.unreviewed(10).await.unwrap(), []);
    let review = f.river.review(reviewed).await.unwrap().unwrap();
    assert_eq!((review.success, review.document), (true, json!({ "forgotten": true })));
}

pub(crate) async fn a_number_stays_while_a_hold_may_need_it(f: &Fixture) {
    let (call, passport) = old_call(&f.river, "+12025550101").await;
    let only_logs = SweepLimits { tasks_before: noon() - TimeDelta::days(1), ..all() };
    let only_tasks = SweepLimits { events_before: noon() - TimeDelta::days(1), ..all() };
    let swept = f.river.sweep(only_tasks).await.unwrap();
    assert_eq!((swept.passports, swept.callers), (1, 0), "its log is still there");
    let held = f.river.set_hold(hold(Held::Caller("+12025550101".into()))).await.unwrap();
    assert!(f.river.sweep(all()).await.unwrap().is_nothing());
    f.river.lift_hold(held.id, "sam").await.unwrap();
    assert_eq!(f.river.sweep(only_logs).await.unwrap().calls, 1);
    assert_eq!(f.river.sweep(all()).await.unwrap().callers, 1);
    assert_eq!(is_kept(&f.river, (call, passport)).await, GONE);
}

pub(crate) async fn effects_that_are_over_go_with_their_age(f: &Fixture) {
    let (held_call, _) = old_call(&f.river, "+12025550101").await;
    f.river.set_hold(hold(Held::Call(held_call))).await.unwrap();
    let put = async |key: &str, call_id: Option<CallId>, refused: bool| {
        let new = NewOutgoing {
            idempotency_key: key.into(),
            destination: "desk".into(),
            tool: "take_message".into(),
            held: true,
            call_id,
            passport_id: None,
            payload: json!({ "message": "a secret" }),
        };
        let id = f.river.put_outgoing(new).await.unwrap().id;
        if refused {
            let no = OutboxDecision { id, approve: false, by: "pat".into(), at: noon() };
            f.river.decide_outgoing(no).await.unwrap();
        }
        id
    };
    let (over, waits) = (put("over", None, true).await, put("waits", None, false).await);
    let kept = put("kept", Some(held_call), true).await;
    let young = SweepLimits { tasks_before: noon() - TimeDelta::days(1), ..all() };
    assert_eq!(f.river.sweep(young).await.unwrap().effects, 0);
    assert_eq!(f.river.sweep(all()).await.unwrap().effects, 1);
    let mut left = Vec::new();
    for id in [over, waits, kept] {
        left.push(f.river.outgoing(id).await.unwrap().is_some());
    }
    assert_eq!(left, [false, true, true]);
}

pub(crate) async fn holds_that_are_in_force_come_first(f: &Fixture) {
    let [first, second, third] = [Uuid::from_u128(1), Uuid::from_u128(2), Uuid::from_u128(3)].map(CallId);
    let mut set = Vec::new();
    for call in [first, second, third] {
        set.push(f.river.set_hold(hold(Held::Call(call))).await.unwrap().id);
    }
    f.river.lift_hold(set[2], "sam").await.unwrap();
    let listed = f.river.holds().await.unwrap();
    assert_eq!((listed.len(), listed[2].id), (3, set[2]), "the newest, which is lifted");
}

pub(crate) async fn holds_say_who_and_why(f: &Fixture) {
    let set = f.river.set_hold(hold(Held::Tenant)).await.unwrap();
    assert_eq!(f.river.holds().await.unwrap(), std::slice::from_ref(&set));
    f.river.lift_hold(set.id, "sam").await.unwrap();
    let lifted = f.river.holds().await.unwrap().remove(0);
    assert_eq!(
        (lifted.reason.as_str(), lifted.set_by.as_str(), lifted.lifted_by.as_deref()),
        ("litigation", "pat", Some("sam"))
    );
    for gone in [set.id, HoldId::new()] {
        assert!(matches!(f.river.lift_hold(gone, "sam").await, Err(StorageError::NotFound { .. })));
    }
    let nobody = f.river.set_hold(hold(Held::Caller("anonymous".into()))).await;
    assert!(matches!(nobody, Err(StorageError::Invalid { .. })), "{nobody:?}");
}

pub(crate) async fn a_sweep_and_a_hold_are_one_tenants(f: &Fixture) {
    let (ours, theirs) = (old_call(&f.river, "+12025550101").await, old_call(&f.lake, "+12025550101").await);
    let held = f.lake.set_hold(hold(Held::Tenant)).await.unwrap();
    assert!(f.river.holds().await.unwrap().is_empty());
    assert!(matches!(f.river.lift_hold(held.id, "sam").await, Err(StorageError::NotFound { .. })));
    assert_eq!(f.river.sweep(all()).await.unwrap().calls, 1);
    assert_eq!((is_kept(&f.river, ours).await, is_kept(&f.lake, theirs).await), (GONE, KEPT));
}
