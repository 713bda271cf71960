//! Spanish streets: the kind of street comes first and the number last, "calle Robles 45", "carrera 15 # 93-47"; or the
//! number comes before both, "402 Avenida Juárez", "el 12 de la calle Sol".

use super::addresses::{LONGEST_NAME, lives};
use super::lexicon::{class, hash_of};
use super::numbers::{cardinal, said_apart};
use super::places::{is_certain, spoken_number, tail};
use super::quarters;
use super::scan::Scan;
use super::token::{Case, Form, Token};

/// Words of a street's name that are ordinary words too: "camino real".
const LONGEST_PLAIN: usize = 3;

/// A street that begins with its kind here.
pub(super) fn street(scan: &Scan<'_>, at: usize) -> Option<(usize, usize)> {
    let kind_end = kind(scan, at)?;
    let from = quarters::before(scan, house_before(scan, at));
    let free = lives(scan, at) || from < at;
    let mut name = kind_end;
    while scan.is(name, class::PARTICLE) && name < kind_end + 3 {
        name += 1;
    }
    let end = named(scan, name, free);
    let (end, free) = match numbered_name(scan, name).filter(|_| end == name) {
        Some(end) => (end, free),
        None if end == name => return plain(scan, name).map(|end| (from, tail(scan, end))),
        None => (end, free),
    };
    if let Some(after) = number(scan, end) {
        return Some((from, tail(scan, after)));
    }
    if let Some(after) = plain(scan, name).filter(|_| !free) {
        return Some((from, tail(scan, after)));
    }
    // "Calle 92 Bloque 89 #14, Carolina, PR".
    let after = tail(scan, end);
    if after > end && is_certain(scan, end, after) {
        return Some((from, after));
    }
    free.then(|| (from, tail(scan, end)))
}

/// "calle", "Av.", "C/".
fn kind(scan: &Scan<'_>, at: usize) -> Option<usize> {
    if scan.hash_is(at, hash_of("c")) && scan.sign(at + 1, '/') && scan.glued(at + 1) {
        return scan.toks.get(at + 2).is_some_and(Token::title).then_some(at + 2);
    }
    if !scan.is(at, class::ES_STREET) {
        return None;
    }
    // "La oficina estará cerrada el lunes 20": no cul-de-sac.
    const IS: [&str; 9] =
        ["esta", "estara", "estaba", "estuvo", "queda", "sigue", "permanece", "permanecera", "es"];
    if at > 0 && IS.iter().any(|w| scan.hash_is(at - 1, hash_of(w))) && scan.word(at).ends_with("ada") {
        return None;
    }
    let point = scan.sign(at + 1, '.') && scan.glued(at + 1);
    Some(at + 1 + usize::from(point))
}

/// The end of the words that name a street, from its first word on.
fn named(scan: &Scan<'_>, name: usize, free: bool) -> usize {
    let mut end = name;
    while end < name + LONGEST_NAME && names(scan, end, free) {
        end += 1;
        let and = scan.hash_is(end, hash_of("y")) && !scan.toks.get(end + 1).is_some_and(Token::title);
        if scan.is(end, class::PARTICLE) && !and && (end..end + 3).any(|n| names(scan, n, free)) {
            end += 1 + usize::from(scan.is(end + 1, class::PARTICLE));
        }
    }
    end
}

fn names(scan: &Scan<'_>, at: usize, free: bool) -> bool {
    // "la calle nogal y el perro": what follows is another thing.
    if at > 0 && scan.hash_is(at - 1, hash_of("y")) && !scan.toks.get(at).is_some_and(Token::title) {
        return false;
    }
    // "Calle Magda FC-18": a block by its letters is no word of the name.
    let lettered = scan.toks.get(at).is_some_and(|t| t.len() <= 2 && t.case != Case::Lower);
    let block = scan.sign(at + 1, '-') && scan.glued(at + 1) && scan.glued(at + 2);
    if lettered && block && scan.toks.get(at + 2).is_some_and(|t| t.form == Form::Digits) {
        return false;
    }
    scan.toks.get(at).is_some_and(|t| {
        let storey = t.is(class::ORDINAL) && scan.is(at + 1, class::UNIT);
        let open = t.title() || !t.is(class::WORD) || free || t.is(class::ORDINAL);
        t.is_word()
            && !t.is(class::FUNCTION | class::UNIT | class::NUMBER)
            && open
            && !storey
            && !scan.hash_is(at, hash_of("numero"))
    })
}

