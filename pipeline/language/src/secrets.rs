//! Whether somebody is asked for a secret: a PIN, a password, the number of a card. What is answered is written down by nobody.

use crate::{Ear, Language, english, spanish};

/// What one language says.
#[derive(Debug)]
pub struct SecretWords {
    /// What is kept secret.
    pub secrets: &'static [&'static str],
    /// What asks for it, where no question mark does.
    pub asks: &'static [&'static str],
}

impl Ear {
    /// Whether these words ask whoever hears them for a secret. Speaking of one ("your PIN came by mail") asks for none.
    #[must_use]
    pub fn asks_for_secret(self, text: &str) -> bool {
        let words = match self.0 {
            Language::En => &english::secrets::WORDS,
            Language::Es => &spanish::secrets::WORDS,
        };
        let has = |plain: &str, list: &[&str]| {
            list.iter().any(|phrase| {
                plain.match_indices(phrase).any(|(at, _)| {
                    let before = plain[..at].chars().next_back();
                    let after = plain[at + phrase.len()..].chars().next();
                    [before, after].iter().all(|c| c.is_none_or(|c| !c.is_alphanumeric()))
                })
            })
        };
        text.split_inclusive(['.', '!', '?']).any(|sentence| {
            let plain = self.plain(sentence);
            has(&plain, words.secrets) && (sentence.trim_end().ends_with('?') || has(&plain, words.asks))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_for_a_secret_is_told_from_who_speaks_of_one() {
        for asked in [
            "What's your PIN?",
            "can you give me your pin number",
            "Okay. I just need the last four of your social.",
            "go ahead and read me the card number",
            "And the security code on the back?",
            "tell me your password please",
        ] {
            assert!(Ear(Language::En).asks_for_secret(asked), "{asked}");
        }
        for other in [
            "Your PIN came by mail last week.",
            "What's your address?",
            "I can't look at your pin number from here.",
            "The pinball place needs a license.",
            "You can pay by card. What day suits you?",
        ] {
            assert!(!Ear(Language::En).asks_for_secret(other), "{other}");
        }
        for asked in [
            "¿Me da su PIN, por favor?",
            "dígame los últimos cuatro del seguro social",
            "¿Cuál es su contraseña?",
        ] {
            assert!(Ear(Language::Es).asks_for_secret(asked), "{asked}");
        }
        for other in
            ["Su PIN le llegó por correo.", "¿Cuál es su dirección?", "No comparta su clave con nadie."]
        {
            assert!(!Ear(Language::Es).asks_for_secret(other), "{other}");
        }
    }
}
