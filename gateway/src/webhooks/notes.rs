//! `/transfer/…/notes` of a carrier: the caller was told that notes are taken, or answered, and goes on to the person.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::response::Response;
use pipeline::ports::{NotTaken, Returned};
use storage::records::Call;
use storage::transfers::{Transfer, TransferResult, TransferStage};
use storage::{CallId, Calls, TenantStore, Transfers};
use telephony::call_status::Callback;
use telephony::document::{Document, Listener, Say};
use tokio::time::timeout;

use super::request::{About, Names, document, unknown, url};
use super::transfer::{back, facts_of, settle, voice};
use crate::app::App;
use crate::calls::handshake::TOKEN_PARAMETER;
use crate::dialing::{notes, transfer, warm};
use crate::error::ApiError;

/// Longest look at whether the person is still there.
const LOOK: Duration = Duration::from_secs(2);

/// The person takes the call: the caller is told of notes first, where they are to be taken, and else goes to them at once.
///
/// # Errors
/// When storage does not answer.
pub(super) async fn meet(
    app: &Arc<App>,
    store: &TenantStore,
    call: &Call,
    to: &Transfer,
    callback: &Callback,
) -> Result<Response, ApiError> {
    if !notes::offer(app, store, call, to, &callback.account_sid).await? {
        return Ok(room(app, store, to, None));
    }
    let language = warm::language_of(call);
    let text = notes::notice(&facts_of(app, store.id()).await?, language);
    let say = Say { text: &text, language: voice(language) };
    let action_url = url(app, app.paths.transfer_notes, store.id(), call.id);
    Ok(document(app, &Document::Tell { say, action_url: &action_url }))
}

/// They have heard it.
///
/// # Errors
/// 403 for who is not the carrier, 404 for an unknown call.
pub async fn answered(
    State(app): State<Arc<App>>,
    names: Names,
    request: Request,
) -> Result<Response, ApiError> {
    let About { store, id, callback } = About::<CallId>::read(&app, names, request).await?;
    let call = store.call(id).await?.ok_or_else(unknown)?;
    let to = transfer::last(&store, id).await?.filter(|to| to.warm).ok_or_else(unknown)?;
    if to.stage != TransferStage::Accepted {
        return Ok(document(&app, &Document::HangUp));
    }
    if is_gone(&app, &to).await {
        app.notes.forget(id);
        store.drop_notes(to.id).await?;
        let result = settle(&app, (store.id(), &store), &to, TransferResult::Failed).await?;
        let failed = || Returned { target: to.target.clone(), why: NotTaken::Failed };
        let returned = transfer::returned(&to, result).unwrap_or_else(failed);
        return back(&app, &store, call, returned, &callback).await;
    }
    let said = (callback.keys.as_deref(), callback.speech.as_deref());
    let token = notes::answered(&app, &store, &call, &to, said).await?;
    Ok(room(&app, &store, &to, token.as_deref()))
}

/// Whether the person hung up while the caller was being told. Where the carrier does not say, they are there.
async fn is_gone(app: &App, to: &Transfer) -> bool {
    let (Some(control), Some(sid)) = (app.control(), to.carrier_sid.as_deref()) else { return false };
    matches!(timeout(LOOK, control.look_up(sid)).await, Ok(Ok(call)) if call.status.is_final())
}

/// The two meet. With a token, what they say is sent to us.
fn room(app: &App, store: &TenantStore, to: &Transfer, token: Option<&str>) -> Response {
    let done = url(app, app.paths.transfer_done, store.id(), to.call);
    let stream_url = app.public_url.join_ws(app.paths.notes);
    let parameters = token.map(|token| [(TOKEN_PARAMETER, token)]);
    let listener = parameters.as_ref().map(|parameters| Listener { stream_url: &stream_url, parameters });
    document(app, &Document::JoinRoom { room: &warm::room(to), action_url: Some(&done), listener })
}
