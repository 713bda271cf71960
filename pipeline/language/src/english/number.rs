//! Numbers in words: cardinals, ordinals, years.

/// Cardinals under twenty, by value.
pub const UNITS: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];

/// Twenty to ninety.
pub const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/// Value of one cardinal word under 20.
pub(crate) fn unit(word: &str) -> Option<u32> {
    UNITS.iter().position(|u| *u == word).map(|n| n as u32)
}

pub(crate) fn ten(word: &str) -> Option<u32> {
    let word = if word == "fourty" { "forty" } else { word };
    TENS.iter().position(|t| *t == word).map(|n| (n as u32 + 2) * 10)
}

/// Value of one ordinal word or written ordinal ("3rd").
#[must_use]
pub fn ordinal(word: &str) -> Option<u32> {
    const ORDINALS: [&str; 20] = [
        "",
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
        "eighth",
        "ninth",
        "tenth",
        "eleventh",
        "twelfth",
        "thirteenth",
        "fourteenth",
        "fifteenth",
        "sixteenth",
        "seventeenth",
        "eighteenth",
        "nineteenth",
    ];
    if let Some(digits) = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end))
        && let Ok(value) = digits.parse()
    {
        return Some(value);
    }
    match word {
        "" => None,
        "twentieth" => Some(20),
        "thirtieth" => Some(30),
        _ => ORDINALS.iter().position(|o| *o == word).map(|n| n as u32),
    }
}

/// Ordinal at the start of `words` ("twenty first"), with the count of words it took.
#[must_use]
pub fn ordinal_at(words: &[&str]) -> Option<(u32, usize)> {
    let first = words.first()?;
    if let (Some(tens), Some(units)) = (ten(first), words.get(1).and_then(|w| ordinal(w)).filter(|n| *n < 10))
    {
        return Some((tens + units, 2));
    }
    ordinal(first).map(|n| (n, 1))
}

/// Cardinal at the start of `words`, with the count of words it took: "12", "twelve", "twenty three",
/// "one hundred and five", "twelve hundred", "two thousand six".
#[must_use]
pub fn cardinal_at(words: &[&str]) -> Option<(u32, usize)> {
    if let Some(value) = words.first()?.parse::<u32>().ok().filter(|_| words[0].len() <= 6) {
        return Some((value, 1));
    }
    let (mut value, mut used) = below_hundred(words)?;
    for (word, factor) in [("hundred", 100), ("thousand", 1000)] {
        if words.get(used) == Some(&word) {
            value *= factor;
            used += 1;
            let and = usize::from(words.get(used) == Some(&"and"));
            if let Some((rest, more)) = below_hundred(words.get(used + and..).unwrap_or_default()) {
                value += rest;
                used += and + more;
            }
        }
    }
    Some((value, used))
}

/// A street number as people say it: "twelve", "twelve forty five" (1245), "one oh four" (104).
#[must_use]
pub fn street_number_at(words: &[&str]) -> Option<(u32, usize)> {
    let mut digits = String::new();
    let mut used = 0;
    while used < words.len() && digits.len() < 6 {
        let rest = &words[used..];
        let step = if matches!(rest[0], "oh" | "o") && !digits.is_empty() {
            Some((0, 1))
        } else {
            cardinal_at(rest)
        };
        let Some((value, more)) = step else { break };
        digits.push_str(&value.to_string());
        used += more;
    }
    digits.parse().ok().filter(|_| used > 0).map(|value| (value, used))
}

fn below_hundred(words: &[&str]) -> Option<(u32, usize)> {
    let first = words.first()?;
    if let Some(tens) = ten(first) {
        return match words.get(1).and_then(|w| unit(w)).filter(|n| (1..10).contains(n)) {
            Some(units) => Some((tens + units, 2)),
            None => Some((tens, 1)),
        };
    }
    unit(first).map(|n| (n, 1))
}

/// A year: "2025", "nineteen sixty one", "two thousand four", "sixty one" (1961).
#[must_use]
pub fn year_at(words: &[&str], now: i32) -> Option<i32> {
    let (first, used) = cardinal_at(words)?;
    let value = match words.get(used).and_then(|_| below_hundred(&words[used..])) {
        Some((rest, _)) if (19..=20).contains(&first) && words[0].parse::<u32>().is_err() => {
            first * 100 + rest
        }
        _ => first,
    } as i32;
    match value {
        1900..=2100 => Some(value),
        // "November twelfth, two weeks back": one word for a digit is no year.
        0..=9 if words[0].parse::<u32>().is_err() => None,
        0..=99 if value + 2000 <= now => Some(value + 2000),
        0..=99 => Some(value + 1900),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        text.split(' ').collect()
    }

    #[test]
    fn cardinals() {
        for (text, value) in [
            ("12", 12),
            ("twenty three main", 23),
            ("one hundred and five", 105),
            ("twelve hundred elm", 1200),
            ("two thousand six", 2006),
        ] {
            assert_eq!(cardinal_at(&split(text)).map(|n| n.0), Some(value), "{text}");
        }
    }

    #[test]
    fn street_numbers_join_groups() {
        assert_eq!(street_number_at(&split("twelve forty five oak")), Some((1245, 3)));
        assert_eq!(street_number_at(&split("one oh four pine")), Some((104, 3)));
        assert_eq!(street_number_at(&split("main street")), None);
    }

    #[test]
    fn years() {
        for (text, year) in [
            ("nineteen sixty one", 1961),
            ("61", 1961),
            ("2004", 2004),
            ("two thousand four", 2004),
            ("sixty one", 1961),
        ] {
            assert_eq!(year_at(&split(text), 2026), Some(year), "{text}");
        }
    }

    #[test]
    fn ordinals() {
        assert_eq!(ordinal_at(&split("twenty first")), Some((21, 2)));
        assert_eq!(ordinal("3rd"), Some(3));
        assert_eq!(ordinal("main"), None);
    }
}
