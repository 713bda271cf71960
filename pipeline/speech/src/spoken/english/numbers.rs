//! English words for numbers.

use language::english::number::{TENS, UNITS as ONES};

const SCALES: [(u64, &str); 4] = [
    (1_000_000_000_000, "trillion"),
    (1_000_000_000, "billion"),
    (1_000_000, "million"),
    (1_000, "thousand"),
];

/// 1250 is "one thousand two hundred fifty".
pub(in crate::spoken) fn cardinal(n: u64) -> String {
    for (scale, name) in SCALES {
        if n >= scale {
            return joined(&format!("{} {name}", cardinal(n / scale)), n % scale);
        }
    }
    match n as usize {
        n @ 0..20 => ONES[n].to_owned(),
        n @ 20..100 if n % 10 == 0 => TENS[n / 10 - 2].to_owned(),
        n @ 20..100 => format!("{} {}", TENS[n / 10 - 2], ONES[n % 10]),
        n => joined(&format!("{} hundred", ONES[n / 100]), n as u64 % 100),
    }
}

fn joined(head: &str, rest: u64) -> String {
    if rest == 0 { head.to_owned() } else { format!("{head} {}", cardinal(rest)) }
}

/// 21 is "twenty first".
pub(in crate::spoken) fn ordinal(n: u64) -> String {
    let words = cardinal(n);
    let (head, last) =
        words.rsplit_once(' ').map_or((String::new(), words.as_str()), |(h, l)| (format!("{h} "), l));
    let last = match last {
        "one" => "first".to_owned(),
        "two" => "second".to_owned(),
        "three" => "third".to_owned(),
        "five" => "fifth".to_owned(),
        "eight" => "eighth".to_owned(),
        "nine" => "ninth".to_owned(),
        "twelve" => "twelfth".to_owned(),
        tens if tens.ends_with('y') => format!("{}ieth", &tens[..tens.len() - 1]),
        other => format!("{other}th"),
    };
    format!("{head}{last}")
}

/// 1998 is "nineteen ninety eight", 2005 "two thousand five".
pub(in crate::spoken) fn year(n: u64) -> String {
    match (n / 100, n % 100) {
        (20, 0..10) | (10, _) => cardinal(n),
        (century, 0) => format!("{} hundred", cardinal(century)),
        (century, rest @ 1..10) => format!("{} oh {}", cardinal(century), cardinal(rest)),
        (century, rest) => format!("{} {}", cardinal(century), cardinal(rest)),
    }
}

/// A house number as people say it: 1450 is "fourteen fifty", 305 "three oh five", 12345 digit by digit.
pub(in crate::spoken) fn house(digits: &str) -> String {
    match (digits.len(), digits.parse::<u64>()) {
        (3, Ok(n)) if n % 100 != 0 => pair(n / 100, n % 100),
        (4, Ok(n)) if n % 1_000 == 0 => cardinal(n),
        (4, Ok(n)) if n % 100 == 0 => format!("{} hundred", cardinal(n / 100)),
        (4, Ok(n)) => pair(n / 100, n % 100),
        (0..4, Ok(n)) => cardinal(n),
        _ => spelled(digits),
    }
}

fn pair(head: u64, tail: u64) -> String {
    let oh = if tail < 10 { "oh " } else { "" };
    format!("{} {oh}{}", cardinal(head), cardinal(tail))
}

/// Digit by digit, in groups that an ear can keep.
pub(in crate::spoken) fn spelled(digits: &str) -> String {
    groups(digits).iter().map(|group| digit_words(group.iter().copied())).collect::<Vec<_>>().join(", ")
}

/// Digits in groups that an ear can keep: up to five at once, else threes with a last group of up to four.
pub(in crate::spoken) fn groups(digits: &str) -> Vec<Vec<char>> {
    let digits: Vec<char> = digits.chars().filter(char::is_ascii_digit).collect();
    let mut rest = digits.as_slice();
    let mut groups = Vec::new();
    while !rest.is_empty() {
        let size = match rest.len() {
            0..=5 => rest.len(),
            8 => 4,
            _ => 3,
        };
        let (group, after) = rest.split_at(size);
        groups.push(group.to_vec());
        rest = after;
    }
    groups
}

/// "4821" is "four eight two one".
pub(in crate::spoken) fn digit_words(digits: impl Iterator<Item = char>) -> String {
    let words = digits.filter_map(|c| Some(ONES[c.to_digit(10)? as usize]));
    words.collect::<Vec<_>>().join(" ")
}

/// A plain number: digits, thousands commas, one decimal point. `None` when it is something else.
pub(in crate::spoken) fn plain(text: &str) -> Option<String> {
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(w, f)| (w, Some(f)));
    let whole = integer(whole)?;
    let Some(fraction) = fraction else { return Some(cardinal(whole)) };
    let ok = !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit());
    ok.then(|| format!("{} point {}", cardinal(whole), digit_words(fraction.chars())))
}

/// An integer with or without thousands commas.
pub(in crate::spoken) fn integer(text: &str) -> Option<u64> {
    let mut groups = text.split(',');
    let first = groups.next()?;
    let mut digits = first.to_owned();
    for group in groups {
        if group.len() != 3 || first.len() > 3 {
            return None;
        }
        digits.push_str(group);
    }
    let ok = !first.is_empty() && digits.len() <= 15 && digits.bytes().all(|b| b.is_ascii_digit());
    if ok { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cardinals_ordinals_and_years() {
        for (n, words) in [
            (0, "zero"),
            (13, "thirteen"),
            (40, "forty"),
            (99, "ninety nine"),
            (110, "one hundred ten"),
            (12_500, "twelve thousand five hundred"),
            (1_000_001, "one million one"),
        ] {
            assert_eq!(cardinal(n), words);
        }
        for (n, words) in
            [(1, "first"), (12, "twelfth"), (20, "twentieth"), (42, "forty second"), (100, "one hundredth")]
        {
            assert_eq!(ordinal(n), words);
        }
        for (n, words) in [
            (1998, "nineteen ninety eight"),
            (1900, "nineteen hundred"),
            (1905, "nineteen oh five"),
            (2005, "two thousand five"),
            (2026, "twenty twenty six"),
        ] {
            assert_eq!(year(n), words);
        }
    }

    #[test]
    fn houses_and_digit_groups() {
        for (n, words) in [
            ("12", "twelve"),
            ("305", "three oh five"),
            ("1450", "fourteen fifty"),
            ("200", "two hundred"),
            ("4000", "four thousand"),
            ("90210", "nine zero two one zero"),
        ] {
            assert_eq!(house(n), words);
        }
        assert_eq!(spelled("4821"), "four eight two one");
        assert_eq!(spelled("5550100199"), "five five five, zero one zero, zero one nine nine");
    }

    #[test]
    fn plain_numbers_only() {
        assert_eq!(plain("1,250.75").as_deref(), Some("one thousand two hundred fifty point seven five"));
        for text in ["", "1,25", "1.2.3", "12a", "."] {
            assert_eq!(plain(text), None, "{text}");
        }
    }
}
