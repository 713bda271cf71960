//! A document from what the stores keep, and laid over it.

use std::collections::BTreeMap;

use chrono::{NaiveDate, Utc};
use dialogue::builtin::week::minutes;
use serde_json::json;
use storage::records::{Claim, ClaimHolder};
use storage::zones::normalise_phone;
use storage::{
    Claims, Directory, Line, PinHash, Platform, Settings, StorageError, Tenant, TenantStore, Versions,
};

use super::differences::differences;
use super::holidays::Holiday;
use super::versions::Change;
use super::{
    ASK_STAFF_S, ClaimConfig, Hours, LineConfig, Office, TenantConfig, appointments, follow, single_slots,
    spoken, teams,
};
use crate::app::App;
use crate::calls::listening;
use crate::calls::vocabulary::{SOUNDS, TERMS};
use crate::demo;
use crate::dialing::transfer::TARGETS;

/// A tenant as it is now, without its claims.
///
/// # Errors
/// When storage does not answer, or keeps facts that cannot be read.
pub async fn current(platform: &Platform, tenant: &Tenant) -> anyhow::Result<TenantConfig> {
    let store = platform.tenant(tenant.id).await?;
    let facts = demo::facts(platform, tenant).await?;
    let kept = platform.store().lines(tenant.id).await?;
    let own: Vec<String> = kept.iter().map(|line| spoken(&line.number)).collect();
    let main = main_line(&facts.county);
    let lines = kept.into_iter().map(|line| LineConfig {
        emergency_notice: !facts.no_emergency_notice.contains(&line.number),
        name: Some(line.name).filter(|name| *name != main).unwrap_or_default(),
        number: line.number,
        languages: line.languages,
        recording_consent: line.recording_consent,
    });
    let (week, hours_known) = (facts.week(), facts.hours_known);
    Ok(TenantConfig {
        slug: tenant.slug.clone(),
        kind: Some(facts.body),
        timezone: tenant.timezone.clone(),
        streets: facts.streets,
        public_numbers: facts.public_numbers.into_iter().filter(|number| !own.contains(number)).collect(),
        listening: setting(&store, listening::SETTING).await?,
        vocabulary: setting(&store, TERMS).await?,
        office: Office {
            address: facts.office_address,
            phone: facts.office_phone,
            area_code: facts.area_code,
        },
        hours: if hours_known { Hours::of(&week) } else { Hours::default() },
        holidays: facts
            .holidays
            .into_iter()
            .map(|(date, name)| Holiday { date: date.to_string(), name })
            .collect(),
        slots: setting(&store, single_slots::SETTING).await?,
        lines: lines.collect(),
        voicemail: facts.voicemail,
        urgent_any_hour: Some(facts.urgent_any_hour).filter(|any| !any),
        remind_hours: Some(facts.remind_hours).filter(|hours| *hours > 0),
        follow_up_calls: facts.follow_up_calls,
        ask_staff: facts.ask_staff_s > 0,
        ask_staff_s: Some(facts.ask_staff_s).filter(|s| ![0, ASK_STAFF_S].contains(s)),
        targets: setting(&store, TARGETS).await?,
        appointments: appointments::kept(&store).await?.unwrap_or_default(),
        pronunciations: setting::<BTreeMap<_, _>>(&store, SOUNDS).await?,
        wording: facts.wording,
        teams: teams::own(&store).await?,
        claims: Vec::new(),
        name: facts.county,
    })
}

