//! Trains what sorts replies into classes, and judges it. Part of each program that does.

use std::error::Error;
use std::fs;
use std::path::Path;

use language::linear::Linear;
use language::moves::features;
use language::{Ear, Language};

const ROUNDS: usize = 40;
const RATE: f32 = 0.15;
const DECAY: f32 = 5e-4;

struct Line {
    features: Vec<usize>,
    class: usize,
    asked: String,
    text: String,
}

/// What is told apart.
pub struct Task<'a, const BUCKETS: usize, const CLASSES: usize> {
    /// Folder of `data` that holds its lines and weights.
    pub folder: &'static str,
    /// Names of what may have been asked.
    pub asked: &'a [&'static str],
    /// Names of the classes, in the order of the weights.
    pub classes: [&'static str; CLASSES],
    /// Replies of other data that are all of one class.
    pub ordinary: Option<Ordinary>,
    /// Which class is acted upon, and whether that is sure.
    pub decided: fn(&[f32; CLASSES]) -> (usize, bool),
}

/// Replies to questions of ours that were written for something else: three of four are learned from, the others judged.
pub struct Ordinary {
    /// What they all are.
    pub class: &'static str,
    /// What was asked, as this task names it, of a line of `data/reply`: its question, the reply with its marks. `None`: not of the class.
    pub of_reply: fn(&str, &str) -> Option<&'static str>,
    /// The same of a line of `data/moves`, all of which are learned from: its question, its move.
    pub of_move: fn(&str, &str) -> Option<&'static str>,
}

