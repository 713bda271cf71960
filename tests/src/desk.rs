//! A gateway with the built-in front desk and an account at the simulated carrier. Its ears and its voice are doubles.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use caller::leg;
use caller::script::{Act, Opening, Patience, Script};
use futures_util::future::BoxFuture;
use gateway::config::Config;
use gateway::providers::{Providers, agent};
use knowledge::Retriever;
use secrecy::SecretString;
use telephony::media::{AudioFrame, StreamStart};
use telephony::twilio::signature::{SIGNATURE_HEADER, sign};
use tempfile::TempDir;
use work::tools::registry::Policy;

use crate::carrier::{ACCOUNT, TOKEN, Talk};
use crate::doubles::{HummingVoice, ScriptedRecogniser};
use crate::gateway::{Doubles, TestGateway, providers};

/// A Wednesday at noon in the county.
const NOON: &str = "2026-11-25T17:00:00Z";

/// Starts it. `says` are the caller's words, one an utterance.
pub async fn start(
    dir: Arc<TempDir>,
    mut config: Config,
    carrier: &str,
    says: &[&str],
) -> Result<TestGateway> {
    config.carrier.twilio.account_sid = Some(ACCOUNT.to_owned());
    config.carrier.twilio.auth_token = Some(SecretString::from(TOKEN));
    config.carrier.twilio.address = carrier.to_owned();
    let doubles = Doubles {
        stt: Arc::new(ScriptedRecogniser::new(says)),
        tts: Arc::new(HummingVoice { first_after: Duration::from_millis(5), letter_ms: 4, recorded: None }),
        ..Doubles::default()
    };
    config.limits = doubles.limits.clone();
    let engines = |platform: storage::Platform| -> BoxFuture<'static, Result<Providers>> {
        Box::pin(async move {
            let desk =
                agent::start(&platform, Arc::new(Retriever::lexical()), None, Policy::default()).await?;
            let adopt = agent::adopter(&desk);
            Ok(Providers { responder: Arc::new(desk), adopt, ..providers(doubles) })
        })
    };
    let gateway = TestGateway::run(dir, config, engines).await?;
    gateway.running.app.clock.stand_at(NOON.parse()?);
    Ok(gateway)
}

/// What proves a request to be the carrier's.
#[must_use]
pub fn signature(url: &str, form: &[(String, String)]) -> (&'static str, String) {
    (SIGNATURE_HEADER, sign(&SecretString::from(TOKEN), url, form))
}

/// A caller who presses these keys, one after each answer, or speaks where there is a `*`; and then stays on the line.
#[must_use]
pub fn caller(acts: &'static str) -> Talk {
    Arc::new(move |url, parameters, call_sid| {
        Box::pin(async move {
            let stream_sid = format!("MZ{}", uuid::Uuid::new_v4().simple());
            let start = StreamStart { stream_sid, call_sid, account_sid: ACCOUNT.to_owned(), parameters };
            let patience =
                Patience { gap_ms: 300, quiet_ms: 60_000, answer_ms: 60_000, hangup_after_ms: None };
            let act = |what: char| match what {
                '*' => Act::Say(vec![AudioFrame([0x10; 160]); 50]),
                key => Act::Press(vec![key]),
            };
            let stays = Act::Say(vec![AudioFrame::SILENCE; 3_000]);
            let acts = acts.chars().map(act).chain([stays]).collect();
            let script = Script::new(acts, Opening::AfterGreeting, patience);
            let _ = leg::talk(&url, Some(signature(&url, &[])), start, script).await;
        })
    })
}
