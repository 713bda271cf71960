//! Addresses of machines: four numbers with dots, written or said, and the long ones with colons.

use core::net::Ipv6Addr;

use super::cues::NEGATIVE;
use super::kind::Kind;
use super::lexicon::{class, hash_of};
use super::numbers::{Digits, spoken, written};
use super::scan::Scan;
use super::token::Form;

/// Longest text of an address of version 6, in bytes, and its tokens.
const LONGEST_V6: usize = 45;
const MOST_TOKENS_V6: usize = 24;

/// Proposes all addresses of the text.
pub(super) fn find(scan: &mut Scan<'_>) {
    let mut at = 0;
    while at < scan.toks.len() {
        let found = if scan.hash_is(at, hash_of("colon")) {
            if let Some((from, end)) = said_six(scan, at) {
                scan.propose(Kind::IpAddress, from, end, 0.9);
                at = end;
                continue;
            }
            None
        } else if scan.toks[at].form == Form::Sign(':') || scan.sign(at + 1, ':') {
            version_six(scan, at).map(|end| (end, true))
        } else {
            version_four(scan, at)
        };
        match found {
            Some((end, plain)) => {
                // "section 4.2.1.3" is none, "permit 198.51.100.23" is one.
                let named = at > 0 && scan.hash_is(at - 1, hash_of("ip"));
                if plain || named || scan.nearest_before(at, NEGATIVE, 3).is_none() {
                    scan.propose(Kind::IpAddress, at, end, 0.93);
                }
                at = end;
            }
            None => at += 1,
        }
    }
}

/// The token after it, and whether it can be nothing else: no section or version has such numbers.
fn version_four(scan: &Scan<'_>, start: usize) -> Option<(usize, bool)> {
    if start > 1
        && scan.glued(start)
        && scan.sign(start - 1, '.')
        && scan.toks[start - 2].form == Form::Digits
    {
        return None;
    }
    let first = octet(scan, start)?;
    let (mut at, mut largest) = (first.end, first.value);
    for _ in 0..3 {
        let next = octet(scan, dot(scan, at)?)?;
        (at, largest) = (next.end, largest.max(next.value));
    }
    // 255.255.255.0 is the mask of a network, nobody's machine.
    if first.value == 255 {
        return None;
    }
    let more = scan.sign(at, '.') && scan.glued(at) && scan.glued(at + 1) && digits_at(scan, at + 1);
    (!more).then_some((at, largest >= 100))
}

fn digits_at(scan: &Scan<'_>, at: usize) -> bool {
    scan.toks.get(at).is_some_and(|t| t.form == Form::Digits)
}

fn dot(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let token = scan.toks.get(at)?;
    let written = token.sign('.') && !token.spaced && scan.glued(at + 1);
    let said = ["dot", "point", "punto", "period"].iter().any(|word| token.hash == hash_of(word));
    (written || said).then_some(at + 1)
}

/// A number up to 255: "192", "one ninety two", "one hundred sixty eight", "one six eight".
fn octet(scan: &Scan<'_>, start: usize) -> Option<Octet> {
    let mut digits = Digits::default();
    let mut end = start;
    for _ in 0..3 {
        let Some(token) = scan.toks.get(end) else { break };
        let (more, next) = if token.form == Form::Digits {
            (written(scan.text, token), end + 1)
        } else if let Some(found) = spoken(scan, end) {
            found
        } else {
            break;
        };
        digits.append(&more);
        end = next;
    }
    let value = digits.number();
    (end > start && digits.len() <= 3 && !digits.over && value <= 255).then_some(Octet { value, end })
}

/// One number of four, with the token after it.
#[derive(Clone, Copy)]
struct Octet {
    value: u64,
    end: usize,
}

/// "two six oh seven colon f b nine zero colon one c colon colon five": what stands around its first colon.
fn said_six(scan: &Scan<'_>, colon: usize) -> Option<(usize, usize)> {
    let sign = |at: usize| scan.hash_is(at, hash_of("colon"));
    let part = |at: usize| {
        let Some(token) = scan.toks.get(at) else { return false };
        let hex = token.len() <= 4 && scan.word(at).bytes().all(|b| b.is_ascii_hexdigit());
        token.is(class::NUMBER | class::REPEAT) || token.form != Form::Mark && hex
    };
    let from = (colon.saturating_sub(8)..colon).rev().take_while(|at| part(*at)).last()?;
    let end = (colon..scan.toks.len().min(colon + 48)).find(|at| !sign(*at) && !part(*at));
    let end = end.unwrap_or(scan.toks.len().min(colon + 48));
    ((from..end).filter(|at| sign(*at)).count() >= 3).then_some((from, end))
}

fn version_six(scan: &Scan<'_>, start: usize) -> Option<usize> {
    let first = scan.toks.get(start)?;
    if start > 0
        && !first.spaced
        && matches!(scan.toks[start - 1].form, Form::Word | Form::Digits | Form::Mixed | Form::Sign(':'))
    {
        return None;
    }
    let hex = |at: usize| scan.word(at).bytes().all(|b| b.is_ascii_hexdigit());
    let mut end = start;
    let mut colons = 0;
    while let Some(token) = scan.toks.get(end).filter(|t| end == start || !t.spaced) {
        let fits = match token.form {
            Form::Sign(':') => true,
            Form::Sign('.') => scan.toks.get(end + 1).is_some_and(|t| !t.spaced && t.form == Form::Digits),
            Form::Word | Form::Digits | Form::Mixed => hex(end),
            _ => false,
        };
        if !fits || end - start > MOST_TOKENS_V6 || token.end - first.start > LONGEST_V6 {
            break;
        }
        colons += usize::from(token.sign(':'));
        end += 1;
    }
    // A colon of the sentence may follow.
    let tried = [end, end.saturating_sub(1)];
    let last = tried.into_iter().find(|end| {
        *end > start
            && colons >= 2
            && scan.text[first.start..scan.toks[end - 1].end].parse::<Ipv6Addr>().is_ok()
    })?;
    let text = &scan.text[first.start..scan.toks[last - 1].end];
    let groups = text.split(':').filter(|group| !group.is_empty()).count();
    (groups >= 2 && text.bytes().filter(u8::is_ascii_hexdigit).count() >= 3).then_some(last)
}
