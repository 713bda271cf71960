//! Street addresses: "42 Oak Street, Apt 3B", "forty two oak street apartment three b", "calle Robles 45".
//!
//! A street without a house number is a place, unless somebody lives there; an address that is given as that of a public
//! office is nobody's.

use super::cues::{NEGATIVE, RESIDENCE, RESIDENCE_WEAK};
use super::kind::Kind;
use super::lexicon::{class, hash_of};
use super::numbers::{cardinal, spoken, written};
use super::places::{self, spoken_number, tail};
use super::scan::Scan;
use super::token::{Form, Token};

/// Words of a street's name with its kind.
const LONGEST_NAME: usize = 7;
/// Tokens between "I live at" and the address.
const REACH: usize = 6;

/// Words right before a place.
const PLACING: [&str; 6] = ["at", "of", "to", "on", "near", "from"];

/// The number of a house.
#[derive(Clone, Copy, Debug)]
struct House {
    end: usize,
    digits: usize,
    spoken: bool,
}

/// A street, with how sure it is that it is one.
#[derive(Clone, Copy, Debug)]
struct Street {
    end: usize,
    /// Its kind is a word for streets and nothing else, or it is written as a name.
    firm: bool,
}

/// Proposes all addresses of the text.
pub(super) fn find(scan: &mut Scan<'_>) {
    let mut at = 0;
    while at < scan.toks.len() {
        let end = numbered(scan, at)
            .or_else(|| spanish(scan, at))
            .or_else(|| post_box(scan, at))
            .or_else(|| places::military(scan, at));
        match end {
            Some((from, end)) => {
                if !is_public(scan, from, end) {
                    scan.propose(Kind::Address, from, end, 0.85);
                }
                at = end.max(at + 1);
            }
            None => at += 1,
        }
    }
    for n in 0..scan.cues.len() {
        let cue = scan.cues[n];
        if cue.mask & RESIDENCE != 0 {
            unnumbered(scan, cue.to);
        }
    }
}

fn lives(scan: &Scan<'_>, at: usize) -> bool {
    scan.nearest_before(at, RESIDENCE | RESIDENCE_WEAK, REACH).is_some()
        || (at < 4 && scan.settings.expected & (RESIDENCE | RESIDENCE_WEAK) != 0)
}

fn numbered(scan: &Scan<'_>, at: usize) -> Option<(usize, usize)> {
    let house = house(scan, at)?;
    let lives = lives(scan, at);
    let de = usize::from(scan.hash_is(house.end, hash_of("de")));
    let start = house.end + de + usize::from(de > 0 && scan.hash_is(house.end + de, hash_of("la")));
    let placed = lives || (at > 0 && PLACING.iter().any(|w| scan.hash_is(at - 1, hash_of(w))));
    let Some(street) =
        road_number(scan, start).or_else(|| street(scan, start)).or_else(|| rare(scan, house, start, placed))
    else {
        return bare(scan, at, house);
    };
    let end = tail(scan, street.end);
    let more = end > street.end;
    let large = house.digits >= 2;
    let sure = if house.spoken {
        let at_it = at > 0 && scan.hash_is(at - 1, hash_of("at"));
        large && (street.firm || house.digits >= 3 || at_it)
    } else {
        street.firm || house.digits >= 3
    };
    (lives || more || sure).then_some((at, end))
}

