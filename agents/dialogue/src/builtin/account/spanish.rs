//! Spanish accounts.

use std::sync::LazyLock;

use pipeline::ports::Language;
use regex::Regex;

use super::super::slots::declines;
use super::super::state::Filled;
use super::{joined, kept};
use language::Ear;
use language::spanish::words::{plain, terms};

const EAR: Ear = Ear(Language::Es);

/// Words of a time that is no date. Plain.
pub const fn names_time() -> &'static [&'static str] {
    &[
        "desde",
        "hace",
        "cada",
        "siempre",
        "dia",
        "dias",
        "noche",
        "noches",
        "semana",
        "semanas",
        "mes",
        "meses",
        "ano",
        "anos",
        "manana",
        "mananas",
        "tarde",
        "tardes",
        "hora",
        "horas",
        "minuto",
        "minutos",
        "ayer",
        "hoy",
        "anoche",
        "antier",
        "rato",
        "tiempo",
        "tormenta",
        "invierno",
        "verano",
        "primavera",
        "otono",
        "navidad",
        "ahora",
        "ahorita",
        "despues",
        "antes",
        "durante",
        "mediodia",
        "medianoche",
        "madrugada",
        "recien",
        "ultimo",
        "ultima",
        "pasado",
        "pasada",
        "vez",
        "veces",
    ]
}

/// Words that tell when. Plain.
pub const TIME_WORDS: &[&str] = &[
    "hace",
    "ayer",
    "hoy",
    "anoche",
    "antier",
    "anteayer",
    "ahorita",
    "ahora",
    "manana",
    "tarde",
    "noche",
    "madrugada",
    "semana",
    "semanas",
    "mes",
    "meses",
    "hora",
    "horas",
    "dia",
    "dias",
    "minutos",
    "minuto",
    "pasado",
    "pasada",
    "como",
    "mas",
    "menos",
    "unas",
    "unos",
    "una",
    "un",
    "fue",
    "era",
    "a",
    "las",
    "la",
    "el",
    "los",
    "de",
    "del",
    "por",
    "en",
    "esta",
    "este",
    "media",
    "cuarto",
    "y",
    "para",
    "mediodia",
    "medianoche",
    "lunes",
    "martes",
    "miercoles",
    "jueves",
    "viernes",
    "sabado",
    "domingo",
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
    "que",
    "viene",
    "proximo",
    "proxima",
    "rato",
    "momento",
    "am",
    "pm",
];

/// Stems of words that say that there is an event, but not which; of places, and of people.
const GENERIC: &[&str] = &[
    "pas",
    "ocurri",
    "sucedi",
    "incident",
    "accident",
    "report",
    "reportar",
    "problem",
    "emergenci",
    "esquin",
    "direccion",
    "call",
    "avenid",
    "cas",
    "lug",
    "lugar",
    "cerc",
    "frent",
    "enfrent",
    "detra",
    "atra",
    "lad",
    "junt",
    "cosa",
    "cosas",
    "llam",
    "numer",
    "telefon",
    "nombr",
    "creo",
    "grav",
    "serio",
    "feo",
    "fea",
    "grand",
    "pequen",
    "ciudad",
    "parque",
    "parqu",
    "escuel",
    "bibliotec",
    "suced",
    "pasar",
    "paso",
    "apellid",
    "queja",
    "quej",
    "algo",
    "street",
    "avenue",
    "road",
    "main",
    "carreter",
    "oficin",
    "corte",
    "cort",
];

/// What happened, taken from an answer.
pub fn story(text: &str) -> Option<Filled> {
    let told = told(text);
    let phone = EAR.whole_phone(told).is_some() && plain(told).split(' ').count() < 12;
    if told.is_empty() || EAR.is_question(told) || phone || particulars_only(text) {
        return None;
    }
    let words = plain(told).split(' ').filter(|w| w.len() > 2).count();
    let answer = EAR.is_bare_yes_no(told) || declines(EAR, told);
    (words >= 2 && !answer).then(|| account(told))
}

