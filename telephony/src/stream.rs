//! Reads a media stream of messages as carriers send them: order, sizes and encodings are checked here, so that what comes out
//! can be trusted in form. Who sent it is the token's business, and how a message is written is the carrier's.

use std::borrow::Cow;

use crate::carrier::{MAX_MESSAGE_BYTES, MediaReader};
use crate::encoding::{decode_payload, mark_of_name};
use crate::error::StreamError;
use crate::jitter::{Chunk, InboundAudio, JitterCounts};
use crate::media::{AudioFrame, CallTime, MediaEvent, SAMPLE_RATE_HZ, StreamStart};

#[cfg(test)]
mod tests;

/// Largest payload accepted, decoded bytes (2 s).
pub const MAX_PAYLOAD_BYTES: usize = 16 * 1024;
/// Longest sid accepted, bytes.
const MAX_SID_BYTES: usize = 64;

/// How one carrier writes its messages.
#[derive(Debug)]
pub struct Protocol {
    /// Reads one text message.
    pub parse: for<'a> fn(&'a str) -> Result<Message<'a>, StreamError>,
    /// Its name for mu-law.
    pub mulaw: &'static str,
}

/// A message from the carrier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message<'a> {
    Connected,
    Start(Start<'a>),
    Media(Media<'a>),
    /// `digit` is not checked.
    Dtmf {
        header: Header<'a>,
        digit: Cow<'a, str>,
    },
    Mark {
        header: Header<'a>,
        name: Cow<'a, str>,
    },
    Stop {
        header: Header<'a>,
    },
    /// An event that this version does not know.
    Unknown,
}

/// What every message but the first carries.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header<'a> {
    /// Counts up by one from 1 (at the start).
    pub sequence: Option<u64>,
    pub stream_sid: Cow<'a, str>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Start<'a> {
    pub header: Header<'a>,
    /// The stream's id within the start; the same as the header's in an honest message.
    pub stream_sid: Cow<'a, str>,
    pub call_sid: Cow<'a, str>,
    /// Empty when it was not sent.
    pub account_sid: Cow<'a, str>,
    /// At most [`crate::lenient::MAX_PARAMETERS`]; those that are not text are left out.
    pub parameters: Vec<(String, String)>,
    /// Encoding, samples per second, channels, as far as given.
    pub format: (Option<Cow<'a, str>>, Option<u64>, Option<u64>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Media<'a> {
    pub header: Header<'a>,
    pub track: Track,
    pub chunk: Option<u64>,
    /// Milliseconds since the stream began.
    pub timestamp_ms: Option<u64>,
    /// Base64 of mu-law.
    pub payload: Cow<'a, str>,
}

/// Whose sound a message of media holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Track {
    /// The caller's.
    Inbound,
    /// What the caller hears.
    Outbound,
    /// It says none, or one that this version does not know.
    Unsaid,
}

impl Track {
    /// Reads its name as carriers write it.
    #[must_use]
    pub fn of(name: Option<&str>) -> Self {
        match name {
            Some("inbound" | "inbound_track") => Self::Inbound,
            Some(name) if name.starts_with("outbound") => Self::Outbound,
            _ => Self::Unsaid,
        }
    }
}

/// Which tracks of a stream are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Takes {
    /// The caller's; a message that names no track is theirs.
    Caller,
    /// The caller's, and what they hear. A message that names no track is nobody's: a word must not be put down to the wrong side.
    Both,
}

/// What a stream brought besides events.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StreamCounts {
    pub messages: u64,
    /// Events of a kind that this version does not know.
    pub unknown_events: u64,
    /// Marks whose name is not ours.
    pub foreign_marks: u64,
    /// Media of a track that is not taken.
    pub other_tracks: u64,
    pub audio: JitterCounts,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    Opening,
    Connected,
    Open { stream_sid: String },
    Stopped,
}

/// One stream's reader. After an error that closes, do not use it again.
#[derive(Debug)]
pub struct StreamReader {
    protocol: &'static Protocol,
    state: State,
    takes: Takes,
    audio: InboundAudio,
    /// What the caller hears: its messages are counted by themselves.
    heard: InboundAudio,
    counts: StreamCounts,
    /// Reused for decoding.
    payload: Vec<u8>,
}

