//! What a model says against the rules is not heard: neither by the voice's provider nor on the record.

use std::time::Duration;

use serde_json::{Value, json};
use tests::vendors::model::Script;

use super::*;

/// A call in which the model says this; what the record has of it, and what the voice was given.
async fn answered(says: &'static str) -> (String, String, Value) {
    let vendors = Vendors::with(hears("What can you do for me?", "en"), move |_| Script::say(says)).await;
    let gateway = gateway(&vendors, LISTS).await;
    let mut caller = greeted(&gateway).await;
    let sid = caller.order.call_sid.clone();
    ask(&mut caller, 1_250).await;
    caller.silent_until_quiet(Duration::from_millis(400), Duration::from_secs(20)).await.unwrap();
    caller.hang_up().await.unwrap();
    gateway.until(&format!("/v1/calls/{sid}"), |c| c["state"] == "ended").await.unwrap();
    let on_record = said(&gateway, &sid, 1).await;
    let passport = gateway.get(&format!("/v1/calls/{sid}/passport")).await.unwrap();
    let latency = gateway.get(&format!("/v1/calls/{sid}/latency")).await.unwrap();
    let stages = latency["turns"][0]["stages"].to_string();
    assert!(stages.contains("\"rules\""), "{stages}");
    let voiced = vendors.eleven.seen().join(" ");
    gateway.running.shutdown().await;
    (on_record, voiced, passport)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_price_that_the_model_invents_is_not_spoken() {
    let (on_record, voiced, passport) = answered("Sure, for you I make it 7 dollars instead.").await;
    for text in [&on_record, &voiced] {
        assert!(!text.contains("7 dollars") && !text.contains("$7"), "{text}");
    }
    assert!(on_record.contains("published"), "{on_record}");
    assert!(passport["ledger"].to_string().contains("a rule stopped (locked-amounts)"), "{passport}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_price_in_words_is_not_spoken_either() {
    let (on_record, voiced, _) = answered("That would be seven dollars. It is a bargain.").await;
    for text in [&on_record, &voiced] {
        assert!(!text.contains("seven dollars") && !text.contains("bargain"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn legal_advice_is_not_spoken() {
    let (on_record, voiced, passport) = answered("Yes, you should sue the county.").await;
    for text in [&on_record, &voiced] {
        assert!(!text.contains("sue the county"), "{text}");
    }
    assert!(
        on_record.contains("I can't give legal advice, but I can connect you with a person."),
        "{on_record}"
    );
    assert!(passport["ledger"].to_string().contains("a rule stopped (no-legal-advice)"), "{passport}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rules_that_are_put_while_a_call_goes_on_hold_for_its_next_sentence() {
    let vendors =
        Vendors::with(hears("Who opens the fair?", "en"), |_| Script::say("The mayor opens the fair.")).await;
    let gateway = gateway(&vendors, LISTS).await;
    let mut caller = greeted(&gateway).await;
    let sid = caller.order.call_sid.clone();
    let rule = "rule no-mayor { name: 'n' category: compliance description: 'd' applies_to: words
        requirement: not words_any(['mayor']) action: BLOCK explanation_en: 'e' explanation_es: 'e'
        replacement_en: 'I cannot speak of that.' replacement_es: 'No puedo.' }";
    let put = gateway.put("/v1/rules", &json!({ "text": rule })).await.unwrap();
    assert_eq!(put["tenant_text"], rule);
    let broken = gateway.put("/v1/rules", &json!({ "text": "rule x {" })).await.unwrap_err().to_string();
    assert!(broken.contains("422"), "{broken}");
    ask(&mut caller, 1_250).await;
    caller.silent_until_quiet(Duration::from_millis(400), Duration::from_secs(20)).await.unwrap();
    caller.hang_up().await.unwrap();
    assert_eq!(said(&gateway, &sid, 1).await, "I cannot speak of that.");
    gateway.running.shutdown().await;
}
