//! The guardian's figures: recall by kind, written and spoken, false alarms, and checks per second on one core.
//! `--misses` prints what was missed and what was found in clean texts; a path prints the findings of each of its lines,
//! or the recall on its marked ones.

use std::time::{Duration, Instant};

use governance::pii::measure::{Marked, false_alarms, recall, set};
use governance::pii::{Guardian, Settings};

const WRITTEN: &str = include_str!("../../../agents/governance/data/pii/dev/written.txt");
const SPOKEN: &str = include_str!("../../../agents/governance/data/pii/dev/spoken.txt");
const CLEAN: &str = include_str!("../../../agents/governance/data/pii/dev/clean.txt");

/// Checks that are timed.
const CHECKS: usize = 200_000;

fn main() -> anyhow::Result<()> {
    let misses = std::env::args().any(|argument| argument == "--misses");
    let guardian = Guardian::new();
    if let Some(path) = std::env::args().skip(1).find(|argument| !argument.starts_with("--")) {
        return show(&guardian, &std::fs::read_to_string(path)?);
    }
    let written: Vec<Marked> = set(WRITTEN).collect();
    let spoken: Vec<Marked> = set(SPOKEN).collect();
    let clean: Vec<&str> = CLEAN.lines().filter(|line| !line.starts_with('#')).collect();
    for (name, texts) in [("written", &written), ("spoken", &spoken)] {
        let (kinds, missed) = recall(&guardian, texts);
        println!("{name}: {} texts", texts.len());
        for (kind, recall) in kinds {
            println!(
                "  {:<16} {:>3}/{:<3} {:>6.1} %",
                kind.name(),
                recall.found,
                recall.planted,
                recall.share() * 100.0
            );
        }
        if misses {
            missed.iter().for_each(|line| println!("    missed {line}"));
        }
    }
    let alarms = false_alarms(&guardian, &clean);
    println!("clean: {} of {} with a false alarm", alarms.len(), clean.len());
    if misses {
        alarms.iter().for_each(|line| println!("    alarm {line}"));
    }
    speed(&guardian, &written, &spoken, &clean);
    Ok(())
}

fn show(guardian: &Guardian, texts: &str) -> anyhow::Result<()> {
    if texts.contains('{') {
        let texts: Vec<Marked> = set(texts).collect();
        let (kinds, missed) = recall(guardian, &texts);
        for (kind, recall) in kinds {
            println!(
                "{:<16} {}/{} {:.1} %",
                kind.name(),
                recall.found,
                recall.planted,
                recall.share() * 100.0
            );
        }
        missed.iter().for_each(|line| println!("missed {line}"));
        return Ok(());
    }
    for text in texts.lines() {
        let found = guardian.check(text, &Settings::default());
        let found: Vec<String> =
            found.iter().map(|f| format!("{}={}", f.kind.name(), &text[f.start..f.end])).collect();
        println!("{text}   {found:?}");
    }
    Ok(())
}

/// Sentences of about 20 words, made of the sets' own: three clean ones to one with personal data.
fn sentences(written: &[Marked], spoken: &[Marked], clean: &[&str]) -> Vec<String> {
    let mut out = Vec::new();
    let mut texts = clean.iter().copied().cycle();
    let marked = written.iter().chain(spoken).map(|m| m.text.as_str());
    for text in marked {
        let mut sentence = text.to_owned();
        extend(&mut sentence, &mut texts);
        out.push(sentence);
        for _ in 0..3 {
            let mut sentence = String::new();
            extend(&mut sentence, &mut texts);
            out.push(sentence);
        }
    }
    out
}

fn extend<'a>(sentence: &mut String, texts: &mut impl Iterator<Item = &'a str>) {
    while sentence.split_whitespace().count() < 20 {
        let Some(text) = texts.next() else { return };
        sentence.push(' ');
        sentence.push_str(text);
    }
}

fn speed(guardian: &Guardian, written: &[Marked], spoken: &[Marked], clean: &[&str]) {
    let sentences = sentences(written, spoken, clean);
    let words: usize = sentences.iter().map(|s| s.split_whitespace().count()).sum();
    let settings = Settings::default();
    let mut times: Vec<Duration> = Vec::with_capacity(CHECKS);
    let began = Instant::now();
    for text in sentences.iter().cycle().take(CHECKS) {
        let start = Instant::now();
        std::hint::black_box(guardian.check(text, &settings));
        times.push(start.elapsed());
    }
    let rate = f64::from(u32::try_from(CHECKS).unwrap_or(u32::MAX)) / began.elapsed().as_secs_f64();
    times.sort_unstable();
    println!(
        "speed: {rate:.0} checks a second on one core, {} words each on average",
        words / sentences.len()
    );
    println!(
        "  p50 {:?}, p99 {:?}, worst {:?}",
        times[CHECKS / 2],
        times[CHECKS * 99 / 100],
        times[CHECKS - 1]
    );
    for (name, text) in [
        ("one word", "a "),
        ("digits", "4 "),
        ("number words", "one "),
        ("names", "maria "),
        ("at", "a@"),
        ("colons", "a:"),
        ("dots", "1."),
    ] {
        let text = text.repeat((1 << 20) / text.len());
        let start = Instant::now();
        std::hint::black_box(guardian.check(&text, &settings));
        println!("  1 MiB of {name}: {:?}", start.elapsed());
    }
}
