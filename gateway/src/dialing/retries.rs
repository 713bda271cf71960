//! A call of ours that reached nobody is tried again, as often as whoever asked for it wanted.
//!
//! Each attempt keeps to the hours, the list, the consent and the bounds as they are at its own time. What passes by itself puts it
//! off; all else ends the attempts, with its reason on the audit.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use storage::outreach::{Comes, NewOutreach, Outreach as Attempt};
use storage::records::{Call, Direction, NewCall};
use storage::retries::{Retries as Kept, RetryState};
use storage::{CallId, Calls, Directory, Outreach, PassportId, Retries, StorageError, TenantId, TenantStore};
use telephony::control::CallControl;
use tokio::time::{MissedTickBehavior, interval};

use super::about;
use super::outreach::{self, NotPlaced};
use super::refusals::Rule;
use crate::app::App;
use crate::audit::acts;
use crate::quarantined_tenants;

const EVERY: Duration = Duration::from_secs(15);
/// Whoever claimed one has so long: a carrier that does not answer takes less.
const CLAIM: TimeDelta = TimeDelta::minutes(2);
/// Attempts of one tenant in one look; the next look goes on.
const AT_ONCE: usize = 5;
/// Until room or the number may be free again.
const SOON: TimeDelta = TimeDelta::minutes(2);
/// Until a rule that passes with time is asked again, where it does not say when.
const LATER: TimeDelta = TimeDelta::hours(6);
/// From the first attempt; nobody waits for a call of then.
const TOO_LATE: TimeDelta = TimeDelta::days(14);
/// Why attempts end that somebody took back.
pub const CANCELED: &str = "canceled";

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
            tracing::warn!(%error, "calls to be tried again could not be looked for");
        }
    }
}

/// One look at every tenant, as at this time. A tenant that fails does not keep the others from theirs.
///
/// # Errors
/// When the list of tenants cannot be read.
pub async fn once(app: &App, now: DateTime<Utc>) -> Result<(), StorageError> {
    let Some(control) = app.control().filter(|_| app.is_ready()) else { return Ok(()) };
    for (tenant, store) in quarantined_tenants::sound(&app.platform).await? {
        let mut seen = HashSet::new();
        while seen.len() < AT_ONCE {
            let claimed = match store.claim_retry(now, now + CLAIM).await {
                Ok(Some(claimed)) => claimed,
                Ok(None) => break,
                Err(error) => {
                    tracing::warn!(tenant = %tenant.slug, %error, "its calls to be tried again could not be looked for");
                    break;
                }
            };
            let id = claimed.id;
            // One look makes no two attempts of a call, however soon the first is over.
            if !seen.insert(id) {
                break;
            }
            if let Err(error) = of_call(app, control, (tenant.id, &store), claimed, now).await {
                tracing::warn!(call_id = %id, %error, "a call could not be tried again; it is when its claim has run out");
            }
        }
    }
    Ok(())
}

