//! How often and how much at a time: for each tenant, and for strangers at the sign-in.
//!
//! One tenant's program in a loop, or one stranger who guesses tokens, must not slow down anybody else's line. Rates are
//! token buckets (`governor`), by the monotonic clock; what is kept of an address or a tenant is bounded.

use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use dashmap::DashMap;
use governor::clock::{Clock, MonotonicClock};
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};
use storage::TenantId;

use crate::config::Limits;
use crate::error::{ApiError, ErrorCode};

/// Keys that a limiter remembers; beyond it, those that are at rest are forgotten.
const KEYS: usize = 10_000;
/// Attempts to sign in or to use a token that failed, from one address: so many at once, then one in six seconds.
const FAILED_AT_ONCE: NonZeroU32 = NonZeroU32::new(10).unwrap();
const FAILED_PER_MINUTE: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// Sign-ins by passkey that one address begins: each leaves a row, which is gone after minutes.
const BEGUN_AT_ONCE: NonZeroU32 = NonZeroU32::new(30).unwrap();
const BEGUN_PER_MINUTE: NonZeroU32 = NonZeroU32::new(30).unwrap();

type Keyed<K> = RateLimiter<K, DashMapStateStore<K>, MonotonicClock>;

/// One rate for each key.
struct Rate<K: Clone + Hash + Eq> {
    limiter: Keyed<K>,
}

impl<K: Clone + Hash + Eq> std::fmt::Debug for Rate<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rate({} keys)", self.limiter.len())
    }
}

impl<K: Clone + Hash + Eq> Rate<K> {
    fn new(quota: Quota) -> Self {
        Self { limiter: RateLimiter::new(quota, DashMapStateStore::default(), MonotonicClock) }
    }

    /// Takes one; an error says how long to wait.
    fn take(&self, key: &K) -> Result<(), Duration> {
        if self.limiter.len() > KEYS {
            self.limiter.retain_recent();
        }
        self.limiter.check_key(key).map_err(|until| until.wait_time_from(MonotonicClock.now()))
    }
}

/// So many of something at a time, for each tenant.
#[derive(Clone, Debug)]
struct AtOnce {
    most: u32,
    open: Arc<DashMap<TenantId, u32>>,
}

/// A tenant's place; free again when dropped.
#[derive(Debug)]
pub struct TenantPlace {
    tenant: TenantId,
    open: Arc<DashMap<TenantId, u32>>,
}

impl Drop for TenantPlace {
    fn drop(&mut self) {
        if let Some(mut count) = self.open.get_mut(&self.tenant) {
            *count = count.saturating_sub(1);
        }
        self.open.remove_if(&self.tenant, |_, count| *count == 0);
    }
}

impl AtOnce {
    fn new(most: u32) -> Self {
        Self { most, open: Arc::default() }
    }

    fn take(&self, tenant: TenantId) -> Option<TenantPlace> {
        let mut count = self.open.entry(tenant).or_insert(0);
        if *count >= self.most {
            return None;
        }
        *count += 1;
        drop(count);
        Some(TenantPlace { tenant, open: self.open.clone() })
    }
}

/// All limits of a gateway.
#[derive(Debug)]
pub struct Gates {
    requests: Rate<TenantId>,
    calls: Rate<TenantId>,
    calls_at_once: AtOnce,
    streams_at_once: AtOnce,
    failed: Rate<IpAddr>,
    begun: Rate<IpAddr>,
}

