//! Spanish as it is spoken in the Americas: the rules of [`super::speakable`].

mod calendar;
mod numbers;
mod tables;

use numbers::{Agrees, cardinal, digit_words, house, integer, ordinal, plain, spelled, takes_de};
use tables::{ABBREVIATIONS, IDENTIFIERS, NO_NOUNS, STREETS_AFTER, STREETS_BEFORE, UNITS};

use super::speakable::{Match, Tongue};
use super::written::{self, Place, is_capitalised, is_digits};
use pipeline::lexicon::Spoken;

pub(super) static TONGUE: Tongue = Tongue {
    rules: &[
        web,
        phone,
        service_number,
        reference,
        case_number,
        money,
        calendar::time,
        calendar::date,
        percent,
        ordinal_number,
        identifier,
        fraction,
        range,
        calendar::days,
        unit,
        house_number,
        number,
        compound,
        phrase,
        street,
        abbreviation,
        symbol,
    ],
    is_short,
    digits: left_over,
    numeral,
};

fn is_short(core: &str) -> bool {
    let lower = core.to_lowercase();
    ABBREVIATIONS.iter().any(|(short, ..)| *short == lower)
        || UNITS.iter().any(|(short, ..)| *short == core)
        || STREETS_AFTER.iter().any(|(short, _)| *short == core)
        || matches!(lower.as_str(), "uu" | "ej")
        || (lower.ends_with("er") && lower.starts_with(|c: char| c.is_ascii_digit()))
}

/// Digits that no rule knew, as in "B2B".
fn left_over(digits: &str) -> String {
    match digits.parse() {
        Ok(n) if digits.len() <= 2 && !(digits.len() == 2 && digits.starts_with('0')) => {
            cardinal(n, Agrees::Alone)
        }
        _ => spelled(digits),
    }
}

fn numeral(c: char) -> &'static str {
    match c {
        '½' => "un medio",
        '¼' => "un cuarto",
        '¾' => "tres cuartos",
        '²' => "al cuadrado",
        '³' => "al cubo",
        _ => "",
    }
}

fn one(text: impl Into<String>) -> Match {
    taking(1, text)
}

fn taking(count: usize, text: impl Into<String>) -> Match {
    Some((count, vec![Spoken::said(text)]))
}

fn alone(text: &str) -> Option<String> {
    plain(text, Agrees::Alone)
}

/// `ayuda@county.gov`, `www.county.gov/permisos`.
fn web(p: Place<'_>) -> Match {
    let sign = |c| match c {
        '.' => "punto",
        '@' => "arroba",
        '/' => "diagonal",
        '-' => "guion",
        '_' => "guion bajo",
        _ => "",
    };
    one(written::web(p.core(), sign)?)
}

/// `555-0199`, `(555) 010-0199`, `1-800-555-0199`.
fn phone(p: Place<'_>) -> Match {
    let (count, groups) = written::telephone(p)?;
    let words: Vec<String> = groups.iter().map(|g| digit_words(g.chars())).collect();
    taking(count, words.join(", "))
}

/// `911` is three digits, never a number.
fn service_number(p: Place<'_>) -> Match {
    let bare = match p.core() {
        "9-1-1" => "911",
        core => core,
    };
    let short = matches!(bare, "911" | "211" | "311" | "411" | "511" | "611" | "711" | "811" | "988");
    short.then(|| (1, vec![Spoken::said(digit_words(bare.chars()))]))
}

/// `INC-4821`: letters by their names, then digits.
fn reference(p: Place<'_>) -> Match {
    let core = p.core();
    let letters = core.chars().take_while(char::is_ascii_uppercase).count();
    let rest = core[letters..].strip_prefix('-').unwrap_or(&core[letters..]);
    let shaped = (1..=6).contains(&letters)
        && !rest.is_empty()
        && (rest.len() >= 2 || core.contains('-'))
        && rest.chars().all(|c| c.is_ascii_digit() || c == '-')
        && rest.starts_with(|c: char| c.is_ascii_digit());
    if core.starts_with("COVID-") {
        return one(format!("covid {}", alone(rest)?));
    }
    shaped.then(|| {
        (1, spelled_groups(&[&[&core[..letters]], &rest.split('-').collect::<Vec<_>>()[..]].concat()))
    })
}

