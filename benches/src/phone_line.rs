//! One call at the carrier, where every frame has a time: when it was sent, when it came, and when it is played.
//!
//! It buffers what comes, plays it in real time and echoes marks as the carrier does.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use caller::dial::Exchange;
use caller::replay::failure::stream_of;
use caller::socket::{self, Socket};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use parking_lot::Mutex;
use telephony::encoding::decode_payload;
use telephony::media::{AudioFrame, FRAME_BYTES, FRAME_MS};
use telephony::stream::MAX_PAYLOAD_BYTES;
use telephony::twilio::client::StreamWriter;
use telephony::twilio::wire::ToCarrier;
use tokio::task::JoinHandle;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, sleep_until};
use tokio_tungstenite::tungstenite::Message;

/// The two codes of a marker: too soft for the energy detector of the doubles, too loud for a pause.
const CODES: [u8; 2] = [0x50, 0xD0];
/// Samples of one bit of its number.
const BIT: usize = FRAME_BYTES / 16;
/// So that no number is a constant.
const TURNED: u16 = 0x5A5A;

/// A burst of 20 ms that carries a number in its signs, so that it is known again wherever it comes out.
#[must_use]
pub fn marker(number: u16) -> AudioFrame {
    let bits = number ^ TURNED;
    AudioFrame(std::array::from_fn(|sample| CODES[usize::from(bits >> (sample / BIT) & 1)]))
}

/// The number of a marker; `None` for every other sound.
#[must_use]
pub fn number_of(frame: &[u8]) -> Option<u16> {
    let bit = |samples: &[u8]| {
        let first = samples.first()?;
        let code = CODES.iter().position(|code| code == first)?;
        samples.iter().all(|sample| sample == first).then_some(code as u16)
    };
    if frame.len() != FRAME_BYTES {
        return None;
    }
    let bits: Option<Vec<u16>> = frame.chunks(BIT).map(bit).collect();
    Some(bits?.iter().rev().fold(0, |number, bit| number << 1 | bit) ^ TURNED)
}

/// A frame that came.
#[derive(Clone, Copy, Debug)]
pub struct Came {
    pub at: Instant,
    /// When its first sample is played, if nothing clears it before.
    pub plays: Instant,
    pub marker: Option<u16>,
}

/// What came so far.
#[derive(Debug, Default)]
pub struct Heard {
    pub frames: Vec<Came>,
    pub clears: Vec<Instant>,
    marks: Vec<(Instant, String)>,
    plays_until: Option<Instant>,
    closed: bool,
}

impl Heard {
    /// The end of what there is to play.
    #[must_use]
    pub const fn plays_until(&self) -> Option<Instant> {
        self.plays_until
    }

    /// Whether something is audible now.
    #[must_use]
    pub fn is_audible(&self) -> bool {
        self.plays_until.is_some_and(|until| until > Instant::now())
    }

    fn take(&mut self, message: &str, payload: &mut Vec<u8>) {
        let now = Instant::now();
        let from = self.plays_until.map_or(now, |until| until.max(now));
        match ToCarrier::parse(message) {
            Ok(ToCarrier::Media { payload: encoded, .. }) => {
                if decode_payload(&encoded, MAX_PAYLOAD_BYTES, payload).is_ok() {
                    self.plays_until = Some(from + Duration::from_micros(payload.len() as u64 * 125));
                    self.frames.push(Came { at: now, plays: from, marker: number_of(payload) });
                }
            }
            Ok(ToCarrier::Mark { name, .. }) => self.marks.push((from, name.into_owned())),
            Ok(ToCarrier::Clear { .. }) => {
                self.clears.push(now);
                self.plays_until = Some(now);
                self.marks.iter_mut().for_each(|(due, _)| *due = now);
            }
            Ok(ToCarrier::Unknown) | Err(_) => {}
        }
    }

    fn due_marks(&mut self) -> Vec<String> {
        let now = Instant::now();
        self.marks.extract_if(.., |(due, _)| *due <= now).map(|(_, name)| name).collect()
    }
}

/// The call. Its caller sends a frame every 20 ms.
pub struct PhoneLine {
    /// The carrier's name of the call.
    pub sid: String,
    pub heard: Arc<Mutex<Heard>>,
    sink: SplitSink<Socket, Message>,
    reader: JoinHandle<()>,
    writer: StreamWriter,
    clock: Interval,
    text: String,
}

impl fmt::Debug for PhoneLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PhoneLine").field("sid", &self.sid).finish_non_exhaustive()
    }
}

