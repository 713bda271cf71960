#![allow(clippy::unwrap_used)]

use super::*;

mod properties;
mod rig;

use rig::{Rig, frames_in, key, mark_id};

const MS: fn(u64) -> CallTime = CallTime::from_ms;

fn words(list: &[(&str, u32, u32)]) -> Vec<WordSpan> {
    list.iter().map(|&(t, start_ms, end_ms)| WordSpan { text: t.into(), start_ms, end_ms }).collect()
}

/// A play-out with one segment of `ms` milliseconds, released and complete.
fn with_segment(ms: usize, text: &str) -> PlayOut {
    let mut play = PlayOut::new(PlayOutConfig::default());
    add(&mut play, key(1, 0), ms, text);
    play
}

fn add(play: &mut PlayOut, key: SegmentKey, ms: usize, text: &str) {
    play.plan(CallTime::ZERO, key, text.into());
    play.push_audio(key, &vec![0x20; ms * 8]);
    play.finish(key, Vec::new());
    play.release(key);
}

/// Commands due at a moment.
fn drain(play: &mut PlayOut, now: CallTime) -> Vec<MediaCommand> {
    let commands = std::iter::from_fn(|| play.poll(now)).collect();
    assert!(play.deadline().is_none_or(|at| at > now), "deadline {:?} at {now:?}", play.deadline());
    commands
}

/// Commands of each moment at which one is due, up to `until`.
fn run(play: &mut PlayOut, until: CallTime) -> Vec<(CallTime, MediaCommand)> {
    let mut all = Vec::new();
    while let Some(at) = play.deadline().filter(|&at| at <= until) {
        all.extend(drain(play, at).into_iter().map(|c| (at, c)));
    }
    all
}

#[test]
fn a_burst_up_to_the_cushion_then_one_frame_each_20_ms() {
    let mut play = with_segment(1_000, "hello");
    assert_eq!(frames_in(&drain(&mut play, MS(100))), 7);
    for tick in 1..=20 {
        assert_eq!(play.deadline(), Some(MS(100 + 20 * tick)));
        // A late poll moves nothing.
        assert_eq!(frames_in(&drain(&mut play, MS(100 + 20 * tick + tick % 7))), 1);
    }
    assert_eq!(play.pending_ms(), 1_000 - 27 * 20);
    assert_eq!(play.first_sent_at(1), Some(MS(100)));
}

#[test]
fn an_unreleased_segment_blocks_itself_and_all_behind_it() {
    let mut play = PlayOut::new(PlayOutConfig::default());
    for index in 0..2 {
        play.plan(MS(0), key(1, index), "x".into());
        play.push_audio(key(1, index), &[1; 320]);
        play.finish(key(1, index), Vec::new());
    }
    play.release(key(1, 1));
    assert!(drain(&mut play, MS(0)).is_empty());
    assert_eq!(play.deadline(), None);
    play.release(key(1, 0));
    assert_eq!(frames_in(&drain(&mut play, MS(5))), 4);
}

#[test]
fn segments_join_without_a_gap_and_only_the_last_is_padded() {
    let mut play = PlayOut::new(PlayOutConfig::default());
    for (index, bytes) in [(0, 200), (1, 100), (2, 50)] {
        play.plan(MS(0), key(1, index), "x".into());
        play.push_audio(key(1, index), &vec![u8::try_from(index).unwrap() + 1; bytes]);
        play.finish(key(1, index), Vec::new());
        play.release(key(1, index));
    }
    let commands = drain(&mut play, MS(0));
    let sound: Vec<u8> = commands
        .iter()
        .filter_map(|c| if let MediaCommand::Frame(f) = c { Some(f.0) } else { None })
        .flatten()
        .collect();
    let expected = [vec![1; 200], vec![2; 100], vec![3; 50], vec![0xFF; 130]].concat();
    assert_eq!(sound, expected);
    let sent: Vec<_> = play.ledger().entries().iter().filter_map(|e| sent_frames(&e.event)).collect();
    assert_eq!(sent, [(0, 1), (1, 1), (1, 2)]);
}

