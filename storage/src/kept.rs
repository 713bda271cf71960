//! Tasks of a store that a panic does not end. Whoever writes for all calls of a tenant must not be gone because one piece of
//! work went wrong: what it had in hand fails, what comes after is done.

use std::sync::Arc;

use tokio::sync::Mutex;

/// Work of a task.
pub(crate) trait Work: Send + 'static {
    /// Until there is no more. After a panic it is called again.
    fn run(&mut self) -> impl Future<Output = ()> + Send;
}

/// Runs it, however often it panics. Call it from the runtime.
pub(crate) fn keep(name: &'static str, work: impl Work) {
    let work = Arc::new(Mutex::new(work));
    tokio::spawn(async move {
        loop {
            let work = Arc::clone(&work);
            let running = tokio::spawn(async move { work.lock().await.run().await });
            match running.await {
                Ok(()) => return,
                // The panic hook has logged where it was. Its words may quote a caller.
                Err(error) if error.is_panic() => {
                    tracing::error!(task = name, "a task of the store panicked")
                }
                // The runtime ends.
                Err(_) => return,
            }
        }
    });
}
