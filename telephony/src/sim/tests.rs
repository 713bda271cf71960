#![allow(clippy::unwrap_used)]

use super::*;

const MS: fn(u64) -> CallTime = CallTime::from_ms;

fn tone(code: u8) -> MediaCommand {
    MediaCommand::Frame(AudioFrame([code; 160]))
}

/// Every event up to `until`, with its time, but for the caller's silence.
fn events(sim: &mut SimCarrier, until: CallTime) -> Vec<(u64, MediaEvent)> {
    let mut all = Vec::new();
    while let Some(at) = sim.deadline().filter(|&at| at <= until) {
        while let Some(event) = sim.poll(at) {
            if event != MediaEvent::Frame(AudioFrame::SILENCE) {
                all.push((at.as_ms(), event));
            }
        }
    }
    all
}

fn started(sim: &mut SimCarrier) {
    assert!(matches!(sim.poll(CallTime::ZERO), Some(MediaEvent::Started(_))));
}

#[test]
fn frames_play_in_real_time_and_marks_come_back_when_reached() {
    let mut sim = SimCarrier::new(1, Impairments::default());
    started(&mut sim);
    for code in 1..=3 {
        sim.handle_command(MS(0), tone(code));
    }
    sim.handle_command(MS(0), MediaCommand::Mark(MarkId(1)));
    assert_eq!(events(&mut sim, MS(100)), [(60, MediaEvent::MarkPlayed(MarkId(1)))]);
    let times: Vec<_> = sim.heard().iter().map(|f| (f.from.as_ms(), f.to.as_ms(), f.frame.0[0])).collect();
    assert_eq!(times, [(0, 20, 1), (20, 40, 2), (40, 60, 3)]);
}

#[test]
fn a_mark_behind_nothing_comes_back_at_once() {
    let mut sim = SimCarrier::new(1, Impairments::default());
    started(&mut sim);
    sim.handle_command(MS(7), MediaCommand::Mark(MarkId(1)));
    assert_eq!(sim.poll(MS(7)), Some(MediaEvent::MarkPlayed(MarkId(1))));
}

#[test]
fn clear_stops_sound_and_flushes_every_mark_in_order() {
    let mut sim = SimCarrier::new(1, Impairments::default());
    started(&mut sim);
    for mark in 1..=3 {
        sim.handle_command(MS(0), tone(1));
        sim.handle_command(MS(0), MediaCommand::Mark(MarkId(mark)));
    }
    sim.handle_command(MS(30), MediaCommand::Clear);
    let marks: Vec<u64> = events(&mut sim, MS(200)).into_iter().map(|(at, _)| at).collect();
    assert_eq!(marks, [20, 30, 30]);
    assert_eq!(sim.heard().len(), 2);
    assert_eq!(sim.heard()[1].to, MS(30));
}

#[test]
fn the_caller_speaks_on_a_20_ms_clock_and_is_silent_else() {
    let mut sim = SimCarrier::new(1, Impairments::default());
    started(&mut sim);
    sim.speak([AudioFrame([9; 160]); 2]);
    sim.press(MS(0), '5');
    assert_eq!(sim.poll(MS(0)), Some(MediaEvent::Digit('5')));
    let spoken = events(&mut sim, MS(100));
    assert_eq!(spoken.iter().map(|e| e.0).collect::<Vec<_>>(), [20, 40]);
    sim.hang_up(MS(110));
    assert_eq!(events(&mut sim, MS(900)), [(110, MediaEvent::Stopped)]);
    assert!(sim.is_over() && sim.deadline().is_none());
}

#[test]
fn a_stall_holds_everything_back_and_a_stop_ends_it() {
    let stall = Some((MS(100), Duration::from_millis(300)));
    let mut sim = SimCarrier::new(1, Impairments { stall, stop_at: Some(MS(600)), ..Impairments::default() });
    started(&mut sim);
    sim.handle_command(MS(150), tone(1));
    events(&mut sim, MS(399));
    assert!(sim.heard().is_empty());
    assert_eq!(events(&mut sim, MS(900)), [(600, MediaEvent::Stopped)]);
    assert_eq!(sim.heard()[0].from, MS(400));
}

#[test]
fn one_seed_gives_one_course_and_another_another() {
    let impairments = Impairments {
        delay_out: Duration::from_millis(30),
        jitter: Duration::from_millis(40),
        loss_per_mille: 100,
        mark_loss_per_mille: 300,
        ..Impairments::default()
    };
    let course = |seed| {
        let mut sim = SimCarrier::new(seed, impairments);
        for n in 0..50 {
            sim.handle_command(MS(n * 20), tone(1));
            sim.handle_command(MS(n * 20), MediaCommand::Mark(MarkId(n)));
        }
        (events(&mut sim, MS(3_000)), sim.heard().to_vec())
    };
    assert_eq!(course(7), course(7));
    assert_ne!(course(7), course(8));
    assert!(course(7).1.len() < 50);
}

#[test]
fn closing_ends_the_leg() {
    let mut sim = SimCarrier::new(1, Impairments::default());
    started(&mut sim);
    sim.handle_command(MS(10), MediaCommand::Close);
    assert_eq!(events(&mut sim, MS(500)), []);
    assert!(sim.is_over());
}
