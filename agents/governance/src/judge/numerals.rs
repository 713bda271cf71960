//! Numerals: digits and number words, ordinals, written dates, telephone numbers.

use language::english::number;
use language::spanish;

use super::reading::Word;

/// Words that one numeral may have.
const LONGEST: usize = 8;

/// A number in hundredths, and how many words and marks it took.
pub fn number_at(words: &[Word], at: usize, in_spanish: bool) -> Option<(i64, usize)> {
    let first = words.get(at)?;
    if !first.is_word() {
        return None;
    }
    let (mut amount, mut used) = match digits(&first.text) {
        Some(amount) => (amount, 1),
        None => in_words(words, at, in_spanish)?,
    };
    if let Some((factor, more)) = factor(words, at + used) {
        amount = amount.checked_mul(factor)?;
        used += more;
    } else if matches!(words.get(at + used).map(|w| w.text.as_str()), Some("point" | "punto"))
        && let Some((tenths, more)) = number_at(words, at + used + 1, in_spanish).filter(|(n, _)| *n < 1_000)
    {
        amount += tenths / 10;
        used += 1 + more;
    }
    Some((amount, used))
}

/// "1,200", "2.4", "75".
fn digits(text: &str) -> Option<i64> {
    if !text.starts_with(|c: char| c.is_ascii_digit()) || text.contains(':') || text.len() > 12 {
        return None;
    }
    let text = text.replace(',', "");
    let (whole, part) = text.split_once('.').unwrap_or((&text, ""));
    let whole: i64 = whole.parse().ok()?;
    let part: i64 = match part.len() {
        0 => 0,
        1 => part.parse::<i64>().ok()? * 10,
        _ => part.get(..2)?.parse().ok()?,
    };
    Some(whole * 100 + part)
}

fn factor(words: &[Word], at: usize) -> Option<(i64, usize)> {
    match words.get(at)?.text.as_str() {
        "hundred" => Some((100, 1)),
        "thousand" | "mil" => Some((1_000, 1)),
        "million" | "millon" | "millones" => Some((1_000_000, 1)),
        _ => None,
    }
}

fn in_words(words: &[Word], at: usize, in_spanish: bool) -> Option<(i64, usize)> {
    if words[at].text == "thousand" {
        return Some((100_000, 1));
    }
    // "seventy-five" is two words and a mark; the readers of callers' numbers know words alone.
    let mut plain: Vec<&str> = Vec::with_capacity(LONGEST);
    let mut ends: Vec<usize> = Vec::with_capacity(LONGEST);
    for (n, word) in words.iter().enumerate().skip(at).take(2 * LONGEST) {
        if word.text == "-" && word.joined {
            continue;
        }
        if !word.is_word() || word.is_number() || plain.len() == LONGEST {
            break;
        }
        plain.push(&word.text);
        ends.push(n + 1);
    }
    let read = if in_spanish { spanish::number::cardinal_at(&plain) } else { number::cardinal_at(&plain) };
    let (value, used) = read?;
    Some((i64::from(value) * 100, ends.get(used.checked_sub(1)?)? - at))
}

/// Words that are a number and an article.
pub fn is_article(text: &str) -> bool {
    matches!(text, "one" | "un" | "una" | "uno" | "zero")
}

/// "28th", "twenty-eighth", "primero", and how many words it took.
pub fn ordinal_at(words: &[Word], at: usize, in_spanish: bool) -> Option<(i64, usize)> {
    let first = words.get(at)?;
    if first.is_number() {
        let suffix = words.get(at + 1).filter(|w| w.joined)?;
        let is_ordinal = matches!(suffix.text.as_str(), "st" | "nd" | "rd" | "th");
        return is_ordinal.then(|| first.text.parse().ok().map(|n| (n, 2))).flatten();
    }
    if in_spanish {
        return (first.text == "primero").then_some((1, 1));
    }
    let hyphen = words.get(at + 1).is_some_and(|w| w.text == "-" && w.joined);
    let second = words.get(at + 1 + usize::from(hyphen)).map_or("", |w| w.text.as_str());
    let (n, used) = number::ordinal_at(&[first.text.as_str(), second])?;
    Some((i64::from(n), used + usize::from(hyphen && used == 2)))
}

