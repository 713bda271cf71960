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
