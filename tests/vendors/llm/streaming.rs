//! Answers and tool calls as they come.

use tests::vendors::anthropic::AnthropicServer;
use tests::vendors::fault::Fault;
use tests::vendors::model::{Script, Step};
use tests::vendors::openai::{Habits, OpenAiServer};

use super::*;

const PACED: Pace = Pace { first: Duration::from_millis(100), between: Duration::from_millis(20), chars: 4 };
const ANSWER: &str = "Sí, señora: your appointment is on Monday – 🙂 all is well.";

#[tokio::test]
async fn claude_is_heard_while_it_still_writes_and_counts_its_tokens() {
    let server = AnthropicServer::start(PACED, |_| Script::say(ANSWER)).await;
    let heard = ask(&*claude_at(server.base()), vec![caller("When?")]).await;
    assert_eq!((heard.text.as_str(), heard.stop), (ANSWER, Some(Stop::End)));
    let first = heard.first.unwrap();
    assert!(first >= PACED.first && first + 10 * PACED.between < heard.whole, "{first:?} {:?}", heard.whole);
    let tokens = ANSWER.chars().count().div_ceil(4) as u64;
    assert_eq!(heard.amount("anthropic", Meter::OutputTokens), tokens);
    assert!(heard.amount("anthropic", Meter::InputTokens) > 0);
}

#[tokio::test]
async fn a_chat_server_is_heard_while_it_still_writes_and_counts_its_tokens() {
    let server = OpenAiServer::start(PACED, |_| Script::say(ANSWER)).await;
    let heard = ask(&*chat_at(server.base()), vec![caller("When?")]).await;
    assert_eq!((heard.text.as_str(), heard.stop), (ANSWER, Some(Stop::End)));
    let first = heard.first.unwrap();
    assert!(first >= PACED.first && first + 10 * PACED.between < heard.whole, "{first:?} {:?}", heard.whole);
    let tokens = ANSWER.chars().count().div_ceil(4) as u64;
    assert_eq!(heard.amount("openai", Meter::OutputTokens), tokens);
    assert!(heard.amount("openai", Meter::InputTokens) > 0);
}

/// Asks for the tool when the caller speaks and answers when its result is there.
fn clerk(request: &Value) -> Script {
    let last = request["messages"].as_array().unwrap().last().unwrap().to_string();
    if last.contains("tool_result") || last.contains("\"role\":\"tool\"") {
        return Script::say("You come on Monday.");
    }
    Script::say("Let me see. ")
        .then(Step::Think("They want a date.".into()))
        .and_call("find_appointment", json!({ "phone": "⟨phone:1⟩" }))
        .and_call("find_appointment", json!({}))
}

async fn round_trip(model: &dyn LanguageModel) {
    let mut messages = vec![agent("Riverbend County, hello."), caller("When do I come?")];
    let asked = ask(model, messages.clone()).await;
    assert_eq!((asked.text.trim(), asked.stop), ("Let me see.", Some(Stop::Tools)), "{:?}", asked.failure);
    let inputs: Vec<&Value> = asked.calls.iter().map(|c| &c.input).collect();
    assert_eq!(inputs, [&json!({ "phone": "⟨phone:1⟩" }), &json!({})]);
    assert!(asked.calls[0].id != asked.calls[1].id && asked.calls.iter().all(|c| !c.id.is_empty()));
    messages.extend([asked.message(), results(&asked.calls)]);
    let answered = ask(model, messages).await;
    assert_eq!((answered.text.as_str(), answered.stop), ("You come on Monday.", Some(Stop::End)));
}

pub(super) fn results(calls: &[ToolCall]) -> Message {
    let result = |c: &ToolCall| models::conversation::ToolResult {
        id: c.id.clone(),
        content: "[{\"day\":\"Monday\"}]".into(),
        is_error: false,
    };
    Message::Results { results: calls.iter().map(result).collect() }
}

#[tokio::test]
async fn a_tool_makes_the_round_trip_with_claude_and_signed_thoughts_go_back() {
    let server = AnthropicServer::start(Pace::QUICK, clerk).await;
    round_trip(&*claude_at(server.base())).await;
    let sent = server.requests()[1].body["messages"][3].to_string();
    assert!(
        sent.contains("thinking") && sent.contains("signature"),
        "the server checked the signature: {sent}"
    );
}

