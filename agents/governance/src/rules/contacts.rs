//! Phone numbers and addresses on the web in a text, written or spoken, English and Spanish.

use std::sync::LazyLock;

use regex::Regex;

use super::plain::folded;
use super::tokens::{Gap, Piece, Token, unit};

/// What can be dialled everywhere, and is never wrong to say.
pub(super) const EVERYWHERE: [&str; 2] = ["911", "988"];
const DIALS: [&str; 13] = [
    "call", "dial", "text", "phone", "calling", "dialing", "marque", "llame", "llamar", "marcar", "marca",
    "llama", "telefono",
];
/// What a number is that no phone rings for.
const LABELS: [&str; 20] = [
    "case",
    "claim",
    "account",
    "reference",
    "permit",
    "parcel",
    "ticket",
    "check",
    "invoice",
    "confirmation",
    "license",
    "docket",
    "referencia",
    "reclamo",
    "caso",
    "cuenta",
    "expediente",
    "permiso",
    "factura",
    "folio",
];
/// Tokens before a number in which its label stands.
const REACH: usize = 4;

/// Phone numbers as digits: ten, seven of a local one, three to six of a short one that is said to be dialled.
pub(super) fn phones(tokens: &[Token]) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let run = run(tokens, at);
        if run == 0 {
            at += 1;
            continue;
        }
        if let Some(phone) = phone(tokens, at, run)
            && !found.contains(&phone)
        {
            found.push(phone);
        }
        at += run;
    }
    found
}

/// Numbers one after another, without a word between them.
fn run(tokens: &[Token], at: usize) -> usize {
    let mut length = 0;
    while let Some(token) = tokens.get(at + length) {
        if length > 0 && token.gap == Gap::Stop {
            break;
        }
        let counts = match &token.piece {
            Piece::Figures { whole, .. } => *whole,
            Piece::Word(word) => digits_of(word, length > 0).is_some(),
            Piece::Sign(_) => false,
        };
        if !counts {
            break;
        }
        length += 1;
    }
    length
}

/// The digits that a number word stands for in a phone number. "Oh" counts between others only.
fn digits_of(word: &str, inside: bool) -> Option<String> {
    match word {
        "oh" | "o" if inside => Some("0".to_owned()),
        "hundred" if inside => Some("00".to_owned()),
        "double" | "doble" | "triple" => Some(String::new()),
        _ => unit(word).filter(|n| *n < 100).map(|n| n.to_string()),
    }
}

fn phone(tokens: &[Token], at: usize, run: usize) -> Option<String> {
    let mut digits = String::new();
    let mut groups: Vec<usize> = Vec::new();
    let (mut spoken, mut joined, mut times) = (0, false, 1);
    let mut tens = false;
    for (n, token) in tokens[at..at + run].iter().enumerate() {
        let part = match &token.piece {
            Piece::Figures { digits, .. } => digits.clone(),
            Piece::Word(word) => {
                spoken += 1;
                times = match word.as_str() {
                    "double" | "doble" => 2,
                    "triple" => 3,
                    _ => times,
                };
                digits_of(word, n > 0)?
            }
            Piece::Sign(_) => return None,
        };
        if part.is_empty() {
            continue;
        }
        joined |= n > 0 && token.gap == Gap::Joint;
        // "Twenty two" is 22, not 202.
        if tens && part.len() == 1 && part != "0" {
            digits.pop();
            digits.push_str(&part);
            tens = false;
            continue;
        }
        tens = spoken > 0 && part.len() == 2 && part.ends_with('0') && part != "10" && part != "00";
        for _ in 0..times {
            digits.push_str(&part);
            groups.push(part.len());
        }
        times = 1;
    }
    let called = tokens[at.saturating_sub(REACH)..at].iter().any(|t| t.is(&DIALS));
    let labelled = tokens[at.saturating_sub(REACH)..at].iter().any(|t| t.is(&LABELS));
    if labelled && !called {
        return None;
    }
    let dialled = at > 0
        && (tokens[at - 1].is(&DIALS)
            || (at > 1 && tokens[at - 1].is(&["al", "a"]) && tokens[at - 2].is(&DIALS)));
    let ends = tokens.get(at + run).is_none_or(|t| {
        matches!(t.gap, Gap::Stop | Gap::Comma) || t.word().is_some_and(|w| !COUNTED.contains(&w))
    });
    if dialled && ends && (3..=6).contains(&digits.len()) {
        return Some(digits);
    }
    let whole = matches!(digits.len(), 7 | 10) || (digits.len() == 11 && digits.starts_with('1'));
    if !whole {
        return None;
    }
    let singles = groups.iter().filter(|n| **n == 1).count();
    let said = groups.len() >= 5 && singles + 3 >= groups.len() && (spoken > 0 || singles == groups.len());
    let grouped = matches!(groups.as_slice(), [3, 4] | [3, 3, 4] | [1, 3, 3, 4] | [3, 7] | [1, 10])
        && (joined || called || groups.len() > 2);
    let one = groups.len() == 1 && digits.len() >= 10;
    let pairs = spoken > 0 && groups.len() >= 4;
    (said || grouped || one || pairs).then(|| ten(&digits))
}

