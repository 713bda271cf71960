//! Connections opened before they are needed, so that no handshake falls into a turn.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::failure::Failure;
use super::retry;

/// A provider whose breaker is open is looked at again this often.
const RECHECK: Duration = Duration::from_secs(1);
/// Between tries once the quick ones failed.
const REST: Duration = Duration::from_secs(15);
/// An idle connection that the provider ends sooner than this counts as a failed try, or we would open in a loop.
const SHORT_LIFE: Duration = Duration::from_secs(5);

/// How connections of one kind are opened and kept.
pub trait Opener: Send + Sync + 'static {
    type Conn: Send + 'static;

    /// Opens one, within a deadline of its own.
    fn open(&self) -> impl Future<Output = Result<Self::Conn, Failure>> + Send;

    /// Keeps an idle one alive; returns when it is of no use any more. Must be cancel-safe.
    fn keep(&self, conn: &mut Self::Conn) -> impl Future<Output = ()> + Send;

    /// Whether opening one in advance is worth the while: false while the provider's breaker is open.
    fn may_open(&self) -> bool {
        true
    }
}

/// Up to so many idle connections of one kind, shared by all calls. What is taken, lost or too old is replaced in
/// the background; there are never more.
pub struct Pool<O: Opener> {
    inner: Arc<Inner<O>>,
    size: usize,
    started: AtomicBool,
    _stop: DropGuard,
}

struct Inner<O: Opener> {
    opener: O,
    greatest_age: Duration,
    idle: Mutex<VecDeque<Ask<O::Conn>>>,
    stop: CancellationToken,
}

/// Asks the task that keeps an idle connection to hand it over.
type Ask<C> = oneshot::Sender<oneshot::Sender<C>>;

impl<O: Opener> fmt::Debug for Pool<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool").field("size", &self.size).field("idle", &self.idle()).finish_non_exhaustive()
    }
}

impl<O: Opener> Pool<O> {
    /// A pool of `size` idle connections, each at most `greatest_age` old when it is taken. Opens nothing yet.
    #[must_use]
    pub fn new(opener: O, size: usize, greatest_age: Duration) -> Self {
        let stop = CancellationToken::new();
        let guard = stop.clone().drop_guard();
        let inner = Inner { opener, greatest_age, idle: Mutex::default(), stop };
        Self { inner: Arc::new(inner), size, started: AtomicBool::new(false), _stop: guard }
    }

    /// Begins to keep connections, once. Does nothing outside an async runtime.
    pub fn start(&self) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        if self.started.swap(true, Ordering::Relaxed) {
            return;
        }
        for slot in 0..self.size {
            let inner = Arc::clone(&self.inner);
            runtime.spawn(async move {
                let stop = inner.stop.clone();
                stop.run_until_cancelled(inner.keep_one(slot)).await;
            });
        }
    }

    /// Connections that wait at this moment.
    #[must_use]
    pub fn idle(&self) -> usize {
        self.inner.idle.lock().iter().filter(|ask| !ask.is_closed()).count()
    }

    /// An idle connection, if there is one. Never waits for a handshake.
    pub async fn take(&self) -> Option<O::Conn> {
        self.start();
        loop {
            let ask = self.inner.idle.lock().pop_front()?;
            let (to, conn) = oneshot::channel();
            // One that was lost meanwhile does not answer.
            if ask.send(to).is_ok()
                && let Ok(conn) = conn.await
            {
                return Some(conn);
            }
        }
    }

    /// An idle connection, or else a new one.
    ///
    /// # Errors
    /// What the opener reports.
    pub async fn get(&self) -> Result<O::Conn, Failure> {
        match self.take().await {
            Some(conn) => Ok(conn),
            None => self.inner.opener.open().await,
        }
    }
}

impl<O: Opener> Inner<O> {
    /// Keeps one connection ready, and another when that one is gone, for as long as the pool lives.
    async fn keep_one(&self, slot: usize) {
        let mut tries = 0;
        loop {
            if !self.opener.may_open() {
                sleep(RECHECK).await;
                continue;
            }
            if let Ok(conn) = self.opener.open().await
                && self.park(conn).await
            {
                tries = 0;
                continue;
            }
            let seed = rand::random::<u64>().wrapping_add(slot as u64);
            sleep(retry::wait(tries, seed).unwrap_or(REST)).await;
            tries += 1;
        }
    }

