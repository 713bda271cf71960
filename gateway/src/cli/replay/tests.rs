//! Replays against a gateway with simulated engines, over the real wire.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Parser;
use pipeline::session::journal::{JournalEntry, Recorded, encode_audio};
use secrecy::SecretString;
use telephony::media::{AudioFrame, FRAME_BYTES};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::report::Report;
use super::{play, run, table};
use crate::calls::journal_recorders::RecordLine;
use crate::cli::{Cli, Command, args};
use crate::config::Config;
use crate::simulated::TestGateway;
use caller::audio;

const SPEECH: AudioFrame = AudioFrame([0x18; FRAME_BYTES]);

/// A folder with recordings, and the client's settings.
struct Desk {
    dir: tempfile::TempDir,
    config: Config,
}

impl Desk {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let config = Config::for_test(&dir.path().join("client"));
        Self { dir, config }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A caller who says two things of 0.6 s, 1.4 s apart, after 1.2 s of listening.
    fn two_questions(&self) -> PathBuf {
        let path = self.path("two.wav");
        let mut frames = vec![AudioFrame::SILENCE; 60];
        frames.extend([SPEECH; 30]);
        frames.extend([AudioFrame::SILENCE; 70]);
        frames.extend([SPEECH; 30]);
        frames.extend([AudioFrame::SILENCE; 20]);
        audio::write_mono(&path, &frames).unwrap();
        path
    }

    async fn replay(&self, gateway: &TestGateway, path: &Path, more: &[&str]) -> Report {
        let args = arguments(&gateway.url(""), path, more);
        play(&self.config, &args, CancellationToken::new()).await.unwrap()
    }
}

fn arguments(url: &str, path: &Path, more: &[&str]) -> args::Replay {
    let path = path.to_str().unwrap();
    let line = ["quandura", "replay", path, "--url", url, "--patience", "4"];
    match Cli::parse_from(line.iter().chain(more)).command {
        Command::Replay(args) => args,
        other => panic!("{other:?}"),
    }
}

