//! What a gateway starts with on an empty data folder: the demo tenant Riverbend County.

use crate::dialing::transfer;
use crate::tenant_config::targets::Target;
use crate::tenant_config::{appointments, spoken};
use anyhow::Context;
use chrono::Utc;
use dialogue::TenantFacts;
use dialogue::builtin::Body;
use dialogue::seed::{self, Seed};
use governance::rules::RuleSet;
use storage::document_records::NewDocument;
use storage::records::{Claim, ClaimHolder, Slot};
use storage::{
    Claims, Directory, Knowledge, Line, NewTenant, PinHash, Platform, RecordingConsent, Settings, SlotId,
    Slots, Tenant, TenantStore,
};

/// The demo tenant's slug.
pub const SLUG: &str = "riverbend";
/// The demo line, of the range that is kept for fiction.
pub const LINE: &str = "+12025550100";
/// Setting under which a tenant's facts are kept.
pub const FACTS: &str = "facts";
/// Setting under which the text of a tenant's own rules is kept.
pub const RULES: &str = "rules";

/// Creates the demo tenant when there is no tenant at all, and finishes a seeding that was cut off.
pub async fn seed_first_start(platform: &Platform) -> anyhow::Result<()> {
    let directory = platform.store();
    let tenant = match directory.tenant_by_slug(SLUG).await? {
        Some(tenant) => tenant,
        None if directory.tenants().await?.is_empty() => create(platform).await?,
        None => return Ok(()),
    };
    let store = platform.tenant(tenant.id).await?;
    if store.seeded().await? {
        // Seeded before there were plans: its times must not run out either.
        return keep_appointments(&store).await;
    }
    let seed = seed::riverbend(Utc::now()).context("the demo data of this binary is broken")?;
    directory.put_line(line(&tenant)).await?;
    fill(&store, seed).await?;
    store.mark_seeded().await?;
    tracing::info!(tenant = SLUG, line = LINE, "the demo tenant was created");
    Ok(())
}

async fn create(platform: &Platform) -> anyhow::Result<Tenant> {
    let new = NewTenant {
        slug: SLUG.to_owned(),
        name: "Riverbend County".to_owned(),
        timezone: "America/New_York".to_owned(),
    };
    Ok(platform.create_tenant(new).await?)
}

fn line(tenant: &Tenant) -> Line {
    Line {
        number: LINE.to_owned(),
        tenant_id: tenant.id,
        name: "Riverbend County demo line".to_owned(),
        languages: vec!["en".to_owned(), "es".to_owned()],
        greeting: "Thank you for calling Riverbend County. How can I help you?".to_owned(),
        recording_consent: RecordingConsent::Notice,
    }
}

async fn fill(store: &TenantStore, seed: Seed) -> anyhow::Result<()> {
    store.put_setting(FACTS, &serde_json::to_value(&seed.facts)?).await?;
    store.put_setting(RULES, &serde_json::Value::String(seed.rules)).await?;
    for document in seed.documents {
        let media_type = document.media_type.unwrap_or_else(|| "text/markdown".to_owned());
        let (source, title, content) = (document.source, document.title, document.content);
        store
            .replace_document(NewDocument { source, title, media_type, content, chunks: Vec::new() })
            .await?;
    }
    let slots: Vec<Slot> = seed
        .openings
        .into_iter()
        .map(|o| Slot { id: SlotId::new(), starts_at: o.starts_at, ends_at: o.ends_at, label: o.label })
        .collect();
    store.insert_slots(&slots).await?;
    keep_appointments(store).await?;
    for claim in seed.claims {
        let holder = ClaimHolder { name: claim.name, date_of_birth: claim.date_of_birth, phone: claim.phone };
        let (number, status, status_text) = (claim.claim_number, claim.status, claim.status_text);
        let claim_number = number.clone();
        store
            .insert_claim(Claim { claim_number, status, status_text, holder, updated_at: Utc::now() })
            .await?;
        if let Some(pin) = &claim.pin {
            store.set_claim_pin(&number, Some(PinHash::new(pin))).await?;
        }
    }
    Ok(())
}

