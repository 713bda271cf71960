//! An appointment that a call of ours reminds of, while it is still to come.

use chrono::{DateTime, NaiveDateTime, TimeZone, Utc};
use chrono_tz::Tz;
use pipeline::ports::Reminder;
use serde_json::Value;
use storage::records::{WorkItem, WorkKind, WorkStatus};
use storage::{CallId, Outreach, StorageError, TenantId, TenantStore, WorkItems};

use super::on_file::{told, zone_of};
use crate::app::App;

/// An appointment that is still to come.
pub struct Appointment {
    pub(super) item: WorkItem,
    /// Local time of the office.
    starts: NaiveDateTime,
}

impl std::fmt::Debug for Appointment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Appointment").field("item", &self.item.reference).finish_non_exhaustive()
    }
}

/// The appointment of a request, while it is booked, open, and to come.
///
/// # Errors
/// When storage does not answer.
pub async fn of(
    app: &App,
    store: &TenantStore,
    tenant: TenantId,
    reference: &str,
) -> Result<Option<Appointment>, StorageError> {
    let Some(item) = store.work_item(reference).await? else { return Ok(None) };
    let is_open = matches!(item.status, WorkStatus::Open | WorkStatus::InProgress);
    let starts = local_start(&item);
    let Some(starts) = starts.filter(|_| is_open && item.kind == WorkKind::Inspection) else {
        return Ok(None);
    };
    let zone = zone_of(app, tenant).await?;
    let is_to_come = at(starts, zone).is_none_or(|at| at > app.clock.now());
    Ok(is_to_come.then_some(Appointment { item, starts }))
}

fn local_start(item: &WorkItem) -> Option<NaiveDateTime> {
    item.fields.get("opening").and_then(Value::as_str).and_then(read)
}

/// When an appointment begins, by the office's clock.
#[must_use]
pub fn starts_at(item: &WorkItem, zone: Tz) -> Option<DateTime<Utc>> {
    local_start(item).and_then(|starts| at(starts, zone))
}

/// As the dialogue files it.
fn read(opening: &str) -> Option<NaiveDateTime> {
    NaiveDateTime::parse_from_str(opening, "%Y-%m-%dT%H:%M").ok()
}

fn at(starts: NaiveDateTime, zone: Tz) -> Option<DateTime<Utc>> {
    zone.from_local_datetime(&starts).earliest().map(|at| at.to_utc())
}

/// What the agent of this call reminds of. `sure`: a key was pressed for it.
///
/// # Errors
/// When storage does not answer.
pub async fn for_call(
    app: &App,
    store: &TenantStore,
    id: CallId,
    sure: bool,
) -> Result<Option<Reminder>, StorageError> {
    let Some(item) = store.outreach(id).await?.and_then(|call| call.item) else { return Ok(None) };
    let Some(found) = of(app, store, store.id(), &item).await? else { return Ok(None) };
    let place = told(&found.item, "address").unwrap_or_default().to_owned();
    Ok(Some(Reminder { item, starts: found.starts, place, sure }))
}
