//! Values in a sentence, in digits or in words, English and Spanish: amounts, percentages, dates, times, days, telephone
//! numbers, counts with what they count, addresses on the web, names.

use super::lexicon;
use super::numerals::{self, number_at, ordinal_at};
use super::reading::Word;

/// One value. Amounts are in hundredths, so that nothing is rounded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Cents.
    Money(i64),
    /// Hundredths of a percent.
    Percent(i64),
    Date {
        month: Option<u8>,
        day: Option<u8>,
        year: Option<u16>,
    },
    /// Minutes since midnight; below 720 where nobody said which half of the day (`marked` is false).
    Time {
        minutes: u16,
        marked: bool,
    },
    /// Days of the week, a bit each, Monday first.
    Days(u8),
    /// Every so many minutes.
    Every(i64),
    /// Digits.
    Phone(String),
    /// Hundredths of a unit, and the stem of what is counted. In a street address: the street.
    Count {
        amount: i64,
        unit: Option<String>,
    },
    /// A host or an e-mail address.
    Web(String),
    /// A number of ours for a case: letters and digits.
    Reference(String),
    /// Stems of words that are written with a capital.
    Name(Vec<String>),
}

/// Which end of a stretch of time a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Edge {
    #[default]
    Unsaid,
    From,
    Until,
}

/// A value and the words that it was read from, `from` to before `to`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    pub value: Value,
    pub edge: Edge,
    pub from: usize,
    pub to: usize,
}

impl Place {
    /// Days and names tell what is spoken of; the rest is what is said of it.
    pub const fn is_measure(&self) -> bool {
        !matches!(self.value, Value::Days(_) | Value::Name(_) | Value::Every(_))
    }

    /// Whether the word is a part of the value and of nothing else.
    pub const fn hides(&self, word: usize) -> bool {
        self.from <= word && word < self.to && !matches!(self.value, Value::Name(_))
    }

    /// Days as terms, so that times find the days that they belong to.
    pub fn day_terms(&self) -> Vec<String> {
        match self.value {
            Value::Days(days) => (0..7).filter(|n| days >> n & 1 == 1).map(|n| format!("day{n}")).collect(),
            _ => Vec::new(),
        }
    }
}

/// Finds the values of a sentence; also which words are days of the week.
pub fn find(words: &[Word], spanish: bool) -> (Vec<bool>, Vec<Place>) {
    let mut places: Vec<Place> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match value_at(words, at, spanish) {
            Some((value, used)) => {
                places.push(Place { value, edge: edge(words, at), from: at, to: at + used });
                at += used;
            }
            None => at += 1,
        }
    }
    ranges(words, &mut places);
    join_amounts(words, &mut places);
    let day = |n: usize| places.iter().any(|p| matches!(p.value, Value::Days(_)) && p.hides(n));
    let days = (0..words.len()).map(day).collect();
    names(words, &mut places);
    places.sort_by_key(|p| p.from);
    (days, places)
}

fn value_at(words: &[Word], at: usize, spanish: bool) -> Option<(Value, usize)> {
    let word = &words[at];
    if !word.is_word() {
        return match word.text.as_str() {
            "$" => dollars(words, at, spanish),
            "(" => phone(words, at),
            _ => None,
        };
    }
    phone(words, at)
        .or_else(|| web(words, at))
        .or_else(|| reference(words, at))
        .or_else(|| date(words, at, spanish))
        .or_else(|| days(words, at))
        .or_else(|| clock_word(words, at, spanish))
        .or_else(|| no_charge(words, at))
        .or_else(|| spoken_price(words, at, spanish))
        .or_else(|| counted(words, at, spanish))
}

fn text(words: &[Word], at: usize) -> &str {
    words.get(at).map_or("", |w| w.text.as_str())
}

// ---------------------------------------------------------------- money and counts

fn dollars(words: &[Word], at: usize, spanish: bool) -> Option<(Value, usize)> {
    let (amount, used) = number_at(words, at + 1, spanish)?;
    Some((Value::Money(amount), used + 1))
}

