#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::media::{AudioFrame, FRAME_BYTES, MarkId};
use crate::twilio::client::StreamWriter;
use crate::twilio::wire::PROTOCOL;

fn identity() -> StreamStart {
    StreamStart {
        stream_sid: "MZ00000000000000000000000000000001".into(),
        call_sid: "CA00000000000000000000000000000002".into(),
        account_sid: "AC00000000000000000000000000000001".into(),
        parameters: vec![("token".into(), "a.b\"\\".into()), ("x".into(), String::new())],
    }
}

/// A reader and a writer of an open stream.
fn open() -> (StreamReader, StreamWriter) {
    let (mut reader, mut writer) = (StreamReader::new(&PROTOCOL), StreamWriter::new(identity()));
    assert_eq!(read(&mut reader, &written(|out| writer.connected(out))), Ok(vec![]));
    let started = read(&mut reader, &written(|out| writer.start(out)));
    assert_eq!(started, Ok(vec![MediaEvent::Started(identity())]));
    (reader, writer)
}

fn written(write: impl FnOnce(&mut String)) -> String {
    let mut out = String::new();
    write(&mut out);
    out
}

fn read(reader: &mut StreamReader, message: &str) -> Result<Vec<MediaEvent>, StreamError> {
    let mut events = Vec::new();
    reader.read(CallTime::ZERO, message, &mut events).map(|()| events)
}

fn media(payload: &str) -> String {
    format!(
        r#"{{"event":"media","streamSid":"{}","media":{{"payload":"{payload}"}}}}"#,
        identity().stream_sid
    )
}

#[test]
fn what_a_client_writes_is_read_back() {
    let (mut reader, mut writer) = open();
    let audio = read(&mut reader, &written(|out| writer.media(&[7; FRAME_BYTES], out)));
    assert_eq!(audio, Ok(vec![MediaEvent::Frame(AudioFrame([7; FRAME_BYTES]))]));
    assert_eq!(read(&mut reader, &written(|out| writer.digit('#', out))), Ok(vec![MediaEvent::Digit('#')]));
    let mark = read(&mut reader, &written(|out| writer.mark("m3", out)));
    assert_eq!(mark, Ok(vec![MediaEvent::MarkPlayed(MarkId(3))]));
    assert_eq!(read(&mut reader, &written(|out| writer.mark("theirs", out))), Ok(vec![]));
    assert_eq!(read(&mut reader, &written(|out| writer.stop(out))), Ok(vec![MediaEvent::Stopped]));
    let late = read(&mut reader, &written(|out| writer.stop(out)));
    assert_eq!(late, Err(StreamError::AfterStop));
    assert_eq!(reader.counts().foreign_marks, 1);
    assert_eq!(reader.counts().audio.sequence_gaps, 0);
}

