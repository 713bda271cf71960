//! A language model that says what a test tells it to, and a clock that only the test moves.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use pipeline::ports::Meter;
use pipeline::provider::{Failure, Kind};
use serde_json::Value;
use tokio::sync::{Notify, mpsc};

use super::*;
use models::conversation::{Conversation, Message, ToolCall, ToolResult};
use models::model::{ModelEvent, ModelStream, Request, Stop, Tally};

/// One thing that the model does.
#[derive(Clone)]
pub(super) enum Beat {
    Text(String),
    Call(ToolCall),
    Wait(Duration),
    /// Goes on when the test says so.
    Gate(Arc<Notify>),
    End(Stop),
    Fail(Kind),
    /// Says nothing more, for ever.
    Hang,
}

pub(super) fn text(text: &str) -> Beat {
    Beat::Text(text.to_owned())
}

pub(super) fn tool(id: &str, name: &str, input: Value) -> Beat {
    Beat::Call(ToolCall { id: id.into(), name: name.into(), input })
}

#[derive(Default)]
pub(super) struct Scripted {
    answers: Mutex<VecDeque<Vec<Beat>>>,
    requests: Mutex<Vec<Request>>,
    /// Streams that were let go before their end.
    dropped: AtomicUsize,
}

impl Scripted {
    /// One answer a request. Without an `End` of its own an answer ends well.
    pub(super) fn answers(&self, answers: &[&[Beat]]) {
        self.answers.lock().extend(answers.iter().map(|beats| beats.to_vec()));
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.requests.lock().clone()
    }

    pub(super) fn asked(&self) -> usize {
        self.requests.lock().len()
    }

    pub(super) fn dropped(&self) -> usize {
        self.dropped.load(Ordering::SeqCst)
    }

    /// Messages of the last request.
    pub(super) fn shown(&self) -> Vec<Message> {
        self.requests.lock().last().map_or_else(Vec::new, |r| r.conversation.messages.clone())
    }

    /// The last request in one text, tools apart.
    pub(super) fn shown_text(&self) -> String {
        serde_json::to_string_pretty(&self.shown()).unwrap()
    }

    /// Results in the last request.
    pub(super) fn results(&self) -> Vec<ToolResult> {
        let results = |m: Message| if let Message::Results { results } = m { results } else { Vec::new() };
        self.shown().into_iter().flat_map(results).collect()
    }

    /// Everything any request held.
    pub(super) fn everything(&self) -> String {
        self.requests.lock().iter().map(|r| shown_to(&r.conversation)).collect()
    }
}

/// A conversation as a provider gets it: `Debug` tells no words.
fn shown_to(conversation: &Conversation) -> String {
    let messages = serde_json::to_string(&conversation.messages).unwrap();
    format!("{}\n{}\n{messages}\n", conversation.system, conversation.briefing)
}

/// The model as a desk holds it: what is asked of it stays with the test.
pub(super) struct Playing(pub(super) Arc<Scripted>);

impl LanguageModel for Playing {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn ask(&self, request: Request) -> ModelStream {
        self.0.requests.lock().push(request);
        let beats = self.0.answers.lock().pop_front().unwrap_or_else(|| vec![text("All right.")]);
        let tally = Tally::default();
        tally.set("scripted", "m", Meter::InputTokens, 100);
        let (sender, events) = mpsc::channel(64);
        tokio::spawn(play(self.0.clone(), beats, sender, tally.clone()));
        ModelStream { events, tally }
    }
}

async fn play(model: Arc<Scripted>, beats: Vec<Beat>, out: mpsc::Sender<ModelEvent>, tally: Tally) {
    let calls = beats.iter().any(|b| matches!(b, Beat::Call(_)));
    let mut written = 0;
    let ends = beats.iter().any(|b| matches!(b, Beat::End(_) | Beat::Fail(_)));
    let last = (!ends).then_some(Beat::End(if calls { Stop::Tools } else { Stop::End }));
    for beat in beats.into_iter().chain(last) {
        let event = match beat {
            Beat::Text(text) => {
                written += text.split_whitespace().count() as u64;
                tally.set("scripted", "m", Meter::OutputTokens, written);
                ModelEvent::Text(text)
            }
            Beat::Call(call) => ModelEvent::Call(call),
            Beat::End(stop) => ModelEvent::Done { stop, opaque: None },
            Beat::Fail(kind) => ModelEvent::Failed(Failure::new(kind, "scripted")),
            Beat::Wait(time) => {
                tokio::time::sleep(time).await;
                continue;
            }
            Beat::Gate(gate) => {
                tokio::select! {
                    () = gate.notified() => {}
                    () = out.closed() => {}
                }
                continue;
            }
            Beat::Hang => {
                out.closed().await;
                model.dropped.fetch_add(1, Ordering::SeqCst);
                return;
            }
        };
        if out.send(event).await.is_err() {
            model.dropped.fetch_add(1, Ordering::SeqCst);
            return;
        }
    }
}

/// Stops the clock, and keeps it from running ahead while the store works in its own threads. While this lives time
/// passes by `tokio::time::advance` alone.
pub(super) struct HeldClock {
    _release: std::sync::mpsc::Sender<()>,
}

impl HeldClock {
    pub(super) fn hold() -> Self {
        let (release, held) = std::sync::mpsc::channel();
        tokio::task::spawn_blocking(move || held.recv().is_ok());
        tokio::time::pause();
        Self { _release: release }
    }
}

impl Drop for HeldClock {
    fn drop(&mut self) {
        tokio::time::resume();
    }
}

/// Gives the store's threads a moment of real time, and every task its turn.
pub(super) async fn breathe() {
    std::thread::sleep(Duration::from_millis(2));
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
}
