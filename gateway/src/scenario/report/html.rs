//! The run as a folder of pages: `index.html`, a page a scenario, and the sound of both sides. No script, nothing from outside.

use std::fs;
use std::path::Path;

use anyhow::Context;
use chrono::DateTime;

use super::page::Page;
use super::{svg, table};
use crate::scenario::evidence::Evidence;
use crate::scenario::figures::{Held, Outcome, Run};
use crate::scenario::verdict::Finding;
use caller::audio;

/// Sound and pages of scenarios are below these.
const SOUND: &str = "audio";

/// Keeps what the run's end does not hold any more: the sound, and the drawings of it. A call that is to be held again has
/// pages of its own, `again` of them so far.
///
/// # Errors
/// The folder cannot be written.
pub fn scenario(folder: &Path, held: &Held, again: Option<usize>, evidence: &Evidence) -> anyhow::Result<()> {
    let sound = folder.join(SOUND);
    fs::create_dir_all(&sound).with_context(|| format!("{} cannot be made", sound.display()))?;
    let name = page_name(held, again);
    audio::write_stereo(&sound.join(format!("{name}.wav")), &evidence.caller_sound, &evidence.agent_sound)?;
    audio::write_mono(&sound.join(format!("{name}-caller.wav")), &evidence.caller_sound)?;
    audio::write_mono(&sound.join(format!("{name}-agent.wav")), &evidence.agent_sound)?;
    let page = folder.join(format!("{name}.html"));
    fs::write(&page, of_scenario(held, &name, evidence))
        .with_context(|| format!("{} cannot be written", page.display()))
}

/// The first page.
///
/// # Errors
/// The folder cannot be written.
pub fn index(folder: &Path, run: &Run) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let page = folder.join("index.html");
    fs::write(&page, of_run(run)).with_context(|| format!("{} cannot be written", page.display()))
}

/// Ids are names of files that somebody chose: only what is harmless in a path and a link stays.
fn file_name(id: &str) -> String {
    id.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' }).collect()
}

fn page_name(held: &Held, again: Option<usize>) -> String {
    again.map_or_else(|| file_name(&held.id), |attempt| format!("{}.failed-{attempt}", file_name(&held.id)))
}

const fn class(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "passed",
        Outcome::Failed | Outcome::Mended => "failed",
        Outcome::Flaky | Outcome::KnownFailure => "known",
    }
}

fn of_run(run: &Run) -> String {
    let mut page = Page::default();
    page.element("h1", "", "Scenarios");
    let began = when(&run.started_at);
    page.element("p", "quiet", &format!("{began}, at {}. It took {:.0} s.", run.gateway, run.seconds));
    page.table(&[]);
    for row in table::rows(&run.figures) {
        page.markup("<tr>").element("td", "", row.figure).element("td", "n", &row.value).markup("</tr>");
    }
    page.end_table().element("h2", "", "Each call");
    page.table(&[
        ("", "scenario"),
        ("", "outcome"),
        ("", "what is wrong"),
        ("n", "slowest reply"),
        ("n", "seconds"),
    ]);
    // What needs somebody comes first.
    let mut all: Vec<&Held> = run.scenarios.iter().collect();
    all.sort_by_key(|held| class(held.outcome) != "failed");
    for held in all {
        page.markup("<tr><td>").link(&format!("{}.html", file_name(&held.id)), &held.name).markup("</td>");
        page.element("td", class(held.outcome), held.outcome.name()).markup("<td>");
        findings(&mut page, held);
        let slowest = held.manners.responses_ms.iter().max().map_or("-".to_owned(), |ms| format!("{ms} ms"));
        page.markup("</td>").element("td", "n", &slowest);
        page.element("td", "n", &format!("{:.0}", held.seconds)).markup("</tr>");
    }
    page.end_table();
    if let Some(drawing) = svg::responses(&run.scenarios) {
        page.element("h2", "", "How soon each reply came").drawing(&drawing);
    }
    page.finish("Scenarios")
}

fn findings(page: &mut Page, held: &Held) {
    let place = |finding: &Finding| finding.line.map_or_else(String::new, |line| format!("line {line}: "));
    for finding in &held.earlier {
        page.element("div", "known", &format!("at first: {}{}", place(finding), finding.what));
    }
    for finding in &held.findings {
        page.element("div", "", &format!("{}{}", place(finding), finding.what));
    }
    if let Some(reason) = &held.known_failure {
        page.element("div", "known", &format!("known failure: {reason}"));
    }
}

fn of_scenario(held: &Held, name: &str, evidence: &Evidence) -> String {
    let mut page = Page::default();
    page.markup("<p>").link("index.html", "All scenarios").markup("</p>");
    page.element("h1", "", &held.name);
    page.element("p", class(held.outcome), held.outcome.name());
    page.element("p", "quiet", &format!("{} · call {}", held.file, held.call_id));
    page.markup("<div class=\"bad\">");
    findings(&mut page, held);
    page.markup("</div>").element("h2", "", "Sound");
    page.drawing(&svg::strip(evidence));
    page.sound(&format!("{SOUND}/{name}.wav"), "both sides");
    page.sound(&format!("{SOUND}/{name}-caller.wav"), "caller");
    page.sound(&format!("{SOUND}/{name}-agent.wav"), "agent");
    page.element("h2", "", "Transcript");
    transcript(&mut page, held, evidence);
    if let Some((drawing, stages)) = svg::waterfall(&evidence.latency) {
        page.element("h2", "", "Where the time went").drawing(&drawing).markup("<ul class=\"key\">");
        for (stage, color) in stages {
            page.markup("<li><i style=\"background:").markup(color).markup("\"></i>").text(&stage);
            page.markup("</li>");
        }
        page.markup("</ul>");
    }
    left(&mut page, held, evidence);
    page.finish(&held.name)
}

