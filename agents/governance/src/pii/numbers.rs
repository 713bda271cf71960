//! Digits as written and as spoken, as pieces in runs: "four eleven", "double five", "seven hundred", "555".

use super::lexicon::class;
use super::scan::Scan;
use super::token::{Form, Token};

/// Longest number of digits that anything of interest has.
pub(super) const LONGEST: usize = 20;
/// Tokens that may lie between two pieces of one number.
const WIDEST_GAP: usize = 4;

/// Up to [`LONGEST`] digits; `over` when there were more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Digits {
    values: [u8; LONGEST],
    len: u8,
    pub(super) over: bool,
}

impl Digits {
    pub(super) fn as_slice(&self) -> &[u8] {
        &self.values[..usize::from(self.len)]
    }

    pub(super) const fn len(&self) -> usize {
        self.len as usize
    }

    pub(super) fn push(&mut self, digit: u8) {
        match self.values.get_mut(usize::from(self.len)) {
            Some(place) => {
                *place = digit;
                self.len += 1;
            }
            None => self.over = true,
        }
    }

    pub(super) fn append(&mut self, other: &Self) {
        other.as_slice().iter().for_each(|d| self.push(*d));
        self.over |= other.over;
    }

    /// The digits of a number as it is written.
    fn of(number: u32) -> Self {
        let mut digits = Self::default();
        let mut unit = 1_000_000_000;
        while unit > 0 {
            let digit = number / unit % 10;
            if digit != 0 || digits.len() > 0 || unit == 1 {
                digits.push(u8::try_from(digit).unwrap_or_default());
            }
            unit /= 10;
        }
        digits
    }

    pub(super) fn number(&self) -> u64 {
        self.as_slice().iter().fold(0_u64, |n, d| n.saturating_mul(10).saturating_add(u64::from(*d)))
    }
}

/// What lies between a piece and the one before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Gap {
    /// The run begins here.
    Start,
    Blank,
    Dash,
    Dot,
    Comma,
    /// Fillers, brackets and the like.
    Other,
}

/// Digits that were said or written in one breath, over the tokens `from..to`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) digits: Digits,
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) spoken: bool,
    pub(super) gap: Gap,
}

/// Value of the digits of a token that has nothing else.
pub(super) fn written(text: &str, token: &Token) -> Digits {
    let mut digits = Digits::default();
    for c in text[token.start..token.end].chars() {
        let value = c.to_digit(10).or_else(|| (c as u32).checked_sub('０' as u32).filter(|v| *v < 10));
        if let Some(value) = value {
            digits.push(u8::try_from(value).unwrap_or_default());
        }
    }
    digits
}

/// Digits said one by one or in pairs, as some recognisers write them: "9 0 1 2", "6-3-2-8". How many digits they are,
/// at most `most`, and the token after them.
pub(super) fn said_apart(scan: &Scan<'_>, at: usize, most: usize) -> Option<(usize, usize)> {
    let short = |n: usize| scan.toks.get(n).filter(|t| t.form == Form::Digits && t.len() <= 2);
    let (mut count, mut end, mut pieces) = (short(at)?.len(), at + 1, 1);
    loop {
        let dash = usize::from(scan.sign(end, '-') && scan.glued(end) && scan.glued(end + 1));
        let next = end + dash;
        let Some(more) = short(next).filter(|t| dash > 0 || t.spaced) else { break };
        count += more.len();
        if count > most {
            return None;
        }
        pieces += 1;
        end = next + 1;
    }
    let part =
        ['/', '.', ':', '%'].iter().any(|c| scan.sign(end, *c) && scan.glued(end) && scan.glued(end + 1));
    (!part && pieces >= 2 && (3..=most).contains(&count) && (pieces > 2 || !scan.sign(at + 1, '-')))
        .then_some((count, end))
}

