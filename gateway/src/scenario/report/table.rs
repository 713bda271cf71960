//! The run as lines for a terminal, alone or beside an older one. Pure.

#![deny(clippy::disallowed_methods)]

use crate::scenario::figures::{Figures, Held, Rate, Run};
use crate::scenario::verdict::Finding;

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub figure: &'static str,
    pub value: String,
}

/// The figures, a line each.
#[must_use]
pub fn rows(figures: &Figures) -> Vec<Row> {
    let row = |figure, value| Row { figure, value };
    let f = figures;
    vec![
        row("passed, or failed as marked", rate(f.passed)),
        row("passed only when held again", rate(f.flaky)),
        row("task completion", rate(f.task_completion)),
        row("turns answered", rate(f.answered)),
        row("response, p50 / p95", both(f.response_p50_ms, f.response_p95_ms)),
        row("interruptions yielded to", rate(f.yielded)),
        row("yield, p50 / p95", both(f.yield_p50_ms, f.yield_p95_ms)),
        row("back-channels let by", rate(f.back_channels_let_by)),
        row("turns in which the caller was not interrupted", rate(f.caller_not_interrupted)),
        row("callers' frames sent in time, by this machine", rate(f.frames_in_time)),
    ]
}

fn rate(rate: Rate) -> String {
    match rate.percent() {
        // Nearly all is not all.
        Some(percent) if rate.hits < rate.of && percent > 99.9 => {
            format!("99.9 % ({} of {})", rate.hits, rate.of)
        }
        Some(percent) => format!("{percent:.1} % ({} of {})", rate.hits, rate.of),
        None => "-".to_owned(),
    }
}

fn both(p50: Option<u64>, p95: Option<u64>) -> String {
    match (p50, p95) {
        (Some(p50), Some(p95)) => format!("{p50} / {p95} ms"),
        _ => "-".to_owned(),
    }
}

/// How one scenario came out, with what is wrong.
#[must_use]
pub fn lines(held: &Held) -> Vec<String> {
    let mut lines = vec![format!("{:<8} {} ({:.0} s)", mark(held), held.id, held.seconds)];
    let place = |finding: &Finding| finding.line.map_or_else(String::new, |line| format!("line {line}: "));
    for finding in &held.earlier {
        lines.push(format!("         at first: {}{}", place(finding), finding.what));
    }
    for finding in &held.findings {
        lines.push(format!("         {}{}", place(finding), finding.what));
    }
    if let Some(reason) = &held.known_failure {
        lines.push(format!("         marked as a known failure: {reason}"));
    }
    lines
}

const fn mark(held: &Held) -> &'static str {
    use crate::scenario::figures::Outcome;
    match held.outcome {
        Outcome::Passed => "passed",
        Outcome::Flaky => "FLAKY",
        Outcome::Failed => "FAILED",
        Outcome::KnownFailure => "known",
        Outcome::Mended => "MENDED",
    }
}

/// The table at the end.
#[must_use]
pub fn text(run: &Run) -> String {
    let mut out = String::from("\n");
    for row in rows(&run.figures) {
        out.push_str(&format!("{:<46} {}\n", row.figure, row.value));
    }
    out
}

/// Both runs side by side, and the scenarios that came out otherwise.
#[must_use]
pub fn comparison(old: &Run, new: &Run) -> String {
    let mut out = format!("\n{:<46} {:<24} {}\n", "", old.started_at, new.started_at);
    for (before, after) in rows(&old.figures).into_iter().zip(rows(&new.figures)) {
        let sign = if before.value == after.value { " " } else { "→" };
        out.push_str(&format!("{:<46} {:<22} {sign} {}\n", after.figure, before.value, after.value));
    }
    for held in &new.scenarios {
        let Some(before) = old.scenarios.iter().find(|known| known.id == held.id) else {
            out.push_str(&format!("new: {}, {}\n", held.id, held.outcome.name()));
            continue;
        };
        if before.outcome != held.outcome {
            out.push_str(&format!("{}: {} → {}\n", held.id, before.outcome.name(), held.outcome.name()));
        } else if before.state != held.state {
            out.push_str(&format!("{}: left {} → {}\n", held.id, before.state, held.state));
        }
    }
    for gone in old.scenarios.iter().filter(|known| !new.scenarios.iter().any(|held| held.id == known.id)) {
        out.push_str(&format!("gone: {}\n", gone.id));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::report::page::tests::run;

    #[test]
    fn two_runs_stand_side_by_side_and_only_what_changed_is_named() {
        let (old, mut new) = (run(), run());
        new.figures.response_p50_ms = Some(700);
        new.scenarios[0].outcome = crate::scenario::figures::Outcome::Passed;
        let text = comparison(&old, &new);
        assert!(text.contains("→ 700 / 900 ms"), "{text}");
        assert!(text.contains("pothole: failed → passed"), "{text}");
        assert!(!text.contains("couch:"), "{text}");
        assert!(lines(&old.scenarios[0]).join("\n").contains("line 7: the reply lacks"));
    }

    #[test]
    fn nearly_all_is_not_shown_as_all() {
        assert_eq!(rate(Rate { hits: 9_999, of: 10_000 }), "99.9 % (9999 of 10000)");
        assert_eq!(rate(Rate::default()), "-");
    }
}
