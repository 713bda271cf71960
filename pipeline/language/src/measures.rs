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
    SquareFoot,
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

/// How an amount stands to a limit that a text gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Against {
    /// As they are said: "5 feet", "6 feet".
    pub amount: String,
    pub limit: String,
    /// The amount is more than the limit.
    pub above: bool,
}

/// Words that make the amount after them a limit. "From 8 to 12 feet" gives a range, and none.
const LIMITS_ENGLISH: [&str; 12] = [
    "over",
    "under",
    "above",
    "below",
    "than",
    "least",
    "most",
    "up to",
    "within",
    "until",
    "past",
    "exceeding",
];
const LIMITS_SPANISH: [&str; 9] =
    ["mas de", "menos de", "mayores de", "menores de", "hasta", "minimo", "maximo", "mas que", "menos que"];

type Words = &'static [(Unit, &'static [&'static str])];

const ENGLISH: Words = &[
    (Unit::Dollar, &["dollar", "dollars", "buck", "bucks"]),
    (Unit::Percent, &["percent"]),
    (Unit::Foot, &["foot", "feet"]),
    (Unit::SquareFoot, &["square foot", "square feet"]),
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
    (Unit::SquareFoot, &["pie cuadrado", "pies cuadrados"]),
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

/// Words that may stand between an amount and its unit: "five working days".
const BETWEEN: [&str; 5] = ["cubic", "working", "business", "more", "full"];

impl Ear {
    /// The amounts in a text, in order.
    #[must_use]
    pub fn measures(self, text: &str) -> Vec<Measure> {
        self.measured(text).into_iter().map(|(measure, _)| measure).collect()
    }

    /// How the one amount of a question stands to the one limit that an answer gives in that unit: "Five feet is under six feet".
    /// None where there are several, where they are the same, and of money, which is a price and no limit.
    #[must_use]
    pub fn against_limit(self, question: &str, answer: &str) -> Option<Against> {
        let [(asked, _)] = self.measured(question).try_into().ok()?;
        let same = |(measure, _): &&(Measure, bool)| measure.unit == asked.unit;
        let given = self.measured(answer);
        let mut limits = given.iter().filter(same);
        let (limit, is_limit) = limits.next().filter(|_| limits.next().is_none())?;
        if !is_limit || asked.value == limit.value || matches!(asked.unit, Unit::Dollar | Unit::Percent) {
            return None;
        }
        Some(Against {
            amount: self.spoken_measure(asked)?,
            limit: self.spoken_measure(*limit)?,
            above: asked.value > limit.value,
        })
    }

    fn spoken_measure(self, measure: Measure) -> Option<String> {
        let (_, names) = self.units().iter().find(|(unit, _)| *unit == measure.unit)?;
        let name = if measure.value == 1 { names.first() } else { names.last() };
        Some(format!("{} {}", measure.value, accented(name?)))
    }

    const fn units(self) -> Words {
        match self.0 {
            Language::En => ENGLISH,
            Language::Es => SPANISH,
        }
    }

    /// The amounts, each with whether it is a limit.
    fn measured(self, text: &str) -> Vec<(Measure, bool)> {
        let known = self.units();
        let limits: &[&str] = match self.0 {
            Language::En => &LIMITS_ENGLISH,
            Language::Es => &LIMITS_SPANISH,
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
            let limit = limits.iter().any(|limit| ends_with(&words[..at], limit));
            at += used.max(1);
            let between = words.get(at).is_some_and(|word| BETWEEN.contains(word));
            let after = words.get(at + usize::from(between)..).unwrap_or_default();
            if let Some(unit) = unit_at(known, after) {
                found.push((Measure { value, unit }, limit));
            }
        }
        found
    }
}

/// Whether the last words are these.
fn ends_with(words: &[&str], last: &str) -> bool {
    last.split(' ').rev().zip(words.iter().rev()).filter(|(wanted, word)| wanted == *word).count()
        == last.split(' ').count()
}

/// Units of these lists as they are written.
fn accented(name: &str) -> &str {
    match name {
        "anos" => "años",
        "ano" => "año",
        "dia" => "día",
        "dias" => "días",
        "galon" => "galón",
        other => other,
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
    // "Pies cuadrados" begin with "pies".
    let longest = |all: &[&str]| all.iter().filter(|name| names(name)).map(|name| name.len()).max();
    known
        .iter()
        .filter_map(|(unit, all)| Some((longest(all)?, *unit)))
        .max_by_key(|(length, _)| *length)
        .map(|(_, unit)| unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_stands_to_the_one_limit() {
        let of = |language, question, answer| Ear(language).against_limit(question, answer);
        let found = of(
            Language::En,
            "mine is like five feet so i don't, right",
            "Fences over six feet need a permit.",
        );
        let found = found.map(|found| (found.amount, found.limit, found.above));
        assert_eq!(found, Some(("5 feet".to_owned(), "6 feet".to_owned(), false)));
        let found = of(
            Language::Es,
            "el perrito tiene tres meses",
            "Todo perro de más de cuatro meses necesita una licencia.",
        );
        let found = found.map(|found| (found.amount, found.limit, found.above));
        assert_eq!(found, Some(("3 meses".to_owned(), "4 meses".to_owned(), false)));
        for (question, answer) in [
            ("is it ten dollars", "It costs at least $15."),
            ("mine is six feet", "Fences over six feet need a permit."),
            ("it has been two weeks", "A truck comes back in one week."),
            ("mine is five feet", "Hedges grow to six feet."),
            ("mine is five feet", "Decks over two feet and fences over six feet need one."),
        ] {
            assert_eq!(of(Language::En, question, answer), None, "{question}");
        }
    }

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
            (
                "sheds over 120 square feet and fences over six feet",
                vec![(120, Unit::SquareFoot), (6, Unit::Foot)],
            ),
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
