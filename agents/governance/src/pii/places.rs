//! What follows a street in an address: a flat, a town, a state, a postal code.

use super::lexicon::{class, hash_of, hashes_of};
use super::numbers::{Digits, said_apart, spoken};
use super::quarters::quarter;
use super::scan::Scan;
use super::token::{Case, Form, Token};

/// Words of a town's name.
const LONGEST_TOWN: usize = 3;
/// Words after the name of a state that make it a town's.
const CITIES: [u64; 5] = hashes_of(["city", "beach", "springs", "falls", "heights"]);
/// States as they were written before they had two letters; a postal code has to follow.
const OLD_STATES: [u64; 32] = hashes_of([
    "ala", "ariz", "ark", "calif", "cal", "colo", "conn", "fla", "ill", "ind", "kan", "kans", "mass", "mich",
    "minn", "miss", "mont", "neb", "nebr", "nev", "okla", "ore", "oreg", "penn", "penna", "tenn", "tex",
    "wash", "wis", "wisc", "wyo", "dak",
]);
/// Countries as they end an address.
const COUNTRIES: [u64; 33] = hashes_of([
    "usa",
    "germany",
    "deutschland",
    "france",
    "italy",
    "italia",
    "spain",
    "espana",
    "mexico",
    "canada",
    "ireland",
    "england",
    "scotland",
    "wales",
    "portugal",
    "brazil",
    "brasil",
    "poland",
    "polska",
    "netherlands",
    "nederland",
    "belgium",
    "switzerland",
    "austria",
    "sweden",
    "norway",
    "denmark",
    "finland",
    "india",
    "philippines",
    "japan",
    "australia",
    "peru",
]);

/// The end of all that follows a street which ended at this token.
pub(super) fn tail(scan: &Scan<'_>, street_end: usize) -> usize {
    let mut end = street_end;
    for _ in 0..3 {
        let at = passed(scan, end);
        match unit(scan, at).or_else(|| numbered(scan, at)).or_else(|| quarter(scan, at)) {
            Some(after) => end = after,
            None => break,
        }
    }
    let end = town(scan, end).unwrap_or(end);
    country(scan, end).unwrap_or(end)
}

/// ", Germany", ", United Kingdom" at the end.
fn country(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let name = at + 1;
    if !scan.sign(at, ',') {
        return None;
    }
    let kingdom = scan.hash_is(name, hash_of("united"))
        && scan.one_of(name + 1, &const { hashes_of(["kingdom", "states"]) });
    let south = scan.hash_is(name, hash_of("new")) && scan.hash_is(name + 1, hash_of("zealand"));
    let short = scan.hash_is(name, hash_of("uk"));
    if kingdom || south {
        return Some(name + 2);
    }
    (short || scan.one_of(name, &COUNTRIES)).then_some(name + 1)
}

/// Whether a tail over these tokens holds a flat or a state: no other word follows a number and a name like that.
pub(super) fn is_certain(scan: &Scan<'_>, from: usize, to: usize) -> bool {
    scan.toks[from..to]
        .iter()
        .any(|t| t.is(class::UNIT | class::STATE | class::STATE_ABBR | class::STATE_SECOND | class::PLACE))
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
    if scan.one_of(at, &const { hashes_of(["upstairs", "downstairs"]) }) {
        let flat = scan.one_of(at + 1, &const { hashes_of(["unit", "apartment", "apt", "flat"]) });
        return Some(at + 1 + usize::from(flat));
    }
    let article = ["en", "el", "la", "in"].iter().any(|w| scan.hash_is(at, hash_of(w)));
    if article && scan.is(at + 1, class::UNIT) {
        return unit(scan, at + 1);
    }
    if let Some(end) = story(scan, at) {
        return Some(end);
    }
    if !token.is(class::UNIT) && !token.sign('#') {
        return None;
    }
    // Florida has a postal code behind it.
    if scan.hash_is(at, hash_of("fl"))
        && scan.toks.get(at + 1).is_none_or(|t| t.form != Form::Digits || t.len() > 2)
    {
        return None;
    }
    let mut next = at + 1;
    for _ in 0..2 {
        let small = ["number", "numero", "no"].iter().any(|word| scan.hash_is(next, hash_of(word)));
        next += usize::from(small || scan.sign(next, '.') || scan.sign(next, '#'));
    }
    let value = scan.toks.get(next)?;
    let end = match value.form {
        Form::Digits => said_apart(scan, next, 4).map_or(next + 1, |(_, end)| end),
        Form::Mixed => next + 1,
        _ if value.is(class::NUMBER) => spoken_number(scan, next, 4)?,
        _ if value.is_letter() => {
            // "Apt C-22".
            let number = scan.sign(next + 1, '-')
                && scan.glued(next + 1)
                && scan.glued(next + 2)
                && scan.toks.get(next + 2).is_some_and(|t| t.form == Form::Digits);
            return Some(if number { next + 3 } else { next + 1 });
        }
        _ => return None,
    };
    let dash = usize::from(scan.sign(end, '-') && scan.glued(end));
    let letter = scan.toks.get(end + dash).is_some_and(|t| {
        t.is_letter() && (!t.is(class::FUNCTION) || t.case != Case::Lower || closes(scan, end + 1))
    });
    Some(if letter { end + dash + 1 } else { end })
}

