//! The bounded inference pool: a few worker threads, each with its own models, and one queue by urgency.
//!
//! Jobs are closures over a worker's models. A job carries a [`Ticket`]; when the call moves on, the ticket goes
//! stale and the job is skipped, or stops at its next check. Work that can be shed (interim decodes, background
//! rendering) also stops when urgent work waits with no worker free.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use thread_priority::{ThreadPriority, ThreadPriorityValue, set_current_thread_priority};

use super::load::LoadMeter;
use super::queue::{Job, Queue, Refused};
use pipeline::ports::PortError;

/// What a job is for, most urgent first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum JobKind {
    /// The caller paused: the text of what was said.
    Final,
    /// The caller paused: is the turn over?
    TurnEnd,
    /// Better text of what was said. Left out when the machine is full.
    SecondEar,
    /// The first clause of a reply: the caller hears silence until it is there.
    FirstClause,
    /// Later text of a reply.
    Synthesis,
    /// Text while the caller still speaks. Shed first.
    Interim,
    /// Phrases rendered ahead of need. Runs when nothing else wants to.
    Background,
}

impl JobKind {
    /// All kinds, most urgent first.
    pub const ALL: [Self; 7] = [
        Self::Final,
        Self::TurnEnd,
        Self::SecondEar,
        Self::FirstClause,
        Self::Synthesis,
        Self::Interim,
        Self::Background,
    ];

    /// Label in metrics.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Final => "final",
            Self::TurnEnd => "turn_end",
            Self::SecondEar => "second_ear",
            Self::FirstClause => "first_clause",
            Self::Synthesis => "synthesis",
            Self::Interim => "interim",
            Self::Background => "background",
        }
    }

    /// Jobs of this kind that may wait. Each call has at most one job of each kind waiting, except synthesis.
    pub(super) const fn bound(self) -> usize {
        match self {
            Self::Final | Self::TurnEnd | Self::FirstClause => 256,
            Self::Synthesis => 512,
            Self::Interim | Self::SecondEar => 16,
            Self::Background => 4096,
        }
    }

    /// Wait after which the result would be worthless.
    pub(super) const fn max_wait(self) -> Option<Duration> {
        match self {
            Self::Interim => Some(Duration::from_millis(600)),
            Self::SecondEar => Some(Duration::from_millis(300)),
            _ => None,
        }
    }

    /// May be stopped half-way for something urgent, since it is done again or has time.
    #[must_use]
    pub const fn yields(self) -> bool {
        matches!(self, Self::Interim | Self::Background)
    }

    /// Can be left out, so it does not count as load.
    pub(super) const fn is_optional(self) -> bool {
        matches!(self, Self::Interim | Self::SecondEar | Self::Background)
    }

    /// One worker is kept free of these, where there are two: they take long.
    pub(super) const fn is_long(self) -> bool {
        matches!(self, Self::SecondEar | Self::Background)
    }
}

/// A counter whose advance makes every ticket drawn before stale. One per call and concern; cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Epoch(Arc<AtomicU64>);

impl Epoch {
    /// A ticket that is good until the next [`Self::advance`].
    #[must_use]
    pub fn ticket(&self) -> Ticket {
        Ticket { epoch: Arc::clone(&self.0), drawn: self.0.load(Ordering::Acquire) }
    }

    /// Makes all tickets stale.
    pub fn advance(&self) {
        self.0.fetch_add(1, Ordering::AcqRel);
    }
}

/// Says whether a job's result is still wanted.
#[derive(Clone, Debug)]
pub struct Ticket {
    epoch: Arc<AtomicU64>,
    drawn: u64,
}

impl Ticket {
    #[must_use]
    pub fn is_stale(&self) -> bool {
        self.epoch.load(Ordering::Acquire) != self.drawn
    }
}

/// What a running job may ask about its surroundings.
#[derive(Debug)]
pub struct Running<'a> {
    ticket: &'a Ticket,
    kind: JobKind,
    urgent: &'a AtomicUsize,
    idle: &'a AtomicUsize,
    workers: usize,
}

impl Running<'_> {
    /// Nobody wants the result any more.
    #[must_use]
    pub fn ticket_is_stale(&self) -> bool {
        self.ticket.is_stale()
    }

    /// The job should end now: nobody wants its result, or urgent work waits for this worker. A second ear lets one
    /// job wait where another worker will take it: its own call's judgement of the turn's end.
    #[must_use]
    pub fn should_stop(&self) -> bool {
        let waiting =
            || self.urgent.load(Ordering::Relaxed).saturating_sub(self.idle.load(Ordering::Relaxed));
        let patience = usize::from(self.workers > 1);
        self.ticket.is_stale()
            || (self.kind.yields() && waiting() > 0)
            || (self.kind == JobKind::SecondEar && waiting() > patience)
    }
}

pub(super) struct Shared<M> {
    pub(super) queue: Mutex<Queue<M>>,
    wake: Condvar,
    closing: AtomicBool,
    /// Waiting jobs that are not shed.
    urgent: AtomicUsize,
    idle: AtomicUsize,
    load: LoadMeter,
    workers: usize,
}

