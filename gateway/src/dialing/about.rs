//! What a call of ours is about: a request of whoever is called, told to the number that is on file for it, and while it is still
//! to be called about.

use storage::outreach::Purpose;
use storage::records::WorkItem;
use storage::{StorageError, TenantId, TenantStore};

use super::follow_up;
use super::on_file::number_of;
use super::refusals::Rule;
use super::reminder;
use crate::app::App;

/// The request of this reference, while a call for this purpose may be about it.
///
/// # Errors
/// Outside: storage. Inside: the rule that is against it.
pub(super) async fn of(
    app: &App,
    (tenant, store): (TenantId, &TenantStore),
    purpose: Purpose,
    reference: &str,
) -> Result<Result<WorkItem, Rule>, StorageError> {
    Ok(if purpose == Purpose::Appointment {
        reminder::of(app, store, tenant, reference).await?.map(|found| found.item).ok_or(Rule::NoAppointment)
    } else {
        follow_up::of(store, reference).await?.map(|found| found.item).ok_or(Rule::NoFollowUp)
    })
}

/// Whether this number may be told of this request.
///
/// # Errors
/// Outside: storage. Inside: the rule that is against it.
pub(super) async fn may_tell(
    app: &App,
    of_tenant: (TenantId, &TenantStore),
    purpose: Purpose,
    reference: &str,
    to: &str,
) -> Result<Result<(), Rule>, StorageError> {
    let item = match of(app, of_tenant, purpose, reference).await? {
        Ok(item) => item,
        Err(rule) => return Ok(Err(rule)),
    };
    let is_theirs = number_of(of_tenant.1, &item).await?.is_some_and(|on_file| on_file == to);
    Ok(if is_theirs { Ok(()) } else { Err(Rule::OtherNumber) })
}
