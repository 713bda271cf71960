//! Names of people.

use std::sync::LazyLock;

use regex::Regex;

use super::words::{is_question, plain, title_case, without_fillers};
use crate::Language;
use crate::sound::likeness;
use crate::spelling::as_letters;

/// Words that follow "I'm" or "this is" without being a name, or that end one.
const NOT_NAMES: &[&str] = &[
    "well",
    "wait",
    "hold",
    "never",
    "what",
    "are",
    "is",
    "does",
    "did",
    "a",
    "about",
    "afraid",
    "again",
    "all",
    "an",
    "and",
    "angry",
    "at",
    "back",
    "because",
    "bleeding",
    "but",
    "calling",
    "done",
    "fine",
    "for",
    "from",
    "getting",
    "going",
    "good",
    "great",
    "having",
    "he",
    "her",
    "here",
    "his",
    "hoping",
    "how",
    "hurt",
    "i",
    "i'm",
    "in",
    "interested",
    "is",
    "it",
    "it's",
    "just",
    "late",
    "like",
    "looking",
    "lost",
    "me",
    "my",
    "no",
    "not",
    "number",
    "of",
    "ok",
    "okay",
    "on",
    "one",
    "open",
    "or",
    "our",
    "phone",
    "please",
    "pretty",
    "really",
    "ready",
    "reporting",
    "resident",
    "right",
    "sorry",
    "still",
    "stop",
    "stuck",
    "stupid",
    "sure",
    "terrible",
    "thank",
    "thanks",
    "that",
    "that's",
    "the",
    "there",
    "they",
    "this",
    "tired",
    "to",
    "trying",
    "unhappy",
    "upset",
    "very",
    "waiting",
    "was",
    "we",
    "what",
    "what's",
    "when",
    "where",
    "who",
    "why",
    "with",
    "wondering",
    "wrong",
    "yes",
    "you",
    "your",
    "ridiculous",
    "urgent",
    "an",
    "absurd",
    "nonsense",
    "next",
    "near",
    "between",
    "happening",
    "so",
    "too",
    "also",
    "street",
    "road",
    "avenue",
    "over",
    "outside",
    "home",
    "new",
    "old",
    "seven",
    "eight",
    "tuesday",
    "monday",
    "friday",
    "morning",
    "afternoon",
    "tomorrow",
    "today",
    "yesterday",
    "spelled",
    "spelt",
    "by",
    "calling",
    "house",
    "broken",
    "blocked",
    "i'd",
    "i'll",
    "i've",
    "don't",
    "can't",
    "won't",
    "rather",
    "didn't",
    "a.m",
    "p.m",
    "anonymous",
    "out",
    "down",
    "off",
    "nobody",
    "somebody",
    "everybody",
    "everyone",
];

/// Likeness (0–1) of a word and its spelling, as recognisers hear letters.
const SAME_NAME: f32 = 0.7;
/// Letters that are too few to be a name of their own where one was said before them.
const FRAGMENT: usize = 4;

static STATED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:my (?:first |last |full )?name(?: is|'s)|the name(?: is|'s)|name(?: is|'s)|this is|i am|i'm|it is|it's|i go by|(?:last|first) name(?: is|'s)?|under|call me)\s+(?:mr\.? |mrs\.? |ms\.? |dr\.? |doctor )?(.+)",
    )
    .expect("clippy compiles every pattern")
});
static FIRM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:my (?:first |last |full )?name(?: is|'s)|the name(?: is|'s)|i go by|call me|this is|^(?:hi|hello|hey)[,.!]? i'm|(?:last|first) name(?: is|'s)?)\s+(?:mr\.? |mrs\.? |ms\.? |dr\.? |doctor )?(.+)").expect("clippy compiles every pattern")
});

/// "My name Ray Dawkins": recognisers lose the "is".
static LINKLESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b[Mm]y name,? ([A-Z][\w'’-]+(?: [A-Z][\w'’-]+){1,2})")
        .expect("clippy compiles every pattern")
});

/// What a last name is called.
pub const LAST_NAME: &[&str] = &["last name", "last name's", "surname", "family name"];

