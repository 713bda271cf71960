//! What follows a reply.

use serde::{Deserialize, Serialize};

/// What follows when the reply has been heard to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AfterReply {
    Listen,
    HangUp,
    /// The caller waits while a person is called; whom is on record already.
    Hold,
    /// The caller waits while a person of the office is asked what [`super::ReplyEvent::Question`] told.
    Ask,
    /// The caller waits in line for a person, and may say or key something for a moment.
    Wait,
    /// The carrier puts the call through to a person; to whom is on record already.
    Transfer,
}
