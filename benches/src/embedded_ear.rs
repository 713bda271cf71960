//! The built-in recogniser and end-of-turn model in virtual time: the product's own listener says what is decoded
//! when, the product's own models decode it at once, and the answer comes after the processor time that it took.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use pipeline::audio::g711::mulaw_to_f32;
use pipeline::audio::level::{FLOOR_DBFS, mulaw_dbfs};
use pipeline::audio::resample::to_16k;
use pipeline::ports::{SttCommand, SttEvent};
use speech::stt::clean::clean;
use speech::stt::moonshine::{Moonshine, Vocabulary};
// The listener looks for it beside itself.
use pipeline::turn::UtteranceId;
use speech::stt::stabiliser;
use speech::stt::turn_model::TurnModel;
use telephony::media::CallTime;

use crate::virtual_call::Ear;

#[path = "../../pipeline/speech/src/stt/listener.rs"]
#[allow(dead_code, reason = "the product asks it more than is needed here")]
mod listener;

use listener::{Finished, Listener, Request};

/// As in `speech::stt::local`, which keeps these to itself. The endpointing bench compares the two.
const SILENT_DBFS: f32 = -52.0;
const TENTH: usize = 800;
const PADDING: usize = 400;
/// Workers of the machine that is meant: two cores.
const WORKERS: usize = 2;
/// A decode that nobody wants any more ends with its next token.
const GIVES_UP: Duration = Duration::from_millis(10);

/// The models, and what they said before of the same audio.
pub struct Engine {
    recogniser: Moonshine,
    turn: TurnModel,
    decodes: HashMap<u64, (Decoded, Duration)>,
    judgements: HashMap<u64, (f32, Duration)>,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Engine({} decodes)", self.decodes.len())
    }
}

#[derive(Clone, Debug, Default)]
struct Decoded {
    text: String,
    confidence: f32,
}

impl Engine {
    /// # Errors
    /// A model that is missing or corrupt.
    pub fn load(models: &Path) -> Result<Self> {
        let vocabulary = Vocabulary::load(models)?;
        Ok(Self {
            recogniser: Moonshine::load(models, vocabulary)?,
            turn: TurnModel::load(models)?,
            decodes: HashMap::new(),
            judgements: HashMap::new(),
        })
    }

    /// Times that decodes took, and judgements.
    #[must_use]
    pub fn costs(&self) -> (Vec<Duration>, Vec<Duration>) {
        let decodes = self.decodes.values().map(|(_, cost)| *cost).collect();
        (decodes, self.judgements.values().map(|(_, cost)| *cost).collect())
    }

    fn decode(&mut self, audio: &[u8]) -> (Decoded, Duration) {
        let key = key(audio);
        if let Some(known) = self.decodes.get(&key) {
            return known.clone();
        }
        let before = processor_time();
        let decoded = self.transcribe(audio).unwrap_or_default();
        let known = (decoded, processor_time().saturating_sub(before));
        self.decodes.insert(key, known.clone());
        known
    }

    fn transcribe(&mut self, audio: &[u8]) -> Result<Decoded> {
        let loudest = audio.chunks(TENTH).map(mulaw_dbfs).fold(FLOOR_DBFS, f32::max);
        if loudest < SILENT_DBFS {
            return Ok(Decoded::default());
        }
        let mut pcm = vec![0.0; PADDING];
        mulaw_to_f32(audio, &mut pcm);
        pcm.resize(pcm.len() + PADDING, 0.0);
        let heard = self.recogniser.transcribe(&to_16k(&pcm), &|| false).map_err(|e| anyhow!("{e}"))?;
        let Some(heard) = heard else { return Ok(Decoded::default()) };
        let text = clean(&heard.text, heard.confidence, loudest);
        let confidence = if text.is_empty() { 0.0 } else { heard.confidence };
        Ok(Decoded { text, confidence })
    }

    fn judge(&mut self, audio: &[u8]) -> (f32, Duration) {
        let key = key(audio);
        if let Some(known) = self.judgements.get(&key) {
            return *known;
        }
        let before = processor_time();
        let mut pcm = Vec::with_capacity(audio.len());
        mulaw_to_f32(audio, &mut pcm);
        let probability = self.turn.finished(&to_16k(&pcm)).unwrap_or_default();
        let known = (probability, processor_time().saturating_sub(before));
        self.judgements.insert(key, known);
        known
    }
}

fn key(audio: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    audio.hash(&mut hasher);
    hasher.finish()
}

/// Processor time of this thread: other work on the machine does not count. Where the system does not tell, the clock.
fn processor_time() -> Duration {
    thread_local!(static STARTED: Instant = Instant::now());
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = told.and_then(|line| line.split_whitespace().next()?.parse().ok()).filter(|ns| *ns > 0);
    spent.map_or_else(|| STARTED.with(Instant::elapsed), Duration::from_nanos)
}

enum Answer {
    /// `None`: nobody wanted it any more.
    Interim(Option<Decoded>),
    Part {
        part: usize,
        decoded: Decoded,
    },
    Final {
        pause: u32,
        decoded: Decoded,
    },
    TurnEnd {
        pause: u32,
        probability: f32,
    },
}

/// One call's recogniser.
pub struct EmbeddedEar<'a> {
    engine: &'a RefCell<Engine>,
    listener: Listener,
    /// When each worker is free.
    workers: [CallTime; WORKERS],
    answers: BTreeMap<(CallTime, u64), (UtteranceId, usize, Answer)>,
    order: u64,
    interims: bool,
    /// Everything that it was told, for a comparison with the product's own.
    pub told: Vec<SttCommand>,
}

