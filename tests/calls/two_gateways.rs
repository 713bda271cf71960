//! Two gateways on one PostgreSQL: what is changed or left at one is used and worked on at the other, without a start.

use std::time::{Duration, Instant};

use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tests::caller::Caller;
use tests::gateway::{ADMIN, LINE, TestGateway};
use tests::home::Home;

use crate::front_desk;

const COUNTY: &str = include_str!("../../docs/guides/county-from-a-file.md");
const TEAMS: &str = include_str!("../../docs/guides/teams.md");
/// What one gateway changes holds at every other so soon.
const TAKEN_UP_WITHIN: Duration = Duration::from_secs(10);
/// Beside the looks themselves: a machine that is busy with other tests.
const SLACK: Duration = Duration::from_secs(5);

/// Callers of both say this.
async fn two(said: &[&str]) -> (TestGateway, TestGateway) {
    let home = Home::postgres().unwrap();
    let one = front_desk::gateway(&home, said).await.unwrap();
    let other = Home { database: home.database.clone(), ..Home::sqlite().unwrap() };
    std::fs::create_dir_all(other.dir.path().join("data")).unwrap();
    let key = |home: &Home| home.dir.path().join("data/master.key");
    std::fs::copy(key(&home), key(&other)).unwrap();
    let two = front_desk::gateway(&other, said).await.unwrap();
    (one, two)
}

async fn told(request: RequestBuilder) -> (StatusCode, Value) {
    let answer = request.bearer_auth(ADMIN).send().await.unwrap();
    (answer.status(), answer.json().await.unwrap_or_default())
}

async fn post(gateway: &TestGateway, path: &str, body: Value) -> Value {
    let (status, answer) = told(Client::new().post(format!("{}{path}", gateway.base)).json(&body)).await;
    assert!(status.is_success(), "{path}: {status} {answer}");
    answer
}

async fn put_toml(gateway: &TestGateway, path: &str, text: String) -> Value {
    let asked = Client::new().put(format!("{}{path}", gateway.base));
    let (status, answer) = told(asked.header(CONTENT_TYPE, "application/toml").body(text)).await;
    assert!(status.is_success(), "{path}: {status} {answer}");
    answer
}

/// Which team would take a pothole.
async fn team(gateway: &TestGateway) -> Value {
    let words = json!({ "words": "there is a deep pothole on Oak Street" });
    post(gateway, "/v1/teams/try", words).await["team"].clone()
}

