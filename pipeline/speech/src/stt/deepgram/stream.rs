//! One connection: audio and commands out, results in, and a close watch on its health.

use std::collections::VecDeque;
use std::time::Duration;

use secrecy::ExposeSecret;
use telephony::media::{FRAME_BYTES, MULAW_SILENCE};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};

use super::Settings;
use super::flux::Turns;
use super::nova;
use super::utterance::Ear;
use pipeline::ports::{Meter, SttCommand, SttEvent, Usage};
use pipeline::provider::socket::{Incoming, Socket};
use pipeline::provider::{Failure, Kind};

/// Frames in one message: larger ones cost less, smaller ones bring interims sooner.
const NOVA_FRAMES: usize = 3;
const FLUX_FRAMES: usize = 4;
/// Audio kept while the connection is being opened.
const BACKLOG_FRAMES: usize = 1_500;
/// Nova closes after 10 s without anything.
const KEEP_ALIVE: Duration = Duration::from_secs(4);
/// Flux has no keep-alive and stalls without audio.
const FEED_SILENCE: Duration = Duration::from_millis(500);
/// After a pause: all words are settled and nothing more comes.
const SETTLED: Duration = Duration::from_millis(300);
/// Speech ended about 150 ms before a pause is asked about; windows end a little before what they have heard.
const NEARLY_MS: u64 = 250;
/// Usage is told this often, ms of audio.
const USAGE_MS: u64 = 5_000;
/// Messages in a row that make no sense.
const GARBAGE: u32 = 3;
/// Speech from which a recogniser that says nothing at all is not just unsure.
const CLEAR_SPEECH_MS: u64 = 600;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    Nova,
    Flux,
}

/// Runs until the call is over or the connection is lost.
pub(super) async fn run(
    settings: Settings,
    protocol: Protocol,
    url: String,
    mut inbox: mpsc::Receiver<SttCommand>,
    outbox: mpsc::Sender<SttEvent>,
) {
    let mut stream = Stream::new(settings, protocol);
    let lost = match stream.connect(&url, &mut inbox).await {
        Ok(Some(socket)) => stream.serve(socket, &mut inbox, &outbox).await,
        Ok(None) => None,
        Err(failure) => Some(failure),
    };
    if stream.ear.sent_ms > stream.told_ms {
        let used = stream.usage();
        let _ = outbox.send(used).await;
    }
    if let Some(failure) = lost {
        let _ = outbox.send(SttEvent::Lost { failure }).await;
    }
}

/// The vendor's own name for audio that it cannot read: ours is wrong, and will be the next time.
fn worded(failure: Failure) -> Failure {
    let kind = if failure.detail.contains("DATA-0000") { Kind::Refused } else { failure.kind };
    Failure { kind, ..failure }
}

struct Stream {
    settings: Settings,
    protocol: Protocol,
    ear: Ear,
    turns: Turns,
    batch: Vec<u8>,
    told_ms: u64,
    garbage: u32,
    last_sent: Instant,
    last_heard: Instant,
    /// Since when the caller speaks without a pause.
    speaking: Option<Instant>,
    /// When the pending pause was asked about.
    asked: Option<Instant>,
    forced: bool,
}

impl Stream {
    fn new(settings: Settings, protocol: Protocol) -> Self {
        let now = Instant::now();
        Self {
            settings,
            protocol,
            ear: Ear::default(),
            turns: Turns::default(),
            batch: Vec::with_capacity(FLUX_FRAMES * FRAME_BYTES),
            told_ms: 0,
            garbage: 0,
            last_sent: now,
            last_heard: now,
            speaking: None,
            asked: None,
            forced: false,
        }
    }

    const fn batch_bytes(&self) -> usize {
        FRAME_BYTES * if matches!(self.protocol, Protocol::Nova) { NOVA_FRAMES } else { FLUX_FRAMES }
    }

    /// Opens the connection; what is said meanwhile waits. `None` when the call ended first.
    async fn connect(
        &mut self,
        url: &str,
        inbox: &mut mpsc::Receiver<SttCommand>,
    ) -> Result<Option<(Socket, VecDeque<SttCommand>)>, Failure> {
        let header = format!("Token {}", self.settings.key.expose_secret());
        let headers = [("authorization", header.as_str())];
        let opening = Socket::open(url, &headers, self.settings.deadlines.connect);
        tokio::pin!(opening);
        let (mut waiting, mut frames) = (VecDeque::new(), 0);
        loop {
            tokio::select! {
                opened = &mut opening => return Ok(Some((opened?, waiting))),
                command = inbox.recv() => match command {
                    None => return Ok(None),
                    Some(command) => {
                        frames += usize::from(matches!(command, SttCommand::Audio(_)));
                        waiting.push_back(command);
                        if frames > BACKLOG_FRAMES
                            && let Some(at) = waiting.iter().position(|c| matches!(c, SttCommand::Audio(_)))
                        {
                            waiting.remove(at);
                            frames -= 1;
                        }
                    }
                },
            }
        }
    }

