//! The built-in speech stack: models, the pool that runs them, and the ports on top.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::pool::Pool;
use crate::runtime;
use crate::stt::local::LocalRecogniser;
use crate::stt::moonshine::{Moonshine, Vocabulary};
use crate::stt::turn_model::TurnModel;
use crate::stt::whisper::{Lexis, Whisper};
use crate::tts::hibari::Hibari;
use crate::tts::local::LocalVoice;
use crate::tts::pronounce::Pronouncer;
use crate::vad::{SileroVad, VadEngine};
use pipeline::ports::PortError;

/// Files that recogniser, voice and speech detector read from the models folder.
pub const MODEL_FILES: [&str; 14] = [
    "libonnxruntime.so",
    "moonshine-encoder.onnx",
    "moonshine-cross.onnx",
    "moonshine-step.onnx",
    "moonshine-tokenizer.bin",
    "whisper-encoder.onnx",
    "whisper-decoder.onnx",
    "whisper-tokens.bin",
    "hibari.onnx",
    "hibari-vocab.json",
    "oov.onnx",
    "oov.json",
    "smart-turn.onnx",
    "silero-vad.onnx",
];
/// Callers who may talk at once for each worker: half of what the `speech` bench sustains on an idle machine with
/// finals within 500 ms, since a busy one has less to give.
const TALKERS_PER_WORKER: usize = 6;
/// Use of the engines at that number. Admission refuses new callers from a little below it.
const USE_AT_CAPACITY: f32 = 0.9;

/// One worker's models.
#[derive(Debug)]
pub struct Models {
    pub(crate) recogniser: Moonshine,
    pub(crate) second: Whisper,
    pub(crate) turn: TurnModel,
    pub(crate) voice: Hibari,
    /// What words there are.
    pub(crate) words: Arc<Pronouncer>,
}

impl Models {
    fn load(
        models: &Path,
        vocabulary: Arc<Vocabulary>,
        lexis: Arc<Lexis>,
        words: Arc<Pronouncer>,
    ) -> Result<Self, PortError> {
        Ok(Self {
            recogniser: Moonshine::load(models, vocabulary)?,
            second: Whisper::load(models, lexis)?,
            turn: TurnModel::load(models)?,
            voice: Hibari::load(models)?,
            words,
        })
    }
}

/// Recogniser, end-of-turn model, voice and speech detector, loaded once for the process. Cheap to clone.
#[derive(Clone)]
pub struct LocalSpeech {
    pool: Pool<Models>,
    pronouncer: Arc<Pronouncer>,
    vad: VadEngine,
    talkers: Talkers,
}

impl fmt::Debug for LocalSpeech {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LocalSpeech({} workers)", self.pool.workers())
    }
}

impl LocalSpeech {
    /// Loads everything from the models folder and starts `threads` workers (0: one for each core). Blocks for one
    /// or two seconds, so call it off the async threads. Resident afterwards: about 130 MB shared and 250 MB a worker (110 of
    /// them the second ear's, as its files weigh), growing with long utterances.
    ///
    /// # Errors
    /// [`PortError::Unavailable`] naming the model file or library that is missing or corrupt.
    pub fn load(models: &Path, threads: usize) -> Result<Self, PortError> {
        let workers = if threads == 0 { cores() } else { threads };
        runtime::environment(models)?;
        let (vocabulary, lexis) = (Vocabulary::load(models)?, Lexis::load(models)?);
        let (pronouncer, vad) = std::thread::scope(|scope| {
            let pronouncer = scope.spawn(|| Pronouncer::load(models));
            let vad = scope.spawn(|| VadEngine::load(models, workers));
            (joined(pronouncer), joined(vad))
        });
        let pronouncer = Arc::new(pronouncer?);
        let load = |_| {
            let (vocabulary, lexis) = (Arc::clone(&vocabulary), Arc::clone(&lexis));
            Models::load(models, vocabulary, lexis, Arc::clone(&pronouncer))
        };
        let loaded: Vec<Models> = (0..workers).map(load).collect::<Result<_, _>>()?;
        Ok(Self { pool: Pool::start(loaded)?, pronouncer, vad: vad?, talkers: Talkers::default() })
    }

    /// The built-in recogniser with its end-of-turn model.
    #[must_use]
    pub fn recogniser(&self) -> LocalRecogniser {
        LocalRecogniser::new(self.pool.clone(), self.talkers.clone())
    }

    /// The built-in voice.
    #[must_use]
    pub fn voice(&self) -> LocalVoice {
        LocalVoice::new(self.pool.clone(), Arc::clone(&self.pronouncer))
    }

    /// A speech detector for one call.
    #[must_use]
    pub fn vad(&self) -> SileroVad {
        self.vad.detector()
    }

    /// How busy the models are, 0–1; new calls should be refused before it is 0.9. See [`Pool::load`].
    #[must_use]
    pub fn load_figure(&self) -> f32 {
        self.pool
            .load()
            .max(self.talkers.now() as f32 / self.capacity().max(1) as f32 * USE_AT_CAPACITY)
            .min(1.0)
    }

    /// Callers talking at this moment.
    #[must_use]
    pub fn talkers(&self) -> usize {
        self.talkers.now()
    }

    /// Callers who may talk at once with finals still in time.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.pool.workers() * TALKERS_PER_WORKER
    }
}

fn joined<T>(thread: std::thread::ScopedJoinHandle<'_, Result<T, PortError>>) -> Result<T, PortError> {
    thread.join().unwrap_or_else(|_| {
        Err(PortError::Unavailable {
            what: "a built-in model failed while loading".to_owned(),
            fix: "delete the models folder and run `make build`".to_owned(),
        })
    })
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Number for a new stream, to tell calls apart in the pool.
pub(crate) fn next_call() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Counts callers in mid-utterance.
#[derive(Clone, Debug, Default)]
pub(crate) struct Talkers(Arc<AtomicUsize>);

impl Talkers {
    pub fn enter(&self) -> Talking {
        let now = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        metrics::gauge!("speech_active_talkers").set(now as f64);
        Talking(Arc::clone(&self.0))
    }

    pub fn now(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// One caller in mid-utterance.
#[derive(Debug)]
pub(crate) struct Talking(Arc<AtomicUsize>);

impl Drop for Talking {
    fn drop(&mut self) {
        let now = self.0.fetch_sub(1, Ordering::Relaxed) - 1;
        metrics::gauge!("speech_active_talkers").set(now as f64);
    }
}

#[cfg(test)]
mod tests;
