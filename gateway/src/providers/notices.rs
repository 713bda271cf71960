//! What callers hear who are not served. Rendered in advance: it must be said even when everything is busy.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;
use pipeline::ports::{Language, PortError, TextToSpeech, TtsCommand, TtsEvent};
use pipeline::turn::{ReplySegment, SegmentId, SegmentKind, TurnId};
use telephony::media::AudioFrame;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use telephony::media::frames;

/// What a caller hears when the machine is full.
pub const BUSY_MESSAGE: &str = "All our lines are busy at the moment. Please call again in a few minutes. \
    If this is an emergency, please hang up and dial 911. Goodbye.";
const BUSY_MESSAGE_ES: &str = "En este momento todas nuestras líneas están ocupadas. Por favor, llame de nuevo en \
    unos minutos. Si es una emergencia, cuelgue y marque el 911. Adiós.";
/// What a caller hears when the tenant's day has cost what it may.
pub const BUDGET_MESSAGE: &str = "We're sorry, our telephone assistant cannot take any more calls today. \
    Please call again tomorrow. If this is an emergency, please hang up and dial 911. Goodbye.";
const BUDGET_MESSAGE_ES: &str = "Lo sentimos, nuestro asistente telefónico no puede atender más llamadas hoy. \
    Por favor, llame de nuevo mañana. Si es una emergencia, cuelgue y marque el 911. Adiós.";

/// Longest wait for one notice to be rendered.
const RENDER: Duration = Duration::from_secs(30);
/// Wait before notices that could not be rendered are tried again.
const AGAIN: Duration = Duration::from_secs(30);

/// Why a caller is turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Notice {
    /// No place, or too busy to serve one more well.
    Busy,
    /// The tenant's budget of the day is spent.
    Budget,
}

impl Notice {
    pub const ALL: [Self; 2] = [Self::Busy, Self::Budget];

    /// Name in records and metrics.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Busy => "busy",
            Self::Budget => "budget",
        }
    }

    /// The words.
    #[must_use]
    pub const fn text(self, language: Language) -> &'static str {
        match (self, language) {
            (Self::Busy, Language::En) => BUSY_MESSAGE,
            (Self::Busy, Language::Es) => BUSY_MESSAGE_ES,
            (Self::Budget, Language::En) => BUDGET_MESSAGE,
            (Self::Budget, Language::Es) => BUDGET_MESSAGE_ES,
        }
    }
}

/// Audio of each notice in each language.
type Frames = HashMap<(Notice, Language), Arc<[AudioFrame]>>;

/// The notices as audio.
#[derive(Debug, Default)]
pub struct Notices(RwLock<Frames>);

impl Notices {
    /// A notice as audio; in English where it is not there in the language, and nothing where it is in neither.
    #[must_use]
    pub fn frames(&self, notice: Notice, language: Language) -> Arc<[AudioFrame]> {
        let rendered = self.0.read();
        let found = rendered.get(&(notice, language)).or_else(|| rendered.get(&(notice, Language::En)));
        found.cloned().unwrap_or_default()
    }

    /// There is no sound for it yet: somebody else must say it.
    #[must_use]
    pub fn lacks(&self, notice: Notice) -> bool {
        !self.0.read().keys().any(|(of, _)| *of == notice)
    }

    /// Renders all notices in the languages, and goes on trying until all are there or `closing`.
    pub async fn keep_rendering(
        self: Arc<Self>,
        tts: Arc<dyn TextToSpeech>,
        languages: Vec<Language>,
        closing: CancellationToken,
    ) {
        let mut told = false;
        loop {
            let failed = self.render_missing(&*tts, &languages).await;
            let Some(error) = failed else { return };
            if !told {
                tracing::warn!(%error, "the busy message could not be rendered: it is tried again");
                told = true;
            }
            tokio::select! {
                () = sleep(AGAIN) => {}
                () = closing.cancelled() => return,
            }
        }
    }

    async fn render_missing(&self, tts: &dyn TextToSpeech, languages: &[Language]) -> Option<PortError> {
        let mut failed = None;
        for language in languages {
            for notice in Notice::ALL {
                if self.0.read().contains_key(&(notice, *language)) {
                    continue;
                }
                match render(tts, *language, notice.text(*language)).await {
                    Ok(mulaw) => {
                        self.0.write().insert((notice, *language), frames(&mulaw).into());
                    }
                    Err(error) => failed = Some(error),
                }
            }
        }
        failed
    }
}

/// Synthesises one fixed phrase; the adapter keeps it in its cache.
pub(super) async fn render(
    tts: &dyn TextToSpeech,
    language: Language,
    text: &str,
) -> Result<Vec<u8>, PortError> {
    let mut stream = tts.open(&language.into())?;
    let id = SegmentId { turn: TurnId(0), index: 0 };
    let segment = ReplySegment { id, text: text.to_owned(), kind: SegmentKind::Notice, fixed: true };
    let failed = |what: &str| PortError::Unavailable {
        what: what.to_owned(),
        fix: "see `quandura doctor` for the speech engine".to_owned(),
    };
    if stream.commands.send(TtsCommand::Speak(segment)).await.is_err() {
        return Err(failed("the voice does not listen"));
    }
    let mut mulaw = Vec::new();
    loop {
        match timeout(RENDER, stream.events.recv()).await {
            Ok(Some(TtsEvent::Audio { mulaw: part, .. })) => mulaw.extend(part),
            Ok(Some(TtsEvent::Done { .. })) => return Ok(mulaw),
            Ok(Some(TtsEvent::Provider(_) | TtsEvent::Used(_))) => {}
            Ok(Some(TtsEvent::Failed { failure, .. })) => return Err(failed(&failure.to_string())),
            Ok(None) => return Err(failed("the voice went away")),
            Err(_) => return Err(failed("the voice took too long")),
        }
    }
}
