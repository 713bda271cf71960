//! Where one model's words end and another's begin: cut between words, and nothing said twice.
#![deny(clippy::disallowed_methods)]

use language::shown::Shape;

/// A word longer than this is none: it passes in pieces.
const LONGEST_WORD: usize = 64;

/// Holds the last word back until it is complete, so that an answer which breaks off ends between words.
#[derive(Default)]
pub(super) struct Words(String);

impl std::fmt::Debug for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Words({:?})", self.0.shape())
    }
}

impl Words {
    /// Everything up to the last blank, that included.
    pub(super) fn push(&mut self, text: &str) -> String {
        self.0.push_str(text);
        let end = match self.0.rfind(char::is_whitespace) {
            _ if self.0.len() > LONGEST_WORD + text.len() => self.0.len(),
            Some(at) => at + self.0[at..].chars().next().map_or(0, char::len_utf8),
            None => 0,
        };
        let rest = self.0.split_off(end);
        std::mem::replace(&mut self.0, rest)
    }

    /// The last word: it is complete.
    pub(super) fn finish(&mut self) -> String {
        std::mem::take(&mut self.0)
    }
}

/// Takes what a second model says to go on, and drops what the first had said already.
pub(super) struct Seam {
    /// Words already given, without case and punctuation.
    given: Vec<String>,
    /// Words that are there already, as far as they were compared.
    held: Vec<String>,
    /// So many of these repeat the end of what was given.
    repeated: usize,
    open: bool,
}

language::shown!(Seam, "Seam": repeated, open; given, held);

impl Seam {
    pub(super) fn after(given: &str) -> Self {
        let given = given.split_whitespace().map(bare).filter(|w| !w.is_empty()).collect();
        Self { given, held: Vec::new(), repeated: 0, open: true }
    }

    /// Takes whole words and gives those that are new. Words that may turn out to be repeated wait for the next.
    pub(super) fn push(&mut self, text: &str) -> String {
        let mut new = String::new();
        for word in text.split_inclusive(char::is_whitespace) {
            if !self.open {
                new.push_str(word);
            } else if !self.held.is_empty() || !word.trim().is_empty() {
                self.held.push(word.to_owned());
                self.compare();
                if !self.open {
                    new.push_str(&self.release());
                }
            }
        }
        new
    }

    /// No more words come.
    pub(super) fn finish(&mut self) -> String {
        self.open = false;
        self.release()
    }

    /// The held words are repeated if they stand somewhere in what was given, up to its end.
    fn compare(&mut self) {
        let held: Vec<String> = self.held.iter().map(|w| bare(w)).filter(|w| !w.is_empty()).collect();
        let mut goes_on = false;
        for place in self.given.windows(held.len().max(1)).enumerate().filter(|(_, w)| *w == held.as_slice())
        {
            if place.0 + held.len() == self.given.len() {
                self.repeated = self.held.len();
            } else {
                goes_on = true;
            }
        }
        // Without a letter or digit yet there is nothing to compare.
        self.open = goes_on || held.is_empty();
    }

    fn release(&mut self) -> String {
        let held = std::mem::take(&mut self.held);
        held.into_iter().skip(self.repeated).collect()
    }
}

fn bare(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_pass_when_they_are_complete() {
        let mut words = Words::default();
        let passed: Vec<String> =
            ["Su", "re, I", " can", "\u{a0}do", " "].iter().map(|t| words.push(t)).collect();
        assert_eq!(passed, ["", "Sure, ", "I ", "can\u{a0}", "do "]);
        assert_eq!(words.push(&"x".repeat(100)), "");
        assert_eq!(words.push("y").len(), 101, "no word is that long");
    }

    fn joined(given: &str, pieces: &[&str]) -> String {
        let mut seam = Seam::after(given);
        let new: String = pieces.iter().map(|p| seam.push(p)).collect();
        new + &seam.finish()
    }

    #[test]
    fn what_goes_on_passes_and_what_repeats_is_dropped() {
        let given = "Sure, I can move your appointment to the ";
        for (pieces, new) in [
            (vec!["third of May."], "third of May."),
            (vec![" third ", "of May."], "third of May."),
            (vec!["the third of May."], "third of May."),
            (vec!["Sure, I can ", "move your appointment ", "to the third ", "of May."], "third of May."),
            (vec!["\"Your appointment, to the: third\""], "third\""),
            (vec!["move it there."], "move it there."),
            (vec!["Sure, ", "I can do that."], "Sure, I can do that."),
            (vec!["Sure, I can move your appointment to the"], ""),
            (vec!["Sure, ", "I "], "Sure, I "),
            (vec!["– third"], "– third"),
            (vec![], ""),
        ] {
            assert_eq!(joined(given, &pieces), new, "{pieces:?}");
        }
        assert_eq!(joined("", &["Hello ", "there."]), "Hello there.");
        assert_eq!(joined("A b. A b. ", &["A b. ", "A b. ", "C."]), "C.");
    }

    proptest! {
        #[test]
        fn a_model_that_begins_again_adds_only_what_is_new(
            words in proptest::collection::vec("[a-c]{1,2}[.,]?", 1..12),
            cut in 0usize..12,
        ) {
            let cut = cut.min(words.len());
            let given: String = words[..cut].iter().map(|w| format!("{w} ")).collect();
            let pieces: Vec<String> = words.iter().map(|w| format!("{w} ")).chain(["END".to_owned()]).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let new = joined(&given, &pieces);
            let rest: String = words[cut..].iter().map(|w| format!("{w} ")).collect();
            prop_assert_eq!(new, rest + "END");
        }

        #[test]
        fn a_model_that_goes_on_with_other_words_loses_none(
            given in proptest::collection::vec("[a-c]{1,2}", 0..12),
            new in proptest::collection::vec("[x-z]{1,2}", 0..12),
        ) {
            let new = new.join(" ");
            prop_assert_eq!(joined(&(given.join(" ") + " "), &[&new]), new);
        }
    }
}
