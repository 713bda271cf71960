//! The `quandura` binary: installs the TLS provider, builds the runtime, runs the command line.

use std::process::ExitCode;

use clap::Parser;
use gateway::cli::{self, Cli};
use gateway::document_reader;

/// Bytes of a worker's stack. The deepest work is a review of a finished call; an unoptimised build takes several times as much.
const STACK: usize = 8 << 20;

fn main() -> ExitCode {
    if let Some(read) = document_reader::main() {
        return read;
    }
    // Two providers are compiled in by our dependencies; rustls panics at its first use unless one is chosen.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let cli = Cli::parse();
    let runtime =
        match tokio::runtime::Builder::new_multi_thread().enable_all().thread_stack_size(STACK).build() {
            Ok(runtime) => runtime,
            Err(e) => return fail(&format!("the async runtime does not start: {e}")),
        };
    match runtime.block_on(cli::run(cli)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => fail(&format!("{e:#}")),
    }
}

fn fail(message: &str) -> ExitCode {
    eprintln!("error: {message}");
    ExitCode::FAILURE
}
