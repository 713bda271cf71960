//! Street addresses: "42 Oak Street, Apt 3B", "forty two oak street apartment three b", "calle Robles 45".
//!
//! A street without a house number is a place, unless somebody lives there; an address that is given as that of a public
//! office is nobody's.

use super::cues::{NEGATIVE, RESIDENCE, RESIDENCE_WEAK};
use super::kind::Kind;
use super::lexicon::{class, hash_of, hashes_of};
use super::numbers::{said_apart, spoken, written};
use super::places::{self, spoken_number, tail};
use super::scan::Scan;
use super::token::{Case, Form, Token};
use super::{abroad, calles, offices, quarters, roads};

/// Words of a street's name with its kind.
pub(super) const LONGEST_NAME: usize = 7;
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
        match address(scan, at) {
            Some((from, end)) => {
                if !offices::is_public(scan, from, end) {
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
            match calles::after_cue(scan, cue.to) {
                Some((from, end)) => scan.propose(Kind::Address, from, end, 0.7),
                None => unnumbered(scan, cue.to),
            }
        }
    }
}

/// The address at this token or, with a flat before its number, around it.
pub(super) fn address(scan: &Scan<'_>, at: usize) -> Option<(usize, usize)> {
    numbered(scan, at)
        .or_else(|| abroad::street(scan, at))
        .or_else(|| roads::kilometre(scan, at))
        .or_else(|| calles::street(scan, at))
        .or_else(|| quarters::block(scan, at))
        .or_else(|| roads::unnamed(scan, at))
}

pub(super) fn lives(scan: &Scan<'_>, at: usize) -> bool {
    scan.nearest_before(at, RESIDENCE | RESIDENCE_WEAK, REACH).is_some()
        || (at < 4 && scan.settings.expected & (RESIDENCE | RESIDENCE_WEAK) != 0)
}

fn numbered(scan: &Scan<'_>, at: usize) -> Option<(usize, usize)> {
    let house = house(scan, at)?;
    if scan.is(house.end, class::ES_STREET) {
        // "402 Avenida Juárez" is read from its kind of street on.
        return None;
    }
    let lives = lives(scan, at);
    let de = usize::from(scan.hash_is(house.end, hash_of("de")));
    let start = house.end + de + usize::from(de > 0 && scan.hash_is(house.end + de, hash_of("la")));
    let placed = lives || (at > 0 && PLACING.iter().any(|w| scan.hash_is(at - 1, hash_of(w))));
    let Some(street) = road_number(scan, start)
        .or_else(|| grid(scan, start))
        .or_else(|| street(scan, start))
        .or_else(|| rare(scan, house, start, placed))
    else {
        return bare(scan, at, house)
            .or_else(|| kindless(scan, at, house))
            .map(|(_, end)| (unit_before(scan, at), end));
    };
    let boxed = roads::boxed(scan, street.end).unwrap_or(street.end);
    let end = tail(scan, boxed);
    let more = end > street.end;
    let large = house.digits >= 2;
    let sure = if house.spoken {
        let at_it = at > 0 && scan.hash_is(at - 1, hash_of("at"));
        let own_name = street.firm && placed && is_street_name(&scan.toks[start]);
        large && (street.firm || house.digits >= 3 || at_it) || own_name
    } else {
        street.firm || house.digits >= 3 && !runs(scan, start, street.end)
    };
    (lives || more || sure).then(|| (unit_before(scan, at), end))
}

/// "the 1040 instructions run to 114 pages": things and what they do, where the kind of street is a verb too.
fn runs(scan: &Scan<'_>, name: usize, end: usize) -> bool {
    const VERBS: [u64; 8] = hashes_of(["run", "walk", "view", "pass", "close", "point", "row", "loop"]);
    let plural = scan.word(name).ends_with('s') && scan.is(name, class::WORD) && !scan.is(name, class::LAST);
    end == name + 2 && VERBS.contains(&scan.toks[end - 1].hash) && plural
}

