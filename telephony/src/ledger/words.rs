//! Which words of a segment lie before a position in its audio.

use super::WordSpan;

/// Slow speech, so that a segment whose length is not yet known credits too little rather than too much.
const SLOW_MS_PER_CHAR: u64 = 80;

/// The words that ended by some moment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Credit {
    pub(crate) text: String,
    /// No word is left over (and there was one).
    pub(crate) all: bool,
}

/// Length in milliseconds that a text will at most take to say.
pub(crate) fn slow_length_ms(text: &str) -> u64 {
    SLOW_MS_PER_CHAR * text.chars().count() as u64
}

/// Words of `text` that ended at or before `heard_ms`.
///
/// `words` are the vendor's times. Without them, times are shared out over `audio_ms` by characters.
pub(crate) fn credit(text: &str, words: &[WordSpan], audio_ms: u64, heard_ms: u64) -> Credit {
    if words.is_empty() { by_share(text, audio_ms, heard_ms) } else { by_times(text, words, heard_ms) }
}

fn by_times(text: &str, words: &[WordSpan], heard_ms: u64) -> Credit {
    let count = words.iter().take_while(|w| u64::from(w.end_ms) <= heard_ms).count();
    // Vendors spell numbers out; our own wording is kept where the words pair up one to one.
    let heard = if text.split_whitespace().count() == words.len() {
        prefix(text, count).to_owned()
    } else {
        words[..count].iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join(" ")
    };
    Credit { text: heard, all: count == words.len() }
}

fn by_share(text: &str, audio_ms: u64, heard_ms: u64) -> Credit {
    let total = text.trim().chars().count() as u64;
    let mut count = 0;
    let mut spoken = 0;
    let mut all = total > 0;
    for word in text.split_whitespace() {
        spoken += word.chars().count() as u64;
        if spoken * audio_ms > heard_ms * total {
            all = false;
            break;
        }
        count += 1;
        spoken += 1;
    }
    Credit { text: prefix(text, count).to_owned(), all }
}

/// The first `count` words of `text`, as they stand there.
fn prefix(text: &str, count: usize) -> &str {
    let Some(last) = count.checked_sub(1).and_then(|n| text.split_whitespace().nth(n)) else { return "" };
    let end = last.as_ptr() as usize - text.as_ptr() as usize + last.len();
    text[..end].trim_start()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(ends: &[(&str, u32)]) -> Vec<WordSpan> {
        ends.iter().map(|&(t, end_ms)| WordSpan { text: t.into(), start_ms: 0, end_ms }).collect()
    }

    #[test]
    fn words_count_only_once_they_have_ended() {
        let words = spans(&[("good", 200), ("morning", 600)]);
        assert_eq!(credit("Good morning!", &words, 700, 199).text, "");
        assert_eq!(credit("Good morning!", &words, 700, 200).text, "Good");
        assert_eq!(
            credit("Good morning!", &words, 700, 600),
            Credit { text: "Good morning!".into(), all: true }
        );
    }

    #[test]
    fn spelled_out_words_are_used_when_they_do_not_pair_up() {
        let words = spans(&[("five", 200), ("dollars", 500)]);
        assert_eq!(credit("$5", &words, 600, 300).text, "five");
    }

    #[test]
    fn without_times_characters_share_the_audio() {
        let at = |ms| credit("ab cd ef", &[], 800, ms).text;
        assert_eq!(at(199), "");
        assert_eq!(at(200), "ab");
        assert_eq!(at(500), "ab cd");
        assert_eq!(at(800), "ab cd ef");
        assert!(!credit("", &[], 800, 800).all);
    }

    #[test]
    fn odd_spacing_and_wide_letters_do_not_break_the_prefix() {
        assert_eq!(prefix("  ¿Qué   tal? ", 1), "¿Qué");
        assert_eq!(prefix("  ¿Qué   tal? ", 2), "¿Qué   tal?");
        assert_eq!(prefix("a", 5), "");
    }
}
