//! The front desk's tools: the list is data (`data/tools/front_desk.json`); here is how a call of each is read.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use language::Language;

use super::input::{CallBack, Input};
use super::registry::{Registry, Unusable};
use super::{Asked, DayPart};
use dialogue::Priority;
use dialogue::builtin::{Files, Filing};

static LISTED: LazyLock<Result<Registry, Unusable>> = LazyLock::new(|| {
    let tools = serde_json::from_str(include_str!("../../data/tools/front_desk.json"));
    let broken =
        |e: serde_json::Error| Unusable { name: "front_desk.json".to_owned(), problem: e.to_string() };
    Registry::new(tools.map_err(broken)?)
});

/// The front desk's tools.
///
/// # Errors
/// When the shipped list is broken; a test sees to it that it is not, and the front desk asks first.
pub fn listed() -> Result<&'static Registry, &'static Unusable> {
    LISTED.as_ref()
}

/// What a call of this tool asks for. Its input has passed the tool's schema.
pub(super) fn asked(name: &str, input: &mut Input<'_>) -> Option<Asked> {
    match name {
        "search_knowledge" => Some(Asked::Search { query: input.text("query")? }),
        "list_free_times" => free_times(input),
        "look_up_claim" => claim(input),
        "file_report" => report(input),
        "book_inspection" => booking(input),
        "take_message" => message(input),
        "request_person" => person(input),
        "request_callback" => call_back(input),
        "mark_urgent" => {
            let kind = input.word("kind").unwrap_or_else(|| "other".to_owned());
            Some(Asked::MarkUrgent { kind })
        }
        "put_through" => Some(Asked::PutThrough { target: input.text("target")? }),
        "ask_staff" => Some(Asked::AskStaff { question: input.text("question")? }),
        "pause_recording" => Some(Asked::PauseRecording { paused: input.word("recording")? == "silent" }),
        "set_language" => language(input),
        "end_call" => Some(Asked::EndCall),
        _ => None,
    }
}

fn fields<const N: usize>(given: [(&str, String); N]) -> BTreeMap<String, String> {
    given.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn free_times(input: &mut Input<'_>) -> Option<Asked> {
    let day = input.coming_day("day");
    let part = match input.word("part").as_deref() {
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
    let (what, place) = (input.text("what"), input.text("where"));
    let when = input.past_moment("when");
    let injured = input.word("injured").filter(|i| i != "unknown");
    let mut kept = fields([("what", what?), ("where", place?)]);
    kept.extend(when.map(|when| ("when".to_owned(), when)));
    let priority = if injured.as_deref() == Some("yes") { Priority::High } else { Priority::Normal };
    kept.extend(injured.map(|injured| ("injured".to_owned(), injured)));
    filing(input, Files::Incident, "incident", kept, priority)
}

fn booking(input: &mut Input<'_>) -> Option<Asked> {
    let opening = input.offered_time("time");
    let address = input.text("address");
    let notes = input.maybe_text("notes");
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
    let message = input.text("message");
    let whom = input.maybe_text("for_whom");
    let mut kept = fields([("message", message?)]);
    kept.extend(whom.map(|whom| ("for_whom".to_owned(), whom)));
    filing(input, Files::Message, "message", kept, Priority::Normal)
}

fn person(input: &mut Input<'_>) -> Option<Asked> {
    input.need("phone");
    let reason = input.text("reason");
    filing(input, Files::Escalation, "person", fields([("reason", reason?)]), Priority::Normal)
}

fn call_back(input: &mut Input<'_>) -> Option<Asked> {
    input.need("phone");
    let about = input.text("about");
    let (time, language) = (input.maybe_text("preferred_time"), input.maybe_text("language"));
    let mut kept = fields([("reason", about?)]);
    kept.extend(time.map(|time| ("preferred_time".to_owned(), time)));
    kept.extend(language.map(|language| ("language".to_owned(), language)));
    filing(input, Files::Callback, "callback", kept, Priority::Normal)
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
    let wanted = match input.word("language")?.as_str() {
        "es" => Language::Es,
        _ => Language::En,
    };
    if !input.seen.spoken.contains(&wanted) {
        input.refuse(
            "This line cannot speak that language. Say so, and offer request_callback with that language.",
        );
        return None;
    }
    Some(Asked::Speak(wanted))
}