async fn setting<T: Default + serde::de::DeserializeOwned>(
    store: &TenantStore,
    name: &str,
) -> Result<T, StorageError> {
    let value = store.setting(name).await?;
    Ok(value.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
}

/// The document with what is left to us filled in and numbers as they are kept, so that it can be held against
/// [`current`], which is `now`, and is the same after it was laid down.
#[must_use]
pub fn settled(mut config: TenantConfig, tenant: &Tenant, now: &TenantConfig) -> TenantConfig {
    let facts = config.facts();
    let main = main_line(&config.name);
    config.slug.clone_from(&tenant.slug);
    config.kind = Some(facts.body);
    config.timezone.clone_from(&facts.timezone);
    config.office.phone = facts.office_phone;
    config.office.area_code = facts.area_code;
    config.teams = teams::settled(std::mem::take(&mut config.teams), &now.teams);
    config.hours = Hours::of(&config.hours.week());
    config.ask_staff_s = config.ask_staff_s.filter(|s| config.ask_staff && *s != ASK_STAFF_S);
    config.urgent_any_hour = config.urgent_any_hour.filter(|any| !any);
    config.remind_hours = config.remind_hours.filter(|hours| *hours > 0);
    for line in &mut config.lines {
        line.number = normalise_phone(&line.number).unwrap_or_default();
        if line.name == main {
            line.name.clear();
        }
    }
    for target in &mut config.targets {
        target.number = normalise_phone(&target.number).unwrap_or_default();
        target.hours = Hours::of(&target.hours.week());
        target.lines = target.lines.filter(|lines| *lines != 1);
        target.on_lines = target.to_facts().on_lines;
    }
    config.holidays.sort_by(|a, b| a.date.cmp(&b.date));
    config.slots.sort_by(|a, b| (&a.date, minutes(&a.time)).cmp(&(&b.date, minutes(&b.time))));
    config.lines.sort_by(|a, b| a.number.cmp(&b.number));
    let own: Vec<String> = config.lines.iter().map(|line| spoken(&line.number)).collect();
    config.public_numbers = facts.public_numbers.into_iter().filter(|number| !own.contains(number)).collect();
    config
}

/// What laying it down would change, in words.
///
/// # Errors
/// When storage does not answer.
pub async fn changes(
    store: &TenantStore,
    now: &TenantConfig,
    then: &TenantConfig,
) -> Result<Vec<String>, StorageError> {
    let mut changes = differences(now, then);
    for claim in &then.claims {
        let number = &claim.claim_number;
        match store.claim(number).await? {
            None => changes.push(format!("claim {number} is new")),
            Some(kept) if same(&kept, claim) && same_pin(store, claim).await? => {}
            Some(_) => changes.push(format!("claim {number} is replaced")),
        }
    }
    Ok(changes)
}

fn same(kept: &Claim, claim: &ClaimConfig) -> bool {
    let Claim { status, status_text, holder, .. } = kept;
    (status, status_text, holder) == (&claim.status, &claim.status_text, &holder_of(claim))
}

async fn same_pin(store: &TenantStore, claim: &ClaimConfig) -> Result<bool, StorageError> {
    let Some(pin) = &claim.pin else { return Ok(true) };
    Ok(store.claim_pin(&claim.claim_number).await?.is_some_and(|kept| kept.matches(pin)))
}

fn holder_of(claim: &ClaimConfig) -> ClaimHolder {
    ClaimHolder {
        name: claim.name.clone(),
        date_of_birth: claim.date_of_birth.clone(),
        phone: normalise_phone(&claim.phone).unwrap_or_default(),
    }
}

/// Lays a settled document over what is kept, as a new version; its number. The next call is answered by it; calls under
/// way end as they began.
///
/// # Errors
/// When storage does not answer, somebody else was quicker, or a line was taken by another tenant meanwhile. Laying it down
/// again puts it right.
pub async fn lay_down(
    app: &App,
    tenant: &Tenant,
    config: &TenantConfig,
    change: Change,
) -> anyhow::Result<u32> {
    let (directory, store) = (app.platform.store(), app.platform.tenant(tenant.id).await?);
    let facts = config.facts();
    let settings = vec![
        (demo::FACTS, serde_json::to_value(&facts)?),
        (listening::SETTING, json!(config.listening)),
        (TERMS, json!(config.vocabulary)),
        (SOUNDS, json!(config.pronunciations)),
        (TARGETS, json!(config.targets)),
        (appointments::SETTING, json!(config.appointments)),
        (single_slots::SETTING, json!(config.slots)),
    ];
    let actor = change.actor.clone();
    // First: of two documents at once, on this gateway or another, one is refused whole.
    let kept_as = store.keep_version(change.keep(config, settings)).await?;
    teams::keep(&store, &config.teams, &actor).await?;
    for line in &config.lines {
        directory.put_line(line_of(tenant, config, line)).await?;
    }
    for kept in directory.lines(tenant.id).await? {
        if !config.lines.iter().any(|line| line.number == kept.number) {
            directory.remove_line(tenant.id, &kept.number).await?;
        }
    }
    directory.rename_tenant(tenant.id, &config.name, config.zone()).await?;
    put_claims(&store, config).await?;
    let holidays: Vec<NaiveDate> = facts.holidays.keys().copied().collect();
    appointments::renew(&store, &config.appointments, &config.slots, &holidays, config.clock()).await?;
    follow::take_up(app, tenant, store).await?;
    Ok(kept_as)
}

fn line_of(tenant: &Tenant, config: &TenantConfig, line: &LineConfig) -> Line {
    let name = if line.name.is_empty() { main_line(&config.name) } else { line.name.clone() };
    Line {
        number: line.number.clone(),
        tenant_id: tenant.id,
        name,
        languages: line.languages.clone(),
        greeting: format!("Thank you for calling {}. How can I help you?", config.name),
        recording_consent: line.recording_consent,
    }
}

fn main_line(name: &str) -> String {
    format!("{name} main line")
}

async fn put_claims(store: &TenantStore, config: &TenantConfig) -> Result<(), StorageError> {
    for claim in &config.claims {
        let kept = Claim {
            claim_number: claim.claim_number.clone(),
            status: claim.status.clone(),
            status_text: claim.status_text.clone(),
            holder: holder_of(claim),
            updated_at: Utc::now(),
        };
        store.insert_claim(kept).await?;
        if let Some(pin) = &claim.pin {
            store.set_claim_pin(&claim.claim_number, Some(PinHash::new(pin))).await?;
        }
    }
    Ok(())
}
