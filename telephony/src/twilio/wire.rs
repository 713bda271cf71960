//! Messages of a media stream, both ways, for both sides.
//!
//! Parsing borrows from the message and is lenient about unknown events and fields and about numbers written
//! as strings. Encoding appends to a buffer that the caller reuses.

use std::borrow::Cow;

use serde::Deserialize;

use crate::error::StreamError;
use crate::media::{MarkId, MediaCommand};

mod lenient;
#[cfg(test)]
mod tests;

use lenient::{Lenient, Parameters, Text};

/// Custom parameters kept; more are dropped.
pub const MAX_PARAMETERS: usize = 16;

/// A message from the carrier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FromCarrier<'a> {
    Connected,
    Start(Start<'a>),
    Media(Media<'a>),
    /// `digit` is not checked.
    Dtmf {
        header: Header<'a>,
        digit: Cow<'a, str>,
    },
    Mark {
        header: Header<'a>,
        name: Cow<'a, str>,
    },
    Stop {
        header: Header<'a>,
    },
    /// An event that this version does not know.
    Unknown,
}

/// What every message but `connected` carries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header<'a> {
    /// Counts up by one from 1 (at `start`).
    pub sequence: Option<u64>,
    pub stream_sid: Cow<'a, str>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Start<'a> {
    pub header: Header<'a>,
    /// The `streamSid` within `start`; the same as the header's in an honest message.
    pub stream_sid: Cow<'a, str>,
    pub call_sid: Cow<'a, str>,
    /// Empty when it was not sent.
    pub account_sid: Cow<'a, str>,
    /// At most [`MAX_PARAMETERS`]; those that are not text are left out.
    pub parameters: Vec<(String, String)>,
    /// Encoding, samples per second, channels, as far as given.
    pub format: (Option<Cow<'a, str>>, Option<u64>, Option<u64>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Media<'a> {
    pub header: Header<'a>,
    /// From the caller, not an echo of what we sent.
    pub inbound: bool,
    pub chunk: Option<u64>,
    /// Milliseconds since the stream began.
    pub timestamp_ms: Option<u64>,
    /// Base64 of mu-law.
    pub payload: Cow<'a, str>,
}

/// A message to the carrier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ToCarrier<'a> {
    Media {
        stream_sid: Cow<'a, str>,
        /// Base64 of mu-law.
        payload: Cow<'a, str>,
    },
    Mark {
        stream_sid: Cow<'a, str>,
        name: Cow<'a, str>,
    },
    Clear {
        stream_sid: Cow<'a, str>,
    },
    Unknown,
}

// ---------------------------------------------------------------- parsing

#[derive(Debug, Deserialize)]
struct Raw<'a> {
    #[serde(borrow)]
    event: Text<'a>,
    #[serde(borrow, rename = "streamSid")]
    stream_sid: Option<Text<'a>>,
    #[serde(rename = "sequenceNumber")]
    sequence: Option<Lenient>,
    #[serde(borrow)]
    start: Option<RawStart<'a>>,
    #[serde(borrow)]
    media: Option<RawMedia<'a>>,
    #[serde(borrow)]
    dtmf: Option<RawDtmf<'a>>,
    #[serde(borrow)]
    mark: Option<RawMark<'a>>,
}

#[derive(Debug, Deserialize)]
struct RawStart<'a> {
    #[serde(borrow, rename = "streamSid")]
    stream_sid: Option<Text<'a>>,
    #[serde(borrow, rename = "callSid")]
    call_sid: Option<Text<'a>>,
    #[serde(borrow, rename = "accountSid")]
    account_sid: Option<Text<'a>>,
    #[serde(rename = "customParameters")]
    parameters: Option<Parameters>,
    #[serde(borrow, rename = "mediaFormat")]
    format: Option<RawFormat<'a>>,
}

#[derive(Debug, Default, Deserialize)]
struct RawFormat<'a> {
    #[serde(borrow)]
    encoding: Option<Text<'a>>,
    #[serde(rename = "sampleRate")]
    sample_rate: Option<Lenient>,
    channels: Option<Lenient>,
}

