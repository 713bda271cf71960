//! What the detector makes of sentences, by words alone and with the second look.

use governance::danger::sense::Sense;
use governance::danger::{Level, Reading};

use crate::Line;
use crate::vectors::Vectors;

pub fn print(sense: &Sense, lines: &[Line], vectors: &Vectors, missed: bool) {
    let read = |line: &Line| match vectors.of(&line.text) {
        Some(vector) => sense.read(line.words, &vector),
        None => line.words,
    };
    let all: Vec<(&Line, Reading)> = lines.iter().map(|line| (line, read(line))).collect();
    for label in ["now", "maybe", "no"] {
        for language in ["", "en", "es"] {
            let own = all.iter().filter(|(line, _)| line.label == label && line.language == language);
            let own: Vec<_> = own.collect();
            if own.is_empty() {
                continue;
            }
            let count = |level: Level, of: fn(&(&Line, Reading)) -> Reading| {
                own.iter().filter(|both| of(both).level() == level).count()
            };
            let [before, after] = [|both: &(&Line, Reading)| both.0.words, |both: &(&Line, Reading)| both.1]
                .map(|of| {
                    format!("sure {:>4} asked {:>4}", count(Level::Sure, of), count(Level::Likely, of))
                });
            println!("{label:>5} {language:>2} {:>5}: by words {before}, with the vector {after}", own.len());
        }
    }
    for least in [100, 150, 200, 250, 300] {
        let count = |label: &str| {
            let own = all.iter().filter(|(line, reading)| line.label == label && reading.danger >= least);
            format!("{label} {}", own.count())
        };
        println!("danger from {least}: {}, {}, {}", count("now"), count("maybe"), count("no"));
    }
    for (line, reading) in all.iter().filter(|_| missed) {
        let wrong = match line.label.as_str() {
            "now" => reading.level() < Level::Sure,
            "no" => reading.level() > Level::No,
            _ => false,
        };
        if wrong {
            let (now, danger) = (reading.now, reading.danger);
            println!(
                "{} {now} {danger} ({} {}) {}",
                line.label, line.words.now, line.words.danger, line.text
            );
        }
    }
}
