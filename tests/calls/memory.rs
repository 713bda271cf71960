//! A caller is remembered from one call to the next, and forgotten when they ask: the real front desk and the real
//! memory, with scripted ears and a humming voice.

use std::time::Duration;

use anyhow::Result;
use serde_json::Value;
use tests::caller::Caller;
use tests::gateway::{LINE, TestGateway};
use tests::home::Home;

use crate::front_desk::gateway;

/// One call in which the caller says what the script has; gives what the agent said first, and the call's Passport.
async fn call(gateway: &TestGateway) -> Result<(String, Value)> {
    let mut caller = Caller::dial(&gateway.base, LINE).await?;
    let call = format!("/v1/calls/{}", caller.order.call_sid);
    caller.silent_until(Duration::from_secs(5), |h| h.bytes() > 0).await?;
    caller.silent_until_quiet(Duration::from_millis(300), Duration::from_secs(10)).await?;
    caller.speak_ms(1_200).await?;
    let before = caller.heard.lock().bytes();
    caller.silent_until(Duration::from_secs(5), |h| h.bytes() > before).await?;
    caller.silent_until_quiet(Duration::from_millis(400), Duration::from_secs(12)).await?;
    caller.hang_up().await?;
    gateway.until(&call, |c| c["state"] == "ended").await?;
    let transcript = gateway.get(&format!("{call}/transcript")).await?;
    let first = transcript["turns"][0]["text"].as_str().unwrap_or_default().to_owned();
    Ok((first, gateway.get(&format!("{call}/passport")).await?))
}

async fn contact(gateway: &TestGateway) -> Result<Value> {
    let listed = gateway.until("/v1/memory/contacts", |c| c["items"][0]["id"].is_string()).await?;
    let id = listed["items"][0]["id"].as_str().unwrap_or_default().to_owned();
    gateway.get(&format!("/v1/memory/contacts/{id}")).await
}

tests::on_both_back_ends!(a_caller_is_answered_in_their_language_until_they_ask_to_be_forgotten);

async fn a_caller_is_answered_in_their_language_until_they_ask_to_be_forgotten(home: Home) {
    let first = gateway(&home, &["I would prefer to speak Spanish, please."]).await.unwrap();
    let (greeting, passport) = call(&first).await.unwrap();
    assert!(
        greeting.contains("thank you for calling") || greeting.contains("Thank you for calling"),
        "{greeting}"
    );
    assert_eq!(passport["memory_context"], serde_json::json!([]), "a stranger");
    let known = contact(&first).await.unwrap();
    assert_eq!(known["memories"][0]["key"], "preferred_language", "{known}");
    assert_eq!((&known["memories"][0]["value"], &known["stage"]), (&"es".into(), &"new".into()));
    assert_eq!(
        (&known["decisions"][0]["verdict"], &known["decisions"][0]["reason"]),
        (&"stored".into(), &"admitted".into())
    );
    let fact = known["memories"][0]["id"].clone();
    first.running.shutdown().await;

    let second = gateway(&home, &["No guarde mis datos, por favor."]).await.unwrap();
    let (greeting, passport) = call(&second).await.unwrap();
    assert!(greeting.contains("gracias por llamar"), "answered in Spanish from the first word: {greeting}");
    assert!(
        greeting.contains("For English"),
        "and whoever else has the phone is offered English: {greeting}"
    );
    assert_eq!(passport["memory_context"], serde_json::json!([fact]), "ids, not words");
    let path = format!("/v1/memory/contacts/{}", known["id"].as_str().unwrap());
    let forgotten = second.until(&path, |c| c["opt_out"] == true).await.unwrap();
    assert_eq!((&forgotten["memories"], &forgotten["stage"]), (&serde_json::json!([]), &"opted_out".into()));
    assert_eq!(forgotten["decisions"][0]["reason"], "asked_by_caller");
    second.running.shutdown().await;

    let third = gateway(&home, &["I would prefer to speak Spanish, please."]).await.unwrap();
    let (greeting, _) = call(&third).await.unwrap();
    assert!(!greeting.contains("gracias"), "nothing is remembered: {greeting}");
    let reviewed = |events: &Value| {
        let events = events["items"].as_array().cloned().unwrap_or_default();
        events.iter().any(|e| {
            e["event"] == "call_review" && e["detail"].as_str().is_some_and(|d| d.starts_with("opted_out"))
        })
    };
    third.until("/v1/memory/events", reviewed).await.unwrap();
    let still = third.get(&path).await.unwrap();
    assert_eq!((&still["opt_out"], &still["memories"]), (&true.into(), &serde_json::json!([])));
    assert_eq!(third.get("/v1/memory/suggestions").await.unwrap()["items"], serde_json::json!([]));
    third.running.shutdown().await;
}
