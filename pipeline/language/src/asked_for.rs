//! What a question asks for by its first word: a person, a place, a time or a reason.

use crate::{Ear, Language};

/// What the answer to a question names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AskedFor {
    Person,
    Place,
    Time,
    Reason,
}

/// What a question asks for, where its first question word tells: "and who do I make the check out to". "How much" and "what does it
/// cost" may ask the same, so "how" and "what" tell nothing.
#[must_use]
pub fn asked_for(ear: Ear, text: &str) -> Option<AskedFor> {
    use AskedFor::{Person, Place, Reason, Time};
    let words: &[(&str, AskedFor)] = match ear.0 {
        Language::En => &[
            ("who", Person),
            ("who's", Person),
            ("whom", Person),
            ("where", Place),
            ("where's", Place),
            ("when", Time),
            ("when's", Time),
            ("why", Reason),
        ],
        Language::Es => &[
            ("quien", Person),
            ("quienes", Person),
            ("donde", Place),
            ("adonde", Place),
            ("cuando", Time),
            ("por que", Reason),
        ],
    };
    let plain = format!(" {} ", ear.plain(text));
    let at = |(word, asked): &(&str, AskedFor)| plain.find(&format!(" {word} ")).map(|at| (at, *asked));
    let first = words.iter().filter_map(at).min_by_key(|(at, _)| *at);
    // "I moved when I got married" asks nothing by it.
    first.filter(|_| ear.asks(text) || ear.is_question(text)).map(|(_, asked)| asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_word_tells_what_is_asked_for() {
        for (language, text, asked) in [
            (Language::En, "who do i make the check out to", Some(AskedFor::Person)),
            (Language::En, "and where do i mail it", Some(AskedFor::Place)),
            (Language::En, "how much is it", None),
            (Language::En, "it broke when i moved", None),
            (Language::Es, "¿a quién le hago el cheque?", Some(AskedFor::Person)),
            (Language::Es, "¿cuánto cuesta?", None),
        ] {
            assert_eq!(asked_for(Ear(language), text), asked, "{text}");
        }
    }
}
