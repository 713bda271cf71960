//! What a carrier tells of a call, in its webhooks and when it is asked. Each carrier reads its own names into these types.

use std::fmt;

use crate::error::StatusError;

/// Progress of a call as the carrier tells it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallProgress {
    Queued,
    Initiated,
    Ringing,
    /// Answered.
    InProgress,
    Completed,
    Busy,
    Failed,
    NoAnswer,
    Canceled,
    /// One that this version does not know.
    Other,
}

impl CallProgress {
    /// No other status follows.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Busy | Self::Failed | Self::NoAnswer | Self::Canceled)
    }

    /// Somebody answered, or had answered.
    #[must_use]
    pub const fn was_answered(self) -> bool {
        matches!(self, Self::InProgress | Self::Completed)
    }
}

/// Who answered, as far as the carrier can tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answerer {
    Person,
    /// An answering machine, or a fax.
    Machine,
    Unknown,
}

/// One call-back. They may come out of order and more than once: order by `sequence`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StatusCallback {
    /// The carrier's id of the call.
    pub call_sid: String,
    pub status: CallProgress,
    /// Counts up from 0.
    pub sequence: Option<u64>,
    /// Length of a completed call.
    pub duration_s: Option<u64>,
    /// Last SIP answer, where the carrier gives one.
    pub sip_code: Option<u64>,
}

/// What came of dialling somebody on behalf of a call, or of referring the call to them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dialled {
    pub status: CallProgress,
    /// The carrier's id of the call that was dialled, where there was one.
    pub call_sid: Option<String>,
    pub duration_s: Option<u64>,
}

/// A call, as a voice webhook names it.
#[derive(Clone, PartialEq, Eq)]
pub struct VoiceRequest {
    /// The carrier's id of the call.
    pub call_sid: String,
    /// The carrier's id of the account; empty when it was left out.
    pub account_sid: String,
    /// Caller's number as the carrier gives it, if it does.
    pub from: Option<String>,
    /// Number that was called.
    pub to: String,
}

impl fmt::Debug for VoiceRequest {
    /// Without the numbers: they are personal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VoiceRequest").field("call_sid", &self.call_sid).finish_non_exhaustive()
    }
}

/// Everything that a webhook said. What a webhook must bring depends on what was asked, so each part is there, or says what it lacks.
#[derive(Clone, PartialEq, Eq)]
pub struct Callback {
    /// The carrier's id of the call that it is about.
    pub call_sid: Result<String, StatusError>,
    /// The carrier's id of the account; empty when it was left out.
    pub account_sid: String,
    /// A call that arrives, or that asks what to do next.
    pub voice: Result<VoiceRequest, StatusError>,
    pub progress: Result<StatusCallback, StatusError>,
    pub dialled: Result<Dialled, StatusError>,
    /// The keys that were pressed.
    pub keys: Option<String>,
    /// What was said, as the carrier heard it.
    pub speech: Option<String>,
    pub answered_by: Option<Answerer>,
    /// What answered is a machine that takes a message from now on: its greeting is over.
    pub takes_message: bool,
    /// The caller's leg is a SIP one, which can be referred.
    pub is_sip: bool,
}

impl fmt::Debug for Callback {
    /// Without numbers, keys and words: they are personal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Callback").field("call_sid", &self.call_sid).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_personal_is_printed() {
        let voice = VoiceRequest {
            call_sid: "c1".to_owned(),
            account_sid: String::new(),
            from: Some("+12025550143".to_owned()),
            to: "+12025550100".to_owned(),
        };
        let callback = Callback {
            call_sid: Ok("c1".to_owned()),
            account_sid: String::new(),
            voice: Ok(voice.clone()),
            progress: Err(StatusError::Missing("status")),
            dialled: Err(StatusError::Missing("status")),
            keys: Some("4821".to_owned()),
            speech: Some("my name is Ana".to_owned()),
            answered_by: None,
            takes_message: false,
            is_sip: false,
        };
        let shown = format!("{voice:?} {callback:?}");
        for personal in ["2025550", "4821", "Ana"] {
            assert!(!shown.contains(personal), "{shown}");
        }
    }
}
