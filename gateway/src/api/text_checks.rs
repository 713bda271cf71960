//! `POST /v1/safety/check` and `POST /v1/guard/sanitize`: what is personal, secret or forbidden in a text, and what in
//! it tries to steer a model. Nothing of a text is kept or logged.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use governance::guard::{Guard, SanitizeRequest, SanitizedInput};
use governance::pii::api::{SafetyRequest, SafetyResult};
use governance::pii::{Guardian, Settings, api};

use crate::app::App;
use crate::auth::{CheckText, Scoped};
use crate::demo;
use crate::error::{ApiError, JsonBody};

/// Largest body, in bytes: a text of this size takes some tenths of a second.
pub const MAX_BODY: usize = 1024 * 1024;
/// Bytes of a text from which it is checked beside the calls' tasks: shorter ones take a millisecond at most.
const LONG: usize = 16 * 1024;

/// `POST /v1/safety/check`. What the tenant publishes in its facts and on its pages is not personal.
pub async fn safety_check(
    State(app): State<Arc<App>>,
    scope: Scoped<CheckText>,
    JsonBody(asked): JsonBody<SafetyRequest>,
) -> Result<Json<SafetyResult>, ApiError> {
    let facts =
        demo::facts(&app.platform, &scope.tenant).await.map_err(|error| ApiError::internal(&error))?;
    let mut settings = Settings::default();
    let public = match app.ready.get() {
        Some(ready) => facts.public().with_pages(ready.providers.retriever.public(scope.tenant.id.0)),
        None => facts.public(),
    };
    settings.public = Arc::new(public);
    let bytes = asked.text.len();
    Ok(Json(beside(bytes, move || api::check(&Guardian::new(), &settings, &asked)).await?))
}

/// `POST /v1/guard/sanitize`.
pub async fn sanitize(
    _scope: Scoped<CheckText>,
    JsonBody(asked): JsonBody<SanitizeRequest>,
) -> Result<Json<SanitizedInput>, ApiError> {
    let guard = Guard::shipped().map_err(|error| ApiError::internal(&error))?;
    let bytes = asked.text.len();
    Ok(Json(beside(bytes, move || guard.sanitize(asked)).await?))
}

/// Runs a check; a long one where it holds up no call.
async fn beside<T: Send + 'static>(
    bytes: usize,
    check: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    if bytes < LONG {
        return Ok(check());
    }
    tokio::task::spawn_blocking(check).await.map_err(|error| ApiError::internal(&error))
}
