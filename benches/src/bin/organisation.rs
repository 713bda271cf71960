//! Organisational memory at size: precedents, search and recall over ten thousand nodes, and an index made from a store.
//!
//! `cargo run --release -p benches --bin organisation`. Needs no model and no network: likeness is of words alone.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use chrono::{DateTime, Utc};
use serde_json::json;
use storage::organisation::{Author, Changes, Layer, NewMemoryNode, NewRelation, RelationType};
use storage::{NewTenant, Platform, PlatformOptions, TenantStore};
use work::organisation::Organisation;
use work::organisation::index::{Index, Wanted};
use work::organisation::pagerank::{Bounds, recall};
use work::organisation::precedent::{Case, precedents};
use work::organisation::search::{Question, search};

/// Nodes: one in ten a policy or goal, two in ten entities, the rest decisions and what led to them.
const NODES: usize = 10_000;
const QUESTIONS: usize = 400;
/// What is promised of precedents, and of one recall over the neighbourhood.
const PRECEDENTS_P95: Duration = Duration::from_millis(50);
const RECALL_P95: Duration = Duration::from_millis(20);
/// Nodes and relations in one write.
const BATCH: usize = 60;

const THINGS: [&str; 16] = [
    "pothole",
    "heater",
    "licence",
    "fence",
    "noise",
    "tree",
    "hydrant",
    "sidewalk",
    "permit",
    "refund",
    "pickup",
    "streetlight",
    "culvert",
    "inspection",
    "appeal",
    "claim",
];
const PLACES: [&str; 12] = [
    "Oak Street",
    "Main Street",
    "Elm Avenue",
    "the fairground",
    "the river walk",
    "Mill Road",
    "the library",
    "Station Square",
    "the north depot",
    "Harbour Lane",
    "Chapel Hill",
    "the school",
];
const HOW: [&str; 10] =
    ["broken", "overdue", "flooded", "blocked", "missing", "disputed", "damaged", "late", "unlit", "unsafe"];
const OUTCOMES: [&str; 4] = ["approved", "denied", "escalated", "deferred"];
const FACTORS: [&str; 6] = ["evidence", "within_window", "repeat", "safety", "weather", "budget"];

/// A repeatable source of numbers.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n
    }

    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    fn sentence(&mut self) -> String {
        format!("{} {} near {} number {}", self.of(&HOW), self.of(&THINGS), self.of(&PLACES), self.below(900))
    }
}

fn node(symbol: String, layer: Layer, node_type: &str, micro: String) -> NewMemoryNode {
    NewMemoryNode {
        symbol,
        layer,
        node_type: node_type.to_owned(),
        team_id: None,
        summary: Some(format!("{micro}, as it was looked into, weighed and told to whoever asked.")),
        micro,
        full: None,
        properties: json!({}),
        valid_from: DateTime::UNIX_EPOCH,
        valid_until: None,
        strength: 1.0,
        pinned: false,
        embedding: None,
    }
}

fn nodes(draw: &mut Draw) -> Vec<NewMemoryNode> {
    let mut nodes = Vec::with_capacity(NODES);
    for n in 0..NODES {
        let text = draw.sentence();
        nodes.push(match n % 10 {
            0 if n.is_multiple_of(100) => node(format!("goal.{n}"), Layer::Strategic, "goal", text),
            0 => node(format!("policy.{n}"), Layer::Operational, "policy", text),
            1 | 2 => node(format!("matter.{n}"), Layer::Entity, "matter", text),
            3 => node(format!("call.{n}"), Layer::Event, "call", text),
            _ => NewMemoryNode {
                properties: json!({
                    "outcome": draw.of(&OUTCOMES), "reason": draw.sentence(),
                    "factors": [draw.of(&FACTORS), draw.of(&FACTORS)],
                }),
                ..node(format!("decision.{n}"), Layer::Event, "decision", text)
            },
        });
    }
    nodes
}

/// Each decision has a policy, a matter, a call that led to it and a decision that it is like.
fn relations(draw: &mut Draw) -> Vec<NewRelation> {
    let mut relations = Vec::new();
    let tens = NODES / 10;
    for n in (0..NODES).filter(|n| n % 10 > 3) {
        let own = format!("decision.{n}");
        let mut relate = |from: &str, relation, to: &str| {
            relations.push(NewRelation { from: from.to_owned(), relation, to: to.to_owned(), weight: 1.0 });
        };
        let policy = draw.below(tens) * 10;
        if !policy.is_multiple_of(100) {
            relate(&own, RelationType::Applies, &format!("policy.{policy}"));
        }
        relate(&own, RelationType::Involves, &format!("matter.{}", draw.below(tens) * 10 + 1));
        relate(&format!("call.{}", draw.below(tens) * 10 + 3), RelationType::Caused, &own);
        let like = draw.below(tens) * 10 + 4;
        if like != n {
            relate(&own, RelationType::SimilarTo, &format!("decision.{like}"));
        }
    }
    relations
}

