//! A live call is put through to a person by its supervisor, and comes back to the agent where nobody takes it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use knowledge::Retriever;
use reqwest::{Client, StatusCode};
use secrecy::SecretString;
use serde_json::{Value, json};
use storage::records::{CallEntry, Direction, LogRow, NewCall, WorkFilter, WorkKind};
use storage::transfers::{BY_AGENT, NewTransfer, TransferResult};
use storage::{
    CallId, Calls, Directory, Platform, RecordingConsent, Settings, TenantStore, Transfers, WorkItems,
};
use telephony::media::{AudioFrame, StreamStart};
use telephony::twilio::signature::{SIGNATURE_HEADER, sign};
use work::tools::registry::Policy;

use super::simulated_carrier::{ACCOUNT, Behaviour, CarrierServer, TOKEN, Talk};
use crate::auth::secrets;
use crate::config::Config;
use crate::demo;
use crate::dialing::reconcile;
use crate::dialing::transfer::TARGETS;
use crate::providers::{Providers, agent};
use crate::simulated::{TestGateway, engines};
use caller::leg;
use caller::script::{Act, Opening, Patience, Script};

pub(super) const ADMIN: &str = "an-admin-token-of-the-test";
pub(super) const LINE: &str = "+12025550100";
pub(super) const CALLER: &str = "+12125550143";
pub(super) const CLERK: &str = "+12025550180";

pub(super) struct Line {
    pub(super) test: TestGateway,
    pub(super) carrier: CarrierServer,
    pub(super) store: TenantStore,
}

/// A caller who listens and stays.
fn patient() -> Talk {
    presses("")
}

/// The same, who presses these keys, one after each answer.
pub(super) fn presses(keys: &'static str) -> Talk {
    Arc::new(move |url, parameters, call_sid| {
        Box::pin(async move {
            let signature = sign(&SecretString::from(TOKEN), &url, &[]);
            let stream_sid = format!("MZ{}", secrets::random_hex(16));
            let start = StreamStart { stream_sid, call_sid, account_sid: ACCOUNT.to_owned(), parameters };
            let patience = Patience { gap_ms: 300, quiet_ms: 500, answer_ms: 30_000, hangup_after_ms: None };
            let silence = vec![AudioFrame::SILENCE; 1_500];
            let pressed = keys.chars().map(|key| Act::Press(vec![key]));
            let acts = pressed.chain([Act::Say(silence)]).collect();
            let script = Script::new(acts, Opening::AfterGreeting, patience);
            let _ = leg::talk(&url, Some((SIGNATURE_HEADER, signature)), start, script).await;
        })
    })
}

/// The built-in agent, with simulated ears and voice.
pub(super) fn with_front_desk(platform: Platform) -> BoxFuture<'static, anyhow::Result<Providers>> {
    Box::pin(async move {
        let retriever = Arc::new(Retriever::lexical());
        let desk = agent::start(&platform, retriever, None, Policy::default()).await?;
        let adopt = agent::adopter(&desk);
        Ok(Providers { responder: Arc::new(desk), adopt, ..engines(platform).await? })
    })
}

async fn line() -> Line {
    let carrier = CarrierServer::start().await;
    let address = carrier.address.clone();
    let change = |config: &mut Config| {
        config.admin_token = Some(SecretString::from(ADMIN));
        config.carrier.twilio.account_sid = Some(ACCOUNT.into());
        config.carrier.twilio.auth_token = Some(TOKEN.into());
        config.carrier.twilio.address = address;
    };
    let test = TestGateway::with(change, with_front_desk).await;
    // A Wednesday at noon in the county.
    test.gateway.app.clock.stand_at("2026-11-25T17:00:00Z".parse().unwrap());
    let platform = &test.gateway.app.platform;
    let tenant = platform.store().tenant_by_slug("riverbend").await.unwrap().unwrap();
    let store = platform.tenant(tenant.id).await.unwrap();
    let targets = json!([
        { "name": "the clerk's office", "number": CLERK, "hours": { "weekdays": "8:00-17:00" } },
        { "name": "the night desk", "number": "+12025550181", "hours": { "weekdays": "20:00-24:00" } },
    ]);
    store.put_setting(TARGETS, &targets).await.unwrap();
    carrier.talk(patient());
    Line { test, carrier, store }
}

