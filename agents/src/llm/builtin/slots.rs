//! Reading a slot's value out of what was said.

use std::sync::LazyLock;

use chrono::NaiveDateTime;
use regex::Regex;

use super::account;
use super::hear::answer::{YesNo, is_bare_yes_no, yes_no};
use super::hear::digits::{PhoneAnswer, claim_digits, phone, whole_phone};
use super::hear::when::{Direction, When, birth_date, when};
use super::hear::words::{is_question, plain};
use super::hear::{name, place};
use super::script::SlotKind;
use super::state::Filled;

/// What an utterance gave for a slot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Read {
    Value(Filled),
    /// Some digits of a number.
    Part(String),
    /// Digits that are no number.
    Wrong,
    /// The caller cannot or will not say.
    Declined,
    Nothing,
}

/// What readers need to know beside the text.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    pub now: NaiveDateTime,
    pub area_code: &'a str,
    pub digits: &'a str,
}

/// Reads an answer to the slot's own question.
#[must_use]
pub fn answered(kind: SlotKind, text: &str, context: Context<'_>) -> Read {
    let shy = matches!(kind, SlotKind::Name | SlotKind::Place | SlotKind::Address | SlotKind::Proof);
    if shy && declines(text) {
        return Read::Declined;
    }
    let given = match kind {
        SlotKind::Story => account::story(text),
        SlotKind::Text => account::free_text(text),
        SlotKind::Place => {
            other_than_place(text, context.now).then(|| place::answered(text)).flatten().map(same)
        }
        SlotKind::Address => place::address(text).or_else(|| numbered_place(text)).map(same),
        SlotKind::When => when_value(text, context.now, Direction::Past),
        SlotKind::Injured => injured(text, true),
        SlotKind::Name => name::answered(text).map(same),
        SlotKind::Phone => return phone_read(text, context),
        SlotKind::Day => day(text, context.now, true),
        SlotKind::ClaimNumber => claim_number(text),
        SlotKind::Proof => proof(text, context.now),
        SlotKind::Opening => None,
    };
    match given {
        Some(filled) => Read::Value(filled),
        None if declines(text) => Read::Declined,
        None => Read::Nothing,
    }
}

/// Reads a value that was given without being asked for; only what cannot be anything else.
#[must_use]
pub fn stated(kind: SlotKind, text: &str, context: Context<'_>) -> Option<Filled> {
    match kind {
        SlotKind::Place => place::stated(text).map(same),
        SlotKind::Address => place::address(text).map(same),
        SlotKind::When => when_value(text, context.now, Direction::Past),
        SlotKind::Injured => injured(text, false),
        SlotKind::Name => name::stated(text).map(same),
        SlotKind::Phone => whole_phone(text).map(|p| Filled::new(p.e164(), p.spoken())),
        SlotKind::Day => day(text, context.now, false),
        SlotKind::ClaimNumber => stated_claim_number(text),
        SlotKind::Proof => stated_proof(text),
        SlotKind::Story | SlotKind::Text | SlotKind::Opening => None,
    }
}

/// Reads a value out of words that answer no question of ours, but can be little else: a bare name, a place.
#[must_use]
pub fn implied(kind: SlotKind, text: &str, context: Context<'_>) -> Option<Filled> {
    match kind {
        SlotKind::Name => account::bare_name(text).map(same),
        SlotKind::Place if account::opens_place(text) && other_than_place(text, context.now) => {
            place::answered(text).map(same)
        }
        _ => None,
    }
}

fn same(text: String) -> Filled {
    Filled::new(text.clone(), text)
}

pub(super) fn declines(text: &str) -> bool {
    let plain = plain(text);
    place::unknowing(&plain)
        || [
            "anonymous",
            "don't want to say",
            "not telling",
            "don't want to give",
            "none of your business",
            "skip",
            "don't have one",
            "don't have a phone",
            "no phone",
            "prefer not",
            "no number",
            "won't give",
            "no thanks",
            "not give",
            "don't know",
            "don't want to leave",
        ]
        .iter()
        .any(|p| plain.contains(p))
}

// ---------------------------------------------------------------- places and times

/// "My name is …" and a bare phone number answer another question than "where".
fn other_than_place(text: &str, now: NaiveDateTime) -> bool {
    place::stated(text).is_some()
        || (name::stated(text).is_none()
            && !plain(text).contains("name is")
            && whole_phone(text).is_none()
            && !tells_when_only(text, now))
}

/// "Two hours ago", "yesterday around 3": when a few words say a time and nothing else, they are no place.
fn tells_when_only(text: &str, now: NaiveDateTime) -> bool {
    let plain = plain(text);
    let words: Vec<&str> = plain.split(' ').collect();
    let time = |w: &&str| {
        account::TIME_WORDS.contains(w)
            || w.starts_with(|c: char| c.is_ascii_digit())
            || super::hear::number::cardinal_at(&[w]).is_some()
    };
    words.iter().all(time) && when(text, now, Direction::Past).is_some()
}

