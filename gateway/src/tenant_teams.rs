//! Teams of a tenant's own: read, told apart from what holds, kept in versions, tried. Routes: `api/teams.rs`.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use dialogue::understanding::api::ExampleAnswer;
use serde::Serialize;
use serde_json::Value;
use storage::versions::{NewVersion, Version, VersionKind};
use storage::{StorageError, TenantStore, Versions};
use work::department::{self, Department, DepartmentError};
use work::hub::{Case, CaseItem, Destination, routing};
use work::teams::{Draft, Team, Teams, read_own};

use crate::api::understand::near;
use crate::app::App;
use crate::error::ApiError;
use crate::tenant_config::differences::of_values;

/// Where a team comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// With the program.
    Shipped,
    /// The tenant's version of one that ships.
    Changed,
    /// The tenant's alone.
    Own,
}

/// A team's text as it holds now.
#[derive(Debug)]
pub struct Held {
    pub text: String,
    pub source: Source,
    /// Of the tenant's own; 0: none was ever kept.
    pub version: u32,
}

/// The newest version of a team, whatever it says.
///
/// # Errors
/// When storage does not answer.
pub async fn newest(store: &TenantStore, id: &str) -> Result<Option<Version>, StorageError> {
    Ok(store.versions(VersionKind::Team, id, None, 1).await?.pop())
}

/// What holds of a team; `None`: there is none of that name.
#[must_use]
pub fn held(id: &str, newest: Option<&Version>) -> Option<Held> {
    let (version, own) = newest.map_or((0, None), |kept| (kept.version, kept.body.clone()));
    let shipped = Teams::shipped_text(id);
    let source = match (&own, shipped) {
        (Some(_), Some(_)) => Source::Changed,
        (Some(_), None) => Source::Own,
        (None, _) => Source::Shipped,
    };
    Some(Held { text: own.or_else(|| shipped.map(str::to_owned))?, source, version })
}

/// Reads a text beside the calls: schemas are compiled.
///
/// # Errors
/// When the thread that reads dies.
pub async fn read(text: &str, id: Option<&str>) -> Result<Draft, ApiError> {
    let (text, id) = (text.to_owned(), id.map(str::to_owned));
    let read = tokio::task::spawn_blocking(move || read_own(&text, id.as_deref())).await;
    read.map_err(|error| ApiError::internal(&error))
}

/// What one text has that the other has not, in words; all of it where there was none.
#[must_use]
pub fn changes(now: Option<&str>, then: Option<&str>) -> Vec<String> {
    let value =
        |text: Option<&str>| text.and_then(|text| toml::from_str::<Value>(text).ok()).unwrap_or_default();
    match (now, then) {
        (None, Some(_)) => vec!["the team is new".to_owned()],
        (Some(_), None) => vec!["the team goes".to_owned()],
        _ => of_values(&value(now), &value(then)),
    }
}

/// Keeps a text, or takes the tenant's own away; the new version.
///
/// # Errors
/// `Conflict` where somebody was quicker.
pub async fn keep(
    store: &TenantStore,
    id: &str,
    expected: u32,
    actor: &str,
    changes: Vec<String>,
    body: Option<String>,
) -> Result<u32, StorageError> {
    let (kind, name, actor) = (VersionKind::Team, id.to_owned(), actor.to_owned());
    store.keep_version(NewVersion { kind, name, expected, actor, changes, body, settings: Vec::new() }).await
}

// ---------------------------------------------------------------- trying words

/// Where work goes, as routing after a call has it.
#[derive(Debug, Serialize)]
pub struct Tried {
    /// `team`, `person`, or `nobody`: nothing would be left to do.
    destination: &'static str,
    /// Where it goes, or would most likely go.
    team: Option<String>,
    team_name: Option<String>,
    /// Who of it begins.
    specialist: Option<String>,
    does: Option<String>,
    confidence: f64,
    /// Why a person decides.
    reason: Option<String>,
    /// What the words are taken for by examples: a route, and how likely.
    route: Option<String>,
    score: f32,
    nearest: Vec<ExampleAnswer>,
}

/// Which team would work what a caller asks for in these words. `draft`: with this team as it would be.
///
/// # Errors
/// When storage does not answer.
pub async fn try_words(
    app: &Arc<App>,
    store: &TenantStore,
    words: &str,
    matter: &str,
    draft: Option<Team>,
) -> Result<Tried, ApiError> {
    let mut department = department::of(store).await.map_err(|error| failed(&error))?;
    let shared = app.understanding.of_teams(app, store.id(), &department).await?;
    let (want, nearest) = if let Some(team) = draft {
        let teams = Arc::new(department.teams.with(vec![team]));
        // Of nobody's stamp: it is kept nowhere.
        department = Arc::new(Department { teams, stamp: -1 });
        let reader = app.understanding.reader(app).await?.extended(&department.routes()).await;
        reader.map_err(|error| ApiError::internal(&error))?.want(words).await
    } else if let Some(reader) = shared {
        reader.want(words).await
    } else {
        app.understanding.reader(app).await?.want(words).await
    };
    let case = case(words, matter, Utc::now());
    let found = routing::route(&department.teams, &case, near(&want).as_deref());
    let (destination, team, confidence, reason) = match found {
        Destination::Team { team, confidence } => ("team", Some(team), confidence, None),
        Destination::Person { nearest, confidence, reason } => ("person", nearest, confidence, Some(reason)),
        Destination::Nobody => ("nobody", None, 1.0, None),
    };
    let of = team.as_deref().and_then(|id| department.teams.team(id));
    let first = of.and_then(|team| team.in_order().first().copied().cloned());
    let (route, score) = want.map_or((None, 0.0), |(route, score)| (Some(route), score));
    Ok(Tried {
        destination,
        team_name: of.map(|team| team.name.clone()),
        specialist: first.as_ref().map(|one| one.id.clone()),
        does: first.map(|one| one.does),
        team,
        confidence: (confidence * 1000.0).round() / 1000.0,
        reason,
        route,
        score,
        nearest,
    })
}

/// A call on which this was filed.
fn case(words: &str, matter: &str, now: DateTime<Utc>) -> Case {
    let said = vec![words.to_owned()];
    match matter {
        "urgent" => Case { urgent: Some("danger".to_owned()), said, at: now, ..Case::default() },
        "interrupted" => Case { interrupted: true, said, at: now, ..Case::default() },
        kind => {
            let item = CaseItem {
                reference: "TRY-1".to_owned(),
                kind: kind.to_owned(),
                status: "open".to_owned(),
                priority: "normal".to_owned(),
                incomplete: true,
                created_at: now,
                fields: [("what".to_owned(), words.to_owned())].into(),
            };
            Case { items: vec![item], said, at: now, ..Case::default() }
        }
    }
}

/// Without its teams a tenant's work waits.
#[must_use]
pub fn failed(error: &DepartmentError) -> ApiError {
    match error {
        DepartmentError::Storage(error) => error.clone().into(),
        DepartmentError::Shipped(error) => ApiError::internal(error),
    }
}
