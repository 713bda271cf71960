//! English as it is spoken: the rules of [`super::speakable`].

mod calendar;
mod numbers;
mod tables;

use numbers::{cardinal, digit_words, house, ordinal, plain, spelled, year};
pub(super) use numbers::{groups, integer};
use tables::{ABBREVIATIONS, IDENTIFIERS, STREETS, UNITS};

use super::speakable::{Match, Tongue};
use super::written::{self, Place, is_capitalised, is_digits};
use pipeline::lexicon::Spoken;

pub(super) static TONGUE: Tongue = Tongue {
    rules: &[
        web,
        phone,
        service_number,
        roads_and_grades,
        reference,
        case_number,
        money,
        calendar::time,
        calendar::date,
        percent,
        ordinal_number,
        calendar::decade,
        identifier,
        fraction,
        range,
        calendar::days,
        unit,
        house_number,
        calendar::year_number,
        number,
        compound,
        abbreviation,
        symbol,
    ],
    is_short,
    digits: left_over,
    numeral,
};

fn is_short(core: &str) -> bool {
    ABBREVIATIONS.iter().any(|(short, ..)| *short == core)
        || UNITS.iter().any(|(short, ..)| *short == core)
        || ["St", "Dr"].contains(&core)
}

/// Digits that no rule knew, as in "B2B".
fn left_over(digits: &str) -> String {
    match digits.parse() {
        Ok(n) if digits.len() <= 2 && !(digits.len() == 2 && digits.starts_with('0')) => cardinal(n),
        _ => spelled(digits),
    }
}

fn numeral(c: char) -> &'static str {
    match c {
        '½' => "one half",
        '¼' => "one quarter",
        '¾' => "three quarters",
        '²' => "squared",
        '³' => "cubed",
        _ => "",
    }
}

fn said(text: impl Into<String>) -> Spoken {
    Spoken::said(text)
}

fn one(text: impl Into<String>) -> Match {
    Some((1, vec![said(text)]))
}

/// `help@county.gov`, `www.county.gov/permits`.
fn web(p: Place<'_>) -> Match {
    let sign = |c| match c {
        '.' => "dot",
        '@' => "at",
        '/' => "slash",
        '-' => "dash",
        '_' => "underscore",
        _ => "",
    };
    one(written::web(p.core(), sign)?)
}

/// `555-0199`, `(555) 010-0199`, `1-800-555-0199`, `+15550100199`, `202 555 0143`.
fn phone(p: Place<'_>) -> Match {
    let (count, groups) = written::telephone(p)?;
    let words: Vec<String> = groups.iter().map(|g| digit_words(g.chars())).collect();
    Some((count, vec![said(words.join(", "))]))
}

/// `911` is three digits, never a number.
fn service_number(p: Place<'_>) -> Match {
    let bare = match p.core() {
        "9-1-1" => "911",
        core => core,
    };
    let short = matches!(bare, "911" | "211" | "311" | "411" | "511" | "611" | "711" | "811" | "988");
    short.then(|| (1, vec![said(digit_words(bare.chars()))]))
}

