//! `GET /v1/calls/{id}/transcript`: who said what, with personal data as tokens.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use chrono::{DateTime, Utc};
use pipeline::ports::Screen;
use serde::{Deserialize, Serialize};
use storage::audit::Party;
use storage::records::{Speaker, TranscriptTurn};
use storage::{CallId, Calls};

use super::{calls, screened};
use crate::app::App;
use crate::audit::acts;
use crate::auth::permission::ReadRaw;
use crate::auth::{ReadCalls, Scoped};
use crate::error::{ApiError, QueryOf};

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
}

#[derive(Debug, Serialize)]
struct Turn {
    turn: u32,
    speaker: Speaker,
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
    Ok(Json(Transcript { call_id: call.id, turns }))
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
    })
}

/// Leaves a text as it is.
struct Raw;

impl Screen for Raw {
    fn screen(&mut self, text: &str) -> String {
        text.to_owned()
    }
}
