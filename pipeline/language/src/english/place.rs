//! Places: street addresses, corners, roads, and "near the library".

use std::sync::LazyLock;

use regex::Regex;

use super::cues::ENGLISH;
use super::number::street_number_at;
use super::words::{is_question, plain, title_case, without_fillers};

const SUFFIX: &str = "street|st|avenue|ave|road|rd|drive|dr|lane|ln|boulevard|blvd|court|ct|place|pl|way|highway|hwy|circle|parkway|pkwy|terrace|trail|pike|alley|square|crossing|row";

static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?i)\b\d{{1,6}}[a-z]?\s+(?:(?:north|south|east|west|n|s|e|w)\.?\s+)?(?:[a-z0-9'’]+\s+){{0,3}}?[a-z0-9'’]+\s+(?:{SUFFIX})\b\.?(?:,?\s*(?:apartment|apt|unit|suite|lot|#)\.?\s*[a-z0-9]+\b)?"
    ))
    .expect("a test compiles this pattern")
});
static CORNER: LazyLock<Regex> = LazyLock::new(|| {
    let part = format!(r"(?:[a-z0-9'’]+\s+){{0,2}}?[a-z0-9'’]+(?:\s+(?:{SUFFIX}))?");
    Regex::new(&format!(
        r"(?i)\b(?:(?:corner|intersection)\s+of|where)\s+({part})\s+(?:and|at|&|meets|crosses)\s+({part})\b"
    ))
    .expect("a test compiles this pattern")
});
static CROSSING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?i)\b(?:at|on|near|by)\s+((?:\d+(?:st|nd|rd|th)|[A-Z][a-z]+)(?:\s+(?:{SUFFIX}))?\s+and\s+(?:\d+(?:st|nd|rd|th)|[A-Z][a-z]+)(?:\s+(?:{SUFFIX}))?)\b"
    ))
    .expect("a test compiles this pattern")
});
/// Two roads by their names amid other words.
static ROADS: LazyLock<Regex> = LazyLock::new(|| {
    let part = format!(r"(?:[A-Z][\w'’]+|\d+(?:st|nd|rd|th))(?:\s+(?i:{SUFFIX}))?");
    Regex::new(&format!(r"\b({part})\s+and\s+({part})\b")).expect("a test compiles this pattern")
});
static ROAD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?i)\b(?:on|along|at|off|near|by)\s+((?:the\s+)?(?:[a-z0-9'’]+\s+){{1,3}}?(?:{SUFFIX}|bridge|park|school|library|bypass)|(?:route|highway|interstate|county road)\s+\d+)\b"
    ))
    .expect("a test compiles this pattern")
});
static LANDMARK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b((?:in front of|behind|outside|inside|across from|next to|near|beside|under|at)\s+the\s+[a-z][a-z'’ ]{2,50})").expect("clippy compiles every pattern")
});

/// "County Road 12".
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:route|highway|interstate|(?:county|state|farm) road)\s+\d+\b")
        .expect("clippy compiles every pattern")
});
static SUFFIXED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&format!(r"(?i)\s(?:{SUFFIX})\b")).expect("a test compiles this pattern"));

/// What announces a house number, in plain words, and what may stand between.
pub(crate) const HOUSE: &[&str] = &[
    "house number",
    "house number's",
    "house numbers",
    "street number",
    "street number's",
    "building number",
    "number of the house",
    "number on the house",
    "my house is number",
    "the house is number",
];
pub(crate) const HOUSE_LINKS: &[&str] =
    &["is", "it's", "it", "its", "the", "that's", "should", "be", "number", "was", "and", "so", "no", "not"];

/// Words that end a place: what follows is when or what happened.
static TAIL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)[,]?\s+(?:yesterday|today|tonight|tomorrow|this (?:morning|afternoon|evening)|last (?:night|week|month|\w+day)|around \d|about \d|at (?:about|around) |at \d+ ?(?:am|pm|a\.m|p\.m|o'clock)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:two|three|a few|\d+) (?:days|hours|minutes|weeks) ago|and (?:i|he|she|it|my|the|there|nobody|no one|we|they)\b|when |because |that |who |is |was |has |my (?:name|number|phone)|please\b).*$").expect("clippy compiles every pattern")
});

/// Words for how far something is, in plain words.
#[must_use]
pub const fn distances() -> &'static [&'static str] {
    &["mile", "miles", "feet", "foot", "yards", "block", "blocks"]
}

