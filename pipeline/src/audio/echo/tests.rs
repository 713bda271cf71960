//! Made-up voices; the benches of barge-in send real ones through.

use std::f32::consts::TAU;
use std::time::Duration;

use telephony::media::{FRAME_BYTES, MediaCommand};

use super::*;
use crate::audio::g711::f32_to_mulaw;
use crate::ports::VoiceActivity;

/// Chance without a clock.
struct Dice(u32);

impl Dice {
    /// -1 to 1.
    fn roll(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 as i32 as f32 / 2_147_483_648.0
    }
}

/// Syllables of 90 to 250 ms, each with a pitch and formants of its own, and gaps between.
fn voice(seed: u32, ms: usize, peak: f32) -> Vec<f32> {
    let mut dice = Dice(seed);
    let mut out = Vec::new();
    while out.len() < ms * 8 {
        let length = (1_360.0 + 640.0 * dice.roll()) as usize;
        let (pitch, formants) =
            (150.0 + 60.0 * dice.roll(), [600.0, 1_500.0, 2_600.0].map(|f| f * (1.0 + 0.4 * dice.roll())));
        let loud = peak * (0.6 + 0.4 * dice.roll());
        let mut state = [[0.0f32; 2]; 3];
        for i in 0..length {
            let pulse =
                if (i as f32 * pitch / 8_000.0).fract() < pitch / 8_000.0 { 1.0 } else { 0.02 * dice.roll() };
            let mut sum = 0.0;
            for (s, hz) in state.iter_mut().zip(formants) {
                let r = 0.96f32;
                let y = pulse + 2.0 * r * (TAU * hz / 8_000.0).cos() * s[0] - r * r * s[1];
                *s = [y, s[0]];
                sum += y;
            }
            out.push(sum * loud * 0.15 * (std::f32::consts::PI * i as f32 / length as f32).sin());
        }
        out.resize(out.len() + (480.0 + 400.0 * dice.roll()) as usize, 0.0);
    }
    out.truncate(ms * 8);
    out
}

fn frames(pcm: &[f32]) -> Vec<AudioFrame> {
    let mut codes = Vec::new();
    f32_to_mulaw(pcm, &mut codes);
    codes.chunks_exact(FRAME_BYTES).filter_map(|c| c.try_into().ok()).map(AudioFrame).collect()
}

/// `pcm` so much later and softer, on a line with some noise.
fn returned(pcm: &[f32], ms: usize, gain: f32) -> Vec<f32> {
    let mut dice = Dice(77);
    let mut low = 0.0;
    let late = std::iter::repeat_n(0.0, ms * 8).chain(pcm.iter().copied());
    late.take(pcm.len())
        .map(|s| {
            low += 0.8 * (s - low);
            low * gain + 0.0008 * dice.roll()
        })
        .collect()
}

fn at(frame: usize) -> CallTime {
    CallTime::from_ms(frame as u64 * 20)
}

/// A call in which we say `ours`, and its figures frame by frame.
fn figures(guard: &mut EchoGuard, ours: &[f32], inbound: &[f32]) -> Vec<f32> {
    let (ours, inbound) = (frames(ours), frames(inbound));
    let mut sent = 0;
    let all = inbound.iter().enumerate();
    all.map(|(i, frame)| {
        while sent < ours.len() && sent < i + 7 {
            guard.played(at(sent), &ours[sent]);
            sent += 1;
        }
        guard.heard(at(i + 1), frame)
    })
    .collect()
}

fn mean(figures: &[f32]) -> f32 {
    figures.iter().sum::<f32>() / figures.len() as f32
}

fn sum(a: &[f32], b: &[f32]) -> Vec<f32> {
    a.iter().zip(b).map(|(x, y)| x + y).collect()
}

#[test]
fn an_echo_is_explained_and_its_delay_found() {
    for (ms, gain) in [(60, 0.5), (230, 0.18), (500, 0.08)] {
        let ours = voice(1, 6_000, 0.5);
        let mut guard = EchoGuard::default();
        let all = figures(&mut guard, &ours, &returned(&ours, ms, gain));
        let late = &all[100..];
        assert!(mean(late) > 0.9, "{ms} ms: {}", mean(late));
        let found = guard.delay_ms().unwrap_or(9_999);
        assert!(found.abs_diff(ms as u64) <= 20, "{ms} ms found as {found}");
    }
}

