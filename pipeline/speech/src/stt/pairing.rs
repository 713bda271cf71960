//! What both ears made of a pause, as it comes in: the first ear's words at once, better ones when they are there.

use super::choice::{self, Hypothesis};
use super::whisper::Hearing;
use pipeline::ports::Language;
use pipeline::turn::Expectation;

/// The hypotheses of one pause.
#[derive(Debug, Default)]
pub(super) struct Pairing {
    pause: u32,
    asked: Expectation,
    /// The first ear listens; it does not where Spanish is spoken.
    wants_first: bool,
    wants_second: bool,
    first: Option<Hypothesis>,
    second: Option<Hearing>,
}

/// Text of a pause as far as it is known.
#[derive(Debug, PartialEq)]
pub(super) struct Outcome {
    pub pause: u32,
    pub text: String,
    pub confidence: f32,
    /// What else it may have been, likeliest first.
    pub alternatives: Vec<String>,
    /// No better text follows.
    pub settled: bool,
}

impl Pairing {
    pub fn begin(pause: u32, asked: Expectation, wants_first: bool, wants_second: bool) -> Self {
        Self { pause, asked, wants_first, wants_second, first: None, second: None }
    }

    /// The first ear's words.
    pub fn first(&mut self, pause: u32, heard: Hypothesis) -> Option<Outcome> {
        (pause == self.pause && self.wants_first).then(|| {
            self.first = Some(heard);
            self.outcome()
        })?
    }

    /// The second ear's words, or none when it was left out after all.
    pub fn second(&mut self, pause: u32, heard: Option<Hearing>) -> Option<Outcome> {
        (pause == self.pause && self.wants_second).then(|| {
            self.wants_second = heard.is_some();
            self.second = heard;
            self.outcome()
        })?
    }

    /// Whether a language other than English is believed, once both ears were heard.
    pub fn believes(&self, heard: &Hearing) -> bool {
        let doubted = self.first.as_ref().filter(|_| self.wants_first && heard.language != Language::En);
        doubted.is_none_or(|first| choice::believes_spanish(first, &heard.hypothesis()))
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.wants_first && self.first.is_none() {
            return None;
        }
        let settled = !self.wants_second || self.second.is_some();
        let silent = Hypothesis::default();
        let first = self.first.as_ref().unwrap_or(&silent);
        let chosen = match &self.second {
            Some(second) if self.wants_first && second.language == Language::En => {
                choice::choose(first, &second.hypothesis(), self.asked)
            }
            Some(second) if self.wants_first && !choice::believes_spanish(first, &second.hypothesis()) => {
                choice::alone(first)
            }
            Some(second) => choice::alone(&second.hypothesis()),
            None => choice::alone(first),
        };
        let second = self.second.iter().flat_map(|s| [&s.text].into_iter().chain(&s.others));
        let mut alternatives: Vec<String> = Vec::new();
        for text in second.chain([&first.text]) {
            if !text.is_empty() && *text != chosen.text && !alternatives.contains(text) {
                alternatives.push(text.clone());
            }
        }
        let (pause, text, confidence) = (self.pause, chosen.text, chosen.confidence);
        Some(Outcome { pause, text, confidence, alternatives, settled })
    }
}

impl Hearing {
    pub(super) fn hypothesis(&self) -> Hypothesis {
        Hypothesis {
            text: self.text.clone(),
            confidence: self.confidence,
            looped: self.looped,
            unknown: self.unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn words(text: &str) -> Hypothesis {
        Hypothesis { text: text.to_owned(), confidence: 0.8, looped: false, unknown: 0.0 }
    }

    fn hearing(text: &str, language: Language) -> Hearing {
        let others = vec!["a deed".to_owned(), text.to_owned()];
        Hearing { text: text.to_owned(), confidence: 0.8, others, language, ..Hearing::default() }
    }

    #[test]
    fn the_first_words_come_at_once_and_better_ones_after_them() {
        let mut pair = Pairing::begin(2, Expectation::Open, true, true);
        let early = pair.first(2, words("the date")).unwrap();
        assert_eq!((early.text.as_str(), early.settled), ("the date", false));
        let late = pair.second(2, Some(hearing("the deed", Language::En))).unwrap();
        assert_eq!((late.text.as_str(), late.settled), ("the deed", true));
        assert_eq!(late.alternatives, ["a deed", "the date"]);
        assert_eq!(pair.second(1, None), None, "of another pause");
    }

    #[test]
    fn an_ear_that_is_left_out_is_not_waited_for() {
        let mut alone = Pairing::begin(1, Expectation::Open, true, false);
        assert!(alone.first(1, words("the date")).unwrap().settled);
        let mut shed = Pairing::begin(1, Expectation::Open, true, true);
        assert_eq!(shed.second(1, None), None, "nothing to say yet");
        assert!(shed.first(1, words("the date")).unwrap().settled);
    }

    #[test]
    fn spanish_is_the_second_ears_alone() {
        let mut pair = Pairing::begin(1, Expectation::Open, true, true);
        pair.first(1, Hypothesis { unknown: 0.5, ..words("when as dears") });
        assert!(pair.believes(&hearing("Buenos días.", Language::Es)));
        let done = pair.second(1, Some(hearing("Buenos días.", Language::Es))).unwrap();
        assert_eq!(done.text, "Buenos días.");
        let mut pair = Pairing::begin(1, Expectation::Open, false, true);
        assert!(pair.second(1, Some(hearing("Sí.", Language::Es))).unwrap().settled);
    }

    #[test]
    fn spanish_out_of_noise_gives_way_to_the_first_ear() {
        let mut pair = Pairing::begin(1, Expectation::Open, true, true);
        pair.first(1, words("a light is out on my street"));
        let noise = Hearing { confidence: 0.4, ..hearing("Ay, la luz.", Language::Es) };
        assert!(!pair.believes(&noise));
        assert_eq!(pair.second(1, Some(noise)).unwrap().text, "a light is out on my street");
    }
}
