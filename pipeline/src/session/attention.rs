//! When a person should look at a call, and why.

use super::Session;
use crate::event::{AttentionLevel, AttentionReason, EventBody};
use crate::ports::{CallRecord, ProviderState};

/// What was told of a call so far. A level never falls by itself: only a person, or the end of the call, says that it is
/// over.
#[derive(Debug, Default)]
pub(super) struct Attention {
    level: AttentionLevel,
    told: Vec<AttentionReason>,
}

impl Attention {
    /// The level to tell, the first time that a reason comes up.
    fn raise(&mut self, reason: AttentionReason) -> Option<AttentionLevel> {
        if self.told.contains(&reason) {
            return None;
        }
        self.told.push(reason);
        self.level = self.level.max(reason.level());
        Some(self.level)
    }
}

impl Session {
    /// Tells viewers that somebody should look at this call: each reason once.
    pub(super) fn attend(&mut self, reason: AttentionReason) {
        if let Some(level) = self.attention.raise(reason) {
            self.record(CallRecord::Attention { turn: self.turn, level, reason });
            self.emit(EventBody::Attention { level, reason });
        }
    }

    /// A provider that is slow or came back is no reason; one that failed is.
    pub(super) fn attend_provider(&mut self, state: ProviderState) {
        if matches!(state, ProviderState::Failed | ProviderState::Exhausted) {
            self.attend(AttentionReason::ProviderFailing);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_told_once_and_the_level_never_falls() {
        let mut attention = Attention::default();
        assert_eq!(attention.raise(AttentionReason::Silence), Some(AttentionLevel::Watch));
        assert_eq!(attention.raise(AttentionReason::Silence), None);
        assert_eq!(attention.raise(AttentionReason::Emergency), Some(AttentionLevel::Urgent));
        assert_eq!(attention.raise(AttentionReason::Rule), Some(AttentionLevel::Urgent));
    }
}
