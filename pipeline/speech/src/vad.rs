//! Speech score of a call: Silero at its native 8 kHz, behind an energy gate.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ort::session::Session;
use ort::value::TensorRef;
use parking_lot::Mutex;
use telephony::media::AudioFrame;

use crate::runtime;
use pipeline::audio::g711::mulaw_to_f32;
use pipeline::audio::level::rms_dbfs;
use pipeline::ports::{PortError, VoiceActivity};

/// New samples a score is given for: 32 ms at 8 kHz.
const WINDOW: usize = 256;
/// Samples of the window before, which the model expects in front.
const CONTEXT: usize = 32;
/// Two layers of 128.
const STATE: usize = 256;
/// A window softer than this holds no speech that a telephone caller would be understood by.
const GATE_DBFS: f32 = -56.0;
/// Windows for which the model keeps judging after it last saw speech (about 0.5 s), so that a closure inside a
/// word does not look like its end.
const HANGOVER: u32 = 16;
/// A score above this keeps the gate open.
const LIKELY: f32 = 0.2;

/// The model, loaded a few times so that calls seldom wait for each other. Cheap to clone.
#[derive(Clone)]
pub struct VadEngine {
    sessions: Arc<[Mutex<Session>]>,
    next: Arc<AtomicUsize>,
}

impl fmt::Debug for VadEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VadEngine({} sessions)", self.sessions.len())
    }
}

impl VadEngine {
    /// File name in the models folder.
    pub const MODEL: &'static str = "silero-vad.onnx";

    /// Loads `shards` copies (2 MB each) of the model. Blocks for some 50 ms each.
    ///
    /// # Errors
    /// [`PortError::Unavailable`] naming the file that is missing or corrupt.
    pub fn load(models: &Path, shards: usize) -> Result<Self, PortError> {
        let sessions: Result<Vec<_>, _> =
            (0..shards.max(1)).map(|_| runtime::open(models, Self::MODEL).map(Mutex::new)).collect();
        Ok(Self { sessions: sessions?.into(), next: Arc::default() })
    }

    /// A detector for one call.
    #[must_use]
    pub fn detector(&self) -> SileroVad {
        let shard = self.next.fetch_add(1, Ordering::Relaxed) % self.sessions.len();
        SileroVad::new(self.clone(), shard)
    }
}

/// Voice activity of one call.
pub struct SileroVad {
    engine: VadEngine,
    shard: usize,
    /// Context, then the samples of the window that is filling.
    samples: Vec<f32>,
    state: [f32; STATE],
    /// Windows left in which the model runs whatever the level.
    open: u32,
}

impl fmt::Debug for SileroVad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SileroVad")
            .field("shard", &self.shard)
            .field("open", &self.open)
            .finish_non_exhaustive()
    }
}

impl SileroVad {
    fn new(engine: VadEngine, shard: usize) -> Self {
        let mut samples = Vec::with_capacity(CONTEXT + WINDOW + telephony::media::FRAME_BYTES);
        samples.resize(CONTEXT, 0.0);
        Self { engine, shard, samples, state: [0.0; STATE], open: 0 }
    }

    /// Scores the first complete window and keeps its end as the next one's context.
    fn score_window(&mut self) -> f32 {
        let score = if self.gated() { 0.0 } else { self.run().unwrap_or(0.0) };
        if score > LIKELY {
            self.open = HANGOVER;
        } else if self.open > 0 {
            self.open -= 1;
            if self.open == 0 {
                self.state = [0.0; STATE];
            }
        }
        self.samples.drain(..WINDOW);
        score
    }

    fn gated(&self) -> bool {
        self.open == 0 && rms_dbfs(&self.samples[CONTEXT..CONTEXT + WINDOW]) < GATE_DBFS
    }

    /// About 0.1 ms. `None` when the runtime fails, which counts as silence.
    fn run(&mut self) -> Option<f32> {
        let input =
            TensorRef::from_array_view(([1, CONTEXT + WINDOW], &self.samples[..CONTEXT + WINDOW])).ok()?;
        let state = TensorRef::from_array_view(([2usize, 1, 128], &self.state[..])).ok()?;
        let rate = TensorRef::from_array_view(([0usize; 0], &[8_000i64][..])).ok()?;
        let mut session = self.engine.sessions[self.shard].lock();
        let out = session.run(ort::inputs!["input" => input, "state" => state, "sr" => rate]).ok()?;
        let score = *out["output"].try_extract_tensor::<f32>().ok()?.1.first()?;
        let next = out["stateN"].try_extract_tensor::<f32>().ok()?.1;
        let mut kept = [0.0; STATE];
        kept.copy_from_slice(next.get(..STATE)?);
        drop(out);
        drop(session);
        self.state = kept;
        Some(score)
    }
}

impl VoiceActivity for SileroVad {
    fn push(&mut self, frame: &AudioFrame) -> Option<f32> {
        mulaw_to_f32(frame.bytes(), &mut self.samples);
        (self.samples.len() >= CONTEXT + WINDOW).then(|| self.score_window())
    }
}
