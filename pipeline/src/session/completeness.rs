//! Do these words leave it open what comes? A linear model over the last words of what was said.
//!
//! Trained by `examples/train_turn_words` on whole turns of public service dialogues and the same turns cut where people
//! pause. English alone: of Spanish only the words that no sentence ends on are known, in [`super::endpointing`].
#![allow(clippy::cast_possible_truncation, reason = "hashes and quantised weights")]

use std::sync::LazyLock;

/// Weights, a power of two: a hash finds its own.
const SLOTS: usize = 1 << 18;
/// Shipped weights: a scale, a bias and one byte a slot.
static WEIGHTS: LazyLock<Weights> =
    LazyLock::new(|| Weights::read(include_bytes!("../../data/turn_words/weights.bin")));

/// Log-odds (natural) that a caller who said this and fell silent is finished, by words alone. `first`: they were asked
/// nothing in particular, as at the beginning of a call. About 0 where the words say nothing.
#[must_use]
pub fn finished(text: &str, first: bool) -> f32 {
    WEIGHTS.score(text, first)
}

/// A trained model.
#[derive(Debug)]
struct Weights {
    scale: f32,
    bias: f32,
    slots: &'static [u8],
}

impl Weights {
    /// A file that is not whole gives a model that knows nothing.
    fn read(file: &'static [u8]) -> Self {
        let number =
            |at: usize| file.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0.0, f32::from_le_bytes);
        let slots = file.get(8..).filter(|s| s.len() == SLOTS).unwrap_or(&[]);
        Self { scale: number(0), bias: number(4), slots }
    }

    fn score(&self, text: &str, first: bool) -> f32 {
        let mut sum = self.bias;
        features(text, first, |slot| {
            sum += f32::from(self.slots.get(slot).copied().unwrap_or(0) as i8) * self.scale;
        });
        sum
    }
}

/// Calls `found` with the slot of each feature of the text.
pub fn features(text: &str, first: bool, mut found: impl FnMut(usize)) {
    let words: Vec<String> = super::endpointing::words(text).map(|w| plain(&w)).collect();
    let kind = if first { 'o' } else { 'l' };
    let mut put = |name: &str, parts: &[&str]| found(slot(name, parts));
    let padded: Vec<&str> = std::iter::repeat_n("^", 4).chain(words.iter().map(String::as_str)).collect();
    let shapes: Vec<&str> = padded.iter().map(|w| shape(w)).collect();
    let end = padded.len();
    for n in 1..=4 {
        put("tail", &padded[end - n..]);
    }
    for n in 2..=4 {
        put("shape", &shapes[end - n..]);
    }
    put("last, kind", &[padded[end - 1], if first { "o" } else { "l" }]);
    put("skip", &[padded[end - 3], padded[end - 1]]);
    put("skip", &[padded[end - 4], padded[end - 2], "_"]);
    put("shape, word", &[shapes[end - 2], padded[end - 1]]);
    put("word, shape", &[padded[end - 2], shapes[end - 1]]);
    let length = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"].get(words.len()).copied();
    let length = length.unwrap_or(if words.len() < 14 {
        "10"
    } else if words.len() < 20 {
        "14"
    } else {
        "20"
    });
    let mut tagged = String::from(kind);
    tagged.push_str(length);
    put("length", &[&tagged]);
    // What was said before the last words: whether anything was asked for yet.
    let kind = if first { "o" } else { "l" };
    for word in words.iter().take(words.len().saturating_sub(2)) {
        put("said", &[word, kind]);
    }
}

/// A word as the model knows it: numbers are alike.
fn plain(word: &str) -> String {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    if digits > 0 { "#".repeat(digits.min(4)) } else { word.replace('\u{2019}', "'") }
}

/// A short word stands for itself, a longer one for its ending.
fn shape(word: &str) -> &str {
    const ENDINGS: [&str; 14] =
        ["ing", "ed", "ly", "tion", "ment", "ness", "'s", "s", "er", "al", "y", "ic", "e", "t"];
    if word.len() <= 3 || word.starts_with('#') {
        return word;
    }
    ENDINGS.into_iter().find(|ending| word.ends_with(ending)).unwrap_or("~")
}

/// FNV-1a over the parts, folded to the table.
fn slot(name: &str, parts: &[&str]) -> usize {
    let mut hash: u32 = 0x811C_9DC5;
    let mut eat = |byte: u8| hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    for part in std::iter::once(&name).chain(parts) {
        part.bytes().for_each(&mut eat);
        eat(0xFF);
    }
    (hash ^ (hash >> 15)) as usize & (SLOTS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_leave_it_open_score_below_the_same_words_made_whole() {
        for (open, whole) in [
            ("I would like to report", "I would like to report a broken street light"),
            ("Hi, I'm calling about", "Hi, I'm calling about my water bill"),
            ("My name is", "My name is Susan Miller"),
            ("Can you tell me when the", "Can you tell me when the office opens"),
        ] {
            let (open, whole) = (finished(open, true), finished(whole, true));
            assert!(open + 1.0 < whole, "{open} {whole}");
        }
    }

    #[test]
    fn a_greeting_is_not_all_that_a_caller_calls_for() {
        assert!(finished("Hi, good morning", true) + 1.0 < finished("Can I pay my bill online", true));
    }

    #[test]
    fn no_text_is_as_good_as_any() {
        for text in ["", " ", "…", "\u{1F600} 7 ##", "a'b'c"] {
            assert!(finished(text, false).is_finite());
        }
    }

    #[test]
    fn a_broken_file_knows_nothing() {
        let weights = Weights::read(&[0, 0, 0]);
        assert_eq!(weights.score("I would like to", true), 0.0);
    }
}
