//! Sounds that callers make while we speak: those that want the turn, and those that do not.

use std::time::Duration;

use anyhow::{Result, ensure};
use pipeline::ports::TextToSpeech;

use crate::clips::{self, Clip, PER_MS, Prompts, Word};
use crate::sounds;
use crate::virtual_call::Echo;

/// What a sound is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The caller takes the turn.
    Interruption,
    /// The same from a speakerphone, with our own voice in it.
    OverEcho,
    /// The caller listens aloud.
    BackChannel,
    /// No word at all.
    Noise,
    /// Our own words.
    Echo,
}

/// A sound over our reply.
#[derive(Clone, Debug)]
pub struct OverTalk {
    pub name: String,
    pub kind: Kind,
    /// How it is said: plainly, softly, ...
    pub manner: &'static str,
    pub held_out: bool,
    /// What the caller's telephone sends, from the call's first frame on.
    pub pcm: Vec<f32>,
    pub words: Vec<Word>,
    /// The sound begins and ends, ms.
    pub from_ms: u64,
    pub to_ms: u64,
    pub echo: Option<Echo>,
    /// Which of the replies it is spoken over.
    pub reply: usize,
}

impl OverTalk {
    /// The caller wants the turn.
    #[must_use]
    pub const fn is_interruption(&self) -> bool {
        matches!(self.kind, Kind::Interruption | Kind::OverEcho)
    }

    /// When the call is over: what has not happened by then does not.
    #[must_use]
    pub const fn over_ms(&self) -> u64 {
        self.to_ms + 2_000
    }
}

/// What we say meanwhile, in two versions.
pub const REPLIES: [[&str; 5]; 2] = [
    [
        "The tax office is open from eight in the morning to five in the afternoon, Monday through Friday.",
        "You can also pay your property tax online or by mail.",
        "If you pay by mail, please write your parcel number on the check.",
        "The second half is due on the fifth of November.",
        "There is a fee of two percent for every month after that.",
    ],
    [
        "Your request has been filed, and a crew will look at the street light before the end of the week.",
        "They work from the main road towards the river.",
        "You will get a text message when the work is done.",
        "The new lamps use less power and last for ten years.",
        "To see the state of your request, visit our website at any time.",
    ],
];

const SAID: [&str; 50] = [
    "Wait.",
    "Stop.",
    "No, the other one.",
    "No, that's wrong.",
    "Hold on a second.",
    "Excuse me, I have a question.",
    "Sorry, can you repeat that?",
    "Actually, I need the court house.",
    "What about Saturday?",
    "How much is the fee?",
    "That is not what I asked.",
    "Can I talk to a person?",
    "I meant the office on the north side.",
    "Let me stop you there.",
    "I already know that.",
    "Where is that?",
    "Could you speak slower please?",
    "I want to speak to an agent.",
    "Never mind, I found it.",
    "My question was about recycling.",
    "Do you take credit cards?",
    "But I paid that last week.",
    "Which website?",
    "When is it due again?",
    "That's the wrong address.",
    "I need it in Spanish please.",
    "Please just transfer me.",
    "This is an emergency.",
    "Help, there is a fire.",
    "Hang on, let me get a pen.",
    "What did you say?",
    "Is there a phone number for that?",
    "It's not the tax, it's the water bill.",
    "Sunday.",
    "Tomorrow then.",
    "Operator.",
    "Not that one.",
    "Can you go back?",
    "I didn't get that.",
    "How long will it take?",
    "My name is Susan Miller.",
    "You got my name wrong.",
    "Who am I talking to?",
    "Listen, I don't have time for this.",
    "The light is still out.",
    "What street was it?",
    "Okay, but what about my neighbor?",
    "Yeah, I know, but it's not open.",
    "Right, so what do I do?",
    "Hello? Can you hear me?",
];

