//! What is on file for a request: what it says, the number of whoever left it, and the office's clock.

use chrono_tz::Tz;
use serde_json::Value;
use storage::records::WorkItem;
use storage::zones::normalise_phone;
use storage::{Calls, Directory, StorageError, TenantId, TenantStore};

use crate::app::App;

/// A field of a request, where it says anything.
pub(super) fn told<'a>(item: &'a WorkItem, field: &str) -> Option<&'a str> {
    item.fields.get(field).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

/// The office's clock.
pub(super) async fn zone_of(app: &App, tenant: TenantId) -> Result<Tz, StorageError> {
    let zone = app.platform.store().tenant_by_id(tenant).await?.and_then(|known| known.timezone.parse().ok());
    Ok(zone.unwrap_or(Tz::UTC))
}

/// The number that is on file for a request: nobody else hears of it.
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
