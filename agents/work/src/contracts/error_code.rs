//! The standard error codes.

use serde::{Deserialize, Serialize};

/// What went wrong, in a word that programs can go by.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    InvalidRequest,
    MissingParameter,
    InvalidParameter,
    Unauthorized,
    Forbidden,
    NotFound,
    Conflict,
    RateLimited,
    InternalError,
    NotImplemented,
    ServiceUnavailable,
    Timeout,
    DependencyFailure,
    PlanningFailed,
    ValidationFailed,
    CapabilityViolation,
    BudgetExceeded,
    ArmUnavailable,
    HallucinationDetected,
}

impl ErrorCode {
    /// Every code, as the document lists them.
    pub const ALL: [Self; 19] = [
        Self::InvalidRequest,
        Self::MissingParameter,
        Self::InvalidParameter,
        Self::Unauthorized,
        Self::Forbidden,
        Self::NotFound,
        Self::Conflict,
        Self::RateLimited,
        Self::InternalError,
        Self::NotImplemented,
        Self::ServiceUnavailable,
        Self::Timeout,
        Self::DependencyFailure,
        Self::PlanningFailed,
        Self::ValidationFailed,
        Self::CapabilityViolation,
        Self::BudgetExceeded,
        Self::ArmUnavailable,
        Self::HallucinationDetected,
    ];

    /// The HTTP status that goes with it.
    #[must_use]
    pub const fn http_status(self) -> u16 {
        match self {
            Self::InvalidRequest | Self::MissingParameter | Self::InvalidParameter => 400,
            Self::Unauthorized => 401,
            Self::Forbidden | Self::CapabilityViolation => 403,
            Self::NotFound => 404,
            Self::Conflict => 409,
            Self::PlanningFailed | Self::ValidationFailed | Self::HallucinationDetected => 422,
            Self::RateLimited | Self::BudgetExceeded => 429,
            Self::InternalError => 500,
            Self::NotImplemented => 501,
            Self::DependencyFailure => 502,
            Self::ServiceUnavailable | Self::ArmUnavailable => 503,
            Self::Timeout => 504,
        }
    }

    /// True when the same request may succeed later.
    #[must_use]
    pub const fn recoverable(self) -> bool {
        matches!(
            self,
            Self::RateLimited
                | Self::InternalError
                | Self::ServiceUnavailable
                | Self::Timeout
                | Self::DependencyFailure
                | Self::ArmUnavailable
        )
    }
}
