//! What a provider says of somebody, and what that is worth here.

use serde_json::{Map, Value};

use super::Refusal;
use crate::config::openid::{Mapped, OpenId};

/// Values of a claim that are looked at, and that are told.
const MOST_VALUES: usize = 500;
const TOLD: usize = 10;
/// Characters of a name or address that are kept.
const LONGEST: usize = 200;

/// Somebody, as the provider knows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The provider's own name for them, which never changes.
    pub subject: String,
    /// What we call them.
    pub login: String,
    pub display_name: String,
}

/// Whom the claims are about. An address counts when the provider has verified it.
pub fn known(settings: &OpenId, claims: &Map<String, Value>) -> Result<Known, Refusal> {
    let text = |key: &str| {
        let text = claims.get(key).and_then(Value::as_str).map(str::trim).unwrap_or_default();
        let text: String = text.chars().filter(|c| !c.is_control()).take(LONGEST).collect();
        (!text.is_empty()).then_some(text)
    };
    let subject = text("sub").ok_or_else(|| Refusal::Token("it names nobody".to_owned()))?;
    // Some providers write it as text.
    let is_verified = matches!(claims.get("email_verified"), Some(Value::Bool(true)))
        || claims.get("email_verified").and_then(Value::as_str) == Some("true");
    let email = text("email").filter(|_| is_verified);
    if settings.needs_verified_email && email.is_none() {
        return Err(Refusal::Unverified);
    }
    let login = email.or_else(|| text("preferred_username")).unwrap_or_else(|| subject.clone());
    let display_name = text("name").unwrap_or_else(|| login.clone());
    Ok(Known { subject, login: format!("openid:{}", login.to_lowercase()), display_name })
}

/// Whether the claims have what decides.
#[must_use]
pub fn are_enough(settings: &OpenId, claims: &Map<String, Value>) -> bool {
    find(&settings.claim, claims).is_some() && known(settings, claims).is_ok()
}

/// The first entry of the map that fits.
pub fn mapped<'a>(settings: &'a OpenId, claims: &Map<String, Value>) -> Result<&'a Mapped, Refusal> {
    let values = match find(&settings.claim, claims) {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).take(MOST_VALUES).collect(),
        _ => Vec::new(),
    };
    settings.map.iter().find(|entry| values.contains(&entry.value.as_str())).ok_or_else(|| {
        let told = values.iter().take(TOLD).map(|value| value.chars().take(LONGEST).collect());
        Refusal::NoRole { claim: settings.claim.clone(), values: told.collect() }
    })
}

/// A claim by its whole name (some have dots in theirs), or by its path.
fn find<'a>(path: &str, claims: &'a Map<String, Value>) -> Option<&'a Value> {
    if let Some(whole) = claims.get(path) {
        return Some(whole);
    }
    let (first, rest) = path.split_once('.')?;
    rest.split('.').try_fold(claims.get(first)?, |at, step| at.get(step))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use storage::Role;

    use super::*;

    fn settings(claim: &str) -> OpenId {
        let entry = |value: &str, role, tenant: Option<&str>| Mapped {
            value: value.to_owned(),
            role,
            tenant: tenant.map(str::to_owned),
        };
        OpenId {
            issuer: "https://id.example.gov".to_owned(),
            is_loopback: false,
            client_id: "q".to_owned(),
            client_secret: None,
            name: "x".to_owned(),
            scopes: Vec::new(),
            claim: claim.to_owned(),
            map: vec![
                entry("heads", Role::TenantAdmin, Some("riverbend")),
                entry("clerks", Role::Clerk, Some("riverbend")),
                entry("ops", Role::PlatformAdmin, None),
            ],
            needs_verified_email: true,
        }
    }

    fn claims(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn the_first_entry_that_fits_decides_wherever_the_claim_is() {
        let role =
            |claim: &str, value: Value| mapped(&settings(claim), &claims(value)).map(|entry| entry.role);
        assert_eq!(role("groups", json!({ "groups": ["x", "clerks", "heads"] })), Ok(Role::TenantAdmin));
        assert_eq!(role("groups", json!({ "groups": "clerks" })), Ok(Role::Clerk));
        assert_eq!(
            role("realm_access.roles", json!({ "realm_access": { "roles": ["ops"] } })),
            Ok(Role::PlatformAdmin)
        );
        assert_eq!(
            role("https://x.example/roles", json!({ "https://x.example/roles": ["ops"] })),
            Ok(Role::PlatformAdmin)
        );
    }

    #[test]
    fn what_stands_for_nothing_is_refused_with_what_to_mend() {
        for (value, told) in [
            (json!({ "groups": ["Clerks", "clerks "] }), "`groups` (Clerks, clerks ) is in no entry"),
            (json!({ "groups": [] }), "sends no claim `groups`"),
            (json!({ "groups": { "clerks": true } }), "sends no claim"),
            (json!({ "groups": 7 }), "sends no claim"),
            (json!({}), "sends no claim"),
        ] {
            let shown = mapped(&settings("groups"), &claims(value.clone())).unwrap_err().to_string();
            assert!(shown.contains(told), "{value}: {shown}");
        }
    }

    #[test]
    fn an_address_counts_when_it_is_verified() {
        let mut settings = settings("groups");
        let pat = json!({ "sub": "7", "email": "Pat@river.example", "email_verified": true, "name": "Pat" });
        let known_as = known(&settings, &claims(pat)).unwrap();
        assert_eq!(
            (known_as.login.as_str(), known_as.display_name.as_str()),
            ("openid:pat@river.example", "Pat")
        );
        for unverified in [
            json!({ "sub": "7", "email": "pat@river.example" }),
            json!({ "sub": "7", "email": "pat@river.example", "email_verified": false }),
            json!({ "sub": "7", "email": "pat@river.example", "email_verified": 1 }),
            json!({ "sub": "7", "email_verified": true }),
        ] {
            assert_eq!(
                known(&settings, &claims(unverified.clone())),
                Err(Refusal::Unverified),
                "{unverified}"
            );
            settings.needs_verified_email = false;
            assert_eq!(known(&settings, &claims(unverified)).unwrap().login, "openid:7", "and is no name");
            settings.needs_verified_email = true;
        }
        assert!(matches!(known(&settings, &claims(json!({ "sub": " " }))), Err(Refusal::Token(_))));
    }
}
