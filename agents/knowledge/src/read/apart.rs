//! Reading in a process of its own. PDFs and packages come from strangers, and the libraries that open them were not made
//! for that; a crash, an endless loop, or a bomb costs the one document.
//!
//! The process is this program again. It gets the file on its standard input and gives the reading on its standard
//! output; it has no environment, bounds on memory, CPU time, and output, and no room for another open file: so it
//! neither connects anywhere nor reads from the disk. Whoever waits for it kills it when time is up.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, setrlimit};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;
use tokio::sync::Semaphore;

use super::{MAX_BYTES, MAX_TEXT, ReadError, Reading, Received, kind, read_bytes};

/// Address space of the process, with the program itself.
const MEMORY: u64 = 1 << 30;
/// CPU seconds.
const CPU: u64 = 15;
/// After which it is killed, whatever it does.
const PATIENCE: Duration = Duration::from_secs(20);
/// Processes at a time.
const AT_ONCE: usize = 2;
/// Before the answer in the process's output: libraries may print.
const MARK: &str = "\u{1}reading ";

/// Reads documents, each that is no text in a process of its own.
#[derive(Debug)]
pub struct Apart {
    /// This program, and what makes it read.
    program: Option<(PathBuf, Vec<OsString>)>,
    places: Semaphore,
}

/// A reading as it goes from process to process.
#[derive(Serialize, Deserialize)]
struct Told {
    text: String,
    title: Option<String>,
    media_type: String,
    hidden: usize,
}

impl Apart {
    /// `program` with `arguments` must call [`child`].
    #[must_use]
    pub fn new(program: PathBuf, arguments: Vec<OsString>) -> Self {
        Self { program: Some((program, arguments)), places: Semaphore::new(AT_ONCE) }
    }

    /// Reads everything in this process: for tests, where no program of ours stands on the disk.
    #[must_use]
    pub fn here() -> Self {
        Self { program: None, places: Semaphore::new(AT_ONCE) }
    }

    /// Reads a document.
    ///
    /// # Errors
    /// [`ReadError`], by name.
    pub async fn read(&self, received: Received) -> Result<Reading, ReadError> {
        let packed = kind::is_packed(kind::sniff(&received.bytes));
        let Some((program, arguments)) = self.program.as_ref().filter(|_| packed) else {
            let reading = tokio::task::spawn_blocking(move || read_bytes(&received.bytes, received.declared));
            return reading.await.unwrap_or_else(|_| Err(ReadError::Broken("its reader failed".into())));
        };
        let _place = self.places.acquire().await;
        let mut command = Command::new(program);
        command.args(arguments).env_clear().current_dir("/").kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let failed = |error: io::Error| ReadError::NoReader(error.to_string());
        let mut child = command.spawn().map_err(failed)?;
        let (Some(mut stdin), Some(mut stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(ReadError::NoReader("it has no pipes".to_owned()));
        };
        let give = async {
            // A child that has seen enough closes its end; what it says then counts.
            let declared = format!("{}\n", received.declared.unwrap_or_default());
            if stdin.write_all(declared.as_bytes()).await.is_ok() {
                let _ = stdin.write_all(&received.bytes).await;
            }
            drop(stdin);
        };
        let mut output = Vec::new();
        let take = async {
            // JSON may write a character with six.
            let most = 8 * (MAX_TEXT as u64) + 64 * 1024;
            let taken = (&mut stdout).take(most).read_to_end(&mut output).await;
            taken.map(|_| ())
        };
        let both = async { tokio::join!(give, take).1 };
        let ended = tokio::time::timeout(PATIENCE, both).await;
        match ended {
            Ok(Ok(())) => answer(&output),
            Ok(Err(error)) => Err(failed(error)),
            Err(_) => Err(ReadError::Bomb("time".into())),
        }
    }
}

/// What a process told; one that told nothing was ended by its bounds, or fell.
fn answer(output: &[u8]) -> Result<Reading, ReadError> {
    let output = String::from_utf8_lossy(output);
    let told = output.rsplit_once(MARK).and_then(|(_, told)| told.lines().next());
    let Some(told) = told.and_then(|told| serde_json::from_str::<Result<Told, ReadError>>(told).ok()) else {
        return Err(ReadError::Bomb("memory or time".into()));
    };
    let Told { text, title, media_type, hidden } = told?;
    Ok(Reading { text, title, media_type: kind::of(&media_type)?, hidden })
}

/// What the process does: takes its bounds upon itself, reads, answers.
///
/// # Errors
/// When a bound cannot be set, or nobody listens.
pub fn child() -> io::Result<()> {
    confine()?;
    let mut input = Vec::new();
    io::stdin().lock().take(MAX_BYTES as u64 + 256).read_to_end(&mut input)?;
    let (declared, bytes) = match input.iter().position(|byte| *byte == b'\n') {
        Some(end) => (String::from_utf8_lossy(&input[..end]).into_owned(), &input[end + 1..]),
        None => (String::new(), &input[..]),
    };
    let declared = Some(declared.as_str()).filter(|declared| !declared.is_empty());
    let told = read_bytes(bytes, declared).map(|reading| Told {
        text: reading.text,
        title: reading.title,
        media_type: reading.media_type.to_owned(),
        hidden: reading.hidden,
    });
    let told = serde_json::to_string(&told).map_err(io::Error::other)?;
    let mut out = io::stdout().lock();
    writeln!(out, "{MARK}{told}")?;
    out.flush()
}

/// Bounds from which this process does not come back.
fn confine() -> io::Result<()> {
    let bound = |resource, most| setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    bound(Resource::As, MEMORY)?;
    bound(Resource::Cpu, CPU)?;
    bound(Resource::Core, 0)?;
    bound(Resource::Fsize, 0)?;
    // Standard input, output and error are open, and nothing else will be.
    bound(Resource::Nofile, 3)?;
    Ok(())
}

#[cfg(test)]
mod tests;
