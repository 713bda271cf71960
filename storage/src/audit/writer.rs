//! Group append: entries that wait together share one transaction. One task a tenant, away from the log of live calls.
//!
//! Nothing that was handed over is dropped. Where the queue is full, [`AuditWriter::record`] waits, and what
//! [`AuditWriter::note`] brings is counted by action; the counts go on the audit as soon as there is room.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use super::{AnchorFile, Head, NewAudit, Outcome, Party};
use crate::error::StorageError;
use crate::kept::{Work, keep};

/// Entries that may wait.
const QUEUE: usize = 1024;
/// Entries of one transaction at most.
const BATCH: usize = 128;
/// Longest wait of somebody who asked for durability.
const PATIENCE: Duration = Duration::from_secs(10);
/// Between two tries while the database does not answer.
const PAUSE: Duration = Duration::from_millis(500);
/// Tries to write what waits once the store closes.
const LAST_TRIES: u32 = 4;

type Answer = oneshot::Sender<Result<u64, StorageError>>;

enum Job {
    Entry {
        entry: Box<NewAudit>,
        answer: Option<Answer>,
    },
    /// Answered when everything before it is written.
    Flush(oneshot::Sender<()>),
}

/// Where entries are written: all of a batch or none, once each, however often they are given.
pub(crate) trait AuditSink: Send + Sync + 'static {
    fn append_audit(&self, batch: &[NewAudit]) -> impl Future<Output = Result<Head, StorageError>> + Send;
}

/// A cloneable handle to a tenant's audit. The task ends when the last handle is gone.
#[derive(Clone, Debug)]
pub struct AuditWriter {
    jobs: mpsc::Sender<Job>,
    /// What found no room: how often, by action.
    crowded: Arc<Mutex<BTreeMap<String, u64>>>,
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Job")
    }
}

impl AuditWriter {
    pub(crate) fn start(sink: impl AuditSink, anchor: AnchorFile) -> Self {
        let (jobs, waiting) = mpsc::channel(QUEUE);
        let crowded = Arc::default();
        keep("audit", Task { sink, anchor, crowded: Arc::clone(&crowded), warned: false, waiting });
        Self { jobs, crowded }
    }

    /// Puts an entry on the audit and waits until it is durable, [`PATIENCE`] at most. Gives its number.
    pub async fn record(&self, entry: NewAudit) -> Result<u64, StorageError> {
        let (answer, outcome) = oneshot::channel();
        let job = Job::Entry { entry: Box::new(entry), answer: Some(answer) };
        let written = async {
            self.jobs.send(job).await.map_err(|_| StorageError::Closing)?;
            outcome.await.unwrap_or(Err(StorageError::Closing))
        };
        match tokio::time::timeout(PATIENCE, written).await {
            Ok(outcome) => outcome,
            Err(_) => Err(StorageError::Busy { folder: "the audit".to_owned() }),
        }
    }

    /// The same for live calls: never waits. It is tried until it is written.
    pub fn note(&self, entry: NewAudit) {
        let job = Job::Entry { entry: Box::new(entry), answer: None };
        if let Err(mpsc::error::TrySendError::Full(Job::Entry { entry, .. })) = self.jobs.try_send(job) {
            let mut crowded = self.crowded.lock().unwrap_or_else(PoisonError::into_inner);
            *crowded.entry(entry.action).or_default() += 1;
        }
    }

    /// Waits until everything that was handed over before is written, [`PATIENCE`] at most. `false`: it is not.
    pub async fn flush(&self) -> bool {
        let (done, flushed) = oneshot::channel();
        let wait = async { self.jobs.send(Job::Flush(done)).await.is_ok() && flushed.await.is_ok() };
        tokio::time::timeout(PATIENCE, wait).await.unwrap_or(false)
    }
}

struct Task<S> {
    sink: S,
    anchor: AnchorFile,
    crowded: Arc<Mutex<BTreeMap<String, u64>>>,
    /// That the file beside the database cannot be written was told.
    warned: bool,
    waiting: mpsc::Receiver<Job>,
}

