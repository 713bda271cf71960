//! Keys, tokens, passwords: by how well-known keys begin, and by what is said before them.

use std::sync::LazyLock;

use super::cues::{API_KEY, PASSWORD};
use super::kind::Kind;
use super::lexicon::class;
use super::scan::Scan;
use super::token::{Form, Token};

const SECRETS: &str = include_str!("../../data/pii/secrets.txt");

static PREFIXES: LazyLock<Vec<(&'static str, usize)>> = LazyLock::new(|| {
    SECRETS
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.rsplit_once(' '))
        .filter_map(|(prefix, length)| Some((prefix, length.parse().ok()?)))
        .collect()
});

/// Proposes all secrets of the text.
pub(super) fn find(scan: &mut Scan<'_>) {
    let mut at = 0;
    while at < scan.toks.len() {
        let end = chunk_end(scan, at);
        chunk(scan, at, end);
        at = end;
    }
    for n in 0..scan.cues.len() {
        let cue = scan.cues[n];
        if cue.mask & (PASSWORD | API_KEY) != 0 {
            after_cue(scan, cue.to, cue.mask);
        }
    }
}

/// Tokens up to the next white space.
fn chunk_end(scan: &Scan<'_>, start: usize) -> usize {
    let rest = scan.toks[start + 1..].iter();
    start + 1 + rest.take_while(|t| !t.spaced && t.form != Form::Mark).count()
}

fn chunk(scan: &mut Scan<'_>, from: usize, to: usize) {
    let text = &scan.text[scan.toks[from].start..scan.toks[to - 1].end];
    if text.len() < 16 {
        return;
    }
    if text.starts_with("-----BEGIN") {
        key_block(scan, from);
        return;
    }
    let begins = (from..to).find(|at| {
        let here = &scan.text[scan.toks[*at].start..scan.toks[to - 1].end];
        let free = *at == from
            || matches!(scan.toks[at - 1].form, Form::Sign('=' | ':' | '"' | '\'' | '`' | '(' | ','));
        free && here.len() >= 16
            && PREFIXES.iter().any(|(p, n)| here.len() >= *n && here.starts_with(p) && is_key(here))
    });
    if let Some(at) = begins {
        scan.propose(Kind::Secret, at, trimmed(scan, at, to), 0.97);
    } else if let Some(at) = credentials(scan, from, to) {
        scan.propose(Kind::Secret, from, at, 0.9);
    }
}

/// Keys mix letters with digits or capitals; a long word with hyphens does not.
fn is_key(text: &str) -> bool {
    text.bytes().any(|b| b.is_ascii_digit()) || text.bytes().skip(4).any(|b| b.is_ascii_uppercase())
}

fn trimmed(scan: &Scan<'_>, from: usize, mut to: usize) -> usize {
    while to > from + 1
        && matches!(scan.toks[to - 1].form, Form::Sign('.' | ',' | ';' | '"' | '\'' | ')' | '`' | '!' | '?'))
    {
        to -= 1;
    }
    to
}

/// "postgres://user:word@host": up to the sign.
fn credentials(scan: &Scan<'_>, from: usize, to: usize) -> Option<usize> {
    let scheme = (from..to.saturating_sub(2))
        .take(4)
        .find(|at| scan.sign(*at, ':') && scan.sign(at + 1, '/') && scan.sign(at + 2, '/'))?;
    let host = (scheme..to).take(64).find(|at| scan.sign(*at, '@'))?;
    (scheme + 3..host).any(|at| scan.sign(at, ':')).then_some(host)
}

/// All of a private key in its armour, to the end of its last line.
fn key_block(scan: &mut Scan<'_>, from: usize) {
    let start = scan.toks[from].start;
    if !scan.text[start..].chars().take(48).collect::<String>().contains("PRIVATE KEY") {
        return;
    }
    let end = scan.text[start..].find("-----END").map_or(scan.text.len(), |n| start + n + 8);
    let mut to = scan.toks.partition_point(|t| t.start < end);
    while to < scan.toks.len() && !scan.toks[to].new_line && to - from < 1 << 16 {
        to += 1;
        if scan.sign(to - 1, '-') && !scan.sign(to, '-') {
            break;
        }
    }
    scan.propose(Kind::Secret, from, to, 0.99);
}

fn after_cue(scan: &mut Scan<'_>, cue_end: usize, mask: u64) {
    let passes = |t: &Token| {
        matches!(t.form, Form::Sign(':' | '=' | '"' | '\'' | '`' | ',' | '#'))
            || (t.is(class::CONNECTOR | class::FILLER) && t.is_word() && t.len() > 1)
    };
    let limit = scan.toks.len().min(cue_end + 5);
    let Some(from) = (cue_end..limit).find(|at| !passes(&scan.toks[*at])) else { return };
    // "password is" says it; a colon or an equals sign does too; "password reset" does not.
    let verb = scan.word(from.saturating_sub(1)).to_ascii_lowercase();
    let said = from > 0 && matches!(scan.toks[from - 1].form, Form::Sign(':' | '=' | '"'))
        || matches!(verb.as_str(), "is" | "es" | "was" | "'s" | "’s");
    let to = if scan.toks[from].is(class::NUMBER) {
        spoken_digits(scan, from)
    } else {
        trimmed(scan, from, chunk_end(scan, from))
    };
    let text = &scan.text[scan.toks[from].start..scan.toks[to - 1].end];
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let strange = (digits > 0 || to - from >= 3 && scan.toks[from].is(class::NUMBER))
        && text.len() >= 4
        && scan.toks[from].form != Form::Sign('$')
        && !decimal(text);
    let done = scan.toks[from].is(class::WORD) && (text.ends_with("ed") || text.ends_with("ing"));
    let wordlike = scan.toks[from].is_word() && !done && !common_answer(&scan.toks[from]) && text.len() >= 4;
    let accepted =
        if mask & API_KEY != 0 { text.len() >= 12 && strange } else { strange || (said && wordlike) };
    if accepted && scan.toks[from].form != Form::Mark && (said || strange) {
        scan.propose(Kind::Secret, from, to, 0.8);
    }
}

/// "0.29": a measure.
fn decimal(text: &str) -> bool {
    text.contains('.') && text.bytes().all(|b| b.is_ascii_digit() || b == b'.')
}

fn spoken_digits(scan: &Scan<'_>, from: usize) -> usize {
    let more = scan.toks[from..].iter().take(16).take_while(|t| t.is(class::NUMBER | class::REPEAT)).count();
    from + more.max(1)
}

/// What is said of a password without saying it: "is required", "is wrong".
fn common_answer(token: &Token) -> bool {
    const SAID: [&str; 40] = [
        "required",
        "wrong",
        "not",
        "incorrect",
        "invalid",
        "expired",
        "reset",
        "the",
        "too",
        "working",
        "case",
        "being",
        "protected",
        "needed",
        "stored",
        "on",
        "in",
        "at",
        "different",
        "same",
        "correct",
        "optional",
        "locked",
        "blocked",
        "four",
        "printed",
        "sent",
        "still",
        "never",
        "always",
        "what",
        "my",
        "your",
        "a",
        "an",
        "written",
        "missing",
        "no",
        "incorrecta",
        "obligatoria",
    ];
    token.is(class::FUNCTION) || SAID.iter().any(|word| token.hash == super::lexicon::hash_of(word))
}
