//! What all calls of a process share, what one tenant's desk works with, and the time that both go by.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use parking_lot::RwLock;
use storage::TenantStore;
use uuid::Uuid;

use dialogue::builtin::{Dialogue, TenantFacts};
use dialogue::understanding::Understanding;
use governance::rules::RuleBook;
use knowledge::Retriever;

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) dialogue: Dialogue,
    pub(super) retriever: Arc<Retriever>,
    pub(super) tenants: RwLock<HashMap<Uuid, Arc<Desk>>>,
    pub(super) understanding: Understanding,
}

/// What one tenant's desk works with.
#[derive(Debug)]
pub(super) struct Desk {
    pub(super) tenant: Uuid,
    pub(super) store: TenantStore,
    pub(super) facts: TenantFacts,
    pub(super) zone: Tz,
    /// What may not be said or done here.
    pub(super) rules: Arc<RuleBook>,
}

/// The one place of this crate that reads the clock for a call.
pub(super) fn now() -> DateTime<Utc> {
    Utc::now()
}
