//! Memory over a store of its own, with fixed times.
#![allow(clippy::unwrap_used)]

use chrono::{TimeDelta, TimeZone};
use serde_json::{Value, json};
use storage::organisation::{NewExtensionType, NewTask, TypeState};
use storage::records::{NewWorkItem, Priority, WorkKind};
use storage::{NewTenant, Platform, PlatformOptions, WorkItems};
use uuid::Uuid;

use super::episode::{Episode, KeyDecision};
use super::router::Store;
use super::*;
use knowledge::{Document, Retriever};

struct Bench {
    organisation: Organisation,
    store: TenantStore,
    other: TenantStore,
    _platform: Platform,
    _folder: tempfile::TempDir,
}

async fn bench() -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let platform = Platform::open(PlatformOptions::new(folder.path())).await.unwrap();
    let tenant = async |slug: &str| {
        let new = NewTenant { slug: slug.into(), name: slug.into(), timezone: "UTC".into() };
        let id = platform.create_tenant(new).await.unwrap().id;
        platform.tenant(id).await.unwrap()
    };
    let (store, other) = (tenant("river").await, tenant("lake").await);
    Bench { organisation: Organisation::new(None), store, other, _platform: platform, _folder: folder }
}

/// Later than whatever the tests write: `created_at` is the clock's.
fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2100, 1, 1, 12, 0, 0).unwrap()
}

fn node(symbol: &str, layer: Layer, node_type: &str, micro: &str, properties: Value) -> NewMemoryNode {
    NewMemoryNode {
        symbol: symbol.into(),
        layer,
        node_type: node_type.into(),
        team_id: None,
        micro: micro.into(),
        summary: None,
        full: None,
        properties,
        valid_from: now() - TimeDelta::days(30),
        valid_until: None,
        strength: 1.0,
        // Tests run long before `now`: what they write would have faded.
        pinned: true,
        embedding: None,
    }
}

fn decision(symbol: &str, micro: &str, outcome: &str, reason: &str, factors: &[&str]) -> NewMemoryNode {
    let properties = json!({"outcome": outcome, "reason": reason, "factors": factors});
    node(symbol, Layer::Event, "decision", micro, properties)
}

fn relation(from: &str, relation: RelationType, to: &str) -> NewRelation {
    NewRelation { from: from.into(), relation, to: to.into(), weight: 1.0 }
}

impl Bench {
    async fn remember(&self, nodes: Vec<NewMemoryNode>, relations: &[NewRelation]) -> Vec<MemoryNode> {
        self.organisation.remember(&self.store, Author::Administrator, nodes, relations).await.unwrap()
    }

    async fn search(&self, question: Question) -> Vec<Told> {
        self.organisation.search(&self.store, &question, 10_000, now()).await.unwrap().results
    }

    async fn precedents(&self, case: Case) -> Precedents {
        self.organisation.precedents(&self.store, &case, now()).await.unwrap()
    }

    /// The refund of the memory architecture, with what led to it.
    async fn refunds(&self) {
        let nodes = vec![
            node("goal.fairness", Layer::Strategic, "goal", "Treat like cases alike.", json!({})),
            node(
                "policy.refund.v3",
                Layer::Operational,
                "policy",
                "Refund within 30 days with evidence.",
                json!({}),
            ),
            node("matter.042", Layer::Entity, "matter", "Matter 042.", json!({})),
            node("call.0042", Layer::Event, "call", "Caller reports a defective product.", json!({})),
            decision(
                "decision.refund.1",
                "Refund for a defective heater.",
                "approved",
                "Photo evidence confirmed.",
                &["evidence", "within_window"],
            ),
            decision(
                "decision.noise.1",
                "Noise permit for a street party.",
                "denied",
                "Too late.",
                &["late"],
            ),
        ];
        let relations = [
            relation("call.0042", RelationType::Caused, "decision.refund.1"),
            relation("decision.refund.1", RelationType::Applies, "policy.refund.v3"),
            relation("decision.refund.1", RelationType::Involves, "matter.042"),
            relation("decision.refund.1", RelationType::AlignedWith, "goal.fairness"),
        ];
        self.remember(nodes, &relations).await;
    }
}

