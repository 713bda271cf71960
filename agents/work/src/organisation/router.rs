//! The memory router: which stores answer a question, why, and one list out of what they say.
#![deny(clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

const SHIPPED: &str = include_str!("../../data/organisation/routes.toml");
/// Reciprocal rank fusion, as between the ways of one store.
const K: f64 = 60.0;

/// The rules that come with the program.
static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    // The file is a part of the program; a test reads it.
    load(SHIPPED).unwrap_or_default()
});

/// Where memory is kept.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Store {
    OrganisationalMemory,
    KnowledgeDocuments,
    TaskHistory,
    Passports,
    /// What is known of a caller. Needs to be told whose.
    ContactsMemory,
}

/// When a store is asked.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    pub id: String,
    /// Ends the sentence "asked because it …".
    pub because: String,
    pub stores: Vec<Store>,
    /// Words and phrases of which one must be in the question.
    #[serde(default)]
    pub words: Vec<String>,
    /// Also holds when the question has a reference of ours.
    #[serde(default)]
    pub reference: bool,
}

/// A store to ask, and which rules say so.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Route {
    pub store: Store,
    pub reasons: Vec<Reason>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Reason {
    pub rule: String,
    pub because: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rule: Vec<Rule>,
}

fn load(text: &str) -> Result<Vec<Rule>, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string())?;
    for rule in &file.rule {
        if rule.stores.is_empty() || (rule.words.is_empty() && !rule.reference) {
            return Err(format!("rule {}: it names no store, or never holds", rule.id));
        }
    }
    Ok(file.rule)
}

/// The rules that come with the program.
#[must_use]
pub fn shipped() -> &'static [Rule] {
    &RULES
}

/// The stores that answer a question.
#[must_use]
pub fn route(question: &str, rules: &[Rule]) -> Vec<Route> {
    let said = plain(question);
    let mut routes: BTreeMap<Store, Vec<Reason>> = BTreeMap::new();
    let mut send = |store, rule: &str, because: &str| {
        let reason = Reason { rule: rule.to_owned(), because: because.to_owned() };
        routes.entry(store).or_default().push(reason);
    };
    send(Store::OrganisationalMemory, "always", "is asked everything");
    let mut held = false;
    for rule in rules.iter().filter(|rule| rule.holds(question, &said)) {
        held = true;
        for store in &rule.stores {
            send(*store, &rule.id, &rule.because);
        }
    }
    if !held {
        send(Store::KnowledgeDocuments, "otherwise", "no rule says where to look");
    }
    routes.into_iter().map(|(store, reasons)| Route { store, reasons }).collect()
}

impl Rule {
    fn holds(&self, question: &str, said: &str) -> bool {
        (self.reference && references(question).next().is_some())
            || self.words.iter().any(|phrase| said.contains(&plain(phrase)))
    }
}

/// Lower-case words without accents, each between blanks.
fn plain(text: &str) -> String {
    let flat: String = text.nfd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect();
    let words = flat.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    format!(" {} ", words.collect::<Vec<_>>().join(" "))
}

/// References of ours in a text, such as `INC-4821`.
pub fn references(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '-'));
    words.filter(|word| {
        word.split_once('-').is_some_and(|(kind, number)| {
            kind.len() == 3
                && kind.bytes().all(|b| b.is_ascii_uppercase())
                && number.len() >= 3
                && number.bytes().all(|b| b.is_ascii_alphanumeric())
                && number.bytes().any(|b| b.is_ascii_digit())
        })
    })
}

/// Something that a store said.
#[derive(Clone, PartialEq, Serialize)]
pub struct Item {
    pub store: Store,
    /// Its id or name in that store.
    pub id: String,
    /// Raw: to be screened before it leaves the sensitive zone.
    pub text: String,
    /// From 0 to 1, as that store has it.
    pub score: f64,
    /// What else that store tells of it.
    pub details: Value,
}

language::shown!(Item, "Item": store, id, score; text);

/// One list out of several, each best first: by place in its own list, and by how sure its store is.
#[must_use]
pub fn fuse(answers: Vec<Vec<Item>>, limit: usize) -> Vec<Item> {
    let mut all: Vec<(f64, Item)> = Vec::new();
    for answer in answers {
        for (rank, item) in answer.into_iter().enumerate() {
            let fused = (0.5 + 0.5 * item.score.clamp(0.0, 1.0)) / (K + rank as f64 + 1.0);
            all.push((fused, item));
        }
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.store.cmp(&b.1.store)).then_with(|| a.1.id.cmp(&b.1.id)));
    all.into_iter().take(limit).map(|(_, item)| item).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn stores(question: &str) -> Vec<Store> {
        route(question, shipped()).into_iter().map(|route| route.store).collect()
    }

    #[test]
    fn the_shipped_rules_load() {
        assert!(load(SHIPPED).unwrap().len() >= 6);
        assert!(load("[[rule]]\nid = 'a'\nbecause = 'x'\nstores = ['passports']").is_err());
        assert!(load("[[rule]]\nid = 'a'\nbecause = 'x'\nstores = ['attic']\nwords = ['a']").is_err());
    }

    #[test]
    fn questions_go_where_their_answers_are() {
        use Store::{ContactsMemory, KnowledgeDocuments, OrganisationalMemory, Passports, TaskHistory};
        assert_eq!(stores("What does a dog licence cost?"), [OrganisationalMemory, KnowledgeDocuments]);
        assert_eq!(stores("Why was the last refund denied?"), [OrganisationalMemory, TaskHistory]);
        assert_eq!(stores("INC-4821"), [OrganisationalMemory, Passports]);
        assert_eq!(stores("does the caller prefer Spanish"), [OrganisationalMemory, ContactsMemory]);
        assert_eq!(stores("¿Cuánto cuesta el permiso?"), [OrganisationalMemory, KnowledgeDocuments]);
        assert_eq!(stores("goals of this year"), [OrganisationalMemory]);
        assert_eq!(stores("xyzzy"), [OrganisationalMemory, KnowledgeDocuments], "no rule holds");
        assert_eq!(
            stores("casework on Feeney"),
            [OrganisationalMemory, KnowledgeDocuments],
            "whole words only"
        );
    }

    #[test]
    fn every_route_says_why() {
        let routes = route("which policy applies to fees", shipped());
        let documents = routes.iter().find(|route| route.store == Store::KnowledgeDocuments).unwrap();
        let rules: Vec<&str> = documents.reasons.iter().map(|reason| reason.rule.as_str()).collect();
        assert_eq!(rules, ["facts", "policy"]);
    }

    #[test]
    fn a_sure_second_place_beats_an_unsure_first() {
        let item = |store, id: &str, score| Item {
            store,
            id: id.into(),
            text: String::new(),
            score,
            details: Value::Null,
        };
        let memory =
            vec![item(Store::OrganisationalMemory, "a", 0.9), item(Store::OrganisationalMemory, "b", 0.8)];
        let papers = vec![item(Store::KnowledgeDocuments, "c", 0.1)];
        let order: Vec<String> = fuse(vec![papers, memory], 3).into_iter().map(|item| item.id).collect();
        assert_eq!(order, ["a", "b", "c"]);
    }
}
