//! Organisational memory.

use chrono::TimeDelta;
use serde_json::json;

use super::{Fixture, noon};
use crate::organisation::{
    Author, Changes, Decision, Embedding, Layer, MemoryNode, NewExtensionType, NewMemoryNode, NewRelation,
    NewTask, NodeFilter, OrganisationReader, OrganisationWriter, RelationType, TaskFilter, TypeState, Use,
};
use crate::{MemoryNodeId, PassportId, StorageError};

fn new_node(symbol: &str, layer: Layer, node_type: &str) -> NewMemoryNode {
    NewMemoryNode {
        symbol: symbol.into(),
        layer,
        node_type: node_type.into(),
        team_id: None,
        micro: format!("micro of {symbol}"),
        summary: None,
        full: None,
        properties: json!({}),
        valid_from: noon(),
        valid_until: None,
        strength: 0.5,
        pinned: false,
        embedding: None,
    }
}

fn relation(from: &str, relation: RelationType, to: &str) -> NewRelation {
    NewRelation { from: from.into(), relation, to: to.into(), weight: 1.0 }
}

fn handles(f: &Fixture) -> (OrganisationReader, OrganisationWriter) {
    (f.river.organisation(), f.river.organisation_writer(Author::Administrator))
}

async fn one(writer: &OrganisationWriter, symbol: &str, layer: Layer, node_type: &str) -> MemoryNode {
    writer.remember(&[new_node(symbol, layer, node_type)], &[]).await.unwrap().remove(0)
}

fn new_type(name: &str) -> NewExtensionType {
    NewExtensionType {
        name: name.into(),
        layer: Layer::Entity,
        team_id: None,
        description: "x".into(),
        properties_schema: None,
    }
}

pub(crate) fn new_task(task_id: &str) -> NewTask {
    NewTask {
        task_id: task_id.into(),
        passport_id: Some(PassportId::new()),
        team_id: "claims".into(),
        goal: "Look into a claim".into(),
        plan: json!(["read", "decide"]),
        results: json!({"outcome": "approved"}),
        success: true,
        duration_ms: 9,
        cost_tokens: Some(12),
        cost_micros: None,
        created_at: noon(),
        completed_at: Some(noon() + TimeDelta::seconds(9)),
    }
}

/// A row in every table of this memory.
pub(crate) async fn one_of_each(f: &Fixture) {
    let (_, writer) = handles(f);
    let nodes = [new_node("a", Layer::Entity, "place"), new_node("b", Layer::Entity, "place")];
    writer.remember(&nodes, &[relation("a", RelationType::SimilarTo, "b")]).await.unwrap();
    writer.declare_type(&new_type("habit")).await.unwrap();
    writer.record_task(&new_task("passport-1")).await.unwrap();
}

fn invalid<T: std::fmt::Debug>(outcome: Result<T, StorageError>) {
    assert!(matches!(outcome, Err(StorageError::Invalid { .. })), "{outcome:?}");
}

fn missing<T: std::fmt::Debug>(outcome: Result<T, StorageError>) {
    assert!(matches!(outcome, Err(StorageError::NotFound { .. })), "{outcome:?}");
}

pub(crate) async fn a_node_comes_back_as_it_was_remembered(f: &Fixture) {
    let (reader, _) = handles(f);
    let writer = f.river.organisation_writer(Author::Review);
    let new = NewMemoryNode {
        team_id: Some("claims".into()),
        summary: Some("Approved on photo evidence.".into()),
        full: Some("The whole story. \u{0}".into()),
        properties: json!({"outcome": "approved", "factors": ["evidence"]}),
        valid_until: Some(noon() + TimeDelta::days(9)),
        strength: 0.75,
        pinned: true,
        embedding: Some(Embedding { model: "m".into(), vector: vec![0.5, -1.0] }),
        ..new_node("decision.refund.1", Layer::Event, "decision")
    };
    let kept = writer.remember(std::slice::from_ref(&new), &[]).await.unwrap().remove(0);
    assert_eq!((&kept.symbol, kept.layer, &kept.node_type), (&new.symbol, new.layer, &new.node_type));
    assert_eq!((&kept.micro, &kept.summary, &kept.properties), (&new.micro, &new.summary, &new.properties));
    assert_eq!((kept.valid_from, kept.valid_until, kept.strength), (noon(), new.valid_until, 0.75));
    assert_eq!((kept.author, kept.pinned, kept.use_count), (Author::Review, true, 0));
    assert_eq!(kept.team_id.as_deref(), Some("claims"));
    assert_eq!(reader.node(kept.id).await.unwrap().as_ref(), Some(&kept));
    assert_eq!(reader.node_by_symbol("decision.refund.1").await.unwrap().as_ref(), Some(&kept));
    assert_eq!(reader.full_text(kept.id).await.unwrap(), new.full);
    let indexed = reader.changes_after(0).await.unwrap().nodes.remove(0);
    assert_eq!((indexed.node, indexed.embedding), (kept.clone(), new.embedding));

    let moved = Embedding { model: "n".into(), vector: vec![2.0] };
    writer.put_embedding(kept.id, &moved).await.unwrap();
    assert_eq!(reader.changes_after(0).await.unwrap().nodes[0].embedding, Some(moved));
    writer.pin(kept.id, false).await.unwrap();
    assert!(!reader.node(kept.id).await.unwrap().unwrap().pinned);
    missing(writer.pin(MemoryNodeId::new(), true).await);
}

