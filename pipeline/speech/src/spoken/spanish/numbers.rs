//! Spanish words for numbers, as they are said in the Americas: "punto" before decimals, thousands by comma.

pub(in crate::spoken) use super::super::english::integer;

/// What a number agrees with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::spoken) enum Agrees {
    /// Stands alone: "veintiuno".
    Alone,
    /// Before a masculine noun: "veintiún días".
    Masculine,
    /// Before a feminine one: "veintiuna horas", "doscientas personas".
    Feminine,
}

use Agrees::{Alone, Feminine, Masculine};

const SMALL: [&str; 30] = [
    "cero",
    "uno",
    "dos",
    "tres",
    "cuatro",
    "cinco",
    "seis",
    "siete",
    "ocho",
    "nueve",
    "diez",
    "once",
    "doce",
    "trece",
    "catorce",
    "quince",
    "dieciséis",
    "diecisiete",
    "dieciocho",
    "diecinueve",
    "veinte",
    "veintiuno",
    "veintidós",
    "veintitrés",
    "veinticuatro",
    "veinticinco",
    "veintiséis",
    "veintisiete",
    "veintiocho",
    "veintinueve",
];
const TENS: [&str; 10] =
    ["", "", "", "treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa"];
const HUNDREDS: [&str; 10] = [
    "",
    "ciento",
    "doscientos",
    "trescientos",
    "cuatrocientos",
    "quinientos",
    "seiscientos",
    "setecientos",
    "ochocientos",
    "novecientos",
];

/// 1250 is "mil doscientos cincuenta".
pub(in crate::spoken) fn cardinal(n: u64, agrees: Agrees) -> String {
    if n >= 1_000_000 {
        let (count, rest) = (n / 1_000_000, n % 1_000_000);
        let millions = match count {
            1 => "un millón".to_owned(),
            _ => format!("{} millones", cardinal(count, Masculine)),
        };
        return joined(millions, rest, agrees);
    }
    if n >= 1_000 {
        let (count, rest) = (n / 1_000, n % 1_000);
        let thousands = match count {
            1 => "mil".to_owned(),
            // "Veintiún mil", but "doscientas mil personas".
            _ => format!(
                "{} mil",
                below_thousand(count, if agrees == Feminine { Feminine } else { Masculine })
            ),
        };
        return joined(thousands, rest, agrees);
    }
    below_thousand(n, agrees)
}

fn joined(head: String, rest: u64, agrees: Agrees) -> String {
    if rest == 0 { head } else { format!("{head} {}", cardinal(rest, agrees)) }
}

fn below_thousand(n: u64, agrees: Agrees) -> String {
    let (hundreds, rest) = ((n / 100) as usize, n % 100);
    let head = match (hundreds, rest) {
        (0, _) => return below_hundred(rest as usize, agrees),
        (1, 0) => return "cien".to_owned(),
        _ => HUNDREDS[hundreds].to_owned(),
    };
    let head = match head.strip_suffix("os") {
        Some(stem) if agrees == Feminine => format!("{stem}as"),
        _ => head,
    };
    if rest == 0 { head } else { format!("{head} {}", below_hundred(rest as usize, agrees)) }
}

fn below_hundred(n: usize, agrees: Agrees) -> String {
    match (n, agrees) {
        (1, Masculine) => "un".to_owned(),
        (1, Feminine) => "una".to_owned(),
        (21, Masculine) => "veintiún".to_owned(),
        (21, Feminine) => "veintiuna".to_owned(),
        (0..30, _) => SMALL[n].to_owned(),
        _ if n.is_multiple_of(10) => TENS[n / 10].to_owned(),
        _ => format!("{} y {}", TENS[n / 10], below_hundred(n % 10, agrees)),
    }
}

/// "Dos millones de dólares": a round number of millions takes "de".
pub(in crate::spoken) fn takes_de(n: u64) -> bool {
    n >= 1_000_000 && n.is_multiple_of(1_000_000)
}

/// 21 is "vigésimo primero"; from 100 on, and before a masculine noun, other forms are used.
pub(in crate::spoken) fn ordinal(n: u64, agrees: Agrees) -> Option<String> {
    const UNITS: [&str; 13] = [
        "",
        "primero",
        "segundo",
        "tercero",
        "cuarto",
        "quinto",
        "sexto",
        "séptimo",
        "octavo",
        "noveno",
        "décimo",
        "undécimo",
        "duodécimo",
    ];
    const TENS: [&str; 10] = [
        "",
        "décimo",
        "vigésimo",
        "trigésimo",
        "cuadragésimo",
        "quincuagésimo",
        "sexagésimo",
        "septuagésimo",
        "octogésimo",
        "nonagésimo",
    ];
    let words = match n {
        1..=12 => UNITS[n as usize].to_owned(),
        13..=99 if n.is_multiple_of(10) => TENS[(n / 10) as usize].to_owned(),
        13..=99 => format!("{} {}", TENS[(n / 10) as usize], UNITS[(n % 10) as usize]),
        _ => return None,
    };
    Some(match agrees {
        Alone => words,
        Feminine => {
            let feminine = |word: &str| format!("{}a", word.trim_end_matches('o'));
            words.split(' ').map(feminine).collect::<Vec<_>>().join(" ")
        }
        Masculine => match words.strip_suffix("primero").or_else(|| words.strip_suffix("tercero")) {
            Some(_) => words.trim_end_matches('o').to_owned(),
            None => words,
        },
    })
}