fn house(scan: &Scan<'_>, at: usize) -> Option<House> {
    let token = scan.toks.get(at)?;
    if at > 0 {
        let before = &scan.toks[at - 1];
        let counts = matches!(before.form, Form::Sign('$' | ':' | '/' | '%' | '+')) && !token.spaced;
        let part = matches!(before.form, Form::Sign('.' | '-' | '_' | ',')) && !token.spaced;
        let number =
            before.form == Form::Digits || before.is(class::NUMBER | class::MONTH) && !before.is_letter();
        if counts || part || (number && before.hash != hash_of("may")) {
            return None;
        }
        if scan.nearest_before(at, NEGATIVE, 0).is_some() {
            return None;
        }
    }
    match token.form {
        Form::Digits if token.len() <= 6 => {
            let dash = scan.sign(at + 1, '-') && scan.glued(at + 1) && scan.glued(at + 2);
            let second =
                dash && scan.toks.get(at + 2).is_some_and(|t| t.form == Form::Digits && t.len() <= 4);
            let half =
                scan.toks.get(at + 1).is_some_and(|t| t.form == Form::Digits) && scan.sign(at + 2, '/');
            let end = at
                + if second {
                    3
                } else if half {
                    4
                } else {
                    1
                };
            Some(House { end, digits: written(scan.text, token).len(), spoken: false })
        }
        Form::Mixed => {
            let word = scan.word(at);
            let digits = word.bytes().take_while(u8::is_ascii_digit).count();
            let ordinal =
                ["st", "nd", "rd", "th", "am", "pm"].iter().any(|e| word[digits..].eq_ignore_ascii_case(e));
            let plain = digits > 0 && word.len() - digits == 1 && !ordinal;
            plain.then_some(House { end: at + 1, digits, spoken: false })
        }
        Form::Word if token.is(class::NUMBER | class::REPEAT) && !token.is_letter() => {
            let end = spoken_number(scan, at, 6)?;
            let digits = count_digits(scan, at, end);
            let letter = scan
                .toks
                .get(end)
                .is_some_and(|t| t.is_letter() && !t.is(class::FUNCTION | class::DIRECTION));
            Some(House { end: end + usize::from(letter), digits, spoken: true })
        }
        _ => None,
    }
}

fn count_digits(scan: &Scan<'_>, from: usize, to: usize) -> usize {
    let (mut at, mut digits) = (from, 0);
    while at < to {
        let Some((more, next)) = spoken(scan, at) else { break };
        digits += more.len();
        at = next;
    }
    digits
}

/// A street's name and its kind.
fn street(scan: &Scan<'_>, start: usize) -> Option<Street> {
    let mut at = start;
    if scan.is(at, class::DIRECTION) {
        at += 1 + usize::from(scan.sign(at + 1, '.'));
    }
    if scan.hash_is(at, hash_of("broadway")) {
        return Some(Street { end: at + 1, firm: true });
    }
    // "North Avenue": the direction is the name.
    let alone = at > start && scan.is(at, class::SUFFIX | class::SUFFIX_ST);
    let name = if alone { start } else { at };
    let mut found = None;
    while at < scan.toks.len() && at < name + LONGEST_NAME {
        let token = &scan.toks[at];
        let kind = token.is(class::SUFFIX | class::SUFFIX_ST | class::SUFFIX_RARE);
        if kind && at > name && ends_street(scan, name, at) {
            found = Some(Street { end: at + 1, firm: firm(scan, name, at) });
            if token.is(class::SUFFIX) && !scan.is(at + 1, class::SUFFIX) {
                break;
            }
        }
        if !names_street(scan, at) {
            break;
        }
        at += 1;
        at += usize::from(scan.sign(at, '.') && scan.glued(at) && scan.word(at - 1).len() <= 2);
        at += usize::from(scan.sign(at, '-') && scan.glued(at));
    }
    let mut street = found.filter(|_| !followed_by_thing(scan, name))?;
    let last = &scan.toks[street.end - 1];
    let short = last.len() <= 3 || ["blvd", "pkwy"].iter().any(|w| last.hash == hash_of(w));
    street.end += usize::from(short && scan.sign(street.end, '.') && scan.glued(street.end));
    if scan.is(street.end, class::DIRECTION) && !scan.toks[street.end].is_letter()
        || scan.toks.get(street.end).is_some_and(|t| t.is(class::DIRECTION) && t.title())
    {
        street.end += 1;
    }
    Some(street)
}

