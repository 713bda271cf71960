//! Personal data out, typed tokens in: `⟨phone:1⟩`, `⟨ssn:1⟩`, `⟨credit_card:1⟩`, `⟨email:1⟩`.
//!
//! One redactor per call, so that the same value keeps its token. Digits count as written and as spoken one by
//! one. Reference and claim numbers, 911, fees, hours, house numbers and the county's own numbers stay: what
//! is no whole phone, card or social security number is left alone.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use pipeline::ports::Screen;
use regex::Regex;

static EMAIL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b[a-z0-9][a-z0-9._%+-]*@[a-z0-9.-]+\.[a-z]{2,}\b|\b[a-z0-9]+(?: (?:dot|underscore|dash) [a-z0-9]+)* at (?:[a-z0-9]+ dot )+(?:com|org|net|gov|edu|us|io)\b").ok()
});
/// A token as it was made, or as a model may have copied it.
static MADE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)[⟨<\[(]\s*(phone|ssn|credit_card|email)\s*[:_ ]\s*(\d{1,4})\s*[⟩>\])]").ok()
});
static TOKEN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[A-Za-z0-9$'’%⟨⟩:]+").ok());

/// What a span of digits is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Kind {
    Phone,
    Ssn,
    CreditCard,
    Email,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Phone => "phone",
            Self::Ssn => "ssn",
            Self::CreditCard => "credit_card",
            Self::Email => "email",
        }
    }

    fn of(name: &str) -> Option<Self> {
        [Self::Phone, Self::Ssn, Self::CreditCard, Self::Email]
            .into_iter()
            .find(|kind| kind.name().eq_ignore_ascii_case(name))
    }

    /// Whether a value of this kind may be said to whom it belongs, and be filed. Social security and card numbers
    /// serve nobody once they were said.
    const fn may_be_told(self) -> bool {
        matches!(self, Self::Phone | Self::Email)
    }
}

/// The [`Screen`] of one call.
#[derive(Clone, Default)]
pub struct Redactor {
    /// Ten-digit numbers that are no secret.
    public: HashSet<String>,
    known: HashMap<(Kind, String), usize>,
}

shown!(Redactor, "Redactor": ; public, known);

/// A word of digits with its place in the text.
#[derive(Clone)]
struct Piece {
    digits: String,
    from: usize,
    to: usize,
    spoken: bool,
}

shown!(Piece, "Piece": from, to, spoken; digits);

impl Redactor {
    /// `public_numbers`: what the county prints on its own letters; these are spoken in the clear.
    #[must_use]
    pub fn new(public_numbers: impl IntoIterator<Item = String>) -> Self {
        let ten = |n: String| {
            let digits: String = n.chars().filter(char::is_ascii_digit).collect();
            digits[digits.len().saturating_sub(10)..].to_owned()
        };
        Self { public: public_numbers.into_iter().map(ten).collect(), known: HashMap::new() }
    }

    fn token(&mut self, kind: Kind, value: &str) -> String {
        let value = self.same_phone(kind, value);
        let next = self.known.keys().filter(|(k, _)| *k == kind).count() + 1;
        let number = *self.known.entry((kind, value)).or_insert(next);
        format!("⟨{}:{number}⟩", kind.name())
    }

    /// A local number is the whole one that was said before, if there was one.
    fn same_phone(&self, kind: Kind, value: &str) -> String {
        let whole = self
            .known
            .keys()
            .find(|(k, v)| kind == Kind::Phone && *k == kind && value.len() == 7 && v.ends_with(value));
        whole.map_or_else(|| value.to_owned(), |(_, v)| v.clone())
    }

    fn is_public(&self, digits: &str) -> bool {
        let ten = &digits[digits.len().saturating_sub(10)..];
        self.public.contains(ten) || (digits.len() == 7 && self.public.iter().any(|p| p.ends_with(digits)))
    }

    /// Keys that the caller pressed, as one number. What is long enough to be a phone, card or social security number
    /// is taken for one.
    pub fn screen_keys(&mut self, keys: &str) -> String {
        let spaced = || keys.chars().map(|c| format!("{c} ")).collect::<String>().trim_end().to_owned();
        match keys.len() {
            7 | 10 | 11 => self.screen(&spaced()).replace(' ', ""),
            9 => self.token(Kind::Ssn, keys),
            12.. => self.token(Kind::CreditCard, keys),
            _ => keys.to_owned(),
        }
    }

