//! Earlier decisions that bear on a case, and why they were taken.
#![deny(clippy::disallowed_methods)]

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use storage::MemoryNodeId;
use storage::organisation::{Layer, MemoryNode, RelationType};

use super::decay::{FADED, strength_now};
use super::index::{Index, Wanted};
use super::ruling::is_an_agents_alone;
use super::search::{Standing, standing, stands_for, successor};
use crate::passport;

/// What each facet of a case counts for; only those that the case names do.
const TEXT: f64 = 0.5;
const FACTORS: f64 = 0.2;
const POLICIES: f64 = 0.15;
const ENTITIES: f64 = 0.15;
/// A decision that is less alike is no precedent.
const FLOOR: f64 = 0.15;
/// A decision under a policy that no longer holds is worth less.
const OLD_POLICY: f64 = 0.8;
/// So is what an agent decided while no person has said that it was right.
const AN_AGENTS_ALONE: f64 = 0.8;
/// Nodes of one relation that are told of.
const MOST_RELATED: usize = 5;
const MOST_WORDS: usize = 6;

/// The case at hand.
#[derive(Clone, PartialEq, Default)]
pub struct Case {
    pub text: String,
    /// Type of the decisions that count; all with an outcome when none is named.
    pub node_type: Option<String>,
    pub team_id: Option<String>,
    /// Symbols of what the case involves.
    pub entities: Vec<String>,
    /// Symbols of policies that may apply.
    pub policies: Vec<String>,
    pub factors: Vec<String>,
    /// Also decisions that were superseded; they say so and come last.
    pub include_superseded: bool,
    pub limit: usize,
}

language::shown!(Case, "Case": node_type, team_id, entities, policies, include_superseded, limit; text, factors);

/// A node in short.
#[derive(Clone, PartialEq, Serialize)]
pub struct Mention {
    pub symbol: String,
    #[serde(rename = "type")]
    pub node_type: String,
    pub micro: String,
    /// What stands in its place by now.
    pub superseded_by: Option<String>,
}

language::shown!(Mention, "Mention": symbol, node_type, superseded_by; micro);

/// In what a decision is like the case.
#[derive(Clone, PartialEq, Serialize)]
pub struct Likeness {
    /// `text`, `factors`, `policies` or `entities`.
    pub facet: &'static str,
    /// From 0 to 1.
    pub share: f64,
    /// What both have.
    pub shared: Vec<String>,
    /// What the case has and the decision lacks.
    pub lacks: Vec<String>,
}

language::shown!(Likeness, "Likeness": facet, share; shared, lacks);

/// A decision with its why.
#[derive(Clone, PartialEq, Serialize)]
pub struct Found {
    pub id: MemoryNodeId,
    pub symbol: String,
    #[serde(rename = "type")]
    pub node_type: String,
    pub decided_at: DateTime<Utc>,
    pub micro: String,
    /// What was decided, why, and on what it turned.
    pub outcome: String,
    pub reason: String,
    pub factors: Vec<String>,
    /// Which policy applied, what it involved, what led to it, and which goals it served.
    pub policies: Vec<Mention>,
    pub involved: Vec<Mention>,
    pub caused_by: Vec<Mention>,
    pub aligned_with: Vec<Mention>,
    /// How alike, from 0 to 1, and in what.
    pub likeness: f64,
    pub alike_in: Vec<Likeness>,
    pub standing: Standing,
    /// What to know before one follows it.
    pub caution: Option<String>,
    /// Like cases that were merged into it.
    pub stands_for: usize,
}

language::shown!(Found, "Found": id, symbol, node_type, policies, involved, caused_by, likeness, alike_in, standing, caution, stands_for; micro, outcome, reason, factors);

/// The precedents of a case.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Precedents {
    /// Those that stand first, each group best first.
    pub precedents: Vec<Found>,
    /// Superseded or ended decisions that were alike and are not offered.
    pub left_out: usize,
}

/// Decisions that are like the case.
#[must_use]
pub fn precedents(index: &Index, case: &Case, wanted: &Wanted, now: DateTime<Utc>) -> Precedents {
    let mut likeness = vec![0.0_f64; index.slots()];
    for (slot, alike) in index.similar(wanted) {
        likeness[slot as usize] = f64::from(alike);
    }
    let asked = Asked::of(index, case);
    let mut found: Vec<(bool, f64, u32)> = Vec::new();
    let mut left_out = 0;
    for (slot, node) in index.entries().filter(|(_, node)| is_decision(case, node)) {
        let alike = asked.likeness(index, slot, node, likeness[slot as usize]);
        if alike < FLOOR || strength_now(node, now) < FADED {
            continue;
        }
        let stands = standing(index, node, now) == Standing::Stands;
        if stands || case.include_superseded {
            found.push((stands, alike, slot));
        } else {
            left_out += 1;
        }
    }
    found.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
    found.truncate(case.limit);
    let told = |(_, alike, slot): (bool, f64, u32)| {
        let by_text = likeness[slot as usize];
        Some(tell(index, case, &asked, slot, index.node(slot)?, alike, by_text, now))
    };
    Precedents { precedents: found.into_iter().filter_map(told).collect(), left_out }
}

