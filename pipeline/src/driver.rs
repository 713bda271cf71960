//! The one async task per call around a [`Session`]: inputs in, outputs out, one sleep.
//!
//! Nothing here decides anything. Every queue is bounded; what happens when one is full is written where it is used.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use chrono::Utc;
use telephony::media::{AudioFrame, CallTime, MediaCommand, MediaEvent};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::audio::echo::GuardedVad;
use crate::cost::Prices;
use crate::event::{CallEvent, EVENT_VERSION, EventBody};
use crate::person_ear::PersonEar;
use crate::ports::{
    CallBrief, EndReason, EventSink, LogEntry, LogStream, ReplyEvent, ReplyStream, Screen, SttCommand,
    SttEvent, SttStream, TtsEvent, TtsStream, Usage,
};
use crate::provider::{Failure, Kind};
use crate::recording::leg::RecordingLeg;
use crate::session::journal::{JournalEntry, Recorded, encode_audio};
use crate::session::state::{self, Caller};
use crate::session::{Input, Output, Port, Session, SessionConfig, Supervisor};
use crate::tap::{Side, Tap};

/// Time that storage may take to accept one line before the log counts as lost.
const LOG_DEADLINE: Duration = Duration::from_secs(3);
/// Time that the responder may take to close its books after the call.
const RESPONDER_DEADLINE: Duration = Duration::from_secs(3);
/// Time that a cancelled call may take to settle its record.
const CANCEL_DEADLINE: Duration = Duration::from_secs(5);

/// The carrier leg as two bounded channels, pumped by whoever owns the socket.
#[derive(Debug)]
pub struct Leg {
    /// Bound 64 frames; when full the pump drops the oldest audio and counts it. Closed without
    /// `Stopped` means that the socket died.
    pub events: mpsc::Receiver<MediaEvent>,
    /// Bound 64. The pump must bound each send by a deadline of its own. Full (over a second of audio waits)
    /// means a sick leg: the call ends as lost.
    pub commands: mpsc::Sender<MediaCommand>,
}

/// What somebody outside asks of a running call.
pub type Control = Supervisor;

/// 20 ms of the person who holds this lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PersonFrame {
    pub lease: u32,
    pub frame: AudioFrame,
}

/// Everything that one call is made of.
pub struct CallParts {
    pub brief: CallBrief,
    pub carrier_sid: String,
    pub stt: SttStream,
    pub tts: TtsStream,
    pub reply: ReplyStream,
    pub log: LogStream,
    /// The detector, behind what tells our own voice from the caller's.
    pub vad: GuardedVad,
    pub screen: Box<dyn Screen>,
    pub events: Arc<dyn EventSink>,
    /// Bound 32: whoever feeds it drops what finds no room. Closed: nobody can speak here.
    pub voice: mpsc::Receiver<PersonFrame>,
    /// Hears them, so that their words are on the record too.
    pub person: PersonEar,
    /// Where people listen.
    pub tap: Arc<Tap>,
    /// Who records the call, where it is recorded.
    pub recording: Option<RecordingLeg>,
    /// Everything that goes into the session and all audio that leaves it, with times. Full: dropped and counted.
    pub journal: Option<mpsc::Sender<JournalEntry>>,
    /// It has the sound from before the caller was told too: for callers that are no people.
    pub journal_from_start: bool,
}

impl std::fmt::Debug for CallParts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallParts").field("call", &self.brief.call).finish_non_exhaustive()
    }
}

/// How a call went.
#[derive(Clone, Debug, PartialEq)]
pub struct CallSummary {
    pub reason: EndReason,
    pub duration_ms: u64,
    pub turns: u32,
}

