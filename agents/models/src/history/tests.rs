#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::conversation::ToolResult;

fn caller(text: &str) -> Message {
    Message::Caller { text: text.into() }
}

fn agent(text: &str, ids: &[&str]) -> Message {
    let call = |id: &&str| ToolCall { id: (*id).into(), name: "find".into(), input: json!({}) };
    Message::Agent { text: text.into(), calls: ids.iter().map(call).collect(), opaque: None }
}

fn results(ids: &[&str]) -> Message {
    let result = |id: &&str| ToolResult { id: (*id).into(), content: format!("of {id}"), is_error: false };
    Message::Results { results: ids.iter().map(result).collect() }
}

/// One line a turn.
fn shown(messages: &[Message], form: IdForm) -> Vec<String> {
    let line = |turn: &Turn<'_>| match turn {
        Turn::Caller { results, texts } => {
            let results: Vec<_> = results.iter().map(|r| format!("{}={}", r.id, r.content)).collect();
            format!("C [{}] {}", results.join(","), texts.join("|"))
        }
        Turn::Agent { text, calls, .. } => {
            let calls: Vec<_> = calls.iter().map(|c| c.id.as_str()).collect();
            format!("A {text} [{}]", calls.join(","))
        }
    };
    turns(messages, form).iter().map(line).collect()
}

#[test]
fn the_caller_is_first_and_last_and_turns_alternate() {
    assert_eq!(shown(&[], IdForm::Plain), [format!("C [] {OPENING}")]);
    let messages =
        [agent("Hello.", &[]), caller("a"), caller(" "), caller("b"), agent("x", &[]), agent("y", &[])];
    assert_eq!(
        shown(&messages, IdForm::Plain),
        [format!("C [] {OPENING}").as_str(), "A Hello. []", "C [] a|b", "A x y []", &format!("C [] {GO_ON}")]
    );
}

#[test]
fn results_follow_their_calls_in_order_and_missing_ones_are_cancelled() {
    let messages = [
        caller("a"),
        agent("", &["1", "2", "3"]),
        caller("wait"),
        results(&["3", "1", "9"]),
        agent("so", &["1"]),
        agent("", &[]),
    ];
    assert_eq!(
        shown(&messages, IdForm::Plain),
        [
            "C [] a",
            "A  [1,2,3]",
            &format!("C [1=of 1,2={CANCELLED},3=of 3] wait"),
            &format!("A so [{}]", IdForm::Plain.made("1", 1)),
            &format!("C [{}={CANCELLED}] ", IdForm::Plain.made("1", 1)),
        ]
    );
}

#[test]
fn ids_take_the_vendors_form_and_stay_the_same_when_the_history_grows() {
    let mut messages =
        vec![caller("a"), agent("", &["functions.find:0", "toolu_01AbC"]), results(&["functions.find:0"])];
    let before = shown(&messages, IdForm::Nine);
    messages.extend([agent("", &["toolu_01AbC", "abcdefgh9"]), caller("b")]);
    let after = shown(&messages, IdForm::Nine);
    assert_eq!(before[..3], after[..3]);
    assert!(after[3].contains("abcdefgh9"), "an id in its form is left alone: {}", after[3]);
    assert!(shown(&messages, IdForm::Plain)[1].contains("toolu_01AbC"));
}

#[test]
fn inputs_become_objects() {
    assert_eq!(*object(&json!("{\"a\":")), json!({ "unreadable": "{\"a\":" }));
    assert_eq!(*object(&Value::Null), json!({}));
    assert_eq!(*object(&json!({ "a": 1 })), json!({ "a": 1 }));
}

fn messages() -> impl Strategy<Value = Vec<Message>> {
    let id = prop_oneof![Just("1"), Just("toolu_2"), Just("call:3"), Just(""), Just("abcdefgh9")];
    let ids = prop::collection::vec(id, 0..4);
    let text = prop_oneof![Just(""), Just(" "), Just("hm")];
    let message = prop_oneof![
        text.clone().prop_map(caller),
        (text, ids.clone()).prop_map(|(text, ids)| agent(text, &ids)),
        ids.prop_map(|ids| results(&ids)),
    ];
    prop::collection::vec(message, 0..12)
}

proptest! {
    #[test]
    fn any_conversation_has_the_shape_that_vendors_want(messages in messages(), nine in any::<bool>()) {
        let form = if nine { IdForm::Nine } else { IdForm::Plain };
        let turns = turns(&messages, form);
        let is_caller = |turn: Option<&Turn<'_>>| matches!(turn, Some(Turn::Caller { .. }));
        prop_assert!(is_caller(turns.first()) && is_caller(turns.last()));
        let (mut waiting, mut used) = (Vec::new(), HashSet::new());
        for (i, turn) in turns.iter().enumerate() {
            match turn {
                Turn::Caller { results, texts } => {
                    prop_assert_eq!(i % 2, 0);
                    prop_assert!(!(results.is_empty() && texts.is_empty()));
                    let answered: Vec<_> = results.iter().map(|r| r.id.clone()).collect();
                    prop_assert_eq!(&answered, &waiting);
                    waiting.clear();
                }
                Turn::Agent { text, calls, .. } => {
                    prop_assert_eq!(i % 2, 1);
                    prop_assert!(!(text.trim().is_empty() && calls.is_empty()));
                    for call in calls {
                        prop_assert!(form.takes(&call.id) && used.insert(call.id.clone()));
                        waiting.push(call.id.clone());
                    }
                }
            }
        }
        prop_assert!(waiting.is_empty());
    }
}
