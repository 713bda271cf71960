//! The recognizer of the person who has a call: opened when they are first heard, gone with their last words.

use std::sync::Arc;

use telephony::media::AudioFrame;
use tokio::sync::mpsc;

use crate::ports::{
    Hearing, Language, PortError, SpeechToText, SttCommand, SttEvent, SttStream, VoiceActivity,
};

/// What it takes to hear a person.
pub struct PersonEar {
    stt: Arc<dyn SpeechToText>,
    hearing: Hearing,
    vad: Arc<dyn Fn() -> Box<dyn VoiceActivity> + Send + Sync>,
    open: Option<Open>,
}

struct Open {
    stream: SttStream,
    vad: Box<dyn VoiceActivity>,
}

impl std::fmt::Debug for PersonEar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PersonEar").field("open", &self.open.is_some()).finish_non_exhaustive()
    }
}

impl PersonEar {
    /// Hears by `stt` when it is needed, with the words of the tenant that it listens for.
    #[must_use]
    pub fn new(
        stt: Arc<dyn SpeechToText>,
        hearing: Hearing,
        vad: Arc<dyn Fn() -> Box<dyn VoiceActivity> + Send + Sync>,
    ) -> Self {
        Self { stt, hearing, vad, open: None }
    }

    /// Passes a command on; the score of their voice where a window of sound is complete. Opens the recognizer, in the language
    /// of the call, if it is not.
    ///
    /// # Errors
    /// When the recognizer has no room, or is gone.
    pub fn take(&mut self, command: SttCommand, language: Language) -> Result<Option<f32>, PortError> {
        let open = match &mut self.open {
            Some(open) => open,
            None => {
                let hearing = Hearing { language, ..self.hearing.clone() };
                let stream = self.stt.open(&hearing)?;
                self.open.insert(Open { stream, vad: (self.vad)() })
            }
        };
        let score = match &command {
            SttCommand::Audio(frame) => open.vad.push(frame),
            _ => None,
        };
        match open.stream.commands.try_send(command) {
            // Sound that it has no room for is dropped, as a caller's is.
            Ok(()) | Err(mpsc::error::TrySendError::Full(SttCommand::Audio(AudioFrame(_)))) => Ok(score),
            Err(_) => Err(PortError::Unavailable {
                what: "the recognizer of whoever has the call is gone".to_owned(),
                fix: "their words are not written down; the call goes on".to_owned(),
            }),
        }
    }

    /// What it recognized. Waits for ever while it is closed, and gives `None` once, when it is gone.
    pub async fn event(&mut self) -> Option<SttEvent> {
        let Some(open) = &mut self.open else { return std::future::pending().await };
        let event = open.stream.events.recv().await;
        if event.is_none() {
            self.open = None;
        }
        event
    }

    /// Nobody is heard any more.
    pub fn close(&mut self) {
        self.open = None;
    }

    /// Whether it is listening.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }
}
