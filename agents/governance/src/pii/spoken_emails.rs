//! E-mail addresses as they are said: "john dot smith at gmail dot com", "maria arroba correo punto mx".

use super::cues::EMAIL;
use super::kind::Kind;
use super::lexicon::{class, hash_of};
use super::scan::Scan;
use super::token::{Form, Token};

/// Tokens of the part before "at".
const LONGEST_LOCAL: usize = 32;
/// Words before those that are surely of the part before "at".
const MOST_WORDS: usize = 5;
/// Words of one label of the domain: "river bend county".
const LONGEST_LABEL: usize = 16;

/// Proposes all spoken addresses of the text.
pub(super) fn find(scan: &mut Scan<'_>) {
    for at in 1..scan.toks.len() {
        let sure = scan.hash_is(at, hash_of("arroba"));
        if !sure && !scan.hash_is(at, hash_of("at")) {
            continue;
        }
        let open = usize::from(bracket(scan, at - 1));
        let Some((domain_end, provider)) = domain(scan, at + 1 + usize::from(bracket(scan, at + 1))) else {
            continue;
        };
        if at <= open {
            continue;
        }
        if let Some(from) = local(scan, at - open, sure || provider || open > 0, sure) {
            scan.propose(Kind::Email, from, domain_end, 0.95);
        }
    }
}

fn bracket(scan: &Scan<'_>, at: usize) -> bool {
    scan.toks.get(at).is_some_and(|t| matches!(t.form, Form::Sign('[' | ']' | '(' | ')')))
}

fn dot(scan: &Scan<'_>, at: usize) -> bool {
    scan.toks.get(at).is_some_and(|t| {
        t.hash == hash_of("dot")
            || t.hash == hash_of("punto")
            || t.hash == hash_of("period")
            || (t.sign('.') && !t.spaced)
    })
}

/// The end of a domain that starts here, and whether it is one of the large providers of mailboxes.
fn domain(scan: &Scan<'_>, start: usize) -> Option<(usize, bool)> {
    let mut provider = false;
    let mut at = start;
    let mut label = 0;
    loop {
        let token = scan.toks.get(at)?;
        if label > 0 && (dot(scan, at) || bracket(scan, at)) {
            let next = at + 1;
            let next = next + usize::from(dot(scan, next) && bracket(scan, at));
            let next = next + usize::from(bracket(scan, next));
            if let Some(end) = top(scan, next) {
                return Some((end, provider));
            }
            (at, label) = (next, 0);
            continue;
        }
        if provider && scan.is(at, class::TLD) && label > 0 && !token.is(class::PROVIDER) {
            return Some((at + 1, true));
        }
        let part = matches!(token.form, Form::Word | Form::Digits | Form::Mixed) || token.sign('-');
        let small = token.is(class::FUNCTION) && !token.is_letter() && !dot(scan, at + 1);
        // "m and m towing", "casa del sol bakery": small words stand inside a name that began.
        // "the foothill sentinel dot com".
        let the = label == 0 && at == start && scan.hash_is(at, hash_of("the"));
        if !part || small && !the && (label == 0 || !inside(scan, at)) {
            return None;
        }
        provider |=
            token.is(class::PROVIDER) && label == 0 && (dot(scan, at + 1) || scan.is(at + 1, class::TLD));
        // "g mail", "proton mail".
        let of_mail = ["g", "proton", "fast", "hot"];
        provider |= scan.hash_is(at, hash_of("mail"))
            && label == 1
            && of_mail.iter().any(|w| scan.hash_is(at - 1, hash_of(w)));
        label += 1;
        at += 1;
        if label > LONGEST_LABEL || (label > 4 && !token.is_letter()) {
            return None;
        }
    }
}

fn inside(scan: &Scan<'_>, at: usize) -> bool {
    const INSIDE: [&str; 9] = ["and", "of", "the", "del", "de", "la", "las", "los", "el"];
    INSIDE.iter().any(|word| scan.hash_is(at, hash_of(word)))
}

/// The end after a top-level domain, with a second one: "co dot uk".
fn top(scan: &Scan<'_>, at: usize) -> Option<usize> {
    if !scan.is(at, class::TLD) {
        return spelled_top(scan, at);
    }
    if dot(scan, at + 1)
        && scan.is(at + 2, class::TLD)
        && !scan.toks[at + 2].spaced | scan.toks[at + 1].is_word()
    {
        return Some(at + 3);
    }
    Some(at + 1)
}

/// "dot c o m".
fn spelled_top(scan: &Scan<'_>, at: usize) -> Option<usize> {
    const TOPS: [&[&str]; 5] =
        [&["e", "d", "u"], &["c", "o", "m"], &["o", "r", "g"], &["n", "e", "t"], &["g", "o", "v"]];
    let fits = |letters: &&&[&str]| letters.iter().enumerate().all(|(n, l)| scan.hash_is(at + n, hash_of(l)));
    TOPS.iter().find(fits).map(|letters| at + letters.len())
}

fn joins(scan: &Scan<'_>, at: usize) -> bool {
    let token = &scan.toks[at];
    dot(scan, at)
        || matches!(token.form, Form::Sign('_' | '-' | '+'))
        || matches!(
            scan.word(at),
            "underscore" | "dash" | "hyphen" | "plus" | "guion" | "guión" | "bajo" | "score" | "minus"
        )
}

fn spelled(token: &Token) -> bool {
    token.is_letter()
        || token.is(class::NUMBER | class::REPEAT)
        || matches!(token.form, Form::Digits | Form::Mixed)
}

fn small(token: &Token) -> bool {
    token.is(class::FUNCTION | class::CONNECTOR | class::FILLER) && !token.is_letter()
}

