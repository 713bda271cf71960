//! The rules over a model's words and tool calls: what is forbidden is not spoken and has no effect.

use pipeline::event::Ruling;

use super::*;
use governance::rules::RuleSet;

fn rulings(heard: &Heard) -> Vec<&Ruling> {
    heard
        .events
        .iter()
        .filter_map(|e| if let ReplyEvent::Rule(found) = e { Some(found) } else { None })
        .collect()
}

fn ids(heard: &Heard) -> Vec<&str> {
    rulings(heard).iter().map(|ruling| ruling.rule.as_str()).collect()
}

/// Puts a tenant's rules into force.
fn put(call: &Driven, text: &str) {
    let facts = dialogue::seed::riverbend(Utc::now()).unwrap().facts;
    call.office.desk.put_rules(call.office.tenant, RuleSet::load(text, &facts.numbers()).unwrap());
}

async fn ledger(call: &Driven) -> String {
    let (_, document) = call.office.passport(call.brief.passport).await.unwrap();
    document["ledger"].to_string()
}

#[tokio::test]
async fn a_forbidden_sentence_gives_way_and_what_follows_it_is_dropped_and_the_model_sees_what_was_said() {
    let mut call = driven().await;
    call.model.answers(&[
        &[text("Sure, for you I make it 7 dollars instead. That is a good price, is it not?")],
        &[text("We are open until five.")],
    ]);
    let heard = call.talk("Can you do better on the dog license?").await;
    assert!(
        heard.text.contains("as the county has published them")
            || heard.text.contains("as they are published"),
        "{}",
        heard.text
    );
    assert!(!heard.text.contains("7 dollars") && !heard.text.contains("good price"), "{}", heard.text);
    assert_eq!(ids(&heard), ["locked-amounts"]);
    let told = rulings(&heard)[0];
    assert_eq!(
        (told.category.as_str(), told.action.as_str(), told.applies_to.as_str()),
        ("compliance", "BLOCK", "words")
    );
    call.obeyed().await;
    let noted = ledger(&call).await;
    assert!(
        noted.contains("a rule stopped (locked-amounts)") && noted.contains("for you I make it 7 dollars"),
        "{noted}"
    );

    let heard = call.talk("When do you close?").await;
    assert_eq!(heard.text.trim(), "We are open until five.");
    assert!(ids(&heard).is_empty());
    let history = agent_texts(&call.model.shown()).join(" ");
    assert!(history.contains("published") && !history.contains("7 dollars"), "{history}");
}

#[tokio::test]
async fn nothing_that_the_rules_forbid_is_spoken_in_either_language() {
    let mut call =
        driven_with(|brief| CallBrief { spoken: vec![Language::En, Language::Es], ..brief }, true).await;
    for (said, rule) in [
        ("Yes, you should sue the county.", "no-legal-advice"),
        ("It is seven dollars.", "locked-amounts"),
        ("Half price for you.", "locked-percentages"),
        ("Take two aspirin.", "no-medical-advice"),
        ("Call five five five, oh one nine nine.", "locked-phone-numbers"),
        ("You can pay at riverbend-pay.com.", "locked-links"),
        ("I guarantee that it is approved.", "locked-promises"),
        ("This call is not being recorded.", "locked-compliance-texts"),
        ("You do not need to call 911.", "emergency-never-discourage-911"),
        ("An ambulance is on its way.", "emergency-no-dispatch-promise"),
        ("I am a real person.", "ai-never-claims-to-be-human"),
        ("Usted debería demandar al condado.", "no-legal-advice"),
        ("Tome dos aspirinas.", "no-medical-advice"),
    ] {
        call.model.answers(&[&[text(said)]]);
        let heard = call.talk("What do you say?").await;
        // A discount is a promise too.
        assert!(ids(&heard).contains(&rule), "{said}: {:?}", ids(&heard));
        let words = said.trim_end_matches('.');
        assert!(!heard.text.contains(words) && !heard.text.trim().is_empty(), "{said}: {}", heard.text);
    }
}

#[tokio::test]
async fn an_amount_of_a_page_that_was_shown_is_spoken_and_another_gives_way_to_it() {
    let mut call = driven().await;
    call.model.answers(&[
        &[text("It is ten dollars, or twenty-five if it is not neutered.")],
        &[text("I can make it seven dollars for you.")],
    ]);
    let heard = call.talk("How much is a dog license?").await;
    assert_eq!(heard.text.trim(), "It is ten dollars, or twenty-five if it is not neutered.");
    assert!(ids(&heard).is_empty());
    let heard = call.talk("And how much is a dog license for a friend?").await;
    assert_eq!(ids(&heard), ["locked-amounts"]);
    assert!(heard.text.contains("published: A dog license costs $10"), "{}", heard.text);
}

#[tokio::test]
async fn a_sentence_that_leaves_in_clauses_is_judged_as_one() {
    let mut call = driven().await;
    call.model.answers(&[&[
        text("You could, after all that has happened to your fence, "),
        text("well, you should, in my view, "),
        text("sue the county."),
    ]]);
    let heard = call.talk("What would you do?").await;
    // What the first clauses alone are taken for is another matter.
    assert!(ids(&heard).contains(&"no-legal-advice"), "{:?}", ids(&heard));
    assert!(!heard.text.contains("sue the county"), "{}", heard.text);
}

