//! Where an utterance may hold more than one wish: its clauses.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// Fewer words are no wish of their own.
const FEWEST: usize = 3;
/// Clauses that are looked at.
const MOST: usize = 4;

/// What stands between two wishes, in both languages.
static BETWEEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)[.?!;]\s+|,?\s+\b(?:and then|and also|and the other thing is|and another thing|and secondly|and|then|also|plus|oh and|second|y también|y después|y luego|y además|además|y otra cosa|después|también|y)\b\s+",
    )
    .expect("clippy compiles every pattern")
});

/// The clauses of an utterance as byte ranges; none where it has fewer than two that are long enough to want something.
#[must_use]
pub fn clauses(text: &str) -> Vec<Range<usize>> {
    let between = &*BETWEEN;
    let mut all: Vec<Range<usize>> = Vec::new();
    let mut from = 0;
    let mut add = |range: Range<usize>| {
        let count = |range: &Range<usize>| text[range.clone()].split_whitespace().count();
        match all.last_mut() {
            // "Hi there and ..." is no clause: it belongs to what follows.
            Some(last) if count(last) < FEWEST || count(&range) < FEWEST => last.end = range.end,
            _ => all.push(range),
        }
    };
    for found in between.find_iter(text) {
        add(from..found.start());
        from = found.end();
    }
    add(from..text.len());
    all.truncate(MOST);
    if all.len() < 2 { Vec::new() } else { all }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        clauses(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn wishes_are_told_apart_and_small_words_stay() {
        assert_eq!(
            cut("two things, my trash was missed and then I want to book an inspection"),
            ["two things, my trash was missed", "I want to book an inspection"]
        );
        assert_eq!(
            cut("hay un bache en mi calle y también quiero dejar un mensaje"),
            ["hay un bache en mi calle", "quiero dejar un mensaje"]
        );
        assert!(cut("salt and pepper").is_empty());
        assert!(cut("it's at the corner of Pine and Third").is_empty());
        assert!(cut("").is_empty());
    }
}