/// `2026-CV-00123`, `24-1187` after "caso": group by group, digit by digit.
fn case_number(p: Place<'_>) -> Match {
    let groups: Vec<&str> = p.core().trim_start_matches('#').split('-').collect();
    let digits = groups.iter().filter(|g| is_digits(g)).count();
    let letters = groups.iter().filter(|g| is_code(g)).count();
    if groups.len() < 2 || digits == 0 || digits + letters < groups.len() {
        return None;
    }
    let lengths: Vec<usize> = groups.iter().map(|g| g.len()).collect();
    let padded = groups.iter().any(|g| g.len() > 1 && g.starts_with('0'));
    let dated = lengths == [4, 2, 2] || matches!(lengths[..], [1..=2, 1..=2, 2 | 4]);
    let plainly = letters > 0 || (padded && !dated) || lengths == [5, 4] || groups.len() > 3;
    let named = named(p) && lengths.iter().any(|l| *l >= 3);
    (plainly || named).then(|| (1, spelled_groups(&groups)))
}

fn is_code(group: &str) -> bool {
    (1..=4).contains(&group.len()) && group.bytes().all(|b| b.is_ascii_uppercase())
}

fn spelled_groups(groups: &[&str]) -> Vec<Spoken> {
    let mut spoken: Vec<Spoken> = Vec::new();
    for group in groups.iter().filter(|g| !g.is_empty()) {
        if let Some(end) = spoken.last_mut() {
            end.spoken.push(',');
        }
        if is_digits(group) {
            spoken.push(Spoken::said(spelled(group)));
        } else {
            spoken.extend(group.chars().map(|c| Spoken::said(tables::letter(c))));
        }
    }
    spoken
}

/// `$5`, `$5.20`, `$2 millones`, `$5-$10`, `$22/mes`, `US$5`, `5 USD`.
fn money(p: Place<'_>) -> Match {
    if let Some(cents) = p.core().strip_suffix('¢') {
        return one(counted(integer(cents)?, "centavo"));
    }
    if p.ahead(1) == "USD" && p.joins_next() {
        return taking(2, dollars(p.core().trim_start_matches('$'))?);
    }
    let core = p.core().strip_prefix("US").unwrap_or(p.core());
    let amount = core.strip_prefix('$')?;
    if let scale @ ("millones" | "millón" | "mil") = p.ahead(1)
        && p.joins_next()
    {
        let number = plain(amount, Agrees::Masculine)?;
        let of = if scale == "mil" { "" } else { "de " };
        return taking(2, format!("{number} {scale} {of}dólares"));
    }
    if let Some((amount, per)) = amount.split_once('/') {
        let spans = ["mes", "año", "semana", "día", "hora", "noche", "persona", "galón"];
        let per = spans.into_iter().find(|name| *name == per)?;
        return one(format!("{} por {per}", dollars(amount)?));
    }
    if let Some(amount) = amount.strip_suffix('+') {
        return one(format!("{} o más", dollars(amount)?));
    }
    if let Some((from, to)) = amount.split_once(['-', '–', '—']) {
        let to = to.trim_start_matches('$');
        let from = if from.contains('.') { dollars(from)? } else { alone(from)? };
        return one(format!("{from} a {}", dollars(to)?));
    }
    one(dollars(amount)?)
}

/// An amount without its sign.
fn dollars(amount: &str) -> Option<String> {
    let (whole, cents) = match amount.split_once('.') {
        Some((whole, cents)) if cents.len() == 2 && is_digits(cents) => (whole, cents.parse().ok()?),
        Some(_) => return Some(format!("{} dólares", alone(amount)?)),
        None => (amount, 0u64),
    };
    let dollars = integer(if whole.is_empty() { "0" } else { whole })?;
    Some(match (dollars, cents) {
        (0, 1..) => counted(cents, "centavo"),
        (_, 0) => counted(dollars, "dólar"),
        _ => format!("{} con {}", counted(dollars, "dólar"), counted(cents, "centavo")),
    })
}

