//! The Passport of a call that a model answered says what was asked, as that of the built-in agent does.

use super::*;

/// What each turn of a model was about, as the ledger names it.
async fn asked(call: &Driven) -> Vec<String> {
    let (_, document) = call.office.passport(call.brief.passport).await.unwrap();
    let turns = document["ledger"].as_array().unwrap().iter();
    let by_model = turns
        .filter(|entry| entry["outputs_summary"].as_str().is_some_and(|did| did.starts_with("answered by")));
    by_model.map(|entry| entry["inputs_summary"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn what_was_asked_is_told_by_the_callers_words() {
    let mut call = driven().await;
    call.model.answers(&[
        &[text("A dog license costs ten dollars. Anything else?")],
        &[text("It takes about a week.")],
        &[text("I am sorry to hear that. Where is it?")],
        &[text("Thank you. Is anybody hurt?")],
        &[text("I will see that a person calls you.")],
    ]);
    for words in [
        "How much is a dog license?",
        "And how long does that take?",
        "I want to report a pothole.",
        "41 Oak Street",
        "I would like to speak to a person.",
    ] {
        call.talk(words).await;
    }
    assert_eq!(asked(&call).await, ["question", "when_done", "incident", "speech", "person"]);
}

#[tokio::test]
async fn what_the_model_did_says_more_than_the_words() {
    let mut call = driven_with(with_number, true).await;
    let report = json!({ "what": "A van hit the fence", "where": "Riverside Park", "injured": "no", "name": "Ana Lopez" });
    call.model.answers(&[
        &[tool("t1", "search_knowledge", json!({ "query": "fence" }))],
        &[text("One moment. "), tool("t2", "file_report", report)],
        &[text("It is filed.")],
        &[tool("t3", "list_free_times", json!({ "part": "morning" }))],
        &[text("I have two. Which one works?")],
    ]);
    call.talk("Yes, that's right.").await;
    call.talk("Well, the one for the house.").await;
    assert_eq!(asked(&call).await, ["incident", "booking"]);
    let (_, document) = call.office.passport(call.brief.passport).await.unwrap();
    assert!(!document["ledger"].to_string().contains("Ana"), "kinds, and nothing that was said");
}
