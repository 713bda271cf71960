//! What can be written on the command line, with an example for each subcommand.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Quandura Voice: a gateway that answers the telephone.
#[derive(Debug, Parser)]
#[command(name = "quandura", version, about, propagate_version = true)]
#[command(after_help = "Example:\n  quandura serve\n  quandura call --wav question.wav --save reply.wav")]
pub struct Cli {
    /// TOML file with settings [default: quandura.toml, when it exists]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Answer calls
    Serve(Serve),
    /// Place a call from sound files, through the carrier protocol
    Call(Call),
    /// Keep the calls of a running gateway as journals and stereo WAV files
    Record(Record),
    /// Check everything that running needs, with the fix for what is wrong
    Doctor(Doctor),
    /// Bring the databases to this version's schema
    #[command(after_help = "Example:\n  DATA_DIR=/var/lib/quandura quandura migrate")]
    Migrate,
    /// Tenants: customers whose lines are answered
    #[command(subcommand)]
    Tenant(Tenant),
    /// People who may sign in to the console
    #[command(subcommand)]
    User(User),
    /// API tokens
    #[command(subcommand)]
    Token(Token),
    /// Put text files into a tenant's knowledge base
    ImportDocs(ImportDocs),
}

const SERVE_HELP: &str = "\
Settings come from the TOML file and, above it, from the environment:
  BIND               address to listen on [127.0.0.1:8080]
  DATA_DIR           databases, keys, recordings [./data]
  MODELS_DIR         speech models [./models]
  PUBLIC_URL         address under which the carrier reaches this gateway
  ADMIN_TOKEN        bearer token with role platform-admin
  TWILIO_AUTH_TOKEN  key of carrier signatures; without it only callers on this machine are served
  STT, LLM, TTS      engines in order of preference (this build: local, builtin, local)
  RUST_LOG           what is logged [info]

Example:
  quandura serve
  BIND=0.0.0.0:8080 PUBLIC_URL=https://voice.example.com TWILIO_AUTH_TOKEN=… quandura serve";

#[derive(Debug, Args)]
#[command(after_help = SERVE_HELP)]
pub struct Serve {
    /// Print no banner: only the log
    #[arg(long)]
    pub quiet: bool,
}

/// How a client subcommand reaches the gateway.
#[derive(Clone, Debug, Args)]
pub struct Target {
    /// Address of the gateway [default: PUBLIC_URL, or the address of BIND]
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
}

const CALL_HELP: &str = "\
The caller hears the greeting to its end, speaks the first file, hears the answer, speaks the next, and hangs up
when the last answer is followed by silence. Exits with 1 when nothing came back.

Examples:
  quandura call --wav light.wav --save reply.wav
  quandura call --wav hello.wav --wav address.wav --json
  quandura call --wav stop.wav --talk-over
  quandura call --digits 0";

