//! A conversation in the shape that every vendor takes: the caller first and last, turn about, every tool call
//! answered, nothing empty, ids that the vendor allows. What does not fit is mended, not refused: a call goes on.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::conversation::{Message, Opaque, ToolCall};
use language::shown::Shape;

/// Said for the caller where a conversation begins with us: vendors want the caller first.
const OPENING: &str = "(The call begins.)";
/// Said for the caller where it ends with us: a last message of ours would be continued, which some models refuse.
const GO_ON: &str = "(The caller waits for you to go on.)";
/// Result of a tool call that never got one, because the caller spoke or the call was moved.
const CANCELLED: &str = "Cancelled before there was a result.";

/// One side's part, until the other side has its own.
#[derive(PartialEq)]
pub enum Turn<'a> {
    Caller { results: Vec<Answered<'a>>, texts: Vec<&'a str> },
    Agent { text: Cow<'a, str>, calls: Vec<Called<'a>>, opaque: Option<&'a Opaque> },
}

impl std::fmt::Debug for Turn<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Caller { results, texts } => {
                f.debug_struct("Caller").field("results", results).field("texts", &texts.shape()).finish()
            }
            Self::Agent { text, calls, opaque } => f
                .debug_struct("Agent")
                .field("text", &text.shape())
                .field("calls", calls)
                .field("opaque", opaque)
                .finish(),
        }
    }
}

/// A tool call, its id in the vendor's form.
#[derive(PartialEq)]
pub struct Called<'a> {
    pub id: String,
    pub name: &'a str,
    /// Always an object.
    pub input: Cow<'a, Value>,
}

language::shown!(Called<'_>, "Called": ; id, name, input);

/// The result of a tool call.
#[derive(PartialEq)]
pub struct Answered<'a> {
    pub id: String,
    pub content: &'a str,
    pub is_error: bool,
}

language::shown!(Answered<'_>, "Answered": is_error; id, content);

/// Which ids a vendor takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdForm {
    /// Up to 40 letters, digits, `-`, `_`.
    Plain,
    /// Exactly nine letters and digits.
    Nine,
}

/// The whole history, ready to be written down.
#[must_use]
pub fn turns(messages: &[Message], form: IdForm) -> Vec<Turn<'_>> {
    let mut history = History { turns: Vec::new(), open: Vec::new(), ids: Ids::new(form) };
    for message in messages {
        match message {
            Message::Caller { text } => history.caller(text),
            Message::Agent { text, calls, opaque } => history.agent(text, calls, opaque.as_ref()),
            Message::Results { results } => {
                for result in results {
                    history.result(&result.id, &result.content, result.is_error);
                }
            }
        }
    }
    history.finish()
}

struct History<'a> {
    turns: Vec<Turn<'a>>,
    /// Calls of our last turn.
    open: Vec<Open<'a>>,
    ids: Ids,
}

struct Open<'a> {
    /// As the conversation has it, and as the vendor gets it.
    id: &'a str,
    wire: String,
    answer: Option<(&'a str, bool)>,
}

impl<'a> History<'a> {
    fn caller(&mut self, text: &'a str) {
        if !text.trim().is_empty() {
            self.caller_turn().1.push(text);
        }
    }

    fn agent(&mut self, text: &'a str, calls: &'a [ToolCall], opaque: Option<&'a Opaque>) {
        if text.trim().is_empty() && calls.is_empty() {
            return;
        }
        self.settle();
        let mut called = Vec::with_capacity(calls.len());
        for call in calls {
            let id = self.ids.wire(&call.id);
            self.open.push(Open { id: &call.id, wire: id.clone(), answer: None });
            called.push(Called { id, name: &call.name, input: object(&call.input) });
        }
        if let Some(Turn::Agent { text: before, calls, opaque: signed }) = self.turns.last_mut() {
            if !before.is_empty() && !text.is_empty() {
                before.to_mut().push(' ');
            }
            before.to_mut().push_str(text);
            *calls = called;
            *signed = opaque;
            return;
        }
        self.turns.push(Turn::Agent { text: Cow::Borrowed(text), calls: called, opaque });
    }

    fn result(&mut self, id: &str, content: &'a str, is_error: bool) {
        if let Some(open) = self.open.iter_mut().find(|o| o.id == id && o.answer.is_none()) {
            open.answer = Some((content, is_error));
        }
    }

    /// Writes down the results of our last turn's calls, in the order of the calls.
    fn settle(&mut self) {
        let open = std::mem::take(&mut self.open);
        if open.is_empty() {
            return;
        }
        let results = self.caller_turn().0;
        for call in open {
            let (content, is_error) = call.answer.unwrap_or((CANCELLED, true));
            results.push(Answered { id: call.wire, content, is_error });
        }
    }

    fn caller_turn(&mut self) -> (&mut Vec<Answered<'a>>, &mut Vec<&'a str>) {
        if !matches!(self.turns.last(), Some(Turn::Caller { .. })) {
            self.turns.push(Turn::Caller { results: Vec::new(), texts: Vec::new() });
        }
        match self.turns.last_mut() {
            Some(Turn::Caller { results, texts }) => (results, texts),
            _ => unreachable!("it was just pushed"),
        }
    }

    fn finish(mut self) -> Vec<Turn<'a>> {
        self.settle();
        if !matches!(self.turns.first(), Some(Turn::Caller { .. })) {
            self.turns.insert(0, Turn::Caller { results: Vec::new(), texts: vec![OPENING] });
        }
        if matches!(self.turns.last(), Some(Turn::Agent { .. })) {
            self.caller_turn().1.push(GO_ON);
        }
        self.turns
    }
}

/// An input that was no JSON object is shown to the model as what it was.
fn object(input: &Value) -> Cow<'_, Value> {
    match input {
        Value::Object(_) => Cow::Borrowed(input),
        Value::Null => Cow::Owned(Value::Object(Map::new())),
        other => Cow::Owned(json!({ "unreadable": other })),
    }
}

/// Ids that the vendor takes, each once. The same history gets the same ids again, as long as it only grows.
struct Ids {
    form: IdForm,
    used: HashSet<String>,
}

impl Ids {
    fn new(form: IdForm) -> Self {
        Self { form, used: HashSet::new() }
    }

    fn wire(&mut self, id: &str) -> String {
        let mut wire = if self.form.takes(id) { id.to_owned() } else { self.form.made(id, 0) };
        let mut salt = 0;
        while !self.used.insert(wire.clone()) {
            salt += 1;
            wire = self.form.made(id, salt);
        }
        wire
    }
}

impl IdForm {
    fn takes(self, id: &str) -> bool {
        match self {
            Self::Plain => {
                (1..=40).contains(&id.len())
                    && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
            }
            Self::Nine => id.len() == 9 && id.bytes().all(|b| b.is_ascii_alphanumeric()),
        }
    }

    /// Nine characters out of an id (FNV-1a), which both forms take.
    fn made(self, id: &str, salt: u64) -> String {
        const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let bytes = id.bytes().chain(salt.to_le_bytes());
        let mut hash = bytes.fold(0xcbf2_9ce4_8422_2325, step);
        let digits = std::iter::repeat_with(|| {
            let digit = char::from(DIGITS[(hash % 62) as usize]);
            hash /= 62;
            digit
        });
        digits.take(9).collect()
    }
}

#[cfg(test)]
mod tests;
