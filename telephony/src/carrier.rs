//! What a carrier is to the rest of the gateway. A second carrier is one more implementation.

use crate::error::{SignatureError, StreamError};
use crate::media::{CallTime, MediaCommand, MediaEvent};

/// A telephone carrier: how it asks, how it is answered, and how its media streams speak.
pub trait Carrier: Send + Sync + 'static {
    /// Short stable name for logs and metrics.
    fn name(&self) -> &'static str;

    /// The codec of a new media stream.
    fn open(&self) -> Box<dyn CarrierStream>;

    /// Checks that a request comes from the carrier. Gives a note for the log on which form of the URL matched.
    ///
    /// # Errors
    /// Any [`SignatureError`]; answer 403.
    fn verify(&self, request: &CarrierRequest<'_>) -> Result<&'static str, SignatureError>;

    /// The document that tells the carrier what to do with a call.
    fn answer(&self, answer: &Answer<'_>) -> Document;
}

/// Codec of one media stream. Used by one task.
pub trait CarrierStream: Send {
    /// Takes a text message that arrived at `now`; appends what it means.
    ///
    /// # Errors
    /// Any [`StreamError`]; [`StreamError::closes`] says whether the stream may go on.
    fn read(&mut self, now: CallTime, message: &str, events: &mut Vec<MediaEvent>)
    -> Result<(), StreamError>;

    /// Takes a binary message.
    ///
    /// # Errors
    /// Where the carrier sends none, always.
    fn read_binary(&mut self, message: &[u8]) -> Result<(), StreamError>;

    /// Puts the text message for a command into `out`, replacing what it held. False when there is none to send:
    /// the stream has not started, or the command is [`MediaCommand::Close`], which is the socket's business.
    fn write(&self, command: &MediaCommand, out: &mut String) -> bool;
}

/// A request that claims to come from the carrier.
#[derive(Clone, Copy, Debug)]
pub struct CarrierRequest<'a> {
    /// Full URL as the carrier was given it, from the configured public address and never from request headers;
    /// `wss://` for an upgrade.
    pub url: &'a str,
    pub headers: &'a [(&'a str, &'a str)],
    pub body: RequestBody<'a>,
}

impl<'a> CarrierRequest<'a> {
    /// Value of a header; names are compared without regard to case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&'a str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|&(_, value)| value)
    }
}

/// What the request carries.
#[derive(Clone, Copy, Debug)]
pub enum RequestBody<'a> {
    /// GET without a body.
    Empty,
    /// Decoded form fields, all of them, in any order.
    Form(&'a [(String, String)]),
    /// JSON: the raw bytes.
    Json(&'a [u8]),
    /// The upgrade of a media websocket.
    Upgrade,
}

/// What to do with a call.
#[derive(Clone, Debug)]
pub enum Answer<'a> {
    Connect(StreamInvitation<'a>),
    /// Say this and hang up.
    Apologise {
        text: &'a str,
        /// BCP 47, such as `en-US`.
        language: &'a str,
    },
    /// Refuse with the busy signal. Only as the first answer of a call.
    Busy,
    HangUp,
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

/// A document to answer with, status 200.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Document {
    pub content_type: &'static str,
    pub body: String,
}
