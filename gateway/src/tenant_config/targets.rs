//! Whom the line can put a caller through to.

use std::collections::BTreeSet;

use dialogue::builtin::Week;
use serde::{Deserialize, Serialize};
use storage::zones::normalise_phone;

use super::Hours;

/// Targets of one tenant.
pub const MOST: usize = 50;
/// People of one target.
pub const MOST_LINES: u32 = 100;
/// Subjects of one target.
pub const MOST_SUBJECTS: usize = 50;

/// A person or desk that takes calls.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Target {
    /// As callers hear it: "the clerk's office".
    pub name: String,
    /// E.164, or as people write it.
    pub number: String,
    /// When it takes calls. Absent: in the office's hours.
    #[serde(skip_serializing_if = "Hours::is_empty")]
    pub hours: Hours,
    /// That are spoken there. Empty: any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// What it is there for, in words that callers use. Empty: anything.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subjects: Vec<String>,
    /// Whether the agent may put callers through by itself. Absent: yes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transfer_by_agent: Option<bool>,
    /// Whether the agent asks the person there first, while the caller waits.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub warm: bool,
    /// Whether the agent stays as a silent note-taker once the person has taken the call. The caller and they are told before, and the
    /// caller may say no.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub notes: bool,
    /// Address at the caller's own exchange, `sip:clerk@pbx.example.gov`: who calls in over SIP is referred there, and the
    /// exchange places the call. Others are dialled. Empty: everybody is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub refer: String,
    /// How many people there can be on calls at a time. Absent: one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
    /// Whether callers may wait in line for it, once all of them are.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub queue: bool,
    /// Numbers of the tenant's lines whose callers it takes. Empty: those of all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub on_lines: Vec<String>,
}

impl Target {
    /// As the agent knows it.
    #[must_use]
    pub fn to_facts(&self) -> dialogue::builtin::Target {
        dialogue::builtin::Target {
            name: self.name.clone(),
            number: self.number.clone(),
            week: self.week(),
            languages: self.languages.clone(),
            subjects: self.subjects.clone(),
            by_agent: self.transfer_by_agent.unwrap_or(true),
            warm: self.warm,
            notes: self.notes,
            lines: self.lines.unwrap_or(1),
            queue: self.queue,
            on_lines: self.on_lines.iter().filter_map(|line| normalise_phone(line)).collect(),
        }
    }

    /// Its own hours; empty where it has none.
    #[must_use]
    pub fn week(&self) -> Week {
        self.hours.week()
    }

    /// Whether a name is this target's, in any case and spacing.
    #[must_use]
    pub fn is_named(&self, name: &str) -> bool {
        plain(&self.name) == plain(name)
    }
}

fn plain(name: &str) -> String {
    name.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Whether two targets have one name.
#[must_use]
pub fn has_twins(targets: &[Target]) -> bool {
    let names: BTreeSet<String> = targets.iter().map(|target| plain(&target.name)).collect();
    names.len() < targets.len()
}
