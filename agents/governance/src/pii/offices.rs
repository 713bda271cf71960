//! Addresses that are nobody's: those of public offices and of where business is done.

use super::lexicon::{class, hash_of};
use super::scan::Scan;
use super::token::Form;

/// "the office at 100 Court Square", "the library, 200 Elm Street", "the Maple Avenue office".
pub(super) fn is_public(scan: &Scan<'_>, from: usize, end: usize) -> bool {
    const BESIDE: [&str; 10] =
        ["behind", "beside", "next", "across", "opposite", "near", "past", "frente", "junto", "detras"];
    const BETWEEN: [&str; 16] = [
        "is", "to", "moved", "at", "on", "in", "located", "address", "the", "s", "es", "en", "la", "esta",
        "queda", "side",
    ];
    if scan.settings.public.is_address(scan, from, end) {
        return true;
    }
    if scan.is(end, class::PUBLIC_PLACE) {
        return true;
    }
    // "Drop it off at 99 Pine Ridge Road, I will leave …" is a home.
    let ours = (end..end + 5).any(|n| scan.is(n, class::PERSONAL) || scan.word(n).starts_with("i'"));
    if !ours && business(scan, from) {
        return true;
    }
    let small = |n: usize| {
        BETWEEN.iter().any(|w| scan.hash_is(n, hash_of(w)))
            || matches!(scan.toks[n].form, Form::Sign(',' | ':' | '('))
            || scan.is(n, class::NUMBER | class::ES_STREET)
    };
    let mut at = from;
    while at > 0 && from - at < 5 && small(at - 1) {
        at -= 1;
    }
    let Some(noun) = at.checked_sub(1).filter(|n| scan.is(*n, class::PUBLIC_PLACE)) else { return false };
    // People live in trailer parks.
    if noun > 0 && ["trailer", "home", "mobile", "rv"].iter().any(|w| scan.hash_is(noun - 1, hash_of(w))) {
        return false;
    }
    // "We are behind the station at …" is where we are.
    !(noun.saturating_sub(5)..noun)
        .any(|n| scan.is(n, class::PERSONAL) || BESIDE.iter().any(|w| scan.hash_is(n, hash_of(w))))
}

/// "Apply at 120 Court Square", "dropped off at …", "the Court Clerk, 150 …": where business is done.
fn business(scan: &Scan<'_>, from: usize) -> bool {
    const DONE: [&str; 22] = [
        "apply",
        "pay",
        "paid",
        "off",
        "vote",
        "voting",
        "accepted",
        "held",
        "located",
        "meets",
        "meet",
        "report",
        "posted",
        "sold",
        "applied",
        "available",
        "filed",
        "presente",
        "solicitelo",
        "pague",
        "inscribase",
        "entregue",
    ];
    let at =
        from.checked_sub(1).filter(|n| ["at", "en", "is", "to"].iter().any(|w| scan.hash_is(*n, hash_of(w))));
    if let Some(at) = at {
        let verb = at.saturating_sub(1 + usize::from(at > 1 && scan.hash_is(at - 1, hash_of("is"))));
        // "posted to my box" goes by mail.
        let mailed = scan.hash_is(at, hash_of("to")) && scan.hash_is(verb, hash_of("posted"));
        // "shut off at 6 Nantucket Pl.": only what is dropped off goes to an office.
        let shut = scan.hash_is(verb, hash_of("off"))
            && !["drop", "dropped", "drops", "dropping"]
                .iter()
                .any(|w| scan.hash_is(verb.wrapping_sub(1), hash_of(w)));
        return verb < at && !mailed && !shut && DONE.iter().any(|w| scan.hash_is(verb, hash_of(w)));
    }
    // An office by its name and a comma.
    let Some(office) = from.checked_sub(2).filter(|n| scan.sign(n + 1, ',')) else { return false };
    let token = &scan.toks[office];
    // "Dorothy Quill, 6 Abbey Lane".
    let surname = office > 0 && scan.is(office - 1, class::FIRST);
    token.title()
        && token.is(class::WORD)
        && !token.is(class::DIRECTION | class::UNIT)
        && !surname
        && !scan.starts_sentence(office)
        && !token.is(class::FIRST | class::LAST)
}
