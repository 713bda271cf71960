//! Plain rows of the platform: tenants, their lines, and who may sign in.

use chrono::{DateTime, Utc};
use secrecy::SecretString;
use serde::Serialize;

use crate::ids::{SessionId, TenantId, TokenId, UserId};
use crate::records::word_enum;

word_enum! {
    /// What a signed-in person or a token may do.
    Role {
        /// Works on what callers left to be done.
        Clerk = "clerk",
        Supervisor = "supervisor",
        AgentAdmin = "agent-admin",
        TenantAdmin = "tenant-admin",
        Auditor = "auditor",
        PlatformAdmin = "platform-admin",
    }
}

word_enum! {
    /// Whether calls on a line may be recorded.
    RecordingConsent {
        /// Never.
        Off = "off",
        /// After the notice in the greeting.
        Notice = "notice",
        /// Only after the caller agreed.
        Ask = "ask",
    }
}

#[derive(Clone, Debug)]
pub struct NewTenant {
    /// Lower-case letters, digits and dashes; what people write for the tenant.
    pub slug: String,
    pub name: String,
    /// IANA name, e.g. `America/New_York`.
    pub timezone: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, sqlx::FromRow)]
pub struct Tenant {
    pub id: TenantId,
    pub slug: String,
    pub name: String,
    pub timezone: String,
    pub created_at: DateTime<Utc>,
}

/// A number that callers dial.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, sqlx::FromRow)]
pub struct Line {
    /// E.164; unique on the platform.
    pub number: String,
    pub tenant_id: TenantId,
    pub name: String,
    /// BCP 47 primary languages, the default first.
    #[sqlx(json)]
    pub languages: Vec<String>,
    /// Spoken first, in the default language.
    pub greeting: String,
    pub recording_consent: RecordingConsent,
}

#[derive(Clone, Debug)]
pub struct NewUser {
    /// `None`: of the platform, not of one tenant.
    pub tenant_id: Option<TenantId>,
    /// Unique on the platform, without regard to case.
    pub login: String,
    pub display_name: String,
    pub role: Role,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, sqlx::FromRow)]
pub struct User {
    pub id: UserId,
    pub tenant_id: Option<TenantId>,
    pub login: String,
    pub display_name: String,
    pub role: Role,
    pub created_at: DateTime<Utc>,
}

/// A signed-in session, found by its token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Session {
    pub id: SessionId,
    pub user: User,
    pub expires_at: DateTime<Utc>,
}

#[derive(Clone, Debug)]
pub struct NewToken {
    /// `None`: of the platform.
    pub tenant_id: Option<TenantId>,
    pub name: String,
    pub role: Role,
    /// `None`: until revoked.
    pub expires_at: Option<DateTime<Utc>>,
}

/// An API token without its secret.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, sqlx::FromRow)]
pub struct ApiToken {
    pub id: TokenId,
    pub tenant_id: Option<TenantId>,
    pub name: String,
    pub role: Role,
    pub created_at: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
    pub revoked_at: Option<DateTime<Utc>>,
}

/// A new token with its secret, which is shown this once and kept only as a hash.
#[derive(Debug)]
pub struct IssuedToken {
    pub token: ApiToken,
    pub secret: SecretString,
}