/// "3º izquierda", "2ºD", "4° B", "bajo B", "tercero derecha".
fn story(scan: &Scan<'_>, at: usize) -> Option<usize> {
    const SIDES: [&str; 12] = [
        "izquierda",
        "izq",
        "izqda",
        "derecha",
        "dcha",
        "der",
        "dcho",
        "centro",
        "interior",
        "exterior",
        "left",
        "right",
    ];
    let degree = |n: usize| scan.sign(n, '°') && scan.glued(n);
    let side = |n: usize| {
        let n = n + usize::from(scan.sign(n, '-') && scan.glued(n));
        let letter = scan
            .toks
            .get(n)
            .is_some_and(|t| t.is_letter() && (!t.is(class::FUNCTION) || t.case != Case::Lower));
        (letter || SIDES.iter().any(|w| scan.hash_is(n, hash_of(w))))
            .then(|| n + 1 + usize::from(!letter && scan.sign(n + 1, '.') && scan.glued(n + 1)))
    };
    let token = scan.toks.get(at)?;
    if token.form == Form::Mixed && scan.word(at).contains(['º', 'ª']) {
        return Some(side(at + 1).unwrap_or(at + 1));
    }
    if token.form == Form::Digits && degree(at + 1) {
        return Some(side(at + 2).unwrap_or(at + 2));
    }
    let floor = ["bajo", "bajos", "entresuelo", "atico"].iter().any(|w| scan.hash_is(at, hash_of(w)));
    let ordinal = ["cuarto", "quinto", "sexto", "septimo", "octavo", "noveno", "decimo"];
    if floor || token.is(class::ORDINAL) || ordinal.iter().any(|w| scan.hash_is(at, hash_of(w))) {
        return side(at + 1);
    }
    None
}

/// "number twelve" right after a street.
fn numbered(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let said = scan.hash_is(at, hash_of("number")) || scan.hash_is(at, hash_of("numero"));
    let digits = |n: usize| scan.toks.get(n).is_some_and(|t| t.form == Form::Digits && t.len() <= 4);
    let number = || spoken_number(scan, at + 1, 4).or_else(|| digits(at + 1).then_some(at + 2));
    let end = said.then(number).flatten()?;
    let letter = scan.toks.get(end).is_some_and(|t| t.is_letter() && !t.is(class::FUNCTION));
    Some(end + usize::from(letter))
}

pub(super) fn closes(scan: &Scan<'_>, at: usize) -> bool {
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
    if let Some(end) = before_state(scan, start) {
        return Some(end);
    }
    let mut words = 0;
    let mut towns = 1;
    loop {
        let at = start + words;
        let state_at = at + usize::from(scan.sign(at, ','));
        // "Nevada City, CA", "Virginia Beach".
        if scan.is(at, class::STATE) && scan.one_of(at + 1, &CITIES) {
            words += 2;
            continue;
        }
        if let Some(state_end) = state(scan, state_at).or_else(|| said_state(scan, start, state_at, comma)) {
            // New York is a town too.
            let again = state_end + usize::from(scan.sign(state_end, ','));
            let state_end = state(scan, again).unwrap_or(state_end);
            return Some(code(scan, state_end).unwrap_or(state_end));
        }
        let coded = state_at + code_word(scan, state_at);
        if let Some(zip_end) = written_code(scan, coded).filter(|_| words > 0 || comma || coded > state_at) {
            return Some(trailing_town(scan, zip_end));
        }
        if words > 0
            && let Some(zip_end) = spoken_code(scan, state_at)
        {
            return Some(zip_end);
        }
        // "Westminster, London SW1A 2AA".
        if towns == 1 && words > 0 && scan.sign(at, ',') && scan.glued(at) {
            (words, towns) = (words + 1, 2);
            continue;
        }
        if !names_town(scan, at) || words >= towns * (LONGEST_TOWN + 1) - 1 {
            break;
        }
        words += 1;
        words += usize::from(
            scan.sign(start + words, '.') && scan.glued(start + words) && scan.toks[at].len() <= 2,
        );
    }
    let alone = town_alone(scan, start, comma || start > after);
    // "place north rhonda": the direction was of the town, not of the street.
    let directed = |at: usize| scan.is(at, class::DIRECTION) && !scan.is(at + 1, class::WORD);
    alone.or_else(|| end.checked_sub(1).filter(|at| directed(*at)).and_then(|at| town_alone(scan, at, false)))
}

