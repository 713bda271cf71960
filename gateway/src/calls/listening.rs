//! Whether a call may be listened to.
//!
//! Only on a line that tells its callers so or asks them: `recording_consent = "notice"` or `"ask"`. There, sound begins when
//! the caller heard the notice to its end, or said yes ([`pipeline::session`] decides); before that it is silence. A
//! tenant that wants nobody to listen says `listening = "refused"`.

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
    /// The line tells its callers nothing.
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
                "set `recording_consent` of the line to `notice` or `ask` in the tenant's file: its greeting then tells \
                 or asks the caller"
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
        Some(Listening::Refused) => Err(Refusal::Tenant),
        _ if line.is_some_and(|line| line.recording_consent != RecordingConsent::Off) => Ok(()),
        _ => Err(Refusal::Untold),
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
    fn nobody_listens_on_a_line_that_tells_its_callers_nothing_or_against_the_tenants_word() {
        let line = |recording_consent| Line {
            number: "+12025550100".to_owned(),
            tenant_id: TenantId::new(),
            name: String::new(),
            languages: vec!["en".to_owned()],
            greeting: String::new(),
            recording_consent,
        };
        let (told, asked) = (line(RecordingConsent::Notice), line(RecordingConsent::Ask));
        let off = line(RecordingConsent::Off);
        for tenant in [None, Some(Listening::Allowed)] {
            assert_eq!(decide(tenant, Some(&told)), Ok(()));
            assert_eq!(decide(tenant, Some(&asked)), Ok(()));
            assert_eq!(decide(tenant, Some(&off)), Err(Refusal::Untold));
            assert_eq!(decide(tenant, None), Err(Refusal::Untold));
        }
        assert_eq!(decide(Some(Listening::Refused), Some(&told)), Err(Refusal::Tenant));
    }
}
