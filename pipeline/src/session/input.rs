//! What goes into a session.

use serde::{Deserialize, Serialize};
use telephony::media::{AudioFrame, MarkId};

use crate::ports::{EndReason, InLine, LogEvent, ReplyEvent, Returned, StaffWord, SttEvent, TtsEvent};

/// One thing that happened. Barge-in discards none of these; what is stale is recognised by its turn.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// 20 ms from the caller.
    Frame(AudioFrame),
    /// 20 ms of what the caller hears of the person whom notes are taken of.
    Heard(AudioFrame),
    /// Probability of speech in the window that ended now.
    Vad(f32),
    /// Whether this call gives our own voice back, or may: told when it changes. Until it was told, it may.
    Echo(bool),
    /// One key.
    Digit(char),
    MarkPlayed(MarkId),
    /// The carrier ended the stream.
    CarrierStopped,
    /// The socket died.
    CarrierLost,
    Stt(SttEvent),
    Reply(ReplyEvent),
    Tts(TtsEvent),
    Log(LogEvent),
    /// A port closed its channel: it gives nothing more.
    PortLost(Port),
    Supervisor(Supervisor),
    /// 20 ms from the microphone of the person who holds this lease.
    Voice {
        lease: u32,
        frame: AudioFrame,
    },
    /// Probability of speech in the window of the person's sound that ended now.
    PersonVad(f32),
    /// From the recognizer of the person who has the call.
    PersonStt(SttEvent),
    /// Time passed.
    Tick,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Port {
    Stt,
    Reply,
    Tts,
    Log,
}

/// What a supervisor, or the process itself, asks of the call.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Supervisor {
    HangUp(EndReason),
    /// The agent falls silent, and a person has the call. A newer lease takes it from an older one.
    TakeOver {
        lease: u32,
        by: String,
    },
    /// The agent goes on. What the person notes is a fact of the call to it.
    Release {
        lease: u32,
        note: Option<String>,
    },
    /// A person tells the agent something, unheard by the caller.
    Whisper {
        by: String,
        word: StaffWord,
    },
    /// A person answers what the agent asked.
    Answer {
        by: String,
        question: u32,
        text: String,
    },
    /// Nobody took the call that the caller is held for.
    ComeBack(Returned),
    /// Where the caller stands who waits in line.
    InLine(InLine),
    /// It is their turn: the transfer to this target is on record.
    YourTurn {
        target: String,
    },
    /// A person's line, to be said word for word.
    Say {
        by: String,
        text: String,
    },
}