/// "show low arizona eight five nine oh two": ordinary words are a town where the name of a state follows them.
fn before_state(scan: &Scan<'_>, start: usize) -> Option<usize> {
    let part = |t: &Token| {
        t.is_word() && !t.new_line && !t.is(class::FUNCTION | class::NUMBER | class::FILLER | class::QUANTITY)
    };
    // "el paso texas".
    let article = usize::from(scan.is(start, class::PARTICLE) && scan.toks[start].is_word());
    let words = scan
        .toks
        .get(start + article..)?
        .iter()
        .take(LONGEST_TOWN)
        .take_while(|t| part(t) && !t.is(class::STATE))
        .count();
    let start = start + article;
    // "las cruces nuevo méxico".
    let of_two =
        |n: &usize| scan.is(start + n, class::STATE_FIRST) && scan.is(start + n + 1, class::STATE_SECOND);
    let words = (1..words).find(of_two).unwrap_or(words);
    let named = scan.is(start + words, class::STATE | class::STATE_FIRST);
    let end = state(scan, start + words).filter(|_| words > 0 && named)?;
    Some(code(scan, end).unwrap_or(end))
}

fn names_town(scan: &Scan<'_>, at: usize) -> bool {
    let names = |n: usize| {
        scan.toks.get(n).is_some_and(|t| {
            t.is_word() && !t.is(class::FUNCTION) && (t.case == Case::Title || !stops(scan, n))
        })
    };
    // "Los Ángeles", "San Luis de la Paz".
    let article = scan.is(at, class::PARTICLE)
        && scan.toks.get(at + 1).is_some_and(|t| {
            t.title() || t.is(class::PLACE | class::LAST) || !t.is(class::WORD | class::FUNCTION)
        })
        && names(at + 1);
    names(at) || article
}

/// "tulsa ok", "dorchester ma": a state's two letters in lower case, after a town. Those that are small words too need
/// the end of the clause after them.
fn said_state(scan: &Scan<'_>, town: usize, at: usize, comma: bool) -> Option<usize> {
    const SMALL: [&str; 10] = ["in", "or", "me", "hi", "de", "as", "la", "al", "oh", "co"];
    let token =
        scan.toks.get(at).filter(|t| t.is(class::STATE_ABBR) && t.case == Case::Lower && at > town)?;
    let last = scan.toks.get(at.checked_sub(1)?)?;
    let named =
        comma || scan.sign(at - 1, ',') || last.is(class::PLACE) || !last.is(class::WORD | class::FUNCTION);
    let small = SMALL.iter().any(|w| token.hash == hash_of(w));
    let ordinary = token.is(class::WORD | class::FUNCTION | class::FILLER);
    let fits = if small { named && closes(scan, at + 1) } else { named || !ordinary };
    fits.then_some(at + 1)
}

/// Ordinary words that end the address in spoken text.
fn stops(scan: &Scan<'_>, at: usize) -> bool {
    scan.is(at, class::WORD)
        && !scan.is(at, class::PLACE | class::DIRECTION | class::SUFFIX_ST | class::SUFFIX_RARE | class::LAST)
}