pub(crate) async fn a_symbol_names_one_node(f: &Fixture) {
    let (reader, writer) = handles(f);
    one(&writer, "goal.speed", Layer::Strategic, "goal").await;
    let again = writer.remember(&[new_node("goal.speed", Layer::Strategic, "goal")], &[]).await;
    assert!(matches!(again, Err(StorageError::Taken { what: "symbol" })), "{again:?}");
    assert_eq!(reader.node_by_symbol("goal.\0").await.unwrap(), None);
}

pub(crate) async fn what_is_no_node_is_refused(f: &Fixture) {
    let (reader, writer) = handles(f);
    let good = || new_node("a", Layer::Entity, "place");
    let bad = [
        NewMemoryNode { symbol: "Jane Doe".into(), ..good() },
        NewMemoryNode { node_type: "Two Words".into(), ..good() },
        NewMemoryNode { micro: " ".into(), ..good() },
        NewMemoryNode { micro: "x".repeat(401), ..good() },
        NewMemoryNode { full: Some("x".repeat(64 * 1024 + 1)), ..good() },
        NewMemoryNode { properties: json!([1]), ..good() },
        NewMemoryNode { strength: 1.1, ..good() },
        NewMemoryNode { strength: f64::NAN, ..good() },
        NewMemoryNode { team_id: Some("a\0".into()), ..good() },
        NewMemoryNode { valid_until: Some(noon() - TimeDelta::days(1)), ..good() },
    ];
    for new in bad {
        invalid(writer.remember(&[new], &[]).await);
    }
    let many: Vec<_> = (0..65).map(|n| new_node(&format!("n{n}"), Layer::Entity, "place")).collect();
    invalid(writer.remember(&many, &[]).await);
    assert!(reader.list_nodes(&NodeFilter::default()).await.unwrap().is_empty());
}

pub(crate) async fn relations_lead_between_their_layers(f: &Fixture) {
    let (reader, writer) = handles(f);
    let nodes = [
        new_node("call.1", Layer::Event, "call"),
        new_node("decision.1", Layer::Event, "decision"),
        new_node("policy.1", Layer::Operational, "policy"),
        new_node("matter.1", Layer::Entity, "matter"),
    ];
    let relations = [
        relation("call.1", RelationType::Caused, "decision.1"),
        relation("decision.1", RelationType::Applies, "policy.1"),
        relation("decision.1", RelationType::Involves, "matter.1"),
    ];
    let kept = writer.remember(&nodes, &relations).await.unwrap();
    let found = reader.relations_of(kept[1].id).await.unwrap();
    assert_eq!(found.len(), 3);
    assert!(found.iter().any(|edge| edge.from == kept[0].id && edge.relation == RelationType::Caused));
    assert_eq!(reader.relations_of(kept[3].id).await.unwrap().len(), 1);

    let lighter = NewRelation { weight: 0.25, ..relations[0].clone() };
    writer.remember(&[], &[lighter]).await.unwrap();
    let weights: Vec<f64> = reader.relations_of(kept[0].id).await.unwrap().iter().map(|e| e.weight).collect();
    assert_eq!(weights, [0.25], "the same relation, not a second one");

    invalid(writer.remember(&[], &[relation("matter.1", RelationType::Applies, "policy.1")]).await);
    invalid(writer.remember(&[], &[relation("matter.1", RelationType::SimilarTo, "matter.1")]).await);
    missing(writer.remember(&[], &[relation("matter.1", RelationType::SimilarTo, "matter.2")]).await);
    let heavy = NewRelation { weight: 1.5, ..relations[0].clone() };
    invalid(writer.remember(&[], &[heavy]).await);
}

