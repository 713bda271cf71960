//! `/v1/teams`: the teams of a tenant, those that ship and its own; each checked, applied, tried, and gone back to.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::json;
use storage::versions::{Version, VersionKind};
use storage::{StorageError, TenantStore, Versions};
use work::department::{self, MOST_OWN};
use work::placed::Fault;
use work::teams::{Team, Teams};

use super::page::{Page, PageQuery};
use super::tenant_config::{Checked, TOML, is_toml, quicker, refused, wants_toml};
use super::tenant_versions::{VersionItem, numbered};
use crate::app::App;
use crate::audit::acts;
use crate::auth::Scoped;
use crate::auth::permission::{ReadTeams, WriteTeams};
use crate::error::{ApiError, ErrorCode, JsonBody};
use crate::tenant_teams::{self, Held, Source, Tried};

/// Largest body, in bytes: a text of a team as JSON.
pub const MAX_BODY: usize = 256 * 1024;
/// Characters of words that are tried.
const LONGEST: usize = 2_000;
/// What work can be of, as the teams' files name it.
const MATTERS: [&str; 7] =
    ["incident", "inspection", "message", "escalation", "callback", "urgent", "interrupted"];

/// A team in the list.
#[derive(Debug, Serialize)]
pub struct TeamItem {
    id: String,
    name: String,
    purpose: String,
    source: Source,
    /// Of the tenant's own text; 0: it never had one.
    version: u32,
    autonomy: u8,
    specialists: Vec<Member>,
    /// Kinds of work that it takes.
    matters: Vec<String>,
    examples: usize,
}

#[derive(Debug, Serialize)]
struct Member {
    id: String,
    does: String,
}

#[derive(Debug, Serialize)]
pub struct TeamList {
    items: Vec<TeamItem>,
}

/// A team with its text.
#[derive(Debug, Serialize)]
pub struct TeamAnswer {
    id: String,
    source: Source,
    version: u32,
    text: String,
}

/// `GET /v1/teams`.
pub async fn list(scope: Scoped<ReadTeams>) -> Result<Json<TeamList>, ApiError> {
    let department = department::of(&scope.store).await.map_err(|error| tenant_teams::failed(&error))?;
    let newest = scope.store.newest_versions(VersionKind::Team).await?;
    let item = |team: &Team| {
        let held = tenant_teams::held(&team.id, newest.iter().find(|kept| kept.name == team.id));
        let (source, version) = held.map_or((Source::Shipped, 0), |held| (held.source, held.version));
        let mut matters: Vec<String> = team.handles.iter().map(|handles| handles.matter.clone()).collect();
        matters.dedup();
        TeamItem {
            id: team.id.clone(),
            name: team.name.clone(),
            purpose: team.purpose.clone(),
            source,
            version,
            autonomy: team.autonomy,
            specialists: team
                .specialists
                .iter()
                .map(|one| Member { id: one.id.clone(), does: one.does.clone() })
                .collect(),
            matters,
            examples: team.examples.len(),
        }
    };
    Ok(Json(TeamList { items: department.teams.all().iter().map(item).collect() }))
}

/// `GET /v1/teams/{team}`: JSON, or its text as TOML where that is asked for.
pub async fn one(
    scope: Scoped<ReadTeams>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    named(&id)?;
    let newest = tenant_teams::newest(&scope.store, &id).await?;
    let Held { text, source, version } =
        tenant_teams::held(&id, newest.as_ref()).ok_or_else(|| ApiError::not_found("team"))?;
    let tag = tag(version);
    if wants_toml(&headers) {
        return Ok((tag, [(header::CONTENT_TYPE, TOML)], text).into_response());
    }
    Ok((tag, Json(TeamAnswer { id, source, version, text })).into_response())
}

/// A text to be checked, or applied.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckTeam {
    text: String,
}

/// `POST /v1/teams/check`. Nothing is kept.
pub async fn check(
    scope: Scoped<ReadTeams>,
    JsonBody(asked): JsonBody<CheckTeam>,
) -> Result<Json<Checked>, ApiError> {
    let mut draft = tenant_teams::read(&asked.text, None).await?;
    let mut changes = Vec::new();
    if let Some(team) = &draft.team {
        let newest = tenant_teams::newest(&scope.store, &team.id).await?;
        let now = tenant_teams::held(&team.id, newest.as_ref());
        draft.faults.extend(too_many(&scope.store, now.as_ref()).await?);
        changes = tenant_teams::changes(now.as_ref().map(|held| held.text.as_str()), Some(&asked.text));
    }
    Ok(Json(Checked { valid: draft.faults.is_empty(), faults: draft.faults, changes }))
}

