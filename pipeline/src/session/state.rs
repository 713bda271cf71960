//! The four regions of a call. A call is full duplex, so one flat list of states would lie.

use serde::{Deserialize, Serialize};

/// What the caller's side is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caller {
    #[default]
    Silent,
    /// A first window of speech, not yet believed.
    MaybeSpeaking,
    Speaking,
    /// Silent for a moment; the turn may be over.
    MaybeFinished,
}

/// What our side is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Agent {
    #[default]
    Idle,
    /// A turn was decided; its first audio is not out yet.
    Thinking,
    Speaking,
    /// Speaking with lowered voice: the caller may be interrupting.
    Yielding,
}

/// Who answers the caller.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Control {
    #[default]
    Agent,
    /// The caller is being told who speaks from now on; a person has the call.
    Announcing,
    /// A supervisor talks to the caller; the agent only listens.
    Supervisor,
    /// The caller waits while a person is called: nobody listens.
    Held,
}

/// The media stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Leg {
    #[default]
    Connecting,
    Open,
    /// Nothing more is sent; last words and records are being finished.
    Closing,
    Ended,
}

/// All four, with the pairs that must never be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Regions {
    pub caller: Caller,
    pub agent: Agent,
    pub control: Control,
    pub leg: Leg,
}

impl Regions {
    /// The rule that is broken, if one is. Asserted after every input in debug builds and in all tests.
    #[must_use]
    pub fn illegal(self) -> Option<&'static str> {
        let audible = matches!(self.agent, Agent::Speaking | Agent::Yielding);
        match self {
            Self { leg: Leg::Connecting, caller, .. } if caller != Caller::Silent => {
                Some("the caller is heard before the leg is open")
            }
            Self { leg: Leg::Closing | Leg::Ended, .. } if audible => {
                Some("the agent speaks on a closing leg")
            }
            Self { leg: Leg::Ended, agent, .. } if agent != Agent::Idle => {
                Some("the agent works on an ended leg")
            }
            Self { control: Control::Supervisor, .. } if self.agent != Agent::Idle => {
                Some("the agent speaks while a supervisor has the call")
            }
            _ => None,
        }
    }
}