#[test]
fn sound_as_faint_as_a_far_echo_is_ours_while_we_speak_and_the_callers_when_we_do_not() {
    let (ours, caller) = (voice(1, 4_000, 0.5), voice(7, 8_000, 0.008));
    let mut inbound = vec![0.0; 8_000];
    inbound.extend_from_slice(&caller[..7_000 * 8]);
    let all = figures(&mut EchoGuard::default(), &ours, &inbound);
    // We speak for four seconds; from a second after that nothing of ours can come back.
    assert!(mean(&all[60..190]) > 0.9, "{}", mean(&all[60..190]));
    assert!(mean(&all[270..390]) < 0.05, "{}", mean(&all[270..390]));
}

#[test]
fn an_echo_is_held_back_from_its_first_frame() {
    let ours = voice(2, 3_000, 0.5);
    let all = figures(&mut EchoGuard::default(), &ours, &returned(&ours, 180, 0.2));
    assert!(all[9..75].iter().all(|f| *f > 0.5), "{all:?}");
}

#[test]
fn a_caller_who_talks_over_an_echo_is_let_through_within_150_ms() {
    let ours = voice(3, 6_000, 0.5);
    let mut caller = vec![0.0; 4_000 * 8];
    caller.extend(voice(9, 2_000, 0.5));
    let inbound = sum(&returned(&ours, 200, 0.15), &caller);
    let all = figures(&mut EchoGuard::default(), &ours, &inbound);
    assert!(mean(&all[150..198]) > 0.9, "before the caller: {}", mean(&all[150..198]));
    assert!(all[200..207].iter().any(|f| *f < 0.3), "{:?}", &all[198..215]);
    assert!(mean(&all[207..300]) < 0.35, "while the caller talks: {}", mean(&all[207..300]));
}

#[test]
fn without_an_echo_a_caller_is_never_explained_once_we_were_heard_in_silence() {
    let ours = voice(4, 8_000, 0.5);
    let mut inbound = vec![0.0; 3_000 * 8];
    inbound.extend(voice(10, 5_000, 0.3));
    let mut guard = EchoGuard::default();
    let all = figures(&mut guard, &ours, &inbound);
    assert!(mean(&all[150..]) < 0.02, "{}", mean(&all[150..]));
    assert_eq!(guard.delay_ms(), None);
}

#[test]
fn nothing_is_explained_while_nothing_of_ours_can_come_back() {
    let mut guard = EchoGuard::default();
    assert!(figures(&mut guard, &[], &voice(5, 2_000, 0.5)).iter().all(|f| *f == 0.0));
    let mut ours = voice(6, 2_000, 0.5);
    ours.resize(8_000 * 8, 0.0);
    let inbound = sum(&returned(&ours, 100, 0.2), &vec![0.0; 8_000 * 8]);
    let all = figures(&mut EchoGuard::default(), &ours, &inbound);
    assert!(all[160..].iter().all(|f| *f == 0.0), "after our voice and the longest delay");
}

#[test]
fn what_a_clear_took_back_explains_nothing() {
    let ours = voice(7, 4_000, 0.5);
    let mut guard = EchoGuard::default();
    for (i, frame) in frames(&ours).iter().enumerate() {
        guard.played(at(i), frame);
    }
    guard.cleared(CallTime::ZERO);
    let all = figures(&mut guard, &[], &returned(&ours, 100, 0.2));
    assert!(all.iter().all(|f| *f == 0.0));
}

#[test]
fn frames_that_arrive_in_bunches_are_heard_at_their_own_times() {
    let ours = voice(8, 6_000, 0.5);
    let (sent, inbound) = (frames(&ours), frames(&returned(&ours, 150, 0.2)));
    let mut guard = EchoGuard::default();
    let mut all = Vec::new();
    for (i, frame) in inbound.iter().enumerate() {
        guard.played(at(i), &sent[i]);
        // Every fifth frame comes in time, the four before it with it.
        all.push(guard.heard(at((i / 5 + 1) * 5), frame));
    }
    assert!(mean(&all[100..]) > 0.9, "{}", mean(&all[100..]));
}

/// Takes every sound for speech.
struct Any;

impl VoiceActivity for Any {
    fn push(&mut self, _: &AudioFrame) -> Option<f32> {
        Some(1.0)
    }
}