fn town_alone(scan: &Scan<'_>, start: usize, comma: bool) -> Option<usize> {
    let token = scan.toks.get(start)?;
    // "unit one nineteen kansas city".
    if token.is(class::STATE) && scan.one_of(start + 1, &CITIES) {
        return Some(start + 2);
    }
    // "Wilkes-Barre".
    let joined = scan.sign(start + 1, '-') && scan.glued(start + 1) && scan.glued(start + 2);
    if comma && joined && token.title() && scan.toks.get(start + 2).is_some_and(Token::title) {
        return Some(start + 3);
    }
    if token.is(class::PLACE) && !token.is(class::WORD) && !scan.is(start + 1, class::ORG) {
        return Some(start + 1);
    }
    let name = |at: usize| scan.toks.get(at).is_some_and(|t| t.title() && !t.is(class::FUNCTION));
    // "Lake Tara", "West Davidhaven", said without a sign too.
    const BEFORE: [&str; 14] = [
        "lake", "port", "new", "north", "south", "east", "west", "saint", "fort", "san", "santa", "los",
        "las", "el",
    ];
    let second = scan.toks.get(start + 1).filter(|t| {
        t.is_word()
            && !t.is(class::FUNCTION | class::NUMBER)
            && (t.title() || !t.is(class::WORD | class::ES_WORD) || t.is(class::LAST))
    });
    if BEFORE.iter().any(|w| scan.hash_is(start, hash_of(w)))
        && second.is_some_and(|t| t.title() == token.title())
    {
        return Some(start + 2);
    }
    let known = class::WORD | class::FIRST | class::LAST | class::FUNCTION | class::CUE | class::FILLER;
    if token.is_word()
        && !token.title()
        && token.len() > 3
        && !token.is(known | class::NUMBER | class::ES_FUNCTION)
    {
        // A long word that is in no list, right after a street.
        return Some(start + 1);
    }
    // "twelve sunset court lodi": a name of no person, or one at the end.
    let surname = token.is_word() && !token.title() && token.is(class::LAST) && !token.is(class::WORD);
    let after_in = start > 0 && ["in", "en"].iter().any(|w| scan.hash_is(start - 1, hash_of(w)));
    if surname && (!token.is(class::FIRST) || after_in && closes(scan, start + 1)) {
        return Some(start + 1);
    }
    // "Las Cruces".
    if comma && token.title() && token.is(class::PARTICLE) && name(start + 1) {
        return Some(start + 2);
    }
    if comma && let Some(end) = titled(scan, start) {
        return Some(end);
    }
    let own = comma && name(start) && !token.is(class::WORD | class::FIRST);
    own.then(|| start + 1 + usize::from(name(start + 1) && !scan.is(start + 1, class::WORD)))
}

