//! What the desk says in the same words every time breaks no rule.

use governance::rules::Spoken;

use super::*;
use dialogue::builtin::Dialogue;

/// Whatever the built-in desk and the model's own phrases say in the same words every time passes.
#[test]
fn every_phrase_of_the_desk_passes_in_both_languages() {
    let facts = dialogue::seed::riverbend(chrono::DateTime::UNIX_EPOCH).unwrap().facts;
    let set = RuleSet::load("", &facts.numbers()).unwrap();
    let dialogue = Dialogue::front_desk().unwrap();
    let mut checked = 0;
    for language in [Language::En, Language::Es] {
        let script = dialogue.script_in(language);
        let own: Vec<String> = script
            .fixed_phrases()
            .map(|text| facts.fill(language, text))
            .chain(dialogue.fixed_phrases_in(language, &facts))
            .chain(dialogue.notice_phrases(&facts))
            .chain(FrontDesk::own_phrases(language))
            .collect();
        for phrase in own {
            for text in language::sentences(&phrase) {
                // The notice may be in the other language; the desk's own words hold in any.
                let broken = set.check_words(&Spoken { is_first: true, ..Spoken::new(&text, language) });
                let ids: Vec<&str> = broken.iter().map(|v| v.rule.id.as_str()).collect();
                assert!(broken.is_empty(), "{text}: {ids:?}");
                checked += 1;
            }
        }
    }
    assert!(checked > 300, "{checked}");
}
