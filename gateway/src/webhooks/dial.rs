//! `/dial/…` of a carrier: what the carrier asks and tells of a call that a person had placed about a request.
//!
//! Answers come late, twice, or out of order: each handler takes the call as it stands in the database, and no news leads back.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use storage::dials::{Dial, DialNews, DialResult, DialStage};
use storage::{DialId, Dials, TenantId, TenantStore, WorkItems};
use telephony::call_status::{Answerer, CallProgress, Callback};
use telephony::document::{Dial as DialOrder, Document, Say};

use super::request::{About, Names, call_sid, document, malformed, nothing, unknown, url};
use crate::app::App;
use crate::dialing::{call_result, click_to_call};
use crate::error::ApiError;

const LANGUAGE: &str = "en-US";
/// The key by which a person shows that they are one, and ready: no voice mail presses it.
const READY: &str = "1";

/// A webhook that was checked, and the call that it is about.
struct Told {
    tenant: TenantId,
    store: TenantStore,
    dial: Dial,
    callback: Callback,
}

async fn told(app: &Arc<App>, names: Names, request: Request) -> Result<Told, ApiError> {
    let About { store, id, callback } = About::<DialId>::read(app, names, request).await?;
    let dial = store.dial(id).await?.ok_or_else(unknown)?;
    Ok(Told { tenant: store.id(), store, dial, callback })
}

/// The person's own telephone was answered: a key shows that it is they.
///
/// # Errors
/// 403 for who is not the carrier, 404 for an unknown call.
pub async fn answer(
    State(app): State<Arc<App>>,
    names: Names,
    request: Request,
) -> Result<Response, ApiError> {
    let told = told(&app, names, request).await?;
    if told.dial.stage == DialStage::Ended {
        return Ok(document(&app, &Document::HangUp));
    }
    let sid = call_sid(&told.callback)?;
    let news = DialNews { stage: Some(DialStage::Ringing), carrier_sid: Some(sid), ..DialNews::default() };
    told.store.note_dial(told.dial.id, news).await?;
    let item = told.store.work_item_by_id(told.dial.item).await?;
    let reference = item.map(|item| spelled(&item.reference)).unwrap_or_default();
    let text = format!("This is your own line. To call back about request {reference}, press 1.");
    let next = url(&app, app.paths.dial_key, told.tenant, told.dial.id);
    let say = Say { text: &text, language: LANGUAGE };
    Ok(document(&app, &Document::AskForKey { say, action_url: &next }))
}

/// They pressed a key: the request's number is dialled.
///
/// # Errors
/// As [`answer`].
pub async fn key(State(app): State<Arc<App>>, names: Names, request: Request) -> Result<Response, ApiError> {
    let Told { tenant, store, dial, callback } = told(&app, names, request).await?;
    if dial.stage == DialStage::Ended || callback.keys.as_deref() != Some(READY) {
        return Ok(document(&app, &Document::HangUp));
    }
    let Some(number) = click_to_call::go_on(&app, &store, &dial).await? else {
        call_result::end(&app, tenant, &store, &dial, DialResult::NotBegun).await?;
        let text = "This number may not be called now. The request says more.";
        return Ok(document(&app, &Document::say_and_hang_up(text, LANGUAGE)));
    };
    let (done, dialled) =
        (url(&app, app.paths.dial_done, tenant, dial.id), url(&app, app.paths.dial_dialled, tenant, dial.id));
    let order = DialOrder {
        first: None,
        number: number.as_str(),
        caller_id: &dial.line,
        action_url: &done,
        status_url: Some(&dialled),
        detect_url: Some(&dialled),
        ring_s: u16::try_from(click_to_call::RING.as_secs()).unwrap_or(35),
        limit_s: u32::try_from(click_to_call::LIMIT.as_secs()).unwrap_or(7_200),
    };
    Ok(document(&app, &Document::Dial(order)))
}

/// Dialling is over: the person hears what came of it.
///
/// # Errors
/// As [`answer`].
pub async fn done(State(app): State<Arc<App>>, names: Names, request: Request) -> Result<Response, ApiError> {
    let Told { tenant, store, dial, callback } = told(&app, names, request).await?;
    let came = callback.dialled.clone().map_err(|e| malformed(&e))?;
    call_result::dialled(&app, (tenant, &store), &dial, came.status, came.call_sid.as_deref()).await?;
    let text = match came.status {
        CallProgress::Busy => "The line is busy. It is noted in the request.",
        CallProgress::NoAnswer => "Nobody answered. It is noted in the request.",
        CallProgress::Failed => "The call could not be put through. It is noted in the request.",
        _ => return Ok(document(&app, &Document::HangUp)),
    };
    Ok(document(&app, &Document::say_and_hang_up(text, LANGUAGE)))
}

/// Progress of the call to the person's own telephone. Once the other number is dialled, that one's end tells what came of it.
///
/// # Errors
/// As [`answer`].
pub async fn status(
    State(app): State<Arc<App>>,
    names: Names,
    request: Request,
) -> Result<Response, ApiError> {
    let Told { tenant, store, dial, callback } = told(&app, names, request).await?;
    let progress = callback.progress.map_err(|e| malformed(&e))?;
    let stage = (!progress.status.is_final()).then_some(DialStage::Ringing);
    let news = DialNews { stage, carrier_sid: Some(progress.call_sid), ..DialNews::default() };
    let Some(dial) = store.note_dial(dial.id, news).await? else { return Ok(nothing()) };
    if progress.status.is_final() && dial.stage < DialStage::Dialling {
        call_result::end(&app, tenant, &store, &dial, DialResult::NotBegun).await?;
    }
    Ok(nothing())
}

/// Progress of the call to the request's number, and whether a machine answered there.
///
/// # Errors
/// As [`answer`].
pub async fn dialled(
    State(app): State<Arc<App>>,
    names: Names,
    request: Request,
) -> Result<Response, ApiError> {
    let Told { tenant, store, dial, callback } = told(&app, names, request).await?;
    let sid = call_sid(&callback)?;
    let machine = callback.answered_by == Some(Answerer::Machine);
    let news = DialNews {
        stage: Some(DialStage::Dialling),
        dialled_sid: Some(sid.clone()),
        machine,
        ..DialNews::default()
    };
    let Some(dial) = store.note_dial(dial.id, news).await? else { return Ok(nothing()) };
    // What tells who answered may come without a status.
    if let Ok(progress) = callback.progress
        && progress.status.is_final()
    {
        call_result::dialled(&app, (tenant, &store), &dial, progress.status, Some(&sid)).await?;
    }
    Ok(nothing())
}

/// Letter by letter, as a voice can say it.
fn spelled(reference: &str) -> String {
    let letters = reference.chars().filter(|c| c.is_ascii_alphanumeric()).map(String::from);
    letters.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_spelled() {
        assert_eq!(spelled("CBK-4821"), "C B K 4 8 2 1");
    }
}
