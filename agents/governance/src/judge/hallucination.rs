//! Statements that nothing bears out: sentences whose words the sources and the context do not know.

use super::evidence::Evidence;
use super::reading::{Sentence, fold};
use super::request::{Severity, ValidationIssue};

/// Share of a statement's words that the sources must know.
const KNOWN: f32 = 0.5;
/// Fewer words state nothing that could be looked for.
const LEAST_TERMS: usize = 3;

/// Ways of speaking about the conversation itself.
const TALK: [&str; 26] = [
    "can i help",
    "help you",
    "anything else",
    "let me",
    "i can ",
    "i'll ",
    "i will",
    "would you",
    "thank",
    "you're welcome",
    "one moment",
    "i'm sorry",
    "i don't have",
    "i do not have",
    "please hold",
    "goodbye",
    "my name is",
    "automated assistant",
    "puedo ayudar",
    "algo mas",
    "gracias",
    "un momento",
    "lo siento",
    "no tengo",
    "adios",
    "asistente",
];

/// The statements that are not borne out, and how many were looked at.
#[must_use]
pub fn check(sentences: &[Sentence], evidence: &Evidence) -> (Vec<ValidationIssue>, usize) {
    let (mut issues, mut claims) = (Vec::new(), 0);
    for (n, sentence) in sentences.iter().enumerate().filter(|(_, s)| !s.question) {
        let terms: Vec<String> = sentence.clauses.iter().flat_map(|c| c.terms.iter().cloned()).collect();
        let plain = fold(&sentence.text);
        if terms.len() < LEAST_TERMS || TALK.iter().any(|t| plain.contains(t)) {
            continue;
        }
        claims += 1;
        if evidence.covers(&terms) < KNOWN {
            let shown: String = sentence.text.chars().take(160).collect();
            let message = format!("Claim not supported by context: {shown}");
            let issue = ValidationIssue::new(Severity::Warning, "unsupported_claim", message);
            issues.push(
                issue
                    .at(format!("sentence:{}", n + 1))
                    .suggest("Verify this information or mark as uncertain"),
            );
        }
    }
    (issues, claims)
}
