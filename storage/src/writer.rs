//! Group commit: the appends of many calls that wait together share one transaction and one sync to disk.
//!
//! This is the durability gate of live turns: a reply is spoken only after its rows were acknowledged here.

use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};

use crate::error::StorageError;
use crate::ids::CallId;
use crate::kept::{Work, keep};
use crate::records::LogRow;

/// Appends that may wait. Full: the call waits; nothing is dropped.
const QUEUE: usize = 1024;
/// Appends that share one commit at most, so that one transaction stays in the low milliseconds.
const BATCH: usize = 256;

/// Rows to be appended to one call's log.
#[derive(Clone, Debug)]
pub(crate) struct Append {
    pub call: CallId,
    pub rows: Vec<LogRow>,
}

/// What an append's durability took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Durable {
    /// The highest number of the rows that were appended; 0 when there were none. Rows submitted earlier have
    /// answers of their own: one of those may have failed.
    pub seq: u64,
    /// From submission to the start of its commit.
    pub waited: Duration,
    /// The transaction, with its sync to disk.
    pub committed: Duration,
}

type Answer = oneshot::Sender<Result<Durable, StorageError>>;

struct Job {
    append: Append,
    submitted: Instant,
    answer: Answer,
}

/// Where appends are written, all of a batch or none.
pub(crate) trait LogSink: Send + Sync + 'static {
    fn write_batch(&self, batch: &[Append]) -> impl Future<Output = Result<(), StorageError>> + Send;
}

/// A cloneable handle to a tenant's group-commit task. The task ends when the last handle is gone.
#[derive(Clone, Debug)]
pub struct CallWriter {
    jobs: mpsc::Sender<Job>,
}

impl CallWriter {
    pub(crate) fn start(sink: impl LogSink) -> Self {
        let (jobs, waiting) = mpsc::channel(QUEUE);
        keep("call_log", Writer { sink, waiting });
        Self { jobs }
    }

    /// Appends and waits until it is durable. Rows of one call are written in the order of submission.
    ///
    /// On an error none of `rows` was written; only after [`StorageError::Unavailable`] it is open whether they were,
    /// and submitting the same numbers again is safe. Dropping the future does not take a submitted append back.
    pub async fn append(&self, call: CallId, rows: Vec<LogRow>) -> Result<Durable, StorageError> {
        self.submit(call, rows).await?.await.unwrap_or(Err(StorageError::Closing))
    }

    /// Hands an append over (waits only while the queue is full) and gives the place where its outcome will arrive.
    /// A receiver that is cut off means that the store is closing.
    pub async fn submit(
        &self,
        call: CallId,
        rows: Vec<LogRow>,
    ) -> Result<oneshot::Receiver<Result<Durable, StorageError>>, StorageError> {
        let (answer, outcome) = oneshot::channel();
        let job = Job { append: Append { call, rows }, submitted: Instant::now(), answer };
        self.jobs.send(job).await.map_err(|_| StorageError::Closing)?;
        Ok(outcome)
    }
}

struct Writer<S> {
    sink: S,
    waiting: mpsc::Receiver<Job>,
}

impl<S: LogSink> Work for Writer<S> {
    async fn run(&mut self) {
        let mut jobs = Vec::with_capacity(BATCH);
        while self.waiting.recv_many(&mut jobs, BATCH).await > 0 {
            commit(&self.sink, &mut jobs).await;
        }
    }
}

/// One commit for all; when it fails by what is in it, each on its own, so that one call's fault does not silence the
/// others.
async fn commit(sink: &impl LogSink, jobs: &mut Vec<Job>) {
    let began = Instant::now();
    let (batch, asked): (Vec<Append>, Vec<(Instant, Answer)>) =
        jobs.drain(..).map(|job| (job.append, (job.submitted, job.answer))).unzip();
    let outcome = write(sink, &batch).await;
    if batch.len() == 1 || !outcome.as_ref().is_err_and(is_of_the_rows) {
        for (append, (submitted, answer)) in batch.iter().zip(asked) {
            let _ = answer.send(outcome.clone().map(|()| durable(append, submitted, began)));
        }
        return;
    }
    tracing::warn!(calls = batch.len(), "a shared commit failed; writing each call's rows on their own");
    for (append, (submitted, answer)) in batch.iter().zip(asked) {
        let began = Instant::now();
        let outcome = write(sink, std::slice::from_ref(append)).await;
        let _ = answer.send(outcome.map(|()| durable(append, submitted, began)));
    }
}

/// Once more after a lost connection: rows have numbers, so writing them twice is writing them once.
async fn write(sink: &impl LogSink, batch: &[Append]) -> Result<(), StorageError> {
    match sink.write_batch(batch).await {
        Err(StorageError::Unavailable { .. }) => sink.write_batch(batch).await,
        outcome => outcome,
    }
}

/// Writing less at a time may help. Where the database itself is out of reach it would only multiply the wait.
const fn is_of_the_rows(error: &StorageError) -> bool {
    !matches!(error, StorageError::Unavailable { .. } | StorageError::Closing)
}

fn durable(append: &Append, submitted: Instant, began: Instant) -> Durable {
    Durable {
        seq: append.rows.iter().map(|row| row.seq).max().unwrap_or(0),
        waited: began.saturating_duration_since(submitted),
        committed: began.elapsed(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::records::CallEntry;

    /// Panics at the second batch.
    #[derive(Default)]
    struct Unlucky(AtomicU32);

    impl LogSink for Unlucky {
        async fn write_batch(&self, _: &[Append]) -> Result<(), StorageError> {
            assert_ne!(self.0.fetch_add(1, Ordering::Relaxed), 1, "as planned");
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_panic_costs_one_commit_and_not_those_that_come_after() {
        let writer = CallWriter::start(Unlucky::default());
        let call = CallId::new();
        let row = |seq| vec![LogRow { seq, at_ms: 0, entry: CallEntry::Interrupted { turn: 0, at_ms: 0 } }];
        writer.append(call, row(1)).await.unwrap();
        let told = writer.append(call, row(2)).await.unwrap_err();
        assert!(matches!(told, StorageError::Closing), "{told}");
        for seq in 3..6 {
            assert_eq!(writer.append(call, row(seq)).await.unwrap().seq, seq);
        }
    }
}
