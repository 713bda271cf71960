//! One segment on its way through the voices: who was asked, who speaks, how much of it was delivered.
#![deny(clippy::disallowed_methods)]

use std::collections::VecDeque;
use std::time::Instant;

use super::streams::Voice;
use crate::tts::alignment::{BYTES_PER_MS, Script};
use pipeline::lexicon::Lexicon;
use pipeline::ports::{Language, TtsEvent};
use pipeline::provider::Failure;
use pipeline::turn::{ReplySegment, WordTime};

/// A provider that was asked and has not answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Try {
    pub voice: Voice,
    pub asked: Instant,
    /// It was late and its voice was asked once more, or this is that second try.
    pub slow: bool,
}

/// A segment of the reply.
pub(super) struct Segment {
    /// `text` is what is still to be said by whoever is asked next.
    pub said: ReplySegment,
    pub language: Language,
    pub tries: Vec<Try>,
    /// Who speaks it now.
    pub speaker: Option<Voice>,
    /// Who was asked before all others.
    pub first: Option<usize>,
    /// Since when the caller waits for more of it.
    pub since: Instant,
    /// From then to the first audio of whoever speaks now, ms.
    pub waited_ms: u32,
    /// When the last piece came.
    pub last: Option<Instant>,
    /// Why whoever was asked first does not speak.
    pub why: Option<String>,
    pub failure: Option<Failure>,
    /// Who may be asked a second time when nobody else is left.
    pub again: Option<usize>,
    pub asked_again: bool,
    /// What came, and has not left because another segment is before this one.
    pub early: VecDeque<(usize, TtsEvent)>,
    /// Nothing more will come.
    pub over: bool,
    /// Mu-law bytes of whoever speaks now.
    bytes: usize,
    /// Words and bytes of those who broke off.
    words: Vec<WordTime>,
    before: usize,
}

impl Segment {
    pub fn new(said: ReplySegment, language: Language, now: Instant) -> Self {
        Self {
            said,
            language,
            tries: Vec::new(),
            speaker: None,
            first: None,
            since: now,
            waited_ms: 0,
            last: None,
            why: None,
            failure: None,
            again: None,
            asked_again: false,
            early: VecDeque::new(),
            over: false,
            bytes: 0,
            words: Vec::new(),
            before: 0,
        }
    }

    /// Nobody is at it.
    pub fn is_unasked(&self) -> bool {
        !self.over && self.speaker.is_none() && self.tries.is_empty()
    }

    /// Its audio has begun to come, or nothing will come.
    pub const fn has_begun(&self) -> bool {
        self.over || self.speaker.is_some()
    }

    pub fn involves(&self, voice: Voice) -> bool {
        !self.over && (self.speaker == Some(voice) || self.tries.iter().any(|t| t.voice == voice))
    }

    pub fn audio(&mut self, now: Instant, voice: Voice, mulaw: Vec<u8>) {
        self.bytes += mulaw.len();
        self.last = Some(now);
        self.early.push_back((voice.member, TtsEvent::Audio { segment: self.said.id, mulaw }));
    }

    /// All of the text is voiced. Gives the length in ms of audio that one voice made of all of it.
    pub fn complete(&mut self, member: usize, words: Vec<WordTime>, lexicon: &Lexicon) -> Option<u32> {
        let length = ms(self.bytes);
        let words = if self.before == 0 {
            words
        } else {
            let rest = match words.is_empty() {
                true => Script::new(&self.said.text, self.language, lexicon).estimated(length),
                false => words,
            };
            self.append(rest);
            std::mem::take(&mut self.words)
        };
        self.over = true;
        self.early.push_back((member, TtsEvent::Done { segment: self.said.id, words }));
        (self.before == 0 && self.bytes > 0).then_some(length)
    }

