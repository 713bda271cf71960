//! English words of county business that Spanish speakers in the United States use amid their Spanish: "cómo saco una library card".

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::cues::SPANISH;
use super::words::plain;
use crate::english::cues::ENGLISH;

/// What is borrowed, longer before shorter, and what Spanish pages call it.
const BORROWED: [(&str, &str); 40] = [
    ("voter registration", "registro de votantes"),
    ("business license", "licencia de negocio"),
    ("marriage license", "licencia de matrimonio"),
    ("birth certificate", "acta de nacimiento"),
    ("death certificate", "acta de defunción"),
    ("building permit", "permiso de construcción"),
    ("parking tickets", "multas de estacionamiento"),
    ("parking ticket", "multa de estacionamiento"),
    ("property taxes", "impuesto predial"),
    ("property tax", "impuesto predial"),
    ("library card", "credencial de la biblioteca"),
    ("street light", "luz de la calle"),
    ("streetlight", "luz de la calle"),
    ("dog license", "licencia de perro"),
    ("bulk pickup", "recolección de objetos grandes"),
    ("water bill", "recibo del agua"),
    ("food stamps", "cupones de alimentos"),
    ("jury duty", "servicio de jurado"),
    ("appointment", "cita"),
    ("inspection", "inspección"),
    ("recycling", "reciclaje"),
    ("mattress", "colchón"),
    ("passport", "pasaporte"),
    ("potholes", "baches"),
    ("pothole", "bache"),
    ("permits", "permisos"),
    ("tickets", "multas"),
    ("garbage", "basura"),
    ("library", "biblioteca"),
    ("license", "licencia"),
    ("recycle", "reciclaje"),
    ("permit", "permiso"),
    ("ticket", "multa"),
    ("couch", "sofá"),
    ("trash", "basura"),
    ("taxes", "impuestos"),
    ("fence", "cerca"),
    ("tax", "impuesto"),
    ("deck", "terraza"),
    ("claim", "reclamo"),
];

static WORDS: LazyLock<Regex> = LazyLock::new(|| {
    let words: Vec<&str> = BORROWED.iter().map(|(word, _)| *word).collect();
    // "Library Street" is a street.
    Regex::new(&format!(
        r"(?i)\b({})\b( (?:street|st|avenue|ave|road|rd|lane|ln|drive|dr|court|way|boulevard)\b)?",
        words.join("|")
    ))
    .expect("a test compiles this pattern")
});

/// The text with the Spanish words in place of what was borrowed. A text that is more English than Spanish is left alone.
#[must_use]
pub fn in_spanish(text: &str) -> String {
    let plain = plain(text);
    let marks = |marks: &[&str]| plain.split(' ').filter(|word| marks.contains(word)).count();
    if marks(SPANISH.marks) <= marks(ENGLISH.marks) {
        return text.to_owned();
    }
    let spanish = |found: &Captures<'_>| {
        let named = BORROWED.iter().find(|(word, _)| found[1].eq_ignore_ascii_case(word));
        match named.filter(|_| found.get(2).is_none()) {
            Some((_, spanish)) => (*spanish).to_owned(),
            None => found[0].to_owned(),
        }
    };
    WORDS.replace_all(text, spanish).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_borrowed_has_a_spanish_word() {
        for (said, meant) in [
            ("cómo puedo get una library card", "cómo puedo get una credencial de la biblioteca"),
            ("cuándo se pagan los taxes", "cuándo se pagan los impuestos"),
            ("vivo en Library Street", "vivo en Library Street"),
            ("no pasaron por la basura", "no pasaron por la basura"),
            ("i want a dog license for my dog", "i want a dog license for my dog"),
        ] {
            assert_eq!(in_spanish(said), meant);
        }
    }

    #[test]
    fn longer_words_stand_before_those_they_begin_with() {
        for (n, (word, _)) in BORROWED.iter().enumerate() {
            let hidden = BORROWED[..n].iter().find(|(before, _)| word.starts_with(before));
            assert_eq!(hidden, None, "{word}");
        }
    }
}
