//! The reader pump: socket messages to media events.
//!
//! Between the socket and the call stand a small backlog and a bounded channel. When both are full the oldest
//! audio goes and is counted; keys, marks and the stop never go.

use std::collections::VecDeque;
use std::time::Instant;

use axum::extract::ws::{Message, WebSocket};
use futures_util::StreamExt;
use futures_util::stream::SplitStream;
use telephony::carrier::MediaReader;
use telephony::media::MediaEvent;
use tokio::sync::mpsc;
use tokio::time::{Instant as Deadline, timeout_at};

use super::answered::Ear;
use super::handshake::call_time;
use super::socket::{self, Closing, code};
use crate::config::Limits;

/// Events that wait for the channel. With the channel's own 64 frames this is two and a half seconds of audio.
const BACKLOG: usize = 64;
/// Events of any kind that wait; a peer that floods keys or marks beyond this breaks the protocol.
const FLOOD: usize = 512;

/// How the peer's side of a leg ended.
#[derive(Debug, PartialEq, Eq)]
pub enum LegEnd {
    /// `stop` came.
    Stopped,
    /// The socket died or was closed without `stop`.
    Lost,
    /// We close it, and say why.
    Broken { closing: Closing, reason: &'static str },
}

/// The reader's half of a leg.
#[derive(Debug)]
pub struct Inbound {
    stream: SplitStream<WebSocket>,
    reader: Box<dyn MediaReader>,
    accepted: Instant,
    idle: std::time::Duration,
    backlog: VecDeque<MediaEvent>,
    parsed: Vec<MediaEvent>,
    frames: metrics::Counter,
    dropped: metrics::Counter,
    /// Listens for a machine, on a call of ours.
    ear: Option<Ear>,
}

impl Inbound {
    #[must_use]
    pub fn new(
        stream: SplitStream<WebSocket>,
        reader: Box<dyn MediaReader>,
        accepted: Instant,
        limits: &Limits,
        ear: Option<Ear>,
    ) -> Self {
        Self {
            stream,
            reader,
            accepted,
            idle: limits.idle,
            backlog: VecDeque::with_capacity(BACKLOG),
            parsed: Vec::new(),
            frames: metrics::counter!("quandura_frames_total", "direction" => "in"),
            dropped: metrics::counter!("quandura_frames_dropped_total", "direction" => "in"),
            ear,
        }
    }

    /// Reads until the leg ends. The caller drops `events` then; without `Stopped` that means the socket died.
    pub async fn pump(mut self, events: &mpsc::Sender<MediaEvent>) -> LegEnd {
        let mut idle_at = Deadline::now() + self.idle;
        let mut call_listens = true;
        loop {
            let message = tokio::select! {
                biased;
                permit = events.reserve(), if call_listens && !self.backlog.is_empty() => {
                    match (permit, self.backlog.pop_front()) {
                        (Ok(permit), Some(event)) => permit.send(event),
                        // The call is over; what still comes is read until the peer has seen our close.
                        _ => call_listens = false,
                    }
                    continue;
                }
                message = timeout_at(idle_at, self.stream.next()) => message,
            };
            let Ok(message) = message else {
                return self.broken("idle", Closing::new(code::POLICY, "no media for too long"));
            };
            match self.take(message) {
                Ok(true) => idle_at = Deadline::now() + self.idle,
                Ok(false) => {}
                Err(LegEnd::Stopped) => return self.deliver_rest(events).await,
                Err(end) => return end,
            }
            if !call_listens {
                self.backlog.clear();
            }
        }
    }

    /// Takes one message; `true` when it held media.
    fn take(&mut self, message: Option<Result<Message, axum::Error>>) -> Result<bool, LegEnd> {
        let outcome = match message {
            None | Some(Ok(Message::Close(_))) => return Err(LegEnd::Lost),
            Some(Err(e)) => match socket::read_failure(e) {
                Some(closing) => return Err(self.broken("unreadable", closing)),
                None => return Err(LegEnd::Lost),
            },
            Some(Ok(Message::Text(text))) => {
                self.reader.read(call_time(self.accepted), &text, &mut self.parsed)
            }
            Some(Ok(Message::Binary(bytes))) => self.reader.read_binary(&bytes),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(()),
        };
        if let Err(error) = outcome {
            if error.closes() {
                return Err(self.broken(error.reason(), error.into()));
            }
            tracing::debug!(reason = error.reason(), "media message ignored");
        }
        self.queue()
    }

    fn queue(&mut self) -> Result<bool, LegEnd> {
        let mut media = false;
        for event in std::mem::take(&mut self.parsed) {
            let stops = event == MediaEvent::Stopped;
            if let MediaEvent::Frame(frame) | MediaEvent::Heard(frame) = &event {
                media = true;
                if let (Some(ear), MediaEvent::Frame(_)) = (&mut self.ear, &event) {
                    ear.hear(frame);
                }
                self.frames.increment(1);
                self.make_room();
            }
            self.backlog.push_back(event);
            if stops {
                return Err(LegEnd::Stopped);
            }
        }
        if self.backlog.len() > FLOOD {
            return Err(self.broken("flood", Closing::new(code::POLICY, "too many messages at a time")));
        }
        Ok(media)
    }

    fn make_room(&mut self) {
        if self.backlog.len() < BACKLOG {
            return;
        }
        let is_sound = |event: &MediaEvent| matches!(event, MediaEvent::Frame(_) | MediaEvent::Heard(_));
        if let Some(oldest) = self.backlog.iter().position(is_sound) {
            self.backlog.remove(oldest);
            self.dropped.increment(1);
        }
    }

    async fn deliver_rest(mut self, events: &mpsc::Sender<MediaEvent>) -> LegEnd {
        for event in self.backlog.drain(..) {
            if events.send(event).await.is_err() {
                break;
            }
        }
        LegEnd::Stopped
    }

    fn broken(&self, reason: &'static str, closing: Closing) -> LegEnd {
        let messages = self.reader.messages();
        tracing::warn!(reason, messages, code = closing.code, "the media stream is closed");
        LegEnd::Broken { closing, reason }
    }
}
