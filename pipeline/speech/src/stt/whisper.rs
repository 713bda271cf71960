//! Whisper base, multilingual: 16 kHz audio to text in English or Spanish, and which of the two it is.
//!
//! Only as much is encoded as was said: features are cut at the utterance's length and a margin, not filled up to
//! the 30 s that the model was trained on, which makes a short answer cheap.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use ort::session::{Session, SessionInputValue};
use ort::value::{DynValue, Tensor, TensorRef};

use super::beam::Search;
use super::log_mel::{HOP, LogMel, MELS};
use super::moonshine::{parse_tokens, taken};
use crate::runtime;
use pipeline::ports::{Language, PortError};

const LAYERS: usize = 6;
const HEADS: usize = 8;
const HEAD_SIZE: usize = 64;
/// Silence put behind the audio: the model wants to hear that the words are over.
const MARGIN: usize = 12_800;
/// Longest audio that the model takes, margin included.
const LONGEST: usize = 30 * 16_000;
/// Nobody speaks faster; a decoder that goes on is repeating itself.
const TOKENS_PER_SECOND: f32 = 8.0;
/// What must not be seen by a token.
const HIDDEN: f32 = -1e9;

/// What was heard.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hearing {
    pub text: String,
    /// Geometric mean of the tokens' probabilities, 0–1.
    pub confidence: f32,
    /// The next likeliest texts.
    pub others: Vec<String>,
    /// Probability that this is Spanish rather than English, 0–1.
    pub spanish: f32,
    /// Probability that nothing was said, 0–1.
    pub nothing: f32,
    /// Words came again and again and were cut to the first time.
    pub looped: bool,
    /// Share of the words that no dictionary knows, 0–1.
    pub unknown: f32,
    /// Language that it was written down in.
    pub language: Language,
}

/// Names of tensors and texts of tokens, shared by all workers.
pub struct Lexis {
    tokens: Vec<Vec<u8>>,
    cross: Vec<String>,
    past: Vec<String>,
    present: Vec<String>,
    ids: Ids,
}

#[derive(Clone, Copy)]
struct Ids {
    start: i64,
    end: i64,
    english: i64,
    spanish: i64,
    transcribe: i64,
    no_times: i64,
    nothing: i64,
    blank: i64,
}

impl fmt::Debug for Lexis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lexis({} tokens)", self.tokens.len())
    }
}

impl Lexis {
    /// File name in the models folder.
    pub const FILE: &'static str = "whisper-tokens.bin";

    /// # Errors
    /// [`PortError::Unavailable`] naming the file that is missing or corrupt.
    pub fn load(models: &Path) -> Result<Arc<Self>, PortError> {
        let path = models.join(Self::FILE);
        let tokens = parse_tokens(&runtime::read(models, Self::FILE)?)
            .ok_or_else(|| runtime::unusable(&path, &"it is cut short"))?;
        let ids = Ids::of(&tokens).ok_or_else(|| runtime::unusable(&path, &"a special token is missing"))?;
        let names = |prefix: &str| -> Vec<String> {
            (0..LAYERS).flat_map(|l| ["key", "value"].map(|part| format!("{prefix}.{l}.{part}"))).collect()
        };
        let (cross, past, present) = (names("cross"), names("past"), names("present"));
        Ok(Arc::new(Self { tokens, cross, past, present, ids }))
    }

    fn text(&self, ids: &[i64]) -> String {
        let known = ids.iter().filter_map(|&id| self.tokens.get(usize::try_from(id).ok()?));
        let bytes: Vec<u8> = known.flatten().copied().collect();
        String::from_utf8_lossy(&bytes).trim().to_owned()
    }
}

impl Ids {
    fn of(tokens: &[Vec<u8>]) -> Option<Self> {
        let id = |name: &str| Some(tokens.iter().position(|t| t == name.as_bytes())? as i64);
        Some(Self {
            start: id("<|startoftranscript|>")?,
            end: id("<|endoftext|>")?,
            english: id("<|en|>")?,
            spanish: id("<|es|>")?,
            transcribe: id("<|transcribe|>")?,
            no_times: id("<|notimestamps|>")?,
            nothing: id("<|nocaptions|>")?,
            blank: id(" ")?,
        })
    }

