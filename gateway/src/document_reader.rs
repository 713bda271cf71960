//! Who reads the documents that people send: this program again, in a process of its own. See `knowledge::read::apart`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

use knowledge::read::apart::{self, Apart};

/// The first argument of a process that reads one document. Not for people, so the command line does not list it.
const COMMAND: &str = "read-document";
/// This program, also once another version lies in its place on the disk.
const RUNNING: &str = "/proc/self/exe";

static READER: OnceLock<Apart> = OnceLock::new();

/// The reader of this process. Until `main` has said that this program can be begun again, it reads here.
pub fn reader() -> &'static Apart {
    READER.get_or_init(Apart::here)
}

/// What `main` does first: reads a document if this process was begun for that, else has later ones read apart.
pub fn main() -> Option<ExitCode> {
    if std::env::args_os().nth(1).is_some_and(|first| first == COMMAND) {
        return Some(apart::child().map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS));
    }
    let running = Some(PathBuf::from(RUNNING)).filter(|path| Path::exists(path));
    if let Some(program) = running.or_else(|| std::env::current_exe().ok()) {
        let _ = READER.set(Apart::new(program, vec![COMMAND.into()]));
    }
    None
}