fn sent_frames(event: &LedgerEvent) -> Option<(u64, u64)> {
    match event {
        LedgerEvent::Sent { first_frame, last_frame, .. } => Some((*first_frame, *last_frame)),
        _ => None,
    }
}

#[test]
fn audio_that_comes_while_a_frame_is_incomplete_is_waited_for() {
    let mut play = PlayOut::new(PlayOutConfig::default());
    play.plan(MS(0), key(1, 0), "x".into());
    play.release(key(1, 0));
    play.push_audio(key(1, 0), &[1; 250]);
    assert_eq!(frames_in(&drain(&mut play, MS(0))), 1);
    play.push_audio(key(1, 0), &[1; 70]);
    assert_eq!(frames_in(&drain(&mut play, MS(10))), 1);
    assert_eq!(play.under_runs(), 0);
    assert_eq!(run(&mut play, MS(500)), []);
    assert_eq!(play.under_runs(), 1);
    play.push_audio(key(1, 0), &[1; 10]);
    play.finish(key(1, 0), Vec::new());
    assert_eq!(frames_in(&drain(&mut play, MS(600))), 1);
    assert_eq!(play.under_runs(), 1);
}

#[test]
fn marks_come_after_the_first_frame_each_segment_and_500_ms() {
    let mut play = with_segment(1_300, "a");
    add(&mut play, key(1, 1), 100, "b");
    let commands = run(&mut play, MS(1_900));
    let mut frames = 0;
    let mut marked = Vec::new();
    for (_, command) in &commands {
        match command {
            MediaCommand::Frame(_) => frames += 1,
            MediaCommand::Mark(_) => marked.push(frames * 20),
            _ => {}
        }
    }
    assert_eq!(marked, [20, 520, 1_020, 1_300, 1_400]);
    let ids: Vec<u64> = commands.iter().filter_map(|(_, c)| mark_id(c)).collect();
    assert_eq!(ids, [1, 2, 3, 4, 5]);
}

#[test]
fn a_segment_is_heard_when_its_last_mark_comes_back() {
    let mut play = with_segment(200, "all of it");
    run(&mut play, MS(150));
    assert!(play.is_audible(MS(150)));
    play.mark_played(MS(50), MarkId(1));
    assert_eq!(play.take_closed(), None);
    play.mark_played(MS(230), MarkId(2));
    let closed = play.take_closed().unwrap();
    assert_eq!(
        (closed.state, closed.heard_text.as_str(), closed.estimated),
        (SegmentState::Heard, "all of it", false)
    );
    assert!(closed.to <= MS(230) && closed.to >= MS(200), "{:?}", closed.to);
    assert!(play.is_drained() && !play.is_audible(MS(230)));
    assert!(play.heard(1).complete);
    assert_eq!(play.unheard(1), []);
}

#[test]
fn a_lost_mark_is_settled_by_the_next() {
    let mut play = with_segment(200, "one");
    add(&mut play, key(1, 1), 200, "two");
    run(&mut play, MS(400));
    play.mark_played(MS(430), MarkId(3));
    assert_eq!(play.take_closed().unwrap().key, key(1, 0));
    assert_eq!(play.take_closed().unwrap().state, SegmentState::Heard);
    assert_eq!(play.take_closed(), None);
}

