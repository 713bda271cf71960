//! A call that was put through to a person: what the carrier is told to dial, and what comes after.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use pipeline::ports::Language;
use storage::{CallId, Calls, Directory, TenantId};
use telephony::twilio::dialled::Dialled;
use telephony::twilio::status::CallProgress;
use telephony::twilio::twiml::{self, Dial};

use super::request::{document, read};
use crate::app::App;
use crate::audit::acts;
use crate::demo;
use crate::dialing::transfer::{self, Pending};
use crate::error::{ApiError, ErrorCode};

/// What came of dialling a target.
pub const DONE: &str = "/twilio/transfer/{tenant}/{call}/done";

/// The carrier's own voice of a language.
#[must_use]
pub const fn voice(language: Language) -> &'static str {
    match language {
        Language::En => "en-US",
        Language::Es => "es-US",
    }
}

/// What the carrier does with a call whose stream was closed for a transfer.
#[must_use]
pub fn begin(app: &App, pending: &Pending) -> String {
    let (tenant, call) = (pending.tenant.to_string(), pending.call.to_string());
    let done = DONE.replace("{tenant}", &tenant).replace("{call}", &call);
    twiml::dial(&Dial {
        first: Some((&pending.first, voice(pending.language))),
        number: &pending.target.number,
        caller_id: &pending.line,
        action_url: &app.public_url.join(&done),
        status_url: None,
        detect_url: None,
        ring_s: transfer::RING_S,
        limit_s: transfer::LIMIT_S,
    })
}

/// The target has hung up, or nobody answered there: then the caller is told so, and is owed a call back.
///
/// # Errors
/// 403 for who is not the carrier, 404 for an unknown call.
pub async fn done(
    State(app): State<Arc<App>>,
    Path((tenant, call)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ApiError> {
    let fields = read(&app, request).await?;
    let unknown = || ApiError::not_found("call");
    let tenant: TenantId = tenant.parse().map_err(|_| unknown())?;
    let call: CallId = call.parse().map_err(|_| unknown())?;
    let store = app.platform.tenant(tenant).await?;
    let call = store.call(call).await?.ok_or_else(unknown)?;
    let came =
        Dialled::from_form(&fields).map_err(|e| ApiError::new(ErrorCode::InvalidParameter, e.to_string()))?;
    let result = match came.status {
        CallProgress::Completed => "answered",
        CallProgress::Busy => "busy",
        CallProgress::NoAnswer => "no_answer",
        // The caller hung up while it rang.
        CallProgress::Canceled => "caller_hung_up",
        _ => "failed",
    };
    metrics::counter!("quandura_transfers_total", "result" => result).increment(1);
    app.audit.refused(Some(tenant), acts::call_transfer_ended(call.id, result)).await;
    if matches!(came.status, CallProgress::Completed | CallProgress::Canceled) {
        return Ok(document(twiml::hang_up()));
    }
    let known = app.platform.store().tenant_by_id(tenant).await?.ok_or_else(unknown)?;
    let facts = demo::facts(&app.platform, &known).await.map_err(|e| ApiError::internal(&e))?;
    // Nothing is promised that is not on record.
    let is_called_back = transfer::owe(&store, &call).await.unwrap_or_else(|error| {
        tracing::error!(%error, call_id = %call.id, "a call back that is owed could not be filed");
        false
    });
    let language = Language::of(&call.language).unwrap_or(Language::En);
    let text = transfer::failed(&facts, language, is_called_back);
    Ok(document(twiml::say_and_hang_up(&text, voice(language))))
}