impl Line {
    /// Somebody calls, and talks with the agent.
    async fn called(&self, from: &str) -> String {
        let sid = self.carrier.call_in(&self.test.url("/twilio/voice"), from, LINE);
        self.until(&sid, "live").await;
        sid
    }

    pub(super) async fn get(&self, path: &str) -> Value {
        let request = Client::new().get(self.test.url(path)).bearer_auth(ADMIN);
        request.send().await.unwrap().json().await.unwrap()
    }

    pub(super) async fn until(&self, sid: &str, state: &str) -> Value {
        for _ in 0..400 {
            let call = self.get(&format!("/v1/calls/{sid}")).await;
            if call["state"] == state {
                return call;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("the call did not get {state}: {}", self.get(&format!("/v1/calls/{sid}")).await);
    }

    async fn transfer(&self, sid: &str, target: &str) -> (StatusCode, Value) {
        let url = self.test.url(&format!("/v1/calls/{sid}/transfer"));
        let request = Client::new().post(url).bearer_auth(ADMIN).json(&json!({ "target": target }));
        let answer = request.send().await.unwrap();
        (answer.status(), answer.json().await.unwrap_or_default())
    }

    /// Documents that calls followed, once there are so many.
    async fn followed(&self, documents: usize) -> Vec<String> {
        for _ in 0..400 {
            let followed = self.carrier.followed();
            if followed.len() >= documents {
                return followed;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("{:?}", self.carrier.followed());
    }

    /// The agent's words so far, once these are among them.
    pub(super) async fn says(&self, sid: &str, part: &str) -> String {
        let mut said = String::new();
        for _ in 0..400 {
            let transcript = self.get(&format!("/v1/calls/{sid}/transcript")).await;
            let turns = transcript["turns"].as_array().cloned().unwrap_or_default();
            let last = turns.iter().rev().find(|turn| turn["speaker"] == "agent");
            said = last.and_then(|turn| turn["text"].as_str()).unwrap_or_default().to_owned();
            if said.contains(part) {
                return said;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("not said: {part}: {said}");
    }

    /// Waits until there are so many.
    async fn filed(&self, call_backs: usize) {
        for _ in 0..200 {
            if self.call_backs().await.len() == call_backs {
                return;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("{:?} instead of {call_backs}", self.call_backs().await);
    }

    /// The carrier asks what to do with a call.
    pub(super) async fn asks(&self, path: &str, sid: &str, more: &[(&str, &str)]) -> String {
        let url = self.test.url(path);
        let about = [("CallSid", sid), ("AccountSid", ACCOUNT), ("From", CALLER), ("To", LINE)];
        let fields: Vec<(String, String)> =
            about.iter().chain(more).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let signature = sign(&SecretString::from(TOKEN), &url, &fields);
        let request = Client::new().post(url).header(SIGNATURE_HEADER, signature).form(&fields);
        request.send().await.unwrap().text().await.unwrap()
    }

    /// What people are to call back about: whichever way it was filed.
    pub(super) async fn call_backs(&self) -> Vec<Value> {
        let all = self.store.list_work_items(WorkFilter::default()).await.unwrap();
        let kinds = [WorkKind::Callback, WorkKind::Escalation];
        all.into_iter().filter(|item| kinds.contains(&item.kind)).map(|item| item.fields).collect()
    }
}

#[tokio::test]
async fn a_caller_over_sip_is_referred_and_comes_back_where_nobody_takes_the_call() {
    let line = line().await;
    line.carrier.number(CLERK, Behaviour::Answers { key: None, lasts: Duration::from_millis(50) });
    let kept = line.store.setting(TARGETS).await.unwrap().unwrap();
    let mut targets: Vec<Value> = serde_json::from_value(kept).unwrap();
    targets.iter_mut().for_each(|target| target["refer"] = json!("sip:clerk@pbx.example.gov"));
    line.store.put_setting(TARGETS, &json!(targets)).await.unwrap();
    // Not over SIP: dialled as ever.
    let sid = line.called(CALLER).await;
    line.transfer(&sid, "the clerk's office").await;
    assert!(line.followed(3).await[1].contains(CLERK), "dialled");
    let call = line.until(&sid, "ended").await;
    let id: CallId = call["id"].as_str().unwrap().parse().unwrap();
    let again = NewTransfer {
        call: id,
        actor: BY_AGENT.into(),
        target: "the clerk's office".into(),
        number: CLERK.into(),
        language: "en".into(),
        about: String::new(),
        warm: false,
        notes: false,
    };
    line.store.begin_transfer(again).await.unwrap();
    let sip = [("SipCallId", "9f21@pbx.example.gov")];
    let answer = line.asks(crate::webhooks::twilio::PATHS.resume, &sid, &sip).await;
    assert!(
        answer.contains("<Refer action=") && answer.contains("<Sip>sip:clerk@pbx.example.gov</Sip>"),
        "{answer}"
    );
    assert!(!answer.contains("<Dial"), "{answer}");
    let tenant = line.store.id();
    let done = format!("/twilio/transfer/{tenant}/{id}/done");
    let refused = [("ReferSipResponseCode", "202"), ("ReferCallStatus", "busy")];
    let back = line.asks(&done, &sid, &refused).await;
    assert!(back.contains("<Stream") || back.contains("<Say"), "the caller is not lost: {back}");
    assert_eq!(line.store.transfers_of(id).await.unwrap().pop().unwrap().result, Some(TransferResult::Busy));
}

#[tokio::test]
async fn a_caller_is_told_where_they_go_and_talks_with_the_target() {
    let line = line().await;
    line.carrier.number(CLERK, Behaviour::Answers { key: None, lasts: Duration::from_millis(50) });
    let sid = line.called(CALLER).await;
    let (status, answer) = line.transfer(&sid, "The Clerk's  Office").await;
    assert_eq!(status, StatusCode::ACCEPTED, "{answer}");
    assert_eq!((&answer["state"], &answer["target"]), (&json!("transferring"), &json!("the clerk's office")));
    let call = line.until(&sid, "ended").await;
    assert_eq!(call["end_reason"], "transferred");
    let followed = line.followed(3).await;
    let dial = &followed[1];
    assert!(
        dial.contains(
            "<Say language=\"en-US\">I&apos;ll put you through to the clerk&apos;s office now.</Say>"
        ),
        "{dial}"
    );
    assert!(dial.contains(&format!("callerId=\"{LINE}\"")) && dial.contains(CLERK), "{dial}");
    assert!(followed[2].contains("<Response><Hangup/>"), "{followed:?}");
    assert!(line.call_backs().await.is_empty());
    assert!(line.carrier.called().contains(&(CLERK.to_owned(), "completed")));
    let audit = line.get(&format!("/v1/audit?subject={}", call["id"].as_str().unwrap())).await;
    let entry = |action: &str| {
        let items = audit["items"].as_array().unwrap();
        items
            .iter()
            .find(|entry| entry["action"] == action)
            .unwrap_or_else(|| panic!("{action}: {audit}"))
            .clone()
    };
    assert_eq!(entry("call.transferred")["details"]["target"], "the clerk's office");
    assert_eq!(entry("call.transfer_ended")["details"]["result"], "answered");
    line.test.gateway.shutdown().await;
}

/// A line whose agent may put callers through to the clerk at any hour.
async fn staffed(warm: bool) -> Line {
    staffed_with(json!({ "warm": warm })).await
}

/// The same, where the clerk's target is also as said here.
pub(super) async fn staffed_with(more: Value) -> Line {
    let line = line().await;
    let hours = json!({ "weekdays": "0:00-24:00", "saturday": "0:00-24:00", "sunday": "0:00-24:00" });
    let mut targets = json!([{ "name": "the clerk's office", "number": CLERK, "hours": hours }]);
    for (name, value) in more.as_object().unwrap() {
        targets[0][name] = value.clone();
    }
    line.store.put_setting(TARGETS, &targets).await.unwrap();
    let app = &line.test.gateway.app;
    let tenant = app.platform.store().tenant_by_slug("riverbend").await.unwrap().unwrap();
    let facts = demo::facts(&app.platform, &tenant).await.unwrap();
    (app.ready.get().unwrap().providers.adopt)(line.store.clone(), facts);
    line
}

#[tokio::test]
async fn the_person_is_asked_first_and_both_meet_or_the_caller_stays_with_the_agent() {
    let line = staffed(true).await;
    line.carrier.talk(presses("01"));
    for (behaviour, result, said) in [
        (Behaviour::Says("No, not now."), "declined", "no one at the clerk's office can take your call"),
        (Behaviour::Busy, "busy", "the line is busy at the clerk's office"),
        (Behaviour::NoAnswer, "no_answer", "no one picked up at the clerk's office"),
        (Behaviour::Machine, "machine", "I got a machine at the clerk's office"),
        (Behaviour::Refused(21_215), "failed", "the call to the clerk's office didn't go through"),
    ] {
        line.carrier.number(CLERK, behaviour);
        let sid = line.carrier.call_in(&line.test.url("/twilio/voice"), CALLER, LINE);
        line.until(&sid, "live").await;
        let told = line.says(&sid, "leave a message").await;
        assert!(told.contains(said), "{result}: {told}");
        let call = line.until(&sid, "live").await;
        assert_eq!(call["transfers"][0]["result"], result, "{call}");
        let url = line.test.url(&format!("/v1/calls/{sid}/hangup"));
        assert!(Client::new().post(url).bearer_auth(ADMIN).send().await.unwrap().status().is_success());
        line.until(&sid, "ended").await;
    }
    line.carrier.number(CLERK, Behaviour::Answers { key: Some('1'), lasts: Duration::from_millis(50) });
    let seen = line.carrier.followed().len();
    let sid = line.carrier.call_in(&line.test.url("/twilio/voice"), CALLER, LINE);
    let rooms = async || {
        let followed = line.carrier.followed();
        followed[seen..]
            .iter()
            .filter(|document| document.contains("</Conference>"))
            .cloned()
            .collect::<Vec<_>>()
    };
    for _ in 0..400 {
        if rooms().await.len() == 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    let rooms = rooms().await;
    let name = |document: &str| document.split_once("\">transfer-").map(|(_, rest)| rest[..36].to_owned());
    assert!(rooms.len() == 2 && name(&rooms[0]) == name(&rooms[1]), "both in one room: {rooms:?}");
    let asked =
        line.carrier.followed().iter().any(|document| document.contains("A caller wants to speak with"));
    assert!(asked, "{:?}", line.carrier.followed());
    let call = line.until(&sid, "ended").await;
    assert_eq!(call["end_reason"], "transferred", "{call}");
    line.test.gateway.shutdown().await;
}

#[tokio::test]
async fn the_agent_offers_to_put_through_and_the_carrier_does_it() {
    let line = staffed(false).await;
    line.carrier.number(CLERK, Behaviour::Busy);
    line.carrier.talk(presses("01"));
    let sid = line.carrier.call_in(&line.test.url("/twilio/voice"), CALLER, LINE);
    let followed = line.followed(3).await;
    assert!(followed[1].contains(CLERK) && !followed[1].contains("<Say"), "{followed:?}");
    assert!(followed[2].contains("<Stream "), "{followed:?}");
    // Back with the agent, zero leads to a call back and not there once more.
    let call = line.until(&sid, "live").await;
    let transfer = &call["transfers"][0];
    assert_eq!((&transfer["by"], &transfer["result"]), (&json!("the agent"), &json!("busy")), "{call}");
    let said = line.get(&format!("/v1/calls/{sid}/transcript")).await.to_string();
    for part in [
        "I can put you through to the clerk's office. Shall I?",
        "I'll put you through to the clerk's office now.",
    ] {
        assert_eq!(said.matches(part).count(), 1, "{part}: {said}");
    }
    for _ in 0..400 {
        let said = line.get(&format!("/v1/calls/{sid}/transcript")).await.to_string();
        if said.contains("your name") {
            return line.test.gateway.shutdown().await;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("no call back was offered: {}", line.get(&format!("/v1/calls/{sid}/transcript")).await);
}

#[tokio::test]
async fn a_caller_whom_nobody_took_comes_back_to_the_agent_on_the_same_record() {
    let line = line().await;
    for (behaviour, result, said) in [
        (Behaviour::NoAnswer, "no_answer", "no one picked up at the clerk's office"),
        (Behaviour::Busy, "busy", "the line is busy at the clerk's office"),
        (Behaviour::Failed, "failed", "the call to the clerk's office didn't go through"),
    ] {
        line.carrier.number(CLERK, behaviour);
        let seen = line.carrier.followed().len();
        let sid = line.called(CALLER).await;
        let id = line.get(&format!("/v1/calls/{sid}")).await["id"].clone();
        assert_eq!(line.transfer(&sid, "the clerk's office").await.0, StatusCode::ACCEPTED);
        let followed = line.followed(seen + 3).await;
        assert!(followed[seen + 2].contains("<Stream "), "{followed:?}");
        let told = line.says(&sid, "leave a message").await;
        assert!(told.contains(said) && !told.contains("How can I help"), "{told}");
        let call = line.until(&sid, "live").await;
        assert_eq!((&call["id"], &call["end_reason"]), (&id, &Value::Null));
        let transfers = &call["transfers"];
        assert_eq!(
            (&transfers[0]["result"], &transfers[0]["stage"]),
            (&json!(result), &json!("ended")),
            "{call}"
        );
        // Who hangs up now without a word is called back all the same, and once.
        let (filed, url) = (line.call_backs().await.len(), format!("/v1/calls/{sid}/hangup"));
        let request = Client::new().post(line.test.url(&url)).bearer_auth(ADMIN);
        assert!(request.send().await.unwrap().status().is_success());
        line.until(&sid, "ended").await;
        line.filed(filed + 1).await;
    }
    line.test.gateway.shutdown().await;
}

#[tokio::test]
async fn where_nobody_can_go_on_with_the_caller_a_call_back_is_filed_and_then_promised() {
    let line = line().await;
    line.carrier.number(CLERK, Behaviour::NoAnswer);
    for (from, told, files) in
        [(CALLER, "A person will call you back", 1), ("anonymous", "Please call again later", 0)]
    {
        let platform = &line.test.gateway.app.platform;
        let kept = platform.store().line(LINE).await.unwrap().unwrap();
        let (filed, seen) = (line.call_backs().await.len(), line.carrier.followed().len());
        let sid = line.called(from).await;
        // The line is taken away while the call is on it.
        platform.store().remove_line(kept.tenant_id, LINE).await.unwrap();
        assert_eq!(line.transfer(&sid, "the clerk's office").await.0, StatusCode::ACCEPTED);
        let followed = line.followed(seen + 3).await;
        assert!(followed[seen + 2].contains(told), "{followed:?}");
        assert_eq!(line.call_backs().await.len(), filed + files);
        platform.store().put_line(kept).await.unwrap();
    }
    line.test.gateway.shutdown().await;
}

#[tokio::test]
async fn who_comes_back_is_told_of_recording_again_and_a_no_holds_for_the_whole_call() {
    let line = line().await;
    let platform = &line.test.gateway.app.platform;
    let kept = platform.store().line(LINE).await.unwrap().unwrap();
    platform
        .store()
        .put_line(storage::Line { recording_consent: RecordingConsent::Notice, ..kept })
        .await
        .unwrap();
    line.carrier.number(CLERK, Behaviour::Busy);
    for (withdrawn, told) in [(false, 2), (true, 1)] {
        let sid = line.called(CALLER).await;
        let id = line.get(&format!("/v1/calls/{sid}")).await["id"].as_str().unwrap().to_owned();
        let path = format!("/v1/audit?subject={id}&action=call.consent");
        let consents = async || line.get(&path).await["items"].as_array().unwrap().len();
        let wait = async |consented: usize| {
            for _ in 0..400 {
                if consents().await == consented {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(25)).await;
            }
            panic!("not told {consented} times: {}", line.get(&path).await);
        };
        wait(1).await;
        if withdrawn {
            let entry = CallEntry::Consent { turn: 1, consented: "withdrawn".to_owned() };
            let row = LogRow { seq: 1_000, at_ms: 1_000, entry };
            line.store.append(id.parse().unwrap(), &[row]).await.unwrap();
        }
        assert_eq!(line.transfer(&sid, "the clerk's office").await.0, StatusCode::ACCEPTED);
        line.says(&sid, "leave a message").await;
        wait(told).await;
        let transcript = line.get(&format!("/v1/calls/{sid}/transcript")).await;
        let turns = transcript["turns"].as_array().unwrap();
        let tells = |turn: &&Value| turn["text"].as_str().unwrap().contains("may be recorded");
        assert_eq!(turns.iter().filter(tells).count(), told, "{transcript}");
        let url = line.test.url(&format!("/v1/calls/{sid}/hangup"));
        assert!(Client::new().post(url).bearer_auth(ADMIN).send().await.unwrap().status().is_success());
        line.until(&sid, "ended").await;
    }
    line.test.gateway.shutdown().await;
}

/// The process that put the transfer on record is gone: nothing of it is in memory here.
#[tokio::test]
async fn a_transfer_outlives_the_process_that_decided_it() {
    let line = line().await;
    let new = NewCall {
        id: CallId::new(),
        carrier_sid: Some("CA00000000000000000000000000000999".into()),
        line: LINE.into(),
        caller: Some(CALLER.into()),
        direction: Direction::Inbound,
        language: "es".into(),
        passport_id: None,
        started_at: chrono::Utc::now(),
    };
    let (id, sid) = (new.id, new.carrier_sid.clone().unwrap());
    line.store.begin_call(new).await.unwrap();
    let wish = NewTransfer {
        call: id,
        actor: BY_AGENT.into(),
        target: "the clerk's office".into(),
        number: CLERK.into(),
        language: "es".into(),
        about: String::new(),
        warm: false,
        notes: false,
    };
    line.store.begin_transfer(wish).await.unwrap();
    line.store.end_call(id, "interrupted", chrono::Utc::now()).await.unwrap();
    for _ in 0..2 {
        let dial = line.asks("/twilio/resume", &sid, &[]).await;
        assert!(dial.contains(CLERK) && !dial.contains("<Say"), "{dial}");
    }
    let tenant = line.store.id();
    let done = format!("/twilio/transfer/{tenant}/{id}/done");
    // The carrier tells what came of it twice, the second time something else: the first counts.
    let back = line.asks(&done, &sid, &[("DialCallStatus", "busy")]).await;
    assert!(back.contains("<Stream "), "{back}");
    let again = line.asks(&done, &sid, &[("DialCallStatus", "completed")]).await;
    assert!(again.contains("<Stream "), "{again}");
    let transfers = line.store.transfers_of(id).await.unwrap();
    assert_eq!(transfers[0].result, Some(TransferResult::Busy));
    let over = line.asks("/twilio/resume", &sid, &[]).await;
    assert!(!over.contains(CLERK), "it is over: {over}");
    line.test.gateway.shutdown().await;
}

#[tokio::test]
async fn each_refusal_says_why_and_the_call_goes_on() {
    let line = line().await;
    let sid = line.called(CALLER).await;
    let (status, answer) = line.transfer(&sid, "the mayor").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert_eq!(
        answer["error_details"]["targets"],
        json!(["the clerk's office", "the night desk"]),
        "{answer}"
    );
    let (status, answer) = line.transfer(&sid, "the night desk").await;
    assert_eq!(
        (status, &answer["error_details"]["rule"]),
        (StatusCode::UNPROCESSABLE_ENTITY, &json!("target_closed"))
    );
    let elsewhere = json!([{ "name": "the clerk's office", "number": CLERK, "on_lines": ["+12025550109"] }]);
    let before = line.store.setting(TARGETS).await.unwrap().unwrap();
    line.store.put_setting(TARGETS, &elsewhere).await.unwrap();
    let (status, answer) = line.transfer(&sid, "the clerk's office").await;
    assert_eq!(
        (status, &answer["error_details"]["rule"]),
        (StatusCode::UNPROCESSABLE_ENTITY, &json!("target_line"))
    );
    line.store.put_setting(TARGETS, &before).await.unwrap();
    assert_eq!(line.get(&format!("/v1/calls/{sid}")).await["state"], "live");
    assert_eq!(line.transfer("CA404", "the clerk's office").await.0, StatusCode::NOT_FOUND);
    let url = line.test.url(&format!("/v1/calls/{sid}/hangup"));
    assert!(Client::new().post(url).bearer_auth(ADMIN).send().await.unwrap().status().is_success());
    line.until(&sid, "ended").await;
    assert_eq!(line.transfer(&sid, "the clerk's office").await.0, StatusCode::CONFLICT);
    line.test.gateway.shutdown().await;
}

#[tokio::test]
async fn targets_of_the_document_are_checked_kept_and_given_back() {
    let test = TestGateway::start(|config| config.admin_token = Some(SecretString::from(ADMIN))).await;
    let url = test.url("/v1/tenants/riverbend/config");
    let mut document: Value =
        Client::new().get(&url).bearer_auth(ADMIN).send().await.unwrap().json().await.unwrap();
    let put = async |document: &Value| {
        let answer = Client::new().put(&url).bearer_auth(ADMIN).json(document).send().await.unwrap();
        (answer.status(), answer.json::<Value>().await.unwrap_or_default())
    };
    let document_of = |value: &mut Value| -> Value {
        let held = value.get("config").cloned();
        held.unwrap_or_else(|| value.clone())
    };
    let mut config = document_of(&mut document);
    config["target"] = json!([
        { "name": "", "number": "five" },
        { "name": "a", "number": "+442071234567", "hours": { "monday": "9-5" }, "languages": ["fr"],
            "subjects": ["taxes", " - "] },
    ]);
    let (status, answer) = put(&config).await;
    assert!(status.is_client_error(), "{answer}");
    let told = answer.to_string();
    for key in [
        "target[1].name",
        "target[1].number",
        "target[2].number",
        "target[2].hours.monday",
        "target[2].languages[1]",
        "target[2].subjects[2]",
    ] {
        assert!(told.contains(key), "{key}: {told}");
    }
    config["target"] = json!([{ "name": "the clerk", "number": "202-555-0180", "hours": { "weekdays": "8:00-16:30" },
            "subjects": ["marriage licenses"] }]);
    let (status, answer) = put(&config).await;
    assert!(status.is_success(), "{answer}");
    let mut now: Value =
        Client::new().get(&url).bearer_auth(ADMIN).send().await.unwrap().json().await.unwrap();
    let kept = document_of(&mut now)["target"].clone();
    assert_eq!(
        kept,
        json!([{ "name": "the clerk", "number": CLERK, "hours": { "weekdays": "8:00-16:30" },
            "subjects": ["marriage licenses"] }])
    );
    test.gateway.shutdown().await;
}

#[tokio::test]
async fn who_talks_on_gives_the_targets_place_back() {
    let line = line().await;
    let sid = line.called(CALLER).await;
    let path = format!("/v1/calls/{sid}");
    let call: storage::CallId = line.get(&path).await["id"].as_str().unwrap().parse().unwrap();
    let wish = NewTransfer {
        call,
        actor: BY_AGENT.into(),
        target: "the clerk's office".into(),
        number: CLERK.into(),
        language: "en".into(),
        about: String::new(),
        warm: false,
        notes: false,
    };
    line.store.begin_transfer(wish).await.unwrap();
    let app = &line.test.gateway.app;
    for (minutes, stage, result) in [(0, "asked", Value::Null), (2, "ended", json!("failed"))] {
        reconcile::once(app, chrono::Utc::now() + chrono::TimeDelta::minutes(minutes)).await.unwrap();
        let known = line.get(&path).await;
        let transfer = &known["transfers"][0];
        assert_eq!((&known["state"], &transfer["stage"]), (&json!("live"), &json!(stage)), "{known}");
        assert_eq!(transfer["result"], result);
    }
    assert!(line.call_backs().await.is_empty(), "nobody is called back who is on the line");
    line.test.gateway.shutdown().await;
}
