//! A call that was put through to a person: what the carrier is told to dial, and how a caller comes back whom nobody took.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use dialogue::TenantFacts;
use pipeline::ports::{Language, NotTaken, Returned};
use storage::records::{Call, Direction};
use storage::transfers::{BY_AGENT, Transfer, TransferResult, TransferStage};
use storage::waits::WaitResult;
use storage::zones::CallerNumber;
use storage::{CallId, Calls, Directory, PassportId, TenantId, TenantStore, Transfers, Waits};
use telephony::call_status::{CallProgress, Callback};
use telephony::document::{Dial, Document, Say};

use super::request::{About, Names, document, malformed, unknown, url};
use super::{notes, voice};
use crate::app::App;
use crate::audit::acts;
use crate::calls::answered::Doubt;
use crate::calls::pending_streams::{Arrival, NamedBy};
use crate::demo;
use crate::dialing::transfer::Told;
use crate::dialing::{transfer, warm};
use crate::error::{ApiError, ErrorCode};
use crate::office::Pressing;

/// The carrier's own voice of a language.
#[must_use]
pub const fn voice(language: Language) -> &'static str {
    match language {
        Language::En => "en-US",
        Language::Es => "es-US",
    }
}

pub async fn facts_of(app: &App, tenant: TenantId) -> Result<TenantFacts, ApiError> {
    let known = app.platform.store().tenant_by_id(tenant).await?;
    let known = known.ok_or_else(|| ApiError::not_found("tenant"))?;
    demo::facts(&app.platform, &known).await.map_err(|e| ApiError::internal(&e))
}

/// What the carrier does with a call whose stream ended and that a transfer waits for. The agent has told the caller by itself
/// where they go.
///
/// # Errors
/// When storage does not answer.
pub async fn begin(
    app: &Arc<App>,
    store: &TenantStore,
    call: Call,
    to: &Transfer,
    callback: &Callback,
) -> Result<Response, ApiError> {
    let done = url(app, app.paths.transfer_done, store.id(), call.id);
    match (to.warm, to.stage) {
        (true, TransferStage::Accepted) => {
            return notes::meet(app, store, &call, to, callback).await;
        }
        // The process that asked there is gone, or the stream broke: whoever was asked is let go, and the caller comes back.
        (true, stage) => {
            if stage != TransferStage::Ended {
                warm::give_up(app, store, to, TransferResult::Failed).await;
            }
            let failed = || Returned { target: to.target.clone(), why: NotTaken::Failed };
            let known = to.result.and_then(|result| transfer::returned(to, result));
            let returned = known.unwrap_or_else(failed);
            return back(app, store, call, returned, callback).await;
        }
        (false, _) => {}
    }
    let language = warm::language_of(&call);
    let first = match to.actor.as_str() {
        BY_AGENT => None,
        _ => Some(transfer::announced(&facts_of(app, store.id()).await?, language, &to.target)),
    };
    let first = first.as_deref().map(|text| Say { text, language: voice(language) });
    if let Some(uri) = transfer::refer_to(store, &to.target)
        .await?
        .filter(|_| callback.is_sip && app.carrier.abilities().refers)
    {
        return Ok(document(app, &Document::Refer { first, uri: &uri, action_url: &done }));
    }
    let order = Dial {
        first,
        number: &to.number,
        caller_id: &call.line,
        action_url: &done,
        status_url: None,
        detect_url: None,
        ring_s: transfer::RING_S,
        limit_s: transfer::LIMIT_S,
    };
    Ok(document(app, &Document::Dial(order)))
}