/// A line that is let go of is dead.
impl Drop for PhoneLine {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl PhoneLine {
    /// Dials a number.
    ///
    /// # Errors
    /// When the gateway does not take the call.
    pub async fn dial(exchange: &Exchange, from: &str, to: &str) -> Result<Self> {
        let request = exchange.ring(from, to);
        let (url, parameters) = stream_of(exchange.place(&request).await?)?;
        let socket = socket::open(&url, exchange.stream_signature(&url), 0).await?;
        let (sink, stream) = socket.split();
        let heard: Arc<Mutex<Heard>> = Arc::default();
        let reader = tokio::spawn(read(stream, heard.clone()));
        let mut clock = interval(Duration::from_millis(FRAME_MS));
        clock.set_missed_tick_behavior(MissedTickBehavior::Burst);
        let writer = StreamWriter::new(exchange.start(&request, parameters));
        let (sid, text) = (request.call_sid, String::new());
        let mut line = Self { sid, heard, sink, reader, writer, clock, text };
        line.writer.connected(&mut line.text);
        line.flush().await?;
        line.writer.start(&mut line.text);
        line.flush().await?;
        Ok(line)
    }

    /// Sends 20 ms when they are due, and says when that was.
    ///
    /// # Errors
    /// When the gateway has closed the stream.
    pub async fn frame(&mut self, frame: &AudioFrame) -> Result<Instant> {
        self.clock.tick().await;
        let (due, closed) = {
            let mut heard = self.heard.lock();
            (heard.due_marks(), heard.closed)
        };
        if closed {
            bail!("the gateway ended the call");
        }
        for name in due {
            self.writer.mark(&name, &mut self.text);
            self.flush().await?;
        }
        self.writer.media(frame.bytes(), &mut self.text);
        let sent = Instant::now();
        self.flush().await?;
        Ok(sent)
    }

    /// Presses a key, and says when.
    ///
    /// # Errors
    /// When the gateway has closed the stream.
    pub async fn key(&mut self, key: char) -> Result<Instant> {
        self.writer.digit(key, &mut self.text);
        let sent = Instant::now();
        self.flush().await?;
        Ok(sent)
    }

    /// The same frame for so long.
    ///
    /// # Errors
    /// When the gateway has closed the stream.
    pub async fn say(&mut self, frame: &AudioFrame, length: Duration) -> Result<()> {
        for _ in 0..length.as_millis() as u64 / FRAME_MS {
            self.frame(frame).await?;
        }
        Ok(())
    }

    /// Says nothing until `done` holds of what was heard.
    ///
    /// # Errors
    /// When that takes longer than `limit`, or the gateway has closed the stream.
    pub async fn wait(&mut self, limit: Duration, done: impl Fn(&Heard) -> bool) -> Result<()> {
        let end = Instant::now() + limit;
        while !done(&self.heard.lock()) {
            if Instant::now() > end {
                bail!("waited {limit:?} in vain");
            }
            self.frame(&AudioFrame::SILENCE).await?;
        }
        Ok(())
    }

    /// Says nothing until more frames than `before` came and nothing was audible for `quiet`.
    ///
    /// # Errors
    /// As [`PhoneLine::wait`].
    pub async fn wait_quiet(&mut self, before: usize, quiet: Duration, limit: Duration) -> Result<()> {
        let over = move |heard: &Heard| {
            let until = heard.plays_until.filter(|_| heard.frames.len() > before);
            until.is_some_and(|until| Instant::now() > until + quiet)
        };
        self.wait(limit, over).await
    }

    /// Hangs up, and gives the gateway a moment for it.
    pub async fn hang_up(mut self) {
        self.writer.stop(&mut self.text);
        let _ = self.flush().await;
        let _ = self.sink.close().await;
        sleep_until(Instant::now() + Duration::from_millis(200)).await;
    }

    async fn flush(&mut self) -> Result<()> {
        let message = Message::Text(self.text.as_str().into());
        self.text.clear();
        Ok(self.sink.send(message).await?)
    }
}

async fn read(mut stream: SplitStream<Socket>, heard: Arc<Mutex<Heard>>) {
    let mut payload = Vec::new();
    while let Some(Ok(message)) = stream.next().await {
        match message {
            Message::Text(text) => heard.lock().take(&text, &mut payload),
            Message::Close(_) => break,
            _ => {}
        }
    }
    heard.lock().closed = true;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_is_known_by_its_number_and_nothing_else_is_one() {
        for number in [0, 1, 0x5A5A, 0xA5A5, 4_711, u16::MAX] {
            assert_eq!(number_of(marker(number).bytes()), Some(number));
        }
        assert_eq!(number_of(AudioFrame::SILENCE.bytes()), None);
        let mut bent = marker(7);
        bent.0[33] = 0x51;
        assert_eq!(number_of(bent.bytes()), None);
        assert_eq!(number_of(&marker(7).bytes()[1..]), None);
    }
}
