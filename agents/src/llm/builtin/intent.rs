//! What the caller wants: cues first, likeness to examples second.

use std::collections::HashSet;

use super::script::{Intent, Script};
use language::Ear;

/// An intent that was recognised.
#[derive(Clone, Copy, Debug)]
pub struct Recognised<'a> {
    pub intent: &'a Intent,
    /// 1 for a cue, else the likeness.
    pub score: f32,
    pub by_cue: bool,
}

/// The best intent for an utterance. `likeness` holds one value per intent, from [`lexical`] or a model.
#[must_use]
pub fn recognise<'a>(script: &'a Script, text: &str, likeness: &[f32]) -> Option<Recognised<'a>> {
    by_cue(script, text).or_else(|| by_likeness(script, text, likeness))
}

/// The first intent with a matching cue.
#[must_use]
pub fn by_cue<'a>(script: &'a Script, text: &str) -> Option<Recognised<'a>> {
    let plain = Ear(script.language).plain(text);
    let hit = |intent: &&Intent| intent.cues.is_match(&plain) && !intent.not.is_match(&plain);
    script.intents.iter().find(hit).map(|intent| Recognised { intent, score: 1.0, by_cue: true })
}

fn by_likeness<'a>(script: &'a Script, text: &str, likeness: &[f32]) -> Option<Recognised<'a>> {
    let plain = Ear(script.language).plain(text);
    let scored = script.intents.iter().zip(likeness).filter(|(intent, _)| !intent.not.is_match(&plain));
    let (intent, &score) = scored.max_by(|a, b| a.1.total_cmp(b.1))?;
    (score >= intent.threshold).then_some(Recognised { intent, score, by_cue: false })
}

/// Likeness without a model: shared content words, best example of each intent. Scaled so that the same
/// thresholds serve.
#[must_use]
pub fn lexical(script: &Script, text: &str) -> Vec<f32> {
    let ear = Ear(script.language);
    let said: HashSet<String> = ear.terms(text).into_iter().collect();
    script.intents.iter().map(|intent| best(ear, &said, intent)).collect()
}

fn best(ear: Ear, said: &HashSet<String>, intent: &Intent) -> f32 {
    intent.examples.iter().map(|example| overlap(ear, said, example)).fold(0.0, f32::max)
}

fn overlap(ear: Ear, said: &HashSet<String>, example: &str) -> f32 {
    let other: HashSet<String> = ear.terms(example).into_iter().collect();
    let shared = said.intersection(&other).count();
    // One shared word is chance.
    if shared < 2 { 0.0 } else { 2.0 * shared as f32 / (said.len() + other.len()) as f32 }
}
