//! One thread that seals and writes the segments of all live calls, and syncs each file every few seconds.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use pipeline::recording::leg::note_lost;
use storage::recordings::RecordingKey;
use storage::recordings::files::{LiveFile, RecordingFiles};
use storage::{CallId, StorageError, TenantId};
use tokio::sync::oneshot;

use super::disk::Disk;

/// What may wait: five seconds of a hundred calls, eight megabytes. Beyond it segments are lost, and counted.
const BOUND: usize = 512;
/// What a power cut may cost of a call. A kill costs what was not written yet, a second: the system has the rest. A sync is
/// by far the most of what a recorded call costs, so that there is none for each segment.
const SYNC_EVERY: Duration = Duration::from_secs(5);
/// How long it sleeps where nothing waits.
const IDLE: Duration = Duration::from_secs(3_600);

/// A file to be begun.
#[derive(Debug)]
pub struct NewFile {
    pub tenant: TenantId,
    pub call: CallId,
    /// The call's time at its beginning.
    pub from_ms: u64,
    pub key: Arc<RecordingKey>,
}

#[derive(Debug)]
enum Job {
    Begin { file: u64, new: NewFile, begun: oneshot::Sender<Result<(), StorageError>> },
    Append { file: u64, segment: Vec<u8>, lost: Arc<AtomicU64>, frames: u64 },
    End { file: u64, ended: oneshot::Sender<()> },
}

/// The way to that thread.
#[derive(Debug)]
pub struct Writer {
    files: RecordingFiles,
    disk: Arc<Disk>,
    jobs: OnceLock<SyncSender<Job>>,
    last: AtomicU64,
}

impl Writer {
    #[must_use]
    pub fn new(files: RecordingFiles, disk: Arc<Disk>) -> Self {
        Self { files, disk, jobs: OnceLock::new(), last: AtomicU64::new(0) }
    }

    /// Begins a file; its number.
    ///
    /// # Errors
    /// When the disk does not take it, or the thread is behind by so much that it takes nothing new.
    pub async fn begin(&self, new: NewFile) -> Result<u64, StorageError> {
        let file = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let (begun, answer) = oneshot::channel();
        let busy = || StorageError::Unavailable {
            database: "recordings".to_owned(),
            reason: "too many segments wait for the disk".to_owned(),
        };
        self.jobs().try_send(Job::Begin { file, new, begun }).map_err(|_| busy())?;
        answer.await.map_err(|_| busy())?.map(|()| file)
    }

    /// Adds a segment to a file, or counts its frames as lost.
    pub fn append(&self, file: u64, segment: Vec<u8>, frames: u64, lost: &Arc<AtomicU64>) {
        let job = Job::Append { file, segment, lost: Arc::clone(lost), frames };
        if self.jobs().try_send(job).is_err() {
            note_lost(lost, frames);
        }
    }

