//! The files of recordings.
//!
//! ```text
//! <data>/recordings/<tenant>/<call>/<milliseconds>.live    segments of a live call, from that time of it on
//! <data>/recordings/<tenant>/<call>/call.opus, call.peaks  what is kept of it when it is over
//! file = (length (4 bytes, big-endian) | sealed piece)*
//! ```
//!
//! A live file only grows; what a kill cut off at its end is left out when it is read. A kept file ends with an empty piece,
//! so one that was cut short is known as such. All calls here block.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use zeroize::Zeroizing;

use super::RecordingKey;
use crate::error::StorageError;
use crate::ids::{CallId, TenantId};

/// Extension of live files.
const LIVE: &str = "live";
/// Plain bytes of a piece of a kept file.
const PIECE: usize = 64 * 1024;
/// No sealed piece is longer; a length beyond it is no length.
const LONGEST: usize = 1024 * 1024;

/// What is kept of a call that is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordingFile {
    /// The sound: Ogg Opus.
    Sound,
    /// How loud it is when, to be drawn.
    Peaks,
}

impl RecordingFile {
    const fn name(self) -> &'static str {
        match self {
            Self::Sound => "call.opus",
            Self::Peaks => "call.peaks",
        }
    }
}

/// The folder of recordings.
#[derive(Clone, Debug)]
pub struct RecordingFiles {
    folder: PathBuf,
}

/// The file that a live call's segments are added to.
#[derive(Debug)]
pub struct LiveFile {
    file: File,
    path: PathBuf,
    name: String,
    key: Arc<RecordingKey>,
    pieces: u32,
    bytes: u64,
}

impl RecordingFiles {
    /// In a data folder. Nothing is made before there is something to keep.
    #[must_use]
    pub fn new(data_dir: &Path) -> Self {
        Self { folder: data_dir.join("recordings") }
    }

    fn of(&self, tenant: TenantId, call: CallId) -> PathBuf {
        self.folder.join(tenant.to_string()).join(call.to_string())
    }

    /// Begins a file for a live call, from this time of it on.
    ///
    /// # Errors
    /// When the disk takes no file, or has one of that name.
    pub fn begin(
        &self,
        tenant: TenantId,
        call: CallId,
        from_ms: u64,
        key: Arc<RecordingKey>,
    ) -> Result<LiveFile, StorageError> {
        let folder = self.of(tenant, call);
        let name = format!("{from_ms:012}.{LIVE}");
        let path = folder.join(&name);
        let open = || {
            create_folder(&folder)?;
            let file = private().create_new(true).write(true).open(&path)?;
            sync_folder(&folder)?;
            Ok(file)
        };
        let file = open().map_err(|e| StorageError::from_io(&e, &path))?;
        Ok(LiveFile { file, path, name, key, pieces: 0, bytes: 0 })
    }

