//! Where a tenant's chain ended when this node last wrote to it, in a file outside the database: whoever may change the
//! database alone cannot put an old end back unnoticed.

use std::fs;
use std::io;
use std::path::PathBuf;

use super::chain::Head;
use crate::error::StorageError;

/// `<data>/audit/<tenant>.head`.
#[derive(Clone, Debug)]
pub(crate) struct AnchorFile(PathBuf);

impl AnchorFile {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// Notes a head. Whole or not at all; a note that lags behind is no harm.
    pub(crate) fn write(&self, head: &Head) -> io::Result<()> {
        if let Some(folder) = self.0.parent() {
            fs::create_dir_all(folder)?;
        }
        let fresh = self.0.with_extension("new");
        fs::write(&fresh, format!("{head}\n"))?;
        fs::rename(&fresh, &self.0)
    }

    /// The head that was noted, if any.
    pub(crate) fn read(&self) -> Result<Option<Head>, StorageError> {
        match fs::read_to_string(&self.0) {
            Ok(text) => {
                let corrupt = || StorageError::Corrupt { file: self.0.display().to_string() };
                Head::noted(&text).map(Some).ok_or_else(corrupt)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StorageError::from_io(&error, &self.0)),
        }
    }
}