/// Where the part before "at" begins, if it is one. `arroba`: the word that says nothing else.
fn local(scan: &Scan<'_>, at: usize, sure: bool, arroba: bool) -> Option<usize> {
    let cue = scan.nearest_before(at, EMAIL, LONGEST_LOCAL).map(|cue| cue.to);
    let floor = at.saturating_sub(LONGEST_LOCAL).max(cue.unwrap_or(0));
    let last = at.checked_sub(1).filter(|n| *n >= floor)?;
    let body = |n: usize| matches!(scan.toks[n].form, Form::Word | Form::Digits | Form::Mixed);
    if !body(last) {
        return None;
    }
    let mut from = last;
    let mut certain = spelled(&scan.toks[last]) && last > floor && spelled(&scan.toks[last - 1]);
    while from > floor {
        let before = from - 1;
        if joins(scan, before) && before > floor && (body(before - 1) || joins(scan, before - 1)) {
            certain = true;
            from = before - usize::from(body(before - 1));
        } else if belongs(scan, before, from, cue.is_some())
            || (arroba && at - before <= 4 && scan.toks[before].is_word() && !small(&scan.toks[before]))
        {
            from = before;
        } else {
            break;
        }
    }
    let word = &scan.toks[last];
    let plain = word.is(class::FUNCTION) && !word.is_letter();
    let unusual = !word.is(class::WORD) && word.is_word() || !word.is_word();
    // "It's info at …", "use office at …": no verb such as "look at", which nothing introduces.
    let given = from > 0
        && ["is", "'s", "es", "use", "to", "a", "email", "mail"]
            .iter()
            .any(|w| scan.hash_is(from - 1, hash_of(w)));
    const BOXES: [&str; 26] = [
        "info",
        "support",
        "office",
        "admin",
        "contact",
        "sales",
        "billing",
        "pta",
        "team",
        "hello",
        "help",
        "service",
        "accounts",
        "board",
        "president",
        "treasurer",
        "secretary",
        "clerk",
        "manager",
        "rentals",
        "reservations",
        "events",
        "orders",
        "jobs",
        "news",
        "mail",
    ];
    let given = given || BOXES.iter().any(|w| word.hash == hash_of(w));
    let numbered = word.is(class::NUMBER) && last > floor && {
        let before = &scan.toks[last - 1];
        before.is_word() && !before.is(class::WORD | class::FUNCTION | class::NUMBER) && before.len() > 2
    };
    if sure && let Some(introduced) = introduced(scan, floor, from) {
        return Some(introduced);
    }
    let accepted =
        numbered || certain || cue.is_some() || (sure && !plain) || (unusual && !plain) || (given && !plain);
    accepted.then_some(from)
}

/// "it's ghost pepper nine nine at …", "my address is trail runner six at …": where all words after what introduces an
/// address begin, if that is near.
fn introduced(scan: &Scan<'_>, floor: usize, from: usize) -> Option<usize> {
    const INTRODUCE: [u64; 11] = super::lexicon::hashes_of([
        "to",
        "a",
        "is",
        "'s",
        "it's",
        "es",
        "use",
        "email",
        "correo",
        "email's",
        "address's",
    ]);
    let nearest = from.saturating_sub(MOST_WORDS).max(floor);
    let at = (nearest..from).rev().find(|at| scan.one_of(*at, &INTRODUCE))? + 1;
    let plain = scan.toks[at..from].iter().all(|t| {
        let joint = ["of", "the", "and", "el", "la", "de", "del", "los", "y", "in", "as"]
            .iter()
            .any(|w| t.hash == hash_of(w));
        t.is_word() && (joint || !t.is(class::FUNCTION) || t.is_letter())
    });
    (plain && at < from).then_some(at)
}

/// Whether a word without a connector belongs to the same part: letters and digits one by one, names, and all that
/// follows "my email is".
fn belongs(scan: &Scan<'_>, before: usize, from: usize, cued: bool) -> bool {
    let (token, next) = (&scan.toks[before], &scan.toks[from]);
    if spelled(token) {
        let name = next.is(class::FIRST | class::LAST) && !next.is(class::WORD);
        let article = token.is(class::FUNCTION) && token.is_letter() && !spelled(next) && !name;
        return !article
            && (spelled(next) || next.is(class::FIRST | class::LAST) || cued || token.form != Form::Word);
    }
    if !token.is_word() {
        return false;
    }
    let small = token.is(class::FUNCTION | class::CONNECTOR | class::FILLER);
    let numbered = next.is(class::NUMBER) || next.form == Form::Digits;
    let strange = |n: usize| {
        scan.toks[n].is_word() && scan.toks[n].len() > 2 && !scan.is(n, class::WORD | class::FUNCTION)
    };
    if numbered
        && token.is(class::WORD)
        && !small
        && before > 0
        && (scan.is(before - 1, class::FIRST) || strange(before - 1))
    {
        return true;
    }
    let joined = before > 0 && joins(scan, before - 1) && before > 1;
    if token.is(class::FIRST) && next.is(class::LAST) && !small {
        return true;
    }
    if numbered && !small && (token.is(class::FIRST | class::LAST) || joined) {
        return true;
    }
    // "dr mehta", "hannah banana seventy seven".
    if token.is(class::TITLE) && next.is(class::FIRST | class::LAST) {
        return true;
    }
    if scan.is(from + 1, class::NUMBER)
        && token.is(class::FIRST)
        && next.is_word()
        && !next.is(class::FUNCTION)
    {
        return true;
    }
    (!token.is(class::WORD) && !small && token.len() > 2) || (cued && !small)
}
