//! A world in virtual time around a session: caller, carrier, recogniser, responder, synthesiser and log.

use std::collections::BTreeMap;
use std::time::Duration;

use telephony::media::{CallTime, MediaCommand, MediaEvent};
use telephony::sim::{Impairments, SimCarrier};

use crate::event::EventBody;
use crate::latency::Stage;
use crate::ports::{
    AfterReply, CallRecord, EndReason, Language, LogEntry, LogEvent, Meter, Question, ReplyCommand,
    ReplyEvent, SttCommand, SttEvent, TtsCommand, TtsEvent, TurnInput, Usage,
};
use crate::provider::Failure;
use crate::session::{Input, Output, Session, SessionConfig};
use crate::turn::{Expectation, ReplySegment, SegmentId, SegmentKind, TurnId, UtteranceId};

/// Something the caller does with their voice.
#[derive(Clone, Debug)]
pub struct Speech {
    pub from_ms: u64,
    pub to_ms: u64,
    pub text: &'static str,
    /// What the end-of-turn model thinks at a pause in or after it.
    pub complete: f32,
}

pub fn say(from_ms: u64, to_ms: u64, text: &'static str) -> Speech {
    Speech { from_ms, to_ms, text, complete: 0.9 }
}

/// How the parts around the session behave.
#[derive(Clone, Debug)]
pub struct Habits {
    pub interim_every_ms: u64,
    pub final_ms: u64,
    /// Of the finals, 0–1.
    pub confidence: f32,
    pub reply_ms: u64,
    /// Stages of the reply, one after the other, with their milliseconds.
    pub stages: Vec<(Stage, u64)>,
    pub synthesis_ms: u64,
    pub durable_ms: u64,
    pub log_fails: bool,
    pub mute_recogniser: bool,
    /// Share (0–1) of finals that never come, and of segments whose synthesis or reply that fails.
    pub lost_finals: f64,
    pub failed_segments: f64,
    pub failed_replies: f64,
    /// Every word recognised and spoken is paid for: millionths of a dollar a character spoken.
    pub charges: bool,
    /// Milliseconds of audio for each letter of text.
    pub letter_ms: u64,
    pub expects: Expectation,
    pub then: AfterReply,
    /// What people of the office are asked after a reply.
    pub question: Option<Question>,
    /// The greeting is a notice.
    pub notice: bool,
    /// The greeting says that the call is recorded.
    pub tells: bool,
}

impl Default for Habits {
    fn default() -> Self {
        Self {
            interim_every_ms: 150,
            final_ms: 110,
            confidence: 0.9,
            reply_ms: 4,
            stages: Vec::new(),
            synthesis_ms: 70,
            durable_ms: 3,
            log_fails: false,
            mute_recogniser: false,
            lost_finals: 0.0,
            failed_segments: 0.0,
            failed_replies: 0.0,
            charges: false,
            letter_ms: 60,
            expects: Expectation::Open,
            then: AfterReply::Listen,
            question: None,
            notice: false,
            tells: false,
        }
    }
}

pub struct World {
    pub session: Session,
    pub habits: Habits,
    pub answers: Vec<&'static str>,
    script: Vec<Speech>,
    /// What the person who takes the call says.
    pub persons: Vec<Speech>,
    person_began: CallTime,
    queue: BTreeMap<(CallTime, u64), Input>,
    order: u64,
    pub now: CallTime,
    pub carrier: SimCarrier,
    utterances: BTreeMap<UtteranceId, CallTime>,
    pub frames: Vec<CallTime>,
    /// The first sample of each frame: whose sound it is.
    pub sounds: Vec<(CallTime, u8)>,
    pub clears: Vec<CallTime>,
    pub events: Vec<(CallTime, EventBody)>,
    pub records: Vec<(CallTime, LogEntry)>,
    pub durable: Vec<(CallTime, u64)>,
    pub commands: Vec<(CallTime, ReplyCommand)>,
    pub ended: Option<(CallTime, EndReason)>,
    pub closed: bool,
    /// Everything that was asked of the synthesiser.
    pub spoken: Vec<(CallTime, ReplySegment)>,
    pub languages: Vec<Language>,
    /// When frames reached the recogniser.
    pub recognised: Vec<CallTime>,
    dice: u64,
}

/// A session that answers as soon as anything seems whole: most tests are about what comes then.
pub fn quick() -> SessionConfig {
    let ms = Duration::from_millis;
    SessionConfig {
        first_silence: ms(300),
        opening_silence: ms(1_000),
        first_wait: ms(600),
        later_wait: ms(600),
        wait_for_odds: ms(250),
        ..SessionConfig::default()
    }
}

