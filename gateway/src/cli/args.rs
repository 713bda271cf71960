//! What can be written on the command line, with an example for each subcommand.

mod calls;
mod scenarios;
mod teams;

use std::path::PathBuf;

pub use calls::{Call, Console, Dial, Keep, SAMPLES, Utterance};
use clap::{Args, Parser, Subcommand};
pub use scenarios::Test;
pub use teams::{TeamAct, TeamCommand};

/// Quandura Voice: a gateway that answers the telephone.
#[derive(Debug, Parser)]
#[command(name = "quandura", version, about, propagate_version = true)]
#[command(after_help = "Example:\n  quandura serve\n  \
    quandura call --say \"When is the permit office open?\" --save reply.wav")]
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
    /// Place a call from words or sound files, through the carrier protocol
    Call(Call),
    /// Hold a call from this terminal: what is typed is spoken, what is heard is printed
    Console(Console),
    /// Keep the calls of a running gateway as journals and stereo WAV files
    Record(Record),
    /// Play recorded calls again, many at a time, and measure the gateway
    Replay(Replay),
    /// Hold the calls of scenarios, and say which went as they should
    Test(Test),
    /// Check everything that running needs, with the fix for what is wrong
    Doctor(Doctor),
    /// Bring the databases to this version's schema
    #[command(after_help = "Examples:\n  DATA_DIR=/var/lib/quandura quandura migrate\n  \
        DATABASE_URL=postgres://quandura_app@db/quandura DATABASE_MIGRATION_URL=postgres://quandura_owner@db/quandura \
        quandura migrate")]
    Migrate,
    /// Tenants: customers whose lines are answered
    #[command(subcommand)]
    Tenant(Tenant),
    /// Teams of a tenant: who works what a call leaves
    Team(TeamCommand),
    /// People who may sign in to the console
    #[command(subcommand)]
    User(User),
    /// API tokens
    #[command(subcommand)]
    Token(Token),
    /// The audit: who did what
    #[command(subcommand)]
    Audit(Audit),
    /// Show what the line would take words for
    Understand(Understand),
    /// Put documents into a tenant's knowledge base
    ImportDocs(ImportDocs),
    /// Print the licenses of what this program is built from
    #[command(after_help = "Example:\n  quandura notices | less")]
    Notices,
}

const SERVE_HELP: &str = "\
Settings come from the TOML file and, above it, from the environment:
  BIND               address to listen on [127.0.0.1:8080]
  DATA_DIR           databases, keys, recordings [./data]
  DATABASE_URL       PostgreSQL in place of the databases in DATA_DIR
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

#[derive(Debug, Args)]
#[command(after_help = "Asks the gateway that runs here, else reads with the models in MODELS_DIR.\n\n\
    Examples:\n  quandura understand \"there's a big hole in my street\"\n  \
    quandura understand --language es --json quiero agendar una inspección")]
