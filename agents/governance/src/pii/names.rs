//! Names of persons: after words that introduce one, and by lists of first and last names.

mod hinted;
mod listed;

use hinted::hinted;
use listed::{is_place, known, place_before, sequence};

use super::cues::{KIN, NAME, NAME_CLEAR, NAME_MID, NOT_NAME, RELATION};
use super::kind::Kind;
use super::lexicon::{class, hash_of};
use super::scan::Scan;
use super::spelled;
use super::token::{Case, Form, Token};

/// Words of one name.
const LONGEST: usize = 6;

/// Proposes all names of the text.
pub(super) fn find(scan: &mut Scan<'_>) {
    for n in 0..scan.cues.len() {
        let cue = scan.cues[n];
        if cue.mask & NAME != 0 {
            if !of_pet(scan, cue.from) {
                introduced(scan, cue.to);
            }
        } else if cue.mask & KIN != 0 {
            match owner(scan, cue.from) {
                Owner::Person => hinted(scan, cue.to, Hint { relation: true, phrase: true, clear: true }),
                Owner::Article => hinted(scan, cue.to, Hint { relation: true, phrase: false, clear: false }),
                Owner::None => {}
            }
        } else if cue.mask & (NAME_MID | NAME_CLEAR | RELATION) != 0 {
            if cue.mask & NAME_CLEAR != 0 && of_pet(scan, cue.from) {
                continue;
            }
            let relation = cue.mask & RELATION != 0;
            let owned = relation && owner(scan, cue.from) == Owner::Person;
            let phrase = cue.to - cue.from > 1 || owned;
            let clear = cue.mask & NAME_CLEAR != 0 || (relation && phrase);
            hinted(scan, cue.to, Hint { relation, phrase: phrase || clear, clear });
        }
    }
    spelled::find(scan);
    if scan.settings.expected & NAME != 0 {
        introduced(scan, 0);
    }
    let spanish = is_spanish(scan.toks);
    let guarded = scan.cues.iter().any(|cue| cue.mask & NOT_NAME != 0);
    let mut at = 0;
    while at < scan.toks.len() {
        let end = if guarded && is_no_name(scan, at) { None } else { known(scan, at, spanish) };
        at = end.unwrap_or(at + 1);
    }
    for n in 0..scan.found.len() {
        let name = scan.found[n];
        if name.kind == Kind::Name {
            joined(scan, name.from, name.to);
        }
    }
}

/// How sure a hint is that a person follows.
#[derive(Clone, Copy, Debug)]
struct Hint {
    /// It names a relation or a part that somebody plays.
    relation: bool,
    /// It has several words, or says whose relation it is.
    phrase: bool,
    /// Nothing but a person follows: "ask for", "a man named", "my grandmother".
    clear: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Owner {
    /// "my late", "her".
    Person,
    /// "the", "la".
    Article,
    None,
}

/// Who stands before "grandmother" or "tenant".
fn owner(scan: &Scan<'_>, at: usize) -> Owner {
    const WHOSE: [&str; 12] =
        ["my", "our", "his", "her", "their", "your", "mi", "mis", "su", "sus", "nuestro", "nuestra"];
    const ARTICLES: [&str; 8] = ["the", "a", "el", "la", "los", "las", "al", "del"];
    let near = |words: &[&str], reach: usize| {
        (at.saturating_sub(reach)..at).any(|n| words.iter().any(|w| scan.hash_is(n, hash_of(w))))
    };
    if near(&WHOSE, 2) {
        Owner::Person
    } else if near(&ARTICLES, 1) {
        Owner::Article
    } else {
        Owner::None
    }
}

/// "Trinh and Duc", "Sergei y Oksana Marchenko", "Siobhan, not Shavon": a first name that is joined to a name.
fn joined(scan: &mut Scan<'_>, from: usize, end: usize) {
    const JOINS: [&str; 4] = ["and", "y", "e", "or"];
    const CORRECTS: [&str; 3] = ["not", "no", "instead"];
    let named = |scan: &Scan<'_>, at: usize, like: usize| {
        let Some(token) = scan.toks.get(at) else { return false };
        let written = token.title()
            && scan.toks[like].title()
            && !token.is(class::FUNCTION | class::ORG | class::MONTH);
        token.is_word()
            && token.len() > 1
            && !token.new_line
            && !token.is(class::PLACE | class::STATE | class::STORE | class::TITLE)
            && !is_no_name(scan, at)
            && (token.is(class::FIRST) && (written || !token.is(class::WORD | class::FUNCTION))
                || written && unknown(token) && !ordinary(scan.word(at)))
    };
    let joins = |scan: &Scan<'_>, at: usize, words: &[&str]| {
        words.iter().any(|w| scan.hash_is(at, hash_of(w))) || scan.sign(at, '&')
    };
    let comma = usize::from(scan.sign(end, ','));
    let after = end + comma;
    if joins(scan, after, &JOINS) || joins(scan, after, &CORRECTS) {
        let at = after + 1;
        if named(scan, at, from) && !place_before(scan, at) {
            let (to, _) = sequence(scan, at);
            if !is_place(scan, at, to) {
                scan.propose(Kind::Name, at, to, 0.6);
            }
        }
    }
    if from >= 2 && joins(scan, from - 1, &JOINS) && named(scan, from - 2, from) {
        let at = from - 2;
        let alone = at == 0 || !scan.toks[at - 1].title() || scan.starts_sentence(at);
        if alone && !place_before(scan, at) {
            scan.propose(Kind::Name, at, at + 1, 0.6);
        }
    }
}