impl<const BUCKETS: usize, const CLASSES: usize> Task<'_, BUCKETS, CLASSES> {
    /// As the program's arguments say.
    pub fn run(&self) -> Result<(), Box<dyn Error>> {
        let words: Vec<String> = std::env::args().skip(1).collect();
        let after = |flag: &str| words.iter().position(|word| word == flag).and_then(|at| words.get(at + 1));
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(self.folder);
        let missed = words.iter().any(|word| word == "--missed");
        if let Some(file) = after("--judge") {
            let code = words.last().map_or("en", String::as_str);
            let model = Linear::from_bytes(&fs::read(folder.join("weights.bin"))?);
            let set = self.read(Path::new(file), Language::of(code).ok_or("en or es")?)?;
            self.judge(&model, &set, missed);
            return Ok(());
        }
        let left_out = after("--without");
        let (mut train, mut held) = (Vec::new(), Vec::new());
        let mut files: Vec<_> = fs::read_dir(&folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "tsv")) {
            let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
            let language = Language::of(name.split('-').next().unwrap_or_default()).ok_or("en-… or es-…")?;
            let set = self.read(file, language)?;
            if left_out.is_some_and(|word| name.ends_with(word.as_str())) {
                held.push((name.to_owned(), set));
            } else {
                train.extend(set);
            }
        }
        if let Some(ordinary) = &self.ordinary {
            let (learned, judged) = self.ordinary(ordinary)?;
            train.extend(learned);
            held.push((format!("replies that are all of {}", ordinary.class), judged));
        }
        println!("{} to learn from", train.len());
        let model = trained(&train);
        if left_out.is_none() {
            fs::write(folder.join("weights.bin"), model.to_bytes())?;
        }
        for (name, set) in &held {
            println!("{name}");
            self.judge(&model, set, missed);
        }
        Ok(())
    }

    /// Replies of other data, to learn from and to be judged on.
    fn ordinary(&self, ordinary: &Ordinary) -> Result<(Vec<Line>, Vec<Line>), Box<dyn Error>> {
        let class = self.classes.iter().position(|own| *own == ordinary.class).ok_or("no such class")?;
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
        let mut files: Vec<_> =
            fs::read_dir(data.join("reply"))?.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.sort();
        let (mut learned, mut judged, mut read) = (Vec::new(), Vec::new(), 0);
        for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "tsv")) {
            let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
            let language = Language::of(name.split('-').next().unwrap_or_default()).ok_or("en-… or es-…")?;
            let text = fs::read_to_string(file)?;
            for (asked, marked) in text.lines().filter_map(|line| line.split_once('\t')) {
                let Some(asks) = (ordinary.of_reply)(asked, marked) else { continue };
                let text = unmarked(marked);
                let features = features(Ear(language), asks, &text);
                let line = Line { features, class, asked: asks.to_owned(), text };
                if read % 4 == 0 {
                    judged.push(line);
                } else {
                    learned.push(line);
                }
                read += 1;
            }
        }
        for (name, language) in [("en-a", "en"), ("en-b", "en"), ("es-a", "es"), ("es-b", "es")] {
            let language = Language::of(language).ok_or("en or es")?;
            let text = fs::read_to_string(data.join("moves").join(name).with_extension("tsv"))?;
            for columns in text.lines().map(|line| line.split('\t').collect::<Vec<_>>()) {
                let [asked, does, text] = columns.as_slice() else { continue };
                let Some(asks) = (ordinary.of_move)(asked, does) else { continue };
                let features = features(Ear(language), asks, text);
                learned.push(Line { features, class, asked: asks.to_owned(), text: (*text).to_owned() });
            }
        }
        Ok((learned, judged))
    }

    fn read(&self, file: &Path, language: Language) -> Result<Vec<Line>, Box<dyn Error>> {
        let mut lines = Vec::new();
        for (at, line) in
            fs::read_to_string(file)?.lines().enumerate().filter(|(_, line)| !line.trim().is_empty())
        {
            let columns: Vec<&str> = line.split('\t').collect();
            let [asked, name, text] = columns.as_slice() else {
                return Err(format!("{} line {}: three columns are wanted", file.display(), at + 1).into());
            };
            if !self.asked.contains(asked) {
                return Err(format!("{} line {}: {asked} is never asked", file.display(), at + 1).into());
            }
            let class = self.classes.iter().position(|own| own == name);
            lines.push(Line {
                features: features(Ear(language), asked, text),
                class: class.ok_or_else(|| format!("line {}: {name} is no class", at + 1))?,
                asked: (*asked).to_owned(),
                text: (*text).to_owned(),
            });
        }
        Ok(lines)
    }

    /// For each class: how many there are, how many of them are found and found surely, and how many others are surely taken for it.
    fn judge(&self, model: &Linear<BUCKETS, CLASSES>, lines: &[Line], missed: bool) {
        let mut table = [[0_usize; 4]; CLASSES];
        for line in lines {
            let (found, sure) = (self.decided)(&model.classes(&line.features));
            table[line.class][0] += 1;
            if found == line.class {
                table[found][1] += 1;
                table[found][2] += usize::from(sure);
            } else {
                table[found][3] += usize::from(sure);
                if missed {
                    let (found, wanted) = (self.classes[found], self.classes[line.class]);
                    println!("{}: {found} for {wanted}: {}", line.asked, line.text);
                }
            }
        }
        println!("{:<7} {:>5} {:>6} {:>7} {:>6}", "class", "all", "found", "surely", "false");
        for (own, row) in self.classes.iter().zip(&table) {
            println!("{own:<7} {:>5} {:>6} {:>7} {:>6}", row[0], row[1], row[2], row[3]);
        }
    }
}

/// Without the marks of its parts: "[PLACE birch] and" is "birch and".
fn unmarked(marked: &str) -> String {
    let mut out = String::with_capacity(marked.len());
    for (n, piece) in marked.split('[').enumerate() {
        let words = if n == 0 { piece } else { piece.split_once(' ').map_or("", |(_, words)| words) };
        out.extend(words.chars().filter(|c| *c != ']'));
    }
    out
}

fn trained<const BUCKETS: usize, const CLASSES: usize>(lines: &[Line]) -> Linear<BUCKETS, CLASSES> {
    let mut model = Linear::empty();
    let mut order: Vec<usize> = (0..lines.len()).collect();
    let mut seed = 20_261_129_u64;
    for round in 0..ROUNDS {
        for n in (1..order.len()).rev() {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            order.swap(n, (seed >> 33) as usize % (n + 1));
        }
        let rate = RATE / (1.0 + round as f32 / 8.0);
        for line in order.iter().filter_map(|at| lines.get(*at)) {
            model.learn(&line.features, line.class, rate, DECAY);
        }
    }
    model
}
