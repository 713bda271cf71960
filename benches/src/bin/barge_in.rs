//! Barge-in by decision 22: real interruptions over our reply, and sounds that must not cut it.
//!
//! `cargo run --release -p benches --bin barge_in`, after `make models` and scripts/prompts.sh. In virtual time, on
//! one core: the recogniser's answers come after the processor time that they took.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use benches::clips::{self, Prompts, Word};
use benches::cloud_ear::CloudEar;
use benches::embedded_ear::{EmbeddedEar, Engine};
use benches::endpoint_score::quantile;
use benches::over_talk::{Kind, OverTalk, REPLIES, echoed, over_talk};
use benches::virtual_call::{Course, Ear, Setup, VirtualCall};
use pipeline::audio::earshot::EarshotVad;
use pipeline::audio::g711::f32_to_mulaw;
use pipeline::ports::{TextToSpeech, VoiceActivity};
use pipeline::session::SessionConfig;
use speech::LocalSpeech;
use telephony::media::CallTime;

/// How far the simulated recogniser is behind, ms.
const BEHIND_MS: u64 = 150;
/// The same and between interims of a quick one.
const QUICK_MS: (u64, u64) = (100, 100);
/// Interruptions that are named for being slow, and texts that are shown of a sound: the last ones.
const NAMED: usize = 10;
const SHOWN: usize = 3;
/// What if speech of this length, without a word from the recogniser, were enough?
const WHAT_IF: Duration = Duration::from_millis(500);

/// One of our replies.
struct Reply {
    segments: Vec<(String, Vec<u8>)>,
    words: Vec<Word>,
    /// When it is audible at the caller's, ms.
    audible_ms: u64,
}

/// What came of one sound.
struct Outcome<'a> {
    case: &'a OverTalk,
    /// From the sound's onset, ms.
    duck: Option<u64>,
    clear: Option<u64>,
    /// Gave way or cut before the sound began.
    ducked_before: bool,
    cleared_before: bool,
    texts: Vec<String>,
}

/// Bars, ms: duck p95, clear p50, clear p95.
struct Bars(f64, f64, f64);

