//! Live events: what viewers see of a call, and that they can resume.

use std::time::Duration;

use futures_util::StreamExt;
use tests::caller::Caller;
use tests::gateway::{ADMIN, Doubles, LINE, TestGateway};
use tests::home::Home;
use tokio::time::timeout;

use crate::front_desk;

/// Reads events until one with this name has come; (id, name, data) of all.
async fn events_until(
    base: &str,
    last: Option<&str>,
    name: &str,
) -> Vec<(String, String, serde_json::Value)> {
    let mut request = reqwest::Client::new().get(format!("{base}/v1/events")).bearer_auth(ADMIN);
    if let Some(last) = last {
        request = request.header("Last-Event-ID", last);
    }
    let mut body = request.send().await.unwrap().bytes_stream();
    let (mut text, mut seen) = (String::new(), Vec::new());
    while let Ok(Some(Ok(part))) = timeout(Duration::from_secs(10), body.next()).await {
        text.push_str(&String::from_utf8_lossy(&part));
        while let Some((event, rest)) = text.split_once("\n\n").map(|(e, r)| (e.to_owned(), r.to_owned())) {
            text = rest;
            let field = |key: &str| {
                event
                    .lines()
                    .find_map(|l| l.strip_prefix(key))
                    .map(|v| v.trim().to_owned())
                    .unwrap_or_default()
            };
            let data = serde_json::from_str(&field("data:")).unwrap_or_default();
            let this = field("event:");
            seen.push((field("id:"), this.clone(), data));
            if this == name {
                return seen;
            }
        }
    }
    panic!("no {name} among {:?}", seen.iter().map(|e| &e.1).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_call_is_told_in_order_and_can_be_resumed_from_any_event() {
    let gateway = TestGateway::start(Doubles::default()).await.unwrap();
    let base = gateway.base.clone();
    let watching = tokio::spawn(async move { events_until(&base, None, "call.ended").await });
    let mut caller = Caller::dial(&gateway.base, LINE).await.unwrap();
    caller.silent_until_quiet(Duration::from_millis(100), Duration::from_secs(8)).await.unwrap();
    caller.speak_ms(1_000).await.unwrap();
    caller.silent_ms(1_200).await.unwrap();
    caller.hang_up().await.unwrap();
    let seen = watching.await.unwrap();
    let names: Vec<_> = seen.iter().map(|e| e.1.as_str()).filter(|n| n.starts_with("call.")).collect();
    let place =
        |name: &str| names.iter().position(|n| *n == name).unwrap_or_else(|| panic!("no {name}: {names:?}"));
    assert!(place("call.started") < place("call.turn.interim"));
    assert!(place("call.turn.interim") < place("call.latency"));
    assert_eq!(*names.last().unwrap(), "call.ended");
    let interim = seen.iter().find(|e| e.1 == "call.turn.interim").unwrap();
    assert_eq!(interim.2["version"], 1);
    assert_eq!(interim.2["speaker"], "caller");

    let middle = seen.iter().find(|e| e.1 == "call.latency").unwrap().0.clone();
    let resumed = events_until(&gateway.base, Some(&middle), "call.ended").await;
    let tail: Vec<_> = seen.iter().skip_while(|e| e.0 != middle).skip(1).map(|e| e.0.clone()).collect();
    let again: Vec<_> = resumed.iter().filter(|e| e.1.starts_with("call.")).map(|e| e.0.clone()).collect();
    assert_eq!(again, tail);
    gateway.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_danger_leaves_is_told_once_the_call_is_over_however_busy_the_machine_is() {
    let home = Home::sqlite().unwrap();
    let gateway = front_desk::gateway_under(&home, &["There is a fire in my kitchen!"], 0.7).await.unwrap();
    let base = gateway.base.clone();
    let watching = tokio::spawn(async move { events_until(&base, None, "work_item.updated").await });
    let mut caller = Caller::dial(&gateway.base, LINE).await.unwrap();
    caller.silent_until(Duration::from_secs(5), |h| h.bytes() > 0).await.unwrap();
    caller.speak_ms(1_200).await.unwrap();
    caller.silent_ms(1_500).await.unwrap();
    caller.hang_up().await.unwrap();
    let seen = watching.await.unwrap();
    assert!(seen.iter().any(|event| event.1 == "call.ended"), "the call is over by then");
    let (_, _, told) = seen.last().unwrap();
    assert_eq!((&told["kind"], &told["priority"]), (&"escalation".into(), &"urgent".into()), "{told}");
    assert!(seen.iter().any(|event| event.1 == "passport.updated"), "and its Passport has gone on");
    let filed = gateway.get("/v1/work-items").await.unwrap();
    assert_eq!(filed["items"].as_array().map(Vec::len), Some(1), "one caller, one request: {filed}");
    gateway.running.shutdown().await;
}
