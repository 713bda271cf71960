//! Several models as one: the preferred is asked first, a late one gets company, a broken one is followed by the next,
//! and the caller hears each word once. The one place where a language model is asked again.

mod race;
mod relay;
mod seam;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pipeline::ports::{ProviderNote, ProviderState};
use pipeline::provider::{Deadlines, Failure, Kind, Ranked};
use tokio::sync::mpsc;
use tokio::time::Instant;

use self::race::Attempt;
use self::relay::End;
use super::conversation::{Conversation, Message};
use super::model::{LanguageModel, ModelEvent, ModelStream, Request, Tally};

/// Bound of [`ModelStream::events`].
const EVENTS: usize = 64;
/// Tells the next model of an answer that broke off. Not a prefill: some models refuse those.
const GO_ON: &str = "(Your answer above was cut off by a technical fault and the caller has heard it up to there. \
                     Say only what follows, beginning with the very next word. Repeat nothing, and do not greet, \
                     apologise or mention the fault.)";

/// Models in the operator's order. Their health is shared by all calls; who served last is each call's own.
#[derive(Debug)]
pub struct FailoverModel {
    members: Arc<Ranked<dyn LanguageModel>>,
    deadlines: Deadlines,
    /// Index of the member that served last; the first is expected at the beginning.
    served: Arc<AtomicUsize>,
}

impl FailoverModel {
    #[must_use]
    pub fn new(members: Ranked<dyn LanguageModel>) -> Self {
        Self { members: Arc::new(members), deadlines: Deadlines::LLM, served: Arc::default() }
    }

    /// `first`: a standby is asked beside; `give_up`: it has failed; `between`: an answer has stopped.
    #[must_use]
    pub const fn with_deadlines(mut self, deadlines: Deadlines) -> Self {
        self.deadlines = deadlines;
        self
    }
}

impl LanguageModel for FailoverModel {
    fn name(&self) -> &'static str {
        "failover"
    }

    fn ask(&self, request: Request) -> ModelStream {
        let (out, events) = mpsc::channel(EVENTS);
        let tally = Tally::default();
        let mut run = Run {
            members: Arc::clone(&self.members),
            deadlines: self.deadlines,
            served: Arc::clone(&self.served),
            tally: tally.clone(),
            out: out.clone(),
            asked: Instant::now(),
            request,
            given: String::new(),
            running: Vec::new(),
            winner: None,
            failed: Vec::new(),
            retried: false,
            last: None,
        };
        tokio::spawn(async move {
            tokio::select! {
                biased;
                () = out.closed() => run.abandon(),
                // `None`: nobody listens any more, which the other branch sees too.
                _ = run.answer() => {}
            }
        });
        ModelStream { events, tally }
    }

    fn warm(&self, request: Request) {
        for member in self.members.members() {
            member.provider.warm(request.clone());
        }
    }

    fn for_call(&self) -> Option<Arc<dyn LanguageModel>> {
        Some(Arc::new(Self {
            members: Arc::clone(&self.members),
            deadlines: self.deadlines,
            served: Arc::default(),
        }))
    }
}

/// One answer, from the request to its end.
struct Run {
    members: Arc<Ranked<dyn LanguageModel>>,
    deadlines: Deadlines,
    served: Arc<AtomicUsize>,
    tally: Tally,
    out: mpsc::Sender<ModelEvent>,
    asked: Instant,
    request: Request,
    /// The words that were passed on.
    given: String,
    /// Models asked at this moment, of which none has said anything.
    running: Vec<Attempt>,
    /// The one that answers.
    winner: Option<Attempt>,
    /// Members that failed in this answer.
    failed: Vec<usize>,
    /// One member has been asked a second time.
    retried: bool,
    last: Option<(usize, Failure)>,
}

impl Run {
    /// `None`: nobody listens.
    async fn answer(&mut self) -> Option<()> {
        loop {
            let Some(first) = self.first_event().await? else { return self.exhausted().await };
            self.tell_who_serves().await?;
            match self.pass_on(first).await? {
                End::Complete => return Some(()),
                End::Broke => {}
            }
        }
    }

    /// The request as it stands: after words were given, it is to go on from there.
    fn request(&self) -> Request {
        if self.given.is_empty() {
            return self.request.clone();
        }
        let mut conversation = Conversation::clone(&self.request.conversation);
        let text = self.given.trim_end().to_owned();
        conversation.messages.push(Message::Agent { text, calls: Vec::new(), opaque: None });
        conversation.messages.push(Message::Caller { text: GO_ON.to_owned() });
        Request { conversation: Arc::new(conversation), ..self.request.clone() }
    }

    async fn exhausted(&mut self) -> Option<()> {
        let (member, failure) =
            self.last.take().unwrap_or((0, Failure::new(Kind::Connect, "no language model is configured")));
        self.note(member, ProviderState::Exhausted, "no language model is left").await?;
        self.send(ModelEvent::Failed(failure)).await
    }

    /// Compares the winner with the one that served before.
    async fn tell_who_serves(&mut self) -> Option<()> {
        let Some(member) = self.winner.as_ref().map(|w| w.member) else { return Some(()) };
        let before = self.served.swap(member, Ordering::Relaxed);
        if member == before {
            return Some(());
        }
        if member < before && self.failed.is_empty() {
            return self.note(member, ProviderState::Recovered, "answers again").await;
        }
        let reason = if self.given.is_empty() { "answers instead" } else { "goes on in mid-answer" };
        self.note(member, ProviderState::TookOver, reason).await
    }

    /// A member did not do its work.
    async fn fail(&mut self, member: usize, failure: Failure) -> Option<()> {
        self.members.members()[member].failed(Instant::now().into_std(), failure.kind);
        let reason = failure.to_string();
        self.failed.push(member);
        self.last = Some((member, failure));
        self.note(member, ProviderState::Failed, &reason).await
    }

    async fn note(&self, member: usize, state: ProviderState, reason: &str) -> Option<()> {
        let provider = self.members.members().get(member).map_or("none", |m| m.name());
        let delay_ms = u32::try_from(self.asked.elapsed().as_millis()).unwrap_or(u32::MAX);
        let note = ProviderNote { provider: provider.to_owned(), state, reason: reason.to_owned(), delay_ms };
        self.send(ModelEvent::Provider(note)).await
    }

    async fn send(&self, event: ModelEvent) -> Option<()> {
        self.out.send(event).await.ok()
    }

    /// Nobody listens any more. What was learned of the members until then still counts.
    fn abandon(&mut self) {
        if let Some(winner) = self.winner.take() {
            self.members.members()[winner.member].succeeded();
        }
        self.leave_the_rest();
    }
}

#[cfg(test)]
mod tests;
