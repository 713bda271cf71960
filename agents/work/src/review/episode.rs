//! A reviewed Passport as an episode of organisational memory: what was to be done, what was decided on the way, and why.

use language::Screen;
use serde_json::Value;

use super::people::People;
use super::{Review, work};
use crate::organisation::episode::{Episode, KeyDecision, MOST_DECISIONS, cut};
use crate::organisation::ruling::Ruling;
use crate::passport::{LedgerEntry, Passport};

/// Tokens of what it was about; the rest of a node's summary is for outcome and decisions.
const MISSION_TOKENS: usize = 40;
/// Symbols that an episode relates to.
const MOST_INVOLVED: usize = 8;
/// Tools that look something up: whoever uses them alone has decided nothing.
const LOOKS: [&str; 2] = ["search_knowledge", "find_work_items"];
/// Findings of a specialist that a decision turns on.
const FINDINGS: [&str; 4] = ["urgency", "category", "severity", "osha_recordable"];

/// What memory keeps of it. Reports quote what was said and filed, so every text passes the screen, though the office has
/// screened most of them before: what is in memory is read by those who never had to do with this caller.
pub(super) fn episode(review: &Review, passport: &Passport, screen: &mut dyn Screen) -> Episode {
    let mission = report(passport).unwrap_or(&passport.mission.objective);
    let decisions: Vec<&LedgerEntry> = work(passport).filter(|entry| decides(entry)).collect();
    // The last ones: a conclusion stands at the end.
    let decisions = decisions.iter().skip(decisions.len().saturating_sub(MOST_DECISIONS));
    let key_decisions = decisions.map(|entry| decision(passport, entry, screen)).collect();
    let precedents = passport.precedent_context.iter().flat_map(|context| &context.precedents);
    let precedents: Vec<&str> = precedents.map(|precedent| precedent.symbol.as_str()).collect();
    let involved = passport.memory_context.iter().filter(|symbol| !precedents.contains(&symbol.as_str()));
    let mut texts = |texts: &[String]| texts.iter().map(|text| screen.screen(text)).collect::<Vec<_>>();
    let mistakes_made = texts(&review.learnings.mistakes);
    let successful_patterns = texts(&review.learnings.successful_patterns);
    let why = texts(&review.why).join("; ");
    Episode {
        passport_id: passport.id,
        team_id: passport.team_id.clone(),
        task_type: review.task_type.clone(),
        mission_summary: cut(&screen.screen(mission), MISSION_TOKENS),
        outcome: format!("{}: {why}", passport.status.as_str()),
        key_decisions,
        mistakes_made,
        successful_patterns,
        involved: involved.take(MOST_INVOLVED).cloned().collect(),
        aligned_with: Vec::new(),
        ended_at: passport.updated_at,
    }
}

/// What memory keeps of what people decided since, in tokens as the episode. `None`: they have decided nothing.
pub(super) fn ruling(
    review: &Review,
    people: &People,
    episode: &Episode,
    screen: &mut dyn Screen,
) -> Option<Ruling> {
    let mut told = Vec::new();
    let mut why = Vec::new();
    for said in &people.said {
        told.push(format!("{}: {}", said.what, screen.screen(&said.outcome)));
        // Who says no more than what came of it has said why.
        let reason = if said.reason.trim().is_empty() { &said.outcome } else { &said.reason };
        why.push(screen.screen(reason));
    }
    if review.verdict.is_none() {
        told = vec!["people took their decision back".to_owned()];
    }
    let mut factors: Vec<String> =
        episode.key_decisions.iter().flat_map(|decision| decision.factors.iter().cloned()).collect();
    factors.sort();
    factors.dedup();
    Some(Ruling {
        passport_id: episode.passport_id,
        team_id: episode.team_id.clone(),
        task_type: episode.task_type.clone(),
        mission_summary: episode.mission_summary.clone(),
        verdict: review.verdict,
        outcome: told.join("; "),
        reason: why.join("; "),
        factors,
        decided_at: people.decided_at?,
    })
}

/// Acts that something came of: an effect, an end. Which team took it stands on the episode itself.
fn decides(entry: &LedgerEntry) -> bool {
    matches!(entry.action.as_str(), "conclude" | "gave_up") || acts(entry).next().is_some()
}

fn acts(entry: &LedgerEntry) -> impl Iterator<Item = &String> {
    entry.tool_calls.iter().filter(|tool| !LOOKS.contains(&tool.as_str()))
}

fn decision(passport: &Passport, entry: &LedgerEntry, screen: &mut dyn Screen) -> KeyDecision {
    let outcome = if entry.outputs_summary.is_empty() { &entry.action } else { &entry.outputs_summary };
    let own = passport.context.get(&format!("work.{}", entry.agent_id.replacen('/', ".", 1)));
    let mut factors: Vec<String> = acts(entry).cloned().collect();
    let reason = match own {
        Some(output) => {
            factors.extend(findings(output));
            summary(output).unwrap_or_default().to_owned()
        }
        None if entry.action == "conclude" => {
            let parts = parts(passport, entry);
            factors.extend(parts.iter().copied().flat_map(findings));
            let asked = passport.routing.escalation_reason.as_deref();
            let said = parts.iter().copied().filter_map(summary);
            asked.into_iter().chain(said).collect::<Vec<_>>().join(" ")
        }
        None if acts(entry).any(|tool| tool == "request_person") => {
            passport.routing.escalation_reason.clone().unwrap_or_default()
        }
        // A turn on the phone: the ledger says what was done, and nobody's word for why.
        None => String::new(),
    };
    KeyDecision {
        outcome: screen.screen(outcome),
        reason: screen.screen(&reason),
        factors: factors.iter().map(|factor| screen.screen(factor)).collect(),
        policies: Vec::new(),
    }
}

/// What the specialists of the team that concludes have found, without the report that tells it all again.
fn parts<'p>(passport: &'p Passport, entry: &LedgerEntry) -> Vec<&'p Value> {
    let team = entry.agent_id.split('/').next().unwrap_or_default();
    let (prefix, report) = (format!("work.{team}."), report_key(passport, team));
    let of_team = passport.context.iter().filter(|(key, _)| key.starts_with(&prefix));
    of_team.filter(|(key, _)| Some(key.as_str()) != report).map(|(_, output)| output).collect()
}

fn findings(output: &Value) -> impl Iterator<Item = String> + use<'_> {
    let found = move |name: &'static str| Some(format!("{name} {}", output.get(name)?.as_str()?));
    FINDINGS.into_iter().filter_map(found)
}

fn summary(output: &Value) -> Option<&str> {
    output["summary"].as_str().filter(|text| !text.trim().is_empty())
}

/// The report of the team that has it last: it says best what the work was about.
fn report(passport: &Passport) -> Option<&str> {
    summary(passport.context.get(report_key(passport, &passport.team_id)?)?)
}

/// Where a team's report is in the Passport's context.
fn report_key<'p>(passport: &'p Passport, team: &str) -> Option<&'p str> {
    let place = passport.artifacts.get(&format!("{team}_report"))?;
    place.rsplit_once("/context/").map(|(_, key)| key)
}