/// Runs one call to its end. Returns when everything about it is durable, or could not be made so in time.
/// When `cancel` fires the call is hung up as draining.
pub async fn run_call(
    leg: Leg,
    parts: CallParts,
    config: SessionConfig,
    control: mpsc::Receiver<Control>,
    cancel: CancellationToken,
) -> CallSummary {
    let started = Instant::now();
    let mut driver = Driver {
        prices: Arc::clone(&config.prices),
        session: Session::new(config, CallTime::ZERO),
        started,
        leg_open: true,
        may_echo: true,
        inputs: VecDeque::new(),
        lost: Vec::new(),
        leg,
        parts,
        control: Some(control),
    };
    driver.announce();
    driver.run(cancel).await
}

struct Driver {
    session: Session,
    prices: Arc<Prices>,
    started: Instant,
    leg: Leg,
    leg_open: bool,
    parts: CallParts,
    control: Option<mpsc::Receiver<Control>>,
    /// What the session knows of an echo on the line.
    may_echo: bool,
    /// Inputs that came about while outputs were carried out.
    inputs: VecDeque<Input>,
    /// Ports that are gone; each is reported once.
    lost: Vec<Port>,
}

impl Driver {
    async fn run(mut self, cancel: CancellationToken) -> CallSummary {
        let mut give_up: Option<Instant> = None;
        loop {
            let deadline = match self.drain().await {
                Ok(deadline) => deadline,
                Err(reason) => {
                    self.let_responder_finish().await;
                    return self.summary(reason);
                }
            };
            if let Some(input) = self.inputs.pop_front() {
                self.feed(input);
                continue;
            }
            let input = tokio::select! {
                biased;
                () = cancel.cancelled(), if give_up.is_none() => {
                    give_up = Some(Instant::now() + CANCEL_DEADLINE);
                    Input::Supervisor(Supervisor::HangUp(EndReason::Draining))
                }
                () = sleep_until(self.started + Duration::from_micros(deadline.as_micros())) => {
                    self.note_lateness(deadline);
                    Input::Tick
                }
                input = next_input(
                    &mut self.leg, self.leg_open, &mut self.parts, &mut self.control, &self.lost) => input,
            };
            if give_up.is_some_and(|at| Instant::now() > at) {
                return self.summary(EndReason::Draining);
            }
            self.feed(input);
        }
    }

    /// The responder closes its books when its commands end; it is done when its events end.
    async fn let_responder_finish(&mut self) {
        let (closed, _) = mpsc::channel(1);
        self.parts.reply.commands = closed;
        let drained = async { while self.parts.reply.events.recv().await.is_some() {} };
        if timeout(RESPONDER_DEADLINE, drained).await.is_err() {
            tracing::warn!(call = %self.parts.brief.call, "the responder did not close its books in time");
        }
    }