/// Words that streets are named after: persons, towns, trees, and what is in no dictionary.
fn is_street_name(t: &Token) -> bool {
    t.is_word()
        && !t.is(class::FUNCTION | class::QUANTITY | class::NO_STREET | class::UNIT | class::NUMBER)
        && (t.is(class::FIRST | class::LAST | class::PLACE | class::STREET_NAME | class::ORDINAL)
            || !t.is(class::WORD))
}

/// "nine oh seven west elm", "at two two nine nine geary", "3304 north kedzie apartment 2": a street said without its
/// kind. A direction before the name, a flat or a town after it, or a word that places, together with a number of three
/// digits, tell it from what is counted.
fn kindless(scan: &Scan<'_>, at: usize, house: House) -> Option<(usize, usize)> {
    const COUNTED: [&str; 12] = [
        "exit",
        "route",
        "highway",
        "interstate",
        "room",
        "line",
        "bus",
        "section",
        "channel",
        "gate",
        "lane",
        "mile",
    ];
    const NOT_NAMES: [&str; 14] = [
        "side", "end", "coast", "wing", "tower", "entrance", "exit", "bound", "corner", "half", "gate",
        "county", "lane", "parking",
    ];
    if house.digits < 2 || (at > 0 && COUNTED.iter().any(|w| scan.hash_is(at - 1, hash_of(w)))) {
        return None;
    }
    let directed = scan
        .toks
        .get(house.end)
        .is_some_and(|t| t.is(class::DIRECTION) && (t.len() > 1 || !house.spoken) && !t.is(class::FUNCTION));
    let point = usize::from(directed && scan.sign(house.end + 1, '.') && scan.glued(house.end + 1));
    let mut name = house.end + usize::from(directed) + point;
    let saint = ["san", "santa", "saint", "st", "el", "la", "las", "los", "de", "mc"];
    let particle = saint.iter().any(|w| scan.hash_is(name, hash_of(w)));
    name += usize::from(particle);
    let first = scan.toks.get(name)?;
    let no_name = class::SUFFIX
        | class::MONTH
        | class::PERSON_VERB
        | class::TITLE
        | class::STATE_ABBR
        | class::CONNECTOR;
    let fits = |t: &Token| {
        let zone = t.case == Case::Upper && t.len() <= 4;
        let other = t.is(no_name) || zone || NOT_NAMES.iter().any(|w| t.hash == hash_of(w));
        is_street_name(t) && t.len() > 1 && !t.new_line && !other
    };
    if !fits(first) || (particle && !directed && !house.spoken) {
        return None;
    }
    let mut end = name + 1;
    let second = |t: &Token| {
        fits(t)
            && t.title() == first.title()
            && !t.is(class::WORD | class::PLACE | class::STATE)
            && t.is(class::LAST | class::FIRST)
    };
    // "2 7 0 5 Prairie Rose, Minot".
    let written = scan.toks.get(end).is_some_and(|t| t.title() && first.title() && t.is_word())
        && scan.toks.get(end + 1).is_none_or(|t| matches!(t.form, Form::Sign(_)));
    end += usize::from(house.spoken && written || scan.toks.get(end).is_some_and(second));
    let after = tail(scan, end);
    let lives = lives(scan, at);
    let before = at.checked_sub(1).map(|n| scan.toks[n].hash);
    let here = ["at", "to", "of", "outside"].iter().any(|w| before == Some(hash_of(w)));
    // "four hundred south koreans".
    let round = (at..house.end).any(|n| scan.is(n, class::MULT));
    let sure = if directed {
        house.digits >= 3 && (here || !round) || after > end || lives
    } else if after > end && (house.digits >= 3 || lives) && places::is_certain(scan, end, after) {
        true
    } else {
        let last = scan.toks.get(after).is_none_or(Token::is_stop);
        let known = first.is(class::FIRST | class::LAST | class::STREET_NAME) || last;
        // "at three eighteen delancey" is no time of day, for nothing happens then.
        let name = !first.is(class::FIRST) && (first.is(class::LAST) || !first.is(class::WORD));
        let strange = !first.is(class::FIRST | class::LAST | class::WORD);
        let street = particle || strange || last && name;
        let timed = is_time(scan, at, house) && !street;
        if !round && on_the_spot(scan, at, house, (first, end)) {
            return Some((at, after));
        }
        house.digits >= 3 && known && (lives || here && house.spoken && !timed)
    };
    sure.then_some((at, after))
}

