//! The engines that come with the gateway: recogniser, voice, agent and search, all on this machine.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agents::retriever::Retriever;
use anyhow::Context;
use futures_util::future::BoxFuture;
use pipeline::ports::{Language, TextToSpeech};
use pipeline::session::Phrases;
use pipeline::speech::{LocalSpeech, runtime};
use pipeline::tts::cache::{CachedVoice, DEFAULT_MAX_BYTES, PhraseCache};
use pipeline::tts::lexicon::Lexicon;
use storage::{Directory, Platform};

use super::agent;
use super::{BUSY_MESSAGE, Progress, ProviderSource, Providers};
use crate::api::knowledge;

/// Files that the engines read from the models folder.
pub const FILES: [&str; 13] = [
    "libonnxruntime.so",
    "moonshine-encoder.onnx",
    "moonshine-cross.onnx",
    "moonshine-step.onnx",
    "moonshine-tokenizer.bin",
    "hibari.onnx",
    "hibari-vocab.json",
    "oov.onnx",
    "oov.json",
    "smart-turn.onnx",
    "silero-vad.onnx",
    "minilm.onnx",
    "minilm-tokenizer.json",
];

/// Brings the embedded engines up.
#[derive(Clone, Debug)]
pub struct Embedded {
    models: PathBuf,
    phrases: PathBuf,
}

impl Embedded {
    /// Models are read from `models`; rendered phrases are kept below `data`.
    #[must_use]
    pub fn new(models: &Path, data: &Path) -> Self {
        Self { models: models.to_owned(), phrases: data.join("phrases") }
    }

    async fn bring_up(self, platform: Platform, progress: Progress) -> anyhow::Result<Providers> {
        progress("loading the speech engines");
        let models = self.models.clone();
        let speech = tokio::task::spawn_blocking(move || LocalSpeech::load(&models, 0)).await??;
        progress("loading the search model");
        let retriever = Arc::new(retriever(self.models.clone()).await?);
        index(&platform, &retriever, &progress).await?;
        let desk = agent::start(&platform, retriever.clone()).await?;
        let phrases = agent::fixed_phrases(&platform, &desk).await?;
        let tts = self.voice(&speech, phrases, &progress).await?;
        let (vad, load) = (speech.clone(), speech.clone());
        Ok(Providers {
            stt: Arc::new(speech.recogniser()),
            tts,
            screen: agent::screens(&desk),
            adopt: agent::adopter(&desk),
            responder: Arc::new(desk),
            vad: Arc::new(move || Box::new(vad.vad())),
            retriever,
            load: Arc::new(move || load.load_figure()),
        })
    }

    /// The voice with its cache, and everything in the cache that callers hear word for word.
    async fn voice(
        &self,
        speech: &LocalSpeech,
        phrases: Vec<String>,
        progress: &Progress,
    ) -> anyhow::Result<Arc<dyn TextToSpeech>> {
        let lexicon = Arc::new(Lexicon::new([]));
        let voice = speech.voice().with_lexicon(lexicon.clone());
        let background = Arc::new(voice.in_background());
        let cache = Arc::new(PhraseCache::open(&self.phrases, DEFAULT_MAX_BYTES)?);
        let cached = CachedVoice::new(Arc::new(voice), background, cache, lexicon.version());
        let ours = Phrases::default().all().into_iter().chain([BUSY_MESSAGE.to_owned()]);
        let phrases: BTreeSet<String> = ours.chain(phrases).collect();
        let told = progress.clone();
        let tell = move |done, total| told(&format!("rendering phrases {done}/{total}"));
        let failed = cached.warm(Language::En, phrases.into_iter().collect(), tell).await?;
        if failed > 0 {
            tracing::warn!(failed, "some fixed phrases could not be rendered in advance");
        }
        Ok(Arc::new(cached))
    }
}

impl ProviderSource for Embedded {
    fn load(
        self: Box<Self>,
        platform: Platform,
        progress: Progress,
    ) -> BoxFuture<'static, anyhow::Result<Providers>> {
        Box::pin(self.bring_up(platform, progress))
    }
}

async fn retriever(models: PathBuf) -> anyhow::Result<Retriever> {
    let load = move || {
        let environment = runtime::environment(&models)?;
        Retriever::load(&environment, &models).context("the search model does not load")
    };
    tokio::task::spawn_blocking(load).await?
}

async fn index(platform: &Platform, retriever: &Retriever, progress: &Progress) -> anyhow::Result<()> {
    for tenant in platform.store().tenants().await? {
        progress(&format!("reading the documents of {}", tenant.name));
        let documents = knowledge::index(retriever, &platform.tenant(tenant.id).await?).await?;
        tracing::debug!(tenant = %tenant.slug, documents, "documents can be searched");
    }
    Ok(())
}
