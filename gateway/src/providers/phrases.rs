//! Sentences that callers hear word for word, rendered before the first call.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pipeline::ports::{Saying, TextToSpeech};
use pipeline::provider::Backoff;
use speech::tts::cache::CachedVoice;
use tokio::time::{Instant, sleep, timeout_at};

use super::Progress;

/// How long a start waits for a voice over the network. Calls are then taken without: what is not there yet is
/// rendered when it is first said.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// Wait before phrases that could not be rendered are tried again, doubled each time.
const AGAIN: Backoff = Backoff::new(Duration::from_secs(30), Duration::from_secs(30 * 60));
/// Attempts after the first.
const ATTEMPTS: u32 = 6;

/// What a voice has to say in one language, with one tenant's pronunciations or none.
#[derive(Clone, Debug)]
pub struct Batch {
    pub saying: Saying,
    /// In the order in which they are rendered.
    pub texts: Vec<String>,
    /// Of these, what must be heard even when every voice is down.
    pub apologies: Vec<String>,
}

/// Who renders them.
#[derive(Clone, Debug)]
pub struct Voices {
    pub cached: Arc<CachedVoice>,
    /// Says the apologies ahead, for the hour when nobody else can.
    pub standby: Arc<dyn TextToSpeech>,
}

/// Whether all phrases are there. Shared with whoever tells of the gateway's health.
#[derive(Clone, Debug, Default)]
pub struct Rendered(Arc<AtomicBool>);

impl Rendered {
    /// Everything that was asked for is there.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Renders in the background, again and again until everything is there or it is enough; waits for the first pass
/// until `patience` is over, if it has an end.
pub async fn warm(
    voices: Voices,
    batches: Vec<Batch>,
    patience: Option<Duration>,
    progress: Progress,
) -> Rendered {
    let rendered = Rendered::default();
    apologise(&voices, &batches).await;
    let (first, done) = tokio::sync::oneshot::channel();
    tokio::spawn(render(voices.cached, batches, rendered.clone(), progress, first));
    match patience {
        None => {
            let _ = done.await;
        }
        Some(patience) => {
            if timeout_at(Instant::now() + patience, done).await.is_err() {
                tracing::warn!(
                    "the voice is slow or down: calls are taken before all fixed phrases are rendered"
                );
            }
        }
    }
    rendered
}

/// Renders what is not there yet, once and in the background; how many could not be.
pub async fn renew(voices: &Voices, batches: &[Batch]) -> usize {
    apologise(voices, batches).await;
    let nobody: Progress = Arc::new(|_: &str| {});
    pass(&voices.cached, batches, &nobody).await
}

/// First, and never over the network: whatever happens then, there is something to say.
async fn apologise(voices: &Voices, batches: &[Batch]) {
    for Batch { saying, apologies, .. } in batches {
        let told = voices.cached.warm_standby(&*voices.standby, saying.clone(), apologies.clone(), |_, _| {});
        if let Err(error) = told.await {
            tracing::warn!(%error, "apologies could not be rendered in advance");
        }
    }
}

async fn render(
    voice: Arc<CachedVoice>,
    batches: Vec<Batch>,
    rendered: Rendered,
    progress: Progress,
    first: tokio::sync::oneshot::Sender<()>,
) {
    let mut first = Some(first);
    for attempt in 0..=ATTEMPTS {
        // Later passes run beside calls, when nobody watches the start any more.
        let told: Progress = if attempt == 0 { progress.clone() } else { Arc::new(|_: &str| {}) };
        let failed = pass(&voice, &batches, &told).await;
        rendered.0.store(failed == 0, Ordering::Relaxed);
        if failed > 0 {
            tracing::warn!(failed, attempt, "some fixed phrases could not be rendered in advance");
        }
        if let Some(first) = first.take() {
            let _ = first.send(());
        }
        if failed == 0 {
            return;
        }
        sleep(AGAIN.after(attempt + 1)).await;
    }
}

/// Renders what is not there yet; how many could not be.
async fn pass(voice: &CachedVoice, batches: &[Batch], progress: &Progress) -> usize {
    let mut failed = 0;
    for Batch { saying, texts, .. } in batches {
        let told = progress.clone();
        let tell = move |done, total| told(&format!("rendering phrases {done}/{total}"));
        match voice.warm(saying.clone(), texts.clone(), tell).await {
            Ok(missing) => failed += missing,
            Err(error) => {
                tracing::warn!(%error, "the voice cannot render fixed phrases");
                failed += texts.len();
            }
        }
    }
    failed
}
