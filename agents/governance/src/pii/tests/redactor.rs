//! Tokens for values, over the turns of a call.

use language::Screen;
use proptest::prelude::*;

use crate::pii::{Kind, KindSet, Public, Redactor};

fn redactor() -> Redactor {
    Redactor::new(Public::new(["202-555-0111".to_owned()], []))
}

fn all() -> Redactor {
    Redactor::with(Public::new(["202-555-0111".to_owned()], []), KindSet::PERSONAL)
}

#[test]
fn personal_data_becomes_tokens() {
    for (text, screened) in [
        ("My number is 202-555-0143.", "My number is ⟨phone:1⟩."),
        ("Call (202) 555 0143 or +1 202-555-0143", "Call ⟨phone:1⟩ or ⟨phone:1⟩"),
        ("it's two oh two five five five oh one four three thanks", "it's ⟨phone:1⟩ thanks"),
        ("two zero two, triple five, zero one four three", "⟨phone:1⟩"),
        ("555-0143 is local", "⟨phone:1⟩ is local"),
        ("my social is 078-05-1120", "my social is ⟨ssn:1⟩"),
        ("social security number oh seven eight oh five one one two oh", "social security number ⟨ssn:1⟩"),
        ("card 4111 1111 1111 1111 ok", "card ⟨credit_card:1⟩ ok"),
        ("four one one one one one one one one one one one one one one one", "⟨credit_card:1⟩"),
        ("Write to ann.lee@example.org today", "Write to ⟨email:1⟩ today"),
        ("john dot smith at gmail dot com", "⟨email:1⟩"),
        ("202-555-0143 ext. 12", "⟨phone:1⟩ ext. 12"),
    ] {
        assert_eq!(redactor().screen(text), screened, "{text}");
    }
}

#[test]
fn ordinary_numbers_stay() {
    for text in [
        "Your reference number is INC-4821.",
        "Your reference number is RB-2026-004417.",
        "Dial 911 now.",
        "It costs $35 and $1,240.50.",
        "Open 8 a.m. to 4:30 p.m.",
        "Claim CLM-20417",
        "Call Solid Waste at 202-555-0111.",
        "on 2026-11-22 at 10:30",
        "two or three days",
        "I was born in 1961",
        "one of the five people",
        "4111 1111 1111 1112",
        "call or text 988",
        "Route 9, exit 12, 3 miles",
    ] {
        assert_eq!(redactor().screen(text), text);
    }
}

#[test]
fn one_value_keeps_its_token() {
    let mut redactor = redactor();
    assert_eq!(redactor.screen("202-555-0143"), "⟨phone:1⟩");
    assert_eq!(redactor.screen("202-555-0199"), "⟨phone:2⟩");
    assert_eq!(redactor.screen("two oh two 555 0143 and 555-0199"), "⟨phone:1⟩ and ⟨phone:2⟩");
    assert_eq!(redactor.screen("john.smith@gmail.com"), "⟨email:1⟩");
    assert_eq!(redactor.screen("john dot smith at gmail dot com"), "⟨email:1⟩");
}

#[test]
fn tokens_give_their_values_back_to_the_caller_and_the_store() {
    let mut redactor = redactor();
    redactor.screen("202-555-0143, 555-0199, ann@example.org, 078-05-1120, 4111 1111 1111 1111");
    let told = "⟨phone:1⟩, <phone:2>, (email: 1), ⟨ssn:1⟩, [credit_card:1], ⟨phone:9⟩.";
    assert_eq!(
        redactor.spoken(told, "that number"),
        "202-555-0143, 555-0199, ann@example.org, that number, that number, that number."
    );
    assert_eq!(
        redactor.reveal(told),
        "2025550143, 5550199, ann@example.org, ⟨ssn:1⟩, [credit_card:1], ⟨phone:9⟩."
    );
    assert_eq!(redactor.phone("call ⟨phone:2⟩"), Some("5550199"));
    assert_eq!(redactor.phone("⟨email:1⟩"), None);
    assert_eq!(redactor.screen("⟨phone:1⟩"), "⟨phone:1⟩", "a token is no number");
}