async fn live(gateway: &TestGateway) -> usize {
    for _ in 0..100 {
        if gateway.gateway.app.live.is_empty() {
            return 0;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    gateway.gateway.app.live.len()
}

/// The journal of the one call that was recorded.
async fn journal(mut lines: mpsc::Receiver<RecordLine>) -> Vec<JournalEntry> {
    let mut journal = Vec::new();
    while let Some(RecordLine { entry: Some(entry), .. }) = lines.recv().await {
        journal.push(entry);
    }
    journal
}

#[tokio::test]
async fn every_caller_is_greeted_and_every_question_waits_for_the_answer_before() {
    let gateway = TestGateway::start(|_| {}).await;
    let desk = Desk::new();
    let more = ["--calls", "3", "--ramp", "20/s", "--repeat", "2"];
    let report = desk.replay(&gateway, &desk.two_questions(), &more).await;
    let calls = &report.calls;
    assert_eq!((calls.started, calls.completed, calls.failed), (6, 6, 0), "{:?}", calls.failures);
    let turns = report.turns;
    assert_eq!((turns.spoken, turns.answered, turns.cut_in), (12, 12, 0), "{turns:?}");
    assert_eq!((report.greeting_ms.n, report.answer_ms.n), (6, 12));
    assert!(report.answer_ms.p50 > 50.0 && report.answer_ms.worst < 4_000.0, "{:?}", report.answer_ms);
    assert_eq!(report.play_out.under_runs, 0);
    assert_eq!(report.barge_in.counts.onsets, 0, "nobody spoke over the agent");
    assert!(report.generator.frames > 6 * 200);
    assert_eq!(report.calls.live_at_peak, 3);
    assert_eq!(live(&gateway).await, 0);
}

#[tokio::test]
async fn strict_time_does_not_wait_for_the_agent() {
    let gateway = TestGateway::start(|_| {}).await;
    let desk = Desk::new();
    let report = desk.replay(&gateway, &desk.two_questions(), &["--strict-time"]).await;
    assert_eq!((report.calls.completed, report.turns.spoken), (1, 2));
    let minutes = 210.0 * 0.02 / 60.0;
    assert!((report.calls.minutes - minutes).abs() < 0.3 / 60.0, "{}", report.calls.minutes);
}

#[tokio::test]
async fn a_journal_of_a_replayed_call_replays_with_the_same_turns() {
    let gateway = TestGateway::start(|_| {}).await;
    let desk = Desk::new();
    let lines = gateway.gateway.app.recorders.attach_from_start().unwrap();
    let first = desk.replay(&gateway, &desk.two_questions(), &[]).await;
    let path = desk.path("call.jsonl");
    let text: Vec<String> =
        journal(lines).await.iter().map(|entry| serde_json::to_string(entry).unwrap()).collect();
    std::fs::write(&path, text.join("\n")).unwrap();
    let second = desk.replay(&gateway, &path, &[]).await;
    assert_eq!((first.turns.spoken, first.turns.answered), (2, 2));
    assert_eq!(second.turns, first.turns);
    assert_eq!(second.calls.failed, 0, "{:?}", second.calls.failures);
}

#[tokio::test]
async fn marks_come_back_when_their_sound_was_played() {
    let gateway = TestGateway::start(|_| {}).await;
    let desk = Desk::new();
    let lines = gateway.gateway.app.recorders.attach_from_start().unwrap();
    desk.replay(&gateway, &desk.two_questions(), &[]).await;
    let journal = journal(lines).await;
    let at = |wanted: fn(&Recorded) -> bool| {
        let found = journal.iter().filter(|entry| wanted(&entry.what));
        found.map(|entry| entry.at_us / 1_000).collect::<Vec<_>>()
    };
    let (sounds, marks) =
        (at(|what| matches!(what, Recorded::Out { .. })), at(|what| matches!(what, Recorded::Mark { .. })));
    // The greeting lasts half a second: a mark follows its first frame, another its last.
    let (first, last) = (marks[0] - sounds[0], marks[1] - sounds[0]);
    assert!((15..100).contains(&first) && (480..700).contains(&last), "{first} {last}");
}

#[tokio::test]
async fn keys_of_a_journal_are_pressed_again() {
    let gateway = TestGateway::start(|_| {}).await;
    let desk = Desk::new();
    let path = desk.path("keys.jsonl");
    let silence = encode_audio(AudioFrame::SILENCE.bytes());
    let mut lines = Vec::new();
    for frame in 0..80_u64 {
        lines.push(format!(r#"{{"at_us":{},"kind":"in","audio":"{silence}"}}"#, frame * 20_000));
        if frame == 60 {
            lines.push(format!(r#"{{"at_us":{},"kind":"digit","digit":"7"}}"#, frame * 20_000));
        }
    }
    std::fs::write(&path, lines.join("\n")).unwrap();
    let lines = gateway.gateway.app.recorders.attach_from_start().unwrap();
    let report = desk.replay(&gateway, &path, &["--strict-time"]).await;
    assert_eq!(report.turns.spoken, 1, "{:?}", report.calls.failures);
    let pressed: Vec<_> = journal(lines)
        .await
        .into_iter()
        .filter(|e| matches!(e.what, Recorded::Digit { digit: '7' }))
        .collect();
    assert_eq!(pressed.len(), 1);
    assert!((1_150_000..1_400_000).contains(&pressed[0].at_us), "{}", pressed[0].at_us);
}

#[tokio::test]
async fn callers_whom_the_gateway_turns_away_are_failures_with_their_reason() {
    let gateway = TestGateway::start(|config| {
        config.limits.max_calls = Some(1);
        config.limits.max_busy_streams = 1;
    })
    .await;
    let desk = Desk::new();
    let path = desk.two_questions();
    let report = desk.replay(&gateway, &path, &["--calls", "2", "--ramp", "50"]).await;
    assert_eq!((report.calls.completed, report.calls.failed), (1, 1));
    let reasons: Vec<_> = report.calls.failures.keys().map(String::as_str).collect();
    assert_eq!(reasons, ["the gateway hung up before the caller had said everything"]);
    let args = arguments(&gateway.url(""), &path, &["--calls", "2", "--ramp", "50"]);
    assert_eq!(run(&desk.config, args).await.unwrap_err().to_string(), "1 of 2 calls failed");
}

#[tokio::test]
async fn a_gateway_that_is_not_there_fails_every_call() {
    let desk = Desk::new();
    let args = arguments("http://127.0.0.1:9", &desk.two_questions(), &["--calls", "2"]);
    let report = play(&desk.config, &args, CancellationToken::new()).await.unwrap();
    assert_eq!(report.calls.failures["the gateway does not answer"], 2);
    assert!(table::text(&report).contains("2 × the gateway does not answer"));
}

#[tokio::test]
async fn signed_gateways_are_called_with_the_key_and_refuse_another() {
    let key = |text: &str| Some(SecretString::from(text.to_owned()));
    let gateway =
        TestGateway::start(|config| config.carrier.twilio.auth_token = key("0123456789abcdef")).await;
    let mut desk = Desk::new();
    let path = desk.two_questions();
    desk.config.carrier.twilio.auth_token = key("0123456789abcdef");
    let report = desk.replay(&gateway, &path, &[]).await;
    assert_eq!(report.calls.completed, 1, "{:?}", report.calls.failures);
    desk.config.carrier.twilio.auth_token = key("another");
    let report = desk.replay(&gateway, &path, &[]).await;
    assert_eq!(report.calls.failures["the webhook answered with status 403"], 1);
}

#[tokio::test]
async fn legs_with_trouble_finish_and_are_left_out_of_the_times() {
    let gateway = TestGateway::start(|_| {}).await;
    let desk = Desk::new();
    let more = ["--calls", "4", "--ramp", "50", "--stall", "100%", "--stall-ms", "300", "--jitter", "50%"];
    let report = desk.replay(&gateway, &desk.two_questions(), &more).await;
    assert_eq!((report.calls.completed, report.calls.troubled), (4, 4), "{:?}", report.calls.failures);
    assert_eq!((report.answer_ms.n, report.play_out.late_ms.n), (0, 0));
    assert_eq!((report.turns.spoken, report.turns.answered), (8, 8));
}

#[tokio::test]
async fn callers_who_hang_up_in_the_middle_fail_nothing_and_leave_no_call_behind() {
    let gateway = TestGateway::start(|_| {}).await;
    let desk = Desk::new();
    let more = ["--calls", "4", "--ramp", "50", "--hang-up", "100%"];
    let report = desk.replay(&gateway, &desk.two_questions(), &more).await;
    assert_eq!((report.calls.completed, report.calls.failed), (4, 0), "{:?}", report.calls.failures);
    assert_eq!(live(&gateway).await, 0);
}

#[tokio::test]
async fn a_stop_lets_live_calls_hang_up_and_the_report_is_made() {
    let gateway = TestGateway::start(|_| {}).await;
    let desk = Desk::new();
    let args = arguments(&gateway.url(""), &desk.two_questions(), &["--calls", "2", "--repeat", "100"]);
    let stop = CancellationToken::new();
    let after = stop.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        after.cancel();
    });
    let report = play(&desk.config, &args, stop).await.unwrap();
    assert_eq!((report.calls.started, report.calls.stopped, report.calls.failed), (2, 2, 0));
    assert_eq!(live(&gateway).await, 0);
}

#[test]
fn shares_and_rates_are_written_with_or_without_their_unit() {
    let args = arguments("http://h", Path::new("x"), &["--ramp", "5/s", "--stall", "7.5%", "--jitter", "3"]);
    assert_eq!((args.ramp, args.stall, args.jitter), (5.0, 7.5, 3.0));
    let refused = Cli::try_parse_from(["quandura", "replay", "x", "--stall", "120%"]);
    assert!(refused.unwrap_err().to_string().contains("5%"));
}
