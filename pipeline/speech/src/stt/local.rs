//! The built-in recogniser as a [`SpeechToText`] port.
//!
//! Two models listen. The first is quick: it gives interims and, at each pause, words at once. The second takes a
//! third of a second and errs less; at a pause it runs beside the first, and what the two together make of it follows
//! as a better final. It is left out when the machine is full. It also hears which language is spoken, and in a Spanish
//! call it is the only one.

use std::fmt;

use tokio::sync::mpsc;

use super::choice::Hypothesis;
use super::ears;
use super::listener::{Finished, Listener, Request};
use super::pairing::{Outcome, Pairing};
use super::tongue::Tongue;
use super::whisper;
use crate::pool::{Epoch, JobKind, Pool, Running, Ticket, shed};
use crate::{Models, Talkers, Talking, next_call};
use pipeline::ports::{Hearing, Language, PortError, SpeechToText, SttCommand, SttEvent, SttStream};
use pipeline::provider::{Failure, Kind};
use pipeline::turn::{Expectation, UtteranceId};

/// Results that may wait for the call's task; it takes them at once.
const RESULTS: usize = 64;
/// Load of the pool (0–1) above which utterances get their first interim only, and one ear.
const BUSY: f32 = 0.6;
/// Lines that the second ear follows at a time for a final, and for an interim.
const FINAL_WIDTH: usize = 3;
const INTERIM_WIDTH: usize = 1;
/// Failed decodes in a row after which the recogniser counts as gone.
const FAILURES: u32 = 3;

/// The built-in recogniser. Streams share the pool's models.
#[derive(Clone)]
pub struct LocalRecogniser {
    pool: Pool<Models>,
    talkers: Talkers,
}

impl fmt::Debug for LocalRecogniser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LocalRecogniser")
    }
}

impl LocalRecogniser {
    pub(crate) fn new(pool: Pool<Models>, talkers: Talkers) -> Self {
        Self { pool, talkers }
    }
}

impl SpeechToText for LocalRecogniser {
    fn name(&self) -> &'static str {
        "built-in recogniser"
    }

    fn hears_several(&self) -> bool {
        true
    }

    fn open(&self, hearing: &Hearing) -> Result<SttStream, PortError> {
        let runtime = tokio::runtime::Handle::try_current().map_err(|_| PortError::Unavailable {
            what: "the built-in recogniser was opened outside an async runtime".to_owned(),
            fix: "open it from the call's task".to_owned(),
        })?;
        let (commands, inbox) = mpsc::channel(256);
        let (outbox, events) = mpsc::channel(64);
        let (to, results) = mpsc::channel(RESULTS);
        runtime.spawn(Stream::new(self.clone(), hearing.language, to).run(inbox, results, outbox));
        Ok(SttStream { commands, events })
    }
}

/// What a worker hands back. `None` in place of a decode: it was shed or it failed.
#[derive(Debug)]
struct Answer {
    utterance: UtteranceId,
    about: About,
}

#[derive(Debug)]
enum About {
    Interim(Option<Hypothesis>),
    Part { part: usize, heard: Option<Hypothesis> },
    Final { pause: u32, heard: Option<Hypothesis> },
    Second { pause: u32, heard: Option<whisper::Hearing> },
    TurnEnd { pause: u32, probability: Option<f32> },
}

/// One call's recognition. Three epochs, since their work goes stale at different moments.
struct Stream {
    recogniser: LocalRecogniser,
    call: u64,
    listener: Listener,
    /// Interims: until the next pause.
    interims: Epoch,
    /// Finals and turn ends: until speech goes on.
    pauses: Epoch,
    /// Closed windows: until the utterance ends.
    parts: Epoch,
    failures: u32,
    talking: Option<Talking>,
    tongue: Tongue,
    /// The hypotheses of the latest pause.
    pair: Pairing,
    to: mpsc::Sender<Answer>,
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.forget_work();
    }
}

impl Stream {
    fn new(recogniser: LocalRecogniser, language: Language, to: mpsc::Sender<Answer>) -> Self {
        Self {
            recogniser,
            call: next_call(),
            listener: Listener::default(),
            interims: Epoch::default(),
            pauses: Epoch::default(),
            parts: Epoch::default(),
            failures: 0,
            talking: None,
            tongue: Tongue::new(language),
            pair: Pairing::default(),
            to,
        }
    }

    async fn run(
        mut self,
        mut inbox: mpsc::Receiver<SttCommand>,
        mut results: mpsc::Receiver<Answer>,
        outbox: mpsc::Sender<SttEvent>,
    ) {
        loop {
            let events = tokio::select! {
                biased;
                answer = results.recv() => answer.map_or_else(Vec::new, |a| self.answer(a)),
                command = inbox.recv() => match command {
                    Some(command) => self.command(command).into_iter().collect(),
                    None => return,
                },
            };
            for event in events {
                let lost = matches!(event, SttEvent::Lost { .. });
                // The driver takes events all the time; a closed channel is a call that is gone.
                if outbox.send(event).await.is_err() || lost {
                    return;
                }
            }
        }
    }

