//! How bad an injury is, and what 29 CFR 1904 asks for: an entry in the log (1904.7), a report within 8 hours of a death
//! and within 24 of a stay in hospital, an amputation or the loss of an eye (1904.39).
//!
//! It reads words, so it errs to the worse side: what it calls minor has no word of an injury in it.

use serde_json::{Value, json};

use super::clipped;
use super::seen::Seen;
use crate::hub::routing::begins_a_word;
use crate::passport::Severity;

const DEATH: [&str; 8] =
    ["died", "has died", "was killed", "were killed", "killed at", "fatal", "passed away", "no pulse"];
const SEVERE: [&str; 16] = [
    "to the hospital",
    "in the hospital",
    "hospitali",
    "amputat",
    "lost a finger",
    "lost his finger",
    "lost her finger",
    "lost an eye",
    "lost his eye",
    "lost her eye",
    "severed",
    "intensive care",
    "surgery",
    "ambulance took",
    "in an ambulance",
    "cut off his",
];
const SERIOUS: [&str; 17] = [
    "fractur",
    "broke his",
    "broke her",
    "broke my",
    "broken arm",
    "broken leg",
    "broken wrist",
    "broken ankle",
    "stitches",
    "unconscious",
    "passed out",
    "concussion",
    "electrocut",
    "can't work",
    "cannot work",
    "days off",
    "emergency room",
];
const HURT: [&str; 14] = [
    "hurt",
    "injur",
    "bruise",
    "sprain",
    "twisted",
    "bleeding",
    "scrape",
    "burned his",
    "burned her",
    "burned my",
    "back pain",
    "bandage",
    "first aid",
    "swollen",
];
/// Words of somebody who was at work for the county.
const EMPLOYEE: [&str; 12] = [
    "at work",
    "on the job",
    "employee",
    "coworker",
    "co-worker",
    "our crew",
    "my shift",
    "on shift",
    "county worker",
    "my supervisor",
    "on duty",
    "work crew",
];

pub(super) fn work(seen: &Seen) -> Value {
    let words = seen.words();
    let met = |list: &[&'static str]| -> Vec<&'static str> {
        list.iter().copied().filter(|word| begins_a_word(&words, word) && !is_denied(&words, word)).collect()
    };
    let told = |answer: &str| {
        seen.items.iter().any(|item| item.fields.get("injured").is_some_and(|injured| injured == answer))
    };
    let (death, severe, serious, hurt) = (met(&DEATH), met(&SEVERE), met(&SERIOUS), met(&HURT));
    // A caller who says that nobody is hurt may still tell of an injury; a dead tree is none.
    let dead = !death.is_empty() && !told("no");
    let severity = if dead || !severe.is_empty() && !told("no") {
        Severity::Severe
    } else if !serious.is_empty() && !told("no") {
        Severity::Serious
    } else if told("yes") || !hurt.is_empty() && !told("no") {
        Severity::Moderate
    } else {
        Severity::Minor
    };
    let employee = met(&EMPLOYEE);
    let recordable = match (severity, employee.is_empty()) {
        (Severity::Minor, _) => "no",
        (Severity::Serious | Severity::Severe, false) => "yes",
        _ => "unknown",
    };
    let hours = match severity {
        Severity::Severe if dead => Some(8),
        Severity::Severe => Some(24),
        _ => None,
    };
    let mut reasons: Vec<String> = death
        .iter()
        .chain(&severe)
        .chain(&serious)
        .chain(&hurt)
        .map(|word| format!("\"{word}\" was said"))
        .collect();
    if told("yes") {
        reasons.push("the caller said that somebody was hurt".to_owned());
    }
    if severity > Severity::Minor && employee.is_empty() {
        reasons.push("it was not said whether the injured works for the county".to_owned());
    }
    if reasons.is_empty() {
        reasons.push("nobody was said to be hurt".to_owned());
    }
    let summary = clipped(&format!("{}; recordable: {recordable}.", severity.as_str()));
    let sure = if told("yes") || told("no") { 0.9 } else { 0.8 };
    let mut output = json!({
        "summary": summary, "confidence": sure, "severity": severity, "osha_recordable": recordable,
        "osha_report_hours": hours, "reasons": reasons,
    });
    if let Some(hours) = hours {
        output["escalate"] =
            format!("a severe injury: if it was an employee, OSHA must hear of it within {hours} hours")
                .into();
    }
    output
}

/// "Nobody was hurt", "no injuries", "wasn't hurt": the word is there, and the injury is not. Every place where the word
/// stands has to be denied.
fn is_denied(text: &str, word: &str) -> bool {
    const DENIALS: [&str; 10] =
        ["no", "not", "nobody", "no one", "noone", "none", "without", "wasn't", "weren't", "isn't"];
    let mut places = text.match_indices(word).peekable();
    places.peek().is_some()
        && places.all(|(at, _)| {
            let sentence = text[..at].rsplit(['.', '\n', ';', '!', '?', ',']).next().unwrap_or_default();
            let before: Vec<&str> = sentence.split_whitespace().rev().take(4).collect();
            before.iter().any(|said| DENIALS.contains(said))
        })
}
