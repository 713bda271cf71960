//! Signing in with an OpenID provider outside: authorization code with PKCE, state and nonce.
//!
//! What is under way is in a cookie of the browser that began it, so any node may take the answer. The provider says who
//! somebody is; what that is worth here is in the settings alone.

pub mod claims;
pub mod provider;
pub mod routes;
pub mod token;

use std::fmt;

/// Why somebody was not let in. What people are told, and what the log and the audit say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The provider cannot be asked, or answers what it may not.
    Provider(String),
    /// The answer belongs to no sign-in of this browser, or to one that is over.
    Stray,
    /// The provider refused, in its own word for it.
    Denied(String),
    /// The ID token is not good.
    Token(String),
    /// The provider has not verified the address.
    Unverified,
    /// Nothing that the provider says of them stands for a role here; what it says, and of which claim.
    NoRole { claim: String, values: Vec<String> },
    /// The map names a tenant that there is not.
    NoTenant(String),
}

impl Refusal {
    /// One word for log, audit and tests.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Provider(_) => "provider",
            Self::Stray => "stray",
            Self::Denied(_) => "denied",
            Self::Token(_) => "token",
            Self::Unverified => "unverified",
            Self::NoRole { .. } => "no_role",
            Self::NoTenant(_) => "no_tenant",
        }
    }
}

/// What the person reads.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Provider(what) => write!(
                f,
                "The provider of your organization cannot be used now ({what}). Try again, or sign in another way."
            ),
            Self::Stray => f.write_str(
                "This sign-in was not begun in this browser, was used already, or took longer than ten minutes. \
                 Begin again.",
            ),
            Self::Denied(what) => write!(f, "Your organization's provider did not let you in ({what})."),
            Self::Token(what) => write!(
                f,
                "What the provider sent cannot be trusted: {what}. Whoever runs this gateway should compare issuer and \
                 client_id of [sign_in.openid] with the provider's, and both clocks."
            ),
            Self::Unverified => f.write_str(
                "Your organization has not verified your address. Have it verified there, then sign in again.",
            ),
            Self::NoRole { claim, values } if values.is_empty() => write!(
                f,
                "Your account has no role here: the provider sends no claim `{claim}`. Whoever runs this gateway should \
                 have the provider send it, or name another claim in [sign_in.openid]."
            ),
            Self::NoRole { claim, values } => write!(
                f,
                "Your account has no role here: your `{claim}` ({}) is in no entry of [[sign_in.openid.map]]. Ask whoever \
                 runs this gateway to add one.",
                values.join(", ")
            ),
            Self::NoTenant(slug) => write!(
                f,
                "Your account belongs to the tenant `{slug}`, which there is not. Whoever runs this gateway should \
                 correct [[sign_in.openid.map]]."
            ),
        }
    }
}