impl World {
    pub fn new(script: Vec<Speech>, habits: Habits) -> Self {
        let way = Duration::from_millis(20);
        Self::impaired(
            script,
            habits,
            1,
            Impairments { delay_out: way, delay_back: way, ..Default::default() },
        )
    }

    /// A world whose carrier leg is as bad as this.
    pub fn impaired(script: Vec<Speech>, habits: Habits, seed: u64, impairments: Impairments) -> Self {
        Self::configured(script, habits, seed, impairments, quick())
    }

    /// A world with a session of this kind.
    pub fn of(script: Vec<Speech>, habits: Habits, config: SessionConfig) -> Self {
        let way = Duration::from_millis(20);
        let impairments = Impairments { delay_out: way, delay_back: way, ..Default::default() };
        Self::configured(script, habits, 1, impairments, config)
    }

    pub fn configured(
        script: Vec<Speech>,
        habits: Habits,
        seed: u64,
        impairments: Impairments,
        config: SessionConfig,
    ) -> Self {
        let mut world = Self {
            session: Session::new(config, CallTime::ZERO),
            dice: seed,
            spoken: Vec::new(),
            habits,
            answers: vec![
                "The office is open from eight to five.",
                "Is there anything else I can help you with?",
            ],
            script,
            persons: Vec::new(),
            person_began: CallTime::ZERO,
            queue: BTreeMap::new(),
            order: 0,
            now: CallTime::ZERO,
            carrier: SimCarrier::new(seed, impairments),
            utterances: BTreeMap::new(),
            frames: Vec::new(),
            sounds: Vec::new(),
            clears: Vec::new(),
            events: Vec::new(),
            records: Vec::new(),
            durable: Vec::new(),
            commands: Vec::new(),
            ended: None,
            closed: false,
            languages: Vec::new(),
            recognised: Vec::new(),
        };
        world.drain();
        world
    }

    /// The caller says this too.
    pub fn speaks(&mut self, speech: Speech) {
        self.script.push(speech);
    }

    pub fn at(&mut self, ms: u64, input: Input) {
        self.push(CallTime::from_ms(ms), input);
    }

    fn push(&mut self, at: CallTime, input: Input) {
        self.order += 1;
        self.queue.insert((at, self.order), input);
    }

    fn after(&mut self, ms: u64, input: Input) {
        self.push(self.now + Duration::from_millis(ms), input);
    }

    /// Runs to `ms`, with a window of voice activity every 32 ms.
    pub fn run_to(&mut self, ms: u64) {
        let end = CallTime::from_ms(ms);
        let first = self.now.as_ms() / 32 + 1;
        for window in first..=ms / 32 {
            let at = window * 32;
            let speaks = self.script.iter().any(|s| s.from_ms + 16 <= at && at <= s.to_ms + 16);
            self.at(at, Input::Vad(if speaks { 0.95 } else { 0.02 }));
        }
        while self.ended.is_none() {
            let Output::Wait(deadline) = self.drain() else { return };
            assert!(deadline > self.now, "a drained session waits in the future");
            let queued = self.queue.keys().next().map(|k| k.0);
            let next = [Some(deadline), queued, self.carrier.deadline()].into_iter().flatten().min();
            let next = next.unwrap_or(deadline).max(self.now);
            if next > end {
                break;
            }
            self.now = next;
            let input = self.next_input(queued);
            self.session.handle_input(self.now, input);
            assert_eq!(self.session.regions().illegal(), None);
        }
        self.drain();
    }

    fn next_input(&mut self, queued: Option<CallTime>) -> Input {
        if let Some(event) = self.carrier.poll(self.now) {
            return match event {
                MediaEvent::Frame(frame) => Input::Frame(frame),
                MediaEvent::Heard(frame) => Input::Heard(frame),
                MediaEvent::Digit(digit) => Input::Digit(digit),
                MediaEvent::MarkPlayed(mark) => Input::MarkPlayed(mark),
                MediaEvent::Stopped => Input::CarrierStopped,
                MediaEvent::Started(_) => Input::Tick,
            };
        }
        if queued.is_some_and(|at| at <= self.now) {
            return self.queue.pop_first().map_or(Input::Tick, |(_, input)| input);
        }
        Input::Tick
    }

    fn drain(&mut self) -> Output {
        loop {
            let output = self.session.poll_output();
            match output {
                Output::Wait(_) => return output,
                Output::Ended(reason) => {
                    assert!(self.ended.is_none(), "a call ends once");
                    self.ended = Some((self.now, reason));
                    return output;
                }
                Output::Carrier(command) => self.send(command),
                Output::Stt(command) => self.recogniser(&command),
                Output::Person(command) => self.person(&command),
                Output::Reply(command) => self.responder(command),
                Output::Tts(TtsCommand::Speak(segment)) => self.synthesiser(&segment),
                Output::Tts(TtsCommand::Cancel { turn }) => self.forget_audio(turn),
                Output::Tts(TtsCommand::Language(language)) => self.languages.push(language),
                Output::Log(entry) => self.log(entry),
                Output::Emit(event) => self.events.push((self.now, event)),
            }
        }
    }

