//! Who has a live call: one person at a time.
//!
//! The desk answers at once whether somebody may take the call; the session, which is told of it, says when a lease is over.
//! Pure.

use chrono::{DateTime, TimeDelta, Utc};
use parking_lot::Mutex;
use serde::Serialize;
use storage::Role;

use crate::auth::{Kind, Principal};

/// A person's hold on a call.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Lease {
    /// Counts up within a stream.
    #[serde(skip)]
    pub id: u32,
    /// Login, or the name of a token.
    pub by: String,
    pub role: Role,
    pub since: DateTime<Utc>,
    #[serde(skip)]
    kind: Kind,
    /// Which of the holder's sockets speaks: the newest.
    #[serde(skip)]
    socket: u32,
}

impl Lease {
    fn is_of(&self, principal: &Principal) -> bool {
        self.by == principal.subject && self.kind == principal.kind
    }
}

/// What came of the wish to have the call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Taken {
    /// The person has it; from whom, if from a person.
    Now { lease: Lease, from: Option<Lease> },
    /// Somebody of at least the same rank has it.
    Held(Lease),
}

/// Somebody asks whoever has the call for it.
#[derive(Clone, Debug)]
struct Wish {
    by: String,
    role: Role,
    kind: Kind,
    at: DateTime<Utc>,
}

/// A wish that was not heeded for so long is past.
pub const WISH: TimeDelta = TimeDelta::seconds(60);
/// Wishes that are remembered; older ones go.
const MOST_WISHES: usize = 8;

#[derive(Debug, Default)]
struct State {
    last: u32,
    holder: Option<Lease>,
    wishes: Vec<Wish>,
}

impl State {
    fn give(&mut self, to: Wish, now: DateTime<Utc>) -> (Lease, Option<Lease>) {
        self.last += 1;
        self.wishes.clear();
        let lease = Lease { id: self.last, by: to.by, role: to.role, since: now, kind: to.kind, socket: 0 };
        let from = self.holder.replace(lease.clone());
        (lease, from)
    }
}

/// Why a call is not handed over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unasked {
    /// Who would hand it over does not have it.
    NotHolder,
    /// Nobody of that name asked for it, or too long ago.
    Nobody,
}

/// The place where a call is taken and given back.
#[derive(Debug, Default)]
pub struct LeaseDesk(Mutex<State>);

/// Who may take a call from whom.
const fn rank(role: Role) -> u8 {
    match role {
        Role::PlatformAdmin => 3,
        Role::TenantAdmin => 2,
        Role::Supervisor => 1,
        Role::Clerk | Role::AgentAdmin | Role::Auditor => 0,
    }
}

fn wish(principal: &Principal, at: DateTime<Utc>) -> Wish {
    Wish { by: principal.subject.clone(), role: principal.role, kind: principal.kind, at }
}

impl LeaseDesk {
    /// Who has the call.
    #[must_use]
    pub fn holder(&self) -> Option<Lease> {
        self.0.lock().holder.clone()
    }

    /// Takes the call. Whoever has it already goes on, under a new lease: the end of the older one may be on its way. A higher
    /// role takes it from a lower one.
    #[must_use]
    pub fn take(&self, principal: &Principal, now: DateTime<Utc>) -> Taken {
        let mut state = self.0.lock();
        let goes_on = match &state.holder {
            Some(lease) if lease.is_of(principal) => true,
            Some(lease) if rank(principal.role) <= rank(lease.role) => return Taken::Held(lease.clone()),
            _ => false,
        };
        let wishes = std::mem::take(&mut state.wishes);
        let (lease, from) = state.give(wish(principal, now), now);
        if goes_on {
            state.wishes = wishes;
        }
        Taken::Now { lease, from: from.filter(|_| !goes_on) }
    }

    /// Notes that somebody would like to have the call, until [`WISH`] is over. Whoever has it may hand it to them.
    pub fn ask(&self, principal: &Principal, now: DateTime<Utc>) {
        let mut state = self.0.lock();
        state.wishes.retain(|wish| wish.by != principal.subject && now - wish.at < WISH);
        if state.wishes.len() >= MOST_WISHES {
            state.wishes.remove(0);
        }
        state.wishes.push(wish(principal, now));
    }

    /// Hands the call to somebody who asked for it.
    ///
    /// # Errors
    /// [`Unasked`]; the call stays where it is.
    pub fn hand_over(&self, principal: &Principal, to: &str, now: DateTime<Utc>) -> Result<Lease, Unasked> {
        let mut state = self.0.lock();
        if !state.holder.as_ref().is_some_and(|lease| lease.is_of(principal)) {
            return Err(Unasked::NotHolder);
        }
        let wished = state.wishes.iter().find(|wish| wish.by == to && now - wish.at < WISH);
        let wished = wished.cloned().ok_or(Unasked::Nobody)?;
        Ok(state.give(wished, now).0)
    }

