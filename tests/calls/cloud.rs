//! Whole calls through the wiring of `quandura serve`, with every provider simulated on loopback.
//!
//! The models folder is empty, but where the search model is wanted: nothing on this machine hears, thinks or speaks for the gateway.

mod budgets;
mod conversation;
mod crossing;
mod doctor;
mod faults;
mod governed;
mod languages;
mod office;
mod rules;
mod second_look;
mod supervised;
mod tools;
mod voice;

use std::time::Duration;

use serde_json::Value;
use tests::caller::Caller;
use tests::gateway::{LINE, TestGateway};
use tests::home::Home;
use tests::vendors::anthropic::{self, AnthropicServer};
use tests::vendors::aura::AuraServer;
use tests::vendors::deepgram::{DeepgramServer, ListenOptions};
use tests::vendors::elevenlabs::ElevenLabsServer;
use tests::vendors::fault::Fault;
use tests::vendors::model::{Pace, Script};
use tests::vendors::openai::{self, OpenAiServer};
use tests::vendors::tone::VoiceOptions;
use tokio::time::Instant;

/// What the first model says.
const ANSWER: &str = "The office is open from eight to five.";
/// What the other model says.
const OTHER: &str = "It opens at eight and closes at five.";

/// The providers of a test.
struct Vendors {
    /// The first recogniser.
    ears: DeepgramServer,
    /// The second.
    flux: DeepgramServer,
    aura: AuraServer,
    eleven: ElevenLabsServer,
    claude: AnthropicServer,
    other: OpenAiServer,
    /// Of the vendor that both hears and speaks.
    deepgram_base: String,
}

impl Vendors {
    /// The recognisers hear this question, and nothing after it.
    async fn start(question: &str) -> Self {
        Self::hearing(hears(question, "en")).await
    }

    async fn hearing(options: ListenOptions) -> Self {
        Self::with(options, |_| Script::say(ANSWER)).await
    }

    async fn with(options: ListenOptions, write: impl Fn(&Value) -> Script + Send + Sync + 'static) -> Self {
        let flux = DeepgramServer::start(options.clone()).await;
        let ears = DeepgramServer::start(options).await;
        let aura = AuraServer::start(voice_options()).await;
        let deepgram_base = crossing::crossing(vec![
            ("/speak", aura.base()),
            ("/v2/listen", flux.base()),
            ("/v1/listen", ears.base()),
        ])
        .await;
        let pace = Pace { first: Duration::from_millis(120), ..Pace::QUICK };
        Self {
            eleven: ElevenLabsServer::start(voice_options()).await,
            claude: AnthropicServer::start(pace, write).await,
            other: OpenAiServer::start(pace, |_| Script::say(OTHER)).await,
            ears,
            flux,
            aura,
            deepgram_base,
        }
    }

    /// The environment of a gateway that has all their keys.
    fn vars(&self) -> Vec<(&'static str, String)> {
        vec![
            ("DEEPGRAM_API_KEY", "test-key".to_owned()),
            ("DEEPGRAM_BASE_URL", self.deepgram_base.clone()),
            ("ELEVENLABS_API_KEY", "test-key".to_owned()),
            ("ELEVENLABS_BASE_URL", self.eleven.base()),
            ("ANTHROPIC_API_KEY", anthropic::KEY.to_owned()),
            ("ANTHROPIC_BASE_URL", self.claude.base().to_owned()),
            ("OPENAI_API_KEY", openai::KEY.to_owned()),
            ("OPENAI_BASE_URL", self.other.base().to_owned()),
        ]
    }

    /// Rules of the vendors that were broken.
    fn violations(&self) -> Vec<String> {
        [self.ears.violations(), self.flux.violations(), self.aura.violations(), self.eleven.violations()]
            .concat()
    }
}

/// A question, and nothing after it: a voice that grows soft for a moment is a new stretch to the simulator.
fn hears(question: &str, language: &'static str) -> ListenOptions {
    let texts = vec![question.to_owned(), String::new()];
    ListenOptions { texts, language, ..ListenOptions::default() }
}

/// Audio comes as fast as it can, so that phrases are rendered soon.
fn voice_options() -> VoiceOptions {
    VoiceOptions {
        first_after: Duration::from_millis(5),
        spacing: Duration::ZERO,
        letter_ms: 20,
        ..VoiceOptions::default()
    }
}

/// Every provider of every kind, outside this machine.
const LISTS: &str = "stt = [\"deepgram\", \"deepgram-flux\"]\nllm = [\"anthropic\", \"openai\"]\n\
    tts = [\"elevenlabs\", \"deepgram\"]\n";

async fn gateway(vendors: &Vendors, text: &str) -> TestGateway {
    gateway_at(&Home::sqlite().unwrap(), vendors, text).await
}

/// The same where another may have run before. The database is named in the environment.
async fn gateway_at(home: &Home, vendors: &Vendors, text: &str) -> TestGateway {
    let vars = [vendors.vars(), home.vars()].concat();
    let gateway = TestGateway::start_as_served(home.dir.clone(), text, &vars).await.unwrap();
    home.check(&gateway).unwrap();
    gateway
}

/// The models of the repository.
fn models() -> String {
    std::env::var("MODELS_DIR").unwrap_or_else(|_| format!("{}/../models", env!("CARGO_MANIFEST_DIR")))
}

/// Calls the demo line and listens to the greeting to its end.
async fn greeted(gateway: &TestGateway) -> Caller {
    let mut caller = Caller::dial(&gateway.base, LINE).await.unwrap();
    caller.silent_until(Duration::from_secs(4), |h| h.bytes() > 0).await.unwrap();
    caller.silent_until_quiet(Duration::from_millis(300), Duration::from_secs(40)).await.unwrap();
    caller
}

/// Speaks for so long; then silent until something is heard. From the last word to the first sound.
async fn ask(caller: &mut Caller, ms: usize) -> Duration {
    let before = caller.heard.lock().bytes();
    caller.speak(&voice::voice(ms)).await.unwrap();
    let ended = Instant::now();
    caller.silent_until(Duration::from_secs(10), |h| h.bytes() > before).await.unwrap();
    ended.elapsed()
}

/// Everything down, from now on.
fn break_all(vendors: &Vendors) {
    for faults in [&vendors.ears.faults, &vendors.flux.faults, &vendors.aura.faults, &vendors.eleven.faults] {
        faults.set(Fault::CloseAfter(0));
    }
    for faults in [&vendors.claude.faults, &vendors.other.faults] {
        faults.set(Fault::Status { status: 503, retry_after: None });
    }
}

/// What the agent said in a turn, as it is on record.
async fn said(gateway: &TestGateway, sid: &str, turn: u64) -> String {
    let path = format!("/v1/calls/{sid}/transcript");
    let of = |t: &Value| t["turn"] == turn && t["speaker"] == "agent";
    let transcript = gateway
        .until(&path, |t| t["turns"].as_array().is_some_and(|turns| turns.iter().any(of)))
        .await
        .unwrap();
    let turns = transcript["turns"].as_array().unwrap();
    turns.iter().find(|t| of(t)).unwrap()["text"].as_str().unwrap().to_owned()
}
