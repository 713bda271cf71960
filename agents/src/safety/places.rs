//! What follows a street in an address: a flat, a town, a state, a postal code.

use super::lexicon::{class, hash_of};
use super::numbers::{Digits, spoken};
use super::scan::Scan;
use super::token::{Case, Form};

/// Words of a town's name.
const LONGEST_TOWN: usize = 3;

/// The end of all that follows a street which ended at this token.
pub(super) fn tail(scan: &Scan<'_>, street_end: usize) -> usize {
    let mut end = street_end;
    for _ in 0..2 {
        let at = passed(scan, end);
        match unit(scan, at).or_else(|| numbered(scan, at)) {
            Some(after) => end = after,
            None => break,
        }
    }
    town(scan, end).unwrap_or(end)
}

/// The point of "St." and one comma.
fn passed(scan: &Scan<'_>, at: usize) -> usize {
    let dot = usize::from(scan.sign(at, '.') && scan.glued(at));
    at + dot + usize::from(scan.sign(at + dot, ','))
}

/// "Apt 3B", "#4", "apartment three b", "2nd floor", "piso 3".
fn unit(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let token = scan.toks.get(at)?;
    if (token.is(class::ORDINAL) || token.form == Form::Mixed) && scan.is(at + 1, class::UNIT) {
        let after = at + 2;
        let letter = scan.toks.get(after).is_some_and(|t| t.is_letter() && !t.is(class::FUNCTION));
        return Some(after + usize::from(letter));
    }
    if token.is(class::FUNCTION) && scan.is(at + 1, class::UNIT) && scan.hash_is(at, hash_of("en")) {
        return unit(scan, at + 1);
    }
    if !token.is(class::UNIT) && !token.sign('#') {
        return None;
    }
    let mut next = at + 1;
    for _ in 0..2 {
        let small = ["number", "numero", "no"].iter().any(|word| scan.hash_is(next, hash_of(word)));
        next += usize::from(small || scan.sign(next, '.') || scan.sign(next, '#'));
    }
    let value = scan.toks.get(next)?;
    let end = match value.form {
        Form::Digits | Form::Mixed => next + 1,
        _ if value.is(class::NUMBER) => spoken_number(scan, next, 4)?,
        _ if value.is_letter() => return Some(next + 1),
        _ => return None,
    };
    let dash = usize::from(scan.sign(end, '-') && scan.glued(end));
    let letter = scan.toks.get(end + dash).is_some_and(|t| {
        t.is_letter() && (!t.is(class::FUNCTION) || t.case != Case::Lower || closes(scan, end + 1))
    });
    Some(if letter { end + dash + 1 } else { end })
}

/// "number twelve" right after a street.
fn numbered(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let said = scan.hash_is(at, hash_of("number")) || scan.hash_is(at, hash_of("numero"));
    said.then(|| spoken_number(scan, at + 1, 4)).flatten()
}

fn closes(scan: &Scan<'_>, at: usize) -> bool {
    scan.toks.get(at).is_none_or(|t| matches!(t.form, Form::Sign(_)))
}

/// Number words up to so many digits.
pub(super) fn spoken_number(scan: &Scan<'_>, at: usize, most: usize) -> Option<usize> {
    let mut digits = Digits::default();
    let mut end = at;
    while let Some((more, next)) =
        scan.toks.get(end).filter(|t| t.is(class::NUMBER | class::REPEAT)).and_then(|_| spoken(scan, end))
    {
        if digits.len() + more.len() > most {
            break;
        }
        digits.append(&more);
        end = next;
    }
    (end > at).then_some(end)
}

/// The end of a town, state and postal code that begin here.
fn town(scan: &Scan<'_>, end: usize) -> Option<usize> {
    let after = passed(scan, end);
    let comma = after > end;
    let start = after + usize::from(scan.hash_is(after, hash_of("in")) || scan.hash_is(after, hash_of("en")));
    let mut words = 0;
    loop {
        let at = start + words;
        let state_at = at + usize::from(scan.sign(at, ','));
        if let Some(state_end) = state(scan, state_at) {
            // New York is a town too.
            let again = state_end + usize::from(scan.sign(state_end, ','));
            let state_end = state(scan, again).unwrap_or(state_end);
            return Some(code(scan, state_end).unwrap_or(state_end));
        }
        if let Some(zip_end) = written_code(scan, state_at).filter(|_| words > 0 || comma) {
            return Some(trailing_town(scan, zip_end));
        }
        let more = scan.toks.get(at).is_some_and(|t| {
            t.is_word() && !t.is(class::FUNCTION) && (t.case == Case::Title || !stops(scan, at))
        });
        if !more || words == LONGEST_TOWN {
            break;
        }
        words += 1;
    }
    town_alone(scan, start, comma || start > after)
}

