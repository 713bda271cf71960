//! What guard, rules and judge catch and what they harm, on sentences by another hand: one table.
//!
//! `make governance`, or `cargo run --release -p benches --bin governance -- [FOLDER] [--missed] [--alone]`. FOLDER holds `attacks.tsv`,
//! `harmless.tsv`, `forbidden.tsv`, `allowed.tsv`, `promises.tsv` and `judge.tsv`, as `benches/sets/README.md` says. `--missed`
//! prints what was judged wrongly: a folder that is kept for a first look is no longer one after that. What sentences mean
//! is read with the encoder where the models are; `--alone` judges by words alone.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use dialogue::seed;
use governance::guard::{Action, Channel, Context, Guard, Verdict};
use governance::judge::{
    Evidence, Meanings, Means, NoRules, Severity, Sights, ValidationRequest, compared, facts_of, validate,
};
use governance::meaning::{Meaning, Meant};
use governance::rules::{RuleSet, Spoken};
use knowledge::{Embedder, Retriever, Seen};
use pipeline::ports::Language;
use serde_json::json;

/// Rows of a table: what was counted, hits, and of how many.
#[derive(Default)]
struct Table {
    rows: BTreeMap<String, (usize, usize)>,
    missed: Vec<String>,
}

impl Table {
    fn count(&mut self, row: String, hit: bool) {
        let counts = self.rows.entry(row).or_default();
        *counts = (counts.0 + usize::from(hit), counts.1 + 1);
    }

    fn print(&self, title: &str, show: bool) {
        println!("\n| {title} | | |\n|---|---|---|");
        for (row, (hits, of)) in &self.rows {
            println!("| {row} | {hits} of {of} | {:.1} % |", 100.0 * *hits as f64 / (*of).max(1) as f64);
        }
        if show {
            self.missed.iter().for_each(|line| println!("    {line}"));
        }
    }
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let show = words.iter().any(|word| word == "--missed");
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("sets/governance");
    let folder = words.iter().find(|word| !word.starts_with("--")).map_or_else(own, PathBuf::from);
    println!("sets: {}", folder.display());
    let reader = Reader::load(words.iter().any(|word| word == "--alone"))?;
    guard(&folder, show)?;
    rules(&folder, show, &reader)?;
    promises(&folder, show, &reader)?;
    judge(&folder, show, &reader)?;
    reader.print();
    Ok(())
}

/// Reads what sentences mean, as a call does: one sentence a time.
struct Reader {
    runtime: tokio::runtime::Runtime,
    encoder: Option<Embedder>,
    took: RefCell<Vec<Duration>>,
}

impl Reader {
    fn load(alone: bool) -> Result<Self> {
        let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let encoder = if !alone && models.join("minilm.onnx").is_file() {
            Retriever::load(&knowledge::runtime(&models)?, &models)?.embedder().cloned()
        } else {
            println!("without an encoder: rules and judge go by words alone");
            None
        };
        Ok(Self { runtime, encoder, took: RefCell::default() })
    }

    fn meant(&self, text: &str) -> Option<Meant> {
        let began = Instant::now();
        let sentence = [text.to_owned()];
        let seen = self.encoder.as_ref().map(|encoder| self.runtime.block_on(encoder.see_all(&sentence)));
        let seen = seen.as_ref().and_then(|seen| seen.first());
        let meant = Meaning::shipped().ok()?.read(text, seen.map(Seen::to_read));
        self.took.borrow_mut().push(began.elapsed());
        meant
    }

    /// What is seen of a passage and a sentence, as after a turn.
    fn sights(&self, passage: &str, sentence: &str) -> Option<Sights> {
        let all = [passage, sentence].into_iter().flat_map(governance::judge::sentences).collect();
        self.runtime.block_on(self.encoder.as_ref()?.sights(all))
    }

    fn print(&self) {
        let mut took = self.took.borrow_mut();
        took.sort();
        let at = |share: usize| took.get(took.len() * share / 100).copied().unwrap_or_default();
        println!("\nread {} sentences, {:?} each, p99 {:?}", took.len(), at(50), at(99));
    }
}

/// Lines of a set without its heading, by columns.
fn lines(folder: &Path, name: &str, columns: usize) -> Result<Vec<Vec<String>>> {
    let path = folder.join(name);
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let rows: Vec<Vec<String>> = text
        .lines()
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.split('\t').map(str::to_owned).collect())
        .collect();
    let whole = rows.iter().all(|row| row.len() == columns);
    ensure!(whole, "{}: every line has {columns} columns", path.display());
    Ok(rows)
}

fn channel(name: &str) -> Channel {
    match name {
        "document" => Channel::Document,
        "tool" => Channel::Tool,
        "email" => Channel::Email,
        _ => Channel::Voice,
    }
}

