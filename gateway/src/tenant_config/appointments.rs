//! Times that callers may book, week after week: kept as a plan, from which free times are always made some weeks ahead.

use chrono::{DateTime, Datelike, Days, NaiveDate, TimeDelta, TimeZone, Utc, Weekday};
use chrono_tz::Tz;
use dialogue::TenantFacts;
use dialogue::builtin::week::{DAYS, minutes};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use storage::records::Slot;
use storage::{Platform, Settings, SlotId, Slots, StorageError, TenantId, TenantStore};
use uuid::Uuid;

use super::single_slots::{self, SingleSlot};
use crate::{demo, quarantined_tenants};

/// Setting under which a tenant's plans are kept.
pub const SETTING: &str = "appointments";

/// One kind of appointment.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Appointments {
    /// Which kind, or whose calendar.
    pub label: String,
    /// `monday` to `sunday`.
    pub days: Vec<String>,
    /// When they begin, `9:00`, by the tenant's clock.
    pub times: Vec<String>,
    pub minutes: u32,
    /// How far ahead they may be booked.
    pub weeks: u32,
}

impl Default for Appointments {
    fn default() -> Self {
        let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday"];
        Self {
            label: "safety inspection".to_owned(),
            days: weekdays.map(str::to_owned).to_vec(),
            times: Vec::new(),
            minutes: 60,
            weeks: 3,
        }
    }
}

/// A day by its name.
#[must_use]
pub fn day(name: &str) -> Option<Weekday> {
    DAYS.into_iter()
        .find(|day| format!("{day:?}").eq_ignore_ascii_case(name.get(..3).unwrap_or_default()))
        .filter(|_| {
            ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].contains(&name)
        })
}

/// What the demo tenant books.
#[must_use]
pub fn of_the_demo() -> Vec<Appointments> {
    let times = ["9:00", "10:30", "13:00", "15:00"].map(str::to_owned).to_vec();
    vec![Appointments { times, ..Appointments::default() }]
}

/// The times of all plans, from tomorrow on; none on a holiday.
#[must_use]
pub fn slots(
    tenant: TenantId,
    plans: &[Appointments],
    holidays: &[NaiveDate],
    zone: Tz,
    now: DateTime<Utc>,
) -> Vec<Slot> {
    let today = now.with_timezone(&zone).date_naive();
    let mut slots = Vec::new();
    for plan in plans {
        let days: Vec<Weekday> = plan.days.iter().filter_map(|name| day(name)).collect();
        let length = TimeDelta::minutes(i64::from(plan.minutes));
        let ahead = (1..=u64::from(plan.weeks) * 7).filter_map(|n| today.checked_add_days(Days::new(n)));
        for date in ahead.filter(|date| days.contains(&date.weekday()) && !holidays.contains(date)) {
            for at in plan.times.iter().filter_map(|time| minutes(time)) {
                let local = date.and_time(chrono::NaiveTime::MIN) + TimeDelta::minutes(i64::from(at));
                // A time that the clock skips is no time.
                let Some(starts_at) = zone.from_local_datetime(&local).earliest() else { continue };
                let starts_at = starts_at.with_timezone(&Utc);
                let id = id(tenant, &plan.label, starts_at);
                slots.push(Slot { id, starts_at, ends_at: starts_at + length, label: plan.label.clone() });
            }
        }
    }
    slots
}

/// The same time has the same id on every node, so that none is there twice.
pub(super) fn id(tenant: TenantId, label: &str, starts_at: DateTime<Utc>) -> SlotId {
    let digest = Sha256::digest(format!("{}\n{label}\n{}", tenant.0, starts_at.timestamp()));
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    // Version 8 of RFC 9562: bytes of our own making.
    bytes[6] = (bytes[6] & 0x0f) | 0x80;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    SlotId(Uuid::from_bytes(bytes))
}

/// The kept plans; `None`: nobody made any, and what is there stays.
pub async fn kept(store: &TenantStore) -> Result<Option<Vec<Appointments>>, StorageError> {
    let kept = store.setting(SETTING).await?;
    Ok(kept.and_then(|value| serde_json::from_value(value).ok()))
}

/// Makes the times of plans and single ones. What is not among them goes, unless it is booked.
pub async fn renew(
    store: &TenantStore,
    plans: &[Appointments],
    singles: &[SingleSlot],
    holidays: &[NaiveDate],
    zone: Tz,
) -> Result<(), StorageError> {
    let now = Utc::now();
    let mut made = slots(store.id(), plans, holidays, zone, now);
    made.extend(single_slots::slots(store.id(), singles, zone, now));
    store.renew_slots(&made, now).await
}

/// Makes the times that have come within reach since the last run, for every tenant with plans.
pub async fn renew_all(platform: &Platform) -> Result<(), StorageError> {
    for (tenant, store) in quarantined_tenants::sound(platform).await? {
        let Some(plans) = kept(&store).await? else { continue };
        let zone = tenant.timezone.parse().unwrap_or(Tz::UTC);
        let singles = store.setting(single_slots::SETTING).await?;
        let singles: Vec<SingleSlot> =
            singles.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default();
        let facts = store.setting(demo::FACTS).await?;
        let facts = facts.and_then(|value| serde_json::from_value::<TenantFacts>(value).ok());
        let holidays: Vec<NaiveDate> =
            facts.into_iter().flat_map(|facts| facts.holidays.into_keys()).collect();
        if let Err(error) = renew(&store, &plans, &singles, &holidays, zone).await {
            tracing::warn!(tenant = %tenant.slug, %error, "its appointments were not renewed");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_makes_its_times_by_the_tenants_clock_and_always_the_same_ones() {
        let now = Utc.with_ymd_and_hms(2026, 10, 30, 12, 0, 0).unwrap();
        let plan = Appointments {
            days: vec!["monday".to_owned()],
            times: vec!["9:00".to_owned(), "13:30".to_owned()],
            minutes: 30,
            weeks: 2,
            ..Appointments::default()
        };
        let zone: Tz = "America/New_York".parse().unwrap();
        let made = slots(TenantId::new(), std::slice::from_ref(&plan), &[], zone, now);
        let starts: Vec<String> = made.iter().map(|slot| slot.starts_at.to_rfc3339()).collect();
        // Standard time came on November 1.
        assert_eq!(starts[..2], ["2026-11-02T14:00:00+00:00", "2026-11-02T18:30:00+00:00"]);
        assert_eq!((made.len(), made[0].ends_at - made[0].starts_at), (4, TimeDelta::minutes(30)));
        let off = [NaiveDate::from_ymd_opt(2026, 11, 2).unwrap()];
        assert_eq!(
            slots(TenantId::new(), std::slice::from_ref(&plan), &off, zone, now).len(),
            2,
            "closed on one"
        );
        let tenant = TenantId::new();
        assert_eq!(
            slots(tenant, std::slice::from_ref(&plan), &[], zone, now),
            slots(tenant, &[plan], &[], zone, now)
        );
    }
}
