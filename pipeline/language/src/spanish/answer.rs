//! Yes, no, and choosing from a list, in Spanish.

use super::number::{cardinal_at, ordinal};
use super::words::plain;
use crate::english::answer::{Lists, YesNo};

static LISTS: Lists = Lists {
    yes: &[
        "si",
        "ahora si",
        "claro",
        "claro que si",
        "por supuesto",
        "correcto",
        "correcta",
        "asi es",
        "exacto",
        "exactamente",
        "de acuerdo",
        "esta bien",
        "ok",
        "okay",
        "vale",
        "bueno",
        "afirmativo",
        "eso es",
        "eso",
        "cierto",
        "es correcto",
        "esta correcto",
        "todo bien",
        "todo correcto",
        "todo esta bien",
        "perfecto",
        "dale",
        "sale",
        "va",
        "andale",
        "como no",
        "si por favor",
        "por favor",
        "aja",
        "desde luego",
        "me parece bien",
        "muy bien",
        "adelante",
        "si senor",
        "si senora",
        "si senorita",
        "asi mero",
        "ese mismo",
        "ese esta bien",
        "esa esta bien",
        "yes",
        "yeah",
        "si gracias",
        "asi esta bien",
        "me gustaria",
        "creo que si",
        // As an English ear writes it.
        "see",
        "c",
        "c por favor",
        "see todo correcto",
        "see esta bien",
    ],
    no: &[
        "no",
        "no gracias",
        "nada",
        "nada mas",
        "ninguno",
        "ninguna",
        "nadie",
        "para nada",
        "incorrecto",
        "no es correcto",
        "no esta bien",
        "esta mal",
        "eso no",
        "no senor",
        "no senora",
        "negativo",
        "tampoco",
        "nunca",
        "ya no",
        "eso es todo",
        "es todo",
        "seria todo",
        "ya es todo",
        "eso seria todo",
        "claro que no",
        "por supuesto que no",
        "todavia no",
        "creo que no",
        "nope",
        "no quiero",
        "mejor no",
        "asi no",
        "no lo se",
        "no es asi",
        "por ahora no",
        "no por ahora",
        "asi esta bien gracias",
    ],
    openers: &[
        "eh", "este", "pues", "bueno", "ah", "ay", "oh", "mm", "um", "uh", "y", "mmm", "em", "pos", "mire",
        "oiga",
    ],
};

/// Reads yes or no from the beginning of an utterance.
#[must_use]
pub fn yes_no(text: &str) -> Option<YesNo> {
    LISTS.read(&plain(text))
}

/// Whether the utterance is nothing but a yes or a no.
#[must_use]
pub fn is_bare_yes_no(text: &str) -> bool {
    LISTS.is_bare(&plain(text))
}

/// Which of `count` offered things the caller picked by its place.
#[must_use]
pub fn choice(text: &str, count: usize) -> Option<usize> {
    const FIRST: &[&str] = &[
        "mas temprano",
        "mas temprana",
        "mas pronto",
        "cualquiera",
        "la que sea",
        "el que sea",
        "me da igual",
        "no importa",
        "da lo mismo",
        "cualquier",
    ];
    let plain = plain(text);
    let words: Vec<&str> = plain.split(' ').collect();
    let has = |word: &str| words.contains(&word);
    let place = if has("ultimo") || has("ultima") || plain.contains("mas tarde") {
        count
    } else if plain.contains("en medio") || plain.contains("del medio") {
        (count == 3).then_some(2)?
    } else if FIRST.iter().any(|phrase| plain.contains(phrase)) {
        1
    } else {
        words.iter().find_map(|w| ordinal(w)).or_else(|| numbered(&words))? as usize
    };
    (1..=count).contains(&place).then(|| place - 1)
}

fn numbered(words: &[&str]) -> Option<u32> {
    let after = words.iter().position(|w| matches!(*w, "numero" | "opcion"));
    let lone = (words.len() == 1).then_some(0);
    cardinal_at(words.get(after.map(|n| n + 1).or(lone)?..)?).map(|n| n.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yes_and_no_in_their_usual_forms() {
        for text in [
            "Sí.",
            "Claro que sí",
            "así es",
            "Correcto.",
            "Eh, sí, por favor",
            "está bien",
            "Eso es.",
            "Sí, pero el número es otro",
        ] {
            assert_eq!(yes_no(text), Some(YesNo::Yes), "{text}");
        }
        for text in [
            "No.",
            "No, gracias.",
            "eso es todo",
            "Nada más",
            "Claro que no",
            "Pues, no",
            "Nadie.",
            "está mal",
        ] {
            assert_eq!(yes_no(text), Some(YesNo::No), "{text}");
        }
        for text in ["Calle Norte", "202 555 0143", "Noemí Ruiz", "", "mañana"] {
            assert_eq!(yes_no(text), None, "{text}");
        }
    }

    #[test]
    fn choices_by_place() {
        for (text, n) in [
            ("La segunda.", 1),
            ("el primero, por favor", 0),
            ("número tres", 2),
            ("opción 2", 1),
            ("la última", 2),
            ("2", 1),
            ("Cualquiera está bien", 0),
            ("la de en medio", 1),
        ] {
            assert_eq!(choice(text, 3), Some(n), "{text}");
        }
        assert_eq!(choice("la quinta", 3), None);
        assert_eq!(choice("el martes", 3), None);
    }
}
