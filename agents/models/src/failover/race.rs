//! Who says something first. One model is asked, and the next beside it when the first is late.

use std::task::Poll;

use pipeline::ports::ProviderState;
use pipeline::provider::{Deadlines, Failure, Kind};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use super::Run;
use crate::model::{ModelEvent, Tally};

/// One model that was asked.
pub(super) struct Attempt {
    pub member: usize,
    pub events: mpsc::Receiver<ModelEvent>,
    tally: Tally,
    began: Instant,
    /// Past `first` without a sign of life.
    late: bool,
    /// Signs of life seen, and when the last one came.
    touches: u64,
    alive: Instant,
}

impl Attempt {
    /// Whether the model has begun, or gone on, since the last look: a long tool input comes without events.
    pub(super) fn has_moved(&mut self) -> bool {
        let touches = self.tally.touches();
        let moved = touches != self.touches;
        if moved {
            (self.touches, self.alive) = (touches, Instant::now());
        }
        moved
    }

    /// An event came.
    pub(super) fn is_alive(&mut self) {
        self.touches = self.tally.touches();
        self.alive = Instant::now();
    }

    /// When to look next. Before it has begun: late first, then failed.
    pub(super) fn due(&self, deadlines: &Deadlines) -> Instant {
        match (self.touches, self.late) {
            (0, false) => self.began + deadlines.first,
            (0, true) => self.began + deadlines.give_up,
            _ => self.due_between(deadlines),
        }
    }

    /// When an answer that has begun must have gone on.
    pub(super) fn due_between(&self, deadlines: &Deadlines) -> Instant {
        self.alive + deadlines.between
    }
}

impl Run {
    /// The first text, call or end of an answer; its model becomes the winner, the others are left. Inner `None`:
    /// all have failed.
    pub(super) async fn first_event(&mut self) -> Option<Option<ModelEvent>> {
        let mut tried = self.failed.clone();
        loop {
            if self.running.is_empty() {
                let Some(member) = self.next(&mut tried) else { return Some(None) };
                self.start(member);
            }
            let wake = self.running.iter().map(|a| a.due(&self.deadlines)).min()?;
            match timeout_at(wake, next_event(&mut self.running)).await {
                Ok((at, Some(ModelEvent::Provider(note)))) => {
                    self.running[at].is_alive();
                    self.send(ModelEvent::Provider(note)).await?;
                }
                Ok((at, Some(ModelEvent::Failed(failure)))) => self.drop_out(at, failure).await?,
                Ok((at, None)) => self.drop_out(at, ended()).await?,
                Ok((at, Some(event))) => {
                    self.winner = Some(self.running.remove(at));
                    self.leave_the_rest();
                    return Some(Some(event));
                }
                Err(_) => self.look_after(&mut tried).await?,
            }
        }
    }

    /// The next to ask, or the last one once more where that is worth it.
    fn next(&mut self, tried: &mut Vec<usize>) -> Option<usize> {
        if let Some(member) = self.members.pick(Instant::now().into_std(), tried) {
            tried.push(member);
            return Some(member);
        }
        let (member, failure) = self.last.as_ref()?;
        if self.retried || !failure.kind.is_worth_one_retry() {
            return None;
        }
        self.retried = true;
        Some(*member)
    }

    fn start(&mut self, member: usize) {
        let stream = self.members.members()[member].provider.ask(self.request());
        self.tally.add_part(&stream.tally);
        let now = Instant::now();
        self.running.push(Attempt {
            member,
            events: stream.events,
            tally: stream.tally,
            began: now,
            late: false,
            touches: 0,
            alive: now,
        });
    }

    async fn drop_out(&mut self, at: usize, failure: Failure) -> Option<()> {
        let attempt = self.running.remove(at);
        self.fail(attempt.member, failure).await
    }

    /// Somebody's time is up: late ones get company, silent ones are given up.
    async fn look_after(&mut self, tried: &mut Vec<usize>) -> Option<()> {
        let now = Instant::now();
        let mut at = 0;
        let mut late = Vec::new();
        while let Some(attempt) = self.running.get_mut(at) {
            if attempt.has_moved() || now < attempt.due(&self.deadlines) {
                at += 1;
            } else if attempt.touches == 0 && !attempt.late {
                attempt.late = true;
                late.push(attempt.member);
                at += 1;
            } else {
                let silent =
                    if attempt.touches == 0 { "no first token" } else { "fell silent in mid-answer" };
                self.drop_out(at, Failure::stalled(silent)).await?;
            }
        }
        for member in late {
            self.note(member, ProviderState::Slow, "no first token in time").await?;
            if let Some(standby) = self.members.pick(now.into_std(), tried) {
                tried.push(standby);
                self.start(standby);
            }
        }
        Some(())
    }

    /// Drops those that did not win, and with them their requests. To be late and beaten is a failure.
    pub(super) fn leave_the_rest(&mut self) {
        let now = Instant::now();
        for attempt in self.running.drain(..) {
            if attempt.late || now >= attempt.began + self.deadlines.first {
                self.members.members()[attempt.member].failed(now.into_std(), Kind::Stalled);
            }
        }
    }
}

pub(super) fn ended() -> Failure {
    Failure::new(Kind::Closed, "the answer ended without its last event")
}

/// The next event of any of them, the most preferred first.
async fn next_event(running: &mut [Attempt]) -> (usize, Option<ModelEvent>) {
    std::future::poll_fn(|cx| {
        for (at, attempt) in running.iter_mut().enumerate() {
            if let Poll::Ready(event) = attempt.events.poll_recv(cx) {
                return Poll::Ready((at, event));
            }
        }
        Poll::Pending
    })
    .await
}
