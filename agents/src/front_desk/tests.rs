//! The front desk on a real store: what is durable when, and what a dropped run leaves behind.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use chrono::Utc;
use pipeline::event::AttentionReason;
use pipeline::ports::{CallBrief, Language, ReplyCommand, ReplyEvent, ReplyStream, Responder, TurnInput};
use pipeline::turn::{CallId, SegmentKind, TurnId};
use serde_json::Value;
use storage::records::{Claim, ClaimHolder, NewBooking, Slot, WorkFilter, WorkItem};
use storage::{
    Claims, NewTenant, PassportId, Passports, Platform, PlatformOptions, SlotId, Slots, TenantStore,
    WorkItems,
};
use uuid::Uuid;

use super::*;

mod driven;
mod follow_up;
mod no_calls;
mod overheard;
mod own_words;
mod reminder;
mod scripted;
mod taken_back;

struct Office {
    desk: FrontDesk,
    store: TenantStore,
    tenant: Uuid,
    _folder: tempfile::TempDir,
    platform: Platform,
}

async fn office() -> Office {
    let folder = tempfile::tempdir().unwrap();
    let platform = Platform::open(PlatformOptions::new(folder.path())).await.unwrap();
    let new = NewTenant {
        slug: "riverbend".into(),
        name: "Riverbend County".into(),
        timezone: "America/New_York".into(),
    };
    let tenant = platform.create_tenant(new).await.unwrap();
    let store = platform.tenant(tenant.id).await.unwrap();
    let seed = dialogue::seed::riverbend(Utc::now()).unwrap();
    let slots: Vec<Slot> = seed
        .openings
        .iter()
        .map(|o| Slot {
            id: SlotId::new(),
            starts_at: o.starts_at,
            ends_at: o.ends_at,
            label: o.label.clone(),
        })
        .collect();
    store.insert_slots(&slots).await.unwrap();
    for c in seed.claims {
        let holder = ClaimHolder { name: c.name, date_of_birth: c.date_of_birth, phone: c.phone };
        let claim = Claim {
            claim_number: c.claim_number,
            status: c.status,
            status_text: c.status_text,
            holder,
            updated_at: Utc::now(),
        };
        store.insert_claim(claim).await.unwrap();
    }
    let retriever = Arc::new(Retriever::lexical());
    retriever.put_all(tenant.id.0, seed.documents).await;
    let desk = FrontDesk::new(retriever).unwrap();
    desk.put_tenant(tenant.id.0, store.clone(), seed.facts);
    Office { desk, store, tenant: tenant.id.0, _folder: folder, platform }
}

struct Line {
    stream: ReplyStream,
    turn: u32,
    brief: CallBrief,
}

impl Office {
    fn brief(&self) -> CallBrief {
        CallBrief {
            spoken: vec![Language::En],
            recalled: Vec::new(),
            outbound: false,
            reminder: None,
            follow_up: None,
            consent: Default::default(),
            hand_over: Default::default(),
            call: CallId(Uuid::now_v7()),
            tenant: self.tenant,
            passport: Uuid::now_v7(),
            caller: None,
            line: "+12025550100".into(),
            language: Language::En,
        }
    }

    fn call(&self) -> Line {
        let brief = self.brief();
        Line { stream: self.desk.open(brief.clone()).unwrap(), turn: 0, brief }
    }

    async fn work(&self) -> Vec<WorkItem> {
        self.store.list_work_items(WorkFilter::default()).await.unwrap()
    }

    async fn passport(&self, id: Uuid) -> Option<(String, Value)> {
        self.store.passport(PassportId(id)).await.unwrap().map(|p| (p.status, p.document))
    }

    /// The entry of a turn without effects is written beside its words: wait until there are so many.
    async fn ledger_of(&self, id: Uuid, entries: usize) {
        let mut count = 0;
        for _ in 0..100 {
            tokio::time::sleep(Duration::from_millis(20)).await;
            let kept = self.passport(id).await;
            count = kept.map_or(0, |(_, document)| document["ledger"].as_array().map_or(0, Vec::len));
            if count == entries {
                return;
            }
        }
        panic!("{count} ledger entries instead of {entries}");
    }

