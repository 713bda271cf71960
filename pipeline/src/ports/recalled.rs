//! What a call begins with of its caller.

use std::fmt;

use uuid::Uuid;

/// A fact that is remembered of the caller from earlier calls. Sensitive, and perhaps not theirs: phones are lent, and
/// numbers are forged. It may help to understand; nothing of it is said before the caller says it.
#[derive(Clone, PartialEq, Eq)]
pub struct Recalled {
    pub id: Uuid,
    /// `preferred_language`, `open_matter`, …
    pub key: String,
    pub value: String,
}

impl fmt::Debug for Recalled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recalled").field("id", &self.id).field("key", &self.key).finish_non_exhaustive()
    }
}
