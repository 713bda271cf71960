//! Calls in words, over the real wire, to a gateway with simulated engines.

use std::io::Write;
use std::sync::Arc;

use clap::Parser;
use parking_lot::Mutex;
use pipeline::ports::Language;
use secrecy::SecretString;
use tokio::sync::mpsc;

use super::super::args::{self, Cli};
use super::super::{console, run_words};
use super::show::{Show, Telling};
use super::*;
use crate::simulated::{TestGateway, tone};
use caller::live::Manner;

const PATIENT: Manner = Manner::Patient { gap_ms: 300, answer_ms: 5_000 };

/// What would be on the terminal.
#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Paper {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().clone()).unwrap()
    }
}

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A gateway, and the settings of a client of it.
async fn gateway() -> (TestGateway, Config) {
    let admin = || Some(SecretString::from("an-admin-token-of-the-test"));
    let test = TestGateway::start(|config| config.admin_token = admin()).await;
    let mut config = Config::for_test(test._dir.path());
    config.admin_token = admin();
    config.bind = test.gateway.addr;
    (test, config)
}

fn command(words: &[&str]) -> args::Command {
    Cli::try_parse_from(["quandura"].iter().chain(words)).unwrap().command
}

fn voice() -> Voice {
    Voice::of(tone(), Language::En)
}

#[tokio::test]
async fn words_are_spoken_turn_by_turn_and_what_was_heard_is_kept() {
    let (test, config) = gateway().await;
    let (dir, paper) = (tempfile::tempdir().unwrap(), Paper::default());
    let kept = dir.path().join("reply.wav");
    let words =
        ["call", "--say", "When do you open?", "--say", "Thank you.", "--gap", "0.3", "--quiet", "0.5"];
    let saved = ["--tenant", "riverbend", "--save", kept.to_str().unwrap()];
    let args::Command::Call(call) = command(&[&words[..], &saved[..]].concat()) else { panic!("a call") };
    let show = Show::on(false, Telling::Planned, paper.clone());
    place(&config, &call, Some(&voice()), show).await.unwrap();
    let told = paper.text();
    assert_eq!(told.matches("agent    You said: call me at ⟨phone:1⟩.").count(), 2, "{told}");
    assert!(told.contains("turn 2: answer heard after"), "{told}");
    assert!(audio::read(&kept).unwrap().len() > 100);
    test.gateway.shutdown().await;
}

#[tokio::test]
async fn a_console_speaks_what_is_typed_and_tells_what_is_heard() {
    let (test, config) = gateway().await;
    let (paper, (typed, lines)) = (Paper::default(), mpsc::channel(8));
    for line in ["When do you open?", "/nonsense", "", "/key 5", "/samples", "/hangup"] {
        typed.try_send(line.to_owned()).unwrap();
    }
    let args::Command::Console(args) = command(&["console"]) else { panic!("a console") };
    let show = Show::on(false, Telling::Heard, paper.clone());
    console::session(&config, &args, voice(), lines, PATIENT, show).await.unwrap();
    let told = paper.text();
    for part in [
        "agent    Hello, this is a test.",
        "(speaking)",
        "(listening)",
        "agent    You said: call me at ⟨phone:1⟩.",
        "caller   (keys 5)",
        "old couch",
        "(ended: caller_hung_up)",
    ] {
        assert!(told.contains(part), "{part} is missing in:\n{told}");
    }
    test.gateway.shutdown().await;
}

#[tokio::test]
async fn a_session_ends_with_its_input_and_can_be_read_by_programs() {
    let (test, config) = gateway().await;
    let (paper, (typed, lines)) = (Paper::default(), mpsc::channel(8));
    typed.try_send("Hello.".to_owned()).unwrap();
    drop(typed);
    let args::Command::Console(args) = command(&["console", "--json"]) else { panic!("a console") };
    let show = Show::on(true, Telling::Heard, paper.clone());
    console::session(&config, &args, voice(), lines, PATIENT, show).await.unwrap();
    let told: Vec<serde_json::Value> =
        paper.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<&str> = told.iter().map(|event| event["event"].as_str().unwrap()).collect();
    for name in ["state", "call.reply.heard", "call.ended"] {
        assert!(names.contains(&name), "{names:?}");
    }
    test.gateway.shutdown().await;
}

#[tokio::test]
async fn what_is_wrong_is_said_with_its_remedy() {
    let (test, config) = gateway().await;
    let run = async |words: &[&str]| -> String {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        format!("{:#}", run_words(&config, &words).await.unwrap_err())
    };
    let no_models = run(&["call", "--say", "hello"]).await;
    assert!(no_models.contains("make build") && no_models.contains("--wav"), "{no_models}");
    assert!(run(&["console"]).await.contains("make build"));
    assert!(run(&["console", "--language", "fr"]).await.contains("en or es"));
    assert!(run(&["call", "--digits", "5", "--tenant", "atlantis"]).await.contains("tenant list"));
    let nobody = run(&["call", "--digits", "5", "--url", "http://127.0.0.1:1"]).await;
    assert!(nobody.contains("quandura serve"), "{nobody}");
    for (text, remedy) in [("…", "give a word"), (&*"word ".repeat(200), "at most 600")] {
        assert!(voice().say(text).await.unwrap_err().to_string().contains(remedy));
    }
    test.gateway.shutdown().await;
}