    fn now(&self) -> CallTime {
        CallTime::from_micros(u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX))
    }

    /// Carries out everything the session wants; the next deadline, or the reason why the call is over.
    async fn drain(&mut self) -> Result<CallTime, EndReason> {
        loop {
            match self.session.poll_output() {
                Output::Wait(deadline) => return Ok(deadline),
                Output::Ended(reason) => return Err(reason),
                Output::Carrier(command) => self.send_carrier(command),
                Output::Stt(command) => self.send_stt(command),
                Output::Person(command) => self.send_person(command),
                Output::Reply(command) => {
                    let sent = self.parts.reply.commands.try_send(command).is_ok();
                    self.check(sent, Port::Reply);
                }
                Output::Tts(command) => {
                    let sent = self.parts.tts.commands.try_send(command).is_ok();
                    self.check(sent, Port::Tts);
                }
                Output::Log(entry) => self.send_log(entry).await,
                Output::Emit(body) => self.emit(body),
            }
        }
    }

    fn feed(&mut self, mut input: Input) {
        let now = self.now();
        match &mut input {
            Input::CarrierStopped | Input::CarrierLost => self.leg_open = false,
            Input::PortLost(port) if !self.lost.contains(port) => self.lost.push(*port),
            Input::PortLost(_) => return,
            Input::Stt(SttEvent::Used(usage))
            | Input::PersonStt(SttEvent::Used(usage))
            | Input::Tts(TtsEvent::Used(usage))
            | Input::Reply(ReplyEvent::Used { usage, .. }) => note_cost(&self.prices, usage),
            Input::Frame(frame) => {
                let secret = self.session.hides_caller();
                // The person who asked for it hears it, and nobody else.
                let asked = secret && self.session.regions().control == state::Control::Supervisor;
                let hidden = (secret && !asked) || !self.session.may_be_heard();
                self.parts.tap.frame(Side::Caller, now, frame, hidden, asked || !self.session.may_record());
                self.take(Side::Caller, now, frame, secret);
                let speaks = self.session.regions().caller != Caller::Silent;
                if let Some(score) = self.parts.vad.push(now, frame) {
                    if self.may_echo != self.parts.vad.may_echo() {
                        self.may_echo = !self.may_echo;
                        self.inputs.push_back(Input::Echo(self.may_echo));
                    }
                    self.inputs.push_back(Input::Vad(score));
                }
                // Amid the caller's words a television is no part of them. Otherwise the recogniser may hear what is too
                // soft for the detector.
                if speaks && self.parts.vad.is_behind() {
                    *frame = AudioFrame::SILENCE;
                }
            }
            _ => {}
        }
        if self.parts.journal.is_some()
            && let Some(mut what) = Recorded::from_input(&input)
        {
            if self.session.takes_secret() || !self.may_journal() {
                what.hide();
            }
            self.keep(now, what);
        }
        let before = self.session.regions();
        self.session.handle_input(now, input);
        let after = self.session.regions();
        if self.parts.person.is_open() && !self.session.hears_person() {
            self.parts.person.close();
        }
        if (before.caller, before.agent) != (after.caller, after.agent) {
            self.keep(now, Recorded::Regions { caller: after.caller, agent: after.agent });
        }
    }

    /// Hands 20 ms of one side to whoever records, once the caller was told or agreed.
    fn take(&mut self, side: Side, at: CallTime, frame: &AudioFrame, hidden: bool) {
        if let Some(leg) = self.parts.recording.as_mut().filter(|_| self.session.may_record()) {
            leg.frame(side, at, if hidden { AudioFrame::SILENCE } else { *frame });
        }
    }

    fn may_journal(&self) -> bool {
        self.parts.journal_from_start || self.session.may_record()
    }

    fn keep(&self, now: CallTime, what: Recorded) {
        if let Some(journal) = &self.parts.journal
            && journal.try_send(JournalEntry { at_us: now.as_micros(), what }).is_err()
        {
            metrics::counter!("quandura_journal_dropped_total").increment(1);
        }
    }

    /// Whose voice leaves for the caller.
    fn speaks(&self) -> Side {
        match self.session.regions().control {
            state::Control::Supervisor => Side::Person,
            state::Control::Agent | state::Control::Announcing | state::Control::Held => Side::Agent,
        }
    }

    fn send_carrier(&mut self, command: MediaCommand) {
        if self.leg_open {
            self.parts.vad.sent(self.now(), &command);
        }
        match &command {
            MediaCommand::Frame(frame) => {
                let hidden = !self.session.may_be_heard();
                let private = !self.session.may_record();
                self.parts.tap.frame(self.speaks(), self.now(), frame, hidden, private);
                self.take(self.speaks(), self.now(), frame, false);
                if self.parts.journal.is_some() && self.may_journal() {
                    self.keep(self.now(), Recorded::Out { audio: encode_audio(frame.bytes()) });
                }
            }
            MediaCommand::Clear => {
                self.parts.tap.cleared(self.now());
                let now = self.now();
                if let Some(leg) = self.parts.recording.as_mut().filter(|_| self.session.may_record()) {
                    leg.cleared(now);
                }
                self.keep(self.now(), Recorded::Clear);
            }
            _ => {}
        }
        if self.leg_open && self.leg.commands.try_send(command).is_err() {
            self.leg_open = false;
            self.inputs.push_back(Input::CarrierLost);
        }
    }

    /// Audio that the recogniser has no room for is dropped and counted; a command never is.
    fn send_stt(&mut self, command: SttCommand) {
        let audio = matches!(command, SttCommand::Audio(_));
        let result = self.parts.stt.commands.try_send(command);
        match result {
            Err(mpsc::error::TrySendError::Full(_)) if audio => {
                metrics::counter!("quandura_stt_frames_dropped_total").increment(1);
            }
            result => self.check(result.is_ok(), Port::Stt),
        }
    }

    fn send_person(&mut self, command: SttCommand) {
        match self.parts.person.take(command, self.session.language()) {
            Ok(Some(score)) => self.inputs.push_back(Input::PersonVad(score)),
            Ok(None) => {}
            Err(error) => {
                let failure = Failure::new(Kind::Closed, error.to_string());
                self.inputs.push_back(Input::PersonStt(SttEvent::Lost { failure }));
            }
        }
    }

    async fn send_log(&mut self, entry: LogEntry) {
        let sent = timeout(LOG_DEADLINE, self.parts.log.commands.send(entry)).await;
        self.check(matches!(sent, Ok(Ok(()))), Port::Log);
    }

    fn check(&mut self, sent: bool, port: Port) {
        if !sent && !self.lost.contains(&port) {
            self.inputs.push_back(Input::PortLost(port));
        }
    }

    fn announce(&mut self) {
        let brief = &self.parts.brief;
        let language = format!("{:?}", brief.language).to_lowercase();
        let (line, carrier_sid) = (brief.line.clone(), self.parts.carrier_sid.clone());
        let direction = if brief.outbound { "outbound" } else { "inbound" }.to_owned();
        let from = brief.caller.clone().map(|number| self.parts.screen.screen(&number));
        self.emit(EventBody::Started { line, from, direction, language, carrier_sid });
    }

    fn emit(&mut self, mut body: EventBody) {
        screen_body(&mut body, self.parts.screen.as_mut());
        if let EventBody::Latency { latency } = &body {
            note_latency(latency);
        }
        self.parts.events.emit(CallEvent {
            version: EVENT_VERSION,
            event_id: Uuid::now_v7(),
            call_id: self.parts.brief.call,
            tenant: self.parts.brief.tenant,
            at: Utc::now(),
            body,
        });
    }

    fn note_lateness(&self, deadline: CallTime) {
        metrics::histogram!("quandura_frame_lateness_seconds")
            .record(self.now().since(deadline).as_secs_f64());
    }

    fn summary(&self, reason: EndReason) -> CallSummary {
        metrics::counter!("quandura_stale_results_total").increment(self.session.stale());
        metrics::counter!("quandura_speculations_wasted_total")
            .increment(u64::from(self.session.wasted_speculations()));
        metrics::counter!("quandura_usage_unpriced_total").increment(self.session.unpriced());
        metrics::counter!("quandura_playout_under_runs_total")
            .increment(self.session.play_out().under_runs());
        CallSummary { reason, duration_ms: self.now().as_ms(), turns: self.session.turn().0 }
    }
}

