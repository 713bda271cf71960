//! Reads a webhook: checks where it comes from, and gives its fields and what its address names.

use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;

use axum::body::to_bytes;
use axum::extract::{Path, Request};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use storage::{TenantId, TenantStore};
use telephony::call_status::Callback;
use telephony::carrier::RequestBody;
use telephony::document::Document;
use telephony::error::StatusError;

use super::authenticity::{self, Seen};
use crate::app::App;
use crate::error::{ApiError, ErrorCode};

/// Largest body of a webhook; the carrier's have some kilobytes.
const MAX_BODY: usize = 64 * 1024;

/// Reads a POST's form or a GET's query, and refuses what is not the carrier's.
pub async fn read(app: &Arc<App>, request: Request) -> Result<Callback, ApiError> {
    let (parts, body) = request.into_parts();
    let seen = Seen { uri: &parts.uri, headers: &parts.headers, extensions: &parts.extensions };
    if parts.method == Method::GET {
        authenticity::check(app, seen, RequestBody::Empty)?;
        return decode(parts.uri.query().unwrap_or_default().as_bytes())
            .map(|fields| app.carrier.read(&fields));
    }
    let body = to_bytes(body, MAX_BODY).await.map_err(|_| {
        ApiError::new(ErrorCode::InvalidRequest, "the body is larger than 64 KiB")
            .with_status(StatusCode::PAYLOAD_TOO_LARGE)
    })?;
    let fields = decode(&body)?;
    authenticity::check(app, seen, RequestBody::Form { fields: &fields, raw: &body })?;
    Ok(app.carrier.read(&fields))
}

fn decode(form: &[u8]) -> Result<Vec<(String, String)>, ApiError> {
    serde_urlencoded::from_bytes(form).map_err(|_| {
        ApiError::new(ErrorCode::InvalidRequest, "the body is not a form").advise("send it urlencoded")
    })
}

/// The carrier's id of the call that a webhook is about.
///
/// # Errors
/// 400 without it.
pub fn call_sid(callback: &Callback) -> Result<String, ApiError> {
    callback.call_sid.clone().map_err(|error| malformed(&error))
}

/// What the address of a webhook names: a tenant, and a call of it.
pub type Names = Path<(String, String)>;

/// A webhook that was checked, and what it is about.
#[derive(Debug)]
pub struct About<Id> {
    pub store: TenantStore,
    pub id: Id,
    pub callback: Callback,
}

impl<Id: FromStr> About<Id> {
    /// Reads as [`read`] does. Whether there is such a call is for the caller to see.
    pub async fn read(app: &Arc<App>, Path((tenant, id)): Names, request: Request) -> Result<Self, ApiError> {
        let callback = read(app, request).await?;
        let tenant: TenantId = tenant.parse().map_err(|_| unknown())?;
        let id = id.parse().map_err(|_| unknown())?;
        Ok(Self { store: app.platform.tenant(tenant).await?, id, callback })
    }
}

/// The address of a webhook about a call: the names in braces are written out.
#[must_use]
pub fn url(app: &App, path: &str, tenant: TenantId, call: impl Display) -> String {
    let call = call.to_string();
    app.public_url
        .join(&path.replace("{tenant}", &tenant.to_string()).replace("{call}", &call).replace("{id}", &call))
}

/// The address names no call of ours.
#[must_use]
pub fn unknown() -> ApiError {
    ApiError::not_found("call")
}

/// A field is missing, or is not as the carrier writes it.
#[must_use]
pub fn malformed(error: &StatusError) -> ApiError {
    ApiError::new(ErrorCode::InvalidParameter, error.to_string())
}

/// Told; there is nothing to say to it.
#[must_use]
pub fn nothing() -> Response {
    StatusCode::NO_CONTENT.into_response()
}

/// A document for the carrier.
#[must_use]
pub fn document(app: &App, document: &Document<'_>) -> Response {
    let rendered = app.carrier.render(document);
    ([(header::CONTENT_TYPE, rendered.content_type)], rendered.body).into_response()
}
