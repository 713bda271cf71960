//! A call that was becomes a scenario: by its transcript, without anybody's data, or by its journal, with the caller's voice.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use anyhow::{Context, bail};
use chrono::{DateTime, Utc};
use regex::{Captures, Regex};
use serde_json::Value;

use super::evidence::Turn;
use super::file;
use super::gateway::Tested;
use caller::audio;
use caller::replay::journal;
use caller::replay::recording::{Begin, Recording};
use caller::script::pressed;

/// Personal data as the API shows it.
static TOKEN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"⟨([a-z_]+):[0-9]+⟩").expect("clippy compiles this pattern"));
/// A value of more words is how this caller put it, and no more than that.
const SHORT: usize = 3;

/// Writes a scenario of a call that the gateway has kept.
///
/// # Errors
/// There is no such call, or the file cannot be written.
pub async fn recorded(tested: &Tested, tenant: Option<&str>, id: &str, output: &Path) -> anyhow::Result<()> {
    let of_call = format!("/v1/calls/{id}");
    let call = tested.get(&of_call, tenant).await?;
    if call["state"] == "live" {
        bail!("the call is not over yet");
    }
    let transcript = tested.get(&format!("{of_call}/transcript"), tenant).await?;
    let turns: Vec<Turn> = serde_json::from_value(transcript["turns"].clone())?;
    let listed = tested.get("/v1/work-items?limit=200", tenant).await?;
    let items = listed["items"].as_array().cloned().unwrap_or_default();
    let left: Vec<Value> = items.into_iter().filter(|item| item["call_id"] == call["id"]).collect();
    put(output, &of_turns(&call, &turns, &left)?)
}

/// Writes a scenario of a journal, and the caller's sound beside it.
///
/// # Errors
/// It is no journal, or the files cannot be written.
pub fn journal(path: &Path, output: &Path) -> anyhow::Result<()> {
    let (recording, legs) = (Recording::read(path)?, journal::read(path)?);
    let mut out = String::from(
        "# Holds the caller's own voice: keep it where recordings are kept.\n# Nothing is expected yet. Say what must be heard \
         and left behind.\n",
    );
    let _ = writeln!(out, "name: {}\nsteps:", quoted(&format!("As recorded: {}", recording.name())));
    let stem = output.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    for (number, (range, begin)) in (1..).zip(turns_of(&recording)) {
        let keys: String = range.clone().flat_map(|frame| recording.keys(frame)).collect();
        let frames = legs.caller.get(range.start..range.end.min(legs.caller.len())).unwrap_or_default();
        if range.clone().any(|frame| recording.is_voiced(frame)) {
            let wav = format!("{stem}-{number}.wav");
            audio::write_mono(&output.with_file_name(&wav), frames)?;
            let _ = writeln!(out, "  - wav: {}", quoted(&wav));
            if !keys.is_empty() {
                let _ = writeln!(out, "    # Keys were pressed meanwhile: {keys}");
            }
        } else {
            let _ = writeln!(out, "  - keys: {}", quoted(&keys));
        }
        match begin {
            Begin::OverAgent { into } => {
                let _ = writeln!(out, "    over: {{ after_ms: {} }}", into * 20);
            }
            Begin::AfterAgent { reaction } => {
                let _ = writeln!(out, "    wait_ms: {}", reaction * 20);
            }
            Begin::Pause(_) => {}
        }
    }
    put(output, &out)
}

/// What was said without waiting belongs together.
fn turns_of(recording: &Recording) -> Vec<(std::ops::Range<usize>, Begin)> {
    let mut turns: Vec<(std::ops::Range<usize>, Begin)> = Vec::new();
    for piece in recording.pieces() {
        match (piece.begin, turns.last_mut()) {
            (Begin::Pause(_), Some((range, _))) => range.end = piece.frames.end,
            _ => turns.push((piece.frames.clone(), piece.begin)),
        }
    }
    turns
}

/// The text of the file, which has to be one that can be read.
fn put(output: &Path, text: &str) -> anyhow::Result<()> {
    file::parse(text, output).context("the call makes no scenario")?;
    fs::write(output, text).with_context(|| format!("{} cannot be written", output.display()))
}

