//! Kinds of fact, of one language: which a question asks for, and which a sentence gives.

use regex::{Regex, RegexSet};
use serde::Deserialize;

use super::super::script::ScriptError;

/// One kind, as data.
#[derive(Deserialize)]
pub struct FactText {
    asked: String,
    given: String,
    /// An office has it: an address, a number, hours.
    #[serde(default)]
    office: bool,
}

/// The kinds of one language.
#[derive(Debug)]
pub struct Facts {
    asked: RegexSet,
    given: RegexSet,
    office: Vec<bool>,
    /// What asks for what an office has, to find where it ends.
    office_words: Vec<Regex>,
}

impl Facts {
    /// # Errors
    /// When a pattern is broken.
    pub fn compile(facts: &[FactText]) -> Result<Self, ScriptError> {
        let set = |pattern: fn(&FactText) -> &str| {
            let patterns = facts.iter().map(pattern);
            RegexSet::new(patterns).map_err(|e| ScriptError::Pattern("fact".to_owned(), e.to_string()))
        };
        let folded: Vec<String> = facts.iter().map(|fact| format!("(?i){}", fact.asked)).collect();
        let asked =
            RegexSet::new(&folded).map_err(|e| ScriptError::Pattern("fact".to_owned(), e.to_string()))?;
        let office: Vec<bool> = facts.iter().map(|fact| fact.office).collect();
        let of_office = folded.iter().zip(&office).filter(|(_, office)| **office);
        let office_words = of_office.map(|(pattern, _)| Regex::new(pattern)).collect::<Result<_, _>>();
        let office_words =
            office_words.map_err(|e| ScriptError::Pattern("fact".to_owned(), e.to_string()))?;
        Ok(Self { asked, given: set(|fact| &fact.given)?, office, office_words })
    }

    /// Kinds that a question asks for.
    #[must_use]
    pub fn asked(&self, question: &str) -> Vec<usize> {
        self.asked.matches(question).into_iter().collect()
    }

    /// Whether something is asked that is known of an office, and nothing else.
    #[must_use]
    pub fn of_office(&self, question: &str) -> bool {
        let asked = self.asked(question);
        !asked.is_empty() && asked.iter().all(|kind| self.office.get(*kind) == Some(&true))
    }

    /// A question without the words that ask for what an office has: "animal control", of "what's the number for animal control".
    #[must_use]
    pub fn beside_office(&self, question: &str) -> String {
        let cut = |left: String, words: &Regex| words.replace_all(&left, " ").into_owned();
        self.office_words.iter().fold(question.to_owned(), cut)
    }

    /// Share (0–1) of these kinds that a text gives; `None` when none is asked for.
    #[must_use]
    pub fn given(&self, asked: &[usize], text: &str) -> Option<f32> {
        let given = self.given.matches(text);
        let held = asked.iter().filter(|kind| given.matched(**kind)).count();
        (!asked.is_empty()).then(|| held as f32 / asked.len() as f32)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use pipeline::ports::Language;

    use super::super::super::script::Script;

    #[test]
    fn a_price_is_told_from_hours_in_both_languages() {
        for (language, asks, price, hours) in [
            (Language::En, "How much is it?", "A cart costs $45.", "Open at 8 a.m. daily."),
            (Language::Es, "¿Cuánto cuesta?", "Cuesta 45 dólares.", "Abre a las 8 de la mañana."),
        ] {
            let script = Script::front_desk(language).unwrap();
            let facts = &script.acts.facts;
            let asked = facts.asked(asks);
            assert!(facts.given(&asked, price) > facts.given(&asked, hours), "{asks}");
            assert_eq!(facts.given(&[], price), None);
        }
    }
}
