#![allow(clippy::unwrap_used)]

use super::*;

#[test]
fn the_documented_start_is_read_without_copying() {
    let message = r#"{"event":"start","sequenceNumber":"1","streamSid":"MZ1","start":{"accountSid":"AC1",
        "streamSid":"MZ1","callSid":"CA2","tracks":["inbound"],"mediaFormat":{"encoding":"audio/x-mulaw",
        "sampleRate":8000,"channels":1},"customParameters":{"tenant":"t1","odd":7,"nonce":"b\u0037"}}}"#;
    let FromCarrier::Start(start) = FromCarrier::parse(message).unwrap() else { panic!("no start") };
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
        match FromCarrier::parse(&message) {
            Ok(FromCarrier::Media(media)) => Some((media.chunk, media.timestamp_ms, media.inbound)),
            _ => None,
        }
    };
    assert_eq!(media("\"17\""), Some((Some(17), Some(5), true)));
    assert_eq!(media("17"), Some((Some(17), Some(5), true)));
    for nonsense in ["-1", "1.5", "\"x\"", "99999999999999999999", "null"] {
        assert_eq!(media(nonsense), Some((None, Some(5), true)), "{nonsense}");
    }
}

#[test]
fn unknown_events_of_any_shape_are_tolerated_and_broken_known_ones_are_not() {
    let unknown = r#"{"event":"novelty","media":3,"streamSid":[]}"#;
    assert_eq!(FromCarrier::parse(unknown), Ok(FromCarrier::Unknown));
    assert_eq!(ToCarrier::parse(unknown), Ok(ToCarrier::Unknown));
    for broken in
        [r#"{"event":"media","media":3}"#, r#"{"event":5}"#, "{}", "[]", "", "nul", r#"{"event":"start""#]
    {
        assert_eq!(FromCarrier::parse(broken), Err(StreamError::NotUnderstood), "{broken}");
    }
    let bare = r#"{"event":"mark","streamSid":"M"}"#;
    assert_eq!(FromCarrier::parse(bare), Err(StreamError::MissingField("mark.name")));
}

#[test]
fn parameters_are_bounded() {
    let many: Vec<String> = (0..40).map(|n| format!("\"p{n}\":\"v\"")).collect();
    let message = format!(
        r#"{{"event":"start","streamSid":"M","start":{{"streamSid":"M","callSid":"C","customParameters":{{{}}}}}}}"#,
        many.join(",")
    );
    let FromCarrier::Start(start) = FromCarrier::parse(&message).unwrap() else { panic!("no start") };
    assert_eq!(start.parameters.len(), MAX_PARAMETERS);
}

#[test]
fn what_we_write_is_exactly_the_documented_form() {
    let mut out = String::new();
    encode_media("MZ1", &[0xFF; 4], &mut out);
    assert_eq!(out, r#"{"event":"media","streamSid":"MZ1","media":{"payload":"/////w=="}}"#);
    out.clear();
    encode_mark("MZ1", MarkId(12), &mut out);
    assert_eq!(out, r#"{"event":"mark","streamSid":"MZ1","mark":{"name":"m12"}}"#);
    out.clear();
    encode_clear("MZ1", &mut out);
    assert_eq!(out, r#"{"event":"clear","streamSid":"MZ1"}"#);
    assert!(!encode("MZ1", &MediaCommand::Close, &mut out));
}

#[test]
fn the_other_side_reads_what_we_write() {
    let mut out = String::new();
    encode_media("M\"\\\u{1}é", &[1, 2, 3], &mut out);
    let ToCarrier::Media { stream_sid, payload } = ToCarrier::parse(&out).unwrap() else {
        panic!("no media")
    };
    assert_eq!(stream_sid, "M\"\\\u{1}é");
    let mut bytes = vec![9];
    decode_payload(&payload, 3, &mut bytes).unwrap();
    assert_eq!(bytes, [1, 2, 3]);
}

#[test]
fn payloads_are_checked_for_size_and_alphabet() {
    let mut out = Vec::new();
    let four = "AAAAAA==";
    assert_eq!(decode_payload(four, 4, &mut out), Ok(()));
    assert_eq!(decode_payload(four, 3, &mut out), Err(StreamError::PayloadTooLarge(3)));
    for bad in ["AAAAAA", "AA=A", "A A=", "-_==", "§"] {
        assert_eq!(decode_payload(bad, 100, &mut out), Err(StreamError::BadBase64), "{bad}");
    }
}

#[test]
fn only_our_own_mark_names_are_marks() {
    assert_eq!(mark_of_name("m18446744073709551615"), Some(MarkId(u64::MAX)));
    for other in ["", "m", "12", "m0", "m012", "m-1", "m+1", "m18446744073709551616", "utt-7-end"] {
        assert_eq!(mark_of_name(other), None, "{other}");
    }
}