fn names_street(scan: &Scan<'_>, at: usize) -> bool {
    let token = &scan.toks[at];
    match token.form {
        Form::Word => {
            let number = token.is(class::NUMBER) && !token.is(class::ORDINAL) && !token.is(class::TENS);
            token.title() && !token.is(class::QUANTITY | class::FUNCTION)
                || !token.is(class::NO_STREET | class::FUNCTION | class::QUANTITY) && !number
        }
        Form::Mixed => scan.word(at).ends_with(['t', 'd', 'h', 'T', 'D', 'H']),
        _ => false,
    }
}

/// Whether the words up to this kind of street are a street; rare kinds must be written as a name.
fn ends_street(scan: &Scan<'_>, name: usize, at: usize) -> bool {
    let token = &scan.toks[at];
    token.is(class::SUFFIX | class::SUFFIX_ST) || (scan.toks[name].title() && token.title())
}

/// "four two seven short harbors", said: a rare kind of street counts after a name of persons or a word that is none, and
/// so does a name that is a word too where the number is long or a place is spoken of. "Two hundred white pines" are trees.
fn rare(scan: &Scan<'_>, house: House, start: usize, placed: bool) -> Option<Street> {
    let round = (start.saturating_sub(6)..start).any(|n| scan.is(n, class::MULT));
    if !house.spoken || house.digits < 2 || (round && !placed) {
        return None;
    }
    let name = start + usize::from(scan.is(start, class::DIRECTION));
    let names = |at: usize| {
        let Some(token) = scan.toks.get(at).filter(|t| t.is_word() && !t.is_letter()) else { return false };
        let plain = token.is(class::FUNCTION | class::QUANTITY | class::NUMBER | class::NO_STREET);
        let free =
            !token.is(class::WORD) || placed || house.digits >= 3 && token.is(class::FIRST | class::LAST);
        free && !plain
    };
    let kind = (name + 1..name + 3).find(|at| scan.is(*at, class::SUFFIX_RARE))?;
    (name..kind).all(names).then_some(Street { end: kind + 1, firm: true })
}

fn firm(scan: &Scan<'_>, name: usize, at: usize) -> bool {
    let strange =
        at == name + 1 && scan.toks[name].is_word() && !scan.is(name, class::WORD | class::FUNCTION);
    scan.is(at, class::SUFFIX) || (scan.toks[name].title() && scan.toks[at].title()) || strange
}

/// "two new street lights".
fn followed_by_thing(scan: &Scan<'_>, name: usize) -> bool {
    const THINGS: [&str; 16] = [
        "lights",
        "light",
        "sign",
        "signs",
        "sweeper",
        "sweeping",
        "parking",
        "cleaning",
        "fair",
        "vendor",
        "vendors",
        "trees",
        "closures",
        "closure",
        "crossings",
        "department",
    ];
    let small = scan.is(name, class::NO_STREET) && !scan.toks[name].title();
    small || (name..name + LONGEST_NAME).any(|n| THINGS.iter().any(|w| scan.hash_is(n, hash_of(w))))
}

/// "900 Route 9", "4521 County Road 12".
fn road_number(scan: &Scan<'_>, start: usize) -> Option<Street> {
    let named = |at: usize, words: &[&str]| words.iter().any(|w| scan.hash_is(at, hash_of(w)));
    let prefix = usize::from(named(start, &["county", "state", "us", "rural", "old"]));
    let at = start + prefix;
    let road = named(at, &["highway", "hwy", "route", "rte"]) || (prefix > 0 && named(at, &["road", "rd"]));
    let number = scan.toks.get(at + 1)?;
    let end = match number.form {
        Form::Digits => at + 2,
        _ => spoken_number(scan, at + 1, 3)?,
    };
    road.then_some(Street { end, firm: true })
}