/// A place the caller gives without being asked.
#[must_use]
pub fn stated(text: &str) -> Option<String> {
    let text = digits_for_words(text);
    let found = street_address(&text)
        .or_else(|| corner(&text))
        .or_else(|| group(&CROSSING, &text))
        .or_else(|| group(&ROAD, &text).filter(|place| !vague(place)))
        .or_else(|| NUMBERED.find(&text).map(|road| road.as_str().to_owned()));
    let found = found
        .map(|place| title_case(&tidy(&place)))
        .or_else(|| group(&LANDMARK, &text).map(|place| tidy(&place)).filter(|place| !vague(place)));
    found.filter(|place| place.chars().filter(|c| c.is_alphabetic()).count() > 2)
}

/// "At the park" does not say which one.
fn vague(place: &str) -> bool {
    const KINDS: &[&str] = &[
        "park",
        "school",
        "bridge",
        "library",
        "playground",
        "bus stop",
        "corner",
        "street",
        "road",
        "store",
        "office",
        "house",
        "end",
        "moment",
        "time",
        "same time",
    ];
    let plain = plain(place);
    const WHOSE: [&str; 8] = ["my", "our", "your", "his", "her", "their", "this", "that"];
    if plain.split_once(' ').is_some_and(|(first, kind)| WHOSE.contains(&first) && !kind.contains(' ')) {
        return true;
    }
    KINDS
        .iter()
        .any(|kind| plain == *kind || plain == format!("the {kind}") || plain == format!("at the {kind}"))
}

/// Whether a kind of street is among the words.
pub(crate) fn names_way(place: &str) -> bool {
    SUFFIXED.is_match(place) || NUMBERED.is_match(place)
}

/// A full street address, with a number.
#[must_use]
pub fn address(text: &str) -> Option<String> {
    street_address(&digits_for_words(text)).map(|place| title_case(&tidy(&place)))
}

/// A place in answer to "Where did it happen?": anything that is not plainly something else.
#[must_use]
pub fn answered(text: &str) -> Option<String> {
    if let Some(address) = address(text).or_else(|| corner(text).map(|c| tidy(&c))) {
        return Some(address);
    }
    let bare = without_fillers(text);
    if let Some(roads) = last_crossing(bare) {
        return Some(roads);
    }
    let plain = plain(bare);
    let content = plain.split(' ').filter(|w| w.len() > 1).count();
    if is_question(text)
        || unknowing(&plain)
        || super::answer::is_bare_yes_no(bare)
        || content == 0
        || content > 25
    {
        return None;
    }
    let stripped = strip_lead(bare);
    Some(tidy(&digits_for_words(stripped))).filter(|place| place.chars().any(char::is_alphabetic))
}

/// "A pothole", of "a pothole out" with "on Mill Road" behind it. "A tree down" tells something.
#[must_use]
pub fn without_pointer<'t>(words: &'t str, after: &str) -> &'t str {
    const PLACE: [&str; 7] = ["here on ", "there on ", "on ", "here in ", "there in ", "by ", "at "];
    let pointed = [" out", " over"].into_iter().find_map(|out| words.strip_suffix(out));
    pointed.filter(|_| PLACE.iter().any(|on| after.trim_start().starts_with(on))).unwrap_or(words)
}

/// "I don't know" and its kin.
#[must_use]
pub fn unknowing(plain: &str) -> bool {
    [
        "don't know",
        "do not know",
        "not sure",
        "no idea",
        "can't remember",
        "don't remember",
        "dunno",
        "unknown",
        "skip",
        "rather not",
        "pass on",
        "can't say",
        "couldn't say",
        "no clue",
    ]
    .iter()
    .any(|p| plain.contains(p))
}

/// "One, the street light is out" names no house.
fn street_address(text: &str) -> Option<String> {
    const SMALL: [&str; 16] = [
        "the", "a", "an", "my", "this", "that", "our", "your", "his", "her", "of", "and", "or", "in", "on",
        "at",
    ];
    let named = |address: &&str| {
        let words: Vec<String> = address.split_whitespace().map(str::to_lowercase).collect();
        // "418 blocking one lane" is what happened there.
        let tells = words[1..].iter().any(|word| word.ends_with("ing") && word.len() > 5);
        words.get(1).is_some_and(|word| !SMALL.contains(&word.as_str())) && !tells
    };
    ADDRESS.find_iter(text).map(|m| m.as_str()).find(named).map(str::to_owned)
}

fn group(pattern: &LazyLock<Regex>, text: &str) -> Option<String> {
    pattern.captures(text)?.get(1).map(|m| m.as_str().to_owned())
}

fn corner(text: &str) -> Option<String> {
    let found = CORNER.captures(text)?;
    // "On Tuesday and then" is no corner.
    let named = |n: usize| {
        let first = found.get(n).map(|m| plain(m.as_str())).unwrap_or_default();
        let first = first.split(' ').next().unwrap_or_default().to_owned();
        let weekday = ENGLISH.weekdays.iter().any(|day| day.eq_ignore_ascii_case(&first));
        !weekday && !["then", "there", "now", "also", "yesterday"].contains(&first.as_str())
    };
    if !named(1) || !named(2) {
        return None;
    }
    let name = |n: usize| found.get(n).map(|m| title_case(m.as_str()));
    Some(format!("the corner of {} and {}", name(1)?, name(2)?))
}

