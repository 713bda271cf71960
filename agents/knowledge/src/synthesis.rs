//! A short answer out of what was found, in the documents' own words, each sentence with the number of its source.
//!
//! Nothing is written that stands in no document: a synthesis that is wrong is at worst beside the point.

use super::{Found, best_sentences};

/// Relevance from which a passage says something about the question. Below it the honest answer is that the documents
/// do not say. See the table of unanswerable questions in `benches/src/bin/retrieval.rs`.
pub const ANSWERS: f32 = 0.5;
/// Sources that one synthesis draws on.
const SOURCES: usize = 3;
/// A source counts when it says at least this share of what the best one does.
const BESIDE_THE_BEST: f32 = 0.75;
const SENTENCES: usize = 2;

/// Sentences of the best sources with their numbers, as the results are numbered: `Permits cost $45. [1]`. `None` when
/// nothing found says enough.
#[must_use]
pub fn synthesis(question: &str, found: &[Found]) -> Option<String> {
    let best = found.iter().map(|f| f.relevance_score).fold(0.0, f32::max);
    let enough = ANSWERS.max(BESIDE_THE_BEST * best);
    let mut said: Vec<String> = Vec::new();
    for (n, found) in (1..).zip(found).filter(|(_, f)| f.relevance_score >= enough).take(SOURCES) {
        let sentences = best_sentences(&found.text, question, SENTENCES);
        if !sentences.is_empty() && !said.iter().any(|s: &String| s.starts_with(&sentences)) {
            said.push(format!("{sentences} [{n}]"));
        }
    }
    (!said.is_empty()).then(|| said.join(" "))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::FrontMatter;

    fn found(text: &str, relevance_score: f32) -> Found {
        Found {
            document_id: Uuid::nil(),
            source: "s".into(),
            title: "t".into(),
            heading: None,
            text: text.into(),
            relevance_score,
            paraphrase: None,
            centre: None,
            sentences: Vec::new(),
            shared: 0.0,
            front: FrontMatter::default(),
        }
    }

    #[test]
    fn every_sentence_has_its_source() {
        let some =
            [found("Permits cost $45.", 0.9), found("Nothing.", 0.2), found("Permits last a year.", 0.8)];
        assert_eq!(
            synthesis("permit", &some).as_deref(),
            Some("Permits cost $45. [1] Permits last a year. [3]")
        );
    }

    #[test]
    fn what_no_document_says_is_not_said() {
        assert_eq!(synthesis("permit", &[found("Couches.", ANSWERS - 0.01)]), None);
        assert_eq!(synthesis("permit", &[]), None);
    }
}
