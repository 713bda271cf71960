//! Codes of letters and digits: licences, passports, patient and member numbers, international account numbers.

use super::checks;
use super::cues::{self, Cue, IBAN, LICENSE, LICENSE_WEAK, MEDICAL_ID, PASSPORT};
use super::dates;
use super::kind::Kind;
use super::lexicon::{class, hash_of};
use super::numbers::{Digits, spoken, written};
use super::scan::{REACH, Scan};
use super::token::{Case, Form, Token, letter_of};

/// Tokens of one code: an account of 34 signs, each said alone.
const LONGEST_CODE: usize = 40;
/// Tokens between a cue and a code that can hardly be anything else.
const FAR: usize = 14;
/// The same where the code comes first.
const BACK: usize = 9;

/// Some tokens as a code.
#[derive(Clone, Copy, Default, Debug)]
struct Code {
    letters: usize,
    digits: usize,
    /// The digits of tokens without letters, as far as they fit.
    values: Digits,
    /// Tokens or spoken numbers with digits.
    parts: usize,
    /// After the last token that holds a digit, or that is glued to one.
    end: usize,
}

/// Proposes all codes of the text.
pub(super) fn find(scan: &mut Scan<'_>) {
    const CODES: u64 = LICENSE | LICENSE_WEAK | PASSPORT | MEDICAL_ID | IBAN;
    for n in 0..scan.cues.len() {
        let cue = scan.cues[n];
        if cue.mask & CODES != 0 && !after_cue(scan, cue.mask, cue.to) && !further_on(scan, n) {
            further_back(scan, n);
        }
    }
    let asked = scan.settings.expected & CODES;
    if asked != 0 {
        after_cue(scan, asked, 0);
    }
    for at in 0..scan.toks.len() {
        let token = &scan.toks[at];
        if token.form == Form::Mixed {
            before_cue(scan, at);
            accounts(scan, at);
            of_a_shape(scan, at);
        } else if token.is_letter() {
            said_account(scan, at);
            long_after_letter(scan, at);
        } else if token.is(class::STATE | class::STATE_SECOND)
            || token.is(class::STATE_ABBR)
                && token.case == Case::Upper
                && !token.is(class::WORD | class::FUNCTION)
                && token.hash != hash_of("id")
        {
            of_state(scan, at);
        }
    }
}

/// "Colorado ID nine four two …", "the Kansas one, K zero four …", "Minnesota T four eight …".
fn of_state(scan: &mut Scan<'_>, state: usize) {
    let mut at = state + 1;
    let named = ["id", "dl", "lic", "oln", "license"].iter().any(|w| scan.hash_is(at, hash_of(w)));
    at += usize::from(named || ["one", "card", "permit"].iter().any(|w| scan.hash_is(at, hash_of(w))));
    at += usize::from(
        scan.sign(at, ',') || scan.sign(at, ':') || scan.is(at, class::FILLER) && !scan.toks[at].is_letter(),
    );
    let code = starts_code(scan, at).then(|| read(scan, at)).flatten();
    // A town's state and its code, "New York, NY 10118", begin with two letters.
    let lettered = scan.toks.get(at).is_some_and(|t| t.is_letter() || t.form == Form::Mixed);
    let Some(code) = code.filter(|code| telling(code) && (named || lettered && code.letters > 0)) else {
        return;
    };
    if let Some(kind) = kind_of(LICENSE_WEAK, &code) {
        scan.propose(kind, at, code.end, 0.7);
    }
}

/// "W530-118-76-402-0", "G3582 61904 77120": a letter and groups of digits as some states write them need no cue.
fn of_a_shape(scan: &mut Scan<'_>, at: usize) {
    const SHAPES: [&[usize]; 6] =
        [&[3, 3, 2, 3, 1], &[3, 4, 4, 2], &[3, 4, 4], &[3, 3, 3, 3], &[4, 5, 5], &[2, 2, 4]];
    let head = scan.word(at).as_bytes();
    if !head[0].is_ascii_uppercase() || !head[1..].iter().all(u8::is_ascii_digit) {
        return;
    }
    let dashed = scan.sign(at + 1, '-');
    let digits =
        |n: usize| scan.toks.get(n).filter(|t| t.form == Form::Digits && t.spaced != dashed).map(Token::len);
    let mut groups = Vec::with_capacity(6);
    groups.push(head.len() - 1);
    let mut next = at + 1;
    while groups.len() < 6 && (!dashed || scan.sign(next, '-') && scan.glued(next)) {
        let Some(length) = digits(next + usize::from(dashed)) else { break };
        groups.push(length);
        next += 1 + usize::from(dashed);
    }
    if SHAPES.contains(&groups.as_slice()) {
        scan.propose(Kind::DriversLicense, at, next, 0.85);
    }
}

