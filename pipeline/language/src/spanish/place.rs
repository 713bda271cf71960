//! Places as Spanish speakers name them: streets before their names, English addresses as they stand.

use std::sync::LazyLock;

use regex::Regex;

use super::answer::is_bare_yes_no;
use super::cues::SPANISH;
use super::words::{is_question, plain, without_fillers};
use crate::Ear;
use crate::english::place as english;
use crate::house::number_at;
use crate::tag::Language;

const WAYS: &str = r"calle|avenida|av\.?|bulevar|boulevard|carretera|camino|autopista|ruta|paseo|callejón|callejon|calzada|plaza";

static STREET: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?i)\b(?:{WAYS})\s+(?:(?:de|la|las|los|del|san|santa)\s+){{0,2}}[\wÀ-ÿ'’]+(?:\s+(?:street|avenue|road|drive|lane|st|ave|rd)\b\.?)?(?:\s+[A-ZÀ-Þ][\wÀ-ÿ'’]+)?(?:,?\s+(?:(?:número|numero|núm\.?|#)\s*)?\d{{1,6}})?"
    ))
    .expect("a test compiles this pattern")
});
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(r"(?i)\b(?:{WAYS}|street|avenue|road|drive|lane|square|número|numero)\b"))
        .expect("a test compiles this pattern")
});
static CORNER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:esquina|cruce|intersecci[oó]n)\s+(?:de|entre)\s+(?:la\s+|el\s+)?((?:calle |avenida )?[\wÀ-ÿ'’]+(?: (?:street|avenue))?)\s+(?:y|con)\s+(?:la\s+|el\s+)?((?:calle |avenida )?[\wÀ-ÿ'’]+(?: (?:street|avenue))?)").expect("clippy compiles every pattern")
});
static LANDMARK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b((?:en ?frente (?:de|del|a|al)|frente (?:a|al)|detrás (?:de|del)|detras (?:de|del)|atrás (?:de|del)|atras (?:de|del)|al lado (?:de|del)|junto (?:a|al)|cerca (?:de|del)|afuera (?:de|del)|dentro (?:de|del)|a un lado (?:de|del))\s+(?:la |el |los |las |mi )?[\wÀ-ÿ'’]+(?:\s+(?:de|del|la|el|los|las|público|publica|pública|central|[A-ZÀ-Þ][\wÀ-ÿ'’]+|[\wÀ-ÿ'’]+)){0,4})").expect("clippy compiles every pattern")
});
static INSIDE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(?:en|por) (?:el|la) ((?:parque|escuela|biblioteca|puente|plaza|estacionamiento|corte|juzgado|oficina|clínica|clinica|hospital|cementerio|iglesia|mercado)\s+(?:(?:de|del|la|el)\s+){0,2}[A-ZÀ-Þ][\wÀ-ÿ'’]+(?:\s+[A-ZÀ-Þ][\wÀ-ÿ'’]+)?)").expect("clippy compiles every pattern")
});
/// "2200 de la county road 12": the last number is the road's name.
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(\d{1,6})\s+(?:(?:de|en|la)\s+){0,2}((?:(?:county|state|farm)\s+road|route|highway|ruta|carretera|autopista)\s+\d{1,4})\b").expect("clippy compiles every pattern")
});
/// "Elm street al 52": English streets with their number behind.
static BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b((?:[\wÀ-ÿ'’]+\s+){1,3}(?:street|avenue|road|drive|lane|court|boulevard|st|ave|rd))\.?,?\s+(?:(?:al|en el|en la|el|número|numero|núm)\s+){0,2}(\d{1,6})\b").expect("clippy compiles every pattern")
});
/// The number of a house, somewhere behind its street.
static HOUSE_NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:en el|al|número|numero|#)\s+(\d{1,5})\b(?:\s+([\wÀ-ÿ]+))?")
        .expect("clippy compiles every pattern")
});
/// What announces a house number, in plain words, and what may stand between.
pub(crate) const HOUSE: &[&str] = &[
    "numero de la casa",
    "numero de casa",
    "número de la casa",
    "número de casa",
    "numero de mi casa",
    "número de mi casa",
    "falta el numero",
    "falta el número",
    "falto el numero",
    "faltó el número",
    "faltó el numero",
    "la casa es el numero",
    "la casa es el número",
    "la casa es el",
];
pub(crate) const HOUSE_LINKS: &[&str] =
    &["es", "el", "la", "lo", "que", "de", "casa", "mi", "numero", "número", "y", "no"];