/// "2/28", "2/28/2026", "2026-02-28": month, day, year and how many words and marks.
pub fn written_date(words: &[Word], at: usize) -> Option<(u8, u8, Option<u16>, usize)> {
    let number =
        |n: usize| words.get(at + n).filter(|w| w.is_number()).and_then(|w| w.text.parse::<u16>().ok());
    let mark = |n: usize| words.get(at + n).filter(|w| w.joined).map_or("", |w| w.text.as_str());
    let checked = |month: u16, day: u16, year: Option<u16>, used: usize| {
        let (month, day) = (u8::try_from(month).ok()?, u8::try_from(day).ok()?);
        ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some((month, day, year, used))
    };
    if mark(1) == "/" {
        let year = (mark(3) == "/").then(|| number(4)).flatten();
        return checked(number(0)?, number(2)?, year, if year.is_some() { 5 } else { 3 });
    }
    if mark(1) == "-" && mark(3) == "-" && words[at].text.len() == 4 {
        return checked(number(2)?, number(4)?, number(0), 5);
    }
    None
}

/// A telephone number in digits, however it is cut, or at least seven digits said one by one.
pub fn phone(words: &[Word], at: usize) -> Option<(String, usize)> {
    let (mut digits, mut used, mut groups) = (String::new(), 0, Vec::new());
    while let Some(word) = words.get(at + used) {
        let is_digits = word.is_number() && word.text.bytes().all(|b| b.is_ascii_digit());
        if is_digits {
            digits.push_str(&word.text);
            groups.push(word.text.len());
        } else if let Some(digit) = spoken_digit(&word.text) {
            digits.push(digit);
            groups.push(1);
        } else if !matches!(word.text.as_str(), "-" | "(" | ")" | ".")
            || (digits.is_empty() && word.text != "(")
        {
            break;
        }
        used += 1;
        if digits.len() >= 11 {
            break;
        }
    }
    while used > 0 && !words[at + used - 1].is_word() {
        used -= 1;
    }
    let cut_like_one = matches!(groups.as_slice(), [3, 3, 4] | [3, 4] | [1, 3, 3, 4] | [10]);
    let one_by_one =
        groups.len() >= 7 && groups.iter().all(|n| *n == 1) && matches!(digits.len(), 7 | 10 | 11);
    (cut_like_one || one_by_one).then_some((digits, used))
}

fn spoken_digit(text: &str) -> Option<char> {
    const DIGITS: [[&str; 3]; 10] = [
        ["zero", "oh", "cero"],
        ["one", "uno", "uno"],
        ["two", "dos", "dos"],
        ["three", "tres", "tres"],
        ["four", "cuatro", "cuatro"],
        ["five", "cinco", "cinco"],
        ["six", "seis", "seis"],
        ["seven", "siete", "siete"],
        ["eight", "ocho", "ocho"],
        ["nine", "nueve", "nueve"],
    ];
    let at = DIGITS.iter().position(|names| names.contains(&text))?;
    char::from_digit(u32::try_from(at).ok()?, 10)
}

#[cfg(test)]
mod tests {
    use super::super::reading::words;
    use super::*;

    #[test]
    fn numbers_in_digits_and_in_words_are_equal() {
        for (text, spanish, hundredths) in [
            ("75", false, 7_500),
            ("seventy-five", false, 7_500),
            ("1,200", false, 120_000),
            ("two point four", false, 240),
            ("2.4", false, 240),
            ("six thousand", false, 600_000),
            ("setenta y cinco", true, 7_500),
            ("mil doscientos", true, 120_000),
        ] {
            let words = words(text);
            assert_eq!(number_at(&words, 0, spanish), Some((hundredths, words.len())), "{text}");
        }
    }

    #[test]
    fn telephone_numbers_however_they_are_cut() {
        for text in
            ["202-555-0113", "(202) 555-0113", "2025550113", "two oh two five five five oh one one three"]
        {
            let words = words(text);
            assert_eq!(phone(&words, 0), Some(("2025550113".to_owned(), words.len())), "{text}");
        }
        assert_eq!(phone(&words("120 Court Square"), 0), None);
        assert_eq!(phone(&words("one, two, and five"), 0), None);
    }

    #[test]
    fn amounts_too_large_to_count_are_none() {
        assert_eq!(number_at(&words("999999999999 million"), 0, false), None);
        assert_eq!(number_at(&words("9999999999999999999"), 0, false), None);
    }
}
