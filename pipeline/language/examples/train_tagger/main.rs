//! Trains the tagger of names and addresses and writes `pipeline/language/data/tagger/weights.bin`.
//!
//! The recipe: sentences out of the frames of `data/tagger`, filled with names of many peoples and with made-up addresses,
//! in five styles; public talk, whose marked names and addresses count and whose other words are what is neither; then a
//! linear-chain conditional random field, by gradient. `data/tagger/README.md` says what to fetch.
//!
//! ```text
//! PUBLIC_TALK=DIR cargo run --release -p language --example train_tagger             # train and write
//! PUBLIC_TALK=DIR cargo run --release -p language --example train_tagger -- --talk   # false alarms on talk that was kept
//! cargo run --release -p language --example train_tagger -- --dev                    # the shipped weights on the guard's sets
//! cargo run --release -p language --example train_tagger -- --judge FILE.tsv         # on a set: text, style, language
//! cargo run --release -p language --example train_tagger -- --time
//! ```
//! `--missed` prints what is got wrong.
#![allow(clippy::disallowed_methods, reason = "a tool for the desk: it reads files and the clock")]

mod calles;
#[path = "../fit/mod.rs"]
mod field;
mod figures;
mod fill;
mod fit;
mod frames;
mod line;
mod lists;
mod names;
mod places;
mod public;
mod report;
mod say;
mod styles;

use std::error::Error;
use std::path::{Path, PathBuf};

use fill::Fill;
use frames::Frames;
use language::Language;
use language::tagger::Kind;
use language::tagger::lexicon::Lexicon;
use language::tagger::model::Model;
use line::{Line, Rng};
use public::sets;

/// A line of one of the guard's sets.
type Numbered = (usize, Line);

const SEED: u64 = 20_261_125;
const FOLDS: usize = 5;
/// Of the guard's sets each line counts so many times.
const TIMES: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (folder, guard) = (root.join("data/tagger"), root.join("../../agents/governance/data/safety"));
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| words.iter().any(|own| own == word);
    let missed = has("--missed");
    if has("--time") {
        return time(&guard);
    }
    if has("--dev") {
        let lines: Vec<Line> = development(&guard)?.into_iter().map(|(_, line)| line).collect();
        report::print("the guard's sets", Model::shipped()?, &lines, report::LEAST, missed);
        report::curve("thresholds", &[(Model::shipped()?, &lines)]);
        return Ok(());
    }
    if let Some(at) = words.iter().position(|word| word == "--judge") {
        let lines = sets::marked(Path::new(words.get(at + 1).ok_or("--judge needs a file")?))?;
        report::print("the set", Model::shipped()?, &lines, report::LEAST, missed);
        return Ok(());
    }
    let public = std::env::var_os("PUBLIC_TALK").map(PathBuf::from);
    let public = public.ok_or("PUBLIC_TALK must name a folder with the public talk")?;
    let mut rng = Rng::new(SEED);
    let mut talk = public::talk(&public)?;
    if has("--talk") {
        report::print("talk that was kept", Model::shipped()?, &talk.kept, report::LEAST, missed);
        report::curve("thresholds", &[(Model::shipped()?, &talk.kept)]);
        return Ok(());
    }
    let fill = Fill {
        things: lists::section(&guard.join("places.txt"), &["places"])?,
        names: names::Names::load(&folder, &guard, &public)?,
        places: places::Places::load(&folder, &public)?,
    };
    let lexicon = lists::lexicon(&folder, &guard, &fill.names, &fill.places, &talk.train)?;
    talk.weed(&lexicon);
    println!("{} words on lists, {} labelled addresses", lexicon.len(), fill.places.labelled());
    let mut lines = written(&folder, &fill, &talk, &mut rng)?;
    // Four lines in a hundred are for the development split.
    let (mut held, mut kept): (Vec<Line>, Vec<Line>) = (Vec::new(), Vec::new());
    for line in lines.drain(..) {
        if rng.percent(4) { held.push(line) } else { kept.push(line) }
    }
    println!(
        "{} sentences out of frames with {} names and {} addresses",
        kept.len(),
        sets::count(&kept, Kind::Name),
        sets::count(&kept, Kind::Address)
    );
    for (group, most) in
        [("sgd", 26_000), ("taskmaster", 12_000), ("multidogo", 30_000), ("hwu64", 9_000), ("wnut17", 4_000)]
    {
        let own: Vec<Line> = talk.train.iter().filter(|line| line.group == group).cloned().collect();
        let own = public::some(&own, most, &mut rng);
        println!(
            "{group}: {} with {} names and {} addresses",
            own.len(),
            sets::count(&own, Kind::Name),
            sets::count(&own, Kind::Address)
        );
        // Public talk is heard without capitals too.
        kept.extend(own.iter().map(|line| if rng.percent(45) { lowered(line) } else { line.clone() }));
    }
    if has("--folds") {
        return folds(&guard, &kept, &talk.kept, &lexicon, &words);
    }
    if !has("--without-sets") {
        kept.extend(taught(development(&guard)?, &lexicon));
    }
    let parts = fit::fit(&kept, &lexicon, SEED);
    let bytes = Model::to_bytes(&parts, &lexicon);
    println!("{} bytes", bytes.len());
    std::fs::write(folder.join("weights.bin"), &bytes)?;
    let model = Model::from_bytes(&bytes)?;
    report::print("frames, kept", &model, &held, report::LEAST, false);
    report::print("talk, kept", &model, &talk.kept, report::LEAST, false);
    let development: Vec<Line> = development(&guard)?.into_iter().map(|(_, line)| line).collect();
    report::print("the guard's sets", &model, &development, report::LEAST, missed);
    report::curve("thresholds on the guard's sets", &[(&model, &development)]);
    report::curve("thresholds on kept talk", &[(&model, &talk.kept)]);
    Ok(())
}

