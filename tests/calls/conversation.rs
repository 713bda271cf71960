//! A caller is greeted, asks, is answered, interrupts.

use std::time::Duration;

use tests::caller::{Caller, Wire};
use tests::gateway::{Doubles, LINE, TestGateway};
use tests::home::Home;

tests::on_both_back_ends!(a_caller_is_greeted_asks_and_is_answered);
tests::at_both_carriers!(
    speaking_over_the_reply_clears_it_and_the_record_holds_only_what_was_heard,
    keys_reach_the_responder,
);

async fn a_caller_is_greeted_asks_and_is_answered(home: Home) {
    let gateway = TestGateway::start_at(&home, Doubles::default()).await.unwrap();
    let health = gateway.get("/health").await.unwrap();
    assert_eq!(health["dependencies"][home.dependency()], "healthy", "{health}");
    let mut caller = Caller::dial(&gateway.base, LINE).await.unwrap();
    let call = caller.order.call_sid.clone();
    caller.silent_until(Duration::from_secs(3), |h| h.bytes() > 0).await.unwrap();
    caller.silent_until_quiet(Duration::from_millis(200), Duration::from_secs(8)).await.unwrap();
    caller.speak_ms(1_200).await.unwrap();
    let before = caller.heard.lock().bytes();
    caller.silent_until(Duration::from_secs(3), |h| h.bytes() > before).await.unwrap();
    caller.silent_until_quiet(Duration::from_millis(400), Duration::from_secs(12)).await.unwrap();
    caller.hang_up().await.unwrap();

    let call = format!("/v1/calls/{call}");
    let ended = gateway.until(&call, |c| c["state"] == "ended").await.unwrap();
    assert_eq!(ended["end_reason"], "caller_hung_up");
    assert_eq!(ended["line"], LINE);
    let transcript = gateway.get(&format!("{call}/transcript")).await.unwrap();
    let turns = transcript["turns"].as_array().unwrap();
    let said: Vec<_> =
        turns.iter().map(|t| (t["speaker"].as_str().unwrap(), t["text"].as_str().unwrap())).collect();
    assert_eq!(
        said,
        [
            ("agent", "Welcome to the county."),
            ("caller", "When is the office open?"),
            ("agent", "The office is open from eight to five. Can I help you with anything else?"),
        ]
    );
    assert!(turns.iter().all(|t| t["interrupted"] == false));
    let latency = gateway.get(&format!("{call}/latency")).await.unwrap();
    let turn = &latency["turns"][0];
    let sum: f64 = turn["stages"].as_array().unwrap().iter().map(|s| s["ms"].as_f64().unwrap()).sum();
    let (rest, total) = (turn["unattributed_ms"].as_f64().unwrap(), turn["total_ms"].as_f64().unwrap());
    assert!((sum + rest - total).abs() < 1.0, "{turn}");
    gateway.running.shutdown().await;
}

async fn speaking_over_the_reply_clears_it_and_the_record_holds_only_what_was_heard(carrier: Wire) {
    let gateway = TestGateway::start_at_carrier(carrier.setting(), Doubles::default()).await.unwrap();
    let mut caller = Caller::dial_by(carrier, &gateway.base, LINE).await.unwrap();
    let call = caller.order.call_sid.clone();
    caller.silent_until(Duration::from_secs(3), |h| h.bytes() > 0).await.unwrap();
    caller.silent_until_quiet(Duration::from_millis(200), Duration::from_secs(8)).await.unwrap();
    caller.speak_ms(1_000).await.unwrap();
    let before = caller.heard.lock().bytes();
    caller.silent_until(Duration::from_secs(3), |h| h.bytes() > before).await.unwrap();
    // Sooner, it would be the same turn going on.
    caller.silent_ms(1_900).await.unwrap();
    caller.speak_ms(1_400).await.unwrap();
    assert_eq!(caller.heard.lock().clears.len(), 1, "cleared while the caller still spoke");
    caller.silent_ms(600).await.unwrap();
    caller.hang_up().await.unwrap();

    let transcript = gateway
        .until(&format!("/v1/calls/{call}/transcript"), |t| {
            t["turns"].as_array().is_some_and(|t| t.iter().any(|t| t["interrupted"] == true))
        })
        .await
        .unwrap();
    let cut =
        transcript["turns"].as_array().unwrap().iter().find(|t| t["interrupted"] == true).unwrap().clone();
    let heard = cut["heard_text"].as_str().unwrap();
    assert!(!heard.is_empty() && cut["text"].as_str().unwrap().starts_with(heard), "{cut}");
    assert!(heard.len() < cut["text"].as_str().unwrap().len());
    gateway.running.shutdown().await;
}

async fn keys_reach_the_responder(carrier: Wire) {
    let doubles = Doubles::default();
    let committed = doubles.responder.committed.clone();
    let gateway = TestGateway::start_at_carrier(carrier.setting(), doubles).await.unwrap();
    let mut caller = Caller::dial_by(carrier, &gateway.base, LINE).await.unwrap();
    caller.silent_until(Duration::from_secs(3), |h| h.bytes() > 0).await.unwrap();
    caller.press("0").await.unwrap();
    caller
        .silent_until(Duration::from_secs(3), |_| {
            committed.lock().contains(&pipeline::ports::TurnInput::Digits { digits: "0".into() })
        })
        .await
        .unwrap();
    // The responder has the key before the caller has the message.
    caller.silent_until(Duration::from_secs(3), |h| !h.clears.is_empty()).await.unwrap();
    assert_eq!(caller.heard.lock().clears.len(), 1, "a key interrupts the greeting");
    caller.hang_up().await.unwrap();
    gateway.running.shutdown().await;
}
