//! The built-in voice: phonemes to 8 kHz audio.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use ort::session::{Session, SessionOutputs};
use ort::value::TensorRef;

use super::pronounce::{Phrase, Pronouncer};
use super::vocoder::{Spectra, Vocoder};
use crate::runtime;
use pipeline::ports::PortError;

/// Tensor in the model that holds each phoneme's length. It is no output of the file as shipped.
const DURATIONS: &str = "/Clip_output_0";
/// Frames (12.5 ms) in one unit of length.
const FRAMES_PER_UNIT: f32 = 2.0;
/// Milliseconds of a frame.
const FRAME_MS: f32 = 12.5;

/// Where a word lies in a phrase's audio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WordSpan {
    /// Index among the spoken words.
    pub word: usize,
    pub start_ms: f32,
    pub end_ms: f32,
}

/// Silence to keep around speech, milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margins {
    pub lead_ms: f32,
    pub tail_ms: f32,
}

/// One worker's copy of the voice (about 30 MB).
pub struct Hibari {
    session: Session,
    vocoder: Vocoder,
}

impl fmt::Debug for Hibari {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hibari(heart)")
    }
}

impl Hibari {
    /// File name in the models folder.
    pub const MODEL: &'static str = "hibari.onnx";

    /// Loads the model; blocks for some 100 ms.
    ///
    /// # Errors
    /// [`PortError::Unavailable`] naming the file that is missing or corrupt.
    pub fn load(models: &Path) -> Result<Self, PortError> {
        let mut bytes = runtime::read(models, Self::MODEL)?;
        bytes.extend(extra_output(DURATIONS));
        let session = runtime::open_bytes(models, Self::MODEL, &bytes)?;
        Ok(Self { session, vocoder: Vocoder::new() })
    }

    /// Voices a phrase. `sink` gets 8 kHz samples as they are made and says whether to go on; `false` or a true
    /// `stop` before the vocoder starts ends the work. Gives the words' places and the audio's length in ms.
    ///
    /// # Errors
    /// What the runtime reports.
    pub fn speak(
        &mut self,
        pronouncer: &Pronouncer,
        phrase: &Phrase,
        margins: Margins,
        sink: &mut dyn FnMut(&[f32]) -> bool,
    ) -> ort::Result<(Vec<WordSpan>, f32)> {
        let ids = TensorRef::from_array_view(([1, phrase.ids.len()], &phrase.ids[..]))?;
        let speed = [phrase.speed];
        let speed = TensorRef::from_array_view(([1usize], &speed[..]))?;
        let out = self.session.run(ort::inputs!["ids" => ids, "speed" => speed])?;
        let spectra = spectra(&out)?;
        let lengths = matrix(&out, DURATIONS)?;
        if !spectra.is_whole() || lengths.len() != phrase.ids.len() {
            return Err(ort::Error::new("the voice model gave matrices of unexpected size"));
        }
        let plan = Plan::new(pronouncer, phrase, lengths, margins, spectra.frames());
        self.vocoder.run(&spectra, plan.frames.clone(), seed(&phrase.ids), sink);
        Ok((plan.words, plan.frames.len().saturating_sub(2) as f32 * FRAME_MS))
    }
}

/// What part of a phrase is voiced, and where its words are.
struct Plan {
    frames: Range<usize>,
    words: Vec<WordSpan>,
}

impl Plan {
    /// The model surrounds speech with up to 350 ms of silence; what exceeds the margins is not vocoded at all.
    fn new(
        pronouncer: &Pronouncer,
        phrase: &Phrase,
        lengths: &[f32],
        margins: Margins,
        total: usize,
    ) -> Self {
        let mut ends = Vec::with_capacity(lengths.len());
        let mut frame = 0.0;
        for length in lengths {
            frame += length * FRAMES_PER_UNIT;
            ends.push(frame);
        }
        let starts = |i: usize| if i == 0 { 0.0 } else { ends[i - 1] };
        let sound = |&i: &usize| !pronouncer.is_pause(phrase.ids[i]);
        let first = (0..ends.len()).find(sound).map_or(0.0, starts);
        let last = (0..ends.len()).rfind(sound).map_or(0.0, |i| ends[i]);
        let start = (first - margins.lead_ms / FRAME_MS).max(0.0) as usize;
        let end = ((last + margins.tail_ms / FRAME_MS).ceil() as usize).clamp(start, total);
        let to_ms = |frame: f32| (frame - start as f32).max(0.0) * FRAME_MS;
        let mut words: Vec<WordSpan> = Vec::new();
        for (i, word) in phrase.words.iter().enumerate() {
            let Some(word) = word.filter(|_| sound(&i)) else { continue };
            match words.last_mut() {
                Some(span) if span.word == word => span.end_ms = to_ms(ends[i]),
                _ => words.push(WordSpan { word, start_ms: to_ms(starts(i)), end_ms: to_ms(ends[i]) }),
            }
        }
        // The vocoder needs two frames beyond those it completes.
        Self { frames: start..(end + 2).min(total), words }
    }
}

fn spectra<'a>(out: &'a SessionOutputs<'_>) -> ort::Result<Spectra<'a>> {
    Ok(Spectra {
        harmonic: matrix(out, "lh")?,
        harmonic_phase: matrix(out, "theta")?,
        noise: matrix(out, "ln")?,
        free: matrix(out, "lr")?,
        free_phase: matrix(out, "phi")?,
        pitch: matrix(out, "f0")?,
    })
}

fn matrix<'a>(out: &'a SessionOutputs<'_>, name: &str) -> ort::Result<&'a [f32]> {
    let value = out.get(name).ok_or_else(|| ort::Error::new("the voice model lacks an expected output"))?;
    Ok(value.try_extract_tensor::<f32>()?.1)
}

/// The same words always get the same noise.
fn seed(ids: &[i64]) -> u64 {
    ids.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &id| (hash ^ id as u64).wrapping_mul(0x0100_0000_01B3))
}

/// Bytes that, appended to an ONNX file, make an inner tensor an output: protobuf merges messages that follow each
/// other, and adds to their lists.
fn extra_output(tensor: &str) -> Vec<u8> {
    const NAME: u8 = 1 << 3 | 2;
    const GRAPH_OUTPUT: u8 = 12 << 3 | 2;
    const MODEL_GRAPH: u8 = 7 << 3 | 2;
    [NAME, GRAPH_OUTPUT, MODEL_GRAPH].iter().fold(tensor.as_bytes().to_vec(), |inner, &tag| {
        // Lengths stay under 128, so they take one byte.
        let length = inner.len().min(127) as u8;
        [&[tag, length], inner.as_slice()].concat()
    })
}
