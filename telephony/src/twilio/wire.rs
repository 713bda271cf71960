//! Messages of a media stream, both ways, for both sides.
//!
//! Parsing borrows from the message and is lenient about unknown events and fields and about numbers written
//! as strings. Encoding appends to a buffer that the caller reuses.

use std::borrow::Cow;

use serde::Deserialize;

use crate::carrier::MediaWriter;
use crate::encoding::{push_json, push_mark_name, push_payload};
use crate::error::StreamError;
use crate::lenient::{Lenient, Parameters, Text, named_otherwise};
use crate::media::{FRAME_BYTES, MediaCommand};
use crate::stream::{Header, Media, Message, Protocol, Start, Track};

#[cfg(test)]
mod tests;

/// How Twilio writes its messages.
pub static PROTOCOL: Protocol = Protocol { parse, mulaw: "audio/x-mulaw" };

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

/// Reads one text message.
///
/// # Errors
/// [`StreamError::NotUnderstood`] when it is no JSON object with an `event`, or a known event has fields of
/// the wrong kind; [`StreamError::MissingField`] when a known event lacks something.
pub fn parse(message: &str) -> Result<Message<'_>, StreamError> {
    let raw = match serde_json::from_str::<Raw<'_>>(message) {
        Ok(raw) => raw,
        Err(_) => {
            let known = ["connected", "start", "media", "dtmf", "mark", "stop"];
            return named_otherwise(message, &known).map(|()| Message::Unknown);
        }
    };
    let event = raw.event.0.clone();
    match &*event {
        "connected" => Ok(Message::Connected),
        "start" => start(raw).map(Message::Start),
        "media" => media(raw).map(Message::Media),
        "dtmf" => {
            let digit = text(raw.dtmf.and_then(|d| d.digit), "dtmf.digit")?;
            Ok(Message::Dtmf { header: header(raw.sequence, raw.stream_sid)?, digit })
        }
        "mark" => {
            let name = text(raw.mark.and_then(|m| m.name), "mark.name")?;
            Ok(Message::Mark { header: header(raw.sequence, raw.stream_sid)?, name })
        }
        "stop" => Ok(Message::Stop { header: header(raw.sequence, raw.stream_sid)? }),
        _ => Ok(Message::Unknown),
    }
}

fn start(raw: Raw<'_>) -> Result<Start<'_>, StreamError> {
    let start = raw.start.ok_or(StreamError::MissingField("start"))?;
    let format = start.format.unwrap_or_default();
    Ok(Start {
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

fn media(raw: Raw<'_>) -> Result<Media<'_>, StreamError> {
    let media = raw.media.ok_or(StreamError::MissingField("media"))?;
    Ok(Media {
        header: header(raw.sequence, raw.stream_sid)?,
        track: Track::of(media.track.as_ref().map(|track| &*track.0)),
        chunk: media.chunk.and_then(|n| n.0),
        timestamp_ms: media.timestamp.and_then(|n| n.0),
        payload: text(media.payload, "media.payload")?,
    })
}

impl<'a> ToCarrier<'a> {
    /// Reads one text message as the carrier does.
    ///
    /// # Errors
    /// As [`parse`].
    pub fn parse(message: &'a str) -> Result<Self, StreamError> {
        let raw = match serde_json::from_str::<Raw<'a>>(message) {
            Ok(raw) => raw,
            Err(_) => return named_otherwise(message, &["media", "mark", "clear"]).map(|()| Self::Unknown),
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

fn header<'a>(sequence: Option<Lenient>, stream_sid: Option<Text<'a>>) -> Result<Header<'a>, StreamError> {
    Ok(Header { sequence: sequence.and_then(|n| n.0), stream_sid: text(stream_sid, "streamSid")? })
}

fn text<'a>(text: Option<Text<'a>>, name: &'static str) -> Result<Cow<'a, str>, StreamError> {
    text.map(|t| t.0).ok_or(StreamError::MissingField(name))
}

// ---------------------------------------------------------------- encoding, to the carrier

/// Writes the messages of one stream. What all of a kind have in common is written once.
#[derive(Debug)]
pub struct Writer {
    /// A message of media, up to its payload.
    media: String,
    /// A mark, up to its name.
    mark: String,
    clear: String,
}

impl Writer {
    #[must_use]
    pub fn new(stream_sid: &str) -> Self {
        let begun = |event: &str, rest: &str| {
            let mut out = format!(r#"{{"event":"{event}","streamSid":"#);
            push_json(&mut out, stream_sid);
            out.push_str(rest);
            out
        };
        Self {
            media: begun("media", r#","media":{"payload":""#),
            mark: begun("mark", r#","mark":{"name":""#),
            clear: begun("clear", "}"),
        }
    }

    fn frame(&self, mulaw: &[u8; FRAME_BYTES], out: &mut String) {
        out.push_str(&self.media);
        push_payload(out, mulaw);
        out.push_str(r#""}}"#);
    }
}

impl MediaWriter for Writer {
    fn write(&self, command: &MediaCommand, out: &mut String) -> bool {
        match command {
            MediaCommand::Frame(frame) => self.frame(frame.bytes(), out),
            MediaCommand::Mark(mark) => {
                out.push_str(&self.mark);
                push_mark_name(out, *mark);
                out.push_str(r#""}}"#);
            }
            MediaCommand::Clear => out.push_str(&self.clear),
            MediaCommand::Close => return false,
        }
        true
    }
}
