//! What each ear makes of what simulated callers say: words wrong by ear and voice, what the choice between them gives and
//! what the better of the two would have given, and how far confidence tells right from wrong.
//!
//! `cargo run --release -p benches --bin ears -- [--set FILE.toml] [--show] [--save FOLDER]`

use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use benches::dialogs::set::{Language as Tongue, Set};
use benches::dialogs::voices::{Booth, Sound, Voice};
use benches::dialogs::words::{edits, tokens};
use clap::Parser;
use pipeline::audio::g711::{f32_to_mulaw, mulaw_to_f32};
use pipeline::audio::resample::to_16k;
use pipeline::ports::Language;
use pipeline::turn::Expectation;
use speech::runtime;
use speech::stt::choice::{Hypothesis, choose};
use speech::stt::moonshine::{Moonshine, Vocabulary};
use speech::stt::whisper::{Lexis, Whisper};

/// Silence around the first ear's audio, samples at 8 kHz.
const PADDING: usize = 400;
/// Lines that the second ear follows at a time.
const WIDTH: usize = 3;

#[derive(Debug, Parser)]
#[command(about = "What each recogniser makes of simulated callers", max_term_width = 100)]
struct Args {
    /// A set (TOML).
    #[arg(long, default_value = "benches/sets/scenarios-seen.toml")]
    set: PathBuf,
    /// Prints every utterance with what was heard.
    #[arg(long)]
    show: bool,
    /// Keeps what was heard as 8 kHz WAV files with a list of their words, for other recognizers to hear.
    #[arg(long)]
    save: Option<PathBuf>,
}

#[derive(Default)]
struct Tally {
    words: usize,
    first: usize,
    second: usize,
    chosen: usize,
    better: usize,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let models = PathBuf::from(std::env::var("MODELS_DIR").unwrap_or_else(|_| "models".into()));
    let _environment = runtime::environment(&models).map_err(|e| anyhow!("{e}"))?;
    let vocabulary = Vocabulary::load(&models).map_err(|e| anyhow!("{e}"))?;
    let mut first = Moonshine::load(&models, vocabulary).map_err(|e| anyhow!("{e}"))?;
    let lexis = Lexis::load(&models).map_err(|e| anyhow!("{e}"))?;
    let mut second = Whisper::load(&models, lexis).map_err(|e| anyhow!("{e}"))?;
    let set = Set::read(&args.set)?;
    let booth = Booth::open(&PathBuf::from("target/dialogs/voices"))?;
    let (mut tallies, mut sureness) =
        (BTreeMap::<String, Tally>::new(), BTreeMap::<u32, (usize, usize)>::new());
    let mut kept = 0;
    for scenario in &set.scenario {
        let voice = Voice::of(scenario.language, scenario.voice);
        let mut said = BTreeSet::new();
        for utterance in scenario.utterances().filter(|u| said.insert(u.written())) {
            let sounds = booth.sounds(voice, utterance)?;
            let mut pcm = Vec::new();
            for sound in sounds {
                match sound {
                    Sound::Speech(speech) => pcm.extend(speech),
                    Sound::Pause(samples) => pcm.resize(pcm.len() + samples.min(4_000), 0.0),
                    Sound::Keys(_) => {}
                }
            }
            if pcm.is_empty() {
                continue;
            }
            let truth = tokens(&utterance.text());
            // Through mu-law, as on a line.
            let mut coded = Vec::new();
            f32_to_mulaw(&pcm, &mut coded);
            let mut line = vec![0.0; PADDING];
            mulaw_to_f32(&coded, &mut line);
            if let Some(folder) = &args.save {
                kept += 1;
                keep(folder, kept, voice, &truth, &line[PADDING..])?;
            }
            let bare = to_16k(&line[PADDING..]);
            line.resize(line.len() + PADDING, 0.0);
            let one = first.transcribe(&to_16k(&line), &|| false)?.context("stopped")?;
            let is_spanish = scenario.language == Tongue::Es;
            let tongue = move |_: f32| if is_spanish { Language::Es } else { Language::En };
            let two = second.hear(&bare, WIDTH, &tongue, &|| false)?.context("stopped")?;
            let (a, b) = (
                Hypothesis {
                    text: one.text.clone(),
                    confidence: one.confidence,
                    looped: false,
                    unknown: 0.0,
                },
                Hypothesis {
                    text: two.text.clone(),
                    confidence: two.confidence,
                    looped: two.looped,
                    unknown: 0.0,
                },
            );
            let chosen = if is_spanish {
                b.clone()
            } else {
                let c = choose(&a, &b, Expectation::Open);
                Hypothesis { text: c.text, confidence: c.confidence, looped: false, unknown: 0.0 }
            };
            let wrong = |text: &str| edits(&truth, &tokens(text));
            let (wa, wb, wc) = (wrong(&a.text), wrong(&b.text), wrong(&chosen.text));
            let tally = tallies.entry(voice.name()).or_default();
            tally.words += truth.len();
            tally.first += wa;
            tally.second += wb;
            tally.chosen += wc;
            tally.better += wa.min(wb);
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 10")]
            let bin = (chosen.confidence.clamp(0.0, 1.0) * 10.0) as u32;
            let bin = sureness.entry(bin).or_default();
            *bin = (bin.0 + truth.len(), bin.1 + wc.min(truth.len()));
            if args.show {
                println!("{}  [{}]  p(es) {:.2}", utterance.written(), voice.name(), two.spanish);
                println!("   {:.2} {wa:2}  {}", a.confidence, a.text);
                println!("   {:.2} {wb:2}  {}   nothing {:.2}", b.confidence, b.text, two.nothing);
            }
        }
    }
    print(&tallies, &sureness);
    Ok(())
}