impl Gates {
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        let requests = Quota::per_second(limits.tenant_requests_per_second)
            .allow_burst(limits.tenant_requests_per_second.saturating_mul(NonZeroU32::MIN.saturating_add(1)));
        Self {
            requests: Rate::new(requests),
            calls: Rate::new(Quota::per_minute(limits.tenant_calls_per_minute)),
            calls_at_once: AtOnce::new(limits.tenant_calls.unwrap_or(u32::MAX)),
            streams_at_once: AtOnce::new(limits.tenant_event_streams),
            failed: Rate::new(Quota::per_minute(FAILED_PER_MINUTE).allow_burst(FAILED_AT_ONCE)),
            begun: Rate::new(Quota::per_minute(BEGUN_PER_MINUTE).allow_burst(BEGUN_AT_ONCE)),
        }
    }

    /// Lets a request about a tenant through.
    pub fn request(&self, tenant: TenantId) -> Result<(), ApiError> {
        self.requests.take(&tenant).map_err(|wait| too_many("this tenant's programs ask too often", wait))
    }

    /// Whether one more call of a tenant may arrive in this minute.
    #[must_use]
    pub fn call_arrives(&self, tenant: TenantId) -> bool {
        self.calls.take(&tenant).is_ok()
    }

    /// A place for a call of a tenant.
    #[must_use]
    pub fn call(&self, tenant: TenantId) -> Option<TenantPlace> {
        self.calls_at_once.take(tenant)
    }

    /// A place for a stream of events of a tenant.
    pub fn stream(&self, tenant: TenantId) -> Result<TenantPlace, ApiError> {
        let wait = Duration::from_secs(5);
        self.streams_at_once
            .take(tenant)
            .ok_or_else(|| too_many("this tenant has too many event streams", wait))
    }

    /// Lets an address begin a sign-in that we have to remember.
    pub fn begins(&self, address: IpAddr) -> Result<(), ApiError> {
        self.begun
            .take(&network(address))
            .map_err(|wait| too_many("this address begins too many sign-ins", wait))
    }

    /// Counts a failed attempt to prove who one is. From then on the address waits, and nobody else does.
    pub fn failed(&self, address: IpAddr) -> Result<(), ApiError> {
        self.failed
            .take(&network(address))
            .map_err(|wait| too_many("too many failed attempts from this address", wait))
    }
}

/// A host of IPv6 owns a whole /64.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from(u128::from(v6) & !u128::from(u64::MAX))),
        v4 => v4,
    }
}

pub(crate) fn too_many(why: &str, wait: Duration) -> ApiError {
    let seconds = wait.as_secs().saturating_add(1);
    ApiError::new(ErrorCode::RateLimited, why)
        .retry_after(seconds)
        .advise(format!("try again in {seconds} s"))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn gates() -> Gates {
        Gates::new(&Limits {
            tenant_calls: Some(2),
            tenant_calls_per_minute: NonZeroU32::new(3).unwrap(),
            tenant_requests_per_second: NonZeroU32::new(5).unwrap(),
            tenant_event_streams: 2,
            ..Limits::default()
        })
    }

    fn tenant(n: u128) -> TenantId {
        TenantId(Uuid::from_u128(n))
    }

    #[test]
    fn one_tenant_at_its_bound_leaves_the_others_alone() {
        let gates = gates();
        let held: Vec<_> = (0..5).filter_map(|_| gates.call(tenant(1))).collect();
        assert_eq!(held.len(), 2);
        assert!(gates.call(tenant(2)).is_some());
        drop(held);
        assert!(gates.call(tenant(1)).is_some());
        assert_eq!((0..9).filter(|_| gates.call_arrives(tenant(1))).count(), 3);
        assert!(gates.call_arrives(tenant(2)));
        assert_eq!((0..90).filter(|_| gates.request(tenant(1)).is_ok()).count(), 10);
        assert!(gates.request(tenant(2)).is_ok());
        let streams: Vec<_> = (0..5).filter_map(|_| gates.stream(tenant(1)).ok()).collect();
        assert_eq!(streams.len(), 2);
        assert!(gates.stream(tenant(2)).is_ok());
    }

    #[test]
    fn one_address_that_guesses_locks_out_nobody_else() {
        let gates = gates();
        let (guesser, other): (IpAddr, IpAddr) =
            ("2001:db8::1".parse().unwrap(), "192.0.2.7".parse().unwrap());
        assert_eq!((0..50).filter(|_| gates.failed(guesser).is_ok()).count(), 10);
        let neighbor: IpAddr = "2001:db8::2".parse().unwrap();
        assert!(gates.failed(neighbor).is_err(), "one host has all of its /64");
        assert!(gates.failed(other).is_ok());
    }

    #[test]
    fn addresses_that_are_at_rest_are_forgotten() {
        let rate: Rate<u64> = Rate::new(Quota::per_second(NonZeroU32::new(1_000_000).unwrap()));
        for key in 0..3 * KEYS as u64 {
            let _ = rate.take(&key);
        }
        std::thread::sleep(Duration::from_millis(5));
        let _ = rate.take(&0);
        assert!(rate.limiter.len() <= KEYS + 1, "{}", rate.limiter.len());
    }
}
