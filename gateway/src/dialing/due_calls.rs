//! Appointments that are near are reminded of without being asked for, where the tenant wants that: each by one call.
//!
//! A call keeps to the hours, the list, the consent and the bounds as any other of ours. What is against it leaves no trace: it is
//! asked again at each look, and what passes by itself has passed at one of them. Nothing is remembered here. That a call was
//! begun is on record before it rings, so a gateway that dies amid a look, or another one that looks at the same moment, rings
//! nobody twice.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use pipeline::ports::Language;
use storage::outreach::{Comes, NewOutreach, Purpose};
use storage::records::{Direction, NewCall, WorkItem};
use storage::retries::NewRetries;
use storage::{CallId, Calls, Directory, Line, Outreach, PassportId, StorageError, Tenant, TenantStore};
use telephony::control::CallControl;
use telephony::error::ControlError;
use tokio::time::{MissedTickBehavior, interval};

use super::outreach::{self, NotPlaced};
use super::reminder;
use crate::app::App;
use crate::audit::acts;
use crate::demo;
use crate::quarantined_tenants;

const EVERY: Duration = Duration::from_secs(60);
/// Calls of one tenant in one look; the next look goes on.
const AT_ONCE: usize = 5;
/// Rows that are read at a time.
const PAGE: u32 = 500;
/// Appointments of one tenant that are asked about in one look, the nearest first.
const MOST: usize = 1_000;
/// Who asked for these calls, as their records have it.
const ACTOR: &str = "reminders";
/// Who is not reached is called once more, as soon as a number may be called again, if the appointment is still to come then.
const AGAIN: NewRetries = NewRetries { most: 1, every: TimeDelta::days(1), machines: false };

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
            tracing::warn!(%error, "appointments to be reminded of could not be looked for");
        }
    }
}

/// One look at every tenant: by the clock of the gateway, and after what was placed up to `now`. A tenant that fails does not keep
/// the others from theirs.
///
/// # Errors
/// When the list of tenants cannot be read.
pub async fn once(app: &App, now: DateTime<Utc>) -> Result<(), StorageError> {
    let Some(control) = app.control().filter(|_| app.is_ready()) else { return Ok(()) };
    for (tenant, store) in quarantined_tenants::sound(&app.platform).await? {
        if let Err(error) = of_tenant(app, control, (&tenant, &store), now).await {
            tracing::warn!(tenant = %tenant.slug, %error, "its appointments could not be looked for");
        }
    }
    Ok(())
}

async fn of_tenant(
    app: &App,
    control: &dyn CallControl,
    (tenant, store): (&Tenant, &TenantStore),
    now: DateTime<Utc>,
) -> anyhow::Result<()> {
    let hours = demo::facts(&app.platform, tenant).await?.remind_hours;
    if hours == 0 || !outreach::has_room(app) {
        return Ok(());
    }
    let Some(line) = app.platform.store().lines(tenant.id).await?.into_iter().next() else { return Ok(()) };
    let zone = tenant.timezone.parse().unwrap_or(Tz::UTC);
    let mut left = AT_ONCE;
    for item in near(store, zone, app.clock.now(), TimeDelta::hours(hours.into())).await? {
        if left == 0 || !outreach::has_room(app) {
            break;
        }
        match remind(app, control, (tenant, store), (&item, &line), now).await? {
            Next::Made => left -= 1,
            Next::Not => {}
            Next::Enough => break,
        }
    }
    Ok(())
}

/// Those within so long that no call was ever to remind of, the nearest first.
async fn near(
    store: &TenantStore,
    zone: Tz,
    from: DateTime<Utc>,
    within: TimeDelta,
) -> Result<Vec<WorkItem>, StorageError> {
    let mut near = Vec::new();
    let mut after = None;
    loop {
        let page = store.unreminded(after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        near.extend(page.into_iter().filter_map(|item| {
            let starts = reminder::starts_at(&item, zone)?;
            (starts > from && starts <= from + within).then_some((starts, item))
        }));
        near.sort_by_key(|(starts, _)| *starts);
        near.truncate(MOST);
    }
    Ok(near.into_iter().map(|(_, item)| item).collect())
}

/// What became of an appointment in one look.
enum Next {
    Made,
    Not,
    /// The carrier places no calls now, for whomever they are.
    Enough,
}

async fn remind(
    app: &App,
    control: &dyn CallControl,
    (tenant, store): (&Tenant, &TenantStore),
    (item, line): (&WorkItem, &Line),
    now: DateTime<Utc>,
) -> Result<Next, StorageError> {
    let Some(number) = reminder::number_of(store, item).await? else { return Ok(Next::Not) };
    let (of, about) = ((tenant.id, store), Some(item.reference.as_str()));
    if outreach::allowed(app, of, &number, Purpose::Appointment, about, now).await?.is_err() {
        return Ok(Next::Not);
    }
    let call = NewCall {
        id: CallId::new(),
        carrier_sid: None,
        line: line.number.clone(),
        caller: Some(number),
        direction: Direction::Outbound,
        language: language_of(store, item, line).await?.code().to_owned(),
        passport_id: Some(PassportId::new()),
        started_at: Utc::now(),
    };
    let id = call.id;
    let entry = acts::call_placed_unasked(id, &item.reference);
    let new = NewOutreach {
        call,
        purpose: Purpose::Appointment,
        actor: ACTOR.to_owned(),
        comes: Comes::Unasked(AGAIN),
        item: Some(item.reference.clone()),
    };
    let (what, next) = match outreach::dial(app, control, of, new, entry).await {
        Ok(_) => ("placed", Next::Made),
        // Or another gateway was quicker, or somebody closed it.
        Err(NotPlaced::Busy) => return Ok(Next::Not),
        // It is on record, and what follows it too.
        Err(NotPlaced::ByCarrier(error)) => {
            tracing::warn!(call_id = %id, reason = error.reason(), "the carrier did not place a reminder");
            let is_of_number = matches!(error, ControlError::Refused { .. });
            ("not_placed", if is_of_number { Next::Made } else { Next::Enough })
        }
        Err(NotPlaced::Failed(error)) => {
            tracing::warn!(call_id = %id, ?error, "a reminder was not placed");
            ("not_placed", Next::Enough)
        }
    };
    metrics::counter!("quandura_reminders_total", "what" => what).increment(1);
    Ok(next)
}

/// The language in which it was booked; that of the line where nobody knows.
async fn language_of(store: &TenantStore, item: &WorkItem, line: &Line) -> Result<Language, StorageError> {
    let booked = match item.call_id {
        Some(call) => store.call(call).await?.map(|call| call.language),
        None => None,
    };
    let tag = booked.or_else(|| line.languages.first().cloned()).unwrap_or_default();
    Ok(Language::of(&tag).unwrap_or(Language::En))
}
