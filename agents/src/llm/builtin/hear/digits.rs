//! Digit strings as people say them, and telephone numbers out of them.

use super::words::plain;

/// A run of digits within an utterance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    pub digits: String,
    /// Words of the plain text that it covers: from, to (exclusive).
    pub words: (usize, usize),
}

/// All digit runs of a text, in order. "two oh two, 555 oh one forty three" is one run.
#[must_use]
pub fn runs(text: &str) -> Vec<Run> {
    let plain = plain(text).replace(['.', ':', '/'], " ");
    let words: Vec<&str> = plain.split(' ').filter(|w| !w.is_empty()).collect();
    let mut out: Vec<Run> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match run_at(&words, at) {
            Some(run) => {
                at = run.words.1;
                out.push(run);
            }
            None => at += 1,
        }
    }
    out
}

fn run_at(words: &[&str], start: usize) -> Option<Run> {
    let mut digits = String::new();
    let (mut at, mut end) = (start, start);
    while at < words.len() {
        if let Some((piece, used)) = digits_at(words, at, !digits.is_empty()) {
            digits.push_str(&piece);
            at += used;
            end = at;
        } else if !digits.is_empty()
            && matches!(words[at], "dash" | "hyphen" | "then" | "area" | "code" | "and" | "uh" | "um" | "dot")
        {
            at += 1;
        } else {
            break;
        }
    }
    (!digits.is_empty()).then_some(Run { digits, words: (start, end) })
}

fn digits_at(words: &[&str], at: usize, inside: bool) -> Option<(String, usize)> {
    let word = words[at];
    let next = words.get(at + 1).copied().unwrap_or_default();
    if word.chars().all(|c| c.is_ascii_digit()) {
        return Some((word.to_owned(), 1));
    }
    if let Some(times) = match word {
        "double" => Some(2),
        "triple" => Some(3),
        _ => None,
    } {
        return digit(next).map(|d| (d.to_string().repeat(times), 2));
    }
    if let Some(d) = digit(word) {
        return Some(match next {
            "hundred" => (format!("{d}00"), 2),
            "thousand" => (format!("{d}000"), 2),
            _ => (d.to_string(), 1),
        });
    }
    // Words that merely sound like digits count only between digits.
    let sound = sound_alike(word).filter(|_| inside && (digit(next).is_some() || starts_digit(next)));
    sound.map(|d| (d.to_string(), 1)).or_else(|| two_digits(word, next))
}

fn starts_digit(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

fn digit(word: &str) -> Option<char> {
    Some(match word {
        "zero" | "oh" | "o" | "nought" => '0',
        "one" => '1',
        "two" => '2',
        "three" => '3',
        "four" => '4',
        "five" => '5',
        "six" => '6',
        "seven" => '7',
        "eight" => '8',
        "nine" | "niner" => '9',
        _ => return None,
    })
}

fn sound_alike(word: &str) -> Option<char> {
    match word {
        "to" | "too" => Some('2'),
        "for" => Some('4'),
        "ate" => Some('8'),
        "won" => Some('1'),
        _ => None,
    }
}

fn two_digits(word: &str, next: &str) -> Option<(String, usize)> {
    let (value, _) = super::number::cardinal_at(&[word])?;
    match value {
        20..=99 => match digit(next).filter(|d| *d != '0') {
            Some(d) => Some((format!("{}{d}", value / 10), 2)),
            None => Some((value.to_string(), 1)),
        },
        10..=19 => Some((value.to_string(), 1)),
        _ => None,
    }
}

/// A telephone number of the North American plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Phone {
    digits: String,
}

impl Phone {
    /// From digits: ten, eleven with a leading 1, or seven with the area code of the place.
    #[must_use]
    pub fn from_digits(digits: &str, area_code: &str) -> Option<Self> {
        let ten = match digits.len() {
            7 => format!("{area_code}{digits}"),
            10 => digits.to_owned(),
            11 => digits.strip_prefix('1')?.to_owned(),
            _ => return None,
        };
        let plan = |at: usize| ten.as_bytes().get(at).is_some_and(|b| (b'2'..=b'9').contains(b));
        (ten.len() == 10 && plan(0) && plan(3)).then_some(Self { digits: ten })
    }

    /// E.164, for dialling and storing.
    #[must_use]
    pub fn e164(&self) -> String {
        format!("+1{}", self.digits)
    }

    /// As written, for reading back.
    #[must_use]
    pub fn spoken(&self) -> String {
        format!("{}-{}-{}", &self.digits[..3], &self.digits[3..6], &self.digits[6..])
    }
}