/// The opening words of a task, where they tell more than that there is something to tell.
pub fn opening_story(text: &str) -> Option<Filled> {
    let told = told(text);
    let content = terms(told).into_iter().filter(|t| !GENERIC.contains(&t.as_str())).count();
    (content >= 2 && !EAR.is_question(told) && !particulars_only(text)).then(|| account(told))
}

fn account(told: &str) -> Filled {
    kept(EAR, before_contact(told))
}

/// Who calls and from where has slots of its own: it is cut from the end of an account.
fn before_contact(told: &str) -> &str {
    static CONTACT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)[,.;]?\s*(?:y )?\b(?:me llamo|mi nombre es|mi (?:número|numero|teléfono|telefono|celular)(?: de teléfono)? es|me pueden? (?:llamar|localizar) (?:al|en))\b").expect("clippy compiles every pattern")
    });
    CONTACT.find(told).map_or(told, |m| &told[..m.start()])
}

/// The account without "hola, quiero reportar que".
fn told(text: &str) -> &str {
    static LEAD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)^(?:(?:hola|buenos días|buenos dias|buenas tardes|buenas noches|buenas|sí|si|oiga|mire|bueno|pues|este|eh)[,.! ]+)*(?:(?:me llamo|mi nombre es|soy|habla) [\wÀ-ÿ'’-]+(?: [\wÀ-ÿ'’-]+)?[,.]? (?:y )?)?(?:quiero|quisiera|necesito|me gustaría|me gustaria|tengo que|quería|queria|llamo para|estoy llamando para|hablo para|vengo a)? ?(?:(?:llamo|hablo|estoy llamando) (?:porque|por)|reportar|informar|avisar|hacer un reporte(?: de| sobre| por)?|hacer una queja(?: de| sobre| por)?|denunciar|decir(?:les)?|contar(?:les)?)(?: que| de que| sobre)?(?: (?:un|el) (?:incidente|accidente)[,.:;]?(?: que (?:pasó|paso|ocurrió|ocurrio))?)?\s*").expect("clippy compiles every pattern")
    });
    let trimmed = EAR.without_fillers(text);
    let end = LEAD.find(trimmed).map_or(0, |m| m.end());
    EAR.without_fillers(&trimmed[end..])
}

/// A message, a subject: whatever is said.
pub fn free_text(text: &str) -> Option<Filled> {
    static LEAD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)^(?:por favor,? )?(?:es sobre|se trata de|es acerca de|es por|dígale(?:s)? (?:que )?|digale(?:s)? (?:que )?|el mensaje es(?: que)?|sobre|acerca de|que )\s*").expect("clippy compiles every pattern")
    });
    let text = EAR.without_fillers(text);
    let end = LEAD.find(text).map_or(0, |m| m.end());
    let rest = &text[end..];
    let content = plain(rest).chars().filter(|c| c.is_alphabetic()).count();
    (content >= 3 && !EAR.is_bare_yes_no(rest) && !declines(EAR, rest)).then(|| account(rest))
}

/// What leads to a message, a title with its name behind that, and what links it to the message.
pub fn passing_on() -> (&'static Regex, &'static Regex, &'static Regex) {
    static LEAD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:(?:dejar(?:le|les)?|dejo|tomar?(?:me)?|pas(?:ar|e)(?:le|les)?|mandar(?:le)?|d[eé]le|darle|enviar(?:le)?)(?: \w+)? (?:un|el|este|mi|otro) (?:recado|mensaje)|(?:me )?(?:puede|podr[ií]a) (?:decir|avisar)(?:le|les)|(?:d[ií]ga|av[ií]se)(?:le|les))\b ?").expect("clippy compiles every pattern")
    });
    static TITLED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)^(?:para |a |al )?((?:el |la )?(?:se[nñ]or|se[nñ]ora|se[nñ]orita|don|do[nñ]a|doctor|doctora|licenciad[oa]|ingenier[oa]|oficial|inspector|inspectora|juez) [\w'’-]+)\b").expect("clippy compiles every pattern")
    });
    static LINK: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)^(?:(?:que diga|diciendo|para decirle|y d[ií]gale|es)\b ?)?(?:de que\b |que\b )?")
            .expect("clippy compiles every pattern")
    });
    (&LEAD, &TITLED, &LINK)
}

