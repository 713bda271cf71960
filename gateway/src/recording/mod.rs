//! Recordings of calls, from the first frame after the caller was told to the key that is deleted.
//!
//! While live, a call puts both sides on one clock (`pipeline::recording::leg`) and hands a segment a second to a task of its
//! own ([`of_call`]), which begins, ends and deletes; one thread ([`writer`]) seals, writes and syncs for all calls. When the call is over, one loop ([`encode`]) makes each recording small and
//! takes its segments away. A call never waits for any of it.

pub mod delete;
pub mod disk;
pub mod encode;
pub mod of_call;
pub mod switch;
pub mod writer;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use storage::CallId;
use storage::recordings::files::RecordingFiles;
use tokio::sync::{Notify, Semaphore};

use disk::Disk;
use writer::Writer;

/// Recordings that are decoded for somebody at a time.
const EXPORTS: usize = 2;

/// What recording shares.
#[derive(Debug)]
pub struct Recordings {
    pub files: RecordingFiles,
    pub disk: Arc<Disk>,
    pub writer: Writer,
    /// Rings when there is one to encode.
    pub captured: Notify,
    /// Calls whose recording is being taken, and by how many of their streams.
    active: Mutex<HashMap<CallId, u32>>,
    /// Places for those who play or take one out.
    pub exports: Semaphore,
}

impl Recordings {
    #[must_use]
    pub fn new(data_dir: &Path) -> Self {
        let (files, disk) = (RecordingFiles::new(data_dir), Arc::new(Disk::of(data_dir)));
        let writer = Writer::new(files.clone(), Arc::clone(&disk));
        let (captured, exports) = (Notify::new(), Semaphore::new(EXPORTS));
        Self { files, disk, writer, captured, active: Mutex::default(), exports }
    }

    /// Whether something may still be added to a call's recording.
    #[must_use]
    pub fn is_active(&self, call: CallId) -> bool {
        self.active.lock().contains_key(&call)
    }

    fn enter(&self, call: CallId) {
        *self.active.lock().entry(call).or_default() += 1;
    }

    fn leave(&self, call: CallId) {
        let mut active = self.active.lock();
        if let Some(streams) = active.get_mut(&call) {
            *streams -= 1;
        }
        active.retain(|_, streams| *streams > 0);
    }
}
