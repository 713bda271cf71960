//! What the shipped weights do with sentences of our own, and what no text may make of them.

use proptest::prelude::*;

use super::{Kind, Span, candidates, spans};
use crate::Language;

fn found(text: &str) -> Vec<(Kind, &str)> {
    spans(text, None).iter().map(|span| (span.kind, &text[span.from..span.to])).collect()
}

fn names(text: &str) -> Vec<&str> {
    found(text).into_iter().filter(|(kind, _)| *kind == Kind::Name).map(|(_, words)| words).collect()
}

fn addresses(text: &str) -> Vec<&str> {
    found(text).into_iter().filter(|(kind, _)| *kind == Kind::Address).map(|(_, words)| words).collect()
}

#[test]
fn the_shipped_weights_fit() {
    assert!(super::model::Model::shipped().is_ok());
}

#[test]
fn names_are_found_written_and_spoken() {
    assert_eq!(names("My name is Chidinma Okafor."), ["Chidinma Okafor"]);
    assert_eq!(names("um hi this is thuy linh nguyen about the fence permit"), ["thuy linh nguyen"]);
    assert_eq!(names("Buenas tardes, habla Xiomara Figueroa."), ["Xiomara Figueroa"]);
    assert_eq!(names("mi vecino se llama efraín irizarry"), ["efraín irizarry"]);
}

#[test]
fn titles_and_possessives_stand_outside() {
    assert_eq!(names("Please tell Deputy Kowalski's supervisor."), ["Kowalski"]);
    assert_eq!(names("Can I speak with Dr. Venkataraman, please?"), ["Venkataraman"]);
}

#[test]
fn letters_that_spell_a_name_are_a_name() {
    assert!(names("The last name is Begay, B E G A Y.").contains(&"B E G A Y"));
}

#[test]
fn addresses_are_found_written_and_spoken() {
    assert_eq!(
        addresses("I live at 4410 Quail Run Road, Apt 6, Ames, Iowa 50010."),
        ["4410 Quail Run Road, Apt 6, Ames, Iowa 50010"]
    );
    assert_eq!(addresses("my address is nine oh two loblolly pine lane"), ["nine oh two loblolly pine lane"]);
    assert_eq!(addresses("vivo en la calle luna número veintitrés").len(), 1);
}

#[test]
fn ordinary_business_is_left_alone() {
    for text in [
        "The grace period ends in May.",
        "Will the office be open on Sunday?",
        "The light is out at Maple Street and Fifth Avenue.",
        "The Lincoln Bridge is closed.",
        "My claim number is 20417.",
        "el jueves santo no hay basura",
        "can i pay the bill on the fourth of july",
        "Agent logged off.",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
}

fn sound(text: &str, spans: &[Span]) -> bool {
    let mut last = 0;
    spans.iter().all(|span| {
        let fits = span.from >= last && span.from < span.to && text.get(span.from..span.to).is_some();
        last = span.to;
        fits && (0.0..=1.0).contains(&span.sure)
    })
}

proptest! {
    #[test]
    fn spans_lie_on_characters_in_order_and_apart(text in "\\PC{0,120}") {
        for language in [None, Some(Language::En), Some(Language::Es)] {
            let spans = candidates(&text, language);
            prop_assert!(sound(&text, &spans));
        }
    }

    #[test]
    fn talk_of_names_and_numbers_is_cut_well(
        words in prop::collection::vec(
            prop_oneof![
                Just("my name is"), Just("José"), Just("O’Brien's"), Just("nine oh two"), Just("Ave."), Just("#4-b"),
                Just("ñandú"), Just("e\u{301}"), Just("1/2"), Just("\n"), Just("Dr."), Just("¿"), Just("Łukasz"), Just("'s"),
            ],
            0..30,
        )
    ) {
        let text = words.join(" ");
        prop_assert!(sound(&text, &candidates(&text, None)));
        let glued = words.concat();
        prop_assert!(sound(&glued, &candidates(&glued, None)));
    }
}
