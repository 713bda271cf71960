//! Moonshine base-en: 16 kHz audio to text, greedy, one token a step.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use ort::session::{Session, SessionInputValue};
use ort::value::{DynValue, Tensor, TensorRef};

use crate::runtime;
use pipeline::ports::PortError;

const LAYERS: usize = 8;
const HEADS: usize = 8;
const HEAD_SIZE: usize = 52;
const START: i64 = 1;
const END: i64 = 2;
/// Nobody speaks faster; a decoder that goes on is repeating itself.
const TOKENS_PER_SECOND: f32 = 6.5;
/// Probability with which the decoder must say that nothing was said. On noise and silence it is sure (0.94 and
/// more), yet it also gives up on some speech that begins abruptly, at 0.3 to 0.86.
const NOTHING_SAID: f32 = 0.93;
/// Log-probabilities below this add nothing that matters to the sum.
const NEGLIGIBLE: f32 = -12.0;

/// What was heard.
#[derive(Clone, Debug, PartialEq)]
pub struct Transcript {
    pub text: String,
    /// Geometric mean of the tokens' probabilities, 0–1.
    pub confidence: f32,
}

/// Names of tensors and texts of tokens, shared by all workers.
pub struct Vocabulary {
    tokens: Vec<Vec<u8>>,
    past_decoder: Vec<String>,
    past_encoder: Vec<String>,
    present_decoder: Vec<String>,
    present_encoder: Vec<String>,
}

impl fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Vocabulary({} tokens)", self.tokens.len())
    }
}

impl Vocabulary {
    /// File name in the models folder.
    pub const FILE: &'static str = "moonshine-tokenizer.bin";

    /// # Errors
    /// [`PortError::Unavailable`] naming the file that is missing or corrupt.
    pub fn load(models: &Path) -> Result<Arc<Self>, PortError> {
        let tokens = parse_tokens(&runtime::read(models, Self::FILE)?)
            .ok_or_else(|| runtime::unusable(&models.join(Self::FILE), &"it is cut short"))?;
        let names = |prefix: &str, side: &str| -> Vec<String> {
            (0..LAYERS)
                .flat_map(|l| ["key", "value"].map(|part| format!("{prefix}.{l}.{side}.{part}")))
                .collect()
        };
        Ok(Arc::new(Self {
            tokens,
            past_decoder: names("past_key_values", "decoder"),
            past_encoder: names("past_key_values", "encoder"),
            present_decoder: names("present", "decoder"),
            present_encoder: names("present", "encoder"),
        }))
    }

    fn text(&self, ids: &[i64]) -> String {
        let mut bytes = Vec::new();
        for token in ids.iter().filter_map(|&id| self.tokens.get(usize::try_from(id).ok()?)) {
            match token.as_slice() {
                [b'<', b'0', b'x', hi, lo, b'>'] => bytes.extend(hex(*hi, *lo)),
                [b'<', .., b'>'] => {}
                plain => bytes.extend_from_slice(plain),
            }
        }
        String::from_utf8_lossy(&bytes).replace('\u{2581}', " ").trim().to_owned()
    }
}

fn hex(hi: u8, lo: u8) -> Option<u8> {
    let digit = |c: u8| char::from(c).to_digit(16).and_then(|d| u8::try_from(d).ok());
    Some(digit(hi)? * 16 + digit(lo)?)
}

/// Each token is a length (one byte, or two when the first is 128 or more), then its bytes.
pub(super) fn parse_tokens(mut rest: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut tokens = Vec::new();
    while let Some((&first, after)) = rest.split_first() {
        let mut length = usize::from(first);
        rest = after;
        if length >= 128 {
            let (&second, after) = rest.split_first()?;
            length = usize::from(second) * 128 + length - 128;
            rest = after;
        }
        let (token, after) = rest.split_at_checked(length)?;
        tokens.push(token.to_vec());
        rest = after;
    }
    Some(tokens)
}

/// One worker's copy of the model (about 90 MB).
pub struct Moonshine {
    encoder: Session,
    cross: Session,
    step: Session,
    vocabulary: Arc<Vocabulary>,
}

impl fmt::Debug for Moonshine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Moonshine(base-en)")
    }
}

impl Moonshine {
    /// Loads the three parts; blocks for some 300 ms.
    ///
    /// # Errors
    /// [`PortError::Unavailable`] naming the file that is missing or corrupt.
    pub fn load(models: &Path, vocabulary: Arc<Vocabulary>) -> Result<Self, PortError> {
        Ok(Self {
            encoder: runtime::open(models, "moonshine-encoder.onnx")?,
            cross: runtime::open(models, "moonshine-cross.onnx")?,
            step: runtime::open(models, "moonshine-step.onnx")?,
            vocabulary,
        })
    }