    fn is_special(self, token: i64) -> bool {
        let Self { start, english, spanish, transcribe, no_times, nothing, .. } = self;
        [start, english, spanish, transcribe, no_times, nothing].contains(&token)
    }
}

/// One worker's copy of the model (about 110 MB).
pub struct Whisper {
    encoder: Session,
    decoder: Session,
    mel: LogMel,
    lexis: Arc<Lexis>,
}

impl fmt::Debug for Whisper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Whisper(base)")
    }
}

impl Whisper {
    /// Loads both parts; blocks for some 300 ms.
    ///
    /// # Errors
    /// [`PortError::Unavailable`] naming the file that is missing or corrupt.
    pub fn load(models: &Path, lexis: Arc<Lexis>) -> Result<Self, PortError> {
        Ok(Self {
            encoder: runtime::open(models, "whisper-encoder.onnx")?,
            decoder: runtime::open(models, "whisper-decoder.onnx")?,
            mel: LogMel::new(),
            lexis,
        })
    }

    /// Text of a whole stretch of 16 kHz mono audio in -1..1, of which at most 29 s are heard. `width` lines are
    /// followed at a time: more find better words and take longer. `language` says from the
    /// probability of Spanish in which language it is written down. Gives `None` when `stop` said so between two
    /// steps.
    ///
    /// # Errors
    /// What the runtime reports.
    pub fn hear(
        &mut self,
        pcm: &[f32],
        width: usize,
        language: &dyn Fn(f32) -> Language,
        stop: &dyn Fn() -> bool,
    ) -> ort::Result<Option<Hearing>> {
        let cross = self.encode(pcm)?;
        if stop() {
            return Ok(None);
        }
        let ids = self.lexis.ids;
        let (logits, past) = self.step(&[ids.start], 1, &[0], &cross, &empty_past()?)?;
        let (spanish, nothing) = (odds(&logits, ids.spanish, ids.english), share(&logits, ids.nothing));
        let language = language(spanish);
        let tongue = if language == Language::Es { ids.spanish } else { ids.english };
        let prompt = [tongue, ids.transcribe, ids.no_times];
        let (mut logits, mut past) = self.step(&prompt, 1, &[0], &cross, &past)?;
        let limit = (pcm.len() as f32 / 16_000.0 * TOKENS_PER_SECOND) as usize + 6;
        let mut search = Search::new(width, limit, ids.end);
        let mut is_first = true;
        loop {
            let barred = |t: i64| ids.is_special(t) || (is_first && (t == ids.end || t == ids.blank));
            let Some(next) = search.advance(&logits, barred) else { break };
            if stop() {
                return Ok(None);
            }
            is_first = false;
            (logits, past) = self.step(&next.tokens, next.tokens.len(), &next.rows, &cross, &past)?;
        }
        let lines = search.lines();
        let mut texts = lines.iter().map(|line| self.lexis.text(&line.tokens));
        let text = texts.next().unwrap_or_default();
        let mut others: Vec<String> = Vec::new();
        for other in texts {
            if other != text && !others.contains(&other) {
                others.push(other);
            }
        }
        let (confidence, looped) = lines.first().map_or((0.0, false), |l| (l.mean().exp(), l.looped));
        Ok(Some(Hearing { text, confidence, others, spanish, nothing, looped, unknown: 0.0, language }))
    }

