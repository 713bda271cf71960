//! Conditions and medicines that are said of a person: "I have diabetes", not "a diabetes class".

use super::cues::{CONDITION, CONDITION_OF};
use super::kind::Kind;
use super::lexicon::{class, hash_of};
use super::scan::Scan;
use super::token::Token;

/// Words between the person and the condition: "type two", "really bad".
const BETWEEN: usize = 3;

/// Proposes all conditions that are somebody's.
pub(super) fn find(scan: &mut Scan<'_>) {
    for n in 0..scan.cues.len() {
        let cue = scan.cues[n];
        if cue.mask & CONDITION == 0 || scan.is(cue.to, class::NOT_CONDITION) {
            continue;
        }
        let whose = scan.nearest_before(cue.from, CONDITION_OF, BETWEEN);
        if whose.is_some_and(|whose| plain(&scan.toks[whose.to..cue.from])) && !asks(scan, cue.from) {
            scan.propose(Kind::Medical, cue.from, cue.to, 0.75);
        }
    }
}

fn plain(between: &[Token]) -> bool {
    const NOT: [&str; 12] = [
        "about",
        "for",
        "question",
        "questions",
        "appointment",
        "class",
        "to",
        "if",
        "information",
        "against",
        "sobre",
        "para",
    ];
    between.iter().all(|t| t.is_word() && !NOT.iter().any(|word| t.hash == hash_of(word)))
}

/// "Do I have …", "if I have …": nobody says that they do.
fn asks(scan: &Scan<'_>, at: usize) -> bool {
    let from = at.saturating_sub(6);
    (from..at)
        .any(|n| ["do", "does", "if", "whether", "si"].iter().any(|word| scan.hash_is(n, hash_of(word))))
}
