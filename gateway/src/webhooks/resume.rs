//! `/resume` of a carrier: a stream has ended, and the carrier asks what to do with the caller.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use chrono::Utc;
use pipeline::ports::{Language, NotTaken, Returned};
use storage::records::{Call, CallState};
use storage::{Calls, Directory, StorageError, TenantId, TenantStore};
use telephony::call_status::Callback;
use telephony::document::Document;

use super::outreach;
use super::request::{document, read};
use super::transfer;
use super::voice::OUT_OF_ORDER;
use crate::app::App;
use crate::calls::crash_cleanup;
use crate::dialing::{call_queue, transfer as transfers, warm};
use crate::error::{ApiError, ErrorCode};
use crate::providers::notices::Notice;

/// A call's last record may take this long after its stream ended.
const SETTLING: Duration = Duration::from_secs(4);

/// A machine had answered a call of ours.
const MACHINE: &str = "machine";

/// Ends after which there is nothing more to say.
const ORDERLY: [&str; 5] = ["caller_hung_up", "agent_hung_up", "supervisor_hung_up", "no_input", "too_long"];

/// The handler, for POST and GET.
pub async fn handle(State(app): State<Arc<App>>, request: Request) -> Response {
    let callback = match read(&app, request).await {
        Ok(callback) => callback,
        Err(refusal) => return refusal.into_response(),
    };
    let asked = match &callback.voice {
        Ok(asked) => asked,
        Err(e) => return ApiError::new(ErrorCode::MissingParameter, e.to_string()).into_response(),
    };
    let settled = settled(&app, &asked.call_sid).await;
    // A person is waited for: this call goes on there.
    if let Ok(Some((store, call))) = &settled
        && let Some(answer) = put_through(&app, store, call, &callback).await
    {
        return answer;
    }
    // They waited for one, and keep the place.
    if let Ok(Some((store, call))) = &settled
        && let Some(answer) = in_line(&app, store, call, &callback).await
    {
        return answer;
    }
    if let Ok(Some((store, call))) = &settled
        && call.end_reason.as_deref() == Some(MACHINE)
    {
        return outreach::after_machine(&app, store, call).await.unwrap_or_else(|error| {
            tracing::error!(?error, call_id = %call.id, "whether a machine gets a message cannot be read");
            document(&app, &Document::HangUp)
        });
    }
    let ended = match &settled {
        Ok(found) => Ok(found.as_ref().and_then(|(_, call)| call.end_reason.clone())),
        Err(error) => Err(error),
    };
    match ended {
        Ok(Some(reason)) if ORDERLY.contains(&reason.as_str()) => document(&app, &Document::HangUp),
        Ok(Some(reason)) => match unsaid(&app, &reason) {
            Some(notice) => document(&app, &Document::say_and_hang_up(notice.text(Language::En), "en-US")),
            None if turned_away(&reason).is_some() => document(&app, &Document::HangUp),
            None => match &settled {
                Ok(Some((store, call))) => cut_off(&app, store, call).await,
                _ => document(&app, &Document::say_and_hang_up(OUT_OF_ORDER, "en-US")),
            },
        },
        // Nothing of it is on record, or that cannot be told: nobody may say that it was kept.
        Ok(None) => document(&app, &Document::say_and_hang_up(OUT_OF_ORDER, "en-US")),
        Err(e) => {
            tracing::error!(error = %e, "how a call ended could not be read");
            document(&app, &Document::say_and_hang_up(OUT_OF_ORDER, "en-US"))
        }
    }
}

