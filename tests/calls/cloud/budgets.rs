//! What a call and a tenant's day may cost.

use std::time::Duration;

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_has_cost_its_cap_is_ended_with_words() {
    let vendors = Vendors::start("When is the office open?").await;
    let text = format!("{LISTS}[budget]\ncall_usd = 0.001\n");
    let gateway = gateway(&vendors, &text).await;
    let mut caller = greeted(&gateway).await;
    let sid = caller.order.call_sid.clone();
    let before = caller.heard.lock().bytes();
    ask(&mut caller, 1_250).await;
    let heard = caller.heard.clone();
    let _ = caller.silent_until(Duration::from_secs(30), |h| h.closed.is_some()).await;
    assert!(heard.lock().closed.is_some());
    let call = gateway.until(&format!("/v1/calls/{sid}"), |c| c["state"] == "ended").await.unwrap();
    assert_eq!(call["end_reason"], "budget", "{call}");
    let letters = ANSWER.len() + pipeline::session::Phrases::default().budget_spent.len();
    let spoken = heard.lock().bytes() - before;
    assert!(spoken >= letters * 20 * 8 * 9 / 10, "{spoken} bytes: the answer, then why the call ends");
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn once_the_tenants_day_is_spent_new_callers_hear_so_and_running_calls_go_on() {
    let texts = vec!["When is the office open?".to_owned()];
    let vendors = Vendors::hearing(ListenOptions { texts, ..ListenOptions::default() }).await;
    let text = format!("{LISTS}[budget]\ntenant_day_usd = 0.001\n");
    let gateway = gateway(&vendors, &text).await;
    let mut first = greeted(&gateway).await;
    let sid = first.order.call_sid.clone();
    ask(&mut first, 1_250).await;
    first.silent_until_quiet(Duration::from_millis(300), Duration::from_secs(20)).await.unwrap();
    gateway.until(&format!("/v1/calls/{sid}"), |c| c["cost_usd"].as_f64() >= Some(0.001)).await.unwrap();

    let mut second = Caller::dial(&gateway.base, LINE).await.unwrap();
    let refused = second.order.call_sid.clone();
    let heard = second.heard.clone();
    let _ = second.silent_until(Duration::from_secs(20), |h| h.closed.is_some()).await;
    assert!(heard.lock().bytes() > 8_000, "the message was spoken");
    assert!(heard.lock().closed.is_some(), "and the stream closed");
    let call = gateway.until(&format!("/v1/calls/{refused}"), |c| c["state"] == "ended").await.unwrap();
    assert_eq!(call["end_reason"], "budget", "{call}");
    assert_eq!(gateway.metric("quandura_calls_refused_total").await.unwrap(), 1.0);

    let before = first.heard.lock().bytes();
    first.speak(&voice::voice(1_250)).await.unwrap();
    first.silent_until(Duration::from_secs(5), |h| h.bytes() > before).await.unwrap();
    first.hang_up().await.unwrap();
    gateway.running.shutdown().await;
}
