//! Names by the lists and by letter case alone.

use super::{
    HONORIFICS, LONGEST, inside, is_no_name, loose, name_suffix, ordinary, propose, spelled_after,
    strong_first, strong_last, unknown, widow,
};
use crate::pii::cues::NAME;
use crate::pii::lexicon::{class, hash_of};
use crate::pii::scan::Scan;
use crate::pii::token::{Case, Form, Token};

/// A name that begins here, by lists and letter case; gives the token after it.
pub(super) fn known(scan: &mut Scan<'_>, at: usize, spanish: bool) -> Option<usize> {
    let token = &scan.toks[at];
    if let Some(end) = initials(scan, at) {
        propose(scan, at, end, 0.7);
        return Some(end);
    }
    if !token.is_word() || token.len() < 2 || (token.case == Case::Upper && token.len() <= 3) {
        return None;
    }
    if token.is(class::TITLE)
        && let Some(end) = titled(scan, at)
    {
        return Some(end);
    }
    if let Some(end) = reversed(scan, at) {
        propose(scan, at, end, 0.8);
        return Some(end);
    }
    if token.is(class::FIRST) && !token.is(class::FUNCTION)
        || (token.is(class::FIRST) && token.title() && !scan.starts_sentence(at))
    {
        return listed(scan, at, spanish);
    }
    unlisted(scan, at, spanish)
}

/// "Mr. Brown", "la señora Ortiz", "Officer Dale Young".
pub(super) fn titled(scan: &mut Scan<'_>, at: usize) -> Option<usize> {
    if scan.toks[at].case == Case::Lower && at > 0 && scan.toks[at - 1].form == Form::Digits {
        // "200 ms".
        return None;
    }
    let from = at + 1 + usize::from(scan.sign(at + 1, '.') && scan.glued(at + 1));
    let first = scan.toks.get(from).filter(|t| t.is_word() && !t.new_line)?;
    if is_no_name(scan, from) {
        return None;
    }
    let honorific = HONORIFICS.iter().any(|w| scan.hash_is(at, hash_of(w)));
    let written = first.title() && !scan.starts_sentence(at + 1);
    let fits = !first.is(class::FUNCTION | class::ORG)
        || (written && first.is(class::LAST) && !first.is(class::FUNCTION));
    let name = strong_first(first)
        || strong_last(first)
        || (honorific && first.is(class::LAST | class::FIRST) && !scan.hash_is(at, hash_of("miss")))
        || (written && (honorific || first.is(class::LAST | class::FIRST)))
        || (unknown(first) && (honorific || written));
    if !fits || !name || scan.hash_is(at, hash_of("miss")) && first.is(class::WORD) && !first.title() {
        return None;
    }
    let end = loose(scan, from)?;
    if is_place(scan, from, end) && !honorific {
        return None;
    }
    propose(scan, from, end, 0.85);
    spelled_after(scan, end);
    Some(end)
}

/// "R. J. Whitaker".
pub(super) fn initials(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let mut next = at;
    while next < at + 6
        && scan.toks.get(next).is_some_and(|t| t.is_letter() && t.case != Case::Lower)
        && scan.sign(next + 1, '.')
    {
        next += 2;
    }
    let last = scan.toks.get(next).filter(|t| next > at && t.title() && t.len() > 1)?;
    let fits = (last.is(class::LAST) || unknown(last))
        && !last.is(class::FUNCTION | class::ORG | class::SUFFIX | class::PLACE | class::DIRECTION);
    let end = name_suffix(scan, next + 1, 2);
    (fits && !is_place(scan, next, next + 1)).then_some(end)
}

