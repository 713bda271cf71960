//! `/voice` of a carrier: a call arrives. Answered with the address of our media stream, or with words.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use storage::zones::{CallerNumber, normalise_phone};
use storage::{CallId, Calls, Directory, Line, PassportId, StorageError};
use telephony::call_status::VoiceRequest;
use telephony::document::{Document, StreamInvitation};
use telephony::error::TokenError;

use super::request::{document, read};
use super::resume;
use crate::app::App;
use crate::calls::answered::Doubt;
use crate::calls::handshake::TOKEN_PARAMETER;
use crate::calls::pending_streams::{Arrival, NamedBy};
use crate::error::{ApiError, ErrorCode};
use crate::providers::notices::BUSY_MESSAGE;
use crate::telemetry::metrics;

/// How long a caller may ring while the engines load; the carrier gives up after 15 s.
const WARM_UP: Duration = Duration::from_secs(8);
const LANGUAGE: &str = "en-US";

const NOT_IN_SERVICE: &str = "We're sorry. The number you have called is not in service here. \
    Please check the number and call again. If this is an emergency, hang up and dial 911. Goodbye.";
pub(super) const OUT_OF_ORDER: &str = "We're sorry. We cannot take your call because of a technical fault. \
    Please call again in a few minutes. If this is an emergency, hang up and dial 911. Goodbye.";

