//! Servers on this machine that speak the protocols of Deepgram, ElevenLabs and Anthropic, to see the cloud path work
//! without an account: `cargo run -p tests --example providers`, then `quandura serve` with the settings it prints.
//!
//! They understand nothing. Each stretch of speech is taken for the next line of a list, the model looks questions
//! up with the gateway's own tool and reads out what it is given, and the voice is a tone as long as the words.

use std::time::Duration;

use serde_json::{Value, json};
use tests::vendors::anthropic::{self, AnthropicServer};
use tests::vendors::deepgram::{DeepgramServer, ListenOptions};
use tests::vendors::elevenlabs::ElevenLabsServer;
use tests::vendors::model::{Pace, Script};
use tests::vendors::tone::VoiceOptions;

/// What callers are understood to say, in turn.
const SAID: [&str; 3] = [
    "How do I get rid of an old couch?",
    "What do I need for a building permit?",
    "No, that is all. Thank you, goodbye.",
];
/// Words of a document that are read out.
const READ_OUT: usize = 40;

#[tokio::main]
async fn main() {
    let listen = ListenOptions { texts: SAID.map(str::to_owned).to_vec(), ..ListenOptions::default() };
    let deepgram = DeepgramServer::start(listen).await;
    let elevenlabs = ElevenLabsServer::start(VoiceOptions::default()).await;
    let pace = Pace { first: Duration::from_millis(300), between: Duration::from_millis(10), chars: 5 };
    let anthropic = AnthropicServer::start(pace, answer).await;
    println!("export STT=deepgram DEEPGRAM_API_KEY=test-key DEEPGRAM_BASE_URL={}", deepgram.base());
    println!("export TTS=elevenlabs ELEVENLABS_API_KEY=test-key ELEVENLABS_BASE_URL={}", elevenlabs.base());
    println!(
        "export LLM=anthropic ANTHROPIC_API_KEY={} ANTHROPIC_BASE_URL={}",
        anthropic::KEY,
        anthropic.base()
    );
    let _ = tokio::signal::ctrl_c().await;
    for what in deepgram.violations().iter().chain(&elevenlabs.violations()) {
        eprintln!("against a provider's documentation: {what}");
    }
}

/// Looks up what was asked; then says what was found.
fn answer(request: &Value) -> Script {
    let last = request["messages"].as_array().and_then(|all| all.last());
    let parts = last.and_then(|message| message["content"].as_array()).map(Vec::as_slice).unwrap_or_default();
    let found = parts.iter().find(|part| part["type"] == "tool_result");
    let Some(found) = found else {
        let said = parts.iter().filter_map(|part| part["text"].as_str()).collect::<String>();
        let asked = SAID.iter().find(|asked| said.contains(**asked)).copied().unwrap_or("opening hours");
        return if asked == SAID[2] {
            Script::say("You are welcome. Goodbye.")
        } else {
            Script::call("search_knowledge", json!({ "query": asked }))
        };
    };
    let text = found["content"].as_str().map_or_else(|| found["content"].to_string(), str::to_owned);
    // What a tool found stands below its source, in brackets.
    let passage = text.split_once("]\n").map_or("I found nothing about that.", |(_, passage)| passage);
    Script::say(&passage.split_whitespace().take(READ_OUT).collect::<Vec<_>>().join(" "))
}