/// Words that end a place: what follows is when or what happened.
static TAIL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)[,]?\s+(?:ayer|hoy|anoche|antier|anteayer|mañana|ahorita|esta (?:mañana|tarde|noche)|la semana|el (?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)|hace |a las? (?:una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|\d)|como a |y (?:me|se|no|hay|el|la|nadie|un|una|tengo|mi|necesito|quiero)\b|porque|cuando|que |está |estaba |hay |mi (?:nombre|número|teléfono)|me llamo|por favor\b|fue |desde ).*$").expect("clippy compiles every pattern")
});

/// Words for how far something is, in plain words.
#[must_use]
pub const fn distances() -> &'static [&'static str] {
    &["milla", "millas", "pies", "metros", "kilometro", "kilometros", "cuadra", "cuadras"]
}

/// A place the caller gives without being asked.
#[must_use]
pub fn stated(text: &str) -> Option<String> {
    let text = digits_for_words(text);
    address(&text)
        .or_else(|| corner(&text))
        .or_else(|| STREET.find(&text).map(|m| tidy(m.as_str())).filter(|street| named(street)))
        .or_else(|| group(&INSIDE, &text))
        .or_else(|| landmark(&text))
        .filter(|place| place.chars().filter(|c| c.is_alphabetic()).count() > 3)
}

/// A full street address, with a number.
#[must_use]
pub fn address(text: &str) -> Option<String> {
    let text = digits_for_words(text);
    numbered_way(&text).or_else(|| english::address(&text)).or_else(|| number_behind(&text)).or_else(|| {
        let street = STREET.find(&text)?;
        let found = tidy(street.as_str());
        if found.ends_with(|c: char| c.is_ascii_digit()) {
            return Some(found);
        }
        // "En la calle Maple, aquí merito, en el 418."
        let number = HOUSE_NUMBER.captures(&text[street.end()..])?;
        let counts = number.get(2).is_some_and(|after| COUNTED.contains(&plain(after.as_str()).as_str()));
        let name = found.rsplit_once(' ').filter(|(_, last)| AROUND.contains(&plain(last).as_str()));
        let name = name.map_or(found.as_str(), |(name, _)| name);
        (named(name) && !counts).then(|| format!("{name} {}", &number[1]))
    })
}

/// What a number before it counts, or is a time of.
const COUNTED: [&str; 17] = [
    "de", "dolares", "anos", "dias", "horas", "minutos", "semanas", "meses", "veces", "pies", "personas",
    "por", "am", "pm", "y", "metros", "cuadras",
];

/// What is said behind a street's name, and is none of it.
const AROUND: [&str; 9] = ["aqui", "aca", "ahi", "alla", "donde", "enfrente", "frente", "en", "al"];

fn numbered_way(text: &str) -> Option<String> {
    let found = NUMBERED.captures(text)?;
    Some(format!("{} {}", &found[1], &found[2]))
}

fn number_behind(text: &str) -> Option<String> {
    let found = BEHIND.captures(text)?;
    let words: Vec<&str> = found.get(1)?.as_str().split_whitespace().collect();
    let small = |word: &str| SMALL_BEFORE.contains(&plain(word).as_str());
    let from = words.iter().rposition(|word| small(word)).map_or(0, |at| at + 1);
    let street = words.get(from..).filter(|street| street.len() > 1)?;
    Some(format!("{} {}", &found[2], street.join(" ")))
}

/// Words before a street that are none of its name.
const SMALL_BEFORE: [&str; 24] = [
    "en", "la", "el", "de", "del", "a", "al", "por", "casa", "es", "aqui", "aca", "alla", "ahi", "y", "que",
    "no", "sobre", "mi", "calle", "con", "esta", "pues", "o",
];

