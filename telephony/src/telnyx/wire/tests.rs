#![allow(clippy::unwrap_used)]

use super::*;
use crate::media::{AudioFrame, CallTime, FRAME_BYTES, MarkId, MediaEvent, StreamStart};
use crate::stream::{StreamReader, exercise};

const CALL: &str = "v2:T02llQxIyaRkhfRKxgAP8nY511EhFLizdvdUKJiSw8d6A9BborherQ";
const STREAM: &str = "32DE0DEA-53CB-4B21-89A4-9E1819C043BC";

/// The documented start, with the parameters of our document.
fn start(parameters: &str, encoding: &str) -> String {
    format!(
        r#"{{"event":"start","sequence_number":"1","start":{{"user_id":"3E6F995F-85F7-4705-9741-53B116D28237",
        "call_control_id":"{CALL}","client_state":null,"custom_parameters":{parameters},
        "media_format":{{"encoding":"{encoding}","sample_rate":8000,"channels":1}}}},"stream_id":"{STREAM}"}}"#
    )
}

fn identity() -> StreamStart {
    StreamStart {
        stream_sid: STREAM.into(),
        call_sid: CALL.into(),
        account_sid: "3E6F995F-85F7-4705-9741-53B116D28237".into(),
        parameters: vec![("token".into(), "a.b".into())],
    }
}

fn read(reader: &mut StreamReader, message: &str) -> Result<Vec<MediaEvent>, StreamError> {
    let mut events = Vec::new();
    reader.read(CallTime::ZERO, message, &mut events).map(|()| events)
}

fn connected() -> StreamReader {
    let mut reader = StreamReader::new(&PROTOCOL);
    assert_eq!(read(&mut reader, r#"{"event":"connected","version":"1.0.0"}"#), Ok(vec![]));
    reader
}

fn open() -> StreamReader {
    let mut reader = connected();
    let started = read(&mut reader, &start(r#"{"token":"a.b"}"#, "PCMU"));
    assert_eq!(started, Ok(vec![MediaEvent::Started(identity())]));
    reader
}

fn message(rest: &str) -> String {
    format!(r#"{{"sequence_number":"4",{rest},"stream_id":"{STREAM}"}}"#)
}

#[test]
fn a_whole_stream_is_read() {
    let mut reader = open();
    let mut payload = String::new();
    push_payload(&mut payload, &[7; FRAME_BYTES]);
    let media = format!(
        r#""event":"media","media":{{"track":"inbound","chunk":"1","timestamp":"5","payload":"{payload}"}}"#
    );
    assert_eq!(
        read(&mut reader, &message(&media)),
        Ok(vec![MediaEvent::Frame(AudioFrame([7; FRAME_BYTES]))])
    );
    let echo = media.replace("inbound", "outbound");
    assert_eq!(read(&mut reader, &message(&echo)), Ok(vec![]));
    let key = r#""event":"dtmf","occurred_at":"2026-01-01T00:00:00Z","dtmf":{"digit":"1"}"#;
    assert_eq!(read(&mut reader, &message(key)), Ok(vec![MediaEvent::Digit('1')]));
    let mark = r#""event":"mark","mark":{"name":"m3"}"#;
    assert_eq!(read(&mut reader, &message(mark)), Ok(vec![MediaEvent::MarkPlayed(MarkId(3))]));
    let error = r#""event":"error","payload":{"code":100003,"title":"malformed_frame"}"#;
    assert_eq!(read(&mut reader, &message(error)), Ok(vec![]));
    let stop = format!(r#""event":"stop","stop":{{"user_id":"3","call_control_id":"{CALL}"}}"#);
    assert_eq!(read(&mut reader, &message(&stop)), Ok(vec![MediaEvent::Stopped]));
}

#[test]
fn parameters_may_be_listed() {
    let listed = start(r#"[{"name":"token","value":"a.b"},{"name":"odd"},7]"#, "PCMU");
    assert_eq!(read(&mut connected(), &listed), Ok(vec![MediaEvent::Started(identity())]));
}

#[test]
fn other_encodings_and_streams_are_refused() {
    for encoding in ["PCMA", "G722", "audio/x-mulaw"] {
        let started = read(&mut connected(), &start("{}", encoding));
        assert_eq!(started, Err(StreamError::UnsupportedFormat), "{encoding}");
    }
    let other = r#"{"event":"stop","stream_id":"another"}"#;
    assert_eq!(read(&mut open(), other), Err(StreamError::WrongStream));
    let bare = r#"{"event":"media","media":{"payload":"AAAA"}}"#;
    assert_eq!(read(&mut open(), bare), Err(StreamError::MissingField("stream_id")));
    let early = message(r#""event":"media","media":{"payload":"AAAA"}"#);
    assert_eq!(read(&mut connected(), &early), Err(StreamError::OutOfOrder("media")));
}

#[test]
fn no_message_stops_the_reader() {
    for odd in ["", "{}", "[]", r#"{"event":5}"#, r#"{"event":"start","start":3}"#, "+{\"event\":\"media\"}"]
    {
        exercise(&PROTOCOL, odd.as_bytes());
    }
    assert_eq!(parse(r#"{"event":"novelty","media":3}"#), Ok(Message::Unknown));
}

#[test]
fn what_we_write_is_the_documented_form() {
    let written = |command: &MediaCommand| {
        let mut out = String::new();
        assert!(Writer.write(command, &mut out));
        out
    };
    assert_eq!(written(&MediaCommand::Clear), r#"{"event":"clear"}"#);
    assert_eq!(written(&MediaCommand::Mark(MarkId(12))), r#"{"event":"mark","mark":{"name":"m12"}}"#);
    let frame = written(&MediaCommand::Frame(AudioFrame::SILENCE));
    let payload = format!("{}/w==", "/".repeat(212));
    assert_eq!(frame, format!(r#"{{"event":"media","media":{{"payload":"{payload}"}}}}"#));
    assert!(!Writer.write(&MediaCommand::Close, &mut String::new()));
}
