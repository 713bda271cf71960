//! Both protocols' readings, without a connection.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use serde_json::{Value, json};

use super::flux::Turns;
use super::nova;
use super::utterance::Ear;
use pipeline::ports::{Language, SttEvent};
use pipeline::provider::Kind;
use pipeline::turn::UtteranceId;

const FIRST: UtteranceId = UtteranceId(1);

fn words(text: &str, start: f64) -> Vec<Value> {
    let word = |(i, w): (usize, &str)| json!({"word": w.to_lowercase(), "punctuated_word": w, "start": start + i as f64 * 0.3});
    text.split_whitespace().enumerate().map(word).collect()
}

fn results(text: &str, start: f64, duration: f64, flags: &str) -> String {
    json!({"type": "Results", "start": start, "duration": duration, "is_final": flags.contains('f'),
        "speech_final": flags.contains('s'), "from_finalize": flags.contains('z'),
        "channel": {"alternatives": [{"transcript": text, "confidence": 0.9, "words": words(text, start)}]}})
    .to_string()
}

fn nova(ear: &mut Ear, message: &str) -> Vec<SttEvent> {
    let mut out = Vec::new();
    nova::read(ear, message, &mut out).unwrap();
    out
}

fn ear_at(sent_ms: u64) -> Ear {
    let mut ear = Ear::default();
    ear.sent_ms = sent_ms;
    let _ = ear.started(FIRST);
    ear
}

fn final_text(events: &[SttEvent]) -> Option<(u32, String)> {
    events.iter().find_map(|e| match e {
        SttEvent::Final { pause, text, .. } => Some((*pause, text.clone())),
        _ => None,
    })
}

#[test]
fn several_finals_make_one_text_and_an_interim_replaces_the_one_before() {
    let mut ear = ear_at(500);
    nova(&mut ear, &results("I need", 0.2, 1.0, ""));
    nova(&mut ear, &results("I need to move", 0.2, 1.5, "f"));
    let shown = nova(&mut ear, &results("my appointment", 1.7, 1.0, ""));
    let text = "I need to move my appointment".to_owned();
    assert_eq!(shown, [SttEvent::Interim { utterance: FIRST, text: text.clone() }]);
    ear.sent_ms = 3_000;
    assert_eq!(ear.paused(FIRST, 1), None);
    let events = nova(&mut ear, &results("my appointment.", 1.7, 1.3, "fz"));
    assert_eq!(final_text(&events), Some((1, format!("{text}."))));
}

#[test]
fn an_end_that_was_declared_before_the_question_answers_it_at_once() {
    let mut ear = ear_at(500);
    ear.sent_ms = 2_100;
    nova(&mut ear, &results("Yes please.", 0.4, 1.6, "fs"));
    let answer = ear.paused(FIRST, 1);
    assert!(matches!(answer, Some(SttEvent::Final { pause: 1, text, .. }) if text == "Yes please."));
}

#[test]
fn a_resumption_voids_the_question_and_late_words_of_an_utterance_that_is_over_are_dropped() {
    let mut ear = ear_at(500);
    ear.sent_ms = 2_000;
    assert_eq!(ear.paused(FIRST, 1), None);
    ear.resumed(FIRST);
    assert_eq!(final_text(&nova(&mut ear, &results("Well", 0.4, 1.5, "fz"))), None);
    ear.sent_ms = 4_000;
    ear.ended(FIRST);
    assert_eq!(nova(&mut ear, &results("late words", 3.0, 0.9, "f")), []);
    let _ = ear.started(UtteranceId(2));
    assert_eq!(nova(&mut ear, &results("more late", 3.2, 0.7, "f")), []);
}

fn turn(event: &str, index: u64, text: &str, end: f64, confidence: f64) -> String {
    json!({"type": "TurnInfo", "event": event, "turn_index": index, "audio_window_end": end, "transcript": text,
        "words": words(text, 0.5), "end_of_turn_confidence": confidence})
    .to_string()
}

