//! Plain rows of the platform: tenants, their lines, and who may sign in.

use chrono::{DateTime, Utc};
use secrecy::SecretString;
use serde::Serialize;

use crate::ids::{PasskeyId, SessionId, TenantId, TokenId, UserId};
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
    /// By what a session was begun.
    BegunBy {
        /// A one-time link.
        Link = "link",
        /// An API token: the session ends with it.
        Token = "token",
        Password = "password",
        /// An OpenID provider outside.
        Openid = "openid",
        Passkey = "passkey",
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
    pub begun_by: BegunBy,
    pub created_at: DateTime<Utc>,
    /// When it was last used, to the minute.
    pub seen_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

/// A session, as its own user sees it in a list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, sqlx::FromRow)]
pub struct OpenSession {
    pub id: SessionId,
    pub begun_by: BegunBy,
    pub created_at: DateTime<Utc>,
    pub seen_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

/// Somebody whom a provider outside has let in, and what that is worth here.
#[derive(Clone, Debug)]
pub struct NewOpenidUser {
    pub issuer: String,
    /// The provider's own name for them; with the issuer it is who they are.
    pub subject: String,
    /// What they are called when they come for the first time, unless somebody else is called so.
    pub login: String,
    pub display_name: String,
    pub tenant_id: Option<TenantId>,
    pub role: Role,
}

/// Login of whoever holds the machine. It is nobody's name: the others who run the platform are called by theirs.
pub const LOCAL_LOGIN: &str = "local-admin";

/// What came of taking a user away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Removal {
    Done,
    /// There is no such user of that tenant.
    Unknown,
    /// They are the last who run the platform under a name of their own, and stay.
    LastAdministrator,
}

/// What came of it, where something did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpenidNews {
    /// They came for the first time.
    Created,
    /// They have another role or tenant than before; their older sessions have ended.
    Changed,
}

/// A passkey that a user's device has just made.
#[derive(Clone, Debug)]
pub struct NewPasskey {
    pub user_id: UserId,
    /// The device's own name for it.
    pub credential_id: Vec<u8>,
    /// As the device wrote it (COSE).
    pub public_key: Vec<u8>,
    /// How often the device says it was used.
    pub uses: u32,
    /// What its owner calls it.
    pub name: String,
}

/// A passkey that is kept.
#[derive(Clone, PartialEq, Eq, Debug, sqlx::FromRow)]
pub struct Passkey {
    pub id: PasskeyId,
    pub user_id: UserId,
    pub credential_id: Vec<u8>,
    pub public_key: Vec<u8>,
    uses: i64,
    pub name: String,
    pub created_at: DateTime<Utc>,
    pub used_at: Option<DateTime<Utc>>,
}

impl Passkey {
    /// How often the device said it was used.
    #[must_use]
    pub fn uses(&self) -> u32 {
        u32::try_from(self.uses).unwrap_or(u32::MAX)
    }
}

/// What is kept of a password.
#[derive(Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct KeptPassword {
    /// Salt and settings are in it.
    pub hash: String,
    pub set_at: DateTime<Utc>,
}

impl std::fmt::Debug for KeptPassword {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KeptPassword(set {})", self.set_at)
    }
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