/// "free", "no charge", "sin costo".
fn no_charge(words: &[Word], at: usize) -> Option<(Value, usize)> {
    let (this, next) = (text(words, at), text(words, at + 1));
    let charge = |t: &str| matches!(t, "charge" | "cost" | "fee" | "cargo" | "costo" | "cuota" | "tarifa");
    match this {
        "free" => {
            let before = at.checked_sub(1).map_or("", |n| text(words, n));
            let part = matches!(before, "-" | "toll" | "feel" | "feeling")
                || matches!(next, "to" | "from" | "time" | "times");
            let of_charge = next == "of" && charge(text(words, at + 2));
            (!part && (next != "of" || of_charge)).then_some((Value::Money(0), if of_charge { 3 } else { 1 }))
        }
        "gratis" | "gratuito" | "gratuita" | "gratuitos" | "gratuitas" => Some((Value::Money(0), 1)),
        "no" | "sin" | "without" if charge(next) => Some((Value::Money(0), 2)),
        "half" | "mitad" if !matches!(next, "past" | "an" | "hour" | "a" | "day") => {
            Some((Value::Percent(5_000), 1))
        }
        "twice" => Some((Value::Count { amount: 200, unit: Some("time".to_owned()) }, 1)),
        _ => None,
    }
}

/// A number with what follows it.
fn counted(words: &[Word], at: usize, spanish: bool) -> Option<(Value, usize)> {
    let (amount, used) = number_at(words, at, spanish)?;
    let next = at + used;
    let whole = (amount % 100 == 0).then_some(amount / 100);
    if let Some(after) =
        clock_after(words, next, spanish).filter(|_| whole.is_some_and(|n| (1..=23).contains(&n)))
    {
        return Some(time_of(whole.unwrap_or(0), &after, used));
    }
    match (text(words, next), text(words, next + 1)) {
        ("%" | "percent", _) => return Some((Value::Percent(amount), used + 1)),
        ("per" | "por", "cent" | "ciento") => return Some((Value::Percent(amount), used + 2)),
        ("dollar" | "dollars" | "dolar" | "dolares" | "buck" | "bucks", _) => {
            return Some((Value::Money(amount), used + 1));
        }
        ("cent" | "cents" | "centavo" | "centavos", _) => {
            return Some((Value::Money(amount / 100), used + 1));
        }
        _ => {}
    }
    if let Some(hour) = whole.filter(|n| (1..=12).contains(n))
        && is_clock_cue(words, at)
        && !is_counted_thing(words, next)
    {
        let minutes = u16::try_from(hour % 12 * 60).unwrap_or(0);
        return Some((Value::Time { minutes, marked: false }, used));
    }
    if numerals::is_article(text(words, at)) && used == 1 && !lexicon::is_measure_word(&words.get(next)?.stem)
    {
        return None;
    }
    Some((Value::Count { amount, unit: unit(words, next) }, used))
}

/// "a dollar seventy-five", and "pays two fifty": dollars and cents without the word for the cents.
fn spoken_price(words: &[Word], at: usize, spanish: bool) -> Option<(Value, usize)> {
    let before = at.checked_sub(1).map_or("", |n| text(words, n));
    let (whole, used) = if matches!((text(words, at), text(words, at + 1)), ("a" | "one", "dollar")) {
        (100, 1)
    } else {
        number_at(words, at, spanish).filter(|(n, _)| n % 100 == 0)?
    };
    let dollars = usize::from(matches!(text(words, at + used), "dollar" | "dollars"));
    let and = usize::from(dollars == 1 && text(words, at + used + 1) == "and");
    let cents =
        number_at(words, at + used + dollars + and, spanish).filter(|(n, _)| (1_000..10_000).contains(n));
    let asked = dollars == 1 || matches!(before, "pay" | "pays" | "cost" | "costs");
    match cents {
        Some((cents, more)) if asked && !words[at].is_number() => {
            let end = at + used + dollars + and + more;
            let plain =
                unit(words, end).is_none() && !matches!(text(words, end), "cents" | "cent" | "percent" | "%");
            plain.then_some((Value::Money(whole + cents / 100), end - at))
        }
        _ if dollars == 1 && used == 1 && text(words, at) == "a" => Some((Value::Money(100), 2)),
        _ => None,
    }
}

