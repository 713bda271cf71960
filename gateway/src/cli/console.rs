//! `quandura console`: a call that is held from a terminal.

use std::io::{BufRead, IsTerminal};

use anyhow::{Context, bail};
use tokio::sync::mpsc;

use super::args::{self, SAMPLES};
use super::call::dialled::Dialled;
use super::call::show::{Show, Telling};
use super::call::{save, why};
use crate::config::Config;
use caller::audio;
use caller::leg;
use caller::live::{Deed, Live, Manner, State};
use caller::script::{Act, pressed};
use caller::voice::{self, Voice};

/// Lines that may wait to be spoken; a pipe waits for them.
const LINES: usize = 8;
/// Changes of state that may wait for the printer.
const STATES: usize = 64;
/// How a patient caller waits: quiet after an answer, and the longest for one.
const PATIENT: Manner = Manner::Patient { gap_ms: 2_000, answer_ms: 20_000 };

const COMMANDS: &str = "type what you say; /key 5 presses a key, /wav FILE speaks a file, /samples shows questions, \
    /hangup ends the call";

/// Reads this process's input until it ends or the call does.
pub async fn run(config: Config, args: args::Console) -> anyhow::Result<()> {
    let show = Show::new(args.json, Telling::Heard);
    show.hint("loading the voice");
    let voice = Voice::load(&config.models_dir, voice::language(&args.language)?).await?;
    let is_patient = args.wait || !std::io::stdin().is_terminal();
    let manner = if is_patient { PATIENT } else { Manner::Free };
    session(&config, &args, voice, read_lines(), manner, show).await
}

/// Lines of the standard input. A thread of its own reads them, since nothing else could stop waiting for a key: it
/// goes with the process.
fn read_lines() -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(LINES);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// One call, with the lines of whoever types.
pub(super) async fn session(
    config: &Config,
    args: &args::Console,
    voice: Voice,
    lines: mpsc::Receiver<String>,
    manner: Manner,
    show: Show,
) -> anyhow::Result<()> {
    let line = Dialled::new(config, &args.dial).await?;
    show.calling(line.to(), line.base());
    show.hint(COMMANDS);
    let follower = line.follow(config, &show).await;
    let stream = line.place().await?;
    let (deeds, decided) = mpsc::channel(LINES);
    let (told, states) = mpsc::channel(STATES);
    let mut live = Live::new(decided, manner, told);
    let typist = tokio::spawn(carry_out(lines, voice, deeds, show.clone()));
    let teller = tokio::spawn(tell(states, show.clone()));
    let outcome = leg::hold(&stream.url, stream.signature, stream.start, &mut live).await;
    typist.abort();
    let heard_ms = live.heard_ms();
    // The teller ends when nothing more can change.
    drop(live);
    let _ = teller.await;
    let outcome = outcome?;
    if let Some(follower) = follower {
        follower.finish().await;
    }
    save(&args.keep, &outcome)?;
    show.closed(&outcome);
    if heard_ms == 0 {
        bail!("nothing came back from the gateway{}", why(&outcome));
    }
    Ok(())
}

async fn tell(mut states: mpsc::Receiver<State>, show: Show) {
    while let Some(state) = states.recv().await {
        show.state(state);
    }
}

/// Turns lines into deeds. What cannot be done is said, and the call goes on.
async fn carry_out(mut lines: mpsc::Receiver<String>, voice: Voice, deeds: mpsc::Sender<Deed>, show: Show) {
    while let Some(line) = lines.recv().await {
        match deed(line.trim(), &voice, &show).await {
            Ok(Some(deed)) => {
                if deeds.send(deed).await.is_err() {
                    return;
                }
            }
            Ok(None) => {}
            Err(e) => show.note(&format!("{e:#}")),
        }
    }
}

async fn deed(line: &str, voice: &Voice, show: &Show) -> anyhow::Result<Option<Deed>> {
    let Some(command) = line.strip_prefix('/') else {
        let is_empty = line.is_empty();
        return Ok(if is_empty { None } else { Some(Deed::Act(Act::Say(voice.say(line).await?))) });
    };
    let (name, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
    let rest = rest.trim();
    Ok(match name {
        "key" | "keys" => Some(Deed::Act(Act::Press(pressed(rest).context("/key")?))),
        "wav" => Some(Deed::Act(Act::Say(audio::read(rest.as_ref()).context("/wav")?))),
        "hangup" | "bye" | "quit" => Some(Deed::HangUp),
        "samples" => {
            SAMPLES.iter().for_each(|sample| show.hint(&format!("  {sample}")));
            None
        }
        "help" => {
            show.hint(COMMANDS);
            None
        }
        _ => bail!("there is no command /{name}: {COMMANDS}"),
    })
}
