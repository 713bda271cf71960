//! Drawings for the pages: who spoke when, where a turn's time went, how soon replies came. Pure.

#![deny(clippy::disallowed_methods)]

use std::fmt::Write as _;

use serde_json::Value;

use super::page::escaped;
use crate::scenario::caller::Kind;
use crate::scenario::evidence::Evidence;
use crate::scenario::figures::Held;
use crate::scenario::track::Track;

/// Pixels.
const WIDTH: f64 = 1_000.0;
/// Room for labels at the left.
const LABEL: f64 = 150.0;

/// A drawing, with every word in it escaped.
#[derive(Clone, Debug)]
pub struct Drawing(String);

impl Drawing {
    fn begin(height: f64, label: &str) -> Self {
        Self(format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">", escaped(label)))
    }

    fn rect(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), fill: &str, title: &str) {
        let _ = write!(
            self.0,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{height:.1}\" fill=\"{fill}\"><title>{}</title></rect>",
            width.max(0.8),
            escaped(title)
        );
    }

    fn text(&mut self, (x, y): (f64, f64), text: &str) {
        let _ = write!(self.0, "<text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(text));
    }

    /// On a bar, which is dark.
    fn label(&mut self, (x, y): (f64, f64), text: &str) {
        let _ =
            write!(self.0, "<text x=\"{x:.1}\" y=\"{y:.1}\" style=\"fill:#fff\">{}</text>", escaped(text));
    }

    fn end(mut self) -> Self {
        self.0.push_str("</svg>");
        self
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

const CALLER: &str = "var(--caller)";
const AGENT: &str = "var(--agent)";
const BAD: &str = "var(--bad)";

/// Both voices over the time of a call, and where a reply was taken back.
#[must_use]
pub fn strip(evidence: &Evidence) -> Drawing {
    let mut drawing = Drawing::begin(90.0, "Who spoke when");
    let frames = evidence.heard.len().max(1) as f64;
    let x = |frame: usize| LABEL + frame as f64 / frames * (WIDTH - LABEL - 10.0);
    for (row, name, voiced, fill) in
        [(10.0, "caller", &evidence.said, CALLER), (40.0, "agent", &evidence.heard, AGENT)]
    {
        drawing.text((0.0, row + 15.0), name);
        for (from, to) in Track::stretches(voiced) {
            let title = format!("{name}, {:.1} to {:.1} s", from as f64 * 0.02, to as f64 * 0.02);
            drawing.rect((x(from), row), (x(to + 1) - x(from), 20.0), fill, &title);
        }
    }
    for clear in &evidence.clears {
        let title = format!("what waited was taken back at {:.1} s", *clear as f64 * 0.02);
        drawing.rect((x(*clear), 36.0), (1.5, 28.0), BAD, &title);
    }
    for spoken in evidence.spoken.iter().filter(|spoken| spoken.kind != Kind::Silence) {
        let title = format!("{:?}: {}", spoken.kind, spoken.text);
        drawing.rect((x(spoken.from), 4.0), (x(spoken.last + 1) - x(spoken.from), 3.0), CALLER, &title);
    }
    let seconds = frames * 0.02;
    let step = if seconds > 120.0 { 20 } else { 5 };
    for second in (0..=seconds as usize).step_by(step) {
        drawing.text((x(second * 50), 84.0), &format!("{second} s"));
    }
    drawing.end()
}

/// White words can be read on each.
const STAGES: [&str; 8] =
    ["#2563eb", "#047857", "#b45309", "#7c3aed", "#be185d", "#0e7490", "#4d7c0f", "#57534e"];

/// Where the time of each turn went, and which color is which stage: the same in every turn.
#[must_use]
pub fn waterfall(turns: &[Value]) -> Option<(Drawing, Vec<(String, &'static str)>)> {
    let total = |turn: &Value| turn["total_ms"].as_f64().unwrap_or(0.0);
    let longest = turns.iter().map(total).fold(0.0, f64::max);
    if longest <= 0.0 {
        return None;
    }
    let mut drawing = Drawing::begin(turns.len() as f64 * 24.0 + 6.0, "Where the time of each turn went");
    let mut names: Vec<&str> = Vec::new();
    for (row, turn) in turns.iter().enumerate() {
        let y = row as f64 * 24.0 + 4.0;
        drawing.text((0.0, y + 13.0), &format!("turn {}: {:.0} ms", turn["turn"], total(turn)));
        let mut at = LABEL;
        for stage in turn["stages"].as_array().into_iter().flatten() {
            let ms = stage["ms"].as_f64().unwrap_or(0.0).max(0.0);
            let width = ms / longest * (WIDTH - LABEL - 10.0);
            if width >= 0.5 {
                let name = stage["stage"].as_str().unwrap_or("?");
                let known = names.iter().position(|known| *known == name);
                let index = known.unwrap_or_else(|| {
                    names.push(name);
                    names.len() - 1
                });
                let title = format!("{name} {ms:.0} ms");
                drawing.rect((at, y), (width, 16.0), STAGES[index % STAGES.len()], &title);
                if width > 110.0 {
                    drawing.label((at + 3.0, y + 12.0), &name.replace('_', " "));
                }
            }
            at += width;
        }
    }
    let key = names.iter().zip(STAGES.iter().cycle()).map(|(name, color)| (name.replace('_', " "), *color));
    Some((drawing.end(), key.collect()))
}

/// Every reply of a run as a dot, a row a scenario.
#[must_use]
pub fn responses(all: &[Held]) -> Option<Drawing> {
    let longest = all.iter().flat_map(|held| &held.manners.responses_ms).max().copied()?.max(1_000) as f64;
    let height = all.len() as f64 * 16.0 + 24.0;
    let mut drawing = Drawing::begin(height, "How soon each reply came, a row a scenario");
    let left = 260.0;
    let x = |ms: f64| left + ms / longest * (WIDTH - left - 20.0);
    for (row, held) in all.iter().enumerate() {
        let y = row as f64 * 16.0 + 12.0;
        drawing.text((0.0, y + 4.0), &held.id);
        for ms in &held.manners.responses_ms {
            let title = format!("{}: {ms} ms", held.id);
            drawing.rect((x(*ms as f64) - 3.0, y - 3.0), (6.0, 6.0), AGENT, &title);
        }
    }
    let step = if longest > 4_000.0 { 1_000 } else { 250 };
    for ms in (0..=longest as usize).step_by(step) {
        drawing.rect((x(ms as f64), 4.0), (0.8, height - 22.0), "var(--line)", "");
        // The last one is not cut at the edge.
        drawing.text(((x(ms as f64) - 8.0).min(WIDTH - 50.0), height - 4.0), &format!("{ms} ms"));
    }
    Some(drawing.end())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn stages_stand_one_after_the_other_and_names_are_escaped() {
        let turns = [json!({ "turn": 2, "total_ms": 500.0, "stages": [
            { "stage": "endpointing", "ms": 300.0 }, { "stage": "<b>", "ms": 200.0 } ] })];
        let (drawing, key) = waterfall(&turns).unwrap();
        assert_eq!(key, [("endpointing".to_owned(), STAGES[0]), ("<b>".to_owned(), STAGES[1])]);
        assert!(
            drawing.as_str().contains("endpointing 300 ms") && drawing.as_str().contains("&lt;b&gt; 200 ms")
        );
        assert!(waterfall(&[]).is_none());
    }
}