    /// Whoever spoke has broken off. `known`: words with their times, where the voice tells them; otherwise
    /// `ms_per_char` says how fast it speaks. What is left of the text is what was not delivered whole.
    pub fn break_off(&mut self, known: Option<Vec<WordTime>>, ms_per_char: f32, lexicon: &Lexicon) {
        let length = ms(self.bytes);
        let delivered: Vec<WordTime> = match known {
            Some(words) => words.into_iter().take_while(|w| w.end_ms <= length).collect(),
            None => {
                let script = Script::new(&self.said.text, self.language, lexicon);
                let mut words = script.estimated((script.len() as f32 * ms_per_char) as u32);
                // It is only a guess: rather one word twice than one lost.
                words.pop();
                words.into_iter().take_while(|w| w.end_ms <= length).collect()
            }
        };
        let rest = rest_after(&self.said.text, &delivered).to_owned();
        self.append(delivered);
        self.before += self.bytes;
        self.bytes = 0;
        self.since = self.last.unwrap_or(self.since);
        let speaker = self.speaker.take();
        self.said.text = rest;
        self.said.fixed = false;
        if !self.said.text.chars().any(char::is_alphanumeric) {
            self.over = true;
            let words = std::mem::take(&mut self.words);
            let member = speaker.map_or(0, |voice| voice.member);
            self.early.push_back((member, TtsEvent::Done { segment: self.said.id, words }));
        }
    }

    /// Adds words of whoever speaks now, whose audio begins after that of those before.
    fn append(&mut self, words: Vec<WordTime>) {
        let offset = ms(self.before);
        self.words.extend(words.into_iter().map(|w| WordTime {
            start_ms: w.start_ms + offset,
            end_ms: w.end_ms + offset,
            ..w
        }));
    }

    pub fn fail(&mut self, failure: Failure) {
        self.over = true;
        let event = TtsEvent::Failed { segment: self.said.id, failure };
        self.early.push_back((self.first.unwrap_or(0), event));
    }
}

fn ms(bytes: usize) -> u32 {
    u32::try_from(bytes / BYTES_PER_MS).unwrap_or(u32::MAX)
}

/// The text behind these words. Marks may have been dropped or moved between the two, letters and digits not.
fn rest_after<'a>(text: &'a str, words: &[WordTime]) -> &'a str {
    let letters = |t: &str| t.chars().filter(|c| c.is_alphanumeric()).count();
    let mut behind: usize = words.iter().map(|w| letters(&w.text)).sum();
    if behind == 0 {
        return text;
    }
    for (at, c) in text.char_indices() {
        if c.is_alphanumeric() {
            if behind == 0 {
                return text[at..].trim();
            }
            behind -= 1;
        } else if behind == 0 && c.is_whitespace() {
            // What opens the next word belongs to it: "$5", "(555)".
            return text[at..].trim();
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(texts: &[&str]) -> Vec<WordTime> {
        texts.iter().map(|t| WordTime { text: (*t).to_owned(), start_ms: 0, end_ms: 0 }).collect()
    }

    #[test]
    fn the_rest_begins_at_the_first_word_that_was_not_delivered() {
        let text = "Your fee is “$5.20”, due March 3—or call (555) 010-0199.";
        for (delivered, rest) in [
            (&[][..], text),
            (&["Your"], "fee is “$5.20”, due March 3—or call (555) 010-0199."),
            (&["Your", "fee", "is"], "“$5.20”, due March 3—or call (555) 010-0199."),
            (&["Your", "fee", "is", "$5.20,"], "due March 3—or call (555) 010-0199."),
            (&["Your", "fee", "is", "$5.20,", "due", "March 3 —"], "or call (555) 010-0199."),
            (&["Your", "fee", "is", "$5.20,", "due", "March 3 —", "or", "call"], "(555) 010-0199."),
            (&["Your", "fee", "is", "$5.20,", "due", "March 3 —", "or", "call", "(555) 010-0199."], ""),
        ] {
            assert_eq!(rest_after(text, &words(delivered)), rest, "{delivered:?}");
        }
        assert_eq!(rest_after("¿Qué día? Él", &words(&["¿Qué"])), "día? Él");
    }
}
