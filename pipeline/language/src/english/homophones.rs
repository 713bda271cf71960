//! Words that sound alike and that a recogniser cannot tell apart, told apart by the words around them.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// "A whole" stands before a thing; before these, and at the end of a clause, a hole is meant.
static HOLE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b((?:a|the|that|this|big|huge|giant|deep|large|massive|little|small|another)\s+)whole(s?)(\s+(?:right|in|on|at|near|by|here|there|that|which|and|is|was|has|opened|out|outside|down|along|between|across|front|under|behind|so|about)\b|\s*[,.;!?]|\s*$)").expect("clippy compiles every pattern")
});
/// Nobody calls to say what they will not report.
static WANT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^((?:(?:yes|yeah|hi|hello|um|uh|so|well|okay)[, ]+)*i )won't (to )?(report|book|ask|know|leave|speak|talk)\b").expect("clippy compiles every pattern")
});

/// "This mornin": a day's part, as it is said.
static PART_OF_DAY: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\b(mornin|evenin)\b'?").expect("clippy compiles every pattern"));

/// The text with what must have been said in place of what sounds like it.
#[must_use]
pub fn meant(text: &str) -> String {
    let hole = |found: &Captures<'_>| format!("{}hole{}{}", &found[1], &found[2], &found[3]);
    let text = HOLE.replace_all(text, hole);
    let text = PART_OF_DAY.replace_all(&text, "${1}g");
    WANT.replace(&text, "${1}want to $3").into_owned()
}

#[cfg(test)]
mod tests {
    use super::meant;

    #[test]
    fn a_hole_is_told_from_the_whole_by_what_follows() {
        for (heard, said) in [
            (
                "There's a whole right in front of 38 Linden Street",
                "There's a hole right in front of 38 Linden Street",
            ),
            ("it's a big whole, in the road", "it's a big hole, in the road"),
            ("Just a big whole.", "Just a big hole."),
            ("I waited the whole day", "I waited the whole day"),
            ("the whole street is flooded", "the whole street is flooded"),
            ("I seen it this mornin round seven", "I seen it this morning round seven"),
            ("I won't report a rail that is loose", "I want to report a rail that is loose"),
            ("No, I won't report it after all", "No, I won't report it after all"),
        ] {
            assert_eq!(meant(heard), said);
        }
    }
}
