//! Which value is which kind, and what is none.

use std::sync::Arc;

use crate::pii::{Category, Guardian, Kind, KindSet, Public, RiskLevel, Settings, redact_labels};

fn found(text: &str) -> Vec<(Kind, &str)> {
    let findings = Guardian::new().check(text, &Settings::default());
    findings.iter().map(|f| (f.kind, &text[f.start..f.end])).collect()
}

#[test]
fn check_digits_and_ranges_decide() {
    for (text, expected) in [
        ("it is 4111 1111 1111 1111", vec![(Kind::CreditCard, "4111 1111 1111 1111")]),
        ("it is 4111 1111 1111 1112", vec![]),
        ("078-05-1120", vec![(Kind::Ssn, "078-05-1120")]),
        ("000-05-1120", vec![]),
        ("666-05-1120", vec![]),
        ("call 202-555-0143", vec![(Kind::Phone, "202-555-0143")]),
        ("911 or 311 or 988", vec![]),
        ("routing 021000021", vec![(Kind::BankAccount, "021000021")]),
        ("GB82WEST12345698765432", vec![(Kind::BankAccount, "GB82WEST12345698765432")]),
        ("GB82WEST12345698765433", vec![]),
        ("at 192.168.1.300 or 192.168.1.30", vec![(Kind::IpAddress, "192.168.1.30")]),
    ] {
        assert_eq!(found(text), expected, "{text}");
    }
}

#[test]
fn words_beside_a_number_decide_what_it_is() {
    for (text, kind) in [
        ("my social is 123 45 6789", Some(Kind::Ssn)),
        ("my social security number is 123456789", Some(Kind::Ssn)),
        ("the parcel number is 123456789", None),
        ("my account number is 123456789", Some(Kind::BankAccount)),
        ("my water account number is 123456789", None),
        ("my passport is 123456789", Some(Kind::Passport)),
        ("driver's license 123456789", Some(Kind::DriversLicense)),
        ("business license number 123456789", None),
        ("123456789", None),
        ("case number 2411875530", None),
        ("reference number RB-2026-004417", None),
    ] {
        let kinds: Vec<Kind> = found(text).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, kind.into_iter().collect::<Vec<_>>(), "{text}");
    }
}

#[test]
fn the_answer_to_a_question_is_understood() {
    let guardian = Guardian::new();
    let plain = Settings::default();
    let asked = plain.answering("What is your social security number?");
    assert!(guardian.check("sure, 219099999", &plain).is_empty());
    assert_eq!(guardian.check("sure, 219099999", &asked).iter().next().unwrap().kind, Kind::Ssn);
    let born = plain.answering("And your date of birth?");
    assert_eq!(
        guardian.check("on march third i think", &born).iter().next().unwrap().kind,
        Kind::DateOfBirth
    );
    assert!(guardian.check("on march third i think", &plain).is_empty());
}

#[test]
fn what_the_county_prints_is_public() {
    let public = Public::new(["202-555-0111".to_owned()], ["88 Maple Avenue".to_owned()]);
    let settings = Settings { public: Arc::new(public), ..Settings::default() };
    let guardian = Guardian::new();
    assert!(guardian.check("Call 202-555-0111 or two oh two 555 0111.", &settings).is_empty());
    assert!(guardian.check("We live at 88 Maple Avenue", &settings).is_empty());
    assert_eq!(guardian.check("We live at 89 Maple Avenue", &settings).len(), 1);
    assert_eq!(guardian.check("Call 202-555-0112", &settings).len(), 1);
}

const PAGES: &str = "## Hours
The Clerk's office is at 100 Court Square and is open Monday through Friday. Call 202-555-0177.
Apply at the Permit Center, 120 Court Square. The shelter is at 2150 Mill Street.
Sheriff Dana Whitfield answers letters.
Maria Gonzalez, who lives at 12 Oak Street, can be reached at 202-555-0188.";

