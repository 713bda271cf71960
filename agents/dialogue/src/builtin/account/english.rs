//! English accounts.

use std::sync::LazyLock;

use pipeline::ports::Language;
use regex::Regex;

use super::super::slots::declines;
use super::super::state::Filled;
use super::{joined, kept};
use language::Ear;
use language::english::answer::is_bare_yes_no;
use language::english::digits::whole_phone;
use language::english::number::{cardinal_at, ordinal};
use language::english::words::{is_question, plain, without_fillers};
use language::english::{name, place};

const EAR: Ear = Ear(Language::En);

/// What happened, taken from the caller's opening words or from an answer.
#[must_use]
pub fn story(text: &str) -> Option<Filled> {
    let told = told(text);
    // "My name is Sue Chen" answers another question.
    if told.is_empty()
        || is_question(told)
        || whole_phone(told).is_some() && plain(told).split(' ').count() < 12
    {
        return None;
    }
    if particulars_only(text) {
        return None;
    }
    let words = plain(told).split(' ').filter(|w| w.len() > 2).count();
    let answer = is_bare_yes_no(told) || declines(EAR, told);
    let left = plain(before_contact(told)).split(' ').filter(|w| w.len() > 2).count();
    (words >= 2 && left >= 2 && !answer).then(|| account(told))
}

/// The opening words of a task, where they tell more than that there is something to tell.
#[must_use]
pub fn opening_story(text: &str) -> Option<Filled> {
    let told = told(text);
    let content = language::english::terms::terms(told)
        .into_iter()
        .filter(|t| {
            ![
                "report",
                "incident",
                "accident",
                "fil",
                "problem",
                "issu",
                "complaint",
                "hazard",
                "someth",
                "happen",
                "call",
            ]
            .contains(&t.as_str())
        })
        .count();
    // "There is a streetlight out" names one thing, and how it is.
    let state = content == 1 && names_state(&plain(told));
    ((content >= 2 || state) && !is_question(told) && !particulars_only(text)).then(|| account(told))
}

fn account(told: &str) -> Filled {
    kept(EAR, &without_talk(before_contact(told)))
}

/// What happened, without the sentences beside it that tell nothing: "No, no, I want you to file it!", "Write it down, please."
fn without_talk(told: &str) -> String {
    static TALK: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:(?:no|yes|oh|ugh|shoot|well|okay|please|hello|hi|hey|good (?:morning|afternoon|evening|day)|thanks|thank you|like i said|i told you) ?)*(?:(?:i (?:want|need) you to |just |please |can you |could you )*(?:file|report|write|put|fix|take) (?:it|that|this)(?: down| in| up)?(?: please)?|listen|look)?$").expect("clippy compiles every pattern")
    });
    let talk = &*TALK;
    let tells = |part: &&str| !talk.is_match(&plain(part));
    let kept: String = told.split_inclusive(['.', '!', '?']).filter(tells).collect();
    if kept.trim().is_empty() { told.to_owned() } else { kept.trim().to_owned() }
}

/// Who calls and from where has slots of its own: it is cut from the end of an account.
fn before_contact(told: &str) -> &str {
    static CONTACT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)[,.;]?\s*(?:and )?\b(?:my name(?:'s| is)|(?-i:my name,? [A-Z])|my (?:phone |cell |call ?back )?number(?:'s| is)|(?:you can )?(?:call|reach) me (?:back )?(?:at|on))\b").expect("clippy compiles every pattern")
    });
    CONTACT.find(told).map_or(told, |m| &told[..m.start()])
}

