//! The teams of a tenant: those that ship, with its own added or in their place. Everybody who works with teams asks here.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;
use storage::versions::VersionKind;
use storage::{StorageError, TenantId, TenantStore, Versions};

use crate::teams::{Team, TeamError, Teams, read_own};

/// Teams of its own that a tenant may have.
pub const MOST_OWN: usize = 32;

/// What was read last, by tenant: as large as there are tenants. Whether it still holds is asked each time, so that a change
/// on another gateway is seen too.
static READ: LazyLock<Mutex<HashMap<TenantId, Arc<Department>>>> = LazyLock::new(Mutex::default);

/// A tenant's teams as they are.
#[derive(Debug)]
pub struct Department {
    pub teams: Arc<Teams>,
    /// Another one when something of it was changed.
    pub stamp: i64,
}

/// Why there are no teams.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DepartmentError {
    #[error(transparent)]
    Storage(#[from] StorageError),
    #[error(transparent)]
    Shipped(#[from] TeamError),
}

impl Department {
    /// Understanding's name of the route to a team.
    #[must_use]
    pub fn route_of(team: &str) -> String {
        format!("{ROUTE}{team}")
    }

    /// The team that a route leads to.
    #[must_use]
    pub fn team_of(route: &str) -> Option<&str> {
        route.strip_prefix(ROUTE)
    }

    /// The routes that its teams have examples of.
    #[must_use]
    pub fn routes(&self) -> Vec<(String, Vec<String>)> {
        routes(&self.teams)
    }
}

const ROUTE: &str = "team.";

/// The routes that teams have examples of.
#[must_use]
pub fn routes(teams: &Teams) -> Vec<(String, Vec<String>)> {
    let told = teams.all().iter().filter(|team| !team.examples.is_empty());
    told.map(|team| (Department::route_of(&team.id), team.examples.clone())).collect()
}

/// A tenant's teams as they are now: read anew where something was changed since. Whoever works with them keeps what it was
/// given until its call or its task is over.
///
/// # Errors
/// When storage does not answer.
pub async fn of(store: &TenantStore) -> Result<Arc<Department>, DepartmentError> {
    let tenant = store.id();
    let stamp = store.version_stamp(VersionKind::Team).await?;
    if let Some(known) = READ.lock().get(&tenant).filter(|known| known.stamp == stamp) {
        return Ok(Arc::clone(known));
    }
    let shipped = Teams::shipped()?;
    let mut own: Vec<Team> = Vec::new();
    if stamp > 0 {
        for kept in store.newest_versions(VersionKind::Team).await? {
            let Some(text) = kept.body else { continue };
            let draft = read_own(&text, Some(&kept.name));
            match draft.team {
                Some(team) => own.push(team),
                // It was sound for the program that took it. The shipped one works, or a person.
                None => tracing::warn!(
                    %tenant, team = kept.name, faults = draft.faults.len(),
                    "a team of the tenant's own cannot be read by this program"
                ),
            }
        }
    }
    let department = Arc::new(Department { teams: Arc::new(shipped.with(own)), stamp });
    READ.lock().insert(tenant, Arc::clone(&department));
    Ok(department)
}

/// The same; where storage does not answer, those that ship.
pub async fn teams_of(store: &TenantStore) -> Option<Arc<Teams>> {
    match of(store).await {
        Ok(department) => Some(Arc::clone(&department.teams)),
        Err(error) => {
            tracing::warn!(%error, "the tenant's teams could not be read: the shipped ones work");
            Teams::shipped().ok().cloned().map(Arc::new)
        }
    }
}
