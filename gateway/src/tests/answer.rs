//! The agent asks people of the office in mid-call, and says what they answer.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use pipeline::ports::{
    AfterReply, CallBrief, PortError, Question, ReplyCommand, ReplyEvent, ReplyStream, Responder, TurnInput,
};
use pipeline::turn::{Expectation, ReplySegment, SegmentId, SegmentKind};
use reqwest::{Client, Response, StatusCode};
use secrecy::SecretString;
use serde_json::{Value, json};
use telephony::media::{AudioFrame, StreamStart};
use tokio::sync::mpsc;

use crate::config::Config;
use crate::providers::Providers;
use crate::simulated::{TestGateway, engines};
use caller::leg;
use caller::script::{Act, Opening, Patience, Script};

const ADMIN: &str = "an-admin-token-of-the-test";
const QUESTION: &str = "Is the pool heated, +12025550143 asks?";

/// Asks the office at once where somebody is there, and says what it hears.
struct Asks;

impl Responder for Asks {
    fn name(&self) -> &'static str {
        "asks"
    }

    fn open(&self, brief: CallBrief) -> Result<ReplyStream, PortError> {
        let (commands, mut asked) = mpsc::channel(32);
        let (told, events) = mpsc::channel(64);
        tokio::spawn(async move {
            while let Some(command) = asked.recv().await {
                let ReplyCommand::Start { turn, input, .. } = command else { continue };
                let there = brief.hand_over.staff.is_there();
                let (text, then) = match input {
                    TurnInput::Opened if there => ("I'm asking them now.".to_owned(), AfterReply::Ask),
                    TurnInput::Answered { text } => (format!("They say: {text}"), AfterReply::Listen),
                    TurnInput::Unanswered => ("Nobody answered.".to_owned(), AfterReply::Listen),
                    TurnInput::Digits { .. } => ("A person calls you back.".to_owned(), AfterReply::Listen),
                    _ => ("Nobody is there.".to_owned(), AfterReply::Listen),
                };
                let id = SegmentId { turn, index: 0 };
                let segment = ReplySegment { id, text, kind: SegmentKind::Reply, fixed: false };
                let _ = told.send(ReplyEvent::Segment(segment)).await;
                if then == AfterReply::Ask {
                    let question = Question { text: QUESTION.to_owned(), within_s: 2 };
                    let _ = told.send(ReplyEvent::Question { turn, question }).await;
                }
                let _ = told.send(ReplyEvent::Done { turn, expects: Expectation::Open, then }).await;
            }
        });
        Ok(ReplyStream { commands, events })
    }
}

async fn gateway() -> TestGateway {
    let change = |config: &mut Config| config.admin_token = Some(SecretString::from(ADMIN));
    TestGateway::with(change, |platform| {
        Box::pin(async move { Ok(Providers { responder: Arc::new(Asks), ..engines(platform).await? }) })
            as BoxFuture<'static, _>
    })
    .await
}

/// A browser phone that listens and stays. The call's id.
async fn called(test: &TestGateway) -> String {
    let url = test.url("/v1/phone");
    let asked = Client::new().post(url).bearer_auth(ADMIN).json(&json!({ "to": "+12025550100" }));
    let grant: Value = asked.send().await.unwrap().json().await.unwrap();
    let text = |name: &str| grant[name].as_str().unwrap().to_owned();
    let parameters = grant["parameters"].as_object().unwrap();
    let start = StreamStart {
        stream_sid: text("stream_sid"),
        call_sid: text("call_sid"),
        account_sid: text("account_sid"),
        parameters: parameters.iter().map(|(k, v)| (k.clone(), v.as_str().unwrap().to_owned())).collect(),
    };
    let address = text("stream_url");
    tokio::spawn(async move {
        let patience = Patience { gap_ms: 300, quiet_ms: 500, answer_ms: 30_000, hangup_after_ms: None };
        let silence = vec![AudioFrame::SILENCE; 1_500];
        let script = Script::new(vec![Act::Say(silence)], Opening::AfterGreeting, patience);
        let _ = leg::talk(&address, None, start, script).await;
    });
    text("call_id")
}

async fn says(test: &TestGateway, id: &str, part: &str) {
    let mut transcript = String::new();
    for _ in 0..400 {
        let request = Client::new().get(test.url(&format!("/v1/calls/{id}/transcript"))).bearer_auth(ADMIN);
        transcript = request.send().await.unwrap().text().await.unwrap();
        if transcript.contains(part) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("not said: {part}: {transcript}");
}

async fn answer(test: &TestGateway, id: &str, question: u64, text: &str) -> StatusCode {
    let url = test.url(&format!("/v1/calls/{id}/answer"));
    let body = json!({ "question_id": question, "text": text });
    Client::new().post(url).bearer_auth(ADMIN).json(&body).send().await.unwrap().status()
}

/// A console's stream of events.
struct Feed {
    answer: Response,
    seen: String,
}

impl Feed {
    async fn open(test: &TestGateway) -> Self {
        let request = Client::new().get(test.url("/v1/events")).bearer_auth(ADMIN);
        Self { answer: request.send().await.unwrap(), seen: String::new() }
    }

    /// The next event of this name.
    async fn next(&mut self, name: &str) -> Value {
        let reading = async {
            loop {
                while let Some((event, rest)) = self.seen.split_once("\n\n") {
                    let data = event.lines().find_map(|line| line.strip_prefix("data: ")).map(str::to_owned);
                    let wanted = event.lines().any(|line| line == format!("event: {name}"));
                    self.seen = rest.to_owned();
                    if let Some(data) = data.filter(|_| wanted) {
                        return serde_json::from_str(&data).unwrap();
                    }
                }
                let piece = self.answer.chunk().await.unwrap().expect("the stream stays open");
                self.seen.push_str(&String::from_utf8_lossy(&piece));
            }
        };
        tokio::time::timeout(Duration::from_secs(10), reading).await.expect("the event comes")
    }
}

#[tokio::test]
async fn the_first_answer_of_whoever_watches_is_said_and_no_answer_is_told() {
    let test = gateway().await;
    let alone = called(&test).await;
    says(&test, &alone, "Nobody is there.").await;

    let mut events = Feed::open(&test).await;
    let id = called(&test).await;
    let asked = events.next("call.question_asked").await;
    assert_eq!((&asked["call_id"], &asked["within_s"]), (&json!(id), &json!(2)));
    assert_eq!(asked["text"], QUESTION.replace("+12025550143", "⟨phone:1⟩"), "personal data as tokens");
    let question = asked["question_id"].as_u64().unwrap();
    assert_eq!(answer(&test, &id, question + 1, "Yes.").await, StatusCode::CONFLICT);
    assert_eq!(answer(&test, &id, question, " ").await, StatusCode::BAD_REQUEST);
    assert_eq!(answer(&test, &id, question, "Yes, in summer.").await, StatusCode::ACCEPTED);
    says(&test, &id, "They say: Yes, in summer.").await;
    assert_eq!(answer(&test, &id, question, "No.").await, StatusCode::CONFLICT);

    let late = called(&test).await;
    says(&test, &late, "Nobody answered.").await;
    let (first, second) =
        (events.next("call.question_closed").await, events.next("call.question_closed").await);
    assert!(first["by"].is_string() && second["by"].is_null(), "{first} {second}");
    drop(events);
    test.gateway.shutdown().await;
}