async fn fill(store: &TenantStore) -> Result<usize> {
    let mut draw = Draw(0x5eed);
    let writer = store.organisation_writer(Author::System);
    for batch in nodes(&mut draw).chunks(BATCH) {
        writer.remember(batch, &[]).await?;
    }
    let relations = relations(&mut draw);
    for batch in relations.chunks(BATCH * 4) {
        writer.remember(&[], batch).await?;
    }
    Ok(relations.len())
}

async fn load(store: &TenantStore, now: DateTime<Utc>) -> Result<Index> {
    let mut index = Index::default();
    loop {
        let changes: Changes = store.organisation().changes_after(index.reached()).await?;
        let more = changes.more;
        index.apply(changes, now);
        if !more {
            return Ok(index);
        }
    }
}

fn print(what: &str, mut taken: Vec<Duration>, target: Option<Duration>) {
    taken.sort_unstable();
    let at = |share: f64| taken[((taken.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    let target = target.map_or(String::new(), |t| format!("   (target: p95 {} ms)", t.as_millis()));
    println!(
        "  {what}: n {}  p50 {:.2}  p95 {:.2}  worst {:.2} ms{target}",
        taken.len(),
        at(0.5),
        at(0.95),
        at(1.0)
    );
}

fn timed<T>(mut run: impl FnMut(usize) -> T) -> Vec<Duration> {
    let one = |n| {
        let began = Instant::now();
        black_box(run(n));
        began.elapsed()
    };
    (0..QUESTIONS).map(one).collect()
}

#[tokio::main]
async fn main() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let platform = Platform::open(PlatformOptions::new(folder.path())).await?;
    let new = NewTenant { slug: "bench".into(), name: "Bench".into(), timezone: "UTC".into() };
    let tenant = platform.create_tenant(new).await?;
    let store = platform.tenant(tenant.id).await?;
    let began = Instant::now();
    let edges = fill(&store).await.context("filling the store")?;
    println!("{NODES} nodes, {edges} relations; written in {:.1} s", began.elapsed().as_secs_f64());
    let now = Utc::now();
    let began = Instant::now();
    let index = load(&store, now).await?;
    println!("  index made from SQLite: {:.0} ms", began.elapsed().as_secs_f64() * 1e3);

    let mut draw = Draw(0xca5e);
    let texts: Vec<String> = (0..QUESTIONS).map(|_| draw.sentence()).collect();
    let case = |n: usize| Case {
        text: texts[n].clone(),
        policies: vec![format!("policy.{}", n % 90 * 10 + 10)],
        entities: vec![format!("matter.{}", n * 10 + 1)],
        factors: vec!["evidence".into()],
        limit: 10,
        ..Case::default()
    };
    let taken = timed(|n| precedents(&index, &case(n), &Wanted::new(&texts[n], None), now));
    print("precedents", taken, Some(PRECEDENTS_P95));
    let found: usize = (0..QUESTIONS)
        .filter(|n| !precedents(&index, &case(*n), &Wanted::new(&texts[*n], None), now).precedents.is_empty())
        .count();
    println!("      {found} of {QUESTIONS} cases have one");
    let question = |n: usize| Question { text: texts[n].clone(), limit: 10, ..Question::default() };
    let taken = timed(|n| search(&index, &question(n), &Wanted::new(&texts[n], None), now));
    print("search, three ways", taken, None);
    let seed = |n: usize| [(u32::try_from(n * 20).unwrap_or_default(), 1.0)];
    print(
        "recall, 2,000 nodes around",
        timed(|n| recall(&index, &seed(n), Bounds::default())),
        Some(RECALL_P95),
    );
    let whole = Bounds { nodes: NODES, edges: 200_000, iterations: 40 };
    print("recall, the whole graph", timed(|n| recall(&index, &seed(n), whole)), None);

    let organisation = Organisation::new(None);
    organisation.precedents(&store, &case(0), now).await?;
    let mut taken = Vec::with_capacity(QUESTIONS);
    for n in 0..QUESTIONS {
        let began = Instant::now();
        black_box(organisation.precedents(&store, &case(n), now).await?);
        taken.push(began.elapsed());
    }
    print("precedents through the store, uses counted", taken, None);
    Ok(())
}
