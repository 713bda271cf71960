//! The winner's answer on its way to the caller.

use pipeline::provider::Failure;
use tokio::time::timeout_at;

use super::Run;
use super::race::{Attempt, ended};
use super::seam::{Seam, Words};
use crate::model::{ModelEvent, Stop};

/// How a model's part of the answer ended.
pub(super) enum End {
    Complete,
    /// It broke off; another may go on.
    Broke,
}

/// What is held back of the answer.
struct Held {
    words: Words,
    /// Where the answer goes on after another model's words.
    seam: Option<Seam>,
    called: bool,
}

impl Held {
    fn push(&mut self, text: &str) -> String {
        let words = self.words.push(text);
        self.not_repeated(&words)
    }

    fn not_repeated(&mut self, words: &str) -> String {
        match &mut self.seam {
            Some(seam) => seam.push(words),
            None => words.to_owned(),
        }
    }

    fn finish(&mut self) -> String {
        let last = self.words.finish();
        let mut rest = self.not_repeated(&last);
        if let Some(seam) = &mut self.seam {
            rest.push_str(&seam.finish());
        }
        rest
    }
}

impl Run {
    /// Passes on the winner's answer, of which `first` has come.
    pub(super) async fn pass_on(&mut self, first: ModelEvent) -> Option<End> {
        let Some(mut winner) = self.winner.take() else { return Some(End::Broke) };
        winner.is_alive();
        let member = winner.member;
        let seam = (!self.given.is_empty()).then(|| Seam::after(&self.given));
        let mut held = Held { words: Words::default(), seam, called: false };
        // It stays where `abandon` finds it.
        self.winner = Some(winner);
        let mut event = first;
        loop {
            match event {
                ModelEvent::Text(text) => self.give(held.push(&text)).await?,
                ModelEvent::Call(call) => {
                    self.give(held.finish()).await?;
                    held.called = true;
                    self.send(ModelEvent::Call(call)).await?;
                }
                ModelEvent::Provider(note) => self.send(ModelEvent::Provider(note)).await?,
                ModelEvent::Done { stop, opaque } => {
                    self.members.members()[member].succeeded();
                    self.winner = None;
                    self.give(held.finish()).await?;
                    // Signed thoughts belong to the whole of one model's words.
                    let opaque = opaque.filter(|_| held.seam.is_none());
                    self.send(ModelEvent::Done { stop, opaque }).await?;
                    return Some(End::Complete);
                }
                ModelEvent::Failed(failure) => return self.break_off(member, failure, held.called).await,
            }
            event = match &mut self.winner {
                Some(winner) => next(winner, &self.deadlines).await,
                None => ModelEvent::Failed(ended()),
            };
        }
    }

    /// With a complete call in hand the answer may end here: the tool's result brings the next one.
    async fn break_off(&mut self, member: usize, failure: Failure, called: bool) -> Option<End> {
        self.winner = None;
        self.fail(member, failure).await?;
        if !called {
            return Some(End::Broke);
        }
        self.send(ModelEvent::Done { stop: Stop::Tools, opaque: None }).await?;
        Some(End::Complete)
    }

    async fn give(&mut self, text: String) -> Option<()> {
        if text.is_empty() {
            return Some(());
        }
        self.given.push_str(&text);
        self.send(ModelEvent::Text(text)).await
    }
}

async fn next(winner: &mut Attempt, deadlines: &pipeline::provider::Deadlines) -> ModelEvent {
    // Time in which we waited for our own reader is not the model's.
    winner.is_alive();
    loop {
        let due = winner.due_between(deadlines);
        match timeout_at(due, winner.events.recv()).await {
            Ok(event) => return event.unwrap_or_else(|| ModelEvent::Failed(ended())),
            Err(_) if winner.has_moved() => {}
            Err(_) => return ModelEvent::Failed(Failure::stalled("fell silent in mid-answer")),
        }
    }
}