/// The next thing that happens outside. A port that closed is reported once and not asked again.
async fn next_input(
    leg: &mut Leg,
    leg_open: bool,
    parts: &mut CallParts,
    control: &mut Option<mpsc::Receiver<Control>>,
    lost: &[Port],
) -> Input {
    let alive = |port: Port| !lost.contains(&port);
    tokio::select! {
        biased;
        act = from_control(control) => act,
        event = leg.events.recv(), if leg_open => from_carrier(event),
        Some(PersonFrame { lease, frame }) = parts.voice.recv() => Input::Voice { lease, frame },
        event = parts.person.event() => Input::PersonStt(event.unwrap_or_else(gone)),
        event = parts.log.events.recv(), if alive(Port::Log) => {
            event.map_or(Input::PortLost(Port::Log), Input::Log)
        }
        event = parts.stt.events.recv(), if alive(Port::Stt) => {
            event.map_or(Input::PortLost(Port::Stt), Input::Stt)
        }
        event = parts.reply.events.recv(), if alive(Port::Reply) => {
            event.map_or(Input::PortLost(Port::Reply), Input::Reply)
        }
        event = parts.tts.events.recv(), if alive(Port::Tts) => {
            event.map_or(Input::PortLost(Port::Tts), Input::Tts)
        }
    }
}

