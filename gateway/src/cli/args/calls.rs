//! The command line of who calls: `quandura call` and `quandura console`.

use std::path::PathBuf;

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};

use super::Target;
use crate::demo;

/// What can be asked of the demo county, as its callers would.
pub const SAMPLES: [&str; 6] = [
    "How do I get rid of an old couch?",
    "When is the permit office open?",
    "I want to report a broken street light.",
    "I'd like to book an inspection.",
    "What do I need for a building permit?",
    "A person, please.",
];

/// The samples, a line each.
fn samples() -> String {
    SAMPLES.map(|sample| format!("  \"{sample}\"")).join("\n")
}

fn call_help() -> String {
    format!(
        "\
The caller hears the greeting to its end, speaks the first words or file, hears the answer, speaks the next, and hangs
up when the last answer is followed by silence. --say and --wav may be mixed: they are spoken in the order given. --say
needs the models in MODELS_DIR, which `make run` brings. Exits with 1 when nothing came back.

The demo county can be asked, among other things:
{}

Examples:
  quandura call --say \"When is the permit office open?\" --save reply.wav
  quandura call --say \"I want to report a broken street light.\" --say \"At 12 Oak Street.\"
  quandura call --tenant oakdale --wav hello.wav --wav address.wav --json
  quandura call --wav stop.wav --talk-over
  quandura call --digits 0",
        samples()
    )
}

fn console_help() -> String {
    format!(
        "\
A line that is typed is spoken into the call in the built-in voice, also over the agent. What the agent says is printed
when it was heard. Lines that begin with / are commands:
  /key 5         press a key, or several: /key 123#
  /wav FILE      speak a sound file
  /samples       show some questions
  /hangup        end the call; so does the end of the input
Lines that come from a file or a pipe are spoken one after the other, each when the answer before it has ended.

The demo county can be asked, among other things:
{}

Examples:
  quandura console
  quandura console --tenant oakdale
  printf 'When is the permit office open?\\nThank you, bye.\\n' | quandura console --save heard.wav",
        samples()
    )
}

/// Which number is called, from which, and at which gateway.
#[derive(Clone, Debug, Args)]
pub struct Dial {
    #[command(flatten)]
    pub target: Target,
    /// Number to call
    #[arg(long, visible_alias = "line", default_value = demo::LINE, value_name = "NUMBER")]
    pub to: String,
    /// Call the first line of this tenant instead: slug or id
    #[arg(long, conflicts_with = "to", value_name = "TENANT")]
    pub tenant: Option<String>,
    /// Number to call from
    #[arg(long, default_value = "+12025550143", value_name = "NUMBER")]
    pub from: String,
}

/// Sound that is kept of a call.
#[derive(Clone, Debug, Args)]
pub struct Keep {
    /// Keep what the caller heard
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Keep the whole call: caller left, answer right
    #[arg(long, value_name = "FILE")]
    pub save_stereo: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = call_help())]
pub struct Call {
    #[command(flatten)]
    pub spoken: Spoken,
    /// Language in which the words of --say are pronounced: en or es
    #[arg(long, default_value = "en", value_name = "TAG")]
    pub language: String,
    #[command(flatten)]
    pub dial: Dial,
    #[command(flatten)]
    pub keep: Keep,
    /// Speak one second into the greeting instead of after it
    #[arg(long, conflicts_with = "wait")]
    pub talk_over: bool,
    /// Speak this long after the stream opened, whatever is heard
    #[arg(long, value_name = "MS")]
    pub wait: Option<u64>,
    /// Keys to press, after the last words
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
#[command(after_help = console_help())]
pub struct Console {
    /// Language in which the typed words are pronounced: en or es
    #[arg(long, default_value = "en", value_name = "TAG")]
    pub language: String,
    #[command(flatten)]
    pub dial: Dial,
    #[command(flatten)]
    pub keep: Keep,
    /// Wait for the end of each answer before the next line is spoken, also in a terminal
    #[arg(long)]
    pub wait: bool,
    /// One JSON object a line instead of text
    #[arg(long)]
    pub json: bool,
}

/// One thing that the caller says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Utterance {
    /// A sound file.
    Wav(PathBuf),
    /// Words for the built-in voice.
    Say(String),
}

/// All that the caller says, in the order of the command line; clap alone keeps the order within one option only.
#[derive(Clone, Debug, Default)]
pub struct Spoken(pub Vec<Utterance>);

impl Args for Spoken {
    fn augment_args(command: Command) -> Command {
        let say = Arg::new("say").long("say").value_name("TEXT").action(ArgAction::Append);
        let wav = Arg::new("wav").long("wav").value_name("FILE").action(ArgAction::Append);
        command
            .arg(
                say.help("Words to speak, in the built-in voice; give several for several turns")
                    .required_unless_present_any(["wav", "digits"]),
            )
            .arg(
                wav.help("Sound file to speak, WAV, any rate; give several for several turns")
                    .value_parser(ValueParser::path_buf()),
            )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Spoken {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut spoken: Vec<(usize, Utterance)> = Vec::new();
        if let (Some(places), Some(words)) = (matches.indices_of("say"), matches.get_many::<String>("say")) {
            spoken.extend(places.zip(words.cloned().map(Utterance::Say)));
        }
        if let (Some(places), Some(files)) = (matches.indices_of("wav"), matches.get_many::<PathBuf>("wav")) {
            spoken.extend(places.zip(files.cloned().map(Utterance::Wav)));
        }
        spoken.sort_by_key(|(place, _)| *place);
        Ok(Self(spoken.into_iter().map(|(_, said)| said).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::{Cli, Command};
    use super::*;

    fn call(words: &[&str]) -> Result<Call, String> {
        let all = ["quandura", "call"].iter().chain(words);
        match Cli::try_parse_from(all).map_err(|e| e.to_string())?.command {
            Command::Call(call) => Ok(call),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn words_and_files_are_spoken_in_the_order_given() {
        let given = call(&["--say", "one", "--wav", "two.wav", "--json", "--say", "three"]).unwrap();
        let said = |text: &str| Utterance::Say(text.to_owned());
        assert_eq!(given.spoken.0, [said("one"), Utterance::Wav("two.wav".into()), said("three")]);
        assert_eq!(given.dial.to, demo::LINE);
        assert!(call(&["--digits", "0"]).unwrap().spoken.0.is_empty());
    }

    #[test]
    fn a_call_needs_something_to_say_and_one_line() {
        assert!(call(&[]).unwrap_err().contains("--say"));
        assert_eq!(call(&["--say", "hello", "--line", "+12025550111"]).unwrap().dial.to, "+12025550111");
        assert!(call(&["--say", "hello", "--to", "+12025550111", "--tenant", "oakdale"]).is_err());
    }
}