/// After a number, these say that things are counted.
const COUNTED: [&str; 12] =
    ["days", "hours", "times", "people", "dollars", "percent", "feet", "am", "pm", "dias", "horas", "veces"];

/// Without the 1 of North America in front.
pub(super) fn ten(digits: &str) -> String {
    let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
    match digits.strip_prefix('1') {
        Some(rest) if digits.len() == 11 => rest.to_owned(),
        _ => digits,
    }
}

static LINK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?:https?://|www\.)[^\s,;!?]+|[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)*\.(?:gov|com|org|net|us|info|io|edu|biz|co)(?:/[^\s,;!?]*)?",
    )
    .expect("clippy compiles every pattern")
});
static SPOKEN_DOT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r" (?:dot|punto) ([a-z0-9-]+)").expect("clippy compiles every pattern"));
static ENDS_IN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r" (?:dot|punto) (?:gov|com|org|net|us|info|io|edu|biz|co)\b")
        .expect("clippy compiles every pattern")
});

/// Addresses on the web as they are compared: no scheme, no `www.`, no mark at the end.
pub(super) fn links(text: &str) -> Vec<String> {
    let mut text = folded(text);
    if !text.contains('.') && !text.contains("dot") && !text.contains("punto") {
        return Vec::new();
    }
    if ENDS_IN.is_match(&text) {
        text = SPOKEN_DOT.replace_all(&text, ".$1").replace(" slash ", "/").replace(" diagonal ", "/");
    }
    let re = &*LINK;
    let mut found: Vec<String> = re.find_iter(&text).map(|m| link(m.as_str())).collect();
    found.dedup();
    found
}

/// One address in the form in which it is compared.
pub(super) fn link(address: &str) -> String {
    let address = address.trim().to_lowercase();
    let address = address.trim_start_matches("https://").trim_start_matches("http://");
    address.trim_start_matches("www.").trim_end_matches(['.', '/', ')', '"', '\'']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::tokens::cut;
    use super::*;

    #[test]
    fn phone_numbers_are_found_written_and_spoken() {
        for (text, phone) in [
            ("Call 202-555-0110.", "2025550110"),
            ("(202) 555 0110", "2025550110"),
            ("202.555.0110", "2025550110"),
            ("It's 2025550110.", "2025550110"),
            ("555-0110", "5550110"),
            ("call 555 0110", "5550110"),
            ("five five five, oh one one oh", "5550110"),
            ("five five five oh one ten", "5550110"),
            ("two oh two, five five five, zero one one zero", "2025550110"),
            ("one eight hundred five five five one two one two", "8005551212"),
            ("double five five oh one one oh", "5550110"),
            ("cinco cinco cinco cero uno uno cero", "5550110"),
            ("1-800-555-1212", "8005551212"),
            ("Dial 311 for that.", "311"),
            ("Marque 911 ahora.", "911"),
            ("Llame al 311.", "311"),
        ] {
            assert_eq!(phones(&cut(text)), [phone], "{text}");
        }
    }

    #[test]
    fn case_numbers_dates_hours_and_addresses_are_no_phone_numbers() {
        for text in [
            "Your case number is 2024001234.",
            "Claim CLM-20417 is under review.",
            "The reference number is INC-4821.",
            "We are open 8 to 5, Monday through Friday.",
            "It was filed on 11 22 2026.",
            "On November 22, 2026, at 10 30.",
            "100 Court Square, Riverbend, 22901-1234",
            "Pages 5, 6, 7, 8, 9 and 10.",
            "account number one two three four five six seven",
            "We call 3 days ahead.",
            "your reference is six seven eight nine",
            "Open in 2025, 2026 and 2027.",
        ] {
            assert!(phones(&cut(text)).is_empty(), "{text}: {:?}", phones(&cut(text)));
        }
    }

    #[test]
    fn addresses_on_the_web_are_found_written_and_spoken() {
        for (text, found) in [
            ("Book at https://www.pay-here.com/now.", "pay-here.com/now"),
            ("Go to riverbend dot gov slash permits", "riverbend.gov/permits"),
            ("Visit riverbend.gov today", "riverbend.gov"),
            ("en riverbend punto gov", "riverbend.gov"),
        ] {
            assert_eq!(links(text), [found], "{text}");
        }
        for text in
            ["Open at 8 a.m. to 5 p.m.", "See the page.", "The polka dot dress", "Mr. Smith vs. us. Come in."]
        {
            assert!(links(text).is_empty(), "{text}: {:?}", links(text));
        }
    }
}