/// "Gonzalez, Maria", "LEBLANC, JEAN-PAUL", "Van der Merwe, Pieter".
fn reversed(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let mut comma = at;
    while scan.is(comma, class::PARTICLE) && comma < at + 3 {
        comma += 1;
    }
    let last = scan.toks.get(comma)?;
    comma += 1;
    let dash = scan.sign(comma, '-') && scan.glued(comma) && scan.glued(comma + 1);
    comma += if dash { 2 } else { 0 };
    let second = scan.toks.get(comma).is_some_and(|t| strong_last(t) && t.case == last.case);
    comma += usize::from(second && !dash);
    if !scan.sign(comma, ',') {
        return None;
    }
    let first = scan.toks.get(comma + 1).filter(|t| t.is_word() && !t.new_line)?;
    let mut end = comma + 2;
    let mut listed = strong_first(first) && !first.is(class::PLACE);
    while scan.sign(end, '-')
        && scan.glued(end)
        && scan.glued(end + 1)
        && scan.toks.get(end + 1).is_some_and(|t| t.is_word() && t.case == first.case)
    {
        listed |= strong_first(&scan.toks[end + 1]);
        end += 2;
    }
    let upper = |t: &Token| t.case == Case::Upper && t.is_word();
    // "MALDONADO CRESPO, ÁNGEL LUIS": in capitals a list of names says so itself.
    listed |= upper(last) && upper(first) && first.is(class::FIRST);
    while upper(first) && scan.toks.get(end).is_some_and(|t| upper(t) && t.is(class::FIRST | class::LAST)) {
        end += 1;
    }
    // "Price, Leland T.": no words follow each other like this.
    let letter = scan.toks.get(end).is_some_and(|t| t.is_letter() && t.case != Case::Lower);
    let shaped = letter && scan.sign(end + 1, '.') && scan.glued(end + 1) && last.is(class::LAST);
    let particled = comma > at + 1 && scan.is(at, class::PARTICLE) && unknown(last);
    let fits = (strong_last(last) || particled || shaped)
        && !last.is(class::PLACE)
        && (!last.is(class::FIRST_COMMON) || last.case == Case::Upper)
        && listed
        && (last.title() && first.title() || last.case == Case::Upper && first.case == Case::Upper);
    if shaped {
        return fits.then(|| name_suffix(scan, end + 2, 3));
    }
    fits.then(|| end + usize::from(letter))
}

/// Words that follow a first name and are of the same name.
pub(super) fn sequence(scan: &Scan<'_>, at: usize) -> (usize, usize) {
    let mut end = at + 1;
    let mut words = 1;
    while end < scan.toks.len() && words < LONGEST {
        let token = &scan.toks[end];
        // "Altagracia Polanco de Jesús".
        let joined = scan.is(end - 1, class::PARTICLE);
        if token.new_line || !joined && is_no_name(scan, end) {
            break;
        }
        let org = token.is(class::ORG | class::SUFFIX | class::NO_LAST);
        let common = token.is(class::WORD | class::FUNCTION);
        let written = token.title() && scan.toks[at].title() && !widow(scan, end);
        // "Dorothy Quill, 6 Abbey Lane": a word as the last of a name.
        let closes = scan.toks.get(end + 1).is_none_or(|t| t.sign(',') || t.sign('.'));
        let the = at > 0 && scan.hash_is(at - 1, hash_of("the"));
        let closing = written && !the && closes && words == 1 && strong_first(&scan.toks[at]);
        let fits = token.is_word()
            && !token.is_letter()
            && (!token.is(class::FUNCTION) || (written && token.is(class::LAST)))
            && (strong_last(token) && !(token.is(class::PLACE) && !written && words > 1)
                || (strong_first(token) && !token.is(class::PLACE))
                || (token.is(class::LAST)
                    && common
                    && (written
                        || !org && (scan.toks[at].case == Case::Lower || token.case != Case::Lower)))
                || (written && !common && !token.is(class::MONTH))
                || (closing
                    && token.len() > 2
                    && !token.is(class::FUNCTION
                        | class::ORG
                        | class::MONTH
                        | class::PLACE
                        | class::QUANTITY))
                || (unknown(token)
                    && token.case == Case::Lower
                    && scan.toks[at].case == Case::Lower
                    && strong_first(&scan.toks[at])
                    && words == 1
                    && token.len() >= 4));
        if fits {
            end += 1;
            words += 1;
        } else if let Some(next) = inside(scan, end, words) {
            words += usize::from(scan.sign(end, '-'));
            end = next;
        } else {
            break;
        }
    }
    (name_suffix(scan, end, words), words)
}

pub(super) fn listed(scan: &mut Scan<'_>, at: usize, spanish: bool) -> Option<usize> {
    // "hope is my name".
    let own = scan.hash_is(at + 1, hash_of("is")) && scan.hash_is(at + 2, hash_of("my"));
    if own && scan.hash_is(at + 3, hash_of("name")) {
        propose(scan, at, at + 1, 0.75);
        return Some(at + 1);
    }
    let (end, words) = sequence(scan, at);
    let first = scan.toks[at];
    let street = scan.is(end - 1, class::SUFFIX) && !strong_first(&first);
    let acts = scan.is(end, class::PERSON_VERB) && end - at > 1 && !street;
    if (is_place(scan, at, end) && !acts) || place_before(scan, at) {
        return Some(end);
    }
    let confidence = if words > 1 { several(scan, at, end) } else { single(scan, at, spanish) }?;
    propose(scan, at, end, confidence);
    if strong_first(&first) {
        spelled_after(scan, end);
    }
    Some(end)
}

