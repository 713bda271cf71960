//! What the legal research team adds to a Passport.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::Mission;

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

/// Fields of the platform document's `LegalResearchPassport`, flat in JSON beside those of every Passport.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LegalResearch {
    /// `employment`, `contracts`, `liability`, …
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
    /// 0–1.
    #[serde(default)]
    pub citation_accuracy: Option<f64>,
    /// 0–1.
    #[serde(default)]
    pub reasoning_confidence: Option<f64>,
    /// 0–1.
    #[serde(default)]
    pub consistency_with_prior: Option<f64>,
    #[serde(default)]
    pub sla_deadline: Option<DateTime<Utc>>,
    #[serde(default)]
    pub days_in_progress: u32,
}

impl LegalResearch {
    /// Nothing is searched yet; matter and department start as the mission has them.
    #[must_use]
    pub fn of(mission: &Mission) -> Self {
        Self {
            matter_type: mission.matter_type.clone(),
            requesting_department: mission.requester_department.clone(),
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

    /// Whether every share lies in 0–1.
    pub(super) fn in_range(&self) -> bool {
        let shares = [self.citation_accuracy, self.reasoning_confidence, self.consistency_with_prior];
        let cited = self.key_authorities.iter().map(|citation| citation.relevance_score);
        shares.into_iter().flatten().chain(cited).all(|share| (0.0..=1.0).contains(&share))
    }
}
