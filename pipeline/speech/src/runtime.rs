//! The ONNX Runtime library and sessions on it.

use std::fmt;
use std::path::{Path, PathBuf};

use ort::environment::Environment;
use ort::session::Session;
use ort::session::builder::SessionBuilder;
use parking_lot::Mutex;

use pipeline::ports::PortError;

/// The one environment of this process and the library it came from.
static ENVIRONMENT: Mutex<Option<(PathBuf, Environment)>> = Mutex::new(None);

/// Name of the runtime's library in the models folder.
pub const LIBRARY: &str = "libonnxruntime.so";

/// Loads the runtime's library from the models folder, once per process, and gives its environment.
///
/// # Errors
/// [`PortError::Unavailable`] naming the file when it is missing or is no usable library.
pub fn environment(models: &Path) -> Result<Environment, PortError> {
    let mut slot = ENVIRONMENT.lock();
    if let Some((_, environment)) = slot.as_ref() {
        return Ok(environment.clone());
    }
    let library = present(models, LIBRARY)?;
    let environment = ort::init_from(&library)
        .map_err(|e| unusable(&library, &e))?
        .build()
        .map_err(|e| unusable(&library, &e))?;
    *slot = Some((library, environment.clone()));
    Ok(environment)
}

/// Opens a model of the models folder for one thread of execution.
///
/// # Errors
/// [`PortError::Unavailable`] naming the file when it is missing or corrupt.
pub fn open(models: &Path, file: &str) -> Result<Session, PortError> {
    let environment = environment(models)?;
    let path = present(models, file)?;
    session_builder(&environment)
        .and_then(|mut builder| builder.commit_from_file(&path))
        .map_err(|e| unusable(&path, &e))
}

/// Opens a model whose file was read, and perhaps changed, before. `file` is for messages.
///
/// # Errors
/// [`PortError::Unavailable`] naming the file when it is corrupt.
pub fn open_bytes(models: &Path, file: &str, bytes: &[u8]) -> Result<Session, PortError> {
    let environment = environment(models)?;
    session_builder(&environment)
        .and_then(|mut builder| builder.commit_from_memory(bytes))
        .map_err(|e| unusable(&models.join(file), &e))
}

/// Reads a file of the models folder.
///
/// # Errors
/// [`PortError::Unavailable`] naming the file when it is missing or cannot be read.
pub fn read(models: &Path, file: &str) -> Result<Vec<u8>, PortError> {
    let path = present(models, file)?;
    std::fs::read(&path).map_err(|e| unusable(&path, &e))
}

/// One model runs on one thread: workers are the parallelism, and the threads of a pool of their own would spin.
fn session_builder(environment: &Environment) -> ort::Result<SessionBuilder> {
    Ok(Session::builder(environment)?
        .with_intra_threads(1)?
        .with_inter_threads(1)?
        .with_intra_op_spinning(false)?
        .with_memory_pattern(false)?)
}

/// The error for a model file that is there but cannot be used.
pub(crate) fn unusable(path: &Path, cause: &dyn fmt::Display) -> PortError {
    let cause = cause.to_string();
    let cause = cause.lines().next().unwrap_or_default();
    PortError::Unavailable {
        what: format!("model file {} cannot be used ({cause})", path.display()),
        fix: "delete it and run `make build`".to_owned(),
    }
}

fn present(models: &Path, file: &str) -> Result<PathBuf, PortError> {
    let path = models.join(file);
    // The runtime resolves relative paths against the executable, not the working folder.
    path.canonicalize().map_err(|_| PortError::Unavailable {
        what: format!("model file {} is missing", path.display()),
        fix: "run `make build`".to_owned(),
    })
}