    /// The end of a call is written by its own task: wait for the status.
    async fn closed(&self, id: Uuid) -> (String, Value) {
        for _ in 0..200 {
            if let Some((_, document)) = self.passport(id).await
                && document["ledger"].as_array().is_some_and(|l| {
                    l.iter().any(|e| e["outputs_summary"].as_str().unwrap_or("").starts_with("closed"))
                })
            {
                // The store reads a passport and its ledger one after the other: the entry may be newer.
                return self.passport(id).await.unwrap();
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("never closed");
    }
}

#[derive(Debug, Default)]
struct Heard {
    text: String,
    events: Vec<ReplyEvent>,
    ended: bool,
}

impl Line {
    async fn command(&self, command: ReplyCommand) {
        self.stream.commands.send(command).await.unwrap();
    }

    /// Events until the reply is done, or until nothing comes any more.
    async fn listen(&mut self) -> Heard {
        let mut heard = Heard::default();
        loop {
            // A busy machine is slow to begin; whoever has begun goes on, or waits for something.
            let patience = Duration::from_secs(if heard.events.is_empty() { 20 } else { 3 });
            let Ok(Some(event)) = tokio::time::timeout(patience, self.stream.events.recv()).await else {
                break;
            };
            if let ReplyEvent::Segment(segment) = &event {
                heard.text.push_str(&segment.text);
                heard.text.push(' ');
            }
            heard.ended |= matches!(event, ReplyEvent::Done { .. });
            heard.events.push(event);
            if heard.ended {
                break;
            }
        }
        heard
    }

    /// The same, and what is told after the reply's end, once the turn has been written.
    async fn say_to_the_end(&mut self, text: &str) -> Heard {
        let mut heard = self.say(text).await;
        while let Ok(Some(event)) =
            tokio::time::timeout(Duration::from_secs(2), self.stream.events.recv()).await
        {
            heard.events.push(event);
        }
        heard
    }

    fn said(text: &str) -> TurnInput {
        TurnInput::said(text)
    }

    async fn say(&mut self, text: &str) -> Heard {
        self.turn += 1;
        let turn = TurnId(self.turn);
        self.command(ReplyCommand::Start { turn, input: Self::said(text), speculative: false }).await;
        self.listen().await
    }

    async fn open(&mut self) -> Heard {
        self.command(ReplyCommand::Start { turn: TurnId(0), input: TurnInput::Opened, speculative: false })
            .await;
        self.listen().await
    }

    async fn say_all(&mut self, lines: &[&str]) -> Heard {
        let mut last = Heard::default();
        for line in lines {
            last = self.say(line).await;
        }
        last
    }
}

impl Heard {
    fn reasons(&self) -> Vec<AttentionReason> {
        let reason = |event: &ReplyEvent| match event {
            ReplyEvent::Attention { reason, .. } => Some(*reason),
            _ => None,
        };
        self.events.iter().filter_map(reason).collect()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn when_a_person_should_look_at_the_call_is_told_with_its_reason() {
    let office = office().await;
    for (lines, reason) in [
        (&["mumble", "blorp"][..], AttentionReason::Misunderstood),
        (&["I want to talk to a person"][..], AttentionReason::PersonAsked),
        (&["You stupid machine"][..], AttentionReason::Distress),
        (&["My house is on fire"][..], AttentionReason::Emergency),
    ] {
        let mut line = office.call();
        assert_eq!(line.open().await.reasons(), []);
        let (last, first) = lines.split_last().unwrap();
        for text in first {
            assert_eq!(line.say_to_the_end(text).await.reasons(), [], "{text}");
        }
        assert_eq!(line.say_to_the_end(last).await.reasons(), [reason], "{lines:?}");
    }
}

const REPORT: &[&str] = &[
    "Hi, this is John Smith, I slipped on ice at 12 Main Street yesterday around 3 and hurt my back, my number is 202-555-0143.",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_greeting_is_fixed_and_partly_a_notice() {
    let office = office().await;
    let mut line = office.call();
    let heard = line.open().await;
    assert!(heard.text.starts_with("Thank you for calling Riverbend County."), "{}", heard.text);
    let segments: Vec<_> = heard
        .events
        .iter()
        .filter_map(|e| if let ReplyEvent::Segment(s) = e { Some(s.clone()) } else { None })
        .collect();
    assert!(segments.iter().all(|s| s.fixed) && segments.len() == 5, "{}", heard.text);
    assert_eq!(segments[1].text, "In an emergency dial 911.");
    assert!(segments[..4].iter().all(|s| s.kind == SegmentKind::Notice), "no noise of the caller cuts these");
    assert!(!heard.text.contains("recorded"), "nothing is recorded");
    assert_eq!(segments[0].kind, SegmentKind::Notice);
    assert!(segments.iter().enumerate().all(|(n, s)| usize::from(s.id.index) == n));
    let phrases = office.desk.fixed_phrases(office.tenant);
    let (spanish, own): (Vec<_>, Vec<_>) = segments.iter().partition(|s| s.text.contains("español"));
    assert_eq!(spanish[0].text, "Para español, oprima dos.", "the key that leads to a callback is offered");
    assert!(own.iter().all(|s| phrases.contains(&s.text)));
}

/// Whether a reference is said, sign by sign.
fn spells(text: &str, reference: &str) -> bool {
    let signs = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
    signs(text).contains(&signs(reference))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_is_filed_once_before_its_number_is_spoken() {
    let office = office().await;
    let mut line = office.call();
    line.open().await;
    let heard = line.say_all(REPORT).await;
    assert!(heard.text.contains("202-555-0143"), "{}", heard.text);
    assert!(office.work().await.is_empty());
    let heard = line.say("Yes, that's right.").await;
    let work = office.work().await;
    assert_eq!(work.len(), 1);
    let told = line.say("I have a pen.").await;
    assert!(spells(&told.text, &work[0].reference), "{}", told.text);
    assert_eq!(work[0].priority.as_str(), "high");
    assert_eq!(work[0].fields["where"], "12 Main Street");
    assert_eq!(work[0].fields["incomplete"], false);
    let filed = heard
        .events
        .iter()
        .position(|e| matches!(e, ReplyEvent::Tool { name, ok: true, .. } if name == "file_report"));
    let first = heard.events.iter().position(|e| matches!(e, ReplyEvent::Segment(_)));
    assert!(filed < first, "{:?}", heard.events);
    let id = line.brief.passport;
    drop(line);
    let (status, document) = office.closed(id).await;
    assert_eq!(status, "in_progress");
    assert_eq!(document["current_agent"], "back_office");
    assert!(
        document["mission"]["sub_tasks"].as_array().unwrap().iter().any(|r| r == work[0].reference.as_str())
    );
    assert_eq!(document["ledger"].as_array().unwrap().len(), 5, "greeting, three turns, closing");
    let text = document["ledger"].to_string();
    assert!(!text.contains("John") && !text.contains("0143"), "no personal data in the ledger");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_speculative_run_leaves_no_trace() {
    let office = office().await;
    let mut line = office.call();
    line.open().await;
    line.say_all(REPORT).await;
    office.ledger_of(line.brief.passport, 2).await;
    let turn = TurnId(2);
    line.command(ReplyCommand::Start { turn, input: Line::said("Yes."), speculative: true }).await;
    let heard = line.listen().await;
    assert!(!heard.ended && !heard.text.contains("filed"), "the promise waits: {}", heard.text);
    line.command(ReplyCommand::Cancel { turn }).await;
    line.turn = 2;
    let heard = line.say("Yes, but the number is 202 555 0188.").await;
    assert!(heard.text.contains("202-555-0188"), "{}", heard.text);
    assert!(office.work().await.is_empty());
    office.ledger_of(line.brief.passport, 3).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_committed_speculation_is_used_and_filed_once() {
    let office = office().await;
    let mut line = office.call();
    line.open().await;
    line.say_all(REPORT).await;
    let turn = TurnId(2);
    line.command(ReplyCommand::Start { turn, input: Line::said("Yes."), speculative: true }).await;
    line.command(ReplyCommand::Commit { turn }).await;
    line.command(ReplyCommand::Commit { turn }).await;
    let heard = line.listen().await;
    assert_eq!(office.work().await.len(), 1);
    assert!(heard.ended && heard.text.contains("filed"), "{}", heard.text);
    // The guard's, the search's, the step's, the rules', the record's and the first clause's, once.
    assert_eq!(heard.events.iter().filter(|e| matches!(e, ReplyEvent::Stage { .. })).count(), 6);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_effectless_speculation_speaks_at_once() {
    let office = office().await;
    let mut line = office.call();
    line.open().await;
    let turn = TurnId(1);
    line.command(ReplyCommand::Start {
        turn,
        input: Line::said("How do I get a library card?"),
        speculative: true,
    })
    .await;
    let heard = line.listen().await;
    assert!(heard.ended && heard.text.contains("card is free"), "{}", heard.text);
    line.command(ReplyCommand::Commit { turn }).await;
    line.turn = 1;
    // The topic of the committed turn carries the next question.
    let heard = line.say("And what are the hours?").await;
    assert!(heard.text.contains("9 a.m."), "{}", heard.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_booking_takes_the_slot_and_one_that_is_gone_is_offered_anew() {
    let office = office().await;
    let mut line = office.call();
    line.open().await;
    let heard = line
        .say_all(&[
            "I'd like to book a safety inspection",
            "412 Birchwood Lane",
            "any day",
            "the first one",
            "Maria Lopez",
            "202 555 0143",
        ])
        .await;
    assert!(heard.text.contains("412 Birchwood Lane"), "{}", heard.text);
    let first = office.store.free_slots(Utc::now(), 1).await.unwrap().remove(0);
    office.store.book_slot(NewBooking { slot: first.id, idempotency_key: "other".into() }).await.unwrap();
    let heard = line.say("Yes").await;
    assert!(heard.text.contains("just taken") && !heard.text.contains("INS-"), "{}", heard.text);
    assert!(office.work().await.is_empty());
    let heard = line.say_all(&["the first one", "yes", "yes, I have a pen"]).await;
    let work = office.work().await;
    assert_eq!(work.len(), 1);
    assert!(spells(&heard.text, &work[0].reference), "{}", heard.text);
    assert_eq!(work[0].kind.as_str(), "inspection");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claim_is_told_to_its_holder() {
    let office = office().await;
    let mut line = office.call();
    line.open().await;
    let heard = line.say_all(&["what's the status of my claim", "20417", "Lopez"]).await;
    assert!(heard.text.contains("approved"), "{}", heard.text);
    let id = line.brief.passport;
    line.say("no thanks").await;
    drop(line);
    assert_eq!(office.closed(id).await.0, "completed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_cut_off_by_hanging_up_is_filed_incomplete() {
    let office = office().await;
    let mut line = office.call();
    line.open().await;
    line.say_all(&["I want to report an accident", "A van hit the fence at Riverside Park"]).await;
    let id = line.brief.passport;
    drop(line);
    assert_eq!(office.closed(id).await.0, "in_progress");
    let work = office.work().await;
    assert_eq!(work.len(), 1);
    assert_eq!(work[0].fields["incomplete"], true);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_emergency_marks_the_passport() {
    let office = office().await;
    let mut line = office.call();
    line.open().await;
    let heard = line.say("My house is on fire!").await;
    assert!(heard.text.contains("911"));
    let (_, document) = office.passport(line.brief.passport).await.unwrap();
    assert_eq!(document["routing"]["priority"], "urgent");
    assert_eq!(document["routing"]["escalation_required"], true);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_fails_is_admitted() {
    let office = office().await;
    let mut line = office.call();
    line.open().await;
    line.say_all(REPORT).await;
    office.platform.close().await;
    let heard = line.say("Yes.").await;
    assert!(heard.text.contains("couldn't save") && !heard.text.contains("INC-"), "{}", heard.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tenant_without_a_desk_is_refused() {
    let office = office().await;
    let mut brief = office.call().brief;
    brief.tenant = Uuid::from_u128(9);
    assert!(office.desk.open(brief).is_err());
}
