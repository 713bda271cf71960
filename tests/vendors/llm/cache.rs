//! Prompt caching and warm connections.

use parking_lot::Mutex;
use pipeline::ports::Usage;
use tests::vendors::anthropic::AnthropicServer;
use tests::vendors::fault::Fault;
use tests::vendors::model::Script;
use tests::vendors::openai::OpenAiServer;

use super::*;

/// A history long enough for a mark of its own.
fn long_history(turns: usize) -> Vec<Message> {
    let turn = |n| [caller(&format!("{n} {}", "question ".repeat(40))), agent(&"answer ".repeat(60))];
    (0..turns).flat_map(turn).chain([caller(&format!("newest {turns}"))]).collect()
}

#[tokio::test]
async fn each_turn_reads_from_the_cache_what_the_turn_before_wrote() {
    let server = AnthropicServer::start(Pace::QUICK, |_| Script::say("Yes.")).await;
    let model = claude_at(server.base());
    let first = ask(&*model, long_history(5)).await;
    let second = ask(&*model, long_history(6)).await;
    let written = first.amount("anthropic", Meter::CacheWriteTokens);
    assert!(written > 500, "{written}");
    assert_eq!(first.amount("anthropic", Meter::CacheReadTokens), 0);
    assert_eq!(second.amount("anthropic", Meter::CacheReadTokens), written);
    let more = second.amount("anthropic", Meter::CacheWriteTokens);
    assert!(more > 0 && more < written / 2, "only what is new: {more} of {written}");
}

#[tokio::test]
async fn marks_stand_at_the_ends_of_tools_system_and_stable_history_and_no_more_than_four() {
    let server = AnthropicServer::start(Pace::QUICK, |_| Script::say("Yes.")).await;
    let model = claude_at(server.base());
    ask(&*model, long_history(5)).await;
    let body = &server.requests()[0].body;
    let mark = json!({ "type": "ephemeral" });
    assert_eq!(body["tools"][0]["cache_control"], mark);
    assert_eq!(body["system"][0]["cache_control"], mark);
    assert_eq!(body["system"][1].get("cache_control"), None, "the briefing is this call's own");
    assert_eq!(body["messages"][9]["content"][0]["cache_control"], mark);
    assert_eq!(body.to_string().matches("cache_control").count(), 3);
}

#[tokio::test]
async fn tools_system_and_old_messages_are_the_same_bytes_in_the_next_turn() {
    let server = AnthropicServer::start(Pace::QUICK, |_| Script::say("Yes.")).await;
    let model = claude_at(server.base());
    let (old, reply) = (vec![caller("Hi"), agent("Hello."), caller("When?")], agent("Yes."));
    ask(&*model, old.clone()).await;
    ask(&*model, [old, vec![reply, caller("Thanks")]].concat()).await;
    let raw: Vec<_> = server.requests().iter().map(|r| String::from_utf8(r.raw.to_vec()).unwrap()).collect();
    let end = raw[0].find("]}],\"thinking\"").unwrap();
    assert_eq!(raw[0][..end], raw[1][..end]);
    assert!(end > 1_000 && raw[0][..end].ends_with("When?\"}"), "{}", &raw[0][..end]);
}

#[tokio::test]
async fn a_warm_connection_serves_the_turn_and_all_turns_after() {
    let server = AnthropicServer::start(Pace::QUICK, |_| Script::say("Yes.")).await;
    let model = claude_at(server.base());
    model.warm(request(vec![]));
    assert!(soon(|| server.warmed() == 1).await);
    tokio::time::sleep(Duration::from_millis(20)).await;
    for _ in 0..5 {
        assert_eq!(ask(&*model, vec![caller("Hi")]).await.text, "Yes.");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!((server.connections(), server.requests().len()), (1, 5));
}

#[tokio::test]
async fn warming_writes_the_prompt_cache_once_where_that_is_wanted_and_tells_what_it_cost() {
    let server = AnthropicServer::start(Pace::QUICK, |_| Script::say("Yes.")).await;
    let counted: Arc<Mutex<Vec<Usage>>> = Arc::default();
    let model = Anthropic::new(prewarming(&server, &counted)).unwrap();
    model.warm(request(vec![caller("Hi")]));
    model.warm(request(vec![caller("Hi")]));
    assert!(soon(|| server.requests().len() == 1 && server.warmed() == 1).await);
    assert_eq!(server.requests()[0].body["max_tokens"], 0);
    assert!(soon(|| !counted.lock().is_empty()).await);
    let heard = ask(&model, vec![caller("Hi")]).await;
    let read = heard.amount("anthropic", Meter::CacheReadTokens);
    assert!(read > 100);
    assert_eq!(heard.amount("anthropic", Meter::CacheWriteTokens), 0);
    let written: Vec<Usage> = counted.lock().clone();
    let paid = |meter| written.iter().filter(|u| u.meter == meter).map(|u| u.amount).sum::<u64>();
    assert_eq!(paid(Meter::CacheWriteTokens), read, "{written:?}");
    let model = claude_settings(server.base()).model;
    assert!(written.iter().all(|u| u.provider == "anthropic" && u.model == model), "{written:?}");
}

#[tokio::test]
async fn a_cache_write_that_was_refused_costs_nothing_and_one_without_an_answer_is_estimated() {
    let server = AnthropicServer::start(Pace::QUICK, |_| Script::say("Yes.")).await;
    for (fault, costs) in [
        (Fault::Status { status: 529, retry_after: None }, false),
        (Fault::Garbage, true),
        (Fault::CloseAfter(0), true),
    ] {
        let name = format!("{fault:?}");
        server.faults.set(fault);
        let counted: Arc<Mutex<Vec<Usage>>> = Arc::default();
        Anthropic::new(prewarming(&server, &counted)).unwrap().warm(request(vec![caller("Hi")]));
        if costs {
            assert!(soon(|| counted.lock().iter().any(|u| u.amount > 100)).await, "{name}");
        } else {
            tokio::time::sleep(Duration::from_millis(300)).await;
            assert!(counted.lock().is_empty(), "{name}: {:?}", counted.lock());
        }
    }
}

fn prewarming(server: &AnthropicServer, counted: &Arc<Mutex<Vec<Usage>>>) -> anthropic::Settings {
    let counted = counted.clone();
    let prewarm = anthropic::Prewarm::CountedBy(Arc::new(move |usage| counted.lock().push(usage.clone())));
    anthropic::Settings { prewarm, ..claude_settings(server.base()) }
}

#[tokio::test]
async fn cached_tokens_of_a_chat_server_are_counted_apart() {
    let server = OpenAiServer::start(Pace::QUICK, |_| Script::say("Yes.")).await;
    let model = chat_at(server.base());
    let first = ask(&*model, vec![caller("Hi")]).await;
    let second = ask(&*model, vec![caller("Hi"), agent("Yes."), caller("Well")]).await;
    let all = first.amount("openai", Meter::InputTokens);
    assert_eq!(first.amount("openai", Meter::CacheReadTokens), 0);
    let read = second.amount("openai", Meter::CacheReadTokens);
    assert!(read > all * 9 / 10, "{read} of {all}");
    assert!(second.amount("openai", Meter::InputTokens) < 60);
}
