//! Names of people, as Spanish speakers give them.

use std::sync::LazyLock;

use regex::Regex;

use super::answer::is_bare_yes_no;
use super::number::cardinal_at;
use super::words::{is_question, plain, without_fillers};
use crate::Language;
use crate::english::name::spelled;
use crate::spelling::as_letters;

/// Words that are no name, or end one. Plain.
const NOT_NAMES: &[&str] = &[
    "a",
    "aca",
    "ahi",
    "al",
    "alguien",
    "algo",
    "anonimo",
    "anonima",
    "aqui",
    "asi",
    "ayer",
    "avenida",
    "bien",
    "bueno",
    "calle",
    "casa",
    "claro",
    "como",
    "con",
    "creo",
    "cuando",
    "desde",
    "disculpe",
    "donde",
    "el",
    "ella",
    "en",
    "es",
    "esa",
    "ese",
    "eso",
    "esta",
    "estaba",
    "este",
    "esto",
    "estoy",
    "favor",
    "fue",
    "gracias",
    "ha",
    "hace",
    "hay",
    "hola",
    "hoy",
    "igual",
    "llamando",
    "llamo",
    "lo",
    "manana",
    "mas",
    "me",
    "mi",
    "mire",
    "mucho",
    "muy",
    "nada",
    "necesito",
    "ni",
    "ninguno",
    "no",
    "nombre",
    "numero",
    "o",
    "para",
    "pero",
    "perdon",
    "por",
    "porque",
    "prefiero",
    "pues",
    "puede",
    "puedo",
    "que",
    "quiero",
    "quien",
    "quisiera",
    "reportar",
    "residente",
    "saltar",
    "se",
    "senor",
    "senora",
    "senorita",
    "ser",
    "si",
    "siguiente",
    "sin",
    "sobre",
    "solo",
    "son",
    "soy",
    "su",
    "tampoco",
    "tengo",
    "tiene",
    "todo",
    "un",
    "una",
    "urgente",
    "usted",
    "vecino",
    "vecina",
    "ciudadano",
    "vivo",
    "y",
    "ya",
    "yo",
    "lunes",
    "martes",
    "miercoles",
    "jueves",
    "viernes",
    "sabado",
    "domingo",
    "tarde",
    "noche",
    "dije",
    "espere",
    "momento",
    "omitir",
    "paso",
    "decir",
    "dar",
    "quiere",
    "dueno",
    "duena",
    "hablar",
    "cierto",
    "correcto",
    "nadie",
    "cayo",
    "caido",
    "herido",
    "herida",
    "roto",
    "rota",
];

/// Words inside a name that are no name by themselves.
const LINKS: &[&str] = &["de", "la", "del", "los", "las", "san", "santa"];

static FIRM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:me llamo|mi nombre (?:completo )?es|(?:le )?habla|de parte de|a nombre de|(?:mi )?apellido (?:es|son))\s+(?:el |la )?(?:señor(?:a|ita)? |sr\.? |sra\.? |doctora? |dra?\.? )?(.+)").expect("clippy compiles every pattern")
});
static SOFT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:soy|es|el nombre es|póngalo a nombre de|ponga)\s+(?:el |la )?(?:señor(?:a|ita)? |sr\.? |sra\.? |doctora? |dra?\.? )?(.+)").expect("clippy compiles every pattern")
});
/// "Soy Ana Ruiz": a name only when it looks like one.
static SELF: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\bsoy\s+(?:el |la )?(?:señor(?:a|ita)? )?(.+)").expect("clippy compiles every pattern")
});

/// What a last name is called.
pub const LAST_NAME: &[&str] = &["apellido", "apellidos"];

/// Both names by what they are called: the first before the last, and the last before the first.
pub fn both_named() -> &'static [Regex; 2] {
    static NAMED: LazyLock<[Regex; 2]> = LazyLock::new(|| {
        let first = r"\bnombre(?:,| es)*\s+([\w'-]+)";
        let last = r"\bapellidos?(?:,| es| son)*\s+([\w'-]+(?: [\w'-]+)?)";
        [format!("(?i){first}.*?{last}"), format!("(?i){last}.*?{first}")]
            .map(|pattern| Regex::new(&pattern).expect("a test reads both"))
    });
    &NAMED
}

/// A name the caller gives without being asked: "me llamo Ana Ruiz", "habla Ana Ruiz".
#[must_use]
pub fn stated(text: &str) -> Option<String> {
    let found = |re: &LazyLock<Regex>| re.captures(text)?.get(1).map(|m| m.as_str().to_owned());
    // "¿Habla español?" and "habla de …" name nobody.
    if let Some(name) = found(&FIRM).filter(|n| !names_language(n)).and_then(|n| clean(&n)) {
        return Some(name);
    }
    let own = found(&SELF)?;
    let capital = own.split([',', '.', ' ']).next().is_some_and(|w| w.starts_with(char::is_uppercase));
    capital.then(|| clean(&own)).flatten()
}

fn names_language(rest: &str) -> bool {
    let plain = plain(rest);
    ["espanol", "ingles", "usted", "alguien", "de", "con"].iter().any(|w| plain.split(' ').next() == Some(w))
}

