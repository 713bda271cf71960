//! Calls that are kept for looking into: sound, and who said what when.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use caller::audio;

use super::talk::{Call, tick_of};
use super::verdict::Verdict;

/// Writes `ID.wav` (caller left, agent right) and `ID.txt`.
///
/// # Errors
/// The folder cannot be written to.
pub fn write(folder: &Path, call: &Call, verdict: &Verdict) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let record = &call.record;
    audio::write_stereo(&folder.join(format!("{}.wav", verdict.id)), &record.said, &record.heard)?;
    let mut lines: Vec<(i64, String)> = Vec::new();
    for spoken in &record.spoken {
        let timing = record.timing(spoken);
        let mut line = format!(
            "caller says    [{}{}] {}",
            spoken.kind,
            if spoken.again { ", again" } else { "" },
            spoken.text
        );
        let _ = match (timing.cut_at, timing.response_ms) {
            (Some(at), _) => write!(
                line,
                "   (cut off at {:.1} s, {})",
                at as f64 / 50.0,
                if timing.gave_way { "gave way" } else { "went on" }
            ),
            (None, Some(ms)) => {
                write!(line, "   (until {:.1} s, answered after {ms} ms)", spoken.last as f64 / 50.0)
            }
            (None, None) => write!(line, "   (until {:.1} s, not answered)", spoken.last as f64 / 50.0),
        };
        lines.push((spoken.onset() as i64, line));
    }
    for overlay in &record.overlays {
        lines.push((overlay.from as i64, format!("caller says    ({})", overlay.what)));
    }
    for at in &record.clears {
        lines.push((*at as i64, "               (the agent's voice is taken back)".to_owned()));
    }
    for turn in &call.transcript {
        let at = tick_of(record.began, turn.started_at);
        let who = if turn.is_agent() { "agent         " } else { "taken as      " };
        let mut line = format!("{who} {}", turn.text);
        if turn.is_agent() && turn.heard() != turn.text {
            let _ = write!(line, "   (heard: {})", turn.heard());
        }
        lines.push((at, line));
    }
    lines.sort_by_key(|(at, _)| *at);
    let mut text = String::new();
    for (at, line) in lines {
        let _ = writeln!(text, "{:7.2}  {line}", at as f64 / 50.0);
    }
    let _ = writeln!(text, "\nended: {}", verdict.ended);
    for item in &call.filed {
        let fields: Vec<String> = item.fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let _ = writeln!(text, "filed: {} {}", item.kind, fields.join("; "));
    }
    for fault in &verdict.faults {
        let _ = writeln!(text, "fault: {fault}");
    }
    std::fs::write(folder.join(format!("{}.txt", verdict.id)), text)?;
    Ok(())
}