/// The account without "hi, I'd like to report that".
fn told(text: &str) -> &str {
    static LEAD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)^(?:(?:hi|hello|hey|yes|yeah|um|uh|so|well|okay|good (?:morning|afternoon|evening))[,.! ]+)*(?:(?:my name is|this is) [a-z'’-]+(?: [a-z'’-]+)?[,.]? (?:and )?)?(?:i(?:'d| would) like to|i want(?:ed)? to|i wanna|i need to|i'm calling to|i am calling to|i have to|can i|could i|calling to|just calling to)? ?(?:i(?:'m| am) calling (?:because|about)|i (?:just |already )+told you|report|file a report(?: about| on)?|make a report(?: about| on)?|let you know(?: that)?|tell you)(?: that| about)?(?: (?:an|the) (?:incident|accident)[,.:;]?(?: that happened)?)?\s*").expect("clippy compiles every pattern")
    });
    let trimmed = without_fillers(text);
    let end = LEAD.find(trimmed).map_or(0, |m| m.end());
    without_fillers(&trimmed[end..])
}

pub fn free_text(text: &str) -> Option<Filled> {
    static LEAD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)^(?:please )?(?:it's about|it is about|tell (?:them|him|her) (?:that )?|the message is|about|just )\s*").expect("clippy compiles every pattern")
    });
    let text = without_fillers(text);
    let end = LEAD.find(text).map_or(0, |m| m.end());
    let rest = &text[end..];
    let content = plain(rest).chars().filter(|c| c.is_alphabetic()).count();
    (content >= 3 && !is_bare_yes_no(rest) && !declines(EAR, rest)).then(|| account(rest))
}

/// What leads to a message, a title with its name behind that, and what links it to the message.
pub fn passing_on() -> (&'static Regex, &'static Regex, &'static Regex) {
    static LEAD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:(?:leave|take|pass (?:on|along)|send|give|get|record)(?: \w+)? (?:a|an|the|my|this|another) (?:quick |short )?message|(?:can|could|would|will) (?:you|y'all|somebody|someone)(?: please| just)? (?:tell|let))\b ?").expect("clippy compiles every pattern")
    });
    static TITLED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)^(?:for |to )?(?:him|her|them|((?:mr|mrs|ms|miss|mister|missus|dr|doctor|officer|deputy|judge|sheriff|commissioner|inspector|supervisor)\.? [a-z'’-]+))\b").expect("clippy compiles every pattern")
    });
    static LINK: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)^(?:(?:know|that says|which says|saying|says|to say|and (?:say|tell (?:him|her|them))|to let (?:him|her|them) know|it's|it is)\b ?)?(?:that\b )?").expect("clippy compiles every pattern")
    });
    (&LEAD, &TITLED, &LINK)
}

/// What a call for a person is about, where the request itself says so: "I need to speak with the assessor".
#[must_use]
pub fn opening_reason(text: &str) -> Option<Filled> {
    // "Can somebody call me about my assessment": who reads the subject knows that a call is wanted.
    static REQUEST: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)^(?:[a-z']+ ){0,5}(?:someone|somebody|anyone|anybody|a person|a human(?: being)?|a real person|one of you|you guys|you)(?: to| can| could| please| just)* (?:call|phone|ring|contact) (?:me|us)(?: back)?,? (?:about|regarding|because|concerning) ").expect("clippy compiles every pattern")
    });
    let bare = EAR.cues().bare_request;
    let names = |text: &str| {
        language::english::terms::terms(text).into_iter().filter(|t| !bare.contains(&t.as_str())).count() >= 1
    };
    let told = told(text);
    let subject = REQUEST.find(told).map_or(told, |lead| &told[lead.end()..]);
    names(text).then(|| account(if names(subject) { subject } else { told }))
}

/// What happened, told anew.
pub fn restated(text: &str) -> Option<Filled> {
    static BEGINS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)(?:\bwhat (?:actually |really )?happened (?:is|was)|\bwhat i (?:said|told you|meant) (?:is|was)|\bno,? (?:\w+,? ){0,3}(?:put|write|say)(?: down)? that)(?: that)?,? ").expect("clippy compiles every pattern")
    });
    static CLOSES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)[,.]? (?:and )?that(?:'s| is| was) (?:what (?:happened|i said|it is)|it|all)\b|[,.]? (?:and )?(?:the rest|everything else)(?: is| was|'s) (?:right|fine|good|okay|correct)\b")
            .expect("clippy compiles every pattern")
    });
    super::anew(&BEGINS, &CLOSES, text).map(account)
}