    /// Waits until everything that was added is on the disk, and lets go of the file.
    pub async fn end(&self, file: u64) {
        let (ended, answer) = oneshot::channel();
        let mut job = Job::End { file, ended };
        loop {
            match self.jobs().try_send(job) {
                Ok(()) => break,
                Err(TrySendError::Full(again)) => job = again,
                Err(TrySendError::Disconnected(_)) => return,
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        let _ = answer.await;
    }

    fn jobs(&self) -> &SyncSender<Job> {
        self.jobs.get_or_init(|| {
            let (jobs, asked) = sync_channel(BOUND);
            let (files, disk) = (self.files.clone(), Arc::clone(&self.disk));
            let work = move || Desk { files, disk, open: HashMap::new(), due: VecDeque::new() }.work(&asked);
            if let Err(error) = thread::Builder::new().name("recordings".to_owned()).spawn(work) {
                tracing::error!(%error, "nothing can be recorded: no thread could be started");
            }
            jobs
        })
    }
}

/// What the thread works with.
struct Desk {
    files: RecordingFiles,
    disk: Arc<Disk>,
    open: HashMap<u64, Open>,
    /// Files that something was written to, and when each is to be synced.
    due: VecDeque<(Instant, u64)>,
}

struct Open {
    file: LiveFile,
    is_due: bool,
}

impl Desk {
    fn work(mut self, asked: &Receiver<Job>) {
        loop {
            let next = self.due.front().map(|(at, _)| at.saturating_duration_since(Instant::now()));
            match asked.recv_timeout(next.unwrap_or(IDLE)) {
                Ok(job) => self.does(job),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.sync_next();
        }
    }

    fn does(&mut self, job: Job) {
        match job {
            Job::Begin { file, new, begun } => {
                let _ = begun.send(self.begin(file, new));
            }
            Job::Append { file, segment, lost, frames } => {
                if !self.append(file, &segment) {
                    note_lost(&lost, frames);
                }
            }
            Job::End { file, ended } => {
                if let Some(open) = self.open.remove(&file).filter(|open| open.is_due) {
                    self.sync(&open.file);
                }
                let _ = ended.send(());
            }
        }
    }

    fn begin(&mut self, file: u64, new: NewFile) -> Result<(), StorageError> {
        let NewFile { tenant, call, from_ms, key } = new;
        let live = self.files.begin(tenant, call, from_ms, key).inspect_err(|error| self.failed(error))?;
        self.open.insert(file, Open { file: live, is_due: false });
        Ok(())
    }

    fn append(&mut self, file: u64, segment: &[u8]) -> bool {
        if !self.disk.has_room() {
            return false;
        }
        let Some(open) = self.open.get_mut(&file) else { return false };
        let written = open.file.append(segment);
        if !std::mem::replace(&mut open.is_due, true) {
            self.due.push_back((Instant::now() + SYNC_EVERY, file));
        }
        written.inspect_err(|error| self.failed(error)).is_ok()
    }

    /// One file at a time, so that segments which came meanwhile are written before the next.
    fn sync_next(&mut self) {
        if self.due.front().is_none_or(|(at, _)| *at > Instant::now()) {
            return;
        }
        let Some((_, file)) = self.due.pop_front() else { return };
        if let Some(open) = self.open.get_mut(&file) {
            open.is_due = false;
        }
        if let Some(open) = self.open.get(&file) {
            self.sync(&open.file);
        }
    }

    fn sync(&self, file: &LiveFile) {
        if let Err(error) = file.sync() {
            self.failed(&error);
        }
    }

    fn failed(&self, error: &StorageError) {
        if matches!(error, StorageError::DiskFull { .. }) {
            self.disk.refused();
        } else {
            tracing::error!(%error, "a segment of a recording could not be written");
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::Utc;
    use storage::records::{Direction, NewCall};
    use storage::{Calls, NewTenant, Platform, PlatformOptions, Recordings as _};

    use super::*;

    #[tokio::test]
    async fn what_a_full_disk_does_not_take_is_counted_and_what_it_took_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let platform = Platform::open(PlatformOptions::new(dir.path())).await.unwrap();
        let [slug, name, timezone] = ["a", "A", "UTC"].map(str::to_owned);
        let tenant = platform.create_tenant(NewTenant { slug, name, timezone }).await.unwrap().id;
        let store = platform.tenant(tenant).await.unwrap();
        let call = CallId::new();
        let new = NewCall {
            id: call,
            carrier_sid: None,
            line: "+12025550100".to_owned(),
            caller: None,
            direction: Direction::Inbound,
            language: "en".to_owned(),
            passport_id: None,
            started_at: Utc::now(),
        };
        store.begin_call(new).await.unwrap();
        let key = Arc::new(store.begin_recording(call).await.unwrap().unwrap());
        let (files, disk) = (RecordingFiles::new(dir.path()), Arc::new(Disk::of(dir.path())));
        let writer = Writer::new(files.clone(), Arc::clone(&disk));
        let lost = Arc::default();
        let file = writer.begin(NewFile { tenant, call, from_ms: 0, key: Arc::clone(&key) }).await.unwrap();
        writer.append(file, b"one".to_vec(), 100, &lost);
        writer.append(file, b"two".to_vec(), 100, &lost);
        let other = writer.begin(NewFile { tenant, call, from_ms: 9, key: Arc::clone(&key) }).await.unwrap();
        disk.refused();
        writer.append(file, b"three".to_vec(), 100, &lost);
        writer.end(file).await;
        writer.end(other).await;
        assert_eq!(lost.load(Ordering::Relaxed), 100);
        let mut kept = Vec::new();
        files.read_live(tenant, call, &key, |segment| kept.push(segment.to_vec())).unwrap();
        assert_eq!(kept, [b"one".to_vec(), b"two".to_vec()]);
        platform.close().await;
    }
}