/// A spoken number from this token on, as one would write it, and the token after it.
pub(super) fn spoken(scan: &Scan<'_>, at: usize) -> Option<(Digits, usize)> {
    let token = scan.toks.get(at)?;
    if token.is(class::REPEAT) {
        // "double seven", "double 7".
        let next = scan.toks.get(at + 1)?;
        let digit = match next.form {
            Form::Digits if next.len() == 1 => *written(scan.text, next).as_slice().first()?,
            _ if next.is(class::DIGIT) => u8::try_from(next.value).ok()?,
            _ => return None,
        };
        let mut digits = Digits::default();
        (0..token.value).for_each(|_| digits.push(digit));
        return Some((digits, at + 2));
    }
    // "… ocho dos cuatro o si no": no zero.
    let or = token.is_letter()
        && scan.toks.get(at + 1).is_some_and(|t| {
            t.is(class::ES_FUNCTION) && !t.is(class::NUMBER) || t.hash == super::lexicon::hash_of("si")
        });
    if or {
        return None;
    }
    if token.is(class::DIGIT) && !scan.is(at + 1, class::MULT) {
        return Some((Digits::of(u32::from(token.value)), at + 1));
    }
    cardinal(scan, at).map(|(number, next)| (Digits::of(number), next))
}

/// A number in words by the rules of counting: "one hundred and twenty three", "mil novecientos setenta y cuatro".
pub(super) fn cardinal(scan: &Scan<'_>, at: usize) -> Option<(u32, usize)> {
    if scan.toks.get(at)?.is(class::MULT) {
        return (scan.toks[at].value == 1000).then(|| thousands(scan, 1000, at + 1));
    }
    let (small, next) = below_thousand(scan, at)?;
    if scan.is(next, class::MULT) && scan.toks[next].value == 1000 && small < 1000 {
        return Some(thousands(scan, small * 1000, next + 1));
    }
    Some((small, next))
}

fn thousands(scan: &Scan<'_>, thousands: u32, at: usize) -> (u32, usize) {
    let after_and = at + usize::from(joins(scan, at));
    let lone_digits =
        scan.is(after_and, class::DIGIT) && scan.is(after_and + 1, class::NUMBER & !class::MULT);
    match below_thousand(scan, after_and) {
        Some((rest, next)) if !lone_digits && rest < 1000 => (thousands + rest, next),
        _ => (thousands, at),
    }
}

fn below_thousand(scan: &Scan<'_>, at: usize) -> Option<(u32, usize)> {
    let token = scan.toks.get(at)?;
    if token.is(class::HUNDREDS) {
        return Some(match below_hundred(scan, at + 1) {
            Some((rest, next)) => (u32::from(token.value) + rest, next),
            None => (u32::from(token.value), at + 1),
        });
    }
    let (small, next) = below_hundred(scan, at)?;
    if !(scan.is(next, class::MULT) && scan.toks[next].value == 100) {
        return Some((small, next));
    }
    let hundreds = small * 100;
    let rest_at = next + 1 + usize::from(joins(scan, next + 1));
    Some(match below_hundred(scan, rest_at) {
        // "eight hundred five five five": the digits stand for themselves.
        Some((_, after)) if scan.is(rest_at, class::DIGIT) && scan.is(after, class::NUMBER) => {
            (hundreds, next + 1)
        }
        Some((rest, after)) => (hundreds + rest, after),
        None => (hundreds, next + 1),
    })
}

fn below_hundred(scan: &Scan<'_>, at: usize) -> Option<(u32, usize)> {
    let token = scan.toks.get(at)?;
    let value = u32::from(token.value);
    if token.is(class::DIGIT | class::TEEN) {
        return Some((value, at + 1));
    }
    if !token.is(class::TENS) {
        return None;
    }
    let mut next = at + 1;
    next += usize::from(scan.sign(next, '-') && scan.glued(next) && scan.glued(next + 1));
    next += usize::from(scan.hash_is(next, super::lexicon::hash_of("y")));
    let unit = scan.toks.get(next).filter(|t| t.is(class::DIGIT) && t.value > 0);
    Some(unit.map_or((value, at + 1), |unit| (value + u32::from(unit.value), next + 1)))
}

fn joins(scan: &Scan<'_>, at: usize) -> bool {
    scan.hash_is(at, super::lexicon::hash_of("and")) && scan.is(at + 1, class::NUMBER)
}

