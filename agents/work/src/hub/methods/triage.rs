//! What it is about, and how soon somebody must look.

use serde_json::{Value, json};

use super::clipped;
use super::seen::{Seen, about};
use crate::hub::routing::begins_a_word;

/// Words of something that may get worse while nobody looks.
const HAZARDS: [&str; 20] = [
    "spark",
    "live wire",
    "power line",
    "gas",
    "leak",
    "flood",
    "collaps",
    "sinkhole",
    "exposed",
    "fire",
    "smoke",
    "chemical",
    "spill",
    "asbestos",
    "blocked",
    "traffic light",
    "stop sign",
    "manhole",
    "still there",
    "ice",
];
/// Words of somebody who will not wait.
const PRESSING: [&str; 8] =
    ["urgent", "emergency", "deadline", "today", "tomorrow", "eviction", "shut off", "court date"];

pub(super) fn work(seen: &Seen) -> Value {
    let words = seen.words();
    let met = |list: &[&str]| -> Vec<String> {
        list.iter().filter(|word| begins_a_word(&words, word)).map(|word| (*word).to_owned()).collect()
    };
    let mut reasons = Vec::new();
    let mut rank = seen.items.iter().map(|item| rank(&item.priority)).max().unwrap_or(1);
    for (list, what) in [(&HAZARDS[..], "may get worse"), (&PRESSING[..], "cannot wait")] {
        let found = met(list);
        if !found.is_empty() {
            rank = rank.max(2);
            reasons.push(format!("{what}: {}", found.join(", ")));
        }
    }
    if seen.items.iter().any(|item| item.fields.get("injured").is_some_and(|injured| injured == "yes")) {
        rank = rank.max(2);
        reasons.push("somebody was hurt".to_owned());
    }
    let mut escalate = None;
    if let Some(kind) = &seen.call.urgent {
        rank = 3;
        reasons.push(format!("danger was spoken of: {kind}"));
        escalate = Some("the caller spoke of danger; make sure that help has come".to_owned());
    }
    if seen.call.interrupted {
        reasons.push("the call was cut off by us".to_owned());
    }
    if reasons.is_empty() {
        reasons.push("nothing in it is pressing".to_owned());
    }
    let category = category(seen);
    let urgency = ["low", "normal", "high", "urgent"][rank];
    let summary = clipped(&format!("{category}; {urgency}: {}.", reasons.join("; ")));
    let mut output = json!({
        "summary": summary, "confidence": if seen.items.is_empty() { 0.75 } else { 0.9 },
        "category": category, "urgency": urgency, "reasons": reasons,
    });
    if let Some(escalate) = escalate {
        output["escalate"] = escalate.into();
    }
    output
}

fn rank(priority: &str) -> usize {
    match priority {
        "low" => 0,
        "high" => 2,
        "urgent" => 3,
        _ => 1,
    }
}

fn category(seen: &Seen) -> String {
    let Some(item) = seen.items.first() else {
        return if seen.call.interrupted { "interrupted call" } else { "call" }.to_owned();
    };
    let start: String = about(item).unwrap_or_default().chars().take(50).collect();
    if start.is_empty() { item.kind.clone() } else { format!("{}: {}", item.kind, start.trim()) }
}