    fn send(&mut self, command: MediaCommand) {
        assert!(!self.closed, "nothing is sent after the close");
        match &command {
            MediaCommand::Frame(frame) => {
                self.frames.push(self.now);
                self.sounds.push((self.now, frame.bytes()[0]));
            }
            MediaCommand::Clear => self.clears.push(self.now),
            MediaCommand::Close => self.closed = true,
            MediaCommand::Mark(_) => {}
        }
        self.carrier.handle_command(self.now, command);
    }

    fn recogniser(&mut self, command: &SttCommand) {
        match *command {
            SttCommand::SpeechStarted { utterance } => {
                self.utterances.insert(utterance, self.now);
                self.interims(utterance, self.now);
            }
            SttCommand::Resumed { utterance } => self.interims(utterance, self.now),
            SttCommand::Pause { utterance, pause, .. } => {
                let began = self.utterances.get(&utterance).copied().unwrap_or(self.now);
                let (text, complete) = self.text_between(began, self.now);
                let (alternatives, settled) = (Vec::new(), true);
                let confidence = self.habits.confidence;
                let done = SttEvent::Final { utterance, pause, text, confidence, alternatives, settled };
                if !self.happens(self.habits.lost_finals) {
                    self.after(self.habits.final_ms, Input::Stt(done));
                }
                let end = SttEvent::TurnEnd { utterance, pause, probability: complete };
                self.after(60, Input::Stt(end));
            }
            SttCommand::Audio(_) => self.recognised.push(self.now),
            SttCommand::Ended { .. } | SttCommand::Language(_) => {}
        }
    }

    /// The recognizer of the person who has the call, and its voice activity.
    fn person(&mut self, command: &SttCommand) {
        let said = |s: &Speech, from: CallTime, to: CallTime| {
            s.to_ms + 100 >= from.as_ms() && s.from_ms <= to.as_ms()
        };
        match *command {
            SttCommand::Audio(_) => {
                let speaks =
                    self.persons.iter().any(|s| said(s, self.now, self.now) && self.now.as_ms() <= s.to_ms);
                self.after(0, Input::PersonVad(if speaks { 0.95 } else { 0.02 }));
            }
            SttCommand::SpeechStarted { .. } => self.person_began = self.now,
            SttCommand::Pause { utterance, pause, .. } => {
                let heard = self.persons.iter().filter(|s| said(s, self.person_began, self.now));
                let text = heard.map(|s| s.text).collect::<Vec<_>>().join(" ");
                let (alternatives, settled, confidence) = (Vec::new(), true, self.habits.confidence);
                let done = SttEvent::Final { utterance, pause, text, confidence, alternatives, settled };
                self.after(self.habits.final_ms, Input::PersonStt(done));
            }
            SttCommand::Resumed { .. } | SttCommand::Ended { .. } | SttCommand::Language(_) => {}
        }
    }

    fn interims(&mut self, utterance: UtteranceId, from: CallTime) {
        if self.habits.mute_recogniser {
            return;
        }
        let now = from.as_ms();
        let Some(speech) = self.script.iter().find(|s| s.from_ms <= now && now <= s.to_ms + 100).cloned()
        else {
            return;
        };
        let words: Vec<_> = speech.text.split_whitespace().collect();
        let mut at = now + self.habits.interim_every_ms;
        while at < speech.to_ms {
            let share = (at - speech.from_ms) as f64 / (speech.to_ms - speech.from_ms) as f64;
            let text = words[..(words.len() as f64 * share) as usize].join(" ");
            self.at(at, Input::Stt(SttEvent::Interim { utterance, text }));
            at += self.habits.interim_every_ms;
        }
    }

    fn text_between(&self, from: CallTime, to: CallTime) -> (String, f32) {
        let heard: Vec<_> =
            self.script.iter().filter(|s| s.to_ms + 100 >= from.as_ms() && s.from_ms <= to.as_ms()).collect();
        let text = heard.iter().map(|s| s.text).collect::<Vec<_>>().join(" ");
        (text.trim().to_owned(), heard.last().map_or(0.0, |s| s.complete))
    }

