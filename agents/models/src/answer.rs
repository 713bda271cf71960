//! One answer of one provider: its event stream read to the end, or to the first thing that is wrong with it.

use std::time::Duration;

use pipeline::ports::Meter;
use pipeline::provider::{Deadlines, Failure, Kind};
use reqwest::Response;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use super::link::{Link, Refused, Unanswered, next_bytes};
use super::model::{ModelEvent, ModelStream, Tally};
use super::sse::{Event, Reader};

/// Bound of [`ModelStream::events`].
const EVENTS: usize = 64;
/// Characters that an answer must grow by between two deadlines: about a third of what speech needs. Less is a
/// drip, which leaves a caller in silence just as a stall does.
const LEAST: usize = 8;
/// How long the last events (usage) are waited for once the answer itself is complete.
const LINGER: Duration = Duration::from_millis(300);

/// Makes our events out of one vendor's.
pub trait Decode: Send + 'static {
    /// Takes one event of the stream and appends what it means.
    ///
    /// # Errors
    /// The vendor's own error event, or an event that makes no sense.
    fn event(&mut self, event: &Event, out: &mut Vec<ModelEvent>) -> Result<Progress, Failure>;

    /// The stream is over without a closing event. True: the answer is complete all the same and `out` ends with
    /// [`ModelEvent::Done`].
    fn ended(&mut self, out: &mut Vec<ModelEvent>) -> bool;

    /// Another body for the same turn, where a refusal says what it should be without. Bounded by the vendor's side.
    fn amend(&mut self, _refused: &Refused) -> Option<Vec<u8>> {
        None
    }

    /// The request was taken.
    fn taken(&mut self) {}

    /// What an error status means.
    fn refused(&self, refused: &Refused) -> Failure;

    /// What the answer costs.
    fn count(&mut self) -> &mut Count;
}

/// How far an event brought the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Not at all: a ping.
    Nothing,
    /// The frame around the content.
    Frame,
    /// So many characters of thought, which nobody hears.
    Thought(usize),
    /// So many characters of text or of a tool's input.
    Content(usize),
    /// All of the content is there; usage may follow.
    Complete,
    /// Nothing more comes.
    Over,
}

/// What an answer cost, as far as it is known while it comes.
#[derive(Debug)]
pub struct Count {
    provider: &'static str,
    model: String,
    tally: Tally,
    /// Characters of all that was generated, thoughts too.
    written: usize,
}

impl Count {
    #[must_use]
    pub fn new(provider: &'static str, model: String, tally: Tally) -> Self {
        Self { provider, model, tally, written: 0 }
    }

    pub fn set(&self, meter: Meter, tokens: u64) {
        self.tally.set(self.provider, &self.model, meter, tokens);
    }

    /// Until the provider counts: about four characters a token.
    pub fn wrote(&mut self, text: &str) {
        self.written += text.chars().count();
        self.set(Meter::OutputTokens, self.written.div_ceil(4) as u64);
    }

    /// Until the provider counts: the request's bytes, about four a token.
    fn sent(&self, bytes: usize) {
        self.set(Meter::InputTokens, bytes.div_ceil(4) as u64);
    }
}

/// Begins an answer in a task of its own. Dropping the stream's events drops the connection with the request.
pub fn begin(link: Link, body: Vec<u8>, mut decode: impl Decode) -> ModelStream {
    let (out, events) = mpsc::channel(EVENTS);
    let stream = ModelStream { events, tally: decode.count().tally.clone() };
    tokio::spawn(async move {
        let mut answer = Answer { link: &link, decode, out: &out, found: Vec::new() };
        let read = tokio::select! {
            biased;
            () = out.closed() => return link.open_spare(),
            read = answer.read(body) => read,
        };
        match read {
            Ok(Some(response)) => drain(response).await,
            Ok(None) => {}
            Err(failure) => {
                // Nobody may be left to tell.
                let _ = out.send(ModelEvent::Failed(failure)).await;
            }
        }
    });
    stream
}

/// Reads the little that follows the closing event, so that the connection can serve the next turn.
async fn drain(mut response: Response) {
    let end = Instant::now() + LINGER;
    while let Ok(Ok(Some(_))) = timeout_at(end, next_bytes(&mut response)).await {}
}

struct Answer<'a, D> {
    link: &'a Link,
    decode: D,
    out: &'a mpsc::Sender<ModelEvent>,
    found: Vec<ModelEvent>,
}