fn of_turns(call: &Value, turns: &[Turn], left: &[Value]) -> anyhow::Result<String> {
    let word = |name: &str| call[name].as_str().unwrap_or_default();
    let mut out = String::from(
        "# Of a call that was. Names, numbers and addresses that were found in it are invented ones: read it before you share it.\n\
         # What was heard then is noted beside each step. Say what must be heard.\n",
    );
    let _ = writeln!(out, "name: {}", quoted(&format!("As on {}", word("started_at"))));
    let language = if word("language").starts_with("es") { "es" } else { "en" };
    let _ = writeln!(out, "call:\n  to: {}\n  language: {language}\nsteps:", quoted(word("line")));
    let mut said = 0;
    for (at, turn) in turns.iter().enumerate().filter(|(_, turn)| turn.speaker == "caller") {
        if let Some(keys) = turn.text.strip_prefix("[keys ").and_then(|rest| rest.strip_suffix(']')) {
            // Secret ones are not on record.
            let keys: String =
                keys.chars().map(|key| if pressed(&key.to_string()).is_ok() { key } else { '0' }).collect();
            let _ = writeln!(out, "  - keys: {}", quoted(&keys));
            said += 1;
            continue;
        }
        let text = spoken(&turn.text);
        if !text.chars().any(char::is_alphanumeric) {
            continue;
        }
        said += 1;
        let _ = writeln!(out, "  - say: {}", quoted(&text));
        let before = turns[..at].iter().rev().find(|turn| turn.is_agent());
        if let Some(agent) = before.filter(|agent| agent.interrupted) {
            let _ = writeln!(out, "    over: {{ after_ms: {} }}", between(agent.started_at, turn.started_at));
        }
        let next = turns[at + 1..].iter().take_while(|turn| turn.speaker != "caller");
        for reply in next.filter(|turn| turn.is_agent() && !turn.heard().is_empty()) {
            let _ = writeln!(out, "    # heard: {}", one_line(reply.heard()));
        }
    }
    if said == 0 {
        bail!("the caller says nothing in it");
    }
    let ended = match word("end_reason") {
        "agent_hung_up" => "agent",
        _ => "caller",
    };
    let _ = writeln!(out, "expect:\n  ended_by: {ended}");
    if !word("attention").is_empty() {
        let _ = writeln!(out, "  attention: {}", word("attention"));
    }
    if left.is_empty() {
        out.push_str("  work: []\n");
    } else {
        out.push_str("  work:\n");
        left.iter().for_each(|item| of_item(item, &mut out));
    }
    Ok(out)
}

fn of_item(item: &Value, out: &mut String) {
    let _ = writeln!(out, "    - kind: {}", quoted(item["kind"].as_str().unwrap_or_default()));
    let fields = item["fields"].as_array().map(Vec::as_slice).unwrap_or_default();
    let known = fields.iter().filter_map(|field| {
        let (name, value) = (field["name"].as_str()?, field["value"].as_str()?);
        let is_short = (1..=SHORT).contains(&super::words::tokens(value).len());
        // Dates move, and tokens stand for something that is not told.
        let plain = is_short && !value.contains('⟨') && !value.starts_with("20");
        plain.then_some((name, value))
    });
    for (at, (name, value)) in known.enumerate() {
        if at == 0 {
            out.push_str("      fields:\n");
        }
        let _ = writeln!(out, "        {}: {}", quoted(name), quoted(value));
    }
}

fn between(from: DateTime<Utc>, to: DateTime<Utc>) -> i64 {
    (to - from).num_milliseconds().clamp(0, 60_000)
}

