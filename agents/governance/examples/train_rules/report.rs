//! How many forbidden sentences the model alone finds and how many allowed ones it takes for forbidden, by threshold.

use std::collections::BTreeMap;
use std::error::Error;

use governance::rules::likeness::{Kind, Likeness, Reading};
use governance::rules::{RuleSet, Spoken};
use language::Language;

use crate::data::{Line, sentences};
use crate::public::Kept;

const THRESHOLDS: [i64; 8] = [300, 400, 500, 600, 700, 800, 900, 950];
/// Words of a short everyday sentence, at most.
const EVERYDAY: usize = 5;
/// Whose sentences are listed.
const SHOWN: i64 = 500;

/// What the model makes of sentences.
pub fn read(model: &Likeness, lines: &[Line]) -> Vec<(Line, Reading)> {
    lines.iter().map(|line| (line.clone(), model.read(&line.text))).collect()
}

pub fn print(name: &str, all: &[(Line, Reading)], missed: bool) {
    println!("{name}\n{:>20} {}", "", THRESHOLDS.map(|t| format!("{t:>12}")).concat());
    for kind in Kind::ALL {
        let share = |at: i64| {
            let of = |own: bool| {
                let lines = all
                    .iter()
                    .filter(|(line, _)| if own { line.kind == Some(kind) } else { line.kind.is_none() });
                let (found, of) =
                    lines.fold((0, 0), |(n, of), (_, r)| (n + usize::from(r.of(kind) > at), of + 1));
                format!("{found}/{of}")
            };
            format!("{:>12}", format!("{} {}", of(true), of(false).split('/').next().unwrap_or_default()))
        };
        println!("{:>20} {}", kind.name(), THRESHOLDS.map(share).concat());
    }
    for language in ["en", "es"] {
        let found = |at: i64| {
            let blocked = all.iter().filter(|(l, _)| l.language == language && l.kind.is_some());
            let allowed = all.iter().filter(|(l, _)| l.language == language && l.kind.is_none());
            let (n, of) = blocked.fold((0, 0), |(n, of), (l, r)| {
                (n + usize::from(l.kind.is_some_and(|k| r.of(k) > at)), of + 1)
            });
            let alarms = allowed.filter(|(_, r)| Kind::ALL.iter().any(|k| r.of(*k) > at)).count();
            format!("{:>12}", format!("{n}/{of} {alarms}"))
        };
        println!("{language:>20} {}", THRESHOLDS.map(found).concat());
    }
    at_few_alarms(all);
    if missed {
        for (line, reading) in all {
            let worst = Kind::ALL.into_iter().max_by_key(|kind| reading.of(*kind)).unwrap_or(Kind::Promise);
            match line.kind {
                Some(kind) if reading.of(kind) <= SHOWN => {
                    println!("  missed {} {:4} {}", kind.name(), reading.of(kind), line.text);
                }
                None if reading.of(worst) > SHOWN => {
                    println!("  alarm {} {:4} {}", worst.name(), reading.of(worst), line.text);
                }
                _ => {}
            }
        }
    }
}

/// What is found where each kind takes two in a thousand allowed sentences for forbidden ones.
fn at_few_alarms(all: &[(Line, Reading)]) {
    let allowed = all.iter().filter(|(line, _)| line.kind.is_none()).count();
    let (mut sum, mut of) = (0, 0);
    let mut each = Vec::new();
    for kind in Kind::ALL {
        let mut alarms: Vec<i64> =
            all.iter().filter(|(line, _)| line.kind.is_none()).map(|(_, r)| r.of(kind)).collect();
        alarms.sort_unstable_by(|a, b| b.cmp(a));
        let threshold = alarms.get(allowed / 500).copied().unwrap_or_default();
        let own: Vec<i64> =
            all.iter().filter(|(l, _)| l.kind == Some(kind)).map(|(_, r)| r.of(kind)).collect();
        let found = own.iter().filter(|odds| **odds > threshold).count();
        sum += found;
        of += own.len();
        each.push(format!("{} {found}/{} above {threshold}", kind.name(), own.len()));
    }
    println!("  two alarms in a thousand a kind: {sum} of {of} ({})", each.join(", "));
}

/// What the shipped rules, patterns and model together, stop of what people say on other lines: nothing of it is forbidden.
pub fn print_talk(sets: &[Kept], missed: bool) -> Result<(), Box<dyn Error>> {
    let rules = RuleSet::load("", &[])?;
    for set in sets {
        let (mut all, mut short, mut stopped, mut stopped_short) = (0, 0, 0, 0);
        let mut by_rule: BTreeMap<String, usize> = BTreeMap::new();
        for sentence in set.lines.iter().flat_map(|line| sentences(line)) {
            let is_short = sentence.split_whitespace().count() <= EVERYDAY;
            let broken = rules.check_words(&Spoken::new(sentence, Language::En));
            let broken: Vec<_> = broken.iter().filter(|v| !v.permits()).collect();
            (all, short) = (all + 1, short + usize::from(is_short));
            if broken.is_empty() {
                continue;
            }
            stopped += 1;
            stopped_short += usize::from(is_short);
            for violation in &broken {
                *by_rule.entry(violation.rule.id.clone()).or_default() += 1;
            }
            if missed {
                println!(
                    "    {}: {sentence}",
                    broken.iter().map(|v| v.rule.id.as_str()).collect::<Vec<_>>().join(" ")
                );
            }
        }
        println!(
            "{}: {stopped} of {all} sentences stopped; of up to {EVERYDAY} words {stopped_short} of {short}",
            set.name
        );
        println!("    {by_rule:?}");
    }
    Ok(())
}