fn counted(n: u64, name: &str) -> String {
    let plural = if name.ends_with('r') { "es" } else { "s" };
    let of = if takes_de(n) { "de " } else { "" };
    format!("{} {of}{name}{}", cardinal(n, Agrees::Masculine), if n == 1 { "" } else { plural })
}

// ---------------------------------------------------------------- numbers

/// `5%`, `5 %`, `2.5%`, `5-10%`.
fn percent(p: Place<'_>) -> Match {
    let (count, amount) = match p.core().strip_suffix('%') {
        Some(amount) => (1, amount),
        None if p.ahead(1) == "%" && p.joins_next() => (2, p.core()),
        None => return None,
    };
    if let Some((from, to)) = amount.split_once(['-', '–'])
        && !from.is_empty()
    {
        let from = alone(from.trim_end_matches('%'))?;
        return taking(count, format!("{from} a {} por ciento", alone(to)?));
    }
    match amount.strip_prefix(['-', '−']) {
        Some(amount) => taking(count, format!("menos {} por ciento", alone(amount)?)),
        None => taking(count, format!("{} por ciento", alone(amount)?)),
    }
}

/// `1.º`, `1º`, `2.ª`, `1er`, `3er.`, `2do`, `4ta`.
fn ordinal_number(p: Place<'_>) -> Match {
    let core = p.core();
    let at = core.find(|c: char| !c.is_ascii_digit()).filter(|at| *at > 0)?;
    let (digits, ending) = core.split_at(at);
    let agrees = match ending.trim_start_matches('.').trim_end_matches('.') {
        "º" | "°" | "o" if ending != "°" || !p.ahead(1).is_empty() => Agrees::Alone,
        "ª" | "a" => Agrees::Feminine,
        "er" => Agrees::Masculine,
        "ro" | "do" | "to" | "mo" | "vo" | "no" => Agrees::Alone,
        "ra" | "da" | "ta" | "ma" | "va" | "na" => Agrees::Feminine,
        _ => return None,
    };
    one(ordinal(integer(digits)?, agrees)?)
}

/// Whether a number here names a thing, and so is read digit by digit.
fn named(p: Place<'_>) -> bool {
    let before = p.before().to_lowercase();
    let bare = before.trim_end_matches(['.', ':']);
    // "No" is short for "número" with its point only.
    let denial = bare == "no" && !p.words[p.at - 1].trail.starts_with('.');
    IDENTIFIERS.contains(&bare) && !denial
}

/// A number after "extensión", "código", "caso" and the like, or one too long to be a count: digit by digit.
fn identifier(p: Place<'_>) -> Match {
    let core = p.core().trim_start_matches('#');
    if !is_digits(core) {
        return None;
    }
    let sign = if p.core().starts_with('#') { "número " } else { "" };
    let named = named(p) || !sign.is_empty();
    let spelled_out =
        core.len() >= 5 || core.starts_with('0') && core.len() > 1 || (named && core.len() >= 3);
    if spelled_out {
        return one(format!("{sign}{}", spelled(core)));
    }
    if sign.is_empty() { None } else { one(format!("{sign}{}", alone(core)?)) }
}

/// `1/2`, `24/7`, `y/o`.
fn fraction(p: Place<'_>) -> Match {
    let (a, b) = p.core().split_once('/')?;
    let counts = noun_after(p).is_some();
    match (a, b) {
        ("1", "2") if counts => match noun_after(p).map_or(Agrees::Masculine, tables::gender) {
            Agrees::Feminine => one("media"),
            _ => one("medio"),
        },
        ("1", "2") => one("un medio"),
        ("1", "3") => one("un tercio"),
        ("2", "3") => one("dos tercios"),
        ("1", "4") => one("un cuarto"),
        ("3", "4") => one("tres cuartos"),
        ("c" | "s" | "p", "u" | "n" | "") => None,
        _ if is_digits(a) && is_digits(b) => one(format!("{} {}", alone(a)?, alone(b)?)),
        _ if !a.is_empty() && !b.is_empty() => one(format!("{a} {}", b.replace('/', " "))),
        _ => None,
    }
}

