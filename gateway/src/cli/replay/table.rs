//! The report as a table.

use std::fmt::Write as _;

use super::report::{Report, SATURATED_MS};
use caller::replay::times::Spread;

/// The whole report in lines.
#[must_use]
pub fn text(report: &Report) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = write_all(report, &mut out);
    out
}

fn write_all(report: &Report, out: &mut String) -> std::fmt::Result {
    let calls = &report.calls;
    writeln!(
        out,
        "calls        started {}  completed {}  failed {}  stopped {}  ({:.1} call-minutes in {:.0} s, {} at a time)",
        calls.started,
        calls.completed,
        calls.failed,
        calls.stopped,
        calls.minutes,
        report.duration_s,
        calls.live_at_peak
    )?;
    for (reason, n) in &calls.failures {
        writeln!(out, "  failed     {n} × {reason}")?;
    }
    if calls.troubled > 0 {
        writeln!(
            out,
            "  troubled   {} over a leg with delay or a stall, left out of the times",
            calls.troubled
        )?;
    }
    let turns = &report.turns;
    writeln!(
        out,
        "turns        spoken {}  answered {}  not answered {}  caller cut into {}",
        turns.spoken, turns.answered, turns.unanswered, turns.cut_in
    )?;
    writeln!(out, "{:<24}{:>8}{:>10}{:>10}{:>10}{:>10}", "", "n", "p50", "p95", "p99", "worst")?;
    for (name, spread) in [
        ("greeting, ms", &report.greeting_ms),
        ("answer, ms", &report.answer_ms),
        ("barge-in to clear, ms", &report.barge_in.clear_ms),
        ("barge-in to quiet, ms", &report.barge_in.silent_ms),
        ("frame lateness, ms", &report.play_out.late_ms),
        ("own send lateness, ms", &report.generator.late_ms),
    ] {
        row(out, name, spread)?;
    }
    let over = &report.barge_in.counts;
    writeln!(
        out,
        "spoken over  {} times: cleared {}  ended by itself {}  talked through {}",
        over.onsets, over.cleared, over.ended, over.talked_through
    )?;
    write_sound(report, out)?;
    write_gateway(report, out)
}

fn row(out: &mut String, name: &str, s: &Spread) -> std::fmt::Result {
    writeln!(out, "{name:<24}{:>8}{:>10.1}{:>10.1}{:>10.1}{:>10.1}", s.n, s.p50, s.p95, s.p99, s.worst)
}

fn write_sound(report: &Report, out: &mut String) -> std::fmt::Result {
    let play_out = &report.play_out;
    write!(out, "play-out     under-runs {} ({:.0} ms)", play_out.under_runs, play_out.under_run_ms)?;
    if play_out.troubled_under_runs > 0 {
        write!(out, ", and {} on troubled legs", play_out.troubled_under_runs)?;
    }
    let own = &report.generator;
    let cores = own.cores.map_or_else(String::new, |cores| format!("  cores {cores:.2}"));
    writeln!(out, "\ngenerator    frames {}  late {}{cores}", own.frames, own.late_frames)?;
    if own.saturated {
        writeln!(
            out,
            "  SATURATED  this process sent its frames late (p99 over {SATURATED_MS} ms): times above are in part its own. \
             Give it another core, or make fewer calls."
        )?;
    }
    Ok(())
}

fn write_gateway(report: &Report, out: &mut String) -> std::fmt::Result {
    let gateway = &report.gateway;
    let or_dash = |value: Option<f64>, digits: usize| match value {
        Some(value) => format!("{value:.digits$}"),
        None => "-".to_owned(),
    };
    writeln!(
        out,
        "gateway      CPU {} s a call-minute  memory {} MB a call ({} MB idle, {} MB at the peak)  frame lateness p99 {} ms",
        or_dash(gateway.cpu_seconds_per_call_minute, 3),
        or_dash(gateway.resident_mb_per_call, 2),
        or_dash(gateway.resident_mb_idle, 0),
        or_dash(gateway.resident_mb_peak, 0),
        or_dash(gateway.frame_late_p99_ms, 1),
    )?;
    if let Some(turn) = gateway.turn_ms {
        writeln!(
            out,
            "  turn       p50 {:.0}  p95 {:.0}  p99 {:.0} ms by its own clock",
            turn.p50, turn.p95, turn.p99
        )?;
    }
    if !gateway.stages_ms.is_empty() {
        let stages: Vec<_> = gateway.stages_ms.iter().map(|(stage, ms)| format!("{stage} {ms:.1}")).collect();
        writeln!(out, "  stages     median, ms: {}", stages.join("  "))?;
    }
    if gateway.cpu_seconds_per_call_minute.is_none() {
        writeln!(
            out,
            "  (no CPU and memory: /metrics does not tell; give --pid when it runs on this machine)"
        )?;
    }
    Ok(())
}