pub(crate) async fn a_batch_is_whole_or_nothing(f: &Fixture) {
    let (reader, writer) = handles(f);
    let new = new_node("call.1", Layer::Event, "call");
    missing(writer.remember(&[new], &[relation("call.1", RelationType::Caused, "nowhere")]).await);
    assert_eq!(reader.node_by_symbol("call.1").await.unwrap(), None);
    assert!(reader.changes_after(0).await.unwrap().nodes.is_empty());
}

pub(crate) async fn a_successor_closes_what_it_supersedes(f: &Fixture) {
    let (reader, writer) = handles(f);
    let old = one(&writer, "policy.v1", Layer::Operational, "policy").await;
    let edge = relation("policy.v2", RelationType::Supersedes, "policy.v1");
    let new = new_node("policy.v2", Layer::Operational, "policy");
    let new = writer.remember(&[new], std::slice::from_ref(&edge)).await.unwrap().remove(0);
    let closed = reader.node(old.id).await.unwrap().unwrap();
    assert_eq!(closed.superseded_by, Some(new.id));
    assert!(closed.valid_until.is_some() && new.valid_until.is_none());
    writer.remember(&[], &[edge]).await.unwrap();

    one(&writer, "policy.v3", Layer::Operational, "policy").await;
    invalid(writer.remember(&[], &[relation("policy.v3", RelationType::Supersedes, "policy.v1")]).await);
    invalid(writer.remember(&[], &[relation("policy.v1", RelationType::Supersedes, "policy.v2")]).await);
    writer.remember(&[], &[relation("policy.v3", RelationType::Supersedes, "policy.v2")]).await.unwrap();
    assert_eq!(reader.node(old.id).await.unwrap().unwrap().superseded_by, Some(new.id));
}

pub(crate) async fn uses_are_counted_on_nodes_and_their_types(f: &Fixture) {
    let (reader, writer) = handles(f);
    let declared = NewExtensionType {
        name: "inspection_habit".into(),
        layer: Layer::Entity,
        team_id: Some("safety".into()),
        description: "How a site is used to being inspected.".into(),
        properties_schema: Some(json!({"type": "object"})),
    };
    writer.declare_type(&declared).await.unwrap();
    let node = one(&writer, "habit.1", Layer::Entity, "inspection_habit").await;
    let other = one(&writer, "place.1", Layer::Entity, "place").await;
    let later = noon() + TimeDelta::days(300);
    let uses = [Use { id: node.id, strength: 0.8 }, Use { id: other.id, strength: 0.25 }];
    writer.record_uses(&uses, later).await.unwrap();
    writer.record_uses(&[Use { id: MemoryNodeId::new(), strength: 1.0 }], later).await.unwrap();
    writer.record_uses(&[], later).await.unwrap();
    let used = reader.node(node.id).await.unwrap().unwrap();
    assert_eq!((used.use_count, used.strength, used.last_used), (1, 0.8, later));
    let kept = reader.extension_type("inspection_habit").await.unwrap().unwrap();
    assert_eq!((kept.nodes, kept.retrievals), (1, 1));
    assert_eq!(kept.properties_schema, declared.properties_schema);
}

/// Everything after a change, step by step.
async fn follow(reader: &OrganisationReader, after: i64) -> (Vec<Changes>, i64) {
    let (mut steps, mut reached) = (Vec::new(), after);
    loop {
        let step = reader.changes_after(reached).await.unwrap();
        let more = step.more;
        assert!(step.reached > reached || !more, "a step goes on");
        reached = step.reached;
        steps.push(step);
        if !more {
            return (steps, reached);
        }
    }
}

