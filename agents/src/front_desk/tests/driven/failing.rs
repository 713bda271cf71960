//! When the model fails: the built-in dialogue, or honest words.

use pipeline::ports::ProviderState;
use pipeline::provider::Kind;

use super::*;

fn notes(heard: &Heard) -> Vec<(String, ProviderState)> {
    heard
        .events
        .iter()
        .filter_map(
            |e| if let ReplyEvent::Provider(n) = e { Some((n.provider.clone(), n.state)) } else { None },
        )
        .collect()
}

#[tokio::test]
async fn a_model_that_fails_before_a_word_is_stood_in_for_and_asked_again_next_turn() {
    let mut call = driven().await;
    call.model.answers(&[&[Beat::Fail(Kind::Overloaded)], &[text("Good to hear.")]]);
    let heard = call.talk("When are you open?").await;
    assert!(heard.text.contains("8 a.m."), "{}", heard.text);
    assert_eq!(notes(&heard), [("builtin".to_owned(), ProviderState::TookOver)]);
    assert_eq!(heard.used(), [(100, false)], "the failed attempt's cost is told");
    let next = call.talk("Thank you").await;
    assert_eq!(next.text.trim(), "Good to hear.");
    assert_eq!(notes(&next), [("scripted".to_owned(), ProviderState::Recovered)]);
    let shown = call.model.shown_text();
    assert!(
        shown.contains("When are you open?") && shown.contains("8 a.m."),
        "its words are part of the talk: {shown}"
    );
}

#[tokio::test]
async fn a_task_of_the_dialogue_goes_on_over_failures_and_ends_once_the_model_files_it() {
    let mut call = driven().await;
    let fail: &[Beat] = &[Beat::Fail(Kind::Server)];
    let report = json!({ "what": "A van hit the fence", "where": "Riverside Park" });
    call.model.answers(&[fail, fail, fail, &[tool("1", "file_report", report)], &[text("Filed.")]]);
    call.talk("I want to report an accident").await;
    call.talk("A delivery van hit the fence").await;
    let heard = call.talk("At Riverside Park").await;
    assert!(heard.text.contains("When"), "{}", heard.text);
    call.talk("Yesterday, and that is all I know").await;
    let id = call.brief.passport;
    let Driven { office, stream, _clock, .. } = call;
    drop((stream, _clock));
    office.closed(id).await;
    assert_eq!(office.work().await.len(), 1, "not filed a second time as unfinished");
}

#[tokio::test]
async fn a_guess_that_fails_is_answered_by_the_dialogue_without_effect() {
    let mut call = driven().await;
    call.model.answers(&[&[Beat::Fail(Kind::Server)]]);
    call.start(Line::said("When are you open?"), true).await;
    let guess = call.so_far().await;
    assert!(guess.text.contains("8 a.m.") && guess.used().is_empty(), "{:?}", guess.events);
    call.cancel().await;
    assert_eq!(call.so_far().await.used(), [(100, true)]);
    call.talk("Hello").await;
    assert_eq!(agent_texts(&call.model.shown()).len(), 1, "the greeting alone");
}

#[tokio::test]
async fn after_the_first_words_the_caller_is_asked_to_ask_for_the_rest() {
    let mut call = driven().await;
    call.model.answers(&[&[text("The office opens early. And on "), Beat::Fail(Kind::Closed)]]);
    let heard = call.say("When are you open?").await;
    assert_eq!(
        heard.text.trim(),
        "The office opens early. I'm sorry, I lost the rest of that. Could you ask me for it again?"
    );
    assert!(notes(&heard).is_empty());
}

#[tokio::test]
async fn without_a_fallback_the_failure_is_told() {
    let mut call = driven_with(|brief| brief, false).await;
    call.model.answers(&[&[Beat::Fail(Kind::Unauthorised)], &[text("Hello.")]]);
    let heard = call.say("When are you open?").await;
    let reason = heard
        .events
        .iter()
        .find_map(|e| if let ReplyEvent::Failed { reason, .. } = e { Some(reason) } else { None });
    assert_eq!(reason.unwrap(), "language model: unauthorised");
    assert_eq!(call.say("Hello?").await.text.trim(), "Hello.");
}

#[tokio::test]
async fn a_model_that_never_answers_is_given_up_before_the_session_apologises() {
    let mut call = driven().await;
    call.model.answers(&[&[Beat::Hang]]);
    call.start(Line::said("When are you open?"), false).await;
    call.advance(5_900).await;
    assert_eq!(call.so_far().await.text, "");
    call.advance(200).await;
    let heard = call.reply().await;
    assert!(heard.text.contains("8 a.m."), "{}", heard.text);
    assert_eq!(call.model.dropped(), 1);
}

#[tokio::test]
async fn what_was_filed_is_told_even_if_the_model_fails_after_it() {
    let mut call = driven().await;
    let report = json!({ "what": "A van hit the fence", "where": "Riverside Park" });
    call.model.answers(&[&[tool("1", "file_report", report)], &[Beat::Fail(Kind::Stalled)]]);
    let heard = call.say("Yes.").await;
    let work = call.office.work().await;
    assert_eq!(work.len(), 1, "and the dialogue did not file it too");
    assert_eq!(heard.text.trim(), format!("Your reference number is {}.", work[0].reference));
}

#[tokio::test]
async fn emergency_words_are_answered_at_once_and_the_model_is_not_asked() {
    let mut call = driven().await;
    let heard = call.talk("My house is on fire!").await;
    assert!(heard.text.contains("911"), "{}", heard.text);
    assert_eq!(call.model.asked(), 0);
    let (_, document) = call.office.passport(call.brief.passport).await.unwrap();
    assert_eq!(document["routing"]["priority"], "urgent");
    let keyed = call.turn(TurnInput::Digits { digits: "911".into() }).await;
    assert!(keyed.text.contains("911") && call.model.asked() == 0);
    call.talk("It's out now").await;
    let shown = call.model.shown_text();
    assert!(shown.contains("My house is on fire!") && shown.contains("911"), "{shown}");
}
