//! `/transfer/…` of a carrier: what the carrier asks and tells of a call to a person who is asked whether they take a caller.
//!
//! Answers come late, twice, or out of order: each handler takes the transfer as it stands in the database, and no news leads back.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use storage::records::{Call, CallState};
use storage::transfers::{Transfer, TransferResult, TransferStage};
use storage::{CallId, Calls, TenantStore, Transfers};
use telephony::call_status::{Answerer, CallProgress, Callback};
use telephony::document::{Document, Say};

use super::request::{About, Names, call_sid, document, nothing, unknown, url};
use super::transfer::{facts_of, voice};
use crate::app::App;
use crate::dialing::warm::Said;
use crate::dialing::{transfer, warm};
use crate::error::ApiError;

/// A webhook that was checked, and the transfer that it is about.
struct Told {
    store: TenantStore,
    call: Call,
    to: Transfer,
    callback: Callback,
}

async fn told(app: &Arc<App>, names: Names, request: Request) -> Result<Told, ApiError> {
    let About { store, id, callback } = About::<CallId>::read(app, names, request).await?;
    let call = store.call(id).await?.ok_or_else(unknown)?;
    let to = transfer::last(&store, id).await?.filter(|to| to.warm).ok_or_else(unknown)?;
    Ok(Told { store, call, to, callback })
}

/// Somebody answered: who asks for them, what about, and whether they take the call.
///
/// # Errors
/// 403 for who is not the carrier, 404 for an unknown call.
pub async fn answer(
    State(app): State<Arc<App>>,
    names: Names,
    request: Request,
) -> Result<Response, ApiError> {
    let Told { store, call, to, callback } = told(&app, names, request).await?;
    // The process that held the caller is gone: whoever answers hears so at once, and is not asked.
    let is_over = to.stage == TransferStage::Ended;
    if is_over || call.state == CallState::Ended && to.stage != TransferStage::Accepted {
        if !is_over {
            warm::give_up(&app, &store, &to, TransferResult::Failed).await;
        }
        return gone(&app, &store, &call).await;
    }
    if to.stage != TransferStage::Dialling {
        return Ok(document(&app, &Document::HangUp));
    }
    let sid = call_sid(&callback)?;
    store.note_transfer(to.id, TransferStage::Dialling, Some(sid)).await?;
    ask(&app, &store, &call, &to).await
}

/// The caller waits no more: said, for a silent end would be taken for a fault of their telephone.
async fn gone(app: &App, store: &TenantStore, call: &Call) -> Result<Response, ApiError> {
    let language = warm::language_of(call);
    let text = transfer::gone(&facts_of(app, store.id()).await?, language);
    Ok(document(app, &Document::say_and_hang_up(&text, voice(language))))
}

/// Whoever took the call meets the caller.
fn into_room(app: &App, to: &Transfer) -> Response {
    document(app, &Document::JoinRoom { room: &warm::room(to), action_url: None, listener: None })
}

async fn ask(app: &App, store: &TenantStore, call: &Call, to: &Transfer) -> Result<Response, ApiError> {
    let language = warm::language_of(call);
    let text = warm::question(&facts_of(app, store.id()).await?, language, to);
    let reply = url(app, app.paths.transfer_reply, store.id(), call.id);
    let say = Say { text: &text, language: voice(language) };
    Ok(document(app, &Document::AskForAnswer { say, action_url: &reply }))
}

/// They take the call, or they do not.
///
/// # Errors
/// As [`answer`].
pub async fn reply(
    State(app): State<Arc<App>>,
    names: Names,
    request: Request,
) -> Result<Response, ApiError> {
    let Told { store, call, to, callback } = told(&app, names, request).await?;
    match (warm::understood(callback.keys.as_deref(), callback.speech.as_deref()), to.stage) {
        // Told twice: they are on their way already.
        (Said::Yes, TransferStage::Accepted) => Ok(into_room(&app, &to)),
        (_, TransferStage::Accepted) => Ok(document(&app, &Document::HangUp)),
        (_, TransferStage::Ended) => gone(&app, &store, &call).await,
        (Said::Yes, _) if warm::accept(&app, &store, &to).await? => Ok(into_room(&app, &to)),
        (Said::Yes, _) => gone(&app, &store, &call).await,
        (Said::Nothing, _) => ask(&app, &store, &call, &to).await,
        (Said::No, _) => {
            warm::give_up(&app, &store, &to, TransferResult::Declined).await;
            Ok(document(&app, &Document::HangUp))
        }
    }
}

/// Progress of the call to the target, and whether a machine answered: that one takes no caller.
///
/// # Errors
/// As [`answer`].
pub async fn status(
    State(app): State<Arc<App>>,
    names: Names,
    request: Request,
) -> Result<Response, ApiError> {
    let Told { store, to, callback, .. } = told(&app, names, request).await?;
    let sid = call_sid(&callback)?;
    let Some(to) = store.note_transfer(to.id, TransferStage::Dialling, Some(sid.clone())).await? else {
        return Ok(nothing());
    };
    // News of an earlier attempt.
    if to.carrier_sid.as_deref() != Some(sid.as_str()) {
        return Ok(nothing());
    }
    if callback.answered_by == Some(Answerer::Machine) {
        warm::give_up(&app, &store, &to, TransferResult::Machine).await;
        return Ok(nothing());
    }
    // What tells who answered may come without a status.
    let Ok(progress) = callback.progress else { return Ok(nothing()) };
    let result = match progress.status {
        // Somebody answered, and did not take the call.
        CallProgress::Completed => TransferResult::Declined,
        CallProgress::Busy => TransferResult::Busy,
        CallProgress::NoAnswer | CallProgress::Canceled => TransferResult::NoAnswer,
        CallProgress::Failed => TransferResult::Failed,
        _ => return Ok(nothing()),
    };
    warm::give_up(&app, &store, &to, result).await;
    Ok(nothing())
}
