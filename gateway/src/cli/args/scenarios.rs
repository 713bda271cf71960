//! The command line of `quandura test`.

use std::path::PathBuf;

use clap::Args;

use super::Target;

const HELP: &str = "\
Holds the call of each scenario over the carrier's wire, and compares what was heard, used and left behind with what it
expects. Without --url it starts a gateway of its own on loopback, with an empty folder that is gone afterwards. A scenario is
a YAML file; --schema prints its JSON Schema. Exits with 1 when a scenario fails, or passes though it is marked as a known
failure.

Examples:
  quandura test scenarios --jobs 4
  quandura test scenarios --tag quick --junit out.xml --html report
  quandura test scenarios/pothole.yaml --url http://127.0.0.1:8080
  quandura test scenarios --json new.json --compare old.json
  quandura test --from-call 0197f3a0-… -o new.yaml";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Test {
    /// Scenarios, or folders of them
    #[arg(value_name = "DIR-or-FILE", required_unless_present_any = ["schema", "from_call"])]
    pub paths: Vec<PathBuf>,
    /// Calls at a time
    #[arg(long, default_value_t = 2, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=200))]
    pub jobs: u16,
    /// How often a call that does not come out as it should is held again; one that then does is told apart as flaky
    #[arg(long, default_value_t = 0, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=5))]
    pub retries: u8,
    /// Only scenarios with this tag; several: with any of them
    #[arg(long, value_name = "TAG")]
    pub tag: Vec<String>,
    /// Write JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write a folder of pages with transcripts, sound and plots
    #[arg(long, value_name = "DIR")]
    pub html: Option<PathBuf>,
    /// Keep the run as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Print the run beside an older one that --json kept
    #[arg(long, value_name = "FILE")]
    pub compare: Option<PathBuf>,
    /// Only read the files and say what is wrong with them
    #[arg(long)]
    pub check: bool,
    /// Print the JSON Schema of a scenario
    #[arg(long, exclusive = true)]
    pub schema: bool,
    /// Write a scenario of a call: its id at the gateway, or a journal that `quandura record` kept
    #[arg(long, value_name = "ID-or-JOURNAL", requires = "output", conflicts_with = "paths")]
    pub from_call: Option<String>,
    /// Where --from-call writes to
    #[arg(short, long, value_name = "FILE", requires = "from_call")]
    pub output: Option<PathBuf>,
    /// Of which tenant's calls --from-call is one [default: the only tenant, or riverbend]
    #[arg(long, value_name = "TENANT", requires = "from_call")]
    pub tenant: Option<String>,
    #[command(flatten)]
    pub target: Target,
}
