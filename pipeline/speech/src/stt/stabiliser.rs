//! Interim text that does not flicker: words that two successive decodes agree on are kept.

/// Interim text of one window.
#[derive(Clone, Debug, Default)]
pub struct Stabiliser {
    stable: Vec<String>,
    last: Vec<String>,
}

impl Stabiliser {
    /// Takes a new decode of the window and gives the text to show.
    pub fn push(&mut self, text: &str) -> String {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let agreed = self.last.iter().zip(&words).take_while(|(a, b)| key(a) == key(b)).count();
        // The last word of a decode may be half a word; it counts once a later one follows it.
        let firm = agreed.min(words.len().saturating_sub(1));
        if firm > self.stable.len() {
            self.stable.extend_from_slice(&words[self.stable.len()..firm]);
        }
        let tail = words.iter().skip(self.stable.len());
        let shown: Vec<&str> = self.stable.iter().chain(tail).map(String::as_str).collect();
        let shown = shown.join(" ");
        self.last = words;
        shown
    }

    /// What was shown last.
    #[must_use]
    pub fn text(&self) -> String {
        let tail = self.last.iter().skip(self.stable.len());
        let shown: Vec<&str> = self.stable.iter().chain(tail).map(String::as_str).collect();
        shown.join(" ")
    }
}

/// Words are the same whatever their case and punctuation.
fn key(word: &str) -> String {
    word.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreed_words_stay_and_the_tail_moves() {
        let mut s = Stabiliser::default();
        assert_eq!(s.push("I want to"), "I want to");
        assert_eq!(s.push("I want two report."), "I want two report.");
        assert_eq!(s.push("I want to report a"), "I want to report a");
        // "to" against "two" never agreed, so it could still change; "I want" can not.
        assert_eq!(s.push("A wand to report a broken"), "I want to report a broken");
        assert_eq!(s.text(), "I want to report a broken");
    }

    #[test]
    fn a_shorter_decode_does_not_take_agreed_words_away() {
        let mut s = Stabiliser::default();
        s.push("my street light is out");
        s.push("my street light is out again");
        assert_eq!(s.push("my street"), "my street light is out");
    }
}