/// Both names by what they are called: the first before the last, and the last before the first.
pub fn both_named() -> &'static [Regex; 2] {
    static NAMED: LazyLock<[Regex; 2]> = LazyLock::new(|| {
        let first = r"\bfirst name(?:'s|,| is| was)*\s+([\w'-]+)";
        let last = r"\b(?:last name|surname|family name)(?:'s|,| is| was)*\s+([\w'-]+)";
        [format!("(?i){first}.*?{last}"), format!("(?i){last}.*?{first}")]
            .map(|pattern| Regex::new(&pattern).expect("a test reads both"))
    });
    &NAMED
}

/// A name the caller gives without being asked: "my name is Ana Lopez", "this is Ana Lopez".
#[must_use]
pub fn stated(text: &str) -> Option<String> {
    let named = |pattern: &LazyLock<Regex>| clean(pattern.captures(text)?.get(1)?.as_str());
    named(&FIRM).or_else(|| named(&LINKLESS))
}

/// A name in answer to "What is your name?".
#[must_use]
pub fn answered(text: &str) -> Option<String> {
    let own = own_words(text);
    let text = own.as_str();
    if let Some(found) = STATED.captures(text).and_then(|c| c.get(1))
        && let Some(name) = clean(found.as_str())
    {
        return Some(name);
    }
    let bare = without_fillers(text);
    if is_question(text) || super::answer::is_bare_yes_no(bare) {
        return None;
    }
    clean(bare).or_else(|| appositive(bare))
}

/// Without what is said of somebody else: "her name is Rose and I'm …".
fn own_words(text: &str) -> String {
    static OTHERS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:her|his|their|its) (?:first |last )?name(?: is|'s) [\w'’-]+(?: [A-Z][\w'’-]+)?[,.]?(?: (?:and|but))?\s*").expect("clippy compiles every pattern")
    });
    OTHERS.replace_all(text, "").into_owned()
}

/// "I'm her daughter, Jill Adams": a name after the last comma.
fn appositive(text: &str) -> Option<String> {
    let (_, tail) = text.rsplit_once(',')?;
    let words: Vec<&str> = tail.split_whitespace().collect();
    let named = (1..=3).contains(&words.len()) && words.iter().all(|w| w.starts_with(char::is_uppercase));
    named.then(|| clean(tail)).flatten()
}

static TITLE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\s*(?:mrs|mr|ms|miss|dr|doctor|mister|missus|sir|madam)\b\.?\s+")
        .expect("clippy compiles every pattern")
});

/// Takes the name from the start of `text`: up to four words, or letters spelled out.
fn clean(text: &str) -> Option<String> {
    if let Some(name) = spelled(text) {
        return Some(name);
    }
    // The point of "Mrs. Fitch" ends no sentence, and "Mrs" is no name.
    let text = TITLE.replace(text, "");
    let clause = text.split([',', '.', ';', '?', '!']).next().unwrap_or_default();
    let mut kept: Vec<&str> = Vec::new();
    for word in clause.split_whitespace() {
        let bare = plain(word);
        let counts = super::number::cardinal_at(&[bare.as_str()]).is_some() || bare.contains("o'clock");
        if NOT_NAMES.contains(&bare.as_str())
            || bare.is_empty()
            || counts
            || bare.chars().any(|c| c.is_ascii_digit())
        {
            break;
        }
        kept.push(word.trim_matches(|c: char| !c.is_alphanumeric()));
    }
    // More than four words in a row are a sentence, not a name.
    let length_fits = (1..=4).contains(&kept.len());
    let letters = kept.iter().map(|w| w.chars().count()).sum::<usize>();
    (length_fits && letters > 1).then(|| title_case(&kept.join(" ")))
}