/// Whether a word of no list has an ending that words have and names hardly have.
fn ordinary(word: &str) -> bool {
    const ENDINGS: [&str; 30] = [
        "ing", "tion", "tions", "ness", "less", "ment", "ments", "able", "ible", "ful", "ous", "ology",
        "ically", "ized", "ised", "ship", "ward", "wards", "mente", "cion", "ción", "ciones", "iendo",
        "aron", "ieron", "idad", "ó", "aba", "aban", "ado",
    ];
    ENDINGS.iter().any(|e| word.len() > e.len() + 2 && word.ends_with(e))
        || word.ends_with("ly") && word.len() > 5
}

/// Whether more small words are Spanish than English.
fn is_spanish(toks: &[Token]) -> bool {
    let count = |class: u64| toks.iter().take(64).filter(|t| t.is(class)).count();
    count(class::ES_FUNCTION) > count(class::EN_FUNCTION)
}

/// "Martin Luther King Day": all of a known phrase.
fn is_no_name(scan: &Scan<'_>, at: usize) -> bool {
    let behind = scan.cues.partition_point(|cue| cue.from <= at);
    scan.cues[..behind]
        .iter()
        .rev()
        .take(4)
        .any(|cue| cue.mask & NOT_NAME != 0 && cue.to > at && !is_person(scan, cue.from, cue.to))
}

/// "jesus ortega": a phrase of one word that is a first name too, before a last name.
fn is_person(scan: &Scan<'_>, from: usize, to: usize) -> bool {
    to == from + 1 && scan.is(from, class::FIRST) && scan.toks.get(to).is_some_and(strong_last)
}

/// Titles that are said as part of a name.
const HONORIFICS: [&str; 20] = [
    "mr", "mrs", "ms", "mister", "missus", "sr", "sra", "srta", "senor", "senora", "senorita", "dona", "dra",
    "miss", "dr", "don", "ing", "lic", "prof", "srita",
];

/// Proposes a name with the title before it.
fn propose(scan: &mut Scan<'_>, from: usize, to: usize, confidence: f32) {
    let point = usize::from(from > 1 && scan.sign(from - 1, '.') && scan.glued(from - 1));
    let title =
        from.checked_sub(1 + point).filter(|at| HONORIFICS.iter().any(|w| scan.hash_is(*at, hash_of(w))));
    scan.propose(Kind::Name, title.unwrap_or(from), to, confidence);
}

fn strong_first(t: &Token) -> bool {
    t.is(class::FIRST) && !t.is(class::WORD | class::FUNCTION)
}

fn strong_last(t: &Token) -> bool {
    t.is(class::LAST) && !t.is(class::WORD | class::FUNCTION)
}

/// A word of no list.
fn unknown(t: &Token) -> bool {
    let known = class::WORD
        | class::FUNCTION
        | class::PLACE
        | class::NUMBER
        | class::MONTH
        | class::ORDINAL
        | class::TITLE
        | class::STORE
        | class::SUFFIX
        | class::PROVIDER
        | class::TLD
        | class::ES_STREET
        | class::UNIT
        | class::QUANTITY
        | class::CONNECTOR
        | class::FILLER;
    t.is_word() && !t.is(known) && t.len() >= 3 && t.case != Case::Upper
}

// ---------------------------------------------------------------- after an introduction

