//! The model is shown what was really heard.

use std::sync::Arc;

use tokio::sync::Notify;

use super::*;

#[tokio::test]
async fn an_interrupted_answer_is_shown_as_far_as_it_was_heard() {
    let mut call = driven().await;
    let gate = Arc::new(Notify::new());
    call.model.answers(&[&[
        text("The office opens at 8. It closes at five in the afternoon. The "),
        Beat::Gate(gate),
        text("yard is closed on Sunday."),
    ]]);
    call.start(Line::said("When are you open?"), false).await;
    call.until(|heard| heard.text.contains("afternoon.")).await;
    call.cancel().await;
    call.heard("The office opens at", false).await;
    let cut = call.so_far().await;
    assert!(cut.used().iter().all(|(_, speculative)| !speculative) && !cut.used().is_empty());
    call.talk("And on Saturday?").await;
    assert_eq!(agent_texts(&call.model.shown()).last().unwrap(), "The office opens at [interrupted]");
}

#[tokio::test]
async fn a_complete_answer_that_was_cut_in_play_out_is_shortened_too() {
    let mut call = driven().await;
    call.model.answers(&[&[text("The office opens at 8. It closes at 5.")]]);
    call.say("When are you open?").await;
    call.heard("The office opens at 8.", false).await;
    call.talk("ok").await;
    assert_eq!(agent_texts(&call.model.shown()).last().unwrap(), "The office opens at 8. [interrupted]");
}

#[tokio::test]
async fn a_call_that_was_asked_for_when_the_caller_cut_in_has_a_result_all_the_same() {
    let mut call = driven().await;
    call.model.answers(&[&[
        text("Let me look, I see it. It is "),
        tool("t1", "list_free_times", json!({})),
        Beat::Hang,
    ]]);
    call.start(Line::said("When can an inspector come?"), false).await;
    call.until(|heard| !heard.text.is_empty()).await;
    call.so_far().await;
    call.cancel().await;
    call.heard("Let me", false).await;
    call.talk("Wait").await;
    let results = call.model.results();
    assert_eq!(results.len(), 1);
    assert!(results[0].id == "t1" && results[0].is_error && results[0].content.starts_with("Cancelled"));
    assert_eq!(agent_texts(&call.model.shown()).last().unwrap(), "Let me [interrupted]");
}

#[tokio::test]
async fn words_that_go_on_before_the_answer_was_heard_are_one_turn() {
    let mut call = driven().await;
    call.model.answers(&[&[text("What is your question?")], &[text("At 8.")]]);
    call.say("I have a question.").await;
    call.cancel().await;
    call.heard("", false).await;
    call.talk("I have a question. When do you open?").await;
    let callers = caller_texts(&call.model.shown());
    let said: Vec<&String> = callers.iter().filter(|t| t.contains("caller_said")).collect();
    assert_eq!(said.len(), 1, "{callers:?}");
    assert!(said[0].contains("I have a question. When do you open?"));
    assert_eq!(agent_texts(&call.model.shown()).len(), 1, "the greeting");
}

#[tokio::test]
async fn what_was_filed_in_an_unheard_turn_stays_and_is_not_filed_again() {
    let mut call = driven().await;
    let report = json!({ "what": "A van hit the fence", "where": "Riverside Park" });
    call.model.answers(&[
        &[tool("1", "file_report", report)],
        &[text("It is filed.")],
        &[text("It is filed, and we open at 8.")],
    ]);
    call.say("Yes.").await;
    call.cancel().await;
    call.heard("", false).await;
    call.talk("Yes. And when are you open?").await;
    let work = call.office.work().await;
    assert_eq!(work.len(), 1);
    let last = caller_texts(&call.model.shown()).pop().unwrap();
    assert!(last.contains("heard nothing") && last.contains("And when are you open?"), "{last}");
    assert!(!last.contains("Yes."), "answered already");
    assert!(call.model.results()[0].content.contains(&work[0].reference));
}

#[tokio::test]
async fn an_answer_resumed_after_a_mistaken_cut_is_whole_again() {
    let mut call = driven().await;
    call.model.answers(&[&[text("The office opens at 8. It closes at 5.")]]);
    call.say("When are you open?").await;
    call.heard("The office opens at 8.", false).await;
    call.turn = 50;
    call.heard("It closes at 5.", true).await;
    call.talk("ok").await;
    assert_eq!(agent_texts(&call.model.shown()).last().unwrap(), "The office opens at 8. It closes at 5.");
}
