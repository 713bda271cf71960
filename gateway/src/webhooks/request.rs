//! Reads a webhook: checks where it comes from, and gives its fields.

use std::sync::Arc;

use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use telephony::carrier::RequestBody;

use super::trust::{self, Seen};
use crate::app::App;
use crate::error::{ApiError, ErrorCode};

/// Largest body of a webhook; the carrier's have some kilobytes.
const MAX_BODY: usize = 64 * 1024;

/// Decoded fields of a webhook that was checked.
pub type Fields = Vec<(String, String)>;

/// Reads the fields of a POST's form or a GET's query, and refuses what is not the carrier's.
pub async fn read(app: &Arc<App>, request: Request) -> Result<Fields, ApiError> {
    let (parts, body) = request.into_parts();
    let seen = Seen { uri: &parts.uri, headers: &parts.headers, extensions: &parts.extensions };
    if parts.method == Method::GET {
        trust::check(app, seen, RequestBody::Empty)?;
        return decode(parts.uri.query().unwrap_or_default().as_bytes());
    }
    let body = to_bytes(body, MAX_BODY).await.map_err(|_| {
        ApiError::new(ErrorCode::InvalidRequest, "the body is larger than 64 KiB")
            .with_status(StatusCode::PAYLOAD_TOO_LARGE)
    })?;
    let fields = decode(&body)?;
    trust::check(app, seen, RequestBody::Form(&fields))?;
    Ok(fields)
}

fn decode(form: &[u8]) -> Result<Fields, ApiError> {
    serde_urlencoded::from_bytes(form).map_err(|_| {
        ApiError::new(ErrorCode::InvalidRequest, "the body is not a form").advise("send it urlencoded")
    })
}

/// A document for the carrier.
#[must_use]
pub fn document(body: String) -> Response {
    ([(header::CONTENT_TYPE, "text/xml; charset=utf-8")], body).into_response()
}
