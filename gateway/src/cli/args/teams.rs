//! Arguments of `quandura team`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  quandura team show claims > claims.toml\n  quandura team apply claims.toml --tenant oakdale"
)]
pub struct TeamCommand {
    /// Slug or id of the tenant [default: the only one, or riverbend]
    #[arg(long, global = true)]
    pub tenant: Option<String>,
    #[command(subcommand)]
    pub act: TeamAct,
}

#[derive(Debug, Subcommand)]
pub enum TeamAct {
    /// Show all teams: those that ship, and the tenant's own
    #[command(after_help = "Example:\n  quandura team list")]
    List,
    /// Print a team's text
    #[command(after_help = "Example:\n  quandura team show claims > claims.toml")]
    Show {
        /// Its id
        team: String,
    },
    /// Say what is wrong with a team's file, and what it would change
    #[command(
        after_help = "Exits with 1 when something is wrong.\n\nExample:\n  quandura team check claims.toml"
    )]
    Check {
        #[arg(value_name = "FILE.toml")]
        file: PathBuf,
    },
    /// Make a team as its file says: shows what would change, asks, and applies it
    #[command(
        after_help = "The next task and the next call go by it.\n\nExample:\n  quandura team apply roads.toml"
    )]
    Apply {
        #[arg(value_name = "FILE.toml")]
        file: PathBuf,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Take the tenant's own team away; where one of that name ships, it holds again
    #[command(after_help = "Example:\n  quandura team delete roads")]
    Delete {
        /// Its id
        team: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// List the versions of a tenant's own team: when, by whom, and what each changed
    #[command(after_help = "Example:\n  quandura team history claims")]
    History {
        /// Its id
        team: String,
    },
    /// Go back to a version of a tenant's own team, as a new version
    #[command(after_help = "Example:\n  quandura team rollback claims 3")]
    Rollback {
        /// Its id
        team: String,
        /// Its number, as `history` lists it
        #[arg(value_name = "VERSION")]
        number: u32,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Say which team would work what is asked for in these words
    #[command(
        after_help = "Example:\n  quandura team try --file roads.toml there is a pothole on oak street"
    )]
    Try {
        #[arg(required = true)]
        words: Vec<String>,
        /// What would be filed: incident, inspection, message, escalation, callback, urgent or interrupted [default: incident]
        #[arg(long)]
        matter: Option<String>,
        /// With a team of this file in its place
        #[arg(long, value_name = "FILE.toml")]
        file: Option<PathBuf>,
    },
}
