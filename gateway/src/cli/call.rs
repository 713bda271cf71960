//! `quandura call`.

mod show;

use std::time::Duration;

use anyhow::{Context, bail};
use telephony::twilio::webhook::VoiceRequest;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::args;
use super::client::{base_url, http, token};
use crate::caller::audio;
use crate::caller::dial::Exchange;
use crate::caller::follow::{Followed, follow, tenant_of};
use crate::caller::leg::{self, Outcome};
use crate::caller::order::Order;
use crate::caller::script::{Act, Opening, Patience, Script};
use crate::config::Config;
use show::Show;

/// Longest wait for any sound before the caller gives up.
const ANSWER: Duration = Duration::from_secs(20);
/// How long the last events may take after the call.
const LAST_EVENTS: Duration = Duration::from_secs(4);

/// Places the call; an error when nothing came back.
pub async fn run(config: Config, args: args::Call) -> anyhow::Result<()> {
    let script = Script::new(acts(&args)?, opening(&args), patience(&args)?);
    let line = Dialled::new(&config, &args)?;
    let show = Show::new(args.json);
    show.calling(&args.to, line.exchange.base());
    let follower = line.follow(&config, &show).await;
    let order = line.exchange.place(&line.request).await?;
    let (url, parameters) = match order {
        Order::Stream { url, parameters } => (url, parameters),
        Order::Say(text) => bail!("the gateway did not take the call; it says: {text}"),
        Order::HangUp => bail!("the gateway did not take the call: busy"),
    };
    let start = line.exchange.start(&line.request, parameters);
    let outcome = leg::talk(&url, line.exchange.stream_signature(&url), start, script).await?;
    if let Some(follower) = follower {
        follower.finish().await;
    }
    save(&args, &outcome)?;
    show.summary(&outcome);
    if outcome.heard_ms() == 0 {
        bail!("nothing came back from the gateway{}", why(&outcome));
    }
    if outcome.answers.iter().all(|answer| answer.heard_ms == 0) && args.hangup_after.is_none() {
        bail!("the greeting was heard, but no answer{}", why(&outcome));
    }
    Ok(())
}

fn why(outcome: &Outcome) -> String {
    match &outcome.closed {
        Some(closed) => format!(": it closed the stream with {} {}", closed.code, closed.reason),
        None => String::new(),
    }
}

fn save(args: &args::Call, outcome: &Outcome) -> anyhow::Result<()> {
    if let Some(path) = &args.save {
        audio::write_mono(path, &outcome.heard)?;
    }
    if let Some(path) = &args.save_stereo {
        audio::write_stereo(path, &outcome.said, &outcome.heard)?;
    }
    Ok(())
}

fn acts(args: &args::Call) -> anyhow::Result<Vec<Act>> {
    let mut acts = Vec::new();
    for path in &args.wav {
        acts.push(Act::Say(audio::read(path)?));
    }
    if let Some(keys) = &args.digits {
        let is_key = |key: char| key.is_ascii_digit() || matches!(key, '*' | '#' | 'A'..='D');
        if !keys.chars().all(is_key) {
            bail!("--digits: only 0-9, *, # and A-D can be pressed");
        }
        acts.push(Act::Press(keys.chars().collect()));
    }
    Ok(acts)
}

fn opening(args: &args::Call) -> Opening {
    match args.wait {
        Some(ms) => Opening::AfterMs(ms),
        None if args.talk_over => Opening::OverGreeting,
        None => Opening::AfterGreeting,
    }
}

fn patience(args: &args::Call) -> anyhow::Result<Patience> {
    Ok(Patience {
        gap_ms: ms("--gap", args.gap)?,
        quiet_ms: ms("--quiet", args.quiet)?,
        answer_ms: u64::try_from(ANSWER.as_millis())?,
        hangup_after_ms: args.hangup_after.map(|s| ms("--hangup-after", s)).transpose()?,
    })
}

fn ms(name: &str, seconds: f64) -> anyhow::Result<u64> {
    let duration =
        Duration::try_from_secs_f64(seconds).with_context(|| format!("{name}: give seconds, such as 4"))?;
    Ok(u64::try_from(duration.as_millis())?)
}

/// One call as the carrier knows it.
struct Dialled {
    exchange: Exchange,
    request: VoiceRequest,
}

impl Dialled {
    fn new(config: &Config, args: &args::Call) -> anyhow::Result<Self> {
        let base = base_url(config, args.target.url.as_deref())?;
        let exchange = Exchange::new(config, http()?, base);
        let request = exchange.ring(&args.from, &args.to);
        Ok(Self { exchange, request })
    }

    /// Follows the call's events, where we have a token to look at them.
    async fn follow(&self, config: &Config, show: &Show) -> Option<Follower> {
        let (http, base) = (self.exchange.http(), self.exchange.base());
        let Some(token) = token(config, base) else {
            show.note("no transcript: set ADMIN_TOKEN to see one");
            return None;
        };
        let tenant = tenant_of(http, base, &token, &self.request.to).await;
        match follow(http, base, &token, tenant, self.request.call_sid.clone()).await {
            Ok(events) => Some(Follower { task: tokio::spawn(print(events, show.clone())) }),
            Err(e) => {
                show.note(&format!("no transcript: {e:#}"));
                None
            }
        }
    }
}

struct Follower {
    task: JoinHandle<()>,
}

impl Follower {
    async fn finish(self) {
        let stop = self.task.abort_handle();
        if tokio::time::timeout(LAST_EVENTS, self.task).await.is_err() {
            stop.abort();
        }
    }
}

/// Prints until the call's end was told.
async fn print(mut events: mpsc::Receiver<Followed>, mut show: Show) {
    while let Some(event) = events.recv().await {
        show.event(&event);
        if event.name == "call.ended" {
            return;
        }
    }
}
