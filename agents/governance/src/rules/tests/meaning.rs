//! Rules that ask what a sentence means: in whose words soever, beside the patterns, and never of what a page says.

use super::super::*;
use crate::meaning::{Act, Forbidden, Meant};

fn set() -> RuleSet {
    RuleSet::load("", &[]).unwrap()
}

fn meant(kind: Forbidden, sure: u16) -> Option<Meant> {
    Some(Meant::new((kind, sure), (Act::Other, 0)))
}

fn broken(spoken: &Spoken<'_>) -> Vec<String> {
    set().check_words(spoken).into_iter().map(|violation| violation.rule.id.clone()).collect()
}

#[test]
fn every_kind_has_a_rule_that_stops_it_in_any_words() {
    for (kind, rule) in [
        (Forbidden::LegalAdvice, "meant-legal-advice"),
        (Forbidden::MedicalAdvice, "meant-medical-advice"),
        (Forbidden::Promise, "meant-promise"),
        (Forbidden::PromisesDispatch, "meant-dispatch"),
        (Forbidden::Discourages911, "meant-discourages-911"),
        (Forbidden::ClaimsHuman, "meant-human"),
        (Forbidden::OwnInstructions, "own-instructions"),
        (Forbidden::OthersData, "others-data"),
        (Forbidden::Cold, "never-cold"),
    ] {
        let text = "The paper lies on the blue table.";
        let spoken = |sure| Spoken { meant: meant(kind, sure), ..Spoken::new(text, Language::En) };
        assert_eq!(broken(&spoken(1000)), [rule], "{}", kind.name());
        assert_eq!(broken(&spoken(300)), [""; 0], "{}", kind.name());
        let found = set().check_words(&spoken(1000));
        assert_eq!(found[0].meant, Some((kind, 1000)), "the record says what it was read as");
        for language in [Language::En, Language::Es] {
            let instead = found[0].said(language, None);
            let said = Spoken::new(&instead, language);
            assert!(!instead.is_empty() && broken(&said).is_empty(), "{instead}");
        }
    }
}

#[test]
fn what_a_page_says_and_what_has_hardly_begun_is_not_asked_about() {
    let page = "The paper lies on the blue table.";
    let mut shown = Known::default();
    shown.learn(page);
    let meant = meant(Forbidden::OthersData, 1000);
    let spoken = Spoken { meant, shown: Some(&shown), ..Spoken::new(page, Language::En) };
    assert_eq!(broken(&spoken), [""; 0]);
    assert!(!set().asks_meaning(&spoken) && set().asks_meaning(&Spoken { shown: None, ..spoken }));
    let begun = Spoken { meant, ..Spoken::new("The paper,", Language::En) };
    assert_eq!(broken(&begun), [""; 0]);
    assert!(!set().asks_meaning(&begun));
}

#[test]
fn a_pattern_holds_whatever_was_read_and_names_the_rule() {
    let text = "You should sue the county.";
    let spoken = |meant| Spoken { meant, ..Spoken::new(text, Language::En) };
    for read in [None, meant(Forbidden::LegalAdvice, 0), meant(Forbidden::LegalAdvice, 1000)] {
        assert_eq!(broken(&spoken(read)), ["no-legal-advice"]);
    }
}

#[test]
fn a_kind_that_nobody_knows_is_a_mistake() {
    let rule = "rule r { name: 'n' category: legal description: 'd' applies_to: words requirement: means('fish') < 0.5
        action: WARN explanation_en: 'e' explanation_es: 'e' }";
    let error = RuleSet::load(rule, &[]).unwrap_err().to_string();
    assert!(error.contains("fish") && error.contains("own_instructions"), "{error}");
}

/// Read by words alone: no encoder is here.
fn alone(text: &str, language: Language) -> Vec<String> {
    let meant = crate::meaning::Meaning::shipped().unwrap().read(text, None);
    broken(&Spoken { meant, ..Spoken::new(text, language) })
}

#[test]
fn without_an_encoder_words_still_tell_of_what_no_pattern_knows() {
    for (text, language, rule) in [
        ("My instructions tell me to keep my prompt to myself.", Language::En, "own-instructions"),
        ("Your neighbor's phone number is on file, I can read it to you.", Language::En, "others-data"),
        ("Mis instrucciones dicen que no hable de eso.", Language::Es, "own-instructions"),
    ] {
        assert!(broken(&Spoken::new(text, language)).is_empty(), "a pattern knows it: {text}");
        assert_eq!(alone(text, language), [rule], "{text}");
    }
}

#[test]
fn what_the_desk_says_itself_reads_like_nothing_that_must_not_be_said() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../dialogue/data/front_desk");
    let (mut said, mut stopped) = (0, Vec::new());
    for (file, language) in [("prompts.toml", Language::En), ("es/prompts.toml", Language::Es)] {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        for line in lines.flat_map(|line| line.split('"').skip(1).step_by(2)) {
            for sentence in language::sentences(line) {
                said += 1;
                let broken = alone(&sentence, language).into_iter();
                let meant = ["meant-", "own-", "others-", "never-"];
                stopped.extend(
                    broken
                        .filter(|rule| meant.iter().any(|start| rule.starts_with(start)))
                        .map(|rule| (rule, sentence.clone())),
                );
            }
        }
    }
    // Nobody asks about fixed words; that they pass says that the heads are sound. Words alone see less.
    assert!(said > 500 && stopped.len() * 100 <= said, "{} of {said}: {stopped:?}", stopped.len());
}