/// Handle of the pool; the workers end when the last handle is gone.
pub struct Pool<M> {
    shared: Arc<Shared<M>>,
    /// Only handles hold this, not the workers.
    alive: Arc<Alive<M>>,
}

struct Alive<M>(Arc<Shared<M>>);

impl<M> Drop for Alive<M> {
    fn drop(&mut self) {
        self.0.closing.store(true, Ordering::Release);
        let _queue = self.0.queue.lock();
        self.0.wake.notify_all();
    }
}

impl<M> Clone for Pool<M> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), alive: Arc::clone(&self.alive) }
    }
}

impl<M> fmt::Debug for Pool<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pool({} workers)", self.shared.workers)
    }
}

impl<M: Send + 'static> Pool<M> {
    /// Starts one worker for each set of models. Workers run at lowered priority, so that frames leave on time.
    ///
    /// # Errors
    /// [`PortError::Unavailable`] when the system gives no thread.
    pub fn start(models: Vec<M>) -> Result<Self, PortError> {
        let workers = models.len();
        let shared = Arc::new(Shared {
            queue: Mutex::new(Queue::new(workers)),
            wake: Condvar::new(),
            closing: AtomicBool::new(false),
            urgent: AtomicUsize::new(0),
            idle: AtomicUsize::new(0),
            load: LoadMeter::new(workers, Instant::now()),
            workers,
        });
        let pool = Self { alive: Arc::new(Alive(Arc::clone(&shared))), shared: Arc::clone(&shared) };
        for (i, model) in models.into_iter().enumerate() {
            let shared = Arc::clone(&shared);
            std::thread::Builder::new()
                .name(format!("speech-{i}"))
                .spawn(move || work(&shared, model))
                .map_err(|e| PortError::Unavailable {
                    what: format!("no thread for speech models ({e})"),
                    fix: "raise the process's thread limit (ulimit -u)".to_owned(),
                })?;
        }
        Ok(pool)
    }

    /// Queues a job. `call` groups interims: one that still waits is replaced by a newer one of the same call.
    ///
    /// # Errors
    /// [`PortError::Full`] when the kind's bound is reached; the job is dropped and counted.
    pub fn submit(
        &self,
        kind: JobKind,
        call: u64,
        ticket: Ticket,
        run: impl FnOnce(&mut M, &Running<'_>) + Send + 'static,
    ) -> Result<(), PortError> {
        let job = Job { kind, call, ticket, queued: Instant::now(), run: Box::new(run) };
        let pushed = {
            let mut queue = self.shared.queue.lock();
            let pushed = queue.push(job);
            self.shared.urgent.store(queue.urgent(), Ordering::Relaxed);
            pushed
        };
        match pushed {
            Ok(()) => {
                self.shared.wake.notify_one();
                Ok(())
            }
            Err(Refused) => {
                shed(kind, "full");
                Err(PortError::Full("the speech pool"))
            }
        }
    }
}

impl<M> Pool<M> {
    /// How busy the pool is, 0–1: the larger of the share of time spent on work that cannot be shed and the
    /// lateness of finals and first clauses. Admission should stop new calls near 0.8.
    #[must_use]
    pub fn load(&self) -> f32 {
        self.shared.load.load(Instant::now())
    }

    /// Worker threads.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.shared.workers
    }
}

/// Counts a job that was not done.
pub(crate) fn shed(kind: JobKind, reason: &'static str) {
    metrics::counter!("speech_jobs_shed_total", "kind" => kind.label(), "reason" => reason).increment(1);
}

/// One worker: takes the most urgent job until the pool closes.
fn work<M>(shared: &Shared<M>, mut models: M) {
    // Best effort: a container may forbid it, and the pool works without.
    if let Ok(value) = ThreadPriorityValue::try_from(35u8) {
        let _ = set_current_thread_priority(ThreadPriority::Crossplatform(value));
    }
    while let Some(job) = next(shared) {
        run(shared, &mut models, job);
    }
}

fn next<M>(shared: &Shared<M>) -> Option<Job<M>> {
    let mut queue = shared.queue.lock();
    loop {
        if shared.closing.load(Ordering::Acquire) {
            return None;
        }
        let job = queue.pop(Instant::now());
        shared.urgent.store(queue.urgent(), Ordering::Relaxed);
        if job.is_some() {
            return job;
        }
        shared.idle.fetch_add(1, Ordering::Relaxed);
        shared.wake.wait(&mut queue);
        shared.idle.fetch_sub(1, Ordering::Relaxed);
    }
}

