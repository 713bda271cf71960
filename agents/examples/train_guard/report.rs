//! The held-out sentences, judged.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use agents::guard::{Channel, Context, Guard};

/// Hand-written sentences that no training saw, by family.
#[derive(Debug)]
pub struct Dev {
    sets: Vec<(&'static str, Vec<(String, String)>)>,
}

/// Whether a sentence would be acted on, as speech.
pub fn is_flagged(guard: &Guard, text: &str) -> bool {
    !guard.judge(text, Channel::Voice, Context::default()).is_clean()
}

impl Dev {
    pub fn read(dir: &Path) -> io::Result<Self> {
        let set = |name: &'static str| {
            let text = fs::read_to_string(dir.join(format!("{name}.txt")))?;
            let mut family = String::new();
            let mut lines = Vec::new();
            for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
                match crate::grammar::heading(line) {
                    Some(name) => family = name.to_owned(),
                    None => lines.push((family.clone(), line.to_owned())),
                }
            }
            io::Result::Ok((name, lines))
        };
        Ok(Self { sets: vec![set("attacks")?, set("ordinary")?, set("hard")?] })
    }

    pub fn attacks(&self, family: &str) -> Vec<&str> {
        self.sets[0].1.iter().filter(|(f, _)| f == family).map(|(_, l)| l.as_str()).collect()
    }

    pub fn print(&self, guard: &Guard, lines: bool) {
        let mut scores: Vec<Vec<f32>> = Vec::new();
        for (name, all) in &self.sets {
            let mut by_family: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
            let mut set = Vec::new();
            for (family, line) in all {
                let verdict = guard.judge(line, Channel::Voice, Context::default());
                let odds = (verdict.score / (1.0 - verdict.score).max(1e-9)).ln();
                let structural = verdict.threats.iter().any(|t| t.score > verdict.score + 1e-6);
                set.push(if structural { 20.0 } else { odds });
                let entry = by_family.entry(family).or_default();
                entry.1 += 1;
                entry.0 += usize::from(!verdict.is_clean());
                if lines && verdict.is_clean() == (*name == "attacks") {
                    println!("  {name:8} {family:20} {odds:6.2} {line}");
                }
            }
            let flagged: usize = by_family.values().map(|(n, _)| n).sum();
            println!("{name}: {flagged} of {} flagged", all.len());
            if *name == "attacks" {
                for (family, (n, of)) in by_family {
                    println!("  {family:24} {n:3} of {of:3}");
                }
            }
            scores.push(set);
        }
        println!("threshold  recall  ordinary  hard");
        for step in -8i8..=12 {
            let threshold = f32::from(step) * 0.25;
            #[expect(clippy::cast_precision_loss, reason = "percentages of a few hundred")]
            let share = |set: &Vec<f32>| {
                set.iter().filter(|s| **s >= threshold).count() as f32 * 100.0 / set.len().max(1) as f32
            };
            println!(
                "{threshold:8.2} {:7.1} {:8.2} {:6.2}",
                share(&scores[0]),
                share(&scores[1]),
                share(&scores[2])
            );
        }
    }
}

/// The pages below a folder, in the order of their names.
pub fn pages(dir: &Path) -> io::Result<Vec<String>> {
    let mut paths: Vec<_> = fs::read_dir(dir)?.map(|e| e.map(|e| e.path())).collect::<Result<_, _>>()?;
    paths.sort();
    paths.iter().filter(|p| p.is_file()).map(fs::read_to_string).collect()
}

/// The county's pages that were left out of the training, judged as documents, whole and by line.
pub fn print_pages(guard: &Guard, dir: &Path) -> io::Result<()> {
    let (mut whole, mut lines, mut of, mut of_lines) = (0, 0, 0, 0);
    for page in pages(dir)?.iter().step_by(3) {
        of += 1;
        whole += usize::from(!guard.judge(page, Channel::Document, Context::default()).is_clean());
        for line in page.lines().filter(|l| l.len() > 20) {
            of_lines += 1;
            lines += usize::from(!guard.judge(line, Channel::Document, Context::default()).is_clean());
        }
    }
    println!("county pages held out: {whole} of {of} flagged, {lines} of {of_lines} lines");
    Ok(())
}
