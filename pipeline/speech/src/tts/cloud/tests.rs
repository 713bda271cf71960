#![allow(clippy::unwrap_used)]
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use parking_lot::Mutex;
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep};

use crate::tts::elevenlabs::{ElevenLabs, Settings};
use pipeline::ports::{Language, TextToSpeech};
use pipeline::provider::{Deadlines, Endpoint};

/// Messages and when they came, by connection.
type Taken = Arc<Mutex<Vec<Vec<(Duration, String)>>>>;

/// A server that takes everything and says nothing.
async fn listener() -> (String, Taken) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let taken = Taken::default();
    let (began, all) = (Instant::now(), Arc::clone(&taken));
    tokio::spawn(async move {
        while let Ok((tcp, _)) = listener.accept().await {
            let all = Arc::clone(&all);
            tokio::spawn(async move {
                let mut socket = tokio_tungstenite::accept_async(tcp).await.unwrap();
                let number = {
                    let mut all = all.lock();
                    all.push(Vec::new());
                    all.len() - 1
                };
                while let Some(Ok(message)) = socket.next().await {
                    let text = message.to_text().unwrap_or_default().to_owned();
                    all.lock()[number].push((began.elapsed(), text));
                }
            });
        }
    });
    (base, taken)
}

#[tokio::test]
async fn idle_connections_of_calls_and_of_the_pool_are_kept_alive() {
    let (base, taken) = listener().await;
    let voice = ElevenLabs::new(&Settings {
        endpoint: Endpoint::parse(&base).unwrap(),
        key: "test-key".into(),
        model: "model".to_owned(),
        voice: "voice".to_owned(),
        voice_es: None,
        deadlines: Deadlines::TTS,
    });
    let call = voice.open(&Language::En.into()).unwrap();
    while taken.lock().len() < 2 {
        sleep(Duration::from_millis(5)).await;
    }
    sleep(Duration::from_millis(50)).await;
    tokio::time::pause();
    sleep(Duration::from_secs(100)).await;
    let taken = taken.lock().clone();
    assert_eq!(taken.len(), 2, "the call's, and one kept ready: none was lost");
    for messages in taken {
        assert!(messages.iter().all(|(_, text)| text == r#"{"text":""}"#), "{messages:?}");
        let gaps: Vec<u64> = messages.windows(2).map(|m| (m[1].0 - m[0].0).as_secs()).collect();
        assert!(messages.len() == 6 && gaps.iter().all(|gap| (14..=16).contains(gap)), "{messages:?}");
    }
    drop(call);
}
