//! One value, however it was said: "two oh two …" and "(202) …" are the same phone number.

use super::dates::date;
use super::guardian::Settings;
use super::kind::Kind;
use super::lexicon::{class, hash_of};
use super::numbers::{spoken, written};
use super::scan::Scan;
use super::token::{Form, letter_of, tokens};

/// What a token stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Value {
    /// Two findings with the same key have the same token.
    pub(super) key: String,
    /// As it is filed.
    pub(super) filed: String,
}

/// The value of a finding's own text.
pub(super) fn value(kind: Kind, said: &str) -> Value {
    let both = |text: String| Value { key: text.clone(), filed: text };
    match kind {
        Kind::Phone => {
            let digits = digits(said);
            let ten = match digits.strip_prefix('1').filter(|_| digits.len() == 11) {
                Some(ten) => ten.to_owned(),
                None => digits,
            };
            both(ten)
        }
        Kind::Ssn | Kind::CreditCard => both(digits(said)),
        Kind::BankAccount | Kind::Passport | Kind::DriversLicense | Kind::IpAddress => both(code(said)),
        Kind::Email => both(email(said)),
        Kind::DateOfBirth => Value {
            key: iso(said).unwrap_or_else(|| folded(said)),
            filed: iso(said).unwrap_or_else(|| said.to_owned()),
        },
        Kind::Name => Value { key: folded(without_title(said)), filed: without_title(said).to_owned() },
        _ => Value { key: folded(said), filed: said.to_owned() },
    }
}

fn with_scan<T>(text: &str, read: impl FnOnce(&Scan<'_>) -> T) -> T {
    let mut toks = Vec::new();
    tokens(text, &mut toks);
    let settings = Settings::default();
    read(&Scan { text, toks: &toks, cues: &[], settings: &settings, found: Vec::new() })
}

/// All digits, written and spoken.
pub(super) fn digits(text: &str) -> String {
    with_scan(text, |scan| {
        let mut out = String::new();
        let mut at = 0;
        while at < scan.toks.len() {
            at = push_number(scan, at, &mut out).unwrap_or(at + 1);
        }
        out
    })
}

fn push_number(scan: &Scan<'_>, at: usize, out: &mut String) -> Option<usize> {
    let token = &scan.toks[at];
    let (digits, next) = match token.form {
        Form::Digits | Form::Mixed => {
            // An extension ("x12") is part of what was said, not of the number.
            if token.form == Form::Mixed {
                let digits = super::numbers::with_extension(scan, at)?;
                out.extend(digits.as_slice().iter().map(|d| char::from(b'0' + d)));
                return Some(scan.toks.len());
            }
            (written(scan.text, token), at + 1)
        }
        _ if token.is(class::NUMBER | class::REPEAT) => spoken(scan, at)?,
        _ if token.is(class::HOMOPHONE) => {
            out.push(char::from(b'0' + u8::try_from(token.value).unwrap_or_default() % 10));
            return Some(at + 1);
        }
        _ if ["ext", "extension", "x"].iter().any(|w| token.hash == hash_of(w)) => {
            return Some(scan.toks.len());
        }
        _ => return None,
    };
    out.extend(digits.as_slice().iter().map(|d| char::from(b'0' + d)));
    Some(next)
}

/// Letters and digits, in capitals.
fn code(text: &str) -> String {
    with_scan(text, |scan| {
        let mut out = String::new();
        let mut at = 0;
        while at < scan.toks.len() {
            if let Some(next) = push_number(scan, at, &mut out) {
                at = next;
                continue;
            }
            let token = &scan.toks[at];
            match letter_of(scan.text, token) {
                Some(letter) => out.push(letter),
                None if token.form == Form::Mixed || token.is_word() && !token.is(class::FILLER) => {
                    if matches!(scan.word(at), "dot" | "point" | "punto") {
                        out.push('.');
                    } else {
                        out.push_str(&scan.word(at).to_uppercase());
                    }
                }
                None if token.sign('.') || token.sign(':') => out.push_str(scan.word(at)),
                None => {}
            }
            at += 1;
        }
        out
    })
}

fn email(text: &str) -> String {
    with_scan(text, |scan| {
        let mut out = String::new();
        let mut at = 0;
        while at < scan.toks.len() {
            let word = scan.word(at).to_lowercase();
            match word.as_str() {
                "dot" | "punto" | "period" => out.push('.'),
                "at" | "arroba" if !out.contains('@') && at > 0 && at + 1 < scan.toks.len() => out.push('@'),
                "underscore" => out.push('_'),
                "dash" | "hyphen" | "minus" | "guion" | "guión" => out.push('-'),
                "bajo" | "score" if out.ends_with('-') => {
                    out.pop();
                    out.push('_');
                }
                "plus" => out.push('+'),
                "[" | "]" | "(" | ")" => {}
                _ => {
                    if let Some(next) =
                        push_number(scan, at, &mut out).filter(|_| !scan.is(at, class::HOMOPHONE))
                    {
                        at = next;
                        continue;
                    }
                    out.push_str(&word);
                }
            }
            at += 1;
        }
        out
    })
}

fn iso(text: &str) -> Option<String> {
    with_scan(text, |scan| {
        let date = date(scan, 0).filter(|d| d.year > 0 && d.month > 0 && d.day > 0)?;
        Some(format!("{:04}-{:02}-{:02}", date.year, date.month, date.day))
    })
}

/// "Mrs. Lopez" is Lopez.
fn without_title(said: &str) -> &str {
    with_scan(said, |scan| {
        let titled = scan.toks.len() > 1 && scan.is(0, class::TITLE);
        let start = 1 + usize::from(scan.sign(1, '.'));
        scan.toks.get(start).filter(|_| titled).map_or(said, |t| said.get(t.start..).unwrap_or(said))
    })
}

fn folded(text: &str) -> String {
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase).collect();
    words.join(" ")
}