pub(super) fn several(scan: &Scan<'_>, at: usize, end: usize) -> Option<f32> {
    let first = &scan.toks[at];
    let last = scan.toks[at + 1..end]
        .iter()
        .rev()
        .find(|t| t.is_word() && !t.is_letter() && !t.is(class::NAME_SUFFIX))?;
    let written = first.title() && last.title();
    if strong_first(first) {
        let place = first.is(class::PLACE) && !first.is(class::FIRST_COMMON);
        return (!place || strong_last(last)).then_some(if strong_last(last) { 0.92 } else { 0.75 });
    }
    if strong_last(last) {
        let clear = !first.is(class::FUNCTION);
        return (clear || (written && !scan.starts_sentence(at))).then_some(0.75);
    }
    let acts = scan.is(end, class::PERSON_VERB);
    let both = written
        && last.is(class::LAST)
        && (acts || !last.is(class::ORG | class::PLACE) && !scan.starts_sentence(at));
    // "Crystal Yellowhorse": a name that is a word, and a word that is none.
    let the = at > 0 && scan.hash_is(at - 1, hash_of("the"));
    let strange = written
        && !the
        && unknown(last)
        && end == at + 2
        && !scan.starts_sentence(at)
        && !ordinary(&scan.text[last.start..last.end]);
    (both || strange).then_some(0.55)
}

/// A first name alone.
fn single(scan: &Scan<'_>, at: usize, spanish: bool) -> Option<f32> {
    let token = &scan.toks[at];
    // "the mike", "a jack": a thing.
    let thing = at > 0
        && token.case == Case::Lower
        && ["the", "a", "an", "this", "that"].iter().any(|w| scan.hash_is(at - 1, hash_of(w)));
    if thing || among_places(scan, at) {
        return None;
    }
    if spanish && token.is(class::ES_WORD) && (!token.title() || scan.starts_sentence(at)) {
        return None;
    }
    if !strong_first(token) || token.is(class::PLACE | class::STORE | class::MONTH | class::STATE) {
        return None;
    }
    if token.is(class::FIRST_COMMON) {
        return (token.len() >= 3).then_some(0.6);
    }
    let person = scan.is(at + 1, class::PERSON_VERB) || scan.hash_is(at + 1, hash_of("'s"));
    (token.title() && person && !scan.starts_sentence(at)).then_some(0.55)
}

/// "Georgia and Chad": one of several countries. "on roosevelt": a street.
pub(super) fn among_places(scan: &Scan<'_>, at: usize) -> bool {
    const JOINS: [&str; 4] = ["and", "or", "y", "o"];
    const ALONG: [&str; 4] = ["on", "along", "off", "near"];
    let token = &scan.toks[at];
    let Some(before) = at.checked_sub(1) else { return false };
    let joins = scan.sign(before, ',') || JOINS.iter().any(|w| scan.hash_is(before, hash_of(w)));
    let along = token.case == Case::Lower
        && token.is(class::LAST)
        && ALONG.iter().any(|w| scan.hash_is(before, hash_of(w)));
    along
        || joins
            && before > 0
            && scan.is(before - 1, class::PLACE)
            && (!scan.is(before - 1, class::FIRST | class::LAST)
                || before > 2 && scan.sign(before - 2, ',') && scan.is(before - 3, class::PLACE))
}

/// "in Madison", "Lake Martin", "the Jackson": the word before makes a place of it.
pub(super) fn place_before(scan: &Scan<'_>, at: usize) -> bool {
    let point = usize::from(at > 0 && scan.sign(at - 1, '.') && scan.glued(at - 1));
    let Some(before) = at.checked_sub(1 + point).map(|n| &scan.toks[n]) else { return false };
    const FIRM: [&str; 24] = [
        "sor",
        "cancha",
        "coliseo",
        "estadio",
        "escuela",
        "parque",
        "biblioteca",
        "puente",
        "condado",
        "plaza",
        "lake",
        "mount",
        "mt",
        "fort",
        "ft",
        "san",
        "santa",
        "camp",
        "port",
        "cape",
        "hurricane",
        "calle",
        "avenida",
        "st",
    ];
    const CROSSINGS: [&str; 5] = ["corner", "intersection", "esquina", "crossing", "junction"];
    // "14th & Harrison".
    let both = ["and", "y"].iter().any(|w| before.hash == hash_of(w)) || before.sign('&');
    let counted = at > 1 && (scan.is(at - 2, class::ORDINAL) || scan.toks[at - 2].form == Form::Mixed);
    // "at lincoln and roosevelt".
    let placed = at > 2
        && scan.is(at - 2, class::STREET_NAME | class::PLACE)
        && ["at", "on", "of", "between", "near", "by"].iter().any(|w| scan.hash_is(at - 3, hash_of(w)));
    if both && (counted || placed) {
        return true;
    }
    let crossing = (at.saturating_sub(5)..at).any(|n| CROSSINGS.iter().any(|w| scan.hash_is(n, hash_of(w))));
    let firm = FIRM.iter().any(|w| before.hash == hash_of(w));
    crossing || firm || (before.is(class::PLACE_BEFORE) && scan.is(at, class::PLACE))
}

