//! Descriptions of tools by servers outside. Honest ones speak to a model as a matter of course ("Use this tool when the
//! caller asks for…"), so such openings are set aside and the rest is judged; what only a hostile one says (secrecy, other
//! tools, files, the conversation itself) is looked for by patterns of its own.

use std::sync::LazyLock;

use regex::RegexSet;

use super::{Channel, Context, Guard};

/// Patterns over folded words: lower case, one space between.
static HOSTILE: LazyLock<RegexSet> = LazyLock::new(|| {
    let lines = include_str!("../../data/guard/descriptions.txt").lines();
    RegexSet::new(lines.filter(|line| !line.is_empty() && !line.starts_with('#')))
        .expect("a test compiles these patterns")
});

/// Openings by which a description says when its tool is for, and what to ask a caller for.
const OPENINGS: [&str; 5] = ["use", "call", "invoke", "run", "ask"];
const THIS: [&str; 9] = ["this", "it", "the", "when", "to", "caller", "user", "customer", "them"];
/// Words of such an opening at most: "only use this tool when".
const OPENING: usize = 6;
const ENDS: [&str; 7] = ["when", "whenever", "to", "if", "for", "before", "after"];

impl Guard {
    /// Whether a model may read this description of a tool.
    #[must_use]
    pub fn is_honest_description(&self, text: &str) -> bool {
        let words: Vec<String> = self.words(text).into_iter().map(|word| word.text).collect();
        let folded = words.join(" ");
        !HOSTILE.is_match(&folded)
            && self.judge(&without_openings(text), Channel::Document, Context::default()).is_clean()
    }
}

/// The text without the openings of its sentences that say when the tool is for.
fn without_openings(text: &str) -> String {
    let sentences = text.split_inclusive(['.', '\n', ';']);
    sentences.map(without_opening).collect::<Vec<_>>().join(" ")
}

fn without_opening(sentence: &str) -> &str {
    let plain = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let mut opened = false;
    let mut rest = sentence.trim_start();
    for _ in 0..OPENING {
        let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let word = plain(word);
        if opened && ENDS.contains(&word.as_str()) {
            return after.trim_start();
        }
        let begins = OPENINGS.contains(&word.as_str());
        let fits = begins
            || matches!(
                word.as_str(),
                "only" | "always" | "please" | "tool" | "function" | "should" | "be" | "used"
            )
            || THIS.contains(&word.as_str());
        if !fits || after.is_empty() {
            return sentence;
        }
        opened |= begins || word == "used";
        rest = after.trim_start();
    }
    sentence
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn lines(text: &'static str) -> Vec<&'static str> {
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("# ")).collect()
    }

    #[test]
    fn honest_descriptions_pass_and_hostile_ones_do_not() {
        let guard = Guard::shipped().unwrap();
        let honest = lines(include_str!("../../data/guard/dev/descriptions/honest.txt"));
        let hostile = lines(include_str!("../../data/guard/dev/descriptions/hostile.txt"));
        assert!(honest.len() >= 20 && hostile.len() >= 20);
        let refused: Vec<&str> =
            honest.into_iter().filter(|text| !guard.is_honest_description(text)).collect();
        let passed: Vec<&str> =
            hostile.into_iter().filter(|text| guard.is_honest_description(text)).collect();
        assert_eq!((refused, passed), (Vec::<&str>::new(), Vec::new()));
    }

    #[test]
    fn only_an_opening_is_set_aside() {
        assert_eq!(without_openings("Use this tool when a caller asks."), "a caller asks.");
        assert_eq!(without_openings("Only use it to find permits."), "find permits.");
        assert_eq!(without_openings("Finds permits. Call this if asked."), "Finds permits. asked.");
        assert_eq!(without_openings("Used for permits."), "permits.");
        assert_eq!(without_openings("Ask the caller to confirm it."), "confirm it.");
        assert_eq!(
            without_openings("To use the library you need a card."),
            "To use the library you need a card."
        );
        assert_eq!(without_openings("Use"), "Use");
    }
}
