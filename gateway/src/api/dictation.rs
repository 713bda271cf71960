//! `POST /v1/calls/{id}/dictation`: a whisper that is spoken becomes words, which the person reads before they send it. Nothing
//! of it is kept.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use pipeline::ports::{Hearing, Language, SttCommand, SttEvent, SttStream};
use pipeline::turn::{Expectation, UtteranceId};
use serde_json::{Value, json};
use telephony::media::{AudioFrame, FRAME_BYTES};
use tokio::time::{Instant, timeout, timeout_at};

use super::{calls, supervise};
use crate::app::App;
use crate::auth::{Act, Scoped};
use crate::error::{ApiError, ErrorCode};

/// Mu-law at 8 kHz: half a minute.
pub const MAX_BODY: usize = 30 * 8_000;
/// Less than this is no word.
const SHORTEST: usize = 10 * FRAME_BYTES;
/// Until the words are there.
const DEADLINE: Duration = Duration::from_secs(10);
/// A second ear may better them for so long.
const BETTER: Duration = Duration::from_secs(1);
const UTTERANCE: UtteranceId = UtteranceId(1);

/// The handler. The body is mu-law at 8 kHz without a header (`audio/basic`); the answer has the words.
///
/// # Errors
/// 409 where the call is not live, 422 where no words are heard, 503 where the recognizer has no room.
pub async fn handle(
    State(app): State<Arc<App>>,
    scope: Scoped<Act>,
    Path(id): Path<String>,
    sound: Bytes,
) -> Result<Json<Value>, ApiError> {
    let call = calls::find(&scope.store, &id).await?;
    supervise::with_us(&app, call.id)?;
    if sound.len() < SHORTEST {
        return Err(unheard("the sound is too short for a word"));
    }
    let ready = app.engines()?;
    let key_terms = app.vocabularies.of(&scope.store).await.key_terms;
    // People of the office may speak either, whatever the call is in.
    let languages = vec![Language::En, Language::Es];
    let hearing = Hearing { language: Language::En, languages, key_terms };
    let stream = ready.providers.stt.open(&hearing).map_err(|_| busy())?;
    let text = timeout(DEADLINE, recognize(stream, &sound)).await.ok().flatten().ok_or_else(busy)?;
    if text.is_empty() {
        return Err(unheard("no words were heard"));
    }
    Ok(Json(json!({ "text": text })))
}

fn unheard(what: &'static str) -> ApiError {
    ApiError::new(ErrorCode::InvalidRequest, what)
        .with_status(StatusCode::UNPROCESSABLE_ENTITY)
        .advise("say it again, closer to the microphone, or type it")
}

fn busy() -> ApiError {
    ApiError::new(ErrorCode::ServiceUnavailable, "the recognizer has no room for it").advise("type it")
}

/// The words of the whole sound. `None`: the recognizer is gone.
async fn recognize(mut stream: SttStream, sound: &[u8]) -> Option<String> {
    let commands = stream.commands.clone();
    let frames = sound.chunks(FRAME_BYTES).map(|chunk| {
        let mut frame = AudioFrame::SILENCE;
        frame.0[..chunk.len()].copy_from_slice(chunk);
        SttCommand::Audio(frame)
    });
    let asked = Expectation::Open;
    let pause = SttCommand::Pause { utterance: UTTERANCE, pause: 1, asked };
    let orders =
        [SttCommand::SpeechStarted { utterance: UTTERANCE }].into_iter().chain(frames).chain([pause]);
    let feed = async {
        for order in orders {
            commands.send(order).await.ok()?;
        }
        Some(())
    };
    let hear = async {
        let mut best = None;
        let mut until: Option<Instant> = None;
        loop {
            let event = match until {
                None => stream.events.recv().await,
                Some(at) => timeout_at(at, stream.events.recv()).await.ok().flatten(),
            };
            match event {
                Some(SttEvent::Final { pause: 1, text, settled, .. }) => {
                    let text = text.trim().to_owned();
                    if settled {
                        return Some(text);
                    }
                    best = Some(text);
                    until = until.or_else(|| Some(Instant::now() + BETTER));
                }
                Some(SttEvent::Lost { .. }) | None => return best,
                Some(_) => {}
            }
        }
    };
    // Both at once: the queues between are bounded.
    let (fed, heard) = tokio::join!(feed, hear);
    fed.and(heard)
}