    /// The text with the values of phone numbers and e-mail addresses in it, for the store. Other tokens stay.
    #[must_use]
    pub fn reveal(&self, text: &str) -> String {
        self.replaced(text, |token, value| value.map_or_else(|| token.to_owned(), str::to_owned))
    }

    /// The text as it is said to the caller whose data it holds: numbers as they are read back, `instead` for what
    /// is never read out or was never said.
    #[must_use]
    pub fn spoken(&self, text: &str, instead: &str) -> String {
        self.replaced(text, |_, value| value.map_or_else(|| instead.to_owned(), grouped))
    }

    /// Digits of the phone number that a token stands for: ten, or seven of a local one.
    #[must_use]
    pub fn phone(&self, text: &str) -> Option<&str> {
        let found = MADE.as_ref()?.captures(text)?;
        let kind = Kind::of(&found[1]).filter(|kind| *kind == Kind::Phone)?;
        self.value(kind, &found[2])
    }

    fn value(&self, kind: Kind, number: &str) -> Option<&str> {
        let number: usize = number.parse().ok()?;
        self.known
            .iter()
            .find(|((k, _), n)| *k == kind && **n == number)
            .map(|((_, value), _)| value.as_str())
    }

    fn replaced(&self, text: &str, with: impl Fn(&str, Option<&str>) -> String) -> String {
        let Some(pattern) = MADE.as_ref() else { return text.to_owned() };
        pattern
            .replace_all(text, |found: &regex::Captures<'_>| {
                let kind = Kind::of(&found[1]).filter(|kind| kind.may_be_told());
                with(&found[0], kind.and_then(|kind| self.value(kind, &found[2])))
            })
            .into_owned()
    }

    fn emails(&mut self, text: &str) -> String {
        let Some(pattern) = EMAIL.as_ref() else { return text.to_owned() };
        pattern
            .replace_all(text, |found: &regex::Captures<'_>| {
                self.token(Kind::Email, &found[0].to_lowercase())
            })
            .into_owned()
    }

    fn numbers(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut copied = 0;
        let social = text.to_lowercase().contains("social") || text.to_lowercase().contains("ssn");
        for run in digit_runs(text) {
            let mut at = 0;
            while at < run.len() {
                let Some((kind, used)) = self.classify(&run[at..], social) else {
                    at += 1;
                    continue;
                };
                let digits: String = run[at..at + used].iter().map(|p| p.digits.as_str()).collect();
                let value = if kind == Kind::Phone {
                    digits[digits.len().saturating_sub(10)..].to_owned()
                } else {
                    digits
                };
                let (from, to) = (run[at].from, run[at + used - 1].to);
                out.push_str(text[copied..from].trim_end_matches(['(', '+']));
                out.push_str(&self.token(kind, &value));
                copied = to;
                at += used;
            }
        }
        out.push_str(&text[copied..]);
        out
    }

    /// What the pieces at the front make up, with how many of them; the longest finding wins.
    fn classify(&self, pieces: &[Piece], social: bool) -> Option<(Kind, usize)> {
        (1..=pieces.len()).rev().find_map(|used| {
            let part = &pieces[..used];
            let digits: String = part.iter().map(|p| p.digits.as_str()).collect();
            if digits.len() > 19 {
                return None;
            }
            let lengths: Vec<usize> = part.iter().map(|p| p.digits.len()).collect();
            kind_of(&digits, &lengths, part, social)
                .filter(|kind| *kind != Kind::Phone || !self.is_public(&digits))
                .map(|kind| (kind, used))
        })
    }
}

/// A phone number in the groups in which it is said; anything else as it is.
fn grouped(value: &str) -> String {
    let digits = value.bytes().all(|b| b.is_ascii_digit());
    match value.len() {
        10 if digits => format!("{}-{}-{}", &value[..3], &value[3..6], &value[6..]),
        7 if digits => format!("{}-{}", &value[..3], &value[3..]),
        _ => value.to_owned(),
    }
}