#[test]
fn keys_that_make_up_a_number_become_tokens() {
    for (keys, screened) in [
        ("2025550143", "⟨phone:1⟩"),
        ("5550143", "⟨phone:1⟩"),
        ("078051120", "⟨ssn:1⟩"),
        ("4111111111111111", "⟨credit_card:1⟩"),
        ("20417", "20417"),
        ("0", "0"),
    ] {
        assert_eq!(redactor().screen_keys(keys), screened);
    }
}

#[test]
fn names_addresses_and_birthdays_are_tokens() {
    let text = "I'm Maria Gonzalez, born on March 3, 1961, at 42 Oak Street";
    let tokens = "I'm ⟨name:1⟩, born on ⟨date_of_birth:1⟩, at ⟨address:1⟩";
    assert_eq!(redactor().screen(text), tokens);
    let mut all = all();
    assert_eq!(all.screen(text), tokens);
    assert_eq!(
        all.reveal("⟨name:1⟩ ⟨address:1⟩ <date_of_birth:1>"),
        "Maria Gonzalez 42 Oak Street 1961-03-03"
    );
    assert_eq!(all.told("⟨name:1⟩", Kind::Name), Some("Maria Gonzalez"));
    assert_eq!(all.screen("maria gonzalez again"), "⟨name:1⟩ again");
    assert_eq!(
        all.screen("i was born the third of march nineteen sixty one"),
        "i was born ⟨date_of_birth:1⟩"
    );
}

#[test]
fn numbers_that_open_accounts_are_never_told() {
    let mut all = all();
    let text = "driver's license D1234567, passport number 547896321, account number 123456789012, my password is hunter22";
    let screened = all.screen(text);
    assert_eq!(
        screened,
        "driver's license ⟨drivers_license:1⟩, passport number ⟨passport:1⟩, account number ⟨bank_account:1⟩, my password is ⟨secret:1⟩"
    );
    assert_eq!(all.reveal(&screened), screened);
    assert_eq!(all.spoken("⟨secret:1⟩", "that"), "that");
    assert_eq!(all.told("⟨passport:1⟩", Kind::Passport), None);
}

#[test]
fn a_number_said_in_two_breaths_is_one_token() {
    let mut redactor = redactor();
    assert_eq!(redactor.screen("my social is four five six"), "my social is ⟨ssn:1⟩");
    assert_eq!(redactor.screen("Mm-hm, go ahead."), "Mm-hm, go ahead.");
    assert_eq!(redactor.screen("seven eight nine zero one two"), "⟨ssn:1⟩");
    assert_eq!(redactor.screen("456-78-9012"), "⟨ssn:1⟩", "the whole number has the same token");
}

#[test]
fn a_card_in_four_breaths_leaves_no_digit_once_it_is_named() {
    let mut redactor = redactor();
    assert_eq!(redactor.screen("my card number is four one one one"), "my card number is ⟨credit_card:1⟩");
    assert_eq!(redactor.screen("one one one one"), "⟨credit_card:1⟩");
    assert_eq!(redactor.screen("uh one one one one"), "uh ⟨credit_card:1⟩");
    assert_eq!(redactor.screen("and one one one one"), "and ⟨credit_card:1⟩");
    assert_eq!(redactor.screen("two or three days"), "two or three days");
}

#[test]
fn halves_that_make_a_number_together_are_caught_without_a_word_before() {
    let mut redactor = redactor();
    redactor.screen("four one one one one one one one");
    assert_eq!(redactor.screen("one one one one one one one one"), "⟨credit_card:1⟩");
    redactor.screen("two oh two");
    assert_eq!(redactor.screen("five five five oh one four three"), "⟨phone:1⟩");
    assert_eq!(redactor.phone("⟨phone:1⟩"), Some("2025550143"));
}

#[test]
fn half_a_number_is_forgotten_after_a_while() {
    let mut redactor = redactor();
    redactor.screen("my social is four five six");
    for _ in 0..13 {
        redactor.screen("Hello?");
    }
    assert_eq!(redactor.screen("seven eight nine zero one two"), "seven eight nine zero one two");
}

