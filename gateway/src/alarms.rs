//! An emergency cannot wait in a queue: tells people of requests that nobody has taken on in time.
//!
//! What is due stands in the database, so a restart forgets no alarm, and of several gateways one raises it. The rows of the
//! outbox are written in the same transaction; the audit and the live event follow.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use storage::alarms::{Alarm, AlarmsDue};
use storage::{Alarms, StorageError, Tenant, TenantStore};
use tokio::time::{MissedTickBehavior, interval};

use crate::app::App;
use crate::audit::acts;
use crate::event_bus::work::WorkEvent;
use crate::quarantined_tenants;

/// How often waiting requests are looked for: what an alarm may be late.
const EVERY: Duration = Duration::from_secs(5);
/// Alarms of one tenant in one look; the next look goes on.
const AT_ONCE: u32 = 50;
/// What a destination of the outbox begins with that is told of alarms.
pub const DESTINATION: &str = "alarm:";
/// What follows where it is told by e-mail; otherwise the name of a webhook does.
pub const MAIL: &str = "mail:";

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
            tracing::warn!(%error, "waiting requests could not be looked for");
        }
    }
}

/// One look at every tenant, as at this time. A tenant that fails does not keep the others from theirs.
pub async fn once(app: &App, now: DateTime<Utc>) -> Result<(), StorageError> {
    for (tenant, store) in quarantined_tenants::sound(&app.platform).await? {
        if let Err(error) = of_tenant(app, &tenant, &store, now).await {
            tracing::warn!(tenant = %tenant.slug, %error, "its waiting requests could not be looked for");
        }
    }
    Ok(())
}

async fn of_tenant(
    app: &App,
    tenant: &Tenant,
    store: &TenantStore,
    now: DateTime<Utc>,
) -> Result<(), StorageError> {
    let settings = &app.config.alarms;
    let times = settings.of(&tenant.slug);
    if times.times == 0 {
        return Ok(());
    }
    let before = |minutes: u32| now - TimeDelta::minutes(minutes.into());
    let hooks = settings.hooks.iter().filter(|hook| hook.serves(&tenant.slug));
    let hooks = hooks.map(|hook| format!("{DESTINATION}{}", hook.name));
    let mail = settings.mail.iter().filter(|mail| mail.serves(&tenant.slug));
    let mail = mail.map(|mail| format!("{DESTINATION}{MAIL}{}", mail.name));
    let due = AlarmsDue {
        now,
        urgent_since: before(times.urgent_minutes),
        high_since: before(times.high_minutes),
        again_since: before(times.again_minutes),
        times: times.times,
        tell: hooks.chain(mail).collect(),
        limit: AT_ONCE,
    };
    for alarm in store.raise_alarms(due).await? {
        tell(app, tenant, &alarm).await;
    }
    Ok(())
}

/// The consoles first: the audit may have to wait for the disk.
async fn tell(app: &App, tenant: &Tenant, alarm: &Alarm) {
    app.fanout.publish_work(tenant.id.0, &WorkEvent::alarm(alarm));
    metrics::counter!("quandura_alarms_total").increment(1);
    let item = &alarm.item;
    tracing::warn!(
        tenant = %tenant.slug, reference = %item.reference, priority = %item.priority, alarms = item.alarms,
        "nobody has taken on a request that cannot wait"
    );
    if let Err(error) = app.audit.record(Some(tenant.id), acts::work_item_alarmed(item)).await {
        tracing::error!(%error, reference = %item.reference, "an alarm is not on the audit; it is in the request's history");
    }
}
