//! Trains what a caller's answer to "Is anyone hurt or in danger right now?" is like, and writes `data/danger/answers.bin`.
//!
//! Out of `data/danger/answers` (label, situation, language, text), and of what callers said to "Was anybody hurt?" of a report
//! (`pipeline/language/data/reply`), where that is a plain no.

use std::error::Error;
use std::fs;
use std::path::Path;

use governance::danger::answer::{Answer, Answers};
use governance::danger::{Detector, Marks};

use super::fit::{self, Example};
use super::{FITS, FOLDS, SEED, unmarked};

/// How much an error costs at a no to a question that only is alike.
const ALIKE: f32 = 0.3;

/// An answer.
#[derive(Clone, Debug)]
struct Line {
    /// `yes`, `no`, `unclear`.
    label: String,
    text: String,
    cost: f32,
}

pub fn train(folder: &Path) -> Result<(), Box<dyn Error>> {
    let marks = Marks::shipped()?;
    let mut lines = set(&folder.join("answers/first.tsv"))?;
    lines.extend(set(&folder.join("answers/second.tsv"))?);
    let hurt = hurt(folder)?;
    println!("{} answers, {} of who was hurt", lines.len(), hurt.len());
    let mut read = Vec::new();
    for fold in 0..FOLDS {
        let (out, kept): (Vec<_>, Vec<_>) =
            lines.iter().cloned().enumerate().partition(|(n, _)| n % FOLDS == fold);
        let kept: Vec<Line> = kept.into_iter().map(|(_, line)| line).chain(hurt.clone()).collect();
        let answers = Answers::from_bytes(&trained(&marks, &kept))?;
        read.extend(out.into_iter().map(|(_, line)| (answers.read(&line.text), line)));
    }
    println!("left out of a training");
    print(&read, false);
    let all: Vec<Line> = lines.into_iter().chain(hurt).collect();
    fs::write(folder.join("answers.bin"), trained(&marks, &all))?;
    Ok(())
}

/// What ships, on the answers that are kept from the training.
pub fn judge(folder: &Path, missed: bool) -> Result<(), Box<dyn Error>> {
    let answers = Answers::shipped()?;
    let lines = set(&folder.join("held/answers.tsv"))?;
    let read: Vec<_> = lines.into_iter().map(|line| (answers.read(&line.text), line)).collect();
    print(&read, missed);
    Ok(())
}

fn trained(marks: &Marks, lines: &[Line]) -> Vec<u8> {
    let is = |line: &Line, label: &str| (if line.label == label { 1.0 } else { 0.0 }, line.cost);
    let wanted = |line: &Line| [is(line, "yes"), is(line, "no"), (0.0, 0.0)];
    let examples: Vec<Example> =
        lines.iter().map(|line| Example::new(marks, &line.text, wanted(line))).collect();
    let (weights, bias) = fit::mean(&examples, SEED, FITS);
    Detector::to_bytes(&weights, bias)
}

fn set(path: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    let text = fs::read_to_string(path)?;
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let line = |line: &str| {
        let mut parts = line.split('\t');
        let label = parts.next()?.to_owned();
        Some(Line { label, text: parts.nth(2)?.to_owned(), cost: 1.0 })
    };
    lines.map(|l| line(l).ok_or_else(|| format!("this is no line of answers: {l}").into())).collect()
}

/// Plain noes to "Was anybody hurt?".
fn hurt(folder: &Path) -> Result<Vec<Line>, Box<dyn Error>> {
    let mut files: Vec<_> = fs::read_dir(folder.join("../../../../pipeline/language/data/reply"))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "tsv"))
        .collect();
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let text = fs::read_to_string(file)?;
        let hurt = text.lines().filter_map(|line| line.strip_prefix("hurt\t"));
        let noes = hurt.filter(|marked| {
            marked.contains("[NO ") && !marked.contains("[WHAT ") && !marked.contains("[YES ")
        });
        all.extend(noes.map(|marked| Line { label: "no".into(), text: unmarked(marked), cost: ALIKE }));
    }
    Ok(all)
}

fn print(read: &[(Answer, Line)], missed: bool) {
    let Ok(detector) = Detector::shipped() else { return };
    let taken = |(answer, line): &(Answer, Line)| answer.in_danger(detector.read(&line.text));
    for label in ["yes", "no", "unclear"] {
        let own: Vec<_> = read.iter().filter(|(_, line)| line.label == label).collect();
        let count = |wanted| own.iter().filter(|one| taken(one) == Some(wanted)).count();
        println!(
            "{label:>8} {:>4}: taken for a yes {:>4}, for a no {:>4}",
            own.len(),
            count(true),
            count(false)
        );
        let wrong =
            |one: &&&(Answer, Line)| taken(one).is_some_and(|yes| label != if yes { "yes" } else { "no" });
        for (answer, line) in own.iter().filter(|one| missed && wrong(one)) {
            println!("    {label} {answer:?} {}", line.text);
        }
    }
}