impl StreamReader {
    /// Of a stream that brings the caller's sound.
    #[must_use]
    pub fn new(protocol: &'static Protocol) -> Self {
        Self::taking(protocol, Takes::Caller)
    }

    /// Of a stream that brings both sides of a talk.
    #[must_use]
    pub fn of_both(protocol: &'static Protocol) -> Self {
        Self::taking(protocol, Takes::Both)
    }

    fn taking(protocol: &'static Protocol, takes: Takes) -> Self {
        Self {
            protocol,
            takes,
            state: State::Opening,
            audio: InboundAudio::default(),
            heard: InboundAudio::default(),
            counts: StreamCounts::default(),
            payload: Vec::new(),
        }
    }

    #[must_use]
    pub const fn counts(&self) -> StreamCounts {
        StreamCounts { audio: self.audio.counts(), ..self.counts }
    }

    /// The stream's id, once it has started and until it stops.
    #[must_use]
    pub fn stream_sid(&self) -> Option<&str> {
        match &self.state {
            State::Open { stream_sid } => Some(stream_sid),
            _ => None,
        }
    }

    /// Takes a text message that arrived at `now` and appends what it means to `events`: nothing, one event, or
    /// several frames.
    ///
    /// # Errors
    /// Any [`StreamError`]; [`StreamError::closes`] says whether the stream may go on.
    pub fn read(
        &mut self,
        now: CallTime,
        message: &str,
        events: &mut Vec<MediaEvent>,
    ) -> Result<(), StreamError> {
        self.counts.messages += 1;
        if message.len() > MAX_MESSAGE_BYTES {
            return Err(StreamError::MessageTooLarge(MAX_MESSAGE_BYTES));
        }
        let message = (self.protocol.parse)(message)?;
        if self.state == State::Stopped {
            return Err(StreamError::AfterStop);
        }
        match message {
            Message::Connected => self.connected(),
            Message::Start(start) => self.start(&start).map(|s| events.push(MediaEvent::Started(s))),
            Message::Media(media) => self.media(now, &media, events),
            Message::Dtmf { header, digit } => {
                self.header(&header, "dtmf")?;
                key(&digit).map(|k| events.push(MediaEvent::Digit(k)))
            }
            Message::Mark { header, name } => {
                self.header(&header, "mark")?;
                self.mark(&name, events);
                Ok(())
            }
            Message::Stop { header } => {
                self.header(&header, "stop")?;
                self.state = State::Stopped;
                events.push(MediaEvent::Stopped);
                Ok(())
            }
            Message::Unknown => {
                self.counts.unknown_events += 1;
                Ok(())
            }
        }
    }

    /// What a binary message means: always an error that closes.
    pub const fn read_binary(&mut self) -> StreamError {
        self.counts.messages += 1;
        StreamError::Binary
    }

    fn connected(&mut self) -> Result<(), StreamError> {
        if self.state != State::Opening {
            return Err(StreamError::Repeated("connected"));
        }
        self.state = State::Connected;
        Ok(())
    }

    fn start(&mut self, start: &Start<'_>) -> Result<StreamStart, StreamError> {
        match self.state {
            State::Opening => return Err(StreamError::OutOfOrder("start")),
            State::Connected => {}
            State::Open { .. } | State::Stopped => return Err(StreamError::Repeated("start")),
        }
        if start.stream_sid != start.header.stream_sid {
            return Err(StreamError::WrongStream);
        }
        check_format(self.protocol, start)?;
        if ![&start.stream_sid, &start.call_sid].into_iter().all(|sid| !sid.is_empty() && printable(sid))
            || !printable(&start.account_sid)
        {
            return Err(StreamError::BadIdentity);
        }
        self.sequence(&start.header);
        let stream_sid = start.stream_sid.clone().into_owned();
        self.state = State::Open { stream_sid: stream_sid.clone() };
        Ok(StreamStart {
            stream_sid,
            call_sid: start.call_sid.clone().into_owned(),
            account_sid: start.account_sid.clone().into_owned(),
            parameters: start.parameters.clone(),
        })
    }

