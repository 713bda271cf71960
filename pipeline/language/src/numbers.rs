//! Number words as digits, as a recogniser writes them out: "twenty five" is 25, "nineteen oh five" is 1905.

use crate::english::number::{ten, unit};

/// A number within a run of number words.
enum Part {
    Value(u64),
    /// "oh", a nought between digits.
    Oh,
}

/// Replaces number words by digits; a digit before a single letter takes it in ("four oh one k" is 401k).
#[must_use]
pub fn as_digits(words: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let length = run(&words[at..]);
        if length == 0 {
            let word = &words[at];
            match out.last_mut().filter(|last| is_suffix(word) && last.bytes().all(|b| b.is_ascii_digit())) {
                Some(number) => number.push_str(word),
                None => out.push(word.clone()),
            }
            at += 1;
        } else if length == 1 && words[at] == "one" {
            // "the one that": more often a pronoun than a number.
            out.push(words[at].clone());
            at += 1;
        } else {
            out.extend(spelled(&words[at..at + length]));
            at += length;
        }
    }
    out
}

/// Thousands without their comma: "3,900 Quarry Road" is number 3900 of that road. Commas of a list stay.
#[must_use]
pub fn ungrouped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let bytes = text.as_bytes();
    for (at, c) in text.char_indices() {
        let digit = |n: usize| bytes.get(n).is_some_and(u8::is_ascii_digit);
        let three = (1..=3).all(|n| digit(at + n)) && !digit(at + 4);
        if !(c == ',' && at > 0 && digit(at - 1) && three) {
            out.push(c);
        }
    }
    out
}

fn is_suffix(word: &str) -> bool {
    matches!(word, "b" | "c" | "d" | "k" | "x")
}

/// Length of the run of number words at the beginning; it begins and ends with a number proper.
fn run(words: &[String]) -> usize {
    let mut length = 0;
    for (n, word) in words.iter().enumerate() {
        match word.as_str() {
            word if value(word).is_some() || (n > 0 && scale(word).is_some()) => length = n + 1,
            "oh" if n > 0 => {}
            "and" if n > 0 && scale(&words[n - 1]).is_some() => {}
            _ => break,
        }
    }
    length
}

fn spelled(words: &[String]) -> Vec<String> {
    let parts = parts(words);
    let values: Option<Vec<u64>> = parts
        .iter()
        .map(|p| match p {
            Part::Value(v) => Some(*v),
            Part::Oh => None,
        })
        .collect();
    let digits = |p: &Part| matches!(p, Part::Oh | Part::Value(0..=9));
    let joined = || {
        parts
            .iter()
            .map(|p| match p {
                Part::Value(v) => v.to_string(),
                Part::Oh => "0".to_owned(),
            })
            .collect::<String>()
    };
    match parts.as_slice() {
        // Digit by digit, and years said in two halves.
        some if some.len() >= 3 && some.iter().all(digits) => vec![joined()],
        [Part::Value(10..=99), Part::Value(10..=99)]
        | [Part::Value(10..=99), Part::Oh, Part::Value(1..=9)] => vec![joined()],
        _ => values.unwrap_or_default().into_iter().map(|v| v.to_string()).collect(),
    }
}

/// Numbers of a run: "twenty five" is one, "twenty thirty" are two.
fn parts(words: &[String]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let (mut total, mut current, mut room) = (0u64, None::<u64>, 0u64);
    for word in words {
        if word == "and" {
            continue;
        }
        if let Some(scale) = scale(word) {
            let unit = current.unwrap_or(1);
            if scale == 100 {
                current = Some(unit.saturating_mul(100));
                room = 100;
            } else {
                total = total.saturating_add(unit.saturating_mul(scale));
                current = Some(0);
                room = 1000;
            }
            continue;
        }
        let value = value(word);
        match (value, current) {
            (Some(v), Some(c)) if v < room && v > 0 => {
                current = Some(c.saturating_add(v));
                room = if v >= 20 && v.is_multiple_of(10) { 10 } else { 0 };
            }
            (value, c) => {
                if let Some(c) = c {
                    parts.push(Part::Value(total.saturating_add(c)));
                }
                (total, current) = (0, value);
                room = match value {
                    Some(v) if v >= 20 && v.is_multiple_of(10) => 10,
                    _ => 0,
                };
                if value.is_none() {
                    parts.push(Part::Oh);
                }
            }
        }
    }
    if let Some(c) = current {
        parts.push(Part::Value(total.saturating_add(c)));
    }
    parts
}

fn scale(word: &str) -> Option<u64> {
    match word {
        "hundred" => Some(100),
        "thousand" => Some(1_000),
        "million" => Some(1_000_000),
        "billion" => Some(1_000_000_000),
        _ => None,
    }
}

fn value(word: &str) -> Option<u64> {
    unit(word).or_else(|| ten(word)).map(u64::from)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn digits(text: &str) -> String {
        as_digits(text.split(' ').map(str::to_owned).collect()).join(" ")
    }

    #[test]
    fn thousands_lose_their_comma() {
        for (text, plain) in [
            ("3,900 Quarry Road", "3900 Quarry Road"),
            ("1,240,000", "1240000"),
            ("4, 5, 6", "4, 5, 6"),
            ("1,2,3", "1,2,3"),
            ("12,3456", "12,3456"),
            (",900 é,900", ",900 é,900"),
        ] {
            assert_eq!(ungrouped(text), plain);
        }
    }

    #[test]
    fn number_words_become_digits() {
        for (said, written) in [
            ("a fee of forty two dollars", "a fee of 42 dollars"),
            ("one hundred and five days", "105 days"),
            ("two thousand twenty four", "2024"),
            ("twenty twenty four", "2024"),
            ("nineteen oh five", "1905"),
            ("five million", "5000000"),
            ("three thousand two hundred", "3200"),
            ("five five five one two one two", "5551212"),
            ("form ten forty", "form 1040"),
            ("four oh one k", "401k"),
            ("two or three", "2 or 3"),
            ("the one that", "the one that"),
            ("oh well", "oh well"),
            ("ten a day", "10 a day"),
        ] {
            assert_eq!(digits(said), written);
        }
    }

    proptest! {
        #[test]
        fn any_run_is_read(words in proptest::collection::vec("(one|twenty|oh|and|hundred|million|nine|billion|x|k)", 0..30)) {
            let all = as_digits(words);
            prop_assert!(all.iter().all(|w| !w.is_empty()));
        }
    }
}