/// What a call for a person is about, where the request itself says so.
pub fn opening_reason(text: &str) -> Option<Filled> {
    let bare = EAR.cues().bare_request;
    let content = terms(text).into_iter().filter(|t| !bare.iter().any(|b| t.starts_with(b))).count();
    (content >= 1).then(|| account(told(text)))
}

/// What happened, told anew.
pub fn restated(text: &str) -> Option<Filled> {
    static BEGINS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:lo que (?:pas[oó]|pasa|sucedi[oó]|ocurri[oó]|dije|le dije|digo|quise decir) (?:es|fue)|no,? (?:\w+,? ){0,3}(?:ponga|anote|escriba) que)(?: que)?,? ").expect("clippy compiles every pattern")
    });
    static CLOSES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)[,.]? (?:y )?(?:eso (?:es|fue) (?:lo que (?:pas[oó]|dije)|todo)|nada m[aá]s|lo otro no|lo dem[aá]s (?:est[aá] bien|no))\b")
            .expect("clippy compiles every pattern")
    });
    super::anew(&BEGINS, &CLOSES, text).map(account)
}

/// "Nomás ponga que …": what is to stand in it besides.
pub fn added(text: &str) -> Option<&str> {
    static BEGINS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(?:ponga|p[oó]ngale|pon|anote|an[oó]tele|apunte|ap[uú]ntele|escriba|agregue|a[ñn]ada|mencione)(?: (?:ah[ií]|tambi[eé]n|nom[aá]s|por favor))* que ")
            .expect("clippy compiles every pattern")
    });
    super::behind(&BEGINS, text)
}

/// Whether the words tell only where, when or who.
pub fn particulars_only(text: &str) -> bool {
    let told = told(text);
    let place_or_nothing = || opens_place(told) || event_terms(told) == 0;
    bare_name(told).is_some() || (!names_event(&plain(told)) && place_or_nothing())
}

/// An account that says no more than that there is one.
pub fn is_thin(account: &str) -> bool {
    event_terms(account) <= 1 && !names_event(&plain(account))
}

/// Whether the words tell that something came about.
pub fn tells_event(text: &str) -> bool {
    let plain = plain(text);
    !EAR.is_question(text) && plain.split(' ').count() >= 3 && names_event(&plain)
}

fn names_event(plain: &str) -> bool {
    static EVENT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(cayo|caido|cayeron|cai|me cai|choc\w+|golpe\w*|atropell\w+|romp\w+|rot[oa]s?|quebr\w+|resbal\w+|tropec\w+|tropez\w+|inund\w+|fuga|gotea\w*|explot\w+|rob(o|aron|ado|ada)|mordi\w*|atac\w+|derrumb\w+|hundi\w+|derram\w+|tir(o|aron|ado|ada|aron) (basura|llantas|muebles|escombro\w*)|tiraron|dan(o|ado|ada|aron)|descompuest\w+|averiad\w+|bache\w*|hoyo|apagad[oa]s?|fundid[oa]s?|bloque\w+|grafiti|pintarrajea\w*|volc\w+|estrell\w+|se sali\w+|desbord\w+|parpade\w+|no (funciona|sirve|prende)|suelt[oa]|floj[oa]|abandonad[oa])\b").expect("clippy compiles every pattern")
    });
    EVENT.is_match(plain)
}

/// What was told first and what came later, as one account.
pub fn completed(earlier: &Filled, later: &str) -> Filled {
    let later = account(told(later));
    if event_terms(&earlier.value) == 0 { later } else { joined(earlier, &later) }
}

/// "Ana Ruiz.": two to four words, each with a capital.
pub fn bare_name(text: &str) -> Option<String> {
    const LINKS: &[&str] = &["de", "la", "del", "los", "las"];
    let bare = EAR.without_fillers(text).trim_end_matches(['.', ',']);
    let words: Vec<&str> = bare.split_whitespace().collect();
    let capital = |w: &&str| w.starts_with(char::is_uppercase) || LINKS.contains(w);
    let named =
        (2..=4).contains(&words.len()) && words.iter().all(capital) && EAR.place_stated(bare).is_none();
    named.then(|| EAR.name_answered(bare)).flatten()
}

