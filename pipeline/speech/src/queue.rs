//! What waits for a worker: one first-in-first-out line per kind of job.

use std::collections::VecDeque;
use std::time::Instant;

use super::pool::{JobKind, Running, Ticket, shed};

pub(super) type Work<M> = Box<dyn FnOnce(&mut M, &Running<'_>) + Send>;

pub(super) struct Job<M> {
    pub kind: JobKind,
    pub call: u64,
    pub ticket: Ticket,
    pub queued: Instant,
    pub run: Work<M>,
}

/// The kind's line is at its bound.
#[derive(Debug)]
pub(super) struct Refused;

pub(super) struct Queue<M> {
    lines: [VecDeque<Job<M>>; JobKind::ALL.len()],
    /// Long jobs at work, and how many may be: one worker is kept free for what is urgent where there are two.
    long: usize,
    long_max: usize,
}

impl<M> Queue<M> {
    pub fn new(workers: usize) -> Self {
        Self {
            lines: std::array::from_fn(|_| VecDeque::new()),
            long: 0,
            long_max: workers.saturating_sub(1).max(1),
        }
    }

    pub fn push(&mut self, job: Job<M>) -> Result<(), Refused> {
        let kind = job.kind;
        let line = &mut self.lines[kind as usize];
        if kind.is_optional()
            && kind != JobKind::Background
            && let Some(waiting) = line.iter_mut().find(|j| j.call == job.call)
        {
            *waiting = job;
            shed(kind, "replaced");
            return Ok(());
        }
        if line.len() >= kind.bound() {
            line.retain(|j| !j.ticket.is_stale());
        }
        if line.len() >= kind.bound() {
            return Err(Refused);
        }
        line.push_back(job);
        Ok(())
    }

    /// The most urgent job that is still wanted.
    pub fn pop(&mut self, now: Instant) -> Option<Job<M>> {
        for kind in JobKind::ALL {
            if kind.is_long() && self.long >= self.long_max {
                continue;
            }
            while let Some(job) = self.lines[kind as usize].pop_front() {
                if job.ticket.is_stale() {
                    shed(kind, "stale");
                } else if kind.max_wait().is_some_and(|max| now - job.queued > max) {
                    shed(kind, "late");
                } else {
                    self.long += usize::from(kind.is_long());
                    return Some(job);
                }
            }
        }
        None
    }

    pub fn finished(&mut self, kind: JobKind) {
        self.long -= usize::from(kind.is_long());
    }

    /// Waiting jobs for which others yield.
    pub fn urgent(&self) -> usize {
        JobKind::ALL.iter().filter(|k| !k.is_optional()).map(|&k| self.lines[k as usize].len()).sum()
    }
}
