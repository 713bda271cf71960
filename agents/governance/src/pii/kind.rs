//! What a finding may be, how grave it is, and what stands in its place.

use serde::{Deserialize, Serialize};

/// How grave a finding is, from nothing to critical.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RiskLevel {
    #[default]
    None,
    Low,
    Medium,
    High,
    Critical,
}

/// The family of a finding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    Pii,
    Secret,
    Content,
    Policy,
}

impl Category {
    /// Name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pii => "pii",
            Self::Secret => "secret",
            Self::Content => "content",
            Self::Policy => "policy",
        }
    }
}

/// One kind of finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    Ssn,
    CreditCard,
    BankAccount,
    Passport,
    DriversLicense,
    Email,
    Phone,
    IpAddress,
    DateOfBirth,
    Address,
    Name,
    Medical,
    Secret,
    Threat,
    SelfHarm,
    Profanity,
    Promise,
    Advice,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 18] = [
        Self::Ssn,
        Self::CreditCard,
        Self::BankAccount,
        Self::Passport,
        Self::DriversLicense,
        Self::Email,
        Self::Phone,
        Self::IpAddress,
        Self::DateOfBirth,
        Self::Address,
        Self::Name,
        Self::Medical,
        Self::Secret,
        Self::Threat,
        Self::SelfHarm,
        Self::Profanity,
        Self::Promise,
        Self::Advice,
    ];

    /// The `matched_pattern` of the wire and the word in a token: `⟨phone:1⟩`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ssn => "ssn",
            Self::CreditCard => "credit_card",
            Self::BankAccount => "bank_account",
            Self::Passport => "passport",
            Self::DriversLicense => "drivers_license",
            Self::Email => "email",
            Self::Phone => "phone",
            Self::IpAddress => "ip_address",
            Self::DateOfBirth => "date_of_birth",
            Self::Address => "address",
            Self::Name => "name",
            Self::Medical => "medical",
            Self::Secret => "secret",
            Self::Threat => "threat",
            Self::SelfHarm => "self_harm",
            Self::Profanity => "profanity",
            Self::Promise => "unauthorized_promise",
            Self::Advice => "professional_advice",
        }
    }

    /// The kind of this name, in any case.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name))
    }

    /// The family.
    #[must_use]
    pub const fn category(self) -> Category {
        match self {
            Self::Secret => Category::Secret,
            Self::Threat | Self::SelfHarm | Self::Profanity => Category::Content,
            Self::Promise | Self::Advice => Category::Policy,
            _ => Category::Pii,
        }
    }

    /// How grave it is that this stands in a text.
    #[must_use]
    pub const fn risk(self) -> RiskLevel {
        match self {
            Self::Secret => RiskLevel::Critical,
            Self::Ssn
            | Self::CreditCard
            | Self::BankAccount
            | Self::Passport
            | Self::DriversLicense
            | Self::Threat
            | Self::SelfHarm => RiskLevel::High,
            Self::Email
            | Self::Phone
            | Self::DateOfBirth
            | Self::Address
            | Self::Name
            | Self::Medical
            | Self::Promise
            | Self::Advice => RiskLevel::Medium,
            Self::IpAddress | Self::Profanity => RiskLevel::Low,
        }
    }

    /// The label that the HTTP interface puts in its place; `None` for what is noted, not taken out.
    #[must_use]
    pub const fn label(self) -> Option<&'static str> {
        match self {
            Self::Ssn => Some("[SSN-REDACTED]"),
            Self::CreditCard => Some("[CC-REDACTED]"),
            Self::BankAccount => Some("[BANK-ACCOUNT-REDACTED]"),
            Self::Passport => Some("[PASSPORT-REDACTED]"),
            Self::DriversLicense => Some("[LICENSE-REDACTED]"),
            Self::Email => Some("[EMAIL-REDACTED]"),
            Self::Phone => Some("[PHONE-REDACTED]"),
            Self::IpAddress => Some("[IP-REDACTED]"),
            Self::DateOfBirth => Some("[DOB-REDACTED]"),
            Self::Address => Some("[ADDRESS-REDACTED]"),
            Self::Name => Some("[NAME-REDACTED]"),
            Self::Medical => Some("[MEDICAL-REDACTED]"),
            Self::Secret => Some("[SECRET-REDACTED]"),
            Self::Threat | Self::SelfHarm | Self::Profanity | Self::Promise | Self::Advice => None,
        }
    }

    /// Whether a value may be said to whom it belongs, and be filed. Numbers that open accounts serve nobody once
    /// they were said.
    #[must_use]
    pub const fn may_be_told(self) -> bool {
        matches!(
            self,
            Self::Phone | Self::Email | Self::Name | Self::Address | Self::DateOfBirth | Self::Medical
        )
    }

    const fn bit(self) -> u32 {
        1 << self as u8
    }
}

/// A set of kinds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct KindSet(u32);

impl KindSet {
    /// Nothing.
    pub const EMPTY: Self = Self(0);
    /// All kinds.
    pub const ALL: Self = Self((1 << 18) - 1);

    /// What becomes a token wherever a call is shown or told outside the sensitive zone: to models, in events, logs and
    /// answers of the API. What a caller says of an injury or an illness stays: whoever helps has to know it, and without
    /// the name it is nobody's.
    pub const CALL: Self = Self::EMPTY
        .with(Kind::Ssn)
        .with(Kind::CreditCard)
        .with(Kind::BankAccount)
        .with(Kind::Passport)
        .with(Kind::DriversLicense)
        .with(Kind::Email)
        .with(Kind::Phone)
        .with(Kind::IpAddress)
        .with(Kind::Name)
        .with(Kind::Address)
        .with(Kind::DateOfBirth)
        .with(Kind::Secret);

    /// All that is taken out of a text: personal data and secrets.
    pub const PERSONAL: Self = Self::CALL.with(Kind::Medical);

    /// The set with one more.
    #[must_use]
    pub const fn with(self, kind: Kind) -> Self {
        Self(self.0 | kind.bit())
    }

    /// The set without one.
    #[must_use]
    pub const fn without(self, kind: Kind) -> Self {
        Self(self.0 & !kind.bit())
    }

    /// What is in both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether it holds a kind.
    #[must_use]
    pub const fn has(self, kind: Kind) -> bool {
        self.0 & kind.bit() != 0
    }

    /// All kinds of the families named.
    #[must_use]
    pub fn of(categories: &[Category]) -> Self {
        Kind::ALL
            .into_iter()
            .filter(|kind| categories.contains(&kind.category()))
            .fold(Self::EMPTY, Self::with)
    }
}

impl FromIterator<Kind> for KindSet {
    fn from_iter<I: IntoIterator<Item = Kind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::EMPTY, Self::with)
    }
}
