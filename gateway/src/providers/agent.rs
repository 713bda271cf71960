//! The front desk on this gateway's data.

use std::sync::Arc;

use agents::FrontDesk;
use governance::pii::Redactor;
use governance::rules::RuleSet;
use knowledge::Retriever;
use models::model::LanguageModel;
use storage::{Directory, Platform};
use work::tools::registry::Policy;
use work::tools::remote::Settings;
use work::tools::remote::outside::Outside;

use super::{AdoptTenant, MakeScreen, PutRules};
use crate::{demo, quarantined_tenants};

/// A front desk that answers for every tenant there is: by a language model, with the built-in agent behind it where
/// that is wanted, or by the built-in agent alone.
pub async fn start(
    platform: &Platform,
    retriever: Arc<Retriever>,
    model: Option<(Arc<dyn LanguageModel>, bool)>,
    policy: Policy,
) -> anyhow::Result<FrontDesk> {
    let desk = FrontDesk::new(retriever)?;
    let desk = match model {
        Some((model, builtin_as_fallback)) => {
            desk.with_model(model, builtin_as_fallback).with_policy(policy).with_second_look()
        }
        None => desk,
    };
    for (tenant, store) in quarantined_tenants::sound(platform).await? {
        let facts = demo::facts(platform, &tenant).await?;
        let own = demo::own_rules(&store).await?;
        // Kept rules were checked when they were put. Should they no longer hold with this version's, the shipped ones do.
        let set = RuleSet::load(&own, &facts.numbers());
        desk.put_tenant(tenant.id.0, store, facts);
        match set {
            Ok(set) => desk.put_rules(tenant.id.0, set),
            Err(error) => {
                tracing::error!(tenant = %tenant.slug, line = error.line, column = error.column, cause = error.message, "a tenant's own rules do not load and are out of force")
            }
        }
    }
    desk.warm().await;
    Ok(desk)
}

/// The servers of the configuration. One that is for tenants which do not exist yet is for nobody until the next start.
pub async fn outside(platform: &Platform, servers: &[Settings]) -> anyhow::Result<Outside> {
    let tenants = platform.store().tenants().await?;
    let by_slug = |slug: &str| tenants.iter().find(|tenant| tenant.slug == slug).map(|tenant| tenant.id.0);
    Outside::new(servers.to_vec(), by_slug).map_err(|problem| anyhow::anyhow!(problem))
}

/// Screens that leave a tenant's own numbers in the clear.
#[must_use]
pub fn screens(desk: &FrontDesk) -> MakeScreen {
    let desk = desk.clone();
    Arc::new(move |tenant| Box::new(Redactor::new(desk.public(tenant.0))))
}

/// Lets the desk answer for a tenant that was made while it runs.
#[must_use]
pub fn adopter(desk: &FrontDesk) -> AdoptTenant {
    let desk = desk.clone();
    Arc::new(move |store, facts| desk.put_tenant(store.id().0, store, facts))
}

/// Puts rules into force while calls are under way.
#[must_use]
pub fn lawgiver(desk: &FrontDesk) -> PutRules {
    let desk = desk.clone();
    Arc::new(move |tenant, set| desk.put_rules(tenant.0, set))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn events_and_answers_show_personal_data_as_tokens_and_what_happened_in_the_clear() {
        let desk = FrontDesk::new(Arc::new(Retriever::lexical())).unwrap();
        let mut screen = screens(&desk)(storage::TenantId(Uuid::nil()));
        for (said, token) in [
            ("my social is 078-05-1120", "⟨ssn:1⟩"),
            ("the card is 4111 1111 1111 1111", "⟨credit_card:1⟩"),
            ("my bank account number is 000123456789", "⟨bank_account:1⟩"),
            ("my email is ada at example dot com", "⟨email:1⟩"),
            ("my password is hunter22", "⟨secret:1⟩"),
            ("I am Maria Lopez", "⟨name:1⟩"),
            ("I live at 12 Oak Street", "⟨address:1⟩"),
            ("I was born on March 9, 1961", "⟨date_of_birth:1⟩"),
        ] {
            let shown = screen.screen(said);
            assert!(shown.contains(token), "{said}: {shown}");
        }
        let report = "A worker fell off a ladder in Riverside Park and he is bleeding.";
        assert_eq!(screen.screen(report), report);
    }
}
