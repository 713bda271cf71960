#![allow(clippy::unwrap_used)]

use std::collections::VecDeque;
use std::time::Duration;

use parking_lot::Mutex;
use pipeline::ports::Meter;
use pipeline::provider::Member;
use serde_json::json;

use super::*;
use crate::conversation::{Opaque, ToolCall};
use crate::model::Stop;

/// What a played model does in one answer.
#[derive(Clone, Debug)]
enum Act {
    Wait(u64),
    Say(&'static str),
    Call,
    /// Goes on without an event.
    Touch,
    Fail(Kind),
    End,
    /// Breaks off without a word.
    Vanish,
}
use Act::*;

/// Plays one script an answer, the last one over and over.
struct Played {
    name: &'static str,
    scripts: Mutex<VecDeque<Vec<Act>>>,
    asked: Mutex<Vec<Request>>,
    /// Answers whose reader went away before their end.
    left: Arc<AtomicUsize>,
}

fn played(name: &'static str, scripts: &[&[Act]]) -> Arc<Played> {
    let scripts = Mutex::new(scripts.iter().map(|s| s.to_vec()).collect());
    Arc::new(Played { name, scripts, asked: Mutex::default(), left: Arc::default() })
}

impl LanguageModel for Played {
    fn name(&self) -> &'static str {
        self.name
    }

    fn ask(&self, request: Request) -> ModelStream {
        self.asked.lock().push(request);
        let mut scripts = self.scripts.lock();
        let script = if scripts.len() > 1 { scripts.pop_front().unwrap() } else { scripts[0].clone() };
        let (out, events) = mpsc::channel(64);
        let tally = Tally::default();
        let (name, left) = (self.name, Arc::clone(&self.left));
        let stream = ModelStream { events, tally: tally.clone() };
        tokio::spawn(async move {
            tally.set(name, "m", Meter::InputTokens, 10);
            for act in script {
                let sent = match act {
                    Wait(ms) => {
                        tokio::select! {
                            () = tokio::time::sleep(Duration::from_millis(ms)) => Ok(()),
                            () = out.closed() => Err(mpsc::error::SendError(ModelEvent::Text(String::new()))),
                        }
                    }
                    Say(text) => out.send(ModelEvent::Text(text.into())).await,
                    Touch => {
                        tally.touch();
                        Ok(())
                    }
                    Call => out.send(ModelEvent::Call(call())).await,
                    Fail(kind) => out.send(ModelEvent::Failed(Failure::new(kind, "played"))).await,
                    End => {
                        let opaque = Some(Opaque { provider: name.into(), blocks: vec![] });
                        out.send(ModelEvent::Done { stop: Stop::End, opaque }).await
                    }
                    Vanish => return,
                };
                if sent.is_err() {
                    left.fetch_add(1, Ordering::Relaxed);
                    return;
                }
            }
        });
        stream
    }
}

fn call() -> ToolCall {
    ToolCall { id: "c1".into(), name: "find".into(), input: json!({}) }
}

fn fail_over(models: &[&Arc<Played>]) -> FailoverModel {
    let member = |m: &&Arc<Played>| Member::remote(m.name, Arc::clone(m) as Arc<dyn LanguageModel>);
    FailoverModel::new(Ranked::new(models.iter().map(member).collect()))
}

fn request() -> Request {
    let messages = vec![Message::Caller { text: "Hi".into() }];
    let conversation = Arc::new(Conversation { messages, ..Conversation::default() });
    Request { conversation, tools: Arc::new([]), max_tokens: 100 }
}

/// An answer in short: `0 "text"`, `1200 a slow`, `3000 failed stalled`, each with its time in ms.
struct Heard {
    lines: Vec<String>,
    text: String,
    tally: Tally,
}

