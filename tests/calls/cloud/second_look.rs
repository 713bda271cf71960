//! A reply that was wrong, put right on the same call, and the call reviewed afterwards.

use std::time::Duration;

use serde_json::json;
use tests::vendors::model::Script;

use super::*;

const WRONG: &str = "I've filed your report.";
const RIGHT: &str = "Your report is not filed yet.";

/// Asked what is right, the model says it; everything else is answered wrongly first.
fn writes(request: &Value) -> Script {
    let said =
        request["messages"].as_array().and_then(|m| m.last()).map(Value::to_string).unwrap_or_default();
    if said.contains("was checked against") {
        Script::say(RIGHT)
    } else if said.contains("The caller is told now") {
        Script::say("Is there anything else?")
    } else {
        Script::say(WRONG)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_hears_what_was_wrong_and_the_passport_says_so() {
    let texts = vec!["Please report a broken swing.".to_owned()];
    let hears = ListenOptions { texts, language: "en", ..ListenOptions::default() };
    let vendors = Vendors::with(hears, writes).await;
    let gateway = gateway(&vendors, LISTS).await;
    let mut caller = greeted(&gateway).await;
    let sid = caller.order.call_sid.clone();
    ask(&mut caller, 1_000).await;
    caller.silent_until_quiet(Duration::from_millis(400), Duration::from_secs(20)).await.unwrap();
    assert_eq!(said(&gateway, &sid, 1).await, WRONG);
    ask(&mut caller, 1_000).await;
    caller.silent_until_quiet(Duration::from_millis(400), Duration::from_secs(20)).await.unwrap();
    let correction = format!("I need to correct what I said: {RIGHT}");
    let told = |t: &Value| t["turns"].to_string().contains(&correction);
    gateway.until(&format!("/v1/calls/{sid}/transcript"), told).await.unwrap();
    caller.hang_up().await.unwrap();
    let path = format!("/v1/calls/{sid}/passport");
    let has = |p: &Value, wanted: &str| p["ledger"].to_string().contains(wanted);
    let passport = gateway.until(&path, |p| has(p, "corrected in turn")).await.unwrap();
    assert!(!passport["ledger"].to_string().contains("swing"), "no words of anybody: {passport}");
    // The call is over and nothing is left to do: it is reviewed, once.
    let passport = gateway.until(&path, |p| has(p, "after_action_review")).await.unwrap();
    let reviews =
        passport["ledger"].as_array().unwrap().iter().filter(|e| e["action"] == "after_action_review");
    assert_eq!(reviews.count(), 1, "{passport}");
    let autonomy = gateway.get("/v1/autonomy").await.unwrap();
    assert_eq!(autonomy["items"][0]["agent_id"], json!("front_desk/triage"), "{autonomy}");
    gateway.running.shutdown().await;
}