fn question(text: &str) -> Question {
    Question { text: text.into(), limit: 10, ..Question::default() }
}

fn case(text: &str) -> Case {
    Case { text: text.into(), limit: 10, ..Case::default() }
}

fn symbols(told: &[Told]) -> Vec<&str> {
    told.iter().map(|told| told.symbol.as_str()).collect()
}

#[tokio::test]
async fn nodes_are_found_by_name_likeness_and_relation() {
    let b = bench().await;
    b.refunds().await;
    let found = b.search(question("refund of a broken heater")).await;
    assert_eq!(found[0].symbol, "decision.refund.1");
    assert!(found[0].found_by.contains(&Way::Similarity));
    let goal = found.iter().find(|told| told.symbol == "goal.fairness").unwrap();
    assert_eq!(goal.found_by, [Way::Traversal], "shares no word with the question");
    assert!(!symbols(&found).contains(&"decision.noise.1"));

    let named = b.search(Question { symbols: vec!["decision".into()], ..question("") }).await;
    assert!(named[0].found_by.contains(&Way::Exact) && symbols(&named).contains(&"decision.noise.1"));
    let said = b.search(question("what is policy.refund.v3?")).await;
    assert_eq!(said[0].symbol, "policy.refund.v3");
    let properties = json!({"outcome": "denied"}).as_object().unwrap().clone();
    let equal = b.search(Question { properties, ..question("") }).await;
    assert_eq!(symbols(&equal), ["decision.noise.1"]);
    let goals = b.search(Question { layer: Some(Layer::Strategic), ..question("refund heater") }).await;
    assert_eq!(symbols(&goals), ["goal.fairness"]);
    assert!(b.search(question("zebra")).await.is_empty());
}

#[tokio::test]
async fn an_answer_keeps_its_budget() {
    let b = bench().await;
    let nodes = (0..40)
        .map(|n| NewMemoryNode {
            summary: Some("The heater was refunded because a photo proved the defect. ".repeat(5)),
            full: Some("The whole story of the heater. ".repeat(100)),
            ..decision(&format!("decision.{n}"), "Refund for a heater.", "approved", "Proof.", &[])
        })
        .collect();
    b.remember(nodes, &[]).await;
    let asked = Question { limit: 40, ..question("heater refund") };
    for budget in [0, 50, 400, 5_000] {
        let answer = b.organisation.search(&b.store, &asked, budget, now()).await.unwrap();
        assert!(answer.tokens <= budget, "{} of {budget}", answer.tokens);
        let told: usize = answer.results.iter().map(|told| tokens(&told.text)).sum();
        assert_eq!((told, answer.results.len() + answer.left_out), (answer.tokens, 40));
    }
    let answer = b.organisation.search(&b.store, &asked, 5_000, now()).await.unwrap();
    assert_eq!(answer.results[0].resolution, Resolution::Full);
    assert_ne!(answer.results[9].resolution, Resolution::Full);
}

