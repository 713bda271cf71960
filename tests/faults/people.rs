//! The process dies while people are on a call: somebody listens, has taken it over, is asked something, is rung. Afterwards the
//! record says what was, and the caller whom the carrier still has hears the truth.

use std::process::Child;
use std::time::Duration;

use chrono::{TimeDelta, Utc};
use futures_util::SinkExt;
use gateway::dialing::{reconcile, retries};
use reqwest::{Client, Response, StatusCode};
use serde_json::{Value, json};
use storage::{CallId, Directory, Recordings, Retries, TenantStore, Waits, WorkItems};
use tests::carrier::{ACCOUNT, Behaviour, Callbacks, CarrierServer};
use tests::desk::{self, caller, signature};
use tests::gateway::{ADMIN, Doubles, LINE, TestGateway};
use tests::home::Home;
use tokio::time::{Instant, interval, sleep};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use super::{CHILD_CARRIER, CHILD_SAYS, spawn_with};

const FROM: &str = "+12125550143";
pub(super) const CLERK: &str = "+12025550180";
const PERSON: [u8; 160] = [0x31; 160];
/// After so long without news the carrier is asked.
const LATER: TimeDelta = TimeDelta::seconds(120);

tests::on_both_back_ends!(
    who_listened_and_who_had_the_call_have_an_end_and_the_recording_all_but_its_last_second,
    a_question_to_the_office_becomes_a_call_back,
    a_caller_who_waited_for_a_person_comes_back_and_the_person_hears_that_nobody_waits,
    a_transfer_that_rang_ends_as_the_carrier_says,
    a_caller_who_waits_in_line_keeps_the_place,
    a_call_of_ours_that_rang_goes_on,
    a_call_that_reached_nobody_is_tried_again_once_by_who_comes_next,
);

/// A county with people, its carrier, and the process that answers its line.
pub(super) struct Town {
    home: Home,
    pub(super) carrier: CarrierServer,
    says: &'static str,
    child: Option<Child>,
    base: String,
}

/// The document of the tenant, with what these tests are about.
async fn prepare(gateway: &TestGateway, change: impl FnOnce(&mut Value)) {
    let path = "/v1/tenants/riverbend/config";
    let document = gateway.get(path).await.unwrap();
    let mut config = document.get("config").cloned().unwrap_or(document);
    change(&mut config);
    gateway.put(path, &config).await.unwrap();
}

impl Town {
    pub(super) async fn new(home: Home, says: &'static str, change: impl FnOnce(&mut Value)) -> Self {
        let first = TestGateway::start_at(&home, Doubles::default()).await.unwrap();
        prepare(&first, change).await;
        first.running.shutdown().await;
        let carrier = CarrierServer::start().await;
        let (child, base) = spawn_with(&home, &[(CHILD_CARRIER, &carrier.address), (CHILD_SAYS, says)]);
        Self { home, carrier, says, child: Some(child), base }
    }

    /// Somebody calls, does this, and stays on the line.
    pub(super) fn called(&self, acts: &'static str) -> String {
        self.carrier.talk(caller(acts));
        self.carrier.call_in(&format!("{}/twilio/voice", self.base), FROM, LINE)
    }

