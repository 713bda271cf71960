//! English and Spanish, chosen or heard.

use std::time::Duration;

use serde_json::json;

use super::*;

const PREGUNTA: &str = "¿A qué hora abre la oficina?";

async fn spanish_vendors() -> Vendors {
    Vendors::with(hears(PREGUNTA, "es"), |_| {
        tests::vendors::model::Script::say("La oficina abre a las ocho.")
    })
    .await
}

async fn language_of(gateway: &TestGateway, sid: &str) -> serde_json::Value {
    let call = gateway.until(&format!("/v1/calls/{sid}"), |c| c["state"] == "ended").await.unwrap();
    call["language"].clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_on_the_keys_changes_the_call_to_spanish() {
    let vendors = spanish_vendors().await;
    let gateway = gateway(&vendors, LISTS).await;
    let mut caller = greeted(&gateway).await;
    let sid = caller.order.call_sid.clone();
    let before = caller.heard.lock().bytes();
    let stream = caller.stream_sid.clone();
    let key = json!({"event": "dtmf", "streamSid": stream, "sequenceNumber": "9",
        "dtmf": {"track": "inbound_track", "digit": "2"}});
    caller.send(&key).await.unwrap();
    caller.silent_until(Duration::from_secs(3), |h| h.bytes() > before).await.unwrap();
    caller.silent_until_quiet(Duration::from_millis(300), Duration::from_secs(20)).await.unwrap();
    ask(&mut caller, 1_500).await;
    caller.silent_until_quiet(Duration::from_millis(300), Duration::from_secs(20)).await.unwrap();
    caller.hang_up().await.unwrap();
    assert_eq!(language_of(&gateway, &sid).await, "es");
    let transcript = gateway.get(&format!("/v1/calls/{sid}/transcript")).await.unwrap();
    assert!(transcript.to_string().contains("La oficina abre a las ocho."), "{transcript}");
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_who_speaks_spanish_is_answered_in_spanish() {
    let vendors = spanish_vendors().await;
    let gateway = gateway(&vendors, LISTS).await;
    let mut caller = greeted(&gateway).await;
    let sid = caller.order.call_sid.clone();
    ask(&mut caller, 1_500).await;
    caller.silent_until_quiet(Duration::from_millis(300), Duration::from_secs(20)).await.unwrap();
    caller.hang_up().await.unwrap();
    assert_eq!(language_of(&gateway, &sid).await, "es");
    assert!(said(&gateway, &sid, 1).await.contains("La oficina abre a las ocho."));
    let voices: Vec<String> = vendors.eleven.upgrades().iter().map(|u| u.path.clone()).collect();
    assert!(!voices.is_empty());
    gateway.running.shutdown().await;
}
