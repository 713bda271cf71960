//! The caller of a scenario: goes through the steps, listens, and answers by what is asked.
//!
//! Pure: told every 20 ms what is heard, and of the agent's words when they are about to be said.

#![deny(clippy::disallowed_methods)]

use serde::{Deserialize, Serialize};
use telephony::media::AudioFrame;

use super::impairments::Spoilt;
use super::wanted::Pattern;
use caller::playback::is_audible;
use caller::script::{Party, Send};

/// Quiet after which a caller answers a question, and after which they take a statement to be over; frames.
const AFTER_QUESTION: usize = 25;
const AFTER_STATEMENT: usize = 70;
/// Nothing was heard for so long: the caller goes on all the same (12 s).
const IN_VAIN: usize = 600;
/// Frames between two keys.
const KEY_GAP: usize = 12;
/// Characters that a voice says in a frame, until this one was measured: 14 in a second.
const PACE: f32 = 14.0 / 50.0;

/// 20 ms of the caller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beat {
    pub frame: AudioFrame,
    pub key: Option<char>,
}

impl Beat {
    pub const QUIET: Self = Self { frame: AudioFrame::SILENCE, key: None };

    /// Keys, one after the other.
    #[must_use]
    pub fn keys(keys: &[char]) -> Vec<Self> {
        let mut beats = Vec::with_capacity(keys.len() * KEY_GAP);
        for key in keys {
            beats.push(Self { key: Some(*key), ..Self::QUIET });
            beats.resize(beats.len() + KEY_GAP - 1, Self::QUIET);
        }
        beats
    }
}

/// Something to do, made ready.
#[derive(Clone, Debug)]
pub enum Ready {
    Perform { beats: Vec<Beat>, text: String },
    Silence { frames: usize },
    Converse { turns: usize },
    HangUp,
}

/// One step, made ready.
#[derive(Clone, Debug)]
pub struct Planned {
    pub ready: Ready,
    /// Thinking before it, frames.
    pub wait: usize,
    pub over: Option<Over>,
}

/// When a step is done into a reply.
#[derive(Clone, Debug)]
pub struct Over {
    pub moment: Moment,
    pub yields: bool,
}

#[derive(Clone, Debug)]
pub enum Moment {
    /// Frames after its voice began.
    After(usize),
    AtWord(String),
}

/// What is said when this is asked, made ready.
#[derive(Clone, Debug)]
pub struct ReadyAnswer {
    pub asked: Pattern,
    pub say: Vec<(Vec<Beat>, String)>,
    pub used: usize,
}

/// What the caller did. Positions are frames since the stream opened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spoken {
    /// Which step.
    pub step: usize,
    pub text: String,
    pub kind: Kind,
    pub from: usize,
    /// First and last frame with sound, or key.
    pub onset: usize,
    pub last: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Said,
    Keys,
    Silence,
    /// Over a reply, which must stop.
    Interruption,
    /// Over a reply, which must go on.
    BackChannel,
}

/// Why the course did not go as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Astray {
    pub step: usize,
    pub what: String,
}

/// Words that the agent is about to say.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Told {
    turn: u64,
    text: String,
}

/// A reply as it sounds.
#[derive(Clone, Copy, Debug)]
struct Sounding {
    onset: usize,
    last: usize,
}

#[derive(Debug)]
enum Phase {
    Listening,
    Performing { beats: Vec<Beat>, at: usize, spoken: Spoken },
}

/// The caller in a call.
#[derive(Debug)]
pub struct Caller {
    plan: Vec<Planned>,
    answers: Vec<ReadyAnswer>,
    line: Spoilt,
    /// The next step.
    step: usize,
    phase: Phase,
    /// What is heard since the caller last did something.
    reply: Option<Sounding>,
    told: Vec<Told>,
    /// Turns of the agent that were told of before that: their words are no answer.
    known: usize,
    /// Turns of the running conversation that are left.
    turns_left: Option<usize>,
    now: usize,
    /// Since when the caller listens.
    since: usize,
    limit: usize,
    /// Characters and frames of replies that were heard to their end.
    pace: (usize, usize),
    pub spoken: Vec<Spoken>,
    pub said: Vec<bool>,
    pub heard: Vec<bool>,
    /// When the gateway took back what waited to be played.
    pub clears: Vec<usize>,
    /// When the words of each turn of the agent were first told of.
    pub turns: Vec<(u64, usize)>,
    pub astray: Vec<Astray>,
    pub hung_up: bool,
}

impl Caller {
    /// `limit`: frames after which the caller hangs up, whatever is left to do.
    #[must_use]
    pub fn new(plan: Vec<Planned>, answers: Vec<ReadyAnswer>, line: Spoilt, limit: usize) -> Self {
        Self {
            plan,
            answers,
            line,
            step: 0,
            phase: Phase::Listening,
            reply: None,
            told: Vec::new(),
            known: 0,
            turns_left: None,
            now: 0,
            since: 0,
            limit,
            pace: (0, 0),
            spoken: Vec::new(),
            said: Vec::new(),
            heard: Vec::new(),
            clears: Vec::new(),
            turns: Vec::new(),
            astray: Vec::new(),
            hung_up: false,
        }
    }

