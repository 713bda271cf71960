//! What a carrier is to the rest of the gateway. A second carrier is one more implementation.

use std::fmt;

use crate::call_status::Callback;
use crate::control::CallControl;
use crate::document::{Document, Rendered};
use crate::error::{SignatureError, StreamError};
use crate::media::{CallTime, MediaCommand, MediaEvent};

/// Largest message of a media stream that any carrier may send, bytes; the socket refuses larger ones.
pub const MAX_MESSAGE_BYTES: usize = 64 * 1024;

/// A telephone carrier: how it asks, how it is answered, and how its media streams speak.
pub trait Carrier: MediaWire + fmt::Debug {
    /// Short stable name for logs and metrics, and the first part of its webhooks' paths.
    fn name(&self) -> &'static str;

    /// What it can do beyond what every carrier must.
    fn abilities(&self) -> Abilities;

    /// Whether there is a key to check its requests with. Without one, only this machine may call.
    fn has_key(&self) -> bool;

    /// Checks that a request comes from the carrier. Gives a note for the log on what matched.
    ///
    /// # Errors
    /// Any [`SignatureError`]; answer 403.
    fn verify(&self, request: &CarrierRequest<'_>) -> Result<&'static str, SignatureError>;

    /// Reads the decoded fields of a webhook.
    fn read(&self, fields: &[(String, String)]) -> Callback;

    /// Writes what to do with a call in the carrier's language.
    fn render(&self, document: &Document<'_>) -> Rendered;

    /// The carrier, as far as it is asked for something; `None` without an account.
    fn control(&self) -> Option<&dyn CallControl>;
}

/// What not every carrier can do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Abilities {
    /// Has the caller's own exchange call somebody in our place ([`Document::Refer`]).
    pub refers: bool,
    /// Signs the upgrade of a media stream. Where it does not, the stream's single-use token alone proves it.
    pub signs_streams: bool,
}

/// How a carrier's media streams speak.
pub trait MediaWire: Send + Sync + 'static {
    /// What reads a new stream.
    fn reader(&self) -> Box<dyn MediaReader>;

    /// What reads a new stream that brings both sides of a talk, and takes nothing of ours.
    fn listener(&self) -> Box<dyn MediaReader>;

    /// What writes to the stream of this id.
    fn writer(&self, stream_sid: &str) -> Box<dyn MediaWriter>;
}

/// Reads one media stream: order, sizes and encodings are checked here. Used by one task.
pub trait MediaReader: Send + Sync + fmt::Debug {
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

    /// Messages that came, of any kind.
    fn messages(&self) -> u64;
}

/// Writes to one media stream. Used by one task.
pub trait MediaWriter: Send + Sync + fmt::Debug {
    /// Appends the text message for a command. False when there is none to send: [`MediaCommand::Close`] is the
    /// socket's business.
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
    /// Seconds since 1970.
    pub now_unix: u64,
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
    Form {
        /// Decoded fields, all of them, in any order.
        fields: &'a [(String, String)],
        /// The bytes as they came.
        raw: &'a [u8],
    },
    /// JSON: the raw bytes.
    Json(&'a [u8]),
    /// The upgrade of a media websocket.
    Upgrade,
}

impl<'a> RequestBody<'a> {
    /// The bytes as they came.
    #[must_use]
    pub const fn raw(self) -> &'a [u8] {
        match self {
            Self::Form { raw, .. } | Self::Json(raw) => raw,
            Self::Empty | Self::Upgrade => &[],
        }
    }
}
