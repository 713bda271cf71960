//! Addresses without a street's name: numbered roads, rural routes, post boxes.

use super::lexicon::{class, hash_of, hashes_of};
use super::places::{military, spoken_number, tail};
use super::scan::Scan;
use super::token::{Case, Form};

fn named(scan: &Scan<'_>, at: usize, words: &[u64]) -> bool {
    scan.one_of(at, words)
}

fn point(scan: &Scan<'_>, at: usize) -> usize {
    usize::from(scan.sign(at, '.') && scan.glued(at))
}

/// The end of a number, written or said, with a letter: "9", "9W", "nine w", "#3".
pub(super) fn value(scan: &Scan<'_>, at: usize, most: usize) -> Option<usize> {
    let mark =
        usize::from(scan.sign(at, '#') || named(scan, at, &const { hashes_of(["number", "no", "numero"]) }));
    let at = at + mark + usize::from(mark > 0 && scan.sign(at + mark, '.'));
    let end = match scan.toks.get(at)?.form {
        Form::Digits => at + 1,
        Form::Mixed if scan.toks[at].len() <= 5 => return Some(at + 1),
        _ => spoken_number(scan, at, most)?,
    };
    // "Box 77-A".
    let letter = scan.toks.get(end + 1).is_some_and(|t| t.is_letter() && !t.spaced);
    if scan.sign(end, '-') && scan.glued(end) && letter {
        return Some(end + 2);
    }
    let lettered = scan.toks.get(end).is_some_and(|t| t.is_letter() && !t.is(class::FUNCTION) && t.spaced);
    Some(end + usize::from(lettered))
}

/// The end of a road that goes by a number: "Route 9W", "County Road 12", "US-41", "FM 1488", "farm to market road
/// fourteen eighty eight".
pub(super) fn numbered_road(scan: &Scan<'_>, start: usize) -> Option<usize> {
    const PREFIXES: [u64; 17] = hashes_of([
        "cty",
        "indian",
        "navajo",
        "county",
        "state",
        "us",
        "rural",
        "old",
        "ranch",
        "farm",
        "forest",
        "township",
        "interstate",
        "business",
        "rm",
        "fm",
        "parish",
    ]);
    const SHORT: [u64; 14] = hashes_of([
        "fm", "rm", "us", "cr", "sr", "sh", "rr", "hwy", "rte", "rt", "route", "highway", "fr", "ih",
    ]);
    let mut at = start;
    if named(scan, at, &const { hashes_of(["u"]) })
        && scan.hash_is(at + 1 + point(scan, at + 1), hash_of("s"))
    {
        at += 2 + point(scan, at + 1);
        at += point(scan, at);
        if let Some(end) = value(scan, at, 3) {
            return Some(end);
        }
    }
    let mut prefixes = at - start;
    while prefixes < 3 && named(scan, at, &PREFIXES) {
        at += 1 + point(scan, at + 1);
        prefixes += 1;
        // "farm to market", "ranch to market".
        if named(scan, at, &const { hashes_of(["to", "-"]) })
            && named(scan, at + 1, &const { hashes_of(["market"]) })
        {
            at += 2;
        } else if scan.sign(at, '-')
            && named(scan, at + 1, &const { hashes_of(["to"]) })
            && named(scan, at + 3, &const { hashes_of(["market"]) })
        {
            at += 4;
        }
    }
    let kind = named(scan, at, &const { hashes_of(["highway", "hwy", "route", "rte", "rt", "interstate"]) })
        || (prefixes > 0 && named(scan, at, &const { hashes_of(["road", "rd", "trail", "lane"]) }));
    let after = if kind {
        at + 1 + point(scan, at + 1)
    } else if at > start && named(scan, at - 1, &SHORT) {
        at
    } else if named(scan, at, &SHORT) {
        at + 1
    } else {
        return None;
    };
    let dash = usize::from(scan.sign(after, '-') && scan.glued(after));
    let end = value(scan, after + dash, 4)?;
    // "FM 1960 Rd W".
    let end = end + usize::from(named(scan, end, &const { hashes_of(["rd", "road"]) }));
    let direction = scan.toks.get(end).is_some_and(|t| {
        t.is(class::DIRECTION) && (t.len() > 1 || t.case != Case::Lower && scan.is(end - 1, class::SUFFIX))
    });
    Some(end + usize::from(direction))
}

/// "Carr. 181 Km 4.2, Bo. Quebrada Grande", "carretera ciento veintitrés kilómetro cincuenta y seis punto uno": as Puerto Rico
/// counts its roads.
pub(super) fn kilometre(scan: &Scan<'_>, at: usize) -> Option<(usize, usize)> {
    named(scan, at, &const { hashes_of(["carr", "carretera", "ruta"]) }).then_some(())?;
    let number = at + 1 + point(scan, at + 1);
    let state = usize::from(scan.hash_is(number, hash_of("pr")));
    let dash = usize::from(scan.sign(number + state, '-'));
    let road = value(scan, number + state + dash, 3)?;
    let comma = usize::from(scan.sign(road, ','));
    let mark = road + comma;
    named(scan, mark, &const { hashes_of(["km", "kms", "kilometro"]) }).then_some(())?;
    let end = value(scan, mark + 1 + point(scan, mark + 1), 3)?;
    let part = named(scan, end, &const { hashes_of(["punto", "point"]) })
        || scan.sign(end, '.') && scan.glued(end) && scan.glued(end + 1);
    let end = if part { value(scan, end + 1, 2).unwrap_or(end) } else { end };
    Some((at, tail(scan, end)))
}

