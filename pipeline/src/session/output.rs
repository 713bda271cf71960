//! What comes out of a session.

use telephony::media::{CallTime, MediaCommand};

use crate::event::EventBody;
use crate::ports::{EndReason, LogEntry, ReplyCommand, SttCommand, TtsCommand};

/// One thing to do. Do them in order; none is optional.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    Carrier(MediaCommand),
    Stt(SttCommand),
    /// To the recognizer of the person who has the call, which is opened with the first of these.
    Person(SttCommand),
    Reply(ReplyCommand),
    Tts(TtsCommand),
    Log(LogEntry),
    /// Raw text: the driver screens it before it leaves.
    Emit(EventBody),
    /// The call is over and everything durable; the driver tears down.
    Ended(EndReason),
    /// Nothing more until an input or this time, which lies in the future.
    Wait(CallTime),
}
