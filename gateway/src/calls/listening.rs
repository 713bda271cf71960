//! Whether a call may be listened to.
//!
//! A tenant says `listening = "allowed"` or `"refused"`. Where it says neither, a line may be listened to that tells its
//! callers that calls may be recorded or monitored: one with `recording_consent = "notice"`.

use serde::{Deserialize, Serialize};
use storage::{Directory, Line, Platform, RecordingConsent, Settings, StorageError, TenantStore};

/// Name of the setting.
pub const SETTING: &str = "listening";

/// What a tenant says of people who listen to its calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Listening {
    Allowed,
    Refused,
}

/// Why a call may not be listened to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The tenant wants nobody to.
    Tenant,
    /// The tenant has not said, and the line tells its callers nothing.
    Untold,
}

impl Refusal {
    /// For the person who wanted to.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Tenant => "this office does not allow anybody to listen to its calls",
            Self::Untold => "callers of this line are not told that somebody may listen",
        }
    }

    /// What can be done about it.
    #[must_use]
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Tenant => "read the transcript; a tenant-admin sets `listening` in the tenant's file",
            Self::Untold => {
                "let the greeting say so and set `listening = \"allowed\"` in the tenant's file, or \
                 `recording_consent = \"notice\"` for the line"
            }
        }
    }
}

/// What holds for a line.
///
/// # Errors
/// Why it may not be listened to.
pub fn decide(tenant: Option<Listening>, line: Option<&Line>) -> Result<(), Refusal> {
    match tenant {
        Some(Listening::Allowed) => Ok(()),
        Some(Listening::Refused) => Err(Refusal::Tenant),
        None if line.is_some_and(|line| line.recording_consent == RecordingConsent::Notice) => Ok(()),
        None => Err(Refusal::Untold),
    }
}

/// What holds for the line of this number, as it is kept now. A setting that cannot be read allows nothing.
///
/// # Errors
/// When storage does not answer.
pub async fn of_line(
    platform: &Platform,
    store: &TenantStore,
    number: &str,
) -> Result<Result<(), Refusal>, StorageError> {
    let kept = store.setting(SETTING).await?.filter(|value| !value.is_null());
    let tenant = kept.map(|value| serde_json::from_value(value).unwrap_or(Listening::Refused));
    let line = platform.store().line(number).await?;
    Ok(decide(tenant, line.as_ref()))
}

#[cfg(test)]
mod tests {
    use storage::TenantId;

    use super::*;

    #[test]
    fn a_tenants_word_goes_before_what_the_line_tells_its_callers() {
        let line = |recording_consent| Line {
            number: "+12025550100".to_owned(),
            tenant_id: TenantId::new(),
            name: String::new(),
            languages: vec!["en".to_owned()],
            greeting: String::new(),
            recording_consent,
        };
        let (told, untold) = (line(RecordingConsent::Notice), line(RecordingConsent::Ask));
        assert_eq!(decide(None, Some(&told)), Ok(()));
        for line in [Some(&untold), Some(&line(RecordingConsent::Off)), None] {
            assert_eq!(decide(None, line), Err(Refusal::Untold));
            assert_eq!(decide(Some(Listening::Allowed), line), Ok(()));
        }
        assert_eq!(decide(Some(Listening::Refused), Some(&told)), Err(Refusal::Tenant));
    }
}