/// "k five three zero four eight …, that's the Michigan one": twelve digits and more after one letter are no phone number.
fn long_after_letter(scan: &mut Scan<'_>, at: usize) {
    let first = scan.is(at + 1, class::NUMBER)
        && !scan.is(at, class::FUNCTION)
        && (at == 0 || !scan.toks[at - 1].is_letter());
    let Some(code) = first.then(|| read(scan, at)).flatten() else { return };
    if code.letters == 1
        && (12..=14).contains(&code.digits)
        && scan.cue_before(at, cues::NEGATIVE, REACH) == 0
    {
        scan.propose(Kind::DriversLicense, at, code.end, 0.7);
    }
}

/// The code right behind a cue, with no more than small words between. Gives whether there was one.
fn after_cue(scan: &mut Scan<'_>, mask: u64, cue_end: usize) -> bool {
    let Some(start) = (cue_end..scan.toks.len().min(cue_end + REACH + 1)).find(|at| !passes(scan, *at))
    else {
        return false;
    };
    let Some(code) = read(scan, start) else { return false };
    let Some(kind) = kind_of(mask, &code) else { return false };
    if mask & (LICENSE | PASSPORT | MEDICAL_ID | IBAN) == 0 && !telling(&code) {
        return false;
    }
    scan.propose(kind, start, code.end, 0.9);
    true
}

/// "license number, uh hold on, it's in my purse, okay, S one two …": other words may stand between where the code can
/// hardly be anything else, up to the cue of another number. Into a next sentence only for one with a letter: "… at the
/// courthouse. The number on it is Y2095583."
fn further_on(scan: &mut Scan<'_>, cue: usize) -> bool {
    let Cue { mask, to, .. } = scan.cues[cue];
    if mask & (LICENSE | LICENSE_WEAK | PASSPORT) == 0 {
        return false;
    }
    let other = |c: &&Cue| c.mask & cues::NUMERIC & !cues::WEAK & !mask != 0 && c.mask & cues::NUMBER == 0;
    let next = scan.cues[cue + 1..].iter().take_while(|c| c.from < to + FAR).find(other);
    let limit = scan.toks.len().min(to + FAR).min(next.map_or(usize::MAX, |next| next.from));
    let mut at = to;
    let mut ended = false;
    while at < limit {
        let token = &scan.toks[at];
        ended |= token.is_stop() && at + 1 < scan.toks.len() && scan.toks[at + 1].spaced && at > to + 1;
        if token.form == Form::Mark || token.sign('$') {
            return false;
        }
        let code = starts_code(scan, at).then(|| read(scan, at)).flatten();
        let whole = |code: &Code| dates::date(scan, at).is_none_or(|date| date.end < code.end);
        let fits = code.filter(|code| telling(code) && whole(code));
        let fits = fits.filter(|code| !ended || code.letters > 0 && code.parts == 1);
        if let Some((code, kind)) = fits.and_then(|code| Some((code, kind_of(mask, &code)?))) {
            scan.propose(kind, at, code.end, 0.8);
            return true;
        }
        at = code.map_or(at + 1, |code| code.end.max(at + 1));
    }
    false
}