    /// Reads a live call's segments in order: each file up to where a kill cut it off. Gives the number of segments.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn read_live(
        &self,
        tenant: TenantId,
        call: CallId,
        key: &RecordingKey,
        mut each: impl FnMut(&[u8]),
    ) -> Result<u64, StorageError> {
        let mut count = 0;
        for path in self.live(tenant, call)? {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            let file = File::open(&path).map_err(|e| StorageError::from_io(&e, &path))?;
            let mut file = io::BufReader::new(file);
            let mut piece = 0;
            while let Some(sealed) = next_piece(&mut file).map_err(|e| StorageError::from_io(&e, &path))? {
                let Ok(plain) = key.open(&name, piece, &sealed) else { break };
                each(&plain);
                (piece, count) = (piece + 1, count + 1);
            }
        }
        Ok(count)
    }

    /// When sound of the call was last taken here. `None`: none lies here.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn last_taken(&self, tenant: TenantId, call: CallId) -> Result<Option<SystemTime>, StorageError> {
        let paths = self.live(tenant, call)?;
        let at = |path: &PathBuf| fs::metadata(path).and_then(|known| known.modified()).ok();
        Ok(paths.iter().filter_map(at).max())
    }

    /// Keeps something of a call that is over. Returns when it is durable; before that there is nothing of that name.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn keep(
        &self,
        tenant: TenantId,
        call: CallId,
        kept: RecordingFile,
        key: &RecordingKey,
        plain: &[u8],
    ) -> Result<u64, StorageError> {
        let (folder, name) = (self.of(tenant, call), kept.name());
        let (path, draft) = (folder.join(name), folder.join(format!("{name}.draft")));
        let mut sealed = Vec::with_capacity(plain.len() + plain.len() / 512 + 128);
        for (piece, chunk) in (0..).zip(plain.chunks(PIECE).chain([&[] as &[u8]])) {
            add_piece(&mut sealed, &key.seal(name, piece, chunk)?);
        }
        let write = || {
            create_folder(&folder)?;
            let mut file = private().create(true).truncate(true).write(true).open(&draft)?;
            file.write_all(&sealed)?;
            file.sync_all()?;
            fs::rename(&draft, &path)?;
            sync_folder(&folder)
        };
        write().map_err(|e| StorageError::from_io(&e, &path))?;
        Ok(sealed.len() as u64)
    }

    /// What was kept.
    ///
    /// # Errors
    /// When it is not there, was cut short, or was sealed with another key.
    pub fn kept(
        &self,
        tenant: TenantId,
        call: CallId,
        kept: RecordingFile,
        key: &RecordingKey,
    ) -> Result<Zeroizing<Vec<u8>>, StorageError> {
        let path = self.of(tenant, call).join(kept.name());
        let named = |e: &io::Error| StorageError::from_io(e, &path);
        let file = File::open(&path).map_err(|e| named(&e))?;
        let size = file.metadata().map_err(|e| named(&e))?.len();
        let mut plain = Zeroizing::new(Vec::with_capacity(usize::try_from(size).unwrap_or(0)));
        let mut file = io::BufReader::new(file);
        let mut piece = 0;
        while let Some(sealed) = next_piece(&mut file).map_err(|e| named(&e))? {
            let chunk = key.open(kept.name(), piece, &sealed)?;
            if chunk.is_empty() {
                return Ok(plain);
            }
            plain.extend_from_slice(&chunk);
            piece += 1;
        }
        Err(StorageError::Crypto { what: "recordings" })
    }

    /// Takes the segments away, once what they became is kept.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub fn remove_live(&self, tenant: TenantId, call: CallId) -> Result<(), StorageError> {
        for path in self.live(tenant, call)? {
            fs::remove_file(&path).map_err(|e| StorageError::from_io(&e, &path))?;
        }
        Ok(())
    }

    /// Takes everything of a call away. Gives how many bytes that were.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub fn remove(&self, tenant: TenantId, call: CallId) -> Result<u64, StorageError> {
        let folder = self.of(tenant, call);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(0),
            Err(e) => return Err(StorageError::from_io(&e, &folder)),
        };
        let bytes = entries.flatten().filter_map(|entry| entry.metadata().ok()).map(|file| file.len()).sum();
        match fs::remove_dir_all(&folder) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(StorageError::from_io(&e, &folder)),
            _ => Ok(bytes),
        }
    }

    /// The live files of a call, oldest first.
    fn live(&self, tenant: TenantId, call: CallId) -> Result<Vec<PathBuf>, StorageError> {
        let folder = self.of(tenant, call);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(StorageError::from_io(&e, &folder)),
        };
        let is_live = |path: &PathBuf| path.extension().is_some_and(|extension| extension == LIVE);
        let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_live).collect();
        files.sort();
        Ok(files)
    }
}

impl LiveFile {
    /// Adds a segment. It survives a kill when this returns, and a power cut after [`LiveFile::sync`]. One that the disk does
    /// not take leaves no trace: what comes later can be read.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn append(&mut self, segment: &[u8]) -> Result<(), StorageError> {
        let mut piece = Vec::with_capacity(segment.len() + 64);
        add_piece(&mut piece, &self.key.seal(&self.name, self.pieces, segment)?);
        if let Err(error) = self.file.write_all(&piece) {
            let _ = self.file.set_len(self.bytes);
            let _ = io::Seek::seek(&mut self.file, io::SeekFrom::Start(self.bytes));
            return Err(StorageError::from_io(&error, &self.path));
        }
        self.pieces += 1;
        self.bytes += piece.len() as u64;
        Ok(())
    }

    /// Waits until the disk has what was added.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn sync(&self) -> Result<(), StorageError> {
        self.file.sync_data().map_err(|e| StorageError::from_io(&e, &self.path))
    }
}

fn add_piece(file: &mut Vec<u8>, sealed: &[u8]) {
    file.extend_from_slice(&u32::try_from(sealed.len()).unwrap_or(u32::MAX).to_be_bytes());
    file.extend_from_slice(sealed);
}

/// `None` at the end, and where the file was cut off.
fn next_piece(file: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match file.read_exact(&mut length) {
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
    if length > LONGEST {
        return Ok(None);
    }
    let mut sealed = vec![0; length];
    match file.read_exact(&mut sealed) {
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        read => read.map(|()| Some(sealed)),
    }
}

/// For this user alone.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// A new name survives a power cut too.
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
