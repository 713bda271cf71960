//! What heads make of sentences that they were not trained with, beside the patterns of the rules, and which thresholds that asks for.

use std::collections::BTreeMap;
use std::error::Error;

use governance::meaning::{Act, Forbidden, Meaning, Meant};
use governance::rules::{RuleSet, Spoken};
use language::Language;

use crate::data::{self, Line};
use crate::vectors::Vectors;

/// Thresholds that are shown, in thousandths.
const STEPS: [u16; 13] = [50, 100, 200, 300, 400, 450, 500, 550, 600, 700, 800, 900, 950];

/// Turns of agents that do nothing: none of them claims or promises an act.
pub const PLAIN: &str = "plain turns (SGD)";

#[derive(Clone, Copy, Debug)]
pub struct Show {
    pub missed: bool,
    /// By words alone, as where there is no encoder.
    pub alone: bool,
}

#[derive(Clone)]
pub struct Read {
    line: Line,
    meant: Option<Meant>,
}

type Talk = [(&'static str, Vec<String>)];

/// One model on some lines and on public talk.
pub fn all(
    model: &Meaning,
    lines: &[Line],
    kept: &Talk,
    vectors: &Vectors,
    show: Show,
) -> Result<(), Box<dyn Error>> {
    let read =
        lines.iter().map(|line| Read { line: line.clone(), meant: meant(model, &line.text, vectors, show) });
    told(read.collect(), model, kept, vectors, show)
}

fn meant(model: &Meaning, text: &str, vectors: &Vectors, show: Show) -> Option<Meant> {
    let seen = vectors.of(text)?;
    model.read(text, (!show.alone).then(|| seen.to_read()))
}

/// Tables of it all.
fn told(
    read: Vec<Read>,
    model: &Meaning,
    kept: &Talk,
    vectors: &Vectors,
    show: Show,
) -> Result<(), Box<dyn Error>> {
    print(&read, show.missed);
    rules(&read, show.missed)?;
    let talk: Vec<Meant> = kept
        .iter()
        .filter(|(name, _)| name.contains("agents"))
        .flat_map(|(_, lines)| lines.iter().filter_map(|line| meant(model, line, vectors, show)))
        .collect();
    thresholds(&read, &talk);
    for (name, lines) in kept {
        print_talk(name, lines, model, vectors, show);
    }
    Ok(())
}

/// By threshold: how many of each kind, and how many harmless ones, are above it.
fn print(all: &[Read], missed: bool) {
    for of_acts in [false, true] {
        let known = |read: &&Read| if of_acts { read.line.act } else { read.line.forbidden }.is_some();
        let mut rows: BTreeMap<String, Vec<u16>> = BTreeMap::new();
        for Read { line, meant } in all.iter().filter(known) {
            let wanted = if of_acts { line.act } else { line.forbidden }.unwrap_or_default();
            let sure = meant.map_or(0, |m| if of_acts { m.act().1 } else { m.forbidden().1 });
            let (language, name) = (&line.language, data::name(wanted, of_acts));
            rows.entry(format!("{language} {name}")).or_default().push(sure);
            let any = if wanted == 0 { "none" } else { "any" };
            rows.entry(format!("{language} {any} of {}", line.from)).or_default().push(sure);
            if missed && (wanted == 0) != (sure < 500) {
                let like =
                    meant.map_or("", |m| if of_acts { m.act().0.name() } else { m.forbidden().0.name() });
                println!("    {sure:4} {name} as {like}: {} [{}]", line.text, line.from);
            }
        }
        println!(
            "\n{:32}   of {}",
            if of_acts { "acts" } else { "forbidden" },
            STEPS.map(|s| format!("{s:5}")).join(" ")
        );
        for (row, sures) in rows {
            let share = |step: u16| {
                let n = sures.iter().filter(|s| **s >= step).count();
                format!("{:5.1}", n as f32 * 100.0 / sures.len().max(1) as f32)
            };
            println!("{row:32} {:4} {}", sures.len(), STEPS.map(share).join(" "));
        }
    }
}

/// What the shipped rules stop of it, with and without what it means.
fn rules(all: &[Read], missed: bool) -> Result<(), Box<dyn Error>> {
    let set = RuleSet::load("", &[])?;
    let mut rows: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    for Read { line, meant } in all.iter().filter(|read| read.line.forbidden.is_some()) {
        let language = if line.language == "es" { Language::Es } else { Language::En };
        let stops = |meant| {
            let broken = set.check_words(&Spoken { meant, ..Spoken::new(&line.text, language) });
            broken.into_iter().find(|violation| !violation.permits()).map(|v| v.rule.id.clone())
        };
        let (alone, both) = (stops(None), stops(*meant));
        let kind = line.forbidden.map_or("?", |kind| data::name(kind, false));
        for row in [format!("{} {kind}", line.language), format!("{} all but {}", line.language, "none")] {
            if kind == "none" && row.ends_with("all but none") {
                continue;
            }
            let entry = rows.entry(row).or_default();
            let hits = [true, alone.is_some(), both.is_some()];
            entry.iter_mut().zip(hits).for_each(|(count, hit)| *count += usize::from(hit));
        }
        if missed && kind == "none" && both.is_some() {
            println!("    stopped by {}: {}", both.unwrap_or_default(), line.text);
        }
    }
    println!("\n{:32}   of; patterns alone; with what they mean", "stopped by the rules");
    for (row, [of, alone, both]) in rows {
        println!("{row:32} {of:4} {alone:4} {both:4}");
    }
    Ok(())
}

/// For each kind the lowest threshold that stops so many of the harmless at most: near misses, in parts of a thousand over all
/// kinds, and talk of agents, in parts of ten thousand.
fn thresholds(all: &[Read], talk: &[Meant]) {
    let harmless: Vec<Meant> =
        all.iter().filter(|r| r.line.forbidden == Some(0)).filter_map(|r| r.meant).collect();
    for (near, public) in [(10, 20), (15, 30), (20, 30), (30, 30)] {
        let kinds = Forbidden::ALL.len();
        let budget = |of: usize, parts: usize, all: usize| (of * parts / all).div_ceil(kinds);
        let lowest = |kind: Forbidden| {
            let over = |all: &[Meant], most: usize| {
                let mut sures: Vec<u16> = all.iter().map(|m| m.of(kind)).collect();
                sures.sort_unstable_by(|a, b| b.cmp(a));
                sures.get(most).copied().unwrap_or_default() + 1
            };
            over(&harmless, budget(harmless.len(), near, 1000))
                .max(over(talk, budget(talk.len(), public, 10_000)))
        };
        let own: BTreeMap<usize, u16> =
            Forbidden::ALL.iter().map(|kind| (*kind as usize, lowest(*kind))).collect();
        let stopped = |meant: Meant| {
            own.get(&(meant.forbidden().0 as usize)).is_some_and(|t| meant.forbidden().1 >= *t)
        };
        let rate = |language: &str, bad: bool| {
            let of = all.iter().filter(|r| r.line.language == language);
            let of: Vec<_> = of.filter(|r| r.line.forbidden.is_some_and(|kind| (kind > 0) == bad)).collect();
            let n = of.iter().filter(|r| r.meant.is_some_and(stopped)).count();
            format!("{n} of {}", of.len())
        };
        let names: Vec<String> =
            Forbidden::ALL.iter().map(|kind| format!("{} {}", kind.name(), own[&(*kind as usize)])).collect();
        println!("\nnear misses {near} in 1000, talk {public} in 10000: {}", names.join(", "));
        let public = talk.iter().filter(|m| stopped(**m)).count();
        println!(
            "    found en {}, es {}; near misses en {}, es {}; talk {public} of {}",
            rate("en", true),
            rate("es", true),
            rate("en", false),
            rate("es", false),
            talk.len()
        );
    }
    for parts in [5, 10, 15, 20] {
        let mut plain: Vec<u16> =
            all.iter().filter(|r| r.line.act == Some(0)).map(|r| r.meant.map_or(0, |m| m.act().1)).collect();
        plain.sort_unstable_by(|a, b| b.cmp(a));
        let lowest = plain.get(plain.len() * parts / 1000).map_or(0, |sure| sure + 1);
        let found = |language: &str| {
            let of =
                all.iter().filter(|r| r.line.language == language && r.line.act.is_some_and(|act| act > 0));
            let (n, hits) = of.fold((0, 0), |(n, hits), r| {
                (n + 1, hits + usize::from(r.meant.is_some_and(|m| m.act().1 >= lowest)))
            });
            format!("{hits} of {n}")
        };
        println!(
            "claims at {lowest}: {parts} in 1000 of {} plain ones; found en {}, es {}",
            plain.len(),
            found("en"),
            found("es")
        );
    }
    let right = |of_acts: bool| {
        let wanted = |read: &Read| if of_acts { read.line.act } else { read.line.forbidden };
        let own = |m: Meant| 1 + if of_acts { m.act().0 as usize } else { m.forbidden().0 as usize };
        let all: Vec<_> = all.iter().filter(|r| wanted(r).is_some_and(|n| n > 0)).collect();
        let n = all.iter().filter(|r| r.meant.map(own) == wanted(r)).count();
        format!("{n} of {}", all.len())
    };
    println!("the right kind: {}; the right act: {} ({} acts)", right(false), right(true), Act::ALL.len());
}

/// Public talk: nothing of it is forbidden, and the plain turns claim no act.
fn print_talk(name: &str, lines: &[String], model: &Meaning, vectors: &Vectors, show: Show) {
    let sure = |line: &String| {
        let meant = meant(model, line, vectors, show)?;
        let (kind, sure) = if name == PLAIN {
            (meant.act().0.name(), meant.act().1)
        } else {
            (meant.forbidden().0.name(), meant.forbidden().1)
        };
        if show.missed && sure >= 500 {
            println!("    {sure} {kind}: {line}");
        }
        Some(sure)
    };
    let sures: Vec<u16> = lines.iter().filter_map(sure).collect();
    let over = |step: u16| {
        let n = sures.iter().filter(|s| **s >= step).count();
        format!("{:5.1}", n as f32 * 10_000.0 / sures.len().max(1) as f32)
    };
    println!("in ten thousand of {name}, {:5}: {}", lines.len(), STEPS.map(over).join(" "));
}
