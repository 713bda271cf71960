//! Callers who keep calling, whatever happens to the line, and note what they were told.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use caller::replay::chance::Chance;
use parking_lot::Mutex;
use tests::caller::Caller;
use tests::gateway::LINE;
use tests::sounds::voice;
use tests::vendors::model::Script;
use tests::vendors::tone::VoiceOptions;
use tokio::time::{Instant, sleep};

use crate::child::Process;

/// What callers are understood to say, in turn; every second one is a request that must not be forgotten.
pub const SAID: [&str; 2] =
    ["When is the permit office open?", "Please have somebody call me back about my street light."];
/// What the model says to a question: longer than any fixed phrase, so that a caller can tell it by its length.
pub const ANSWER: &str = "The permit office is open from eight in the morning until five in the afternoon, Monday to \
    Friday. It is closed on holidays. You can also use the county's web site at any time, where most forms can be \
    filled in and sent without coming to the office, and where you can see how far an application has come.";
/// What it says once a request is on record; the reference comes before it.
const FILED: &str = "Somebody will call you back about your street light at the number that you are calling from. They \
    have what you told me, so you need not explain it again. If it gets worse in the meantime, please call this \
    number again at any time of the day, and give the reference number that I just told you.";
/// Length of a spoken character.
pub const LETTER_MS: u32 = 20;
/// A reply must be heard at all within this, whatever fails, while the gateway lives.
const LONGEST_SILENCE: Duration = Duration::from_secs(15);

/// The simulated model: answers a question, files a request for a call, and tells its reference.
pub fn model(request: &serde_json::Value) -> Script {
    let last = request["messages"].as_array().and_then(|all| all.last()).map(ToString::to_string);
    let last = last.unwrap_or_default();
    if last.contains("tool_result") {
        let reference = last.split("Reference number: ").nth(1);
        let reference =
            reference.map(|rest| rest.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).next());
        return match reference.flatten() {
            Some(reference) if !reference.is_empty() => {
                Script::say(&format!("Your reference number is {reference}. {FILED}"))
            }
            _ => Script::say("I'm sorry, I could not put that on record. Please try again in a moment."),
        };
    }
    if last.contains("call me back") {
        let wish = serde_json::json!({ "about": "a street light", "phone": "caller" });
        return Script::call("request_callback", wish);
    }
    Script::say(ANSWER)
}

/// One call as its caller remembers it.
#[derive(Clone, Debug, Default)]
pub struct Remembered {
    pub call_sid: String,
    /// Replies of the model that were heard nearly whole: each is a promise.
    pub replies_heard: usize,
    /// Turns after which nothing was heard while the line stood.
    pub left_in_silence: usize,
    /// The line went dead before the caller hung up.
    pub cut_off: bool,
}

/// What all callers remember.
#[derive(Debug, Default)]
pub struct Diary {
    pub calls: Mutex<Vec<Remembered>>,
    /// Attempts that did not become a call: refused, or nobody there.
    pub refused: Mutex<usize>,
    pub stop: AtomicBool,
}

/// Calls again and again until told to stop.
pub async fn keep_calling(process: Arc<Process>, diary: Arc<Diary>, seed: u64, number: u64) {
    let mut chance = Chance::of(seed, number);
    sleep(chance.up_to(Duration::from_secs(2))).await;
    while !diary.stop.load(Ordering::Relaxed) {
        let dialed = match process.base() {
            Some(base) => Caller::dial(&base, LINE).await.ok(),
            None => None,
        };
        let Some(mut caller) = dialed else {
            *diary.refused.lock() += 1;
            sleep(Duration::from_millis(300)).await;
            continue;
        };
        let mut remembered = Remembered { call_sid: caller.order.call_sid.clone(), ..Remembered::default() };
        remembered.cut_off = converse(&mut caller, &mut remembered, &mut chance).await.is_err();
        diary.calls.lock().push(remembered);
        // One in four does not hang up but lets the line go dead.
        if chance.below(4) > 0 {
            let _ = caller.hang_up().await;
        }
        sleep(chance.up_to(Duration::from_millis(500))).await;
    }
}

/// A greeting and one to four turns, some of which interrupt the reply before.
async fn converse(
    caller: &mut Caller,
    remembered: &mut Remembered,
    chance: &mut Chance,
) -> anyhow::Result<()> {
    let quiet = Duration::from_millis(600);
    caller.silent_until(LONGEST_SILENCE, |heard| heard.bytes() > 0 || heard.closed.is_some()).await?;
    let greeting = if chance.below(3) == 0 { Duration::from_millis(900) } else { Duration::from_secs(20) };
    let _ = caller.silent_until_quiet(quiet, greeting).await;
    for _ in 0..=chance.below(4) {
        let before = caller.heard.lock().bytes();
        caller.speak(&voice(1_250)).await?;
        let asked = Instant::now();
        let heard = caller
            .silent_until(LONGEST_SILENCE, |heard| heard.bytes() > before || heard.closed.is_some())
            .await;
        anyhow::ensure!(caller.heard.lock().closed.is_none(), "the gateway closed the stream");
        if heard.is_err() {
            // A socket whose other side is gone may take a while to say so.
            anyhow::ensure!(asked.elapsed() >= LONGEST_SILENCE, "the line is dead");
            remembered.left_in_silence += 1;
            continue;
        }
        let patience =
            if chance.below(4) == 0 { Duration::from_millis(800) } else { Duration::from_secs(25) };
        let ended = caller.silent_until_quiet(quiet, patience).await;
        let bytes = caller.heard.lock().bytes() - before;
        if ended.is_ok() && bytes >= whole_reply() {
            remembered.replies_heard += 1;
        }
        anyhow::ensure!(caller.heard.lock().closed.is_none(), "the gateway closed the stream");
    }
    Ok(())
}

/// Bytes of nearly all of the model's shortest reply.
fn whole_reply() -> usize {
    let voice = VoiceOptions { letter_ms: LETTER_MS, ..VoiceOptions::default() };
    voice.bytes_of(ANSWER).min(voice.bytes_of(FILED)) * 9 / 10
}