pub(crate) async fn an_index_follows_the_changes(f: &Fixture) {
    let (reader, writer) = handles(f);
    assert_eq!(reader.changes_after(0).await.unwrap(), Changes::default());
    let first = one(&writer, "a", Layer::Entity, "place").await;
    let (_, reached) = follow(&reader, 0).await;
    assert!(follow(&reader, reached).await.0[0].nodes.is_empty());
    one(&writer, "b", Layer::Entity, "place").await;
    writer.remember(&[], &[relation("b", RelationType::SimilarTo, "a")]).await.unwrap();
    writer.record_uses(&[Use { id: first.id, strength: 0.9 }], noon()).await.unwrap();
    let (steps, _) = follow(&reader, reached).await;
    let symbols: Vec<_> = steps[0].nodes.iter().map(|n| n.node.symbol.as_str()).collect();
    assert_eq!((symbols, steps[0].edges.len()), (vec!["a", "b"], 1));
}

pub(crate) async fn many_changes_come_in_whole_steps(f: &Fixture) {
    let (reader, writer) = handles(f);
    for batch in 0..20 {
        let symbol = |n: usize| format!("n.{batch}.{n}");
        let nodes: Vec<_> = (0..60).map(|n| new_node(&symbol(n), Layer::Entity, "place")).collect();
        writer.remember(&nodes, &[relation(&symbol(0), RelationType::SimilarTo, &symbol(1))]).await.unwrap();
    }
    let (steps, _) = follow(&reader, 0).await;
    assert!(steps.len() > 1);
    assert_eq!(steps.iter().map(|step| step.nodes.len()).sum::<usize>(), 1200);
    assert!(steps.iter().all(|step| step.nodes.len() % 60 == 0), "a transaction is never cut");
    assert_eq!(steps.iter().map(|step| step.edges.len()).sum::<usize>(), 20);
}

pub(crate) async fn a_forgotten_node_says_nothing(f: &Fixture) {
    let (reader, writer) = handles(f);
    let nodes = [
        NewMemoryNode { full: Some("all of it".into()), ..new_node("a", Layer::Entity, "place") },
        new_node("b", Layer::Entity, "place"),
    ];
    let kept = writer.remember(&nodes, &[relation("a", RelationType::SimilarTo, "b")]).await.unwrap();
    let (_, reached) = follow(&reader, 0).await;
    assert!(writer.forget(kept[0].id, noon()).await.unwrap());
    assert!(!writer.forget(kept[0].id, noon()).await.unwrap());
    assert_eq!(reader.node(kept[0].id).await.unwrap(), None);
    assert_eq!(reader.node_by_symbol("a").await.unwrap(), None);
    assert_eq!(reader.full_text(kept[0].id).await.unwrap(), None);
    assert!(reader.relations_of(kept[1].id).await.unwrap().is_empty());
    assert_eq!(reader.list_nodes(&NodeFilter::default()).await.unwrap().len(), 1);
    let changes = reader.changes_after(reached).await.unwrap();
    assert!(changes.nodes[0].is_forgotten && changes.nodes[0].node.micro.is_empty());
    missing(writer.remember(&[], &[relation("b", RelationType::SimilarTo, "a")]).await);
}

