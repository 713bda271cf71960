//! What a team's findings come to in its own fields of the Passport.

use chrono::TimeDelta;
use serde_json::Value;

use crate::hub::{Case, Done};
use crate::passport::{
    Citation, ClaimQuestion, Incident, LegalResearch, Passport, Patch, Severity, SourceType, TeamFields,
};
use crate::teams::Team;

/// The patch that sets them; none for a team without fields of its own.
pub(super) fn team_fields(case: &Case, parts: &[Done], passport: &Passport, team: &Team) -> Option<Patch> {
    let fields = match team.id.as_str() {
        "incident_investigation" | "safety" => TeamFields::Incident(Box::new(incident(case, parts)?)),
        "claims" => TeamFields::Claim(Box::new(claim(case, parts)?)),
        "legal_research" => TeamFields::Legal(Box::new(legal(case, parts, passport))),
        _ => return None,
    };
    Some(Patch::TeamFields(Some(fields)))
}

fn incident(case: &Case, parts: &[Done]) -> Option<Incident> {
    let item = case.items.iter().find(|item| item.kind == "incident").or_else(|| case.items.first())?;
    let severity = finding(parts, "severity").and_then(Value::as_str).unwrap_or("minor");
    let all = [Severity::Minor, Severity::Moderate, Severity::Serious, Severity::Severe];
    let hours = finding(parts, "osha_report_hours").and_then(Value::as_u64);
    Some(Incident {
        incident_reference: item.reference.clone(),
        severity: all.into_iter().find(|known| known.as_str() == severity).unwrap_or(Severity::Severe),
        osha_recordable: match finding(parts, "osha_recordable").and_then(Value::as_str) {
            Some("yes") => Some(true),
            Some("no") => Some(false),
            _ => None,
        },
        osha_report_hours: hours.and_then(|hours| u32::try_from(hours).ok()),
        missing_fields: texts(parts, "missing"),
        possible_duplicates: texts(parts, "duplicates"),
        sla_deadline: deadline(case, parts),
    })
}

fn claim(case: &Case, parts: &[Done]) -> Option<ClaimQuestion> {
    Some(ClaimQuestion {
        claim_reference: case.items.first()?.reference.clone(),
        missing_fields: texts(parts, "missing"),
        possible_duplicates: texts(parts, "duplicates"),
        sla_deadline: deadline(case, parts),
    })
}

/// The county's documents stand in no list of law: what is cited of them is a prior opinion of its own.
fn legal(case: &Case, parts: &[Done], passport: &Passport) -> LegalResearch {
    let cited = finding(parts, "citations").and_then(Value::as_array).into_iter().flatten();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let key_authorities: Vec<Citation> = cited
        .map(|citation| Citation {
            citation_text: text(&citation["source"]),
            source_type: SourceType::PriorOpinion,
            jurisdiction: "county".to_owned(),
            date: None,
            url: None,
            relevance_score: 0.5,
            excerpt: citation["excerpt"].as_str().map(str::to_owned),
        })
        .collect();
    LegalResearch {
        sources_searched: vec!["knowledge base".to_owned()],
        key_authorities,
        conflicts_found: texts(parts, "duplicates"),
        draft_version: 1,
        sla_deadline: deadline(case, parts),
        ..LegalResearch::of(&passport.mission)
    }
}

/// When the first of the next steps is due.
fn deadline(case: &Case, parts: &[Done]) -> Option<chrono::DateTime<chrono::Utc>> {
    let steps = finding(parts, "next_steps")?.as_array()?;
    let hours = steps.iter().filter_map(|step| step["due_hours"].as_i64()).min()?;
    case.at.checked_add_signed(TimeDelta::try_hours(hours)?)
}

fn finding<'p>(parts: &'p [Done], field: &str) -> Option<&'p Value> {
    parts.iter().find_map(|part| part.output.get(field))
}

fn texts(parts: &[Done], field: &str) -> Vec<String> {
    let list = finding(parts, field).and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|text| text.as_str().map(str::to_owned)).collect()
}
