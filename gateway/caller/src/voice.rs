//! Words to sound, in the voice that comes with the gateway: a caller who needs no recording.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use pipeline::ports::{Language, Saying, TextToSpeech, TtsCommand, TtsEvent};
use pipeline::turn::{ReplySegment, SegmentId, SegmentKind, TurnId};
use speech::LocalSpeech;
use telephony::media::AudioFrame;
use tokio::time::timeout;

use telephony::media::frames;

/// Longest text that is spoken in one go: about a minute.
pub const LONGEST: usize = 600;
/// Longest wait for the sound of one text, on a machine that is also the gateway's.
const PATIENCE: Duration = Duration::from_secs(60);

/// A voice that a caller lends.
#[derive(Clone)]
pub struct Voice {
    engine: Arc<dyn TextToSpeech>,
    saying: Saying,
}

impl fmt::Debug for Voice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Voice({}, {})", self.engine.name(), self.saying.language.code())
    }
}

impl Voice {
    /// The caller speaks with this engine.
    #[must_use]
    pub fn of(engine: Arc<dyn TextToSpeech>, language: Language) -> Self {
        Self { engine, saying: language.into() }
    }

    /// The same voice in another language.
    #[must_use]
    pub fn speaking(&self, language: Language) -> Self {
        Self::of(self.engine.clone(), language)
    }

    /// Loads the built-in voice from the models folder, which takes a second or two.
    ///
    /// # Errors
    /// Says which file is missing or damaged, and what brings it.
    pub async fn load(models: &Path, language: Language) -> anyhow::Result<Self> {
        if let Some(file) = speech::MODEL_FILES.iter().find(|file| !models.join(file).is_file()) {
            bail!(
                "words are spoken by the built-in voice, and {} has no {file}: `make build` brings the models; if they \
                 are elsewhere, name their folder in MODELS_DIR; a recording needs none: quandura call --wav FILE",
                models.display()
            );
        }
        let folder = models.to_owned();
        let loaded = tokio::task::spawn_blocking(move || LocalSpeech::load(&folder, 1)).await?;
        let speech = loaded.context("the built-in voice does not load")?;
        Ok(Self::of(Arc::new(speech.voice()), language))
    }

    /// The sound of a text.
    ///
    /// # Errors
    /// When there is nothing to say, too much, or the engine fails.
    pub async fn say(&self, text: &str) -> anyhow::Result<Vec<AudioFrame>> {
        let text = text.trim();
        if !text.chars().any(char::is_alphanumeric) {
            bail!("there is nothing to say in `{text}`: give a word or more");
        }
        let length = text.chars().count();
        if length > LONGEST {
            bail!(
                "{length} characters are too many to say in one breath: give at most {LONGEST}, and the rest next"
            );
        }
        let sound = timeout(PATIENCE, self.render(text)).await;
        let mulaw = sound.context("the built-in voice takes too long: is this machine busy?")??;
        if mulaw.is_empty() {
            bail!("the built-in voice knows no sound for `{text}`: write it in other words");
        }
        Ok(frames(&mulaw))
    }

    async fn render(&self, text: &str) -> anyhow::Result<Vec<u8>> {
        let mut stream = self.engine.open(&self.saying)?;
        let id = SegmentId { turn: TurnId(1), index: 0 };
        let segment = ReplySegment { id, text: text.to_owned(), kind: SegmentKind::Reply, fixed: false };
        stream.commands.send(TtsCommand::Speak(segment)).await.context("the built-in voice ended")?;
        let mut sound = Vec::new();
        while let Some(event) = stream.events.recv().await {
            match event {
                TtsEvent::Audio { mulaw, .. } => sound.extend(mulaw),
                TtsEvent::Done { .. } => return Ok(sound),
                TtsEvent::Failed { failure, .. } => {
                    bail!("the built-in voice cannot say `{text}`: {failure}")
                }
                TtsEvent::Provider(_) | TtsEvent::Used(_) => {}
            }
        }
        bail!("the built-in voice ended before `{text}` was said")
    }
}

/// The language of a tag such as `en` or `es-MX`.
///
/// # Errors
/// When the voice has none like it.
pub fn language(tag: &str) -> anyhow::Result<Language> {
    Language::of(tag).with_context(|| format!("--language: there is no voice for `{tag}`: give en or es"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn models_that_are_not_there_are_named_with_what_brings_them() {
        let dir = tempfile::tempdir().unwrap();
        let error = Voice::load(dir.path(), Language::En).await.unwrap_err().to_string();
        for part in ["libonnxruntime.so", "make build", "MODELS_DIR"] {
            assert!(error.contains(part), "{error}");
        }
        assert!(language("fr").unwrap_err().to_string().contains("en or es"));
    }
}