fn transcript(page: &mut Page, held: &Held, evidence: &Evidence) {
    page.table(&[("n", "at"), ("", "who"), ("", "said")]);
    for turn in &held.transcript {
        let at = (turn.started_at - evidence.began).num_milliseconds().max(0);
        #[allow(clippy::cast_precision_loss)] // a call's length
        let seconds = format!("{:.1} s", at as f64 / 1_000.0);
        let class = if turn.is_agent() { "<tr class=\"agent\">" } else { "<tr class=\"caller\">" };
        page.markup(class).element("td", "n", &seconds).markup("<td>").element("b", "", &turn.speaker);
        page.markup("</td><td>").text(turn.heard());
        if turn.interrupted {
            page.element("span", "quiet", &format!(" … (interrupted; planned: {})", turn.text));
        }
        page.markup("</td></tr>");
    }
    page.end_table().element("h2", "", "What the caller did");
    page.table(&[
        ("n", "at"),
        ("", "did"),
        ("", "what"),
        ("n", "first sound after"),
        ("", "what was heard then"),
    ]);
    for (at, spoken) in evidence.spoken.iter().enumerate() {
        let timing = evidence.track().timing(spoken);
        let answer = match timing.response_ms {
            Some(ms) if timing.cut_off => format!("interrupted, then {ms} ms"),
            Some(ms) => format!("{ms} ms"),
            None => "-".to_owned(),
        };
        #[allow(clippy::cast_precision_loss)] // a call's length
        let seconds = format!("{:.1} s", spoken.from as f64 * 0.02);
        page.markup("<tr>").element("td", "n", &seconds).element("td", "", &format!("{:?}", spoken.kind));
        page.element("td", "", &spoken.text).element("td", "n", &answer);
        page.element("td", "", &evidence.reply_to(at)).markup("</tr>");
    }
    page.end_table();
}

fn left(page: &mut Page, held: &Held, evidence: &Evidence) {
    page.element("h2", "", "What the call left");
    if held.work.is_empty() {
        page.element("p", "", "Nothing to be done.");
    }
    page.table(&[]);
    for item in &held.work {
        for (name, value) in &item.fields {
            page.markup("<tr>")
                .element("td", "", &item.kind)
                .element("td", "", name)
                .element("td", "", value);
            page.markup("</tr>");
        }
    }
    page.end_table().element("p", "quiet", &format!("As a hash, for comparison: {}", held.state));
    let tools: Vec<String> = held
        .tools
        .iter()
        .map(|tool| format!("{}{}", tool.name, if tool.ok { "" } else { " (failed)" }))
        .collect();
    page.element(
        "p",
        "",
        &format!("Tools: {}", if tools.is_empty() { "none".into() } else { tools.join(", ") }),
    );
    let reason = &evidence.attention_reason;
    page.element("p", "", &format!("Attention: {} {reason}", evidence.attention));
}

/// As people write it, where it is a time.
fn when(at: &str) -> String {
    DateTime::parse_from_rfc3339(at)
        .map_or_else(|_| at.to_owned(), |at| at.to_utc().format("%B %-d, %Y, %-I:%M %p UTC").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::report::page::tests::run;

    #[test]
    fn the_folder_holds_pages_and_sound_and_nothing_of_a_caller_is_markup() {
        let (dir, run) = (tempfile::tempdir().unwrap(), run());
        let evidence = Evidence {
            caller_sound: vec![telephony::media::AudioFrame::SILENCE; 50],
            agent_sound: vec![telephony::media::AudioFrame([0x20; 160]); 50],
            heard: vec![true; 50],
            ..Evidence::default()
        };
        for held in &run.scenarios {
            scenario(dir.path(), held, None, &evidence).unwrap();
        }
        index(dir.path(), &run).unwrap();
        for file in ["index.html", "pothole.html", "audio/pothole.wav", "audio/couch-agent.wav"] {
            assert!(dir.path().join(file).is_file(), "{file}");
        }
        for file in ["index.html", "pothole.html"] {
            let html = fs::read_to_string(dir.path().join(file)).unwrap();
            assert!(!html.contains("<script") && html.contains("&lt;script&gt;"), "{file}");
        }
        let first = fs::read_to_string(dir.path().join("index.html")).unwrap();
        assert!(first.contains("November 27, 2026, 12:00 PM UTC"), "{first}");
        let (failed, passed) = (first.find("pothole.html"), first.find("couch.html"));
        assert!(failed < passed, "what failed stands first: {first}");
        assert_eq!(file_name("../a b\".yaml"), "___a_b__yaml");
    }
}
