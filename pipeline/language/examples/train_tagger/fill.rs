//! Values that frames are filled with, each as its style has it.

use language::Language;

use crate::figures;
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
            "num" => figures::reference(language, style, rng),
            "phone" => figures::phone(language, style, rng),
            "money" => figures::money(language, style, rng),
            "time" => figures::time(language, style, rng),
            "date" => figures::date(language, style, rng),
            _ => String::new(),
        }
    }
}
