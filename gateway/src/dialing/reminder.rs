//! An appointment that a call of ours reminds of: told to the number that is on file for it, and while it is still to come.

use chrono::{DateTime, NaiveDateTime, TimeZone, Utc};
use chrono_tz::Tz;
use pipeline::ports::Reminder;
use serde_json::Value;
use storage::records::{WorkItem, WorkKind, WorkStatus};
use storage::zones::normalise_phone;
use storage::{CallId, Calls, Directory, Outreach, StorageError, TenantId, TenantStore, WorkItems};

use super::refusals::Rule;
use crate::app::App;

/// Why no reminder is placed any more.
pub const OVER: &str = "no_appointment";

/// An appointment that is still to come.
pub struct Appointment {
    item: WorkItem,
    /// Local time of the office.
    starts: NaiveDateTime,
}

impl std::fmt::Debug for Appointment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Appointment").field("item", &self.item.reference).finish_non_exhaustive()
    }
}

impl Appointment {
    fn told(&self, field: &str) -> Option<&str> {
        told(&self.item, field)
    }
}

fn told<'a>(item: &'a WorkItem, field: &str) -> Option<&'a str> {
    item.fields.get(field).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

/// The number that is on file for an appointment: nobody else hears of it.
///
/// # Errors
/// When storage does not answer.
pub async fn number_of(store: &TenantStore, item: &WorkItem) -> Result<Option<String>, StorageError> {
    match (told(item, "phone").and_then(normalise_phone), item.call_id) {
        (Some(given), _) => Ok(Some(given)),
        (None, Some(call)) => store.caller_number(call).await,
        (None, None) => Ok(None),
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
    let zone = app.platform.store().tenant_by_id(tenant).await?.and_then(|known| known.timezone.parse().ok());
    let is_to_come = at(starts, zone.unwrap_or(chrono_tz::UTC)).is_none_or(|at| at > app.clock.now());
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

/// Whether this number may be reminded of this appointment.
///
/// # Errors
/// Outside: storage. Inside: the rule that is against it.
pub async fn may_remind(
    app: &App,
    store: &TenantStore,
    tenant: TenantId,
    reference: &str,
    to: &str,
) -> Result<Result<(), Rule>, StorageError> {
    let Some(found) = of(app, store, tenant, reference).await? else { return Ok(Err(Rule::NoAppointment)) };
    let is_theirs = number_of(store, &found.item).await?.is_some_and(|on_file| on_file == to);
    Ok(if is_theirs { Ok(()) } else { Err(Rule::OtherNumber) })
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
    let place = found.told("address").unwrap_or_default().to_owned();
    Ok(Some(Reminder { item, starts: found.starts, place, sure }))
}