impl<D: Decode> Answer<'_, D> {
    /// Reads the answer to its last event. Gives the response where it is not over with that.
    async fn read(&mut self, mut body: Vec<u8>) -> Result<Option<Response>, Failure> {
        let (asked, deadlines) = (Instant::now(), self.link.deadlines());
        let (mut response, bytes) = loop {
            let bytes = body.len();
            match self.link.post(body, asked + deadlines.give_up).await {
                Ok(response) => break (response, bytes),
                Err(Unanswered::Failed(failure)) => return Err(failure),
                Err(Unanswered::Refused(refused)) => {
                    body = self.decode.amend(&refused).ok_or_else(|| self.decode.refused(&refused))?;
                }
            }
        };
        self.decode.taken();
        self.decode.count().sent(bytes);
        let mut pace = Pace::new(asked, &deadlines);
        let (mut reader, mut events) = (Reader::default(), Vec::new());
        let mut seen = Seen::default();
        while !seen.over {
            let end = match timeout_at(pace.due, next_bytes(&mut response)).await {
                Ok(Ok(Some(bytes))) => {
                    seen.bytes = true;
                    let fed = reader.feed(&bytes, &mut events);
                    self.take(&mut events, &mut pace, &mut seen).await?;
                    fed.map_err(|_| Failure::new(Kind::Garbage, "an event without an end"))?;
                    continue;
                }
                Ok(Ok(None)) => {
                    events.extend(reader.finish());
                    self.take(&mut events, &mut pace, &mut seen).await?;
                    seen.closed()
                }
                Ok(Err(broken)) => broken,
                Err(_) => pace.missed(),
            };
            return if seen.over { Ok(None) } else { self.end(end).await.map(|()| None) };
        }
        Ok(Some(response))
    }

    async fn take(
        &mut self,
        events: &mut Vec<Event>,
        pace: &mut Pace,
        seen: &mut Seen,
    ) -> Result<(), Failure> {
        for event in events.drain(..) {
            let progress = self.decode.event(&event, &mut self.found)?;
            seen.events = true;
            seen.over |= progress == Progress::Over;
            if pace.made(progress) {
                self.decode.count().tally.touch();
            }
            if self.give().await {
                pace.rest();
            }
            if seen.over {
                break;
            }
        }
        Ok(())
    }

    /// Passes on what was found. True: the reader of it let us wait, which is not the provider's fault.
    async fn give(&mut self) -> bool {
        let mut waited = false;
        for event in self.found.drain(..) {
            if let Err(mpsc::error::TrySendError::Full(event)) = self.out.try_send(event) {
                waited = true;
                // A closed channel ends this task from outside.
                let _ = self.out.send(event).await;
            }
        }
        waited
    }

    /// Nothing more comes: the answer's end if it was complete, else `failure`.
    async fn end(&mut self, failure: Failure) -> Result<(), Failure> {
        let complete = self.decode.ended(&mut self.found);
        self.give().await;
        if complete { Ok(()) } else { Err(failure) }
    }
}

#[derive(Debug, Default)]
struct Seen {
    bytes: bool,
    events: bool,
    over: bool,
}

impl Seen {
    fn closed(&self) -> Failure {
        if self.bytes && !self.events {
            return Failure::new(Kind::Garbage, "what came is no event stream");
        }
        Failure::new(Kind::Closed, "the answer ended without its last event")
    }
}

/// When the next progress is due.
#[derive(Debug)]
struct Pace {
    due: Instant,
    between: Duration,
    begun: bool,
    complete: bool,
    grown: usize,
}

impl Pace {
    fn new(asked: Instant, deadlines: &Deadlines) -> Self {
        let due = asked + deadlines.give_up;
        Self { due, between: deadlines.between, begun: false, complete: false, grown: 0 }
    }

    /// True: the answer has begun, and went on.
    fn made(&mut self, progress: Progress) -> bool {
        let grown = match progress {
            Progress::Nothing => return false,
            Progress::Complete | Progress::Over => {
                self.complete = true;
                self.due = Instant::now() + LINGER;
                return true;
            }
            Progress::Content(n) if self.begun => n,
            Progress::Content(_) => {
                self.begun = true;
                LEAST
            }
            Progress::Thought(n) => n,
            Progress::Frame => LEAST,
        };
        if !self.begun {
            return false;
        }
        self.grown += grown;
        if self.grown >= LEAST {
            self.rest();
        }
        true
    }

    /// The time counts from now.
    fn rest(&mut self) {
        if self.begun && !self.complete {
            self.grown = 0;
            self.due = Instant::now() + self.between;
        }
    }

    fn missed(&self) -> Failure {
        Failure::stalled(if !self.begun {
            "no first token"
        } else if self.grown > 0 {
            "the answer drips"
        } else {
            "fell silent in mid-answer"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_begin() -> (Instant, Pace) {
        let now = Instant::now();
        (now, Pace::new(now, &Deadlines::LLM))
    }

    #[tokio::test(start_paused = true)]
    async fn thoughts_and_frames_do_not_put_off_the_first_token() {
        let (began, mut pace) = at_begin();
        assert!(!pace.made(Progress::Frame) && !pace.made(Progress::Thought(500)));
        assert_eq!(pace.due, began + Duration::from_secs(3));
        assert!(pace.made(Progress::Content(1)));
        assert_eq!(pace.due, began + Duration::from_millis(1_500));
        assert_eq!(pace.missed().detail, "fell silent in mid-answer");
    }

    #[tokio::test(start_paused = true)]
    async fn a_drip_puts_off_nothing() {
        let (began, mut pace) = at_begin();
        pace.made(Progress::Content(4));
        tokio::time::advance(Duration::from_millis(700)).await;
        pace.made(Progress::Content(4));
        pace.made(Progress::Nothing);
        assert_eq!(pace.due, began + Duration::from_millis(1_500));
        assert_eq!(pace.missed().detail, "the answer drips");
        pace.made(Progress::Content(4));
        assert_eq!(pace.due, began + Duration::from_millis(2_200));
    }
}
