//! How long whoever failed to sign in waits before the next attempt: by login, and by address.
//!
//! An attempt counts as failed when it begins and is forgiven when it succeeds, so that a hundred at the same moment are
//! not one. A login that nobody has is counted like any other: the waits tell nothing.
//!
//! Counted is in storage, so that several gateways on one database are one door. This process counts beside it: whoever has to
//! wait by its own count is refused without a question to the database, and where that does not answer, its count is what
//! holds.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use chrono::{DateTime, Utc};
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use storage::Attempts as Shared;
use storage::attempts::{AttemptBegun, AttemptKey, Tally, is_forgotten};

use crate::error::ApiError;
use crate::limits::{network, too_many};

/// Failures in a row that cost nothing: people mistype.
const FREE_OF_LOGIN: u32 = 5;
/// An office has one address for all of its people.
const FREE_OF_ADDRESS: u32 = 20;
/// Logins and addresses that are remembered here, each.
const KEYS: usize = 10_000;
/// How long the database may take to count: a sign-in takes little longer by itself.
const COUNTED_WITHIN: Duration = Duration::from_secs(1);

/// One kind of key, as far as this process knows.
#[derive(Debug, Default)]
struct Tallies(HashMap<[u8; 32], Tally>);

impl Tallies {
    fn wait(&self, key: &AttemptKey, now: DateTime<Utc>) -> Option<Duration> {
        self.0.get(&key.hash)?.wait(now)
    }

    fn failed(&mut self, key: &AttemptKey, now: DateTime<Utc>) {
        let known = self.0.get(&key.hash).copied().unwrap_or_else(|| Tally::new(now));
        self.put(key, known.failed(key.free, now), now);
    }

    /// What all gateways counted, unless something newer is known here.
    fn learn(&mut self, key: &AttemptKey, counted: Tally, now: DateTime<Utc>) {
        if self.0.get(&key.hash).is_none_or(|known| known.last_at <= counted.last_at) {
            self.put(key, counted, now);
        }
    }

    fn put(&mut self, key: &AttemptKey, tally: Tally, now: DateTime<Utc>) {
        if self.0.len() >= KEYS && !self.0.contains_key(&key.hash) {
            self.make_room(now);
        }
        self.0.insert(key.hash, tally);
    }

    fn forgive(&mut self, key: &AttemptKey, now: DateTime<Utc>) {
        if let Some(tally) = self.0.get_mut(&key.hash) {
            *tally = tally.forgiven(now);
        }
    }

    /// Forgets those at rest, or else whoever was silent longest.
    fn make_room(&mut self, now: DateTime<Utc>) {
        self.0.retain(|_, tally| !is_forgotten(tally.last_at, now));
        if self.0.len() >= KEYS
            && let Some(oldest) = self.0.iter().min_by_key(|(_, tally)| tally.last_at).map(|(key, _)| *key)
        {
            self.0.remove(&oldest);
        }
    }
}

/// All attempts, as far as this process knows of them.
#[derive(Debug, Default)]
pub struct Attempts {
    logins: Mutex<Tallies>,
    addresses: Mutex<Tallies>,
}

impl Attempts {
    /// Begins an attempt; an error says how long to wait.
    pub async fn begin(
        &self,
        shared: &impl Shared,
        login: &str,
        address: IpAddr,
        now: DateTime<Utc>,
    ) -> Result<(), ApiError> {
        let keys = keys_of(login, address);
        self.count(&keys, now)?;
        let asked = shared.begin_attempt(keys.to_vec(), now);
        match in_time(asked).await {
            Some(AttemptBegun::Counted(tallies)) => self.learn(&keys, &tallies, now),
            Some(AttemptBegun::Waits(tallies)) => {
                self.learn(&keys, &tallies, now);
                let wait = tallies.iter().filter_map(|tally| tally.wait(now)).max();
                return refused(wait);
            }
            None => {}
        }
        Ok(())
    }

    /// An attempt that was begun was good.
    pub async fn succeeded(&self, shared: &impl Shared, login: &str, address: IpAddr, now: DateTime<Utc>) {
        let [login, address] = keys_of(login, address);
        self.logins.lock().0.remove(&login.hash);
        self.addresses.lock().forgive(&address, now);
        in_time(shared.attempt_succeeded(login.hash, address.hash, now)).await;
    }

    /// By what this process knows.
    fn count(&self, [login, address]: &[AttemptKey; 2], now: DateTime<Utc>) -> Result<(), ApiError> {
        let (mut logins, mut addresses) = (self.logins.lock(), self.addresses.lock());
        refused(logins.wait(login, now).max(addresses.wait(address, now)))?;
        logins.failed(login, now);
        addresses.failed(address, now);
        Ok(())
    }

    fn learn(&self, [login, address]: &[AttemptKey; 2], counted: &[Tally], now: DateTime<Utc>) {
        if let [of_login, of_address] = counted {
            self.logins.lock().learn(login, *of_login, now);
            self.addresses.lock().learn(address, *of_address, now);
        }
    }
}

fn refused(wait: Option<Duration>) -> Result<(), ApiError> {
    wait.map_or(Ok(()), |wait| Err(too_many("too many failed attempts to sign in", wait)))
}