#[test]
fn flux_answers_by_its_own_declaration_and_tells_its_confidence() {
    let (mut ear, mut turns, mut out) = (ear_at(500), Turns::default(), Vec::new());
    turns.read(&mut ear, &turn("StartOfTurn", 0, "When", 0.9, 0.1), &mut out).unwrap();
    turns.read(&mut ear, &turn("EagerEndOfTurn", 0, "When is it open?", 2.0, 0.6), &mut out).unwrap();
    ear.sent_ms = 2_160;
    let _ = ear.paused(FIRST, 1);
    turns.answer_if_heard(&mut ear, &mut out);
    assert_eq!(final_text(&out), Some((1, "When is it open?".to_owned())));
    assert!(out.contains(&SttEvent::TurnEnd { utterance: FIRST, pause: 1, probability: 0.6 }));
}

#[test]
fn flux_says_that_the_turn_may_be_over_before_it_is_asked() {
    let (mut ear, mut turns, mut out) = (ear_at(500), Turns::default(), Vec::new());
    turns.read(&mut ear, &turn("Update", 0, "When is", 1.5, 0.1), &mut out).unwrap();
    assert!(!out.iter().any(|e| matches!(e, SttEvent::MaybeEnd { .. })), "{out:?}");
    out.clear();
    turns.read(&mut ear, &turn("EagerEndOfTurn", 0, "When is it open?", 2.0, 0.6), &mut out).unwrap();
    let text = "When is it open?".to_owned();
    let eager = SttEvent::MaybeEnd { utterance: FIRST, probability: 0.6 };
    assert_eq!(out, [SttEvent::Interim { utterance: FIRST, text }, eager]);
}

#[test]
fn a_flux_turn_that_the_session_took_early_does_not_come_back_as_the_next_one() {
    let (mut ear, mut turns, mut out) = (ear_at(500), Turns::default(), Vec::new());
    turns.read(&mut ear, &turn("Update", 0, "Yes", 1.0, 0.1), &mut out).unwrap();
    ear.sent_ms = 1_200;
    ear.ended(FIRST);
    assert!(turns.ended(), "it has to be told");
    let _ = ear.started(UtteranceId(2));
    out.clear();
    turns.read(&mut ear, &turn("EndOfTurn", 0, "Yes", 1.3, 0.4), &mut out).unwrap();
    assert_eq!(out, []);
    turns.read(&mut ear, &turn("Update", 1, "On Friday", 2.3, 0.4), &mut out).unwrap();
    assert_eq!(out, [SttEvent::Interim { utterance: UtteranceId(2), text: "On Friday".to_owned() }]);
}

#[test]
fn a_final_that_may_miss_the_last_word_does_not_answer() {
    let mut ear = ear_at(500);
    nova(&mut ear, &results("Yes", 0.4, 1.2, "fs"));
    ear.sent_ms = 2_000;
    assert_eq!(ear.paused(FIRST, 1), None, "something may have been said since the declared end");
    assert_eq!(final_text(&nova(&mut ear, &results("but", 1.6, 0.2, "f"))), None);
    let answer = nova(&mut ear, &results("no.", 1.7, 0.3, "fz"));
    assert_eq!(final_text(&answer), Some((1, "Yes but no.".to_owned())));
}

#[test]
fn words_and_judgements_that_come_after_the_answer_correct_it() {
    let (mut ear, mut turns, mut out) = (ear_at(500), Turns::default(), Vec::new());
    ear.sent_ms = 2_000;
    let _ = ear.paused(FIRST, 1);
    turns.read(&mut ear, &turn("Update", 0, "When is", 2.1, 0.1), &mut out).unwrap();
    assert_eq!(final_text(&out), Some((1, "When is".to_owned())));
    out.clear();
    turns.read(&mut ear, &turn("EndOfTurn", 0, "When is it?", 2.3, 0.9), &mut out).unwrap();
    assert_eq!(final_text(&out), Some((1, "When is it?".to_owned())));
    assert!(out.contains(&SttEvent::TurnEnd { utterance: FIRST, pause: 1, probability: 0.9 }));
}