/// "The officer wrote down S five three zero … as my license number": the code before its cue. One without a letter
/// only with nothing but small words between.
fn further_back(scan: &mut Scan<'_>, cue: usize) {
    let Cue { mask, from, .. } = scan.cues[cue];
    if mask & (LICENSE | LICENSE_WEAK) == 0 {
        return;
    }
    let farthest = from.saturating_sub(BACK + LONGEST_CODE);
    let mut before = scan.cues[..cue].iter().rev().take_while(|c| c.to > farthest);
    let floor = before.find(|c| c.mask & cues::NUMERIC & !cues::WEAK != 0).map_or(farthest, |c| c.to);
    let ends = |at: usize| {
        let token = &scan.toks[at];
        matches!(token.form, Form::Digits | Form::Mixed) || token.is(class::NUMBER) && token.len() > 1
    };
    let Some(last) = (floor.max(from.saturating_sub(BACK))..from).rev().find(|at| ends(*at)) else { return };
    let between = &scan.toks[last + 1..from];
    if between.iter().any(|t| t.is_stop() || t.form == Form::Mark) {
        return;
    }
    let mut start = last;
    while start > floor && last - start < LONGEST_CODE && in_code(scan, start - 1) {
        start -= 1;
    }
    // Small words at its front are none of it: "it's p like peter one three …" begins with the p.
    let start = (start..=last).find(|at| starts_code(scan, *at) || said_letter(scan, *at));
    let Some((start, code)) = start.and_then(|at| Some((at, read(scan, at)?))) else { return };
    let small =
        |t: &Token| t.is(class::CONNECTOR | class::FILLER | class::PERSONAL | class::FUNCTION) || t.sign(',');
    let near = code.letters > 0 || between.iter().all(small);
    if near && code.end > last && telling(&code) && dates::date(scan, start).is_none() {
        scan.propose(Kind::DriversLicense, start, code.end, 0.75);
    }
}

fn said_letter(scan: &Scan<'_>, at: usize) -> bool {
    scan.toks[at].is_letter() && spelled(scan, at + 1) > at + 1
}

/// Whether a token may stand in a code that was said: a letter, digits, "like peter", a filler between.
fn in_code(scan: &Scan<'_>, at: usize) -> bool {
    let token = &scan.toks[at];
    match token.form {
        Form::Digits | Form::Mixed => true,
        Form::Sign(c) => {
            matches!(c, '-' | ',')
                && !(c == ','
                    && scan.toks[at + 1].is_word()
                    && scan.toks[at + 1].len() > 1
                    && !scan.is(at + 1, class::NUMBER))
        }
        Form::Word => {
            let like = |n: usize| {
                scan.hash_is(n, hash_of("like"))
                    || scan.hash_is(n, hash_of("in"))
                    || scan.hash_is(n, hash_of("as"))
            };
            token.is(class::NUMBER | class::REPEAT) || token.is_letter() || like(at) || at > 0 && like(at - 1)
        }
        Form::Mark => false,
    }
}

/// Long enough for a code, and no phone number.
fn telling(code: &Code) -> bool {
    let total = code.letters + code.digits;
    if code.letters == 0 {
        let digits = code.values.as_slice();
        let phone = checks::nanp(digits) || matches!(digits, [1, rest @ ..] if checks::nanp(rest));
        return (7..=14).contains(&total) && !phone && !(total == 7 && code.parts == 2);
    }
    (code.digits >= 5 && code.letters <= 4)
        || (code.digits >= 4 && total >= 8)
        || (code.digits >= 3 && total >= 10 && code.parts == 1)
}

/// What may stand between "license" and its number: "number is", ": #", "from Ohio".
fn passes(scan: &Scan<'_>, at: usize) -> bool {
    let token = &scan.toks[at];
    if starts_code(scan, at) {
        return false;
    }
    token.is(class::CONNECTOR | class::FILLER | class::STATE | class::STATE_FIRST | class::STATE_SECOND)
        || matches!(token.form, Form::Sign(':' | '#' | ',' | '.' | '=' | '-' | '?' | '"'))
        || matches!(scan.word(at), "from" | "in" | "issued" | "which" | "de" | "and" | "sure" | "yes" | "it")
}