/// "the dog's name is …".
fn of_pet(scan: &Scan<'_>, at: usize) -> bool {
    const PETS: [&str; 28] = [
        "ship",
        "fish",
        "storm",
        "hurricane",
        "snake",
        "bird",
        "restaurant",
        "store",
        "song",
        "movie",
        "book",
        "barco",
        "huracan",
        "tormenta",
        "dog",
        "cat",
        "pet",
        "puppy",
        "kitten",
        "horse",
        "boat",
        "perro",
        "perra",
        "gato",
        "gata",
        "mascota",
        "mascot",
        "street",
    ];
    (at.saturating_sub(3)..at).any(|n| PETS.iter().any(|w| scan.hash_is(n, hash_of(w))))
}

/// "My name is …": whatever may be a name is one.
fn introduced(scan: &mut Scan<'_>, cue_end: usize) {
    let from = skip_small(scan, cue_end);
    // "will will nakamura": said twice.
    let again = scan.is(from, class::FIRST)
        && scan.toks.get(from + 1).is_some_and(|t| t.hash == scan.toks[from].hash);
    let begin = from + usize::from(again && loose(scan, from).is_none());
    if let Some(end) = loose(scan, begin).or_else(|| letters(scan, from, 3)) {
        propose(scan, from, end, 0.9);
        spelled_after(scan, end);
    }
}

fn skip_small(scan: &Scan<'_>, mut at: usize) -> usize {
    for _ in 0..4 {
        let Some(token) = scan.toks.get(at) else { break };
        let small = matches!(token.form, Form::Sign(':' | ',' | '"' | '-' | '.'))
            || (token.is(class::FILLER | class::TITLE | class::CONNECTOR)
                && !token.is(class::LAST)
                && !token.is_letter())
            || ["actually", "just", "yes", "si"].iter().any(|w| token.hash == hash_of(w));
        if !small {
            break;
        }
        at += 1;
    }
    at
}

/// Words that may be a name from here on.
fn loose(scan: &Scan<'_>, from: usize) -> Option<usize> {
    let mut end = from;
    let mut words = 0;
    while end < scan.toks.len() && words < LONGEST {
        let token = &scan.toks[end];
        let joined = end > from && scan.is(end - 1, class::PARTICLE);
        if end > from && (token.new_line || !joined && is_no_name(scan, end)) {
            break;
        }
        let named = token.is(class::FIRST | class::LAST);
        let fits = token.is_word()
            && !token.is_letter()
            && if token.is(class::FUNCTION) {
                small_last(scan, end, words) || named && words == 0 && introduces_name(scan, end)
            } else if words == 0 {
                unknown(token)
                    || (named && !stop_word(token))
                    || (token.title() && !scan.starts_sentence(end))
                    || (!stop_word(token) && scan.toks.get(end + 1).is_some_and(strong_last))
            } else {
                unknown(token) || (named && (!token.is(class::NO_LAST) || token.title())) || token.title()
            };
        if fits {
            end += 1;
            words += 1;
        } else if let Some(next) = inside(scan, end, words) {
            end = next;
        } else {
            break;
        }
    }
    end = name_suffix(scan, end, words);
    (words > 0).then_some(end)
}

/// "Will Johnson", "May Lopez": a small word that is a first name before a last name or at the end.
fn introduces_name(scan: &Scan<'_>, at: usize) -> bool {
    const ENDS: [&str; 7] = ["but", "and", "i", "i'm", "like", "y", "pero"];
    match scan.toks.get(at + 1) {
        Some(next) if ENDS.iter().any(|w| next.hash == hash_of(w)) => true,
        Some(next) => next.is(class::LAST) && !next.is(class::FUNCTION) || next.is_stop(),
        None => true,
    }
}

fn stop_word(t: &Token) -> bool {
    // "his name is still on the deed".
    const ADVERBS: [&str; 10] =
        ["still", "back", "now", "said", "early", "like", "good", "best", "right", "wrong"];
    t.is(class::CONNECTOR | class::FILLER)
        || t.case == Case::Lower && ADVERBS.iter().any(|w| t.hash == hash_of(w))
}

