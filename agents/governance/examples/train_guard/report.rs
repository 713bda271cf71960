//! The held-out sentences, judged.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

use governance::guard::{Channel, Context, Guard};

use crate::public::Kept;

/// Hand-written sentences that no training saw, by family.
#[derive(Debug)]
pub struct Dev {
    sets: Vec<(&'static str, Vec<(String, String)>)>,
}

/// Sets that were written later, by whoever had not seen the guard.
const SETS: [&str; 6] = ["second", "third", "fourth", "fifth", "sixth", "seventh"];

fn read_lines(path: &Path, lines: &mut Vec<(String, String)>) -> io::Result<()> {
    let text = fs::read_to_string(path)?;
    let mut family = String::new();
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
        match crate::grammar::heading(line) {
            Some(name) => family = name.to_owned(),
            None => lines.push((family.clone(), line.to_owned())),
        }
    }
    Ok(())
}

/// Whether a sentence would be acted on, as speech.
pub fn is_flagged(guard: &Guard, text: &str) -> bool {
    !guard.judge(text, Channel::Voice, Context::default()).is_clean()
}

impl Dev {
    pub fn read(dir: &Path) -> io::Result<Self> {
        let set = |name: &'static str| {
            let mut lines = Vec::new();
            let later = SETS.iter().map(|folder| dir.join(folder));
            for folder in std::iter::once(dir.to_owned()).chain(later) {
                read_lines(&folder.join(format!("{name}.txt")), &mut lines)?;
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
        for channel in Channel::ALL {
            let acted = |(_, lines): &(&str, Vec<(String, String)>)| {
                let hits =
                    lines.iter().filter(|(_, l)| !guard.judge(l, channel, Context::default()).is_clean());
                format!("{} of {}", hits.count(), lines.len())
            };
            let acted: Vec<String> = self.sets.iter().map(acted).collect();
            println!(
                "as {:9} attacks {}, ordinary {}, hard {}",
                channel.name(),
                acted[0],
                acted[1],
                acted[2]
            );
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

/// Public talk, judged on each channel: nothing of it may be acted on.
pub fn print_talk(guard: &Guard, sets: &[Kept], lines: bool) {
    println!("{:38} {:>6} {}", "acted on, percent", "lines", Channel::ALL.map(Channel::name).join(" "));
    for set in sets {
        let flagged = |channel: Channel| {
            let hit = |line: &&String| !guard.judge(line, channel, Context::default()).is_clean();
            let hits: Vec<&String> = set.lines.iter().filter(hit).collect();
            if lines && channel == Channel::Voice {
                hits.iter().for_each(|line| println!("    {line}"));
            }
            #[expect(clippy::cast_precision_loss, reason = "percentages of some thousands")]
            let share = hits.len() as f32 * 100.0 / set.lines.len().max(1) as f32;
            format!("{share:5.2}")
        };
        println!("{:38} {:6} {}", set.name, set.lines.len(), Channel::ALL.map(flagged).join(" "));
        let odds: Vec<f32> = set
            .lines
            .iter()
            .map(|line| guard.judge(line, Channel::Voice, Context::default()).score)
            .map(|score| (score / (1.0 - score).max(1e-9)).ln())
            .collect();
        let over = |at: f32| format!("{at}: {}", odds.iter().filter(|o| **o >= at).count());
        println!("    lines over {}", [-1.5, -1.0, -0.75, -0.5, -0.25, 0.0, 0.5, 1.0].map(over).join(", "));
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