/// A letter starts one only before more of it: "a" alone is a word.
fn starts_code(scan: &Scan<'_>, at: usize) -> bool {
    let Some(token) = scan.toks.get(at) else { return false };
    match token.form {
        Form::Digits | Form::Mixed => true,
        Form::Word if token.is(class::NUMBER | class::REPEAT) && token.len() > 1 => true,
        Form::Word if said_letter_es(scan, at) => true,
        Form::Word if token.is_letter() || token.is(class::LETTER_WORD) => {
            // "It's S, 5 3 0, …".
            let comma = usize::from(scan.sign(at + 1, ',') && token.is_letter() && token.case != Case::Lower);
            continues(scan, at + 1 + comma)
        }
        Form::Word => {
            lettered(scan, at)
                || token.case == Case::Upper && (beside_dash(scan, at) || before_digits(scan, at))
        }
        _ => false,
    }
}

fn continues(scan: &Scan<'_>, at: usize) -> bool {
    scan.toks.get(at).is_some_and(|t| {
        matches!(t.form, Form::Digits | Form::Mixed)
            || t.is(class::NUMBER | class::REPEAT | class::SPELL)
            || (t.is_letter() && !t.is(class::FUNCTION))
            || (t.sign('-') && !t.spaced)
    })
}

fn read(scan: &Scan<'_>, start: usize) -> Option<Code> {
    let mut code = Code::default();
    let mut at = start;
    while at < scan.toks.len() && at < start + LONGEST_CODE {
        let token = &scan.toks[at];
        match token.form {
            Form::Digits => {
                if at > start && scan.sign(at - 1, '$') {
                    break;
                }
                let digits = written(scan.text, token);
                code.digits += digits.len();
                code.values.append(&digits);
                code.parts += 1;
                at += 1;
                code.end = at;
            }
            Form::Mixed => {
                let digits = scan.word(at).bytes().filter(u8::is_ascii_digit).count();
                code.digits += digits;
                code.parts += 1;
                code.letters += token.len() - digits;
                at += 1;
                code.end = at;
            }
            Form::Word if token.is(class::NUMBER | class::REPEAT) && token.len() > 1 => {
                let Some((digits, next)) = spoken(scan, at) else { break };
                code.digits += digits.len();
                code.values.append(&digits);
                code.parts += 1;
                at = next;
                code.end = at;
            }
            Form::Word if letter_of(scan.text, token).is_some() || said_letter_es(scan, at) => {
                code.letters += 1;
                at = spelled(scan, at + 1);
                if at < scan.toks.len() && scan.glued(at) || token.case != Case::Lower {
                    code.end = at;
                }
            }
            Form::Word
                if lettered(scan, at)
                    || token.case == Case::Upper
                        && token.len() <= 12
                        && (beside_dash(scan, at) || before_digits(scan, at)) =>
            {
                code.letters += token.len();
                at += 1;
                code.end = at;
            }
            Form::Sign('-' | '.' | '*' | ' ') if continues(scan, at + 1) || scan.glued(at + 1) => at += 1,
            Form::Sign(',') if continues(scan, at + 1) => at += 1,
            Form::Word if token.is(class::FILLER) && continues(scan, at + 1) => at += 1,
            _ => break,
        }
    }
    (code.digits > 0).then_some(code)
}

/// "la efe siete uno …": a letter by its Spanish name, before digits.
fn said_letter_es(scan: &Scan<'_>, at: usize) -> bool {
    let token = &scan.toks[at];
    token.is(class::ES_LETTER) && token.len() >= 3 && scan.is(at + 1, class::NUMBER | class::REPEAT)
}

/// "RK 482 913".
fn before_digits(scan: &Scan<'_>, at: usize) -> bool {
    scan.toks[at].len() <= 3 && scan.toks.get(at + 1).is_some_and(|t| t.form == Form::Digits)
}

/// "vq 660 183": two small letters that are no word.
fn lettered(scan: &Scan<'_>, at: usize) -> bool {
    let token = &scan.toks[at];
    let known = class::WORD
        | class::FUNCTION
        | class::ES_FUNCTION
        | class::STATE_ABBR
        | class::UNIT
        | class::PARTICLE;
    token.is_word()
        && token.len() == 2
        && !token.is(known | class::CONNECTOR | class::QUANTITY)
        && before_digits(scan, at)
}

fn beside_dash(scan: &Scan<'_>, at: usize) -> bool {
    ((scan.sign(at + 1, '-') || scan.sign(at + 1, '*')) && scan.glued(at + 1))
        || (at > 0 && scan.sign(at - 1, '-') && scan.glued(at))
}