    fn responder(&mut self, command: ReplyCommand) {
        if let ReplyCommand::Start { turn, input, .. } = &command {
            let turn = *turn;
            if self.happens(self.habits.failed_replies) {
                let failed = ReplyEvent::Failed { turn, reason: "simulated".into() };
                self.after(self.habits.reply_ms, Input::Reply(failed));
                self.commands.push((self.now, command));
                return;
            }
            let mut wait = 0;
            for (stage, ms) in self.habits.stages.clone() {
                wait += ms;
                let told = ReplyEvent::Stage { turn, stage, micros: ms * 1_000 };
                self.after(wait, Input::Reply(told));
            }
            let reply_ms = self.habits.reply_ms + wait;
            let texts = match input {
                TurnInput::Opened => vec!["Thank you for calling. How can I help you today?"],
                TurnInput::Silence { .. } => vec!["Are you still there?"],
                TurnInput::Unintelligible => vec!["Could you say that again?"],
                _ => self.answers.clone(),
            };
            for (index, text) in texts.into_iter().enumerate() {
                let id = SegmentId { turn, index: index as u16 };
                let notice = self.habits.notice && *input == TurnInput::Opened;
                let tells = self.habits.tells && *input == TurnInput::Opened;
                let kind = if tells {
                    SegmentKind::Consent
                } else if notice {
                    SegmentKind::Notice
                } else {
                    SegmentKind::Reply
                };
                let segment = ReplySegment { id, text: text.into(), kind, fixed: false };
                self.after(reply_ms, Input::Reply(ReplyEvent::Segment(segment)));
            }
            if let Some(question) = self.habits.question.clone() {
                self.after(reply_ms, Input::Reply(ReplyEvent::Question { turn, question }));
            }
            let (expects, then) = (self.habits.expects, self.habits.then);
            self.after(reply_ms, Input::Reply(ReplyEvent::Done { turn, expects, then }));
        }
        self.commands.push((self.now, command));
    }

    fn synthesiser(&mut self, segment: &ReplySegment) {
        let bytes = segment.text.len() * self.habits.letter_ms as usize * 8;
        let id = segment.id;
        self.spoken.push((self.now, segment.clone()));
        if self.happens(self.habits.failed_segments) && !segment.fixed {
            let failure = Failure::stalled("simulated");
            self.after(self.habits.synthesis_ms, Input::Tts(TtsEvent::Failed { segment: id, failure }));
            return;
        }
        if self.habits.charges {
            let amount = segment.text.len() as u64;
            let (provider, model) = ("voice".into(), "m".into());
            let usage = Usage { provider, model, meter: Meter::Characters, amount };
            self.after(self.habits.synthesis_ms, Input::Tts(TtsEvent::Used(usage)));
        }
        self.after(
            self.habits.synthesis_ms,
            Input::Tts(TtsEvent::Audio { segment: id, mulaw: vec![0x20; bytes] }),
        );
        self.after(self.habits.synthesis_ms, Input::Tts(TtsEvent::Done { segment: id, words: Vec::new() }));
    }

    /// A throw of the dice, the same for the same seed.
    fn happens(&mut self, share: f64) -> bool {
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        share > 0.0 && ((self.dice >> 33) as f64 / f64::from(u32::MAX >> 1)) < share
    }

    fn forget_audio(&mut self, turn: TurnId) {
        self.queue.retain(|_, input| {
            !matches!(input, Input::Tts(TtsEvent::Audio { segment, .. } | TtsEvent::Done { segment, .. })
                if segment.turn == turn)
        });
    }

    fn log(&mut self, entry: LogEntry) {
        let seq = entry.seq;
        self.records.push((self.now, entry));
        if self.habits.log_fails {
            self.after(self.habits.durable_ms, Input::Log(LogEvent::Failed { seq }));
        } else {
            self.durable.push((self.now + Duration::from_millis(self.habits.durable_ms), seq));
            self.after(self.habits.durable_ms, Input::Log(LogEvent::Durable { seq }));
        }
    }

    /// Frames that reached the recogniser after a time.
    pub fn recognised_since(&self, ms: u64) -> usize {
        self.recognised.iter().filter(|at| at.as_ms() > ms).count()
    }

    pub fn caller_turns(&self) -> Vec<String> {
        let text = |r: &CallRecord| match r {
            CallRecord::CallerTurn { text, .. } => Some(text.clone()),
            _ => None,
        };
        self.records.iter().filter_map(|(_, e)| text(&e.record)).collect()
    }

    pub fn replies_committed(&self) -> usize {
        let firm = |c: &ReplyCommand| {
            matches!(c, ReplyCommand::Commit { .. } | ReplyCommand::Start { speculative: false, .. })
        };
        self.commands.iter().filter(|(_, c)| firm(c)).count()
    }

    pub fn first_frame_after(&self, ms: u64) -> Option<u64> {
        self.frames.iter().map(|t| t.as_ms()).find(|t| *t >= ms)
    }
}
