//! One answer out of several stores: those that the memory router names.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::json;
use storage::organisation::{Task, TaskFilter};
use storage::records::{PassportFilter, PassportHead};
use storage::{Passports, StorageError, TenantStore, WorkItems};

use super::router::{Item, Route, Store, fuse, references, route, shipped};
use super::search::Question;
use super::{Organisation, Told};
use language::english::terms::terms;

use knowledge::{Found, Query, Retriever};

/// Tasks and Passports that a question is held against: the newest.
const TASKS: u32 = 500;
const PASSPORTS: u32 = 100;
/// Tokens of memory in one answer.
const BUDGET: usize = 4_000;
/// References in one question that are looked up.
const MOST_REFERENCES: usize = 4;

/// What all stores together say.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Routed {
    /// Which stores were asked, and why.
    pub routes: Vec<Route>,
    /// Raw: to be screened before it leaves the sensitive zone.
    pub items: Vec<Item>,
    /// Stores that a rule named and that could not be asked.
    pub not_asked: Vec<NotAsked>,
}

/// A store that was left out.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct NotAsked {
    pub store: Store,
    pub why: String,
}

impl Organisation {
    /// Asks the stores that the rules name, and gives one list of what they say, best first.
    ///
    /// # Errors
    /// When storage does not answer.
    pub async fn ask(
        &self,
        retriever: &Retriever,
        store: &TenantStore,
        question: &str,
        limit: usize,
        now: DateTime<Utc>,
    ) -> Result<Routed, StorageError> {
        let routes = route(question, shipped());
        let (mut answers, mut not_asked) = (Vec::new(), Vec::new());
        for route in &routes {
            match route.store {
                Store::OrganisationalMemory => {
                    let asked = Question { text: question.to_owned(), limit, ..Question::default() };
                    let found = self.search(store, &asked, BUDGET, now).await?;
                    answers.push(found.results.into_iter().map(of_memory).collect());
                }
                Store::KnowledgeDocuments => {
                    let query = Query { limit, ..Query::new(question) };
                    let found = retriever.search(store.id().0, &query).await;
                    answers.push(found.into_iter().map(of_document).collect());
                }
                Store::TaskHistory => {
                    let filter = TaskFilter { limit: TASKS, ..TaskFilter::default() };
                    let tasks = store.organisation().tasks(&filter).await?;
                    answers.push(of_tasks(question, tasks, limit));
                }
                Store::Passports => answers.push(passports(store, question, limit).await?),
                Store::ContactsMemory => not_asked.push(NotAsked {
                    store: Store::ContactsMemory,
                    why: "what is known of a caller is asked by the caller's id, at /v1/memory/contacts"
                        .to_owned(),
                }),
            }
        }
        Ok(Routed { routes, items: fuse(answers, limit), not_asked })
    }
}

fn of_memory(told: Told) -> Item {
    let details = json!({
        "id": told.id, "layer": told.layer, "type": told.node_type, "resolution": told.resolution,
        "found_by": told.found_by,
    });
    Item { store: Store::OrganisationalMemory, id: told.symbol, text: told.text, score: told.score, details }
}

fn of_document(found: Found) -> Item {
    Item {
        store: Store::KnowledgeDocuments,
        id: found.source,
        text: found.text,
        score: f64::from(found.relevance_score),
        details: json!({ "title": found.title, "heading": found.heading }),
    }
}

/// Tasks whose goals share words with the question, by the share of its words that they have.
fn of_tasks(question: &str, tasks: Vec<Task>, limit: usize) -> Vec<Item> {
    let wanted: BTreeSet<String> = terms(question).into_iter().collect();
    let mut found: Vec<Item> = tasks
        .into_iter()
        .filter_map(|task| {
            let own: BTreeSet<String> = terms(&task.goal).into_iter().collect();
            let shared = wanted.intersection(&own).count();
            let details = json!({
                "team_id": task.team_id, "success": task.success, "duration_ms": task.duration_ms,
                "created_at": task.created_at, "passport_id": task.passport_id,
            });
            let score = shared as f64 / wanted.len().max(1) as f64;
            (shared > 0).then_some(Item {
                store: Store::TaskHistory,
                id: task.task_id,
                text: task.goal,
                score,
                details,
            })
        })
        .collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    found.truncate(limit);
    found
}

/// The Passports behind references in the question, then those whose state or team it names.
async fn passports(store: &TenantStore, question: &str, limit: usize) -> Result<Vec<Item>, StorageError> {
    let mut found = Vec::new();
    for reference in references(question).take(MOST_REFERENCES) {
        let Some(item) = store.work_item(reference).await? else { continue };
        let details = json!({ "reference": item.reference, "kind": item.kind, "status": item.status });
        let text = format!("{} {} is {}", item.kind, item.reference, item.status);
        let id = item.passport_id.map_or_else(|| item.reference.clone(), |id| id.to_string());
        found.push(Item { store: Store::Passports, id, text, score: 1.0, details });
    }
    if !found.is_empty() {
        return Ok(found);
    }
    let said: BTreeSet<String> = terms(question).into_iter().collect();
    let names = |head: &PassportHead| {
        let own = terms(&format!("{} {}", head.status.replace('_', " "), head.team_id.replace('_', " ")));
        own.iter().filter(|term| said.contains(*term)).count()
    };
    let filter = PassportFilter { limit: PASSPORTS, ..PassportFilter::default() };
    let heads = store.list_passports(filter).await?;
    let named = heads.into_iter().map(|head| (names(&head), head)).filter(|(names, _)| *names > 0);
    found.extend(named.map(|(names, head)| Item {
        store: Store::Passports,
        id: head.id.to_string(),
        text: format!("Passport of the team {}: {}", head.team_id, head.status),
        score: (0.4 * names as f64).min(0.9),
        details: json!({ "team_id": head.team_id, "status": head.status, "updated_at": head.updated_at }),
    }));
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    found.truncate(limit);
    Ok(found)
}