/// Each of the guard's sets, judged by a training that saw the other ones.
fn folds(
    guard: &Path,
    kept: &[Line],
    talk: &[Line],
    lexicon: &Lexicon,
    words: &[String],
) -> Result<(), Box<dyn Error>> {
    let has = |word: &str| words.iter().any(|own| own == word);
    let missed = has("--missed");

    let mut judged: Vec<(Model, Vec<Line>)> = Vec::new();
    for fold in 0..if has("--two") { 2 } else { FOLDS } {
        let (own, others): (Vec<Numbered>, Vec<Numbered>) =
            development(guard)?.into_iter().partition(|(set, _)| set % FOLDS == fold);
        let own: Vec<Line> = own.into_iter().map(|(_, line)| line).collect();
        let all: Vec<Line> = kept.iter().cloned().chain(taught(others, lexicon)).collect();
        let model = Model::from_bytes(&Model::to_bytes(&fit::fit(&all, lexicon, SEED), lexicon))?;
        judged.push((model, own));
    }
    let judged: Vec<(&Model, &[Line])> =
        judged.iter().map(|(model, lines)| (model, lines.as_slice())).collect();
    for (model, lines) in &judged {
        report::print("sets that were left out", model, lines, report::LEAST, missed);
    }
    report::curve("thresholds on sets that were left out", &judged);
    let talk: Vec<(&Model, &[Line])> = judged.iter().take(1).map(|(model, _)| (*model, talk)).collect();
    report::curve("thresholds on kept talk", &talk);
    if let Some(at) = words.iter().position(|word| word == "--with") {
        let lines = sets::marked(Path::new(words.get(at + 1).ok_or("--with needs a file")?))?;
        let own: Vec<(&Model, &[Line])> =
            judged.iter().map(|(model, _)| (*model, lines.as_slice())).collect();
        report::curve("thresholds on the set", &own);
    }
    Ok(())
}