fn run<M>(shared: &Shared<M>, models: &mut M, job: Job<M>) {
    let Job { kind, ticket, queued, run, .. } = job;
    let started = Instant::now();
    let wait = started - queued;
    metrics::histogram!("speech_job_wait_seconds", "kind" => kind.label()).record(wait.as_secs_f64());
    let running = Running {
        ticket: &ticket,
        kind,
        urgent: &shared.urgent,
        idle: &shared.idle,
        workers: shared.workers,
    };
    // A panic in a model must not take the worker, and with it every call, down.
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(models, &running)));
    let ended = Instant::now();
    metrics::histogram!("speech_job_run_seconds", "kind" => kind.label())
        .record((ended - started).as_secs_f64());
    if outcome.is_err() {
        tracing::error!(kind = kind.label(), "a speech job panicked; its call goes on without the result");
        metrics::counter!("speech_jobs_panicked_total", "kind" => kind.label()).increment(1);
    }
    shared.queue.lock().finished(kind);
    if kind.is_long() {
        shared.wake.notify_one();
    }
    shared.load.record(kind, wait, started, ended);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::mpsc;

    use super::*;

    /// A pool of one worker that is held busy until the sender is dropped.
    fn held() -> (Pool<()>, mpsc::Sender<()>) {
        let pool = Pool::start(vec![()]).unwrap();
        let (gate, held) = mpsc::channel::<()>();
        let (entered, began) = mpsc::channel();
        pool.submit(JobKind::Final, 0, Epoch::default().ticket(), move |(), _| {
            entered.send(()).unwrap();
            let _ = held.recv();
        })
        .unwrap();
        began.recv().unwrap();
        (pool, gate)
    }

    fn note(pool: &Pool<()>, kind: JobKind, call: u64, to: &mpsc::Sender<u64>) {
        let to = to.clone();
        pool.submit(kind, call, Epoch::default().ticket(), move |(), _| to.send(call).unwrap()).unwrap();
    }

    #[test]
    fn the_most_urgent_job_runs_first_and_equals_in_order() {
        let (pool, gate) = held();
        let (to, order) = mpsc::channel();
        for (i, kind) in JobKind::ALL.into_iter().rev().enumerate() {
            note(&pool, kind, i as u64, &to);
        }
        note(&pool, JobKind::Final, 9, &to);
        drop((gate, to));
        assert_eq!(order.iter().collect::<Vec<_>>(), [6, 9, 5, 4, 3, 2, 1, 0]);
    }

    #[test]
    fn a_newer_interim_replaces_the_one_that_waits() {
        let (pool, gate) = held();
        let (to, order) = mpsc::channel();
        for round in 0..3u64 {
            let to = to.clone();
            pool.submit(JobKind::Interim, 7, Epoch::default().ticket(), move |(), _| to.send(round).unwrap())
                .unwrap();
        }
        drop((gate, to));
        assert_eq!(order.iter().collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn stale_jobs_are_skipped() {
        let (pool, gate) = held();
        let (to, order) = mpsc::channel();
        let epoch = Epoch::default();
        let stale = to.clone();
        pool.submit(JobKind::Final, 1, epoch.ticket(), move |(), _| stale.send(1).unwrap()).unwrap();
        epoch.advance();
        note(&pool, JobKind::Final, 2, &to);
        drop((gate, to));
        assert_eq!(order.iter().collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn an_interim_stops_for_urgent_work_and_a_final_does_not() {
        for (kind, stops) in [(JobKind::Interim, true), (JobKind::Final, false)] {
            let pool = Pool::start(vec![()]).unwrap();
            let (to, result) = mpsc::channel();
            let (entered, began) = mpsc::channel();
            let (gate, held) = mpsc::channel::<()>();
            pool.submit(kind, 1, Epoch::default().ticket(), move |(), running| {
                entered.send(()).unwrap();
                let _ = held.recv();
                to.send(running.should_stop()).unwrap();
            })
            .unwrap();
            began.recv().unwrap();
            pool.submit(JobKind::TurnEnd, 2, Epoch::default().ticket(), |(), _| {}).unwrap();
            drop(gate);
            assert_eq!(result.recv().unwrap(), stops);
        }
    }

    #[test]
    fn a_full_queue_refuses() {
        let (pool, _gate) = held();
        let submit = |call| pool.submit(JobKind::Interim, call, Epoch::default().ticket(), |(), _| {});
        for call in 0..JobKind::Interim.bound() as u64 {
            submit(call).unwrap();
        }
        assert!(matches!(submit(1000), Err(PortError::Full(_))));
    }

    #[test]
    fn a_panic_costs_one_job_only() {
        let pool = Pool::start(vec![()]).unwrap();
        let (to, order) = mpsc::channel();
        pool.submit(JobKind::Final, 1, Epoch::default().ticket(), |(), _| panic!("model")).unwrap();
        note(&pool, JobKind::Final, 2, &to);
        drop(to);
        assert_eq!(order.iter().collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn workers_end_with_the_last_handle() {
        let pool = Pool::start(vec![(), ()]).unwrap();
        let shared = Arc::downgrade(&pool.shared);
        drop(pool.clone());
        assert!(shared.upgrade().is_some());
        drop(pool);
        let deadline = Instant::now() + Duration::from_secs(5);
        while shared.upgrade().is_some() {
            assert!(Instant::now() < deadline, "workers still run");
            std::thread::yield_now();
        }
    }
}
