//! `quandura call`.

pub(super) mod dialled;
pub(super) mod show;

use std::time::Duration;

use anyhow::{Context, bail};

use super::args::{self, Keep, Utterance};
use crate::config::Config;
use caller::audio;
use caller::leg::{self, Outcome};
use caller::script::{Act, Opening, Patience, Script, pressed};
use caller::voice::{self, Voice};
use dialled::Dialled;
use show::{Show, Telling};

/// Longest wait for any sound before the caller gives up.
const ANSWER: Duration = Duration::from_secs(20);

/// Places the call; an error when nothing came back.
pub async fn run(config: Config, args: args::Call) -> anyhow::Result<()> {
    let needs_voice = args.spoken.0.iter().any(|said| matches!(said, Utterance::Say(_)));
    let voice = match needs_voice {
        true => Some(Voice::load(&config.models_dir, voice::language(&args.language)?).await?),
        false => None,
    };
    place(&config, &args, voice.as_ref(), Show::new(args.json, Telling::Planned)).await
}

/// The same with a voice that is there.
pub(super) async fn place(
    config: &Config,
    args: &args::Call,
    voice: Option<&Voice>,
    show: Show,
) -> anyhow::Result<()> {
    let script = Script::new(acts(args, voice).await?, opening(args), patience(args)?);
    let line = Dialled::new(config, &args.dial).await?;
    show.calling(line.to(), line.base());
    let follower = line.follow(config, &show).await;
    let stream = line.place().await?;
    let outcome = leg::talk(&stream.url, stream.signature, stream.start, script).await?;
    if let Some(follower) = follower {
        follower.finish().await;
    }
    save(&args.keep, &outcome)?;
    show.summary(&outcome);
    if outcome.heard_ms() == 0 {
        bail!("nothing came back from the gateway{}", why(&outcome));
    }
    if outcome.answers.iter().all(|answer| answer.heard_ms == 0) && args.hangup_after.is_none() {
        bail!("the greeting was heard, but no answer{}", why(&outcome));
    }
    Ok(())
}

/// Why the gateway ended the call, where it did.
pub(super) fn why(outcome: &Outcome) -> String {
    match &outcome.closed {
        Some(closed) => format!(": it closed the stream with {} {}", closed.code, closed.reason),
        None => String::new(),
    }
}

/// Writes the sound that was asked for.
pub(super) fn save(keep: &Keep, outcome: &Outcome) -> anyhow::Result<()> {
    if let Some(path) = &keep.save {
        audio::write_mono(path, &outcome.heard)?;
    }
    if let Some(path) = &keep.save_stereo {
        audio::write_stereo(path, &outcome.said, &outcome.heard)?;
    }
    Ok(())
}

/// What the caller does, in order. All words are rendered before the call, so that nobody waits for them in it.
async fn acts(args: &args::Call, voice: Option<&Voice>) -> anyhow::Result<Vec<Act>> {
    let mut acts = Vec::new();
    for said in &args.spoken.0 {
        acts.push(Act::Say(match (said, voice) {
            (Utterance::Wav(path), _) => audio::read(path)?,
            (Utterance::Say(text), Some(voice)) => voice.say(text).await.context("--say")?,
            (Utterance::Say(_), None) => bail!("--say: there is no voice"),
        }));
    }
    if let Some(keys) = &args.digits {
        acts.push(Act::Press(pressed(keys).context("--digits")?));
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

#[cfg(test)]
mod tests;