/// What becomes of an attempt that is due.
enum Next {
    Made,
    PutOff(DateTime<Utc>, &'static str),
    Ends(&'static str),
}

async fn of_call(
    app: &App,
    control: &dyn CallControl,
    (tenant, store): (TenantId, &TenantStore),
    kept: Kept,
    now: DateTime<Utc>,
) -> Result<(), StorageError> {
    let next = next(app, control, (tenant, store), &kept, now).await?;
    let what = match next {
        Next::Made => "made",
        Next::PutOff(until, why) => {
            store.put_off_retry(kept.id, until, why).await?;
            "put_off"
        }
        Next::Ends(why) => {
            if store.stop_retries(kept.id, why).await? {
                note(app, tenant, store, kept.id, why).await?;
            }
            "ended"
        }
    };
    metrics::counter!("quandura_outreach_retries_total", "what" => what).increment(1);
    Ok(())
}

async fn next(
    app: &App,
    control: &dyn CallControl,
    (tenant, store): (TenantId, &TenantStore),
    kept: &Kept,
    now: DateTime<Utc>,
) -> Result<Next, StorageError> {
    let (Some(first), Some(call)) = (store.outreach(kept.id).await?, store.call(kept.id).await?) else {
        return Ok(Next::Ends("no_number"));
    };
    // Who is called is in the first call's record alone: it may have been deleted meanwhile.
    let Some(number) = store.caller_number(kept.id).await? else { return Ok(Next::Ends("no_number")) };
    if now - first.created_at > TOO_LATE {
        return Ok(Next::Ends("too_late"));
    }
    if let Some(item) = &first.item
        && let Err(rule) = about::of(app, (tenant, store), first.purpose, item).await?
    {
        return Ok(Next::Ends(rule.name()));
    }
    let line = app.platform.store().line(&call.line).await?;
    if line.is_none_or(|line| line.tenant_id != tenant) {
        return Ok(Next::Ends(Rule::NoLine.name()));
    }
    let clock = app.clock.now();
    if let Err(rule) = outreach::may_call(store, &number, first.purpose, clock, now).await? {
        return Ok(match rule {
            Rule::QuietHours(until) => {
                Next::PutOff(now + until.map_or(LATER, |until| until - clock), rule.name())
            }
            Rule::TooOften(until) => Next::PutOff(until.unwrap_or(now + LATER), rule.name()),
            rule => Next::Ends(rule.name()),
        });
    }
    if !outreach::has_room(app) {
        return Ok(Next::PutOff(now + SOON, "no_room"));
    }
    let new = again(&first, &call, number);
    let entry = acts::call_placed_again(new.call.id, &first);
    match outreach::dial(app, control, (tenant, store), new, entry).await {
        Ok(_) => Ok(Next::Made),
        Err(NotPlaced::Busy) => Ok(Next::PutOff(now + SOON, "being_called")),
        // It is on record, and what follows it too.
        Err(NotPlaced::ByCarrier(error)) => {
            tracing::warn!(call_id = %kept.id, reason = error.reason(), "the carrier did not place a call that was tried again");
            Ok(Next::Made)
        }
        Err(NotPlaced::Failed(error)) => {
            tracing::warn!(call_id = %kept.id, ?error, "a call could not be tried again");
            Ok(Next::Made)
        }
    }
}

/// The next attempt: a call of its own.
fn again(first: &Attempt, call: &Call, number: String) -> NewOutreach {
    let call = NewCall {
        id: CallId::new(),
        carrier_sid: None,
        line: call.line.clone(),
        caller: Some(number),
        direction: Direction::Outbound,
        language: call.language.clone(),
        passport_id: Some(PassportId::new()),
        started_at: Utc::now(),
    };
    NewOutreach {
        call,
        purpose: first.purpose,
        actor: first.actor.clone(),
        comes: Comes::Again(first.first),
        item: first.item.clone(),
    }
}

/// A call of ours is over: where it was the last of several attempts, that is on the audit.
///
/// # Errors
/// When storage does not answer.
pub(super) async fn note_end(
    app: &App,
    tenant: TenantId,
    store: &TenantStore,
    id: CallId,
) -> Result<(), StorageError> {
    let Some(attempt) = store.outreach(id).await? else { return Ok(()) };
    let Some(kept) = store.retries(attempt.first).await? else { return Ok(()) };
    let reason = kept.reason.as_deref().unwrap_or_default();
    if kept.last != id || kept.state != RetryState::Ended || reason == CANCELED {
        return Ok(());
    }
    note(app, tenant, store, kept.id, reason).await
}

async fn note(
    app: &App,
    tenant: TenantId,
    store: &TenantStore,
    first: CallId,
    reason: &str,
) -> Result<(), StorageError> {
    let attempts = store.attempts(first).await?.len();
    let entry = acts::call_retries_ended(first, reason, attempts);
    if let Err(error) = app.audit.record(Some(tenant), entry).await {
        tracing::error!(%error, call_id = %first, "that no attempt follows is not on the audit");
    }
    Ok(())
}