/// A JSON string is a YAML one.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Words to say, with something invented in place of each token, and nothing in them that an utterance would read as its own
/// signs.
fn spoken(text: &str) -> String {
    let invented = |found: &Captures<'_>| {
        match &found[1] {
            "phone" => "two oh two, five five five, oh one six three",
            "name" => "Daniel Ortega",
            "address" => "12 Oak Street",
            "date_of_birth" => "March third, nineteen sixty one",
            "email" => "daniel at example dot com",
            _ => "one two three four",
        }
        .to_owned()
    };
    let text = TOKEN.replace_all(text, invented);
    one_line(&text.replace(['<', '>', '⟨', '⟩'], " ")).trim_start_matches("keys:").to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::scenario::file::{Deed, Moment};

    fn turn(turn: u64, speaker: &str, text: &str, at_ms: i64, interrupted: bool) -> Turn {
        let started_at = DateTime::UNIX_EPOCH + chrono::Duration::milliseconds(at_ms);
        let (speaker, text) = (speaker.to_owned(), text.to_owned());
        Turn { turn, speaker, text, started_at, ended_at: None, interrupted, heard_text: None }
    }

    #[test]
    fn a_call_is_said_again_with_invented_data_and_interrupted_where_it_was() {
        let call = json!({ "line": "+12025550100", "language": "en-US", "end_reason": "agent_hung_up",
            "attention": "watch", "started_at": "2026-11-27T12:00:00Z" });
        let turns = [
            turn(1, "agent", "Thank you for calling.", 0, true),
            turn(2, "caller", "I'm ⟨name:1⟩, \"call\" <me> at ⟨phone:1⟩.", 900, false),
            turn(3, "agent", "What's\nyour name?", 4_000, false),
            turn(4, "caller", "…", 6_000, false),
            turn(5, "caller", "[keys 44?]", 7_000, false),
        ];
        let left = [json!({ "kind": "message", "fields": [
            { "name": "about", "value": "a permit" }, { "name": "phone", "value": "⟨phone:1⟩" } ] })];
        let text = of_turns(&call, &turns, &left).unwrap();
        let scenario = file::parse(&text, Path::new("x.yaml")).unwrap();
        let [step, keys] = scenario.steps.as_slice() else { panic!("{text}") };
        let Deed::Say(said, _) = &step.deed else { panic!("{text}") };
        assert!(said.written().contains("Daniel Ortega, \"call\" me at two oh two"), "{text}");
        assert_eq!(step.over.as_ref().unwrap().moment, Moment::AfterMs(900));
        assert_eq!(keys.deed, Deed::Keys(vec!['4', '4', '0']));
        assert!(text.contains("# heard: What's your name?"), "{text}");
        let work = scenario.expect.work.unwrap();
        assert_eq!((work[0].kind.as_str(), work[0].fields.len()), ("message", 1));
        assert!(of_turns(&call, &turns[..1], &[]).is_err());
    }

    #[test]
    fn a_journal_becomes_a_scenario_with_the_callers_own_voice() {
        use pipeline::session::journal::{JournalEntry, Recorded, encode_audio};
        let dir = tempfile::tempdir().unwrap();
        let (path, output) = (dir.path().join("call.jsonl"), dir.path().join("new.yaml"));
        let (loud, quiet) = ([0x20; 160], [0xFF; 160]);
        let mut lines = String::new();
        for at in 0..400_u64 {
            let agent = (10..100).contains(&at);
            let caller = (150..190).contains(&at);
            let mut line = |what| {
                let entry = JournalEntry { at_us: at * 20_000, what };
                lines.push_str(&(serde_json::to_string(&entry).unwrap() + "\n"));
            };
            if agent {
                line(Recorded::Out { audio: encode_audio(&loud) });
            }
            if at == 300 {
                line(Recorded::Digit { digit: '5' });
            }
            line(Recorded::In { audio: encode_audio(if caller { &loud } else { &quiet }) });
        }
        fs::write(&path, lines).unwrap();
        journal(&path, &output).unwrap();
        let scenario = file::read(&output).unwrap();
        let deeds: Vec<&Deed> = scenario.steps.iter().map(|step| &step.deed).collect();
        assert_eq!(*deeds[0], Deed::Wav(dir.path().join("new-1.wav")));
        assert!(audio::read(&dir.path().join("new-1.wav")).unwrap().len() >= 40);
    }
}
