//! No `Debug` of what passes between us and a model shows a caller's words.
#![allow(clippy::unwrap_used)]

use serde_json::json;

use crate::conversation::{Conversation, Message, Opaque, ToolCall, ToolResult};
use crate::history::{IdForm, turns};
use crate::link::Refused;
use crate::model::{ModelEvent, Request, Stop};
use crate::sse;

/// Stands for whatever a caller may say.
const WORDS: &str = "Ada Quist 2025550143";

fn said() -> String {
    WORDS.to_owned()
}

fn conversation() -> Conversation {
    let call = ToolCall { id: said(), name: said(), input: json!({ "name": WORDS }) };
    let opaque = Opaque { provider: "anthropic".to_owned(), blocks: vec![json!({ "thinking": WORDS })] };
    let result = ToolResult { id: said(), content: said(), is_error: false };
    Conversation {
        system: said(),
        briefing: said(),
        messages: vec![
            Message::Caller { text: said() },
            Message::Agent { text: said(), calls: vec![call], opaque: Some(opaque) },
            Message::Results { results: vec![result] },
        ],
    }
}

#[track_caller]
fn hides(value: impl std::fmt::Debug) {
    let shown = format!("{value:?} {value:#?}");
    for part in WORDS.split(' ') {
        assert!(!shown.contains(part), "{shown}");
    }
}

#[test]
fn what_passes_between_us_and_a_model_shows_no_words() {
    let conversation = conversation();
    hides(&conversation);
    hides(turns(&conversation.messages, IdForm::Plain));
    let call = ToolCall { id: said(), name: said(), input: json!([WORDS]) };
    let opaque = Some(Opaque { provider: "anthropic".to_owned(), blocks: vec![json!(WORDS)] });
    hides([ModelEvent::Text(said()), ModelEvent::Call(call), ModelEvent::Done { stop: Stop::End, opaque }]);
    hides(sse::Event { name: String::new(), data: said() });
    let mut reader = sse::Reader::default();
    reader.feed(format!("data: {WORDS}\ndata: {WORDS}").as_bytes(), &mut Vec::new()).unwrap();
    hides(reader);
    hides(Refused { status: 400, retry_after: None, request_id: None, body: said().into_bytes() });
    hides(Request { conversation: conversation.into(), tools: [].into(), max_tokens: 1 });
}

#[test]
fn shapes_and_counts_are_told() {
    assert_eq!(
        format!("{:?}", conversation().messages[1]),
        "Agent { text: 20 chars, calls: [ToolCall { id: 20 chars, name: 20 chars, input: 1 items }], \
         opaque: Some(Opaque { provider: \"anthropic\", blocks: 1 items }) }"
    );
    assert_eq!(format!("{:?}", ModelEvent::Text("Sí.".to_owned())), "Text(3 chars)");
}
