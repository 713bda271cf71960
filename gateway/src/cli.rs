//! The command line. Every subcommand that is listed works.

mod args;
mod audit;
mod call;
mod client;
mod console;
mod doctor;
mod import_docs;
mod migrate;
mod record;
mod replay;
mod serve;
mod team;
mod tenant;
mod test;
mod token;
mod understand;
mod user;

use std::ffi::OsString;
use std::io::Write as _;

pub use args::Cli;
use args::Command;
use clap::Parser;

use crate::config::Config;

/// Licenses of everything that is built in; `scripts/notices.sh` writes it.
const NOTICES: &str = include_str!("../data/third-party-notices.txt");

/// Reads a command line, the program's name first. An error holds the message for the terminal.
pub fn read<T: Into<OsString> + Clone>(words: impl IntoIterator<Item = T>) -> Result<Cli, String> {
    Cli::try_parse_from(words).map_err(|e| e.to_string())
}

/// Runs the chosen subcommand. An error is one line that says what is wrong and how to put it right.
pub async fn run(cli: Cli) -> anyhow::Result<()> {
    let config = Config::load(cli.config.as_deref())?;
    dispatch(config, cli.command).await
}

/// A command line without the program's name, with settings of the test's own.
#[cfg(test)]
pub(crate) async fn run_words(config: &Config, words: &[String]) -> anyhow::Result<()> {
    let words = std::iter::once("quandura".to_owned()).chain(words.iter().cloned());
    dispatch(config.clone(), Cli::try_parse_from(words)?.command).await
}

async fn dispatch(config: Config, command: Command) -> anyhow::Result<()> {
    match command {
        Command::Serve(args) => serve::run(config, args).await,
        Command::Call(args) => call::run(config, args).await,
        Command::Console(args) => console::run(config, args).await,
        Command::Record(args) => record::run(&config, args).await,
        Command::Replay(args) => replay::run(&config, args).await,
        Command::Test(args) => test::run(&config, args).await,
        Command::Doctor(args) => doctor::run(&config, &args).await,
        Command::Migrate => migrate::run(&config).await,
        Command::Tenant(command) => tenant::run(&config, command).await,
        Command::Team(command) => team::run(&config, command).await,
        Command::User(command) => user::run(&config, command).await,
        Command::Token(command) => token::run(&config, command).await,
        Command::Audit(command) => audit::run(&config, command).await,
        Command::Understand(args) => understand::run(&config, args).await,
        Command::ImportDocs(args) => import_docs::run(&config, args).await,
        Command::Notices => Ok(std::io::stdout().write_all(NOTICES.as_bytes())?),
    }
}