    /// Runs the encoder and gives the decoder's view of its output.
    fn encode(&mut self, pcm: &[f32]) -> ort::Result<Vec<DynValue>> {
        let heard = &pcm[..pcm.len().min(LONGEST - MARGIN)];
        // The second convolution halves the columns.
        let samples = (heard.len() + MARGIN) / (2 * HOP) * (2 * HOP);
        let features = self.mel.features(samples, 0, |i| heard.get(i).copied().unwrap_or(0.0));
        let input = TensorRef::from_array_view(([1, MELS, samples / HOP], &features[..]))?;
        let mut out = self.encoder.run(ort::inputs!["features" => input])?;
        self.lexis.cross.iter().map(|name| taken(out.remove(name))).collect()
    }

    /// Some tokens on, in so many lines at a time: logits after the last of each line, and the new past. `rows` says
    /// which line of the past each one goes on from.
    fn step(
        &mut self,
        tokens: &[i64],
        lines: usize,
        rows: &[i64],
        cross: &[DynValue],
        past: &[DynValue],
    ) -> ort::Result<(Vec<f32>, Vec<DynValue>)> {
        let names = &self.lexis;
        let length = tokens.len() / lines;
        let before = past.first().map_or(0, |p| p.shape()[2].max(0) as usize);
        let mask = mask(length, before);
        let mut inputs: Vec<(Cow<'_, str>, SessionInputValue<'_>)> = Vec::with_capacity(4 * LAYERS + 3);
        inputs.push(("ids".into(), TensorRef::from_array_view(([lines, length], tokens))?.into()));
        inputs.push(("rows".into(), TensorRef::from_array_view(([rows.len()], rows))?.into()));
        let shape = [length, before + length];
        inputs.push(("mask".into(), TensorRef::from_array_view((shape, &mask[..]))?.into()));
        for (name, value) in names.past.iter().zip(past).chain(names.cross.iter().zip(cross)) {
            inputs.push((name.as_str().into(), value.view().into()));
        }
        let mut out = self.decoder.run(inputs)?;
        let logits = out["logits"].try_extract_tensor::<f32>()?.1.to_vec();
        let past: ort::Result<_> = names.present.iter().map(|name| taken(out.remove(name))).collect();
        Ok((logits, past?))
    }
}

/// Each token sees those before it and itself.
fn mask(length: usize, before: usize) -> Vec<f32> {
    let seen = |row: usize, column: usize| if column <= before + row { 0.0 } else { HIDDEN };
    (0..length).flat_map(|row| (0..before + length).map(move |column| seen(row, column))).collect()
}

/// Probability of one token against one other.
fn odds(logits: &[f32], of: i64, against: i64) -> f32 {
    let logit = |id: i64| logits.get(usize::try_from(id).unwrap_or(usize::MAX)).copied().unwrap_or(f32::MIN);
    1.0 / (1.0 + (logit(against) - logit(of)).exp())
}

/// Probability of a token among all.
fn share(logits: &[f32], of: i64) -> f32 {
    let max = logits.iter().copied().fold(f32::MIN, f32::max);
    let sum: f32 = logits.iter().map(|v| (v - max).exp()).sum();
    usize::try_from(of).ok().and_then(|i| logits.get(i)).map_or(0.0, |v| (v - max).exp() / sum)
}

/// Caches before the first token: no positions yet.
fn empty_past() -> ort::Result<Vec<DynValue>> {
    (0..2 * LAYERS)
        .map(|_| {
            let shape = [1, HEADS, 0, HEAD_SIZE];
            Ok(Tensor::<f32>::new(&ort::memory::Allocator::default(), shape.map(|d| d as i64))?.into_dyn())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_sees_what_was_before_it() {
        assert_eq!(mask(1, 3), [0.0; 4]);
        assert_eq!(mask(2, 1), [0.0, 0.0, HIDDEN, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn probabilities_come_from_logits() {
        let logits = [0.0, 2.0, 1.0];
        assert!((odds(&logits, 1, 2) - 1.0 / (1.0 + (-1.0f32).exp())).abs() < 1e-6);
        let sum = 1.0 + 2.0f32.exp() + 1.0f32.exp();
        assert!((share(&logits, 2) - 1.0f32.exp() / sum).abs() < 1e-6);
        assert_eq!(share(&logits, -1), 0.0);
    }
}