fn is_decision(case: &Case, node: &MemoryNode) -> bool {
    node.layer == Layer::Event
        && text(node, "outcome").is_some()
        && case.node_type.as_ref().is_none_or(|wanted| node.node_type == *wanted)
        && case.team_id.as_ref().is_none_or(|wanted| node.team_id.as_ref() == Some(wanted))
}

fn text<'n>(node: &'n MemoryNode, property: &str) -> Option<&'n str> {
    node.properties.get(property).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

fn factors(node: &MemoryNode) -> impl Iterator<Item = &str> {
    node.properties.get("factors").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// The case with its symbols looked up.
struct Asked {
    has_text: bool,
    factors: BTreeSet<String>,
    /// A policy and whatever stands in its place count as one.
    policies: Vec<(String, BTreeSet<MemoryNodeId>)>,
    entities: Vec<(String, Option<u32>)>,
}

impl Asked {
    fn of(index: &Index, case: &Case) -> Self {
        let line = |symbol: &String| {
            let named = index.slot_of(symbol).and_then(|slot| index.node(slot));
            let ids = named.into_iter().flat_map(|node| [node.id, successor(index, node).id]).collect();
            (symbol.clone(), ids)
        };
        Self {
            has_text: !case.text.trim().is_empty(),
            factors: case.factors.iter().map(|factor| factor.to_lowercase()).collect(),
            policies: case.policies.iter().map(line).collect(),
            entities: case.entities.iter().map(|symbol| (symbol.clone(), index.slot_of(symbol))).collect(),
        }
    }

    /// The facets that the case names, with what each counts for.
    fn facets(&self, index: &Index, slot: u32, node: &MemoryNode, by_text: f64) -> Vec<(f64, Likeness)> {
        let mut facets = Vec::with_capacity(4);
        if self.has_text {
            facets.push((
                TEXT,
                Likeness { facet: "text", share: by_text, shared: Vec::new(), lacks: Vec::new() },
            ));
        }
        if !self.factors.is_empty() {
            let own: BTreeSet<String> = factors(node).map(str::to_lowercase).collect();
            let known = |factor: &String| if own.contains(factor) { 1.0 } else { 0.0 };
            facets.push((FACTORS, compared("factors", self.factors.iter().map(|f| (f.as_str(), known(f))))));
        }
        if !self.policies.is_empty() {
            let own: Vec<_> = index
                .related(slot, RelationType::Applies, true)
                .flat_map(|policy| [policy.id, successor(index, policy).id])
                .collect();
            let known = |ids: &BTreeSet<_>| if own.iter().any(|id| ids.contains(id)) { 1.0 } else { 0.0 };
            facets.push((
                POLICIES,
                compared("policies", self.policies.iter().map(|(s, ids)| (s.as_str(), known(ids)))),
            ));
        }
        if !self.entities.is_empty() {
            let own: Vec<&MemoryNode> = index.related(slot, RelationType::Involves, true).collect();
            let known = |asked: &Option<u32>| {
                let asked = asked.and_then(|slot| index.node(slot));
                // The same thing counts in full, another of its kind by half.
                let likeness = |own: &&MemoryNode| match asked {
                    Some(asked) if asked.id == own.id => 1.0,
                    Some(asked) if asked.node_type == own.node_type => 0.5,
                    _ => 0.0_f64,
                };
                own.iter().map(likeness).fold(0.0, f64::max)
            };
            facets.push((
                ENTITIES,
                compared("entities", self.entities.iter().map(|(s, slot)| (s.as_str(), known(slot)))),
            ));
        }
        facets
    }

    fn likeness(&self, index: &Index, slot: u32, node: &MemoryNode, by_text: f64) -> f64 {
        let facets = self.facets(index, slot, node, by_text);
        let total: f64 = facets.iter().map(|(weight, _)| weight).sum();
        if total <= 0.0 {
            return 0.0;
        }
        let alike = facets.iter().map(|(weight, likeness)| weight * likeness.share).sum::<f64>() / total;
        let is_old =
            index.related(slot, RelationType::Applies, true).any(|policy| policy.superseded_by.is_some());
        let alike = if is_old { alike * OLD_POLICY } else { alike };
        if is_an_agents_alone(index, slot, node) { alike * AN_AGENTS_ALONE } else { alike }
    }
}

fn compared<'a>(facet: &'static str, asked: impl Iterator<Item = (&'a str, f64)>) -> Likeness {
    let (mut shared, mut lacks, mut sum) = (Vec::new(), Vec::new(), 0.0);
    for (name, share) in asked {
        sum += share;
        if share > 0.0 { shared.push(name.to_owned()) } else { lacks.push(name.to_owned()) }
    }
    let of = (shared.len() + lacks.len()).max(1);
    Likeness { facet, share: sum / of as f64, shared, lacks }
}

#[allow(clippy::too_many_arguments)] // what was found out about one decision
fn tell(
    index: &Index,
    case: &Case,
    asked: &Asked,
    slot: u32,
    node: &MemoryNode,
    likeness: f64,
    by_text: f64,
    now: DateTime<Utc>,
) -> Found {
    let mentions = |relation, outward| {
        let mut nodes: Vec<&MemoryNode> = index.related(slot, relation, outward).collect();
        nodes.sort_by_key(|node| node.id);
        nodes.into_iter().take(MOST_RELATED).map(|node| mention(index, node)).collect::<Vec<_>>()
    };
    let mut alike_in: Vec<Likeness> =
        asked.facets(index, slot, node, by_text).into_iter().map(|(_, likeness)| likeness).collect();
    if let Some(text) = alike_in.iter_mut().find(|likeness| likeness.facet == "text") {
        text.shared = index.shared_words(&case.text, slot, MOST_WORDS);
    }
    let policies = mentions(RelationType::Applies, true);
    let standing = standing(index, node, now);
    Found {
        id: node.id,
        symbol: node.symbol.clone(),
        node_type: node.node_type.clone(),
        decided_at: node.valid_from,
        micro: node.micro.clone(),
        outcome: text(node, "outcome").unwrap_or_default().to_owned(),
        reason: text(node, "reason").unwrap_or_default().to_owned(),
        factors: factors(node).map(str::to_owned).collect(),
        involved: mentions(RelationType::Involves, true),
        caused_by: mentions(RelationType::Caused, false),
        aligned_with: mentions(RelationType::AlignedWith, true),
        caution: caution(&standing, &policies, is_an_agents_alone(index, slot, node)),
        likeness: likeness.clamp(0.0, 1.0),
        alike_in,
        policies,
        standing,
        stands_for: stands_for(index, slot),
    }
}

fn mention(index: &Index, node: &MemoryNode) -> Mention {
    let newer = successor(index, node);
    Mention {
        symbol: node.symbol.clone(),
        node_type: node.node_type.clone(),
        micro: node.micro.clone(),
        superseded_by: (newer.id != node.id).then(|| newer.symbol.clone()),
    }
}

/// What to know before one follows a decision.
fn caution(standing: &Standing, policies: &[Mention], is_an_agents_alone: bool) -> Option<String> {
    let mut said = Vec::new();
    match standing {
        Standing::Stands if is_an_agents_alone => {
            said.push("an agent decided it, and no person has said that it was right".to_owned());
        }
        Standing::Stands => {}
        Standing::Superseded { by: Some(by) } => said.push(format!("superseded by {by}: do not follow it")),
        Standing::Superseded { by: None } => said.push("superseded: do not follow it".to_owned()),
        Standing::Ended { at } => said.push(format!("it held until {}", at.format("%Y-%m-%d"))),
        Standing::Pending { from } => said.push(format!("it holds from {}", from.format("%Y-%m-%d"))),
    }
    for policy in policies {
        if let Some(newer) = &policy.superseded_by {
            said.push(format!(
                "it applied {}, in whose place {newer} stands: check it against that",
                policy.symbol
            ));
        }
    }
    if said.is_empty() { None } else { Some(said.join("; ")) }
}

/// Precedents as a Passport carries them. Those that do not stand stay out of it.
#[must_use]
pub fn context(query: &str, found: &Precedents) -> passport::PrecedentContext {
    let standing = found.precedents.iter().filter(|found| found.standing == Standing::Stands);
    let precedents = standing
        .map(|found| passport::Precedent {
            symbol: found.symbol.clone(),
            outcome: found.outcome.clone(),
            reason: found.reason.clone(),
            factors: found.factors.clone(),
            policy: found.policies.first().map(|policy| policy.symbol.clone()),
            similarity: found.likeness,
            caution: found.caution.clone(),
        })
        .collect();
    passport::PrecedentContext { query: query.to_owned(), precedents }
}