/// What stands between the words of a name: initials, hyphens, "de la".
fn inside(scan: &Scan<'_>, at: usize, words: usize) -> Option<usize> {
    if words == 0 {
        return None;
    }
    let token = &scan.toks[at];
    let person = |n: usize| {
        scan.toks.get(n).is_some_and(|t| {
            !t.is(class::FUNCTION)
                && (strong_last(t)
                    || strong_first(t)
                    || (t.title() && t.len() > 1)
                    || (t.is(class::LAST) && !t.is(class::NO_LAST))
                    || (unknown(t)
                        && t.len() >= 4
                        && !scan.is(n - 1, class::ES_FUNCTION) | scan.hash_is(n - 1, hash_of("de"))))
        })
    };
    if token.sign('-') && !token.spaced && scan.glued(at + 1) && scan.toks[at + 1].is_word() {
        return Some(at + 2);
    }
    if token.is_letter() && !matches!(scan.word(at), "a" | "i" | "y" | "e" | "o") {
        let dot = usize::from(scan.sign(at + 1, '.'));
        return person(at + 1 + dot).then_some(at + 1 + dot);
    }
    if widow(scan, at) {
        let mut next = at + 1 + usize::from(scan.sign(at + 1, '.'));
        while scan.is(next, class::PARTICLE) && next < at + 5 {
            next += 1;
        }
        return person(next).then_some(next);
    }
    if token.is(class::PARTICLE) && !token.new_line {
        let dash = usize::from((scan.sign(at + 1, '-') || scan.sign(at + 1, '.')) && scan.glued(at + 1));
        let second = at + 1 + dash + usize::from(scan.is(at + 1, class::PARTICLE) && !person(at + 1));
        return person(second).then_some(second);
    }
    None
}

/// "viuda de", "Vda. de".
fn widow(scan: &Scan<'_>, at: usize) -> bool {
    ["viuda", "vda", "vd"].iter().any(|w| scan.hash_is(at, hash_of(w)))
}

/// "phuong anh le": a small word that is a last name ends a name of several words and the clause.
fn small_last(scan: &Scan<'_>, at: usize, words: usize) -> bool {
    words >= 2
        && scan.is(at, class::LAST)
        && scan.toks[at].is(class::FUNCTION)
        && !scan.toks[at].is(class::CONNECTOR | class::FILLER)
        && scan.toks.get(at + 1).is_none_or(|t| matches!(t.form, Form::Sign(_)))
}

fn name_suffix(scan: &Scan<'_>, end: usize, words: usize) -> usize {
    // "otis merriweather the third".
    if words > 1
        && scan.hash_is(end, hash_of("the"))
        && ["second", "third", "fourth"].iter().any(|w| scan.hash_is(end + 1, hash_of(w)))
    {
        return end + 2;
    }
    let comma = usize::from(scan.sign(end, ','));
    let suffix = words > 1 && scan.is(end + comma, class::NAME_SUFFIX) && scan.toks[end + comma].len() > 1;
    if words > 1 && !suffix && degree(scan, end + comma) {
        return end + comma + 4;
    }
    if !suffix {
        return end;
    }
    let end = end + comma + 1;
    end + usize::from(
        scan.sign(end, '.') && scan.glued(end) && scan.toks.get(end + 1).is_some_and(|t| !t.title()),
    )
}

/// "B.A.", "M.D.": two letters with points.
fn degree(scan: &Scan<'_>, at: usize) -> bool {
    let letter = |n: usize| scan.toks.get(n).is_some_and(|t| t.is_letter() && t.case != Case::Lower);
    let point = |n: usize| scan.sign(n, '.') && scan.glued(n);
    letter(at) && point(at + 1) && letter(at + 2) && scan.glued(at + 2) && point(at + 3)
}

/// Single letters, as somebody spells: "g o n z a l e z", "G-O-N".
fn letters(scan: &Scan<'_>, from: usize, least: usize) -> Option<usize> {
    let (mut at, mut count, mut end) = (from, 0, from);
    while let Some(token) = scan.toks.get(at).filter(|_| at < from + 64) {
        if token.is_letter() {
            count += 1;
            at += 1;
            end = at;
        } else if token.sign('-') || token.sign('.') || token.sign(',') {
            at += 1;
        } else if scan.hash_is(at, hash_of("as")) && scan.hash_is(at + 1, hash_of("in")) {
            at = (at + 3).min(scan.toks.len());
            end = at;
        } else if scan.is(at, class::REPEAT) && scan.toks.get(at + 1).is_some_and(Token::is_letter) {
            at += 1;
        } else {
            break;
        }
    }
    (count >= least).then_some(end)
}

/// "… that's g o n z a l e z".
fn spelled_after(scan: &mut Scan<'_>, end: usize) {
    const BEFORE: [&str; 12] =
        ["that", "'s", "that's", "spelled", "spelt", "it's", "its", "spell", "se", "escribe", "which", "is"];
    let mut at = end;
    while at < end + 4 && (BEFORE.iter().any(|w| scan.hash_is(at, hash_of(w))) || scan.sign(at, ',')) {
        at += 1;
    }
    if let Some(to) = letters(scan, at, 3) {
        scan.propose(Kind::Name, at, to, 0.8);
    }
}
