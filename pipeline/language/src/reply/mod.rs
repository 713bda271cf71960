//! What each part of a reply is: the answer, what comes beside it, what puts right, what asks.
//!
//! "It's on birch by the bridge, no, ash, and how long will that take": a place, one that is taken back, a question. People
//! seldom answer what was asked and no more. A random field over the words and a recurrent [`net`] read them together in the light of
//! the question, English and Spanish alike; values are read by the readers of the [`crate::Ear`] from the parts. Pure code over weights that are part of
//! the program; a millisecond or two a reply. `examples/train_reply` makes the weights; `data/reply/README.md` says from what.

pub mod features;
pub mod net;

use std::sync::LazyLock;

use crate::Language;
use crate::field::Field;
use crate::states::States;
use crate::stretch::{Stretch, stretches};
use crate::tagger::model::Model as Tagger;
use crate::tagger::token::tokens;
use net::Net;

/// Labels: none; first and further words of each [`Kind`].
pub const LABELS: usize = 1 + 2 * Kind::ALL.len();
/// Parts that are less sure are left out.
const LEAST: f32 = 0.5;
/// What the net finds counts so much beside the field's scores; and where it must do without the sentence encoder.
const NET_COUNTS: f32 = 1.2;
const NET_ALONE_COUNTS: f32 = 0.6;

/// What had been asked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Asked {
    What,
    Where,
    When,
    /// Whether anybody was hurt.
    Hurt,
    Name,
    Phone,
    Address,
    /// Which day suits.
    Day,
    Message,
    /// What a callback is about.
    Reason,
    /// Whether what was read back is right.
    Confirm,
    /// Whether to leave a message or be called.
    Offer,
    /// What to change.
    Fix,
}

impl Asked {
    /// All of them, by the names that they have in the data.
    pub const NAMES: [(&str, Self); 13] = [
        ("what", Self::What),
        ("where", Self::Where),
        ("when", Self::When),
        ("hurt", Self::Hurt),
        ("name", Self::Name),
        ("phone", Self::Phone),
        ("address", Self::Address),
        ("day", Self::Day),
        ("message", Self::Message),
        ("reason", Self::Reason),
        ("confirm", Self::Confirm),
        ("offer", Self::Offer),
        ("fix", Self::Fix),
    ];
}

/// What a part of a reply is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// Of the matter: what is wrong, what happened, the message, the reason.
    What,
    Place,
    When,
    /// The caller's name.
    Name,
    Phone,
    /// For whom a message is.
    To,
    /// What is taken back.
    Old,
    /// A question, or a wish for something else.
    Ask,
    /// When and how to call back, or not to.
    Call,
    Yes,
    No,
    /// Will not or cannot say.
    Skip,
    /// Gives the whole up.
    Drop,
    /// Wants a person now.
    Person,
    /// Hold on; say that again.
    Wait,
}

impl Kind {
    /// In the order of the labels.
    pub const ALL: [Self; 15] = [
        Self::What,
        Self::Place,
        Self::When,
        Self::Name,
        Self::Phone,
        Self::To,
        Self::Old,
        Self::Ask,
        Self::Call,
        Self::Yes,
        Self::No,
        Self::Skip,
        Self::Drop,
        Self::Person,
        Self::Wait,
    ];

    /// The label of the first word of such a part; that of a further one is the next.
    #[must_use]
    pub const fn first_label(self) -> usize {
        1 + 2 * self as usize
    }
}

/// A stretch of a reply.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Part {
    pub kind: Kind,
    /// First byte; a character begins here.
    pub from: usize,
    /// The byte after the last one.
    pub to: usize,
    /// How likely its words are of this kind, 0 to 1, on the average.
    pub sure: f32,
}

impl Part {
    /// Its words in the reply.
    #[must_use]
    pub fn of<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.from..self.to).unwrap_or_default()
    }
}

static SHIPPED: LazyLock<Field<LABELS>> = LazyLock::new(|| {
    from_bytes(include_bytes!("../../data/reply/weights.bin")).expect("`the_shipped_weights_fit` reads them")
});

static NET: LazyLock<Net> = LazyLock::new(|| {
    Net::from_bytes(include_bytes!("../../data/reply/net.bin")).expect("`the_shipped_weights_fit` reads them")
});

/// Weights as [`to_bytes`] wrote them; `None` where they do not fit the code, which a test rules out for what ships.
#[must_use]
pub fn from_bytes(bytes: &[u8]) -> Option<Field<LABELS>> {
    let (scale, steps, weights) = Field::head(bytes)?;
    let weights = weights.iter().map(|byte| byte.cast_signed()).collect();
    Field::new(weights, scale, steps).filter(|field| field.rows() == features::ROWS)
}

