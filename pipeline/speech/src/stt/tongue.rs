//! Which language a caller speaks, by what the second ear makes of the sound. Pure.

use pipeline::ports::Language;

/// Probability of Spanish from which a caller taken for an English speaker counts as speaking Spanish. The model errs
/// towards English on a telephone line.
const SPANISH: f32 = 0.2;
/// Probability of Spanish below which a caller taken for a Spanish speaker counts as speaking English.
const ENGLISH: f32 = 0.1;
/// The same for sounds too short to tell by: "no" is both.
const SPANISH_SHORT: f32 = 0.7;
const ENGLISH_SHORT: f32 = 0.005;
/// Sound shorter than this is short, silence around the words included, seconds.
const SHORT: f32 = 1.6;
/// Words that the second ear is less sure of than this are no ground to change over.
const UNSURE: f32 = 0.3;

/// What is believed of a caller.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tongue {
    believed: Language,
}

impl Tongue {
    /// The caller is taken to speak this.
    #[must_use]
    pub const fn new(believed: Language) -> Self {
        Self { believed }
    }

    #[must_use]
    pub const fn believed(self) -> Language {
        self.believed
    }

    /// Language to write an utterance of so many seconds down in, by the probability of Spanish.
    #[must_use]
    pub fn of(self, spanish: f32, seconds: f32) -> Language {
        let is_short = seconds < SHORT;
        match self.believed {
            Language::En if spanish >= if is_short { SPANISH_SHORT } else { SPANISH } => Language::Es,
            Language::Es if spanish < if is_short { ENGLISH_SHORT } else { ENGLISH } => Language::En,
            believed => believed,
        }
    }

    /// An utterance was written down in a language, with this confidence. Gives the language when it is a new one.
    pub fn heard(&mut self, language: Language, text: &str, confidence: f32) -> Option<Language> {
        let changes = language != self.believed && !text.is_empty() && confidence >= UNSURE;
        changes.then(|| {
            self.believed = language;
            language
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_is_followed_into_the_language_that_is_plainly_spoken() {
        let mut tongue = Tongue::default();
        assert_eq!(tongue.of(0.1, 3.0), Language::En);
        assert_eq!(tongue.of(0.9, 3.0), Language::Es);
        assert_eq!(tongue.heard(Language::Es, "Buenos días.", 0.6), Some(Language::Es));
        assert_eq!(tongue.heard(Language::Es, "Quiero pagar.", 0.6), None, "told once");
        assert_eq!(tongue.of(0.3, 3.0), Language::Es, "it takes more to go back");
        assert_eq!(tongue.of(0.01, 3.0), Language::En);
    }

    #[test]
    fn short_or_unsure_words_change_nothing() {
        let mut tongue = Tongue::default();
        assert_eq!(tongue.of(0.6, 1.2), Language::En);
        assert_eq!(tongue.heard(Language::Es, "No.", 0.2), None);
        assert_eq!(tongue.heard(Language::Es, "", 0.9), None);
        assert_eq!(tongue.believed(), Language::En);
    }
}
