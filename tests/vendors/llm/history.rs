//! One conversation from vendor to vendor and back. The servers refuse what the vendors refuse.

use tests::vendors::anthropic::AnthropicServer;
use tests::vendors::model::{Script, Step};
use tests::vendors::openai::{Habits, OpenAiServer};

use super::streaming::results;
use super::*;

/// Calls the tool when asked to, else talks.
fn clerk(request: &Value) -> Script {
    if last_words(request).contains("look") {
        return Script::default()
            .then(Step::Think("hm".into()))
            .then(Step::Say("Let me see.".into()))
            .and_call("find_appointment", json!({ "phone": "1" }));
    }
    Script::say("Fine.")
}

#[tokio::test]
async fn a_conversation_with_tool_calls_goes_through_all_vendors_and_back() {
    let anthropic = AnthropicServer::start(Pace::QUICK, clerk).await;
    let plain = OpenAiServer::start(Pace::QUICK, clerk).await;
    let no_ids = OpenAiServer::like(Habits { no_ids: true, ..Habits::default() }, Pace::QUICK, clerk).await;
    let mistral = OpenAiServer::like(Habits { mistral: true, ..Habits::default() }, Pace::QUICK, clerk).await;
    let mistral_settings = openai::Settings { mistral: true, ..chat_settings(mistral.base()) };
    let models: [Arc<dyn LanguageModel>; 4] = [
        claude_at(anthropic.base()),
        chat_at(plain.base()),
        Arc::new(OpenAi::new(mistral_settings).unwrap()),
        chat_at(no_ids.base()),
    ];
    let mut messages = vec![agent("Riverbend County, hello.")];
    for turn in 0..12 {
        let model = &models[turn % 4];
        messages.push(caller("Please look."));
        let asked = ask(&**model, messages.clone()).await;
        assert_eq!((asked.failure.clone(), asked.calls.len()), (None, 1), "turn {turn}");
        messages.push(asked.message());
        // Every third result never comes: the caller spoke.
        if turn % 3 < 2 {
            messages.push(results(&asked.calls));
        } else {
            messages.push(caller("Wait."));
        }
        // The model after it takes the result and answers.
        let answered = ask(&*models[(turn + 1) % 4], messages.clone()).await;
        assert_eq!((answered.failure.clone(), answered.text.as_str()), (None, "Fine."), "turn {turn}");
        messages.push(answered.message());
    }
}

#[tokio::test]
async fn a_conversation_with_every_flaw_is_mended_for_every_vendor() {
    let anthropic = AnthropicServer::start(Pace::QUICK, |_| Script::say("Fine.")).await;
    let mistral = OpenAiServer::like(Habits { mistral: true, ..Habits::default() }, Pace::QUICK, |_| {
        Script::say("Fine.")
    })
    .await;
    let call = |id: &str, input| ToolCall { id: id.into(), name: "find_appointment".into(), input };
    let calls = vec![call("functions.find:0", json!("{\"a\":")), call("", Value::Null), call("", json!([1]))];
    let opaque = Some(Opaque { provider: "elsewhere".into(), blocks: vec![json!({ "type": "thinking" })] });
    let messages = vec![
        agent("Hello."),
        agent(" "),
        agent("Are you there?"),
        caller(""),
        caller("Yes."),
        caller("I am."),
        Message::Agent { text: String::new(), calls: calls.clone(), opaque },
        results(&calls[..2]),
        Message::Agent { text: "And".into(), calls, opaque: None },
        results(&[call("nobody", json!({}))]),
        agent("Well."),
    ];
    let mistral_settings = openai::Settings { mistral: true, ..chat_settings(mistral.base()) };
    let models: [Arc<dyn LanguageModel>; 2] =
        [claude_at(anthropic.base()), Arc::new(OpenAi::new(mistral_settings).unwrap())];
    for model in models {
        for end in 0..=messages.len() {
            let heard = ask(&*model, messages[..end].to_vec()).await;
            assert_eq!((heard.failure, heard.text.as_str()), (None, "Fine."), "{} {end}", model.name());
        }
    }
}

#[tokio::test]
async fn a_request_without_tools_still_goes_through_after_tools_were_used() {
    let server = AnthropicServer::start(Pace::QUICK, |_| Script::say("Fine.")).await;
    let call = ToolCall { id: "c1".into(), name: "find_appointment".into(), input: json!({}) };
    let asked = Message::Agent { text: String::new(), calls: vec![call.clone()], opaque: None };
    let bare = Request { tools: Arc::new([]), ..request(vec![caller("Hi"), asked, results(&[call])]) };
    assert_eq!(hear(claude_at(server.base()).ask(bare)).await.failure, None);
}
