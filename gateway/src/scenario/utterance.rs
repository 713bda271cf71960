//! What a caller says at a stretch: words with thinking pauses between them, or keys.

use serde::Deserialize;

/// As written: `"Hi, <900> a hole."`, `"keys:4417#"`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Utterance {
    pub pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Words(String),
    /// Milliseconds of silence.
    Pause(u64),
    Keys(Vec<char>),
}

impl TryFrom<String> for Utterance {
    type Error = String;

    fn try_from(written: String) -> Result<Self, String> {
        Self::parse(&written)
    }
}

impl Utterance {
    /// # Errors
    /// A pause that is no number, or nothing at all.
    pub fn parse(written: &str) -> Result<Self, String> {
        if let Some(keys) = written.trim().strip_prefix("keys:") {
            let keys: Vec<char> = keys.trim().chars().collect();
            let good = |key: &char| key.is_ascii_digit() || matches!(key, '*' | '#');
            return match keys.iter().all(good) && !keys.is_empty() {
                true => Ok(Self { pieces: vec![Piece::Keys(keys)] }),
                false => Err(format!("{written:?}: only 0-9, * and # can be pressed")),
            };
        }
        let mut pieces = Vec::new();
        let mut rest = written;
        while let Some(at) = rest.find('<') {
            let (words, pause) = rest.split_at(at);
            let end = pause.find('>').ok_or_else(|| format!("{written:?}: a pause is not closed"))?;
            let ms =
                pause[1..end].trim().parse().map_err(|_| format!("{written:?}: a pause is no number"))?;
            push_words(&mut pieces, words);
            pieces.push(Piece::Pause(ms));
            rest = &pause[end + 1..];
        }
        push_words(&mut pieces, rest);
        if pieces.iter().any(|piece| matches!(piece, Piece::Words(_))) {
            Ok(Self { pieces })
        } else {
            Err(format!("{written:?} says nothing"))
        }
    }

    /// The words alone.
    #[must_use]
    pub fn text(&self) -> String {
        let words = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Words(words) => Some(words.as_str()),
            Piece::Pause(_) | Piece::Keys(_) => None,
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// As it was written.
    #[must_use]
    pub fn written(&self) -> String {
        let written = self.pieces.iter().map(|piece| match piece {
            Piece::Words(words) => words.clone(),
            Piece::Pause(ms) => format!("<{ms}>"),
            Piece::Keys(keys) => format!("keys:{}", keys.iter().collect::<String>()),
        });
        written.collect::<Vec<_>>().join(" ")
    }
}

fn push_words(pieces: &mut Vec<Piece>, words: &str) {
    if words.chars().any(char::is_alphanumeric) {
        pieces.push(Piece::Words(words.trim().to_owned()));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn pauses_stand_between_the_words() {
        let said = Utterance::parse("It's two oh two, <500> five five five. <700>").unwrap();
        assert_eq!(
            said.pieces,
            [
                Piece::Words("It's two oh two,".into()),
                Piece::Pause(500),
                Piece::Words("five five five.".into()),
                Piece::Pause(700)
            ]
        );
        assert_eq!(said.text(), "It's two oh two, five five five.");
    }

    #[test]
    fn keys_are_pressed_and_nonsense_is_refused() {
        assert_eq!(Utterance::parse("keys:44#").unwrap().pieces, [Piece::Keys(vec!['4', '4', '#'])]);
        for wrong in ["keys:4x", "<900>", "a <b> c", "a <900"] {
            assert!(Utterance::parse(wrong).is_err(), "{wrong}");
        }
    }
}
