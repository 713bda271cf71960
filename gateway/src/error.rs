//! The one error shape of the HTTP API, with the standard codes.

use std::fmt;

use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Form, Json};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use work::contracts::ErrorCode;

/// An answer that is not the one hoped for. Its text is safe to show: no caller text, no secrets.
#[derive(Clone, Debug)]
pub struct ApiError {
    status: StatusCode,
    code: ErrorCode,
    message: String,
    details: Option<Value>,
    action: Option<String>,
    retry_after_s: Option<u64>,
}

#[derive(Serialize)]
struct Body<'a> {
    error_code: ErrorCode,
    error_message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_details: Option<&'a Value>,
    recoverable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggested_action: Option<&'a str>,
}

impl ApiError {
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let status = StatusCode::from_u16(code.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self { status, code, message: message.into(), details: None, action: None, retry_after_s: None }
    }

    /// What the caller can do about it.
    #[must_use]
    pub fn advise(mut self, action: impl Into<String>) -> Self {
        self.action = Some(action.into());
        self
    }

    /// When it makes sense to try again, seconds from now: a header of the answer.
    #[must_use]
    pub const fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after_s = Some(seconds);
        self
    }

    /// Facts for a program.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    /// The same error under a more precise HTTP status.
    #[must_use]
    pub const fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    #[must_use]
    pub fn not_found(what: &str) -> Self {
        Self::new(ErrorCode::NotFound, format!("there is no such {what}"))
    }

    #[must_use]
    pub fn invalid(parameter: &str, what: impl fmt::Display) -> Self {
        Self::new(ErrorCode::InvalidParameter, format!("{parameter} {what}"))
            .with_details(serde_json::json!({ "parameter": parameter }))
    }

    #[must_use]
    pub fn unauthorized() -> Self {
        Self::new(ErrorCode::Unauthorized, "no valid token or session came with the request")
            .advise("send `Authorization: Bearer <token>`, or open /sign-in in the browser")
    }

    #[must_use]
    pub fn forbidden(why: impl Into<String>) -> Self {
        Self::new(ErrorCode::Forbidden, why)
    }

    /// A part of ours failed. The cause goes to the log, not to the client.
    #[must_use]
    pub fn internal(cause: &dyn fmt::Display) -> Self {
        tracing::error!(error = %cause, "request failed");
        Self::new(ErrorCode::InternalError, "the gateway could not do this")
            .advise("try again; the log has the cause")
    }

    /// What can be done about it, where that is known.
    #[must_use]
    pub fn action(&self) -> Option<&str> {
        self.action.as_deref()
    }

    #[must_use]
    pub const fn status(&self) -> StatusCode {
        self.status
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ApiError {}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = Body {
            error_code: self.code,
            error_message: &self.message,
            error_details: self.details.as_ref(),
            recoverable: self.code.recoverable(),
            suggested_action: self.action.as_deref(),
        };
        let mut response = (self.status, Json(body)).into_response();
        if let Some(seconds) = self.retry_after_s {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<JsonRejection> for ApiError {
    fn from(rejection: JsonRejection) -> Self {
        let advice = "send a JSON object with content-type application/json";
        Self::new(ErrorCode::InvalidRequest, rejection.body_text())
            .with_status(rejection.status())
            .advise(advice)
    }
}

impl From<WebSocketUpgradeRejection> for ApiError {
    fn from(rejection: WebSocketUpgradeRejection) -> Self {
        let status = rejection.into_response().status();
        Self::new(ErrorCode::InvalidRequest, "this address takes WebSocket connections only")
            .with_status(status)
            .advise("open it with a WebSocket client")
    }
}

impl From<QueryRejection> for ApiError {
    fn from(rejection: QueryRejection) -> Self {
        Self::new(ErrorCode::InvalidParameter, rejection.body_text())
    }
}

/// JSON body whose rejection has the standard shape.
#[derive(Debug)]
pub struct JsonBody<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let Json(value) = Json::from_request(request, state).await?;
        Ok(Self(value))
    }
}

/// Query whose rejection has the standard shape.
#[derive(Debug)]
pub struct QueryOf<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for QueryOf<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let Query(value) = Query::from_request_parts(parts, state).await?;
        Ok(Self(value))
    }
}

/// Form whose rejection has the standard shape.
#[derive(Debug)]
pub struct FormOf<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for FormOf<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        // What it says of a field may hold what was typed.
        let wrong = |_| ApiError::new(ErrorCode::InvalidRequest, "the form lacks a field, or is none");
        let Form(value) = Form::from_request(request, state).await.map_err(wrong)?;
        Ok(Self(value))
    }
}

impl From<storage::StorageError> for ApiError {
    fn from(error: storage::StorageError) -> Self {
        use storage::StorageError as E;
        match &error {
            E::NotFound { what } => Self::not_found(what),
            E::Conflict { expected, found } => Self::new(ErrorCode::Conflict, error.to_string())
                .with_details(serde_json::json!({ "expected_version": expected, "current_version": found }))
                .advise("read it again, then retry"),
            E::Taken { .. } => Self::new(ErrorCode::Conflict, error.to_string()),
            E::Invalid { what } => Self::new(ErrorCode::InvalidRequest, *what),
            E::Busy { .. } | E::Unavailable { .. } | E::DiskFull { .. } | E::ReadOnly { .. } | E::Closing => {
                tracing::error!(%error, "storage does not take the request");
                Self::new(ErrorCode::ServiceUnavailable, "storage does not answer").advise("try again later")
            }
            _ => Self::internal(&error),
        }
    }
}
