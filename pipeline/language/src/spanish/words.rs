//! Plain Spanish words.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::english::words;

/// Without accents: "mañana" and "manana" are the same word.
#[must_use]
pub fn folded(text: &str) -> String {
    text.nfd().filter(|c| !is_combining_mark(*c)).collect()
}

/// Plain words without accents.
#[must_use]
pub fn plain(text: &str) -> String {
    folded(&words::plain(text))
}

/// Words that carry no content in an answer, at its beginning or alone.
const FILLERS: &[&str] = &[
    "eh", "em", "este", "mm", "mmm", "hmm", "pues", "bueno", "ok", "okay", "ah", "oh", "ay", "mire", "mira",
    "oiga", "oye", "si", "claro", "y", "hola", "entonces", "disculpe", "perdon", "perdone", "um", "uh", "ya",
    "buenas", "buenos", "dias", "tardes", "noches", "pos", "o", "sea", "verdad", "ahora", "solo",
];

/// The text without fillers at its start; original spelling kept.
#[must_use]
pub fn without_fillers(text: &str) -> &str {
    words::without_leading(text, FILLERS, plain)
}

/// Whether an utterance asks something, by its form.
#[must_use]
pub fn is_question(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "como", "cuando", "donde", "adonde", "cuanto", "cuanta", "cuantos", "cuantas", "cual", "cuales",
        "quien", "quienes", "puedo", "puede", "pueden", "podria", "podrian", "podemos", "tienen", "abren",
        "cierran", "debo", "deberia", "sabe", "saben", "habra", "existe",
    ];
    const PHRASES: &[&str] = &[
        "por que ",
        "a que hora",
        "que hora",
        "que dia",
        "que necesito",
        "que tengo que",
        "que hago",
        "que puedo",
        "que pasa",
        "que es ",
        "que son ",
        "que hay ",
        "que documentos",
        "que debo",
        "que papeles",
        "que significa",
        "en que ",
        "de que ",
        "para que ",
        "con quien",
        "se puede",
        "me puede",
        "me podria",
        "me pueden",
        "es posible",
        "esta abiert",
        "estan abiert",
        "es usted",
        "eres ",
        "hay que",
        "hay alg",
        "hay servicio",
        "hay recol",
        "hay un lugar",
        "hay una oficina",
        "es gratis",
        "es verdad",
        "es cierto",
        "le puedo",
        "les puedo",
        "desde cuando",
        "hasta que hora",
        "a donde",
        "a quien",
        "que horario",
        "que cuesta",
        "que costo",
        "que numero",
        "que oficina",
        "que tan",
    ];
    if text.contains('¿') || text.trim_end().ends_with('?') {
        return true;
    }
    let opens = without_fillers(text).to_lowercase();
    let plain = plain(&opens);
    let first = plain.split(' ').next().unwrap_or_default();
    WORDS.contains(&first)
        || opens.starts_with("qué ")
        || PHRASES.iter().any(|p| format!("{plain} ").starts_with(p))
}

/// Whether a question asks for something in particular.
#[must_use]
pub fn asks(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "como",
        "cuando",
        "donde",
        "cuanto",
        "cuanta",
        "cuantos",
        "cuantas",
        "cual",
        "cuales",
        "quien",
        "horario",
        "hora",
        "cuesta",
        "costo",
        "precio",
        "telefono",
        "direccion",
    ];
    let plain = plain(text);
    is_question(text) && plain.split(' ').any(|w| WORDS.contains(&w))
}

const STOP_WORDS: &[&str] = &[
    "a",
    "al",
    "algo",
    "alguien",
    "algun",
    "alguna",
    "ante",
    "aqui",
    "asi",
    "ayuda",
    "ayudar",
    "buen",
    "buena",
    "buenas",
    "bueno",
    "buenos",
    "cada",
    "casi",
    "como",
    "con",
    "condado",
    "cual",
    "cuales",
    "cuando",
    "cuanta",
    "cuanto",
    "cuantos",
    "cuantas",
    "da",
    "dan",
    "de",
    "debe",
    "debo",
    "del",
    "desde",
    "dia",
    "dias",
    "dice",
    "donde",
    "e",
    "el",
    "ella",
    "ellos",
    "en",
    "entonces",
    "era",
    "eres",
    "es",
    "esa",
    "ese",
    "eso",
    "esta",
    "estan",
    "este",
    "esto",
    "estoy",
    "favor",
    "fue",
    "gracias",
    "gustaria",
    "ha",
    "hace",
    "hacer",
    "hacen",
    "hago",
    "hasta",
    "hay",
    "he",
    "hola",
    "hoy",
    "informacion",
    "ir",
    "la",
    "las",
    "le",
    "les",
    "lo",
    "los",
    "mas",
    "me",
    "mi",
    "mis",
    "mucho",
    "muy",
    "nada",
    "necesito",
    "ni",
    "no",
    "nos",
    "o",
    "para",
    "pero",
    "por",
    "porque",
    "puede",
    "pueden",
    "puedo",
    "pues",
    "que",
    "quien",
    "quiero",
    "quisiera",
    "sabe",
    "saber",
    "se",
    "ser",
    "si",
    "sin",
    "sobre",
    "solo",
    "son",
    "soy",
    "su",
    "sus",
    "tal",
    "tambien",
    "te",
    "tener",
    "tengo",
    "tiene",
    "tienen",
    "tu",
    "un",
    "una",
    "unas",
    "uno",
    "unos",
    "usted",
    "ustedes",
    "va",
    "van",
    "voy",
    "y",
    "ya",
    "yo",
    "tardes",
    "noches",
    "pregunta",
    "puedan",
    "podria",
    "podrian",
    "riverbend",
    "the",
    "of",
];

/// Whether a plain word carries no content.
#[must_use]
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(&word)
}

/// Stems of the content words, in order.
#[must_use]
pub fn terms(text: &str) -> Vec<String> {
    let plain = plain(text);
    plain.split([' ', ':', '/', '.']).filter(|w| !w.is_empty() && !STOP_WORDS.contains(w)).map(stem).collect()
}

/// Endings of number and gender go; wrong stems do no harm as long as both sides get them.
fn stem(word: &str) -> String {
    let mut stem = word;
    for ending in ["es", "s"] {
        if let Some(root) = stem.strip_suffix(ending).filter(|r| r.len() > 3) {
            stem = root;
            break;
        }
    }
    if stem.len() > 4 { stem.trim_end_matches(['a', 'o', 'e']).to_owned() } else { stem.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_spanish_has_no_accents() {
        assert_eq!(plain("¿Mañana, a las 3:30? ¡Sí!"), "manana a las 3:30 si");
        assert_eq!(without_fillers("Eh, pues, el árbol se cayó."), "el árbol se cayó");
    }

    #[test]
    fn questions_are_seen_by_form() {
        for text in
            ["¿A qué hora abren?", "cuánto cuesta un permiso", "me puede ayudar", "qué necesito para casarme"]
        {
            assert!(is_question(text), "{text}");
        }
        for text in ["Hay un bache en mi calle.", "Que se cayó un árbol", "Quiero hacer un reporte"] {
            assert!(!is_question(text), "{text}");
        }
    }

    #[test]
    fn inflections_share_a_stem() {
        for (a, b) in
            [("permisos", "permiso"), ("luces", "luces"), ("licencias", "licencia"), ("árboles", "árbol")]
        {
            assert_eq!(terms(a), terms(b), "{a} {b}");
        }
    }
}