/// A name in answer to "¿Cómo se llama?".
#[must_use]
pub fn answered(text: &str) -> Option<String> {
    let found = |re: &LazyLock<Regex>| re.captures(text)?.get(1).map(|m| m.as_str().to_owned());
    if let Some(name) = found(&FIRM).or_else(|| found(&SOFT)).and_then(|n| clean(&n)) {
        return Some(name);
    }
    let bare = without_fillers(text);
    if is_question(text) || is_bare_yes_no(bare) {
        return None;
    }
    clean(bare)
}

/// The name at the start of `text`: up to five words, linked by "de la" and the like, or letters spelled out.
fn clean(text: &str) -> Option<String> {
    if let Some(name) = spelled(&as_letters(Language::Es, text)).filter(|name| !name.contains(' ')) {
        return Some(name);
    }
    let clause = text.split([',', '.', ';', '?', '!']).next().unwrap_or_default();
    let mut kept: Vec<&str> = Vec::new();
    for word in clause.split_whitespace() {
        let bare = plain(word);
        let link = LINKS.contains(&bare.as_str());
        let ends = NOT_NAMES.contains(&bare.as_str())
            || bare.is_empty()
            || cardinal_at(&[bare.as_str()]).is_some()
            || bare.chars().any(|c| c.is_ascii_digit());
        // "Ana de la Cruz y …": "y" ends a name.
        if ends || (link && kept.is_empty()) {
            break;
        }
        kept.push(word.trim_matches(|c: char| !c.is_alphanumeric()));
    }
    while kept.last().is_some_and(|w| LINKS.contains(&plain(w).as_str())) {
        kept.pop();
    }
    let names = kept.iter().filter(|w| !LINKS.contains(&plain(w).as_str())).count();
    let letters = kept.iter().map(|w| w.chars().count()).sum::<usize>();
    ((1..=4).contains(&names) && letters > 1).then(|| capitals(&kept))
}

/// "Ramón Peña", of "ramón peña de la cruz y mándenme a alguien": with the part of a surname that was cut from it.
#[must_use]
pub fn whole(text: &str, name: &str) -> String {
    static REST: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)^ (?:de (?:la|las|los) |del |de )([\wÀ-ÿ'’-]{3,})")
            .expect("clippy compiles every pattern")
    });
    const NO_NAMES: [&str; 13] = [
        "calle", "avenida", "compania", "tienda", "ciudad", "esquina", "parte", "oficina", "empresa", "casa",
        "iglesia", "escuela", "misma",
    ];
    let rest = text.split_once(name).map_or("", |(_, rest)| rest);
    match REST.captures(rest).and_then(|found| Some((found.get(0)?, found.get(1)?))) {
        Some((all, last)) if !NO_NAMES.contains(&plain(last.as_str()).as_str()) => {
            format!("{name}{}", all.as_str())
        }
        _ => name.to_owned(),
    }
}

fn capitals(words: &[&str]) -> String {
    let raise = |word: &&str| {
        let mut chars = word.chars();
        match chars.next() {
            Some(first) if !LINKS.contains(&plain(word).as_str()) || first.is_uppercase() => {
                first.to_uppercase().chain(chars).collect::<String>()
            }
            _ => (*word).to_owned(),
        }
    };
    words.iter().map(raise).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surname_keeps_its_second_part() {
        for (text, name, all) in [
            ("ramón peña de la cruz y mándenme a alguien", "ramón peña", "ramón peña de la cruz"),
            ("ramón peña de la calle maple", "ramón peña", "ramón peña"),
            ("ramón peña y ya", "ramón peña", "ramón peña"),
        ] {
            assert_eq!(whole(text, name), all, "{text}");
        }
    }

    #[test]
    fn names_given_unasked() {
        for (text, name) in [
            ("Me llamo María López y quiero reportar algo.", "María López"),
            ("Hola, mi nombre es juan pérez", "Juan Pérez"),
            ("Habla Ana de la Cruz.", "Ana de la Cruz"),
            ("Buenas, soy Rosa Núñez", "Rosa Núñez"),
        ] {
            assert_eq!(stated(text).as_deref(), Some(name), "{text}");
        }
        for text in [
            "¿Habla español?",
            "soy residente del condado",
            "hay un hoyo",
            "llamo por un bache",
            "se habla de eso",
        ] {
            assert_eq!(stated(text), None, "{text}");
        }
    }

    #[test]
    fn names_asked_for() {
        for (text, name) in [
            ("Ana Ruiz.", "Ana Ruiz"),
            ("Eh, es María López Ortega", "María López Ortega"),
            ("juan de los santos", "Juan de los Santos"),
            ("Soy Beto", "Beto"),
            ("R U I Z", "Ruiz"),
        ] {
            assert_eq!(answered(text).as_deref(), Some(name), "{text}");
        }
        for text in [
            "¿Para qué lo necesita?",
            "Sí.",
            "No",
            "no estoy seguro",
            "202 555 0143",
            "prefiero no decir",
            "a las tres",
        ] {
            assert_eq!(answered(text), None, "{text}");
        }
    }
}
