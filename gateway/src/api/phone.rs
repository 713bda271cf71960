//! `POST /v1/phone`: lets the browser call a line, over the same protocol as the carrier.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, header};
use serde::{Deserialize, Serialize};
use storage::{CallId, PassportId};
use telephony::token::MAX_LIFE_S;

use crate::app::App;
use crate::auth::{Scoped, UsePhone, origin, secrets};
use crate::calls::answered::Doubt;
use crate::calls::handshake::TOKEN_PARAMETER;
use crate::calls::pending_streams::{Arrival, NamedBy};
use crate::error::{ApiError, ErrorCode, JsonBody};
use crate::webhooks::voice;

/// Path of the phone's media stream.
pub const MEDIA_PATH: &str = "/v1/phone/media";

/// The request.
#[derive(Debug, Deserialize)]
pub struct Dial {
    to: String,
}

/// Where and with what to open the stream.
#[derive(Debug, Serialize)]
pub struct Invitation {
    stream_url: String,
    parameters: Parameters,
    call_id: CallId,
    call_sid: String,
    account_sid: String,
    stream_sid: String,
    expires_in_s: u64,
}

#[derive(Debug, Serialize)]
struct Parameters {
    token: String,
}

/// The handler.
pub async fn dial(
    State(app): State<Arc<App>>,
    scope: Scoped<UsePhone>,
    headers: HeaderMap,
    JsonBody(dial): JsonBody<Dial>,
) -> Result<Json<Invitation>, ApiError> {
    app.engines()?;
    let line = voice::phone_arrival(&app, &dial.to).await?;
    let line =
        line.filter(|line| line.tenant_id == scope.tenant.id).ok_or_else(|| ApiError::not_found("line"))?;
    // The client is its own carrier. These names are on record; its stream may use them or any others.
    let (call_sid, account_sid) = (sid("CA"), sid("AC"));
    let arrival = Arrival {
        id: CallId::new(),
        line,
        caller: None,
        named_by: NamedBy::Gateway,
        carrier_sid: call_sid.clone(),
        account_sid: account_sid.clone(),
        passport: PassportId::new(),
        resumes: false,
        outbound: None,
        doubt: Doubt::None,
        returned: None,
    };
    let call_id = arrival.id;
    let token = app.expected.expect(arrival).map_err(|e| {
        ApiError::new(ErrorCode::ServiceUnavailable, e.to_string()).advise("try again in a minute")
    })?;
    debug_assert_eq!(TOKEN_PARAMETER, "token");
    Ok(Json(Invitation {
        stream_url: stream_url(&app, &headers, call_id),
        parameters: Parameters { token },
        call_id,
        call_sid,
        account_sid,
        stream_sid: sid("MZ"),
        expires_in_s: MAX_LIFE_S,
    }))
}

/// On the origin that the page itself came from, so that it works behind every address of the gateway. It names the
/// call: nobody else's socket gets as far as the handshake.
fn stream_url(app: &App, headers: &HeaderMap, call: CallId) -> String {
    let origin = headers.get(header::ORIGIN).and_then(|v| v.to_str().ok());
    match origin.filter(|_| origin::origin_is_ours(headers, &app.public_url)) {
        Some(origin) => format!("{}{MEDIA_PATH}?call={call}", origin.replacen("http", "ws", 1)),
        None => app.public_url.join_ws(&format!("{MEDIA_PATH}?call={call}")),
    }
}

fn sid(prefix: &str) -> String {
    format!("{prefix}{}", secrets::random_hex(16))
}
