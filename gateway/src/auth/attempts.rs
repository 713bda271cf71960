//! How long whoever failed to sign in waits before the next attempt: by login, and by address.
//!
//! An attempt counts as failed when it begins and is forgiven when it succeeds, so that a hundred at the same moment are
//! not one. A login that nobody has is counted like any other: the waits tell nothing. Each process counts for itself.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use sha2::{Digest, Sha256};

use crate::error::ApiError;
use crate::limits::{network, too_many};

/// Failures in a row that cost nothing: people mistype.
const FREE_OF_LOGIN: u32 = 5;
/// An office has one address for all of its people.
const FREE_OF_ADDRESS: u32 = 20;
/// The first wait; each further failure doubles it.
const FIRST_WAIT: Duration = Duration::from_secs(2);
const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);
/// After this long without an attempt everything is forgotten.
const FORGOTTEN: Duration = Duration::from_secs(60 * 60);
/// Logins and addresses that are remembered, each.
const KEYS: usize = 10_000;

/// What is counted of a login or an address.
#[derive(Clone, Copy, Debug)]
struct Tally {
    failed: u32,
    last: Instant,
    free_at: Instant,
}

/// One kind of key.
#[derive(Debug)]
struct Tallies<K> {
    free: u32,
    of: HashMap<K, Tally>,
}

impl<K: Hash + Eq + Copy> Tallies<K> {
    fn new(free: u32) -> Self {
        Self { free, of: HashMap::new() }
    }

    fn wait(&self, key: &K, now: Instant) -> Option<Duration> {
        self.of
            .get(key)
            .map(|tally| tally.free_at.saturating_duration_since(now))
            .filter(|wait| !wait.is_zero())
    }

    fn failed(&mut self, key: K, now: Instant) {
        if self.of.len() >= KEYS && !self.of.contains_key(&key) {
            self.make_room(now);
        }
        let tally = self.of.entry(key).or_insert(Tally { failed: 0, last: now, free_at: now });
        if now.saturating_duration_since(tally.last) > FORGOTTEN {
            tally.failed = 0;
        }
        tally.failed = tally.failed.saturating_add(1);
        tally.last = now;
        tally.free_at = now + wait_after(tally.failed, self.free);
    }

    /// Takes one failure back, and the wait for it.
    fn forgive(&mut self, key: &K, now: Instant) {
        if let Some(tally) = self.of.get_mut(key) {
            tally.failed = tally.failed.saturating_sub(1);
            tally.free_at = now;
        }
    }

    /// Forgets those at rest, or else whoever was silent longest.
    fn make_room(&mut self, now: Instant) {
        self.of.retain(|_, tally| now.saturating_duration_since(tally.last) <= FORGOTTEN);
        if self.of.len() >= KEYS
            && let Some(oldest) = self.of.iter().min_by_key(|(_, tally)| tally.last).map(|(key, _)| *key)
        {
            self.of.remove(&oldest);
        }
    }
}

fn wait_after(failed: u32, free: u32) -> Duration {
    match failed.checked_sub(free) {
        None | Some(0) => Duration::ZERO,
        Some(beyond) => FIRST_WAIT.saturating_mul(1 << (beyond - 1).min(16)).min(LONGEST_WAIT),
    }
}

/// All attempts at this process.
#[derive(Debug)]
pub struct Attempts {
    logins: Mutex<Tallies<[u8; 32]>>,
    addresses: Mutex<Tallies<IpAddr>>,
}

impl Default for Attempts {
    fn default() -> Self {
        Self {
            logins: Mutex::new(Tallies::new(FREE_OF_LOGIN)),
            addresses: Mutex::new(Tallies::new(FREE_OF_ADDRESS)),
        }
    }
}

impl Attempts {
    /// Begins an attempt; an error says how long to wait.
    pub fn begin(&self, login: &str, address: IpAddr, now: Instant) -> Result<(), ApiError> {
        let (login, address) = (key_of(login), network(address));
        let (mut logins, mut addresses) = (self.logins.lock(), self.addresses.lock());
        let wait = logins.wait(&login, now).max(addresses.wait(&address, now));
        if let Some(wait) = wait {
            return Err(too_many("too many failed attempts to sign in", wait));
        }
        logins.failed(login, now);
        addresses.failed(address, now);
        Ok(())
    }

    /// An attempt that was begun was good.
    pub fn succeeded(&self, login: &str, address: IpAddr, now: Instant) {
        self.logins.lock().of.remove(&key_of(login));
        self.addresses.lock().forgive(&network(address), now);
    }
}

/// Nothing that somebody typed is kept: some type their password there.
fn key_of(login: &str) -> [u8; 32] {
    Sha256::digest(login.trim().to_lowercase()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));

    fn address(n: u8) -> IpAddr {
        IpAddr::from([198, 51, 100, n])
    }

    #[test]
    fn a_login_waits_longer_after_each_failure_whoever_tries() {
        let (attempts, mut now) = (Attempts::default(), Instant::now());
        let mut waits = Vec::new();
        for n in 0..20 {
            let mut waited = Duration::ZERO;
            while attempts.begin("pat", address(n), now).is_err() {
                now += Duration::from_secs(1);
                waited += Duration::from_secs(1);
            }
            waits.push(waited.as_secs());
        }
        assert_eq!(waits[..9], [0, 0, 0, 0, 0, 0, 2, 4, 8]);
        assert_eq!(waits[19], LONGEST_WAIT.as_secs());
        assert!(attempts.begin("kim", address(0), now).is_ok(), "another login is another's");
        assert!(attempts.begin(" PAT ", address(99), now).is_err(), "a login is one in any case");
        now += FORGOTTEN + LONGEST_WAIT;
        assert!((0..5).all(|_| attempts.begin("pat", HOME, now).is_ok()));
    }

    #[test]
    fn an_address_that_tries_many_logins_waits_and_others_do_not() {
        let (attempts, now) = (Attempts::default(), Instant::now());
        let tried = (0..100).filter(|n| attempts.begin(&format!("user{n}"), HOME, now).is_ok()).count();
        assert_eq!(tried, 21);
        assert!(attempts.begin("pat", address(1), now).is_ok());
    }

    #[test]
    fn whoever_succeeds_is_forgiven() {
        let (attempts, now) = (Attempts::default(), Instant::now());
        for _ in 0..100 {
            attempts.begin("pat", HOME, now).unwrap();
            attempts.succeeded("pat", HOME, now);
        }
        for _ in 0..5 {
            attempts.begin("pat", HOME, now).unwrap();
        }
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let (attempts, mut now) = (Attempts::default(), Instant::now());
        for n in 0..KEYS + 100 {
            now += Duration::from_millis(1);
            let v6 = std::net::Ipv6Addr::from((n as u128) << 64);
            attempts.begin(&n.to_string(), v6.into(), now).unwrap();
        }
        assert_eq!(attempts.logins.lock().of.len(), KEYS);
        assert_eq!(attempts.addresses.lock().of.len(), KEYS);
    }
}
