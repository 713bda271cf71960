//! Everybody at a target is on a call: callers wait in line, are put through in their turn, or are called back in it.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Client;
use secrecy::SecretString;
use serde_json::{Value, json};
use storage::records::{Direction, NewCall};
use storage::transfers::{BY_AGENT, NewTransfer, TransferResult};
use storage::waits::{Wait, WaitResult};
use storage::{CallId, Calls, Settings, TransferId, Transfers, Waits};
use telephony::media::{AudioFrame, StreamStart};
use telephony::twilio::signature::{SIGNATURE_HEADER, sign};

use super::simulated_carrier::{ACCOUNT, Behaviour, TOKEN, Talk};
use super::transfer::{ADMIN, CALLER, CLERK, LINE, Line, presses, staffed_with};
use crate::auth::secrets;
use caller::leg;
use caller::script::{Act, Opening, Patience, Script};

const TARGET: &str = "the clerk's office";

/// A caller who presses these keys, one after each answer, speaks where there is a `*`, and stays.
fn acts(what: &'static str) -> Talk {
    caller(what, 300, None)
}

/// The same, who takes so long for an answer, and hangs up so many milliseconds after the stream opened.
fn caller(what: &'static str, gap_ms: u64, hangup_after_ms: Option<u64>) -> Talk {
    Arc::new(move |url, parameters, call_sid| {
        Box::pin(async move {
            let signature = sign(&SecretString::from(TOKEN), &url, &[]);
            let stream_sid = format!("MZ{}", secrets::random_hex(16));
            let start = StreamStart { stream_sid, call_sid, account_sid: ACCOUNT.to_owned(), parameters };
            let patience = Patience { gap_ms, quiet_ms: 60_000, answer_ms: 60_000, hangup_after_ms };
            let act = |what: char| match what {
                '*' => Act::Say(vec![AudioFrame([0x10; 160]); 50]),
                key => Act::Press(vec![key]),
            };
            let acts = what.chars().map(act).chain([Act::Say(vec![AudioFrame::SILENCE; 3_000])]).collect();
            let script = Script::new(acts, Opening::AfterGreeting, patience);
            let _ = leg::talk(&url, Some((SIGNATURE_HEADER, signature)), start, script).await;
        })
    })
}

async fn line(warm: bool) -> Line {
    staffed_with(json!({ "queue": true, "warm": warm })).await
}

impl Line {
    fn calls(&self) -> String {
        self.carrier.call_in(&self.test.url("/twilio/voice"), CALLER, LINE)
    }

    async fn id(&self, sid: &str) -> CallId {
        self.get(&format!("/v1/calls/{sid}")).await["id"].as_str().unwrap().parse().unwrap()
    }