fn kind_of(digits: &str, lengths: &[usize], pieces: &[Piece], social: bool) -> Option<Kind> {
    let one_by_one = pieces.iter().any(|p| p.spoken) || lengths.iter().all(|n| *n == 1);
    let nanp = |ten: &str| {
        ten.bytes().next().is_some_and(|b| b >= b'2') && ten.as_bytes().get(3).is_some_and(|b| *b >= b'2')
    };
    let groups: &[&[usize]] =
        &[&[10], &[11], &[3, 3, 4], &[1, 3, 3, 4], &[3, 7], &[6, 4], &[3, 3, 2, 2], &[1, 10], &[3, 4, 3]];
    match digits.len() {
        13..=19 if luhn(digits) => Some(Kind::CreditCard),
        9 if lengths == [3, 2, 4] || (social && (one_by_one || lengths == [9])) => Some(Kind::Ssn),
        10 if nanp(digits) && (one_by_one || groups.contains(&lengths)) => Some(Kind::Phone),
        11 if digits.starts_with('1') && nanp(&digits[1..]) && (one_by_one || groups.contains(&lengths)) => {
            Some(Kind::Phone)
        }
        7 if nanp(&format!("2{digits}0000"))
            && (lengths == [3, 4] || one_by_one)
            && digits.as_bytes()[0] >= b'2' =>
        {
            Some(Kind::Phone)
        }
        _ => None,
    }
}

/// Words of digits that follow one another with nothing but separators between them.
fn digit_runs(text: &str) -> Vec<Vec<Piece>> {
    let mut runs: Vec<Vec<Piece>> = Vec::new();
    let mut end_of_last = None;
    let mut repeat = 1;
    let Some(pattern) = TOKEN.as_ref() else { return runs };
    for found in pattern.find_iter(text) {
        let word = found.as_str().to_lowercase();
        if let "double" | "triple" = word.as_str() {
            repeat = if word == "double" { 2 } else { 3 };
            continue;
        }
        let Some((digits, spoken)) = digits_of(&word).filter(|_| !belongs_to_word(text, found.start()))
        else {
            end_of_last = None;
            repeat = 1;
            continue;
        };
        let piece = Piece { digits: digits.repeat(repeat), from: found.start(), to: found.end(), spoken };
        repeat = 1;
        match runs.last_mut().filter(|_| end_of_last.is_some()) {
            Some(run) => run.push(piece),
            None => runs.push(vec![piece]),
        }
        end_of_last = Some(found.end());
    }
    runs
}

/// "INC-4821", "CLM-20417": digits after letters and a hyphen are part of a reference.
fn belongs_to_word(text: &str, at: usize) -> bool {
    let before = &text[..at];
    before.strip_suffix('-').is_some_and(|b| b.ends_with(|c: char| c.is_ascii_alphabetic()))
        || before.ends_with('$')
}

fn digits_of(word: &str) -> Option<(String, bool)> {
    if word.chars().all(|c| c.is_ascii_digit()) {
        return Some((word.to_owned(), false));
    }
    let digit = match word {
        "zero" | "oh" | "o" => "0",
        "one" => "1",
        "two" => "2",
        "three" => "3",
        "four" => "4",
        "five" => "5",
        "six" => "6",
        "seven" => "7",
        "eight" => "8",
        "nine" => "9",
        _ => return None,
    };
    Some((digit.to_owned(), true))
}

fn luhn(digits: &str) -> bool {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(n, b)| (n % 2 == 1, u32::from(b - b'0')))
        .map(|(double, d)| if double { if d > 4 { d * 2 - 9 } else { d * 2 } } else { d })
        .sum();
    sum.is_multiple_of(10) && digits.bytes().any(|b| b != b'0')
}

impl Screen for Redactor {
    fn screen(&mut self, text: &str) -> String {
        let text = self.emails(text);
        self.numbers(&text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn redactor() -> Redactor {
        Redactor::new(["202-555-0111".to_owned()])
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
            (
                "social security number oh seven eight oh five one one two oh",
                "social security number ⟨ssn:1⟩",
            ),
            ("card 4111 1111 1111 1111 ok", "card ⟨credit_card:1⟩ ok"),
            ("four one one one one one one one one one one one one one one one", "⟨credit_card:1⟩"),
            ("Write to ann.lee@example.org today", "Write to ⟨email:1⟩ today"),
            ("john dot smith at gmail dot com", "⟨email:1⟩"),
        ] {
            assert_eq!(redactor().screen(text), screened, "{text}");
        }
    }

    #[test]
    fn ordinary_numbers_stay() {
        for text in [
            "Your reference number is INC-4821.",
            "Dial 911 now.",
            "It costs $35 and $1,240.50.",
            "Open 8 a.m. to 4:30 p.m.",
            "Claim CLM-20417",
            "At 4400 Quarry Road, unit 12",
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
}