#[test]
fn an_empty_turn_between_two_utterances_belongs_to_the_next() {
    let (mut ear, mut turns, mut out) = (ear_at(500), Turns::default(), Vec::new());
    turns.read(&mut ear, &turn("EndOfTurn", 0, "Yes.", 1.3, 0.9), &mut out).unwrap();
    turns.read(&mut ear, &turn("Update", 1, "", 1.6, 0.0), &mut out).unwrap();
    ear.sent_ms = 1_700;
    ear.ended(FIRST);
    assert!(!turns.ended(), "there is nothing to end");
    let _ = ear.started(UtteranceId(2));
    out.clear();
    let message = r#"{"type":"TurnInfo","event":"Update","turn_index":1,"audio_window_end":3.0,
        "transcript":"On Friday","words":[{"word":"On","start":2.4}]}"#;
    turns.read(&mut ear, message, &mut out).unwrap();
    assert_eq!(out.len(), 1, "{out:?}");
}

#[test]
fn nulls_and_absurd_times_are_borne() {
    let mut ear = ear_at(500);
    let message = r#"{"type":"Results","start":1e300,"duration":-5,"is_final":true,"speech_final":null,
        "channel":{"alternatives":[{"transcript":"Hello.","confidence":null,"words":null}]}}"#;
    assert_eq!(nova(&mut ear, message).len(), 1);
}

#[test]
fn the_first_language_of_a_line_is_no_news_and_a_change_is() {
    let mut ear = Ear::default();
    assert_eq!(ear.language(&["en", "en"]), None);
    assert_eq!(ear.language(&["es"]), None, "one word is no proof");
    assert_eq!(ear.language(&["es", "es", "en"]), Some(SttEvent::Language(Language::Es)));
    assert_eq!(ear.language(&["es-MX", "es"]), None);
    assert_eq!(ear.language(&["en", "en"]), Some(SttEvent::Language(Language::En)));
}

#[test]
fn a_fatal_error_and_nonsense_are_told_apart() {
    let (mut ear, mut out) = (Ear::default(), Vec::new());
    let mut turns = Turns::default();
    let error =
        r#"{"type":"Error","sequence_id":3,"code":"INTERNAL_SERVER_ERROR","description":"said hunter2"}"#;
    let failure = turns.read(&mut ear, error, &mut out).unwrap_err();
    assert_eq!(failure.kind, Kind::Server);
    assert!(!failure.to_string().contains("hunter2"));
    assert_eq!(nova::read(&mut ear, "{{", &mut out).unwrap_err().kind, Kind::Garbage);
    assert_eq!(nova::read(&mut ear, r#"{"type":"Novelty","x":1}"#, &mut out), Ok(()));
}

fn any_json() -> impl Strategy<Value = Value> {
    let names = prop::sample::select(vec![
        "type",
        "Results",
        "TurnInfo",
        "EndOfTurn",
        "channel",
        "alternatives",
        "words",
        "start",
        "transcript",
        "is_final",
        "event",
        "turn_index",
        "audio_window_end",
        "languages",
        "duration",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        names.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(names.clone(), inner, 0..6)
                .prop_map(|m| m.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    })
}

proptest! {
    #[test]
    fn no_message_makes_either_reader_panic(messages in prop::collection::vec(any_json(), 1..12), typed in 0usize..3) {
        let (mut ear, mut turns, mut out) = (ear_at(1_000), Turns::default(), Vec::new());
        let _ = ear.paused(FIRST, 1);
        for mut message in messages {
            if let Some(object) = message.as_object_mut() && typed > 0 {
                object.insert("type".into(), if typed == 1 { "Results" } else { "TurnInfo" }.into());
            }
            let text = message.to_string();
            let _ = nova::read(&mut ear, &text, &mut out);
            let _ = turns.read(&mut ear, &text, &mut out);
        }
    }
}
