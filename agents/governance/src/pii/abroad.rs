//! Streets as other countries write them: "Hauptstraße 45, 10115 Berlin", "12 rue de Rivoli", "Via Roma 7". Written ones
//! alone: who says such an address to an office of this country gives it in its own manner.

use super::calles::{counts, house_before, number};
use super::lexicon::{class, hash_of, hashes_of};
use super::places::{tail, trailing_town};
use super::scan::Scan;
use super::token::{Form, Token};

/// Words of a street's name, particles aside.
const LONGEST_NAME: usize = 4;
/// Ends of words that are a street: "Hauptstraße", "Keizersgracht", "Drottninggatan".
const ENDS: [&str; 17] = [
    "strasse", "straße", "str", "gasse", "weg", "platz", "allee", "ufer", "damm", "laan", "straat", "plein",
    "gracht", "kade", "gatan", "vej", "gade",
];
/// Kinds of street that stand behind the name as a word of their own.
const BEHIND: [u64; 12] = hashes_of([
    "str", "strasse", "straße", "platz", "weg", "allee", "gasse", "damm", "ufer", "laan", "straat", "utca",
]);
/// Kinds that stand before it, which are no words of English or Spanish.
const BEFORE: [u64; 27] = hashes_of([
    "rue",
    "carrer",
    "rua",
    "viale",
    "vicolo",
    "piazza",
    "piazzale",
    "strada",
    "corso",
    "allee",
    "chemin",
    "impasse",
    "quai",
    "ulica",
    "ul",
    "travessa",
    "praca",
    "passeig",
    "bulevardul",
    "calea",
    "jalan",
    "jl",
    "lungomare",
    "contrada",
    "avinguda",
    "placa",
    "faubourg",
]);
/// Kinds that are such words: they count as a name is written, or after a number and before "de".
const DOUBTFUL: [u64; 13] = hashes_of([
    "via",
    "largo",
    "cours",
    "place",
    "avenue",
    "boulevard",
    "square",
    "vista",
    "plaza",
    "loma",
    "cuesta",
    "rancho",
    "valle",
]);
/// Small words within a name.
const WITHIN: [u64; 13] =
    hashes_of(["de", "des", "du", "d", "la", "le", "les", "do", "da", "dos", "das", "del", "della"]);

/// A street whose kind stands at this token, or is its end.
pub(super) fn street(scan: &Scan<'_>, at: usize) -> Option<(usize, usize)> {
    let token = scan.toks.get(at).filter(|t| t.is_word() && t.len() > 1)?;
    let (from, end) = in_one_word(scan, at, token)
        .or_else(|| kind_behind(scan, at, token))
        .or_else(|| kind_before(scan, at, token))?;
    let after = tail(scan, end);
    Some((from, if after > end { after } else { coded_town(scan, end).unwrap_or(end) }))
}

/// "45", "45a", "12-14".
fn house(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let token = scan.toks.get(at).filter(|t| !t.new_line)?;
    let short = match token.form {
        Form::Digits => token.len() <= 4,
        Form::Mixed => token.len() <= 5 && scan.word(at).starts_with(|c: char| c.is_ascii_digit()),
        _ => false,
    };
    short.then(|| number(scan, at)).flatten()
}

fn point(scan: &Scan<'_>, at: usize) -> usize {
    usize::from(scan.sign(at, '.') && scan.glued(at))
}

fn in_one_word(scan: &Scan<'_>, at: usize, token: &Token) -> Option<(usize, usize)> {
    let named = token.title() && !token.is(class::WORD | class::ES_WORD);
    let end = house(scan, at + 1 + point(scan, at + 1)).filter(|_| named)?;
    let word = scan.word(at).to_lowercase();
    ENDS.iter().find_map(|kind| word.strip_suffix(kind)).filter(|name| name.chars().count() >= 3)?;
    // "Bahnhofstr. 3" is short for its kind.
    (!word.ends_with("str") || scan.sign(at + 1, '.')).then_some((begin(scan, at), end))
}

fn kind_behind(scan: &Scan<'_>, at: usize, token: &Token) -> Option<(usize, usize)> {
    let kind = token.title() && BEHIND.contains(&token.hash) && at > 0;
    let end = house(scan, at + 1 + point(scan, at + 1)).filter(|_| kind)?;
    let before = at - 1 - usize::from(scan.sign(at - 1, '-') && at > 1);
    scan.toks[before].title().then(|| (begin(scan, before), end))
}

/// Where a name of several words with hyphens begins: "Karl-Marx-Straße".
fn begin(scan: &Scan<'_>, at: usize) -> usize {
    let mut from = at;
    while from > 1
        && at - from < 6
        && scan.sign(from - 1, '-')
        && scan.glued(from)
        && scan.toks[from - 2].is_word()
    {
        from -= 2;
    }
    from
}

fn kind_before(scan: &Scan<'_>, at: usize, token: &Token) -> Option<(usize, usize)> {
    let doubtful = DOUBTFUL.contains(&token.hash);
    if !doubtful && !BEFORE.contains(&token.hash) {
        return None;
    }
    let comma = usize::from(at > 0 && scan.sign(at - 1, ','));
    let from = house_before(scan, at - comma);
    let digit = at.checked_sub(comma + 1).filter(|n| {
        let token = &scan.toks[*n];
        token.form == Form::Digits && token.len() == 1 && (token.spaced || *n == 0)
    });
    let from = if from < at - comma { from } else { digit.unwrap_or(at) };
    let mut name = at + 1 + point(scan, at + 1);
    while name < at + 5 && (scan.one_of(name, &WITHIN) || scan.sign(name, '\'') || scan.sign(name, '’')) {
        name += 1;
    }
    let small = name > at + 1 + point(scan, at + 1);
    if doubtful && !(small && from < at) && !(token.title() && scan.hash_is(at, hash_of("via"))) {
        return None;
    }
    let mut end = name;
    while end < name + LONGEST_NAME + 2
        && scan.toks.get(end).is_some_and(|t| {
            !t.new_line
                && (t.title() || end > name && (scan.one_of(end, &WITHIN) || t.sign('-') && scan.glued(end)))
        })
    {
        end += 1;
    }
    while end > name && !scan.toks[end - 1].title() {
        end -= 1;
    }
    if end == name {
        return None;
    }
    if from < at {
        return Some((from, end));
    }
    let after = house(scan, end + usize::from(scan.sign(end, ',')))?;
    let named = scan.toks.get(after).is_some_and(Token::title);
    (named || !counts(scan, after)).then_some((at, after))
}

/// "1012 AB Amsterdam", "CH-8001 Zürich", "00-950 Warszawa": a postal code that is not of five digits, and its town.
fn coded_town(scan: &Scan<'_>, street_end: usize) -> Option<usize> {
    let mut at = street_end + usize::from(scan.sign(street_end, ','));
    let country = scan.toks.get(at).is_some_and(|t| t.is_word() && t.len() <= 2);
    at += if country && scan.sign(at + 1, '-') { 2 } else { 0 };
    let digits = |n: usize, length: usize| {
        scan.toks.get(n).is_some_and(|t| t.form == Form::Digits && t.len() == length)
    };
    let end = if digits(at, 4) {
        let letters = scan.toks.get(at + 1).is_some_and(|t| t.is_word() && t.len() == 2 && !t.title());
        at + 1 + usize::from(letters)
    } else if digits(at, 2) && scan.sign(at + 1, '-') && digits(at + 2, 3) {
        at + 3
    } else if digits(at, 3) && digits(at + 1, 2) {
        at + 2
    } else {
        return None;
    };
    let town = trailing_town(scan, end);
    (town > end).then_some(town)
}
