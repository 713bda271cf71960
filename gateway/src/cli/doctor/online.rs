//! `quandura doctor --online`: each outside provider is asked for a little work, as a call would ask it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::{BoxFuture, join_all};
use models::conversation::{Conversation, Message};
use models::model::{LanguageModel, ModelEvent, Request};
use pipeline::ports::{Language, SpeechToText, SttCommand, SttEvent, TextToSpeech, TtsCommand, TtsEvent};
use pipeline::provider::{Endpoint, Failure, Kind};
use pipeline::turn::{Expectation, ReplySegment, SegmentId, SegmentKind, TurnId, UtteranceId};
use reqwest::tls::Version;
use telephony::media::{AudioFrame, FRAME_BYTES, MULAW_SILENCE};
use tokio::time::{sleep, timeout};

use super::{Check, outside};
use crate::config::{Config, Named};
use crate::providers::cloud;

/// Longest wait for one provider.
const LIMIT: Duration = Duration::from_secs(8);
/// Silence that a recogniser is given.
const FRAMES: usize = 25;
const UTTERANCE: UtteranceId = UtteranceId(1);

/// One check a provider and one an address, all at once.
pub async fn all(config: &Config) -> Vec<Check> {
    let mut asked: Vec<BoxFuture<'_, Check>> = Vec::new();
    for stt in config.providers.stt.iter().filter(|p| !p.is_embedded()) {
        asked.push(Box::pin(judged(format!("stt.{}", stt.name()), "a final", async {
            listen(cloud::recogniser(*stt, config)?).await
        })));
    }
    for llm in config.providers.llm.iter().filter(|p| !p.is_embedded()) {
        asked.push(Box::pin(judged(format!("llm.{}", llm.name()), "first words", async {
            ask(cloud::model(*llm, config)?).await
        })));
    }
    for tts in config.providers.tts.iter().filter(|p| !p.is_embedded()) {
        asked.push(Box::pin(judged(format!("tts.{}", tts.name()), "first sound", async {
            speak(cloud::voice(*tts, config, &[Language::En])?.voice).await
        })));
    }
    let endpoints = outside::endpoints(config);
    for endpoint in endpoints.iter().filter(|e| e.is_secure()) {
        asked.push(Box::pin(tls(endpoint.clone())));
    }
    join_all(asked).await
}

/// Runs one exchange within the limit.
async fn judged(
    name: String,
    what: &'static str,
    exchange: impl Future<Output = anyhow::Result<Result<Duration, Failure>>>,
) -> Check {
    match timeout(LIMIT, exchange).await {
        Ok(Ok(Ok(took))) => Check::ok(name, format!("answers: {what} after {} ms", took.as_millis())),
        Ok(Ok(Err(failure))) => Check::fail(name, failure.to_string(), fix(failure.kind)),
        Ok(Err(error)) => Check::fail(name, error.to_string(), "correct its settings"),
        Err(_) => {
            let detail = format!("no {what} within {} s", LIMIT.as_secs());
            Check::fail(name, detail, "check the network and the provider's status page")
        }
    }
}

const fn fix(kind: Kind) -> &'static str {
    match kind {
        Kind::Connect => "check the base URL, the network, and that this machine may reach it",
        Kind::Unauthorised => "check the key, its rights and the account's credit",
        Kind::Refused => "check the model and voice names in the settings",
        Kind::RateLimited { .. } => "raise the account's limits, or lower limits.max_calls",
        Kind::Overloaded | Kind::Server | Kind::Stalled | Kind::Closed => {
            "try again; if it stays, see the provider's status page"
        }
        Kind::Garbage => "check the base URL: something else answers there",
    }
}

async fn listen(stt: Arc<dyn SpeechToText>) -> anyhow::Result<Result<Duration, Failure>> {
    let mut stream = stt.open(&Language::En.into())?;
    let began = Instant::now();
    let _ = stream.commands.send(SttCommand::SpeechStarted { utterance: UTTERANCE }).await;
    for _ in 0..FRAMES {
        let silence = AudioFrame([MULAW_SILENCE; FRAME_BYTES]);
        if stream.commands.send(SttCommand::Audio(silence)).await.is_err() {
            break;
        }
        sleep(Duration::from_millis(20)).await;
    }
    let _ = stream
        .commands
        .send(SttCommand::Pause { utterance: UTTERANCE, pause: 1, asked: Expectation::Open })
        .await;
    while let Some(event) = stream.events.recv().await {
        match event {
            SttEvent::Final { .. } => return Ok(Ok(began.elapsed())),
            SttEvent::Lost { failure } => return Ok(Err(failure)),
            _ => {}
        }
    }
    Ok(Err(Failure::new(Kind::Closed, "the recogniser went away")))
}

async fn speak(tts: Arc<dyn TextToSpeech>) -> anyhow::Result<Result<Duration, Failure>> {
    let mut stream = tts.open(&Language::En.into())?;
    let began = Instant::now();
    let id = SegmentId { turn: TurnId(0), index: 0 };
    let segment = ReplySegment { id, text: "Hello.".to_owned(), kind: SegmentKind::Notice, fixed: false };
    let _ = stream.commands.send(TtsCommand::Speak(segment)).await;
    while let Some(event) = stream.events.recv().await {
        match event {
            TtsEvent::Audio { .. } => return Ok(Ok(began.elapsed())),
            TtsEvent::Failed { failure, .. } => return Ok(Err(failure)),
            _ => {}
        }
    }
    Ok(Err(Failure::new(Kind::Closed, "the voice went away")))
}

async fn ask(model: Arc<dyn LanguageModel>) -> anyhow::Result<Result<Duration, Failure>> {
    let conversation = Conversation {
        system: "You answer with one word.".to_owned(),
        messages: vec![Message::Caller { text: "Say hello.".to_owned() }],
        ..Conversation::default()
    };
    let began = Instant::now();
    let request = Request { conversation: Arc::new(conversation), tools: Arc::new([]), max_tokens: 64 };
    let mut stream = model.ask(request);
    while let Some(event) = stream.events.recv().await {
        match event {
            ModelEvent::Text(_) | ModelEvent::Call(_) | ModelEvent::Done { .. } => {
                return Ok(Ok(began.elapsed()));
            }
            ModelEvent::Failed(failure) => return Ok(Err(failure)),
            ModelEvent::Provider(_) => {}
        }
    }
    Ok(Err(Failure::new(Kind::Closed, "the model went away")))
}

/// Decision 27: TLS 1.3 is wanted; 1.2 is told.
async fn tls(endpoint: Endpoint) -> Check {
    let name = "tls";
    let host = endpoint.host().to_owned();
    if reaches(&endpoint, Version::TLS_1_3).await {
        return Check::ok(name, format!("{host} speaks TLS 1.3"));
    }
    if reaches(&endpoint, Version::TLS_1_2).await {
        return Check::warn(
            name,
            format!("{host} speaks TLS 1.2 and not 1.3"),
            "that is the provider's; where the server is yours, allow 1.3",
        );
    }
    Check::fail(name, format!("{host} does not answer over TLS"), fix(Kind::Connect))
}

async fn reaches(endpoint: &Endpoint, version: Version) -> bool {
    let client = reqwest::Client::builder().tls_version_min(version).timeout(LIMIT).build();
    let Ok(client) = client else { return false };
    // Whatever the answer says: it came over that version.
    client.head(endpoint.http("/")).send().await.is_ok()
}
