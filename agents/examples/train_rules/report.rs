//! How many forbidden sentences the model alone finds and how many allowed ones it takes for forbidden, by threshold.

use agents::rules::likeness::{Kind, Likeness, Reading};

use crate::data::Line;

const THRESHOLDS: [i64; 8] = [300, 400, 500, 600, 700, 800, 900, 950];
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
