//! The handle through which a specialist asks its team's documents.
//!
//! A librarian sees its own team's shelf and the documents that are nobody's, and cannot name another team: what other
//! teams know comes through the platform layer, which alone holds the [`Library`]. What it hands out has passed the
//! prompt guard, is cited, and fits the room that the asker has.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use uuid::Uuid;

use crate::guard::{Channel, Context, Guard};
use crate::retriever::{ANSWERS, Filters, Found, Query, Retriever, sentences, synthesis};

/// Characters of a token, about; English text.
const CHARS_A_TOKEN: usize = 4;
/// Passages that one answer holds at most.
const MAX_PASSAGES: usize = 20;

/// A question to a librarian.
#[derive(Clone, PartialEq)]
pub struct Inquiry {
    pub text: String,
    /// Room for the passages together, in tokens of a language model.
    pub tokens: usize,
    /// Whether a caller waits.
    pub live: bool,
}

shown!(Inquiry, "Inquiry": tokens, live; text);

/// What the documents say.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Answer {
    /// Best first; empty when the documents do not say.
    pub passages: Vec<Cited>,
    /// Sentences of the passages with their numbers, when they say enough.
    pub synthesis: Option<String>,
    /// Passages that were left out because nothing was left of them after the guard, or for want of room.
    pub withheld: usize,
}

/// A passage with where it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Cited {
    /// From 1; what `[1]` in the synthesis means.
    pub number: usize,
    pub source: String,
    pub title: String,
    pub heading: Option<String>,
    /// Word for word, but for what the guard took out, and cut at a sentence where room was short.
    pub text: String,
    /// Calibrated 0–1.
    pub relevance_score: f32,
}

/// Something that can be asked; a team's librarian, or a double in a test.
pub trait Librarian: Send + Sync {
    /// What the documents that it may see say to a question.
    fn consult<'a>(&'a self, inquiry: &'a Inquiry) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;
}

/// All shelves of one tenant. For the platform layer; specialists are given a [`TeamLibrarian`].
#[derive(Clone, Debug)]
pub struct Library {
    retriever: Arc<Retriever>,
    tenant: Uuid,
}

/// Asks one team's shelf and what is nobody's.
#[derive(Clone, Debug)]
pub struct TeamLibrarian {
    library: Library,
    team: String,
}

impl Library {
    #[must_use]
    pub const fn new(retriever: Arc<Retriever>, tenant: Uuid) -> Self {
        Self { retriever, tenant }
    }

    /// The librarian of a team.
    #[must_use]
    pub fn of(&self, team: &str) -> TeamLibrarian {
        TeamLibrarian { library: self.clone(), team: team.to_owned() }
    }

    async fn ask(&self, inquiry: &Inquiry, team: Option<&str>) -> Answer {
        let filters = Filters { team: team.map(str::to_owned), ..Filters::default() };
        let query = Query {
            limit: MAX_PASSAGES,
            min_relevance_score: ANSWERS,
            filters,
            live: inquiry.live,
            ..Query::new(&inquiry.text)
        };
        let found = self.retriever.search(self.tenant, &query).await;
        answer(&inquiry.text, found, inquiry.tokens)
    }
}

/// Across all teams: for the platform layer.
impl Librarian for Library {
    fn consult<'a>(&'a self, inquiry: &'a Inquiry) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>> {
        Box::pin(self.ask(inquiry, None))
    }
}

impl Librarian for TeamLibrarian {
    fn consult<'a>(&'a self, inquiry: &'a Inquiry) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>> {
        Box::pin(self.library.ask(inquiry, Some(&self.team)))
    }
}

/// Passages that passed the guard, as many as fit.
fn answer(question: &str, found: Vec<Found>, tokens: usize) -> Answer {
    let all = found.len();
    let mut room = tokens.saturating_mul(CHARS_A_TOKEN);
    let mut kept: Vec<Found> = Vec::new();
    for mut found in found {
        let passed = [pass(&found.text), pass(&found.title)];
        let [Some(text), Some(title)] = passed else { continue };
        let Some(text) = fitting(&text, room.saturating_sub(title.chars().count())) else { continue };
        room = room.saturating_sub(title.chars().count() + text.chars().count());
        found.heading = found.heading.and_then(|heading| pass(&heading));
        (found.text, found.title) = (text, title);
        kept.push(found);
    }
    let synthesis = synthesis(question, &kept);
    let cited = |(number, f): (usize, Found)| Cited {
        number,
        source: f.source,
        title: f.title,
        heading: f.heading,
        text: f.text,
        relevance_score: f.relevance_score,
    };
    let withheld = all - kept.len();
    Answer { passages: (1..).zip(kept).map(cited).collect(), synthesis, withheld }
}

/// A text without what tries to steer a model; `None` when nothing is left, or when no guard could be had.
fn pass(text: &str) -> Option<String> {
    let verdict = Guard::shipped().ok()?.judge(text, Channel::Document, Context::default());
    let left = verdict.text.replace(crate::guard::MARKER, " ");
    (!left.trim().is_empty()).then_some(verdict.text)
}

/// As many whole sentences from the beginning as fit; `None` when not even one does.
fn fitting(text: &str, room: usize) -> Option<String> {
    if text.chars().count() <= room {
        return Some(text.to_owned());
    }
    let mut out = String::new();
    for sentence in sentences(text) {
        if out.chars().count() + sentence.chars().count() + 1 > room {
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&sentence);
    }
    (!out.is_empty()).then_some(out)
}

#[cfg(test)]
mod tests;