    /// The lease of this person, if they have the call.
    #[must_use]
    pub fn of(&self, principal: &Principal) -> Option<Lease> {
        self.holder().filter(|lease| lease.is_of(principal))
    }

    /// Opens a socket to speak through; an older one of the same person is heard no more.
    #[must_use]
    pub fn open_socket(&self, principal: &Principal) -> Option<(u32, u32)> {
        let mut state = self.0.lock();
        let lease = state.holder.as_mut().filter(|lease| lease.is_of(principal))?;
        lease.socket += 1;
        Some((lease.id, lease.socket))
    }

    /// Whether this socket speaks for whoever has the call.
    #[must_use]
    pub fn speaks(&self, lease: u32, socket: u32) -> bool {
        self.0.lock().holder.as_ref().is_some_and(|holder| (holder.id, holder.socket) == (lease, socket))
    }

    /// A lease is over. A newer one stays.
    pub fn ended(&self, lease: u32) {
        self.0.lock().holder.take_if(|holder| holder.id == lease);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use storage::{SessionId, TenantId};

    use super::*;

    fn person(subject: &str, role: Role) -> Principal {
        let (kind, tenant) = (Kind::LocalToken, Some(TenantId::new()));
        Principal { subject: subject.to_owned(), role, tenant, kind, expires_at: None, seen_at: None }
    }

    #[test]
    fn one_person_has_the_call_and_only_a_higher_role_takes_it_from_them() {
        let (desk, now) = (LeaseDesk::default(), Utc::now());
        let (pat, bo, chief) = (
            person("pat", Role::Supervisor),
            person("bo", Role::Supervisor),
            person("chief", Role::TenantAdmin),
        );
        let Taken::Now { lease, from: None } = desk.take(&pat, now) else { panic!("not taken") };
        assert_eq!(desk.take(&bo, now), Taken::Held(lease.clone()));
        let Taken::Now { lease: again, from: None } = desk.take(&pat, now) else { panic!("not taken again") };
        desk.ended(lease.id);
        assert_eq!(desk.holder(), Some(again.clone()), "a release that was on its way is no end of it");
        let lease = again;
        let other = Principal { kind: Kind::Session(SessionId::new()), ..pat.clone() };
        assert!(
            matches!(desk.take(&other, now), Taken::Held(_)),
            "a token of the same name is somebody else"
        );
        let Taken::Now { lease: high, from: Some(from) } = desk.take(&chief, now) else {
            panic!("not taken")
        };
        assert_eq!((from.id, desk.of(&pat)), (lease.id, None));
        desk.ended(lease.id);
        assert_eq!(desk.holder(), Some(high.clone()), "the end of an older lease is not the newer one's");
        desk.ended(high.id);
        assert_eq!(desk.holder(), None);
    }

    #[test]
    fn who_has_the_call_hands_it_to_somebody_who_asked_and_to_nobody_else() {
        let (desk, now) = (LeaseDesk::default(), Utc::now());
        let (pat, bo) = (person("pat", Role::Supervisor), person("bo", Role::Supervisor));
        let Taken::Now { lease, .. } = desk.take(&pat, now) else { panic!("not taken") };
        assert_eq!(desk.hand_over(&pat, "bo", now), Err(Unasked::Nobody));
        desk.ask(&bo, now);
        assert_eq!(desk.hand_over(&bo, "bo", now), Err(Unasked::NotHolder), "nobody helps themselves");
        assert_eq!(desk.hand_over(&pat, "bo", now + WISH), Err(Unasked::Nobody), "too late");
        // Whoever goes on under a new lease still knows of the wish.
        assert!(matches!(desk.take(&pat, now), Taken::Now { from: None, .. }));
        let given = desk.hand_over(&pat, "bo", now).unwrap();
        assert_eq!((given.by.as_str(), given.id > lease.id), ("bo", true));
        assert_eq!(desk.of(&bo).map(|lease| lease.id), Some(given.id));
        assert_eq!(desk.hand_over(&bo, "bo", now), Err(Unasked::Nobody), "a wish is heeded once");
    }

    #[test]
    fn the_newest_socket_of_the_holder_speaks() {
        let desk = LeaseDesk::default();
        let pat = person("pat", Role::Supervisor);
        assert_eq!(desk.open_socket(&pat), None);
        let _ = desk.take(&pat, Utc::now());
        let (first, second) = (desk.open_socket(&pat).unwrap(), desk.open_socket(&pat).unwrap());
        assert!(!desk.speaks(first.0, first.1) && desk.speaks(second.0, second.1));
        desk.ended(second.0);
        assert!(!desk.speaks(second.0, second.1));
    }
}