/// Ordinary words that end the address in spoken text.
fn stops(scan: &Scan<'_>, at: usize) -> bool {
    scan.is(at, class::WORD)
        && !scan.is(at, class::PLACE | class::DIRECTION | class::SUFFIX_ST | class::SUFFIX_RARE | class::LAST)
}

fn town_alone(scan: &Scan<'_>, start: usize, comma: bool) -> Option<usize> {
    let token = scan.toks.get(start)?;
    if token.is(class::PLACE) && !token.is(class::WORD) && !scan.is(start + 1, class::ORG) {
        return Some(start + 1);
    }
    let name = |at: usize| scan.toks.get(at).is_some_and(|t| t.title() && !t.is(class::FUNCTION));
    // "Lake Tara", "West Davidhaven", said without a sign too.
    const BEFORE: [&str; 9] = ["lake", "port", "new", "north", "south", "east", "west", "saint", "fort"];
    let second = scan.toks.get(start + 1).filter(|t| {
        t.is_word()
            && !t.is(class::FUNCTION | class::NUMBER)
            && (t.title() || !t.is(class::WORD) || t.is(class::LAST))
    });
    if BEFORE.iter().any(|w| scan.hash_is(start, hash_of(w)))
        && second.is_some_and(|t| t.title() == token.title())
    {
        return Some(start + 2);
    }
    let known = class::WORD | class::FIRST | class::LAST | class::FUNCTION | class::CUE | class::FILLER;
    if token.is_word()
        && !token.title()
        && token.len() > 4
        && !token.is(known | class::NUMBER | class::ES_FUNCTION)
    {
        // A long word that is in no list, right after a street.
        return Some(start + 1);
    }
    let own = comma && name(start) && !token.is(class::WORD | class::FIRST);
    own.then(|| start + 1 + usize::from(name(start + 1) && !scan.is(start + 1, class::WORD)))
}

/// "PSC 2367, Box 6799, APO AA 91147", "USS Nimitz, FPO AP 38031".
pub(super) fn military(scan: &Scan<'_>, at: usize) -> Option<(usize, usize)> {
    let named = |n: usize, words: &[&str]| words.iter().any(|w| scan.hash_is(n, hash_of(w)));
    let comma = |n: usize| n + usize::from(scan.sign(n, ','));
    let digits = |n: usize| scan.toks.get(n).is_some_and(|t| t.form == Form::Digits);
    let post = if named(at, &["psc", "cmr", "unit"]) && digits(at + 1) {
        let boxed = comma(at + 2);
        if named(boxed, &["box"]) && digits(boxed + 1) { boxed + 2 } else { at + 2 }
    } else if named(at, &["uss", "usns", "usnv", "usnnv", "uscgc", "usnss"]) {
        at + 2
    } else if named(at, &["apo", "fpo", "dpo"]) {
        at
    } else {
        return None;
    };
    let post = comma(post);
    let fits = named(post, &["apo", "fpo", "dpo"]) && named(post + 1, &["aa", "ae", "ap"]);
    fits.then(|| (at, written_code(scan, post + 2).unwrap_or(post + 2)))
}

/// "28001 Madrid".
fn trailing_town(scan: &Scan<'_>, at: usize) -> usize {
    let town = scan.toks.get(at).is_some_and(|t| t.is(class::PLACE) || (t.title() && !t.is(class::WORD)));
    at + usize::from(town)
}

/// The end of a state's name or abbreviation.
pub(super) fn state(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let token = scan.toks.get(at)?;
    if token.is(class::STATE_FIRST) && scan.is(at + 1, class::STATE_SECOND) {
        return Some(at + 2);
    }
    if scan.hash_is(at, hash_of("washington")) && scan.hash_is(at + 1, hash_of("dc")) {
        return Some(at + 2);
    }
    if token.is(class::STATE) {
        return Some(at + 1);
    }
    if !token.is(class::STATE_ABBR) {
        return None;
    }
    (token.case == Case::Upper || code(scan, at + 1).is_some()).then_some(at + 1)
}

/// The end of a postal code, written or said.
fn code(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let at = at + usize::from(scan.sign(at, ','));
    let skip = ["zip", "code", "postal", "codigo"].iter().any(|w| scan.hash_is(at, hash_of(w)));
    let at = at + usize::from(skip) + usize::from(skip && scan.hash_is(at + 1, hash_of("code")));
    written_code(scan, at).or_else(|| {
        let end = spoken_number(scan, at, 5)?;
        (end >= at + 2).then_some(end)
    })
}

fn written_code(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let five = scan.toks.get(at).is_some_and(|t| t.form == Form::Digits && t.len() == 5);
    let four = scan.sign(at + 1, '-')
        && scan.glued(at + 1)
        && scan.toks.get(at + 2).is_some_and(|t| t.form == Form::Digits && t.len() == 4);
    five.then_some(if four { at + 3 } else { at + 1 })
}