/// One utterance as a file, and its line in `list.tsv`: number, voice, words.
fn keep(folder: &Path, number: usize, voice: Voice, words: &[String], line: &[f32]) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 8_000,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut wav = hound::WavWriter::create(folder.join(format!("{number}.wav")), spec)?;
    for sample in line {
        #[expect(clippy::cast_possible_truncation, reason = "-1 to 1")]
        wav.write_sample((sample.clamp(-1.0, 1.0) * 32_767.0) as i16)?;
    }
    wav.finalize()?;
    let mut list = OpenOptions::new().create(true).append(true).open(folder.join("list.tsv"))?;
    writeln!(list, "{number}\t{}\t{}", voice.name(), words.join(" "))?;
    Ok(())
}

fn print(tallies: &BTreeMap<String, Tally>, sureness: &BTreeMap<u32, (usize, usize)>) {
    let share = |wrong: usize, of: usize| format!("{:.1} %", 100.0 * wrong as f64 / of.max(1) as f64);
    println!("\n| voice | words | first ear | second ear | chosen | the better of both |");
    println!("|---|---|---|---|---|---|");
    let mut all = Tally::default();
    for (voice, t) in tallies {
        println!(
            "| {voice} | {} | {} | {} | {} | {} |",
            t.words,
            share(t.first, t.words),
            share(t.second, t.words),
            share(t.chosen, t.words),
            share(t.better, t.words)
        );
        all.words += t.words;
        all.first += t.first;
        all.second += t.second;
        all.chosen += t.chosen;
        all.better += t.better;
    }
    println!(
        "| all | {} | {} | {} | {} | {} |",
        all.words,
        share(all.first, all.words),
        share(all.second, all.words),
        share(all.chosen, all.words),
        share(all.better, all.words)
    );
    println!("\n| confidence | words | wrong |\n|---|---|---|");
    for (bin, (words, wrong)) in sureness {
        println!(
            "| {:.1} to {:.1} | {words} | {} |",
            f64::from(*bin) / 10.0,
            f64::from(*bin + 1) / 10.0,
            share(*wrong, *words)
        );
    }
}
