//! A gateway with the real front desk, scripted ears and a humming voice.

use std::sync::Arc;

use anyhow::Result;
use futures_util::future::BoxFuture;
use gateway::providers::lineup::Lineup;
use gateway::providers::{Loaded, Providers, agent};
use gateway::startup::Gateway;
use knowledge::Retriever;
use pipeline::ports::Language;
use storage::Platform;
use tests::doubles::{EnergyVad, HummingVoice, ScriptedRecogniser};
use tests::gateway::{Doubles, TestGateway};
use tests::home::Home;

/// A gateway whose callers say this, call after call.
pub async fn gateway(home: &Home, said: &[&str]) -> Result<TestGateway> {
    gateway_under(home, said, 0.0).await
}

/// The same with engines and machine in use so far, 0 to 1.
pub async fn gateway_under(home: &Home, said: &[&str], load: f32) -> Result<TestGateway> {
    let stt = Arc::new(ScriptedRecogniser::new(said));
    let engines = move |platform: Platform| -> BoxFuture<'static, Result<Loaded>> {
        Box::pin(async move {
            let retriever = Arc::new(Retriever::lexical());
            let desk = agent::start(&platform, retriever.clone(), None, Default::default()).await?;
            let providers = Providers {
                stt,
                tts: Arc::new(HummingVoice { letter_ms: 4, ..HummingVoice::default() }),
                screen: agent::screens(&desk),
                adopt: agent::adopter(&desk),
                rules: agent::lawgiver(&desk),
                responder: Arc::new(desk),
                vad: Arc::new(|| Box::new(EnergyVad::default())),
                outside: Default::default(),
                retriever,
                load: Arc::new(move || load),
            };
            let lineup = Lineup { spoken: vec![Language::En, Language::Es], ..Lineup::default() };
            Ok(Loaded { providers, lineup })
        })
    };
    let mut config = home.config();
    config.limits = Doubles::default().limits;
    let mut running = Gateway::start(config, engines, Arc::new(|_: &str| {})).await?;
    running.ready().await?;
    let base = format!("http://{}", running.addr);
    Ok(TestGateway { running, base, dir: home.dir.clone() })
}
