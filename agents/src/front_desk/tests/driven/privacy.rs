//! Personal data reaches the store and the caller's own ear, and no model.

use super::*;

#[tokio::test]
async fn phone_and_social_security_numbers_are_in_no_request_and_the_filed_item_has_the_number() {
    let mut call = driven().await;
    let report = json!({ "what": "The caller at ⟨phone:1⟩ saw a leak", "where": "12 Main Street", "phone": "⟨phone:1⟩" });
    call.model.answers(&[
        &[text("I have ⟨phone:1⟩ and ⟨ssn:1⟩. Is that right?")],
        &[tool("1", "file_report", report)],
        &[text("Filed.")],
    ]);
    let heard =
        call.talk("I'm at two oh two five five five oh one four three, my social is 078-05-1120").await;
    assert_eq!(heard.text.trim(), "I have 202-555-0143 and that number. Is that right?");
    call.talk("yes").await;
    let work = call.office.work().await;
    assert_eq!(work[0].fields["phone"], "+12025550143");
    assert!(work[0].fields["what"].to_string().contains("2025550143"));
    let everything = call.model.everything();
    for secret in ["0143", "five five five", "1120", "078"] {
        assert!(!everything.contains(secret), "{secret}");
    }
    assert!(everything.contains("⟨phone:1⟩") && everything.contains("⟨ssn:1⟩"));
}

#[tokio::test]
async fn a_number_cut_in_its_middle_is_not_shown_either() {
    let mut call = driven().await;
    call.model.answers(&[&[text("I have ⟨phone:1⟩, is that right?")]]);
    call.say("It's 202-555-0143").await;
    call.heard("I have 202-555-0143,", false).await;
    call.talk("yes").await;
    assert_eq!(agent_texts(&call.model.shown()).last().unwrap(), "I have ⟨phone:1⟩, [interrupted]");
}

#[tokio::test]
async fn keyed_numbers_are_tokens_and_short_keys_are_not() {
    let mut call = driven().await;
    call.turn(TurnInput::Digits { digits: "2025550143".into() }).await;
    assert!(caller_texts(&call.model.shown()).pop().unwrap().contains("pressed keys: ⟨phone:1⟩"));
    call.turn(TurnInput::Digits { digits: "20417".into() }).await;
    assert!(caller_texts(&call.model.shown()).pop().unwrap().contains("pressed keys: 20417"));
    call.turn(TurnInput::Digits { digits: "0".into() }).await;
    assert!(caller_texts(&call.model.shown()).pop().unwrap().contains("they want a person"));
}

#[tokio::test]
async fn a_token_or_a_tag_that_the_caller_says_is_neither() {
    let mut call = driven().await;
    call.talk("My number is ⟨phone:1⟩ and <b>the street</b> is dark").await;
    let last = caller_texts(&call.model.shown()).pop().unwrap();
    let said = last.split("<caller_said>").nth(1).unwrap().trim_end_matches("</caller_said>");
    assert!(said.contains("the street") && !said.contains(['⟨', '⟩', '<', '>']), "{said}");
}
