//! Whether what the agent reads back is right.

use std::collections::BTreeMap;

use gateway::scenario::wanted::Wanted;

use super::words;

/// Words from which a read-back is one of the whole, and not of one value.
const WHOLE: usize = 14;
/// Said before a read-back of what was put right.
const CHANGED: &str = "corrected that|changed that|fixed that|lo cambié|lo corregí";

/// The first kind of value that is read back wrong, or left out of a whole read-back. `from`: the caller's number; `last`:
/// the kind that the caller was asked for last.
#[must_use]
pub fn wrong(truth: &BTreeMap<String, Wanted>, from: &str, last: Option<&str>, text: &str) -> Option<String> {
    let found: Vec<(&String, bool)> =
        truth.iter().map(|(kind, words)| (kind, holds(kind, words, from, text))).collect();
    let right = found.iter().filter(|(_, holds)| *holds).count();
    // What was changed is read alone.
    let part = words::contains(text, CHANGED);
    let whole = right > 0 && words::tokens(text).len() > WHOLE && !part;
    let is_wrong = |kind: &str| match kind {
        // A number is wrong when another one is read back.
        "phone" | "claim" => words::digits(text).len() >= 7 || last == Some(kind),
        "name" => (whole && words::contains(text, "name|nombre")) || last == Some("name"),
        other => whole || (right == 0 && last == Some(other)),
    };
    found.iter().find(|(kind, holds)| !holds && is_wrong(kind)).map(|(kind, _)| (*kind).clone())
}

fn holds(kind: &str, words: &Wanted, from: &str, text: &str) -> bool {
    words.all().iter().all(|wanted| match (kind, wanted.as_str()) {
        // The caller's own number need not be read out.
        ("phone", "from") => {
            words::digits(text).len() < 7 || words::contains(text, &from[from.len().min(2)..])
        }
        ("phone", number) => words::digits(text).contains(&words::digits(number)),
        (_, wanted) => words::contains(text, wanted),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn truth(of: &[(&str, &str)]) -> BTreeMap<String, Wanted> {
        of.iter().map(|(kind, words)| ((*kind).to_owned(), Wanted::from(&[*words][..]))).collect()
    }

    #[test]
    fn a_wrong_value_is_found_in_a_whole_read_back_and_in_a_short_one() {
        let truth = truth(&[("name", "cole"), ("phone", "2025550163"), ("where", "maple")]);
        let read = |place: &str, name: &str, phone: &str| {
            let text = format!(
                "Yesterday at {place}: a deep hole in the road. Your name is {name}, and your number is {phone}."
            );
            wrong(&truth, "+13035550100", Some("phone"), &text)
        };
        assert_eq!(read("Maple Street", "Ann Cole", "202-555-0163"), None);
        assert_eq!(read("Mabel Street", "Ann Cole", "202-555-0163").as_deref(), Some("where"));
        assert_eq!(read("Maple Street", "Ann Coal", "202-555-0163").as_deref(), Some("name"));
        assert_eq!(read("Maple Street", "Ann Cole", "202-555-0164").as_deref(), Some("phone"));
        assert_eq!(
            wrong(&truth, "", Some("where"), "Mabel Street, is that right?").as_deref(),
            Some("where")
        );
        assert_eq!(wrong(&truth, "", Some("where"), "Maple Street, is that right?"), None);
        assert_eq!(wrong(&truth, "", Some("day"), "Tuesday, is that right?"), None);
    }

    #[test]
    fn the_callers_own_number_may_be_left_out() {
        let truth = truth(&[("phone", "from")]);
        assert_eq!(wrong(&truth, "+13035550100", Some("known"), "I have a hole at Maple. Right?"), None);
        assert_eq!(wrong(&truth, "+13035550100", None, "Your number is 303-555-0100. Right?"), None);
        assert!(wrong(&truth, "+13035550100", None, "Your number is 303-555-0199. Right?").is_some());
    }
}