#[tokio::test]
async fn a_tool_makes_the_round_trip_with_every_kind_of_chat_server() {
    for habits in [
        Habits::default(),
        Habits { no_index: true, ..Habits::default() },
        Habits { whole_calls: true, no_index: true, no_ids: true, ..Habits::default() },
        Habits { arguments_as_object: true, always_stop: true, ..Habits::default() },
        Habits { no_done: true, no_usage: true, empty_choices: true, ..Habits::default() },
        Habits { inline_thoughts: true, no_ids: true, no_key: true, ..Habits::default() },
        Habits { mistral: true, ..Habits::default() },
        Habits { completion_tokens: true, ..Habits::default() },
    ] {
        println!("{habits:?}");
        let first_thoughts = habits.inline_thoughts;
        let server = OpenAiServer::like(habits.clone(), Pace::QUICK, move |request| {
            let mut script = clerk(request);
            if first_thoughts && script.has_calls() {
                // Such servers write their thoughts first.
                script.steps.swap(0, 1);
            }
            script
        })
        .await;
        let settings = openai::Settings {
            mistral: habits.mistral,
            max_completion_tokens: habits.completion_tokens,
            ..chat_settings(server.base())
        };
        round_trip(&OpenAi::new(settings).unwrap()).await;
    }
}

#[tokio::test]
async fn what_a_server_refuses_is_left_out_within_the_turn_and_in_the_turns_after_it() {
    // A newer model behind a name that does not tell, and a server that knows none of the newer fields.
    let newer = Habits { completion_tokens: true, ..Habits::default() };
    let older = Habits { mistral: true, ..Habits::default() };
    for (habits, model, tries) in [(newer, "my-deployment", 2), (older, "gpt-5.4-mini", 4)] {
        let server = OpenAiServer::like(habits, Pace::QUICK, |_| Script::say("Yes.")).await;
        let key = Some(SecretString::from(chat::KEY));
        let endpoint = Endpoint::parse(server.base()).unwrap();
        let chat = OpenAi::new(openai::Settings::new(endpoint, key, model.into())).unwrap();
        let heard = ask(&chat, vec![caller("Hi")]).await;
        assert_eq!((heard.text.as_str(), &heard.failure), ("Yes.", &None), "{model}");
        let asked = server.requests().len();
        assert!((2..=tries).contains(&asked), "{model}: {asked} requests");
        assert_eq!(ask(&chat, vec![caller("Well?")]).await.text, "Yes.");
        assert_eq!(server.requests().len(), asked + 1, "{model}: what was refused is remembered");
    }
}

#[tokio::test]
async fn wrong_keys_and_wrong_versions_are_told_apart() {
    let server = AnthropicServer::start(Pace::QUICK, |_| Script::say("Yes.")).await;
    let failure = async |settings: anthropic::Settings| {
        ask(&Anthropic::new(settings).unwrap(), vec![caller("Hi")]).await.failure.map(|f| f.to_string())
    };
    let good = claude_settings(server.base());
    assert_eq!(failure(good.clone()).await, None);
    assert_eq!(failure(anthropic::Settings { bearer: true, ..good.clone() }).await, None);
    assert_eq!(failure(anthropic::Settings { version: "2023-06-01".into(), ..good.clone() }).await, None);
    let key = SecretString::from("sk-ant-wrong");
    assert_eq!(
        failure(anthropic::Settings { key, ..good.clone() }).await.unwrap(),
        "unauthorised: status 401 authentication_error (request req_simulated)"
    );
    assert_eq!(
        failure(anthropic::Settings { version: "2020-01-01".into(), ..good }).await.unwrap(),
        "refused: status 400 invalid_request_error (request req_simulated)"
    );
}

#[tokio::test]
async fn a_limit_tells_how_long_to_wait() {
    let server = AnthropicServer::start(Pace::QUICK, |_| Script::say("Yes.")).await;
    server.faults.set(Fault::Status { status: 429, retry_after: Some(2.5) });
    let failure = ask(&*claude_at(server.base()), vec![caller("Hi")]).await.failure.unwrap();
    let retry_after = Some(Duration::from_millis(2_500));
    assert_eq!(failure.kind, pipeline::provider::Kind::RateLimited { retry_after });
}

#[tokio::test]
async fn a_cut_off_answer_and_a_refusal_are_told() {
    let server = AnthropicServer::start(Pace::QUICK, |request| {
        let stop = if last_words(request) == "long" { "max_tokens" } else { "refusal" };
        Script { stop: Some(stop), ..Script::say("Well") }
    })
    .await;
    let model = claude_at(server.base());
    assert_eq!(ask(&*model, vec![caller("long")]).await.stop, Some(Stop::Length));
    assert_eq!(ask(&*model, vec![caller("odd")]).await.stop, Some(Stop::Refusal));
}