impl fmt::Debug for EmbeddedEar<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EmbeddedEar")
    }
}

impl<'a> EmbeddedEar<'a> {
    #[must_use]
    pub fn new(engine: &'a RefCell<Engine>) -> Self {
        Self {
            engine,
            listener: Listener::default(),
            workers: [CallTime::ZERO; WORKERS],
            answers: BTreeMap::new(),
            order: 0,
            interims: true,
            told: Vec::new(),
        }
    }

    /// Leaves interims out, which decide nothing about the end of a turn and cost most of the time.
    #[must_use]
    pub fn without_interims(self) -> Self {
        Self { interims: false, ..self }
    }

    fn submit(&mut self, now: CallTime, request: Request) {
        let Some(utterance) = self.listener.utterance() else { return };
        if matches!(request, Request::Interim { .. }) && !self.interims {
            self.listener.interim_done(None);
            return;
        }
        let mut engine = self.engine.borrow_mut();
        let (answer, cost) = match request {
            Request::Interim { audio } => {
                let (decoded, cost) = engine.decode(&audio);
                (Answer::Interim(Some(decoded)), cost)
            }
            Request::Part { part, audio } => {
                let (decoded, cost) = engine.decode(&audio);
                (Answer::Part { part, decoded }, cost)
            }
            Request::Final { pause, audio } => {
                let (decoded, cost) = engine.decode(&audio);
                (Answer::Final { pause, decoded }, cost)
            }
            Request::TurnEnd { pause, audio } => {
                let (probability, cost) = engine.judge(&audio);
                (Answer::TurnEnd { pause, probability }, cost)
            }
        };
        let worker = usize::from(self.workers[1] < self.workers[0]);
        let ready = self.workers[worker].max(now) + cost;
        self.workers[worker] = ready;
        self.order += 1;
        self.answers.insert((ready, self.order), (utterance, worker, answer));
    }

    /// The caller paused: interims under way are given up.
    fn give_up_interims(&mut self, now: CallTime) {
        let soon = now + GIVES_UP;
        let late = |(key, (_, _, answer)): (&(CallTime, u64), &(UtteranceId, usize, Answer))| {
            matches!(answer, Answer::Interim(_)).then_some(*key)
        };
        let given_up: Vec<_> = self.answers.iter().filter_map(late).collect();
        for key in given_up {
            if let Some((utterance, worker, _)) = self.answers.remove(&key) {
                let ends = key.0.min(soon);
                self.workers[worker] = ends;
                self.answers.insert((ends, key.1), (utterance, worker, Answer::Interim(None)));
            }
        }
    }

    /// Answers of these kinds are not wanted any more. Their workers end with the next token.
    fn forget(&mut self, now: CallTime, stale: impl Fn(&Answer) -> bool) {
        let soon = now + GIVES_UP;
        let workers = &mut self.workers;
        self.answers.retain(|(at, _), (_, worker, answer)| {
            let forgotten = stale(answer);
            if forgotten {
                workers[*worker] = (*at).min(soon);
            }
            !forgotten
        });
    }

    fn answer(&mut self, utterance: UtteranceId, answer: Answer) -> Option<SttEvent> {
        if self.listener.utterance() != Some(utterance) {
            return None;
        }
        let done = match answer {
            Answer::Interim(decoded) => {
                let text = self.listener.interim_done(decoded.as_ref().map(|d| d.text.as_str()))?;
                return Some(SttEvent::Interim { utterance, text });
            }
            Answer::TurnEnd { pause, probability } => {
                return Some(SttEvent::TurnEnd { utterance, pause, probability });
            }
            Answer::Part { part, decoded } => {
                self.listener.part_done(part, decoded.text, decoded.confidence)?
            }
            Answer::Final { pause, decoded } => {
                let Decoded { text, confidence } = decoded;
                self.listener.final_done(Finished { pause, text, confidence })?
            }
        };
        let Finished { pause, text, confidence } = done;
        Some(SttEvent::Final { utterance, pause, text, confidence, alternatives: Vec::new(), settled: true })
    }
}

impl Ear for EmbeddedEar<'_> {
    fn command(&mut self, now: CallTime, command: &SttCommand) {
        self.told.push(command.clone());
        match *command {
            SttCommand::Audio(frame) => {
                if let Some(request) = self.listener.frame(&frame) {
                    self.submit(now, request);
                }
            }
            SttCommand::SpeechStarted { utterance } => {
                self.forget(now, |_| true);
                self.listener.started(utterance);
            }
            SttCommand::Pause { utterance, pause, .. } => {
                self.give_up_interims(now);
                self.forget(now, is_of_a_pause);
                for request in self.listener.paused(utterance, pause) {
                    self.submit(now, request);
                }
            }
            SttCommand::Resumed { utterance } => {
                self.forget(now, is_of_a_pause);
                self.listener.resumed(utterance);
            }
            SttCommand::Ended { utterance } => {
                if self.listener.utterance() == Some(utterance) {
                    self.forget(now, |_| true);
                }
                self.listener.ended(utterance);
            }
            SttCommand::Language(_) => {}
        }
    }

    fn next(&self) -> Option<CallTime> {
        self.answers.keys().next().map(|k| k.0)
    }

    fn poll(&mut self, now: CallTime) -> Option<SttEvent> {
        while self.next().is_some_and(|at| at <= now) {
            let (_, (utterance, _, answer)) = self.answers.pop_first()?;
            if let Some(event) = self.answer(utterance, answer) {
                return Some(event);
            }
        }
        None
    }
}

const fn is_of_a_pause(answer: &Answer) -> bool {
    matches!(answer, Answer::Final { .. } | Answer::TurnEnd { .. })
}