fn of_the_county() -> Settings {
    let facts = Public::new(["202-555-0110".to_owned()], ["100 Court Square".to_owned()]);
    let pages = Public::of_pages([&Public::of_page(PAGES), &Public::default()]);
    Settings { public: Arc::new(facts.with_pages(Arc::new(pages))), ..Settings::default() }
}

#[test]
fn what_the_county_publishes_is_public_as_callers_say_it() {
    let (guardian, settings) = (Guardian::new(), of_the_county());
    for text in [
        "so I come to 100 Court Square, right",
        "so I come to one hundred court square, right",
        "is that 100 Court Sq.",
        "I went to 120 Court Square yesterday",
        "I was at one twenty court square",
        "do you mean twenty one fifty mill street",
        "I called two oh two five five five oh one one oh",
        "I called 202-555-0177",
        "I wrote to Sheriff Dana Whitfield about it",
        "I voted for Dana Whitfield",
    ] {
        let found = guardian.check(text, &settings);
        assert!(found.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn what_a_page_tells_of_a_person_and_a_home_in_the_same_street_stay_private() {
    let (guardian, settings) = (Guardian::new(), of_the_county());
    for (text, kind) in [
        ("I live at 12 Oak Street", Kind::Address),
        ("I live at 122 Court Square", Kind::Address),
        ("I live at 2152 Mill Street", Kind::Address),
        ("I live at one hundred and two court square", Kind::Address),
        ("I live at 120 Court Square, apartment 4", Kind::Address),
        ("call me at 202-555-0188", Kind::Phone),
        ("I called 202-555-0111", Kind::Phone),
        ("ask for Maria Gonzalez", Kind::Name),
        ("my name is Dana Whitfield", Kind::Name),
    ] {
        let found: Vec<_> = guardian.check(text, &settings).iter().map(|f| f.kind).collect();
        assert_eq!(found, [kind], "{text}");
    }
}

#[test]
fn an_office_has_no_home() {
    assert!(found("The office at 100 Court Square is closed.").is_empty());
    assert!(found("Is the Maple Avenue office open?").is_empty());
    assert_eq!(found("I live at 100 Court Square."), [(Kind::Address, "100 Court Square")]);
}

#[test]
fn where_business_is_done_is_no_home() {
    for text in [
        "Apply at 120 Court Square.",
        "Ask at the Court Clerk, 150 Court Square.",
        "Is the 88 Maple Avenue office open?",
        "Early voting is at 140 Court Square.",
    ] {
        assert!(found(text).is_empty(), "{text}: {:?}", found(text));
    }
}

#[test]
fn dates_of_events_and_numbers_of_things_are_nobody_s() {
    for text in [
        "The birthday party is on May 3, 2026.",
        "The hearing is on March 14, 1999.",
        "Call within five five five days",
        "part 202-555-0143-AX",
        "RB-202-555-0143",
        "at the corner of lee and james",
        "it printed 555 0143 copies",
        "the reading was 11, 0.13, 2.6, 0.6",
        "it took 200 ms wall time",
    ] {
        assert!(found(text).is_empty(), "{text}: {:?}", found(text));
    }
    assert_eq!(found("call 202-555-0143x12 now"), [(Kind::Phone, "202-555-0143x12")]);
}

#[test]
fn places_and_things_with_names_of_persons_are_no_persons() {
    for text in [
        "Is James Street plowed?",
        "the kennedy center is closed",
        "The Maria Lopez Library opens at nine.",
        "the johnson building",
        "Lake Martin Road is flooded",
        "The mike is broken and so is the jack.",
        "Martin Luther King Day is a holiday.",
        "Will the grace period end in May?",
    ] {
        assert!(found(text).is_empty(), "{text}: {:?}", found(text));
    }
    assert_eq!(found("Maria Lopez lives here"), [(Kind::Name, "Maria Lopez")]);
    assert_eq!(found("ask for james"), [(Kind::Name, "james")]);
}

#[test]
fn a_condition_is_somebody_s_or_none() {
    assert_eq!(found("my wife has really bad asthma"), [(Kind::Medical, "asthma")]);
    for text in [
        "do i have diabetes coverage",
        "if i have diabetes can i apply",
        "is there a diabetes class",
        "i have a question about cancer",
        "i have a cancer screening",
    ] {
        assert!(found(text).is_empty(), "{text}: {:?}", found(text));
    }
}

#[test]
fn signs_beside_an_address_are_not_of_it() {
    assert_eq!(found("write to .ann.lee@example.org."), [(Kind::Email, "ann.lee@example.org")]);
    assert_eq!(found("(202) 555-0143,"), [(Kind::Phone, "(202) 555-0143")]);
    assert_eq!(found("(202-555-0143)"), [(Kind::Phone, "202-555-0143")]);
}

#[test]
fn a_password_is_what_is_said_to_be_one() {
    assert_eq!(found("my password is sunshine"), [(Kind::Secret, "sunshine")]);
    assert_eq!(found("my pin is four four one seven"), [(Kind::Secret, "four four one seven")]);
    for text in
        ["my password is not working", "the pin is asked for", "password reset takes 2 days", "token: 0.29"]
    {
        assert!(found(text).is_empty(), "{text}: {:?}", found(text));
    }
}

#[test]
fn settings_choose_kinds_and_confidence() {
    let guardian = Guardian::new();
    let text = "I'm Maria Gonzalez, 202-555-0143";
    let phones = Settings { kinds: KindSet::EMPTY.with(Kind::Phone), ..Settings::default() };
    assert_eq!(guardian.check(text, &phones).len(), 1);
    let sure = Settings { min_confidence: 0.999, ..Settings::default() };
    assert!(guardian.check(text, &sure).is_empty());
    assert_eq!(guardian.check(text, &Settings::default()).len(), 2);
}

#[test]
fn risk_is_that_of_the_gravest_finding() {
    let risk = |text: &str| Guardian::new().check(text, &Settings::default()).risk();
    assert_eq!(risk("When do you open?"), RiskLevel::None);
    assert_eq!(risk("call 202-555-0143"), RiskLevel::Medium);
    assert_eq!(risk("call 202-555-0143, ssn 078-05-1120"), RiskLevel::High);
    assert_eq!(risk("my password is hunter22"), RiskLevel::Critical);
}

#[test]
fn threats_despair_and_promises_are_noted_and_stay_in_the_text() {
    let guardian = Guardian::new();
    for (text, kind, category) in [
        ("I'm going to burn it down", Kind::Threat, Category::Content),
        ("te voy a matar", Kind::Threat, Category::Content),
        ("I don't want to live anymore", Kind::SelfHarm, Category::Content),
        ("quiero morir", Kind::SelfHarm, Category::Content),
        ("this is bullshit", Kind::Profanity, Category::Content),
        ("I guarantee your claim will be paid", Kind::Promise, Category::Policy),
        ("you should sue them", Kind::Advice, Category::Policy),
    ] {
        let findings = guardian.check(text, &Settings::default());
        let finding = findings.iter().next().unwrap();
        assert_eq!((finding.kind, finding.kind.category()), (kind, category), "{text}");
        assert_eq!(redact_labels(text, &findings), text);
        assert_eq!(findings.must_escalate(), kind == Kind::SelfHarm);
    }
    for text in ["who fights the burn ban", "the deadline kills me", "suicide prevention week"] {
        assert!(found(text).is_empty(), "{text}");
    }
}

#[test]
fn labels_stand_in_the_place_of_values_and_nothing_else_changes() {
    let text = "  Señora Ruiz:\t078-05-1120,  (4111 1111 1111 1111)\n";
    let findings = Guardian::new().check(text, &Settings::default());
    assert_eq!(redact_labels(text, &findings), "  [NAME-REDACTED]:\t[SSN-REDACTED],  ([CC-REDACTED])\n");
}

#[test]
fn a_token_that_nobody_made_hides_nothing() {
    assert_eq!(found("⟨note: 078-05-1120⟩").len(), 1);
    assert_eq!(found("⟨phone:2025550143 ext⟩").len(), 1);
    assert!(found("⟨phone:1⟩ [PHONE-REDACTED]").is_empty());
}

/// All digits of one breath are one number: none is left over beside a part that looks like something.
#[test]
fn digits_said_in_one_breath_are_found_whole() {
    for (text, kind, value) in [
        (
            "two one nine oh nine nine eight seven four is what it says",
            Kind::Ssn,
            "two one nine oh nine nine eight seven four",
        ),
        (
            "five oh two nineteen seventy seven forty three",
            Kind::Ssn,
            "five oh two nineteen seventy seven forty three",
        ),
        (
            "oh two one oh oh oh oh two one is printed there",
            Kind::BankAccount,
            "oh two one oh oh oh oh two one",
        ),
        (
            "take it out of six oh oh three one nine eight seven four two two",
            Kind::BankAccount,
            "six oh oh three one nine eight seven four two two",
        ),
        (
            "oh okay two oh two five five five oh one four three",
            Kind::Phone,
            "two oh two five five five oh one four three",
        ),
        (
            "I gave you the last four so two oh two five five five oh one four three",
            Kind::Phone,
            "two oh two five five five oh one four three",
        ),
        ("ask at 212/555-0190", Kind::Phone, "212/555-0190"),
        ("fax the form to 1-602-973-5514 today", Kind::Phone, "1-602-973-5514"),
    ] {
        assert_eq!(found(text), [(kind, value)], "{text}");
    }
    for text in [
        "r b twenty twenty six four four one seven",
        "the error is zero x eight zero zero seven zero zero zero five",
    ] {
        assert!(found(text).is_empty(), "{text}: {:?}", found(text));
    }
}

#[test]
fn a_code_is_found_further_from_its_word_and_before_it() {
    for (text, value) in [
        (
            "license number uh hold on it's in my purse okay s one two three eight eight four one",
            "s one two three eight eight four one",
        ),
        ("I lost my license at the courthouse. The number on it is Y2095583.", "Y2095583"),
        (
            "the officer wrote down s five three zero four four one eight as my license number",
            "s five three zero four four one eight",
        ),
        (
            "it's p like peter one three two four four oh seven that's my license",
            "p like peter one three two four four oh seven",
        ),
        (
            "my Colorado ID nine four two one seven zero three eight six",
            "nine four two one seven zero three eight six",
        ),
        ("the Kansas one k zero four eight eight one two", "k zero four eight eight one two"),
        ("My CDL, R615-2290-4471-03, was suspended.", "R615-2290-4471-03"),
        ("la licencia vieja S1604419 se venció", "S1604419"),
    ] {
        assert_eq!(found(text), [(Kind::DriversLicense, value)], "{text}");
    }
    for text in [
        "a license costs 35 dollars and is good until 12/31/2027",
        "the dog license 20418856 expired",
        "The office in New York, NY 10118 issues no license.",
    ] {
        let licence = found(text).into_iter().find(|(kind, _)| *kind == Kind::DriversLicense);
        assert_eq!(licence, None, "{text}");
    }
}

#[test]
fn a_card_stays_one_beside_a_ticket_and_a_house_is_no_part_of_a_social() {
    let card = "4621386506667157";
    assert_eq!(found("The card for the parking ticket was 4621386506667157."), [(Kind::CreditCard, card)]);
    let said = "two two nine fifty four seventy one sixty three that's my social security number and i'm at sixteen oh five pecan grove road";
    assert_eq!(found(said).iter().filter(|(kind, _)| *kind == Kind::Ssn).count(), 1, "{:?}", found(said));
}

#[test]
fn an_account_is_known_by_its_word_unless_it_is_a_utilitys() {
    for (text, value) in [
        ("wire it to account 38800417265 at our bank", "38800417265"),
        ("the routing is 021000021 and 9003311728 is the account", "9003311728"),
        ("la cuenta 7004418823 está cerrada", "7004418823"),
        (
            "d e eight nine three seven oh four oh oh four four oh five three two oh one three oh oh oh",
            "d e eight nine three seven oh four oh oh four four oh five three two oh one three oh oh oh",
        ),
    ] {
        assert!(found(text).contains(&(Kind::BankAccount, value)), "{text}: {:?}", found(text));
    }
    for text in ["my electric account 38800417265", "the account was closed on 11.23.1994"] {
        assert!(!found(text).iter().any(|(kind, _)| *kind == Kind::BankAccount), "{text}: {:?}", found(text));
    }
}

#[test]
fn a_date_is_a_birthday_by_whom_it_is_said_of() {
    for (text, value) in [
        ("sure it's seven fourteen eighty six", "seven fourteen eighty six"),
        ("nineteen sixty two november fourth that's my birthday", "nineteen sixty two november fourth"),
        ("october ninth twenty fifteen he just turned nine", "october ninth twenty fifteen"),
        ("I'm the one with the 10/10/1974 birth date", "10/10/1974"),
        ("5/30/2019 as her birth date", "5/30/2019"),
        ("The client (b. 6 May 1938) asks", "6 May 1938"),
        ("423-71-6650, 07/19/1991", "07/19/1991"),
    ] {
        assert!(found(text).contains(&(Kind::DateOfBirth, value)), "{text}: {:?}", found(text));
    }
    for text in [
        "The ordinance of March 3, 1998 is in force.",
        "it's been closed since june fifth nineteen ninety eight",
        "it's one eight oh five nine six four seven one two three",
        "The hearing is on 10/10/2026.",
    ] {
        assert!(!found(text).iter().any(|(kind, _)| *kind == Kind::DateOfBirth), "{text}: {:?}", found(text));
    }
}

#[test]
fn an_address_of_a_machine_is_apart_from_other_numbers_and_no_mask() {
    assert_eq!(
        found("They came from 45.131.7.18 and 45.131.7.22."),
        [(Kind::IpAddress, "45.131.7.18"), (Kind::IpAddress, "45.131.7.22")]
    );
    let six = "two six oh seven colon f b nine zero colon one c two d colon colon five";
    assert_eq!(found(six), [(Kind::IpAddress, six)]);
    assert!(found("Set the mask to 255.255.255.0 first.").is_empty());
    assert!(found("see section 4.2.1.3").is_empty());
}

#[test]
fn a_license_is_known_by_the_shape_that_states_give_it() {
    for text in [
        "W530-118-76-402-0",
        "G3582 61904 77120",
        "S530-4468-9120",
        "k five three zero four eight two one nine seven six six four",
    ] {
        assert_eq!(found(text), [(Kind::DriversLicense, text)]);
    }
    assert!(found("Form W530-118-7 and room G35 are no such thing").is_empty());
}

#[test]
fn what_follows_a_whole_social_security_number_is_no_part_of_it() {
    let text = "Applicant SSN 411-87-5502 / 1604 Garnet St";
    assert_eq!(found(text), [(Kind::Ssn, "411-87-5502"), (Kind::Address, "1604 Garnet St")]);
}

#[test]
fn an_e_mail_address_of_plain_words_begins_after_what_introduces_it() {
    for (text, address) in [
        (
            "it's ghost pepper nine nine at proton mail dot com",
            "ghost pepper nine nine at proton mail dot com",
        ),
        ("my address is trail runner six at fastmail dot com", "trail runner six at fastmail dot com"),
        ("use tips at the foothill sentinel dot com", "tips at the foothill sentinel dot com"),
    ] {
        assert_eq!(found(text), [(Kind::Email, address)]);
    }
    assert!(found("look at the county dot gov page").is_empty());
}

#[test]
fn dashes_that_are_said_make_a_social_security_number() {
    let number = "two three five dash four zero dash six six eight nine";
    assert_eq!(found(&format!("i don't do that over the phone but okay {number}")), [(Kind::Ssn, number)]);
}

#[test]
fn numbers_keep_their_kind_however_they_are_grouped_and_far_from_their_word() {
    for (text, expected) in [
        ("it's 505 288 6 1 3 7, ask for me", (Kind::Phone, "505 288 6 1 3 7")),
        ("El seguro, sí, es el 584 71 20 39", (Kind::Ssn, "584 71 20 39")),
        ("my number is 412 867 0178 uh extension 9", (Kind::Phone, "412 867 0178 uh extension 9")),
        ("um you can get me at 5 3 0 8 4 2 double 7 1 6 after", (Kind::Phone, "5 3 0 8 4 2 double 7 1 6")),
        ("The deposit account is 701-338-2260, thank you", (Kind::BankAccount, "701-338-2260")),
        (
            "My deposit went to the old account. The one I use now ends the same but is 7702-1948-31.",
            (Kind::BankAccount, "7702-1948-31"),
        ),
        (
            "mi licencia es la efe siete uno nueve cero cuatro dos ocho",
            (Kind::DriversLicense, "efe siete uno nueve cero cuatro dos ocho"),
        ),
        ("uh the number on my license is vq 660 183 ohio", (Kind::DriversLicense, "vq 660 183")),
        ("My Medicare paperwork says 294, 50, 6631, with an A after", (Kind::Ssn, "294, 50, 6631")),
        (
            "my full social okay let me get my card it's one nine three sixty two fifty seven eighty four",
            (Kind::Ssn, "one nine three sixty two fifty seven eighty four"),
        ),
        (
            "Off the license? It's S, 5 3 0, 4 4 7, 9 1 2, 0 8 6.",
            (Kind::DriversLicense, "S, 5 3 0, 4 4 7, 9 1 2, 0 8 6"),
        ),
        (
            "pues en la licencia dice dos siete cero cinco cinco ocho uno tres es de texas",
            (Kind::DriversLicense, "dos siete cero cinco cinco ocho uno tres"),
        ),
        (
            "sí nueve cero nueve tres seis siete ocho ocho dos cuatro o si no a la casa",
            (Kind::Phone, "nueve cero nueve tres seis siete ocho ocho dos cuatro"),
        ),
    ] {
        assert_eq!(found(text), [expected], "{text}");
    }
    // A part of a longer number is nobody's telephone.
    let parcel =
        "the parcel number it's oh five dash one one two dash three three dash four four dash oh oh one nine";
    assert_eq!(found(parcel), []);
}

#[test]
fn names_of_lists_and_with_initials_are_whole() {
    for (text, name) in [
        ("Solicitante: MALDONADO CRESPO, ÁNGEL LUIS. Falta evidencia.", "MALDONADO CRESPO, ÁNGEL LUIS"),
        ("Juror no. 114, Price, Leland T., Jr., excused", "Price, Leland T., Jr."),
        ("D'Andre Q. Whitfield Sr. requests honor guard", "D'Andre Q. Whitfield Sr."),
        ("Está a nombre de mi suegra, Altagracia Polanco de Jesús.", "Altagracia Polanco de Jesús"),
        ("Thank-you card for the Mbeki-Thompson family", "Mbeki-Thompson"),
        ("A voucher for Crystal Yellowhorse", "Crystal Yellowhorse"),
    ] {
        assert_eq!(found(text), [(Kind::Name, name)], "{text}");
    }
    assert_eq!(found("The Grace Lutheran food shelf would like a sign permit."), []);
}

#[test]
fn businesses_crossings_and_receipts_are_nobody() {
    for text in [
        "The truck has a plate frame from Dave Smith Motors, but no plate on it.",
        "Quote 40917 from Anderson Paving: 220 tons at $88.50 per ton.",
        "Thanks for fixing the swing at Susan B. Anthony Playground so fast!",
        "the light at lincoln and roosevelt stays red for like four minutes",
        "The receipt number is 0093-5518-2, and the window was number 7.",
        "La oficina estará cerrada el lunes 20 de enero.",
        "The elevator in the Thurgood Marshall courthouse has been out.",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
    let owner = "Please remove Dorothy Quill, 6 Abbey Lane, Unit 2, Nashua, NH 03060";
    let expected = [(Kind::Name, "Dorothy Quill"), (Kind::Address, "6 Abbey Lane, Unit 2, Nashua, NH 03060")];
    assert_eq!(found(owner), expected);
}
