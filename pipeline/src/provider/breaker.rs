//! When to leave a provider alone. Pure: time comes in as an argument.
#![deny(clippy::disallowed_methods)]

use std::time::{Duration, Instant};

use super::failure::Kind;

/// Failures in a row that open the breaker.
const FAILURES: u32 = 3;
/// First time it stays open; doubled after each failed trial.
const OPEN: Duration = Duration::from_secs(5);
/// Longest time it stays open.
const LONGEST: Duration = Duration::from_secs(60);
/// A wrong key does not get right by itself.
const UNAUTHORISED: Duration = Duration::from_secs(300);
/// A trial whose outcome nobody told is given up after this long.
const TRIAL: Duration = Duration::from_secs(10);

/// State of one provider, shared by all calls.
#[derive(Clone, Debug, Default)]
pub struct Breaker {
    failures: u32,
    open: Option<Open>,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    until: Instant,
    lasted: Duration,
    /// Since when one call tries it, once the time is over.
    trial: Option<Instant>,
}

impl Breaker {
    /// Whether the provider may be used now. After its time out, one caller at a time may try it.
    pub fn allows(&mut self, now: Instant) -> bool {
        let Some(open) = &mut self.open else { return true };
        let idle = open.trial.is_none_or(|since| now.duration_since(since) >= TRIAL);
        if now < open.until || !idle {
            return false;
        }
        open.trial = Some(now);
        true
    }

    /// Whether it is closed: used without a second thought.
    #[must_use]
    pub const fn is_closed(&self) -> bool {
        self.open.is_none()
    }

    /// It did its work.
    pub const fn on_success(&mut self) {
        self.failures = 0;
        self.open = None;
    }

    /// It failed. A wrong request is the caller's fault and says nothing of the provider.
    pub fn on_failure(&mut self, now: Instant, kind: Kind) {
        self.failures = self.failures.saturating_add(1);
        let at_once = match kind {
            Kind::Refused => {
                self.failures -= 1;
                return;
            }
            Kind::Unauthorised => Some(UNAUTHORISED),
            Kind::RateLimited { retry_after } => Some(retry_after.unwrap_or(OPEN).clamp(OPEN, UNAUTHORISED)),
            Kind::Overloaded => Some(OPEN),
            _ => None,
        };
        let again = self.open.map(|open| (open.lasted * 2).min(LONGEST));
        let counted = (self.failures >= FAILURES).then_some(OPEN);
        if let Some(lasted) = at_once.max(again).or(counted) {
            self.open = Some(Open { until: now + lasted, lasted, trial: None });
        }
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    #[test]
    fn three_failures_open_it_and_one_trial_closes_it() {
        let (mut b, t) = (Breaker::default(), Instant::now());
        for _ in 0..3 {
            assert!(b.allows(t));
            b.on_failure(t, Kind::Stalled);
        }
        assert!(!b.allows(t + S));
        assert!(b.allows(t + 5 * S), "a trial");
        assert!(!b.allows(t + 5 * S), "one at a time");
        b.on_success();
        assert!(b.allows(t + 5 * S) && b.is_closed());
    }

    #[test]
    fn a_failed_trial_doubles_the_wait_up_to_a_minute() {
        let (mut b, mut t) = (Breaker::default(), Instant::now());
        (0..3).for_each(|_| b.on_failure(t, Kind::Server));
        for wait in [10, 20, 40, 60, 60] {
            t += 60 * S;
            assert!(b.allows(t));
            b.on_failure(t, Kind::Server);
            assert!(!b.allows(t + (wait - 1) * S), "{wait}");
            assert!(b.clone().allows(t + wait * S), "{wait}");
        }
    }

    #[test]
    fn a_success_between_failures_starts_the_count_again() {
        let (mut b, t) = (Breaker::default(), Instant::now());
        for _ in 0..10 {
            b.on_failure(t, Kind::Closed);
            b.on_failure(t, Kind::Closed);
            b.on_success();
        }
        assert!(b.allows(t));
    }

    #[test]
    fn limits_and_wrong_keys_open_it_at_once_and_bad_requests_never() {
        let t = Instant::now();
        let mut b = Breaker::default();
        b.on_failure(t, Kind::RateLimited { retry_after: Some(12 * S) });
        assert!(!b.allows(t + 11 * S) && b.allows(t + 12 * S));
        let mut b = Breaker::default();
        b.on_failure(t, Kind::Unauthorised);
        assert!(!b.allows(t + 299 * S));
        let mut b = Breaker::default();
        (0..9).for_each(|_| b.on_failure(t, Kind::Refused));
        assert!(b.allows(t));
    }

    #[test]
    fn a_trial_that_nobody_reports_on_is_given_up() {
        let (mut b, t) = (Breaker::default(), Instant::now());
        b.on_failure(t, Kind::Overloaded);
        assert!(b.allows(t + 5 * S) && !b.allows(t + 6 * S) && b.allows(t + 15 * S));
    }
}