#[test]
fn the_digits_of_a_claim_are_not_taken_for_the_rest_of_something() {
    let mut redactor = redactor();
    assert_eq!(redactor.screen("my claim number is two oh two"), "my claim number is two oh two");
    assert_eq!(redactor.screen("four one seven"), "four one seven");
    redactor.screen("my claim number is four one one one one one one one");
    assert_eq!(redactor.screen("one one one one one one one one"), "one one one one one one one one");
    assert_eq!(redactor.screen("What is your claim number?"), "What is your claim number?");
    assert_eq!(redactor.screen("two oh four one seven"), "two oh four one seven");
}

#[test]
fn a_question_makes_its_answer_clear() {
    let mut redactor = all();
    redactor.screen("What is your social security number?");
    assert_eq!(redactor.screen("four five six seven eight nine zero one two"), "⟨ssn:1⟩");
    redactor.screen("And your date of birth, please?");
    assert_eq!(redactor.screen("march third sixty one"), "⟨date_of_birth:1⟩");
    redactor.screen("What is your name?");
    assert_eq!(redactor.screen("grace young"), "⟨name:1⟩");
}

#[test]
fn what_is_shown_for_debugging_holds_no_value() {
    let mut redactor = redactor();
    redactor.screen("my social is four five six");
    redactor.screen("202-555-0143");
    let shown = format!("{redactor:?}");
    assert!(!shown.contains("456") && !shown.contains("0143"), "{shown}");
}

proptest! {
    #[test]
    fn no_planted_number_survives(a in 2u32..10, b in 0u32..100, c in 2u32..10, d in 0u32..100, e in 0u32..10_000, lead in "[a-z ]{0,12}") {
        let area = format!("{a}{b:02}");
        let rest = format!("{c}{d:02}");
        let text = format!("{lead} my number is {area}-{rest}-{e:04}, thanks");
        let screened = redactor().screen(&text);
        prop_assert!(!screened.contains(&format!("{e:04}")) || format!("{area}{rest}{e:04}") == "2025550111", "{screened}");
    }

    #[test]
    fn any_text_is_screened_without_panic(text in ".{0,80}") {
        let _ = redactor().screen(&text);
    }
}

#[test]
fn a_number_stays_personal_after_a_sentence_that_gives_it_and_asks_for_something_to_be_filed() {
    let mut redactor = Redactor::default();
    let first = redactor.screen("My number is 202-555-0143, please file it.");
    assert_eq!(first, "My number is ⟨phone:1⟩, please file it.");
    for text in ["I've noted 202-555-0143.", "It is 202-555-0143."] {
        assert!(redactor.screen(text).contains("⟨phone:1⟩"), "{text}");
    }
}

/// Texts of a call with what each becomes.
fn dialogue(texts: &[(&str, &str)]) {
    let mut redactor = redactor();
    for (text, shown) in texts {
        let early = redactor.glimpse(text);
        assert_eq!(redactor.screen(text), *shown, "{text}");
        assert_eq!(early, *shown, "an interim shows no more: {text}");
    }
}

#[test]
fn a_secret_in_pieces_is_one_secret() {
    dialogue(&[
        (
            "my social is five two one, wait, no, four eight eight three seven",
            "my social is ⟨ssn:1⟩, wait, no, ⟨ssn:1⟩",
        ),
        ("sorry, five two one", "sorry, ⟨ssn:1⟩"),
        ("six four", "⟨ssn:1⟩"),
        ("Mm-hm.", "Mm-hm."),
        ("eight eight three seven", "⟨ssn:1⟩"),
        ("again, 521-64-8837", "again, ⟨ssn:2⟩"),
    ]);
    dialogue(&[
        ("What is your social security number?", "What is your social security number?"),
        ("521", "⟨ssn:1⟩"),
        ("uh, hold that, I need my glasses", "uh, hold that, I need my glasses"),
        ("64", "⟨ssn:1⟩"),
        ("8837", "⟨ssn:1⟩"),
    ]);
    dialogue(&[("five two one, wait, no, four eight eight three seven", "⟨ssn:1⟩, wait, no, ⟨ssn:2⟩")]);
    dialogue(&[("521-648837", "⟨ssn:1⟩")]);
    dialogue(&[
        ("mi número de seguro social es cinco dos uno", "mi número de seguro social es ⟨ssn:1⟩"),
        ("no, perdón, cinco dos", "no, perdón, ⟨ssn:1⟩"),
        ("seis cuatro", "⟨ssn:1⟩"),
    ]);
    // A detector that takes the first half for the whole leaves nothing of the rest.
    dialogue(&[("password 0143) 62704", "password ⟨secret:1⟩")]);
}