pub struct Understand {
    /// The words, as a caller says them
    #[arg(required = true, value_name = "TEXT")]
    pub text: Vec<String>,
    /// Language of the call: en or es [default: as the words tell]
    #[arg(long, value_name = "TAG")]
    pub language: Option<String>,
    /// The question that the words answer
    #[arg(long, value_name = "QUESTION")]
    pub asked: Option<String>,
    /// JSON, as `POST /v1/understand` answers
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub target: Target,
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

const REPLAY_HELP: &str = "\
Each caller speaks as recorded. Silences up to a second are kept; a longer one is a wait: the caller goes on when the
agent has answered and finished. Who spoke over the agent in the recording does so again. Exits with 1 when a call
failed. Ctrl-C lets live calls hang up and prints what was measured.

Examples:
  quandura replay recordings --calls 50 --ramp 5/s --repeat 4 --report out.json
  quandura replay question.wav --calls 400 --ramp 20 --stall 5% --jitter 10%";

#[derive(Debug, Args)]
#[command(after_help = REPLAY_HELP)]
pub struct Replay {
    /// WAV file (caller left, answers right; or the caller alone), journal (.jsonl), or a folder of them
    #[arg(value_name = "DIR-or-FILE")]
    pub path: PathBuf,
    /// Callers at a time
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub calls: usize,
    /// Callers who begin in a second
    #[arg(long, default_value = "10", value_name = "R/s", value_parser = rate)]
    pub ramp: f64,
    /// Calls that each caller makes, one after another, of one recording after another
    #[arg(long, default_value_t = 1, value_name = "K")]
    pub repeat: usize,
    /// Keep the figures as JSON
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub target: Target,
    /// Number to call
    #[arg(long, default_value = "+12025550100", value_name = "NUMBER")]
    pub to: String,
    /// Chooses who suffers and how; the same seed, the same choice
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Share of calls whose leg stops reading once
    #[arg(long, default_value = "0", value_name = "P%", value_parser = percent)]
    pub stall: f64,
    /// For how long
    #[arg(long, default_value_t = 2_000, value_name = "MS")]
    pub stall_ms: u64,
    /// Share of calls over a leg with varying delay
    #[arg(long, default_value = "0", value_name = "P%", value_parser = percent)]
    pub jitter: f64,
    /// Its most, each way; the least is half of that
    #[arg(long, default_value_t = 80, value_name = "MS")]
    pub delay_ms: u64,
    /// Share of callers who hang up in the middle
    #[arg(long, default_value = "0", value_name = "P%", value_parser = percent)]
    pub hang_up: f64,
    /// Recorded times as they were, whatever the agent does
    #[arg(long)]
    pub strict_time: bool,
    /// Longest wait for an answer
    #[arg(long, default_value_t = 15.0, value_name = "S")]
    pub patience: f64,
    /// Process of the gateway on this machine, where its /metrics tell neither CPU nor memory
    #[arg(long, value_name = "PID")]
    pub pid: Option<u32>,
}

/// `20` or `20/s`.
fn rate(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix("/s").unwrap_or(text).trim();
    number.parse().map_err(|_| "give callers a second, such as 20 or 20/s".to_owned())
}

/// `5` or `5%`.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).trim().parse().ok();
    number.filter(|n| (0.0..=100.0).contains(n)).ok_or_else(|| "give a share, such as 5 or 5%".to_owned())
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exits with 1 when something must be fixed before calls can be served. With --online each provider of \
    STT, LLM and TTS\nis asked for a word, which costs a fraction of a cent.\n\nExamples:\n  quandura doctor\n  \
    quandura doctor --online"
)]
pub struct Doctor {
    /// Ask every outside provider for a little work, within a few seconds each
    #[arg(long)]
    pub online: bool,
    /// JSON instead of text
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
#[command(
    after_help = "Example:\n  quandura tenant create \"Oakdale City\"\n  quandura tenant show oakdale-city > oakdale.toml\n  \
    quandura tenant apply oakdale.toml"
)]
pub enum Tenant {
    /// Show all tenants
    #[command(after_help = "Example:\n  quandura tenant list")]
    List,
    /// Add a tenant; what is needed and not given is asked at a terminal
    #[command(
        after_help = "What is left out is not known, and the line does not speak of it.\n\nExamples:\n  \
        quandura tenant create \"Oakdale City\"\n  quandura tenant create \"Oakdale City\" --line +12025550171 \
        --address \"2 Mill Road\" --phone 202-555-0170 --hours 8:00-17:00 --languages en,es"
    )]
    Create(Box<TenantCreate>),
    /// Print a tenant as a TOML file
    #[command(
        after_help = "Claims are not in it: they name people.\n\nExample:\n  quandura tenant show riverbend > riverbend.toml"
    )]
    Show {
        /// Slug or id
        tenant: String,
    },
    /// Say what is wrong with a TOML file, and what it would change
    #[command(
        after_help = "Exits with 1 when something is wrong.\n\nExample:\n  quandura tenant check oakdale.toml"
    )]
    Check {
        #[arg(value_name = "FILE.toml")]
        file: PathBuf,
    },
    /// Make a tenant as a TOML file says: shows what would change, asks, and applies it to the gateway that runs here, or to DATA_DIR
    #[command(
        after_help = "Makes the tenant where there is none of that slug.\n\nExamples:\n  quandura tenant apply oakdale.toml\n  \
        quandura tenant apply oakdale.toml --yes"
    )]
    Apply {
        #[arg(value_name = "FILE.toml")]
        file: PathBuf,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// List the versions of a tenant's document: when, by whom, and what each changed
    #[command(after_help = "Example:\n  quandura tenant history riverbend")]
    History {
        /// Slug or id
        tenant: String,
    },
    /// Go back to a version of a tenant's document: shows what would change, asks, and applies it as a new version
    #[command(after_help = "Example:\n  quandura tenant rollback riverbend 3")]
    Rollback {
        /// Slug or id
        tenant: String,
        /// Its number, as `history` lists it
        #[arg(value_name = "VERSION")]
        number: u32,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

/// A tenant to be.
#[derive(Debug, Args)]
pub struct TenantCreate {
    /// Name as people know it
    #[arg(value_name = "NAME", required_unless_present = "name_option")]
    pub name: Option<String>,
    /// The same
    #[arg(long = "name", id = "name_option", value_name = "NAME", conflicts_with = "name")]
    pub name_option: Option<String>,
    /// Short name: lower-case letters, digits and dashes [default: made from the name]
    #[arg(long)]
    pub slug: Option<String>,
    /// county, city, town, village, township, borough, parish or other [default: as the name tells]
    #[arg(long)]
    pub kind: Option<String>,
    /// IANA time zone [default: America/New_York]
    #[arg(long)]
    pub timezone: Option<String>,
    /// Number that callers dial
    #[arg(long)]
    pub line: Option<String>,
    /// Languages of the line, the first one greets: en, es
    #[arg(long, value_delimiter = ',')]
    pub languages: Vec<String>,
    /// Address of the main office
    #[arg(long)]
    pub address: Option<String>,
    /// Number of the main office
    #[arg(long)]
    pub phone: Option<String>,
    /// Hours from Monday to Friday, such as 8:00-17:00
    #[arg(long)]
    pub hours: Option<String>,
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
        /// clerk, supervisor, agent-admin, tenant-admin, auditor or platform-admin
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
        /// Take away their password and passkeys and end their sessions: the link is the only way in
        #[arg(long, requires = "login")]
        reset: bool,
    },
    /// Take a user away; their sessions, links and open pages end with it
    #[command(after_help = "Example:\n  quandura user remove --login pat --tenant riverbend")]
    Remove {
        #[arg(long)]
        login: String,
        /// Slug or id; absent: one of the platform
        #[arg(long)]
        tenant: Option<String>,
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
        /// clerk, supervisor, agent-admin, tenant-admin, auditor or platform-admin
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

#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  quandura audit verify --all")]
pub enum Audit {
    /// Check that nothing was changed, deleted, added or moved
    Verify(AuditVerify),
    /// Write entries to a file that anybody can check
    Export(AuditExport),
}

const AUDIT_VERIFY_HELP: &str = "\
Reads the chain from its first entry, beside a running gateway or without one. Prints the chain's end: note it somewhere
else, and give it as --head the next time. Exits with 1 when a chain is not as it was written, and names the first entry
that is wrong.

Examples:
  quandura audit verify --tenant riverbend
  quandura audit verify --all
  quandura audit verify --tenant riverbend --head 4182:9f0c…";

#[derive(Debug, Args)]
#[command(after_help = AUDIT_VERIFY_HELP)]
pub struct AuditVerify {
    /// Slug or id; `_platform` for what belongs to no tenant [default: the only tenant, or riverbend]
    #[arg(long)]
    pub tenant: Option<String>,
    /// Every tenant, and the platform itself
    #[arg(long, conflicts_with_all = ["tenant", "head"])]
    pub all: bool,
    /// An end that was noted earlier: the chain must hold it
    #[arg(long, value_name = "NUMBER:HASH")]
    pub head: Option<String>,
}

const AUDIT_EXPORT_HELP: &str = "\
Writes JSON Lines, and beside them verify.py, which checks them with Python alone. Personal parts are left out; what is
left out is stood for by its hash, so that the rest can still be checked. Every export is on the audit itself.

Examples:
  quandura audit export --tenant riverbend --from 2026-11-01 --to 2026-12-01 --out november.jsonl
  quandura audit export --tenant riverbend --subject 0197f3a0-… --redact call.guard --out request-17.jsonl
  python3 verify.py november.jsonl";

#[derive(Debug, Args)]
#[command(after_help = AUDIT_EXPORT_HELP)]
pub struct AuditExport {
    /// Slug or id; `_platform` for what belongs to no tenant [default: the only tenant, or riverbend]
    #[arg(long)]
    pub tenant: Option<String>,
    /// From this day or time on, UTC
    #[arg(long, value_name = "TIME")]
    pub from: Option<String>,
    /// Before this day or time, UTC
    #[arg(long, value_name = "TIME")]
    pub to: Option<String>,
    /// Withhold entries about anything but this call, token, user, …
    #[arg(long, value_name = "ID")]
    pub subject: Option<String>,
    /// Withhold entries of this action; may be given several times
    #[arg(long, value_name = "ACTION")]
    pub withhold: Vec<String>,
    /// Leave out the details of this action, or of `all`; may be given several times
    #[arg(long, value_name = "ACTION")]
    pub redact: Vec<String>,
    /// Show the personal parts; the reading of them is on the audit
    #[arg(long)]
    pub personal: bool,
    /// File to write
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
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