/// What a number counts: the next noun.
fn unit(words: &[Word], mut at: usize) -> Option<String> {
    for _ in 0..4 {
        let word = words.get(at)?;
        if word.text == "-" && word.joined {
            at += 1;
            continue;
        }
        if !word.is_word() || word.is_number() {
            return None;
        }
        if !lexicon::is_between(&word.text) {
            return lexicon::is_content(&word.text).then(|| lexicon::concept(&word.stem).to_owned());
        }
        at += 1;
    }
    None
}

fn is_counted_thing(words: &[Word], at: usize) -> bool {
    unit(words, at).is_some_and(|_| {
        let word = words.get(at);
        !word.is_some_and(|w| {
            lexicon::day(&w.text).is_some() || lexicon::month(&w.text, w.capital, false).is_some()
        })
    })
}

/// "one dollar and fifty cents" is one amount.
fn join_amounts(words: &[Word], places: &mut Vec<Place>) {
    let mut at = 0;
    while at + 1 < places.len() {
        let (a, b) = (&places[at], &places[at + 1]);
        let between = matches!(text(words, a.to), "and" | "con" | "y") && a.to + 1 == b.from;
        if let (Value::Money(whole), Value::Money(cents)) = (&a.value, &b.value)
            && between
            && text(words, a.to - 1).starts_with("do")
            && text(words, b.to - 1).starts_with("cent")
            && (1..100).contains(cents)
        {
            places[at] = Place { value: Value::Money(whole + cents), from: a.from, to: b.to, edge: a.edge };
            places.remove(at + 1);
        } else {
            at += 1;
        }
    }
}

// ---------------------------------------------------------------- time of day

struct After {
    half: Option<bool>,
    minutes: i64,
    used: usize,
}

fn time_of(hour: i64, after: &After, used: usize) -> (Value, usize) {
    let minutes = match after.half {
        Some(late) => hour % 12 * 60 + after.minutes + if late { 720 } else { 0 },
        None if hour > 12 => hour * 60 + after.minutes,
        None => hour % 12 * 60 + after.minutes,
    };
    let marked = after.half.is_some() || hour > 12;
    (
        Value::Time { minutes: u16::try_from(minutes.rem_euclid(1_440)).unwrap_or(0), marked },
        used + after.used,
    )
}

/// What makes an hour of the number before: "a.m.", "o'clock", "y media", "de la tarde", "thirty p.m.".
fn clock_after(words: &[Word], at: usize, spanish: bool) -> Option<After> {
    let (mut minutes, mut used, mut is_clock) = (0, 0, false);
    match (text(words, at), text(words, at + 1)) {
        ("o'clock" | "oclock", _) => (used, is_clock) = (1, true),
        ("y", "media") => (minutes, used, is_clock) = (30, 2, true),
        ("y", "cuarto") => (minutes, used, is_clock) = (15, 2, true),
        ("en", "punto") => (used, is_clock) = (2, true),
        _ => {
            if let Some((n, more)) = number_at(words, at, spanish).filter(|(n, _)| (500..6_000).contains(n))
                && half_of_day(words, at + more).is_some()
            {
                (minutes, used, is_clock) = (n / 100, more, true);
            }
        }
    }
    let half = half_of_day(words, at + used);
    if let Some((late, more)) = half {
        return Some(After { half: Some(late), minutes, used: used + more });
    }
    is_clock.then_some(After { half: None, minutes, used })
}