fn main() -> Result<()> {
    let began = Instant::now();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let models = std::env::var_os("MODELS_DIR").map_or_else(|| root.join("models"), PathBuf::from);
    let prompts = Prompts::open(&root)?;
    let speech = LocalSpeech::load(&models, 1).context("models are missing: `make models` brings them")?;
    let engine = RefCell::new(Engine::load(&models)?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let voice = speech.voice();
    let replies = runtime.block_on(replies(&voice))?;
    let cases = runtime.block_on(over_talk(&prompts, &voice))?;
    print_set(&cases);

    let embedded = |case, config| {
        let vad = Box::new(speech.vad());
        play(case, &replies, config, vad, EmbeddedEar::new(&engine))
    };
    let outcomes: Vec<_> = cases.iter().map(|case| embedded(case, SessionConfig::default())).collect();
    print("built-in: Silero, built-in recogniser", &outcomes, &Bars(150.0, 400.0, 700.0));
    let sooner = SessionConfig { barge_in_unheard: WHAT_IF, ..SessionConfig::default() };
    let outcomes: Vec<_> = cases.iter().map(|case| embedded(case, sooner.clone())).collect();
    print_what_if(&outcomes, &Bars(150.0, 400.0, 700.0));

    let hears = |case: &OverTalk, behind_ms: u64| {
        let mut words = echoed(&replies[case.reply].words, replies[case.reply].audible_ms, case.echo);
        words.extend(case.words.iter().cloned());
        words.sort_by_key(|w| w.to_ms);
        CloudEar::new(words, behind_ms, case.from_ms * 7)
    };
    let cloud = |case, config, ear| play(case, &replies, config, Box::new(EarshotVad::default()), ear);
    let outcomes: Vec<_> =
        cases.iter().map(|case| cloud(case, SessionConfig::cloud(), hears(case, BEHIND_MS))).collect();
    print("cloud: earshot, simulated recogniser", &outcomes, &Bars(150.0, 400.0, 600.0));
    let whole = |case| cloud(case, SessionConfig::cloud(), hears(case, BEHIND_MS).with_whole_words());
    let whole: Vec<_> = cases.iter().map(whole).collect();
    println!("  where the recogniser writes no word before it is over:");
    times(&whole, &Bars(150.0, 400.0, 600.0));
    let quick =
        |case| cloud(case, SessionConfig::cloud(), hears(case, QUICK_MS.1).with_interims_each(QUICK_MS.0));
    let quick: Vec<_> = cases.iter().map(quick).collect();
    println!("  a recogniser that writes every {} ms what was said {} ms before:", QUICK_MS.0, QUICK_MS.1);
    times(&quick, &Bars(150.0, 400.0, 600.0));
    let false_clears = quick.iter().filter(|o| !o.case.is_interruption() && o.is_cleared()).count();
    println!("    false clears, both halves: {false_clears}");
    let sooner = SessionConfig { barge_in_unheard: WHAT_IF, ..SessionConfig::cloud() };
    let outcomes: Vec<_> =
        cases.iter().map(|case| cloud(case, sooner.clone(), hears(case, BEHIND_MS))).collect();
    print_what_if(&outcomes, &Bars(150.0, 400.0, 600.0));
    println!("\nwhole run {:.0} s", began.elapsed().as_secs_f32());
    Ok(())
}

/// Says our replies, and finds out when they are heard: the same in every call, for nothing here is left to chance.
async fn replies(voice: &dyn TextToSpeech) -> Result<Vec<Reply>> {
    let mut all = Vec::new();
    for texts in REPLIES {
        let (mut segments, mut words, mut at) = (Vec::new(), Vec::new(), 0);
        for text in texts {
            let (pcm, times) = clips::say(voice, text).await?;
            let moved = |w: &pipeline::turn::WordTime| Word {
                text: w.text.clone(),
                from_ms: at + u64::from(w.start_ms),
                to_ms: at + u64::from(w.end_ms),
            };
            words.extend(times.iter().map(moved));
            at += clips::length_ms(&pcm);
            let mut mulaw = Vec::new();
            f32_to_mulaw(&pcm, &mut mulaw);
            segments.push((text.to_owned(), mulaw));
        }
        let setup = Setup { opening: segments.clone(), ..Setup::default() };
        let quiet = CloudEar::new(Vec::new(), BEHIND_MS, 0);
        let mut call = VirtualCall::new(setup, Vec::new(), Box::new(EarshotVad::default()), quiet);
        call.run(CallTime::from_ms(1_000), |course| course.frames.len() > 10);
        let audible_ms = call.audible_from().context("nothing of our reply was heard")?.as_ms();
        all.push(Reply { segments, words, audible_ms });
    }
    Ok(all)
}

fn play<'a, E: Ear>(
    case: &'a OverTalk,
    replies: &[Reply],
    config: SessionConfig,
    vad: Box<dyn VoiceActivity>,
    ear: E,
) -> Outcome<'a> {
    let setup = Setup {
        config,
        opening: replies[case.reply].segments.clone(),
        reply_after: Duration::from_millis(300),
        echo: case.echo,
        ..Setup::default()
    };
    let mut call = VirtualCall::new(setup, clips::frames(&case.pcm), vad, ear);
    call.run(CallTime::from_ms(case.over_ms()), |course| !course.clears.is_empty());
    let Course { clears, yields, texts, .. } = call.course;
    let since = |times: &[CallTime]| {
        times.iter().map(|at| at.as_ms()).find(|at| *at >= case.from_ms).map(|at| at - case.from_ms)
    };
    let before = |times: &[CallTime]| times.iter().any(|at| at.as_ms() < case.from_ms);
    Outcome {
        case,
        duck: since(&yields),
        clear: since(&clears),
        ducked_before: before(&yields),
        cleared_before: before(&clears),
        texts: texts
            .into_iter()
            .map(|t| t.confidence.map_or_else(|| t.text.clone(), |c| format!("{} (final, {c:.2})", t.text)))
            .collect(),
    }
}

fn print_set(cases: &[OverTalk]) {
    let mut kinds: BTreeMap<Kind, (usize, usize)> = BTreeMap::new();
    for case in cases {
        let count = kinds.entry(case.kind).or_default();
        count.0 += 1;
        count.1 += usize::from(case.held_out);
    }
    println!("{} sounds over our reply; held out: every second", cases.len());
    for (kind, (all, held_out)) in kinds {
        println!("  {all:>3} {kind:?} ({held_out} held out)");
    }
    println!(
        "  interruptions: 16 prompts and 50 phrases of the built-in voice; plainly, softly (12 dB down), loudly, on a \
         noisy line (-44 dBFS); every eleventh at our first words. OverEcho: 13 of them once more from a speakerphone \
         that gives us back 27 dB down. Echo: our voice alone, 15 to 30 dB down."
    );
    println!(
        "duck, clear: from the sound's onset, ms. taken: our voice was cleared before 2 s after the sound."
    );
}

