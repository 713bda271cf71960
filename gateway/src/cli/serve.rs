//! `quandura serve`.

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::bail;
use parking_lot::Mutex;
use storage::{Directory, Line};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use super::args;
use crate::app::App;
use crate::auth::sign_in;
use crate::config::Config;
use crate::providers::engines::Engines;
use crate::providers::{Progress, embedded};
use crate::startup::Gateway;
use crate::telemetry::logs;

/// Runs the gateway until it is asked to stop.
pub async fn run(config: Config, args: args::Serve) -> anyhow::Result<()> {
    logs::start(&config)?;
    for notice in &config.notices {
        tracing::warn!("{notice}");
    }
    let missing = embedded::missing(&config.models_dir, &config.providers);
    if !missing.is_empty() {
        bail!(
            "{} lacks {}: run `make build`, or set MODELS_DIR to where the models are, or name only providers \
             outside this machine in STT, LLM and TTS",
            config.models_dir.display(),
            missing.join(", ")
        );
    }
    let engines = Engines::new(&config);
    let mut gateway = Gateway::start(config, engines, progress(args.quiet)).await?;
    if gateway.app.config.unsigned() {
        let key = gateway.app.config.carrier.key_name();
        tracing::warn!("{key} is not set: carrier requests are served from this machine only");
    }
    tokio::spawn(watch_signals(gateway.stopper()));
    let stopping = gateway.app.stop.draining.clone();
    tokio::select! {
        ready = gateway.ready() => ready?,
        () = stopping.cancelled() => {}
    }
    if !args.quiet && !stopping.is_cancelled() {
        println!("{}", banner(&gateway.app).await?);
    }
    gateway.stopped().await;
    Ok(())
}

/// The first signal drains, the second cuts off.
async fn watch_signals(stop: mpsc::Sender<()>) {
    let (Ok(mut terminate), Ok(mut interrupt)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        tracing::error!("signals cannot be watched: stop this process with SIGKILL");
        return;
    };
    loop {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        if stop.send(()).await.is_err() {
            return;
        }
    }
}

fn progress(quiet: bool) -> Progress {
    if quiet || !std::io::stderr().is_terminal() {
        let last = Mutex::new(None);
        return Arc::new(move |what: &str| log_progress(&mut last.lock(), what));
    }
    Arc::new(|what: &str| eprint!("\r\x1b[2K{what} …"))
}

/// A log is not a terminal: the same step is told every few seconds at most.
fn log_progress(last: &mut Option<(Instant, String)>, what: &str) {
    let step: String = what.chars().take_while(|c| !c.is_ascii_digit()).collect();
    let said = last.as_ref().is_some_and(|(at, said)| *said == step && at.elapsed() < Duration::from_secs(5));
    if !said {
        tracing::info!("{what}");
        *last = Some((Instant::now(), step));
    }
}

async fn banner(app: &App) -> anyhow::Result<String> {
    let link = sign_in::local_link(app).await?;
    let number = first_line(app).await?.map_or_else(|| "(no line yet)".to_owned(), |line| line.number);
    let base = &app.public_url;
    if std::io::stderr().is_terminal() {
        eprint!("\r\x1b[2K");
    }
    let real = if app.config.unsigned() {
        format!(
            "  A real telephone  set {} and PUBLIC_URL, and let the number's voice webhook be\n\
             \x20                   PUBLIC_URL{}",
            app.config.carrier.key_name(),
            app.paths.voice
        )
    } else {
        format!("  Carrier webhook   {}", base.join(app.paths.voice))
    };
    Ok(format!(
        "\nQuandura Voice {} answers at {base}\n\n\
         \x20 Console           {link}\n\
         \x20                   (signs in once within 15 minutes; another: quandura user link)\n\
         \x20 Demo number       {number}\n\
         \x20 First call        open the console and press \"Call\", or speak a sound file into it:\n\
         \x20                   quandura call --wav question.wav --save reply.wav\n\
         {real}\n",
        env!("CARGO_PKG_VERSION"),
    ))
}

async fn first_line(app: &App) -> anyhow::Result<Option<Line>> {
    let directory = app.platform.store();
    for tenant in directory.tenants().await? {
        if let Some(line) = directory.lines(tenant.id).await?.into_iter().next() {
            return Ok(Some(line));
        }
    }
    Ok(None)
}