/// Whether the words say which half of the day, and how many they are.
fn half_of_day(words: &[Word], at: usize) -> Option<(bool, usize)> {
    match (text(words, at), text(words, at + 1), text(words, at + 2)) {
        ("am", ..) => Some((false, 1)),
        ("pm", ..) => Some((true, 1)),
        ("in", "the", "morning") | ("de", "la", "manana" | "madrugada") => Some((false, 3)),
        ("in", "the", "afternoon" | "evening") | ("de", "la", "tarde" | "noche") => Some((true, 3)),
        ("at", "night", _) | ("del", "mediodia", _) => Some((true, 2)),
        _ => None,
    }
}

/// "noon", "4:30", "half past four".
fn clock_word(words: &[Word], at: usize, spanish: bool) -> Option<(Value, usize)> {
    let time = |minutes| Some((Value::Time { minutes, marked: true }, 1));
    match text(words, at) {
        "noon" | "midday" | "mediodia" => return time(720),
        "midnight" | "medianoche" => return time(0),
        "half" | "quarter" if matches!(text(words, at + 1), "past" | "to") => {
            let (hour, used) = number_at(words, at + 2, spanish)?;
            let step = if text(words, at) == "half" { 30 } else { 15 };
            let minutes = if text(words, at + 1) == "to" { -step } else { step };
            let half = half_of_day(words, at + 2 + used);
            let after = After { half: half.map(|h| h.0), minutes, used: half.map_or(0, |h| h.1) };
            return Some(time_of(hour / 100, &after, used + 2));
        }
        _ => {}
    }
    let (hour, minute) = text(words, at).split_once(':')?;
    let (hour, minute) = (hour.parse::<i64>().ok()?, minute.parse::<i64>().ok()?);
    if hour > 23 || minute > 59 {
        return None;
    }
    let half = half_of_day(words, at + 1);
    let after = After { half: half.map(|h| h.0), minutes: minute, used: half.map_or(0, |h| h.1) };
    Some(time_of(hour, &after, 1))
}

/// Words after which a small number is an hour.
fn is_clock_cue(words: &[Word], at: usize) -> bool {
    let before = |n: usize| at.checked_sub(n).map_or("", |n| text(words, n));
    matches!(before(1), "until" | "till" | "at" | "las" | "by") || (before(1) == "la" && before(2) == "a")
}

/// The other end of a range is a time too: "from 8 to 5 p.m.", "9 to 5".
fn ranges(words: &[Word], places: &mut [Place]) {
    for at in 1..places.len() {
        let (a, b) = (places[at - 1].clone(), places[at].clone());
        let joint = text(words, a.to);
        let is_range = a.to + 1 == b.from
            && matches!(joint, "to" | "through" | "thru" | "a" | "-" | "–" | "until" | "hasta" | "and" | "y");
        if !is_range {
            continue;
        }
        match (&a.value, &b.value) {
            (Value::Count { amount, unit: None }, Value::Time { .. }) => {
                set_hour(&mut places[at - 1], *amount);
            }
            (Value::Time { .. }, Value::Count { amount, unit: None }) => set_hour(&mut places[at], *amount),
            (Value::Count { amount, unit: None }, Value::Count { amount: other, unit: None })
                if !matches!(joint, "and" | "y") && is_hour(*amount) && is_hour(*other) =>
            {
                set_hour(&mut places[at - 1], *amount);
                set_hour(&mut places[at], *other);
            }
            (Value::Days(from), Value::Days(to)) if !matches!(joint, "and" | "y") => {
                let days = Value::Days(through(*from, *to));
                places[at - 1].value = days.clone();
                places[at].value = days;
                places[at].from = a.from;
            }
            _ => {}
        }
        if matches!((&places[at - 1].value, &places[at].value), (Value::Time { .. }, Value::Time { .. })) {
            (places[at - 1].edge, places[at].edge) = (Edge::From, Edge::Until);
        }
    }
}