#[test]
fn clear_keeps_the_words_heard_and_nothing_else() {
    let mut play = PlayOut::new(PlayOutConfig::default());
    play.plan(MS(0), key(1, 0), "Good morning, how can I help?".into());
    play.push_audio(key(1, 0), &[0x20; 16_000]);
    let spans = [("Good", 0, 300), ("morning", 300, 700), ("how", 900, 1_100), ("can", 1_100, 1_300)];
    let rest = [("I", 1_300, 1_400), ("help", 1_400, 1_900)];
    play.finish(key(1, 0), words(&[spans.as_slice(), rest.as_slice()].concat()));
    play.release(key(1, 0));
    add(&mut play, key(1, 1), 500, "Anything else?");
    run(&mut play, MS(560));
    play.mark_played(MS(60), MarkId(1));
    play.mark_played(MS(560), MarkId(2));
    run(&mut play, MS(1_000));
    assert_eq!(play.heard(1).text, "Good morning,");
    play.clear(MS(1_000));
    assert_eq!(play.poll(MS(1_000)), Some(MediaCommand::Clear));
    assert_eq!(run(&mut play, MS(5_000)), []);
    let (first, second) = (play.take_closed().unwrap(), play.take_closed().unwrap());
    assert_eq!((first.state, first.heard_text.as_str()), (SegmentState::PartlyHeard, "Good morning,"));
    assert_eq!((second.state, second.heard_text.as_str()), (SegmentState::Dropped, ""));
    assert!(!first.estimated && play.is_drained() && !play.is_audible(MS(1_001)));
    let heard = play.heard(1);
    assert_eq!((heard.text.as_str(), heard.complete), ("Good morning,", false));
    assert_eq!(play.unheard(1).len(), 2);
}

#[test]
fn a_mark_flushed_by_a_clear_proves_nothing() {
    let mut play = with_segment(400, "never heard");
    run(&mut play, MS(10));
    play.clear(MS(10));
    drain(&mut play, MS(10));
    play.mark_played(MS(20), MarkId(1));
    assert_eq!(play.take_closed().unwrap().state, SegmentState::PartlyHeard);
    assert_eq!(play.heard(1).text, "");
    let flushed = |e: &LedgerEntry| matches!(e.event, LedgerEvent::MarkFlushed { .. });
    assert!(play.ledger().entries().iter().any(flushed));
}

#[test]
fn words_said_again_replace_those_that_were_cut() {
    let mut play = with_segment(1_000, "First sentence.");
    add(&mut play, key(1, 1), 1_000, "Second sentence.");
    run(&mut play, MS(10));
    play.clear(MS(10));
    assert_eq!(play.unheard(1).len(), 2);
    add(&mut play, key(1, 2), 100, "First sentence.");
    assert_eq!(
        play.unheard(1),
        [(key(1, 1), "Second sentence.".to_owned()), (key(1, 2), "First sentence.".to_owned())]
    );
}

#[test]
fn cancel_lets_what_was_sent_play_on() {
    let mut play = with_segment(1_000, "one two three four five six seven eight nine ten");
    add(&mut play, key(2, 0), 100, "next");
    drain(&mut play, MS(0));
    play.cancel(MS(0), 1);
    let commands = run(&mut play, MS(200));
    assert_eq!(commands.iter().filter(|(_, c)| matches!(c, MediaCommand::Frame(_))).count(), 5);
    assert!(commands.iter().all(|(_, c)| *c != MediaCommand::Clear));
    play.push_audio(key(1, 0), &[0; 160]);
    assert_eq!(play.strays(), (1, 0));
    play.mark_played(MS(160), MarkId(2));
    let closed = play.take_closed().unwrap();
    assert_eq!((closed.state, closed.heard_text.as_str()), (SegmentState::PartlyHeard, "one"));
    play.mark_played(MS(260), MarkId(3));
    assert_eq!(play.take_closed().unwrap().state, SegmentState::Heard);
}

#[test]
fn cancel_of_what_was_not_sent_drops_it_at_once() {
    let mut play = PlayOut::new(PlayOutConfig::default());
    play.plan(MS(0), key(3, 0), "x".into());
    play.cancel(MS(7), 3);
    assert_eq!(play.take_closed().unwrap().state, SegmentState::Dropped);
    assert!(play.is_drained());
    assert_eq!(play.deadline(), None);
}

#[test]
fn hold_stops_and_duck_softens_what_is_still_to_be_sent() {
    let mut play = with_segment(1_000, "x");
    drain(&mut play, MS(0));
    play.set_hold(true);
    assert_eq!(run(&mut play, MS(130)), []);
    play.set_hold(false);
    play.set_duck(true);
    let commands = drain(&mut play, MS(600));
    let Some(MediaCommand::Frame(frame)) = commands.first() else { panic!("no frame") };
    assert_ne!(frame.0, [0x20; FRAME_BYTES]);
    assert_eq!(frames_in(&commands), 7);
    assert_eq!(play.under_runs(), 0);
}