const RECORDED: [&str; 16] = [
    "vm-no",
    "im-sorry",
    "hello",
    "invalid",
    "please-try-again",
    "something-terribly-wrong",
    "number-not-answering",
    "check-number-dial-again",
    "demo-nomatch",
    "vm-nonumber",
    "one-moment-please",
    "privacy-incorrect",
    "conf-errormenu",
    "cancelled",
    "is-in-use",
    "goodbye",
];

const NODS: [&str; 15] = [
    "Uh-huh.",
    "Okay.",
    "Mm-hmm.",
    "Right.",
    "Yeah.",
    "I see.",
    "Sure.",
    "Got it.",
    "All right.",
    "Yes.",
    "Oh.",
    "Hmm.",
    "Okay, okay.",
    "Yeah, yeah.",
    "Oh, great.",
];

/// Recorded tones of switchboards.
const TONES: [&str; 6] =
    ["beep", "beeperr", "ascending-2tone", "descending-2tone", "confbridge-join", "confbridge-leave"];
/// How loud our voice comes back, dB, and how late.
const ECHOES: [f32; 6] = [-15.0, -18.0, -21.0, -24.0, -27.0, -30.0];
const ECHO_DELAYS_MS: [u64; 2] = [120, 260];
/// An echo that is softer than this beside it is none that a recogniser hears words in.
const HEARD_ECHO: f32 = -24.5;
/// Sounds begin here and up to so much later, ms; every so many interruptions come at the very start of the reply.
const FROM_MS: u64 = 2_600;
const SPREAD_MS: u64 = 1_500;
const AT_ONCE_EACH: usize = 11;
const AT_ONCE_MS: u64 = 500;

/// How a sound is made.
#[derive(Clone, Copy, Debug)]
enum Manner {
    Plain,
    Louder(f32),
    /// On a line with noise of this level.
    Noisy(f32),
    /// From a speakerphone, with our own voice in it.
    OverEcho(f32),
}

impl Manner {
    const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plainly",
            Self::Louder(by) if by < 0.0 => "softly",
            Self::Louder(_) => "loudly",
            Self::Noisy(_) => "on a noisy line",
            Self::OverEcho(_) => "with our echo",
        }
    }
}

const MANNERS: [Manner; 4] =
    [Manner::Plain, Manner::Louder(-12.0), Manner::Louder(5.0), Manner::Noisy(-44.0)];
/// Every so many phrases is said once more, from a speakerphone that gives us back this much softer.
const OVER_ECHO_EACH: usize = 4;
const OVER_ECHO: Manner = Manner::OverEcho(-27.0);
/// Noise of the line under an echo: nobody's line is digitally silent.
const UNDER_ECHO_DBFS: f32 = -55.0;

/// All of them. The voice says what no prompt does.
///
/// # Errors
/// A prompt is missing, or the voice failed.
pub async fn over_talk(prompts: &Prompts, voice: &dyn TextToSpeech) -> Result<Vec<OverTalk>> {
    let mut maker = Maker::default();
    for (n, text) in SAID.iter().enumerate() {
        let clip = Clip::new(&clips::say(voice, text).await?.0, text);
        maker.add_said(Kind::Interruption, &clip, 0)?;
        if n % OVER_ECHO_EACH == 0 {
            maker.add(Kind::OverEcho, &clip, OVER_ECHO, text)?;
        }
    }
    for name in RECORDED {
        maker.add_said(Kind::Interruption, &Clip::new(&prompts.sound(name)?, prompts.text(name)?), 0)?;
    }
    for (n, text) in NODS.iter().enumerate() {
        let clip = Clip::new(&clips::say(voice, text).await?.0, text);
        maker.add(Kind::BackChannel, &clip, Manner::Plain, text)?;
        maker.add_said(Kind::BackChannel, &clip, n)?;
    }
    maker.add(
        Kind::BackChannel,
        &Clip::new(&prompts.sound("digits/oh")?, "Oh"),
        Manner::Plain,
        "Oh, recorded",
    )?;
    for (name, pcm) in noises() {
        maker.add_noise(&name, pcm)?;
    }
    for name in TONES {
        maker.add_noise(&format!("the tone {name}"), prompts.sound(name)?)?;
    }
    let echoes = ECHOES.into_iter().flat_map(|decibels| ECHO_DELAYS_MS.map(|delay| (decibels, delay)));
    for (n, (decibels, delay_ms)) in echoes.enumerate() {
        maker.add_echo(n, decibels, delay_ms);
    }
    Ok(maker.cases)
}

