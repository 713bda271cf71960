//! `POST /v1/validate`: an output judged against its schema, rules, record, question, sources and criteria. Nothing of it
//! is kept or logged.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use governance::judge::{
    Meanings, Means, Sights, ValidationRequest, ValidationResult, ValidationType, sentences as sentences_of,
    sentences_to_see, validate,
};
use governance::meaning::Meaning;
use knowledge::{Seen, cosine};
use serde_json::Value;
use tokio::time::timeout;

use crate::app::App;
use crate::auth::{CheckText, Scoped};
use crate::demo;
use crate::error::{ApiError, ErrorCode, JsonBody};

/// Largest body, in bytes. The judge bounds each part of it below this.
pub const MAX_BODY: usize = 512 * 1024;
/// Outputs that are judged at a time: one core at most stays away from the calls.
pub const AT_ONCE: usize = 2;
/// How long a request waits for its place.
const PATIENCE: Duration = Duration::from_secs(1);
/// Characters of question and answer that are compared in meaning: what the model reads.
const COMPARED: usize = 1_000;
/// Sentences of an output of which it is read what they promise.
const MEANT: usize = 64;

/// The handler.
pub async fn handle(
    State(app): State<Arc<App>>,
    scope: Scoped<CheckText>,
    JsonBody(asked): JsonBody<ValidationRequest>,
) -> Result<Json<ValidationResult>, ApiError> {
    let checks = asked.checks().map_err(refused)?;
    let Ok(Ok(place)) = timeout(PATIENCE, app.judging.clone().acquire_owned()).await else {
        return Err(ApiError::new(
            ErrorCode::RateLimited,
            format!("{AT_ONCE} outputs are being judged already"),
        )
        .advise("try again in some seconds"));
    };
    let likeness =
        if checks.contains(&ValidationType::Semantic) { likeness(&app, &asked).await } else { None };
    let facts =
        demo::facts(&app.platform, &scope.tenant).await.map_err(|error| ApiError::internal(&error))?;
    let rules =
        demo::rules_in_force(&scope.store, &facts).await.map_err(|error| ApiError::internal(&error))?;
    let meanings =
        if checks.contains(&ValidationType::Execution) { meanings(&app, &asked).await } else { None };
    let sights = if checks.contains(&ValidationType::Facts) { sights(&app, &asked).await } else { None };
    let judged = move || {
        let (meanings, sights) = (meanings.as_ref(), sights.as_ref());
        let result = validate(&asked, Means { rules: &rules, likeness, meanings, sights });
        drop(place);
        result
    };
    let result = tokio::task::spawn_blocking(judged).await.map_err(|error| ApiError::internal(&error))?;
    Ok(Json(result.map_err(refused)?))
}

fn refused(error: governance::judge::RequestError) -> ApiError {
    ApiError::invalid(error.parameter, error.what)
}

/// What the encoder sees of output and sources, where there is one and they are not long.
async fn sights(app: &App, asked: &ValidationRequest) -> Option<Sights> {
    let embedder = app.ready.get().and_then(|ready| ready.providers.retriever.embedder())?;
    timeout(PATIENCE, embedder.sights(sentences_to_see(asked))).await.ok()?
}

/// What the sentences of the output mean: a promise is known in any words, and by its words alone where there is no encoder.
async fn meanings(app: &App, asked: &ValidationRequest) -> Option<Meanings> {
    let meaning = Meaning::shipped().ok()?;
    let mut sentences = sentences_of(asked.output.as_str()?);
    sentences.truncate(MEANT);
    let seen = match app.ready.get().and_then(|ready| ready.providers.retriever.embedder()) {
        Some(embedder) => timeout(PATIENCE, embedder.see_all(&sentences)).await.unwrap_or_default(),
        None => Vec::new(),
    };
    let read = |(n, sentence): (usize, String)| {
        let meant = meaning.read(&sentence, seen.get(n).map(Seen::to_read))?;
        Some((sentence, meant))
    };
    Some(sentences.into_iter().enumerate().filter_map(read).collect())
}

/// How alike question and answer are in meaning, where a model says so in time.
async fn likeness(app: &App, asked: &ValidationRequest) -> Option<f32> {
    let embedder = app.ready.get()?.providers.retriever.embedder()?;
    let cut = |text: &str| -> String { text.chars().take(COMPARED).collect() };
    let question = asked.context.get("question").and_then(Value::as_str)?;
    let answer = asked.output.as_str()?;
    let question = embedder.live(&cut(question)).await?;
    let answer = embedder.live(&cut(answer)).await?;
    Some(cosine(&question, &answer))
}
