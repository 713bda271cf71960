//! Calls answered by a language model: a scripted one, on a real store.

use std::time::Instant;

use pipeline::turn::Heard as HeardWords;
use pipeline::turn::ReplySegment;
use serde_json::json;

use super::scripted::{Beat, HeldClock, Playing, Scripted, breathe, text, tool};
use super::*;
use models::conversation::Message;
use models::model::Stop;
use work::tools::registry::Policy;

mod asked;
mod attacks;
mod attention;
mod bounds;
mod failing;
mod guessing;
mod hearing;
mod held;
mod no_calls;
mod privacy;
mod ruled;
mod second_look;
mod speaking;
mod speaking_spanish;
mod tools;

/// Only a call that hangs takes so long, on however busy a machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A call with a scripted model on the other side. Time stands still but for [`Driven::advance`].
struct Driven {
    office: Office,
    model: Arc<Scripted>,
    stream: ReplyStream,
    brief: CallBrief,
    turn: u32,
    _clock: HeldClock,
}

async fn driven() -> Driven {
    driven_with(|brief| brief, true).await
}

async fn driven_with(change: impl FnOnce(CallBrief) -> CallBrief, fallback: bool) -> Driven {
    driven_under(change, fallback, Policy::default()).await
}

async fn driven_under(change: impl FnOnce(CallBrief) -> CallBrief, fallback: bool, policy: Policy) -> Driven {
    let mut office = office().await;
    let model = Arc::new(Scripted::default());
    office.desk =
        office.desk.clone().with_model(Arc::new(Playing(model.clone())), fallback).with_policy(policy);
    let brief = change(office.brief());
    let clock = HeldClock::hold();
    let stream = office.desk.open(brief.clone()).unwrap();
    let mut driven = Driven { office, model, stream, brief, turn: 0, _clock: clock };
    driven.open().await;
    driven
}

fn with_number(mut brief: CallBrief) -> CallBrief {
    brief.caller = Some("+12025550177".into());
    brief
}

impl Driven {
    async fn command(&self, command: ReplyCommand) {
        self.stream.commands.send(command).await.unwrap();
    }

    async fn start(&mut self, input: TurnInput, speculative: bool) {
        self.turn += 1;
        self.command(ReplyCommand::Start { turn: TurnId(self.turn), input, speculative }).await;
    }

    async fn commit(&self) {
        self.command(ReplyCommand::Commit { turn: TurnId(self.turn) }).await;
    }

    async fn cancel(&self) {
        self.command(ReplyCommand::Cancel { turn: TurnId(self.turn) }).await;
    }

    async fn heard(&self, text: &str, complete: bool) {
        let heard = HeardWords { turn: TurnId(self.turn), text: text.into(), complete, estimated: false };
        self.command(ReplyCommand::Heard(heard)).await;
    }

    /// Waits until the call has obeyed everything so far: it does one thing after another, so this comes last.
    async fn obeyed(&self) {
        self.command(ReplyCommand::Cancel { turn: TurnId(u32::MAX) }).await;
        while self.stream.commands.capacity() < self.stream.commands.max_capacity() {
            breathe().await;
        }
    }

    /// Passes time.
    async fn advance(&self, milliseconds: u64) {
        self.obeyed().await;
        breathe().await;
        tokio::time::advance(Duration::from_millis(milliseconds)).await;
        self.obeyed().await;
    }

    /// What has come by now: everything obeyed, and then nothing more for a while.
    async fn so_far(&mut self) -> Heard {
        let mut heard = Heard::default();
        let mut quiet = 0;
        while quiet < 15 {
            self.obeyed().await;
            breathe().await;
            quiet += 1;
            while let Ok(event) = self.stream.events.try_recv() {
                heard.take(event);
                quiet = 0;
            }
        }
        heard
    }

    /// What comes until it is enough.
    async fn until(&mut self, enough: impl Fn(&Heard) -> bool) -> Heard {
        let began = Instant::now();
        let mut heard = Heard::default();
        while !enough(&heard) {
            assert!(began.elapsed() < PATIENCE, "not what was waited for: {:?}", heard.events);
            let Ok(event) = self.stream.events.try_recv() else {
                breathe().await;
                continue;
            };
            heard.take(event);
        }
        heard
    }

    /// Events until the reply is done and its books are closed.
    async fn reply(&mut self) -> Heard {
        let mut heard = self.until(|heard| heard.ended).await;
        self.obeyed().await;
        while let Ok(event) = self.stream.events.try_recv() {
            heard.take(event);
        }
        heard
    }

    async fn turn(&mut self, input: TurnInput) -> Heard {
        self.start(input, false).await;
        self.reply().await
    }

    async fn say(&mut self, text: &str) -> Heard {
        self.turn(Line::said(text)).await
    }

    /// Says it, and hears the answer to its end.
    async fn talk(&mut self, text: &str) -> Heard {
        let heard = self.say(text).await;
        self.heard(heard.text.trim(), true).await;
        heard
    }

    async fn open(&mut self) {
        self.command(ReplyCommand::Start { turn: TurnId(0), input: TurnInput::Opened, speculative: false })
            .await;
        let greeting = self.reply().await;
        assert!(greeting.text.starts_with("Thank you for calling"), "{}", greeting.text);
        self.heard(greeting.text.trim(), true).await;
    }
}

impl Heard {
    fn take(&mut self, event: ReplyEvent) {
        if let ReplyEvent::Segment(segment) = &event {
            self.text.push_str(&segment.text);
            self.text.push(' ');
        }
        self.ended |= matches!(event, ReplyEvent::Done { .. } | ReplyEvent::Failed { .. });
        self.events.push(event);
    }

    fn segments(&self) -> Vec<&ReplySegment> {
        self.events
            .iter()
            .filter_map(|e| if let ReplyEvent::Segment(s) = e { Some(s) } else { None })
            .collect()
    }

    fn tools(&self) -> Vec<(&str, bool)> {
        self.events
            .iter()
            .filter_map(|e| {
                if let ReplyEvent::Tool { name, ok, .. } = e { Some((name.as_str(), *ok)) } else { None }
            })
            .collect()
    }

    fn used(&self) -> Vec<(u64, bool)> {
        self.events
            .iter()
            .filter_map(|e| match e {
                ReplyEvent::Used { usage, speculative, .. } => Some((usage.amount, *speculative)),
                _ => None,
            })
            .collect()
    }

    fn done(&self) -> (pipeline::turn::Expectation, pipeline::ports::AfterReply) {
        let done = self.events.iter().find_map(|e| match e {
            ReplyEvent::Done { expects, then, .. } => Some((*expects, *then)),
            _ => None,
        });
        done.unwrap()
    }

    fn place(&self, wanted: impl Fn(&ReplyEvent) -> bool) -> usize {
        self.events.iter().position(wanted).unwrap_or_else(|| panic!("{:?}", self.events))
    }

    fn first_words(&self) -> usize {
        self.place(|e| matches!(e, ReplyEvent::Segment(_)))
    }
}

fn agent_texts(messages: &[Message]) -> Vec<String> {
    let text = |m: &Message| if let Message::Agent { text, .. } = m { Some(text.clone()) } else { None };
    messages.iter().filter_map(text).collect()
}

fn caller_texts(messages: &[Message]) -> Vec<String> {
    let text = |m: &Message| if let Message::Caller { text } = m { Some(text.clone()) } else { None };
    messages.iter().filter_map(text).collect()
}
