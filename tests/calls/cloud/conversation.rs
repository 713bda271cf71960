//! A call with every provider outside this machine.

use std::time::Duration;

use serde_json::json;
use tests::home::Home;
use tests::vendors::model::Script;

use super::*;

tests::on_both_back_ends!(a_caller_is_greeted_understood_and_answered_and_passport_and_cost_are_on_record);

async fn a_caller_is_greeted_understood_and_answered_and_passport_and_cost_are_on_record(home: Home) {
    let vendors = Vendors::start("When is the office open?").await;
    let gateway = gateway_at(&home, &vendors, LISTS).await;
    let mut caller = greeted(&gateway).await;
    let sid = caller.order.call_sid.clone();
    let waited = ask(&mut caller, 1_250).await;
    assert!(waited < Duration::from_secs(2), "{waited:?}");
    caller.silent_until_quiet(Duration::from_millis(400), Duration::from_secs(20)).await.unwrap();
    caller.hang_up().await.unwrap();

    let call = gateway.until(&format!("/v1/calls/{sid}"), |c| c["state"] == "ended").await.unwrap();
    assert_eq!((&call["end_reason"], &call["turns"]), (&json!("caller_hung_up"), &json!(1)));
    assert!(call["cost_usd"].as_f64().unwrap() > 0.0, "{call}");
    let transcript = gateway.get(&format!("/v1/calls/{sid}/transcript")).await.unwrap();
    assert_eq!(transcript["turns"][1]["text"], "When is the office open?", "{transcript}");
    assert_eq!(said(&gateway, &sid, 1).await, ANSWER);
    let turn = gateway.get(&format!("/v1/calls/{sid}/latency")).await.unwrap()["turns"][0].clone();
    assert!(turn["cost_usd"].as_f64().unwrap() > 0.0, "{turn}");
    let passport = gateway.get(&format!("/v1/calls/{sid}/passport")).await.unwrap();
    assert_eq!((&passport["call_id"], &passport["passport_id"]), (&call["id"], &call["passport_id"]));
    assert!(passport["ledger"].as_array().is_some_and(|ledger| !ledger.is_empty()), "{passport}");
    let asked = vendors.claude.requests();
    assert!(asked.iter().any(|r| r.body.to_string().contains("When is the office open?")));
    assert_eq!(vendors.violations(), Vec::<String>::new());
    assert!(vendors.eleven.seen().iter().any(|text| text.contains("office")), "{:?}", vendors.eleven.seen());
    assert!(vendors.aura.seen().is_empty() && vendors.other.requests().is_empty(), "standbys stay unasked");
    let cost = gateway.metric("quandura_cost_usd_total").await.unwrap();
    assert!(cost > 0.0, "{cost}");
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_tenants_words_reach_recogniser_and_voice() {
    let vendors =
        Vendors::with(hears("Where is the fair?", "en"), |_| Script::say("The fair is in Puyallup.")).await;
    let gateway = gateway(&vendors, LISTS).await;
    let words = json!({"vocabulary": ["Puyallup Fair"]});
    gateway.put("/v1/tenants/riverbend/vocabulary", &words).await.unwrap();
    let sounds = json!({"pronunciations": {"Puyallup": "pew allup"}});
    gateway.put("/v1/tenants/riverbend/pronunciations", &sounds).await.unwrap();
    let mut caller = greeted(&gateway).await;
    ask(&mut caller, 1_000).await;
    caller.silent_until_quiet(Duration::from_millis(300), Duration::from_secs(20)).await.unwrap();
    caller.hang_up().await.unwrap();
    let listening = vendors.ears.upgrades();
    assert!(listening.iter().any(|u| u.value("keyterm") == "Puyallup%20Fair"), "{listening:?}");
    let voiced = vendors.eleven.seen();
    assert!(voiced.iter().any(|text| text.contains("pew allup")), "{voiced:?}");
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn health_names_each_provider_and_metrics_say_who_is_up() {
    let vendors = Vendors::start("Hello").await;
    let gateway = gateway(&vendors, LISTS).await;
    let health = gateway.get("/health").await.unwrap();
    for name in ["stt.deepgram", "stt.deepgram-flux", "llm.anthropic", "llm.openai", "tts.elevenlabs", "tts"]
    {
        assert_eq!(health["dependencies"][name], "healthy", "{name}: {health}");
    }
    assert!(gateway.metric("quandura_provider_up").await.unwrap() >= 6.0);
    gateway.running.shutdown().await;
}
