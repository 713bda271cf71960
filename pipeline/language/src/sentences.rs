//! Cutting a text into sentences.

/// Sentences of a text. A full stop ends one only before a space and a capital, digit or quote, and not after
/// the usual abbreviations, so "8 a.m. to 5 p.m." and "St. Mary" stay whole.
#[must_use]
pub fn sentences(text: &str) -> Vec<String> {
    text.split('\n').flat_map(split_line).filter(|s| !s.is_empty()).collect()
}

fn split_line(line: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut start = 0;
    let marks = line.char_indices().filter(|(_, c)| matches!(c, '.' | '!' | '?'));
    for (at, _) in marks {
        if ends_sentence(line, start, at) {
            out.push(line[start..=at].trim().to_owned());
            start = at + 1;
        }
    }
    out.push(line[start..].trim().to_owned());
    out
}

fn ends_sentence(line: &str, start: usize, at: usize) -> bool {
    const ABBREVIATIONS: [&str; 8] = ["st", "mr", "mrs", "ms", "dr", "no", "u.s", "ext"];
    let mut after = line[at + 1..].chars();
    let spaced = after.next().is_none_or(char::is_whitespace);
    let next = after.find(|c| !c.is_whitespace());
    let word = line[start..at].rsplit(char::is_whitespace).next().unwrap_or_default().to_lowercase();
    let starts_new = next.is_none_or(|c| c.is_uppercase() || c.is_ascii_digit() || c == '"');
    let abbreviation = match word.as_str() {
        "a.m" | "p.m" => is_weekday(&line[at + 1..]),
        word => ABBREVIATIONS.contains(&word),
    };
    spaced && starts_new && !abbreviation
}

/// "8 a.m. Monday" goes on; "8 a.m. Permits" does not.
fn is_weekday(rest: &str) -> bool {
    rest.split_whitespace().next().is_some_and(|word| word.trim_end_matches(['s', ',', '.']).ends_with("day"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations_do_not_end_sentences() {
        let text = "Open 8 a.m. to 5 p.m. Monday through Friday. Call first. It costs $3.50 a bag.";
        assert_eq!(
            sentences(text),
            ["Open 8 a.m. to 5 p.m. Monday through Friday.", "Call first.", "It costs $3.50 a bag."]
        );
        assert_eq!(sentences("Closed at 5 p.m. The office is small.").len(), 2);
    }
}
