//! What a run keeps of what a model does.

#![allow(clippy::unwrap_used)]

use super::*;
use governance::pii::Redactor;

fn run() -> ModelRun {
    let memory = Memory::new(Redactor::default(), Language::En);
    let beginning = Beginning { keep: 0, rest: String::new(), repeats: false };
    let exchange = Exchange::new(TurnId(1), "", String::new());
    let set = governance::rules::RuleSet::load(
        "",
        &dialogue::seed::riverbend(Default::default()).unwrap().facts.numbers(),
    );
    let gate = Gate::new(std::sync::Arc::new(governance::rules::RuleBook::new(set.unwrap())), None);
    ModelRun::new(TurnId(1), TurnInput::Unintelligible, beginning, exchange, memory, gate, Instant::now())
}

#[tokio::test(start_paused = true)]
async fn a_look_up_over_300_ms_is_told_once_and_then_gives_its_result() {
    let began = Instant::now();
    let mut run = run();
    let work = async {
        tokio::time::sleep(Duration::from_millis(900)).await;
        Found::Late
    };
    let call = ToolCall { id: "1".into(), name: "search_knowledge".into(), input: Value::Null };
    run.await_reading(call, Asked::EndCall, Box::pin(work));
    assert!(matches!(run.moved().await, Moved::Slow));
    assert_eq!(began.elapsed(), Duration::from_millis(300));
    assert!(matches!(run.moved().await, Moved::Read(Found::Late)));
    assert_eq!(began.elapsed(), Duration::from_millis(900));
}

#[tokio::test(start_paused = true)]
async fn busy_is_told_to_the_session_only_for_a_turn_that_counts() {
    let (sender, mut events) = tokio::sync::mpsc::channel(8);
    let out = Outbox::new(sender, Language::En);
    let mut run = run();
    let call = ToolCall { id: "1".into(), name: "search_knowledge".into(), input: Value::Null };
    run.await_reading(call, Asked::EndCall, Box::pin(std::future::pending()));
    assert!(matches!(run.moved().await, Moved::Slow));
    run.tell_busy(&out).await;
    assert!(events.try_recv().is_err(), "a guess");
    run.committed = true;
    run.tell_busy(&out).await;
    run.tell_busy(&out).await;
    run.phase = Phase::Over;
    run.tell_busy(&out).await;
    let told: Vec<bool> =
        std::iter::from_fn(|| events.try_recv().ok())
            .filter_map(|e| {
                if let pipeline::ports::ReplyEvent::Busy { busy, .. } = e { Some(busy) } else { None }
            })
            .collect();
    assert_eq!(told, [true, false]);
}

#[tokio::test(start_paused = true)]
async fn a_silent_model_stalls_after_its_deadline_and_a_long_tool_input_does_not() {
    let (_sender, events) = tokio::sync::mpsc::channel(1);
    let tally = models::model::Tally::default();
    let mut run = run();
    let began = Instant::now();
    run.await_answer(ModelStream { events, tally: tally.clone() });
    tally.touch();
    assert!(matches!(run.moved().await, Moved::Stalled));
    assert_eq!(began.elapsed(), STALL * 2, "the first deadline saw a sign of life");
}

#[test]
fn numbers_that_a_model_put_together_are_shown_as_tokens() {
    let mut run = run();
    let input = serde_json::json!({ "phone": "202-555-0143", "n": 2025550143u64, "what": ["fine"] });
    let call = ToolCall { id: "1".into(), name: "x".into(), input };
    let shown = run.shown_call(&call).input.to_string();
    assert!(!shown.contains("0143") && shown.contains("⟨phone:1⟩"), "{shown}");
}
