//! Nothing grows without end, and nothing told is lost.

use super::*;

#[tokio::test]
async fn a_model_that_only_calls_tools_is_stopped_with_an_honest_sentence() {
    let mut call = driven().await;
    let again: &[Beat] = &[tool("1", "list_free_times", json!({}))];
    call.model.answers(&[again; 9]);
    let heard = call.say("When can an inspector come?").await;
    assert!(heard.text.starts_with("I'm sorry, I couldn't finish that"), "{}", heard.text);
    assert_eq!(call.model.asked(), 6);
}

#[tokio::test]
async fn more_calls_than_a_turn_may_have_are_not_done_and_each_has_a_result() {
    let mut call = driven().await;
    let report = |n: usize| {
        let input = json!({ "what": format!("thing {n}"), "where": "the park" });
        tool(&format!("t{n}"), "file_report", input)
    };
    let many: Vec<Beat> = (0..9).map(report).collect();
    call.model.answers(&[&many]);
    let heard = call.say("Report nine things").await;
    assert!(heard.text.contains("couldn't finish that"), "{}", heard.text);
    assert!(call.office.work().await.is_empty());
    call.talk("Hello?").await;
    assert_eq!(call.model.results().len(), 9);
}

#[tokio::test]
async fn a_speech_without_end_is_stopped() {
    let mut call = driven().await;
    let long: Vec<Beat> = (0..200).map(|_| text("And another thing is this one here. ")).collect();
    call.model.answers(&[&long]);
    let heard = call.say("Tell me all").await;
    assert!(heard.text.len() < 1_400, "{}", heard.text.len());
    assert_eq!(call.model.dropped(), 1);
}

#[tokio::test]
async fn an_answer_cut_by_its_length_ends_with_a_whole_sentence() {
    let mut call = driven().await;
    call.model.answers(&[&[text("It is ready. You can get it at the front"), Beat::End(Stop::Length)]]);
    assert_eq!(call.say("a card").await.text.trim(), "It is ready.");
}

#[tokio::test]
async fn a_very_long_turn_of_the_caller_is_shown_shortened() {
    let mut call = driven().await;
    call.talk(&"blah ".repeat(3_000)).await;
    assert!(caller_texts(&call.model.shown()).pop().unwrap().len() < 8_000);
}

#[tokio::test]
async fn an_intake_cut_off_by_hanging_up_is_kept_for_a_person() {
    let mut call = driven_with(with_number, true).await;
    call.model.answers(&[&[text("I'm sorry to hear that. Where did it happen?")]]);
    call.talk("A delivery van hit a fence and drove off").await;
    let id = call.brief.passport;
    let Driven { office, stream, _clock, .. } = call;
    drop((stream, _clock));
    assert_eq!(office.closed(id).await.0, "in_progress");
    let work = office.work().await;
    assert_eq!((work.len(), work[0].kind.as_str()), (1, "message"));
    assert_eq!(work[0].fields["incomplete"], true);
    assert!(work[0].fields["message"].to_string().contains("hit a fence"));
    assert_eq!(work[0].fields["phone"], "+12025550177");
}

#[tokio::test]
async fn an_answered_question_leaves_no_work_behind() {
    let mut call = driven().await;
    call.model.answers(&[&[text("At 8. Is there anything else?")]]);
    call.talk("When do you open?").await;
    let id = call.brief.passport;
    let Driven { office, stream, _clock, .. } = call;
    drop((stream, _clock));
    assert_eq!(office.closed(id).await.0, "completed");
    assert!(office.work().await.is_empty());
}