#[test]
fn what_was_screened_before_is_not_read_anew() {
    dialogue(&[("routing 202 my account ⟨bank_account:1⟩", "routing 202 my account ⟨bank_account:1⟩")]);
}

#[test]
fn what_is_no_secret_stays_after_a_secret_was_named() {
    dialogue(&[
        ("my social is five two one", "my social is ⟨ssn:1⟩"),
        ("I can come in two or three days", "I can come in two or three days"),
        ("What is your claim number?", "What is your claim number?"),
        ("two oh four one seven", "two oh four one seven"),
    ]);
    dialogue(&[
        (
            "Please never tell us your social security number on this line.",
            "Please never tell us your social security number on this line.",
        ),
        ("my case number is 20417", "my case number is 20417"),
        ("four one seven", "four one seven"),
    ]);
    dialogue(&[
        ("my social is five two one", "my social is ⟨ssn:1⟩"),
        ("it opens at 8:30 and there are 3 of us", "it opens at 8:30 and there are 3 of us"),
    ]);
}

#[test]
fn an_interim_is_not_remembered() {
    let mut redactor = redactor();
    redactor.screen("my social is");
    for text in ["five", "five two", "five two one"] {
        redactor.glimpse(text);
    }
    assert_eq!(redactor.screen("five two one six four eight eight three seven"), "⟨ssn:1⟩");
    assert_eq!(redactor.screen("521-64-8837"), "⟨ssn:1⟩");
}

#[test]
fn a_card_within_a_longer_run_of_digits_is_found() {
    for text in ["0000411111111111111100", "98 4111 1111 1111 1111 22 33", "1234-5678-4111-1111-1111-1111"] {
        let screened = redactor().screen(text);
        assert!(!screened.contains("1111"), "{text}: {screened}");
    }
    let parcel = "tracking number 9400111899223197428490";
    assert_eq!(redactor().screen(parcel), parcel);
}

#[test]
fn ordinary_numbers_of_ordinary_callers_stay() {
    let calls: [&[&str]; 5] = [
        &[
            "Do I need my social security card for a passport?",
            "Yes, and a photo ID.",
            "and the fee is a hundred and thirty",
            "It is 130 dollars, and 35 for us.",
            "so one sixty five together",
        ],
        &[
            "What is your claim number?",
            "two oh four",
            "wait, no, two oh four one seven",
            "two oh four one seven",
        ],
        &["Which day suits you?", "the twelfth at ten thirty", "no, sorry, at eleven", "say 11:15"],
        &["How much was the bill?", "eighty four fifty", "no wait, ninety four fifty"],
        &["my permit number is 2 0 2 6", "then 0 0 4 1 7", "again, 2026-00417"],
    ];
    for call in calls {
        let mut redactor = redactor();
        for text in call {
            assert_eq!(redactor.screen(text), *text);
        }
    }
}

#[test]
fn a_telephone_number_that_is_asked_for_after_a_secret_is_one() {
    dialogue(&[
        ("my social is five two one", "my social is ⟨ssn:1⟩"),
        (
            "We do not need it. What number can we call you back at?",
            "We do not need it. What number can we call you back at?",
        ),
        ("two oh two five five five oh one four three", "⟨phone:1⟩"),
    ]);
}
