#![allow(clippy::unwrap_used, clippy::disallowed_methods)]
use super::*;
use pipeline::turn::TurnId;
use proptest::prelude::*;

const ID: SegmentId = SegmentId { turn: TurnId(7), index: 2 };

fn ask(wire: &mut Wire, serial: u32) -> Option<Vec<String>> {
    wire.ask(serial, ID, "Hello, how can I help?", Instant::now())
}

fn hear(wire: &mut Wire, message: &str) -> Vec<Told> {
    let mut told = Vec::new();
    wire.hear(&Incoming::Text(message.to_owned()), &mut told);
    told
}

fn sound(wire: &mut Wire) -> Vec<Told> {
    let mut told = Vec::new();
    wire.hear(&Incoming::Binary(vec![0x7F; 3].into()), &mut told);
    told
}

#[test]
fn a_segment_is_spoken_and_flushed() {
    let messages = ask(&mut Wire::default(), 1).unwrap();
    assert_eq!(messages, [r#"{"type":"Speak","text":"Hello, how can I help?"}"#, r#"{"type":"Flush"}"#]);
}

#[test]
fn audio_belongs_to_the_oldest_flush_that_is_not_answered() {
    let mut wire = Wire::default();
    ask(&mut wire, 1);
    ask(&mut wire, 2);
    let audio = |serial| Told::Audio { serial, mulaw: vec![0x7F; 3], times: Vec::new() };
    assert_eq!(sound(&mut wire), [audio(1)]);
    assert_eq!(hear(&mut wire, r#"{"type":"Flushed","sequence_id":0}"#), [Told::Done { serial: 1 }]);
    assert_eq!(sound(&mut wire), [audio(2)]);
    assert_eq!(hear(&mut wire, r#"{"type":"Flushed","sequence_id":9}"#), [Told::Done { serial: 2 }]);
    assert_eq!(sound(&mut wire), []);
}

#[test]
fn everything_is_dropped_until_the_clear_is_answered() {
    let mut wire = Wire::default();
    ask(&mut wire, 1);
    ask(&mut wire, 2);
    assert_eq!(wire.stop(&[1, 2]), [r#"{"type":"Clear"}"#]);
    ask(&mut wire, 3);
    assert_eq!(sound(&mut wire), []);
    assert_eq!(hear(&mut wire, r#"{"type":"Flushed"}"#), [], "of what was cleared");
    hear(&mut wire, r#"{"type":"Cleared"}"#);
    assert!(matches!(sound(&mut wire)[..], [Told::Audio { serial: 3, .. }]));
}

#[test]
fn what_is_not_wanted_is_voiced_unheard_where_something_else_is_in_hand() {
    let mut wire = Wire::default();
    ask(&mut wire, 1);
    ask(&mut wire, 2);
    assert_eq!(wire.stop(&[1]), [""; 0]);
    assert_eq!(hear(&mut wire, r#"{"type":"Flushed"}"#), [Told::Done { serial: 1 }]);
    assert!(matches!(sound(&mut wire)[..], [Told::Audio { serial: 2, .. }]));
}

#[test]
fn a_connection_is_worn_at_the_nineteenth_flush_of_a_minute() {
    let (mut wire, t) = (Wire::default(), Instant::now());
    for i in 0..18 {
        assert!(!wire.is_worn(t + Duration::from_secs(i)), "{i}");
        wire.ask(i as u32, ID, "Yes.", t + Duration::from_secs(i)).unwrap();
        hear(&mut wire, r#"{"type":"Flushed"}"#);
    }
    assert!(wire.is_worn(t + Duration::from_secs(18)));
    assert!(!wire.is_worn(t + Duration::from_secs(60)), "the first is a minute ago");
}

#[test]
fn a_flush_that_was_not_processed_fails_what_is_in_hand() {
    let mut wire = Wire::default();
    ask(&mut wire, 1);
    ask(&mut wire, 2);
    let told =
        hear(&mut wire, r#"{"type":"Warning","code":"X","description":"Exceeded maximum flush rate"}"#);
    assert!(matches!(&told[..], [Told::Failed { serial: None, .. }]), "{told:?}");
    assert_eq!(hear(&mut wire, r#"{"type":"Warning","description":"something else"}"#), []);
}

#[test]
fn errors_and_garbage_fail_all_and_other_notices_nothing() {
    let mut wire = Wire::default();
    ask(&mut wire, 1);
    for message in ["", "]{", "7"] {
        assert!(matches!(&hear(&mut wire, message)[..], [Told::Failed { serial: None, .. }]), "{message}");
    }
    let told = hear(&mut wire, r#"{"type":"Error","code":"DATA-0000","description":"secret words"}"#);
    let [Told::Failed { serial: None, failure }] = &told[..] else { panic!("{told:?}") };
    assert_eq!(failure.detail, "error message DATA-0000");
    for message in [r#"{"type":"Metadata","request_id":"x"}"#, r#"{"type":"New"}"#, "{}"] {
        assert_eq!(hear(&mut wire, message), [], "{message}");
    }
}

#[test]
fn long_texts_are_cut_at_sentence_ends() {
    let text = "This sentence has thirty-six chars. ".repeat(120);
    let cut: Vec<_> = pieces(&text).collect();
    assert!(cut.len() == 3 && cut.iter().all(|p| p.len() <= MOST_CHARS && p.ends_with('.')), "{cut:?}");
    assert_eq!(cut.join(" "), text.trim_end());
    let words = "word ".repeat(1_000);
    assert!(pieces(&words).all(|p| p.len() <= MOST_CHARS && p.starts_with("word")));
    assert_eq!(pieces(&"x".repeat(4_000)).map(str::len).collect::<Vec<_>>(), [1_900, 1_900, 200]);
}

proptest! {
    #[test]
    fn no_message_of_the_vendor_panics(
        messages in prop::collection::vec(
            prop_oneof![
                ".{0,60}",
                "\\{\"type\":(\"(Flushed|Cleared|Warning|Error|Metadata)\"|[0-9]|null)(,\"(code|description)\":(\"flush\"|[0-9]|\\{\\}))?\\}",
            ],
            0..12,
        ),
        cancel in any::<bool>(),
    ) {
        let mut wire = Wire::default();
        ask(&mut wire, 1);
        ask(&mut wire, 2);
        if cancel {
            wire.stop(&[1, 2]);
        }
        for message in messages {
            hear(&mut wire, &message);
            sound(&mut wire);
        }
    }

    #[test]
    fn no_character_is_lost_in_cutting(text in "[a-zé.?! ]{0,5000}") {
        let kept = |t: &str| t.split_whitespace().collect::<String>();
        prop_assert_eq!(pieces(&text).map(kept).collect::<String>(), kept(&text));
        prop_assert!(pieces(&text).all(|p| p.chars().count() <= MOST_CHARS));
    }
}
