//! Messages of Telnyx's media streams, both ways
//! (<https://developers.telnyx.com/api-reference/websockets/stream-call-media-over-websocket>).
//!
//! What the stream carries is said once, at its start; media may come out of order and are put in order by their chunk. What we
//! send names no stream: a socket has one.

use std::borrow::Cow;

use serde::Deserialize;

use crate::carrier::MediaWriter;
use crate::encoding::{push_mark_name, push_payload};
use crate::error::StreamError;
use crate::lenient::{Lenient, Parameters, Text, named_otherwise};
use crate::media::MediaCommand;
use crate::stream::{Header, Media, Message, Protocol, Start, Track};

#[cfg(test)]
mod tests;

/// How Telnyx writes its messages.
pub static PROTOCOL: Protocol = Protocol { parse, mulaw: "PCMU" };

#[derive(Debug, Deserialize)]
struct Raw<'a> {
    #[serde(borrow)]
    event: Text<'a>,
    #[serde(borrow)]
    stream_id: Option<Text<'a>>,
    #[serde(rename = "sequence_number")]
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
    /// The account.
    #[serde(borrow)]
    user_id: Option<Text<'a>>,
    #[serde(borrow)]
    call_control_id: Option<Text<'a>>,
    /// `<Parameter>`s of the document.
    custom_parameters: Option<Parameters>,
    #[serde(borrow)]
    media_format: Option<RawFormat<'a>>,
}

#[derive(Debug, Default, Deserialize)]
struct RawFormat<'a> {
    #[serde(borrow)]
    encoding: Option<Text<'a>>,
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
            Ok(Message::Dtmf { header: header(raw.sequence, raw.stream_id)?, digit })
        }
        "mark" => {
            let name = text(raw.mark.and_then(|m| m.name), "mark.name")?;
            Ok(Message::Mark { header: header(raw.sequence, raw.stream_id)?, name })
        }
        "stop" => Ok(Message::Stop { header: header(raw.sequence, raw.stream_id)? }),
        // An `error` tells of something that we sent; the stream goes on.
        _ => Ok(Message::Unknown),
    }
}

fn start(raw: Raw<'_>) -> Result<Start<'_>, StreamError> {
    let start = raw.start.ok_or(StreamError::MissingField("start"))?;
    let format = start.media_format.unwrap_or_default();
    let header = header(raw.sequence, raw.stream_id)?;
    Ok(Start {
        stream_sid: header.stream_sid.clone(),
        header,
        call_sid: text(start.call_control_id, "start.call_control_id")?,
        account_sid: start.user_id.map_or_else(Cow::default, |t| t.0),
        parameters: start.custom_parameters.unwrap_or_default().0,
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
        header: header(raw.sequence, raw.stream_id)?,
        track: Track::of(media.track.as_ref().map(|track| &*track.0)),
        chunk: media.chunk.and_then(|n| n.0),
        timestamp_ms: media.timestamp.and_then(|n| n.0),
        payload: text(media.payload, "media.payload")?,
    })
}

fn header<'a>(sequence: Option<Lenient>, stream_id: Option<Text<'a>>) -> Result<Header<'a>, StreamError> {
    Ok(Header { sequence: sequence.and_then(|n| n.0), stream_sid: text(stream_id, "stream_id")? })
}

fn text<'a>(text: Option<Text<'a>>, name: &'static str) -> Result<Cow<'a, str>, StreamError> {
    text.map(|t| t.0).ok_or(StreamError::MissingField(name))
}

/// Writes the messages of a stream.
#[derive(Clone, Copy, Debug)]
pub struct Writer;

impl MediaWriter for Writer {
    fn write(&self, command: &MediaCommand, out: &mut String) -> bool {
        match command {
            MediaCommand::Frame(frame) => {
                out.push_str(r#"{"event":"media","media":{"payload":""#);
                push_payload(out, frame.bytes());
                out.push_str(r#""}}"#);
            }
            MediaCommand::Mark(mark) => {
                out.push_str(r#"{"event":"mark","mark":{"name":""#);
                push_mark_name(out, *mark);
                out.push_str(r#""}}"#);
            }
            MediaCommand::Clear => out.push_str(r#"{"event":"clear"}"#),
            MediaCommand::Close => return false,
        }
        true
    }
}
