//! Calls that the agent places by itself, and who agreed to be called for what.

use chrono::{DateTime, Utc};

use crate::ids::{CallId, CampaignEntryId, CampaignId};
use crate::records::{NewCall, word_enum};
use crate::retries::NewRetries;

word_enum! {
    /// What a call is for. Who is called agreed to exactly that.
    Purpose {
        /// They asked to be called back.
        Callback = "callback",
        /// News of a request that they left.
        Request = "request",
        /// An appointment that they have.
        Appointment = "appointment",
    }
}

word_enum! {
    /// How far a call has got.
    OutreachStage {
        /// The carrier was asked, or is about to be.
        Placing = "placing",
        /// Somebody answered, and was told who calls and what for.
        Asked = "asked",
        /// They are who we want, and talk with the agent.
        Connected = "connected",
        Ended = "ended",
    }
}

word_enum! {
    /// What came of a call.
    OutreachResult {
        Reached = "reached",
        NoAnswer = "no_answer",
        Busy = "busy",
        Machine = "machine",
        /// A machine answered, and a message was left on it.
        MessageLeft = "message_left",
        Failed = "failed",
        /// Somebody answered and said neither yes nor no.
        NoResponse = "no_response",
        /// Somebody else has the number: their consent was none.
        WrongNumber = "wrong_number",
        /// They do not want to be called.
        OptedOut = "opted_out",
    }
}

impl OutreachResult {
    /// Nobody was reached, so that another attempt makes sense. `machines`: also where a machine answered.
    #[must_use]
    pub const fn is_miss(self, machines: bool) -> bool {
        match self {
            Self::NoAnswer | Self::Busy | Self::Failed => true,
            Self::Machine => machines,
            Self::Reached | Self::MessageLeft | Self::NoResponse | Self::WrongNumber | Self::OptedOut => {
                false
            }
        }
    }
}

/// A call to be placed.
#[derive(Clone, Debug)]
pub struct NewOutreach {
    /// Its record; the other party is whom it is to reach.
    pub call: NewCall,
    pub purpose: Purpose,
    /// Login, or the name of a program's token.
    pub actor: String,
    pub comes: Comes,
    /// The request that it is about, by its reference: that of an appointment, or one in which something is missing.
    pub item: Option<String>,
}

/// Whether a call is the first of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comes {
    /// And nothing follows it.
    Once,
    /// And attempts follow it where it reaches nobody.
    First(NewRetries),
    /// It is the next attempt of this call, which was the first.
    Again(CallId),
    /// It is an attempt of a campaign at this number.
    Listed(CampaignEntryId),
    /// Nobody asked for it: it is begun where no other was ever about its request, which is still open. Attempts follow.
    Unasked(NewRetries),
}

/// A call as it stands. Its number is in the call's record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outreach {
    pub id: CallId,
    /// The call whose next attempt it is; its own where it is the first.
    pub first: CallId,
    pub purpose: Purpose,
    pub actor: String,
    pub stage: OutreachStage,
    pub result: Option<OutreachResult>,
    /// A machine answered.
    pub machine: bool,
    /// The request that it is about, by its reference.
    pub item: Option<String>,
    /// The campaign that it belongs to.
    pub campaign: Option<CampaignId>,
    /// The carrier was told to leave a message on it.
    pub message: bool,
    /// They said in the conversation that they want no more calls.
    pub opted_out: bool,
    pub created_at: DateTime<Utc>,
    /// Last news of it.
    pub heard_at: DateTime<Utc>,
}

/// News of a call. What is absent stays as it was; a call never goes back to an earlier stage.
#[derive(Clone, Debug, Default)]
pub struct OutreachNews {
    pub stage: Option<OutreachStage>,
    /// The carrier's name of it, which its record takes over.
    pub carrier_sid: Option<String>,
    pub machine: bool,
}

/// Somebody agreed to be called, or does not any more.
#[derive(Clone, Debug)]
pub struct NewConsent {
    /// In any spelling.
    pub number: String,
    pub purpose: Purpose,
    pub given: bool,
    /// How they said it: `written`, `web`, `voice`, `call`.
    pub source: String,
    pub by: String,
}