#[tokio::test]
async fn a_precedent_says_why() {
    let b = bench().await;
    b.refunds().await;
    let asked = Case {
        entities: vec!["matter.042".into()],
        policies: vec!["policy.refund.v3".into()],
        factors: vec!["Evidence".into(), "loyal_customer".into()],
        ..case("somebody wants a refund for a heater that is defective")
    };
    let found = b.precedents(asked).await;
    assert_eq!((found.precedents.len(), found.left_out), (1, 0), "{found:?}");
    let first = &found.precedents[0];
    assert_eq!((first.outcome.as_str(), first.reason.as_str()), ("approved", "Photo evidence confirmed."));
    assert_eq!(first.policies[0].symbol, "policy.refund.v3");
    assert_eq!(first.involved[0].symbol, "matter.042");
    assert_eq!(first.caused_by[0].micro, "Caller reports a defective product.");
    assert_eq!(first.aligned_with[0].symbol, "goal.fairness");
    assert_eq!((&first.standing, &first.caution), (&Standing::Stands, &None));
    let facet = |name| first.alike_in.iter().find(|likeness| likeness.facet == name).unwrap();
    assert!(facet("text").shared.iter().any(|word| word == "heater"), "{:?}", facet("text"));
    assert_eq!(
        (facet("factors").shared.join(" "), facet("factors").lacks.join(" ")),
        ("evidence".into(), "loyal_customer".into())
    );
    assert!((facet("policies").share - 1.0).abs() < 1e-9 && (facet("entities").share - 1.0).abs() < 1e-9);
    assert!(first.likeness > 0.5 && first.likeness < 1.0, "{}", first.likeness);

    let context = precedent::context("a refund", &found);
    assert_eq!(context.precedents[0].policy.as_deref(), Some("policy.refund.v3"));
    assert!(b.precedents(case("zebra crossing")).await.precedents.is_empty());
    let typed = Case { node_type: Some("inspection".into()), ..case("refund heater") };
    assert!(b.precedents(typed).await.precedents.is_empty());
}

#[tokio::test]
async fn a_superseded_decision_is_never_offered_without_saying_so() {
    let b = bench().await;
    b.refunds().await;
    let newer = decision(
        "decision.refund.2",
        "Refund for a defective heater, on appeal.",
        "denied",
        "The photo was old.",
        &[],
    );
    b.remember(vec![newer], &[relation("decision.refund.2", RelationType::Supersedes, "decision.refund.1")])
        .await;
    let found = b.precedents(case("refund for a defective heater")).await;
    assert_eq!(found.precedents.iter().map(|f| f.symbol.as_str()).collect::<Vec<_>>(), ["decision.refund.2"]);
    assert_eq!(found.left_out, 1);
    let all = b.precedents(Case { include_superseded: true, ..case("refund for a defective heater") }).await;
    let last = &all.precedents[1];
    assert_eq!(last.standing, Standing::Superseded { by: Some("decision.refund.2".into()) });
    assert!(last.caution.as_ref().unwrap().contains("do not follow"), "{:?}", last.caution);
    assert_eq!(precedent::context("q", &all).precedents.len(), 1, "a Passport carries those that stand");
    let found = b.search(question("refund heater")).await;
    assert!(!symbols(&found).contains(&"decision.refund.1"));
    let found = b.search(Question { include_superseded: true, ..question("refund heater") }).await;
    let told = found.iter().find(|told| told.symbol == "decision.refund.1").unwrap();
    assert!(matches!(told.standing, Standing::Superseded { .. }));
}

#[tokio::test]
async fn a_decision_under_an_old_policy_is_told_with_caution() {
    let b = bench().await;
    b.refunds().await;
    let before = b.precedents(case("defective heater refund")).await.precedents[0].likeness;
    let policy = node("policy.refund.v4", Layer::Operational, "policy", "Refund within 14 days.", json!({}));
    b.remember(vec![policy], &[relation("policy.refund.v4", RelationType::Supersedes, "policy.refund.v3")])
        .await;
    let asked = Case { policies: vec!["policy.refund.v4".into()], ..case("defective heater refund") };
    let found = b.precedents(asked).await;
    let first = &found.precedents[0];
    assert!(first.caution.as_ref().unwrap().contains("policy.refund.v4"), "{:?}", first.caution);
    assert_eq!(first.policies[0].superseded_by.as_deref(), Some("policy.refund.v4"));
    let policies = first.alike_in.iter().find(|l| l.facet == "policies").unwrap();
    assert!((policies.share - 1.0).abs() < 1e-9, "a policy and its successor are one line");
    let after = b.precedents(case("defective heater refund")).await.precedents[0].likeness;
    assert!(after < before, "{after} {before}");
}

#[tokio::test]
async fn relations_bring_to_mind_what_is_near() {
    let b = bench().await;
    b.refunds().await;
    let near = b.organisation.associations(&b.store, &["call.0042".into()], 10, now()).await.unwrap();
    assert_eq!(near[0].symbol, "decision.refund.1");
    assert_eq!(near.len(), 4, "the decision, and what it relates to");
    assert!(near.windows(2).all(|pair| pair[0].share >= pair[1].share));
    assert!(b.organisation.associations(&b.store, &["nobody".into()], 10, now()).await.unwrap().is_empty());
}