    /// Text of a whole stretch of 16 kHz mono audio in -1..1, best under 15 s. Gives `None` when `stop` said so
    /// between two tokens.
    ///
    /// # Errors
    /// What the runtime reports.
    pub fn transcribe(&mut self, pcm: &[f32], stop: &dyn Fn() -> bool) -> ort::Result<Option<Transcript>> {
        let cross = self.encode(pcm)?;
        let limit = (pcm.len() as f32 / 16_000.0 * TOKENS_PER_SECOND) as usize + 4;
        let mut past = empty_past()?;
        let (mut ids, mut log_probability, mut token) = (Vec::new(), 0.0, START);
        for _ in 0..limit {
            if stop() {
                return Ok(None);
            }
            let (next, score);
            let doubt = if ids.is_empty() { NOTHING_SAID } else { 0.0 };
            (next, score, past) = self.advance(token, &cross, &past, doubt)?;
            log_probability += score;
            ids.push(next);
            token = next;
            if token == END {
                break;
            }
        }
        let confidence = (log_probability / ids.len().max(1) as f32).exp();
        Ok(Some(Transcript { text: self.vocabulary.text(&ids), confidence }))
    }

    /// Runs the encoder and gives the decoder's view of its output.
    fn encode(&mut self, pcm: &[f32]) -> ort::Result<Vec<DynValue>> {
        let input = TensorRef::from_array_view(([1, pcm.len()], pcm))?;
        let mut encoded = self.encoder.run(ort::inputs!["input_values" => input])?;
        let hidden = taken(encoded.remove("last_hidden_state"))?;
        let mut out = self.cross.run(ort::inputs!["encoder_hidden_states" => hidden])?;
        self.vocabulary.present_encoder.iter().map(|name| taken(out.remove(name))).collect()
    }

    /// One token on: the next token, its log-probability and the new past. An end less probable than `doubt` is
    /// not taken.
    fn advance(
        &mut self,
        token: i64,
        cross: &[DynValue],
        past: &[DynValue],
        doubt: f32,
    ) -> ort::Result<(i64, f32, Vec<DynValue>)> {
        let names = &self.vocabulary;
        let ids = [token];
        let mut inputs: Vec<(Cow<'_, str>, SessionInputValue<'_>)> = Vec::with_capacity(4 * LAYERS + 1);
        inputs.push(("input_ids".into(), TensorRef::from_array_view(([1usize, 1], &ids[..]))?.into()));
        for (name, value) in names.past_decoder.iter().zip(past).chain(names.past_encoder.iter().zip(cross)) {
            inputs.push((name.as_str().into(), value.view().into()));
        }
        let mut out = self.step.run(inputs)?;
        let (next, score) = best(out["logits"].try_extract_tensor::<f32>()?.1, doubt);
        let past: ort::Result<_> = names.present_decoder.iter().map(|name| taken(out.remove(name))).collect();
        Ok((next, score, past?))
    }
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

pub(super) fn taken(value: Option<DynValue>) -> ort::Result<DynValue> {
    value.ok_or_else(|| ort::Error::new("the model lacks an expected output"))
}

/// Most likely token and its log-probability, or the next best when that is an end in doubt.
fn best(logits: &[f32], doubt: f32) -> (i64, f32) {
    let most = |skipped: usize| {
        let others = logits.iter().enumerate().filter(|&(i, _)| i != skipped);
        others.fold((0, f32::MIN), |m, (i, &v)| if v > m.1 { (i, v) } else { m })
    };
    let (mut index, max) = most(usize::MAX);
    let sum: f32 = logits.iter().map(|v| v - max).filter(|&d| d > NEGLIGIBLE).map(f32::exp).sum();
    let mut score = -sum.max(1.0).ln();
    if index as i64 == END && score.exp() < doubt {
        let second = most(index);
        score += second.1 - max;
        index = second.0;
    }
    (index as i64, score)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_file_is_parsed_and_a_cut_one_refused() {
        let long = [b'x'; 130];
        let mut file = vec![2, b'a', b'b', 0, 130, 1];
        file.extend(long);
        assert_eq!(parse_tokens(&file), Some(vec![b"ab".to_vec(), vec![], long.to_vec()]));
        assert_eq!(parse_tokens(&file[..20]), None);
    }

    #[test]
    fn bytes_and_specials_are_resolved() {
        let tokens: Vec<Vec<u8>> =
            ["<s>", "\u{2581}caf", "<0xC3>", "<0xA9>", "\u{2581}now"].map(Vec::from).to_vec();
        let none = Vec::new;
        let vocabulary = Vocabulary {
            tokens,
            past_decoder: none(),
            past_encoder: none(),
            present_decoder: none(),
            present_encoder: none(),
        };
        assert_eq!(vocabulary.text(&[0, 1, 2, 3, 4, 99, -1]), "café now");
    }

    #[test]
    fn best_gives_a_log_probability() {
        let (index, score) = best(&[0.0, 2.0, 1.0], 0.0);
        assert_eq!(index, 1);
        let expected = 2.0 - (1.0f32 + 2.0f32.exp() + 1.0f32.exp()).ln();
        assert!((score - expected).abs() < 1e-5);
    }

    #[test]
    fn an_end_in_doubt_gives_way() {
        let logits = [0.0, 1.0, 2.0];
        assert_eq!(best(&logits, 0.0).0, END);
        let (index, score) = best(&logits, 0.9);
        assert_eq!(index, 1);
        assert!((score - (best(&logits, 0.0).1 - 1.0)).abs() < 1e-5);
        assert_eq!(best(&[0.0, 1.0, 20.0], 0.9).0, END);
    }
}
