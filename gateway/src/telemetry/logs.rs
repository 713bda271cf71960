//! The process log: one line an event, JSON for machines or pretty for people, always on standard error.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::config::{Config, ConfigError, Log, LogFormat};

/// Libraries that write whole messages into the log, and what callers said with them.
const SILENT: &str = "rmcp=off";

/// Starts logging. A second start in one process (tests) changes nothing.
pub fn start(config: &Config) -> Result<(), ConfigError> {
    let filter = EnvFilter::try_new(format!("{},{SILENT}", config.log.filter)).map_err(|e| {
        ConfigError::one(
            "log.filter (or RUST_LOG)",
            e.to_string(),
            "write it as `info` or `gateway=debug,info`",
        )
    })?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let _ = if wants_json(&config.log) {
        builder.json().flatten_event(true).with_current_span(true).with_span_list(false).try_init()
    } else {
        builder.with_target(false).with_ansi(std::io::stderr().is_terminal()).try_init()
    };
    Ok(())
}

fn wants_json(log: &Log) -> bool {
    match log.format {
        LogFormat::Json => true,
        LogFormat::Pretty => false,
        LogFormat::Auto => !std::io::stderr().is_terminal(),
    }
}
