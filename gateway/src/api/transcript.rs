//! `GET /v1/calls/{id}/transcript`: who said what, with personal data as tokens, and where guard or rules stepped in.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use chrono::{DateTime, Utc};
use pipeline::ports::Screen;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use storage::audit::{AuditEntry, AuditFilter, Party};
use storage::records::{Speaker, TranscriptTurn};
use storage::{Audit, CallId, Calls, TenantStore};
use uuid::Uuid;

use super::{calls, screened};
use crate::app::App;
use crate::audit::acts;
use crate::auth::permission::ReadRaw;
use crate::auth::{ReadCalls, Scoped};
use crate::error::{ApiError, QueryOf};

/// Audit entries of one call that are looked through.
const MOST_ENTRIES: u32 = 500;

/// `?raw=true`: as it was said, for those who may. The read is on the audit before a word is given out.
#[derive(Debug, Default, Deserialize)]
pub struct Asked {
    #[serde(default)]
    raw: bool,
}

/// The answer.
#[derive(Debug, Serialize)]
pub struct Transcript {
    call_id: CallId,
    turns: Vec<Turn>,
    /// In the order in which they happened.
    interventions: Vec<Intervention>,
}

/// The guard or a rule stepped in, without a word of what was said. Comes from the audit, where the call's events are noted.
#[derive(Debug, Serialize)]
struct Intervention {
    /// The event's, as the feed tells it; of entries made before events were kept, the entry's.
    id: Uuid,
    turn: u64,
    /// RFC 3339 UTC with microseconds.
    at: String,
    #[serde(flatten)]
    by: By,
}

#[derive(Debug, Serialize)]
#[serde(tag = "by", rename_all = "snake_case")]
enum By {
    Guard { kind: String, severity: String },
    Rule { rule: String, action: String, applies_to: String },
}

impl Intervention {
    fn of(entry: AuditEntry) -> Option<Self> {
        let details: Value = serde_json::from_str(&entry.details).ok()?;
        let text = |name: &str| details[name].as_str().unwrap_or_default().to_owned();
        let by = match entry.action.as_str() {
            "call.guard" => By::Guard { kind: text("kind"), severity: text("severity") },
            "call.rule" => {
                By::Rule { rule: text("rule"), action: text("rule_action"), applies_to: text("applies_to") }
            }
            _ => return None,
        };
        let event = details["event"].as_str().and_then(|id| id.parse().ok());
        Some(Self { id: event.unwrap_or(entry.id), turn: details["turn"].as_u64()?, at: entry.at, by })
    }
}

#[derive(Debug, Serialize)]
struct Turn {
    turn: u32,
    speaker: Speaker,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    text: String,
    started_at: DateTime<Utc>,
    ended_at: Option<DateTime<Utc>>,
    interrupted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    heard_text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f32>,
}

impl Turn {
    fn screened(screen: &mut dyn Screen, turn: TranscriptTurn) -> Self {
        Self {
            turn: turn.turn,
            speaker: turn.speaker,
            by: turn.by,
            text: screen.screen(&turn.text),
            started_at: turn.started_at,
            ended_at: turn.ended_at,
            interrupted: turn.interrupted,
            heard_text: turn.heard_text.map(|text| screen.screen(&text)),
            confidence: turn.confidence,
        }
    }
}

/// The handler.
pub async fn handle(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadCalls>,
    Path(id): Path<String>,
    QueryOf(asked): QueryOf<Asked>,
) -> Result<Json<Transcript>, ApiError> {
    let call = calls::find(&scope.store, &id).await?;
    if asked.raw {
        return raw(&app, scope, call.id).await.map(Json);
    }
    let mut screen = screened::screen(&app, scope.tenant.id, scope.store.caller_number(call.id).await?)?;
    let turns = scope.store.transcript(call.id).await?;
    let turns = turns.into_iter().map(|turn| Turn::screened(screen.as_mut(), turn)).collect();
    let interventions = interventions(&scope.store, call.id).await?;
    Ok(Json(Transcript { call_id: call.id, turns, interventions }))
}

async fn interventions(store: &TenantStore, call: CallId) -> Result<Vec<Intervention>, ApiError> {
    let of_the_call =
        AuditFilter { subject: Some(call.to_string()), limit: MOST_ENTRIES, ..AuditFilter::default() };
    let newest_first = store.list_audit(of_the_call).await?;
    Ok(newest_first.into_iter().rev().filter_map(Intervention::of).collect())
}

/// The transcript without its screen.
async fn raw(app: &App, scope: Scoped<ReadCalls>, call: CallId) -> Result<Transcript, ApiError> {
    let scope = scope.also::<ReadRaw>(app).await?;
    let read = acts::raw_read(&scope.principal, "transcript", Party::new("call", call)).traced(call.0);
    app.audit.record(Some(scope.tenant.id), read).await?;
    let turns = scope.store.transcript(call).await?;
    Ok(Transcript {
        call_id: call,
        turns: turns.into_iter().map(|turn| Turn::screened(&mut Raw, turn)).collect(),
        interventions: interventions(&scope.store, call).await?,
    })
}

/// Leaves a text as it is.
struct Raw;

impl Screen for Raw {
    fn screen(&mut self, text: &str) -> String {
        text.to_owned()
    }
}