fn print(title: &str, outcomes: &[Outcome<'_>], bars: &Bars) {
    println!("\n{title}");
    times(outcomes, bars);
    by_manner(outcomes);
    let no_turn: Vec<_> = outcomes.iter().filter(|o| !o.case.is_interruption()).collect();
    for kind in [Kind::BackChannel, Kind::Noise, Kind::Echo] {
        let of = |held_out| {
            let these: Vec<_> =
                no_turn.iter().filter(|o| o.case.kind == kind && o.case.held_out == held_out).collect();
            let ducked = these.iter().filter(|o| o.duck.is_some() || o.ducked_before).count();
            let cleared = these.iter().filter(|o| o.is_cleared()).count();
            format!("cleared {cleared}, ducked {ducked} of {}", these.len())
        };
        println!("  {:<12} held out: {:<34} dev: {}", format!("{kind:?}"), of(true), of(false));
    }
    let cleared: Vec<_> = no_turn.into_iter().filter(|o| o.is_cleared()).collect();
    println!("  false clears, both halves: {} (target: none)", cleared.len());
    for o in cleared {
        println!("    {}, after {} ms; {}", o.case.name, o.clear.unwrap_or_default(), o.understood());
    }
    let before: Vec<_> = outcomes
        .iter()
        .filter(|o| o.case.is_interruption() && (o.ducked_before || o.cleared_before))
        .collect();
    println!("  gave way before the caller spoke: {} interruptions", before.len());
    for o in before {
        println!("    {}{}", o.case.name, if o.cleared_before { ": cleared" } else { "" });
    }
    slowest(outcomes);
}

fn print_what_if(outcomes: &[Outcome<'_>], bars: &Bars) {
    println!("  what if {} ms of speech were enough without a word:", WHAT_IF.as_millis());
    times(outcomes, bars);
    for kind in [Kind::BackChannel, Kind::Noise, Kind::Echo] {
        let cleared = outcomes.iter().filter(|o| o.case.kind == kind && o.is_cleared()).count();
        println!(
            "    {kind:?}: cleared {cleared} of {}",
            outcomes.iter().filter(|o| o.case.kind == kind).count()
        );
    }
}

impl Outcome<'_> {
    fn understood(&self) -> String {
        let left_out = self.texts.len().saturating_sub(SHOWN);
        let dots = if left_out > 0 { "… " } else { "" };
        format!("understood {dots}{:?}", &self.texts[left_out..])
    }

    const fn is_cleared(&self) -> bool {
        self.clear.is_some() || self.cleared_before
    }
}

/// Duck, clear and share of interruptions taken, each half beside its bars.
fn times(outcomes: &[Outcome<'_>], bars: &Bars) {
    for held_out in [true, false] {
        let these: Vec<_> = outcomes
            .iter()
            .filter(|o| o.case.kind == Kind::Interruption && o.case.held_out == held_out)
            .filter(|o| !o.cleared_before)
            .collect();
        let ducks = sorted(these.iter().filter(|o| !o.ducked_before).filter_map(|o| o.duck).collect());
        let clears = sorted(these.iter().filter_map(|o| o.clear).collect());
        let verdict = |value: f64, bar: f64| if value < bar { "met" } else { "MISSED" };
        let (duck, p50, p95) = (quantile(&ducks, 0.95), quantile(&clears, 0.5), quantile(&clears, 0.95));
        println!(
            "  {:<9} duck p50 {:.0} p95 {duck:.0} (150: {}); clear p50 {p50:.0} ({:.0}: {}) p95 {p95:.0} ({:.0}: {}); taken {} of {}",
            if held_out { "held out" } else { "dev" },
            quantile(&ducks, 0.5),
            verdict(duck, bars.0),
            bars.1,
            verdict(p50, bars.1),
            bars.2,
            verdict(p95, bars.2),
            clears.len(),
            these.len(),
        );
    }
}

fn sorted(mut all: Vec<u64>) -> Vec<u64> {
    all.sort_unstable();
    all
}

fn by_manner(outcomes: &[Outcome<'_>]) {
    let mut manners: BTreeMap<&str, Vec<&Outcome<'_>>> = BTreeMap::new();
    for o in outcomes.iter().filter(|o| o.case.is_interruption()) {
        manners.entry(o.case.manner).or_default().push(o);
    }
    for (manner, these) in manners {
        let clears = sorted(these.iter().filter_map(|o| o.clear).collect());
        let before = these.iter().filter(|o| o.cleared_before).count();
        println!(
            "    {manner:<16} both halves: clear p50 {:.0} p95 {:.0}; taken {} of {}, cleared before they spoke {before}",
            quantile(&clears, 0.5),
            quantile(&clears, 0.95),
            clears.len(),
            these.len(),
        );
    }
}

fn slowest(outcomes: &[Outcome<'_>]) {
    let mut these: Vec<_> = outcomes.iter().filter(|o| o.case.kind == Kind::Interruption).collect();
    these.sort_by_key(|o| std::cmp::Reverse(o.clear.unwrap_or(u64::MAX)));
    println!("  slowest interruptions, both halves (duck, clear, length):");
    let shown = |ms: Option<u64>| ms.map_or_else(|| "never".to_owned(), |ms| format!("{ms} ms"));
    for o in these.into_iter().take(NAMED) {
        println!(
            "    {:>7} {:>8} {:>5} ms  {}; {}",
            shown(o.duck),
            shown(o.clear),
            o.case.to_ms - o.case.from_ms,
            o.case.name,
            o.understood()
        );
    }
}