/// "Just put down that …": what is to stand in it besides.
pub fn added(text: &str) -> Option<&str> {
    static BEGINS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:put|write|note|add|mention)(?: (?:down|in|it|there|too|also))* that ")
            .expect("clippy compiles every pattern")
    });
    // "Did you write that down for me" adds nothing.
    const POINTED: [&str; 10] = ["down", "in", "on", "off", "out", "there", "again", "one", "too", "for"];
    let rest = super::behind(&BEGINS, text)?;
    let first = rest.split_whitespace().next().map(plain).unwrap_or_default();
    (!POINTED.contains(&first.as_str())).then_some(rest)
}

// ---------------------------------------------------------------- event or particulars

/// Words that tell when.
pub const TIME_WORDS: &[&str] = &[
    "ago",
    "yesterday",
    "today",
    "tonight",
    "this",
    "morning",
    "afternoon",
    "evening",
    "night",
    "last",
    "week",
    "month",
    "hour",
    "hours",
    "day",
    "days",
    "minutes",
    "minute",
    "just",
    "now",
    "around",
    "about",
    "maybe",
    "couple",
    "few",
    "it",
    "was",
    "happened",
    "like",
    "o'clock",
    "earlier",
    "weeks",
    "months",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "noon",
    "midnight",
    "at",
    "on",
    "in",
    "the",
    "of",
    "am",
    "pm",
    "past",
    "half",
    "quarter",
    "to",
];

/// Words of a time that is no date.
pub const fn names_time() -> &'static [&'static str] {
    &[
        "since",
        "every",
        "always",
        "ago",
        "day",
        "days",
        "night",
        "nights",
        "week",
        "weeks",
        "weekend",
        "weekends",
        "month",
        "months",
        "year",
        "years",
        "morning",
        "mornings",
        "afternoon",
        "evening",
        "hour",
        "hours",
        "minute",
        "minutes",
        "yesterday",
        "today",
        "tonight",
        "while",
        "long",
        "forever",
        "storm",
        "spring",
        "summer",
        "fall",
        "winter",
        "christmas",
        "recently",
        "lately",
        "after",
        "before",
        "during",
        "now",
        "noon",
        "midnight",
        "earlier",
        "time",
        "times",
        "am",
        "pm",
        "o'clock",
        "last",
        "ever",
    ]
}

/// Words that open a place.
const PREPOSITIONS: &[&str] = &[
    "at", "on", "in", "near", "by", "behind", "outside", "inside", "under", "along", "off", "beside",
    "around", "between", "of", "front", "next", "across", "from", "close", "down", "up", "over", "past",
    "to", "into",
];
/// After a preposition these belong to the place; anywhere else they begin something new.
const DETERMINERS: &[&str] = &["the", "my", "our", "your", "a", "an", "this", "that", "his", "her", "their"];
/// Words that begin a clause: a place ends before them.
const BREAKS: &[&str] = &[
    "i", "we", "he", "she", "they", "it", "there", "someone", "somebody", "and", "when", "because", "but",
    "is", "was", "were", "has", "had", "some", "nobody", "who", "which",
];
/// Stems of words that say that there is an event, but not which.
const GENERIC: &[&str] = &[
    "happen",
    "occur",
    "locat",
    "plac",
    "corner",
    "intersection",
    "address",
    "incident",
    "accident",
    "report",
    "someth",
    "thing",
    "problem",
    "issu",
    "emergency",
    "near",
    "right",
    "city",
    "town",
    "county",
    "know",
    "think",
    "guess",
    "believ",
    "dat",
    "tim",
    "nam",
    "number",
    "phon",
    "call",
    "speak",
    "bad",
    "seriou",
    "terribl",
    "big",
    "small",
    "minor",
];

/// Whether the words tell only where, when or who: the answer to another question than "what happened?".
#[must_use]
pub fn particulars_only(text: &str) -> bool {
    let told = told(text);
    bare_name(told).is_some() || event_terms(told) == 0
}

