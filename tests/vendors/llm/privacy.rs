//! Keys and a caller's words show up nowhere but at the provider.

use tests::vendors::anthropic::AnthropicServer;
use tests::vendors::fault::Fault;
use tests::vendors::model::{Script, Step};
use tests::vendors::openai::{Habits, OpenAiServer};

use super::*;

const WORDS: &str = "Jane Doe of Elm Street";

#[tokio::test]
async fn failures_notes_and_whatever_can_be_printed_hold_no_key_and_no_words() {
    // The servers quote the request in their errors, as real ones do.
    let broken = |_: &Value| Script::say("Sure ").then(Step::Break(WORDS.into()));
    let a = AnthropicServer::start(Pace::QUICK, broken).await;
    let habits = Habits { flat_errors: true, ..Habits::default() };
    let b = OpenAiServer::like(habits, Pace::QUICK, broken).await;
    let (claude, chat) = (claude_at(a.base()), chat_at(b.base()));
    let mut shown = format!("{:?} {:?}", claude_settings(a.base()), chat_settings(b.base()));
    let faults = [400, 401, 403, 429, 500, 529].map(|status| Fault::Status { status, retry_after: None });
    for fault in faults.into_iter().chain([Fault::Garbage, Fault::None, Fault::ErrorFrame(WORDS.into())]) {
        a.faults.set(fault.clone());
        b.faults.set(fault);
        let model = ranked(&[&claude, &chat]);
        let heard = ask(&model, vec![caller(WORDS)]).await;
        let failure = heard.failure.clone().unwrap();
        assert_eq!(heard.states().last().unwrap().1, ProviderState::Exhausted);
        shown += &format!("{model:?} {:?} {failure:?} {failure} {:?}\n", heard.notes, heard.tally);
    }
    let both = [claude::KEY, super::chat::KEY, "Jane", "Doe", "Elm Street", "Riverbend", "Sure"];
    for secret in both {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
    assert!(shown.contains("status 529 overloaded_error"), "{shown}");
}
