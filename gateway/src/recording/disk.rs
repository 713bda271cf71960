//! Whether the disk has room for recordings. They stop while calls, which need far less, still find some.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// What recordings leave free: an hour's records of many calls.
const LEAST: u64 = 256 << 20;
/// How often it is looked at.
const EVERY: Duration = Duration::from_secs(5);

/// The disk of a folder.
#[derive(Debug)]
pub struct Disk {
    folder: PathBuf,
    least: u64,
    full: AtomicBool,
    looked_at: Mutex<Option<Instant>>,
}

impl Disk {
    #[must_use]
    pub fn of(folder: &Path) -> Self {
        Self::with(folder, LEAST)
    }

    fn with(folder: &Path, least: u64) -> Self {
        Self { folder: folder.to_owned(), least, full: AtomicBool::new(false), looked_at: Mutex::new(None) }
    }

    /// Whether there is room now, as it was seen within the last seconds.
    pub fn has_room(&self) -> bool {
        let mut looked_at = self.looked_at.lock();
        if looked_at.is_none_or(|at| at.elapsed() >= EVERY) {
            *looked_at = Some(Instant::now());
            // A disk that does not say how full it is is written to until it fails.
            let free =
                rustix::fs::statvfs(&self.folder).map_or(u64::MAX, |disk| disk.f_bavail * disk.f_frsize);
            self.note(free < self.least);
        }
        !self.is_full()
    }

    /// It took a write no more. Looked at again in some seconds.
    pub fn refused(&self) {
        *self.looked_at.lock() = Some(Instant::now());
        self.note(true);
    }

    /// As it was last seen.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.full.load(Ordering::Acquire)
    }

    fn note(&self, full: bool) {
        if self.full.swap(full, Ordering::AcqRel) == full {
            return;
        }
        metrics::gauge!("quandura_recording_disk_full").set(if full { 1.0 } else { 0.0 });
        if full {
            tracing::error!(
                "the disk has no room for recordings: calls go on, and are not recorded until some is freed"
            );
        } else {
            tracing::warn!("there is room for recordings again");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_full_before_it_is() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Disk::with(dir.path(), 0).has_room());
        let full = Disk::with(dir.path(), u64::MAX);
        assert!(!full.is_full() && !full.has_room() && full.is_full());
        let refused = Disk::with(dir.path(), 0);
        refused.refused();
        assert!(!refused.has_room(), "for some seconds");
    }
}
