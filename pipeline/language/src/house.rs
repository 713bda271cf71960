//! House numbers: read as people say them, told by themselves, and put to the street that they are of.

use crate::Ear;
use crate::english;
use crate::spanish;
use crate::tag::Language;

/// Digits of the longest house number.
const LONGEST: usize = 6;
/// Words between what announces a house number and the number: "the house number, dear, is".
const BETWEEN: usize = 4;

/// A house number at the start of plain words, and how many it took: "four eighteen" and "cuatro dieciocho" are 418, "veinticinco, dos
/// cinco" is 25 said twice.
#[must_use]
pub fn number_at(ear: Ear, words: &[&str]) -> Option<(String, usize)> {
    let (mut parts, mut used) = (Vec::<String>::new(), 0);
    while let Some(word) = words.get(used) {
        // "A", "un", "una" count nothing here.
        let article = matches!(*word, "a" | "un" | "una");
        let step = match word.parse::<u32>() {
            Ok(_) => Some(((*word).to_owned(), 1)),
            Err(_) if article => None,
            Err(_) => ear.cardinal_at(&words[used..]).map(|(value, used)| (value.to_string(), used)),
        };
        let Some((digits, more)) = step else { break };
        parts.push(digits);
        used += more;
    }
    let number = match parts.split_first()? {
        (first, rest) if !rest.is_empty() && rest.concat() == *first => first.clone(),
        _ => parts.concat(),
    };
    (number.len() <= LONGEST).then_some((number, used))
}

/// A house number that is told as one: "the house number is four eighteen", "le faltó el número, el cuatro dieciocho".
#[must_use]
pub fn told(ear: Ear, text: &str) -> Option<String> {
    let plain = ear.plain(text);
    let (announces, links): (&[&str], &[&str]) = match ear.0 {
        Language::En => (english::place::HOUSE, english::place::HOUSE_LINKS),
        Language::Es => (spanish::place::HOUSE, spanish::place::HOUSE_LINKS),
    };
    let after = announces.iter().filter_map(|words| {
        let at = format!(" {plain} ").find(&format!(" {words} "))?;
        plain.get(at + words.len()..)
    });
    let rest = after.min_by_key(|rest| rest.len())?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let skipped = words.iter().take(BETWEEN).take_while(|word| links.contains(word)).count();
    number_at(ear, words.get(skipped..)?).map(|(number, _)| number)
}

/// The place with that house number, in place of the one it had.
#[must_use]
pub fn with_number(ear: Ear, place: &str, number: &str) -> String {
    let street = |part: &str| english::place::names_way(part) || spanish::place::names_way(part);
    let mut parts: Vec<String> = place.split(", ").map(str::to_owned).collect();
    let at = parts.iter().position(|part| street(part)).unwrap_or(0);
    let Some(part) = parts.get_mut(at) else { return number.to_owned() };
    let words: Vec<&str> = part.split_whitespace().collect();
    let digits = |word: &&str| word.bytes().all(|b| b.is_ascii_digit());
    let spanish = matches!(ear.0, Language::Es) && spanish::place::opens_with_way(part);
    let numbered = words.len() > 1 && spanish::place::is_numbered_way(words[words.len() - 2]);
    *part = match words.as_slice() {
        [first, rest @ ..] if digits(first) && !rest.is_empty() => format!("{number} {}", rest.join(" ")),
        [rest @ .., last] if spanish && digits(last) && !numbered => format!("{} {number}", rest.join(" ")),
        _ if spanish && !numbered => format!("{part} {number}"),
        _ => format!("{number} {part}"),
    };
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const EN: Ear = Ear(Language::En);
    const ES: Ear = Ear(Language::Es);

    #[test]
    fn house_numbers_are_read_as_said() {
        let of = |ear: Ear, text: &str| {
            let plain = ear.plain(text);
            number_at(ear, &plain.split(' ').collect::<Vec<_>>()).map(|found| found.0)
        };
        for (ear, text, number) in [
            (ES, "cuatro dieciocho", "418"),
            (ES, "dos mil doscientos", "2200"),
            (ES, "veinticinco dos cinco", "25"),
            (EN, "four eighteen", "418"),
            (EN, "418 4 1 8", "418"),
            (EN, "twelve", "12"),
        ] {
            assert_eq!(of(ear, text).as_deref(), Some(number), "{text}");
        }
        assert_eq!(of(ES, "una casa"), None);
        assert_eq!(of(EN, "2 0 2 5 5 5 0 1 4 3"), None);
    }

    #[test]
    fn house_numbers_told_by_themselves() {
        for (ear, text, number) in [
            (ES, "le faltó el número el cuatro dieciocho señorita", "418"),
            (ES, "sí es county road pero el número de la casa es dos mil doscientos", "2200"),
            (EN, "you left off the house number it's four eighteen", "418"),
            (EN, "no the house number's 52", "52"),
        ] {
            assert_eq!(told(ear, text).as_deref(), Some(number), "{text}");
        }
        assert_eq!(told(ES, "mi número es dos cero dos cinco cinco cinco"), None);
        assert_eq!(told(EN, "the house is on fire"), None);
    }

    #[test]
    fn numbers_go_to_their_street() {
        for (ear, place, number, whole) in [
            (ES, "enfrente de mi casa, maple street", "418", "enfrente de mi casa, 418 maple street"),
            (ES, "calle Maple", "418", "calle Maple 418"),
            (ES, "calle Maple 52", "25", "calle Maple 25"),
            (ES, "county road 12", "2200", "2200 county road 12"),
            (EN, "52 Elm Street", "25", "25 Elm Street"),
            (EN, "Elm Street, by the church", "25", "25 Elm Street, by the church"),
        ] {
            assert_eq!(with_number(ear, place, number), whole, "{place}");
        }
    }
}
