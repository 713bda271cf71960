//! `POST /v1/understand`: what the line would take words for. Nothing of them is kept or logged.

use std::collections::HashMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use dialogue::understanding::api::{Reader, Refused, UnderstandAnswer, UnderstandRequest};
use governance::pii::Settings;
use parking_lot::Mutex;
use storage::TenantId;
use tokio::sync::OnceCell;
use work::department::{self, Department};
use work::office::Near;

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
    /// Of tenants whose teams have examples of their own, with the stamp of the teams that they were made of.
    own: Mutex<HashMap<TenantId, (i64, Arc<Reader>)>>,
}

/// A probability from which words are taken for a team's.
const NEAR: f32 = 0.6;

impl Readers {
    /// With the routes to a tenant's own teams. `None`: no team of it has examples.
    pub async fn of_teams(
        &self,
        app: &App,
        tenant: TenantId,
        department: &Department,
    ) -> Result<Option<Arc<Reader>>, ApiError> {
        let routes = department.routes();
        if routes.is_empty() {
            return Ok(None);
        }
        let known = self.own.lock().get(&tenant).filter(|(stamp, _)| *stamp == department.stamp).cloned();
        if let Some((_, reader)) = known {
            return Ok(Some(reader));
        }
        let reader = self.reader(app).await?.extended(&routes).await;
        let reader = Arc::new(reader.map_err(|error| ApiError::internal(&error))?);
        // Before the engines are up it knows no examples: it is made again then.
        if app.ready.get().is_some() {
            self.own.lock().insert(tenant, (department.stamp, Arc::clone(&reader)));
        }
        Ok(Some(reader))
    }

    /// Tells the back office which team words are for, by the examples. `None`: no team has any.
    pub fn near(&self, app: &Arc<App>, tenant: TenantId, department: &Arc<Department>) -> Option<Near> {
        if department.routes().is_empty() {
            return None;
        }
        let (app, department) = (Arc::clone(app), Arc::clone(department));
        Some(Arc::new(move |words: String| {
            let (app, department) = (Arc::clone(&app), Arc::clone(&department));
            Box::pin(async move {
                let reader = app.understanding.of_teams(&app, tenant, &department).await.ok().flatten()?;
                near(&reader.want(&words).await.0)
            })
        }))
    }

    /// What ships, without a tenant's own.
    pub async fn reader(&self, app: &App) -> Result<&Reader, ApiError> {
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

/// The team that is wanted, surely enough.
pub fn near(want: &Option<(String, f32)>) -> Option<String> {
    let (route, score) = want.as_ref()?;
    Department::team_of(route).filter(|_| *score >= NEAR).map(str::to_owned)
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
    let department = department::of(&scope.store).await.map_err(|error| ApiError::internal(&error))?;
    let own = app.understanding.of_teams(&app, scope.tenant.id, &department).await?;
    let answer = match &own {
        Some(reader) => reader.read(&asked, &settings).await,
        None => app.understanding.reader(&app).await?.read(&asked, &settings).await,
    };
    answer.map(Json).map_err(|Refused { parameter, what }| ApiError::invalid(parameter, what))
}