#[tokio::test]
async fn what_nobody_uses_fades_and_what_is_used_comes_back() {
    let b = bench().await;
    let fades = NewMemoryNode {
        pinned: false,
        ..decision("decision.1", "A rare heater case.", "approved", "x", &[])
    };
    let id = b.remember(vec![fades], &[]).await[0].id;
    assert!(b.search(question("rare heater case")).await.is_empty(), "after decades");
    assert!(b.precedents(case("rare heater case")).await.precedents.is_empty());
    b.organisation.read(&b.store, id, Resolution::Micro, now()).await.unwrap().unwrap();
    let kept = b.store.organisation().node(id).await.unwrap().unwrap();
    assert_eq!((kept.use_count, kept.last_used), (1, now()));
    assert_eq!(symbols(&b.search(question("rare heater case")).await), ["decision.1"]);
}

#[tokio::test]
async fn a_node_is_read_at_the_resolution_that_it_has() {
    let b = bench().await;
    let full = NewMemoryNode {
        summary: Some("In summary.".into()),
        full: Some("All of it.".into()),
        ..decision("decision.1", "In short.", "approved", "x", &[])
    };
    let bare = decision("decision.2", "Only this.", "approved", "x", &[]);
    let kept = b.remember(vec![full, bare], &[]).await;
    let read = async |id, at| b.organisation.read(&b.store, id, at, now()).await.unwrap().unwrap().1;
    assert_eq!(read(kept[0].id, Resolution::Micro).await.text, "In short.");
    assert_eq!(read(kept[0].id, Resolution::Summary).await.text, "In summary.");
    assert_eq!(read(kept[0].id, Resolution::Full).await.text, "All of it.");
    let told = read(kept[1].id, Resolution::Full).await;
    assert_eq!((told.resolution, told.text.as_str()), (Resolution::Micro, "Only this."));
    assert!(
        b.organisation.read(&b.store, MemoryNodeId::new(), Resolution::Full, now()).await.unwrap().is_none()
    );
}

#[tokio::test]
async fn what_does_not_fit_its_type_is_refused() {
    let b = bench().await;
    let nodes = vec![node("a", Layer::Event, "decision", "No outcome.", json!({}))];
    let refused = b.organisation.remember(&b.store, Author::Administrator, nodes, &[]).await;
    assert!(matches!(refused, Err(Refusal::Faults(_))), "{refused:?}");
    assert!(b.store.organisation().node_by_symbol("a").await.unwrap().is_none());
}

#[tokio::test]
async fn another_tenant_finds_nothing_and_another_process_finds_all() {
    let b = bench().await;
    b.refunds().await;
    b.search(question("heater")).await;
    let theirs = b.organisation.search(&b.other, &question("heater refund"), 1000, now()).await.unwrap();
    assert!(theirs.results.is_empty());
    let twin = Organisation::new(None);
    let found = twin.search(&b.store, &question("heater refund"), 1000, now()).await.unwrap();
    assert_eq!(found.results[0].symbol, "decision.refund.1");
    let id = found.results[0].id;
    b.store.organisation_writer(Author::Administrator).forget(id, now()).await.unwrap();
    let found = twin.search(&b.store, &question("heater refund"), 1000, now()).await.unwrap();
    assert!(!symbols(&found.results).contains(&"decision.refund.1"));
    let near = twin.associations(&b.store, &["call.0042".into()], 10, now()).await.unwrap();
    assert!(near.is_empty(), "its relations went with it: {near:?}");
}

