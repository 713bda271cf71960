//! Which process this is, among those that share a database: its data folder says so, and keeps saying so.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use crate::error::StorageError;
use crate::ids::NodeId;

/// Reads the folder's id; draws one when it has none. The folder's lock must be held.
pub(crate) fn id_of(folder: &Path) -> Result<NodeId, StorageError> {
    let path = folder.join("node.id");
    match fs::read_to_string(&path) {
        Ok(text) => {
            text.trim().parse().map_err(|_| StorageError::Corrupt { file: path.display().to_string() })
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let id = NodeId::new();
            write_whole(&path, &id.to_string()).map_err(|error| StorageError::from_io(&error, &path))?;
            Ok(id)
        }
        Err(error) => Err(StorageError::from_io(&error, &path)),
    }
}

fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let unfinished = path.with_extension("new");
    let mut file = File::create(&unfinished)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&unfinished, path)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_folder_keeps_its_id_and_another_has_another() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let id = id_of(one.path()).unwrap();
        assert_eq!(id_of(one.path()).unwrap(), id);
        assert_ne!(id_of(two.path()).unwrap(), id);
    }

    #[test]
    fn a_damaged_id_is_named_and_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("node.id"), "x").unwrap();
        let error = id_of(folder.path()).unwrap_err();
        assert!(error.to_string().contains("node.id"), "{error}");
        assert_eq!(fs::read(folder.path().join("node.id")).unwrap(), b"x");
    }
}