/// "my address is 12 Robles": a number and a name of no known kind.
fn bare(scan: &Scan<'_>, at: usize, house: House) -> Option<(usize, usize)> {
    let mut end = house.end + usize::from(scan.is(house.end, class::DIRECTION));
    let first = end;
    while end < first + 3
        && scan.toks.get(end).is_some_and(|t| {
            t.is_word()
                && !t.is(class::FUNCTION | class::QUANTITY | class::NO_STREET | class::UNIT)
                && (t.title() || !t.is(class::WORD))
        })
    {
        end += 1;
    }
    let strong = scan.nearest_before(at, RESIDENCE, REACH).is_some();
    let after = tail(scan, end);
    let named = house.digits >= 2 && !house.spoken && scan.toks.get(first).is_some_and(|t| t.title());
    // A town with its state says that this is an address, whatever kind of street it is.
    let town = named
        && after > end + 2
        && scan.toks[end..after].iter().any(|t| t.is(class::STATE | class::STATE_ABBR | class::STATE_SECOND));
    (end > first && (strong || town)).then_some((at, after))
}

/// "I live on Oak Street".
fn unnumbered(scan: &mut Scan<'_>, cue_end: usize) {
    for at in cue_end..cue_end + 3 {
        if scan.toks.get(at).is_none_or(|t| t.is_stop() || t.form == Form::Digits || t.is(class::NUMBER)) {
            return;
        }
        // "on a dirt road", "in the trailer park": no street by its name.
        let article = ["a", "an", "the"].iter().any(|w| scan.hash_is(at, hash_of(w)));
        if article && !scan.toks.get(at + 1).is_some_and(Token::title) {
            return;
        }
        if scan.is(at, class::NO_STREET | class::FUNCTION) {
            continue;
        }
        if let Some(street) = street(scan, at).filter(|s| s.firm || scan.is(s.end - 1, class::SUFFIX_ST)) {
            let end = tail(scan, street.end);
            let number =
                usize::from(scan.toks.get(end).is_some_and(|t| t.form == Form::Digits && t.len() <= 5));
            scan.propose(Kind::Address, at, end + number, 0.7);
        }
        return;
    }
}

/// "calle Robles 45", "avenida de la Paz número doce", "el 12 de la calle Sol".
fn spanish(scan: &Scan<'_>, at: usize) -> Option<(usize, usize)> {
    if !scan.is(at, class::ES_STREET) {
        return None;
    }
    let lives = lives(scan, at);
    let mut end = at + 1 + usize::from(scan.sign(at + 1, '.') && scan.glued(at + 1));
    while scan.is(end, class::PARTICLE) && end < at + 4 {
        end += 1;
    }
    let name = end;
    while end < name + LONGEST_NAME && names_calle(scan, end, lives) {
        end += 1;
        if scan.is(end, class::PARTICLE) && (end..end + 3).any(|n| names_calle(scan, n, lives)) {
            end += 1 + usize::from(scan.is(end + 1, class::PARTICLE));
        }
    }
    let numbered_street = end == name && scan.toks.get(name).is_some_and(|t| t.form == Form::Digits);
    end += usize::from(numbered_street);
    if numbered_street && scan.hash_is(end, hash_of("de")) && scan.is(end + 1, class::MONTH) {
        end += 2;
    }
    if end == name {
        return None;
    }
    let (number, end) = match spanish_number(scan, end) {
        Some(after) => (true, after),
        None => (false, end),
    };
    let from = house_before(scan, at);
    (number || from < at || lives).then(|| (from, tail(scan, end)))
}

fn names_calle(scan: &Scan<'_>, at: usize, lives: bool) -> bool {
    scan.toks.get(at).is_some_and(|t| {
        let free = t.title() || !t.is(class::WORD) || lives || t.is(class::ORDINAL);
        t.is_word()
            && !t.is(class::FUNCTION | class::UNIT)
            && !t.is(class::NUMBER)
            && free
            && scan.word(at) != "número"
            && !scan.hash_is(at, hash_of("numero"))
    })
}