/// Letters one by one: "J O H N", "J-O-H-N", "Smith, S M I T H", "last name L O P E Z".
#[must_use]
pub fn spelled(text: &str) -> Option<String> {
    let text = as_letters(Language::En, text);
    let mut letters = String::new();
    let mut before: Vec<&str> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for word in text.split_whitespace().chain(["|"]) {
        let single = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
        if single {
            letters.push_str(word);
        } else {
            if letters.chars().count() >= 3 {
                names.push(capitalised(&letters));
            }
            letters.clear();
            if names.is_empty() {
                before.push(word);
            }
        }
    }
    let first = names.first()?;
    if let Some(said) = spelled_again(&before, first) {
        return Some(said);
    }
    if let Some(said) = misspelled(&before, first) {
        return Some(said);
    }
    // "John Smith, S M I T H" spells the last word again, or nearly; the words before it still count.
    let alike = |w: &&str| likeness(&w.to_lowercase(), &first.to_lowercase()) >= SAME_NAME;
    let said = before.iter().rposition(alike);
    let lead: Vec<&str> = said.map_or_else(Vec::new, |n| before[..n].to_vec());
    let lead: Vec<&str> = lead
        .into_iter()
        .rev()
        .take_while(|w| !NOT_NAMES.contains(&plain(w).as_str()) && plain(w) != "name")
        .collect();
    let mut all: Vec<String> = lead.into_iter().rev().take(2).map(title_case).collect();
    all.extend(names);
    Some(all.join(" "))
}

/// "Karen White, K A R E N W H I T E": the letters are the words before them.
fn spelled_again(before: &[&str], letters: &str) -> Option<String> {
    (1..=3.min(before.len())).find_map(|count| {
        let tail = &before[before.len() - count..];
        (tail.concat().to_lowercase() == letters.to_lowercase() && count > 1)
            .then(|| title_case(&tail.join(" ")))
    })
}

/// "Ray Dawkins, …  K I N F": few letters that are like nothing that was said are what was left of a spelling.
fn misspelled(before: &[&str], letters: &str) -> Option<String> {
    let likes = |w: &&str| likeness(&w.to_lowercase(), &letters.to_lowercase()) >= SAME_NAME;
    let named = |w: &&&str| w.starts_with(char::is_uppercase) && !NOT_NAMES.contains(&plain(w).as_str());
    let names: Vec<&str> = before.iter().take_while(named).copied().collect();
    let fragment = letters.chars().count() <= FRAGMENT && !before.iter().any(likes) && names.len() > 1;
    fragment.then(|| title_case(&names[..2].join(" ")))
}

fn capitalised(letters: &str) -> String {
    let lower = letters.to_lowercase();
    let mut chars = lower.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_given_unasked() {
        for (text, name) in [
            ("My name is Maria Lopez and I want to report something.", "Maria Lopez"),
            ("Hi, this is John Smith.", "John Smith"),
            ("I hit it last night. My name Ray Dawkins, and this is my number.", "Ray Dawkins"),
            ("hello my name's david o'brien", "David O'brien"),
            ("This is Dr. Anne-Marie Wu calling about a permit", "Anne-Marie Wu"),
        ] {
            assert_eq!(stated(text).as_deref(), Some(name), "{text}");
        }
        for text in [
            "This is about a couch",
            "This is ridiculous",
            "I'm calling about trash",
            "This is the third time",
            "there is a hole",
        ] {
            assert_eq!(stated(text), None, "{text}");
        }
    }

    #[test]
    fn names_asked_for() {
        for (text, name) in [
            ("John Smith.", "John Smith"),
            ("Um, it's Maria Lopez.", "Maria Lopez"),
            ("J O H N S M I T H", "Johnsmith"),
            ("John. J-O-H-N.", "John"),
            ("John Smythe, S M Y T H E", "John Smythe"),
            ("John Smith, S M Y T H", "John Smyth"),
            ("Ray Dockin, K I N F", "Ray Dockin"),
            ("maria lopez", "Maria Lopez"),
            ("I'm Bob", "Bob"),
            ("Karen White, K A R E N W H I T E", "Karen White"),
            ("Her name is Rose Adams and I'm her daughter, Jill Adams.", "Jill Adams"),
            ("Lopez", "Lopez"),
            ("Mrs. Edna Fitch", "Edna Fitch"),
            ("It's Okafor, O K A F O R", "Okafor"),
            ("Kopp. K as in kilo, O, double P", "Kopp"),
        ] {
            assert_eq!(answered(text).as_deref(), Some(name), "{text}");
        }
        for text in [
            "Why do you need that?",
            "Yes.",
            "No",
            "I'm not sure",
            "202 555 0143",
            "the one on the left was hit by a car",
            "three o'clock is fine",
        ] {
            assert_eq!(answered(text), None, "{text}");
        }
    }
}
