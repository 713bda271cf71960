//! From the times of a vendor's characters to the times of our written words.
//!
//! A vendor is sent a segment as it is spoken ("five dollars and twenty cents") and tells when each character of
//! that sounds, or tells nothing. The ledger wants the words as they were written ("$5.20"). A [`Script`] knows
//! which characters of the spoken text stand for which written word.
#![deny(clippy::disallowed_methods)]

use crate::spoken::speakable::{speakable_in, spoken_text};
use pipeline::lexicon::Lexicon;
use pipeline::lexicon::Spoken;
use pipeline::ports::Language;
use pipeline::turn::WordTime;

/// How far ahead a character of the vendor's is looked for in our text.
const LOOK_AHEAD: usize = 8;
/// Mu-law bytes of one millisecond.
pub(super) const BYTES_PER_MS: usize = 8;

/// A text as it is spoken, and where its written words lie in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    text: String,
    chars: Vec<char>,
    words: Vec<Place>,
}

/// A written word and the characters of the spoken text that stand for it.
#[derive(Clone, Debug)]
struct Place {
    written: String,
    from: usize,
    to: usize,
}

impl Script {
    /// Writes a text out as it is spoken, with the tenant's respellings. Phonemes of the built-in voice mean
    /// nothing to others: such words stay as they were written.
    pub fn new(text: &str, language: Language, lexicon: &Lexicon) -> Self {
        Self::of(&lexicon.apply(speakable_in(language, text)))
    }

    fn of(spoken: &[Spoken]) -> Self {
        let mut words: Vec<Place> = Vec::new();
        let mut at = 0;
        for word in spoken {
            let length = word.spoken.chars().count();
            let from = at + usize::from(at > 0 && length > 0);
            let to = from + length;
            match words.last_mut() {
                Some(before) if word.written.is_empty() => before.to = to.max(before.to),
                _ => words.push(Place { written: word.written.clone(), from, to }),
            }
            if length > 0 {
                at = to;
            }
        }
        words.retain(|w| !w.written.is_empty());
        let text = spoken_text(spoken);
        let chars = text.chars().collect();
        Self { text, chars, words }
    }

    /// What is sent to the vendor.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Characters of that: what vendors bill.
    pub fn len(&self) -> usize {
        self.chars.len()
    }

    /// There is nothing in it that a voice could say.
    pub fn is_silent(&self) -> bool {
        !self.chars.iter().any(|c| c.is_alphanumeric())
    }

    /// Words with times in proportion to their characters, for vendors that tell none.
    pub fn estimated(&self, audio_ms: u32) -> Vec<WordTime> {
        let total = self.chars.len().max(1) as u64;
        let share = |chars: usize| (chars as u64 * u64::from(audio_ms) / total) as u32;
        let time = |w: &Place| WordTime {
            text: w.written.clone(),
            start_ms: share(w.from),
            end_ms: share(w.to).min(audio_ms),
        };
        self.words.iter().map(time).collect()
    }
}

/// A character that the vendor voiced: what, from when, for how long; ms from some start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CharTime {
    pub char: char,
    pub start_ms: f32,
    pub length_ms: f32,
}

/// What is known so far of when a script's characters sound.
#[derive(Clone, Debug, Default)]
pub(super) struct Timings {
    at: Vec<Option<(u32, u32)>>,
    next: usize,
}

impl Timings {
    /// Takes the characters of one message, whose audio begins `offset_ms` into the segment. What is not in the
    /// script (a vendor may add or leave out spaces and marks) is passed over.
    pub fn add(&mut self, script: &Script, offset_ms: u32, chars: &[CharTime]) {
        self.at.resize(script.chars.len(), None);
        for c in chars {
            let Some(place) = self.place_of(script, c.char) else { continue };
            let start = offset_ms.saturating_add(c.start_ms.max(0.0) as u32);
            let end = start.saturating_add(c.length_ms.max(0.0) as u32);
            self.at[place] = Some((start, end));
            self.next = place + 1;
        }
    }

    fn place_of(&self, script: &Script, c: char) -> Option<usize> {
        let same = |ours: char| ours == c || ours.to_lowercase().eq(c.to_lowercase());
        let ahead = script.chars.get(self.next..)?;
        if c.is_whitespace() {
            return ahead.first().filter(|ours| ours.is_whitespace()).map(|_| self.next);
        }
        ahead.iter().take(LOOK_AHEAD).position(|ours| same(*ours)).map(|skipped| self.next + skipped)
    }

    /// All words with their times in a segment of this length; estimated when the vendor's times do not fit.
    pub fn words(&self, script: &Script, audio_ms: u32) -> Vec<WordTime> {
        let letters = || script.chars.iter().enumerate().filter(|(_, c)| c.is_alphanumeric());
        let known = letters().filter(|(i, _)| self.at.get(*i).is_some_and(Option::is_some)).count();
        if known * 2 < letters().count() {
            return script.estimated(audio_ms);
        }
        let mut words: Vec<WordTime> = Vec::with_capacity(script.words.len());
        for place in &script.words {
            let before = words.last().map_or(0, |w| w.end_ms);
            let (start, end) = self.span(place).unwrap_or((before, before));
            let start_ms = start.clamp(before, audio_ms.max(before));
            let end_ms = end.clamp(start_ms, audio_ms.max(start_ms));
            words.push(WordTime { text: place.written.clone(), start_ms, end_ms });
        }
        words
    }