async fn heard(model: &FailoverModel) -> Heard {
    let began = Instant::now();
    let mut stream = model.ask(request());
    let (mut lines, mut text) = (Vec::new(), String::new());
    while let Some(event) = stream.events.recv().await {
        let line = match event {
            ModelEvent::Text(t) => {
                text.push_str(&t);
                format!("{t:?}")
            }
            ModelEvent::Call(call) => format!("call {}", call.name),
            ModelEvent::Provider(note) => {
                assert_eq!(u128::from(note.delay_ms), began.elapsed().as_millis());
                format!("{} {}: {}", note.provider, note.state.name(), note.reason)
            }
            ModelEvent::Done { stop, opaque } => {
                format!("done {stop:?} {}", opaque.map_or("-".into(), |o| o.provider))
            }
            ModelEvent::Failed(failure) => format!("failed {failure}"),
        };
        lines.push(format!("{} {line}", began.elapsed().as_millis()));
    }
    Heard { lines, text, tally: stream.tally }
}

#[tokio::test(start_paused = true)]
async fn the_preferred_model_answers_alone_and_between_words() {
    let (a, b) =
        (played("a", &[&[Wait(300), Say("Su"), Say("re, I"), Say(" do."), End]]), played("b", &[&[End]]));
    let heard = heard(&fail_over(&[&a, &b])).await;
    assert_eq!(heard.lines, ["300 \"Sure, \"", "300 \"I \"", "300 \"do.\"", "300 done End a"]);
    assert_eq!(b.asked.lock().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_late_model_gets_company_and_the_first_to_speak_wins() {
    let a = played("a", &[&[Wait(2_000), Say("Alpha."), End]]);
    let b = played("b", &[&[Wait(300), Say("Beta."), End]]);
    let heard_b = heard(&fail_over(&[&a, &b])).await;
    assert_eq!(
        heard_b.lines,
        [
            "1200 a slow: no first token in time",
            "1500 b took_over: answers instead",
            "1500 \"Beta.\"",
            "1500 done End b"
        ]
    );
    tokio::task::yield_now().await;
    assert_eq!(a.left.load(Ordering::Relaxed), 1, "the loser's request is dropped");
    let slow_standby = played("b", &[&[Wait(1_500), Say("Beta."), End]]);
    let heard_a = heard(&fail_over(&[&a, &slow_standby])).await;
    assert_eq!(heard_a.lines[1..], ["2000 \"Alpha.\"", "2000 done End a"]);
    let inputs: Vec<_> = heard_a.tally.usage().into_iter().map(|u| (u.provider, u.amount)).collect();
    assert_eq!(inputs, [("a".into(), 10), ("b".into(), 10)], "who lost is paid for too");
}

#[tokio::test(start_paused = true)]
async fn a_refused_request_goes_to_the_next_at_once() {
    let (a, b) = (played("a", &[&[Wait(50), Fail(Kind::Overloaded)]]), played("b", &[&[Say("Yes."), End]]));
    assert_eq!(
        heard(&fail_over(&[&a, &b])).await.lines,
        [
            "50 a failed: overloaded: played",
            "50 b took_over: answers instead",
            "50 \"Yes.\"",
            "50 done End b"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn the_preferred_model_is_back_at_the_next_request_if_its_breaker_allows() {
    let a = played("a", &[&[Fail(Kind::Server)], &[Say("Back."), End]]);
    let b = played("b", &[&[Say("Yes."), End]]);
    let model = fail_over(&[&a, &b]);
    heard(&model).await;
    let lines = heard(&model).await.lines;
    assert_eq!(lines, ["0 a recovered: answers again", "0 \"Back.\"", "0 done End a"]);
    assert_eq!(heard(&model).await.lines, ["0 \"Back.\"", "0 done End a"], "told once");
}

#[tokio::test(start_paused = true)]
async fn an_open_breaker_keeps_a_model_out_for_every_call_and_each_call_is_told() {
    let a = played("a", &[&[Fail(Kind::Overloaded)], &[Say("Back."), End]]);
    let b = played("b", &[&[Say("Yes."), End]]);
    let model = fail_over(&[&a, &b]);
    heard(&model).await;
    assert_eq!(heard(&model).await.lines, ["0 \"Yes.\"", "0 done End b"], "the same call");
    let other = FailoverModel { members: Arc::clone(&model.members), served: Arc::default(), ..model };
    assert_eq!(heard(&other).await.lines[0], "0 b took_over: answers instead", "another call");
    assert_eq!(a.asked.lock().len(), 1);
    tokio::time::advance(Duration::from_secs(6)).await;
    assert_eq!(heard(&other).await.lines[0], "0 a recovered: answers again");
}

#[tokio::test(start_paused = true)]
async fn a_model_that_is_beaten_three_times_for_being_late_is_left_alone() {
    let a = played("a", &[&[Wait(60_000)]]);
    let b = played("b", &[&[Say("Yes."), End]]);
    let model = fail_over(&[&a, &b]);
    for _ in 0..3 {
        assert!(heard(&model).await.lines[0].starts_with("1200 a slow"));
    }
    assert_eq!(heard(&model).await.lines, ["0 \"Yes.\"", "0 done End b"]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_breaks_off_goes_on_elsewhere_without_a_word_twice() {
    let a = played("a", &[&[Say("Sure, I can mo"), Wait(100), Fail(Kind::Closed)]]);
    let b = played("b", &[&[Say("Sure, I can"), Say(" move it."), End]]);
    let heard = heard(&fail_over(&[&a, &b])).await;
    assert_eq!(heard.text, "Sure, I can move it.");
    assert_eq!(
        heard.lines,
        [
            "0 \"Sure, I can \"",
            "100 a failed: closed: played",
            "100 b took_over: goes on in mid-answer",
            "100 \"move \"",
            "100 \"it.\"",
            "100 done End -"
        ]
    );
    let asked = b.asked.lock()[0].conversation.messages.clone();
    let cut = Message::Agent { text: "Sure, I can".into(), calls: vec![], opaque: None };
    assert_eq!(asked[1..], [cut, Message::Caller { text: GO_ON.into() }]);
}

#[tokio::test(start_paused = true)]
async fn a_word_that_was_never_finished_is_not_given_and_the_question_is_asked_again() {
    let a = played("a", &[&[Say("Sur"), Fail(Kind::Garbage)]]);
    let b = played("b", &[&[Say("Yes."), End]]);
    assert_eq!(heard(&fail_over(&[&a, &b])).await.text, "Yes.");
    assert_eq!(b.asked.lock()[0].conversation.messages.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn silence_in_mid_answer_is_a_failure_unless_the_model_goes_on_without_events() {
    let a = played("a", &[&[Say("One "), Wait(60_000)]]);
    let b = played("b", &[&[Say("two."), End]]);
    let silent = heard(&fail_over(&[&a, &b])).await;
    assert_eq!(silent.text, "One two.");
    assert_eq!(silent.lines[1], "1500 a failed: stalled: fell silent in mid-answer");
    let long = [Say("One "), Wait(1_000), Touch, Wait(1_000), Touch, Wait(1_000), Call, End];
    let a = played("a", &[&long]);
    assert_eq!(heard(&fail_over(&[&a, &b])).await.lines, ["0 \"One \"", "3000 call find", "3000 done End a"]);
}

#[tokio::test(start_paused = true)]
async fn a_tool_input_that_comes_slowly_is_neither_late_nor_silent() {
    let slow = [Wait(900), Touch, Wait(900), Touch, Wait(900), Touch, Wait(900), Call, End];
    let (a, b) = (played("a", &[&slow]), played("b", &[&[End]]));
    assert_eq!(heard(&fail_over(&[&a, &b])).await.lines, ["3600 call find", "3600 done End a"]);
    let a = played("a", &[&[Wait(900), Touch, Wait(60_000)]]);
    let lines = heard(&fail_over(&[&a, &b])).await.lines;
    assert_eq!(
        lines[0], "2700 a failed: stalled: fell silent in mid-answer",
        "looked at when first and between were over"
    );
}

#[tokio::test(start_paused = true)]
async fn a_failure_after_a_whole_call_ends_the_answer_there() {
    let a = played("a", &[&[Say("Let me see."), Call, Fail(Kind::Closed)]]);
    let b = played("b", &[&[End]]);
    assert_eq!(
        heard(&fail_over(&[&a, &b])).await.lines,
        ["0 \"Let me \"", "0 \"see.\"", "0 call find", "0 a failed: closed: played", "0 done Tools -"]
    );
    assert_eq!(b.asked.lock().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn one_member_alone_is_asked_once_more_if_that_may_help_and_never_a_third_time() {
    let a = played("a", &[&[Vanish], &[Say("Yes."), End]]);
    let lines = heard(&fail_over(&[&a])).await.lines;
    assert_eq!(lines[1..], ["0 \"Yes.\"", "0 done End a"], "told as failed, then answered: {lines:?}");
    let a = played("a", &[&[Fail(Kind::Server)]]);
    assert_eq!(
        heard(&fail_over(&[&a])).await.lines,
        [
            "0 a failed: server: played",
            "0 a failed: server: played",
            "0 a exhausted: no language model is left",
            "0 failed server: played"
        ]
    );
    assert_eq!(a.asked.lock().len(), 2);
    let a = played("a", &[&[Fail(Kind::Unauthorised)]]);
    heard(&fail_over(&[&a])).await;
    assert_eq!(a.asked.lock().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn with_another_left_nobody_is_asked_twice() {
    let (a, b) = (played("a", &[&[Fail(Kind::Server)]]), played("b", &[&[Fail(Kind::Unauthorised)]]));
    let lines = heard(&fail_over(&[&a, &b])).await.lines;
    assert_eq!((a.asked.lock().len(), b.asked.lock().len()), (1, 1));
    assert_eq!(lines[3], "0 failed unauthorised: played");
}

#[tokio::test(start_paused = true)]
async fn when_all_are_silent_that_is_said_in_bounded_time() {
    let (a, b) = (played("a", &[&[Wait(60_000)]]), played("b", &[&[Wait(60_000)]]));
    assert_eq!(
        heard(&fail_over(&[&a, &b])).await.lines,
        [
            "1200 a slow: no first token in time",
            "2400 b slow: no first token in time",
            "3000 a failed: stalled: no first token",
            "4200 b failed: stalled: no first token",
            "4200 b exhausted: no language model is left",
            "4200 failed stalled: no first token"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn no_model_at_all_is_a_failure_and_no_hang() {
    let lines = heard(&FailoverModel::new(Ranked::new(Vec::new()))).await.lines;
    assert_eq!(lines[1], "0 failed connect: no language model is configured");
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_goes_away_ends_all_requests_and_lateness_still_counts() {
    let (a, b) = (played("a", &[&[Wait(60_000)]]), played("b", &[&[Wait(60_000)]]));
    let model = fail_over(&[&a, &b]);
    for _ in 0..3 {
        let stream = model.ask(request());
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        drop(stream.events);
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!((a.left.load(Ordering::Relaxed), b.left.load(Ordering::Relaxed)), (3, 3));
    let b_only = model.members.pick(Instant::now().into_std(), &[]);
    assert_eq!(b_only, Some(1), "a was late three times");
}

#[tokio::test(start_paused = true)]
async fn nothing_shown_of_it_holds_the_conversation() {
    let a = played("a", &[&[Say("Jane "), Fail(Kind::Closed)]]);
    let model = fail_over(&[&a]);
    let shown = format!("{model:?} {:?}", heard(&model).await.lines);
    assert!(!shown.contains("Hi"), "{shown}");
}
