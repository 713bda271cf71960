//! When a person should look at a call that a model answers.

use pipeline::event::AttentionReason as Reason;

use super::*;

#[tokio::test]
async fn two_replies_in_a_row_that_did_not_understand_are_told() {
    let mut call = driven().await;
    let miss = || text("I'm sorry, I didn't understand that. Could you say it another way?");
    call.model.answers(&[&[miss()], &[text("The office opens at eight.")], &[miss()], &[miss()]]);
    assert_eq!(call.talk("say what now").await.reasons(), []);
    assert_eq!(call.talk("When do you open").await.reasons(), []);
    assert_eq!(call.talk("uh the thingy").await.reasons(), [], "the first of a new row");
    assert_eq!(call.talk("blah blah the thing").await.reasons(), [Reason::Misunderstood]);
}

#[tokio::test]
async fn a_caller_who_is_upset_asks_for_a_person_or_is_in_danger_is_told() {
    let mut call = driven_with(with_number, true).await;
    call.model.answers(&[
        &[text("I'm sorry about that. Which street is it?")],
        &[tool("1", "request_person", json!({ "reason": "a street light", "phone": "caller" }))],
        &[text("Somebody will call you.")],
        &[text("Please hang up and dial 911 now. "), tool("2", "mark_urgent", json!({ "kind": "medical" }))],
        &[text("Are you calling 911?")],
    ]);
    assert_eq!(call.talk("This stupid machine, you are useless").await.reasons(), [Reason::Distress]);
    assert_eq!(call.talk("Let me talk to somebody").await.reasons(), [Reason::PersonAsked]);
    assert_eq!(call.talk("he looks really pale and odd").await.reasons(), [Reason::Emergency]);
}

#[tokio::test]
async fn an_emergency_that_never_reaches_the_model_is_told_too() {
    let mut call = driven().await;
    assert_eq!(call.talk("My house is on fire!").await.reasons(), [Reason::Emergency]);
}
