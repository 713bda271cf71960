//! Addresses of machines: four numbers with dots, written or said, and the long ones with colons.

use core::net::Ipv6Addr;

use super::cues::NEGATIVE;
use super::kind::Kind;
use super::lexicon::hash_of;
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
        let end = if scan.toks[at].form == Form::Sign(':') || scan.sign(at + 1, ':') {
            version_six(scan, at)
        } else {
            version_four(scan, at)
        };
        match end {
            Some(end) => {
                if scan.nearest_before(at, NEGATIVE, 3).is_none() {
                    scan.propose(Kind::IpAddress, at, end, 0.93);
                }
                at = end;
            }
            None => at += 1,
        }
    }
}

fn version_four(scan: &Scan<'_>, start: usize) -> Option<usize> {
    if start > 1
        && scan.glued(start)
        && scan.sign(start - 1, '.')
        && scan.toks[start - 2].form == Form::Digits
    {
        return None;
    }
    let mut at = start;
    for part in 0..4 {
        if part > 0 {
            at = dot(scan, at)?;
        }
        at = octet(scan, at)?;
    }
    let more = scan.sign(at, '.') && scan.glued(at) && scan.glued(at + 1) && digits_at(scan, at + 1);
    (!more).then_some(at)
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
fn octet(scan: &Scan<'_>, start: usize) -> Option<usize> {
    let mut digits = Digits::default();
    let mut at = start;
    for _ in 0..3 {
        let Some(token) = scan.toks.get(at) else { break };
        let (more, next) = if token.form == Form::Digits {
            (written(scan.text, token), at + 1)
        } else if let Some(found) = spoken(scan, at) {
            found
        } else {
            break;
        };
        digits.append(&more);
        at = next;
    }
    (at > start && digits.len() <= 3 && !digits.over && digits.number() <= 255).then_some(at)
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