    /// The agent is about to say this.
    pub fn told(&mut self, turn: u64, text: &str) {
        if !self.turns.iter().any(|(known, _)| *known == turn) {
            self.turns.push((turn, self.now));
        }
        self.told.push(Told { turn, text: text.to_owned() });
    }

    /// The call is over: what was being said was said, and what was left to do is noted.
    pub fn finish(&mut self) {
        self.end_deed();
        if let Some(next) = self.plan.get(self.step)
            && !matches!(next.ready, Ready::HangUp | Ready::Converse { .. })
        {
            self.astray("the call was over before this step");
        }
    }

    fn astray(&mut self, what: impl Into<String>) {
        self.astray.push(Astray { step: self.step, what: what.into() });
    }

    /// Words since the caller last did something.
    fn reply_text(&self) -> String {
        let new = self.turns.get(self.known..).unwrap_or_default();
        let words = self.told.iter().filter(|told| new.iter().any(|(turn, _)| *turn == told.turn));
        words.map(|told| told.text.trim()).collect::<Vec<_>>().join(" ")
    }

    fn hear(&mut self, heard: &AudioFrame) {
        let audible = is_audible(heard);
        self.heard.push(audible);
        if audible {
            match &mut self.reply {
                Some(reply) => reply.last = self.now,
                None => self.reply = Some(Sounding { onset: self.now, last: self.now }),
            }
        }
    }

    /// The frame of the caller, clean, and a key; `None`: hangs up.
    fn act(&mut self, pending: bool) -> Option<Beat> {
        if self.now >= self.limit {
            self.astray("the call took longer than its limit");
            return None;
        }
        if let Phase::Performing { beats, at, spoken } = &mut self.phase {
            if let Some(beat) = beats.get(*at).copied() {
                *at += 1;
                if beat.key.is_some() || is_audible(&beat.frame) {
                    if spoken.onset == usize::MAX {
                        spoken.onset = self.now;
                    }
                    spoken.last = self.now;
                }
                return Some(beat);
            }
            self.end_deed();
        }
        self.listen(pending)
    }

    /// What was heard of a reply until now: it goes on, or belongs to what was before.
    fn end_deed(&mut self) {
        let Phase::Performing { mut spoken, .. } = std::mem::replace(&mut self.phase, Phase::Listening)
        else {
            return;
        };
        if spoken.onset == usize::MAX {
            spoken.onset = spoken.from;
        }
        let (last, kind) = (spoken.last, spoken.kind);
        self.spoken.push(spoken);
        // A back-channel is no turn, and in a silence the agent may have begun.
        if matches!(kind, Kind::BackChannel | Kind::Silence) {
            return;
        }
        self.since = self.now;
        self.reply = self.reply.filter(|reply| reply.onset > last || reply.last + 2 >= self.now);
    }

    /// A reply that began, has ended: the caller's turn.
    fn my_turn(&self, pending: bool) -> bool {
        let Some(reply) = self.reply else { return self.now - self.since >= IN_VAIN };
        let asks = self.reply_text().trim_end().ends_with(['?', ':']);
        let quiet = if asks { AFTER_QUESTION } else { AFTER_STATEMENT };
        !pending && self.now - reply.last >= quiet
    }

    fn listen(&mut self, pending: bool) -> Option<Beat> {
        let Some(next) = self.plan.get(self.step).cloned() else {
            return if self.my_turn(pending) { None } else { Some(Beat::QUIET) };
        };
        if let Some(over) = &next.over {
            return self.over(&next, over, pending);
        }
        let turn = self.my_turn(pending) && self.reply.is_none_or(|r| self.now >= r.last + next.wait);
        if !turn {
            return Some(Beat::QUIET);
        }
        self.measure();
        self.begin(next.ready, None)
    }

    /// Waits for the moment within the reply.
    fn over(&mut self, next: &Planned, over: &Over, pending: bool) -> Option<Beat> {
        if let Some(reply) = self.reply {
            let voiced = self.now - reply.onset;
            if self.due(&over.moment).is_some_and(|due| voiced >= due) && self.now <= reply.last + 2 {
                return self.begin(next.ready.clone(), Some(over.yields));
            }
        }
        if self.my_turn(pending) {
            let length = self.reply.map_or(0, |reply| (reply.last - reply.onset) * 20);
            self.astray(format!("could not speak over the reply: it was over after {length} ms"));
            if over.yields {
                return self.begin(next.ready.clone(), None);
            }
            self.step += 1;
        }
        Some(Beat::QUIET)
    }