fn spanish_number(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let mut next = at + usize::from(scan.sign(at, ','));
    let said = ["numero", "num", "no", "nro", "n"].iter().any(|w| scan.hash_is(next, hash_of(w)));
    next += usize::from(said || scan.sign(next, '#'));
    next += usize::from(said && scan.sign(next, '.'));
    let token = scan.toks.get(next)?;
    match token.form {
        Form::Digits if token.len() <= 5 => {
            let dash = scan.sign(next + 1, '-') && scan.glued(next + 1);
            let more = dash
                && scan
                    .toks
                    .get(next + 2)
                    .is_some_and(|t| matches!(t.form, Form::Digits | Form::Word | Form::Mixed));
            Some(next + if more { 3 } else { 1 })
        }
        Form::Mixed if token.len() <= 6 => Some(next + 1),
        _ if token.is(class::NUMBER) => {
            let counted = cardinal(scan, next).map(|(_, end)| end);
            counted.max(spoken_number(scan, next, 5))
        }
        _ => None,
    }
}

fn house_before(scan: &Scan<'_>, at: usize) -> usize {
    let la = usize::from(at > 0 && scan.hash_is(at - 1, hash_of("la")));
    let Some(de) = (at - la).checked_sub(1).filter(|n| scan.hash_is(*n, hash_of("de"))) else { return at };
    let Some(number) = de.checked_sub(1) else { return at };
    let digits = scan.toks[number].form == Form::Digits && scan.toks[number].len() <= 5;
    if digits {
        return number;
    }
    let mut from = de;
    while from > 0
        && de - from < 4
        && (scan.is(from - 1, class::NUMBER) || scan.hash_is(from - 1, hash_of("y")))
    {
        from -= 1;
    }
    if from < de { from } else { at }
}

/// "P.O. Box 1234".
fn post_box(scan: &Scan<'_>, at: usize) -> Option<(usize, usize)> {
    let word = |n: usize, w: &str| scan.hash_is(n, hash_of(w));
    let mut next = at;
    if word(at, "p") {
        next += 1;
        next += usize::from(scan.sign(next, '.'));
        word(next, "o").then_some(())?;
        next += 1;
        next += usize::from(scan.sign(next, '.'));
    } else if word(at, "po") || (word(at, "apartado") && word(at + 1, "postal")) {
        next += 1;
    } else {
        return None;
    }
    (word(next, "box") || word(next, "postal")).then_some(())?;
    next += 1;
    next += usize::from(scan.sign(next, '#') || word(next, "number") || word(next, "numero"));
    let end = match scan.toks.get(next)?.form {
        Form::Digits | Form::Mixed => next + 1,
        _ => spoken_number(scan, next, 6)?,
    };
    Some((at, tail(scan, end)))
}

/// "the office at 100 Court Square", "the library, 200 Elm Street", "the Maple Avenue office".
fn is_public(scan: &Scan<'_>, from: usize, end: usize) -> bool {
    const BETWEEN: [&str; 14] =
        ["is", "at", "on", "in", "located", "address", "the", "s", "es", "en", "la", "esta", "queda", "side"];
    if scan.settings.public.is_address(scan.text, &scan.toks[from..end]) {
        return true;
    }
    if scan.is(end, class::PUBLIC_PLACE) {
        return true;
    }
    if business(scan, from) {
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
    !(noun.saturating_sub(5)..noun).any(|n| scan.is(n, class::PERSONAL))
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
        return verb < at && DONE.iter().any(|w| scan.hash_is(verb, hash_of(w)));
    }
    // An office by its name and a comma.
    let Some(office) = from.checked_sub(2).filter(|n| scan.sign(n + 1, ',')) else { return false };
    let token = &scan.toks[office];
    token.title()
        && token.is(class::WORD)
        && !scan.starts_sentence(office)
        && !token.is(class::FIRST | class::LAST)
}
