//! What the caller says in the benches: recorded prompts, synthesised questions, noises.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use gateway::startup::RunningGateway;
use pipeline::audio::g711::mulaw_encode;
use pipeline::ports::{Language, TextToSpeech, TtsCommand, TtsEvent};
use pipeline::turn::{ReplySegment, SegmentId, SegmentKind, TurnId};
use tokio::time::timeout;

/// The built-in synthesiser as a caller.
#[derive(Debug)]
pub struct Voice(Arc<dyn TextToSpeech>);

impl Voice {
    /// Borrows the voice of a gateway that is ready.
    pub fn new(running: &RunningGateway) -> Result<Self> {
        let ready = running.app.ready.get().context("the gateway is not ready")?;
        Ok(Self(ready.providers.tts.clone()))
    }

    /// Mu-law of one sentence.
    pub async fn say(&self, text: &str) -> Result<Vec<u8>> {
        let mut stream = self.0.open(&Language::En.into())?;
        let id = SegmentId { turn: TurnId(1), index: 0 };
        let segment = ReplySegment { id, text: text.to_owned(), kind: SegmentKind::Reply, fixed: false };
        stream.commands.send(TtsCommand::Speak(segment)).await?;
        let mut spoken = Vec::new();
        loop {
            match timeout(Duration::from_secs(20), stream.events.recv()).await? {
                Some(TtsEvent::Audio { mulaw, .. }) => spoken.extend(mulaw),
                Some(TtsEvent::Done { .. }) => return Ok(spoken),
                other => bail!("the voice failed: {other:?}"),
            }
        }
    }
}

/// Mu-law of one of Debian's telephone prompts.
pub fn prompt(root: &Path, name: &str) -> Result<Vec<u8>> {
    let path = root.join("target/prompts/en").join(format!("{name}.wav"));
    let mut reader = hound::WavReader::open(&path)
        .with_context(|| format!("{} is missing: run scripts/prompts.sh", path.display()))?;
    let samples: Result<Vec<i16>, _> = reader.samples::<i16>().collect();
    Ok(samples?.into_iter().map(mulaw_encode).collect())
}

/// Noise with a sharp start that dies away `decay` times in its length: a cough, a knock.
#[must_use]
pub fn burst(ms: usize, decay: u32) -> Vec<u8> {
    let mut state = 0x2545_F491_u32;
    let length = ms * 8;
    (0..length)
        .map(|i| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            let fade = (-(i as f32) / length as f32 * decay as f32).exp();
            mulaw_encode(((state as i32 >> 18) as f32 * fade) as i16)
        })
        .collect()
}

/// A steady tone with its overtone: a kettle, a line fault.
#[must_use]
pub fn hum(ms: usize) -> Vec<u8> {
    let tone = |i: usize, hz: f32| (i as f32 / 8_000.0 * hz * std::f32::consts::TAU).sin();
    (0..ms * 8).map(|i| mulaw_encode(((tone(i, 120.0) + 0.4 * tone(i, 240.0)) * 4_000.0) as i16)).collect()
}