/// What becomes of a call that arrives.
enum Verdict {
    Connect {
        token: String,
    },
    Say(&'static str),
    Reject,
    /// The call is over: a webhook of it that comes again begins nothing.
    Over,
}

/// The handler, for POST and GET.
pub async fn handle(State(app): State<Arc<App>>, request: Request) -> Response {
    let callback = match read(&app, request).await {
        Ok(callback) => callback,
        Err(refusal) => return refusal.into_response(),
    };
    let asked = match callback.voice {
        Ok(asked) => asked,
        Err(e) => return ApiError::new(ErrorCode::MissingParameter, e.to_string()).into_response(),
    };
    let verdict = decide(&app, asked).await.unwrap_or_else(|e| {
        tracing::error!(error = %e, "a call could not be answered");
        metrics::refused("failed");
        Verdict::Say(OUT_OF_ORDER)
    });
    answer(&app, verdict)
}

fn answer(app: &App, verdict: Verdict) -> Response {
    match verdict {
        Verdict::Say(text) => document(app, &Document::say_and_hang_up(text, LANGUAGE)),
        Verdict::Reject => document(app, &Document::RejectBusy),
        Verdict::Over => document(app, &Document::HangUp),
        Verdict::Connect { token } => connect(app, &token),
    }
}

/// Connects a call to its media stream, which proves itself by the token.
#[must_use]
pub fn connect(app: &App, token: &str) -> Response {
    let invitation = StreamInvitation {
        stream_url: &app.public_url.join_ws(app.paths.media),
        after_url: &app.public_url.join(app.paths.resume),
        status_url: None,
        parameters: &[(TOKEN_PARAMETER, token)],
    };
    document(app, &Document::Connect(invitation))
}

async fn decide(app: &Arc<App>, asked: VoiceRequest) -> Result<Verdict, StorageError> {
    let Some(line) = find_line(app, &asked.to).await? else {
        metrics::refused("unknown_number");
        tracing::warn!("a number that is no line of ours was called");
        return Ok(Verdict::Say(NOT_IN_SERVICE));
    };
    // Those who withhold their number are not one caller who calls too often.
    if let Some(caller) = caller(&asked)
        && !app.numbers.allows(caller.as_str(), Instant::now())
    {
        metrics::refused("rate_limited");
        tracing::warn!(line = %line.number, "one number calls too often");
        return Ok(Verdict::Reject);
    }
    if !app.gates.call_arrives(line.tenant_id) {
        metrics::refused("tenant_rate_limited");
        tracing::warn!(line = %line.number, "more calls of one tenant arrive than it may have in a minute");
        return Ok(Verdict::Say(BUSY_MESSAGE));
    }
    if !wait_ready(app).await {
        metrics::refused("not_ready");
        return Ok(Verdict::Say(OUT_OF_ORDER));
    }
    if app.capacity.is_exhausted() {
        metrics::refused("full");
        return Ok(Verdict::Say(BUSY_MESSAGE));
    }
    let Some(arrival) = arrival(app, line, asked).await? else {
        metrics::refused("call_is_over");
        tracing::warn!("a webhook of a call that is over came again");
        return Ok(Verdict::Over);
    };
    Ok(expect(app, arrival).map_or(Verdict::Say(OUT_OF_ORDER), |token| Verdict::Connect { token }))
}

/// Who calls, for everything behind this line: the one place where a number that was withheld is told from one.
fn caller(asked: &VoiceRequest) -> Option<CallerNumber> {
    asked.from.as_deref().and_then(CallerNumber::of)
}

async fn find_line(app: &App, number: &str) -> Result<Option<Line>, StorageError> {
    match normalise_phone(number) {
        Some(number) => app.platform.store().line(&number).await,
        None => Ok(None),
    }
}

pub(super) async fn wait_ready(app: &App) -> bool {
    let deadline = Instant::now() + WARM_UP;
    while app.ready.get().is_none() && Instant::now() < deadline && !app.stop.draining.is_cancelled() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    app.is_ready()
}

/// Awaits the call's stream and gives its token. A call that is known keeps its record: carriers repeat webhooks.
fn expect(app: &App, arrival: Arrival) -> Option<String> {
    let id = arrival.id;
    match app.expected.expect(arrival) {
        Ok(token) => {
            tracing::info!(call_id = %id, "a call arrived");
            Some(token)
        }
        Err(e) => no_token(e),
    }
}

fn no_token(error: TokenError) -> Option<String> {
    metrics::refused(error.reason());
    tracing::error!(%error, "no stream token could be issued");
    None
}

/// `None` for a call that has ended: its signed webhook, kept by somebody, must not open it again.
async fn arrival(app: &App, line: Line, asked: VoiceRequest) -> Result<Option<Arrival>, StorageError> {
    let caller = caller(&asked);
    let VoiceRequest { call_sid: carrier_sid, account_sid, .. } = asked;
    let awaited = app.expected.by_carrier_sid(&carrier_sid);
    let known = awaited.as_ref().map(|call| (call.id, call.passport, call.resumes));
    let (id, passport, resumes) = match known {
        Some(known) if awaited.as_ref().is_some_and(|call| !call.has_begun()) => known,
        known => {
            let stored = app.platform.tenant(line.tenant_id).await?.call_by_carrier_sid(&carrier_sid).await?;
            match stored {
                None => known.unwrap_or_else(|| (CallId::new(), PassportId::new(), false)),
                Some(call) if !resume::is_open(&call) => return Ok(None),
                Some(call) => {
                    known.unwrap_or((call.id, call.passport_id.unwrap_or_else(PassportId::new), true))
                }
            }
        }
    };
    let named_by = NamedBy::Carrier;
    Ok(Some(Arrival {
        id,
        line,
        caller,
        named_by,
        carrier_sid,
        account_sid,
        passport,
        resumes,
        outbound: None,
        doubt: Doubt::None,
        returned: None,
    }))
}

/// What a browser phone calls: same line, same record, no carrier account.
pub async fn phone_arrival(app: &App, number: &str) -> Result<Option<Line>, ApiError> {
    if app.capacity.is_exhausted() {
        metrics::refused("full");
        return Err(ApiError::new(ErrorCode::ServiceUnavailable, "all lines are busy")
            .with_status(StatusCode::SERVICE_UNAVAILABLE)
            .advise("try again when a call has ended"));
    }
    Ok(find_line(app, number).await?)
}