/// "at 905 Tallgrass and", "near 613 Magnolia": nothing else is numbered like this where a place is spoken of. `name`: the
/// first word of the street's name, and the token after the last.
fn on_the_spot(scan: &Scan<'_>, at: usize, house: House, name: (&Token, usize)) -> bool {
    const SPOTS: [&str; 6] = ["at", "near", "by", "outside", "front", "en"];
    const TIMES: [&str; 4] = ["time", "standard", "daylight", "hours"];
    let (first, end) = name;
    let before = |words: &[&str]| at > 0 && words.iter().any(|w| scan.hash_is(at - 1, hash_of(w)));
    let number = scan.word(at);
    let year = house.digits == 4 && (number.starts_with("19") || number.starts_with("20"));
    let numbered = !house.spoken && house.digits >= 3 && !year && !number.ends_with("00");
    let named = first.title() || !first.is(class::WORD) && first.len() >= 5;
    let timed = TIMES.iter().any(|w| scan.hash_is(end, hash_of(w)));
    numbered && named && !timed && (before(&SPOTS) || before(&["of"]) && first.is(class::STREET_NAME))
}

/// "nine fifteen", which may be a time of day.
fn is_time(scan: &Scan<'_>, at: usize, house: House) -> bool {
    let mut digits = super::numbers::Digits::default();
    let (mut next, mut pieces) = (at, 0);
    while let Some((more, after)) = spoken(scan, next).filter(|_| next < house.end) {
        digits.append(&more);
        pieces += 1;
        next = after;
    }
    let number = digits.number();
    pieces <= 3 && (100..1260).contains(&number) && number % 100 < 60
}

/// "Lot 14, Cedar Bend Mobile Park, 900 Airport Road", "unit fourteen nine hundred airport road": a flat that is named
/// before its house.
fn unit_before(scan: &Scan<'_>, at: usize) -> usize {
    let unit = |n: usize| scan.is(n, class::UNIT) && !scan.is(n, class::FUNCTION);
    if at > 0 && unit(at - 1) {
        return at - 1;
    }
    let joint = |n: &usize| scan.sign(*n, ',') || scan.hash_is(*n, hash_of("at"));
    let Some(comma) = at.checked_sub(1).filter(joint) else { return at };
    let value = |n: usize| {
        scan.toks.get(n).is_some_and(|t| {
            matches!(t.form, Form::Digits | Form::Mixed) || t.is_letter() || t.is(class::NUMBER)
        })
    };
    let flat = |end: usize| {
        let mark = usize::from(end > 1 && scan.sign(end - 2, '#'));
        (end > 1 + mark && value(end - 1) && (unit(end - 2 - mark) || mark > 0)).then(|| {
            let word = end - 2 - mark;
            if unit(word) { word } else { end - 2 }
        })
    };
    if let Some(from) = flat(comma) {
        return from;
    }
    // The name of a park or a house stands between both.
    let mut name = comma;
    while name > 0 && comma - name < 5 && scan.toks[name - 1].title() {
        name -= 1;
    }
    let named = name < comma && name > 0 && scan.sign(name - 1, ',');
    named.then(|| flat(name - 1)).flatten().unwrap_or(at)
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
        if scan.nearest_before(at, NEGATIVE, 0).is_some() && !before.is(class::UNIT) {
            return None;
        }
    }
    if let Some((digits, end)) = said_apart(scan, at, 6) {
        return Some(House { end, digits, spoken: true });
    }
    match token.form {
        Form::Digits if token.len() <= 6 && !is_hour(scan, at + 1) => {
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
            let plain = digits > 0 && word[digits..].chars().count() == 1 && !ordinal;
            plain.then_some(House { end: at + 1, digits, spoken: false }).or_else(|| on_a_grid(scan, at))
        }
        Form::Word if token.is(class::NUMBER | class::REPEAT) && !token.is_letter() => {
            let end = spoken_number(scan, at, 6)?;
            let digits = count_digits(scan, at, end);
            // "fifty nine and a half canal street".
            let half =
                ["and", "a", "half"].iter().enumerate().all(|(n, w)| scan.hash_is(end + n, hash_of(w)));
            // "eleven seventeen b street": the letter is the street's name.
            let letter = scan.toks.get(end).is_some_and(|t| {
                t.is_letter()
                    && !t.is(class::FUNCTION | class::DIRECTION)
                    && !scan.is(end + 1, class::SUFFIX | class::SUFFIX_ST)
            });
            let end = end + if half { 3 } else { usize::from(letter) };
            Some(House { end, digits, spoken: true })
        }
        _ => None,
    }
}

