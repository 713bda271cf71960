//! One thread that seals, writes and syncs the segments of all live calls: one sync a file for all that wait.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread;

use storage::recordings::RecordingKey;
use storage::recordings::files::{LiveFile, RecordingFiles};
use storage::{CallId, StorageError, TenantId};
use tokio::sync::oneshot;

use super::disk::Disk;

/// What may wait: five seconds of a hundred calls, eight megabytes. Beyond it segments are lost, and counted.
const BOUND: usize = 512;
/// Segments that share a sync.
const BATCH: usize = 64;

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
            let work = move || Desk { files, disk, open: HashMap::new() }.work(&asked);
            if let Err(error) = thread::Builder::new().name("recordings".to_owned()).spawn(work) {
                tracing::error!(%error, "nothing can be recorded: no thread could be started");
            }
            jobs
        })
    }
}

fn note_lost(lost: &AtomicU64, frames: u64) {
    lost.fetch_add(frames, Ordering::Relaxed);
    metrics::counter!("quandura_recording_frames_lost_total").increment(frames);
}

/// What the thread works with.
struct Desk {
    files: RecordingFiles,
    disk: Arc<Disk>,
    open: HashMap<u64, LiveFile>,
}

impl Desk {
    fn work(mut self, asked: &Receiver<Job>) {
        while let Ok(first) = asked.recv() {
            let (mut touched, mut ended) = (BTreeSet::new(), Vec::new());
            for job in std::iter::once(first).chain(asked.try_iter().take(BATCH)) {
                match job {
                    Job::Begin { file, new, begun } => {
                        let _ = begun.send(self.begin(file, new));
                    }
                    Job::Append { file, segment, lost, frames } => {
                        if self.append(file, &segment) {
                            touched.insert(file);
                        } else {
                            note_lost(&lost, frames);
                        }
                    }
                    Job::End { file, ended: told } => ended.push((file, told)),
                }
            }
            for file in touched {
                self.sync(file);
            }
            for (file, told) in ended {
                self.open.remove(&file);
                let _ = told.send(());
            }
        }
    }

    fn begin(&mut self, file: u64, new: NewFile) -> Result<(), StorageError> {
        let NewFile { tenant, call, from_ms, key } = new;
        let live = self.files.begin(tenant, call, from_ms, key).inspect_err(|error| self.failed(error))?;
        self.open.insert(file, live);
        Ok(())
    }

    fn append(&mut self, file: u64, segment: &[u8]) -> bool {
        if !self.disk.has_room() {
            return false;
        }
        let Some(live) = self.open.get_mut(&file) else { return false };
        let written = live.append(segment);
        written.inspect_err(|error| self.failed(error)).is_ok()
    }

    fn sync(&self, file: u64) {
        if let Some(Err(error)) = self.open.get(&file).map(LiveFile::sync) {
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
