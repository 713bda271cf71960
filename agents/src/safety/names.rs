//! Names of persons: after words that introduce one, and by lists of first and last names.

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
        if end > from && (token.new_line || is_no_name(scan, end)) {
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

// ---------------------------------------------------------------- after a hint

/// "This is …", "speak with …", "my wife …": a name when one of the words is in the lists, or is no other word.
fn hinted(scan: &mut Scan<'_>, cue_end: usize, hint: Hint) {
    let Hint { relation, phrase, .. } = hint;
    let from = skip_small(scan, cue_end);
    if from > cue_end + 2 || is_no_name(scan, from) {
        return;
    }
    let Some(first) = scan.toks.get(from).filter(|t| !t.new_line || scan.sign(from.wrapping_sub(1), ','))
    else {
        return;
    };
    let Some(end) = loose(scan, from) else { return };
    let words = &scan.toks[from..end];
    if is_place(scan, from, end) || (place_before(scan, from) || among_places(scan, from)) && !hint.clear {
        return;
    }
    // "my son is autistic", "que mi hijo entienda": what is said of somebody is no name.
    let said = from > cue_end && !scan.sign(from - 1, ',') && !scan.sign(from - 1, ':') && relation
        || (cue_end.saturating_sub(4)..cue_end).any(|n| scan.hash_is(n, hash_of("que")));
    let stranger = unknown(first) && !ordinary(scan.word(from)) && !said;
    // "ask for dung", "my grandpa stanislaw": a word of no list, or a first name that is a word too, alone.
    let alone = words.len() == 1
        && (hint.clear && stranger
            || (hint.clear || relation && first.title())
                && first.is(class::FIRST)
                && !first.is(class::FUNCTION | class::PLACE | class::STORE)
                && closes(scan, end)
            || relation && first.title() && stranger
            || stranger
                && presents(scan, cue_end)
                && (speaks(scan, end) || scan.sign(end, ',') && first.title())
            || greets(scan, cue_end)
                && first.is(class::FIRST)
                && !first.is(class::FUNCTION | class::STORE)
                && greeted(scan, end)
                && !["hope", "love", "trust", "merry", "happy"].iter().any(|w| first.hash == hash_of(w)));
    let written = (relation || hint.clear)
        && words.len() > 1
        && first.title()
        && !first.is(class::FUNCTION | class::ORG | class::SUFFIX)
        && words[1..].iter().all(|t| t.title() || !t.is_word())
        && words[1..].iter().any(|t| strong_last(t) || unknown(t));
    let listed = strong_first(first) && !first.is(class::PLACE | class::STORE)
        || (words.len() > 1 && first.is(class::FIRST) && strong_last(&words[1]));
    let last = strong_last(first)
        && !first.is(class::PLACE)
        && (first.title() || (phrase && first.is(class::LAST_COMMON)));
    let strange =
        words.len() > 1 && unknown(first) && words[1..].iter().any(|t| unknown(t) || strong_last(t));
    let titled = phrase
        && words.len() > 1
        && words.iter().take(2).all(|t| t.title() && t.is(class::FIRST | class::LAST));
    const CLEAR: [&str; 9] = ["tell", "ask", "named", "contact", "dear", "i'm", "soy", "met", "habla"];
    let clear = phrase || CLEAR.iter().any(|w| cue_end > 0 && scan.hash_is(cue_end - 1, hash_of(w)));
    let ambiguous = clear
        && words.len() > 1
        && first.is(class::FIRST)
        && words[1].is(class::LAST)
        && !words[1].is(class::NO_LAST | class::ORG | class::FUNCTION)
        && !first.is(class::FUNCTION);
    let called = phrase
        && first.is(class::FIRST)
        && first.title()
        && !first.is(class::FUNCTION | class::PLACE | class::MONTH)
        && closes(scan, end);
    const SELF: [&str; 7] = ["i'm", "im", "is", "am", "soy", "habla", "'s"];
    let own = cue_end > 0 && SELF.iter().any(|w| scan.hash_is(cue_end - 1, hash_of(w)));
    let namesake = own && strong_first(first) && first.is(class::FIRST_COMMON);
    if namesake
        || alone
        || written
        || listed
        || last
        || (strange && (phrase || words[1].title()))
        || titled
        || called
        || (ambiguous && (relation || clear))
    {
        propose(scan, from, end, 0.75);
        spelled_after(scan, end);
    }
}

/// "this is", "it's", "soy": a person may say who is speaking.
fn presents(scan: &Scan<'_>, cue_end: usize) -> bool {
    const SELF: [&str; 7] = ["is", "it's", "i'm", "im", "am", "soy", "habla"];
    cue_end > 0 && SELF.iter().any(|w| scan.hash_is(cue_end - 1, hash_of(w)))
}

/// What somebody goes on with after having said a name.
fn speaks(scan: &Scan<'_>, at: usize) -> bool {
    const ON: [&str; 8] = ["calling", "from", "again", "speaking", "here", "over", "de", "otra"];
    ON.iter().any(|w| scan.hash_is(at, hash_of(w)))
}

fn greets(scan: &Scan<'_>, cue_end: usize) -> bool {
    const GREETINGS: [&str; 7] = ["hi", "hello", "hey", "dear", "hola", "thanks", "gracias"];
    cue_end > 0 && GREETINGS.iter().any(|w| scan.hash_is(cue_end - 1, hash_of(w)))
}

/// What follows a greeting with a name: nothing, or who is speaking.
fn greeted(scan: &Scan<'_>, at: usize) -> bool {
    const ON: [&str; 7] = ["this", "it's", "i'm", "im", "my", "soy", "habla"];
    scan.toks.get(at).is_none_or(|t| t.sign(',') || t.is_stop() || ON.iter().any(|w| t.hash == hash_of(w)))
}

fn closes(scan: &Scan<'_>, at: usize) -> bool {
    scan.toks
        .get(at)
        .is_none_or(|t| matches!(t.form, Form::Sign(_)) || t.is(class::PERSON_VERB | class::FUNCTION))
}

/// "Jackson County", "Cesar Chavez Avenue", "Lake Martin".
fn is_place(scan: &Scan<'_>, from: usize, end: usize) -> bool {
    let after = scan.toks.get(end).is_some_and(|t| t.is(class::ORG) && !t.new_line);
    let last = &scan.toks[end - 1];
    let within = end - from > 1
        && last.is(class::ORG)
        && !strong_last(last)
        && (last.is(class::SUFFIX) || !last.is(class::LAST));
    after || within
}

// ---------------------------------------------------------------- by the lists

/// A name that begins here, by lists and letter case; gives the token after it.
fn known(scan: &mut Scan<'_>, at: usize, spanish: bool) -> Option<usize> {
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
fn titled(scan: &mut Scan<'_>, at: usize) -> Option<usize> {
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
        || (honorific && unknown(first));
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
fn initials(scan: &Scan<'_>, at: usize) -> Option<usize> {
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
    let particled = comma > at + 1 && scan.is(at, class::PARTICLE) && unknown(last);
    let fits = (strong_last(last) || particled)
        && !last.is(class::PLACE)
        && (!last.is(class::FIRST_COMMON) || last.case == Case::Upper)
        && listed
        && (last.title() && first.title() || last.case == Case::Upper && first.case == Case::Upper);
    let initial = scan.toks.get(end).is_some_and(|t| t.is_letter() && t.case != Case::Lower);
    fits.then(|| end + usize::from(initial))
}

/// Words that follow a first name and are of the same name.
fn sequence(scan: &Scan<'_>, at: usize) -> (usize, usize) {
    let mut end = at + 1;
    let mut words = 1;
    while end < scan.toks.len() && words < LONGEST {
        let token = &scan.toks[end];
        if token.new_line || is_no_name(scan, end) {
            break;
        }
        let org = token.is(class::ORG | class::SUFFIX | class::NO_LAST);
        let common = token.is(class::WORD | class::FUNCTION);
        let written = token.title() && scan.toks[at].title() && !widow(scan, end);
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

fn listed(scan: &mut Scan<'_>, at: usize, spanish: bool) -> Option<usize> {
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

fn several(scan: &Scan<'_>, at: usize, end: usize) -> Option<f32> {
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
    both.then_some(0.55)
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
fn among_places(scan: &Scan<'_>, at: usize) -> bool {
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
fn place_before(scan: &Scan<'_>, at: usize) -> bool {
    let point = usize::from(at > 0 && scan.sign(at - 1, '.') && scan.glued(at - 1));
    let Some(before) = at.checked_sub(1 + point).map(|n| &scan.toks[n]) else { return false };
    const FIRM: [&str; 20] = [
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
    let second = scan.toks.get(at + 1)?;
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
