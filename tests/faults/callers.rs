//! Callers on a line whose store fails: what they hear, and what must be on record of it.

use std::time::Duration;

use pipeline::session::Phrases;
use tests::caller::Caller;
use tests::doubles::HummingVoice;
use tests::gateway::{Doubles, LINE, TestGateway};
use tests::home::Home;
use tests::home::private_postgres::Cluster;

/// What the scripted responder answers to everything.
pub const ANSWER: &str = "The office is open from eight to five. Can I help you with anything else?";
/// What callers are understood to say, in turn.
pub const SAID: [&str; 2] = ["When is the office open?", "And on Sundays?"];
/// Longest silence after a caller's words, whatever fails.
const LONGEST_SILENCE: Duration = Duration::from_secs(10);
/// Longest wait for the end of what is being said.
const TO_THE_END: Duration = Duration::from_secs(15);
/// Of a spoken character: sentences are told apart by their length.
const LETTER_MS: usize = 20;

pub fn home_on(cluster: &Cluster) -> Home {
    Home { database: Some(cluster.database()), ..Home::sqlite().unwrap() }
}

/// With a voice whose sentences are heard in a second or two.
pub fn brisk() -> Doubles {
    let voice = HummingVoice { letter_ms: LETTER_MS, ..HummingVoice::default() };
    Doubles { tts: std::sync::Arc::new(voice), ..Doubles::default() }
}

pub async fn greeted(gateway: &TestGateway) -> Caller {
    let mut caller = Caller::dial(&gateway.base, LINE).await.unwrap();
    caller.silent_until(Duration::from_secs(3), |h| h.bytes() > 0).await.unwrap();
    caller.silent_until_quiet(Duration::from_millis(200), Duration::from_secs(8)).await.unwrap();
    caller
}

/// Says something; whether anything was heard within `limit`.
pub async fn asks(caller: &mut Caller, limit: Duration) -> bool {
    let before = caller.heard.lock().bytes();
    let spoken = caller.speak_ms(1_000).await;
    spoken.is_ok() && caller.silent_until(limit, |h| h.bytes() > before || h.closed.is_some()).await.is_ok()
}

/// What came of a caller's words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Told {
    /// The whole answer: a promise that it is on record.
    Answer,
    /// That the line is out of order, and then the line was closed.
    Apology,
}

/// Says something to a line with a brisk voice, and listens to the end.
pub async fn told(caller: &mut Caller) -> Told {
    let before = caller.heard.lock().bytes();
    assert!(asks(caller, LONGEST_SILENCE).await, "nothing was heard within {LONGEST_SILENCE:?}");
    let quiet = Duration::from_millis(1_000);
    // A line that is closed takes no more frames.
    let _ = caller.silent_until_quiet(quiet, TO_THE_END).await;
    let heard = caller.heard.lock();
    let bytes = heard.bytes() - before;
    let spoken = |text: &str| text.len() * LETTER_MS * 8 * 9 / 10;
    let apologies = [Phrases::default().out_of_order, Phrases::default().call_back_promised];
    let shortest = apologies.iter().map(|text| spoken(text)).min().unwrap();
    match heard.closed {
        Some(_) if bytes >= shortest => Told::Apology,
        None if bytes >= spoken(ANSWER) => Told::Answer,
        closed => panic!("neither answer nor apology: {bytes} bytes, closed: {closed:?}"),
    }
}

/// Greeted, asked, answered, on record and over.
pub async fn whole_call(gateway: &TestGateway) {
    let mut caller = greeted(gateway).await;
    let sid = caller.order.call_sid.clone();
    assert!(asks(&mut caller, Duration::from_secs(4)).await);
    caller.silent_until_quiet(Duration::from_millis(200), Duration::from_secs(8)).await.unwrap();
    caller.hang_up().await.unwrap();
    let call = gateway.until(&format!("/v1/calls/{sid}"), |c| c["state"] == "ended").await.unwrap();
    assert_eq!(call["end_reason"], "caller_hung_up");
    let transcript = gateway.get(&format!("/v1/calls/{sid}/transcript")).await.unwrap().to_string();
    assert!(transcript.contains(SAID[0]), "{transcript}");
}

pub async fn none_is_live(gateway: &TestGateway) {
    let limit = Duration::from_secs(20);
    let live = |calls: &serde_json::Value| calls.to_string().contains("\"state\":\"live\"");
    gateway.until_within(limit, "/v1/calls", |calls| !live(calls)).await.unwrap();
}

/// All that a caller was told in `told` is on the record of their call, word for word.
pub async fn promises_are_kept(gateway: &TestGateway, call_sid: &str, told: &[Told]) {
    let path = format!("/v1/calls/{call_sid}/transcript");
    let transcript = gateway.get(&path).await.unwrap();
    let turns = transcript["turns"].as_array().unwrap();
    let by = |speaker: &str, text: &str| {
        turns.iter().filter(|turn| turn["speaker"] == speaker && turn["text"] == text).count()
    };
    let answers = told.iter().filter(|told| **told == Told::Answer).count();
    assert!(by("agent", ANSWER) >= answers, "{told:?}: {transcript}");
    for said in SAID.iter().take(answers) {
        assert_eq!(by("caller", said), 1, "{told:?}: {transcript}");
    }
}