/// Whether a kind of street is among the words.
pub(crate) fn names_way(place: &str) -> bool {
    STREET.is_match(place)
}

/// "Calle Olmo", "avenida Juárez": the kind comes first, and the number last.
pub(crate) fn opens_with_way(place: &str) -> bool {
    STREET.find(place).is_some_and(|found| found.start() <= 3)
}

/// "Road", "ruta", "carretera": a number behind it is its name.
pub(crate) fn is_numbered_way(word: &str) -> bool {
    const WAYS: [&str; 6] = ["road", "route", "highway", "ruta", "carretera", "autopista"];
    WAYS.contains(&plain(word).as_str())
}

/// A place in answer to "¿Dónde fue?": anything that is not plainly something else.
#[must_use]
pub fn answered(text: &str) -> Option<String> {
    if let Some(found) = address(text).or_else(|| corner(text)) {
        return Some(found);
    }
    let bare = without_fillers(text);
    let plain = plain(bare);
    let content = plain.split(' ').filter(|w| w.len() > 1).count();
    let unknowing = SPANISH.unknowing.iter().any(|p| plain.contains(p));
    if is_question(text) || unknowing || is_bare_yes_no(bare) || content == 0 || content > 25 {
        return None;
    }
    Some(tidy(&digits_for_words(strip_lead(bare)))).filter(|place| place.chars().any(char::is_alphabetic))
}

/// "En la calle y se me ponchó" names no street.
fn named(street: &str) -> bool {
    const SMALL: [&str; 14] =
        ["y", "e", "o", "que", "se", "me", "te", "no", "ya", "pero", "porque", "cuando", "donde", "está"];
    // "La calle botando agua" and "el foco de la calle apagado" tell what happens; "calle Fernando" is a street.
    const NAMES: [&str; 17] = [
        "fernando", "orlando", "armando", "hernando", "rolando", "obando", "delgado", "salgado", "machado",
        "mercado", "prado", "alvarado", "hurtado", "collado", "furtado", "arado", "dorado",
    ];
    let happens = |word: &str| {
        let ends = ["ando", "iendo", "yendo", "ado", "ada", "ido", "ida"];
        ends.iter().any(|end| word.ends_with(end)) && !NAMES.contains(&word)
    };
    let second = street.split_whitespace().nth(1).map(plain);
    second.is_some_and(|word| !SMALL.contains(&word.as_str()) && !happens(&word))
}

fn group(pattern: &LazyLock<Regex>, text: &str) -> Option<String> {
    pattern.captures(text)?.get(1).map(|m| tidy(m.as_str()))
}

/// "La cerca del parque" is a fence, "cerca del parque" a place.
fn landmark(text: &str) -> Option<String> {
    let found = LANDMARK.captures(text)?.get(1)?;
    let before = text[..found.start()].split_whitespace().last().map(plain).unwrap_or_default();
    let fence = found.as_str().to_lowercase().starts_with("cerca")
        && matches!(before.as_str(), "la" | "una" | "mi" | "su" | "nuestra" | "esa");
    // "Enfrente de mi casa tenemos el foco apagado": a house that only the caller knows is all there is of the place.
    let mine = [" mi casa", " mi puerta", " mi negocio"]
        .into_iter()
        .find_map(|mine| found.as_str().to_lowercase().find(mine).map(|at| at + mine.len()));
    let named = mine.and_then(|end| found.as_str().get(..end)).unwrap_or(found.as_str());
    (!fence).then(|| tidy(named))
}

fn corner(text: &str) -> Option<String> {
    let found = CORNER.captures(text)?;
    Some(format!("la esquina de {} y {}", found.get(1)?.as_str(), found.get(2)?.as_str()))
}

