//! Providers of one kind in the operator's order, with what is known of their health. Shared by all calls.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;

use super::breaker::Breaker;
use super::failure::Kind;

/// One provider of a list.
pub struct Member<P: ?Sized> {
    pub provider: Arc<P>,
    name: &'static str,
    /// None: on this machine, always worth asking.
    breaker: Option<Mutex<Breaker>>,
}

/// The list, most preferred first. Clones are the same list: what one learns of a provider the others know.
pub struct Ranked<P: ?Sized>(Arc<[Member<P>]>);

impl<P: ?Sized> Clone for Ranked<P> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<P: ?Sized> Member<P> {
    /// A provider reached over the network.
    #[must_use]
    pub fn remote(name: &'static str, provider: Arc<P>) -> Self {
        Self { provider, name, breaker: Some(Mutex::default()) }
    }

    /// One on this machine.
    #[must_use]
    pub const fn local(name: &'static str, provider: Arc<P>) -> Self {
        Self { provider, name, breaker: None }
    }

    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    #[must_use]
    pub const fn is_local(&self) -> bool {
        self.breaker.is_none()
    }

    /// Whether it is asked without a second thought: its breaker is closed, or it has none.
    #[must_use]
    pub fn is_well(&self) -> bool {
        self.breaker.as_ref().is_none_or(|b| b.lock().is_closed())
    }

    /// It did its work.
    pub fn succeeded(&self) {
        if let Some(breaker) = &self.breaker {
            breaker.lock().on_success();
        }
    }

    /// It failed, at `now`.
    pub fn failed(&self, now: Instant, kind: Kind) {
        metrics::counter!("quandura_provider_failures_total", "provider" => self.name, "kind" => kind.name())
            .increment(1);
        if let Some(breaker) = &self.breaker {
            breaker.lock().on_failure(now, kind);
        }
    }

    fn allows(&self, now: Instant) -> bool {
        self.breaker.as_ref().is_none_or(|b| b.lock().allows(now))
    }
}

impl<P: ?Sized> Ranked<P> {
    /// # Panics
    /// Never; an empty list simply picks nobody.
    #[must_use]
    pub fn new(members: Vec<Member<P>>) -> Self {
        Self(members.into())
    }

    #[must_use]
    pub fn members(&self) -> &[Member<P>] {
        &self.0
    }

    /// The most preferred provider that may be used now and is not in `tried`. When every breaker is open the
    /// most preferred untried one is asked all the same: a small chance is better than an apology.
    #[must_use]
    pub fn pick(&self, now: Instant, tried: &[usize]) -> Option<usize> {
        let untried = || (0..self.0.len()).filter(|i| !tried.contains(i));
        untried().find(|i| self.0[*i].allows(now)).or_else(|| untried().next())
    }
}

impl<P: ?Sized> Ranked<P> {
    /// A provider that is preferred to this one and may be used now.
    #[must_use]
    pub fn better_than(&self, index: usize, now: Instant) -> Option<usize> {
        (0..index).find(|i| self.0[*i].allows(now))
    }
}

impl<P: ?Sized> fmt::Debug for Member<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl<P: ?Sized> fmt::Debug for Ranked<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(Member::name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_order_holds_while_all_are_well_and_an_open_breaker_is_passed_over() {
        let list: Ranked<()> = Ranked::new(vec![
            Member::remote("a", Arc::new(())),
            Member::remote("b", Arc::new(())),
            Member::local("c", Arc::new(())),
        ]);
        let t = Instant::now();
        assert_eq!(list.pick(t, &[]), Some(0));
        list.members()[0].failed(t, Kind::Overloaded);
        assert_eq!(list.clone().pick(t, &[]), Some(1), "known to every clone");
        assert!(!list.members()[0].is_well() && list.members()[1].is_well() && list.members()[2].is_well());
        list.members()[1].failed(t, Kind::Unauthorised);
        assert_eq!(list.pick(t, &[]), Some(2));
        assert_eq!(list.pick(t, &[2]), Some(0), "a small chance is better than none");
        assert_eq!(list.pick(t, &[0, 1, 2]), None);
        assert_eq!(list.pick(t + Duration::from_secs(5), &[]), Some(0), "its trial");
        list.members()[0].succeeded();
        assert_eq!(list.pick(t + Duration::from_secs(5), &[]), Some(0));
    }
}