/// All pieces of a text, run after run.
pub(super) fn pieces(scan: &Scan<'_>) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut at = 0;
    let mut run_end: Option<usize> = None;
    while at < scan.toks.len() {
        let token = &scan.toks[at];
        let read = if token.form == Form::Digits {
            Some((written(scan.text, token), at + 1, false))
        } else if let Some(digits) = with_extension(scan, at) {
            Some((digits, at + 1, false))
        } else if token.is(class::NUMBER | class::REPEAT) {
            spoken(scan, at).map(|(digits, next)| (digits, next, true))
        } else if homophone(scan, at, &out, run_end) {
            Some((Digits::of(u32::from(token.value)), at + 1, true))
        } else {
            None
        };
        let Some((digits, next, spoken)) = read else {
            if !separates(scan, at, run_end) || parts_written(scan, at, &out) {
                run_end = None;
            }
            at += 1;
            continue;
        };
        let gap = run_end.map_or(Gap::Start, |end| gap(scan, end, at));
        if excluded(scan, at, next, run_length(&out, gap)) {
            run_end = None;
        } else {
            out.push(Piece { digits, from: at, to: next, spoken, gap });
            run_end = Some(next);
        }
        at = next;
    }
    out
}

/// "0143x12": the end of a phone number with its extension.
pub(super) fn with_extension(scan: &Scan<'_>, at: usize) -> Option<Digits> {
    let token = scan.toks.get(at).filter(|t| t.form == Form::Mixed && t.len() <= 16)?;
    let (number, extension) = scan.text[token.start..token.end].split_once(['x', 'X'])?;
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    (matches!(number.len(), 4 | 7 | 10) && digits(number) && digits(extension)).then(|| {
        let mut out = Digits::default();
        number.bytes().for_each(|b| out.push(b - b'0'));
        out
    })
}

fn run_length(out: &[Piece], gap: Gap) -> usize {
    if gap == Gap::Start {
        return 0;
    }
    out.iter().rev().take(LONGEST).position(|p| p.gap == Gap::Start).map_or(LONGEST, |n| n + 1)
}

/// "for" and "to" between single spoken digits are digits that a recogniser spelled as words.
fn homophone(scan: &Scan<'_>, at: usize, out: &[Piece], run_end: Option<usize>) -> bool {
    let single = |p: &Piece| p.spoken && p.digits.len() == 1;
    let after =
        |n: usize| scan.is(n, class::DIGIT) || (scan.is(n, class::HOMOPHONE) && scan.is(n + 1, class::DIGIT));
    scan.is(at, class::HOMOPHONE)
        && run_end == Some(at)
        && out.len() >= 2
        && out[out.len() - 2..].iter().all(single)
        && out.last().is_some_and(|p| p.gap != Gap::Start)
        && (after(at + 1) || ends_phone(scan, at, out))
}

/// "… oh one four three for": the tenth digit of a number that was said one by one ends the text.
fn ends_phone(scan: &Scan<'_>, at: usize, out: &[Piece]) -> bool {
    let nine = out.len() >= 9 && out[out.len() - 9..].iter().all(|p| p.spoken && p.digits.len() == 1);
    let ends = scan.toks.get(at + 1).is_none_or(|t| matches!(t.form, Form::Sign(_)));
    nine && ends && !scan.toks[at].is(class::FILLER)
}

/// "693-41-0287 and 693-41-0291": between written numbers the word divides, in a spoken one it is a filler.
fn parts_written(scan: &Scan<'_>, at: usize, out: &[Piece]) -> bool {
    let divides = matches!(scan.word(at), "and" | "or" | "y" | "e" | "then");
    divides && out.last().is_some_and(|piece| !piece.spoken && piece.digits.len() > 1)
}

/// Whether a token that is no number may stand inside one.
fn separates(scan: &Scan<'_>, at: usize, run_end: Option<usize>) -> bool {
    let Some(end) = run_end else { return false };
    let token = &scan.toks[at];
    if at - end >= WIDEST_GAP {
        return false;
    }
    match token.form {
        Form::Sign('-' | '‐' | '‑' | '–' | '—' | ',' | '(' | ')' | '…') => true,
        Form::Sign('.') => true,
        Form::Sign('/') => at > 0 && area_and_slash(scan, at - 1),
        Form::Word => token.is(class::FILLER) || matches!(scan.word(at), "dot" | "period" | "punto"),
        _ => false,
    }
}

