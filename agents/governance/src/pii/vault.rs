//! Which token stands for what, for the length of one call.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::kind::Kind;
use super::values::Value;

/// Values of one kind that are kept. Later ones become `⟨kind:0⟩`, which stands for nothing.
const MOST: usize = 4_096;

/// A token as it was made, or as a model may have copied it.
static MADE: LazyLock<Regex> = LazyLock::new(|| {
    let kinds: Vec<&str> = Kind::ALL.iter().filter(|k| k.label().is_some()).map(|k| k.name()).collect();
    Regex::new(&format!(r"(?i)[⟨<\[(]\s*({})\s*[:_ ]\s*(\d{{1,4}})\s*[⟩>\])]", kinds.join("|")))
        .expect("a test compiles this pattern")
});

/// Whether a text holds a token in any form that is resolved.
#[must_use]
pub fn has_token(text: &str) -> bool {
    MADE.is_match(text)
}

/// The values of a call.
#[derive(Clone, Default)]
pub(super) struct Vault {
    numbers: HashMap<(Kind, String), usize>,
    filed: HashMap<Kind, Vec<String>>,
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vault").field("values", &self.numbers.len()).finish_non_exhaustive()
    }
}

impl Vault {
    /// The number of a value's token; the same value keeps its number.
    pub(super) fn number(&mut self, kind: Kind, value: &Value) -> usize {
        let key = self.whole_phone(kind, &value.key).unwrap_or_else(|| value.key.clone());
        if let Some(known) = self.numbers.get(&(kind, key.clone())) {
            return *known;
        }
        let filed = self.filed.entry(kind).or_default();
        if filed.len() >= MOST {
            return 0;
        }
        filed.push(value.filed.clone());
        self.numbers.insert((kind, key), filed.len());
        filed.len()
    }

    /// More of a value was said: its token stands for the whole from now on.
    pub(super) fn complete(&mut self, kind: Kind, number: usize, value: &Value) {
        let place = number.checked_sub(1);
        if let Some(filed) = place.and_then(|n| self.filed.get_mut(&kind)?.get_mut(n)) {
            filed.clone_from(&value.filed);
            self.numbers.insert((kind, value.key.clone()), number);
        }
    }

    /// A local number is the whole one that was said before, if there was one.
    fn whole_phone(&self, kind: Kind, key: &str) -> Option<String> {
        if kind != Kind::Phone || key.len() != 7 {
            return None;
        }
        let whole = self.numbers.keys().find(|(k, v)| *k == kind && v.len() > 7 && v.ends_with(key));
        whole.map(|(_, v)| v.clone())
    }

    fn filed(&self, kind: Kind, number: &str) -> Option<&str> {
        let number: usize = number.parse().ok()?;
        self.filed.get(&kind)?.get(number.checked_sub(1)?).map(String::as_str)
    }

    /// The value of the first token in a text, if it is of this kind.
    pub(super) fn first(&self, text: &str, kind: Kind) -> Option<&str> {
        let found = MADE.captures(text)?;
        Kind::of(&found[1]).filter(|k| *k == kind)?;
        self.filed(kind, &found[2])
    }

    /// The text with something in the place of each token: `with` gets the token, its kind, and its value if it may be
    /// told.
    pub(super) fn replaced(&self, text: &str, with: impl Fn(&str, Kind, Option<&str>) -> String) -> String {
        let pattern = &*MADE;
        pattern
            .replace_all(text, |found: &Captures<'_>| match Kind::of(&found[1]) {
                Some(kind) => {
                    let told = kind.may_be_told().then(|| self.filed(kind, &found[2])).flatten();
                    with(&found[0], kind, told)
                }
                None => found[0].to_owned(),
            })
            .into_owned()
    }
}
