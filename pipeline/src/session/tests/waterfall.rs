//! Where a turn's time is said to have gone.

use std::time::Duration;

use super::GREETED;
use super::world::{Habits, Speech, World, quick, say};
use crate::event::EventBody;
use crate::latency::{Stage, TurnLatency};
use crate::session::SessionConfig;

const OWN: [Stage; 6] = [
    Stage::Guard,
    Stage::Retrieval,
    Stage::Orchestrator,
    Stage::LlmFirstToken,
    Stage::FirstClause,
    Stage::Rules,
];
const DELAY: u64 = 600;
/// Speech is looked at every 32 ms, a frame leaves every 20.
const GRAIN: f64 = 53.0;

fn habits() -> Habits {
    Habits { reply_ms: 0, stages: OWN.map(|stage| (stage, 10)).to_vec(), ..Habits::default() }
}

fn turn_of(speech: Speech, habits: Habits, guesses: u32) -> TurnLatency {
    let config = SessionConfig {
        speculations_per_turn: guesses,
        filler_after: Duration::from_secs(30),
        first_wait: Duration::from_millis(300),
        wait_for_odds: Duration::from_millis(400),
        ..quick()
    };
    let mut w = World::of(vec![speech], habits, config);
    w.run_to(12_000);
    let latency = w.events.iter().find_map(|(_, e)| match e {
        EventBody::Latency { latency } => Some(latency.clone()),
        _ => None,
    });
    latency.unwrap()
}

fn question() -> Speech {
    say(GREETED, 5_500, "When is the office open?")
}

fn delayed(stage: Stage) -> (Speech, Habits) {
    let (mut speech, mut habits) = (question(), habits());
    match stage {
        Stage::Endpointing => speech.complete = 0.1,
        Stage::SttFinal => habits.final_ms += DELAY,
        Stage::TtsFirstByte => habits.synthesis_ms += DELAY,
        Stage::Pacing => habits.durable_ms += DELAY,
        own => habits.stages.iter_mut().filter(|(s, _)| *s == own).for_each(|(_, ms)| *ms += DELAY),
    }
    (speech, habits)
}

fn of(latency: &TurnLatency, stage: Stage) -> f64 {
    latency.stages.iter().filter(|s| s.stage == stage).map(|s| s.ms).sum()
}

fn all() -> impl Iterator<Item = Stage> {
    let around = [Stage::Endpointing, Stage::SttFinal, Stage::TtsFirstByte, Stage::Pacing];
    around.into_iter().chain(OWN)
}

fn assert_whole(latency: &TurnLatency) {
    let sum: f64 = latency.stages.iter().map(|s| s.ms).sum::<f64>() + latency.unattributed_ms;
    assert!((sum - latency.total_ms).abs() < 0.01, "{latency:?}");
    assert!(latency.unattributed_ms < 5.0, "{latency:?}");
    assert_eq!(latency.stages.len(), all().count(), "each stage once: {latency:?}");
}

#[test]
fn a_delay_shows_in_its_own_stage_and_in_no_other() {
    let plain = turn_of(question(), habits(), 0);
    assert_whole(&plain);
    for stage in all() {
        let (speech, habits) = delayed(stage);
        let slow = turn_of(speech, habits, 0);
        assert_whole(&slow);
        let more = slow.total_ms - plain.total_ms;
        assert!(more > 150.0, "{stage:?}: {more} ms more");
        for other in all() {
            let grown = of(&slow, other) - of(&plain, other);
            let expected = if other == stage { more } else { 0.0 };
            assert!(
                (grown - expected).abs() < GRAIN,
                "{stage:?} delayed, {other:?} grew by {grown}: {slow:?}"
            );
        }
    }
}

#[test]
fn of_a_reply_begun_on_a_guess_only_what_the_caller_waited_for_is_counted() {
    let plain = turn_of(question(), habits(), 3);
    assert!(plain.speculative, "{plain:?}");
    for stage in OWN {
        let (speech, habits) = delayed(stage);
        let slow = turn_of(speech, habits, 3);
        assert!(slow.speculative, "{slow:?}");
        assert_whole(&slow);
        let (more, shown) = (slow.total_ms - plain.total_ms, of(&slow, stage));
        assert!((100.0..DELAY as f64 + GRAIN).contains(&more), "{stage:?}: {more}");
        // Part of the delay ran beside the wait for the turn's end.
        assert!(shown > 100.0 && shown <= DELAY as f64 + 10.0, "{stage:?}: {slow:?}");
        assert!(of(&slow, Stage::Endpointing) <= of(&plain, Stage::Endpointing) + GRAIN, "{slow:?}");
    }
}
