//! `GET/PUT /v1/tenants/{id}/vocabulary`, `/pronunciations` and `/budget`: what a tenant's calls are run with.
//!
//! `{id}` is a tenant's slug or id. A tenant's people manage their own words; its budget is set by the platform.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use storage::{Calls, Settings, TenantId, TenantStore};

use super::calls::usd;
use crate::app::App;
use crate::audit::acts;
use crate::auth::permission::{ManagePlatform, ManageTenant};
use crate::auth::principal::Principal;
use crate::auth::scope::{Allowed, Realm};
use crate::calls::budget::{self, SETTING, TenantBudget};
use crate::calls::vocabulary::{SOUNDS, TERMS};
use crate::config::budget::{MOST_USD, micros};
use crate::error::{ApiError, JsonBody};

/// Recognisers take some hundred terms at most.
const MOST_TERMS: usize = 100;
const MOST_SOUNDS: usize = 500;
/// Characters of a word or a sound.
const LONGEST: usize = 80;

/// Names and words that are easily misheard.
#[derive(Debug, Serialize, Deserialize)]
pub struct Vocabulary {
    vocabulary: Vec<String>,
}

/// Words and how they sound: plain words (`pew-AL-up`), or phonemes between slashes.
#[derive(Debug, Serialize, Deserialize)]
pub struct Pronunciations {
    pronunciations: BTreeMap<String, String>,
}

/// A tenant's own caps, those that hold, and what is spent of the day.
#[derive(Debug, Serialize)]
pub struct BudgetAnswer {
    own: TenantBudget,
    /// US dollars; `null`: no cap.
    call_usd: Option<f64>,
    tenant_day_usd: Option<f64>,
    spent_today_usd: f64,
    /// Midnight UTC.
    day_began_at: DateTime<Utc>,
}

/// `GET /v1/tenants/{id}/vocabulary`.
pub async fn vocabulary(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    Path(id): Path<String>,
) -> Result<Json<Vocabulary>, ApiError> {
    let store = open(&app, &who.principal, &id).await?;
    Ok(Json(Vocabulary { vocabulary: kept(&store, TERMS).await? }))
}

/// `PUT /v1/tenants/{id}/vocabulary`: the whole list; heard from the next call on.
pub async fn put_vocabulary(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    Path(id): Path<String>,
    JsonBody(asked): JsonBody<Vocabulary>,
) -> Result<Json<Vocabulary>, ApiError> {
    let store = open(&app, &who.principal, &id).await?;
    if asked.vocabulary.len() > MOST_TERMS {
        return Err(ApiError::invalid("vocabulary", format_args!("holds more than {MOST_TERMS} terms")));
    }
    let mut vocabulary: Vec<String> = Vec::new();
    for term in &asked.vocabulary {
        let term = plain("vocabulary", term)?;
        if !vocabulary.contains(&term) {
            vocabulary.push(term);
        }
    }
    store.put_setting(TERMS, &json!(vocabulary)).await?;
    changed(&app, &who.principal, store.id(), TERMS).await?;
    Ok(Json(Vocabulary { vocabulary }))
}

/// `GET /v1/tenants/{id}/pronunciations`.
pub async fn pronunciations(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    Path(id): Path<String>,
) -> Result<Json<Pronunciations>, ApiError> {
    let store = open(&app, &who.principal, &id).await?;
    Ok(Json(Pronunciations { pronunciations: kept(&store, SOUNDS).await? }))
}

