//! Callers for the load benches: telephone prompts where they are at hand, speech-like sound where not, put
//! together into recorded calls that ask, listen, and now and then speak over the answer.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use caller::audio;
use caller::replay::recording::Recording;
use pipeline::audio::g711::mulaw_decode;
use telephony::media::{AudioFrame, FRAME_BYTES};

use crate::speech_like::syllables;

/// Questions shorter or longer than this are left out, frames.
const QUESTION: std::ops::Range<usize> = 50..220;
/// Every so many questions is spoken over the answer before.
const OVER_EACH: usize = 5;
/// Lengths in the recorded calls, frames: greeting, what passes before an answer, the answer, and the reaction to it.
const GREETING: usize = 100;
const THINKING: usize = 30;
const ANSWER: usize = 250;
const REACTION: usize = 30;
/// How far into an answer it is spoken over, frames.
const INTO: usize = 75;
/// Mean loudness from which 20 ms count as speech, as the simulated recogniser has it.
const LOUD: u32 = 250;
/// Longest pause within a prompt, frames.
const PAUSE: usize = 4;
/// The agent's side of a recording: only its loudness matters.
const AGENT: AudioFrame = AudioFrame([0x20; FRAME_BYTES]);

/// Recorded callers, and what they are made of.
#[derive(Debug)]
pub struct Callers {
    pub recordings: Vec<Arc<Recording>>,
    pub made_of: String,
}

/// So many different callers with so many questions each.
pub fn callers(root: &Path, callers: usize, questions: usize) -> Result<Callers> {
    let prompts = prompts(root)?;
    let made_of = if prompts.is_empty() {
        "speech-like sound (scripts/prompts.sh brings telephone prompts)".to_owned()
    } else {
        format!("{} telephone prompts", prompts.len())
    };
    let question = |n: usize| match prompts.get(n % prompts.len().max(1)) {
        Some(prompt) => prompt.clone(),
        None => syllables(1_500 + (n * 370) % 1_500, n as u64),
    };
    let recording = |caller: usize| {
        let said: Vec<_> = (0..questions).map(|n| question(caller * 7 + n * 13)).collect();
        recorded(caller, &said).map(Arc::new)
    };
    Ok(Callers { recordings: (0..callers).map(recording).collect::<Result<_>>()?, made_of })
}

fn recorded(caller: usize, said: &[Vec<AudioFrame>]) -> Result<Recording> {
    let (mut left, mut right) = (Vec::new(), vec![AGENT; GREETING]);
    for (n, question) in said.iter().enumerate() {
        let is_over = n > 0 && (caller + n).is_multiple_of(OVER_EACH);
        let begins = if is_over { right.len() - ANSWER + INTO } else { right.len() + REACTION };
        left.resize(begins, AudioFrame::SILENCE);
        left.extend(question);
        right.resize(left.len().max(right.len()) + THINKING, AudioFrame::SILENCE);
        right.resize(right.len() + ANSWER, AGENT);
    }
    left.resize(right.len(), AudioFrame::SILENCE);
    Recording::new(format!("caller {caller}"), &left, Some(&right), Vec::new())
}

/// The prompts of the committed list that are there, without the silence around them and with short pauses: the
/// simulated recogniser takes a longer one for the end of a sentence.
fn prompts(root: &Path) -> Result<Vec<Vec<AudioFrame>>> {
    let list = std::fs::read_to_string(root.join("benches/data/prompts.txt"))?;
    let names = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let paths = names.map(|name| root.join("target/prompts/en").join(format!("{name}.wav")));
    let frames: Vec<_> =
        paths.filter(|path| path.is_file()).map(|path| audio::read(&path)).collect::<Result<_>>()?;
    Ok(frames
        .iter()
        .map(|frames| trimmed(frames))
        .filter(|frames| QUESTION.contains(&frames.len()))
        .collect())
}

fn trimmed(frames: &[AudioFrame]) -> Vec<AudioFrame> {
    let (mut kept, mut pause) = (Vec::new(), 0);
    for frame in frames {
        pause = if is_loud(frame) { 0 } else { pause + 1 };
        if pause <= PAUSE && !(kept.is_empty() && pause > 0) {
            kept.push(*frame);
        }
    }
    let end = kept.iter().rposition(is_loud).map_or(0, |last| last + 1);
    kept.truncate(end);
    kept
}

fn is_loud(frame: &AudioFrame) -> bool {
    let sum: u32 = frame.bytes().iter().map(|code| u32::from(mulaw_decode(*code).unsigned_abs())).sum();
    sum / frame.bytes().len() as u32 >= LOUD
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use caller::replay::recording::Begin;

    use super::*;

    #[test]
    fn callers_wait_for_answers_and_now_and_then_speak_over_one() {
        let said = vec![syllables(2_000, 1); 6];
        let recording = recorded(0, &said).unwrap();
        let begins: Vec<_> = recording.pieces().iter().map(|piece| piece.begin).collect();
        let after = Begin::AfterAgent { reaction: REACTION };
        assert_eq!(begins.len(), 6);
        assert_eq!(begins[..5], [after; 5]);
        assert!(matches!(begins[5], Begin::OverAgent { into } if into.abs_diff(INTO) <= 1), "{begins:?}");
    }
}
