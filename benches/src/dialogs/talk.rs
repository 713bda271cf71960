//! One call: the caller listens, answers by what was heard, and times everything by the sound.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use caller::order::Order;
use caller::playback::is_audible;
use chrono::{DateTime, Utc};
use gateway::scenario::evidence::Turn;
use gateway::scenario::work::Filed;
use telephony::media::FRAME_BYTES;
use tokio::sync::oneshot;

use super::house::{House, LINE};
use super::leg::{Leg, Tick};
use super::line::Spoilt;
use super::mind::{Farewell, Mind, Move, Saying};
use super::set::{Act, Scenario};
use super::track::{Ended, Overlay, Record, Reply, Spoken};
use super::voices::{Booth, Sound, Voice};
use crate::clips::Dice;

/// Frames of a second.
const SECOND: usize = 50;
/// Quiet after which the caller begins to think about a reply.
const PAUSE: usize = 12;
/// Quiet before an answer: 300 to 600 ms. A statement is followed by more only now and then: 1.5 s.
const SOONEST: u64 = 15;
const LATEST: u64 = 30;
const AFTER_STATEMENT: usize = 75;
/// A statement that answers nothing is given so long to go on.
const HEARS_OUT: usize = 3 * SECOND;
/// Nothing at all for so long: hello? And after the third, the caller hangs up.
const IN_VAIN: usize = 9 * SECOND;
const HELLOS: usize = 3;
/// A call that lasts longer hangs.
const LONGEST: usize = 360 * SECOND;
/// A frame that is later than this was held up by the machine.
const LATE: Duration = Duration::from_millis(40);
/// Frames between two keys.
const KEY_GAP: usize = 12;

/// What a call needs beside its scenario.
#[derive(Debug)]
pub struct Studio {
    pub house: House,
    pub booth: Booth,
    pub cues: super::cues::Cues,
    /// Speech of other people, for voices behind the caller.
    pub others: Vec<Vec<f32>>,
}

/// A call as it went.
#[derive(Debug)]
pub struct Call {
    pub record: Record,
    pub transcript: Vec<Turn>,
    pub filed: Vec<Filed>,
}

/// Holds the call of one scenario. `from`: the caller's number; `seed` decides what is left to chance.
///
/// # Errors
/// The gateway does not take the call, or does not answer afterwards.
pub async fn hold(studio: &Arc<Studio>, scenario: &Scenario, from: &str, seed: u64) -> Result<Call> {
    let exchange = studio.house.exchange();
    let request = exchange.ring(from, LINE);
    let (url, parameters) = match exchange.place(&request).await? {
        Order::Stream { url, parameters } => (url, parameters),
        Order::Say(text) => bail!("the gateway did not take the call; it says: {text}"),
        Order::HangUp => bail!("the gateway did not take the call: busy"),
    };
    let start = exchange.start(&request, parameters);
    let sid = request.call_sid.clone();
    let leg = Leg::open(&url, exchange.stream_signature(&url), start).await?;
    let mut talk = Talk {
        studio,
        sid: sid.clone(),
        voice: Voice::of(scenario.language, scenario.voice),
        mind: Mind::new(scenario, &studio.cues, from),
        line: Spoilt::new(scenario.line, &studio.others, seed),
        dice: Dice::new(seed ^ 0x0D1A_1065),
        record: Record::new(Utc::now()),
        state: State::Listening,
        reply: None,
        replies: 0,
        since: 0,
        hellos: 0,
        read: HashMap::new(),
        answer: None,
        peek: None,
        peeked: None,
        pace: 0,
        hold_until: 0,
        opened_at: None,
    };
    let ended = talk.run(leg).await?;
    let filed = studio.house.filed(&sid).await?;
    let transcript = studio.house.transcript(&sid).await?;
    // What was heard last and not answered any more.
    let rest = talk.unread(&transcript);
    if let Some(reply) = talk.reply.take().filter(|_| !rest.is_empty()) {
        talk.finish_reply(reply, rest);
    }
    let mut record = talk.record;
    record.ended = ended;
    Ok(Call { record, transcript, filed })
}

#[derive(Debug)]
enum State {
    Listening,
    Speaking(Performance),
}

/// An utterance on its way out.
#[derive(Debug)]
struct Performance {
    sounds: Vec<Sound>,
    /// Sound, and position in it.
    at: (usize, usize),
    spoken: Spoken,
    /// Said into a reply that is to go on.
    overlay: Option<Overlay>,
}

