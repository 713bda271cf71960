//! Simulated providers for the load benches, in the process of the callers: what each was told to take.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use caller::replay::chance::Chance;
use serde_json::Value;

use crate::vendors::anthropic::AnthropicServer;
use crate::vendors::deepgram::{DeepgramServer, ListenOptions};
use crate::vendors::elevenlabs::ElevenLabsServer;
use crate::vendors::model::{Pace, Script};
use crate::vendors::tone::VoiceOptions;

/// Bearer token of the platform administrator.
pub const ADMIN: &str = "bench-admin-token-0123456789";
/// What callers are understood to say, one a question.
const SAID: [&str; 6] = [
    "When is the permit office open?",
    "How do I get rid of an old couch?",
    "What do I need for a building permit?",
    "How can I pay my property tax?",
    "When is my trash picked up?",
    "Where can I get a copy of my birth certificate?",
];
/// What the model says: some eight seconds of speech, so that a turn comes about every twelve.
const ANSWER: &str = "The office is open from eight in the morning until five in the afternoon, Monday to Friday. \
    You can also use the county's web site at any time.";
/// Length of a spoken character.
const LETTER_MS: u32 = 58;
/// Between two tokens of the model, and their characters.
const TOKEN: Duration = Duration::from_millis(10);
const TOKEN_CHARS: usize = 5;

/// What the providers are told to take.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    /// From the recogniser being asked, or having heard enough, to its final text.
    pub stt: Duration,
    /// From the request to the model's first token.
    pub llm: Duration,
    /// From a text to the first of its sound.
    pub tts: Duration,
}

impl Told {
    /// The same for every turn: what is left of a turn is the gateway's.
    pub const FIXED: Self = Self {
        stt: Duration::from_millis(60),
        llm: Duration::from_millis(180),
        tts: Duration::from_millis(80),
    };

    #[must_use]
    pub const fn sum(&self) -> Duration {
        self.stt.saturating_add(self.llm).saturating_add(self.tts)
    }
}

/// How long the providers take.
#[derive(Clone, Copy, Debug)]
pub enum Timing {
    Fixed(Told),
    /// Drawn for each answer so that median and 95th percentile are those that are published.
    Published,
    /// The same with a recogniser that also says when a turn may be over (Flux).
    PublishedEager,
}

/// Published median and 95th percentile, milliseconds. Last word to its final text: good streaming vendors say 250 to
/// 280 and 300 to 420; interims take as long here. Request to first token: figures for small hosted models go from 150
/// to 600, this one is of Claude Haiku. Text to first sound: the fastest hosted voices say 75 to 150.
pub const STT_MS: (f64, f64) = (260.0, 350.0);
/// Flux says that a turn may be over some 150 to 250 ms before it is sure.
pub const EAGER_MS: (f64, f64) = (80.0, 140.0);
pub const LLM_MS: (f64, f64) = (360.0, 600.0);
pub const TTS_MS: (f64, f64) = (100.0, 180.0);

/// The simulated providers; they stop when this is dropped.
#[derive(Debug)]
pub struct Simulated {
    deepgram: DeepgramServer,
    elevenlabs: ElevenLabsServer,
    anthropic: AnthropicServer,
    eager: bool,
}

impl Simulated {
    pub async fn start(timing: Timing) -> Self {
        let (told, published) = match timing {
            Timing::Fixed(told) => (told, false),
            Timing::Published | Timing::PublishedEager => (Told::FIXED, true),
        };
        let eager = matches!(timing, Timing::PublishedEager);
        let listen = ListenOptions {
            texts: SAID.iter().cycle().take(600).map(|text| (*text).to_owned()).collect(),
            latency: told.stt,
            drawn_latency: published.then_some(draw_stt),
            drawn_eager: eager.then_some(draw_eager),
            eager_ms: 100,
            end_ms: 160,
            ..ListenOptions::default()
        };
        let voice = VoiceOptions {
            letter_ms: LETTER_MS,
            first_after: told.tts,
            drawn_first: published.then_some(draw_tts),
            remember: false,
            ..VoiceOptions::default()
        };
        let pace = Pace { first: told.llm, between: TOKEN, chars: TOKEN_CHARS };
        let write = move |_: &Value| Script { first: published.then(draw_llm), ..Script::say(ANSWER) };
        Self {
            deepgram: DeepgramServer::start(listen).await,
            elevenlabs: ElevenLabsServer::start(voice).await,
            anthropic: AnthropicServer::start(pace, write).await,
            eager,
        }
    }

    /// Settings of a gateway that uses them, with its data in `dir`.
    #[must_use]
    pub fn environment(&self, dir: &Path, models: &Path, bind: &str) -> Vec<(&'static str, String)> {
        let path = |path: &Path| path.to_string_lossy().into_owned();
        vec![
            ("BIND", bind.to_owned()),
            ("DATA_DIR", path(&dir.join("data"))),
            ("MODELS_DIR", path(models)),
            ("ADMIN_TOKEN", ADMIN.to_owned()),
            ("RUST_LOG", "warn".to_owned()),
            ("STT", if self.eager { "deepgram-flux" } else { "deepgram" }.to_owned()),
            ("LLM", "anthropic".to_owned()),
            ("TTS", "elevenlabs".to_owned()),
            ("DEEPGRAM_API_KEY", "test-key".to_owned()),
            ("DEEPGRAM_BASE_URL", self.deepgram.base()),
            ("ELEVENLABS_API_KEY", "test-key".to_owned()),
            ("ELEVENLABS_BASE_URL", self.elevenlabs.base()),
            ("ANTHROPIC_API_KEY", crate::vendors::anthropic::KEY.to_owned()),
            ("ANTHROPIC_BASE_URL", self.anthropic.base().to_owned()),
        ]
    }

    /// What the gateway did against the providers' documentation; the first of each.
    #[must_use]
    pub fn violations(&self) -> Vec<String> {
        let mut all = self.deepgram.violations();
        all.extend(self.elevenlabs.violations());
        all.sort();
        all.dedup();
        all
    }
}

/// One number after another for each kind of draw, the same in every run.
static DRAWS: [AtomicU64; 4] = [const { AtomicU64::new(0) }; 4];

fn draw_stt() -> Duration {
    draw(0, STT_MS)
}

fn draw_eager() -> Duration {
    draw(3, EAGER_MS)
}

fn draw_llm() -> Duration {
    draw(1, LLM_MS)
}

fn draw_tts() -> Duration {
    draw(2, TTS_MS)
}

/// Log-normal with this median and 95th percentile.
fn draw(kind: usize, (p50, p95): (f64, f64)) -> Duration {
    const Z95: f64 = 1.645;
    let mut chance = Chance::of(kind as u64 + 1, DRAWS[kind].fetch_add(1, Ordering::Relaxed));
    let mut uniform = || (chance.below(1_000_000) + 1) as f64 / 1_000_001.0;
    let normal = (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos();
    Duration::from_secs_f64(p50 * (normal * (p95 / p50).ln() / Z95).exp() / 1_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_have_the_published_median_and_percentile() {
        let mut all: Vec<f64> = (0..20_000).map(|_| draw_llm().as_secs_f64() * 1_000.0).collect();
        all.sort_by(f64::total_cmp);
        let (p50, p95) = (all[10_000], all[19_000]);
        assert!((p50 - LLM_MS.0).abs() < 10.0 && (p95 - LLM_MS.1).abs() < 20.0, "{p50} {p95}");
    }
}