/// Which end of a stretch the words before a time say that it is: "closes at", "until", "abre a las".
fn edge(words: &[Word], at: usize) -> Edge {
    for word in words[at.saturating_sub(4)..at].iter().rev() {
        match word.text.as_str() {
            "until" | "till" | "hasta" | "closes" | "close" | "closed" | "closing" | "cierra" | "cierran" => {
                return Edge::Until;
            }
            "from" | "desde" | "opens" | "opening" | "abre" | "abren" | "starts" | "starting" => {
                return Edge::From;
            }
            "at" | "las" | "la" | "a" | "of" | "de" | "the" | "on" | "el" | "los" => {}
            _ if lexicon::day(&word.text).is_some() => {}
            _ => return Edge::Unsaid,
        }
    }
    Edge::Unsaid
}

const fn is_hour(amount: i64) -> bool {
    amount % 100 == 0 && amount >= 100 && amount <= 1_200
}

fn set_hour(place: &mut Place, amount: i64) {
    if is_hour(amount) {
        let minutes = u16::try_from(amount / 100 % 12 * 60).unwrap_or(0);
        place.value = Value::Time { minutes, marked: false };
    }
}

fn through(from: u8, to: u8) -> u8 {
    if from.count_ones() != 1 || to.count_ones() != 1 {
        return from | to;
    }
    let (mut day, mut days) = (from, from);
    while day != to {
        day = if day == 1 << 6 { 1 } else { day << 1 };
        days |= day;
    }
    days
}

// ---------------------------------------------------------------- calendar

fn days(words: &[Word], at: usize) -> Option<(Value, usize)> {
    let found = match (text(words, at), text(words, at + 1), text(words, at + 2)) {
        ("every" | "each", "day", _) => Some((Value::Days(0x7f), 2)),
        ("todos", "los", "dias") => Some((Value::Days(0x7f), 3)),
        ("entre", "semana", _) | ("dias", "laborables" | "habiles", _) => Some((Value::Days(0x1f), 2)),
        ("fin" | "fines", "de", "semana") => Some((Value::Days(0x60), 3)),
        ("every", "other", unit) => every(unit, 2, 3),
        ("cada", "dos", unit) => every(unit, 2, 3),
        ("every" | "each" | "cada", unit, _) => every(unit, 1, 2),
        ("weekly" | "semanal" | "semanalmente", ..) => every("week", 1, 1),
        ("biweekly" | "quincenal", ..) => every("week", 2, 1),
        ("monthly" | "mensual" | "mensualmente", next, _) if next != "pass" => every("month", 1, 1),
        ("yearly" | "annually" | "anualmente", ..) => every("year", 1, 1),
        _ => None,
    };
    found.or_else(|| lexicon::day(text(words, at)).map(|days| (Value::Days(days), 1)))
}

fn every(unit: &str, times: i64, used: usize) -> Option<(Value, usize)> {
    let minutes = lexicon::minutes_of(lexicon::concept(&super::reading::stem(unit)))?;
    Some((Value::Every(minutes * times), used))
}

/// "February 28", "the 28th of February", "28 de febrero de 2026", "2/28", "2026-02-28", "the 28th", "February".
fn date(words: &[Word], at: usize, spanish: bool) -> Option<(Value, usize)> {
    let month = |n: usize| words.get(n).and_then(|w| lexicon::month(&w.text, w.capital, n == 0));
    let full = |m: u8, day: Option<u8>, year: Option<u16>| Value::Date { month: Some(m), day, year };
    if let Some(m) = month(at) {
        let (day, used) = match day_of_month(words, at + 1, spanish) {
            Some((day, used)) => (Some(day), used),
            None => (None, 0),
        };
        let (year, more) = year_at(words, at + 1 + used);
        let certain = day.is_some() || year.is_some() || lexicon::is_surely_month(words, at);
        return certain.then_some((full(m, day, year), 1 + used + more));
    }
    if let Some((day, used)) = day_of_month(words, at, spanish) {
        let of = usize::from(matches!(text(words, at + used), "of" | "de"));
        if let Some(m) = month(at + used + of) {
            let (year, more) = year_at(words, at + used + of + 1);
            return Some((full(m, Some(day), year), used + of + 1 + more));
        }
        let ordinal = used == 2 && matches!(text(words, at + 1), "st" | "nd" | "rd" | "th");
        if ordinal && at > 0 && text(words, at - 1) == "the" {
            return Some((Value::Date { month: None, day: Some(day), year: None }, used));
        }
    }
    numerals::written_date(words, at)
        .map(|(month, day, year, used)| (Value::Date { month: Some(month), day: Some(day), year }, used))
}

