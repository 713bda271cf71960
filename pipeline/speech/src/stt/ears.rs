//! What the models make of a stretch of a call's audio: the first ear, the second, and the end of the turn.

use super::choice::Hypothesis;
use super::clean::{clean, is_too_much, undoubled};
use super::tongue::Tongue;
use super::whisper::Hearing;
use crate::Models;
use crate::pool::Running;
use pipeline::audio::g711::mulaw_to_f32;
use pipeline::audio::level::{FLOOR_DBFS, mulaw_dbfs};
use pipeline::audio::resample::to_16k;

/// Audio whose loudest tenth of a second is below this holds no words.
const SILENT_DBFS: f32 = -52.0;
/// Mu-law bytes of a tenth of a second.
const TENTH: usize = 800;
/// Silence put before and after each window (50 ms at 8 kHz): the first model was trained on clips with some.
const PADDING: usize = 400;
/// Probability that nothing was said from which unsure words of the second ear count as noise.
const NOTHING: f32 = 0.6;
/// Words surer than this were said all the same: one or two, and more of them, which no noise sounds like.
const SURE: f32 = 0.5;
const SURE_OF_MANY: f32 = 0.35;
/// So many words are many.
const MANY: usize = 3;

/// The first ear's words. `None`: it was stopped or it failed.
pub(super) fn first(models: &mut Models, running: &Running<'_>, audio: &[u8]) -> Option<Hypothesis> {
    let loudest = loudest_dbfs(audio);
    if loudest < SILENT_DBFS {
        return Some(Hypothesis::default());
    }
    match models.recogniser.transcribe(&pcm_16k(audio, PADDING), &|| running.should_stop()) {
        Ok(Some(heard)) => {
            let tidy = tidied(&heard.text, heard.confidence, loudest, audio);
            Some(Hypothesis { unknown: models.words.unknown_share(&tidy.text), ..tidy })
        }
        Ok(None) => None,
        Err(e) => {
            tracing::error!(error = %e, "the recogniser's model failed");
            None
        }
    }
}

/// The second ear's words, in the language that it takes them for. `width`: lines that it follows at a time.
pub(super) fn second(
    models: &mut Models,
    running: &Running<'_>,
    audio: &[u8],
    tongue: Tongue,
    width: usize,
) -> Option<Hearing> {
    let loudest = loudest_dbfs(audio);
    if loudest < SILENT_DBFS {
        return Some(Hearing { language: tongue.believed(), ..Hearing::default() });
    }
    let seconds = seconds(audio);
    let language = |spanish: f32| tongue.of(spanish, seconds);
    match models.second.hear(&pcm_16k(audio, 0), width, &language, &|| running.should_stop()) {
        Ok(Some(mut heard)) => {
            let tidy = tidied(&heard.text, heard.confidence, loudest, audio);
            let many = tidy.text.split_whitespace().count() >= MANY;
            let is_noise =
                heard.nothing > NOTHING && heard.confidence < if many { SURE_OF_MANY } else { SURE };
            heard.text = if is_noise { String::new() } else { tidy.text };
            heard.confidence = if heard.text.is_empty() { 0.0 } else { tidy.confidence };
            heard.looped |= tidy.looped;
            heard.unknown = models.words.unknown_share(&heard.text);
            Some(heard)
        }
        Ok(None) => None,
        Err(e) => {
            tracing::error!(error = %e, "the second recogniser's model failed");
            None
        }
    }
}

/// Probability that the caller has finished.
pub(super) fn judge(models: &mut Models, audio: &[u8]) -> Option<f32> {
    match models.turn.finished(&pcm_16k(audio, 0)) {
        Ok(probability) => Some(probability),
        Err(e) => {
            tracing::error!(error = %e, "the end-of-turn model failed");
            None
        }
    }
}

fn tidied(text: &str, confidence: f32, loudest: f32, audio: &[u8]) -> Hypothesis {
    let words = |text: &str| text.split_whitespace().count();
    let tidy = clean(text, confidence, loudest);
    let looped = !tidy.is_empty() && words(&tidy) + 2 < words(text);
    if tidy.is_empty() || is_too_much(&tidy, seconds(audio)) {
        return Hypothesis { looped, ..Hypothesis::default() };
    }
    let once = undoubled(&tidy, seconds(audio));
    let looped = looped || once.is_some();
    Hypothesis { text: once.unwrap_or(tidy), confidence, looped, unknown: 0.0 }
}

fn seconds(audio: &[u8]) -> f32 {
    audio.len() as f32 / 8_000.0
}

/// Mu-law audio as the models want it: 16 kHz, with so much silence around.
fn pcm_16k(audio: &[u8], padding: usize) -> Vec<f32> {
    let mut pcm = Vec::with_capacity(audio.len() + 2 * padding);
    pcm.resize(padding, 0.0);
    mulaw_to_f32(audio, &mut pcm);
    pcm.resize(pcm.len() + padding, 0.0);
    to_16k(&pcm)
}

fn loudest_dbfs(audio: &[u8]) -> f32 {
    audio.chunks(TENTH).map(mulaw_dbfs).fold(FLOOR_DBFS, f32::max)
}
