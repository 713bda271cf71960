#![allow(clippy::unwrap_used)]
use super::*;
use pipeline::turn::TurnId;
use proptest::prelude::*;

const ID: SegmentId = SegmentId { turn: TurnId(7), index: 2 };

#[allow(clippy::disallowed_methods)]
fn ask(wire: &mut Wire, serial: u32) -> Option<Vec<String>> {
    wire.ask(serial, ID, "Your appointment is on Tuesday.", Instant::now())
}

fn hear(wire: &mut Wire, message: &str) -> Vec<Told> {
    let mut told = Vec::new();
    wire.hear(&Incoming::Text(message.to_owned()), &mut told);
    told
}

#[test]
fn a_segment_is_one_context_opened_and_flushed_and_closed_once_its_first_audio_has_come() {
    let mut wire = Wire::default();
    assert_eq!(
        ask(&mut wire, 31).unwrap(),
        [
            r#"{"text":"Your appointment is on Tuesday. ","context_id":"s-7-2-31","voice_settings":{"stability":0.5,"similarity_boost":0.8}}"#,
            r#"{"context_id":"s-7-2-31","flush":true}"#,
        ]
    );
    assert_eq!(wire.owed(), [""; 0]);
    hear(&mut wire, r#"{"audio":null,"contextId":"s-7-2-31","alignment":null}"#);
    assert_eq!(wire.owed(), [""; 0], "that was no audio");
    hear(&mut wire, r#"{"audio":"f39/","contextId":"s-7-2-31"}"#);
    assert_eq!(wire.owed(), [r#"{"context_id":"s-7-2-31","close_context":true}"#]);
    hear(&mut wire, r#"{"audio":"f39/","contextId":"s-7-2-31"}"#);
    assert_eq!((wire.owed(), wire.stop(&[31])), (vec![], vec![]), "once");
}

#[test]
fn a_cancelled_context_is_closed_at_once() {
    let mut wire = Wire::default();
    ask(&mut wire, 1);
    ask(&mut wire, 2);
    assert_eq!(wire.stop(&[2, 9]), [r#"{"context_id":"s-7-2-2","close_context":true}"#]);
    hear(&mut wire, r#"{"audio":"f39/","contextId":"s-7-2-2"}"#);
    assert_eq!(wire.owed(), [""; 0], "it is closed already");
}

#[test]
fn a_fifth_context_waits_until_the_end_of_another_is_reported() {
    let mut wire = Wire::default();
    assert!((1..=4).all(|serial| ask(&mut wire, serial).is_some()));
    assert_eq!(ask(&mut wire, 5), None);
    wire.stop(&[2]);
    assert_eq!(ask(&mut wire, 5), None, "a cancelled context is open until its end is reported");
    assert_eq!(hear(&mut wire, r#"{"isFinal":true,"contextId":"s-7-2-2"}"#), [Told::Done { serial: 2 }]);
    assert!(ask(&mut wire, 5).is_some());
}

#[test]
fn all_spellings_of_the_vendor_are_read() {
    for message in [
        r#"{"audio":"f39/","contextId":"s-7-2-1","isFinal":true,"alignment":{"chars":["H","i"],"charStartTimesMs":[0,70],"charDurationsMs":[70,90]}}"#,
        r#"{"audio":"f39/","context_id":"s-7-2-1","is_final":true,"alignment":null,"normalized_alignment":{"chars":["H","i"],"char_start_times_ms":[0,70],"char_durations_ms":[70,90]}}"#,
        r#"{"audio":"f39\/","contextId":"s-7-2-1","isFinal":true,"normalizedAlignment":{"chars":["Hi"],"charStartTimesMs":[0,70],"charsDurationsMs":[70,90]},"extra":[{}]}"#,
    ] {
        let mut wire = Wire::default();
        ask(&mut wire, 1);
        let told = hear(&mut wire, message);
        let Told::Audio { serial: 1, mulaw, times } = &told[0] else { panic!("{told:?}") };
        assert_eq!(mulaw, &[0x7F; 3], "{message}");
        assert_eq!(times.iter().map(|t| t.char).collect::<String>(), "Hi", "{message}");
        assert_eq!(times[0].length_ms, 70.0, "{message}");
        assert_eq!(told[1], Told::Done { serial: 1 }, "{message}");
    }
}

#[test]
fn audio_survives_an_alignment_that_is_not_shaped_as_expected() {
    let mut wire = Wire::default();
    ask(&mut wire, 1);
    let told = hear(&mut wire, r#"{"audio":"f39/","contextId":"s-7-2-1","alignment":{"chars":7}}"#);
    assert_eq!(told, [Told::Audio { serial: 1, mulaw: vec![0x7F; 3], times: Vec::new() }]);
}

#[test]
fn late_audio_of_an_ended_context_is_dropped() {
    let mut wire = Wire::default();
    ask(&mut wire, 1);
    hear(&mut wire, r#"{"isFinal":true,"contextId":"s-7-2-1"}"#);
    assert_eq!(hear(&mut wire, r#"{"audio":"f39/","contextId":"s-7-2-1"}"#), []);
    assert_eq!(hear(&mut wire, r#"{"audio":"f39/","contextId":"other"}"#), []);
}

#[test]
fn errors_fail_their_context_or_all_and_are_sorted_by_name() {
    for (name, kind) in [
        ("max_active_conversations", Kind::Refused),
        ("quota_exceeded", Kind::Unauthorised),
        ("too_many_concurrent_requests", Kind::RateLimited { retry_after: None }),
        ("system_busy", Kind::Overloaded),
        ("input_timeout_exceeded", Kind::Closed),
        ("internal_error", Kind::Server),
    ] {
        let mut wire = Wire::default();
        ask(&mut wire, 1);
        ask(&mut wire, 2);
        let message = format!(r#"{{"message":"the text: secret words","error":"{name}","code":1008}}"#);
        let told = hear(&mut wire, &message);
        let [Told::Failed { serial: None, failure }] = told.as_slice() else { panic!("{told:?}") };
        assert_eq!((failure.kind, failure.detail.as_str()), (kind, format!("error message {name}").as_str()));
        let told = hear(&mut wire, &format!(r#"{{"error":{{"status":"{name}"}},"contextId":"s-7-2-2"}}"#));
        assert!(matches!(&told[..], [Told::Failed { serial: Some(2), failure }] if failure.kind == kind));
    }
}

#[test]
fn what_is_no_json_object_fails_all() {
    for garbage in ["", "]{", "[1]", "7", "null"] {
        let told = hear(&mut Wire::default(), garbage);
        let all_of_it =
            |t: &Told| matches!(t, Told::Failed { serial: None, failure } if failure.kind == Kind::Garbage);
        assert!(told.len() == 1 && all_of_it(&told[0]), "{garbage}: {told:?}");
    }
    assert_eq!(hear(&mut Wire::default(), r#"{"something":"new"}"#), []);
}

/// JSON as a vendor gone mad might send it, with the names that mean something to us.
pub(crate) fn any_json() -> impl Strategy<Value = Value> {
    let names = [
        "audio",
        "contextId",
        "context_id",
        "isFinal",
        "is_final",
        "alignment",
        "normalizedAlignment",
        "chars",
        "charStartTimesMs",
        "charDurationsMs",
        "error",
        "code",
        "message",
        "type",
        "description",
        "sequence_id",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<f64>().prop_map(|n| serde_json::json!(n)),
        "[a-zA-Z0-9+/=éß\u{1F600}-]{0,12}".prop_map(Value::String),
        prop::sample::select(&["s-7-2-1", "Flushed", "Cleared", "Warning", "Error", "Metadata"][..])
            .prop_map(|s| Value::String(s.to_owned())),
    ];
    leaf.prop_recursive(3, 32, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::vec((prop::sample::select(names.to_vec()), inner), 0..8).prop_map(|fields| {
                Value::Object(fields.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
            }),
        ]
    })
}

proptest! {
    #[test]
    fn no_json_of_the_vendor_panics(messages in prop::collection::vec(any_json(), 1..6)) {
        let mut wire = Wire::default();
        ask(&mut wire, 1);
        ask(&mut wire, 2);
        for message in messages {
            hear(&mut wire, &message.to_string());
        }
    }

    #[test]
    fn no_text_of_the_vendor_panics(text in ".{0,80}", cut in 0usize..200) {
        let mut wire = Wire::default();
        ask(&mut wire, 1);
        hear(&mut wire, &text);
        let whole = r#"{"audio":"f39/","contextId":"s-7-2-1","alignment":{"chars":["H"],"charStartTimesMs":[0],"charDurationsMs":[1e999]}}"#;
        hear(&mut wire, &whole[..cut.min(whole.len())]);
    }
}