    /// The words from the first on whose times are all known.
    pub fn words_so_far(&self, script: &Script) -> Vec<WordTime> {
        let complete = |place: &&Place| {
            let last = (place.from..place.to).rev().find(|i| script.chars[*i].is_alphanumeric());
            last.is_none_or(|i| i < self.next)
        };
        let known = script.words.iter().take_while(complete).map_while(|place| {
            let (start_ms, end_ms) = self.span(place)?;
            Some(WordTime { text: place.written.clone(), start_ms, end_ms })
        });
        known.collect()
    }

    fn span(&self, place: &Place) -> Option<(u32, u32)> {
        let known = || self.at.get(place.from..place.to).into_iter().flatten().flatten();
        Some((known().next()?.0, known().map(|(_, end)| *end).max()?))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn script(text: &str) -> Script {
        Script::new(text, Language::En, &Lexicon::default())
    }

    /// Every character lasts 10 ms.
    fn times(text: &str) -> Vec<CharTime> {
        let time = |(i, char)| CharTime { char, start_ms: i as f32 * 10.0, length_ms: 10.0 };
        text.chars().enumerate().map(time).collect()
    }

    fn spans(words: &[WordTime]) -> Vec<(&str, u32, u32)> {
        words.iter().map(|w| (w.text.as_str(), w.start_ms, w.end_ms)).collect()
    }

    #[test]
    fn a_sum_of_money_stays_one_written_word() {
        let s = script("That is $5.20 today.");
        assert_eq!(s.text(), "That is five dollars and twenty cents today.");
        let mut t = Timings::default();
        t.add(&s, 0, &times(s.text()));
        let expected = [("That", 0, 40), ("is", 50, 70), ("$5.20", 80, 370), ("today.", 380, 440)];
        assert_eq!(spans(&t.words(&s, 440)), expected);
        assert_eq!(spans(&s.estimated(440)), expected, "the same when every character takes as long");
    }

    #[test]
    fn times_of_later_messages_are_offset_by_the_audio_before_them() {
        let s = script("one two");
        let mut t = Timings::default();
        t.add(&s, 0, &times("one "));
        assert_eq!(spans(&t.words_so_far(&s)), [("one", 0, 30)]);
        t.add(&s, 200, &times("two"));
        assert_eq!(spans(&t.words(&s, 230)), [("one", 0, 30), ("two", 200, 230)]);
    }

    #[test]
    fn added_and_missing_marks_and_case_do_not_shift_words() {
        let s = script("Well, go on.");
        for theirs in ["well go on", " Well , go  on . ", "WELL, GO ON."] {
            let mut t = Timings::default();
            t.add(&s, 0, &times(theirs));
            let words = t.words(&s, 1_000);
            let starts: Vec<_> = words.iter().map(|w| (w.start_ms / 10) as usize).collect();
            let at = |word: &str| theirs.to_lowercase().find(word).unwrap();
            assert_eq!(starts, [at("well"), at("go"), at("on")], "{theirs}");
        }
    }

    #[test]
    fn times_of_another_text_are_not_believed() {
        let s = script("The office opens at nine.");
        let mut t = Timings::default();
        t.add(&s, 0, &times("zzzz qqqq"));
        assert_eq!(t.words(&s, 1_000), s.estimated(1_000));
    }

    #[test]
    fn respellings_keep_the_written_word_and_phonemes_are_not_sent() {
        let entries = [("Puyallup", "pew-allup"), ("Xenia", "/zˈiniə/")];
        let lexicon = Lexicon::new(entries.map(|(w, s)| (w.to_owned(), s.to_owned())));
        let s = Script::new("Puyallup or Xenia", Language::En, &lexicon);
        assert_eq!(s.text(), "pew-allup or Xenia");
        assert_eq!(s.estimated(1_800)[0].text, "Puyallup");
    }

    #[test]
    fn a_text_without_letters_is_silent() {
        assert!(script(" … — ").is_silent() && script("").is_silent() && !script("5").is_silent());
    }

    proptest! {
        #[test]
        fn word_times_ascend_within_the_audio_whatever_the_vendor_says(
            text in "[a-z$0-9 .,é]{0,60}",
            theirs in proptest::collection::vec((any::<char>(), any::<f32>(), any::<f32>()), 0..80),
            audio_ms in 0u32..20_000,
        ) {
            let s = script(&text);
            let mut t = Timings::default();
            let theirs: Vec<_> =
                theirs.into_iter().map(|(char, start_ms, length_ms)| CharTime { char, start_ms, length_ms }).collect();
            t.add(&s, 100, &theirs);
            t.add(&s, 100, &times(s.text()));
            let _ = t.words_so_far(&s);
            let words = t.words(&s, audio_ms);
            prop_assert_eq!(words.len(), s.words.len());
            let mut before = 0;
            for w in words {
                prop_assert!(before <= w.start_ms && w.start_ms <= w.end_ms && w.end_ms <= audio_ms);
                before = w.end_ms;
            }
        }
    }
}
