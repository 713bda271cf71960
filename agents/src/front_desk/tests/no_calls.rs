//! Whoever we called wants no more calls: on the list before they hear so, with a model or without one.

use storage::outreach::{Comes, NewOutreach, Purpose};
use storage::records::{Direction, NewCall};
use storage::{Dials, Outreach};

use super::*;

pub(super) const NUMBER: &str = "+12125550143";

/// The call of this brief, as it was placed.
pub(super) async fn placed(store: &TenantStore, brief: &CallBrief) {
    let call = NewCall {
        id: storage::CallId(brief.call.0),
        carrier_sid: None,
        line: brief.line.clone(),
        caller: Some(NUMBER.into()),
        direction: Direction::Outbound,
        language: "en".into(),
        passport_id: Some(PassportId(brief.passport)),
        started_at: Utc::now(),
    };
    let new =
        NewOutreach { call, purpose: Purpose::Callback, actor: "pat".into(), comes: Comes::Once, item: None };
    store.begin_outreach(new).await.unwrap().expect("a call");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_wants_no_more_calls_is_on_the_list_when_they_hear_it() {
    let office = office().await;
    let brief = CallBrief { outbound: true, ..office.brief() };
    placed(&office.store, &brief).await;
    let mut line = Line { stream: office.desk.open(brief.clone()).unwrap(), turn: 0, brief };
    line.open().await;
    // On a guess nothing is written, and nothing is confirmed.
    line.turn += 1;
    let (turn, input) = (TurnId(line.turn), Line::said("please stop calling me"));
    line.command(ReplyCommand::Start { turn, input, speculative: true }).await;
    let guess = line.listen().await;
    assert_eq!(guess.text, "", "{guess:?}");
    assert!(!office.store.is_do_not_call(NUMBER).await.unwrap());
    line.command(ReplyCommand::Commit { turn }).await;
    let heard = line.listen().await;
    assert!(heard.text.contains("We will not call you again."), "{heard:?}");
    assert!(office.store.is_do_not_call(NUMBER).await.unwrap());
    assert!(office.store.outreach(storage::CallId(line.brief.call.0)).await.unwrap().unwrap().opted_out);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_could_not_be_kept_is_not_promised() {
    let office = office().await;
    // The call is not on record: there is no number to put on the list.
    let brief = CallBrief { outbound: true, ..office.brief() };
    let mut line = Line { stream: office.desk.open(brief.clone()).unwrap(), turn: 0, brief };
    line.open().await;
    let heard = line.say("please stop calling me").await;
    assert!(!heard.text.contains("We will not call you again."), "{heard:?}");
    assert!(!heard.text.is_empty() && heard.ended, "{heard:?}");
}