/// A house number as people say it: 305 is "trescientos cinco", 1450 "catorce cincuenta", 12345 digit by digit.
pub(in crate::spoken) fn house(digits: &str) -> String {
    match (digits.len(), digits.parse::<u64>()) {
        (4, Ok(n)) if n % 100 >= 10 && n >= 1_000 => {
            format!("{} {}", cardinal(n / 100, Alone), cardinal(n % 100, Alone))
        }
        (1..=4, Ok(n)) if !digits.starts_with('0') => cardinal(n, Alone),
        _ => spelled(digits),
    }
}

/// Digit by digit, in groups that an ear can keep, as in English.
pub(in crate::spoken) fn spelled(digits: &str) -> String {
    let groups = super::super::english::groups(digits);
    groups.iter().map(|group| digit_words(group.iter().copied())).collect::<Vec<_>>().join(", ")
}

/// "4821" is "cuatro ocho dos uno".
pub(in crate::spoken) fn digit_words(digits: impl Iterator<Item = char>) -> String {
    let words = digits.filter_map(|c| Some(SMALL[c.to_digit(10)? as usize]));
    words.collect::<Vec<_>>().join(" ")
}

/// A plain number: digits, thousands commas, one decimal point. `None` when it is something else.
pub(in crate::spoken) fn plain(text: &str, agrees: Agrees) -> Option<String> {
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(w, f)| (w, Some(f)));
    let whole = integer(whole)?;
    let Some(fraction) = fraction else { return Some(cardinal(whole, agrees)) };
    let ok = !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit());
    ok.then(|| format!("{} punto {}", cardinal(whole, Alone), digit_words(fraction.chars())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cardinals_agree_with_what_they_count() {
        for (n, alone, masculine, feminine) in [
            (0, "cero", "cero", "cero"),
            (1, "uno", "un", "una"),
            (21, "veintiuno", "veintiún", "veintiuna"),
            (22, "veintidós", "veintidós", "veintidós"),
            (31, "treinta y uno", "treinta y un", "treinta y una"),
            (100, "cien", "cien", "cien"),
            (101, "ciento uno", "ciento un", "ciento una"),
            (200, "doscientos", "doscientos", "doscientas"),
            (
                555,
                "quinientos cincuenta y cinco",
                "quinientos cincuenta y cinco",
                "quinientas cincuenta y cinco",
            ),
            (1_000, "mil", "mil", "mil"),
            (1_001, "mil uno", "mil un", "mil una"),
            (21_000, "veintiún mil", "veintiún mil", "veintiuna mil"),
            (200_000, "doscientos mil", "doscientos mil", "doscientas mil"),
            (1_000_000, "un millón", "un millón", "un millón"),
            (
                2_500_021,
                "dos millones quinientos mil veintiuno",
                "dos millones quinientos mil veintiún",
                "dos millones quinientas mil veintiuna",
            ),
            (1_000_000_000, "mil millones", "mil millones", "mil millones"),
        ] {
            assert_eq!(cardinal(n, Alone), alone);
            assert_eq!(cardinal(n, Masculine), masculine);
            assert_eq!(cardinal(n, Feminine), feminine);
        }
    }

    #[test]
    fn ordinals_agree_too() {
        for (n, alone, masculine, feminine) in [
            (1, "primero", "primer", "primera"),
            (2, "segundo", "segundo", "segunda"),
            (3, "tercero", "tercer", "tercera"),
            (11, "undécimo", "undécimo", "undécima"),
            (20, "vigésimo", "vigésimo", "vigésima"),
            (21, "vigésimo primero", "vigésimo primer", "vigésima primera"),
        ] {
            assert_eq!(ordinal(n, Alone).as_deref(), Some(alone));
            assert_eq!(ordinal(n, Masculine).as_deref(), Some(masculine));
            assert_eq!(ordinal(n, Feminine).as_deref(), Some(feminine));
        }
        assert_eq!(ordinal(0, Alone), None);
        assert_eq!(ordinal(100, Alone), None);
    }

    #[test]
    fn houses_and_digit_groups() {
        for (n, words) in [
            ("12", "doce"),
            ("305", "trescientos cinco"),
            ("1450", "catorce cincuenta"),
            ("1405", "mil cuatrocientos cinco"),
            ("4000", "cuatro mil"),
            ("90210", "nueve cero dos uno cero"),
        ] {
            assert_eq!(house(n), words);
        }
        assert_eq!(spelled("5550100199"), "cinco cinco cinco, cero uno cero, cero uno nueve nueve");
    }
}
