//! `GET /v1/calls/{id}/transcript`: who said what, with personal data as tokens.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use chrono::{DateTime, Utc};
use pipeline::ports::Screen;
use serde::Serialize;
use storage::records::{Speaker, TranscriptTurn};
use storage::{CallId, Calls};

use super::{calls, screened};
use crate::app::App;
use crate::auth::{ReadCalls, Scoped};
use crate::error::ApiError;

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
) -> Result<Json<Transcript>, ApiError> {
    let call = calls::find(&scope.store, &id).await?;
    let mut screen = screened::screen(&app, scope.tenant.id, scope.store.caller_number(call.id).await?)?;
    let turns = scope.store.transcript(call.id).await?;
    let turns = turns.into_iter().map(|turn| Turn::screened(screen.as_mut(), turn)).collect();
    Ok(Json(Transcript { call_id: call.id, turns }))
}
