//! Facts of a passage that mean the same in every language: amounts, opening hours, telephone numbers, addresses, "free".
//!
//! They come by pattern, with their place in the text, so that a caller in another language can be told them where the
//! prose is English. What a pattern does not take whole is left out rather than guessed.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// A fact and where it stands, in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    pub span: Range<usize>,
    pub kind: FactKind,
}

/// What is told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FactKind {
    /// US cents.
    Price(u32),
    /// Nothing is charged.
    Free,
    Hours(Hours),
    /// As written: `202-555-0111`.
    Phone(String),
    /// As written: `75 Canal Street`.
    Address(String),
}

/// Opening hours within one day.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hours {
    /// First and last weekday, Monday is 0; the same one for a single day. `None`: the text names none.
    pub days: Option<(u8, u8)>,
    /// Minutes after midnight.
    pub from: u16,
    pub to: u16,
}

const DAYS: &str = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday";
const SPANISH_DAYS: [&str; 7] = ["lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"];

static PATTERN: LazyLock<Regex> = LazyLock::new(|| {
    let time = |name: &str| {
        format!(r"(?:(?P<{name}h>\d{{1,2}})(?::(?P<{name}m>\d\d))? (?P<{name}x>[ap])\.m\.|(?P<{name}n>noon))")
    };
    let days = format!(r"(?:(?P<day>{DAYS})s?(?: (?:through|to) (?P<last>{DAYS}))?,? (?:from )?)?");
    let hours = format!(r"{days}{} (?:to|until) {}", time("a"), time("b"));
    let price = r"\$(?P<dollars>\d{1,3}(?:,\d{3})*)(?:\.(?P<cents>\d\d))?\b";
    let phone = r"(?P<phone>\b\d{3}-\d{3}-\d{4}\b)";
    let address = r"(?P<address>\b\d{1,5} (?:[A-Z][a-z]+ ){1,3}(?:Street|Avenue|Road|Lane|Drive|Boulevard|Square|Court|Way|Place)\b)";
    let free = r"(?P<free>\b(?:is|are) free\b|\bfree of charge\b|\bat no cost\b)";
    Regex::new(&format!("{hours}|{price}|{phone}|{address}|{free}")).expect("a test compiles this pattern")
});

/// All facts of a text, in their order.
#[must_use]
pub fn facts_in(passage: &str) -> Vec<Fact> {
    let pattern = &*PATTERN;
    let fact = |found: Captures<'_>| Some(Fact { span: found.get(0)?.range(), kind: kind(&found)? });
    pattern.captures_iter(passage).filter_map(fact).collect()
}

fn kind(found: &Captures<'_>) -> Option<FactKind> {
    let text = |name: &str| found.name(name).map(|part| part.as_str());
    if let Some(dollars) = text("dollars") {
        let cents: u32 = text("cents").map_or(Some(0), |cents| cents.parse().ok())?;
        let dollars: u32 = dollars.replace(',', "").parse().ok()?;
        return Some(FactKind::Price(dollars.checked_mul(100)?.checked_add(cents)?));
    }
    if let Some(phone) = text("phone") {
        return Some(FactKind::Phone(phone.to_owned()));
    }
    if let Some(address) = text("address") {
        return Some(FactKind::Address(address.to_owned()));
    }
    if text("free").is_some() {
        return Some(FactKind::Free);
    }
    let day = |name: &str| text(name).and_then(|day| DAYS.split('|').position(|known| known == day));
    let first = day("day").and_then(|day| u8::try_from(day).ok());
    let last = day("last").and_then(|day| u8::try_from(day).ok()).or(first);
    let (from, to) = (minutes(found, "a")?, minutes(found, "b")?);
    Some(FactKind::Hours(Hours { days: first.zip(last), from, to }))
}