impl<S: AuditSink> Work for Task<S> {
    async fn run(&mut self) {
        let mut jobs = Vec::with_capacity(BATCH);
        while self.waiting.recv_many(&mut jobs, BATCH).await > 0 {
            let mut flushes = Vec::new();
            let (mut entries, mut answers) = (Vec::new(), Vec::new());
            for job in jobs.drain(..) {
                match job {
                    Job::Entry { entry, answer } => {
                        entries.push(entry.fitted());
                        answers.push(answer);
                    }
                    Job::Flush(done) => flushes.push(done),
                }
            }
            let crowded = self.take_crowded();
            answers.extend(crowded.iter().map(|_| None));
            entries.extend(crowded);
            if !entries.is_empty() {
                self.write(entries, answers).await;
            }
            for done in flushes {
                let _ = done.send(());
            }
        }
    }
}

impl<S: AuditSink> Task<S> {
    /// One entry an action that found no room.
    fn take_crowded(&self) -> Vec<NewAudit> {
        let crowded = std::mem::take(&mut *self.crowded.lock().unwrap_or_else(PoisonError::into_inner));
        let entry = |(action, count): (String, u64)| {
            NewAudit::new("audit.crowded", Party::new("system", "gateway"), Party::new("action", action))
                .with("count", count)
                .outcome(Outcome::Found)
        };
        crowded.into_iter().map(entry).collect()
    }

    /// Writes until everything is written. Who waits for an answer is told of the first failure and asks again; what
    /// nobody waits for is tried until it succeeds.
    async fn write(&mut self, entries: Vec<NewAudit>, answers: Vec<Option<Answer>>) {
        let (mut entries, mut answers) = (entries, answers);
        let mut tries = 0;
        loop {
            let failed = match self.append(&entries).await {
                Ok(head) => {
                    let first = head.seq + 1 - entries.len() as u64;
                    for (seq, answer) in (first..).zip(answers) {
                        let _ = answer.map(|answer| answer.send(Ok(seq)));
                    }
                    return;
                }
                Err(error) => error,
            };
            if !failed.is_transient() && entries.len() > 1 {
                for (entry, answer) in entries.into_iter().zip(answers) {
                    self.write_alone(entry, answer).await;
                }
                return;
            }
            tries += 1;
            let asked = answers.iter_mut().filter_map(Option::take);
            asked.for_each(|answer| drop(answer.send(Err(failed.clone()))));
            if !failed.is_transient() || (self.waiting.is_closed() && tries >= LAST_TRIES) {
                tracing::error!(error = %failed, entries = entries.len(), "entries could not be put on the audit");
                return;
            }
            tracing::warn!(error = %failed, entries = entries.len(), "the audit waits for the database");
            tokio::time::sleep(PAUSE).await;
            answers = entries.iter().map(|_| None).collect();
            entries = std::mem::take(&mut entries);
        }
    }

    /// An entry of a batch that failed by what is in it.
    async fn write_alone(&mut self, entry: NewAudit, answer: Option<Answer>) {
        let outcome = self.append(std::slice::from_ref(&entry)).await;
        if let Err(error) = &outcome {
            tracing::error!(%error, action = entry.action, "an entry could not be put on the audit");
        }
        if let Some(answer) = answer {
            let _ = answer.send(outcome.map(|head| head.seq));
        }
    }

    async fn append(&mut self, entries: &[NewAudit]) -> Result<Head, StorageError> {
        let Ok(appended) = tokio::time::timeout(PATIENCE, self.sink.append_audit(entries)).await else {
            return Err(StorageError::Busy { folder: "the audit".to_owned() });
        };
        let head = appended?;
        let (anchor, noted) = (self.anchor.clone(), head.clone());
        let written = tokio::task::spawn_blocking(move || anchor.write(&noted)).await;
        if !matches!(written, Ok(Ok(()))) && !self.warned {
            self.warned = true;
            tracing::warn!(
                "the end of the audit cannot be noted in DATA_DIR/audit: a cut-off tail is found by less"
            );
        }
        Ok(head)
    }
}

#[cfg(test)]
#[path = "writer_tests.rs"]
mod tests;
