//! Teams of a tenant's own within its document: `[[team]]`, each in the very form of a team's file.
//!
//! Like claims they are put, and a document without them leaves them alone; unlike claims they are given out again.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use storage::versions::VersionKind;
use storage::{StorageError, TenantStore, Versions};
use work::department::MOST_OWN;
use work::teams::{Teams, read_own};

use super::differences::of_values;
use super::read::{Fault, within};
use crate::tenant_teams;

/// A team as its file has it.
pub type TeamTable = Map<String, Value>;

const TOO_MANY: &str = "would be more than a tenant may have of its own; take one away first";

fn id(team: &TeamTable) -> &str {
    team.get("id").and_then(Value::as_str).unwrap_or_default()
}

fn find<'a>(teams: &'a [TeamTable], wanted: &str) -> Option<&'a TeamTable> {
    teams.iter().find(|team| id(team) == wanted)
}

fn text(team: &TeamTable) -> String {
    toml::to_string_pretty(team).unwrap_or_default()
}

fn shipped(id: &str) -> Option<TeamTable> {
    toml::from_str(Teams::shipped_text(id)?).ok()
}

/// The tenant's own and those that it changed, by id.
///
/// # Errors
/// When storage does not answer.
pub async fn own(store: &TenantStore) -> Result<Vec<TeamTable>, StorageError> {
    let kept = store.newest_versions(VersionKind::Team).await?;
    let mut teams: Vec<TeamTable> =
        kept.iter().filter_map(|kept| toml::from_str(kept.body.as_deref()?).ok()).collect();
    teams.sort_by(|a, b| id(a).cmp(id(b)));
    Ok(teams)
}

/// What is wrong with them, each held against what a file of its own would be.
pub(super) fn check(teams: &[TeamTable]) -> Vec<Fault> {
    let (mut faults, mut seen) = (Vec::new(), BTreeSet::new());
    for (n, team) in teams.iter().enumerate() {
        let key = format!("team[{}]", n + 1);
        if !id(team).is_empty() && !seen.insert(id(team)) {
            faults.push(Fault::new(within(&key, "id"), "is that of another team here as well"));
        }
        for fault in read_own(&text(team), None).faults {
            let key = if fault.key.is_empty() { key.clone() } else { format!("{key}.{}", fault.key) };
            faults.push(Fault::new(key, fault.message));
        }
    }
    if teams.len() > MOST_OWN {
        faults.push(Fault::new("team", TOO_MANY));
    }
    faults
}

/// With those that the tenant has beside the document's, it may have too many.
///
/// # Errors
/// When storage does not answer.
pub(super) async fn too_many(
    store: &TenantStore,
    teams: &[TeamTable],
) -> Result<Option<Fault>, StorageError> {
    if teams.is_empty() {
        return Ok(None);
    }
    let kept = store.newest_versions(VersionKind::Team).await?;
    let beside = kept.iter().filter(|kept| kept.body.is_some() && find(teams, &kept.name).is_none()).count();
    Ok((beside + teams.len() > MOST_OWN).then(|| Fault::new("team", TOO_MANY)))
}

/// The document's teams, and those of now that it does not name. One that means the same stays as it was written.
pub(super) fn settled(teams: Vec<TeamTable>, now: &[TeamTable]) -> Vec<TeamTable> {
    let same = |kept: &TeamTable, team: &TeamTable| {
        let read = |team| read_own(&text(team), None).team;
        kept == team || read(kept).is_some_and(|kept| Some(kept) == read(team))
    };
    let mut settled: Vec<TeamTable> =
        now.iter().filter(|kept| find(&teams, id(kept)).is_none()).cloned().collect();
    settled.extend(teams.into_iter().map(|team| match find(now, id(&team)) {
        Some(kept) if same(kept, &team) => kept.clone(),
        _ => team,
    }));
    settled.sort_by(|a, b| id(a).cmp(id(b)));
    settled
}

/// Ids of those that are not as they are now.
pub fn changed<'a>(now: &[TeamTable], then: &'a [TeamTable]) -> Vec<&'a str> {
    then.iter()
        .map(|team| (team, id(team)))
        .filter(|(team, id)| find(now, id) != Some(team))
        .map(|(_, id)| id)
        .collect()
}

pub(super) fn differences(now: &[TeamTable], then: &[TeamTable]) -> Vec<String> {
    let mut told = Vec::new();
    for team in then.iter().filter(|team| find(now, id(team)) != Some(team)) {
        let id = id(team);
        match find(now, id).cloned().or_else(|| shipped(id)) {
            None => told.push(format!("team {id} is new")),
            Some(old) => {
                let changes = of_values(&Value::Object(old), &Value::Object(team.clone()));
                // A text of its own may say what the shipped one says.
                if changes.is_empty() {
                    told.push(format!("team {id} is the tenant's own from now on"));
                }
                told.extend(changes.into_iter().map(|change| format!("team {id} {change}")));
            }
        }
    }
    for team in now.iter().filter(|team| find(then, id(team)).is_none()) {
        told.push(format!("team {} goes", id(team)));
    }
    told
}

/// Keeps each that is not as it is kept, as a version of that team: it is seen and gone back to as one that came alone.
///
/// # Errors
/// When storage does not answer, or somebody was quicker.
pub(super) async fn keep(store: &TenantStore, teams: &[TeamTable], actor: &str) -> Result<(), StorageError> {
    let now = own(store).await?;
    for team in teams.iter().filter(|team| find(&now, id(team)) != Some(team)) {
        let (id, text) = (id(team), text(team));
        let newest = tenant_teams::newest(store, id).await?;
        let held = tenant_teams::held(id, newest.as_ref());
        let changes = tenant_teams::changes(held.as_ref().map(|held| held.text.as_str()), Some(&text));
        let expected = newest.map_or(0, |kept| kept.version);
        tenant_teams::keep(store, id, expected, actor, changes, Some(text)).await?;
    }
    Ok(())
}