/// What was changed of a team.
#[derive(Debug, Serialize, Deserialize)]
pub struct TeamApplied {
    /// The newest version now: for `If-Match`.
    pub version: u32,
    pub changes: Vec<String>,
}

/// `PUT /v1/teams/{team}`: its whole text. The next task and the next call go by it; with a fault nothing changes.
pub async fn put(
    State(app): State<Arc<App>>,
    scope: Scoped<WriteTeams>,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: String,
) -> Result<Response, ApiError> {
    let text = if is_toml(&headers) {
        body
    } else {
        let asked = serde_json::from_str::<CheckTeam>(&body);
        let wrong = |_| ApiError::invalid("body", "is no JSON object with `text`; or send application/toml");
        asked.map_err(wrong)?.text
    };
    apply(&app, &scope, &id, &headers, text, None).await
}

async fn apply(
    app: &App,
    scope: &Scoped<WriteTeams>,
    id: &str,
    headers: &HeaderMap,
    text: String,
    back_to: Option<u32>,
) -> Result<Response, ApiError> {
    let draft = tenant_teams::read(&text, Some(id)).await?;
    if !draft.faults.is_empty() {
        return Err(refused(&draft.faults));
    }
    let newest = tenant_teams::newest(&scope.store, id).await?;
    let now = tenant_teams::held(id, newest.as_ref());
    if let Some(fault) = too_many(&scope.store, now.as_ref()).await? {
        return Err(refused(&[fault]));
    }
    let is_same = newest.as_ref().and_then(|kept| kept.body.as_deref()) == Some(text.as_str());
    let changes = tenant_teams::changes(now.as_ref().map(|held| held.text.as_str()), Some(&text));
    if is_same {
        unchanged_since(headers, now.map_or(0, |held| held.version))?;
        let version = newest.map_or(0, |kept| kept.version);
        return Ok((tag(version), Json(TeamApplied { version, changes })).into_response());
    }
    lay_down(app, scope, id, headers, newest, Change { changes, body: Some(text), back_to }).await
}

/// `DELETE /v1/teams/{team}`: the tenant's own text goes; where one ships, that holds again.
pub async fn remove(
    State(app): State<Arc<App>>,
    scope: Scoped<WriteTeams>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    named(&id)?;
    let newest = tenant_teams::newest(&scope.store, &id).await?;
    let Some(own) = newest.as_ref().and_then(|kept| kept.body.clone()) else {
        let told = ApiError::not_found("team of your own");
        return Err(told.advise("a team that ships is changed by a PUT of its text, and stays otherwise"));
    };
    let changes = tenant_teams::changes(Some(&own), Teams::shipped_text(&id));
    let change = Change { changes, body: None, back_to: None };
    lay_down(&app, &scope, &id, &headers, newest, change).await
}

/// What no team can be called is not looked for.
fn named(id: &str) -> Result<(), ApiError> {
    let plain =
        id.len() <= 64 && id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    if plain { Ok(()) } else { Err(ApiError::not_found("team")) }
}

/// What becomes of a team.
struct Change {
    changes: Vec<String>,
    /// `None`: the tenant's own text goes.
    body: Option<String>,
    back_to: Option<u32>,
}

/// Keeps it, for the version that was read.
async fn lay_down(
    app: &App,
    scope: &Scoped<WriteTeams>,
    id: &str,
    headers: &HeaderMap,
    newest: Option<Version>,
    Change { changes, body, back_to }: Change,
) -> Result<Response, ApiError> {
    let expected = newest.map_or(0, |kept| kept.version);
    unchanged_since(headers, expected)?;
    let told = back_to.map(|number| format!("goes back to version {number}")).into_iter();
    let told = told.chain(changes.iter().cloned()).collect();
    let actor = &scope.principal.subject;
    let kept = tenant_teams::keep(&scope.store, id, expected, actor, told, body).await;
    let version = kept.map_err(quicker)?;
    let act = acts::setting_changed(&scope.principal, &format!("team.{id}"));
    app.audit.record(Some(scope.tenant.id), act).await?;
    tracing::info!(audit = "tenant.team", tenant = %scope.tenant.slug, team = id, by = %actor, version, "a team was changed");
    Ok((tag(version), Json(TeamApplied { version, changes })).into_response())
}

fn tag(version: u32) -> [(header::HeaderName, String); 1] {
    [(header::ETAG, format!("\"{version}\""))]
}

fn unchanged_since(headers: &HeaderMap, version: u32) -> Result<(), ApiError> {
    let asked = headers.get(header::IF_MATCH).and_then(|value| value.to_str().ok()).map(str::trim);
    match asked {
        Some(tag) if tag != "*" && tag.trim_matches('"') != version.to_string() => {
            let conflict = StorageError::Conflict { expected: version, found: version };
            Err(quicker(conflict).with_details(json!({ "current_version": version })))
        }
        _ => Ok(()),
    }
}