/// What the next 20 ms are.
enum Next {
    Frame { pcm: Vec<f32>, speech: bool },
    Key(char),
    Over,
}

struct Talk<'a> {
    studio: &'a Arc<Studio>,
    sid: String,
    voice: Voice,
    mind: Mind<'a>,
    line: Spoilt,
    dice: Dice,
    record: Record,
    state: State,
    /// The reply that is being heard, or was heard since the caller last spoke.
    reply: Option<Reply>,
    /// Replies since the opening; the greeting is 0.
    replies: usize,
    /// Since when the caller listens.
    since: usize,
    hellos: usize,
    /// Characters that were read of each turn of the agent.
    read: HashMap<u64, usize>,
    answer: Option<oneshot::Receiver<Result<Vec<Turn>>>>,
    peek: Option<oneshot::Receiver<Result<Vec<Turn>>>>,
    /// Reply whose words were looked at while it was spoken.
    peeked: Option<usize>,
    /// Quiet before the next answer, frames.
    pace: usize,
    hold_until: usize,
    /// When the opening began. What the agent began to say before is the greeting.
    opened_at: Option<DateTime<Utc>>,
}

impl Talk<'_> {
    async fn run(&mut self, mut leg: Leg) -> Result<Ended> {
        loop {
            let tick = leg.tick().await?;
            let now = self.record.heard.len();
            self.hear(&tick, now);
            if tick.closed {
                return Ok(Ended::Gateway);
            }
            if now > LONGEST {
                leg.hang_up().await;
                return Ok(Ended::Hung);
            }
            let (pcm, key) = self.next(now);
            let frame = self.line.frame(&pcm, &tick.heard);
            self.record.said.push(frame);
            if let Some(key) = key {
                leg.press(key).await?;
            }
            leg.send(&frame).await?;
            if let Some(farewell) = self.listen(now, tick.pending)? {
                leg.hang_up().await;
                return Ok(match farewell {
                    Farewell::Done => Ended::Caller,
                    Farewell::GaveUp => Ended::GaveUp,
                    Farewell::Abrupt => Ended::Abrupt,
                });
            }
        }
    }

    /// Takes in 20 ms of the agent.
    fn hear(&mut self, tick: &Tick, now: usize) {
        self.record.heard.push(tick.heard);
        self.record.late += usize::from(tick.late > LATE);
        if tick.clears > 0 {
            self.record.clears.push(now);
        }
        if !is_audible(&tick.heard) {
            return;
        }
        match &mut self.reply {
            Some(reply) => reply.last = now,
            None => self.reply = Some(Reply::new(self.replies, now)),
        }
    }

    /// 20 ms of the caller, clean, and a key.
    fn next(&mut self, now: usize) -> (Vec<f32>, Option<char>) {
        let State::Speaking(performance) = &mut self.state else { return (Vec::new(), None) };
        match performance.next() {
            Next::Frame { pcm, speech } => {
                if speech {
                    performance.spoken.last = now;
                    performance.spoken.voiced.push(now);
                }
                (pcm, None)
            }
            Next::Key(key) => {
                performance.spoken.last = now;
                (Vec::new(), Some(key))
            }
            Next::Over => {
                self.end_utterance(now);
                (Vec::new(), None)
            }
        }
    }

    fn end_utterance(&mut self, now: usize) {
        let State::Speaking(performance) = std::mem::replace(&mut self.state, State::Listening) else {
            return;
        };
        if let Some(overlay) = performance.overlay {
            let overlay = Overlay { until: performance.spoken.last, ..overlay };
            self.record.overlays.push(overlay);
            return;
        }
        let last = performance.spoken.last;
        self.record.spoken.push(performance.spoken);
        // What began before the end, and goes on, is the reply; what is over belongs to the turn before.
        let goes_on = self.reply.take().filter(|reply| reply.onset > last || reply.last + 2 >= now);
        self.replies += 1;
        self.reply = goes_on.map(|reply| Reply { number: self.replies, ..reply });
        self.since = now;
        self.pace = self.draw_pace();
    }

    fn draw_pace(&mut self) -> usize {
        (SOONEST + self.dice.next() % (LATEST - SOONEST + 1)) as usize
    }

    /// What the caller does in this moment beside speaking; `Some`: hangs up.
    fn listen(&mut self, now: usize, pending: bool) -> Result<Option<Farewell>> {
        if matches!(self.state, State::Speaking(_)) {
            return Ok(None);
        }
        if let Some(farewell) = self.over_the_reply(now)? {
            return Ok(Some(farewell));
        }
        if matches!(self.state, State::Speaking(_)) {
            return Ok(None);
        }
        let Some(reply) = self.reply.clone() else { return self.in_vain(now) };
        let quiet = now - reply.last;
        if quiet < PAUSE || pending {
            // It goes on: what was thought of it so far does not count.
            self.answer = None;
            self.hold_until = 0;
            return Ok(None);
        }
        if self.opened_at.is_none() {
            if quiet >= self.pace.max(SECOND / 2) {
                let opening = self.mind.opening();
                self.finish_reply(reply, String::new());
                self.say(opening, now)?;
            }
            return Ok(None);
        }
        if now < self.hold_until {
            return Ok(None);
        }
        self.think(now, quiet, reply)
    }

    /// Reads what was said, and answers when it is time.
    fn think(&mut self, now: usize, quiet: usize, reply: Reply) -> Result<Option<Farewell>> {
        let Some(waiting) = &mut self.answer else {
            self.answer = Some(self.ask());
            return Ok(None);
        };
        if quiet < self.pace {
            return Ok(None);
        }
        let turns = match waiting.try_recv() {
            Ok(turns) => turns?,
            Err(oneshot::error::TryRecvError::Empty) => return Ok(None),
            Err(oneshot::error::TryRecvError::Closed) => bail!("the transcript was not read"),
        };
        self.answer = None;
        let text = self.unread(&turns);
        let asks = text.trim_end().ends_with('?');
        if !asks && quiet < AFTER_STATEMENT && reply.number > 0 {
            // Read once more then: there may be more of it.
            self.hold_until = now + AFTER_STATEMENT - quiet;
            return Ok(None);
        }
        match self.mind.answer(&text, reply.number) {
            Move::Wait => {
                self.mark_read(&turns);
                self.finish_text(&reply, &text);
                self.hold_until = now + HEARS_OUT;
                Ok(None)
            }
            Move::Say(saying) => {
                self.mark_read(&turns);
                self.finish_reply(reply, text);
                self.say(saying, now)?;
                Ok(None)
            }
            Move::HangUp(farewell) => {
                self.finish_reply(reply, text);
                Ok(Some(farewell))
            }
        }
    }

    /// Nothing was heard since the caller spoke.
    fn in_vain(&mut self, now: usize) -> Result<Option<Farewell>> {
        if now - self.since < IN_VAIN {
            return Ok(None);
        }
        self.hellos += 1;
        if self.hellos >= HELLOS {
            return Ok(Some(Farewell::GaveUp));
        }
        let hello = self.mind.hello();
        self.say(hello, now)?;
        Ok(None)
    }

    /// Deeds that have their time within a reply.
    fn over_the_reply(&mut self, now: usize) -> Result<Option<Farewell>> {
        let Some(reply) = self.reply.clone() else { return Ok(None) };
        if now > reply.last + 2 {
            return Ok(None);
        }
        let voiced_ms = ((now - reply.onset) * 20) as u64;
        let mut due = self.mind.timed(reply.number, None, voiced_ms);
        if due.is_none() && self.peeked != Some(reply.onset) && self.mind.wants_text(voiced_ms) {
            match &mut self.peek {
                None => self.peek = Some(self.ask()),
                Some(waiting) => match waiting.try_recv() {
                    Ok(turns) => {
                        let text = self.unread(&turns?);
                        self.peek = None;
                        self.peeked = Some(reply.onset);
                        due = self.mind.timed(reply.number, Some(&text), voiced_ms);
                    }
                    Err(oneshot::error::TryRecvError::Empty) => {}
                    Err(oneshot::error::TryRecvError::Closed) => self.peek = None,
                },
            }
        }
        let Some((at, deed)) = due else { return Ok(None) };
        let saying = self.mind.perform(at);
        match deed.act {
            Act::HangUp => return Ok(Some(Farewell::Abrupt)),
            Act::Cough => self.overlay(vec![Sound::Speech(cough())], "cough", String::new(), now),
            Act::UhHuh => {
                if let Some(saying) = saying {
                    let sounds = self.studio.booth.sounds(self.voice, &saying.utterance)?;
                    self.overlay(sounds, "uh-huh", saying.utterance.text(), now);
                }
            }
            _ => {
                if let Some(saying) = saying {
                    self.finish_reply(reply, String::new());
                    self.say(saying, now)?;
                    if let State::Speaking(performance) = &mut self.state {
                        performance.spoken.interrupts = true;
                    }
                }
            }
        }
        Ok(None)
    }

    fn overlay(&mut self, sounds: Vec<Sound>, what: &'static str, text: String, now: usize) {
        let spoken = Spoken::new(what, text, false, now);
        let overlay = Overlay { what, from: now, until: now };
        self.state = State::Speaking(Performance { sounds, at: (0, 0), spoken, overlay: Some(overlay) });
    }

    fn say(&mut self, saying: Saying, now: usize) -> Result<()> {
        let sounds = self.studio.booth.sounds(self.voice, &saying.utterance)?;
        let mut spoken = Spoken::new(&saying.kind, saying.utterance.written(), saying.again, now);
        spoken.pauses_ms = sounds
            .iter()
            .filter_map(|sound| match sound {
                Sound::Pause(samples) => Some((samples / 8) as u64),
                Sound::Speech(_) | Sound::Keys(_) => None,
            })
            .collect();
        self.answer = None;
        self.peek = None;
        self.opened_at.get_or_insert_with(Utc::now);
        self.state = State::Speaking(Performance { sounds, at: (0, 0), spoken, overlay: None });
        Ok(())
    }

    fn finish_reply(&mut self, reply: Reply, text: String) {
        self.finish_text(&reply, &text);
        self.reply = None;
    }

    /// A reply that was answered in two steps stands once.
    fn finish_text(&mut self, reply: &Reply, text: &str) {
        match self.record.replies.iter_mut().find(|known| known.onset == reply.onset) {
            Some(known) => {
                known.last = reply.last;
                known.text.push_str(text);
            }
            None => self.record.replies.push(Reply { text: text.to_owned(), ..reply.clone() }),
        }
    }

    fn ask(&self) -> oneshot::Receiver<Result<Vec<Turn>>> {
        let (sender, receiver) = oneshot::channel();
        let (studio, sid) = (self.studio.clone(), self.sid.clone());
        tokio::spawn(async move {
            let _ = sender.send(studio.house.transcript(&sid).await);
        });
        receiver
    }

    /// The agent's words that were not answered yet.
    fn unread(&self, turns: &[Turn]) -> String {
        let answers =
            |turn: &&Turn| turn.is_agent() && self.opened_at.is_none_or(|opened| turn.started_at >= opened);
        let new = turns.iter().filter(answers).filter_map(|turn| {
            let heard = turn.heard();
            let from = self.read.get(&turn.turn).copied().unwrap_or(0);
            heard.get(from.min(heard.len())..).map(str::trim).filter(|text| !text.is_empty())
        });
        new.collect::<Vec<_>>().join(" ")
    }

    fn mark_read(&mut self, turns: &[Turn]) {
        for turn in turns.iter().filter(|turn| turn.is_agent()) {
            self.read.insert(turn.turn, turn.heard().len());
        }
    }
}