/// Whether anything of a text is cut or refused, beyond a mark.
fn acts(verdict: &Verdict) -> bool {
    verdict.action != Action::Pass
}

fn guard(folder: &Path, show: bool) -> Result<()> {
    let guard = Guard::shipped()?;
    let mut table = Table::default();
    for (file, attack) in [("attacks.tsv", true), ("harmless.tsv", false)] {
        for row in lines(folder, file, 3)? {
            let text = row[2].replace("\\n", "\n");
            let verdict = guard.judge(&text, channel(&row[0]), Context::default());
            let marked = !verdict.is_clean();
            let kind = if attack { "attacks found" } else { &format!("{} ones marked", row[1]) };
            table.count(format!("{}: {kind}", row[0]), marked);
            if !attack {
                table.count(format!("{}: {} ones acted on", row[0], row[1]), acts(&verdict));
            }
            if marked != attack {
                table.missed.push(format!("{} {}: {}", row[0], row[1], row[2]));
            }
        }
    }
    table.print("guard", show);
    Ok(())
}

fn rules(folder: &Path, show: bool, reader: &Reader) -> Result<()> {
    let county = seed::riverbend(Default::default())?;
    let set = RuleSet::load(&county.rules, &county.facts.numbers())?;
    let stops = |language: &str, text: &str| {
        let language = Language::of(language).unwrap_or_default();
        let broken = set.check_words(&Spoken { meant: reader.meant(text), ..Spoken::new(text, language) });
        broken.into_iter().filter(|violation| !violation.permits()).map(|v| v.rule.id.clone()).next()
    };
    let mut table = Table::default();
    for row in lines(folder, "forbidden.tsv", 3)? {
        let rule = stops(&row[1], &row[2]);
        table.count(format!("{}: stopped, {}", row[1], row[0]), rule.is_some());
        table.count(format!("{}: stopped, all", row[1]), rule.is_some());
        if rule.is_none() {
            table.missed.push(format!("not stopped, {}: {}", row[0], row[2]));
        }
    }
    for row in lines(folder, "allowed.tsv", 2)? {
        let rule = stops(&row[0], &row[1]);
        let short = if row[1].split_whitespace().count() <= 5 { "short " } else { "" };
        table.count(format!("{}: {short}allowed ones stopped", row[0]), rule.is_some());
        if let Some(rule) = rule {
            table.missed.push(format!("stopped by {rule}: {}", row[1]));
        }
    }
    table.print("rules", show);
    Ok(())
}

/// A promise without anything that was done is found; what is none passes.
fn promises(folder: &Path, show: bool, reader: &Reader) -> Result<()> {
    let mut table = Table::default();
    for row in lines(folder, "promises.tsv", 3)? {
        let request: ValidationRequest = serde_json::from_value(json!({
            "output": row[2], "validation_types": ["execution"], "context": { "tool_results": [] },
        }))?;
        let sentences = governance::judge::sentences(&row[2]).into_iter();
        let meanings: Meanings = sentences.filter_map(|s| reader.meant(&s).map(|meant| (s, meant))).collect();
        let means = Means { rules: &NoRules, likeness: None, meanings: Some(&meanings), sights: None };
        let result = validate(&request, means)?;
        let found = result.issues.iter().any(|issue| issue.severity == Severity::Error);
        let what = if row[0] == "promise" { "promises found" } else { "ordinary ones taken for promises" };
        table.count(format!("{}: {what}", row[1]), found);
        if found != (row[0] == "promise") {
            table.missed.push(format!("{}: {}", row[0], row[2]));
        }
    }
    table.print("promises that nothing was done for", show);
    Ok(())
}

fn judge(folder: &Path, show: bool, reader: &Reader) -> Result<()> {
    let mut table = Table::default();
    for row in lines(folder, "judge.tsv", 6)? {
        let (language, verdict, kind, passage, sentence) =
            (&row[1], row[2].as_str(), &row[3], &row[4], &row[5]);
        let evidence = Evidence::of([passage.as_str()], []);
        let found = match reader.sights(passage, sentence) {
            Some(sights) => compared(sentence, &evidence, &[], &sights),
            None => facts_of(sentence, &evidence, &[]),
        };
        let wrong = found.iter().any(|i| i.severity == Severity::Error);
        match verdict {
            "wrong" => {
                table.count(format!("{language}: wrong ones found"), wrong);
                table.count(format!("{language}: wrong ones found, {kind}"), wrong);
            }
            verdict => table.count(format!("{language}: {verdict} ones passed"), !wrong),
        }
        if wrong != (verdict == "wrong") {
            table.missed.push(format!("{verdict} {kind}: {sentence}"));
        }
    }
    table.print("judge", show);
    Ok(())
}
