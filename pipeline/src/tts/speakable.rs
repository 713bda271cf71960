//! Written English as it is spoken: numbers, times, dates, money, references, addresses, abbreviations.
//!
//! Rules look at a few words at a time, most special first; what no rule knows passes as it is. The result keeps,
//! word by word, what was written, so that play-out can tell which words were heard.

use super::numbers::{cardinal, digit_words, house, integer, ordinal, plain, spelled, year};
use super::written::{self, ABBREVIATIONS, MONTHS, STREETS, UNITS, Written};

/// One word (or a few that belong together) as written and as spoken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spoken {
    /// As in the reply's text; empty when the word before is spoken in several parts.
    pub written: String,
    /// In plain words.
    pub spoken: String,
    /// The voice's phonemes, where spelling would mislead it; a mark at the end of `spoken` stays in force.
    pub phonemes: Option<String>,
}

impl Spoken {
    pub(super) fn said(spoken: impl Into<String>) -> Self {
        Self { spoken: spoken.into(), ..Self::default() }
    }
}

/// Text as words that are spoken.
#[must_use]
pub fn speakable(text: &str) -> Vec<Spoken> {
    let words = written::words(text);
    let mut out = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let here = Place { words: &words, at };
        let (count, mut spoken) =
            RULES.iter().find_map(|rule| rule(here)).unwrap_or_else(|| (1, vec![said(&words[at].core)]));
        let last = &words[at + count - 1];
        if let Some(end) = spoken.last_mut() {
            end.spoken.push_str(last.mark(at + count == words.len()));
        }
        if let Some(first) = spoken.first_mut() {
            first.written =
                words[at..at + count].iter().map(|w| w.whole.as_str()).collect::<Vec<_>>().join(" ");
        }
        out.append(&mut spoken);
        at += count;
    }
    out.retain(|w| !w.spoken.is_empty() || !w.written.is_empty());
    out
}

/// The spoken words as one text.
#[must_use]
pub fn spoken_text(words: &[Spoken]) -> String {
    words.iter().map(|w| w.spoken.as_str()).filter(|s| !s.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Words a rule takes, and how they are spoken.
type Match = Option<(usize, Vec<Spoken>)>;

const RULES: [fn(Place<'_>) -> Match; 18] = [
    web,
    phone,
    service_number,
    reference,
    money,
    time,
    date,
    percent,
    ordinal_number,
    identifier,
    fraction,
    range,
    unit,
    house_number,
    year_number,
    number,
    abbreviation,
    symbol,
];

/// A word and its neighbours.
#[derive(Clone, Copy)]
struct Place<'a> {
    words: &'a [Written],
    at: usize,
}

impl<'a> Place<'a> {
    fn core(self) -> &'a str {
        self.ahead(0)
    }

    /// The word so many places on; empty beyond the end.
    fn ahead(self, n: usize) -> &'a str {
        self.words.get(self.at + n).map_or("", |w| w.core.as_str())
    }

    fn before(self) -> &'a str {
        self.at.checked_sub(1).map_or("", |i| self.words[i].core.as_str())
    }

    /// Nothing but space lies between this word and the next.
    fn joins_next(self) -> bool {
        self.words[self.at].trail.is_empty()
    }
}

fn said(text: impl Into<String>) -> Spoken {
    Spoken::said(text)
}