/// A new one more than a tenant may have.
async fn too_many(store: &TenantStore, now: Option<&Held>) -> Result<Option<Fault>, ApiError> {
    if now.is_some_and(|held| held.source != Source::Shipped) {
        return Ok(None);
    }
    let own =
        store.newest_versions(VersionKind::Team).await?.iter().filter(|kept| kept.body.is_some()).count();
    let told = format!("would be one more than the {MOST_OWN} that a tenant may have; take one away first");
    Ok((own >= MOST_OWN).then(|| Fault::new("id", told)))
}

/// Words to be tried.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TryTeams {
    words: String,
    /// What would be filed: `incident` where nothing is said.
    matter: Option<String>,
    /// With a team of this text in its place.
    draft: Option<String>,
}

/// `POST /v1/teams/try`: which team and specialist would work it, how sure, and the nearest examples. Nothing is kept.
pub async fn try_words(
    State(app): State<Arc<App>>,
    scope: Scoped<ReadTeams>,
    JsonBody(asked): JsonBody<TryTeams>,
) -> Result<Json<Tried>, ApiError> {
    if asked.words.trim().is_empty() || asked.words.chars().count() > LONGEST {
        return Err(ApiError::invalid("words", format_args!("must hold 1 to {LONGEST} characters")));
    }
    let matter = asked.matter.as_deref().unwrap_or("incident");
    if !MATTERS.contains(&matter) {
        return Err(ApiError::invalid("matter", format_args!("is none of {}", MATTERS.join(", "))));
    }
    let draft = match &asked.draft {
        Some(text) => {
            let draft = tenant_teams::read(text, None).await?;
            if !draft.faults.is_empty() {
                return Err(refused(&draft.faults));
            }
            draft.team
        }
        None => None,
    };
    Ok(Json(tenant_teams::try_words(&app, &scope.store, &asked.words, matter, draft).await?))
}

// ---------------------------------------------------------------- versions

/// A version with its text, and what going back to it would change.
#[derive(Debug, Serialize)]
pub struct TeamVersion {
    #[serde(flatten)]
    item: VersionItem,
    /// `null`: the tenant's own was taken away with it.
    text: Option<String>,
    differences: Vec<String>,
}

/// `GET /v1/teams/{team}/versions`: newest first.
pub async fn versions(
    scope: Scoped<ReadTeams>,
    Path(id): Path<String>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<VersionItem>>, ApiError> {
    named(&id)?;
    let kept = scope.store.versions(VersionKind::Team, &id, query.after()?, query.fetch()?).await?;
    if kept.is_empty() && query.cursor.is_none() && Teams::shipped_text(&id).is_none() {
        return Err(ApiError::not_found("team"));
    }
    Ok(Json(query.page(kept, |kept| kept.version.to_string(), VersionItem::from)))
}

/// `GET /v1/teams/{team}/versions/{number}`.
pub async fn version(
    scope: Scoped<ReadTeams>,
    Path((id, number)): Path<(String, String)>,
) -> Result<Json<TeamVersion>, ApiError> {
    let number = numbered(&number)?;
    let kept = kept(&scope.store, &id, number).await?;
    let newest = tenant_teams::newest(&scope.store, &id).await?;
    let now = tenant_teams::held(&id, newest.as_ref());
    let then = tenant_teams::held(&id, Some(&kept));
    let text = |held: &Option<Held>| held.as_ref().map(|held| held.text.clone());
    let differences = match (text(&now), text(&then)) {
        (None, None) => Vec::new(),
        (now, then) => tenant_teams::changes(now.as_deref(), then.as_deref()),
    };
    Ok(Json(TeamVersion { text: kept.body.clone(), item: kept.into(), differences }))
}

/// `POST /v1/teams/{team}/versions/{number}/rollback`: its text is checked and applied as any other, as a new version.
pub async fn roll_back(
    State(app): State<Arc<App>>,
    scope: Scoped<WriteTeams>,
    Path((id, number)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let number = numbered(&number)?;
    let Some(text) = kept(&scope.store, &id, number).await?.body else {
        let told = format!("with version {number} the team was taken away: there is nothing to go back to");
        let told = ApiError::new(ErrorCode::InvalidRequest, told).with_status(StatusCode::CONFLICT);
        return Err(told.advise("delete the team, or roll back to another version"));
    };
    apply(&app, &scope, &id, &headers, text, Some(number)).await
}

async fn kept(store: &TenantStore, id: &str, number: u32) -> Result<Version, ApiError> {
    named(id)?;
    let kept = store.version(VersionKind::Team, id, number).await?;
    kept.ok_or_else(|| ApiError::not_found("version"))
}