/// Sentences out of our own frames, in both languages.
fn written(
    folder: &Path,
    fill: &Fill,
    talk: &public::Talk,
    rng: &mut Rng,
) -> Result<Vec<Line>, Box<dyn Error>> {
    let clean: Vec<String> = talk
        .train
        .iter()
        .filter(|line| line.marks.is_empty() && line.text.len() < 90 && line.group != "wnut17")
        .map(|line| line.text.clone())
        .collect();
    let mut out = frames::renamed(&clean, fill, rng);
    println!("{} sentences of public talk with names and addresses put in", out.len());
    for (language, code, marked, ordinary) in
        [(Language::En, "en", 58_000, 34_000), (Language::Es, "es", 30_000, 16_000)]
    {
        let own = Frames::load(&folder.join(format!("frames.{code}.txt")))?;
        let plain = Frames::load(&folder.join(format!("ordinary.{code}.txt")))?;
        let mut around: Vec<String> = if language == Language::En { clean.clone() } else { Vec::new() };
        // Half of what stands around is our own.
        for _ in 0..around.len().max(3000) {
            let (_, frame) = rng.one(&plain.frames);
            around.push(plain.sentence(frame, language, line::Style::Written, fill, rng));
        }
        out.extend(frames::lines(&own, language, marked, fill, &around, rng));
        out.extend(frames::lines(&plain, language, ordinary, fill, &[], rng));
    }
    Ok(out)
}

fn lowered(line: &Line) -> Line {
    let text = line.text.to_lowercase();
    // Where lower case is as long, marks stay in place.
    if text.len() == line.text.len() { Line { text, ..line.clone() } } else { line.clone() }
}

/// Lines of the guard's sets that keep the conventions of the tagger, which are younger: titles stand outside, letters that spell
/// count, and an office has an address too.
fn taught(lines: Vec<Numbered>, lexicon: &language::tagger::lexicon::Lexicon) -> Vec<Line> {
    use language::tagger::lexicon::class;
    let mut out = Vec::new();
    for (_, mut line) in lines {
        let tokens = language::tagger::token::tokens(&line.text, lexicon);
        let labels = fit::labels(&tokens, &line);
        let spelled = tokens
            .windows(3)
            .zip(&labels)
            .any(|(row, label)| *label == 0 && row.iter().all(|token| token.is_letter()));
        let house = tokens.windows(4).zip(&labels).any(|(row, label)| {
            *label == 0
                && row[0].is_number()
                && row[1..].iter().any(|token| token.classes & class::STREET != 0)
        });
        if spelled && line.marks.iter().any(|(kind, _)| *kind == Kind::Name) || house {
            continue;
        }
        for (kind, range) in &mut line.marks {
            let mut inside =
                tokens.iter().filter(|token| token.start >= range.start && token.end <= range.end);
            let (Some(first), Some(second)) = (inside.next(), inside.next()) else { continue };
            let point = &line.text[second.start..second.end] == ".";
            let third = inside.next().map(|token| token.start);
            if *kind == Kind::Name && first.classes & class::TITLE != 0 && first.classes & class::FIRST == 0 {
                range.start = if point { third.unwrap_or(range.start) } else { second.start };
            }
        }
        (0..TIMES).for_each(|_| out.push(line.clone()));
    }
    out
}

/// The guard's marked sets, numbered.
fn development(guard: &Path) -> Result<Vec<Numbered>, Box<dyn Error>> {
    let mut out = Vec::new();
    for (n, set) in ["", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
        .into_iter()
        .enumerate()
    {
        for style in ["written", "spoken", "clean"] {
            let lines = sets::guard(&guard.join("dev").join(set).join(format!("{style}.txt")), style)?;
            out.extend(lines.into_iter().map(|line| (n, line)));
        }
    }
    Ok(out)
}

/// Time of a sentence of some thirty words.
fn time(guard: &Path) -> Result<(), Box<dyn Error>> {
    let lines = development(guard)?;
    let texts: Vec<&str> = lines.iter().map(|(_, line)| line.text.as_str()).collect();
    let mut sentences: Vec<String> = Vec::new();
    let mut text = String::new();
    for line in texts {
        text = format!("{text} {line}");
        if text.split(' ').count() >= 30 {
            sentences.push(text.split(' ').take(30).collect::<Vec<&str>>().join(" "));
            text.clear();
        }
    }
    std::hint::black_box(language::tagger::spans("once", None));
    let mut times: Vec<u128> = Vec::new();
    for sentence in &sentences {
        let begin = std::time::Instant::now();
        std::hint::black_box(language::tagger::spans(sentence, None));
        times.push(begin.elapsed().as_nanos());
    }
    times.sort_unstable();
    println!(
        "{} sentences of 30 words: p50 {} us, p99 {} us",
        times.len(),
        times[times.len() / 2] / 1000,
        times[times.len() * 99 / 100] / 1000
    );
    Ok(())
}