fn one(text: impl Into<String>) -> Match {
    Some((1, vec![said(text)]))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn is_capitalised(word: &str) -> bool {
    word.chars().next().is_some_and(char::is_uppercase)
}

/// `help@county.gov`, `www.county.gov/permits`.
fn web(p: Place<'_>) -> Match {
    let core = p.core().trim_start_matches("https://").trim_start_matches("http://");
    let known = [".gov", ".org", ".com", ".net", ".us", ".edu"].iter().any(|end| core.contains(end));
    if !(known || core.starts_with("www.")) || core.starts_with('.') {
        return None;
    }
    let mut text = String::new();
    for c in core.trim_start_matches("www.").trim_end_matches('/').chars() {
        match c {
            '.' => text.push_str(" dot "),
            '@' => text.push_str(" at "),
            '/' => text.push_str(" slash "),
            '-' => text.push_str(" dash "),
            '_' => text.push_str(" underscore "),
            c if c.is_alphanumeric() => text.push(c),
            _ => text.push(' '),
        }
    }
    one(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// `555-0199`, `(555) 010-0199`, `1-800-555-0199`, `+15550100199`.
fn phone(p: Place<'_>) -> Match {
    let (count, text) = match p.words[p.at].whole.strip_prefix('(').and_then(|w| w.strip_suffix(')')) {
        Some(area) if area.len() == 3 && is_digits(area) => (2, format!("{area}-{}", p.ahead(1))),
        _ => (1, p.core().to_owned()),
    };
    let plus = text.strip_prefix('+');
    let groups: Vec<&str> = plus.unwrap_or(&text).split(['-', '.']).collect();
    let shape: Vec<usize> = groups.iter().map(|g| if is_digits(g) { g.len() } else { 0 }).collect();
    let words = match shape[..] {
        [3, 4] | [3, 3, 4] | [1, 3, 3, 4] => {
            groups.iter().map(|g| digit_words(g.chars())).collect::<Vec<_>>().join(", ")
        }
        [10] => spelled(&text),
        [11] if plus.is_some() => format!("one, {}", spelled(&groups[0][1..])),
        _ => return None,
    };
    Some((count, vec![said(words)]))
}

/// `911` is three digits, never a number.
fn service_number(p: Place<'_>) -> Match {
    let core = p.core();
    let short = matches!(core, "911" | "211" | "311" | "411" | "511" | "611" | "711" | "811" | "988");
    short.then(|| (1, vec![said(digit_words(core.chars()))]))
}

/// `INC-4821`: letters one by one, then digits.
fn reference(p: Place<'_>) -> Match {
    let core = p.core();
    let letters = core.chars().take_while(char::is_ascii_uppercase).count();
    let rest = core[letters..].strip_prefix('-').unwrap_or(&core[letters..]);
    let shaped = (1..=6).contains(&letters)
        && rest.len() >= 2
        && rest.chars().all(|c| c.is_ascii_digit() || c == '-')
        && rest.starts_with(|c: char| c.is_ascii_digit());
    if !shaped {
        return None;
    }
    let mut spoken: Vec<Spoken> = core[..letters].chars().map(letter).collect();
    if let Some(last) = spoken.last_mut() {
        last.spoken.push(',');
    }
    let groups: Vec<String> = rest.split('-').filter(|g| !g.is_empty()).map(spelled).collect();
    spoken.push(said(groups.join(", ")));
    Some((1, spoken))
}

/// A letter's name. "A" alone would be read as the article.
fn letter(c: char) -> Spoken {
    let phonemes = (c == 'A').then(|| "ˈA".to_owned());
    Spoken { spoken: c.to_string(), phonemes, ..Spoken::default() }
}

/// `$5`, `$1,250.75`, `$2 million`.
fn money(p: Place<'_>) -> Match {
    let amount = p.core().strip_prefix('$')?;
    if let scale @ ("million" | "billion" | "thousand" | "trillion") = p.ahead(1)
        && p.joins_next()
    {
        return Some((2, vec![said(format!("{} {scale} dollars", plain(amount)?))]));
    }
    let (whole, cents) = match amount.split_once('.') {
        Some((whole, cents)) if cents.len() == 2 && is_digits(cents) => (whole, cents.parse().ok()?),
        Some(_) => return one(format!("{} dollars", plain(amount)?)),
        None => (amount, 0u64),
    };
    let dollars = integer(if whole.is_empty() { "0" } else { whole })?;
    let counted = |n: u64, name: &str| format!("{} {name}{}", cardinal(n), if n == 1 { "" } else { "s" });
    one(match (dollars, cents) {
        (0, 1..) => counted(cents, "cent"),
        (_, 0) => counted(dollars, "dollar"),
        _ => format!("{} and {}", counted(dollars, "dollar"), counted(cents, "cent")),
    })
}

/// `9:30 a.m.`, `9am`, `17:05`, `8:00-5:00`.
fn time(p: Place<'_>) -> Match {
    let lower = p.core().to_lowercase();
    if let Some((from, to)) = lower.split_once(['-', '–']) {
        let ((hour, half), to) = (clock(from)?, clock(to)?);
        let mut spoken = vec![said(hour)];
        spoken.extend(half.map(half_said));
        spoken.push(said("to"));
        return lower.contains([':', 'm']).then(|| with_half(p, spoken, to));
    }
    let (hour, half) = clock(&lower)?;
    let next = half_of(p.ahead(1));
    if half.is_none() && next.is_none() && !lower.contains(':') {
        return None;
    }
    Some(with_half(p, Vec::new(), (hour, half)))
}

/// Adds a time and its half of the day, which may be the next word.
fn with_half(
    p: Place<'_>,
    mut spoken: Vec<Spoken>,
    (hour, half): (String, Option<&'static str>),
) -> (usize, Vec<Spoken>) {
    spoken.push(said(hour));
    let next = if half.is_none() && p.joins_next() { half_of(p.ahead(1)) } else { None };
    spoken.extend(half.or(next).map(half_said));
    (1 + usize::from(next.is_some()), spoken)
}

/// Hour and minutes in words, and the half of the day if it is attached.
fn clock(text: &str) -> Option<(String, Option<&'static str>)> {
    let digits = text.trim_end_matches(|c: char| c.is_alphabetic() || c == '.');
    let half = half_of(&text[digits.len()..]);
    if half.is_none() && digits.len() < text.len() {
        return None;
    }
    let (hour, minutes) = digits.split_once(':').unwrap_or((digits, "00"));
    if !is_digits(hour) || hour.len() > 2 || minutes.len() != 2 || !is_digits(minutes) {
        return None;
    }
    let (hour, minutes): (u64, u64) = (hour.parse().ok()?, minutes.parse().ok()?);
    if hour > 23 || minutes > 59 {
        return None;
    }
    let words = match minutes {
        0 if half.is_none() && digits.contains(':') && hour > 12 => format!("{} hundred", cardinal(hour)),
        0 => cardinal(hour),
        1..10 => format!("{} oh {}", cardinal(hour), cardinal(minutes)),
        _ => format!("{} {}", cardinal(hour), cardinal(minutes)),
    };
    Some((words, half))
}

fn half_of(text: &str) -> Option<&'static str> {
    match text.to_lowercase().trim_end_matches('.') {
        "am" | "a.m" => Some("A M"),
        "pm" | "p.m" => Some("P M"),
        _ => None,
    }
}

fn half_said(half: &str) -> Spoken {
    let phonemes = if half == "A M" { "ˌAˈɛm" } else { "pˌiˈɛm" };
    Spoken { spoken: half.to_owned(), phonemes: Some(phonemes.to_owned()), ..Spoken::default() }
}

/// `March 3rd, 2026`, `Mar. 3`, `3/14/2026`, `2026-03-14`.
fn date(p: Place<'_>) -> Match {
    if let Some(month) = month(p.core()) {
        return named_date(p, month);
    }
    let parts: Vec<&str> = p.core().split(['/', '-']).collect();
    let lengths: Vec<usize> = parts.iter().map(|g| if is_digits(g) { g.len() } else { 0 }).collect();
    let (m, d, y) = match (lengths.as_slice(), parts.as_slice()) {
        ([4, 2, 2], [y, m, d]) => (m, d, y),
        ([1..=2, 1..=2, 4], [m, d, y]) => (m, d, y),
        _ => return None,
    };
    let month = MONTHS.get(m.parse::<usize>().ok()?.checked_sub(1)?)?.0;
    let day = d.parse().ok().filter(|d| (1..=31).contains(d))?;
    one(format!("{month} {}, {}", ordinal(day), year(y.parse().ok()?)))
}

fn month(word: &str) -> Option<&'static str> {
    MONTHS
        .iter()
        .find(|(name, short)| word == *name || word.strip_suffix('.').unwrap_or(word) == *short)
        .map(|m| m.0)
}

fn named_date(p: Place<'_>, month: &str) -> Match {
    let next = p.ahead(1);
    let digits = next.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let suffix = &next[digits.len()..];
    if digits.len() == 4 && suffix.is_empty() && is_digits(digits) {
        return Some((2, vec![said(format!("{month} {}", year(digits.parse().ok()?)))]));
    }
    let day: u64 = digits.parse().ok().filter(|d| (1..=31).contains(d))?;
    if !matches!(suffix, "" | "st" | "nd" | "rd" | "th") {
        return None;
    }
    let words = format!("{month} {}", ordinal(day));
    match p.ahead(2) {
        y if y.len() == 4 && is_digits(y) => {
            Some((3, vec![said(format!("{words}, {}", year(y.parse().ok()?)))]))
        }
        _ => Some((2, vec![said(words)])),
    }
}

/// `5%`, `2.5%`.
fn percent(p: Place<'_>) -> Match {
    one(format!("{} percent", plain(p.core().strip_suffix('%')?)?))
}

/// `21st`.
fn ordinal_number(p: Place<'_>) -> Match {
    let core = p.core();
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| core.strip_suffix(end))?;
    one(ordinal(integer(digits)?))
}

/// A number after "extension", "code", "case" and the like, or one too long to be a count: digit by digit.
fn identifier(p: Place<'_>) -> Match {
    const NAMES: [&str; 16] = [
        "number",
        "code",
        "pin",
        "extension",
        "ext",
        "ticket",
        "reference",
        "case",
        "account",
        "permit",
        "room",
        "no",
        "id",
        "zip",
        "parcel",
        "confirmation",
    ];
    let core = p.core().trim_start_matches('#');
    if !is_digits(core) {
        return None;
    }
    let before = p.before().to_lowercase();
    let named = NAMES.contains(&before.trim_end_matches('.')) || p.core().starts_with('#');
    let spelled_out =
        core.len() >= 5 || core.starts_with('0') && core.len() > 1 || (named && core.len() >= 3);
    let sign = if p.core().starts_with('#') { "number " } else { "" };
    if spelled_out {
        return one(format!("{sign}{}", spelled(core)));
    }
    (!sign.is_empty()).then(|| Some((1, vec![said(format!("{sign}{}", plain(core)?))])))?
}

/// `1/2`, `24/7`, `and/or`.
fn fraction(p: Place<'_>) -> Match {
    let (a, b) = p.core().split_once('/')?;
    match (a, b) {
        ("1", "2") => one("one half"),
        ("1", "3") => one("one third"),
        ("2", "3") => one("two thirds"),
        ("1", "4") => one("one quarter"),
        ("3", "4") => one("three quarters"),
        _ if is_digits(a) && is_digits(b) => one(format!("{} {}", plain(a)?, plain(b)?)),
        _ if !a.is_empty() && !b.is_empty() => one(format!("{a} {}", b.replace('/', " "))),
        _ => None,
    }
}

/// `8-5`, `10–15`.
fn range(p: Place<'_>) -> Match {
    let (from, to) = p.core().split_once(['-', '–', '—'])?;
    let years = from.len() == 4 && to.len() == 4 && is_digits(from) && is_digits(to);
    let words = |n: &str| if years { Some(year(n.parse().ok()?)) } else { plain(n) };
    one(format!("{} to {}", words(from)?, words(to)?))
}

/// `5 mi`, `10 ft.`, `72°F`, `30mph`.
fn unit(p: Place<'_>) -> Match {
    let core = p.core();
    let number = core.trim_end_matches(|c: char| c.is_alphabetic() || c == '°' || c == '.');
    let attached = &core[number.len()..];
    let (count, name) = if attached.is_empty() { (2, p.ahead(1)) } else { (1, attached) };
    if count == 2 && !p.joins_next() {
        return None;
    }
    let name = name.strip_suffix('.').unwrap_or(name);
    let (_, singular, plural) = UNITS.iter().find(|(short, ..)| *short == name)?;
    let words = plain(number)?;
    let name = if words == "one" { singular } else { plural };
    Some((count, vec![said(format!("{words} {name}"))]))
}

/// The number in front of a street's name.
fn house_number(p: Place<'_>) -> Match {
    let core = p.core();
    let street = (1..=4).any(|n| STREETS.contains(&p.ahead(n).trim_end_matches('.')));
    let named = is_capitalised(p.ahead(1)) || p.ahead(1).starts_with(|c: char| c.is_ascii_digit());
    let here = is_digits(core) && core.len() <= 5 && street && named && p.joins_next();
    here.then(|| (1, vec![said(house(core))]))
}

/// `2026` after a word that a year follows.
fn year_number(p: Place<'_>) -> Match {
    let core = p.core();
    let n: u64 = if core.len() == 4 && is_digits(core) { core.parse().ok()? } else { return None };
    let before = p.before().to_lowercase();
    let words = [
        "in", "since", "by", "until", "of", "year", "before", "after", "from", "for", "through", "spring",
        "summer", "fall", "winter",
    ];
    let follows = words.contains(&before.as_str()) || month(p.before()).is_some();
    ((1900..2100).contains(&n) && follows).then(|| (1, vec![said(year(n))]))
}

fn number(p: Place<'_>) -> Match {
    let core = p.core();
    match core.strip_prefix(['-', '−']) {
        Some(rest) => one(format!("minus {}", plain(rest)?)),
        None => one(plain(core)?),
    }
}

/// `Dept.`, `St.` (Saint or Street), `Dr.` (Doctor or Drive), `N.` before a street's name.
fn abbreviation(p: Place<'_>) -> Match {
    let core = p.core();
    let bare = core.strip_suffix('.').unwrap_or(core);
    let dotted = bare.len() < core.len() || p.words[p.at].trail.starts_with('.');
    let next_named = is_capitalised(p.ahead(1)) && p.words[p.at].trail.trim_start_matches('.').is_empty();
    let after_name = is_capitalised(p.before()) || p.before().starts_with(|c: char| c.is_ascii_digit());
    match bare {
        "St" if dotted || after_name => one(if next_named && !after_name { "Saint" } else { "Street" }),
        "Dr" if dotted || after_name => one(if next_named && !after_name { "Doctor" } else { "Drive" }),
        "N" | "S" | "E" | "W" | "NE" | "NW" | "SE" | "SW"
            if next_named && p.before().starts_with(|c: char| c.is_ascii_digit()) =>
        {
            one(written::compass(bare))
        }
        _ => {
            let (_, full, needs_dot) = ABBREVIATIONS.iter().find(|(short, ..)| *short == bare)?;
            (dotted || !needs_dot).then(|| (1, vec![said(*full)]))
        }
    }
}

/// Signs that stand for words; other lone signs are not spoken.
fn symbol(p: Place<'_>) -> Match {
    match p.core() {
        "&" | "+" => one("and"),
        "@" => one("at"),
        "=" => one("equals"),
        "-" | "–" | "—" | "*" | "•" | "|" | "/" => one(""),
        core if core.contains('&') => one(core.replace('&', " and ")),
        _ => None,
    }
}

#[cfg(test)]
#[path = "speakable_tests.rs"]
mod tests;