    /// The failure that ended it; `None` when the call did.
    async fn serve(
        &mut self,
        (mut socket, waiting): (Socket, VecDeque<SttCommand>),
        inbox: &mut mpsc::Receiver<SttCommand>,
        outbox: &mpsc::Sender<SttEvent>,
    ) -> Option<Failure> {
        (self.last_sent, self.last_heard) = (Instant::now(), Instant::now());
        let mut out = vec![SttEvent::Ready];
        for command in waiting {
            if let Err(failure) = self.command(&mut socket, command, &mut out).await {
                return Some(failure);
            }
        }
        loop {
            for event in out.drain(..) {
                if outbox.send(event).await.is_err() {
                    return None;
                }
            }
            let due = self.deadline();
            let done = tokio::select! {
                biased;
                message = socket.next() => self.message(message, &mut out),
                command = inbox.recv() => match command {
                    Some(command) => self.command(&mut socket, command, &mut out).await,
                    None => {
                        self.say_goodbye(socket).await;
                        return None;
                    }
                },
                () = sleep_until(due) => self.overdue(&mut socket, &mut out).await,
            };
            if let Err(failure) = done {
                for event in out.drain(..) {
                    let _ = outbox.send(event).await;
                }
                return Some(failure);
            }
        }
    }

    fn message(
        &mut self,
        message: Result<Option<Incoming>, Failure>,
        out: &mut Vec<SttEvent>,
    ) -> Result<(), Failure> {
        let text = match message.map_err(worded)? {
            None => return Err(Failure::new(Kind::Closed, "the recogniser closed the connection")),
            Some(Incoming::Binary(_)) => return self.nonsense(),
            Some(Incoming::Text(text)) => text,
        };
        self.last_heard = Instant::now();
        let read = match self.protocol {
            Protocol::Nova => nova::read(&mut self.ear, &text, out),
            Protocol::Flux => self.turns.read(&mut self.ear, &text, out),
        };
        match read {
            Err(failure) if failure.kind == Kind::Garbage => self.nonsense(),
            Err(failure) => Err(failure),
            Ok(()) => {
                self.garbage = 0;
                self.note_answer();
                Ok(())
            }
        }
    }

    fn nonsense(&mut self) -> Result<(), Failure> {
        self.garbage += 1;
        if self.garbage < GARBAGE {
            return Ok(());
        }
        Err(Failure::new(Kind::Garbage, "messages in a row make no sense"))
    }

    fn note_answer(&mut self) {
        if self.ear.open.as_ref().is_none_or(|o| o.pending.is_none()) {
            self.asked = None;
        }
    }