/// "N6730 W24019": a house by its distance from two lines.
fn on_a_grid(scan: &Scan<'_>, at: usize) -> Option<House> {
    let point = |n: usize| {
        let word = scan.word(n);
        let digits = word.strip_prefix(['N', 'S', 'E', 'W']).filter(|d| (3..=5).contains(&d.len()))?;
        digits.bytes().all(|b| b.is_ascii_digit()).then_some(digits.len())
    };
    // "21W350".
    let county = |word: &str| {
        let (west, house) = word.split_once(['N', 'S', 'E', 'W'])?;
        let number =
            |s: &str, most: usize| (1..=most).contains(&s.len()) && s.bytes().all(|b| b.is_ascii_digit());
        (number(west, 2) && house.len() == 3 && number(house, 3)).then_some(5)
    };
    if let Some(digits) = county(scan.word(at)) {
        return Some(House { end: at + 1, digits, spoken: false });
    }
    let digits = point(at)?;
    let second = usize::from(point(at + 1).is_some());
    Some(House { end: at + 1 + second, digits, spoken: false })
}

/// "2 p.m. Thursday".
fn is_hour(scan: &Scan<'_>, at: usize) -> bool {
    let letter = scan.hash_is(at, hash_of("a")) || scan.hash_is(at, hash_of("p"));
    letter && scan.sign(at + 1, '.') && scan.hash_is(at + 2, hash_of("m"))
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
    at = ordinal(scan, at).unwrap_or(at);
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
    let mut street = found.filter(|street| !followed_by_thing(scan, name, street.end))?;
    let last = &scan.toks[street.end - 1];
    let short = last.len() <= 3 || ["blvd", "pkwy"].iter().any(|w| last.hash == hash_of(w));
    street.end += usize::from(short && scan.sign(street.end, '.') && scan.glued(street.end));
    if scan.is(street.end, class::DIRECTION) && !scan.toks[street.end].is_letter()
        || scan.toks.get(street.end).is_some_and(|t| t.is(class::DIRECTION) && t.title())
    {
        street.end += 1;
        // "Kessler Blvd East Dr".
        street.end +=
            usize::from(scan.toks.get(street.end).is_some_and(|t| t.is(class::SUFFIX) && t.title()));
    }
    Some(street)
}

/// "one hundred twelfth", "ninety third": the end of a spoken ordinal of several words.
fn ordinal(scan: &Scan<'_>, at: usize) -> Option<usize> {
    scan.toks.get(at).filter(|t| t.is(class::NUMBER) && !t.is(class::ORDINAL))?;
    (at + 1..at + 5)
        .take_while(|n| scan.is(*n, class::NUMBER | class::ORDINAL) || scan.hash_is(*n, hash_of("and")))
        .find(|n| scan.is(*n, class::ORDINAL))
        .map(|n| n + 1)
}

