//! A person of the office tells the model something in a call, takes the call, and gives it back with a note.

use reqwest::{Client, StatusCode};
use serde_json::json;
use tests::gateway::ADMIN;

use super::*;

async fn post(gateway: &TestGateway, path: &str, body: &Value) -> StatusCode {
    let request = Client::new().post(format!("{}{path}", gateway.base)).bearer_auth(ADMIN).json(body);
    request.send().await.unwrap().status()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_person_whispers_and_notes_reaches_the_model_and_never_the_caller() {
    let vendors = Vendors::start("When is the office open?").await;
    let gateway = gateway(&vendors, LISTS).await;
    let mut caller = greeted(&gateway).await;
    let sid = caller.order.call_sid.clone();
    let path = |act: &str| format!("/v1/calls/{sid}/{act}");
    let whisper = json!({ "text": "Mention that Monday is a holiday." });
    assert_eq!(post(&gateway, &path("whisper"), &whisper).await, StatusCode::ACCEPTED);
    assert_eq!(post(&gateway, &path("takeover"), &json!({})).await, StatusCode::OK);
    caller.silent_ms(300).await.unwrap();
    let note = json!({ "note": "They were promised a copy by mail." });
    assert_eq!(post(&gateway, &path("release"), &note).await, StatusCode::ACCEPTED);
    caller.silent_until_quiet(Duration::from_millis(600), Duration::from_secs(20)).await.unwrap();
    ask(&mut caller, 1_250).await;
    caller.silent_until_quiet(Duration::from_millis(400), Duration::from_secs(20)).await.unwrap();
    caller.hang_up().await.unwrap();

    let asked: Vec<String> = vendors.claude.requests().iter().map(|r| r.body.to_string()).collect();
    let question = asked.iter().find(|body| body.contains("When is the office open?")).unwrap();
    assert!(question.contains("Monday is a holiday"), "{question}");
    assert!(question.contains("promised a copy by mail"), "{question}");
    let voiced = vendors.eleven.seen();
    assert!(!voiced.iter().any(|text| text.contains("holiday") || text.contains("promised")), "{voiced:?}");
    gateway.until(&format!("/v1/calls/{sid}"), |c| c["state"] == "ended").await.unwrap();
    let transcript = gateway.get(&path("transcript")).await.unwrap().to_string();
    assert!(transcript.contains("I'm back, the automated assistant."), "{transcript}");
    gateway.running.shutdown().await;
}

const HOLIDAY: &str = "It opens at eight, but Monday is a holiday.";

/// A model that shows in its words what it was told of: the whisper reaches it with the caller's words, or it knows of none.
fn shows(body: &Value) -> Script {
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let last = messages.last().map(Value::to_string).unwrap_or_default();
    Script::say(if last.contains("Monday is a holiday") { HOLIDAY } else { ANSWER })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_agents_next_words_follow_what_a_supervisor_whispers_and_the_caller_hears_them() {
    let asked = ["When is the office open?", "Is that so every day?", "When is the office open, then?"];
    let texts = asked.map(str::to_owned).to_vec();
    let vendors = Vendors::with(ListenOptions { texts, ..ListenOptions::default() }, shows).await;
    let gateway = gateway(&vendors, LISTS).await;
    let sam = json!({ "name": "sam", "role": "supervisor", "tenant": "riverbend" });
    let sam = Client::new().post(format!("{}/v1/tokens", gateway.base)).bearer_auth(ADMIN).json(&sam);
    let sam: Value = sam.send().await.unwrap().json().await.unwrap();
    let mut caller = greeted(&gateway).await;
    let sid = caller.order.call_sid.clone();
    let whisper = format!("{}/v1/calls/{sid}/whisper", gateway.base);
    for turn in 1..=asked.len() {
        if turn == 2 {
            let word = json!({ "text": "Say that Monday is a holiday." });
            let sent = Client::new().post(&whisper).bearer_auth(sam["secret"].as_str().unwrap()).json(&word);
            assert_eq!(sent.send().await.unwrap().status(), StatusCode::ACCEPTED);
        }
        ask(&mut caller, 1_000).await;
        caller.silent_until_quiet(Duration::from_millis(900), Duration::from_secs(25)).await.unwrap();
    }
    caller.hang_up().await.unwrap();
    gateway.until(&format!("/v1/calls/{sid}"), |c| c["state"] == "ended").await.unwrap();
    // Not before it was whispered, at once after it, and not for good: it was meant for one reply.
    let mut replies = Vec::new();
    for turn in 1..=3 {
        replies.push(said(&gateway, &sid, turn).await);
    }
    assert_eq!(replies, [ANSWER, HOLIDAY, ANSWER]);
    let voiced = vendors.eleven.seen();
    assert!(voiced.iter().any(|text| text.contains("Monday is a holiday")), "{voiced:?}");
    let passport = gateway.get(&format!("/v1/calls/{sid}/passport")).await.unwrap();
    let turns = passport["ledger"].as_array().unwrap().iter().filter(|entry| entry["action"] == "turn");
    let by_model = turns.filter(|e| e["outputs_summary"].as_str().unwrap().contains("answered by"));
    let asked: Vec<&str> = by_model.map(|entry| entry["inputs_summary"].as_str().unwrap()).collect();
    assert_eq!(asked, ["question"; 3], "the Passport says what was asked: {passport}");
    gateway.running.shutdown().await;
}