/// What the database said; `None` where it did not.
async fn in_time<T>(asked: impl Future<Output = Result<T, storage::StorageError>>) -> Option<T> {
    let problem = match tokio::time::timeout(COUNTED_WITHIN, asked).await {
        Ok(Ok(answer)) => return Some(answer),
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("no answer within {} s", COUNTED_WITHIN.as_secs()),
    };
    tracing::warn!(problem, "attempts to sign in are not counted in the database; this process counts alone");
    None
}

/// The login first: whoever takes rows of both kinds takes them in this order.
fn keys_of(login: &str, address: IpAddr) -> [AttemptKey; 2] {
    let login = Sha256::digest(format!("login {}", login.trim().to_lowercase()));
    let address = Sha256::digest(format!("address {}", network(address)));
    [
        AttemptKey { hash: login.into(), free: FREE_OF_LOGIN },
        AttemptKey { hash: address.into(), free: FREE_OF_ADDRESS },
    ]
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use storage::StorageError;
    use storage::attempts::{FORGOTTEN, LONGEST_WAIT};

    use super::*;

    const HOME: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));

    fn address(n: u8) -> IpAddr {
        IpAddr::from([198, 51, 100, n])
    }

    /// A database that does not answer, or never does.
    struct Away {
        hangs: bool,
    }

    impl Away {
        async fn gone<T>(&self) -> Result<T, StorageError> {
            if self.hangs {
                std::future::pending::<()>().await;
            }
            Err(StorageError::Closing)
        }
    }

    impl Shared for Away {
        async fn begin_attempt(
            &self,
            _: Vec<AttemptKey>,
            _: DateTime<Utc>,
        ) -> Result<AttemptBegun, StorageError> {
            self.gone().await
        }

        async fn attempt_succeeded(
            &self,
            _: [u8; 32],
            _: [u8; 32],
            _: DateTime<Utc>,
        ) -> Result<(), StorageError> {
            self.gone().await
        }

        async fn forget_attempts(&self, _: DateTime<Utc>) -> Result<u64, StorageError> {
            self.gone().await
        }
    }

    const AWAY: Away = Away { hangs: false };

    #[tokio::test]
    async fn a_login_waits_longer_after_each_failure_whoever_tries() {
        let (attempts, mut now) = (Attempts::default(), Utc::now());
        let mut waits = Vec::new();
        for n in 0..20 {
            let mut waited = 0;
            while attempts.begin(&AWAY, "pat", address(n), now).await.is_err() {
                now += TimeDelta::seconds(1);
                waited += 1;
            }
            waits.push(waited);
        }
        assert_eq!(waits[..9], [0, 0, 0, 0, 0, 0, 2, 4, 8]);
        assert_eq!(waits[19], LONGEST_WAIT.as_secs());
        assert!(attempts.begin(&AWAY, "kim", address(0), now).await.is_ok(), "another login is another's");
        assert!(
            attempts.begin(&AWAY, " PAT ", address(99), now).await.is_err(),
            "a login is one in any case"
        );
        now += FORGOTTEN + LONGEST_WAIT;
        for _ in 0..5 {
            attempts.begin(&AWAY, "pat", HOME, now).await.unwrap();
        }
    }

    #[tokio::test]
    async fn an_address_that_tries_many_logins_waits_and_others_do_not() {
        let (attempts, now) = (Attempts::default(), Utc::now());
        let mut tried = 0;
        for n in 0..100 {
            tried += u32::from(attempts.begin(&AWAY, &format!("user{n}"), HOME, now).await.is_ok());
        }
        assert_eq!(tried, 21);
        assert!(attempts.begin(&AWAY, "pat", address(1), now).await.is_ok());
    }

    #[tokio::test]
    async fn whoever_succeeds_is_forgiven() {
        let (attempts, now) = (Attempts::default(), Utc::now());
        for _ in 0..100 {
            attempts.begin(&AWAY, "pat", HOME, now).await.unwrap();
            attempts.succeeded(&AWAY, "pat", HOME, now).await;
        }
        for _ in 0..5 {
            attempts.begin(&AWAY, "pat", HOME, now).await.unwrap();
        }
    }

    #[tokio::test]
    async fn what_is_remembered_is_bounded() {
        let (attempts, mut now) = (Attempts::default(), Utc::now());
        for n in 0..KEYS + 100 {
            now += TimeDelta::milliseconds(1);
            let v6 = std::net::Ipv6Addr::from((n as u128) << 64);
            attempts.begin(&AWAY, &n.to_string(), v6.into(), now).await.unwrap();
        }
        assert_eq!(attempts.logins.lock().0.len(), KEYS);
        assert_eq!(attempts.addresses.lock().0.len(), KEYS);
    }

    #[tokio::test(start_paused = true)]
    async fn a_database_that_hangs_holds_nobody_up_and_lets_nobody_guess() {
        let (attempts, now) = (Attempts::default(), Utc::now());
        let began = tokio::time::Instant::now();
        for _ in 0..6 {
            attempts.begin(&Away { hangs: true }, "pat", HOME, now).await.unwrap();
        }
        assert!(began.elapsed() <= COUNTED_WITHIN * 6 + Duration::from_millis(60));
        assert!(attempts.begin(&Away { hangs: true }, "pat", HOME, now).await.is_err());
    }
}