/// Passes "as in David", "for David".
fn spelled(scan: &Scan<'_>, at: usize) -> usize {
    let word =
        |n: usize| scan.toks.get(n).is_some_and(|t| t.is_word() && !t.is_letter() && !t.is(class::NUMBER));
    if scan.hash_is(at, hash_of("as")) && scan.hash_is(at + 1, hash_of("in")) && word(at + 2) {
        return at + 3;
    }
    let like = scan.hash_is(at, hash_of("for"))
        || scan.hash_is(at, hash_of("like"))
        || scan.hash_is(at, hash_of("de"));
    if like && word(at + 1) { at + 2 } else { at }
}

fn kind_of(mask: u64, code: &Code) -> Option<Kind> {
    let total = code.letters + code.digits;
    if mask & IBAN != 0 {
        return (code.digits >= 10 && total >= 15).then_some(Kind::BankAccount);
    }
    if mask & PASSPORT != 0 {
        return (code.digits >= 6 && (6..=12).contains(&total)).then_some(Kind::Passport);
    }
    if mask & (LICENSE | LICENSE_WEAK) != 0 {
        let enough = code.digits >= 4 || (code.digits == 3 && total >= 8);
        return (enough && (5..=20).contains(&total)).then_some(Kind::DriversLicense);
    }
    (code.digits >= 4 && (5..=15).contains(&total)).then_some(Kind::Medical)
}

/// "D1234567 is my license number".
fn before_cue(scan: &mut Scan<'_>, at: usize) {
    if scan.toks[at].len() < 6 {
        return;
    }
    let mask = scan.cue_after(at + 1, cues::NUMERIC) & (LICENSE | LICENSE_WEAK | PASSPORT | MEDICAL_ID);
    if mask == 0 {
        return;
    }
    if let Some(kind) = read(scan, at).and_then(|code| kind_of(mask, &code)) {
        scan.propose(kind, at, at + 1, 0.85);
    }
}

/// Accounts after ISO 13616 need no cue: their check digits tell.
fn accounts(scan: &mut Scan<'_>, at: usize) {
    let head = scan.word(at).as_bytes();
    if head.len() < 4
        || !head[..2].iter().all(u8::is_ascii_alphabetic)
        || !head[2..4].iter().all(u8::is_ascii_digit)
    {
        return;
    }
    let mut joined = String::new();
    let mut best = None;
    for end in at..scan.toks.len().min(at + 12) {
        let token = &scan.toks[end];
        let group = token.form == Form::Word && token.len() <= 4 && token.case != Case::Lower;
        if group || matches!(token.form, Form::Digits | Form::Mixed) {
            joined.push_str(&scan.word(end).to_ascii_uppercase());
        } else if !scan.sign(end, '-') {
            break;
        }
        if joined.len() > 34 {
            break;
        }
        if checks::iban(&joined) {
            best = Some(end + 1);
        }
    }
    if let Some(end) = best {
        scan.propose(Kind::BankAccount, at, end, 0.98);
    }
}

/// The same, said: "d e two nine three seven …".
fn said_account(scan: &mut Scan<'_>, at: usize) {
    if !scan.toks.get(at + 1).is_some_and(Token::is_letter) || !continues(scan, at + 2) {
        return;
    }
    let mut joined = String::new();
    let mut next = at;
    while next < scan.toks.len().min(at + LONGEST_CODE) && joined.len() < 34 {
        let token = &scan.toks[next];
        if let Some(letter) = letter_of(scan.text, token).filter(|_| token.is_letter()) {
            joined.push(letter.to_ascii_uppercase());
            next += 1;
        } else if token.form == Form::Digits {
            joined.push_str(scan.word(next));
            next += 1;
        } else if let Some((digits, after)) = spoken(scan, next) {
            joined.extend(digits.as_slice().iter().map(|digit| char::from(b'0' + digit)));
            next = after;
        } else if token.is(class::FILLER) {
            next += 1;
        } else {
            break;
        }
        if checks::iban(&joined) {
            scan.propose(Kind::BankAccount, at, next, 0.95);
        }
    }
}
