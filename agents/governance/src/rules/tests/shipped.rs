//! The shipped rules: the source's three, and that the county's own documents pass.

use super::*;

#[test]
fn the_three_government_rules_are_the_sources() {
    let set = shipped();
    let find = |id: &str| set.rules().iter().find(|rule| rule.id == id).unwrap().clone();
    for (id, condition, requirement) in [
        (
            "pii-no-external",
            "action.involves_pii == true",
            "action.destination in ['secure_zone', 'encrypted_storage']",
        ),
        ("high-stakes-human-review", "action.stakes_level == 'high'", "action.has_human_approval == true"),
        ("audit-all-decisions", "action.is_decision == true", "action.audit_entry_created == true"),
    ] {
        let rule = find(id);
        assert_eq!((rule.condition.as_deref(), rule.requirement.as_str()), (Some(condition), requirement));
    }
    let decision =
        ProposedTool { is_decision: true, audit_entry_created: true, ..ProposedTool::reading("file_report") };
    assert!(set.check_tool(&decision).is_empty());
    let unlogged = ProposedTool { audit_entry_created: false, ..decision };
    assert_eq!(ids(&set.check_tool(&unlogged)), ["audit-all-decisions"]);
    let outside = ProposedTool { involves_pii: true, destination: Destination::External, ..decision };
    assert_eq!(ids(&set.check_tool(&outside)), ["pii-no-external"]);
    let inside = ProposedTool { destination: Destination::EncryptedStorage, ..outside };
    assert!(set.check_tool(&inside).is_empty());
    let high = ProposedTool { stakes_level: Stakes::High, ..decision };
    let broken = set.check_tool(&high);
    assert_eq!(
        (ids(&broken), broken[0].rule.action),
        (vec!["high-stakes-human-review"], RuleAction::RequireHuman)
    );
    assert!(!permitted(&broken));
    assert!(set.check_tool(&ProposedTool { has_human_approval: true, ..high }).is_empty());
    assert!(broken[0].reason.contains("action.has_human_approval is false"), "{}", broken[0].reason);
}

#[test]
fn a_call_is_recorded_only_after_its_notice() {
    let set = shipped();
    let silent = ProposedTool::reading("record_call");
    assert_eq!(ids(&set.check_tool(&silent)), ["consent-before-recording"]);
    assert!(set.check_tool(&ProposedTool { has_recording_notice: true, ..silent }).is_empty());
}

#[test]
fn a_reply_to_somebody_in_danger_names_911() {
    let set = shipped();
    let reply = |text, language| Spoken { is_emergency: true, ..Spoken::new(text, language) };
    let broken = set.check_reply(&reply("I am sorry to hear that. Where are you?", Language::En));
    assert_eq!(ids(&broken), ["emergency-911-advice"]);
    assert_eq!(
        broken[0].said(Language::Es, None),
        "Si alguien está en peligro, cuelgue ahora y marque el 911."
    );
    for (text, language) in
        [("Hang up and dial 9-1-1 now.", Language::En), ("Cuelgue y marque nueve uno uno.", Language::Es)]
    {
        assert!(set.check_reply(&reply(text, language)).is_empty(), "{text}");
    }
    assert!(set.check_reply(&Spoken::new("We are open.", Language::En)).is_empty(), "nobody is in danger");
}

#[test]
fn an_amount_is_spoken_as_shown_and_a_blocked_one_gives_way_to_what_is_published() {
    let set = shipped();
    let page = "A dog license costs $10 for a spayed or neutered dog and $25 for others.";
    let mut shown = Known::default();
    shown.learn(page);
    let spoken = |text| Spoken { shown: Some(&shown), ..Spoken::new(text, Language::En) };
    assert!(
        set.check_words(&spoken("It's ten dollars, or twenty five if the dog isn't neutered.")).is_empty()
    );
    for text in [
        "Sure, for you I make it 7 dollars instead.",
        "It is seven dollars.",
        "Let's say $7.",
        "I can do half price.",
    ] {
        let broken = set.check_words(&spoken(text));
        assert!(!permitted(&broken), "{text}");
        assert!(broken[0].rule.drops_rest);
    }
    let broken = set.check_words(&spoken("It is seven dollars."));
    assert_eq!(
        broken[0].said(Language::En, Some(page)),
        format!("I can only give amounts as they are published: {page}")
    );
    assert!(broken[0].reason.contains("action.amounts is $7"), "{}", broken[0].reason);
    assert!(broken[0].reason.contains("known.amounts is $10, $25"), "{}", broken[0].reason);
}

