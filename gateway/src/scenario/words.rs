//! Words as both sides mean them: number words and digits are the same, case, accents and punctuation do not count.

use std::sync::LazyLock;

use regex::Regex;

/// Letters of a shortened form with dots: `a.m.`.
static DOTTED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b([a-z])\.\s?([a-z])\.").expect("clippy compiles every pattern"));
/// A comma between thousands, or a dash or dot within a number.
static IN_NUMBER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(\d)[,](\d{3})\b").expect("clippy compiles every pattern"));
/// `8:00` is `8`.
static FULL_HOUR: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(\d{1,2}):00\b").expect("clippy compiles every pattern"));

/// Sounds that are no words.
const HESITATION: [&str; 9] = ["um", "uh", "uhm", "er", "erm", "hmm", "mm", "em", "eh"];

/// Lower-case words without accents and punctuation, numbers as digits.
#[must_use]
pub fn tokens(text: &str) -> Vec<String> {
    let mut plain: String =
        text.to_lowercase().chars().filter(|c| !matches!(c, '\'' | '’')).map(fold).collect();
    for (pattern, by) in [(&DOTTED, "$1$2"), (&IN_NUMBER, "$1$2"), (&FULL_HOUR, "$1")] {
        plain = pattern.replace_all(&plain, by).into_owned();
    }
    let words: Vec<&str> =
        plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    numbers(&words)
}

/// The same without hesitation.
#[must_use]
pub fn spoken_tokens(text: &str) -> Vec<String> {
    tokens(text).into_iter().filter(|word| !HESITATION.contains(&word.as_str())).collect()
}

/// All digits in a row.
#[must_use]
pub fn digits(text: &str) -> String {
    tokens(text).iter().filter(|word| is_number(word)).map(String::as_str).collect()
}

/// One of the alternatives (`a|b`) is in the text: words from their beginning, short words and numbers as a whole, long
/// numbers across gaps.
#[must_use]
pub fn contains(text: &str, alternatives: &str) -> bool {
    let (words, all) = (tokens(text), digits(text));
    alternatives.split('|').any(|wanted| {
        let wanted = tokens(wanted);
        let number: String = wanted.iter().filter(|word| is_number(word)).map(String::as_str).collect();
        let only_digits = !wanted.is_empty() && wanted.iter().all(|word| is_number(word));
        if only_digits && number.len() >= 4 && all.contains(&number) {
            return true;
        }
        !wanted.is_empty() && words.windows(wanted.len()).any(|part| part.iter().zip(&wanted).all(matches))
    })
}

fn matches((word, wanted): (&String, &String)) -> bool {
    let whole = wanted.len() <= 3 || is_number(wanted);
    if whole { word == wanted } else { word.starts_with(wanted.as_str()) }
}

/// Substitutions, deletions and insertions that make `said` into `heard`.
#[must_use]
pub fn edits(said: &[String], heard: &[String]) -> usize {
    let mut row: Vec<usize> = (0..=heard.len()).collect();
    for (i, word) in said.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in heard.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = (diagonal + usize::from(word != other)).min(above + 1).min(row[j] + 1);
            diagonal = above;
        }
    }
    row[heard.len()]
}

/// Spanish rather than English, by words that only one of them has. `None`: neither is to be seen.
#[must_use]
pub fn is_spanish(text: &str) -> Option<bool> {
    const ES: &str = " el la los las de que en un una por para con su usted como esta es y al del puede gracias le \
                      si donde cuando cual desea hola llame cuelgue ";
    const EN: &str = " the of that in a and for with your you is are to can what when where which would how this \
                      do please thank i call ";
    let text = text.to_lowercase();
    let mut score = 0_i32;
    for word in text.split(|c: char| !c.is_alphabetic()).filter(|w| !w.is_empty()) {
        let folded: String = word.chars().map(fold).collect();
        let padded = format!(" {folded} ");
        score += i32::from(ES.contains(&padded)) - i32::from(EN.contains(&padded));
    }
    (score != 0).then_some(score > 0)
}

const fn fold(c: char) -> char {
    match c {
        'á' | 'à' | 'â' => 'a',
        'é' | 'è' | 'ê' => 'e',
        'í' | 'ì' => 'i',
        'ó' | 'ò' | 'ô' => 'o',
        'ú' | 'ù' | 'ü' => 'u',
        'ñ' => 'n',
        other => other,
    }
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_digit())
}

