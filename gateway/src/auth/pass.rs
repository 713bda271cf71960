//! By what a viewer or listener got in, looked at again for as long as the stream lasts.

use std::net::IpAddr;
use std::time::Duration;

use axum::http::HeaderMap;
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::principal::{Principal, identify};
use crate::app::App;

/// Between two looks at whether the viewer may still see this: a revoked token, a removed user or an ended session ends
/// the stream within this and the answer of the database.
const RECHECK: Duration = Duration::from_secs(1);

/// The proof that came with a request.
#[derive(Clone, Debug)]
pub struct Pass {
    headers: HeaderMap,
    peer: IpAddr,
    pub principal: Principal,
}

impl Pass {
    #[must_use]
    pub fn new(headers: HeaderMap, peer: IpAddr, principal: Principal) -> Self {
        Self { headers, peer: peer.to_canonical(), principal }
    }

    /// Whether the same proof still gives the same rights. A database that does not answer takes nobody's away.
    pub async fn holds(&self, app: &App) -> bool {
        match identify(app, &self.headers, self.peer).await {
            Ok(Some(now)) => (now.role, now.tenant) == (self.principal.role, self.principal.tenant),
            Ok(None) => false,
            Err(_) => true,
        }
    }

    /// When to look again.
    #[must_use]
    pub fn rechecks() -> Interval {
        let mut recheck = interval(RECHECK);
        recheck.set_missed_tick_behavior(MissedTickBehavior::Delay);
        recheck
    }
}
