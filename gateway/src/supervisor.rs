//! Keeps the loops beside the calls running. One that panics is logged, counted, seen in `/health`, and begun again after a
//! pause; what it was about is in the database, so it goes on where it stood.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use parking_lot::Mutex;
use pipeline::provider::Backoff;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

/// Pause before a loop is begun again; doubled each time that it fails soon after.
const PAUSE: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(60));
/// A loop that ran so long has recovered: its next failure is a first one, and `/health` no longer tells of the last.
const RECOVERED: Duration = Duration::from_secs(5 * 60);

/// Which loops failed, and when last.
#[derive(Debug, Default)]
pub struct Loops(Mutex<BTreeMap<&'static str, Instant>>);

impl Loops {
    /// Loops that failed lately.
    #[must_use]
    pub fn unwell(&self) -> Vec<&'static str> {
        let mut failed = self.0.lock();
        failed.retain(|_, at| at.elapsed() < RECOVERED);
        failed.keys().copied().collect()
    }

    /// Notes a failure: of a loop, or of one piece of its work.
    pub fn note(&self, name: &'static str, error: &dyn std::fmt::Display) {
        metrics::counter!("quandura_task_failures_total", "task" => name).increment(1);
        tracing::error!(task = name, %error, "a task beside the calls failed");
        self.0.lock().insert(name, Instant::now());
    }

    /// Runs what `begin` makes until it ends by itself or `closing`, beginning it again whenever it panics.
    pub async fn keep<F, T>(&self, name: &'static str, closing: CancellationToken, begin: F)
    where
        F: Fn() -> T,
        T: Future<Output = ()>,
    {
        let mut failures = 0;
        loop {
            let began = Instant::now();
            let Err(panic) = AssertUnwindSafe(async { begin().await }).catch_unwind().await else { return };
            self.note(name, &word(&*panic));
            if began.elapsed() >= RECOVERED {
                failures = 0;
            }
            failures += 1;
            tokio::select! {
                () = sleep(PAUSE.after(failures)) => {}
                () = closing.cancelled() => return,
            }
        }
    }
}

/// That it was a panic, never its words: those may quote what a caller said. The panic hook has logged where it was.
fn word(_panic: &(dyn std::any::Any + Send)) -> &'static str {
    "it panicked"
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_loop_that_panics_is_begun_again_later_each_time_and_told_until_it_has_recovered() {
        let (loops, closing, runs) = (Loops::default(), CancellationToken::new(), AtomicU32::new(0));
        let began = Instant::now();
        loops
            .keep("unlucky", closing, || async {
                if runs.fetch_add(1, Ordering::Relaxed) < 3 {
                    panic!("words of a caller");
                }
            })
            .await;
        assert_eq!(runs.load(Ordering::Relaxed), 4);
        assert_eq!(began.elapsed().as_secs(), 1 + 2 + 4);
        assert_eq!(loops.unwell(), ["unlucky"]);
        tokio::time::advance(RECOVERED).await;
        assert!(loops.unwell().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_begun_again_while_the_gateway_closes() {
        let (loops, closing, runs) = (Loops::default(), CancellationToken::new(), AtomicU32::new(0));
        closing.cancel();
        loops
            .keep("unlucky", closing, || async {
                runs.fetch_add(1, Ordering::Relaxed);
                panic!("always");
            })
            .await;
        assert!(runs.load(Ordering::Relaxed) <= 2);
    }
}
