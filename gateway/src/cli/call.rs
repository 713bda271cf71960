//! `quandura call`.

mod show;

use std::time::Duration;

use anyhow::{Context, bail};
use reqwest::Client;
use secrecy::SecretString;
use telephony::media::StreamStart;
use telephony::twilio::signature::{SIGNATURE_HEADER, sign};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::args;
use super::client::{base_url, http, token};
use crate::auth::secrets;
use crate::caller::audio;
use crate::caller::follow::{Followed, follow, tenant_of};
use crate::caller::leg::{self, Outcome};
use crate::caller::order::{self, Order};
use crate::caller::script::{Act, Opening, Patience, Script};
use crate::config::Config;
use crate::webhooks::voice::VOICE_PATH;
use show::Show;
use telephony::twilio::webhook::VoiceRequest;

/// Longest wait for any answer of the gateway before the caller gives up.
const ANSWER: Duration = Duration::from_secs(20);
/// How long the last events may take after the call.
const LAST_EVENTS: Duration = Duration::from_secs(4);

/// Places the call; an error when nothing came back.
pub async fn run(config: Config, args: args::Call) -> anyhow::Result<()> {
    let script = Script::new(acts(&args)?, opening(&args), patience(&args)?);
    let line = Dialled::new(&config, &args)?;
    let show = Show::new(args.json);
    show.calling(&args.to, &line.base);
    let follower = line.follow(&config, &show).await;
    let order = line.place().await?;
    let (url, parameters) = match order {
        Order::Stream { url, parameters } => (url, parameters),
        Order::Say(text) => bail!("the gateway did not take the call; it says: {text}"),
        Order::HangUp => bail!("the gateway did not take the call: busy"),
    };
    let outcome = leg::talk(&url, line.signature(&url, &[]), line.start(parameters), script).await?;
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
    http: Client,
    base: String,
    /// Address that the gateway believes it has; webhooks are signed with it.
    signed_base: String,
    key: Option<SecretString>,
    request: VoiceRequest,
}

impl Dialled {
    fn new(config: &Config, args: &args::Call) -> anyhow::Result<Self> {
        let base = base_url(config, args.target.url.as_deref())?;
        let signed_base =
            config.public_url.as_ref().map_or_else(|| base.clone(), |url| url.as_str().to_owned());
        let account = config.carrier.account_sid.clone();
        let request = VoiceRequest {
            call_sid: format!("CA{}", secrets::random_hex(16)),
            account_sid: account.unwrap_or_else(|| format!("AC{}", secrets::random_hex(16))),
            from: Some(args.from.clone()),
            to: args.to.clone(),
        };
        Ok(Self { http: http()?, base, signed_base, key: config.carrier.auth_token.clone(), request })
    }

    fn signature(&self, url: &str, fields: &[(String, String)]) -> Option<(&'static str, String)> {
        self.key.as_ref().map(|key| (SIGNATURE_HEADER, sign(key, url, fields)))
    }

    async fn place(&self) -> anyhow::Result<Order> {
        let fields = self.request.to_form();
        let mut post = self.http.post(format!("{}{VOICE_PATH}", self.base)).form(&fields).timeout(ANSWER);
        if let Some((name, value)) = self.signature(&format!("{}{VOICE_PATH}", self.signed_base), &fields) {
            post = post.header(name, value);
        }
        let answer = post.send().await.map_err(|_| {
            anyhow::anyhow!(
                "{} does not answer: start the gateway with `quandura serve`, or give --url",
                self.base
            )
        })?;
        let (status, body) = (answer.status(), answer.text().await?);
        if !status.is_success() {
            let error: serde_json::Value = serde_json::from_str(&body).unwrap_or_default();
            bail!(
                "the gateway refused the call ({status}): {}",
                error["error_message"].as_str().unwrap_or(&body)
            );
        }
        order::read(&body).map_err(|what| anyhow::anyhow!("the gateway's answer is not understood: {what}"))
    }

    fn start(&self, parameters: Vec<(String, String)>) -> StreamStart {
        StreamStart {
            stream_sid: format!("MZ{}", secrets::random_hex(16)),
            call_sid: self.request.call_sid.clone(),
            account_sid: self.request.account_sid.clone(),
            parameters,
        }
    }

    /// Follows the call's events, where we have a token to look at them.
    async fn follow(&self, config: &Config, show: &Show) -> Option<Follower> {
        let Some(token) = token(config, &self.base) else {
            show.note("no transcript: set ADMIN_TOKEN to see one");
            return None;
        };
        let tenant = tenant_of(&self.http, &self.base, &token, &self.request.to).await;
        match follow(&self.http, &self.base, &token, tenant, self.request.call_sid.clone()).await {
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
