//! Calls that are due without being asked for, where the tenant wants that: about appointments that are near, and about requests in
//! which a team found something missing. One call for each.
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
use storage::records::{Direction, NewCall, WorkItem, WorkKind};
use storage::retries::NewRetries;
use storage::{CallId, Calls, Directory, Line, Outreach, PassportId, StorageError, Tenant, TenantStore};
use telephony::control::CallControl;
use telephony::error::ControlError;
use tokio::time::{MissedTickBehavior, interval};

use super::on_file::number_of;
use super::outreach::{self, NotPlaced};
use super::{follow_up, reminder};
use crate::app::App;
use crate::audit::acts;
use crate::demo;
use crate::quarantined_tenants;

const EVERY: Duration = Duration::from_secs(60);
/// Calls of one tenant in one look; the next look goes on.
const AT_ONCE: usize = 5;
/// Rows that are read at a time.
const PAGE: u32 = 500;
/// Requests of one tenant and kind that are asked about in one look, those first that cannot wait.
const MOST: usize = 1_000;
/// Who is not reached is called once more, as soon as a number may be called again, if there is still a reason then.
const AGAIN: NewRetries = NewRetries { most: 1, every: TimeDelta::days(1), machines: false };

/// Why a call is due.
#[derive(Clone, Copy)]
enum Why {
    Near,
    Missing,
}

impl Why {
    const fn purpose(self) -> Purpose {
        match self {
            Self::Near => Purpose::Appointment,
            Self::Missing => Purpose::Request,
        }
    }

    /// Who asked for these calls, as their records have it.
    const fn actor(self) -> &'static str {
        match self {
            Self::Near => "reminders",
            Self::Missing => "follow_ups",
        }
    }

    fn count(self, what: &'static str) {
        match self {
            Self::Near => metrics::counter!("quandura_reminders_total", "what" => what).increment(1),
            Self::Missing => metrics::counter!("quandura_follow_ups_total", "what" => what).increment(1),
        }
    }
}

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
            tracing::warn!(%error, "calls that are due could not be looked for");
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
            tracing::warn!(tenant = %tenant.slug, %error, "its calls that are due could not be looked for");
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
    let facts = demo::facts(&app.platform, tenant).await?;
    if (facts.remind_hours == 0 && !facts.follow_up_calls) || !outreach::has_room(app) {
        return Ok(());
    }
    let Some(line) = app.platform.store().lines(tenant.id).await?.into_iter().next() else { return Ok(()) };
    let mut due = Vec::new();
    if facts.remind_hours > 0 {
        let zone = tenant.timezone.parse().unwrap_or(Tz::UTC);
        let within = TimeDelta::hours(facts.remind_hours.into());
        due.extend(
            near(store, zone, app.clock.now(), within).await?.into_iter().map(|item| (Why::Near, item)),
        );
    }
    if facts.follow_up_calls {
        due.extend(incomplete(store).await?.into_iter().map(|item| (Why::Missing, item)));
    }
    let mut left = AT_ONCE;
    for (why, item) in due {
        if left == 0 || !outreach::has_room(app) {
            break;
        }
        match place(app, control, (tenant, store), why, (&item, &line), now).await? {
            Next::Made => left -= 1,
            Next::Not => {}
            Next::Enough => break,
        }
    }
    Ok(())
}

/// Appointments within so long that no call was ever to remind of, the nearest first.
async fn near(
    store: &TenantStore,
    zone: Tz,
    from: DateTime<Utc>,
    within: TimeDelta,
) -> Result<Vec<WorkItem>, StorageError> {
    let starts_soon = |item: &WorkItem| {
        reminder::starts_at(item, zone).filter(|starts| *starts > from && *starts <= from + within)
    };
    first_of(store, WorkKind::Inspection, starts_soon).await
}

/// Requests of teams for what is missing that no call was ever about, the oldest first.
async fn incomplete(store: &TenantStore) -> Result<Vec<WorkItem>, StorageError> {
    let asked_at = |item: &WorkItem| follow_up::missing_in(item).map(|_| item.created_at);
    first_of(store, WorkKind::Callback, asked_at).await
}

/// Requests of a kind that no call was ever about, in the order of their times; those without one are left out.
async fn first_of(
    store: &TenantStore,
    kind: WorkKind,
    time_of: impl Fn(&WorkItem) -> Option<DateTime<Utc>>,
) -> Result<Vec<WorkItem>, StorageError> {
    let mut first = Vec::new();
    let mut after = None;
    loop {
        let page = store.uncalled(kind, after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        first.extend(page.into_iter().filter_map(|item| Some((time_of(&item)?, item))));
        first.sort_by_key(|(time, _)| *time);
        first.truncate(MOST);
    }
    Ok(first.into_iter().map(|(_, item)| item).collect())
}

/// What became of a request in one look.
enum Next {
    Made,
    Not,
    /// The carrier places no calls now, for whomever they are.
    Enough,
}

async fn place(
    app: &App,
    control: &dyn CallControl,
    (tenant, store): (&Tenant, &TenantStore),
    why: Why,
    (item, line): (&WorkItem, &Line),
    now: DateTime<Utc>,
) -> Result<Next, StorageError> {
    let Some(number) = number_of(store, item).await? else { return Ok(Next::Not) };
    let (of, purpose, about) = ((tenant.id, store), why.purpose(), item.reference.as_str());
    if outreach::allowed(app, of, &number, purpose, Some(about), now).await?.is_err() {
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
    let entry = acts::call_placed_unasked(id, why.actor(), purpose, about);
    let new = NewOutreach {
        call,
        purpose,
        actor: why.actor().to_owned(),
        comes: Comes::Unasked(AGAIN),
        item: Some(about.to_owned()),
    };
    let (what, next) = match outreach::dial(app, control, of, new, entry).await {
        Ok(_) => ("placed", Next::Made),
        // Or another gateway was quicker, or somebody took it on.
        Err(NotPlaced::Busy) => return Ok(Next::Not),
        // It is on record, and what follows it too.
        Err(NotPlaced::ByCarrier(error)) => {
            tracing::warn!(call_id = %id, reason = error.reason(), "the carrier did not place a call that was due");
            let is_of_number = matches!(error, ControlError::Refused { .. });
            ("not_placed", if is_of_number { Next::Made } else { Next::Enough })
        }
        Err(NotPlaced::Failed(error)) => {
            tracing::warn!(call_id = %id, ?error, "a call that was due was not placed");
            ("not_placed", Next::Enough)
        }
    };
    why.count(what);
    Ok(next)
}

/// The language of the call in which it was left; that of the line where nobody knows.
async fn language_of(store: &TenantStore, item: &WorkItem, line: &Line) -> Result<Language, StorageError> {
    let left_in = match item.call_id {
        Some(call) => store.call(call).await?.map(|call| call.language),
        None => None,
    };
    let tag = left_in.or_else(|| line.languages.first().cloned()).unwrap_or_default();
    Ok(Language::of(&tag).unwrap_or(Language::En))
}
