//! Numbers of all kinds that are no address: what they are of, and how they are written or said.

use language::Language;

use crate::line::{Rng, Style};
use crate::say;

/// A number of a claim, a permit, a bill.
pub fn reference(language: Language, style: Style, rng: &mut Rng) -> String {
    let length = 3 + rng.below(7);
    let digits: String = (0..length).map(|_| char::from(b'0' + rng.below(10) as u8)).collect();
    let letters: String = (0..2 + rng.below(2)).map(|_| char::from(b'A' + rng.below(26) as u8)).collect();
    let alike =
        rng.of(&["as in nancy", "like peter", "like dog", "as in apple", "for mary", "de burro", "de casa"]);
    match rng.below(5) {
        4 if style.said() => {
            format!("{} {alike} {}", &letters[..1], say::digits(&digits, language, style, rng))
        }
        0 if !style.said() => format!("{letters}-{digits}"),
        1 => format!(
            "{} {}",
            letters.chars().map(String::from).collect::<Vec<String>>().join(if style.said() {
                " "
            } else {
                ""
            }),
            say::digits(&digits, language, style, rng)
        ),
        2 if !style.said() => format!("20{}-{digits}", 10 + rng.below(17)),
        _ => say::digits(&digits, language, style, rng),
    }
}

/// A telephone number.
pub fn phone(language: Language, style: Style, rng: &mut Rng) -> String {
    let parts = [
        format!("{}", 201 + rng.below(780)),
        format!("{}", 200 + rng.below(800)),
        format!("{:04}", rng.below(10_000)),
    ];
    if style.said() {
        let parts: Vec<String> = parts.iter().map(|part| say::digits(part, language, style, rng)).collect();
        parts[if rng.percent(20) { 1 } else { 0 }..].join(rng.of(&[" ", ", "]))
    } else {
        let by = rng.of(&["-", "-", ".", " "]);
        if rng.percent(20) { format!("({}) {}{by}{}", parts[0], parts[1], parts[2]) } else { parts.join(by) }
    }
}

/// An amount.
pub fn money(language: Language, style: Style, rng: &mut Rng) -> String {
    let spanish = language == Language::Es;
    let n = 1 + rng.below(if rng.percent(60) { 90 } else { 2500 });
    let unit = if spanish { "dólares" } else { rng.of(&["dollars", "dollars", "bucks"]) };
    if style.said() && rng.percent(80) {
        format!("{} {unit}", say::digits(&n.to_string(), language, style, rng))
    } else if rng.percent(40) {
        format!("${n}.{:02}", rng.below(100))
    } else {
        format!("${n}")
    }
}

/// A time of day.
pub fn time(language: Language, style: Style, rng: &mut Rng) -> String {
    let spanish = language == Language::Es;
    let (hour, minute) = (1 + rng.below(12), *rng.one(&[0, 0, 15, 30, 45]));
    if spanish {
        let hour = say::cardinal(hour, language, rng);
        return match (minute, rng.below(2)) {
            (0, _) => hour,
            (_, 0) => format!("{hour} y media"),
            _ => format!("{hour} {}", say::cardinal(minute, language, rng)),
        };
    }
    let half = rng.of(&[" a.m.", " p.m.", "", " o'clock", " in the morning"]);
    match (style.said() && rng.percent(60), minute) {
        (true, 0) => format!("{}{half}", say::cardinal(hour, language, rng)),
        (true, _) => format!(
            "{} {}{}",
            say::cardinal(hour, language, rng),
            say::cardinal(minute, language, rng),
            half.replace(" o'clock", "")
        ),
        (false, 0) => format!("{hour}{half}"),
        _ => format!("{hour}:{minute:02}{}", half.replace(" o'clock", "")),
    }
}

/// A date.
pub fn date(language: Language, style: Style, rng: &mut Rng) -> String {
    let spanish = language == Language::Es;
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    const MESES: [&str; 12] = [
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
    ];
    let (month, day, year) = (rng.below(12), 1 + rng.below(30), 1930 + rng.below(96));
    let years = if rng.percent(50) {
        format!(" {}", say::digits(&year.to_string(), language, style, rng))
    } else {
        String::new()
    };
    if spanish {
        let day = if style.said() { say::cardinal(day, language, rng) } else { day.to_string() };
        let years = if years.is_empty() { years } else { format!(" de{years}") };
        return format!("{day} de {}{years}", MESES[month]);
    }
    match rng.below(4) {
        0 if !style.said() => format!("{}/{day}/{}", month + 1, year),
        1 => format!(
            "the {} of {}",
            if style.said() { say::ordinal(day) } else { say::nth(day) },
            MONTHS[month]
        ),
        _ => format!(
            "{} {}{}{years}",
            MONTHS[month],
            if style.said() { say::ordinal(day) } else { day.to_string() },
            if years.is_empty() || style.said() { "" } else { "," }
        ),
    }
}