    async fn command(
        &mut self,
        socket: &mut Socket,
        command: SttCommand,
        out: &mut Vec<SttEvent>,
    ) -> Result<(), Failure> {
        match command {
            SttCommand::Audio(frame) => {
                self.batch.extend_from_slice(frame.bytes());
                if self.batch.len() >= self.batch_bytes() {
                    self.flush(socket, out).await?;
                }
            }
            SttCommand::SpeechStarted { utterance } => {
                self.flush(socket, out).await?;
                out.extend(self.ear.started(utterance));
                self.speaking = Some(Instant::now());
                self.asked = None;
            }
            SttCommand::Pause { utterance, pause, .. } => {
                self.flush(socket, out).await?;
                let known = self.ear.paused(utterance, pause);
                self.speaking = None;
                self.asked = Some(Instant::now());
                self.forced = false;
                match self.protocol {
                    Protocol::Nova if known.is_some() => out.extend(known),
                    Protocol::Nova => self.text(socket, r#"{"type":"Finalize"}"#).await?,
                    Protocol::Flux => self.turns.answer_if_heard(&mut self.ear, out),
                }
                self.note_answer();
            }
            SttCommand::Resumed { utterance } => {
                self.ear.resumed(utterance);
                self.speaking = Some(Instant::now());
                self.asked = None;
            }
            SttCommand::Ended { utterance } => {
                self.ear.ended(utterance);
                (self.speaking, self.asked) = (None, None);
                if self.protocol == Protocol::Flux && self.turns.ended() {
                    self.text(socket, r#"{"type":"ForceEndTurn"}"#).await?;
                }
            }
            SttCommand::Language(language) => {
                if self.protocol == Protocol::Flux && self.settings.model.contains("multi") {
                    let hint = language.code();
                    self.text(socket, &format!(r#"{{"type":"Configure","language_hints":["{hint}"]}}"#))
                        .await?;
                }
            }
        }
        Ok(())
    }

    async fn flush(&mut self, socket: &mut Socket, out: &mut Vec<SttEvent>) -> Result<(), Failure> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let size = self.batch_bytes();
        let audio = std::mem::replace(&mut self.batch, Vec::with_capacity(size));
        self.ear.sent_ms += (audio.len() / 8) as u64;
        self.last_sent = Instant::now();
        if self.ear.sent_ms - self.told_ms >= USAGE_MS {
            out.push(self.usage());
        }
        socket.binary(audio).await
    }

    fn usage(&mut self) -> SttEvent {
        let amount = self.ear.sent_ms - self.told_ms;
        self.told_ms = self.ear.sent_ms;
        let provider = if self.protocol == Protocol::Nova { "deepgram" } else { "deepgram-flux" };
        SttEvent::Used(Usage {
            provider: provider.to_owned(),
            model: self.settings.model.clone(),
            meter: Meter::AudioMs,
            amount,
        })
    }

    async fn text(&mut self, socket: &mut Socket, text: &str) -> Result<(), Failure> {
        self.last_sent = Instant::now();
        socket.text(text.to_owned()).await
    }

    /// When something is due if nothing happens before.
    fn deadline(&self) -> Instant {
        let quiet = if self.protocol == Protocol::Nova { KEEP_ALIVE } else { FEED_SILENCE };
        let mut due = self.last_sent + quiet;
        if let Some(asked) = self.asked {
            let settled = self.words_are_settled() && !self.forced;
            due = due.min(asked + if settled { SETTLED } else { self.settings.deadlines.give_up });
        }
        if let Some(since) = self.speaking {
            due = due.min(self.last_heard.max(since) + self.settings.deadlines.first);
        }
        due
    }

    /// All words up to the pause are settled, as far as we can know; Flux is asked.
    fn words_are_settled(&self) -> bool {
        self.ear.open.as_ref().is_some_and(|o| match self.protocol {
            Protocol::Nova => {
                let none_loose = o.loose.as_ref().is_none_or(|l| l.text.is_empty());
                none_loose && !o.settled.is_empty() && self.has_heard_up_to_pause()
            }
            Protocol::Flux => true,
        })
    }

    /// What came is of audio up to the pause, or nearly.
    fn has_heard_up_to_pause(&self) -> bool {
        let at = self.ear.open.as_ref().and_then(|o| o.pending).map_or(0, |p| p.at_ms);
        self.ear.heard_ms + NEARLY_MS >= at
    }

    async fn overdue(&mut self, socket: &mut Socket, out: &mut Vec<SttEvent>) -> Result<(), Failure> {
        let now = Instant::now();
        let limits = self.settings.deadlines;
        if let Some(asked) = self.asked {
            if now >= asked + limits.give_up {
                return self.give_up_on_pause(out);
            }
            if now >= asked + SETTLED && self.words_are_settled() && !self.forced {
                self.forced = true;
                match self.protocol {
                    Protocol::Nova => {
                        out.extend(self.ear.open.as_mut().and_then(super::utterance::Open::answer))
                    }
                    Protocol::Flux => self.text(socket, r#"{"type":"ForceEndTurn"}"#).await?,
                }
                self.note_answer();
                return Ok(());
            }
        }
        if let Some(since) = self.speaking
            && now >= self.last_heard.max(since) + limits.first
        {
            return Err(Failure::stalled("not a word while the caller speaks"));
        }
        match self.protocol {
            Protocol::Nova if now >= self.last_sent + KEEP_ALIVE => {
                self.text(socket, r#"{"type":"KeepAlive"}"#).await
            }
            Protocol::Flux if now >= self.last_sent + FEED_SILENCE => {
                self.batch.extend([MULAW_SILENCE; FRAME_BYTES * FLUX_FRAMES]);
                self.flush(socket, out).await
            }
            _ => Ok(()),
        }
    }

    /// The pause has had its time: what is known is the answer, unless the recogniser is dead.
    fn give_up_on_pause(&mut self, out: &mut Vec<SttEvent>) -> Result<(), Failure> {
        self.asked = None;
        let silent = !self.has_heard_up_to_pause();
        let Some(open) = &mut self.ear.open else { return Ok(()) };
        let words = !open.text().is_empty();
        let spoke = self.ear.sent_ms.saturating_sub(open.began_ms) >= CLEAR_SPEECH_MS;
        if silent && (words || spoke) {
            return Err(Failure::stalled("no answer after the caller's pause"));
        }
        out.extend(open.answer());
        Ok(())
    }

    async fn say_goodbye(&mut self, mut socket: Socket) {
        let goodbye = socket.text(r#"{"type":"CloseStream"}"#.to_owned());
        let _ = timeout(Duration::from_millis(200), goodbye).await;
        socket.close().await;
    }
}