pub(crate) async fn nodes_are_listed_by_filter(f: &Fixture) {
    let (reader, writer) = handles(f);
    let nodes = [
        new_node("a", Layer::Entity, "place"),
        NewMemoryNode { team_id: Some("claims".into()), ..new_node("b", Layer::Event, "call") },
        new_node("c", Layer::Event, "decision"),
    ];
    let kept = writer.remember(&nodes, &[]).await.unwrap();
    let list = async |filter: NodeFilter| {
        let found = reader.list_nodes(&filter).await.unwrap();
        found.into_iter().map(|node| node.symbol).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(list(NodeFilter::default()).await, "c b a");
    assert_eq!(list(NodeFilter { layer: Some(Layer::Event), ..NodeFilter::default() }).await, "c b");
    assert_eq!(list(NodeFilter { node_type: Some("call".into()), ..NodeFilter::default() }).await, "b");
    assert_eq!(list(NodeFilter { node_type: Some("c\0".into()), ..NodeFilter::default() }).await, "");
    assert_eq!(list(NodeFilter { team_id: Some("claims".into()), ..NodeFilter::default() }).await, "b");
    let page = NodeFilter { after: Some(kept[2].id), limit: 1, ..NodeFilter::default() };
    assert_eq!(list(page).await, "b");
}

pub(crate) async fn a_type_goes_up_by_decisions_on_record(f: &Fixture) {
    let (reader, writer) = handles(f);
    let new = new_type("habit");
    let declared = writer.declare_type(&new).await.unwrap();
    assert_eq!((declared.state, declared.nodes, declared.retrievals), (TypeState::Experimental, 0, 0));
    let again = writer.declare_type(&new).await;
    assert!(matches!(again, Err(StorageError::Taken { what: "type" })), "{again:?}");
    invalid(writer.declare_type(&NewExtensionType { name: "A b".into(), ..new.clone() }).await);
    let decision = Decision {
        from: TypeState::Experimental,
        to: TypeState::Promoted,
        reason: "used all the time".into(),
        by: "ada".into(),
        at: noon(),
        evidence: json!({"nodes": 120}),
    };
    let promoted = writer.decide_type("habit", &decision).await.unwrap();
    assert_eq!((promoted.state, promoted.decided_at), (TypeState::Promoted, Some(noon())));
    assert_eq!(
        (promoted.reason.as_deref(), promoted.decided_by.as_deref()),
        (Some("used all the time"), Some("ada"))
    );
    assert_eq!(promoted.evidence, Some(json!({"nodes": 120})));
    invalid(writer.decide_type("habit", &decision).await);
    let down = Decision { from: TypeState::Promoted, to: TypeState::Stable, ..decision.clone() };
    invalid(writer.decide_type("habit", &down).await);
    missing(writer.decide_type("habits", &decision).await);
    assert_eq!(reader.extension_types().await.unwrap(), [promoted]);
}

pub(crate) async fn a_task_is_recorded_once(f: &Fixture) {
    let (reader, writer) = handles(f);
    let task = new_task("passport-1");
    assert!(writer.record_task(&task).await.unwrap());
    assert!(!writer.record_task(&NewTask { success: false, ..task.clone() }).await.unwrap());
    let failed = NewTask { task_id: "passport-2".into(), success: false, ..task.clone() };
    assert!(writer.record_task(&failed).await.unwrap());
    invalid(writer.record_task(&NewTask { task_id: "a\0".into(), ..task.clone() }).await);
    let kept = reader.tasks(&TaskFilter::default()).await.unwrap();
    assert_eq!(kept.iter().map(|t| t.task_id.as_str()).collect::<Vec<_>>(), ["passport-2", "passport-1"]);
    let good = reader.tasks(&TaskFilter { success: Some(true), ..TaskFilter::default() }).await.unwrap();
    let kept = &good[0];
    assert_eq!(
        (good.len(), &kept.goal, &kept.plan, &kept.results),
        (1, &task.goal, &task.plan, &task.results)
    );
    assert_eq!((kept.cost_tokens, kept.cost_micros, kept.completed_at), (Some(12), None, task.completed_at));
    let named = TaskFilter { task_id: Some("passport-2".into()), ..TaskFilter::default() };
    assert_eq!(reader.tasks(&named).await.unwrap().len(), 1);
}

pub(crate) async fn another_tenants_memory_is_not_there(f: &Fixture) {
    let (_, writer) = handles(f);
    let node = one(&writer, "a", Layer::Entity, "place").await;
    let (theirs, theirs_writer) = (f.lake.organisation(), f.lake.organisation_writer(Author::Administrator));
    assert_eq!(theirs.node(node.id).await.unwrap(), None);
    assert_eq!(theirs.node_by_symbol("a").await.unwrap(), None);
    assert_eq!(theirs.full_text(node.id).await.unwrap(), None);
    assert!(theirs.list_nodes(&NodeFilter::default()).await.unwrap().is_empty());
    assert!(theirs.changes_after(0).await.unwrap().nodes.is_empty());
    assert!(!theirs_writer.forget(node.id, noon()).await.unwrap());
    missing(theirs_writer.pin(node.id, true).await);
    theirs_writer.record_uses(&[Use { id: node.id, strength: 1.0 }], noon()).await.unwrap();
    missing(
        theirs_writer
            .remember(
                &[new_node("b", Layer::Entity, "place")],
                &[relation("b", RelationType::SimilarTo, "a")],
            )
            .await,
    );
    theirs_writer.remember(&[new_node("a", Layer::Entity, "place")], &[]).await.unwrap();
    assert_eq!(handles(f).0.node(node.id).await.unwrap(), Some(node));
}
