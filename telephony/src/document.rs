//! What a carrier can be told to do with a call. Each carrier writes it in its own language.

use std::fmt;

/// What to do with a call.
#[derive(Clone, Debug)]
pub enum Document<'a> {
    /// Connect it to a media stream, both ways, and ask what comes next when the stream has ended.
    Connect(StreamInvitation<'a>),
    /// Say this in the carrier's own voice, and hang up.
    SayAndHangUp(Say<'a>),
    /// Ask for one key, and hang up when none comes.
    AskForKey {
        say: Say<'a>,
        /// The key is brought there.
        action_url: &'a str,
    },
    /// Ask for one key or a word, twice, and hang up when none comes.
    AskForAnswer {
        say: Say<'a>,
        action_url: &'a str,
    },
    /// Say this, and take a key or a word meanwhile and for a moment after. What comes next is asked there, whether one came or not:
    /// where none did, it was said to its end.
    Tell {
        say: Say<'a>,
        action_url: &'a str,
    },
    /// Dial somebody and join both calls when they answer.
    Dial(Dial<'a>),
    /// Have the caller's own exchange call somebody in our place (SIP REFER): only for SIP legs.
    Refer {
        /// Said before.
        first: Option<Say<'a>>,
        uri: &'a str,
        /// Asked for what comes next.
        action_url: &'a str,
    },
    /// Bring the call into a room of this name, which ends with the first who leaves it.
    JoinRoom {
        room: &'a str,
        action_url: Option<&'a str>,
        /// Both sides of what is said there are sent here, and nothing is taken back.
        listener: Option<Listener<'a>>,
    },
    /// Refuse with the busy signal. Only as the first answer of a call.
    RejectBusy,
    HangUp,
}

/// Words for the carrier's own voice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Say<'a> {
    pub text: &'a str,
    /// BCP 47, such as `en-US`.
    pub language: &'a str,
}

impl<'a> Document<'a> {
    #[must_use]
    pub const fn say_and_hang_up(text: &'a str, language: &'a str) -> Self {
        Self::SayAndHangUp(Say { text, language })
    }
}

/// Where the call's media shall go.
#[derive(Clone, Debug)]
pub struct StreamInvitation<'a> {
    /// `wss://`, without a query.
    pub stream_url: &'a str,
    /// Asked for what to do next when the stream has ended.
    pub after_url: &'a str,
    /// Told of the stream's start, end and errors.
    pub status_url: Option<&'a str>,
    /// Come back in [`crate::media::StreamStart::parameters`]. Under 500 characters for a name and its value.
    pub parameters: &'a [(&'a str, &'a str)],
}

/// Where both sides of a talk are sent, beside whatever the call does.
#[derive(Clone, Copy, Debug)]
pub struct Listener<'a> {
    /// `wss://`, without a query.
    pub stream_url: &'a str,
    /// As of [`StreamInvitation::parameters`].
    pub parameters: &'a [(&'a str, &'a str)],
}

/// Somebody to be dialled on behalf of a call.
#[derive(Clone, Copy)]
pub struct Dial<'a> {
    /// Said before.
    pub first: Option<Say<'a>>,
    /// E.164.
    pub number: &'a str,
    /// The number that is shown.
    pub caller_id: &'a str,
    /// Asked for what comes next, with what came of it.
    pub action_url: &'a str,
    /// Told of the progress of the call that is dialled.
    pub status_url: Option<&'a str>,
    /// Told whether a person or a machine answered.
    pub detect_url: Option<&'a str>,
    pub ring_s: u16,
    pub limit_s: u32,
}

impl fmt::Debug for Dial<'_> {
    /// Without the number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dial").field("caller_id", &self.caller_id).finish_non_exhaustive()
    }
}

/// A document in a carrier's language, to answer with, status 200.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rendered {
    pub content_type: &'static str,
    pub body: String,
}
