//! What may be said as it stands: what the tenant configured, and what its own documents and records showed.

use std::sync::Arc;

use super::amounts;
use super::contacts::{self, EVERYWHERE};
use super::plain::words;
use super::tokens::{Token, cut};

/// Values of one kind that are kept; further ones are not learned, and so not spoken.
const MOST: usize = 500;
/// Texts that are kept whole, and bytes of one.
const MOST_TEXTS: usize = 64;
const LONGEST: usize = 8 * 1024;

/// Amounts, shares, numbers, addresses and sentences of a source. Cheap to clone.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Known {
    pub(super) amounts: Vec<i64>,
    pub(super) percents: Vec<i64>,
    pub(super) phones: Vec<String>,
    pub(super) links: Vec<String>,
    /// Plain words, with a space at both ends.
    texts: Vec<Arc<str>>,
}

impl std::fmt::Debug for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Known")
            .field("amounts", &self.amounts.len())
            .field("texts", &self.texts.len())
            .finish_non_exhaustive()
    }
}

impl Known {
    /// Learns what a document or a record of the tenant's says.
    pub fn learn(&mut self, text: &str) {
        let text: &str = text.get(..LONGEST).unwrap_or_else(|| {
            let end = (0..LONGEST.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            if text.len() > LONGEST { &text[..end] } else { text }
        });
        let plain: Arc<str> = format!(" {} ", words(text)).into();
        if self.texts.contains(&plain) {
            return;
        }
        self.learn_values(text);
        if self.texts.len() < MOST_TEXTS {
            self.texts.push(plain);
        }
    }

    /// Learns the amounts and numbers of a text, and not its sentences.
    pub fn learn_values(&mut self, text: &str) {
        let tokens = cut(text);
        put_all(&mut self.amounts, amounts::money(&tokens));
        if tokens.iter().any(|t| t.is(&["free"])) {
            put(&mut self.amounts, 0);
        }
        put_all(&mut self.percents, amounts::percents(&tokens));
        if has_half(&tokens) {
            put(&mut self.percents, 50_000);
        }
        for phone in contacts::phones(&tokens) {
            self.learn_phone(&phone);
        }
        put_all(&mut self.links, contacts::links(text));
    }

    /// A number that may be told, whole or without its area code.
    pub fn learn_phone(&mut self, number: &str) {
        let digits = contacts::ten(number);
        if let Some(local) = digits.get(3..).filter(|_| digits.len() == 10) {
            put(&mut self.phones, local.to_owned());
        }
        if digits.len() >= 3 {
            put(&mut self.phones, digits);
        }
    }

    pub(super) fn learn_amount(&mut self, cents: i64) {
        put(&mut self.amounts, cents);
    }

    pub(super) fn learn_percent(&mut self, thousandths: i64) {
        put(&mut self.percents, thousandths);
    }

    pub(super) fn learn_link(&mut self, address: &str) {
        put(&mut self.links, contacts::link(address));
    }

    /// Numbers that everybody may be told.
    pub(super) fn learn_everywhere(&mut self) {
        EVERYWHERE.into_iter().for_each(|number| put(&mut self.phones, number.to_owned()));
    }

    /// Whether these plain words stand in a text as they are.
    pub(super) fn has(&self, plain: &str) -> bool {
        let sought = format!(" {plain} ");
        self.texts.iter().any(|text| text.contains(&sought))
    }
}

/// "Owners over 65 pay half", but not "half a day".
fn has_half(tokens: &[Token]) -> bool {
    tokens.iter().enumerate().any(|(at, token)| {
        let next = tokens.get(at + 1);
        token.is(&["half", "mitad"])
            && !next.is_some_and(|t| t.is(&["a", "an", "day", "hour", "past", "mile", "de"]))
    })
}

fn put<T: PartialEq>(into: &mut Vec<T>, value: T) {
    if into.len() < MOST && !into.contains(&value) {
        into.push(value);
    }
}

fn put_all<T: PartialEq>(into: &mut Vec<T>, values: Vec<T>) {
    values.into_iter().for_each(|value| put(into, value));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_vouches_for_what_stands_on_it() {
        let mut known = Known::default();
        known.learn(
            "A dog license costs $10. Owners over 65 pay half. Call 202-555-0123, or see riverbend.gov/dogs.",
        );
        assert_eq!(
            (known.amounts.as_slice(), known.percents.as_slice()),
            ([1_000].as_slice(), [50_000].as_slice())
        );
        assert_eq!(known.phones, ["5550123", "2025550123"]);
        assert_eq!(known.links, ["riverbend.gov/dogs"]);
        assert!(known.has("owners over 65 pay half") && !known.has("others pay half"));
    }

    #[test]
    fn nothing_grows_without_end() {
        let mut known = Known::default();
        for n in 0..600 {
            known.learn(&format!("Item {n} costs ${n}. {}", "é".repeat(9_000)));
        }
        assert_eq!((known.amounts.len(), known.texts.len()), (MOST, MOST_TEXTS));
    }
}
