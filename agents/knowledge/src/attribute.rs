//! What kind of fact a question asks for: a price, hours, a place, a phone number, a time span. Decides between
//! passages of one document, where the subject is the same in all of them.

use std::sync::LazyLock;

use language::english::asked::kinds;
use regex::RegexSet;

/// The kinds of [`language::english::asked`], as they look in a passage.
static GIVEN: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new([
        r"\$\d|\bfree\b|costs? |percent|cents|\bFees\b",
        r"[ap]\.m\.|\bopen\b|sunrise|Monday|Saturday|\bdue\b|\bHours\b",
        r"\bat \d+ [A-Z]|, \d+ [A-Z][a-z]+|\bat the \w+|\bWhere\b",
        r"\d{3}-\d{3}-\d{4}",
        r"(?i)within|\bdays\b|\bweeks\b|\bhours after\b|takes",
        r"(?i)\blate\b|not paid|cannot pay|payment plan",
        r"(?i)\bbring\b|need an? |photo ID",
    ])
    .expect("a test compiles these patterns")
});

/// Share (0–1) of what is asked for that the passage gives; 0 when nothing special is asked for.
#[must_use]
pub fn given(question: &str, passage: &str) -> f32 {
    let given = GIVEN.matches(passage);
    let asked = kinds(question);
    let held = asked.iter().filter(|kind| given.matched(**kind)).count();
    if asked.is_empty() { 0.0 } else { held as f32 / asked.len() as f32 }
}

#[cfg(test)]
mod tests {
    use language::english::asked::asks;

    use super::*;

    #[test]
    fn prices_hours_and_places_are_told_apart() {
        let fee = "A second cart costs $45.";
        let hours = "The office is open Monday through Friday, 8 a.m. to 5 p.m.";
        assert!(given("How much is it?", fee) > given("How much is it?", hours));
        assert!(given("What are the hours?", hours) > given("What are the hours?", fee));
        assert!(!asks("my trash"));
    }
}