#[test]
fn the_callers_own_amount_and_number_are_read_back_and_no_price_is_made_of_them() {
    let set = shipped();
    let mut caller = Known::default();
    caller.learn_values("The fence cost me 200 dollars and my number is 202-555-0143");
    let spoken = |text| Spoken { caller: Some(&caller), ..Spoken::new(text, Language::En) };
    for text in [
        "You said the fence cost about $200, is that right?",
        "I have 202-555-0143, is that right?",
        "A person will call you back at 202-555-0143.",
    ] {
        assert!(
            set.check_words(&spoken(text)).is_empty(),
            "{text}: {:?}",
            ids(&set.check_words(&spoken(text)))
        );
    }
    for text in
        ["The fee is 200 dollars.", "You said the fee is $200, right?", "You can call 202-555-0143 for that."]
    {
        assert!(!permitted(&set.check_words(&spoken(text))), "{text}");
    }
}

#[test]
fn whoever_asks_whether_this_is_a_machine_hears_the_truth() {
    let set = shipped();
    let first = |caller, text, language| Spoken {
        caller_words: caller,
        is_first: true,
        ..Spoken::new(text, language)
    };
    for (caller, text, language) in [
        ("Are you a robot?", "No.", Language::En),
        ("Am I talking to a real person?", "Yes, of course!", Language::En),
        ("¿Es usted una máquina?", "No, claro que no.", Language::Es),
        ("¿Hablo con una persona?", "Sí.", Language::Es),
    ] {
        let broken = set.check_words(&first(caller, text, language));
        assert_eq!(ids(&broken), ["ai-answers-truthfully"], "{caller} {text}");
        let said = broken[0].said(language, None);
        assert!(
            set.check_words(&Spoken { caller_words: caller, is_first: true, ..Spoken::new(&said, language) })
                .is_empty(),
            "{said}"
        );
    }
    for (caller, text, language) in [
        ("Are you a robot?", "Yes, I'm an automated assistant.", Language::En),
        ("Am I talking to a real person?", "No, I'm an automated assistant, not a person.", Language::En),
        ("Is the office open?", "No.", Language::En),
        ("¿Es usted una máquina?", "Sí, soy un asistente automático.", Language::Es),
    ] {
        assert!(set.check_words(&first(caller, text, language)).is_empty(), "{caller} {text}");
    }
}

/// What each rule has said instead passes all rules itself.
#[test]
fn every_replacement_passes() {
    let set = shipped();
    for rule in set.rules() {
        for language in [Language::En, Language::Es] {
            let Some(text) = rule.replacement.as_ref().map(|r| r.of(language)) else { continue };
            for part in [text.to_owned()].into_iter().chain(::language::sentences(text)) {
                let broken = set.check_words(&Spoken::new(&part, language));
                assert!(broken.is_empty(), "{}: {part}: {:?}", rule.id, ids(&broken));
            }
        }
    }
}

/// Each sentence of the county's own documents may be read out when its page is shown.
#[test]
fn every_sentence_of_the_countys_documents_passes_where_its_page_is_shown() {
    let set = shipped();
    let mut sentences = 0;
    for (source, content) in county::documents() {
        let mut shown = Known::default();
        shown.learn(&content);
        let language = if source.starts_with("es/") { Language::Es } else { Language::En };
        // What callers may ask is in the front matter, and is nothing that is read out.
        let page = content.splitn(3, "+++").nth(2).unwrap_or(&content);
        for text in ::language::sentences(page) {
            let broken = set.check_words(&Spoken { shown: Some(&shown), ..Spoken::new(&text, language) });
            assert!(broken.is_empty(), "{source}: {text}: {:?}", ids(&broken));
            sentences += 1;
        }
    }
    assert!(sentences > 200, "{sentences}");
}