/// "412 Birchwood" without a suffix is an address too when it was asked for.
fn numbered_place(text: &str) -> Option<String> {
    let answer = place::answered(text)?;
    let (number, street) = answer.split_once(' ')?;
    let street_like =
        street.chars().filter(|c| c.is_alphabetic()).count() > 2 && street.split(' ').count() <= 6;
    (number.chars().all(|c| c.is_ascii_digit()) && street_like && whole_phone(text).is_none())
        .then_some(answer)
}

fn when_value(text: &str, now: NaiveDateTime, direction: Direction) -> Option<Filled> {
    when(text, now, direction).map(|w| Filled::new(w.iso(), w.spoken())).filter(|f| !f.spoken.is_empty())
}

/// A preferred day; "any day" counts when it was asked for.
fn day(text: &str, now: NaiveDateTime, asked: bool) -> Option<Filled> {
    let plain = plain(text);
    let any = [
        "any day",
        "any time",
        "anytime",
        "whenever",
        "as soon as",
        "soonest",
        "earliest",
        "first available",
        "doesn't matter",
        "don't care",
        "no preference",
        "whatever",
        "asap",
        "anything",
        "either",
        "flexible",
        "next available",
        "any",
    ];
    if asked && any.iter().any(|p| plain.contains(p)) {
        return Some(Filled::new("any", "any day"));
    }
    let found = when(text, now, Direction::Future)?;
    if let Some(date) = found.date.filter(|d| *d >= now.date()) {
        let part = found.part.map_or(String::new(), |p| format!(" {p:?}").to_lowercase());
        return Some(Filled::new(format!("{date}{part}"), found.spoken()));
    }
    found.part.filter(|_| asked).map(|p| Filled::new(format!("any {p:?}").to_lowercase(), found.spoken()))
}

/// A corrected time keeps the date it belongs to, and a corrected date its time.
#[must_use]
pub fn merged_when(old: &Filled, new: Filled) -> Filled {
    let parts = |value: &str| {
        let (date, time) = value.split_once('T').unwrap_or((value, ""));
        (date.parse().ok(), chrono::NaiveTime::parse_from_str(time, "%H:%M").ok())
    };
    let ((old_date, old_time), (date, time)) = (parts(&old.value), parts(&new.value));
    if date.is_some() == time.is_some() || (date.is_none() && old_date.is_none()) {
        return new;
    }
    let merged = When { date: date.or(old_date), time: time.or(old_time), part: None };
    Filled::new(merged.iso(), merged.spoken())
}

// ---------------------------------------------------------------- injuries

fn injured(text: &str, asked: bool) -> Option<Filled> {
    static NOBODY: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"\b(nobody|no one|none of us|noone|no body)( \w+)? (hurt|injured)|no injur\w+|(wasn't|weren't|isn't|not|didn't get) (badly |seriously )?(hurt|injured)|without injur\w+|everyone('s| is| was) (fine|ok|okay|all right)|nobody('s| is| was| got)? (hurt|injured)|i'm (fine|okay|ok|all right|not hurt)|(he|she)('s| is| was) (fine|okay|ok)|they('re| are| were) (fine|okay|ok)|no one('s| is| was| got)? (hurt|injured)|only property|just property").ok()
    });
    static SOMEBODY: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"\b((got|was|were|is|are|am|'m|been|badly|somebody|someone) (\w+ )?(hurt|injured|bleeding|bruised)|(hurt|broke|broken|sprained|twisted|cut|injured|fractured|bruised|banged up|scraped|hit|bumped|burned) (my|his|her|their|a|an|the) (\w+ )?(arm|leg|wrist|ankle|knee|back|head|hip|foot|hand|neck|shoulder|face|finger|elbow|nose|ribs?|toe|bone)|injur(y|ies)\b|whiplash|concussion|stitches|taken to (the )?hospital|(went|go|going) to the (hospital|er|emergency room|doctor)|in pain|ambulance (came|took))").ok()
    });
    let plain = plain(text);
    let hit = |re: &LazyLock<Option<Regex>>| re.as_ref().is_some_and(|re| re.is_match(&plain));
    let yes = || Filled::new("yes", "Somebody was hurt");
    let no = || Filled::new("no", "Nobody was hurt");
    if hit(&NOBODY) {
        return Some(no());
    }
    if hit(&SOMEBODY) {
        return Some(yes());
    }
    if !asked || is_question(text) {
        return None;
    }
    match yes_no(text) {
        Some(YesNo::Yes) => Some(yes()),
        Some(YesNo::No) => Some(no()),
        // "My car was hit" says what happened.
        None if account::tells_event(text) => None,
        // "Just me", "my daughter, a little": somebody was.
        None => [
            "just me",
            "my ",
            "a little",
            "minor",
            "a bit",
            "me",
            "he ",
            "she ",
            "one person",
            "two people",
            "slightly",
            "the driver",
        ]
        .iter()
        .any(|p| plain.starts_with(p))
        .then(yes),
    }
}

