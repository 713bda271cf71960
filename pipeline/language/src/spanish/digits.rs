//! Digit strings in Spanish: number words become digits, and the shared reader takes it from there.

use super::number::cardinal_at;
use super::words::plain;
use crate::english::digits::{PhoneAnswer, phone as read_phone};

/// Reads a telephone number. `earlier` holds digits already given for the same question.
#[must_use]
pub fn phone(text: &str, earlier: &str, area_code: &str) -> Option<PhoneAnswer> {
    read_phone(&written(text), earlier, area_code)
}

/// The text for the shared reader: digits, its own word for a correction and for what may stand between digits,
/// and a neutral word for all else, so that no Spanish word is taken for an English one.
#[must_use]
pub fn written(text: &str) -> String {
    let plain = plain(text).replace(['.', ':', '/'], " ");
    let words: Vec<&str> = plain.split(' ').filter(|w| !w.is_empty()).collect();
    let mut out: Vec<String> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let (piece, used) = piece(&words[at..]);
        out.push(piece);
        at += used;
    }
    out.join(" ")
}

fn piece(words: &[&str]) -> (String, usize) {
    let times = match words[0] {
        "doble" => Some(2),
        "triple" => Some(3),
        _ => None,
    };
    if let Some(times) = times
        && let Some((digit, _)) = words.get(1..).and_then(cardinal_at).filter(|(n, _)| *n < 10)
    {
        return (digit.to_string().repeat(times), 2);
    }
    if words[0].chars().all(|c| c.is_ascii_digit()) {
        return (words[0].to_owned(), 1);
    }
    let digits =
        words[0].strip_prefix("clm").filter(|d| !d.is_empty() && d.chars().all(|c| c.is_ascii_digit()));
    if let Some(digits) = digits {
        return (digits.to_owned(), 1);
    }
    // "Un" and "una" count things; in a number people say "uno".
    if !matches!(words[0], "un" | "una")
        && let Some((value, used)) = cardinal_at(words)
    {
        return (value.to_string(), used);
    }
    let between =
        ["y", "guion", "raya", "luego", "despues", "eh", "este", "area", "codigo", "punto", "de", "el", "es"];
    let corrects = ["no", "perdon", "digo", "corrijo", "perdone"];
    let piece = if corrects.contains(&words[0]) {
        "no"
    } else if between.contains(&words[0]) {
        "dash"
    } else {
        "word"
    };
    (piece.to_owned(), 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::english::digits::claim_digits;

    #[test]
    fn phones_in_many_shapes() {
        for text in [
            "202-555-0143",
            "Es el 202 555 0143.",
            "dos cero dos, cinco cinco cinco, cero uno cuatro tres",
            "dos cero dos, triple cinco, cero uno cuarenta y tres",
            "doscientos dos, quinientos cincuenta y cinco, cero uno cuatro tres",
            "código de área 202, luego 555, cero ciento cuarenta y tres",
            "mi número es el dos cero dos cinco cincuenta y cinco cero uno cuatro tres",
            "202 555 0134, no, perdón, 0143",
            "área dos cero dos, doble cinco cinco, cero uno cuatro tres",
        ] {
            let Some(PhoneAnswer::Whole(found)) = phone(text, "", "202") else {
                panic!("{text}: {:?} {}", phone(text, "", "202"), written(text))
            };
            assert_eq!(found.spoken(), "202-555-0143", "{text}");
        }
    }

    #[test]
    fn groups_over_two_utterances_are_joined() {
        assert_eq!(phone("dos cero dos", "", "202"), Some(PhoneAnswer::Part("202".into())));
        let Some(PhoneAnswer::Whole(found)) = phone("cinco cinco cinco cero uno cuatro tres", "202", "202")
        else {
            panic!()
        };
        assert_eq!(found.spoken(), "202-555-0143");
        assert_eq!(phone("quiero ir a la oficina o a la tienda", "", "202"), None);
    }

    #[test]
    fn claim_numbers_as_said() {
        for text in [
            "ce ele eme dos cero cuatro uno siete",
            "CLM-20417",
            "es el 20417",
            "CLM veinte cuatro diecisiete",
        ] {
            assert_eq!(claim_digits(&written(text)).as_deref(), Some("20417"), "{text}");
        }
    }
}
