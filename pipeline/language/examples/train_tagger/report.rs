//! Figures of a model on marked lines.

use std::collections::BTreeMap;

use language::tagger::model::Model;
use language::tagger::{Kind, LEAST_ADDRESS, LEAST_NAME, Span, candidates_by};

use crate::line::Line;

#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    pub planted: usize,
    pub found: usize,
    pub whole: usize,
    pub exact: usize,
    pub said: usize,
    pub right: usize,
}

impl Figures {
    const fn add(&mut self, other: Self) {
        self.planted += other.planted;
        self.found += other.found;
        self.whole += other.whole;
        self.exact += other.exact;
        self.said += other.said;
        self.right += other.right;
    }
}

/// Spans with thresholds.
pub fn spans(model: &Model, line: &Line, least: [f32; 2]) -> Vec<Span> {
    let mut found = candidates_by(model, &line.text, Some(line.language));
    found.retain(|span| span.sure >= least[usize::from(span.kind == Kind::Address)]);
    found
}

pub const LEAST: [f32; 2] = [LEAST_NAME, LEAST_ADDRESS];

fn covered(spans: &[Span], kind: Kind, range: &std::ops::Range<usize>) -> usize {
    let of = spans.iter().filter(|span| span.kind == kind);
    of.map(|s| s.to.min(range.end).saturating_sub(s.from.max(range.start))).sum()
}

/// Found: at least half of it. Whole: all of it. Exact: by a span of the same bytes.
pub fn figures(model: &Model, lines: &[&Line], kind: Kind, least: [f32; 2], missed: bool) -> Figures {
    let mut out = Figures::default();
    for line in lines {
        let spans = spans(model, line, least);
        for (own, range) in line.marks.iter().filter(|(own, _)| *own == kind) {
            let share = covered(&spans, kind, range);
            out.planted += 1;
            out.found += usize::from(share * 2 >= range.len());
            out.whole += usize::from(share >= range.len());
            out.exact += usize::from(
                spans.iter().any(|s| s.kind == *own && (s.from, s.to) == (range.start, range.end)),
            );
            if missed && share < range.len() {
                let how = if share * 2 >= range.len() { "part" } else { "MISS" };
                println!("{how} {kind:?} {:?} in: {} [{}]", &line.text[range.clone()], line.text, line.group);
            }
        }
        for span in spans.iter().filter(|span| span.kind == kind) {
            out.said += 1;
            let right =
                line.marks.iter().any(|(own, r)| *own == kind && r.start < span.to && span.from < r.end);
            out.right += usize::from(right);
            if missed && !right {
                println!(
                    "FALSE {kind:?} {:?} {:.2} in: {} [{}]",
                    &line.text[span.from..span.to],
                    span.sure,
                    line.text,
                    line.group
                );
            }
        }
    }
    out
}

/// Lines without marks that were touched.
pub fn touched(model: &Model, lines: &[&Line], least: [f32; 2], missed: bool) -> (usize, usize) {
    let clean: Vec<&&Line> = lines.iter().filter(|line| line.marks.is_empty()).collect();
    let hit = clean.iter().filter(|line| {
        let spans = spans(model, line, least);
        if missed && !spans.is_empty() {
            for span in &spans {
                println!(
                    "TOUCHED {:?} {:?} {:.2} in: {} [{}]",
                    span.kind,
                    &line.text[span.from..span.to],
                    span.sure,
                    line.text,
                    line.group
                );
            }
        }
        !spans.is_empty()
    });
    (hit.count(), clean.len())
}

fn percent(part: usize, of: usize) -> f64 {
    if of == 0 { f64::NAN } else { part as f64 * 100.0 / of as f64 }
}

/// A table by group and language.
pub fn print(title: &str, model: &Model, lines: &[Line], least: [f32; 2], missed: bool) {
    println!("\n{title}");
    println!(
        "{:<16} | {:<42} | {:<42} | clean touched",
        "group", "names: found whole exact precision", "addresses"
    );
    let mut groups: BTreeMap<String, Vec<&Line>> = BTreeMap::new();
    for line in lines {
        groups.entry(format!("{} {}", line.group, line.language.code())).or_default().push(line);
    }
    let all: Vec<&Line> = lines.iter().collect();
    let rows = groups.iter().map(|(name, lines)| (name.as_str(), lines)).chain([("all", &all)]);
    for (name, lines) in rows {
        let last = name == "all";
        let cells = [Kind::Name, Kind::Address].map(|kind| {
            let f = figures(model, lines, kind, least, missed && last);
            format!(
                "{:5.1} {:5.1} {:5.1} of {:<4} p {:5.1} of {:<4}",
                percent(f.found, f.planted),
                percent(f.whole, f.planted),
                percent(f.exact, f.planted),
                f.planted,
                percent(f.right, f.said),
                f.said
            )
        });
        let (hit, clean) = touched(model, lines, least, missed && last);
        println!(
            "{name:<16} | {:<42} | {:<42} | {hit} of {clean} ({:.2} %)",
            cells[0],
            cells[1],
            percent(hit, clean)
        );
    }
}

/// What thresholds cost and bring, over models that each judge lines that they have not seen.
pub fn curve(title: &str, judged: &[(&Model, &[Line])]) {
    println!(
        "\n{title}: least, names found and precise, addresses found and precise, clean touched by names, by addresses"
    );
    for least in [0.2, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9] {
        let (mut names, mut addresses) = (Figures::default(), Figures::default());
        let (mut by_names, mut by_addresses, mut clean) = (0, 0, 0);
        for (model, lines) in judged {
            let all: Vec<&Line> = lines.iter().collect();
            names.add(figures(model, &all, Kind::Name, [least, least], false));
            addresses.add(figures(model, &all, Kind::Address, [least, least], false));
            let (hit, of) = touched(model, &all, [least, 2.0], false);
            (by_names, clean) = (by_names + hit, clean + of);
            by_addresses += touched(model, &all, [2.0, least], false).0;
        }
        println!(
            "{least:.2}  {:5.1} {:5.1}  {:5.1} {:5.1}  {:5.2}  {:5.2}",
            percent(names.found, names.planted),
            percent(names.right, names.said),
            percent(addresses.found, addresses.planted),
            percent(addresses.right, addresses.said),
            percent(by_names, clean),
            percent(by_addresses, clean)
        );
    }
}