/// "carrera 15", "calle quince", "calle 5 de mayo": a number is the name where another one, or a month, follows.
fn numbered_name(scan: &Scan<'_>, name: usize) -> Option<usize> {
    let token = scan.toks.get(name)?;
    let end = match token.form {
        Form::Digits => name + 1,
        Form::Mixed if token.len() <= 4 => name + 1,
        _ if token.is(class::NUMBER) => cardinal(scan, name)?.1,
        _ => return None,
    };
    let dated = scan.hash_is(end, hash_of("de")) && scan.is(end + 1, class::MONTH);
    let end = end + if dated { 2 } else { 0 };
    let direction = usize::from(scan.is(end, class::DIRECTION) && !scan.toks[end].is_letter());
    Some(end + direction)
}

/// "camino real setenta y siete": ordinary words name the street where a number of two digits follows and nothing is
/// counted with it.
fn plain(scan: &Scan<'_>, name: usize) -> Option<usize> {
    let mut end = name;
    while end < name + LONGEST_PLAIN && names(scan, end, true) {
        end += 1;
    }
    if end == name {
        return None;
    }
    let after = number(scan, end)?;
    let long = scan.toks[end..after].iter().any(|t| {
        (t.form == Form::Digits && t.len() >= 2)
            || t.form == Form::Mixed
            || t.is(class::TEEN | class::TENS | class::HUNDREDS | class::MULT)
    }) || after > end + 1;
    (long && !counts(scan, after)).then_some(after)
}

/// Whether a number that ended here counts the things that are named next.
pub(super) fn counts(scan: &Scan<'_>, at: usize) -> bool {
    const NEAR: [&str; 8] = ["cerca", "frente", "junto", "entre", "casi", "esquina", "detras", "arriba"];
    scan.toks.get(at).is_some_and(|t| {
        t.is_word()
            && !NEAR.iter().any(|w| t.hash == hash_of(w))
            && (t.is(class::QUANTITY)
                || !t.is(class::FUNCTION | class::ES_FUNCTION | class::UNIT | class::PLACE | class::STATE))
    })
}

/// The number of a house after its street: "45", "número 12-B", "# 93-47", "setenta y siete".
pub(super) fn number(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let mut next = at + usize::from(scan.sign(at, ','));
    let said = ["numero", "num", "no", "nro", "n", "km"].iter().any(|w| scan.hash_is(next, hash_of(w)));
    next += usize::from(said || scan.sign(next, '#'));
    next += usize::from(said && (scan.sign(next, '.') || scan.sign(next, '°') || scan.sign(next, 'º')));
    // "número de casa b diecinueve".
    if said && scan.hash_is(next, hash_of("de")) && scan.hash_is(next + 1, hash_of("casa")) {
        next += 2;
    }
    next += usize::from(
        said && scan.toks.get(next).is_some_and(Token::is_letter) && scan.is(next + 1, class::NUMBER),
    );
    let token = scan.toks.get(next)?;
    // "Calle Magda FC-18": a block by its letters.
    if token.is_word() && (token.case == Case::Upper || token.is_letter()) && token.len() <= 2 {
        let digits = scan.toks.get(next + 2).is_some_and(|t| t.form == Form::Digits && t.len() <= 3);
        let dash = scan.sign(next + 1, '-') && scan.glued(next + 1) && scan.glued(next + 2);
        return (dash && digits).then_some(next + 3);
    }
    match token.form {
        Form::Digits if token.len() <= 5 => {
            let dash = scan.sign(next + 1, '-');
            // "Km 2.4".
            let point = said && scan.sign(next + 1, '.') && scan.glued(next + 1) && scan.glued(next + 2);
            let more = (dash || point)
                && (scan.glued(next + 1) || said || scan.sign(next - 1, '#'))
                && scan
                    .toks
                    .get(next + 2)
                    .is_some_and(|t| matches!(t.form, Form::Digits | Form::Word | Form::Mixed));
            Some(next + if more { 3 } else { 1 })
        }
        Form::Mixed if token.len() <= 6 => {
            let dash = scan.sign(next + 1, '-') && scan.glued(next + 1) && scan.glued(next + 2);
            let more = dash && scan.toks.get(next + 2).is_some_and(|t| t.form == Form::Digits);
            Some(next + if more { 3 } else { 1 })
        }
        _ if token.is(class::NUMBER) => {
            let counted = cardinal(scan, next).map(|(_, end)| end);
            counted.max(spoken_number(scan, next, 5))
        }
        _ => None,
    }
}

