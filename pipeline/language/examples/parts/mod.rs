//! Trains what tells the parts of what people say. Part of each program that does.

#[path = "../fit/mod.rs"]
mod fit;
pub mod marked;
pub mod report;

use std::error::Error;
use std::path::Path;

use fit::Fit;
use language::Language;
use language::field::Field;
use language::reply::features::{self, Context, ROWS};
use language::stretch::Stretch;
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

/// What is told apart, and from what.
pub struct Task<'a, const L: usize> {
    /// Its data and weights.
    pub folder: &'a Path,
    /// Names of the kinds, in the order of their labels.
    pub kinds: Vec<String>,
    /// Each line begins with what was asked.
    pub replies: bool,
    /// For each line so many more are made of two.
    pub joined: usize,
    pub from_bytes: fn(&[u8]) -> Option<Field<L>>,
    pub to_bytes: fn(&Field<L>) -> Vec<u8>,
    pub parts: fn(&Field<L>, &Marked) -> Vec<Stretch>,
}

impl<const L: usize> Task<'_, L> {
    /// As the program's arguments say.
    pub fn run(&self) -> Result<(), Box<dyn Error>> {
        let words: Vec<String> = std::env::args().skip(1).collect();
        let after = |flag: &str| words.iter().position(|word| word == flag).and_then(|at| words.get(at + 1));
        let missed = words.iter().any(|word| word == "--missed");
        if let Some(file) = after("--judge") {
            let code = words.last().map_or("en", String::as_str);
            let set = self.read(Path::new(file), Language::of(code).ok_or("en or es")?)?;
            let weights = std::fs::read(self.folder.join("weights.bin"))?;
            let field = (self.from_bytes)(&weights).ok_or("weights that do not fit")?;
            self.print(&field, &set, missed);
            return Ok(());
        }
        let left_out = after("--without");
        let (mut train, mut held) = (Vec::new(), Vec::new());
        let mut files: Vec<_> =
            std::fs::read_dir(self.folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "tsv")) {
            let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
            let language = Language::of(name.split('-').next().unwrap_or_default()).ok_or("en-… or es-…")?;
            let set = self.read(file, language)?;
            let aside = left_out.is_some_and(|word| name.ends_with(word.as_str()));
            if aside { held.extend(set) } else { train.extend(set) }
        }
        println!("{} to learn from, {} held", train.len(), held.len());
        let field = fit(&train, self.joined * train.len())?;
        if left_out.is_none() {
            let bytes = (self.to_bytes)(&field);
            println!("{} bytes", bytes.len());
            std::fs::write(self.folder.join("weights.bin"), bytes)?;
        }
        for language in [Language::En, Language::Es] {
            let set: Vec<Marked> = held.iter().filter(|said| said.language == language).cloned().collect();
            if !set.is_empty() {
                println!("{language:?}");
                self.print(&field, &set, missed);
            }
        }
        Ok(())
    }

    fn read(&self, file: &Path, language: Language) -> Result<Vec<Marked>, Box<dyn Error>> {
        marked::read(file, language, &self.kinds, self.replies)
    }

    fn print(&self, field: &Field<L>, set: &[Marked], missed: bool) {
        report::print(&self.kinds, set, missed, |said| (self.parts)(field, said));
    }
}

/// `joined`: so many more are made of two said in one breath.
fn fit<const L: usize>(train: &[Marked], joined: usize) -> Result<Field<L>, Box<dyn Error>> {
    let tagger = Tagger::shipped()?;
    let mut rng = Rng::new(20_261_127);
    let mut replies: Vec<Marked> = train.to_vec();
    replies.extend(train.iter().map(Marked::bare));
    replies.extend(marked::in_one_breath(train, joined, &mut rng));
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
        println!("round {}: loss {:.4} each", round + 1, loss / replies.len() as f64);
        // The mean of the last rounds is calmer than the last.
        if round + 4 >= ROUNDS {
            fit.keep();
        }
    }
    Ok(fit.field())
}
