//! Whether a report has what the work needs. What is missing is asked for by a call-back.

use serde_json::{Value, json};

use super::clipped;
use super::seen::{Seen, given};
use crate::hub::case::CaseItem;

/// What each kind of item needs for somebody to begin. One of the names in a group is enough.
fn needs(kind: &str) -> &'static [&'static [&'static str]] {
    match kind {
        "incident" => &[&["what"], &["where"], &["when"], &["injured"]],
        "inspection" => &[&["address"], &["opening"]],
        "message" => &[&["message"]],
        "escalation" | "callback" => &[&["reason", "about", "topic"]],
        _ => &[],
    }
}

/// Without these, nobody can even begin.
const CORE: [&str; 4] = ["what", "where", "message", "address"];

pub(super) fn work(seen: &Seen) -> Value {
    let mut missing: Vec<&str> = seen.items.iter().flat_map(missing).collect();
    if seen.items.is_empty() {
        missing.push("request");
    }
    missing.sort_unstable();
    missing.dedup();
    let reachable = seen.call.can_call_back || seen.items.iter().any(|item| given(item, "phone").is_some());
    if !reachable {
        missing.push("phone");
    }
    let asked: Vec<&str> = missing.iter().copied().filter(|name| *name != "phone").collect();
    // Whoever is called back anyway is asked then. Where danger was spoken of and nothing else, a person looks to it: nothing
    // is missing that one would have to call about a second time.
    let danger_alone = seen.call.urgent.is_some() && !seen.call.interrupted && seen.items.is_empty();
    let coming =
        danger_alone || seen.items.iter().any(|item| matches!(item.kind.as_str(), "escalation" | "callback"));
    let stuck = !reachable && (seen.items.is_empty() || asked.iter().any(|name| CORE.contains(name)));
    let summary = if missing.is_empty() {
        "Nothing is missing.".to_owned()
    } else {
        format!("Missing: {}.", missing.join(", "))
    };
    let mut output = json!({
        "summary": clipped(&summary), "confidence": 0.95, "complete": missing.is_empty(), "missing": missing,
    });
    if stuck {
        output["escalate"] = "something to go on is missing, and there is no number to ask at".into();
    } else if !asked.is_empty() && reachable && !coming {
        let about = match seen.items.first() {
            Some(item) => format!("what is missing in {}", item.reference),
            None => "a call that was cut off by us".to_owned(),
        };
        output["call_back"] = json!({ "about": about, "missing": asked });
    }
    output
}

fn missing(item: &CaseItem) -> impl Iterator<Item = &'static str> + use<'_> {
    let absent = |names: &&&'static [&'static str]| names.iter().all(|name| given(item, name).is_none());
    needs(&item.kind).iter().filter(absent).filter_map(|names| names.first().copied())
}

#[cfg(test)]
mod tests {
    use dialogue::builtin::missing::can_ask;

    use super::*;

    #[test]
    fn the_agent_has_a_question_for_whatever_is_asked_for() {
        let kinds = ["incident", "inspection", "message"];
        let names = kinds.iter().flat_map(|kind| needs(kind)).filter_map(|names| names.first());
        for name in names.chain(&["request"]) {
            assert!(can_ask(name), "{name}");
        }
    }
}