    pub(super) async fn get(&self, path: &str) -> Value {
        let answer =
            Client::new().get(format!("{}{path}", self.base)).bearer_auth(ADMIN).send().await.unwrap();
        answer.json().await.unwrap_or_default()
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> (StatusCode, Value) {
        let request = Client::new().post(format!("{}{path}", self.base)).bearer_auth(ADMIN).json(body);
        let answer = request.send().await.unwrap();
        (answer.status(), answer.json().await.unwrap_or_default())
    }

    /// Asks until it is so.
    pub(super) async fn until(&self, path: &str, done: impl Fn(&Value) -> bool) -> Value {
        let mut last = Value::Null;
        for _ in 0..600 {
            last = self.get(path).await;
            if done(&last) {
                return last;
            }
            sleep(Duration::from_millis(25)).await;
        }
        panic!("GET {path} never became right: {last}");
    }

    /// `kill -9`. The process is gone when this returns.
    pub(super) fn kill(&mut self) {
        let mut child = self.child.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// The next process, in this one.
    pub(super) async fn again(&mut self) -> Next {
        let says: Vec<&str> = self.says.lines().collect();
        let gateway = desk::start(self.home.dir.clone(), self.home.config(), &self.carrier.address, &says)
            .await
            .unwrap();
        self.home.check(&gateway).unwrap();
        let platform = &gateway.running.app.platform;
        let tenant = platform.store().tenant_by_slug("riverbend").await.unwrap().unwrap();
        let store = platform.tenant(tenant.id).await.unwrap();
        Next { gateway, store }
    }
}

impl Drop for Town {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The process after it.
pub(super) struct Next {
    pub(super) gateway: TestGateway,
    pub(super) store: TenantStore,
}

impl Next {
    pub(super) async fn get(&self, path: &str) -> Value {
        self.gateway.get(path).await.unwrap()
    }

    /// The carrier asks or tells; its answer.
    async fn carrier(&self, path: &str, sid: &str, more: &[(&str, &str)]) -> String {
        let url = format!("{}{path}", self.gateway.base);
        let about = [("CallSid", sid), ("AccountSid", ACCOUNT), ("From", FROM), ("To", LINE)];
        let form: Vec<(String, String)> =
            about.iter().chain(more).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let (header, value) = signature(&url, &form);
        let request = Client::new().post(&url).header(header, value).form(&form);
        request.send().await.unwrap().text().await.unwrap()
    }

    async fn post(&self, path: &str, body: &Value) -> StatusCode {
        let request =
            Client::new().post(format!("{}{path}", self.gateway.base)).bearer_auth(ADMIN).json(body);
        request.send().await.unwrap().status()
    }

    /// Entries of this action about a call, newest first.
    pub(super) async fn audit(&self, call: &str, action: &str) -> Vec<Value> {
        let all = self.get(&format!("/v1/audit?subject={call}&action={action}&limit=200")).await;
        all["items"].as_array().unwrap().clone()
    }

    pub(super) async fn call_backs(&self, call: &str) -> Vec<Value> {
        let all = self.store.list_work_items(storage::records::WorkFilter::default()).await.unwrap();
        let mine = all.into_iter().filter(|item| item.call_id.is_some_and(|id| id.to_string() == call));
        mine.filter(|item| item.kind == storage::records::WorkKind::Callback)
            .map(|item| item.fields)
            .collect()
    }

    pub(super) async fn reconcile(&self) {
        reconcile::once(&self.gateway.running.app, Utc::now() + LATER).await.unwrap();
    }

    pub(super) async fn is_whole(&self) {
        let verdict = self.get("/v1/audit/verify").await;
        assert_eq!(verdict["whole"], true, "{verdict}");
    }
}

type Socket = tests::caller::Socket;

/// A person's socket.
async fn open(base: &str, path: &str) -> Socket {
    let url = format!("{}{path}", base.replacen("http", "ws", 1));
    let mut request = url.into_client_request().unwrap();
    request.headers_mut().insert("authorization", format!("Bearer {ADMIN}").parse().unwrap());
    connect_async(request).await.unwrap().0
}

pub(super) fn ended_by_the_kill(call: &Value) {
    let seen = (&call["state"], &call["end_reason"], &call["controlled_by"], &call["listeners"]);
    assert_eq!(seen, (&json!("ended"), &json!("interrupted"), &Value::Null, &json!(0)), "{call}");
    assert!(call["ended_at"].is_string(), "{call}");
}

fn recorded(config: &mut Value) {
    for line in config["line"].as_array_mut().unwrap() {
        line["recording_consent"] = json!("notice");
    }
}

async fn who_listened_and_who_had_the_call_have_an_end_and_the_recording_all_but_its_last_second(home: Home) {
    let mut town = Town::new(home, "", recorded).await;
    let sid = town.called("");
    let call = town.until(&format!("/v1/calls/{sid}"), |call| call["state"] == "live").await;
    let id = call["id"].as_str().unwrap().to_owned();
    let told = format!("/v1/audit?subject={id}&action=call.consent");
    town.until(&told, |audit| audit["items"].as_array().is_some_and(|items| !items.is_empty())).await;
    let told_at = Instant::now();
    let ear = open(&town.base, &format!("/v1/calls/{id}/listen?channel=both")).await;
    let other = open(&town.base, &format!("/v1/calls/{id}/listen?channel=caller")).await;
    // One who listened and left has an end already.
    drop(other);
    let left = format!("/v1/audit?subject={id}&action=call.listen_ended");
    town.until(&left, |audit| audit["items"].as_array().is_some_and(|items| items.len() == 1)).await;
    let (status, taken) = town.post(&format!("/v1/calls/{id}/takeover"), &json!({})).await;
    assert_eq!(status, StatusCode::OK, "{taken}");
    let by = taken["controlled_by"]["by"].clone();
    let mut microphone = open(&town.base, taken["speak"].as_str().unwrap()).await;
    let mut tick = interval(Duration::from_millis(20));
    for _ in 0..200 {
        tick.tick().await;
        microphone.send(Message::Binary(PERSON.to_vec().into())).await.unwrap();
    }
    let live = town.get(&format!("/v1/calls/{id}")).await;
    assert_eq!((&live["controlled_by"]["by"], &live["listeners"]), (&by, &json!(1)), "{live}");
    let since_told = u64::try_from(told_at.elapsed().as_millis()).unwrap();
    town.kill();
    drop((ear, microphone));
    for start in 1..=2 {
        let next = town.again().await;
        ended_by_the_kill(&next.get(&format!("/v1/calls/{id}")).await);
        let ends = next.audit(&id, "call.listen_ended").await;
        let cut: Vec<_> = ends.iter().filter(|end| end["details"]["reason"] == "interrupted").collect();
        assert_eq!((ends.len(), cut.len()), (2, 1), "start {start}: {ends:?}");
        assert_eq!(cut[0]["details"]["channel"], "both");
        let began = next.audit(&id, "call.listen_started").await;
        assert!(began.iter().all(|one| one["actor"] == cut[0]["actor"]), "{began:?}");
        let lost = next.audit(&id, "call.control_lost").await;
        assert_eq!((lost.len(), &lost[0]["details"]["by"]), (1, &by), "start {start}: {lost:?}");
        assert_eq!(next.audit(&id, "call.ended").await.len(), 1);
        assert_eq!(next.post(&format!("/v1/calls/{id}/release"), &json!({})).await, StatusCode::CONFLICT);
        let path = format!("/v1/calls/{id}/recording?format=json");
        let kept = next.gateway.until(&path, |kept| kept["recording"]["state"] == "kept").await.unwrap();
        // Seconds are written when they are over, and 200 ms more: sound may come late.
        let recorded = kept["recording"]["duration_ms"].as_u64().unwrap();
        assert!(recorded + 1_500 >= since_told, "start {start}: {recorded} of {since_told} ms: {kept}");
        // The back office may have filed a call back meanwhile: then it is promised, and not otherwise.
        let before = next.call_backs(&id).await.len();
        let heard = next.carrier("/twilio/resume", &sid, &[]).await;
        let after = next.call_backs(&id).await.len();
        assert!(heard.contains("cut off because of a technical fault"), "{heard}");
        let promised = heard.contains("will call you back");
        assert_ne!(promised, heard.contains("call again"), "{heard}");
        assert!(if promised { after > 0 } else { before == 0 }, "{before} {after}: {heard}");
        next.is_whole().await;
        next.gateway.running.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn consent_that_was_taken_back_leaves_no_recording_whenever_the_process_dies() {
    // Killed when the word is on record, and some moments later: while it is deleted, and after.
    for after_ms in [0, 5, 60] {
        let mut town = Town::new(Home::sqlite().unwrap(), "Stop recording this.", recorded).await;
        let sid = town.called("*");
        let call = town.until(&format!("/v1/calls/{sid}"), |call| call["state"] == "live").await;
        let id = call["id"].as_str().unwrap().to_owned();
        let said = format!("/v1/audit?subject={id}&action=call.consent");
        let withdrew = |audit: &Value| audit.to_string().contains("withdrawn");
        town.until(&said, withdrew).await;
        sleep(Duration::from_millis(after_ms)).await;
        town.kill();
        let next = town.again().await;
        ended_by_the_kill(&next.get(&format!("/v1/calls/{id}")).await);
        let call: CallId = id.parse().unwrap();
        for _ in 0..400 {
            if next.store.recording_key(call).await.unwrap().is_none() {
                break;
            }
            sleep(Duration::from_millis(25)).await;
        }
        assert!(next.store.recording_key(call).await.unwrap().is_none(), "killed after {after_ms} ms");
        let kept = next.store.recording(call).await.unwrap().expect("it had begun");
        assert_eq!(kept.delete_reason.as_deref(), Some("withdrawn"), "killed after {after_ms} ms");
        assert_eq!(
            next.post(&format!("/v1/calls/{id}/recording/pause"), &json!({})).await,
            StatusCode::CONFLICT
        );
        next.gateway.running.shutdown().await;
    }
}

/// Reads a stream of events until a part of one has come.
async fn wait_for(feed: &mut Response, part: &str) {
    let mut seen = String::new();
    let reading = async {
        while !seen.contains(part) {
            let piece = feed.chunk().await.unwrap().expect("the stream stays open");
            seen.push_str(&String::from_utf8_lossy(&piece));
        }
    };
    tokio::time::timeout(Duration::from_secs(40), reading).await.unwrap_or_else(|_| panic!("no {part}"));
}

async fn a_question_to_the_office_becomes_a_call_back(home: Home) {
    let says = "Who painted the ceiling of the old opera house?\nYes, please.\nYes, please.";
    let mut town = Town::new(home, says, |config| config["ask_staff"] = json!(true)).await;
    let events = Client::new().get(format!("{}/v1/events", town.base)).bearer_auth(ADMIN);
    let mut events = events.send().await.unwrap();
    let sid = town.called("***");
    wait_for(&mut events, "call.question_asked").await;
    // What is told is on its way to the record.
    sleep(Duration::from_millis(300)).await;
    let id = town.get(&format!("/v1/calls/{sid}")).await["id"].as_str().unwrap().to_owned();
    town.kill();
    for start in 1..=2 {
        let next = town.again().await;
        ended_by_the_kill(&next.get(&format!("/v1/calls/{id}")).await);
        let late = json!({ "question_id": 1, "text": "Maria Keller did." });
        assert_eq!(next.post(&format!("/v1/calls/{id}/answer"), &late).await, StatusCode::CONFLICT);
        let filed = next.call_backs(&id).await;
        assert_eq!(filed.len(), 1, "start {start}: {filed:?}");
        let reason = filed[0]["reason"].as_str().unwrap();
        assert!(reason.contains("the old opera house") && filed[0]["phone"] == FROM, "{filed:?}");
        let heard = next.carrier("/twilio/resume", &sid, &[]).await;
        assert!(heard.contains("A person will call you back"), "{heard}");
        next.gateway.running.shutdown().await;
    }
}

pub(super) fn staffed(warm: bool) -> impl FnOnce(&mut Value) {
    let hours = json!({ "weekdays": "0:00-24:00", "saturday": "0:00-24:00", "sunday": "0:00-24:00" });
    move |config| {
        config["target"] =
            json!([{ "name": "the clerk's office", "number": CLERK, "hours": hours, "warm": warm }]);
    }
}

/// The stage of a call's only transfer.
fn at(stage: &'static str) -> impl Fn(&Value) -> bool {
    move |call| call["transfers"][0]["stage"] == stage
}

async fn a_caller_who_waited_for_a_person_comes_back_and_the_person_hears_that_nobody_waits(home: Home) {
    let mut town = Town::new(home, "", staffed(true)).await;
    // Somebody answers at the clerk's and is being asked when the process dies; of their call nothing more is told.
    town.carrier.number(CLERK, Behaviour::Answers { key: None, lasts: Duration::from_secs(20) });
    town.carrier.callbacks(Callbacks::Lost);
    for answers in [true, false] {
        let seen = town.carrier.followed().len();
        let sid = town.called("01");
        town.until(&format!("/v1/calls/{sid}"), at("dialling")).await;
        for _ in 0..400 {
            if town.carrier.followed()[seen..]
                .iter()
                .any(|said| said.contains("A caller wants to speak with"))
            {
                break;
            }
            sleep(Duration::from_millis(25)).await;
        }
        let id = town.get(&format!("/v1/calls/{sid}")).await["id"].as_str().unwrap().to_owned();
        town.kill();
        let next = town.again().await;
        ended_by_the_kill(&next.get(&format!("/v1/calls/{id}")).await);
        if answers {
            let reply = format!("/twilio/transfer/{}/{id}/reply", next.store.id());
            let heard = next.carrier(&reply, "CA0000000000000000000000000000aaaa", &[("Digits", "1")]).await;
            assert!(heard.contains("The caller is not waiting any more"), "{heard}");
            let answer = format!("/twilio/transfer/{}/{id}/answer", next.store.id());
            let heard = next.carrier(&answer, "CA0000000000000000000000000000aaaa", &[]).await;
            assert!(heard.contains("not waiting") && !heard.contains("<Gather"), "{heard}");
        }
        let back = next.carrier("/twilio/resume", &sid, &[]).await;
        assert!(back.contains("<Stream "), "they come back to the agent: {back}");
        let order = tests::caller::parse(&back, sid.clone()).unwrap();
        let parameters = order.parameters.into_iter().collect();
        tokio::spawn(caller("")(order.url, parameters, sid.clone()));
        let path = format!("/v1/calls/{id}/transcript");
        let says =
            |said: &Value| said.to_string().contains("the call to the clerk's office didn't go through");
        next.gateway.until(&path, says).await.unwrap();
        let call = next.get(&format!("/v1/calls/{id}")).await;
        assert_eq!(
            (&call["state"], &call["transfers"][0]["stage"]),
            (&json!("live"), &json!("ended")),
            "{call}"
        );
        assert_eq!(call["transfers"][0]["result"], "failed", "{call}");
        assert_eq!(next.audit(&id, "call.transfer_ended").await.len(), 1);
        next.gateway.running.shutdown().await;
        let vars = [(CHILD_CARRIER, town.carrier.address.as_str()), (CHILD_SAYS, town.says)];
        let (child, base) = spawn_with(&town.home, &vars);
        (town.child, town.base) = (Some(child), base);
    }
    // One whom the carrier asks nothing about any more: the ringing stops, and they are called back.
    let sid = town.called("01");
    let call = town.until(&format!("/v1/calls/{sid}"), at("dialling")).await;
    let id = call["id"].as_str().unwrap().to_owned();
    town.kill();
    let next = town.again().await;
    next.reconcile().await;
    let call = next.get(&format!("/v1/calls/{id}")).await;
    assert_eq!(call["transfers"][0]["result"], "failed", "{call}");
    let filed = next.call_backs(&id).await;
    assert!(filed.len() == 1 && filed[0]["reason"].as_str().unwrap().contains("told nothing"), "{filed:?}");
    next.reconcile().await;
    assert_eq!(
        (next.call_backs(&id).await.len(), next.audit(&id, "call.transfer_ended").await.len()),
        (1, 1)
    );
    next.gateway.running.shutdown().await;
}

async fn a_transfer_that_rang_ends_as_the_carrier_says(home: Home) {
    let mut town = Town::new(home, "", staffed(false)).await;
    for (behaviour, result, call_backs) in [
        (Behaviour::NoAnswer, "no_answer", 1),
        (Behaviour::Busy, "busy", 1),
        (Behaviour::Answers { key: None, lasts: Duration::from_millis(10) }, "answered", 0),
    ] {
        town.carrier.number(CLERK, behaviour);
        // Whatever it tells of the target's end is lost with the process.
        town.carrier.callbacks(Callbacks::Lost);
        let sid = town.called("01");
        let call = town.until(&format!("/v1/calls/{sid}"), at("dialling")).await;
        let id = call["id"].as_str().unwrap().to_owned();
        let over = |(to, status): &(String, &str)| {
            to == CLERK && !["queued", "initiated", "ringing"].contains(status)
        };
        for _ in 0..400 {
            if town.carrier.called().last().is_some_and(over) {
                break;
            }
            sleep(Duration::from_millis(25)).await;
        }
        sleep(Duration::from_millis(100)).await;
        town.kill();
        let next = town.again().await;
        let call = next.get(&format!("/v1/calls/{id}")).await;
        assert_eq!((&call["state"], &call["end_reason"]), (&json!("ended"), &json!("transferred")), "{call}");
        for _ in 0..2 {
            next.reconcile().await;
            let call = next.get(&format!("/v1/calls/{id}")).await;
            let transfer = &call["transfers"][0];
            assert_eq!(
                (&transfer["stage"], &transfer["result"]),
                (&json!("ended"), &json!(result)),
                "{call}"
            );
            assert_eq!(next.call_backs(&id).await.len(), call_backs, "{result}");
        }
        assert_eq!(next.audit(&id, "call.transfer_ended").await.len(), 1);
        next.gateway.running.shutdown().await;
        let vars = [(CHILD_CARRIER, town.carrier.address.as_str()), (CHILD_SAYS, town.says)];
        let (child, base) = spawn_with(&town.home, &vars);
        (town.child, town.base) = (Some(child), base);
    }
}

/// Longer than a place is kept for who does not come back.
const MUCH_LATER: TimeDelta = TimeDelta::seconds(200);

async fn a_caller_who_waits_in_line_keeps_the_place(home: Home) {
    let mut town = Town::new(home, "", |config| {
        staffed(false)(config);
        config["target"][0]["queue"] = json!(true);
    })
    .await;
    town.carrier.number(CLERK, Behaviour::Answers { key: None, lasts: Duration::from_secs(1) });
    town.carrier.callbacks(Callbacks::Lost);
    // The first talks with the clerk, and the end of that is lost with the process; two wait.
    let first = town.called("01");
    town.until(&format!("/v1/calls/{first}"), at("dialling")).await;
    let waits =
        |callers| move |queue: &Value| queue["items"].as_array().is_some_and(|all| all.len() == callers);
    let mut waiting = Vec::new();
    for callers in 1..=2 {
        let sid = town.called("01");
        let queue = town.until("/v1/transfers/queue", waits(callers)).await;
        waiting.push((sid, queue["items"][callers - 1]["call_id"].as_str().unwrap().to_owned()));
    }
    let [(second, id), (_, lost)] = &waiting[..] else { panic!("{waiting:?}") };
    sleep(Duration::from_millis(300)).await;
    town.kill();
    let next = town.again().await;
    ended_by_the_kill(&next.get(&format!("/v1/calls/{id}")).await);
    let back = next.carrier("/twilio/resume", second, &[]).await;
    assert!(back.contains("<Stream "), "they come back to the agent: {back}");
    let order = tests::caller::parse(&back, second.clone()).unwrap();
    tokio::spawn(caller("")(order.url, order.parameters.into_iter().collect(), second.clone()));
    let path = format!("/v1/calls/{id}/transcript");
    let says = |part: &'static str| move |said: &Value| said.to_string().contains(part);
    next.gateway.until(&path, says("You still have your place in line.")).await.unwrap();
    let first_in_line = |queue: &Value| {
        let of =
            queue["items"].as_array().and_then(|all| all.iter().find(|wait| wait["call_id"] == id.as_str()));
        of.is_some_and(|wait| wait["place"] == 1)
    };
    next.gateway.until("/v1/transfers/queue", first_in_line).await.unwrap();
    // What the carrier says of the first makes room.
    next.reconcile().await;
    next.gateway.until(&path, says("It's your turn.")).await.unwrap();
    // Who does not come back is called back, and keeps the place.
    reconcile::once(&next.gateway.running.app, Utc::now() + MUCH_LATER).await.unwrap();
    // The back office calls back about the cut by itself.
    let kept = async || -> Vec<Value> {
        next.call_backs(lost).await.into_iter().filter(|filed| filed["queued_at"].is_string()).collect()
    };
    let (filed, wait) = (kept().await, next.store.wait_of(lost.parse().unwrap()).await.unwrap());
    assert_eq!(filed.len(), 1, "{filed:?}");
    assert_eq!(filed[0]["queued_at"], json!(wait.expect("they waited").joined_at), "{filed:?}");
    reconcile::once(&next.gateway.running.app, Utc::now() + MUCH_LATER).await.unwrap();
    assert_eq!(kept().await.len(), 1);
    next.is_whole().await;
    next.gateway.running.shutdown().await;
}

async fn a_call_of_ours_that_rang_goes_on(home: Home) {
    let mut town = Town::new(home, "", |_| {}).await;
    town.carrier.callbacks(Callbacks::Lost);
    let mut ids = Vec::new();
    for number in [FROM, "+12125550144"] {
        town.carrier.number(number, Behaviour::NoAnswer);
        let consent = json!({ "number": number, "purpose": "callback", "source": "written" });
        assert!(town.post("/v1/consents", &consent).await.0.is_success());
        let (status, placed) = town.post("/v1/calls", &json!({ "to": number, "purpose": "callback" })).await;
        assert_eq!(status, StatusCode::CREATED, "{placed}");
        ids.push(placed["id"].as_str().unwrap().to_owned());
    }
    let (answered, rang) = (&ids[0], &ids[1]);
    town.kill();
    let next = town.again().await;
    for id in &ids {
        let call = next.get(&format!("/v1/calls/{id}")).await;
        assert_eq!((&call["end_reason"], &call["state"]), (&Value::Null, &json!("live")), "{call}");
    }
    let path = |what: &str| format!("/twilio/outreach/{}/{answered}/{what}", next.store.id());
    let sid = next.get(&format!("/v1/calls/{answered}")).await["carrier_sid"].as_str().unwrap().to_owned();
    let asked = next.carrier(&path("answer"), &sid, &[]).await;
    assert!(asked.contains("<Gather"), "{asked}");
    let talks = next.carrier(&path("reply"), &sid, &[("Digits", "1")]).await;
    let order = tests::caller::parse(&talks, sid.clone()).unwrap();
    let talk = tokio::spawn(caller("")(order.url, order.parameters.into_iter().collect(), sid.clone()));
    let says = |said: &Value| said.to_string().contains("automated");
    next.gateway.until(&format!("/v1/calls/{answered}/transcript"), says).await.unwrap();
    talk.abort();
    let call =
        next.gateway.until(&format!("/v1/calls/{answered}"), |call| call["state"] == "ended").await.unwrap();
    assert_ne!(call["end_reason"], "interrupted", "it was a conversation of this process: {call}");
    next.reconcile().await;
    let call = next.get(&format!("/v1/calls/{rang}")).await;
    assert_eq!(call["end_reason"], "no_answer", "{call}");
    assert_eq!(next.audit(rang, "call.placed_ended").await.len(), 1);
    next.gateway.running.shutdown().await;
}

async fn a_call_that_reached_nobody_is_tried_again_once_by_who_comes_next(home: Home) {
    let mut town = Town::new(home, "", |_| {}).await;
    town.carrier.number(FROM, Behaviour::NoAnswer);
    let consent = json!({ "number": FROM, "purpose": "callback", "source": "written" });
    assert!(town.post("/v1/consents", &consent).await.0.is_success());
    let order = json!({ "to": FROM, "purpose": "callback", "retries": 2, "retry_after_s": 60 });
    let (status, placed) = town.post("/v1/calls", &order).await;
    assert_eq!(status, StatusCode::CREATED, "{placed}");
    let path = format!("/v1/calls/{}", placed["id"].as_str().unwrap());
    town.until(&path, |call| call["outreach"]["retries"]["state"] == "waiting").await;
    town.kill();
    let next = town.again().await;
    // Another process had claimed the attempt when it died: it is made when the claim has run out.
    let (due, minute) = (Utc::now() + TimeDelta::hours(25), TimeDelta::minutes(1));
    assert!(next.store.claim_retry(due, due + minute * 2).await.unwrap().is_some());
    let app = &next.gateway.running.app;
    retries::once(app, due + minute).await.unwrap();
    assert_eq!(town.carrier.called().len(), 1);
    let (one, other) =
        tokio::join!(retries::once(app, due + minute * 3), retries::once(app, due + minute * 3));
    one.and(other).unwrap();
    let tried = |call: &Value| call["outreach"]["attempts"][1]["result"] == "no_answer";
    next.gateway.until(&path, tried).await.unwrap();
    assert_eq!(town.carrier.called().len(), 2, "once");
    next.gateway.running.shutdown().await;
}