/// The crossing that was named last: "Harper, hang on, not Benson, Harper Road and Birch".
fn last_crossing(text: &str) -> Option<String> {
    let is_road = |place: &str| SUFFIXED.is_match(place);
    let found = ROADS.find_iter(text).map(|m| m.as_str()).filter(|m| is_road(m)).last()?;
    (text.split_whitespace().count() > found.split_whitespace().count() + 2).then(|| title_case(found))
}

fn strip_lead(text: &str) -> &str {
    static LEAD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)^(?:it(?: is|'?s| was| happened)|that(?: is|'s| was| happened)|this (?:is|was|happened)|the address is|my address is|address is|i live|i'm|i am|we're|it will be|it'll be|happened|located)\s+(?:right |over |located |just )?").expect("clippy compiles every pattern")
    });
    let after = LEAD.find(text).map_or(text, |m| &text[m.end()..]);
    // "It's, uh, on Dutton Street": people think after the lead.
    let after = if after.len() < text.len() { without_fillers(after) } else { after };
    ["at ", "on ", "in ", "At ", "On ", "In "].iter().find_map(|p| after.strip_prefix(p)).unwrap_or(after)
}

fn tidy(place: &str) -> String {
    let cut = TAIL.replace(place, "").into_owned();
    cut.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '.' | ';' | '!' | '?')).to_owned()
}

/// Number words before a street name become digits: "twelve main street" → "12 main street".
fn digits_for_words(text: &str) -> String {
    let text = crate::numbers::ungrouped(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let bare: Vec<String> = words.iter().map(|w| plain(w)).collect();
    let bare: Vec<&str> = bare.iter().map(String::as_str).collect();
    let mut out: Vec<String> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let number = bare[at].parse::<u32>().is_err().then(|| street_number_at(&bare[at..])).flatten();
        match number.filter(|(_, used)| suffix_follows(&bare[at + used..])) {
            Some((value, used)) => {
                out.push(value.to_string());
                at += used;
            }
            None => {
                out.push(words[at].to_owned());
                at += 1;
            }
        }
    }
    out.join(" ")
}

fn suffix_follows(rest: &[&str]) -> bool {
    rest.iter().take(5).skip(1).any(|word| SUFFIX.split('|').any(|s| s == *word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_made_of_parts_compiles() {
        for pattern in [&ADDRESS, &CORNER, &CROSSING, &ROADS, &ROAD, &SUFFIXED] {
            assert!(!pattern.as_str().is_empty());
        }
    }

    #[test]
    fn places_given_unasked() {
        for (text, place) in [
            ("There's a big pothole at 12 Main Street, yesterday.", "12 Main Street"),
            ("It's 3,900 Quarry Road.", "3900 Quarry Road"),
            ("A tree fell at twelve forty five oak avenue this morning", "1245 Oak Avenue"),
            ("at the corner of 5th and Oak", "the corner of 5th and Oak"),
            ("the corner of fifth and oak street", "the corner of Fifth and Oak Street"),
            ("I slipped on Elm Street yesterday around 3", "Elm Street"),
            ("a car hit the sign on Route 9", "Route 9"),
            ("I fell in front of the library last night", "in front of the library"),
            ("at Main and 5th", "Main and 5th"),
            ("my address is 400 North River Road, apartment 2B", "400 North River Road, apartment 2B"),
        ] {
            assert_eq!(stated(text).as_deref(), Some(place), "{text}");
        }
        for text in [
            "I want to report an accident",
            "my number is 202 555 0143",
            "What time is it?",
            "One, the street light is out, and two, a question",
            "by number 418 blocking one lane",
            "It was on Tuesday",
        ] {
            assert_eq!(stated(text), None, "{text}");
        }
    }

    #[test]
    fn places_asked_for() {
        for (text, place) in [
            ("Um, it was at the old mill.", "the old mill"),
            ("Corner of Harper, hang on, not Benson, Harper Road and Birch.", "Harper Road and Birch"),
            ("Behind the school on Elm Street", "Behind the school on Elm Street"),
            ("twelve main street", "12 Main Street"),
            ("in the parking lot", "the parking lot"),
            ("Riverside Park, near the swings.", "Riverside Park, near the swings"),
            ("its uh on Dutton Street kinda near the laundromat", "Dutton Street kinda near the laundromat"),
        ] {
            assert_eq!(answered(text).as_deref(), Some(place), "{text}");
        }
        for text in ["I don't know", "Yes", "What do you mean?", ""] {
            assert_eq!(answered(text), None, "{text}");
        }
    }
}
