//! What a specialist works by where no language model is asked: fixed rules over its sandboxed context, and nothing but
//! that. The same context gives the same output, byte for byte.
#![deny(clippy::disallowed_methods)]

mod completeness;
mod duplicates;
mod injury;
mod seen;
mod steps;
mod summary;
mod triage;

use serde_json::{Value, json};

use super::SandboxedContext;
use crate::teams::Method;
use seen::Seen;

pub use duplicates::is_related;

/// Longest summary in characters; the schemas of the shipped teams allow as many.
const MOST_SUMMARY: usize = 2_000;

/// The output of a method, of the shape that the shipped teams' schemas ask for.
#[must_use]
pub fn work(method: Method, context: &SandboxedContext) -> Value {
    let seen = Seen::of(context);
    match method {
        Method::Triage => triage::work(&seen),
        Method::Completeness => completeness::work(&seen),
        Method::Injury => injury::work(&seen),
        Method::Duplicates => duplicates::work(&seen, can(context, "refer_to_team")),
        Method::Citations => citations(context),
        Method::NextSteps => steps::work(&seen),
        Method::Summary => summary::work(&seen),
        Method::Patterns => patterns(&seen),
    }
}

fn can(context: &SandboxedContext, tool: &str) -> bool {
    context.tools_available.iter().any(|own| own == tool)
}

/// Passages as they were given: `[source] title: text`.
fn citations(context: &SandboxedContext) -> Value {
    let citation = |excerpt: &String| {
        let (source, rest) = excerpt.strip_prefix('[')?.split_once("] ")?;
        let (title, text) = rest.split_once(": ")?;
        Some(
            json!({ "source": source, "title": title, "excerpt": text.chars().take(1_200).collect::<String>() }),
        )
    };
    let citations: Vec<Value> = context.prior_knowledge.iter().filter_map(citation).collect();
    if citations.is_empty() {
        return json!({ "summary": "The documents say nothing about it.", "confidence": 0.7, "citations": [] });
    }
    let sources: Vec<&str> = citations.iter().filter_map(|c| c["source"].as_str()).collect();
    let summary = clipped(&format!("The documents that bear on it: {}.", sources.join(", ")));
    json!({ "summary": summary, "confidence": 0.85, "citations": citations })
}

fn patterns(seen: &Seen) -> Value {
    let mut counts = std::collections::BTreeMap::<String, u64>::new();
    for item in &seen.related {
        *counts.entry(format!("{} {}", item.kind, item.status)).or_default() += 1;
    }
    let told: Vec<String> = counts.iter().map(|(what, count)| format!("{count} {what}")).collect();
    let summary = if told.is_empty() {
        "There are no related items.".to_owned()
    } else {
        format!("{} related items: {}.", seen.related.len(), told.join(", "))
    };
    json!({ "summary": clipped(&summary), "confidence": 0.9, "counts": counts })
}

fn clipped(text: &str) -> String {
    text.chars().take(MOST_SUMMARY).collect()
}

#[cfg(test)]
mod tests;