fn day_of_month(words: &[Word], at: usize, spanish: bool) -> Option<(u8, usize)> {
    let (n, used) = ordinal_at(words, at, spanish).or_else(|| {
        number_at(words, at, spanish).filter(|(n, _)| n % 100 == 0).map(|(n, used)| (n / 100, used))
    })?;
    let day = u8::try_from(n).ok().filter(|d| (1..=31).contains(d))?;
    Some((day, used))
}

fn year_at(words: &[Word], at: usize) -> (Option<u16>, usize) {
    let joint = usize::from(matches!(text(words, at), "," | "de" | "of" | "del"));
    let year = text(words, at + joint).parse::<u16>().ok().filter(|y| (1_900..=2_100).contains(y));
    let used = if year.is_some() { joint + 1 } else { 0 };
    (year, used)
}

// ---------------------------------------------------------------- numbers that name

fn phone(words: &[Word], at: usize) -> Option<(Value, usize)> {
    numerals::phone(words, at).map(|(digits, used)| (Value::Phone(digits), used))
}

fn web(words: &[Word], at: usize) -> Option<(Value, usize)> {
    let word = text(words, at);
    if text(words, at + 1) == "@" && words.get(at + 2)?.is_word() {
        return Some((Value::Web(format!("{word}@{}", text(words, at + 2))), 3));
    }
    let end = word.rsplit_once('.')?.1;
    matches!(end, "gov" | "org" | "com" | "net" | "us" | "edu")
        .then(|| (Value::Web(word.trim_start_matches("www.").to_owned()), 1))
}

/// "INC-4821": capitals, a hyphen or a space, digits.
fn reference(words: &[Word], at: usize) -> Option<(Value, usize)> {
    let word = &words[at];
    let letters = word.upper
        && (2..=5).contains(&word.text.len())
        && word.text.chars().all(|c| c.is_ascii_alphabetic());
    let hyphen = usize::from(matches!(text(words, at + 1), "-" | "–"));
    let digits = words.get(at + 1 + hyphen).filter(|w| w.is_number() && (3..=8).contains(&w.text.len()))?;
    (letters && digits.text.bytes().all(|b| b.is_ascii_digit()))
        .then(|| (Value::Reference(format!("{}{}", word.text.to_uppercase(), digits.text)), 2 + hyphen))
}

/// Runs of words with a capital that no value holds, without the first word of the sentence.
fn names(words: &[Word], places: &mut Vec<Place>) {
    let taken: Vec<bool> = (0..words.len()).map(|n| places.iter().any(|p| p.from <= n && n < p.to)).collect();
    let capital = |n: usize| {
        words.get(n).is_some_and(|w| {
            w.capital && !taken[n] && w.is_word() && w.text.len() > 1 && !lexicon::is_no_name(&w.text)
        })
    };
    let mut at = 0;
    while at < words.len() {
        let begins = at == 0 || matches!(text(words, at - 1), ":" | "\"" | "“");
        if !capital(at) || (begins && !capital(at + 1)) {
            at += 1;
            continue;
        }
        let mut to = at + 1;
        while capital(to) {
            to += 1;
        }
        let stems = words[at..to].iter().map(|w| lexicon::concept(&w.stem).to_owned()).collect();
        places.push(Place { value: Value::Name(stems), edge: Edge::Unsaid, from: at, to });
        at = to;
    }
}