/// What a caller said when asked for a telephone number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PhoneAnswer {
    Whole(Phone),
    /// Some digits, but not yet a number.
    Part(String),
    /// More digits than a number has, or a number that cannot be.
    Wrong,
}

/// Reads a telephone number. `earlier` holds digits already given for the same question.
#[must_use]
pub fn phone(text: &str, earlier: &str, area_code: &str) -> Option<PhoneAnswer> {
    let runs: Vec<String> = corrected_runs(text);
    let whole = |digits: &str| Phone::from_digits(digits, area_code).map(PhoneAnswer::Whole);
    let last_whole = runs.iter().rev().find(|d| d.len() >= 10).and_then(|d| whole(d));
    if last_whole.is_some() {
        return last_whole;
    }
    let joined: String = runs.concat();
    if joined.is_empty() {
        return None;
    }
    let all = format!("{earlier}{joined}");
    if (earlier.is_empty() || all.len() >= 10)
        && let Some(found) = whole(&all).or_else(|| runs.iter().rev().find_map(|d| whole(d)))
    {
        return Some(found);
    }
    Some(if all.len() < 10 { PhoneAnswer::Part(all) } else { PhoneAnswer::Wrong })
}

/// Digit runs after the caller's own corrections: "…0134, no, 0143" ends in 0143.
fn corrected_runs(text: &str) -> Vec<String> {
    let marked = plain(text);
    let mut kept: Vec<String> = Vec::new();
    for (n, part) in split_corrections(&marked).into_iter().enumerate() {
        let mut found: Vec<String> = runs(part).into_iter().map(|r| r.digits).collect();
        if n > 0 && !found.is_empty() && !kept.is_empty() {
            let fix = found.concat();
            let before = kept.concat();
            found = match before.len() {
                10 | 11 if fix.len() < 7 => vec![format!("{}{fix}", &before[..before.len() - fix.len()])],
                _ => found,
            };
            kept.clear();
        }
        kept.extend(found);
    }
    kept
}

fn split_corrections(text: &str) -> Vec<&str> {
    let mut parts = vec![text];
    for mark in [" no ", " sorry ", " i mean ", " wait ", " make that "] {
        parts = parts.into_iter().flat_map(|p| p.split(mark)).collect();
    }
    parts
}

/// A complete telephone number anywhere in the text: ten digits or eleven, never fewer.
#[must_use]
pub fn whole_phone(text: &str) -> Option<Phone> {
    match phone(text, "", "") {
        Some(PhoneAnswer::Whole(phone)) => Some(phone),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn phones_in_many_shapes() {
        for text in [
            "202-555-0143",
            "(202) 555 0143.",
            "It's 202.555.0143",
            "+1 202 555 0143",
            "1-202-555-0143",
            "my number is 2025550143 thanks",
            "two oh two five five five oh one four three",
            "two zero two, triple five, zero one four three",
            "area code 202, then 555, oh one forty three",
            "two oh two five fifty five oh one forty three",
            "202 555 01 43",
            "it's two o two, five five five, o one four three",
            "202 555 0134, no, sorry, 0143",
            "202-555-0199. No, 202-555-0143.",
            "two oh two five five five oh one for three",
        ] {
            let found = phone(text, "", "202");
            let Some(PhoneAnswer::Whole(found)) = found else { panic!("{text}: {found:?}") };
            assert_eq!(found.spoken(), "202-555-0143", "{text}");
            assert_eq!(found.e164(), "+12025550143");
        }
    }

    #[test]
    fn seven_digits_are_local() {
        let Some(PhoneAnswer::Whole(found)) = phone("555-0143", "", "202") else { panic!() };
        assert_eq!(found.spoken(), "202-555-0143");
    }

    #[test]
    fn groups_over_two_utterances_are_joined() {
        assert_eq!(phone("area code 202", "", "202"), Some(PhoneAnswer::Part("202".into())));
        let Some(PhoneAnswer::Whole(found)) = phone("555 0143", "202", "202") else { panic!() };
        assert_eq!(found.spoken(), "202-555-0143");
        assert_eq!(phone("202 555 014", "", "202"), Some(PhoneAnswer::Part("202555014".into())));
    }

    #[test]
    fn impossible_numbers_are_refused() {
        assert_eq!(phone("102 555 0143", "", "202"), Some(PhoneAnswer::Wrong));
        assert_eq!(phone("202 555 0143 22 44", "", "202"), Some(PhoneAnswer::Wrong));
        assert_eq!(phone("no idea", "", "202"), None);
        assert_eq!(whole_phone("I waited for two hours on 5th street"), None);
    }
}
