//! Keys of providers: used on the wire, and seen nowhere else.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tests::caller::Caller;
use tests::gateway::{LINE, TestGateway};
use tests::vendors::deepgram::{DeepgramServer, ListenOptions};
use tests::vendors::elevenlabs::ElevenLabsServer;
use tests::vendors::model::{Pace, Script};
use tests::vendors::openai::OpenAiServer;
use tests::vendors::tone::VoiceOptions;

const PLANTED: &str = "pl4nted-s3cret";

fn holds_key(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holds_key(&path));
        } else if std::fs::read(&path).unwrap().windows(PLANTED.len()).any(|w| w == PLANTED.as_bytes()) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_providers_key_is_in_no_answer_and_on_no_disk() {
    let ears =
        DeepgramServer::start(ListenOptions { key: PLANTED.to_owned(), ..ListenOptions::default() }).await;
    // Refuses the key: what it is told must not come back out either.
    let voice =
        ElevenLabsServer::start(VoiceOptions { key: "another".to_owned(), ..VoiceOptions::default() }).await;
    let model = OpenAiServer::start(Pace::QUICK, |_| Script::say("Yes.")).await;
    let vars = [
        ("DEEPGRAM_API_KEY", PLANTED.to_owned()),
        ("DEEPGRAM_BASE_URL", ears.base()),
        ("ELEVENLABS_API_KEY", PLANTED.to_owned()),
        ("ELEVENLABS_BASE_URL", voice.base()),
        ("OPENAI_API_KEY", PLANTED.to_owned()),
        ("OPENAI_BASE_URL", model.base().to_owned()),
    ];
    let dir = Arc::new(tempfile::tempdir().unwrap());
    let lists = "stt = [\"deepgram\"]\nllm = [\"openai\"]\ntts = [\"elevenlabs\"]\n";
    let gateway = TestGateway::start_as_served(dir.clone(), lists, &vars).await.unwrap();
    let mut caller = Caller::dial(&gateway.base, LINE).await.unwrap();
    let sid = caller.order.call_sid.clone();
    let _ = caller.silent_until(Duration::from_secs(4), |h| h.closed.is_some()).await;
    let _ = caller.hang_up().await;
    gateway.until(&format!("/v1/calls/{sid}"), |c| c["state"] == "ended").await.unwrap();
    assert!(ears.upgrades().iter().any(|u| u.header("authorization").contains(PLANTED)), "it was used");
    for path in ["/metrics", "/health", "/v1/calls", &format!("/v1/calls/{sid}/transcript")] {
        let asked = reqwest::Client::new().get(format!("{}{path}", gateway.base));
        let answer = asked.bearer_auth(tests::gateway::ADMIN).send().await.unwrap().text().await.unwrap();
        assert!(!answer.contains(PLANTED), "{path}: {answer}");
    }
    gateway.running.shutdown().await;
    assert_eq!(holds_key(dir.path()), Vec::<String>::new());
}
