//! A finished task as memory: one event for the task, one for each decision in it, and what they relate to.
#![deny(clippy::disallowed_methods)]

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use storage::organisation::{Layer, NewMemoryNode, NewRelation, RelationType};
use uuid::Uuid;

use super::resolution::{MICRO_TOKENS, SUMMARY_TOKENS, tokens};

/// Decisions of one task that become nodes.
pub const MOST_DECISIONS: usize = 16;
/// How well a fresh event is remembered.
const FRESH: f64 = 0.8;
/// Bytes of a full text.
const MAX_FULL: usize = 60 * 1024;

/// What an after-action review learnt from a task. Texts are those that may be kept: tokens in place of personal data.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Episode {
    pub passport_id: Uuid,
    pub team_id: String,
    pub task_type: String,
    pub mission_summary: String,
    pub outcome: String,
    #[serde(default)]
    pub key_decisions: Vec<KeyDecision>,
    #[serde(default)]
    pub mistakes_made: Vec<String>,
    #[serde(default)]
    pub successful_patterns: Vec<String>,
    /// Symbols of the entities that it involved.
    #[serde(default)]
    pub involved: Vec<String>,
    /// Symbols of the goals that it served.
    #[serde(default)]
    pub aligned_with: Vec<String>,
    pub ended_at: DateTime<Utc>,
}

language::shown!(Episode, "Episode": passport_id, team_id, task_type, involved, ended_at; mission_summary, outcome, key_decisions, mistakes_made, successful_patterns);

/// A decision in a task.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct KeyDecision {
    pub outcome: String,
    #[serde(default)]
    pub reason: String,
    #[serde(default)]
    pub factors: Vec<String>,
    /// Symbols of the policies that applied.
    #[serde(default)]
    pub policies: Vec<String>,
}

language::shown!(KeyDecision, "KeyDecision": policies; outcome, reason, factors);

/// Symbol of the event of a task: the same task has the same, so it is remembered once.
#[must_use]
pub fn symbol(passport: Uuid) -> String {
    format!("episode.{passport}")
}

/// Nodes and relations of an episode. Relations to symbols that nobody knows are for the caller to leave out.
#[must_use]
pub fn episode(episode: &Episode) -> (Vec<NewMemoryNode>, Vec<NewRelation>) {
    let own = symbol(episode.passport_id);
    let decisions = &episode.key_decisions[..episode.key_decisions.len().min(MOST_DECISIONS)];
    let mut nodes = vec![event(episode, decisions)];
    let mut relations = Vec::new();
    let relate = |from: &str, relation, to: &str| NewRelation {
        from: from.to_owned(),
        relation,
        to: to.to_owned(),
        weight: 1.0,
    };
    for (n, decision) in (1..).zip(decisions) {
        let name = format!("decision.{}.{n}", episode.passport_id);
        nodes.push(decided(episode, decision, &name));
        relations.push(relate(&own, RelationType::Caused, &name));
        relations.extend(decision.policies.iter().map(|to| relate(&name, RelationType::Applies, to)));
        relations.extend(episode.involved.iter().map(|to| relate(&name, RelationType::Involves, to)));
    }
    relations.extend(episode.involved.iter().map(|to| relate(&own, RelationType::Involves, to)));
    relations.extend(episode.aligned_with.iter().map(|to| relate(&own, RelationType::AlignedWith, to)));
    relations.truncate(storage::organisation::MAX_RELATIONS);
    (nodes, relations)
}