/// `PUT /v1/tenants/{id}/pronunciations`: all of them; spoken from the next call on. What every call hears is rendered
/// with them in the background.
pub async fn put_pronunciations(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    Path(id): Path<String>,
    JsonBody(asked): JsonBody<Pronunciations>,
) -> Result<Json<Pronunciations>, ApiError> {
    let store = open(&app, &who.principal, &id).await?;
    if asked.pronunciations.len() > MOST_SOUNDS {
        return Err(ApiError::invalid("pronunciations", format_args!("holds more than {MOST_SOUNDS} words")));
    }
    let mut pronunciations = BTreeMap::new();
    for (word, sound) in &asked.pronunciations {
        pronunciations.insert(plain("pronunciations", word)?, plain("pronunciations", sound)?);
    }
    store.put_setting(SOUNDS, &json!(pronunciations)).await?;
    changed(&app, &who.principal, store.id(), SOUNDS).await?;
    if let Some(ready) = app.ready.get() {
        (ready.lineup.renew)(store.id(), &app.vocabularies.of(&store).await.lexicon);
    }
    Ok(Json(Pronunciations { pronunciations }))
}

/// `GET /v1/tenants/{id}/budget`.
pub async fn budget(
    State(app): State<Arc<App>>,
    who: Allowed<ManageTenant>,
    Path(id): Path<String>,
) -> Result<Json<BudgetAnswer>, ApiError> {
    let store = open(&app, &who.principal, &id).await?;
    Ok(Json(budget_answer(&app, &store).await?))
}

/// `PUT /v1/tenants/{id}/budget`: a cap that is left out is the operator's.
pub async fn put_budget(
    State(app): State<Arc<App>>,
    who: Allowed<ManagePlatform>,
    Path(id): Path<String>,
    JsonBody(asked): JsonBody<TenantBudget>,
) -> Result<Json<BudgetAnswer>, ApiError> {
    let store = open(&app, &who.principal, &id).await?;
    for (name, cap) in [("call_usd", asked.call_usd), ("tenant_day_usd", asked.tenant_day_usd)] {
        if cap.is_some_and(|usd| micros(usd).is_none()) {
            return Err(ApiError::invalid(name, format_args!("must be above 0 and at most {MOST_USD}")));
        }
    }
    store.put_setting(SETTING, &json!(asked)).await?;
    changed(&app, &who.principal, store.id(), SETTING).await?;
    Ok(Json(budget_answer(&app, &store).await?))
}

async fn budget_answer(app: &App, store: &TenantStore) -> Result<BudgetAnswer, ApiError> {
    let own = budget::own(store).await?;
    let holds = own.over(app.config.budget);
    let day_began_at = budget::day_began(Utc::now());
    Ok(BudgetAnswer {
        own,
        call_usd: holds.call_micros.map(usd),
        tenant_day_usd: holds.tenant_day_micros.map(usd),
        spent_today_usd: usd(store.spent_since(day_began_at).await?),
        day_began_at,
    })
}

/// The store of a tenant that this principal manages. Another's tenant does not exist for them.
async fn open(app: &App, principal: &Principal, id: &str) -> Result<TenantStore, ApiError> {
    let realm = Realm::of(app, principal, Some(id)).await?;
    let tenant = realm.tenant.ok_or_else(|| ApiError::not_found("tenant"))?;
    Ok(app.platform.tenant(tenant).await?)
}

async fn kept<T: Default + serde::de::DeserializeOwned>(
    store: &TenantStore,
    name: &str,
) -> Result<T, ApiError> {
    let value = store.setting(name).await?;
    Ok(value.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
}

async fn changed(app: &App, by: &Principal, tenant: TenantId, what: &'static str) -> Result<(), ApiError> {
    app.vocabularies.changed(tenant);
    app.audit.record(Some(tenant), acts::setting_changed(by, what)).await?;
    tracing::info!(audit = "tenant.settings", setting = what, %tenant, by = %by.subject, "a tenant's setting was changed");
    Ok(())
}

/// Words without control characters, with single spaces.
fn plain(parameter: &'static str, text: &str) -> Result<String, ApiError> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() || text.chars().count() > LONGEST {
        return Err(ApiError::invalid(
            parameter,
            format_args!("holds a word that is empty or longer than {LONGEST} characters"),
        ));
    }
    if text.chars().any(char::is_control) {
        return Err(ApiError::invalid(parameter, "holds a control character"));
    }
    Ok(text)
}