fn minutes(found: &Captures<'_>, name: &str) -> Option<u16> {
    let text = |part: &str| found.name(&format!("{name}{part}")).map(|part| part.as_str());
    if text("n").is_some() {
        return Some(12 * 60);
    }
    let hour: u16 = text("h")?.parse().ok().filter(|hour| (1..=12).contains(hour))?;
    let minute: u16 =
        text("m").map_or(Some(0), |minute| minute.parse().ok()).filter(|minute| *minute < 60)?;
    let afternoon = if text("x")? == "p" { 12 } else { 0 };
    Some((hour % 12 + afternoon) * 60 + minute)
}

impl FactKind {
    /// The fact in Spanish words, to stand in a sentence: "25 dólares", "de lunes a viernes, de 8 de la mañana a 5 de la
    /// tarde".
    #[must_use]
    pub fn in_spanish(&self) -> String {
        match self {
            Self::Price(cents) => {
                let (whole, rest) = (cents / 100, cents % 100);
                let dollars = if whole == 1 { "dólar" } else { "dólares" };
                match (whole, rest) {
                    (0, cents) => format!("{cents} centavos"),
                    (whole, 0) => format!("{whole} {dollars}"),
                    (whole, cents) => format!("{whole} {dollars} con {cents} centavos"),
                }
            }
            Self::Free => "gratis".to_owned(),
            Self::Hours(hours) => hours.in_spanish(),
            Self::Phone(phone) => phone.clone(),
            Self::Address(address) => address.clone(),
        }
    }
}

impl Hours {
    fn in_spanish(&self) -> String {
        let day = |n: u8| SPANISH_DAYS.get(usize::from(n)).copied().unwrap_or_default();
        let days = match self.days {
            None => String::new(),
            Some((first, last)) if first == last => format!("los {}, ", plural(day(first))),
            Some((first, last)) => format!("de {} a {}, ", day(first), day(last)),
        };
        format!("{days}de {} a {}", clock(self.from), clock(self.to))
    }
}

fn plural(day: &str) -> String {
    if day.ends_with('s') { day.to_owned() } else { format!("{day}s") }
}

fn clock(minutes: u16) -> String {
    let (hour, minute) = (minutes / 60, minutes % 60);
    let part = match hour {
        12 if minute == 0 => return "mediodía".to_owned(),
        0..12 => "de la mañana",
        12..19 => "de la tarde",
        _ => "de la noche",
    };
    let hour = if hour % 12 == 0 { 12 } else { hour % 12 };
    if minute == 0 { format!("{hour} {part}") } else { format!("{hour}:{minute:02} {part}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_told_in_spanish_with_their_place() {
        for (text, wanted) in [
            ("A tag costs $12.50 a year.", vec!["12 dólares con 50 centavos"]),
            ("A wedding costs $1,200.", vec!["1200 dólares"]),
            ("Flu shots are free.", vec!["gratis"]),
            (
                "It is open Monday through Friday, 8 a.m. to 4:30 p.m., at 75 Canal Street.",
                vec!["de lunes a viernes, de 8 de la mañana a 4:30 de la tarde", "75 Canal Street"],
            ),
            ("Saturdays 9 a.m. to noon", vec!["los sábados, de 9 de la mañana a mediodía"]),
            ("from 10 a.m. to 8 p.m.", vec!["de 10 de la mañana a 8 de la noche"]),
            ("Call 202-555-0111 before noon.", vec!["202-555-0111"]),
        ] {
            let facts = facts_in(text);
            let told: Vec<String> = facts.iter().map(|fact| fact.kind.in_spanish()).collect();
            assert_eq!(told, wanted, "{text}");
            assert!(facts.iter().all(|fact| text.get(fact.span.clone()).is_some()), "{text}");
        }
    }

    #[test]
    fn what_is_not_plain_is_left_out() {
        for text in [
            "Feel free to call.",
            "Claim 4417",
            "about 3 p.m.",
            "25 p.m. to 3 p.m.",
            "Route 9",
            "5 to 7 days",
        ] {
            assert_eq!(facts_in(text), [], "{text}");
        }
    }
}