// ---------------------------------------------------------------- numbers

fn phone_read(text: &str, context: Context<'_>) -> Read {
    match phone(text, context.digits, context.area_code) {
        Some(PhoneAnswer::Whole(found)) => Read::Value(Filled::new(found.e164(), found.spoken())),
        Some(PhoneAnswer::Part(digits)) if digits.len() >= 3 => Read::Part(digits),
        Some(PhoneAnswer::Part(_)) | None if declines(text) => Read::Declined,
        Some(PhoneAnswer::Wrong) => Read::Wrong,
        _ => Read::Nothing,
    }
}

fn claim_number(text: &str) -> Option<Filled> {
    claim_digits(text).as_deref().map(claim)
}

fn stated_claim_number(text: &str) -> Option<Filled> {
    let plain = plain(text).replace(' ', "");
    let marked = plain.contains("clm") || plain.contains("claimnumber") || plain.contains("numberis");
    marked.then(|| claim_number(text)).flatten()
}

fn claim(digits: &str) -> Filled {
    let number = format!("CLM-{digits}");
    Filled::new(number.clone(), number)
}

/// Anything that can be held against a claim's holder: a date of birth, a phone number, or a name.
fn proof(text: &str, now: NaiveDateTime) -> Option<Filled> {
    let known = birth_date(text, now.date()).is_some()
        || whole_phone(text).is_some()
        || name::answered(text).is_some();
    (known && !is_bare_yes_no(text)).then(|| Filled::new(text.trim(), "your details"))
}

/// "Name is Whitfield", "born March 3rd 1961", beside a claim number.
fn stated_proof(text: &str) -> Option<Filled> {
    let plain = plain(text);
    let marked = ["name is", "name's", "last name", "born", "birthday", "date of birth"]
        .iter()
        .any(|m| plain.contains(m));
    marked.then(|| Filled::new(text.trim(), "your details"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use chrono::NaiveDate;

    use super::*;

    fn context() -> Context<'static> {
        let now = NaiveDate::from_ymd_opt(2026, 11, 22).unwrap().and_hms_opt(9, 0, 0).unwrap();
        Context { now, area_code: "202", digits: "" }
    }

    fn value(kind: SlotKind, text: &str) -> Option<String> {
        match answered(kind, text, context()) {
            Read::Value(filled) => Some(filled.value),
            _ => None,
        }
    }

    #[test]
    fn injuries_yes_and_no() {
        for text in [
            "Yes.",
            "I hurt my back.",
            "Yes, my wife broke her arm",
            "She was taken to the hospital",
            "Just me, a little",
            "he's bleeding, I was injured",
        ] {
            assert_eq!(value(SlotKind::Injured, text).as_deref(), Some("yes"), "{text}");
        }
        for text in
            ["No.", "Nobody was hurt.", "no injuries", "Everyone is fine", "No, thank God", "No one got hurt"]
        {
            assert_eq!(value(SlotKind::Injured, text).as_deref(), Some("no"), "{text}");
        }
    }

    #[test]
    fn claim_numbers() {
        for text in [
            "CLM-20417",
            "C L M two oh four one seven",
            "claim number 20417",
            "It's 2 0 4 1 7.",
            "clm 20 417",
        ] {
            assert_eq!(value(SlotKind::ClaimNumber, text).as_deref(), Some("CLM-20417"), "{text}");
        }
        assert_eq!(value(SlotKind::ClaimNumber, "I don't have it"), None);
    }

    #[test]
    fn a_place_is_not_a_name_or_a_number() {
        assert_eq!(value(SlotKind::Place, "My name is John Smith"), None);
        assert_eq!(value(SlotKind::Place, "202 555 0143"), None);
        assert_eq!(value(SlotKind::Place, "yesterday around 3"), None);
        assert_eq!(
            value(SlotKind::Place, "the bus stop by the school").as_deref(),
            Some("the bus stop by the school")
        );
    }

    #[test]
    fn addresses_need_a_number() {
        assert_eq!(value(SlotKind::Address, "412 Birchwood").as_deref(), Some("412 Birchwood"));
        assert_eq!(
            value(SlotKind::Address, "It's four twelve birchwood lane").as_deref(),
            Some("412 Birchwood Lane")
        );
        assert_eq!(value(SlotKind::Address, "next to the school"), None);
    }

    #[test]
    fn declining_is_understood() {
        for kind in [SlotKind::Phone, SlotKind::Name, SlotKind::When] {
            assert_eq!(answered(kind, "I'd rather not say", context()), Read::Declined, "{kind:?}");
        }
    }
}