impl Performance {
    fn next(&mut self) -> Next {
        let (mut sound, mut at) = self.at;
        let next = loop {
            match self.sounds.get(sound) {
                None => break Next::Over,
                Some(Sound::Speech(pcm)) if at < pcm.len() => {
                    let end = (at + FRAME_BYTES).min(pcm.len());
                    let frame = pcm[at..end].to_vec();
                    at = end;
                    let speech = frame.iter().any(|sample| sample.abs() > 0.004);
                    break Next::Frame { pcm: frame, speech };
                }
                Some(Sound::Pause(samples)) if at < *samples => {
                    at += FRAME_BYTES;
                    break Next::Frame { pcm: Vec::new(), speech: false };
                }
                Some(Sound::Keys(keys)) if at < keys.len() * KEY_GAP => {
                    let key = keys[at / KEY_GAP];
                    let due = at.is_multiple_of(KEY_GAP);
                    at += 1;
                    break if due { Next::Key(key) } else { Next::Frame { pcm: Vec::new(), speech: false } };
                }
                Some(_) => {
                    sound += 1;
                    at = 0;
                }
            }
        };
        self.at = (sound, at);
        next
    }
}

/// A sharp noise that dies away, 300 ms.
fn cough() -> Vec<f32> {
    let mut dice = Dice::new(9);
    let fade = |i: usize| (-(i as f32) / 2_400.0 * 7.0).exp();
    (0..2_400).map(|i| 0.25 * dice.sample() * fade(i)).collect()
}

/// When a call began, for comparing with the gateway's times.
#[must_use]
pub fn tick_of(began: DateTime<Utc>, at: DateTime<Utc>) -> i64 {
    (at - began).num_milliseconds() / 20
}