#[derive(Debug, Deserialize)]
struct RawMedia<'a> {
    #[serde(borrow)]
    track: Option<Text<'a>>,
    chunk: Option<Lenient>,
    timestamp: Option<Lenient>,
    #[serde(borrow)]
    payload: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
struct RawDtmf<'a> {
    #[serde(borrow)]
    digit: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
struct RawMark<'a> {
    #[serde(borrow)]
    name: Option<Text<'a>>,
}

/// Only the name of a message, for those whose body we do not know.
#[derive(Debug, Deserialize)]
struct RawName<'a> {
    #[serde(borrow)]
    event: Text<'a>,
}

impl<'a> FromCarrier<'a> {
    /// Reads one text message.
    ///
    /// # Errors
    /// [`StreamError::NotUnderstood`] when it is no JSON object with an `event`, or a known event has fields of
    /// the wrong kind; [`StreamError::MissingField`] when a known event lacks something.
    pub fn parse(message: &'a str) -> Result<Self, StreamError> {
        let raw = match serde_json::from_str::<Raw<'a>>(message) {
            Ok(raw) => raw,
            Err(_) => {
                return unknown(
                    message,
                    &["connected", "start", "media", "dtmf", "mark", "stop"],
                    Self::Unknown,
                );
            }
        };
        let event = raw.event.0.clone();
        match &*event {
            "connected" => Ok(Self::Connected),
            "start" => Start::from_raw(raw).map(Self::Start),
            "media" => Media::from_raw(raw).map(Self::Media),
            "dtmf" => {
                let digit = text(raw.dtmf.and_then(|d| d.digit), "dtmf.digit")?;
                Ok(Self::Dtmf { header: header(raw.sequence, raw.stream_sid)?, digit })
            }
            "mark" => {
                let name = text(raw.mark.and_then(|m| m.name), "mark.name")?;
                Ok(Self::Mark { header: header(raw.sequence, raw.stream_sid)?, name })
            }
            "stop" => Ok(Self::Stop { header: header(raw.sequence, raw.stream_sid)? }),
            _ => Ok(Self::Unknown),
        }
    }
}

impl<'a> Start<'a> {
    fn from_raw(raw: Raw<'a>) -> Result<Self, StreamError> {
        let start = raw.start.ok_or(StreamError::MissingField("start"))?;
        let format = start.format.unwrap_or_default();
        Ok(Self {
            header: header(raw.sequence, raw.stream_sid)?,
            stream_sid: text(start.stream_sid, "start.streamSid")?,
            call_sid: text(start.call_sid, "start.callSid")?,
            account_sid: start.account_sid.map_or_else(Cow::default, |t| t.0),
            parameters: start.parameters.unwrap_or_default().0,
            format: (
                format.encoding.map(|t| t.0),
                format.sample_rate.and_then(|n| n.0),
                format.channels.and_then(|n| n.0),
            ),
        })
    }
}

impl<'a> Media<'a> {
    fn from_raw(raw: Raw<'a>) -> Result<Self, StreamError> {
        let media = raw.media.ok_or(StreamError::MissingField("media"))?;
        Ok(Self {
            header: header(raw.sequence, raw.stream_sid)?,
            inbound: media.track.is_none_or(|t| !t.0.starts_with("outbound")),
            chunk: media.chunk.and_then(|n| n.0),
            timestamp_ms: media.timestamp.and_then(|n| n.0),
            payload: text(media.payload, "media.payload")?,
        })
    }
}

impl<'a> ToCarrier<'a> {
    /// Reads one text message as the carrier does.
    ///
    /// # Errors
    /// As [`FromCarrier::parse`].
    pub fn parse(message: &'a str) -> Result<Self, StreamError> {
        let raw = match serde_json::from_str::<Raw<'a>>(message) {
            Ok(raw) => raw,
            Err(_) => return unknown(message, &["media", "mark", "clear"], Self::Unknown),
        };
        let event = raw.event.0.clone();
        let stream_sid = || text(raw.stream_sid, "streamSid");
        match &*event {
            "media" => Ok(Self::Media {
                stream_sid: stream_sid()?,
                payload: text(raw.media.and_then(|m| m.payload), "media.payload")?,
            }),
            "mark" => Ok(Self::Mark {
                stream_sid: stream_sid()?,
                name: text(raw.mark.and_then(|m| m.name), "mark.name")?,
            }),
            "clear" => Ok(Self::Clear { stream_sid: stream_sid()? }),
            _ => Ok(Self::Unknown),
        }
    }
}

