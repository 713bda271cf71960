//! A sandboxed context, read.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::hub::case::{CallFacts, CaseItem};
use crate::hub::sandbox::SandboxedContext;
use crate::passport::Precedent;

/// What the methods work on. What was cut off by the budget is not there.
pub(super) struct Seen {
    pub(super) items: Vec<CaseItem>,
    pub(super) related: Vec<CaseItem>,
    pub(super) call: CallFacts,
    pub(super) said: String,
    /// How such cases were decided before, best first.
    pub(super) precedents: Vec<Precedent>,
    /// Outputs of specialists before, by their ids.
    pub(super) found: BTreeMap<String, Value>,
}

impl Seen {
    pub(super) fn of(context: &SandboxedContext) -> Self {
        let text = |name: &str| context.input_artifacts.get(name).map_or("", String::as_str);
        let is_case = |name: &str| crate::teams::CASE.contains(&name);
        let found = context.input_artifacts.iter().filter(|(name, _)| !is_case(name));
        Self {
            items: lines(text("report")),
            related: lines(text("related")),
            precedents: lines(text("precedents")),
            call: serde_json::from_str(text("call")).unwrap_or_default(),
            said: text("conversation").to_owned(),
            found: found
                .filter_map(|(name, json)| Some((name.clone(), serde_json::from_str(json).ok()?)))
                .collect(),
        }
    }

    /// A field of an output before, whoever gave it.
    pub(super) fn finding(&self, field: &str) -> Option<&Value> {
        self.found.values().find_map(|output| output.get(field))
    }

    /// What was filed and said, in lower case.
    pub(super) fn words(&self) -> String {
        let fields = self.items.iter().flat_map(|item| item.fields.values());
        let all: Vec<&str> = fields.map(String::as_str).chain([self.said.as_str()]).collect();
        all.join("\n").to_lowercase()
    }
}

fn lines<T: DeserializeOwned>(text: &str) -> Vec<T> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// A field that has a value.
pub(super) fn given<'i>(item: &'i CaseItem, field: &str) -> Option<&'i str> {
    item.fields.get(field).map(|value| value.trim()).filter(|value| !value.is_empty())
}

/// What the item is about, in the caller's words.
pub(super) fn about(item: &CaseItem) -> Option<&str> {
    ["what", "message", "reason", "notes"].iter().find_map(|field| given(item, field))
}

/// Where it is.
pub(super) fn place(item: &CaseItem) -> Option<&str> {
    ["where", "address"].iter().find_map(|field| given(item, field))
}
