//! Quarters, housing estates and blocks, as Spanish addresses name them before the street, after it or without one.

use super::lexicon::{class, hashes_of};
use super::places::{closes, tail};
use super::roads::value;
use super::scan::Scan;

/// Words before the name of a quarter.
const QUARTERS: [u64; 19] = hashes_of([
    "ext",
    "alturas",
    "res",
    "cond",
    "condominio",
    "parcelas",
    "bda",
    "sector",
    "col",
    "colonia",
    "barrio",
    "bo",
    "fracc",
    "fraccionamiento",
    "residencial",
    "urb",
    "urbanizacion",
    "reparto",
    "barriada",
]);

/// "Col. Roma Norte", "barrio San Miguel", "fraccionamiento Las Lomas".
pub(super) fn quarter(scan: &Scan<'_>, at: usize) -> Option<usize> {
    scan.one_of(at, &QUARTERS).then_some(())?;
    let name = at + 1 + usize::from(scan.sign(at + 1, '.') && scan.glued(at + 1));
    let named = |n: usize| {
        scan.toks.get(n).is_some_and(|t| {
            t.is_word()
                && !t.new_line
                && (t.title()
                    || (n == name || !t.is(class::WORD) || n == name + 1 && closes(scan, n + 1))
                        && !t.is(class::FUNCTION | class::ES_FUNCTION | class::NUMBER))
        })
    };
    let mut end = name;
    while end < name + 5 && (named(end) || scan.is(end, class::PARTICLE) && named(end + 1)) {
        end += 1;
    }
    (end > name).then_some(end)
}

/// "Urb. Villa Carolina, Calle 92": where the name of a quarter before its street begins.
pub(super) fn before(scan: &Scan<'_>, at: usize) -> usize {
    if at < 3 || !scan.sign(at - 1, ',') {
        return at;
    }
    let mut name = at - 1;
    while name > 0 && at - name < 6 && scan.toks[name - 1].title() && !scan.one_of(name - 1, &QUARTERS) {
        name -= 1;
    }
    let point = usize::from(name > 0 && scan.sign(name - 1, '.'));
    let kind = name.checked_sub(1 + point).filter(|n| name < at - 1 && scan.one_of(*n, &QUARTERS));
    kind.unwrap_or(at)
}

/// "Res. Nemesio Canales, Edif. 23 Apt. 431", "edificio cuatro apartamento veintiséis residencial las margaritas": a flat by
/// its block, beside the name of the estate or a town.
pub(super) fn block(scan: &Scan<'_>, at: usize) -> Option<(usize, usize)> {
    scan.one_of(at, &const { hashes_of(["edif", "edificio", "bloque"]) }).then_some(())?;
    let point = usize::from(scan.sign(at + 1, '.') && scan.glued(at + 1));
    let end = value(scan, at + 1 + point, 3)?;
    let after = tail(scan, end);
    let from = before(scan, at);
    let flat = scan.toks[end..after].iter().any(|t| t.is(class::UNIT));
    let placed = scan.toks[end..after]
        .iter()
        .any(|t| QUARTERS.contains(&t.hash) || t.is(class::PLACE | class::STATE | class::STATE_ABBR));
    (flat && (placed || from < at)).then_some((from, after))
}
