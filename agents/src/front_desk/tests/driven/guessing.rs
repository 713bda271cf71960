//! Replies begun on a guess: nothing is written, nothing is remembered, and the cost is told.

use super::*;

fn report() -> Value {
    json!({ "what": "A van hit the fence", "where": "Riverside Park" })
}

#[tokio::test]
async fn a_guess_speaks_reads_and_waits_with_what_writes() {
    let mut call = driven().await;
    call.model.answers(&[
        &[text("Let me see. "), tool("1", "list_free_times", json!({}))],
        &[text("I'll file it now, one moment. "), tool("2", "file_report", report())],
        &[text("It is filed.")],
    ]);
    call.start(Line::said("Yes."), true).await;
    let mut before = call.until(|heard| heard.text.contains("one moment.")).await;
    call.so_far().await.events.into_iter().for_each(|event| before.take(event));
    assert_eq!(before.text, "Let me see. I'll file it now, one moment. ");
    assert!(!before.ended && before.tools().is_empty(), "{:?}", before.events);
    assert!(call.office.work().await.is_empty());
    assert_eq!(call.model.asked(), 2, "the reading tool ran");
    call.commit().await;
    call.commit().await;
    let after = call.reply().await;
    let work = call.office.work().await;
    assert_eq!(work.len(), 1);
    assert!(after.text.contains(&work[0].reference), "{}", after.text);
    assert_eq!(after.tools(), [("list_free_times", true), ("file_report", true)]);
    assert!(after.used().iter().all(|(_, speculative)| !speculative) && !after.used().is_empty());
}

#[tokio::test]
async fn a_guess_that_is_dropped_leaves_nothing_but_its_cost() {
    let mut call = driven().await;
    call.model.answers(&[
        &[tool("1", "list_free_times", json!({}))],
        &[text("Let me file it. "), tool("2", "file_report", report())],
        &[text("Of course.")],
    ]);
    call.start(Line::said("My number is 202-555-0143."), true).await;
    call.until(|heard| heard.text.contains("Let me file it.")).await;
    call.cancel().await;
    let dropped = call.so_far().await;
    let used = dropped.used();
    assert!(used.len() >= 2 && used.iter().all(|(_, speculative)| *speculative), "{used:?}");
    assert!(dropped.tools().is_empty());
    call.talk("Hello there").await;
    assert!(call.office.work().await.is_empty());
    let shown = call.model.shown();
    assert_eq!(shown.len(), 3, "greeting and this turn alone: {shown:?}");
    assert!(!call.model.shown_text().contains("phone:1"));
    let (_, document) = call.office.passport(call.brief.passport).await.unwrap();
    assert_eq!(document["ledger"].as_array().unwrap().len(), 2, "greeting and this turn");
}

#[tokio::test]
async fn what_a_dropped_guess_learned_is_forgotten() {
    let mut call = driven().await;
    let book = json!({ "time": "time_1", "address": "1 Main Street", "name": "Ana", "phone": "⟨phone:1⟩" });
    call.model.answers(&[
        &[tool("1", "list_free_times", json!({}))],
        &[text("I see a few times, let me tell you. ")],
        &[tool("2", "book_inspection", book)],
        &[text("Sorry.")],
    ]);
    call.start(Line::said("My number is 202-555-0143."), true).await;
    call.until(|heard| heard.ended).await;
    call.cancel().await;
    call.talk("It's 202-555-0188.").await;
    assert!(
        caller_texts(&call.model.shown()).pop().unwrap().contains("⟨phone:1⟩"),
        "the first number of the call"
    );
    let refused = &call.model.results()[0].content;
    assert!(refused.contains("time must be the name of a time"), "{refused}");
    assert!(call.office.work().await.is_empty());
}

#[tokio::test]
async fn cancelling_lets_go_of_the_models_stream_at_once() {
    let mut call = driven().await;
    call.model.answers(&[&[text("Well, let me think, it is about "), Beat::Hang]]);
    call.start(Line::said("What about it?"), true).await;
    call.until(|heard| !heard.text.is_empty()).await;
    assert_eq!(call.model.dropped(), 0);
    call.cancel().await;
    let heard = call.so_far().await;
    assert_eq!(call.model.dropped(), 1);
    assert_eq!(heard.used(), [(100, true), (7, true)]);
}

#[tokio::test]
async fn the_same_words_begun_again_use_the_run_that_is_there() {
    let mut call = driven().await;
    call.model.answers(&[&[text("The office opens at 8. "), text("Anything else?")]]);
    call.start(Line::said("When do you open?"), true).await;
    let first = call.until(|heard| heard.ended).await;
    call.start(Line::said("When do you open?"), false).await;
    let again = call.reply().await;
    assert_eq!(again.text, first.text);
    assert!(again.segments().iter().all(|s| s.id.turn == TurnId(2)));
    assert_eq!(call.model.asked(), 1);
    assert_eq!(again.used().len(), 2, "told once");
}

#[tokio::test]
async fn a_finished_guess_counts_from_its_commit() {
    let mut call = driven().await;
    call.model.answers(&[&[text("The office opens at 8.")]]);
    call.start(Line::said("When do you open?"), true).await;
    let mut before = call.until(|heard| heard.ended).await;
    call.so_far().await.events.into_iter().for_each(|event| before.take(event));
    assert!(before.ended && before.used().is_empty());
    call.commit().await;
    let after = call.so_far().await;
    assert_eq!(after.used(), [(100, false), (5, false)]);
    assert!(after.segments().is_empty(), "said once");
    call.talk("thanks").await;
    assert_eq!(agent_texts(&call.model.shown()).last().unwrap(), "The office opens at 8.");
}

#[tokio::test]
async fn other_words_drop_the_guess_and_tell_its_cost() {
    let mut call = driven().await;
    call.model.answers(&[&[text("One."), Beat::Hang], &[text("Two.")]]);
    call.start(Line::said("one"), true).await;
    call.so_far().await;
    let heard = call.say("one and two").await;
    assert_eq!(heard.text.trim(), "Two.");
    assert_eq!(heard.used().iter().filter(|(_, speculative)| *speculative).count(), 2);
    assert_eq!(call.model.dropped(), 1);
}