/// Words of ours that come back in an echo, if they can be made out: these words, when they are heard.
#[must_use]
pub fn echoed(words: &[Word], audible_ms: u64, echo: Option<Echo>) -> Vec<Word> {
    let Some(echo) = echo.filter(|e| e.decibels >= HEARD_ECHO) else { return Vec::new() };
    let later = audible_ms + u64::try_from(echo.delay.as_millis()).unwrap_or_default();
    let moved = |w: &Word| Word { text: w.text.clone(), from_ms: w.from_ms + later, to_ms: w.to_ms + later };
    words.iter().map(moved).collect()
}

fn noises() -> Vec<(String, Vec<f32>)> {
    let mut all = Vec::new();
    let mut add = |name: &str, pcm| all.push((name.to_owned(), pcm));
    for seed in 1..=3 {
        add("a cough", sounds::cough(seed));
    }
    add("two coughs", [sounds::cough(4), sounds::cough(5)].concat());
    add("a throat cleared", sounds::throat(6));
    add("a throat cleared", sounds::throat(7));
    add("a soft breath", sounds::breath(900, 0.03, 8));
    add("a breath into the mouthpiece", sounds::breath(1_200, 0.15, 9));
    add("a sigh", sounds::breath(1_600, 0.08, 10));
    add("a click", sounds::clicks(1, 100, 11));
    add("clicks", sounds::clicks(5, 140, 12));
    add("typing, near", sounds::keyboard(14, 0.25, 13));
    add("typing", sounds::keyboard(20, 0.08, 14));
    add("typing, fast", sounds::keyboard(30, 0.15, 15));
    add("a burst of line noise, 300 ms", sounds::line_burst(300, 0.2, 16));
    add("a burst of line noise, 700 ms", sounds::line_burst(700, 0.12, 17));
    add("a burst of line noise, 1.2 s", sounds::line_burst(1_200, 0.06, 18));
    add("a loud burst of line noise, 1.5 s", sounds::line_burst(1_500, 0.3, 19));
    add("a knock", sounds::knock(20));
    add("a door", [sounds::knock(21), vec![0.0; 120 * PER_MS], sounds::knock(22)].concat());
    add("hold music", sounds::music(3_000, 400, 23));
    add("slow hold music", sounds::music(3_000, 900, 24));
    add("fast hold music", sounds::music(2_500, 220, 25));
    add("a hum", sounds::hum(1_500, 120.0, 0.12));
    add("a whistle", sounds::hum(900, 1_400.0, 0.1));
    all
}

#[derive(Default)]
struct Maker {
    cases: Vec<OverTalk>,
}

impl Maker {
    /// Spoken in the manner that is next; `skip` leaves out the plain one.
    fn add_said(&mut self, kind: Kind, clip: &Clip, skip: usize) -> Result<()> {
        let manner = if kind == Kind::Interruption {
            // Not in step with the halves, which go by every second one.
            MANNERS[self.cases.len() / 2 % MANNERS.len()]
        } else {
            MANNERS[1 + skip % (MANNERS.len() - 1)]
        };
        self.add(kind, clip, manner, &clip.text())
    }

    fn add_noise(&mut self, name: &str, pcm: Vec<f32>) -> Result<()> {
        let clip = Clip { pcm: clips::audible(&pcm).to_vec(), words: Vec::new() };
        self.add(Kind::Noise, &clip, Manner::Plain, name)
    }