/// A weights' file.
#[must_use]
pub fn to_bytes(field: &Field<LABELS>) -> Vec<u8> {
    let mut out = Vec::new();
    field.write_head(&mut out);
    field.write_weights(&mut out);
    out
}

/// The parts of a reply, in order; they do not overlap. What stands between them is talk. Two of a kind with no more than a
/// sign between them are one: "Ana, Ana Gomez". `states`: what the sentence encoder made of the text, or of one that it is part of;
/// words alone are read a little worse.
#[must_use]
pub fn parts(text: &str, asked: Asked, language: Language, states: Option<&States>) -> Vec<Part> {
    let mut found = parts_by(&SHIPPED, text, asked, language, states);
    found.retain(|part| part.sure >= LEAST);
    found
}

/// [`parts`] by a given field beside the net that ships, the doubtful ones too.
#[must_use]
pub fn parts_by(
    field: &Field<LABELS>,
    text: &str,
    asked: Asked,
    language: Language,
    states: Option<&States>,
) -> Vec<Part> {
    let Ok(tagger) = Tagger::shipped() else { return Vec::new() };
    let tokens = tokens(text, tagger.lexicon());
    let context = features::Context::new(tagger, &tokens, Some(asked), language);
    let mut scores = features::scores(field, &tokens, &context);
    let seen = states.and_then(|states| states.of(text, &tokens));
    let read = NET.scores(&tokens, context.tagged(), asked, language, seen.as_deref());
    let counts = if seen.is_some() { NET_COUNTS } else { NET_ALONE_COUNTS };
    for (row, by_net) in scores.iter_mut().zip(&read) {
        row.iter_mut().zip(by_net).for_each(|(score, more)| *score += counts * more);
    }
    let found = stretches(&tokens, &scores, field.steps());
    let part = |found: Stretch| {
        Some(Part { kind: *Kind::ALL.get(found.kind)?, from: found.from, to: found.to, sure: found.sure })
    };
    joined(text, found.into_iter().filter_map(part).collect())
}

fn joined(text: &str, parts: Vec<Part>) -> Vec<Part> {
    let mut out: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts {
        let signs = |last: &Part| !text[last.to..part.from].chars().any(char::is_alphanumeric);
        match out.last_mut().filter(|last| last.kind == part.kind && signs(last)) {
            Some(last) => {
                last.sure = last.sure.min(part.sure);
                last.to = part.to;
            }
            None => out.push(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    /// Parts of a reply as "KIND words".
    fn read(asked: Asked, language: Language, text: &str) -> Vec<String> {
        parts(text, asked, language, None)
            .iter()
            .map(|part| format!("{:?} {}", part.kind, part.of(text)))
            .collect()
    }

    #[test]
    fn the_shipped_weights_fit() {
        let bytes = include_bytes!("../../data/reply/weights.bin");
        assert_eq!(to_bytes(&from_bytes(bytes).unwrap()), bytes);
        assert!(Net::from_bytes(include_bytes!("../../data/reply/net.bin")).is_some());
    }

    #[test]
    fn the_answer_is_told_from_what_comes_beside_it() {
        let reply = "it's on walnut street by the bridge and um how long does that take";
        assert_eq!(
            read(Asked::Where, Language::En, reply),
            ["Place walnut street by the bridge", "Ask how long does that take"]
        );
        assert_eq!(
            read(Asked::Name, Language::Es, "Teresa Campos y apúntele que el perro es negro"),
            ["Name Teresa Campos", "What el perro es negro"]
        );
        assert_eq!(
            read(Asked::Phone, Language::En, "yes this one but only after six"),
            ["Yes yes this one", "Call only after six"]
        );
    }

    #[test]
    fn what_is_taken_back_is_told_from_what_stands() {
        assert_eq!(
            read(Asked::Confirm, Language::En, "no it's cedar not seeder"),
            ["No no", "Place cedar", "Old seeder"]
        );
    }

    proptest! {
        #[test]
        fn parts_lie_on_characters_in_order_and_apart(text in any::<String>(), asked in 0..Asked::NAMES.len()) {
            let mut end = 0;
            for part in parts(&text, Asked::NAMES[asked].1, Language::En, None) {
                prop_assert!(part.from >= end && part.to > part.from && text.get(part.from..part.to).is_some());
                end = part.to;
            }
        }
    }
}