    fn media(
        &mut self,
        now: CallTime,
        media: &Media<'_>,
        events: &mut Vec<MediaEvent>,
    ) -> Result<(), StreamError> {
        self.header(&media.header, "media")?;
        let (audio, event): (_, fn(AudioFrame) -> MediaEvent) = match (self.takes, media.track) {
            (Takes::Caller, Track::Inbound | Track::Unsaid) | (Takes::Both, Track::Inbound) => {
                (&mut self.audio, MediaEvent::Frame)
            }
            (Takes::Both, Track::Outbound) => (&mut self.heard, MediaEvent::Heard),
            (Takes::Caller, Track::Outbound) | (Takes::Both, Track::Unsaid) => {
                self.counts.other_tracks += 1;
                return Ok(());
            }
        };
        decode_payload(&media.payload, MAX_PAYLOAD_BYTES, &mut self.payload)?;
        let chunk = Chunk { number: media.chunk, timestamp_ms: media.timestamp_ms, mulaw: &self.payload };
        audio.accept(now, chunk, |frame| events.push(event(frame)));
        Ok(())
    }

    fn mark(&mut self, name: &str, events: &mut Vec<MediaEvent>) {
        match mark_of_name(name) {
            Some(mark) => events.push(MediaEvent::MarkPlayed(mark)),
            None => self.counts.foreign_marks += 1,
        }
    }

    /// Checks that the stream is open and that the message is for it.
    fn header(&mut self, header: &Header<'_>, event: &'static str) -> Result<(), StreamError> {
        let State::Open { stream_sid } = &self.state else { return Err(StreamError::OutOfOrder(event)) };
        if *stream_sid != header.stream_sid {
            return Err(StreamError::WrongStream);
        }
        self.sequence(header);
        Ok(())
    }

    fn sequence(&mut self, header: &Header<'_>) {
        if let Some(number) = header.sequence {
            self.audio.sequence(number);
        }
    }
}

fn check_format(protocol: &Protocol, start: &Start<'_>) -> Result<(), StreamError> {
    let (encoding, rate, channels) = &start.format;
    let ours = encoding.as_deref().is_none_or(|e| e.eq_ignore_ascii_case(protocol.mulaw))
        && rate.is_none_or(|r| r == u64::from(SAMPLE_RATE_HZ))
        && channels.is_none_or(|c| c == 1);
    if ours { Ok(()) } else { Err(StreamError::UnsupportedFormat) }
}

fn printable(sid: &str) -> bool {
    sid.len() <= MAX_SID_BYTES && sid.bytes().all(|b| b.is_ascii_graphic())
}

fn key(digit: &str) -> Result<char, StreamError> {
    let mut chars = digit.chars();
    match (chars.next(), chars.next()) {
        (Some(key @ ('0'..='9' | '*' | '#' | 'A'..='D')), None) => Ok(key),
        _ => Err(StreamError::UnknownDigit),
    }
}

impl MediaReader for StreamReader {
    fn read(
        &mut self,
        now: CallTime,
        message: &str,
        events: &mut Vec<MediaEvent>,
    ) -> Result<(), StreamError> {
        Self::read(self, now, message, events)
    }

    fn read_binary(&mut self, _: &[u8]) -> Result<(), StreamError> {
        Err(Self::read_binary(self))
    }

    fn messages(&self) -> u64 {
        self.counts.messages
    }
}

/// Feeds arbitrary bytes to a reader, one message a line; for fuzzing. Must not panic.
///
/// A line that begins with `+` follows a proper opening of the stream, so that the later states are reached.
#[doc(hidden)]
pub fn exercise(protocol: &'static Protocol, data: &[u8]) {
    let mut reader = StreamReader::new(protocol);
    let mut events = Vec::new();
    let mut now = CallTime::ZERO;
    for line in data.split(|&b| b == b'\n') {
        let (opened, line) = line.strip_prefix(b"+").map_or((false, line), |rest| (true, rest));
        if opened && reader.stream_sid().is_none() {
            reader = opened_reader(protocol);
        }
        match std::str::from_utf8(line) {
            Ok(text) => drop(reader.read(now, text, &mut events)),
            Err(_) => drop(reader.read_binary()),
        }
        now += std::time::Duration::from_millis(7);
        events.clear();
    }
    assert!(reader.counts().messages >= 1);
}

fn opened_reader(protocol: &'static Protocol) -> StreamReader {
    StreamReader { state: State::Open { stream_sid: "MZ1".into() }, ..StreamReader::new(protocol) }
}
