//! E-mail addresses as they are written.

use super::kind::Kind;
use super::scan::Scan;
use super::token::Form;

/// Tokens on either side of the sign: more is no address.
const WIDEST: usize = 40;

/// Proposes all written addresses of the text.
pub(super) fn find(scan: &mut Scan<'_>) {
    for at in 1..scan.toks.len() {
        if !scan.sign(at, '@') {
            continue;
        }
        if let (Some(from), Some(to)) = (local(scan, at), domain(scan, at)) {
            scan.propose(Kind::Email, from, to, 0.98);
        }
    }
}

fn local(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let mut from = at;
    while from > 0 && at - from < WIDEST {
        // One blank before the sign is a slip of the one who wrote it.
        if (from < at && scan.toks[from].spaced) || !part_of_local(scan, from - 1) {
            break;
        }
        from -= 1;
    }
    while from < at && matches!(scan.toks[from].form, Form::Sign('.' | '-' | '\'' | '/')) {
        from += 1;
    }
    (from < at).then_some(from)
}

fn part_of_local(scan: &Scan<'_>, at: usize) -> bool {
    matches!(
        scan.toks[at].form,
        Form::Word
            | Form::Digits
            | Form::Mixed
            | Form::Sign('.' | '_' | '%' | '+' | '-' | '\'' | '&' | '/' | '=' | '~')
    )
}

fn domain(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let mut end = None;
    let mut dotted = false;
    for to in at + 1..scan.toks.len().min(at + WIDEST) {
        if to > at + 1 && scan.toks[to].spaced {
            break;
        }
        match scan.toks[to].form {
            Form::Word if dotted && scan.toks[to].len() >= 2 => end = Some(to + 1),
            Form::Word | Form::Digits | Form::Mixed => {
                if end.is_some() {
                    end = Some(to + 1);
                }
            }
            Form::Sign('.') => dotted = true,
            Form::Sign('-' | '_') => {}
            _ => break,
        }
    }
    end
}
