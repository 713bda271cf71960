//! Values of a message that are read leniently.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::error::StreamError;

/// Custom parameters kept; more are dropped.
pub const MAX_PARAMETERS: usize = 16;

/// Text that borrows from the message where it holds no escapes.
#[derive(Debug)]
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

/// A number, or text that holds one. Anything else counts as absent.
#[derive(Debug)]
pub(crate) struct Lenient(pub(crate) Option<u64>);

/// Text by name, as an object or as a list of names and values; what is not text is left out, and so is what goes beyond the bound.
#[derive(Debug, Default)]
pub(crate) struct Parameters(pub(crate) Vec<(String, String)>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("text")
            }
            fn visit_borrowed_str<E: de::Error>(self, v: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(v)))
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(v.to_owned())))
            }
        }
        deserializer.deserialize_str(TextVisitor)
    }
}

impl<'de> Deserialize<'de> for Lenient {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberVisitor;
        impl Visitor<'_> for NumberVisitor {
            type Value = Lenient;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or text that holds one")
            }
            fn visit_u64<E: de::Error>(self, v: u64) -> Result<Lenient, E> {
                Ok(Lenient(Some(v)))
            }
            fn visit_i64<E: de::Error>(self, v: i64) -> Result<Lenient, E> {
                Ok(Lenient(u64::try_from(v).ok()))
            }
            fn visit_f64<E: de::Error>(self, _: f64) -> Result<Lenient, E> {
                Ok(Lenient(None))
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<Lenient, E> {
                Ok(Lenient(v.trim().parse().ok()))
            }
        }
        deserializer.deserialize_any(NumberVisitor)
    }
}

impl<'de> Deserialize<'de> for Parameters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ParametersVisitor;
        impl<'de> Visitor<'de> for ParametersVisitor {
            type Value = Parameters;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of text")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parameters, A::Error> {
                let mut pairs = Vec::new();
                while pairs.len() < MAX_PARAMETERS {
                    let Some((name, value)) = map.next_entry::<String, MaybeText>()? else { break };
                    if let Some(value) = value.0 {
                        pairs.push((name, value));
                    }
                }
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Parameters(pairs))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Parameters, A::Error> {
                let mut pairs = Vec::new();
                while pairs.len() < MAX_PARAMETERS {
                    let Some(pair) = list.next_element::<PairOrOther>()? else { break };
                    if let PairOrOther::Pair { name, value } = pair {
                        pairs.push((name, value));
                    }
                }
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Parameters(pairs))
            }
            fn visit_unit<E: de::Error>(self) -> Result<Parameters, E> {
                Ok(Parameters::default())
            }
        }
        deserializer.deserialize_any(ParametersVisitor)
    }
}

/// Only the name of a message, for those whose body we do not know.
#[derive(Debug, Deserialize)]
struct Named<'a> {
    #[serde(borrow)]
    event: Text<'a>,
}

/// A message that did not parse may still be an event we do not know, which is no error.
pub(crate) fn named_otherwise(message: &str, known: &[&str]) -> Result<(), StreamError> {
    match serde_json::from_str::<Named<'_>>(message) {
        Ok(named) if !known.contains(&&*named.event.0) => Ok(()),
        _ => Err(StreamError::NotUnderstood),
    }
}

/// Text, or something else that is dropped.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum TextOrOther {
    Text(String),
    Other(IgnoredAny),
}

/// A name with its value, or something else that is dropped.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum PairOrOther {
    Pair { name: String, value: String },
    Other(IgnoredAny),
}

#[derive(Debug)]
struct MaybeText(Option<String>);

impl<'de> Deserialize<'de> for MaybeText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match TextOrOther::deserialize(deserializer)? {
            TextOrOther::Text(text) => Self(Some(text)),
            TextOrOther::Other(_) => Self(None),
        })
    }
}