/// An address that needs no street: a post box, a rural route, a numbered road with a house.
pub(super) fn unnamed(scan: &Scan<'_>, at: usize) -> Option<(usize, usize)> {
    // Few words begin one.
    scan.is(at, class::ROAD).then_some(())?;
    post_box(scan, at)
        .or_else(|| rural(scan, at))
        .or_else(|| military(scan, at))
        .or_else(|| held_for(scan, at))
}

/// "General Delivery, Tuba City, AZ 86045", "box seventy seven alturas california": an address by its town, which has to follow.
fn held_for(scan: &Scan<'_>, at: usize) -> Option<(usize, usize)> {
    let general = scan.hash_is(at, hash_of("general")) && scan.hash_is(at + 1, hash_of("delivery"));
    let end = if general { at + 2 } else { boxed(scan, at)? };
    let after = tail(scan, end);
    let town = scan
        .toks
        .get(end..after)?
        .iter()
        .any(|t| t.is(class::STATE | class::STATE_ABBR | class::STATE_SECOND));
    town.then_some((at, after))
}

/// "Rural Route 3, Box 22", "RR 2 Box 45", "HC 61 Box 418", "county road nine number two two eight one five".
fn rural(scan: &Scan<'_>, at: usize) -> Option<(usize, usize)> {
    if let Some(end) = delivery_route(scan, at) {
        return boxed(scan, end).map(|end| (at, tail(scan, end)));
    }
    let starts = named(
        scan,
        at,
        &const {
            hashes_of([
                "county", "state", "us", "u", "old", "farm", "ranch", "highway", "hwy", "route", "rte", "rt",
                "indian", "navajo",
            ])
        },
    );
    let road = numbered_road(scan, at).filter(|_| starts)?;
    if let Some(end) = boxed(scan, road) {
        return Some((at, tail(scan, end)));
    }
    let comma = usize::from(scan.sign(road, ','));
    let said = named(scan, road + comma, &const { hashes_of(["number", "house"]) });
    let house =
        road + comma + 1 + usize::from(named(scan, road + comma + 1, &const { hashes_of(["number"]) }));
    let end = value(scan, house, 6).filter(|end| {
        // One digit is more likely a place in a list than a house.
        said && (*end > house + 1 || scan.toks[house].len() > 1 && scan.toks[house].form == Form::Digits)
    })?;
    Some((at, tail(scan, end)))
}

fn delivery_route(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let letters = |a: &str, b: &str| {
        (scan.hash_is(at, hash_of(a)) && scan.hash_is(at + 1 + point(scan, at + 1), hash_of(b))).then(|| {
            let second = at + 1 + point(scan, at + 1);
            second + 1 + point(scan, second + 1)
        })
    };
    let after = if named(scan, at, &const { hashes_of(["rural", "star", "contract"]) })
        && named(scan, at + 1, &const { hashes_of(["route", "delivery"]) })
    {
        at + 2
    } else if named(
        scan,
        at,
        &const { hashes_of(["rr", "hc", "rfd", "rd", "sr", "rt", "route", "hcr", "ruta"]) },
    ) {
        at + 1 + usize::from(scan.hash_is(at + 1, hash_of("rural")))
    } else {
        letters("r", "r").or_else(|| letters("h", "c"))?
    };
    let after = after + usize::from(scan.sign(after, '-') && scan.glued(after));
    match scan.toks.get(after)?.form {
        Form::Mixed if scan.toks[after].len() <= 5 => Some(after + 1),
        _ => value(scan, after, 3),
    }
}

/// ", Box 22" after a road.
pub(super) fn boxed(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let at = at + usize::from(scan.sign(at, ','));
    named(scan, at, &const { hashes_of(["box", "buzon", "bx", "milepost", "mp"]) }).then_some(())?;
    value(scan, at + 1, 5)
}

/// "P.O. Box 1234", "apartado postal 12".
fn post_box(scan: &Scan<'_>, at: usize) -> Option<(usize, usize)> {
    let word = |n: usize, w: &str| scan.hash_is(n, hash_of(w));
    let mut next = at;
    if word(at, "p") {
        next += 1;
        next += point(scan, next);
        word(next, "o").then_some(())?;
        next += 1;
        next += usize::from(scan.sign(next, '.'));
    } else if word(at, "post") && word(at + 1, "office") || word(at, "pe") && word(at + 1, "o") {
        next += 2;
    } else if word(at, "po")
        || (named(scan, at, &const { hashes_of(["apartado", "casilla"]) }) && word(at + 1, "postal"))
    {
        next += 1;
    } else {
        return None;
    }
    (word(next, "box") || word(next, "postal")).then_some(())?;
    next += 1;
    let end = value(scan, next, 6)?;
    Some((at, tail(scan, end)))
}
