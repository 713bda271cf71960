//! The engines that come with the gateway: recogniser, voice and search, all on this machine.

use std::path::Path;

use ::knowledge::Retriever;
use anyhow::Context;
use speech::{LocalSpeech, MODEL_FILES, runtime};
use storage::Platform;

use super::Progress;
use crate::api::knowledge;
use crate::config::{Llm, ProviderLists};
use crate::quarantined_tenants;

/// Files that search by meaning reads from there.
pub const SEARCH_FILES: [&str; 3] = ["libonnxruntime.so", "minilm.onnx", "minilm-tokenizer.json"];

/// Files that the engines of these lists need.
#[must_use]
pub fn files(lists: &ProviderLists) -> Vec<&'static str> {
    let mut files = if lists.need_speech_models() { MODEL_FILES.to_vec() } else { Vec::new() };
    if needs_search(lists) {
        files.extend(SEARCH_FILES);
    }
    files.sort_unstable();
    files.dedup();
    files
}

/// Files of those that the models folder lacks.
#[must_use]
pub fn missing(models: &Path, lists: &ProviderLists) -> Vec<&'static str> {
    files(lists).into_iter().filter(|file| !models.join(file).is_file()).collect()
}

/// An engine of this machine is named, so its models are expected; otherwise search does without.
fn needs_search(lists: &ProviderLists) -> bool {
    lists.need_speech_models() || lists.llm.contains(&Llm::Builtin)
}

/// Loads recogniser, voice and detector. Takes a second or two.
pub async fn speech(models: &Path) -> anyhow::Result<LocalSpeech> {
    let models = models.to_owned();
    Ok(tokio::task::spawn_blocking(move || LocalSpeech::load(&models, 0)).await??)
}

/// Loads the search model. Where no engine of this machine is named it may be missing: then search goes, and
/// what an agent says is held to the rules, by words alone.
pub async fn retriever(models: &Path, lists: &ProviderLists) -> anyhow::Result<Retriever> {
    let here = SEARCH_FILES.iter().all(|file| models.join(file).is_file());
    if !needs_search(lists) && !here {
        tracing::info!(
            "there is no search model in MODELS_DIR: documents are searched, and what an agent says is held to the rules, by words alone"
        );
        return Ok(Retriever::lexical());
    }
    let models = models.to_owned();
    let load = move || {
        let environment = runtime::environment(&models)?;
        Retriever::load(&environment, &models).context("the search model does not load")
    };
    tokio::task::spawn_blocking(load).await?
}

/// Reads the documents of every tenant.
pub async fn index(platform: &Platform, retriever: &Retriever, progress: &Progress) -> anyhow::Result<()> {
    for (tenant, store) in quarantined_tenants::sound(platform).await? {
        progress(&format!("reading the documents of {}", tenant.name));
        let documents = knowledge::index(retriever, &store).await?;
        tracing::debug!(tenant = %tenant.slug, documents, "documents can be searched");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Stt, Tts};

    #[test]
    fn only_what_a_list_names_needs_models() {
        let cloud =
            ProviderLists { stt: vec![Stt::Deepgram], llm: vec![Llm::Anthropic], tts: vec![Tts::ElevenLabs] };
        let here = Path::new("/nowhere");
        assert!(missing(here, &cloud).is_empty());
        let builtin = ProviderLists { llm: vec![Llm::Builtin], ..cloud.clone() };
        assert_eq!(missing(here, &builtin).len(), SEARCH_FILES.len());
        let local = ProviderLists { tts: vec![Tts::ElevenLabs, Tts::Local], ..cloud };
        let missing = missing(here, &local);
        assert_eq!(missing.len(), MODEL_FILES.len() + 2, "{missing:?}");
    }
}
