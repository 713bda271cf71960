//! The local administrator's token: a file that only this user can read, so that the command line on the same
//! machine reaches the running gateway without any set-up. Fresh at every start.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use secrecy::{ExposeSecret, SecretString};

use super::secrets;

const FILE: &str = "admin.token";

/// The token and the file that holds it; the file goes when this is dropped.
#[derive(Debug)]
pub struct LocalToken {
    secret: SecretString,
    file: PathBuf,
}

impl LocalToken {
    /// Draws a token and writes it to `<data_dir>/admin.token` with mode 0600.
    pub fn create(data_dir: &Path) -> io::Result<Self> {
        let secret = secrets::random();
        let file = data_dir.join(FILE);
        // Written beside and moved, so that a reader never sees half a token or a file with another mode.
        let fresh = data_dir.join("admin.token.new");
        let _ = fs::remove_file(&fresh);
        let mut options = fs::File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&fresh)?.write_all(secret.expose_secret().as_bytes())?;
        fs::rename(&fresh, &file)?;
        Ok(Self { secret, file })
    }

    /// The token of the gateway that runs on `data_dir`, if one does and we may read it.
    #[must_use]
    pub fn read(data_dir: &Path) -> Option<SecretString> {
        let text = fs::read_to_string(data_dir.join(FILE)).ok()?;
        (!text.trim().is_empty()).then(|| SecretString::from(text.trim().to_owned()))
    }

    #[must_use]
    pub fn matches(&self, given: &str) -> bool {
        secrets::matches(given, &self.secret)
    }

    /// For clients in this process.
    #[must_use]
    pub fn secret(&self) -> &SecretString {
        &self.secret
    }

    /// Takes the file away: nothing answers to it any more.
    pub fn remove(&self) {
        let _ = fs::remove_file(&self.file);
    }
}

impl Drop for LocalToken {
    fn drop(&mut self) {
        self.remove();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn only_the_owner_reads_the_file_and_it_goes_with_the_gateway() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let token = LocalToken::create(dir.path()).unwrap();
        let mode = fs::metadata(dir.path().join(FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let read = LocalToken::read(dir.path()).unwrap();
        assert!(token.matches(read.expose_secret()));
        assert!(!token.matches("guess"));
        drop(token);
        assert!(LocalToken::read(dir.path()).is_none());
    }
}
