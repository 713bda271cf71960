//! Calls to a list of numbers: each as if it had been asked for by itself, so many at a time as there is room for.
//!
//! Every number keeps to the hours, the list, the consent and the bounds as they are at its own time. What passes by itself puts it
//! off; all else is what became of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use storage::campaigns::{Campaign, CampaignState, Entry, EntryState};
use storage::outreach::{Comes, NewOutreach, OutreachResult};
use storage::records::{Direction, NewCall};
use storage::{CallId, Campaigns, Directory, PassportId, StorageError, TenantId, TenantStore};
use telephony::control::CallControl;
use tokio::time::{MissedTickBehavior, interval};

use super::outreach::{self, NotPlaced};
use super::pacing::{self, Pace};
use super::refusals::Rule;
use crate::app::App;
use crate::audit::acts;
use crate::quarantined_tenants;

const EVERY: Duration = Duration::from_secs(5);
/// Whoever claimed one has so long.
const CLAIM: TimeDelta = TimeDelta::minutes(2);
/// From then on no call is begun on a claim: a carrier that does not answer takes less than what is left of it.
const ENOUGH: Duration = Duration::from_secs(60);
/// Numbers of one campaign that are asked about in one look; the next look goes on.
const AT_ONCE: u32 = 50;
/// Until a number may be free again.
const SOON: TimeDelta = TimeDelta::minutes(2);
/// Until a rule that passes with time is asked again, where it does not say when.
const LATER: TimeDelta = TimeDelta::hours(6);
const NO_ROOM: &str = "no_room";

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
            tracing::warn!(%error, "campaigns could not be looked for");
        }
    }
}

/// One look at every campaign of every tenant, as at this time. One that fails does not keep the others from theirs.
///
/// # Errors
/// When the list of tenants cannot be read.
pub async fn once(app: &App, now: DateTime<Utc>) -> Result<(), StorageError> {
    let before = Utc::now();
    for (tenant, store) in quarantined_tenants::sound(&app.platform).await? {
        loop {
            let claimed = match store.claim_campaign(now, before, now + CLAIM).await {
                Ok(Some(claimed)) => claimed,
                Ok(None) => break,
                Err(error) => {
                    tracing::warn!(tenant = %tenant.slug, %error, "its campaigns could not be looked for");
                    break;
                }
            };
            let id = claimed.id;
            let looked = look(app, (tenant.id, &store), &claimed, now).await;
            let waits = looked.as_ref().ok().copied().flatten();
            if let Err(error) = looked {
                tracing::warn!(campaign = %id, %error, "a campaign could not be gone on with; it is tried again");
            }
            if let Err(error) = store.release_campaign(id, waits).await {
                tracing::warn!(campaign = %id, %error, "a campaign rests until its claim has run out");
                break;
            }
        }
    }
    Ok(())
}

/// Begins what may begin now. Why nothing does, where that is known.
async fn look(
    app: &App,
    (tenant, store): (TenantId, &TenantStore),
    campaign: &Campaign,
    now: DateTime<Utc>,
) -> Result<Option<&'static str>, StorageError> {
    if store.finish_campaign(campaign.id, now).await? {
        note_end(app, tenant, store, campaign).await?;
        return Ok(None);
    }
    let Some(control) = app.control().filter(|_| app.is_ready()) else {
        return Ok(Some("not_ready"));
    };
    if campaign.state != CampaignState::Running {
        return Ok(None);
    }
    let counts = store.campaign_counts(campaign.id).await?;
    let open = counts.iter().filter(|one| one.state == EntryState::Calling).map(|one| one.count).sum::<u32>();
    let recent = store.campaign_results(campaign.id, pacing::RECENT).await?;
    let room = outreach::room(app);
    let pace = Pace { at_once: campaign.at_once as usize, open: open as usize, room, recent: &recent };
    let mut left = pacing::starts(pace);
    let due = store.due_entries(campaign.id, now, AT_ONCE).await?;
    if room == 0 && !due.is_empty() {
        return Ok(Some(NO_ROOM));
    }
    let began = Instant::now();
    for entry in due {
        if left == 0 || began.elapsed() > ENOUGH {
            break;
        }
        match next(app, control, (tenant, store), (campaign, &entry), now).await? {
            Next::Made => left -= 1,
            Next::NoRoom => return Ok(Some(NO_ROOM)),
            // Paused or canceled meanwhile, or a fault of ours: the next look tells.
            Next::Not => break,
            Next::PutOff(until, why) => drop(store.put_off_entry(entry.id, until, why).await?),
            Next::Ends(why) => {
                if store.end_entry(entry.id, why).await? {
                    count(why);
                }
            }
        }
    }
    Ok(None)
}

