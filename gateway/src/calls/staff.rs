//! Who of the office watches the calls and could be asked something: counted by tenant, by their open streams of events.

use std::sync::atomic::Ordering;

use dashmap::DashMap;
use pipeline::ports::Staff;
use storage::TenantId;

/// People at their consoles who may act on calls.
#[derive(Debug, Default)]
pub struct StaffDesk(DashMap<TenantId, Staff>);

impl StaffDesk {
    /// Those of a tenant, now and from now on.
    #[must_use]
    pub fn of(&self, tenant: TenantId) -> Staff {
        self.0.entry(tenant).or_default().clone()
    }

    /// Somebody is there until this is dropped.
    #[must_use]
    pub fn enter(&self, tenant: TenantId) -> Seat {
        let staff = self.of(tenant);
        staff.0.fetch_add(1, Ordering::Relaxed);
        Seat(staff)
    }
}

/// One person at their console.
#[derive(Debug)]
pub struct Seat(Staff);

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn somebody_is_there_while_a_stream_of_theirs_is_open() {
        let (desk, tenant) = (StaffDesk::default(), TenantId::new());
        let staff = desk.of(tenant);
        assert!(!staff.is_there());
        let (one, other) = (desk.enter(tenant), desk.enter(tenant));
        drop(one);
        assert!(staff.is_there() && !desk.of(TenantId::new()).is_there());
        drop(other);
        assert!(!staff.is_there());
    }
}
