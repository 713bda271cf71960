//! Trains what tells the parts of a reply and writes `data/reply/weights.bin`.
//!
//! ```text
//! cargo run --release -p language --example train_reply                       # all of data/reply/*.tsv
//! cargo run --release -p language --example train_reply -- --without hand     # leaves out the files so named, and judges on them
//! cargo run --release -p language --example train_reply -- --judge FILE en    # the shipped weights on a set
//! ```
//! `--missed` prints what is got wrong. The recipe: replies of several hands that mark the parts (`asked<TAB>words with [KIND
//! parts]`), each also as recognizers write, without signs and capitals; a linear-chain conditional random field, by gradient.
#![allow(clippy::disallowed_methods, reason = "a tool for the desk: it reads files and the clock")]

#[path = "../fit/mod.rs"]
mod fit;
mod marked;
mod report;

use std::error::Error;
use std::path::Path;

use fit::Fit;
use language::Language;
use language::field::Field;
use language::reply::features::{self, Context, ROWS};
use language::reply::{LABELS, from_bytes, to_bytes};
use language::tagger::model::Model as Tagger;
use language::tagger::token::tokens;
use marked::{Marked, Rng};

const ROUNDS: usize = 7;
/// So many of a hundred features are not looked at, others each time, so that none is relied on alone.
const DROPPED: u64 = 40;
/// What makes up for them.
const MORE: f32 = 100.0 / (100.0 - DROPPED as f32);
/// Words that are shown as words of no list, so that names and places nobody listed are known by what stands around them.
const UNLISTED: u64 = 8;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/reply");
    let words: Vec<String> = std::env::args().skip(1).collect();
    let after = |flag: &str| words.iter().position(|word| word == flag).and_then(|at| words.get(at + 1));
    let missed = words.iter().any(|word| word == "--missed");
    if let Some(file) = after("--judge") {
        let code = words.last().map_or("en", String::as_str);
        let set = marked::read(Path::new(file), Language::of(code).ok_or("en or es")?)?;
        let field =
            from_bytes(&std::fs::read(folder.join("weights.bin"))?).ok_or("weights that do not fit")?;
        report::print(&field, &set, missed);
        return Ok(());
    }
    let left_out = after("--without");
    let (mut train, mut held) = (Vec::new(), Vec::new());
    let mut files: Vec<_> =
        std::fs::read_dir(&folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "tsv")) {
        let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let language = Language::of(name.split('-').next().unwrap_or_default()).ok_or("en-… or es-…")?;
        let set = marked::read(file, language)?;
        let aside = left_out.is_some_and(|word| name.ends_with(word.as_str()));
        if aside { held.extend(set) } else { train.extend(set) }
    }
    println!("{} replies, {} held", train.len(), held.len());
    let field = fit(&train)?;
    if left_out.is_none() {
        let bytes = to_bytes(&field);
        println!("{} bytes", bytes.len());
        std::fs::write(folder.join("weights.bin"), bytes)?;
    }
    for language in [Language::En, Language::Es] {
        let set: Vec<Marked> = held.iter().filter(|reply| reply.language == language).cloned().collect();
        if !set.is_empty() {
            println!("{language:?}");
            report::print(&field, &set, missed);
        }
    }
    Ok(())
}

fn fit(train: &[Marked]) -> Result<Field<LABELS>, Box<dyn Error>> {
    let tagger = Tagger::shipped()?;
    let mut rng = Rng::new(20_261_127);
    let mut replies: Vec<Marked> = train.to_vec();
    replies.extend(train.iter().map(Marked::bare));
    let mut fit = Fit::new(ROWS);
    for round in 0..ROUNDS {
        rng.shuffle(&mut replies);
        let mut loss = 0.0_f64;
        for reply in &replies {
            let mut words = tokens(&reply.text, tagger.lexicon());
            for word in &mut words {
                if word.length > 3 && !word.is_number() && rng.percent(UNLISTED) {
                    word.forget(rng.next());
                }
            }
            let context = Context::new(tagger, &words, reply.asked, reply.language);
            let looked_at: Vec<Vec<usize>> = (0..words.len())
                .map(|at| {
                    let mut out = Vec::new();
                    features::each(&words, &context, at, |feature| {
                        if !rng.percent(DROPPED) {
                            out.push(feature);
                        }
                    });
                    out
                })
                .collect();
            loss += f64::from(fit.learn(&looked_at, &reply.labels(&words), MORE));
        }
        println!("round {}: loss {:.4} a reply", round + 1, loss / replies.len() as f64);
        // The mean of the last rounds is calmer than the last.
        if round + 4 >= ROUNDS {
            fit.keep();
        }
    }
    Ok(fit.field())
}
