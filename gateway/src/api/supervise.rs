//! `POST /v1/calls/{id}/whisper`, `/takeover`, `/handover` and `/release`: what a person of the office does in a live call.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use chrono::Utc;
use governance::guard::{Channel, Guard, SanitizeRequest};
use governance::rules::{Spoken, permitted};
use pipeline::event::{CallEvent, EVENT_VERSION, EventBody};
use pipeline::ports::{Language, StaffWord};
use pipeline::session::Supervisor;
use pipeline::turn;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use storage::CallId;
use storage::records::Call;
use uuid::Uuid;

use super::calls;
use crate::app::App;
use crate::audit::acts;
use crate::auth::{Act, Scoped};
use crate::calls::lease::{Lease, Taken, Unasked, WISH};
use crate::calls::live::LiveCall;
use crate::demo;
use crate::error::{ApiError, ErrorCode, JsonBody};

/// Characters of what a person says to the agent, or notes.
const LONGEST: usize = 1_000;
/// Name of a responder without a model.
const BUILTIN: &str = "builtin";

/// What the agent is told: an instruction, a line to say word for word, or that instructions are withdrawn.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WhisperRequest {
    #[serde(default)]
    text: String,
    #[serde(default)]
    say: String,
    #[serde(default)]
    until: Until,
    #[serde(default)]
    withdraw: bool,
}

/// How long an instruction holds.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Until {
    #[default]
    Next,
    Withdrawn,
}

/// Whether somebody who has the call is asked for it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TakeOverRequest {
    #[serde(default)]
    ask: bool,
}

/// Who is to have the call: somebody who asked for it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandOverRequest {
    to: String,
}

/// What the person who gives the call back has to say of it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleaseRequest {
    note: Option<String>,
}

/// `POST /v1/calls/{id}/whisper`.
pub async fn whisper(
    State(app): State<Arc<App>>,
    scope: Scoped<Act>,
    Path(id): Path<String>,
    JsonBody(asked): JsonBody<WhisperRequest>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let (call, live) = live(&app, &scope, &id).await?;
    let by = scope.principal.subject.clone();
    let act = match (asked.text.trim(), asked.say.trim(), asked.withdraw) {
        ("", "", true) => Supervisor::Whisper { by, word: StaffWord::Withdrawn },
        (text, "", false) if !text.is_empty() => {
            may_instruct(&app, text)?;
            let word = match asked.until {
                Until::Next => StaffWord::Next(text.to_owned()),
                Until::Withdrawn => StaffWord::Standing(text.to_owned()),
            };
            Supervisor::Whisper { by, word }
        }
        ("", line, false) if !line.is_empty() => {
            may_be_said(&app, &scope, &call, line).await?;
            Supervisor::Say { by, text: line.to_owned() }
        }
        _ => {
            return Err(ApiError::new(
                ErrorCode::MissingParameter,
                "a whisper has one of `text`, `say`, `withdraw`",
            )
            .advise("send {\"text\": \"…\"} for an instruction, {\"say\": \"…\"} for a line to be said"));
        }
    };
    let (until, text) = match &act {
        Supervisor::Whisper { word, .. } => (word.until(), word.text().to_owned()),
        Supervisor::Say { text, .. } => ("said", text.clone()),
        _ => ("", String::new()),
    };
    app.audit
        .record(Some(scope.tenant.id), acts::call_whispered(&scope.principal, call.id, until, &text))
        .await?;
    if !live.ask(act) {
        return Err(ending());
    }
    Ok((StatusCode::ACCEPTED, Json(json!({ "id": call.id, "until": until }))))
}

/// An instruction is for a model, and may not try to steer it past its rules.
fn may_instruct(app: &App, text: &str) -> Result<(), ApiError> {
    bounded("text", text)?;
    if app.engines()?.providers.responder.name() == BUILTIN {
        return Err(ApiError::new(
            ErrorCode::Conflict,
            "the built-in agent takes no instructions in free words",
        )
        .advise("have it say a line word for word instead (`say`)"));
    }
    let guard = Guard::shipped().map_err(|error| ApiError::internal(&error))?;
    let (text, channel, context) = (text.to_owned(), Channel::Document, None);
    if guard.sanitize(SanitizeRequest { text, channel, context }).was_modified {
        return Err(ApiError::new(ErrorCode::InvalidParameter, "text would steer the agent past its rules")
            .with_status(StatusCode::UNPROCESSABLE_ENTITY)
            .advise("say what the caller should be told, not what the agent should forget"));
    }
    Ok(())
}

