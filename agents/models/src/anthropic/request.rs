//! The request's body. The order of the prompt cache is tools, system, messages: what changes least comes first,
//! and the same conversation always gives the same bytes.

use serde::Serialize;
use serde_json::{Value, json};

use super::{NAME, Settings, Thinking};
use crate::conversation::{Opaque, ToolSpec};
use crate::history::{Called, IdForm, Turn, turns};
use crate::model::Request;

/// A history shorter than this (about 500 tokens) is not worth a cache mark of its own.
const WORTH_A_MARK: usize = 2_000;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u32,
    #[serde(skip_serializing_if = "is_false")]
    stream: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Block<'a>>,
    messages: Vec<Part<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<Value>,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<Mark>,
}

#[derive(Serialize)]
struct Part<'a> {
    role: &'static str,
    content: Vec<Content<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Ours(Block<'a>),
    /// As this provider once sent it.
    Theirs(&'a Value),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block<'a> {
    Text {
        text: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<Mark>,
    },
    ToolUse {
        id: &'a str,
        name: &'a str,
        input: &'a Value,
    },
    ToolResult {
        tool_use_id: &'a str,
        content: &'a str,
        #[serde(skip_serializing_if = "is_false")]
        is_error: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<Mark>,
    },
}

/// Everything up to here is worth caching.
#[derive(Clone, Copy, Serialize)]
#[serde(tag = "type", rename = "ephemeral")]
struct Mark {}

#[allow(clippy::trivially_copy_pass_by_ref)]
const fn is_false(flag: &bool) -> bool {
    !*flag
}

/// The body of a streamed answer.
pub(super) fn body(settings: &Settings, request: &Request) -> Vec<u8> {
    write(settings, request, request.max_tokens, true)
}

/// A body that writes the prompt cache and is answered with no token.
pub(super) fn cache_write(settings: &Settings, request: &Request) -> Vec<u8> {
    write(settings, request, 0, false)
}

fn write(settings: &Settings, request: &Request, max_tokens: u32, stream: bool) -> Vec<u8> {
    let history = turns(&request.conversation.messages, IdForm::Plain);
    let mut messages: Vec<Part<'_>> = history.iter().map(part).collect();
    mark_stable(&mut messages);
    let unknown = json!({ "type": "object" });
    let mut tools: Vec<Tool<'_>> = request.tools.iter().map(tool).collect();
    let none_offered = tools.is_empty();
    if none_offered {
        // Tool calls in the history want their tools declared, though none may be called now.
        tools = once_called(&history, &unknown);
    }
    if let Some(last) = tools.last_mut() {
        last.cache_control = Some(Mark {});
    }
    let body = Body {
        model: &settings.model,
        max_tokens,
        stream,
        tool_choice: (none_offered && !tools.is_empty()).then(|| json!({ "type": "none" })),
        tools,
        system: system(&request.conversation.system, &request.conversation.briefing),
        messages,
        thinking: (settings.thinking == Thinking::Disabled).then(|| json!({ "type": "disabled" })),
        output_config: settings.effort.as_ref().map(|effort| json!({ "effort": effort })),
    };
    // Strings, numbers and maps with string keys: there is nothing in it that could fail.
    serde_json::to_vec(&body).unwrap_or_default()
}

fn system<'a>(stable: &'a str, briefing: &'a str) -> Vec<Block<'a>> {
    let block = |text: &'a str, cache_control| {
        (!text.trim().is_empty()).then_some(Block::Text { text, cache_control })
    };
    [block(stable, Some(Mark {})), block(briefing, None)].into_iter().flatten().collect()
}

fn tool(spec: &ToolSpec) -> Tool<'_> {
    let ToolSpec { name, description, input } = spec;
    Tool { name, description, input_schema: input, cache_control: None }
}

fn once_called<'a>(history: &'a [Turn<'a>], input_schema: &'a Value) -> Vec<Tool<'a>> {
    let mut tools: Vec<Tool<'a>> = Vec::new();
    for turn in history {
        let Turn::Agent { calls, .. } = turn else { continue };
        for call in calls {
            if tools.iter().all(|t| t.name != call.name) {
                tools.push(Tool { name: call.name, description: "", input_schema, cache_control: None });
            }
        }
    }
    tools
}

fn part<'a>(turn: &'a Turn<'a>) -> Part<'a> {
    match turn {
        Turn::Caller { results, texts } => {
            let results = results.iter().map(|r| Block::ToolResult {
                tool_use_id: &r.id,
                content: r.content,
                is_error: r.is_error,
                cache_control: None,
            });
            let texts = texts.iter().map(|text| Block::Text { text, cache_control: None });
            Part { role: "user", content: results.chain(texts).map(Content::Ours).collect() }
        }
        Turn::Agent { text, calls, opaque } => {
            Part { role: "assistant", content: agent(text, calls, *opaque) }
        }
    }
}

/// Signed thoughts go back in the order in which they came with the text and the calls around them; where the text
/// is not as it came (the caller cut it), they go first.
fn agent<'a>(text: &'a str, calls: &'a [Called<'a>], opaque: Option<&'a Opaque>) -> Vec<Content<'a>> {
    let theirs = opaque.filter(|o| o.provider == NAME).map(|o| o.blocks.as_slice()).unwrap_or_default();
    if !theirs.is_empty() && is_same(theirs, text, calls) {
        return theirs.iter().map(Content::Theirs).collect();
    }
    let is_thought =
        |block: &&Value| matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking"));
    let mut content: Vec<Content<'a>> = theirs.iter().filter(is_thought).map(Content::Theirs).collect();
    if !text.trim().is_empty() {
        content.push(Content::Ours(Block::Text { text, cache_control: None }));
    }
    let calls = calls.iter().map(|c| Block::ToolUse { id: &c.id, name: c.name, input: &c.input });
    content.extend(calls.map(Content::Ours));
    content
}

fn is_same(blocks: &[Value], text: &str, calls: &[Called<'_>]) -> bool {
    let of = |kind: &'static str| blocks.iter().filter(move |b| b["type"] == kind);
    let said: String = of("text").filter_map(|b| b["text"].as_str()).collect();
    let mut called = of("tool_use");
    said == text
        && calls.iter().all(|c| {
            called.next().is_some_and(|b| b["id"] == *c.id && b["name"] == *c.name && b["input"] == *c.input)
        })
        && called.next().is_none()
}

/// Marks the end of what the next turn will send again: results, or what stands before the caller's newest words,
/// which a guess at the end of a turn may still change.
fn mark_stable(messages: &mut [Part<'_>]) {
    let ends_with_results = matches!(
        messages.last().and_then(|m| m.content.last()),
        Some(Content::Ours(Block::ToolResult { .. }))
    );
    let stable = messages.len() - usize::from(!ends_with_results && !messages.is_empty());
    let messages = &mut messages[..stable];
    let length: usize = messages.iter().flat_map(|m| &m.content).map(length).sum();
    if length < WORTH_A_MARK {
        return;
    }
    let last = messages.last_mut().and_then(|m| m.content.last_mut());
    if let Some(Content::Ours(Block::Text { cache_control, .. } | Block::ToolResult { cache_control, .. })) =
        last
    {
        *cache_control = Some(Mark {});
    }
}

fn length(content: &Content<'_>) -> usize {
    match content {
        Content::Ours(Block::Text { text, .. }) => text.len(),
        Content::Ours(Block::ToolResult { content, .. }) => content.len(),
        Content::Ours(Block::ToolUse { .. }) | Content::Theirs(_) => 100,
    }
}

#[cfg(test)]
mod tests;
