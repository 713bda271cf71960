//! What kind of fact a question asks for: a price, hours, a place, a phone number, a time span.

use std::sync::LazyLock;

use regex::RegexSet;

/// Question words, one pattern per kind of fact.
static ASKED: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new([
        r"(?i)how much|\bcosts?\b|\bfees?\b|\bprices?\b|\bcharged?\b|\bpay for\b|\bfree\b|expensive|get paid|\bfare\b",
        r"(?i)\bhours?\b|what time|when (do|does|are|is|will|can)|\bopen\b|\bclosed?\b|what days?|which days?|\b(mon|tues|wednes|thurs|fri|satur|sun)days?\b|weekends?|tomorrow|tonight",
        r"(?i)\bwhere\b|\baddress\b|location|located|which (office|building|counter)|do i go\b|how do i get there",
        r"(?i)\b(phone|telephone)\b|(what|which|the|a|your) number|who (do|can|should) i (call|contact)|number (to|do|can|for)",
        r"(?i)how (long|fast|soon|quick)|how many (days|weeks)|when will",
        r"(?i)\blate\b|on time|overdue|don't pay|do not pay|penalt|miss(ed)? (the|my|a) (deadline|payment)|can't pay|can't afford|cannot afford",
        r"(?i)what (do|should) (i|we) (need|bring)|documents|paperwork|do i have to bring",
    ])
    .expect("a test compiles these patterns")
});

/// Numbers of the kinds that are asked for, in a fixed order.
#[must_use]
pub fn kinds(question: &str) -> Vec<usize> {
    ASKED.matches(question).into_iter().collect()
}

/// Whether a question asks for one of these kinds at all.
#[must_use]
pub fn asks(question: &str) -> bool {
    ASKED.is_match(question)
}