/// A line is spoken in our voice: the rules hold for it as for the agent's own words.
async fn may_be_said(app: &App, scope: &Scoped<Act>, call: &Call, line: &str) -> Result<(), ApiError> {
    bounded("say", line)?;
    let facts =
        demo::facts(&app.platform, &scope.tenant).await.map_err(|error| ApiError::internal(&error))?;
    let rules =
        demo::rules_in_force(&scope.store, &facts).await.map_err(|error| ApiError::internal(&error))?;
    let language = if call.language == "es" { Language::Es } else { Language::En };
    let violations = rules.check_words(&Spoken::new(line, language));
    if permitted(&violations) {
        return Ok(());
    }
    let broken: Vec<_> = violations.iter().map(|v| v.rule.id.clone()).collect();
    Err(ApiError::new(ErrorCode::InvalidParameter, "say breaks a rule of this office")
        .with_status(StatusCode::UNPROCESSABLE_ENTITY)
        .with_details(json!({ "parameter": "say", "rules": broken }))
        .advise("say it another way, or take the call over"))
}

fn bounded(name: &str, text: &str) -> Result<(), ApiError> {
    if text.chars().count() > LONGEST || text.chars().any(|c| c.is_control() && c != '\n') {
        return Err(ApiError::invalid(
            name,
            format_args!("has more than {LONGEST} characters, or control characters"),
        ));
    }
    Ok(())
}

/// An answer to what the agent asked.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerRequest {
    question_id: u32,
    text: String,
}

/// `POST /v1/calls/{id}/answer`: what the agent asked people of the office is answered, and it says so to the caller.
///
/// # Errors
/// 409 when the call waits for no answer to this question, 422 for one that breaks a rule of the office.
pub async fn answer(
    State(app): State<Arc<App>>,
    scope: Scoped<Act>,
    Path(id): Path<String>,
    JsonBody(asked): JsonBody<AnswerRequest>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let (call, live) = live(&app, &scope, &id).await?;
    let text = asked.text.trim().to_owned();
    if text.is_empty() {
        return Err(ApiError::invalid("text", "is empty"));
    }
    may_be_said(&app, &scope, &call, &text).await?;
    // One of those who answer at once.
    let question = live.question.lock().take_if(|open| *open == asked.question_id);
    let Some(question) = question else {
        return Err(ApiError::new(ErrorCode::Conflict, "the call waits for no answer to this question")
            .advise("it was answered, or the caller waited too long: the transcript tells"));
    };
    let entry = acts::call_whispered(&scope.principal, call.id, "answered", &text);
    app.audit.record(Some(scope.tenant.id), entry).await?;
    if !live.ask(Supervisor::Answer { by: scope.principal.subject.clone(), question, text }) {
        return Err(ending());
    }
    Ok((StatusCode::ACCEPTED, Json(json!({ "id": call.id, "question_id": question }))))
}

/// `POST /v1/calls/{id}/takeover`.
pub async fn take_over(
    State(app): State<Arc<App>>,
    scope: Scoped<Act>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let asked: TakeOverRequest = read(&body)?;
    let (call, live) = live(&app, &scope, &id).await?;
    let (lease, from) = match live.lease.take(&scope.principal, Utc::now()) {
        Taken::Now { lease, from } => (lease, from),
        Taken::Held(lease) if asked.ask => return ask_for(&app, &scope, &call, &live, &lease).await,
        Taken::Held(lease) => return Err(held(&lease)),
    };
    if !live.ask(Supervisor::TakeOver { lease: lease.id, by: lease.by.clone() }) {
        live.lease.ended(lease.id);
        return Err(ending());
    }
    let entry = acts::call_taken(&scope.principal, call.id, from.as_ref().map(|held| held.by.as_str()));
    app.audit.record(Some(scope.tenant.id), entry).await?;
    Ok((StatusCode::OK, Json(json!({ "id": call.id, "controlled_by": lease, "speak": speak_path(&call) }))))
}

fn speak_path(call: &Call) -> String {
    format!("/v1/calls/{}/speak", call.id)
}

/// Whoever has the call is told that somebody asks for it.
async fn ask_for(
    app: &App,
    scope: &Scoped<Act>,
    call: &Call,
    live: &LiveCall,
    holder: &Lease,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let entry = acts::call_asked_for(&scope.principal, call.id, &holder.by);
    app.audit.record(Some(scope.tenant.id), entry).await?;
    let (now, by) = (Utc::now(), scope.principal.subject.clone());
    live.lease.ask(&scope.principal, now);
    app.fanout.publish(&CallEvent {
        version: EVENT_VERSION,
        event_id: Uuid::now_v7(),
        call_id: turn::CallId(call.id.0),
        tenant: scope.tenant.id.0,
        at: now,
        body: EventBody::ControlAsked { by, of: holder.by.clone(), until: now + WISH },
    });
    let asked = json!({ "id": call.id, "asked": holder.by, "until": now + WISH });
    Ok((StatusCode::ACCEPTED, Json(asked)))
}

