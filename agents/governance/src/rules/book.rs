//! The rules in force, for whoever looks at them while they are replaced.

use std::sync::Arc;

use parking_lot::RwLock;

use super::RuleSet;

/// One tenant's rules. Whoever looks sees one whole set, the old or the new.
#[derive(Debug)]
pub struct RuleBook(RwLock<Arc<RuleSet>>);

impl RuleBook {
    #[must_use]
    pub fn new(set: RuleSet) -> Self {
        Self(RwLock::new(Arc::new(set)))
    }

    /// The set in force now.
    #[must_use]
    pub fn current(&self) -> Arc<RuleSet> {
        self.0.read().clone()
    }

    /// Another set holds from here on.
    pub fn replace(&self, set: RuleSet) {
        *self.0.write() = Arc::new(set);
    }
}