/// A call to the demo line, and what the agent said in it.
async fn call(gateway: &TestGateway) -> (String, String) {
    let mut caller = Caller::dial(&gateway.base, LINE).await.unwrap();
    let path = format!("/v1/calls/{}", caller.order.call_sid);
    caller.silent_until(Duration::from_secs(5), |h| h.bytes() > 0).await.unwrap();
    caller.silent_until_quiet(Duration::from_millis(300), Duration::from_secs(10)).await.unwrap();
    let before = caller.heard.lock().bytes();
    caller.speak_ms(1_200).await.unwrap();
    caller.silent_until(Duration::from_secs(5), |h| h.bytes() > before).await.unwrap();
    caller.silent_until_quiet(Duration::from_millis(400), Duration::from_secs(12)).await.unwrap();
    caller.hang_up().await.unwrap();
    gateway.until(&path, |c| c["state"] == "ended").await.unwrap();
    let transcript = gateway.get(&format!("{path}/transcript")).await.unwrap();
    let turns = transcript["turns"].as_array().unwrap().iter();
    let agent = turns.filter(|turn| turn["speaker"] == "agent").filter_map(|turn| turn["text"].as_str());
    (path, agent.collect::<Vec<_>>().join(" "))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_team_that_was_written_at_one_gateway_takes_the_work_of_a_call_at_the_other() {
    let (one, two) = two(&["I want to report a deep pothole on Oak Street."]).await;
    assert_eq!(team(&two).await, "incident_investigation");
    let roads = TEAMS.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    put_toml(&one, "/v1/teams/roads", roads.to_owned()).await;
    assert_eq!(team(&two).await, "roads", "at once: it is read where it is kept");

    let (path, _) = call(&two).await;
    let of_team = |passport: &Value| passport["team_id"] == "roads";
    two.until_within(Duration::from_secs(60), &format!("{path}/passport"), of_team).await.unwrap();

    // Gone at one, gone at the other; and the same as a part of the tenant's document.
    let gone = Client::new().delete(format!("{}/v1/teams/roads", one.base));
    assert_eq!(told(gone).await.0, StatusCode::OK);
    assert_eq!(team(&two).await, "incident_investigation");
    let path = "/v1/tenants/riverbend/config";
    let shown = Client::new().get(format!("{}{path}", one.base)).header("accept", "application/toml");
    let shown = shown.bearer_auth(ADMIN).send().await.unwrap().text().await.unwrap();
    let mut blocks = COUNTY.split("```toml\n").map(|rest| rest.split("```").next().unwrap());
    let block = blocks.find(|block| block.starts_with("[[team]]")).unwrap();
    put_toml(&one, path, format!("{shown}\n{block}")).await;
    assert_eq!(team(&two).await, "roads");
    one.running.shutdown().await;
    two.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hours_that_were_set_at_one_gateway_are_told_at_the_other_within_ten_seconds() {
    let (one, two) = two(&["What are your office hours?"]).await;
    assert!(call(&two).await.1.contains("8 a.m. to 5 p.m."));
    let path = "/v1/tenants/riverbend/config";
    let mut document = one.get(path).await.unwrap();
    document["hours"] = json!({ "weekdays": "7:30-18:00" });
    one.put(path, &document).await.unwrap();
    let set = Instant::now();
    loop {
        let told = call(&two).await.1;
        if told.contains("7:30 a.m. to 6 p.m.") {
            break;
        }
        let late = set.elapsed() > TAKEN_UP_WITHIN + SLACK;
        assert!(told.contains("8 a.m. to 5 p.m.") && !late, "after {:?}: {told}", set.elapsed());
    }
    one.running.shutdown().await;
    two.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn live_calls_and_requests_of_one_gateway_are_seen_and_worked_on_at_the_other() {
    let (one, two) = two(&["I want to talk to a person, please."]).await;
    let caller = Caller::dial(&one.base, LINE).await.unwrap();
    let sid = caller.order.call_sid.clone();
    let lists = |list: &Value| list.to_string().contains(&sid);
    two.until("/v1/calls?state=live", |list| lists(list)).await.unwrap();
    caller.hang_up().await.unwrap();
    two.until("/v1/calls?state=live", |list| !lists(list)).await.unwrap();

    call(&one).await;
    let list = two.until("/v1/work-items", |list| !list["items"][0].is_null()).await.unwrap();
    let item = list["items"][0]["id"].as_str().unwrap();
    let path = format!("/v1/work-items/{item}");
    post(&two, &format!("{path}/claim"), json!({})).await;
    let at_one = one.get(&path).await.unwrap();
    assert_eq!(at_one["status"], "in_progress", "{at_one}");
    // Whoever comes second is told so, wherever they came.
    let colleague = json!({ "name": "colleague", "role": "clerk", "tenant": "riverbend" });
    let colleague = post(&one, "/v1/tokens", colleague).await["secret"].as_str().unwrap().to_owned();
    let again = Client::new().post(format!("{}{path}/claim", one.base)).json(&json!({}));
    let again = again.bearer_auth(colleague).send().await.unwrap();
    assert_eq!(again.status(), StatusCode::CONFLICT);
    let done = json!({ "result": "done", "outcome": "Called back; settled." });
    post(&two, &format!("{path}/close"), done).await;
    let at_one = one.get(&path).await.unwrap();
    assert_eq!(at_one["status"], "done");
    assert!(at_one.to_string().contains("Called back; settled."), "with what came of it: {at_one}");
    one.running.shutdown().await;
    two.running.shutdown().await;
}
