//! The shipped head on a set that it was not trained on, and on what it must refuse.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

fn words_alone(text: &str, language: Language) -> Understood {
    let head = Head::shipped().unwrap();
    let whole = Stretch { text, vector: None };
    let parts: Vec<_> = clauses(text)
        .into_iter()
        .map(|span| (span.clone(), Stretch { text: &text[span], vector: None }))
        .collect();
    understand(head, &Nearest::default(), language, false, &whole, &parts)
}

/// Floors, a little under what was measured: without vectors, as on a machine whose encoder is busy.
#[test]
fn wants_and_acts_are_found_by_words_alone() {
    let (mut wants, mut acts, mut all) = (0, 0, 0);
    for line in include_str!("../../data/intents/held/own.tsv").lines().filter(|l| !l.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [route, act, text, language] = *cells.first_chunk().unwrap();
        let found = words_alone(text, Language::of(language).unwrap());
        all += 1;
        wants += usize::from(found.want().is_some_and(|want| want.route == route));
        acts += usize::from(found.act().is_some_and(|(own, _)| own.name() == act));
    }
    assert!(all >= 35 && wants * 100 >= all * 85 && acts * 100 >= all * 85, "{wants} and {acts} of {all}");
}

#[test]
fn two_wishes_are_told_apart_and_keep_their_order() {
    let text =
        "i want to report a pothole on oak street and then i want to schedule an inspection for my shop";
    let found = words_alone(text, Language::En);
    let routes: Vec<&str> = found.parts.iter().map(|part| part.want.route.as_str()).collect();
    assert_eq!(routes, ["incident", "booking"]);
    assert_eq!(&text[found.parts[1].span.clone()], "i want to schedule an inspection for my shop");
    assert_eq!(found.want().unwrap().route, "incident");
}

#[test]
fn a_route_that_nobody_trained_is_known_by_its_examples() {
    let head = Head::shipped().unwrap();
    let towards = |n: usize, m: usize| -> Vector {
        let mut all = vec![0.02; WIDTH];
        (all[n], all[m]) = (0.9, 0.4);
        all.into()
    };
    let mut nearest = Nearest::default();
    let examples = [("a stall at the fair".to_owned(), towards(3, 4)), ("a booth".to_owned(), towards(3, 5))];
    nearest.add(head.projection(), "market_stall", &examples);
    let other = [("a pothole".to_owned(), towards(200, 201)), ("a hole".to_owned(), towards(200, 202))];
    nearest.add(head.projection(), "incident", &other);
    let read = |vector| {
        let whole = Stretch { text: "a stall", vector: Some(vector) };
        understand(head, &nearest, Language::En, false, &whole, &[]).wants("market_stall")
    };
    let (near, far) = (read(towards(3, 4)), read(towards(90, 91)));
    assert!(near > 0.5 && far < 0.5, "taken from one half on: near {near}, far {far}");
    let found = nearest.examples(head.projection(), &towards(3, 5), 1);
    assert_eq!(found.first().map(|e| e.text), Some("a booth"));
}

#[test]
fn weights_of_another_version_are_refused() {
    for bytes in [&b""[..], b"QINTENT1", &[0; 900]] {
        assert!(Head::from_bytes(bytes).unwrap_err().to_string().contains("train_intents"));
    }
}

proptest! {
    #[test]
    fn any_text_is_read_and_probabilities_are_some(text in "\\PC{0,300}") {
        for language in [Language::En, Language::Es] {
            let found = words_alone(&text, language);
            let sum: f32 = found.wants.iter().map(|want| want.score).sum();
            prop_assert!(sum <= 1.001 && found.wants.iter().all(|want| want.score.is_finite()));
            for part in &found.parts {
                prop_assert!(text.get(part.span.clone()).is_some());
            }
        }
    }
}
