//! The process dies while notes are taken of a talk between a caller and the person who took the call.

use std::sync::Arc;
use std::time::Duration;

use futures_util::SinkExt;
use serde_json::{Value, json};
use tests::carrier::{ACCOUNT, Behaviour, Talk};
use tests::desk::signature;
use tests::home::Home;
use tokio::time::{interval, sleep};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use super::people::{CLERK, Town, ended_by_the_kill, staffed};

tests::on_both_back_ends!(notes_of_a_talk_are_kept_as_far_as_they_were_taken_and_the_call_is_closed);

/// Both sides of a talk: each says something, then it goes on without a word until the socket is gone.
fn a_talk() -> Talk {
    Arc::new(|url, parameters, call_sid| {
        Box::pin(async move {
            let mut request = url.as_str().into_client_request().unwrap();
            let (name, value) = signature(&url, &[]);
            request.headers_mut().insert(name, value.parse().unwrap());
            let (mut socket, _) = connect_async(request).await.unwrap();
            let stream = "MZ00000000000000000000000000000009";
            let parameters: Value =
                parameters.into_iter().map(|(name, value)| (name, json!(value))).collect();
            let start = json!({"event": "start", "sequenceNumber": "1", "streamSid": stream, "start": {
                "accountSid": ACCOUNT, "streamSid": stream, "callSid": call_sid, "customParameters": parameters}});
            for message in [json!({"event": "connected"}), start] {
                socket.send(Message::text(message.to_string())).await.unwrap();
            }
            let mut tick = interval(Duration::from_millis(20));
            for at in 0..6_000_u32 {
                tick.tick().await;
                for (track, loud) in [("inbound", 20..80), ("outbound", 150..210)] {
                    let sound = if loud.contains(&at) { 0x10 } else { 0xFF };
                    let payload = pipeline::session::journal::encode_audio(&[sound; 160]);
                    let media = json!({"event": "media", "streamSid": stream, "media": {
                        "track": track, "chunk": (at + 1).to_string(), "timestamp": (at * 20).to_string(),
                        "payload": payload}});
                    if socket.send(Message::text(media.to_string())).await.is_err() {
                        return;
                    }
                }
            }
        })
    })
}

async fn notes_of_a_talk_are_kept_as_far_as_they_were_taken_and_the_call_is_closed(home: Home) {
    let noted = |config: &mut Value| {
        staffed(true)(config);
        config["target"][0]["notes"] = json!(true);
    };
    let mut town = Town::new(home, "I need a copy of my permit.", noted).await;
    town.carrier.number(CLERK, Behaviour::Answers { key: Some('1'), lasts: Duration::from_secs(60) });
    town.carrier.meets(a_talk());
    let sid = town.called("01");
    let said = |said: &Value| {
        let turns = said["turns"].as_array().cloned().unwrap_or_default();
        let of = |speaker: &str| {
            turns.iter().any(|turn| {
                turn["speaker"] == speaker
                    && turn["text"].as_str().is_some_and(|text| text.contains("permit"))
            })
        };
        of("caller") && of("supervisor")
    };
    town.until(&format!("/v1/calls/{sid}/transcript"), said).await;
    let id = town.get(&format!("/v1/calls/{sid}")).await["id"].as_str().unwrap().to_owned();
    // What is told is on its way to the record.
    sleep(Duration::from_millis(300)).await;
    town.kill();
    for start in 1..=2 {
        let next = town.again().await;
        ended_by_the_kill(&next.get(&format!("/v1/calls/{id}")).await);
        assert!(said(&next.get(&format!("/v1/calls/{id}/transcript")).await), "start {start}");
        let states: Vec<Value> = next
            .audit(&id, "call.notes")
            .await
            .iter()
            .rev()
            .map(|entry| entry["details"]["notes"].clone())
            .collect();
        assert_eq!(states, ["told", "began", "lost"], "start {start}");
        // The carrier's word that the talk is over was lost with the process: it is asked.
        sleep(Duration::from_millis(500)).await;
        next.reconcile().await;
        let call = next.get(&format!("/v1/calls/{id}")).await;
        assert_eq!(call["transfers"][0]["result"], "answered", "{call}");
        let filed = next.call_backs(&id).await;
        let owed = filed.iter().any(|item| item["reason"].as_str().unwrap().contains("put through"));
        assert!(!owed, "nobody is called back who was not left waiting: {filed:?}");
        next.is_whole().await;
        next.gateway.running.shutdown().await;
    }
}
