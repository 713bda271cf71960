//! `/outreach/…` of a carrier: what the carrier asks and tells of a call that the agent places.
//!
//! Answers come late, twice, or out of order: each handler takes the call as it stands in the database, and no news leads back.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use storage::outreach::{Outreach as Attempt, OutreachNews, OutreachResult, OutreachStage};
use storage::records::Call;
use storage::zones::CallerNumber;
use storage::{CallId, Calls, Directory, Outreach, PassportId, TenantId, TenantStore};
use telephony::call_status::{Answerer, CallProgress, Callback};
use telephony::document::{Document, Say};

use super::request::{About, Names, call_sid, document, nothing, unknown, url};
use super::transfer::{facts_of, voice};
use super::voice;
use crate::app::App;
use crate::calls::answered::Doubt;
use crate::calls::pending_streams::{Arrival, NamedBy};
use crate::dialing::call_result;
use crate::dialing::outreach::{self, Said};
use crate::dialing::warm::language_of;
use crate::error::{ApiError, ErrorCode};
use crate::providers::notices::Notice;

/// A webhook that was checked, and the call that it is about.
struct Told {
    tenant: TenantId,
    store: TenantStore,
    attempt: Attempt,
    call: Call,
    callback: Callback,
}

async fn told(app: &Arc<App>, names: Names, request: Request) -> Result<Told, ApiError> {
    let About { store, id, callback } = About::<CallId>::read(app, names, request).await?;
    let attempt = store.outreach(id).await?.ok_or_else(unknown)?;
    let call = store.call(id).await?.ok_or_else(unknown)?;
    Ok(Told { tenant: store.id(), store, attempt, call, callback })
}

/// Somebody answered: who calls, what for, and the question whether it is they.
///
/// # Errors
/// 403 for who is not the carrier, 404 for an unknown call.
pub async fn answer(
    State(app): State<Arc<App>>,
    names: Names,
    request: Request,
) -> Result<Response, ApiError> {
    let Told { tenant, store, attempt, call, callback } = told(&app, names, request).await?;
    if attempt.stage == OutreachStage::Ended || attempt.machine {
        return match attempt.message && attempt.stage != OutreachStage::Ended {
            true => message(&app, tenant, &call).await,
            false => Ok(document(&app, &Document::HangUp)),
        };
    }
    let sid = call_sid(&callback)?;
    let news =
        OutreachNews { stage: Some(OutreachStage::Asked), carrier_sid: Some(sid), ..OutreachNews::default() };
    store.note_outreach(call.id, news).await?;
    ask(&app, tenant, &attempt, &call).await
}

/// What is said to a machine that takes a message.
async fn message(app: &App, tenant: TenantId, call: &Call) -> Result<Response, ApiError> {
    let text = message_text(app, tenant, call).await?;
    Ok(document(app, &Document::say_and_hang_up(&text, voice(language_of(call)))))
}

async fn message_text(app: &App, tenant: TenantId, call: &Call) -> Result<String, ApiError> {
    Ok(outreach::message(&facts_of(app, tenant).await?, language_of(call)))
}

async fn ask(app: &App, tenant: TenantId, attempt: &Attempt, call: &Call) -> Result<Response, ApiError> {
    let facts = facts_of(app, tenant).await?;
    let language = language_of(call);
    let text = outreach::introduction(&facts, language, attempt.purpose);
    let reply = url(app, app.paths.outreach_reply, tenant, call.id);
    let say = Say { text: &text, language: voice(language) };
    Ok(document(app, &Document::AskForAnswer { say, action_url: &reply }))
}

/// They are the one, they are not, or they want no calls.
///
/// # Errors
/// As [`answer`].
pub async fn reply(
    State(app): State<Arc<App>>,
    names: Names,
    request: Request,
) -> Result<Response, ApiError> {
    let Told { tenant, store, attempt, call, callback } = told(&app, names, request).await?;
    let said = outreach::understood(callback.keys.as_deref(), callback.speech.as_deref());
    let source = if callback.keys.as_deref().is_some() { "key" } else { "voice" };
    // Heeded whatever the stage: a word against calls is never too late.
    outreach::heed(&store, &call, attempt.purpose, said, source).await?;
    if attempt.stage == OutreachStage::Ended {
        return Ok(document(&app, &Document::HangUp));
    }
    let result = match said {
        Said::Yes => return connect(&app, &store, call, &callback).await,
        Said::Nothing => return ask(&app, tenant, &attempt, &call).await,
        Said::Stop => OutreachResult::OptedOut,
        Said::Wrong => OutreachResult::WrongNumber,
    };
    outreach::end(&app, tenant, &store, call.id, result).await?;
    let facts = facts_of(&app, tenant).await?;
    let language = language_of(&call);
    let text = outreach::farewell(&facts, language, said);
    Ok(document(&app, &Document::say_and_hang_up(&text, voice(language))))
}