/// "Fue en …", "en el vestíbulo": the words begin with a place.
pub fn opens_place(text: &str) -> bool {
    static OPENING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:(?:fue|es|esta|ocurrio|paso|sucedio) )?(?:justo |aqui |ahi |por )?(?:en|frente a|enfrente de|detras de|atras de|cerca de|al lado de|junto a|afuera de|dentro de) (?:el|la|los|las|mi|un|una|al|del)? ?[a-z]").expect("clippy compiles every pattern")
    });
    OPENING.is_match(&plain(EAR.without_fillers(text)))
}

/// How many words are left that may tell an event, without places, times, names and numbers.
fn event_terms(text: &str) -> usize {
    let text = without(before_contact(text), EAR.place_stated(text));
    let text = without(&text, EAR.name_stated(&text));
    let left: Vec<String> = text
        .split([',', '.', ';', '!'])
        .flat_map(|clause| plain(clause).split(' ').map(str::to_owned).collect::<Vec<_>>())
        .filter(|w| {
            !TIME_WORDS.contains(&w.as_str())
                && EAR.cardinal_at(&[w]).is_none()
                && !w.starts_with(|c: char| c.is_ascii_digit())
        })
        .collect();
    // After a word of place, the thing named belongs to the place.
    let mut kept = Vec::new();
    let mut inside = false;
    for word in &left {
        if ["frente", "enfrente", "detras", "atras", "cerca", "lado", "junto", "afuera", "dentro", "esquina"]
            .contains(&word.as_str())
        {
            inside = true;
        } else if ["se", "hay", "me", "un", "no", "porque", "cuando", "alguien"].contains(&word.as_str()) {
            inside = false;
        }
        if !inside {
            kept.push(word.as_str());
        }
    }
    terms(&kept.join(" ")).iter().filter(|term| !GENERIC.contains(&term.as_str())).count()
}

fn without(text: &str, part: Option<String>) -> String {
    match part {
        Some(part) => text.replace(&part, " , "),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn opening_words_tell_a_story_or_not() {
        assert_eq!(opening_story("Quiero reportar un accidente."), None);
        assert_eq!(opening_story("Necesito hacer un reporte"), None);
        let told = opening_story("Hola, quiero reportar que se cayó un árbol en la carretera").unwrap();
        assert_eq!(told.value, "Se cayó un árbol en la carretera.");
        assert!(opening_story("Hay un bache enorme en la calle Elm").is_some());
    }

    #[test]
    fn places_times_and_names_are_no_story() {
        for text in [
            "Fue en 12 Main Street.",
            "En el vestíbulo de la corte.",
            "Ayer como a las tres",
            "El viernes pasado a las 3 de la tarde.",
            "Ana Ruiz.",
            "Me llamo Ana Ruiz.",
            "Un accidente en la calle Elm",
            "la esquina de la Quinta y Oak",
            "202 555 0143",
        ] {
            assert_eq!(story(text), None, "{text}");
        }
        for text in [
            "Una rama cayó sobre mi carro.",
            "Me resbalé en la calle Elm ayer",
            "Un choque en Main y la Quinta",
            "Se rompió un tubo en el vestíbulo",
            "Alguien chocó mi cerca",
        ] {
            assert!(story(text).is_some(), "{text}");
        }
    }

    #[test]
    fn thin_accounts_and_events_are_told_apart() {
        assert!(is_thin("Un accidente de carro.") && is_thin("Un accidente en la calle Elm."));
        assert!(!is_thin("Se cayó un árbol sobre mi carro."));
        for text in ["No", "Ana Ruiz", "nadie salió herido", "ayer a las tres", "¿Se cayó?"] {
            assert!(!tells_event(text), "{text}");
        }
        let both = completed(&account("un accidente de carro"), "Se cayó un árbol.");
        assert_eq!(both.value, "Un accidente de carro. Se cayó un árbol.");
    }
}