/// `I-95`, `US-1`, `K-12`: short letters and a short number, said as people name roads and grades.
fn roads_and_grades(p: Place<'_>) -> Match {
    let (letters, digits) = p.core().split_once('-')?;
    if letters == "COVID" && is_digits(digits) {
        return one(format!("COVID {}", plain(digits)?));
    }
    let known = matches!(letters, "I" | "US" | "SR" | "CR" | "K" | "NY" | "CA");
    (known && is_digits(digits) && digits.len() <= 3 && !digits.starts_with('0')).then(|| {
        let mut spoken: Vec<Spoken> = letters.chars().map(letter).collect();
        spoken.push(said(house(digits)));
        (1, spoken)
    })
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

/// `2026-CV-00123`, `24-1187` after "case", `4417-0032`, `90210-1234`: group by group, digit by digit.
fn case_number(p: Place<'_>) -> Match {
    let core = p.core().trim_start_matches('#');
    let groups: Vec<&str> = core.split('-').collect();
    let digits = groups.iter().filter(|g| is_digits(g)).count();
    let letters = groups.iter().filter(|g| is_code(g)).count();
    if groups.len() < 2 || digits == 0 || digits + letters < groups.len() {
        return None;
    }
    let lengths: Vec<usize> = groups.iter().map(|g| g.len()).collect();
    let padded = groups.iter().any(|g| g.len() > 1 && g.starts_with('0'));
    let dated = lengths == [4, 2, 2] || matches!(lengths[..], [1..=2, 1..=2, 2 | 4]);
    let plainly = letters > 0 || (padded && !dated) || lengths == [5, 4] || groups.len() > 3;
    let long = lengths.iter().any(|l| *l >= 3);
    if !(plainly || (named(p.before()) && long)) {
        return None;
    }
    let mut spoken: Vec<Spoken> = Vec::new();
    for (n, group) in groups.iter().enumerate() {
        if is_digits(group) {
            spoken.push(said(spelled(group)));
        } else {
            spoken.extend(group.chars().map(letter));
        }
        if n + 1 < groups.len()
            && let Some(end) = spoken.last_mut()
        {
            end.spoken.push(',');
        }
    }
    Some((1, spoken))
}

fn is_code(group: &str) -> bool {
    (1..=4).contains(&group.len()) && group.bytes().all(|b| b.is_ascii_uppercase())
}

/// A letter's name. "A" alone would be read as the article.
fn letter(c: char) -> Spoken {
    let phonemes = (c == 'A').then(|| "ˈA".to_owned());
    Spoken { spoken: c.to_string(), phonemes, ..Spoken::default() }
}

/// `$5`, `$1,250.75`, `$2 million`, `$1.5M`, `$5-$10`, `$22/month`, `50¢`.
fn money(p: Place<'_>) -> Match {
    if let Some(cents) = p.core().strip_suffix('¢') {
        return one(counted(integer(cents)?, "cent"));
    }
    let core = p.core().strip_prefix("US").unwrap_or(p.core());
    let amount = core.strip_prefix('$')?;
    if let scale @ ("million" | "billion" | "thousand" | "trillion") = p.ahead(1)
        && p.joins_next()
    {
        return Some((2, vec![said(format!("{} {scale} dollars", plain(amount)?))]));
    }
    let scales = [('K', "thousand"), ('M', "million"), ('B', "billion")];
    if let Some((short, scale)) = scales.iter().find(|(short, _)| amount.ends_with(*short)) {
        return one(format!("{} {scale} dollars", plain(amount.trim_end_matches(*short))?));
    }
    if let Some((amount, per)) = amount.split_once('/') {
        let per = ["month", "year", "week", "day", "hour", "night", "person", "gallon"].into_iter().find(
            |name| *name == per || (per == "mo" && *name == "month") || (per == "hr" && *name == "hour"),
        )?;
        return one(format!("{} per {per}", dollars(amount)?));
    }
    if let Some(amount) = amount.strip_suffix('+') {
        return one(format!("{} or more", dollars(amount)?));
    }
    if let Some((from, to)) = amount.split_once(['-', '–', '—']) {
        let to = to.trim_start_matches('$');
        let from = if from.contains('.') { dollars(from)? } else { plain(from)? };
        return one(format!("{from} to {}", dollars(to)?));
    }
    one(dollars(amount)?)
}

/// An amount without its sign.
fn dollars(amount: &str) -> Option<String> {
    let (whole, cents) = match amount.split_once('.') {
        Some((whole, cents)) if cents.len() == 2 && is_digits(cents) => (whole, cents.parse().ok()?),
        Some(_) => return Some(format!("{} dollars", plain(amount)?)),
        None => (amount, 0u64),
    };
    let dollars = integer(if whole.is_empty() { "0" } else { whole })?;
    Some(match (dollars, cents) {
        (0, 1..) => counted(cents, "cent"),
        (_, 0) => counted(dollars, "dollar"),
        _ => format!("{} and {}", counted(dollars, "dollar"), counted(cents, "cent")),
    })
}

fn counted(n: u64, name: &str) -> String {
    format!("{} {name}{}", cardinal(n), if n == 1 { "" } else { "s" })
}

/// `5%`, `2.5%`, `5-10%`.
fn percent(p: Place<'_>) -> Match {
    let amount = p.core().strip_suffix('%')?;
    if let Some((from, to)) = amount.split_once(['-', '–'])
        && !from.is_empty()
    {
        return one(format!("{} to {} percent", plain(from.trim_end_matches('%'))?, plain(to)?));
    }
    match amount.strip_prefix(['-', '−']) {
        Some(amount) => one(format!("minus {} percent", plain(amount)?)),
        None => one(format!("{} percent", plain(amount)?)),
    }
}

/// `21st`.
fn ordinal_number(p: Place<'_>) -> Match {
    one(as_ordinal(p.core())?)
}

fn as_ordinal(core: &str) -> Option<String> {
    let ends = ["st", "nd", "rd", "th", "ST", "ND", "RD", "TH"];
    let digits = ends.iter().find_map(|end| core.strip_suffix(end))?;
    Some(ordinal(integer(digits)?))
}

/// Whether a number after this word names a thing, and so is read digit by digit.
fn named(before: &str) -> bool {
    IDENTIFIERS.contains(&before.to_lowercase().trim_end_matches(['.', ':']))
}

/// A number after "extension", "code", "case" and the like, or one too long to be a count: digit by digit.
fn identifier(p: Place<'_>) -> Match {
    if let Some(extension) = p.core().strip_prefix('x').filter(|rest| is_digits(rest)) {
        return one(format!("extension {}", spelled(extension)));
    }
    let core = p.core().trim_start_matches('#');
    if !is_digits(core) {
        return None;
    }
    let named = named(p.before()) || p.core().starts_with('#');
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
    // "5 in the morning" and "1 in 5" are no inches: a phrase goes on after the word, a measure hardly does.
    let goes_on = p.joins(1) && !p.ahead(2).is_empty() && !tables::MEASURED.contains(&p.ahead(2));
    if count == 2 && name == "in" && goes_on {
        return None;
    }
    let (_, singular, plural) = UNITS.iter().find(|(short, ..)| *short == name)?;
    let words = match number.strip_prefix(['-', '−']) {
        Some(number) => format!("minus {}", plain(number)?),
        None => plain(number)?,
    };
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

fn number(p: Place<'_>) -> Match {
    let core = p.core();
    let (sign, rest) = match core.chars().next()? {
        '-' | '−' => ("minus ", &core[core.chars().next()?.len_utf8()..]),
        '+' => ("plus ", &core[1..]),
        '~' | '≈' => ("about ", core.trim_start_matches(['~', '≈'])),
        '<' => ("less than ", &core[1..]),
        '>' => ("more than ", &core[1..]),
        _ => ("", core),
    };
    if let Some(rest) = rest.strip_prefix('.').filter(|rest| is_digits(rest)) {
        return one(format!("{sign}point {}", digit_words(rest.chars())));
    }
    match rest.strip_suffix('+') {
        Some(least) => one(format!("{sign}{} or more", plain(least)?)),
        None => one(format!("{sign}{}", plain(rest)?)),
    }
}

/// `30-day`, `12th-grade`: each part by itself.
fn compound(p: Place<'_>) -> Match {
    let core = p.core();
    let parts: Vec<&str> = core.split('-').collect();
    let fits = parts.len() > 1
        && core.contains(|c: char| c.is_ascii_digit())
        && parts.iter().all(|part| !part.is_empty() && part.chars().all(char::is_alphanumeric));
    if !fits {
        return None;
    }
    let words: Vec<String> = parts
        .iter()
        .map(|part| as_ordinal(part).or_else(|| plain(part)).unwrap_or_else(|| (*part).to_owned()))
        .collect();
    one(words.join(" "))
}

/// `Dept.`, `St.` (Saint or Street), `Dr.` (Doctor or Drive), `N.` before a street's name.
fn abbreviation(p: Place<'_>) -> Match {
    let core = p.core();
    let bare = core.strip_suffix('.').unwrap_or(core);
    let trail = p.here().trail.as_str();
    let dotted = bare.len() < core.len() || trail.starts_with('.');
    let next_named = is_capitalised(p.ahead(1)) && trail.trim_start_matches('.').is_empty();
    let after_name = is_capitalised(p.before()) || p.before().starts_with(|c: char| c.is_ascii_digit());
    match bare {
        "St" if dotted || after_name => one(if next_named && !after_name { "Saint" } else { "Street" }),
        "Dr" if dotted || after_name => one(if next_named && !after_name { "Doctor" } else { "Drive" }),
        "N" | "S" | "E" | "W" | "NE" | "NW" | "SE" | "SW"
            if next_named && p.before().starts_with(|c: char| c.is_ascii_digit()) =>
        {
            one(tables::compass(bare))
        }
        _ => {
            let (_, full, needs_dot) = ABBREVIATIONS.iter().find(|(short, ..)| *short == bare)?;
            ((dotted || !needs_dot) && fits(p, bare)).then(|| (1, vec![said(*full)]))
        }
    }
}

/// Whether what stands around a short form lets it be one. Many are words too: "no.", "the sun.", "he sat.".
fn fits(p: Place<'_>, short: &str) -> bool {
    let (before, next) = (p.before(), p.ahead(1));
    let digit = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    // Only the point of the short form lies between it and the next word.
    let goes_on = !next.is_empty() && p.here().trail.trim_start_matches('.').is_empty();
    let day = |word: &str| tables::DAYS.iter().any(|(full, all)| *full == word || all.contains(&word));
    match short {
        // "Say yes or no. 2 is open" is an answer and a number; "Case No. 2" is not.
        "no" => goes_on && digit(next) && !tables::ANSWERS.contains(&before.to_lowercase().as_str()),
        "No" => goes_on && digit(next),
        "Prof" | "Rev" | "Gov" | "Sgt" | "Lt" | "Capt" | "Ft" => goes_on && is_capitalised(next),
        "Rm" => goes_on && digit(next),
        "Fl" => (goes_on && digit(next)) || digit(before),
        "Pl" | "Cir" | "Co" | "Ave" | "Rd" | "Ln" | "Ct" => is_capitalised(before) || digit(before),
        "Mon" | "Tue" | "Tues" | "Wed" | "Thu" | "Thurs" | "Fri" | "Sat" | "Sun" => {
            (goes_on && (digit(next) || day(next) || ["and", "to", "through", "or", "at"].contains(&next)))
                || day(before)
                || (tables::DAY_COMES_AFTER.contains(&before.to_lowercase().as_str()))
        }
        "Jan" | "Feb" | "Aug" | "Sept" | "Oct" | "Nov" | "Dec" => {
            (goes_on && digit(next))
                || digit(before)
                || tables::MONTH_COMES_AFTER.contains(&before.to_lowercase().as_str())
        }
        _ => true,
    }
}

/// Signs that stand for words; other lone signs are not spoken.
fn symbol(p: Place<'_>) -> Match {
    match p.core() {
        "&" | "+" => one("and"),
        "@" => one("at"),
        "=" => one("equals"),
        // Kept as a word of its own only between numbers.
        "-" | "–" | "—" if p.at > 0 => one("to"),
        "-" | "–" | "—" | "*" | "•" | "|" | "/" | "#" | "$" | "%" | "~" => one(""),
        core if core.contains('&') => one(core.replace('&', " and ")),
        _ => None,
    }
}
