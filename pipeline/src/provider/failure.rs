//! What can go wrong at a provider, in the few kinds that are treated differently.

use std::fmt;
use std::time::Duration;

/// A provider did not do its work. `detail` holds fixed words, status and the provider's own error name; never
/// caller text, never a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub kind: Kind,
    pub detail: String,
}

/// Kinds of failure, by what to do about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No connection: name, address, TLS, or the time for it ran out.
    Connect,
    /// The key is wrong, has no credit, or may not do this (401, 402, 403).
    Unauthorised,
    /// The request is wrong (other 4xx, or an error frame about our message). The same request fails again.
    Refused,
    /// Too many requests (429), with the wait that was asked for.
    RateLimited { retry_after: Option<Duration> },
    /// Overloaded for the moment (503, 529).
    Overloaded,
    /// Fault on their side (other 5xx).
    Server,
    /// Connected and silent, or slower than its deadline.
    Stalled,
    /// The connection ended in the middle of the work.
    Closed,
    /// What came makes no sense.
    Garbage,
}

impl Kind {
    /// The kind that an HTTP status stands for.
    #[must_use]
    pub const fn of_status(status: u16, retry_after: Option<Duration>) -> Self {
        match status {
            401..=403 => Self::Unauthorised,
            408 | 409 | 425 => Self::Server,
            429 => Self::RateLimited { retry_after },
            503 | 529 => Self::Overloaded,
            500.. => Self::Server,
            _ => Self::Refused,
        }
    }

    /// Name in events and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Unauthorised => "unauthorised",
            Self::Refused => "refused",
            Self::RateLimited { .. } => "rate_limited",
            Self::Overloaded => "overloaded",
            Self::Server => "server",
            Self::Stalled => "stalled",
            Self::Closed => "closed",
            Self::Garbage => "garbage",
        }
    }

    /// Whether the same provider may be asked once more at once, before anything of its answer was used.
    #[must_use]
    pub const fn is_worth_one_retry(self) -> bool {
        matches!(self, Self::Connect | Self::Server | Self::Closed | Self::Garbage)
    }
}

impl Failure {
    #[must_use]
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into() }
    }

    #[must_use]
    pub fn stalled(detail: impl Into<String>) -> Self {
        Self::new(Kind::Stalled, detail)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.detail)
    }
}

impl std::error::Error for Failure {}

/// The wait of a `retry-after` header: seconds, whole or with a fraction. (Dates are not worth waiting for on a call.)
#[must_use]
pub fn retry_after(header: &str) -> Option<Duration> {
    let seconds: f64 = header.trim().parse().ok()?;
    (seconds.is_finite() && seconds >= 0.0).then(|| Duration::from_secs_f64(seconds.min(86_400.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_map_to_what_to_do() {
        assert_eq!(Kind::of_status(401, None), Kind::Unauthorised);
        assert_eq!(Kind::of_status(402, None), Kind::Unauthorised);
        let wait = retry_after("1.5");
        assert_eq!(
            Kind::of_status(429, wait),
            Kind::RateLimited { retry_after: Some(Duration::from_millis(1_500)) }
        );
        assert_eq!(Kind::of_status(529, None), Kind::Overloaded);
        assert_eq!(Kind::of_status(500, None), Kind::Server);
        assert_eq!(Kind::of_status(404, None), Kind::Refused);
    }

    #[test]
    fn odd_retry_after_headers_are_no_wait() {
        for odd in ["", "soon", "-1", "NaN", "Wed, 21 Oct 2026 07:28:00 GMT"] {
            assert_eq!(retry_after(odd), None, "{odd}");
        }
    }
}