fn gap(scan: &Scan<'_>, from: usize, to: usize) -> Gap {
    match &scan.toks[from..to] {
        [] => Gap::Blank,
        [t] => match t.form {
            Form::Sign('-' | '‐' | '‑' | '–') => Gap::Dash,
            Form::Sign('.') => Gap::Dot,
            Form::Sign(',') => Gap::Comma,
            _ if matches!(scan.word(from), "dash" | "hyphen" | "guion") => Gap::Dash,
            _ if matches!(scan.word(from), "dot" | "period" | "punto") => Gap::Dot,
            _ => Gap::Other,
        },
        _ => Gap::Other,
    }
}

/// Amounts, times, fractions, and digits that belong to a reference such as "RB-2026-004417".
fn excluded(scan: &Scan<'_>, from: usize, to: usize, run: usize) -> bool {
    let before = from.checked_sub(1);
    let sign_before = before.filter(|_| scan.glued(from)).map(|b| scan.toks[b].form);
    if matches!(sign_before, Some(Form::Sign('$' | '€' | '£' | '/' | ':' | '_')))
        && !scan.sign_is_label(from)
        && !(from > 1 && area_and_slash(scan, from - 2))
    {
        return true;
    }
    if run == 0 && to == from + 1 && no_digit(scan, from) {
        return true;
    }
    if belongs_to_reference(scan, from) || letters_follow(scan, to) {
        return true;
    }
    let after_sign = scan.toks.get(to).filter(|t| !t.spaced).map(|t| t.form);
    if area_and_slash(scan, from) {
        return false;
    }
    let times = matches!(after_sign, Some(Form::Sign('%' | '/' | ':' | '°' | '_')))
        && (after_sign == Some(Form::Sign('%')) || scan.glued(to + 1));
    let skip = usize::from(scan.sign(to, '-'));
    let of_things = run < 3 && scan.is(to + skip, class::QUANTITY);
    times || of_things
}

/// "the last four", "the other one": words that count or point.
fn no_digit(scan: &Scan<'_>, at: usize) -> bool {
    const POINTS: [&str; 12] = [
        "other", "this", "that", "which", "last", "first", "second", "new", "old", "another", "right",
        "wrong",
    ];
    let Some(before) = at.checked_sub(1) else { return false };
    let is = |n: usize, word: &str| scan.hash_is(n, super::lexicon::hash_of(word));
    is(before, "last") || (is(at, "one") && POINTS.iter().any(|word| is(before, word)))
}

/// "210/555-0190".
fn area_and_slash(scan: &Scan<'_>, at: usize) -> bool {
    let digits = |n: usize, len: usize| {
        scan.toks.get(n).is_some_and(|t| t.form == Form::Digits && t.len() == len && (n == at || !t.spaced))
    };
    let sign = |n: usize, signs: &[char]| scan.glued(n) && signs.iter().any(|c| scan.sign(n, *c));
    digits(at, 3)
        && sign(at + 1, &['/'])
        && digits(at + 2, 3)
        && sign(at + 3, &['-', '.'])
        && digits(at + 4, 4)
}

fn letters_follow(scan: &Scan<'_>, to: usize) -> bool {
    let dash = scan.sign(to, '-') && scan.glued(to) && scan.glued(to + 1);
    let next = scan.toks.get(to + 1);
    dash && with_extension(scan, to + 1).is_none()
        && next.is_some_and(|t| matches!(t.form, Form::Word | Form::Mixed) && !t.is(class::NUMBER))
}

fn belongs_to_reference(scan: &Scan<'_>, from: usize) -> bool {
    let mut at = from;
    // A bounded walk: references have few parts.
    for _ in 0..6 {
        if at < 2 || !scan.glued(at) || !scan.glued(at - 1) || !scan.sign(at - 1, '-') {
            return false;
        }
        at -= 2;
        let token = &scan.toks[at];
        match token.form {
            Form::Word if !token.is(class::NUMBER) => return !matches!(scan.word(at), "tel" | "Tel" | "fax"),
            Form::Mixed => return true,
            _ => {}
        }
    }
    false
}

impl Scan<'_> {
    /// "SSN:078…": the colon belongs to a word, not to a time.
    fn sign_is_label(&self, at: usize) -> bool {
        at >= 2 && self.sign(at - 1, ':') && self.toks[at - 2].form != Form::Digits
    }
}