/// An account that says no more than that there is one: "an accident at the depot".
#[must_use]
pub fn is_thin(account: &str) -> bool {
    event_terms(account) <= 1 && !names_event(&plain(account))
}

/// Whether the words tell that something came about, as an answer to another question would not.
#[must_use]
pub fn tells_event(text: &str) -> bool {
    let plain = plain(text);
    !is_question(text) && plain.split(' ').count() >= 3 && names_event(&plain) && event_terms(told(text)) > 0
}

fn names_event(plain: &str) -> bool {
    static EVENT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(fell|fallen|hit|crashed|broke|broken|slipped|tripped|ran (into|over|off|through)|backed (into|over)|struck|damaged|cracked|smashed|stole|stolen|flooded|leak(ed|ing)|burst|burned|burnt|exploded|knocked|scratched|dented|bit|bitten|attacked|collapsed|blew|blown|sank|slid|skidded|swerved|scraped|dropped|came down|tore|destroyed|blocked|blocking|spilled|dumped|overflow(ed|ing)|caught fire|rear ended|t boned|collided|bumped|totaled|vandali[sz]ed|landed on|threw|thrown|cut off|rolled)\b").expect("clippy compiles every pattern")
    });
    EVENT.is_match(plain)
}

/// Whether the words end with how a thing is: "out", "is gone".
fn names_state(plain: &str) -> bool {
    static STATE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:out|off|down|gone|dead|loose|stuck|missing|crooked|(?:not|isn't|ain't|stopped|quit) (?:on|working)|(?:won't|don't|doesn't) (?:work|close|open|come on|go off|stop))(?: again| now| here)?$")
            .expect("clippy compiles every pattern")
    });
    STATE.is_match(plain)
}

/// What was told first and what came later, as one account.
#[must_use]
pub fn completed(earlier: &Filled, later: &str) -> Filled {
    let later = account(told(later));
    if event_terms(&earlier.value) == 0 {
        return later;
    }
    joined(earlier, &later)
}

/// "John Carter.": two or three words, each with a capital, as recognisers write names.
#[must_use]
pub fn bare_name(text: &str) -> Option<String> {
    let bare = without_fillers(text).trim_end_matches(['.', ',']);
    let words: Vec<&str> = bare.split_whitespace().collect();
    let capital =
        |w: &&str| w.starts_with(char::is_uppercase) && w.chars().skip(1).all(|c| !c.is_uppercase());
    let named = (2..=3).contains(&words.len()) && words.iter().all(capital) && place::stated(bare).is_none();
    named.then(|| name::answered(bare)).flatten()
}

/// "It was at …", "in the lobby": the words begin with a place.
#[must_use]
pub fn opens_place(text: &str) -> bool {
    static OPENING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:(?:it|that|this)(?:'s| is| was| happened| was happening)?|happened)? ?(?:right |just |over |out |up |down )?(?:at|in|on|near|by|behind|outside|inside|under|next to|across from|in front of|along|off|close to) (?:the|my|our|a|an)? ?[a-z]").expect("clippy compiles every pattern")
    });
    OPENING.is_match(&plain(without_fillers(text)))
}

/// How many words are left that may tell an event, without places, times, names and numbers.
fn event_terms(text: &str) -> usize {
    let text = place::stated(text).map_or_else(|| text.to_owned(), |place| without(text, &place));
    let text = before_contact(&text);
    let text = match name::stated(text) {
        Some(name) => without(text, &name),
        None => text.to_owned(),
    };
    // A place ends where the clause does.
    let left: Vec<String> =
        text.split([',', '.', ';', '!']).map(|clause| without_places(&plain(clause))).collect();
    let terms = language::english::terms::terms(&left.join(" "));
    terms.iter().filter(|term| !GENERIC.contains(&term.as_str())).count()
}