/// Two words of no list, or one and a last name: "Oluwafemi Adeyemi".
fn unlisted(scan: &mut Scan<'_>, at: usize, spanish: bool) -> Option<usize> {
    let first = scan.toks.get(at)?;
    let family = at > 0 && ["los", "familia", "apellido"].iter().any(|w| scan.hash_is(at - 1, hash_of(w)));
    if family
        && spanish
        && strong_last(first)
        && !first.is(class::PLACE)
        && (first.title() || first.len() > 5)
    {
        propose(scan, at, at + 1, 0.6);
        return Some(at + 1);
    }
    let named = |t: &Token| (unknown(t) || strong_last(t)) && !t.is(class::ORG);
    // "the Mbeki-Thompson family".
    let double = scan.sign(at + 1, '-') && scan.glued(at + 1) && scan.toks.get(at + 2).is_some_and(named);
    let after = at + if double { 3 } else { 1 };
    if first.title() && named(first) && scan.hash_is(after, hash_of("family")) && at > 0 {
        propose(scan, at, after, 0.6);
        return Some(after);
    }
    let second = scan.toks.get(at + 1)?;
    // "D'Andre Q. Whitfield".
    if first.title()
        && named(first)
        && second.is_letter()
        && let Some(end) = initials(scan, at + 1)
    {
        propose(scan, at, end, 0.75);
        return Some(end);
    }
    if second.new_line || !second.is_word() {
        return None;
    }
    if (unknown(first) || strong_last(first)) && scan.cue_after(at + 1, NAME) != 0 {
        propose(scan, at, at + 1, 0.75);
        return Some(at + 1);
    }
    let candidate = |t: &Token| (unknown(t) || strong_last(t)) && !t.is(class::PLACE | class::STATE);
    if !candidate(first) || !candidate(second) || first.len() < 3 || second.len() < 3 {
        return None;
    }
    let written = first.title() && second.title();
    let lasts = usize::from(strong_last(first)) + usize::from(strong_last(second));
    let (end, _) = sequence(scan, at + 1);
    let person = scan.is(end, class::PERSON_VERB);
    let mid = written && !spanish && !scan.starts_sentence(at) && unknown(first) && unknown(second);
    let fits = if written {
        lasts > 0 || person || mid
    } else {
        !spanish && strong_last(second) && first.case == Case::Lower && second.case == Case::Lower
    };
    if !fits || is_place(scan, at, end) || place_before(scan, at) {
        return None;
    }
    propose(scan, at, end, 0.58);
    Some(end)
}

/// "Jackson County", "Cesar Chavez Avenue", "Lake Martin".
pub(super) fn is_place(scan: &Scan<'_>, from: usize, end: usize) -> bool {
    const TRADES: [u64; 31] = crate::pii::lexicon::hashes_of([
        "motors",
        "paving",
        "plumbing",
        "roofing",
        "construction",
        "landscaping",
        "realty",
        "properties",
        "enterprises",
        "industries",
        "playground",
        "towing",
        "foods",
        "farms",
        "bakery",
        "hardware",
        "nursery",
        "associates",
        "partners",
        "inc",
        "llc",
        "corp",
        "trucking",
        "heating",
        "electric",
        "dental",
        "insurance",
        "builders",
        "branch",
        "contracting",
        "excavating",
    ]);
    let trade = |n: usize| scan.one_of(n, &TRADES) && scan.toks[n].title();
    if trade(end) || end - from > 1 && trade(end - 1) {
        return true;
    }
    let after = scan.toks.get(end).is_some_and(|t| t.is(class::ORG) && !t.new_line);
    let last = &scan.toks[end - 1];
    let within = end - from > 1
        && last.is(class::ORG)
        && !strong_last(last)
        && (last.is(class::SUFFIX) || !last.is(class::LAST));
    after || within
}