/// The target has hung up, or nobody answered there: then the caller comes back to the agent.
///
/// # Errors
/// 403 for who is not the carrier, 404 for an unknown call.
pub async fn done(State(app): State<Arc<App>>, names: Names, request: Request) -> Result<Response, ApiError> {
    let About { store, id, callback } = About::<CallId>::read(&app, names, request).await?;
    let call = store.call(id).await?.ok_or_else(unknown)?;
    let to = transfer::last(&store, call.id).await?.ok_or_else(unknown)?;
    let came = callback.dialled.clone().map_err(|e| malformed(&e))?;
    let result = match came.status {
        CallProgress::Completed => TransferResult::Answered,
        CallProgress::Busy => TransferResult::Busy,
        CallProgress::NoAnswer => TransferResult::NoAnswer,
        // The caller hung up while it rang.
        CallProgress::Canceled => TransferResult::CallerHungUp,
        _ => TransferResult::Failed,
    };
    let result = settle(&app, (store.id(), &store), &to, result).await?;
    match transfer::returned(&to, result) {
        None => Ok(document(&app, &Document::HangUp)),
        Some(returned) => back(&app, &store, call, returned, &callback).await,
    }
}

/// Ends a transfer, once. What was known of it before counts: the carrier tells twice.
///
/// # Errors
/// When storage does not answer.
pub async fn settle(
    app: &App,
    (tenant, store): (TenantId, &TenantStore),
    to: &Transfer,
    result: TransferResult,
) -> Result<TransferResult, ApiError> {
    if !store.end_transfer(to.id, result).await? {
        let known = store.transfer(to.id).await?.and_then(|known| known.result);
        return Ok(known.unwrap_or(result));
    }
    metrics::counter!("quandura_transfers_total", "result" => result.as_str()).increment(1);
    app.audit.refused(Some(tenant), acts::call_transfer_ended(to.call, result.as_str())).await;
    if to.notes {
        // What was said is worked on from here on, should the notes be over already.
        app.office.ring(tenant, Pressing::MayWait);
        app.memory.ended(tenant, to.call);
    }
    Ok(result)
}

/// The caller goes on with the agent. Where that cannot be, the carrier tells them that they are called back.
///
/// # Errors
/// When storage does not answer.
pub(super) async fn back(
    app: &Arc<App>,
    store: &TenantStore,
    call: Call,
    returned: Returned,
    callback: &Callback,
) -> Result<Response, ApiError> {
    match token_for(app, store, &call, returned, callback).await {
        Ok(Some(token)) => return Ok(voice::connect(app, &token)),
        Ok(None) => {}
        Err(error) => {
            tracing::error!(?error, call_id = %call.id, "a caller cannot come back to the agent");
        }
    }
    let facts = facts_of(app, store.id()).await?;
    // Nothing is promised that is not on record.
    let is_called_back = transfer::owe(store, &call, Told::Promised).await.unwrap_or_else(|error| {
        tracing::error!(%error, call_id = %call.id, "a call back that is owed could not be filed");
        false
    });
    store.end_wait(call.id, WaitResult::Lost).await?;
    let language = warm::language_of(&call);
    let text = transfer::failed(&facts, language, is_called_back);
    Ok(document(app, &Document::say_and_hang_up(&text, voice(language))))
}

/// The token of the stream that goes on with the call. `None`: there is no place, or no line any more.
async fn token_for(
    app: &Arc<App>,
    store: &TenantStore,
    call: &Call,
    returned: Returned,
    callback: &Callback,
) -> Result<Option<String>, ApiError> {
    let line = app.platform.store().line(&call.line).await?.filter(|line| line.tenant_id == store.id());
    let (Some(line), Some(carrier_sid)) = (line, call.carrier_sid.clone()) else { return Ok(None) };
    if !voice::wait_ready(app).await || app.capacity.is_exhausted() {
        return Ok(None);
    }
    let language = warm::language_of(call);
    let caller = store.caller_number(call.id).await?.as_deref().and_then(CallerNumber::of);
    // What is kept of the stream before is not this one's.
    drop(app.expected.forget(&carrier_sid));
    let arrival = Arrival {
        id: call.id,
        line,
        caller,
        named_by: NamedBy::Carrier,
        carrier_sid,
        account_sid: callback.account_sid.clone(),
        passport: call.passport_id.unwrap_or_else(PassportId::new),
        resumes: true,
        doubt: Doubt::None,
        outbound: (call.direction == Direction::Outbound).then_some(language),
        returned: Some((returned, language)),
    };
    let token = app.expected.expect(arrival);
    token.map(Some).map_err(|e| ApiError::new(ErrorCode::ServiceUnavailable, e.to_string()))
}
