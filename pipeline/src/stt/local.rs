//! The built-in recogniser as a [`SpeechToText`] port.

use std::fmt;

use tokio::sync::mpsc;

use super::clean::clean;
use super::listener::{Finished, Listener, Request};
use crate::audio::g711::mulaw_to_f32;
use crate::audio::level::{FLOOR_DBFS, mulaw_dbfs};
use crate::audio::resample::to_16k;
use crate::ports::{Hearing, Language, PortError, SpeechToText, SttCommand, SttEvent, SttStream};
use crate::provider::{Failure, Kind};
use crate::speech::pool::{Epoch, JobKind, Pool, Running, Ticket, shed};
use crate::speech::{Models, Talkers, Talking, next_call};
use crate::turn::UtteranceId;

/// Results that may wait for the call's task; it takes them at once.
const RESULTS: usize = 64;
/// Audio whose loudest tenth of a second is below this holds no words.
const SILENT_DBFS: f32 = -52.0;
/// Mu-law bytes of a tenth of a second.
const TENTH: usize = 800;
/// Silence put before and after each window (50 ms at 8 kHz): the model was trained on clips with some.
const PADDING: usize = 400;
/// Load of the pool (0–1) above which utterances get their first interim only.
const BUSY: f32 = 0.6;
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

    fn open(&self, hearing: &Hearing) -> Result<SttStream, PortError> {
        if hearing.language != Language::En {
            return Err(PortError::Unavailable {
                what: "the built-in recogniser understands English only".to_owned(),
                fix: "configure a cloud recogniser for this language".to_owned(),
            });
        }
        let runtime = tokio::runtime::Handle::try_current().map_err(|_| PortError::Unavailable {
            what: "the built-in recogniser was opened outside an async runtime".to_owned(),
            fix: "open it from the call's task".to_owned(),
        })?;
        let (commands, inbox) = mpsc::channel(256);
        let (outbox, events) = mpsc::channel(64);
        let (to, results) = mpsc::channel(RESULTS);
        runtime.spawn(Stream::new(self.clone(), to).run(inbox, results, outbox));
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
    Interim(Option<Decoded>),
    Part { part: usize, decoded: Option<Decoded> },
    Final { pause: u32, decoded: Option<Decoded> },
    TurnEnd { pause: u32, probability: Option<f32> },
}

#[derive(Debug, Default)]
struct Decoded {
    text: String,
    confidence: f32,
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
    to: mpsc::Sender<Answer>,
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.forget_work();
    }
}