fn names_street(scan: &Scan<'_>, at: usize) -> bool {
    let token = &scan.toks[at];
    match token.form {
        Form::Word => {
            let number = token.is(class::NUMBER) && !token.is(class::ORDINAL) && !token.is(class::TENS);
            // "prairie dog lane": what is counted may stand right before the kind.
            let counted = token.is(class::QUANTITY)
                && scan.is(at + 1, class::SUFFIX)
                && at > 0
                && scan.is(at - 1, class::WORD)
                && !scan.is(at - 1, class::NUMBER);
            counted
                || token.title() && !token.is(class::QUANTITY | class::FUNCTION)
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
    const STREETS: [u64; 10] =
        hashes_of(["st", "court", "ct", "place", "pl", "way", "trail", "loop", "cove", "crescent"]);
    let known = scan.is(name, class::STREET_NAME) && STREETS.contains(&scan.toks[at].hash);
    let strange = at == name + 1
        && scan.toks[name].is_word()
        && (known || !scan.is(name, class::WORD | class::FUNCTION));
    scan.is(at, class::SUFFIX) || (scan.toks[name].title() && scan.toks[at].title()) || strange
}

/// "two new street lights".
fn followed_by_thing(scan: &Scan<'_>, name: usize, end: usize) -> bool {
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
    small || THINGS.iter().any(|w| scan.hash_is(end, hash_of(w)))
}

/// "900 Route 9", "4521 County Road 12".
fn road_number(scan: &Scan<'_>, start: usize) -> Option<Street> {
    let directed = scan.is(start, class::DIRECTION);
    let start = start + usize::from(directed);
    let end = roads::numbered_road(scan, start).or_else(|| lettered_or_counted(scan, start, directed))?;
    Some(Street { end, firm: true })
}

/// "7719 S 2400 E", "four seventy five south nine hundred east": a street by its distance, as Utah counts them.
fn grid(scan: &Scan<'_>, start: usize) -> Option<Street> {
    let direction = |at: usize| {
        let token = scan.toks.get(at).filter(|t| t.is(class::DIRECTION))?;
        (!token.is_letter() || token.case != Case::Lower)
            .then(|| at + 1 + usize::from(scan.sign(at + 1, '.') && scan.glued(at + 1)))
    };
    let number = direction(start)?;
    let end = match scan.toks.get(number)?.form {
        Form::Digits if scan.toks[number].len() <= 5 => number + 1,
        Form::Word => spoken_number(scan, number, 5)?,
        _ => return None,
    };
    Some(Street { end: direction(end)?, firm: true })
}

/// "710 Avenue J", "22 E 4th".
fn lettered_or_counted(scan: &Scan<'_>, start: usize, directed: bool) -> Option<usize> {
    let token = scan.toks.get(start)?;
    let letter =
        scan.toks.get(start + 1).is_some_and(|t| t.is_letter() && !scan.is(start + 2, class::SUFFIX));
    let counted = scan.toks.get(start + 1).is_some_and(|t| t.form == Form::Digits && t.len() <= 3);
    let road = ["road", "rd"].iter().any(|w| scan.hash_is(start, hash_of(w)));
    if scan.hash_is(start, hash_of("avenue")) && (letter || counted) || road && counted {
        return Some(start + 2);
    }
    let counted = token.is(class::ORDINAL)
        || token.form == Form::Mixed
            && ["st", "nd", "rd", "th"]
                .iter()
                .any(|end| scan.word(start).to_ascii_lowercase().ends_with(end));
    let kind = scan.is(start + 1, class::SUFFIX | class::SUFFIX_ST | class::UNIT | class::ORDINAL);
    (directed && counted && !kind).then_some(start + 1)
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