/// `8-5`, `10–15 días`.
fn range(p: Place<'_>) -> Match {
    let (from, to) = p.core().split_once(['-', '–', '—'])?;
    let to_agrees = noun_after(p).map_or(Agrees::Alone, tables::gender);
    one(format!("{} a {}", alone(from)?, plain(to, to_agrees)?))
}

/// `5 mi`, `10 km`, `72°F`, `30mph`.
fn unit(p: Place<'_>) -> Match {
    let core = p.core();
    let number = core.trim_end_matches(|c: char| c.is_alphabetic() || c == '°' || c == '.' || c == '/');
    let attached = &core[number.len()..];
    let (count, name) = if attached.is_empty() { (2, p.ahead(1)) } else { (1, attached) };
    if count == 2 && !p.joins_next() {
        return None;
    }
    let name = name.strip_suffix('.').unwrap_or(name);
    let (_, singular, plural, agrees) = UNITS.iter().find(|(short, ..)| *short == name)?;
    let (sign, number) = match number.strip_prefix(['-', '−']) {
        Some(number) => ("menos ", number),
        None => ("", number),
    };
    let words = plain(number, *agrees)?;
    let name = if integer(number) == Some(1) { singular } else { plural };
    taking(count, format!("{sign}{words} {name}"))
}

/// The number of a house: before an English street's name, or after a Spanish one.
fn house_number(p: Place<'_>) -> Match {
    let core = p.core();
    if !(is_digits(core) && core.len() <= 5) {
        return None;
    }
    let english = is_capitalised(p.ahead(1))
        && p.joins_next()
        && (1..=4).any(|n| STREETS_AFTER.iter().any(|(short, _)| *short == p.ahead(n).trim_end_matches('.')));
    let kind = |n: usize| STREETS_BEFORE.contains(&p.back(n).to_lowercase().trim_end_matches(['.', '/']));
    let spanish = is_capitalised(p.before()) && (2..=4).any(kind);
    (english || spanish).then(|| (1, vec![Spoken::said(house(core))]))
}

/// The noun that a number here counts.
fn noun_after(p: Place<'_>) -> Option<&str> {
    let next = p.ahead(1);
    let noun = p.joins_next()
        && next.chars().next().is_some_and(char::is_lowercase)
        && !NO_NOUNS.contains(&next)
        && !["mil", "millón", "millones"].contains(&next);
    noun.then_some(next)
}

fn number(p: Place<'_>) -> Match {
    let core = p.core();
    let first = core.chars().next()?;
    let (sign, rest) = match first {
        '-' | '−' => ("menos ", &core[first.len_utf8()..]),
        '+' => ("más ", &core[1..]),
        '~' | '≈' => ("unos ", &core[first.len_utf8()..]),
        '<' => ("menos de ", &core[1..]),
        '>' => ("más de ", &core[1..]),
        _ => ("", core),
    };
    if let Some(rest) = rest.strip_prefix('.').filter(|rest| is_digits(rest)) {
        return one(format!("{sign}punto {}", digit_words(rest.chars())));
    }
    let (rest, more) = rest.strip_suffix('+').map_or((rest, ""), |rest| (rest, " o más"));
    let agrees = match noun_after(p) {
        Some(noun) => tables::gender(noun),
        None if ["mil", "millón", "millones"].contains(&p.ahead(1)) => Agrees::Masculine,
        None => Agrees::Alone,
    };
    let agrees = if more.is_empty() { agrees } else { Agrees::Alone };
    let words = plain(rest, agrees)?;
    let of = if integer(rest).is_some_and(takes_de) && noun_after(p).is_some() { " de" } else { "" };
    one(format!("{sign}{words}{of}{more}"))
}