#[derive(Debug, Args)]
#[command(after_help = CALL_HELP)]
pub struct Call {
    /// Sound file to speak, WAV, any rate; give several for several turns
    #[arg(long, value_name = "FILE", required_unless_present = "digits")]
    pub wav: Vec<PathBuf>,
    #[command(flatten)]
    pub target: Target,
    /// Number to call
    #[arg(long, default_value = "+12025550100", value_name = "NUMBER")]
    pub to: String,
    /// Number to call from
    #[arg(long, default_value = "+12025550143", value_name = "NUMBER")]
    pub from: String,
    /// Keep what the caller heard
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Keep the whole call: caller left, answer right
    #[arg(long, value_name = "FILE")]
    pub save_stereo: Option<PathBuf>,
    /// Speak one second into the greeting instead of after it
    #[arg(long, conflicts_with = "wait")]
    pub talk_over: bool,
    /// Speak this long after the stream opened, whatever is heard
    #[arg(long, value_name = "MS")]
    pub wait: Option<u64>,
    /// Keys to press, after the last file
    #[arg(long, value_name = "KEYS")]
    pub digits: Option<String>,
    /// Seconds of silence after the last answer before hanging up
    #[arg(long, default_value_t = 4.0, value_name = "S")]
    pub quiet: f64,
    /// Seconds of silence that end an answer when there is more to say
    #[arg(long, default_value_t = 2.0, value_name = "S")]
    pub gap: f64,
    /// Hang up this many seconds after the stream opened
    #[arg(long, value_name = "S")]
    pub hangup_after: Option<f64>,
    /// One JSON object a line instead of text
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Writes <call>.jsonl (what went into the call, with times) and <call>.wav (caller left, answer \
    right as it was played)\nfor calls that begin while it runs, on lines that announce recording.\n\n\
    Example:\n  quandura record --out recordings --calls 10"
)]
pub struct Record {
    /// Folder for the files
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Stop after this many calls
    #[arg(long, value_name = "N")]
    pub calls: Option<usize>,
    /// Stop after this many seconds
    #[arg(long, value_name = "S")]
    pub seconds: Option<u64>,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exits with 1 when something must be fixed before calls can be served.\n\nExample:\n  quandura doctor"
)]
pub struct Doctor {
    /// JSON instead of text
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  quandura tenant create --slug riverbend --name \"Riverbend County\"")]
pub enum Tenant {
    /// Show all tenants
    #[command(after_help = "Example:\n  quandura tenant list")]
    List,
    /// Add a tenant
    #[command(
        after_help = "Example:\n  quandura tenant create --slug oakdale --name \"Oakdale City\" --line +12025550111"
    )]
    Create {
        /// Short name: lower-case letters, digits and dashes
        #[arg(long)]
        slug: String,
        /// Name as people know it
        #[arg(long)]
        name: String,
        /// IANA time zone
        #[arg(long, default_value = "America/New_York")]
        timezone: String,
        /// Number that callers dial, E.164
        #[arg(long)]
        line: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  quandura user link")]
pub enum User {
    /// Show users
    #[command(after_help = "Example:\n  quandura user list --tenant riverbend")]
    List {
        /// Of this tenant instead of the platform
        #[arg(long)]
        tenant: Option<String>,
    },
    /// Add a user
    #[command(
        after_help = "Example:\n  quandura user create --login pat --name \"Pat Lee\" --role supervisor --tenant riverbend"
    )]
    Create {
        #[arg(long)]
        login: String,
        #[arg(long)]
        name: String,
        /// supervisor, agent-admin, tenant-admin, auditor or platform-admin
        #[arg(long)]
        role: String,
        /// Slug or id; required for every role but platform-admin
        #[arg(long)]
        tenant: Option<String>,
    },
    /// Print a one-time sign-in link
    #[command(after_help = "Example:\n  quandura user link --login pat")]
    Link {
        /// Whose; absent: the local administrator
        #[arg(long)]
        login: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  quandura token create --name ci --role supervisor --tenant riverbend")]
pub enum Token {
    /// Make a token; it is shown once
    #[command(
        after_help = "Example:\n  quandura token create --name ci --role supervisor --tenant riverbend --days 90"
    )]
    Create {
        #[arg(long)]
        name: String,
        /// supervisor, agent-admin, tenant-admin, auditor or platform-admin
        #[arg(long)]
        role: String,
        /// Slug or id; required for every role but platform-admin
        #[arg(long)]
        tenant: Option<String>,
        /// Days until it expires [default: never]
        #[arg(long)]
        days: Option<u32>,
    },
    /// Show tokens, without their secrets
    #[command(after_help = "Example:\n  quandura token list --tenant riverbend")]
    List {
        /// Of this tenant instead of the platform
        #[arg(long)]
        tenant: Option<String>,
    },
    /// Make a token useless
    #[command(after_help = "Example:\n  quandura token revoke 0197f3a0-… --tenant riverbend")]
    Revoke {
        id: String,
        /// Tenant that the token belongs to; absent: the platform
        #[arg(long)]
        tenant: Option<String>,
    },
}

#[derive(Debug, Args)]
#[command(
    after_help = "Takes .md, .txt and .html files, and folders of them. The path is the document's source: \
    importing it again replaces it.\n\nExample:\n  quandura import-docs --tenant riverbend docs/faq.md docs/permits/"
)]
pub struct ImportDocs {
    /// Files and folders
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Slug or id
    #[arg(long)]
    pub tenant: Option<String>,
    #[command(flatten)]
    pub target: Target,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn every_subcommand_has_help_with_an_example() {
        fn check(command: &mut clap::Command) {
            let help = command.render_long_help().to_string();
            assert!(help.contains("Example"), "{}: {help}", command.get_name());
            for sub in command.get_subcommands_mut().filter(|sub| sub.get_name() != "help") {
                check(sub);
            }
        }
        let mut command = Cli::command();
        command.build();
        check(&mut command);
    }
}
