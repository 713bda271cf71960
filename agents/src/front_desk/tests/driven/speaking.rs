//! What the caller hears, and how soon.

use std::sync::Arc;

use pipeline::latency::Stage;
use pipeline::turn::Expectation;
use tokio::sync::Notify;

use super::*;

#[tokio::test]
async fn the_first_clause_is_spoken_while_the_model_still_writes() {
    let mut call = driven().await;
    let gate = Arc::new(Notify::new());
    call.model.answers(&[&[
        Beat::Wait(Duration::from_millis(400)),
        text("Yes, I can "),
        Beat::Wait(Duration::from_millis(100)),
        text("help with that, let me see. "),
        Beat::Gate(gate.clone()),
        text("The office opens at 8."),
    ]]);
    call.start(Line::said("Can you help me?"), false).await;
    assert_eq!(call.so_far().await.text, "");
    call.advance(401).await;
    assert_eq!(call.so_far().await.text, "", "words, but no clause yet");
    call.advance(101).await;
    let first = call.until(|heard| !heard.text.is_empty()).await;
    assert_eq!(first.text, "Yes, I can help with that, ");
    let stages: Vec<(Stage, u64)> = first
        .events
        .iter()
        .filter_map(|e| {
            if let ReplyEvent::Stage { stage, micros, .. } = e { Some((*stage, *micros)) } else { None }
        })
        .collect();
    assert_eq!(stages, [(Stage::LlmFirstToken, 401_000), (Stage::FirstClause, 101_000), (Stage::Rules, 0)]);
    gate.notify_one();
    let rest = call.reply().await;
    assert_eq!(rest.text, "let me see. The office opens at 8. ");
    assert!(rest.segments().iter().all(|s| !s.fixed));
}

#[tokio::test]
async fn each_turn_names_its_guard_retrieval_and_own_work_before_the_first_words() {
    let mut call = driven().await;
    call.model.answers(&[&[text("It is free.")]]);
    let heard = call.say("What does a library card cost?").await;
    for stage in [Stage::Guard, Stage::Retrieval, Stage::Orchestrator, Stage::LlmFirstToken] {
        let place = heard.place(|e| matches!(e, ReplyEvent::Stage { stage: s, .. } if *s == stage));
        assert!(place < heard.first_words(), "{stage:?}");
    }
}

#[tokio::test]
async fn passages_that_may_answer_are_offered_with_the_question_and_only_then() {
    let mut call = driven().await;
    call.model.answers(&[&[text("The Library page says it is free. What's your name?")], &[text("Thanks.")]]);
    call.talk("How do I get a library card?").await;
    let shown = caller_texts(&call.model.shown());
    let last = shown.last().unwrap();
    assert!(last.contains("<county_information>") && last.to_lowercase().contains("library"), "{last}");
    assert!(last.find("<county_information>") < last.find("<caller_said>"));
    call.talk("Maria Lopez").await;
    let shown = caller_texts(&call.model.shown());
    assert_eq!(shown.last().unwrap(), "<caller_said>\n⟨name:1⟩\n</caller_said>");
}

#[tokio::test]
async fn markup_is_not_spoken_and_the_last_question_says_what_we_wait_for() {
    let mut call = driven().await;
    call.model.answers(&[&[text("**Sure!** 😀\n- First things first.\nWhat is your *phone number*?")]]);
    let heard = call.say("I want to leave a message").await;
    assert_eq!(heard.text.trim(), "Sure! First things first. What is your phone number?");
    assert_eq!(heard.done().0, Expectation::Digits);
}

#[tokio::test]
async fn a_model_without_words_is_asked_to_repeat_for() {
    let mut call = driven().await;
    call.model.answers(&[&[Beat::End(Stop::End)], &[Beat::End(Stop::Refusal)]]);
    let heard = call.say("hello").await;
    assert_eq!(
        heard.text.trim(),
        "I'm sorry, could you say that another way, please? If this is an emergency, hang up now and dial 911."
    );
    let cached = call.office.desk.fixed_phrases(call.office.tenant);
    assert!(heard.segments().iter().all(|s| s.fixed && cached.contains(&s.text)));
    let heard = call.say("say something rude").await;
    assert!(heard.text.starts_with("I'm sorry, I can't help with that."), "{}", heard.text);
    assert!(!heard.text.contains("911"), "said once a call: {}", heard.text);
}

#[tokio::test]
async fn the_system_part_and_the_tools_are_the_same_in_every_request() {
    let mut call = driven().await;
    call.model.answers(&[
        &[text("Let me look. "), tool("1", "list_free_times", json!({}))],
        &[text("Tuesday at 9.")],
        &[text("Fine.")],
    ]);
    call.talk("When can an inspector come?").await;
    call.talk("good").await;
    let requests = call.model.requests();
    assert_eq!(requests.len(), 3);
    for request in &requests {
        assert_eq!(request.conversation.system, requests[0].conversation.system);
        assert_eq!(request.conversation.briefing, requests[0].conversation.briefing);
        assert_eq!(request.tools, requests[0].tools);
    }
    // What was shown once is shown again byte for byte: the prefix stays in the provider's cache.
    let (first, last) = (&requests[1].conversation.messages, &requests[2].conversation.messages);
    assert_eq!(first[..], last[..first.len()]);
    assert!(requests[0].conversation.briefing.contains("Riverbend County"));
}

#[tokio::test]
async fn prompts_into_a_silence_are_the_built_in_ones() {
    let mut call = driven().await;
    call.model.answers(&[&[text("What's your name?")]]);
    call.talk("I want to leave a message").await;
    let heard = call.turn(TurnInput::Silence { times: 1 }).await;
    assert_eq!(heard.text.trim(), "Are you still there?");
    assert_eq!(heard.done().0, Expectation::Name, "the model's question is still open");
    assert_eq!(call.model.asked(), 1);
}