fn event(episode: &Episode, decisions: &[KeyDecision]) -> NewMemoryNode {
    let told: Vec<&str> = decisions.iter().map(|decision| decision.outcome.as_str()).collect();
    let summary = format!("{} Outcome: {}. {}", episode.mission_summary, episode.outcome, told.join("; "));
    let full = json!({
        "mission_summary": episode.mission_summary,
        "outcome": episode.outcome,
        "key_decisions": decisions,
        "mistakes_made": episode.mistakes_made,
        "successful_patterns": episode.successful_patterns,
    });
    let first = |texts: &[&str]| texts.iter().take(4).map(|text| cut(text, 40)).collect::<Vec<_>>();
    let plain = |texts: &[String]| first(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    NewMemoryNode {
        micro: cut(&format!("{}: {}", episode.mission_summary, episode.outcome), MICRO_TOKENS),
        summary: Some(cut(&summary, SUMMARY_TOKENS)),
        full: Some(full.to_string()).filter(|full| full.len() <= MAX_FULL),
        properties: json!({
            "outcome": named(&episode.outcome),
            "task_type": cut(&episode.task_type, 20),
            "passport_id": episode.passport_id,
            "key_decisions": first(&told),
            "mistakes_made": plain(&episode.mistakes_made),
            "successful_patterns": plain(&episode.successful_patterns),
        }),
        ..blank(episode, symbol(episode.passport_id), "episode")
    }
}

fn decided(episode: &Episode, decision: &KeyDecision, symbol: &str) -> NewMemoryNode {
    let summary = format!("{}: {} Because: {}", episode.mission_summary, decision.outcome, decision.reason);
    let factors: Vec<String> = decision.factors.iter().take(16).map(|factor| cut(factor, 20)).collect();
    NewMemoryNode {
        micro: cut(&format!("{}: {}", episode.task_type, decision.outcome), MICRO_TOKENS),
        summary: Some(cut(&summary, SUMMARY_TOKENS)),
        properties: json!({
            "outcome": named(&decision.outcome),
            "reason": cut(&decision.reason, 120),
            "factors": factors,
        }),
        ..blank(episode, symbol.to_owned(), "decision")
    }
}

fn blank(episode: &Episode, symbol: String, node_type: &str) -> NewMemoryNode {
    NewMemoryNode {
        symbol,
        layer: Layer::Event,
        node_type: node_type.to_owned(),
        team_id: Some(episode.team_id.clone()),
        micro: String::new(),
        summary: None,
        full: None,
        properties: json!({}),
        valid_from: episode.ended_at,
        valid_until: None,
        strength: FRESH,
        pinned: false,
        embedding: None,
    }
}

/// An outcome in short; never nothing.
fn named(outcome: &str) -> String {
    let short = cut(outcome, 60);
    if short.is_empty() { "unknown".to_owned() } else { short }
}

/// The beginning of a text that has at most so many tokens, at a word where there is one.
#[must_use]
pub fn cut(text: &str, most: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if tokens(&text) <= most {
        return text;
    }
    let mut short = String::new();
    for word in text.split(' ') {
        let longer = if short.is_empty() { word.to_owned() } else { format!("{short} {word}") };
        if tokens(&longer) + 1 > most {
            break;
        }
        short = longer;
    }
    if short.is_empty() {
        short = text.chars().take((most.saturating_sub(1)) * 4).collect();
    }
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::node_types;
    use super::*;

    fn example() -> Episode {
        Episode {
            passport_id: Uuid::nil(),
            team_id: "claims".into(),
            task_type: "refund".into(),
            mission_summary: "Refund for a defective product".into(),
            outcome: "completed".into(),
            key_decisions: vec![KeyDecision {
                outcome: "approved".into(),
                reason: "Photo evidence confirmed".into(),
                factors: vec!["evidence".into(), "within_window".into()],
                policies: vec!["operational.policy.refund.v3".into()],
            }],
            mistakes_made: vec!["Asked for the receipt twice".into()],
            successful_patterns: Vec::new(),
            involved: vec!["matter.042".into()],
            aligned_with: vec!["goal.fairness".into()],
            ended_at: DateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn a_decision_keeps_its_why() {
        let (nodes, relations) = episode(&example());
        assert_eq!(nodes.iter().map(|n| n.node_type.as_str()).collect::<Vec<_>>(), ["episode", "decision"]);
        assert_eq!(nodes[1].properties["reason"], "Photo evidence confirmed");
        let told = |r: &NewRelation| format!("{} {} {}", r.from, r.relation, r.to);
        let told: Vec<String> = relations.iter().map(told).collect();
        let (own, decision) = (&nodes[0].symbol, &nodes[1].symbol);
        assert_eq!(
            told,
            [
                format!("{own} caused {decision}"),
                format!("{decision} applies operational.policy.refund.v3"),
                format!("{decision} involves matter.042"),
                format!("{own} involves matter.042"),
                format!("{own} aligned_with goal.fairness"),
            ]
        );
    }

    proptest! {
        #[test]
        fn any_episode_fits_its_types(texts in prop::collection::vec(".{0,400}", 4), many in 0..40_usize) {
            let mut long = example();
            long.mission_summary.clone_from(&texts[0]);
            long.outcome.clone_from(&texts[1]);
            long.mistakes_made = vec![texts[2].clone(); many];
            let decision = KeyDecision { outcome: texts[3].clone(), reason: texts[2].clone(), ..long.key_decisions[0].clone() };
            long.key_decisions = vec![decision; many];
            let (nodes, relations) = episode(&long);
            prop_assert!(nodes.len() <= storage::organisation::MAX_NODES);
            prop_assert!(relations.len() <= storage::organisation::MAX_RELATIONS);
            for node in &nodes {
                prop_assert_eq!(node_types::check(node, &[]), Ok(()));
            }
        }

        #[test]
        fn a_cut_text_fits(text in ".{0,300}", most in 1..60_usize) {
            prop_assert!(tokens(&cut(&text, most)) <= most.max(1));
        }
    }
}
