//! What a person reads first: what was filed, what the others found, how such a case was decided before, what is open.

use serde_json::{Value, json};

use super::clipped;
use super::seen::{Seen, about, given, place};
use crate::hub::case::CaseItem;

/// Longest quote of a caller, in characters.
const QUOTE: usize = 240;
/// Points that are open, at most.
const MOST_OPEN: usize = 50;
/// Precedents that are told: the best.
const PRECEDENTS: usize = 2;

pub(super) fn work(seen: &Seen) -> Value {
    let mut lines: Vec<String> = seen.items.iter().map(told).collect();
    if seen.items.is_empty() {
        let last: String = seen.said.lines().next_back().unwrap_or_default().chars().take(QUOTE).collect();
        lines.push(match (seen.call.interrupted, last.is_empty()) {
            (true, true) => "The call was cut off by us before anything was said.".to_owned(),
            (true, false) => format!("The call was cut off by us. Last said: {last}"),
            (false, _) => "Nothing was filed on this call.".to_owned(),
        });
    }
    for output in seen.found.values() {
        lines.extend(output["summary"].as_str().filter(|text| !text.is_empty()).map(str::to_owned));
    }
    lines.extend(seen.precedents.iter().take(PRECEDENTS).map(|precedent| {
        let caution = precedent.caution.as_ref().map(|caution| format!(" ({caution})")).unwrap_or_default();
        let crate::passport::Precedent { symbol, outcome, reason, .. } = precedent;
        format!("Decided before ({symbol}): {outcome}. Why: {reason}{caution}")
    }));
    let mut open: Vec<String> = Vec::new();
    for output in seen.found.values() {
        let missing = output["missing"].as_array().into_iter().flatten().filter_map(Value::as_str);
        open.extend(missing.map(|name| format!("missing: {name}")));
        let steps = output["next_steps"].as_array().into_iter().flatten();
        open.extend(steps.filter_map(|step| {
            Some(format!("{} ({}, {} h)", step["step"].as_str()?, step["owner"].as_str()?, step["due_hours"]))
        }));
        open.extend(output["escalate"].as_str().map(|why| format!("for a person: {why}")));
    }
    open.truncate(MOST_OPEN);
    json!({ "summary": clipped(&lines.join("\n")), "confidence": 0.85, "open_points": open })
}

fn told(item: &CaseItem) -> String {
    let mut line = format!("{} ({}, {})", item.reference, item.kind, item.priority);
    let quote = |text: &str| text.chars().take(QUOTE).collect::<String>();
    if let Some(about) = about(item) {
        line.push_str(&format!(": {}", quote(about)));
    }
    for (name, value) in
        [("Where", place(item)), ("When", given(item, "when")), ("Hurt", given(item, "injured"))]
    {
        if let Some(value) = value {
            line.push_str(&format!(". {name}: {}", quote(value)));
        }
    }
    if item.incomplete {
        line.push_str(". The caller hung up before the end");
    }
    line.push('.');
    line
}
