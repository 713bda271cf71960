//! Calls of which nothing was heard for a while: the carrier is asked, and they are closed with what it says.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use storage::dials::{Dial, DialNews, DialResult, DialStage};
use storage::outreach::{Outreach as Attempt, OutreachNews, OutreachResult};
use storage::{Calls, Dials, Outreach, StorageError, TenantId, TenantStore, Transfers, Waits};
use telephony::call_status::Answerer;
use telephony::control::CallControl;
use telephony::error::ControlError;
use tokio::time::{MissedTickBehavior, interval};

use super::{call_queue, call_result, click_to_call, lost_transfers, outreach};
use crate::app::App;
use crate::quarantined_tenants;

const EVERY: Duration = Duration::from_secs(15);
/// Silence after which the carrier is asked.
const SILENCE: TimeDelta = TimeDelta::seconds(90);
/// Calls of one tenant in one look; the next look goes on.
const AT_ONCE: u32 = 20;

/// Runs until the gateway closes.
pub async fn run(app: Arc<App>) {
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = app.stop.closing.cancelled() => return,
        }
        if let Err(error) = once(&app, Utc::now()).await {
            tracing::warn!(%error, "silent calls could not be looked for");
        }
    }
}

/// One look at every tenant, as at this time. A tenant that fails does not keep the others from theirs.
///
/// # Errors
/// When the list of tenants cannot be read.
pub async fn once(app: &App, now: DateTime<Utc>) -> Result<(), StorageError> {
    for (tenant, store) in quarantined_tenants::sound(&app.platform).await? {
        if let Err(error) = of_tenant(app, tenant.id, &store, now).await {
            tracing::warn!(tenant = %tenant.slug, %error, "its silent calls could not be looked for");
        }
    }
    Ok(())
}

async fn of_tenant(
    app: &App,
    tenant: TenantId,
    store: &TenantStore,
    now: DateTime<Utc>,
) -> Result<(), StorageError> {
    for dial in store.silent_dials(now - SILENCE, AT_ONCE).await? {
        let told = match (app.control(), dial.carrier_sid.as_deref()) {
            (Some(control), Some(sid)) => ask(control, &dial, sid).await,
            // Whether it was placed was never known, and no callback ever named it: nobody was reached.
            (_, None) => Told::Ended(DialResult::Failed),
            (None, Some(_)) => Told::Nothing,
        };
        match told {
            Told::Ended(result) => call_result::end(app, tenant, store, &dial, result).await?,
            Told::GoesOn => drop(store.note_dial(dial.id, DialNews::default()).await?),
            // No call lasts so long: nobody will ever tell.
            Told::Nothing if now - dial.created_at > longest() => {
                call_result::end(app, tenant, store, &dial, DialResult::Failed).await?;
            }
            Told::Nothing => {}
        }
    }
    for attempt in store.silent_outreach(now - SILENCE, AT_ONCE).await? {
        of_outreach(app, tenant, store, &attempt, now).await?;
    }
    for to in store.silent_transfers(now - SILENCE, AT_ONCE).await? {
        lost_transfers::settle(app, store, &to, now).await?;
    }
    for wait in store.silent_waits(now - call_queue::KEPT, AT_ONCE).await? {
        call_queue::give_up(app, store, &wait).await?;
    }
    Ok(())
}

async fn of_outreach(
    app: &App,
    tenant: TenantId,
    store: &TenantStore,
    attempt: &Attempt,
    now: DateTime<Utc>,
) -> Result<(), StorageError> {
    let call = store.call(attempt.id).await?;
    let (sid, ended) = call.map_or((None, None), |call| (call.carrier_sid, call.end_reason));
    let told = match (app.control(), sid.as_deref()) {
        // Whether it was placed was never known, and no callback ever named it.
        (_, None) => Some(OutreachResult::Failed),
        (None, Some(_)) => None,
        (Some(control), Some(sid)) => match control.look_up(sid).await {
            Ok(known) => {
                let machine = attempt.machine || known.answered_by == Some(Answerer::Machine);
                let attempt = Attempt { machine, ..attempt.clone() };
                let result = outreach::result_of(&attempt, ended.as_deref(), known.status);
                if result.is_none() {
                    store.note_outreach(attempt.id, OutreachNews::default()).await?;
                }
                result
            }
            Err(ControlError::Gone) => Some(OutreachResult::Failed),
            Err(_) => None,
        },
    };
    let told = told.or((now - attempt.created_at > longest()).then_some(OutreachResult::Failed));
    match told {
        Some(result) => outreach::end(app, tenant, store, attempt.id, result).await,
        None => Ok(()),
    }
}

fn longest() -> TimeDelta {
    TimeDelta::from_std(click_to_call::LIMIT).unwrap_or(TimeDelta::hours(2)) + TimeDelta::hours(1)
}

/// What the carrier says of a call.
enum Told {
    GoesOn,
    Ended(DialResult),
    /// It does not answer.
    Nothing,
}

async fn ask(control: &dyn CallControl, dial: &Dial, sid: &str) -> Told {
    match control.look_up(sid).await {
        Ok(own) if !own.status.is_final() => return Told::GoesOn,
        Ok(_) if dial.stage < DialStage::Dialling => return Told::Ended(DialResult::NotBegun),
        Ok(_) => {}
        Err(ControlError::Gone) => return Told::Ended(DialResult::Failed),
        Err(_) => return Told::Nothing,
    }
    match control.dialled_by(sid).await {
        Ok(Some(other)) => {
            let machine = dial.machine || other.answered_by == Some(Answerer::Machine);
            call_result::result_of(other.status, machine).map_or(Told::GoesOn, Told::Ended)
        }
        // The person hung up before it was dialled.
        Ok(None) => Told::Ended(DialResult::NotBegun),
        Err(_) => Told::Nothing,
    }
}
