//! The one async task per call around a [`crate::session::Session`]. (Interface; body follows.)

use std::sync::Arc;

use telephony::media::{MediaCommand, MediaEvent};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::ports::{
    CallBrief, EndReason, EventSink, LogStream, ReplyStream, Screen, SttStream, TtsStream, VoiceActivity,
};

/// The carrier leg as two bounded channels, pumped by whoever owns the socket.
#[derive(Debug)]
pub struct Leg {
    /// Bound 64 frames; when full the pump drops the oldest audio and counts it. Closed without
    /// `Stopped` means that the socket died.
    pub events: mpsc::Receiver<MediaEvent>,
    /// Bound 64. The pump must bound each send by a deadline of its own.
    pub commands: mpsc::Sender<MediaCommand>,
}

/// What somebody outside asks of a running call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// End the call now, with this reason.
    HangUp(EndReason),
}

/// Everything that one call is made of.
pub struct CallParts {
    pub brief: CallBrief,
    pub carrier_sid: String,
    pub stt: SttStream,
    pub tts: TtsStream,
    pub reply: ReplyStream,
    pub log: LogStream,
    pub vad: Box<dyn VoiceActivity>,
    pub screen: Box<dyn Screen>,
    pub events: Arc<dyn EventSink>,
    /// Everything that goes into the session, with its time, for record and replay. Full: dropped and counted.
    pub journal: Option<mpsc::Sender<crate::session::journal::JournalEntry>>,
}

/// How a call went.
#[derive(Clone, Debug, PartialEq)]
pub struct CallSummary {
    pub reason: EndReason,
    pub duration_ms: u64,
    pub turns: u32,
}
