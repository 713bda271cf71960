//! However a call ends, it ends once, with a reason, and nothing of it is left behind.

use std::time::Duration;

use pipeline::ports::{AfterReply, TurnInput};
use tests::caller::{Caller, StreamOrder, Wire, order};
use tests::doubles::{Answer, ScriptedResponder};
use tests::gateway::{Doubles, LINE, TestGateway};
use tests::home::Home;
use tokio::time::{Instant, sleep};

tests::at_both_carriers!(
    hanging_up_at_any_moment_leaves_no_task_and_no_live_call,
    goodbye_is_heard_to_its_end_and_the_stream_is_closed,
    a_full_machine_says_so_and_running_calls_are_untouched,
);
tests::on_both_back_ends!(
    a_newer_stream_of_the_same_call_takes_over,
    a_stopping_gateway_lets_calls_end_and_keeps_their_record,
);

/// Tasks that the gateway alone keeps alive.
async fn settled_tasks() -> usize {
    sleep(Duration::from_millis(300)).await;
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

/// Sockets and files that this process holds open.
fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

async fn hanging_up_at_any_moment_leaves_no_task_and_no_live_call(carrier: Wire) {
    let gateway = TestGateway::start_at_carrier(carrier.setting(), Doubles::default()).await.unwrap();
    // The first call opens what the process keeps: database readers, the log writer of the tenant.
    let first = Caller::dial_by(carrier, &gateway.base, LINE).await.unwrap();
    first.hang_up().await.unwrap();
    let before = settled_tasks().await;
    let files = open_files();
    for ms in [0, 20, 60, 200, 500, 900, 1_400, 2_000] {
        let mut caller = Caller::dial_by(carrier, &gateway.base, LINE).await.unwrap();
        caller.speak_ms(ms / 2).await.unwrap();
        caller.silent_ms(ms / 2).await.unwrap();
        if ms % 40 == 0 {
            caller.hang_up().await.unwrap();
        } else {
            drop(caller);
        }
    }
    gateway
        .until("/v1/calls?state=live", |c| c["items"].as_array().is_some_and(Vec::is_empty))
        .await
        .unwrap();
    let end = Instant::now() + Duration::from_secs(10);
    while settled_tasks().await > before {
        assert!(Instant::now() < end, "{} tasks before the calls, {} after", before, settled_tasks().await);
    }
    // The HTTP client of the test keeps a connection or two; eight calls would leave eight.
    assert!(open_files() <= files + 3, "{files} open files before the calls, {} after", open_files());
    gateway.running.shutdown().await;
}

async fn goodbye_is_heard_to_its_end_and_the_stream_is_closed(carrier: Wire) {
    let responder = ScriptedResponder::new(|input| match input {
        TurnInput::Opened => Answer::say(&["Hello."]),
        _ => Answer { then: AfterReply::HangUp, ..Answer::say(&["Thank you for calling. Goodbye."]) },
    });
    let gateway =
        TestGateway::start_at_carrier(carrier.setting(), Doubles { responder, ..Doubles::default() })
            .await
            .unwrap();
    let mut caller = Caller::dial_by(carrier, &gateway.base, LINE).await.unwrap();
    let call = caller.order.call_sid.clone();
    caller.silent_ms(800).await.unwrap();
    caller.speak_ms(900).await.unwrap();
    let heard = caller.heard.clone();
    let _ = caller.silent_until(Duration::from_secs(8), |h| h.closed.is_some()).await;
    assert_eq!(caller.closed(Duration::from_secs(3)).await.unwrap(), Some(1000));
    let letters = "Hello.Thank you for calling. Goodbye.".len();
    assert!(heard.lock().bytes() >= letters * 50 * 8, "all of it was sent before the close");
    let ended = gateway.until(&format!("/v1/calls/{call}"), |c| c["state"] == "ended").await.unwrap();
    assert_eq!(ended["end_reason"], "agent_hung_up");
    gateway.running.shutdown().await;
}

async fn a_newer_stream_of_the_same_call_takes_over(home: Home) {
    let gateway = TestGateway::start_at(&home, Doubles::default()).await.unwrap();
    let first = order(&gateway.base, LINE).await.unwrap();
    let sid = first.call_sid.clone();
    let mut old = Caller::open(first).await.unwrap();
    old.silent_ms(300).await.unwrap();
    let (_, twiml) = tests::caller::webhook(&gateway.base, LINE, &sid).await.unwrap();
    let again = tests::caller::parse(&twiml, sid.clone()).unwrap();
    let mut new = Caller::open(again).await.unwrap();
    new.silent_until(Duration::from_secs(3), |h| h.bytes() > 0).await.unwrap();
    assert!(old.closed(Duration::from_secs(3)).await.is_ok(), "the old stream is closed");
    new.silent_ms(300).await.unwrap();
    let live = gateway.get("/v1/calls?state=live").await.unwrap();
    assert_eq!(live["items"].as_array().unwrap().len(), 1);
    new.hang_up().await.unwrap();
    let transcript = gateway
        .until(&format!("/v1/calls/{sid}/transcript"), |t| {
            t["turns"].as_array().is_some_and(|t| t.len() == 2)
        })
        .await
        .unwrap();
    let turns: Vec<_> = transcript["turns"].as_array().unwrap().iter().map(|t| t["turn"].as_u64()).collect();
    assert_eq!(turns, [Some(0), Some(1)], "the second stream writes over nothing of the first: {transcript}");
    gateway.running.shutdown().await;
}

async fn a_full_machine_says_so_and_running_calls_are_untouched(carrier: Wire) {
    let mut doubles = Doubles::default();
    doubles.limits.max_calls = Some(1);
    let gateway = TestGateway::start_at_carrier(carrier.setting(), doubles).await.unwrap();
    let mut running = Caller::dial_by(carrier, &gateway.base, LINE).await.unwrap();
    running.silent_until(Duration::from_secs(3), |h| h.bytes() > 0).await.unwrap();
    let mut refused = Caller::dial_by(carrier, &gateway.base, LINE).await.unwrap();
    let heard = refused.heard.clone();
    let _ = refused.silent_until(Duration::from_secs(20), |h| h.closed.is_some()).await;
    assert!(heard.lock().bytes() > 8_000, "the busy message was spoken");
    assert!(heard.lock().closed.is_some(), "and the caller hung up on");
    let before = running.heard.lock().bytes();
    running.silent_until_quiet(Duration::from_millis(100), Duration::from_secs(8)).await.unwrap();
    running.speak_ms(800).await.unwrap();
    running.silent_until(Duration::from_secs(3), |h| h.bytes() > before).await.unwrap();
    running.hang_up().await.unwrap();
    gateway.running.shutdown().await;
}

#[tokio::test]
async fn speech_engines_at_their_limit_refuse_the_next_caller_politely() {
    let gateway = TestGateway::start(Doubles { load: 0.95, ..Doubles::default() }).await.unwrap();
    let mut refused = Caller::dial(&gateway.base, LINE).await.unwrap();
    let heard = refused.heard.clone();
    let _ = refused.silent_until(Duration::from_secs(20), |h| h.closed.is_some()).await;
    assert!(heard.lock().bytes() > 8_000 && heard.lock().closed.is_some(), "busy message, then the end");
    gateway.running.shutdown().await;
}

async fn a_stopping_gateway_lets_calls_end_and_keeps_their_record(home: Home) {
    let gateway = TestGateway::start_at(&home, Doubles::default()).await.unwrap();
    let mut caller = Caller::dial(&gateway.base, LINE).await.unwrap();
    let call = caller.order.call_sid.clone();
    caller.silent_ms(600).await.unwrap();
    gateway.running.shutdown().await;
    assert!(caller.closed(Duration::from_secs(5)).await.is_ok());
    let again = TestGateway::start_at(&home, Doubles::default()).await.unwrap();
    let ended = again.get(&format!("/v1/calls/{call}")).await.unwrap();
    assert_eq!((&ended["state"], &ended["end_reason"]), (&"ended".into(), &"draining".into()));
    again.running.shutdown().await;
}

#[tokio::test]
async fn a_stream_that_never_came_is_no_live_call() {
    let gateway = TestGateway::start(Doubles::default()).await.unwrap();
    let _: StreamOrder = order(&gateway.base, LINE).await.unwrap();
    let live = gateway.get("/v1/calls?state=live").await.unwrap();
    assert_eq!(live["items"].as_array().unwrap().len(), 0);
    gateway.running.shutdown().await;
}
