//! Tool calls out of fragments. Servers differ: some leave the index out, send a call whole, send its arguments as
//! an object, or give no id.

use serde::Deserialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::conversation::ToolCall;

/// A part of a call as it comes.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Fragment {
    index: Option<u32>,
    id: Option<String>,
    function: Option<Function>,
}

language::shown!(Fragment, "Fragment": index, function; id);

#[derive(Default, Deserialize)]
#[serde(default)]
struct Function {
    name: Option<String>,
    arguments: Option<Value>,
}

language::shown!(Function, "Function": ; name, arguments);

/// Calls that have begun, in their order.
#[derive(Debug, Default)]
pub(super) struct Calls(Vec<Begun>);

struct Begun {
    index: Option<u32>,
    id: String,
    name: String,
    arguments: String,
}

language::shown!(Begun, "Begun": index; id, name, arguments);

impl Calls {
    /// Takes a fragment and gives what it added, for counting.
    pub(super) fn add(&mut self, fragment: Fragment) -> String {
        let id = fragment.id.unwrap_or_default();
        let function = fragment.function.unwrap_or_default();
        let name = function.name.unwrap_or_default();
        let at = self.place(fragment.index, &id, &name);
        let Some(call) = self.0.get_mut(at) else { return String::new() };
        if call.id.is_empty() {
            call.id = id;
        }
        let mut added = String::new();
        if call.name.is_empty() {
            added.push_str(&name);
            call.name = name;
        }
        let arguments = match function.arguments {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text,
            Some(whole) => whole.to_string(),
        };
        call.arguments.push_str(&arguments);
        added + &arguments
    }

    /// Which call a fragment belongs to: one that it begins is added.
    fn place(&mut self, index: Option<u32>, id: &str, name: &str) -> usize {
        let known = match index {
            Some(_) => self.0.iter().rposition(|c| c.index == index),
            None => self.0.len().checked_sub(1),
        };
        let goes_on = known.filter(|at| {
            let call = &self.0[*at];
            let other_id = !id.is_empty() && !call.id.is_empty() && call.id != id;
            // Without an id, a name after arguments that are whole begins the next call.
            let next_whole = id.is_empty() && index.is_none() && !name.is_empty() && call.is_whole();
            !other_id && !next_whole
        });
        goes_on.unwrap_or_else(|| {
            self.0.push(Begun { index, id: String::new(), name: String::new(), arguments: String::new() });
            self.0.len() - 1
        })
    }

    /// All calls, complete: nothing more comes. One without a name is none.
    pub(super) fn finish(&mut self) -> Vec<ToolCall> {
        std::mem::take(&mut self.0).into_iter().filter(|c| !c.name.is_empty()).map(Begun::call).collect()
    }
}

impl Begun {
    fn is_whole(&self) -> bool {
        !self.name.is_empty() && serde_json::from_str::<Map<String, Value>>(&self.arguments).is_ok()
    }

    fn call(self) -> ToolCall {
        let id = if self.id.is_empty() { format!("call_{}", Uuid::new_v4().simple()) } else { self.id };
        let input = if self.arguments.trim().is_empty() {
            Value::Object(Map::new())
        } else {
            serde_json::from_str(&self.arguments).unwrap_or(Value::String(self.arguments))
        };
        ToolCall { id, name: self.name, input }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    fn calls(fragments: &[Value]) -> Vec<ToolCall> {
        let mut calls = Calls::default();
        for fragment in fragments {
            calls.add(serde_json::from_value(fragment.clone()).unwrap());
        }
        calls.finish()
    }

    fn call(id: &str, name: &str, input: Value) -> ToolCall {
        ToolCall { id: id.into(), name: name.into(), input }
    }

    #[test]
    fn fragments_are_joined_by_index() {
        let got = calls(&[
            json!({ "index": 0, "id": "a", "type": "function", "function": { "name": "find", "arguments": "" } }),
            json!({ "index": 1, "id": "b", "function": { "name": "list", "arguments": "{}" } }),
            json!({ "index": 0, "function": { "arguments": "{\"n\":" } }),
            json!({ "index": 0, "id": "", "function": { "name": null, "arguments": "1}" } }),
        ]);
        assert_eq!(got, [call("a", "find", json!({ "n": 1 })), call("b", "list", json!({}))]);
    }

    #[test]
    fn without_an_index_a_new_id_or_a_name_after_a_whole_call_begins_the_next() {
        let got = calls(&[
            json!({ "id": "a", "function": { "name": "find", "arguments": "{\"n\":" } }),
            json!({ "id": "a", "function": { "name": "find", "arguments": "1}" } }),
            json!({ "id": "b", "function": { "name": "list" } }),
        ]);
        assert_eq!(got, [call("a", "find", json!({ "n": 1 })), call("b", "list", json!({}))]);
        let got = calls(&[
            json!({ "function": { "name": "find", "arguments": { "n": 1 } } }),
            json!({ "function": { "name": "find", "arguments": { "n": 2 } } }),
        ]);
        assert_eq!([&got[0].input, &got[1].input], [&json!({ "n": 1 }), &json!({ "n": 2 })]);
        assert!(got[0].id.starts_with("call_") && got[0].id != got[1].id, "ids are made");
        assert!(got[0].id.len() <= 40, "the longest that vendors take");
    }

    #[test]
    fn one_index_for_all_calls_is_told_apart_by_id() {
        let got = calls(&[
            json!({ "index": 0, "id": "a", "function": { "name": "find", "arguments": "{}" } }),
            json!({ "index": 0, "id": "b", "function": { "name": "list", "arguments": "{}" } }),
        ]);
        assert_eq!(got, [call("a", "find", json!({})), call("b", "list", json!({}))]);
    }

    #[test]
    fn broken_arguments_are_kept_for_the_tool_to_refuse() {
        let got = calls(&[
            json!({ "index": 0, "id": "a", "function": { "name": "find", "arguments": "{\"n\":" } }),
        ]);
        assert_eq!(got, [call("a", "find", json!("{\"n\":"))]);
    }
}