/// A message that did not parse may still be an event we do not know, which is no error.
fn unknown<T>(message: &str, known: &[&str], tolerated: T) -> Result<T, StreamError> {
    match serde_json::from_str::<RawName<'_>>(message) {
        Ok(name) if !known.contains(&&*name.event.0) => Ok(tolerated),
        _ => Err(StreamError::NotUnderstood),
    }
}

fn header<'a>(sequence: Option<Lenient>, stream_sid: Option<Text<'a>>) -> Result<Header<'a>, StreamError> {
    Ok(Header { sequence: sequence.and_then(|n| n.0), stream_sid: text(stream_sid, "streamSid")? })
}

fn text<'a>(text: Option<Text<'a>>, name: &'static str) -> Result<Cow<'a, str>, StreamError> {
    text.map(|t| t.0).ok_or(StreamError::MissingField(name))
}

/// Decodes a payload, replacing what `out` held.
///
/// # Errors
/// [`StreamError::PayloadTooLarge`] over `limit` bytes, [`StreamError::BadBase64`] when it is not padded
/// standard base64.
pub fn decode_payload(payload: &str, limit: usize, out: &mut Vec<u8>) -> Result<(), StreamError> {
    out.clear();
    if payload.len() / 4 * 3 > limit + 2 {
        return Err(StreamError::PayloadTooLarge(limit));
    }
    base64_simd::STANDARD.decode_append(payload, out).map_err(|_| StreamError::BadBase64)?;
    if out.len() > limit { Err(StreamError::PayloadTooLarge(limit)) } else { Ok(()) }
}

// ---------------------------------------------------------------- encoding, to the carrier

/// Appends the message for a command; false when there is none.
pub fn encode(stream_sid: &str, command: &MediaCommand, out: &mut String) -> bool {
    match command {
        MediaCommand::Frame(frame) => encode_media(stream_sid, frame.bytes(), out),
        MediaCommand::Mark(mark) => encode_mark(stream_sid, *mark, out),
        MediaCommand::Clear => encode_clear(stream_sid, out),
        MediaCommand::Close => return false,
    }
    true
}

/// Appends a `media` message with mu-law bytes.
pub fn encode_media(stream_sid: &str, mulaw: &[u8], out: &mut String) {
    out.push_str(r#"{"event":"media","streamSid":"#);
    push_json(out, stream_sid);
    out.push_str(r#","media":{"payload":""#);
    base64_simd::STANDARD.encode_append(mulaw, out);
    out.push_str(r#""}}"#);
}

/// Appends a `mark` message.
pub fn encode_mark(stream_sid: &str, mark: MarkId, out: &mut String) {
    out.push_str(r#"{"event":"mark","streamSid":"#);
    push_json(out, stream_sid);
    out.push_str(r#","mark":{"name":""#);
    push_mark_name(out, mark);
    out.push_str(r#""}}"#);
}

/// Appends a `clear` message.
pub fn encode_clear(stream_sid: &str, out: &mut String) {
    out.push_str(r#"{"event":"clear","streamSid":"#);
    push_json(out, stream_sid);
    out.push('}');
}

/// Name of a mark on the wire: `m` and its number.
pub fn push_mark_name(out: &mut String, mark: MarkId) {
    out.push('m');
    push_number(out, mark.0);
}

/// The mark of a name on the wire; `None` when it is not one of ours.
#[must_use]
pub fn mark_of_name(name: &str) -> Option<MarkId> {
    let digits = name.strip_prefix('m')?;
    let canonical = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    canonical.then(|| digits.parse().ok().map(MarkId)).flatten()
}

pub(super) fn push_number(out: &mut String, number: u64) {
    use std::fmt::Write as _;
    // Writing to a String cannot fail.
    let _ = write!(out, "{number}");
}

/// Appends text as a JSON string, quotes included.
pub(super) fn push_json(out: &mut String, text: &str) {
    use std::fmt::Write as _;
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