#[tokio::test]
async fn an_episode_is_remembered_once() {
    let b = bench().await;
    b.refunds().await;
    let decided = KeyDecision {
        outcome: "approved".into(),
        reason: "A photo showed the crack.".into(),
        factors: vec!["evidence".into()],
        policies: vec!["policy.refund.v3".into(), "policy.unknown".into(), "goal.fairness".into()],
    };
    let review = Episode {
        passport_id: Uuid::nil(),
        team_id: "claims".into(),
        task_type: "refund".into(),
        mission_summary: "Refund for a cracked radiator".into(),
        outcome: "completed".into(),
        key_decisions: vec![decided],
        mistakes_made: Vec::new(),
        successful_patterns: Vec::new(),
        involved: vec!["matter.042".into()],
        aligned_with: Vec::new(),
        ended_at: Utc::now() - TimeDelta::hours(1),
    };
    let kept = b.organisation.remember_episode(&b.store, &review).await.unwrap().unwrap();
    assert_eq!((kept.author, kept.node_type.as_str()), (Author::Review, "episode"));
    assert!(b.organisation.remember_episode(&b.store, &review).await.unwrap().is_none());
    let asked = Case { node_type: Some("decision".into()), ..case("cracked radiator") };
    let found = b.organisation.precedents(&b.store, &asked, Utc::now()).await.unwrap();
    let first = &found.precedents[0];
    assert_eq!(first.caused_by[0].symbol, kept.symbol);
    assert_eq!(first.policies.iter().map(|p| p.symbol.as_str()).collect::<Vec<_>>(), ["policy.refund.v3"]);
}

#[tokio::test]
async fn a_type_is_promoted_on_figures_and_a_decision() {
    let b = bench().await;
    let new = NewExtensionType {
        name: "site_habit".into(),
        layer: Layer::Entity,
        team_id: None,
        description: "What a site is used to.".into(),
        properties_schema: None,
    };
    b.organisation.declare_type(&b.store, &new).await.unwrap();
    let taken = NewExtensionType { name: "decision".into(), ..new.clone() };
    assert!(matches!(b.organisation.declare_type(&b.store, &taken).await, Err(Refusal::Faults(_))));
    let bad = NewExtensionType { name: "x".into(), properties_schema: Some(json!({"type": 1})), ..new };
    assert!(matches!(b.organisation.declare_type(&b.store, &bad).await, Err(Refusal::Faults(_))));
    let raise =
        async |to| b.organisation.raise_type(&b.store, "site_habit", to, "ada", "used daily", now()).await;
    let refused = raise(TypeState::Stable).await.unwrap_err().to_string();
    assert!(refused.contains("0 of 100 nodes"), "{refused}");

    for batch in 0..2 {
        let habit = |n: usize| {
            let odd = if n < 5 { json!({}) } else { json!({"site": "a", "day": "monday"}) };
            node(&format!("habit.{batch}.{n}"), Layer::Entity, "site_habit", "Gate opens late.", odd)
        };
        b.remember((0..50).map(habit).collect(), &[]).await;
    }
    let refused = raise(TypeState::Promoted).await.unwrap_err().to_string();
    assert!(refused.contains("of 500 retrievals") && !refused.contains("nodes"), "{refused}");
    assert_eq!(raise(TypeState::Stable).await.unwrap().state, TypeState::Stable);
    let nodes = b.store.organisation().list_nodes(&Default::default()).await.unwrap();
    let uses = vec![Use { id: nodes[0].id, strength: 1.0 }; 50];
    for _ in 0..10 {
        b.store.organisation_writer(Author::System).record_uses(&uses, now()).await.unwrap();
    }
    let (_, assessment) = b.organisation.assess_type(&b.store, "site_habit", now()).await.unwrap().unwrap();
    assert!(assessment.flagged_for_promotion, "{assessment:?}");
    assert_eq!(assessment.proposed_schema["required"], json!(["day", "site"]));
    let promoted = raise(TypeState::Promoted).await.unwrap();
    assert_eq!((promoted.state, promoted.reason.as_deref()), (TypeState::Promoted, Some("used daily")));
    assert_eq!(promoted.evidence.unwrap()["property_consistency"], json!(0.9));
    assert_eq!(promoted.properties_schema, None, "a promotion changes no schema");
    assert!(matches!(raise(TypeState::Promoted).await, Err(Refusal::Faults(_))));
}