/// `30-días`, `COVID-19`: each part by itself.
fn compound(p: Place<'_>) -> Match {
    let parts: Vec<&str> = p.core().split('-').collect();
    let fits = parts.len() > 1
        && p.core().contains(|c: char| c.is_ascii_digit())
        && parts.iter().all(|part| !part.is_empty() && part.chars().all(char::is_alphanumeric));
    if !fits {
        return None;
    }
    let words: Vec<String> =
        parts.iter().map(|part| alone(part).unwrap_or_else(|| (*part).to_owned())).collect();
    one(words.join(" "))
}

// ---------------------------------------------------------------- short forms

/// Short forms of several words: `EE. UU.`, `p. ej.`, `a. m.`.
fn phrase(p: Place<'_>) -> Match {
    let joined = p.here().trail == ".";
    let (first, second) = (p.core().to_lowercase(), p.ahead(1).to_lowercase());
    match (first.as_str(), second.as_str()) {
        ("ee", "uu") if joined => taking(2, "Estados Unidos"),
        ("ee.uu" | "eeuu", _) => one("Estados Unidos"),
        ("p", "ej") if joined => taking(2, "por ejemplo"),
        ("p.ej", _) => one("por ejemplo"),
        ("a", "m") if joined => taking(2, "de la mañana"),
        ("p", "m") if joined => taking(2, "de la tarde"),
        ("a.m" | "am", _) => one("de la mañana"),
        ("p.m" | "pm", _) => one("de la tarde"),
        _ => None,
    }
}

/// `Main St.`: an English street's short form after its name.
fn street(p: Place<'_>) -> Match {
    let named = is_capitalised(p.before()) || p.before().starts_with(|c: char| c.is_ascii_digit());
    let core = p.core().trim_end_matches('.');
    if named && p.words[p.at.checked_sub(1)?].trail.is_empty() {
        return one(STREETS_AFTER.iter().find(|(short, full)| *short == core && short != full)?.1);
    }
    None
}

fn abbreviation(p: Place<'_>) -> Match {
    let lower = p.core().to_lowercase();
    let bare = lower.strip_suffix('.').unwrap_or(&lower);
    let dotted = bare.len() < lower.len() || p.here().trail.starts_with('.');
    let (_, full, needs_dot) = ABBREVIATIONS.iter().find(|(short, ..)| *short == bare)?;
    ((dotted || !needs_dot) && fits(p, bare)).then(|| (1, vec![Spoken::said(*full)]))
}

/// Whether what stands around a short form (lower case) lets it be one. "No.", "col." and "art." end sentences too.
fn fits(p: Place<'_>, short: &str) -> bool {
    let (before, next) = (p.before().to_lowercase(), p.ahead(1));
    let digit = next.starts_with(|c: char| c.is_ascii_digit());
    let goes_on = !next.is_empty() && p.here().trail.trim_start_matches('.').is_empty();
    match short {
        // "Diga sí o no. 2 es la otra" is an answer and a number.
        "no" => goes_on && digit && !tables::ANSWERS.contains(&before.as_str()),
        "num" | "tel" | "cel" | "art" | "cap" => goes_on && (digit || ["de", "es"].contains(&next)),
        "sr" | "dr" | "lic" | "ing" | "arq" | "prof" | "gob" | "col" | "sto" | "sta" => {
            goes_on && is_capitalised(next)
        }
        "carr" | "calz" | "cp" => goes_on,
        _ => true,
    }
}

/// Signs that stand for words; other lone signs are not spoken.
fn symbol(p: Place<'_>) -> Match {
    match p.core() {
        "&" => one("y"),
        "+" => one("más"),
        "@" => one("arroba"),
        "=" => one("igual a"),
        "%" => one("por ciento"),
        "-" | "–" | "—" if p.at > 0 => one("a"),
        "-" | "–" | "—" | "*" | "•" | "|" | "/" | "#" | "$" | "~" => one(""),
        core if core.contains('&') => one(core.replace('&', " y ")),
        _ => None,
    }
}