/// A stream of both sides: the numbers of each track are its own, and a message that names no track is nobody's.
#[test]
fn both_sides_of_a_talk_are_told_apart() {
    let said = |track: &str, byte: u8| {
        let mut payload = String::new();
        crate::encoding::push_payload(&mut payload, &[byte; FRAME_BYTES]);
        let sid = identity().stream_sid;
        format!(
            r#"{{"event":"media","streamSid":"{sid}","media":{{{track}"chunk":"1","timestamp":"0","payload":"{payload}"}}}}"#
        )
    };
    let (inbound, outbound) = (r#""track":"inbound","#, r#""track":"outbound","#);
    let (mut call, _) = open();
    let (mut both, mut writer) = (StreamReader::of_both(&PROTOCOL), StreamWriter::new(identity()));
    read(&mut both, &written(|out| writer.connected(out))).unwrap();
    read(&mut both, &written(|out| writer.start(out))).unwrap();
    let frame = |byte| AudioFrame([byte; FRAME_BYTES]);
    assert_eq!(read(&mut both, &said(inbound, 3)), Ok(vec![MediaEvent::Frame(frame(3))]));
    assert_eq!(read(&mut both, &said(outbound, 4)), Ok(vec![MediaEvent::Heard(frame(4))]));
    for odd in ["", r#""track":"third","#, r#""track":"","#] {
        assert_eq!(read(&mut both, &said(odd, 5)), Ok(vec![]), "{odd}");
    }
    assert_eq!((both.counts().other_tracks, both.counts().audio.late), (3, 0));
    // The call's own stream takes the caller alone.
    assert_eq!(read(&mut call, &said("", 6)), Ok(vec![MediaEvent::Frame(frame(6))]));
    assert_eq!(read(&mut call, &said(outbound, 7)), Ok(vec![]));
    // Garbage is refused as on any stream.
    let broken = said(outbound, 8).replace("\"payload\":\"", "\"payload\":\"!!");
    assert_eq!(read(&mut both, &broken), Err(StreamError::BadBase64));
}

#[test]
fn all_sixteen_keys_are_read_and_nothing_else_is_one() {
    let (mut reader, mut writer) = open();
    for key in "0123456789*#ABCD".chars() {
        let pressed = read(&mut reader, &written(|out| writer.digit(key, out)));
        assert_eq!(pressed, Ok(vec![MediaEvent::Digit(key)]));
    }
    for other in ['E', 'd', '@', ':'] {
        let pressed = read(&mut reader, &written(|out| writer.digit(other, out)));
        assert_eq!(pressed, Err(StreamError::UnknownDigit), "{other}");
    }
}

#[test]
fn payloads_of_any_size_become_frames() {
    let (mut reader, mut writer) = open();
    let frames: usize = [100, 100, 400, 40, 0]
        .into_iter()
        .map(|n| read(&mut reader, &written(|out| writer.media(&vec![1; n], out))).unwrap().len())
        .sum();
    assert_eq!(frames, 4);
}

#[test]
fn a_hole_in_the_chunks_is_concealed() {
    let (mut reader, mut writer) = open();
    read(&mut reader, &written(|out| writer.media(&[7; FRAME_BYTES], out))).unwrap();
    written(|out| (0..3).for_each(|_| writer.media(&[7; FRAME_BYTES], out)));
    let events = read(&mut reader, &written(|out| writer.media(&[7; FRAME_BYTES], out))).unwrap();
    assert_eq!(events.len(), 4);
    let audio = reader.counts().audio;
    assert_eq!((audio.gaps, audio.concealed, audio.sequence_gaps), (1, 3, 1));
}

#[test]
fn order_is_kept() {
    let start = written(|out| StreamWriter::new(identity()).start(out));
    let mut reader = StreamReader::new(&PROTOCOL);
    assert_eq!(read(&mut reader, &media("")), Err(StreamError::OutOfOrder("media")));
    assert_eq!(read(&mut reader, &start), Err(StreamError::OutOfOrder("start")));
    let (mut reader, writer) = open();
    assert_eq!(read(&mut reader, &start), Err(StreamError::Repeated("start")));
    assert_eq!(
        read(&mut reader, &written(|out| writer.connected(out))),
        Err(StreamError::Repeated("connected"))
    );
}

#[test]
fn a_message_for_another_stream_is_refused() {
    let (mut reader, _) = open();
    let mut other = StreamWriter::new(StreamStart { stream_sid: "MZother".into(), ..identity() });
    let message = written(|out| other.media(&[7; FRAME_BYTES], out));
    assert_eq!(read(&mut reader, &message), Err(StreamError::WrongStream));
}

#[test]
fn sizes_and_encodings_are_checked() {
    let (mut reader, _) = open();
    assert_eq!(read(&mut reader, &media("!!!!")), Err(StreamError::BadBase64));
    let big = media(&"A".repeat(30_000));
    assert_eq!(read(&mut reader, &big), Err(StreamError::PayloadTooLarge(MAX_PAYLOAD_BYTES)));
    let huge = media(&"A".repeat(MAX_MESSAGE_BYTES));
    assert_eq!(read(&mut reader, &huge), Err(StreamError::MessageTooLarge(MAX_MESSAGE_BYTES)));
    assert_eq!(reader.read_binary(), StreamError::Binary);
    assert!(StreamError::Binary.closes() && StreamError::BadBase64.closes());
}

#[test]
fn a_start_must_be_ours_in_form() {
    let start = |edit: fn(String) -> String| {
        let (mut reader, mut writer) = (StreamReader::new(&PROTOCOL), StreamWriter::new(identity()));
        read(&mut reader, &written(|out| writer.connected(out))).unwrap();
        read(&mut reader, &edit(written(|out| writer.start(out)))).map(|_| ())
    };
    assert_eq!(start(|s| s), Ok(()));
    assert_eq!(start(|s| s.replace("audio/x-mulaw", "audio/l16")), Err(StreamError::UnsupportedFormat));
    assert_eq!(start(|s| s.replace("8000", "16000")), Err(StreamError::UnsupportedFormat));
    assert_eq!(
        start(|s| s.replace(r#""channels":1"#, r#""channels":2"#)),
        Err(StreamError::UnsupportedFormat)
    );
    assert_eq!(start(|s| s.replacen("MZ0", "MZ1", 1)), Err(StreamError::WrongStream));
    assert_eq!(start(|s| s.replace("CA0", "CA 0")), Err(StreamError::BadIdentity));
    assert_eq!(start(|s| s.replace("MZ0", &"M".repeat(64))), Err(StreamError::BadIdentity));
    assert_eq!(start(|s| s.replace("callSid", "other")), Err(StreamError::MissingField("start.callSid")));
    assert_eq!(start(|s| s.replace("accountSid", "other")), Ok(()));
}

#[test]
fn what_can_be_ignored_is_ignored() {
    let (mut reader, _) = open();
    assert_eq!(read(&mut reader, r#"{"event":"weather","streamSid":"elsewhere"}"#), Ok(vec![]));
    let outbound = media("AAAA").replace(r#"{"payload""#, r#"{"track":"outbound","payload""#);
    assert_eq!(read(&mut reader, &outbound), Ok(vec![]));
    let digit =
        format!(r#"{{"event":"dtmf","streamSid":"{}","dtmf":{{"digit":"55"}}}}"#, identity().stream_sid);
    assert_eq!(read(&mut reader, &digit), Err(StreamError::UnknownDigit));
    assert!(!StreamError::UnknownDigit.closes());
    assert_eq!((reader.counts().unknown_events, reader.counts().other_tracks), (1, 1));
}

/// Something like JSON, often like one of our messages.
fn message() -> impl Strategy<Value = Vec<u8>> {
    let event =
        prop::sample::select(vec!["connected", "start", "media", "dtmf", "mark", "stop", "clear", "x"]);
    let scalar = prop_oneof![
        Just("null".to_owned()),
        any::<i64>().prop_map(|n| n.to_string()),
        any::<u64>().prop_map(|n| format!("\"{n}\"")),
        Just("\"MZ1\"".to_owned()),
        Just("\"inbound\"".to_owned()),
        "[A-Za-z0-9+/]{0,40}={0,2}".prop_map(|s| format!("\"{s}\"")),
        "\\PC{0,8}".prop_map(|s| format!("{s:?}")),
    ];
    let name = prop::sample::select(vec![
        "streamSid",
        "callSid",
        "accountSid",
        "payload",
        "chunk",
        "timestamp",
        "track",
        "digit",
        "name",
        "customParameters",
        "mediaFormat",
        "encoding",
        "sampleRate",
    ]);
    let fields = prop::collection::vec((name, scalar.clone()), 0..6)
        .prop_map(|f| f.into_iter().map(|(n, v)| format!("\"{n}\":{v}")).collect::<Vec<_>>().join(","));
    let like_ours = (event, scalar, fields, any::<bool>()).prop_map(|(event, sequence, fields, open)| {
        let plus = if open { "+" } else { "" };
        format!(
            r#"{plus}{{"event":"{event}","streamSid":"MZ1","sequenceNumber":{sequence},"{event}":{{{fields}}}}}"#
        )
        .into_bytes()
    });
    prop_oneof![4 => like_ours, 1 => prop::collection::vec(any::<u8>(), 0..200)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Ten messages each: 10,000 in all.
    #[test]
    fn no_message_makes_it_panic(messages in prop::collection::vec(message(), 10)) {
        exercise(&PROTOCOL, &messages.join(&b'\n'));
    }

    #[test]
    fn audio_survives_the_wire(payloads in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..900), 1..8)) {
        let (mut reader, mut writer) = open();
        let mut heard = Vec::new();
        for payload in &payloads {
            for event in read(&mut reader, &written(|out| writer.media(payload, out))).unwrap() {
                if let MediaEvent::Frame(frame) = event {
                    heard.extend(frame.0);
                }
            }
        }
        let sent = payloads.concat();
        prop_assert_eq!(&heard[..], &sent[..sent.len() / FRAME_BYTES * FRAME_BYTES]);
    }
}
