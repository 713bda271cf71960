//! Places for media sockets that have not shown their token yet. A socket costs next to nothing to open, so whoever opens
//! many must not take the places of calls.
//!
//! The carrier's sockets and those of browser phones have doors of their own. At each, one address has a share: a part
//! of the carrier's, since all of its calls may come through one proxy, and a small one of the phones'. A browser's
//! socket gets that far only by naming a call that a signed-in user has just asked for.

use std::net::IpAddr;
use std::sync::Arc;

use dashmap::DashMap;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Carrier sockets that may shake hands at a time: more than a node's arrivals in the handshake's five seconds.
const CARRIER: usize = 512;
/// Of those, from one address.
const CARRIER_SHARE: u32 = 256;
/// The same of browser phones.
const PHONES: usize = 64;
const PHONES_SHARE: u32 = 8;

/// Both doors.
#[derive(Debug)]
pub struct Doorways {
    pub carrier: Doorway,
    pub phones: Doorway,
}

impl Default for Doorways {
    fn default() -> Self {
        Self { carrier: Doorway::new(CARRIER, CARRIER_SHARE), phones: Doorway::new(PHONES, PHONES_SHARE) }
    }
}

/// One door.
#[derive(Clone, Debug)]
pub struct Doorway {
    places: Arc<Semaphore>,
    share: u32,
    /// Sockets of each address that shake hands now. At most as many entries as places.
    sources: Arc<DashMap<IpAddr, u32>>,
}

/// A place; free again when dropped.
#[derive(Debug)]
pub struct Place {
    source: IpAddr,
    sources: Arc<DashMap<IpAddr, u32>>,
    _place: OwnedSemaphorePermit,
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(mut count) = self.sources.get_mut(&self.source) {
            *count = count.saturating_sub(1);
        }
        self.sources.remove_if(&self.source, |_, count| *count == 0);
    }
}

impl Doorway {
    fn new(places: usize, share: u32) -> Self {
        Self { places: Arc::new(Semaphore::new(places)), share, sources: Arc::default() }
    }

    /// A place for a socket from this address; `None` when it has its share, or all are taken.
    #[must_use]
    pub fn enter(&self, source: IpAddr) -> Option<Place> {
        let place = self.places.clone().try_acquire_owned().ok()?;
        let mut count = self.sources.entry(source).or_insert(0);
        if *count >= self.share {
            return None;
        }
        *count += 1;
        drop(count);
        Some(Place { source, sources: self.sources.clone(), _place: place })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_has_its_share_and_leaves_the_rest() {
        let door = Doorway::new(10, 4);
        let (one, other) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));
        let held: Vec<_> = (0..20).filter_map(|_| door.enter(one)).collect();
        assert_eq!(held.len(), 4);
        let more: Vec<_> = (0..20).filter_map(|_| door.enter(other)).collect();
        assert_eq!(more.len(), 4);
        drop(held);
        assert_eq!(door.sources.len(), 1, "an address that left is forgotten");
        assert!(door.enter(one).is_some());
    }

    #[test]
    fn all_places_are_all_there_are() {
        let door = Doorway::new(3, 2);
        let held: Vec<_> = (0..9).filter_map(|n| door.enter(IpAddr::from([192, 0, 2, n]))).collect();
        assert_eq!(held.len(), 3);
        assert_eq!(door.sources.len(), 3);
    }
}