/// Free times are made by a plan, week after week.
async fn keep_appointments(store: &TenantStore) -> anyhow::Result<()> {
    if appointments::kept(store).await?.is_none() {
        store.put_setting(appointments::SETTING, &serde_json::json!(appointments::of_the_demo())).await?;
    }
    Ok(())
}

/// What the agent knows of a tenant: its kept facts, or the little that follows from its name and line.
pub async fn facts(platform: &Platform, tenant: &Tenant) -> anyhow::Result<TenantFacts> {
    let store = platform.tenant(tenant.id).await?;
    let targets = transfer::targets(&store).await?.iter().map(Target::to_facts).collect();
    if let Some(kept) = store.setting(FACTS).await? {
        let facts: TenantFacts = serde_json::from_value(kept)
            .with_context(|| format!("the facts of tenant {} are broken", tenant.slug))?;
        return Ok(TenantFacts { targets, ..facts });
    }
    let lines = platform.store().lines(tenant.id).await?;
    let number = lines.first().map_or("", |line| line.number.as_str());
    Ok(TenantFacts {
        county: tenant.name.clone(),
        body: Body::of_name(&tenant.name),
        office_address: String::new(),
        // Not the line's own: whoever is told to call the office has called that already.
        office_phone: String::new(),
        area_code: number.strip_prefix("+1").and_then(|n| n.get(..3)).unwrap_or_default().to_owned(),
        timezone: tenant.timezone.clone(),
        opens_hour: 8,
        closes_hour: 17,
        hours_known: false,
        week: None,
        holidays: std::collections::BTreeMap::new(),
        no_emergency_notice: Vec::new(),
        streets: Vec::new(),
        wording: std::collections::BTreeMap::new(),
        public_numbers: lines.iter().map(|line| spoken(&line.number)).collect(),
        ask_staff_s: 0,
        voicemail: false,
        urgent_any_hour: true,
        remind_hours: 0,
        follow_up_calls: false,
        targets,
    })
}

/// The text of a tenant's own rules; empty where it has none.
pub async fn own_rules(store: &TenantStore) -> Result<String, storage::StorageError> {
    let kept = store.setting(RULES).await?;
    Ok(kept.and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default())
}

/// The rules that hold for a tenant now, wherever they were put. Where the kept text does not load any more the shipped
/// ones hold, as on the desk.
pub async fn rules_in_force(store: &TenantStore, facts: &TenantFacts) -> anyhow::Result<RuleSet> {
    let (own, facts) = (own_rules(store).await?, facts.clone());
    // A long text takes a while, and live calls share the threads of this task.
    let load = move || RuleSet::load(&own, &facts.numbers()).or_else(|_| RuleSet::load("", &facts.numbers()));
    Ok(tokio::task::spawn_blocking(load).await??)
}

#[cfg(test)]
mod tests {
    use storage::PlatformOptions;

    use super::*;

    #[tokio::test]
    async fn the_first_start_makes_the_demo_tenant_and_the_second_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let platform = Platform::open(PlatformOptions::new(dir.path())).await.unwrap();
        seed_first_start(&platform).await.unwrap();
        seed_first_start(&platform).await.unwrap();
        let tenants = platform.store().tenants().await.unwrap();
        assert_eq!(tenants.len(), 1);
        let line = platform.store().line(LINE).await.unwrap().unwrap();
        assert_eq!(line.tenant_id, tenants[0].id);
        let store = platform.tenant(line.tenant_id).await.unwrap();
        assert!(!store.list_documents().await.unwrap().is_empty());
        let free = store.free_slots(Utc::now(), 500).await.unwrap();
        assert!(!free.is_empty());
        appointments::renew_all(&platform).await.unwrap();
        assert_eq!(
            store.free_slots(Utc::now(), 500).await.unwrap(),
            free,
            "the plan makes the times that there are"
        );
        let facts = facts(&platform, &tenants[0]).await.unwrap();
        assert_eq!(facts.county, "Riverbend County");
        let own = own_rules(&store).await.unwrap();
        assert!(own.contains("constants {"), "{own}");
        assert_eq!(governance::rules::RuleSet::load(&own, &facts.numbers()).unwrap().tenant_text(), own);
    }
}
