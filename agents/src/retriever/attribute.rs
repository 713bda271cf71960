//! What kind of fact a question asks for: a price, hours, a place, a phone number, a time span. Decides between
//! passages of one document, where the subject is the same in all of them.

use std::sync::LazyLock;

use regex::RegexSet;

/// Question words, one pattern per kind of fact.
static ASKED: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
    RegexSet::new([
        r"(?i)how much|\bcosts?\b|\bfees?\b|\bprices?\b|\bcharged?\b|\bpay for\b|\bfree\b|expensive|get paid|\bfare\b",
        r"(?i)\bhours?\b|what time|when (do|does|are|is|will|can)|\bopen\b|\bclosed?\b|what days?|which days?|\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b|weekends?|tomorrow|tonight",
        r"(?i)\bwhere\b|\baddress\b|location|located|which (office|building|counter)|do i go\b|how do i get there",
        r"(?i)\b(phone|telephone)\b|(what|which|the|a|your) number|who (do|can|should) i (call|contact)|number (to|do|can|for)",
        r"(?i)how (long|fast|soon|quick)|how many (days|weeks)|when will",
        r"(?i)\blate\b|on time|overdue|don't pay|do not pay|penalt|miss(ed)? (the|my|a) (deadline|payment)|can't pay|can't afford|cannot afford",
        r"(?i)what (do|should) (i|we) (need|bring)|documents|paperwork|do i have to bring",
    ])
    .ok()
});

/// The same kinds, as they look in a passage.
static GIVEN: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
    RegexSet::new([
        r"\$\d|\bfree\b|costs? |percent|cents|\bFees\b",
        r"[ap]\.m\.|\bopen\b|sunrise|Monday|Saturday|\bdue\b|\bHours\b",
        r"\bat \d+ [A-Z]|, \d+ [A-Z][a-z]+|\bat the \w+|\bWhere\b",
        r"\d{3}-\d{3}-\d{4}",
        r"(?i)within|\bdays\b|\bweeks\b|\bhours after\b|takes",
        r"(?i)\blate\b|not paid|cannot pay|payment plan",
        r"(?i)\bbring\b|need an? |photo ID",
    ])
    .ok()
});

/// Share (0–1) of what is asked for that the passage gives; 0 when nothing special is asked for.
#[must_use]
pub fn given(question: &str, passage: &str) -> f32 {
    let (Some(asked), Some(given)) = (ASKED.as_ref(), GIVEN.as_ref()) else { return 0.0 };
    let given = given.matches(passage);
    let asked: Vec<usize> = asked.matches(question).into_iter().collect();
    let held = asked.iter().filter(|kind| given.matched(**kind)).count();
    if asked.is_empty() { 0.0 } else { held as f32 / asked.len() as f32 }
}

/// Whether a question asks for one of these kinds at all.
#[must_use]
pub fn asks(question: &str) -> bool {
    ASKED.as_ref().is_some_and(|asked| asked.is_match(question))
}

#[cfg(test)]
mod tests {
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