/// ", Half Moon Bay;": words that are a town's as they stand, two or three before the end of a clause.
fn titled(scan: &Scan<'_>, start: usize) -> Option<usize> {
    let words = scan.toks[start..]
        .iter()
        .take(LONGEST_TOWN + 1)
        .take_while(|t| t.title() && t.len() > 1 && !t.new_line && !t.is(class::FUNCTION | class::TITLE))
        .count();
    let end = start + words;
    let closed = scan.toks.get(end).is_none_or(Token::is_stop);
    let person = scan.is(start, class::FIRST) && !scan.is(start, class::WORD);
    ((2..=LONGEST_TOWN).contains(&words) && closed && !person).then_some(end)
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

/// "28001 Madrid", "03940 Ciudad de México".
pub(super) fn trailing_town(scan: &Scan<'_>, at: usize) -> usize {
    const BEFORE: [&str; 12] =
        ["ciudad", "san", "santa", "santiago", "la", "las", "los", "el", "villa", "puerto", "palma", "nueva"];
    let start = at + usize::from(scan.sign(at, ','));
    let word = |n: usize| scan.toks.get(n).filter(|t| t.is_word() && !t.new_line);
    let begins = word(start).is_some_and(|t| {
        t.is(class::PLACE) || t.title() && (!t.is(class::WORD) || BEFORE.iter().any(|w| t.hash == hash_of(w)))
    });
    if !begins {
        return at;
    }
    let mut end = start + 1;
    while end < start + 4 {
        let named = |n: usize| word(n).is_some_and(|t| t.title() && !t.is(class::FUNCTION));
        if named(end) {
            end += 1;
        } else if word(end).is_some_and(|t| t.is(class::PARTICLE) && t.len() > 1) && named(end + 1) {
            end += 2;
        } else if scan.is(end, class::PARTICLE) && scan.is(end + 1, class::PARTICLE) && named(end + 2) {
            end += 3;
        } else {
            break;
        }
    }
    end
}

/// The end of a state's name or abbreviation.
pub(super) fn state(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let token = scan.toks.get(at)?;
    if token.is(class::STATE_FIRST) && scan.is(at + 1, class::STATE_SECOND) {
        return Some(at + 2);
    }
    if scan.hash_is(at, hash_of("washington")) {
        let point = usize::from(scan.sign(at + 2, '.'));
        let spelled = scan.hash_is(at + 1, hash_of("d")) && scan.hash_is(at + 2 + point, hash_of("c"));
        let together = scan.hash_is(at + 1, hash_of("dc"));
        return Some(if together {
            at + 2
        } else if spelled {
            at + 3 + 2 * point
        } else {
            at + 1
        });
    }
    if token.is(class::STATE) {
        return Some(at + 1);
    }
    // "Tenn. 38506".
    let point = usize::from(scan.sign(at + 1, '.') && scan.glued(at + 1));
    if token.title() && scan.one_of(at, &OLD_STATES) && written_code(scan, at + 1 + point).is_some() {
        return Some(at + 1 + point);
    }
    // Ontario, which is a small word else.
    if scan.hash_is(at, hash_of("on")) && token.case == Case::Upper && lettered_code(scan, at + 1).is_some() {
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
    let at = at + code_word(scan, at);
    written_code(scan, at).or_else(|| said_lettered_code(scan, at)).or_else(|| {
        let end = spoken_number(scan, at, 5)?;
        (end >= at + 2).then_some(end)
    })
}

/// "zip code", "C.P.": the words before a postal code.
fn code_word(scan: &Scan<'_>, at: usize) -> usize {
    let word = |n: usize, w: &str| scan.hash_is(n, hash_of(w));
    if word(at, "zip") || word(at, "postal") || word(at, "codigo") {
        return 1 + usize::from(word(at + 1, "code") || word(at + 1, "postal"));
    }
    if word(at, "cp") {
        return 1 + usize::from(scan.sign(at + 1, '.'));
    }
    let letters = word(at, "c") && scan.sign(at + 1, '.') && word(at + 2, "p") && scan.sign(at + 3, '.');
    if letters { 4 } else { 0 }
}

/// Five digits that are said one by one or in pairs after a town: "eugene ninety seven four oh one".
fn spoken_code(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let end = spoken_number(scan, at, 5).filter(|end| *end >= at + 3)?;
    let mut digits = Digits::default();
    let mut next = at;
    while next < end {
        let (more, after) = spoken(scan, next)?;
        digits.append(&more);
        next = after;
    }
    (digits.len() == 5 && !scan.is(end, class::NUMBER)).then_some(end)
}

fn written_code(scan: &Scan<'_>, at: usize) -> Option<usize> {
    if let Some(end) = lettered_code(scan, at) {
        return Some(end);
    }
    if let Some((5, end)) = said_apart(scan, at, 5) {
        return Some(end);
    }
    let five = scan.toks.get(at).is_some_and(|t| t.form == Form::Digits && t.len() == 5);
    let four = scan.sign(at + 1, '-')
        && scan.glued(at + 1)
        && scan.toks.get(at + 2).is_some_and(|t| t.form == Form::Digits && t.len() == 4);
    five.then_some(if four { at + 3 } else { at + 1 })
}

/// "CB10 2AS", "S6H 2L1", "M5V3L9": postal codes of Britain and Canada.
fn lettered_code(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let shape =
        |n: usize| scan.toks.get(n).filter(|t| t.form == Form::Mixed).map(|_| scan.word(n).as_bytes());
    let is = |word: &[u8], form: &[u8]| {
        word.len() == form.len()
            && word
                .iter()
                .zip(form)
                .all(|(c, f)| if *f == b'9' { c.is_ascii_digit() } else { c.is_ascii_uppercase() })
    };
    let first = shape(at)?;
    if is(first, b"A9A9A9") {
        return Some(at + 1);
    }
    let second = shape(at + 1)?;
    // "F91 K2X7", of Ireland.
    let ireland = is(first, b"A99") && second.len() == 4 && second.iter().all(u8::is_ascii_alphanumeric);
    let canada = is(first, b"A9A") && is(second, b"9A9");
    let britain = is(second, b"9AA")
        && [&b"A9"[..], b"A99", b"AA9", b"AA99", b"A9A", b"AA9A"].iter().any(|form| is(first, form));
    (canada || britain || ireland).then_some(at + 2)
}

/// "k seven m four w six".
fn said_lettered_code(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let part = |n: usize| {
        let token = scan.toks.get(at + n)?;
        (if n.is_multiple_of(2) { token.is_letter() } else { token.is(class::DIGIT) && !token.is_letter() })
            .then_some(())
    };
    (0..6).all(|n| part(n).is_some()).then_some(at + 6)
}
