//! What a detector makes of sentences: what it catches beside what it harms.

use governance::danger::{Detector, Level, Reading};

use crate::{Label, Line};

pub fn read(detector: &Detector, lines: Vec<Line>) -> Vec<(Line, Reading)> {
    lines
        .into_iter()
        .map(|line| (detector.read(&line.text), line))
        .map(|(reading, line)| (line, reading))
        .collect()
}

pub fn print(all: &[(Line, Reading)], missed: bool) {
    for language in ["en", "es"] {
        let own: Vec<&(Line, Reading)> = all.iter().filter(|(line, _)| line.language == language).collect();
        println!("{language}");
        group("in danger now", &own, |line| line.label == Label::Now);
        group("perhaps", &own, |line| line.label == Label::Maybe);
        group("alarming words", &own, |line| line.label == Label::No && line.kind == "nearmiss");
        group("ordinary", &own, |line| line.label == Label::No && line.kind != "nearmiss");
    }
    sweep(all);
    if missed {
        for (line, reading) in all {
            let level = reading.level();
            let wrong = match line.label {
                Label::Now => level < Level::Sure,
                Label::Maybe => false,
                Label::No => level > Level::No,
            };
            if wrong {
                println!(
                    "{:?} {level:?} {} {} {} {}",
                    line.label, reading.now, reading.danger, line.kind, line.text
                );
            }
        }
    }
}

/// One sentence a line, with what a training that left it out made of it: label, kind, language, now, danger, text.
pub fn table(all: &[(Line, Reading)]) -> String {
    let label = |line: &Line| match line.label {
        Label::No => "no",
        Label::Maybe => "maybe",
        Label::Now => "now",
    };
    let row = |(line, read): &(Line, Reading)| {
        let Line { kind, language, text, .. } = line;
        format!("{}\t{kind}\t{language}\t{}\t{}\t{text}\n", label(line), read.now, read.danger)
    };
    all.iter().map(row).collect()
}

/// What other thresholds would do.
fn sweep(all: &[(Line, Reading)]) {
    for threshold in [300, 400, 500, 600, 700, 750, 800, 850, 900] {
        let count = |is: &dyn Fn(&Line) -> bool, read: fn(&Reading) -> u16| {
            let own: Vec<_> = all.iter().filter(|(line, _)| is(line)).collect();
            let found = own.iter().filter(|(_, r)| read(r) >= threshold).count();
            format!("{found:>4}/{:<4}", own.len())
        };
        let now: &dyn Fn(&Line) -> bool = &|l| l.label == Label::Now;
        let near: &dyn Fn(&Line) -> bool = &|l| l.label == Label::No && l.kind == "nearmiss";
        let plain: &dyn Fn(&Line) -> bool = &|l| l.label == Label::No && l.kind != "nearmiss";
        let [sure, likely]: [fn(&Reading) -> u16; 2] = [|r| r.now, |r| r.danger];
        println!(
            "{threshold}: now {} alarming {} ordinary {} | perhaps: now {} alarming {} ordinary {}",
            count(now, sure),
            count(near, sure),
            count(plain, sure),
            count(now, likely),
            count(near, likely),
            count(plain, likely),
        );
    }
}

fn group(name: &str, all: &[&(Line, Reading)], is: impl Fn(&Line) -> bool) {
    let own: Vec<_> = all.iter().filter(|(line, _)| is(line)).collect();
    let at = |level: Level| own.iter().filter(|(_, reading)| reading.level() == level).count();
    println!(
        "  {name:>16} {:>5}: sure {:>4}, asked {:>4}, neither {:>4}",
        own.len(),
        at(Level::Sure),
        at(Level::Likely),
        at(Level::No)
    );
}
