//! Each tool: what the model reads of it, and how a call is read.

use std::collections::BTreeMap;

use pipeline::ports::Language;
use serde_json::{Value, json};

use super::input::{CallBack, Input};
use super::{Asked, DayPart, Tool};
use crate::llm::builtin::{Files, Filing};
use crate::passport::Priority;

/// Longest account of what happened, and longest message. Characters.
const STORY: usize = 1_500;
const PLACE: usize = 200;
const SHORT: usize = 300;

const URGENT: [&str; 7] = ["medical", "fire", "gas", "violence", "rescue", "suicide", "other"];

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "search_knowledge",
        description: "Searches the county's own documents: services, fees, hours, addresses, rules. Use it when the information given with the caller's words does not answer the question. Search in English.",
        reads_only: true,
        spoken_wait: true,
        schema: || {
            object(
                json!({ "query": { "type": "string", "maxLength": 200, "description": "What to look for, a few words." } }),
                &["query"],
            )
        },
        read: |input| Some(Asked::Search { query: input.text("query", 200)? }),
    },
    Tool {
        name: "list_free_times",
        description: "Lists free times for a safety inspection, each with a name that book_inspection takes. Offer the caller two or three of them.",
        reads_only: true,
        spoken_wait: false,
        schema: || {
            object(
                json!({
                    "day": { "type": "string", "format": "date", "description": "Preferred day, YYYY-MM-DD. Leave out for any day." },
                    "part": { "type": "string", "enum": ["any", "morning", "afternoon"] }
                }),
                &[],
            )
        },
        read: free_times,
    },
    Tool {
        name: "look_up_claim",
        description: "Gives the status of a claim, to its holder only. Call it with the claim number alone first: the caller then keys in a PIN. Or call it with the last name on the claim, the date of birth, or the phone number on the claim. Never say which detail was wrong.",
        reads_only: true,
        spoken_wait: true,
        schema: || {
            object(
                json!({
                    "claim_number": { "type": "string", "description": "Like CLM-20417." },
                    "last_name": { "type": "string", "maxLength": 80, "description": "A token such as ⟨name:1⟩." },
                    "date_of_birth": { "type": "string", "description": "A token such as ⟨date_of_birth:1⟩, or YYYY-MM-DD." },
                    "phone": { "type": "string", "description": "A token such as ⟨phone:1⟩." }
                }),
                &["claim_number"],
            )
        },
        read: claim,
    },
    Tool {
        name: "file_report",
        description: "Files a report of an incident, hazard or damage. First ask what happened, where, when, whether anybody was hurt, the caller's name and a call-back number, one question at a time; name and number may be refused. Read it back in short and call this only after the caller said it is right. The result holds the reference number.",
        reads_only: false,
        spoken_wait: false,
        schema: || {
            object(
                json!({
                    "what": { "type": "string", "maxLength": STORY, "description": "What happened, in the caller's words." },
                    "where": { "type": "string", "maxLength": PLACE },
                    "when": { "type": "string", "description": "Local date or date and time: YYYY-MM-DD or YYYY-MM-DDTHH:MM." },
                    "injured": { "type": "string", "enum": ["yes", "no", "unknown"] },
                    "name": { "type": "string", "maxLength": 80 },
                    "phone": phone()
                }),
                &["what", "where"],
            )
        },
        read: report,
    },
    Tool {
        name: "book_inspection",
        description: "Books a safety inspection at a time from list_free_times. Read address and time back and call this only after the caller said it is right. The result holds the reference number.",
        reads_only: false,
        spoken_wait: false,
        schema: || {
            object(
                json!({
                    "time": { "type": "string", "description": "Name of a free time, like time_1." },
                    "address": { "type": "string", "maxLength": PLACE, "description": "Street number and street." },
                    "name": { "type": "string", "maxLength": 80 },
                    "phone": phone(),
                    "notes": { "type": "string", "maxLength": SHORT }
                }),
                &["time", "address", "name", "phone"],
            )
        },
        read: booking,
    },
    Tool {
        name: "take_message",
        description: "Passes a message on to a county office. Ask what it should say and for whom, the caller's name and a call-back number. The result holds the reference number.",
        reads_only: false,
        spoken_wait: false,
        schema: || {
            object(
                json!({
                    "message": { "type": "string", "maxLength": STORY },
                    "for_whom": { "type": "string", "maxLength": PLACE },
                    "name": { "type": "string", "maxLength": 80 },
                    "phone": phone()
                }),
                &["message"],
            )
        },
        read: message,
    },
    Tool {
        name: "request_person",
        description: "Brings a person in, when the caller asks for one or you cannot help. Ask for a number they can be reached at, and what it is about. The result says what happens next, and holds the reference number.",
        reads_only: false,
        spoken_wait: false,
        schema: || {
            object(
                json!({
                    "reason": { "type": "string", "maxLength": SHORT },
                    "name": { "type": "string", "maxLength": 80 },
                    "phone": phone()
                }),
                &["reason", "phone"],
            )
        },
        read: |input| {
            input.need("phone");
            let reason = input.text("reason", SHORT);
            filing(input, Files::Escalation, "person", fields([("reason", reason?)]), Priority::Normal)
        },
    },
    Tool {
        name: "request_callback",
        description: "Has somebody call back later, for example in another language or about a matter that takes time. The result holds the reference number.",
        reads_only: false,
        spoken_wait: false,
        schema: || {
            object(
                json!({
                    "about": { "type": "string", "maxLength": SHORT },
                    "phone": phone(),
                    "name": { "type": "string", "maxLength": 80 },
                    "preferred_time": { "type": "string", "maxLength": 80 },
                    "language": { "type": "string", "maxLength": 40 }
                }),
                &["about", "phone"],
            )
        },
        read: |input| {
            input.need("phone");
            let about = input.text("about", SHORT);
            let (time, language) = (input.maybe_text("preferred_time", 80), input.maybe_text("language", 40));
            let mut kept = fields([("reason", about?)]);
            kept.extend(time.map(|time| ("preferred_time".to_owned(), time)));
            kept.extend(language.map(|language| ("language".to_owned(), language)));
            filing(input, Files::Callback, "callback", kept, Priority::Normal)
        },
    },
    Tool {
        name: "mark_urgent",
        description: "Marks this call as urgent, when somebody is in danger. Tell the caller first to hang up and dial 911.",
        reads_only: false,
        spoken_wait: false,
        schema: || object(json!({ "kind": { "type": "string", "enum": URGENT } }), &["kind"]),
        read: |input| {
            let kind = input.choice("kind", &URGENT).unwrap_or("other");
            Some(Asked::MarkUrgent { kind: kind.to_owned() })
        },
    },
    Tool {
        name: "set_language",
        description: "Changes the language of the call, when the caller asks for it or speaks it. Call it before you say anything in that language.",
        reads_only: false,
        spoken_wait: false,
        schema: || object(json!({ "language": { "type": "string", "enum": ["en", "es"] } }), &["language"]),
        read: language,
    },
    Tool {
        name: "end_call",
        description: "Ends the call after the words you have just said. Say goodbye first, and call it only when the caller has nothing else.",
        reads_only: false,
        spoken_wait: false,
        schema: || object(json!({}), &[]),
        read: |_| Some(Asked::EndCall),
    },
];

fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn phone() -> Value {
    json!({
        "type": "string",
        "description": "A token such as ⟨phone:1⟩ from the caller's words, or \"caller\" for the number they call from."
    })
}

fn fields<const N: usize>(given: [(&str, String); N]) -> BTreeMap<String, String> {
    given.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn free_times(input: &mut Input<'_>) -> Option<Asked> {
    let day = input.coming_day("day");
    let part = match input.choice("part", &["any", "morning", "afternoon"]) {
        Some("morning") => DayPart::Morning,
        Some("afternoon") => DayPart::Afternoon,
        _ => DayPart::Any,
    };
    Some(Asked::FreeTimes { day, part })
}

fn claim(input: &mut Input<'_>) -> Option<Asked> {
    let number = input.claim_number("claim_number");
    let name = input.last_name("last_name");
    let born = input.birth_date("date_of_birth");
    let phone = match input.phone("phone") {
        Some(CallBack::Number(number)) => Some(number.trim_start_matches("+1").to_owned()),
        // The number somebody calls from proves nothing: it can be forged.
        Some(CallBack::Caller) | None => None,
    };
    let proofs = [name, born, phone].into_iter().flatten().collect();
    Some(Asked::Claim { number: number?, proofs })
}

fn report(input: &mut Input<'_>) -> Option<Asked> {
    let (what, place) = (input.text("what", STORY), input.text("where", PLACE));
    let when = input.past_moment("when");
    let injured = input.choice("injured", &["yes", "no", "unknown"]).filter(|i| *i != "unknown");
    let mut kept = fields([("what", what?), ("where", place?)]);
    kept.extend(when.map(|when| ("when".to_owned(), when)));
    kept.extend(injured.map(|injured| ("injured".to_owned(), injured.to_owned())));
    let priority = if injured == Some("yes") { Priority::High } else { Priority::Normal };
    filing(input, Files::Incident, "incident", kept, priority)
}

fn booking(input: &mut Input<'_>) -> Option<Asked> {
    let opening = input.offered_time("time");
    let address = input.text("address", PLACE);
    let notes = input.maybe_text("notes", SHORT);
    input.need("name");
    input.need("phone");
    let (opening, address) = (opening?, address?);
    let starts = opening.starts.format("%Y-%m-%dT%H:%M").to_string();
    let mut kept = fields([("address", address), ("opening", starts)]);
    kept.extend(notes.map(|notes| ("notes".to_owned(), notes)));
    match filing(input, Files::Inspection, "booking", kept, Priority::Normal)? {
        Asked::File(filing) => Some(Asked::File(Box::new(Filing { booking: Some(opening.id), ..*filing }))),
        other => Some(other),
    }
}

fn message(input: &mut Input<'_>) -> Option<Asked> {
    let message = input.text("message", STORY);
    let whom = input.maybe_text("for_whom", PLACE);
    let mut kept = fields([("message", message?)]);
    kept.extend(whom.map(|whom| ("for_whom".to_owned(), whom)));
    filing(input, Files::Message, "message", kept, Priority::Normal)
}

/// Name and number close every filing.
fn filing(
    input: &mut Input<'_>,
    files: Files,
    task: &str,
    mut kept: BTreeMap<String, String>,
    priority: Priority,
) -> Option<Asked> {
    kept.extend(input.name("name").map(|name| ("name".to_owned(), name)));
    let phone = input.phone("phone");
    if let Some(CallBack::Number(number)) = &phone {
        kept.insert("phone".to_owned(), number.clone());
    }
    Some(Asked::File(Box::new(Filing {
        task: task.to_owned(),
        files,
        priority,
        incomplete: false,
        fields: kept,
        use_caller_number: phone == Some(CallBack::Caller),
        booking: None,
    })))
}

fn language(input: &mut Input<'_>) -> Option<Asked> {
    let wanted = match input.choice("language", &["en", "es"]) {
        Some("es") => Language::Es,
        Some(_) => Language::En,
        None => {
            input.missing("language");
            return None;
        }
    };
    if !input.seen.spoken.contains(&wanted) {
        input.refuse(
            "This line cannot speak that language. Say so, and offer request_callback with that language.",
        );
        return None;
    }
    Some(Asked::Speak(wanted))
}
