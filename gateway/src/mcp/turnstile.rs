//! How often somebody may ask: a bucket of tokens each, filled at a steady rate.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use storage::TenantId;

/// Who asks: a tenant's user or program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Holder {
    pub tenant: TenantId,
    /// Login, or the name of the token.
    pub subject: String,
}

/// Calls at once.
const BURST: f64 = 30.0;
/// Calls a second in the long run.
const RATE: f64 = 2.0;
/// Holders that are kept; those whose buckets are full again are forgotten first.
const MOST: usize = 4_096;

/// Buckets of everybody who asked of late.
#[derive(Debug, Default)]
pub struct Turnstile(Mutex<HashMap<(uuid::Uuid, String), Bucket>>);

#[derive(Clone, Copy, Debug)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Turnstile {
    /// Lets one call through.
    ///
    /// # Errors
    /// How long to wait.
    pub fn admit(&self, holder: &Holder, now: Instant) -> Result<(), Duration> {
        let mut all = self.0.lock();
        let key = (holder.tenant.0, holder.subject.clone());
        if all.len() >= MOST && !all.contains_key(&key) {
            all.retain(|_, bucket| bucket.filled(now) < BURST);
            if all.len() >= MOST {
                return Err(Duration::from_secs(1));
            }
        }
        let bucket = all.entry(key).or_insert(Bucket { left: BURST, at: now });
        *bucket = Bucket { left: bucket.filled(now), at: now };
        if bucket.left < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - bucket.left) / RATE));
        }
        bucket.left -= 1.0;
        Ok(())
    }
}

impl Bucket {
    fn filled(&self, now: Instant) -> f64 {
        let since = now.saturating_duration_since(self.at).as_secs_f64();
        (self.left + since * RATE).min(BURST)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_burst_goes_through_and_then_the_steady_rate() {
        let (turnstile, now) = (Turnstile::default(), Instant::now());
        let holder = |n| Holder { tenant: TenantId(Uuid::from_u128(n)), subject: "s".to_owned() };
        for _ in 0..30 {
            assert!(turnstile.admit(&holder(1), now).is_ok());
        }
        let wait = turnstile.admit(&holder(1), now).unwrap_err();
        assert!((0.4..=0.5).contains(&wait.as_secs_f64()), "{wait:?}");
        assert!(turnstile.admit(&holder(2), now).is_ok(), "another tenant's bucket is its own");
        assert!(turnstile.admit(&holder(1), now + wait).is_ok());
        assert!(turnstile.admit(&holder(1), now + wait).is_err());
    }
}
