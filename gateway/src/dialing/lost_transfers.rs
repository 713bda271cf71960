//! Transfers of which nothing is heard any more: the process that knew of them died, or the carrier's news were lost. Each ends
//! with what the carrier says; a caller whom nobody took, and who was told nothing, is called back.

use chrono::{DateTime, TimeDelta, Utc};
use pipeline::ports::EndReason;
use storage::records::{Call, CallState};
use storage::transfers::{Transfer, TransferResult, TransferStage};
use storage::{Calls, StorageError, TenantStore, Transfers};
use telephony::call_status::{Answerer, CallProgress};
use telephony::error::ControlError;

use super::transfer::{self, Told};
use super::{notes, warm};
use crate::app::App;
use crate::error::ApiError;
use crate::telemetry::metrics::reason_name;
use crate::webhooks::transfer as webhook;

/// No call at a target lasts longer: after that nobody will ever tell.
const LONGEST: TimeDelta = TimeDelta::seconds(transfer::LIMIT_S as i64 + 3_600);

/// Ends it, if it is over.
///
/// # Errors
/// When storage does not answer; the next look goes on.
pub async fn settle(
    app: &App,
    store: &TenantStore,
    to: &Transfer,
    now: DateTime<Utc>,
) -> Result<(), StorageError> {
    let Some(call) = store.call(to.call).await? else { return Ok(()) };
    if call.state == CallState::Live {
        // The agent has the caller, and whoever waits beside it ends the wait. Who was to be put through a minute ago and talks
        // on is not: the target's place is free again.
        let stayed = !to.warm && to.stage == TransferStage::Asked && now - to.created_at >= transfer::WAITS;
        if stayed {
            ended(webhook::settle(app, (store.id(), store), to, TransferResult::Failed).await, to);
            return Ok(());
        }
        if now - to.created_at < LONGEST {
            return Ok(());
        }
    }
    let left = call.end_reason.as_deref() == Some(reason_name(EndReason::CallerHungUp));
    let result = match (to.warm, to.stage) {
        (_, TransferStage::Ended) => return Ok(()),
        _ if left => TransferResult::CallerHungUp,
        // The carrier never asked what comes next, or nobody holds the caller any more.
        (_, TransferStage::Asked) | (true, TransferStage::Dialling) => TransferResult::Failed,
        _ => match told(app, store, &call, to).await {
            Said::GoesOn => {
                store.note_transfer(to.id, to.stage, None).await?;
                return Ok(());
            }
            Said::Ended(result) => result,
            Said::Nothing if now - to.created_at > LONGEST => TransferResult::Failed,
            Said::Nothing => return Ok(()),
        },
    };
    if to.warm && to.stage < TransferStage::Accepted {
        warm::silence(app, to).await;
    }
    match ended(webhook::settle(app, (store.id(), store), to, result).await, to) {
        Some(result) if result.leaves_caller() => transfer::owe(store, &call, Told::Nothing).await.map(drop),
        _ => Ok(()),
    }
}

/// What is on record as its end.
fn ended(written: Result<TransferResult, ApiError>, to: &Transfer) -> Option<TransferResult> {
    written
        .inspect_err(
            |error| tracing::error!(?error, call_id = %to.call, "what came of a transfer is not on record"),
        )
        .ok()
}

/// What the carrier says of the caller's own call, and of the one that it dialled.
enum Said {
    GoesOn,
    Ended(TransferResult),
    /// It does not answer.
    Nothing,
}

async fn told(app: &App, store: &TenantStore, call: &Call, to: &Transfer) -> Said {
    let (Some(control), Some(sid)) = (app.control(), call.carrier_sid.as_deref()) else {
        return Said::Nothing;
    };
    match control.look_up(sid).await {
        Ok(own) if !own.status.is_final() => return Said::GoesOn,
        Ok(_) => {}
        Err(ControlError::Gone) => return Said::Ended(TransferResult::Failed),
        Err(_) => return Said::Nothing,
    }
    if to.warm {
        // The two met in a room, or the caller was cut off on the way there.
        let met = call.end_reason.as_deref() == Some(reason_name(EndReason::Transferred));
        // Or notes were taken of it, by a process that died.
        let noted = store.call_log(call.id).await.is_ok_and(|log| notes::last_of(&log).is_some());
        let met = met || noted;
        return Said::Ended(if met { TransferResult::Answered } else { TransferResult::Failed });
    }
    match control.dialled_by(sid).await {
        Ok(Some(other)) => Said::Ended(result_of(other.status, other.answered_by == Some(Answerer::Machine))),
        // They hung up before it was dialled.
        Ok(None) => Said::Ended(TransferResult::CallerHungUp),
        Err(_) => Said::Nothing,
    }
}

/// What the end of the call to a target means, when the caller's own is over.
const fn result_of(status: CallProgress, machine: bool) -> TransferResult {
    match status {
        CallProgress::Completed if machine => TransferResult::Machine,
        CallProgress::Completed => TransferResult::Answered,
        CallProgress::Busy => TransferResult::Busy,
        CallProgress::NoAnswer => TransferResult::NoAnswer,
        CallProgress::Canceled => TransferResult::CallerHungUp,
        _ => TransferResult::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_end_at_a_target_is_told_as_it_was() {
        for (status, machine, result) in [
            (CallProgress::Completed, false, TransferResult::Answered),
            (CallProgress::Completed, true, TransferResult::Machine),
            (CallProgress::Busy, false, TransferResult::Busy),
            (CallProgress::NoAnswer, false, TransferResult::NoAnswer),
            (CallProgress::Canceled, false, TransferResult::CallerHungUp),
            (CallProgress::Failed, false, TransferResult::Failed),
            // Of a call that is over nothing more comes.
            (CallProgress::Ringing, false, TransferResult::Failed),
        ] {
            assert_eq!(result_of(status, machine), result, "{status:?}");
        }
    }
}
