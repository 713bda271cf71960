//! Sessions of MCP clients: in memory, bounded, forgotten after an hour without a word. A client whose session is gone
//! gets 404 and begins another, as the protocol says; so sessions need not outlive a process or be shared by nodes.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use storage::TenantId;

use crate::auth::secrets;

/// Sessions of all tenants at a time: one more is refused by ending nobody else's but the asker's own.
const MOST: usize = 4_096;
/// Sessions of one tenant at a time. One more ends the one of that tenant that has been silent for longest.
const OF_TENANT: usize = 256;
/// Silence after which a session is forgotten.
const IDLE: Duration = Duration::from_secs(3_600);

/// A version of the protocol that is spoken here. Later ones sort after earlier ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Version {
    March2025,
    June2025,
    November2025,
}

impl Version {
    pub const ALL: [Self; 3] = [Self::March2025, Self::June2025, Self::November2025];
    /// What a client is offered that asks for one that is not spoken here.
    pub const LATEST: Self = Self::November2025;
    /// What a request without a session and without a header is taken for, as the protocol says.
    pub const UNSAID: Self = Self::March2025;

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::March2025 => "2025-03-26",
            Self::June2025 => "2025-06-18",
            Self::November2025 => "2025-11-25",
        }
    }

    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.name() == name)
    }

    /// The next version has taken several messages in one body out again.
    #[must_use]
    pub fn takes_batches(self) -> bool {
        self == Self::March2025
    }
}

/// Whose a session is. Nobody else can use its id.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Holder {
    pub tenant: TenantId,
    /// Login, or the name of the token.
    pub subject: String,
}

#[derive(Debug)]
struct Session {
    holder: Holder,
    version: Version,
    used: Instant,
}

/// Every session of this process.
#[derive(Debug, Default)]
pub struct Sessions(Mutex<HashMap<String, Session>>);

impl Sessions {
    /// Begins a session and gives its id: random, and so no other client's guess.
    pub fn begin(&self, holder: Holder, version: Version, now: Instant) -> String {
        let id = secrets::random_hex(16);
        let mut all = self.0.lock();
        let own = |session: &Session| session.holder.tenant == holder.tenant;
        if all.len() >= MOST || all.values().filter(|session| own(session)).count() >= OF_TENANT {
            all.retain(|_, session| now.saturating_duration_since(session.used) < IDLE);
        }
        if all.len() >= MOST || all.values().filter(|session| own(session)).count() >= OF_TENANT {
            let theirs = all.iter().filter(|(_, session)| own(session));
            let oldest = theirs.min_by_key(|(_, session)| session.used).map(|(id, _)| id.clone());
            oldest.and_then(|id| all.remove(&id));
        }
        all.insert(id.clone(), Session { holder, version, used: now });
        id
    }

    /// The version of a session that is this holder's; it counts as used now.
    pub fn version(&self, id: &str, holder: &Holder, now: Instant) -> Option<Version> {
        let mut all = self.0.lock();
        let session = all.get_mut(id).filter(|session| session.holder == *holder)?;
        if now.saturating_duration_since(session.used) >= IDLE {
            all.remove(id);
            return None;
        }
        session.used = now;
        Some(session.version)
    }

    /// Ends a session. `false`: this holder had none of that id.
    pub fn end(&self, id: &str, holder: &Holder) -> bool {
        let mut all = self.0.lock();
        let theirs = all.get(id).is_some_and(|session| session.holder == *holder);
        theirs && all.remove(id).is_some()
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn holder(n: u128) -> Holder {
        Holder { tenant: TenantId(Uuid::from_u128(n)), subject: "s".to_owned() }
    }

    #[test]
    fn a_session_is_its_holders_until_it_is_silent_for_an_hour_or_ended() {
        let (sessions, now) = (Sessions::default(), Instant::now());
        let id = sessions.begin(holder(1), Version::June2025, now);
        assert_eq!(sessions.version(&id, &holder(1), now), Some(Version::June2025));
        assert_eq!(sessions.version(&id, &holder(2), now), None, "somebody else's");
        assert!(!sessions.end(&id, &holder(2)));
        let later = now + IDLE - Duration::from_secs(1);
        assert!(sessions.version(&id, &holder(1), later).is_some(), "and used again");
        assert!(sessions.version(&id, &holder(1), later + IDLE).is_none());
        let id = sessions.begin(holder(1), Version::LATEST, now);
        assert!(sessions.end(&id, &holder(1)) && sessions.version(&id, &holder(1), now).is_none());
    }

    #[test]
    fn one_more_than_a_tenants_share_ends_its_own_oldest_and_nobody_elses() {
        let (sessions, now) = (Sessions::default(), Instant::now());
        let at = |n: usize| now + Duration::from_millis(n as u64);
        let others = sessions.begin(holder(9), Version::LATEST, now);
        let first = sessions.begin(holder(1), Version::LATEST, at(1));
        let second = sessions.begin(holder(1), Version::LATEST, at(2));
        for n in 2..=OF_TENANT {
            sessions.begin(holder(1), Version::LATEST, at(n + 1));
        }
        assert_eq!(sessions.0.lock().len(), OF_TENANT + 1);
        assert!(sessions.version(&first, &holder(1), now).is_none());
        assert!(sessions.version(&second, &holder(1), now).is_some());
        assert!(sessions.version(&others, &holder(9), now).is_some(), "another tenant's is left alone");
    }
}