/// The call broke off by our fault: said in its language, with the call back that was filed for it, if there is one.
async fn cut_off(app: &App, store: &TenantStore, call: &Call) -> Response {
    let facts = match transfer::facts_of(app, store.id()).await {
        Ok(facts) => facts,
        Err(error) => {
            tracing::error!(?error, call_id = %call.id, "what a caller hears who was cut off cannot be read");
            return document(app, &Document::say_and_hang_up(OUT_OF_ORDER, "en-US"));
        }
    };
    // What cannot be read is not promised.
    let is_called_back = crash_cleanup::is_called_back(store, call.id).await.unwrap_or_else(|error| {
        tracing::error!(%error, call_id = %call.id, "whether a caller is called back cannot be read");
        false
    });
    let language = warm::language_of(call);
    let text = transfers::cut_off(&facts, language, is_called_back);
    document(app, &Document::say_and_hang_up(&text, transfer::voice(language)))
}

/// The notice that a caller was to hear who was turned away.
fn turned_away(reason: &str) -> Option<Notice> {
    Notice::ALL.into_iter().find(|notice| notice.reason() == reason)
}

/// The same, when our own voice could not say it: then the carrier's does. A call that spent its own budget was told
/// so by us.
fn unsaid(app: &App, reason: &str) -> Option<Notice> {
    turned_away(reason).filter(|notice| app.ready.get().is_none_or(|ready| ready.notices.lacks(*notice)))
}

/// The call, once its stream has left its last record.
async fn settled(app: &App, carrier_sid: &str) -> Result<Option<(TenantStore, Call)>, StorageError> {
    let Some((store, call)) = find(app, carrier_sid).await? else { return Ok(None) };
    if let Some(live) = app.live.find(call.id) {
        live.wait_gone(SETTLING).await;
    }
    Ok(store.call(call.id).await?.map(|call| (store, call)))
}

/// What the carrier does where the call is to go to a person.
async fn put_through(
    app: &Arc<App>,
    store: &TenantStore,
    call: &Call,
    callback: &Callback,
) -> Option<Response> {
    let due = transfers::due(store, call, Utc::now()).await.unwrap_or_else(|error| {
        tracing::error!(%error, call_id = %call.id, "whether the call is to go to a person cannot be read");
        None
    })?;
    match transfer::begin(app, store, call.clone(), &due, callback).await {
        Ok(answer) => Some(answer),
        Err(error) => {
            tracing::error!(?error, call_id = %call.id, "the call cannot be put through");
            None
        }
    }
}

/// What the carrier does where the caller waited in line.
async fn in_line(app: &Arc<App>, store: &TenantStore, call: &Call, callback: &Callback) -> Option<Response> {
    let wait = call_queue::kept(store, call, Utc::now()).await.unwrap_or_else(|error| {
        tracing::error!(%error, call_id = %call.id, "whether the caller waited in line cannot be read");
        None
    })?;
    let returned = Returned { target: wait.target, why: NotTaken::InLine };
    match transfer::back(app, store, call.clone(), returned, callback).await {
        Ok(answer) => Some(answer),
        Err(error) => {
            tracing::error!(?error, call_id = %call.id, "a caller cannot come back to their place in line");
            None
        }
    }
}

/// The call of a carrier's name for it, whoever's it is.
pub async fn find(app: &App, carrier_sid: &str) -> Result<Option<(TenantStore, Call)>, StorageError> {
    let mut unread = None;
    for tenant in app.platform.store().tenants().await? {
        match of_tenant(app, tenant.id, carrier_sid).await {
            Ok(Some(found)) => return Ok(Some(found)),
            Ok(None) => {}
            // It may be another's.
            Err(error) => unread = Some(error),
        }
    }
    unread.map_or(Ok(None), Err)
}

async fn of_tenant(
    app: &App,
    tenant: TenantId,
    carrier_sid: &str,
) -> Result<Option<(TenantStore, Call)>, StorageError> {
    let store = app.platform.tenant(tenant).await?;
    let call = store.call_by_carrier_sid(carrier_sid).await?;
    Ok(call.map(|call| (store, call)))
}

/// True when the books say that the call goes on.
#[must_use]
pub fn is_open(call: &Call) -> bool {
    call.state == CallState::Live
}
