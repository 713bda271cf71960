//! What people decided of a task, as memory: it stands where what agents decided has to give way.
//!
//! A ruling is a decision that the task's episode led to. It supersedes the ruling before it; one that holds the work wrong also
//! supersedes the episode and what agents decided in it, so that nobody follows them. One that was taken back has ended.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use storage::TenantStore;
use storage::organisation::{Author, Layer, MemoryNode, NewMemoryNode, NewRelation, RelationType};
use storage::review_records::Verdict;
use uuid::Uuid;

use super::episode::{cut, symbol as episode_symbol};
use super::index::Index;
use super::resolution::{MICRO_TOKENS, SUMMARY_TOKENS};
use super::{Organisation, Refusal};

/// Of a node's properties: whoever decided it.
const BY: &str = "by";
const PEOPLE: &str = "people";
/// How well a fresh ruling is remembered: better than what agents decided.
const FRESH: f64 = 0.9;

/// What people decided. Texts are those that may be kept: tokens in place of personal data.
#[derive(Clone, PartialEq)]
pub struct Ruling {
    pub passport_id: Uuid,
    pub team_id: String,
    pub task_type: String,
    pub mission_summary: String,
    /// `None`: they took back what they had decided.
    pub verdict: Option<Verdict>,
    pub outcome: String,
    pub reason: String,
    pub factors: Vec<String>,
    pub decided_at: DateTime<Utc>,
}

language::shown!(Ruling, "Ruling": passport_id, team_id, task_type, verdict, decided_at; mission_summary, outcome, reason, factors);

/// The same decisions have the same symbol, so that they are remembered once.
fn symbol(ruling: &Ruling) -> String {
    format!("ruling.{}.{}", ruling.passport_id, ruling.decided_at.timestamp_micros())
}

fn node(ruling: &Ruling) -> NewMemoryNode {
    let summary = format!("{}: {} Because: {}", ruling.mission_summary, ruling.outcome, ruling.reason);
    let outcome = cut(&ruling.outcome, 60);
    let factors: Vec<String> = ruling.factors.iter().take(16).map(|factor| cut(factor, 20)).collect();
    NewMemoryNode {
        symbol: symbol(ruling),
        layer: Layer::Event,
        node_type: "decision".to_owned(),
        team_id: Some(ruling.team_id.clone()),
        micro: cut(&format!("{}: {}", ruling.task_type, ruling.outcome), MICRO_TOKENS),
        summary: Some(cut(&summary, SUMMARY_TOKENS)),
        full: None,
        properties: json!({
            "outcome": if outcome.is_empty() { "decided".to_owned() } else { outcome },
            "reason": cut(&ruling.reason, 120),
            "factors": factors,
            "verdict": ruling.verdict.map(Verdict::as_str),
            BY: PEOPLE,
        }),
        valid_from: ruling.decided_at,
        // Nobody follows what was taken back.
        valid_until: ruling.verdict.is_none().then_some(ruling.decided_at),
        strength: FRESH,
        pinned: false,
        embedding: None,
    }
}

/// Whether people decided it.
pub(super) fn is_of_people(node: &MemoryNode) -> bool {
    node.properties.get(BY).and_then(Value::as_str) == Some(PEOPLE)
}

/// Whether an agent decided it and no person has said since that it was right: what stands is theirs alone.
pub(super) fn is_an_agents_alone(index: &Index, slot: u32, node: &MemoryNode) -> bool {
    if node.author != Author::Review || is_of_people(node) {
        return false;
    }
    let rules = |slot: u32| {
        index.related(slot, RelationType::Caused, true).any(|led_to| {
            let stands = led_to.superseded_by.is_none() && led_to.valid_until.is_none();
            is_of_people(led_to) && stands
        })
    };
    let episodes = index.related(slot, RelationType::Caused, false);
    !rules(slot) && !episodes.filter_map(|episode| index.slot(episode.id)).any(rules)
}

impl Organisation {
    /// Remembers what people decided of a task: once for each of their decisions.
    ///
    /// # Errors
    /// As [`Organisation::remember`]; a conflict when memory changed meanwhile.
    pub async fn remember_ruling(&self, store: &TenantStore, ruling: &Ruling) -> Result<(), Refusal> {
        let own = symbol(ruling);
        let reader = store.organisation();
        if reader.node_by_symbol(&own).await?.is_some() {
            return Ok(());
        }
        let mut relations = Vec::new();
        let mut relate = |from: &str, relation, to: &str| {
            let (from, to) = (from.to_owned(), to.to_owned());
            relations.push(NewRelation { from, relation, to, weight: 1.0 });
        };
        if let Some(episode) = reader.node_by_symbol(&episode_symbol(ruling.passport_id)).await? {
            relate(&episode.symbol, RelationType::Caused, &own);
            let wrong = ruling.verdict == Some(Verdict::Wrong);
            let led_to = reader.relations_of(episode.id).await?;
            let led_to =
                led_to.iter().filter(|edge| edge.relation == RelationType::Caused && edge.from == episode.id);
            for edge in led_to {
                let Some(earlier) = reader.node(edge.to).await? else { continue };
                if earlier.superseded_by.is_none() && (wrong || is_of_people(&earlier)) {
                    relate(&own, RelationType::Supersedes, &earlier.symbol);
                }
            }
            if wrong && episode.superseded_by.is_none() {
                relate(&own, RelationType::Supersedes, &episode.symbol);
            }
        }
        match self.remember(store, Author::Review, vec![node(ruling)], &relations).await {
            Ok(_) | Err(Refusal::Storage(storage::StorageError::Taken { .. })) => Ok(()),
            Err(refusal) => Err(refusal),
        }
    }
}
