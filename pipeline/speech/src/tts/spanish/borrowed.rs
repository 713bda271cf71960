//! English names in Spanish text: "Court Square", "Riverbend County". They are said as in English; people here know them so.

use language::spanish::glossary;

use pipeline::lexicon::Spoken;

/// For each word, whether it belongs to an English name: a run of capitalised words one of which no Spanish speaker would
/// spell so.
pub(in crate::tts) fn english(words: &[Spoken]) -> Vec<bool> {
    let mut out = vec![false; words.len()];
    let mut at = 0;
    while at < words.len() {
        let length = words[at..].iter().position(|word| !is_part(word)).unwrap_or(words.len() - at);
        // A mark ends a name: "Riverbend, Court Square" is two.
        let marked = words[at..at + length].iter().position(|word| ends(&word.spoken));
        let length = marked.map_or(length, |n| n + 1);
        let run = &words[at..at + length];
        if run.iter().any(|word| is_foreign(&bare(&word.spoken))) {
            out[at..at + length].fill(true);
        }
        at += length.max(1);
    }
    out
}

fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase()
}

fn ends(word: &str) -> bool {
    word.ends_with(|c: char| !c.is_alphanumeric())
}

/// One capitalised word that Spanish has not.
fn is_part(word: &Spoken) -> bool {
    let text = word.spoken.trim_start_matches(|c: char| !c.is_alphanumeric());
    let capital = text.starts_with(|c: char| c.is_ascii_uppercase()) && !text.contains(' ');
    capital && word.phonemes.is_none() && glossary::glossed(text).iter().all(|gloss| gloss.senses.is_none())
}

/// Spelled as Spanish words are not.
fn is_foreign(word: &str) -> bool {
    const LETTERS: [&str; 20] = [
        "k", "w", "sh", "th", "ph", "ck", "oo", "ee", "ea", "ou", "ss", "tt", "pp", "ff", "dd", "gh", "mm",
        "bb", "tch", "'",
    ];
    const BEGINNINGS: [&str; 6] = ["st", "sp", "sc", "sq", "sl", "sm"];
    if word.len() < 3 || !word.is_ascii() {
        return false;
    }
    let consonant = |c: char| !"aeiouy".contains(c);
    let mut letters = word.chars().rev();
    let (last, before) = (letters.next().unwrap_or('a'), letters.next().unwrap_or('a'));
    let hard_end = consonant(last) && (!"lrndszj".contains(last) || consonant(before) && last != 's');
    let foreign_y = last == 'y' && consonant(before);
    hard_end
        || foreign_y
        || LETTERS.iter().any(|letters| word.contains(letters))
        || BEGINNINGS.iter().any(|letters| word.starts_with(letters))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let words: Vec<Spoken> = text.split(' ').map(Spoken::said).collect();
        let marks = english(&words);
        words.into_iter().zip(marks).filter(|(_, english)| *english).map(|(word, _)| word.spoken).collect()
    }

    #[test]
    fn names_of_streets_and_counties_are_english() {
        for (text, wanted) in [
            ("La oficina está en Court Square.", "Court Square."),
            ("Vaya a Canal Street, de lunes a viernes", "Canal Street,"),
            ("Riverbend County, gracias por llamar", "Riverbend County,"),
            ("En Maple Street hay un bache", "Maple Street"),
            ("Calle Oak", "Oak"),
        ] {
            assert_eq!(names(text).join(" "), wanted, "{text}");
        }
    }

    #[test]
    fn what_is_spanish_stays_so() {
        for text in [
            "Hola, María González de la Cruz",
            "El Centro de Permisos está abierto",
            "Llame a Residuos Sólidos antes del mediodía",
            "Pida la boleta por correo",
            "Tesorería del Condado",
            "San Miguel Ortiz Ramírez",
            "Soy Daniel Ortega",
        ] {
            assert_eq!(names(text), Vec::<String>::new(), "{text}");
        }
    }
}