    /// Holds an idle connection until it is taken, lost or too old. False when it was lost early.
    async fn park(&self, mut conn: O::Conn) -> bool {
        let since = Instant::now();
        loop {
            let (ask, mut asked) = oneshot::channel();
            self.idle.lock().push_back(ask);
            let taker = tokio::select! {
                biased;
                taker = &mut asked => taker.ok(),
                () = self.opener.keep(&mut conn) => None,
                () = sleep(self.greatest_age.saturating_sub(since.elapsed())) => None,
            };
            drop(asked);
            self.idle.lock().retain(|ask| !ask.is_closed());
            match taker.map(|taker| taker.send(conn)) {
                None => return since.elapsed() >= SHORT_LIFE,
                Some(Ok(())) => return true,
                // Whoever asked has gone away: it waits for the next one.
                Some(Err(back)) => conn = back,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Kind;
    use std::sync::atomic::AtomicUsize;
    use tokio::time::timeout;

    const MINUTE: Duration = Duration::from_secs(60);

    /// Connections are numbers; each takes a second to open.
    #[derive(Default)]
    struct Counter {
        opened: AtomicUsize,
        alive: AtomicUsize,
        refuse: AtomicBool,
        closed_by: Mutex<Option<CancellationToken>>,
        may: AtomicBool,
    }

    struct Conn(usize, Arc<Counter>);

    impl Drop for Conn {
        fn drop(&mut self) {
            self.1.alive.fetch_sub(1, Ordering::Relaxed);
        }
    }

    impl Opener for Arc<Counter> {
        type Conn = Conn;

        async fn open(&self) -> Result<Conn, Failure> {
            sleep(Duration::from_secs(1)).await;
            let number = self.opened.fetch_add(1, Ordering::Relaxed) + 1;
            if self.refuse.load(Ordering::Relaxed) {
                return Err(Failure::new(Kind::Connect, "no"));
            }
            self.alive.fetch_add(1, Ordering::Relaxed);
            Ok(Conn(number, Arc::clone(self)))
        }

        async fn keep(&self, _: &mut Conn) {
            let closed = self.closed_by.lock().clone().unwrap_or_default();
            closed.cancelled().await;
        }

        fn may_open(&self) -> bool {
            !self.may.load(Ordering::Relaxed)
        }
    }

    fn pool(size: usize) -> (Pool<Arc<Counter>>, Arc<Counter>) {
        let counter = Arc::new(Counter::default());
        (Pool::new(Arc::clone(&counter), size, MINUTE), counter)
    }

    #[tokio::test(start_paused = true)]
    async fn a_taken_connection_costs_no_wait_and_is_replaced() {
        let (pool, counter) = pool(1);
        pool.start();
        sleep(Duration::from_secs(2)).await;
        for expected in 1..=3 {
            let before = Instant::now();
            let conn = pool.take().await.map(|c| c.0);
            assert_eq!((conn, before.elapsed()), (Some(expected), Duration::ZERO));
            assert!(pool.take().await.is_none(), "never more than its size");
            sleep(Duration::from_secs(2)).await;
        }
        assert_eq!(counter.opened.load(Ordering::Relaxed), 4);
    }

    #[tokio::test(start_paused = true)]
    async fn an_empty_pool_opens_one_for_who_cannot_wait() {
        let (pool, _) = pool(1);
        assert_eq!(pool.get().await.map(|c| c.0).ok(), Some(1));
    }

    #[tokio::test(start_paused = true)]
    async fn never_more_than_its_size_are_idle() {
        let (pool, counter) = pool(3);
        pool.start();
        sleep(MINUTE / 2).await;
        assert_eq!((pool.idle(), counter.alive.load(Ordering::Relaxed)), (3, 3));
    }

    #[tokio::test(start_paused = true)]
    async fn lost_and_old_ones_are_replaced() {
        let (pool, counter) = pool(1);
        let lost = CancellationToken::new();
        *counter.closed_by.lock() = Some(lost.clone());
        pool.start();
        sleep(Duration::from_secs(10)).await;
        *counter.closed_by.lock() = None;
        lost.cancel();
        sleep(Duration::from_secs(2)).await;
        assert_eq!((pool.idle(), counter.opened.load(Ordering::Relaxed)), (1, 2));
        sleep(MINUTE + Duration::from_secs(2)).await;
        assert_eq!(pool.take().await.map(|c| c.0), Some(3), "the second was too old");
    }

    #[tokio::test(start_paused = true)]
    async fn a_provider_that_refuses_is_tried_ever_more_seldom() {
        let (pool, counter) = pool(1);
        counter.refuse.store(true, Ordering::Relaxed);
        pool.start();
        sleep(MINUTE).await;
        let tries = counter.opened.load(Ordering::Relaxed);
        assert!((5..10).contains(&tries), "{tries} tries in a minute");
        counter.refuse.store(false, Ordering::Relaxed);
        sleep(Duration::from_secs(20)).await;
        assert_eq!(pool.idle(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_opened_while_the_breaker_is_open() {
        let (pool, counter) = pool(2);
        counter.may.store(true, Ordering::Relaxed);
        pool.start();
        sleep(MINUTE).await;
        assert_eq!(counter.opened.load(Ordering::Relaxed), 0);
        counter.may.store(false, Ordering::Relaxed);
        sleep(Duration::from_secs(3)).await;
        assert_eq!(pool.idle(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_dropped_pool_closes_its_connections_and_leaves_no_task() {
        let (pool, counter) = pool(2);
        pool.start();
        sleep(Duration::from_secs(3)).await;
        assert_eq!(tokio::runtime::Handle::current().metrics().num_alive_tasks(), 2);
        drop(pool);
        sleep(Duration::from_millis(10)).await;
        assert_eq!(counter.alive.load(Ordering::Relaxed), 0);
        assert_eq!(tokio::runtime::Handle::current().metrics().num_alive_tasks(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_taker_that_goes_away_loses_no_connection() {
        let (pool, counter) = pool(1);
        pool.start();
        sleep(Duration::from_secs(2)).await;
        assert!(timeout(Duration::ZERO, pool.take()).await.is_err(), "gone before the answer");
        sleep(Duration::from_secs(2)).await;
        assert_eq!((pool.idle(), counter.opened.load(Ordering::Relaxed)), (1, 1));
    }
}
