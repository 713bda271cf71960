#![allow(clippy::unwrap_used)]

use super::*;

/// Sunday, 22 November 2026, 09:12.
fn now() -> NaiveDateTime {
    NaiveDate::from_ymd_opt(2026, 11, 22).unwrap().and_hms_opt(9, 12, 0).unwrap()
}

#[test]
fn past_dates_and_times() {
    for (text, iso) in [
        ("yesterday around 3", "2026-11-21T15:00"),
        ("It was yesterday at 3:30 p.m.", "2026-11-21T15:30"),
        ("last Tuesday morning", "2026-11-17"),
        ("on Tuesday at ten in the morning", "2026-11-17T10:00"),
        ("June 3rd", "2026-06-03"),
        ("on the third of June", "2026-06-03"),
        ("June third twenty twenty five", "2025-06-03"),
        ("6/3/2025", "2025-06-03"),
        ("December 24th", "2025-12-24"),
        ("this morning", "2026-11-22"),
        ("this morning about eight thirty", "2026-11-22T08:30"),
        ("last night at 11", "2026-11-21T23:00"),
        ("two days ago", "2026-11-20"),
        ("it's been out for like a week", "2026-11-15"),
        ("for about two weeks now", "2026-11-08"),
        ("it's been three days", "2026-11-19"),
        ("a couple of days ago", "2026-11-20"),
        ("about an hour ago", "2026-11-22T08:10"),
        ("just now", "2026-11-22T09:10"),
        ("a week ago", "2026-11-15"),
        ("on the 15th", "2026-11-15"),
        ("the day before yesterday", "2026-11-20"),
        ("Saturday around noon", "2026-11-21T12:00"),
        ("half past four yesterday", "2026-11-21T16:30"),
        ("quarter to five on Friday", "2026-11-20T16:45"),
        ("at ten past seven this morning", "2026-11-22T07:10"),
        ("yesterday at twenty to eight in the morning", "2026-11-21T07:40"),
        ("twenty five past four yesterday", "2026-11-21T16:25"),
        ("November 20, at 2 PM.", "2026-11-20T14:00"),
    ] {
        assert_eq!(when(text, now(), Direction::Past).map(|w| w.iso()).as_deref(), Some(iso), "{text}");
    }
}

#[test]
fn future_days() {
    for (text, iso) in [
        ("Tuesday", "2026-11-24"),
        ("tomorrow morning", "2026-11-23"),
        ("next Friday at 10", "2026-11-27T10:00"),
        ("December 3rd", "2026-12-03"),
        ("January 5", "2027-01-05"),
    ] {
        assert_eq!(when(text, now(), Direction::Future).map(|w| w.iso()).as_deref(), Some(iso), "{text}");
    }
}

#[test]
fn other_words_say_nothing_about_when() {
    for text in [
        "12 Main Street",
        "my number is 202 555 0143",
        "two people",
        "I may need help",
        "at 12 Main Street",
        "John Smith",
        "the second one",
    ] {
        assert_eq!(when(text, now(), Direction::Past), None, "{text}");
    }
}

#[test]
fn dates_are_read_back_in_words() {
    assert_eq!(
        when("yesterday around 3", now(), Direction::Past).unwrap().spoken(),
        "Saturday, November 21, at 3 PM"
    );
    assert_eq!(
        when("last Tuesday morning", now(), Direction::Past).unwrap().spoken(),
        "Tuesday, November 17, in the morning"
    );
}

#[test]
fn births() {
    for text in [
        "March 3rd 1961",
        "3/3/61",
        "03/03/1961",
        "the third of march nineteen sixty one",
        "March third, sixty one",
        "3 3 1961",
    ] {
        assert_eq!(birth_date(text, now().date()), NaiveDate::from_ymd_opt(1961, 3, 3), "{text}");
    }
    assert_eq!(birth_date("yesterday", now().date()), None);
}

proptest::proptest! {
    #[test]
    fn no_text_panics(text in ".{0,60}", words in proptest::collection::vec("(ago|one|two|hundred|days|of|the|half|past|june|3rd|31|at|12:99|last|monday|weeks|9999999|month|quarter|to|february)", 0..8)) {
        let text = format!("{text} {}", words.join(" "));
        let _ = when(&text, now(), Direction::Past);
        let _ = when(&text, now(), Direction::Future);
        let _ = birth_date(&text, now().date());
        let _ = super::super::place::stated(&text);
        let _ = super::super::place::answered(&text);
        let _ = super::super::name::answered(&text);
        let _ = super::super::digits::phone(&text, "20", "202");
        let _ = super::super::answer::choice(&text, 3);
    }
}
