//! Recorded callers, played again against a gateway with doubles: who spoke over the agent does so again.

use std::sync::Arc;
use std::time::Duration;

use caller::dial::Exchange;
use caller::replay::course::Manner;
use caller::replay::load::{self, Board, Plan, Totals};
use caller::replay::recording::{Begin, Recording};
use caller::replay::trouble::Shares;
use gateway::config::Config;
use telephony::media::{AudioFrame, FRAME_BYTES};
use tests::gateway::{Doubles, LINE, TestGateway};
use tokio_util::sync::CancellationToken;

const LOUD: AudioFrame = AudioFrame([0x10; FRAME_BYTES]);

/// Frames of silence and speech in turn, silence first.
fn leg(lengths: &[usize]) -> Vec<AudioFrame> {
    let sounds = [AudioFrame::SILENCE, LOUD];
    lengths.iter().zip(sounds.into_iter().cycle()).flat_map(|(n, frame)| vec![frame; *n]).collect()
}

async fn replay(gateway: &TestGateway, recording: Recording, callers: usize) -> Totals {
    let plan = Plan {
        recordings: vec![Arc::new(recording)],
        callers,
        ramp: 20.0,
        repeat: 1,
        manner: Manner::default(),
        shares: Shares::default(),
        to: LINE.to_owned(),
        seed: 1,
        keep_ids: true,
    };
    let config = Config::for_test(gateway.dir.path());
    let exchange = Exchange::new(config.carrier_account(), reqwest::Client::new(), gateway.base.clone());
    let board = Arc::new(Board::default());
    load::run(plan, Arc::new(exchange), board.clone(), CancellationToken::new()).await;
    board.totals.lock().clone()
}

#[tokio::test]
async fn a_caller_who_spoke_over_the_agent_stops_ours_too() {
    let gateway = TestGateway::start(Doubles::default()).await.unwrap();
    // Greeted for a second; asks; 2 s into the answer speaks for 1.2 s over it; is answered.
    let caller = leg(&[75, 50, 140, 60, 100]);
    let agent = leg(&[5, 50, 110, 160, 30, 60, 10]);
    let recording = Recording::new("over", &caller, Some(&agent), Vec::new()).unwrap();
    assert_eq!(recording.pieces()[1].begin, Begin::OverAgent { into: 100 });
    let totals = replay(&gateway, recording, 3).await;
    assert_eq!((totals.completed, totals.failed()), (3, 0), "{:?}", totals.failures);
    assert_eq!((totals.over.onsets, totals.over.cleared), (3, 3), "{:?}", totals.over);
    let clear = totals.clears.spread();
    assert!(clear.p50 > 100.0 && clear.worst < 1_000.0, "{clear:?}");
    assert_eq!((totals.turns.spoken, totals.turns.answered), (6, 6), "{:?}", totals.turns);
    assert_eq!(totals.under_runs, 0);
    for id in &totals.ids {
        let path = format!("/v1/calls/{id}/transcript");
        let interrupted = |t: &serde_json::Value| {
            t["turns"].as_array().is_some_and(|turns| turns.iter().any(|t| t["interrupted"] == true))
        };
        gateway.until(&path, interrupted).await.unwrap();
    }
    gateway.running.shutdown().await;
}

#[tokio::test]
async fn a_gateway_that_stops_in_the_middle_fails_its_calls_with_a_reason() {
    let gateway = TestGateway::start(Doubles::default()).await.unwrap();
    let recording = Recording::new("long", &leg(&[75, 50, 75, 50, 75]), None, Vec::new()).unwrap();
    let running = gateway.running.stopper();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        // Once drains, twice cuts off.
        let _ = running.send(()).await;
        let _ = running.send(()).await;
    });
    let totals = replay(&gateway, recording, 2).await;
    assert_eq!(totals.failures["the gateway closed the stream with code 1001"], 2, "{:?}", totals.failures);
}
