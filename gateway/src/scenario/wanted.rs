//! The small parts of expectations, each checked where it is read: words, patterns, languages.

use std::fmt;

use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};

use super::words;

/// Words that must be there: one string, or a list of which each counts. `a|b` are alternatives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted(Vec<String>);

impl Wanted {
    #[must_use]
    pub fn all(&self) -> &[String] {
        &self.0
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those that a text lacks.
    pub fn lacking<'a>(&'a self, text: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().map(String::as_str).filter(move |wanted| !words::contains(text, wanted))
    }

    /// Those that a text has.
    pub fn found<'a>(&'a self, text: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().map(String::as_str).filter(move |wanted| words::contains(text, wanted))
    }
}

impl From<&[&str]> for Wanted {
    fn from(all: &[&str]) -> Self {
        Self(all.iter().map(|one| (*one).to_owned()).collect())
    }
}

/// By hand rather than untagged: an untagged enum cannot say where the fault is.
impl<'de> Deserialize<'de> for Wanted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Words;
        impl<'de> Visitor<'de> for Words {
            type Value = Wanted;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("words, or a list of them")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Wanted, E> {
                one(text).map(|one| Wanted(vec![one]))
            }

            // Plain scalars such as `911` and `8.5` mean their digits.
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Wanted, E> {
                Ok(Wanted(vec![number.to_string()]))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Wanted, E> {
                Ok(Wanted(vec![number.to_string()]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Wanted, A::Error> {
                let mut all = Vec::new();
                while let Some(text) = seq.next_element::<String>()? {
                    all.push(one(&text)?);
                }
                Ok(Wanted(all))
            }
        }
        deserializer.deserialize_any(Words)
    }
}

fn one<E: de::Error>(text: &str) -> Result<String, E> {
    if text.split('|').all(|part| words::tokens(part).is_empty()) {
        return Err(E::custom(format_args!("`{text}` holds no word")));
    }
    Ok(text.to_owned())
}

/// A regular expression; case does not count.
#[derive(Clone, Debug)]
pub struct Pattern(Regex);

impl Pattern {
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let read = RegexBuilder::new(&text).case_insensitive(true).build();
        read.map(Self).map_err(|_| de::Error::custom(format_args!("`{text}` is no regular expression")))
    }
}

/// A language that callers and line speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tongue {
    #[default]
    En,
    Es,
}

impl Tongue {
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Es => "es",
        }
    }
}