fn without(text: &str, part: &str) -> String {
    let (lower, part) = (text.to_lowercase(), part.to_lowercase());
    match lower.find(&part).filter(|_| lower.len() == text.len()) {
        // The comma ends what led to the part: "at", "my name is".
        Some(at) => format!("{}, {}", &lower[..at], &lower[at + part.len()..]),
        None => text.to_owned(),
    }
}

/// A plain clause without its places and times.
fn without_places(plain: &str) -> String {
    let mut kept = Vec::new();
    let mut inside = false;
    let mut opened = false;
    for word in plain.split(' ') {
        if PREPOSITIONS.contains(&word) {
            (inside, opened) = (true, true);
            continue;
        }
        let determiner = DETERMINERS.contains(&word);
        if inside && (BREAKS.contains(&word) || (determiner && !opened)) {
            inside = false;
        }
        opened &= determiner;
        let time = TIME_WORDS.contains(&word) || MONTHS.contains(&word) || counts(word);
        if !(inside || time) {
            kept.push(word);
        }
    }
    kept.join(" ")
}

const MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

fn counts(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
        || cardinal_at(&[word]).is_some()
        || ordinal(word).is_some()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn opening_words_tell_a_story_or_not() {
        assert_eq!(opening_story("I want to report an accident."), None);
        assert_eq!(opening_story("I'd like to file a report"), None);
        let told = opening_story("Hi, I want to report that a tree fell on the road").unwrap();
        assert_eq!(told.value, "A tree fell on the road.");
        assert!(opening_story("There's a huge pothole on Elm Street").is_some());
    }

    #[test]
    fn sentences_that_tell_nothing_are_left_out() {
        for (text, kept) in [
            (
                "No, no, I want you to file it! The street lights are out on Dogwood Lane.",
                "The street lights are out on Dogwood Lane.",
            ),
            ("The traffic light is stuck. Write it down, please.", "The traffic light is stuck."),
            ("A tree fell. It blocks the road.", "A tree fell. It blocks the road."),
            ("Please fix it.", "Please fix it."),
        ] {
            assert_eq!(without_talk(text), kept);
        }
    }

    #[test]
    fn places_times_and_names_are_no_story() {
        for text in [
            "It was at 12 Main Street.",
            "At 12 Main Street, on Friday.",
            "It was at the old mill",
            "In the lobby of the courthouse.",
            "It happened on Elm Street near the library",
            "Yesterday around 3",
            "Last Friday at 3 PM.",
            "On Friday, November 20 at 3 PM at 12 Main Street",
            "John Carter.",
            "My name is Sue Chen.",
            "This is John Carter at 12 Main Street",
            "An accident on Route 9",
            "the corner of 5th and Oak",
        ] {
            assert_eq!(story(text), None, "{text}");
        }
        for text in [
            "A tree branch fell on my car.",
            "I slipped on Elm Street yesterday",
            "Car crash at Main and 5th",
            "At 12 Main Street a tree fell",
            "A bench collapsed under me",
            "The railing on the courthouse steps is loose and I fell.",
            "In the lobby, a pipe burst.",
            "Tree fell.",
            "Somebody hit my fence",
            "There was a big flood in my basement",
        ] {
            assert!(story(text).is_some(), "{text}");
        }
    }

    #[test]
    fn thin_accounts_and_events_are_told_apart() {
        assert!(is_thin("A car accident.") && is_thin("An accident at the depot."));
        assert!(!is_thin("A tree fell on my car."));
        for text in
            ["A tree branch fell on my car.", "well, somebody ran into my fence", "My car was hit by a truck"]
        {
            assert!(tells_event(text), "{text}");
        }
        for text in ["No", "John Carter", "202 555 0143", "Nobody was hurt", "yesterday at 3", "Did it fall?"]
        {
            assert!(!tells_event(text), "{text}");
        }
        let both = completed(&account("a car accident"), "A tree fell on it.");
        assert_eq!(both.value, "A car accident. A tree fell on it.");
        assert_eq!(completed(&account("an accident"), "A tree fell on it.").value, "A tree fell on it.");
    }
}
