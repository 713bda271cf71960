//! The Passport of the legal research team: everything of a Passport, and its own fields beside them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::Passport;

/// What kind of authority a citation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceType {
    Statute,
    Case,
    Regulation,
    AgOpinion,
    PriorOpinion,
}

/// A legal citation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Citation {
    pub citation_text: String,
    pub source_type: SourceType,
    pub jurisdiction: String,
    #[serde(default)]
    pub date: Option<String>,
    #[serde(default)]
    pub url: Option<String>,
    /// 0–1.
    pub relevance_score: f64,
    #[serde(default)]
    pub excerpt: Option<String>,
}

/// Where a draft stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReviewStatus {
    #[default]
    Pending,
    InReview,
    Approved,
    RevisionNeeded,
}

/// A Passport with the legal team's fields, flat in JSON as in the platform document.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LegalResearchPassport {
    #[serde(flatten)]
    pub passport: Passport,
    pub matter_type: String,
    pub requesting_department: String,
    #[serde(default)]
    pub sources_searched: Vec<String>,
    #[serde(default)]
    pub key_authorities: Vec<Citation>,
    #[serde(default)]
    pub conflicts_found: Vec<String>,
    #[serde(default)]
    pub draft_version: u32,
    #[serde(default)]
    pub review_status: ReviewStatus,
    #[serde(default)]
    pub citation_accuracy: Option<f64>,
    #[serde(default)]
    pub reasoning_confidence: Option<f64>,
    #[serde(default)]
    pub consistency_with_prior: Option<f64>,
    #[serde(default)]
    pub sla_deadline: Option<DateTime<Utc>>,
    #[serde(default)]
    pub days_in_progress: u32,
}

impl LegalResearchPassport {
    /// Extends a passport; matter and department start as its mission has them.
    #[must_use]
    pub fn extend(passport: Passport) -> Self {
        Self {
            matter_type: passport.mission.matter_type.clone(),
            requesting_department: passport.mission.requester_department.clone(),
            passport,
            sources_searched: Vec::new(),
            key_authorities: Vec::new(),
            conflicts_found: Vec::new(),
            draft_version: 0,
            review_status: ReviewStatus::default(),
            citation_accuracy: None,
            reasoning_confidence: None,
            consistency_with_prior: None,
            sla_deadline: None,
            days_in_progress: 0,
        }
    }
}
