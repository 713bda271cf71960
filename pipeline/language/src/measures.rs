//! Amounts with what they count: "ten dollars", "$10", "over six feet", "five working days". A question that names one is answered
//! by the sentence that counts the same.

use super::Ear;
use super::Language;

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    Dollar,
    Percent,
    Foot,
    Inch,
    Mile,
    Pound,
    Gallon,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

impl Unit {
    /// Rather than when or how long, which most sentences of a page say.
    #[must_use]
    pub const fn is_time(self) -> bool {
        matches!(self, Self::Minute | Self::Hour | Self::Day | Self::Week | Self::Month | Self::Year)
    }
}

/// An amount in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Measure {
    pub value: u32,
    pub unit: Unit,
}

type Words = &'static [(Unit, &'static [&'static str])];

const ENGLISH: Words = &[
    (Unit::Dollar, &["dollar", "dollars", "buck", "bucks"]),
    (Unit::Percent, &["percent"]),
    (Unit::Foot, &["foot", "feet"]),
    (Unit::Inch, &["inch", "inches"]),
    (Unit::Mile, &["mile", "miles"]),
    (Unit::Pound, &["pound", "pounds"]),
    (Unit::Gallon, &["gallon", "gallons"]),
    (Unit::Minute, &["minute", "minutes"]),
    (Unit::Hour, &["hour", "hours"]),
    (Unit::Day, &["day", "days"]),
    (Unit::Week, &["week", "weeks"]),
    (Unit::Month, &["month", "months"]),
    (Unit::Year, &["year", "years"]),
];

const SPANISH: Words = &[
    (Unit::Dollar, &["dolar", "dolares"]),
    (Unit::Percent, &["por ciento"]),
    (Unit::Foot, &["pie", "pies"]),
    (Unit::Inch, &["pulgada", "pulgadas"]),
    (Unit::Mile, &["milla", "millas"]),
    (Unit::Pound, &["libra", "libras"]),
    (Unit::Gallon, &["galon", "galones"]),
    (Unit::Minute, &["minuto", "minutos"]),
    (Unit::Hour, &["hora", "horas"]),
    (Unit::Day, &["dia", "dias"]),
    (Unit::Week, &["semana", "semanas"]),
    (Unit::Month, &["mes", "meses"]),
    (Unit::Year, &["ano", "anos"]),
];

/// Words that may stand between an amount and its unit: "120 square feet", "five working days".
const BETWEEN: [&str; 6] = ["square", "cubic", "working", "business", "more", "full"];

impl Ear {
    /// The amounts in a text, in order.
    #[must_use]
    pub fn measures(self, text: &str) -> Vec<Measure> {
        let known = match self.0 {
            Language::En => ENGLISH,
            Language::Es => SPANISH,
        };
        let money = spaced_money(text);
        let plain = self.plain(&money);
        let words: Vec<&str> = plain.split(' ').collect();
        let mut found = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let Some((value, used)) = self.cardinal_at(&words[at..]) else {
                at += 1;
                continue;
            };
            at += used.max(1);
            let between = words.get(at).is_some_and(|word| BETWEEN.contains(word));
            let after = words.get(at + usize::from(between)..).unwrap_or_default();
            if let Some(unit) = unit_at(known, after) {
                found.push(Measure { value, unit });
            }
        }
        found
    }
}

/// "$1,250" as "1250 dollars" and "4%" as "4 percent", in words that both languages' readers know.
fn spaced_money(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '$' {
            out.push(c);
            continue;
        }
        while let Some(digit) = chars.next_if(|c| c.is_ascii_digit() || *c == ',') {
            if digit != ',' {
                out.push(digit);
            }
        }
        out.push_str(" dollars");
    }
    out
}

fn unit_at(known: Words, words: &[&str]) -> Option<Unit> {
    // Dollars are written as such in both languages.
    if words.first().is_some_and(|word| *word == "dollars") {
        return Some(Unit::Dollar);
    }
    let names = |name: &&str| {
        let mut parts = name.split(' ').enumerate();
        parts.all(|(n, part)| words.get(n) == Some(&part))
    };
    known.iter().find(|(_, all)| all.iter().any(names)).map(|(unit, _)| *unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(language: Language, text: &str) -> Vec<(u32, Unit)> {
        Ear(language).measures(text).into_iter().map(|m| (m.value, m.unit)).collect()
    }

    #[test]
    fn amounts_are_read_with_what_they_count() {
        for (text, expected) in [
            (
                "A dog license costs $10 for a spayed dog and $1,250 for a lion.",
                vec![(10, Unit::Dollar), (1_250, Unit::Dollar)],
            ),
            ("then is the ten dollar", vec![(10, Unit::Dollar)]),
            ("sheds over 120 square feet and fences over six feet", vec![(120, Unit::Foot), (6, Unit::Foot)]),
            ("it takes five working days", vec![(5, Unit::Day)]),
            ("two eighteen sycamore street", vec![]),
            ("one of them", vec![]),
        ] {
            assert_eq!(read(Language::En, text), expected, "{text}");
        }
        for (text, expected) in [
            ("cercas de más de seis pies", vec![(6, Unit::Foot)]),
            ("el mío es como de cinco pies", vec![(5, Unit::Foot)]),
            ("cuesta 75 dólares", vec![(75, Unit::Dollar)]),
            ("dos por ciento", vec![(2, Unit::Percent)]),
        ] {
            assert_eq!(read(Language::Es, text), expected, "{text}");
        }
    }
}
