//! What the encoder's threads of another process do, as the process table has it: whether there is one, how long it has had a
//! core, and at which priority.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use tokio::time::{Instant, sleep};

/// Name of such a thread (`pipeline::recording::at_low_priority`).
const NAME: &str = "encode";
/// How often it is looked at. What a thread did after the last look is not counted.
const EVERY: Duration = Duration::from_millis(20);
/// Between two recordings there is no thread for a moment: one that is gone for so long is done.
const GONE: Duration = Duration::from_millis(500);

/// What was seen of it.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Threads, each a recording.
    pub threads: usize,
    /// CPU time of all.
    pub cpu: Duration,
    /// From the first look that showed one to the last.
    pub wall: Duration,
    pub nice: Option<i64>,
}

/// Watches for so long.
pub async fn watch(pid: u32, span: Duration) -> Seen {
    let mut watch = Watch::default();
    let end = Instant::now() + span;
    while Instant::now() < end {
        watch.look(pid);
        sleep(EVERY).await;
    }
    watch.seen()
}

/// Watches until it has been at work and is done, or never begins within that time. The rest that shows that it is done is
/// not in `wall`.
pub async fn watch_through(pid: u32, begins_within: Duration) -> Seen {
    let (mut watch, began) = (Watch::default(), Instant::now());
    loop {
        watch.look(pid);
        let over = watch.last.map_or(began.elapsed() > begins_within, |last| last.elapsed() > GONE);
        if over {
            return watch.seen();
        }
        sleep(EVERY).await;
    }
}

/// Waits until there is one. `false`: there is none within that time.
pub async fn begins(pid: u32, within: Duration) -> bool {
    let began = Instant::now();
    while began.elapsed() < within {
        let mut watch = Watch::default();
        watch.look(pid);
        if watch.last.is_some() {
            return true;
        }
        sleep(EVERY).await;
    }
    false
}

#[derive(Debug, Default)]
struct Watch {
    first: Option<Instant>,
    last: Option<Instant>,
    /// Of each thread, nanoseconds when it was seen last.
    cpu: HashMap<String, u64>,
    nice: Option<i64>,
}

impl Watch {
    fn look(&mut self, pid: u32) {
        let now = Instant::now();
        let threads = fs::read_dir(format!("/proc/{pid}/task"));
        for thread in threads.into_iter().flatten().flatten() {
            let path = thread.path();
            if fs::read_to_string(path.join("comm")).is_ok_and(|name| name.trim() == NAME)
                && let Some(ns) = cpu_ns(&path)
            {
                self.first.get_or_insert(now);
                self.last = Some(now);
                self.nice = nice(&path).or(self.nice);
                let id = thread.file_name().to_string_lossy().into_owned();
                self.cpu.insert(id, ns);
            }
        }
    }

    fn seen(&self) -> Seen {
        let wall = self.first.zip(self.last).map(|(first, last)| last - first);
        Seen {
            threads: self.cpu.len(),
            cpu: Duration::from_nanos(self.cpu.values().sum()),
            wall: wall.unwrap_or_default(),
            nice: self.nice,
        }
    }
}

/// Nanoseconds that a thread has had a core.
fn cpu_ns(thread: &Path) -> Option<u64> {
    fs::read_to_string(thread.join("schedstat")).ok()?.split_whitespace().next()?.parse().ok()
}

/// The 19th field; the name in parentheses, the second, may hold anything.
fn nice(thread: &Path) -> Option<i64> {
    let stat = fs::read_to_string(thread.join("stat")).ok()?;
    stat.rsplit(')').next()?.split_whitespace().nth(16)?.parse().ok()
}
