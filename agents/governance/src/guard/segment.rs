//! Letters without spaces cut into known words.

use super::lexicon::Lexicon;

/// Longer runs are cut here, so that the work stays linear.
pub const LONGEST_RUN: usize = 160;
/// Longest word tried.
const LONGEST_WORD: usize = 16;

/// Cuts ASCII letters into as few known words as possible, long ones first in doubt. `None` when there is no way.
pub fn split<'a>(letters: &'a str, lexicon: &Lexicon) -> Option<Vec<&'a str>> {
    let letters = letters.get(..letters.len().min(LONGEST_RUN))?;
    // Cheapest way to each place: its cost, and where its last word began.
    let mut best: Vec<Option<(u32, usize)>> = vec![None; letters.len() + 1];
    best[0] = Some((0, 0));
    for end in 1..=letters.len() {
        for start in end.saturating_sub(LONGEST_WORD)..end {
            let Some((cost, _)) = best[start] else { continue };
            let word = &letters[start..end];
            if !usable(word, lexicon) {
                continue;
            }
            let cost = cost + 10 + if word.len() <= 2 { 8 } else { 0 };
            if best[end].is_none_or(|(known, _)| cost < known) {
                best[end] = Some((cost, start));
            }
        }
    }
    let mut words = Vec::new();
    let mut end = letters.len();
    while end > 0 {
        let (_, start) = best[end]?;
        words.push(&letters[start..end]);
        end = start;
    }
    words.reverse();
    Some(words)
}

fn usable(word: &str, lexicon: &Lexicon) -> bool {
    match word.len() {
        1 => matches!(word, "a" | "i" | "y"),
        2 => matches!(
            word,
            "my" | "me"
                | "to"
                | "of"
                | "in"
                | "is"
                | "it"
                | "do"
                | "be"
                | "as"
                | "no"
                | "on"
                | "or"
                | "so"
                | "we"
                | "us"
                | "up"
                | "if"
                | "an"
                | "at"
                | "by"
                | "go"
                | "he"
                | "ai"
                | "la"
                | "el"
                | "tu"
                | "su"
                | "de"
        ),
        _ => lexicon.knows(word),
    }
}