    fn command(&mut self, command: SttCommand) -> Option<SttEvent> {
        match command {
            SttCommand::Audio(frame) => {
                let request = self.listener.frame(&frame)?;
                return self.submit(request);
            }
            SttCommand::SpeechStarted { utterance } => {
                self.forget_work();
                self.listener.started(utterance);
                self.talking = Some(self.recogniser.talkers.enter());
            }
            SttCommand::Pause { utterance, pause, asked } => {
                self.interims.advance();
                self.pauses.advance();
                return self.paused(utterance, pause, asked);
            }
            SttCommand::Resumed { utterance } => {
                self.pauses.advance();
                self.listener.resumed(utterance);
            }
            SttCommand::Ended { utterance } => {
                if self.listener.utterance() == Some(utterance) {
                    self.forget_work();
                    self.talking = None;
                }
                self.listener.ended(utterance);
            }
            SttCommand::Language(language) => self.tongue = Tongue::new(language),
        }
        None
    }

    /// Asks both ears where English is spoken and there is time, the second where Spanish is.
    fn paused(&mut self, utterance: UtteranceId, pause: u32, asked: Expectation) -> Option<SttEvent> {
        let is_english = self.is_english();
        let mut lost = None;
        for request in self.listener.paused(utterance, pause) {
            let Request::Final { audio, .. } = &request else {
                lost = lost.or(self.submit(request));
                continue;
            };
            let second = Request::Final { pause, audio: audio.clone() };
            let both = is_english && self.recogniser.pool.load() <= BUSY;
            self.pair = Pairing::begin(pause, asked, is_english, both || !is_english);
            lost = lost.or(self.submit(request));
            if both {
                self.queue(
                    JobKind::SecondEar,
                    self.pauses.ticket(),
                    second,
                    About::Second { pause, heard: None },
                );
            }
        }
        lost
    }

    fn is_english(&self) -> bool {
        self.tongue.believed() == Language::En
    }

    fn forget_work(&self) {
        self.interims.advance();
        self.pauses.advance();
        self.parts.advance();
    }

    /// Queues a request. Gives an event only when the pool refuses what cannot be done without.
    fn submit(&mut self, request: Request) -> Option<SttEvent> {
        if matches!(request, Request::Interim { .. }) && self.is_too_busy_for_interims() {
            shed(JobKind::Interim, "load");
            self.listener.interim_done(None);
            return None;
        }
        let (kind, ticket, about) = self.classify(&request);
        self.queue(kind, ticket, request, about)
    }

    fn queue(&self, kind: JobKind, ticket: Ticket, request: Request, about: About) -> Option<SttEvent> {
        let utterance = self.listener.utterance()?;
        let (Request::Interim { audio }
        | Request::Part { audio, .. }
        | Request::Final { audio, .. }
        | Request::TurnEnd { audio, .. }) = request;
        let answer = Promise {
            utterance,
            ticket: ticket.clone(),
            about: Some(about),
            tongue: self.tongue,
            to: self.to.clone(),
        };
        let queued = self.recogniser.pool.submit(kind, self.call, ticket, move |models, running| {
            answer.fulfil(models, running, &audio);
        });
        match queued {
            Err(e) if kind == JobKind::Final => {
                Some(SttEvent::Lost { failure: Failure::new(Kind::Server, e.to_string()) })
            }
            // Whatever else is refused answers for itself, as its promise is dropped.
            _ => None,
        }
    }

    /// Interims make way while there is time to make way. The first of an utterance is always tried: it tells a
    /// caller who interrupts from one who coughs.
    fn is_too_busy_for_interims(&self) -> bool {
        self.listener.has_shown() && self.recogniser.pool.load() > BUSY
    }

    fn classify(&self, request: &Request) -> (JobKind, Ticket, About) {
        match *request {
            Request::Interim { .. } => (JobKind::Interim, self.interims.ticket(), About::Interim(None)),
            Request::Part { part, .. } => {
                (JobKind::Final, self.parts.ticket(), About::Part { part, heard: None })
            }
            Request::Final { pause, .. } => {
                let about = if self.is_english() {
                    About::Final { pause, heard: None }
                } else {
                    About::Second { pause, heard: None }
                };
                (JobKind::Final, self.pauses.ticket(), about)
            }
            Request::TurnEnd { pause, .. } => {
                (JobKind::TurnEnd, self.pauses.ticket(), About::TurnEnd { pause, probability: None })
            }
        }
    }