#[tokio::test]
async fn a_forbidden_tool_call_has_no_effect_and_the_model_hears_why() {
    let mut call = driven().await;
    put(
        &call,
        "rule no-reports { name: 'n' category: compliance description: 'd' applies_to: tool
         condition: action.tool == 'file_report' requirement: argument('injured') == 'no' action: REQUIRE_HUMAN
         explanation_en: 'Injuries are taken down by a person.' explanation_es: 'x' }",
    );
    let report = json!({ "what": "A van hit the fence", "where": "Riverside Park", "injured": "yes" });
    call.model.answers(&[&[tool("t1", "file_report", report)], &[text("A person has to take that down.")]]);
    let heard = call.say("Please file it.").await;
    assert!(call.office.work().await.is_empty());
    assert_eq!(heard.tools(), [("file_report", false)]);
    let result = &call.model.results()[0];
    assert!(result.is_error && result.content.contains("Injuries are taken down by a person."), "{result:?}");
    assert!(result.content.contains("request_person"), "{result:?}");
    let told = rulings(&heard)[0];
    assert_eq!(
        (told.rule.as_str(), told.action.as_str(), told.applies_to.as_str()),
        ("no-reports", "REQUIRE_HUMAN", "tool")
    );
}

#[tokio::test]
async fn new_rules_hold_from_the_next_sentence_of_a_call_that_is_under_way() {
    let mut call = driven().await;
    let said = "The mayor opens the fair.";
    call.model.answers(&[&[text(said)], &[text(said)]]);
    assert_eq!(call.talk("Who opens the fair?").await.text.trim(), said);
    put(
        &call,
        "rule no-mayor { name: 'n' category: compliance description: 'd' applies_to: words
         requirement: not words_any(['mayor']) action: BLOCK explanation_en: 'e' explanation_es: 'e'
         replacement_en: 'I cannot speak of that.' replacement_es: 'No puedo.' }",
    );
    let heard = call.talk("Who did you say?").await;
    assert_eq!(heard.text.trim(), "I cannot speak of that.");
}

#[tokio::test]
async fn a_warning_is_told_and_the_words_are_spoken() {
    let mut call = driven().await;
    put(
        &call,
        "rule watch-mayor { name: 'n' category: compliance description: 'd' applies_to: words
         requirement: not words_any(['mayor']) action: WARN explanation_en: 'e' explanation_es: 'e' }",
    );
    call.model.answers(&[&[text("The mayor opens the fair.")]]);
    let heard = call.talk("Who opens the fair?").await;
    assert_eq!((heard.text.trim(), ids(&heard)), ("The mayor opens the fair.", vec!["watch-mayor"]));
    call.obeyed().await;
    assert!(ledger(&call).await.contains("a rule warned (watch-mayor)"));
}

#[tokio::test]
async fn a_reply_to_somebody_in_danger_ends_with_911_where_the_model_forgot_it() {
    let mut call = driven().await;
    call.model.answers(&[
        &[tool("t1", "mark_urgent", json!({ "kind": "fire" }))],
        &[text("I am sorry to hear that. Where are you?")],
    ]);
    let heard = call.say("What does a library card cost?").await;
    assert!(
        heard.text.trim().ends_with("If anyone is in danger, hang up now and dial 911."),
        "{}",
        heard.text
    );
    assert_eq!(ids(&heard), ["emergency-911-advice"]);
}

#[tokio::test]
async fn what_a_guess_broke_is_told_when_the_guess_counts_and_not_before() {
    let mut call = driven().await;
    call.model.answers(&[&[text("Yes, you should sue the county.")]]);
    call.start(Line::said("Should I sue?"), true).await;
    let guessed = call.so_far().await;
    assert!(!guessed.text.contains("sue the county") && ids(&guessed).is_empty(), "{:?}", guessed.events);
    call.commit().await;
    let counted = call.so_far().await;
    assert_eq!(ids(&counted), ["no-legal-advice"]);
}

#[tokio::test]
async fn the_built_in_dialogue_obeys_a_tenants_rule_too() {
    let office = office().await;
    let facts = dialogue::seed::riverbend(Utc::now()).unwrap().facts;
    let text = "rule no-dogs { name: 'n' category: compliance description: 'd' applies_to: words
        requirement: not words_any(['dog license (costs|is)']) action: BLOCK explanation_en: 'e' explanation_es: 'e'
        replacement_en: 'Please ask the Clerk about that.' replacement_es: 'Pregunte al secretario.' }";
    let mut line = office.call();
    line.open().await;
    let before = line.say("How much is a dog license?").await;
    assert!(before.text.contains("$10"), "{}", before.text);
    office.desk.put_rules(office.tenant, RuleSet::load(text, &facts.numbers()).unwrap());
    let heard = line.say("How much is a dog license?").await;
    assert!(
        heard.text.contains("Please ask the Clerk about that.") && !heard.text.contains("$10"),
        "{}",
        heard.text
    );
    // The entry of a turn without effects is written beside its words, and rulings are told after it.
    let after = line.listen().await;
    let told: Vec<&str> = heard
        .events
        .iter()
        .chain(&after.events)
        .filter_map(|e| if let ReplyEvent::Rule(found) = e { Some(found.rule.as_str()) } else { None })
        .collect();
    assert_eq!(told, ["no-dogs"]);
}
