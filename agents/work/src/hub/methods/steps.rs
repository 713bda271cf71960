//! Who has to do what by when.

use serde_json::{Value, json};

use super::clipped;
use super::seen::Seen;

/// What each kind of item asks of the county, and within how many hours: step, owner, hours, hours when urgent.
const BY_KIND: [(&str, &str, &str, u32, u32); 5] = [
    ("incident", "Look at the place and decide what to do", "public works", 48, 4),
    ("inspection", "Complete the booking with the caller", "inspections", 24, 8),
    ("message", "Answer the message", "the office it is for", 48, 8),
    ("escalation", "Call the caller back", "duty officer", 24, 2),
    ("callback", "Call the caller back", "duty officer", 24, 4),
];
/// Steps that words ask for.
const BY_WORD: [(&[&str], &str, &str, u32); 4] = [
    (
        &["complain", "discriminat", "harass"],
        "Acknowledge the complaint in writing",
        "compliance officer",
        48,
    ),
    (&["claim", "insurance", "reimburs"], "Tell the holder who works on the claim", "claims office", 72),
    (&["lawsuit", "subpoena", "attorney", "lawyer"], "Have a lawyer read the draft", "county attorney", 24),
    (&["public record"], "Answer the request for records", "clerk", 120),
];

struct Step {
    step: String,
    owner: &'static str,
    due_hours: u32,
}

pub(super) fn work(seen: &Seen) -> Value {
    let hurried = seen.call.urgent.is_some()
        || seen.items.iter().any(|item| matches!(item.priority.as_str(), "high" | "urgent"))
        || seen.finding("urgency").is_some_and(|urgency| urgency == "urgent" || urgency == "high");
    let mut steps = Vec::new();
    let severe = seen.finding("severity").is_some_and(|severity| severity == "severe");
    if let Some(hours) = seen.finding("osha_report_hours").and_then(Value::as_u64).filter(|_| severe) {
        let hours = u32::try_from(hours).unwrap_or(8);
        steps.push(Step {
            step: "If an employee was hurt, report it to OSHA".to_owned(),
            owner: "safety officer",
            due_hours: hours,
        });
    }
    if seen.finding("osha_recordable").is_some_and(|recordable| recordable != "no") {
        let step = "Decide whether it goes into the OSHA 300 log, and enter it".to_owned();
        steps.push(Step { step, owner: "safety officer", due_hours: 168 });
    }
    for item in &seen.items {
        if let Some((_, step, owner, hours, soon)) = BY_KIND.iter().find(|(kind, ..)| *kind == item.kind) {
            let due_hours = if hurried { *soon } else { *hours };
            steps.push(Step { step: format!("{step} ({})", item.reference), owner, due_hours });
        }
    }
    let words = seen.words();
    for (any, step, owner, due_hours) in BY_WORD {
        if any.iter().any(|word| crate::hub::routing::begins_a_word(&words, word)) {
            steps.push(Step { step: step.to_owned(), owner, due_hours });
        }
    }
    let missing =
        seen.finding("missing").and_then(Value::as_array).is_some_and(|missing| !missing.is_empty());
    if missing || seen.call.interrupted {
        let step = "Ask the caller for what is missing".to_owned();
        steps.push(Step { step, owner: "call center", due_hours: if hurried { 4 } else { 24 } });
    }
    if let Some(same) = seen.finding("duplicates").and_then(Value::as_array).filter(|same| !same.is_empty()) {
        let step = format!("Decide whether {} earlier items are about the same, and join them", same.len());
        steps.push(Step { step, owner: "call center", due_hours: 72 });
    }
    if steps.is_empty() {
        let step = "Read the call and decide what to do".to_owned();
        steps.push(Step { step, owner: "call center", due_hours: 48 });
    }
    steps.sort_by_key(|step| step.due_hours);
    steps.truncate(20);
    let first = steps
        .first()
        .map(|step| format!("First: {} within {} hours ({}).", step.step, step.due_hours, step.owner));
    let listed: Vec<Value> =
        steps.iter().map(|s| json!({ "step": s.step, "owner": s.owner, "due_hours": s.due_hours })).collect();
    json!({ "summary": clipped(&first.unwrap_or_default()), "confidence": 0.85, "next_steps": listed })
}
