//! Providers that fail in mid-call. What counts is the caller's ear: something sensible within two seconds.

use std::time::Duration;

use serde_json::json;
use storage::{Directory, Line};

use super::*;

const TWO_SECONDS: Duration = Duration::from_secs(2);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recogniser_that_dies_in_mid_utterance_is_replaced_and_no_word_is_lost() {
    let vendors = Vendors::start("When is the office open?").await;
    let gateway = gateway(&vendors, LISTS).await;
    let mut caller = greeted(&gateway).await;
    let sid = caller.order.call_sid.clone();
    let question = voice::voice(1_250);
    let (first, rest) = question.split_at(600 * 8);
    let before = caller.heard.lock().bytes();
    caller.speak(first).await.unwrap();
    vendors.ears.faults.set(Fault::CloseAfter(0));
    caller.speak(rest).await.unwrap();
    let ended = Instant::now();
    caller.silent_until(TWO_SECONDS * 3, |h| h.bytes() > before).await.unwrap();
    assert!(ended.elapsed() < TWO_SECONDS, "{:?}", ended.elapsed());
    caller.silent_until_quiet(Duration::from_millis(300), Duration::from_secs(20)).await.unwrap();
    caller.hang_up().await.unwrap();
    assert!(said(&gateway, &sid, 1).await.contains(ANSWER));
    let transcript = gateway.get(&format!("/v1/calls/{sid}/transcript")).await.unwrap();
    assert_eq!(transcript["turns"][1]["text"], "When is the office open?", "{transcript}");
    assert!(gateway.metric("quandura_provider_events_total").await.unwrap() > 0.0);
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_voice_that_stalls_is_replaced_by_the_next() {
    let vendors = Vendors::start("When is the office open?").await;
    let gateway = gateway(&vendors, LISTS).await;
    let mut caller = greeted(&gateway).await;
    let sid = caller.order.call_sid.clone();
    vendors.eleven.faults.set(Fault::Stall);
    let waited = ask(&mut caller, 1_250).await;
    assert!(waited < TWO_SECONDS, "{waited:?}");
    caller.silent_until_quiet(Duration::from_millis(300), Duration::from_secs(20)).await.unwrap();
    caller.hang_up().await.unwrap();
    assert!(said(&gateway, &sid, 1).await.contains(ANSWER));
    assert!(vendors.aura.seen().iter().any(|text| text.contains("office")), "{:?}", vendors.aura.seen());
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_overloaded_model_is_replaced_by_the_next() {
    let vendors = Vendors::start("When is the office open?").await;
    let gateway = gateway(&vendors, LISTS).await;
    let mut caller = greeted(&gateway).await;
    let sid = caller.order.call_sid.clone();
    vendors.claude.faults.set(Fault::Status { status: 529, retry_after: None });
    let waited = ask(&mut caller, 1_250).await;
    assert!(waited < TWO_SECONDS, "{waited:?}");
    caller.silent_until_quiet(Duration::from_millis(300), Duration::from_secs(20)).await.unwrap();
    caller.hang_up().await.unwrap();
    assert!(said(&gateway, &sid, 1).await.contains(OTHER));
    let health = gateway.get("/health").await.unwrap();
    assert_eq!(health["dependencies"]["llm.anthropic"], "degraded", "{health}");
    assert_eq!((&health["dependencies"]["llm"], &health["status"]), (&json!("degraded"), &json!("degraded")));
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_any_model_the_caller_is_spoken_to_and_not_left_in_silence() {
    let vendors = Vendors::start("When is the office open?").await;
    let gateway = gateway(&vendors, LISTS).await;
    let mut caller = greeted(&gateway).await;
    let sid = caller.order.call_sid.clone();
    for faults in [&vendors.claude.faults, &vendors.other.faults] {
        faults.set(Fault::Status { status: 529, retry_after: None });
    }
    let waited = ask(&mut caller, 1_250).await;
    assert!(waited < TWO_SECONDS, "{waited:?}");
    caller.silent_until_quiet(Duration::from_millis(500), Duration::from_secs(30)).await.unwrap();
    caller.hang_up().await.unwrap();
    let words = said(&gateway, &sid, 1).await;
    assert!(words.to_lowercase().contains("sorry"), "{words}");
    gateway.running.shutdown().await;
}

tests::on_both_back_ends!(when_everything_is_down_the_caller_hears_an_apology_and_is_called_back);

async fn when_everything_is_down_the_caller_hears_an_apology_and_is_called_back(home: Home) {
    let vendors = Vendors::start("When is the office open?").await;
    let gateway = gateway_at(&home, &vendors, LISTS).await;
    let mut caller = greeted(&gateway).await;
    let sid = caller.order.call_sid.clone();
    let before = caller.heard.lock().bytes();
    caller.speak(&voice::voice(400)).await.unwrap();
    break_all(&vendors);
    caller.speak(&voice::voice(850)).await.unwrap();
    let ended = Instant::now();
    caller.silent_until(TWO_SECONDS * 5, |h| h.bytes() > before).await.unwrap();
    let waited = ended.elapsed();
    let heard = caller.heard.clone();
    let _ = caller.silent_until(Duration::from_secs(40), |h| h.closed.is_some()).await;
    assert!(heard.lock().closed.is_some(), "the call is ended for the caller");
    assert!(waited < TWO_SECONDS, "{waited:?}");
    let promise = pipeline::session::Phrases::default().call_back_promised;
    let spoken = heard.lock().bytes() - before;
    assert!(spoken >= promise.len() * 20 * 8 * 9 / 10, "{spoken} bytes: the promise was cut");
    let call = gateway.until(&format!("/v1/calls/{sid}"), |c| c["state"] == "ended").await.unwrap();
    assert_eq!(call["end_reason"], "failed", "{call}");
    let items = gateway.get("/v1/work-items").await.unwrap();
    let owed = items["items"].as_array().unwrap().iter().find(|i| i["kind"] == "callback");
    assert_eq!(owed.expect("a call-back")["call_id"], call["id"]);
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gateway_that_starts_while_everything_is_down_takes_calls_and_says_that_it_cannot_help() {
    let vendors = Vendors::start("When is the office open?").await;
    break_all(&vendors);
    let began = Instant::now();
    let gateway = gateway(&vendors, LISTS).await;
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    let health = reqwest::get(format!("{}/health", gateway.base)).await.unwrap();
    assert_eq!(health.status(), 503, "nobody speaks");
    let health: Value = health.json().await.unwrap();
    assert_eq!(health["dependencies"]["phrases"], "degraded", "{health}");
    let mut caller = Caller::dial(&gateway.base, LINE).await.unwrap();
    let sid = caller.order.call_sid.clone();
    caller.silent_until(Duration::from_secs(15), |h| h.bytes() > 0).await.unwrap();
    let heard = caller.heard.clone();
    let _ = caller.silent_until(Duration::from_secs(60), |h| h.closed.is_some()).await;
    let recorded = include_bytes!("../../../gateway/data/clips/en-call-back.ulaw").len();
    let spoken = heard.lock().bytes();
    assert!(spoken >= recorded * 9 / 10, "{spoken} of {recorded} bytes of the recorded promise");
    let call = gateway.until(&format!("/v1/calls/{sid}"), |c| c["state"] == "ended").await.unwrap();
    assert_eq!(call["end_reason"], "failed", "{call}");
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_spanish_call_hears_the_apology_in_spanish_though_no_voice_ever_answered() {
    let vendors = Vendors::start("¿A qué hora abre la oficina?").await;
    break_all(&vendors);
    let gateway = gateway(&vendors, LISTS).await;
    let directory = gateway.running.app.platform.store();
    let line = directory.line(LINE).await.unwrap().unwrap();
    let languages = vec!["es".to_owned(), "en".to_owned()];
    directory.put_line(Line { languages, ..line }).await.unwrap();
    let mut caller = Caller::dial(&gateway.base, LINE).await.unwrap();
    let sid = caller.order.call_sid.clone();
    let heard = caller.heard.clone();
    let _ = caller.silent_until(Duration::from_secs(60), |h| h.closed.is_some()).await;
    let english = include_bytes!("../../../gateway/data/clips/en-call-back.ulaw").len();
    let spanish = include_bytes!("../../../gateway/data/clips/es-call-back.ulaw").len();
    let spoken = heard.lock().bytes();
    assert!(spoken >= spanish * 9 / 10 && english < spanish * 8 / 10, "{spoken} bytes of {spanish}");
    let call = gateway.until(&format!("/v1/calls/{sid}"), |c| c["state"] == "ended").await.unwrap();
    assert_eq!((&call["end_reason"], &call["language"]), (&json!("failed"), &json!("es")), "{call}");
    gateway.running.shutdown().await;
}