const UNITS: [(&str, u64); 54] = [
    ("zero", 0),
    ("oh", 0),
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("thirteen", 13),
    ("fourteen", 14),
    ("fifteen", 15),
    ("sixteen", 16),
    ("seventeen", 17),
    ("eighteen", 18),
    ("nineteen", 19),
    ("first", 1),
    ("second", 2),
    ("third", 3),
    ("fourth", 4),
    ("fifth", 5),
    ("cero", 0),
    ("uno", 1),
    ("dos", 2),
    ("tres", 3),
    ("cuatro", 4),
    ("cinco", 5),
    ("seis", 6),
    ("siete", 7),
    ("ocho", 8),
    ("nueve", 9),
    ("diez", 10),
    ("once", 11),
    ("doce", 12),
    ("trece", 13),
    ("catorce", 14),
    ("quince", 15),
    ("dieciseis", 16),
    ("diecisiete", 17),
    ("dieciocho", 18),
    ("diecinueve", 19),
    ("veinte", 20),
    ("veintiuno", 21),
    ("veintidos", 22),
    ("veintitres", 23),
    ("veinticuatro", 24),
    ("veinticinco", 25),
    ("veintiseis", 26),
    ("veintisiete", 27),
];
const TENS: [(&str, u64); 17] = [
    ("twenty", 20),
    ("thirty", 30),
    ("forty", 40),
    ("fifty", 50),
    ("sixty", 60),
    ("seventy", 70),
    ("eighty", 80),
    ("ninety", 90),
    ("treinta", 30),
    ("cuarenta", 40),
    ("cincuenta", 50),
    ("sesenta", 60),
    ("setenta", 70),
    ("ochenta", 80),
    ("noventa", 90),
    ("veintiocho", 28),
    ("veintinueve", 29),
];

fn value(table: &[(&str, u64)], word: &str) -> Option<u64> {
    table.iter().find(|(name, _)| *name == word).map(|(_, value)| *value)
}

/// Puts number words into digits: `twenty five` 25, `two hundred forty` 240, `one thousand two hundred` 1200.
fn numbers(words: &[&str]) -> Vec<String> {
    let (mut out, mut at) = (Vec::new(), 0);
    while at < words.len() {
        match number_at(&words[at..]) {
            Some((number, used)) => {
                out.push(number.to_string());
                at += used;
            }
            None => {
                out.push(words[at].to_owned());
                at += 1;
            }
        }
    }
    out
}

/// The number that begins here, and how many words it takes.
fn number_at(words: &[&str]) -> Option<(u64, usize)> {
    let (mut number, mut used) = below_hundred(words)?;
    if number == 0 {
        return Some((0, used));
    }
    for (name, factor) in [("hundred", 100), ("thousand", 1_000), ("mil", 1_000)] {
        let next = |used: usize| words.get(used).copied();
        if next(used) != Some(name) {
            continue;
        }
        number *= factor;
        used += 1;
        let skip = usize::from(next(used) == Some("and"));
        let mut rest = below_hundred(words.get(used + skip..).unwrap_or_default());
        if let Some((left, taken)) = rest
            && factor == 1_000
            && next(used + skip + taken) == Some("hundred")
        {
            let tail = below_hundred(words.get(used + skip + taken + 1..).unwrap_or_default());
            let (small, more) = tail.unwrap_or((0, 0));
            rest = Some((left * 100 + small, taken + 1 + more));
        }
        if let Some((small, taken)) = rest.filter(|(small, _)| *small > 0) {
            number += small;
            used += skip + taken;
        }
    }
    Some((number, used))
}

fn below_hundred(words: &[&str]) -> Option<(u64, usize)> {
    let first = words.first()?;
    if let Some(tens) = value(&TENS, first) {
        let link = usize::from(words.get(1) == Some(&"y"));
        let unit =
            words.get(1 + link).and_then(|word| value(&UNITS, word)).filter(|unit| (1..10).contains(unit));
        return Some(unit.map_or((tens, 1), |unit| (tens + unit, 2 + link)));
    }
    value(&UNITS, first).map(|unit| (unit, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_words_and_digits_are_the_same() {
        assert_eq!(tokens("twenty-five dollars"), ["25", "dollars"]);
        assert_eq!(tokens("$1,240.00"), tokens("one thousand two hundred forty 00"));
        assert_eq!(tokens("Treinta y dos, veintiún"), ["32", "veintiun"]);
        assert_eq!(digits("two oh two, 555, oh one six three"), "2025550163");
    }

    #[test]
    fn a_phone_number_is_found_across_its_gaps_and_a_small_number_only_as_a_whole() {
        assert!(contains("your number is 202-555-0163, right?", "2025550163"));
        assert!(contains("Open from 8:00 a.m. to 5 PM", "8 am|eight o'clock"));
        assert!(!contains("Open at 18", "8"));
    }

    #[test]
    fn words_are_found_from_their_beginning() {
        assert!(contains("Two potholes on Maple Street", "pothole"));
        assert!(!contains("Two potholes", "hole"));
        assert!(contains("the deep hole", "pothole|hole"));
    }

    #[test]
    fn edits_count_words() {
        let of = |text| tokens(text);
        assert_eq!(edits(&of("a b c"), &of("a x c d")), 2);
        assert_eq!(edits(&of(""), &of("a b")), 2);
    }

    #[test]
    fn the_language_shows_in_the_small_words() {
        assert_eq!(is_spanish("¿En qué le puedo ayudar?"), Some(true));
        assert_eq!(is_spanish("What can I do for you?"), Some(false));
        assert_eq!(is_spanish("911"), None);
    }
}
