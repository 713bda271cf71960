//! How a call would go, by text: no sound, but the whole desk with guard, search, rules and a real store.
//!
//! `cargo run --release -p agents --example chat -- models lines.txt` plays a caller's lines, one a turn, and prints each
//! reply and the work that the call left; without a file it reads them as they are typed. Lines that begin with `#` are left out; `(silence)`
//! is a caller who says nothing, `(keys 123)` keys, `(noise)` sound without words, `(hang up)` the end of one call and the
//! beginning of another. A trailing ` (unsure)` is what the recogniser is not sure of.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a tool for developers: a missing file may end it"
)]

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agents::FrontDesk;
use chrono::Utc;
use knowledge::{Retriever, runtime};
use pipeline::ports::{
    AfterReply, CallBrief, Language, ReplyCommand, ReplyEvent, ReplyStream, Responder, TurnInput,
};
use pipeline::turn::{CallId, Heard, TurnId};
use storage::records::{Claim, ClaimHolder, Slot, WorkFilter};
use storage::{Claims, NewTenant, Platform, PlatformOptions, SlotId, Slots, TenantStore, WorkItems};
use uuid::Uuid;

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let models = arguments.next().expect("a folder of models");
    let lines: Box<dyn BufRead> = match arguments.next() {
        Some(path) => Box::new(BufReader::new(File::open(path).unwrap())),
        None => Box::new(std::io::stdin().lock()),
    };
    let folder = std::env::temp_dir().join(format!("chat-{}", Uuid::now_v7()));
    let platform = Platform::open(PlatformOptions::new(&folder)).await.unwrap();
    let environment = runtime(Path::new(&models)).unwrap();
    let retriever = Arc::new(Retriever::load(&environment, Path::new(&models)).unwrap());
    let (desk, store) = riverbend(&platform, retriever).await;
    let mut filed = HashSet::new();
    let mut call: Option<Call> = None;
    for line in lines.lines().map(Result::unwrap) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line == "(hang up)" {
            call = None;
            left(&store, &mut filed).await;
            continue;
        }
        if call.is_none() {
            let stream = desk.open(brief(&store)).unwrap();
            let mut begun = Call { stream, turn: 0, more: true };
            begun.turn(TurnInput::Opened).await;
            call = Some(begun);
        }
        let Some(call) = &mut call else { continue };
        if !call.more {
            println!("        (the line has hung up)");
            continue;
        }
        println!("CALLER  {line}");
        if let Some(language) = language::language_of(line) {
            call.send(ReplyCommand::Language(language)).await;
        }
        call.turn(input(line)).await;
    }
    drop(call);
    left(&store, &mut filed).await;
    platform.close().await;
    let _ = std::fs::remove_dir_all(folder);
}

/// What the call left, once its end is written.
async fn left(store: &TenantStore, filed: &mut HashSet<String>) {
    tokio::time::sleep(Duration::from_millis(500)).await;
    for item in store.list_work_items(WorkFilter::default()).await.unwrap() {
        if filed.insert(item.reference) {
            println!("FILED   {} {} ({})", item.kind.as_str(), item.fields, item.priority.as_str());
        }
    }
}

/// The demo county as the gateway sets it up.
async fn riverbend(platform: &Platform, retriever: Arc<Retriever>) -> (FrontDesk, TenantStore) {
    let seed = dialogue::seed::riverbend(Utc::now()).unwrap();
    let new = NewTenant {
        slug: "riverbend".into(),
        name: "Riverbend County".into(),
        timezone: seed.facts.timezone.clone(),
    };
    let tenant = platform.create_tenant(new).await.unwrap();
    let store = platform.tenant(tenant.id).await.unwrap();
    let slot = |o: &dialogue::seed::SeedOpening| Slot {
        id: SlotId::new(),
        starts_at: o.starts_at,
        ends_at: o.ends_at,
        label: o.label.clone(),
    };
    store.insert_slots(&seed.openings.iter().map(slot).collect::<Vec<_>>()).await.unwrap();
    for c in seed.claims {
        let holder = ClaimHolder { name: c.name, date_of_birth: c.date_of_birth, phone: c.phone };
        let (number, status, text) = (c.claim_number, c.status, c.status_text);
        let claim = Claim { claim_number: number, status, status_text: text, holder, updated_at: Utc::now() };
        store.insert_claim(claim).await.unwrap();
    }
    retriever.put_all(tenant.id.0, seed.documents).await;
    let desk = FrontDesk::new(retriever).unwrap();
    desk.put_tenant(tenant.id.0, store.clone(), seed.facts);
    desk.warm().await;
    (desk, store)
}

fn brief(store: &TenantStore) -> CallBrief {
    CallBrief {
        spoken: vec![Language::En, Language::Es],
        recalled: Vec::new(),
        outbound: false,
        reminder: None,
        follow_up: None,
        consent: Default::default(),
        hand_over: Default::default(),
        call: CallId(Uuid::now_v7()),
        tenant: store.id().0,
        passport: Uuid::now_v7(),
        caller: Some("+12025550188".into()),
        line: "+12025550100".into(),
        language: Language::En,
    }
}

fn input(line: &str) -> TurnInput {
    let line = line.trim();
    let keys = line.strip_prefix("(keys ").and_then(|rest| rest.strip_suffix(')'));
    match (line, keys) {
        ("(silence)", _) => TurnInput::Silence { times: 1 },
        ("(noise)", _) => TurnInput::Unintelligible,
        (_, Some(digits)) => TurnInput::Digits { digits: digits.to_owned() },
        _ => match line.strip_suffix(" (unsure)") {
            Some(text) => TurnInput::Said { text: text.to_owned(), unsure: true, alternatives: Vec::new() },
            None => TurnInput::said(line),
        },
    }
}

struct Call {
    stream: ReplyStream,
    turn: u32,
    /// The line stays.
    more: bool,
}

impl Call {
    async fn send(&self, command: ReplyCommand) {
        self.stream.commands.send(command).await.expect("the desk listens");
    }

    /// One turn, heard to its end.
    async fn turn(&mut self, input: TurnInput) {
        let turn = TurnId(self.turn);
        self.turn += 1;
        self.send(ReplyCommand::Start { turn, input, speculative: false }).await;
        let (mut text, mut then) = (String::new(), AfterReply::Listen);
        while let Ok(Some(event)) =
            tokio::time::timeout(Duration::from_secs(5), self.stream.events.recv()).await
        {
            match event {
                ReplyEvent::Segment(segment) => text.push_str(&format!("{} ", segment.text.trim())),
                ReplyEvent::Guard(attack) => println!("  guard {} ({})", attack.kind, attack.severity),
                ReplyEvent::Rule(ruling) => println!("  rule  {} ({})", ruling.rule, ruling.applies_to),
                ReplyEvent::Attention { reason, .. } => println!("  a person should look: {reason:?}"),
                ReplyEvent::Tool { name, ok, .. } => {
                    println!("  tool  {name} {}", if ok { "done" } else { "failed" })
                }
                ReplyEvent::Failed { reason, .. } => println!("  FAILED {reason}"),
                ReplyEvent::Done { then: next, .. } => {
                    then = next;
                    break;
                }
                _ => {}
            }
        }
        println!("LINE    {}", text.trim());
        let heard = Heard { turn, text: text.trim().to_owned(), complete: true, estimated: false };
        self.send(ReplyCommand::Heard(heard)).await;
        self.more = then == AfterReply::Listen;
    }
}