    fn answer(&mut self, answer: Answer) -> Vec<SttEvent> {
        let utterance = answer.utterance;
        if self.listener.utterance() != Some(utterance) {
            return Vec::new();
        }
        let event = match answer.about {
            About::Interim(heard) => self
                .listener
                .interim_done(heard.as_ref().map(|h| h.text.as_str()))
                .map(|text| SttEvent::Interim { utterance, text }),
            About::Part { part, heard } => {
                let heard = heard.unwrap_or_default();
                let done = self.listener.part_done(part, heard.text, heard.confidence);
                done.map(|done| final_event(utterance, done, Vec::new(), true))
            }
            About::Final { pause, heard } => {
                if let Some(lost) = self.count_failure(heard.is_none()) {
                    return vec![lost];
                }
                let outcome = self.pair.first(pause, heard.unwrap_or_default());
                outcome.and_then(|outcome| self.finish(utterance, outcome))
            }
            About::Second { pause, heard } => return self.second(utterance, pause, heard),
            About::TurnEnd { pause, probability } => {
                probability.map(|probability| SttEvent::TurnEnd { utterance, pause, probability })
            }
        };
        event.into_iter().collect()
    }

    /// The second ear's words: better ones than the first's, or another language.
    fn second(
        &mut self,
        utterance: UtteranceId,
        pause: u32,
        heard: Option<whisper::Hearing>,
    ) -> Vec<SttEvent> {
        let mut heard = heard;
        if !self.is_english() {
            if let Some(lost) = self.count_failure(heard.is_none()) {
                return vec![lost];
            }
            heard.get_or_insert_default();
        }
        let believed = heard.as_ref().filter(|heard| self.pair.believes(heard));
        let changed = believed.and_then(|h| self.tongue.heard(h.language, &h.text, h.confidence));
        let done = self.pair.second(pause, heard).and_then(|outcome| self.finish(utterance, outcome));
        changed.map(SttEvent::Language).into_iter().chain(done).collect()
    }

    /// Counts failures in a row of what cannot be done without.
    fn count_failure(&mut self, failed: bool) -> Option<SttEvent> {
        self.failures = if failed { self.failures + 1 } else { 0 };
        (self.failures >= FAILURES).then(|| SttEvent::Lost {
            failure: Failure::new(Kind::Server, "the recogniser's model failed repeatedly"),
        })
    }

    fn finish(&mut self, utterance: UtteranceId, outcome: Outcome) -> Option<SttEvent> {
        let Outcome { pause, text, confidence, alternatives, settled } = outcome;
        let whole = |last: String| self.listener.whole(&last);
        let alternatives = alternatives.into_iter().map(whole).collect();
        let done = self.listener.final_done(Finished { pause, text, confidence })?;
        Some(final_event(utterance, done, alternatives, settled))
    }
}

fn final_event(utterance: UtteranceId, done: Finished, alternatives: Vec<String>, settled: bool) -> SttEvent {
    let Finished { pause, text, confidence } = done;
    SttEvent::Final { utterance, pause, text, confidence, alternatives, settled }
}

/// A job's answer. Dropped without one (shed, refused, panicked), it answers with nothing, so that the call does
/// not wait for ever.
struct Promise {
    utterance: UtteranceId,
    ticket: Ticket,
    about: Option<About>,
    /// What the caller was taken to speak when the job was queued.
    tongue: Tongue,
    to: mpsc::Sender<Answer>,
}

impl Promise {
    fn fulfil(mut self, models: &mut Models, running: &Running<'_>, audio: &[u8]) {
        let tongue = self.tongue;
        let mut plain = |width| match tongue.believed() {
            Language::En => ears::first(models, running, audio),
            Language::Es => ears::second(models, running, audio, tongue, width).map(|h| h.hypothesis()),
        };
        match &mut self.about {
            Some(About::Interim(heard)) => *heard = plain(INTERIM_WIDTH),
            Some(About::Part { heard, .. } | About::Final { heard, .. }) => *heard = plain(FINAL_WIDTH),
            Some(About::Second { heard, .. }) => {
                *heard = ears::second(models, running, audio, tongue, FINAL_WIDTH);
            }
            Some(About::TurnEnd { probability, .. }) => *probability = ears::judge(models, audio),
            None => {}
        }
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        let Some(about) = self.about.take() else { return };
        // The call went on and asks anew; only an interim's end is waited for whatever became of it.
        if self.ticket.is_stale() && !matches!(about, About::Interim(_)) {
            return;
        }
        // Never waits: the call's task takes answers at once, so a full channel is a call that is gone.
        if self.to.try_send(Answer { utterance: self.utterance, about }).is_err() {
            metrics::counter!("speech_results_dropped_total", "kind" => "recognition").increment(1);
        }
    }
}
