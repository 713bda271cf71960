//! `POST /v1/understand`: what the line would take words for. Nothing of them is kept or logged.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use dialogue::understanding::api::{Reader, Refused, UnderstandAnswer, UnderstandRequest};
use governance::safety::Settings;
use tokio::sync::OnceCell;

use crate::app::App;
use crate::auth::{CheckText, Scoped};
use crate::demo;
use crate::error::{ApiError, JsonBody};

/// Largest body, in bytes.
pub const MAX_BODY: usize = 32 * 1024;

/// What understands, made at the first request: with the sentence encoder once the engines are up, by words alone before.
#[derive(Debug, Default)]
pub struct Readers {
    warm: OnceCell<Reader>,
    cold: OnceCell<Reader>,
}

impl Readers {
    async fn reader(&self, app: &App) -> Result<&Reader, ApiError> {
        let made = match app.ready.get() {
            Some(ready) => {
                let embedder = || ready.providers.retriever.embedder().cloned();
                self.warm.get_or_try_init(|| Reader::new(embedder())).await
            }
            None => self.cold.get_or_try_init(|| Reader::new(None)).await,
        };
        made.map_err(|error| ApiError::internal(&error))
    }
}

/// The handler. What the tenant publishes in its facts is no value of a caller.
pub async fn handle(
    State(app): State<Arc<App>>,
    scope: Scoped<CheckText>,
    JsonBody(asked): JsonBody<UnderstandRequest>,
) -> Result<Json<UnderstandAnswer>, ApiError> {
    let facts =
        demo::facts(&app.platform, &scope.tenant).await.map_err(|error| ApiError::internal(&error))?;
    let mut settings = Settings::default();
    settings.public = Arc::new(facts.public());
    let answer = app.understanding.reader(&app).await?.read(&asked, &settings).await;
    answer.map(Json).map_err(|Refused { parameter, what }| ApiError::invalid(parameter, what))
}
