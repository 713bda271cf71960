//! Secrets that people are asked for.

use crate::secrets::SecretWords;

pub(crate) const WORDS: SecretWords = SecretWords {
    secrets: &[
        "pin",
        "passcode",
        "pass code",
        "password",
        "security code",
        "access code",
        "cvv",
        "social security",
        "your social",
        "card number",
        "number on the card",
        "number of your card",
        "number on your card",
    ],
    asks: &[
        "what's",
        "what is",
        "give me",
        "tell me",
        "read me",
        "read it",
        "let me have",
        "i need",
        "i'll need",
        "i just need",
        "can i have",
        "can i get",
        "could i have",
        "may i have",
        "can you give",
        "could you give",
        "can you tell",
        "can you read",
        "enter your",
        "key in",
        "go ahead",
    ],
};
