//! What a team adds to a Passport: typed, and flat in JSON beside the fields that every Passport has.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::LegalResearch;

/// The fields of one team. A Passport has those of the team that works it, told apart by the fields that each must
/// have; a Passport that no such team has worked has none.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TeamFields {
    Legal(Box<LegalResearch>),
    Incident(Box<Incident>),
    Claim(Box<ClaimQuestion>),
}

impl TeamFields {
    pub(super) fn in_range(&self) -> bool {
        match self {
            Self::Legal(fields) => fields.in_range(),
            Self::Incident(_) | Self::Claim(_) => true,
        }
    }
}

/// How bad an incident is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// A hazard or damage; nobody is hurt.
    Minor,
    /// Somebody is hurt; first aid is enough as far as was told.
    Moderate,
    /// Treatment beyond first aid.
    Serious,
    /// A death, an amputation, the loss of an eye, or a stay in hospital.
    Severe,
}

impl Severity {
    /// The word used in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Minor => "minor",
            Self::Moderate => "moderate",
            Self::Serious => "serious",
            Self::Severe => "severe",
        }
    }
}

/// Of the incident investigation and the safety team.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Incident {
    pub incident_reference: String,
    pub severity: Severity,
    /// Whether 29 CFR 1904 asks for an entry in the log, as far as the report tells; `None`: it does not tell.
    #[serde(default)]
    pub osha_recordable: Option<bool>,
    /// Hours within which 29 CFR 1904.39 asks for a report to OSHA: 8 or 24.
    #[serde(default)]
    pub osha_report_hours: Option<u32>,
    #[serde(default)]
    pub missing_fields: Vec<String>,
    /// References of reports that may tell of the same.
    #[serde(default)]
    pub possible_duplicates: Vec<String>,
    #[serde(default)]
    pub sla_deadline: Option<DateTime<Utc>>,
}

/// Of the claims team.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ClaimQuestion {
    /// Reference of the work item that asks.
    pub claim_reference: String,
    #[serde(default)]
    pub missing_fields: Vec<String>,
    #[serde(default)]
    pub possible_duplicates: Vec<String>,
    #[serde(default)]
    pub sla_deadline: Option<DateTime<Utc>>,
}
