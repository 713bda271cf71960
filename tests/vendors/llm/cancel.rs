//! Nobody listens any more.

use tests::vendors::anthropic::AnthropicServer;
use tests::vendors::fault::Fault;
use tests::vendors::model::Script;
use tests::vendors::openai::OpenAiServer;

use super::*;

const SLOW: Pace = Pace { first: Duration::from_millis(30), between: Duration::from_millis(30), chars: 4 };
const PROMPT: Duration = Duration::from_millis(100);

fn endless() -> Script {
    Script::say(&"word ".repeat(500))
}

/// Time from the drop to the server's notice.
async fn dropped(stream: ModelStream, hung_up: impl Fn() -> Vec<std::time::Instant>) -> Duration {
    let at = std::time::Instant::now();
    drop(stream.events);
    assert!(soon(|| !hung_up().is_empty()).await, "the server still writes");
    hung_up()[0].duration_since(at)
}

#[tokio::test]
async fn dropping_an_answer_of_claude_closes_its_connection_and_its_cost_is_estimated() {
    let server = AnthropicServer::start(SLOW, |_| endless()).await;
    let model = claude_at(server.base());
    let mut stream = model.ask(request(vec![caller("Hi")]));
    let mut characters = 0;
    while characters < 40 {
        let Some(ModelEvent::Text(text)) = stream.events.recv().await else { panic!("it writes on") };
        characters += text.len();
    }
    let tally = stream.tally.clone();
    let took = dropped(stream, || server.hung_up()).await;
    println!("closed after {took:?}");
    assert!(took < PROMPT, "{took:?}");
    let amount = |meter| tally.usage().iter().find(|u| u.meter == meter).map_or(0, |u| u.amount);
    assert!((10..20).contains(&amount(Meter::OutputTokens)), "{:?}", tally.usage());
    assert!(amount(Meter::CacheWriteTokens) > 100, "from the answer's first event: {:?}", tally.usage());
}

#[tokio::test]
async fn dropping_an_answer_of_a_chat_server_closes_its_connection_and_its_cost_is_estimated() {
    let server = OpenAiServer::start(SLOW, |_| endless()).await;
    let mut stream = chat_at(server.base()).ask(request(vec![caller("Hi")]));
    stream.events.recv().await.unwrap();
    let tally = stream.tally.clone();
    let took = dropped(stream, || server.hung_up()).await;
    println!("closed after {took:?}");
    assert!(took < PROMPT, "{took:?}");
    let meters: Vec<_> = tally.usage().iter().map(|u| (u.meter, u.amount > 0)).collect();
    assert_eq!(meters, [(Meter::InputTokens, true), (Meter::OutputTokens, true)]);
}

#[tokio::test]
async fn dropping_an_answer_before_its_first_word_closes_its_connection() {
    for fault in [Fault::Stall, Fault::StallAfter(2)] {
        let server = AnthropicServer::start(SLOW, |_| endless()).await;
        server.faults.set(fault.clone());
        let stream = claude_at(server.base()).ask(request(vec![caller("Hi")]));
        assert!(soon(|| !server.requests().is_empty()).await);
        let took = dropped(stream, || server.hung_up()).await;
        assert!(took < PROMPT, "{fault:?}: {took:?}");
    }
}

#[tokio::test]
async fn dropping_an_answer_behind_the_fail_over_closes_every_connection() {
    let a = AnthropicServer::start(SLOW, |_| endless()).await;
    let b = OpenAiServer::start(SLOW, |_| endless()).await;
    a.faults.set(Fault::Stall);
    b.faults.set(Fault::Stall);
    let model = ranked(&[&claude_at(a.base()), &chat_at(b.base())]);
    let stream = model.ask(request(vec![caller("Hi")]));
    tokio::time::sleep(Duration::from_millis(1_400)).await;
    assert_eq!((a.requests().len(), b.requests().len()), (1, 1), "the second is asked beside the first");
    let took = dropped(stream, || [a.hung_up(), b.hung_up()].into_iter().min_by_key(Vec::len).unwrap()).await;
    assert!(took < PROMPT, "{took:?}");
}

#[tokio::test]
async fn after_a_dropped_answer_another_connection_is_open_before_the_next_turn() {
    let server = AnthropicServer::start(SLOW, |_| endless()).await;
    let model = claude_at(server.base());
    let mut stream = model.ask(request(vec![caller("Hi")]));
    stream.events.recv().await.unwrap();
    dropped(stream, || server.hung_up()).await;
    assert!(soon(|| server.warmed() == 1).await);
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(server.connections(), 2);
    let mut stream = model.ask(request(vec![caller("Hi")]));
    stream.events.recv().await.unwrap();
    assert_eq!(server.connections(), 2, "the turn itself opened none");
}
