//! What callers of a line are told, or asked, of being recorded and listened to, and how they stand to it.

use serde::{Deserialize, Serialize};

/// What a line does before anybody may listen to its calls or record them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Consent {
    /// Nothing: so nobody listens, and nothing is recorded.
    #[default]
    Off,
    /// The greeting says it.
    Notice,
    /// The greeting asks.
    Ask,
}

/// How the caller stands to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Consented {
    /// They heard the notice to its end, as the play-out ledger has it.
    Told,
    /// They said yes.
    Agreed,
    /// They said no, or something else than yes.
    Refused,
    /// They want no recording any more: what there is must go.
    Withdrawn,
}

impl Consented {
    /// Whether the call may be listened to and recorded.
    #[must_use]
    pub const fn allows(self) -> bool {
        matches!(self, Self::Told | Self::Agreed)
    }

    /// Name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Told => "told",
            Self::Agreed => "agreed",
            Self::Refused => "refused",
            Self::Withdrawn => "withdrawn",
        }
    }
}