#[tokio::test]
async fn what_says_the_same_is_merged_and_nothing_is_lost() {
    let b = bench().await;
    let like = |n: u32| NewMemoryNode {
        pinned: false,
        valid_from: Utc::now() - TimeDelta::days(30),
        ..decision(&format!("decision.{n}"), "Pothole on Main Street filled by crew two.", "filled", "x", &[])
    };
    let denied = NewMemoryNode {
        properties: json!({"outcome": "refused"}),
        symbol: "decision.denied".into(),
        ..like(9)
    };
    let mine = |author, nodes| b.organisation.remember(&b.store, author, nodes, &[]);
    mine(Author::Review, vec![like(1), like(2), like(3), denied]).await.unwrap();
    mine(Author::Administrator, vec![like(4)]).await.unwrap();
    mine(Author::Review, vec![NewMemoryNode { pinned: true, ..like(5) }]).await.unwrap();
    let done = b.organisation.upkeep(&b.store, now()).await.unwrap();
    assert_eq!(done.merged, 2, "two of three; not the refusal, the pinned one, or a person's own");
    assert_eq!(b.organisation.upkeep(&b.store, now()).await.unwrap().merged, 0);
    let nodes = b.store.organisation().list_nodes(&Default::default()).await.unwrap();
    assert_eq!(nodes.len(), 6, "all are still there");
    let merged: Vec<&MemoryNode> = nodes.iter().filter(|node| node.superseded_by.is_some()).collect();
    assert_eq!(merged.len(), 2);
    let found = b.organisation.precedents(&b.store, &case("pothole main street"), Utc::now()).await.unwrap();
    assert!(found.precedents.iter().any(|found| found.stands_for == 2), "{found:?}");
    assert_eq!(found.left_out, 2);
}

#[tokio::test]
async fn a_question_is_answered_by_the_stores_that_know() {
    let b = bench().await;
    b.refunds().await;
    let retriever = Retriever::lexical();
    let document = Document {
        source: "refunds.md".into(),
        title: "Refunds".into(),
        content: "A refund for a heater costs no fee.".into(),
        ..Document::default()
    };
    retriever.put(b.store.id().0, document).await.unwrap();
    let task = NewTask {
        task_id: "t1".into(),
        passport_id: None,
        team_id: "claims".into(),
        goal: "Decide on the heater refund".into(),
        plan: json!([]),
        results: json!({}),
        success: true,
        duration_ms: 5,
        cost_tokens: None,
        cost_micros: None,
        created_at: now(),
        completed_at: None,
    };
    b.store.organisation_writer(Author::System).record_task(&task).await.unwrap();
    let ask = async |text: &str| b.organisation.ask(&retriever, &b.store, text, 10, now()).await.unwrap();
    let stores = |routed: &answer::Routed| routed.items.iter().map(|item| item.store).collect::<Vec<_>>();
    let fee = ask("what fee has a heater refund").await;
    assert!(
        stores(&fee).contains(&Store::KnowledgeDocuments)
            && stores(&fee).contains(&Store::OrganisationalMemory)
    );
    let why = ask("why was the heater refund decided so").await;
    assert!(stores(&why).contains(&Store::TaskHistory), "{:?}", stores(&why));

    let item = NewWorkItem {
        kind: WorkKind::Incident,
        idempotency_key: "k".into(),
        reference: None,
        call_id: None,
        passport_id: None,
        priority: Priority::Normal,
        caller: None,
        fields: json!({}),
    };
    let reference = b.store.file_work_item(item).await.unwrap().reference;
    let stands = ask(&format!("how does {reference} stand")).await;
    let found = stands.items.iter().find(|item| item.store == Store::Passports).unwrap();
    assert_eq!((found.id.as_str(), found.score), (reference.as_str(), 1.0));
    let caller = ask("what does the caller prefer").await;
    assert_eq!(caller.not_asked[0].store, Store::ContactsMemory);
    assert!(caller.not_asked[0].why.contains("/v1/memory/contacts"));
}
