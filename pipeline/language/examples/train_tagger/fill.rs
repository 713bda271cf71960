//! Values that frames are filled with, each as its style has it.

use language::Language;

use crate::line::{ADDRESS, END, NAME, Rng, Style};
use crate::names::{self, Names, Person};
use crate::places::Places;
use crate::say;

/// What frames are filled with.
#[derive(Clone, Debug)]
pub struct Fill {
    /// Countries and cities.
    pub things: Vec<String>,
    pub names: Names,
    pub places: Places,
}

impl Fill {
    pub fn filled(&self, frame: &str, language: Language, style: Style, rng: &mut Rng) -> String {
        let mut out = String::new();
        let mut rest = frame;
        let mut person: Option<Person> = None;
        while let Some((before, after)) = rest.split_once('<') {
            out.push_str(before);
            // "<<email_>>" keeps one pair.
            if after.starts_with('<') {
                out.push('<');
                rest = after;
                continue;
            }
            let Some((slot, after)) = after.split_once('>') else { break };
            let (slot, marked) = slot.strip_suffix('_').map_or((slot, true), |slot| (slot, false));
            let value = self.value(slot, language, style, &mut person, rng);
            let mark = match slot {
                "address" => ADDRESS,
                _ => NAME,
            };
            if marked {
                out.push(mark)
            }
            out.push_str(&value);
            if marked {
                out.push(END)
            }
            rest = after;
        }
        out.push_str(rest);
        out
    }

    /// A name inside an address of electronic mail is no name in talk.
    fn email(&self, language: Language, style: Style, rng: &mut Rng) -> String {
        let own = self.names.person(language, rng);
        let first: String = own.first.to_lowercase().chars().filter(|c| c.is_ascii_alphabetic()).collect();
        let last: String = own.last.to_lowercase().chars().filter(|c| c.is_ascii_alphabetic()).collect();
        let spanish = language == Language::Es;
        let (dot, at, under) = match (style.said(), spanish) {
            (true, true) => (" punto ", " arroba ", " guion bajo "),
            (true, false) => (" dot ", " at ", " underscore "),
            _ => (".", "@", "_"),
        };
        let number = if rng.percent(40) {
            let n = if rng.percent(50) { rng.below(99) } else { 1940 + rng.below(80) };
            let n = say::digits(&n.to_string(), language, style, rng);
            if style.said() { format!(" {n}") } else { n.replace(' ', "") }
        } else {
            String::new()
        };
        let user = match rng.below(6) {
            0 => format!("{first}{dot}{last}"),
            1 => format!("{first}{under}{last}"),
            2 => format!(
                "{}{}{last}",
                first.chars().next().unwrap_or('a'),
                if style.said() { " " } else { "" }
            ),
            3 => first.clone(),
            4 => format!("{first}{}{last}", if style.said() { " " } else { "" }),
            _ => format!("{last}{dot}{}", first.chars().next().unwrap_or('a')),
        };
        let host = rng.of(&[
            "gmail", "yahoo", "hotmail", "outlook", "comcast", "verizon", "proton", "icloud", "live", "aol",
            "example",
        ]);
        let host = if rng.percent(25) { last.as_str() } else { host };
        let end = rng.of(&["com", "com", "net", "org", "edu", "us"]);
        format!("{user}{number}{at}{host}{dot}{end}")
    }

    fn value(
        &self,
        slot: &str,
        language: Language,
        style: Style,
        person: &mut Option<Person>,
        rng: &mut Rng,
    ) -> String {
        let spanish = language == Language::Es;
        let small = |rng: &mut Rng| {
            say::digits(
                &(1 + rng.below(if rng.percent(70) { 30 } else { 300 })).to_string(),
                language,
                style,
                rng,
            )
        };
        // "<first> ... <last>" and "<last>, <spell>" are of one person; a second whole name is another's.
        let mut same = |rng: &mut Rng| person.get_or_insert_with(|| self.names.person(language, rng)).clone();
        match slot {
            "name" | "full" | "inverted" => {
                let own = self.names.person(language, rng);
                let value = match (slot, rng.below(100)) {
                    ("inverted", _) => format!("{}, {}", own.last, own.first),
                    ("full", _) | (_, 0..=63) => own.whole.clone(),
                    (_, 64..=90) => own.first.clone(),
                    _ => own.last.clone(),
                };
                let whole = value != own.first && value != own.last;
                *person = Some(if whole {
                    own
                } else {
                    Person { first: value.clone(), last: value.clone(), whole: value.clone() }
                });
                value
            }
            "first" => same(rng).first,
            "last" => same(rng).last,
            "again" => {
                let own = same(rng);
                names::misheard(if rng.percent(80) { &own.last } else { &own.first }, rng)
            }
            "spell" => {
                let own = same(rng);
                names::spelled(if rng.percent(85) { &own.last } else { &own.first }, language, style, rng)
            }
            "address" => self.places.address(language, style, rng),
            "street" => self.places.street(language, style, 25, rng),
            "house" => self.places.house(language, style, rng),
            "unit" => say::digits(&(1 + rng.below(400)).to_string(), language, style, rng),
            "town" => self.places.town(language, rng),
            "email" => self.email(language, style, rng),
            "thing" => names::title(&rng.one(&self.things).clone()),
            "letter" => char::from(b'A' + rng.below(26) as u8).to_string(),
            "small" => small(rng),
            "ord" => {
                let n = 1 + rng.below(30);
                if spanish {
                    rng.of(&["primer", "segundo", "tercer", "cuarto", "quinto"]).to_owned()
                } else if style.said() {
                    say::ordinal(n)
                } else {
                    say::nth(n)
                }
            }
            "num" => {
                let length = 3 + rng.below(7);
                let digits: String = (0..length).map(|_| char::from(b'0' + rng.below(10) as u8)).collect();
                let letters: String =
                    (0..2 + rng.below(2)).map(|_| char::from(b'A' + rng.below(26) as u8)).collect();
                let alike = rng.of(&[
                    "as in nancy",
                    "like peter",
                    "like dog",
                    "as in apple",
                    "for mary",
                    "de burro",
                    "de casa",
                ]);
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
            "phone" => {
                let parts = [
                    format!("{}", 201 + rng.below(780)),
                    format!("{}", 200 + rng.below(800)),
                    format!("{:04}", rng.below(10_000)),
                ];
                if style.said() {
                    let parts: Vec<String> =
                        parts.iter().map(|part| say::digits(part, language, style, rng)).collect();
                    parts[if rng.percent(20) { 1 } else { 0 }..].join(rng.of(&[" ", ", "]))
                } else {
                    let by = rng.of(&["-", "-", ".", " "]);
                    if rng.percent(20) {
                        format!("({}) {}{by}{}", parts[0], parts[1], parts[2])
                    } else {
                        parts.join(by)
                    }
                }
            }
            "money" => {
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
            "time" => {
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
            "date" => {
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
            _ => String::new(),
        }
    }
}
