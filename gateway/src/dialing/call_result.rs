//! What came of a call is written once: in the request's history, on the audit, on consoles.

use std::time::Duration;

use storage::dials::{Dial, DialResult};
use storage::{Dials, StorageError, TenantId, TenantStore, WorkItemId, WorkItems};
use telephony::call_status::{Answerer, CallProgress};

use crate::app::App;
use crate::audit::acts;
use crate::event_bus::work::WorkEvent;

/// Longest wait for the carrier to say who answered: a webhook is being answered meanwhile.
const LOOK: Duration = Duration::from_secs(3);

/// What the end of the call to the request's number means; `None` for what is no end.
#[must_use]
pub const fn result_of(status: CallProgress, machine: bool) -> Option<DialResult> {
    match status {
        CallProgress::Completed if machine => Some(DialResult::Machine),
        CallProgress::Completed => Some(DialResult::Reached),
        CallProgress::Busy => Some(DialResult::Busy),
        // Canceled: the person hung up while it rang.
        CallProgress::NoAnswer | CallProgress::Canceled => Some(DialResult::NoAnswer),
        CallProgress::Failed => Some(DialResult::Failed),
        _ => None,
    }
}

/// The call to the request's number is over.
///
/// # Errors
/// When storage does not answer.
pub async fn dialled(
    app: &App,
    (tenant, store): (TenantId, &TenantStore),
    dial: &Dial,
    status: CallProgress,
    sid: Option<&str>,
) -> Result<(), StorageError> {
    // Who answered is told by a callback of its own, which may be late or lost.
    let answered = status == CallProgress::Completed && !dial.machine;
    let machine = dial.machine || (answered && is_machine(app, sid.or(dial.dialled_sid.as_deref())).await);
    match result_of(status, machine) {
        Some(result) => end(app, tenant, store, dial, result).await,
        None => Ok(()),
    }
}

/// Whether the carrier knows that a machine answered a call that is over.
pub async fn is_machine(app: &App, sid: Option<&str>) -> bool {
    let (Some(control), Some(sid)) = (app.control(), sid) else { return false };
    let looked = tokio::time::timeout(LOOK, control.look_up(sid)).await;
    matches!(looked, Ok(Ok(call)) if call.answered_by == Some(Answerer::Machine))
}

/// Ends it. Of those who say so at once, one is heard.
///
/// # Errors
/// When storage does not answer.
pub async fn end(
    app: &App,
    tenant: TenantId,
    store: &TenantStore,
    dial: &Dial,
    result: DialResult,
) -> Result<(), StorageError> {
    if !store.end_dial(dial.id, result).await? {
        return Ok(());
    }
    metrics::counter!("quandura_call_backs_total", "result" => result.as_str()).increment(1);
    tracing::info!(dial = %dial.id, result = result.as_str(), "a call back has ended");
    tell(app, tenant, store, dial.item).await;
    if let Err(error) = app.audit.record(Some(tenant), acts::work_item_call_ended(dial, result)).await {
        tracing::error!(%error, dial = %dial.id, "the end of a call back is not on the audit; it is in the request's history");
    }
    Ok(())
}

/// Consoles learn that the request changed.
pub async fn tell(app: &App, tenant: TenantId, store: &TenantStore, item: WorkItemId) {
    if let Ok(Some(item)) = store.work_item_by_id(item).await {
        app.fanout.publish_work(tenant.0, &WorkEvent::updated(&item));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_has_a_result_and_nothing_else_has() {
        for (status, machine, result) in [
            (CallProgress::Completed, false, Some(DialResult::Reached)),
            (CallProgress::Completed, true, Some(DialResult::Machine)),
            (CallProgress::Busy, false, Some(DialResult::Busy)),
            (CallProgress::NoAnswer, false, Some(DialResult::NoAnswer)),
            (CallProgress::Canceled, true, Some(DialResult::NoAnswer)),
            (CallProgress::Failed, false, Some(DialResult::Failed)),
            (CallProgress::InProgress, true, None),
            (CallProgress::Ringing, false, None),
            (CallProgress::Other, false, None),
        ] {
            assert_eq!(result_of(status, machine), result, "{status:?}");
        }
    }
}
