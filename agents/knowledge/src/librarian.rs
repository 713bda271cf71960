//! The librarian of a team: what its specialists, and programs that work as one, are told of the documents.
//!
//! A librarian sees its own team's shelf and the documents that are nobody's, and cannot name another team: what other
//! teams know comes through the platform layer (`organisation`). What it hands out has passed the prompt guard and says
//! where it stands. How much of it fits the asker is the context sandbox's affair (`hub::sandbox`). A live turn searches
//! by itself (`agents::office`): there the guard also keeps the call's record of what it found.

use std::sync::Arc;

use uuid::Uuid;

use crate::{Filters, Found, Query, Retriever};
use governance::guard::{Action, Channel, Context, Guard, MARKER};

/// Passages that one question is answered with, at most.
const PASSAGES: usize = 5;

/// Asks one team's shelf and what is nobody's.
#[derive(Clone, Debug)]
pub struct Librarian {
    retriever: Arc<Retriever>,
    tenant: Uuid,
    team: String,
}

/// A question, or several that are asked each by itself: one thing only blurs what another is about.
#[derive(Clone, PartialEq)]
pub struct Inquiry {
    pub questions: Vec<String>,
    /// Passages below this relevance are not about it.
    pub least: f32,
    /// Whether a caller waits.
    pub live: bool,
}

language::shown!(Inquiry, "Inquiry": least, live; questions);

/// A passage with where it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Cited {
    pub source: String,
    pub title: String,
    /// Word for word, but for what the guard took out.
    pub text: String,
    /// Calibrated 0–1.
    pub relevance_score: f32,
}

impl Librarian {
    /// The librarian of a team of one tenant.
    #[must_use]
    pub fn of(retriever: Arc<Retriever>, tenant: Uuid, team: &str) -> Self {
        Self { retriever, tenant, team: team.to_owned() }
    }

    /// What the documents say, best first and each passage once; empty when they do not say.
    pub async fn consult(&self, inquiry: &Inquiry) -> Vec<Cited> {
        let mut found: Vec<Found> = Vec::new();
        for question in &inquiry.questions {
            let filters = Filters { team: Some(self.team.clone()), ..Filters::default() };
            let query = Query {
                limit: PASSAGES,
                min_relevance_score: inquiry.least,
                filters,
                live: inquiry.live,
                ..Query::new(question)
            };
            for passage in self.retriever.search(self.tenant, &query).await {
                match found.iter_mut().find(|held| same(held, &passage)) {
                    Some(held) if held.relevance_score >= passage.relevance_score => {}
                    Some(held) => *held = passage,
                    None => found.push(passage),
                }
            }
        }
        found.sort_by(|a, b| b.relevance_score.total_cmp(&a.relevance_score));
        found.into_iter().filter_map(cited).collect()
    }
}

fn same(a: &Found, b: &Found) -> bool {
    a.document_id == b.document_id && a.heading == b.heading && a.text == b.text
}

fn cited(found: Found) -> Option<Cited> {
    Some(Cited {
        text: passed(&found.text)?,
        title: passed(&found.title)?,
        source: found.source,
        relevance_score: found.relevance_score,
    })
}

/// A text without what tries to steer a model; `None` when nothing is left, or when no guard could be had.
fn passed(text: &str) -> Option<String> {
    let verdict = Guard::shipped().ok()?.judge(text, Channel::Document, Context::default());
    if !verdict.is_clean() {
        metrics::counter!("quandura_tool_guard_total", "channel" => Channel::Document.name()).increment(1);
    }
    let left = verdict.text.replace(MARKER, " ");
    (verdict.action != Action::Withhold && !left.trim().is_empty()).then_some(verdict.text)
}

#[cfg(test)]
mod tests;
