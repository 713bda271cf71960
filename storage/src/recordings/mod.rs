//! Recordings of calls. The database has a row for each, with a key of its own; the sound is in files beside it ([`files`]),
//! sealed with that key. A recording is deleted by deleting its key: what is left of it anywhere, in a backup even, is noise.

pub mod files;

use std::fmt;

use aes_gcm::Aes256Gcm;
use chrono::{DateTime, Utc};
use serde::Serialize;
use zeroize::Zeroizing;

use crate::crypto::{KeyBytes, cipher_of, key_from, open_with, seal_with};
use crate::error::StorageError;
use crate::ids::CallId;
use crate::records::word_enum;

word_enum! {
    /// How far a recording is.
    RecordingState {
        /// The call goes on; there are sealed segments.
        Live = "live",
        /// The call is over; the segments wait to be encoded.
        Captured = "captured",
        /// It can be played.
        Kept = "kept",
        /// Its key is gone, and with it the sound.
        Deleted = "deleted",
    }
}

/// What is known of a recording.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Recording {
    pub call_id: CallId,
    pub state: RecordingState,
    pub started_at: DateTime<Utc>,
    /// Of what can be played.
    pub duration_ms: u64,
    /// Of the file that is kept.
    pub bytes: u64,
    /// Frames that could not be written while live.
    pub lost_frames: u64,
    /// It is to go and may not yet: it is under a legal hold.
    pub wanted_gone: bool,
    pub deleted_at: Option<DateTime<Utc>>,
    /// `withdrawn`, `retention`, or `person`.
    pub delete_reason: Option<String>,
}

/// What can be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeptRecording {
    pub duration_ms: u64,
    pub bytes: u64,
}

/// What came of a wish to delete one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordingDeleted {
    /// Its key is gone.
    Done,
    /// It is under a legal hold, and goes when that is lifted.
    Held,
    /// There is none, or it went before.
    NotThere,
}

/// The key of one recording.
pub struct RecordingKey {
    call: CallId,
    cipher: Aes256Gcm,
}

impl fmt::Debug for RecordingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecordingKey({})", self.call)
    }
}

impl RecordingKey {
    pub(crate) fn new(call: CallId, key: &KeyBytes) -> Self {
        Self { call, cipher: cipher_of(key) }
    }

    pub(crate) fn from_bytes(call: CallId, bytes: &[u8]) -> Result<Self, StorageError> {
        let key = key_from(bytes).ok_or(StorageError::Crypto { what: "recordings" })?;
        Ok(Self::new(call, &key))
    }

    /// Seals the piece of a file at this place.
    fn seal(&self, file: &str, piece: u32, plain: &[u8]) -> Result<Vec<u8>, StorageError> {
        seal_with(&self.cipher, 0, &self.associated(file, piece), plain, "recordings")
    }

    fn open(&self, file: &str, piece: u32, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, StorageError> {
        open_with(&self.cipher, &self.associated(file, piece), sealed, "recordings")
    }

    /// A piece opens in its place alone: none can be left out, doubled, or moved to another call.
    fn associated(&self, file: &str, piece: u32) -> Vec<u8> {
        let mut bytes = self.call.0.as_bytes().to_vec();
        bytes.extend_from_slice(file.as_bytes());
        bytes.push(0);
        bytes.extend_from_slice(&piece.to_be_bytes());
        bytes
    }
}

#[cfg(test)]
mod tests;
