//! What a call left to be done, as the hub of a team sees it. Texts have passed the redactor: personal data stands in
//! them as tokens.
#![deny(clippy::disallowed_methods)]

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// A work item, screened.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseItem {
    pub reference: String,
    /// `incident`, `inspection`, `message`, `escalation` or `callback`.
    pub kind: String,
    pub status: String,
    pub priority: String,
    /// The caller hung up before everything was told.
    pub incomplete: bool,
    pub created_at: DateTime<Utc>,
    pub fields: BTreeMap<String, String>,
}

language::shown!(CaseItem, "CaseItem": reference, kind, status, priority, incomplete, created_at; fields);

/// Everything of one Passport's work.
#[derive(Clone, PartialEq, Default)]
pub struct Case {
    /// What was filed on this call.
    pub items: Vec<CaseItem>,
    /// What the caller said, a line a turn.
    pub said: Vec<String>,
    /// Earlier items of the same caller, or about the same place.
    pub related: Vec<CaseItem>,
    /// Somebody was in danger: of what kind.
    pub urgent: Option<String>,
    /// The call was cut off by us.
    pub interrupted: bool,
    /// There is a number to call back.
    pub can_call_back: bool,
    /// When the call began.
    pub at: DateTime<Utc>,
}

language::shown!(Case, "Case": items, urgent, interrupted, can_call_back; said, related);

impl Case {
    /// What it is about, in the words of the teams' files. Empty: nothing is left to do.
    #[must_use]
    pub fn matters(&self) -> Vec<&str> {
        let open = |item: &&CaseItem| item.kind != "inspection" || item.incomplete;
        let mut matters: Vec<&str> = self.items.iter().filter(open).map(|item| item.kind.as_str()).collect();
        matters.extend(self.urgent.is_some().then_some("urgent"));
        matters.extend(self.interrupted.then_some("interrupted"));
        matters.sort_unstable();
        matters.dedup();
        matters
    }

    /// What the caller told of it: what happened as it was filed, else what was said first. Personal data stands in it as tokens.
    #[must_use]
    pub fn told(&self) -> String {
        let filed = self.items.iter().filter_map(|item| {
            ["what", "message", "reason", "notes"].iter().find_map(|key| item.fields.get(*key))
        });
        let filed: Vec<&str> = filed.map(String::as_str).collect();
        if filed.is_empty() { self.said.first().cloned().unwrap_or_default() } else { filed.join(". ") }
    }

    /// All words of it, in lower case: what was filed and what was said.
    #[must_use]
    pub fn words(&self) -> String {
        let fields = self.items.iter().flat_map(|item| item.fields.values());
        let all: Vec<&str> = fields.chain(&self.said).map(String::as_str).collect();
        all.join("\n").to_lowercase()
    }

    /// What specialists may be given, by the names in the teams' files.
    #[must_use]
    pub fn artifacts(&self) -> BTreeMap<String, String> {
        let call = CallFacts {
            urgent: self.urgent.clone(),
            interrupted: self.interrupted,
            can_call_back: self.can_call_back,
            began_at: self.at,
        };
        BTreeMap::from([
            ("report".to_owned(), lines(&self.items)),
            ("related".to_owned(), lines(&self.related)),
            ("call".to_owned(), serde_json::to_string(&call).unwrap_or_default()),
            ("conversation".to_owned(), self.said.join("\n")),
        ])
    }
}

/// An item a line, as JSON: what is cut off at the end of a budget spoils no line before it.
fn lines(items: &[CaseItem]) -> String {
    let lines: Vec<String> = items.iter().filter_map(|item| serde_json::to_string(item).ok()).collect();
    lines.join("\n")
}

/// The artifact `call`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CallFacts {
    pub urgent: Option<String>,
    pub interrupted: bool,
    pub can_call_back: bool,
    pub began_at: DateTime<Utc>,
}
