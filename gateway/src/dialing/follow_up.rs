//! A team found something missing in a request, and wants whoever left it to be asked: by a call of ours, where nobody has made
//! one.

use dialogue::builtin::missing::can_ask;
use pipeline::ports::FollowUp as Asked;
use storage::records::{Call, Direction, WorkFilter, WorkItem, WorkKind, WorkStatus};
use storage::work_acts::WorkActKind;
use storage::{CallId, Calls, Outreach, StorageError, TenantStore, WorkItems};
use work::office;

use super::on_file::{told, zone_of};
use crate::app::App;

/// Requests of one call that are looked through for the one that it is about.
const FILED: u32 = 500;

/// A call that a team wants, and that is still to be made.
pub(super) struct FollowUp {
    pub(super) item: WorkItem,
    missing: Vec<String>,
    /// In which the request was left.
    call: Call,
}

/// What is to be asked for. Where the agent has no question for a part of it, or somebody has taken it on, people call.
pub(super) fn missing_in(item: &WorkItem) -> Option<Vec<String>> {
    let waits = item.kind == WorkKind::Callback && item.status == WorkStatus::Open;
    let missing = office::missing_of(item).filter(|_| waits)?;
    (!missing.is_empty() && missing.iter().all(|detail| can_ask(detail))).then_some(missing)
}

/// The call of this reference, while it is open and nobody called about it.
///
/// # Errors
/// When storage does not answer.
pub(super) async fn of(store: &TenantStore, reference: &str) -> Result<Option<FollowUp>, StorageError> {
    let Some(item) = store.work_item(reference).await? else { return Ok(None) };
    let (Some(missing), Some(left_in)) = (missing_in(&item), item.call_id) else { return Ok(None) };
    // What a call of ours left is for people: no call of ours leads to another.
    let call = store.call(left_in).await?.filter(|call| call.direction == Direction::Inbound);
    let Some(call) = call else { return Ok(None) };
    let called = store.work_history(item.id).await?.iter().any(|done| done.act == WorkActKind::Called);
    Ok((!called).then_some(FollowUp { item, missing, call }))
}

/// What the agent of this call asks for. `sure`: a key was pressed for it.
///
/// # Errors
/// When storage does not answer.
pub async fn for_call(
    app: &App,
    store: &TenantStore,
    id: CallId,
    sure: bool,
) -> Result<Option<Asked>, StorageError> {
    let Some(reference) = store.outreach(id).await?.and_then(|call| call.item) else { return Ok(None) };
    let Some(found) = of(store, &reference).await? else { return Ok(None) };
    let filter = WorkFilter { call_id: Some(found.call.id), limit: FILED, ..WorkFilter::default() };
    let filed = store.list_work_items(filter).await?;
    // What was left first: the rest adds to it.
    let subject = filed.iter().rfind(|item| !office::is_own(item));
    let left_at = subject.map_or(found.call.started_at, |item| item.created_at);
    let place = subject.and_then(|item| told(item, "where").or_else(|| told(item, "address")));
    Ok(Some(Asked {
        item: reference,
        kind: subject.map_or("call", |item| item.kind.as_str()).to_owned(),
        on: left_at.with_timezone(&zone_of(app, store.id()).await?).date_naive(),
        place: place.unwrap_or_default().to_owned(),
        missing: found.missing,
        sure,
    }))
}