    /// Frames after the beginning of the reply.
    fn due(&self, moment: &Moment) -> Option<usize> {
        match moment {
            Moment::After(frames) => Some(*frames),
            Moment::AtWord(word) => {
                let text = self.reply_text().to_lowercase();
                let before = text.find(&word.to_lowercase())?;
                let (characters, frames) = self.pace;
                #[allow(clippy::cast_precision_loss)] // a call has no 2^24 characters
                let pace = if frames > 100 { characters as f32 / frames as f32 } else { PACE };
                #[allow(
                    clippy::cast_precision_loss,
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss
                )]
                let frames = (before as f32 / pace) as usize;
                Some(frames)
            }
        }
    }

    /// How fast the agent speaks.
    fn measure(&mut self) {
        if let Some(reply) = self.reply {
            self.pace.0 += self.reply_text().len();
            self.pace.1 += reply.last - reply.onset;
        }
    }

    /// `over`: within a reply, which must stop or not.
    fn begin(&mut self, ready: Ready, over: Option<bool>) -> Option<Beat> {
        match ready {
            Ready::HangUp => {
                self.step += 1;
                None
            }
            Ready::Perform { beats, text } => {
                let kind = match over {
                    Some(true) => Kind::Interruption,
                    Some(false) => Kind::BackChannel,
                    None if beats.iter().any(|beat| beat.key.is_some()) => Kind::Keys,
                    None => Kind::Said,
                };
                let beat = self.perform(beats, text, kind);
                self.step += 1;
                Some(beat)
            }
            Ready::Silence { frames } => {
                let beat = self.perform(vec![Beat::QUIET; frames.max(1)], String::new(), Kind::Silence);
                self.step += 1;
                Some(beat)
            }
            Ready::Converse { turns } => self.converse(turns),
        }
    }

    fn perform(&mut self, beats: Vec<Beat>, text: String, kind: Kind) -> Beat {
        if kind != Kind::BackChannel {
            self.known = self.turns.len();
        }
        let first = beats.first().copied().unwrap_or(Beat::QUIET);
        let mut spoken =
            Spoken { step: self.step, text, kind, from: self.now, onset: usize::MAX, last: self.now };
        if first.key.is_some() || is_audible(&first.frame) {
            spoken.onset = self.now;
        }
        if kind == Kind::Silence {
            spoken.last = self.now + beats.len();
            // The agent's turn again: what it says now answers the silence.
            self.reply = None;
        }
        self.phase = Phase::Performing { beats, at: 1, spoken };
        first
    }

    /// One answer; without one the conversation is over, and the next step comes.
    fn converse(&mut self, turns: usize) -> Option<Beat> {
        let left = self.turns_left.get_or_insert(turns);
        if *left == 0 {
            self.astray(format!("the conversation was not over after {turns} turns"));
            self.turns_left = None;
            self.step += 1;
            return Some(Beat::QUIET);
        }
        *left -= 1;
        let text = self.reply_text();
        let Some(answer) = self.answer_to(&text) else {
            if text.trim_end().ends_with('?') {
                self.astray(format!("no answer is given to \"{}\"", question(&text)));
            }
            self.turns_left = None;
            self.step += 1;
            return Some(Beat::QUIET);
        };
        let at = answer.used.min(answer.say.len().saturating_sub(1));
        answer.used += 1;
        let (beats, text) = answer.say.get(at).cloned()?;
        let kind = if beats.iter().any(|beat| beat.key.is_some()) { Kind::Keys } else { Kind::Said };
        Some(self.perform(beats, text, kind))
    }

    /// By the last question, and where nothing is asked by all that was said.
    fn answer_to(&mut self, text: &str) -> Option<&mut ReadyAnswer> {
        let asked = question(text);
        let at = self.answers.iter().position(|answer| answer.asked.is_in(asked)).or_else(|| {
            let all = |answer: &ReadyAnswer| answer.asked.is_in(text);
            self.answers.iter().position(all)
        })?;
        self.answers.get_mut(at)
    }
}

/// The last sentence that asks; without one, everything.
fn question(text: &str) -> &str {
    let mut sentences = text.split_inclusive(['.', '!', '?']).map(str::trim);
    sentences.rfind(|sentence| sentence.ends_with('?')).unwrap_or(text)
}

impl Party for Caller {
    fn tick(&mut self, heard: &AudioFrame, pending: bool) -> Send {
        self.hear(heard);
        let beat = self.act(pending);
        self.now += 1;
        let Some(beat) = beat else {
            self.hung_up = true;
            return Send::HangUp;
        };
        self.said.push(is_audible(&beat.frame) || beat.key.is_some());
        match beat.key {
            Some(key) => Send::Key(key),
            None => Send::Frame(self.line.frame(&beat.frame, heard)),
        }
    }

    fn cleared(&mut self) {
        self.clears.push(self.now);
    }
}

#[cfg(test)]
#[path = "caller_tests.rs"]
mod tests;