    /// Everything that was said on a call, once this is among it.
    async fn tells(&self, sid: &str, part: &str) -> String {
        let path = format!("/v1/calls/{sid}/transcript");
        for _ in 0..1_600 {
            let said = self.get(&path).await.to_string();
            if said.contains(part) {
                return said;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("not said: {part}: {}", self.get(&path).await);
    }

    async fn queue(&self) -> Vec<Value> {
        self.get("/v1/transfers/queue").await["items"].as_array().unwrap().clone()
    }

    async fn waits(&self, callers: usize) -> Vec<Value> {
        for _ in 0..800 {
            let now = self.queue().await;
            if now.len() == callers {
                return now;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("{:?} instead of {callers}", self.queue().await);
    }

    async fn wait_of(&self, call: CallId) -> Wait {
        for _ in 0..800 {
            if let Some(wait) = self.store.wait_of(call).await.unwrap().filter(|wait| wait.ended_at.is_some())
            {
                return wait;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("{:?}", self.store.wait_of(call).await);
    }

    /// The one person there is on a call that does not end.
    async fn busy(&self) -> TransferId {
        let id = CallId::new();
        let call = NewCall {
            id,
            carrier_sid: None,
            line: LINE.into(),
            caller: None,
            direction: Direction::Inbound,
            language: "en".into(),
            passport_id: None,
            started_at: chrono::Utc::now(),
        };
        self.store.begin_call(call).await.unwrap();
        let wish = NewTransfer {
            call: id,
            actor: BY_AGENT.into(),
            target: TARGET.into(),
            number: CLERK.into(),
            language: "en".into(),
            about: String::new(),
            warm: false,
            notes: false,
        };
        self.store.begin_transfer(wish).await.unwrap().id
    }

    async fn hang_up(&self, sid: &str) {
        let url = self.test.url(&format!("/v1/calls/{sid}/hangup"));
        assert!(Client::new().post(url).bearer_auth(ADMIN).send().await.unwrap().status().is_success());
        self.until(sid, "ended").await;
    }

    /// The one call back that was filed, once it is there.
    async fn call_back(&self) -> Value {
        for _ in 0..400 {
            let filed = self.call_backs().await;
            if !filed.is_empty() {
                assert_eq!(filed.len(), 1, "{filed:?}");
                return filed[0].clone();
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("nobody calls them back");
    }
}

fn keeps_the_place(filed: &Value, wait: &Wait) {
    let queued_at: chrono::DateTime<chrono::Utc> = filed["queued_at"].as_str().unwrap().parse().unwrap();
    assert_eq!(queued_at, wait.joined_at, "{filed}");
}

#[tokio::test]
async fn callers_for_one_person_are_put_through_one_after_the_other() {
    one_after_the_other(false).await;
}

#[tokio::test]
async fn so_they_are_where_the_person_is_asked_first() {
    one_after_the_other(true).await;
}

async fn one_after_the_other(warm: bool) {
    let line = line(warm).await;
    let key = warm.then_some('1');
    // A conference of this carrier is over at once: then the first talks on without it.
    let talks = if warm { Some(line.busy().await) } else { None };
    if !warm {
        line.carrier.number(CLERK, Behaviour::Answers { key, lasts: Duration::from_secs(20) });
        line.carrier.talk(presses("01"));
        let first = line.calls();
        line.tells(&first, "put you through to the clerk's office now").await;
    }
    line.carrier.talk(acts("01"));
    let second = line.calls();
    let said = line.tells(&second, "Would you like to wait?").await;
    assert!(
        said.contains("Everyone at the clerk's office is on a call. If you wait, you are first in line."),
        "{said}"
    );
    assert!(!said.contains("It may take"), "no call there is known to tell by: {said}");
    let waits = line.waits(1).await;
    let id = line.id(&second).await;
    assert_eq!(waits[0]["call_id"], json!(id), "{waits:?}");
    assert_eq!(
        (&waits[0]["line"], &waits[0]["target"], &waits[0]["place"], &waits[0]["urgent"]),
        (&json!(LINE), &json!(TARGET), &json!(1), &json!(false))
    );
    let third = line.calls();
    line.tells(&third, "If you wait, you are second in line.").await;
    let waits = line.waits(2).await;
    assert_eq!((&waits[0]["call_id"], &waits[1]["place"]), (&json!(id), &json!(2)), "{waits:?}");
    // The next calls there are short.
    line.carrier.number(CLERK, Behaviour::Answers { key, lasts: Duration::from_secs(1) });
    let other = line.id(&third).await;
    if let Some(talks) = talks {
        assert!(line.store.end_transfer(talks, TransferResult::Answered).await.unwrap());
    }
    line.tells(&second, "Thank you for waiting. It's your turn.").await;
    line.tells(&third, "Thank you for waiting. It's your turn.").await;
    assert_eq!(line.queue().await, Vec::<Value>::new());
    for call in [id, other] {
        assert_eq!(line.wait_of(call).await.result, Some(WaitResult::PutThrough));
    }
    let of = async |call| line.store.transfers_of(call).await.unwrap().remove(0);
    let (earlier, later) = (of(id).await, of(other).await);
    assert_eq!(earlier.result, Some(TransferResult::Answered), "{earlier:?}");
    assert!(later.created_at >= earlier.heard_at, "one person has one call at a time");
    assert!(line.call_backs().await.is_empty());
    let counted = Client::new().get(line.test.url("/metrics")).bearer_auth(ADMIN).send().await.unwrap();
    let counted = counted.text().await.unwrap();
    assert!(counted.contains("quandura_transfer_wait_seconds_count{result=\"put_through\"}"), "{counted}");
    line.test.gateway.shutdown().await;
}

#[tokio::test]
async fn who_would_rather_be_called_back_says_so_or_presses_a_key_and_keeps_the_place() {
    for leaves in ["011", "01*"] {
        let line = line(false).await;
        line.busy().await;
        line.carrier.talk(acts(leaves));
        let sid = line.calls();
        line.tells(&sid, "Please stay on the line for the clerk's office").await;
        line.tells(&sid, "Okay, you keep your place.").await;
        let call = line.id(&sid).await;
        let wait = line.wait_of(call).await;
        assert_eq!(wait.result, Some(WaitResult::CalledBack), "{leaves}");
        line.hang_up(&sid).await;
        keeps_the_place(&line.call_back().await, &wait);
        let items = line.get("/v1/work-items").await;
        assert!(items["items"][0]["queued_at"].is_string(), "{items}");
        assert_eq!(line.queue().await, Vec::<Value>::new());
        line.test.gateway.shutdown().await;
    }
}

#[tokio::test]
async fn who_does_not_want_to_wait_at_all_is_called_back_as_of_when_they_asked() {
    let line = line(false).await;
    line.busy().await;
    line.carrier.talk(acts("0*"));
    let sid = line.calls();
    line.tells(&sid, "Okay, you keep your place.").await;
    let wait = line.wait_of(line.id(&sid).await).await;
    line.hang_up(&sid).await;
    keeps_the_place(&line.call_back().await, &wait);
    line.test.gateway.shutdown().await;
}

#[tokio::test]
async fn where_somebody_else_was_quicker_the_caller_may_wait() {
    let line = line(false).await;
    line.carrier.talk(caller("01", 4_000, None));
    let sid = line.calls();
    line.tells(&sid, "I can put you through to the clerk's office. Shall I?").await;
    line.busy().await;
    let said = line.tells(&sid, "If you wait, you are first in line.").await;
    assert!(!said.contains("put you through to the clerk's office now"), "{said}");
    let call = line.id(&sid).await;
    assert_eq!(line.store.transfers_of(call).await.unwrap(), []);
    line.test.gateway.shutdown().await;
}

#[tokio::test]
async fn who_hangs_up_while_they_wait_is_called_back_and_keeps_the_place() {
    let line = line(false).await;
    line.busy().await;
    line.carrier.talk(caller("01", 300, Some(14_000)));
    let sid = line.calls();
    line.waits(1).await;
    let call = line.until(&sid, "ended").await;
    assert_eq!(call["end_reason"], "caller_hung_up", "{call}");
    let wait = line.wait_of(line.id(&sid).await).await;
    assert_eq!(wait.result, Some(WaitResult::HungUp));
    let filed = line.call_back().await;
    keeps_the_place(&filed, &wait);
    assert!(filed["reason"].as_str().unwrap().contains("waited in line"), "{filed}");
    line.test.gateway.shutdown().await;
}

#[tokio::test]
async fn where_the_target_is_taken_away_the_caller_hears_so() {
    let line = line(false).await;
    line.busy().await;
    line.carrier.talk(acts("01"));
    let sid = line.calls();
    line.waits(1).await;
    for looks in 0.. {
        let call = line.get(&format!("/v1/calls/{sid}")).await;
        if call["in_line"] == json!({ "target": TARGET, "place": 1 }) {
            break;
        }
        assert!(looks < 200, "{call}");
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    line.store.put_setting(crate::dialing::transfer::TARGETS, &json!([])).await.unwrap();
    line.tells(&sid, "the call to the clerk's office didn't go through").await;
    assert_eq!(line.wait_of(line.id(&sid).await).await.result, Some(WaitResult::Lost));
    line.test.gateway.shutdown().await;
}