/// `POST /v1/calls/{id}/handover`: whoever has the call hands it to somebody who asked for it.
///
/// # Errors
/// 409 when they do not have it, or nobody of that name asked within the last minute.
pub async fn hand_over(
    State(app): State<Arc<App>>,
    scope: Scoped<Act>,
    Path(id): Path<String>,
    JsonBody(asked): JsonBody<HandOverRequest>,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let (call, live) = live(&app, &scope, &id).await?;
    let lease =
        live.lease.hand_over(&scope.principal, &asked.to, Utc::now()).map_err(|reason| match reason {
            Unasked::NotHolder => live.lease.holder().map_or_else(agent_has_it, |lease| held(&lease)),
            Unasked::Nobody => {
                ApiError::new(ErrorCode::Conflict, format!("{} has not asked for it", asked.to))
                    .advise("a wish to have the call holds for a minute; they can ask again")
            }
        })?;
    let (by, to) = (scope.principal.subject.as_str(), lease.by.clone());
    if !live.ask(Supervisor::TakeOver { lease: lease.id, by: to }) {
        live.lease.ended(lease.id);
        return Err(ending());
    }
    let entry = acts::call_handed_over(&scope.principal, call.id, &lease.by);
    app.audit.record(Some(scope.tenant.id), entry).await?;
    tracing::info!(call_id = %call.id, by, "a call was handed to another person");
    Ok((StatusCode::ACCEPTED, Json(json!({ "id": call.id, "controlled_by": lease }))))
}

fn agent_has_it() -> ApiError {
    ApiError::new(ErrorCode::Conflict, "the agent has the call already")
}

/// `POST /v1/calls/{id}/release`.
pub async fn release(
    State(app): State<Arc<App>>,
    scope: Scoped<Act>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<(StatusCode, Json<Value>), ApiError> {
    let asked: ReleaseRequest = read(&body)?;
    let note = asked.note.map(|note| note.trim().to_owned()).filter(|note| !note.is_empty());
    if let Some(note) = &note {
        bounded("note", note)?;
    }
    let (call, live) = live(&app, &scope, &id).await?;
    let Some(lease) = live.lease.of(&scope.principal) else {
        return Err(live.lease.holder().map_or_else(agent_has_it, |lease| held(&lease)));
    };
    let entry = acts::call_given_back(&scope.principal, call.id, note.as_deref());
    app.audit.record(Some(scope.tenant.id), entry).await?;
    if !live.ask(Supervisor::Release { lease: lease.id, note }) {
        return Err(ending());
    }
    Ok((StatusCode::ACCEPTED, Json(json!({ "id": call.id }))))
}

/// A body that may be left out.
fn read<T: Default + DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    if body.is_empty() {
        return Ok(T::default());
    }
    serde_json::from_slice(body).map_err(|error| {
        ApiError::new(ErrorCode::InvalidRequest, error.to_string()).advise("send a JSON object, or nothing")
    })
}

async fn live(app: &App, scope: &Scoped<Act>, id: &str) -> Result<(Call, Arc<LiveCall>), ApiError> {
    let call = calls::find(&scope.store, id).await?;
    let live = with_us(app, call.id)?;
    Ok((call, live))
}

/// A live call that the agent, or a person at the console, has.
///
/// # Errors
/// 409 where it is not live, or a person has it at their own telephone and only notes are taken.
pub(super) fn with_us(app: &App, call: CallId) -> Result<Arc<LiveCall>, ApiError> {
    let live = app.live.find(call).ok_or_else(|| {
        ApiError::new(ErrorCode::Conflict, "the call is not live").advise("reload the list of calls")
    })?;
    if live.is_noted {
        return Err(ApiError::new(
            ErrorCode::Conflict,
            "a person has this call at their own telephone, and only notes are taken",
        )
        .advise("read the transcript; the caller or the person ends the notes by saying so"));
    }
    Ok(live)
}

fn ending() -> ApiError {
    ApiError::new(ErrorCode::Conflict, "the call is ending").advise("reload the list of calls")
}

/// Who has the call is told: they can be asked.
pub(super) fn held(lease: &Lease) -> ApiError {
    ApiError::new(ErrorCode::Conflict, format!("{} has the call", lease.by))
        .with_details(json!({ "controlled_by": lease }))
        .advise("ask them for it with {\"ask\": true}; a higher role may take it")
}