#[test]
fn without_marks_the_clock_decides_and_says_so() {
    let mut play = with_segment(1_000, "quiet carrier");
    run(&mut play, MS(2_019));
    assert_eq!(play.take_closed(), None);
    assert!(!play.is_audible(MS(1_500)));
    run(&mut play, MS(2_021));
    let closed = play.take_closed().unwrap();
    assert_eq!((closed.state, closed.estimated), (SegmentState::Heard, true));
    assert!(play.is_drained());
    // The next segment need not wait as long.
    add(&mut play, key(2, 0), 1_000, "still no marks at all");
    run(&mut play, MS(2_700));
    let heard = play.heard(2);
    assert!(heard.estimated && !heard.text.is_empty(), "{heard:?}");
    // A mark that comes back ends the guessing.
    play.mark_played(MS(2_710), MarkId(5));
    assert!(!play.heard(2).estimated);
}

#[test]
fn a_cut_with_a_late_mark_is_labelled_as_estimated() {
    let mut play = with_segment(2_000, "a b c d");
    run(&mut play, MS(900));
    play.clear(MS(900));
    assert!(play.take_closed().unwrap().estimated);
}

#[test]
fn unknown_and_repeated_marks_and_keys_are_counted_only() {
    let mut play = with_segment(100, "x");
    run(&mut play, MS(100));
    for mark in [MarkId(99), MarkId(2), MarkId(2), MarkId(1), MarkId(0)] {
        play.mark_played(MS(150), mark);
    }
    play.plan(MS(150), key(1, 0), "again".into());
    play.push_audio(key(7, 7), &[0; 10]);
    play.finish(key(7, 7), Vec::new());
    play.release(key(7, 7));
    assert_eq!(play.strays(), (1, 4));
    assert!(play.is_drained());
    assert_eq!(play.heard(1).text, "x");
}

#[test]
fn a_segment_without_audio_is_dropped_and_does_not_block() {
    let mut play = PlayOut::new(PlayOutConfig::default());
    add(&mut play, key(1, 0), 0, "nothing came");
    add(&mut play, key(1, 1), 20, "b");
    assert_eq!(frames_in(&drain(&mut play, MS(0))), 1);
    assert_eq!(play.take_closed().unwrap().state, SegmentState::Dropped);
}

#[test]
fn a_segment_finished_after_its_audio_left_gets_its_mark() {
    let mut play = PlayOut::new(PlayOutConfig::default());
    play.plan(MS(0), key(1, 0), "x".into());
    play.release(key(1, 0));
    play.push_audio(key(1, 0), &[1; 320]);
    drain(&mut play, MS(0));
    play.finish(key(1, 0), Vec::new());
    assert_eq!(drain(&mut play, MS(30)), [MediaCommand::Mark(MarkId(2))]);
    play.mark_played(MS(60), MarkId(2));
    assert_eq!(play.take_closed().unwrap().state, SegmentState::Heard);
}

#[test]
fn a_jittery_leg_gets_a_longer_cushion() {
    let mut play = with_segment(20_000, "long");
    for n in 0..20 {
        let at = MS(30 + n * 500);
        run(&mut play, at);
        let late = if n % 2 == 0 { 0 } else { 250 };
        play.mark_played(at + Duration::from_millis(late), MarkId(n + 1));
    }
    assert!(play.cushion() > Duration::from_millis(140) && play.cushion() <= Duration::from_millis(400));
}

#[test]
fn a_perfect_leg_hears_everything_in_real_time() {
    let mut rig = Rig::new(1, crate::sim::Impairments::default());
    rig.say(key(1, 0), 1_000);
    rig.say(key(1, 1), 730);
    rig.run_until(MS(3_000));
    assert_eq!(rig.ear_ms(), 1_730);
    assert!(rig.play.is_drained());
    let gaps = rig.sim.heard().windows(2).filter(|w| w[0].to != w[1].from).count();
    assert_eq!((gaps, rig.play.under_runs()), (0, 0));
}