    fn add_echo(&mut self, n: usize, decibels: f32, delay_ms: u64) {
        let echo = Echo { delay: Duration::from_millis(delay_ms), decibels };
        self.cases.push(OverTalk {
            name: format!("our echo, {decibels} dB, {delay_ms} ms late"),
            kind: Kind::Echo,
            manner: Manner::Plain.name(),
            // Each half has every other loudness with both delays.
            held_out: n / 2 % 2 == 1,
            pcm: clips::line_noise(12_000 * PER_MS, UNDER_ECHO_DBFS, n as u64),
            words: Vec::new(),
            from_ms: 0,
            to_ms: 10_000,
            echo: Some(echo),
            reply: (n + n / 2) % REPLIES.len(),
        });
    }

    fn add(&mut self, kind: Kind, clip: &Clip, manner: Manner, name: &str) -> Result<()> {
        ensure!(clip.ms() > 0, "{name} is silent");
        let n = self.cases.len();
        let at_once = kind == Kind::Interruption && n % AT_ONCE_EACH == AT_ONCE_EACH - 1;
        let from_ms = if at_once { AT_ONCE_MS } else { FROM_MS + n as u64 * 137 % SPREAD_MS };
        let sound =
            if let Manner::Louder(by) = manner { clips::at_level(&clip.pcm, by) } else { clip.pcm.clone() };
        let to_ms = from_ms + clip.ms();
        let length = (to_ms as usize + 2_000) * PER_MS;
        let mut pcm = vec![0.0; length];
        clips::mix(&mut pcm, from_ms as usize * PER_MS, &sound);
        let noise = match manner {
            Manner::Noisy(dbfs) => Some(dbfs),
            Manner::OverEcho(_) => Some(UNDER_ECHO_DBFS),
            Manner::Plain | Manner::Louder(_) => None,
        };
        if let Some(dbfs) = noise {
            clips::mix(&mut pcm, 0, &clips::line_noise(length, dbfs, n as u64));
        }
        let echo = if let Manner::OverEcho(decibels) = manner {
            Some(Echo { delay: Duration::from_millis(ECHO_DELAYS_MS[n % 2]), decibels })
        } else {
            None
        };
        let moved =
            |w: &Word| Word { text: w.text.clone(), from_ms: w.from_ms + from_ms, to_ms: w.to_ms + from_ms };
        let words = clip.words.iter().map(moved).collect();
        let early = if at_once { ", at our first words" } else { "" };
        let name = format!("{name}, {}{early}", manner.name());
        let manner = manner.name();
        let (held_out, reply) = (n % 2 == 1, n / 2 % REPLIES.len());
        self.cases.push(OverTalk { name, kind, manner, held_out, pcm, words, from_ms, to_ms, echo, reply });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_word_is_in_the_call_where_it_is_said_to_be() {
        let pcm: Vec<f32> = (0..400 * PER_MS).map(|i| 0.3 * (i as f32 * 0.5).sin()).collect();
        let mut maker = Maker::default();
        maker.add(Kind::Interruption, &Clip::new(&pcm, "Wait."), Manner::Louder(-12.0), "Wait.").unwrap();
        let case = &maker.cases[0];
        assert_eq!(case.to_ms - case.from_ms, 400);
        let first = case.pcm.iter().position(|s| s.abs() > 0.001).unwrap() / PER_MS;
        assert!((first as u64).abs_diff(case.from_ms) <= 1, "{first}");
        assert_eq!((case.words[0].from_ms, case.words[0].to_ms), (case.from_ms, case.to_ms));
        let peak = case.pcm.iter().fold(0.0f32, |m, s| m.max(s.abs()));
        assert!((peak - 0.075).abs() < 0.002, "{peak}");
    }

    #[test]
    fn an_echo_has_our_words_later_unless_it_is_too_soft() {
        let words = [Word { text: "The".into(), from_ms: 0, to_ms: 100 }];
        let echo = |decibels| Some(Echo { delay: Duration::from_millis(200), decibels });
        assert_eq!(echoed(&words, 50, echo(-20.0))[0].to_ms, 350);
        assert!(echoed(&words, 50, echo(-27.0)).is_empty());
        assert!(echoed(&words, 50, None).is_empty());
    }
}