#[test]
fn a_guarded_detector_knows_when_a_burst_of_frames_will_be_heard() {
    let ours = voice(11, 6_000, 0.5);
    let (sent, inbound) = (frames(&ours), frames(&returned(&ours, 120, 0.2)));
    let mut vad = GuardedVad::new(Box::new(Any));
    let mut scores = Vec::new();
    for (i, frame) in inbound.iter().enumerate() {
        // Five frames at a time, 100 ms ahead.
        if i % 5 == 0 {
            for f in sent.iter().skip(i).take(5) {
                vad.sent(at(i), &MediaCommand::Frame(*f));
            }
        }
        scores.extend(vad.push(at(i) + Duration::from_millis(20), frame));
    }
    assert!(mean(&scores[100..]) < 0.1, "{}", mean(&scores[100..]));
    let found = vad.guard().delay_ms().unwrap_or(9_999);
    assert!(found.abs_diff(120) <= 20, "{found}");
    vad.sent(at(300), &MediaCommand::Clear);
    let caller = frames(&voice(12, 4_000, 0.5));
    let after: Vec<f32> = caller.iter().enumerate().filter_map(|(i, f)| vad.push(at(301 + i), f)).collect();
    assert!(mean(&after[60..]) > 0.95, "our voice is gone, and so is the discount: {}", mean(&after[60..]));
}

#[test]
fn without_an_echo_a_caller_over_the_greeting_is_let_through_within_300_ms() {
    for seed in 0..12 {
        let began = 10 + 4 * seed as usize;
        let mut caller = vec![0.0; began * 160];
        caller.extend(voice(60 + seed, 700, if seed % 2 == 0 { 0.5 } else { 0.2 }));
        caller.resize(3_000 * 8, 0.0);
        let all = figures(
            &mut EchoGuard::default(),
            &voice(30 + seed, 3_000, 0.5),
            &sum(&returned(&caller, 0, 0.0), &caller),
        );
        let free = all[began..].windows(4).position(|w| mean(w) < 0.1).unwrap_or(999);
        assert!(free <= 11, "caller {seed} from frame {began}: {:?}", &all[began..began + 35]);
    }
}

#[test]
fn a_suspicion_ends_when_we_were_heard_in_silence() {
    let ours = voice(4, 3_000, 0.5);
    let mut inbound = vec![0.0; 1_000 * 8];
    inbound.extend(voice(14, 2_000, 0.1));
    let all = figures(&mut EchoGuard::default(), &ours, &returned(&inbound, 0, 1.0));
    // Silence is nobody's.
    let heard = |frame: usize| inbound[frame * 160..(frame + 1) * 160].iter().any(|x| x.abs() > 0.02);
    let held: Vec<usize> = (50..all.len()).filter(|i| heard(*i) && all[*i] > 0.0).collect();
    assert_eq!(held, [0; 0], "frames of the caller's that were taken for ours");
}

#[test]
fn after_ten_hours_it_hears_as_in_the_first_minute() {
    let (ours, late) = (voice(15, 3_000, 0.5), Duration::from_secs(36_000));
    let (sent, inbound) = (frames(&ours), frames(&returned(&ours, 140, 0.2)));
    let heard = |shift: Duration| {
        let mut guard = EchoGuard::default();
        let pairs = sent.iter().zip(&inbound).enumerate();
        let all: Vec<f32> = pairs
            .map(|(i, (ours, theirs))| {
                guard.played(at(i) + shift, ours);
                guard.heard(at(i + 1) + shift, theirs)
            })
            .collect();
        (all, guard.delay_ms())
    };
    assert_eq!(heard(Duration::ZERO), heard(late));
}

#[test]
fn times_in_any_order_neither_panic_nor_leave_the_range() {
    let mut dice = Dice(0x2468_ace1);
    let sounds =
        [frames(&voice(16, 1_000, 0.5)), frames(&vec![0.0; 8_000]), vec![AudioFrame([0; FRAME_BYTES]); 50]]
            .concat();
    let mut guard = EchoGuard::default();
    let mut base = 0u64;
    for step in 0..40_000 {
        let chance = (dice.0 >> 3) as usize;
        let time = match chance % 97 {
            0 => u64::MAX,
            1 => 0,
            2 => base.saturating_add(1 << 40),
            3 => base / 2,
            _ => base.saturating_add_signed((dice.roll() * 400_000.0) as i64),
        };
        base = if step % 4_000 == 3_999 { u64::MAX - 1_000_000_000 } else { base.saturating_add(20_000) };
        let (time, frame) = (CallTime::from_micros(time), &sounds[chance % sounds.len()]);
        match step % 5 {
            0 | 1 => guard.played(time, frame),
            2 if chance.is_multiple_of(11) => {
                guard.cleared(time);
                guard.cleared(time);
            }
            _ => {
                let figure = guard.heard(time, frame);
                assert!((0.0..=1.0).contains(&figure), "step {step}: {figure}");
            }
        }
        dice.roll();
    }
    assert!(guard.delay_ms().is_none_or(|d| d <= 710));
}