/// What becomes of a number that is due.
enum Next {
    Made,
    NoRoom,
    Not,
    PutOff(DateTime<Utc>, &'static str),
    Ends(&'static str),
}

async fn next(
    app: &App,
    control: &dyn CallControl,
    (tenant, store): (TenantId, &TenantStore),
    (campaign, entry): (&Campaign, &Entry),
    now: DateTime<Utc>,
) -> Result<Next, StorageError> {
    let Some(number) = store.entry_number(entry.id).await? else {
        return Ok(Next::Ends(Rule::NoNumber.name()));
    };
    let line = app.platform.store().line(&campaign.line).await?;
    if line.is_none_or(|line| line.tenant_id != tenant) {
        return Ok(Next::Ends(Rule::NoLine.name()));
    }
    let item = entry.item.as_deref();
    if let Err(rule) = outreach::allowed(app, (tenant, store), &number, campaign.purpose, item, now).await? {
        return Ok(refused(app, campaign, entry, rule, now));
    }
    if !outreach::has_room(app) {
        return Ok(Next::NoRoom);
    }
    let call = NewCall {
        id: CallId::new(),
        carrier_sid: None,
        line: campaign.line.clone(),
        caller: Some(number),
        direction: Direction::Outbound,
        language: campaign.language.clone(),
        passport_id: Some(PassportId::new()),
        started_at: Utc::now(),
    };
    let placed = acts::call_placed_listed(call.id, campaign);
    let new = NewOutreach {
        call,
        purpose: campaign.purpose,
        actor: campaign.actor.clone(),
        comes: Comes::Listed(entry.id),
        item: entry.item.clone(),
    };
    match outreach::dial(app, control, (tenant, store), new, placed).await {
        Ok(_) => Ok(Next::Made),
        Err(NotPlaced::Busy) => Ok(Next::PutOff(now + SOON, "being_called")),
        // It is on record, and what follows it too.
        Err(NotPlaced::ByCarrier(error)) => {
            tracing::warn!(entry = %entry.id, reason = error.reason(), "the carrier did not place a call of a campaign");
            Ok(Next::Made)
        }
        Err(NotPlaced::Failed(error)) => {
            tracing::warn!(entry = %entry.id, ?error, "a call of a campaign was not placed");
            Ok(Next::Not)
        }
    }
}

/// A rule is against it: one that passes before the campaign is over is waited for. How often a number is called counts against
/// the first call for good, and puts off those that follow it, which are a part of the count themselves.
fn refused(app: &App, campaign: &Campaign, entry: &Entry, rule: Rule, now: DateTime<Utc>) -> Next {
    let until = match &rule {
        Rule::QuietHours(until) => now + until.map_or(LATER, |until| until - app.clock.now()),
        Rule::TooOften(until) if entry.attempts > 0 => until.unwrap_or(now + LATER),
        _ => return Next::Ends(rule.name()),
    };
    if until < campaign.until { Next::PutOff(until, rule.name()) } else { Next::Ends(rule.name()) }
}

/// A call of ours is over: where it was the last to its number, that is counted.
///
/// # Errors
/// When storage does not answer.
pub(super) async fn note_call(
    store: &TenantStore,
    id: CallId,
    result: OutreachResult,
) -> Result<(), StorageError> {
    let entry = store.entry_of_call(id).await?;
    if entry.is_some_and(|entry| entry.state == EntryState::Ended) {
        count(result.as_str());
    }
    Ok(())
}

fn count(result: &'static str) {
    metrics::counter!("quandura_campaign_numbers_total", "result" => result).increment(1);
}

/// Every number is done with: that is on the audit, and how many came to what.
async fn note_end(
    app: &App,
    tenant: TenantId,
    store: &TenantStore,
    campaign: &Campaign,
) -> Result<(), StorageError> {
    let counts = store.campaign_counts(campaign.id).await?;
    tracing::info!(campaign = %campaign.id, "a campaign has ended");
    let entry = acts::campaign_ended(campaign.id, &counts);
    if let Err(error) = app.audit.record(Some(tenant), entry).await {
        tracing::error!(%error, campaign = %campaign.id, "the end of a campaign is not on the audit");
    }
    Ok(())
}