/// Where an address begins whose number comes before its street: "402 Avenida", "el 12 de la calle", "setecientos doce
/// sur de la calle".
pub(super) fn house_before(scan: &Scan<'_>, at: usize) -> usize {
    let mut end = at;
    if end > 0 && scan.hash_is(end - 1, hash_of("la")) && end > 1 && scan.hash_is(end - 2, hash_of("de")) {
        end -= 2;
    } else if end > 0 && scan.hash_is(end - 1, hash_of("de")) {
        end -= 1;
    }
    let joined = end < at;
    if end > 1 && scan.is(end - 1, class::DIRECTION) && !scan.toks[end - 1].is_letter() {
        end -= 1;
    }
    let Some(last) = end.checked_sub(1) else { return at };
    let token = &scan.toks[last];
    let apart = (end.saturating_sub(9)..end).find(|n| {
        said_apart(scan, *n, 6).is_some_and(|(_, after)| after == end)
            && (*n == 0 || scan.toks[n - 1].form != Form::Digits)
    });
    if let Some(from) = apart {
        return from;
    }
    let lettered =
        end > 2 && token.is_letter() && scan.sign(end - 2, '-') && scan.toks[end - 3].form == Form::Digits;
    if lettered && scan.glued(last) && scan.glued(end - 2) {
        return end - 3;
    }
    if token.form == Form::Digits {
        let amount = last > 0 && scan.glued(last) && matches!(scan.toks[last - 1].form, Form::Sign(_));
        // "121-14 Calle 65": a block and its house.
        let block = last > 1
            && scan.sign(last - 1, '-')
            && scan.glued(last - 1)
            && scan.toks[last - 2].form == Form::Digits
            && scan.toks[last - 2].len() <= 3;
        if block && scan.glued(last) && token.len() <= 3 {
            return last - 2;
        }
        let house = token.len() <= 5 && (joined || token.len() >= 2) && !amount;
        return if house { last } else { at };
    }
    let mut from = end;
    while from > 0
        && end - from < 7
        && (scan.is(from - 1, class::NUMBER)
            || (from < end && scan.hash_is(from - 1, hash_of("y")) && scan.is(from, class::NUMBER)))
    {
        from -= 1;
    }
    // "una calle", "en la una de la calle": an article is no number.
    let article = end - from == 1 && ["un", "una", "uno"].iter().any(|w| scan.hash_is(from, hash_of(w)));
    let long =
        end - from > 1 || scan.is(from, class::TEEN | class::TENS | class::HUNDREDS | class::MULT) || joined;
    if from < end && long && !article { from } else { at }
}

/// "vivo en embajadores sesenta y uno": after such words a name and a number are an address.
pub(super) fn after_cue(scan: &Scan<'_>, cue_end: usize) -> Option<(usize, usize)> {
    const IN: [&str; 6] = ["en", "a", "es", "in", "at", "on"];
    let last = cue_end.checked_sub(1)?;
    (IN.iter().any(|w| scan.hash_is(last, hash_of(w))) && scan.is(last, class::ES_FUNCTION)).then_some(())?;
    let from = cue_end;
    let mut name = from;
    while scan.is(name, class::PARTICLE) && name < from + 2 {
        name += 1;
    }
    let end = named(scan, name, true);
    const DISTRICTS: [&str; 6] = ["precinto", "distrito", "condado", "sector", "municipio", "codigo"];
    let district = DISTRICTS.iter().any(|w| scan.hash_is(name, hash_of(w)));
    if end == name || end > name + LONGEST_PLAIN || scan.is(name, class::NO_STREET) || district {
        return None;
    }
    let after = number(scan, end)?;
    let one_digit = after == end + 1 && scan.is(end, class::DIGIT);
    let end = tail(scan, after);
    (!one_digit && (end > after || !counts(scan, after))).then_some((from, end))
}