impl Stream {
    fn new(recogniser: LocalRecogniser, to: mpsc::Sender<Answer>) -> Self {
        Self {
            recogniser,
            call: next_call(),
            listener: Listener::default(),
            interims: Epoch::default(),
            pauses: Epoch::default(),
            parts: Epoch::default(),
            failures: 0,
            talking: None,
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
            let event = tokio::select! {
                biased;
                answer = results.recv() => answer.and_then(|a| self.answer(a)),
                command = inbox.recv() => match command {
                    Some(command) => self.command(command),
                    None => return,
                },
            };
            let Some(event) = event else { continue };
            let lost = matches!(event, SttEvent::Lost { .. });
            // The driver takes events all the time; a closed channel is a call that is gone.
            if outbox.send(event).await.is_err() || lost {
                return;
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
            SttCommand::Pause { utterance, pause } => {
                self.interims.advance();
                self.pauses.advance();
                let requests = self.listener.paused(utterance, pause);
                return requests.into_iter().filter_map(|request| self.submit(request)).next();
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
            // The model hears English only; that it does not hear Spanish is said when the line is set up.
            SttCommand::Language(_) => {}
        }
        None
    }

    fn forget_work(&self) {
        self.interims.advance();
        self.pauses.advance();
        self.parts.advance();
    }

    /// Queues a request. Gives an event only when the pool refuses what cannot be done without.
    fn submit(&mut self, request: Request) -> Option<SttEvent> {
        let utterance = self.listener.utterance()?;
        if matches!(request, Request::Interim { .. }) && self.is_too_busy_for_interims() {
            shed(JobKind::Interim, "load");
            self.listener.interim_done(None);
            return None;
        }
        let (kind, ticket, audio, about) = self.classify(request);
        let answer = Promise { utterance, ticket: ticket.clone(), about: Some(about), to: self.to.clone() };
        let queued = self.recogniser.pool.submit(kind, self.call, ticket, move |models, running| {
            answer.fulfil(models, running, &audio);
        });
        match queued {
            Err(e) if kind == JobKind::Final => {
                Some(SttEvent::Lost { failure: Failure::new(Kind::Server, e.to_string()) })
            }
            // A refused interim answers for itself, as its promise is dropped.
            _ => None,
        }
    }

    /// Interims make way while there is time to make way. The first of an utterance is always tried: it tells a
    /// caller who interrupts from one who coughs.
    fn is_too_busy_for_interims(&self) -> bool {
        self.listener.has_shown() && self.recogniser.pool.load() > BUSY
    }

    fn classify(&self, request: Request) -> (JobKind, Ticket, Vec<u8>, About) {
        match request {
            Request::Interim { audio } => {
                (JobKind::Interim, self.interims.ticket(), audio, About::Interim(None))
            }
            Request::Part { part, audio } => {
                (JobKind::Final, self.parts.ticket(), audio, About::Part { part, decoded: None })
            }
            Request::Final { pause, audio } => {
                (JobKind::Final, self.pauses.ticket(), audio, About::Final { pause, decoded: None })
            }
            Request::TurnEnd { pause, audio } => {
                (JobKind::TurnEnd, self.pauses.ticket(), audio, About::TurnEnd { pause, probability: None })
            }
        }
    }

    fn answer(&mut self, answer: Answer) -> Option<SttEvent> {
        let utterance = answer.utterance;
        if self.listener.utterance() != Some(utterance) {
            return None;
        }
        match answer.about {
            About::Interim(decoded) => {
                let text = self.listener.interim_done(decoded.as_ref().map(|d| d.text.as_str()))?;
                Some(SttEvent::Interim { utterance, text })
            }
            About::Part { part, decoded } => {
                let decoded = decoded.unwrap_or_default();
                let done = self.listener.part_done(part, decoded.text, decoded.confidence)?;
                Some(final_event(utterance, done))
            }
            About::Final { pause, decoded } => {
                self.failures = if decoded.is_some() { 0 } else { self.failures + 1 };
                if self.failures >= FAILURES {
                    return Some(SttEvent::Lost {
                        failure: Failure::new(Kind::Server, "the recogniser's model failed repeatedly"),
                    });
                }
                let Decoded { text, confidence } = decoded.unwrap_or_default();
                let done = self.listener.final_done(Finished { pause, text, confidence })?;
                Some(final_event(utterance, done))
            }
            About::TurnEnd { pause, probability } => {
                Some(SttEvent::TurnEnd { utterance, pause, probability: probability? })
            }
        }
    }
}

fn final_event(utterance: UtteranceId, done: Finished) -> SttEvent {
    SttEvent::Final { utterance, pause: done.pause, text: done.text, confidence: done.confidence }
}

/// A job's answer. Dropped without one (shed, refused, panicked), it answers with nothing, so that the call does
/// not wait for ever.
struct Promise {
    utterance: UtteranceId,
    ticket: Ticket,
    about: Option<About>,
    to: mpsc::Sender<Answer>,
}

impl Promise {
    fn fulfil(mut self, models: &mut Models, running: &Running<'_>, audio: &[u8]) {
        match &mut self.about {
            Some(About::Interim(decoded) | About::Part { decoded, .. } | About::Final { decoded, .. }) => {
                *decoded = decode(models, running, audio);
            }
            Some(About::TurnEnd { probability, .. }) => *probability = judge(models, audio),
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

fn decode(models: &mut Models, running: &Running<'_>, audio: &[u8]) -> Option<Decoded> {
    let loudest = loudest_dbfs(audio);
    if loudest < SILENT_DBFS {
        return Some(Decoded::default());
    }
    match models.recogniser.transcribe(&pcm_16k(audio), &|| running.should_stop()) {
        Ok(Some(heard)) => {
            let text = clean(&heard.text, heard.confidence, loudest);
            let confidence = if text.is_empty() { 0.0 } else { heard.confidence };
            Some(Decoded { text, confidence })
        }
        Ok(None) => None,
        Err(e) => {
            tracing::error!(error = %e, "the recogniser's model failed");
            None
        }
    }
}

fn judge(models: &mut Models, audio: &[u8]) -> Option<f32> {
    let mut pcm = Vec::with_capacity(audio.len());
    mulaw_to_f32(audio, &mut pcm);
    match models.turn.finished(&to_16k(&pcm)) {
        Ok(probability) => Some(probability),
        Err(e) => {
            tracing::error!(error = %e, "the end-of-turn model failed");
            None
        }
    }
}

/// Mu-law audio as the recogniser wants it: 16 kHz, with silence around.
fn pcm_16k(audio: &[u8]) -> Vec<f32> {
    let mut pcm = Vec::with_capacity(audio.len() + 2 * PADDING);
    pcm.resize(PADDING, 0.0);
    mulaw_to_f32(audio, &mut pcm);
    pcm.resize(pcm.len() + PADDING, 0.0);
    to_16k(&pcm)
}

fn loudest_dbfs(audio: &[u8]) -> f32 {
    audio.chunks(TENTH).map(mulaw_dbfs).fold(FLOOR_DBFS, f32::max)
}
