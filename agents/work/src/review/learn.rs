//! What follows from a finished Passport: reasons, learnings, and what is worth somebody's attention. In words that are
//! safe to show: kinds and counts, nothing that anybody said.

use storage::records::WorkStatus;

use super::{
    CallFacts, ExecutionAnalysis, Learnings, Observation, ObservationPriority, ObservationType, corrected,
    failed, work,
};
use crate::calibration::ROUTING_CONFIDENCE;
use crate::passport::{LedgerEntry, Passport};

/// How far confidence may be off before it is told.
const DRIFT: f64 = 0.4;
/// The same tool so often in one Passport is worth a look.
const OFTEN: u32 = 5;

pub fn why(passport: &Passport, facts: &CallFacts, analysis: &ExecutionAnalysis) -> Vec<String> {
    let mut why = Vec::new();
    if facts.broken_off {
        why.push("the call broke off before it was finished".to_owned());
    }
    why.extend(analysis.failure_points.iter().map(|f| format!("something failed ({f})")));
    if corrections(passport) > 0 {
        why.push("a second look found a reply that was wrong".to_owned());
    }
    if let Some(reason) =
        passport.routing.escalation_reason.as_ref().filter(|_| passport.routing.escalation_required)
    {
        why.push(format!("a person was needed: {reason}"));
    }
    let people = &facts.people;
    let mut add = |n: u32, (one, many): (&str, &str)| match n {
        0 => {}
        1 => why.push(format!("1 request {one}")),
        _ => why.push(format!("{n} requests {many}")),
    };
    add(people.right, ("was held right by whoever closed it", "were held right by whoever closed them"));
    add(people.wrong, ("was held wrong by whoever closed it", "were held wrong by whoever closed them"));
    add(people.reopened, ("was opened again", "were opened again"));
    let taken_back = ("was taken back by the caller", "were taken back by the caller");
    add(people.of(WorkStatus::Cancelled), taken_back);
    let open = people.of(WorkStatus::Open) + people.of(WorkStatus::InProgress);
    add(open, ("is still open", "are still open"));
    if let Some(verdict) = people.of_the_call {
        why.push(format!("a person held the whole call {}", verdict.as_str()));
    }
    if people.verdict().is_none() {
        why.push("nobody has decided whether it was right".to_owned());
    }
    why
}

pub fn learnings(
    passport: &Passport,
    facts: &CallFacts,
    analysis: &ExecutionAnalysis,
    success: bool,
) -> Learnings {
    let mut learnings = Learnings::default();
    for entry in work(passport).filter(|e| !e.tool_calls.is_empty()) {
        learnings.key_decisions.push(format!("{} used {}", entry.agent_id, entry.tool_calls.join(", ")));
    }
    learnings.mistakes.extend(analysis.failure_points.iter().map(|f| format!("failed: {f}")));
    if corrections(passport) > 0 {
        learnings.mistakes.push(format!("{} replies had to be corrected", corrections(passport)));
        learnings.recommendations.push("Look at the pages that the wrong replies were about".to_owned());
    }
    if facts.people.wrong > 0 {
        let n = facts.people.wrong;
        learnings.mistakes.push(format!("People held {n} requests wrong"));
        learnings.recommendations.push("Read what they wrote when they closed them".to_owned());
    }
    if facts.interrupted >= 3 {
        learnings.mistakes.push("The caller had to cut us off again and again".to_owned());
        learnings.recommendations.push("Answer more briefly".to_owned());
    }
    if !analysis.bottlenecks.is_empty() {
        learnings
            .recommendations
            .push(format!("Look at what took long: {}", analysis.bottlenecks.join("; ")));
    }
    if success && learnings.mistakes.is_empty() {
        let tools: Vec<&str> = work(passport).flat_map(|e| e.tool_calls.iter().map(String::as_str)).collect();
        learnings.successful_patterns.push(if tools.is_empty() {
            format!("Done without a tool in {} turns", facts.caller_turns)
        } else {
            format!("Done with {} in {} turns", tools.join(", "), facts.caller_turns)
        });
    }
    learnings
}

pub fn observations(
    passport: &Passport,
    facts: &CallFacts,
    analysis: &ExecutionAnalysis,
) -> Vec<Observation> {
    let mut found = Vec::new();
    let mut add =
        |observation_type, priority, description: String, evidence: Vec<String>, action: Option<&str>| {
            let suggested_action = action.map(str::to_owned);
            found.push(Observation { observation_type, description, evidence, suggested_action, priority });
        };
    let ids = |wanted: fn(&LedgerEntry) -> bool| -> Vec<String> {
        work(passport).filter(|e| wanted(e)).map(|e| e.id.to_string()).collect()
    };
    if analysis.failure_points.len() >= 2 {
        let description = format!("{} failures in one work item", analysis.failure_points.len());
        add(
            ObservationType::RepeatedFailure,
            ObservationPriority::High,
            description,
            ids(failed),
            Some("Find the cause"),
        );
    }
    if corrections(passport) > 0 {
        let description = format!("{} replies were found wrong", corrections(passport));
        let action = Some("Compare the replies with the pages");
        add(
            ObservationType::RepeatedFailure,
            ObservationPriority::Medium,
            description,
            ids(corrected),
            action,
        );
    }
    for (agent, off) in analysis.calibration_updates.iter().filter(|(_, off)| off.abs() >= DRIFT) {
        let which = if *off < 0.0 { "too sure" } else { "not sure enough" };
        let description = format!("{agent} was {which} by {:.2}", off.abs());
        let evidence = work(passport).filter(|e| &e.agent_id == agent).map(|e| e.id.to_string()).collect();
        add(ObservationType::ConfidenceDrift, ObservationPriority::Medium, description, evidence, None);
    }
    for (agent, performance) in &analysis.agent_performance {
        for (tool, times) in performance.tool_calls.iter().filter(|(_, times)| **times >= OFTEN) {
            let description = format!("{agent} used {tool} {times} times");
            let evidence =
                work(passport).filter(|e| e.tool_calls.contains(tool)).map(|e| e.id.to_string()).collect();
            add(ObservationType::ToolInefficiency, ObservationPriority::Low, description, evidence, None);
        }
    }
    if passport.routing.escalation_required {
        let reason = passport.routing.escalation_reason.as_deref().unwrap_or("no reason given");
        let description = format!("Escalated: {reason}");
        add(ObservationType::EscalationPattern, ObservationPriority::Medium, description, Vec::new(), None);
    }
    if facts.broken_off && !passport.routing.escalation_required {
        let description = "The call broke off and nobody was told to look".to_owned();
        add(
            ObservationType::NewPattern,
            ObservationPriority::Medium,
            description,
            Vec::new(),
            Some("Call back"),
        );
    }
    found
}

/// The least confidence that any step of the work had: what is routed on rests on its weakest part.
pub fn routing_confidence(passport: &Passport) -> Option<f64> {
    work(passport).map(|e| e.confidence.value).min_by(f64::total_cmp)
}

/// Why the work needs a person after all, if it does.
pub fn needs_person(passport: &Passport) -> Option<String> {
    let confidence = routing_confidence(passport)?;
    let open = !passport.routing.escalation_required && passport.status != crate::passport::Status::Completed;
    (open && confidence < ROUTING_CONFIDENCE)
        .then(|| format!("routing confidence {confidence:.2} is below {ROUTING_CONFIDENCE}"))
}

fn corrections(passport: &Passport) -> usize {
    work(passport).filter(|e| corrected(e)).count()
}