/// From here on it is a call like any other.
async fn connect(
    app: &Arc<App>,
    store: &TenantStore,
    call: Call,
    callback: &Callback,
) -> Result<Response, ApiError> {
    let line = app.platform.store().line(&call.line).await?.filter(|line| line.tenant_id == store.id());
    let line = line.ok_or_else(|| ApiError::not_found("line"))?;
    let language = language_of(&call);
    if !app.is_ready() || app.capacity.is_exhausted() {
        let busy = Document::say_and_hang_up(Notice::Busy.text(language), voice(language));
        return Ok(document(app, &busy));
    }
    // A machine presses no key.
    let doubt = match callback.keys.as_deref() {
        Some(_) => Doubt::None,
        None => Doubt::ByVoice { leaves_message: facts_of(app, store.id()).await?.voicemail },
    };
    let caller = store.caller_number(call.id).await?.as_deref().and_then(CallerNumber::of);
    let arrival = Arrival {
        id: call.id,
        line,
        caller,
        named_by: NamedBy::Carrier,
        carrier_sid: call_sid(callback)?,
        account_sid: callback.account_sid.clone(),
        passport: call.passport_id.unwrap_or_else(PassportId::new),
        resumes: true,
        outbound: Some(language),
        doubt,
        returned: None,
    };
    let token = app.expected.expect(arrival).map_err(|e| {
        ApiError::new(ErrorCode::ServiceUnavailable, e.to_string()).advise("the carrier asks again")
    })?;
    app.capacity.rings_no_more(call.id);
    let news = OutreachNews { stage: Some(OutreachStage::Connected), ..OutreachNews::default() };
    store.note_outreach(call.id, news).await?;
    Ok(voice::connect(app, &token))
}

/// The agent's stream ended because a machine had answered: what the carrier does with it.
///
/// # Errors
/// When storage does not answer.
pub async fn after_machine(app: &App, store: &TenantStore, call: &Call) -> Result<Response, ApiError> {
    let leaves = facts_of(app, store.id()).await?.voicemail && store.leave_message(call.id, true).await?;
    if leaves { message(app, store.id(), call).await } else { Ok(document(app, &Document::HangUp)) }
}

/// A machine answered. Where the tenant leaves messages and this one takes them, the carrier says it, once; else it is hung up on.
async fn met_machine(app: &App, told: &Told, sid: &str) -> Result<(), ApiError> {
    let Told { tenant, store, call, callback, .. } = told;
    let Some(control) = app.control() else {
        return Ok(outreach::end(app, *tenant, store, call.id, OutreachResult::Machine).await?);
    };
    if callback.takes_message && facts_of(app, *tenant).await?.voicemail {
        if !store.leave_message(call.id, false).await? {
            return Ok(());
        }
        let text = message_text(app, *tenant, call).await?;
        match control.redirect(sid, &Document::say_and_hang_up(&text, voice(language_of(call)))).await {
            Ok(()) => return Ok(()),
            Err(error) => tracing::warn!(reason = error.reason(), "no message could be left on a machine"),
        }
    }
    outreach::end(app, *tenant, store, call.id, OutreachResult::Machine).await?;
    if let Err(error) = control.hang_up(sid).await {
        tracing::warn!(reason = error.reason(), "a machine could not be hung up on");
    }
    Ok(())
}

/// Progress of the call, and whether a machine answered: to that one no more is said than a message.
///
/// # Errors
/// As [`answer`].
pub async fn status(
    State(app): State<Arc<App>>,
    names: Names,
    request: Request,
) -> Result<Response, ApiError> {
    let told = told(&app, names, request).await?;
    let Told { tenant, store, attempt, callback, .. } = &told;
    let sid = call_sid(callback)?;
    let who = callback.answered_by;
    if let (Some(who), Some(live)) = (who, app.live.find(attempt.id)) {
        *live.answered_by.lock() = Some(who);
    }
    let machine = who == Some(Answerer::Machine);
    let news = OutreachNews { stage: None, carrier_sid: Some(sid.clone()), machine };
    let Some(attempt) = store.note_outreach(attempt.id, news).await? else {
        return Ok(nothing());
    };
    if machine && attempt.stage < OutreachStage::Connected {
        met_machine(&app, &told, &sid).await?;
    }
    // What tells who answered may come without a status.
    let Ok(progress) = &callback.progress else {
        return Ok(nothing());
    };
    let unsure = progress.status == CallProgress::Completed && attempt.stage < OutreachStage::Connected;
    let machine = attempt.machine || (unsure && call_result::is_machine(&app, Some(&sid)).await);
    let attempt = Attempt { machine, ..attempt };
    // The conversation may have ended as something since the call was read.
    let ended = store.call(attempt.id).await?.and_then(|call| call.end_reason);
    if let Some(result) = outreach::result_of(&attempt, ended.as_deref(), progress.status) {
        outreach::end(&app, *tenant, store, attempt.id, result).await?;
    }
    Ok(nothing())
}