fn strip_lead(text: &str) -> &str {
    static LEAD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)^(?:es|está|esta|fue|ocurrió|ocurrio|pasó|paso|sucedió|la dirección es|la direccion es|mi dirección es|vivo|estoy|queda|ubicado)\s+(?:justo |ahí |aquí )?").expect("clippy compiles every pattern")
    });
    let after = LEAD.find(text).map_or(text, |m| &text[m.end()..]);
    ["en ", "En ", "por ", "Por "].iter().find_map(|p| after.strip_prefix(p)).unwrap_or(after)
}

fn tidy(place: &str) -> String {
    // "A las" of "a las ocho", where the number is beyond what was taken for the place.
    static HOUR: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?i)\s+a las?$").expect("clippy compiles every pattern"));
    let cut = TAIL.replace(place, "").into_owned();
    let cut = HOUR.replace(&cut, "").into_owned();
    cut.trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '.' | ';' | '!' | '?')).to_owned()
}

/// Number words become digits where a street is named: "doce Main Street", "calle Elm doce".
fn digits_for_words(text: &str) -> String {
    let text = &crate::numbers::ungrouped(text);
    if !NAMED.is_match(text) {
        return text.to_owned();
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let bare: Vec<String> = words.iter().map(|w| plain(w)).collect();
    let bare: Vec<&str> = bare.iter().map(String::as_str).collect();
    let mut out: Vec<String> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        // What is written in digits stands as it is; "un" counts nothing here.
        let counts = !matches!(bare[at], "un" | "una") && bare[at].parse::<u32>().is_err();
        match number_at(Ear(Language::Es), &bare[at..]).filter(|_| counts) {
            Some((value, used)) => {
                let mark: String =
                    words[at + used - 1].chars().rev().take_while(|c| ",.;".contains(*c)).collect();
                out.push(format!("{value}{mark}"));
                at += used;
            }
            None => {
                out.push(words[at].to_owned());
                at += 1;
            }
        }
    }
    out.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_made_of_parts_compiles() {
        for pattern in [&STREET, &NAMED] {
            assert!(!pattern.as_str().is_empty());
        }
    }

    #[test]
    fn places_given_unasked() {
        for (text, place) in [
            ("Hay un bache en la calle Elm, desde ayer.", "calle Elm"),
            ("un choque en 12 Main Street esta mañana", "12 Main Street"),
            ("se cayó un árbol en doce Main Street", "12 Main Street"),
            ("en la esquina de la Quinta y Oak", "la esquina de Quinta y Oak"),
            ("me caí enfrente de la biblioteca anoche", "enfrente de la biblioteca"),
            ("el poste está frente a la biblioteca a las ocho de la noche", "frente a la biblioteca"),
            ("en la avenida Juárez 1450", "avenida Juárez 1450"),
            ("pasó en el parque Riverside", "parque Riverside"),
            ("en la calle maple aquí merito enfrente de mi casa en el cuatro dieciocho", "calle maple 418"),
            ("es maple street cuatro dieciocho", "418 maple street"),
            ("acá en casa en elm street al cincuenta y dos", "52 elm street"),
            ("elm street veinticinco dos cinco", "25 elm street"),
            ("es en la 2200 de county road doce", "2200 county road 12"),
            ("en dos mil doscientos county road doce", "2200 county road 12"),
        ] {
            assert_eq!(stated(text).as_deref(), Some(place), "{text}");
        }
        for text in [
            "Hay un hoyo en la calle y se me ponchó la llanta",
            "Quiero reportar un accidente",
            "mi número es 202 555 0143",
            "¿Qué hora es?",
            "Fue el martes",
        ] {
            assert_eq!(stated(text), None, "{text}");
        }
    }

    #[test]
    fn places_asked_for() {
        for (text, place) in [
            ("Eh, fue en el molino viejo.", "el molino viejo"),
            ("Detrás de la escuela, ayer", "Detrás de la escuela"),
            ("en el estacionamiento", "el estacionamiento"),
        ] {
            assert_eq!(answered(text).as_deref(), Some(place), "{text}");
        }
        for text in ["No sé", "Sí", "¿Qué quiere decir?", ""] {
            assert_eq!(answered(text), None, "{text}");
        }
    }
}