fn gone() -> SttEvent {
    SttEvent::Lost { failure: Failure::new(Kind::Closed, "the recognizer ended") }
}

fn from_carrier(event: Option<MediaEvent>) -> Input {
    match event {
        Some(MediaEvent::Frame(frame)) => Input::Frame(frame),
        Some(MediaEvent::Heard(frame)) => Input::Heard(frame),
        Some(MediaEvent::Digit(digit)) => Input::Digit(digit),
        Some(MediaEvent::MarkPlayed(mark)) => Input::MarkPlayed(mark),
        Some(MediaEvent::Stopped) => Input::CarrierStopped,
        // The start was taken by whoever accepted the stream.
        Some(MediaEvent::Started(_)) => Input::Tick,
        None => Input::CarrierLost,
    }
}

/// Waits for ever once nobody can ask for anything any more.
async fn from_control(control: &mut Option<mpsc::Receiver<Control>>) -> Input {
    if let Some(receiver) = control {
        match receiver.recv().await {
            Some(act) => return Input::Supervisor(act),
            None => *control = None,
        }
    }
    std::future::pending().await
}

/// Personal data leaves the sensitive zone as tokens only. Without a catch-all: whoever adds an event must say whether it holds
/// words of somebody. What a rule stopped was screened where it was stopped.
fn screen_body(body: &mut EventBody, screen: &mut dyn Screen) {
    let text = match body {
        EventBody::Interim { text, .. } => {
            *text = screen.glimpse(text);
            return;
        }
        EventBody::Final { text, .. }
        | EventBody::ReplySegment { text, .. }
        | EventBody::Whispered { text, .. }
        | EventBody::QuestionAsked { text, .. } => text,
        EventBody::ReplyHeard { heard_text, .. } => heard_text,
        EventBody::Dtmf { digits, .. } => digits,
        EventBody::Interrupted { heard, .. } => &mut heard.text,
        EventBody::Started { .. }
        | EventBody::Tool { .. }
        | EventBody::Guard(_)
        | EventBody::Rule(_)
        | EventBody::Provider { .. }
        | EventBody::Attention { .. }
        | EventBody::Control { .. }
        | EventBody::ControlAsked { .. }
        | EventBody::QuestionClosed { .. }
        | EventBody::InLine { .. }
        | EventBody::Latency { .. }
        | EventBody::Cost { .. }
        | EventBody::Language { .. }
        | EventBody::Consent { .. }
        | EventBody::Notes { .. }
        | EventBody::Recording { .. }
        | EventBody::Ended { .. }
        | EventBody::PassportUpdated { .. }
        | EventBody::EscalationUpdated { .. } => return,
    };
    *text = screen.screen(text);
}

/// Only ever grows: a counter of dollars, which the counters of the metrics crate, whole numbers, cannot be.
fn note_cost(prices: &Prices, usage: &Usage) {
    if let Some(micros) = prices.cost(usage) {
        metrics::gauge!("quandura_cost_usd_total", "provider" => usage.provider.clone())
            .increment(micros / 1e6);
    }
}

fn note_latency(latency: &crate::latency::TurnLatency) {
    metrics::histogram!("quandura_turn_seconds").record(latency.total_ms / 1_000.0);
    for s in &latency.stages {
        metrics::histogram!("quandura_turn_stage_seconds", "stage" => s.stage.name()).record(s.ms / 1_000.0);
    }
}
