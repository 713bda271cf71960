#![allow(clippy::unwrap_used)]

use super::*;
use crate::encoding::decode_payload;
use crate::lenient::MAX_PARAMETERS;
use crate::media::{AudioFrame, MarkId};

#[test]
fn the_documented_start_is_read_without_copying() {
    let message = r#"{"event":"start","sequenceNumber":"1","streamSid":"MZ1","start":{"accountSid":"AC1",
        "streamSid":"MZ1","callSid":"CA2","tracks":["inbound"],"mediaFormat":{"encoding":"audio/x-mulaw",
        "sampleRate":8000,"channels":1},"customParameters":{"tenant":"t1","odd":7,"nonce":"b\u0037"}}}"#;
    let Message::Start(start) = parse(message).unwrap() else { panic!("no start") };
    assert!(matches!(start.call_sid, Cow::Borrowed("CA2")));
    assert_eq!(start.header, Header { sequence: Some(1), stream_sid: "MZ1".into() });
    assert_eq!(start.format, (Some("audio/x-mulaw".into()), Some(8_000), Some(1)));
    assert_eq!(start.parameters, [("tenant".into(), "t1".into()), ("nonce".into(), "b7".into())]);
}

#[test]
fn numbers_may_be_text_or_numbers_or_nonsense() {
    let media = |chunk: &str| {
        let message = format!(
            r#"{{"event":"media","streamSid":"M","media":{{"chunk":{chunk},"timestamp":5,"payload":"","x":[{{}}]}}}}"#
        );
        match parse(&message) {
            Ok(Message::Media(media)) => Some((media.chunk, media.timestamp_ms, media.track)),
            _ => None,
        }
    };
    assert_eq!(media("\"17\""), Some((Some(17), Some(5), Track::Unsaid)));
    assert_eq!(media("17"), Some((Some(17), Some(5), Track::Unsaid)));
    for nonsense in ["-1", "1.5", "\"x\"", "99999999999999999999", "null"] {
        assert_eq!(media(nonsense), Some((None, Some(5), Track::Unsaid)), "{nonsense}");
    }
}

#[test]
fn unknown_events_of_any_shape_are_tolerated_and_broken_known_ones_are_not() {
    let unknown = r#"{"event":"novelty","media":3,"streamSid":[]}"#;
    assert_eq!(parse(unknown), Ok(Message::Unknown));
    assert_eq!(ToCarrier::parse(unknown), Ok(ToCarrier::Unknown));
    for broken in
        [r#"{"event":"media","media":3}"#, r#"{"event":5}"#, "{}", "[]", "", "nul", r#"{"event":"start""#]
    {
        assert_eq!(parse(broken), Err(StreamError::NotUnderstood), "{broken}");
    }
    let bare = r#"{"event":"mark","streamSid":"M"}"#;
    assert_eq!(parse(bare), Err(StreamError::MissingField("mark.name")));
}

#[test]
fn parameters_are_bounded() {
    let many: Vec<String> = (0..40).map(|n| format!("\"p{n}\":\"v\"")).collect();
    let message = format!(
        r#"{{"event":"start","streamSid":"M","start":{{"streamSid":"M","callSid":"C","customParameters":{{{}}}}}}}"#,
        many.join(",")
    );
    let Message::Start(start) = parse(&message).unwrap() else { panic!("no start") };
    assert_eq!(start.parameters.len(), MAX_PARAMETERS);
}

fn written(stream_sid: &str, command: &MediaCommand) -> String {
    let mut out = String::new();
    assert!(Writer::new(stream_sid).write(command, &mut out));
    out
}

#[test]
fn what_we_write_is_exactly_the_documented_form() {
    let frame = written("MZ1", &MediaCommand::Frame(AudioFrame::SILENCE));
    let payload = format!("{}/w==", "/".repeat(212));
    assert_eq!(frame, format!(r#"{{"event":"media","streamSid":"MZ1","media":{{"payload":"{payload}"}}}}"#));
    let mark = written("MZ1", &MediaCommand::Mark(MarkId(12)));
    assert_eq!(mark, r#"{"event":"mark","streamSid":"MZ1","mark":{"name":"m12"}}"#);
    assert_eq!(written("MZ1", &MediaCommand::Clear), r#"{"event":"clear","streamSid":"MZ1"}"#);
    assert!(!Writer::new("MZ1").write(&MediaCommand::Close, &mut String::new()));
}

#[test]
fn the_other_side_reads_what_we_write() {
    let out = written("M\"\\\u{1}é", &MediaCommand::Frame(AudioFrame([7; FRAME_BYTES])));
    let ToCarrier::Media { stream_sid, payload } = ToCarrier::parse(&out).unwrap() else {
        panic!("no media")
    };
    assert_eq!(stream_sid, "M\"\\\u{1}é");
    let mut bytes = vec![9];
    decode_payload(&payload, FRAME_BYTES, &mut bytes).unwrap();
    assert_eq!(bytes, [7; FRAME_BYTES]);
}
